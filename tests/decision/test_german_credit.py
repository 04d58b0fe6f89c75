"""German credit with its published costs, 5 for granting a bad one and 1 for refusing a good one, end to end.

The data (Statlog, UCI, CC BY 4.0) are no part of the project: CLASSAY_DATA names the folder of german_credit.csv,
else the folder shared/data beside the checkout or above it is looked at. Skipped, with a word, where there is none.
"""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import classay as ca
from command import json_of

NAME = "german_credit.csv"
PLACES = [
    *([Path(os.environ["CLASSAY_DATA"])] if "CLASSAY_DATA" in os.environ else []),
    *(parent / "shared" / "data" for parent in Path(__file__).resolve().parents[2:5]),
]
FILE = next((place / NAME for place in PLACES if (place / NAME).exists()), None)
pytestmark = pytest.mark.skipif(
    FILE is None,
    reason=f"{NAME} is not here: set CLASSAY_DATA to its folder to test the published costs end to end",
)
COST = ca.Costs(fp=1, fn=5)  # positive is a bad credit: missing it costs 5


@pytest.fixture(scope="module")
def credit():
    table = pacsv.read_csv(FILE)
    y = np.array(table["Class"].to_pylist()) == "Bad"
    X = np.column_stack([table[name].to_numpy() for name in table.column_names if name != "Class"])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
    return X, y, cross_val_predict(model, X, y, cv=5, method="predict_proba")[:, 1]


def cost_at(y, p, threshold):
    called = p >= threshold
    return float(np.where(called & ~y, 1, np.where(~called & y, 5, 0)).mean())


def test_the_threshold_of_least_cost(credit):
    _, y, p = credit
    assert (y.sum(), y.size) == (300, 1000)
    d = ca.assess(y, p).threshold(cost=COST)
    each = [cost_at(y, p, t) for t in np.unique(p)]
    assert d.cost.per_case.value == pytest.approx(min(each))
    assert cost_at(y, p, d.threshold.value) == pytest.approx(min(each))
    # granting all costs 1.5, refusing all 0.7; the published costs put the threshold of right probabilities at 1/6
    assert d.cost.saving_over_none.value == pytest.approx(1.5 - min(each))
    assert d.cost.saving_over_all.value == pytest.approx(0.7 - min(each))
    assert d.expected.objective.value >= d.apparent.value
    assert d.expected.objective.high < 0.7
    assert d.as_good[0] <= COST.threshold <= d.as_good[1]
    assert ca.assess(y, p).at(0.5).expected_cost(COST).per_case.value > d.cost.per_case.value


def test_the_command(credit, tmp_path, monkeypatch):
    _, y, p = credit
    monkeypatch.chdir(tmp_path)
    other = np.random.default_rng(0).random(y.size)
    rows = pa.table({"bad": y.astype(int), "p": p, "noise": other})
    pacsv.write_csv(rows, "credit.csv")
    base = ("decide", "credit.csv", "--truth", "bad", "--score", "p", "--cost", "fp=1", "--cost", "fn=5")
    found = json_of(*base)
    assert found["costs"]["per_case"]["value"] == pytest.approx(min(cost_at(y, p, t) for t in np.unique(p)))
    curves = json_of(*base, "--score", "noise")
    assert curves["at"] == pytest.approx(1.5 / 2.2)
    here = next(each for each in curves["ranges"] if each["low"] <= curves["at"] <= each["high"])
    assert here["best"] == "p"


@pytest.mark.wings("resampling")
@pytest.mark.filterwarnings("default")
def test_balancing_brings_no_information(credit):
    X, y, _ = credit
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))
    e = ca.evaluate({"logistic": model}, X, y, protocol="5fold", balance="weights")
    assert abs(e.balancing["roc_auc"].effect.value) < 0.02
    assert e.balancing["balanced_accuracy"].effect.value > 0
    assert abs(e.balancing["brier_score"].effect.value) < 0.01
