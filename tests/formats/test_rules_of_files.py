"""Small files of every format, written here: their rows, what is said of them, and what is refused with its way out."""

import gzip
import json
import sqlite3
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import classay as ca
from classay.formats import fasttext, libsvm, scikit_learn, vectors, vowpal_wabbit, weka
from classay.formats.class_lists import FirstRows, class_columns_in
from classay.formats.fields import columns_meant
from classay.formats.in_memory import taken
from classay.formats.json_files import _rows_in, is_json
from classay.formats.known_names import named, names_of_codes
from classay.formats.layout import Layout
from classay.sources.files import column_names, read_table
from formats.in_sweeps import write_book
from formats.test_text_layouts import told


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """Files are named without their folder."""
    monkeypatch.chdir(tmp_path)


def written(content, name):
    (path := Path(name)).write_text(content, newline="")
    return path


# --- text of other programs: how they are recognized

WEKA = "inst#,actual,predicted,error"
RECOGNIZED = [
    # check, begin of the file, path, is recognized
    (fasttext.is_predictions, "__label__a 0.9\n__label__b 0.5 __label__a 0.4\n", "", True),
    (fasttext.is_predictions, "__label__a __label__b\n", "", True),
    (fasttext.is_predictions, "__label__a 0.9 words\n", "", False),
    (fasttext.is_predictions, "__label__a 0.9 __label__b 0.", "", True),
    (fasttext.is_predictions, "", "", False),
    (fasttext.is_data, "__label__a some words\nno label\n", "", True),
    (fasttext.is_data, "no label\n__label__a some words\n", "", False),
    (fasttext.is_data, "", "", False),
    (libsvm.is_predictions, "labels 1 -1\n1 0.9 0.1\n", "", True),
    (libsvm.is_predictions, "labels 1\n1 0.9\n", "", False),
    (libsvm.is_predictions, "labels 1 -1\n1 0.9\n", "", False),
    (libsvm.is_predictions, "labels 1 -1", "", True),
    (libsvm.is_predictions, "labels 1 -1\n", "", False),
    (libsvm.is_predictions, "label 1 -1\n1 0.9 0.1\n", "", False),
    (libsvm.is_data, "+1 1:0.5 3:2\n-1 2:1\n0\n", "", True),
    (libsvm.is_data, "1 qid:3 1:0.5 # doc\n", "", True),
    (libsvm.is_data, "1\n2\n", "", False),
    (libsvm.is_data, "1 1:0.5\na 2:1\n", "", False),
    (libsvm.is_data, "1 1:0.5 2:", "", True),
    (libsvm.is_data, "", "", False),
    (vowpal_wabbit.is_scores, "1:0.2 2:0.8\n1:0.4 2:0.6 tag\n", "", True),
    (vowpal_wabbit.is_scores, "1:0.2 2:0.8\n2:0.4 1:0.6\n", "", False),
    (vowpal_wabbit.is_scores, "1:0.2\n", "", False),
    (vowpal_wabbit.is_scores, "", "", False),
    (vowpal_wabbit.is_values, "0.5\n-1 tag\n", "f", True),
    (vowpal_wabbit.is_values, "0.5\n-1 tag\n", "f.csv", False),
    (vowpal_wabbit.is_values, "0.5\nword\n", "f", False),
    (vowpal_wabbit.is_values, "", "f", False),
    (vowpal_wabbit.is_data, "1 |f a b\n-1 |f a b\n", "f", True),
    (vowpal_wabbit.is_data, "1 |f a b\n", "f.csv", False),
    (vowpal_wabbit.is_data, "|f a b\n|f c d\n", "f", False),
    (vowpal_wabbit.is_data, "a | b | c\n", "f", False),
    (vowpal_wabbit.is_data, "1 | a\n", "f", True),
    (weka.is_weka, f"{WEKA},prediction\n", "", True),
    (weka.is_weka, f"=== title ===\n\n{WEKA}\n", "", True),
    (weka.is_weka, f"a\nb\n{WEKA}\n", "", False),
    (weka.is_weka, f"{WEKA}s\n", "", False),
    (weka.is_weka, f"{WEKA}\n".replace(",", "\t"), "", True),
    (scikit_learn.is_matrix, "[[9, 2], [0, 7]]", "", True),
    (scikit_learn.is_matrix, " [ [9,\n2", "", True),
    (scikit_learn.is_matrix, "[[9.5, 2]]", "", False),
    (scikit_learn.is_report, '{"no": {"precision": 1', "", True),
    (scikit_learn.is_report, '{"accuracy": 0.5, "no": {"precision": 1', "", True),
    (scikit_learn.is_report, '{"no": {"recall": 1', "", False),
    (is_json, '[{"y": 1}]', "f.json", True),
    (is_json, '\ufeff {"y": 1}', "f.JSON", True),
    (is_json, '[{"y": 1}]', "f.txt", False),
    (is_json, "y,p", "f.json", False),
]


@pytest.mark.parametrize("at", range(len(RECOGNIZED)))
def test_what_is_recognized(at):
    check, head, path, expected = RECOGNIZED[at]
    assert check(head.encode(), path) is expected
    if expected and check not in (scikit_learn.is_matrix, scikit_learn.is_report, is_json):
        assert check(b"\xff\xfe" + head.encode("utf-16-le"), path) is True  # as Windows PowerShell writes it
        assert check(b"\xef\xbb\xbf" + head.encode(), path) is True
        assert check(head.replace("\n", "\r\n").encode(), path) is True


