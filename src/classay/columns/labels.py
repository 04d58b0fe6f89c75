"""Labels in one sequence, the source of their order, and the one rule of uniting them; labels that users name.

Columns of one call, parts of many rows, and tables that are added all unite their labels here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from functools import reduce
from itertools import pairwise, zip_longest
from numbers import Number
from typing import Any, Literal, get_args

import numpy as np

from classay.columns.kernels import Codes, renumber
from classay.columns.spelling import differing, near_misses
from classay.columns.values import Coded, listing, named_labels, number_in, plain, refuse_twice, sort_labels
from classay.errors import InputError, MergeError, nearest
from classay.texts import hint, quote, some

Source = Literal["declared", "categories", "listed", "sorted"]
"""The source of the sequence: declared as an order; the order of a column of ordered categories; a plain list of
labels, which is no order; or none given, so that labels are sorted."""
SOURCES: tuple[Source, ...] = get_args(Source)
ORDERS: tuple[Source, ...] = ("declared", "categories")
"""The sources that are an order, the stronger one first."""
_NOUNS = {
    "boolean": "booleans",
    "number": "numbers",
    "text": "text",
    "date": "dates",
    "time": "times",
    "other": "other values",
}
NO_ORDER = "three or more classes need a declared order (labels= and ordered=True, or --order)"
"""When there is no ordinal measure, and why."""


class OfClasses:
    """Something about two classes, one of them `positive`, or about several, where that is None."""

    positive: Hashable | None

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, one of them positive."""
        return self.positive is not None


class Labels(tuple[Hashable, ...]):
    """Distinct labels in a sequence, and its source; equal to the plain tuple of the same labels, and shown as that.

    >>> labels = Labels(("low", "mid"), "declared") | Labels(("mid", "high"), "categories")
    >>> labels, labels.source
    (('low', 'mid', 'high'), 'declared')
    >>> Labels((3, 1, 2)).is_ordinal, Labels((1, 2, 3)).is_ordinal, Labels(("a", "b", "c")).is_ordinal
    (False, True, False)
    >>> Labels((1, 2)) | Labels(("1", "2"))
    Traceback (most recent call last):
    classay.errors.MergeError: Labels are numbers such as 2 here and text such as '2' there. Convert one of them.
    """

    source: Source

    def __new__(cls, labels: Iterable[Hashable] = (), source: Source = "listed") -> Labels:
        """Labels in this sequence, each once."""
        instance = super().__new__(cls, labels)
        instance.source = source
        return instance

    @classmethod
    def of(cls, labels: Iterable[Hashable]) -> Labels:
        """`Labels` unchanged; a plain sequence as listed labels."""
        return labels if isinstance(labels, Labels) else cls(labels)

    @classmethod
    def sorted(cls, labels: Iterable[Hashable]) -> Labels:
        """Distinct labels without a given sequence, sorted; labels that do not compare, by type and printed form."""
        return cls(sort_labels(labels), "sorted")

    @property
    def is_given(self) -> bool:
        """Whether somebody gave the sequence as an order."""
        return self.source in ORDERS

    @property
    def are_integers(self) -> bool:
        """Whether these are ascending whole numbers, whose order is known without being given."""
        return all(type(label) is int for label in self) and all(
            here < there  # type: ignore[operator]
            for here, there in pairwise(self)
        )

    @property
    def order(self) -> str | None:
        """The source of their order: "declared", "categories" or "integers"; None where they have no order."""
        return self.source if self.is_given else "integers" if self.are_integers else None

    @property
    def is_ordinal(self) -> bool:
        """Whether ordinal measures have a meaning: an order was given, or the labels are whole numbers."""
        return self.order is not None

    def taken(self, at: Sequence[int], requested: Sequence[Hashable] = ()) -> Labels:
        """Some of the labels, by position: ordered if the positions ascend, or as `requested` if that equals them."""
        source = self.source
        if isinstance(requested, Labels) and requested == tuple(self[i] for i in at):
            return requested
        if any(here >= there for here, there in pairwise(at)):
            source = "listed"
        return Labels((self[i] for i in at), source)

    def __or__(self, other: Labels) -> Labels:
        """All labels of both. Raises MergeError for different kinds, and for orders that contradict each other."""
        return united((("here", self), ("there", other)))


def is_ordinal(labels: Sequence[Hashable]) -> bool:
    """Check whether ordinal measures of these classes have a meaning; two classes need no order.

    >>> is_ordinal(("no", "yes")), is_ordinal(("a", "b", "c")), is_ordinal((1, 2, 3))
    (True, False, True)
    """
    return len(labels) < 3 or Labels.of(labels).is_ordinal


