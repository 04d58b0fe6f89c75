"""Prevalence shift: oracles, identities, coverage."""

import json
from pathlib import Path

import numpy as np
import pytest

from classay import measures
from classay.errors import InputError
from classay.inference.prevalence import (
    at_prevalence,
    estimated_prevalence,
    rated,
    rogan_gladen,
    shift_probabilities,
    table_at_prevalence,
)
from classay.tables import BinaryCounts, ScoreTable

ORACLES = json.loads((Path(__file__).parent / "oracles" / "calibration.json").read_text())
M003 = BinaryCounts(6, 1, 4, 89)
EXACT = {"abs": 1e-9, "rel": 0}


@pytest.mark.parametrize("prevalence", ORACLES["PPV_at"])
def test_predictive_values_oracle(prevalence):
    expected = ORACLES["PPV_at"][prevalence]
    assert at_prevalence(measures.precision, M003, float(prevalence)).value == pytest.approx(
        expected["PPV"], **EXACT
    )
    npv = at_prevalence(measures.negative_predictive_value, M003, float(prevalence))
    assert npv.value == pytest.approx(expected["NPV"], **EXACT)


def test_mercaldo_oracle():
    expected = ORACLES["Mercaldo_pv0.01"]
    for measure, name in ((measures.precision, "ppv"), (measures.negative_predictive_value, "npv")):
        found = at_prevalence(measure, M003, 0.01)
        assert [found.low, found.high] == pytest.approx(expected[f"{name}_ci"], **EXACT)
    mirrored = at_prevalence(measures.false_discovery_rate, M003, 0.01)
    assert [mirrored.low, mirrored.high] == pytest.approx(
        [1 - end for end in expected["ppv_ci"][::-1]], **EXACT
    )


def test_shift_and_rogan_gladen_oracles():
    shift, rogan = ORACLES["prior_shift"], ORACLES["RogalGladen"]
    found = shift_probabilities(shift["p"], shift["train_prior"], shift["deploy"])
    assert found == pytest.approx(shift["post"], **EXACT)
    assert rogan_gladen(rogan["apparent"], rogan["Se"], rogan["Sp"]) == pytest.approx(rogan["prev"], **EXACT)
    assert rogan_gladen(0.001, 0.6, 0.98) == 0
    assert np.isnan(rogan_gladen(0.1, 0.3, 0.6))


def test_shifting_there_and_back_changes_nothing():
    p = np.array([0.0, 1e-9, 0.2, 0.9, 1.0])
    there = shift_probabilities(p, 0.3, 0.01)
    assert shift_probabilities(there, 0.01, 0.3) == pytest.approx(p, abs=1e-15)


@pytest.mark.parametrize(
    "name", [each.name for each in measures.MEASURES.values() if each.needs in ("counts", "margins")]
)
def test_own_prevalence_gives_the_measure_itself(name):
    measure, counts = measures.get(name), BinaryCounts(30, 12, 8, 70)
    own = 38 / 120
    direct = measure(*counts) if measure.needs == "counts" else rated(measure, 30 / 38, 70 / 82, own)
    found = at_prevalence(measure, counts, own)
    assert found.value == pytest.approx(direct, rel=1e-12)
    if np.isfinite(found.value) and found.has_interval:
        assert measure.bounds[0] <= found.low <= found.value <= found.high <= measure.bounds[1]


def test_rates_do_not_move():
    for measure in (measures.recall, measures.specificity, measures.false_positive_rate):
        rare, common = (at_prevalence(measure, M003, each) for each in (0.001, 0.6))
        assert (
            rare == pytest.approx(common)
            if isinstance(rare, float)
            else rare.method == common.method == "Wilson"
        )
        assert (rare.low, rare.high) == (common.low, common.high)


def test_delta_and_posterior_agree_on_large_counts():
    from classay.inference.prevalence import _drawn

    counts = BinaryCounts(800, 100, 200, 900)
    for measure in (measures.f1, measures.matthews_correlation, measures.accuracy):
        delta = at_prevalence(measure, counts, 0.2)
        drawn = _drawn(measure, counts, 0.2, delta.value, 0.95, 0)
        assert delta.method.startswith("delta")
        assert [delta.low, delta.high] == pytest.approx([drawn.low, drawn.high], abs=0.004)


def test_empty_cells_keep_an_interval():
    found = at_prevalence(measures.precision, BinaryCounts(10, 0, 5, 60), 0.05)
    assert found.value == 1
    assert found.low < 0.9
    assert found.high == 1
    assert found.method == "Jeffreys posterior"
    assert at_prevalence(measures.precision, BinaryCounts(0, 0, 5, 60), 0.05).reason
    assert at_prevalence(measures.precision, BinaryCounts(0, 3, 0, 60), 0.05).reason == "no case is positive"


def test_refusals():
    for wrong in (0, 1, -0.1, float("nan")):
        with pytest.raises(InputError, match="prevalence is"):
            at_prevalence(measures.precision, M003, wrong)
    with pytest.raises(InputError, match="no function of four counts"):
        at_prevalence(measures.roc_auc, M003, 0.1)
    with pytest.raises(InputError, match="no case is negative"):
        table_at_prevalence(ScoreTable.from_rows(np.array([0.5]), np.array([True])), 0.1)


def test_reweighted_table_has_the_prevalence_and_keeps_the_ranking():
    rng = np.random.default_rng(0)
    table = ScoreTable.from_rows(np.round(rng.random(200), 1), rng.random(200) < 0.4)
    there = table_at_prevalence(table, 0.01)
    assert there.n_positive / (there.n_positive + there.n_negative) == pytest.approx(0.01)
    assert measures.roc_auc(there) == pytest.approx(measures.roc_auc(table), abs=1e-12)
    counts, moved = (each.at(0.5).one_vs_rest(True) for each in (table, there))
    expected = at_prevalence(measures.precision, counts, 0.01).value
    assert measures.precision(*moved) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("prevalence", [0.02, 0.3])
def test_coverage(prevalence):
    rng, se, sp, held = np.random.default_rng(1), 0.8, 0.9, np.zeros(2)
    truth = float(rated(measures.precision, se, sp, prevalence))
    for _ in range(600):
        tp, tn = rng.binomial(60, se), rng.binomial(120, sp)
        counts = BinaryCounts(tp, 120 - tn, 60 - tp, tn)
        found = at_prevalence(measures.precision, counts, prevalence)
        held[0] += found.low <= truth <= found.high
        called = rng.binomial(500, prevalence * se + (1 - prevalence) * (1 - sp))
        new = estimated_prevalence(called, 500, counts)
        held[1] += new.low <= prevalence <= new.high
    assert (held / 600 >= 0.93).all()
    assert (held / 600 <= 0.995).all()
