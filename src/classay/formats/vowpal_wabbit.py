"""What Vowpal Wabbit writes: a number or a score of each class on a line, and the data that it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from classay.columns.values import number_in
from classay.errors import FileError
from classay.formats.columns import column_of
from classay.formats.lines import SCORES, advice_on_truth, first_lines, lines_of, picked, tell, wrong_line
from classay.sources.inputs import Input, is_known_name, listed

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_SCORES = re.compile(rf" ?(?P<scores>[^\s:]+:{_NUMBER}(?: [^\s:]+:{_NUMBER})+)(?: (?P<tag>\S*))?")
_VALUE = re.compile(rf"(?P<value>{_NUMBER})(?: (?P<tag>\S*))?")
_CASE = re.compile(
    r"(?:(?P<label>[^\s|']+)(?: +[\d.]+){0,2}(?: +(?P<tag>[^\s|]+)?)?|'?(?P<only>[^\s|]+)?) *\|(?P<features>.*)"
)
_TOLERANCE = 1e-3
"""How far the probabilities of a line may be from 1 in total: each is written with 6 digits."""


def _keys(match: re.Match[str]) -> list[str]:
    return [pair.rpartition(":")[0] for pair in match["scores"].split(" ")]


def is_scores(head: bytes, _: str) -> bool:
    """Check for pairs of a class and a number, of the same classes on each of the first lines."""
    matches = [_SCORES.fullmatch(line) for line in first_lines(head)]
    keys = [match and _keys(match) for match in matches]
    return bool(keys) and None not in keys and all(names == keys[0] for names in keys)


def is_values(head: bytes, path: str) -> bool:
    """Check for a number, and perhaps a tag, on each of the first lines of a file whose name tells no format."""
    lines = [] if is_known_name(path) else first_lines(head)
    return bool(lines) and all(_VALUE.fullmatch(line) for line in lines)


def is_data(head: bytes, path: str) -> bool:
    """Check for a label, a bar and features on each of the first lines of a file whose name tells no format."""
    lines = [] if is_known_name(path) else first_lines(head)
    cases = [_CASE.fullmatch(line) for line in lines]
    has_features = all(case is not None and _has_features(case["features"]) for case in cases)
    return has_features and any(case is not None and case["label"] for case in cases)


def _has_features(text: str) -> bool:
    """Check for a name of a namespace and features behind it, or features alone; other bars are those of a table."""
    return " | " not in text and (text.startswith(" ") or " " in text.strip())


def read(source: Input, columns: Sequence[str] | None, labels: Sequence[str]) -> pa.Table:
    """Return the named columns."""
    if source.format == "vw-data":
        return picked(source, _read(source), columns)
    table = picked(source, _read(source), columns, advice_on_truth())
    tell(source)
    return table


def schema(source: Input) -> list[tuple[str, str]]:
    """Names and types of all columns."""
    return listed(_read(source).schema)


def _read(source: Input) -> pa.Table:
    """Return all columns of a file; tags if there are any."""
    import pyarrow as pa

    parse = {"vw": _scores, "vw-data": _labels, "numbers": _values}[source.format]
    columns, tags = parse(source)
    return pa.table(columns | ({"tag": column_of(tags)} if any(tags) else {}))


def _scores(source: Input) -> tuple[dict[str, Any], list[str | None]]:
    keys: list[str] = []
    rows: list[list[float]] = []
    tags: list[str | None] = []
    for number, line in lines_of(source):
        if not line.strip():
            continue
        match = _SCORES.fullmatch(line)
        names = [] if match is None else _keys(match)
        if match is None or (keys and names != keys):
            raise wrong_line(source, number, line)
        keys = names
        scores = [float(pair.rpartition(":")[2]) for pair in match["scores"].split(" ")]
        if abs(sum(scores) - 1) > _TOLERANCE * len(keys) or min(scores) < 0:
            raise FileError(
                f"Line {number:,} of {source.name} has scores that are not probabilities (sum {sum(scores):g}). "
                "Predict again with -p and --probabilities of Vowpal Wabbit."
            )
        rows.append(scores)
        tags.append(match["tag"] or None)
    columns = [column_of(cells) for cells in zip(*rows, strict=True)]
    return {SCORES + key: column for key, column in zip(keys, columns, strict=True)}, tags


def _values(source: Input) -> tuple[dict[str, Any], list[str | None]]:
    values, tags = [], []
    for number, line in lines_of(source):
        if not line.strip():
            continue
        match = _VALUE.fullmatch(line)
        if match is None:
            raise wrong_line(source, number, line)
        values.append(number_in(match["value"]))
        tags.append(match["tag"] or None)
    return {"value": column_of(values)}, tags


def _labels(source: Input) -> tuple[dict[str, Any], list[str | None]]:
    """Return the labels of data: numbers if all are, so that +1 is 1; missing where a line has none."""
    texts: list[str | None] = []
    tags: list[str | None] = []
    for number, line in lines_of(source):
        if not line.strip():
            continue
        case = _CASE.fullmatch(line)
        if case is None:
            raise wrong_line(source, number, line)
        texts.append(case["label"])
        tag = case["tag"] or case["only"]
        tags.append(None if tag is None else tag.removeprefix("'"))
    numbers = [None if text is None else number_in(text) for text in texts]
    return {"label": column_of(numbers if numbers.count(None) == texts.count(None) else texts)}, tags
