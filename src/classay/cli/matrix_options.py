"""Options for a matrix instead of rows: a file of labels and counts, or the four counts of two classes."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from classay.cli.lists import label_named, names_in
from classay.cli.options import COLUMNS, FileOptions, Text
from classay.errors import InputError
from classay.sources.other_formats import rows_of_matrix
from classay.texts import listed, some

if TYPE_CHECKING:
    from classay.tables import ConfusionMatrix

CELLS = ("tp", "fp", "fn", "tn")
ALL_CELLS = "--counts tp=40,fp=3,fn=7,tn=50"


@dataclass(frozen=True)
class MatrixOptions:
    """A matrix as texts from the command line: a file of labels and counts, or the four counts of two classes."""

    matrix: Annotated[
        Text,
        typer.Option(
            metavar="FILE",
            help="Confusion matrix instead of rows, as a table with labels in the header and in the first column.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    matrix_rows: Annotated[
        Literal["true", "predicted"] | None,
        typer.Option(
            help="Whether the rows of --matrix are true or predicted classes.", rich_help_panel=COLUMNS
        ),
    ] = None
    counts: Annotated[
        Text,
        typer.Option(
            metavar="tp=N,…",
            help="Four counts of two classes instead of rows, such as tp=40,fp=3,fn=7,tn=50.",
            rich_help_panel=COLUMNS,
        ),
    ] = None

    @property
    def name(self) -> str | None:
        """What is assessed, in words; None where rows are assessed."""
        if self.matrix is None:
            return None if self.counts is None else self.counts
        return "standard input" if self.matrix == "-" else Path(self.matrix).name

    def refuse_beside(self, options: Sequence[str]) -> None:
        """Refuse options of rows beside a matrix, which is counted already; and a matrix half described."""
        if self.matrix is not None and self.counts is not None:
            raise InputError("--matrix and --counts cannot be combined. Remove one of the two.")
        if self.matrix_rows is not None and self.matrix is None:
            raise InputError("--matrix-rows needs a matrix. Use --matrix to name its file.")
        if self.name is None:
            return
        option = "--counts" if self.matrix is None else "--matrix"
        if options:
            raise InputError(f"{option} contains counts, not rows. Remove {some(options)}.")

    def table(
        self, names: list[str], positive: str | None, reading: FileOptions, *, ordered: bool
    ) -> tuple[ConfusionMatrix, Hashable | None]:
        """Return the matrix, with the declared labels if there are any, and its positive class if one was named."""
        from classay.columns.labels import declared, typed_labels
        from classay.columns.values import listing

        if self.matrix is None:
            assert self.counts is not None
            return _of_counts(self.counts, names, positive)
        matrix = _read(self.matrix, self.matrix_rows, reading, names)
        if not names and _has_totals(matrix.counts):
            raise InputError(
                "The last row and column of the matrix look like totals. Remove them, or list all classes with "
                "--labels."
            )
        if names:
            labels = declared(typed_labels(tuple(names), matrix.labels), ordered=ordered)
            assert labels is not None
            if {*labels} != {*matrix.labels}:
                raise InputError(
                    f"The labels of the matrix are {listing(matrix.labels)}, but {listing(labels)} are declared. "
                    "Declare the labels of the matrix."
                )
            matrix = matrix.restrict(labels)
        return matrix, label_named(positive, lambda: matrix.labels, may_declare=True)


def _has_totals(counts: Any) -> bool:
    """Check whether the last row and the last column hold the sums of the others."""
    import numpy as np

    inner = counts[:-1, :-1]
    sums = inner.sum(0), inner.sum(1), inner.sum()
    totals = counts[-1, :-1], counts[:-1, -1], counts[-1, -1]
    return len(inner) > 1 and all(np.array_equal(*each) for each in zip(sums, totals, strict=True))


def _of_counts(text: str, names: list[str], named: str | None) -> tuple[ConfusionMatrix, Hashable]:
    """Four counts, with the labels that were declared, the positive one last if none is named."""
    from classay.columns.values import listing
    from classay.tables import ConfusionMatrix

    cells: dict[str, int] = {}
    for part in names_in(text, "--counts"):
        match = re.fullmatch(r"(tp|fp|fn|tn)\s*=\s*([0-9][0-9_]*)", part, re.IGNORECASE)
        if match is None:
            raise InputError(f"--counts contains {part!r}. Use four whole numbers, as in {ALL_CELLS}.")
        if match[1].lower() in cells:
            raise InputError(
                f"--counts contains {match[1].lower()} twice. Use four whole numbers, as in {ALL_CELLS}."
            )
        cells[match[1].lower()] = int(match[2])
    if missing := [cell for cell in CELLS if cell not in cells]:
        raise InputError(
            f"--counts does not contain {listed(missing)}. Use four whole numbers, as in {ALL_CELLS}."
        )
    if names and len(names) != 2:
        raise InputError(
            f"--counts needs two classes, but {len(names)} labels are declared. Declare two labels."
        )
    positive = named if named is not None else (names[1] if names else "positive")
    if names and positive not in names:
        raise InputError(f"Label {positive!r} is not declared. Labels: {listing(names)}.")
    negative = next((name for name in names if name != positive), "negative")
    if negative == positive:
        raise InputError("Both classes have the name 'negative'. Name both with --labels.")
    table = [[cells["tn"], cells["fp"]], [cells["fn"], cells["tp"]]]
    matrix = ConfusionMatrix.from_array(table, (negative, positive), rows="true")
    return matrix.restrict(names or matrix.labels), positive


def _read(
    path: str, side: Literal["true", "predicted"] | None, reading: FileOptions, names: list[str]
) -> ConfusionMatrix:
    """Return the matrix of a file: its first column has the labels of the rows, its head those of the columns."""
    from classay.columns.labels import Labels, typed_labels
    from classay.columns.values import listing
    from classay.tables import ConfusionMatrix

    known = rows_of_matrix(path)
    if known is not None and side not in (None, known):
        raise InputError(f"The rows of {path} are {known} classes. Remove --matrix-rows.")
    if (side := side or known) is None:
        raise InputError(
            "The meaning of the rows of the matrix is not set. Use --matrix-rows true or --matrix-rows predicted."
        )
    columns = reading.column_names(path)
    table = reading.table(path, columns, labels=columns[:1])
    by_row = Labels.of(table[0].to_pylist())
    texts = tuple(table.column_names[1:])
    if all(label is None for label in by_row) and len(names) == len(by_row):
        by_row = Labels.of(texts := tuple(names))
    if any(label is None for label in by_row):
        raise InputError(
            "A row of the matrix has no label. Put labels into the first column, or list all in order with --labels."
        )
    by_column = typed_labels(texts, by_row)
    if {*by_column} != {*by_row} or len(by_column) != len(by_row):
        raise InputError(
            f"The rows of the matrix have labels {listing(by_row)}, but its columns have {listing(by_column)}. Use the "
            "same labels in the first column and the header, without totals."
        )
    counts = [column.to_pylist() for column in table.columns[1:]]
    if any(value is None or isinstance(value, str) for column in counts for value in column):
        raise InputError(
            "A cell of the matrix is empty or not a number. Every cell must be a whole number of cases."
        )
    at = [by_column.index(label) for label in by_row]
    return ConfusionMatrix.from_array(
        [counts[i] for i in at], by_row, rows="predicted" if side == "true" else "true"
    )