WEKA_ROWS = f"{WEKA},distribution,,id\n1,1:no,1:no,,*0.75,0.25,7\n2,2:yes,1:no,+,*0.5,0.5,?\n3,1:?,2:yes,,0.1,*0.9,a\n"
READ = [
    # name, content, columns
    (
        "f.txt",
        "__label__a 0.7 __label__b 0.3\n\n__label__b 0.9 __label__a 0.1\n",
        "no probability of label 'a'",
    ),
    (
        "f.txt",
        "__label__a 0.7 __label__b 0.3\n__label__b 0.9 __label__a 0.1\n",
        {"predicted": ["a", "b"], "probability.a": [0.7, 0.1], "probability.b": [0.3, 0.9]},
    ),
    (
        "f.txt",
        "__label__a 0.7 __label__b 0.3\n__label__b 0.9\n",
        "Line 2 of f.txt has no probability of label 'a'",
    ),
    ("f.txt", "__label__a\n__label__b __label__a\n", {"predicted": ["a", "b"]}),
    ("f.txt", "__label__a one\nno label\n__label__b two\n", {"label": ["a", None, "b"]}),
    (
        "f.txt",
        "__label__a one\n__label__b __label__c two\n",
        "Line 2 of f.txt has 2 labels. One label for each line",
    ),
    (
        "f.txt",
        "labels 1 -1\n1 0.9 0.1\n-1 0.2 0.8\n",
        {"predicted": [1, -1], "probability.1": [0.9, 0.2], "probability.-1": [0.1, 0.8]},
    ),
    ("f.txt", "+1 1:0.5\n\n-1 2:1\n", {"label": [1, -1]}),
    ("f.txt", "1.5 1:0.5\n2 2:1\n", {"label": [1.5, 2.0]}),
    (
        "f.txt",
        "1:0.2 2:0.8\n1:0.4 2:0.6 t\n",
        {"probability.1": [0.2, 0.4], "probability.2": [0.8, 0.6], "tag": [None, "t"]},
    ),
    ("f.txt", "1:0.2 2:0.8\n1:0.5 2:0.503 \n", "Line 2 of f.txt has scores that are not probabilities"),
    ("f.txt", "1:0.2 2:0.8\n1:0.5 2:0.5015\n", {"probability.1": [0.2, 0.5], "probability.2": [0.8, 0.5015]}),
    ("f.txt", "1:-0.1 2:1.1\n", "not probabilities"),
    ("f", "0.5\n-1 t\n", {"value": [0.5, -1.0], "tag": [None, "t"]}),
    ("f", "1\n2\n", {"value": [1, 2]}),
    ("f", "1 |f a b\n\n+1 1.0 't2 |f a b\n|f c d\n", {"label": [1, 1, None], "tag": [None, "t2", None]}),
    ("f", "yes |f a b\n1 |f a b\n", {"label": ["yes", "1"]}),
    (
        "f.csv",
        WEKA_ROWS,
        {
            "inst#": [1, 2, 3],
            "actual": ["no", "yes", None],
            "predicted": ["no", "no", "yes"],
            "error": [None, "+", None],
            "probability.no": [0.75, 0.5, 0.1],
            "probability.yes": [0.25, 0.5, 0.9],
            "id": ["7", None, "a"],
        },
    ),
    (
        "f.csv",
        f"{WEKA},prediction\n1,1:a,1:a,,0.75\n2,2:b,1:a,+,0.6\n3,2:b,2:b,,1\n",
        {
            "inst#": [1, 2, 3],
            "actual": ["a", "b", "b"],
            "predicted": ["a", "a", "b"],
            "error": [None, "+", None],
            "prediction": [0.75, 0.6, 1.0],
            "probability.a": [0.75, 0.6, 0.0],
            "probability.b": [0.25, 0.4, 1.0],
        },
    ),
    (
        "f.csv",
        f"{WEKA},prediction\n1,1:a,1:a,,0.75\n2,2:b,1:a,+,0.4\n",
        {
            "inst#": [1, 2],
            "actual": ["a", "b"],
            "predicted": ["a", "a"],
            "error": [None, "+"],
            "prediction": [0.75, 0.4],
        },
    ),
    ("f.csv", f"{WEKA}\n1,2.5,2.4,-0.1\n", "has predicted numbers, because the target was numeric"),
    (
        "f.csv",
        f"{WEKA},distribution,\n1,1:a,1:a,,*0.75,0.25\n2,1:b,1:a,,*0.75,0.25\n",
        "Line 3 of f.csv is not a line of",
    ),
    ("f.csv", f"{WEKA},distribution,\n1,1:a,1:a,,*0.75\n", "Line 2 of f.csv is not a line of"),
    ("f.json", "[[9, 2], [0, 7]]", {"(labels)": [None, None], "0": [9, 0], "1": [2, 7]}),
    ("f.json", "[[9, 2], [0, 7], [1, 1]]", "is not a confusion matrix"),
    ("f.json", "[[9, 2]]", "is not a confusion matrix"),
]


@pytest.mark.parametrize("at", range(len(READ)))
def test_rows_of_text_of_programs(at, tmp_path):
    name, content, expected = READ[at]
    path = written(content, name)
    if isinstance(expected, str):
        with pytest.raises(ca.ClassayError, match=expected):
            told(path)
        return
    table, _ = told(path)
    assert table.to_pydict() == expected
    assert [column for column, _ in column_names(path)] == [*expected]
    kinds = dict(column_names(path))
    for column in expected:
        known = table[column].type
        assert str(known.value_type if pa.types.is_dictionary(known) else known) in kinds[column]
    first, *_ = expected
    assert told(path, first)[0].to_pydict() == {first: expected[first]}
    with pytest.raises(ca.ClassayError, match="f"):
        told(path, "no such column")


SAID = [
    (
        "f.txt",
        "labels 1 -1\n1 0.9 0.1\n",
        ["f.txt is read as predictions of LIBSVM or LIBLINEAR. Use format='csv' to"],
    ),
    ("f.txt", "__label__a\n", ["f.txt is read as predictions of fastText."]),
    ("f.txt", "__label__a one\n", []),
    ("f.csv", WEKA_ROWS, ["Its scores have 3 decimals, so cases may tie."]),
    ("f.csv", WEKA_ROWS.replace("0.75", "0.7500"), ["f.csv is read as predictions of Weka. Use"]),
    (
        "f.csv",
        f"{WEKA},prediction\n1,1:a,1:a,,0.75\n2,2:b,1:a,+,0.6\n",
        [
            "Its scores have 3 decimals",
            "Column prediction of f.csv is the probability of the predicted class",
            "f.csv has only the probability of the predicted class. The other of two classes gets the rest",
        ],
    ),
]


@pytest.mark.parametrize("at", range(len(SAID)))
def test_what_is_said_of_text_of_programs(at, tmp_path):
    name, content, expected = SAID[at]
    _, texts = told(written(content, name))
    assert len(texts) == len(expected)
    for text, part in zip(texts, expected, strict=True):
        assert part in text


def test_weka_tells_of_scores_that_are_asked_for_alone(tmp_path):
    content = f"{WEKA},prediction\n1,1:a,1:a,,0.75\n2,2:b,1:a,+,0.6\n"
    path = written(content, "f.csv")
    assert len(told(path, "actual")[1]) == 1
    assert "decimals" not in told(path, "actual")[1][0]
    assert len(told(path, "prediction")[1]) == 2
    assert len(told(path, "probability.a")[1]) == 2


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([[4.0, 0.75, 0.6], [3.0, 1 / 3, 0.5]], [[3, 1], [2, 1]]),
        ([[4.0, 0.7, 0.6], [3.0, 0.3, 0.5]], None),
        ([[0.0, 0.0, 0.0], [3.0, 1.0, 1.0]], [[0, 0], [0, 3]]),
        ([[4.0, 1.25, 1.0], [3.0, 1.0, 1.0]], None),
        ([[4.5, 1.0, 1.0], [3.0, 1.0, 1.0]], None),
        ([[4.0, 0.75, None], [3.0, 1 / 3, 0.5]], None),
        ([[4.0, 0.75, 0.61], [3.0, 1 / 3, 0.5]], None),
        ([[4.0, 1.0, 1.0], [3.0, 1.0, 1.0]], [[4, 0], [0, 3]]),
        ([[-4.0, 1.0, 1.0], [3.0, 1.0, 1.0]], None),
    ],
)
def test_counts_of_a_report(classes, expected):
    assert scikit_learn._counts_of_two(classes) == expected


