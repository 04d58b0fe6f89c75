"""Labels of chosen cases: missing labels are tested against the score, at every door that keeps the scores."""

from itertools import pairwise

import numpy as np
import pytest

import classay as ca
from classay.assessment.assessment_warnings import warnings
from classay.assessment.labeling import chosen_labels, independence_p
from classay.inference.estimate import hundredths

N = 6000
RNG = np.random.default_rng(9)
Y = RNG.random(N) < 0.03
P = np.clip(RNG.beta(1, 5, N) + 0.4 * Y * RNG.random(N), 0, 1)


def partly(chosen):
    """The true labels of the chosen cases alone."""
    kept = np.zeros(N, bool)
    kept[chosen] = True
    return np.where(kept, Y.astype(float), np.nan)


FLAGGED = np.flatnonzero(P >= 0.5)[:60]
BY_SCORE = partly(np.concatenate([FLAGGED, np.flatnonzero(P < 0.5)[:60]]))
AT_RANDOM = partly(np.arange(0, N, 5))


def codes(a):
    return [each.code for each in warnings(a)]


def test_labels_of_chosen_cases_are_told_first():
    a = ca.assess(BY_SCORE, P, missing="drop")
    share = hundredths(round((P >= 0.5).mean(), 3))[0]
    said = "Labels exist for 120 of 6,000 cases, chosen by the score"
    said += f" (50% of them predicted positive, compared with {share}% of all)"
    assert warnings(a)[0].code == "chosen_labels"
    assert warnings(a)[0].text.startswith(said)
    assert "correct_verification" in warnings(a)[0].text
    assert "chosen_labels" not in codes(ca.assess(AT_RANDOM, P, missing="drop"))
    assert ca.assess(Y, P).received.unlabeled is None


def test_the_table_survives_files_and_sums(tmp_path):
    a = ca.assess(BY_SCORE, P, missing="drop")
    a.save(tmp_path / "a.classay")
    assert ca.load(tmp_path / "a.classay").received == a.received
    ends = [0, 100, 2500, 2501, N]
    parts = [
        ca.assess(BY_SCORE[i:j], P[i:j], missing="drop", labels=[0.0, 1.0], positive=1.0)
        for i, j in pairwise(ends)
        if not np.isnan(BY_SCORE[i:j]).all()
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part


def test_another_order_of_rows_changes_nothing_and_frequency_counts():
    order = RNG.permutation(N)
    a = ca.assess(BY_SCORE, P, missing="drop")
    assert ca.assess(BY_SCORE[order], P[order], missing="drop").received == a.received
    twice = ca.assess(BY_SCORE, P, missing="drop", frequency=np.full(N, 2))
    assert "240 of 12,000 cases" in chosen_labels(twice)
    assert chosen_labels(ca.assess(BY_SCORE, P, missing="drop", cluster=np.arange(N) // 3)) is None


def test_another_threshold_is_tested_by_the_scores_alone():
    a = ca.assess(BY_SCORE, P, missing="drop")
    assert "of the cases with the highest scores have a label" in chosen_labels(a.at(0.3))


def test_the_exact_test_is_that_of_fisher_and_chi_square_is_pearsons():
    from scipy.stats import chi2_contingency, fisher_exact

    few = np.array([[8.0, 2.0], [1.0, 5.0]])
    assert independence_p(few) == pytest.approx(fisher_exact(few).pvalue)
    table = np.array([[30.0, 20.0, 12.0], [100.0, 140.0, 90.0]])
    assert independence_p(table) == pytest.approx(chi2_contingency(table, correction=False).pvalue)


def test_chance_alone_is_rarely_told():
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(200):
        score = rng.random(300)
        truth = np.where(rng.random(300) < 0.6, np.nan, rng.random(300) < score)
        alarms += chosen_labels(ca.assess(truth, score, missing="drop")) is not None
    assert alarms <= 6


@pytest.mark.parametrize("share", [0.9997, 0.99996, 0.9999999, 1e-5, 0.00004, 0.5])
def test_what_is_not_all_is_never_written_as_all(share):
    for written in hundredths(share, 0.7, share):
        assert float(written) not in (0.0, 100.0)
    rows = 10_000
    truth = [1, 0, 1] + [None] * (rows - 3)
    said = str(ca.assess(truth, np.linspace(0, 1, rows), missing="drop"))
    assert "99.97" in said
    assert "100.0%)" not in said


def test_a_comparison_tells_it_of_each_model():
    other = np.clip(P + RNG.normal(0, 0.02, N), 0, 1)
    found = ca.compare({"a": P, "b": other}, BY_SCORE, missing="drop")
    told = {each.code: each for each in found.warnings}["chosen_labels"]
    assert told.concerns == ("a", "b")
    (alone,) = (each for each in warnings(ca.assess(BY_SCORE, P, missing="drop")) if each.code == told.code)
    assert alone.text in told.text
    at_random = ca.compare({"a": P, "b": other}, AT_RANDOM, missing="drop")
    assert "chosen_labels" not in {each.code for each in at_random.warnings}


def test_a_comparison_without_a_row_that_counts_says_why():
    nothing = np.full(N, np.nan)
    with pytest.raises(ca.InputError, match="All values of truth are missing"):
        ca.compare({"a": P, "b": P}, nothing, missing="drop")
    with pytest.raises(ca.InputError, match="All rows with a value of truth lack a prediction"):
        ca.compare({"a": P, "b": nothing}, Y, unanswered="drop")
