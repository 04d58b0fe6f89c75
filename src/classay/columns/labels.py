"""Labels: the distinct labels of columns in one sequence, where an order is from, and the one law of uniting them.

Columns of one call, parts of many rows, and tables that are added all unite their labels here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from functools import reduce
from itertools import pairwise, zip_longest
from numbers import Number
from typing import Any, Literal, get_args

from classay.columns.values import listing, plain, refuse_twice, sort_labels
from classay.errors import InputError, MergeError

Source = Literal["declared", "categories", "listed", "sorted"]
"""Where the sequence is from: somebody gave it as an order; a column of ordered categories has it; somebody listed
labels, which is no order; nobody gave any."""
SOURCES: tuple[Source, ...] = get_args(Source)
ORDERS: tuple[Source, ...] = ("declared", "categories")
"""The sources that are an order, the stronger one first."""
_NOUNS = {"boolean": "booleans", "number": "numbers", "text": "text", "other": "other values"}
NO_ORDER = (
    "three or more labels have no order (give one: ordered categories, labels= with ordered=True, or --order "
    "low,medium,high)"
)
"""When there is no ordinal measure, and why."""


class Labels(tuple[Hashable, ...]):
    """Distinct labels in a sequence, and where it is from; equal to the plain tuple of the same labels, and shown so.

    >>> found = Labels(("low", "mid"), "declared") | Labels(("mid", "high"), "categories")
    >>> found, found.source
    (('low', 'mid', 'high'), 'declared')
    >>> Labels((3, 1, 2)).is_ordinal, Labels((1, 2, 3)).is_ordinal, Labels(("a", "b", "c")).is_ordinal
    (False, True, False)
    >>> Labels((1, 2)) | Labels(("1", "2"))
    Traceback (most recent call last):
    classay.errors.MergeError: labels are numbers such as 2 here and text such as '2' there: convert one of them.
    """

    source: Source

    def __new__(cls, labels: Iterable[Hashable] = (), source: Source = "listed") -> Labels:
        """Labels in this sequence, each once."""
        made = super().__new__(cls, labels)
        made.source = source
        return made

    @classmethod
    def of(cls, labels: Iterable[Hashable]) -> Labels:
        """The labels as they are; those of a plain sequence are listed."""
        return labels if isinstance(labels, Labels) else cls(labels)

    @classmethod
    def sorted(cls, labels: Iterable[Hashable]) -> Labels:
        """Distinct labels that nobody put in a sequence; those that do not compare, by type and how they print."""
        return cls(sort_labels(labels), "sorted")

    @property
    def is_given(self) -> bool:
        """Whether somebody gave the sequence as an order."""
        return self.source in ORDERS

    @property
    def are_integers(self) -> bool:
        """Whether these are whole numbers that ascend, whose order is known without anybody giving it."""
        return all(type(label) is int for label in self) and all(
            here < there  # type: ignore[operator]
            for here, there in pairwise(self)
        )

    @property
    def order(self) -> str | None:
        """Where their order is from: "declared", "categories" or "integers"; None where they have none."""
        return self.source if self.is_given else "integers" if self.are_integers else None

    @property
    def is_ordinal(self) -> bool:
        """Whether ordinal measures have a meaning: an order was given, or the labels are whole numbers."""
        return self.order is not None

    def taken(self, at: Sequence[int], asked: Sequence[Hashable] = ()) -> Labels:
        """Some of the labels, by position; an order stays one where the positions ascend, or where `asked` has it."""
        source = self.source
        if isinstance(asked, Labels) and asked == tuple(self[i] for i in at):
            return asked
        if any(here >= there for here, there in pairwise(at)):
            source = "listed"
        return Labels((self[i] for i in at), source)

    def __or__(self, other: Labels) -> Labels:
        """All labels of both. Raises MergeError for different kinds, and for orders that contradict each other."""
        return united((("here", self), ("there", other)))


def is_ordinal(labels: Sequence[Hashable]) -> bool:
    """Whether ordinal measures of these classes have a meaning; two classes need no order.

    >>> is_ordinal(("no", "yes")), is_ordinal(("a", "b", "c")), is_ordinal((1, 2, 3))
    (True, False, True)
    """
    return len(labels) < 3 or Labels.of(labels).is_ordinal


def declared(labels: Sequence[Hashable] | None, *, ordered: bool = False) -> Labels | None:
    """The labels that somebody declares, as `labels=` and `ordered=` of the public functions.

    Raises InputError for a label that is declared twice, and for an order of no labels.

    >>> declared(["low", "high"], ordered=True).source, declared(["low", "high"]).source
    ('declared', 'listed')
    """
    if labels is None:
        if ordered:
            raise InputError(
                "ordered=True says that labels= are in order: pass all labels with it, labels=[…]."
            )
        return None
    if isinstance(labels, Labels) and not ordered:
        return labels
    found = Labels((plain(label) for label in labels), "declared" if ordered else "listed")
    refuse_twice(found)
    return found


def kinds_of(labels: Iterable[Any]) -> set[str]:
    """The kinds of labels: boolean, number, text or other; a million labels have few types.

    >>> sorted(kinds_of((True, 2, "2", (1, 2))))
    ['boolean', 'number', 'other', 'text']
    """
    return set(map(_kind, set(map(type, labels))))


def _kind(of: type) -> str:
    if issubclass(of, bool):
        return "boolean"
    if issubclass(of, str):
        return "text"
    return "number" if issubclass(of, Decimal | Number) and not issubclass(of, complex) else "other"


def united(named: Sequence[tuple[str, Labels]], noun: str = "labels") -> Labels:
    """The labels of all, by the one law of uniting: equal ones are one, in the type of the first.

    - Numbers and text never meet, nor booleans and numbers other than 0 and 1.
    - Orders that somebody gave unite to one sequence, which holds every other label too.
    - Without an order, a sequence that all have stays; of different ones the labels are sorted.

    `named` are labels and where they are: "here" and "there", or the names of columns. Raises MergeError.
    """
    return reduce(lambda one, other: _both(one, other, noun), _grouped(named))[1]


def _grouped(named: Sequence[tuple[str, Labels]]) -> list[tuple[str, Labels]]:
    """The given orders first, so that what is compared with what does not depend on the sequence of parts."""
    return sorted(named, key=lambda each: not each[1].is_given) or [("", Labels((), "sorted"))]


def _both(one: tuple[str, Labels], other: tuple[str, Labels], noun: str) -> tuple[str, Labels]:
    (here, a), (there, b) = one, other
    if not a or not b:
        return one if a else other
    refuse_kinds([(here, a), (there, b)], noun)
    if a == b:
        return here, Labels(a, min(a.source, b.source, key=SOURCES.index))
    if not a.is_given:
        return here, Labels.sorted([*a, *b])
    if b.is_given:
        return here, Labels(_one_order(one, other), min(a.source, b.source, key=ORDERS.index))
    known = {*a}
    if extra := [label for label in b if label not in known]:
        raise MergeError(
            f"the order of the {noun} {_where(here)} is {listing(a)}, in which {listing(extra)} {_where(there)} "
            f"{'has' if len(extra) == 1 else 'have'} no place: give one order of all {noun}."
        )
    return here, a


def _one_order(one: tuple[str, Labels], other: tuple[str, Labels]) -> Iterable[Hashable]:
    (here, a), (there, b) = one, other
    found = _sequence(a, b)
    if found is not None:
        return found
    told = f"{_of(here)} {listing(a)}, {_of(there)} {listing(b)}"
    shared = {*a} & {*b}
    contradict = [each for each in a if each in shared] != [each for each in b if each in shared]
    why = "contradict each other" if contradict else "leave open which of their labels come first"
    raise MergeError(
        f"the orders of the labels {why}: {told}. Give both one order, as ordered categories or with labels= and "
        "ordered=True (--order)."
    )


def _is_place(name: str) -> bool:
    """Whether a name says where labels are, and is not that of a column."""
    return name in ("here", "there") or name.startswith("in ")


def _of(place: str) -> str:
    return place if _is_place(place) else f"{place} has"


def _where(place: str) -> str:
    return place if _is_place(place) else f"of {place}"


def _sequence(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Hashable] | None:
    """The one sequence in which the labels of both stand as they do in each; None where there is none, or several."""
    shared = {*a} & {*b}
    gaps_a, gaps_b = _gaps(a, shared), _gaps(b, shared)
    if [end for _, end in gaps_a] != [end for _, end in gaps_b]:
        return None
    found: list[Hashable] = []
    for (own, end), (others, _) in zip_longest(gaps_a, gaps_b):
        if own and others:
            return None
        found += [*own, *others, *end]
    return found


def _gaps(
    labels: Sequence[Hashable], shared: set[Hashable]
) -> list[tuple[list[Hashable], tuple[Hashable, ...]]]:
    """The labels before each shared one, with that one; and those after the last."""
    found: list[tuple[list[Hashable], tuple[Hashable, ...]]] = []
    before: list[Hashable] = []
    for label in labels:
        if label in shared:
            found.append((before, (label,)))
            before = []
        else:
            before.append(label)
    return [*found, (before, ())]


def refuse_kinds(named: Sequence[tuple[str, Sequence[Hashable]]], noun: str = "labels") -> None:
    """Refuse labels of which some are of one kind and others of another, as text and numbers are."""
    known = [(name, labels, kinds_of(labels)) for name, labels in named if labels]
    for name, labels, kinds in known[1:]:
        first_name, first, first_kinds = known[0]
        if not kinds & first_kinds and not (_are_binary(labels) and _are_binary(first)):
            told = f"{_holds(first_name, first, noun)}{_and(first_name)}{_holds(name, labels, '')}"
            raise MergeError(f"{told}: convert one of them.")


def _are_binary(labels: Sequence[Hashable]) -> bool:
    """Whether all are booleans, 0 or 1: True == 1 and False == 0, so that these are the same labels."""
    return {0, 1}.issuperset(labels)


def _holds(name: str, labels: Sequence[Hashable], noun: str) -> str:
    what = f"{_NOUNS[_kind(type(labels[-1]))]} such as {labels[-1]!r}"
    if _is_place(name):
        return f"{noun} are {what} {name}" if noun else f"{what} {name}"
    return f"{name} holds {what}"


def _and(name: str) -> str:
    return " and " if _is_place(name) else ", "
