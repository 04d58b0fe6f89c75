"""Guarantees by their definitions: all numbers, facts and sentences, recomputed case by case from the rows."""

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats
from scipy.special import bdtr

import classay as ca
from classay.curves.curve import as_given
from classay.inference.draws import stream
from classay.inference.phrasing import percent
from classay.selective.ranked import RankedCases
from classay.selective.results import METHODS, SOURCES
from classay.selective.rules import promised
from classay.texts import quote, some

LEVEL = 0.95


def fewest_cases(risk, delta):
    """The least number of cases without an error whose exact p is at most delta."""
    return next(m for m in range(1, 10**5) if m * math.log1p(-risk) <= math.log(delta) + 1e-12)


def steps(first, last, number):
    """Ranks in geometric steps from the first to the last."""
    ranks = {math.floor(first * (last / first) ** (k / (number - 1)) + 1e-9) for k in range(number - 1)}
    return sorted({*ranks, last})


def level_of_ranks(ranks, risk, delta):
    """The greatest p of any rank such that errors of this risk pass at no rank with probability 1 - delta."""

    def chance(level):
        alive, passed, before = np.ones(1), 0.0, 0
        for m in ranks:
            alive = np.convolve(alive, stats.binom.pmf(np.arange(m - before + 1), m - before, risk))
            is_met = bdtr(np.arange(m + 1.0), m, risk) <= level
            passed, before = passed + alive[is_met].sum(), m
            alive[is_met] = 0
        return passed

    p = np.unique(np.concatenate([bdtr(np.arange(m + 1.0), m, risk) for m in ranks]))
    p = p[(p >= delta / len(ranks)) & (p <= delta)]
    low, high = -1, p.size  # p[low] is allowed, p[high] is not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if chance(p[middle]) <= delta else (low, middle)
    return p[low] if low >= 0 else delta / len(ranks)


