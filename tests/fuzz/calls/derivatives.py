"""Standard errors by brute force: how far each case moves a measure, by a small change of its weight, and no formula.

A measure's value is asked for with the weight of one case a little larger and a little smaller. The slopes are the
influences of the cases, and the sum of their squares over what was drawn independently is the variance (Binder 1983,
International Statistical Review 51:279). An interval of a level next to 0 is as wide as its standard error, whatever
scale it is found on, so that one law holds for all measures and all ways of drawing cases.
"""

import re
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.special import gammaln, ndtri, stdtrit

STEP = 1e-5
"""By how much of the mean weight a case is made heavier and lighter."""


@dataclass(frozen=True)
class Slopes:
    """Of one measure: the weight times influence of each case, and of each unit that was drawn independently."""

    of_cases: np.ndarray
    of_units: np.ndarray
    unit: np.ndarray
    """The unit of each case."""
    number: float
    """Of units: clusters, cases, or as many equal ones as would say as much."""
    true: np.ndarray
    """The class of each case."""
    weight: np.ndarray
    """How much each case counts: of frequencies, how many there are."""
    cell: np.ndarray
    """What each case is called and truly is, `(2, cases)`."""
    value: float
    """That of the measure."""
    is_clustered: bool = False
    """Whether units are clusters."""
    sums: np.ndarray | None = None
    """What the cases of each cluster move, before the cluster is left out."""

    @property
    def variance(self):
        """That of a sum of independent parts, without a correction for what was estimated."""
        return float((self.of_units**2).sum())

    def corrected(self, number=None):
        """The same times n / (n - 1)."""
        number = self.number if number is None else number
        return self.variance * number / (number - 1)

    @property
    def error(self):
        """The standard error of the corrected variance."""
        return self.corrected() ** 0.5

    def by_class(self):
        """The variance where each class has its own correction, and its degrees of freedom; of cases drawn alone."""
        variance = 0.0
        for each in np.unique(self.true[self.weight > 0]):
            of, w = self.of_units[self.true == each], self.weight[self.true == each]
            size = equal(w)
            variance += (of**2).sum() * (size / (size - 1) if size > 1 else np.nan)
        uneven = (self.of_units**4).sum() - variance**2 / self.number
        return variance, max(
            1.0, min(self.number, 2 * variance**2 / uneven if uneven > 0 else self.number) - 1
        )

    def alike_in(self, held):
        """How many units of equal size say as much as those with these cases (Carter et al. 2017), at least 2."""
        sizes = np.bincount(self.unit[held], self.weight[held])
        return min(np.count_nonzero(sizes), max(2.0, equal(sizes))) if self.is_clustered else equal(sizes)

    @property
    def alike(self):
        """The same of all units."""
        return self.alike_in(self.weight > 0) if self.is_clustered else self.number

    @property
    def powers(self):
        """Sums of squares and of fourth powers, of which degrees of freedom are; of clusters of their sums."""
        terms = self.of_units if self.sums is None else self.sums
        return float((terms**2).sum()), float((terms**4).sum())

    @property
    def degrees(self):
        """Satterthwaite's degrees of freedom, 2 V² / var(V), at least 1 and at most n; of clusters by their sums."""
        squares, fourths = self.powers
        uneven = fourths - squares * squares / self.alike
        return max(1.0, min(self.alike, 2 * squares * squares / uneven if uneven > 0 else self.alike))

    def by_true_class(self):
        """Standard error and degrees of freedom by what each true class adds; of clusters each is corrected.

        A cluster moves each class as far as the class goes without it, and the number by the sum of these.
        """
        parts, alone, together, alike = [], 0.0, np.zeros(self.unit.max() + 1), []
        correction = self.number / (self.number - 1)
        for each in np.unique(self.true[self.weight > 0]):
            of = (self.true == each) & (self.weight > 0)
            sums = np.bincount(self.unit[of], self.of_cases[of], together.size)
            parts.append((sums**2).sum())
            if self.is_clustered:
                sums *= left_out(np.bincount(self.unit[of], self.weight[of], together.size))
                together += sums
                held = np.unique(self.unit[of]).size
                alone += (sums**2).sum() * ((held / (held - 1) if held > 1 else 1.0) - correction)
            alike.append(max(2.0, self.alike_in(of)))
        parts, alike = np.array(parts), np.array(alike)
        kept = parts > 1e-16
        degrees = parts.sum() ** 2 / (parts[kept] ** 2 / (alike[kept] - 1)).sum()
        variance = (together**2).sum() * correction + alone if self.is_clustered else self.corrected()
        return variance**0.5, max(1.0, min(degrees, self.degrees - 1))


def left_out(sizes):
    """How many times as far a cluster of each size moves a number as one of n equal ones, where it is left out."""
    units = np.count_nonzero(sizes)
    rest = sizes.sum() - sizes
    return (
        (1 - 1 / units) * sizes.sum() / np.where(rest > 0, rest, np.inf) if units > 1 else np.ones(sizes.size)
    )


