"""Files that Weka, H2O, LIBSVM, Vowpal Wabbit, fastText, MLflow, scikit-learn, Orange, W&B and DVCLive wrote."""

import json
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.errors import ClassayError, FileError, InputError
from classay.formats.layout import Layout
from classay.formats.shapes import has_types_and_roles
from classay.sources.files import column_names, read_table
from command import call, json_of, refusal, typed
from formats.test_text_layouts import DATA, told, written

SVM, LINEAR, VW, FAST = "libsvm-3.24", "liblinear-2.3.0", "vowpal-wabbit-9.11.9", "fasttext-0.9.2"
pytestmark = pytest.mark.filterwarnings("always::UserWarning")
H2O, LEARN, FLOW = "h2o-3.46.0.12", "scikit-learn-1.9.1", "mlflow-3.17.2"


def lines(name):
    return (DATA / name).read_text().splitlines()


def second(name):
    return Layout(columns_from=str(DATA / name))


def by_hand(name):
    """The truth and the score of the positive class, from the lines of a file without a reader."""
    if name == "weka":
        rows = [line.split(",") for line in lines("weka-3.9.7-distribution.csv") if line[:1].isdigit()]
        rows = [row for row in rows if row[1] != "1:?"]
        return [row[1] == "2:tested_positive" for row in rows], [float(row[5].strip("*")) for row in rows]
    if name == "h2o":
        rows = [line.split(",") for line in lines(f"{H2O}-words.csv")[1:]]
        return [row[0] == '"yes"' for row in rows], [float(row[3]) for row in rows]
    if name in (SVM, LINEAR):
        scores = [float(line.split()[1]) for line in lines(f"{name}-two.txt")[1:]]
        return [line.startswith("+1") for line in lines(f"{SVM}-two-data.txt")], scores
    if name == VW:
        scores = [float(line.split()[0]) for line in lines(f"{VW}-two.txt")]
        return [line.startswith("1") for line in lines(f"{VW}-two-data.txt")], scores
    pairs = [line.split() for line in lines(f"{FAST}-two.txt")]
    scores = [float(row[row.index("__label__spam") + 1]) for row in pairs]
    truth = [line.split()[0] for line in lines(f"{FAST}-two-data.txt")]
    labeled = [at for at, label in enumerate(truth) if label.startswith("__label__")]
    return [truth[at] == "__label__spam" for at in labeled], [scores[at] for at in labeled]


@pytest.mark.parametrize(
    ("name", "file", "data", "truth", "score", "positive"),
    [
        (
            "weka",
            "weka-3.9.7-distribution.csv",
            None,
            "actual",
            "probability.tested_positive",
            "tested_positive",
        ),
        ("weka", "weka-3.9.7.csv", None, "actual", "probability.tested_positive", "tested_positive"),
        ("h2o", f"{H2O}-words.csv", None, "y", "yes", "yes"),
        (SVM, f"{SVM}-two.txt", f"{SVM}-two-data.txt", "label", "probability.1", "1"),
        (LINEAR, f"{LINEAR}-two.txt", f"{SVM}-two-data.txt", "label", "probability.1", "1"),
        (VW, f"{VW}-two.txt", f"{VW}-two-data.txt", "label", "value", "1"),
        (FAST, f"{FAST}-two.txt", f"{FAST}-two-data.txt", "label", "probability.spam", "spam"),
    ],
)
def test_the_command_and_a_table_made_by_hand_agree(name, file, data, truth, score, positive):
    y, p = by_hand(name)
    more = () if data is None else ("--columns-from", str(DATA / data))
    roles = ("--truth", truth, "--score", score, "--positive", positive, "--missing", "drop")
    values = {
        name: each["value"]
        for name, each in json_of("assess", str(DATA / file), *more, *roles)["measures"].items()
    }
    expected = ca.assess(np.array(y), np.array(p))
    for measure in ("roc_auc", "brier_score", "accuracy", "average_precision"):
        assert values[measure] == pytest.approx(expected[measure].value, abs=1e-12)