def test_reports_of_two_classes_alone(tmp_path):
    def row(support, recall, precision):
        return {"precision": precision, "recall": recall, "f1-score": 0.5, "support": support}

    report = {
        "no": row(4, 0.75, 0.6),
        "yes": row(3, 1 / 3, 0.5),
        "accuracy": 4 / 7,
        "macro avg": row(7, 0.5, 0.5),
    }
    table, texts = told(written(json.dumps(report), "f.json"))
    assert table.to_pydict() == {"(labels)": ["no", "yes"], "no": [3, 2], "yes": [1, 1]}
    assert texts == [
        "f.json is read as a report of scikit-learn. Its counts are computed from recall and support."
    ]
    for changed, said in (
        ({"third": row(1, 1, 1)}, "does not determine a confusion matrix"),
        ({"no": row(4, 0.7, 0.6)}, "has rounded or weighted values"),
    ):
        with pytest.raises(ca.ClassayError, match=said):
            told(written(json.dumps(report | changed), "f.json"))
    without = {name: value for name, value in report.items() if name != "accuracy"}
    with pytest.raises(ca.ClassayError, match="does not determine"):
        told(written(json.dumps(without), "f.json"))


# --- JSON

ROWS = [{"y": 0, "p": 0.2}, {"y": 1, "p": 0.9}]
DOCUMENTS = [
    (ROWS, ROWS),
    ([], []),
    ([1, 2], None),
    ({"rows": ROWS}, ROWS),
    ({"rows": ROWS, "more": 3}, ROWS),
    ({"rows": ROWS, "others": ROWS}, None),
    ({"rows": ROWS, "empty": []}, ROWS),
    ({"model": "m", "y": [0, 1], "p": [0.2, 0.9]}, ROWS),
    ({"y": [0, 1], "p": [0.2]}, None),
    ({"columns": ["y", "p"], "data": [[0, 0.2], [1, 0.9]]}, ROWS),
    ({"columns": ["y", "p"], "index": [7, 8], "data": [[0, 0.2], [1, 0.9]]}, ROWS),
    ({"columns": ["y"], "data": [[0, 0.2], [1, 0.9]]}, None),
    (
        {"columns": [1, 2], "data": [[0, 0.2], [1, 0.9]]},
        [{"columns": 1, "data": [0, 0.2]}, {"columns": 2, "data": [1, 0.9]}],
    ),
    ({"schema": {"fields": []}, "data": ROWS}, ROWS),
    ({"schema": [{"a": 1}], "data": ROWS}, ROWS),
    ({"y": {"0": 0, "1": 1}, "p": {"0": 0.2, "1": 0.9}}, ROWS),
    ({"0": {"y": 0, "p": 0.2}, "1": {"y": 1, "p": 0.9}}, ROWS),
    ({"y": {"0": 0, "1": 1}, "p": {"0": 0.2, "2": 0.9}}, None),
    ({"y": {"a": 0, "b": 1}}, None),
    ({}, None),
    (3, None),
]


@pytest.mark.parametrize("at", range(len(DOCUMENTS)))
def test_rows_of_a_document(at):
    document, expected = DOCUMENTS[at]
    assert _rows_in(document) == expected


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("at", [0, 3, 7, 9, 13, 15, 16])
def test_documents_are_read_alike(at, packed, tmp_path):
    data = json.dumps(DOCUMENTS[at][0]).encode()
    path = Path("f.json.gz" if packed else "f.json")
    path.write_bytes(gzip.compress(data) if packed else data)
    for columns in ((), ("y", "p"), ("p",)):
        expected = [{name: row[name] for name in columns or ("y", "p")} for row in ROWS]
        assert read_table(path, columns or None).to_pylist() == expected
    assert column_names(path) == [("y", "int64"), ("p", "double")]


JSON_REFUSED = [
    ("[]", "f.json"),
    (
        '{"rows": [{"y": 1}], "others": [{"y": 1}]}',
        r"f.json has several lists of rows \(rows and others\). Write a list",
    ),
    ('{"y": [0, 1], "p": [0.2]}', r"f.json has lists of different lengths \(y has 2 and p has 1\)"),
    ('{"y": 1}', "f.json has no list of rows with names"),
    ('[{"y": 1, "y": 2}]', "f.json has 'y' twice in one object. Write it once"),
    ('[{"y": 1}, 3]', "Row 2 of f.json is not an object. Write one object for each row"),
    ('[{"y": 1}', "f.json is not a whole JSON document"),
    ('[{"y": ' + "[" * 3000 + "]" * 3000 + "}]", "nested deeper than 100"),
]


@pytest.mark.parametrize("at", range(len(JSON_REFUSED)))
def test_documents_that_are_refused(at, tmp_path):
    content, said = JSON_REFUSED[at]
    with pytest.raises(ca.ClassayError, match=said):
        told(written(content, "f.json"))


LINES = '{"y": 0, "p": {"a": 0.2, "b": [1, 2]}}\n{"y": 1, "p": {"a": 0.9}, "late": "x"}\n'


def test_json_lines_by_either_ending(tmp_path):
    for name in ("f.json", "f.jsonl"):
        path = written(LINES, name)
        assert told(path, "y", "p.a")[0].to_pydict() == {"y": [0, 1], "p.a": [0.2, 0.9]}
        assert told(path, "p.b[1]", "late")[0].to_pydict() == {"p.b[1]": [2, None], "late": [None, "x"]}
        assert [column for column, _ in column_names(path)] == ["y", "p", "late"]
    mixed = written('{"y": 0, "q": 1}\n{"y": 1, "q": "a"}\n', "f.jsonl")
    assert told(mixed, "y")[0].to_pydict() == {"y": [0, 1]}
    assert dict(column_names(mixed))["q"] == "mixed"
    with pytest.raises(ca.ClassayError, match=r"Column 'q' of f.jsonl"):
        told(mixed)
    for content, said in (
        ('{"y": 0}\n3\n', "Line 2 of f.jsonl is not a JSON object"),
        (
            '{"y": 0, "q": "a", "q": 1}\n',
            "Column 'q' of f.jsonl has values of several kinds. Name the columns to read",
        ),
        (
            '{"y": 0}\n{"y": 1, "deep": ' + "[" * 101 + "]" * 101 + "}\n",
            "Line 2 of f.jsonl has lists or objects nested deeper",
        ),
    ):
        with pytest.raises(ca.ClassayError, match=said):
            told(written(content, "f.jsonl"))
    fine = '{"y": 0}\n{"y": 1, "deep": ' + "[" * 99 + "]" * 99 + "}\n"
    assert told(written(fine, "f.jsonl"), "y")[0].to_pydict() == {"y": [0, 1]}


# --- classes in one column: lists, vectors of Spark, mappings

