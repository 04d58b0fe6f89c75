"""Columns of lists, vectors, structs and maps that real tools wrote, fields by paths, and classes that a file knows."""

import json
import re
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import classay as ca
from classay.errors import FileError, InputError
from classay.formats.vectors import dense
from classay.sources.files import column_names, read_table
from command import call, refusal
from formats.in_sweeps import write_book

DATA = Path(__file__).parents[1] / "outside" / "data"
N = 12
TRUTH = ["yes" if k % 3 else "no" for k in range(N)]
YES = [round(0.05 + 0.07 * ((k * 5) % 12), 2) for k in range(N)]
KINDS = [["spam", "ham", "eggs", "spam"][k % 4] for k in range(N)]


pytestmark = pytest.mark.filterwarnings("default::UserWarning")


def told(function, *args, **kwargs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args, **kwargs)
    return result, [str(warning.message).replace(f"{DATA}/", "") for warning in caught]


def command(name, *options):
    """The AUC that the command gives, and its lines to standard error."""
    result = call("assess", str(DATA / name), *options, "--positive", "yes", "--json", "-")
    if result.exit_code:
        return None, result.stderr.replace(f"{DATA}/", "")
    return json.loads(result.stdout)["measures"]["roc_auc"]["value"], result.stderr.replace(f"{DATA}/", "")


def auc(score=YES, truth=TRUTH, **more):
    return ca.assess(truth, score, positive="yes", **more)["roc_auc"].value


LISTS = [
    ("datasets-5.2.0.parquet", "label", "probability"),
    ("datasets-5.2.0.parquet", "label", "fixed"),
    ("datasets-5.2.0.arrow", "label", "probability"),
    ("polars-2.1.0.parquet", "outcome", "p_list"),
    ("polars-2.1.0.parquet", "outcome", "p_array"),
    ("polars-2.1.0.arrow", "outcome", "p_array"),
    ("pandas-3.1.1-nested.parquet", "grade", "probability"),
]
"""Files that know the order of the classes: yes, no."""
UNKNOWN = [
    ("polars-2.1.0.jsonl", "outcome", "p_list"),
    ("polars-2.1.0.json", "outcome", "p_array"),
    ("duckdb-2.0.1.parquet", "outcome", "p_list"),
    ("duckdb-2.0.1.json", "outcome", "p_array"),
    ("duckdb-2.0.1-array.json", "outcome", "p_list"),
    ("pandas-3.1.1-nested.parquet", "outcome", "probability"),
    ("pandas-3.1.1-split.json", "outcome", "probability"),
]
KEYED = [
    ("polars-2.1.0.parquet", "p_struct"),
    ("polars-2.1.0.arrow", "p_struct"),
    ("polars-2.1.0.jsonl", "p_struct"),
    ("duckdb-2.0.1.parquet", "p_struct"),
    ("duckdb-2.0.1.parquet", "p_map"),
    ("duckdb-2.0.1.json", "p_map"),
    ("pandas-3.1.1-nested.parquet", "p_dict"),
    ("pandas-3.1.1-records.json", "p_dict"),
]


@pytest.mark.parametrize(("name", "truth", "column"), LISTS)
@pytest.mark.parametrize("in_parts", [(), ("--memory", "64")], ids=["at once", "in parts"])
def test_lists_follow_the_order_of_the_classes_that_the_file_knows(name, truth, column, in_parts):
    value, lines = command(name, "--truth", truth, "--class-scores", column, "--missing", "drop", *in_parts)
    known = [k for k in range(N) if k != 5 or not name.startswith("datasets")]
    expected = auc([YES[k] for k in known], [TRUTH[k] for k in known])
    assert value == pytest.approx(expected, abs=1e-6)
    assert f"Scores of {column} are in the order of {truth} in the file: yes and no." in lines


@pytest.mark.parametrize(("name", "truth", "column"), UNKNOWN)
def test_lists_of_classes_in_no_known_order_are_refused_until_labels_name_it(name, truth, column):
    value, lines = command(name, "--truth", truth, "--class-scores", column)
    assert value is None
    assert f"{column} has 2 scores in each row, and nothing says which class each belongs to" in lines
    value, _ = command(name, "--truth", truth, "--class-scores", column, "--labels", "yes,no")
    assert value == pytest.approx(auc())
    other, _ = command(name, "--truth", truth, "--class-scores", column, "--labels", "no,yes")
    assert other == pytest.approx(1 - auc())


@pytest.mark.parametrize(("name", "column"), KEYED)
def test_structs_and_maps_are_scores_by_their_keys(name, column):
    value, _ = command(name, "--truth", "outcome", "--class-scores", column)
    assert value == pytest.approx(auc())