def test_classes_of_weka_are_without_numbers_and_its_format_is_told():
    table, texts = told("weka-3.9.7-distribution.csv", "inst#", "actual", "predicted", "error")
    assert table.slice(0, 2).to_pylist() == [
        {"inst#": 1, "actual": "tested_negative", "predicted": "tested_negative", "error": None},
        {"inst#": 2, "actual": "tested_negative", "predicted": "tested_positive", "error": "+"},
    ]
    assert texts == [
        "weka-3.9.7-distribution.csv is read as predictions of Weka. Use format='csv' to read it as a plain table."
    ]


def test_a_missing_label_of_weka_is_not_its_first_class():
    assert "6,1:?," in "\n".join(lines("weka-3.9.7-distribution.csv"))
    table, _ = told("weka-3.9.7-distribution.csv", "actual")
    assert [at for at, label in enumerate(table["actual"].to_pylist()) if label is None] == [5, 17]


def test_labels_of_weka_are_quoted_in_one_column_only():
    name = "weka-3.9.7-four-classes.csv"
    assert any(line.startswith("3,2:'iris, blue',2:iris, blue,,") for line in lines(name))
    table, _ = told(name, "actual", "predicted", "id")
    assert {*table["actual"].to_pylist()} == {"setosa", "iris, blue", "it's: odd", None}
    assert {*table["predicted"].to_pylist()} <= {"setosa", "iris, blue", "it's: odd"}
    assert table["id"].to_pylist() == [f"case {k}" for k in range(16)]
    scores = [f"probability.{label}" for label in ("setosa", "iris, blue", "it's: odd", "#4")]
    assert [name for name, kind in column_names(DATA / name) if kind == "double"] == scores
    table, _ = told(name, "predicted", *scores)
    for row in table.to_pylist():
        assert row[f"probability.{row['predicted']}"] == max(row[name] for name in scores)


def test_the_prediction_of_weka_is_of_the_predicted_class():
    both, _ = told(
        "weka-3.9.7-distribution.csv", "probability.tested_positive", "probability.tested_negative"
    )
    alone, texts = told("weka-3.9.7.csv", "probability.tested_positive", "probability.tested_negative")
    assert alone.equals(both)
    assert texts == [
        "weka-3.9.7.csv is read as predictions of Weka. Its scores have 3 decimals, so cases may tie. Weka writes more "
        "with -decimals 8. Use format='csv' to read it as a plain table.",
        "weka-3.9.7.csv has only the probability of the predicted class. The other of two classes gets the rest. Weka "
        "writes both with -distribution.",
    ]
    _, texts = told("weka-3.9.7.csv", "prediction")
    assert "is the probability of the predicted class, not of one class" in texts[1]


def test_weka_with_tabs_and_more_decimals():
    table, texts = told("weka-3.9.7-tab.tsv", "actual", "probability.tested_positive")
    rounded, _ = told("weka-3.9.7-distribution.csv", "actual", "probability.tested_positive")
    exact = table["probability.tested_positive"].to_numpy()
    assert exact[0] == 0.33678584
    assert np.allclose(exact, rounded["probability.tested_positive"].to_numpy(), atol=0.00051)
    assert "decimals" not in texts[0]


def test_a_class_that_weka_may_know_besides_gets_no_rest(tmp_path):
    text = "inst#,actual,predicted,error,prediction\n1,1:a,1:a,,0.9\n2,2:b,1:a,+,0.4\n"
    path = written(tmp_path, text, "weka.csv")
    assert [name for name, _ in column_names(path)][4:] == ["prediction"]


@pytest.mark.parametrize(
    "row", ["1,1:a,1:a,,0.9,0.1", "1,1:a,1:b,,0.9", "1,a,1:a,,0.9", "1,1:a,1:a,,", "total,2"]
)
def test_a_line_that_weka_does_not_write_is_refused(tmp_path, row):
    path = written(tmp_path, f"inst#,actual,predicted,error,prediction\n7,1:a,1:a,,0.8\n{row}\n", "weka.csv")
    with pytest.raises(FileError, match=r"Line 3 of .*weka.csv is not a line of predictions of Weka"):
        told(path, "actual")


