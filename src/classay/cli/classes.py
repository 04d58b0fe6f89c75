"""Columns of the scores of several classes, and labels, as they are written on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from classay.cli.lists import pairs_in
from classay.errors import InputError

OPTION = "--class-scores"
SHAPE = "LABEL=COLUMN,LABEL=COLUMN, such as cat=p_cat,dog=p_dog"


def columns_by_class(text: str) -> dict[str, str]:
    """The column of each label, from a text such as `cat=p_cat,dog=p_dog`.

    Raises InputError for a label or a column that occurs twice, and for anything else.
    """
    pairs = pairs_in(text, OPTION, SHAPE)
    labels = [pair[0] for pair in pairs]
    if len({*labels}) < len(labels):
        raise InputError(f"{OPTION} names a label twice: {text}. Name each label once.")
    if len({pair[1] for pair in pairs}) < len(pairs):
        raise InputError(f"{OPTION} names a column twice: {text}. Each class has a column of its own.")
    return dict(pairs)


def columns_by_model(texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """The columns of each model, from texts such as `new:cat=n_cat,dog=n_dog`; those of all models under "".

    Raises InputError for a model that is named twice, and where only some texts name one.

    >>> columns_by_model(["new:cat=a,dog=b", "old:cat=c,dog=d"])["old"], columns_by_model(["cat=a,dog=b"])
    ({'cat': 'c', 'dog': 'd'}, {'': {'cat': 'a', 'dog': 'b'}})
    """
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        name, colon, columns = text.partition(":")
        if not colon or "=" in name:
            name, columns = "", text
        if name in found:
            whose = f"the model {name!r}" if name else "a model without a name"
            raise InputError(
                f"{OPTION} is given twice for {whose}: write MODEL:{SHAPE}, once for each model of one file."
            )
        found[name] = columns_by_class(columns)
    if "" in found and len(found) > 1:
        raise InputError(f"{OPTION} names a model in one place and none in another: write MODEL:{SHAPE}.")
    return found


def typed_labels(texts: Sequence[str], occurring: tuple[Any, ...]) -> tuple[Any, ...]:
    """Labels written on the command line, in the type of those that occur."""
    from classay.columns import match_label

    kinds = {type(label) for label in occurring}
    typed = []
    for text in texts:
        try:
            typed.append(match_label(text, occurring))
        except InputError:
            typed.append(_as_kind(text, kinds))
    return tuple(typed)


def _as_kind(text: str, kinds: set[type]) -> Any:
    if kinds and kinds <= {int, float}:
        from classay.columns.writing import number_in

        if (number := number_in(text)) is None:
            raise InputError(f"the labels of the file are numbers, and {text!r} is none.")
        return number
    if kinds == {bool} and text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    return text
