"""Building a panel: the answers of all models checked as those of one model are, and the rows that stay."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Sized
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import REFUSE, AnswerPolicy, MissingColumns
from classay.columns import Coded, code_columns, unite
from classay.columns.class_columns import in_order_of_labels, table_columns, table_labels
from classay.columns.numbers import counted, picked, score_array, unscored
from classay.columns.opened import Categories, rows_of
from classay.columns.values import listing, plain
from classay.comparison.cases.panel import Omitted, PairedPredictions
from classay.comparison.cases.panel_columns import CaseColumns, GroupColumn, ModelAnswers
from classay.errors import InputError
from classay.kinds import ScoreScale
from classay.predictions import InputRows, Predictions, check, nothing_left, unlabeled_rows
from classay.texts import hint

Array = NDArray[Any]


def refuse_one_model(models: int) -> None:
    """Refuse fewer than two models."""
    if models < 2:
        raise InputError(f"A comparison needs at least two models, but has {'one' if models else 'none'}.")


def panel_of(
    models: Mapping[str, ModelAnswers],
    truth: Any,
    *,
    positive: Hashable | None = None,
    labels: Sequence[Hashable] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    cases: CaseColumns,
    policy: AnswerPolicy = REFUSE,
    score_scale: ScoreScale | None = None,
) -> PairedPredictions:
    """Check the rows of all models and bring them to common codes.

    A row without a truth is left out if the `policy` says so, and one that any model did not answer is left out for
    all, or counts as wrong for this model. Raises InputError, as `assess` does, with the name of the model.
    """
    refuse_one_model(len(models))
    columns = [("truth", truth)]
    columns += [
        (f"prediction of {name}", m.prediction) for name, m in models.items() if m.prediction is not None
    ]
    coded = code_columns(columns)
    by = cases.by
    known = coded[0][1].codes >= 0
    keep, gone = known, {}
    if policy.unanswered == "drop":
        gone = _lacking(models, dict(coded), labels, known)
        keep = known & ~np.logical_or.reduce([lacking.any for lacking in gone.values()]) if gone else known
    rows, every = _kept(keep, known, policy), truth
    if rows is not None:
        truth = rows_of(truth, rows)
    row_columns, are_declared = cases.of(rows), labels is not None
    if labels is None:
        occurring = [(name, column) for name, column in coded]
        union, _ = unite(occurring)
        wide = [m.score for m in models.values() if _is_wide(m.score)]
        if wide:  # tables are read by their columns' names, arrays in the order of the sorted labels
            named = [table_labels(score, coded[0][1]) for score in wide]
            labels = None if None in named else named[0]
        else:
            labels = None if len(union) < 2 else union
    row_columns["group"] = _labelled(row_columns["group"], by)
    of_model: dict[str, Predictions] = {}
    for name, answers in models.items():
        score, prediction = answers.score, answers.prediction
        if rows is not None:
            score, prediction = rows_of(score, rows), rows_of(prediction, rows)
        try:
            with picked(answers.rows), picked(rows):
                request = InputRows(
                    truth,
                    score,
                    y_pred=prediction,
                    positive=positive,
                    labels=labels,
                    policy=policy,
                    score_scale=None if score is None else score_scale,
                    fills_unseen=are_declared,
                    may_declare=True,
                    **row_columns,
                )
                found_rows = check(request)
            of_model[name] = _with_unlabeled(found_rows, request, answers, cases, np.flatnonzero(~known))
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    panel = _assembled(
        of_model, threshold, 0 if rows is None else int((~keep).sum()), () if by is None else by.labels
    )
    if not any((lacking.any & known).any() for lacking in gone.values()):
        return panel
    complete = partial(
        panel_of,
        models,
        every,
        positive=positive,
        labels=labels,
        threshold=threshold,
        policy=AnswerPolicy(policy.missing, "wrong"),
        cases=cases,
        score_scale=score_scale,
    )
    counts = {name: int((lacking.any & known).sum()) for name, lacking in gone.items()}
    of_undeclared = {name: int((lacking.undeclared & known).sum()) for name, lacking in gone.items()}
    marks = {name: lacking.any[known] for name, lacking in gone.items()}
    omitted = Omitted(marks, _or_reason(complete))
    return replace(panel, unanswered=counts, undeclared=of_undeclared, omitted=omitted)


def _kept(keep: Array, known: Array, policy: AnswerPolicy) -> Array | None:
    """Return the places of the rows that stay, None where none are left out."""
    if keep.all() or not (policy.missing == "drop" or known.all()):
        return None
    if not keep.any():
        raise nothing_left("truth", is_known=bool(known.any()))
    return np.flatnonzero(keep)


def _with_unlabeled(
    predictions: Predictions, request: InputRows, answers: ModelAnswers, cases: CaseColumns, at: Array
) -> Predictions:
    """Return the checked rows of a model, with those without a truth as `check` finds them of one model alone."""
    drawn = {"weight": cases.weight, "frequency": cases.frequency, "cluster": cases.cluster}
    full_request = replace(request, y_score=answers.score, y_pred=answers.prediction, **drawn)
    return replace(predictions, unlabeled=unlabeled_rows(full_request, predictions, at))


def _labelled(codes: Array | None, by: GroupColumn | None) -> Categories | None:
    return None if by is None or codes is None else Categories(codes, by.labels, "declared", by.gaps)


def answered_rows(
    models: Mapping[str, ModelAnswers], truth: Any, labels: Sequence[Hashable] | None, policy: AnswerPolicy
) -> Array:
    """Which rows stay, `(rows,)` of booleans: those with a truth, and with an answer of all models, as is asked."""
    columns = [("truth", truth)]
    columns += [
        (f"prediction of {name}", m.prediction) for name, m in models.items() if m.prediction is not None
    ]
    coded = dict(code_columns(columns))
    known = coded["truth"].codes >= 0
    keep = known if policy.missing == "drop" else np.ones(known.size, bool)
    if policy.unanswered != "drop":
        return keep
    gone = _lacking(models, coded, labels, known).values()
    return np.asarray(keep & ~np.logical_or.reduce([lacking.any for lacking in gone]))


def _or_reason(complete: Callable[[], PairedPredictions]) -> PairedPredictions | str:
    """Return the panel in which cases without an answer count as wrong, or why there is none."""
    try:
        return complete()
    except InputError as error:
        return str(error)


def _lacking(
    models: Mapping[str, ModelAnswers],
    coded: Mapping[str, Coded],
    labels: Sequence[Hashable] | None,
    known: Array,
) -> dict[str, MissingColumns]:
    """What each model did not answer; columns of another length are left to be refused where they are checked."""
    declared = None if labels is None else {plain(label) for label in labels}
    lacking = {}
    for name, answers in models.items():
        prediction = coded.get(f"prediction of {name}")
        with picked(answers.rows):
            scores, _, _ = in_order_of_labels(answers.score, coded["truth"], labels)
            without = None if scores is None else unscored(score_array(scores))
        if without is not None and without.size != known.size:
            without = None
        if prediction is not None and prediction.codes.size != known.size:
            prediction = None
        codes, of_model = (None, ()) if prediction is None else (prediction.codes, prediction.labels)
        lacking[name] = MissingColumns.of(known.size, codes, of_model, declared, without)
    return lacking


def _assembled(
    models: dict[str, Predictions],
    threshold: float | Mapping[str, float] | None,
    dropped: int,
    named_groups: Sequence[Hashable],
) -> PairedPredictions:
    first = next(iter(models.values()))
    for name, model in models.items():
        if model.labels != first.labels:
            raise InputError(
                f"{name} has the labels {model.labels}, but another model has {first.labels}. Declare labels=."
            )
    thresholds = _thresholds(models, threshold)
    labels = max((model.labels_of_matrix for model in models.values()), key=len)
    predicted = {}
    for name, model in models.items():
        if model.undeclared and model.no_answer is not None and model.no_answer.all():
            raise InputError(
                f"No predicted label of {name} is among the declared ones ({listing(model.labels)}). Declare "
                "the labels as they are in the column, as text or numbers."
            )
        called = model.called(thresholds.get(name))
        if called is not None:
            predicted[name] = called
    cluster = None
    if first.cluster is not None:
        cluster = np.unique(first.cluster, return_inverse=True)[1]
    met = {*(first.groups or ())}
    return PairedPredictions(
        tuple(models),
        labels,
        first.positive,
        first.truth,
        {name: model.score for name, model in models.items() if model.score is not None},
        {name: model.class_scores for name, model in models.items() if model.class_scores is not None},
        predicted,
        thresholds,
        first.frequency,
        first.weight,
        cluster,
        dropped,
        threshold is not None,
        first.amounts,
        first.amount_names,
        unanswered={name: model.unanswered for name, model in models.items() if model.unanswered},
        undeclared={name: model.undeclared for name, model in models.items() if model.undeclared},
        rows=models,
        group=first.group,
        groups=first.groups or (),
        emptied=tuple(group for group in named_groups if group not in met),
        raw=frozenset(name for name, model in models.items() if model.raw_scores),
    )


def _thresholds(
    models: dict[str, Predictions], threshold: float | Mapping[str, float] | None
) -> dict[str, float]:
    """Return the threshold of each model whose labels come from its scores: as given, or 0.5 for probabilities."""
    scored = [name for name, model in models.items() if model.score is not None and model.predicted is None]
    thresholds = dict(threshold) if isinstance(threshold, Mapping) else {}
    if threshold is not None and not isinstance(threshold, Mapping):
        if not scored:
            what = hint(f"threshold={threshold!r}", f"--threshold {threshold!r}")
            raise InputError(f"{what} has no effect, because no model has scores. Remove it.")
        thresholds = dict.fromkeys(scored, threshold)
    unknown = [name for name in thresholds if name not in scored]
    if unknown:
        raise InputError(
            f"A threshold is set for {', '.join(map(str, unknown))}, but thresholds apply to models with "
            f"scores of two classes and no labels: {', '.join(scored) or 'none'}."
        )
    if threshold is not None:
        return {name: float(value) for name, value in thresholds.items()}
    defaults = {name: models[name].default_threshold for name in scored}
    return {name: value for name, value in defaults.items() if value is not None}


def _is_wide(score: Any) -> bool:
    """Check whether there is a score for each class, whose order the labels follow."""
    return table_columns(score) is not None or len(getattr(score, "shape", ())) == 2


def same_length(columns: Mapping[str, Sized]) -> None:
    """Refuse columns of different lengths."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len({*lengths.values()}) > 1:
        sizes = ", ".join(f"{name} has {counted(rows)}" for name, rows in lengths.items())
        raise InputError(
            f"The models have different numbers of rows: {sizes}. Use the same cases, or "
            f"{hint('pass id=', 'use --id')} to join them."
        )
