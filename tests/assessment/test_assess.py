"""`classay.assess`: what it takes, what it refuses, and what the assessment gives."""

import datetime
import decimal
import enum
import math
import re

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import classay as ca
from classay.assessment.assessment_warnings import warnings
from classay.report.results.parts import of_estimate
from refused_assessments import BOTH, COLUMNS, REFUSED_CALLS, THREE, N, P, S, Y

FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "arrow": pa.table,
    "dict": dict,
}


def values(a):
    """The measures of `a.to_dict()`."""
    return {name: of_estimate(found) for name, found in a.estimates().items()}


REFERENCE = values(ca.assess(Y, P))


class Colour(enum.Enum):
    """Labels that are neither text nor numbers."""

    RED = 1
    BLUE = 2


class Name(enum.StrEnum):
    """Labels that are text and more."""

    POS = "pos"
    NEG = "neg"


SAME = {
    "lists": lambda: ca.assess(Y.tolist(), P.tolist()),
    "tuples": lambda: ca.assess(tuple(Y.tolist()), tuple(P.tolist())),
    "booleans": lambda: ca.assess(Y == 1, P),
    "whole floats": lambda: ca.assess(Y.astype(float), P),
    "int8": lambda: ca.assess(Y.astype(np.int8), P),
    "objects": lambda: ca.assess(S.astype(object), P.astype(object), positive="pos"),
    "fixed-width text": lambda: ca.assess(S, P, positive="pos"),
    "one column": lambda: ca.assess(Y, P[:, None]),
    "decimals": lambda: ca.assess(Y, [decimal.Decimal(str(p)) for p in P]),
    "pandas": lambda: ca.assess(pd.Series(Y), pd.Series(P)),
    "pandas, shuffled index": lambda: ca.assess(pd.Series(Y, index=range(N, 0, -1)), pd.Series(P)),
    "pandas nullable": lambda: ca.assess(pd.Series(Y, dtype="Int64"), pd.Series(P, dtype="Float64")),
    "pandas boolean": lambda: ca.assess(pd.Series(Y == 1, dtype="boolean"), P),
    "pandas categorical": lambda: ca.assess(pd.Series(S, dtype="category"), P, positive="pos"),
    "pandas Arrow": lambda: ca.assess(
        pd.Series(S, dtype="string[pyarrow]"), pd.Series(P, dtype="double[pyarrow]"), positive="pos"
    ),
    "polars": lambda: ca.assess(pl.Series(Y), pl.Series(P)),
    "polars categorical": lambda: ca.assess(pl.Series(S, dtype=pl.Categorical), pl.Series(P), positive="pos"),
    "polars enum": lambda: ca.assess(
        pl.Series(S, dtype=pl.Enum(["pos", "neg"])), pl.Series(P), positive="pos"
    ),
    "Arrow": lambda: ca.assess(pa.array(Y), pa.array(P)),
    "Arrow chunks": lambda: ca.assess(pa.chunked_array([Y[:50], Y[50:]]), pa.chunked_array([P[:7], P[7:]])),
    "Arrow slice": lambda: ca.assess(pa.array([7, *Y]).slice(1), pa.array([9.0, *P]).slice(1)),
    "Arrow dictionary": lambda: ca.assess(pa.array(S).dictionary_encode(), P, positive="pos"),
    "Arrow dictionaries that differ": lambda: ca.assess(
        pa.chunked_array([pa.array(S[:3]).dictionary_encode(), pa.array(S[3:][::1]).dictionary_encode()]),
        P,
        positive="pos",
    ),
    "predict_proba": lambda: ca.assess(Y, BOTH),
    "predict_proba of text": lambda: ca.assess(S, BOTH, positive="pos"),
    "predict_proba as pandas": lambda: ca.assess(Y, pd.DataFrame(BOTH)),
    "predict_proba as polars": lambda: ca.assess(Y, pl.DataFrame(BOTH, schema=["0", "1"])),
    "predict_proba as lists": lambda: ca.assess(Y, BOTH.tolist()),
    "scores by label": lambda: ca.assess(S, {"neg": 1 - P, "pos": P}, positive="pos"),
    "declared labels": lambda: ca.assess(Y, P, labels=[0, 1]),
    "positive as text": lambda: ca.assess(Y, P, positive="1"),
    "positive as a NumPy integer": lambda: ca.assess(Y, P, positive=np.int64(1)),
    "dates": lambda: ca.assess(
        [datetime.date(2020, 1, 1 + y) for y in Y.tolist()], P, positive=datetime.date(2020, 1, 2)
    ),
    "NumPy dates": lambda: ca.assess(
        np.array(["2020-01-01", "2020-01-02"], "M8[D]")[Y], P, positive=datetime.date(2020, 1, 2)
    ),
    "bytes": lambda: ca.assess([[b"n", b"p"][y] for y in Y], P, positive=b"p"),
    "tuples as labels": lambda: ca.assess([[("a", 1), ("b", 2)][y] for y in Y], P, positive=("b", 2)),
    "text enums": lambda: ca.assess([[Name.NEG, Name.POS][y] for y in Y], P, positive="pos"),
    "frequencies of one": lambda: ca.assess(Y, P, frequency=np.ones(N)),
    "zeros that do not count": lambda: ca.assess([*Y, 1], [*P, 0.0], frequency=[1] * N + [0]),
    "dropped labels": lambda: ca.assess([None, *Y.tolist()], [float("nan"), *P], missing="drop"),
    "scores and what follows from them": lambda: ca.assess(Y, P, y_pred=(P >= 0.5).astype(int)),
}


