"""How measures of probabilities take every table: without probabilities, and with leading axes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec

import numpy as np

from classay.once import once
from classay.tables import ScoreTable

P = ParamSpec("P")


def of_probabilities(
    function: Callable[Concatenate[ScoreTable, P], Any],
) -> Callable[Concatenate[ScoreTable, P], Any]:
    """Make a function of a score table NaN, of the leading shape, where the scores are no probabilities."""

    @functools.wraps(function)
    def checked(scores: ScoreTable, /, *options: P.args, **named: P.kwargs) -> Any:
        if not scores.are_probabilities:
            return np.full(scores.positives.shape[:-1], np.nan)[()]
        return function(scores, *options, **named)

    return checked


def table_by_table(
    function: Callable[Concatenate[ScoreTable, P], Any],
) -> Callable[Concatenate[ScoreTable, P], Any]:
    """Make a function of one table take tables with leading axes, one after another."""

    @functools.wraps(function)
    def each(scores: ScoreTable, /, *options: P.args, **named: P.kwargs) -> Any:
        lead = scores.positives.shape[:-1]
        if not lead:
            return np.float64(function(scores, *options, **named))
        found = [function(one, *options, **named) for one in each_of(scores)]
        return np.array(found, np.float64).reshape(lead)

    return each


@once
def each_of(scores: ScoreTable) -> list[ScoreTable]:
    """The tables of all leading places: the same for every measure, so that what several need is found once."""
    return [one_of(scores, at) for at in np.ndindex(scores.positives.shape[:-1])]


def one_of(scores: ScoreTable, at: tuple[int, ...]) -> ScoreTable:
    """The table at one index of the leading axes."""
    squares = scores.positive_squares, scores.negative_squares
    plus, minus = (None if part is None else part[at] for part in squares)
    return replace(
        scores,
        positives=scores.positives[at],
        negatives=scores.negatives[at],
        positive_squares=plus,
        negative_squares=minus,
    )
