"""Predictions that Weka writes as text with commas or tabs: labels, and the distribution over the classes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.values import number_in
from classay.errors import FileError
from classay.formats.columns import column_of
from classay.formats.lines import SCORES, first_lines, lines_of, picked, tell, warn, wrong_line
from classay.sources.inputs import Input, listed
from classay.sources.text_files import type_labels

if TYPE_CHECKING:
    import pyarrow as pa

_HEAD = re.compile(r"inst#([,\t])actual\1predicted\1error(?:\1|$)")
_FEW_DECIMALS = 3
"""Decimals that Weka writes if no option asks for more."""
_MISSING = "?"


def is_weka(head: bytes, _: str) -> bool:
    """Check for the names of the first columns, below blank lines and a title."""
    return any(_HEAD.match(line) for line in first_lines(head)[:2])


@dataclass
class Predictions:
    """The columns of a file as texts, and what its scores are of."""

    is_distribution: bool
    labels: dict[int, str] = field(default_factory=dict)
    """The label of each class by its number, as far as it occurs."""
    rows: list[list[str | None]] = field(default_factory=list)
    scores: list[list[str]] = field(default_factory=list)
    others: list[list[str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """The names of the attributes behind the scores."""
    n_scores: int = 1

    @property
    def decimals(self) -> int:
        """The most decimals of a score, which begins with one digit and a point."""
        return max((len(text) - 2 for row in self.scores for text in row), default=0)


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns; labels are without their numbers, and of one type in both columns of labels."""
    predictions = _parsed(source)
    table = picked(source, _table(predictions), columns)
    together = [name for name in ("actual", "predicted") if name in table.column_names]
    for name in together:
        table = table.set_column(table.column_names.index(name), name, table[name].dictionary_encode())
    scores = [name for name in table.column_names if name.startswith(SCORES) or name == "prediction"]
    facts = ""
    if scores and predictions.decimals <= _FEW_DECIMALS:
        facts = (
            f"Its scores have {_FEW_DECIMALS} decimals, so cases may tie. Weka writes more with -decimals 8."
        )
    tell(source, facts)
    if "prediction" in scores:
        warn(
            f"Column prediction of {source.name} is the probability of the predicted class, not of one class. Use a "
            f"column {SCORES}LABEL as a score."
        )
    if not predictions.is_distribution and len(scores) > ("prediction" in scores):
        warn(
            f"{source.name} has only the probability of the predicted class. The other of two classes gets the rest. "
            "Weka writes both with -distribution."
        )
    return type_labels([table], together, together)[0]


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns."""
    return listed(_table(_parsed(source)).schema)


def _parsed(source: Input) -> Predictions:
    lines = lines_of(source)
    for _, line in lines:
        if match := _HEAD.match(line):
            return _rows(source, lines, line, match[1])
    raise FileError(f"{source.name} has no header of Weka. Write the file again.")


def _rows(source: Input, lines: Iterator[tuple[int, str]], head: str, delimiter: str) -> Predictions:
    names = head.split(delimiter)[4:]
    if not names or names[0] not in ("prediction", "distribution"):
        raise FileError(
            f"{source.name} has predicted numbers, because the target was numeric in Weka. Use a file of a classifier."
        )
    unnamed = next((k for k, name in enumerate(names[1:]) if name), len(names) - 1)
    predictions = Predictions(names[0] == "distribution", n_scores=1 + unnamed)
    predictions.names = _fields(delimiter.join(names[1 + unnamed :]), delimiter)
    # A label with a delimiter is in quotes as an actual label only.
    row = re.compile(
        r"(\d+)D(\d+):('(?:[^'\\]|\\.)*'|[^D]*)D(?:(\d+):(.*?)|\?)D(\+?)D(\*?[\d?N].*)".replace(
            "D", delimiter
        )
    )
    for number, line in lines:
        if not line.strip():
            continue
        match = row.fullmatch(line)
        if match is None:
            raise wrong_line(source, number, line)
        case, code, actual, predicted_code, predicted, error, rest = match.groups()
        cells = _fields(rest, delimiter)
        if len(cells) != predictions.n_scores + len(predictions.names):
            raise wrong_line(source, number, line)
        label = None if actual == _MISSING else _unquoted(actual)
        for at, name in ((code, label), (predicted_code, predicted)):
            if name is not None and predictions.labels.setdefault(int(at), name) != name:
                raise wrong_line(source, number, line)
        predictions.rows.append([case, label, predicted, error or None])
        predictions.scores.append([cell.removeprefix("*") for cell in cells[: predictions.n_scores]])
        predictions.others.append(cells[predictions.n_scores :])
    return predictions


def _fields(text: str, delimiter: str) -> list[str]:
    """Return the values of attributes, of which some are in quotes.

    >>> _fields("0.5,'a, b','it\\\\'s'", ",")
    ['0.5', 'a, b', "it's"]
    """
    import csv

    if "'" not in text:
        return text.split(delimiter) if text else []
    return next(
        csv.reader([text], delimiter=delimiter, quotechar="'", escapechar="\\", doublequote=False), []
    )


def _unquoted(text: str) -> str:
    """Return a label without quotes around it.

    >>> print(_unquoted(r"'it\\'s: odd'"), _unquoted("plain"))
    it's: odd plain
    """
    if len(text) > 1 and text[0] == text[-1] == "'":
        return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text[1:-1])
    return text


def _table(predictions: Predictions) -> pa.Table:
    """Return all columns of a file."""
    import pyarrow as pa

    rows = predictions.rows
    case, actual, predicted, error = zip(*rows, strict=True) if rows else ((), (), (), ())
    names = ["inst#", "actual", "predicted", "error"]
    columns = [pa.array([int(text) for text in case if text], pa.int64())]
    columns += [pa.array(cells, pa.string()) for cells in (actual, predicted, error)]
    texts = [
        pa.array([row[k] for row in predictions.scores], pa.string()) for k in range(predictions.n_scores)
    ]
    scores = [text.cast(pa.float64()) for text in texts]
    of_classes = dict(enumerate(scores, 1))
    if not predictions.is_distribution:
        names.append("prediction")
        columns.append(scores[0])
        of_classes = _of_two_classes(predictions, predicted, scores[0].to_numpy())
    for number, scores_of_class in of_classes.items():
        names.append(SCORES + predictions.labels.get(number, f"#{number}"))
        columns.append(scores_of_class)
    for place, name in enumerate(predictions.names):
        names.append(name)
        columns.append(_attribute([row[place] for row in predictions.others]))
    return pa.table(columns, names=names)


def _of_two_classes(
    predictions: Predictions, predicted: Sequence[str | None], scores: NDArray[np.float64]
) -> dict[int, Any]:
    """Return the scores of both classes by number, from those of the predicted class; none where there may be more."""
    import pyarrow as pa

    if {*predictions.labels} != {1, 2} or None in predicted or not ((scores >= 0.5) & (scores <= 1)).all():
        return {}
    is_first = np.array([label == predictions.labels[1] for label in predicted], bool)
    first = np.where(is_first, scores, np.round(1 - scores, predictions.decimals))
    second = np.where(is_first, np.round(1 - scores, predictions.decimals), scores)
    return {1: pa.array(first), 2: pa.array(second)}


def _attribute(cells: Sequence[str]) -> Any:
    """Return the values of an attribute: numbers, or else text."""
    present = [None if cell == _MISSING else cell for cell in cells]
    numbers = [None if cell is None else number_in(cell) for cell in present]
    is_number = numbers.count(None) == present.count(None)
    return column_of(numbers if is_number else present)
