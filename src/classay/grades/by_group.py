"""Mean grades by groups of cases: each with its interval, compared with all other answers, and their own mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from classay.errors import InputError
from classay.grades.estimates import Answers, Array, dependent
from classay.grades.joining import coded
from classay.inference.bounded_means import mean_between
from classay.inference.design import ByTrueClass, Design, VarianceEstimate, satterthwaite
from classay.inference.estimate import Estimate
from classay.inference.significance import adjust
from classay.kinds import TypedFields
from classay.tables.rows import RowClusters
from classay.texts import cut, quote

GroupWeight = Literal["equal", "cases"]
"""How the groups count in their mean: all alike, or by their numbers of cases, as lm-eval does."""
WEIGHT_TEXTS: dict[GroupWeight, str] = {"equal": "equal weights", "cases": "weighted by cases"}
_FEWEST = "fewer than two independent cases"


@dataclass(frozen=True)
class GroupMean(TypedFields):
    """The mean grade of a group of cases.

    Attributes
    ----------
    group : str or None
        The group, None where it is not recorded.
    n_cases, n_answers : int
        Cases and answers of the group.
    mean : Estimate
        The mean with its interval.
    difference : Estimate
        The mean minus that of all other answers.
    p, p_adjusted : float
        P-value of no difference, and the same adjusted for all groups (Holm). NaN without a test.
    """

    group: str | None
    n_cases: int
    n_answers: int
    mean: Estimate
    difference: Estimate
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class GroupMeans(TypedFields):
    """The mean grades of the groups of one column.

    Attributes
    ----------
    by : str
        The column.
    groups : tuple of GroupMean
        The groups by name, cases without a group last.
    weight : {"equal", "cases"}
        How the groups count in their mean.
    overall : Estimate
        The mean of the means of the groups. The groups are held fixed, so its interval covers only the cases in them.
    """

    by: str
    groups: tuple[GroupMean, ...]
    weight: GroupWeight
    overall: Estimate


def group_means(answers: Answers, groups: tuple[str | None, ...], by: str, weight: GroupWeight) -> GroupMeans:
    """Return the mean of each group and their mean."""
    labels, code = coded_groups(groups, by)
    parts = []
    for number, label in enumerate((*labels, None)):
        inside = code == (number if label is not None else -1)
        if not inside.any():
            continue
        part = answers.only(np.flatnonzero(inside))
        difference, p = _from_rest(answers, inside)
        parts.append((label, part, difference, p if label is not None else float("nan")))
    ps = [p for *_, p in parts]
    adjusted = ps if len(parts) == 2 else adjust(ps).tolist()  # of two groups there is one difference
    return GroupMeans(
        by,
        tuple(
            GroupMean(label, part.n_of_case.size, part.values.size, part.mean, difference, p, p_adjusted)
            for (label, part, difference, p), p_adjusted in zip(parts, adjusted, strict=True)
        ),
        weight,
        mean_of_groups(answers, answers.values, code, weight, answers.bounds),
    )


def coded_groups(groups: tuple[str | None, ...], by: str) -> tuple[list[str], Array]:
    """Return the groups by name, and the number of that of each answer, -1 where it has none."""
    labels = sorted({text for text in groups if text is not None})
    if not labels:
        raise InputError(f"No answer has a group in {by!r}. Check the column.")
    numbers: dict[str | None, int] = {label: number for number, label in enumerate(labels)} | {None: -1}
    return labels, np.array([numbers[text] for text in groups])


def _from_rest(answers: Answers, inside: Array) -> tuple[Estimate, float]:
    """Return the mean of some answers minus that of all others by Welch's t over clusters, and its p-value."""
    if inside.all():
        return Estimate.undefined("there is one group"), float("nan")
    values, means, influence = answers.values, [], np.empty(answers.values.size)
    for rows, sign in ((inside, 1), (~inside, -1)):
        means.append(values[rows].mean())
        influence[rows] = sign * (values[rows] - means[-1]) / rows.sum()
        if answers.only(np.flatnonzero(rows)).cluster.max() < 1:
            return Estimate.bare(float(means[0] - values[~inside].mean()), _FEWEST), float("nan")
    value = float(means[0] - means[1])
    spread = _spread(answers, influence, inside.astype(int))
    if spread.is_none():
        return Estimate.bare(value, "the grades do not vary"), float("nan")
    half = spread.half(answers.level)
    method = "Welch's t" if dependent(answers.cluster) is None else "clusters, Welch's t"
    return Estimate(value, value - half, value + half, answers.level, method), spread.p(value / spread.se)


