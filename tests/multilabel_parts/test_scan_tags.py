"""Several labels a case, part by part: the whole, however the rows come and however they are cut."""

import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet

import classay as ca
from classay.errors import FileError, InputError
from classay.in_parts import fragments, scanning

RNG = np.random.default_rng(5)
N = 90
Y = (RNG.random((N, 3)) < [0.5, 0.3, 0.1]).astype(int)
P = np.clip(0.3 + 0.4 * Y + RNG.normal(0, 0.2, (N, 3)), 0.01, 0.99).round(3)


def told(rows):
    return ["|".join(tag for tag, mark in zip("abc", row, strict=True) if mark) for row in rows]


TABLE = pa.table(
    {f"y_{tag}": Y[:, i] for i, tag in enumerate("abc")}
    | {f"p_{tag}": P[:, i] for i, tag in enumerate("abc")}
    | {f"c_{tag}": (P[:, i] >= 0.4).astype(int) for i, tag in enumerate("abc")}
    | {
        "tags": told(Y),
        "called": told(P >= 0.4),
        "w": RNG.uniform(0.5, 2, N).round(3),
        "n": RNG.integers(0, 4, N),
        "who": RNG.integers(0, 40, N),
    }
)
SCORED = {"truth": "y_*", "score": "p_*"}
CALLED = {"truth": "y_*", "prediction": "c_*"}
PARTED = {"truth": "tags", "prediction": "called", "separator": "|"}
DRAWN = [{}, {"weight": "w"}, {"frequency": "n"}, {"cluster": "who"}, {"weight": "w", "cluster": "who"}]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fragments, "ROWS", 13)


def same(one, other):
    mine, theirs = one.estimates(), other.estimates()
    assert {*mine} == {*theirs}
    for name, each in mine.items():
        two = theirs[name]
        assert [each.value, each.low, each.high] == pytest.approx(
            [two.value, two.low, two.high], rel=1e-9, abs=1e-12, nan_ok=True
        ), name
        assert each.method == two.method, name
    assert one.labels == other.labels
    assert (one.n, one.rows, one.kind_of_weight) == (other.n, other.rows, other.kind_of_weight)
    for tag in one.labels:
        assert one.tag(tag)["f1"].low == pytest.approx(other.tag(tag)["f1"].low, nan_ok=True)


@pytest.mark.covering(1)
@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("named", [SCORED, CALLED, PARTED])
def test_parts_are_the_whole(named, drawn):
    same(ca.scan(TABLE, **named, **drawn), ca.assess(TABLE, **named, **drawn))


@settings(deadline=None, max_examples=4)
@given(st.lists(st.integers(0, N), max_size=6), st.randoms(use_true_random=False), st.sampled_from(DRAWN))
def test_parts_in_any_number_and_order(cuts, chance, drawn):
    ends = sorted({0, N, *cuts})
    parts = [TABLE.slice(a, b - a) for a, b in pairwise(ends)]
    chance.shuffle(parts)
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, [b for each in parts for b in each.to_batches()])
    for named in (SCORED, PARTED):
        source = reader if named is SCORED else pa.concat_tables(parts)
        same(ca.scan(source, **named, **drawn), ca.assess(TABLE, **named, **drawn))


def written(folder, kind):
    Path(folder).mkdir()
    for i, (start, rows) in enumerate([(0, 40), (40, 1), (41, 49)]):
        part, path = TABLE.slice(start, rows), f"{folder}/{i}.{kind}"
        if kind == "parquet":
            parquet.write_table(part, path, row_group_size=7)
        elif kind == "csv":
            csv.write_csv(part, path)
        else:
            pl.from_arrow(part).write_ndjson(path)


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("named", [SCORED, CALLED, PARTED])
def test_folders_of_every_kind(named, kind):
    written("all", kind)
    wanted = ca.assess(TABLE, **named)
    same(ca.scan("all", **named), wanted)
    same(ca.scan([f"all/{i}.{kind}" for i in (2, 0, 1)], **named), wanted)
    same(ca.scan(f"all/*.{kind}", **named, cluster="who"), ca.assess(TABLE, **named, cluster="who"))


