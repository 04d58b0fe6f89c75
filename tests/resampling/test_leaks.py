"""The leak check against loops over rows, on every kind of table; and upsampling before the split."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from imblearn.over_sampling import RandomOverSampler
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, LeaveOneOut, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

import classay as ca
from classay.errors import InputError
from classay.resampling.data import columns_of
from classay.resampling.leaks import find_leaks
from learners import Centroid


def codes(leaks):
    return [leak.code for leak in leaks]


def by_code(leaks, code):
    return next(leak for leak in leaks if leak.code == code)


def same(a, b):
    """Whether two rows are equal, missing values included."""
    return all(x == y or (x != x and y != y) for x, y in zip(a, b, strict=True))


# --- twins


@given(st.data())
def test_twins_are_those_that_loops_find(data):
    n = data.draw(st.integers(4, 12))
    X = data.draw(arrays(np.float64, (n, 2), elements=st.sampled_from([0.0, -0.0, 1.0, np.nan, 2.5])))
    y = data.draw(arrays(np.int64, n, elements=st.integers(0, 1)))
    is_test = data.draw(arrays(np.bool_, n))
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    twins = [i for i in test if any(same(X[i], X[j]) for j in train)]
    agreeing = [i for i in twins if any(same(X[i], X[j]) and y[i] == y[j] for j in train)]
    found = [leak for leak in find_leaks(X, y, [(train, test)]) if leak.code == "twins"]
    assert bool(found) == bool(twins)
    if twins:
        assert found[0].count == len(twins)
        i, j = found[0].example
        assert i in test
        assert j in train
        assert same(X[i], X[j])
        share = f"{100 * len(agreeing) / len(twins):.3g}% of these rows have a twin with the same label"
        assert share in found[0].text


FRAME = pd.DataFrame(
    {
        "age": [31.5, np.nan, 31.5, np.nan, 40.0, 40.0],
        "visits": [1, 2, 1, 2, 3, 4],
        "town": ["Bonn", None, "Bonn", None, "Ulm", "Ulm"],
        "seen": pd.to_datetime(["2020-01-01", None, "2020-01-01", None, "2021-05-05", "2021-05-05"]),
        "kind": pd.Categorical(["a", "b", "a", "b", "a", "a"], categories=["b", "a", "unused"]),
    }
)
OBJECTS = FRAME.assign(mixed=pd.Series([1, "one", 1, "one", [2], [2]], dtype=object))
KINDS = {
    "pandas": FRAME,
    "pandas objects": OBJECTS,
    "pandas nullable": FRAME.convert_dtypes(),
    "polars": pl.from_pandas(FRAME),
    "polars lazy": pl.from_pandas(FRAME).lazy(),
    "arrow": pa.Table.from_pandas(FRAME),
    "arrow in chunks": pa.concat_tables([pa.Table.from_pandas(FRAME)[:3], pa.Table.from_pandas(FRAME)[3:]]),
    "array of objects": OBJECTS.to_numpy(),
    "lists": FRAME.drop(columns=["seen"]).to_numpy().tolist(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_equal_in_every_kind_of_table(kind):
    """Rows 0 and 2 are equal, and so are 1 and 3 with their missing values; 4 and 5 differ in one column."""
    X = KINDS[kind]
    rows = sum(columns.hashes().sum(1) for columns in columns_of(X))
    equal = {(i, j) for i in range(6) for j in range(i) if rows[i] == rows[j]}
    assert equal == {(2, 0), (3, 1)}


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64, np.bool_])
def test_arrays_of_any_number_and_dimension(dtype):
    X = np.random.default_rng(0).integers(0, 2, (50, 2, 2)).astype(dtype)
    rows = np.concatenate([each.hashes() for each in columns_of(X)], axis=1).sum(1)
    assert len(np.unique(rows)) == len(np.unique(X.reshape(50, 4), axis=0))


def test_what_some_rows_clear_is_nothing_that_all_rows_would_show(monkeypatch):
    """Measurements that repeat, in pairs or more, wherever the equal rows lie; random columns around them."""
    rng = np.random.default_rng(0)
    n = 4000
    y = np.repeat(rng.integers(0, 2, n // 2), 2)
    pairs = np.repeat(rng.normal(size=n // 2), 2)
    fours = rng.normal(size=(n // 4, 2))[np.arange(n) % (n // 4), y]
    some = np.where(rng.random(n) < 0.5, rng.normal(size=n), pairs)
    both = np.repeat(rng.normal(size=n // 4), 4)
    X = np.column_stack(
        [rng.normal(size=(n, 3)), pairs, fours, some, both, np.full(n, 0.5), np.arange(n) + 0.5]
    )
    splits = [(np.arange(n // 2), np.arange(n // 2, n))]
    found = find_leaks(X, y, splits)
    assert "Feature 3 determines" in by_code(found, "target").text
    assert by_code(found, "target").count == 3  # pairs, fours and some
    order = rng.permutation(n)
    assert by_code(find_leaks(X[order], y[order], splits), "target") == by_code(found, "target")
    monkeypatch.setattr("classay.resampling.leaks.PAIRS", n)
    assert [each.text for each in find_leaks(X, y, splits)] == [each.text for each in found]


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_sparse_rows(layout):
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 2, (60, 6)) * rng.integers(1, 3, (60, 6))
    y, splits = rng.integers(0, 2, 60), [(np.arange(40), np.arange(40, 60))]
    X = scipy.sparse.csr_matrix(dense.astype(float))
    X.data[:5] = 0  # kept zeros are zeros
    expected = by_code(find_leaks(X.toarray(), y, splits), "twins")
    found = by_code(find_leaks(X.asformat(layout), y, splits), "twins")
    assert (found.count, found.example) == (expected.count, expected.example)


def test_texts_are_a_feature():
    texts = ["good film", "bad film", "good film", "dull"] * 3
    (leak,) = find_leaks(texts, [1, 0, 1, 0] * 3, [(np.arange(8), np.arange(8, 12))])
    assert leak.count == 4


def test_twins_over_splits_and_what_is_said_of_them():
    data = load_iris()
    splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(data.data, data.target))
    X = data.data
    twins = [sum((X[train] == X[i]).all(1).any() for i in test) for train, test in splits]
    leak = by_code(find_leaks(X, data.target, splits), "twins")
    assert leak.count == max(twins) == 1
    assert f"{100 * sum(twins) / 150:.3g}% of the test rows" in leak.text
    assert "at most 1 of the 15 rows of a test" in leak.text
    assert "Keep repeated records on one side" in leak.text
    assert "upsample" not in leak.text


def test_coarse_features_are_expected_to_have_twins():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 3)), rng.integers(0, 2, 200)
    leak = by_code(find_leaks(X, y, [(np.arange(100), np.arange(100, 200))]), "twins")
    assert "at most 8 combinations, so that is to be expected" in leak.text


def test_test_rows_that_are_training_rows_are_the_protocols_affair():
    X, y = np.random.default_rng(0).normal(size=(30, 2)), [0, 1] * 15
    everything = np.arange(30)
    assert find_leaks(X, y, [(everything, everything)], cluster=everything) == ()


def test_breast_cancer_has_no_leak():
    data = load_breast_cancer()
    assert find_leaks(data.data, data.target, StratifiedKFold(5).split(data.data, data.target)) == ()


def upsampled(X, y):
    return RandomOverSampler(random_state=0).fit_resample(X, y)


def test_upsampling_before_the_split_on_pure_noise_is_caught():
    """E-56: the features say nothing, and a nearest neighbour that has seen a copy of each test case shines."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 5)), (rng.random(1000) < 0.05).astype(int)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    model = KNeighborsClassifier(1)

    def auc(X, y, prepare):
        found = []
        for train, test in folds.split(X, y):
            model.fit(*prepare(X[train], y[train]))
            found.append(roc_auc_score(y[test], model.predict_proba(X[test])[:, 1]))
        return np.mean(found)

    X_up, y_up = upsampled(X, y)
    before = auc(X_up, y_up, lambda *rows: rows)
    inside = auc(X, y, upsampled)
    assert before > 0.95
    assert abs(inside - 0.5) < 0.06
    assert find_leaks(X, y, folds.split(X, y)) == ()
    (leak,) = find_leaks(X_up, y_up, folds.split(X_up, y_up))
    assert leak.code == "twins"
    assert "100% of these rows have a twin with the same label" in leak.text
    assert "Upsample inside each fold, not before the split" in leak.text


