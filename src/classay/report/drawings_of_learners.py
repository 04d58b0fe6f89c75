"""What is drawn by `plot` of splits, mean ranks over data sets, and parts of a learner's loss, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.report.drawings import Drawing

if TYPE_CHECKING:
    from classay.comparison.compare_datasets import CriticalDifference
    from classay.improving.decomposition import Decomposition
    from classay.improving.improvement import Improvement
    from classay.resampling.protocol import SplitPlan


def draw_plan(plan: SplitPlan, ax: Any, shown: Drawing) -> Any:
    """Draw which case is in which fold."""
    from classay.report.pictures.plots import plot_plan

    return plot_plan(plan, shown.by, ax)


def draw_ranks(ranks: CriticalDifference, ax: Any, _: Drawing) -> Any:
    """Draw mean ranks over data sets."""
    from classay.report.pictures.diagrams import plot_ranks

    return plot_ranks(ranks, ax)


def draw_decomposition(decomposition: Decomposition, ax: Any, _: Drawing) -> Any:
    """Draw the parts of a learner's loss."""
    from classay.report.pictures.diagrams import plot_stacks, stack_of

    return plot_stacks([stack_of(decomposition)], ax)


def draw_improvement(improvement: Improvement, ax: Any, _: Drawing) -> Any:
    """Draw the parts of the loss before and after each remedy."""
    from classay.report.pictures.diagrams import plot_stacks
    from classay.report.results.improvements import stacks_of

    return plot_stacks(stacks_of(improvement), ax)
