"""Histograms of the scores of each class."""

from bisect import bisect_left, bisect_right
from itertools import pairwise, starmap

import numpy as np

from classay.curves.curve import Curve
from classay.curves.registry import Look, curve
from classay.tables import ScoreTable

BINS = 40


@curve(
    "histogram of the scores",
    name="histogram",
    needs="scores",
    thins=False,
    look=Look(y_from_zero=True),
    no_band="use those of the ROC curve",
)
def score_histograms(table: ScoreTable, bins: int = BINS) -> tuple[Curve, Curve]:
    """The share of the positive and of the negative cases in equal bins of the finite scores, to look at.

    Scores in [0, 1] are binned over [0, 1], others from the least to the greatest finite score.

    >>> table = ScoreTable.from_rows(np.array([0.9, 0.4, 0.1]), np.array([True, True, False]))
    >>> positive, negative = score_histograms(table, bins=2)
    >>> positive.y, negative.y
    (array([0.5, 0.5]), array([1., 0.]))
    """
    ascending = table.scores[::-1]
    first, last = bisect_right(ascending, -np.inf), bisect_left(ascending, np.inf)
    low, high = 0.0, 1.0
    if not table.are_probabilities and first < last:
        low, high = (float(ascending[at]) for at in (first, last - 1))
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = 2 * np.linspace(
        low / 2, high / 2, bins + 1
    )  # the whole reach may be beyond floating-point numbers
    starts = [max(first, bisect_left(ascending, edge)) for edge in edges[:-1]]
    made = []
    for series, weight in ((table.labels[1], table.positives), (table.labels[0], table.negatives)):
        by_score = weight[::-1]
        counts = np.array([by_score[at].sum() for at in starmap(slice, pairwise([*starts, last]))])
        total = float(weight.sum())
        made.append(
            Curve(
                "histogram",
                "Scores by class",
                edges[:-1],
                counts / total if total else counts.astype(float),
                "score",
                "share of the class",
                kind="bars",
                width=float(edges[1] - edges[0]),
                series=str(series),
            )
        )
    return made[0], made[1]
