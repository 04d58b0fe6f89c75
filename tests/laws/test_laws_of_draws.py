"""Laws of draws: places in canonical order alone decide them, so no last bit, name, order or thread moves a limit."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.comparison.cases.difference import ComparisonMethod, of_replicates
from classay.comparison.cases.score_measures import PanelScores, compare_gaps
from classay.inference.bootstrap.bootstrapping import NOISE, bootstrap_all
from classay.inference.bootstrap.label_samples import LabelledRows
from classay.inference.bootstrap.score_samples import ScoredRows
from classay.inference.design import SamplingUnits
from classay.inference.draws import order_of_classes, order_of_clusters, order_of_joint_classes
from classay.inference.methods import why_refused
from classay.measures import (
    MEASURES,
    accuracy,
    brier_score,
    cohen_kappa,
    kolmogorov_smirnov,
    macro,
    recall,
    roc_auc,
)

N = 120
RNG = np.random.default_rng(8)
Y = (np.arange(N) % 3 == 0).astype(int)
SHARED = RNG.normal(size=N)
SCORES = {
    name: np.round(1 / (1 + np.exp(-(1.2 * Y - 0.5 + SHARED + RNG.normal(size=N)))), 2).clip(0.01, 0.99)
    for name in "abc"
}
KINDS = {
    "alike": {},
    "frequency": {"frequency": RNG.integers(1, 4, N)},
    "weighted": {"weight": RNG.choice([0.5, 1.0, 1.7], N)},
    "clustered": {"cluster": RNG.permutation(np.arange(N) // 3)},
    "both": {"cluster": RNG.permutation(np.arange(N) // 3), "weight": RNG.choice([0.5, 1.0, 1.7], N)},
}
DRAWN = ["kolmogorov_smirnov", "partial_roc_auc", "average_precision", "f1", "mcc"]


def compared(scores, y, how, **more):
    return {
        (one.measure, one.models): (one.effect.value, one.effect.low, one.effect.high, one.p)
        for one in ca.compare(scores, y, measures=DRAWN, **({"positive": 1} | more), **how)
    }


def in_shape(scores, y, how):
    names = ["kolmogorov_smirnov", "average_precision", "max_f1"]
    made = ca.compare(scores, y, measures=names, **how)
    return [(one.effect.low, one.effect.high, one.p) for one in made]


def best(scores, y, how, **more):
    found = [ca.best_of(scores, y, each, **more, **how).corrected for each in ("brier_score", "roc_auc")]
    return [(each.value, each.low, each.high) for each in found]


def against(scores, y, how, **more):
    made = ca.compare(scores, y, measures=["log_loss"], method="max-t", control="b", **more, **how)
    return {one.models: (one.effect.low, one.effect.high, one.p_adjusted) for one in made}


def resampled(scores, y, how, **more):
    """One model: intervals and a band of the bootstrap."""
    how = {**how, **more}
    names = ["kolmogorov_smirnov", "average_precision", "f1", "accuracy"]
    interval = None if "weight" in how and "cluster" not in how else "bootstrap"
    a = ca.assess(y, scores["a"], interval=interval, **how)
    found = [a[name] for name in names]
    band = a.curve("cumulative_gain").band()
    ends = [band.low.sum(), band.high.sum()]
    return [(each.value, each.low, each.high) for each in found] + [ends]


def unlike(one, other):
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        return {key for key in one if one[key] != pytest.approx(other[key], rel=1e-9, abs=1e-11, nan_ok=True)}
    pairs = zip(one, other, strict=True)
    return [i for i, (a, b) in enumerate(pairs) if a != pytest.approx(b, rel=1e-9, abs=1e-11, nan_ok=True)]


DOORS = {"compare": compared, "best_of": best, "max-t": against, "assess": resampled}
PERTURBED = {name: np.nextafter(each, 2) for name, each in SCORES.items()}
PERMUTED = RNG.permutation(N)
NAMES = {k: f"group {(7 * k) % 41}" for k in range(N)}


@cache
def plain(door, kind):
    """What a door finds of the rows as they are."""
    return DOORS[door](SCORES, Y, KINDS[kind])


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("door", DOORS)
class TestWhatChangesNoDraw:
    def test_a_last_bit_of_the_scores(self, door, kind):
        """`exp` and `log` differ by one on two processors."""
        assert not unlike(plain(door, kind), DOORS[door](PERTURBED, Y, KINDS[kind]))

    def test_the_order_of_the_rows(self, door, kind):
        turned = {name: each[PERMUTED] for name, each in SCORES.items()}
        how = {name: each[PERMUTED] for name, each in KINDS[kind].items()}
        assert not unlike(plain(door, kind), DOORS[door](turned, Y[PERMUTED], how))

    def test_the_names_of_clusters(self, door, kind):
        if "cluster" not in KINDS[kind]:
            return
        how = {**KINDS[kind], "cluster": np.array([NAMES[each] for each in KINDS[kind]["cluster"].tolist()])}
        assert not unlike(plain(door, kind), DOORS[door](SCORES, Y, how))

    def test_the_names_of_the_classes(self, door, kind):
        labels = np.array(["yes", "no"])[Y], np.array(["no", "yes"])[Y]  # before the other and after it
        one, other = (
            DOORS[door](SCORES, y, KINDS[kind], positive=positive)
            for y, positive in zip(labels, ("no", "yes"), strict=True)
        )
        assert not unlike(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_names_and_places_of_models_change_no_draw(kind):
    one = compared(SCORES, Y, KINDS[kind])
    other = compared({name: SCORES[of] for name, of in zip("zyx", "cba", strict=True)}, Y, KINDS[kind])
    new = dict(zip("abc", "xyz", strict=True))
    for (measure, (a, b)), (value, low, high, p) in one.items():
        turned = other[measure, (new[b], new[a])]
        assert turned == pytest.approx((-value, -high, -low, p), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("method", ["bootstrap", "posterior", None])
def test_names_of_several_classes_change_no_draw(method):
    rng = np.random.default_rng(2)
    true = rng.choice(4, 150, p=[0.1, 0.2, 0.3, 0.4])
    said = {name: np.where(rng.random(150) < 0.7, true, rng.integers(0, 4, 150)) for name in "ab"}
    found = []
    for labels in ("pqrs", "srqp", "qspr"):
        names = np.array(list(labels))
        models = {name: names[each] for name, each in said.items()}
        made = ca.compare(
            y_true=names[true], y_pred=models, measures=["macro_f1", "cohen_kappa"], method=method
        )
        alone = ca.assess(names[true], y_pred=models["a"], interval="bootstrap")
        found.append(
            [
                *((one.effect.low, one.effect.high, one.p) for one in made),
                *((alone[name].low, alone[name].high) for name in ("macro_f1", "accuracy")),
            ]
        )
    assert not unlike(found[0], found[1])
    assert not unlike(found[0], found[2])


def test_scales_of_weights_and_copies_of_a_cluster_change_no_draw():
    weight = KINDS["weighted"]["weight"]
    for door in (in_shape, best, against, resampled):
        one = door(SCORES, Y, {"weight": weight})
        for scale in (0.001, 1000.0):
            assert not unlike(one, door(SCORES, Y, {"weight": scale * weight}))
    thrice = {name: np.repeat(each, 3) for name, each in SCORES.items()}
    own = {"cluster": np.repeat(np.arange(N), 3)}
    for door in (best, against):
        assert not unlike(door(SCORES, Y, {"cluster": np.arange(N)}), door(thrice, np.repeat(Y, 3), own))


def test_repeated_rows_are_a_frequency():
    times = KINDS["frequency"]["frequency"]
    repeated = {name: np.repeat(each, times) for name, each in SCORES.items()}
    for door in (compared, best, resampled):
        assert not unlike(door(SCORES, Y, {"frequency": times}), door(repeated, np.repeat(Y, times), {}))


def test_a_curve_of_costs_knows_no_order_nor_names():
    cluster = KINDS["clustered"]["cluster"]
    named = np.array([NAMES[each] for each in cluster.tolist()])
    one = ca.cost_curves(SCORES, Y, cluster=cluster)
    turned = {name: np.nextafter(each, 2)[PERMUTED] for name, each in SCORES.items()}
    other = ca.cost_curves(turned, Y[PERMUTED], cluster=named[PERMUTED])
    for a, b in zip((*one.curves, *one.expected), (*other.curves, *other.expected), strict=True):
        assert a.y == pytest.approx(b.y, abs=1e-12)
        assert a.low is None or a.low == pytest.approx(b.low, abs=1e-12)


def test_rows_of_the_bootstrap_are_drawn_in_no_order_of_theirs():
    """Rows that tie in score and class differ in weight; labels in what is called."""
    rng = np.random.default_rng(3)
    score, positive = rng.integers(0, 5, 80) / 5, rng.random(80) < 0.4
    weight, cluster, at = rng.choice([1.0, 2.0, 5.0], 80), rng.integers(0, 25, 80), rng.permutation(80)
    predicted, true = rng.integers(0, 3, 80), rng.choice(3, 80, p=[0.2, 0.3, 0.5])
    for of_clusters in (False, True):
        found = []
        for order, codes in ((np.arange(80), cluster), (at, (11 * cluster + 3) % 25)):
            own = codes[order] if of_clusters else None
            rows = ScoredRows(score[order], positive[order], weight[order], own)
            made = bootstrap_all(rows, [roc_auc, kolmogorov_smirnov, brier_score])
            labelled = LabelledRows(predicted[order], true[order], (0, 1, 2), weight[order], own)
            made += bootstrap_all(labelled, [accuracy, cohen_kappa, macro(recall)])
            found.append([(each.low, each.high) for each in made])
        assert not unlike(*found)


def test_threads_and_the_order_of_calls_change_no_byte():
    one = compared(SCORES, Y, {})
    assert [*compared({"a": SCORES["a"], "b": SCORES["b"]}, Y, {})]
    assert compared(SCORES, Y, {}) == one


# -- the order itself ----------------------------------------------------------------------------------------------


def test_clusters_are_ordered_by_their_content():
    """By sorting the content of each cluster in Python."""
    rng = np.random.default_rng(4)
    for seed in range(20):
        cluster, cell = rng.integers(0, 12, 60), rng.integers(0, 4, 60)
        cell[cluster > 9] = cluster[cluster > 9] % 2  # some alike
        found = order_of_clusters(cluster, cell)
        content = {}
        for own, place in zip(found.tolist(), cell.tolist(), strict=True):
            content.setdefault(own, {}).setdefault(place, 0)
            content[own][place] += 1
        keys = [(len(content[each]), sorted(content[each].items())) for each in sorted(content)]
        assert keys == sorted(keys), seed
        renamed = order_of_clusters(rng.permutation(12)[cluster], cell)
        told = ["".join(map(str, sorted(cell[found == each]))) for each in range(found.max() + 1)]
        assert told == ["".join(map(str, sorted(cell[renamed == each]))) for each in range(found.max() + 1)]


def test_classes_are_ordered_by_their_cells():
    rng = np.random.default_rng(5)
    for _ in range(20):
        cells, joint, turn = rng.integers(0, 50, (5, 5)), rng.integers(0, 50, (5, 5, 5)), rng.permutation(5)
        assert (turn[order_of_classes(cells[np.ix_(turn, turn)])] == order_of_classes(cells)).all()
        turned = joint[np.ix_(turn, turn, turn)].swapaxes(1, 2)
        assert (turn[order_of_joint_classes(turned)] == order_of_joint_classes(joint)).all()


# -- a method that one door refuses is used by no other -----------------------------------------------------------

REFUSED = sorted(
    name
    for name, each in MEASURES.items()
    if each.needs in ("scores", "probabilities") and why_refused(each, "bootstrap") is not None
)


@pytest.mark.parametrize("method", [None, "bootstrap"])
def test_what_assess_does_not_bootstrap_no_comparison_does(method):
    assert {"expected_calibration_error", "integrated_calibration_index"} < {*REFUSED}
    found = ca.compare({name: SCORES[name] for name in "ab"}, Y, measures=REFUSED, method=method)
    a, b = (ca.assess(Y, SCORES[name], interval="bootstrap") for name in "ab")
    for one in found:
        why = why_refused(MEASURES[one.measure], "bootstrap")
        assert "bootstrap" not in (a[one.measure].method or "") + (one.effect.method or "")
        if (one.measure, method) == ("expected_calibration_error", None):
            continue  # by the noise of the gaps, as in assess
        assert np.isnan(one.p)
        assert not one.effect.has_interval
        assert why in one.reason
        assert one.effect.value == pytest.approx(a[one.measure].value - b[one.measure].value, nan_ok=True)


# -- few draws decide no family, and maxima know their bias -------------------------------------------------------


def test_more_is_drawn_where_few_draws_would_decide_a_family():
    """With 2,000 draws no p-value is below .001: of 105 comparisons none could be found at 5%."""
    rng = np.random.default_rng(0)
    models = {f"m{i}": 1 / (1 + np.exp(-rng.normal(size=N) - 6 * (i == 0) * (Y - 0.5))) for i in range(15)}
    found = ca.compare(models, Y, measures=["partial_roc_auc"])
    far = [one for one in found if "m0" in one.models]
    assert all("bootstrap of 21,000" in one.effect.method for one in far)
    assert any("bootstrap of 2,000" in one.effect.method for one in found)
    assert min(one.p for one in far) < 1e-4
    assert all(one.p_adjusted < 0.05 for one in far)
    pair = ca.compare({name: models[name] for name in ("m0", "m1")}, Y, measures=["partial_roc_auc"])[0]
    assert "bootstrap of 2,000" in pair.effect.method
    assert pair.effect.low == pytest.approx(found["partial_roc_auc", "m0", "m1"].effect.low, abs=0.01)


@pytest.mark.parametrize("measure", ["kolmogorov_smirnov", "max_f1", "hull_auc"])
def test_the_difference_of_maxima_allows_for_their_bias(measure):
    """Of scores that know nothing the maximum is mostly luck, which resamples double: the truth lies above them."""
    rng = np.random.default_rng(1)
    y = np.arange(160) % 2
    models = {"good": rng.normal(size=160) + 1.5 * y, "noise": rng.normal(size=160)}
    one = ca.compare(models, y, measures=[measure])[0]
    two = ca.compare({name: models[name] for name in ("noise", "good")}, y, measures=[measure])[0]
    assert (two.effect.low, two.effect.high) == (-one.effect.high, -one.effect.low)
    assert two.p == one.p
    assert "bias of a maximum" in one.effect.method
    others = {level: ca.compare(models, y, measures=[measure], level=level)[0] for level in (0.5, 0.9999)}
    for level, each in {0.95: one, **others}.items():
        assert (each.p < 1 - level) == (each.effect.low > 0 or each.effect.high < 0)
    assert one.effect.low <= one.effect.value <= one.effect.high


def test_the_bias_of_a_maximum_by_its_formula():
    """Draws that lie b below the difference, of a spread s: to -z s below it or them, and z s above it less 2.4 b."""
    z = stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
    how, units = ComparisonMethod("percentile", "tail", ("efron1993",)), SamplingUnits(100)
    draws = 0.3 - 0.05 + 0.1 * z
    plain, widened = (
        of_replicates(("a", "b"), "max_f1", (0.8, 0.5), draws, units, how, level=0.95, bias=bias)
        for bias in (0.0, NOISE)
    )
    q, s = stats.norm.ppf(0.975), draws.std(ddof=1)
    assert (plain.effect.low, plain.effect.high) == pytest.approx((0.25 - 0.1 * q, 0.25 + 0.1 * q), abs=1e-3)
    assert widened.effect.low == plain.effect.low
    assert widened.effect.high == pytest.approx(0.3 + 0.05 / (2**0.5 - 1) + q * s, rel=1e-9)
    assert plain.p == widened.p  # no centre is nearer to 0 than the draws
    above = of_replicates(("a", "b"), "max_f1", (0.8, 0.5), draws + 0.1, units, how, level=0.95, bias=NOISE)
    assert above.p == pytest.approx(2 * stats.norm.sf((0.3 - 0.05 / (2**0.5 - 1)) / s), rel=1e-6)


# -- differences of calibration errors ----------------------------------------------------------------------------


def test_the_noise_of_the_gaps_by_brute_force():
    """Independent residuals of bins: the reach is a quantile of |Z_a| - s_b Z_b, drawn anew by hand."""
    cases = PanelScores({name: SCORES[name] for name in "ab"}, Y.astype(bool))
    one = compare_gaps(cases, MEASURES["expected_calibration_error"], seed=3)[0]
    edges = np.linspace(0, 1, 16)[1:-1]
    places = [np.searchsorted(edges, SCORES[name], side="left") + 15 * k for k, name in enumerate("ab")]
    moved = np.zeros((Y.size, 30))
    for name, place in zip("ab", places, strict=True):
        moved[np.arange(Y.size), place] = (Y - SCORES[name]) / Y.size
    gaps = moved.sum(0)
    held = np.stack([np.bincount(place, minlength=30) for place in places]).sum(0)
    off = moved - (moved != 0) * gaps / np.maximum(held, 1)
    positive = np.stack([np.bincount(place, Y, 30) for place in places]).sum(0)
    likely = (positive + 0.5) / (held + 1)
    covariance = off.T @ off * Y.size / (Y.size - 1)
    least = (held / Y.size) ** 2 * np.where(held > 0, likely * (1 - likely) / np.maximum(held, 1), 0)
    np.fill_diagonal(covariance, np.maximum(covariance.diagonal(), least))
    noise = np.random.default_rng(0).multivariate_normal(np.zeros(30), covariance, 100_000)
    reach = np.abs(noise[:, :15]).sum(1) - noise[:, 15:] @ np.sign(gaps[15:])
    assert one.effect.value == pytest.approx(np.abs(gaps[:15]).sum() - np.abs(gaps[15:]).sum())
    assert one.effect.low == pytest.approx(one.effect.value - np.quantile(reach, 0.975), abs=0.01)


@pytest.mark.parametrize("n", [8, 30])
def test_copies_of_a_case_in_a_cluster_know_what_the_case_does_by_students_t(n):
    """Of cases alone the spread of the gaps is taken as known; of n clusters it has n - 1 degrees of freedom."""
    models = {name: SCORES[name][:n] for name in "ab"}
    copied = {name: np.repeat(each, 3) for name, each in models.items()}
    alone = ca.compare(models, Y[:n], measures=["ece"])[0].effect
    clustered = ca.compare(copied, np.repeat(Y[:n], 3), measures=["ece"], cluster=np.arange(3 * n) // 3)[
        0
    ].effect
    wider = (clustered.high - clustered.low) / (alone.high - alone.low)
    assert wider == pytest.approx(stats.t.ppf(0.975, n - 1) / stats.norm.ppf(0.975), rel=0.12)


@pytest.mark.parametrize("how", ["plain", "frequency", "weight", "cluster"])
def test_differences_of_calibration_errors_swap_permute_and_scale(how):
    rng = np.random.default_rng(2)
    column = {
        "frequency": rng.integers(1, 4, N),
        "weight": rng.gamma(2.0, size=N),
        "cluster": np.arange(N) // 2,
    }
    given = {how: column[how]} if how in column else {}

    def found(names="ab", at=slice(None), **other):
        columns = {name: each[at] for name, each in (given | other).items()}
        models = {name: SCORES[name][at] for name in names}
        return ca.compare(models, Y[at], measures=["ece"], **columns)[0]

    one, turned, order = found(), found("ba"), rng.permutation(N)
    assert (turned.effect.low, turned.effect.high, turned.p) == (-one.effect.high, -one.effect.low, one.p)
    assert found(at=order).effect.low == pytest.approx(one.effect.low, abs=1e-9)
    assert (one.p < 0.05) == (one.effect.low > 0 or one.effect.high < 0)
    if how == "weight":
        assert found(weight=1000 * given["weight"]).effect.low == pytest.approx(one.effect.low, abs=1e-7)
    if how == "frequency":
        rows = np.repeat(np.arange(N), given["frequency"])
        repeated = ca.compare({name: SCORES[name][rows] for name in "ab"}, Y[rows], measures=["ece"])[0]
        assert repeated.effect.low == pytest.approx(one.effect.low, abs=1e-9)
