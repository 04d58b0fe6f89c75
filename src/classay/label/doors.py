"""`assess(…, design=)` and `compare(…, design=)`: labels of cases that a plan drew, or that others chose."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from classay.assessment.parts import Sampling
from classay.assessment.row_arguments import RowArguments
from classay.column_names import are_names
from classay.comparison.cases.difference import mcnemar
from classay.comparison.comparing import judged, refuse
from classay.comparison.comparison import DRAWN_CASES, Comparison, UnitsTested, adjusted
from classay.comparison.comparisons import Comparisons
from classay.comparison.named_tests import cite
from classay.comparison.ways import Question, WayToCompare
from classay.errors import InputError
from classay.inference.along_the_way import METHOD, CalledCells, inverted, of_counts
from classay.inference.estimate import Estimate
from classay.inference.phrasing import number_with_interval
from classay.inference.proportions import normal_quantile
from classay.label.cells import LabeledCells, labels_of
from classay.label.differences import difference_of
from classay.label.flagged import FLAGGED, SOURCE_OF_RATIO, detected, plan_of_flagged, ratio_of_recalls
from classay.label.flagged import METHOD as OF_RATIO
from classay.label.labeled import (
    STOPPED,
    STOPPING,
    LabeledAssessment,
    assess_labeled,
    level_of,
    refuse_threshold,
)
from classay.label.lists import ROW
from classay.label.planning import DEFAULT, LabelPlan, plan_in
from classay.label.rows import Matched, ReadLabels, matched_labels
from classay.measures import get
from classay.measures.registry import Measure
from classay.sources.inputs import columns_of_roles
from classay.texts import hint, listed

Array = NDArray[Any]
OF_LABELS = ("truth", "score", "positive")
NOT_YET = ("weight", "frequency", "cluster", "amounts")
DEFAULTS = {"missing": "refuse", "unanswered": "refuse", "improper": "keep", "ordered": False}
STEPS, CORNERS = 200, 16
"""Steps from no to all positives among the missing labels of a stratum, and corners from which one begins."""
INTERVAL, TEST = f"stratified, {METHOD}, t", "inverted interval"


def assess_by_design(
    y_true: Any, y_score: Any, sampling: Sampling, threshold: Any, level: float, options: RowArguments
) -> LabeledAssessment:
    """Return the assessment of what `assess` was given. Raises InputError for arguments without a meaning here."""
    design = sampling.design
    if threshold is not None and not isinstance(threshold, int | float):
        raise InputError("Several thresholds are not available yet with a design. Use one threshold.")
    _refuse(cast("Mapping[str, object]", options), OF_LABELS)
    rows = None
    if options.get("truth") is not None:
        score = options.get("score") if y_score is None else y_score
        y_true, y_score, rows = _of_frame(y_true, options["truth"], score)
    elif y_score is None and design == FLAGGED:
        raise InputError('design="flagged" needs the scores of all cases. Pass y_score.')
    positive = options.get("positive")
    if design == FLAGGED:
        return assess_flagged(y_true, y_score, threshold, level, positive)
    plan = plan_in(sampling)
    refuse_threshold(plan, threshold)
    return assess_labeled(y_true, y_score, plan=plan, rows=rows, positive=positive, level=level)


def assess_flagged(
    y_true: Any,
    y_score: Any,
    threshold: float | None,
    level: float,
    positive: Hashable | None = None,
    unsure: Hashable | None = None,
) -> LabeledAssessment:
    """Return the assessment of labels that others chose, those of predicted positive cases only."""
    plan = plan_of_flagged(ReadLabels.of(y_true, positive, unsure), y_score, threshold)
    return assess_labeled(y_true, y_score, plan=plan, positive=positive, unsure=unsure, level=level)


def _refuse(options: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Refuse what was passed besides labels and scores."""
    for name, option in options.items():
        if (
            name in known
            or option is None
            or (isinstance(option, str | bool) and option == DEFAULTS.get(name))
        ):
            continue
        why = "is not available yet with a design" if name in NOT_YET else "has no effect with a design"
        raise InputError(f"{hint(f'{name}=', f'--{name}')} {why}. Remove it.")


def _of_frame(frame: Any, truth: Any, score: Any) -> tuple[Any, Any, Any]:
    """Return labels, scores and rows of the pool by the names of columns; no rows where the frame has none."""
    roles = {"truth": truth, "score": score}
    try:
        columns = columns_of_roles(frame, roles | {"rows": ROW})
    except InputError:
        columns = columns_of_roles(frame, roles) | {"rows": None}
    return columns["truth"], columns["score"], columns["rows"]


def _claims(_: Any, question: Question) -> bool:
    return question.rows.get("design") is not None


