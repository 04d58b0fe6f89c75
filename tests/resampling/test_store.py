"""The run store: what it keeps when processes are killed, share it, or the disk is full; what it refuses."""

import gc
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classay.errors import FileError
from classay.resampling import run_store as module
from classay.resampling.run_store import SCHEMA, Store, StoreWarning
from command import SOURCE

ABOUT = {"estimators": ["forest"], "protocol": "10fold", "seed": 0}


def process(code, *arguments):
    """A process of its own that runs the code."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.db"


def test_what_is_put_is_there_for_the_next_process(path):
    with Store(path) as store:
        store.begin("r1", ABOUT, ["a", "b"])
        store.put("a", b"one")
        (run,) = store.runs()
        assert (run.id, run.about, run.done, run.planned, run.is_finished) == ("r1", ABOUT, 1, 2, False)
    with Store(path) as store:
        store.begin("r1", ABOUT, ["a", "b"])
        assert store.get("a") == b"one"
        store.put("b", b"")
        assert list(store.results("r1")) == [("a", b"one"), ("b", b"")]
        assert store.run("r").is_finished
        assert store.runs()[0].last >= run.last >= run.started


def test_runs_share_the_results_of_common_folds(path):
    with Store(path) as store:
        store.begin("r1", ABOUT, ["a", "b"])
        store.begin("r2", ABOUT, ["b", "c"])
        store.put("b", b"both")
        assert [run.done for run in store.runs()] == [1, 1]
        assert list(store.results("r2")) == [("b", b"both"), ("c", None)]


@given(st.dictionaries(st.text(), st.binary(), max_size=5))
def test_any_key_and_any_bytes_come_back(tmp_path_factory, results):
    with Store(tmp_path_factory.mktemp("store") / "runs.db") as store:
        for key, value in results.items():
            store.put(key, b"older")
            store.put(key, value)
        assert {key: store.get(key) for key in results} == results


def test_a_damaged_result_is_reported_and_can_be_put_again(path):
    with Store(path) as store:
        store.put("a", b"one")
        store.put("b", b"two")
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE results SET value = x'6f6e66' WHERE key = 'a'")
        raw.execute("UPDATE results SET key = 'c' WHERE key = 'b'")  # the bytes are whole, the place is wrong
    raw.close()
    with Store(path) as store:
        for key in ("a", "c"):
            with pytest.warns(StoreWarning, match=f"damaged \\(key {key}\\)"):
                assert store.get(key) is None
        store.put("a", b"one")
        assert store.get("a") == b"one"


def test_nothing_is_unpickled():
    code = Path(module.__file__).read_text(encoding="utf-8")
    assert "import pickle" not in code
    assert "loads" not in code.replace("json.loads", "")


# --- kills


WRITER = """
import sys
from classay.resampling.run_store import Store
with Store(sys.argv[1]) as store:
    store.begin("r", {}, [str(k) for k in range(100_000)])
    for k in range(100_000):
        store.put(str(k), str(k).encode() * 2000)
        print(k, flush=True)
"""


@pytest.mark.parametrize("round", range(5))
def test_a_kill_loses_no_result_that_was_put(path, round):
    """Killed at a random moment; whatever was announced is there, whole, and the store goes on."""
    writer = process(WRITER, path)
    assert writer.stdout.readline() == "0\n"
    time.sleep(np.random.default_rng(round).uniform(0, 0.2))
    writer.send_signal(signal.SIGKILL)
    announced = writer.communicate()[0].split()
    last = int(announced[-1]) if announced else 0
    with Store(path) as store:
        for k in range(last + 1):
            assert store.get(str(k)) == str(k).encode() * 2000
        assert store.runs()[0].done in (last + 1, last + 2)  # the last may have been put and not announced
        store.put("more", b"1")


SHARER = """
import sys
from classay.resampling.run_store import Store
me = sys.argv[2]
with Store(sys.argv[1]) as store:
    for k in range(200):
        store.begin(f"{me}{k}", {}, [f"{me}{k}"])
        store.put(f"{me}{k}", me.encode() * 5000)
        store.put("common", me.encode())
"""


def test_processes_share_a_store_from_its_first_moment(path):
    sharers = [process(SHARER, path, me) for me in "abcd"]
    assert [(each.communicate()[1], each.returncode) for each in sharers] == [("", 0)] * 4
    with Store(path) as store:
        assert len(store.runs()) == 800
        assert all(run.is_finished for run in store.runs())
        assert store.get("common") in (b"a", b"b", b"c", b"d")


def test_a_forked_process_is_refused(path):
    code = """
import os, sys
from classay.resampling.run_store import Store
store = Store(sys.argv[1])
if os.fork() == 0:
    try:
        store.put("child", b"1")
    except ValueError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
store.put("parent", b"1")
"""
    out, err = process(code, path).communicate()
    assert (out, err) == (
        f"The store {path} was opened by the parent process. Open it again in this process.\n",
        "",
    )
    with Store(path) as store:
        assert store.get("parent") == b"1"


# --- a full disk


LIMITED = """
import resource, sys
from classay.errors import FileError
from classay.resampling.run_store import Store
with Store(sys.argv[1]) as store:
    store.begin("r", {}, [str(k) for k in range(100)])
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    try:
        for k in range(100):
            store.put(str(k), bytes(50_000))
    except FileError as error:
        print(error)
    print(sum(store.get(str(k)) == bytes(50_000) for k in range(k)), k)
