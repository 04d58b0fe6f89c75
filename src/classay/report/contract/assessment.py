"""The JSON of an assessment: a published contract, docs/assessment.schema.json."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from classay.assessment.assessment import Assessment
from classay.assessment.drawn import curves_of
from classay.assessment.judgement.flow import calls
from classay.assessment.judgement.warnings import warnings
from classay.assessment.remembered import remembered
from classay.columns import Labels
from classay.curves.curve import Curve
from classay.report.contract.writer import json_text, of_estimate, plain

SCHEMA = 1


def as_dict(a: Assessment, names: Iterable[str] | None = None) -> dict[str, Any]:
    """The assessment as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    from classay import __version__

    a = remembered(a)
    return {
        "schema": SCHEMA,
        "classay": __version__,
        "n": a.n,
        "rows": a.rows,
        "dropped": a.dropped,
        "unscored": a.unscored,
        "unanswered": a.unanswered,
        "undeclared": a.undeclared,
        "unanswered_count_as_wrong": a.no_answer is not None,
        "weights": a.kind_of_weight,
        "clusters": None if a.clusters is None else len(a.clusters),
        "labels": [plain(label) for label in a.labels],
        "order": Labels.of(a.labels).order if len(a.labels) > 2 else None,
        "positive": plain(a.positive),
        "threshold": plain(a.cutoff),
        "threshold_chosen": a.cutoff_chosen,
        "level": a.level,
        "seed": a.seed,
        "confusion_matrix": of_matrix(a),
        "measures": {name: of_estimate(found) for name, found in a.estimates(names).items()},
        "per_class": [
            {"label": plain(label), "measures": {name: of_estimate(found) for name, found in each.items()}}
            for label, each in a.class_estimates().items()
        ],
        "curves": {name: of_curve(curve) for name, curve in curves_of(a).items()},
        "warnings": [{"code": each.code, "text": each.text} for each in warnings(a)],
    }


def of_matrix(a: Assessment) -> dict[str, Any] | None:
    """A confusion matrix as plain values: all counts, or of many classes the cells that hold any."""
    matrix = a.confusion_matrix
    if matrix is None:
        return None
    about: dict[str, Any] = {"labels": [plain(label) for label in a.labels], "axes": ["predicted", "true"]}
    if a.no_answer is not None:
        about["no_answer"] = [plain(count if matrix.is_weighted else int(count)) for count in a.no_answer]
    if not matrix.keeps_pairs_that_occur:
        return about | {"counts": calls(a)[: len(a.labels)].tolist()}
    predicted, true, cases = matrix.occupied
    cases = cases if matrix.is_weighted else cases.astype(int)
    answered = predicted < len(a.labels)
    cells = zip(*(each[answered].tolist() for each in (predicted, true, cases)), strict=True)
    return about | {"cells": [[*cell] for cell in cells]}


def of_curve(curve: Curve) -> dict[str, Any]:
    """A curve as plain values: how to draw it, and lists of one length, None where it has no such column."""
    parts = {name: getattr(curve, name) for name in ("x", "y", "threshold", "low", "high")}
    return {
        "kind": curve.kind,
        "x_title": curve.x_title,
        "y_title": curve.y_title,
        **{
            name: None if part is None else [plain(each) for each in part.tolist()]
            for name, part in parts.items()
        },
        "band": curve.band or None,
        "error": curve.error,
    }


def as_json(a: Assessment, names: Iterable[str] | None = None, sections: dict[str, Any] | None = None) -> str:
    """The assessment as JSON text: an estimate, a row of the matrix, a list of labels take one line each.

    `sections` are further keys with their plain values.
    """
    return json_text(as_dict(a, names) | (sections or {}))
