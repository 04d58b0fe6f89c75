"""The majority baseline, which runs along in every evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np

from classay.resampling.data import Cases
from classay.resampling.fit.fitting import with_training
from classay.resampling.fold_result import FoldResult
from classay.resampling.splits import Split

BASELINE = "baseline"
"""The name of the model that says the class shares of its training, and so the most frequent class."""


def baseline(cases: Cases, split: Split, training: tuple[str, ...]) -> FoldResult:
    """What the class shares of training predict: the most frequent class, with the shares as probabilities.

    The same as scikit-learn's `DummyClassifier(strategy="prior")`.
    """
    shares = np.bincount(cases.truth[split.train], minlength=len(cases.labels)) / split.train.shape[0]
    code = cases.positive_code

    def predict(rows: int) -> tuple[Any, Any]:
        said = np.full(rows, shares.argmax(), cases.truth.dtype)
        return said, np.full(rows, shares[code]) if code is not None else np.tile(shares, (rows, 1))

    predicted, scores = predict(split.place.n_test)
    found = FoldResult(predicted, scores, "probability", fit_seconds=0.0, score_seconds=0.0)
    if not split.shows_training:
        return found
    return with_training(found, cases, split.train, *predict(split.train.shape[0]), training)
