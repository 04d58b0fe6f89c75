"""Guarantees: levels and limits against reference values, what is promised, and what is refused.

Reference values were computed by other code (numpy, scipy) than classay's.
"""

import math
import re

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.assessment.required import outcomes_of
from classay.errors import InputError
from classay.inference.requirements import Verdict, parse
from classay.selective.levels import chance_of_any, common_level, fewest, geometric, p_of_errors
from classay.selective.ranked import RankedCases
from classay.selective.rules import SEQUENCE, limit_of_clusters, p_of_hoeffding_bentkus, promised
from classay.testing import assert_requirements
from command import refusal

RANKS_OF_100 = [29, 30, 33, 35, 37, 40, 42, 45, 48, 52, 55, 59, 63, 67, 72, 77, 82, 87, 93, 100]


@pytest.mark.parametrize(
    ("cases", "level"),
    [(100, 0.021640908246545475), (300, 0.013689573946299723), (1000, 0.01026256537801344)],
)
def test_common_level(cases, level):
    ranks = tuple(geometric(29, cases).tolist())
    found = common_level(ranks, 0.1, 0.05)
    assert found == pytest.approx(level, abs=1e-12)
    assert chance_of_any(ranks, 0.1, found) <= 0.05


def test_ranks_and_p():
    assert fewest(0.1, 0.05) == 29
    assert geometric(29, 100).tolist() == RANKS_OF_100
    p = p_of_errors([0, 1, 2, 20], [29, 46, 61, 300], 0.1)
    expected = [0.04710128697246242, 0.04800379962448248, 0.04911828153099453, 0.028678962932749963]
    assert p == pytest.approx(expected, abs=1e-12)


def test_the_common_level_holds_for_walks():
    ranks, rng = tuple(geometric(29, 300).tolist()), np.random.default_rng(0)
    errors = np.cumsum(rng.random((20_000, 300)) < 0.1, axis=1)[:, np.array(ranks) - 1]
    passed = (p_of_errors(errors, np.array(ranks), 0.1) <= common_level(ranks, 0.1, 0.05)).any(1).mean()
    exact = chance_of_any(ranks, 0.1, common_level(ranks, 0.1, 0.05))
    assert passed == pytest.approx(exact, abs=4 * math.sqrt(0.05 * 0.95 / 20_000))


def test_long_walks_by_fourier_transforms():
    ranks = tuple(geometric(59, 200_000).tolist())
    level = common_level(ranks, 0.05, 0.05)
    assert 0.05 / 20 < level < 0.05
    assert chance_of_any(ranks, 0.05, level) == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize(
    ("loss", "cases", "p"), [(2.5, 100, 0.0130570364967968), (8.25, 200, 0.00806765916337936)]
)
def test_hoeffding_bentkus(loss, cases, p):
    assert p_of_hoeffding_bentkus(loss, cases, 0.1) == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize(
    ("loss", "cases", "risk"), [(0, 20, 0.1), (0.5, 20, 0.1), (4, 10, 0.9), (14.5, 20, 0.9)]
)
def test_the_less_of_the_p_of_hoeffding_and_of_bentkus_counts(loss, cases, risk):
    """Bentkus's is e times the chance of at most so many errors, which is less where losses are few."""
    mean, errors = loss / cases, math.ceil(loss)
    bentkus = math.e * stats.binom.cdf(errors, cases, risk)
    distance = (1 - mean) * math.log((1 - mean) / (1 - risk)) + (mean * math.log(mean / risk) if mean else 0)
    wanted = min(1, bentkus, math.exp(-cases * distance))
    assert p_of_hoeffding_bentkus(loss, cases, risk) == pytest.approx(wanted, rel=1e-9)


def test_limit_of_clusters():
    cases = [1, 2, 2, 3, 5, 8, 20, 1, 4, 14]
    right = [1, 2, 1, 3, 4, 8, 15, 0, 4, 13]
    wrong = np.concatenate([np.r_[np.ones(x), np.zeros(m - x)] for x, m in zip(right, cases, strict=True)])
    ranked = RankedCases.of_rows(np.ones(60), wrong, np.repeat(np.arange(10), cases))
    assert limit_of_clusters(ranked, 0, 0.025) == pytest.approx(0.9520266936430681, abs=1e-9)


