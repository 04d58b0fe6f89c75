"""Kinds of options: what each argument of a public function may be, declared and checked in this one place.

An argument of one name means the same in every function, so its kind is declared by its name. Each function itself
checks which arguments go together (a margin without a rule, a threshold for labels).
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import os
import sys
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import combinations
from math import isfinite, isnan
from numbers import Integral, Number, Real
from types import UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    ParamSpec,
    Self,
    TypeGuard,
    TypeVar,
    cast,
    get_args,
    get_origin,
)

from classay.column_names import refuse_shared_columns, with_names_as_text
from classay.errors import InputError, nearest, told_of_extras
from classay.texts import an
from classay.wings import brought, thing

RAREST = 1e-9
"""The least distance of a level or a prevalence from 0 and 1: nearer, floating-point quantiles are 0 or infinite."""
MOST = 1e40
"""The greatest cost or weight of an error, and one over the least: their squares are summed over cases."""
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Kind:
    """What an argument may be: how it is read, and how an error names what is accepted.

    `read` returns the value in its plain type, or raises TypeError, ValueError or OverflowError.
    """

    read: Callable[[Any], Any]
    wanted: str

    def refusal(self, name: str, value: Any) -> InputError:
        """Return the error for a value that cannot be read; it asks for the share where a percentage came.

        >>> print(SHARE.refusal("level", 95))
        level must be a number between 0 and 1 (at least 1e-9 from both), but is 95. Did you mean 0.95?
        >>> print(SHARE.refusal("level", 1.5))
        level must be a number between 0 and 1 (at least 1e-9 from both), but is 1.5.
        """
        meant = ""
        with suppress(TypeError, ValueError, OverflowError, ArithmeticError):
            if self.read in (share, resolved_share, rate) and real_number(value) >= 2:
                meant = f" Did you mean {self.read(real_number(value) / 100):g}?"
        return InputError(f"{name} must be {self.wanted}, but is {shown(value)}.{meant}")


def real_number(value: Any) -> float:
    """Return a number of any library as a float; no text, no truth value, not NaN, no array of several.

    >>> from decimal import Decimal
    >>> real_number(Decimal("0.5")), real_number(3)
    (0.5, 3.0)
    """
    if isinstance(value, bool | str | bytes | complex):
        raise TypeError
    if not isinstance(value, Number) and getattr(value, "shape", None) != ():
        raise TypeError
    number = float(value)
    if isnan(number):
        raise ValueError
    return number


def scoring(value: Any) -> Any:
    """Return what a search tries to improve: the name of a measure, a measure, or a scorer (a callable)."""
    if not isinstance(value, str) and not callable(value):
        raise TypeError
    return value


def share(value: Any) -> float:
    """Return a number strictly between 0 and 1."""
    number = real_number(value)
    if not 0 < number < 1:
        raise ValueError
    return number


def resolved_share(value: Any) -> float:
    """Return a share that is not nearer to 0 or 1 than one in a thousand million."""
    number = real_number(value)
    if not RAREST <= number <= 1 - RAREST:
        raise ValueError
    return number


def rate(value: Any) -> float:
    """Return a number from 0 to 1."""
    number = real_number(value)
    if not 0 <= number <= 1:
        raise ValueError
    return number


def measurable(value: float) -> bool:
    """Check whether a cost or weight of one error is 0, or its square, times many cases, is neither lost nor infinite.

    >>> [measurable(size) for size in (0.0, -5.0, 1e41, 1e-41)]
    [True, True, False, False]
    """
    return value == 0 or 1 / MOST <= abs(value) <= MOST


def finite(value: Any) -> float:
    """Return a number that is not infinite."""
    number = real_number(value)
    if not isfinite(number):
        raise ValueError
    return number


def whole(value: Any) -> int:
    """Return a whole number; 5.0 is one, True is none."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    number = real_number(value)
    if number != int(number):
        raise ValueError
    return int(number)


def _cases(value: Any) -> float:
    """Return an expected number of cases, which need not be whole."""
    number = finite(value)
    if not number >= RAREST:
        raise ValueError
    return number


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError
    return str(value)


