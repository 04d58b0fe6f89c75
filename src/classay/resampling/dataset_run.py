"""All models on one data set, the summary of a measure there, and its values aligned over the folds."""

from __future__ import annotations

from dataclasses import dataclass

from classay.inference.estimate import Estimate
from classay.resampling.data import Cases
from classay.resampling.fold_result import FoldResult
from classay.resampling.leaks.finding import Leak
from classay.resampling.splits import Array, Place


@dataclass(frozen=True)
class Summary:
    """One measure of one model: the estimate, and what it rests on.

    `pooled` is the value of all folds together, `fold_mean` the mean of those where the measure is defined; `used`
    says which of them is the right one for this measure. `training` is the value on the training cases, and
    `optimism` how much better that is than the estimate, in the measure's own units (negative for losses, where
    training shows less). `defined` of `folds` folds have a value; `missing` says why the others have none. `values`
    are those of all folds, NaN where undefined or the fit failed.
    """

    dataset: str
    model: str
    measure: str
    estimate: Estimate
    pooled: float
    fold_mean: float
    used: str
    training: float
    optimism: float
    defined: int
    fitted: int
    folds: int
    missing: tuple[str, ...] = ()
    values: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Resampled:
    """The values of one measure on the same folds for several models, aligned: what a comparison needs.

    `values`, `[model, fold]`, are NaN where a measure is undefined or a fit failed. `contributions`, of the same
    shape, have the estimate as their mean: pseudo-values where counts are pooled (a fold of 0 / 0 still adds its
    counts), centred on the pooled value, else the values. `test_over_train` is for the corrected resampled t.
    """

    dataset: str
    measure: str
    models: tuple[str, ...]
    values: Array
    contributions: Array
    test_over_train: float
    repeat: Array
    fold: Array


@dataclass(frozen=True, eq=False)
class DatasetRun:
    """All models on one data set: the places of the protocol, and the result of each model at each place."""

    cases: Cases
    places: tuple[Place, ...]
    results: dict[str, tuple[FoldResult | None, ...]]
    leaks: tuple[Leak, ...] = ()
