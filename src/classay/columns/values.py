"""Shared by every kind of column: few distinct values are checked, merged where equal, and sorted; their spelling."""

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isfinite
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.kernels import Codes, narrow, renumber
from classay.errors import InputError
from classay.files.archives import DEEPEST, MOST_PARTS
from classay.texts import NAMED, begun, cut, hint, quote

_NUMBER = re.compile(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE
)
_WHOLE = re.compile(r"[+-]?[0-9]+")
MOST_DIGITS = 4000
"""Digits beyond which Python does not read a whole number."""


def number_in(text: str) -> int | float | None:
    """The number that a text is, or None: ASCII digits with a sign, a decimal point and an exponent, or inf, or nan.

    Blanks around it are allowed. Separators of thousands, decimal commas, hexadecimal digits and other scripts'
    digits make no number.

    >>> number_in("10"), number_in(" -1.5e3 "), number_in("1_000"), number_in("0x0A"), number_in("1,5")
    (10, -1500.0, None, None, None)
    """
    stripped = text.strip()
    if _NUMBER.fullmatch(stripped) is None:
        return None
    if _WHOLE.fullmatch(stripped) and len(stripped) <= MOST_DIGITS:
        return int(stripped)
    return float(stripped)


def typed(texts: Sequence[str], *, alike: bool = False) -> Sequence[Any]:
    """Return the distinct texts of a column of labels, all converted to one type, so that no two become one label.

    They are numbers where each is written as Python prints its number (1, -3, 2.5, 1.0; blanks around it do not
    count) and no two are equal; truth values where they are True and False in one spelling (also true, TRUE); and stay
    text, the very same list, otherwise. `alike` asks that whole numbers all have a decimal point, or none has; " 1" and
    "1" are one number then. So parts of a column, of which none knows the others, are typed as the whole is.

    >>> typed(["1", "2"]), typed(["1.1", "1.10"]), typed(["10", "1E1"]), typed(["01", "2"]), typed(["true", "false"])
    ([1, 2], ['1.1', '1.10'], ['10', '1E1'], ['01', '2'], [True, False])
    """
    for spelling in (str, str.lower, str.upper):
        if texts and {*texts} <= {spelling("True"), spelling("False")}:
            return [text == spelling("True") for text in texts]
    numbers = []
    for text in texts:
        number = number_in(text)
        if number is None or not _fits(number) or str(number + 0 if alike else number) != text.strip():
            return texts
        numbers.append(number)
    if alike and len({type(number) for number in numbers if number == int(number)}) > 1:
        return texts
    if any(isinstance(number, float) for number in numbers) and any(
        abs(number) > 2**53 for number in numbers if number
    ):
        return texts  # as floats, whole numbers this large would be rounded
    return numbers if alike or len({*numbers}) == len(numbers) else texts