def slopes(rows, measures, step=STEP):
    """The slopes of each measure by its name; `rows` are arguments of `assess`, with numbers for labels.

    A measure that has a corner here, as a maximum has where two tie, or that is undefined beside here, has none.
    """
    truth, score = rows["y_true"], np.asarray(rows["y_score"])
    given = rows.get("weight", rows.get("frequency"))
    weight = np.ones(truth.size) if given is None else np.asarray(given, float)
    found, kinks = {each.name: np.zeros(truth.size) for each in measures}, set()
    _, place = np.unique(np.column_stack([truth, score]), axis=0, return_inverse=True)
    place = place.ravel()
    by, here = step * weight.mean(), values(rows, measures, weight)
    for i in np.unique(place[weight > 0]):
        moved = np.zeros(truth.size)
        moved[np.flatnonzero((place == i) & (weight > 0))[0]] = by
        ends = (values(rows, measures, weight + moved), values(rows, measures, weight - moved))
        for each, at, one, other in zip(measures, here, *ends, strict=True):
            found[each.name][place == i] = (one - other) / (2 * by)
            if not abs(one + other - 2 * at) <= 1e-3 * abs(one - other) + 1e-12:
                kinks.add(each.name)
    of_each = dict(zip(found, here, strict=True))
    return {
        name: _of(weight * each, weight, rows, of_each[name])
        for name, each in found.items()
        if name not in kinks
    }


def called(score):
    """What each row is called."""
    return (score >= 0.5).astype(int) if score.ndim == 1 else score.argmax(1)


def values(rows, measures, weight):
    """The value of each measure of the rows with these weights."""
    from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable

    truth, score, labels = rows["y_true"], np.asarray(rows["y_score"]), tuple(rows["labels"])
    two = score.ndim == 1

    @cache
    def table(needs):
        if needs in ("counts", "margins", "matrix"):
            matrix = ConfusionMatrix.from_codes(called(score), truth, labels, weight=weight)
            return matrix.one_vs_rest(labels[1]) if needs == "counts" else matrix
        if two:
            return ScoreTable.from_rows(score, truth == 1, weight=weight)
        made = ClassScoreTable if needs == "class_scores" else CaseTable
        return made.from_rows(score, truth, labels, weight=weight)

    return [
        float(each(table("scores" if two and each.needs == "probabilities" else each.needs)))
        for each in measures
    ]


def _of(moved, weight, rows, value):
    true = rows["y_true"]
    more = {"cell": np.stack([called(np.asarray(rows["y_score"])), true]), "value": value}
    if "cluster" in rows:
        code = np.unique(rows["cluster"], return_inverse=True)[1]
        number = np.unique(code[weight > 0]).size
        moves = np.isin(true, np.unique(true[abs(moved) > 1e-12]))
        sums = np.bincount(code, moved)
        of_units = sums * left_out(np.bincount(code[moves], weight[moves], code.max() + 1))
        more |= {"is_clustered": True, "sums": sums}
        return Slopes(moved, of_units, code, number, true, weight, **more)
    if "frequency" in rows:
        times = np.asarray(rows["frequency"])
        one = np.divide(moved, times, out=np.zeros(moved.size), where=times > 0)
        many = np.ones(times.sum())
        more["cell"] = np.repeat(more["cell"], times, axis=1)
        return Slopes(
            moved,
            np.repeat(one, times),
            np.arange(moved.size),
            times.sum(),
            np.repeat(true, times),
            many,
            **more,
        )
    return Slopes(moved, moved, np.arange(moved.size), equal(weight), true, weight, **more)


def equal(weight):
    """How many equal cases say as much (Kish 1965, Survey Sampling, 8.2)."""
    return weight.sum() ** 2 / (weight**2).sum() if weight.any() else 0.0


def told(narrow, wide):
    """The standard error that the two ends tell, from those of two levels so low that every scale is straight.

    What an end allows for beside its standard error, such as a bias, is in both.
    """
    by = ndtri(0.5 + wide.level / 2) - ndtri(0.5 + narrow.level / 2)
    return (narrow.low - wide.low) / by, (wide.high - narrow.high) / by


def wider(degrees):
    """How much wider the narrowest interval is by Student's quantile than by the normal one."""
    if np.isinf(degrees):
        return 1.0
    return float(np.sqrt(degrees / 2) * np.exp(gammaln(degrees / 2) - gammaln((degrees + 1) / 2)))


def expected(found, bounds, error, quantile):
    """The ends of an interval of a value, by the scale that its method names; None where it names none."""
    value, (low, high) = found.value, bounds
    if not low < value < high:
        return None
    steps = np.array([-quantile * error, quantile * error])
    if re.search("(^|, )Wilson(,|$)", found.method) and "less" not in found.method:
        cases = value * (1 - value) / error**2  # of which a share would vary as much
        middle = (value + quantile**2 / (2 * cases)) / (1 + quantile**2 / cases)
        half = (
            quantile
            * np.sqrt(value * (1 - value) / cases + (quantile / (2 * cases)) ** 2)
            / (1 + quantile**2 / cases)
        )
        return middle - half, middle + half
    if re.search(r", log(,|$)|^log$", found.method):
        return value * np.exp(steps / value)
    if "log(1 - value)" in found.method:
        ends = high - (high - value) * np.exp(-steps / (high - value))
        if "or linear" in found.method:  # of each end the farther one
            ends = np.array([min(ends[0], value + steps[0]), max(ends[1], min(value + steps[1], high))])
        return ends
    if re.search("logit|Fisher z", found.method) and np.isfinite(high - low):
        to = np.log((value - low) / (high - value)) + steps * (high - low) / ((value - low) * (high - value))
        return low + (high - low) / (1 + np.exp(-to))
    if "robust (sandwich) variance, t" in found.method:
        return value + steps
    return None


