"""What silently goes wrong in query engines, each reproduced there once: here it is counted right, or told."""

import tempfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import classay as ca
from classay.errors import FileError, InputError
from classay.in_parts import fragments
from classay.in_parts.databases import scan_database
from command import call, refusal

Y, P = np.array([0, 1] * 50), np.linspace(0, 1, 100)
NAMES = {"truth": "y", "score": "p"}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fragments, "ROWS", 30)


@pytest.fixture
def duck():
    duckdb = pytest.importorskip("duckdb", reason="SKIPPED LOUDLY: duckdb is not installed")
    with duckdb.connect() as made:
        yield made


def filled(duck, y, p):
    duck.execute("create table t (y integer, p double)")
    rows = [
        (None if a is None else int(a), None if b is None else float(b)) for a, b in zip(y, p, strict=True)
    ]
    duck.executemany("insert into t values (?, ?)", rows)
    return duck


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_that_statistics_of_parquet_leave_out(duck, value):
    """An engine that believes the least and greatest value lets NaN pass `score <= 1`."""
    parquet.write_table(pa.table({"y": Y, "p": np.where(np.arange(100) == 70, value, P)}), "p.parquet")
    with pytest.raises(InputError, match=r"in 1 row\. A database counts probabilities"):
        scan_database(duck, "select * from 'p.parquet'", **NAMES)
    for source in ("p.parquet", duck.sql("select * from 'p.parquet'")):
        if np.isnan(value):
            with pytest.raises(InputError, match=r"score has missing values \(NaN\) in 1 row"):
                ca.scan(source, **NAMES)
        else:
            a = ca.scan(source, **NAMES)
            assert (a.n, a.cutoff) == (100, None)  # a score, and no probability


def test_nan_has_no_bin():
    """FLOOR of NaN is 0 in Spark: without a guard such scores lie in the lowest bin."""
    for bits in (1, 10):
        with pytest.raises(InputError, match=r"score has missing values \(NaN\) in 1 row"):
            ca.scan({"y": Y, "p": np.where(np.arange(100) == 70, np.nan, P)}, **NAMES, bits=bits)


def test_a_truth_of_null_is_no_negative(duck):
    """sum(truth) passes over it: the row would count as a negative."""
    y = [None, *Y[1:].tolist()]
    parquet.write_table(pa.table({"y": pa.array(y, pa.int64()), "p": P}), "p.parquet")
    for count in (
        lambda: ca.scan("p.parquet", **NAMES),
        lambda: scan_database(filled(duck, y, P), "t", **NAMES),
    ):
        with pytest.raises(InputError, match="truth has missing values in 1 row"):
            count()


def test_minus_zero_is_zero(duck):
    """They are equal, and their bits are not: as keys of a group they come apart, or either is shown."""
    p = np.where(np.arange(100) % 2, 0.0, -0.0)
    p[::5] = 0.3
    wanted = ca.scan({"y": Y, "p": np.abs(p)}, **NAMES, bits=4).scores.bins
    for found in (
        ca.scan({"y": Y, "p": p}, **NAMES, bits=4),
        scan_database(filled(duck, Y, p), "t", **NAMES, bits=4),
    ):
        assert found.scores.bins.keys.size == 2
        for part in ("keys", "cases", "least", "most"):
            np.testing.assert_array_equal(getattr(found.scores.bins, part), getattr(wanted, part))


def test_sums_that_are_huge_integers_are_frequencies(duck):
    """sum(BIGINT) is a HUGEINT in DuckDB, and comes as a decimal."""
    relation = filled(duck, Y, P).sql("select y, p, sum(2::bigint) as n from t group by all order by p")
    a = ca.scan(relation, **NAMES, frequency="n")
    assert a.n == 200
    assert a["roc_auc"].value == ca.assess(Y, P)["roc_auc"].value