def test_numbers_that_weka_predicted_are_refused():
    with pytest.raises(FileError, match="has predicted numbers, because the target was numeric in Weka"):
        told("weka-3.9.7-regression.csv", "actual")


def test_weka_is_read_as_a_plain_table_if_asked():
    table, texts = told("weka-3.9.7.csv", "actual", format="csv")
    assert table["actual"][0].as_py() == "1:tested_negative"
    assert not any("Weka" in text for text in texts)


def test_predict_of_h2o_is_at_another_threshold_than_one_half():
    table, texts = told(f"{H2O}-words.csv", "predict", "yes")
    assert any(row["predict"] == "yes" and row["yes"] < 0.5 for row in table.to_pylist())
    assert len(texts) == 1
    assert "predict is at the threshold with the greatest F1 on H2O's training or validation data" in texts[0]
    assert told(f"{H2O}-words.csv", "y", "yes")[1] == []
    assert len(told(f"{H2O}-three.csv", "predict")[1]) == 1


def test_classes_of_h2o_that_are_numbers_begin_with_p():
    table, texts = told(f"{H2O}-numbers.csv", "y", "predict", "p-1", "p1", labels=["y", "predict"])
    assert {*table["y"].to_pylist()} == {-1, 1}
    assert len(texts) == 1
    truth = ["--truth", "y", "--class-scores", "-1=p-1,1=p1", "--positive", "1"]
    assert call("assess", str(DATA / f"{H2O}-numbers.csv"), *truth).exit_code == 0


def test_a_table_with_a_column_predict_is_not_of_h2o(tmp_path):
    for text in ("predict,a,b\nx,0.5,0.5\n", "predict,a,b\na,3,4\n", "predict,a\na,1\n", "predict\na\n"):
        assert told(written(tmp_path, text), "predict")[1] == []


def test_the_first_line_of_libsvm_tells_the_order_of_scores():
    assert lines(f"{SVM}-two.txt")[0] == lines(f"{LINEAR}-two.txt")[0] == "labels 1 -1"
    assert lines(f"{SVM}-three.txt")[0] == "labels 3 1 2"
    for name in (SVM, LINEAR):
        table, texts = told(f"{name}-three.txt")
        assert table.column_names == ["predicted", "probability.3", "probability.1", "probability.2"]
        for row in table.to_pylist():
            scores = {int(name[12:]): value for name, value in row.items() if name != "predicted"}
            assert row["predicted"] == max(scores, key=scores.get)
        assert len(texts) == 1
        assert "is read as predictions of LIBSVM or LIBLINEAR. Use " in texts[0]


def test_labels_of_libsvm_without_probabilities_are_numbers_without_a_header():
    layout = second(f"{SVM}-two-data.txt")
    table, texts = told(f"{SVM}-labels.txt", "value", "label", layout=layout)
    assert table.slice(0, 3).to_pylist() == [
        {"value": int(value), "label": int(row.split()[0])}
        for value, row in zip(lines(f"{SVM}-labels.txt")[:3], lines(f"{SVM}-two-data.txt"), strict=False)
    ]
    assert "is read as a list of numbers without a header" in texts[0]
    assert "(data of LIBSVM) are joined in their order" in texts[1]


def test_classes_of_vowpal_wabbit_have_their_scores():
    layout = second(f"{VW}-three-data.txt")
    names = ["probability.cat", "probability.dog", "probability.eel"]
    table, texts = told(f"{VW}-three.txt", "label", *names, layout=layout)
    first = dict(pair.split(":") for pair in lines(f"{VW}-three.txt")[0].split()[:3])
    assert [table[f"probability.{key}"][0].as_py() for key in first] == [
        float(each) for each in first.values()
    ]
    assert table["label"].to_pylist() == [line.split()[0] for line in lines(f"{VW}-three-data.txt")]
    assert "is read as class probabilities of Vowpal Wabbit" in texts[0]
    assert told(f"{VW}-two.txt", "tag")[0]["tag"][3].as_py() == "case3"


