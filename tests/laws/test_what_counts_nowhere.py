"""What counts nowhere demands nothing: empty parts, rows that are left out; and what no reader has is one line."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import classay as ca
from classay import errors
from classay.compiled import core_count, thread_count
from classay.measures import MEASURES
from classay.tables import ScoreTable
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.sparse import SparseConfusionMatrix
from command import refusal

Y, P = [1, 0, None, 1, 0], [0.9, 0.1, 0.5, 0.8, 0.4]
KINDS = {
    "list": list,
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks": lambda values: pa.chunked_array([values[:2], values[2:]]),
    "objects": lambda values: np.array(values, object),
    "categories": lambda values: pd.Series(values, dtype="category"),
}
ROLES = {
    "weight": [1.0, 2.0, None, 1.0, 3.0],
    "frequency": [1, 2, None, 1, 3],
    "cluster": ["a", "b", None, "a", "c"],
    "id": ["a", "b", None, "d", "c"],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", ROLES)
def test_a_row_that_is_left_out_needs_no_weight_cluster_or_id(role, kind):
    whole = [i for i, each in enumerate(Y) if each is not None]
    alone = ca.assess([Y[i] for i in whole], [P[i] for i in whole], **{role: [ROLES[role][i] for i in whole]})
    found = ca.assess(Y, P, **{role: KINDS[kind](ROLES[role])}, missing="drop")
    assert (found["accuracy"], found.clusters, found.n) == (alone["accuracy"], alone.clusters, alone.n)
    lacking = [None if i == 1 else each for i, each in enumerate(ROLES[role])]
    with pytest.raises(ca.InputError, match=rf"{role} has missing (or infinite )?values in 1 row"):
        ca.assess(Y, P, **{role: KINDS[kind](lacking)}, missing="drop")


def test_amounts_of_rows_that_are_left_out_are_not_asked_for():
    found = ca.assess(Y, P, amounts={"fee": [1, 2, float("nan"), 3, 4]}, missing="drop")
    assert found.n == 4
    with pytest.raises(ca.InputError, match=r"fee has missing or infinite values in 1 row \(index 1"):
        ca.assess(Y, P, amounts={"fee": [1, float("nan"), float("nan"), 3, 4]}, missing="drop")


FULL, NONE = "y,p\n1,.9\n0,.2\n", "y,p\n"


def test_whole_numbers_of_128_bits():
    wide = pl.DataFrame({name: pl.Series([1, 0, 1, 0], dtype=pl.Int128) for name in ("y", "l", "w", "i")})
    frame = wide.with_columns(
        w=pl.Series([1, 2, 3, 1], dtype=pl.Int128), i=pl.Series([1, 2, 3, 2**70], dtype=pl.Int128)
    )
    found = ca.assess(frame, truth="y", prediction="l", frequency="w")
    assert ca.assess(frame, truth="y", prediction="l", id="i").n == 4
    assert (found.n, found.labels) == (7, (0, 1))


def tables():
    score, true = np.array([0.1, 0.2, 0.7]), np.array([0, 1, 1])
    rows = np.stack([1 - score, score / 2, score / 2], 1)
    yield ScoreTable.from_rows(score, true == 1)
    yield BinnedScoreTable.of_rows(score, true == 1, (0, 1), bits=10)
    yield BinnedClassScoreTable.from_rows(rows, true, (0, 1, 2), bits=10)
    yield SparseConfusionMatrix.of_rows(true, true, (0, 1, 2))
    yield ca.ConfusionMatrix.from_array([[3, 1], [2, 4]], "ab", rows="true")
    yield ca.assess([0, 1, 1], score)


@pytest.mark.parametrize("table", [*tables()], ids=lambda each: type(each).__name__)
def test_what_adds_up_begins_a_sum(table):
    assert repr(sum([table, table])) == repr(table + table)
    with pytest.raises((TypeError, AttributeError, errors.ClassayError)):
        sum([table], 1)


KINDS_OF_ERRORS = [
    each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.ClassayError)
]


@pytest.mark.parametrize("kind", KINDS_OF_ERRORS)
def test_errors_come_back_from_worker_processes(kind):
    made = kind("a\nb", "train") if kind is errors.MissingExtraError else kind("a\nb")
    made.add_note("from the worker")
    again = pickle.loads(pickle.dumps(made))
    assert (type(again), str(again), again.args, again.__notes__) == (
        kind,
        str(made),
        made.args,
        made.__notes__,
    )


def test_a_number_of_threads_that_is_none_is_one_line(monkeypatch):
    Path("p.csv").write_text(FULL)
    for wrong in ("two", "2.5", "-1", " "):
        monkeypatch.setenv("CLASSAY_THREADS", wrong)
        with pytest.raises(ca.InputError, match="must be a number of threads"):
            thread_count(9)
    refusal("assess", "p.csv", "--truth", "y", "--score", "p")
    for value, threads in (("3", 3), ("0", 1)):
        monkeypatch.setenv("CLASSAY_THREADS", value)
        assert core_count() == threads


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("at", [0.5123, 0.0005])
def test_a_count_lost_in_the_sum_changes_no_value(at):
    """Rows with such weights are refused; tables of expected counts may have them."""
    rng = np.random.default_rng(0)
    score = np.linspace(0.99, 0.01, 30)
    positives, negatives = rng.integers(1, 5, (2, 30)).astype(float)
    alone = ScoreTable(score, positives, negatives)
    place = np.searchsorted(-score, -at)
    beside = ScoreTable(
        np.insert(score, place, at), np.insert(positives, place, 1e-24), np.insert(negatives, place, 1e-22)
    )
    of_scores = [each for each in MEASURES.values() if each.needs == "scores"]
    assert len(of_scores) > 30
    for measure in of_scores:
        assert float(measure(beside)) == pytest.approx(float(measure(alone)), rel=1e-9, nan_ok=True), measure
