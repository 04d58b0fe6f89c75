"""What files hold, by plain Python: types of labels, lines of rows, cases matched by ids, cases to learn from."""

import gzip
import json
import math
import os
import re
import sys
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from classay.errors import FileError, InputError, NoRowsError
from classay.sources.files import (
    column_names,
    names_of_files,
    place_in_files,
    read_table,
    read_tables,
    read_training,
)
from classay.sources.id_columns import repeated_in
from classay.sources.inputs import (
    _SUFFIXES,
    Input,
    Part,
    as_frame,
    columns_of_roles,
    find_input,
    frame_columns,
    is_known_name,
    named_input,
    numbers_of,
    orders_by_id,
    refuse_unpacked,
    roles_of_amounts,
    stem_of,
)
from classay.sources.text_files import _holds_hexadecimal, are_typed, read_csv, rows_of_json, typed_names

# --- labels


POOLS = {
    "whole numbers": ["0", "1", "-2"],
    "numbers": ["1.5", "2.0", "-3"],
    "fractions": ["1.5", "-2.25"],
    "fractions beside whole numbers": ["1.5", "-3"],
    "fractions beside whole numbers with a point": ["1.5", "2.0"],
    "blanks around numbers": [" 1", "2 "],
    "leading zeros": ["01", "2"],
    "one number in two spellings": ["1", "1.0"],
    "exponents": ["10", "1e1"],
    "truth values": ["True", "False"],
    "one truth value": ["true", "true"],
    "truth values in two spellings": ["true", "False"],
    "text": ["a", "b"],
    "text beside numbers": ["a", "1"],
    "no finite number": ["inf", "1"],
    "whole numbers beyond floats": ["9007199254740993", "0.5"],
    "whole numbers of 64 bits": ["9223372036854775807", "-9223372036854775808"],
    "whole numbers of 64 bits without a sign": ["18446744073709551615", "1"],
    "whole numbers beyond 64 bits": ["18446744073709551616", "1"],
    "dates": ["2020-01-01", "2021-01-01"],
    "hexadecimal": ["0x1", "2"],
    "a sign": ["+1", "2"],
    "nothing": ["", ""],
}


def by_itself(texts, *, alike):
    """What distinct texts are: numbers or truth values where nothing is lost, and else texts."""
    for spelling in (str.title, str.lower, str.upper):
        if {*texts} <= {spelling("true"), spelling("false")}:
            return {text: text == spelling("true") for text in texts}
    values = {}
    for text in texts:
        bare = text.strip()
        if re.fullmatch(r"[+-]?\d+", bare):
            values[text] = int(bare)
        elif re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", bare):
            values[text] = float(bare)
        else:
            return None
        if str(values[text]) != bare:
            return None
    has_floats = any(isinstance(value, float) for value in values.values())
    if len({*values.values()}) < len(texts) or (has_floats and any(abs(v) > 2**53 for v in values.values())):
        return None
    low, high = min(values.values()), max(values.values())
    if (not has_floats and high >= 2 ** (64 if low >= 0 else 63)) or (not has_floats and low < -(2**63)):
        return None
    whole = {isinstance(value, float) for value in values.values() if value == int(value)}
    return None if alike and len(whole) > 1 else values


def labels_of(columns, together, named):
    """The values of columns of labels, of which those `together` label the same classes."""
    texts = {name: [*dict.fromkeys(filter(None, column))] for name, column in columns.items()}
    alone = {
        name: by_itself(each, alike=name not in together) if each else {} for name, each in texts.items()
    }
    of_text = {*named}.union(*(texts[name] for name in together if alone[name] is None))
    kept = {}
    for name, column in columns.items():
        is_text = alone[name] is None or (name in together and not of_text.isdisjoint(texts[name]))
        known = {text: text for text in texts[name]} if is_text else alone[name]
        kept[name] = [known[text] if text else None for text in column]
    return kept


