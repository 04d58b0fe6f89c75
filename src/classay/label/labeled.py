"""`assess_labeled`: measures of all cases from the labels of the few that a plan drew."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.parts import Sampling
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.files.writing import saved_path
from classay.inference.along_the_way import METHOD, of_counts, sizes_error
from classay.inference.estimate import Estimate
from classay.inference.measures_by_name import MeasuresByName
from classay.inference.phrasing import number_with_interval, percent, share_with_interval
from classay.inference.proportions import normal_quantile, wilson
from classay.inference.requirements import Outcome
from classay.kinds import checked
from classay.label.adding import added
from classay.label.cells import LabeledCells, labels_of
from classay.label.doubts import FirstLabels, contradicted
from classay.label.expected import LabeledShares, counts_of, tool_of
from classay.label.flagged import detected, ratio_of_recalls
from classay.label.planning import WARNINGS as WARNINGS_OF_PLAN
from classay.label.planning import LabelPlan, Stratum, plan_in, with_more
from classay.label.rows import Matched, ReadLabels, matched_labels
from classay.label.saving import load_labeled, save_labeled
from classay.measures import get
from classay.measures.registry import Measure
from classay.texts import hint, listed, quote
from classay.warned import Warned

Array = NDArray[Any]
MEASURES = ("recall", "precision", "f1", "prevalence", "specificity", "accuracy")
STOPPING = 2.5
"""By how much the error of intervals is divided if labeling stops at a half-width."""
STOPPED = "{:g}% limits because labeling stops by width"
MOST_ROC = (8, 2)
"""Strata below and above the threshold that an interval of ROC AUC needs."""
WARNINGS: dict[str, str] = {
    "only_flagged": "only predicted positive cases have labels, so that recall is only bounded",
    "empty_strata": "strata without a label were combined with their neighbors",
    "refuted_prevalence": WARNINGS_OF_PLAN["refuted_prevalence"],
    "refuted_scores": WARNINGS_OF_PLAN["refuted_scores"],
    "not_labeled": "cases that were drawn have no label",
    "not_drawn": "cases that were not drawn have a label, and were excluded",
    "known": "labels of another process count for their own cases only",
    "unsure": "labels are unsure, and count as missing",
    "one_kind": "all labels are equal",
}
"""When assessments of drawn cases warn with each code."""
REFUSED = {
    "expected_calibration_error": "The error is biased upward with few labels. Compare observed shares of the strata "
    "with mean scores.",
    "log_loss": "Single scores have too much weight in log loss. Compare observed shares of the strata with mean "
    "scores.",
    "calibration_slope": "Compare observed shares of the strata with mean scores.",
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

    `a["recall"]` is an estimate. Measures of the four counts can be named too, and `Costs`. The sum of two
    of these has the labels of both.

    Attributes
    ----------
    sampling : Sampling
        How the cases with a label were drawn. Its `design` is a plan, also for `design="flagged"`.
    matched : Matched
        The labels, and what was excluded.
    level : float
        Confidence level of the intervals.
    is_finite : bool
        Whether the estimates are of these very cases, not of new ones.
    outcomes : tuple of Outcome
        How requirements came out.
    """

    sampling: Sampling
    matched: Matched
    level: float
    is_finite: bool
    outcomes: tuple[Outcome, ...] = ()

    def __repr__(self) -> str:
        return f"LabeledAssessment({self.sentences[0]})"

    @property
    def plan(self) -> LabelPlan:
        """The plan by which cases were drawn for a label."""
        return plan_in(self.sampling)

    @property
    def n_cases(self) -> int:
        """Cases of the pool."""
        return self.plan.n_cases

    @property
    def n_labels(self) -> int:
        """Labels of drawn cases, and of those that another process labeled."""
        return int(self.matched.at.size + self.matched.known_rows.size)

    @property
    def positive(self) -> Hashable:
        """The positive label."""
        return self.matched.positive

    @cached_property
    def strata(self) -> tuple[LabeledStratum, ...]:
        """The strata with their labels, from the lowest scores to the highest."""
        labels, positives = labels_of(self.plan, self.matched)
        return tuple(
            LabeledStratum(
                stratum,
                int(m),
                int(y),
                _observed(int(y), int(m), stratum, self.level, is_finite=self.is_finite),
            )
            for stratum, m, y in zip(self.plan.strata, labels, positives, strict=True)
        )

    @cached_property
    def moved(self) -> Array:
        """Places in the plan's rows of cases that another process labeled."""
        return np.flatnonzero(np.isin(self.plan.rows, self.matched.known_rows))

    @property
    def not_labeled(self) -> int:
        """Drawn cases without a label, up to the last label if labeling may stop."""
        return int(self.matched.lacking(self.plan).sum())

    @cached_property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        return tuple(_warnings(self))

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The main measures by name, with their intervals."""
        return {name: self[name] for name in MEASURES}

    @cached_property
    def _cells(self) -> LabeledCells:
        return LabeledCells.of(self.plan, self.matched)

    @property
    def is_of_flagged(self) -> bool:
        """Whether only predicted positive cases have labels."""
        cells = self._cells
        return bool((cells.labels[cells.is_called] > 0).all() and (cells.labels[~cells.is_called] == 0).all())

    def __getitem__(self, name: str | Costs) -> Estimate:
        """Estimate a measure of the four counts, ROC AUC, or the cost per case at the plan's threshold."""
        if isinstance(name, Costs):
            return self._cost(name)
        measure = get(name)
        if measure.name == "roc_auc":
            return self._auc()
        if measure.needs not in ("counts", "margins"):
            reason = REFUSED.get(measure.name, "Available: measures of predicted labels and ROC AUC.")
            raise InputError(f"{measure.name} is not available from cases drawn by score. {reason}")
        cells = self._cells
        if not cells.is_known:
            if not (measure.name == "precision" and (cells.labels[cells.is_called] > 0).all()):
                return Estimate.undefined(_lacking(cells.is_called[cells.labels == 0]))
            cells = cells.only(cells.is_called)
        shares = cells.positives / cells.labels
        tool = tool_of(
            measure.name, cells.sizes, cells.is_called, shares, cells.labels, is_finite=self.is_finite
        )
        return self._estimate(tool)

    def _cost(self, costs: Costs) -> Estimate:
        """Return the cost per case at the threshold of the plan."""
        if costs.names:
            raise InputError(
                "Costs of amounts are not available yet from a plan of labels. Use costs that are numbers."
            )
        cells = self._cells
        if not cells.is_known:
            return Estimate.undefined(_lacking(cells.is_called[cells.labels == 0]))
        of_four = costs.array(("other", self.positive) if self.positive != "other" else ("rest", "other"))
        no, yes = of_four[..., 0].astype(float)[cells.is_called.astype(int)].T
        weights, shares = cells.sizes / cells.sizes.sum(), cells.positives / cells.labels
        error = float(sizes_error(weights, no + (yes - no) * shares, cells.sizes.sum()))
        tool = LabeledShares(
            shares,
            counts_of(cells.labels, cells.sizes) if self.is_finite else cells.labels,
            lambda p: (weights * (no + (yes - no) * p)).sum(-1),
            lambda p: np.broadcast_to(weights * (yes - no), p.shape),
            0.0 if self.is_finite else error,
            (float(min(no.min(), yes.min())), float(max(no.max(), yes.max()))),
            1,
            cells.labels,
        )
        return self._estimate(tool)

    def _estimate(self, tool: LabeledShares) -> Estimate:
        value = float(tool.value(tool.shares))
        if np.isnan(value):
            return Estimate.undefined("no labeled case is in the denominator")
        low, high = (float(end) for end in tool.limits(normal_quantile(self.limits_level)))
        return Estimate(value, min(low, value), max(high, value), self.level, tool.named(self.method))

    @property
    def limits_level(self) -> float:
        """Level of the limits, higher if labeling stops at a half-width."""
        return level_of(self.plan, self.level)

    @property
    def method(self) -> str:
        """Method of the intervals."""
        if self.plan.is_of_flagged:
            return "Wilson"
        if self.plan.half_width is None:
            return f"stratified, {METHOD}"
        return f"stratified, {METHOD}, {STOPPED.format(100 * self.limits_level)}"

    @property
    def recall_bounds(self) -> tuple[float, float] | None:
        """Bounds of recall if only predicted positive cases have labels, else None."""
        if not self.is_of_flagged:
            return None
        cells = self._cells
        flagged, others = cells.only(cells.is_called), cells.only(~cells.is_called)
        least = float((flagged.sizes * flagged.positives / flagged.labels).sum())
        return least / (least + float(others.sizes.sum())), 1.0

    def _auc(self) -> Estimate:
        """Return the weighted ROC AUC, with an interval if strata are many."""
        cells, matched = self._cells, self.matched
        if not cells.is_known:
            return Estimate.undefined(_lacking(cells.is_called[cells.labels == 0]))
        if matched.known_rows.size:
            return Estimate.undefined("labels of another process have no scores here")
        weights = (cells.sizes / cells.labels)[cells.of_stratum[self.plan.stratum[matched.at]]]
        value = _weighted_auc(self.plan.scores[matched.at], matched.truths, weights)
        if np.isnan(value):
            return Estimate.undefined("the labels contain one class only")
        if len(self.plan.pools) > 1:
            return Estimate.bare(value, "strata of several pools overlap")
        below, above = int((~cells.is_called).sum()), int(cells.is_called.sum())
        if below < MOST_ROC[0] or above < MOST_ROC[1]:
            reason = (
                f"an interval needs {MOST_ROC[0]} strata below the threshold and {MOST_ROC[1]} above, but there are "
                f"{below} and {above}; for one, assess the labeled cases with the weights 1 / chance"
            )
            return Estimate.bare(value, reason)
        sizes, shares = cells.sizes, cells.positives / cells.labels
        shift = value - float(_auc_of(sizes, shares))
        counts = counts_of(cells.labels, sizes) if self.is_finite else cells.labels
        tool = LabeledShares(
            shares,
            counts,
            lambda p: _auc_of(sizes, p) + shift,
            lambda p: _slopes(sizes, p),
            labels=cells.labels,
        )
        return self._estimate(tool)

    def recall_ratio(self, other: LabeledAssessment) -> Estimate:
        """Estimate how many times the recall of another model's scores this recall is.

        Both recalls have the same denominator, so their ratio needs no labels of other cases. All cases that
        either model predicts positive must have a label.

        Parameters
        ----------
        other : LabeledAssessment
            The assessment of the other model, of the same cases and labels.

        Returns
        -------
        Estimate
            This recall divided by the other one.

        Raises
        ------
        InputError
            If the cases differ, or a predicted positive case has no label.
        """
        return ratio_of_recalls(detected(self, other), self.level)

    def __add__(self, other: LabeledAssessment) -> LabeledAssessment:
        """Add later labels of the same plan, or the labels of another pool; MergeError says what differs."""
        return added(self, other)

    def save(self, path: str | Path) -> None:
        """Write the plan and the labels to a file, which `classay.load` reads.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        save_labeled(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> LabeledAssessment:
        """Load what `save` wrote, without executing anything.

        Raises
        ------
        FileError
            If the file is none, or damaged.
        """
        return load_labeled(path, cls)

    def more(self, scores: Any, *, budget: int, seed: int = 0) -> LabelPlan:
        """Plan more labels in the same strata and shares.

        Expected half-widths follow the labels, stratum by stratum.

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
        first = FirstLabels(*labels_of(self.plan, self.matched), self.matched.lacking(self.plan))
        return with_more(self.plan, scores, budget, seed, first=first, warned=self.refutations)

    @cached_property
    def refutations(self) -> tuple[Warned, ...]:
        """Warnings that labels contradict the planned prevalence or the scores."""
        return tuple(_refutations(self))

    @property
    def sentences(self) -> tuple[str, ...]:
        """Recall and precision, or what is known of them."""
        lead = f"{self.n_labels:,} of {self.n_cases:,} cases have a label."
        bounds = self.recall_bounds
        if bounds is not None:
            lead = (
                f"Recall cannot be estimated. Recall is between {percent(bounds[0], self.n_cases)} and 100%."
            )
        names = ("precision",) if bounds is not None else ("recall", "precision", "f1")
        return (lead, *(self._sentence(name) for name in names if self[name].has_interval))

    def _sentence(self, name: str) -> str:
        estimate, cases = self[name], self.n_labels
        if name == "f1":
            return f"F1 is {number_with_interval(estimate)}."
        share = share_with_interval(estimate, cases)
        if name == "recall":
            positive = quote(str(self.positive))
            return f"At threshold {self.plan.threshold:g}, the scores detect {share} of {positive} cases (recall)."
        return f"Of the positive predictions, {share} are correct (precision)."


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
    known: Any = None,
    finite: bool | None = None,
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
        Label that means unsure. These cases count as unlabeled.
    known : array-like, optional
        1 for cases with a label of another process, else 0. These labels count for their own cases only.
        Mark drawn cases with such a label too.
    finite : bool, optional
        Whether to estimate for these very cases, not for new cases like them. The default is True, and False
        if only predicted positive cases have labels.
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
    and the numbers of cases. The interval is "Wilson along the way". With at most 30 labels in a stratum,
    1 or 2 of them positive, its limit towards 0% is at least as far out as a one-sided
    binomial limit. The method is named so. The same applies to negative labels and 100%. From
    30 to 60 labels the limit gradually becomes Wilson's. A stratum without labels is combined with the
    nearest stratum on the same side of the threshold.

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
    if known is not None and rows is None and y_score is None:
        raise InputError(
            f"{hint('known=', '--known')} needs the scores of all cases. {hint('Pass y_score.', 'Use --score.')}"
        )
    if plan.models:
        raise InputError(
            f"The plan is for the difference of {listed([*plan.models])}. "
            f"{hint('Use ca.compare.', 'Use `classay compare`.')}"
        )
    matched = matched_labels(plan, ReadLabels.of(y_true, positive, unsure), y_score, rows, known)
    is_finite = not plan.is_of_flagged if finite is None else finite
    return LabeledAssessment(Sampling(design=plan), matched, level, is_finite)


