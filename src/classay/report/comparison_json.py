"""The JSON of comparisons."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from classay.comparison.comparisons import row_of
from classay.report.json import plain

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons

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
        "methods": found.methods_text(),
    }


def comparisons_json(found: Comparisons) -> str:
    """The comparisons as JSON text."""
    return json.dumps(as_dict(found), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