@pytest.mark.parametrize("seed", range(6))
def test_labels_are_numbers_only_where_nothing_is_lost_and_all_of_their_classes_are(tmp_path, seed):
    rng = np.random.default_rng(seed)
    for turn in range(25):
        columns = {}
        for name in ("y", "q", "id"):
            pool = POOLS[[*POOLS][rng.integers(len(POOLS))]]
            columns[name] = [pool[k] if rng.random() > 0.2 else "" for k in rng.integers(0, len(pool), 7)]
        named = [["a"], ["1"], []][turn % 3]
        path = tmp_path / f"{turn}.csv"
        rows = [",".join((*row, f"{k / 8}")) for k, row in enumerate(zip(*columns.values(), strict=True))]
        path.write_text("\n".join(["y,q,id,p", *rows]) + "\n")
        read = read_table(path, [*columns, "p"], labels=[*columns], together=["y", "q"], named=named)
        wanted = labels_of(columns, ("y", "q"), named)
        found = {name: read[name].to_pylist() for name in columns}
        assert found == wanted, (columns, named)
        types = {name: [type(value) for value in column] for name, column in wanted.items()}
        floats = {name for name, column in types.items() if float in column}
        for name in {*columns} - floats:
            assert [type(value) for value in found[name]] == types[name]
        assert read["p"].to_pylist() == [k / 8 for k in range(7)]


@pytest.mark.parametrize("name", [name for name in POOLS if name != "blanks around numbers"])
@pytest.mark.parametrize("other", [name for name in [*POOLS][:11] if name != "blanks around numbers"])
def test_parts_of_a_column_are_typed_as_the_whole_is(name, other):
    parts = [[text for text in pool if text] for pool in (POOLS[name], POOLS[other])]
    known = [typed_names(pa.chunked_array([pa.array(part, pa.string())])) for part in parts]
    examples = frozenset().union(*(each for _, each in known))
    is_typed = all(each for (_, each), part in zip(known, parts, strict=True) if part) and are_typed(examples)
    texts = [*dict.fromkeys([*parts[0], *parts[1]])]
    assert is_typed == (by_itself(texts, alike=True) is not None)


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 10**25])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_whole_numbers_beyond_64_bits_stay_as_they_are_written(tmp_path, number, ending):
    path = tmp_path / f"a.{ending}"
    values = [number, 7]
    lines = ["id", *map(str, values)] if ending == "csv" else [f'{{"id": {value}}}' for value in values]
    path.write_text("\n".join(lines) + "\n")
    found = read_table(path)["id"].to_pylist()
    fits = -(2**63) <= number < 2**63
    assert found == (values if fits else [*map(str, values)])


@pytest.mark.parametrize("above", [0, 1, (1 << 22) - 2, (1 << 22) - 1, 1 << 22])
@pytest.mark.parametrize(("mark", "is_there"), [(b"0x1", True), (b"0X1", True), (b"0 x", False)])
def test_hexadecimal_digits_are_found_wherever_a_block_ends(above, mark, is_there):
    content = b"1\n" * (above // 2) + b"1" * (above % 2) + mark + b"\n"
    source = Input("a.csv", "", content, content[:8], "csv", ",")
    assert _holds_hexadecimal(source) == is_there


def test_hexadecimal_digits_leave_other_columns_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n0X1F,2,0.5\n3,4,0.25\n,5,1\n")
    assert read_table(path).to_pydict() == {"a": ["0X1F", "3", None], "b": [2, 4, 5], "c": [0.5, 0.25, 1.0]}


# --- places


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "jsonl"])
def test_a_row_is_on_the_line_on_which_it_begins(tmp_path, ending, end):
    """Quoted ends of lines, and lines without a row, are counted."""
    rng = np.random.default_rng(3)
    for turn in range(5):
        lines, begins = ([] if ending == "jsonl" else ["\t".join("yp") if ending == "tsv" else "y,p"]), []
        for row in range(8):
            lines += [""] * int(rng.integers(0, 3))
            begins.append(len(lines) + 1)
            if ending == "jsonl":
                lines.append(json.dumps({"y": row, "p": 0.5}))
                continue
            inside = int(rng.integers(0, 3)) if ending != "tsv" else 0
            first = f'"a{end * inside}b"' if inside else str(row)
            lines += f"{first}{chr(9) if ending == 'tsv' else ','}0.5".split(end)
        path = tmp_path / f"{turn}.{ending}"
        text = (end.join(lines) + end).encode()
        path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
        said = [place_in_files([str(path)], None, None, (), row) for row in range(9)]
        assert said == [*(f"line {line}" for line in begins), "data row 9"]