def three_classes(cases=900, seed=1):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, cases)
    z = rng.normal(size=(cases, 3))
    z[np.arange(cases), true] += 2.2
    p = np.exp(2 * z)
    return true, p / p.sum(1, keepdims=True)


def test_rows_and_assessments_agree_on_several_classes():
    y, p = three_classes()
    one, a = ca.guarantee(y, p, "error_rate <= 0.05"), ca.assess(y, p)
    for other in (a.threshold(guarantee="error_rate <= 0.05"), a.risk_coverage.coverage_at(risk=0.05)):
        assert (other.coverage, other.threshold) == (one.coverage, one.threshold)
        assert other.risk == one.risk
    decided = p.max(1) >= one.threshold
    assert one.decided == decided.sum() > 300
    assert one.risk.value == pytest.approx((p.argmax(1) != y)[decided].mean())
    assert one.risk.high <= 0.05
    assert one.coverage < one.coverage_at_value


@pytest.mark.parametrize("task", [None, "classes"])
def test_one_hot_labels_are_of_classes_where_the_task_says_so(task):
    y, p = three_classes(200)
    found = ca.guarantee(np.eye(3, dtype=int)[y], p, "error_rate <= 0.1", task="classes")
    other = ca.guarantee(y, p, "error_rate <= 0.1", task=task)
    assert found.threshold == other.threshold
    assert found.risk == other.risk
    with pytest.raises(InputError, match="Did you mean 'classes'"):
        ca.guarantee(y, p, task="clases")


def test_precision_of_two_classes():
    y, p = three_classes()
    a = ca.assess(y == 1, p[:, 1])
    g = a.threshold(maximize="recall", guarantee="precision >= 0.9")
    called = p[:, 1] >= g.threshold
    assert g.risk.value == pytest.approx(1 - (y == 1)[called].mean())
    assert g.recall == pytest.approx(called[y == 1].mean())
    assert ca.guarantee(y == 1, p[:, 1], "precision >= 0.9").threshold == g.threshold


def test_risk_at_a_coverage():
    y, p = three_classes()
    risk = ca.assess(y, p).risk_coverage.risk_at(coverage=0.4)
    first = np.argsort(-p.max(1))[:360]
    assert risk.value == pytest.approx((p.argmax(1) != y)[first].mean())
    errors = (p.argmax(1) != y)[first].sum()
    assert p_of_errors(errors, 360, risk.high) == pytest.approx(0.05)


def test_groups_and_classes_share_the_level():
    y, p = three_classes()
    site = np.where(np.arange(900) < 20, "tiny", np.where(np.arange(900) % 2, "north", "south"))
    g = ca.guarantee(y, p, "error_rate <= 0.1", by=site)
    assert g.names == ("north", "south", "tiny")
    assert g.unpromised == ("tiny",)
    assert "tiny" in g.warnings[0].text
    assert g.promises[0].fewest == fewest(0.1, 0.05 / 3)
    each = ca.guarantee(y, p, "error_rate <= 0.1", each_class=True)
    assert each.of == "class"
    assert each.coverage < ca.guarantee(y, p, "error_rate <= 0.1").coverage


@pytest.mark.parametrize("of", ["class", "group"])
def test_the_risk_of_several_thresholds_is_that_of_all_decided_cases(of):
    y, p = three_classes()
    part = p.argmax(1) if of == "class" else np.arange(900) % 2
    how = {"each_class": True} if of == "class" else {"by": part}
    g = ca.guarantee(y, p, "error_rate <= 0.1", **how)
    threshold = np.array([promise.threshold for promise in g.promises])
    decided = p.max(1) >= threshold[part]
    assert np.unique(threshold).size == len(threshold)
    assert g.decided == decided.sum() > 0
    assert g.risk.value == pytest.approx((p.argmax(1) != y)[decided].mean(), rel=1e-12)