LISTS = pa.array([[0.2, 0.8], None, [0.5, 0.5]])
SPARK = pa.array(
    [
        {"type": 1, "size": None, "indices": None, "values": [0.2, 0.8]},
        None,
        {"type": 0, "size": 2, "indices": [1], "values": [0.5]},
        {"type": 0, "size": 2, "indices": [], "values": []},
    ],
    pa.struct(
        [
            ("type", pa.int8()),
            ("size", pa.int32()),
            ("indices", pa.list_(pa.int32())),
            ("values", pa.list_(pa.float64())),
        ]
    ),
)
FIXED = pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (LISTS, [[0.2, 0.8], [np.nan] * 2, [0.5, 0.5]]),
        (LISTS.cast(pa.large_list(pa.float64())), [[0.2, 0.8], [np.nan] * 2, [0.5, 0.5]]),
        (FIXED, [[1, 2], [np.nan] * 2, [3, 4]]),
        (SPARK, [[0.2, 0.8], [np.nan] * 2, [0, 0.5], [0, 0]]),
        (LISTS.slice(2), [[0.5, 0.5]]),
    ],
)
def test_lists_and_vectors_as_arrays(column, expected):
    for form in (column, pa.chunked_array([column]), pa.chunked_array([column.slice(0, 1), column.slice(1)])):
        np.testing.assert_array_equal(vectors.dense(form, "p"), np.array(expected, float))
        np.testing.assert_array_equal(vectors.dense(form, "p", 2), np.array(expected, float))
    with pytest.raises(
        ca.ClassayError, match=r"p has 2 scores in index 0, but the number of labels is 3. Each row needs"
    ):
        vectors.dense(column, "p", 3)


def test_lists_and_vectors_that_are_refused():
    with pytest.raises(
        ca.ClassayError, match=r"p has 1 scores in index 1, but the first has 2. Each row needs"
    ):
        vectors.dense(pa.array([[0.2, 0.8], [1.0]]), "p")
    bad = [
        ({"type": 0, "size": 2, "indices": [2], "values": [0.5]}, "indices do not fit"),
        ({"type": 0, "size": 2, "indices": [-1], "values": [0.5]}, "indices do not fit"),
        ({"type": 0, "size": 2, "indices": [0, 1], "values": [0.5]}, "indices do not fit"),
    ]
    for value, said in bad:
        with pytest.raises(ca.ClassayError, match=said):
            vectors.dense(pa.array([value], SPARK.type), "p")
    short = pa.struct([("type", pa.int8()), ("values", pa.list_(pa.float64()))])
    dense_ones = pa.array([{"type": 1, "values": [0.5, 0.5]}], short)
    assert vectors.is_vector(short)
    assert vectors.dense(dense_ones, "p").tolist() == [[0.5, 0.5]]
    with pytest.raises(ca.ClassayError, match="sparse vectors without size and indices"):
        vectors.dense(pa.array([{"type": 0, "values": [0.5]}], short), "p")
    for fields in (
        [("type", pa.string()), ("values", pa.list_(pa.float64()))],
        [("type", pa.int8()), ("values", pa.float64())],
        [("type", pa.int8())],
        [("type", pa.int8()), ("values", pa.list_(pa.int8())), ("q", pa.int8())],
    ):
        assert not vectors.is_vector(pa.struct(fields))
    kinds = {
        pa.list_(pa.int8()): True,
        pa.list_(pa.string()): False,
        pa.float64(): False,
        SPARK.type: True,
        pa.list_(pa.decimal128(3, 1)): True,
        pa.list_(pa.bool_()): False,
    }
    assert {kind: vectors.is_of_numbers(kind) for kind in kinds} == kinds


MAPS = pa.array(
    [[("a", 0.2), ("b", 0.8)], [("a", 1.0)], [("a", 0.5)], None], pa.map_(pa.string(), pa.float64())
)


def test_mappings_fill_what_sums_to_one():
    for form in (MAPS, pa.chunked_array([MAPS]), pa.chunked_array([MAPS.slice(0, 2), MAPS.slice(2)])):
        found = vectors.entries(form, "p")
        with pytest.warns(
            UserWarning, match="p has no score of b in .*, whose scores sum to 1. It is read as 0"
        ) as caught:
            scores = found.by_key("p")
        assert len(caught) == 1
        np.testing.assert_array_equal(scores["a"], [0.2, 1, 0.5, np.nan])
        np.testing.assert_array_equal(scores["b"], [0.8, 0, np.nan, np.nan])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = vectors.entries(MAPS.slice(0, 1), "p").by_key("p", ["b", "a"])
    assert {key: values.tolist() for key, values in first.items()} == {"b": [0.8], "a": [0.2]}
    with pytest.raises(
        ca.ClassayError, match=r"p has a score of 'b' in index 0, which is not among the labels a.*Add it to"
    ):
        vectors.entries(MAPS, "p").by_key("p", ["a"])
    near = pa.array([[("a", 0.9995), ("b", 0.0)], [("a", 0.998), ("b", 0.0)]], MAPS.type)
    with pytest.warns(UserWarning, match="no score of c"):
        scores = vectors.entries(near, "p").by_key("p", ["a", "b", "c"])
    np.testing.assert_array_equal(scores["c"], [0, np.nan])
    structs = pa.array([{"a": 0.2, "b": 0.8}, {"a": 1.0, "b": None}])
    assert vectors.keys_of(structs) == ["a", "b"]
    with pytest.warns(UserWarning, match="no score of b"):
        scores = vectors.entries(structs, "p").by_key("p")
    np.testing.assert_array_equal(scores["b"], [0.8, 0])
    lists = pa.array([{"a": [0.1, 0.2]}])
    with pytest.raises(ca.ClassayError, match=r"p.a has several numbers in each row"):
        vectors.entries(lists, "p")


ABOUT = {
    b"huggingface": json.dumps(
        {"info": {"features": {"y": {"names": ["neg", "pos"], "_type": "ClassLabel"}}}}
    ).encode()
}
VALS = {"name": "y", "metadata": {"ml_attr": {"vals": ["neg", "pos"]}}}
OF_SPARK = {b"org.apache.spark.sql.parquet.row.metadata": json.dumps({"fields": [VALS, 3]}).encode()}


def first_rows_of(**columns):
    metadata = columns.pop("metadata", None)
    return FirstRows(pa.table(columns), metadata)


