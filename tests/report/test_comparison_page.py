"""The page of a comparison: better is to the right, the scale is as wide as the intervals, both curves in a picture."""

import numpy as np
import pytest

import classay as ca
from classay.comparison.claims import direction_of
from classay.report.document import Bar, Difference, Figures
from classay.report.door import document, with_pictures
from sample_results import RESULTS, compared, patients


def bars_of(found):
    (table,) = (each for each in document(found).tables if any(c.kind is Bar for c in each.columns))
    return table, dict(
        zip([label.name for label in (row[0] for row in table.rows)], table.column(Bar), strict=True)
    )


MEASURES = ["roc_auc", "accuracy", "brier_score"]


def test_what_is_better_is_to_the_right():
    found = compared(measures=MEASURES)
    _, bars = bars_of(found)
    for name, bar in bars.items():
        effect = found[name].effect
        sign = 1 if name != "brier_score" else -1
        assert sign == direction_of(found[name])
        assert bar.at == pytest.approx(sign * effect.value)
        assert {bar.low, bar.high} == {sign * effect.low, sign * effect.high}
        assert bar.at > 0  # the first is better in each


def test_the_other_order_of_models_mirrors_every_bar():
    rows = patients()
    turned = {name: rows[name] for name in ("old", "new")}
    there = ca.compare_predictions(turned, rows["truth"], positive="sick", measures=MEASURES)
    _, bars = bars_of(compared(measures=MEASURES))
    _, mirrored = bars_of(there)
    for name, bar in bars.items():
        assert mirrored[name].at == pytest.approx(-bar.at)
        assert (mirrored[name].low, mirrored[name].high) == pytest.approx((-bar.high, -bar.low))


@pytest.mark.parametrize(
    "name",
    [
        "comparison of two models",
        pytest.param("comparison of learners", marks=pytest.mark.wings("resampling")),
        "comparison on different test sets",
    ],
)
def test_the_scale_is_as_wide_as_the_intervals(name):
    for table in document(RESULTS[name]()).tables:
        if not any(column.kind is Bar for column in table.columns):
            continue  # the paired t by hand
        bars = [each for each in table.column(Bar) if each is not None]
        low, high = min(each.low for each in bars), max(each.high for each in bars)
        assert table.scale.low <= min(low, 0) <= max(high, 0) <= table.scale.high
        assert table.scale.high - table.scale.low <= 1.4 * (max(high, 0) - min(low, 0))
        assert table.scale.words == ("worse", "better")


def test_both_roc_curves_stand_in_one_picture():
    found = compared(measures=["roc_auc"])
    (figures,) = (
        part
        for section in with_pictures(found).sections
        for part in section.parts
        if isinstance(part, Figures)
    )
    (figure,) = figures.shown
    assert [curve.series for curve in figure.curves] == ["new", "old"]
    rows = patients()
    for curve in figure.curves:
        area = np.trapezoid(curve.y, curve.x)
        a = ca.assess(rows["truth"], rows[curve.series], positive="sick")
        assert area == pytest.approx(a["roc_auc"].value, abs=0.003)


def test_curves_change_no_equality_and_are_left_out_where_there_are_no_scores():
    one, other = (compared(measures=["accuracy"]) for _ in range(2))
    assert one == other
    rows = patients()
    said = {name: np.where(rows[name] >= 0.5, "sick", "well") for name in ("new", "old")}
    labels = ca.compare_predictions(y_pred=said, y_true=rows["truth"], positive="sick")
    assert labels.curves == ()
    drawn = [section.title for section in with_pictures(labels).sections]
    assert [title for title in drawn if title != "ROC space, drawn"] == [
        section.title for section in document(labels).sections
    ]


def test_differences_keep_their_signs():
    table, _ = bars_of(compared(measures=MEASURES))
    values = [each.estimate.value for each in table.column(Difference)]
    assert [value > 0 for value in values] == [True, True, False]
