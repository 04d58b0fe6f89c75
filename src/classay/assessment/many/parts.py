"""How a part of many rows becomes counts: read, checked and reduced by itself, wherever that is."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from classay.answers import Lacking, Policy
from classay.assessment.assessing import checked_rows, of_predictions
from classay.assessment.assessment import Assessment
from classay.columns import Labels, code_labels, match_label, zero_one
from classay.columns.numbers import Outside, score_array, unscored
from classay.columns.values import plain
from classay.errors import FileError, InputError, NoRowsError, NothingCountsError
from classay.predictions import MOST_CLASSES, Improper, Predictions, Rounding
from classay.sources.fragments import Fragment
from classay.sources.spelling import Known, NumberKinds, spelled
from classay.tables.binned.scale import Scale

TWO = ("negative", "positive")
"""The classes without which nothing is counted: the first rows may be of one alone."""


@dataclass(frozen=True)
class Reading:
    """How a fragment becomes an assessment: the columns by their roles, the labels, and how to count.

    `rounding` is what becomes of scores that leave [0, 1] by rounding alone, as long as none leaves it by more.
    """

    roles: Mapping[str, Any]
    known: Known
    declared: Labels | None
    positive: Hashable | None
    policy: Policy
    improper: Improper
    how: Mapping[str, Any]
    bits: int | Scale | None
    rounding: Rounding = "set back"

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        named: list[str] = []
        for name in self.roles.values():
            named += [] if name is None else [*name.values()] if isinstance(name, Mapping) else [name]
        return list(dict.fromkeys(named))

    @property
    def of_labels(self) -> list[str]:
        """The columns that hold labels."""
        return [self.roles[role] for role in ("truth", "prediction") if self.roles[role] is not None]

    @property
    def labels(self) -> Labels:
        """All labels that are known, or declared."""
        return self.known.labels if self.declared is None else self.declared

    def of(self, fragment: Fragment) -> Counted:
        """Read and count a fragment; labels that were not known, or declared, are given back instead of a count.

        Raises InputError with the name of the fragment.
        """
        with _named(fragment):
            try:
                return self._of(fragment)
            except NoRowsError as nothing:
                return Counted(0, Known(), nothing=nothing)

    def look_at(self, fragment: Fragment) -> Reading:
        """The same, knowing the labels in a fragment. Raises InputError as `of` does."""
        with _named(fragment):
            try:
                table = fragment.read(self.columns, self.of_labels)
            except NoRowsError:
                return self
            return self.knowing(self._found(fragment, table))

    def _of(self, fragment: Fragment) -> Counted:
        table = fragment.read(self.columns, self.of_labels)
        spellings = {name: fragment.spelling(name) for name in self.columns if name not in self.of_labels}
        kinds = NumberKinds.of({name: (table[name], by) for name, by in spellings.items() if by is not None})
        for name in kinds.rounded:
            place = table.column_names.index(name)
            table = table.set_column(place, name, kinds.as_floats(table[name], name))
        return replace(self._count(fragment, table), kinds=kinds)

    def _count(self, fragment: Fragment, table: Any) -> Counted:
        spellings = {name: fragment.spelling(name) for name in self.of_labels}
        found = self._found(fragment, table)
        if self.declared is not None:
            # labels that nobody declared were found in these rows, and mean what they mean there
            known = self.known if found <= self.known else found | spelled(self.declared, found.written)
        elif (found <= self.known and self.is_settled) or self.knowing(found).extends(self):
            known = self.known | found
        else:
            return Counted(table.num_rows, found)
        wanted = self.labels if self.declared is not None else known.labels
        columns = {name: known.meant(table[name], name, spellings[name]) for name in self.of_labels}
        try:
            rows = self._checked(table, columns, wanted)
        except NothingCountsError as nothing:
            return self._nothing_of(table, columns, nothing, Counted(table.num_rows, found, None, wanted))
        made = of_predictions(rows, bits=self.bits, **self.how)
        return Counted(table.num_rows, found, made, wanted, outside=rows.outside, rounding=self.rounding)

    def _found(self, fragment: Fragment, table: Any) -> Known:
        """The labels of a fragment."""
        found = (Known.of_column(table[name], name, fragment.spelling(name)) for name in self.of_labels)
        return reduce(or_, found)

    def _checked(self, table: Any, columns: Mapping[str, Any], labels: tuple[Hashable, ...]) -> Predictions:
        score, prediction = self.roles["score"], self.roles["prediction"]
        weights: dict[str, Any] = {
            role: None if self.roles[role] is None else table[self.roles[role]]
            for role in ("weight", "frequency")
        }
        return checked_rows(
            columns[self.roles["truth"]],
            {match_label(label, self.labels): table[name] for label, name in score.items()}
            if isinstance(score, Mapping)
            else score and table[score],
            y_pred=None if prediction is None else columns[prediction],
            **weights,
            labels=labels,
            positive=match_label(self.positive, self.labels) if self.positive is not None else None,
            policy=self.policy,
            improper=self.improper,
            rounding=self.rounding,
        )

    def _nothing_of(
        self, table: Any, columns: Mapping[str, Any], nothing: NothingCountsError, counted: Counted
    ) -> Counted:
        """What is counted of rows that are all left out."""
        known = code_labels(columns[self.roles["truth"]], "truth").codes >= 0
        codes: Any = None
        labels: tuple[Hashable, ...] = ()
        if self.roles["prediction"] is not None:
            predicted = code_labels(columns[self.roles["prediction"]], "prediction")
            codes, labels = predicted.codes, predicted.labels
        declared = None if self.declared is None else {plain(label) for label in self.declared}
        lacking = Lacking.of(table.num_rows, codes, labels, declared, self._unscored(table))
        gone = lacking.any & known if self.policy.unanswered == "drop" else np.zeros(table.num_rows, bool)
        return replace(
            counted,
            nothing=nothing,
            dropped=int((~known).sum() + gone.sum()),
            unscored=int((gone & lacking.score & ~lacking.prediction & ~lacking.undeclared).sum()),
            unanswered=int(gone.sum()),
            undeclared=int((gone & lacking.undeclared).sum()),
        )

    def _unscored(self, table: Any) -> Any:
        """Which rows lack a score, or one of their scores."""
        score = self.roles["score"]
        names = [] if score is None else list(score.values()) if isinstance(score, Mapping) else [score]
        gone = (unscored(score_array(table[name])) for name in names)
        return np.logical_or.reduce(
            [np.zeros(table.num_rows, bool), *(each for each in gone if each is not None)]
        )

    @property
    def is_settled(self) -> bool:
        """Whether rows can be counted with the labels that are known: two of which one is positive, or more."""
        if self.declared is not None or len(self.labels) > len(TWO):
            return True
        is_said = zero_one(self.labels) is not None if self.positive is None else self._matches(self.positive)
        return len(self.labels) == len(TWO) and is_said

    def _matches(self, label: Hashable) -> bool:
        """Whether a label, perhaps written as text, is one that is known."""
        try:
            match_label(label, self.labels)
        except InputError:
            return False
        return True

    def extends(self, before: Reading) -> bool:
        """Whether more labels are known than before, and what was counted before can be added to what is now.

        So it is of labels alone, of which there were three or more, and which mean what they meant.
        """
        if isinstance(self.roles["score"], Mapping) or self.declared is not None:
            return False
        return len(before.labels) > len(TWO) and are_among(before.labels, self.labels)

    def can_add(self, counted: Counted) -> bool:
        """Whether a fragment was counted with the labels that are known by now, or with some of many."""
        if is_same(counted.labels, self.labels):
            return True
        return self.extends(replace(self, known=Known(Labels.of(counted.labels))))

    def knowing(self, found: Known) -> Reading:
        """The same with further labels. Raises InputError when they are more than there can be classes."""
        known = self.known | found
        if len(known.labels) > MOST_CLASSES:
            raise InputError(
                f"there are more than {MOST_CLASSES:,} classes, up to which classay counts: put rare ones together, or "
                "pass the column of labels, if this is one of ids or numbers."
            )
        return replace(self, known=known)


@contextmanager
def _named(fragment: Fragment) -> Iterator[None]:
    """Put the name of a fragment before what is wrong with it, if it is not said yet."""
    try:
        yield
    except FileError:
        raise
    except InputError as error:
        raise InputError(f"{fragment.key}: {error}") from error


def is_same(labels: Sequence[Hashable], others: Sequence[Hashable]) -> bool:
    """Whether labels are the same in type too: 1 and 1.0 are equal in Python.

    >>> is_same((0, 1), (0, 1)), is_same((0, 1), (0, 1.0))
    (True, False)
    """
    return [*map(type, labels)] == [*map(type, others)] and tuple(labels) == tuple(others)


def are_among(some: Sequence[Hashable], labels: Sequence[Hashable]) -> bool:
    """Whether labels are all among others, in type too.

    >>> are_among((0, 2), (0, 1, 2)), are_among((0, 2), (0, 1, 2.0))
    (True, False)
    """
    return {(type(label), label) for label in some} <= {(type(label), label) for label in labels}


@dataclass(frozen=True)
class Counted:
    """What became of a fragment: how many rows it has, the labels in it, and its assessment with the labels known.

    Where no row of it counts, `nothing` says why, `dropped` are the rows left out, and `unanswered`, `undeclared` and
    `unscored` those of them, as in `Predictions`. `kinds` are those of its
    columns of numbers, where a file of text leaves them to be guessed from the rows. `outside` says how far its scores
    left [0, 1] as they came, `rounding` what became of those that left it by rounding alone.
    """

    rows: int
    found: Known
    assessment: Assessment | None = None
    labels: tuple[Hashable, ...] = ()
    dropped: int = 0
    nothing: NothingCountsError | None = None
    kinds: NumberKinds = field(default_factory=NumberKinds)
    outside: Outside = "nowhere"
    rounding: Rounding = "set back"
    unscored: int = 0
    unanswered: int = 0
    undeclared: int = 0

    @property
    def is_counted(self) -> bool:
        """Whether the labels that were known sufficed: it is counted, or there is nothing to count."""
        return self.assessment is not None or self.nothing is not None
