"""How parts are added: limits of memory, bins, first rows, workers that die, second passes, and what is refused."""

import io
from collections import deque
from concurrent.futures import BrokenExecutor, Future
from dataclasses import replace
from math import inf
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import classay as ca
from classay.compiled import core_count
from classay.errors import ClassayError, InputError, WorkerError
from classay.in_parts import fragments, scanning, source_parts
from classay.in_parts.fragments import FilePart, SharedColumns, TablePart
from classay.in_parts.scan_arguments import ScanArguments
from classay.in_parts.scanning import (
    BYTES_A_CLUSTER,
    FirstRows,
    Merged,
    bytes_of,
    distinct_among,
    file_of,
    name_of,
    pays,
    refuse_read_once,
    scan_files,
    with_rows,
)
from classay.in_parts.source_parts import (
    AHEAD,
    TRIES,
    CountedPart,
    OnDask,
    Runner,
    are_among,
    in_order,
    is_same,
)
from classay.in_parts.text_parts import KnownLabels
from classay.inference.proportions import normal_quantile
from classay.tables.bins import BITS, FINEST

HOW = {"truth": "y", "score": "p"}
RNG = np.random.default_rng(0)
N = 60
TABLE = pa.table(
    {
        "y": RNG.integers(0, 2, N),
        "p": np.arange(N)[RNG.permutation(N)] / N,
        "w": RNG.uniform(1, 2, N),
        "n": RNG.integers(1, 4, N),
        "c": RNG.integers(0, 9, N),
        "q": RNG.integers(0, 2, N),
    }
)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(fragments, "ROWS", 7)


def scan(source=TABLE, **how):
    return ca.scan(source, **{**HOW, **how})


def is_binned(a):
    return hasattr(a.scores, "bins")


# random rows in parts are those at once


