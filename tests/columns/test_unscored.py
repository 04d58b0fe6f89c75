"""Rows without a score: refused with where they are, or left out on request and counted apart."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError

TRUTH = ["a", "b", None, "a", "b"] * 8
SCORE = [0.1, 0.9, 0.5, None, 0.7] * 8
OTHER = [0.1, None, 0.5, 0.4, 0.7] * 8


def test_all_that_is_missing_is_said_at_once():
    with pytest.raises(
        InputError,
        match=r"truth has missing values in 8 rows and score has missing .* in 8 rows.*missing=.drop.*wrong",
    ):
        ca.assess(TRUTH, SCORE, positive="b")


def test_rows_left_out_count_by_what_they_lack(tmp_path):
    a = ca.assess(TRUTH, SCORE, positive="b", missing="drop", unanswered="drop")
    assert (a.rows, a.dropped, a.unscored) == (24, 16, 8)
    kept = [(t, s) for t, s in zip(TRUTH, SCORE, strict=True) if t is not None and s is not None]
    alone = ca.assess([t for t, _ in kept], [s for _, s in kept], positive="b")
    assert a["roc_auc"] == alone["roc_auc"]
    said = (
        "Of 40 rows received, 16 with a missing label (8) or a missing score (8) were excluded, and 24 were"
    )
    assert said in a.methods_text()
    a.save(tmp_path / "a.classay")
    assert ca.load(tmp_path / "a.classay").unscored == 8
    assert ((a + a).dropped, (a + a).unscored) == (32, 16)
    assert a.to_dict()["unscored"] == 8


def test_labels_alone_missing_keep_the_plain_choice():
    with pytest.raises(InputError, match=r"score has missing .* index 3.*unanswered=.drop"):
        ca.assess(TRUTH, SCORE, positive="b", missing="drop")


def test_a_comparison_leaves_out_what_any_model_lacks():
    c = ca.compare({"x": SCORE, "y": OTHER}, TRUTH, positive="b", missing="drop", unanswered="drop")
    assert c["roc_auc"].n == 16


@pytest.mark.parametrize(("model", "at"), [("x", 3), ("y", 1)])
def test_a_comparison_counts_places_in_the_rows_that_came(model, at):
    scores = {"x": [0.1, 0.9, 0.5, 0.3, 0.7] * 8, "y": [0.1, 0.9, 0.5, 0.3, 0.7] * 8}
    scores[model] = SCORE if model == "x" else OTHER
    with pytest.raises(InputError, match=rf"{model}: score has missing .* index {at}"):
        ca.compare(scores, TRUTH, positive="b", missing="drop")


def test_class_scores_lack_one():
    scores = np.array([[0.2, 0.3, 0.5], [np.nan, 0.5, 0.5], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2]])
    a = ca.assess(["x", "y", "y", "z"], scores, missing="drop", unanswered="drop", labels=["x", "y", "z"])
    assert (a.rows, a.unscored) == (3, 1)


def test_cases_that_a_model_lacks_are_left_out_on_request():
    rng = np.random.default_rng(5)
    truth, score = rng.random(60) < 0.4, rng.random(60)
    whole = {"id": np.arange(60), "y": truth, "p": score}
    less = {name: values[4:][::-1] for name, values in whole.items()}
    how = {"truth": "y", "scores": "p", "id": "id"}
    with pytest.raises(InputError, match=r"4 cases of new are not in old, .*unanswered=.drop"):
        ca.compare({"new": whole, "old": less}, **how)
    c = ca.compare({"new": whole, "old": less}, **how, missing="drop", unanswered="drop")
    assert c["roc_auc"].n == 56
    assert c["roc_auc"].effect.value == 0
    assert ("unmatched", "cases that some model does not have: 4 of 60 of new, 0 of 56 of old") in c.facts
    assert list(c.left_out) == ["unmatched"]


def test_decisions_and_comparisons_of_other_cases_count_them():
    a = ca.assess(TRUTH, SCORE, positive="b", missing="drop", unanswered="drop")
    said = "a missing label (8) or a missing score (8)"
    d = a.threshold(maximize="informedness")
    assert d.notes[-1] == f"16 rows with {said} are excluded"
    assert said in " ".join(str(d).split())
    assert d.notes[-1] in d.to_dict()["notes"]
    c = ca.compare_unpaired({"x": a, "y": a.at(0.4)}, ["roc_auc"])
    assert c.left_out == {"left out": f"16 rows of x for {said}; 16 rows of y for {said}"}
