"""Measures of one class against all others, `recall[other]`: how they are made."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from classay.errors import InputError
from classay.measures.names import quoted
from classay.texts import clean

if TYPE_CHECKING:
    from classay.measures.registry import Measure

OF_ONE_CLASS = ("counts", "scores", "probabilities")
"""What measures need that one class against the rest has."""
_MADE: dict[str, Measure] = {}


def of_class(measure: Measure, label: Hashable) -> Measure:
    """The measure of one class against all others: of its counts, or of its own scores.

    Its name is canonical, `recall[other]`, and its `label` a text, which finds the label of any type that is written
    so. Raises InputError for a measure of all classes together.

    >>> from classay.measures import recall
    >>> of_class(recall, "other"), of_class(recall, 3).name, recall["New York"].name
    (Measure(recall[other]: TP / (TP + FN)), 'recall[3]', 'recall["New York"]')
    """
    if measure.needs not in OF_ONE_CLASS or measure.label is not None:
        why = "has its class already" if measure.label is not None else "is of all classes together"
        raise InputError(f"{measure.name} {why}: leave [{clean(str(label))}] out.")
    text = str(label)
    name = f"{measure.name}[{quoted(text)}]"
    if name not in _MADE:
        title = f"{measure.title} of '{text}'"
        made = replace(measure, name=name, title=title, label=text, plain=measure, aliases=(), averaged=False)
        object.__setattr__(made, "__doc__", measure.__doc__)
        _MADE[name] = made
    return _MADE[name]