BOTH, HIGH, LOW, EITHER, WIDTH = "both ends", "the high end", "the low end", "an end", "the width"
"""What tells the standard error. An end, where the other is no farther: an interval that is moved holds the value."""


MEASURED, SPARE = 0.09, 1.25
"""Factors farther apart than this are about what 47,000 small tables had at most; others may go beyond so much."""


@dataclass(frozen=True)
class Law:
    """The standard error that intervals tell, at which ends, and within which factors of it."""

    error: float
    degrees: float = np.inf
    ends: str = BOTH
    least: float = 1 - 2e-3
    most: float = 1 + 2e-3
    high: float | None = None
    """The standard error that the high end tells, where it is another than that of the low one."""

    def within(self, least, most, ends=None):
        """The same with other factors."""
        return replace(self, least=least, most=most, ends=ends or self.ends)

    def broken(self, narrow, wide):
        """How two intervals break it; None where they keep it."""
        by = wider(self.degrees)
        errors = (self.error, self.error if self.high is None else self.high)
        low, high = (each / (error * by) for each, error in zip(told(narrow, wide), errors, strict=True))
        return self._fault(low, high, narrow)

    def broken_on_scale(self, found, bounds):
        """How the interval of an ordinary level breaks it, on the scale that its method names; None where it does not.

        A scale of which the name says nothing is left out.
        """
        share = 0.5 + found.level / 2
        quantile = ndtri(share) if np.isinf(self.degrees) else stdtrit(self.degrees, share)
        ends = expected(found, bounds, self.error, quantile)
        if ends is None or self.high is not None or self.ends == WIDTH or self.most - self.least > 0.1:
            return None
        low, high = (abs(one - found.value) for one in (found.low, found.high))
        reach = [abs(each - found.value) for each in ends]
        return self._fault(
            *(one / other if other else 1.0 for one, other in zip((low, high), reach, strict=True)), found
        )

    def _fault(self, low, high, narrow):
        spare = SPARE if self.most - self.least > MEASURED else 1.0

        def keeps(found):
            return self.least / spare <= found <= self.most * spare

        kept = {BOTH: keeps(low) and keeps(high), LOW: keeps(low), HIGH: keeps(high)}
        kept[EITHER] = keeps(max(low, high))
        if kept.get(self.ends, keeps((low + high) / 2)):
            return None
        return f"{low:.5f} and {high:.5f} for 1 at {self.ends} ({self.least:g} to {self.most:g}): {narrow}"


OF_LARGEST = "lower limit Clopper-Pearson, upper limit Wilson"
UNHELD = (
    "sampling-error bound",
    "normal",
    "MOVER-R",
    "Clopper-Pearson",
    "1/2 added",
    "correct answer",
    "hull",
)
"""Methods of which no such law is known: their width is not a standard error's."""


def law(measure, method, drawn, slope):
    """The law of an interval, by the method that it names; None where none is known."""
    if any(word in method.replace(OF_LARGEST, "") for word in UNHELD) or slope.number < 3:
        return None
    short = re.sub(r"^(linearised|clusters|influence function|delta), ", "", method)
    if measure.base in CLASS_SCORES:
        return _of_class_scores(measure, short, drawn, slope)
    return next((each(measure, short, drawn, slope) for word, each in LAWS.items() if re.search(word, short)))


AT_RANDOM = ", one random case added"
"""What a method adds to its name that counts one case more, at random, in the end towards chance."""


def law_of_one(measure, found, drawn, slope, labels):
    """The law of an interval, also where one of its ends is that of the table with one case at random added."""
    known = law(measure, found.method.removesuffix(AT_RANDOM), drawn, slope)
    of_labels = measure.needs not in ("scores", "probabilities") and measure.name not in SUMS
    if known is not None and slope.is_clustered and of_labels:
        known = of_unequal_clusters(known)
    if known is None or not found.method.endswith(AT_RANDOM):
        return known
    moved, error = _with_a_case_at_random(measure, slope, labels, known.error)
    error /= wider(known.degrees)  # this end goes by the normal quantile
    errors = (error, known.error) if moved <= found.value else (known.error, error)
    return replace(known, error=errors[0], high=errors[1], ends=BOTH)


def of_unequal_clusters(known):
    """A law of labels in clusters: which cases a cluster is part of is another question for each measure.

    Standard errors of clusters left out in turn are .92 to 1.3 times those by the slopes and the part of all cases.
    """
    return known.within(0.85 * known.least, 1.35 * known.most)


