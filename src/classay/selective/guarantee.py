"""Guarantee: how many cases a classifier may decide at a limited risk, and from which confidence on."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.columns.doubtful import repeats_said
from classay.curves.curve import Curve, as_given
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.phrasing import percent
from classay.inference.proportions import clopper_pearson
from classay.selective.demand import Demand
from classay.selective.levels import fewest
from classay.selective.ranked import RankedCases
from classay.selective.rules import (
    BETS,
    OF_CLUSTERS,
    fewest_clusters,
    fewest_to_bet_on,
    limit_of_clusters,
    p_of_bets,
    promised,
)
from classay.shown import Reportable
from classay.texts import quote, some
from classay.warned import Warned

Array = NDArray[Any]
Of = Literal["all", "class", "group"]
MOST_TIMES = 1024
"""Samples so many times as large are tried, where no threshold keeps the promise."""
POINTS = 400
"""Points of the picture."""


@dataclass(frozen=True, eq=False)
class Promise:
    """What can be promised of all cases, of a predicted class or of a group.

    Parameters
    ----------
    name : label or None
        Predicted class or group, None for all cases.
    cases : int
        Number of cases.
    decided : int
        Cases of at least the threshold, 0 if nothing can be promised.
    threshold : float
        Lowest confidence of cases to decide, NaN if nothing can be promised.
    risk : Estimate
        Risk of the decided cases with its upper limit.
    coverage_at_value : float
        Greatest share of these cases whose observed risk is within the limit (optimistic).
    rule : str
        Rule that chose the threshold.
    fewest : int
        Fewest cases without an error that could be promised.
    """

    name: Hashable | None
    cases: int
    decided: int
    threshold: float
    risk: Estimate
    coverage_at_value: float
    rule: str
    fewest: int

    def __post_init__(self) -> None:
        if not isinstance(self.risk, Estimate):
            raise InputError(
                "A promise needs a risk that is an Estimate. Use ca.guarantee, which makes promises."
            )

    @property
    def coverage(self) -> float:
        """Share of the cases that are decided under the guarantee."""
        return self.decided / self.cases if self.cases else 0.0


@dataclass(frozen=True, eq=False)
class Guarantee(Reportable):
    """Cases that a classifier may decide at a limited risk.

    `promises` has one entry, or one for every class or group.

    Attributes
    ----------
    demand : Demand
        Risk that is promised.
    level : float
        Probability that all promises hold.
    ranked : tuple of RankedCases
        Cases by confidence, for every entry.
    names : tuple
        Classes or groups, or (None,).
    of : {"all", "class", "group"}
        Whether all cases have one threshold, or every class or group has its own.
    seed : int
        Seed of the random order of bets.
    model : str
        Name of the scores.
    positives : int or None
        Positive cases, if positive predictions are promised.
    repeats : (str, int) or None
        Column of ids that repeats its values, without clusters, and the number of values.
    """

    demand: Demand
    level: float
    ranked: tuple[RankedCases, ...]
    names: tuple[Hashable | None, ...] = (None,)
    of: Of = "all"
    seed: int = 0
    model: str = ""
    positives: int | None = None
    repeats: tuple[str, int] | None = None

    @property
    def delta(self) -> float:
        """Probability of a broken promise, for every class or group."""
        return round((1 - self.level) / len(self.names), 15)

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """What can be promised, for all cases or for every class or group."""
        return tuple(map(self._promise, self.names, self.ranked))

    def _promise(self, name: Hashable | None, ranked: RankedCases) -> Promise:
        risk, delta = self.demand.risk, self.delta
        chosen = promised(ranked, risk, delta, self.seed) if ranked.n else None
        place = None if chosen is None else chosen.place
        meets = np.flatnonzero(ranked.wrong <= risk * ranked.covered)
        at_value = float(ranked.covered[meets[-1]]) / ranked.of if meets.size else 0.0
        limit = Estimate.undefined("no threshold meets the guarantee")
        if chosen is not None and place is not None:
            limit = risk_down_to(ranked, place, chosen.level, self.level, self.seed, delta)
        return Promise(
            name,
            ranked.of,
            0 if place is None else int(ranked.covered[place]),
            float("nan") if place is None else float(ranked.confidence[place]),
            limit,
            at_value,
            "" if chosen is None else chosen.rule,
            fewest(risk, delta) if ranked.losses is None else fewest_to_bet_on(risk, delta),
        )

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return sum(promise.cases for promise in self.promises)

    @property
    def decided(self) -> int:
        """Cases that may be decided."""
        return sum(promise.decided for promise in self.promises)

    @property
    def coverage(self) -> float:
        """Share of the cases that may be decided, the guaranteed coverage."""
        return self.decided / self.n_cases if self.n_cases else 0.0

    @property
    def coverage_at_value(self) -> float:
        """Greatest coverage with an observed risk within the limit (optimistic)."""
        return sum(promise.coverage_at_value * promise.cases for promise in self.promises) / max(
            self.n_cases, 1
        )

    @property
    def threshold(self) -> float:
        """Threshold of all cases, NaN if there is none or if classes have their own."""
        return self.promises[0].threshold if self.of == "all" else float("nan")

    @property
    def risk(self) -> Estimate:
        """Risk of the decided cases, with its upper limit if they have one threshold."""
        if self.of == "all":
            return self.promises[0].risk
        wrong = sum(promise.decided * promise.risk.value for promise in self.promises if promise.decided)
        if not self.decided:
            return Estimate.undefined("no threshold meets the guarantee")
        return Estimate.bare(wrong / self.decided, f"every {self.of} has its own limit")

    @property
    def recall(self) -> float:
        """Share of the positive cases above the threshold, of a promised precision."""
        if not self.positives:
            return float("nan")
        return self.decided * (1 - self.risk.value) / self.positives if self.decided else 0.0

    @property
    def unpromised(self) -> tuple[Hashable, ...]:
        """Classes or groups for which nothing can be promised."""
        return tuple(
            promise.name for promise in self.promises if promise.name is not None and not promise.decided
        )

    @cached_property
    def nearest(self) -> float | None:
        """Least risk that passes, None if a threshold meets the guarantee.

        The risk is chosen from the same data, so it is not guaranteed.
        """
        if self.decided or self.of != "all":
            return None
        (ranked,), low, high = self.ranked, self.demand.risk, 1.0
        for _ in range(20):
            middle = (low + high) / 2
            is_met = promised(ranked, middle, self.delta, self.seed).place is not None if ranked.n else False
            low, high = (low, middle) if is_met else (middle, high)
        return None if high == 1.0 else float(np.ceil(high * 1e4) / 1e4)

    @cached_property
    def needed(self) -> int | None:
        """Cases that would show the promise at the observed risks.

        None if a threshold keeps the promise, if no sample size would, and for clusters and graded losses.
        """
        if self.decided or self.of != "all":
            return None
        (ranked,) = self.ranked
        if ranked.clusters is not None or ranked.losses is not None or not ranked.n:
            return None
        low, high = 1.0, 2.0
        while not self._would_keep(ranked, high):
            low, high = high, 2 * high
            if high > MOST_TIMES:
                return None
        while high / low > 1.01:
            middle = (low * high) ** 0.5
            low, high = (low, middle) if self._would_keep(ranked, middle) else (middle, high)
        return int(np.ceil(ranked.of * high))

    def _would_keep(self, ranked: RankedCases, times: float) -> bool:
        return promised(ranked.times(times), self.demand.risk, self.delta).place is not None

    @property
    def curves(self) -> tuple[Curve, ...]:
        """Risk by coverage with limits, the allowed risk, and the chosen threshold."""
        if self.of != "all" or not self.ranked[0].n:
            return ()
        curve = risk_by_coverage(self.ranked[0], self.level)
        allowed = Curve(
            curve.name, curve.title, np.array([0.0, 1.0]), np.full(2, self.demand.risk), curve.x_title,
            curve.y_title, kind="reference", series="risk allowed",
        )  # fmt: skip
        if not self.decided:
            return curve, allowed
        at = np.array([self.coverage]), np.array([self.risk.value])
        mark = Curve(
            curve.name, curve.title, *at, curve.x_title, curve.y_title, kind="mark", series="guaranteed"
        )
        return curve, allowed, mark

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Facts about the cases and the promise, as names with texts."""
        facts = [("cases", f"{self.n_cases:,}"), ("guarantee", self.demand.text)]
        if self.model:
            facts.append(("scores", self.model))
        clusters = self.ranked[0].clusters
        if clusters is not None and self.of == "all":
            facts.append(("clusters", f"{clusters.number:,}"))
            if clusters.largest:
                facts.append(("largest possible cluster", f"{clusters.largest:,} cases"))
        if self.of != "all":
            facts.append((f"thresholds by {self.of}", f"{len(self.names):,}"))
        return (*facts, ("confidence level", f"{100 * self.level:g}%"))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The guarantee in sentences."""
        return tuple(self._said())

    def _said(self) -> Iterator[str]:
        who, n = self.model or "The classifier", self.n_cases
        at_value = (
            "Without the safety margin for sampling variability, the share "
            f"{'' if self.decided else 'of decided cases '}is {percent(self.coverage_at_value, n)} (optimistic)."
        )
        if not self.decided:
            yield from self._unmet()
            if self.coverage_at_value:
                yield at_value
            return
        does = "may decide" if self.demand.side == "all" else "may predict as positive"
        level = f"{100 * self.level:g}%"
        yield f"{who} {does} {percent(self.coverage, n)} of the cases."
        yield f"{self.demand.phrase} is guaranteed at a confidence level of {level}."
        if self.of == "all":
            value, high = (
                f"{end:.3f}" if self.demand.measure == "mean loss" else percent(end, self.decided)
                for end in (self.risk.value, self.risk.high)
            )
            at = threshold_text(self.ranked[0], self.threshold)
            yield (
                f"The threshold is {at}. The {self.demand.risk_name} of these cases is {value}, and at most {high} "
                f"({level} upper confidence limit)."
            )
        yield at_value
        if self.unpromised:
            names = some([quote(name) for name in self.unpromised])
            yield f"No threshold meets the guarantee for {counted_of(self.of, len(self.unpromised))}: {names}."

    def _unmet(self) -> Iterator[str]:
        least = self.promises[0].fewest
        yield f"No threshold guarantees {self.demand.text} at a confidence level of {100 * self.level:g}%."
        if self.of != "all":
            yield f"A {self.of} needs at least {least:,} cases of high confidence without an error."
            return
        if self.n_cases < least and self.ranked[0].clusters is None:
            yield f"At least {least:,} cases without an error are needed, but there are {self.n_cases:,}."
        clusters = self.ranked[0].clusters
        if self.ranked[0].losses is None:
            least = fewest_clusters(self.demand.risk, self.delta)
        if clusters is not None and clusters.number < least:
            yield f"At least {least:,} clusters without an error are needed, but there are {clusters.number:,}."
        if self.nearest is not None:
            nearest = self.demand.written(self.nearest)
            yield f"The nearest limit that passes is {nearest}."
            yield "This limit is chosen from the same data, so it is not guaranteed."
        if self.needed is not None:
            yield f"If the error rates stay the same, about {self.needed:,} cases are needed for this guarantee."
        elif self.ranked[0].clusters is None and self.ranked[0].losses is None:
            yield "If the error rates stay the same, no number of cases suffices."

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting."""
        notes = (Warned("note", text) for text in self._warned())
        return (*notes, *repeats_said(self.repeats, self.n_cases))

    def _warned(self) -> Iterator[str]:
        if self.unpromised and self.decided:
            few = [
                promise for promise in self.promises if not promise.decided and promise.cases < promise.fewest
            ]
            if few:
                names, least = some([quote(promise.name) for promise in few]), f"{few[0].fewest:,}"
                who = (
                    f"{self.of.capitalize()} {names} has fewer than {least} cases"
                    if len(few) == 1
                    else f"{counted_of(self.of, len(few))} have fewer than {least} cases: {names}"
                )
                yield f"{who}. So few cases allow no guarantee, even if all are correct."

    def __repr__(self) -> str:
        result = f"coverage {self.coverage:.3f}, risk {self.risk!r}" if self.decided else "not met"
        return f"Guarantee({self.demand.text}, {self.n_cases:,} cases: {result})"