def test_another_seed_changes_what_is_drawn_and_nothing_else():
    found = values(ca.assess(Y, P, seed=7))
    for name, wanted in REFERENCE.items():
        assert found[name]["value"] == wanted["value"]
        if "draws" not in (wanted["method"] or ""):
            assert found[name] == wanted


@pytest.mark.parametrize("kind", SAME)
def test_every_kind_of_input_gives_the_same_measures(kind):
    found = values(SAME[kind]())
    assert [*found] == [*REFERENCE]
    for name, wanted in REFERENCE.items():  # sums in another order of the classes are rounded otherwise
        for part, value in wanted.items():
            near = pytest.approx(value, rel=1e-12, nan_ok=True) if isinstance(value, float) else value
            assert found[name][part] == near, name


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind):
    frame = FRAMES[kind](COLUMNS)
    for how in (
        {"score": "p"},
        {"score": {"neg": "q", "pos": "p"}},
        {"score": ["q", "p"], "labels": ["neg", "pos"]},
        {"score": "p", "frequency": "one"},
    ):
        assert values(ca.assess(frame, truth="y", positive="pos", **how)) == REFERENCE
    assert ca.assess(frame, truth="y", prediction="y", positive="pos")["accuracy"].value == 1
    assert len(ca.assess(frame, truth="y", score="p", positive="pos", cluster="g").clusters) == N // 4
    with pytest.raises(ca.InputError, match=r"no column 'P'.* Did you mean 'p'\?"):
        ca.assess(frame, truth="y", score="P", positive="pos")


def test_labels_of_any_kind():
    a = ca.assess([Colour.RED, Colour.BLUE, Colour.RED], [0.9, 0.1, 0.7], positive=Colour.RED)
    assert a.positive is Colour.RED
    assert a["roc_auc"].value == 1
    assert a.to_dict()["positive"] == "Colour.RED"
    a = ca.assess([(1, "a"), (2, "b")], y_pred=[(1, "a"), (1, "a")], positive=(1, "a"))
    assert a.labels == ((1, "a"), (2, "b"))


@pytest.mark.parametrize("name", REFUSED_CALLS)
def test_refused(name):
    with pytest.raises(ca.ClassayError) as caught:
        REFUSED_CALLS[name]()
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) > 20


# --- thresholds


def test_thresholds_are_compared_in_the_precision_of_the_scores():
    score = [0.7, 0.2]
    for kind in (np.float32, np.float64):
        a = ca.assess([1, 0], np.array(score, kind), threshold=0.7)
        assert a["recall"].value == 1, kind
    stored = np.array([0.7, 0.2], np.float32).astype(float)  # 0.699999988…: no longer 0.7
    assert ca.assess([1, 0], stored, threshold=0.7)["recall"].value == 0


def test_the_default_threshold_is_for_probabilities_only():
    a = ca.assess(Y, P)
    assert (a.cutoff, a.cutoff_chosen) == (0.5, False)
    a = ca.assess(Y, 10 * P)
    assert a.cutoff is a.confusion_matrix is None
    assert "no default threshold" in a["recall"].reason
    assert "outside [0, 1]" in a["log_loss"].reason
    assert a["roc_auc"] == ca.assess(Y, P)["roc_auc"]
    assert a.at(5)["recall"] == ca.assess(Y, 10 * P, threshold=5)["recall"]


def test_another_threshold():
    a = ca.assess(Y, P)
    low, high = a.at(0.0), a.at(float("inf"))
    assert (low["recall"].value, high["recall"].value) == (1, 0)
    assert high["precision"].reason == "no case is predicted positive"
    assert low["roc_auc"] == a["roc_auc"]
    assert values(a.at(0.5)) == values(a)
    assert a.at(0.5).cutoff_chosen


# --- what an assessment gives


