"""A confusion matrix counted elsewhere is assessed as its rows would be, in Python and at the command."""

import json

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from command import as_json, call, json_of, refusal, typed

RNG = np.random.default_rng(4)
CASES = {
    "two texts": (("no", "yes"), "yes"),
    "two numbers": ((1, 2), 2),
    "three texts": (("cat", "dog", "bird"), None),
    "four numbers": ((3, 1, 2, 4), None),
}


def drawn(case, seed=0):
    labels, positive = CASES[case]
    rng = np.random.default_rng(seed)
    return labels, positive, rng.integers(1, 40, (len(labels), len(labels)))


def told(a):
    return {name: (each.value, each.low, each.high, each.method) for name, each in a.estimates().items()}


def same(one, other):
    assert one.keys() == other.keys()
    for name, each in one.items():
        assert each[:3] == pytest.approx(other[name][:3], abs=1e-12, nan_ok=True), name
        assert each[3] == other[name][3]


@pytest.mark.covering(1)
@pytest.mark.parametrize("side", ["true", "predicted"])
@pytest.mark.parametrize("case", CASES)
def test_a_matrix_is_assessed_as_its_rows_are(case, side):
    labels, positive, counts = drawn(case)
    of_rows, of_columns = (
        [labels[i] for i in np.repeat(at.ravel(), counts.ravel())] for at in np.indices(counts.shape)
    )
    truth, said = (of_rows, of_columns) if side == "true" else (of_columns, of_rows)
    rows = ca.assess(truth, y_pred=said, labels=labels, positive=positive)
    a = ca.assess(ca.ConfusionMatrix.from_array(counts, labels, rows=side), positive=positive)
    same(told(a), told(rows))
    assert (a.n, a.rows, a.labels, a.kind_of_weight) == (counts.sum(), counts.sum(), labels, "none")
    assert str(a) == str(rows)
    assert str(a + rows) == str(rows + a)


@pytest.mark.parametrize("side", ["true", "predicted"])
@pytest.mark.parametrize("case", CASES)
def test_the_command_reads_the_same_matrix(case, side, tmp_path):
    labels, positive, counts = drawn(case, 1)
    order = RNG.permutation(len(labels))  # columns may come in another order than rows
    lines = [",".join(["", *(str(labels[i]) for i in order)])]
    lines += [
        ",".join([str(label), *(str(row[i]) for i in order)])
        for label, row in zip(labels, counts, strict=True)
    ]
    path = tmp_path / "matrix.csv"
    path.write_text("\n".join(lines))
    named = ["--positive", str(positive)] if positive is not None else []
    done = json_of("assess", "--matrix", str(path), "--matrix-rows", side, *named)
    expected = ca.assess(ca.ConfusionMatrix.from_array(counts, labels, rows=side), positive=positive)
    assert done == as_json(expected)


def test_four_counts_are_a_matrix():
    done = call("assess", "--counts", "TP=40, fp=3,fn=7,tn=50", "--json", "-")
    a = ca.assess(
        ca.ConfusionMatrix.from_array([[50, 3], [7, 40]], ["negative", "positive"], rows="true"),
        positive="positive",
    )
    assert json.loads(done.stdout) == as_json(a)
    named = call(
        *typed("assess --counts tp=40,fp=3,fn=7,tn=50 --labels ill,well --positive ill --json -"),
    )
    found = json.loads(named.stdout)
    assert found["labels"] == ["ill", "well"]
    assert found["measures"]["recall"] == a["recall"].row


