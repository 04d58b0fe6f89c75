"""The top of the list: what the highest scores hold, by share of the cases, as credit and fraud teams print it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.curves import acting
from classay.curves.curve import written
from classay.decision.cuts import Groups, Sums, resamples
from classay.errors import InputError
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.estimate import Estimate
from classay.inference.proportions import normal_quantile, scale_of
from classay.inference.readings import design_of, tops_of_list
from classay.shown import frame_of
from classay.tables import ScoreTable

Array = NDArray[Any]
Unit = Literal["cases", "weight"]
READINGS = acting.precision_at_k, acting.recall_at_k, acting.lift_at_k
RARE = 0.1
"""Share of positives below which tenths of the cases say little: the first holds nearly all that can be found."""
ROUNDED = 1 - 1e-9
LEAST, MOST = 0.4, 100
"""The smallest and the largest part of a list of rare positives, over their share."""


@dataclass(frozen=True)
class TopPart:
    """The cases down to one row of a gain table: the k highest scores, and what they hold of the positives.

    `in_part` is the share of positives in this part alone, expected over the order of ties; `captured` is the share of
    the positives' amount that the k highest scores hold, None without an amount. `text` is the threshold, with as many
    digits as call the same cases positive, and `name` what the row is, beside a share of the cases.
    """

    k: float
    share: float
    threshold: float
    in_part: float
    precision: Estimate
    recall: Estimate
    lift: Estimate
    captured: Estimate | None = None
    text: str = ""
    name: str = ""


@dataclass(frozen=True)
class GainTable:
    """The parts of a list in the order of their scores; each row holds all parts above it too.

    >>> import classay as ca
    >>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> [round(each.recall.value, 2) for each in a.gain_table(4).parts]
    [0.5, 0.75, 0.75, 1.0]
    """

    parts: tuple[TopPart, ...]
    amount: str | None = None

    def frame(self) -> Any:
        """The table as a PyArrow table, a row for each part, values with their intervals beside them."""
        names = ("precision", "recall", "lift", "captured")
        rows = []
        for each in self.parts:
            row: dict[str, Any] = {
                name: getattr(each, name) for name in ("k", "share", "threshold", "in_part")
            }
            for name in names:
                found = getattr(each, name)
                if found is not None:
                    row |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
            rows.append(row)
        return frame_of(rows)


def gain_table(
    cases: ScoredCases, parts: int = 10, amount: str | None = None, amounts: Array | None = None
) -> GainTable:
    """The gain table of a number of parts of equal size; `amounts` are those of the rows of clusters.

    Ties at an edge are in any order: values are expected over it. Raises InputError where a part would hold less than
    one case, or the rows do not carry the amount.
    """
    n = number_of(cases)
    if not 1 <= parts <= n:
        raise InputError(f"{parts} parts of {n:,.6g} cases would hold less than one: ask for fewer parts.")
    return gain_at(cases, np.arange(1, parts + 1) / parts, amount, amounts)


def number_of(cases: ScoredCases) -> float:
    """How many cases there are."""
    return float(cases.table.n_positive + cases.table.n_negative) / cases.weight_per_case


def gain_at(
    cases: ScoredCases,
    shares: Array,
    amount: str | None = None,
    amounts: Array | None = None,
    names: Mapping[float, str] = MappingProxyType({}),
) -> GainTable:
    """The same at rising shares of the cases, whatever they are; `names` say what some of them are."""
    table = cases.table
    weight = float(table.n_positive + table.n_negative)
    captured = [None] * len(shares) if amount is None else captured_at(cases, shares, amount, amounts)
    found: list[TopPart] = []
    units, before, above = design_of(cases), 0.0, 0.0
    for share, value in zip(shares.tolist(), captured, strict=True):
        k = share * number_of(cases)
        precision, recall, lift = tops_of_list(cases, k, READINGS, units)
        hits = recall.value * float(table.n_positive)
        threshold = threshold_at(table, share * weight)
        in_part = (hits - before) / (weight * (share - above))
        text = written(table.thresholds, threshold)
        found.append(
            TopPart(k, share, threshold, in_part, precision, recall, lift, value, text, names.get(share, ""))
        )
        before, above = hits, share
    return GainTable(tuple(found), amount)


def telling_shares(cases: ScoredCases, top: float | None = None) -> tuple[Array, dict[float, str]]:
    """Shares of the cases that tell most, and the names of some: tenths; of rare positives 1, 2, 5, 10, … of them.

    The first part then holds about as many cases as there are positives. A capacity has a row of its own.
    """
    table, n = cases.table, number_of(cases)
    rate = float(table.n_positive) / float(table.n_positive + table.n_negative)
    parts = min(10, int(n))
    shares = (np.arange(1, parts + 1) / parts).tolist()
    if 0 < rate < RARE:
        steps = [float(f"{digit}e{power}") for power in range(-12, 0) for digit in (1, 2, 5)]
        shares = [
            each for each in steps if ROUNDED * LEAST * rate <= each <= MOST * rate and each * n >= 1
        ] + [1.0]
    if top is None or not 1 <= top < n:
        return np.array(shares), {}
    own = top / n
    others = [each for each in shares if abs(each - own) > 1e-9 * own]
    return np.array(sorted([*others, own])), {own: "capacity"}


def threshold_at(table: ScoreTable, k: float) -> float:
    """The score of the k-th case."""
    called = np.cumsum(table.positives + table.negatives)
    at = min(int(np.searchsorted(called, k * (1 - 1e-12))), table.scores.size - 1)
    return float(table.thresholds[at])


def captured_at(
    cases: ScoredCases, shares: Array, amount: str, amounts: Array | None = None
) -> list[Estimate]:
    """The share of the positives' amount that the highest scores hold, at shares of the cases.

    Normal on the logit scale with the standard deviation of resamples of cases, or clusters, each ranked again.

    >>> table = ScoreTable.from_rows(
    ...     np.array([0.9, 0.4]), np.array([True, True]), amounts=np.array([[3.0], [1.0]]), names=("amount",)
    ... )
    >>> captured_at(ScoredCases(table), np.array([0.5]), "amount")[0].value
    0.75
    """
    names = () if cases.table.amounts is None else cases.table.amounts.names
    if amount not in names:
        raise InputError(
            f"rows carry {', '.join(names) or 'no amounts'}, not {amount!r}: pass amounts= when assessing."
        )
    place = 1 + names.index(amount)
    values = _captured(Sums.of(cases.table), shares, place)
    groups = Groups.of(cases.table, 0)
    drawn = np.concatenate(
        [_captured(inside, shares, place) for inside, _ in resamples(cases, groups, amounts)]
    )
    found = []
    scale, z = scale_of((0, 1)), normal_quantile(cases.level)
    for value, each in zip(values.tolist(), drawn.T, strict=True):
        inside = each[(each > 0) & (each < 1)]
        if np.isnan(value):
            found.append(Estimate.undefined(f"no positive case has an {amount}"))
        elif not 0 < value < 1:
            found.append(Estimate.bare(value, "nothing, or all, is captured in every resample"))
        elif inside.size < 0.9 * each.size or why_not(cases):
            found.append(Estimate.bare(value, why_not(cases) or "many resamples capture nothing, or all"))
        else:
            sd = float(np.std(scale.to(inside)))
            low, high = (float(scale.back(scale.to(value) + side * z * sd)) for side in (-1, 1))
            found.append(Estimate(value, low, high, cases.level, "logit, resampled cases"))
    return found


def why_not(cases: ScoredCases) -> str:
    """Why resamples say too little, or nothing."""
    return cases.why_not_resampled or ""


def _captured(sums: Sums, shares: Array, place: int) -> Array:
    """Captured shares, `[..., shares]`; ties at the edge are taken in proportion."""
    counts = sums.positive[..., 0, :] + sums.negative[..., 0, :]
    called = np.concatenate([np.zeros((*counts.shape[:-1], 1)), np.cumsum(counts, -1)], -1)
    of = sums.positive[..., place, :]
    held = np.concatenate([np.zeros((*of.shape[:-1], 1)), np.cumsum(of, -1)], -1)
    flat_called, flat_held = called.reshape(-1, called.shape[-1]), held.reshape(-1, held.shape[-1])
    found = np.stack(
        [
            np.interp(shares * every[-1], every, own) / own[-1] if own[-1] else np.full(shares.size, np.nan)
            for every, own in zip(flat_called, flat_held, strict=True)
        ]
    )
    return np.asarray(found.reshape(*counts.shape[:-1], shares.size))