CLASSES = [
    # rows, labels, expected classes or words of the error
    ({"p": LISTS, "y": ["a", "b", "a"]}, ["a", "b"], ["a", "b"]),
    ({"p": LISTS, "y": [0, 1, 0]}, [], [0, 1]),
    ({"p": LISTS, "y": [0.0, 1.0, None]}, [], [0, 1]),
    (
        {"p": LISTS, "y": [1, 2, 1]},
        [],
        "p has 2 scores in each row, and nothing says which class each belongs to. Use",
    ),
    ({"p": LISTS, "y": [True, False, True]}, [], [False, True]),
    ({"p": pa.array([[0.1, 0.2, 0.7]] * 3), "y": [True, False, True]}, [], "p has 3 scores in each row"),
    ({"p": LISTS, "y": ["a", "b", "a"]}, [], "p has 2 scores"),
    ({"p": LISTS, "y": pa.array(["b", "a", "b"]).dictionary_encode()}, [], r"\(the file has b and a\)"),
    ({"p": LISTS, "y": pa.DictionaryArray.from_arrays([0, 1, 0], ["b", "a"], ordered=True)}, [], ["b", "a"]),
    ({"p": LISTS, "y": [0, 1, 0], "metadata": ABOUT}, [], ["neg", "pos"]),
    ({"p": LISTS, "y": [0, 1, 0], "metadata": OF_SPARK}, [], ["neg", "pos"]),
    ({"p": LISTS, "metadata": ABOUT}, [], r"\(the file has neg and pos\)"),
    ({"p": [0.1, 0.2, 0.3], "y": [0, 1, 0]}, [], None),
    ({"q": LISTS, "y": [0, 1, 0]}, [], None),
    ({"p": pa.array([["a"], ["b"]]), "y": [0, 1]}, [], "p has lists of string, not of numbers. Name a path"),
    ({"p": [{"a": "x"}, {"a": "y"}], "y": [0, 1]}, [], "p has fields that are not scores"),
]


@pytest.mark.parametrize("at", range(len(CLASSES)))
def test_classes_of_lists(at):
    columns, labels, expected = CLASSES[at]
    truth = "y" if "y" in columns else None
    if isinstance(expected, str):
        with pytest.raises(ca.ClassayError, match=expected):
            class_columns_in(first_rows_of(**columns), "p", "f", truth, labels)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = class_columns_in(first_rows_of(**columns), "p", "f", truth, labels)
    assert found == (
        None
        if expected is None
        else {label: f"p[{k} of {len(expected)}]" for k, label in enumerate(expected)}
    )
    assert len(caught) == (expected is not None and not labels)
    if caught:
        shown = " and ".join(map(str, expected))
        assert str(caught[0].message) == f"Scores of p are in the order of y in the file: {shown}."


def test_classes_of_mappings_are_their_keys():
    for column in (MAPS, pa.array([{"a": 0.2, "b": 0.8}] * 4)):
        rows = first_rows_of(p=column)
        assert class_columns_in(rows, "p", "f", None, []) == {"a": "p{a}", "b": "p{b}"}
        assert class_columns_in(rows, "p", "f", None, ["b"]) == {"b": "p{b}"}


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (None, {}),
        (ABOUT, {"y": ["neg", "pos"]}),
        (OF_SPARK, {"y": ["neg", "pos"]}),
        ({b"huggingface": b"{"}, {}),
        ({b"huggingface": b"[1]"}, {}),
        (
            {
                b"huggingface": json.dumps(
                    {"info": {"features": {"y": {"names": ["a", "a"], "_type": "ClassLabel"}}}}
                ).encode()
            },
            {},
        ),
        (
            {
                b"huggingface": json.dumps(
                    {"info": {"features": {"y": {"names": [], "_type": "ClassLabel"}}}}
                ).encode()
            },
            {},
        ),
        (
            {
                b"huggingface": json.dumps(
                    {"info": {"features": {"y": {"names": ["a"], "_type": "Value"}}}}
                ).encode()
            },
            {},
        ),
    ],
)
def test_names_of_codes(metadata, expected):
    assert names_of_codes(metadata) == expected


def test_codes_become_names():
    table = pa.table({"y": [0, 1, -1, None], "q": [1, 0, 1, 0], "t": ["a"] * 4})
    with pytest.warns(UserWarning, match=" (?:from|in) f") as caught:
        found = named(table, ABOUT, "f", ["y", "q"])
    assert found.to_pydict() == {
        "y": ["neg", "pos", None, None],
        "q": ["pos", "neg", "pos", "neg"],
        "t": ["a"] * 4,
    }
    texts = [str(each.message) for each in caught]
    assert texts[0] == "Classes of y from f: 0 = neg and 1 = pos."
    assert texts[1] == "y in f is -1 in 1 row (index 2), which means no label. It is read as missing."
    assert len(texts) == 3
    for wrong in ([0, 2], [0, -2], [0, 0.5]):
        with pytest.raises(
            ca.ClassayError, match=rf"y in f has {wrong[1]:g} in index 1, but the file names 2 classes"
        ):
            named(pa.table({"y": wrong}), ABOUT, "f", [])
    with pytest.raises(
        ca.ClassayError, match="has -1 in index 1"
    ):  # Spark has no code for a case without a label
        named(pa.table({"y": [0, -1]}), OF_SPARK, "f", [])
    alone = named(pa.table({"q": [0, 1]}), ABOUT, "f", ["q"])
    assert alone.to_pydict() == {"q": [0, 1]}


# --- CSV: what is understood, told and refused