def level_of(plan: LabelPlan, level: float) -> float:
    """Return the level of limits, higher if labeling stops at a half-width."""
    return level if plan.half_width is None else 1 - (1 - level) / STOPPING


def refuse_threshold(plan: LabelPlan, threshold: float | None) -> None:
    """Raise InputError for another threshold than that of the plan."""
    if threshold is not None and threshold != plan.threshold:
        name = hint("threshold=", "--threshold")
        raise InputError(
            f"{name} is {threshold:g}, but the plan has {plan.threshold:g}. Remove {name}, or make another plan."
        )


def _observed(y: int, m: int, stratum: Stratum, level: float, *, is_finite: bool) -> Estimate:
    if not m:
        return Estimate.undefined("no label")
    count = float(counts_of(np.array(float(m)), np.array(float(stratum.cases)))) if is_finite else float(m)
    if np.isinf(count):
        return Estimate(y / m, y / m, y / m, level, "all cases labeled")
    low, high = wilson(y / m * count, count, level)
    return Estimate(y / m, min(float(low), y / m), max(float(high), y / m), level, "Wilson")


def _warnings(a: LabeledAssessment) -> Iterator[Warned]:
    """Yield what to know before the numbers, the gravest first."""
    matched, without_plan = a.matched, a.plan.is_of_flagged
    yield from a.refutations
    if a.is_of_flagged:
        remedy = "Draw others by a plan (`classay label`)." if without_plan else "Label the drawn ones too."
        yield Warned(
            "only_flagged",
            f"Only predicted positive cases have labels. Recall and F1 need labels of other cases. {remedy}",
        )
    empty = sum(not one.labels for one in a.strata)
    if empty and not a.is_of_flagged:
        yield Warned(
            "empty_strata",
            f"{empty} of {len(a.strata)} strata have no label. They were combined with their neighbors.",
        )
    if lacking := a.not_labeled:
        yield Warned("not_labeled", _missing_text(a, lacking))
    if matched.not_drawn:
        why = (
            "The score of these cases is below the threshold."
            if without_plan
            else (f"If another process chose them, mark them with {hint('known=', '--known')}.")
        )
        what = "are not predicted positive" if without_plan else "were not drawn by the plan"
        yield Warned("not_drawn", f"{matched.not_drawn:,} labeled cases {what}, and were excluded. {why}")
    if matched.known_rows.size:
        yield Warned(
            "known",
            f"{matched.known_rows.size:,} labels are from another process. These labels count for their own cases "
            "only. The drawn labels represent all other cases.",
        )
    if matched.unsure:
        yield Warned("unsure", f"{matched.unsure:,} labels are unsure. These cases count as unlabeled.")
    if matched.truths.all() or not matched.truths.any():
        kind = "positive" if matched.truths.all() else "negative"
        yield Warned("one_kind", f"All {matched.truths.size:,} labels are {kind}. Check the labels.")