FROM = ">="
"""The sign in a text for a class and all classes above it: `roc_auc[>=mid]`."""


def place_from(text: Hashable, labels: Sequence[Hashable]) -> int | None:
    """Return the place of the class from which on a text such as ">=mid" includes all; None for the text of one label.

    Raises InputError for classes without an order, an unknown label, and the lowest class, which leaves none below it.

    >>> place_from(">=mid", Labels(("low", "mid", "high"), "declared")), place_from("mid", ("low", "mid"))
    (1, None)
    """
    if not isinstance(text, str) or not text.startswith(FROM) or text in labels:
        return None
    return place_of_cut(text.removeprefix(FROM).strip(), labels)


def place_of_cut(label: Hashable, labels: Sequence[Hashable]) -> int:
    """Return the place of a class that has others below it; raises what `place_from` does."""
    index = labels.index(match_label(label, labels))
    if not is_ordinal(labels):
        raise InputError(
            f"{FROM}{label} needs ordered classes. "
            f"Use {hint('labels= with ordered=True, or ordered categories', '--order low,medium,high')}."
        )
    if not index:
        raise InputError(f"No class is below {quote(label)}. Choose a higher class of {listing(labels)}.")
    return index


def declared(labels: Sequence[Hashable] | None, *, ordered: bool = False) -> Labels | None:
    """Return the labels that somebody declares, as `labels=` and `ordered=` of the public functions.

    They have the types that a column of them has: 1 for 1.0, where all are whole. Raises InputError for a label that is
    declared twice or missing, for text beside numbers, and for an order of no labels.

    >>> declared(["low", "high"], ordered=True).source, declared([2.0, 1.0]), declared([2.0, 1.0]).source
    ('declared', (2, 1), 'listed')
    """
    if labels is None:
        if ordered:
            raise InputError("ordered=True needs all labels in their order. Pass labels=[…] with it.")
        return None
    if isinstance(labels, Labels) and not ordered:
        return labels
    return Labels(named_labels(labels, "labels="), "declared" if ordered else "listed")


def shift_of_codes(predicted: Iterable[Hashable], true: Iterable[Hashable]) -> int | None:
    """By how much predicted whole numbers differ from the true ones, 1 or -1, where all do; else None.

    They do so where some prediction is true of no case, and every predicted number, less the shift, is a true one.

    >>> shift_of_codes([1, 2], [0, 1]), shift_of_codes([0, 1], [1, 2]), shift_of_codes([1], [0, 1])
    (1, -1, None)
    """
    called, known = {*predicted}, {*true}
    if not called or called <= known or not all(map(_is_whole, (*called, *known))):
        return None
    return next((by for by in (1, -1) if {code - by for code in called} <= known), None)  # type: ignore[operator]


def shifted_codes(predicted: Sequence[Hashable], true: Sequence[Hashable]) -> str:
    """Return that predicted whole numbers are the true ones shifted by one, as a sentence; empty where they are not.

    >>> print(shifted_codes([1, 2], [0, 1]))
    predicted labels are the codes 1 and 2, true labels the codes 0 and 1. Predictions may count from 1 and true \
labels from 0. Shift one of the two by 1.
    """
    by = shift_of_codes(predicted, true)
    if by is None:
        return ""
    codes, truth = ([*map(str, sorted(labels))] for labels in (predicted, true))  # type: ignore[type-var]
    return (
        f"predicted labels are the codes {some(codes)}, true labels the codes {some(truth)}. Predictions may count "
        f"from {codes[0]} and true labels from {truth[0]}. Shift one of the two by 1."
    )


NO_LABEL = (-1, -100, -9, -99, -999)
"""Whole numbers that programs and people write for a case without a label."""
UNKNOWN = (9, 99, 999)
"""Those that people write beside the labels 0 and 1, or 1 and 2."""