def test_few_values_are_a_sequence():
    score = np.repeat([0.95, 0.85, 0.75, 0.65], 100)
    y = np.ones(400, int)
    y[200:300:6] = 0
    g = ca.guarantee(y, score, "error_rate <= 0.1")
    assert (g.threshold, g.promises[0].rule) == (0.65, SEQUENCE)
    y[200:300:4] = 0
    assert ca.guarantee(y, score, "error_rate <= 0.06").threshold == 0.85


def test_clusters_decide_less():
    y, p = three_classes()
    cluster = np.arange(900) // 5
    rows = ca.guarantee(y, p, "error_rate <= 0.1", cluster=cluster)
    a = ca.assess(y, p, cluster=cluster).threshold(guarantee="error_rate <= 0.1")
    assert rows.coverage == a.coverage > 0.5
    assert rows.risk.high <= 0.1


def test_frequencies_are_rows():
    y, p = three_classes(300)
    twice = ca.guarantee(np.repeat(y, 2), np.repeat(p, 2, axis=0), "error_rate <= 0.1")
    assert ca.guarantee(y, p, "error_rate <= 0.1", frequency=np.full(300, 2)).threshold == twice.threshold


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("decimals", [1, 2, 12])
def test_decimal_ties_are_one_confidence_at_every_door(seed, decimals):
    rng = np.random.default_rng(seed)
    p = np.round(np.clip(rng.beta(0.6, 0.6, 600), 0.01, 0.99), decimals)
    p[p == 0.5] = 0.6  # called positive from both sides
    y, site = rng.random(600) < p, np.arange(600) // 3
    for columns in ({}, {"cluster": site}):
        g = ca.guarantee(y, p, "error_rate <= 0.2", **columns)
        k = ca.assess(y, p, **columns).risk_coverage.coverage_at(risk=0.2)
        assert (g.decided, g.threshold, g.risk) == (k.decided, k.threshold, k.risk)
        turned = ca.guarantee(~y, np.round(1 - p, decimals), "error_rate <= 0.2", **columns)
        assert (g.decided, g.threshold) == (turned.decided, pytest.approx(turned.threshold, abs=1e-15))
        printed = float(re.search(r"The threshold is ([\d.]+)\. ", " ".join(g.sentences))[1])
        assert (np.round(np.maximum(p, 1 - p), decimals) >= printed).sum() == g.decided


def test_graded_losses():
    rng = np.random.default_rng(0)
    losses = rng.choice([0, 0.25, 1], 600, p=[0.9, 0.08, 0.02])
    g = ca.guarantee_losses(losses, np.arange(600), 0.1)
    assert g.coverage == 1
    assert g.risk.value == pytest.approx(losses.mean())
    assert losses.mean() < g.risk.high <= 0.1
    few = ca.guarantee_losses(losses, np.arange(600), 0.01)
    assert few.decided == 0
    assert f"The nearest limit that passes is mean loss <= {few.nearest:g}." in few.sentences
    assert "so it is not guaranteed" in " ".join(few.sentences)


