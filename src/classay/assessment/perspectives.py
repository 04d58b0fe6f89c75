"""Other views of an assessment: each class, another prevalence, against chance, at a threshold and its costs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import of_labels
from classay.assessment import views
from classay.assessment.assessment_warnings import column_warnings
from classay.assessment.flow import missing_in
from classay.assessment.views import of_bins, sampled_table
from classay.columns.numbers import counted
from classay.decision.choosing import Chosen, decide
from classay.decision.costs import Costs
from classay.decision.decision import Decision
from classay.decision.expected_cost import ExpectedCost, Moments, expected_cost
from classay.decision.rules import Rule
from classay.errors import InputError
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.design import Design
from classay.inference.estimate import Estimate, p_equation, settled
from classay.inference.intervals import SampledTable
from classay.inference.prevalence import (
    at_prevalence,
    check_prevalence,
    effective_counts,
    moves_with_prevalence,
    scores_at_prevalence,
    wider_together,
)
from classay.inference.proportions import stretched
from classay.measures import Measure, get, roc_auc
from classay.measures.matrices import per_class as of_each_class
from classay.measures.vocabulary import NOT_PROBABILITIES, first_met
from classay.once import memoize
from classay.shown import Reportable, frame_of
from classay.tables import BinaryCounts, ConfusionMatrix, ScoreTable
from classay.tables.bins import why_one_level
from classay.tables.rows import CodedRows
from classay.texts import hint, quote
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


PER_CLASS = (
    "precision",
    "recall",
    "f1",
    "specificity",
    "negative_predictive_value",
    "jaccard",
    "prevalence",
    "predicted_prevalence",
)
"""The measures of each class that `per_class` gives; `one_vs_rest(label)` gives all of them for one class."""


def class_estimates(a: Assessment) -> dict[Hashable, dict[str, Estimate]]:
    """For each class against the rest, the measures of `PER_CLASS`, and its AUC where it has scores."""
    return some_classes(a, a.labels)


def some_classes(a: Assessment, labels: Sequence[Hashable]) -> dict[Hashable, dict[str, Estimate]]:
    """Return the same for some classes, those of `labels`; each is found once."""
    known = _known(a)
    missing = [label for label in labels if label not in known]
    if missing:
        known.update(_found(a, missing))
    return {label: known[label] for label in labels}


@memoize
def _known(a: Assessment) -> dict[Hashable, dict[str, Estimate]]:
    """Return the estimates of the classes that were asked for so far; pages ask for few of many, and more than once."""
    return {}


def _found(a: Assessment, labels: Sequence[Hashable]) -> dict[Hashable, dict[str, Estimate]]:
    by_label: dict[Hashable, dict[str, Estimate]] = {label: {} for label in labels}
    if a.confusion_matrix is not None:
        place = {label: i for i, label in enumerate(a.confusion_matrix.labels)}
        at = [place[label] for label in labels]
        of_labels = _counted_alike if a.coded is None and a.kind_of_weight != "sampling" else _counted_unlike
        for label, estimates in zip(labels, of_labels(a, a.confusion_matrix, at), strict=True):
            by_label[label] |= estimates
    if a.comparable_scores is not None:
        for label in labels:
            of_scores = sampled_table(a, a.comparable_scores.one_vs_rest(label), label)
            by_label[label] |= _of_class(a, label, ("roc_auc",), of_scores)
    return by_label


def worst_classes(a: Assessment, name: str, most: int) -> list[Hashable]:
    """Return the classes with the lowest values of a measure against the rest, those where it is undefined last.

    Of classes that tie, those with more cases come first: they weigh more.
    """
    assert a.confusion_matrix is not None
    values = of_each_class(get(name))(a.confusion_matrix)[: len(a.labels)]
    order = np.lexsort((-np.asarray(a.class_totals, dtype=np.float64), values))  # NaN sorts last
    return [a.labels[at] for at in order[:most]]


def _counted_alike(
    a: Assessment, matrix: ConfusionMatrix, at: Sequence[int]
) -> Iterator[dict[str, Estimate]]:
    """Of cases that count alike: classes with equal counts have equal estimates, which are computed once."""
    known: dict[tuple[float, ...], tuple[Hashable, dict[str, Estimate]]] = {}
    for i, counts in zip(at, np.stack(matrix.class_counts(), -1)[at], strict=True):
        key = tuple(counts.tolist())
        if key not in known:
            table = SampledTable(BinaryCounts(*counts), a.drawn, seed=a.seed)
            of_class = _of_class(a, matrix.labels[i], PER_CLASS, table)
            known[key] = (matrix.labels[i], of_class)
        first, estimates = known[key]
        yield {name: _about(estimate, name, first, matrix.labels[i]) for name, estimate in estimates.items()}


def _about(estimate: Estimate, name: str, first: Hashable, label: Hashable) -> Estimate:
    """The estimate of the first class of these counts as that of another: why it is undefined names the class."""
    if not estimate.is_undefined:
        return estimate
    return replace(estimate, reason=f"{_of(name, label)}{without_class(estimate.reason or '', name, first)}")


def _of(name: str, label: Hashable) -> str:
    """Return the words with which the reason of a class begins: what is undefined, and of which class."""
    return f"{name} of {quote(label)}: "


def without_class(reason: str, name: str, label: Hashable) -> str:
    """Return the reason alone, where what stands around it says of which measure and class."""
    return reason.removeprefix(_of(name, label))


def _counted_unlike(
    a: Assessment, matrix: ConfusionMatrix, at: Sequence[int]
) -> Iterator[dict[str, Estimate]]:
    """Of cases with sampling weights, or in clusters."""
    if a.coded is not None:
        for i in at:
            label = matrix.labels[i]
            yield _of_class(a, label, PER_CLASS, sampled_table(a, matrix.one_vs_rest(label), label))
        return
    squares = matrix.of_squares
    assert squares is not None
    of_class = [np.stack(table.class_counts(), -1)[at] for table in (matrix, squares)]
    for i, counts, squared in zip(at, *of_class, strict=True):
        table = SampledTable(BinaryCounts(*counts), a.drawn, squares=BinaryCounts(*squared), seed=a.seed)
        yield _of_class(a, matrix.labels[i], PER_CLASS, table)


def _of_class(
    a: Assessment, label: Hashable, names: Sequence[str], sampled: SampledTable
) -> dict[str, Estimate]:
    measures = {name: get(name) for name in names}
    why = {
        name: first_met(measure.undefined, measure.read((sampled.table,)), of_class=True)
        for name, measure in measures.items()
    }
    defined = [name for name in names if why[name] is None]
    estimates = sampled.estimates([measures[name] for name in defined], a.level, preferred=a.interval)
    known = dict(zip(defined, estimates, strict=True))
    return {
        name: of_bins(measures[name], sampled.table, known[name])
        if name in known
        else Estimate.undefined(f"{_of(name, label)}{why[name]}")
        for name in names
    }


MAIN = (
    "precision",
    "negative_predictive_value",
    "accuracy",
    "baseline_accuracy",
    "f1",
    "matthews_correlation",
    "average_precision",
    "log_loss",
    "brier_score",
)
"""What most readers want to know of another prevalence."""


@dataclass(frozen=True, eq=False)
class PrevalenceAdjusted(Reportable):
    """An assessment of two classes, read at another prevalence: the scores of each class stay, their shares change.

    `shifted["precision"]` is an `Estimate` whose method names the prevalence; `shifted.measures` all of them, as a
    frame; print it for the main ones. Sensitivity, specificity and the ROC curve stay what they are; predictive
    values, accuracy, F, average precision and losses move. That holds under label shift, not where the cases
    themselves are of another kind. Probabilities are taken as they are.

    >>> from classay import assess
    >>> a = assess([1] * 10 + [0] * 90, y_pred=[1] * 6 + [0] * 4 + [1] + [0] * 89)
    >>> a.at_prevalence(0.01)["precision"]
    Estimate(0.353 [0.079, 0.758] 95%, MOVER-R of Wilson limits, prevalence 0.01)
    """

    assessment: Assessment
    prevalence: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prevalence(self.prevalence)
        if not self.assessment.is_binary:
            raise InputError(
                "A prevalence needs one positive class, but there are several. Use "
                "one_vs_rest(label).at_prevalence(…)."
            )

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """What a reader must know of the columns before acting on the numbers."""
        return column_warnings(self.assessment)

    def applicable(self) -> list[Measure]:
        """Return the measures that can be read at another prevalence, in the order of the registry."""
        return [measure for measure in self.assessment.applicable() if measure.needs != "matrix"]

    def estimate(self, name: str | Measure) -> Estimate:
        """Return a measure by name or alias at this prevalence.

        Raises UnknownMeasureError when there is no such measure, InputError for a kappa of ordered classes.
        """
        a, measure = self.assessment, get(name)
        if measure.plain is not None:
            if measure.class_among(a.labels, a.positive) == a.positive:
                return self.estimate(measure.plain)
            raise InputError(
                f"The prevalence is that of {a.positive!r}, but {measure.name} is of another class. Use "
                f"assess(…, positive={measure.label!r})."
            )
        called = views.called(a, measure)
        table = called if isinstance(called, str) else called.table(measure)
        if isinstance(table, str):
            return Estimate.undefined(table)
        if not moves_with_prevalence(measure):
            return self._labelled(a.estimate(measure))
        if measure.needs in ("scores", "probabilities"):
            code = a.labels.index(a.positive)
            estimate = scores_at_prevalence(
                measure, table, self.prevalence, level=a.level, rows=a.coded, code=code
            )
            if estimate.reason == NOT_PROBABILITIES.text:
                estimate = replace(estimate, reason=a.why_improper)
        else:
            assert a.is_binary
            assert not isinstance(called, str)
            assert called.confusion_matrix is not None
            counts = called.confusion_matrix.one_vs_rest(a.positive)
            estimate = self._of_labels(measure, sampled_table(called, counts, a.positive))
            estimate = settled(measure, views.one_decision(called), estimate, a.level)
        if "set by the prevalence" in measure.traits and not estimate.is_undefined:
            return Estimate.bare(estimate.value, "determined by the assumed prevalence")
        return self._labelled(estimate)

    def _of_labels(self, measure: Measure, sampled: SampledTable) -> Estimate:
        a, counts, design = self.assessment, sampled.table, sampled.design
        assert isinstance(counts, BinaryCounts)
        assert isinstance(design, Design)
        if a.coded is None and a.kind_of_weight != "sampling":
            return at_prevalence(measure, counts, self.prevalence, level=a.level, seed=a.seed)
        if a.coded is not None and len(a.coded.clusters) < 2:
            value = at_prevalence(measure, counts, self.prevalence).value
            return Estimate.bare(value, "one cluster shows no variation")
        alike = at_prevalence(measure, counts, self.prevalence, level=a.level, seed=a.seed)
        counts = effective_counts(design, a.level)
        estimate = at_prevalence(measure, counts, self.prevalence, level=a.level, seed=a.seed)
        if estimate.is_undefined and not alike.is_undefined:
            return Estimate.bare(
                alike.value, "all cases of a class are in one cluster, which shows no variation"
            )
        how = "effective cases" if a.coded is None else "effective cases of clusters"
        if estimate.method is None:
            return estimate
        if a.coded is not None and estimate.has_interval:
            wider = wider_together(measure, design, self.prevalence)
            low, high = stretched(estimate.value, estimate.low, estimate.high, wider, measure.bounds)
            estimate = replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value))
        return replace(estimate, method=f"{estimate.method}, {how}")

    def __getitem__(self, name: str | Measure) -> Estimate:
        return self.estimate(name)

    def expected_cost(self, cost: Costs | Mapping[str, float | str]) -> ExpectedCost:
        """Return what the labels cost at this prevalence; see `Assessment.expected_cost`."""
        return self.assessment.expected_cost(cost, prevalence=self.prevalence)

    def estimates(self, names: Iterable[str | Measure] | None = None) -> dict[str, Estimate]:
        """Estimates by canonical name: of the named measures, or of all applicable ones."""
        wanted = self.applicable() if names is None else map(get, names)
        return {measure.name: self.estimate(measure.name) for measure in wanted}

    @property
    def main_measures(self) -> tuple[str, ...]:
        """The measures that prevalence moves and most readers want, of those that there are."""
        known = {measure.name for measure in self.applicable()}
        return tuple(name for name in MAIN if name in known)

    @property
    def measures(self) -> Any:
        """All applicable measures as a PyArrow table: measure, value, low, high, level, method, reason."""
        return frame_of([{"measure": name} | estimate.row for name, estimate in self.estimates().items()])

    @property
    def observed(self) -> float:
        """The prevalence among the cases of the assessment."""
        a = self.assessment
        return float(a.class_totals[a.labels.index(a.positive)] / a.class_totals.sum())

    def __repr__(self) -> str:
        return f"Shifted({self.assessment!r} at prevalence {self.prevalence:g})"

    def _labelled(self, estimate: Estimate) -> Estimate:
        if estimate.method is None:
            return estimate
        return replace(estimate, method=f"{estimate.method}, prevalence {self.prevalence:g}")


DROP = hint("unanswered='drop'", "--unanswered drop")
EXACT = 50
"""Cases up to which U without ties is tested by all orders, as R's `wilcox.test` does."""


