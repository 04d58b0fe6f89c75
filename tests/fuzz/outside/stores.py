"""Stores of runs with other bits and other rows, empty, cut, or of another program."""

import contextlib
import sqlite3
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from ..contract import estimate, hold
from .files import EDITS, command, damaged

VALUES = [
    None, "", "a", "{}", "[]", "null", '{"data": 1}', '{"data": {"": 1}}', '{"estimators": 3}', 7, b"\xff", b"",
]  # fmt: skip
_cell = st.tuples(
    st.sampled_from(["runs.id", "runs.about", "runs.started", "members.key", "members.place", "results.stored",
                     "results.digest", "results.value", "results.key"]),
    st.sampled_from(VALUES),
)  # fmt: skip
INPUTS = st.fixed_dictionaries(
    {
        "cells": st.lists(_cell, max_size=2),
        "text": st.booleans(),
        "edits": st.one_of(st.just([]), EDITS),
        "whole": st.sampled_from([True] * 6 + [False]),
        "by": st.sampled_from(["list", "reopen", "evaluate"] * 5 + ["html", "report"]),
    }
)


def data():
    """What is evaluated."""
    import numpy as np

    return np.random.default_rng(0).random((24, 2)), np.arange(24) % 2


@cache
def whole():
    """The bytes of a store with one run, and the id of the run."""
    from sklearn.tree import DecisionTreeClassifier

    import classay as ca
    from classay.resampling.run_store import Store

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.db")
        ca.evaluate(DecisionTreeClassifier(max_depth=2), *data(), protocol="2fold", store=path)
        with Store.existing(path) as store:
            run = store.runs()[0].id
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode = DELETE")
        connection.close()
        return path.read_bytes(), run


def check(given):
    """List the runs, show one, or go on with it."""
    from sklearn.tree import DecisionTreeClassifier

    import classay as ca

    content, run = whole()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.db")
        path.write_bytes(content if given["whole"] else b"")
        if given["whole"] and given["cells"]:
            connection = sqlite3.connect(path)
            with contextlib.suppress(sqlite3.IntegrityError), connection:
                for cell, value in given["cells"]:
                    table, column = cell.split(".")
                    new = "CAST(? AS TEXT)" if given["text"] else "?"
                    connection.execute(f"UPDATE OR REPLACE {table} SET {column} = {new}", (value,))
            connection.close()
        path.write_bytes(damaged(path.read_bytes(), given["edits"]))
        if given["by"] == "list":
            command("runs", path)
        elif given["by"] == "reopen":
            command("runs", path, run[:8])
        elif given["by"] == "html":
            command("runs", path, run[:8], "--html", Path(folder, "out.html"))
        else:
            e = ca.evaluate(DecisionTreeClassifier(max_depth=2), *data(), protocol="2fold", store=path)
            for each in e.summaries(["accuracy"]):
                estimate(each.measure, each.estimate)
            if given["by"] == "report":
                hold(str(e), "an evaluation says nothing")