def _answer(models: Any, question: Question) -> Comparisons:
    """Return the differences of two models in recall, precision, F1 or other measures of the four counts."""
    plan = None if question.sampling.design == FLAGGED else plan_in(question.sampling)
    if plan is not None and not plan.models:
        raise InputError(
            "The plan is for one model. To compare two models, plan with the scores of both: "
            + hint('plan_labels({"new": a, "old": b}, …).', "classay label --scores new,old.")
        )
    rows = question.options_beside(BY_DESIGN)
    refuse(
        {"method": question.method, "control": question.control, "rope": question.rope},
        "has no effect with a design",
    )
    truth = rows.get("truth")
    columns = {
        name: value for name, value in rows.items() if name not in ("y_true", "truth", "scores", "positive")
    }
    threshold = columns.pop("threshold", None)
    if threshold is not None and not isinstance(threshold, int | float):
        raise InputError("Several thresholds are not available yet with a design. Use one threshold.")
    columns.pop("labels", None)
    _refuse(columns, ())
    if plan is not None:
        refuse_threshold(plan, threshold)
    y_true, scores, places = rows.get("y_true"), models, None
    if truth is not None:
        y_true, scores, places = _of_models(models, truth, rows.get("scores"))
    elif not isinstance(models, Mapping):
        raise InputError("Pass the scores of both models by name, or a frame with truth= and scores=.")
    if plan is None:
        return _of_flagged(scores, y_true, threshold, rows.get("positive"), question)
    names = tuple(map(str, scores)) if isinstance(scores, Mapping) else plan.models
    if {*names} != {*plan.models}:
        raise InputError(
            f"The plan is of the models {listed([*plan.models])}, but the scores are of {listed([*names])}. Use the "
            "models of the plan."
        )
    read = ReadLabels.of(y_true, rows.get("positive"), None)
    matched = matched_labels(plan, read, scores, places, None)
    cells = LabeledCells.of(plan, matched)
    if not cells.is_known:
        raise InputError("A stratum of the plan has no label. Label cases of every stratum.")
    compared = replace(_compared(plan, cells, names, question), sampling=question.sampling)
    if matched.lacking(plan).any():
        compared = replace(compared, facts=(*compared.facts, _of_missing(plan, matched, names, question)))
    return judged(question.in_direction(compared), question.rule, question.margin)


def _of_flagged(
    scores: Mapping[Any, Any], y_true: Any, threshold: float | None, positive: Any, question: Question
) -> Comparisons:
    """Return the test of equal recalls and their ratio, from the labels of all predicted positive cases."""
    asked = [get(name).name if isinstance(name, str) else "" for name in question.measures or ("recall",)]
    if asked != ["recall"] or question.rule is not None or question.alternative != "two-sided":
        raise InputError(
            "If only predicted positive cases have labels, only the ratio of two recalls can be estimated. Rules and "
            "one-sided tests are not available. Use a plan of labels for other measures and tests."
        )
    names = tuple(map(str, scores))
    if len(names) != 2:
        raise InputError(
            f"A ratio of recalls compares two models, but {len(names)} are named. Name two models."
        )
    level = question.interval_level
    first, second = (assess_flagged(y_true, column, threshold, level, positive) for column in scores.values())
    counts = detected(first, second)
    tested = mcnemar(counts, (names[0], names[1]), measure="recall", units="positive cases", level=level)
    ratio = number_with_interval(ratio_of_recalls(counts, level))
    facts = (
        ("cases", f"{first.n_cases:,}"),
        ("positive cases", f"{int(sum(counts)):,} predicted positive by at least one model"),
        ("threshold", f"{first.plan.threshold:g}"),
        ("ratio of recalls", f"{names[0]} / {names[1]}: {ratio}, {OF_RATIO}"),
    )
    test = replace(tested.test, reference=f"{cite('fagerland2013')}; {SOURCE_OF_RATIO}")
    shown = replace(tested, effect=None, values=(), test=test)
    return Comparisons((shown,), names, facts, level, question.drawn_seed, sampling=question.sampling)


def _of_missing(
    plan: LabelPlan, matched: Matched, names: tuple[str, ...], question: Question
) -> tuple[str, str]:
    """Return how many drawn cases have no label, and how far differences may lie, whatever their labels are."""
    missing = matched.lacking(plan)
    sizes, drawn, _ = plan.arrays
    labels, positives = labels_of(plan, matched)
    calls = plan.arrays[2][:, [plan.models.index(name) for name in names]]
    parts = []
    for measure in map(_measure, question.measures or DEFAULT):

        def values(ways: Array, measure: Measure = measure) -> Array:
            shares = (positives + missing * ways) / np.maximum(labels + missing, 1)
            tool = difference_of(measure.name, sizes, calls, shares, drawn, is_finite=True)
            return np.asarray(tool.value(shares))

        low, high = np.round([-_most(lambda ways: -values(ways), missing), _most(values, missing)], 2) + 0.0
        parts.append(f"{'F1' if measure.name == 'f1' else measure.name} {low:.2f} to {high:.2f}")
    text = f"{int(missing.sum()):,} drawn cases. Range of differences over all possible labels: {', '.join(parts)}"
    return "without a label", text


