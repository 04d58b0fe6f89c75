"""The rows that the laws are tried on: two and several classes, alike, weighted, in clusters, as frequencies."""

from contextlib import suppress
from functools import cache

import numpy as np

import classay as ca
from classay.measures import FAMILIES, MEASURES
from samples import binary_rows, class_rows, members

DRAWN = ("alike", "weighted", "clustered", "weighted clusters", "frequencies")
"""How rows were drawn."""
CLASSES = ("two", "several")
KINDS = [(classes, drawn) for classes in CLASSES for drawn in DRAWN]
FEW, MANY = 60, 400


def rows_of(classes, drawn, seed=0, n=FEW):
    """The arguments of `assess` for rows of a kind; no score is .5, so no threshold decides by a tie."""
    rng = np.random.default_rng(seed)
    if classes == "two":
        truth, score = binary_rows(rng, n)
        rows = {"y_true": truth, "y_score": np.where(score == 0.5, 0.51, score)}
    else:
        truth, scores = class_rows(rng, n, k=4, digits=2)
        rows = {"y_true": truth, "y_score": scores}
    if "weighted" in drawn:
        rows["weight"] = rng.gamma(2.0, size=n)
    if "cluster" in drawn:
        rows["cluster"] = rng.integers(0, n // 3, n)
    if drawn == "frequencies":
        rows["frequency"] = rng.integers(1, 4, n)
    return rows


def at(rows, places):
    """The same rows in another order, or some of them."""
    return {name: values[places] for name, values in rows.items()}


ON_REQUEST = {
    classes: [name for each in FAMILIES.values() for name in members(each, *labels) if name not in MEASURES]
    for classes, labels in (("two", (0, 1)), ("several", (0, 2)))
}
"""Measures that are not registered, by the number of classes."""


def estimates(rows, **how):
    """All estimates of rows, those of measures on request too."""
    a = ca.assess(**rows, **how)
    found = a.estimates()
    for name in ON_REQUEST["two" if np.ndim(rows["y_score"]) == 1 else "several"]:
        with suppress(ca.UnknownMeasureError):  # it is of another number of classes, or of tags
            found[name] = a.estimate(name)
    return found


@cache
def own_estimates(kind, seed=0, n=FEW):
    """The estimates of the rows of a kind, which most laws hold others against: found once for all of them."""
    return estimates(rows_of(*kind, seed, n))


def differing(mine, others, tolerance=1e-9, parts=("value", "low", "high")):
    """The names of those whose parts differ by more than rounding, or that have an interval on one side only."""
    return {name for name, found in mine.items() if not _near(found, others[name], tolerance, parts)}


def _near(a, b, tolerance, parts):
    mine, others = ([getattr(each, part) for part in parts] for each in (a, b))
    return bool(np.allclose(mine, others, rtol=tolerance, atol=tolerance, equal_nan=True))


def violations(law, kind, failing, seed=0):
    """What fails beyond what is known to, and what is known to and does not: both must be empty.

    What is known is known of the first seed: on other rows it may hold by chance.
    """
    from known_failures import KNOWN

    known = {name for name, _ in KNOWN.get((law, *kind), ())}
    return {"new": sorted(failing - known), "mended": sorted(known - failing) if seed == 0 else []}


NONE = {"new": [], "mended": []}
