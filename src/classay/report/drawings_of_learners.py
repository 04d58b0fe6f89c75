"""What is drawn by `plot` of splits, and of mean ranks over data sets, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.report.drawings import Drawing

if TYPE_CHECKING:
    from classay.comparison.compare_datasets import CriticalDifference
    from classay.resampling.protocol import SplitPlan


def draw_plan(plan: SplitPlan, ax: Any, shown: Drawing) -> Any:
    """Draw which case is in which fold."""
    from classay.report.pictures.plots import plot_plan

    return plot_plan(plan, shown.by, ax)


def draw_ranks(ranks: CriticalDifference, ax: Any, _: Drawing) -> Any:
    """Draw mean ranks over data sets."""
    from classay.report.pictures.diagrams import plot_ranks

    return plot_ranks(ranks, ax)