def test_graded_losses_in_clusters():
    """Clusters of one case are cases; a copied case tells no more than once."""
    rng = np.random.default_rng(0)
    losses, sure = rng.choice([0, 0.25, 1], 600, p=[0.9, 0.08, 0.02]), rng.random(600)
    alone, one_each = (
        ca.guarantee_losses(losses, sure, 0.1, **c) for c in ({}, {"cluster": np.arange(600), "largest": 1})
    )
    assert (alone.decided, alone.threshold) == (one_each.decided, one_each.threshold)
    assert one_each.risk.high == pytest.approx(alone.risk.high, abs=1e-7)
    names = np.repeat([f"doc {k}" for k in range(600)], 3)
    copied = ca.guarantee_losses(np.repeat(losses, 3), np.repeat(sure, 3), 0.1, cluster=names, largest=3)
    assert (copied.coverage, copied.risk.high) == pytest.approx((alone.coverage, alone.risk.high), abs=1e-7)
    assert ("clusters", "600") in copied.facts
    few = ca.guarantee_losses(losses, sure, 0.1, cluster=np.arange(600) // 30, largest=30)
    assert "At least 59 clusters without an error are needed, but there are 20." in few.sentences
    for cluster, said in ((names[:10], "one length"), ([None] * 600, "missing values in 600 rows")):
        with pytest.raises(InputError, match=said):
            ca.guarantee_losses(losses, sure, 0.1, cluster=cluster, largest=3)


def test_the_greatest_size_of_a_cluster_must_be_known():
    rng = np.random.default_rng(0)
    losses, sure, site = rng.choice([0, 0.5], 400, p=[0.97, 0.03]), rng.random(400), np.arange(400) // 2
    for columns, said in (
        ({"cluster": site}, "needs largest=, the greatest number of cases"),
        ({"cluster": site, "largest": 1}, "A cluster has 2 cases, but largest is 1"),
        ({"largest": 2}, "there are none. Pass cluster="),
        ({"cluster": site, "largest": 1.5}, "largest must be a whole number"),
    ):
        with pytest.raises(InputError, match=said):
            ca.guarantee_losses(losses, sure, 0.1, **columns)
    limits = [ca.guarantee_losses(losses, sure, 0.3, cluster=site, largest=k).risk.high for k in (2, 3, 5)]
    assert limits == sorted(limits)
    assert limits[0] < limits[2]
    g = ca.guarantee_losses(losses, sure, 0.1, cluster=site, largest=2)
    assert ("largest possible cluster", "2 cases") in g.facts
    assert "divided by the greatest size that a cluster can have" in g.to_markdown()


@pytest.mark.parametrize("risk", [0.05, 0.1, 0.3])
def test_the_fewest_losses_are_those_that_pass(risk):
    n = ca.guarantee_losses([0.0] * 5, np.arange(5), risk).promises[0].fewest
    assert not ca.guarantee_losses(np.zeros(n - 1), np.arange(n - 1), risk).decided
    assert ca.guarantee_losses(np.zeros(n), np.arange(n), risk).decided
    said = ca.guarantee_losses(np.zeros(n - 1), np.arange(n - 1), risk).sentences
    assert f"At least {n} cases without an error are needed, but there are {n - 1}." in said


def test_what_the_guarantee_assumes():
    p = np.random.default_rng(0).random(300)
    many, few = (ca.guarantee(p > 0.4, score, "error_rate <= 0.2") for score in (p, np.round(p, 1)))
    assumed = "assumes that the risk does not fall with falling confidence"
    assert (assumed in many.to_markdown(), assumed in few.to_markdown()) == (True, False)


@pytest.mark.parametrize("seed", range(20))
def test_limits_of_graded_losses_keep_the_promise(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 400))
    rank = np.arange(n) / n
    losses = (rng.random(n) < 0.03 + 0.25 * rank) * rng.choice([0.5, 1], n)
    for risk in (0.1, 0.15, 0.2):
        g = ca.guarantee_losses(losses, 1 - rank, risk)
        assert not g.decided or g.risk.value < g.risk.high <= risk + 1e-8


def test_what_no_threshold_meets():
    y = np.arange(40) % 4 == 3
    g = ca.guarantee(~y, np.linspace(0.51, 0.99, 40), "error_rate <= 0.05")
    assert (g.decided, math.isnan(g.threshold)) == (0, True)
    said = " ".join(g.sentences)
    assert "At least 59 cases without an error are needed, but there are 40." in said
    assert promised(g.ranked[0], g.nearest, 0.05).place is not None
    assert f"test `guarantee='error_rate <= {g.nearest:g}'` on new cases" in str(g)
    assert "no number of cases suffices" in said
    better = ca.guarantee(np.arange(60) != 59, np.linspace(0.51, 0.99, 60), "error_rate <= 0.05")
    assert better.needed > 60
    assert ca.guarantee([1, 0], [0.9, 0.1], "error_rate <= 0.05").nearest > 0.5


@pytest.mark.parametrize(
    ("promise", "match"),
    [
        ("recall >= 0.9", "cannot be guaranteed"),
        ("error_rate >= 0.1", "from one side"),
        ("error_rate <= 0", "between 0 and 1"),
        ("error_rate <= 5", "Write 0.05"),
        ("precision.low >= 0.9", "has its own limits"),
        ("error_rate <= 0.1 and precision >= 0.9", "one condition"),
    ],
)
def test_refused_promises(promise, match):
    with pytest.raises(InputError, match=match):
        ca.guarantee([1, 0, 1], [0.9, 0.1, 0.8], promise)