def rows(seed):
    """Rows of two to four classes as numbers or texts, which may come late; some lack what they should have."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 60)), int(rng.integers(2, 5))
    classes = [[*range(k)], ["no", "yes", "perhaps", "other"][:k]][seed % 2]
    truth, said = (rng.choice(k, n, p=[0.7, *[0.3 / (k - 1)] * (k - 1)]) for _ in range(2))
    gone = rng.random((3, n)) < (0.1 if seed % 3 else 0.0)
    table = {
        "y": [None if off else classes[v] for v, off in zip(truth, gone[0], strict=True)],
        "q": [None if off else classes[v] for v, off in zip(said, gone[1], strict=True)],
        "p": [
            None if off else v for v, off in zip(np.round(rng.random(n), 1).tolist(), gone[2], strict=True)
        ],
        "w": rng.integers(0, 3, n).astype(float),
        "n": rng.integers(1, 4, n),
        "c": rng.integers(0, 5, n),
    }
    return pa.table(table), classes


@pytest.mark.parametrize("roles", [("q",), ("p",), ("q", "w"), ("p", "n"), ("q", "c"), ("p", "q")])
@pytest.mark.parametrize("unanswered", ["wrong", "drop", "refuse"])
def test_random_rows_in_parts_are_those_at_once(roles, unanswered):
    names = {"q": "prediction", "p": "score", "w": "weight", "n": "frequency", "c": "cluster"}
    for seed in range(len(unanswered) % 2, 4, 2):
        table, classes = rows(seed)
        for labels in (None, [*classes, *[type(classes[0])(9)] * (seed > 1)])[seed > 1 :]:
            how = {names[role]: role for role in roles} | {
                "truth": "y",
                "missing": "drop",
                "unanswered": unanswered,
            }
            if len(classes) == 2:
                how["positive"] = classes[1]
            if labels is not None:
                how["labels"] = labels

            def result(function, table=table, how=how):
                try:
                    return function(table, **how).to_dict()
                except ClassayError as error:
                    return type(error)

            assert result(ca.scan) == result(ca.assess), (seed, labels)


# memory


def test_bytes_are_those_of_all_arrays():
    assert bytes_of(np.zeros((2, 3), np.int16)) == 12
    assert bytes_of([np.zeros(2), (np.zeros(1), None, "text")]) == 24
    assert bytes_of(None) == bytes_of("text") == bytes_of(3) == 0
    sparse = SimpleNamespace(
        tocsr=1, data=np.zeros(1), indices=np.zeros(2, np.int32), indptr=np.zeros(3, np.int32)
    )
    assert bytes_of(sparse) == 8 + 8 + 12
    of_clusters = scan(cluster="c")
    inner = sum(
        bytes_of(getattr(of_clusters.coded, name)) for name in vars(of_clusters.coded) if name != "clusters"
    )
    assert bytes_of(of_clusters.coded) == inner + BYTES_A_CLUSTER * len(of_clusters.coded.clusters)


@pytest.mark.parametrize("extra", [0, -1])
def test_scores_are_exact_up_to_the_memory(extra):
    """N distinct scores of two classes fit into 100 bytes each, and not into one byte less."""
    whole = Merged(100 * N + extra, None)
    part = ca.assess(TABLE["y"], TABLE["p"])
    whole.add(part)
    assert is_binned(whole.all()) is (extra < 0)
    assert is_binned(scan(memory=100 * N + extra)) is (extra < 0)
    assert not is_binned(scan(memory=inf))
    assert is_binned(scan(memory=0))
    assert scan(memory=0).scores.bins.bits == BITS == scan(memory=0).scores.bins.coarser(BITS).bits


def test_kept_rows_are_refused_beyond_the_memory(monkeypatch):
    monkeypatch.setattr(scanning, "LEAST", 0)
    a = scan(cluster="c")
    least = 3 * bytes_of((a.coded, a.blocks, a.scores))
    for memory, is_refused in ((least - 1, True), (10 * least, False)):
        if is_refused:
            with pytest.raises(
                InputError, match="MB, and rows with clusters, ids or amounts are not counted in bins"
            ):
                scan(cluster="c", memory=memory / 3)
        else:
            assert scan(cluster="c", memory=memory).to_dict() == a.to_dict()


def test_pairs_of_classes_are_refused_beyond_the_memory(monkeypatch):
    monkeypatch.setattr(scanning, "LEAST", 0)
    a = scan(score=None, prediction="q")
    n_bytes = 3 * bytes_of(a.confusion_matrix)
    for least, is_refused in ((n_bytes - 1, True), (10 * n_bytes, False)):
        monkeypatch.setattr(scanning, "LEAST_PAIRS", least)
        if is_refused:
            with pytest.raises(InputError, match=r"The confusion matrix of 2 classes needs more than 0 MB"):
                scan(score=None, prediction="q", memory=0)
        else:
            assert scan(score=None, prediction="q", memory=0).to_dict() == a.to_dict()


def test_parts_are_added_in_any_order_and_of_any_size():
    parts = [
        ca.assess(TABLE["y"].slice(k, 5), TABLE["p"].slice(k, 5), positive=1, labels=[0, 1])
        for k in range(0, N, 5)
    ]
    whole = ca.assess(TABLE["y"], TABLE["p"])
    for order in (parts, parts[::-1], parts[5:] + parts[:5]):
        merged = Merged(inf, None)
        assert merged.is_empty
        for part in order:
            merged.add(part)
        assert not merged.is_empty
        sizes = [size for size, _ in merged._parts]
        assert sizes == [8, 4]  # of 12 parts, each row is added few times
        found = merged.all()
        assert found.scores.scores.tolist() == whole.scores.scores.tolist()
        assert found.confusion_matrix.counts.tolist() == whole.confusion_matrix.counts.tolist()
        assert found.n == N
        assert merged.all().n == N


@pytest.mark.parametrize("n", [1, 7, 40])
def test_distinct_scores_are_estimated_as_by_chao(n):
    """Chao 1984, in the form without bias; new ones come at the rate of those that came once."""
    scores = np.random.default_rng(n).integers(0, 30, n) / 30
    values, times = np.unique(scores, return_counts=True)
    once, twice = (times == 1).sum(), (times == 2).sum()
    unseen = once * (once - 1) / (2 * (twice + 1))
    for more in (0, 5, 1000):
        wanted = values.size
        if unseen:
            wanted += unseen * (1 - np.exp(-more * once / (n * unseen)))
        assert distinct_among(scores, n + more) == pytest.approx(wanted)
    assert distinct_among(scores, 0) == values.size
    assert distinct_among(np.append(scores, np.nan), n) == values.size


def test_rows_ahead_are_those_that_files_tell():
    files = [FilePart(f"{k}", rows=10) for k in range(5)]
    assert with_rows(iter(files), 100)[1] == 50
    parts, number = with_rows(iter(files), 20)
    assert number == 30  # the first number beyond
    assert [*parts] == files
    assert with_rows(iter(files), 19)[1] == 20
    assert with_rows(iter([files[0], FilePart("x"), files[1]]), 100)[1] == 10
    assert with_rows(iter([files[0], TablePart("x", TABLE), files[1]]), 100)[1] == 10
    shared = SharedColumns(files[0], {"day": "1"})
    assert with_rows(iter([shared, FirstRows(files[1], 3), files[2]]), 100)[1] == 23


# first rows


@pytest.mark.parametrize("limit", [1, 6, 7, 8, 59, 60, 61])
def test_a_limit_counts_the_first_rows(limit):
    a = scan(limit=limit, prediction=None, labels=[0, 1])
    few = TABLE.slice(0, limit)
    assert (a.rows, a.limit) == (min(limit, N), limit)
    wanted = ca.assess(few["y"], few["p"], labels=[0, 1])
    assert a.scores.scores.tolist() == wanted.scores.scores.tolist()
    assert a.confusion_matrix.counts.tolist() == wanted.confusion_matrix.counts.tolist()


def test_first_rows_of_a_part():
    part = TablePart(
        "rows 0 on", pa.table({"y": pa.array(["a", "b", "c"]).dictionary_encode(), "p": [1, 2, 3]})
    )
    first = FirstRows(part, 2)
    assert first.key == "the first 2 rows of rows 0 on"
    table = first.read(["y", "p"], ["y"])
    assert table.to_pydict() == {"y": ["a", "b"], "p": [1, 2]}
    assert table["y"].chunk(0).dictionary.to_pylist() == ["a", "b"]
    assert first.apart() == (None, first)
    assert first.spelling("y") is None


def test_progress_is_told_after_each_part():
    calls = []
    scan(progress=lambda *told: calls.append(told))
    assert calls == [(min(k, N), None) for k in range(7, N + 7, 7)]


# second passes


def test_a_second_pass_pays_where_bins_leave_enough_open():
    def of(value, low, high, certain, level=0.95):
        estimate = SimpleNamespace(
            value=value, low=low, high=high, certain=certain, has_interval=low is not None
        )
        return SimpleNamespace(level=level, __getitem__=None, auc=estimate)

    class A(SimpleNamespace):
        def __getitem__(self, name):
            assert name == "roc_auc"
            return self.auc

    def answer(*of_auc, level=0.95):
        return pays(A(**vars(of(*of_auc, level=level))))

    assert not answer(0.8, 0.7, 0.9, None)
    assert answer(0.8, None, None, (0.7, 0.9))
    assert not answer(0.8, None, None, (0.8, 0.8))
    for level in (0.8, 0.95):
        z = normal_quantile(level)
        for error in (0.01, 0.05):
            for opened in (0.0, 0.019 * error, 0.021 * error, 0.1):
                low = 0.8 - z * error - opened / 2
                high = 0.8 + z * error + opened / 2
                certain = (0.8 - opened / 2, 0.8 + opened / 2)
                assert answer(0.8, low, high, certain, level=level) is (opened > 0.02 * error)


def large(n=3000):
    rng = np.random.default_rng(1)
    y = rng.random(n) < 0.4
    p = rng.beta(1 + 2 * y, 2)
    return {"y": y.astype(int), "p": p, "w": rng.uniform(1, 2, n), "n": rng.integers(1, 4, n)}


def test_a_second_pass_keeps_what_the_first_one_left_out(monkeypatch):
    monkeypatch.setattr(fragments, "ROWS", 1000)
    frame = large()
    gone = frame | {"y": [None if k % 7 == 0 else int(v) for k, v in enumerate(frame["y"])]}
    gone |= {"p": [None if k % 5 == 0 else float(v) for k, v in enumerate(frame["p"])]}
    for unanswered in ("drop", "wrong"):
        once = ca.scan(gone, **HOW, bits=3, missing="drop", unanswered=unanswered, threshold=0.3, level=0.9)
        twice = ca.refine(once, gone, **HOW)
        assert twice is not once
        for name in ("rows", "dropped", "unanswered", "level", "cutoff", "limit"):
            assert getattr(twice, name) == getattr(once, name)
        width = [high - low for low, high in (x["roc_auc"].certain for x in (once, twice))]
        assert width[1] < width[0] / 100
        assert ca.refine(twice, gone, **HOW) is twice
    exact = ca.scan(frame, **HOW)
    assert ca.refine(exact, frame, **HOW) is exact
    once = ca.scan(frame, **HOW, bits=3, limit=1500)
    assert ca.refine(once, frame, **HOW).rows == 1500
    for changed in (
        {name: column[:-1] for name, column in frame.items()},
        frame | {"y": 1 - frame["y"]},
        frame | {"p": np.round(frame["p"], 2)},
    ):
        with pytest.raises(
            InputError, match=r"The rows of a dict changed after the first pass\. Use the same source"
        ):
            ca.refine(ca.scan(frame, **HOW, bits=3), changed, **HOW)
    for weights in ({"weight": "w"}, {"frequency": "n"}):
        once = ca.scan(frame, **HOW, bits=3, **weights)
        assert ca.refine(once, frame, **HOW, **weights) is not once
        with pytest.raises(InputError, match="changed after the first pass"):
            ca.refine(once, frame, **HOW)


def test_what_is_read_once_has_no_second_pass():
    batches = TABLE.to_reader()
    for source, name in (("-", "standard input"), (batches, "a RecordBatchReader")):
        with pytest.raises(
            InputError, match=f"{name} can be read only once, so a second pass is not possible."
        ):
            refuse_read_once(source)
    refuse_read_once("a.csv")
    assert [name_of(source) for source in ("-", "a.csv", [1], {})] == [
        "standard input",
        "a.csv",
        "a list",
        "a dict",
    ]


# refusals


SCANS_REFUSED = {
    "no bits": ({"bits": 0}, f"bits must be a whole number from 1 to {FINEST}, but is 0."),
    "many bits": (
        {"bits": FINEST + 1},
        f"bits must be a whole number from 1 to {FINEST}, but is {FINEST + 1}.",
    ),
    "no rows": ({"limit": 0}, "limit must be a number of rows of at least 1, but is 0."),
    "bits of clusters": (
        {"bits": 5, "cluster": "c"},
        "bits=5 cannot be used because rows with clusters, ids or amounts",
    ),
    "bits of ids": (
        {"bits": 5, "id": "w"},
        "bits=5 cannot be used because rows with clusters, ids or amounts",
    ),
    "bits of amounts": (
        {"bits": 5, "amounts": "w"},
        "bits=5 cannot be used because rows with clusters, ids or amounts",
    ),
    "nothing": (
        {"score": None},
        "There are no scores and no predicted labels. Name a column with score= or prediction=.",
    ),
    "executor": (
        {"executor": 3},
        "executor must be an executor of concurrent.futures, a function that makes one, or",
    ),
    "unknown column": ({"score": "none"}, "none"),
    "no source": (
        {"source": pa.table({"y": [], "p": []})},
        "The source has no rows. Use files or a frame with",
    ),
    "no labels": (
        {"source": pa.table({"y": [None, None], "p": [0.5, 0.25]}), "missing": "drop"},
        "A label is missing in every row. Check the columns of labels.",
    ),
}


@pytest.mark.parametrize("case", SCANS_REFUSED)
def test_refused_scans(case):
    how, text = SCANS_REFUSED[case]
    source = how.pop("source", TABLE) if "source" in how else TABLE
    with pytest.raises(ClassayError) as error:
        scan(source, **how)
    assert text in str(error.value)


@pytest.mark.parametrize(
    "how", [{"bits": 1}, {"bits": FINEST}, {"limit": 1, "labels": [0, 1]}, {"executor": None}]
)
def test_the_nearest_scans_that_are_accepted(how):
    assert scan(**how).rows in (1, N)


def test_labels_that_come_late_begin_anew_or_are_declared():
    late = pa.table({"y": ["a"] * 20 + ["b"] * 20, "q": ["a"] * 20 + ["c"] * 20})
    how = {"truth": "y", "prediction": "q"}
    wanted = ca.assess(late, **how).to_dict()
    assert ca.scan(late, **how).to_dict() == wanted
    two = pa.table({"y": ["a", "b"] * 10 + ["c"] * 20, "q": ["a", "b"] * 20})
    assert ca.scan(two, **how).to_dict() == ca.assess(two, **how).to_dict()
    two = pa.table({"y": ["a"] * 20 + ["c"] * 20, "q": ["b"] * 7 + ["a", "b"] * 10 + ["a"] * 13})
    assert ca.scan(two, **how).to_dict() == ca.assess(two, **how).to_dict()
    source = pa.RecordBatchReader.from_batches(two.schema, two.to_batches(max_chunksize=7))
    with pytest.raises(InputError) as error:
        ca.scan(source, truth="y", prediction="q", positive="a")
    assert str(error.value) == (
        "The first rows do not contain all labels ('a', 'b', 'c'), and a RecordBatchReader can be read only once. List "
        "all labels with labels=."
    )
    source = pa.RecordBatchReader.from_batches(two.schema, two.to_batches(max_chunksize=7))
    assert ca.scan(source, **how, labels=["a", "b", "c"]).n == 40


def test_columns_of_names_are_of_one_type():
    some = [
        pa.table({"y": [0, 1] * 5, "p": [0.2, 0.7] * 5, "c": values}) for values in ([1] * 10, ["a"] * 10)
    ]
    frames = [table.to_batches()[0] for table in some]

    class Source:
        __arrow_c_stream__ = None

    read = {0: frames[0], 1: frames[1]}
    parts = [TablePart(f"part {k}", pa.Table.from_batches([batch])) for k, batch in read.items()]
    plan, memory, _, _ = scanning._planned(ScanArguments(TABLE, "y", "p", cluster="c"))
    counting = scanning.Counting(plan, memory, None)
    with pytest.raises(scanning.RecountNeeded) as error:
        counting.all_of(iter(parts), None)
    assert error.value.why == "Column 'c' contains text, but earlier rows contain numbers"
    assert error.value.remedy == "Use one type in the whole column"
    plan = replace(plan, written=frozenset({"c"}))
    with pytest.raises(
        ca.FileError, match=r"part 1: Column 'c' contains text, but earlier rows contain numbers\. Use one"
    ):
        scanning.Counting(plan, memory, None).all_of(iter(parts), None)


def test_scores_are_of_one_precision():
    parts = [
        TablePart(f"part {k}", pa.table({"y": [0, 1], "p": pa.array([0.25, 0.75], kind)}))
        for k, kind in enumerate((pa.float64(), pa.float32()))
    ]
    plan, memory, _, _ = scanning._planned(ScanArguments(TABLE, "y", "p"))
    with pytest.raises(
        InputError, match=r"part 1: Scores have type float32, but earlier scores have type float64\. Use one"
    ):
        scanning.Counting(plan, memory, None).all_of(iter(parts), None)


def test_files_are_assessed_separately(tmp_path):
    wanted = {}
    for k in range(3):
        part = TABLE.slice(20 * k, 20)
        csv.write_csv(part, tmp_path / f"{k}.csv")
        wanted[str(k)] = ca.assess(part["y"], part["p"])
    for memory in (inf, 0):
        a, files = scan_files(ScanArguments(str(tmp_path), "y", "p", memory=memory))
        assert a.rows == N
        assert [*files] == [*wanted]
        for name, one in files.items():
            assert is_binned(one) is (memory == 0)
            assert one.confusion_matrix.counts.tolist() == wanted[name].confusion_matrix.counts.tolist()
            assert one["recall"].value == pytest.approx(wanted[name]["recall"].value, nan_ok=True)
    with pytest.raises(
        InputError, match=r"rows 0 on is not in a file\. Use a folder or a pattern of files with --per file\."
    ):
        scan_files(ScanArguments(TABLE, "y", "p"))
    assert file_of(FirstRows(SharedColumns(FilePart("a.csv"), {}), 3)) == "a.csv"


# workers


def counted(part):
    return CountedPart(part, KnownLabels())


class Pool:
    """An executor that dies on some parts, some times."""

    def __init__(self, deaths, error=BrokenExecutor):
        self.deaths, self.error, self.done, self.is_broken = deaths, error, [], False

    def submit(self, work, part):
        future = Future()
        if self.is_broken:
            raise BrokenExecutor("broken")
        number = getattr(part, "number", part)
        if self.deaths.get(number, 0):
            self.deaths[number] -= 1
            self.is_broken = self.error is BrokenExecutor
            future.set_exception(self.error("died"))
        else:
            self.done.append(part)
            future.set_result(work(part))
        return future

    def shutdown(self, cancel_futures):
        assert cancel_futures


def test_parts_come_in_order_and_once():
    parts = [*range(10)]
    for executor in (None, Pool({}), lambda: Pool({})):
        found = [*in_order(iter(parts), lambda: counted, executor)]
        assert [(part, one.rows) for part, one in found] == [(part, part) for part in parts]


@pytest.mark.parametrize("deaths", [{3: 1}, {0: 1, 5: 2}, {9: TRIES - 1}, {3: TRIES}, {0: 1, 2: TRIES + 5}])
def test_a_part_that_ends_its_worker_is_counted_again_alone(deaths):
    """A part is given up at its third death, whichever others died before."""
    pools, left = [], dict(deaths)

    def make():
        pools.append(Pool(left))
        return pools[-1]

    parts = [SimpleNamespace(key=f"part {k}", number=k) for k in range(10)]

    def all_of():
        return [*in_order(iter(parts), lambda: lambda part: CountedPart(part.number, KnownLabels()), make)]

    given_up = [number for number, times in deaths.items() if times >= TRIES]
    if given_up:
        text = f"A worker died {TRIES} times while counting only part {given_up[0]}, so not all rows are counted."
        with pytest.raises(WorkerError, match=text):
            all_of()
        return
    assert [(part, one.rows) for part, one in all_of()] == [(part, part.number) for part in parts]
    assert len(pools) > 1


def test_an_executor_that_broke_is_named():
    part = SimpleNamespace(key="part 0")

    class Broken:
        def __init__(self, error):
            self.error = error

        def submit(self, _, __):
            future = Future()
            future.set_exception(self.error)
            return future

    killed = type("KilledWorker", (Exception,), {})
    for error, text in (
        (
            BrokenExecutor("died"),
            r"A worker died while counting part 0 or a parallel part \(BrokenExecutor\), so not all",
        ),
        (
            killed("died"),
            r"Workers died repeatedly while counting part 0 \(KilledWorker\), so not all rows are counted",
        ),
    ):
        with pytest.raises(WorkerError, match=text):
            [*in_order(iter([part]), lambda: counted, Broken(error))]
    with pytest.raises(ZeroDivisionError):
        [*in_order(iter([part]), lambda: counted, Broken(ZeroDivisionError()))]


def test_parts_under_way_are_as_many_as_workers_need(monkeypatch):
    def ahead(executor):
        return source_parts._runner(executor)._ahead

    assert ahead(None) == ahead(Pool({})) == ahead(lambda: Pool({})) == AHEAD * core_count()
    for cores, number in (({"a": 2, "b": 3}, 5), ({}, 1)):
        client = SimpleNamespace(get_executor=lambda pure: Pool({}), ncores=lambda cores=cores: cores)
        assert ahead(client) == AHEAD * number
    with pytest.raises(InputError, match="or a Dask client, but is an int"):
        source_parts._runner(3)

    class Slow(Pool):
        running = 0

        def submit(self, work, part):
            Slow.running = part
            return super().submit(work, part)

    taken = []
    for part, _ in Runner(Slow({}), 3, None).of(iter(range(10)), lambda: counted):
        taken.append(Slow.running - part)
    assert taken == [2] * 8 + [1, 0]


def test_parts_left_are_cancelled():
    futures = deque()

    class Waiting:
        def submit(self, _, part):
            future = Future()
            if not futures:
                future.set_result(counted(part))
            futures.append(future)
            return future

    parts = Runner(Waiting(), 3, None).of(iter(range(10)), lambda: counted)
    next(parts)
    parts.close()
    assert [future.cancelled() for future in futures] == [False, True, True]


def test_partitions_are_computed_on_the_cluster():
    pool = SimpleNamespace(submit=lambda work, *args: (work, args))
    client = SimpleNamespace(
        get_executor=lambda pure: pool if pure is False else None, compute=lambda one: f"computed {one}"
    )

    class Part:
        def __init__(self, delayed):
            self.delayed = delayed

        def apart(self):
            return self.delayed, self

        def holding(self, frame):
            return f"holding {frame}"

    on = OnDask(client)
    work = str.upper
    part = Part("d")
    assert on.submit(work, part) == (source_parts._counted, (work, part, "computed d"))
    assert on.submit(work, plain := Part(None)) == (work, (plain,))
    assert on.submit(work, 3) == (work, (3,))
    assert source_parts._counted(work, part, "f") == "HOLDING F"


def test_labels_have_types():
    assert is_same((1, "a"), (1, "a"))
    for others in ((1.0, "a"), ("a", 1), (1,), (1, "a", 2), (True, "a")):
        assert not is_same((1, "a"), others)
    assert are_among((1,), (1, 2))
    assert are_among((1, 2), (2, 1))
    assert are_among((), (1,))
    for some, labels in (((1.0,), (1, 2)), ((1, 3), (1, 2)), ((True,), (1,))):
        assert not are_among(some, labels)


def test_files_without_rows_say_so(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n")
    (tmp_path / "b.csv").write_text("y,p\n")
    with pytest.raises(ClassayError, match=r"a\.csv has no rows"):
        scan(str(tmp_path))
    (tmp_path / "b.csv").write_text("y,p\n1,0.5\n0,0.25\n")
    assert scan(str(tmp_path)).rows == 2
    (tmp_path / "b.csv").write_text("y,p\n,0.5\n")
    with pytest.raises(ClassayError):
        scan(str(tmp_path), missing="drop")


def test_files_are_put_into_bins_where_all_rows_are(tmp_path):
    """Also those that were exact when a later file outgrew the memory."""
    for k in range(3):
        csv.write_csv(TABLE.slice(20 * k, 20), tmp_path / f"{k}.csv")
    for rows, is_in_bins in ((N, False), (N - 1, True), (21, True)):
        a, files = scan_files(ScanArguments(str(tmp_path), "y", "p", memory=100 * rows))
        assert {is_binned(one) for one in (a, *files.values())} == {is_in_bins}
        assert [one.rows for one in files.values()] == [20] * 3


def test_standard_input_is_named(monkeypatch):
    monkeypatch.setattr(
        "sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(b"y,p\n1,0.5\n0,x\n")))
    )
    with pytest.raises(ca.ClassayError, match="standard input"):
        ca.scan("-", **HOW)


# parts in which nothing counts


def blocks(seed):
    """Rows of which whole parts of seven lack a truth, a score, a predicted or declared label, or weigh nothing."""
    rng = np.random.default_rng(seed)
    n = 84
    truth, scores = rng.integers(0, 2, n), np.round(rng.random(n), 2)
    said = (scores >= 0.5).astype(int)
    part = np.arange(n) // 7
    kinds = np.array(
        [
            "",
            *rng.permutation(["truth", "score", "said", "other", "weight", "truth and score", "", "", ""]),
            "",
            "",
        ]
    )
    kind = kinds[part]
    return pa.table(
        {
            "y": [None if "truth" in k else ["no", "yes"][v] for v, k in zip(truth, kind, strict=True)],
            "p": [None if "score" in k else v for v, k in zip(scores.tolist(), kind, strict=True)],
            "q": [
                None if k == "said" else "else" if k == "other" else ["no", "yes"][v]
                for v, k in zip(said, kind, strict=True)
            ],
            "w": [0.0 if k == "weight" else 1.5 for k in kind],
        }
    )


@pytest.mark.covering(2)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("unanswered", ["drop", "wrong"])
@pytest.mark.parametrize("roles", [{"score": "p"}, {"prediction": "q"}, {"score": "p", "prediction": "q"}])
@pytest.mark.parametrize("weight", [None, "w"])
def test_parts_in_which_nothing_counts_are_left_out_as_at_once(seed, unanswered, roles, weight):
    table = blocks(seed)
    how = roles | {
        "truth": "y",
        "positive": "yes",
        "labels": ["no", "yes"],
        "missing": "drop",
        "unanswered": unanswered,
    }
    if weight:
        how["weight"] = weight
    found, wanted = ca.scan(table, **how), ca.assess(table, **how)
    assert found.to_dict() == wanted.to_dict()
    for name in ("dropped", "unanswered", "undeclared", "unscored", "rows"):
        assert getattr(found, name) == getattr(wanted, name), name


def test_a_reader_is_settled_once_its_labels_are_two_with_a_positive_one():
    def reader(some, positive=None, **how):
        plan, *_ = scanning._planned(ScanArguments(TABLE, "y", prediction="q", positive=positive, **how))
        return replace(plan, known=KnownLabels(plain=source_parts.Labels.of(some)))

    for labels, positive, is_settled in (
        ((), None, False),
        ((0,), None, False),
        ((0, 1), None, True),
        ((0, 1), 0, True),
        (("a", "b"), None, False),
        (("a", "b"), "a", True),
        (("a", "b"), "c", False),
        (("a", "b", "c"), None, True),
    ):
        assert reader(labels, positive).is_settled is is_settled, (labels, positive)
    assert reader((), labels=["a", "b"], positive="a").is_settled
    three, four = reader(("a", "b", "c")), reader(("a", "b", "c", "d"))
    two = reader(("a", "b"), "a")
    assert four.extends(three)
    assert not three.extends(four)
    assert not three.extends(two)  # of two classes, one is positive
    assert not four.extends(replace(three, known=KnownLabels(plain=source_parts.Labels.of(("a", "b", 1)))))
    assert four.can_add(CountedPart(1, KnownLabels(), labels=("a", "b", "c", "d")))
    assert four.can_add(CountedPart(1, KnownLabels(), labels=("a", "b", "c")))
    assert not four.can_add(CountedPart(1, KnownLabels(), labels=("a", "b")))
    plan, *_ = scanning._planned(
        ScanArguments(
            TABLE,
            "y",
            "p",
            prediction="q",
            weight="w",
            frequency="n",
            cluster="c",
            id="i",
            amounts=["w", "z"],
        )
    )
    assert plan.columns == ["y", "p", "q", "w", "n", "c", "i", "z"]
    assert plan.of_labels == ["y", "q"]
    assert plan.as_written == ["y", "q", "c", "i"]
    assert plan.of_names == ["c", "i"]
    assert not plan.has_scores_for_bins
    plain, *_ = scanning._planned(ScanArguments(TABLE, "y", "p"))
    assert plain.has_scores_for_bins
    assert plain.scored is None
    named, *_ = scanning._planned(ScanArguments(TABLE, "y", {"a": "p", "b": "w"}))
    assert (named.scored, named.has_scores_for_bins) == ({"a": "p", "b": "w"}, False)
    assert [*named.labels] == ["a", "b"]
    assert not CountedPart(3, KnownLabels()).is_counted
    assert CountedPart(3, KnownLabels(), nothing=InputError("x")).is_counted