def _most(value: Callable[[Array], Array], missing: Array) -> float:
    """Return the greatest value over the shares of positives among missing labels, `(ways, strata)`.

    It may lie between none and all of a stratum, such as that of a difference in F1. From each corner one stratum moves
    at a time, until none has a better place.
    """
    open_, steps = np.flatnonzero(missing), 1 + np.minimum(missing, STEPS)
    corners = np.zeros((2**open_.size, missing.size))
    corners[:, open_] = [*product((0.0, 1.0), repeat=open_.size)]
    best = -np.inf
    for corner in corners[np.argsort(-np.nan_to_num(value(corners), nan=-np.inf))[:CORNERS]]:
        at, here, last = corner.copy(), -np.inf, None
        while here != last:
            last = here
            for k in open_:
                ways = np.tile(at, (int(steps[k]), 1))
                ways[:, k] = np.linspace(0, 1, int(steps[k]))
                reached = np.nan_to_num(value(ways), nan=-np.inf)
                at, here = ways[reached.argmax()], float(reached.max())
        best = max(best, here)
    return best


def _of_models(frame: Any, truth: Any, scores: Any) -> tuple[Any, Any, Any]:
    """Return labels, scores of the models and rows of the pool, of a frame."""
    if scores is None or not are_names(scores) or len(scores) != 2:
        raise InputError('Name the columns of scores of both models, such as scores=["new", "old"].')
    columns = {name: _of_frame(frame, truth, name) for name in scores}
    y_true, _, rows = next(iter(columns.values()))
    return y_true, {name: score for name, (_, score, _) in columns.items()}, rows


def _compared(
    plan: LabelPlan, cells: LabeledCells, names: tuple[str, ...], question: Question
) -> Comparisons:
    """Return the differences, each with its interval and a p-value adjusted over the measures."""
    level, errors = question.interval_level, 1.0 if plan.half_width is None else STOPPING
    z = normal_quantile(1 - (1 - level) / errors)
    calls = cells.calls[:, [plan.models.index(name) for name in names]]
    shares, tests = cells.positives / cells.labels, []
    for measure in map(_measure, question.measures or DEFAULT):
        tool = difference_of(measure.name, cells.sizes, calls, shares, cells.labels, is_finite=True)
        first, second = (
            float(of_counts(measure, *CalledCells(cells.sizes, calls[:, k]).totals(shares))) for k in (0, 1)
        )
        low, high = (float(end) for end in tool.limits(z))
        method = (
            INTERVAL
            if plan.half_width is None
            else f"{INTERVAL}, {STOPPED.format(100 * level_of(plan, level))}"
        )
        difference = first - second
        ends = min(low, difference), max(high, difference)
        effect = Estimate(difference, *ends, level, tool.named(method))
        p = float(inverted(tool.limits, np.asarray(difference), 0.0))
        tests.append(
            Comparison(
                (names[0], names[1]),
                measure.name,
                effect,
                min(1.0, errors * p),
                method=TEST,
                random=DRAWN_CASES,
                values=(first, second),
                sample=UnitsTested(float(cells.labels.sum())),
            )
        )
    facts = (
        ("cases", f"{plan.n_cases:,}"),
        ("labels", f"{int(cells.labels.sum()):,} of {plan.rows.size:,} drawn"),
        ("threshold", f"{plan.threshold:g}"),
        ("estimated for", "these cases"),
    )
    return Comparisons(tuple(adjusted(tests, question.adjustment)), names, facts, level, question.drawn_seed)


def _measure(wanted: Any) -> Measure:
    """Return a measure of the four counts. Raises InputError for others, and for one that has no difference."""
    measure = get(wanted) if isinstance(wanted, str) else wanted
    if (
        not isinstance(measure, Measure)
        or measure.needs not in ("counts", "margins")
        or measure.name == "prevalence"
    ):
        name = measure.name if isinstance(measure, Measure) else "A cost"
        raise InputError(
            f"{name} of two models is not available yet from a plan of labels. Use recall, precision, F1 or another "
            "measure of predicted labels."
        )
    return measure


BY_DESIGN = WayToCompare(("design",), "is for scores of two models on one test set", _claims, _answer)