def _with_a_case_at_random(measure, slope, labels, error):
    """The value of a table with one case added by the product of its margins, and its standard error, by slopes.

    Weighted cases count as so many equal ones; clusters, too, or as the fewer cases of which the standard error is that
    of the clusters.
    """
    from classay.tables import ConfusionMatrix

    cells = np.zeros((len(labels), len(labels)))
    np.add.at(cells, (slope.cell[0], slope.cell[1]), slope.weight)

    def value(of):
        return float(measure(ConfusionMatrix(of, labels)))

    def variance(of):
        by, found = STEP * of.sum() / of.size, 0.0
        for at in zip(*np.nonzero(of), strict=True):
            more, less_ = of.copy(), of.copy()
            more[at] += by
            less_[at] -= (down := min(by, of[at]))
            found += of[at] * ((value(more) - value(less_)) / (by + down)) ** 2
        return found

    number = equal(slope.weight)
    cells *= (min(number, slope.number) if slope.is_clustered else number) / cells.sum()
    if slope.is_clustered:
        cells *= max(1.0, variance(cells) / error**2)
    cells += np.outer(cells.sum(1), cells.sum(0)) / cells.sum() ** 2
    return value(cells), variance(cells) ** 0.5


def _of_wilson(measure, short, drawn, slope):
    if re.match(r"top_\w+_accuracy", measure.base):  # of which hits and misses are all that is known
        slope = replace(slope, cell=(slope.of_cases > 0).astype(int)[None])
    found = of_share(drawn, slope)
    if found is None or short == OF_LARGEST:
        return found and replace(found, ends=HIGH)
    if "optimism-corrected" in short:
        return Law(slope.error).within(0.9, 2.0, HIGH) if drawn != "alike" else replace(found, ends=HIGH)
    return found.within(0.88, 1.02) if "prevalence" in short else found


def _of_draws(measure, short, drawn, slope):
    if measure.name == "diagnostic_odds_ratio":
        return None  # so skewed that no low level makes it straight
    return Law(
        slope.variance**0.5 if drawn == "alike" else slope.error,
        ends=WIDTH,
        least=0.6,
        most=1.35 if drawn == "alike" else 2.5,
    )


def _of_students(measure, short, drawn, slope):
    """Of labels, by the delta method; of weights and clusters degrees of freedom may be fewer."""
    if measure.base == "mean_signed_error":
        return Law(slope.error, max(1.0, min(slope.alike - 1, slope.degrees)), least=0.98, most=1.08)
    if measure.base == "mean_reciprocal_rank":  # a mean of cases
        return Law(slope.error, slope.alike - 1)
    if drawn == "alike":
        return Law(slope.variance**0.5, max(1.0, min(slope.number - 1, slope.degrees)), ends=EITHER)
    if not measure.is_of_matrix:
        return Law(slope.error, slope.alike - 1, ends=EITHER, most=1.5)
    if drawn == "clustered":
        return _of_clusters_by_class(slope)
    squares = slope.variance
    uneven = _fourths(slope) - squares**2 / slope.number
    degrees = max(2.0, 2 * squares**2 / uneven) if uneven > 0 else slope.number
    degrees = max(1.0, min(slope.number - 1, degrees, _degrees_of_weights(slope)))
    return Law(slope.error, degrees, ends=EITHER)


def _of_clusters_by_class(slope):
    """The degrees of freedom of each true class, of as many clusters of equal size as say as much."""
    degrees = _degrees_by_class(slope, slope.alike_in, slope.alike)
    return degrees and Law(slope.corrected(degrees + 1) ** 0.5, degrees, ends=EITHER)


def _degrees_by_class(slope, units, most):
    """Those of each true class, by its part of the variance, with so many `units` (Satterthwaite 1946); at `most` all.

    None where one cluster holds all that moves the measure in a class.
    """
    parts, held = [], []
    for each in np.unique(slope.true[slope.weight > 0]):
        of = (slope.true == each) & (slope.weight > 0)
        parts.append((np.bincount(slope.unit[of], slope.of_cases[of]) ** 2).sum())
        held.append(units(of) if np.unique(slope.unit[of]).size > 1 else 1)
    parts, held = np.array(parts), np.array(held)
    if held[parts > 1e-16].min() < 2:
        return None
    parts, held = parts[held > 1], held[held > 1]
    return min(most - 1, parts.sum() ** 2 / (parts**2 / (held - 1)).sum())


def _degrees_of_sums(sums, alike):
    """The lesser of one fewer than clusters of equal size, and those of the fourth moments of clusters; at least 1."""
    squares, fourths = (sums**2).sum(), (sums**4).sum()
    uneven = fourths - squares**2 / alike
    return max(1.0, min(alike - 1, 2 * squares**2 / uneven if uneven > 0 else np.inf))


def _of_moments(measure, short, drawn, slope):
    found = Law(slope.error, (max(1.0, slope.degrees - 1)))
    if (
        measure.name == "area_under_prg"
    ):  # the tie in which its curve starts counts as if it lay at its middle
        return found.within(0.6, 1.7)
    if drawn == "weighted":  # cases of one score are taken to weigh alike
        found = found.within(0.88, 1.06) if re.search("robust", short) else found.within(0.96, 1.04)
    return replace(found, ends=HIGH) if "optimism-corrected" in short else found