@pytest.mark.parametrize("ending", ["parquet", "json"])
def test_a_dense_vector_of_spark_has_no_size(ending):
    """Memory would take `size` for the number of scores: it is null, and JSON leaves it out."""
    name = f"pyspark-4.3.0-outcome.{ending}"
    rows = read_table(DATA / name, ["outcome", "probability.values"]).to_pylist()
    truth, score = ([row[key] for row in rows] for key in ("outcome", "probability.values"))
    value, _ = command(name, "--truth", "outcome", "--class-scores", "probability", "--labels", "yes,no")
    assert value == pytest.approx(auc([row[0] for row in score], truth))
    raw, _ = command(name, "--truth", "outcome", "--class-scores", "rawPrediction", "--labels", "yes,no")
    assert raw == pytest.approx(value)


@pytest.mark.parametrize("ending", ["parquet", "json"])
def test_sparse_vectors_have_their_zeros(ending):
    names = [f"probability[{k} of 3]" for k in range(3)]
    table = read_table(DATA / f"pyspark-4.3.0-sparse.{ending}", names)
    matrix = np.stack([table[name].to_numpy() for name in names], 1)
    expected = [[0, 1, 0], [0.5, 0.25, 0.25], [0.25, 0, 0.75], [0, 0, 0], [np.nan] * 3]
    assert np.array_equal(matrix, expected, equal_nan=True)


def test_spark_names_classes_by_frequency_and_positive_as_text_exchanges_nothing():
    """`yes` is the common class here, so that its code is 0; the predictions have no names of their own."""
    table, texts = told(
        read_table,
        DATA / "pyspark-4.3.0-outcome.parquet",
        ["label", "prediction"],
        together=["label", "prediction"],
    )
    assert table["label"].to_pylist() == TRUTH
    assert {*table["prediction"].to_pylist()} <= {"yes", "no"}
    assert texts[0] == "Classes of label from pyspark-4.3.0-outcome.parquet: 0 = yes and 1 = no."
    options = ("--truth", "label", "--class-scores", "probability")
    assert command("pyspark-4.3.0-outcome.parquet", *options)[0] == pytest.approx(
        command("pyspark-4.3.0-outcome.parquet", "--truth", "outcome", *options[2:], "--labels", "yes,no")[0]
    )


def test_spark_says_of_predictions_in_parts_too_what_they_are():
    options = ("--truth", "label", "--prediction", "prediction", "--class-scores", "probability")
    name = str(DATA / "pyspark-4.3.0-kind.parquet")
    whole, parts = (call("assess", name, *options, *more, "--json", "-") for more in ((), ("--memory", "64")))
    assert whole.exit_code == parts.exit_code == 0
    assert json.loads(whole.stdout)["measures"] == json.loads(parts.stdout)["measures"]
    assert json.loads(whole.stdout)["labels"] == ["spam", "eggs", "ham"] or "spam" in whole.stdout


def test_minus_one_is_no_label_where_class_label_is_declared():
    table, texts = told(read_table, DATA / "datasets-5.2.0.parquet", ["label"])
    assert table["label"].to_pylist() == [None if k == 5 else TRUTH[k] for k in range(N)]
    assert texts == [
        "Classes of label from datasets-5.2.0.parquet: 0 = yes and 1 = no.",
        "label in datasets-5.2.0.parquet is -1 in 1 row (index 5), which means no label. It is read as missing.",
    ]


def test_codes_beyond_the_names_are_refused(tmp_path):
    about = {"info": {"features": {"y": {"names": ["no", "yes"], "_type": "ClassLabel"}}}}
    table = pa.table({"y": [0, 1, 2]}).replace_schema_metadata({"huggingface": json.dumps(about)})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(
        FileError, match=r"y in .* has 2 in index 2, but the file names 2 classes \(no and yes\)"
    ):
        read_table(tmp_path / "a.parquet", ["y"])


@pytest.mark.parametrize("names", [["no"], ["no", "yes"]])
def test_a_missing_code_is_no_class_whatever_the_names(tmp_path, names):
    about = {"info": {"features": {"y": {"names": names, "_type": "ClassLabel"}}}}
    table = pa.table({"y": [0, None, 0]}).replace_schema_metadata({"huggingface": json.dumps(about)})
    parquet.write_table(table, tmp_path / "a.parquet")
    table, _ = told(read_table, tmp_path / "a.parquet", ["y"])
    assert table["y"].to_pylist() == ["no", None, "no"]