def test_refused_cases():
    y, p = three_classes(60)
    with pytest.raises(InputError, match="one positive class"):
        ca.guarantee(y, p, "precision >= 0.9")
    with pytest.raises(InputError, match="sampling weights"):
        ca.guarantee(y, p, weight=np.linspace(1, 2, 60))
    with pytest.raises(InputError, match="sampling weights"):
        ca.assess(y, p, weight=np.linspace(1, 2, 60)).threshold(guarantee="error_rate <= 0.1")
    with pytest.raises(InputError, match="probabilities"):
        ca.guarantee(y == 1, 9 * p[:, 1] - 4)
    with pytest.raises(InputError, match="cannot be combined"):
        ca.guarantee(y, p, by=y, each_class=True)
    with pytest.raises(InputError, match="maximize= only"):
        ca.assess(y == 1, p[:, 1]).threshold(guarantee="precision >= 0.9", cost={"fp": 1, "fn": 1})
    with pytest.raises(InputError, match="maximizes recall"):
        ca.assess(y == 1, p[:, 1]).threshold(guarantee="precision >= 0.9", maximize="f1")
    with pytest.raises(InputError, match="share of the cases"):
        ca.assess(y, p).risk_coverage.risk_at(coverage=40)
    with pytest.raises(InputError, match="between 0 and 1 in 1 row"):
        ca.guarantee_losses([0.1, 2.0], [0.1, 0.2], 0.1)
    with pytest.raises(InputError, match="there are none"):
        ca.guarantee_losses([], [], 0.1)
    with pytest.raises(InputError, match=r"risk must be a number, but is '\.1'"):
        ca.guarantee_losses([0.1, 0.2], [0.1, 0.2], ".1")
    with pytest.raises(InputError, match=r"guarantee must be a text, but is 0\.05"):
        ca.guarantee(y, p, 0.05)
    with pytest.raises(InputError, match="to one predicted class"):
        ca.guarantee(y == 1, p[:, 1], "precision >= 0.9", each_class=True)
    with pytest.raises(InputError, match="one length"):
        ca.guarantee_losses([0.1, 0.2], [0.1], 0.1)
    for inert in ({"y_pred": y}, {"prediction": "y"}, {"amounts": {"euro": p[:, 0]}}):
        with pytest.raises(InputError, match=f"so {next(iter(inert))}= has no effect"):
            ca.guarantee(y, p, **inert)


def two_classes(scores=None, **columns):
    y, p = three_classes(60)
    return (y == 1) * 1, p[:, 1] if scores is None else scores(p[:, 1]), columns


