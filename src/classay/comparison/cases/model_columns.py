"""Rows of several models on one test set, as they are given: columns, one frame, a frame each joined by an id."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from classay.answers import AnswerPolicy
from classay.assessment.assessing import refuse_of_tags
from classay.assessment.assessment import Assessment
from classay.assessment.drawn import refuse_designed, refuse_list
from classay.assessment.group_labels import grouped, refuse_many_groups, refuse_measured_groups
from classay.column_names import are_names, used_names
from classay.columns import code_columns, unite
from classay.columns.coding import code_labels
from classay.columns.labels import declared
from classay.columns.numbers import as_array, counted, picked, place_of_row
from classay.columns.opened import rows_of
from classay.comparison.cases.panel import PairedPredictions
from classay.comparison.cases.panel_building import answered_rows, panel_of, refuse_one_model, same_length
from classay.comparison.cases.panel_columns import CaseColumns, GroupColumn, ModelAnswers
from classay.errors import InputError, in_our_words
from classay.kinds import ScoreScale, is_mapping, shown
from classay.sources.id_columns import repeated_in
from classay.sources.inputs import Unmatched, columns_of_roles, named_in, orders_by_id, roles_of_amounts
from classay.texts import hint, quote

Array = NDArray[Any]
Table = Mapping[str, Collection[object]]
"""The columns of a frame by their names, each in the type of its library."""


class Rows(TypedDict, total=False):
    """What the rows are and what their columns mean: columns of frames by their names, others as they are."""

    y_pred: Mapping[str, Iterable[object]] | None
    truth: str | Sequence[str] | Mapping[Hashable, str] | None
    scores: str | Sequence[str] | Mapping[Any, Any] | None
    predictions: str | Sequence[str] | Mapping[str, Any] | None
    id: str | None
    positive: Hashable | None
    labels: Sequence[Hashable] | None
    ordered: bool
    threshold: float | Sequence[float] | Mapping[str, Any] | None
    top: int | None
    separator: str | None
    weight: Any
    frequency: Any
    cluster: Any
    amounts: Any
    score_scale: ScoreScale | None
    task: Literal["classes", "tags"] | None


class AllRows(Rows, total=False):
    """The same with the truth of rows that are in no frame; None for what was not said."""

    y_true: Any


def all_rows(y_true: Any, rows: Rows) -> AllRows:
    """Return what was said of rows, and None for what was not."""
    return cast(AllRows, dict.fromkeys(Rows.__annotations__) | {"y_true": y_true, **rows})


def panel_from(
    models: Any, rows: AllRows, policy: AnswerPolicy, groups: GroupColumn | None = None
) -> PairedPredictions:
    """The checked rows of models that came as columns, in one frame or in a frame each; `groups` are of the first."""
    threshold = cast("float | Mapping[str, float] | None", rows["threshold"])  # several are refused
    thresholds = threshold.values() if isinstance(threshold, Mapping) else [threshold]
    for cuts in thresholds:
        refuse_of_tags(cuts, None)
    case_columns: dict[Any, Any] = {"weight": rows["weight"], "frequency": rows["frequency"]}
    case_columns |= {"cluster": rows["cluster"], "by": groups}
    amounts = rows.get("amounts")
    known = declared(rows.get("labels"), ordered=bool(rows.get("ordered")))
    alone: dict[str, tuple[int, int]] = {}
    if rows["truth"] is not None and amounts is not None:
        amounts = roles_of_amounts(amounts)
        case_columns |= {("amount", name): amount for name, amount in amounts.items()}
    y_true = rows["y_true"]
    if rows["truth"] is not None:
        if y_true is not None:
            raise InputError("truth= and y_true cannot be combined. Pass one of them.")
        refuse_list(first_frame(models), rows["weight"])
        answers, y_true, case_columns, alone = _from_frames(
            models, rows, known, case_columns, _unmatched(policy)
        )
    else:
        columns = {"scores": rows["scores"], "predictions": rows["predictions"], "id": rows["id"]}
        if given_alone := [f"{name}=" for name, column in columns.items() if column is not None]:
            raise InputError(
                f"{', '.join(given_alone)} names columns of frames, but truth= is not set. Pass truth= for "
                "frames. For arrays, pass the models first, as in compare({'old': old_scores, 'new': "
                "new_scores}, y_true)."
            )
        answers = _from_columns(models, rows["y_pred"])
    if y_true is None:
        refuse_designed(models, "compare")
        raise InputError("The true labels are not set. Pass y_true, or truth= with the name of their column.")
    if rows["truth"] is not None and amounts is not None:
        amounts = {name: case_columns.pop(("amount", name)) for name in amounts}
    score_scale = rows.get("score_scale")
    if score_scale is not None and all(model.score is None for model in answers.values()):
        raise InputError(
            f"{hint('score_scale=', '--score-scale')} has no effect, because no model has scores. Remove it."
        )
    panel = panel_of(
        answers,
        y_true,
        positive=rows["positive"],
        threshold=threshold,
        labels=known,
        score_scale=score_scale,
        policy=policy,
        cases=CaseColumns(amounts=amounts, **case_columns),
    )
    return replace(panel, alone=alone, repeats=repeats_of_rows(models, rows, groups))


def repeats_of_rows(
    models: Any, rows: Mapping[str, object], groups: GroupColumn | None
) -> tuple[str, int] | None:
    """Return the column of ids of the first frame that repeats its values, where cases are taken for independent."""
    if rows["truth"] is None or rows["cluster"] is not None or rows["frequency"] is not None:
        return None
    of_groups = () if groups is None else groups.columns
    return repeated_in(first_frame(models), used_names(rows).union(of_groups))


def groups_of(models: Any, truth: object, by: Any, *, may_be_many: bool = False) -> GroupColumn | None:
    """The groups that cases belong to, by the columns of the first frame that are named, or by columns as they are.

    Raises InputError for too many groups, unless they will be combined first: then `refuse_many_groups` is asked
    afterwards.
    """
    if by is None:
        return None
    named = {str(getattr(by, "name", None) or "group"): by}
    if isinstance(by, Mapping):
        named = {str(name): column for name, column in by.items()}
    elif truth is not None and isinstance(by, str):
        named = {by: by}
    elif truth is not None and are_names(by):
        named = {name: name for name in by}
    if not named:
        raise InputError("by is empty. Pass the name of a column of groups, several names, or a column.")
    if truth is not None:
        named = columns_of_roles(first_frame(models), named)
    is_column = truth is not None and len(named) == 1
    together = grouped(named)
    coded = code_labels(together, f"by (column {quote(*named)})" if is_column else "by")
    if not may_be_many:
        refuse_measured_groups(coded.codes, coded.labels, ", ".join(named))
        refuse_many_groups(len(coded.labels), coded.codes.size, ", ".join(named))
    gaps = tuple(named) if coded.missing and [*named] != ["group"] else ()
    return GroupColumn(", ".join(named), coded.codes, coded.labels, getattr(together, "gaps", ()) or gaps)


def first_frame(models: Any) -> Any:
    """Return the frame that holds the columns of all models, or that of the first one."""
    if is_mapping(models) and models and all(map(is_frame_of_model, models.values())):
        return next(iter(models.values()))
    return models


def compared_rows(models: Any, columns: Rows, policy: AnswerPolicy) -> Array:
    """Where in the first model's frame the rows stand that are compared, `(cases,)`: `panel_of` leaves out the others.

    `models` and `columns` are those of `compare`, by the names of its arguments.

    >>> frame = {"y": [1, 0, 1, 0], "a": [0.9, 0.2, 0.8, 0.1], "b": [0.7, None, 0.6, 0.3]}
    >>> compared_rows(frame, {"truth": "y", "scores": ["a", "b"]}, AnswerPolicy(unanswered="drop"))
    array([0, 2, 3])
    """
    labels = columns.get("labels")
    answers, truth, _, _ = _from_frames(models, columns, labels, {}, _unmatched(policy))
    keep = answered_rows(answers, truth, labels, policy)
    first = next(iter(answers.values())).rows
    if first is not None and (lacking := int((first < 0).sum())):
        raise InputError(
            f"{next(iter(answers))} has no row for {counted(lacking, 'case')} of other models, but "
            "requirements apply to these cases. Add their rows without a score."
        )
    return np.flatnonzero(keep) if first is None else first[keep]


def _unmatched(policy: AnswerPolicy) -> Unmatched:
    kinds: dict[str, Unmatched] = {"drop": "drop", "wrong": "keep"}
    return kinds.get(policy.unanswered, "refuse")


def are_assessments(models: Any) -> bool:
    """Check whether these are assessments by the models' names."""
    return is_mapping(models) and bool(models) and all(isinstance(a, Assessment) for a in models.values())