def test_a_row_of_several_files_is_on_a_line_where_it_is_the_same_in_all(tmp_path):
    for name, text in (("a", "y\n1\n2\n"), ("b", "y\n3\n4\n"), ("c", "y\n\n5\n6\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    paths = {name: str(tmp_path / f"{name}.csv") for name in "abc"}
    assert place_in_files([paths["a"], paths["b"]], None, None, (), 1) == "line 3"
    assert place_in_files([paths["a"], paths["c"]], None, None, (), 1) == "data row 2"
    parquet.write_table(pa.table({"y": [1]}), tmp_path / "d.parquet")
    assert place_in_files([str(tmp_path / "d.parquet")], None, None, (), 0) == "data row 1"
    assert place_in_files([paths["a"], str(tmp_path / "none.csv")], None, None, (), 1) == "data row 2"


@pytest.mark.parametrize("suffix", _SUFFIXES)
def test_a_name_without_what_tells_its_format(suffix):
    for name in (f"days/mon{suffix}", f"days/mon{suffix.upper()}"):
        assert (stem_of(name), is_known_name(name)) == ("days/mon", True)
    other = f"days/mon{suffix}x"
    assert (stem_of(other), is_known_name(other)) == (other, False)


def test_files_are_named_as_short_as_tells_them_apart():
    assert names_of_files(["x/a.csv", "y/b.csv"]) == ["a", "b"]
    assert names_of_files(["x/a.csv", "y/a.csv", "y/b.csv"]) == ["x/a.csv", "y/a.csv", "y/b.csv"]


# --- bytes


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(("begin", "end"), [(0, None), (0, 5), (3, None), (3, 9), (3, 3), (40, 99)])
def test_a_part_of_a_text_is_its_bytes_from_the_first_to_the_last(pack, begin, end):
    text = b"0123456789" * 5
    packed = pack(text)
    source = Input("a.csv", "", packed, packed[:8], "csv", ",", begin=begin, end=end)
    assert source.content() == text[begin:end]
    assert source.compression == (None if pack is bytes else "gzip")


def test_a_part_tells_how_many_bytes_were_read():
    import io

    told = []
    part = Part(io.BytesIO(b"0123456789"), told.append, 7)
    assert [part.read(3), part.read(3), part.read(3), part.read(3)] == [b"012", b"345", b"6", b""]
    assert told == [3, 6, 7, 7]
    assert Part(io.BytesIO(b"0123456789")).read() == b"0123456789"


def test_several_objects_of_json_may_share_a_line():
    assert [*rows_of_json(' {"a": 1} {"a": 2}\n\n{"a": 3}\n ')] == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert [*rows_of_json("")] == []
    assert [*rows_of_json('{"a": 1}', tuple)] == [(("a", 1),)]


def test_columns_that_are_named_need_no_header(tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    source = find_input(tmp_path / "a.csv", None, None)
    named = replace(source, names=("y", "q"))
    assert read_csv(named, ["q", "y"]).to_pydict() == {"q": [2, 4], "y": [1, 3]}


# --- cases by their ids


def by_hand(ids, unmatched):
    """For each source the rows of the shared ids, in the order of the first; of all ids, where they are kept."""
    first = next(iter(ids.values()))
    if unmatched == "keep":
        order = [*dict.fromkeys(value for column in ids.values() for value in column)]
    else:
        order = [value for value in first if all(value in column for column in ids.values())]
    return {
        name: [column.index(value) if value in column else -1 for value in order]
        for name, column in ids.items()
    }


KINDS = {
    "numbers": int,
    "text": lambda k: f"case {k}",
    "long": lambda k: Decimal(2**70 + int(k)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unmatched", ["refuse", "drop", "keep"])
def test_cases_are_matched_by_their_ids_as_by_hand(kind, unmatched):
    rng = np.random.default_rng(len(kind))
    for sources in (1, 2, 3):
        for _ in range(4):
            every = rng.permutation(12)[:9]
            ids = {}
            for name in "abc"[:sources]:
                some = rng.permutation(every if unmatched == "refuse" else rng.permutation(12)[:9])
                ids[name] = [KINDS[kind](k) for k in some]
            found = {name: order.tolist() for name, order in orders_by_id(ids, unmatched).items()}
            assert found == by_hand(ids, unmatched)


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ({"new": [1, 2], "old": [2, 3]}, ["1 case of new is not in old and 1 case of old is not in new", "such as 1"]),
        ({"new": [1, 2], "old": [2, 3, 4, 1]}, ["2 cases of old are not in new", "such as 3"]),
        ({"new": [1, 2, 3], "old": [2]}, ["2 cases of new are not in old", "such as 1"]),
        ({"a": [1, 2], "b": [2, 1], "c": [1]}, ["1 case of a is not in c", "such as 2"]),
        ({"a": [1, 1, 2, 2, 2], "b": [1, 2]}, ["2 ids occur more than once in a", "such as 2"]),
        ({"a": [1, 2], "b": [1, 2, 1]}, ["1 ids occur more than once in b", "such as 1"]),
        ({"a": [1, 2], "b": ["1", "2"]}, ["different types (a whole numbers, such as 1; b text, such as '1')"]),
    ],
)  # fmt: skip
def test_cases_that_do_not_match_are_counted_and_named(ids, words):
    with pytest.raises(InputError) as refused:
        orders_by_id(ids)
    for each in words:
        assert each in str(refused.value)


@pytest.mark.parametrize("unmatched", ["drop", "keep"])
def test_models_without_a_shared_case_are_refused(unmatched):
    with pytest.raises(InputError, match=r"No id occurs in all models \(a and b\), for example not 1\."):
        orders_by_id({"a": [1, 2], "b": [3, 4]}, unmatched)
    assert orders_by_id({"a": [1, 2], "b": [3, 2]}, unmatched)["b"].max() == 1


# --- cases to learn from


def training(rng, rows=14):
    columns = {
        "id": [f"p{k}" for k in range(rows)],
        "who": [f"w{k // 3}" for k in range(rows)],
        "age": [int(k) if rng.random() > 0.3 else None for k in rng.integers(20, 80, rows)],
        "town": [["Ulm", "Bonn"][k] if rng.random() > 0.3 else None for k in rng.integers(0, 2, rows)],
        "note": ["x"] * rows,
        "ill": [["yes", "no"][k] if rng.random() > 0.2 else None for k in rng.integers(0, 2, rows)],
        "sad": [["a", "b"][k] if rng.random() > 0.2 else None for k in rng.integers(0, 2, rows)],
    }
    columns["ill"][0], columns["ill"][3] = "yes", None
    return columns


def write(path, columns):
    rows = [
        ",".join("" if cell is None else str(cell) for cell in row)
        for row in zip(*columns.values(), strict=True)
    ]
    path.write_text("\n".join([",".join(columns), *rows]) + "\n")  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("target", ["ill", ("ill", "sad")])
def test_cases_to_learn_from_are_those_with_a_target(tmp_path, seed, target):
    columns = training(np.random.default_rng(seed))
    path = tmp_path / "cases.csv"
    write(path, columns)
    how = {"cluster": "who", "id": "id", "drop": ["note"]}
    data = read_training(path, target, missing="drop", **how)
    targets = [target] if isinstance(target, str) else [*target]
    kept = [k for k in range(14) if all(columns[name][k] is not None for name in targets)]
    assert data.dropped == 14 - len(kept)
    found = {target: data.target} if isinstance(target, str) else data.target
    assert {name: each.to_pylist() for name, each in found.items()} == {
        name: [columns[name][k] for k in kept] for name in targets
    }
    assert (data.cluster.to_pylist(), data.id.to_pylist()) == tuple(
        [columns[name][k] for k in kept] for name in ("who", "id")
    )
    others = [name for name in columns if name not in (*targets, "who", "id", "note")]
    assert data.features.to_pydict() == {name: [columns[name][k] for k in kept] for name in others}
    gaps = {name: sum(columns[name][k] is None for k in kept) for name in others}
    assert data.gaps == {name: count for name, count in gaps.items() if count}
    first = next(k for k in range(14) if columns["ill"][k] is None)
    lost = sum(value is None for value in columns["ill"])
    rows = f"{lost} row{'s' if lost > 1 else ''}"
    with pytest.raises(
        InputError,
        match=rf"Column 'ill' \(target\) of .* missing values in {rows} \(first: line {first + 2}\)",
    ):
        read_training(path, target, **how)  # fmt: skip


def test_a_gap_in_a_cluster_is_on_its_line_after_rows_without_a_target_are_excluded(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("ill,who,age\nyes,a,1\n,b,2\nno,c,3\nno,,4\n")
    with pytest.raises(
        InputError, match=r"Column 'who' \(cluster\) of .* in 1 row \(first: line 5\)\. Fill in"
    ):
        read_training(path, "ill", cluster="who", missing="drop")


PURPOSES = {
    "target and cluster": ({"cluster": "ill"}, "Column 'ill' is named as target and as cluster. Use it for"),
    "target and id": ({"id": "ill"}, "Column 'ill' is named as target and as id. Use it for one purpose."),
    "target and dropped": ({"drop": ["ill"]}, "Column 'ill' is named as target and as dropped. Use it"),
    "cluster and dropped": ({"cluster": "who", "drop": ["who"]}, "Column 'who' is named as cluster and as"),
    "no feature": ({"drop": ["id", "who", "age", "town", "note", "sad"]}, "has no features other than 'ill', 'id'"),
    "repeated": ({"id": "note"}, "1 of 1 values of id 'note' occur in several rows of"),
    "repeated in clusters": ({"id": "note", "cluster": "who"}, "1 of 1 values of id 'note' occur in several values of"),
    "unknown word": ({"missing": "keep"}, "missing must be 'refuse' or 'drop', but is 'keep'."),
}  # fmt: skip


@pytest.mark.parametrize("name", PURPOSES)
def test_a_column_has_one_purpose(tmp_path, name):
    columns = training(np.random.default_rng(0))
    columns["ill"] = ["yes", "no"] * 7
    path = tmp_path / "cases.csv"
    write(path, columns)
    how, words = PURPOSES[name]
    with pytest.raises(InputError, match=re.escape(words)):
        read_training(path, "ill", **how)


@pytest.mark.parametrize("how", [{"cluster": "who", "id": "who"}, {"drop": ["note", "note"]}, {"id": "id"}])
def test_a_column_may_be_cluster_and_id_and_be_dropped_twice(tmp_path, how):
    columns = training(np.random.default_rng(0))
    columns["ill"] = ["yes", "no"] * 7
    path = tmp_path / "cases.csv"
    write(path, columns)
    data = read_training(path, "ill", **how)
    used = {"ill", *how.get("drop", ()), how.get("cluster"), how.get("id")}
    assert data.features.column_names == [name for name in columns if name not in used]


# --- frames


def test_a_text_of_no_bytes_has_no_rows_and_another_file_was_cut_off(tmp_path):
    for ending, is_text in (
        ("csv", True),
        ("tsv", True),
        ("jsonl", True),
        ("parquet", False),
        ("arrow", False),
    ):
        path = tmp_path / f"a.{ending}"
        path.write_bytes(b"")
        with pytest.raises(FileError, match="is empty") as refused:
            read_table(path)
        assert isinstance(refused.value, NoRowsError) == is_text


def test_a_parquet_file_may_begin_with_no_rows(tmp_path):
    table = pa.table({"y": ["a", "b", "a"], "p": [0.5, 0.25, 1.0]})
    with parquet.ParquetWriter(tmp_path / "a.parquet", table.schema) as writer:
        writer.write_table(table.slice(0, 0))
        writer.write_table(table)
    assert read_table(tmp_path / "a.parquet").to_pydict() == table.to_pydict()


def test_a_table_without_columns_is_told():
    for frame in ({}, pd.DataFrame(), pl.DataFrame(), pa.table({})):
        with pytest.raises(InputError, match=r"has no columns\. Use a table of predictions\."):
            frame_columns(frame, ["y"])


@pytest.mark.parametrize(("name", "is_column"), [("p", True), ("p.q", False)])
def test_a_name_without_an_ending_may_be_a_column_at_the_command(tmp_path, name, is_column):
    with pytest.raises(FileError, match="Check the path") as refused:
        find_input(tmp_path / name, None, None)
    told = "Join names of columns by commas, as in --scores A,B." in refused.value.at_the_command
    assert (told, "--scores" in str(refused.value)) == (is_column, False)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_a_frame_of_any_library_is_one_and_an_array_is_none(make):
    known = as_frame(make({"y": [0, 1], "p": [0.5, 0.25]}))
    assert (known.columns, known.rows()) == (["y", "p"], [(0, 0.5), (1, 0.25)])
    for other in (np.zeros((2, 2)), [[1, 2]], ((1, 2),), None, "text", 3):
        assert as_frame(other) is None


def test_numbers_of_a_table_are_its_columns_of_numbers():
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    frame = pd.DataFrame({"a": [1, 2, 3], "t": ["x", "y", "z"], "b": [0.5, None, 2], "d": days})
    frame["n"] = pd.array([1, None, 3], "Int64")
    values, numeric = numbers_of(frame)
    assert numeric == [0, 2, 4]
    assert np.array_equal(values[:, 0], [1, 2, 3])
    assert np.array_equal(values[:, [2, 4]], [[0.5, 1], [np.nan, np.nan], [2, 3]], equal_nan=True)
    assert np.isnan(values[:, [1, 3]]).all()
    for table in ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]], np.uint8), np.array([[1.0, 2], [3, 4]])):
        values, numeric = numbers_of(table)
        assert (values.tolist(), numeric) == ([[1, 2], [3, 4]], [0, 1])
    for other in ("text", np.arange(3), np.array([["a"]]), None):
        with pytest.raises(TypeError):
            numbers_of(other)


