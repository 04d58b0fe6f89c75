"""Cells of labels: strata with a label, each with those without one that are nearest, and cases others chose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from classay.label.planning import Array, LabelPlan
from classay.label.rows import Matched


@dataclass(frozen=True, eq=False)
class LabeledCells:
    """Cases, labels and positives of cells, which models predict them positive, and the cell of each stratum.

    `calls` is `(cells, models)`. Cells of cases that another process labeled come last, all with a label.
    """

    sizes: Array
    calls: Array
    labels: Array
    positives: Array
    of_stratum: Array

    @property
    def is_called(self) -> Array:
        """Whether the only model predicts the cells positive."""
        return np.asarray(self.calls[:, 0])

    @property
    def is_known(self) -> bool:
        """Whether every cell has a label."""
        return bool((self.labels > 0).all())

    def only(self, cells: Array) -> LabeledCells:
        """Return some of the cells."""
        return LabeledCells(
            self.sizes[cells], self.calls[cells], self.labels[cells], self.positives[cells], self.of_stratum
        )

    @classmethod
    def of(cls, plan: LabelPlan, matched: Matched) -> LabeledCells:
        """Return the cells; a stratum without a label joins the nearest one of the same predictions that has some."""
        sizes, _, calls = plan.arrays
        count = sizes.size
        labels, positives = labels_of(plan, matched)
        sizes = sizes - np.bincount(matched.known_places, minlength=count)
        filled = np.flatnonzero(labels)
        place = np.arange(count)
        for k in np.flatnonzero(labels == 0):
            same = filled[(calls[filled] == calls[k]).all(1)]
            if same.size:
                place[k] = same[np.argmin(np.abs(same - k))]
        kept, target = np.unique(place, return_inverse=True)
        merged = [np.bincount(target, weights=part) for part in (sizes, labels, positives)]
        has_cases = merged[0] > 0
        sizes, labels, positives = (part[has_cases] for part in merged)
        target = (np.cumsum(has_cases) - 1)[target]
        calls = calls[kept][has_cases]
        if matched.known_places.size:
            patterns, which = np.unique(plan.arrays[2][matched.known_places], axis=0, return_inverse=True)
            known = np.bincount(which.ravel()).astype(float)
            sizes, labels = np.append(sizes, known), np.append(labels, known)
            positives = np.append(positives, np.bincount(which.ravel(), matched.known_truths))
            calls = np.vstack([calls, patterns])
        return cls(sizes, calls, labels, positives, target)


def labels_of(plan: LabelPlan, matched: Matched) -> tuple[Array, Array]:
    """Return the labels and the positive ones of each stratum."""
    places, count = plan.stratum[matched.at], len(plan.strata)
    positives = np.bincount(places, weights=matched.truths, minlength=count)
    return np.bincount(places, minlength=count), positives.astype(int)