def test_probabilities_of_vowpal_wabbit_need_the_option_again():
    assert lines(f"{VW}-three-labels.txt")[0] == "cat case0"
    with pytest.raises(FileError, match=r"The format of .* is unknown"):
        column_names(DATA / f"{VW}-three-labels.txt")


def test_raw_scores_of_vowpal_wabbit_are_refused():
    with pytest.raises(
        FileError, match=r"scores that are not probabilities \(sum -1.8628\). Predict again with"
    ):
        told(f"{VW}-raw.txt", "probability.1")


def test_fasttext_writes_one_label_unless_asked():
    layout = second(f"{FAST}-two-data.txt")
    table, _ = told(f"{FAST}-two-first.txt", "predicted", "label", layout=layout)
    assert table["label"].null_count == 1
    assert told(f"{FAST}-two-labels.txt", "predicted")[0].equals(table.select(["predicted"]))
    for name in ("probability.spam", "probability.ham"):
        with pytest.raises(
            FileError, match="fastText writes all labels with `fasttext predict-prob MODEL FILE -1`"
        ):
            told(f"{FAST}-two-first.txt", name)


def test_probabilities_of_fasttext_exceed_one_in_total():
    names = [f"probability.{label}" for label in ("ham", "so-so", "spam")]
    table, _ = told(f"{FAST}-three.txt", *names)
    total = sum(table[name].to_numpy() for name in names)
    assert 1 < total.max() < 1.00004
    scores = ",".join(f"{name[12:]}={name}" for name in names)
    data = str(DATA / f"{FAST}-three-data.txt")
    done = call(
        "assess",
        str(DATA / f"{FAST}-three.txt"),
        "--columns-from",
        data,
        "--truth",
        "label",
        "--class-scores",
        scores,
    )
    assert done.exit_code == 0, done.stderr


def test_several_labels_of_fasttext_are_refused(tmp_path):
    path = written(tmp_path, "__label__a __label__b some words\n", "data.txt")
    with pytest.raises(FileError, match=r"Line 1 of .* has 2 labels. One label for each line is read"):
        told(path, "label")


def test_a_table_of_mlflow():
    table, texts = told(f"{FLOW}-once.json", "case", "truth", "p", "predicted", "pair")
    assert texts == []
    assert table["case"].to_pylist() == [*range(101, 113)]
    assert table["p"].null_count == 1
    assert table["pair"][0].as_py()[1] == table["p"][0].as_py()
    table, _ = told(f"{FLOW}-eval_results_table.json", "truth", "predicted", "hit/score")
    assert all((row["truth"] == row["predicted"]) == row["hit/score"] for row in table.to_pylist())


def test_a_table_that_mlflow_logged_twice_has_all_rows_twice():
    once, twice = told(f"{FLOW}-once.json")[0], told(f"{FLOW}-twice.json")[0]
    assert twice.slice(12).equals(once)
    assert twice.slice(0, 12).equals(once)
    texts = re.findall(r"0\.\d+", (DATA / f"{FLOW}-once.json").read_text())
    assert max(len(text) for text in texts) == 12
    truth = ("--truth", "truth", "--score", "p", "--positive", "yes", "--unanswered", "drop")
    assert "case" in call("assess", str(DATA / f"{FLOW}-twice.json"), *truth).stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"columns":["a","b"],"data":[[1]]}', "has lists of different lengths"),
        ('{"columns":[', "is not a whole JSON document"),
        ('{"columns":["a"]}', "has no column 'a'"),
        ('{"columns":["a"],"data":[["' + "[" * 101, "is not a whole JSON document"),
    ],
)
def test_a_damaged_table_of_mlflow_is_refused(tmp_path, content, message):
    with pytest.raises(ClassayError, match=message):
        told(written(tmp_path, content, "table.json"), "a")


