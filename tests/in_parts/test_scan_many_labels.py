"""Scans of very many labels: counted as they come, without beginning anew, in the memory of their pairs."""

import numpy as np
import pyarrow as pa
import pytest

import classay as ca
from classay.errors import InputError
from classay.in_parts import fragments, scanning
from classay.sources.files import read_table
from classay.tables import sparse
from classay.tables.sparse import SparseConfusionMatrix


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Parts of few rows, and of matrices only the pairs that occur."""
    monkeypatch.setattr(fragments, "ROWS", 200)
    monkeypatch.setattr(sparse, "MOST_DENSE", 8)


def table(kind=int, n=1200):
    """Labels of which each part brings new ones."""
    rng = np.random.default_rng(0)
    truth = (rng.random(n) * (8 + np.arange(n) // 40)).astype(int)
    called = np.where(rng.random(n) < 0.7, truth, truth // 2)
    return pa.table({"y": [kind(each) for each in truth], "said": [kind(each) for each in called]})


@pytest.mark.parametrize("kind", [int, str])
def test_labels_that_come_late_are_counted_without_beginning_anew(monkeypatch, kind):
    passes = []
    counting = scanning.Counting
    monkeypatch.setattr(scanning, "Counting", lambda *how: passes.append(1) or counting(*how))
    rows = table(kind)
    found = ca.scan(rows, truth="y", prediction="said")
    assert len(passes) == 1
    assert isinstance(found.confusion_matrix, SparseConfusionMatrix)
    assert found.to_dict() == ca.assess(rows, truth="y", prediction="said").to_dict()


def test_a_source_that_is_read_once_may_bring_labels_late():
    rows = table()
    reader = pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(max_chunksize=200))
    found = ca.scan(reader, truth="y", prediction="said")
    assert found.to_dict() == ca.assess(rows, truth="y", prediction="said").to_dict()


def test_labels_that_change_what_others_are_begin_anew(tmp_path):
    lines = [f"{i % 5},{i % 4}\n" for i in range(600)]
    path = tmp_path / "preds.csv"
    path.write_text("y,said\n" + "".join(lines) + "other,other\n")
    found = ca.scan(str(path), truth="y", prediction="said")
    assert found.labels == ("0", "1", "2", "3", "4", "other")
    whole = read_table(str(path), labels=["y", "said"])
    assert found.to_dict() == ca.assess(whole, truth="y", prediction="said").to_dict()


def test_pairs_that_outgrow_memory_are_refused(monkeypatch):
    monkeypatch.setattr(scanning, "LEAST_PAIRS", 100)
    monkeypatch.setattr(scanning, "LEAST", 100)
    with pytest.raises(InputError, match=r"The confusion matrix of \d+ classes needs more than"):
        ca.scan(table(), truth="y", prediction="said", memory=0)
