"""Plans read again from their JSON, each part checked when it is taken, and the hash by which a pool is told."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import FileError
from classay.files.archives import Damaged, Fields, require_file
from classay.warned import Warned

Array = NDArray[Any]
FORMAT = 1
KIND = "label_plan"
_CHUNK = 2**17


def pool_hash(scores: Array) -> str:
    """Return a hash of scores, the same for all their float types that hold them exactly.

    >>> pool_hash(np.array([0.5, 0.25])) == pool_hash(np.array([0.5, 0.25], np.float32))
    True
    """
    digest = hashlib.sha256()
    for start in range(0, scores.size, _CHUNK):
        digest.update(np.ascontiguousarray(scores[start : start + _CHUNK], "<f8").data)
    return digest.hexdigest()


def read_plan(text: str, where: str, stratum: Callable[..., Any]) -> dict[str, Any]:
    """Return the fields of a plan. Raises FileError where the text is none, or damaged."""
    try:
        return fields_of(Fields(json.loads(text), "the plan"), where, stratum)
    except FileError:  # of another kind or format, so that no copy helps
        raise
    except (Damaged, ValueError) as error:
        reason = str(error).removesuffix(".")
        raise FileError(
            f"{where} is damaged or not a labeling plan ({reason}). Write the plan again, or restore a copy."
        ) from error


def fields_of(about: Fields, where: str, stratum: Callable[..., Any]) -> dict[str, Any]:
    """Return the fields of a plan, each checked. Raises FileError for another kind or format, Damaged for others."""
    if "kind" not in about or about.take("kind") != KIND:
        raise FileError(f"{where} is not a labeling plan. Use the .plan.json that `classay label` wrote.")
    number = about.take("schema")
    if type(number) is not int or number != FORMAT:
        raise FileError(
            f"{where} has format {number}, but this version of classay reads {FORMAT}. Update classay."
        )

    def part(values: Any) -> Any:
        one = Fields(values, "a stratum")
        return stratum(
            one.maybe("low", one.number),
            one.maybe("high", one.number),
            one.flag("called"),
            one.whole("cases", 1),
            one.whole("labels"),
            one.number("mean_score"),
            one.maybe("planned", lambda name: one.number(name, 0, 1)),
            one.maybe("called_by", one.texts),
        )

    def halves(of: Fields, name: str) -> dict[str, float]:
        inner = of.inner(name)
        return {measure: inner.number(measure, 0) for measure in inner.names}

    def warned(values: Any) -> Warned:
        one = Fields(values, "a warning")
        return Warned(one.text("code"), one.text("text"))

    def row_number(value: Any) -> int:
        require_file(type(value) is int and value >= 0, "a row is not a whole number")
        return int(value)

    strata = about.list("strata", part)
    rows, places = (np.array(about.list(name, row_number), np.int64) for name in ("rows", "stratum"))
    models = about.texts("models")
    scores = np.array(about.numbers("scores"), float)
    if models:
        require_file(len(models) == 2 and scores.size == 2 * rows.size, "it is not of two models")
        scores = scores.reshape(-1, 2)
    require_file(rows.size == places.size == len(scores), "its rows and strata differ in number")
    require_file(np.unique(rows).size == rows.size, "a row occurs twice")
    counts = np.bincount(places, minlength=len(strata))
    require_file(counts.tolist() == [one.labels for one in strata], "its strata and labels disagree")
    require_file(bool((rows < sum(one.cases for one in strata)).all()), "a row is beyond the pool")
    others = about.inner("others")
    return {
        "rows": rows,
        "stratum": places,
        "scores": scores,
        "strata": strata,
        "threshold": about.number("threshold"),
        "measures": about.texts("measures"),
        "level": about.share("level"),
        "seed": about.whole("seed"),
        "pool": about.text("pool"),
        "waves": about.list("waves", row_number),
        "expected": halves(about, "expected"),
        "others": {name: halves(others, name) for name in others.names},
        "half_width": about.maybe("half_width", about.share),
        "warnings": about.list("warnings", warned),
        "models": models,
        "expected_if_not_calibrated": halves(about, "expected_if_not_calibrated")
        if "expected_if_not_calibrated" in about
        else {},
        "labels_used": about.whole("labels_used") if "labels_used" in about else 0,
    }
