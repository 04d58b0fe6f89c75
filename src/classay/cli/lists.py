"""Lists of names and of pairs in one option, of which some hold commas; columns of classes, and labels."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
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


def labels_in(*columns: Any) -> tuple[Hashable, ...]:
    """The labels that occur in any of some columns, of which None is none.

    >>> labels_in([1, 2], None, [3, 2])
    (1, 2, 3)
    """
    from classay.columns import code_columns

    coded = code_columns([("a column of labels", column) for column in columns if column is not None])
    return tuple(dict.fromkeys(label for _, each in coded for label in each.labels))


def declared_names(labels: str | None, order: str | None) -> list[str]:
    """The labels that `--labels` or `--order` names, as texts. Raises InputError where both do."""
    if labels is not None and order is not None:
        raise InputError("--labels and --order were given: --order names all labels, leave --labels out.")
    return names_in(order, "--order") or names_in(labels, "--labels")


def in_order(column: Any, order: str | None) -> Any:
    """A column of labels as ordered categories, in the order that `--order` gives; without one as it is.

    Raises InputError for a label that the order lacks.
    """
    if order is None:
        return column
    import pyarrow as pa

    from classay.columns import code_labels, unite
    from classay.columns.uniting import declared, typed_labels

    coded = code_labels(column, "the target")
    labels, (codes,) = unite(
        [("the target", coded)],
        declared(typed_labels(tuple(names_in(order, "--order")), coded.labels), ordered=True),
    )
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(labels)), ordered=True)
