"""The registry of intervals: for a measure, a table and a way of drawing, the methods and when each is the default.

A method is one function with one decorator that says all that is known of it: its name, the measures and tables that it
serves, how their cases were drawn, when it is the default, and where it comes from. `estimate`, `method=`, the list of
methods in an error, `classay measures` and the table of docs/intervals.md read this registry and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from classay.errors import InputError, nearest
from classay.inference.estimate import Found
from classay.inference.references import REFERENCES, cite, used
from classay.measures import Measure
from classay.tables import BinaryCounts, CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.binned.classes import BinnedClassScoreTable

Drawn = Literal["alike", "weighted", "clustered"]
"""How cases were drawn: independently and alike, independently with sampling weights, in clusters."""
WORDS: dict[Drawn, str] = {
    "alike": "independent cases that count alike",
    "weighted": "cases with sampling weights",
    "clustered": "cases in clusters",
}
ALIKE: tuple[Drawn, ...] = ("alike",)
WEIGHTED: tuple[Drawn, ...] = ("weighted",)
CLUSTERED: tuple[Drawn, ...] = ("clustered",)
UNLIKE: tuple[Drawn, ...] = ("weighted", "clustered")
ANYHOW: tuple[Drawn, ...] = ("alike", "weighted", "clustered")

Table = BinaryCounts | ConfusionMatrix | ScoreTable | ClassScoreTable | BinnedClassScoreTable | CaseTable
"""Any table that a measure may be of."""
T = TypeVar("T", bound=Table)
U = TypeVar("U")

LABELS: tuple[type[BinaryCounts | ConfusionMatrix], ...] = (BinaryCounts, ConfusionMatrix)
SCORES = (ScoreTable,)
CLASS_SCORES = (ClassScoreTable,)
BINNED_CLASS_SCORES = (BinnedClassScoreTable,)
CASES = (CaseTable,)
TABLES: dict[str, tuple[type, ...]] = {
    "counts": (BinaryCounts,),
    "margins": (ConfusionMatrix,),
    "matrix": (ConfusionMatrix,),
    "scores": (ScoreTable,),
    "probabilities": (ScoreTable, CaseTable),
    "class_scores": (ClassScoreTable, BinnedClassScoreTable),
    "cases": (CaseTable,),
}
"""The tables that a measure may be of, by what it needs."""

Function = Callable[[Measure, T, float, U, float], Found]
"""From measure, table, value, units and level to an interval, or to the reason why there is none.