@pytest.fixture(scope="module")
def several():
    random = np.random.default_rng(8)
    truth = random.integers(0, 3, 150)
    scores = random.random((150, 3)) + np.eye(3)[truth]
    return ca.assess(np.array(["cat", "dog", "eel"])[truth], scores / scores.sum(1, keepdims=True))


def test_measures_and_classes_as_frames(several):
    for a in (ca.assess(Y, P), ca.assess(Y, 10 * P), several):
        table = a.measures
        assert table.column_names == ["measure", "value", "low", "high", "level", "method", "reason"]
        assert pl.from_arrow(table).height == table.to_pandas().shape[0] == len(a.applicable())
        kept = nw.from_native(table, eager_only=True).filter(nw.col("measure") == "roc_auc")
        assert len(kept) == (a.positive is not None)
    table = several.per_class
    assert pl.from_arrow(table).select("label").unique().height == 3
    assert set(table.to_pandas().columns) >= {"label", "measure", "value", "low", "high"}


def test_one_vs_rest(several):
    cat = several.one_vs_rest("cat")
    assert (cat.positive, cat.labels) == ("cat", ("not cat", "cat"))
    each = several.class_estimates()["cat"]
    assert {name: cat[name] for name in each} == each
    assert cat.confusion_matrix.total == several.n
    assert cat["roc_auc"].has_interval
    assert cat.at(0.3)["recall"].value >= cat.at(0.6)["recall"].value
    a = ca.assess(Y, P)
    assert a.one_vs_rest(1) is a


def test_texts(several):
    a = ca.assess(S, P, positive="pos")
    assert repr(a) == f"Assessment({N} cases, positive='pos'; print it, or see .measures)"
    assert repr(several) == "Assessment(150 cases, 3 classes; print it, or see .measures)"
    for each in (a, several):
        text = str(each)
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 100
        assert "Confusion matrix" in text
        assert "Accuracy" in text
    assert re.search(r"ROC AUC +0\.\d{3} +0\.\d{3} to 0\.\d{3} +DeLong", str(a))


def test_a_notebook_gets_a_small_page(several):
    for a in (ca.assess(S, P, positive="pos"), several):
        page = a._repr_html_()
        assert len(page) < 100_000
        assert "Accuracy" in page
        assert "<script" not in page.casefold()


def test_reports(tmp_path):
    a = ca.assess(["<b>", "x", "x"], [0.9, 0.4, 0.1], positive="<b>")
    a.report(tmp_path / "r.html")
    assert a.document().verdict[0].startswith("Only 1 of 3 cases is positive: ROC AUC is ")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "&#39;&lt;b&gt;&#39;" in page


@pytest.mark.parametrize(
    "made",
    [
        lambda: ca.assess(Y, P),
        lambda: ca.assess(S, P.astype(np.float32), positive="pos", threshold=0.3, level=0.9, seed=4),
        lambda: ca.assess(Y, 10 * P, cluster=Y),
        lambda: ca.assess(Y, P, weight=P + 1),
        lambda: ca.assess(THREE, np.eye(3)[THREE], frequency=[1, 2, 3, 4]),
        lambda: ca.assess([None, *"abc"], y_pred=list("aabb"), missing="drop"),
        lambda: ca.assess([(1, b"x"), (2, b"y")], y_pred=[(1, b"x"), (1, b"x")], positive=(1, b"x")),
        lambda: ca.assess(
            [datetime.date(2020, 1, d) for d in (1, 2, 3)], y_pred=[datetime.date(2020, 1, 1)] * 3
        ),
        lambda: ca.assess([True, True], [float("inf"), 0.5]),
    ],
)
def test_saved_and_loaded(tmp_path, made):
    a = made()
    a.save(tmp_path / "a.classay")
    b = ca.load(tmp_path / "a.classay")
    assert b.to_dict() == a.to_dict()
    assert b.labels == a.labels
    assert (b + b).to_dict() == (a + a).to_dict()
    b.save(tmp_path / "b.classay")
    assert (tmp_path / "a.classay").read_bytes() == (tmp_path / "b.classay").read_bytes()


def test_loading_refuses_what_is_no_assessment(tmp_path):
    path = tmp_path / "x.classay"
    path.write_bytes(b"no zip")
    with pytest.raises(ca.FileError, match="is not a saved result"):
        ca.load(path)
    ca.assess(Y, P).save(path)
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(ca.FileError, match=r"x\.classay"):
        ca.load(path)


def test_labels_without_a_plain_form_are_not_saved(tmp_path):
    with pytest.raises(ca.FileError, match="Colour"):
        ca.assess([Colour.RED, Colour.BLUE], [0.1, 0.2], positive=Colour.RED).save(tmp_path / "x.classay")
    assert not list(tmp_path.iterdir())


