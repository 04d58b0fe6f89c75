"""Files that are no rows of one label a case: matrices, four counts, multilabel cases, given grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from classay.describing.columns import ColumnFacts, label_text
from classay.describing.roles import Roles

CELLS = ("tp", "fp", "fn", "tn")
MIN_TAGS = 2
_MARKS = '",=*:|'
"""What has a meaning in options that name tags."""
_TRUTH_STEMS = ("y", "true", "truth", "label", "target", "actual", "gold", "tag", "t")
_PREDICTED_STEMS = ("pred", "predicted", "prediction", "yhat", "c", "hat", "call")


@dataclass(frozen=True)
class TagColumns:
    """Columns of 0 and 1 for each tag, and those of its scores or predictions, by what their names begin with."""

    truth: str
    scores: str | None
    predictions: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True)
class TagCells:
    """A column with all true tags of a case, one with all predicted tags, and the separator."""

    truth: str
    prediction: str
    separator: str


def matrix_corner(facts: Sequence[ColumnFacts]) -> str | None:
    """Return the name of the first column of a confusion matrix, None where the file is none."""
    if len(facts) < 3 or facts[0].n != len(facts) - 1:
        return None
    names = {column.name for column in facts[1:]}
    labels = {label_text(value) for value in facts[0].values}
    is_counts = all(
        column.is_whole and column.low is not None and column.low >= 0 and not column.n_missing
        for column in facts[1:]
    )
    return facts[0].name if names == labels and is_counts else None


def four_counts(facts: Sequence[ColumnFacts]) -> dict[str, int] | None:
    """Return the four counts of a file of one row, None where it has none."""
    by_name = {column.name.strip().lower(): column for column in facts}
    if not {*CELLS} <= by_name.keys() or facts[0].n != 1:
        return None
    counts = [by_name[name].low for name in CELLS]
    if any(count is None or count < 0 or count != int(count) for count in counts):
        return None
    return {name: int(count) for name, count in zip(CELLS, counts, strict=True) if count is not None}


def tag_columns(facts: Sequence[ColumnFacts]) -> TagColumns | None:
    """Return columns of tags by their names, such as y_sea and p_sea, None where there are none."""
    by_stem: dict[str, dict[str, ColumnFacts]] = {}
    for column in facts:
        stem, mark, tag = column.name.partition("_")
        if mark and tag and not {*column.name} & {*_MARKS}:
            by_stem.setdefault(stem, {})[tag] = column
    of_tags = {stem: {*columns} for stem, columns in by_stem.items() if len(columns) >= MIN_TAGS}
    zero_one = [stem for stem in of_tags if all(_is_zero_one(column) for column in by_stem[stem].values())]
    for truth in sorted(zero_one, key=lambda stem: _rank(stem, _TRUTH_STEMS)):
        scores = next(
            (
                stem
                for stem, tags in of_tags.items()
                if tags == of_tags[truth]
                and stem not in zero_one
                and all(column.is_number and not column.n_missing for column in by_stem[stem].values())
            ),
            None,
        )
        predicted = next(
            (
                stem
                for stem in zero_one
                if stem != truth
                and of_tags[stem] == of_tags[truth]
                and (scores is None or stem.lower() in _PREDICTED_STEMS)
            ),
            None,
        )
        if scores is not None or predicted is not None:
            tags = tuple(by_stem[truth])
            return TagColumns(f"{truth}_", scores and f"{scores}_", predicted and f"{predicted}_", tags)
    return None


def _rank(stem: str, known: Sequence[str]) -> int:
    return known.index(stem.lower()) if stem.lower() in known else len(known)


def _is_zero_one(column: ColumnFacts) -> bool:
    return {*column.values} <= {0, 1} and not column.n_missing and column.n_distinct > 0


def tag_cells(roles: Roles) -> TagCells | None:
    """Return two columns of tags in one cell, None where there are none."""
    columns = [column.facts for column in roles.columns if column.facts.separator is not None]
    predicted = [
        column for column in columns if "predict" in column.name.lower() or column.words & {"pred", "hat"}
    ]
    for prediction in predicted:
        for truth in columns:
            if truth not in predicted and truth.separator == prediction.separator:
                assert truth.separator is not None
                return TagCells(truth.name, prediction.name, truth.separator)
    return None


def graded_columns(roles: Roles) -> list[str]:
    """Return columns of grades of several models: whole numbers in one range, where no other role is likely."""
    if roles.of("probability", "score", "prediction"):
        return []
    by_range: dict[tuple[float, float], list[str]] = {}
    for column in roles.columns:
        facts = column.facts
        is_grade = (
            facts.can_be_listed
            and facts.is_whole
            and facts.n_distinct > 1
            and not facts.n_missing
            and not facts.is_id
        )
        if (
            is_grade
            and facts.low is not None
            and facts.high is not None
            and not column.has("weight", "frequency")
        ):
            by_range.setdefault((facts.low, facts.high), []).append(facts.name)
    names = max(by_range.values(), key=len, default=[])
    return names if len(names) > 1 else []
