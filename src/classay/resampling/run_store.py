"""The run store: every finished fold in one SQLite file, which several processes may share; workers that may die.

A run is a list of keys, one for each estimator and fold, and a result belongs to its key alone: runs that have
folds in common share their results. A run is finished when each of its keys has a result.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from classay.errors import FileError, InputError, nearest
from classay.files.archives import Damaged, require_file, shown
from classay.texts import hint

GIVEN_UP = (
    "A fit crashed several Dask workers, and Dask stopped: memory ran out, or compiled code failed. "
    "A store keeps the finished fits. Run the same call to continue."
)
SMALL = 200_000
"""Cells of a table up to which compiled code gets one thread: more would wait for each other longer than they work."""
Task = TypeVar("Task")
Result = TypeVar("Result")
Numbered = Iterable[tuple[int, Task]]


def finished(
    tasks: Numbered[Task], work: Callable[[Task], Result], n_jobs: int | None
) -> Generator[tuple[int, Result | None], None, None]:
    """Yield the number of each task and its result, in any order; None for a task that kills its worker.

    One job runs in this process, without joblib, unless a cluster is to do it. Where a worker dies (memory ran out,
    compiled code crashed, someone killed it), what is finished stays, and what was under way is done again. A task
    that was under way at two deaths in a row is done alone; if its worker dies then too, the task is the cause, as
    far as can be told. Dask does the tasks of dead workers again by itself. Raises InputError where it gives up.
    """
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    if effective_n_jobs(n_jobs) == 1 and not _is_dask(get_active_backend()[0]):
        for number, task in tasks:
            yield number, work(task)
        return
    under_way: dict[int, Task] = {}
    suspects: set[int] = set()
    coming = iter(tasks)
    left: Iterator[tuple[int, Task]] = coming
    while True:
        try:
            with closing(_together(_noted(left, under_way), work, n_jobs)) as results:
                for number, result in results:
                    del under_way[number]
                    yield number, result
            return
        except BrokenExecutor:
            if not under_way:  # the workers do not even start
                raise
            again = dict(under_way)
        for number in sorted(suspects & again.keys()):
            yield number, _alone(again.pop(number), work, n_jobs)
        suspects = {*again}
        under_way.clear()
        left = chain(again.items(), coming)


def _noted(tasks: Numbered[Task], under_way: dict[int, Task]) -> Iterator[tuple[int, Task]]:
    for number, task in tasks:
        under_way[number] = task
        yield number, task


def _alone(task: Task, work: Callable[[Task], Result], n_jobs: int | None) -> Result | None:
    """Return the result of a task that has all workers for itself, or None when its worker dies."""
    try:
        with closing(_together([(0, task)], work, n_jobs)) as results:
            return next(results)[1]
    except BrokenExecutor:
        return None


def _together(
    tasks: Numbered[Task], work: Callable[[Task], Result], n_jobs: int | None
) -> Generator[tuple[int, Result], None, None]:
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend = get_active_backend()[0]
    as_they_come = backend.supports_return_generator
    # Where warnings are errors, this one would end joblib's thread in which it is given, and we would wait forever. It
    # is of a worker that grew or was idle: joblib starts another one, and nothing is lost. It stays
    # ignored, as the thread may outlive this call.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
    parallel = Parallel(n_jobs, return_as="generator_unordered" if as_they_come else "list")
    with _mended(backend), _shared_cores(backend, n_jobs):
        results = parallel(delayed(_numbered)(number, work, task) for number, task in tasks)
        if not as_they_come:
            yield from results
            return
        try:
            for result in results:  # noqa: UP028  `yield from` would close it with joblib's warning about cancelled work
                yield result
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()


@contextmanager
def inner_threads(cells: int) -> Iterator[None]:
    """Limit the threads of BLAS and OpenMP during one fit: to one for a small table, else to the cores there are.

    These libraries start a thread for every core they see, of a machine of which this process may use a few, and the
    threads of tiny products spin while they wait: beside other work 200 cases of five columns took 30 times as long.
    BLAS has one limit for the whole process, which only the main thread may set; OpenMP has one for each thread, and
    gets one core in each of a pool.
    """
    if threading.current_thread() is not threading.main_thread():
        with _at_most(1, ("openmp",)):
            yield
        return
    from joblib import cpu_count

    with _at_most(1 if cells <= SMALL else cpu_count()):
        yield


@contextmanager
def _at_most(threads: int, kinds: tuple[str, ...] = ("blas", "openmp")) -> Iterator[None]:
    """Limit pools of compiled code; one that somebody limited further stays so."""
    pools = _pools(len(sys.modules)).select(user_api=[*kinds])
    with pools.limit(limits={pool.prefix: min(pool.num_threads, threads) for pool in pools.lib_controllers}):
        yield


@lru_cache(maxsize=1)
def _pools(modules: int) -> Any:
    """The pools of threads that are loaded; looked up again where a module was imported since, which takes 20 ms."""
    from threadpoolctl import ThreadpoolController

    del modules
    return ThreadpoolController()


@contextmanager
def _shared_cores(backend: Any, n_jobs: int | None) -> Iterator[None]:
    """Yield the cores shared among the threads of a pool; joblib does so for processes by itself."""
    if not getattr(backend, "uses_threads", False):
        yield
        return
    from joblib import cpu_count, effective_n_jobs

    with _at_most(max(1, cpu_count() // effective_n_jobs(n_jobs))):
        yield


def _numbered(number: int, work: Callable[[Task], Result], task: Task) -> tuple[int, Result]:
    return number, work(task)


def _is_dask(backend: Any) -> bool:
    return type(backend).__name__ == "DaskDistributedBackend"


@contextmanager
def _mended(backend: Any) -> Iterator[None]:
    """Make joblib's Dask backend tell of tasks that killed their workers, for which it waits forever.

    It would also work in this process while one worker is left, which a deadly task must not.
    """
    if not _is_dask(backend):
        yield
        return
    from distributed import KilledWorker

    submit, count = backend.submit, backend.effective_n_jobs

    def telling(work: Any, callback: Any) -> Any:
        future = submit(work, callback)
        future.add_done_callback(lambda done: done.exception() and callback(done.exception()))
        return future

    backend.submit, backend.effective_n_jobs = telling, lambda n_jobs: max(2, count(n_jobs))
    try:
        yield
    except KilledWorker as error:
        raise InputError(GIVEN_UP) from error
    finally:
        backend.submit, backend.effective_n_jobs = submit, count


APPLICATION = 0x61737361
"""Marks the file as a store; SQLite keeps it in the header, and `file` shows it."""
SCHEMA = 1
"""Version of the tables. A newer store is refused, not guessed at."""
PATIENCE = 30.0
"""Seconds to wait for other processes that are writing."""

_TABLES = (
    "CREATE TABLE runs (id TEXT PRIMARY KEY, about TEXT NOT NULL, started TEXT NOT NULL)",
    "CREATE TABLE members (run TEXT NOT NULL, place INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (run, place)) "
    "WITHOUT ROWID",
    # the value last: what stands behind it could only be read through it
    "CREATE TABLE results (key TEXT PRIMARY KEY, stored TEXT NOT NULL, digest BLOB NOT NULL, value BLOB NOT NULL)",
)
_RUNS = """
    SELECT runs.id, about, started, max(stored), count(results.key), count(*)
    FROM runs JOIN members ON run = runs.id LEFT JOIN results ON results.key = members.key
    {} GROUP BY runs.id ORDER BY started, runs.id