def test_chunks_add_up_to_the_whole():
    for how in ({}, {"frequency": Y + 1}):
        parts = []
        for rows in (slice(0, 17), slice(17, 60), slice(60, N)):
            cut = {name: values[rows] for name, values in how.items()}
            parts.append(ca.assess(Y[rows], P[rows], labels=[0, 1], **cut))
        whole = ca.assess(Y, P, **how)
        assert values(parts[2] + parts[0] + parts[1]) == values(whole)


# --- scores of both classes


def test_scores_of_two_classes_that_are_no_probabilities(tmp_path):
    both = np.array([[0.3, 0.7], [0.9, 0.3], [0.6, 0.4], [0.1, 0.8]])
    truth = [1, 0, 0, 1]
    a = ca.assess(truth, both)
    (warned,) = (each for each in a.to_dict()["warnings"] if each["code"] == "improper_rows")
    assert "in 2 rows. The scores of 1 were used unchanged" in warned["text"]
    assert a["brier_score"] == ca.assess(truth, both[:, 1])["brier_score"]
    assert (a + a).improper == 4
    a.save(tmp_path / "a.classay")
    assert ca.load(tmp_path / "a.classay").improper == 2
    for scores in (both[:, 1], np.stack([1 - both[:, 1], both[:, 1]], 1), 10 * both):
        codes = {each["code"] for each in ca.assess(truth, scores).to_dict()["warnings"]}
        assert "improper_rows" not in codes


# --- grades


@pytest.mark.parametrize(
    ("auc", "grade"),
    [(1, "excellent"), (0.9, "excellent"), (0.8999, "good"), (0.8, "good"), (0.7, "fair"), (0.6, "poor"),
     (0.5, "fail"), (0.4999, "below chance"), (0, "below chance")],
)  # fmt: skip
def test_auc_grades_are_half_open(auc, grade):
    assert ca.auc_grade(auc) == grade


def test_auc_grades_say_what_the_interval_reaches():
    def grade(low, high):
        return ca.auc_grade(ca.Estimate(0.85, low, high, 0.9, "logit-DeLong"))

    assert grade(0.81, 0.89) == "good"
    assert grade(0.45, 0.9) == "good (90% CI: below chance to excellent)"
    a = ca.assess([0, 1] * 20, [0.2, 0.8, 0.6, 0.4] * 10)
    assert ca.auc_grade(a["roc_auc"]).startswith("fair")
    assert ca.auc_grade(ca.Estimate.bare(0.75, "no interval")) == "fair"
    assert not any(grade in str(a) for grade in ("excellent", "poor"))
    for bad in (float("nan"), 1.1, ca.Estimate.undefined("no case is positive")):
        with pytest.raises(ca.InputError, match="The AUC must be a number from 0 to 1, or an"):
            ca.auc_grade(bad)


def test_columns_in_another_order_than_the_labels_are_suspected():
    rng = np.random.default_rng(0)
    names = np.array(["cat", "dog", "emu", "owl"])
    truth = rng.integers(0, 4, 400)
    scores = rng.dirichlet(np.ones(4), 400) + np.eye(4)[truth]
    scores /= scores.sum(1, keepdims=True)
    right = ca.assess(names[truth], scores)
    wrong = ca.assess(names[truth], scores[:, [0, 1, 3, 2]])
    said = {each.code: each.text for each in warnings(wrong)}
    assert "class_auc_below_half" not in {each.code for each in warnings(right)}
    assert "emu, owl rank their own class last" in said["class_auc_below_half"].replace("'", "")
    chance = ca.assess(names[truth], rng.dirichlet(np.ones(4), 400))
    assert "class_auc_below_half" not in {each.code for each in warnings(chance)}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("threshold", [1e308, -1e308, 3.5e38, -3.5e38, math.inf, -math.inf])
def test_thresholds_beyond_the_type_of_the_scores_divide_them_as_exact_numbers_do(dtype, threshold):
    y = [0, 0, 1, 1, 1]
    p = np.array([-np.inf, -1.0, 0.5, 65504.0, np.inf], dtype)
    a = ca.assess(y, p, threshold=threshold)
    assert a.at(threshold=threshold).confusion_matrix.counts.tolist() == a.confusion_matrix.counts.tolist()
    exact = ca.assess(y, y_pred=(p.astype(float) >= threshold).astype(int), labels=[0, 1])
    assert a.confusion_matrix.counts.tolist() == exact.confusion_matrix.counts.tolist()
    assert a.roc.frame().num_rows
    clustered = ca.assess(y, p, threshold=threshold, cluster=[*"abcde"])
    assert clustered["accuracy"].value == exact["accuracy"].value