def label(value: Any) -> Any:
    """Anything hashable, and the one value of an array of no dimension."""
    if getattr(value, "shape", None) == () and type(value).__name__ == "ndarray":
        value = value[()]
    elif getattr(value, "shape", None) == () and type(value).__module__ != "numpy":  # a tensor
        value = value.item()
    if not isinstance(value, Hashable):
        raise TypeError
    hash(value)
    return value


def truth_value(value: Any) -> bool:
    """True or False, also of NumPy; no number and no text."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError
    return bool(value)


def is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Check whether these are columns, models or numbers by their names: a result that is a mapping is none of that."""
    return isinstance(value, Mapping) and not isinstance(value, TypedFields)


def several(value: Any) -> Any:
    """Return a list, an array or a column, as it is: no text, whose letters would be taken apart, and no set."""
    if isinstance(value, str | bytes | Mapping | set | frozenset) or not hasattr(value, "__iter__"):
        raise TypeError
    if getattr(value, "shape", None) == ():
        raise TypeError
    return value


def listed(value: Any) -> Any:
    """Anything that yields names one after another, and is no text."""
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        raise TypeError
    return value


def path(value: Any) -> Any:
    """Return the name of a file."""
    return os.fsdecode(value) if isinstance(value, bytes) else os.fspath(value)


def not_scalar(value: Any) -> Any:
    """Anything that may hold several values."""
    if isinstance(value, str | bytes | Number):
        raise TypeError
    return value


def numbers(value: Any) -> Any:
    """Return a number, or a mapping from names to numbers."""
    if isinstance(value, Mapping):
        return {name: real_number(entry) for name, entry in value.items()}
    return real_number(value)


def numbers_of_models(value: Any) -> Any:
    """Numbers, as `several_numbers`, or by the names of models."""
    if isinstance(value, Mapping):
        return {name: several_numbers(entry) for name, entry in value.items()}
    return several_numbers(value)


def several_numbers(value: Any) -> Any:
    """Return a number, one for each of several in their order, or a mapping from names to numbers."""
    if (
        not isinstance(value, str | bytes | Mapping)
        and hasattr(value, "__len__")
        and getattr(value, "shape", None) != ()
    ):
        return [real_number(entry) for entry in value]
    return numbers(value)


def names_of_columns(value: Any) -> Any:
    """Return the name of a column, or a mapping from tags to names of columns."""
    if isinstance(value, Mapping):
        return {label(tag): text(column) for tag, column in value.items()}
    if isinstance(value, str | bytes):
        return text(value)
    return [text(name) for name in several(value)]


NUMBER = Kind(real_number, "a number")
SHARE = Kind(resolved_share, "a number between 0 and 1 (at least 1e-9 from both)")
SMALL_SHARE = Kind(share, "a number between 0 and 1")
CASES = Kind(_cases, "a number of cases above 0")
RATE = Kind(rate, "a number from 0 to 1")
TEXT = Kind(text, "a text")
NAMED = Kind(text, "the name of a column")
WHOLE = Kind(whole, "a whole number")
WHOLE_CASES = Kind(whole, "a whole number of cases")
ALLOWED = Kind(finite, "a positive number (the largest acceptable loss)")

COLUMNS_OF_TAGS = Kind(
    names_of_columns, "the name of a column, or for multilabel cases one column for each tag"
)

