"""Intervals of mean AUCs of several classes from bins, which do not keep which scores are of one case."""

from __future__ import annotations

import numpy as np

from classay.inference.bounds import OF_RESTS
from classay.inference.estimate import Found
from classay.inference.registry import BINNED_CLASS_SCORES, interval
from classay.inference.sample_size import placement_variances
from classay.inference.sampling_units import Spread, Units, satterthwaite
from classay.inference.scales import scale_of
from classay.inference.scores.influence import roc_auc as auc_influence
from classay.inference.scores.linearised import AT_END
from classay.inference.scores.mean_aucs import MODERATED, OF_MEANS, moderated
from classay.measures import Measure, roc_auc
from classay.measures.registry import ratio
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.binned.table import BinnedScoreTable
from classay.tables.rows import CodedRows
from classay.tables.running import equal_cases


@interval(
    "influence",
    of=OF_RESTS,
    tables=BINNED_CLASS_SCORES,
    drawn=("alike", "weighted"),
    references=OF_MEANS,
)
def mean_auc_of_bins(
    measure: Measure, table: BinnedClassScoreTable, value: float, rows: CodedRows | None, level: float
) -> Found:
    """On the logit scale; the influences of a case through the scores of other classes than its own are bounded.

    The own cases of different classes are different cases, whose variances add up. What a case adds as one of the
    others of every class may go together: of these parts the standard errors are added up, weighted, and then that of
    the own cases. Degrees of freedom by the sizes of the classes, so that a rare one has few.
    """
    if value in measure.bounds:
        return AT_END
    totals, squares = (np.array(each) for each in zip(*map(_sizes, table.tables), strict=True))
    cases, total = ratio(totals**2, squares), totals.sum()
    if (cases[totals > 0] < 2).any():
        return "a class of one case shows no spread"
    is_weighted = measure.name == "weighted_roc_auc"
    share = totals / total if is_weighted else np.full(totals.size, 1 / totals.size)
    own, others = np.zeros(totals.size), np.zeros(totals.size)
    sizes = np.ones(totals.size)
    for i in np.flatnonzero(totals):
        each = table.tables[i]
        auc = float(roc_auc(each))
        found = [
            (square * influence**2).sum()
            for square, influence in zip(Units(each).squares, auc_influence(each, auc), strict=True)
        ]
        model = placement_variances(auc)[0] / cases[i]
        own[i], sizes[i] = moderated(found[0] * cases[i] / (cases[i] - 1), model, cases[i])
        own[i] *= share[i] ** 2
        own[i] += squares[i] * ((auc - value) / total) ** 2 if is_weighted else 0.0
        others[i] = share[i] * np.sqrt(found[1])
    units = equal_cases(total, squares.sum())
    variance = (np.sqrt(own.sum()) + others.sum()) ** 2 * units / (units - 1)
    degrees = satterthwaite(own.sum(), own[totals > 0], sizes[totals > 0])
    scale = scale_of(measure.bounds)
    used = MODERATED[table.bins[0].squares is not None]
    spread = Spread(float(variance), max(1.0, min(degrees, units - 1)))
    return *scale.interval(value, spread.half(level), 1.0), f"{used}, bounded over classes, {scale.name}"


def _sizes(table: BinnedScoreTable) -> tuple[float, float]:
    """The weight of a class, and the sum of its squared weights."""
    return float(table.n_positive), float(Units(table).squares[0].sum())