MATRIX = ca.ConfusionMatrix.from_array([[50, 3], [7, 40]], ["no", "yes"], rows="true")


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        (MATRIX, {"y_pred": [1]}, "A confusion matrix is already counted"),
        (MATRIX, {"threshold": 0.5, "positive": "yes"}, "A confusion matrix is already counted"),
        (MATRIX, {}, "positive"),
        (ca.ConfusionMatrix(MATRIX.counts[None], MATRIX.labels), {"positive": "yes"}, "The matrix has shape"),
        (
            ca.ConfusionMatrix(MATRIX.counts * 0, MATRIX.labels),
            {"positive": "yes"},
            "The confusion matrix has no cases",
        ),
        (
            ca.ConfusionMatrix(MATRIX.counts * 0.5, MATRIX.labels, MATRIX.counts * 0.25),
            {},
            "sampling weights",
        ),
    ],
)
def test_what_is_no_matrix_of_cases_is_refused(given, more, said):
    with pytest.raises(InputError, match=said):
        ca.assess(given, **more)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (",a,b\na,1,2\nb,3,4\n", (), "Use --matrix-rows true or --matrix-rows predicted"),
        (",a,b\na,1,2\nc,3,4\n", ("--matrix-rows", "true"), "without totals"),
        (",a,b\na,1,2\n", ("--matrix-rows", "true"), "without totals"),
        (",a,b\na,-1,2\nb,3,4\n", ("--matrix-rows", "true"), "The matrix contains -1"),
        (",a,b\na,1.5,2\nb,3,4\n", ("--matrix-rows", "true"), "The matrix contains 1.5"),
        (",a,b\na,,2\nb,3,4\n", ("--matrix-rows", "true"), "empty or not a number"),
        (",a,b\na,x,2\nb,3,4\n", ("--matrix-rows", "true"), "empty or not a number"),
        (",a,b\n,1,2\nb,3,4\n", ("--matrix-rows", "true"), "has no label"),
        (
            ",a,b\na,1,2\nb,3,4\n",
            ("--matrix-rows", "true", "--labels", "a,c"),
            "Declare the labels of the matrix",
        ),
        (
            ",a,b\na,1,2\nb,3,4\n",
            ("--counts", "tp=1,fp=1,fn=1,tn=1"),
            "--matrix and --counts cannot be combined",
        ),
    ],
)
def test_a_matrix_that_cannot_be_read_is_told_in_a_line(text, options, said, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(text)
    assert said in refusal("assess", "--matrix", str(path), "--positive", "a", *options)


def test_which_side_is_the_truth_is_not_guessed():
    with pytest.raises(InputError, match="rows='true' or rows='predicted'"):
        ca.ConfusionMatrix.from_array([[50, 3], [7, 40]], ["no", "yes"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--counts", "tp=1,fp=2"), "does not contain fn and tn"),
        (("--counts", "tp=1,tp=2,fn=1,tn=1"), "tp twice"),
        (("--counts", "tp=-1,fp=2,fn=1,tn=1"), "whole numbers"),
        (("--counts", "tp=1,fp=1,fn=1,tn=1", "--labels", "a,b,c"), "two classes"),
        (
            ("--counts", "tp=1,fp=1,fn=1,tn=1", "--positive", "negative"),
            "Both classes have the name 'negative'",
        ),
        (("--counts", "tp=1,fp=1,fn=1,tn=1", "x.csv"), "Remove FILE"),
        (("--matrix-rows", "true"), "--matrix"),
        ((), "Name a file, or use --matrix or --counts"),
    ],
)
def test_counts_that_are_no_matrix_are_refused(options, said):
    assert said in refusal("assess", *options)


PUBLISHED = {
    # yardstick 0.0.2, summary.conf_mat of two_class_example, as its documents print it; the counts give each number
    "yardstick": (
        ([[227, 31], [50, 192]], ["Class1", "Class2"], "Class1", 5e-4),
        {
            **{
                "accuracy": 0.838,
                "cohen_kappa": 0.675,
                "recall": 0.880,
                "specificity": 0.793,
                "precision": 0.819,
            },
            **{"negative_predictive_value": 0.861, "matthews_correlation": 0.677, "informedness": 0.673},
            **{"balanced_accuracy": 0.837, "predicted_positive_rate": 0.554, "f1": 0.849},
        },
    ),
    # R's caret: confusionMatrix of the example of its help page, as rstudio-pubs 235576 prints it
    "caret": (
        ([[20, 10], [180, 1820]], ["positive", "negative"], "positive", 5e-5),
        {
            **{"accuracy": 0.9064, "baseline_accuracy": 0.9852, "cohen_kappa": 0.1521, "recall": 0.666667},
            **{"specificity": 0.91, "precision": 0.1, "negative_predictive_value": 0.994536},
            **{"prevalence": 0.014778, "predicted_positive_rate": 0.098522, "balanced_accuracy": 0.788333},
        },
    ),
    # R's blorr, confusion matrix and statistics of its own tests, in caret's form
    "blorr": (
        ([[125, 22], [16, 37]], ["0", "1"], "1", 5e-5),
        {
            **{"accuracy": 0.81, "baseline_accuracy": 0.735, "cohen_kappa": 0.5293, "recall": 0.6981},
            **{"specificity": 0.8503, "precision": 0.6271, "negative_predictive_value": 0.8865},
            **{"prevalence": 0.265, "predicted_positive_rate": 0.295, "balanced_accuracy": 0.7742},
        },
    ),
    # pycm 2.3, the first example of its README
    "pycm": (
        ([[3, 0, 0], [0, 1, 2], [2, 1, 3]], [0, 1, 2], None, 5e-6),
        {
            **{"accuracy": 0.58333, "baseline_accuracy": 0.5, "cohen_kappa": 0.35484, "macro_f1": 0.56515},
            **{"matthews_correlation": 0.36667, "macro_precision": 0.56667, "macro_recall": 0.61111},
            **{"micro_f1": 0.58333, "recall[1]": 0.33333, "f1[1]": 0.4, "f_beta(2)[0]": 0.88235},
            **{"f_beta(0.5)[2]": 0.57692, "precision[2]": 0.6, "specificity[0]": 7 / 9, "f1[2]": 0.54545},
            **{"negative_predictive_value[2]": 0.57143, "informedness[2]": 0.16667, "markedness[0]": 0.6},
            **{"diagnostic_odds_ratio[1]": 4.0, "jaccard[2]": 0.375, "lift[0]": 2.4},
        },
    ),
}


@pytest.mark.parametrize("program", PUBLISHED)
def test_published_matrices_have_the_published_values(program):
    (counts, labels, positive, digits), values = PUBLISHED[program]
    matrix = ca.ConfusionMatrix.from_array(counts, labels, rows="true")
    a = ca.assess(matrix, **({} if positive is None else {"positive": positive}))
    for name, value in values.items():
        assert a[name].value == pytest.approx(value, abs=1.01 * digits), name


def test_caret_tests_accuracy_by_the_binomial():
    matrix = ca.ConfusionMatrix.from_array([[20, 10], [180, 1820]], ["positive", "negative"], rows="true")
    a = ca.assess(matrix, positive="positive")
    found = a.estimate("accuracy", method="Clopper-Pearson")
    assert (found.low, found.high) == pytest.approx((0.8929, 0.9187), abs=5e-5)
    assert a.against_chance()[-1].p_value == pytest.approx(1)


@pytest.mark.parametrize(("label", "value"), [(0, 0.68313), (1, 0.2582), (2, 0.16903)])
def test_pycm_has_the_correlation_of_each_class(label, value):
    matrix = ca.ConfusionMatrix.from_array([[3, 0, 0], [0, 1, 2], [2, 1, 3]], [0, 1, 2], rows="true")
    assert ca.assess(matrix).one_vs_rest(label)["matthews_correlation"].value == pytest.approx(
        value, abs=5e-6
    )


def test_pycm_tests_accuracy_by_the_binomial():
    matrix = ca.ConfusionMatrix.from_array([[3, 0, 0], [0, 1, 2], [2, 1, 3]], [0, 1, 2], rows="true")
    a = ca.assess(matrix)
    assert a.against_chance()[-1].p_value == pytest.approx(0.38721, abs=5e-6)
    wald = a.estimate("accuracy", method="Wald")
    assert (wald.low, wald.high) == pytest.approx((0.30439, 0.86228), abs=1e-5)  # pycm takes 1.96


@pytest.mark.parametrize("name", ["wald", "corrected wald"])
def test_walds_interval_is_there_on_request_and_never_the_default(name):
    from scipy.stats import norm

    a = ca.assess(
        ca.ConfusionMatrix.from_array([[50, 3], [7, 40]], ["no", "yes"], rows="true"), positive="yes"
    )
    half = norm.ppf(0.975) * np.sqrt(0.9 * 0.1 / 100) + (0.005 if name.startswith("corrected") else 0)
    found = a.estimate("accuracy", method=name)
    assert (found.low, found.high) == pytest.approx((0.9 - half, 0.9 + half))
    assert name in found.method.lower()
    assert not [each for each in a.estimates().values() if "wald" in (each.method or "").lower()]
    whole = ca.assess([1, 0] * 20, y_pred=[1, 1] * 20, interval=name)
    assert name in whole["accuracy"].method.lower()


def test_thresholds_of_several_classes_are_refused(tmp_path):
    rows = "y,a,b,c\n" + "a,.5,.3,.2\nb,.2,.5,.3\nc,.1,.1,.8\n" * 3
    path = tmp_path / "p.csv"
    path.write_text(rows)
    scores = "a=a,b=b,c=c"
    refusal("assess", str(path), "--truth", "y", "--scores", scores, "--thresholds", str(tmp_path / "t.csv"))
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.wings("formats")
@pytest.mark.filterwarnings("ignore:The last row")
def test_totals_of_a_matrix_are_no_class(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(",a,b,sum\na,1,2,3\nb,3,4,7\nsum,4,6,10\n")
    assert "without totals" in refusal(
        "assess", "--matrix", str(path), "--positive", "a", "--matrix-rows", "true"
    )
