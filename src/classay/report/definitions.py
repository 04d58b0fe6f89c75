"""What a measure is, for a reader who points at its name: all from the registry."""

from __future__ import annotations

from classay.errors import UnknownMeasureError
from classay.measures import get
from classay.measures.references import REFERENCES
from classay.measures.registry import undefined_text


def definition(name: str) -> dict[str, str] | None:
    """Title, meaning, formula, range, when it is undefined, and reference of a measure; None if it is not registered.

    A reading of a curve, such as the recall at a reader's specificity, has a name and no entry.

    >>> found = definition("precision")
    >>> found["formula"], found["range"], found["meaning"]
    ('TP / (TP + FP)', '0 to 1, 1 is best', 'Share of positive predictions that are right.')
    """
    try:
        made = get(name)
    except UnknownMeasureError:
        return None
    first = (made.__doc__ or "").partition("\n\n")[0]
    low, high = made.bounds
    best = "none is best" if made.best is None else f"{made.best:g} is best"
    return {
        "name": made.name,
        "title": made.title,
        "meaning": " ".join(first.removeprefix(f"{made.title}, {made.formula}. ").split()),
        "formula": made.formula,
        "range": f"{low:g} to {high:g}, {best}",
        "undefined": undefined_text(made),
        "reference": REFERENCES[made.reference],
    }