def _of_losses(measure, short, drawn, slope):
    """Of what allows for one more case at the end that is worse."""
    if "mean_probability" in measure.name:
        return _of_class_mean(measure, drawn, slope)
    found = Law(slope.error, (max(1.0, min(slope.alike - 1, slope.degrees))))
    if measure.name == "observed_expected_ratio":
        return found.within(0.93, 1.25)
    best = HIGH if measure.best == measure.bounds[1] else LOW
    if "log(1 - value)" in short:  # one more case is another loss of the base rate as well
        return found.within(0.9, 2.0, best)
    if "partial" in measure.name:  # whose end may lie among equal scores
        return found.within(0.45, 1.5, best)
    return replace(found, ends=best) if drawn != "weighted" else found.within(0.93, 1.3, best)


def _of_class_mean(measure, drawn, slope):
    """Of a mean over one class: of its cases, or the clusters that hold one; the end away from 1/2 has no case more."""
    held = (slope.true == measure.name.endswith("_positives")) & (slope.weight > 0)
    number = np.unique(slope.unit[held]).size if slope.is_clustered else equal(slope.weight[held])
    if number < 2:
        return None
    alike = slope.alike_in(held) if slope.is_clustered else number
    squares, fourths = slope.powers
    uneven = fourths - squares**2 / alike
    degrees = max(1.0, min(alike - 1, 2 * squares**2 / uneven if uneven > 0 else alike))
    found = Law(slope.corrected(number) ** 0.5, degrees, ends=HIGH if slope.value > 1 / 2 else LOW)
    return found.within(0.93, 1.06) if drawn == "weighted" else found


def of_share(drawn, slope):
    """Of a share, whose cases are those that move it: upwards what it counts, downwards what it does not."""
    moved = np.where(np.abs(slope.of_cases) > 1e-9 * np.abs(slope.of_cases).max(), slope.of_cases, 0)
    up, down = moved > 0, moved < 0
    if drawn == "alike":
        return Law(slope.variance**0.5)
    if min(up.sum(), down.sum()) < 1:
        return None
    w, inside = slope.weight, up | down
    if drawn == "weighted":
        few, most = min(equal(w[up]), equal(w[down])) < NEARLY * FEW, _most_equal(slope, up, down)
        variance, degrees = slope.corrected(), _degrees_of_a_share(slope, inside, few)
    else:
        units = [np.unique(slope.unit[each]).size for each in (up, down, inside)]
        if units[2] < 2:
            return None
        variance, degrees = slope.corrected(units[2]), slope.alike_in(inside & (slope.weight > 0)) - 1
        few, most = min(units) < FEW, equal(w[inside])
    # p (1 - p) of the share, in the unit of what it is turned into
    share, total = w[up].sum() / w[inside].sum(), w[inside].sum()
    turned = total * ((slope.of_cases[up] / w[up]).mean() - (slope.of_cases[down] / w[down]).mean())
    whole = share * (1 - share) * turned**2
    cases = max(1.0, whole / variance)
    return Law((whole / (min(cases, most) if few else cases)) ** 0.5, degrees)


NEARLY = 1 - 1e-9
"""Of numbers of equal cases, which are known but for rounding."""
FEW = 5
"""Cases of the rarer outcome, or clusters with them, below which a share claims no more cases than it has."""


def _typical(slope, held):
    """The weight of a typical case: sum w² / sum w."""
    return (slope.weight[held] ** 2).sum() / slope.weight[held].sum()


def _degrees_of_weights(slope):
    """2 / cv² by how much less sure the variance is than that of equal cases (Satterthwaite 1946).

    The cases of a cell of the table are taken to weigh alike. Those that do not move the measure do not count.
    """
    held = _moving(slope)
    w, z = slope.weight[held], slope.of_cases[held] / slope.weight[held]
    each = (w**2).sum() / w.sum()
    of_equal = each**3 * (w * z**4).sum() / (each * (w * z**2).sum()) ** 2
    cv = _fourths(slope) / slope.variance**2 - of_equal
    return max(1.0, 2 / cv) if cv > 1e-9 else np.inf


def _degrees_of_a_share(slope, inside, few):
    """The same, and one fewer than its equal cases at most where the cells are known to weigh unlike.

    Where few of an outcome were seen, the most cases that it may claim allow for this.
    """
    degrees = _degrees_of_weights(slope)
    if few or not _weigh_unlike(slope):
        return degrees
    return max(1.0, min(degrees, equal(slope.weight[inside]) - 1))


def _weigh_unlike(slope):
    """Whether a cell's typical weight is another than that of all cases that move the measure."""
    held = _moving(slope)
    typical = _typical(slope, held)
    return bool((np.abs(_typical_of_cells(slope, held) / typical - 1) > 1e-9).any())


def _moving(slope):
    """The cases with a weight that move the measure."""
    size = np.abs(slope.of_cases)
    return (slope.weight > 0) & (size > 1e-9 * size.max())


def _typical_of_cells(slope, held):
    """The typical weight of the cell of each case."""
    w = slope.weight[held]
    _, of = np.unique(slope.cell[:, held], axis=1, return_inverse=True)
    return (np.bincount(of.ravel(), w**2) / np.bincount(of.ravel(), w))[of.ravel()]


