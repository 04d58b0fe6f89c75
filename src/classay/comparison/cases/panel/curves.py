"""The ROC curves of models that are compared, for one picture."""

from __future__ import annotations

from collections.abc import Mapping

from classay.comparison.cases.panel.panel import Panel
from classay.comparison.cases.scores import MOST_ROWS
from classay.curves.curve import Curve
from classay.curves.display import for_display
from classay.curves.roc import roc
from classay.tables import ScoreTable

MODELS = 8
"""Models that one picture tells apart; of more none is drawn."""
NEAR = 0.002
"""Greatest vertical error of a curve that is drawn among several."""


def roc_curves(tables: Mapping[str, ScoreTable]) -> tuple[Curve, ...]:
    """The ROC curve of each table with cases of both classes, under its model's name."""
    if not 2 <= len(tables) <= MODELS:
        return ()
    return tuple(
        for_display(roc(table), NEAR, few=200).of(name)
        for name, table in tables.items()
        if table.n_positive and table.n_negative
    )


def roc_of_panel(panel: Panel) -> tuple[Curve, ...]:
    """The ROC curves of the scores of a panel; none of so many cases that sorting them again would be felt."""
    if panel.positive is None or panel.n > MOST_ROWS:
        return ()
    positive, weight, frequency = panel.is_positive, panel.weight, panel.frequency
    return roc_curves(
        {
            name: ScoreTable.from_rows(score, positive, weight=weight, frequency=frequency)
            for name, score in panel.scores.items()
        }
    )
