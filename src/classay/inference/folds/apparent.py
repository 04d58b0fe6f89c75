"""Corrections of the apparent performance: what a model shows on the very cases it was fitted to."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from classay.errors import InputError
from classay.tables import ConfusionMatrix, ScoreTable

IN_SAMPLE, OUT_OF_SAMPLE = 0.368, 0.632
"""Efron's constants: 1/e to three digits, and 1 - 1/e, the share of the cases that a bootstrap sample holds."""

T = TypeVar("T", ConfusionMatrix, ScoreTable)


class Plus(NamedTuple):
    """The .632+ estimate, the weight it gave to the error out of sample, and the relative overfitting rate."""

    value: float
    weight: float
    overfitting: float


def without_information(table: T) -> T:
    """The table there would be if predictions and truth were independent, with the same totals of both.

    A measure of it is the value without information: the error rate of a ConfusionMatrix is the rate gamma of
    the .632+ estimate, sum over classes of p_true (1 - p_predicted), the mean error over all n² pairs of a
    prediction and a truth, found from n cases in one pass; the ROC AUC of a ScoreTable is one half.
    Efron & Tibshirani 1997, JASA 92:548.

    >>> from classay.measures import error_rate
    >>> matrix = ConfusionMatrix.from_array([[50, 10], [15, 25]], ["a", "b"], rows="true")
    >>> print(round(error_rate(without_information(matrix)), 12))
    0.47
    """
    if isinstance(table, ConfusionMatrix):
        predicted, true = table.counts.sum(-1), table.counts.sum(-2)
        joint = predicted[..., :, None] * true[..., None, :] / table.total[..., None, None]
        return ConfusionMatrix(joint, table.labels)
    cases = table.positives + table.negatives
    share = table.n_positive / cases.sum()
    return ScoreTable(table.scores, cases * share, cases * (1 - share), table.labels)


def point632(apparent: float, out_of_sample: float) -> float:
    """The .632 estimate, .368 · apparent + .632 · out of sample; of an error or of any other measure.

    `out_of_sample` is the leave-one-out bootstrap. Badly optimistic for a learner that fits its training cases
    perfectly: see `point632plus`. Efron 1983, JASA 78:316.

    >>> round(point632(0.05, 0.20), 4)
    0.1448
    """
    return IN_SAMPLE * apparent + OUT_OF_SAMPLE * out_of_sample


def point632plus(apparent: float, out_of_sample: float, no_information: float) -> Plus:
    """The .632+ estimate of a loss (less is better): (1 - w) · apparent + w · out of sample, w = .632 / (1 - .368 R).

    R = (out - apparent) / (no information - apparent) is the relative overfitting rate, 0 where the learner does not
    overfit or the loss without information is no worse than the apparent one. A loss out of sample above that
    without information is cut to it wherever it enters (the literature and its software disagree there; so cut,
    R is at most 1 and the estimate never passes the loss without information). Infinite where both of these are.
    Efron & Tibshirani 1997, JASA 92:548.

    >>> print(*(round(each, 6) for each in point632plus(0.05, 0.20, 0.45)))
    0.159977 0.733179 0.375
    """
    out = min(out_of_sample, no_information)
    if np.isinf(
        out
    ):  # so is the estimate, by any weight; an infinite loss without information leaves no finite rate
        return Plus(out, OUT_OF_SAMPLE / (1 - IN_SAMPLE), 1.0)
    overfits = out > apparent and no_information > apparent
    rate = (out - apparent) / (no_information - apparent) if overfits else 0.0
    weight = OUT_OF_SAMPLE / (1 - IN_SAMPLE * rate)
    return Plus((1 - weight) * apparent + weight * out, weight, rate)


def optimism(in_sample: ArrayLike, on_all: ArrayLike) -> float:
    """Mean optimism of models fitted to bootstrap samples: value on its own sample less value on the original data.

    Shape `(rounds,)` each; the apparent value less this is the corrected one. Harrell, Lee & Mark 1996, Statistics
    in Medicine 15:361; asked for by TRIPOD. Raises InputError for rounds that are undefined, or none.

    >>> round(optimism([0.9, 0.8], [0.7, 0.75]), 3)
    0.125
    """
    own, whole = np.asarray(in_sample, np.float64), np.asarray(on_all, np.float64)
    if own.shape != whole.shape or not own.size:
        raise InputError(
            f"there are {own.size} values in sample and {whole.size} on all cases: pass one each round."
        )
    gaps = own - whole
    if np.isnan(gaps).any():
        raise InputError(
            f"{int(np.isnan(gaps).sum())} of {gaps.size} rounds are undefined: leave them out first."
        )
    return float(gaps.mean())