def test_cases_at_one_lose_no_area():
    """A curve over thresholds below 1 begins at the cases that score 1, and leaves out the area before them."""
    p = np.where(np.arange(100) < 40, 1.0, P)
    found, exact = ca.scan({"y": Y, "p": p}, **NAMES, bits=1), ca.assess(Y, p)
    low, high = found["roc_auc"].certain
    assert low <= exact["roc_auc"].value <= high
    all_at_one = ca.scan({"y": Y, "p": np.ones(100)}, **NAMES, bits=1)
    assert all_at_one["roc_auc"].certain == (0.5, 0.5)


def test_scores_are_never_put_through_a_sigmoid_because_of_their_part():
    """A tool that squashes each batch that leaves [0, 1] gives one value for one batch and another for a hundred."""
    p = P.copy()
    p[3], p[97] = -4.0, 6.0
    wanted = ca.assess(Y, p)["roc_auc"]
    assert ca.scan({"y": Y, "p": p}, **NAMES)["roc_auc"] == wanted
    low, high = ca.scan({"y": Y, "p": p}, **NAMES, bits=10)["roc_auc"].certain
    assert low <= wanted.value <= high


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_booleans_with_a_gap_from_dask_are_not_counted_as_a_class():
    """pandas holds them as objects, and Dask makes text of them: 'True', 'False'."""
    frames = pytest.importorskip("dask.dataframe", reason="SKIPPED LOUDLY: dask[dataframe] is not installed")
    import pandas as pd

    frame = pd.DataFrame({"y": [None, *(Y[1:] == 1).tolist()], "p": P})
    with pytest.raises(InputError, match="truth has missing values in 1 row"):
        ca.scan(frames.from_pandas(frame, npartitions=2), truth="y", score="p", positive="True")


SCHEMAS = {
    "a narrower score": (
        {"y": Y, "p": P.astype(np.float32)},
        "Scores have type float32, but earlier scores have type float64",
    ),
    "another name": ({"Y": Y, "p": P}, "no column 'y'"),
    "truth as text": ({"y": Y.astype(str), "p": P}, "numbers such as 1 in other rows and text such as '1' in these"),
    "a missing truth": ({"y": pa.array([None, *Y[1:].tolist()]), "p": P}, "truth has missing values in 1 row"),
}  # fmt: skip


@pytest.mark.parametrize("change", SCHEMAS)
def test_a_file_that_changes_its_schema_is_told(change, tmp_path):
    columns, said = SCHEMAS[change]
    for i in range(4):
        parquet.write_table(pa.table({"y": Y, "p": P / (1 + i)}), f"{i}.parquet")
    parquet.write_table(pa.table(columns), "4.parquet")
    with pytest.raises(InputError) as raised:
        ca.scan(tmp_path, **NAMES)
    assert said in str(raised.value)
    assert "4.parquet" in str(raised.value) or change == "truth as text"


@pytest.mark.parametrize("left", [0, 3, 100, -1, -8])
def test_a_truncated_file_is_told_and_the_others_are_not_the_whole(left, tmp_path):
    for i in range(3):
        parquet.write_table(pa.table({"y": Y, "p": P / (1 + i)}), f"{i}.parquet")
    whole = (tmp_path / "2.parquet").read_bytes()
    (tmp_path / "2.parquet").write_bytes(whole[: left if left >= 0 else len(whole) + left])
    with pytest.raises(FileError, match=r"2\.parquet"):
        ca.scan(tmp_path, **NAMES)
    refusal("assess", str(tmp_path), "--truth", "y", "--score", "p")


@pytest.mark.parametrize("to", ["--save", "--json", "--html"])
def test_a_full_disk_is_one_line(to, tmp_path):
    """/dev/full takes nothing; what is there already stays as it was."""
    parquet.write_table(pa.table({"y": Y, "p": P}), "p.parquet")
    done = call("assess", "p.parquet", "--truth", "y", "--score", "p", "--memory", "0", to, "/dev/full")
    assert done.exit_code == 2
    assert done.stderr.strip() == "classay: Cannot write /dev/full: No space left on device."


def test_nothing_spills(monkeypatch):
    """Bins are in memory, so that a full disk for temporary files is no fault."""

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    for name in ("mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile"):
        monkeypatch.setattr(tempfile, name, full)
    assert ca.scan({"y": Y, "p": P}, **NAMES, memory=0).n == 100