CSV = [
    # content, options, columns, rows by column or words of the error, parts of what is said
    ("y,p\n1,0.5\n0,0.2\n", {}, {"y": [1, 0], "p": [0.5, 0.2]}, []),
    ("sep=;\ny;p\n1;0.5\n0;0.2\n", {}, {"y": [1, 0], "p": [0.5, 0.2]}, []),
    (
        "y;p\n1;0,5\n0;0,25\n",
        {"delimiter": ";"},
        {"y": [1, 0], "p": [0.5, 0.25]},
        ["p in f.csv is read as numbers with decimal commas, such as '0,5' for 0.5."],
    ),
    ("y;p\n1;0,5\n0;0,25\n", {"layout": Layout(decimal=",")}, {"y": [1, 0], "p": [0.5, 0.25]}, []),
    (
        "y,p\n1,50%\n0,25%\n",
        {},
        {"y": [1, 0], "p": [0.5, 0.25]},
        ["p in f.csv is read as percentages, such as '50%' for 0.5."],
    ),
    (
        "y,p\n1,50%\n0,0.5\n",
        {},
        "both percentages|has both percentages \\('50%'\\) and numbers without a percent sign \\('0.5'\\)",
        [],
    ),
    ("y,p\n1,<0.1\n0,0.5\n", {}, "'<0.1' is a value beyond a limit of measurement", []),
    ("y,p\n1,<0.1\n0,>9\n0,1\n", {}, "'<0.1' and '>9' are values beyond a limit", []),
    (
        "y,p\n1,unknown\n0,0.5\n1,0.25\n",
        {"layout": Layout(na="unknown")},
        {"y": [1, 0, 1], "p": [None, 0.5, 0.25]},
        [],
    ),
    (
        "y;p;q\n1;1.234;0,5\n0;2.345;0,25\n",
        {"delimiter": ";"},
        "p in f.csv has numbers such as 1.234, while other columns have decimal commas. Use decimal=','",
        [],
    ),
    (
        "y;p\n1;1.234\n0;2.345\n1;12\n",
        {"delimiter": ";"},
        "p in f.csv has both numbers such as 1.234 and whole numbers",
        [],
    ),
    (
        "y;p\n1;1.234\n0;2.345\n1;12\n",
        {"delimiter": ";", "layout": Layout(decimal=".")},
        {"y": [1, 0, 1], "p": [1.234, 2.345, 12.0]},
        [],
    ),
    (
        "y,d\n1,25.04.2025\n0,03.04.2025\n",
        {"layout": Layout(date_format="%d.%m.%Y")},
        {"y": [1, 0], "d": [pd.Timestamp(2025, 4, 25), pd.Timestamp(2025, 4, 3)]},
        [],
    ),
    (
        "y,p\n1,0.5\n0,0.2\n",
        {"layout": Layout(date_format="%d.%m.%Y")},
        {"y": [1, 0], "p": [0.5, 0.2]},
        ["date_format= fits no column of f.csv."],
    ),
    (
        "y,d\n1,25.04.2025\n0,2025-04-03\n",
        {"layout": Layout(date_format="%d.%m.%Y")},
        {"y": [1, 0], "d": [pd.Timestamp(2025, 4, 25), pd.Timestamp(2025, 4, 3)]},
        [],
    ),
    (
        "A title\ny,p,q\n1,0.5,3\n0,0.2,4\n1,0.7,5\n",
        {},
        {"y": [1, 0, 1], "p": [0.5, 0.2, 0.7], "q": [3, 4, 5]},
        ["Line 2 of f.csv is read as the header. Use header_line= to name another line."],
    ),
    (
        "A title\ny,p\n1,0.5\n0,0.2\n1,0.7\n",
        {"layout": Layout(header_line=2)},
        {"y": [1, 0, 1], "p": [0.5, 0.2, 0.7]},
        [],
    ),
    (
        "y,p\n1,0.5\n0,0.2\n1,0.7\nTotal,1.4\n",
        {},
        {"y": [1, 0, 1], "p": [0.5, 0.2, 0.7]},
        ["The last row of f.csv ('Total') is skipped as a total."],
    ),
    ("y,p,p\n1,0.5,0.4\n0,0.2,0.1\n", {}, {"y": [1, 0], "p#1": [0.5, 0.2], "p#2": [0.4, 0.1]}, []),
    ("y,p\n1,0.5\n0,0.2\n", {"layout": Layout(header_line=5)}, "f.csv has no line 5", []),
    ("y,p\n1,0.5\n0,0.2\n\n\n", {"layout": Layout(header_line=4)}, "f.csv has nothing from line 4 on", []),
    ("y,p\n1,0.5\n", {"layout": Layout(decimal="x")}, "decimal= must be ',' or '.', but is 'x'", []),
    ("y,p\n1,0.5\n", {"layout": Layout(date_format="dmy")}, "date_format= must be a pattern such as", []),
    (
        "y,p\n1,0.5\n",
        {"layout": Layout(sheet="a")},
        "sheet= has no effect on f.csv, which is of format csv. Remove it",
        [],
    ),
    ("y\n1\n0\n", {"layout": Layout(decimal=",")}, "f.csv has no delimiter other than the decimal comma", []),
    ("y;p\n1;0,5\n0;0,2\n", {}, "the delimiter ';'", []),
]


@pytest.mark.parametrize("at", range(len(CSV)))
def test_text_with_delimiters(at, tmp_path):
    content, options, expected, said = CSV[at]
    path = written(content, "f.csv")
    if isinstance(expected, str):
        with pytest.raises(ca.ClassayError, match=expected):
            told(path, "y", "p", **options)
        return
    table, texts = told(path, *expected, **options)
    assert table.to_pydict() == expected
    assert len(texts) == len(said)
    for text, part in zip(texts, said, strict=True):
        assert part in text


def test_words_in_labels_are_told_where_there_are_others(tmp_path):
    for labels, tells in ((("yes", "no", "unknown"), True), (("yes", "yes", "unknown"), False)):
        path = written("y,p\n" + "".join(f"{label},0.5\n" for label in labels), "f.csv")
        texts = [text for text in told(path, "y", labels=["y"])[1] if "as a label" in text]
        assert texts == (
            ["y in f.csv has 'unknown' as a label. Use na='unknown' if it means a missing value."]
            if tells
            else []
        )


# --- two files joined, databases, workbooks


def test_two_files_are_joined_by_their_order(tmp_path):
    first, second = written("id,p\n1,0.5\n2,0.2\n", "a.csv"), Path("b.csv")
    layout = Layout(columns_from=str(second))
    second.write_text("id,y,p\n1,1,9\n2,0,9\n")
    with pytest.raises(
        ca.ClassayError, match=r"Column 'p' occurs twice in a.csv with b.csv. Rename one of the two"
    ):
        told(first, "p", layout=layout)
    second.write_text("id,y\n1,1\n2,0\n")
    table, texts = told(first, layout=layout)
    assert texts == ["The rows of a.csv and b.csv are joined in their order."]
    assert table.to_pydict() == {"id": [1, 2], "p": [0.5, 0.2], "y": [1, 0]}
    assert [name for name, _ in column_names(first, layout=(layout,))] == ["id", "p", "y"]
    assert told(first, "y", layout=layout)[0].to_pydict() == {"y": [1, 0]}
    second.write_text("id,y\n2,1\n1,0\n")
    with pytest.raises(
        ca.ClassayError, match=r"id is 1 in a.csv, but 2 in the same row of b.csv. columns_from= needs a file"
    ):
        told(first, "y", layout=layout)
    second.write_text("y\n1\n")
    with pytest.raises(ca.ClassayError, match=r"a.csv has 2 rows, but b.csv has 1"):
        told(first, "y", layout=layout)


def test_tables_of_a_database(tmp_path):
    def database(*statements):
        path = Path("f.sqlite")
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()
        return path

    one = ("create table rows (y, p, b)", "insert into rows values (1, 0.5, x'00'), (0, null, null)")
    expected = {"y": [1, 0], "p": [0.5, None], "b": [b"\0", None]}
    assert told(database(*one))[0].to_pydict() == expected
    view = "create view seen as select y from rows"
    assert told(database(*one, view))[0].to_pydict() == expected
    assert told(database(*one, view), layout=Layout(sheet="seen"))[0].to_pydict() == {"y": [1, 0]}
    two = (*one, "create table more (y)")
    with pytest.raises(
        ca.ClassayError, match=r"f.sqlite has 2 tables: rows and more. Use sheet= to name one"
    ):
        told(database(*two))
    with pytest.raises(
        ca.ClassayError, match=r"f.sqlite has 3 tables and views: rows, more and seen. Use sheet="
    ):
        told(database(*two, view))
    with pytest.raises(
        ca.ClassayError,
        match=r"f.sqlite has no table 'row'. Tables: rows, more and seen. Did you mean 'rows'",
    ):
        told(database(*two, view), layout=Layout(sheet="row"))
    assert told(database(*two), layout=Layout(sheet="rows"))[0].to_pydict() == expected
    with pytest.raises(ca.ClassayError, match=r"f.sqlite has no tables. Use a file with a table"):
        told(database("create table a (b)", "drop table a"))
    with pytest.raises(ca.ClassayError, match=r"f.sqlite"):
        told(database("create table rows (y, p)"))
    missing = told(database(*one), layout=Layout(na="0.5"))[0].to_pydict()
    assert missing["p"] == [None, None]
    path = database(*one)
    path.write_bytes(path.read_bytes()[:-512])
    with pytest.raises(ca.ClassayError, match=r"shorter than its head says. Restore a copy"):
        told(path)


