"""Rows of groups with sampling weights or in clusters, divided into parts of which each is held back in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.comparison.cases.score_measures import compare_losses
from classay.errors import InputError
from classay.groups.assessing_groups import assess_by
from classay.groups.slices import GroupAssessments
from classay.inference.design import Design
from classay.inference.estimate import Estimate
from classay.tables import ScoreTable
from classay.tables.row_hashes import row_hash
from classay.tables.sums import EXACT

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class DividedRows:
    """The rows of all groups: of each its group, the place of its score in the group, its class and its part.

    Places count from the highest score. All are codes, `(rows,)`, in the order of parts and groups; `starts` says where
    each part and group begins, `(parts * groups + 1,)`. `cluster` is None for cases that are drawn independently, and
    `weight` is None if all count alike; `is_frequency` says that the weight is a number of cases. A cluster lies in one
    part with all its rows, in whichever groups these are.
    """

    group: Array
    place: Array
    truth: Array
    part: Array
    starts: Array
    weight: Array | None = None
    cluster: Array | None = None
    is_frequency: bool = False

    @classmethod
    def of(
        cls, groups: GroupAssessments, scores: Sequence[Array], parts: int, rng: np.random.Generator
    ) -> DividedRows:
        """Divide the rows at random; `scores` are those of each group, falling. Raises InputError of few clusters."""
        assessments = [*groups.groups.values()]
        if groups.overall.coded is None:
            columns = [_cases_of(part.scores) for part in assessments]
        else:
            columns = [_rows_of(part, values) for part, values in zip(assessments, scores, strict=True)]
        group = np.repeat(np.arange(len(columns)), [rows[0].size for rows in columns])
        place, truth = (np.concatenate([rows[k] for rows in columns]) for k in (0, 1))
        known = [rows[2] for rows in columns if rows[2] is not None]
        weight = np.concatenate(known) if known else None
        cluster = None
        if groups.overall.coded is not None:
            named = np.concatenate([_clusters_of(part, groups.overall) for part in assessments])
            cluster = _by_contents(np.unique(named, return_inverse=True)[1], group, place, truth, weight)
        part = _dealt(group, truth, cluster, parts, rng)
        is_frequency = weight is not None and groups.overall.kind_of_weight != "sampling"
        of = part * len(columns) + group
        order = np.argsort(of, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=parts * len(columns)))])
        weight, cluster = (None if column is None else column[order] for column in (weight, cluster))
        group, place, truth, part = (column[order] for column in (group, place, truth, part))
        return cls(group, place, truth, part, starts, weight, cluster, is_frequency)

    def counts(self, block: int, size: int) -> tuple[Array, Array]:
        """Positives and negatives at each of the scores of a group, of the rows of a part: part * groups + group."""
        rows = slice(self.starts[block], self.starts[block + 1])
        weight = None if self.weight is None else self.weight[rows]
        at = 2 * self.place[rows] + self.truth[rows]
        both = np.bincount(at, weight, 2 * size).reshape(size, 2)
        return both[:, 1], both[:, 0]

    def called(self, calls: Sequence[Sequence[Array]]) -> Array:
        """Check whether each row is called positive, from the calls of the scores of each part and group."""
        judged = (at for of_groups in calls for at in of_groups)
        blocks = zip(self.starts[:-1], self.starts[1:], judged, strict=True)
        return np.concatenate([at[self.place[start:stop]] for start, stop, at in blocks]).astype(np.int64)

    def assessed(
        self, calls: Sequence[Sequence[Array]], labels: Array, overall: Assessment
    ) -> GroupAssessments:
        """Return the groups, numbered, as the calls judge them."""
        columns: dict[str, Any] = {} if self.cluster is None else {"cluster": self.cluster}
        if self.weight is not None:
            columns["frequency" if self.is_frequency else "weight"] = (
                self.weight.astype(int) if self.is_frequency else self.weight
            )
        slices: GroupAssessments = assess_by(
            labels[self.truth],
            y_pred=labels[self.called(calls)],
            by=self.group,
            positive=overall.positive,
            level=overall.level,
            seed=overall.seed,
            **columns,
        )
        return slices

    def difference(self, costs: Array, ours: Any, theirs: Any, level: float) -> Estimate:
        """Return what a case costs more under our calls than under theirs; `costs` are `[truth, call]`."""
        mine, others = (costs[self.truth, self.called(calls)] for calls in (ours, theirs))
        frequency, weight = (self.weight, None) if self.is_frequency else (None, self.weight)
        design = Design.of_rows(self.truth.size, frequency=frequency, weight=weight, cluster=self.cluster)
        comparison = compare_losses(mine, others, design=design, level=level)
        return comparison.effect or Estimate.undefined(comparison.reason or "the costs do not differ")


Columns = tuple[Array, Array, Array | None]


def _cases_of(table: Any) -> Columns:
    """Places, classes and weights of the cases of a table with sampling weights, from the highest score on.

    Cases of one class and score count as (Σ w)² / Σ w² cases of equal weight, which carry as much information.
    """
    assert isinstance(table, ScoreTable)
    assert table.positive_squares is not None
    assert table.negative_squares is not None
    order = np.argsort(-table.scores, kind="stable")
    places, truths, weights = [], [], []
    for truth, sums, squares in (
        (1, table.positives, table.positive_squares),
        (0, table.negatives, table.negative_squares),
    ):
        is_occupied = sums[order] > 0
        total = sums[order][is_occupied]
        # halves are rounded up, those too that miss it by the rounding of a sum
        cases = np.maximum(1, np.floor(total**2 / squares[order][is_occupied] + 0.5 + EXACT)).astype(np.int64)
        places.append(np.repeat(np.flatnonzero(is_occupied), cases))
        truths.append(np.full(int(cases.sum()), truth))
        weights.append(np.repeat(total / cases, cases))
    return np.concatenate(places), np.concatenate(truths), np.concatenate(weights)


def _rows_of(part: Assessment, scores: Array) -> Columns:
    """Return the same of the rows of clusters."""
    rows = part.coded
    assert rows is not None
    assert rows.score is not None
    place = np.searchsorted(-scores, -rows.score)
    return place, (rows.true == rows.labels.index(part.positive)).astype(np.int64), rows.weight


def _clusters_of(part: Assessment, overall: Assessment) -> Array:
    """Return the cluster of each row, by its place among all clusters."""
    assert part.coded is not None
    assert overall.clusters is not None
    known = {label: code for code, label in enumerate(overall.clusters)}
    return np.array([known[label] for label in part.coded.clusters], np.int64)[part.coded.cluster]


def _by_contents(cluster: Array, group: Array, place: Array, truth: Array, weight: Array | None) -> Array:
    """Codes of clusters in an order of what their rows are, so that other names change no part."""
    share = np.ones(cluster.size) if weight is None else (weight / weight.max()).astype(np.float32)
    rows = row_hash(np.stack([group, place, truth, share], 1).astype(np.float64), 3)
    hashes = np.zeros(int(cluster.max()) + 1, np.uint64)
    np.add.at(hashes, cluster, rows)
    numbers = np.empty(hashes.size, np.int64)
    numbers[np.argsort(hashes, kind="stable")] = np.arange(hashes.size)
    return numbers[cluster]


def _dealt(group: Array, truth: Array, cluster: Array | None, parts: int, rng: np.random.Generator) -> Array:
    """The part of each row: clusters are dealt out whole, and cases of each class of each group alike to all parts."""
    if cluster is not None:
        number = int(cluster.max()) + 1
        if number < parts:
            raise InputError(
                f"Thresholds by group are evaluated on {parts} parts of the clusters, but there are only "
                f"{number} clusters."
            )
        of_cluster = np.empty(number, np.int64)
        of_cluster[rng.permutation(number)] = np.arange(number) % parts
        return of_cluster[cluster]
    part_of = np.empty(group.size, np.int64)
    kind = 2 * group + truth
    order = np.argsort(kind, kind="stable")
    for stratum in np.split(order, np.flatnonzero(np.diff(kind[order])) + 1):
        rows = rng.permutation(stratum)
        part_of[rows] = (int(rng.integers(parts)) + np.arange(rows.size)) % parts
    return part_of