def _fits(number: float) -> bool:
    """Check whether a number is finite, and as a float too: labels of 400 digits stay text."""
    try:
        return isfinite(number)
    except OverflowError:
        return False


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of labels as codes: row i has the label `labels[codes[i]]`, or none where `codes[i]` is -1.

    `labels` are the distinct labels that occur, sorted, as plain Python values; `codes` has one entry a row,
    int8, int16 or int32, and may share memory with the column; `kind` is "boolean", "number", "text" or
    "other" (also where no label occurs); `missing` counts the rows without a label: None, NaN, NA, NaT, null.
    `order` are all labels of ordered categories, also those that do not occur, and `labels` follow it; else None.
    """

    labels: tuple[Hashable, ...]
    codes: Codes
    kind: str
    missing: int
    order: tuple[Hashable, ...] | None = None


def build(codes: Codes, distinct: Sequence[Any], name: str) -> Coded:
    """Check, merge and sort the distinct values, all of which occur, and turn their codes into labels' codes.

    distinct: the value of each code; some may be equal or missing. codes: indices into it, or -1 for missing.
    """
    values, labels, kind = _distinct_labels(distinct, name)
    rank: dict[Any, int] = {label: code for code, label in enumerate(labels)}
    table = np.fromiter((-1 if value is None else rank[value] for value in values), np.int64, len(values))
    coded = renumber(codes, table, len(labels))
    _refuse_scores(labels, coded, name)
    return Coded(labels, coded, kind, int(np.count_nonzero(coded == -1)))


def build_used(codes: Codes, categories: Sequence[Any], name: str) -> Coded:
    """Do what `build` does, for categories of which some may not occur: these become no labels."""
    small, occurs = narrow(codes, len(categories))
    if occurs.all():
        return build(small, categories, name)
    # An unused category takes the code of the used one before it: no row has it, so only the range matters.
    table = np.maximum(np.cumsum(occurs) - 1, 0)
    used = [category for category, here in zip(categories, occurs, strict=True) if here]
    return build(renumber(small, table, len(used)), used, name)


def build_ordered(codes: Codes, categories: Sequence[Any], name: str) -> Coded:
    """Do what `build_used` does, for categories whose order is the order of the labels."""
    coded = build_used(codes, categories, name)
    values, _, kind = _distinct_labels(categories, name)
    order = tuple(dict.fromkeys(value for value in values if value is not None))
    place = {label: i for i, label in enumerate(order)}
    ranks = np.array([place[label] for label in coded.labels], np.int64)
    table = np.empty(len(ranks), np.int64)
    table[np.argsort(ranks)] = np.arange(len(ranks))
    labels = tuple(sorted(coded.labels, key=place.__getitem__))
    return Coded(labels, renumber(coded.codes, table, len(labels)), kind, coded.missing, order)


def scatter(coded: Coded, valid: NDArray[np.bool_]) -> Coded:
    """Spread a column, coded from its valid rows only, over all rows; the others are missing."""
    codes = np.full(len(valid), -1, coded.codes.dtype)
    codes[valid] = coded.codes
    return replace(coded, codes=codes, missing=coded.missing + len(valid) - len(coded.codes))


def plain(value: Any) -> Any:
    """Return a scalar of NumPy, pandas or Arrow as the equal Python value; anything else unchanged."""
    if not isinstance(value, np.generic):
        if type(value).__module__ == "pyarrow.lib" and hasattr(value, "as_py"):
            return plain(value.as_py())
        # an array or tensor of no dimension
        if getattr(value, "shape", None) == () and hasattr(value, "item"):
            return plain(value[()] if isinstance(value, np.ndarray) else value.item())
        if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "nanosecond"):
            return value if value.nanosecond else value.to_pydatetime()
        if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "to_pytimedelta"):
            return value if value.nanoseconds else value.to_pytimedelta()
        return value
    item = value.item()
    if isinstance(value, (np.datetime64, np.timedelta64)) and isinstance(item, int):
        # Nanoseconds come as bare integers: a date when they are whole microseconds, else the NumPy scalar.
        coarse = value.astype(f"{value.dtype.kind}8[us]")
        item = value if coarse != value or isinstance(coarse.item(), int) else coarse.item()
    return item


def is_missing(value: Any) -> bool:
    """None, a pandas or polars missing value, or anything that is not equal to itself, such as NaN.

    >>> from decimal import Decimal
    >>> is_missing(float("nan")), is_missing(Decimal("sNaN")), is_missing("")
    (True, True, False)
    """
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    try:
        unequal = value != value  # noqa: PLR0124  the definition of NaN
    except ArithmeticError:  # a decimal NaN that signals
        return True
    return isinstance(unequal, (bool, np.bool_)) and bool(unequal)


def sort_labels(labels: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Distinct labels in order; labels that cannot be compared are sorted by type name and printed form."""
    distinct = dict.fromkeys(labels)
    try:
        return tuple(sorted(distinct))  # type: ignore[type-var]
    except TypeError:
        return tuple(sorted(distinct, key=lambda label: (type(label).__name__, repr(label))))


def listing(labels: Sequence[Any]) -> str:
    """Return the first labels for an error text, and how many there are."""
    if not labels:
        return "none"
    shown = ", ".join(quote(label) for label in labels[:NAMED])
    return shown if len(labels) <= NAMED else f"{shown} and {len(labels) - NAMED:,} more"


