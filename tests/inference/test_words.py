import re

import pytest

from classay.inference.words import spoken, title
from classay.measures import MEASURES

PROPER = (
    "AUC", "Brier", "Cohen", "Fowlkes", "FPR", "Gini", "Hand", "Jaccard", "Kolmogorov", "Mallows", "Matthews", "PR",
    "PRG", "ROC", "Smirnov", "Spiegelhalter", "Till", "TPR", "Youden", "F1", "F2", "F0.5", "G-mean", "H-measure", "P4",
)  # fmt: skip


@pytest.mark.parametrize(
    "text", [title, spoken, lambda name: MEASURES[name].title], ids=["said", "file", "title"]
)
@pytest.mark.parametrize("name", MEASURES)
def test_proper_names_keep_their_capitals(name, text):
    """In the name within a sentence, in the name that is made of the canonical one of files, and in the title."""
    said = text(name)
    for proper in PROPER:
        for found in re.findall(rf"(?<![\w.]){re.escape(proper)}(?![a-z0-9])", said, re.IGNORECASE):
            assert found == proper


@pytest.mark.parametrize("name", MEASURES)
def test_every_name_of_a_measure_has_the_same_proper_names(name):
    """A proper name of the canonical name is one of the title: none is lost, and the canonical name has no capital."""
    assert re.fullmatch(r"[a-z0-9_]+", name)
    parts = {proper: f"_{re.sub('[.-]', '_', proper.lower())}_" for proper in PROPER}
    for proper in (each for each, part in parts.items() if part in f"_{name}_"):
        assert proper in title(name).replace("precision-recall-gain", "PRG")
        assert proper in spoken(name)


def test_names_that_are_no_measures():
    assert title("my_brier_loss") == spoken("my_brier_loss") == "my Brier loss"
    assert len({*map(title, MEASURES)}) == len({*map(spoken, MEASURES)}) == len(MEASURES)
