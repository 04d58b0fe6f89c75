"""What is found of a table is found once, by whichever thread comes first, and goes with the table."""

import gc
import threading
import weakref

import numpy as np

from classay import assess
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.paired import Blocks


def table():
    return ScoreTable(np.array([0.9, 0.1]), np.array([1, 0]), np.array([0, 1]))


def test_each_table_is_read_once():
    calls = []
    found_of = memoize(lambda each: calls.append(each) or len(calls))
    one, other = table(), table()
    assert [found_of(one), found_of(other), found_of(one)] == [1, 2, 1]


def test_threads_wait_for_the_first():
    started, calls = threading.Barrier(4), []

    def read(each):
        calls.append(1)
        return object()

    found_of, one, found = memoize(read), table(), []

    def ask():
        started.wait()
        found.append(found_of(one))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(calls) == 1
    assert len({*map(id, found)}) == 1


def test_an_error_is_not_kept():
    tries = []

    def fail_first(each):
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("not yet")
        return "found"

    found_of, one = memoize(fail_first), table()
    try:
        found_of(one)
    except ValueError:
        assert found_of(one) == "found"


def test_tables_are_freed():
    made = table()
    assert made.n_positive == 1  # kept
    alive = weakref.ref(made)
    del made
    gc.collect()
    assert alive() is None


def test_labels_are_counted_by_blocks_once_for_all_measures(monkeypatch, tmp_path):
    calls, counted = [], Blocks.matrix_at
    monkeypatch.setattr(Blocks, "matrix_at", lambda *given: calls.append(1) or counted(*given))
    a = assess([0, 1, 1, 0] * 50, np.linspace(0.1, 0.9, 200), id=range(200))
    a.save(tmp_path / "a.classay")
    assert len(calls) == 1
