"""Cells of systems and of their pairs, counted for many at once: parts are systems, or pairs of systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.judge.cells import MIN_LABELS, Cells, Units
from classay.judge.pairs import BOTH, NONE, ONLY_FIRST, ONLY_SECOND, cell_of_difference
from classay.judge.rows import MOST_CELLS, sums_at
from classay.judge.systems import Systems
from classay.texts import cut, quote

Array = NDArray[Any]
HALF = 0.5
MOST_AT_ONCE = 2_000_000
"""Pairs times cases whose cells are held at a time."""
NO, YES, UNGRADED, ABSENT = range(4)
PAIR_CELLS = 5
"""Cells of pairs of yes and no: the four of both grades, and one of cases that lack one of the grades."""
_CELL_OF_PAIR = np.full((4, 4), PAIR_CELLS)
_CELL_OF_PAIR[:3, :3] = PAIR_CELLS - 1
_CELL_OF_PAIR[:2, :2] = [[NONE, ONLY_SECOND], [ONLY_FIRST, BOTH]]


@dataclass(frozen=True, eq=False)
class Marks:
    """The cell of each case, `(parts, cases)`, `cells` of them, that of absent cases one beyond the last.

    `human` has the codes of the labels of the cases at `labelled`, `(parts, labelled)`, -1 without one, `grades` of
    them.
    """

    cell: Array
    cells: int
    human: Array
    grades: int
    labelled: Array


def of_systems(systems: Systems) -> Marks:
    """Return the cell of each system's grade; a missing grade is a cell of its own, the lowest."""
    known = ~np.isnan(systems.judge)
    labelled = np.flatnonzero((systems.human >= 0).any(0))
    if systems.is_score:
        inner = np.quantile(systems.judge[known], np.arange(1, MOST_CELLS) / MOST_CELLS, method="higher")
        edges = np.unique(inner)
        codes, number = (
            np.searchsorted(edges, np.where(known, systems.judge, 0.0), side="right") + 1,
            edges.size + 2,
        )
    else:
        grades = grades_of(systems)
        codes, number = np.searchsorted(grades, np.where(known, systems.judge, 0.0)) + 1, grades.size + 1
    cell = np.where(systems.is_present, np.where(known, codes, 0), number)
    return Marks(cell, number, systems.human[:, labelled], systems.values.size, labelled)


def grades_of(systems: Systems) -> Array:
    """Return the different grades of the judge, of all systems."""
    return np.unique(systems.judge[~np.isnan(systems.judge)])