@pytest.mark.parametrize(
    "about", ["", "[1]", "{", '{"info": 3}', "[" * 10_000, '{"info": {"features": {"y": 1}}}']
)
def test_a_damaged_description_names_nothing(tmp_path, about):
    table = pa.table({"y": [0, 1, 2]}).replace_schema_metadata(
        {"huggingface": about, "org.apache.spark.sql.parquet.row.metadata": about}
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet", ["y"])["y"].to_pylist() == [0, 1, 2]


def test_the_order_of_a_categorical_of_polars_is_that_of_its_first_rows():
    """An Enum has the order that its owner gave; a Categorical has one too, which means nothing."""
    value, lines = command("polars-2.1.0.parquet", "--truth", "seen", "--class-scores", "p_list")
    assert value is None
    assert "nothing says which class each belongs to (the file has no and yes)" in lines


def test_duckdb_writes_an_enum_as_plain_text_and_an_array_as_a_list():
    """Memory expects a dictionary with the order of the enum, and a list of fixed size."""
    kinds = dict(column_names(DATA / "duckdb-2.0.1.parquet"))
    assert (kinds["outcome"], kinds["p_array"]) == ("string", "list<element: double>")


def test_zipmaps_of_onnx_have_their_labels_as_keys():
    """Memory expects an array: a classifier of skl2onnx gives a list of dicts, whose keys may be numbers."""
    rows = [json.loads(line) for line in (DATA / "onnxruntime-1.32.0-zipmap.jsonl").read_text().splitlines()]
    expected = auc([row["probability"]["yes"] for row in rows])
    for name in ("onnxruntime-1.32.0-zipmap.jsonl", "onnxruntime-1.32.0-zipmap.parquet"):
        value, _ = command(name, "--truth", "outcome", "--class-scores", "probability")
        assert value == pytest.approx(expected, abs=1e-6)
    result = call(
        *("assess", str(DATA / "onnxruntime-1.32.0-zipmap.parquet"), "--truth", "number"),
        *("--class-scores", "of_number", "--json", "-"),
    )
    assert json.loads(result.stdout)["measures"]["roc_auc"]["value"] == pytest.approx(expected, abs=1e-6)
    assert auc([row["probability"] for row in rows]) == pytest.approx(expected)


def test_river_knows_no_class_before_the_first_and_leaves_out_those_to_come():
    rows = [json.loads(line) for line in (DATA / "river-0.26.1.jsonl").read_text().splitlines()]
    scores, truth = ([row[key] for row in rows] for key in ("probability", "outcome"))
    assert (scores[0], scores[1]) == ({}, {"no": 1.0})
    plain = [None if not row else row.get("yes", 0.0) for row in scores]
    expected = auc(plain, truth, unanswered="drop")
    result, texts = told(auc, scores, truth, unanswered="drop")
    assert result == pytest.approx(expected)
    assert texts == ["score has no score of yes in 1 row (index 1), whose scores sum to 1. It is read as 0."]
    value, lines = command(
        *("river-0.26.1.jsonl", "--truth", "outcome", "--class-scores", "probability", "--unanswered", "drop")
    )
    assert value == pytest.approx(expected)
    assert (
        "probability has no score of yes in 1 row (line 2), whose scores sum to 1. It is read as 0." in lines
    )


def test_a_column_with_a_dot_in_its_name_comes_before_a_path():
    table = read_table(DATA / "pandas-3.1.1-nested.parquet", ["doc.cat", "doc.scores[0].value"])
    assert table["doc.cat"].to_pylist() == TRUTH
    assert table["doc.scores[0].value"].to_pylist() == YES


@pytest.mark.parametrize("name", ["duckdb-2.0.1.parquet", "duckdb-2.0.1.json", "duckdb-2.0.1-array.json"])
def test_fields_are_read_by_paths(name):
    table = read_table(DATA / name, ["doc.cat", "p_list[1]", "p_map.no", "p_struct.yes"], labels=["doc.cat"])
    assert table["doc.cat"].to_pylist() == KINDS
    no = [round(1 - p, 2) for p in YES]
    assert table["p_list[1]"].to_pylist() == table["p_map.no"].to_pylist() == no
    assert table["p_struct.yes"].to_pylist() == YES
    value, _ = command(name, "--truth", "outcome", "--score", "p_struct.yes", "--by", "doc.cat")
    assert value is None or value == pytest.approx(auc())


PANDAS = ["records", "columns", "split", "index", "table"]


@pytest.mark.parametrize("form", PANDAS)
def test_every_form_of_json_of_pandas_gives_the_same_rows(form):
    name = DATA / f"pandas-3.1.1-{form}.json"
    assert read_table(name, ["id", "doc.cat", "doc.scores[0].value", "probability[0]"]).to_pylist() == [
        {"id": k, "doc.cat": TRUTH[k], "doc.scores[0].value": YES[k], "probability[0]": YES[k]}
        for k in range(N)
    ]
    names = [column for column, _ in column_names(name) if column != "index"]
    assert names == ["id", "outcome", "grade", "probability", "p_dict", "doc", "doc.cat"]


def test_json_without_names_is_refused():
    with pytest.raises(FileError, match="has no list of rows with names"):
        read_table(DATA / "pandas-3.1.1-values.json", ["y"])


def write(tmp_path, text, name="a.json"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_json_of_rows_in_an_object_and_of_columns(tmp_path):
    expected = [{"y": 0, "p": 0.5}, {"y": 1, "p": 1.0}]
    for text in (
        '{"model": "m", "rows": [{"y": 0, "p": 0.5, "x": 1}, {"y": 1, "p": 1, "x": "a"}]}',
        '{"y": [0, 1],\n "p": [0.5, 1.0], "model": "m"}',
        '[\n {"y": 0, "p": 0.5},\n {"y": 1, "p": 1.0, "z": null}\n]\n',
        '{"y": 0, "p": 0.5}\n{"y": 1, "p": 1.0}\n',
    ):
        assert read_table(write(tmp_path, text), ["y", "p"]).to_pylist() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": [{"y": 1}], "b": [{"y": 1}]}', r"has several lists of rows \(a and b\)"),
        ('{"y": [0, 1], "p": [1]}', r"has lists of different lengths \(y has 2 and p has 1\)"),
        ('[{"y": 1, "y": 2}]', "has 'y' twice in one object"),
        ('[{"y": 1}, 3]', "Row 2 of .* is not an object"),
        ('{"y": [0, 1]', "is not a whole JSON document"),
        ("[" * 1200 + "]" * 1200, "nested deeper than 100"),
        ("y,p\n1,2\n", "is not a JSON file, although its name ends like one"),
        ("[]", "has no rows"),
    ],
)
def test_json_that_holds_no_rows_is_one_line(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        read_table(write(tmp_path, text), ["y"])


MIXED = '{"y": 1, "p": 0.5, "x": 1, "d": {"a": 1}}\n{"y": 0, "p": 0.25, "x": "a", "d": 3}\n'


def test_unused_fields_of_json_lines_may_change_their_type(tmp_path):
    path = write(tmp_path, MIXED, "a.jsonl")
    assert read_table(path, ["y", "p"]).to_pylist() == [{"y": 1, "p": 0.5}, {"y": 0, "p": 0.25}]
    kinds = dict(column_names(path))
    assert kinds == {"y": "int64", "p": "double", "x": "mixed", "d": "mixed"}
    assert call("assess", str(path)).exit_code == 0


def test_a_field_whose_type_changes_late_is_read_as_before(tmp_path):
    """The first rows tell a type that later ones lack: whole numbers, then decimals; a date, then text; ids."""
    rows = [{"y": 1, "t": "2025-01-01", "doc": {"id": k, "s": 1}} for k in range(20_000)]
    rows += [{"y": 0.5, "t": "soon", "doc": {"id": 2**63 + 25, "s": 0.25}}]
    path = write(tmp_path, "\n".join(map(json.dumps, rows)) + "\n", "a.jsonl")
    table = read_table(path, ["y", "t", "doc.s", "doc.id"], labels=["t"])
    assert [table[name][-1].as_py() for name in table.column_names] == [0.5, "soon", 0.25, str(2**63 + 25)]


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_fields_nested_deeper_than_100_are_skipped_or_refused(tmp_path, ending):
    """Fields that nobody names are skipped, named ones are refused."""
    deep = "[" * 101 + "]" * 101
    path = write(tmp_path, f'{{"y": 1, "x": {deep}}}\n{{"y": 0, "x": []}}\n', f"a.{ending}")
    assert read_table(path, ["y"])["y"].to_pylist() == [1, 0]
    with pytest.raises(FileError, match=r"Line 1 of .* has lists or objects nested deeper than 100"):
        read_table(path, ["x"])
    result = call("assess", str(path))
    assert result.exit_code in (0, 2)
    assert len(result.stderr.splitlines()) < 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "doc.dog",
            r"has no doc\.dog\. doc has doc\.cat and doc\.scores\. Did you mean 'doc\.scores'\?|doc\.dog",
        ),
        ("id.x", r"has no id\.x, because id is int64\. Name id\."),
        (
            "doc.scores.value",
            r"has no doc\.scores\.value, because doc\.scores is list.*Name doc\.scores\[0\]\.",
        ),
        ("nothing.x", "has no column 'nothing.x'"),
        ("doc" + ".cat" * 102, "has more than 100 steps"),
    ],
)
def test_a_path_that_leads_nowhere_is_one_line(name, message):
    with pytest.raises(InputError, match=message):
        read_table(DATA / "pandas-3.1.1-nested.parquet", [name])


