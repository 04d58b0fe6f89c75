"""Laws of labels in parts: text and numbers never meet, and an order is one that somebody gave."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import classay as ca
from classay.columns import Labels
from classay.errors import InputError
from classay.sources.files import read_table
from laws.test_laws_of_labels import CALLED, GRADES, NAMED, TRUE, WANTED, frame, texts


def doors_of_parts(folder):
    """The same rows, with their order, through every door of parts."""
    given = {"labels": GRADES, "ordered": True}
    whole, parts = frame(TRUE, CALLED), [frame(TRUE[at], CALLED[at]) for at in (slice(0, 15), slice(15, 40))]
    yield "scan", ca.scan(whole, **NAMED)
    for i, part in enumerate(parts):
        part.to_parquet(folder / f"{i}.parquet")
    yield "folder", ca.scan(folder, **NAMED)
    whole.astype(str).to_csv(folder / "whole.csv", index=False)
    yield "text", ca.scan(folder / "whole.csv", **NAMED, **given)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (y text, p text)")
        connection.executemany("insert into t values (?, ?)", zip(texts(TRUE), texts(CALLED), strict=True))
        yield "database", ca.scan_database(connection, "t", **NAMED, **given)


def test_an_order_goes_through_every_door_of_parts(tmp_path):
    for door, a in doors_of_parts(tmp_path):
        assert a.labels == GRADES, door
        assert Labels.of(a.labels).is_given, door
        for name, wanted in WANTED.items():
            assert a[name].value == pytest.approx(wanted), (door, name)


def test_an_order_that_contradicts_the_categories_is_refused_in_parts(tmp_path):
    data = frame(TRUE, CALLED)
    data.to_parquet(tmp_path / "a.parquet")
    data.iloc[:20].to_parquet(tmp_path / "b.parquet")
    words = r"contradicts the order of the categories of .*'low', 'mid'"
    for order in (GRADES[::-1], ("low", "high", "mid")):
        with pytest.raises(InputError, match=words):
            ca.scan(tmp_path, **NAMED, labels=order, ordered=True)


def test_orders_that_lack_a_label_or_repeat_one_are_refused_in_parts(tmp_path):
    pd.DataFrame({"y": texts(TRUE), "p": texts(CALLED)}).to_csv(tmp_path / "a.csv", index=False)
    for order, words in (
        (GRADES[:2], "contains labels that are not declared: 'high'"),
        ((*GRADES, "mid"), "contains 'mid' twice"),
    ):
        with pytest.raises(InputError, match=words):
            ca.scan(tmp_path, **NAMED, labels=order, ordered=True)


def test_text_and_numbers_never_meet_in_parts(tmp_path):
    numbers = {"y": [1, 2, 3, 1], "p": [1, 2, 1, 1]}
    written = {name: [*map(str, column)] for name, column in numbers.items()}
    for i, each in enumerate((numbers, written)):
        parquet.write_table(pa.table(each), tmp_path / f"{i}.parquet")
    with pytest.raises(InputError, match="numbers such as 3 in other rows and text such as '3'"):
        ca.scan(tmp_path, **NAMED)


CELLS = st.sampled_from(["0", "1", "2", "1.0", "x", "True", "False", "01", "a b"])


@pytest.mark.filterwarnings(
    "ignore::classay.in_parts.fragments.CopiedRowsWarning"
)  # small parts are equal by chance
@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=8), st.data())
def test_texts_of_files_mean_the_same_in_every_split(tmp_path_factory, rows, data):
    """One file or two, one part or many: columns that share a label are text where one of them is, and read alike."""
    folder = tmp_path_factory.mktemp("texts")
    at = data.draw(st.integers(1, len(rows) - 1))
    (folder / "parts").mkdir()
    for name, each in (("whole", rows), ("parts/a", rows[:at]), ("parts/b", rows[at:])):
        (folder / f"{name}.csv").write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in each))
    table = read_table(folder / "whole.csv", labels=["y", "p"], together=["y", "p"])
    of_text = [any(isinstance(each, str) for each in table[name].to_pylist()) for name in "yp"]
    assert of_text[0] == of_text[1] or not {y for y, _ in rows} & {p for _, p in rows}
    found = []
    for make in (
        lambda: ca.assess(table, **NAMED, positive=None),
        lambda: ca.scan(folder / "whole.csv", **NAMED),
        lambda: ca.scan(folder / "parts", **NAMED),
    ):
        try:
            a = make()
            found.append((a.labels, [*map(type, a.labels)], a.confusion_matrix.counts.tolist()))
        except InputError as error:
            found.append("positive" if "positive" in str(error) else "kinds")
    assert found[0] == found[1]
    assert found[2] == found[0]


def test_the_missing_partition_of_a_folder_is_missing(tmp_path):
    for name, said in (("y=a", "a"), ("y=b", "b"), ("y=__HIVE_DEFAULT_PARTITION__", "a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.csv").write_text(f"p\n{said}\nb\n")
    with pytest.raises(InputError, match="truth has missing values in 2 rows"):
        ca.scan(tmp_path, **NAMED, positive="b")
    found = ca.scan(tmp_path, **NAMED, positive="b", missing="drop")
    assert (found.labels, found.dropped, found.rows) == (("a", "b"), 2, 4)


def test_columns_of_a_scanned_file_are_typed_together(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n1,1\n2,2\nx,1\n")
    assert ca.scan(tmp_path / "a.csv", **NAMED).labels == ("1", "2", "x")


@pytest.mark.parametrize("role", ["score", "prediction"])
def test_an_order_of_labels_that_a_later_file_brings_is_that_of_all_rows(role, tmp_path):
    """Files of one order of categories, and a last one of another text alone: the counts of both are of one table."""
    rng, order = np.random.default_rng(0), ["d", "c", "b", "a"]
    names = {label: f"p{label}" for label in sorted(order)}
    tables = []
    for part in range(3):
        shares = dict(zip(names.values(), rng.dirichlet(np.ones(4), 30).T, strict=True))
        called = {"q": rng.choice(order, 30)}
        truth = pd.Categorical(rng.choice(order, 30), order, ordered=True)
        tables.append(pd.DataFrame({"y": truth if part == 2 else truth.astype(object)} | called | shares))
        tables[-1].to_parquet(tmp_path / f"{part}.parquet")
    how = {"score": names} if role == "score" else {"prediction": "q"}
    found = ca.scan(sorted(tmp_path.glob("*.parquet")), truth="y", **how)
    rows = pd.concat([table.astype({"y": object}) for table in tables])
    whole = ca.assess(rows, truth="y", labels=order, ordered=True, **how)
    assert found.labels == whole.labels == (*order,)
    for name, wanted in whole.estimates().items():
        one = found[name]
        for end in ("value", "low", "high"):
            assert getattr(one, end) == pytest.approx(getattr(wanted, end), nan_ok=True), name
