"""Fits of power laws by another method, pages of paths, gains of a first repeat, and rounds that are saved."""

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.improving.decomposition import to_bytes
from classay.improving.improving import Race
from classay.improving.ingredients import spread_of
from classay.improving.loss_parts import BLOCKS
from classay.improving.results_of_parts import document_of_path, with_pictures_of_path
from classay.improving.training_sets import RATES, power_law
from learners import noise


def best_law(n, y, w, at):
    """a + b n^-c of the least weighted squares, a and b not negative, by another solver for each rate."""
    fits = []
    for rate in RATES:
        basis = np.stack([np.ones_like(n), (n / n.max()) ** -rate], 1)
        (a, b), norm = nnls(basis * np.sqrt(w)[:, None], y * np.sqrt(w))
        fits.append((norm, rate, a, b))
    norm, rate, a, b = min(fits)
    return a + b * (np.asarray(at) / n.max()) ** -rate, norm


@pytest.mark.parametrize("low", [0.2, 0.0, -0.05])
@pytest.mark.parametrize("rate", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_power_law_has_the_least_squares_of_all_that_are_allowed(low, rate, seed):
    """Even where a line through the losses would end below 0, or would rise."""
    rng = np.random.default_rng(seed)
    n = np.array([10.0, 14, 20, 40, 57, 80, 160])
    y = np.maximum(low + 3 * n**-rate + rng.normal(0, 0.004, n.size), 0.0)
    w = rng.random(n.size) + 0.1
    wanted, _ = best_law(n, y, w / w.sum(), [160, 320, 1000])
    assert power_law(n, y, w, [160, 320, 1000]) == pytest.approx(wanted, abs=1e-6)
    assert power_law(n, y, 7 * w, [160, 320, 1000]) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("parameter", ["var_smoothing", "size"])
def test_the_page_of_a_path_has_all_its_sections_and_its_curves(parameter):
    values = (1e-9, 1e-3) if parameter == "var_smoothing" else (20, 40)
    p = ca.decompose_over(GaussianNB(), *noise(80), parameter=parameter, values=values, rounds=3)
    document = document_of_path(p)
    page = with_pictures_of_path(document, p)
    titles = [section.title for section in document.sections]
    assert [section.title for section in page.sections] == [titles[0], "Over the parameter", *titles[1:]]
    (pictures,) = page.sections[1].parts
    drawn = [curve.series for figure in pictures.shown for curve in figure.curves]
    assert drawn == ["loss", "bias", "net variance"]
    assert (page.facts, page.verdict) == (document.facts, document.verdict)
    names = [name for name, _ in document.facts]
    assert ("training sets" in names) == (parameter != "size")
    assert dict(document.facts)[parameter] == ", ".join(map(str, values))


@pytest.mark.parametrize("rounds", [2, BLOCKS - 1, BLOCKS, BLOCKS + 1])
def test_any_number_of_rounds_is_saved(rounds, tmp_path):
    d = ca.decompose(GaussianNB(), *noise(60), rounds=rounds)
    d.save(tmp_path / "d.classay")
    again = ca.load(tmp_path / "d.classay")
    assert (again.rounds, to_bytes(again)) == (rounds, to_bytes(d))


class FirstRepeat(Race):
    """A race of which the values in the first repeat are known, and no model is fitted."""

    def __init__(self, own, other, measure):
        self.results = {"bagging": other}
        self.measure = measure
        self.own = own

    @property
    def _own(self):
        return self.own

    def _measure(self, remedy):
        return self.measure

    def _folds(self, results, measure):
        return results


@pytest.mark.parametrize(
    ("own", "other", "measure", "gain"),
    [
        (0.3, 0.1, "error_rate", 0.2),
        (0.1, 0.3, "error_rate", -0.2),
        (0.3, 0.1, "balanced_accuracy", -0.2),
        (0.1, 0.3, "balanced_accuracy", 0.2),
        (None, 0.1, "error_rate", -1),
        (0.1, None, "error_rate", -1),
        (None, None, "balanced_accuracy", -1),
    ],
)
def test_the_gain_of_a_first_repeat(own, other, measure, gain):
    race = FirstRepeat(own, other, measure)
    assert race.early_gain("bagging") == pytest.approx(gain)
    assert race.early_gain("forest") == -1


@pytest.mark.parametrize("gaps", [0, 3, 19, 20])
def test_the_spread_of_columns_is_that_of_their_known_values(gaps):
    rng = np.random.default_rng(gaps)
    values = rng.normal(5, [0.1, 1, 1000, 1], (20, 4))
    values[:, 3] = 0.1 + 0.2
    values[::2, 3] = 0.3  # the same but for rounding
    for k, gap in enumerate((np.nan, np.inf, -np.inf)):
        values[rng.permutation(20)[:gaps], k] = gap
    known = [column[np.isfinite(column)] for column in values.T]
    wanted = [column.std() if column.size else 0.0 for column in known[:3]]
    assert spread_of(values) == pytest.approx([*wanted, 0.0], abs=1e-12)
    assert spread_of(values)[3] == 0
