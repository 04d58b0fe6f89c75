"""EnsembleAssessment: what can be told of an ensemble from the votes of its members."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.ensembles.diversity import Diversity
from classay.ensembles.growth import CURVE, DRAWN, Growth, shown_sizes
from classay.inference.estimate import Estimate
from classay.shown import Shown
from classay.texts import clean

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class EnsembleAssessment(Shown):
    """The error of an ensemble as members are added, its margins, and how its members differ; `assess` makes it.

    `training`, `out_of_bag` (out of fold, of stacking) and `test` are the errors at each number of members, None where
    there are none; `margins` holds those of each case by the kind of its cases; `diversity` is of the new cases;
    `bound` the bound of the training error at each size, where one is known.
    """

    name: str
    member: str
    members: int
    classes: tuple[Hashable, ...]
    rule: str
    no_out_of_bag: str
    level: float
    training: Growth | None = None
    out_of_bag: Growth | None = None
    test: Growth | None = None
    margins: Mapping[str, Array] = field(default_factory=dict)
    diversity: Diversity | None = None
    bound: Array | None = None

    @property
    def growths(self) -> dict[str, Growth]:
        """Those that there are, by the kind of their cases."""
        found = (self.training, self.out_of_bag, self.test)
        return {each.cases: each for each in found if each is not None}

    @property
    def best(self) -> Growth | None:
        """The growth that tells most of new cases: of the test, or else out of bag with an interval."""
        if self.test is not None:
            return self.test
        unseen = self.out_of_bag
        return None if unseen is None or unseen.no_interval else unseen

    @property
    def random(self) -> str:
        """What the intervals let vary."""
        return (
            "The cases are random, the members are not: an interval is for the error of these very members on new "
            "cases of the same kind. Errors at different sizes are of the same cases, so their "
            "intervals tell no difference."
        )

    def curves(self) -> tuple[tuple[Curve, ...], ...]:
        """The pictures: error against the number of members, margins, kappa and error of pairs."""
        grown = [each.curve(self.level) for each in self.growths.values()]
        if self.bound is not None:
            grown.append(_bound_curve(self.bound))
        pictures = [tuple(grown), tuple(_margin_curve(name, each) for name, each in self.margins.items())]
        if self.diversity is not None and self.diversity.members > 1:
            pictures.append((self.diversity.curve(),))
        return tuple(each for each in pictures if each)

    def error(self) -> Estimate:
        """The error on new cases: of the test where there is one, or else out of bag."""
        best = self.best
        return (
            Estimate.undefined("there are no new cases") if best is None else best.estimate(level=self.level)
        )

    def __repr__(self) -> str:
        return clean(f"EnsembleAssessment({self.name} of {self.members} members, {', '.join(self.growths)})")


def _bound_curve(bound: Array) -> Curve:
    sizes = shown_sizes(bound.shape[0], DRAWN)
    return Curve(
        CURVE,
        "Bound of the training error",
        sizes.astype(float),
        bound[sizes - 1],
        "members",
        "error",
        kind="reference",
        series="bound of the training error",
    )


def _margin_curve(name: str, margins: Array) -> Curve:
    """Share of the cases with a margin of at most each value."""
    known = np.sort(margins[~np.isnan(margins)])
    x, counts = np.unique(known, return_counts=True)
    y = np.cumsum(counts) / max(known.size, 1)
    return Curve(
        "ensemble_margins",
        "Margins",
        np.concatenate([[-1.0], x, [1.0]]),
        np.concatenate([[0.0], y, [1.0]]),
        "margin",
        "share of the cases",
        kind="steps",
        series=name,
    )
