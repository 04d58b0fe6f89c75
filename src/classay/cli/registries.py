"""Words of help and completion that registries know. A registry is loaded when help or completion asks for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable


def tests() -> list[str]:
    """The names of all tests that `--method` takes, each once; their order depends on no import."""
    return list(
        dict.fromkeys(name for _, by_kind in _tests() for names in by_kind.values() for name in names)
    )


def described_tests() -> str:
    """The tests by what is random, and on one test set by what they are of; their order depends on no import."""
    parts = []
    for where, by_kind in _tests():
        if len(by_kind) > 1:
            said = "; ".join(f"{', '.join(names)} ({kind})" for kind, names in by_kind.items())
        else:
            said = ", ".join(name for names in by_kind.values() for name in names)
        parts.append(f"{where[0].upper()}{where[1:]}: {said}.")
    return " ".join(parts)


def _tests() -> list[tuple[str, dict[str, list[str]]]]:
    import classay.comparison.compare  # noqa: F401 - its modules register the tests
    from classay.comparison.registry import DATA_SETS, DIFFERENT_TEST_SETS, FOLDS, ONE_TEST_SET, TESTS

    found = []
    for where in (ONE_TEST_SET, DIFFERENT_TEST_SETS, FOLDS, DATA_SETS):
        by_kind: dict[str, list[str]] = {}
        for each in sorted(TESTS, key=lambda known: (known.of, known.name)):
            if each.where == where:
                kind = each.of.split(" of ")[0] if where in (ONE_TEST_SET, DIFFERENT_TEST_SETS) else ""
                by_kind.setdefault(kind, []).append(each.name)
        found.append((where.removeprefix("on ").removeprefix("over "), by_kind))
    return found


def adjustments() -> list[str]:
    """The names that `--adjustment` takes."""
    from classay.inference.multiplicity import METHODS

    return list(METHODS)


def intervals() -> list[str]:
    """The names of the methods that are intervals on request, as they are typed."""
    import classay.inference.intervals  # noqa: F401 - its modules register the methods
    from classay.inference.registry import METHODS, ON_REQUEST

    on_request = (each.name for each in METHODS if each.when is ON_REQUEST)
    return list(dict.fromkeys(name.casefold().replace(" ", "-") for name in on_request))


def models() -> list[str]:
    """The names of models that `--models` takes."""
    from classay.resampling.fit.models import RECIPES

    return list(RECIPES)


def _listed(names: Callable[[], Iterable[str]]) -> Callable[[], str]:
    return lambda: ", ".join(names())


WORDS: dict[str, Callable[[], str]] = {
    "tests": described_tests,
    "adjustments": _listed(adjustments),
    "intervals": _listed(intervals),
    "models": _listed(models),
}
"""What stands in the help of an option for a name in braces."""


def filled(help_of_option: str) -> str:
    """The help of an option with the words of registries where their names stand in braces.

    >>> filled("Of the p-values: {adjustments}.")
    'Of the p-values: holm, bonferroni, hommel, hochberg, benjamini_hochberg, benjamini_yekutieli.'
    """
    return re.sub(r"\{(\w+)\}", lambda found: WORDS[found[1]](), help_of_option)