def test_a_struct_whose_fields_are_no_scores_is_refused():
    value, lines = command("pandas-3.1.1-nested.parquet", "--truth", "outcome", "--class-scores", "doc")
    assert value is None
    assert "doc has fields that are not scores" in lines


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("no,yes,maybe", "p_list has 2 scores in data row 1, but the number of labels is 3."),
        ("yes", "p_list has 2 scores in data row 1, but the number of labels is 1."),
    ],
)
def test_another_number_of_scores_than_of_labels_is_refused(labels, message):
    value, lines = command(
        "duckdb-2.0.1.parquet", "--truth", "outcome", "--class-scores", "p_list", "--labels", labels
    )
    assert value is None
    assert message in lines


@pytest.mark.parametrize("lists", [[None] * 3, [[], [], None], [[], [], []], []])
def test_lists_without_a_number_are_refused_as_an_array_of_no_columns_is(lists):
    """Rows without a list, and lists of nothing, have no column: as in NumPy, where the shape is then (rows, 0)."""
    table = pa.table({"y": ["a", "b", "a"][: len(lists)], "p": pa.array(lists, pa.list_(pa.float64()))})
    matrix = dense(table["p"], "p")
    assert matrix.shape == (len(lists), 0)
    with pytest.raises(InputError) as refused:
        ca.assess(table, truth="y", score="p")
    with pytest.raises(InputError) as of_array:
        ca.assess(table["y"].to_pylist(), matrix)
    assert str(refused.value) == str(of_array.value)


