"""The registry of tests: the name of each, what it is of, what is random, its sources and its function.

Methods, error texts and documents ask here. A test is one function with the decorator `test`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar

from classay.comparison.references import cite
from classay.errors import InputError, nearest

if TYPE_CHECKING:
    from classay.comparison.comparison import Comparison

Where = Literal["on one test set", "on different test sets", "over folds", "over data sets"]
ONE_TEST_SET: Where = "on one test set"
DIFFERENT_TEST_SETS: Where = "on different test sets"
FOLDS: Where = "over folds"
DATA_SETS: Where = "over data sets"
POSTERIORS = ("bayesian", "corani-benavoli", "hierarchical")
"""Methods that give probabilities, and need a rope."""
P = ParamSpec("P")
A = TypeVar("A")
R = TypeVar("R", bound="Comparison | list[Comparison]")


class Of(str, Generic[A, R]):
    """What a test is of, in words; and the types of what its function takes first and finds, which mypy compares.

    >>> Of[tuple[int, int], "Comparison"]("proportions")
    'proportions'
    """

    __slots__ = ()


@dataclass(frozen=True)
class KnownTest(Generic[A, R]):
    """A test that can be asked for by its name, `method=` (`--method`).

    `where` is what the models are compared over, `of` what the function takes first: proportions, labels, losses, AUCs
    or scores of the same cases, differences of folds, results over data sets.
    """

    name: str
    title: str
    where: Where
    of: Of[A, R]
    references: tuple[str, ...]
    function: Callable[Concatenate[A, ...], R]

    @property
    def random(self) -> str:
        """What varies: test cases, training sets, or data sets."""
        return {FOLDS: "training sets", DATA_SETS: "data sets"}.get(self.where, "test cases")

    @property
    def reference(self) -> str:
        """The sources, in one text."""
        return cite(*self.references)

    def __call__(self, first: A, *given: Any, **asked: Any) -> R:
        """What the function finds, given of all that was asked what it has parameters for."""
        known = signature(self.function).parameters
        takes_all = any(each.kind is each.VAR_KEYWORD for each in known.values())
        return self.function(
            first, *given, **{name: value for name, value in asked.items() if takes_all or name in known}
        )


TESTS: list[KnownTest[Any, Any]] = []
"""Every test that can be asked for, in the order in which their modules are loaded."""


class Registering(Protocol[A, R]):
    """What `test` returns for what it is of: a decorator of the functions of this, whatever else they take."""

    def __call__(self, function: Callable[Concatenate[A, P], R]) -> Callable[Concatenate[A, P], R]:
        """The function as it came."""


def test(
    name: str, title: str, *, where: Where, of: Of[A, R], references: tuple[str, ...]
) -> Registering[A, R]:
    """Register a function as the test of this name. Raises ValueError for a name that is taken there."""
    cite(*references)
    if find(where, name, of) is not None:
        raise ValueError(f"there are two tests {where} of {of} named {name!r}")

    def register(function: Callable[Concatenate[A, P], R]) -> Callable[Concatenate[A, P], R]:
        TESTS.append(KnownTest(name, title, where, of, references, function))
        return function

    return register


def find(where: Where, name: str | None, of: Of[A, R]) -> KnownTest[A, R] | None:
    """The test of this name of such a thing, if there is one."""
    return next((each for each in TESTS if (each.where, each.name, each.of) == (where, name, of)), None)


def names(where: Where) -> tuple[str, ...]:
    """The names of the tests there, each once, in alphabetical order: it depends on no import."""
    return tuple(sorted({each.name for each in TESTS if each.where == where}))


def named(where: Where, name: str) -> KnownTest[Any, Any]:
    """The test of this name, the first where it is of several things. Raises InputError for an unknown name."""
    same = [each for each in TESTS if (each.where, each.name) == (where, name)]
    found = min(same, key=lambda each: each.of, default=None)
    if found is None:
        known = names(where)
        near = nearest(str(name), known) or "."
        raise InputError(f"no method {where} is named {name!r}{near} Pass one of {', '.join(known)}.")
    return found


def chosen(where: Where, method: str | None, rope: float | None, default: str) -> KnownTest[Any, Any]:
    """The test by its name, or the default; a rope asks for the Bayesian one.

    Raises InputError for an unknown method, and for a rope without the Bayesian method or the other way round.
    """
    found = named(where, method or ("bayesian" if rope is not None else default))
    if (found.name in POSTERIORS) != (rope is not None):
        raise InputError(
            f"the method {found.name!r} needs rope= (--rope), the difference that counts as equal in practice, fixed "
            "beforehand, such as 0.01; 0 asks for better alone."
            if rope is None
            else f"rope is for the methods {' and '.join(map(repr, POSTERIORS))}, and {found.name!r} was asked for: "
            "leave one of them out."
        )
    return found