@dataclass(frozen=True)
class ChanceTest:
    """A test against chance: the observed value, the value by chance, and the p-value, or None with the reason."""

    name: str
    statistic: float | None
    by_chance: float | None
    p_value: float | None
    method: str
    reason: str | None = None


def told(test: ChanceTest) -> str:
    """Return a test in a sentence.

    >>> told(ChanceTest("no_information_rate", 0.9, 0.53, 0.0001, "exact binomial, one-sided"))
    'Accuracy is 0.900, compared with 0.530 for the majority class (p < 0.001, exact binomial, one-sided).'
    """
    if test.reason is not None:
        what = "U" if test.name == "mann_whitney" else "Accuracy"
        return f"{what} is not tested against chance ({test.reason})."
    assert test.statistic is not None
    assert test.by_chance is not None
    assert test.p_value is not None
    p = p_equation(test.p_value)
    if test.name == "mann_whitney":
        return (
            f"Mann-Whitney U is {test.statistic:,.6g}, compared with {test.by_chance:,.6g} by chance ({p}, "
            f"{test.method})."
        )
    share = f"{test.by_chance:.3f} for the majority class"
    return f"Accuracy is {test.statistic:.3f}, compared with {share} ({p}, {test.method})."


def against_chance(a: Assessment) -> tuple[ChanceTest, ...]:
    """Return the tests that an assessment has: of the ranking, of the labels; see `Assessment.against_chance`."""
    why = {"clustered": "cases in a cluster depend on each other", "weighted": "the cases are weighted"}.get(
        a.drawn
    )
    tests = []
    if a.is_binary and a.scores is not None:
        tests.append(_refused("mann_whitney", why) if why else mann_whitney(a.scores))
    if a.confusion_matrix is not None:
        tests.append(_refused("no_information_rate", why) if why else no_information_rate(a))
    return tuple(tests)


