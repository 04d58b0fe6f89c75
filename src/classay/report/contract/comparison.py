"""The JSON of comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.comparison.comparisons import row_of
from classay.report.contract.writer import plain

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons
    from classay.comparison.datasets.critical_difference import CriticalDifference

SCHEMA = 1


def as_dict(found: Comparisons) -> dict[str, Any]:
    """The comparisons as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    from classay import __version__

    return {
        "schema": SCHEMA,
        "classay": __version__,
        "models": list(found.models),
        "facts": dict(found.facts),
        "level": found.level,
        "seed": found.seed,
        "values": {
            measure: {name: plain(value) for name, value in found.values(measure).items()}
            for measure in found.measures
        },
        "comparisons": [{name: plain(value) for name, value in row_of(one).items()} for one in found],
        "overall": [
            {"measure": one.measure, "models": list(one.models), "p": plain(one.p), "test": one.method}
            | {"statistic": plain(one.statistic), "df": plain(one.df)}
            for one in found.overall
        ],
        "random": found.random,
        "ranks": _ranks(found.diagram),
        "methods": found.methods_text(),
    }


def _ranks(made: CriticalDifference | None) -> dict[str, Any] | None:
    """Mean ranks over data sets, and the groups of models not told apart."""
    if made is None:
        return None
    return {
        "mean_ranks": dict(zip(made.models, made.ranks, strict=True)),
        "cliques": [list(clique) for clique in made.cliques],
        "method": made.method,
        "level": made.level,
        "critical_difference": plain(made.distance),
    }
