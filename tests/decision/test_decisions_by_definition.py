"""A whole decision, recomputed by loops over the same resamples: threshold, range, values on new cases, conditions."""

from math import inf, isinf, nan

import numpy as np
import pytest
from scipy.stats import binom, norm

import classay as ca
from classay.decision.choosing import _Drawn, _honest
from classay.decision.cuts import Groups, resamples
from classay.decision.rules import Rule
from classay.inference.draws import percentile
from classay.inference.estimate import Estimate

N = 70
LEVEL = 0.9
Z = norm.ppf(0.5 + LEVEL / 2)
BIG = 1e-9


def data(seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(N) % 5 < 2
    p = np.clip(0.3 + 0.25 * y + 0.2 * rng.normal(size=N), 0, 1).round(1)
    return y, p, rng.gamma(2.0, 2.0, N).round(2), rng.integers(1, 4, N) * 1.5, rng.integers(0, 25, N)


Y, P, AMOUNT, WEIGHT, CLUSTER = data()
MEASURES = {
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp),
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn),
    "specificity": lambda tp, fp, fn, tn: tn / (tn + fp),
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn),
    "false_positive_rate": lambda tp, fp, fn, tn: fp / (fp + tn),
    "fpr": lambda tp, fp, fn, tn: fp / (fp + tn),
    "youden": lambda tp, fp, fn, tn: tp / (tp + fn) + tn / (tn + fp) - 1,
}


