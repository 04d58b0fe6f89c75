"""The JSON of an assessment: a published contract, docs/assessment.schema.json."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from classay.assessment.assessment import Assessment
from classay.assessment.judgement import warnings
from classay.assessment.requirements import Outcome
from classay.curves.curve import Curve
from classay.inference.estimate import Estimate
from classay.report.curves import curves_of

if TYPE_CHECKING:
    from classay.assessment.shifted import Shifted
    from classay.slices import Slice, Slices

SCHEMA = 1


def as_dict(a: Assessment, names: Iterable[str] | None = None) -> dict[str, Any]:
    """The assessment as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    from classay import __version__

    matrix = a.confusion_matrix
    return {
        "schema": SCHEMA,
        "classay": __version__,
        "n": a.n,
        "rows": a.rows,
        "dropped": a.dropped,
        "weights": a.kind_of_weight,
        "clusters": None if a.clusters is None else len(a.clusters),
        "labels": [plain(label) for label in a.labels],
        "positive": plain(a.positive),
        "threshold": plain(a.threshold),
        "threshold_chosen": a.threshold_chosen,
        "level": a.level,
        "seed": a.seed,
        "confusion_matrix": None
        if matrix is None
        else {
            "labels": [plain(label) for label in matrix.labels],
            "axes": ["predicted", "true"],
            "counts": matrix.counts.tolist(),
        },
        "measures": {name: of_estimate(found) for name, found in a.estimates(names).items()},
        "per_class": [
            {"label": plain(label), "measures": {name: of_estimate(found) for name, found in each.items()}}
            for label, each in a.class_estimates().items()
        ],
        "curves": {name: of_curve(curve) for name, curve in curves_of(a).items()},
        "warnings": [{"code": each.code, "text": each.text} for each in warnings(a)],
    }


def of_outcome(found: Outcome) -> dict[str, Any]:
    """A requirement and how it came out, as plain values."""
    return {
        "requirement": str(found.requirement),
        "verdict": found.verdict.value,
        "value": plain(found.value),
        "reason": found.estimate.reason if isnan(found.value) else None,
    }


def of_estimate(found: Estimate) -> dict[str, Any]:
    """An estimate as plain values."""
    return {
        "value": plain(found.value),
        "low": plain(found.low),
        "high": plain(found.high),
        "level": found.level,
        "method": found.method,
        "reason": found.reason,
    }


def of_slices(s: Slices, found: Sequence[Slice]) -> dict[str, Any]:
    """What `Slices.compare` found, as plain values, group by group."""
    groups: dict[Hashable, dict[str, Any]] = {label: {} for label in s}
    for each in found:
        groups[each.group][each.measure] = {
            "estimate": of_estimate(each.estimate),
            "difference": of_estimate(each.difference),
            "p": plain(each.p),
            "p_adjusted": plain(each.p_adjusted),
        }
    return {
        "by": s.by,
        "reference": plain(s.reference),
        "groups": [
            {
                "label": plain(label),
                "n": s.groups[label].n,
                "class_totals": [plain(total) for total in s.groups[label].class_totals.tolist()],
                "measures": measures,
            }
            for label, measures in groups.items()
        ],
    }


def of_shifted(shifted: Shifted, found: dict[str, Estimate]) -> dict[str, Any]:
    """Estimates at another prevalence as plain values."""
    return {
        "prevalence": shifted.prevalence,
        "measures": {name: of_estimate(each) for name, each in found.items()},
    }


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


def plain(value: Any) -> Any:
    """A value that JSON knows: labels keep their type if it is one of JSON's, and become text otherwise."""
    if isinstance(value, float):
        if isnan(value):
            return None
        return ("Infinity" if value > 0 else "-Infinity") if isinf(value) else float(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def as_json(a: Assessment, names: Iterable[str] | None = None, sections: dict[str, Any] | None = None) -> str:
    """The assessment as JSON text: an estimate, a row of the matrix, a list of labels take one line each.

    `sections` are further keys with their plain values.
    """
    return json_text(as_dict(a, names) | (sections or {}))


def json_text(found: dict[str, Any]) -> str:
    """Plain values as JSON text, what holds no other values on one line."""
    # half a surrogate pair, as in the name of a file that is no UTF-8, has no other form than JSON's escape
    return (_text(found, "") + "\n").encode("utf-8", "backslashreplace").decode()


def _text(value: Any, indent: str) -> str:
    import json

    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(each, dict | list) for each in inner):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    deeper = f"{indent}  "
    if isinstance(value, dict):
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {_text(each, deeper)}" for key, each in value.items()
        ]
    else:
        items = [_text(each, deeper) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = f",\n{deeper}".join(items)
    return f"{opening}\n{deeper}{lines}\n{indent}{closing}"