@memoize
def mann_whitney(table: ScoreTable) -> ChanceTest:
    """U, the pairs of a positive and a negative case that the scores order rightly (ties count half), and its p-value.

    U = AUC · P · N, which is P · N / 2 by chance; two-sided. By all orders where no scores are tied and there are at
    most 50 cases, else by the normal distribution with the variance of ties and a correction of continuity. Mann &
    Whitney 1947, Annals of Mathematical Statistics 18:50; Lehmann 1975, Nonparametrics, section 1.4.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.8, 0.4, 0.3]), np.array([True, True, False, False]))
    >>> mann_whitney(table).statistic, round(mann_whitney(table).p_value, 4)
    (4.0, 0.3333)
    """
    name, p, n = "mann_whitney", float(table.n_positive), float(table.n_negative)
    if not p or not n:
        return _refused(name, f"no case is {'negative' if p else 'positive'}")
    u, cases = float(roc_auc(table)) * p * n, p + n
    together = table.positives + table.negatives
    tied = np.asarray(together[together > 1], np.float64)
    if cases <= EXACT and not tied.size:
        orders = _orders(int(p), int(n))
        further = abs(np.arange(orders.size) - p * n / 2) >= abs(round(u) - p * n / 2) - 1e-9
        return ChanceTest(name, float(round(u)), p * n / 2, float(min(1.0, orders[further].sum())), "exact")
    variance = p * n / 12 * (cases + 1 - (tied**3 - tied).sum() / (cases * (cases - 1)))
    if variance <= 0:
        return _refused(name, why_one_level(table), u, p * n / 2)
    from scipy.special import ndtr

    z = max(0.0, abs(u - p * n / 2) - 0.5) / sqrt(variance)
    method = "normal approximation with tie and continuity correction"
    return ChanceTest(name, u, p * n / 2, min(1.0, 2 * float(ndtr(-z))), method)


