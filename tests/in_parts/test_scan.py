"""Rows beyond memory: the assessment of parts is that of all rows, however they come and however they are cut."""

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

import classay as ca
from classay.errors import FileError, InputError
from classay.in_parts import fragments, scanning, source_parts
from classay.tables.bins import BITS, BinnedScoreTable


@pytest.fixture(autouse=True)
def small_parts(monkeypatch, tmp_path):
    """Parts of few rows, for several of them to come of little data."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fragments, "ROWS", 700)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.random(5000) < 0.2
    score = rng.beta(1 + 2 * y, 3).astype(np.float32)
    return pa.table(
        {
            "y": np.where(y, "ill", "well"),
            "p": score,
            "said": np.where(score > 0.4, "ill", "well"),
            "w": rng.uniform(0.5, 2, 5000),
            "n": rng.integers(1, 5, 5000),
            "day": np.repeat([1, 2], 2500),
        }
    )


def of(source, **more):
    return ca.scan(source, truth="y", score="p", positive="ill", **more)


def whole(table, **more):
    return ca.assess(table, truth="y", score="p", positive="ill", **more)


def equal(one, other):
    assert one.to_dict() == other.to_dict()


def test_a_frame_in_parts_is_the_frame(table):
    equal(of(table), whole(table))


@pytest.mark.parametrize("how", [{"weight": "w"}, {"frequency": "n"}])
def test_weights_and_frequencies(table, how):
    found, wanted = of(table, **how), whole(table, **how)
    for name in ("roc_auc", "recall", "log_loss", "f1"):
        one, other = found[name], wanted[name]
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-9)


def test_labels_need_no_scores(table):
    found = ca.scan(table, truth="y", prediction="said", positive="ill")
    equal(found, ca.assess(table, truth="y", prediction="said", positive="ill"))


@pytest.fixture
def folder(table, tmp_path):
    for day in (1, 2):
        at = tmp_path / "preds" / f"day={day}"
        at.mkdir(parents=True)
        part = table.filter(pa.compute.equal(table["day"], day)).drop(["day"])
        parquet.write_table(part, at / "part-0.parquet", row_group_size=300)
    (tmp_path / "preds" / "_SUCCESS").touch()
    (tmp_path / "preds" / ".part.crc").write_bytes(b"x")
    return tmp_path / "preds"


def test_folders_patterns_and_lists_are_one(table, folder):
    wanted = whole(table)
    for source in (
        folder,
        f"{folder}/*/*.parquet",
        f"{folder}/**/*.parquet",
        sorted(folder.rglob("*.parquet")),
    ):
        equal(of(source), wanted)


def test_the_names_of_folders_are_columns(folder):
    found = ca.scan(folder, truth="day", prediction="day", positive=2)
    assert found.confusion_matrix.counts.tolist() == [[2500, 0], [0, 2500]]


def written(table, path, kind):
    if kind == "csv":
        csv.write_csv(table, path)
    elif kind == "csv.gz":
        csv.write_csv(table, path.with_suffix(""))
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
        path.with_suffix("").unlink()
    elif kind == "arrow":
        feather.write_feather(table, path)
    elif kind == "jsonl":
        pairs = zip(table["y"].to_pylist(), table["p"].to_pylist(), strict=True)
        lines = [f'{{"y": "{y}", "p": {p!r}}}' for y, p in pairs]
        path.write_text("\n".join(lines))
    else:
        parquet.write_table(table, path)


@pytest.mark.parametrize("kind", ["parquet", "csv", "csv.gz", "arrow", "jsonl"])
def test_files_of_every_kind_give_one_answer(table, tmp_path, kind):
    for i, start in enumerate(range(0, 5000, 1500)):
        written(table.slice(start, 1500), tmp_path / f"part{i}.{kind}", kind)
    exact = kind in ("parquet", "arrow")
    wanted = whole(table if exact else table.set_column(1, "p", table["p"].cast(pa.float64())))
    found = of(tmp_path)
    assert found["roc_auc"].value == wanted["roc_auc"].value
    assert found.confusion_matrix.counts.tolist() == wanted.confusion_matrix.counts.tolist()


def frames(table):
    import pandas as pd
    import polars as pl

    yield "pandas", table.to_pandas()
    yield "polars", pl.from_arrow(table)
    yield "polars lazy", pl.from_arrow(table).lazy()
    yield "batches", table.to_reader(max_chunksize=1000)
    yield "columns", {name: table[name] for name in table.column_names}
    assert pd


def test_every_frame_gives_the_same_tables_byte_for_byte(table):
    wanted = of(table, bits=8).scores.bins
    for name, frame in frames(table):
        found = of(frame, bits=8).scores.bins
        for part in ("keys", "cases", "within", "least", "most"):
            assert getattr(found, part).tobytes() == getattr(wanted, part).tobytes(), name
        assert found.losses == wanted.losses


def test_duckdb_relations_are_read_in_batches(table):
    duckdb = pytest.importorskip("duckdb")
    equal(of(duckdb.from_arrow(table)), whole(table))


def test_scores_are_exact_while_they_fit_and_binned_beyond(table):
    exact, binned = of(table), of(table, memory=100 * 2000)
    assert not isinstance(exact.scores, BinnedScoreTable)
    assert isinstance(binned.scores, BinnedScoreTable)
    assert binned.scores.bins.losses == of(table, bits=BITS).scores.bins.losses
    low, high = binned["roc_auc"].certain
    assert low <= exact["roc_auc"].value <= high
    assert high - low < 2e-4
    assert binned["log_loss"].value == pytest.approx(exact["log_loss"].value, rel=1e-14)
    assert binned.confusion_matrix.counts.tolist() == exact.confusion_matrix.counts.tolist()


def test_a_chosen_threshold_is_counted_exactly_though_it_lies_in_a_bin(table):
    found, wanted = of(table, bits=3, threshold=0.37), whole(table, threshold=0.37)
    assert found.confusion_matrix.counts.tolist() == wanted.confusion_matrix.counts.tolist()
    with pytest.raises(InputError, match="is within a bin of scores"):
        found.at(0.39)


def test_binned_assessments_are_saved_and_add_up(table, tmp_path):
    a, b = of(table.slice(0, 2000), bits=6, threshold=0.37), of(table.slice(2000), bits=6, threshold=0.37)
    for name, each in (("a", a), ("b", b)):
        each.save(tmp_path / f"{name}.classay")
    there = [ca.load(tmp_path / f"{name}.classay") for name in "ab"]
    equal(there[0], a)
    equal(there[0] + there[1], of(table, bits=6, threshold=0.37))


def test_an_executor_of_the_user_counts_the_same(table):
    with ThreadPoolExecutor(3) as pool:
        equal(of(table, executor=pool), whole(table))


def test_several_classes(table):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 3000)
    scores = rng.dirichlet(np.ones(3), 3000)
    frame = pa.table({"y": y} | {f"c{k}": scores[:, k] for k in range(3)})
    found = ca.scan(frame, truth="y", score={k: f"c{k}" for k in range(3)})
    equal(found, ca.assess(frame, truth="y", score={k: f"c{k}" for k in range(3)}))


def test_labels_that_come_late_are_seen_and_declared_ones_hold(table):
    ordered = table.sort_by("y")  # the first parts hold the ill alone
    equal(of(ordered), whole(ordered))
    three = pa.table({"y": [*["ill", "well"] * 1000, *["odd"] * 10]})
    assert ca.scan(three, truth="y", prediction="y").n == 2010
    with pytest.raises(InputError, match="The positive class is not set"):
        ca.scan(table, truth="y", score="p")
    with pytest.raises(InputError, match=r"can be read only once. List all labels with labels="):
        ca.scan(three.to_reader(500), truth="y", prediction="y", positive="ill")
    with pytest.raises(InputError, match="rows 0 on"):
        of(table, labels=["ill", "healthy"])


def test_a_limit_looks_at_the_first_rows(table):
    found = of(table, limit=1000)
    assert found["roc_auc"] == whole(table.slice(0, 1000))["roc_auc"]
    for text in (str(found), found.report("page.html") or Path("page.html").read_text()):
        assert "Preview of the first 1,000 rows" in text
    assert found.to_dict()["warnings"][0]["code"] == "first_rows"


def test_the_report_says_that_scores_are_in_bins(table):
    assert "stored in " not in str(of(table))
    assert " bins. The exact AUC is within ±" in " ".join(str(of(table, bits=8)).split())


def test_bins_of_one_score_each_are_said_to_be_exact():
    frame = {"y": [0, 1, 0, 1], "p": [0.1, 0.2, 0.3, 0.4]}
    found = ca.scan(frame, truth="y", score="p", bits=8)
    assert found["roc_auc"].value == ca.assess(frame["y"], frame["p"])["roc_auc"].value
    assert "4 bins. The AUC is exact" in " ".join(str(found).split())


def test_progress_is_told(table):
    seen = []
    of(table, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == 5000
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_what_was_counted_is_not_presented_as_the_whole(table, folder):
    bad = folder / "day=2" / "part-1.parquet"
    bad.write_bytes((folder / "day=2" / "part-0.parquet").read_bytes()[:-700])
    with pytest.raises(FileError, match=r"part-1\.parquet"):
        of(folder)
    bad.unlink()
    parquet.write_table(pa.table({"y": ["ill"], "q": [0.5]}), bad)  # another schema
    with pytest.raises(InputError, match=r"part-1\.parquet"):
        of(folder)
    parquet.write_table(pa.table({"y": ["ill"], "p": pa.array([None], pa.float32())}), bad)
    with pytest.raises(InputError, match=r"part-1\.parquet"):
        of(folder)


@pytest.mark.parametrize("place", [0, 4_900])
def test_a_fault_is_told_with_the_part_that_it_is_in(table, place):
    """In the first part, which is counted once more when its labels are known, as in the last."""
    score = np.array(table["p"].to_pylist(), np.float32)
    score[place] = np.nan
    with pytest.raises(
        InputError, match=rf"rows {place // 700 * 700:,} on: score has missing values \(NaN\) in 1 row"
    ):
        of(table.set_column(1, "p", pa.array(score)))


@pytest.mark.parametrize(
    ("source", "more", "said"),
    [
        ("nothing/*.parquet", {}, "contains no file of rows"),
        (7, {}, "neither a path nor a frame"),
        ([], {}, "neither a path nor a frame"),
    ],
)
def test_what_cannot_be_scanned_is_refused(source, more, said):
    with pytest.raises((FileError, InputError), match=said):
        of(source, **more)


def test_options_are_checked(table):
    for more, said in (
        ({"bits": 0}, "from 1 to 26"),
        ({"bits": 40}, "from 1 to 26"),
        ({"limit": 0}, "but is 0"),
    ):
        with pytest.raises(InputError, match=said):
            of(table, **more)
    with pytest.raises(InputError, match="no scores and no predicted labels"):
        ca.scan(table, truth="y")
    with pytest.raises(InputError, match="no rows"):
        of(table.slice(0, 0))


def test_parts_in_which_nothing_counts_are_no_fault(table):
    """As little as in all rows at once: of weight zero, or without a label."""
    n = np.where(np.arange(5000) < 2000, 0, 1)
    frame = table.set_column(table.column_names.index("n"), "n", pa.array(n))
    equal(of(frame, frequency="n"), whole(frame, frequency="n"))
    y = [None if i < 1500 or i > 4000 else label for i, label in enumerate(table["y"].to_pylist())]
    frame = table.set_column(0, "y", pa.array(y))
    equal(of(frame, missing="drop"), whole(frame, missing="drop"))
    with pytest.raises(InputError, match="A label is missing in every row"):
        of(table.set_column(0, "y", pa.nulls(5000, pa.string())), missing="drop")
    with pytest.raises(InputError, match="frequency is 0 in every row"):
        of(table.set_column(table.column_names.index("n"), "n", pa.array(np.zeros(5000, int))), frequency="n")


def test_scores_of_which_some_parts_lie_in_the_unit_interval_are_those_of_all_rows(table):
    score = np.array(table["p"].to_pylist(), np.float32)
    score[:3] = -2.5
    frame = table.set_column(1, "p", pa.array(score))
    for rows in (frame, frame.take(np.arange(5000)[::-1].copy())):
        equal(of(rows), whole(rows))


@pytest.mark.covering(1)
@pytest.mark.parametrize("at", [0, 4999])
@pytest.mark.parametrize("bits", [None, 10])
def test_what_leaves_the_unit_interval_by_rounding_is_one_thing_in_all_parts(table, at, bits):
    """Set back to 0 or 1 where all scores are probabilities; kept where any is none, in whatever part that is."""
    score = np.array(table["p"].to_pylist(), np.float64)
    score[2400:2600:3] = np.linspace(-1e-16, -1e-30, 67)
    score[2401:2600:3] = 1 + 2e-16
    for other in (0.5, 3.0, -2.0):
        score[at] = other
        frame = table.set_column(1, "p", pa.array(score))
        found, wanted = of(frame, bits=bits), whole(frame)
        exact = found if bits is None else of(frame)
        equal(exact, wanted)
        low, high = found["roc_auc"].certain or (wanted["roc_auc"].value,) * 2
        assert low <= wanted["roc_auc"].value <= high
        if other != 0.5:
            reader = pa.RecordBatchReader.from_batches(frame.schema, frame.to_batches(max_chunksize=100))
            if at == 0:
                equal(ca.scan(reader, truth="y", score="p", positive="ill"), wanted)
            else:
                with pytest.raises(InputError, match=r"can be read only once. Save the rows as a file"):
                    ca.scan(reader, truth="y", score="p", positive="ill")


def test_scores_of_several_classes_are_refused_where_the_widest_bins_of_each_outgrow_memory(monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 40, 5000)
    scores = rng.dirichlet(np.ones(40), 5000)
    frame = pa.table({"y": y, "said": scores.argmax(1)} | {f"c{k}": scores[:, k] for k in range(40)})
    named = {k: f"c{k}" for k in range(40)}
    assert ca.scan(frame, truth="y", score=named).n == 5000
    monkeypatch.setattr(scanning, "LEAST", 2**16)
    with pytest.raises(InputError, match="Scores of 40 classes need more than"):
        ca.scan(frame, truth="y", score=named, memory=2**16)
    assert ca.scan(frame, truth="y", prediction="said", memory=2**16).n == 5000


def test_labels_beyond_counting_are_refused(monkeypatch):
    """Thousands of classes take the memory of the pairs that occur; of more than can be, the column is no labels."""
    frame = pa.table({"y": np.arange(10_000) % 5_000})
    assert ca.scan(frame, truth="y", prediction="y", memory=2**22)["accuracy"].value == 1
    monkeypatch.setattr(source_parts, "MOST_CLASSES", 3_000)
    with pytest.raises(InputError, match="There are more than 3,000 classes"):
        ca.scan(frame, truth="y", prediction="y", memory=2**22)
    few = pa.table({"y": np.arange(1000) % 300})
    assert ca.scan(few, truth="y", prediction="y").confusion_matrix.counts.trace() == 1000


@pytest.mark.parametrize(
    "how", [{"cluster": "who"}, {"id": "row"}, {"amounts": ["n"]}, {"cluster": "who", "weight": "w"}]
)
@pytest.mark.parametrize("read", ["p", "said"])
def test_rows_that_are_kept_are_those_of_the_whole(table, how, read):
    """A cluster lies in many parts, and its cases count together, whatever the parts are."""
    more = pa.table({"who": [f"patient {k % 90}" for k in range(5000)], "row": np.arange(5000)})
    frame = pa.table(
        dict(zip(table.column_names + more.column_names, table.columns + more.columns, strict=True))
    )
    csv.write_csv(frame, "rows.csv")
    said = {"score": "p"} if read == "p" else {"prediction": "said"}
    wanted = ca.assess(csv.read_csv("rows.csv"), truth="y", positive="ill", **said, **how)
    found = ca.scan("rows.csv", truth="y", positive="ill", **said, **how)
    assert found.clusters is None or {*found.clusters} == {*wanted.clusters}
    for name, each in wanted.estimates(
        ["accuracy", "f1", *(["roc_auc", "log_loss"] if read == "p" else [])]
    ).items():
        assert (found[name].value, found[name].low) == pytest.approx((each.value, each.low), rel=1e-9), name
    if "amounts" in how:
        assert found.expected_cost({"fp": 1, "fn": "n"}).per_case.value == pytest.approx(
            wanted.expected_cost({"fp": 1, "fn": "n"}).per_case.value
        )
    if "id" in how:
        first, other = ca.compare({"scan": found, "whole": wanted}, measures=["accuracy"])[0].values
        assert first == other


def test_rows_that_are_kept_are_not_put_into_bins(table, monkeypatch):
    monkeypatch.setattr(scanning, "LEAST", 2**10)
    for how in ({"bits": 6}, {"memory": 2**14}):
        with pytest.raises(InputError, match="are not counted in bins"):
            of(table, cluster="n", **how)


def test_a_label_of_a_part_without_weight_is_one_of_the_whole():
    rows = {"y": ["a", "b", "c", "d", "c"], "said": ["a", "c", "c", "d", "d"], "w": [1.0, 2.0, 1.0, 0.0, 0.0]}
    for place in (0, 3):  # the part counts nothing, wherever it comes
        parts = [
            pa.table({name: each[at] for name, each in rows.items()}) for at in (slice(3), slice(3, None))
        ]
        names = [f"{place}-{number}.parquet" for number in (0, 1)]
        for name, part in zip(names, parts if place else parts[::-1], strict=True):
            parquet.write_table(part, name)
        found = ca.scan(names, truth="y", prediction="said", weight="w")
        wanted = ca.assess(pa.table(rows), truth="y", prediction="said", weight="w")
        assert found.labels == wanted.labels == ("a", "b", "c", "d")
        equal(found, wanted)


WHO = {
    "text after numbers": (["7", "8"], ["7", "x"]),
    "beyond floats": (["9007199254740993", "7"], ["9007199254740994", "7"]),
    "beyond 64 bits": (["18446744073709551617", "8"], ["7", "8"]),
    "long text": (["12345678901234567890", "8"], ["a", "8"]),
    "truth values": (["true", "false"], ["true", "a"]),
    "dates": (["2024-01-01", "2024-01-02"], ["2024-01-01", "x"]),
}


def rows_of(who):
    return "y,said,who\n" + "".join(
        f"{said},ill,{each}\n" for said, each in zip(["ill", "well"], who, strict=True)
    )


@pytest.mark.parametrize("who", WHO.values(), ids=WHO)
def test_clusters_and_ids_of_text_are_those_of_all_rows(who, tmp_path):
    """7 is a text where any cluster is one; an id is no number, whatever its size."""
    for name, each in zip("ab", who, strict=True):
        folder = tmp_path / f"part={name}"
        folder.mkdir()
        (folder / "rows.csv").write_text(rows_of(each))
    (tmp_path / "all.csv").write_text(rows_of(who[0]) + rows_of(who[1]).partition("\n")[2])
    how = {"truth": "y", "prediction": "said", "positive": "ill"}
    parts, whole = (
        [ca.scan(source, **how, **{role: "who"}) for role in ("cluster", "id")]
        for source in ([f"{tmp_path}/part=a/rows.csv", f"{tmp_path}/part=b/rows.csv"], f"{tmp_path}/all.csv")
    )
    assert parts[0].clusters == whole[0].clusters
    assert (parts[1].blocks.fingerprint == whole[1].blocks.fingerprint).all()


def test_ids_of_two_kinds_are_refused():
    """7 in one part and "7" in the next may be one case or two."""
    for name, who in (("a.parquet", [7, 8]), ("b.parquet", ["7", "x"])):
        parquet.write_table(pa.table({"y": ["ill", "well"], "said": ["ill", "ill"], "who": who}), name)
    for role in ("cluster", "id"):
        with pytest.raises(ca.ClassayError, match="'who' contains text, but earlier rows contain numbers"):
            ca.scan(["a.parquet", "b.parquet"], truth="y", prediction="said", positive="ill", **{role: "who"})


def test_nothing_is_demanded_of_a_part_that_is_left_out():
    """Rows without a truth need no cluster, though they are a file of their own."""
    rows = [("ill", "ill", "a"), ("well", "ill", "b"), (None, "ill", None), (None, "well", "c")]
    for name, some in (("a.parquet", rows[:2]), ("b.parquet", rows[2:])):
        columns = [pa.array(each, pa.string()) for each in zip(*some, strict=True)]
        parquet.write_table(pa.table(columns, ["y", "said", "who"]), name)
    found = ca.scan(
        ["a.parquet", "b.parquet"],
        truth="y",
        prediction="said",
        positive="ill",
        cluster="who",
        missing="drop",
    )
    assert (found.rows, found.dropped, found.clusters) == (2, 2, ("a", "b"))


@pytest.mark.parametrize(
    "named",
    [
        {"score": ["p0", "p1", "p2"], "labels": ["a", "b", "c"]},
        {"score": ["a", "b", "c"]},
        {"score": {"c": "p2", "a": "p0", "b": "p1"}},
    ],
    ids=str,
)
def test_class_scores_are_named_as_assess_takes_them(named):
    rng = np.random.default_rng(0)
    y, scores = np.arange(60) % 3, rng.dirichlet([1, 1, 1], 60)
    columns = {name: scores[:, k] for names in ("abc", ("p0", "p1", "p2")) for k, name in enumerate(names)}
    rows = pa.table({"y": np.array(list("abc"))[y], **columns})
    one, other = (door(rows, truth="y", **named) for door in (ca.assess, ca.scan))
    assert repr(one.measures.to_pylist()) == repr(other.measures.to_pylist())
    with pytest.raises(InputError, match="score names 2 columns, but labels has 3 labels"):
        ca.scan(rows, truth="y", score=["p0", "p1"], labels=["a", "b", "c"])


@pytest.fixture
def days(tmp_path):
    """Files of one kind, with more distinct scores than 200,000 bytes are for; and of few distinct ones."""
    rng = np.random.default_rng(1)
    y = rng.random(6000) < 0.3
    score = rng.beta(1 + 2 * y, 2)
    made = {}
    for name, p in (("days", score), ("rounded", score.round(2))):
        (tmp_path / name).mkdir()
        rows = pa.table({"y": y.astype(int), "p": p})
        made[name] = rows, [f"{name}/{i}.parquet" for i in range(4)]
        for i, file in enumerate(made[name][1]):
            parquet.write_table(rows.slice(1500 * i, 1500), file, row_group_size=750)
        parquet.write_table(rows, f"{name}.parquet", row_group_size=750)
    return made


def exact_parts(monkeypatch):
    """The assessments that are added, of which those with exact scores are counted."""
    counted = []
    added = scanning.Merged.add
    monkeypatch.setattr(
        scanning.Merged, "add", lambda self, part: counted.append(type(part.scores)) or added(self, part)
    )
    return lambda: sum(kind is not BinnedScoreTable for kind in counted)


def test_rows_are_in_bins_from_the_start_where_exact_scores_will_not_fit(days, monkeypatch):
    rows, files = days["days"]
    how = {"truth": "y", "score": "p", "memory": 200_000}
    wanted = ca.scan(rows, truth="y", score="p", bits=BITS)
    assert wanted["roc_auc"].certain is not None
    n_exact = exact_parts(monkeypatch)
    for source in ("days", "days.parquet", files, files[::-1]):
        equal(ca.scan(source, **how), wanted)
    assert not n_exact()
    equal(ca.scan(rows, **how), wanted)  # whose number of rows is not known before
    assert n_exact()
    parts = [ca.scan(file, **how | {"memory": 1000}) for file in files]
    equal(sum(parts[1:], parts[0]), wanted)


def test_few_distinct_scores_stay_exact_however_many_rows(days):
    rows, files = days["rounded"]
    wanted = ca.assess(rows, truth="y", score="p")
    for source in ("rounded", "rounded.parquet", files[::-1]):
        found = ca.scan(source, truth="y", score="p", memory=200_000)
        assert found["roc_auc"].certain is None
        equal(found, wanted)


def test_rows_that_bins_do_not_keep_are_not_looked_at_for_them(days):
    ids = pa.table({"y": [0, 1] * 900, "p": np.linspace(0, 1, 1800), "id": range(1800)})
    parquet.write_table(ids, "ids.parquet", row_group_size=600)
    assert ca.scan("ids.parquet", truth="y", score="p", id="id", memory=100)["roc_auc"].certain is None
    first = ca.scan("days", truth="y", score="p", memory=200_000, limit=1900)
    assert (first.n, first["roc_auc"].certain) == (1900, None)  # as many are known to come, and fit


@pytest.mark.parametrize(("n", "levels"), [(40_000, 30_000), (40_000, 10**9), (9000, 500)])
def test_distinct_scores_are_extrapolated(n, levels):
    scores = np.random.default_rng(0).integers(0, levels, n) / levels
    found = scanning.distinct_among(scores[: n // 8], n)
    assert found == pytest.approx(np.unique(scores).size, rel=0.08)


def test_missing_scores_are_no_distinct_ones():
    scores = np.random.default_rng(0).integers(0, 500, 10_000) / 500
    scores[::2] = np.nan
    assert scanning.distinct_among(scores, 80_000) == np.unique(scores[1::2]).size
