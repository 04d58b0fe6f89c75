"""Coverage of the default intervals and of those they were chosen over, by simulation.

`python tests/simulations/test_coverage.py` prints tables of docs/evidence/methods.md. Cases are drawn as in a
cohort: class sizes are random. Samples on which the measure is undefined or has no interval are left out.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, chi2, norm

from classay.inference.design import Design
from classay.inference.draws import percentile
from classay.inference.intervals import estimate
from classay.inference.proportions import mid_p, normal_quantile, wilson
from classay.inference.scores import auc
from classay.measures import MEASURES, average_precision
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable

RUNS = 1500
Z = normal_quantile(0.95)
COUNTS = (
    "matthews_correlation", "cohen_kappa", "macro_f1", "f2", "lift", "p4", "g_mean", "markedness",
    "fowlkes_mallows",
)  # fmt: skip
SEVERAL = (
    "matthews_correlation",
    "cohen_kappa",
    "quadratic_kappa",
    "macro_f1",
    "balanced_accuracy",
    "macro_precision",
)


@dataclass(frozen=True)
class Hit:
    """Share of intervals that hold the truth, and their mean width."""

    coverage: float
    width: float
    runs: int


def tally(truth, intervals):
    lows, highs = np.array(intervals).T
    return Hit(
        float(((lows <= truth) & (truth <= highs)).mean()), float((highs - lows).mean()), len(intervals)
    )


# -- measures of counts ----------------------------------------------------------------------------


def two_classes(share, recall, specificity):
    """Probabilities of `[predicted, true]`."""
    return np.array(
        [[(1 - share) * specificity, share * (1 - recall)], [(1 - share) * (1 - specificity), share * recall]]
    )


def four_classes(shares, right):
    """Errors go to the next class twice as often as to the others."""
    k = len(shares)
    wrong = np.array([[0 if i == j else 2 if i == (j + 1) % k else 1 for j in range(k)] for i in range(k)])
    cells = np.where(np.eye(k, dtype=bool), right, (1 - np.asarray(right)) * wrong / wrong.sum(0))
    return cells * np.asarray(shares)


def table_of(measure, counts):
    """What a measure needs, from counts `[..., predicted, true]`; the last class is positive."""
    if measure.needs == "counts":
        return BinaryCounts(counts[..., 1, 1], counts[..., 1, 0], counts[..., 0, 1], counts[..., 0, 0])
    return ConfusionMatrix(counts, tuple(range(counts.shape[-1])))


def default(measure, counts, rng):
    found = estimate(measure, table_of(measure, counts), seed=int(rng.integers(2**31)))
    return (found.low, found.high) if found.has_interval else None


def resampled(measure, counts, rng, size=1000):
    n = int(counts.sum())
    drawn = rng.multinomial(n, counts.ravel() / n, size=size).reshape(-1, *counts.shape)
    values = measure(table_of(measure, drawn))
    return values[np.isfinite(values)]


def percentile_bootstrap(measure, counts, rng):
    return percentile(resampled(measure, counts, rng), 0.95)


def bca_bootstrap(measure, counts, rng):
    """Efron 1987; ties count half in z0, and the jackknife runs over cells with their multiplicities."""
    value, values = float(measure(table_of(measure, counts))), resampled(measure, counts, rng)
    times = counts.ravel()[counts.ravel() > 0]
    without = []
    for at in np.argwhere(counts > 0):
        less = counts.copy()
        less[tuple(at)] -= 1
        without.append(float(measure(table_of(measure, less))))
    left = np.array(without)
    known = np.isfinite(left)
    left, times = left[known], times[known]
    d = (left * times).sum() / times.sum() - left
    spread = (times * d**2).sum()
    a = (times * d**3).sum() / (6 * spread**1.5) if spread > 0 else 0.0
    below = ((values < value).mean() + (values <= value).mean()) / 2
    z0 = norm.ppf(np.clip(below, 1e-4, 1 - 1e-4))
    levels = norm.cdf(z0 + (z0 + np.array([-Z, Z])) / (1 - a * (z0 + np.array([-Z, Z]))))
    return tuple(np.quantile(values, levels))


WAYS = {"default": default, "percentile bootstrap": percentile_bootstrap, "BCa bootstrap": bca_bootstrap}


def simulate_counts(names, cells, n, ways=("default",), runs=RUNS, seed=0):
    """measure -> way -> Hit, on `runs` samples of n cases; all ways on the same samples."""
    rng = np.random.default_rng(seed)
    samples = [rng.multinomial(n, cells.ravel()).reshape(cells.shape) for _ in range(runs)]
    found = {}
    for name in names:
        measure = MEASURES[name]
        truth = float(measure(table_of(measure, cells)))
        usable = [each for each in samples if np.isfinite(measure(table_of(measure, each)))]
        found[name] = {
            way: tally(
                truth, [ends for each in usable if (ends := WAYS[way](measure, each, rng)) is not None]
            )
            for way in ways
        }
    return found


# -- rankings --------------------------------------------------------------------------------------


def true_auc(shift):
    return norm.cdf(shift / np.sqrt(2))


def true_average_precision(shift, share):
    """Mean precision at the scores of the positives, of normal scores `shift` apart."""

    def integrand(t):
        called = share * norm.sf(t - shift)
        return norm.pdf(t - shift) * called / (called + (1 - share) * norm.sf(t))

    return quad(integrand, shift - 12, shift + 12, points=[shift - 2, shift, shift + 2], limit=400)[0]


def draw(rng, n, share, shift):
    positive = rng.random(n) < share
    return ScoreTable.from_rows(rng.normal(shift * positive), positive)


def stratified_bootstrap(table, rng, size=500):
    """Percentiles of average precision of positives and negatives resampled apart."""
    drawn = [
        rng.multinomial(int(part.sum()), part / part.sum(), size=size)
        for part in (table.positives, table.negatives)
    ]
    return percentile(average_precision(ScoreTable(table.scores, *drawn)), 0.95)


def logit_delong(table, rng):
    value = float(MEASURES["roc_auc"](table))
    variance = auc.delong_variance(table)
    return auc.logit_delong(value, variance, 0.95) if variance > 0 else (value, value)


def newcombe_5(table, rng):
    return auc.newcombe5(
        float(MEASURES["roc_auc"](table)), int(table.n_positive), int(table.n_negative), 0.95
    )


def plain_influence(table, rng):
    value = float(average_precision(table))
    half = Z * Design(table).spread(average_precision.influence(table, value)).se
    return value - half, value + half


def simulate_ranking(name, n, share, shift, runs=RUNS, seed=1, others=()):
    """way -> Hit, for the AUC or average precision of normal scores."""
    rng = np.random.default_rng(seed)
    truth = true_auc(shift) if name == "roc_auc" else true_average_precision(shift, share)
    tables = [each for each in (draw(rng, n, share, shift) for _ in range(runs)) if 2 <= each.n_positive < n]
    estimates = [estimate(MEASURES[name], table) for table in tables]
    found = {"default": tally(truth, [(e.low, e.high) for e in estimates if e.has_interval])}
    for way in others:
        found[way.__name__.replace("_", " ")] = tally(truth, [way(table, rng) for table in tables])
    return found


# -- scenarios, and what the tests ask of them -----------------------------------------------------


def binary(*samples):
    """Scenarios of two classes, by what they are."""
    return {
        f"n={n}, {share:.0%} positive, recall {recall}, specificity {specificity}": (
            n,
            two_classes(share, recall, specificity),
        )
        for n, share, recall, specificity in samples
    }


def four(*samples):
    """Scenarios of four classes, by what they are."""
    return {f"n={n}, shares {shares}": (n, four_classes(shares, right)) for n, shares, right in samples}


AMPLE = binary(
    (60, 0.5, 0.8, 0.8),
    (60, 0.2, 0.7, 0.95),
    (150, 0.1, 0.6, 0.97),
    (400, 0.3, 0.8, 0.9),
    (400, 0.05, 0.6, 0.98),
    (400, 0.05, 0.8, 0.7),
)
SMALL = binary((40, 0.5, 0.95, 0.95), (60, 0.1, 0.8, 0.97), (200, 0.03, 0.7, 0.99))
MIXED = (0.8, 0.7, 0.6, 0.75)
FOUR = four(
    (60, (0.25, 0.25, 0.25, 0.25), MIXED),
    (150, (0.6, 0.2, 0.1, 0.1), MIXED),
    (400, (0.7, 0.2, 0.06, 0.04), MIXED),
)
RARE = four((60, (0.7, 0.2, 0.06, 0.04), MIXED), (100, (0.85, 0.05, 0.05, 0.05), (0.95, 0.9, 0.9, 0.9)))
RANKINGS = [
    (n, share, shift)
    for n, share in ((60, 0.5), (150, 0.2), (400, 0.1), (400, 0.5))
    for shift in (0.75, 1.5, 2.5)
]
LEAST, MOST = 0.90, 0.995
"""What the tests allow: nominal 95%, less what a small sample costs, with Monte-Carlo error 0.6%."""


@pytest.mark.slow
@pytest.mark.parametrize("scenario", AMPLE | SMALL)
def test_counts_of_two_classes(scenario):
    n, cells = (AMPLE | SMALL)[scenario]
    for name, found in simulate_counts(COUNTS, cells, n).items():
        assert LEAST <= found["default"].coverage <= MOST, (name, found)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", FOUR)
def test_counts_of_four_classes(scenario):
    n, cells = FOUR[scenario]
    for name, found in simulate_counts(SEVERAL, cells, n).items():
        assert LEAST <= found["default"].coverage <= MOST, (name, found)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", RARE)
def test_rare_classes_cover_less(scenario):
    """A known limit, stated in docs/evidence/methods.md: macro averages over classes of two to six cases."""
    n, cells = RARE[scenario]
    for name, found in simulate_counts(SEVERAL, cells, n).items():
        assert found["default"].coverage >= 0.82, (name, found)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share", "shift"), RANKINGS)
@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_rankings(name, n, share, shift):
    found = simulate_ranking(name, n, share, shift)["default"]
    assert LEAST <= found.coverage <= MOST, found


def test_simulation_knows_the_truth():
    """The closed forms that coverage is judged against agree with one huge sample."""
    table = draw(np.random.default_rng(2), 400_000, 0.2, 1.5)
    assert float(MEASURES["roc_auc"](table)) == pytest.approx(true_auc(1.5), abs=0.003)
    assert float(average_precision(table)) == pytest.approx(true_average_precision(1.5, 0.2), abs=0.005)


# -- the page --------------------------------------------------------------------------------------


def row(cells):
    return "| " + " | ".join(cells) + " |"


def show(hit):
    return f"{100 * hit.coverage:.1f} ({hit.width:.3f})"


def print_ranges(title, names, scenarios, ways):
    """The least and the greatest coverage of each measure over some samples, of all ways."""
    found = [simulate_counts(names, cells, n, ways) for n, cells in scenarios.values()]
    print(f"\n**{title}** ({'; '.join(scenarios)})\n")
    print(row(["measure", *ways]))
    print(row(["---"] * (1 + len(ways))))
    for name in names:
        shares = [[100 * each[name][way].coverage for each in found] for way in ways]
        print(row([f"`{name}`", *(f"{min(each):.1f}–{max(each):.1f}" for each in shares)]), flush=True)


def print_rankings(name, others):
    ways = ["default", *(way.__name__.replace("_", " ") for way in others)]
    print(f"\n**{name}**\n")
    print(row(["sample", *ways]))
    print(row(["---"] * (1 + len(ways))))
    for n, share, shift in RANKINGS:
        found = simulate_ranking(name, n, share, shift, others=others)
        scenario = f"n={n}, {share:.0%} positive, AUC {true_auc(shift):.3f}"
        print(row([scenario, *(show(found[way]) for way in ways)]), flush=True)


if __name__ == "__main__":
    print_rankings("roc_auc", (logit_delong, newcombe_5))
    print_rankings("average_precision", (plain_influence, stratified_bootstrap))
    for title, names, scenarios in (
        ("Two classes, moderate samples", COUNTS, AMPLE),
        ("Two classes, small cells", COUNTS, SMALL),
        ("Four classes", SEVERAL, FOUR),
        ("Four classes, some of 2 to 6 cases", SEVERAL, RARE),
    ):
        print_ranges(title, names, scenarios, list(WAYS))


def modified_wilson(x, m, level):
    """Of up to 3 errors (2 of 50 cases) the farther limit is Poisson's (Brown, Cai & DasGupta 2001, section 4.1.1)."""
    low, high = wilson(x, m, level)
    most = np.where(m <= 50, 2, 3)
    ends = []
    for count, end in ((x, low), (m - x, 1 - high)):
        poisson = chi2.ppf(1 - level, 2 * np.maximum(count, 1)) / 2 / m
        ends.append(np.where((count >= 1) & (count <= most), np.minimum(end, poisson), end))
    return ends[0], 1 - ends[1]