def down_to(values):
    """Sums of the values above every cut, none of them first."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    for k in range(values.shape[-1]):
        sums[..., k + 1] = sums[..., k] + values[..., k]
    return sums


class Case:
    """A rule, what a false positive, a false negative and its amount cost, and a condition as a function."""

    def __init__(
        self, rule, cost=None, measure=None, sign=1, met=None, top=None, rows=(), prevalence=None, p=None
    ):
        self.rule, self.cost, self.measure, self.sign, self.top = rule, cost, measure, sign, top
        self.met = met or (lambda tp, fp, fn, tn: np.ones(tp.shape, bool))
        self.rows, self.prevalence, self.p = rows, prevalence, P if p is None else p

    def assessed(self):
        columns = {"weight": WEIGHT, "cluster": CLUSTER}
        own = {name: columns[name] for name in self.rows}
        more = {"amounts": {"amount": AMOUNT}} if self.cost is not None and self.cost[2] else {}
        return ca.assess(Y, self.p, level=LEVEL, seed=3, **own, **more)

    def decided(self, a):
        return a.threshold(**self.rule, **({"prevalence": self.prevalence} if self.prevalence else {}))

    def counts(self, positive, negative):
        """True and false positives, false and true negatives and the whole cost of every cut, at the prevalence."""
        of_positive, of_negative = (
            part[..., :1, :].sum((-1, -2), keepdims=True) for part in (positive, negative)
        )
        total = of_positive + of_negative
        if self.prevalence:
            positive = positive * self.prevalence * total / of_positive
            negative = negative * (1 - self.prevalence) * total / of_negative
        tp, fp = (down_to(part[..., 0, :]) for part in (positive, negative))
        fn, tn = tp[..., -1:] - tp, fp[..., -1:] - fp
        cost = 0 * tp
        if self.cost is not None:
            amount = down_to(positive[..., -1, :])
            cost = self.cost[0] * fp + self.cost[1] * fn + self.cost[2] * (amount[..., -1:] - amount)
        return np.stack([tp, fp, fn, tn, cost, 0 * tp + total[..., 0]])

    def judged(self, counts, per_case):
        """How good each cut is, and whether it is allowed."""
        tp, fp, fn, tn, cost, total = counts
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.cost is not None:
                value = -cost / total
            else:
                value = (
                    tp + fp if self.measure is None else self.sign * MEASURES[self.measure](tp, fp, fn, tn)
                )
            met = self.met(tp, fp, fn, tn)
        return value, met & (tp + fp <= (self.top or inf) * per_case * (1 + BIG))

    def best(self, value, met):
        """The first of the best cuts, and whether there is one."""
        usable = np.where(met & ~np.isnan(value), value, -inf)
        top = usable.max(-1, keepdims=True)
        is_any = top > -inf
        return (usable >= np.where(is_any, top - 1e-12 * abs(top), -inf)).argmax(-1), is_any[..., 0]

    def of_counts(self, name, counts):
        tp, fp, fn, tn, cost, total = counts
        return cost / total if name is None else MEASURES[name](tp, fp, fn, tn)


COSTS = {"fp": 1, "fn": 3}
CASES = {
    "cost": Case({"cost": COSTS}, cost=(1, 3, 0)),
    "amounts": Case({"cost": ca.Costs(fp=3, fn="amount")}, cost=(3, 0, 1)),
    "nobody": Case({"cost": {"fp": 30, "fn": 1}}, cost=(30, 1, 0)),
    "everybody": Case({"cost": {"fp": 1, "fn": 30}}, cost=(1, 30, 0)),
    "few errors": Case(
        {"cost": COSTS}, cost=(1, 3, 0), p=np.where(np.arange(N) == 7, 0.6, (0.4 * Y + P / 2).round(1))
    ),
    "no errors": Case({"cost": COSTS}, cost=(1, 3, 0), p=np.where(Y, 0.6, 0.3) + (np.arange(N) % 3) / 10),
    "prevalence": Case({"cost": COSTS}, cost=(1, 3, 0), prevalence=0.25),
    "weights": Case({"cost": COSTS}, cost=(1, 3, 0), rows=("weight",)),
    "clusters": Case({"cost": COSTS}, cost=(1, 3, 0), rows=("cluster",)),
    "clusters and weights": Case(
        {"cost": ca.Costs(fp=3, fn="amount")}, cost=(3, 0, 1), rows=("cluster", "weight")
    ),
    "youden": Case({"maximize": "youden"}, measure="youden"),
    "f1 of weights": Case({"maximize": "f1"}, measure="f1", rows=("weight",)),
    "least rate": Case(
        {"minimize": "fpr", "where": "recall >= 0.7"},
        measure="false_positive_rate",
        sign=-1,
        met=lambda tp, fp, fn, tn: tp / (tp + fn) >= 0.7 - BIG,
    ),
    "two conditions": Case(
        {"cost": COSTS, "where": "recall >= 0.6 and fpr < 0.5"},
        cost=(1, 3, 0),
        met=lambda tp, fp, fn, tn: (tp / (tp + fn) >= 0.6 - BIG) & (fp / (fp + tn) < 0.5 - BIG),
    ),
    "capacity": Case({"top": 15}, top=15),
    "capacity of weights": Case({"top": 15}, top=15, rows=("weight",)),
    "too much capacity": Case({"top": 90}, top=90),
    "too much capacity of weights": Case({"top": 90}, top=90, rows=("weight",)),
    "capacity and measure": Case({"maximize": "f1", "top": 25}, measure="f1", top=25),
}


class Loops:
    """All resamples of a rule, one after the other."""

    def __init__(self, case, a):
        self.case, cases = case, a.scored_cases
        self.per_case = WEIGHT.mean() if "weight" in case.rows else 1.0
        weight = WEIGHT if "weight" in case.rows else np.ones(N)
        amount = AMOUNT if case.cost is not None and case.cost[2] else np.ones(N)
        self.scores = np.unique(case.p)[::-1]
        self.positive, self.negative = (
            np.array([[(w * weight)[(score == case.p) & of].sum() for score in self.scores] for w in z])
            for z, of in (([np.ones(N), amount], Y), ([np.ones(N), amount], ~Y))
        )
        self.squares = np.array([(weight**2)[score == case.p].sum() for score in self.scores])
        if amount is not AMOUNT:
            self.positive, self.negative = self.positive[:1], self.negative[:1]
        self.counts = case.counts(self.positive, self.negative)
        self.values, self.met = case.judged(self.counts, self.per_case)
        self.at = int(case.best(self.values, self.met)[0])
        thresholds = np.array([inf, *self.scores[:-1], -inf])
        self.threshold = thresholds[self.at]
        amounts = None if a.coded is None else a.coded.amounts
        drawn, offs, gains, pooled = [], [], [], np.zeros((3, 6))
        for inside, outside in resamples(cases, Groups.of(cases.table, self.at), amounts):
            counts = case.counts(inside.positive, inside.negative)
            value, met = case.judged(counts, self.per_case)
            best, is_any = case.best(value, met)
            with np.errstate(invalid="ignore"):
                off = value[:, [self.at]] - value
            chosen = np.where(is_any, thresholds[best], nan)
            if self.threshold == -inf:
                present = inside.positive[:, 0] + inside.negative[:, 0] > 0
                last = [np.flatnonzero(one)[-1] for one in present]
                chosen[best > last] = -inf
            drawn.append(chosen)
            offs.append(off)
            gains.append(-off[np.arange(best.size), best][is_any])
            whole = [np.broadcast_to(part, inside.positive.shape) for part in (self.positive, self.negative)]
            of_each = counts, case.counts(outside.positive, outside.negative), case.counts(*whole)
            for k, of in enumerate(of_each):
                sums = of[:, np.arange(best.size), best]
                pooled[k] += sums[:, is_any & np.isfinite(sums).all(0) & (sums[5] > 0)].sum(1)
        self.drawn, (self.own, self.left, self.whole) = np.concatenate(drawn), pooled
        self.gains, self.offs = np.concatenate(gains), np.concatenate(offs)

    def optimism(self, name):
        own, whole = (self.case.of_counts(name, sums) for sums in (self.own, self.whole))
        return own - whole

    def tested(self):
        """What a binomial test of the cases passed does not reject, as a range of thresholds."""
        case = self.case
        no_test = "cluster" in case.rows or case.top or "where" in case.rule
        if no_test or isinf(self.threshold) or (case.cost is not None and case.cost[2]):
            return ()
        prevalence = case.prevalence or 0.0
        total = self.positive[0].sum() + self.negative[0].sum()
        up, down = (
            (prevalence * total / self.positive[0].sum(), (1 - prevalence) * total / self.negative[0].sum())
            if prevalence
            else (1.0, 1.0)
        )
        if case.cost is not None:
            gain, loss = case.cost[1] * up, case.cost[0] * down
        else:
            tp, fp, fn, tn = (part[self.at] for part in self.counts[:4])
            h = 1e-5
            of = MEASURES[case.measure]
            gain = (of(tp + h, fp, fn - h, tn) - of(tp - h, fp, fn + h, tn)) / (2 * h)
            loss = (of(tp, fp - h, fn, tn + h) - of(tp, fp + h, fn, tn - h)) / (2 * h)
        share = loss / (loss + gain)
        ends = []
        for groups, wrong, p in (
            (range(self.at - 1, -1, -1), self.positive[0], share),
            (range(self.at, self.scores.size), self.negative[0], 1 - share),
        ):
            last, x, n, squares = 0 if groups.step < 0 else self.scores.size - 1, 0.0, 0.0, 0.0
            for group in groups:
                x += wrong[group]
                n += self.positive[0][group] + self.negative[0][group]
                squares += self.squares[group]
                cases = n**2 / squares if "weight" in case.rows else n
                if beyond(x * cases / n, cases, p) <= 1 - LEVEL:
                    last = group
                    break
            ends.append(self.scores[last])
        return tuple(ends)


def beyond(x, n, p):
    """P(X >= x) of a binomial; of counts that are not whole, the same integral."""
    from scipy.special import betainc

    if x <= 0:
        return 1.0
    exact = betainc(x, n - x + 1, p)
    if float(x).is_integer() and float(n).is_integer():
        assert exact == pytest.approx(binom.sf(x - 1, n, p))
    return exact


def moved(here, value, bounds):
    """An interval moved with its value, as much wider as the move, with the one that was not moved."""
    move = value - here.value
    low = min(value - np.hypot(here.value - here.low, move), here.low)
    high = max(value + np.hypot(here.high - here.value, move), here.high)
    return min(max(low, bounds[0]), value), max(min(high, bounds[1]), value)


def the_threshold_and_its_range_are_those_of_the_resamples(case, d, loops):
    assert d.threshold.value == loops.threshold
    drawn = np.sort(loops.drawn[~np.isnan(loops.drawn)])
    assert np.isnan(loops.drawn).mean() < 0.5
    if isinf(loops.threshold):
        same = 100 * (drawn == loops.threshold).mean()
        whom = "no case" if loops.threshold > 0 else "every case"
        assert (
            d.threshold.reason == f"predicting {whom} positive is best, also in {same:.0f}% of the resamples"
        )
        assert (d.called, d.uses_no_score) == (pytest.approx(loops.counts[:2, loops.at].sum()), True)
        assert d.how_expected == "those on these cases, because no score was used"
        return
    low, high = percentile(np.clip(drawn, loops.scores[-1], loops.scores[0]), LEVEL)
    tested = loops.tested()
    low, high = min([low, loops.threshold, *tested]), max([high, loops.threshold, *tested])
    assert (d.threshold.low, d.threshold.high) == (low, high)
    test = " and binomial test" if tested else ""
    assert d.threshold.method == f"bootstrap percentile{test}, {len(loops.drawn):,} resamples"
    assert d.how_expected == f"optimism-corrected ({len(loops.drawn):,} resamples)"
    assert (d.uses_no_score, d.is_resampled, d.level, d.seed) == (False, True, LEVEL, 3)


def values_on_new_cases_lose_the_optimism_of_the_resamples(case, d, loops):
    if d.uses_no_score:
        assert d.expected.objective == d.here.objective
        assert d.expected.measures == d.here.measures
        return
    objective = None if case.cost is not None else case.measure or "precision"
    here = case.of_counts(objective, [part[loops.at] for part in loops.counts])
    assert d.here.objective.value == pytest.approx(here)
    names = {**d.expected.measures, **{kept.requirement.name: kept.expected for kept in d.kept}}
    of_here = {**d.here.measures, **{kept.requirement.name: kept.apparent for kept in d.kept}}
    pairs = [(objective, d.here.objective, d.expected.objective)]
    pairs += [(name, of_here[name], one) for name, one in names.items()]
    for name, before, after in pairs:
        if (
            objective is not None
            and name != objective
            and {name, objective} == {"specificity", "false_positive_rate"}
        ):
            wanted = 1 - d.expected.objective.value
        else:
            wanted = before.value - loops.optimism(name)
        bounds = (-1, 1) if name == "youden" else (0, inf if name is None else 1)
        assert after.value == pytest.approx(min(max(wanted, bounds[0]), bounds[1]))
        if before.has_interval:
            low, high = moved(before, after.value, bounds)
            assert (after.low, after.high) == pytest.approx((low, min(high, inf)), rel=1e-6)
            assert after.method == f"optimism-corrected; {before.method}"


def the_range_of_thresholds_as_good_is_that_about_the_chosen_one(case, d, loops):
    if case.top and not case.measure:
        assert d.as_good is None
        return
    apart = loops.values[loops.at] - loops.values
    finite = np.isfinite(loops.offs)
    offs = np.where(finite, loops.offs, 0)
    mean = offs.sum(0) / finite.sum(0)
    spread = np.sqrt(np.maximum((offs**2).sum(0) / finite.sum(0) - mean**2, 0))
    optimism = np.maximum(loops.gains[np.isfinite(loops.gains)], 0).mean()
    jointly = norm.ppf(1 - (1 - LEVEL) / apart.size / 2)

    def allows(cut, shortfall, z):
        known = loops.met[cut] and not np.isnan(apart[cut])
        return known and (shortfall[cut] <= z * spread[cut] + 1e-12 or shortfall[cut] <= 1e-12)

    inside = [loops.at]
    for step in (-1, 1):
        cut = loops.at + step
        while 0 <= cut < apart.size and allows(cut, apart - optimism, jointly):
            inside.append(cut)
            cut += step
    scores = [inf, *loops.scores]
    near = [scores[cut] for cut in inside if allows(cut, apart, Z) and scores[cut] < inf]
    ends = [*near, *loops.tested(), *([] if isinf(loops.threshold) else [loops.threshold])]
    assert d.as_good == ((min(ends), max(ends)) if near else None)


def what_trivial_rules_the_conditions_allow(case, d, loops):
    assert d.allowed == tuple(whom for whom, cut in (("nobody", 0), ("everybody", -1)) if loops.met[cut])
    assert d.cases == N
    assert d.observed == pytest.approx(
        loops.positive[0].sum() / (loops.positive[0].sum() + loops.negative[0].sum())
    )


def how_surely_a_condition_holds_is_normal_on_its_logit(case, d, loops):
    for kept in d.kept:
        e, bound = kept.expected, kept.requirement.bound
        if not e.has_interval:
            continue
        logit = [
            np.log(x / (1 - x))
            for x in (min(max(v, 1e-9), 1 - 1e-9) for v in (e.value, e.low, e.high, bound))
        ]
        side = logit[0] - logit[1] if logit[3] < logit[0] else logit[2] - logit[0]
        above = norm.cdf((logit[0] - logit[3]) / (side / Z))
        wanted = above if kept.requirement.operator in (">=", ">") else 1 - above
        assert kept.probability == pytest.approx(wanted)


def savings_on_new_cases_are_those_on_these_less_the_optimism(case, d, loops):
    here, there = d.here.cost, d.expected.cost
    if here is None:
        assert there is None
        return
    how = "Dirichlet posterior, Jeffreys prior, 2,000 draws"
    if case.cost[2]:
        how = "posterior of confusion matrix and mean amounts, 2,000 draws"
    before = "clusters, " if "cluster" in case.rows else "linearised, " if "weight" in case.rows else ""
    assert here.per_case.method == before + how
    if d.uses_no_score:
        assert there == here
        return
    move = there.per_case.value - here.per_case.value
    assert there.total.value == pytest.approx(N * there.per_case.value)
    if here.per_case.value:
        ratio = there.per_case.value / here.per_case.value
        assert there.normalised.value == pytest.approx(here.normalised.value * ratio)
    else:
        assert there.normalised.is_undefined
    for name in ("saving_over_none", "saving_over_all"):
        before, after = getattr(here, name), getattr(there, name)
        assert after.value == pytest.approx(before.value - move)
        assert (after.low, after.high) == pytest.approx(moved(before, after.value, (-inf, inf)))
    over = {"nobody": there.saving_over_none, "everybody": there.saving_over_all}
    assert d.savings == {name: saving for name, saving in over.items() if name in d.allowed}
    assert d.rivals == tuple(name for name, saving in d.savings.items() if saving.low <= 0 <= saving.high)


def read_as(case, counts, values):
    """The objective as people read it."""
    if case.cost is None and case.measure is None:
        with np.errstate(invalid="ignore"):
            return MEASURES["precision"](*counts[:4])
    return -values if case.cost is not None or case.sign < 0 else values


def changes_are_the_best_thresholds_under_other_numbers(case, d, loops):
    thresholds = [inf, *loops.scores[:-1], -inf]
    share = case.prevalence or float(d.observed)
    others = []
    if case.cost is not None:
        for times, factor in (("half", 0.5), ("twice", 2.0)):
            fp, fn, of_amount = case.cost
            other = {"cost": (fp, fn * factor, of_amount * factor)}
            others.append((f"a false negative costs {times} as much", other))
    factors = ("half", 0.5), ("double", 2.0)
    others += [(f"{word} the prevalence", {"prevalence": share * f}) for word, f in factors if share * f < 1]
    if case.top:
        others += [(f"{word} the capacity", {"top": case.top * f}) for word, f in factors]
    wanted = []
    for what, other in others:
        own = {
            name: getattr(case, name)
            for name in ("cost", "measure", "sign", "met", "top", "rows", "prevalence", "p")
        }
        changed = Case(case.rule, **(own | other))
        counts = changed.counts(loops.positive, loops.negative)
        values, met = changed.judged(counts, loops.per_case)
        best, is_any = changed.best(values, met)
        is_alone = case.cost is not None and not case.top and "where" not in case.rule
        same = (
            np.allclose(values, loops.values, rtol=1e-9, atol=0, equal_nan=True) and (met == loops.met).all()
        )
        if not is_any or ("prevalence" in what and not is_alone and same):
            continue
        read = read_as(changed, counts, values)
        here = read[loops.at] if is_alone or met[loops.at] else nan
        wanted.append((what, thresholds[best], here, read[best]))
    assert [change.what for change in d.changes] == [what for what, *_ in wanted]
    for change, (_, threshold, here, there) in zip(d.changes, wanted, strict=True):
        assert change.threshold == threshold
        assert (change.here, change.there) == pytest.approx((here, there), nan_ok=True)


def the_objective_is_drawn_at_every_threshold(case, d, loops):
    read = read_as(case, loops.counts, loops.values)
    if case.top and not case.measure:
        assert (d.curves, d.objective) == ((), "precision")
        return
    (curve,) = d.curves
    assert curve.x.tolist() == loops.scores[::-1].tolist()
    assert curve.y == pytest.approx(read[:0:-1], nan_ok=True)
    words = {"false_positive_rate": "false positive rate", "f1": "F1", "youden": "informedness"}
    assert d.objective == words.get(case.measure, "cost per case")
    at = [int((loops.scores >= threshold).sum()) for threshold in d.points.threshold]
    assert d.points.objective == pytest.approx(read[at], nan_ok=True)


def notes_name_what_is_odd_and_nothing_else(case, d, loops):
    wanted = []
    weighted = "weight" in case.rows
    called = (loops.counts[0] + loops.counts[1]) / loops.per_case
    if case.top and not case.measure and case.top > called[-1]:
        wanted.append(f"The capacity of {case.top} exceeds the {N} cases, so all are predicted positive.")
    elif case.top and not case.measure and called[loops.at] < case.top - BIG:
        tied, now = called[loops.at + 1] - called[loops.at], called[loops.at]
        wanted.append(
            f"The next {tied:,.6g} cases share one score, so {now:,.6g} are predicted positive instead of {case.top}."
        )
    if weighted and case.top:
        wanted.append("With sampling weights, the number of cases is converted to their share of the weight.")
    if isinf(loops.threshold) and (case.measure or case.cost):
        whom, why = (
            ("no", "the costs do not justify acting at any score")
            if loops.threshold > 0
            else ("every", "no score is low enough to predict a case negative")
        )
        wanted.append(f"Predicting {whom} case positive is best, because {why}.")
    known = [warning.text for warning in d.of_columns]
    assert [note for note in d.notes if note not in known] == wanted


def as_its_resamples_say(name):
    """A decision of this name, held against the same one by loops."""
    case = CASES[name]
    a = case.assessed()
    d, loops = case.decided(a), Loops(case, a)
    for holds in (
        the_threshold_and_its_range_are_those_of_the_resamples,
        values_on_new_cases_lose_the_optimism_of_the_resamples,
        the_range_of_thresholds_as_good_is_that_about_the_chosen_one,
        what_trivial_rules_the_conditions_allow,
        how_surely_a_condition_holds_is_normal_on_its_logit,
        savings_on_new_cases_are_those_on_these_less_the_optimism,
        changes_are_the_best_thresholds_under_other_numbers,
        the_objective_is_drawn_at_every_threshold,
        notes_name_what_is_odd_and_nothing_else,
    ):
        holds(case, d, loops)


def cases_of(group):
    names = [name for name, case in CASES.items() if group(case)]
    return pytest.mark.parametrize("name", names)


@cases_of(lambda case: case.cost is not None and not case.rows)
def test_a_decision_by_costs(name):
    as_its_resamples_say(name)


@cases_of(lambda case: case.cost is not None and case.rows)
def test_a_decision_by_costs_of_weights_or_clusters(name):
    as_its_resamples_say(name)


@cases_of(lambda case: case.cost is None and case.measure is not None)
def test_a_decision_by_a_measure(name):
    as_its_resamples_say(name)


@cases_of(lambda case: case.cost is None and case.measure is None and not case.rows)
def test_a_decision_by_a_capacity(name):
    as_its_resamples_say(name)


@cases_of(lambda case: case.cost is None and case.measure is None and case.rows)
def test_a_decision_by_a_capacity_of_weights(name):
    as_its_resamples_say(name)


@pytest.mark.parametrize(("failed", "is_told"), [(0, False), (5, False), (6, True), (10, True)])
def test_where_most_resamples_have_no_threshold_nothing_is_said_of_new_cases(failed, is_told):
    thresholds = np.array([nan] * failed + [0.3, 0.4, 0.5, 0.6, 0.7, 0.4, 0.4, 0.3, 0.5, 0.6][failed:])
    groups = Groups(np.arange(5), np.array([0.7, 0.6, 0.5, 0.4, 0.3]))
    counts, none = (3.0, 1.0, 1.0, 3.0, 2.0, 8.0), np.zeros(6)
    drawn = _Drawn(
        Rule.of(maximize="recall"), groups, thresholds, counts, counts, counts, none, none, none, 0.0
    )
    found = drawn.threshold(0.4, LEVEL, None)
    honest = _honest(Estimate(0.75, 0.5, 0.9, LEVEL, "Wilson"), drawn, (0.0, 1.0))
    reason = "most resamples have no threshold that meets the conditions"
    assert (drawn.failed, drawn.number) == (failed / 10, 10)
    assert (found.reason == reason) == (honest.reason == reason) == is_told
    assert found.has_interval != is_told
    assert honest.is_undefined == is_told