def no_label_codes(labels: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Which labels often mean "no label": -1, -100 or -9 among whole numbers from 0 up; 1 and -1 alone are two classes.

    >>> no_label_codes([0, 1, -1]), no_label_codes([-100, 0, 3]), no_label_codes([-1, 1]), no_label_codes(["-1"])
    ((-1,), (-100,), (), ())
    >>> no_label_codes([0, 1, 9]), no_label_codes(range(10))
    ((9,), ())
    """
    candidates = [*labels]
    more = UNKNOWN if {*candidates}.difference(NO_LABEL, UNKNOWN) in ({0, 1}, {1, 2}) else ()
    others = [label for label in candidates if label not in (*NO_LABEL, *more)]
    if not others or others == [1] or not all(map(_is_whole, candidates)) or min(others) < 0:  # type: ignore[type-var,operator]
        return ()
    return tuple(label for label in candidates if label in (*NO_LABEL, *more))


def _is_whole(label: Hashable) -> bool:
    """Check whether a label is a whole number, and no truth value."""
    return isinstance(label, int) and not isinstance(label, bool)


def kinds_of(labels: Iterable[Any]) -> set[str]:
    """Return the kinds of labels: boolean, number, text, date, time or other; a million labels have few types.

    >>> sorted(kinds_of((True, 2, "2", (1, 2))))
    ['boolean', 'number', 'other', 'text']
    """
    return set(map(_kind, set(map(type, labels))))


def _kind(of: type) -> str:
    if issubclass(of, bool):
        return "boolean"
    if issubclass(of, str):
        return "text"
    if issubclass(of, date):
        return "time" if issubclass(of, datetime) else "date"
    return "number" if issubclass(of, Decimal | Number) and not issubclass(of, complex) else "other"


def united(named: Sequence[tuple[str, Labels]], noun: str = "labels") -> Labels:
    """Return the labels of all columns, by the one rule of uniting: equal labels are one, in the type of the first.

    - Numbers and text never unite, nor dates and times, nor booleans and numbers other than 0 and 1.
    - Orders that somebody gave unite to one sequence, which holds every other label too.
    - Without an order, a sequence that all have stays; of different ones the labels are sorted.

    `named` are labels and where they are: "here" and "there", or the names of columns. Raises MergeError.
    """
    return reduce(lambda one, other: _both(one, other, noun), _grouped(named))[1]


def _grouped(named: Sequence[tuple[str, Labels]]) -> list[tuple[str, Labels]]:
    """Return the given orders first, so that what is compared with what does not depend on the sequence of parts."""
    return sorted(named, key=lambda pair: not pair[1].is_given) or [("", Labels((), "sorted"))]


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
            f"The order of the {noun} {_where(here)} ({listing(a)}) does not include {listing(extra)} "
            f"{_where(there)}. Use one order of all {noun}."
        )
    return here, a


def _one_order(one: tuple[str, Labels], other: tuple[str, Labels]) -> Iterable[Hashable]:
    (here, a), (there, b) = one, other
    sequence = _sequence(a, b)
    if sequence is not None:
        return sequence
    orders = f"{_of(here)} {listing(a)}, {_of(there)} {listing(b)}"
    shared = {*a} & {*b}
    contradict = [label for label in a if label in shared] != [label for label in b if label in shared]
    why = "contradict each other" if contradict else "do not determine one common order"
    raise MergeError(
        f"The orders of the labels {why} ({orders}). Use one order for both: "
        f"{hint('ordered categories, or labels= with ordered=True', '--order')}."
    )


def _is_place(name: str) -> bool:
    """Check whether a name says where labels are, and is not that of a column."""
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
    sequence: list[Hashable] = []
    for (from_a, end), (from_b, _) in zip_longest(gaps_a, gaps_b):
        if from_a and from_b:
            return None
        sequence += [*from_a, *from_b, *end]
    return sequence


def _gaps(
    labels: Sequence[Hashable], shared: set[Hashable]
) -> list[tuple[list[Hashable], tuple[Hashable, ...]]]:
    """Return the labels before each shared one, with that one; and those after the last."""
    gaps: list[tuple[list[Hashable], tuple[Hashable, ...]]] = []
    before: list[Hashable] = []
    for label in labels:
        if label in shared:
            gaps.append((before, (label,)))
            before = []
        else:
            before.append(label)
    return [*gaps, (before, ())]


def refuse_kinds(named: Sequence[tuple[str, Sequence[Hashable]]], noun: str = "labels") -> None:
    """Refuse labels of which some are of one kind and others of another, as text and numbers are."""
    known = [(name, labels, kinds_of(labels)) for name, labels in named if labels]
    for name, labels, kinds in known[1:]:
        first_name, first, first_kinds = known[0]
        if not kinds & first_kinds and not (_are_binary(labels) and _are_binary(first)):
            sentence = f"{_holds(first_name, first, noun)}{_and(first_name)}{_holds(name, labels, '')}"
            raise MergeError(f"{sentence}. Convert one of them.")


def _are_binary(labels: Sequence[Hashable]) -> bool:
    """Check whether all are booleans, 0 or 1: True == 1 and False == 0, so that these are the same labels."""
    return {0, 1}.issuperset(labels)


def _holds(name: str, labels: Sequence[Hashable], noun: str) -> str:
    what = f"{_NOUNS[_kind(type(labels[-1]))]} such as {quote(labels[-1])}"
    if _is_place(name):
        return f"{noun[:1].upper()}{noun[1:]} are {what} {name}" if noun else f"{what} {name}"
    return f"{name} contains {what}"


def _and(name: str) -> str:
    return " and " if _is_place(name) else ", but "


def unite(
    columns: Sequence[tuple[str, Coded]], declared: Sequence[Hashable] | None = None
) -> tuple[Labels, list[Codes]]:
    """Bring coded columns to common labels: these labels, and the codes of each column as indices into them.

    columns: name and `Coded` of each. Where labels are equal (1, 1.0, True), the first column's is kept.
    declared: the labels in the sequence wanted; without it, all categories of an ordered column, or the sorted union.
    Codes that need no change are not copied.
    Raises InputError: columns of different kinds; a label that is not declared, or declared twice; two columns of
    ordered categories whose orders contradict each other, or one that contradicts the order declared.

    >>> from classay.columns import code_labels
    >>> truth, prediction = code_labels(["a", "b"], "truth"), code_labels(["b", "c"], "prediction")
    >>> labels, codes = unite([("truth", truth), ("prediction", prediction)])
    >>> labels, [column.tolist() for column in codes]
    (('a', 'b', 'c'), [[0, 1], [1, 2]])
    """
    named = [(name, labels_of(column)) for name, column in columns]
    try:
        if declared is None:
            labels = united(named)
        else:
            refuse_kinds([(name, column.labels) for name, column in columns])
            labels = _as_declared(Labels(map(plain, declared)), declared, named)
    except MergeError as error:
        raise InputError(str(error)) from None
    index = {label: code for code, label in enumerate(labels)}
    for name, column in columns:
        refuse_undeclared(name, column.labels, labels)
    return labels, [_reindex(column, index) for _, column in columns]


def labels_of(column: Coded) -> Labels:
    """Return the labels of a column: for ordered categories all of them, in their order, else those that occur."""
    return Labels(column.labels, "sorted") if column.order is None else Labels(column.order, "categories")


def _as_declared(labels: Labels, declared: Sequence[Hashable], named: Sequence[tuple[str, Labels]]) -> Labels:
    """The declared labels: ordered if they were declared so, or if ordered categories have them in this sequence.

    Raises InputError for a declared order that ordered categories contradict.
    """
    refuse_twice(labels)
    if isinstance(declared, Labels) and declared.source != "listed":
        if declared.source == "declared":
            _refuse_other_order(labels, named)
        return Labels(labels, declared.source)
    try:
        order = united([(name, categories) for name, categories in named if categories.is_given])
    except MergeError:  # who declares the labels may leave the order open
        return labels
    place = {label: i for i, label in enumerate(order)}
    at = [place.get(label, -1) for label in labels]
    ascends = all(here < there for here, there in pairwise([-1, *at]))
    return Labels(labels, "categories") if ascends else labels


def _refuse_other_order(labels: Labels, named: Sequence[tuple[str, Labels]]) -> None:
    for name, categories in named:
        if not categories.is_given:
            continue
        shared = {*labels} & {*categories}
        if [each for each in labels if each in shared] != [each for each in categories if each in shared]:
            raise InputError(
                f"The declared order ({listing(labels)}) contradicts the order of the categories of {name} "
                f"({listing(categories)}). Declare the same order, or pass plain text."
            )


class WrittenLabel(str):
    """A label as written in an option of the command; the labels that occur decide its type."""

    __slots__ = ()


def typed_labels(texts: Sequence[str], occurring: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Convert labels written as text to the type of the labels that occur.

    Raises InputError for a text that is no number where numbers occur.

    >>> typed_labels(["1", "3"], (1, 2)), typed_labels(["true"], (False,)), typed_labels(["1"], ("a",))
    ((1, 3), (True,), ('1',))
    """
    kinds = {type(label) for label in occurring}
    typed: list[Hashable] = []
    for text in texts:
        try:
            typed.append(match_label(text, occurring))
        except InputError:
            typed.append(_as_kind(str(text), kinds))
    return tuple(typed)


def _as_kind(text: str, kinds: set[type]) -> Hashable:
    if kinds and kinds <= {int, float}:
        if (number := number_in(text)) is None:
            raise InputError(f"The labels of the file are numbers, but {text!r} is not a number.")
        return number
    if kinds == {bool}:
        number = number_in(text)
        return (
            text.casefold() == "true"
            if text.casefold() in ("true", "false")
            else text
            if number is None
            else number
        )
    if kinds == {bytes}:
        return text.encode(errors="replace")
    kind = next(iter(kinds), str)
    if len(kinds) == 1 and issubclass(kind, date):
        with suppress(ValueError):
            return kind.fromisoformat(text)
    return text


def match_label(label: Any, labels: Sequence[Hashable], *, may_declare: bool = False) -> Hashable:
    """Find the label that a user means, even if written as text: "1" finds 1, "true" finds True.

    An equal label comes first; then, for text, one that prints as this text or has its number or truth value. Raises
    InputError, listing the labels, where there is none; `may_declare` says that the caller takes all labels as well.

    >>> match_label("1", (0, 1)), match_label("true", (False, True)), match_label(1, (False, True))
    (1, True, True)
    """
    wanted = plain(label)
    for known in labels:
        if known == wanted:
            return known
    if isinstance(wanted, str):
        for known in labels:
            if not isinstance(known, str) and is_written(wanted, known):
                return known
    near = nearest(str(wanted), [str(known) for known in labels])
    option = hint("labels=", "--labels")
    declare = f" Declare all labels with {option} if it is another class." if may_declare else ""
    raise InputError(
        f"Label {quote(wanted)} does not occur. Labels: {listing(labels)}{near or f'.{declare}'}"
    )


def zero_one(labels: Sequence[Hashable]) -> tuple[Hashable, Hashable] | None:
    """Return the negative and the positive label where all labels are 0 or 1, else None.

    Anything equal to 0 or 1 counts (False and True, 0.0 and 1.0, Decimals), and so do the texts "0" and "1". One of the
    two may be missing; both come in the type of those that occur.

    >>> zero_one([False]), zero_one([0, 1.0]), zero_one(["1"]), zero_one([1, 2])
    ((False, True), (0, 1), ('0', '1'), None)
    """
    if not labels:
        return None
    if all(label in ("0", "1") for label in labels):
        return "0", "1"
    kinds = (bool, int, float, Decimal)
    if not all(isinstance(label, kinds) and label in (0, 1) for label in labels):
        return None
    kind: Any = type(labels[0])
    return kind(0), kind(1)


def positive_among(
    labels: Sequence[Hashable], named: Hashable | None, *, may_declare: bool = False
) -> Hashable | None:
    """Return the positive one of two labels: the one that is named, or else 1 of 0 and 1; None of others.

    Raises InputError for a name that is none of the labels.

    >>> positive_among(["no", "yes"], "yes"), positive_among([0, 1], None), positive_among(["no", "yes"], None)
    ('yes', 1, None)
    """
    if named is not None:
        return match_label(named, with_zero_one(labels), may_declare=may_declare)
    both = zero_one(labels)
    return None if both is None else both[1]


def with_zero_one(labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return the labels that a user may name: those that occur, and both 0 and 1 where only one of them occurs.

    >>> with_zero_one((0,)), with_zero_one(("cat",))
    ((0, 1), ('cat',))
    """
    return tuple(labels) if (both := zero_one(labels)) is None else tuple(dict.fromkeys([*labels, *both]))


def refuse_undeclared(name: str, occurring: Iterable[Hashable], labels: Sequence[Hashable]) -> None:
    """Refuse a column that holds a label which is none of the declared ones."""
    known = {*labels}
    if extra := [label for label in occurring if label not in known]:
        misses = near_misses(extra, labels)
        spelling = f" {differing(misses)}." if misses else ""
        raise InputError(
            f"{name} contains labels that are not declared: {listing(extra)}. Declared labels: {listing(labels)}."
            f"{spelling} Declare every label that occurs, with its type (text or number)."
        )


def _reindex(column: Coded, index: dict[Hashable, int]) -> Codes:
    table = np.fromiter((index[label] for label in column.labels), np.int64, len(column.labels))
    return renumber(column.codes, table, len(index))


def is_written(text: str, label: Hashable) -> bool:
    """Check whether text is a way to write a label that is no text: as it prints, or its number or truth value."""
    if str(label) == text or label == text.encode(errors="replace"):
        return True
    if isinstance(label, bool) and text.strip().casefold() == str(label).casefold():
        return True
    number = number_in(text)
    return number is not None and bool(number == label)