@pytest.fixture(scope="module")
def enumerated():
    """By method the coverage, the greater of its sides and the errors expected, of 20 to 1,000 cases, exactly."""
    found = {each: [] for each in (wilson, modified_wilson, mid_p)}
    for n in (20, 50, 100, 200, 500, 1000):
        x, share = np.arange(n + 1.0), np.exp(np.linspace(np.log(0.1 / n), np.log(0.5), 120))[:, None]
        chance = binom.pmf(x, n, share)
        for method, rows in found.items():
            low, high = method(x, np.full(n + 1, float(n)), 0.95)
            below, above = (chance * (high < share)).sum(1), (chance * (low > share)).sum(1)
            rows.append(np.stack([1 - below - above, np.maximum(below, above), n * share[:, 0]]))
    return {method: np.concatenate(rows, 1) for method, rows in found.items()}


def test_wilson_holds_in_the_mean_and_leans_where_errors_are_few(enumerated):
    """What docs/evidence/methods.md says of proportions with few errors."""
    means = {}
    for method, (covered, side, errors) in enumerated.items():
        none, few, many = errors < 1, (errors >= 1) & (errors < 10), errors >= 10
        means[method] = covered[few].mean()
        assert covered[many].min() > 0.93
        assert covered[many].mean() == pytest.approx(0.951, abs=0.002)
        assert covered[few].min() == pytest.approx(0.917, abs=0.004)
        assert (covered[none].min() > 0.9) == (method is not wilson)
        assert (np.mean(side[few] > 0.04) > 0.3) == (method is not mid_p)
    assert abs(means[wilson] - 0.95) < abs(means[mid_p] - 0.95)
    assert means[modified_wilson] == pytest.approx(means[wilson], abs=0.001)
