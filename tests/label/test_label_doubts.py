"""Half-widths to expect if scores are not calibrated, and after the first labels: laws, and simulated pools."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logit

import classay as ca
from classay.inference.proportions import normal_quantile
from classay.label.doubts import FirstLabels, at_prevalence, contradicted, misjudged
from classay.label.expected import tool_of
from classay.label.planning import in_digits
from classay.label.strata import shift_to

ALL = ("recall", "precision", "f1")
RNG_SEED = 3


def sigmoid(rng, n, separation, middle, slope, prevalence):
    """Scores of a slope that is too flat or too steep, and labels of a prevalence and separation of their own."""
    x = rng.normal(size=n)
    at = separation * x
    labels = rng.random(n) < expit(at + shift_to(expit(at), np.ones(n), prevalence))
    return expit(slope * (3 * x - middle)), labels


def two_normals(rng, n, separation, scale, recall, prevalence):
    """Scores so flat that they claim little where they know much."""
    labels = rng.random(n) < prevalence
    x = rng.normal(size=n) + separation * labels
    return expit(scale * (x - np.quantile(x[labels], 1 - recall))), labels


def anywhere(rng, n):
    """Scores of positives of which three in ten are anywhere."""
    scores, labels = sigmoid(rng, n, 2.0, 6.0, 1.5, 0.02)
    lost = labels & (rng.random(n) < 0.3)
    labels[lost] = False
    labels[rng.choice(n, lost.sum(), replace=False)] = True
    return scores, labels


POOLS = {
    "flat": lambda rng: sigmoid(rng, 100_000, 2.0, 3.2, 0.35, 0.02),
    "no ranking": lambda rng: sigmoid(rng, 100_000, 0.0, 3.2, 0.35, 0.02),
    "bad ranking": lambda rng: sigmoid(rng, 100_000, 0.5, 2.0, 1.0, 0.1),
    "too sure": lambda rng: sigmoid(rng, 100_000, 1.0, 4.0, 2.0, 0.05),
    "five times too high": lambda rng: sigmoid(rng, 20_000, 1.0, 4.0, 1.0, 0.02),
    "claims too little, few called": lambda rng: two_normals(rng, 300_000, 2.0, 0.35, 0.145, 0.02),
    "claims too little, many called": lambda rng: two_normals(rng, 100_000, 2.0, 0.35, 0.5, 0.02),
    "anywhere": lambda rng: anywhere(rng, 100_000),
}


def half_widths(measure, sizes, called, positives, labels):
    labels = np.broadcast_to(labels.astype(float), positives.shape)
    low, high = tool_of(measure, sizes, called, positives / labels, labels).limits(normal_quantile(0.95))
    return (high - low) / 2


def drawn_again(rng, plan, labels, draws):
    """Sizes, predictions and drawn labels of the strata of a plan, and how many of them are positive, many times."""
    sizes, drawn, calls = plan.arrays
    return sizes, calls[:, 0], drawn, rng.hypergeometric(labels, sizes - labels, drawn, (draws, sizes.size))


@pytest.mark.parametrize("pool", POOLS)
def test_the_second_half_width_covers_what_badly_scaled_pools_give(pool):
    rng = np.random.default_rng(RNG_SEED)
    scores, truth = POOLS[pool](rng)
    for prevalence, budget in product((None, float(truth.mean())), (300, 1000)):
        plan = ca.plan_labels(scores, budget=budget, prevalence=prevalence)
        positives = np.bincount(plan.places_of(scores), truth, len(plan.strata)).astype(int)
        sizes, called, labels, counts = drawn_again(rng, plan, positives, 200)
        for measure in ALL:
            halves = half_widths(measure, sizes.astype(float), called, counts, labels)
            most = plan.expected_if_not_calibrated[measure]
            assert (halves <= 1.05 * most).mean() >= 0.8, (prevalence, budget, measure, most)
            assert plan.expected[measure] <= most <= 0.5


@pytest.mark.parametrize(
    ("pool", "times"),
    [
        (
            "claims too little, few called",
            25,
        ),  # few labels vary most, and this pool alone needs their prevalence
        *((pool, 9) for pool in [*POOLS][:4]),
        *(pytest.param(pool, 25, marks=pytest.mark.slow) for pool in POOLS if "few" not in pool),
    ],
)
def test_after_labels_the_expected_half_width_is_the_one_that_comes(pool, times):
    """Without bias: the median of expected by obtained is near 1; the limits of the first labels cover 80%."""
    rng = np.random.default_rng(RNG_SEED)
    scores, truth = POOLS[pool](rng)
    ratios = {measure: [] for measure in ALL}
    for seed in range(times):
        plan = ca.plan_labels(scores, budget=300, seed=seed)
        a = ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan)
        more = a.more(scores, budget=300, seed=seed)
        b = ca.assess_labeled(truth[more.rows], rows=more.rows, plan=more)
        assert more.labels_used == 300
        assert more.sentences[1].startswith("By the 300 labels so far, ")
        for measure in ALL:
            half = (b[measure].high - b[measure].low) / 2
            ratios[measure].append(
                (more.expected[measure] / half, half <= more.expected_if_not_calibrated[measure])
            )
    for measure, pairs in ratios.items():
        ratio, is_covered = np.array(pairs).T
        assert 0.75 < np.median(ratio) < 1.35, measure
        assert is_covered.mean() >= 0.75, measure


@pytest.mark.parametrize("is_known", [True, False])
def test_ways_are_shares_of_no_greater_prevalence(is_known):
    rng = np.random.default_rng(0)
    for _ in range(50):
        sizes, shares = rng.integers(10, 10_000, 6).astype(float), rng.uniform(0, 1, 6)
        ways = misjudged(shares, sizes, np.arange(6) >= 4, is_known=is_known)
        assert (ways[0] == shares).all()
        assert ((ways >= 0) & (ways <= 1)).all()
        assert (ways @ sizes <= shares @ sizes * (1 + 1e-6) + 1e-6 * sizes.sum()).all()


def test_shares_keep_their_distances_on_the_logit_at_another_prevalence():
    shares, sizes = np.array([0.05, 0.3, 0.8]), np.array([800.0, 150, 50])
    moved = at_prevalence(shares, sizes, 0.02)
    assert moved @ sizes / sizes.sum() == pytest.approx(0.02)
    assert np.diff(logit(moved)) == pytest.approx(np.diff(logit(shares)))


def test_anchored_shares_nears_the_labels_and_are_never_none():
    sizes, shares = np.array([9000.0, 900, 100]), np.array([0.2, 0.4, 0.6])
    for times in (1, 10, 1000):
        labels, positives = np.array([50, 50, 50]) * times, np.array([0, 2, 30]) * times
        anchored = FirstLabels(labels, positives, np.zeros(3)).anchored(shares, sizes)
        assert (anchored > 0).all()
        assert np.abs(anchored - positives / labels).max() <= 1 / (labels[0] + 1)
    ways = FirstLabels(np.array([50] * 3), np.array([0, 2, 30]), np.zeros(3)).ways(
        anchored, np.arange(3) == 2
    )
    assert ways[:, 0].max() > 0.015  # an upper limit where no label was positive


@pytest.mark.parametrize("times", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_calibrated_scores_are_seldom_refuted(times):
    rng = np.random.default_rng(5)
    refuted = []
    for seed in range(times):
        scores = rng.beta(0.4, 4, 3_000)
        truth = rng.random(3_000) < scores
        plan = ca.plan_labels(scores, budget=200, threshold=0.3, seed=seed)
        a = ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan)
        refuted.append("refuted_scores" in [one.code for one in a.warnings])
    assert np.mean(refuted) <= 0.05


def test_strata_are_refuted_by_exact_limits_only():
    sizes, planned = np.array([1000.0, 1000]), np.array([0.3, 0.3])
    none = contradicted(planned, sizes, np.array([0, 5]), np.array([0, 0]), 0.95)
    many = contradicted(planned, sizes, np.array([100, 100]), np.array([30, 80]), 0.95)
    assert (none.tolist(), many.tolist()) == ([False, False], [False, True])


def test_assess_says_that_the_plan_was_missed_as_the_next_plan_does():
    scores, truth = POOLS["flat"](np.random.default_rng(RNG_SEED))
    plan = ca.plan_labels(scores, budget=300)
    a = ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan)
    assert [one.code for one in a.warnings] == ["refuted_prevalence", "refuted_scores"]
    assert a.more(scores, budget=50).warnings[:2] == a.warnings
    text = a.to_markdown()
    assert "is outside the CI of the estimate, " in text
    assert "a.more(scores, budget=N)" in text
    fine = ca.plan_labels(scores, budget=300, prevalence=float(truth.mean()))
    b = ca.assess_labeled(truth[fine.rows], rows=fine.rows, plan=fine)
    assert "refuted_prevalence" not in [one.code for one in b.warnings]


@pytest.mark.parametrize("half", [0.5, 0.1449, 0.0996, 0.004, 1.2e-6])
def test_a_half_width_has_two_significant_digits(half):
    text = in_digits(half)
    assert "e" not in text
    assert len(text.replace(".", "").lstrip("0")) in (2, 3)
    assert float(text) == pytest.approx(half, rel=0.05)


def test_a_sample_size_for_labels_has_both_numbers():
    scores, _ = POOLS["flat"](np.random.default_rng(RNG_SEED))
    for design in ("stratified", "random"):
        size = ca.sample_size.for_labels(scores, 0.1, design=design)
        other = size.cases_if_not_calibrated
        assert size.cases <= other
        assert size.reached_if_not_calibrated <= 0.1
        fewer = ca.sample_size.for_labels(scores, cases=other - 1, design=design)
        assert fewer.reached_if_not_calibrated > 0.1
        assert f"up to about {other:,} cases" in str(size)
    named = ca.sample_size.for_labels(scores, cases=300, prevalence=0.02)
    assert named.reached_if_not_calibrated >= named.reached
    assert named.cases_if_not_calibrated == 300
    assert ca.sample_size.for_auc(0.8, 0.05, 0.1).cases_if_not_calibrated is None