def _refutations(a: LabeledAssessment) -> Iterator[Warned]:
    """Yield what the labels refute: the planned prevalence, and the scores of strata."""
    plan, prevalence = a.plan, a["prevalence"]
    planned = plan.planned_prevalence
    if planned is None:
        return
    if prevalence.has_interval and not prevalence.low <= planned <= prevalence.high:
        yield Warned(
            "refuted_prevalence",
            f"The planned prevalence of {planned:.3g} is outside the CI of the estimate, "
            f"{number_with_interval(prevalence)}. Half-widths differ from those of the plan.",
        )
    shares, sizes = np.array([(one.planned, one.cases) for one in plan.strata], float).T
    labels, positives = labels_of(plan, a.matched)
    if (places := np.flatnonzero(contradicted(shares, sizes, labels, positives, a.level))).size:
        worst = places[np.argmax(np.abs(positives / np.maximum(labels, 1) - shares)[places])]
        yield Warned(
            "refuted_scores",
            f"Labels differ from the scores in {places.size} of {len(plan.strata)} strata. In the stratum "
            f"{plan.strata[worst].range}, {positives[worst]:,} of {labels[worst]:,} labels are positive, but the plan "
            f"expects a share of {shares[worst]:.2g}.",
        )


def _missing_text(a: LabeledAssessment, lacking: int) -> str:
    """Return how many drawn cases have no label, and between which values a measure lies, whatever their labels are."""
    drawn = np.array([stratum.labels for stratum in a.plan.strata])
    known = np.array([one.positives for one in a.strata])
    drawn = drawn - np.bincount(a.plan.stratum[a.moved], minlength=drawn.size)
    missing = drawn - np.array([one.labels for one in a.strata])
    at = a.matched.known_places
    others, sure = (np.bincount(at, of, drawn.size) for of in (np.ones(at.size), a.matched.known_truths))
    cases = np.array([stratum.cases for stratum in a.plan.strata], float) - others
    called = np.array([stratum.is_called for stratum in a.plan.strata])
    parts = []
    for name in ("precision",) if a.is_of_flagged else ("recall", "precision"):
        values = []
        for above in (0, 1):
            for below in (0, 1):
                yes = known + missing * np.where(called, above, below)
                with np.errstate(invalid="ignore", divide="ignore"):
                    of = cases * np.where(drawn > 0, yes / drawn, 0.0) + sure
                rest = cases + others - of
                counts = (of[called].sum(), rest[called].sum(), of[~called].sum(), rest[~called].sum())
                values.append(float(_value(get(name), counts)))
        ends = [value for value in values if not np.isnan(value)]
        if ends:
            low, high = (percent(end, a.n_labels) for end in (min(ends), max(ends)))
            parts.append(f"{name} is {low}" if low == high else f"{name} is {low} to {high}")
    verb, which, labels = ("has", "the case", "label") if lacking == 1 else ("have", "these cases", "labels")
    bounds = f" Depending on the missing {labels}, {', and '.join(parts)}." if parts else ""
    lead = f"{lacking:,} of {a.plan.rows.size:,} drawn cases {verb} no label."
    return f"{lead}{bounds} Label {which}, or state the reason."


def _value(measure: Measure, counts: tuple[Any, ...]) -> Array:
    return of_counts(measure, *(np.asarray(count, float) for count in counts))