def test_names_one_by_one_thresholds_and_the_highest():
    lists = {"truth": ["y_a", "y_b"], "score": ["p_a", "p_b"], "labels": ["cat", "dog"]}
    same(ca.scan(TABLE, **lists), ca.assess(TABLE, **lists))
    pairs = {"truth": {"b": "y_b", "a": "y_a"}, "score": {"a": "p_a", "b": "p_b"}}
    same(ca.scan(TABLE, **pairs), ca.assess(TABLE, **pairs))
    for how in ({"threshold": [0.3, 0.5, 0.7]}, {"threshold": {"c": 0.3, "a": 0.5, "b": 0.7}}, {"top": 2}):
        same(ca.scan(TABLE, **SCORED, **how), ca.assess(TABLE, **SCORED, **how))


def test_every_frame_and_worker():
    wanted = ca.assess(TABLE, **SCORED)
    frame = pl.from_arrow(TABLE)
    for source in (frame, frame.lazy(), TABLE.to_pandas(), {n: TABLE[n] for n in TABLE.column_names}):
        same(ca.scan(source, **SCORED), wanted)
    with ProcessPoolExecutor(1) as pool:
        same(ca.scan(TABLE.slice(0, 30), **SCORED, executor=pool), ca.assess(TABLE.slice(0, 30), **SCORED))


def test_a_part_whose_scores_leave_the_unit_interval_calls_no_part():
    odds = TABLE.set_column(3, "p_a", pa.array(np.r_[P[:50, 0], 3 * P[50:, 0]]))
    wanted = ca.assess(odds, **SCORED)
    assert wanted.task.tags is None
    same(ca.scan(odds, **SCORED), wanted)
    same(ca.assess(odds.slice(0, 50), **SCORED) + ca.assess(odds.slice(50), **SCORED), wanted)


def test_parts_without_tags_weight_or_rows():
    """Text names no tag in the first parts, and rows of weight 0 count nothing."""
    texts = {"truth": "t", "prediction": "c", "separator": ";"}
    of_texts = pa.table({"t": [""] * 30 + ["x;y", "y"], "c": [""] * 31 + ["z"]})
    same(ca.scan(of_texts, **texts), ca.assess(of_texts, **texts))
    weights = TABLE.append_column("v", pa.array(np.r_[np.zeros(30), TABLE["w"].to_numpy()[30:]]))
    same(ca.scan(weights, **SCORED, weight="v"), ca.assess(weights, **SCORED, weight="v"))
    of_none = TABLE.append_column("v", pa.array(np.zeros(N)))
    for of in (ca.assess, ca.scan):
        with pytest.raises(InputError, match="weight is 0 in every row"):
            of(of_none, **SCORED, weight="v")
    Path("parts").mkdir()
    csv.write_csv(TABLE, "parts/a.csv")
    csv.write_csv(TABLE.slice(0, 0), "parts/b.csv")
    same(ca.scan("parts", **SCORED), ca.assess(TABLE, **SCORED))


def test_zero_and_one_in_each_way_of_writing():
    Path("odd").mkdir()
    Path("odd/a.csv").write_text("y_a,y_b,c_a,c_b\n1.0,0,true,false\n1.0,0,true,true\n")
    Path("odd/b.csv").write_text("y_a,y_b,c_a,c_b\n0.0,0,false,false\n")
    a = ca.scan("odd", **CALLED)
    assert a.tag("a").confusion_matrix.counts.tolist() == [[1, 0], [0, 2]]
    assert a["hamming_loss"].value == pytest.approx(1 / 6)
    Path("odd/c.csv").write_text("y_a,y_b,c_a,c_b\n0.0,0,0,false\n")
    with pytest.raises(FileError, match=r"c_a.*contains numbers, but earlier rows contain booleans"):
        ca.scan("odd", **CALLED)


def test_a_first_look_is_told_and_saved(tmp_path):
    a = ca.scan(TABLE, **SCORED, limit=20)
    same(a, ca.assess(TABLE.slice(0, 20), **SCORED))
    a.save("a")
    for each in (a, ca.load("a.classay")):
        assert each.limit == 20
        assert "Preview of the first 20 rows" in str(each)