def test_lists_of_unequal_lengths_and_keys_that_come_late_are_refused(tmp_path):
    lists = pa.table({"y": ["no", "yes"] * 3, "p": [[0.5, 0.5]] * 4 + [[1.0, 0.0, 0.0], None]})
    parquet.write_table(lists, tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"p has 3 scores in index 4, but the number of labels is 2"):
        read_table(tmp_path / "a.parquet", ["p[0 of 2]"])
    refusal("assess", str(tmp_path / "a.parquet"), *("--truth", "y", "--class-scores", "p"))
    with pytest.raises(InputError, match="score has 3 scores in index 4, but the first"):
        ca.assess(lists["y"], lists["p"], positive="yes")
    rows = [{"no": 0.5, "yes": 0.5}, {"no": 0.5, "perhaps": 0.5}]
    with pytest.raises(
        InputError, match=r"p has a score of 'perhaps' in index 1, which is not among the labels"
    ):
        read_table(
            write(tmp_path, "\n".join(map(json.dumps, [{"p": row} for row in rows])), "b.jsonl"),
            ["p{no}", "p{yes}"],
        )


FORMS = {
    "list of dicts": lambda rows: rows,
    "tuple of dicts": tuple,
    "array of objects": lambda rows: np.array(rows, object),
    "struct": pa.array,
    "map": lambda rows: pa.array([[*row.items()] for row in rows], pa.map_(pa.string(), pa.float64())),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_mappings_in_python_are_scores_by_their_keys(form):
    rows = [{"yes": p, "no": 1 - p} for p in YES]
    assert auc(FORMS[form](rows)) == pytest.approx(auc())


def test_series_of_lists_and_of_dicts_in_python():
    pd = pytest.importorskip("pandas")
    lists, rows = [[p, 1 - p] for p in YES], [{"yes": p, "no": 1 - p} for p in YES]
    frame = pd.DataFrame({"y": TRUTH, "p": lists, "d": rows, "doc": [{"cat": y} for y in TRUTH]})
    assert auc(frame["p"], labels=["yes", "no"]) == auc(frame["d"]) == pytest.approx(auc())
    same = {"positive": "yes"}
    assert ca.assess(frame, truth="doc.cat", score="d", **same)["roc_auc"].value == pytest.approx(auc())
    assert ca.assess(frame, truth="y", score="p[0]", **same)["roc_auc"].value == pytest.approx(auc())
    by_label = {"yes": "p[0]", "no": "p[1]"}
    assert ca.assess(frame, truth="y", score=by_label, **same)["roc_auc"].value == pytest.approx(auc())
    whole = ca.assess(frame, truth="y", score="p", labels=["yes", "no"], **same)
    assert whole["roc_auc"].value == pytest.approx(auc())


def test_series_of_polars_of_lists_and_structs():
    pl = pytest.importorskip("polars")
    frame = pl.read_parquet(DATA / "polars-2.1.0.parquet").with_columns(y=pl.Series(TRUTH))
    assert auc(frame["p_struct"]) == pytest.approx(auc())
    assert auc(frame["p_list"], labels=["yes", "no"]) == pytest.approx(auc())
    lazy = ca.assess(frame.lazy(), truth="y", score="p_struct.yes", positive="yes")
    assert lazy["roc_auc"].value == pytest.approx(auc())


def test_rows_that_are_no_mappings_among_mappings_are_refused():
    with pytest.raises(InputError, match="score is int in index 1"):
        auc([{"yes": 0.5}, 3], ["no", "yes"])
    with pytest.raises(InputError, match="score has no scores in any row"):
        auc([{}, {}], ["no", "yes"])


def test_a_scan_reads_paths_and_lists_part_by_part(tmp_path):
    for k, rows in enumerate(np.array_split(np.arange(N), 3)):
        table = pa.table(
            {
                "doc": [{"y": TRUTH[i], "p": [YES[i], 1 - YES[i]]} for i in rows],
                "n": [{"yes": YES[i], "no": 1 - YES[i]} for i in rows],
            }
        )
        parquet.write_table(table, tmp_path / f"{k}.parquet")
    same = {"positive": "yes", "labels": ["yes", "no"]}
    for score in ("doc.p", {"yes": "doc.p[0]", "no": "doc.p[1]"}, "n", {"yes": "n.yes", "no": "n.no"}):
        a = ca.scan(str(tmp_path), truth="doc.y", score=score, **same)
        assert a["roc_auc"].value == pytest.approx(auc())


def test_models_are_compared_by_columns_of_lists():
    name = str(DATA / "polars-2.1.0.parquet")
    scores = ("--class-scores", "new:p_struct", "--class-scores", "old:p_list")
    result = call("compare", name, "--truth", "outcome", *scores, "--positive", "yes", "--json", "-")
    assert result.exit_code == 0, result.stderr


def test_a_scan_follows_the_order_that_the_file_knows_and_not_the_sorted_one():
    for name in ("datasets-5.2.0.parquet", "datasets-5.2.0.arrow"):
        known = [k for k in range(N) if k != 5]
        expected = auc([YES[k] for k in known], [TRUTH[k] for k in known])
        a = ca.scan(str(DATA / name), truth="label", score="probability", positive="yes", missing="drop")
        assert a["roc_auc"].value == pytest.approx(expected, abs=1e-6)
    with pytest.raises(InputError, match="nothing says which class each belongs to"):
        ca.scan(str(DATA / "duckdb-2.0.1.parquet"), truth="outcome", score="p_list", positive="yes")


def test_whole_numbers_from_zero_are_the_order_of_lists(tmp_path):
    table = pa.table({"y": [k % 3 for k in range(9)], "p": [[0.2, 0.3, 0.5]] * 8 + [[0.5, 0.25, 0.25]]})
    parquet.write_table(table, tmp_path / "a.parquet")
    result = call("assess", str(tmp_path / "a.parquet"), "--truth", "y", "--class-scores", "p")
    assert result.exit_code == 0
    assert "Scores of p are in the order of y in the file: 0, 1 and 2." in result.stderr
    a = ca.scan(str(tmp_path / "a.parquet"), truth="y", score="p")
    assert a["accuracy"].value == ca.assess(table["y"], table["p"].to_pylist())["accuracy"].value


@pytest.mark.parametrize(
    "text", ["y,p,p\nno,0.1,0.9\nyes,0.8,0.2\n", '\ufeff\n"y",p,p\nno,0.1,0.9\nyes,0.8,0.2\n']
)
def test_columns_of_one_name_have_numbers(tmp_path, text):
    path = write(tmp_path, text, "a.csv")
    assert [name for name, _ in column_names(path)] == ["y", "p#1", "p#2"]
    assert read_table(path, ["p#2", "y"]).to_pylist() == [{"p#2": 0.9, "y": "no"}, {"p#2": 0.2, "y": "yes"}]
    result = call("assess", str(path), "--truth", "y", "--score", "p", "--positive", "yes")
    assert "has 2 columns with the name 'p'. Use p#1 or p#2." in result.stderr


def test_columns_of_one_name_in_a_title_and_in_a_sheet(tmp_path):
    path = write(tmp_path, "A title\ny,p,p\nno,0.1,0.9\nyes,0.8,0.2\nyes,0.3,0.7\n", "a.csv")
    with pytest.warns(UserWarning, match="Line 2"):
        assert read_table(path, ["p#1"])["p#1"].to_pylist() == [0.1, 0.8, 0.3]
    write_book(tmp_path / "a.xlsx", {"rows": [["y", "p", "p"], ["no", 0.1, 0.9], ["yes", 0.8, 0.2]]})
    assert read_table(tmp_path / "a.xlsx", ["p#2"])["p#2"].to_pylist() == [0.9, 0.2]


def test_codes_of_a_frame_stay_codes_in_assess_and_in_scan():
    table = parquet.read_table(DATA / "datasets-5.2.0.parquet").filter(pc.field("id") != 5)
    same = {"truth": "label", "score": "probability", "positive": 1}
    known = [k for k in range(N) if k != 5]
    expected = auc([YES[k] for k in known], [TRUTH[k] for k in known])
    for a in (ca.assess(table, **same), ca.scan(table, **same)):
        assert a.labels == (0, 1)
        assert a["roc_auc"].value == pytest.approx(expected, abs=1e-6)


def test_scores_that_can_be_read_once_are_read_once():
    assert auc(p for p in YES) == auc()


def test_of_a_struct_only_the_fields_that_are_asked_for_are_read(tmp_path):
    rows = [{"cat": "a", "in": {"v": k, "w.x": 1}, "text": "x" * 1000 + str(k)} for k in range(2000)]
    parquet.write_table(pa.table({"doc": rows, "y": [*range(2000)]}), tmp_path / "a.parquet")
    names = ["doc.in.v", "doc.in.w.x", "y"]
    before = pa.total_allocated_bytes()
    table = read_table(tmp_path / "a.parquet", names)
    assert pa.total_allocated_bytes() - before < 200_000
    assert table["doc.in.v"].to_pylist() == [*range(2000)]
    assert table["doc.in.w.x"].to_pylist() == [1] * 2000
    assert read_table(tmp_path / "a.parquet", ["doc", "doc.cat"])["doc"][0].as_py() == rows[0]


@pytest.mark.parametrize("column", ["p_list", "p_array", "p_struct"])
def test_a_column_of_several_scores_is_no_score_of_one_class(column):
    """The order of the classes would be guessed."""
    value, lines = command("polars-2.1.0.parquet", "--truth", "outcome", "--score", column)
    assert value is None
    assert f"{column} has several scores in each row. Use --class-scores {column} instead." in lines
    options = ("--truth", "outcome", "--scores", f"{column},p_struct.yes", "--positive", "yes")
    result = call("compare", str(DATA / "polars-2.1.0.parquet"), *options)
    assert f"{column} has several scores in each row." in result.stderr


NESTED = [
    {"doc": {"y": TRUTH[k], "id": k, "g": KINDS[k], "w": 1 + k % 3, "c": k // 2}, "s": [{"v": YES[k]}]}
    for k in range(N)
]
ROLES = {"truth": "doc.y", "score": "s[0].v", "weight": "doc.w"}


def frames():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table = pa.Table.from_pylist(NESTED)
    columns = {name: [row[name] for row in NESTED] for name in ("doc", "s")}
    return [table, pd.DataFrame(NESTED), pl.from_arrow(table), pl.from_arrow(table).lazy(), columns]


def test_paths_are_columns_of_every_frame_in_assess_and_scan():
    expected = auc(weight=[row["doc"]["w"] for row in NESTED])
    for frame in frames():
        for function in (ca.assess, ca.scan):
            assert function(frame, **ROLES, positive="yes")["roc_auc"].value == pytest.approx(expected)
        with pytest.raises(InputError, match=r"has no doc\.dog\. doc has ") as refused:
            ca.assess(frame, **{**ROLES, "weight": "doc.dog"}, positive="yes")
        fields = re.findall(r"doc\.(\w+)", str(refused.value).split("doc has")[1].split(". Did")[0])
        assert {*fields} == {"y", "id", "g", "w", "c"}  # which PyArrow 17 sorts


@pytest.mark.parametrize(
    "options",
    [
        ("assess", "--score", "s[0].v", "--by", "doc.g", "--id", "doc.id"),
        ("assess", "--score", "s[0].v", "--cluster", "doc.c", "--memory", "64"),
        ("compare", "--scores", "s[0].v,s[0].v2", "--cluster", "doc.c"),
        ("decide", "--score", "s[0].v", "--cost", "fp=1,fn=doc.w"),
    ],
    ids=lambda options: " ".join(options[:3]),
)
def test_paths_are_columns_of_every_command(tmp_path, options):
    rows = [{**row, "s": [{**row["s"][0], "v2": 0.5 * row["s"][0]["v"] ** 2}]} for row in NESTED]
    path = write(tmp_path, "\n".join(map(json.dumps, rows)), "a.jsonl")
    result = call(options[0], str(path), "--truth", "doc.y", "--positive", "yes", *options[1:])
    assert result.exit_code == 0, result.stderr


def test_files_whose_classes_have_another_order_are_refused(tmp_path):
    """In each file the codes and the scores follow its own names: one order for all would exchange the classes."""
    for name, names in (("a", ["no", "yes"]), ("b", ["yes", "no"])):
        about = {"info": {"features": {"y": {"names": names, "_type": "ClassLabel"}}}}
        p = [[1 - p, p] if name == "a" else [p, 1 - p] for p in YES]
        table = pa.table({"y": [names.index(y) for y in TRUTH], "p": p, "id": [*range(N)]})
        parquet.write_table(
            table.replace_schema_metadata({"huggingface": json.dumps(about)}), tmp_path / f"{name}.parquet"
        )
    message = "has the scores of p for yes and no, but the first file for no and yes"
    with pytest.raises(InputError, match=message):
        ca.scan(str(tmp_path), truth="y", score="p", positive="yes")
    files = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    options = ("--truth", "y", "--class-scores", "p", "--positive", "yes")
    for arguments in (("assess", str(tmp_path)), ("compare", *files, "--id", "id")):
        result = call(arguments[0], *arguments[1:], *options)
        assert result.exit_code == 2
        assert message in result.stderr.replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("name", ["fastavro-1.13.1-null.avro", "r-4.2.2-bit64-4.0.5.rds"])
def test_lists_of_other_formats_are_scores_too(name):
    pytest.importorskip({"avro": "fastavro", "rds": "rdata"}[name.rpartition(".")[2]])
    options = ("--truth", "outcome", "--missing", "drop", "--unanswered", "drop")
    value, lines = command(name, *options, "--class-scores", "scores", "--labels", "no,yes")
    assert value == pytest.approx(command(name, *options, "--score", "scores[1]")[0]), lines


LARGE = 2**63
WITHIN = {
    "k": lambda tag: tag,
    "k[0]": lambda tag: [tag, 7],
    "k.id": lambda tag: {"id": tag, "p": 0.5},
    "k[0][1]": lambda tag: [[7, tag]],
    "k[0].id": lambda tag: [{"id": tag}],
    "k.a.b": lambda tag: {"a": {"b": tag, "when": "2024-01-01"}},
    "k.a[1].id": lambda tag: {"a": [{}, {"id": tag}, None]},
}


@pytest.mark.parametrize("path", WITHIN)
@pytest.mark.parametrize("ending", [".jsonl", ".json"])
def test_whole_numbers_beyond_64_bits_keep_their_digits_wherever_they_stand(path, ending, tmp_path):
    tags = [LARGE, LARGE + 1, -LARGE - 1, 2**70, 3, LARGE + 1]
    rows = [{"k": None}, *({"k": WITHIN[path](tag)} for tag in tags)]
    file = tmp_path / f"a{ending}"
    lines = [json.dumps(row) for row in rows]
    file.write_text("\n".join(lines) if ending == ".jsonl" else f"[{','.join(lines)}]")
    for table in (read_table(file, [path]), read_table(file, [path], labels=[path], together=[path])):
        assert table[path].to_pylist() == [None, *map(str, tags)]
    whole = read_table(file)["k"].to_pylist()
    written = str(whole).replace("'", "")
    assert [str(tag) in written for tag in tags] == [True] * len(tags)


def test_tags_beyond_64_bits_stay_apart(tmp_path):
    truth = [[LARGE, 5], [LARGE + 1], [LARGE + 2, LARGE], []] * 5
    said = [[LARGE], [LARGE + 1], [LARGE, 5], [LARGE + 2]] * 5
    file = tmp_path / "tags.jsonl"
    file.write_text("".join(json.dumps({"t": t, "q": q}) + "\n" for t, q in zip(truth, said, strict=True)))
    table = read_table(file)
    found, wanted = ca.assess(table["t"], y_pred=table["q"]), ca.assess(truth, y_pred=said)
    assert {*found.labels} == {*map(str, wanted.labels)}
    assert len(found.labels) == 4
    assert found["micro_recall"] == wanted["micro_recall"]


def test_numbers_in_lists_that_are_no_whole_numbers_stay_numbers(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"k": [1e300, 0.5]}\n{"k": [-1e300, 1]}\n')
    assert read_table(file)["k"].to_pylist() == [[1e300, 0.5], [-1e300, 1.0]]