def refuse_twice(labels: Sequence[Hashable]) -> None:
    """Refuse a label that is declared more than once."""
    for label in labels:
        refuse_unhashable(label, "labels")
    last = {label: place for place, label in enumerate(labels)}
    if twice := [label for place, label in enumerate(labels) if last[label] != place]:
        raise InputError(
            f"{hint('labels=', '--labels')} contains {listing(twice)} twice. Remove the "
            f"{'duplicate' if len(twice) == 1 else 'duplicates'}."
        )


def refuse_shape(shape: Any, name: str) -> None:
    """Refuse anything but one dimension."""
    if not isinstance(shape, tuple) or len(shape) == 1:
        return
    if not shape:
        raise InputError(f"{name} is a single value. Pass a column with one label per row.")
    if len(shape) == 2 and shape[1] == 1:
        raise InputError(
            f"{name} has shape {shape}, but labels need shape ({shape[0]},). Pass the one column."
        )
    raise InputError(
        f"{name} has shape {shape}, but must have one label per row. Pass one column, or the index of the largest "
        "score of each row. For multilabel data pass a matrix (cases, tags) of 0 and 1."
    )


def refuse_unhashable(value: Any, name: str) -> None:
    """Refuse a value that is several labels, or that cannot be a label."""
    came = f"{begun(name)} contains values of type {type(value).__name__}, such as {cut(repr(value), 60)}"
    if isinstance(value, (list, np.ndarray)) and len(value) == 1:
        raise InputError(f"{came}. Pass the one column, with a plain label per row.")
    if isinstance(value, (list, set, frozenset, np.ndarray)):
        raise InputError(
            f"{came}. Pass one label per row (a combination as a tuple), or for multilabel data a matrix (cases, tags) "
            "of 0 and 1."
        )
    try:
        hash(value)
    except TypeError:
        raise InputError(f"{came}, which cannot be hashed. Use text, numbers or tuples as labels.") from None


OF_GROUPS = ("group", "by")
"""By what name a column is one of groups."""
MOST_MEASURED = 1_000_000
"""Distinct fractional numbers up to which a column of groups is read, because bands may combine them."""


def are_measured(distinct: int, rows: int, total: int) -> bool:
    """Check whether fractional numbers are many (over 50 distinct) and common (over a fifth of the rows)."""
    return distinct > 50 and rows > 0.2 * total


def refuse_score_share(distinct: int, rows: int, total: int, example: float, name: str) -> None:
    """Refuse fractional numbers that are many and common; in columns of groups, only what no band will combine."""
    if not are_measured(distinct, rows, total):
        return
    came = f"{begun(name)} contains {distinct:,} different fractions, such as {example:.3g}"
    if name.partition(" ")[0] not in OF_GROUPS:
        raise InputError(f"{came}. These look like scores. {_instead_of_scores(name)}")
    if distinct > MOST_MEASURED:
        raise InputError(
            f"{came}. Up to {MOST_MEASURED:,} can be combined into bands. Round the numbers first."
        )


def _instead_of_scores(name: str) -> str:
    if name.partition(" ")[0] == "truth":
        return hint("Pass true labels.", "Did you swap --truth and --score?")
    return f"{hint('Pass', 'Use')} a column of labels."


def named_labels(labels: Iterable[Any], name: str) -> tuple[Hashable, ...]:
    """Labels that somebody names, in the types that a column of them has, and in the given sequence.

    Raises InputError for text beside numbers, for a missing label, and for one that is named twice.

    >>> named_labels([2.0, 1], "labels="), named_labels([2.5, 1], "labels=")
    ((2, 1), (2.5, 1))
    """
    plain_labels = [plain(label) for label in labels]
    for label in plain_labels:
        refuse_unhashable(label, name)
    values, _, _ = _distinct_labels(plain_labels, name)
    if any(value is None for value in values):
        raise InputError(f"{name} contains a missing label, which is not a class. Remove it.")
    refuse_twice(values)
    return tuple(values)