def _fourths(slope):
    """The sum of the fourth powers of the slopes of weighted cases, of which those of a cell weigh alike."""
    held = slope.weight > 0
    w, z = slope.weight[held], slope.of_cases[held] / slope.weight[held]
    return (w * _typical_of_cells(slope, held) ** 3 * z**4).sum()


def _most_equal(slope, up, down):
    """The most equal cases that a share with few of an outcome may claim: the rarer may weigh as the commoner does.

    Or more, as cases outside the share that are like the rarer weigh more than those like the commoner.
    """
    outside, like = ~(up | down) & (slope.weight > 0), None
    for line in slope.cell[::-1]:  # of the same truth, or called the same
        found = [outside & np.isin(line, line[each]) for each in (up, down)]
        if not (found[0] & found[1]).any() and found[0].any() and found[1].any():
            like = found
            break
    return _claimed(slope, up | down, (up, down), like)


def _claimed(slope, inside, outcomes, like):
    """The fewest of both outcomes, where as many cases are of one as of the other."""
    sizes, each = [equal(slope.weight[of]) for of in outcomes], []
    for rarer in (0, 1):
        if sizes[rarer] * NEARLY > sizes[1 - rarer]:
            continue
        typical = _typical(slope, outcomes[1 - rarer])
        if like is not None and like[0].any() and like[1].any():
            typical *= max(1.0, _typical(slope, like[rarer]) / _typical(slope, like[1 - rarer]))
        each.append(slope.weight[inside].sum() / typical)
    return max(1.0, min(equal(slope.weight[inside]), *each))


def _of_class_scores(measure, short, drawn, slope):
    """Of several classes in one sum, of which each class is as large as its own cases make it."""
    if drawn == "clustered":
        found = Law(slope.error, (max(1.0, slope.degrees - 1)))
    else:
        variance, degrees = slope.by_class()
        found = Law(variance**0.5, (degrees)) if variance > 0 else None
    if found is None or "ranked" not in measure.name:
        return found
    return found.within(0.9, 1.01, HIGH if "skill" in measure.name else LOW)


def _of_auc(measure, short, drawn, slope):
    """Of roc_auc and Gini's coefficient: DeLong's variance, beside which a model's counts for some degrees of freedom.

    The model's variance is that of Newcombe's method 5; where it is the greater, it counts for 4 + 8 (30 / smaller
    class)² degrees (Smyth 2004). Of clusters Obuchowski's variance (1997), in which each class has its own correction.
    """
    if drawn == "clustered" and (measure.base in ("roc_auc", "gini") or is_mean_auc(measure)):
        return _of_obuchowski(slope)
    if measure.base not in ("roc_auc", "gini"):
        return Law(slope.error, least=0.99, most={"alike": 3.5, "weighted": 4.0}.get(drawn, 2.2))
    by = 2 if measure.base == "gini" else 1
    auc = (slope.value + by - 1) / by
    classes = [slope.true == each for each in (1, 0)]
    sizes = np.array([equal(slope.weight[each]) for each in classes])
    if sizes.min() <= 1:
        return None
    powers = [[(slope.of_units[each] ** power).sum() / by**power for each in classes] for power in (2, 4)]
    squares, fourths = (np.array(each) for each in powers)
    own = squares * sizes / (sizes - 1)
    variance, uneven = own.sum(), (fourths - squares**2 / sizes).sum()
    degrees = variance**2 / (own**2 / (sizes - 1)).sum()
    degrees = max(1.0, min(degrees, 2 * variance**2 / uneven if uneven > 0 else degrees))
    extra = sizes.mean() - 1
    model = auc * (1 - auc) * (1 + extra * ((1 - auc) / (2 - auc) + auc / (1 + auc))) / sizes.prod()
    prior = 4 + 8 * (30 / sizes.min()) ** 2
    ratio = variance / model
    if ratio < 1:
        ratio = (degrees * ratio + prior) / (degrees + prior)
    found = Law(by * (ratio * model) ** 0.5, degrees + prior)
    # of weights the cases that were not seen may weigh more, which makes the model's part larger
    return found.within(1 - 2e-3, 2.0) if drawn == "weighted" else found


def is_mean_auc(measure):
    """Whether a measure is a mean of AUCs of several classes."""
    return bool(re.search("^(macro|weighted)_roc_auc|one_vs_one_roc_auc|hand_till", measure.base))