def test_roles_are_names_or_columns():
    frame = {"y": [0, 1], "w": [1, 2]}
    given = np.array([3, 4])
    found = columns_of_roles(frame, {"truth": "y", "again": "y", "weight": given, "id": None})
    assert found["truth"] == found["again"] == [0, 1]
    assert found["weight"] is given
    assert found["id"] is None
    assert columns_of_roles(object(), {"weight": given}) == {"weight": given}
    assert roles_of_amounts("fee") == roles_of_amounts(("fee",)) == {"fee": "fee"}
    for other in (3, ["fee", 3], None):
        with pytest.raises(InputError, match="amounts must be names of columns"):
            roles_of_amounts(other)


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_ids_that_repeats_is_found_where_it_has_no_other_use(frame):
    ids = ["a", "b", "c", "d", "e"] * 2
    rows = frame({"id": ids, "y": [0, 1] * 5})
    assert repeated_in(rows, {"y"}) == ("id", 5)
    assert sum(count > 1 for count in Counter(ids).values()) == 5
    assert repeated_in(rows, {"y", "id"}) is None
    assert repeated_in(frame({"id": [f"p{k}" for k in range(10)], "y": [0, 1] * 5}), {"y"}) is None


def test_a_lazy_frame_is_not_looked_through():
    rows = pl.LazyFrame({"id": ["a", "b", "c", "d", "e"] * 2, "y": [0, 1] * 5})
    assert repeated_in(rows, {"y"}) is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("y,p\n1,0.5\n2\n", "Line 3 of .* has 1 field, but the header has 2. Complete the row"),
        (
            "y,p\n\n\n1,0.5\n2,3,4\n",
            "Line 5 of .* has 3 fields, .* Use decimal points instead of decimal commas",
        ),
        ('y,p\n"a\nb",0.5\n2\n', "Line 4 of .* has 1 field, but the header has 2"),
    ],
)
def test_a_row_of_another_length_is_named_by_its_line(tmp_path, content, words):
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(FileError, match=words):
        read_table(path)


