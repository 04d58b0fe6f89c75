"""`assess_labeled`: measures of all cases from the labels of the few that a plan drew."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.inference.along_the_way import METHOD, CellShares, of_counts
from classay.inference.estimate import Estimate
from classay.inference.measures_by_name import MeasuresByName
from classay.inference.phrasing import number_with_interval, percent, share_with_interval
from classay.inference.proportions import normal_quantile, wilson
from classay.inference.requirements import Outcome
from classay.kinds import checked
from classay.label.expected import counts_of, tool_of
from classay.label.planning import LabelPlan, Stratum
from classay.label.rows import Matched, matched_labels
from classay.measures import get
from classay.measures.registry import Measure
from classay.texts import quote
from classay.warned import Warned

Array = NDArray[Any]
MEASURES = ("recall", "precision", "f1", "prevalence", "specificity", "accuracy")
STOPPING = 2.5
"""By how much the error of intervals is divided if labeling stops at a half-width."""
MOST_ROC = (8, 2)
"""Strata below and above the threshold that an interval of ROC AUC needs."""
CAUTIONS: dict[str, str] = {
    "only_flagged": "only predicted positive cases have labels, so that recall is only bounded",
    "empty_strata": "strata without a label were combined with their neighbors",
    "not_labeled": "cases that were drawn have no label",
    "not_drawn": "cases that were not drawn have a label, and were excluded",
    "unsure": "labels are unsure, and count as missing",
    "one_kind": "all labels are equal",
}
"""When assessments of drawn cases warn with each code."""
REFUSED = {
    "expected_calibration_error": "It is biased upwards for few labels. Compare observed shares of the strata with "
    "mean scores.",
    "log_loss": "Single scores have too much weight in it. Compare observed shares of the strata with mean scores.",
    "calibration_slope": "It is not available yet. Compare observed shares of the strata with mean scores.",
}


@dataclass(frozen=True)
class LabeledStratum:
    """A stratum with its labels.

    Attributes
    ----------
    stratum : Stratum
        Range of scores, cases, and cases drawn.
    labels, positives : int
        Labels, and positive ones.
    observed : Estimate
        Share of positives.
    """

    stratum: Stratum
    labels: int
    positives: int
    observed: Estimate


@dataclass(frozen=True, eq=False)
class LabeledAssessment(MeasuresByName):
    """Measures of all cases of a pool, from labels of cases that a plan drew.

    `a["recall"]` is an estimate. Measures of the four counts can be named too.

    Attributes
    ----------
    plan : LabelPlan
        The plan.
    strata : tuple of LabeledStratum
        The strata, from the lowest scores to the highest.
    positive : label
        The positive label.
    n_labels : int
        Labels of drawn cases.
    level : float
        Confidence level of the intervals.
    is_finite : bool
        Whether the estimates are of these very cases, not of new ones.
    scores, truths : array
        Scores of the labeled cases, and whether they are positive.
    places : array of int
        Strata of the labeled cases.
    cautions : tuple of Warned
        What to know first; `warnings` are the same.
    outcomes : tuple of Outcome
        How requirements came out.
    """

    plan: LabelPlan
    strata: tuple[LabeledStratum, ...]
    positive: Hashable
    n_labels: int
    level: float
    is_finite: bool
    scores: Array
    truths: Array
    places: Array
    cautions: tuple[Warned, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    def __repr__(self) -> str:
        return f"LabeledAssessment({self.sentences[0]})"

    @property
    def n_cases(self) -> int:
        """Cases of the pool."""
        return self.plan.n_cases

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        return self.cautions

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The main measures by name, with their intervals."""
        return {name: self[name] for name in MEASURES}

    @cached_property
    def _merged(self) -> tuple[Array, Array, Array, Array, Array]:
        """Sizes, predicted positive, labels and positives of strata with a label, and the place of each stratum."""
        labels = np.array([one.labels for one in self.strata])
        called = np.array([one.stratum.is_called for one in self.strata])
        filled = np.flatnonzero(labels)
        place = np.arange(labels.size)
        for k in np.flatnonzero(labels == 0):
            same = filled[called[filled] == called[k]]
            if same.size:
                place[k] = same[np.argmin(np.abs(same - k))]
        kept, target = np.unique(place, return_inverse=True)
        sizes, known, positives = (
            np.bincount(target, weights=values, minlength=kept.size)
            for values in (
                [one.stratum.cases for one in self.strata],
                labels,
                [one.positives for one in self.strata],
            )
        )
        return sizes, called[kept], known, positives, target

    @property
    def is_of_flagged(self) -> bool:
        """Whether only predicted positive cases have labels."""
        _, called, labels, _, _ = self._merged
        return bool((labels[called] > 0).all() and (labels[~called] == 0).all())

    def __getitem__(self, name: str) -> Estimate:
        measure = get(name)
        if measure.name == "roc_auc":
            return self._auc()
        if measure.needs not in ("counts", "margins"):
            reason = REFUSED.get(measure.name, "Only measures of predicted labels and ROC AUC are.")
            raise InputError(f"{measure.name} is not available from cases drawn by score. {reason}")
        sizes, called, labels, positives, _ = self._merged
        if (labels == 0).any():
            if not (measure.name == "precision" and (labels[called] > 0).all()):
                return Estimate.undefined(_lacking(called[labels == 0]))
            sizes, called, labels, positives = (part[called] for part in (sizes, called, labels, positives))
        tool = tool_of(measure.name, sizes, called, positives / labels, labels, is_finite=self.is_finite)
        return self._estimate(tool)

    def _estimate(self, tool: CellShares) -> Estimate:
        value = float(tool.value(tool.shares))
        if np.isnan(value):
            return Estimate.undefined("the labels contain no case that counts")
        low, high = (float(end) for end in tool.limits(normal_quantile(self.limits_level)))
        return Estimate(value, min(low, value), max(high, value), self.level, self.method)

    @property
    def limits_level(self) -> float:
        """Level of the limits, higher if labeling stops at a half-width."""
        return self.level if self.plan.half_width is None else 1 - (1 - self.level) / STOPPING

    @property
    def method(self) -> str:
        """Method of the intervals."""
        if self.plan.half_width is None:
            return f"stratified, {METHOD}"
        return f"stratified, {METHOD}, {100 * self.limits_level:g}% limits because labeling stops by width"

    @property
    def recall_bounds(self) -> tuple[float, float] | None:
        """Bounds of recall if only predicted positive cases have labels, else None."""
        if not self.is_of_flagged:
            return None
        sizes, called, labels, positives, _ = self._merged
        least = float((sizes[called] * positives[called] / labels[called]).sum())
        others = float(sizes[~called].sum())
        return least / (least + others), 1.0

    def _auc(self) -> Estimate:
        """Return the weighted ROC AUC, with an interval if strata are many."""
        sizes, called, labels, positives, target = self._merged
        if (labels == 0).any():
            return Estimate.undefined(_lacking(called[labels == 0]))
        weights = (sizes / labels)[target[self.places]]
        value = _weighted_auc(self.scores, self.truths, weights)
        if np.isnan(value):
            return Estimate.undefined("the labels contain one class only")
        below, above = int((~called).sum()), int(called.sum())
        if below < MOST_ROC[0] or above < MOST_ROC[1]:
            reason = f"an interval needs {MOST_ROC[0]} strata below the threshold and {MOST_ROC[1]} above"
            return Estimate.bare(value, reason)
        shares = positives / labels
        shift = value - float(_auc_of(sizes, shares))
        counts = counts_of(labels, sizes) if self.is_finite else labels
        tool = CellShares(
            shares,
            counts,
            lambda p: _auc_of(sizes, p) + shift,
            lambda p: _slopes(sizes, p),
        )
        return self._estimate(tool)

    def more(self, scores: Any, *, budget: int, seed: int = 0) -> LabelPlan:
        """Plan more labels in the same strata and shares.

        Where the labels refute the planned prevalence, expected half-widths follow the labels.

        Parameters
        ----------
        scores : array-like
            Scores of the pool.
        budget : int
            Number of further cases.
        seed : int, default 0
            Seed of the draws.

        Returns
        -------
        LabelPlan
            The plan with the rows of all draws, the new ones last.
        """
        prevalence, planned = self["prevalence"], self.plan.planned_prevalence
        is_refuted = (
            prevalence.has_interval
            and planned is not None
            and not prevalence.low <= planned <= prevalence.high
        )
        return self.plan.more(
            scores, budget=budget, seed=seed, prevalence=prevalence.value if is_refuted else None
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """Recall and precision, or what is known of them."""
        lead = f"{self.n_labels:,} of {self.n_cases:,} cases have a label."
        bounds = self.recall_bounds
        if bounds is not None:
            lead = (
                "Recall is unknown, because only predicted positive cases have labels. It is between "
                f"{percent(bounds[0], self.n_cases)} and 100%."
            )
        names = ("precision",) if bounds is not None else ("recall", "precision", "f1")
        return (lead, *(self._sentence(name) for name in names if self[name].has_interval))

    def _sentence(self, name: str) -> str:
        estimate, cases = self[name], self.n_labels
        if name == "f1":
            return f"F1 is {number_with_interval(estimate)}."
        share = share_with_interval(estimate, cases)
        positive = quote(str(self.positive))
        if name == "recall":
            return f"At threshold {self.plan.threshold:g}, the scores detect {share} of {positive} cases (recall)."
        return f"Of predicted positives, {share} are {positive} (precision)."


def _lacking(called: Array) -> str:
    """Return why a measure is not defined where one side of the threshold has no label."""
    side = "predicted positive" if called.any() else "other"
    return f"no {side} case has a label"


def _weighted_auc(scores: Array, truths: Array, weights: Array) -> float:
    """Return the weighted share of pairs in which the positive case has the higher score, ties counted one half."""
    values, place = np.unique(scores, return_inverse=True)
    yes = np.bincount(place, weights * truths, values.size)
    no = np.bincount(place, weights * ~truths, values.size)
    pairs = yes.sum() * no.sum()
    return float((yes * (np.cumsum(no) - no / 2)).sum() / pairs) if pairs > 0 else float("nan")


def _auc_of(sizes: Array, shares: Array) -> Array:
    """Return the ROC AUC of strata, cases of one stratum counted as ties."""
    yes, no = sizes * shares, sizes * (1 - shares)
    return np.asarray((yes * (np.cumsum(no, -1) - no / 2)).sum(-1) / (yes.sum(-1) * no.sum(-1)))


def _slopes(sizes: Array, shares: Array) -> Array:
    steps = shares + 1e-30j * np.eye(shares.size)
    return np.asarray(np.imag(_auc_of(sizes, steps)) / 1e-30)


@checked
def assess_labeled(
    y_true: Any,
    y_score: Any = None,
    *,
    plan: LabelPlan,
    rows: Any = None,
    positive: Hashable | None = None,
    unsure: Hashable | None = None,
    finite: bool = True,
    level: float = 0.95,
) -> LabeledAssessment:
    """Assess a classifier from the labels of cases that a plan drew.

    Parameters
    ----------
    y_true : array-like
        Labels of all cases of the pool, None or NaN if there is none. With `rows`, labels of these rows.
    y_score : array-like, optional
        Scores of the same cases. They show whether the pool is that of the plan.
    plan : LabelPlan
        The plan, from `plan_labels` or `LabelPlan.load`.
    rows : array-like of int, optional
        Row of the pool of every label, counted from 0, such as `plan.rows`.
    positive : label, optional
        The positive label. The default is 1 (or True, "1", 1.0).
    unsure : label, optional
        Label of unsure people. These cases count as unlabeled.
    finite : bool, default True
        Whether to estimate for these very cases, not for new cases like them.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.

    Returns
    -------
    LabeledAssessment
        Estimates by name, and the strata.

    Raises
    ------
    InputError
        If the labels are of another pool, no drawn case has a label, or the positive label is not clear.

    Notes
    -----
    The share of positives of a stratum is that of its labels. Every measure follows from these shares
    and the numbers of cases. The interval is "Wilson along the way". Without labels in a stratum, it is
    combined with the nearest one on the same side of the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> import classay as ca
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.3, 6, 20_000)
    >>> truth = rng.random(20_000) < scores
    >>> plan = ca.plan_labels(scores, budget=300, threshold=0.3)
    >>> a = ca.assess_labeled(truth[plan.rows], rows=plan.rows, plan=plan)
    >>> a["precision"].value > a["prevalence"].value
    True
    """
    matched = matched_labels(plan, y_true, y_score, rows, positive, unsure)
    labels = np.bincount(matched.places, minlength=len(plan.strata))
    positives = np.bincount(matched.places, weights=matched.truths, minlength=len(plan.strata)).astype(int)
    strata = tuple(
        LabeledStratum(stratum, int(m), int(y), _observed(int(y), int(m), stratum, level))
        for stratum, m, y in zip(plan.strata, labels, positives, strict=True)
    )
    a = LabeledAssessment(
        plan,
        strata,
        matched.positive,
        matched.places.size,
        level,
        finite,
        matched.scores,
        matched.truths,
        matched.places,
    )
    return replace(a, cautions=tuple(_cautions(a, matched)))


def _observed(y: int, m: int, stratum: Stratum, level: float) -> Estimate:
    if not m:
        return Estimate.undefined("no label")
    count = float(counts_of(np.array(float(m)), np.array(float(stratum.cases))))
    if np.isinf(count):
        return Estimate(y / m, y / m, y / m, level, "all cases labeled")
    low, high = wilson(y / m * count, count, level)
    return Estimate(y / m, min(float(low), y / m), max(float(high), y / m), level, "Wilson")


def _cautions(a: LabeledAssessment, matched: Matched) -> Iterator[Warned]:
    """Yield what to know before the numbers, the gravest first."""
    if a.is_of_flagged:
        yield Warned(
            "only_flagged",
            "Only predicted positive cases have labels. Recall and F1 need labels of other cases. Label the drawn "
            "ones too.",
        )
    empty = sum(not one.labels for one in a.strata)
    if empty and not a.is_of_flagged:
        yield Warned(
            "empty_strata",
            f"{empty} of {len(a.strata)} strata have no label. They were combined with their neighbors.",
        )
    if matched.not_labeled:
        yield Warned("not_labeled", _missing_text(a, matched))
    if matched.not_drawn:
        yield Warned(
            "not_drawn",
            f"{matched.not_drawn:,} labeled cases were not drawn by the plan. They were excluded, because nobody knows "
            "how they were chosen.",
        )
    if matched.unsure:
        yield Warned("unsure", f"{matched.unsure:,} labels are unsure. These cases count as unlabeled.")
    if matched.truths.all() or not matched.truths.any():
        kind = "positive" if matched.truths.all() else "negative"
        yield Warned("one_kind", f"All {a.n_labels:,} labels are {kind}. Check the labels.")


def _missing_text(a: LabeledAssessment, matched: Matched) -> str:
    """Return how many drawn cases have no label, and between which values a measure lies, whatever their labels are."""
    drawn = np.array([stratum.labels for stratum in a.plan.strata])
    missing = drawn - np.array([one.labels for one in a.strata])
    cases = np.array([stratum.cases for stratum in a.plan.strata], float)
    known = np.array([one.positives for one in a.strata])
    called = np.array([stratum.is_called for stratum in a.plan.strata])
    parts = []
    for name in ("recall", "precision"):
        values = []
        for above in (0, 1):
            for below in (0, 1):
                yes = known + missing * np.where(called, above, below)
                with np.errstate(invalid="ignore", divide="ignore"):
                    of = cases * np.where(drawn > 0, yes / drawn, 0.0)
                counts = (
                    of[called].sum(),
                    (cases - of)[called].sum(),
                    of[~called].sum(),
                    (cases - of)[~called].sum(),
                )
                values.append(float(_value(get(name), counts)))
        ends = [value for value in values if not np.isnan(value)]
        if ends:
            parts.append(f"{name} between {min(ends):.3f} and {max(ends):.3f}")
    return (
        f"{matched.not_labeled:,} of {a.plan.rows.size:,} drawn cases have no label. Their labels could put "
        f"{' and '.join(parts)}. Label them, or state the reason."
    )


def _value(measure: Measure, counts: tuple[Any, ...]) -> Array:
    return of_counts(measure, *(np.asarray(count, float) for count in counts))