def _of_obuchowski(slope):
    """Of clusters: each class has its own correction, and is without a cluster what its other clusters make of it.

    What the sizes of classes move is without a cluster what all other clusters make of it. The AUC of two classes has
    as many degrees of freedom as equal clusters hold the rarer class, less one; of a mean, each class has its own.
    """
    held, number = slope.weight > 0, slope.unit.max() + 1
    whole = slope.number / (slope.number - 1)
    of_sizes, sums, parts, units = np.zeros(number), np.zeros(number), [], []
    classes = [(slope.true == each) & held for each in np.unique(slope.true[held])]
    for of in classes:
        size = np.bincount(slope.unit, np.where(of, slope.weight, 0), number)
        mean = slope.of_cases[of].sum() / size.sum()
        own = np.bincount(slope.unit, np.where(of, slope.of_cases, 0), number) - mean * size
        of_sizes += mean * size
        sums += own * left_out(size)
        parts.append(((own * left_out(size)) ** 2).sum())
        units.append(np.count_nonzero(size))
    if min(units) < 2:
        return None
    parts, units = np.array(parts), np.array(units)
    sums += of_sizes * left_out(np.bincount(slope.unit, slope.weight))
    variance = (sums**2).sum() * whole + (parts * (units / (units - 1) - whole)).sum()
    if len(classes) > 2:
        degrees = variance**2 / ((parts * units / (units - 1)) ** 2 / (units - 1)).sum()
    else:
        degrees = min(slope.alike_in(of) for of in classes) - 1
    return Law(variance**0.5, max(1.0, min(slope.degrees - 1, degrees)))


NEAR_AN_END = 0.99


def _of_order(measure, short, drawn, slope):
    if measure.base == "equal_error_rate":
        return Law(slope.error, least=0.95, most=1.6 if drawn == "alike" else 4.0)
    if measure.base == "rate_gap":
        return Law(slope.variance**0.5) if drawn == "alike" else Law(slope.error, most=4.0)
    if drawn == "alike":
        return Law(slope.error, ends=HIGH, least=0.75, most=1.25)
    if abs(slope.value) > NEAR_AN_END:  # one more case is more than the whole standard error
        return None
    return Law(slope.error, ends=EITHER, least=0.85, most=20.0)


def _of_shared(measure, short, drawn, slope):
    """Of a sum of terms, each Wilson's at its part of the quantile, by Cauchy and Schwarz no more than the whole."""
    if (
        measure.base == "macro_mean_absolute_error"
    ):  # of clusters no correlation of classes counts as negative
        least, most = {"alike": (0.97, 3.5), "weighted": (0.3, 11.0)}.get(drawn, (0.5, 9.0))
        return Law(slope.error, ends=EITHER, least=least, most=most)
    if measure.name in SUMS:
        return _of_sum(drawn, slope, *SUMS[measure.name])
    if "effective sample size" in short:  # a class stands for one case at least, and for no more than it has
        return Law(slope.error, ends=EITHER, least=0.6, most=5.0)
    if drawn == "alike":  # a share at its end has no part of one end
        return Law(slope.variance**0.5, ends=EITHER, least=0.8, most=1.005)
    if drawn == "weighted":  # where a bias moves the other end behind the value, this one tells
        return Law(slope.error, ends=EITHER, least=0.4 if _has_an_end(slope) else 0.95, most=5.0)
    return Law(slope.error, ends=EITHER, least=0.65, most=5.0)


def _has_an_end(slope):
    """Whether a class has no right answer or nothing else, of those called so or those that truly are."""
    right = slope.cell[0] == slope.cell[1]
    shares = [
        np.average(right[of], weights=slope.weight[of])
        for line in slope.cell
        for each in np.unique(slope.cell)
        if slope.weight[of := line == each].any()
    ]
    return bool(np.isin(shares, (0, 1)).any())


SUMS = {
    "macro_recall": (1, 1, None),
    "balanced_accuracy": (1, 1, None),
    "macro_false_negative_rate": (1, -1, None),
    "macro_precision": (0, 1, None),
    "macro_false_discovery_rate": (0, -1, None),
    "informedness": (1, 1, 1.0),
    "single_point_auc": (1, 1, 0.5),
    "markedness": (0, 1, 1.0),
}
"""Sums of the shares of right answers in a class: by what cases are called or truly are, with sign and factor."""


def _of_sum(drawn, slope, line, sign, by):
    """Each share is Wilson's at its part of the quantile: z (R a) / sqrt(a' R a), a how far one standard error reaches.

    R are the correlations of the shares, none of them negative. Few of an outcome claim no more cases than there are.
    What the shares vary makes up the variance of the sum; in clusters each varies by the jackknife of its class, though
    its limits are those of one case at least. So where one cluster has most of a class, the ends tell less.
    """
    w, (of_class, other_way) = slope.weight, (slope.cell[line], slope.cell[1 - line])
    classes = [each for each in np.unique(slope.cell) if w[of_class == each].sum() > 0]
    by = 1 / len(classes) if by is None else by
    shares = [_share(drawn, slope, of_class, other_way, each) for each in classes]
    if None in shares:
        return None
    share, cases, variance, quantile = (np.array([each[i] for each in shares]) for i in range(4))
    together, stretch = np.eye(share.size), 1.0
    if drawn == "clustered":
        sums = np.array([each[4] for each in shares])
        crossed = sums @ sums.T
        deviation = np.sqrt(crossed.diagonal())
        with np.errstate(invalid="ignore"):
            together = np.clip(np.nan_to_num(crossed / deviation[:, None] / deviation), 0, 1)
        np.fill_diagonal(together, 1.0)
    off = by * np.sqrt(variance)
    if drawn != "alike" and (off @ together @ off) > 1e-24:
        whole = slope.corrected() ** 0.5
        if drawn == "clustered":
            counted = _degrees_by_class(slope, lambda of: np.unique(slope.unit[of]).size, slope.number)
            if counted is None:
                return None
            whole = slope.corrected(counted + 1) ** 0.5
        stretch = whole / (off @ together @ off) ** 0.5
    errors = []
    for side in (-1, 1):
        half = np.sqrt(share * (1 - share) / cases + 1 / (4 * cases**2))
        off = np.abs((share + 1 / (2 * cases) + side * half) / (1 + 1 / cases) - share)
        parts = together @ off / np.sqrt(off @ together @ off)
        errors.append(float((by * np.sqrt(share * (1 - share) / cases) * quantile * parts).sum()) * stretch)
    low, high = errors[::sign]
    return Law(low, high=high).within(0.995, 1.01) if min(errors) > 0 else None