def test_infinite_scores_are_read_as_they_are(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,p\n1,inf\n0,-inf\n1,1e308\n")
    assert read_table(path)["p"].to_pylist() == [math.inf, -math.inf, 1e308]


@pytest.mark.parametrize("labels", [[], ["y"], ["x", "y"]])
@pytest.mark.parametrize("rows", [3, 60_000])
def test_a_column_that_is_no_text_is_named(tmp_path, labels, rows):
    path = tmp_path / "a.csv"
    path.write_bytes(b"x,y\n" + b"a,b\n" * rows + b"a,caf\x81\n")
    with pytest.raises(FileError) as refused:
        read_table(path, labels=labels)
    assert str(refused.value) == f"Column 'y' of {path} is not UTF-8 text. Save the file as UTF-8."
    assert read_table(path, ["x"], labels=["x"])["x"].to_pylist() == ["a"] * (rows + 1)


def test_lines_are_counted_with_the_delimiter_and_the_mark_of_a_file(tmp_path):
    """A quote begins a field behind a mark and behind a delimiter, and nowhere else."""
    path = tmp_path / "a.csv"
    path.write_bytes('\ufeff"y\nz";p\n1;"a\nb"\n2;5" wide\n3;c\n'.encode())
    said = [place_in_files([str(path)], None, ";", (), row) for row in range(4)]
    assert said == ["line 3", "line 5", "line 6", "data row 4"]
    assert read_table(path, delimiter=";")["p"].to_pylist() == ["a\nb", '5" wide', "c"]


@pytest.mark.parametrize("names", [None, ("y", "p")])
@pytest.mark.parametrize("above", [0, 2])
def test_a_row_of_another_length_is_named_where_the_names_are_given_too(names, above):
    head = b"y,p\n" if names is None else b""
    content = head + b"1,0.5\n" * above + b"2,3,4\n5,6\n"
    source = Input("a.csv", "", content, content[:8], "csv", ",", names=names)
    with pytest.raises(FileError) as refused:
        read_csv(source, None)
    line = above + 1 + (names is None)
    assert str(refused.value).startswith(f"Line {line} of a.csv has 3 fields, but the header has 2. ")


def test_cases_to_learn_from_are_read_as_they_are_told(tmp_path):
    path = tmp_path / "rows.data"
    path.write_text("x;y\n1;a\n2;b\n")
    with pytest.raises(FileError, match=r"The format of .* is unknown from its name"):
        read_training(path, "y", delimiter=";")
    data = read_training(path, "y", format="csv", delimiter=";")
    assert (data.features["x"].to_pylist(), data.target.to_pylist()) == ([1, 2], ["a", "b"])
    with pytest.raises(InputError) as refused:
        read_training(path, "y", format="csv", delimiter=";", drop=["x"])
    assert str(refused.value) == f"{path} has no features other than 'y', 'x'. Keep at least one column."


def test_texts_of_a_column_of_other_things_leave_the_classes_of_another_file_numbers(tmp_path):
    """Only a column of the same classes makes them text."""
    (tmp_path / "a.csv").write_text("y,id\n1,u\n2,v\n")
    for name, classes, ids, wanted in (
        ("numbers", [1, 2], ["1", "2"], [1, 2]),
        ("text", ["1", "b"], ["u", "v"], ["1", "2"]),
        ("other text", ["a", "b"], ["1", "2"], [1, 2]),
    ):
        path = tmp_path / f"{name}.parquet"
        parquet.write_table(pa.table({"y": classes, "id": ids}), path)
        files = [(tmp_path / "a.csv", ["y", "id"]), (path, ["y", "id"])]
        read, _ = read_tables(files, labels=["y", "id"], together=["y"])
        assert read["y"].to_pylist() == wanted, name
        assert read["id"].to_pylist() == ["u", "v"]


ROWS = {"n": [1, 2], "x": [0.5, 1.5], "t": ["a", "b"], "is": [True, False], "gap": [None, None]}
TYPES = [("n", "int64"), ("x", "double"), ("t", "string"), ("is", "bool"), ("gap", "null")]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "arrow"])
def test_columns_and_their_types_are_told_by_every_kind_of_file(tmp_path, ending):
    path, table = tmp_path / f"a.{ending}", pa.table(ROWS)
    if ending == "parquet":
        parquet.write_table(table, path)
    elif ending == "arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    elif ending == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in table.to_pylist()))
    else:
        mark = {"csv": ",", "tsv": "\t"}[ending]
        lines = [ROWS, ["1", "0.5", "a", "True", ""], ["2", "1.5", "b", "False", ""]]
        path.write_text("".join(f"{mark.join(line)}\n" for line in lines))
    assert column_names(path) == TYPES
    assert read_table(path).to_pydict() == ROWS


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (["y", "p"], None),
        (["q"], "The frame has no column 'q'. Columns: y, p."),
        (["y", "y"], "Column 'y' is named twice. Name it once."),
        ([], "No column of the frame is named. Name at least one."),
        ("y", "columns must be a list of names, such as ['y'], but is the text 'y'."),
    ],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, pl.LazyFrame])