def assessed_matrix(*arguments):
    done = call("assess", "--matrix", *arguments, "--json", "-")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)["confusion_matrix"], done.stderr


def test_a_report_and_a_matrix_of_scikit_learn_have_the_same_counts():
    counts = json.loads((DATA / f"{LEARN}-matrix.json").read_text())
    matrix = DATA / f"{LEARN}-matrix.json"
    named, _ = assessed_matrix(
        str(matrix), "--matrix-rows", "true", "--labels", "no,yes", "--positive", "yes"
    )
    report, texts = assessed_matrix(str(DATA / f"{LEARN}-report.json"), "--positive", "yes")
    assert report == named
    assert sorted(np.ravel(named["counts"])) == sorted(np.ravel(counts))
    assert "Its counts are computed from recall and support" in texts
    turned, _ = assessed_matrix(
        str(matrix), "--matrix-rows", "predicted", "--labels", "no,yes", "--positive", "yes"
    )
    assert turned != named


def test_a_matrix_without_labels_needs_them():
    path = str(DATA / f"{LEARN}-matrix-three.json")
    assert "list all in order with --labels" in refusal("assess", "--matrix", path, "--matrix-rows", "true")
    assert call("assess", "--matrix", path, "--matrix-rows", "true", "--labels", "a,b,c").exit_code == 0
    assert call("assess", "--matrix", path, "--matrix-rows", "true", "--labels", "a,b").exit_code == 2
    done = call("assess", "--matrix", path, "--labels", "a,b,c")
    assert "The meaning of the rows of the matrix is not set" in done.stderr


def test_the_rows_of_a_report_are_true_classes():
    path = str(DATA / f"{LEARN}-report.json")
    assert "are true classes. Remove --matrix-rows." in refusal(
        "assess", "--matrix", path, "--matrix-rows", "predicted", "--positive", "yes"
    )
    done = call("assess", "--matrix", path, "--matrix-rows", "true", "--positive", "yes")
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize("name", ["report-three", "report-subset", "report-accuracy"])
def test_a_report_that_does_not_determine_its_matrix_is_refused(name):
    with pytest.raises(FileError, match="Only a report of all classes does, if they are two"):
        told(f"{LEARN}-{name}.json")


@pytest.mark.parametrize(
    "change", [(r"\d\.\d{4,}", "0.4"), (r'"support": \d+\.0', '"support": 7.5'), ('"recall"', '"r"')]
)
def test_a_rounded_report_is_refused(tmp_path, change):
    text = re.sub(*change, (DATA / f"{LEARN}-report.json").read_text())
    with pytest.raises(FileError, match="has rounded or weighted values"):
        told(written(tmp_path, text, "report.json"))


def test_rows_that_are_not_a_matrix_are_refused(tmp_path):
    with pytest.raises(FileError, match="is not a confusion matrix"):
        told(written(tmp_path, "[[1, 0], [0, 1], [1, 1]]", "rows.json"))


# --- --columns-from


@pytest.mark.parametrize("name", [f"{SVM}-two.txt", f"{VW}-two.txt", f"{VW}-three.txt", f"{FAST}-two.txt"])
def test_predictions_without_a_truth_say_where_it_comes_from(name):
    assert (
        "no column 'label'. Use --columns-from to name the file with the true labels. Columns: "
        in refusal("assess", str(DATA / name), "--truth", "label", "--prediction", "predicted")
    )


def test_files_of_different_lengths_are_not_joined(tmp_path):
    # With --passes 2, Vowpal Wabbit writes a prediction for each case and pass.
    path = written(tmp_path, (DATA / f"{VW}-two.txt").read_text() * 2, "passes.txt")
    with pytest.raises(
        FileError, match=r"has 28 rows, but .* has 14. columns_from= needs a file with the same rows"
    ):
        told(path, "value", "label", layout=second(f"{VW}-two-data.txt"))