BOOKS = [
    # sheets, layout, columns or words of the error, parts of what is said
    ({"a": [["y", "p"], [1, 0.5], [0, 0.2]]}, None, {"y": [1, 0], "p": [0.5, 0.2]}, []),
    (
        {"a": [["y", "p"], [1, 0.5], [0, 0.2]], "b": [["y"], [1]]},
        None,
        "f.xlsx has 2 sheets: a and b. Use sheet= to",
        [],
    ),
    ({"a": [["y", "p"], [1, 0.5]], "b": [["y"], [1]]}, Layout(sheet="b"), {"y": [1]}, []),
    (
        {"a": [["y", "p"], [1, 0.5]], "b": [["y"], [1]]},
        Layout(sheet="B"),
        "no sheet 'B'. Sheets: a and b. Did you mean 'b'",
        [],
    ),
    ({"a": [["y", "p"], [1, 0.5]]}, Layout(range="x"), "range= must be two cells, such as A3:F120", []),
    (
        {"a": [["t"], ["y", "p"], [1, 0.5], [0, 0.2], [1, 0.7]]},
        None,
        {"y": [1, 0, 1], "p": [0.5, 0.2, 0.7]},
        ["Line 2 of sheet 'a' of f.xlsx is read as the header. Use header_line= to name another line."],
    ),
    (
        {"a": [["t"], ["y", "p"], [1, 0.5], [0, 0.2]]},
        Layout(header_line=2),
        {"y": [1, 0], "p": [0.5, 0.2]},
        [],
    ),
    (
        {"a": [["y", "p"], [1, 0.5]]},
        Layout(header_line=3),
        "header_line= is beyond the last row of sheet 'a' of f.xlsx",
        [],
    ),
    (
        {"a": [["t"], ["y", "p", "q"], [1, 0.5, 2], [0, 0.2, 3]]},
        Layout(range="B2:C3"),
        {"p": [0.5], "q": [2]},
        [],
    ),
    (
        {"a": [["t"], ["y", "p", "q"], [1, 0.5, 2], [0, 0.2, 3]]},
        Layout(range="$C$2:$B$4"),
        {"p": [0.5, 0.2], "q": [2, 3]},
        [],
    ),
    ({"a": [["y", "p", "q"], [1, 0.5, 2]], "b": [[1]]}, Layout(range="a!A:B"), {"y": [1], "p": [0.5]}, []),
    (
        {"a": [["y", "p"], [1, 0.5]]},
        Layout(range="F7:G9"),
        "Sheet 'a' of f.xlsx has no values in this range. Name another",
        [],
    ),
    (
        {"a": [["y", "p"], [1, 0.5], [0, 0.2], [1, 0.6], [], ["y", "p"], [1, 0.5]]},
        None,
        "Sheet 'a' of f.xlsx has 2 tables: A1:B4 and A6:B7. Use range= to name the cells of one",
        [],
    ),
    (
        {"a": [["y", "p"], [1, 0.5], [0, 0.2], [1, 0.6], ["Source: us"]]},
        None,
        {"y": [1, 0, 1], "p": [0.5, 0.2, 0.6]},
        ["The last row of sheet 'a' of f.xlsx ('Source: us') is skipped as a note."],
    ),
    (
        {"a": [["y", "p"], ["", "%"], [1, 50], [0, 20], [1, 60]]},
        None,
        {"y": [1, 0, 1], "p": [50, 20, 60]},
        ["The first row of sheet 'a' of f.xlsx is skipped as units: p in %. The numbers are not converted."],
    ),
    (
        {"a": [["y", "p"], [1, 0.5], [0, 0.2], [1, 0.6], ["Total", 1.3]]},
        None,
        {"y": [1, 0, 1], "p": [0.5, 0.2, 0.6]},
        ["The last row of sheet 'a' of f.xlsx ('Total') is skipped as a total."],
    ),
    (
        {"a": [["y", "", "p"], [1, 5, 0.5], [0, 5, 0.2], [0, 5, 0.2]]},
        None,
        "has no name in B1 in its header. One row with",
        [],
    ),
    ({"a": [["y", "p"], [1, 0.5]]}, Layout(na="0.5"), {"y": [1], "p": [None]}, []),
    ({"a": [["y", "p", "p"], [1, 0.5, 2]]}, None, {"y": [1], "p#1": [0.5], "p#2": [2]}, []),
]


@pytest.mark.parametrize("at", range(len(BOOKS)))
def test_sheets_of_a_workbook(at, tmp_path):
    pytest.importorskip("python_calamine", reason="SKIPPED LOUDLY: [files], python-calamine")
    sheets, layout, expected, said = BOOKS[at]
    write_book(path := Path("f.xlsx"), sheets)
    if isinstance(expected, str):
        with pytest.raises(ca.ClassayError, match=expected):
            told(path, layout=layout)
        return
    table, texts = told(path, layout=layout)
    assert table.to_pydict() == expected
    assert texts == said


def test_files_and_frames_are_assessed_alike(tmp_path):
    """The same cases in every format that is written here, as a frame has them."""
    rng = np.random.default_rng(0)
    y = rng.random(40) < 0.4
    frame = pd.DataFrame({"y": y * 1, "p": (rng.normal(size=40) + y).round(3)})
    expected = ca.assess(frame["y"].to_numpy(), frame["p"].to_numpy()).to_dict()["measures"]
    frame.to_csv(tmp_path / "f.csv", index=False)
    frame.to_csv(tmp_path / "f.tsv", index=False, sep="\t")
    for orient in ("records", "split", "columns", "index", "table"):
        frame.to_json(tmp_path / f"{orient}.json", orient=orient, index=orient in ("columns", "index"))
    frame.to_json(tmp_path / "f.jsonl", orient="records", lines=True)
    with sqlite3.connect(Path("f.sqlite")) as connection:
        frame.to_sql("rows", connection, index=False)
    connection.close()
    write_book(Path("f.xlsx"), {"a": [[*frame], *frame.to_numpy().tolist()]})
    for path in sorted(tmp_path.iterdir()):
        table = read_table(path, ["y", "p"])
        assert ca.assess(table["y"], table["p"]).to_dict()["measures"] == expected, path.name


# --- lines and rows far below the first ones, by which a file is recognized

