"""Parts counted by other processes: each counts once, whoever dies."""

import os
import pickle
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import classay as ca
from classay.errors import InputError, WorkerError
from classay.in_parts import fragments, source_parts

N = 6000


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.3
    return pa.table({"y": y.astype(int), "p": rng.beta(1 + 2 * y, 2)})


@pytest.fixture
def folder(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds").mkdir()
    for i in range(12):
        parquet.write_table(table.slice(500 * i, 500), f"preds/{i:02}.parquet")
    return "preds"


def processes():
    return ProcessPoolExecutor(2, mp_context=get_context("fork"))


def deadly(times, at="07.parquet", of=source_parts.PartReader.of):
    """A way to count that kills its process at one file, so many times; marks in files are seen by all processes."""

    def counted(self, fragment):
        if fragment.key.endswith(f"{at}, row group 0") and os.getpid() != MAIN:
            died = [mark for mark in range(times) if not Path(f"died-{mark}").exists()]
            if died:
                Path(f"died-{died[0]}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return of(self, fragment)

    counted.__name__ = "of"  # by which it goes to another process
    return counted


MAIN = os.getpid()


def test_a_worker_that_dies_changes_nothing(folder, monkeypatch):
    wanted = ca.scan(folder, truth="y", score="p").to_dict()
    for times in (0, 1, 2):
        for mark in Path().glob("died-*"):
            mark.unlink()
        monkeypatch.setattr(source_parts.PartReader, "of", deadly(times))
        assert ca.scan(folder, truth="y", score="p", executor=processes).to_dict() == wanted
        assert len([*Path().glob("died-*")]) == times


def test_a_part_that_always_ends_its_worker_is_named_and_nothing_is_shown(folder, monkeypatch):
    monkeypatch.setattr(source_parts.PartReader, "of", deadly(99))
    with pytest.raises(
        WorkerError, match=r"A worker died 3 times while counting only .*07\.parquet, row group 0"
    ):
        ca.scan(folder, truth="y", score="p", executor=processes)


def test_an_executor_that_broke_cannot_go_on_and_says_what_to_pass(folder, monkeypatch):
    monkeypatch.setattr(source_parts.PartReader, "of", deadly(1))
    with processes() as pool, pytest.raises(WorkerError, match="pass executor="):
        ca.scan(folder, truth="y", score="p", executor=pool)


def test_frames_and_text_go_to_processes_too(table, folder):
    wanted = ca.scan(table, truth="y", score="p")
    assert ca.scan(table, truth="y", score="p", executor=processes).to_dict() == wanted.to_dict()
    csv.write_csv(table, "a.csv")
    assert ca.scan("a.csv", truth="y", score="p", executor=processes).to_dict() == wanted.to_dict()


@pytest.mark.parametrize("how", [{}, {"bits": 4}, {"weight": "w"}])
def test_scores_of_several_classes_go_to_processes_too(how, tmp_path, monkeypatch):
    monkeypatch.setattr(fragments, "ROWS", 700)
    rng = np.random.default_rng(1)
    truth, scores = rng.integers(0, 3, N), rng.dirichlet([1, 1, 1], N)
    table = pa.table({"y": truth, "w": rng.random(N), **{f"p{i}": scores[:, i] for i in range(3)}})
    named = {"truth": "y", "score": {i: f"p{i}" for i in range(3)}, **how}
    wanted = ca.scan(table, **named).to_dict()
    assert ca.scan(table, **named, executor=processes).to_dict() == wanted


def test_a_slice_of_a_table_goes_without_the_table(table):
    part = next(iter(fragments.fragments_of(table.slice(10, 50), ["y", "p"])))
    packed = pickle.dumps(part)
    assert len(packed) < 5000
    assert pickle.loads(packed).table.equals(table.slice(10, 50))


def test_a_file_named_twice_does_not_count_twice(folder):
    for twice in (["preds", "preds/03.parquet"], ["preds/03.parquet", "./preds/03.parquet"]):
        with pytest.raises(InputError, match=r"03\.parquet is named twice"):
            ca.scan(twice, truth="y", score="p")


def test_what_is_no_executor_is_refused(table):
    with pytest.raises(InputError, match="but is an int"):
        ca.scan(table, truth="y", score="p", executor=2)
    with ThreadPoolExecutor(2) as pool:
        assert ca.scan(table, truth="y", score="p", executor=pool).n == N