def _distinct_labels(distinct: Sequence[Any], name: str) -> tuple[Sequence[Any], tuple[Hashable, ...], str]:
    """Return the distinct values with None for missing, the labels they make, and the kind of these.

    Each whole number becomes a Python int, whatever type it came in: a missing value, or 3.5 in another row, turns
    whole numbers into floats, and databases give decimals, but 1 stays the same label.
    """
    types = set(map(type, distinct))
    for nested in types:
        if issubclass(nested, (list, set, frozenset, np.ndarray)):
            refuse_unhashable(next(value for value in distinct if type(value) is nested), name)
    if tuple in types:
        _refuse_nested(distinct, name)
    values = distinct
    if not types <= {bool, int, str}:
        values = [None if is_missing(value) else value for value in map(plain, distinct)]
        types = {type(value) for value in values if value is not None}
    kind = _kind(values, types, name)
    # True and 1 are one label, and it must not matter which came first
    if kind == "number" and bool in types:
        values = [int(value) if type(value) is bool else value for value in values]
    if kind == "number" and float in types and (endless := [v for v in values if v in {np.inf, -np.inf}]):
        raise InputError(
            f"{name} contains the label {endless[0]}. Labels must be finite. Use NaN for missing labels."
        )
    if kind == "number" and types & {float, Decimal}:
        values = whole_numbers(values)
    try:
        labels = dict.fromkeys(value for value in values if value is not None)
    except TypeError:
        for value in values:
            refuse_unhashable(value, name)
        raise
    return values, sort_labels(labels), kind


def _refuse_nested(distinct: Sequence[Any], name: str) -> None:
    """Refuse labels of nested tuples that files cannot keep, so that every assessment can be saved."""
    for label in distinct:
        layer, depth, parts = [label] if isinstance(label, tuple) else [], 0, 0
        while layer:
            depth, parts = depth + 1, parts + sum(map(len, layer))
            if depth >= DEEPEST or parts > MOST_PARTS:
                raise InputError(
                    f"{name} contains a label of nested tuples, {DEEPEST} levels deep or with more than {MOST_PARTS:,} "
                    "parts. Use text or flat tuples as labels."
                )
            layer = [part for value in layer for part in value if isinstance(part, tuple)]


def whole_numbers(values: Sequence[Any]) -> Sequence[Any]:
    """Numbers, or None: each whole one as a Python int, the others as they are.

    The result for a number does not depend on other numbers, which may be in another column, part or file.

    >>> whole_numbers([1.0, None, 2.5])
    [1, None, 2.5]
    """
    return [int(value) if _is_whole(value) else value for value in values]


def _is_whole(value: Any) -> bool:
    """Check whether a number is a whole one that every type holds exactly, so that a type can be chosen freely."""
    return value is not None and type(value) is not bool and abs(value) <= 2**53 and value == int(value)


def _kind(values: Sequence[Any], types: set[type], name: str) -> str:
    if types and all(issubclass(kind, bool) for kind in types):
        return "boolean"
    numeric = {kind for kind in types if issubclass(kind, Number) and not issubclass(kind, complex)}
    text = {kind for kind in types if issubclass(kind, str)}
    if numeric and text:
        number = next(value for value in values if type(value) in numeric)
        word = next(value for value in values if type(value) in text)
        raise InputError(
            f"{name} mixes text and numbers, such as {word!r} and {number!r}. Convert all labels to one type."
        )
    if types and numeric == types:
        return "number"
    return "text" if types and text == types else "other"


def _refuse_scores(labels: tuple[Any, ...], codes: Codes, name: str) -> None:
    fractional = [code for code, label in enumerate(labels) if isinstance(label, float) and label % 1 != 0]
    if len(fractional) > 50:
        rows = int(np.bincount(codes[codes >= 0], minlength=len(labels))[fractional].sum())
        refuse_score_share(len(fractional), rows, len(codes), labels[fractional[0]], name)
