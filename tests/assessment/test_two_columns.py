"""Two columns of class scores decide as `predict` does: at a tie the first class wins, until a threshold is chosen."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import classay as ca
from classay.columns.numbers import StrictThreshold
from classay.errors import MergeError

Array = NDArray[Any]
RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 60)
SECOND = RNG.integers(0, 5, 60) / 4  # a fifth of the scores are 0.5
BOTH = np.c_[1 - SECOND, SECOND]
CALLED = BOTH.argmax(1)
ACCURACY = float((CALLED == Y).mean())
GROUP = np.repeat(["a", "b", "c"], 20)


def counts(a: Any) -> list[list[int]]:
    """The confusion matrix with rows and columns in the order of the labels."""
    return [[int(count) for count in row] for row in a.confusion_matrix.counts]


MATRIX = counts(ca.assess(Y, y_pred=CALLED))


def test_labels_are_those_of_argmax() -> None:
    a = ca.assess([0, 0, 0, 1], [[0.5, 0.5], [0.5, 0.5], [0.9, 0.1], [0.1, 0.9]])
    assert a["accuracy"].value == 1
    assert ca.assess(Y, SECOND)["accuracy"].value == ((SECOND >= 0.5) == Y).mean()


@pytest.mark.parametrize("how", [{}, {"positive": 1}, {"positive": 0}])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_the_positive_class_and_the_type_change_no_label(how: dict[str, Any], kind: type) -> None:
    assert counts(ca.assess(Y, BOTH.astype(kind), **how)) == MATRIX


def test_a_third_column_of_zeros_changes_no_label() -> None:
    three = ca.assess(Y, np.c_[BOTH, np.zeros(60)], labels=[0, 1, 2])
    assert three["accuracy"].value == ACCURACY


def test_rounding_does_not_decide_against_the_greater_score() -> None:
    rows = np.array([[0.49999997, 0.5], [0.5, 0.49999997], [0.5, 0.5], [0.50000003, 0.5]], np.float32)
    for positive in (0, 1):
        a = ca.assess([0, 1, 0, 1], rows, positive=positive)
        assert counts(a) == counts(ca.assess([0, 1, 0, 1], y_pred=rows.argmax(1))), positive


def test_a_learner_predicts_the_same_labels() -> None:
    neighbours = pytest.importorskip("sklearn.neighbors")
    X = RNG.normal(size=(60, 2))
    model = neighbours.KNeighborsClassifier(4).fit(X, Y)
    shares, predicted = model.predict_proba(X), model.predict(X)
    assert (shares == 0.5).any()
    for positive in (0, 1):
        wanted = counts(ca.assess(Y, y_pred=predicted, positive=positive))
        assert counts(ca.assess(Y, shares, positive=positive)) == wanted


def test_the_order_of_rows_and_splits_change_nothing() -> None:
    a, order = ca.assess(Y, BOTH), RNG.permutation(60)
    assert counts(ca.assess(Y[order], BOTH[order])) == MATRIX
    halves = [ca.assess(Y[part], BOTH[part]) for part in (slice(25), slice(25, None))]
    together = halves[0] + halves[1]
    assert counts(together) == MATRIX
    assert together.to_dict()["measures"] == a.to_dict()["measures"]


def test_a_chosen_threshold_is_reached_by_equal_scores() -> None:
    a, one = ca.assess(Y, BOTH), ca.assess(Y, SECOND, threshold=0.5)
    assert a.cutoff is not None
    for chosen in (a.at(0.5), a.at(a.cutoff), ca.assess(Y, BOTH, threshold=0.5)):
        assert counts(chosen) == counts(one)
        assert not isinstance(chosen.cutoff, StrictThreshold)
        assert chosen.to_dict()["measures"] == one.to_dict()["measures"]
        assert (chosen + one).n == 120
    assert a["net_benefit(0.5)"].value == one["net_benefit(0.5)"].value


def test_two_rules_are_not_merged() -> None:
    a, one = ca.assess(Y, BOTH), ca.assess(Y, SECOND)
    with pytest.raises(MergeError, match=r"score of exactly 0\.5 differently"):
        a + one
    with pytest.raises(MergeError, match=r"score of exactly 0\.5 differently"):
        one + a
    first = ca.assess(Y, BOTH, positive=0) + ca.assess(
        Y, BOTH[:, 0], positive=0
    )  # one rule for the first class
    assert first.n == 120


@pytest.mark.parametrize("how", [{}, {"cluster": GROUP}, {"weight": np.full(60, 0.7)}, {"id": np.arange(60)}])
def test_the_rule_is_saved(tmp_path: Path, how: dict[str, Any]) -> None:
    a = ca.assess(Y, BOTH, **how)
    a.save(tmp_path / "a.classay")
    loaded = ca.load(tmp_path / "a.classay")
    assert isinstance(loaded.cutoff, StrictThreshold)
    assert loaded.to_dict() == a.to_dict()
    a.at(0.5).save(tmp_path / "b.classay")
    assert ca.load(tmp_path / "b.classay").to_dict() == a.at(0.5).to_dict()


def test_the_report_counts_the_scores_at_the_threshold() -> None:
    tied = int((SECOND == 0.5).sum())
    two, one = ca.assess(Y, BOTH), ca.assess(Y, SECOND)
    assert f"{tied} of 60 cases have a score of exactly 0.5 and are predicted as class 0." in " ".join(
        str(two).split()
    )
    assert f"{tied} of 60 cases have a score of exactly 0.5 and are predicted as class 1." in " ".join(
        str(one).split()
    )
    assert "greater than 0.5" in two.methods_text()
    for a, rule in ((two, "score > threshold"), (one, "score >= threshold")):
        found = a.to_dict()
        assert (found["threshold"], found["threshold_rule"], found["tied_at_threshold"]) == (0.5, rule, tied)


def test_selective_prediction_ends_at_the_error_rate() -> None:
    a = ca.assess(Y, BOTH)
    risk = a.risk_coverage.curve.y[-1]
    assert risk == pytest.approx(a["error_rate"].value)
    assert a["area_under_risk_coverage"].value == pytest.approx(
        ca.assess(Y, BOTH, positive=0)["area_under_risk_coverage"].value
    )


def test_comparisons_and_gates_decide_alike() -> None:
    other = np.c_[SECOND, 1 - SECOND]
    theirs = float((other.argmax(1) == Y).mean())
    for how in ({}, {"positive": 0}, {"method": "max-t", "control": "a"}, {"method": "sequential"}):
        found = ca.compare({"a": BOTH, "b": other}, Y, measures=["accuracy"], **how)
        assert dict(zip(found[0].models, found[0].values, strict=True)) == pytest.approx(
            {"a": ACCURACY, "b": theirs}
        ), how
    assert "predicted as 0" in " ".join(str(ca.compare({"a": BOTH, "b": SECOND}, Y)).split())
    saved = {name: ca.assess(Y, each, id=np.arange(60)) for name, each in {"a": BOTH, "b": other}.items()}
    assert ca.compare(saved, measures=["accuracy"])[0].values == pytest.approx((ACCURACY, theirs))


def test_the_slider_of_a_page_starts_at_the_stated_matrix() -> None:
    from classay.assessment.remembered import operating_points

    for a in (ca.assess(Y, BOTH), ca.assess(Y, BOTH, positive=0), ca.assess(Y, SECOND)):
        assert a.confusion_matrix is not None
        points, matrix = operating_points(a), a.confusion_matrix.one_vs_rest(a.positive)
        assert points is not None
        assert (points.tp[points.chosen], points.fp[points.chosen]) == (matrix.tp, matrix.fp)
        assert (np.diff(points.threshold) < 0).all()


def test_columns_that_do_not_sum_to_1_say_which_score_decides() -> None:
    scores = np.array([[0.2, 0.4], [0.9, 0.8], [0.3, 0.7], [0.6, 0.4]])

    def told(**how: Any) -> str:
        return " ".join(each.text for each in ca.assess([1, 0, 1, 0], scores, **how).warnings)

    assert "even if the score of 0 is higher" in told()
    assert "is greater" not in told(threshold=0.5)
    assert ca.assess([1, 0, 1, 0], scores, improper="renormalise")["accuracy"].value == 1
