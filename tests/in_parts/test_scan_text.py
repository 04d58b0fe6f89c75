"""Huge files of text and standard input, in parts: the same tables as read whole, or the same refusal."""

import gzip
import io
import json
import os
import re
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import classay as ca
from classay.columns.values import typed
from classay.errors import ClassayError, InputError
from classay.in_parts import text_parts
from classay.sources import text_files
from classay.sources.files import read_table


@pytest.fixture(autouse=True)
def small_parts(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(text_parts, "BYTES", 2000)


def rows(n=1000, labels=("well", "ill"), seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    p = rng.beta(1 + 2 * y, 3).round(4)
    return [
        (labels[int(each)], float(score), int(i % 3 + 1))
        for i, (each, score) in enumerate(zip(y, p, strict=True))
    ]


def as_text(found, format):
    if format == "jsonl":
        return "".join(json.dumps({"y": y, "p": p, "n": n}) + "\n" for y, p, n in found)
    gap = "\t" if format == "tsv" else ","
    return "".join(gap.join(map(str, row)) + "\n" for row in [("y", "p", "n"), *found])


def test_a_byte_order_mark_changes_no_long_number(tmp_path):
    text = "".join(json.dumps({"i": 2**63 + i, "y": i % 2}) + "\n" for i in range(9))
    plain, marked = written("plain.jsonl", text), written("marked.jsonl", "\ufeff" + text)
    assert read_table(marked).equals(read_table(plain))
    assert len({*read_table(marked)["i"].to_pylist()}) == 9


HUGE = ["9" * 20, str(2**53 + 1)]  # beside decimals they are floats, and by themselves not


def written(name, text):
    content = text.encode()
    if name.endswith(".gz"):
        content = gzip.compress(content)
    elif name.endswith(".zst"):
        content = pa.compress(content, "zstd", asbytes=True)
    with open(name, "wb") as file:
        file.write(content)
    return name


def both(name, **how):
    """What a scan says and what all rows at once say: a dict, or the text of the error."""
    names = {"truth": "y", "score": "p"} | how
    columns = [names[each] for each in ("truth", "score", "prediction", "frequency") if names.get(each)]
    labels = [names[each] for each in ("truth", "prediction") if names.get(each)]

    def whole():
        return ca.assess(read_table(name, list(dict.fromkeys(columns)), labels=labels), **names)

    def told(work):
        try:
            return work().to_dict()
        except ClassayError as error:
            return str(error).split(": ", 1)[-1] if work is not whole else str(error)

    return told(lambda: ca.scan(name, **names)), told(whole)


@pytest.mark.covering(1)
@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("kind", ["", ".gz", ".zst"])
def test_every_kind_of_text_is_what_it_is_as_a_whole(format, kind):
    name = written(f"a.{format}{kind}", as_text(rows(), format))
    found, wanted = both(name, positive="ill", frequency="n")
    assert found == wanted
    assert isinstance(found, dict)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_standard_input_is_streamed(format, monkeypatch):
    text = as_text(rows(), format)
    wanted = both(written(f"a.{format}", text), positive="ill")[1]

    class Standard:
        buffer = io.BytesIO(text.encode())

    monkeypatch.setattr(sys, "stdin", Standard())
    assert ca.scan("-", truth="y", score="p", positive="ill", format=format).to_dict() == wanted


# the spellings of the labels of the first rows, and of the last ones
TRAPS = {
    "numbers, then a decimal": (["0", "1"], ["0", "1", "1.5"]),
    "numbers, then text": (["0", "1"], ["0", "1", "other"]),
    "numbers, then a leading zero": (["0", "1"], ["0", "01"]),
    "whole numbers, then the same as decimals": (["0", "1"], ["0.0", "1.0"]),
    "truth values, then another spelling": (["True", "False"], ["true", "False"]),
    "truth values": (["true", "false"], ["true"]),
    "a number of 30 digits": (["0", "1"], ["0", "1", "9" * 30]),
    "dates": (["2024-01-01", "2024-01-02"], ["2024-01-03", "none"]),
    "one label first": (["0"], ["0", "1"]),
    "one label only": (["1"], ["1"]),
    "one truth value only": (["true"], ["true"]),
    "one truth value only, in capitals": (["FALSE"], ["FALSE"]),
    "missing first": ([""], ["0", "1"]),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_labels_are_what_all_of_their_texts_make_them(trap):
    first, last = TRAPS[trap]
    labels = [first[i % len(first)] for i in range(1500)] + [last[i % len(last)] for i in range(300)]
    text = "".join(f"{y},{y}\n" for y in ["y", *labels])
    name = written("a.csv", text.replace("y,y", "y,q", 1))
    missing = "drop" if "" in first else "refuse"
    found, wanted = both(name, score=None, prediction="q", missing=missing)
    assert found == wanted
    if isinstance(wanted, dict):
        assert [*map(type, found["labels"])] == [*map(type, wanted["labels"])]


JSON_TRAPS = {
    "whole numbers, then decimals": ([0, 1], [0, 1, 1.5]),
    "whole numbers, then the same as decimals": ([0, 1], [0.0, 1.0]),
    "whole numbers beyond 64 bits": ([10, 11], [10, 10**25]),
    "text like dates, then text": (["2024-01-01", "2024-01-02"], ["2024-01-03", "none"]),
    "text like dates": (["2024-01-01", "2024-01-02"], ["2024-01-03"]),
    "truth values": ([True, False], [True]),
}


@pytest.mark.parametrize("trap", JSON_TRAPS)
def test_labels_of_json_are_what_all_of_them_make_them(trap):
    first, last = JSON_TRAPS[trap]
    labels = [first[i % len(first)] for i in range(400)] + [last[i % len(last)] for i in range(100)]
    name = written("a.jsonl", "".join(json.dumps({"y": y, "q": y}) + "\n" for y in labels))
    found, wanted = both(name, score=None, prediction="q")
    assert found == wanted
    assert [*map(type, found["labels"])] == [*map(type, wanted["labels"])]


@pytest.mark.parametrize(
    "last", [[0, 10**25], ["x", 10**25], [10**25, "99"], ["1", "0"], [str(10**25), 10**25], [10**25, 1.5]]
)
@pytest.mark.parametrize("first", [[0, 1], ["x", "y"], [10**25, 1], ["1", "2"]])
def test_labels_of_json_of_several_kinds_are_refused_in_parts_as_at_once(first, last):
    labels = [first[i % 2] for i in range(400)] + [last[i % 2] for i in range(100)]
    name = written("a.jsonl", "".join(json.dumps({"y": y, "q": y}) + "\n" for y in labels))
    found, wanted = both(name, score=None, prediction="q")
    assert isinstance(found, dict) == isinstance(wanted, dict), (found, wanted)
    if isinstance(wanted, dict):
        assert found == wanted


@pytest.mark.covering(1)
@pytest.mark.parametrize("end", ["", ".gz", ".zst"])
@pytest.mark.parametrize("first", [{}, {"y": "ill"}, {"p": 0.5}, {"é": 1}])
def test_fields_of_json_that_the_first_rows_lack(first, end):
    """What is not known of the first rows is left out by those who write them."""
    rows = [first] * 300 + [{"y": "ill" if i % 3 else "well", "p": i % 7 / 7, "é": 2} for i in range(300)]
    name = written(f"a.jsonl{end}", "".join(json.dumps(row) + "\n" for row in rows))
    for how in ({"missing": "drop"}, {}):
        found, wanted = both(name, positive="ill", **how)
        assert isinstance(found, dict) == isinstance(wanted, dict), (found, wanted)
        if isinstance(wanted, dict):
            assert found == wanted
    for typo in ({"score": "q"}, {"truth": "é2"}):
        with pytest.raises(InputError, match=r"no columns? "):
            ca.scan(name, **({"truth": "y", "score": "p"} | typo))


def test_text_among_numbers_of_json_is_refused(monkeypatch):
    monkeypatch.setattr(text_parts, "BYTES", 900)  # the numbers end where a part ends
    labels = [1] * 400 + ["one"] * 100
    written("a.jsonl", "".join(json.dumps({"y": y}) + "\n" for y in labels))
    with pytest.raises(ClassayError, match="contains numbers and text in different rows"):
        ca.scan("a.jsonl", truth="y", prediction="y")


@pytest.mark.parametrize(
    "scores",
    [
        [*["1", "0"] * 300, *["0.5", "0.25"] * 100],
        [*["0.5"] * 300, *["1", "0"] * 100],
        [*["1"] * 300, "high", *["0"] * 100],
        [*["1"] * 300, "", *["0"] * 100],
        [*["0.5"] * 300, "inf", *["0.1"] * 100],
    ],
)
def test_scores_are_the_same_numbers_wherever_they_stand(scores):
    text = "".join(f"{i % 2},{p}\n" for i, p in enumerate(scores))
    found, wanted = both(written("a.csv", "y,p\n" + text))
    if isinstance(wanted, dict):
        assert found == wanted
    else:  # of a part, fewer rows are at fault
        found, wanted = (re.sub(r"(index|line) \d+", "row", text) for text in (found, wanted))
        assert found.split(" in ")[0].endswith(wanted.split(" in ")[0])


def test_declared_labels_are_those_of_the_texts():
    labels = ["0", "1"] * 300 + ["2"] * 50
    written("a.csv", "y\n" + "\n".join(labels) + "\n")
    wanted = ca.scan("a.csv", truth="y", prediction="y")
    assert ca.scan("a.csv", truth="y", prediction="y", labels=[0, 1, 2]).to_dict() == wanted.to_dict()
    with pytest.raises(InputError, match="not declared"):
        ca.scan("a.csv", truth="y", prediction="y", labels=[0, 1])


def test_what_comes_late_on_standard_input_must_be_declared(monkeypatch):
    text = "y\n" + "0\n1\n" * 3000 + "2\n"

    def feed():
        class Standard:
            buffer = io.BytesIO(text.encode())

        monkeypatch.setattr(sys, "stdin", Standard())

    feed()
    with pytest.raises(
        InputError, match=r"standard input can be read only once. List all labels with labels="
    ):
        ca.scan("-", truth="y", prediction="y", format="csv")
    feed()
    assert ca.scan("-", truth="y", prediction="y", format="csv", labels=[0, 1, 2]).n == 6001


def test_many_files_of_text_share_what_their_labels_are(tmp_path):
    (tmp_path / "many").mkdir()
    for i, labels in enumerate((["0", "1"], ["0", "1", "01"])):
        written(f"many/{i}.csv", "y\n" + "\n".join(labels * 20) + "\n")
    assert ca.scan("many", truth="y", prediction="y").labels == ("0", "01", "1")


def test_names_of_folders_are_labels_as_all_of_them_are_written(tmp_path):
    for name in ("08", "09", "10"):
        (tmp_path / "by" / f"kind={name}").mkdir(parents=True)
        written(f"by/kind={name}/a.csv", "p\n0.5\n0.25\n")
    assert ca.scan("by", truth="kind", prediction="kind").labels == ("08", "09", "10")


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_first_rows_are_counted_over_files(tmp_path, format):
    (tmp_path / "few").mkdir()
    all_rows = rows(900)
    for i in range(3):
        written(f"few/{i}.{format}", as_text(all_rows[300 * i : 300 * i + 300], format))
    found = ca.scan("few", truth="y", score="p", positive="ill", limit=450)
    assert found.n == 450
    first = written(f"first.{format}", as_text(all_rows[:450], format))
    assert found["roc_auc"] == ca.scan(first, truth="y", score="p", positive="ill")["roc_auc"]


NAMED = {
    "whole numbers": ["1", "2", "3", "4"],
    "fractions": ["1.5", "2.0", "3.25", "4.0"],
    "sections": ["1.1", "1.10", "1.2", "1.20"],
    "leading zeros": ["1", "01", "2", "02"],
    "a decimal point": ["1", "2", "1.0", "2.0"],
    "two spellings": ["True", "False", "true", "false"],
    "a text": ["1", "2", "3", "x"],
    "days": ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"],
}


@pytest.mark.covering(2)
@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("role", ["cluster", "id"])
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_names_are_apart_in_parts_in_files_and_in_first_rows_as_at_once(kind, role, format, tmp_path):
    names = sorted(NAMED[kind] * 40, key=len)  # the first parts do not know what is in others
    if role == "id":
        names = [f"{name}{k + 100}" for k, name in enumerate(names)]
    found = [(y, p, name) for name, (y, p, _) in zip(names, rows(160), strict=True)]
    distinct = [*dict.fromkeys(names)]
    meant = dict(zip(distinct, typed(distinct) if format == "csv" else distinct, strict=True))
    truth, scores, _ = zip(*found, strict=True)
    given = {role: [meant[name] for name in names]}
    whole = ca.assess(truth, scores, positive="ill", **given)
    (tmp_path / "some").mkdir()
    for place in range(2):
        written(f"some/{place}.{format}", as_text(found[place::2], format))
    longer = [*found, *((y, p, "z") for y, p, _ in found[:9])]
    sources = [(written(f"one.{format}", as_text(found, format)), {}), ("some", {})]
    sources.append((written(f"longer.{format}", as_text(longer, format)), {"limit": 160}))
    for source, more in sources:
        made = ca.scan(source, truth="y", score="p", positive="ill", **{role: "n"}, **more)
        assert made.clusters == whole.clusters
        assert made.blocks.fingerprint.tolist() == whole.blocks.fingerprint.tolist()


CUT = {
    "blanks": [["1", "2"], [" 1", "3"], ["1 ", "10"]],
    "blanks alone": [[" 1", " 2"], [" 2", "10"]],
    "blanks at decimals": [["1.5", "3.25"], [" 1.5", "2.25"]],
    "blanks beside a text": [["1", "2"], [" 1", "a"]],
    "zeros": [["0.0", "2.0"], ["-0.0", "3.0"]],
    "a plus": [["1", "2"], ["+1", "3"]],
    "an exponent": [["1", "2"], ["1e0", "3"]],
    "few decimals, then many": [["1.5", "2.5"], ["1.5", "2.5", "3.5", "4.5"]],
    "beyond 64 bits": [["1", "2"], [str(2**63), str(2**63 + 1)]],
    "negative, then beyond": [["-1", "2"], [str(2**63), str(2**64)]],
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", CUT)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize("few", [1, 4096])
def test_clusters_of_any_cut_are_those_of_the_whole(kind, backwards, format, few, monkeypatch):
    monkeypatch.setattr(text_files, "_DICTIONARY", few)  # of more distinct texts another way tells the type
    blocks = CUT[kind][::-1] if backwards else CUT[kind]
    if format == "jsonl":
        blocks = [[int(text) if text.lstrip("-").isdigit() else text for text in block] for block in blocks]
        if len({type(name) for block in blocks for name in block}) > 1:
            blocks = [[str(name) for name in block] for block in blocks]
    parts = [[(i % 2, 0.1 + 0.2 * (i % 4), block[i % len(block)]) for i in range(40)] for block in blocks]
    name = written(f"all.{format}", as_text([row for part in parts for row in part], format))

    def found(source):
        made = ca.scan(source, truth="y", score="p", cluster="n")
        return made.clusters, made.blocks.fingerprint.tolist(), made.to_dict()

    text_parts.BYTES = 1 << 20
    os.mkdir("some")
    for place, part in enumerate(parts):
        written(f"some/{place}.{format}", as_text(part, format))
    whole = found(name)
    assert found("some") == whole
    columns = read_table(name, ["y", "p", "n"], labels=["y", "n"], together=["y"])
    assert ca.assess(columns["y"], columns["p"], cluster=columns["n"]).clusters == whole[0]
    text_parts.BYTES = len(as_text(parts[0], format))
    assert found(name) == whole


def test_days_of_text_and_of_columns_with_types_are_the_same_clusters(tmp_path):
    days = pa.array(NAMED["days"] * 10).cast(pa.date32())
    table = pa.table({"y": [0, 1, 1, 0, 1] * 8, "p": [0.1, 0.7, 0.4, 0.3] * 10, "n": days})
    (tmp_path / "one").mkdir(), (tmp_path / "two").mkdir()
    parquet.write_table(table, "one/a.parquet")
    parquet.write_table(table.slice(0, 20), "two/a.parquet")
    for name, part in (("one.csv", table), ("two/b.csv", table.slice(20))):
        csv.write_csv(part, name)
    made = [ca.scan(each, truth="y", score="p", cluster="n") for each in ("one.csv", "two", "one")]
    assert made[0].clusters == made[1].clusters == tuple(NAMED["days"])
    assert len({tuple(each.blocks.fingerprint.tolist()) for each in made}) == 1
    assert len({each["roc_auc"] for each in made}) == 1


def test_another_delimiter():
    name = written("a.csv", as_text(rows(), "csv").replace(",", ";"))
    assert ca.scan(name, truth="y", score="p", positive="ill", delimiter=";").n == 1000
    with pytest.raises(ClassayError, match="delimiter"):
        ca.scan(name, truth="y", score="p", positive="ill", delimiter=";;")


@pytest.mark.covering(2)
@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize(("role", "at_end"), [("p", True), ("n", False)])
@pytest.mark.parametrize("odd", ["true", "false", '"1"', '"x"', *HUGE, "null"])
def test_what_is_no_number_beside_numbers_is_none_in_rows_of_its_own(format, role, odd, at_end, monkeypatch):
    monkeypatch.setattr(text_parts, "BYTES", 1)
    found, own = rows(8, (0, 1)), (1, odd, 1) if role == "p" else (1, 0.5, odd)
    text = as_text(found, format)
    line = as_text([own], format).splitlines(keepends=True)[-1]
    if format == "jsonl":
        line = line.replace(json.dumps(odd), odd)
    head = 0 if format == "jsonl" else text.index("\n") + 1
    name = written(f"rows.{format}", text + line if at_end else text[:head] + line + text[head:])
    is_number = (odd == '"1"' and format != "jsonl") or (odd in HUGE and role == "p")
    parts, whole = both(name, **({} if role == "p" else {"frequency": "n"}))
    assert isinstance(whole, str) is isinstance(parts, str) is not is_number
    assert not is_number or parts == whole


def test_rows_of_which_none_has_a_label_are_missing_in_parts_as_at_once(monkeypatch):
    monkeypatch.setattr(text_parts, "BYTES", 1)
    name = written("rows.csv", "y,p\n,0\nyes,0\n,1\n" + "no,0\nyes,1\n" * 3)
    for how in ({}, {"missing": "drop"}):
        parts, whole = both(name, labels=["yes", "no"], positive="yes", **how)
        assert isinstance(whole, str) is isinstance(parts, str) is (how == {})
        assert how == {} or parts == whole


@pytest.mark.covering(2)
@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("others", [["1", "2", "3"], ["1", "0.5", "2"]])
@pytest.mark.parametrize("at", [0, 3])
def test_whole_numbers_that_are_no_floats_stand_beside_decimals_only(format, huge, others, at, monkeypatch):
    monkeypatch.setattr(text_parts, "BYTES", 1)
    found = [(i % 2, p, 1) for i, p in enumerate([*others[:at], huge, *others[at:]])]
    name = written(
        f"rows.{format}",
        as_text(found, format).replace('"', "")
        if format == "csv"
        else "".join(f'{{"y": {y}, "p": {p}}}\n' for y, p, _ in found),
    )
    parts, whole = both(name)
    assert isinstance(whole, str) is isinstance(parts, str) is (others == ["1", "2", "3"])
    assert parts == whole if others != ["1", "2", "3"] else "Above 2^53" in parts and "Above 2^53" in whole
    if others != ["1", "2", "3"]:
        found = [ca.scan(name, truth="y", score="p", unanswered=each) for each in ("drop", "refuse")]
        assert found[0]["roc_auc"] == found[1]["roc_auc"]


@pytest.mark.parametrize("size", [1, 100, 6000])
@pytest.mark.parametrize("at", [30, 4000, 4090])
def test_bytes_that_no_text_has_are_refused_where_the_whole_is(size, at, monkeypatch):
    monkeypatch.setattr(text_parts, "BYTES", size)
    text = as_text(rows(900, (0, 1)), "csv")
    name = written("rows.csv", text[:at] + "\0" + text[at + 1 :])
    parts, whole = both(name)
    assert "Save UTF-16 text as UTF-8" in parts
    assert "Save UTF-16 text as UTF-8" in whole