def test_ids_of_two_files_must_agree(tmp_path):
    lines_of_data = lines(f"{VW}-two-data.txt")
    swapped = written(
        tmp_path, "\n".join([lines_of_data[1], lines_of_data[0], *lines_of_data[2:]]) + "\n", "data.txt"
    )
    layout = Layout(columns_from=str(swapped))
    with pytest.raises(
        FileError, match=r"tag is 'case0' in .*, but 'case1' in the same row of .*data.txt. columns_from="
    ):
        told(f"{VW}-two.txt", "value", "label", layout=layout)
    rows = written(tmp_path, "id,p\n1,0.5\n2,0.25\n")
    other = written(tmp_path, "id,y\n1,0\n2,1\n", "other.csv")
    layout = Layout(columns_from=str(other))
    assert told(rows, "p", "y", layout=layout)[0].column_names == ["p", "y"]
    assert told(rows, layout=layout)[0].column_names == ["id", "p", "y"]
    assert [name for name, _ in column_names(rows, layout=(layout,))] == ["id", "p", "y"]


def test_labels_of_two_files_have_one_type(tmp_path):
    truth = written(tmp_path, "y\n1\n2\nx\n", "truth.csv")
    rows = written(tmp_path, "p\n1\n2\n1\n")
    layout = Layout(columns_from=str(truth))
    table, _ = told(rows, "p", "y", layout=layout, labels=["p", "y"])
    assert table.to_pylist() == [{"p": "1", "y": "1"}, {"p": "2", "y": "2"}, {"p": "1", "y": "x"}]


def test_each_file_uses_the_options_of_its_format(tmp_path):
    truth = written(tmp_path, "y\n1\nunknown\n1\n", "truth.csv")
    path = written(tmp_path, "labels 1 0\n1 0.9 0.1\n0 0.2 0.8\n1 0.6 0.4\n", "svm.txt")
    table, _ = told(
        path, "predicted", "y", layout=Layout(columns_from=str(truth), na="unknown"), labels=["y"]
    )
    assert table["y"].to_pylist() == [1, None, 1]
    with pytest.raises(InputError, match="sheet= has no effect"):
        told(path, "predicted", layout=Layout(columns_from=str(truth), sheet="a"))
    with pytest.raises(FileError, match="File not found"):
        told(path, "predicted", layout=Layout(columns_from=str(tmp_path / "none.csv")))


def test_a_column_of_both_files_is_refused(tmp_path):
    rows = written(tmp_path, "y,p\n1,0.5\n0,0.25\n")
    other = written(tmp_path, "y,q\n1,0.5\n0,0.25\n", "other.csv")
    layout = Layout(columns_from=str(other))
    assert told(rows, "p", "q", layout=layout)[0].num_rows == 2
    with pytest.raises(InputError, match=r"Column 'y' occurs twice in .*rows.csv with .*other.csv"):
        told(rows, "y", "p", layout=layout)
    assert [name for name, _ in column_names(rows, layout=(layout,))] == ["y", "p", "y", "q"]


# --- what is not of such a format


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "0.5\n0.25\n"),
        ("a.csv", "y|p\n1|0.5\n"),
        ("a.csv", "labels 1 0\n"),
        ("a.csv", "1,2\n3,4\n"),
        ("a.tsv", "label\tp\n1:2\t3:4\n"),
        ("a.jsonl", '{"columns": ["a"]}\n'),
    ],
)
def test_plain_text_stays_plain(tmp_path, name, text):
    path = written(tmp_path, text, name)
    header = re.split(r"[,\t\n]", text)[0]
    assert column_names(path)[0][0] == ("columns" if name.endswith("jsonl") else header)


def test_what_powershell_redirects_is_utf_16(tmp_path):
    path = tmp_path / "weka.csv"
    path.write_bytes((DATA / "weka-3.9.7.csv").read_text().replace("\n", "\r\n").encode("utf-16"))
    assert told(path, "actual")[0].equals(told("weka-3.9.7.csv", "actual")[0])


