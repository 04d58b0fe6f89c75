"""Confusions: which classes are taken for which others, most often first."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from classay.assessment.assessment import Assessment
from classay.measures.registry import ratio


@dataclass(frozen=True)
class Confusion:
    """Cases (or weight) of a class that are taken for another, and their share of the class."""

    true: Hashable
    predicted: Hashable
    cases: float
    share: float


def top_confusions(a: Assessment, most: int = 5) -> tuple[Confusion, ...]:
    """The confusions of three classes or more with the most cases; of equal ones the first in the order of labels.

    >>> from classay import assess
    >>> (first, *_) = top_confusions(assess(list("aabbbc"), y_pred=list("abbcca")))
    >>> first
    Confusion(true='b', predicted='c', cases=2.0, share=0.6666666666666666)
    """
    if a.confusion_matrix is None or len(a.labels) < 3:
        return ()
    predicted, true, cases = a.confusion_matrix.occupied
    wrong = (predicted != true) & (predicted < len(a.labels))  # a case without an answer is taken for nothing
    predicted, true, cases = predicted[wrong], true[wrong], cases[wrong]
    shares = ratio(cases, a.confusion_matrix.margins.true[true])
    return tuple(
        Confusion(a.labels[true[at]], a.labels[predicted[at]], float(cases[at]), float(shares[at]))
        for at in np.lexsort((predicted, true, -cases))[:most]
    )
