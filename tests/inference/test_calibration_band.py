"""The limits around a calibration curve: what they promise, and against isotonic fits made by scikit-learn."""

import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.isotonic import IsotonicRegression

import classay as ca
from classay.errors import InputError
from classay.inference.scores import calibration
from classay.inference.scores.calibration import likelihood_band
from classay.tables import ScoreTable


def rows(n=300, digits=2, seed=0, power=1.5):
    rng = np.random.default_rng(seed)
    score = np.round(rng.beta(1, 2, n), digits)
    return score, rng.random(n) < score**power


def log_likelihood(truth, rate):
    return float(np.where(truth, np.log(rate.clip(1e-300)), np.log1p(-rate.clip(max=1 - 1e-16))).sum())


def through(score, truth, place, rate):
    """The log likelihood of the best rising fit that has a rate at a place."""
    below, here, above = score < place, score == place, score > place
    found = log_likelihood(truth[here], np.full(here.sum(), rate))
    for side, ends in ((below, {"y_max": rate}), (above, {"y_min": rate})):
        if side.any():
            fit = IsotonicRegression(**ends).fit(score[side], truth[side].astype(float))
            found += log_likelihood(truth[side], fit.predict(score[side]))
    return found


@pytest.mark.parametrize("digits", [1, 2, 6])
def test_the_likelihood_at_a_limit_is_as_much_less_as_it_says(digits):
    score, truth = rows(digits=digits)
    band = likelihood_band(ScoreTable.from_rows(score, truth))
    best = log_likelihood(truth, IsotonicRegression().fit(score, truth).predict(score))
    for k in np.linspace(0, band.x.size - 1, 9).astype(int):
        for limit in (band.low[k], band.high[k]):
            lost = 2 * (best - through(score, truth, band.x[k], limit))
            if 0 < limit < 1:
                assert lost == pytest.approx(chi2.ppf(0.975, 1), abs=1e-4)
            else:
                assert lost <= chi2.ppf(0.975, 1)


def test_limits_hold_the_curve_and_turn_with_the_classes():
    score, truth = rows()
    band = likelihood_band(ScoreTable.from_rows(score, truth))
    assert (band.low <= band.y).all()
    assert (band.y <= band.high).all()
    turned = likelihood_band(ScoreTable.from_rows(1 - score, ~truth))
    order = np.searchsorted(np.sort(1 - turned.x), band.x - 1e-9)
    assert 1 - turned.high[::-1][order] == pytest.approx(band.low, abs=1e-9)
    wider = likelihood_band(ScoreTable.from_rows(score, truth), level=0.99)
    assert (wider.low <= band.low).all()
    assert (wider.high >= band.high).all()


def test_weights_that_are_alike_say_nothing_and_unequal_ones_widen():
    score, truth = rows()
    plain, alike, unequal = (
        likelihood_band(ScoreTable.from_rows(score, truth, weight=weight))
        for weight in (None, np.full(300, 2.5), np.tile([0.2, 1.8], 150))
    )
    assert alike.low == pytest.approx(plain.low, abs=1e-9)
    assert alike.high == pytest.approx(plain.high, abs=1e-9)
    assert (unequal.high - unequal.low).mean() > 1.1 * (plain.high - plain.low).mean()


def test_grouping_scores_hardly_moves_the_limits(monkeypatch):
    table = ScoreTable.from_rows(*rows(5000, digits=9))
    exact = likelihood_band(table)
    monkeypatch.setattr(calibration, "FITTED_FROM", 4000)
    monkeypatch.setattr(calibration, "FITTED_GROUPS", 2000)
    grouped = likelihood_band(table)
    assert (grouped.x == exact.x).all()
    width = (exact.high - exact.low).mean()
    for side in ("low", "high"):
        assert np.abs(getattr(grouped, side) - getattr(exact, side)).mean() < 0.03 * width


def test_scores_of_one_class_or_one_score_have_limits():
    of_one = likelihood_band(ScoreTable.from_rows(np.array([0.2, 0.6, 0.9]), np.array([True] * 3)))
    assert (of_one.high == 1).all()
    assert (of_one.low < 1).all()
    tied = likelihood_band(ScoreTable.from_rows(np.full(40, 0.5), np.arange(40) < 20))
    assert tied.low[0] == pytest.approx(1 - tied.high[0])


def test_the_page_draws_the_limits_and_a_consistency_band_is_asked_for():
    score, truth = rows()
    a = ca.assess(truth, score)
    assert a.calibration.band().band == "pointwise 95%, likelihood ratio of rising rates"
    assert "consistency" in a.calibration.band("consistency").band
    with pytest.raises(InputError, match="Unknown band 'both'"):
        a.calibration.band("both")


TRUTHS = {
    "calibrated": lambda score: score,
    "too high": lambda score: score**2,
    "alike": lambda score: np.full(score.size, 0.3),
    "overconfident": lambda score: 1 / (1 + np.sqrt(1 / score - 1)),
}
SCORES = {
    "uniform": lambda rng, n: rng.uniform(0.001, 0.999, n),
    "tenths": lambda rng, n: rng.integers(1, 10, n) / 10,
    "rare": lambda rng, n: rng.beta(1, 15, n).clip(1e-6, 1 - 1e-6),
}


@pytest.mark.slow
@pytest.mark.parametrize("truths", TRUTHS)
@pytest.mark.parametrize("scores", SCORES)
def test_limits_hold_at_places_named_beforehand(truths, scores):
    rng = np.random.default_rng(1)
    places = SCORES[scores](rng, 200_000)
    places = np.quantile(places, [0.1, 0.3, 0.5, 0.7, 0.9])
    rate, hits = TRUTHS[truths](places), np.zeros(5)
    for _ in range(500):
        score = SCORES[scores](rng, 200)
        band = likelihood_band(ScoreTable.from_rows(score, rng.random(200) < TRUTHS[truths](score)))
        low, high = (np.interp(places, band.x, each) for each in (band.low, band.high))
        hits += (low - 1e-9 <= rate) & (rate <= high + 1e-9)
    assert hits.min() / 500 >= 0.92
    assert hits.mean() / 500 >= 0.95


@pytest.mark.parametrize("whole", [True, False])
def test_fits_below_places_are_those_of_what_lies_below(whole):
    """From one stack for all places, and from each part by itself."""
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 300):
        counts = rng.integers(0, 3, (2, size)) + np.array([[0], [1]])
        counts = counts.astype(float) if whole else counts * rng.random((2, size))
        at = np.unique(rng.integers(0, size, 20))
        for place, (p, n) in zip(at, calibration._fits_below(*counts, at), strict=True):
            part = counts[:, :place]
            assert (p.sum(), n.sum()) == pytest.approx(tuple(part.sum(1)))
            if place:
                fit = IsotonicRegression().fit(np.arange(place), part[0] / part.sum(0), part.sum(0))
                assert np.unique((p / (p + n)).round(9)) == pytest.approx(
                    np.unique(fit.y_thresholds_.round(9))
                )


def test_the_greatest_error_of_calibrated_probabilities_is_not_shown_above_0():
    """Few cases at the upper end without a positive bend the curve to 0, where it showed no spread: 19% excluded 0."""
    rng, above = np.random.default_rng(0), 0
    for _ in range(60):
        score = rng.beta(0.5, 12, 200)
        found = ca.assess(rng.random(200) < score, score)["calibration_error_max"]
        above += found.low > 0
    assert above <= 3
