"""AUCs of pairs of classes: how much each counts in a mean AUC, and what each entry of the scores moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.compiled import Part, kernel
from classay.inference.sampling_units import Array
from classay.measures.registry import ratio


def pair_weights(name: str, totals: Array) -> Array:
    """How much the AUC of each ordered pair of classes counts in a mean AUC, `[own, other]`.

    The AUC of a class against the rest is the mean of those against each other class, by their sizes.
    """
    k = totals.size
    apart = ~np.eye(k, dtype=bool)
    if name == "hand_till_auc":
        return apart / (k * (k - 1))
    if name == "weighted_one_vs_one_roc_auc":
        return np.asarray(np.where(apart, totals[:, None] + totals, 0.0) / (2 * (k - 1) * totals.sum()))
    against_rest = np.where(apart, ratio(totals[None, :], (totals.sum() - totals)[:, None]), 0.0)
    if name == "macro_roc_auc":
        return np.asarray(against_rest / k)
    return np.asarray(against_rest * (totals / totals.sum())[:, None])


def _place_cases(
    scores: Array, true: Array, weight: Array, own: int, share: Array, centre: Array, on_own: Array
) -> Array:
    group = np.cumsum(np.concatenate([[True], scores[1:] != scores[:-1]])[: scores.size]) - 1
    is_own = true == own
    of_own = np.bincount(group, np.where(is_own, weight, 0.0))
    above = ((np.cumsum(of_own) - of_own / 2) / of_own.sum())[group]
    for m, part in enumerate(share.T):
        of_others = np.bincount(group, np.where(is_own, 0.0, weight * part[true]))
        below = of_others.sum() - np.cumsum(of_others) + of_others / 2
        on_own[:, m] = (below[group[is_own]] - centre[m]) / of_own.sum()
    return np.where(is_own, np.cumsum(is_own) - 1.0, above)


@Part
def below_all(true: Array, weight: Array, own: int, share: Array, below: Array) -> Any:
    """Weight of the own cases; what all others count in each mean is written to `below`, `(means,)`."""
    total = 0.0
    below[:] = 0.0
    for i in range(true.shape[0]):
        if true[i] == own:
            total += weight[i]
        else:
            for m in range(share.shape[1]):
                below[m] += weight[i] * share[true[i], m]
    return total


@Part
def place_of(true: Array, own: int, start: int, end: int) -> int:
    """Where the own class stands among some entries, or -1."""
    for i in range(start, end):
        if true[i] == own:
            return i
    return -1


@kernel(
    twin=_place_cases,
    assumes="scores fall; every class is below the rows of share, and occurs once at each score; on_own has a row for "
    "each entry of the own class",
)
def place_cases(
    scores: Array, true: Array, weight: Array, own: int, share: Array, centre: Array, on_own: Array
) -> Array:
    """Where the cases of each entry of a class's scores stand, `(entries,)` (placements, DeLong et al. 1988).

    Of another class's case, the share of the own cases that score higher, equal ones counting half: all that its
    influence on a pair's AUC needs. Of an own case, the row of `on_own` that its influence on each mean is written to,
    `(own entries, means)`: it is placed among the cases of every other class, which count `share`, `(classes, means)`.
    """
    n, means = scores.shape[0], share.shape[1]
    found, below = np.empty(n), np.empty(means)
    total = below_all(true, weight, own, share, below)
    above = 0.0
    row = 0
    start = 0
    while start < n:
        end = start + 1
        while end < n and scores[end] == scores[start]:
            end += 1
        at = place_of(true, own, start, end)
        here = np.float64(weight[at]) if at >= 0 else 0.0
        rate = (above + here / 2) / total
        if at >= 0:
            found[at] = row
            on_own[row] = below
        for i in range(start, end):
            if i != at:
                found[i] = rate
                for m in range(means):
                    below[m] -= weight[i] * share[true[i], m]
        if at >= 0:
            on_own[row] = ((on_own[row] + below) / 2 - centre) / total
            row += 1
        above += here
        start = end
    return found


def _add_influences(
    entry: Array, true: Array, own: int, placed: Array, on_own: Array, share: Array, pairs: Array, sums: Array
) -> None:
    each, is_own = placed[entry], true == own
    found = share[true] * (each - pairs[true])[:, None]
    found[is_own] = on_own[each[is_own].astype(np.intp)]
    sums += found


@kernel(
    twin=_add_influences,
    assumes="every entry is below the length of placed, which has rows of on_own for the own cases; true and sums are "
    "as long as entry",
)
def add_influences(
    entry: Array, true: Array, own: int, placed: Array, on_own: Array, share: Array, pairs: Array, sums: Array
) -> None:
    """Add the influence of each case, through its score of a class, on the means of AUCs, `(cases, means)`.

    `placed` and `on_own` are what `place_cases` found of the entries; `pairs` are the AUCs of the own class against
    each other, `(classes,)`. One number an entry is looked up, in no order, instead of one for each mean.
    """
    for i in range(entry.shape[0]):
        code = true[i]
        at = placed[entry[i]]
        if code == own:
            row = np.int64(at)
            for m in range(sums.shape[1]):
                sums[i, m] += on_own[row, m]
        else:
            moved = at - pairs[code]
            for m in range(sums.shape[1]):
                sums[i, m] += share[code, m] * moved


def _centred_sums(
    starts: Array, rates: Array, below: Array, by_rate: Array, by_below: Array, centre: Array, found: Array
) -> None:
    for code in range(starts.size - 1):
        at = slice(starts[code], starts[code + 1])
        found[at] = by_rate[code] @ rates[:, at] + by_below[code] @ below[:, at] - centre[code]


@kernel(twin=_centred_sums, assumes="starts rise, and end within rates, below and found")
def centred_sums(
    starts: Array, rates: Array, below: Array, by_rate: Array, by_below: Array, centre: Array, found: Array
) -> None:
    """Each case's rates and weights below times what they count in its class, less that class's centre, `(cases,)`."""
    for code in range(starts.shape[0] - 1):
        a, b, c, d = by_rate[code, 0], by_rate[code, 1], by_rate[code, 2], by_rate[code, 3]
        e, f, less = by_below[code, 0], by_below[code, 1], centre[code]
        for i in range(starts[code], starts[code + 1]):
            found[i] = a * rates[0, i] + b * rates[1, i] + c * rates[2, i] + d * rates[3, i]
            found[i] += e * below[0, i] + f * below[1, i] - less


def _sum_powers(starts: Array, influence: Array, squares: Any, fourths: Any) -> Array:
    sums = np.zeros((2, starts.size - 1))
    for code in range(starts.size - 1):
        at = slice(starts[code], starts[code + 1])
        for i, weight in enumerate((squares, fourths)):
            each = 1.0 if weight is None else weight[at]
            sums[i, code] = (each * (influence[at] * influence[at]) ** (i + 1)).sum()
    return sums


@kernel(twin=_sum_powers, assumes="starts rise, and end within influence and the weights")
def sum_powers(starts: Array, influence: Array, squares: Any, fourths: Any) -> Array:
    """For each class the sums of its cases' influences, squared and to the fourth, `(2, classes)`.

    `squares` and `fourths` are what these powers are weighted with, None where each case counts once.
    """
    sums = np.zeros((2, starts.shape[0] - 1))
    for code in range(starts.shape[0] - 1):
        for first in range(
            starts[code], starts[code + 1], 1024
        ):  # short partial sums keep the rounding error small
            second = fourth = 0.0
            for i in range(first, min(first + 1024, starts[code + 1])):
                square = influence[i] * influence[i]
                if squares is None:
                    second += square
                    fourth += square * square
                else:
                    second += squares[i] * square
                    fourth += fourths[i] * (square * square)
            sums[0, code] += second
            sums[1, code] += fourth
    return sums


def by_size(name: str, pairs: Array, totals: Array) -> Array:
    """Derivative of a mean AUC by the weight of each class, the AUCs of the pairs as they are."""
    if name == "hand_till_auc":
        return np.zeros(totals.size)
    total, rest = totals.sum(), totals.sum() - totals
    known = np.nan_to_num(pairs)
    if name == "weighted_one_vs_one_roc_auc":
        apart = known * ~np.eye(totals.size, dtype=bool)
        mean = (pair_weights(name, totals) * apart).sum()
        return np.asarray(((apart.sum(0) + apart.sum(1)) / (2 * (totals.size - 1)) - mean) / total)
    against_rest = ratio(known @ totals, rest)
    moved = np.where(
        np.eye(totals.size, dtype=bool), 0.0, ratio(known - against_rest[:, None], rest[:, None])
    )
    if name == "macro_roc_auc":
        return np.asarray(moved.mean(0))
    share = totals / total
    return np.asarray((against_rest - share @ against_rest) / total + share @ moved)