# --- clusters


def test_clusters_that_straddle_are_counted_and_grouped_folds_have_none():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    patient = np.array([f"p{k}" for k in rng.integers(0, 20, 60)])
    splits = list(StratifiedKFold(5).split(X, y))
    straddling = [{*patient[train]} & {*patient[test]} for train, test in splits]
    (leak,) = find_leaks(X, y, splits, cluster=patient)
    assert (leak.code, leak.count) == ("cluster", max(map(len, straddling)))
    assert leak.example == min(next(filter(None, straddling)))
    assert "In 5 of 5 splits" in leak.text
    assert find_leaks(X, y, GroupKFold(5).split(X, y, patient), cluster=patient) == ()


def test_missing_clusters_equal_nothing():
    X = np.random.default_rng(0).normal(size=(4, 1))
    assert find_leaks(X, [0, 1, 0, 1], [([0, 1], [2, 3])], cluster=["a", None, None, "b"]) == ()


# --- features


def noise(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.integers(0, 2, n)


SPLIT = [(np.arange(200), np.arange(200, 400))]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("target in words", lambda y, rng: np.where(y == 1, "yes", "no")),
        ("codes that go with one label", lambda y, rng: 10 * rng.integers(0, 9, 400) + y),
        ("missing where negative", lambda y, rng: np.where(y == 1, rng.normal(size=400), np.nan)),
        ("ranges that do not meet", lambda y, rng: rng.random(400) + 2 * y),
    ],
)
def test_a_feature_that_knows_the_target(kind, values):
    X, y = noise()
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(outcome=values(y, np.random.default_rng(1)))
    (leak,) = find_leaks(frame, y, SPLIT)
    assert (leak.code, leak.count, leak.example) == ("target", 1, "outcome")
    assert "'outcome' determines the target" in leak.text