def _spread(answers: Answers, influence: Array, group: Array) -> VarianceEstimate:
    """Return the variance V of a sum over groups, each of which adds its own, V_k of n_k clusters of equal size.

    The degrees of freedom are Welch's, V² / Σ V_k² / (n_k - 1) (1947, Biometrika 34:28).
    """
    design = Design.of_rows(influence.size, cluster=dependent(answers.cluster), true=group)
    rows = RowClusters(answers.cluster)
    pairs = ByTrueClass.of(rows, group, int(group.max()) + 1)
    squares = np.bincount(pairs.own, (pairs.sums(rows, None, influence) * pairs.factor) ** 2)
    parts = squares * pairs.units / (pairs.units - 1)
    degrees = max(1.0, satterthwaite(float(parts.sum()), parts, pairs.alike))
    return design.spread(influence, by_class=True, degrees=degrees)


def mean_of_groups(
    answers: Answers, values: Array, code: Array, weight: GroupWeight, bounds: tuple[float, float] | None
) -> Estimate:
    """Return the weighted mean of the means of groups, whose variance is that within the groups (stratified).

    With equal weights of S groups it is Σ m_s / S, with the variance Σ v_s / S². `values` are those of the answers.
    """
    rows = np.flatnonzero(code >= 0)
    answers, values, code = answers.only(rows), values[rows], code[rows]
    sizes = np.bincount(code).astype(float)
    shares = np.full(sizes.size, 1.0)
    if weight == "cases":
        shares = np.array([np.unique(answers.case[code == group]).size for group in range(sizes.size)], float)
    shares /= shares.sum()
    means = np.bincount(code, values) / sizes
    value = float(shares @ means)
    pairs, pair = np.unique(code * (int(answers.cluster.max()) + 1) + answers.cluster, return_inverse=True)
    group_of_pair = pairs // (int(answers.cluster.max()) + 1)
    if (few := np.bincount(group_of_pair) < 2).any():
        return Estimate.bare(value, f"{int(few.sum()):,} of {few.size:,} groups have {_FEWEST}")
    row_weight = (shares / sizes)[code]
    spread = _spread(answers, row_weight * (values - means[code]), code)
    if bounds is None:
        if spread.is_none(abs(value)):
            return Estimate.bare(value, "the grades do not vary within the groups")
        half = spread.half(answers.level)
        return Estimate(value, value - half, value + half, answers.level, "stratified, t")
    weights = np.bincount(pair, row_weight)
    of_pairs = np.bincount(pair, row_weight * values) / weights
    design = Design.of_rows(weights.size, weight=weights)
    low, high, method = mean_between(of_pairs, bounds, design, spread, answers.level)
    return Estimate(value, low, high, answers.level, f"stratified, {method}")


def clusters_of(
    case: Array, names: tuple[str, ...], columns: tuple[tuple[str | None, ...], ...], cases: tuple[str, ...]
) -> Array:
    """Return the number of the cluster of each answer: the coarsest of nested ones, of which the case is the first.

    Raises InputError where an answer has no cluster, or where one cuts across the other.
    """
    cluster, what = case, "cases"
    for name, texts in zip(names, columns, strict=True):
        if gaps := sum(text is None for text in texts):
            raise InputError(
                f"Cluster {name!r} is missing in {gaps:,} answers. Set the cluster of every answer."
            )
        labels, code = coded([texts])
        pairs = np.unique(cluster * len(labels) + code)
        parts = np.bincount(pairs // len(labels))
        if pairs.size == int(cluster.max()) + 1:
            cluster, what = code, name
        elif pairs.size > len(labels):
            at = int((parts[cluster] > 1).argmax())
            example = quote(cases[int(case[at])])
            raise InputError(
                f"Clusters of {name!r} and {what} overlap: the answers to case {cut(example, 60)} are in "
                f"several clusters of {name!r}, which have other cases too. Use a column with one value for each case."
            )
    return np.unique(cluster, return_inverse=True)[1]
