"""Tests of symmetry, equal margins and calibration: another program's values, and laws."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

import classay as ca
from classay.report.results.assessments import document_of

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "square_tables.json").read_text())


def found_of(a):
    return {each.name: each for each in a.tests()}


def assessed(counts):
    return ca.assess(
        ca.ConfusionMatrix.from_array(counts, range(len(counts)), rows="true"),
        positive=1 if len(counts) == 2 else None,
    )


@pytest.mark.parametrize("name", [*ORACLES["tables"]])
def test_square_tables_are_those_of_statsmodels(name):
    found, expected = found_of(assessed(ORACLES["tables"][name]["counts"])), ORACLES["tables"][name]
    for test in ("bowker", "stuart_maxwell"):
        told = (found[test].statistic, found[test].degrees, found[test].p_value)
        assert told == pytest.approx(expected[test], rel=1e-9)


def test_intercept_and_slope_together_are_those_of_another_program():
    """Twice the log-likelihood of scikit-learn's logistic regression, without a penalty, less that of the scores."""
    rng = np.random.default_rng(2)
    logit = rng.normal(-0.5, 1.5, 300)
    y = rng.random(300) < stats.logistic.cdf(0.3 + 0.7 * logit)
    fit = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(logit[:, None], y)
    fitted, given = fit.predict_proba(logit[:, None])[:, 1], stats.logistic.cdf(logit)
    gained = 2 * (stats.bernoulli.logpmf(y, fitted).sum() - stats.bernoulli.logpmf(y, given).sum())
    found = found_of(ca.assess(y, given))["cox_recalibration"]
    assert found.statistic == pytest.approx(gained, rel=1e-6)
    assert (found.degrees, found.p_value) == (2, pytest.approx(stats.chi2.sf(gained, 2), rel=1e-5))


def test_with_two_classes_both_are_mcnemars_test():
    found = found_of(assessed([[50, 6], [16, 28]]))
    chi = (16 - 6) ** 2 / 22
    for name in ("bowker", "stuart_maxwell"):
        assert (found[name].statistic, found[name].degrees) == (pytest.approx(chi), 1)


def test_laws():
    counts = np.array([[50, 3, 2, 0], [10, 30, 5, 0], [4, 6, 40, 0], [0, 0, 0, 9]])
    found = found_of(assessed(counts))
    for other in (counts.T, counts[::-1, ::-1], counts[:3, :3], counts + np.diag([7, 0, 1, 2])):
        again = found_of(assessed(other))
        for name in ("bowker", "stuart_maxwell"):
            assert again[name].statistic == pytest.approx(found[name].statistic)
            assert again[name].degrees == found[name].degrees
    assert found_of(assessed(np.diag([4, 5])))["bowker"].reason == "no case is misclassified"


def test_reasons():
    y, p = [0, 1, 1, 0, 1], [0.2, 0.7, 0.4, 0.5, 0.9]
    for more in ({"weight": [1.5, 1, 1, 1, 1]}, {"cluster": [0, 0, 1, 1, 2]}):
        assert all(each.p_value is None and each.reason for each in ca.assess(y, p, **more).tests())
    assert (
        found_of(ca.assess(y, [3, 5, 4, 1, 9]))["cox_recalibration"].reason
        == "the scores are not probabilities"
    )
    assert "cox_recalibration" not in found_of(ca.assess(y, y_pred=[0, 1, 1, 1, 1]))


def test_they_stand_in_the_full_text_and_in_json():
    y, p = [0, 1, 1, 0, 1, 0], [0.2, 0.7, 0.4, 0.5, 0.9, 0.6]
    a = ca.assess(y, p)
    feet = " ".join(str(part) for part in document_of(a, detail="all").tables)
    assert "Bowker's test of symmetry" in feet
    assert "intercept 0 and slope 1" in feet
    told = [each["name"] for each in a.to_dict()["tests"]]
    assert told == ["bowker", "stuart_maxwell", "cox_recalibration"]