def no_information_rate(a: Assessment) -> ChanceTest:
    """Return how surely accuracy is above the share of the largest class, by the exact binomial test, one-sided.

    P(X >= hits) for X ~ Bin(cases, share of the largest class), the p of "accuracy > no information rate" in caret's
    `confusionMatrix`; the share is taken as known, though it is that of the same cases.

    >>> import classay as ca
    >>> a = ca.assess(ca.ConfusionMatrix.from_array([[50, 3], [7, 40]], ["no", "yes"], rows="true"), positive="yes")
    >>> no_information_rate(a).by_chance, no_information_rate(a).p_value < 1e-10
    (0.53, True)
    """
    assert a.confusion_matrix is not None
    totals = np.asarray(a.class_totals, np.float64)
    hits = float(np.asarray(a.confusion_matrix.margins.hits)[: len(a.labels)].sum())
    cases, name = float(totals.sum()), "no_information_rate"
    share = float(totals.max()) / cases
    if share == 1:
        return _refused(name, "all cases are of one class", hits / cases, share)
    from scipy.special import bdtrc

    p_value = float(bdtrc(round(hits) - 1, round(cases), share)) if hits else 1.0
    return ChanceTest(name, hits / cases, share, p_value, "exact binomial, one-sided")


def _refused(
    name: str, reason: str, statistic: float | None = None, by_chance: float | None = None
) -> ChanceTest:
    return ChanceTest(name, statistic, by_chance, None, "", reason)


