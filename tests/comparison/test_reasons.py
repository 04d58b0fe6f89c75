"""Reasons that are the reason: what more cases would settle, what Friedman's test found, which average there is."""

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.comparison.comparison import Comparison, UnitsTested, adjusted, more_cases
from classay.errors import UnknownMeasureError
from classay.inference.estimate import Estimate
from classay.measures import get


def test_a_threshold_that_too_few_cases_allow_is_said_so():
    a = ca.assess([1] * 10 + [0] * 10, [0.9] * 10 + [0.1] * 10)
    with pytest.raises(
        ca.InputError, match=r"No threshold meets precision\.low >= 0\.9: precision\.low reaches"
    ):
        a.threshold(where="precision.low >= .9", maximize="recall")
    flat = ca.assess([1, 0] * 200, [0.9, 0.8] * 200)
    with pytest.raises(
        ca.InputError, match=r"No threshold meets specificity >= 0\.9 and recall >= 0\.9 and"
    ) as found:
        flat.threshold(where="specificity >= 0.9 and recall >= 0.9 and precision <= 0.2", maximize="recall")
    assert "too few" not in str(found.value)


def test_what_compares_three_models_or_one_cluster_decides_nothing_and_says_why():
    rng = np.random.default_rng(0)
    y, scores = np.arange(60) % 2, {name: rng.random(60) for name in "abc"}
    (overall,) = ca.compare(scores, y, measures=["accuracy"], threshold=0.5).overall
    with pytest.raises(ca.InputError, match="A gate needs two models, but 3 were compared"):
        ca.gate(overall, "superior")
    for number in (1, 2):
        found = ca.compare(
            scores, y, measures=["expected_calibration_error"], cluster=np.arange(60) % number, control="a"
        )
        assert len(found) == 2
        for one in found:
            assert one.effect.has_interval == (number == 2)
            assert (one.effect.reason or "").startswith("one of the clusters") == (number == 1)


@pytest.mark.parametrize("name", ["error_rate", "fpr", "false_negative_rate"])
def test_what_is_better_lower_is_not_maximized(name):
    a = ca.assess([1, 0] * 20, np.linspace(0.1, 0.9, 40))
    with pytest.raises(ca.InputError, match="is better, so its highest value") as found:
        a.threshold(maximize=name)
    assert f"minimize='{get(name).name}'" in str(found.value)
    assert a.threshold(minimize=name) is not None


def comparison_at(p, needed):
    effect = Estimate(0.1, 0.02, 0.18, 0.95, "t")
    return Comparison(
        ("a", "b"), "accuracy", effect, p, "t", "data sets", sample=UnitsTested(39, "data sets", needed)
    )


def test_what_is_shown_alone_and_not_beside_others_names_no_number_of_cases():
    few, many = comparison_at(0.03, 40.0), comparison_at(0.2, 120.0)
    for one in adjusted([few, many, many], "holm"):
        assert bool(more_cases(one)) == (one.p == 0.2)


def test_settling_lines_that_say_the_same_are_one():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    right = rng.random(120) < 0.8
    other = right.copy()
    other[:3] = ~other[:3]
    labels = {"a": np.where(right, y, 1 - y)} | {f"m{k}": np.where(other, y, 1 - y) for k in range(3)}
    found = ca.compare(y_true=y, y_pred=labels, control="a", measures=["accuracy"])
    section = next(each for each in found.document().sections if each.title == "Sample size needed")
    lines = [text for _, text in section.parts[0].items]
    assert len(lines) == len(set(lines))
    assert len(lines) < len(found)


@pytest.mark.wings("resampling")
def test_nemenyi_is_told_with_friedmans_test_and_the_critical_difference():
    rng = np.random.default_rng(0)
    values = {name: rng.normal(0.8 + 0.02 * k, 0.03, 12) for k, name in enumerate("abcd")}
    chi_squared, _ = stats.friedmanchisquare(*values.values())
    for method in ("nemenyi", "wilcoxon"):
        found = ca.compare_datasets(values, method=method)
        text = " ".join(str(found).split())
        assert f"overall test of equal performance: χ² = {chi_squared:.4g} on 3 df, p" in text
        assert found.to_dict()["overall"][0]["chi_squared"] == pytest.approx(chi_squared)
        assert ("Critical difference: 1.354." in text) == (method == "nemenyi")


@pytest.mark.parametrize(("name", "said"), [("micro_youden", "informedness has no micro average")])
def test_an_average_that_there_is_not_is_no_slip_of_the_pen(name, said):
    with pytest.raises(UnknownMeasureError, match=said):
        get(name)
