"""How cases with a label were drawn from a pool: the design of `Sampling`, and its refusal elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError
from classay.kinds import is_mapping, shown
from classay.texts import hint
from classay.wings import altered

Array = NDArray[Any]
UNEQUAL = "Its cases were drawn with unequal chances."


class LabelDesign(ABC):
    """Cases of a pool that were drawn from strata for a label. A wing makes designs, and reads them from files."""

    rows: Array
    stratum: Array
    half_width: float | None  # at which labeling may stop

    @property
    @abstractmethod
    def arrays(self) -> tuple[Array, Array, Array]:
        """Cases, drawn cases and predictions of the strata, the last `(strata, models)`."""

    @abstractmethod
    def strata_of(self, scores: Any) -> Array:
        """Return the strata of all cases of the pool. Raises InputError for the scores of another pool."""

    @property
    def n_cases(self) -> int:
        """Cases of the pool."""
        return int(self.arrays[0].sum())

    @property
    def chance(self) -> Array:
        """Chances with which the rows were drawn."""
        sizes, drawn, _ = self.arrays
        return np.asarray((drawn / sizes)[self.stratum])


AnyDesign = LabelDesign | Literal["flagged"] | None
"""A design, "flagged" where others chose the predicted positive cases, or None of cases that were drawn alike."""


def refuse_no_design(design: object) -> None:
    """Raise InputError for anything but what `AnyDesign` is."""
    if not (isinstance(design, LabelDesign | None) or (isinstance(design, str) and design == "flagged")):
        raise InputError(
            f'design is {shown(design)}. Pass a plan of `plan_labels` or `LabelPlan.load`, or "flagged" if only '
            "predicted positive cases have labels."
        )


def refuse_designed(results: Any, verb: str) -> None:
    """Raise InputError where one of several results is of cases that a design drew, which a verb would count alike."""
    for name, one in results.items() if is_mapping(results) else ():
        if getattr(getattr(one, "sampling", None), "design", None) is not None:
            remedy = hint(f"Use `{verb}` with design= and the labels.", f"Use `classay {verb} --design`.")
            raise InputError(f"{name} comes from a labeling plan. {UNEQUAL} {remedy}")


def refuse_list(source: Any, weight: Any, reading: Any = None, remedy: str = "") -> None:
    """Raise InputError where rows, of a frame or a file, are a list of drawn cases, which would be counted alike."""
    drawn = None if weight is not None else altered("read.drawn", None, source, reading)
    if drawn is not None:
        name, use = drawn
        raise InputError(f"{name} is a list of `classay label`. {UNEQUAL} {remedy or use}")