def counted_of(of: str, number: int) -> str:
    """Return a number of classes or groups in words.

    >>> counted_of("class", 2), counted_of("group", 1)
    ('2 classes', '1 group')
    """
    return f"{number:,} {of}{'' if number == 1 else 'es' if of == 'class' else 's'}"


def threshold_text(ranked: RankedCases, threshold: float) -> str:
    """Return a threshold with six digits, or with as many more as it takes to decide these cases."""
    narrow = ranked.confidence.astype(np.float32)
    return as_given(narrow if (narrow == ranked.confidence).all() else ranked.confidence, threshold)


def risk_down_to(
    ranked: RankedCases, place: int, delta: float, level: float, seed: int = 0, bets_at: float | None = None
) -> Estimate:
    """Return the risk of the cases down to a place, with its one-sided upper limit at 1 - delta.

    Bets are as large as `bets_at` advises, the level that a rule bets for.
    """
    errors, cases = float(ranked.wrong[place]), float(ranked.covered[place])
    if ranked.losses is not None:
        low, high = errors / cases, 1.0
        for _ in range(30):
            middle = (low + high) / 2
            losses = ranked.losses_to_bet_on(place, middle)
            is_refuted = p_of_bets(losses, middle, bets_at or delta, seed) <= delta
            low, high = (low, middle) if is_refuted else (middle, high)
        return Estimate(errors / cases, 0.0, high, level, BETS)
    if ranked.clusters is not None:
        return Estimate(errors / cases, 0.0, limit_of_clusters(ranked, place, delta), level, OF_CLUSTERS)
    high = float(clopper_pearson(errors, cases, 1 - 2 * delta)[1])
    return Estimate(errors / cases, 0.0, high, level, "Clopper-Pearson, upper limit")


def risk_by_coverage(ranked: RankedCases, level: float) -> Curve:
    """Return the risk of the surest cases by their share, with pointwise limits where cases are alike."""
    step = max(1, ranked.cases.size // POINTS)
    at = np.unique(np.append(np.arange(0, ranked.cases.size, step), ranked.cases.size - 1))
    covered, wrong = ranked.covered[at].astype(np.float64), ranked.wrong[at].astype(np.float64)
    low = high = None
    if ranked.clusters is None and ranked.losses is None:
        low, high = clopper_pearson(wrong, covered, level)
    return Curve(
        "risk_coverage",
        "Risk by coverage",
        covered / ranked.of,
        wrong / covered,
        "coverage: share of cases decided",
        "risk: error rate on them",
        threshold=ranked.confidence[at],
        low=low,
        high=high,
        band="" if low is None else f"Clopper-Pearson, pointwise, {100 * level:g}%",
    )


def at_coverage(ranked: RankedCases, coverage: float) -> int:
    """Return the place of the highest confidence that covers at least a share of the cases."""
    return min(int(np.searchsorted(ranked.covered, coverage * ranked.of - 1e-9)), ranked.cases.size - 1)