"""
_BEGINNING = "WHERE runs.id BETWEEN ? AND ?"
_LAST = "\U0010ffff"
"""Behind all letters: what begins with a text stands between the text and the text with this."""


class StoreWarning(UserWarning):
    """A result in the store is damaged, or results can no longer be kept."""


@dataclass(frozen=True)
class StoredRun:
    """What was run and how far it came.

    `about` is what the evaluation said of it (estimators, protocol, shape and hash of the data, seed, version);
    `started` and `last` are times in ISO 8601, UTC; `last` is that of the last result, None before the first.
    """

    id: str
    about: dict[str, Any]
    started: str
    last: str | None
    done: int
    planned: int

    @property
    def is_finished(self) -> bool:
        """Whether every fold of every estimator has a result."""
        return self.done == self.planned


class Store:
    """Results of folds under their keys, and the runs they belong to, in a file that outlives the process.

    Each result is on its way to the disk when `put` returns: a killed process loses the unfinished fold alone,
    a power cut perhaps the last results too, and never the file (SQLite's write-ahead log, synchronous=NORMAL).
    A damaged result is reported and counts as missing, so that it is computed again. Values are bytes, nothing
    is unpickled. Usable from several threads and, each with its own `Store`, from several processes.

    Raises FileError: the file is no store, is of a newer version, cannot be written, or stays locked.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder + "/runs.db") as store:
    ...     store.begin("a1", {"protocol": "2fold"}, ["k1", "k2"])
    ...     store.put("k1", b"the first fold")
    ...     store.get("k1"), store.get("k2"), store.runs()[0].done
    (b'the first fold', None, 1)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser()
        if not self.path.parent.is_dir():
            raise FileError(f"Cannot make the store {self.path}: folder {self.path.parent} does not exist.")
        self._begin(self._connect(self.path, _prepare))

    def _begin(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._process = os.getpid()

    @classmethod
    def existing(cls, path: str | os.PathLike[str]) -> Store:
        """A store that is there already, for reading alone: the file is left as it is. FileError where it is none."""
        file = Path(path).expanduser()
        if not file.exists():
            near = nearest(file.name, [near.name for near in file.parent.glob("*")]) if file.name else ""
            raise FileError(
                f"Store not found: {path}. Make one with {hint('store=', '--store')} of an evaluation{near or '.'}"
            )
        if file.is_file() and not file.stat().st_size:
            raise FileError(
                f"{path} is empty (0 bytes). Make a store with {hint('store=', '--store')} of an evaluation."
            )
        store = cls.__new__(cls)
        store.path = file
        store._begin(store._connect_to_read())
        return store

    def _connect_to_read(self) -> sqlite3.Connection:
        """Return a connection that changes nothing, whether or not anything may be written beside the file."""
        name = f"file:{quote(os.path.abspath(self.path))}?mode=ro"
        try:
            return self._connect(name, _check)
        except FileError:
            # Where the folder is read-only, SQLite cannot share the file with those who write; nobody can, either,
            # unless something is left of one that wrote.
            log = Path(f"{self.path}-wal")
            if os.access(self.path.parent, os.W_OK) or (log.exists() and log.stat().st_size):
                raise
            return self._connect(f"{name}&immutable=1", _check)

    def get(self, key: str) -> bytes | None:
        """Return the result of this key, None when there is none yet or it is damaged, which a StoreWarning says."""
        with self._explained("read"):
            row = self._open().execute("SELECT value, digest FROM results WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        value, digest = row
        if not isinstance(value, bytes) or digest != _digest(key, value):
            warnings.warn(
                f"A stored result of {self.path} is damaged (key {key[:12]}). It will be computed again.",
                StoreWarning,
                stacklevel=2,
            )
            return None
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep the result of this key, in place of any older one.

        Raises FileError: the disk is full, or the file cannot be written; what was kept before stays.
        """
        row = (key, _now(), _digest(key, value), value)
        with self._explained("write"):
            self._open().execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)", row)

    def begin(self, run: str, about: Mapping[str, object], keys: Sequence[str]) -> None:
        """Note a run: what it is, as plain JSON, and the keys it consists of. Noting it again changes nothing."""
        with self._explained("write"), _transaction(self._open()) as connection:
            connection.execute(
                "INSERT OR IGNORE INTO runs VALUES (?, ?, ?)", (run, json.dumps(about), _now())
            )
            connection.executemany(
                "INSERT OR IGNORE INTO members VALUES (?, ?, ?)",
                [(run, place, key) for place, key in enumerate(keys)],
            )

    def runs(self) -> tuple[StoredRun, ...]:
        """Return all runs, the oldest first."""
        return self._runs(_RUNS.format(""))

    def _runs(self, query: str, *bounds: str) -> tuple[StoredRun, ...]:
        try:
            with self._explained("read"):
                return tuple(_run(*row) for row in self._open().execute(query, bounds))
        except Damaged as error:
            raise FileError(_damaged(self.path, error)) from error

    def run(self, id: str) -> StoredRun:
        """Return the run whose id this is or begins with. Raises FileError where there is none, or more than one."""
        can_be = id and id == id.encode(errors="replace").decode()  # what is no UTF-8 is no id
        begun = self._runs(_RUNS.format(_BEGINNING), id, id + _LAST) if can_be else ()
        runs = [run for run in begun if run.id == id] or begun
        if len(runs) == 1:
            return runs[0]
        ids = ", ".join(run.id[:8] for run in (runs or self.runs())[-10:]) or "none"
        fault = f"{len(runs)} runs begin with {id!r}. Use more letters" if runs else f"Unknown run {id!r}"
        raise FileError(f"{fault}. Runs in {self.path}: {ids}.")

    def results(self, run: str) -> Iterator[tuple[str, bytes | None]]:
        """Yield the keys of a run in the order they were noted, each with its result, None where it has none."""
        with self._explained("read"):
            query = "SELECT key FROM members WHERE run = ? ORDER BY place"
            keys = [key for (key,) in self._open().execute(query, (run,))]
        if not all(isinstance(key, str) for key in keys):
            raise FileError(_damaged(self.path, "a key is no text"))
        for key in keys:
            yield key, self.get(key)

    def close(self) -> None:
        """Close the file. A store that is merely dropped is closed as well."""
        if self._process == os.getpid():
            self._connection.close()

    def __del__(self) -> None:
        if hasattr(self, "_connection"):  # Python 3.13 complains of a file that is dropped open
            self.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> sqlite3.Connection:
        """Return the connection. SQLite forbids to use one that came through a fork."""
        if self._process != os.getpid():
            raise FileError(
                f"The store {self.path} was opened by the parent process. Open it again in this process."
            )
        return self._connection

    def _connect(
        self, name: str | Path, prepare: Callable[[sqlite3.Connection, Path], object]
    ) -> sqlite3.Connection:
        self._lock = threading.Lock()
        with self._explained("open"):
            connection = sqlite3.connect(
                name,
                timeout=PATIENCE,
                isolation_level=None,
                check_same_thread=False,
                uri=isinstance(name, str),
            )
            try:
                prepare(connection, self.path)
            except BaseException:
                connection.close()
                raise
        return connection

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        """Say in one line what SQLite could not do, with the file and what to do."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise FileError(_reason(self.path, doing, error)) from error
        except UnicodeDecodeError as error:  # SQLite quotes what is in a damaged file
            raise FileError(_damaged(self.path, "a text is not UTF-8")) from error


def _damaged(path: Path, how: object) -> str:
    return f"{path} is damaged ({how}). Keep a copy, and use a new file for the store."


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is a store, and change nothing."""
    if not _version(connection, path):
        raise FileError(
            f"{path} is not a store of runs. Make one with {hint('store=', '--store')} of an evaluation."
        )


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Keep all that is written within, or nothing where something fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is a store, or make it one."""
    version = _version(connection, path)
    if version == 0:
        connection.execute(
            "PRAGMA page_size = 16384"
        )  # results are large; the size counts for new files only
    _patiently(connection, "PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    if version:
        return
    with _transaction(connection):
        if not _version(connection, path):  # another process may have been quicker
            for table in _TABLES:
                connection.execute(table)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of the store, 0 for a new file."""
    # in one statement: between two, another process may make the store
    application, version, tables = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), "
        "(SELECT count(*) FROM sqlite_master)"
    ).fetchone()
    if application != APPLICATION and (tables or application or version):
        raise FileError(f"{path} is an SQLite file, but not a store of runs. Use another file.")
    if version > SCHEMA:
        raise FileError(
            f"{path} is a store of version {version} from a newer classay, but this classay reads version "
            f"{SCHEMA}. Update classay, or use another file."
        )
    return int(version)


def _patiently(connection: sqlite3.Connection, statement: str) -> None:
    """Execute what SQLite refuses at once, instead of waiting, while another process has the file open."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute(statement).fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _reason(path: Path, doing: str, error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_NOTADB":
        return f"{path} is not a store of runs (not an SQLite file). Use another file. Nothing was changed."
    if name.startswith("SQLITE_CORRUPT") or "decode" in str(error):
        return _damaged(path, error)
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")) and doing == "write":
        return (
            f"{path} cannot be written ({error}): the disk is full, or a limit is reached. Free some space, "
            "and run the same call to continue."
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return (
            f"{path} has been locked by another process for more than {PATIENCE:g} s. Try again, or use "
            "another file."
        )
    return f"Cannot {doing} the store {path} ({error}). Check the permissions of the file and its folder."


def _run(id: Any, about: Any, started: Any, last: Any, done: int, planned: int) -> StoredRun:
    """Return a run as it is stored, if it can be one."""
    require_file(all(isinstance(text, str) for text in (id, about, started)), "a run is no text")
    require_file(last is None or isinstance(last, str), "the time of a result is no text")
    try:
        plain = json.loads(about)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"what run {shown(id)} is of is no JSON") from error
    require_file(isinstance(plain, dict), f"what run {shown(id)} is of is no object")
    data, names = plain.get("data", {}), plain.get("estimators", [])
    require_file(
        isinstance(data, dict)
        and all(
            isinstance(data_set, dict) and type(data_set.get("rows")) is int for data_set in data.values()
        )
        and isinstance(names, list)
        and all(isinstance(name, str) for name in names),
        f"what run {shown(id)} is of is damaged",
    )
    return StoredRun(id, plain, started, last, done, planned)


def _digest(key: str, value: bytes) -> bytes:
    """Of key and value together, so that a result under the wrong key is damaged too."""
    return blake2b(key.encode() + b"\0" + value, digest_size=16).digest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