def _from_columns(models: Any, y_pred: Mapping[str, Iterable[object]] | None) -> dict[str, ModelAnswers]:
    if models is not None and not is_mapping(models):
        raise InputError(
            f"models must be a dict of scores by model name or a frame with truth=, but is {type(models).__name__}."
        )
    if y_pred is not None and not is_mapping(y_pred):
        raise InputError(f"y_pred must be a dict of labels by model name, but is {type(y_pred).__name__}.")
    scores, labels = dict(models or {}), dict(y_pred or {})
    _refuse_same_texts([*scores, *labels])
    return {
        str(name): ModelAnswers(scores.get(name), labels.get(name))
        for name in dict.fromkeys([*scores, *labels])
    }


def _refuse_same_texts(names: Sequence[Any]) -> None:
    """Refuse names that are one as text, such as 1 and "1"."""
    first: dict[str, Any] = {}
    for name in names:
        if first.setdefault(str(name), name) != name:
            raise InputError(
                f"Two models have the same name: {first[str(name)]!r} and {name!r}. Rename one of them."
            )


@dataclass(frozen=True)
class Columns:
    """The names of columns that hold one input of one model: a single column, or one of each class by its label."""

    of_classes: Mapping[Hashable, str]
    one: str | None = None

    @classmethod
    def of(cls, names: Any, labels: Sequence[Hashable] | None = None) -> Columns:
        """Return a name; a mapping from labels to names; or a list of names, of the `labels` or each that of its label.

        Raises InputError for anything else.
        """
        if names is None or isinstance(names, str):
            return cls({}, names)
        if isinstance(names, Sequence) and labels is not None and len(labels) == len(names):
            names = dict(zip(labels, names, strict=True))
        elif isinstance(names, Sequence):
            names = {name: name for name in names}
        if not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names.values()):
            raise InputError(
                "Columns of a model must be a name, or for several classes a mapping from labels to names, "
                f"but are {shown(names)}."
            )
        return cls(dict(names))

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [*self.of_classes.values()] if self.one is None else [self.one]

    def read(self, table: Table) -> Any:
        """Return what they hold: a column, a mapping from labels to columns, or nothing."""
        if self.one is not None:
            return table[self.one]
        return {label: table[name] for label, name in self.of_classes.items()} or None