def of_pairs(systems: Systems, pairs: Array) -> Iterator[Marks]:
    """Yield the cells of some pairs at a time, by both grades, with the differences of both labels."""
    labels = systems.human >= 0
    labelled = np.flatnonzero(labels.any(0))
    human = systems.human[:, labelled]
    at_once = max(1, MOST_AT_ONCE // max(1, systems.judge.shape[1]))
    is_yes_no = systems.label is not None
    if is_yes_no and not systems.is_score:
        grade = np.where(np.isnan(systems.judge), UNGRADED, systems.judge).astype(np.int8)
        grade[~systems.is_present] = ABSENT
    values = systems.values.astype(int)
    for begin in range(0, len(pairs), at_once):
        first, second = pairs[begin : begin + at_once].T
        if is_yes_no and not systems.is_score:
            cell, cells = _CELL_OF_PAIR.ravel()[4 * grade[first] + grade[second]], PAIR_CELLS
        else:
            gap = systems.judge[first] - systems.judge[second]
            cell = np.where(np.isnan(gap), 0, 1 + cell_of_difference(gap))
            cells = 1 + MOST_CELLS
            cell[~(systems.is_present[first] & systems.is_present[second])] = cells
        if is_yes_no:
            of_both, grades = values[human[first]] - values[human[second]] + 1, 3
        else:
            of_both, grades = human[first] * systems.values.size + human[second], systems.values.size**2
        known = (human[first] >= 0) & (human[second] >= 0)
        yield Marks(cell, cells, np.where(known, of_both, -1), grades, labelled)


def are_paired(systems: Systems, pairs: Array) -> Array:
    """Return for each pair whether enough cases have a human label for both systems, in each stratum one."""
    labels = systems.human >= 0
    inside = labels.any(0)
    labels, (first, second) = labels[:, inside].astype(float), pairs.T
    both = labels @ labels.T
    fewer = np.minimum(both[first, first], both[second, second])
    results = (both[first, second] >= MIN_LABELS) & (both[first, second] >= HALF * fewer)
    if systems.stratum is not None:
        for stratum in range(systems.strata):
            in_it = systems.stratum == stratum
            of_it, present = labels[:, in_it[inside]], systems.is_present[:, in_it].astype(float)
            is_labelled = ((of_it @ of_it.T) > 0) | ((present @ present.T) == 0)
            results &= is_labelled[first, second]
    return np.asarray(results)


def counted(systems: Systems, marks: Marks) -> Cells:
    """Return the cells of all parts.

    Cells are a stratum and a mark each if every one has 3 labels. In parts where one lacks them, cells are marks, the
    others stay empty, and labels are weighted by one over their chance, or by their strata.
    """
    weight = None
    if systems.weight is not None:
        weight = np.broadcast_to(systems.weight[marks.labelled], marks.human.shape)
    if systems.stratum is None:
        return _counted(systems, marks, weight)
    strata, stratum = systems.strata, systems.stratum
    is_in = marks.cell < marks.cells
    fine = np.where(is_in, stratum * marks.cells + marks.cell, strata * marks.cells)
    by_both = Marks(fine, strata * marks.cells, marks.human, marks.grades, marks.labelled)
    table = _counted(systems, by_both, weight)
    is_fine = ((table.sizes == 0) | (table.labels >= MIN_LABELS)).all(-1)
    if is_fine.all():
        return table
    if weight is None:
        shape = (len(table.sizes), strata, -1)
        sizes, labels = (of.reshape(shape).sum(-1) for of in (table.sizes, table.labels))
        _refuse_strata(systems, (sizes > 0) & (labels == 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = np.where(is_fine[:, None], 1.0, (sizes / labels)[:, stratum[marks.labelled]])
    coarse = np.where(is_in, marks.cell, strata * marks.cells)
    mixed = np.where(is_fine[:, None], fine, coarse)
    return _counted(
        systems, Marks(mixed, strata * marks.cells, marks.human, marks.grades, marks.labelled), weight
    )


def _refuse_strata(systems: Systems, lacking: Array) -> None:
    """Refuse systems without a label in a stratum of their cases."""
    if len(lacking) == len(systems.names) and lacking.any():
        name = systems.names[int(lacking.any(-1).argmax())]
        raise InputError(
            f"{int(lacking.any(0).sum())} of {systems.strata} strata have no human label of the system "
            f"{cut(quote(name), 60)}. Label cases of every stratum, or combine strata."
        )


def _counted(systems: Systems, marks: Marks, weight: Array | None) -> Cells:
    """Return the cells of the marks, with the weights of the labels, `(parts, labelled)`."""
    parts, width = len(marks.cell), marks.cells + 1
    number = np.arange(parts)[:, None]
    sizes = np.bincount((marks.cell + width * number).ravel(), minlength=parts * width)
    part, label = np.nonzero(marks.human >= 0)
    case = marks.labelled[label]
    local = marks.cell[part, case]
    place, shape = marks.human[part, label] + marks.grades * local, (parts, marks.cells, marks.grades)
    flat = place + marks.cells * marks.grades * part
    used = None if weight is None else weight[part, label]
    counts = sums_at(flat, shape, None)
    weights, squares = (
        (counts, counts) if used is None else (sums_at(flat, shape, used), sums_at(flat, shape, used**2))
    )
    heaviest: Array | float = 0.0
    if used is not None:
        heaviest, least = np.zeros(parts), np.full(parts, np.inf)
        np.maximum.at(heaviest, part, used)
        np.minimum.at(least, part, used)
        heaviest = np.where(heaviest > least, heaviest, 0.0)
    units = None
    if systems.cluster is not None:
        clusters = int(systems.cluster.max(initial=-1)) + 1
        unit = (number * clusters + systems.cluster) * width + marks.cell
        of_units = np.bincount(unit.ravel(), minlength=parts * clusters * width).reshape(-1, width)[:, :-1]
        labelled, at = np.unique(part * clusters + systems.cluster[case], return_inverse=True)
        of_labels = sums_at(place + marks.cells * marks.grades * at, (labelled.size, *shape[1:]), used)
        units = Units(np.repeat(np.arange(parts), clusters), of_units.astype(float), labelled, of_labels)
        if (marks.cell == marks.cells).any():
            units = units.filled
    return Cells(sizes.reshape(parts, width)[:, :-1].astype(float), counts, weights, squares, units, heaviest)