def _orders(p: int, n: int) -> NDArray[np.float64]:
    """Return the chances of U = 0, …, p · n where all orders of the cases are equally likely: Gaussian coefficients."""
    ways = np.zeros(p * n + 1, np.int64)
    ways[0] = 1
    for i in range(1, p + 1):
        if n + i < ways.size:
            ways[n + i :] -= ways[: -(n + i)].copy()
        for start in range(i):  # divided by 1 - q^i
            ways[start::i] = np.cumsum(ways[start::i])
    return np.asarray(ways / ways.sum(), np.float64)


def threshold(
    a: Assessment,
    rule: Rule,
    *,
    prevalence: float | None = None,
    held_back: Assessment | None = None,
) -> Decision:
    """Return the decision of a rule on the cases of an assessment."""
    cases = decidable(a)
    table = cases.table
    if rule.cost is not None:
        rule = replace(rule, cost=rule.cost.of_two(table.labels))
    coefficients = None if rule.cost is None else rule.cost.array(table.labels, _names(table))
    amounts = None if a.coded is None else a.coded.amounts
    chosen = Chosen(rule, cases, coefficients, prevalence, amounts)
    other = None if held_back is None else AtThreshold(_like(a, held_back), prevalence)
    decision = decide(chosen, AtThreshold(a, prevalence), other)
    decision = replace(decision, decided_on=replace(decision.decided_on, model=a.model))
    warned = column_warnings(a)
    turned = (text for code, text in warned if code == "auc_below_half")
    notes = tuple(filter(None, (*turned, *decision.notes, left_out_of(a))))
    return replace(decision, notes=notes, of_columns=warned)


def left_out_of(a: Assessment) -> str:
    """Return how many cases are left out, and why; empty where there are none."""
    return (
        f"{counted(a.dropped)} with {missing_in(a)} {'is' if a.dropped == 1 else 'are'} excluded"
        if a.dropped
        else ""
    )