FREQUENT = {"cluster": np.arange(60) // 2, "frequency": np.full(60, 2)}
UNUSABLE = {
    "one row for each case": (*two_classes(**FREQUENT), "frequency="),
    "a case without a score": (
        *two_classes(lambda p: np.where(np.arange(60) == 3, np.nan, p), unanswered="wrong"),
        "1 row has no score. A guarantee needs a score for every case. Use unanswered='drop' to exclude it.",
    ),
    "cases without a score": (
        *two_classes(lambda p: np.where(np.arange(60) < 3, np.nan, p), unanswered="wrong"),
        "3 rows have no score",
    ),
    "no probabilities": (*two_classes(lambda p: 9 * p - 4), "needs probabilities, but these scores are none"),
    "no probabilities of classes": (
        *(part if k == 0 else 9 * part - 3 for k, part in enumerate(three_classes(60))),
        {},
        "needs probabilities",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_rows_and_assessments_refuse_the_same_cases(name):
    y, p, columns, said = UNUSABLE[name]
    ways = [lambda: ca.guarantee(y, p, "error_rate <= 0.1", **columns)]
    if p.ndim == 1:  # an assessment has no probabilities of classes from other scores
        ways.append(lambda: ca.assess(y, p, **columns).threshold(guarantee="error_rate <= 0.1"))
    messages = set()
    for way in ways:
        with pytest.raises(InputError, match=said) as caught:
            way()
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_confidence_is_finite():
    with pytest.raises(InputError, match="confidence has missing or infinite values"):
        ca.guarantee_losses([0.1, 0.2], [0.1, np.nan], 0.1)
    y, p = three_classes(60)
    with pytest.raises(InputError, match="one positive class, but there are 3 classes"):
        ca.assess(y, p).threshold(guarantee="precision >= 0.9")


def test_frames_and_ids():
    """The columns of a frame are those of arrays; ids that repeat are warned of at each door."""
    y, p = three_classes(60)
    y, p, who = y == 1, p[:, 1], np.arange(60) // 2
    g = ca.guarantee(
        {"y": y, "p": p, "patient": who}, guarantee="error_rate <= 0.3", truth="y", score="p", id="patient"
    )
    rows = ca.guarantee(y, p, "error_rate <= 0.3")
    assert (g.decided, g.threshold, g.risk) == (rows.decided, rows.threshold, rows.risk)
    by_assessment = ca.assess(y, p, id=who).threshold(guarantee="error_rate <= 0.3")
    assert [[w.code for w in one.warnings] for one in (g, by_assessment)] == [["repeated_ids"]] * 2
    assert not ca.guarantee(y, p, "error_rate <= 0.3", id=who, cluster=who).warnings


def test_few_clusters_are_said():
    y, p = three_classes(60)
    g = ca.guarantee(y == 1, p[:, 1], "error_rate <= 0.05", cluster=np.arange(60) // 20)
    assert "At least 54 clusters without an error are needed, but there are 3." in g.sentences
    one = RankedCases.of_rows(np.ones(54), np.zeros(54), np.arange(54))
    assert promised(one, 0.05, 0.05).place == 0
    assert promised(RankedCases.of_rows(np.ones(53), np.zeros(53), np.arange(53)), 0.05, 0.05).place is None


def test_picture_and_json():
    y, p = three_classes()
    g = ca.guarantee(y, p, "error_rate <= 0.1")
    curve, allowed, mark = g.curves
    assert (allowed.y == 0.1).all()
    assert (mark.x[0], mark.y[0]) == (g.coverage, g.risk.value)
    assert ((curve.low <= curve.y) & (curve.y <= curve.high)).all()
    assert g.to_dict()["coverage"] == g.coverage


def test_guaranteed_coverage_is_required():
    y, p = three_classes()
    a = ca.assess(y, p)
    guaranteed = ca.guarantee(y, p, "error_rate <= 0.05").coverage
    for name in ("coverage(error_rate<=0.05)", "coverage(error_rate <= 0.05)", "coverage(accuracy >= 0.95)"):
        (held,) = outcomes_of(parse(f"{name} >= {guaranteed - 1e-9:.12f}"), a, None)
        assert (held.verdict, held.value) == (Verdict.PASS, guaranteed)
        (missed,) = outcomes_of(parse(f"{name} > {guaranteed + 1e-6:.12f}"), a, None)
        assert missed.verdict is Verdict.FAIL
    assert_requirements(a, "coverage(error_rate <= 0.05) >= 0.1 and accuracy > 0.5")
    with pytest.raises(AssertionError, match="guaranteed at a confidence level of 95%"):
        assert_requirements(a, "coverage(error_rate <= 0.05) >= 0.99")
    site = np.where(np.arange(900) % 2, "north", "south")
    groups = ca.assess_by(y, p, by=site)
    (north,) = outcomes_of(parse("coverage(error_rate <= 0.1)[group=north] >= 0"), groups, None)
    assert north.value == ca.guarantee(y[1::2], p[1::2], "error_rate <= 0.1").coverage


@pytest.mark.parametrize(
    ("requirement", "match"),
    [
        ("coverage(recall >= 0.9) >= 0.4", "recall cannot be guaranteed"),
        ("coverage() >= 0.4", "needs one guarantee"),
        ("coverage(error_rate <= 0.05).low >= 0.4", "has no interval"),
        ("coverage(error_rate <= 0.05) >= 40", "Write 0.4"),
    ],
)
def test_refused_requirements(requirement, match):
    y, p = three_classes(60)
    with pytest.raises(InputError, match=match):
        assert_requirements(ca.assess(y, p), requirement)


def test_a_limit_in_a_condition_is_a_filter_and_says_so():
    y, p = three_classes()
    a = ca.assess(y == 1, p[:, 1])
    with_limit = a.threshold(where="precision.low >= 0.8", maximize="recall")
    assert "6 to 16 of 100 samples" in " ".join(with_limit.notes)
    assert "guarantee='precision >= 0.8'" in " ".join(with_limit.notes)
    assert a.threshold(where="precision >= 0.8", maximize="recall").notes == ()
    other = a.threshold(where="recall.low >= 0.8", maximize="precision")
    assert "filter, not a guarantee" in " ".join(other.notes)


RISK = "error_rate <= 0.1"
HALF, UNIT, THIRD = np.arange(60) % 2, np.linspace(0.01, 0.99, 60), np.arange(60) % 3
OF_THREE = np.full((60, 3), 0.2) + 0.4 * np.eye(3)[THIRD]
DOORS = (
    ca.guarantee,
    lambda *rows, guarantee, **how: ca.assess(*rows, **how).threshold(guarantee=guarantee),
)


@pytest.mark.parametrize("door", DOORS, ids=["rows", "assessment"])
@pytest.mark.parametrize(
    ("words", "rows", "how"),
    [
        ("one row for each case", (HALF, UNIT), {"cluster": THIRD, "frequency": HALF + 1}),
        ("equally weighted cases", (HALF, UNIT), {"weight": UNIT}),
        ("needs probabilities, but", (HALF, 9 * UNIT), {}),
        ("probabilities", (THIRD, 9 * OF_THREE), {}),
        ("1 row has no score", (HALF, np.where(UNIT < 0.02, np.nan, UNIT)), {"unanswered": "wrong"}),
        ("2 rows have no score", (HALF, np.where(UNIT < 0.03, np.nan, UNIT)), {"unanswered": "wrong"}),
        ("one positive class, but there are 3", (THIRD, OF_THREE), {"guarantee": "precision >= 0.8"}),
    ],
)
def test_what_promises_nothing_is_refused_of_rows_and_of_their_assessment(door, words, rows, how):
    with pytest.raises(InputError, match=words):
        door(*rows, **{"guarantee": RISK} | how)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--class-scores", "p,q"), "--class-scores of decide needs --guarantee"),
        (("--truth", "y", "--score", "p", "--each-class"), "--each-class of decide needs --guarantee"),
        (("--guarantee", RISK, "--score", "p"), "--guarantee needs --truth, and --score or --class-scores"),
        (("--guarantee", RISK, "--truth", "y"), "--guarantee needs --truth, and --score or --class-scores"),
        (("--guarantee", RISK, "--truth", "y", "--score", "p", "--by", "*"), "needs named groups"),
    ],
)
def test_what_the_command_lacks_is_named(words, message, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,p,q\n" + "".join(f"{k % 2},0.{k + 10},0.{90 - k}\n" for k in range(40)))
    assert message in refusal("decide", str(path), *words)


@pytest.mark.parametrize("how", [{"by": THIRD}, {"each_class": True}])
def test_the_risk_of_parts_is_the_share_of_errors_among_all_that_they_decide(how):
    score = np.where(np.arange(60) % 7 == 0, 1 - HALF, HALF) * 0.9 + UNIT / 20
    y, p = np.tile(HALF, 20), np.tile(score, 20)
    each = {"by": np.tile(THIRD, 20)} if "by" in how else how
    g = ca.guarantee(y, p, "error_rate <= 0.25", **each)
    codes = np.tile(THIRD, 20) if "by" in how else (p >= 0.5).astype(int)
    least = dict(zip(g.names, (one.threshold for one in g.promises), strict=True))
    decided = np.maximum(p, 1 - p) >= np.array([least[code] for code in codes]) - 1e-12
    assert g.decided == decided.sum() > 0
    assert g.risk.value == pytest.approx(((p >= 0.5) != y)[decided].mean())