KINDS: Mapping[str, Kind] = (
    {
        "level": SHARE,
        "threshold": NUMBER,
        **dict.fromkeys(
            ("arguments.threshold", "rows.threshold"),
            Kind(
                numbers_of_models,
                "a number, or a mapping from model names to numbers (for multilabel cases also a list)",
            ),
        ),
        **dict.fromkeys(
            ("assess.threshold", "assess_by.threshold", "scan.threshold"),
            Kind(several_numbers, "a number, or for multilabel cases one number for each tag"),
        ),
        **dict.fromkeys(
            ("assess.truth", "scan.truth", "arguments.truth", "rows.truth", "columns.truth"), COLUMNS_OF_TAGS
        ),
        **dict.fromkeys(("assess.prediction", "scan.prediction"), COLUMNS_OF_TAGS),
        "columns.prediction": COLUMNS_OF_TAGS,
        **dict.fromkeys(("assess.top", "scan.top", "arguments.top", "rows.top", "columns.top"), WHOLE),
        "separator": TEXT,
        "prevalence": SHARE,
        "fpr": RATE,
        "tpr": RATE,
        "recall": RATE,
        "specificity": RATE,
        "sensitivity": RATE,
        "asking": Kind(finite, "a number (the cost of asking a human)"),
        "margin": ALLOWED,
        "rope": Kind(finite, "a positive number (the largest difference that is equivalent in practice)"),
        "k": Kind(real_number, "a number of cases"),
        "half_width": SMALL_SHARE,
        "expected": RATE,
        "auc": SHARE,
        "power": SHARE,
        "for_auc_difference.first": SHARE,
        "for_auc_difference.second": SHARE,
        "auc_difference_power.first": SHARE,
        "auc_difference_power.second": SHARE,
        "auc_difference_power.positives": CASES,
        "auc_difference_power.negatives": CASES,
        "correlation": NUMBER,
        "score_correlation": NUMBER,
        **{
            f"for_{design}.cases": WHOLE_CASES
            for design in (
                *("proportion", "class_rate", "auc", "auc_difference", "mcnemar", "no_failures"),
                *("auc_against", "precision", "leaderboard", "gate", "means"),
            )
        },
        **{
            f"for_means.{setting}": Kind(finite, "a number")
            for setting in ("difference", "deviation", "per_cluster")
        },
        **dict.fromkeys(("coverage_at.risk", "guarantee_losses.risk", "risk_at.coverage"), NUMBER),
        **dict.fromkeys(("assess_sets.target", "compare_sets.target"), SMALL_SHARE),
        **dict.fromkeys(("budget", "pool", "fewer_than", "calibration", "largest"), WHOLE_CASES),
        **dict.fromkeys(("n_jobs", "folds", "rounds", "parts"), WHOLE),
        "rate": SMALL_SHARE,
        "first_only": Kind(rate, "a share of all cases, from 0 to 1"),
        "second_only": Kind(rate, "a share of all cases, from 0 to 1"),
        "labels": Kind(several, "a list of all labels"),
        "ordered": Kind(truth_value, "True if labels= are in order, or False"),
        "remedies": Kind(
            lambda value: list(several(value)), "a list of names, such as ['bagging', 'forest']"
        ),
        "measures": Kind(lambda value: list(several(value)), "a list of names, such as ['roc_auc', 'f1']"),
        "learning_curve.sizes": Kind(
            lambda value: list(several(value)), "a list of numbers of cases, such as [50, 100, 200]"
        ),
        "decompose_over.values": Kind(
            lambda value: list(several(value)), "a list of values to try, such as [1, 2, 4]"
        ),
        "decompose_over.parameter": TEXT,
        "positive": Kind(label, "one label"),
        "reader_positive": Kind(label, "one label"),
        "label": Kind(label, "one label"),
        "reference": Kind(label, "one group"),
        "estimate.name": Kind(lambda value: value, "a measure or its name"),
        "names": Kind(listed, "a list of names, such as ['roc_auc', 'f1']"),
        "path": Kind(path, "the name of a file"),
        "y_pred": Kind(not_scalar, "a column of labels, or a mapping from model names to columns"),
        "scoring": Kind(scoring, "a measure, or a scorer such as ca.scorer('roc_auc')"),
    }
    | dict.fromkeys(("truth", "prediction", "dataset", "model", "value", "fold", "run"), NAMED)
    | dict.fromkeys(
        (*(f"compare_readers.{role}" for role in ("reader", "case", "score", "cluster")), "modality"), NAMED
    )
    | dict.fromkeys(
        (
            *("interval", "method", "missing", "unanswered", "adjustment", "rule", "better", "control"),
            *(
                "fixed",
                "name",
                "search",
                "alternative",
                "kind",
                "improper",
                "score_scale",
                "where",
                "guarantee",
            ),
        ),
        TEXT,
    )
)
"""The kinds of arguments, by their names. Columns and data are checked where rows are."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Make a public function check its arguments' kinds, and convert them to plain types, before it begins.

    Numbers of any library become floats. None is accepted where it is the default, and means the default. Raises
    InputError that says what came and what is wanted.
    """
    signature = inspect.signature(function)
    takes_any = any(param.kind is inspect.Parameter.VAR_KEYWORD for param in signature.parameters.values())

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            unknown = {name: entry for name, entry in kwargs.items() if name not in signature.parameters}
            known: Mapping[str, inspect.Parameter] = signature.parameters
            if takes_any:  # what is passed on is known elsewhere, but for what is misspelt and so is missing
                known = _missing(signature, len(args), kwargs)
                unknown = {name: entry for name, entry in unknown.items() if nearest(name, known)}
            refuse_unknown(function.__name__, unknown, known)
            return function(*args, **kwargs)  # Python says which argument is missing
        _bring_into_forms(bound, function.__name__)
        for name, value in bound.arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                bound.arguments[name] = {key: of_kind(key, entry, None, name) for key, entry in value.items()}
            elif parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = of_kind(name, value, parameter.default, function.__name__)
        refuse_other_order(_flat(bound))
        refuse_shared_columns(_flat(bound))
        with told_of_extras(f"this use of {function.__name__}"):
            return function(*bound.args, **bound.kwargs)

    return run


