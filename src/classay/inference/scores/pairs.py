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


def _pair_influences(
    scores: Array, true: Array, weight: Array, own: int, share: Array, centre: Array, pairs: Array
) -> Array:
    group = np.cumsum(np.concatenate([[True], scores[1:] != scores[:-1]])[: scores.size]) - 1
    is_own = true == own
    of_own = np.bincount(group, np.where(is_own, weight, 0.0))
    above = ((np.cumsum(of_own) - of_own / 2) / of_own.sum())[group]
    found = np.empty((scores.size, share.shape[0]))
    for m, part in enumerate(share):
        of_others = np.bincount(group, np.where(is_own, 0.0, weight * part[true]))
        below = of_others.sum() - np.cumsum(of_others) + of_others / 2
        on_own = (below[group] - centre[m]) / of_own.sum()
        found[:, m] = np.where(is_own, on_own, part[true] * (above - pairs[true]))
    return found


@Part
def below_all(true: Array, weight: Array, own: int, share: Array, below: Array) -> Any:
    """Weight of the own cases; what all others count in each mean is written to `below`, `(means,)`."""
    total = 0.0
    below[:] = 0.0
    for i in range(true.shape[0]):
        if true[i] == own:
            total += weight[i]
        else:
            for m in range(share.shape[0]):
                below[m] += weight[i] * share[m, true[i]]
    return total


@Part
def place_of(true: Array, own: int, start: int, end: int) -> int:
    """Where the own class stands among some entries, or -1."""
    for i in range(start, end):
        if true[i] == own:
            return i
    return -1


@kernel(
    twin=_pair_influences,
    assumes="scores fall; every class is below the columns of share, and occurs once at each score",
)
def pair_influences(
    scores: Array, true: Array, weight: Array, own: int, share: Array, centre: Array, pairs: Array
) -> Array:
    """Influence of each entry of a class's scores on means of its pairs' AUCs, `pairs`, `(entries, means)`.

    `share`, `(means, classes)`, is how much a case of each class counts in each mean. The own cases are placed among
    those of each other class, and the others among the own (DeLong et al. 1988).
    """
    n, means = scores.shape[0], share.shape[0]
    found = np.empty((n, means))
    total = below_all(true, weight, own, share, found[0]) if n else 0.0
    below = found[0].copy() if n else np.zeros(means)
    above = 0.0
    start = 0
    while start < n:
        end = start + 1
        while end < n and scores[end] == scores[start]:
            end += 1
        at = place_of(true, own, start, end)
        here = np.float64(weight[at]) if at >= 0 else 0.0
        rate = (above + here / 2) / total
        if at >= 0:
            found[at] = below
        for i in range(start, end):
            if i != at:
                for m in range(means):
                    each = share[m, true[i]]
                    found[i, m] = each * (rate - pairs[true[i]])
                    below[m] -= weight[i] * each
        if at >= 0:
            found[at] = ((found[at] + below) / 2 - centre) / total
        above += here
        start = end
    return found


def _add_entries(entry: Array, found: Array, sums: Array) -> None:
    sums += found[entry]


@kernel(twin=_add_entries, assumes="every entry is below the length of found; sums are as long as entry")
def add_entries(entry: Array, found: Array, sums: Array) -> None:
    """Add what was found of its entry, `(entries, means)`, to the sums of each case, `(cases, means)`."""
    for i in range(entry.shape[0]):
        for m in range(found.shape[1]):
            sums[i, m] += found[entry[i], m]


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