class Definition:
    """What a guarantee promises of some cases, each with its confidence, its error or loss, and its cluster."""

    def __init__(self, sure, wrong, risk, delta, cluster=None, largest=None, is_graded=False, of=None):
        order = np.argsort(-sure, kind="stable")
        self.sure, self.errors = sure[order], wrong[order].astype(float)
        self.risk, self.delta, self.graded, self.largest = risk, delta, is_graded, largest
        self.cluster = None if cluster is None else cluster[order]
        self.ends = np.flatnonzero(np.append(self.sure[:-1] != self.sure[1:], True)) + 1  # ties end together
        self.n = self.sure.size
        shares = [m / self.n for m in self.ends if self.errors[:m].sum() <= risk * m]
        self.coverage_at_value = max(shares, default=0.0)
        self.decided, self.level = self.chosen()
        self.threshold = self.sure[self.decided - 1] if self.decided else math.nan
        self.value = self.errors[: self.decided].mean() if self.decided else math.nan
        self.high = self.limit() if self.decided else math.nan

    def end_of(self, rank):
        return int(self.ends[self.ends >= min(rank, self.n)][0])

    def chosen(self):
        """The number of cases decided, and the level of its limit."""
        if self.graded:
            return self.by_bets()
        if self.cluster is not None:
            return self.of_clusters()
        first, errors = fewest_cases(self.risk, self.delta), np.cumsum(self.errors)
        if self.ends.size <= 10:
            self.rule, best = "fixed sequence over confidences, exact", 0
            for m in self.ends:
                if m >= first:
                    if stats.binom.cdf(errors[m - 1], m, self.risk) > self.delta:
                        break
                    best = int(m)
            return best, self.delta
        self.rule = "one common level, exact"
        if self.n < first:
            return 0, self.delta
        ranks = sorted({self.end_of(rank) for rank in steps(first, self.n, 20)})
        level = level_of_ranks(ranks, self.risk, self.delta)
        return max((m for m in ranks if bdtr(errors[m - 1], m, self.risk) <= level), default=0), level

    def of_clusters(self):
        self.rule, best = "fixed sequence over clusters, jackknife limit", 0
        number = len({*self.cluster.tolist()})
        for rank in steps(max(1, number // 2), number, 8):
            m = self.end_of(math.ceil(self.n * rank / number))
            if self.limit_of_clusters(m) > self.risk:
                break
            best = m
        return best, self.delta

    def limit_of_clusters(self, decided):
        """Wilson's limit with as many cases as the jackknife over clusters allows, and a quantile of Student's t."""
        names = np.unique(self.cluster[:decided])
        of = [self.errors[:decided][self.cluster[:decided] == name] for name in names]
        n, sizes = len(of), np.array([len(errors) for errors in of])
        if n < 2:
            return 1.0
        p = np.concatenate(of).mean()
        left_out = [np.concatenate([*of[:k], *of[k + 1 :]]).mean() for k in range(n)]
        variance = (n - 1) / n * sum((q - p) ** 2 for q in left_out)
        squares = np.array([(errors.sum() - p * len(errors)) ** 2 for errors in of])
        uneven = (squares**2).sum() - squares.sum() ** 2 / n
        moments = min(n, 2 * squares.sum() ** 2 / uneven if uneven > 0 else n) - 1
        alike = min(n, max(2.0, sizes.sum() ** 2 / (sizes**2).sum())) - 1
        t = stats.t.ppf(1 - self.delta, max(1.0, min(moments, alike)))
        m = p * (1 - p) / variance if variance > 1e-30 else n
        return (p + t * t / (2 * m) + t * math.sqrt(p * (1 - p) / m + t * t / (4 * m * m))) / (1 + t * t / m)

    def by_bets(self):
        self.rule = "betting, level passed on"
        units = self.n if self.cluster is None else len({*self.cluster.tolist()})
        first = fewest_cases(self.risk, self.delta)
        if units < first:
            return 0, self.delta
        ranks = sorted({self.end_of(math.ceil(rank * self.n / units)) for rank in steps(first, units, 12)})
        share = self.delta / len(ranks)
        best, used, budget = 0, share, 0.0
        for m in ranks:
            budget += share
            if self.p_of_bets(m, self.risk) <= budget:
                best, used = m, budget
            else:
                budget = 0.0
        return best, used

    def losses(self, decided, risk):
        """Losses of cases, or of each cluster the risk plus its losses above the risk by its greatest size."""
        if self.cluster is None:
            return self.errors[:decided]
        above = {}
        for name, loss in zip(self.cluster[:decided].tolist(), self.errors[:decided], strict=True):
            above[name] = above.get(name, 0.0) + loss - risk
        return np.array([risk + each / self.largest for each in above.values()])

    def p_of_bets(self, decided, risk):
        """One over the greatest wealth of a gambler who bets on less than the risk, case by case."""
        losses = self.losses(decided, risk)
        wealth, most, total, spread = 1.0, 1.0, 0.5, 0.25
        for k, loss in enumerate(losses[stream(0, "bets on losses").permutation(losses.size)], 1):
            advised = math.sqrt(2 * math.log(1 / self.delta) / (losses.size * spread / k))
            wealth *= 1 - min(0.9 / (1 - risk), advised) * (loss - risk)
            most, total = max(most, wealth), total + loss
            spread += (loss - total / (k + 1)) ** 2
        return min(1.0, 1 / most)

    def limit(self):
        """The upper limit of the risk of what is decided."""
        if self.graded:
            low, high = self.value, 1.0
            while high - low > 1e-6:
                middle = (low + high) / 2
                low, high = (
                    (low, middle) if self.p_of_bets(self.decided, middle) <= self.level else (middle, high)
                )
            return high
        if self.cluster is not None:
            return self.limit_of_clusters(self.decided)
        errors = self.errors[: self.decided].sum()
        return (
            stats.beta.ppf(1 - self.level, errors + 1, self.decided - errors)
            if errors < self.decided
            else 1.0
        )


def two(n, seed, decimals=2, slope=1.2):
    """Probabilities of two classes, and labels that are right more often the surer they are."""
    rng = np.random.default_rng(seed)
    p = np.round(np.clip(rng.beta(0.5, 0.5, n), 0.004, 0.996), decimals)
    p[p == 0.5] = 0.51
    is_right = rng.random(n) < np.clip(0.5 + slope * abs(p - 0.5), 0, 0.995)
    return ((p > 0.5) == is_right).astype(int), p


def several(n, seed):
    """Probabilities of three classes and labels."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 3))
    y = rng.integers(0, 3, n)
    z[np.arange(n), y] += 2.5
    p = np.exp(1.5 * z) / np.exp(1.5 * z).sum(1, keepdims=True)
    return y, np.round(p, 3) / np.round(p, 3).sum(1, keepdims=True)


RISKS = {
    "error_rate <= 0.1": 0.1,
    "accuracy >= 0.75": 0.25,
    "error_rate <= 0.02": 0.02,
    "error_rate <= 0.3": 0.3,
}
PRECISE = {"precision >= 0.8": 0.2, "fdr <= 0.3": 0.3, "ppv >= 0.9": 0.1}


def rows_of(kind, n, seed):
    """Arguments of a guarantee, and by name the confidences, errors and clusters that are its cases."""
    rng = np.random.default_rng(seed + 1000)
    y, p = several(n, seed) if kind in ("several", "each class") else two(n, seed, 1 if kind == "few" else 3)
    called = p.argmax(1) if p.ndim == 2 else (p >= 0.5) * 1
    sure = p.max(1) if p.ndim == 2 else np.round(np.maximum(p, 1 - p), 3)
    wrong, part, how = called != y, np.zeros(n, int), {}
    if kind == "precision":
        sure, wrong = p, y == 0
    elif kind == "clusters":
        how["cluster"] = rng.integers(0, n // 4, n)
    elif kind == "groups":
        part = rng.choice(3, n, p=[0.6, 0.37, 0.03])
        how["by"] = np.array(["east", "north", "west"])[part]
    elif kind == "each class":
        part, how["each_class"] = called, True
    times = rng.integers(0, 4, n) if kind == "frequency" else np.ones(n, int)
    if kind == "frequency":
        how["frequency"] = times
    again = np.repeat(np.arange(n), times)
    cases = (sure[again], wrong[again], part[again], how["cluster"][again] if "cluster" in how else None)
    return (y, p), how, cases, int(y[again].sum())


KINDS = ("two", "few", "several", "precision", "clusters", "groups", "each class", "frequency")
SEEDS = tuple(range(4))
NUMBERS = [40, 90, 160, 260]


@cache
def made(kind, seed):
    """A guarantee, the definitions of its promises, and the positive cases."""
    n = NUMBERS[seed % 4] * (2 if kind in ("groups", "each class") else 1)
    demands = PRECISE if kind == "precision" else RISKS
    text = list(demands)[seed % len(demands)]
    (y, p), how, (sure, wrong, part, cluster), positives = rows_of(kind, n, seed)
    level = (0.95, 0.9, 0.8)[seed % 3]
    g = ca.guarantee(y, p, text, level=level, **how)
    parts = np.unique(part) if "by" in how else range(3 if kind == "each class" else 1)
    delta = (1 - level) / len(parts)
    twins = [
        Definition(
            sure[part == k],
            wrong[part == k],
            demands[text],
            delta,
            None if cluster is None else cluster[part == k],
        )
        for k in parts
    ]
    return g, twins, positives, text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_promises_are_those_of_their_definition(kind, seed):
    g, twins, _positives, _ = made(kind, seed)
    assert len(g.promises) == len(twins)
    for promise, twin in zip(g.promises, twins, strict=True):
        assert (promise.cases, promise.decided, promise.rule) == (twin.n, twin.decided, twin.rule)
        found = (promise.threshold, promise.coverage_at_value, promise.risk.value, promise.risk.high)
        wanted = (twin.threshold, twin.coverage_at_value, twin.value, twin.high)
        assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True)
        assert promise.coverage == twin.decided / twin.n
        assert promise.fewest == fewest_cases(twin.risk, twin.delta)
        assert not twin.decided or promise.risk.low == 0


def of_all(g, twins, positives):
    """Cases, decided cases, coverage, risk of all decided cases, and recall."""
    n, decided = sum(twin.n for twin in twins), sum(twin.decided for twin in twins)
    wrong = sum(twin.value * twin.decided for twin in twins if twin.decided)
    share = wrong / decided if decided else math.nan
    recall = (decided - wrong) / positives if g.demand.side == "positive" and g.of == "all" else math.nan
    at_value = sum(twin.coverage_at_value * twin.n for twin in twins) / n
    return n, decided, share, recall, at_value


def sentences_of(g, twins, positives, text):
    """What a guarantee says, from the numbers of its definition."""
    n, decided, share, _, at_value = of_all(g, twins, positives)
    demand = text.replace("fdr", "false_discovery_rate").replace("ppv", "precision")
    name, sign, bound = demand.split()
    level = f"{100 * g.level:g}%"
    optimistic = f"{percent(at_value, n)} (optimistic)."
    if not decided:
        yield f"No threshold guarantees {text} at a confidence level of {level}."
        if g.of != "all":
            least = fewest_cases(twins[0].risk, twins[0].delta)
            yield f"A {g.of} needs at least {least:,} cases of high confidence without an error."
        else:
            yield from reasons_of(g, twins[0], name, sign)
        if at_value:
            yield f"Without the safety margin for sampling variability, the share of decided cases is {optimistic}"
        return
    may = "predict as positive" if name in ("precision", "false_discovery_rate") else "decide"
    yield f"The classifier may {may} {percent(decided / n, n)} of the cases."
    side = "at least" if sign == ">=" else "at most"
    article = "An" if name[0] in "ae" else "A"
    limit = f"{article} {name.replace('_', ' ')} of {side} {100 * float(bound):g}%"
    yield f"{limit} is guaranteed at a confidence level of {level}."
    if g.of == "all":
        risk = "error rate" if may == "decide" else "false discovery rate"
        yield (
            f"The threshold is {printed(g, 0)}. The {risk} of these cases is {percent(share, decided)}, "
            f"and at most {percent(twins[0].high, decided)} ({level} upper confidence limit)."
        )
    yield f"Without the safety margin for sampling variability, the share is {optimistic}"
    empty = [quote(name) for name, twin in zip(g.names, twins, strict=True) if not twin.decided]
    if empty and g.of != "all":
        number = f"{len(empty)} {g.of}" + ("" if len(empty) == 1 else "es" if g.of == "class" else "s")
        yield f"No threshold meets the guarantee for {number}: {some(empty)}."


def printed(g, k):
    """The threshold with six digits, or with the fewest that decide the same cases."""
    return as_given(g.ranked[k].confidence, g.promises[k].threshold)


def reasons_of(g, twin, name, sign):
    least = fewest_cases(twin.risk, twin.delta)
    if twin.cluster is None and twin.n < least:
        yield f"At least {least:,} cases without an error are needed, but there are {twin.n:,}."
    if twin.cluster is not None and len({*twin.cluster.tolist()}) < (clusters := fewest_clusters(twin)):
        number = len({*twin.cluster.tolist()})
        yield f"At least {clusters:,} clusters without an error are needed, but there are {number:,}."
    if g.nearest is not None:
        bound = round(1 - g.nearest if sign == ">=" else g.nearest, 4)
        yield f"The nearest limit that passes is {name} {sign} {bound:g}."
        yield "This limit is chosen from the same data, so it is not guaranteed."
    if g.needed is not None:
        yield f"If the error rates stay the same, about {g.needed:,} cases are needed for this guarantee."
    elif twin.cluster is None:
        yield "If the error rates stay the same, no number of cases suffices."


def fewest_clusters(twin):
    def limit(n):
        t = stats.t.ppf(1 - twin.delta, n - 1)
        return t * t / n / (1 + t * t / n)

    return next(n for n in range(2, 10**5) if limit(n) <= twin.risk)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_all_that_a_guarantee_says_is_what_its_definition_gives(kind, seed):
    g, twins, positives, text = made(kind, seed)
    n, decided, share, recall, at_value = of_all(g, twins, positives)
    assert (g.n_cases, g.decided, g.coverage) == (n, decided, decided / n)
    assert g.coverage_at_value == pytest.approx(at_value, abs=1e-12)
    found = (g.risk.value, g.recall, g.threshold)
    one = twins[0].threshold if g.of == "all" else math.nan
    wanted = (share, 0.0 if not decided and not math.isnan(recall) else recall, one)
    assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    assert g.unpromised == tuple(
        name for name, twin in zip(g.names, twins, strict=True) if name is not None and not twin.decided
    )
    assert list(g.sentences) == list(sentences_of(g, twins, positives, text))
    facts = [("cases", f"{n:,}"), ("guarantee", text)]
    if kind == "clusters":
        facts.append(("clusters", str(len({*twins[0].cluster.tolist()}))))
    if g.of != "all":
        facts.append((f"thresholds by {g.of}", str(len(twins))))
    assert g.facts == (*facts, ("confidence level", f"{100 * g.level:g}%"))
    assert [warned.text for warned in g.warnings] == list(warnings_of(g, twins))
    assert repr(g).startswith(f"Guarantee({text}, {n:,} cases: ")
    assert ("not met" in repr(g), "coverage" in repr(g)) == (not decided, bool(decided))


def warnings_of(g, twins):
    """Classes and groups that are too small for any guarantee are warned of, if there is any guarantee."""
    least = fewest_cases(twins[0].risk, twins[0].delta)
    few = [
        quote(name) for name, twin in zip(g.names, twins, strict=True) if not twin.decided and twin.n < least
    ]
    if g.of == "all" or not few or not any(twin.decided for twin in twins):
        return
    who = f"{g.of.capitalize()} {few[0]} has fewer than {least} cases"
    if len(few) > 1:
        plural = "classes" if g.of == "class" else "groups"
        who = f"{len(few)} {plural} have fewer than {least} cases: {some(few)}"
    yield f"{who}. So few cases allow no guarantee, even if all are correct."


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_table_the_json_and_the_picture_have_the_numbers_of_the_promises(kind, seed):
    g, twins, _, text = made(kind, seed)
    written = g.to_dict()
    assert (written["guarantee"], written["level"], written["thresholds_of"]) == (text, g.level, g.of)
    assert written["allowed_risk"] == pytest.approx(twins[0].risk)
    for name in ("decided", "coverage", "coverage_at_value"):
        assert written[name] == getattr(g, name)
    assert (written["cases"], written["nearest_risk"], written["cases_needed"]) == (
        g.n_cases,
        g.nearest,
        g.needed,
    )
    for name in ("threshold", "recall"):
        value = getattr(g, name)
        assert written[name] == (None if math.isnan(value) else value)
    for row, promise in zip(written["thresholds"], g.promises, strict=True):
        assert (row["name"], row["cases"], row["decided"]) == (promise.name, promise.cases, promise.decided)
        assert (row["rule"], row["fewest"]) == (promise.rule, promise.fewest)
        assert (row["coverage"], row["coverage_at_value"]) == (promise.coverage, promise.coverage_at_value)
        assert row["threshold"] == (promise.threshold if promise.decided else None)
        assert row["risk"]["value"] == (promise.risk.value if promise.decided else None)
    document = g.document()
    (table,) = next(part for part in document.sections if part.title == "Thresholds").parts
    head = {"all": "", "class": "predicted class", "group": "group"}[g.of]
    assert [column.head for column in table.columns][:3] == [head, "cases", "threshold"]
    for k, (cells, promise, twin) in enumerate(zip(table.rows, g.promises, twins, strict=True)):
        name, cases, threshold, at_value, coverage, risk, method = cells
        assert (name.text, cases.value) == (
            "all cases" if promise.name is None else str(promise.name),
            twin.n,
        )
        assert threshold.text == (printed(g, k) if twin.decided else "none")
        assert at_value.estimate.value == pytest.approx(twin.coverage_at_value)
        assert (coverage.estimate.value, risk.estimate, method.estimate) == (
            promise.coverage,
            promise.risk,
            promise.risk,
        )
    joint = ", jointly valid for all rows" if len(twins) > 1 else ""
    assert table.foot == f"The guarantee is {text} at a confidence level of {100 * g.level:g}%{joint}."
    said = g.to_markdown()
    for twin in twins:
        assert METHODS[twin.rule] in said
    rules = [promise.rule for promise in g.promises if promise.rule]
    assert document.sources == tuple(
        dict.fromkeys(source for rule in rules for source in SOURCES.get(rule, ()))
    )
    if g.of != "all":
        assert g.curves == ()
        assert "Risk by coverage" not in [part.title for part in document.sections]
        return
    curve, allowed, *mark = g.curves
    decided = np.rint(curve.x * g.n_cases).astype(int)
    assert decided.tolist() == twins[0].ends.tolist()
    assert curve.threshold == pytest.approx(twins[0].sure[decided - 1])
    assert curve.y == pytest.approx([twins[0].errors[:m].mean() for m in decided])
    assert [(each.kind, each.series) for each in g.curves[1:]] == [
        ("reference", "risk allowed"),
        *[("mark", "guaranteed")] * len(mark),
    ]
    assert (allowed.x.tolist(), allowed.y.tolist()) == ([0, 1], [g.demand.risk] * 2)
    assert [(each.x.tolist(), each.y.tolist()) for each in mark] == (
        [([g.coverage], [g.risk.value])] if g.decided else []
    )
    if kind == "clusters":
        assert (curve.low, curve.band) == (None, "")
    else:
        limits = [
            stats.binomtest(int(twins[0].errors[:m].sum()), int(m)).proportion_ci(g.level)
            for m in decided[::7]
        ]
        assert curve.high[::7] == pytest.approx([limit.high for limit in limits], abs=1e-9)
        assert curve.low[::7] == pytest.approx([limit.low for limit in limits], abs=1e-9)
        assert curve.band == f"Clopper-Pearson, pointwise, {100 * g.level:g}%"


def graded(n, seed, risk, is_in_clusters):
    """A guarantee of graded losses, and its definition."""
    rng = np.random.default_rng(seed)
    sure = np.round(rng.random(n), 2 if seed % 2 else 12)
    losses = np.where(rng.random(n) < 0.4 * risk + 0.5 * (1 - sure) ** 2, rng.choice([0.25, 0.5, 1.0], n), 0)
    how, cluster = {}, None
    if is_in_clusters:
        cluster = rng.permutation(np.arange(n) // 2)
        how = {"cluster": np.char.add("doc ", cluster.astype(str)), "largest": 2 + seed % 2}
    g = ca.guarantee_losses(losses, sure, risk, level=0.9, **how)
    return g, Definition(sure, losses, risk, 0.1, cluster, how.get("largest"), is_graded=True)


@pytest.mark.parametrize("is_in_clusters", [False, True])
@pytest.mark.parametrize(
    ("n", "seed", "risk"), [(40, 0, 0.1), (150, 1, 0.3), (300, 2, 0.25), (500, 3, 0.15), (200, 4, 0.2)]
)
def test_guarantees_of_losses_are_those_of_their_definition(n, seed, risk, is_in_clusters):
    g, twin = graded(n, seed, risk, is_in_clusters)
    (promise,) = g.promises
    assert (promise.cases, promise.decided) == (n, twin.decided)
    found = (promise.threshold, promise.coverage_at_value, promise.risk.value, promise.risk.high)
    wanted = (twin.threshold, twin.coverage_at_value, twin.value, twin.high)
    assert found == pytest.approx(wanted, abs=2e-6, nan_ok=True)
    assert promise.rule == twin.rule
    assert not twin.decided or promise.risk.low == 0
    facts = [("cases", f"{n:,}"), ("guarantee", f"mean loss <= {risk:g}")]
    if is_in_clusters:
        facts += [("clusters", str(n // 2)), ("largest possible cluster", f"{2 + seed % 2} cases")]
    assert g.facts == (*facts, ("confidence level", "90%"))
    said = " ".join(g.sentences)
    if twin.decided:
        assert f"A mean loss of at most {risk:g} is guaranteed at a confidence level of 90%." in said
        assert (
            f"The mean loss of these cases is {twin.value:.3f}, and at most {twin.high:.3f} (90% upper"
            in said
        )
        assert f"may decide {percent(twin.decided / n, n)} of the cases" in said
    else:
        assert f"No threshold guarantees mean loss <= {risk:g}" in said
        units = n // 2 if is_in_clusters else n
        word = "clusters" if is_in_clusters else "cases"
        few = f"At least {promise.fewest} {word} without an error are needed, but there are {units}."
        assert (few in said) == (units < promise.fewest)
        assert ("suffices" in said, g.needed) == (False, None)
    assert all(each.low is None for each in g.curves)


def is_met(ranked, risk, delta, times=None):
    """Whether a sample of that many times the cases, errors rounded up, keeps a promise."""
    cases, errors = ranked.covered.tolist(), ranked.wrong.tolist()
    if times is not None:
        errors = [math.ceil(x * times - 1e-9) for x in errors]
        cases = [math.ceil(m * times) for m in cases]
    rows = np.diff([0, *cases]), np.diff([0, *errors])
    return promised(RankedCases(ranked.confidence, *rows, cases[-1]), risk, delta).place is not None


@pytest.mark.parametrize("kind", ["two", "few", "precision"])
@pytest.mark.parametrize(("n", "seed", "risk"), [(60, 1, 0.03), (150, 3, 0.05), (12, 5, 0.2)])
def test_the_nearest_limit_and_the_cases_needed_are_the_least_that_pass(kind, n, seed, risk):
    """One step less fails: of the risk 1e-4, of the cases 1%."""
    (y, p), how, _, _ = rows_of(kind, n, seed)
    demand = f"precision >= {1 - risk:g}" if kind == "precision" else f"error_rate <= {risk:g}"
    g = ca.guarantee(y, p, demand, **how)
    (ranked,) = g.ranked
    if g.decided:
        assert (g.nearest, g.needed) == (None, None)
        return
    assert round(g.nearest * 1e4) == pytest.approx(g.nearest * 1e4)
    assert is_met(ranked, g.nearest, g.delta)
    assert not is_met(ranked, g.nearest - 1.1e-4, g.delta)
    written = g.demand.written(g.nearest)
    assert f"Collect more cases, or test `guarantee='{written}'` on new cases." in str(g)
    rate = min(ranked.wrong / ranked.covered)
    if g.needed is None:
        assert not any(is_met(ranked, risk, g.delta, times) for times in (2, 10, 100, 1000))
    else:
        assert rate < risk
        assert is_met(ranked, risk, g.delta, g.needed / g.n_cases)
        steps_back = 1 + np.linspace(0.0005, 0.0105, 9)
        assert not all(
            is_met(ranked, risk, g.delta, (g.needed - 1) / g.n_cases / step) for step in steps_back
        )
