"""Estimates of the measures of an assessment: several of one table together, where their method shares its work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from classay.assessment import views
from classay.assessment.views import View
from classay.inference.bounds import certain
from classay.inference.estimate import Estimate
from classay.inference.intervals import DrawnTable
from classay.inference.registry import Method, Table, named
from classay.measures import Measure
from classay.measures.classes.answered import among_answers
from classay.measures.conditions import NOT_PROBABILITIES
from classay.tables import BinaryCounts
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.binned.table import BinnedScoreTable
from classay.threads import thread_count, workers

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


def of_view(
    a: Assessment, measures: Sequence[Measure], view: View[Table], method: str | None = None
) -> list[Estimate]:
    """Estimates of a view by the way the rows were drawn: in clusters, with sampling weights, or alike.

    `method` is that of all intervals; without one it is the assessment's, where it serves, and else each measure's own.
    """
    whole = _drawn(a, view)
    methods: list[str | None] = [method] * len(measures)
    if method is None and a.interval is not None:
        methods = [a.interval if whole.has_method(each, a.interval) else None for each in measures]
    return whole.estimates(measures, a.level, methods)


def _drawn(a: Assessment, view: View[Table]) -> DrawnTable:
    if a.drawn == "alike":
        return DrawnTable.alike(view.table, seed=a.seed)
    if a.coded is None:
        return DrawnTable.weighted(view.table, view.squares, seed=a.seed)
    return DrawnTable.clustered(view.table, a.coded, view.cells, squares=view.squares, seed=a.seed)


def of_measure(a: Assessment, measure: Measure, method: str | None = None) -> Estimate:
    """The estimate of a measure, with the interval of a method, or its default."""
    measure = as_read(a, measure)
    if measure.plain is not None:
        one = views.one_class(a, measure)
        return Estimate.undefined(one) if isinstance(one, str) else of_measure(one, measure.plain, method)
    return _of_table(a, [measure], a.table(measure), method)[0]


def as_read(a: Assessment, measure: Measure) -> Measure:
    """The measure as it is read from the matrix, which may hold cases without an answer."""
    matrix = a.confusion_matrix
    return measure if matrix is None else among_answers(measure, matrix.labels)


def of_measures(a: Assessment, measures: Sequence[Measure]) -> list[Estimate]:
    """Estimates of measures with the assessment's method, or their defaults, in threads where there are many scores.

    Those of one table whose method shares its work are found together.
    """
    measures = [as_read(a, each) for each in measures]
    together: dict[int | str, list[int]] = {}
    if a.interval is not None:
        for place, measure in enumerate(measures):
            is_apart = measure.plain is not None or measure.threshold is not None
            table = None if is_apart else a.table(measure)
            if table is not None and _is_shared(a, measure, table):
                key = "counts" if isinstance(table, BinaryCounts) else id(table)
                together.setdefault(key, []).append(place)

    def shared(places: list[int]) -> list[Estimate]:
        return _of_table(a, [measures[i] for i in places], a.table(measures[places[0]]))

    found: dict[int, Estimate] = {}
    for places in together.values():
        found |= zip(places, shared(places), strict=True)
    rest = [place for place in range(len(measures)) if place not in found]
    rows = 0 if a.scores is None else a.scores.scores.size
    with workers(thread_count(rows)) as run:
        found |= zip(rest, run(lambda place: of_measure(a, measures[place]), rest), strict=True)
    return [found[place] for place in range(len(measures))]


def _is_shared(a: Assessment, measure: Measure, table: Any) -> bool:
    """Whether the assessment's method gives intervals of several measures of the table in one pass."""
    if isinstance(table, str) or a.interval is None:
        return False
    method = named(measure, table, a.interval, a.drawn)
    return isinstance(method, Method) and method.several is not None


def _of_table(
    a: Assessment, measures: Sequence[Measure], table: Any, method: str | None = None
) -> list[Estimate]:
    """Estimates of measures of one table, or of none for the reason given in its place."""
    if isinstance(table, str):
        return [Estimate.undefined(table)] * len(measures)
    found = of_view(a, measures, views.of_measure(a, measures[0], table), method)
    return [_seen_through(a, measure, table, each) for measure, each in zip(measures, found, strict=True)]


def of_bins(measure: Measure, table: Table, found: Estimate) -> Estimate:
    """The estimate with what is certain of scores in bins, if they are."""
    ends = certain(measure, table) if isinstance(table, BinnedScoreTable | BinnedClassScoreTable) else None
    return found if ends is None else found.within(ends, measure.bounds)


def _seen_through(a: Assessment, measure: Measure, table: Table, found: Estimate) -> Estimate:
    """The estimate with what is certain of scores in bins, and with the numbers behind what is no probability."""
    found = of_bins(measure, table, found)
    return replace(found, reason=a.why_improper) if found.reason == NOT_PROBABILITIES.text else found
