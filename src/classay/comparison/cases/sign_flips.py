"""Sign flips: how the differences of single cases would fall if it were a toss which model is which."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.compiled import COMPILE_FROM
from classay.inference.bootstrap.kernels import flipped_sums
from classay.inference.draws import stream
from classay.threads import core_count, workers

Array = NDArray[Any]
FLIPS = 9_999
"""Random flips: with the observed one, a p-value in steps of 1/10,000."""
ENUMERATED = 16
"""Differences up to which all 2^n flips are tried: the test is exact."""
NEAR = 1e-12
"""Sums of flips closer than this, relative to the greatest, are ties."""


def tails_of_flips(sums: Array, observed: float, slack: float, added: int = 0) -> tuple[float, float]:
    """One-sided p of a sum among those of flips: more, and less; `added` counts the observed one among drawn flips.

    Each flip counts with its mirror image, so that models that change places change the two.

    >>> tails_of_flips(np.array([-3.0, -1.0, 1.0, 3.0]), 1.0, 1e-12)
    (0.5, 0.75)
    """

    def beyond(least: float) -> float:
        met = ((sums >= least).sum() + (sums <= -least).sum()) / 2
        return float((added + met) / (added + sums.size))

    return beyond(observed - slack), beyond(-observed - slack)


def sign_flip_p(differences: Array, *, flips: int = FLIPS, seed: int = 0) -> float:
    """Two-sided p of sign flips; see `sign_flips`.

    >>> sign_flip_p(np.array([0.02, 0.01, 0.04, 0.02, -0.01, 0.04, 0.03, 0.02, 0.01]))
    0.015625
    """
    return sign_flips(differences, flips=flips, seed=seed)[0]


def sign_flips(differences: Array, *, flips: int = FLIPS, seed: int = 0) -> tuple[float, tuple[float, float]]:
    """Two-sided p and both one-sided ones of the sum of differences when each sign is a toss: a permutation test.

    All 2^n flips up to 16 differences that are not 0; beyond, (1 + flips at least as extreme) / (1 + flips), so
    that it is never 0. Cases that belong together are flipped together: pass the sums over clusters. Pitman 1937,
    Supplement to JRSS 4:119; Ojala & Garriga 2010, JMLR 11:1833.
    """
    given = np.asarray(differences, np.float64)
    # The sizes in their own order: neither the order of the cases nor that of the models changes the flips.
    values = np.sort(np.abs(given[given != 0]))
    total, slack = float(given.sum()), NEAR * float(values.sum())
    observed = abs(total) - slack
    if values.size <= ENUMERATED:
        sums = np.zeros(1)
        for each in values:
            sums = np.concatenate([sums + each, sums - each])
        return float((np.abs(sums) >= observed).mean()), tails_of_flips(sums, total, slack)
    keys = stream(seed, "sign flips").integers(0, 2**64, flips, dtype=np.uint64)
    out = np.empty(flips)
    flip = flipped_sums.compiled if flips * values.size >= COMPILE_FROM else flipped_sums.twin
    threads = core_count() if flips * values.size > 10_000_000 else 1
    parts = np.array_split(np.arange(flips), threads)
    with workers(threads) as each_part:
        each_part(lambda part: flip(keys[part], values, out[part[0] : part[-1] + 1]), parts)
    p = float((1 + (np.abs(out) >= observed).sum()) / (1 + flips))
    return p, tails_of_flips(out, total, slack, 1)