@pytest.mark.covering(2)
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("missing", [0, 1, 60])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_thresholds_that_separate_classes_are_found(k, missing, kind):
    """Of three classes they were not, nor of two with one missing value. Order, sign and names change nothing."""
    rng = np.random.default_rng(0)
    X, _ = noise()
    y = rng.integers(0, k, 400)
    telling = ((y * 7 % k) + rng.uniform(0, 0.9, 400)).astype(kind)
    telling[rng.permutation(400)[:missing]] = np.nan
    for values, labels in ((telling, y), (-telling, y), (np.exp(telling), (k - y) * 3)):
        (leak,) = find_leaks(np.column_stack([X, values]), labels, SPLIT)
        assert (leak.code, leak.example) == ("target", 2)
        assert "threshold" in leak.text
    known = np.flatnonzero(~np.isnan(telling))
    telling[known[0]] = telling[known[y[known] != y[known[0]]][0]]  # one case on the wrong side
    assert find_leaks(np.column_stack([X, telling]), y, SPLIT) == ()


@pytest.mark.parametrize("start", [0, 1000])
def test_row_numbers_are_found_in_an_array_of_floats(start):
    X, y = noise()
    rows = np.arange(start, start + 400)
    for numbers in (rows, rows[::-1], np.random.default_rng(0).permutation(rows)):
        (leak,) = find_leaks(np.column_stack([X, numbers.astype(float)]), y, SPLIT)
        assert (leak.code, leak.example) == ("identifier", 2)
    assert find_leaks(np.column_stack([X, rows + 0.5]), y, SPLIT) == ()


def test_nearly_all_or_few_rows_prove_nothing():
    X, y = noise()
    almost = y.copy()
    almost[7] = 1 - y[7]
    assert find_leaks(np.column_stack([X, almost]), y, SPLIT) == ()
    assert find_leaks(np.array([[0], [0], [1], [1]]), [0, 0, 1, 1], [([0, 2], [1])])[1:] == ()
    pairs = np.repeat(np.arange(5), 2)[:, None].astype(float)  # one of 2**5 labellings is as pure as this
    assert find_leaks(pairs, np.repeat([0, 1, 0, 1, 0], 2), [([0], [2])]) == ()


def test_a_feature_that_tells_several_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    X = pd.DataFrame({"noise": rng.normal(size=400), "town": np.array(["x", "y", "z", "w"])[y], "again": y})
    (leak,) = find_leaks(X, y, SPLIT)
    assert (leak.count, leak.example) == (2, "town")
    assert leak.text.startswith(
        "Feature 'town' determines the target: each of its 3 values occurs with one label only. The same"
    )


def test_identifiers_and_constants_and_what_is_neither():
    X, y = noise()
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(
        number=rng.permutation(400),
        name=[f"n{k}" for k in rng.permutation(400)],
        income=rng.choice(10**6, 400, replace=False),
        clinic="north",
        empty=np.nan,
    )
    found = find_leaks(frame, y, SPLIT)
    assert codes(found) == ["identifier", "constant"]
    assert found[0].text == (
        "Every row has a different value of 'number', 'name'. Exclude columns that only number or name the rows."
    )
    assert (found[1].count, found[1].example) == (2, "clinic")


def test_sparse_features():
    X, y = noise()
    dense = np.column_stack([X, y, np.zeros(400), 1 - y, y * (np.arange(400) % 7 > 0)])
    found = find_leaks(scipy.sparse.csr_matrix(dense), y, SPLIT)
    assert codes(found) == ["target", "constant"]
    assert "Feature 2 determines" in found[0].text
    assert found[0].count == 2
    assert found[1].example == 3