def _named(names: Any) -> dict[str, Columns]:
    """Columns by the models' names."""
    if names is None:
        return {}
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, Mapping | Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(
            f"Columns must be a list of names or a mapping from models to names, but are {names!r}."
        )
    of_model = names if isinstance(names, Mapping) else {name: name for name in names}
    return {name: Columns.of(columns) for name, columns in of_model.items()}


def _from_frames(
    models: Any,
    rows: Rows,
    labels: Sequence[Hashable] | None,
    given: dict[Any, Any],
    unmatched: Unmatched,
) -> tuple[dict[str, ModelAnswers], Any, dict[Any, Any], dict[str, tuple[int, int]]]:
    """What each model says, the truth, the columns of all, and how many rows of each frame are not in every one."""
    truth = cast(str, rows["truth"])  # several columns are of tags
    scores, predictions, id = rows.get("scores"), rows.get("predictions"), rows.get("id")
    if is_mapping(models) and all(is_frame_of_model(frame) for frame in models.values()):
        if not (predictions is None or isinstance(predictions, str)):
            raise InputError(
                "With one frame per model, predictions must be the name of the column they share, but is "
                f"{predictions!r}."
            )
        of_model = Columns.of(scores, labels)
        return _from_each(models, truth, of_model, predictions, id, given, unmatched)
    first, answers = _from_one(
        models, truth, _named(scores), _named(predictions), [*named_in(given), *([id] if id else [])]
    )
    if id is not None:
        orders_by_id(
            {"the rows": first[id]}
        )  # which are of one case each, as those of a frame for each model are
    return answers, first[truth], columns_of_roles(first, given), {}