@pytest.mark.parametrize(
    "text",
    [
        "| y | p |\n| 1 | 0 |\n",
        "a | b | c\n1 | 0.5 | 2\n",
        "y|p\n1|0.5\n",
        "id p\n1 0.5\n",
        "labels 1\n1 1\n",
        "[[0.5, 1]]",
    ],
)
def test_other_text_without_an_ending_is_unknown(tmp_path, text):
    with pytest.raises(FileError, match="is unknown from its name"):
        column_names(written(tmp_path, text, "rows.txt"))


def test_a_first_line_beyond_the_first_bytes_is_recognized(tmp_path):
    features = " ".join(f"{k}:0.5" for k in range(1, 400))
    assert column_names(written(tmp_path, f"+1 {features}\n-1 {features}\n", "data.txt")) == [
        ("label", "int64")
    ]
    words = " ".join(["word"] * 400)
    assert column_names(written(tmp_path, f"__label__a {words}\n", "text.txt")) == [("label", "string")]
    scores = " ".join(f"{k}:0.001" for k in range(1000))
    assert len(column_names(written(tmp_path, f"{scores}\n{scores}\n", "vw.txt"))) == 1000


ORANGE, BIASES, LIVE = "orange3-3.40.0", "wandb-0.31.0", "dvclive-3.49.1"


def printed(*words):
    """What a command prints as JSON."""
    return json_of(*map(str, words))


def values_of(read):
    return {name: each["value"] for name, each in read["measures"].items()}


@pytest.mark.parametrize("ending", ["tab", "csv", "xlsx"])
def test_types_and_roles_of_orange_are_no_cases(ending):
    rows = [line.split("\t") for line in lines(f"{ORANGE}.tab")]
    cases = [dict(zip(rows[0], row, strict=True)) for row in rows[3:]]
    y, p = [row["outcome"] for row in cases], [float(row["Logistic Regression (yes)"]) for row in cases]
    assert (len(cases), {*y}) == (40, {"no", "yes"})
    path = str(DATA / f"{ORANGE}.{ending}")
    roles = ("--truth", "outcome", "--score", "Logistic Regression (yes)", "--positive", "yes")
    read = printed("assess", path, *roles)
    by_hand = ca.assess(y, p, positive="yes")
    assert values_of(read) == {name: by_hand[name].value for name in read["measures"]}


TYPED = (["y", "id", "x"], ["no far\\ yes", "string", "c"], ["class", "meta", ""])


def test_a_case_is_no_row_of_types(tmp_path):
    rows = [["no", "a", "1.5"], ["far yes", "b", "2.5"], ["no", "c", "0.5"], ["", "d", ""]]
    assert has_types_and_roles([*TYPED, *rows])
    others = (
        ([*TYPED, *rows[:2]], "two rows"),
        ([*TYPED, *rows, ["maybe", "e", "1"]], "a value that the types lack"),
        ([*TYPED[:2], ["", "", ""], *rows], "no role"),
        ([*TYPED[:2], ["class", "meta", "north"], *rows], "a word that is no role"),
        ([TYPED[0], ["no", "string", "c"], TYPED[2], *rows], "not all values"),
        ([TYPED[0], *rows, *rows], "cases alone"),
    )
    assert [why for table, why in others if has_types_and_roles(table)] == []
    assert has_types_and_roles([*TYPED, *rows, ["?", "f", "?"]])  # missing, as Orange writes it


@pytest.mark.parametrize("pair", [(a, b) for a in "cdt" for b in "cm"])
@pytest.mark.parametrize("rest", [("a", "b"), ("c", "d", "t", "m")])
def test_labels_of_one_letter_are_cases(tmp_path, pair, rest):
    """Answers of a multiple choice whose first rows read as types and roles."""
    kind, role = pair
    rows = [(kind, kind), (role, ""), *[(y, z) for y in rest for z in rest] * 4, (kind, kind)]
    file = tmp_path / "answers.csv"
    file.write_text("truth,pred\n" + "".join(f"{y},{z or role}\n" for y, z in rows))
    read = read_table(str(file), ["truth", "pred"])
    assert read["truth"].to_pylist() == [y for y, _ in rows]
    assert read["pred"].to_pylist() == [z or role for _, z in rows]