def test_wide_tables_are_taken_in_blocks(monkeypatch):
    monkeypatch.setattr("classay.resampling.data.CELLS_AT_ONCE", 900)
    X, y = noise()
    wide = np.column_stack([X, y, X[:, :1] > 9, X])
    assert [(leak.code, leak.example) for leak in find_leaks(wide, y, SPLIT)] == [
        ("target", 2),
        ("constant", 3),
    ]


def test_lengths_must_agree():
    X, y = noise()
    with pytest.raises(InputError, match="X has 400 rows, but y has 399"):
        find_leaks(X, y[1:], SPLIT)
    with pytest.raises(InputError, match="cluster has 399 rows, but y has 400"):
        find_leaks(X, y, SPLIT, cluster=y[1:])


def test_twins_among_many_rows_are_found():
    rng = np.random.default_rng(0)
    n = 200_000
    X = pd.DataFrame({f"x{k}": rng.normal(size=n) for k in range(12)})
    for k in range(4):
        X[f"i{k}"] = rng.integers(0, 1000, n)
        X[f"c{k}"] = rng.choice(["ash", "birch", "elm"], n)
    y = rng.integers(0, 2, n)
    X.iloc[-1000:] = X.iloc[:1000].to_numpy()
    y[-1000:] = y[:1000]
    splits = list(StratifiedKFold(5).split(X, y))
    found = find_leaks(X, y, splits)
    assert codes(found) == ["twins"]


def test_twins_are_counted_once_over_the_folds_of_leave_one_out():
    X = np.random.default_rng(0).integers(0, 10**9, (2000, 4))
    X[1] = X[0]
    (found,) = find_leaks(X, [0, 0] + [0, 1] * 999, LeaveOneOut().split(X))
    assert found.code == "twins"


@pytest.mark.parametrize("kind", ["copies", "a column of the labels", "none"])
def test_a_leak_leads_the_verdict_of_an_evaluation(kind):
    """And one that voids nothing, a numbered column, does not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    if kind == "copies":
        X, y = np.tile(X, (3, 1)), np.tile(y, 3)
    elif kind == "a column of the labels":
        X = np.column_stack([X, y])
    else:
        X = np.column_stack([X, np.arange(60)])
    e = ca.evaluate(Centroid(), X, y, protocol="3fold")
    first = e.document().verdict[0]
    assert e.runs[0].leaks
    if kind == "none":
        assert not e.runs[0].voiding
        assert first.startswith("The expected accuracy of Centroid on new cases is ")
        return
    (leak,) = e.runs[0].voiding
    assert first.startswith("A possible leak was found")
    assert first.endswith(leak.text)
    several = ca.evaluate(Centroid(), {"one": (X, y), "other": (X[:60, :2], y[:60])}, protocol="3fold")
    assert several.document().verdict[0].startswith("On one: A possible leak was found")


@pytest.mark.parametrize("seed", range(12))
def test_what_clears_columns_early_changes_no_finding(seed, monkeypatch):
    """A few rows clear most columns, and a few columns tell most rows apart: all must find the same, in any block."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(70, 400))
    y = rng.integers(0, int(rng.integers(2, 4)), n)
    noisy, rare = rng.normal(size=n), rng.random(n) < 0.9
    columns = [
        rng.normal(size=n),
        np.round(rng.normal(size=n)),
        np.full(n, 3.0),
        np.arange(n) + 5.0,
        y + 0.1 * rng.random(n),
        np.where(rare, np.nan, y * 10.0 + noisy),
        np.where(rare, np.nan, noisy),
        (y * 7 + rng.integers(0, 3, n) * 21).astype(float),
        np.where(rng.random(n) < 0.02, 1 - y, y).astype(float),
        np.full(n, np.nan),
    ]
    X = np.column_stack([columns[k] for k in rng.permutation(len(columns))] * int(rng.integers(1, 20)))
    if seed % 3 == 0:
        X, y = np.vstack([X, X[: n // 2]]), np.concatenate([y, y[: n // 2]])
    splits = [(np.arange(len(y) // 2), np.arange(len(y) // 2, len(y)))]
    tables = (X, pd.DataFrame(X), pl.DataFrame(X))
    found = [find_leaks(each, y, splits) for each in tables]
    monkeypatch.setattr("classay.resampling.leaks.FEW", 10**9)
    monkeypatch.setattr("classay.resampling.data.FIRST_COLUMNS", 10**9)
    for table, early in zip(tables, found, strict=True):
        assert find_leaks(table, y, splits) == early
    assert {"target", "constant"} <= {leak.code for leak in found[0]}
