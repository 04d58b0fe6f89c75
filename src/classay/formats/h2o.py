"""Predictions of H2O in CSV: recognized by their columns, and read like any table."""

from __future__ import annotations

from collections.abc import Sequence

from classay.columns.values import number_in

PREDICTED = "predict"
OF_H2O = "predictions of H2O"
"""What an input of such a file has in its layout."""
_TOLERANCE = 1e-6


def is_h2o(rows: Sequence[Sequence[str]]) -> bool:
    """Check for a column `predict`, then one for each class: named by it (p1 for 1), with the sum 1 in each row.

    >>> is_h2o([["predict", "p0", "p1"], ["1", "0.25", "0.75"]]), is_h2o([["predict", "a", "b"], ["1", "2", "3"]])
    (True, False)
    """
    if len(rows) < 2 or PREDICTED not in rows[0] or any(len(row) != len(rows[0]) for row in rows[1:] if row):
        return False
    at = rows[0].index(PREDICTED) + 1
    cases = [row for row in rows[1:] if row]
    n_classes = _n_classes([number_in(cell) for cell in cases[0][at:]]) if cases else 0
    names = {*rows[0][at : at + n_classes]}
    return n_classes > 1 and all(
        {row[at - 1], f"p{row[at - 1]}"} & names
        and _n_classes([number_in(cell) for cell in row[at:]]) == n_classes
        for row in cases
    )


def _n_classes(cells: Sequence[float | None]) -> int:
    """Return how many of the first cells are shares with the sum 1; 0 for none."""
    total = 0.0
    for number, cell in enumerate(cells, 1):
        if cell is None or not 0 <= cell <= 1:
            return 0
        total += cell
        if number > 1 and abs(total - 1) < _TOLERANCE:
            return number
    return 0