"""


def test_a_full_disk_keeps_what_was_put(path):
    out, err = process(LIMITED, path).communicate()
    assert err == ""
    text, count = out.splitlines()
    kept, tried = map(int, count.split())
    assert text.startswith(f"{path} cannot be written (disk I/O error): the disk is full, or a limit")
    assert "Free some space, and run the same call to continue" in text
    assert kept == tried > 5
    with Store(path) as store:  # there is room again
        assert store.runs()[0].done == kept
        store.put(str(kept), bytes(50_000))
        assert store.get(str(kept)) == bytes(50_000)


def test_a_full_file_names_the_limit(path):
    with Store(path) as store:
        store.put("a", b"1")
        store._connection.execute("PRAGMA max_page_count = 10")
        with pytest.raises(FileError, match="database or disk is full"):
            store.put("b", bytes(1_000_000))
        assert store.get("a") == b"1"


# --- what is refused


def test_a_file_that_is_no_store_is_left_alone(path):
    path.write_bytes(b"y,p\n0,.1\n1,.8\n" * 100)
    before = path.read_bytes()
    with pytest.raises(FileError, match="db is not a store of runs"):
        Store(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(path):
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE music (title TEXT)")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(FileError, match="db is an SQLite file, but not a store of runs"):
        Store(path)
    assert path.read_bytes() == before


def test_a_newer_store_is_refused(path):
    Store(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    raw.close()
    with pytest.raises(
        FileError, match="db is a store of version 2 from a newer classay, but this classay reads"
    ):
        Store(path)


def test_a_damaged_file_is_named(path):
    with Store(path) as store:
        for k in range(50):
            store.put(str(k), bytes(1000))
    content = bytearray(path.read_bytes())
    content[16384:] = os.urandom(len(content) - 16384)
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"runs\.db is damaged"), Store(path) as store:
        [store.get(str(k)) for k in range(50)]


def test_missing_folders_files_and_runs(tmp_path, path):
    with pytest.raises(FileError, match="Cannot make the store"):
        Store(tmp_path / "nowhere" / "runs.db")
    with pytest.raises(FileError, match="Make one with store= of an evaluation"):
        Store.existing(path)
    with pytest.raises(FileError, match="Cannot open the store"):
        Store(tmp_path)
    with Store(path) as store:
        with pytest.raises(FileError, match=r"Unknown run 'x'\. Runs in .*: none\."):
            store.run("x")
        store.begin("abc1", {}, ["a"])
        store.begin("abc2", {}, ["a"])
        with pytest.raises(FileError, match=r"2 runs begin with 'abc'\. Use more letters\..*: abc1, abc2"):
            store.run("abc")
        assert store.run("abc2").id == "abc2"


def test_a_store_that_is_merely_dropped_is_closed(path, recwarn):
    store = Store(path)
    connection = store._connection
    del store
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
    with pytest.raises(FileError):
        Store(path / "nowhere")
    assert not recwarn.list


def test_one_run_is_found_by_its_beginning_whatever_the_letters(path):
    """As among all of them, which are not read for it."""
    with Store(path) as store:
        names = ["a", "ab", "ab0", "aé", "b", "é", "éa", "A", "%", "_a", "a_"]
        for name in names:
            store.begin(name, ABOUT, [name])
        for asked in [*names, "", "0", "\udc80", "a\udc80", "_", "ab1", "\U0010ffff"]:
            alike = [name for name in names if name == asked] or [
                name for name in names if asked and name.startswith(asked)
            ]
            if len(alike) == 1:
                assert store.run(asked).id == alike[0]
            else:
                with pytest.raises(FileError, match="runs begin with" if alike else "Runs in"):
                    store.run(asked)


def test_a_locked_store_says_so(path, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    Store(path).close()
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("BEGIN IMMEDIATE")
    with Store(path) as store, pytest.raises(FileError, match="locked by another process"):
        store.put("a", b"1")
    raw.close()


def test_another_process_finds_a_result_as_soon_as_it_was_put(path):
    with Store(path) as store, Store(path) as other:
        for k in range(30):
            value = os.urandom(100_000)
            store.put(str(k), value)
            assert other.get(str(k)) == value


class Busy:
    """A connection that is busy so many times, or has another error."""

    def __init__(self, times, code=sqlite3.SQLITE_BUSY):
        self.times, self.code, self.asked = times, code, 0

    def execute(self, statement):
        self.asked += 1
        if self.asked <= self.times:
            error = sqlite3.OperationalError(statement)
            error.sqlite_errorcode = self.code
            raise error
        return self

    def fetchone(self):
        return None


def test_a_busy_file_is_asked_again_and_any_other_error_told(monkeypatch):
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    waited = Busy(3)
    module._patiently(waited, "BEGIN")
    assert waited.asked == 4
    other = Busy(1, sqlite3.SQLITE_READONLY)
    with pytest.raises(sqlite3.OperationalError):
        module._patiently(other, "BEGIN")
    assert other.asked == 1
    monkeypatch.setattr(module, "PATIENCE", -1.0)
    late = Busy(9)
    with pytest.raises(sqlite3.OperationalError):
        module._patiently(late, "BEGIN")
    assert late.asked == 1