@pytest.mark.parametrize("name", [f"{LIVE}-roc.json", f"{BIASES}-roc.table.json"])
def test_points_of_a_curve_are_no_cases(name):
    found = printed("describe", str(DATA / name))
    roles = {each["name"]: [role["role"] for role in each["roles"]] for each in found["columns"]}
    assert roles["fpr"] == roles["tpr"] == ["curve point"]
    assert found["commands"] == []
    assert "points of a curve (fpr, tpr), not cases" in call("describe", str(DATA / name)).stdout


@pytest.mark.parametrize(
    "axes", ["fpr,tpr", "precision,recall,threshold", "false_positive_rate,true_positive_rate"]
)
def test_cases_with_columns_of_a_curve_have_their_roles(tmp_path, axes):
    """A row with a true label and a score is a case; one with a class alone is a point of the curve of this class."""
    numbers = ",".join(["0.5", "0.25", "0.1"][: axes.count(",") + 1])
    rows = [("yes", 0.8), ("no", 0.3), ("no", 0.6)] * 8
    file = written(tmp_path, f"truth,p,{axes}\n" + "".join(f"{y},{p},{numbers}\n" for y, p in rows))
    found = printed("describe", file)
    roles = {each["name"]: [role["role"] for role in each["roles"]] for each in found["columns"]}
    assert (roles["truth"][0], roles["p"][0], bool(found["commands"])) == ("truth", "probability", True)
    file = written(tmp_path, f"class,{axes}\n" + "".join(f"{y},{numbers}\n" for y, _ in rows))
    assert printed("describe", file)["commands"] == []


def test_columns_of_rates_beside_cases_stay_scores(tmp_path):
    text = "y,precision,recall\n" + "yes,0.5,0.25\nno,0.25,0.5\n" * 5
    found = printed("describe", written(tmp_path, text))
    assert found["commands"]


def test_the_matrix_of_weights_and_biases_is_that_of_its_cases():
    cases = json.loads((DATA / f"{BIASES}-cases.table.json").read_text())
    columns = dict(zip(cases["columns"], zip(*cases["data"], strict=True), strict=True))
    by_hand = ca.assess(columns["truth"], y_pred=columns["predicted"], positive="yes")
    path = DATA / f"{BIASES}-confusion.table.json"
    roles = typed("--truth Actual --prediction Predicted --positive yes --frequency nPredictions")
    read = printed("assess", str(path), *roles)
    assert values_of(read) == {name: by_hand[name].value for name in read["measures"]}


def test_every_data_file_is_small():
    assert all(Path(path).stat().st_size < 10_000 for path in DATA.glob("*.txt"))


BYTES = [
    b",",
    b"'",
    b'"',
    b"\n",
    b" ",
    b":",
    b"nan",
    b"1e999",
    b"-",
    b"?",
    b"\\",
    b"\t",
    b"|",
    b"{",
    b"]",
    b"\xff",
]


@pytest.mark.parametrize("name", ["weka-3.9.7.csv", f"{SVM}-two.txt", f"{VW}-three.txt", f"{FAST}-two.txt"])
def test_a_damaged_file_is_read_or_refused(tmp_path, name):
    draw, content, path = np.random.default_rng(0), (DATA / name).read_bytes(), tmp_path / name
    for _ in range(40):
        at, end = sorted(draw.integers(0, len(content), 2))
        path.write_bytes(content[:at] + BYTES[draw.integers(len(BYTES))] + content[min(at + 3, end) :])
        with suppress(FileError, InputError):
            assert told(path)[0].num_rows