def _share(drawn, slope, of_class, other_way, each):
    """The share of right answers in a class, its equal cases, variance, quantile, and the sums of its clusters."""
    w, inside = slope.weight, of_class == each
    hit, miss = (inside & (slope.weight > 0) & ((other_way == each) == of) for of in (True, False))
    total = w[hit].sum() + w[miss].sum()
    share, moved = w[hit].sum() / total, np.zeros(w.size)
    moved[hit], moved[miss] = w[hit] * (1 - share) / total, -w[miss] * share / total
    if drawn == "alike":
        return share, total, share * (1 - share) / total, 1.0, None
    number, degrees, sums = slope.number, np.inf, None
    if drawn == "weighted":
        own = replace(slope, of_cases=moved, of_units=moved)
        like = [~inside & (w > 0) & ((other_way == each) == of) for of in (True, False)]
        few = min(equal(w[hit]), equal(w[miss])) < NEARLY * FEW
        most = _claimed(slope, inside, (hit, miss), like) if few else np.inf
        variance = own.corrected(number)
        units = min(equal(w[inside]), most)
        degrees = _degrees_of_a_share(own, inside, few) if variance > 1e-24 else np.inf
    else:
        held = inside & (w > 0)
        sums, sizes = (np.bincount(slope.unit[held], of[held], slope.unit.max() + 1) for of in (moved, w))
        units, *of = (np.unique(slope.unit[held]).size for held in (hit | miss, hit, miss))
        if units < 2:
            return None
        variance = ((sums * left_out(sizes)) ** 2).sum() * units / (units - 1)
        most = units if min(of) == 0 else equal(w[inside]) if min(of) < FEW else np.inf
    cases = min(most, max(1.0, share * (1 - share) / variance)) if variance > 1e-24 else units
    quantile = wider(degrees)
    if drawn == "clustered" and variance > 1e-24:
        alike = slope.alike_in(held)
        quantile = wider(_degrees_of_sums(sums, alike))
        # no share varies more than that of clusters that are right or wrong as a whole, all as large as the largest
        quantile = min(quantile, wider(alike - 1) * (cases * sizes.max() / sizes.sum()) ** 0.5)
    return share, cases, variance, quantile, sums


CLASS_SCORES = ("ranked_probability_score", "ranked_probability_skill", "macro_average_precision")
CLASS_SCORES += ("micro_average_precision", "micro_roc_auc")
LAWS = {
    "score test over|MOVER-Wilson$|Fisher z, one pseudo-case added": _of_order,
    "limits combined": _of_shared,
    "Wilson": _of_wilson,
    "posterior": _of_draws,
    "DeLong|Obuchowski|moderated|^logit$": _of_auc,
    "^log$": lambda measure, short, drawn, slope: (
        Law(slope.variance**0.5)
        if measure.name == "diagnostic_odds_ratio"
        else _of_moments(measure, short, drawn, slope)
    ),
    "^t, (logit|Fisher z)$": _of_students,
    "one pseudo-case added": _of_losses,
    "": _of_moments,
}
"""The laws by words in the name of a method, the first that is found."""


def less(one, other, rows):
    """The slopes of a difference, from those of its two values."""
    given = rows.get("weight", np.ones(rows["y_true"].size))
    return _of(one.of_cases - other.of_cases, np.asarray(given, float), rows, one.value - other.value)


def law_of_difference(method, slope, measure):
    """The law of the interval of a difference of two models of the same cases; None where none is known."""
    of_labels = measure.is_of_matrix
    if of_labels and measure.name != "accuracy" and re.match("(clusters, t|linearised)$", method):
        of_classes = Law(*slope.by_true_class())
        return of_classes if slope.is_clustered else of_classes.within(0.9, 1.1)  # of a cell all weigh alike
    if of_labels and method == "linearised":
        return Law(slope.error, max(1.0, slope.degrees - 1)).within(0.9, 1.1)
    if method == "influence function, t":
        return Law(*slope.by_true_class())
    laws = {
        "Tango": lambda: Law(slope.variance**0.5),
        "delta$": lambda: Law(slope.error),
        "linearised$": lambda: Law(slope.error),
        "paired t": lambda: Law(slope.error, (slope.alike - 1)),
        "(clusters|influence function|linearised), t": lambda: Law(
            slope.error, (max(1.0, slope.degrees - 1))
        ),
    }
    return next((made() for word, made in laws.items() if re.match(word, method)), None)
