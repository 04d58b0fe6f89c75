"""What a measure is, for a reader who points at its name: all from the registry."""

from __future__ import annotations

from classay.measures import get
from classay.measures.references import REFERENCES
from classay.measures.registry import undefined_text


def definition(name: str) -> dict[str, str]:
    """Title, meaning, formula, range, when it is undefined, and reference of a measure.

    >>> found = definition("precision")
    >>> found["formula"], found["range"], found["meaning"]
    ('TP / (TP + FP)', '0 to 1, 1 is best', 'Share of positive predictions that are right.')
    """
    made = get(name)
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
