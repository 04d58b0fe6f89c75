"""What every JSON of classay is made with: plain values, and their text."""

from __future__ import annotations

from math import isinf, isnan
from typing import Any

from classay.inference.estimate import Estimate
from classay.inference.requirements import Outcome


def of_outcome(found: Outcome) -> dict[str, Any]:
    """A requirement and how it came out, as plain values."""
    return {
        "requirement": str(found.requirement),
        "verdict": found.verdict.value,
        "value": plain(found.value),
        "reason": found.estimate.reason if isnan(found.value) else None,
        "estimate": of_estimate(found.estimate),
    } | ({"note": found.note} if found.note else {})


def of_estimate(found: Estimate) -> dict[str, Any]:
    """An estimate as plain values."""
    return {
        "value": plain(found.value),
        "low": plain(found.low),
        "high": plain(found.high),
        "level": found.level,
        "method": found.method,
        "reason": found.reason,
    } | ({} if found.certain is None else {"certain": [plain(end) for end in found.certain]})


def plain(value: Any) -> Any:
    """A value that JSON knows: labels keep their type if it is one of JSON's, and become text otherwise."""
    if isinstance(value, float):
        if isnan(value):
            return None
        return ("Infinity" if value > 0 else "-Infinity") if isinf(value) else float(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


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
