"""The JSON of a decomposition: docs/decomposition.schema.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.report.contract.writer import of_estimate, plain

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition

SCHEMA = 1
MOST_ROWS = 1000
"""Rows of each kind that the JSON names; it counts all."""


def as_dict(d: Decomposition) -> dict[str, Any]:
    """The decomposition as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    from classay import __version__

    return {
        "schema": SCHEMA,
        "classay": __version__,
        "learner": d.learner,
        "loss": d.loss,
        "labels": [plain(label) for label in d.labels],
        "test_rows": d.table.rows,
        "test_clusters": d.units.clusters,
        "weighted": d.units.weight is not None,
        "noise_known": d.noise_known,
        "sampling": d.sampling,
        "size": d.size,
        "drawn_from": d.drawn_from,
        "rounds": d.rounds,
        "planned": d.planned,
        "random": d.random,
        "level": d.level,
        "seed": d.seed,
        "decompositions": [
            {
                "name": scheme.name,
                "reference": scheme.reference,
                "adds_up": dict(scheme.adds_up),
                "terms": [
                    {"name": name} | of_estimate(each) for name, each in d.terms_of(scheme.name).items()
                ],
            }
            for scheme in d.schemes
        ],
        "leaning": of_estimate(d.leaning),
        "biased": _rows(d.biased_rows),
        "unstable": _rows(d.unstable_rows),
        "failures": list(d.failures),
        "notes": list(d.notes),
    }


def _rows(rows: Any) -> dict[str, Any]:
    return {"count": int(rows.size), "rows": rows[:MOST_ROWS].tolist()}