def _from_one(
    frame: Any,
    truth: str,
    scores: Mapping[str, Columns],
    predictions: Mapping[str, Columns],
    columns: list[str],
) -> tuple[Table, dict[str, ModelAnswers]]:
    """Return the columns of the frame of all models, and what each model says."""
    from classay.sources.inputs import frame_columns

    of_models = [name for column in (*scores.values(), *predictions.values()) for name in column.names]
    arrays = frame_columns(frame, list(dict.fromkeys([truth, *columns, *of_models])))
    none = Columns({})
    answers = {
        name: ModelAnswers(scores.get(name, none).read(arrays), predictions.get(name, none).read(arrays))
        for name in dict.fromkeys([*scores, *predictions])
    }
    return arrays, answers


def _from_each(
    frames: Mapping[Any, Any],
    truth: str,
    scores: Columns,
    prediction: str | None,
    id: str | None,
    case_columns: Mapping[Any, Any],
    unmatched: Unmatched,
) -> tuple[dict[str, ModelAnswers], Any, dict[Any, Any], dict[str, tuple[int, int]]]:
    """Return the same of a frame for each model; columns that are given as they are belong to the rows of the first."""
    from classay.sources.inputs import frame_columns, frame_names

    if not frames:
        refuse_one_model(0)
    columns, groups = named_in(case_columns), case_columns.get("by")
    described = {*columns, *(() if groups is None else groups.columns)}
    wanted = [name for name in (truth, *scores.names, prediction, id) if name is not None]
    tables = {}
    _refuse_same_texts([*frames])
    for k, (name, frame) in enumerate(frames.items()):
        shared = described and described & {*frame_names(frame)}
        try:
            tables[str(name)] = frame_columns(
                frame, list(dict.fromkeys([*wanted, *(columns if k == 0 else ()), *sorted(shared)]))
            )
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    orders = None
    if id is None:
        same_length({name: table[truth] for name, table in tables.items()})
    else:
        orders = orders_by_id({name: table[id] for name, table in tables.items()}, unmatched)
    refuse_contradictions(tables, orders, sorted(described), truth)
    aligned = {
        name: {
            column: values if orders is None else _placed(values, orders[name])
            for column, values in table.items()
        }
        for name, table in tables.items()
    }
    answers = {
        name: ModelAnswers(
            scores.read(table),
            None if prediction is None else table[prediction],
            None if orders is None else orders[name],
        )
        for name, table in aligned.items()
    }
    sizes = {name: len(table[truth]) for name, table in tables.items()}
    first = next(iter(tables))
    of_all = columns_of_roles(tables[first], case_columns)
    if orders is not None:
        _refuse_unknown_roles(of_all, first, orders[first])
        of_all = _in_order(of_all, first, sizes[first], orders[first])
        if any(map(_is_partial, orders.values())):  # what a model has no row for, it did not answer
            return answers, _truth_of_all(tables, truth, orders), of_all, {}
    kept = len(aligned[first][truth])
    alone = (
        {name: (rows - kept, rows) for name, rows in sizes.items()}
        if len({kept, *sizes.values()}) > 1
        else {}
    )
    return answers, aligned[first][truth], of_all, alone


def _is_partial(order: Array) -> bool:
    """Check whether a source lacks some of the cases."""
    return bool((order < 0).any())


def _refuse_unknown_roles(columns: Mapping[Any, Any], first: str, order: Array) -> None:
    """Refuse weights and the like of cases that the first model has no row for."""
    named = [
        role if isinstance(role, str) else role[1] for role, column in columns.items() if column is not None
    ]
    if named and _is_partial(order):
        raise InputError(
            f"{first}, the first model, has no row for {counted(int((order < 0).sum()), 'case')} of other "
            f"models, so their {named[0]} is not known. Add these rows to it, without a score."
        )