def arrived(arguments: Mapping[str, object], function: str = "") -> Mapping[str, Any]:
    """Return arguments with objects of other libraries in forms of the core, into which wings bring them."""
    place = brought("ways").get("take.objects")
    return arguments if place is None else thing(place)(arguments, function)


def _bring_into_forms(bound: inspect.BoundArguments, function: str) -> None:
    """Change arguments to forms of the core, with texts as names of columns, also in those that a function collects."""
    collected = _collected(bound)
    flat = {name: value for name, value in bound.arguments.items() if name != collected}
    changed = with_names_as_text(arrived(flat | bound.arguments.get(collected, {}), function))
    for name, value in changed.items():
        (bound.arguments if name in flat else bound.arguments[collected])[name] = value


def _flat(bound: inspect.BoundArguments) -> dict[str, Any]:
    """Arguments by their names, with those that a function collects under one name."""
    collected: dict[str, Any] = bound.arguments.get(_collected(bound), {})
    return bound.arguments | collected


def _collected(bound: inspect.BoundArguments) -> str:
    """Return the name under which a function collects arguments, "" where it does not."""
    parameters = bound.signature.parameters.values()
    return next((param.name for param in parameters if param.kind is param.VAR_KEYWORD), "")


def refuse_other_order(arguments: Mapping[str, object]) -> None:
    """Refuse pandas columns whose index holds the same labels in another order: rows are taken by their place.

    So are indexes that share some labels, each of one row, and differ in others, but for those of two tables, which may
    be about different cases. Looked at are arguments and the columns in those that are mappings. Columns without an
    index, with one that only counts rows from 0, as that of predictions often does, or whose indexes hold other labels
    altogether go by their place, as all columns do.

    >>> import pandas as pd
    >>> refuse_other_order({"y_true": pd.Series([1, 0], [7, 8]), "y_score": pd.Series([0.9, 0.2], [8, 7])})
    Traceback (most recent call last):
    classay.errors.InputError: y_score and y_true have the same pandas index in different orders (8 and 7 at index 0)...
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    hashes = functools.cache(lambda at: pandas.util.hash_pandas_object(named[at][1], index=False).to_numpy())
    named: list[tuple[str, Any]] = []
    for name, index in _with_index(arguments, pandas.Series, pandas.DataFrame):
        if not any(index is known or index.equals(known) for _, known in named):
            named.append((name, index))
    for (i, (of, first)), (j, (name, index)) in combinations(enumerate(named), 2):
        are_numbers = [pandas.api.types.is_numeric_dtype(labels.dtype) for labels in (first, index)]
        if len(index) != len(first) or are_numbers[0] != are_numbers[1]:
            continue
        with suppress(TypeError):  # labels that are lists
            moved = hashes(i) != hashes(j)
            lacks = ~pandas.Index(hashes(j)).isin(hashes(i))
            are_tables = all(isinstance(arguments.get(table), pandas.DataFrame) for table in (of, name))
            count = pandas.RangeIndex(len(first))
            are_ids = all(labels.is_unique and not labels.equals(count) for labels in (first, index))
            if lacks.any() and not lacks.all() and are_ids and not are_tables:
                raise InputError(
                    f"{name} and {of} have different pandas indexes: {index[int(lacks.argmax())]} is only in that of "
                    f"{name}. Pass the same rows in one order, or {name}.to_numpy() if the rows are the same."
                )
            if not moved.any() or hashes(i).sum() != hashes(j).sum():
                continue
            at = int(moved.argmax())
            in_order = f"{name}.loc[{of}.index]" if index.is_unique else f"both in the order of {of}"
            raise InputError(
                f"{name} and {of} have the same pandas index in different orders ({index[at]} and {first[at]} at index "
                f"{at}). Pass {in_order}, or {name}.to_numpy() if the rows of both are in the same order."
            )


def _with_index(arguments: Mapping[str, object], series: Any, frame: Any) -> Iterator[tuple[str, Any]]:
    """Yield the columns and tables of pandas among arguments, by name, with their indexes; of a mapping its columns."""
    for name, value in arguments.items():
        if isinstance(value, (series, frame)):
            yield name, value.index
        elif is_mapping(value) and not hasattr(value, "attrs"):  # amounts, scores; no arrays of a file
            yield from (
                (f"{name}[{key!r}]", each.index) for key, each in value.items() if isinstance(each, series)
            )


def _missing(
    signature: inspect.Signature, positional: int, named: Container[str]
) -> dict[str, inspect.Parameter]:
    """Return the parameters that must be given and are not."""
    missing = {}
    for place, (name, param) in enumerate(signature.parameters.items()):
        by_place = param.kind in (param.POSITIONAL_ONLY, param.POSITIONAL_OR_KEYWORD) and place < positional
        is_one = param.kind not in (param.VAR_POSITIONAL, param.VAR_KEYWORD)
        if is_one and param.default is param.empty and not by_place and name not in named:
            missing[name] = param
    return missing


def of_kind(name: str, value: Any, default: Any, function: str = "") -> Any:
    """The value of an argument in its plain type, if a kind is declared for its name, or for that of one function.

    For arguments that a function collects under one name (`**name`), pass that name as `function`.

    >>> of_kind("level", "0.9", 0.95)
    Traceback (most recent call last):
    classay.errors.InputError: level must be a number between 0 and 1 (at least 1e-9 from both), but is '0.9'.
    """
    kind = KINDS.get(f"{function}.{name}", KINDS.get(name))
    if kind is None or value is None is default:
        return value
    try:
        return kind.read(value)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        raise kind.refusal(name, value) from None


class TypedFields:
    """A dataclass that checks its fields against the outermost types of their annotations.

    Functions make results; a result made by hand from wrong values is refused at once, and not when it is shown. Raises
    InputError that names the field.
    """

    @classmethod
    def _unchecked(cls, **values: Any) -> Self:
        """Return one of values that the caller made right: none is looked at, of which there may be millions."""
        instance, kind = object.__new__(cls), cast(Any, cls)
        for field in fields(kind):
            object.__setattr__(instance, field.name, values.pop(field.name, field.default))
        assert not values, f"{cls.__name__} has no {', '.join(values)}"
        return instance

    def __post_init__(self) -> None:
        cls: Any = type(self)
        known = _fields(cls)
        values = [getattr(self, field.name) for field in known.fields]
        types = tuple(map(type, values))
        # of thousands that are made each has the types of one before
        looked_at = known.by_value if types in known.accepted else range(len(values))
        for at in looked_at:
            field = known.fields[at]
            if not field.accepts(values[at]):
                raise InputError(
                    f"{field.name} of {an(type(self).__name__)} must be {field.annotation}, but is "
                    f"{shown(values[at])}."
                )
        known.accepted.add(types)


class FiniteOrNone:
    """A dataclass with `eq=False` whose numbers may be NaN: NaN counts as equal to NaN.

    From Python 3.13 on, dataclasses compare their fields one by one, and NaN is not equal to itself.
    """

    def _compared(self) -> tuple[Any, ...]:
        untyped: Any = self
        return tuple(_without_nan(getattr(untyped, field.name)) for field in fields(untyped) if field.compare)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())


def _without_nan(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_without_nan, value))
    return None if isinstance(value, float) and isnan(value) else value


class Delegating:
    """A dataclass of which some fields, the `_PARTS`, are dataclasses: `changed` takes their values by name."""

    _PARTS: ClassVar[tuple[str, ...]]

    def changed(self, **values: Any) -> Self:
        """Return a copy with other values of these attributes, whichever part holds them.

        Without a change it is the same object.
        """
        original: Any = self
        parts: dict[str, Any] = {}
        for name in self._PARTS:
            part: Any = getattr(self, name)
            kind, current = cast(Any, type(part)), vars(part)
            changes = {key: values.pop(key) for key in [*values] if key in _names(kind)}
            changes = {key: value for key, value in changes.items() if value is not current[key]}
            parts |= {name: replace(part, **changes)} if changes else {}
        changed: Self = replace(original, **parts, **values) if parts or values else original
        return changed


@functools.cache
def _names(cls: Any) -> frozenset[str]:
    """Return the names of the fields of a dataclass."""
    return frozenset(field.name for field in fields(cls))


class _Field(NamedTuple):
    name: str
    annotation: str
    accepts: Callable[[Any], bool]


class _Fields(NamedTuple):
    """The fields of a dataclass; those of which a type does not tell all; the types that were accepted."""

    fields: tuple[_Field, ...]
    by_value: tuple[int, ...]
    accepted: set[tuple[type, ...]]


@functools.cache
def _fields(cls: Any) -> _Fields:
    """Return the fields of a dataclass: name, annotation, and whether a value is of that."""
    checked_fields: list[_Field] = []
    by_value: list[int] = []
    for field in fields(cls) if is_dataclass(cls) else ():
        owner = next(one for one in cls.__mro__ if field.name in vars(one).get("__annotations__", {}))
        known = vars(sys.modules[owner.__module__])
        tree = ast.parse(str(field.type), mode="eval").body
        if any(_tells_by_value(node, known) for node in ast.walk(tree)):
            by_value.append(len(checked_fields))
        checked_fields.append(_Field(field.name, str(field.type), _accepts(tree, known)))
    return _Fields(tuple(checked_fields), tuple(by_value), set())


def _tells_by_value(node: ast.AST, known: Mapping[str, object]) -> bool:
    """Check whether an annotation is about more than a type: words, or the parts of a tuple."""
    if not isinstance(node, ast.Name):
        return False
    return node.id in ("Literal", "tuple") or get_origin(known.get(node.id)) is Literal


def _accepts(node: ast.expr, known: Mapping[str, object]) -> Callable[[Any], bool]:
    """Check whether a value is of an annotation, as far as its outermost type and the elements of a tuple tell."""
    if isinstance(node, ast.BinOp):
        first, second = _accepts(node.left, known), _accepts(node.right, known)
        return lambda value: first(value) or second(value)
    if isinstance(node, ast.Constant):
        return lambda value: value is None
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return _accepts_parts(node.value.id, node.slice, known)
    return _accepts_name(node.id, known) if isinstance(node, ast.Name) else lambda value: True


def _accepts_parts(outer: str, inner: ast.expr, known: Mapping[str, object]) -> Callable[[Any], bool]:
    if outer == "Literal":
        words = ast.literal_eval(inner)
        return lambda value: isinstance(value, str) and value in words
    if outer != "tuple":
        return _accepts_name(outer, known)
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    checks = [_accepts(part, known) for part in parts if not _is_ellipsis(part)]
    if any(map(_is_ellipsis, parts)) and ast.unparse(parts[0]) in ("Any", "Hashable"):
        return lambda value: isinstance(value, tuple)  # of classes there may be a million
    if any(map(_is_ellipsis, parts)):
        return lambda value: isinstance(value, tuple) and all(map(checks[0], value))
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(checks)
        and all(accepts(one) for accepts, one in zip(checks, value, strict=True))
    )


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


_PLAIN: Mapping[str, Callable[[Any], bool]] = {
    "Any": lambda value: True,
    "Hashable": lambda value: isinstance(value, Hashable),
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: type(value).__name__ in ("bool", "bool_"),
    "int": lambda value: isinstance(value, Integral) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, Real) and not isinstance(value, bool),
    "Array": lambda value: getattr(value, "shape", None) is not None,
    "Callable": callable,
    "Sequence": lambda value: isinstance(value, Sequence | Iterable) and not isinstance(value, str | Mapping),
}


def _is_union(annotation: Any) -> bool:
    """Check whether this is `A | B`, a name for several classes."""
    return isinstance(annotation, UnionType) and all(isinstance(kind, type) for kind in get_args(annotation))


def _accepts_name(name: str, known: Mapping[str, object]) -> Callable[[Any], bool]:
    if name in _PLAIN:
        return _PLAIN[name]
    kind: Any = known.get(name, getattr(builtins, name, None))
    if isinstance(kind, type) or _is_union(kind):
        return lambda value: isinstance(value, kind)
    if get_origin(kind) is Literal:
        return lambda value: isinstance(value, str) and value in get_args(kind)
    if kind is not None:  # another name of several types
        return lambda value: True
    # imported for type checkers alone: a class is known by its name
    return lambda value: any(one.__name__ == name for one in type(value).__mro__)


def refuse_unknown(function: str, arguments: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Refuse arguments whose names a function does not know, in Python's own words.

    >>> refuse_unknown("compare", {"treshold": 0.5}, {"threshold": float})
    Traceback (most recent call last):
    TypeError: compare() got an unexpected keyword argument 'treshold'. Did you mean 'threshold'?
    """
    known = {
        name: param
        for name, param in known.items()
        if getattr(param, "kind", None) != inspect.Parameter.VAR_KEYWORD
    }
    for name in arguments:
        if name == "design" and function not in WITH_DESIGN and arguments[name] is not None:
            raise InputError(NO_DESIGN.format(function, "`assess`, `compare` or `judged`"))
        if name not in known:
            ours = ELSEWHERE.get(name)
            meant = f". The name here is {ours!r}." if ours in known else nearest(name, known) or ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{meant}")


ELSEWHERE = {"sensitive_features": "by", "sample_weight": "weight", "pos_label": "positive"}
"""What other libraries call arguments."""

WITH_DESIGN = ("assess", "compare", "judged")
"""Functions that know the design of drawn cases. Others take the further arguments of these, but not a design."""
NO_DESIGN = "{} does not take a design. Use {}."


def shown(value: Any) -> str:
    """Return the value as Python writes it, or its kind where that is long or fails."""
    try:
        written = repr(value)
    except Exception:  # noqa: BLE001 - a foreign __repr__ may do anything
        written = ""
    if 0 < len(written) <= 60 and "\n" not in written:
        return written
    return an(type(value).__name__)


Per = Literal["day", "week", "month", "quarter"]
Alternative = Literal["two-sided", "greater", "less"]
Rule = Literal["non-inferior", "not-worse", "superior", "equivalent"]
Improper = Literal["keep", "renormalise"]
ScoreScale = Literal["probability", "logit", "count"]
"""What scores are said to be: `scaled` of `columns.scales` makes probabilities of them."""
Format = Literal["csv", "tsv", "parquet", "arrow", "jsonl"]
