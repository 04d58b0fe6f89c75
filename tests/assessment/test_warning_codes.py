"""Every code of a warning is explained, and every code that is explained is given somewhere."""

import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import classay as ca
from classay.assessment import assessment_warnings, mistaken
from classay.columns import doubtful
from classay.tables.bins import BinnedScoreTable
from classay.warned import OF_MODELS, WARNINGS, Code


def test_codes_of_warnings_are_explained():
    texts = "".join(Path(module.__file__).read_text() for module in (assessment_warnings, mistaken, doubtful))
    given = set(re.findall(r'"([a-z_]+)",?\s', texts)) & {*WARNINGS}
    assert {*WARNINGS} == {*get_args(Code)} == given
    assert given >= OF_MODELS


@pytest.mark.parametrize(
    ("values", "code"), [([0.7], "constant_scores"), ([0.2, 0.7], "two_scores"), ([0.2, 0.4, 0.7], None)]
)
def test_bins_are_no_values(values, code):
    """A bin with several scores is no value of the score; one with a single score is."""
    y, score = np.arange(90) // 45, np.resize(values, 90)
    for p, wanted in ((score, code), (score + 1e-9 * y, None)):
        made = ca.assess(y, p)
        binned = made.changed(scores=BinnedScoreTable.of_table(made.scores, 6))
        found = {each.code for each in binned.warnings} & {"constant_scores", "two_scores"}
        assert found == ({wanted} if wanted else set())


def test_scores_of_one_bin_are_not_called_equal():
    y = np.arange(90) // 45
    for score, why in (
        (0.7 + 0 * y, "all scores are equal"),
        (0.7 + 1e-9 * (np.arange(90) % 3), "all scores share one bin"),
    ):
        made = ca.assess(y, score)
        binned = made.changed(scores=BinnedScoreTable.of_table(made.scores, 6))
        assert [binned[name].reason for name in ("roc_auc", "average_precision")] == [why] * 2
        assert binned.against_chance()[0].reason == why


@pytest.mark.parametrize("n_lacking", [1, 2, 3])
def test_one_class_is_this_class_and_several_are_these_classes(n_lacking):
    """That no case has, and that no score was given to."""
    y, labels = np.arange(60) % 2, list(range(2 + n_lacking))
    p = np.c_[1 - y * 0.6 - 0.2, y * 0.6 + 0.2]
    a = ca.assess(y, np.c_[p, np.zeros((60, n_lacking))], labels=labels)
    texts = {warning.code: warning.text for warning in a.warnings}
    for code in ("never_true", "never_scored"):
        assert ("this class" in texts[code], "these classes" in texts[code]) == (
            n_lacking == 1,
            n_lacking > 1,
        )
        assert all(str(label) in texts[code] for label in labels[2:])
