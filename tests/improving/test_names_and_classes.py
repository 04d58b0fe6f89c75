"""What a user need not say: which class is positive, in which step a parameter is; and rows under their own names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.measures import MEASURES
from classay.resampling.data import implied_positive
from learners import noise

X, Y = noise(90, features=3)
NAMED = np.array(["benign", "malignant"])[Y]
TREE = DecisionTreeClassifier(max_depth=2)
PATIENTS = [f"P{k:03d}" for k in range(90)]
FRAME = pd.DataFrame(X, columns=list("abc"), index=PATIENTS)


# --- rows


def test_rows_are_called_as_the_frame_calls_them(tmp_path):
    d = ca.decompose(TREE, FRAME, Y, rounds=4)
    rows = d.by_row()
    assert rows["index"].to_pylist() == [PATIENTS[k] for k in rows["row"].to_pylist()]
    assert any(PATIENTS[k] in str(d) for k in d.biased_rows[:1])
    d.save(tmp_path / "d.classay")
    again = ca.load(tmp_path / "d.classay")
    assert (again.index, again.by_row()) == (d.index, rows)


def test_numbers_as_an_index_stay_numbers():
    moved = FRAME.set_axis(np.arange(90) + 1000, axis=0)
    d = ca.decompose(TREE, moved, Y, rounds=4)
    assert d.by_row()["index"].to_pylist() == (d.rows + 1000).tolist()


def test_test_rows_of_their_own_bring_their_own_index():
    d = ca.decompose(TREE, FRAME[:60], Y[:60], test=(FRAME[60:], Y[60:]), rounds=4)
    assert d.by_row()["index"].to_pylist() == PATIENTS[60:]


@pytest.mark.parametrize("plain", [X, X.tolist(), FRAME.reset_index(drop=True), pl.DataFrame(X)])
def test_without_an_index_there_is_no_such_column(plain):
    d = ca.decompose(TREE, plain, Y, rounds=4)
    assert d.index is None
    assert "index" not in d.by_row().column_names


def test_the_order_of_rows_changes_no_name():
    """Each patient has the same parts, whatever the number of the row."""
    order = np.random.default_rng(0).permutation(90)
    parts = []
    for rows in (np.arange(90), order):
        at = np.sort(np.argsort(rows)[:30])  # the same patients are tested
        rest = np.setdiff1d(np.arange(90), rows[at])
        d = ca.decompose(TREE, FRAME.iloc[rest], Y[rest], test=(FRAME.iloc[rows[at]], Y[rows[at]]), rounds=4)
        parts.append({row["index"]: row["loss"] for row in d.by_row().to_pylist()})
    assert parts[0] == parts[1]


def test_hard_cases_of_an_improvement_too(tmp_path):
    i = ca.improve(TREE, FRAME, Y, rounds=3, protocol="3fold", remedies=[])
    hard = i.hard_rows()
    assert hard["index"].to_pylist() == [PATIENTS[k] for k in hard["row"].to_pylist()]
    i.save(tmp_path / "i.classay")
    assert ca.load(tmp_path / "i.classay").hard_rows() == hard


# --- the positive class


def test_improve_and_the_error_rate_need_no_positive_class():
    c = ca.learning_curve(TREE, X, NAMED, sizes=[20, 40], protocol="3fold")
    named = [
        ca.learning_curve(TREE, X, NAMED, sizes=[20, 40], protocol="3fold", positive=each)
        for each in ("benign", "malignant")
    ]
    assert (
        [p.test for p in c.points] == [p.test for p in named[0].points] == [p.test for p in named[1].points]
    )
    assert [code for code, _ in c.evaluations[0].remarks] == ["positive"]
    assert "No positive class was set. 'malignant' was used" in c.evaluations[0].remarks[0][1]
    assert named[0].evaluations[0].remarks == ()
    i = ca.improve(TREE, X, NAMED, rounds=3, protocol="3fold", remedies=["class_weights"])
    other = ca.improve(
        TREE, X, NAMED, rounds=3, protocol="3fold", remedies=["class_weights"], positive="benign"
    )
    assert i.verdict == other.verdict
    assert "'malignant' was used, which affects no result shown here" in " ".join(str(i).split())


def test_measures_of_one_class_still_do():
    with pytest.raises(InputError, match="The positive class is not set"):
        ca.learning_curve(TREE, X, NAMED, measure="recall", sizes=[20], protocol="3fold")


def test_measures_that_several_classes_have_are_the_same_whichever_class_is_positive():
    """The law that `implied_positive` rests on, for every measure that it lets pass."""
    rng = np.random.default_rng(1)
    score = rng.uniform(0.01, 0.99, 90)
    one, other = ca.assess(NAMED, score, positive="malignant"), ca.assess(NAMED, 1 - score, positive="benign")
    free = [
        name
        for name in MEASURES
        if implied_positive(NAMED, None, [name])[0] is not None
        and MEASURES[name].needs not in ("class_scores", "cases")  # of more than two classes alone
        and np.isfinite(one[name].value)
    ]
    assert {"error_rate", "balanced_accuracy", "log_loss"} <= {*free}
    assert "recall" not in free
    for name in free:
        assert one[name].value == pytest.approx(other[name].value), name


# --- a parameter of one step


def test_a_parameter_of_one_step_needs_no_prefix():
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
    how = {"values": [1, 5], "rounds": 3}
    short, full = (
        ca.decompose_over(pipeline, X, Y, parameter=name, **how)
        for name in ("n_neighbors", "kneighborsclassifier__n_neighbors")
    )
    assert [d["loss"] for d in short.decompositions] == [d["loss"] for d in full.decompositions]
    assert short.parameter == "n_neighbors"
    named = ca.decompose_over("knn", X, Y, parameter="n_neighbors", **how)
    assert named.values == (1, 5)


def test_a_parameter_of_several_steps_and_a_misspelt_one():
    two = make_pipeline(StandardScaler(), StandardScaler(), KNeighborsClassifier())
    with pytest.raises(
        InputError, match="Use one of standardscaler-1__with_mean, standardscaler-2__with_mean"
    ):
        ca.decompose_over(two, X, Y, parameter="with_mean", values=[True, False], rounds=3)
    with pytest.raises(InputError, match=r"no parameter 'max_dept'.*max_depth"):
        ca.decompose_over(TREE, X, Y, parameter="max_dept", values=[1], rounds=3)
