"""What is drawn by `plot` of results that have a picture of their own, with matplotlib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Drawing:
    """What a picture shows: a measure, shares of what a matrix has, the order of a plan, costs of a ROC space."""

    measure: str = ""
    share: str | None = None
    by: str = "row"
    costs: Any = None


def draw_matrix(matrix: Any, ax: Any, shown: Drawing) -> Any:
    """Draw the cells of a confusion matrix."""
    from classay.report.pictures.diagrams import plot_matrix
    from classay.report.results.parts import matrix_of

    return plot_matrix(matrix_of(matrix), shown.share, ax)
