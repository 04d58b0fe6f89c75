import json

import numpy as np
import pytest

import classay as ca
from classay.assessment.remembered import MAIN, curves_of
from classay.curves.curve import PAGE
from classay.inference.estimate import Estimate, bracketed
from classay.inference.scores.calibration import likelihood_band
from classay.report.document import Figures, Label
from classay.report.door import with_pictures
from classay.report.results.assessments import as_json, document_of
from classay.report.words import interval_title


def assessed(n=400, **how):
    rng = np.random.default_rng(0)
    score = rng.random(n)
    return ca.assess((rng.random(n) < score).astype(int), score, **how)


def curves_in(document):
    for section in document.sections:
        for part in section.parts:
            if isinstance(part, Figures):
                yield from (curve for figure in (*part.shown, *part.folded) for curve in figure.curves)


def test_calibration_has_a_group_and_a_curve_with_its_band():
    a = assessed(level=0.9, seed=3)
    made = with_pictures(a)
    titles = [section.title for section in made.sections]
    assert titles[:2] == ["Confusion matrix and curves", "Measures"]
    tables = {table.title: table for table in made.sections[1].parts}
    assert [*tables] == [
        "Threshold measures (default 0.5)",
        "Ranking measures",
        "Probability measures",
        "Calibration",
    ]
    of_calibration = tables["Calibration"]
    names = [label.name for label in of_calibration.column(Label)]
    _, figures = made.sections[0].parts
    assert names[of_calibration.main - 1] == "expected_calibration_error"
    chance = a["expected_calibration_error_null"].value
    assert f"would have an expected calibration error of {chance:.3f}" in of_calibration.foot
    above = {each.name for each in (*made.tiles, *made.sections[0].parts[0].of)}
    shown = [label.name for table in tables.values() for label in table.column(Label)[: table.main or None]]
    assert not above & {*shown}, "an estimate stands once"
    assert [figure.curves[0].name for figure in figures.shown] == [*MAIN]
    assert [figure.curves[0].name for figure in figures.folded] == [each for each in PAGE if each not in MAIN]
    (curve,) = (each for each in curves_in(made) if each.name == "calibration")
    band = likelihood_band(a.scores, level=0.9)
    for part in ("x", "y", "low", "high"):
        assert (getattr(curve, part) == getattr(band, part)).all()
    assert curve.band == band.band
    everything = {
        label.name for table in document_of(a, detail="all").tables for label in table.column(Label)
    } - {""}
    assert everything == {measure.name for measure in a.applicable()}


def test_curves_are_of_what_is_there():
    clustered = assessed(cluster=np.arange(400) % 40)
    curve = curves_of(clustered)["calibration"]
    assert curve.low is None
    assert "needs independent cases" in curve.band
    (roc, diagonal, mark) = (each for each in curves_in(with_pictures(clustered)) if each.name == "roc")
    assert "needs independent cases" in roc.band
    assert roc.label == f"AUC {bracketed(clustered['roc_auc'])}"
    assert [each.series for each in (diagonal, mark)] == ["no skill", "threshold 0.5"]
    weighted = assessed(weight=np.ones(400))
    assert "sampling weights" in next(curves_in(with_pictures(weighted))).band
    by_order = ["roc", "precision_recall", "cumulative_gain", "lift", "cost"]
    by_order_too = ["precision_recall_gain", "det", "ks_positive", "ks_negative"]
    histograms = ["histogram_positive", "histogram_negative"]
    of_probabilities = ["calibration", "net_benefit", "brier", "risk_coverage"]
    assert {*curves_of(weighted)} == {*by_order, *by_order_too, *histograms, *of_probabilities}
    scores = 5 * np.linspace(-1, 1, 20)
    logits = ca.assess(scores > 0.7, scores)
    assert {*curves_of(logits)} == {*by_order, *by_order_too, *histograms}
    assert "Calibration" not in [section.title for section in logits.document().sections]
    alone = ca.assess([0, 0], [0.2, 0.3], labels=(0, 1))
    assert {*curves_of(alone)} == {*histograms, *of_probabilities}
    assert list(curves_in(with_pictures(alone)))
    assert curves_of(ca.assess([0, 1], y_pred=[0, 1]))["roc"].y.tolist() == [0, 1, 1]
    assert curves_of(ca.assess([0, 0], y_pred=[0, 1], labels=(0, 1))) == {}
    tied = curves_of(ca.assess([0, 1, 1], [0.5] * 3))
    assert (tied["roc"].x.size, tied["calibration"].x.size) == (2, 1)