FAR = [
    # good line, wrong line, what is said
    (
        "__label__a 0.7 __label__b 0.3",
        "words",
        "is not a line of predictions of fastText: 'words'. Write the file again, or use format=",
    ),
    ("1:0.2 2:0.8", "1:0.2", "is not a line of class probabilities of Vowpal Wabbit: '1:0.2'"),
    ("1:0.2 2:0.8", "2:0.2 1:0.8", "is not a line of class probabilities"),
    ("0.5", "word", "is not a line of a list of numbers without a header: 'word'"),
    ("1 |f a b", "x" * 41, f"is not a line of data of Vowpal Wabbit: '{'x' * 39}…'"),
    ("1 |f a b", "x" * 40, f"is not a line of data of Vowpal Wabbit: '{'x' * 40}'"),
    ("1 1:0.5", "word 1:0.5", "is not a line of data of LIBSVM: 'word 1:0.5'"),
]


@pytest.mark.parametrize("at", range(len(FAR)))
def test_wrong_lines_far_below(at):
    good, wrong, said = FAR[at]
    with pytest.raises(ca.ClassayError, match=f"Line 2,001 of f {said}"):
        told(written(f"{good}\n" * 2000 + f"{wrong}\n", "f"))
    assert told(written(f"{good}\n" * 2000, "f"))[0].num_rows == 2000


def test_scores_of_libsvm_are_numbers_of_one_type():
    table, _ = told(written("labels 1 -1\n1 1 0\n-1 0 1\n", "f"))
    assert [str(kind) for kind in table.schema.types] == ["int64", "double", "double"]
    with pytest.raises(
        ca.ClassayError, match=r"f has a row without a value of 'probability.1'. Write the file again"
    ):
        told(written("labels 1 -1\n1 0.9 0.1\n-1 nan 0.8\n1  0.5\n", "f"))
    with pytest.raises(ca.ClassayError, match="f"):
        told(written("labels 1 -1\n", "f"))


def test_lines_are_named_as_the_file_has_them():
    content = "made by a program\nA title\ny,p,q\n1,0.5,3\n0,0.2,4\n1,0.7,5\n"
    _, texts = told(written(content, "f.csv"))
    assert texts == ["Line 3 of f.csv is read as the header. Use header_line= to name another line."]
    _, texts = told(written("A title\ny,p,q\n,%,\n1,50,3\n0,20,4\n1,70,5\n", "f.csv"))
    assert texts == ["Line 3 of f.csv is skipped as units: p in %. The numbers are not converted."]
    _, texts = told(written("y,p,q\n,%,\n1,50,3\n0,20,4\n1,70,5\n", "f.csv"), layout=Layout(header_line=1))
    assert texts == ["Line 2 of f.csv is skipped as units: p in %. The numbers are not converted."]


def test_totals_of_large_files_are_those_of_the_last_rows():
    rows = "".join(f"a{k},{k % 2},0.{k % 7}\n" for k in range(20_000))
    path = written(f"q,y,p\n{rows}Total,,9000\n", "f.csv")
    table, texts = told(path)
    assert (table.num_rows, texts) == (20_000, ["The last row of f.csv ('Total') is skipped as a total."])
    packed = Path("f.csv.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert told(packed)[0].num_rows == 20_000


def test_times_that_are_labels_are_text():
    times = ["2025-04-03T10:00:00", "2025-04-04T10:00:00"]
    content = "".join(json.dumps({"y": time, "t": time}) + "\n" for time in times)
    table = read_table(written(content, "f.jsonl"), ["y", "t"], labels=["y"])
    assert table["y"].to_pylist() == times
    assert "timestamp" in str(table["t"].type)


def test_names_of_the_first_of_two_columns_that_belong_together():
    both = {
        "info": {
            "features": {
                name: {"names": names, "_type": "ClassLabel"}
                for name, names in (("y", ["no", "yes"]), ("z", ["a", "b"]))
            }
        }
    }
    table = pa.table({"y": [0, 1], "z": [1, 0], "q": [0.0, 1.0]})
    with pytest.warns(UserWarning, match="Classes of"):
        found = named(table, {b"huggingface": json.dumps(both).encode()}, "f", ["y", "z", "q"])
    assert found.to_pydict() == {"y": ["no", "yes"], "z": ["b", "a"], "q": ["no", "yes"]}
    with pytest.warns(UserWarning, match="Classes of"):
        holes = named(
            pa.table({"y": [0.0, float("nan"), None]}), {b"huggingface": json.dumps(both).encode()}, "f", []
        )
    assert holes["y"].to_pylist() == ["no", None, None]


def test_series_of_structs_with_holes_have_paths():
    frame = {"doc": pd.Series([{"a": 1.0}, None, {"a": float("nan")}])}
    found = columns_meant(frame, ["doc.a"], "frame")["doc.a"]
    assert [None if value != value else value for value in found.to_pylist()] == [1.0, None, None]
    polars = pytest.importorskip("polars", reason="SKIPPED LOUDLY: [dev], polars")
    found = columns_meant({"doc": polars.Series([{"a": 1}, {"a": 2}])}, ["doc.a"], "frame")["doc.a"]
    assert found.to_pylist() == [1, 2]


OBJECTS = [
    (lambda: (value for value in [1, 2]), [1, 2]),
    (lambda: map(float, ["1", "2"]), [1.0, 2.0]),
    (lambda: zip([1, 2], [3, 4]), [(1, 3), (2, 4)]),  # noqa: B905
    (lambda: range(2), [0, 1]),
    (lambda: memoryview(bytes([1, 2])), [1, 2]),
]


@pytest.mark.parametrize("at", range(len(OBJECTS)))
def test_objects_in_memory_are_their_values(at):
    build, expected = OBJECTS[at]
    found = taken({"y_true": build()})["y_true"]
    assert [*found] == expected
    nested = taken({"y_score": {"a": build()}})["y_score"]
    assert [*nested["a"]] == expected


@pytest.mark.parametrize(
    "value", [np.arange(2), [1, 2], (1, 2), "ab", 3, None, pd.Series([1, 2]), {"a": [1, 2]}]
)
def test_what_the_core_reads_is_left(value):
    arguments = {"y_true": value}
    assert taken(arguments) is arguments


def test_tables_of_arrow_in_memory():
    batch = pa.record_batch({"y": [0, 1], "p": [0.2, 0.9]})
    reader = pa.RecordBatchReader.from_batches(batch.schema, [batch, batch])
    assert taken({"frame": batch})["frame"].to_pydict() == batch.to_pydict()
    assert taken({"frame": reader})["frame"].num_rows == 4


def test_queries_are_read_once_and_of_named_columns():
    polars = pytest.importorskip("polars", reason="SKIPPED LOUDLY: [dev], polars")
    frame = polars.LazyFrame({"y": [0, 1, 1, 0], "p": [0.2, 0.9, 0.7, 0.6], "more": [1, 2, 3, 4]})
    found = taken({"frame": frame, "truth": "y", "score": "p"}, "assess")["frame"]
    names = found.column_names if hasattr(found, "column_names") else [*found.columns]
    assert {"y", "p"} <= {*names}
    assert "more" not in names
    with pytest.raises(
        ca.ClassayError, match="y_true and y_score are separate queries, whose rows may have different orders"
    ):
        taken({"y_true": frame.select("y"), "y_score": frame.select("p")})
