"""Columns that hold the scores of all classes: lists, vectors, records and maps."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from classay.describing.columns import ColumnFacts, facts_of, label_text
from classay.errors import ClassayError
from classay.formats.class_lists import FirstRows, class_columns_in
from classay.formats.known_names import names_of_codes

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ScoresInOne:
    """A column with the scores of all classes, by their labels; `order` is a guess that an option has to name."""

    name: str
    scores: dict[Hashable, pa.ChunkedArray]
    facts: tuple[ColumnFacts, ...]
    order: tuple[Hashable, ...] = ()
    is_guess: bool = False


def is_nested(kind: pa.DataType) -> bool:
    """Check whether a column has lists, records or maps."""
    import pyarrow as pa

    return bool(pa.types.is_nested(kind))


def scores_in_one(table: pa.Table, names: Sequence[str], truth: ColumnFacts, where: str) -> list[ScoresInOne]:
    """Return those of the nested columns that have one score for each label of the truth."""
    rows = FirstRows(table, table.schema.metadata)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the command says it again
        scored = [_scores(rows, name, truth, where) for name in names]
    return [scores for scores in scored if scores is not None]


def _scores(rows: FirstRows, name: str, truth: ColumnFacts, where: str) -> ScoresInOne | None:
    known_order = _order_in(rows, truth)
    guess = known_order or tuple(sorted(truth.values, key=_place))
    for order in ((), guess):
        try:
            paths = class_columns_in(rows, name, where, truth.name, order)
            if paths is None or {*map(str, paths)} != {*map(label_text, truth.values)}:
                continue
            scores = _columns(rows, [*paths.values()], where)
        except ClassayError:
            continue
        facts = tuple(facts_of(scores))
        if all(column.is_number or column.n_missing < column.n for column in facts):
            by_label = {label: scores[path] for label, path in paths.items()}
            return ScoresInOne(name, by_label, facts, order, is_guess=bool(order) and not known_order)
    return None


def _columns(rows: FirstRows, paths: list[str], where: str) -> pa.Table:
    """Return the scores by their paths."""
    import pyarrow as pa

    from classay.formats.paths import Table

    table = Table(rows.table, where, paths)
    return pa.table({path: table.column(path) for path in paths})


def _order_in(rows: FirstRows, truth: ColumnFacts) -> tuple[Hashable, ...]:
    """Return the labels in the order of names that the file knows for another column; nothing where it has none."""
    by_text = {label_text(label): label for label in truth.values}
    for names in names_of_codes(rows.metadata).values():
        if {*names} == by_text.keys():
            return tuple(by_text[name] for name in names)
    return ()


def _place(label: Hashable) -> tuple[bool, float, str]:
    """Return where a label stands in the usual order: numbers by size, then texts by the alphabet."""
    is_number = isinstance(label, int | float)
    return (not is_number, float(label) if is_number else 0.0, str(label))  # type: ignore[arg-type]