def test_json_holds_the_curves():
    a = assessed(n=30_000)
    found = json.loads(as_json(a))["curves"]
    drawn = curves_of(a)
    assert [*found] == [*drawn]
    for name, parts in found.items():
        lists = [part for part in parts.values() if isinstance(part, list)]
        assert {len(part) for part in lists} == {drawn[name].x.size}
        assert parts["x"] == drawn[name].x.tolist()
        assert 0 <= parts["error"] <= 0.0005 * max(1, *(each or 0 for each in parts["y"]))
        assert parts["x_title"]
    assert found["roc"]["threshold"][0] == "Infinity"
    assert found["roc"]["band"] is None
    assert found["roc"]["kind"] == "line"
    assert found["precision_recall"]["kind"] == "steps_back"
    assert found["calibration"]["threshold"] is None
    assert found["calibration"]["band"].startswith("pointwise 95%, likelihood ratio")
    assert found["roc"]["error"] > 0
    classes = ca.assess([0, 1, 2], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    assert [*classes.to_dict()["curves"]] == ["top_label_calibration"]


def test_many_classes_are_cut_to_the_worst():
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(0, 30, (2, 2_000))
    a = ca.assess(truth, y_pred=np.where(rng.random(2_000) < truth / 40, truth, predicted))
    (table,) = next(section for section in a.document().sections if section.title == "Classes").parts
    f1 = {str(label): found["f1"].value for label, found in a.class_estimates().items()}
    assert [label.text for label in table.column(Label)] == sorted(f1, key=f1.__getitem__)[:10]
    assert "The 10 of 30 classes with the lowest F1" in table.foot


def test_undefined_classes_do_not_crowd_out_the_worst():
    truth = np.arange(24).repeat(2)
    a = ca.assess(truth, y_pred=np.where(np.arange(48) % 2, truth, (truth + 1) % 24), labels=range(25))
    (table,) = next(section for section in a.document().sections if section.title == "Classes").parts
    assert "24" not in [label.text for label in table.column(Label)]


def test_interval_title_names_a_common_level():
    a = assessed()
    here, others = (
        [one for table in each.document().tables for one in table.intervals]
        for each in (a, a.changed(level=0.9))
    )
    assert interval_title(here) == "95% CI"
    assert interval_title(here + others) == "CI"
    assert interval_title([Estimate.undefined("x")]) == "CI"


def test_rows_left_out_are_told_only_where_there_are_some():
    y, p = [0, 1, 1, 0, 1, 0], [0.2, 0.7, 0.6, 0.4, 0.9, 0.1]
    whole = ca.assess(y, p)
    fewer = ca.assess([*y, None], [*p, 0.5], missing="drop")
    clustered = ca.assess(y, p, cluster=list("aabbcc"))
    assert "rows" not in dict(whole.document().facts)
    assert dict(clustered.document().facts)["rows"] == "in 3 clusters"
    assert dict(fewer.document().facts)["rows"].startswith("1 (14.3%) excluded for a missing label")


def test_a_threshold_that_nobody_chose_is_told_beside_the_labels_in_every_rendering():
    """A table in a paper stands without the warnings of the report."""
    default, chosen = assessed(), assessed().at(threshold=0.5)
    for render in ("to_latex", "to_markdown"):
        assert "Threshold measures (default 0.5)" in getattr(default, render)()
        assert "Threshold measures (default" not in getattr(chosen, render)()
    assert "Threshold measures (default 0.5)" in str(default)


@pytest.mark.parametrize("seed", range(6))
def test_few_pairs_are_counted_as_wins_and_ties(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 18))
    y, p = np.arange(n) % 3 == 0, rng.integers(0, 6, n) / 10
    a = ca.assess(y, p)
    pairs = [(i, j) for i in p[y] for j in p[~y]]
    wins, ties = sum(i > j for i, j in pairs), sum(i == j for i, j in pairs)
    text = " ".join(table.foot for table in document_of(a).tables)
    if len(pairs) > 50:
        assert "pairs of" not in text
        return
    tied = {0: "", 1: ", with 1 tie"}.get(ties, f", with {ties} ties")
    assert f"Of {len(pairs)} pairs of a positive and a negative case" in text
    assert f"the positive case has the higher score in {wins}{tied}." in text
    assert a["roc_auc"].value == pytest.approx((wins + ties / 2) / len(pairs))


def test_pairs_are_not_counted_with_weights_or_of_labels():
    y, p = [0, 1] * 4, [0.1, 0.9, 0.4, 0.3, 0.2, 0.8, 0.6, 0.7]
    for a in (ca.assess(y, p, weight=[1, 2] * 4), ca.assess(y, y_pred=y), ca.assess(y * 4, p * 4)):
        assert not any("pairs of a positive" in table.foot for table in document_of(a).tables)


@pytest.mark.parametrize("how", [{}, {"frequency": np.arange(1, 41)}, {"weight": np.arange(1, 41) / 4}])
def test_the_flow_says_where_class_sizes_are_sums_of_weights(how):
    text = ca.assess(np.arange(40) % 2, np.arange(40) / 40, **how).to_latex()
    assert ("Class sizes are sums of weights." in text) == ("weight" in how)