def test_columns_of_a_frame_are_those_named_or_told(make, named, words):
    frame = make({"y": [0, 1], "p": [0.25, 0.75]})
    if words is None:
        assert [*frame_columns(frame, named)] == named
        return
    with pytest.raises(InputError) as refused:
        frame_columns(frame, named)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("format", "delimiter", "words"),
    [
        ("csv", "x", None),
        ("csv", "tab", None),
        ("csv", "\\t", None),
        ("csv", ";;", "delimiter must be one character, such as ';' or a tab, but is ';;'."),
        ("csv", "", "delimiter must be one character, such as ';' or a tab, but is ''."),
        ("csv", "§", "delimiter must be one character, such as ';' or a tab, but is '§'."),
        ("tsv", '"', "delimiter must be one character, such as ';' or a tab, but is '\"'."),
        ("parquet", ",", "delimiter= has no effect on a parquet file. Remove it."),
        ("arrow", ",", "delimiter= has no effect on an arrow file. Remove it."),
        ("jsonl", ",", "delimiter= has no effect on a jsonl file. Remove it."),
    ],
)
def test_a_delimiter_is_one_character_of_a_table_of_text(format, delimiter, words):
    if words is None:
        assert named_input("a", format, delimiter).delimiter == ("x" if delimiter == "x" else "\t")
        return
    with pytest.raises(InputError) as refused:
        named_input("a", format, delimiter)
    assert str(refused.value) == words


