"""Warnings of parts that are added: those of all rows together, in whatever order; a scale of any part is kept."""

from itertools import permutations

import numpy as np
import pytest

import classay as ca
from classay.errors import MergeError

N = 160
RNG = np.random.default_rng(4)
HALF = np.arange(N) < N // 2
Y, Y3 = RNG.integers(0, 2, N), RNG.integers(0, 3, N)
LOGIT = RNG.normal(2 * Y - 1, 1.5)
P = np.clip(1 / (1 + np.exp(-LOGIT)), 0.01, 0.99)
P3 = 0.5 * RNG.dirichlet([1, 1, 1], N) + 0.5 * np.eye(3)[Y3]
AT_3 = np.arange(N) == 3
NO_TRUTH = np.where((P > 0.5) & (RNG.random(N) < 0.7), np.nan, Y)
COLUMNS = ("y_true", "y_score", "y_pred")
SITUATIONS = {
    "rounded_scores": {"y_true": Y, "y_score": np.where(AT_3, 1 + 1e-7, P)},
    "raw_scores": {"y_true": Y3, "y_score": 4 * P3 - 1},
    "improper_rows": {"y_true": Y, "y_score": np.c_[1 - P, np.where(HALF, P, 0.9 * P)]},
    "renormalised_rows": {"y_true": Y3, "y_score": P3 * (1 - 0.1 * HALF[:, None]), "improper": "renormalise"},
    "score_scale": {"y_true": Y, "y_score": LOGIT, "score_scale": "logit"},
    "infinite_scores": {"y_true": Y, "y_score": np.where(AT_3, np.inf, LOGIT)},
    "certain_and_wrong": {"y_true": Y, "y_score": np.where(AT_3, 1 - Y, P)},
    "unanswered_wrong": {"y_true": Y, "y_score": np.where(AT_3, np.nan, P), "unanswered": "wrong"},
    "unanswered_dropped": {"y_true": Y, "y_score": np.where(AT_3, np.nan, P), "unanswered": "drop"},
    "chosen_labels": {"y_true": NO_TRUTH, "y_score": P, "missing": "drop"},
    "labels_contradict_scores": {"y_true": Y, "y_score": P, "y_pred": (P < 0.5).astype(int)},
    "shifted_codes": {"y_true": Y3, "y_pred": Y3 + 1},
    "class_auc_below_half": {"y_true": Y3, "y_score": P3[:, [1, 2, 0]]},
    "tied_scores": {"y_true": Y3, "y_score": np.where(AT_3[:, None], 1 / 3, P3)},
}


@pytest.mark.parametrize("code", SITUATIONS)
def test_parts_warn_as_all_rows_do(code):
    columns = SITUATIONS[code]
    part = np.arange(N) % 2 if code == "chosen_labels" else HALF.astype(int)

    def of(rows):
        return ca.assess(**{k: each[rows] if k in COLUMNS else each for k, each in columns.items()})

    whole, found = ca.assess(**columns), of(part == 0) + of(part == 1)
    codes = [each.code for each in whole.warnings]
    assert code in codes
    assert [each.code for each in found.warnings] == codes


def test_a_scale_of_any_part_is_told_and_kept(tmp_path):
    scale_of_parts(tmp_path, lambda y, score: (y, score))


def scale_of_parts(tmp_path, of_rows):
    def part(scale, rows):
        score = np.where(scale == "logit", LOGIT, P)[rows]
        return ca.assess(*of_rows(Y[rows], score), score_scale=scale)

    parts = [part("logit", HALF), part(None, ~HALF), part("logit", AT_3 | (np.arange(N) > 90))]
    texts = set()
    for one, two, three in permutations(parts):
        for found in (one + two + three, one + (two + three)):
            assert found.score_scale is None
            found.save(tmp_path / "a.classay")
            for each in (found, ca.load(tmp_path / "a.classay")):
                texts |= {warning.text for warning in each.warnings if warning.code == "score_scale"}
                assert "score_scale" in [warning.code for warning in each.warnings]
    assert len(texts) == 1
    assert "of some cases" in texts.pop()


def test_two_scales_are_both_told():
    counts = ca.assess(Y, np.c_[1 - Y, Y] + 1, score_scale="count")
    found = ca.assess(Y, np.c_[-LOGIT, LOGIT], score_scale="logit") + counts
    (text,) = [each.text for each in found.warnings if each.code == "score_scale"]
    assert "logits" in text
    assert "counts" in text


def test_a_named_scale_is_not_added_to_raw_scores_and_a_mixture_is_told(tmp_path):
    """Without a name, a part of few raw scores may lie in [0, 1] by chance, and nothing is said of it."""
    raw, unit = ca.assess(Y[HALF], LOGIT[HALF]), ca.assess(Y[~HALF], P[~HALF])
    for named in ("logit", "probability"):
        other = ca.assess(Y[~HALF], (LOGIT if named == "logit" else P)[~HALF], score_scale=named)
        pairs = [(raw, other), (other, raw), *([(raw, unit + other)] if named == "logit" else [])]
        for one, two in pairs:
            with pytest.raises(MergeError, match=f"score_scale='{named}'.*scores from .*same score_scale="):
                one + two
    words = "Some of the merged assessments have all scores in [0, 1]"
    for mixed in (raw + unit, unit + raw, (raw + unit) + raw):
        mixed.save(tmp_path / "a")
        for found in (mixed, ca.load(tmp_path / "a")):
            assert words in next(e.text for e in found.warnings if e.code == "scores_outside_unit")
            assert "score_scale" not in {each.code for each in found.warnings}
    few = np.flatnonzero((LOGIT > 0) & (LOGIT < 1))[:2]
    rest = np.setdiff1d(np.arange(N), few)
    parts = ca.assess(Y[rest], LOGIT[rest]) + ca.assess(Y[few], LOGIT[few], labels=[0, 1])
    assert words not in str([each.text for each in parts.warnings])
