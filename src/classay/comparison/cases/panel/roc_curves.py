"""The ROC curves of models that are compared, in one picture, each with its area."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from classay.curves.curve import Curve
from classay.inference.estimate import apart
from classay.shown import plot


@dataclass(frozen=True, eq=False)
class RocCurves:
    """The ROC curves of all models of a comparison, by their names; `areas` are their AUCs, where these were compared.

    >>> import classay as ca
    >>> y = [1, 1, 0, 1, 0, 0, 1, 0]
    >>> found = ca.compare({"a": [9, 8, 7, 6, 4, 3, 2, 1], "b": [9, 3, 7, 4, 8, 6, 2, 1]}, y)
    >>> found.roc
    RocCurves(a, AUC 0.750; b, AUC 0.438)
    """

    curves: Mapping[str, Curve]
    areas: Mapping[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        """What the legend says of each curve: the model, and its AUC."""
        written = dict(zip(self.areas, apart(*self.areas.values()), strict=True))
        return tuple(f"{name}, AUC {written[name]}" if name in written else name for name in self.curves)

    def plot(self, ax: Any = None, *, width: str = "screen") -> Any:
        """Draw all in one picture with matplotlib (the extra `plot`), on new axes or on those given; returns the axes.

        New axes are as wide as a screen likes, or "one column" (89 mm) or "two columns" (183 mm) of a paper.
        """
        named = [curve.of(name) for name, curve in zip(self.names, self.curves.values(), strict=True)]
        return plot(named, ax, width=width)

    def __getitem__(self, model: str) -> Curve:
        return self.curves[model]

    def __repr__(self) -> str:
        return f"RocCurves({'; '.join(self.names)})"