def test_a_source_that_is_named_only_is_known_by_its_name():
    stdin, file = named_input("-", "csv", None), named_input("~/a.tsv", None, None)
    assert (stdin.name, stdin.path, stdin.format, stdin.delimiter) == ("standard input", "-", "csv", ",")
    assert (file.name, file.path, file.format) == ("~/a.tsv", os.path.expanduser("~/a.tsv"), "tsv")
    with pytest.raises(
        FileError, match=r"^The format of standard input is unknown\. Use format= with one of csv,"
    ):
        named_input("-", None, None)


def test_a_name_that_no_file_can_have_is_told():
    with pytest.raises(FileError, match=r"^a\\?.*b\.csv cannot be opened: embedded null byte\.$"):
        find_input("a\0b.csv", "csv", None)


@pytest.mark.parametrize(
    ("limits", "most", "beyond"),
    [((1 << 28, sys.maxsize), 1 << 28, ""), ((1 << 28, 10**9), 1 << 28, ", but at most 1 GB")],
)
def test_what_unpacks_to_too_much_is_told_with_its_limits(limits, most, beyond):
    refuse_unpacked("a.gz", 10, most, limits)
    with pytest.raises(FileError) as refused:
        refuse_unpacked("a.gz", 10, most + 1, limits)
    assert str(refused.value) == (
        f"a.gz has 10 bytes and unpacks to more than {most:,} bytes. Files may unpack to 256 MB or to 100 times their "
        f"size{beyond}. Unpack it first."
    )
    refuse_unpacked("a.gz", 10**7, 10**9)
    with pytest.raises(FileError, match="more than 1,000,000,000 bytes"):
        refuse_unpacked("a.gz", 10**7, 10**9 + 1)


def test_decimals_to_learn_from_are_floats(tmp_path):
    table = pa.table({"x": pa.array([Decimal("1.5"), Decimal("2.25")]), "y": ["a", "b"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    data = read_training(tmp_path / "a.parquet", "y")
    assert (data.features["x"].type, data.features["x"].to_pylist()) == (pa.float64(), [1.5, 2.25])


@pytest.mark.parametrize("content", ['{"y": 1}\n3\n', '{"y": 1}\n{"y": 2}\n[1]\n', '{"y": 1}\n"a"\n'])
def test_a_line_of_json_that_is_no_object_is_named(tmp_path, content):
    path = tmp_path / "a.jsonl"
    path.write_text(content)
    line = content.count("\n")
    with pytest.raises(FileError) as refused:
        read_table(path)
    assert str(refused.value) == (
        f"Line {line} of {path} is not a JSON object. Write one object such as "
        '{"column": value, …} on each line. A file with one array needs the extension .json.'
    )