def _truth_of_all(tables: Mapping[str, Table], truth: str, orders: Mapping[str, Array]) -> Any:
    """Return the truth of each case by the first model that has it."""
    import pyarrow as pa

    columns = [pa.table({truth: _arrow(table[truth])}) for table in tables.values()]
    starts = np.cumsum([0, *(column.num_rows for column in columns)])
    places = np.full(len(next(iter(orders.values()))), -1, np.intp)
    for start, order in zip(starts, orders.values(), strict=False):
        places = np.where((places < 0) & (order >= 0), order + start, places)
    with in_our_words("The true labels of the models cannot be joined", "Convert them to one type."):
        return pa.concat_tables(columns, promote_options="permissive")[truth].take(pa.array(places))


def _arrow(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    return column.to_arrow() if hasattr(column, "to_arrow") else pa.array(column, from_pandas=True)


def _placed(column: Any, order: Array) -> Any:
    """Return the rows of a column in an order, in which those that it lacks (-1) are missing."""
    if not _is_partial(order):
        return rows_of(column, order)
    import pyarrow as pa

    return _arrow(column).take(pa.array(order, mask=order < 0))


def _in_order(columns: Mapping[Any, Any], first: str, size: int, order: Array) -> dict[Any, Any]:
    """Columns of the first model's rows in the order of the cases that are compared."""
    for role, column in columns.items():
        if column is not None and len(column) != size:
            name = role if isinstance(role, str) else role[1]
            raise InputError(
                f"{name} has {counted(len(column))}, but the frame of the first model, {first}, has {size:,}. "
                "With frames that are joined by id, pass the name of a column of the first frame, or one "
                "value for each of its rows."
            )
    return {role: rows_of(column, order) for role, column in columns.items()}


def refuse_contradictions(
    frames: Mapping[Any, Any],
    orders: Mapping[str, Array] | None,
    columns: Iterable[str],
    truth: str | None = None,
) -> None:
    """Refuse frames of models that differ in what a column says of the same cases, which are as many in all of them.

    What describes cases is taken from the first frame, so that results would depend on which comes first.
    """
    from classay.sources.inputs import frame_columns, frame_names

    for column in filter(None, [truth, *columns]):
        holders = {str(name): frame for name, frame in frames.items() if column in frame_names(frame)}
        if len(holders) < 2:
            continue
        values = {name: frame_columns(frame, [column])[column] for name, frame in holders.items()}
        if orders is not None:
            values = {name: _placed(of_model, orders[name]) for name, of_model in values.items()}
        first = next(iter(values))
        what, mend = f"column {column!r}", f"Correct column {column!r}, or keep it only in {first}"
        if column == truth:
            what, mend = "the true label", "Correct the true labels"
        mend += "" if orders else f", or {hint('pass id=', 'use --id')} to join rows in another order"
        for name, is_other in _others(values, what, is_label=column == truth).items():
            # of cases that one of them lacks, nothing is said twice
            known = orders is None or (orders[first] >= 0) & (orders[name] >= 0)
            off = np.flatnonzero(is_other & known)
            if off.size:
                with picked(None if orders is None else orders[first]):
                    raise InputError(
                        f"{what[:1].upper()}{what[1:]} of {name} differs from that of {first} in {off.size:,} of "
                        f"{is_other.size:,} cases, the first at {place_of_row(off[0])} of {first}. {mend}."
                    )


def _others(columns: Table, what: str, *, is_label: bool) -> dict[str, Array]:
    """Return where each column differs from the first: numbers by more than rounding, labels at all."""
    numbers: list[Array] = []
    if not is_label:
        with suppress(InputError):
            numbers = [as_array(column, what) for column in columns.values()]
    if numbers:
        differ = [~np.isclose(one, numbers[0], rtol=1e-14, atol=0, equal_nan=True) for one in numbers]
    else:
        codes = unite(code_columns([(f"{what} of {name}", column) for name, column in columns.items()]))[1]
        differ = [one != codes[0] for one in codes]
    return dict(zip(columns, differ, strict=True))


def is_frame_of_model(value: Any) -> bool:
    """Check whether a value has columns by name."""
    return is_mapping(value) or hasattr(value, "columns") or hasattr(value, "column_names")
