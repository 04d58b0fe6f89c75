"""What an assessment says of classes whose order somebody gave: how far off, in which direction, from each class on."""

import numpy as np
import pytest

import classay as ca
from classay.assessment.ordered_classes import cuts, is_in_order, steps_off
from classay.measures.ordinal import SHOWN
from classay.report.door import document
from classay.report.results.assessments import page_of

GRADES = np.array(["low", "mid", "high", "top"])
RNG = np.random.default_rng(3)
TRUE = RNG.integers(0, 4, 300)
PLACE = np.clip(TRUE + RNG.choice([-1, 0, 0, 0, 1, 1, 2], 300), 0, 3)
SHARES = RNG.dirichlet(np.ones(4), 300) * 0.4 + 0.6 * np.eye(4)[PLACE]
GIVEN = {"labels": [*GRADES], "ordered": True}
CALLED = SHARES.argmax(1)


def assessed(**how):
    return ca.assess(GRADES[TRUE], SHARES, **GIVEN, **how)


def test_ordinal_measures_are_shown_where_somebody_gave_the_order():
    shown = {
        "ordered": assessed(),
        "numbers": ca.assess(TRUE, SHARES),
        "listed": ca.assess(GRADES[TRUE], SHARES, labels=[*GRADES]),
    }
    for name, a in shown.items():
        names = [each.name for each in a.applicable()]
        assert ([each for each in names if each in SHOWN] == [*SHOWN]) == (name == "ordered"), name
        assert ("Order of the classes" in str(a)) == ("are off by" in str(a)) == (name == "ordered")
    labels_alone = ca.assess(GRADES[TRUE], y_pred=GRADES[CALLED], **GIVEN)
    assert [each for each in SHOWN if each in labels_alone.estimates()] == [*SHOWN[:-2]]
    assert not is_in_order(assessed().one_vs_rest("mid"))


def test_steps_off_are_those_of_the_cases():
    off = CALLED - TRUE
    for how in ({}, {"weight": RNG.gamma(2.0, size=300)}):
        weight = how.get("weight", np.ones(300))
        found = steps_off(assessed(**how))
        for each in found:
            assert each.below == pytest.approx(weight[off == -each.steps].sum())
            assert each.above == pytest.approx(weight[off == each.steps].sum() if each.steps else 0)
            assert each.within == pytest.approx((weight * (abs(off) <= each.steps)).sum() / weight.sum())
        assert found[-1].within == pytest.approx(1)
        assert sum(each.steps * each.share for each in found) == pytest.approx(
            assessed(**how)["mean_absolute_error"].value
        )


def test_cuts_are_those_of_each_class():
    a = assessed()
    assert [each.label for each in cuts(a)] == [*GRADES[1:]]
    for each in cuts(a):
        assert each.cases == ([*GRADES].index(each.label) <= TRUE).sum()
        for name, found in each.measures.items():
            assert found.value == a[f"{name}[>={each.label}]"].value


def test_the_verdict_says_how_far_off_and_in_which_direction():
    far, signed = (assessed()[name] for name in ("mean_absolute_error", "mean_signed_error"))
    said = " ".join(str(assessed()).split())
    assert f"Predictions are off by {far.value:.2f} classes on average (95% CI" in said.replace("┃ ", "")
    assert signed.low > 0
    assert "Predictions are too high by" in said.replace("┃ ", "")
    turned = ca.assess(GRADES[CALLED], y_pred=GRADES[TRUE], **GIVEN)
    assert "Predictions are too low by" in " ".join(str(turned).split()).replace("┃ ", "")
    right = ca.assess(GRADES[TRUE], y_pred=GRADES[TRUE], **GIVEN)
    assert "No systematic over- or underestimation was detected" in " ".join(str(right).split()).replace(
        "┃ ", ""
    )


def test_a_page_shades_its_matrix_by_distance(tmp_path):
    assessed().report(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert page.count("--far: 0%") == 2 * 3  # one step, below and above
    assert page.count("--far: 50%") == 2 * 2
    assert page.count("--far: 100%") == 2
    assert "3 steps off, " in page
    plain = ca.assess(GRADES[TRUE], SHARES, labels=[*GRADES])
    plain.report(tmp_path / "b.html")
    assert "--far: 0%" not in (tmp_path / "b.html").read_text()
    titles = [each.title for each in page_of(assessed()).sections]
    assert titles[:4] == ["Confusion matrix", "Classes", "From each class on", "Steps off"]
    assert "From each class on" not in [each.title for each in document(assessed()).sections]


def test_cases_without_an_answer_have_no_place():
    called = [None, *GRADES[CALLED][1:]]
    a = ca.assess(GRADES[TRUE], y_pred=called, unanswered="wrong", **GIVEN)
    assert not is_in_order(a)
    assert "steps off" not in str(a)


def test_the_json_lists_the_cuts():
    rng = np.random.default_rng(5)
    y, p = rng.integers(0, 4, 80), rng.dirichlet(np.ones(4), 80)
    a = ca.assess(y, p, labels=[0, 1, 2, 3], ordered=True)
    found = a.to_dict()["cuts"]
    assert [each["from"] for each in found] == [1, 2, 3]
    for each in found:
        assert each["cases"] == (y >= each["from"]).sum()
        assert each["measures"]["roc_auc"]["value"] == a[f"roc_auc[>={each['from']}]"].value
    assert ca.assess(y, p).to_dict()["cuts"] == []


@pytest.mark.parametrize("name", SHOWN)
def test_what_has_no_place_in_the_order_is_the_reason(name):
    true = np.arange(30) % 3
    called = np.where(true == 1, None, GRADES[true])
    a = ca.assess(GRADES[true], y_pred=called, unanswered="wrong", labels=[*GRADES[:3]], ordered=True)
    found = a[name]
    assert found.is_undefined
    assert "predictions are missing" in found.reason or "no scores" in found.reason
