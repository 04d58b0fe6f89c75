"""Small groups pooled into one, where that is asked for: which they are, how the pool is called, and what is told."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import Group
from classay.columns.numbers import counted
from classay.errors import InputError
from classay.kinds import OfKinds
from classay.texts import clean, quote

Array = NDArray[Any]
FEWEST = 2
"""Groups that make a pool, and the least number of cases below which one is asked to be small."""
NAMED = 5
"""Pooled groups that a sentence names before it counts them."""


class Rest(Group):
    """The label of pooled groups of several columns, which all have its name: it prints as that name.

    >>> print(Rest(("sex", "age"), ("the rest (2 groups)",) * 2))
    the rest (2 groups)
    """

    def __str__(self) -> str:
        return str(self[0])


@dataclass(frozen=True)
class PooledGroups(OfKinds):
    """Groups with fewer cases than were asked for, which are one group together.

    `small` are those groups, each with its cases, and `name` is the label of the group that they make: "the rest (7
    groups)", or longer where a group has that name. It is None where fewer than two are small, so that none is pooled.
    `groups` counts all groups before.
    """

    fewer_than: int
    small: tuple[tuple[Hashable, int], ...] = ()
    name: Hashable | None = None
    groups: int = 0

    @classmethod
    def among(cls, cases: Mapping[Hashable, int], fewer_than: int) -> PooledGroups:
        """The small ones of groups with so many cases. Raises InputError where no group could be small.

        >>> found = PooledGroups.among({"a": 50, "b": 3, "c": 4}, 10)
        >>> found.name, found.cases, found.label_of("b"), found.label_of("a")
        ('the rest (2 groups)', 7, 'the rest (2 groups)', 'a')
        """
        if fewer_than < FEWEST:
            raise InputError(
                f"pool is {fewer_than}: pass a number of cases from {FEWEST} on (--pool); groups with fewer are pooled."
            )
        small = tuple((label, int(n)) for label, n in cases.items() if n < fewer_than)
        name = _name_of(len(small), [*cases]) if len(small) >= FEWEST else None
        return cls(fewer_than, small, name, len(cases))

    @property
    def cases(self) -> int:
        """Cases of the small groups together."""
        return sum(n for _, n in self.small)

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The groups that are pooled; none where there is no pool."""
        return () if self.name is None else tuple(label for label, _ in self.small)

    def label_of(self, label: Hashable) -> Hashable:
        """The label that a group has after pooling."""
        return self.name if label in self.labels else label

    def recoded(self, codes: Array, labels: Sequence[Hashable]) -> tuple[Array, tuple[Hashable, ...]]:
        """Codes of groups into these labels, with those of the pool as one group, the last; -1 stays.

        >>> found = PooledGroups.among({"a": 50, "b": 3, "c": 4}, 10)
        >>> found.recoded(np.array([0, 2, 1, -1]), ["a", "b", "c"])
        (array([ 0,  1,  1, -1]), ('a', 'the rest (2 groups)'))
        """
        gone = {*self.labels}
        if not gone:
            return codes, tuple(labels)
        kept = [label for label in labels if label not in gone]
        place = {label: k for k, label in enumerate(kept)}
        new = np.array([*(place.get(label, len(kept)) for label in labels), -1], codes.dtype)
        return new[codes], (*kept, self.name)

    @property
    def sentence(self) -> str:
        """Which groups were pooled, and into what; or why none was."""
        than = f"fewer than {counted(self.fewer_than, 'case')}"
        if not self.small:
            return f"No group was pooled: each has {counted(self.fewer_than, 'case')} or more."
        named = "; ".join(f"{quote(label)} ({n:,})" for label, n in self.small[:NAMED])
        more = len(self.small) - NAMED
        named += f" and {more:,} more" if more > 0 else ""
        if self.name is None:
            return f"No group was pooled: only {named} has {than}, and one group makes no pool."
        all_of_them = f"All {len(self.small):,}" if len(self.small) == self.groups else f"{len(self.small):,}"
        still = ", which are still fewer" if self.cases < self.fewer_than else ""
        return (
            f"{all_of_them} groups with {than} each were pooled, as asked, into {quote(self.name)} of "
            f"{counted(self.cases, 'case')}{still}: {named}."
        )

    def __str__(self) -> str:
        return clean(self.sentence)


def _name_of(small: int, labels: Sequence[Hashable]) -> Hashable:
    """The name of a pool of so many groups, which none of the groups has, as a label like theirs."""
    first = labels[0]
    known = {str(each) for label in labels for each in (label, *(label if isinstance(label, Group) else ()))}
    name, number = f"the rest ({small:,} groups)", 1
    while name in known:
        name = f"the rest ({small:,} groups, pooled{'' if number == 1 else f' {number}'})"
        number += 1
    return Rest(first.columns, (name,) * len(first)) if isinstance(first, Group) else name
