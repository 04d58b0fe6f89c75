"""Lists of names and of pairs in one option, of which some hold commas; columns of classes, and labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from classay.errors import InputError

OPTION = "--class-scores"
SHAPE = "LABEL=COLUMN,LABEL=COLUMN, such as cat=p_cat,dog=p_dog"


def names_in(text: str | None, option: str) -> list[str]:
    """The names in a text, separated by commas; a name that holds a comma stands in double quotes.

    No text has no names. Raises InputError for a text without a name, and for quotes that do not pair.

    >>> names_in('a, b,"p(x, y)"', "--scores")
    ['a', 'b', 'p(x, y)']
    """
    if text is None:
        return []
    names = [name for name in ("".join(part).strip() for part in _parts(text, option)) if name]
    if not names:
        raise InputError(f"{option} is {text!r}, which names nothing: write names with commas between them.")
    return names


def pairs_in(text: str, option: str, example: str) -> list[tuple[str, str]]:
    """The pairs in a text such as `cat=p_cat,dog=p_dog`; what holds a comma or `=` stands in double quotes.

    Raises InputError, with the example, for anything else.

    >>> pairs_in('cat=p_cat,"a=b"="x,y"', "--class-scores", "cat=p_cat")
    [('cat', 'p_cat'), ('a=b', 'x,y')]
    """
    pairs = []
    for part in _parts(text, option):
        at = part.index("=") if "=" in part else 0
        name, value = "".join(part[:at]).strip(), "".join(part[at + 1 :]).strip()
        if not (name and value):
            raise InputError(f"{option} is {text!r}: write {example}.")
        pairs.append((name, value))
    return pairs


def _parts(text: str, option: str) -> list[list[str]]:
    """What stands between the commas: a list of characters bare, and of whole texts from between quotes."""
    parts: list[list[str]] = [[]]
    pieces = text.split('"')
    if len(pieces) % 2 == 0:
        raise InputError(
            f"{option} is {text!r}, with a double quote that no other closes: a name that holds a comma is written "
            "in two of them."
        )
    for k, piece in enumerate(pieces):
        if k % 2:
            parts[-1].append(piece)
            continue
        if not piece and 0 < k < len(pieces) - 1:
            parts[-1].append('"')  # two in a row, inside of two others, mean one of them
        for j, bare in enumerate(piece.split(",")):
            if j:
                parts.append([])
            parts[-1].extend(bare)
    return parts


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

    A name that holds a colon, a comma or `=` stands in double quotes; so does a label that holds a colon, where no
    model is named.

    >>> columns_by_model(["new:cat=a,dog=b", "old:cat=c,dog=d"])["old"], columns_by_model(["cat=a,dog=b"])
    ({'cat': 'c', 'dog': 'd'}, {'': {'cat': 'a', 'dog': 'b'}})
    >>> columns_by_model(['"v1:new":cat=a,dog=b']), columns_by_model(['"c:t"=a,dog=b'])
    ({'v1:new': {'cat': 'a', 'dog': 'b'}}, {'': {'c:t': 'a', 'dog': 'b'}})
    """
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        name, columns = _model_of(text)
        if name in found:
            whose = f"the model {name!r}" if name else "a model without a name"
            raise InputError(
                f"{OPTION} is given twice for {whose}: write MODEL:{SHAPE}, once for each model of one file."
            )
        found[name] = columns_by_class(columns)
    if "" in found and len(found) > 1:
        raise InputError(f"{OPTION} names a model in one place and none in another: write MODEL:{SHAPE}.")
    return found


_MODEL = re.compile(r'\s*(?P<name>"(?:[^"]|"")*"|[^",=:]*):(?P<columns>.*)', re.DOTALL)


def _model_of(text: str) -> tuple[str, str]:
    """The model before the first colon that stands in no quotes, if `=` does not come first, and what follows it."""
    found = _MODEL.fullmatch(text)
    if found is None:
        return "", text
    name = found["name"].strip()
    return (name[1:-1].replace('""', '"') if name.startswith('"') else name), found["columns"]


def declared(texts: Sequence[str]) -> list[Any]:
    """Labels written on the command line, as a file of text that holds them would be read."""
    from classay.columns.writing import typed

    return list(typed(texts))


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


def in_order(column: Any, order: str | None) -> Any:
    """A column of labels as ordered categories, in the order that `--order` gives; without one as it is.

    Raises InputError for a label that the order lacks.
    """
    if order is None:
        return column
    import pyarrow as pa

    from classay.columns import code_labels, unite
    from classay.columns.uniting import declared as declare

    coded = code_labels(column, "the target")
    labels, (codes,) = unite(
        [("the target", coded)],
        declare(typed_labels(tuple(names_in(order, "--order")), coded.labels), ordered=True),
    )
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(labels)), ordered=True)


def _as_kind(text: str, kinds: set[type]) -> Any:
    if kinds and kinds <= {int, float}:
        from classay.columns.writing import number_in

        if (number := number_in(text)) is None:
            raise InputError(f"the labels of the file are numbers, and {text!r} is none.")
        return number
    if kinds == {bool} and text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    return text
