"""`plan_labels`: which cases to label, so that few labels give narrow intervals of recall, precision or F1."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import floor, isclose, log10
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.drawn import LabelDesign
from classay.assessment.parts import Sampling
from classay.errors import FileError, InputError, nearest
from classay.files.writing import write_text
from classay.kinds import checked, shown
from classay.label.differences import PlannedPair, checked_pair, places_of_pairs, strata_of_pair
from classay.label.doubts import FirstLabels, at_prevalence, greatest, misjudged
from classay.label.expected import TARGETS, Planned, allotted
from classay.label.reading import pool_hash, read_plan
from classay.label.strata import MANY, SMALL_BUDGET, Pool, checked_scores, codes_of, drawn
from classay.renamed import former
from classay.shown import Reportable
from classay.texts import hint, listed
from classay.warned import Warned

Array = NDArray[Any]
DEFAULT = ("recall", "precision", "f1")
LEAST_LABELS = 5
"""Labels that each stratum gets at least."""
RANDOM = "simple random"
WARNINGS: dict[str, str] = {
    "random_is_better": "a simple random sample is expected to give a narrower interval of a measure",
    "no_probabilities": "scores are outside 0 to 1, so there are no expected half-widths",
    "not_labeled": "cases of earlier draws have no label and are excluded from expected half-widths",
    "refuted_prevalence": "the confidence interval of the prevalence excludes the planned prevalence",
    "refuted_scores": "labels refute the scores in a stratum (exact limits, adjusted for the number of strata)",
}
"""When plans warn with each code."""


@dataclass(frozen=True)
class Stratum:
    """Cases with scores from `low` to below `high`, None without an end.

    Attributes
    ----------
    low, high : float or None
        Range of the scores.
    is_called : bool
        Whether the cases are predicted positive.
    cases, labels : int
        All cases, and those drawn for a label.
    mean_score : float
        Mean score of the cases.
    planned : float or None
        Share of positives that the plan expects. None for scores outside 0 to 1.
    called_by : tuple of str or None
        With two models, those that predict the cases positive. None with one model.
    """

    low: float | None
    high: float | None
    is_called: bool
    cases: int
    labels: int
    mean_score: float
    planned: float | None
    called_by: tuple[str, ...] | None = None

    def calls(self, models: Sequence[str]) -> list[bool]:
        """Return whether each model, or the only one, predicts the cases positive."""
        return [self.is_called] if self.called_by is None else [name in self.called_by for name in models]

    @property
    def range(self) -> str:
        """The range of scores in words; with two models, of mean scores, and who predicts the cases positive."""
        if self.called_by:
            return "both models" if len(self.called_by) > 1 else f"only {self.called_by[0]}"
        if self.low is None and self.high is None:
            return "all"
        if self.low is None:
            return f"below {self.high:.4g}"
        return f"{self.low:.4g} or more" if self.high is None else f"{self.low:.4g} to below {self.high:.4g}"


@dataclass(frozen=True, eq=False)
class LabelPlan(Reportable, LabelDesign):
    """Cases to label, drawn at random from strata by score.

    `plan.rows` are the cases in the order in which to label them.

    Attributes
    ----------
    rows : array of int
        Rows of the pool to label, counted from 0, in random order.
    stratum : array of int
        Places of the rows among the strata.
    scores : array of float
        Scores of the rows, `(rows, 2)` with two models.
    strata : tuple of Stratum
        The strata, from the lowest scores to the highest.
    threshold : float
        Threshold of predicted positive cases.
    measures : tuple of str
        Measures that the plan aims at.
    level : float
        Confidence level of the intervals to expect.
    seed : int
        Seed of the draws.
    pool : str
        Hash of all scores, which differs for another pool.
    waves : tuple of int
        Rows of the first and later draws.
    expected : mapping of str to float
        Expected half-width by measure, if the scores are calibrated, or by the labels so far.
    expected_if_not_calibrated : mapping of str to float
        Half-width that is seldom exceeded if the scores are not calibrated. With labels, the greatest within one
        standard error of the labels.
    labels_used : int
        Labels so far, which expected half-widths follow.
    others : mapping of str to mapping
        The same of a simple random sample, and of plans for a single measure.
    half_width : float or None
        Half-width at which labeling may stop.
    warnings : tuple of Warned
        What to know first.
    models : tuple of str
        Names of the two models that the plan compares. Empty with one model.
    """

    cautions = former("LabelPlan.cautions", "warnings")
    rows: Array
    stratum: Array
    scores: Array
    strata: tuple[Stratum, ...]
    threshold: float
    measures: tuple[str, ...]
    level: float
    seed: int
    pool: str
    waves: tuple[int, ...]
    expected: Mapping[str, float]
    others: Mapping[str, Mapping[str, float]]
    half_width: float | None = None
    warnings: tuple[Warned, ...] = ()
    models: tuple[str, ...] = ()
    expected_if_not_calibrated: Mapping[str, float] = field(default_factory=dict)
    labels_used: int = 0

    def __repr__(self) -> str:
        return f"LabelPlan({self.sentences[0]})"

    @property
    def planned_prevalence(self) -> float | None:
        """Share of positives that the plan expects. None for scores outside 0 to 1."""
        shares = [(stratum.cases, stratum.planned) for stratum in self.strata if stratum.planned is not None]
        return sum(cases * share for cases, share in shares) / self.n_cases if shares else None

    @property
    def _names_prevalence(self) -> bool:
        """Whether the planned prevalence is not simply the mean score."""
        mean = sum(stratum.cases * stratum.mean_score for stratum in self.strata) / self.n_cases
        return self.planned_prevalence is not None and not isclose(
            self.planned_prevalence, mean, rel_tol=1e-6
        )

    @property
    def pools(self) -> tuple[str, ...]:
        """Hashes of the pools, several after assessments were added."""
        return tuple(self.pool.split("+"))

    @property
    def is_of_flagged(self) -> bool:
        """Whether only predicted positive cases were chosen, by others."""
        return not any(stratum.labels for stratum in self.strata if not stratum.is_called)

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """Cases, labels and predictions of the strata, the last `(strata, models)`."""
        sizes, labels = (
            np.array([getattr(one, name) for one in self.strata]) for name in ("cases", "labels")
        )
        return sizes, labels, np.array([one.calls(self.models) for one in self.strata], bool)

    def half_widths_of(self, budgets: Sequence[int]) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return expected half-widths of this design and of random samples."""
        sizes, labels, calls = self.arrays
        shares = np.array([stratum.planned for stratum in self.strata], float)
        design = _design(calls, sizes.astype(float), shares, self.models)
        least = np.minimum(np.minimum(LEAST_LABELS, sizes), labels)
        of_budgets = [allotted(labels / labels.sum(), sizes, budget, least) for budget in budgets]
        random = [design.of_random(budget, self.measures, self.level) for budget in budgets]
        of_plan = design.half_widths(np.array(of_budgets, float), self.measures, self.level)
        return of_plan, {name: np.array([one[name] for one in random]) for name in self.measures}

    def strata_of(self, scores: Any) -> Array:
        """Return the strata of cases, for `judged(…, stratum=)`.

        Parameters
        ----------
        scores : array-like or mapping
            Scores of the pool, with two models a mapping.

        Returns
        -------
        array of int
            Places of the cases among the strata.

        Raises
        ------
        InputError
            If the scores are those of another pool.
        """
        values = checked_pair(scores)[1] if self.models else checked_scores(scores)
        refuse_other_pool(self, values)
        return self.places_of(values)

    def places_of(self, scores: Array) -> Array:
        """Return the stratum of cases by their scores, with two models `(cases, 2)`."""
        if not self.models:
            edges = np.array([stratum.low for stratum in self.strata[1:]], scores.dtype)
            return codes_of(scores, edges)
        return places_of_pairs(self.strata, self.models, scores, self.threshold)

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many cases to label, and the half-widths to expect."""
        lead = f"The plan draws {self.rows.size:,} of {self.n_cases:,} cases from {len(self.strata)} strata by score."
        if self.models:
            lead += f" Differences of {listed([*self.models])} can be estimated."
        if not self.expected:
            return (lead,)
        sentences = [
            lead,
            f"{self._basis}, the expected half-widths of the {100 * self.level:g}% CIs are {_halves(self.expected)}."
            + self._otherwise,
            f"With a simple random sample, the half-widths are {_halves(self.others[RANDOM])}.",
        ]
        single = {name: self.others[name][name] for name in self.measures if name in self.others}
        return (
            (*sentences, f"With a plan for one measure only, the half-width is {_halves(single)}.")
            if single
            else tuple(sentences)
        )

    @property
    def _basis(self) -> str:
        if self.labels_used:
            return f"By the {self.labels_used:,} labels so far"
        return "If the scores are calibrated"

    @property
    def _otherwise(self) -> str:
        """The half-widths that are seldom exceeded, in a sentence; empty in plans of earlier versions."""
        if not self.expected_if_not_calibrated:
            return ""
        lead = " Within the errors of these labels," if self.labels_used else " If not,"
        return f"{lead} half-widths may reach {_halves(self.expected_if_not_calibrated)}."

    def save(self, path: str | Path) -> None:
        """Write the plan to a JSON file, which the estimate needs.

        Parameters
        ----------
        path : str or Path
            Name of the file, such as "to_label.plan.json".

        Raises
        ------
        FileError
            If the file cannot be written, or has another plan that this plan does not continue.
        """
        refuse_other_plan(path, self)
        write_plan(path, self)

    @classmethod
    def load(cls, path: str | Path) -> LabelPlan:
        """Read a plan that `save` wrote.

        Parameters
        ----------
        path : str or Path
            Name of the file.

        Returns
        -------
        LabelPlan
            The plan.

        Raises
        ------
        FileError
            If the file is not a plan, or is damaged.
        """
        try:
            text = Path(path).expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise FileError(
                f"Cannot read {path}: {reason}. Use a file that `classay label` wrote."
            ) from error
        return cls(**read_plan(text, str(path), Stratum))

    def more(self, scores: Any, *, budget: int, seed: int = 0, prevalence: float | None = None) -> LabelPlan:
        """Draw more cases from the same strata, in the same shares.

        Parameters
        ----------
        scores : array-like
            Scores of the same pool, in the same order.
        budget : int
            Number of further cases.
        seed : int, default 0
            Seed of the draws.
        prevalence : float, optional
            Share of positives that the labels show, if they refute the planned one.

        Returns
        -------
        LabelPlan
            The plan with the rows of all draws, the new ones last.

        Raises
        ------
        InputError
            If the scores are those of another pool, or fewer cases are left.
        """
        return with_more(self, scores, budget, seed, prevalence=prevalence)


def plan_in(sampling: Sampling) -> LabelPlan:
    """Return the plan by which cases were drawn. Raises InputError for a design that somebody else made."""
    if not isinstance(sampling.design, LabelPlan):
        raise InputError(f"design is {shown(sampling.design)}. Use a plan of `plan_labels`.")
    return sampling.design


def with_more(
    plan: LabelPlan,
    scores: Any,
    budget: int,
    seed: int,
    *,
    prevalence: float | None = None,
    first: FirstLabels | None = None,
    warned: tuple[Warned, ...] = (),
) -> LabelPlan:
    """Return `plan.more`; expected half-widths follow the `first` labels, and leave out drawn cases without one."""
    values = checked_pair(scores)[1] if plan.models else checked_scores(scores)
    refuse_other_pool(plan, values)
    sizes, labels, _ = plan.arrays
    left = int((sizes - labels).sum())
    if not 1 <= budget <= left:
        raise InputError(
            f"The budget is {budget:,}, but {left:,} cases are left. Use a number from 1 to {left:,}."
        )
    wanted = allotted(labels / labels.sum(), sizes, int(labels.sum()) + budget, labels)
    rng = np.random.default_rng([seed, len(plan.waves)])
    codes = plan.places_of(values)
    new = drawn(codes, wanted - labels, rng, plan.rows)
    strata = tuple(
        replace(stratum, labels=int(number)) for stratum, number in zip(plan.strata, wanted, strict=True)
    )
    plan = replace(
        plan,
        rows=np.concatenate([plan.rows, new]),
        stratum=np.concatenate([plan.stratum, codes[new].astype(np.int64)]),
        scores=np.concatenate([plan.scores, values[new].astype(float)]),
        strata=strata,
        waves=(*plan.waves, budget),
        warnings=warned,
    )
    if prevalence is not None and plan.planned_prevalence is not None:
        planned = np.array([stratum.planned for stratum in plan.strata], float)
        plan = _planning(plan, at_prevalence(planned, sizes.astype(float), prevalence))
    return _with_expected(plan, first)


def write_plan(path: str | Path, plan: LabelPlan) -> None:
    """Write a plan over what the file has."""
    write_text(Path(path), json.dumps(plan.to_dict()) + "\n")


def refuse_other_plan(path: str | Path, plan: LabelPlan) -> None:
    """Raise FileError where a file has a plan, and this one is neither the same nor the same with more cases."""
    file = Path(path).expanduser()
    if not file.is_file() or not file.stat().st_size:
        return
    other = LabelPlan.load(path)
    if other.pool != plan.pool or not np.array_equal(other.rows, plan.rows[: other.rows.size]):
        raise FileError(
            f"{path} has another plan, which the labels of its list need. Choose another file, or delete this plan."
        )


def refuse_other_pool(plan: LabelPlan, scores: Array) -> None:
    """Raise InputError for the scores of another pool than that of a plan: its hash differs."""
    if len(scores) != plan.n_cases:
        raise InputError(
            f"There are {len(scores):,} scores, but the plan is for {plan.n_cases:,} cases. Use the plan's pool."
        )
    if pool_hash(scores) != plan.pool:
        raise InputError(
            "The scores differ from those of the plan, or are in another order. Use the plan's pool, unchanged."
        )


def _halves(expected: Mapping[str, float]) -> str:
    """Return half-widths in words."""
    return listed(
        [f"{in_digits(half)} for {'F1' if name == 'f1' else name}" for name, half in expected.items()]
    )


def in_digits(half: float) -> str:
    """Return a half-width with two significant digits, 0 of cases that all have a label.

    >>> in_digits(0.1449), in_digits(0.0042), in_digits(0.6), in_digits(0.0999), in_digits(0.0)
    ('0.14', '0.0042', '0.60', '0.10', '0')
    """
    return f"{half:.{1 - floor(log10(float(f'{half:.1e}')))}f}" if half > 1e-9 else "0"


@checked
def plan_labels(
    scores: Any,
    *,
    budget: int,
    measures: Sequence[str] = DEFAULT,
    threshold: float = 0.5,
    prevalence: float | None = None,
    half_width: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> LabelPlan:
    """Choose which cases to label, so that few labels give narrow intervals.

    Cases are divided into strata by score, with the threshold between two of them. From every stratum
    cases are drawn at random, more where labels reduce the error of the measures more.

    Parameters
    ----------
    scores : array-like or mapping
        Scores of all cases. A mapping of two models' names to their scores plans for their differences.
    budget : int
        Number of cases to label.
    measures : sequence of str, default ("recall", "precision", "f1")
        Measures to aim at: "recall", "precision", "f1", "prevalence".
    threshold : float, default 0.5
        Cases with `score >= threshold` are predicted positive.
    prevalence : float, optional
        Share of positives, if known. The default is the mean score.
    half_width : float, optional
        Half-width at which labeling may stop before the budget. Intervals are then wider.
    level : float, default 0.95
        Confidence level of the intervals to expect.
    seed : int, default 0
        Seed of the draws.

    Returns
    -------
    LabelPlan
        Rows to label, their strata, and the half-widths to expect.

    Raises
    ------
    InputError
        If the budget is above the number of cases or below 5 labels in every stratum.
        If scores are missing, infinite or all equal, or the threshold does not divide them.

    Notes
    -----
    Scores in [0, 1] are taken as probabilities, moved by 20% towards their mean. Other scores are used by
    their ranks. Labels are shared out by Neyman's rule (1938, JASA 33:101). With two models, strata are the
    cases that both, only one or no model predicts positive, and cases of disagreement get twice the labels.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(0).beta(0.3, 6, 20_000)
    >>> plan = plan_labels(scores, budget=300, measures=["recall", "precision"])
    >>> plan.rows.size, len(plan.strata)
    (300, 6)
    """
    aims = _aims(measures)
    if isinstance(scores, Mapping):
        return _of_two(scores, budget, aims, threshold, prevalence, half_width, level, seed)
    values = checked_scores(scores)
    if not 1 <= budget <= values.size:
        raise InputError(
            f"The budget is {budget:,}, but there are {values.size:,} cases. Use a number from 1 to {values.size:,}."
        )
    above, below = MANY if budget < SMALL_BUDGET else (2 * MANY[0], 2 * MANY[1])
    strata = Pool.of(values, threshold, prevalence).strata(above, below)
    least = np.minimum(LEAST_LABELS, strata.sizes)
    if budget < least.sum():
        raise InputError(
            f"A budget of {budget:,} is too small for {strata.sizes.size} strata. Use at least {int(least.sum())}: "
            f"{LEAST_LABELS} labels in every stratum."
        )
    labels = allotted(strata.weights(aims), strata.sizes, budget, least)
    codes = codes_of(values, strata.edges)
    rows = drawn(codes, labels, np.random.default_rng(seed))
    ends: list[float | None] = [None, *map(float, strata.edges), None]
    planned = [None] * labels.size if strata.planned is None else strata.planned.shares.tolist()
    parts = tuple(
        Stratum(ends[k], ends[k + 1], bool(called), int(size), int(number), float(mean), share)
        for k, (called, size, number, mean, share) in enumerate(
            zip(strata.is_called, strata.sizes, labels, strata.means, planned, strict=True)
        )
    )
    plan = LabelPlan(
        rows,
        codes[rows].astype(np.int64),
        values[rows].astype(float),
        parts,
        threshold,
        aims,
        level,
        seed,
        pool_hash(values),
        (budget,),
        {},
        {},
        half_width,
    )
    return _with_expected(plan, known=strata.planned)


def _of_two(
    scores: Mapping[Any, Any],
    budget: int,
    aims: tuple[str, ...],
    threshold: float,
    prevalence: float | None,
    half_width: float | None,
    level: float,
    seed: int,
) -> LabelPlan:
    """Return the plan for the differences of two models."""
    names, values = checked_pair(scores)
    if "prevalence" in aims:
        raise InputError("The prevalence is the same for both models. Remove it from the measures.")
    if not 1 <= budget <= len(values):
        raise InputError(
            f"The budget is {budget:,}, but there are {len(values):,} cases. Use a number from 1 to {len(values):,}."
        )
    strata = strata_of_pair(names, values, threshold, prevalence)
    if budget < strata.least.sum():
        raise InputError(
            f"A budget of {budget:,} is too small for {strata.least.size} strata of two models. Use at least "
            f"{int(strata.least.sum())}."
        )
    labels = allotted(strata.weights(aims), strata.sizes, budget, strata.least)
    rows = drawn(strata.places, labels, np.random.default_rng(seed))
    parts = tuple(
        Stratum(low, high, bool(called), int(size), int(number), float(mean), float(share), called)
        for (low, high), called, size, number, mean, share in zip(
            strata.ends, strata.called_by, strata.sizes, labels, strata.means, strata.shares, strict=True
        )
    )
    plan = LabelPlan(
        rows,
        strata.places[rows].astype(np.int64),
        values[rows].astype(float),
        parts,
        threshold,
        aims,
        level,
        seed,
        pool_hash(values),
        (budget,),
        {},
        {},
        half_width,
        models=names,
    )
    return _with_expected(plan)


def _aims(measures: Sequence[str]) -> tuple[str, ...]:
    """Return the measures to aim at. Raises InputError for others."""
    names = tuple(dict.fromkeys(map(str, measures)))
    if unknown := [name for name in names if name not in TARGETS]:
        near = nearest(unknown[0], TARGETS) or "."
        raise InputError(f"A plan cannot aim at {unknown[0]!r}. Measures: {listed([*TARGETS])}{near}")
    if not names:
        raise InputError(f"A plan needs a measure to aim at. Measures: {listed([*TARGETS])}.")
    return names


def _design(calls: Array, sizes: Array, shares: Array, models: tuple[str, ...]) -> Planned | PlannedPair:
    return PlannedPair(calls, sizes, shares) if models else Planned.of_shares(sizes, calls[:, 0], shares)


def _planning(plan: LabelPlan, shares: Array) -> LabelPlan:
    """Return the plan with other planned shares of its strata."""
    parts = tuple(
        replace(stratum, planned=float(share)) for stratum, share in zip(plan.strata, shares, strict=True)
    )
    return replace(plan, strata=parts)


def _with_expected(
    plan: LabelPlan, first: FirstLabels | None = None, known: Planned | None = None
) -> LabelPlan:
    """Return the plan with the half-widths to expect, which follow the first labels if there are some."""
    labels = np.array([stratum.labels for stratum in plan.strata], float)
    budget = int(labels.sum())
    warnings = [*plan.warnings]
    if first is not None and first.lacking.any():
        labels = np.maximum(labels - first.lacking, np.minimum(labels, 1))
        budget -= int(first.lacking.sum())
        text = (
            f"{int(first.lacking.sum()):,} cases of earlier draws have no label. Expected half-widths exclude "
            "these cases. Label them too."
        )
        warnings.append(Warned("not_labeled", text))
    if any(stratum.planned is None for stratum in plan.strata):
        text = "Scores are outside 0 to 1. Strata follow ranks. Expected half-widths need scores from 0 to 1."
        return replace(plan, expected={}, others={}, warnings=(*warnings, Warned("no_probabilities", text)))
    sizes = np.array([stratum.cases for stratum in plan.strata], float)
    planned, calls = np.array([stratum.planned for stratum in plan.strata], float), plan.arrays[2]
    if first is None:
        ways = misjudged(planned, sizes, np.asarray(calls.any(1)), is_known=plan._names_prevalence)
    else:
        planned = first.anchored(planned, sizes)
        ways = first.ways(planned, np.asarray(calls.any(1)))
        plan = replace(_planning(plan, planned), labels_used=int(first.labels.sum()))
    design = _design(calls, sizes, planned, plan.models) if known is None else known
    aims, level = plan.measures, plan.level
    designs = [labels]
    if len(aims) > 1 and isinstance(design, Planned):
        least = np.minimum(LEAST_LABELS, sizes)
        designs += [allotted(design.weights((name,)), sizes, budget, least).astype(float) for name in aims]
    halves = design.half_widths(np.array(designs), aims, level)
    expected, *alone = ({name: float(half[k]) for name, half in halves.items()} for k in range(len(designs)))
    others = {RANDOM: design.of_random(budget, aims, level), **dict(zip(aims, alone, strict=False))}
    better = [name for name in aims if others[RANDOM][name] < expected[name]]
    if better:
        text = f"A simple random sample is expected to be more precise for {listed(better)}. " + hint(
            "Aim at this measure only with measures=.", "Aim at this measure only with --measures."
        )
        warnings.append(Warned("random_is_better", text))
    return replace(
        plan,
        expected=expected,
        others=others,
        warnings=tuple(warnings),
        expected_if_not_calibrated=greatest(design, ways, labels, aims, level),
    )
