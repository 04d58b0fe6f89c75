"""What groups of cases add to `assessment/test_methods_text.py`."""

import re

import numpy as np
import pytest

import classay as ca
from assessment.test_methods_text import P, Y, unsourced
from classay.groups.sentences import families


def in_groups(sizes, reference=None):
    """Groups of these sizes, a third of each positive."""
    by = np.repeat([f"g{i}" for i in range(len(sizes))], sizes)
    truth = np.arange(by.size) % 3 == 0
    score = np.clip(0.3 + 0.2 * truth + np.random.default_rng(4).normal(0, 0.2, by.size), 0.01, 0.99)
    return ca.assess_by(truth, score, by=by, reference=reference)


@pytest.mark.parametrize(
    ("sizes", "reference", "said", "why"),
    [
        ((60, 60, 60), None, "the 3 groups", ""),
        ((60, 60, 60, 60), "g1", "the 3 groups", ""),
        ((60, 60, 60, 12), None, "ROC AUC", "too few cases"),
        ((60, 60, 4), None, "the 2 of 3 groups that have a test", "too few cases"),
        ((60, 60, 60, 4), "g0", "the 2 of 3 groups that have a test", "too few cases"),
        ((60, 60), None, "", ""),
        ((60, 4, 4), None, "", ""),
    ],
    ids=["all", "reference", "measures differ", "too small", "both", "two groups", "one test"],
)
def test_the_number_of_tests_said_is_that_by_which_p_values_were_multiplied(sizes, reference, said, why):
    """A reader can tell from the page, and from the paper, by how much the smallest p-value was multiplied."""
    s = in_groups(sizes, reference)
    page, paper = " ".join(str(s).split()), s.methods_text()
    for text in (page, paper):
        assert (
            "Holm"
            in re.sub(
                r"(after adjustment|if (also )?adjusted) (for \d+ measures )?\(Holm\)",
                "",
                text,
                flags=re.IGNORECASE,
            )
        ) == bool(said)
        assert said in text
        assert (f"Groups without a test are not counted ({why})." in text) == bool(why)
    tests = families(s, s.compare(*s.main_measures))
    for name, number in tests.items():
        found = s.compare(name)
        smallest = min((each for each in found if each.p == each.p), key=lambda each: each.p, default=None)
        assert (smallest is None) == (number == 0)
        if smallest is not None:
            assert smallest.p_adjusted == pytest.approx(min(1, number * smallest.p))
            assert not said or number == len(sizes) - (reference is not None) or f"{number} of " in page
    assert paper.count("Holm 1979") == bool(said)


@pytest.mark.parametrize(
    "by", [np.arange(400) % 3, np.arange(400) // 4 % 3], ids=["apart", "shared clusters"]
)
@pytest.mark.parametrize("how", [{}, {"cluster": np.arange(400) // 12}], ids=["alike", "clustered"])
def test_every_method_of_groups_has_its_reference(by, how):
    s = ca.assess_by(Y, P, by=by, **how)
    text = s.methods_text()
    assert unsourced(text) == []
    assert ("Zou 2007" in text) == ("correlation" in text)
