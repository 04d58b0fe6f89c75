"""Measures of one class against all others, `recall[other]`: how their names are written, read and made."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from classay.errors import InputError
from classay.texts import clean

if TYPE_CHECKING:
    from classay.measures.registry import Measure

OF_ONE_CLASS = ("counts", "scores", "probabilities")
"""What measures need that one class against the rest has."""
_BARE = re.compile(r"[^\s\[\](),=<>\"]+")
_NAMED = re.compile(
    r"\s*([^\[\]\"]*[^\[\]\"\s])\s*\[\s*(\"(?:[^\"\\]|\\.)*\"|[^\[\]\"]*?)\s*\]\s*", re.DOTALL
)
_MADE: dict[str, Measure] = {}


def split_class(name: str) -> tuple[str, str] | None:
    r"""The name of a measure and the label in the brackets behind it; None for a name without.

    A label that holds spaces, commas or brackets may stand in double quotes, as in JSON. Raises
    InputError for quotes that JSON does not have.

    >>> split_class("recall[other]"), split_class('f_beta(3)["a, b"]'), split_class("recall")
    (('recall', 'other'), ('f_beta(3)', 'a, b'), None)
    """
    match = _NAMED.fullmatch(name)
    if match is None or not match[2]:
        return None
    return match[1], _unquoted(match[2]) if match[2].startswith('"') else match[2]


def _unquoted(text: str) -> str:
    """A text in double quotes, as JSON has them; in a line of a shell, ends of lines and tabs may stand as they are."""
    try:
        return str(json.loads(text, strict=False))
    except json.JSONDecodeError as error:
        raise InputError(
            f"the label {text} in brackets is not understood ({error.msg}): in double quotes, write a backslash "
            'twice, and \\" for a quote.'
        ) from None


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
    name = f"{measure.name}[{text if _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)}]"
    if name not in _MADE:
        title = f"{measure.title} of '{text}'"
        made = replace(measure, name=name, title=title, label=text, plain=measure, aliases=(), averaged=False)
        object.__setattr__(made, "__doc__", measure.__doc__)
        _MADE[name] = made
    return _MADE[name]


def outside(text: str, separator: str) -> Iterator[str]:
    r"""The parts of a text between separators, a regular expression, that stand in no brackets and no quotes.

    >>> list(outside('recall["a, b"], f_beta(3), partial_roc_auc(0.2, min_fpr=0.1)', ","))
    ['recall["a, b"]', ' f_beta(3)', ' partial_roc_auc(0.2, min_fpr=0.1)']
    """
    held = r"\"(?:[^\"\\]|\\.)*\"|\([^()\"]*(?:\"(?:[^\"\\]|\\.)*\"[^()\"]*)*\)"
    held += r"|\[[^\[\]\"]*(?:\"(?:[^\"\\]|\\.)*\"[^\[\]\"]*)*\]"
    start = 0
    for match in re.finditer(rf"{held}|(?P<end>{separator})", text, re.DOTALL):
        if match["end"] is not None:
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]