Units say how the cases of the table were drawn: `LabelUnits` for counts and matrices, `Units` for a score table, and
for the tables of several classes' scores the rows of clusters, or None. A function of some tables is registered for
these: mypy compares its annotation with `tables=`.
"""
Several = Callable[[Sequence[Measure], T, Sequence[float], U, float], list[Found]]
"""The same of several measures of one table and their values."""
Of = tuple[str, ...] | Callable[[Measure], bool]


@dataclass(frozen=True)
class When(Generic[T]):
    """When a method is the default, in words and as a function of measure, table, value, units and level."""

    words: str
    met: Callable[[Measure, T, float, Any, float], bool]


ALWAYS: When[Any] = When("", lambda *_: True)
ON_REQUEST: When[Any] = When("on request", lambda *_: False)


class Registering(Protocol[T]):
    """What `interval` returns for its tables: a decorator of the functions of these, whatever their units."""

    def __call__(self, function: Function[T, U]) -> Function[T, U]:
        """The function as it came."""


@dataclass(frozen=True)
class Method:
    """A method of intervals: its name, its function, what it serves, when it is the default, where it comes from.

    `several` is its function for several measures of one table, where they share most of the work; their intervals are
    the same as one by one.
    """

    name: str
    function: Function[Any, Any]
    of: Of
    tables: tuple[type, ...]
    drawn: tuple[Drawn, ...]
    when: When[Any]
    references: tuple[str, ...]
    several: Several[Any, Any] | None = None

    def serves(self, measure: Measure, table: type, drawn: Drawn) -> bool:
        """Whether it gives the interval of a measure of such a table, so drawn."""
        if drawn not in self.drawn or not issubclass(table, self.tables):
            return False
        return self.of(measure) if callable(self.of) else measure.base in self.of


METHODS: list[Method] = []
"""In the order in which they are tried; methods of named measures come before those of a kind of measures."""
REFUSED: dict[tuple[str, str | None], str] = {}
"""Measures that have no interval by a method, or by none (None), with the reason."""
_FOUND: dict[tuple[Measure, type, Drawn], tuple[Method, ...]] = {}
OTHER_NAMES = {
    "exact": "Clopper-Pearson",
    "posterior": "Dirichlet posterior",
    "mover": "MOVER-Wilson",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
}
NOT_YET = "none is known to be valid yet"


def interval(
    name: str,
    *,
    of: Of,
    tables: tuple[type[T], ...],
    references: tuple[str, ...],
    drawn: tuple[Drawn, ...] = ALIKE,
    when: When[T] = ALWAYS,
    several: Several[T, Any] | None = None,
) -> Registering[T]:
    """Register a function as a method of intervals; for one set of measures and tables each, and as often as needed.

    `of` are names of measures, or a function that tells whether a measure is served. Of several methods that serve a
    measure, the first whose condition `when` is met is the default. Raises InputError for a reference that is not in
    references.py.
    """
    for key in references:
        if key not in REFERENCES:
            raise InputError(f"the interval {name!r} cites {key!r}, which is not in inference/references.py.")

    def register(function: Function[T, U]) -> Function[T, U]:
        METHODS.append(Method(name, function, of, tables, drawn, when, references, several))
        _FOUND.clear()
        return function

    return register


def refuse(names: Iterable[str], reason: str, method: str | None = None) -> None:
    """Register that measures have no interval by a method, or by none at all, and why."""
    REFUSED.update({(name, method): reason for name in names})
    _FOUND.clear()


def methods(measure: Measure, table: Table, drawn: Drawn) -> tuple[Method, ...]:
    """The methods that serve a measure of such a table, so drawn, in the order in which they are tried."""
    return of_type(measure, type(table), drawn)


def of_type(measure: Measure, table: type, drawn: Drawn) -> tuple[Method, ...]:
    """As `methods`, for a type of tables."""
    key = measure, table, drawn
    if key not in _FOUND:
        found = [
            each for each in METHODS if each.serves(measure, table, drawn) and not _refused(measure, each)
        ]
        _FOUND[key] = tuple(sorted(found, key=_turn))
    return _FOUND[key]


def described(measure: Measure) -> list[tuple[str, str]]:
    """What the registry knows of a measure: for each way of drawing the default and its source, and what else there is.

    >>> import classay.inference.intervals
    >>> from classay.measures import get
    >>> described(get("f1"))[0]
    ('interval', 'Wilson on Jaccard (Wilson 1927, JASA 22:209; Rao & Scott 1992, Biometrics 48:577)')
    """
    if measure.complement is not None:
        return [("interval", f"the mirror of that of {measure.complement}")]
    if (measure.base, None) in REFUSED:
        return [("interval", f"none: {REFUSED[measure.base, None]}")]
    lines: list[tuple[str, str]] = []
    titles: dict[Drawn, str] = {"alike": "interval", "weighted": "of weights", "clustered": "of clusters"}
    for drawn, title in titles.items():
        for table in TABLES[measure.needs]:
            found = of_type(measure, table, drawn)
            texts = []
            for each in found:
                if each.when is not ON_REQUEST:
                    when = f" where {each.when.words}" if each.when.words else ""
                    texts.append(f"{each.name}{when} ({cite(*each.references)})")
                if each.when is ALWAYS:
                    break
            if texts and (title, "; else ".join(texts)) not in lines:
                lines.append((title, "; else ".join(texts)))
    others = [each.name for table in TABLES[measure.needs] for each in of_type(measure, table, "alike")]
    return [*lines, ("on request", ", ".join(dict.fromkeys(others)))]


def sources(method: str) -> list[str]:
    """The references of a method of intervals by its name, which may stand within other words.

    >>> import classay.inference.intervals
    >>> sources("Wilson"), sources("no such method")
    (['Wilson 1927, JASA 22:209'], [])
    """
    inside = [
        each for each in METHODS if re.search(rf"(?<!\w){re.escape(each.name)}(?!\w)", method, re.IGNORECASE)
    ]
    best = max(inside, key=lambda each: len(each.name), default=None)
    return [] if best is None else [cite(key) for key in used(best.references, method, are_alike=True)]


def why_refused(measure: Measure, method: str) -> str | None:
    """Why a measure has no interval by a method, or by any; None where it is not refused.

    >>> import classay.inference.intervals
    >>> from classay.measures import get
    >>> why_refused(get("spiegelhalter_z"), "bootstrap")
    'it is a test statistic: see its p-value'
    """
    return REFUSED.get((measure.base, None)) or REFUSED.get((measure.base, method))


def _refused(measure: Measure, method: Method) -> bool:
    return why_refused(measure, method.name) is not None


def _turn(method: Method) -> tuple[bool, bool]:
    """Methods of named measures before those of a kind of measures, those on request last."""
    return method.when is ON_REQUEST, callable(method.of)


def default(
    measure: Measure, table: Table, value: float, units: Any, level: float, drawn: Drawn
) -> Method | str:
    """The default method of a measure of a table, or the reason why it has none."""
    for each in methods(measure, table, drawn):
        if each.when.met(measure, table, value, units, level):
            return each
    return REFUSED.get((measure.base, None), NOT_YET)


def named(measure: Measure, table: Table, method: str, drawn: Drawn) -> Method | str | None:
    """The method of this name that serves a measure of a table; why it is refused; or None where there is none.

    The name is written as `match_method` gives it.
    """
    return why_refused(measure, method) or next(
        (each for each in methods(measure, table, drawn) if each.name == method), None
    )


def match_method(name: str) -> str:
    """The name of an interval method, however it is written; InputError lists them when there is none.

    >>> match_method("clopper-pearson"), match_method("Mid P"), match_method("exact")
    ('Clopper-Pearson', 'mid-P', 'Clopper-Pearson')
    """
    if name in all_names():
        return name
    known = {_folded(each): each for each in all_names()} | OTHER_NAMES
    found = known.get(_folded(name))
    if found is None:
        near = nearest(name, all_names()) or "."
        raise InputError(f"no interval is named {name!r}{near} There are {', '.join(all_names())}.")
    return found


def all_names(drawn: Drawn | None = None) -> list[str]:
    """The names of all methods, or of those that serve cases so drawn, in the order of the registry."""
    return list(dict.fromkeys(each.name for each in METHODS if drawn is None or drawn in each.drawn))


def _folded(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")