REFUSED = {
    "a threshold beside labels": (
        {**CALLED, "threshold": 0.3},
        "threshold= and top= have no effect on predicted labels",
    ),
    "bits": ({**SCORED, "bits": 5}, "bits= cannot be used with multilabel cases"),
    "an id": ({**SCORED, "id": "who"}, "'id' cannot be used with multilabel cases"),
    "no column": ({"truth": "z_*", "score": "p_*"}, "No column matches 'z_"),
    "other tags": ({"truth": ["y_a"], "score": {"b": "p_b"}}, "no column of tag"),
    "other values": ({"truth": {"a": "n"}, "score": {"a": "p_a"}}, "rows .* on: truth of tag 'a' is"),
    "nothing": ({"truth": "y_*"}, "no scores and no predicted labels"),
    "both in clusters": ({**SCORED, "prediction": "c_*", "cluster": "who"}, "rows in clusters"),
    "several columns and a separator": (
        {**SCORED, "separator": "|"},
        "A separator needs one column of tags, but truth has several",
    ),
    "a limit beside labels": (
        {**CALLED, "top": 1},
        "threshold= and top= have no effect on predicted labels",
    ),
    "predictions and a separator": (
        {**PARTED, "prediction": ["c_a"]},
        "A separator needs one column of tags, but prediction has several",
    ),
    "another task": ({**SCORED, "task": "classes"}, "task='classes' contradicts truth='y_"),
    "tags of one column": (
        {"truth": "y_a", "score": "p_a", "task": "tags"},
        r"task='tags' contradicts truth='y_a' \(one column of labels\)\. Name a column for each tag",
    ),
    "an unknown task": ({**SCORED, "task": "words"}, "task"),
    "top of one label": ({"truth": "y_a", "score": "p_a", "top": 1}, "top= is for multilabel data only"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line(name):
    how, words = REFUSED[name]
    with pytest.raises(InputError, match=words) as refused:
        ca.scan(TABLE, **how)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("rows 0 on: ") == (name == "other values")


@pytest.mark.parametrize(
    ("named", "more"),
    [
        (SCORED, {"id": "who"}),
        (SCORED, {"positive": "a"}),
        (SCORED, {"ordered": True}),
        (SCORED, {"unanswered": "wrong"}),
        (SCORED, {"improper": "normalize"}),
        (SCORED, {"interval": "x"}),
        (SCORED, {"level": 1}),
        (SCORED, {"missing": "x"}),
        (SCORED, {"score_scale": "count"}),
        (SCORED, {"task": "class"}),
        (SCORED, {"top": 0}),
        (SCORED, {"top": 4}),
        (SCORED, {"top": 1, "threshold": 0.3}),
        (SCORED, {"prediction": "c_*", "cluster": "who"}),
        (SCORED, {"truth": ["y_a", "y_b"], "score": ["p_a", "p_b"], "labels": ["a"]}),
        (SCORED, {"truth": {"a": "n"}, "score": {"a": "p_a"}}),
        (SCORED, {"truth": "y*_*"}),
        (SCORED, {"truth": ["y_*", "w"]}),
        (CALLED, {"threshold": 0.3}),
        (CALLED, {"top": 1}),
        (PARTED, {"threshold": 0.3}),
    ],
)
def test_refusals_are_those_of_all_rows_at_once(named, more):
    """What the arguments alone show is refused before a row is read, and so without the place of the rows."""
    how = {**named, **more}
    with pytest.raises(InputError) as wanted:
        ca.assess(TABLE, **how)
    with pytest.raises(InputError) as found:
        ca.scan(TABLE, **how)
    assert str(found.value).removeprefix("rows 0 on: ") == str(wanted.value)


def alike(one, other):
    """All plain values of two results, numbers up to their last digits."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            alike(one[name], other[name])
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            alike(mine, theirs)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12, nan_ok=True)
    else:
        assert one == other


@pytest.mark.parametrize(
    ("named", "how"),
    [
        (SCORED, {"level": 0.8, "seed": 7}),
        (SCORED, {"score_scale": "logit", "threshold": 0.6}),
        (SCORED, {"truth": ["y_*"], "score": ["p_*"]}),
        (SCORED, {"truth": ["y_*"], "score": ["p_a", "p_b", "p_c"], "labels": ["a", "b", "c"]}),
        (CALLED, {"level": 0.8, "labels": ["c", "b", "a"]}),
        (PARTED, {"labels": ["c", "b", "a", "z"]}),
        (PARTED, {"interval": "bootstrap", "seed": 3}),
    ],
)
def test_every_option_gives_what_all_rows_at_once_give(named, how):
    scanned, assessed = ca.scan(TABLE, **{**named, **how}), ca.assess(TABLE, **{**named, **how})
    assert replace(scanned.estimation, model="") == replace(assessed.estimation, model="")
    alike(scanned.to_dict(), assessed.to_dict())


def test_cells_without_tags_are_known_in_text_and_missing_in_json():
    """An empty cell of text has no tag; null is a missing value, and the text `null` a tag."""
    rows = [("a", "a"), ("", "b"), ("", ""), ("b", "")]
    Path("t.csv").write_text("t,c\n" + "".join(f"{y},{c}\n" for y, c in rows))
    columns = dict(zip(("t", "c"), map(list, zip(*rows, strict=True)), strict=True))
    named = {"truth": "t", "prediction": "c", "separator": ";"}
    same(ca.scan("t.csv", **named), ca.assess(columns, **named))
    Path("t.jsonl").write_text("".join(json.dumps({"t": y or None, "c": c}) + "\n" for y, c in rows))
    columns["t"] = [y or None for y in columns["t"]]
    with pytest.raises(InputError) as wanted:
        ca.assess(columns, **named)
    with pytest.raises(InputError) as found:
        ca.scan("t.jsonl", **named)
    assert str(found.value).removeprefix("t.jsonl: ") == str(wanted.value)
    dropped = ca.scan("t.jsonl", **named, missing="drop")
    assert (dropped.n, dropped.dropped) == (2, 2)
    same(dropped, ca.assess(columns, **named, missing="drop"))


@pytest.mark.parametrize(
    ("text", "words"),
    [("t,c\n,\n,\n", "no rows"), ("t,c\n", "no rows"), ("t,c,w\n,,1\n,,1\n", "There are no tags")],
)
def test_rows_without_any_tag_are_refused(text, words):
    Path("t.csv").write_text(text)
    named = {"truth": "t", "prediction": "c", "separator": ";"}
    with pytest.raises(InputError, match=words):
        ca.scan("t.csv", **named)


def test_rows_that_are_all_excluded_are_refused_as_those_of_one_table(tmp_path):
    rows = {"t": [None, None], "c": ["a", "b"]}
    named = {"truth": "t", "prediction": "c", "separator": ";", "missing": "drop"}
    with pytest.raises(InputError) as wanted:
        ca.assess(pl.DataFrame(rows, schema={"t": pl.String, "c": pl.String}), **named)
    parquet.write_table(
        pa.table(rows, schema=pa.schema({"t": pa.string(), "c": pa.string()})), tmp_path / "a.parquet"
    )
    with pytest.raises(InputError) as refused:
        ca.scan(str(tmp_path / "a.parquet"), **named)
    assert str(wanted.value) in str(refused.value)


@pytest.mark.parametrize("weight", [0, 1])
def test_one_kind_of_label_in_all_files_even_in_those_that_do_not_count(weight):
    Path("kinds").mkdir()
    rows = {"y_a": [1, 0], "y_b": [0, 1], "p_a": [0.1, 0.2], "p_b": [0.3, 0.9], "w": [1, 1]}
    parquet.write_table(pa.table(rows), "kinds/a.parquet")
    parquet.write_table(pa.table(rows | {"y_a": ["1", "0"], "w": [weight] * 2}), "kinds/b.parquet")
    with pytest.raises(FileError, match="Column 'y_a' contains text, but earlier rows contain numbers"):
        ca.scan("kinds", **SCORED, weight="w")


def test_files_of_other_tags_are_refused():
    Path("two").mkdir()
    csv.write_csv(TABLE, "two/a.csv")
    csv.write_csv(TABLE.slice(1).append_column("y_d", TABLE["y_a"].slice(1)), "two/b.csv")
    with pytest.raises(InputError, match=r"'y_d' is in one alone|tag 'd'"):
        ca.scan("two", **SCORED)


def test_scores_that_do_not_fit_are_refused_and_counts_do(monkeypatch):
    monkeypatch.setattr(scanning, "LEAST", 2**10)
    monkeypatch.setattr(scanning, "LEAST_PAIRS", 2**13)
    with pytest.raises(
        InputError, match="The scores of 3 tags, or the pairs of tags in one case, need more than"
    ):
        ca.scan(TABLE, **SCORED, memory=0)
    same(ca.scan(TABLE, **CALLED, memory=0), ca.assess(TABLE, **CALLED))


def test_parts_with_and_without_clusters_are_not_added():
    rng = np.random.default_rng(0)
    truth, called = rng.random((2, 20, 3)) < 0.5
    apart = ca.assess(truth, called * 0.9), ca.assess(truth, called * 0.9, cluster=np.arange(20) // 2)
    for one, other in (apart, apart[::-1]):
        with pytest.raises(ca.MergeError, match="clusters"):
            one + other