def decidable(a: Assessment) -> ScoredCases:
    """Return the cases with their scores. Raises InputError where no threshold can be chosen on them."""
    if a.no_answer is not None and a.unanswered:
        raise InputError(
            f"A threshold needs a score for every case, but {counted(a.unanswered)} without a score count as "
            f"incorrect. Use {DROP} to exclude them."
        )
    cases = a.scored_cases
    table = cases.table
    if not table.n_positive or not table.n_negative:
        raise InputError(
            "A threshold needs both classes, but all cases are "
            f"{'positive' if table.n_positive else 'negative'}."
        )
    infinite = int(np.isinf(table.scores).sum())
    if infinite:
        raise InputError(
            f"{infinite} distinct score{' is' if infinite == 1 else 's are'} infinite. A threshold needs "
            "finite scores."
        )
    return cases


@dataclass(frozen=True, eq=False)
class AtThreshold:
    """Reads the estimates of an assessment at any threshold, and at a prevalence if one is given."""

    assessment: Assessment
    prevalence: float | None = None

    def matrix(self, threshold: float) -> ConfusionMatrix:
        """Return the confusion matrix there."""
        return _scores(self.assessment).at(threshold)

    def estimate(self, name: str, threshold: float) -> Estimate:
        """Return a measure of labels there."""
        there, measure = self.assessment.at(threshold), replace(get(name), threshold=None)
        return there[measure] if self.prevalence is None else there.at_prevalence(self.prevalence)[measure]

    def cost(self, rule: Rule, threshold: float) -> ExpectedCost:
        """Return what it costs."""
        assert rule.cost is not None
        return cost_of(self.assessment.at(threshold), rule.cost, self.prevalence)


def cost_of(a: Assessment, costs: Costs, prevalence: float | None = None) -> ExpectedCost:
    """What the labels of an assessment cost. Raises InputError without labels, or amounts that rows do not carry."""
    matrix = a.confusion_matrix
    if matrix is None:
        raise InputError("A cost needs predicted labels. Set a threshold, or use at(threshold).")
    labels = a.labels
    if of_labels(matrix.labels) != matrix.labels:
        raise InputError(
            f"{counted(a.unanswered)} without a prediction count as incorrect. The cost of missing predictions "
            f"is not defined for several classes. Exclude them with {DROP}."
        )
    if a.is_binary:
        labels = tuple(sorted(a.labels, key=lambda label: label == a.positive))
        matrix = matrix.restrict(labels)
    elif prevalence is not None:
        raise InputError(
            "A prevalence needs one positive class, but there are several. Remove "
            f"{hint('prevalence=', '--prevalence')}."
        )
    coded: dict[str, Any] = {}
    if a.coded is not None:
        place = np.array([labels.index(label) for label in a.labels])
        coded = {"predicted": place[views.predicted_codes(a, a.coded)], "true": place[a.coded.true]}
    costs = costs.of_two(labels)
    matrix, rows = _of_amounts(matrix, a.coded, costs)
    amounts = matrix.amounts
    return expected_cost(
        Moments.of(matrix, rows, **coded, always=views.one_decision(a)),
        costs,
        labels,
        () if amounts is None else amounts.names,
        cases=a.n,
        prevalence=prevalence,
        level=a.level,
        seed=a.seed,
    )


def _of_amounts(
    matrix: ConfusionMatrix, rows: CodedRows | None, costs: Costs
) -> tuple[ConfusionMatrix, CodedRows | None]:
    """Return the matrix and the rows without amounts where nothing costs any: draws are then of the cells alone."""
    if costs.names:
        return matrix, rows
    return replace(matrix, amounts=None), None if rows is None else replace(rows, amounts=None)


def _names(table: ScoreTable) -> tuple[str, ...]:
    return () if table.amounts is None else table.amounts.names


def _scores(a: Assessment) -> ScoreTable:
    assert a.scores is not None
    return a.scores


def _like(a: Assessment, other: Any) -> Assessment:
    """Return the cases held back, refused where they are of other classes."""
    if type(other) is not type(a) and not hasattr(other, "scored_cases"):
        raise InputError("held_back must be an assessment of the held-out cases.")
    if other.scores is None or other.scores.labels != _scores(a).labels:
        raise InputError(
            "The held-out cases have other classes or no scores. Assess them with the same options."
        )
    assessment: Assessment = other
    return assessment
