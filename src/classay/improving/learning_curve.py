"""Learning curves: the loss on new cases and on those of training, at several training sizes."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.curves.curve import Curve
from classay.errors import InputError
from classay.improving.extrapolation import Extrapolation, Points, extrapolate
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate
from classay.inference.folds.resampled import by_repeat, corrected_interval, corrected_mean
from classay.kinds import checked, shown, whole
from classay.measures import Measure, get
from classay.resampling.baseline import BASELINE
from classay.resampling.data import dataset, implied_positive
from classay.resampling.evaluating import evaluate
from classay.resampling.evaluation import Evaluation
from classay.resampling.fit.running import Progress, ResultStore
from classay.resampling.model_folds import ModelFolds
from classay.resampling.protocols.k_folds import StratifiedKFold
from classay.resampling.protocols.registry import protocol_of
from classay.resampling.protocols.sized import SizedKFold
from classay.shown import Shown, plot
from classay.texts import clean

Array = NDArray[Any]
SIZES = 7
"""Training sizes by default, each half of the next but one."""
SMALLEST = 10
"""Cases that the smallest training set has at least, by default."""
NEW, TRAINING, BEYOND = "new cases", "training cases", "extrapolated"


@dataclass(frozen=True)
class Point:
    """A measure at one training size: on new cases, and on the training cases."""

    size: int
    test: Estimate
    training: Estimate


@dataclass(frozen=True, eq=False)
class LearningCurve(Shown):
    """A measure of a learner at several training sizes, each with its interval, and what twice the cases would bring.

    `points` are a `Point` for each size, `c.extrapolation` what a power law says of twice the largest size, checked on
    the larger half of the cases, or a text why there is none. `evaluations` are what it all rests on: of other
    measures too (`c.of("log_loss")`, if the curve was made with it, or it is one of counts).
    """

    learner: str
    measure: str
    sizes: tuple[int, ...]
    evaluations: tuple[Evaluation, ...]

    @property
    def level(self) -> float:
        """The level of all intervals."""
        return self.evaluations[0].level

    @property
    def seed(self) -> int:
        """The seed of all that is random."""
        return self.evaluations[0].seed

    @property
    def random(self) -> str:
        """One sentence that says what is random."""
        return self.evaluations[0].random

    @property
    def failures(self) -> tuple[str, ...]:
        """The fits that failed: at which size, where, and why."""
        sized = zip(self.sizes, self.evaluations, strict=True)
        return tuple(f"{size:,} cases, {each}" for size, e in sized for each in e.failures)

    def of(self, measure: str) -> LearningCurve:
        """The curve of another measure, from the same fits."""
        shown = tuple(e.showing([measure]) for e in self.evaluations)
        return LearningCurve(self.learner, get(measure).name, self.sizes, shown)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The measure at each size, the smallest first."""
        measure = get(self.measure)
        return tuple(
            Point(size, e.summary(self.measure).estimate, _of_training(_folds(e), e, measure))
            for size, e in zip(self.sizes, self.evaluations, strict=True)
        )

    @cached_property
    def extrapolation(self) -> Extrapolation | str:
        """What twice the largest size would bring if a power law holds, or why that cannot be said."""
        measure = get(self.measure)
        if measure.best not in (0, 1):
            return f"{measure.name} has no best value that a law could approach"
        points = self._points(measure)
        if isinstance(points, str):
            return points
        seen = self.points[-1].test
        found = extrapolate(points, _turned(seen, measure), self.level, self.seed)
        return found if isinstance(found, str) else _in_units(found, measure)

    def _points(self, measure: Measure) -> Points | str:
        """The losses and the covariance of their errors: by the corrected t at each, correlated as in the folds."""
        each, means = [], []
        for size, e in zip(self.sizes, self.evaluations, strict=True):
            folds = _folds(e)
            values = folds.contributions(measure) if folds.places else "every fit failed"
            if isinstance(values, str):
                return f"at {size:,} cases: {values}"
            if values.size < len(folds.all_places) or not np.isfinite(values).all():
                return f"at {size:,} cases some folds have no value"
            each.append(values)
            means.append(corrected_mean(_repeated(folds, values), e.protocol.overlap(folds)))
        matrix = np.stack(each, 1)
        if (matrix.std(0) == 0).any():
            return "at some size every fold has the same value, which shows no spread"
        errors = np.array([found.se for found in means])
        losses = np.array([_loss(p.test.value, measure) for p in self.points])
        covariance = np.corrcoef(matrix.T) * errors * errors[:, None]
        return Points(
            np.array(self.sizes, float), losses, covariance, float(min(found.df for found in means))
        )

    def curves(self) -> tuple[Curve, ...]:
        """The data behind the picture: new cases and training cases with their bands, and what is extrapolated."""
        made = [
            self._curve(series, self.sizes, [getattr(p, which) for p in self.points])
            for series, which in ((NEW, "test"), (TRAINING, "training"))
        ]
        beyond = self.extrapolation
        if isinstance(beyond, Extrapolation) and beyond.path:
            x, y, low, high = map(np.array, zip(*beyond.path, strict=True))
            ends = [Estimate(*each, self.level, "") for each in zip(y, low, high, strict=True)]
            made.append(self._curve(BEYOND, x, ends))
        return tuple(made)

    def _curve(self, series: str, sizes: Any, found: Sequence[Estimate]) -> Curve:
        title = get(self.measure).title
        value, low, high = (np.array([getattr(e, name) for e in found]) for name in ("value", "low", "high"))
        is_banded = bool(np.isfinite(low).any())
        return Curve(
            "learning_curve",
            f"Learning curve of {self.learner}",
            np.asarray(sizes, np.float64),
            value,
            "training cases",
            title,
            series=series,
            low=np.where(np.isfinite(low), low, value) if is_banded else None,
            high=np.where(np.isfinite(high), high, value) if is_banded else None,
            band=f"{100 * self.level:g} % interval at each size" if is_banded else "",
        )

    def frame(self) -> Any:
        """A PyArrow table with a row for each size: value, low, high on new cases and on those of training."""
        import pyarrow as pa

        columns: dict[str, Any] = {"size": list(self.sizes)}
        for which in ("test", "training"):
            for name in ("value", "low", "high"):
                columns[f"{which}_{name}"] = [getattr(getattr(p, which), name) for p in self.points]
        return pa.table(columns)

    def plot(self, ax: Any = None) -> Any:
        """Draw with matplotlib (the extra `plot`), on new axes or on those given; returns the axes."""
        return plot(self.curves(), ax)

    def save(self, path: str | Path) -> None:
        """Write the curve with all its predictions to a file, replacing it in one step. Raises FileError."""
        from classay.improving.saved_curves import save_curve

        save_curve(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> LearningCurve:
        """Read what `save` wrote; nothing is executed and fitted. Raises FileError when the file is none."""
        from classay.improving.saved_curves import load_curve

        return load_curve(Path(path), cls)

    def __repr__(self) -> str:
        return clean(
            f"LearningCurve({self.learner}, {self.measure} at {len(self.sizes)} sizes; print it, or see .points)"
        )


@checked
def learning_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    measure: str = "error_rate",
    sizes: Sequence[int] | None = None,
    protocol: Any = "5x5",
    positive: Hashable | None = None,
    cluster: Any = None,
    weight: Any = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    n_jobs: int | None = 1,
    store: str | os.PathLike[str] | ResultStore | None = None,
    keys: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> LearningCurve:
    """How a learner does on new cases and on its own, at several training sizes; and what twice the cases would bring.

    At each of the `sizes` (by default seven, up to all cases outside a fold) the learner is fitted to so many cases and
    tested on the folds of `protocol`, repeated folds such as "5x5"; all sizes have the same folds. Each point has the
    interval of the corrected resampled t. Beyond the largest size a power law a + b n^-c is extrapolated to twice as
    many cases, and named so: with an interval from the errors of the points, and a check, the same extrapolation from
    sizes up to half of the largest, held against what the largest shows. Where it fails, there is none.
    Everything else as in `evaluate`; `positive` need not be named for measures that several classes have too, such as
    the error rate. Raises InputError for sizes that the folds cannot give, and as `evaluate` does.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> c = learning_curve(GaussianNB(), *load_breast_cancer(return_X_y=True), sizes=[50, 400], protocol="5x5")
    >>> [point.size for point in c.points], c.points[1].test.method
    ([50, 400], 'corrected resampled t')
    """
    folds = protocol_of(protocol)
    if not isinstance(folds, StratifiedKFold):
        raise InputError(f"protocol is {folds.name}: a learning curve needs folds, such as 5x5 or 10fold.")
    plain_seed = seed_of(seed)
    positive, remarks = implied_positive(y, positive, [measure])
    data = dataset("", X, y, positive, weight, cluster)
    chosen = _sizes(sizes, min(each.train.size for each in folds.splits(data, plain_seed)))
    shared: dict[str, Any] = {"positive": positive, "cluster": cluster, "weight": weight, "level": level}
    shared |= {
        "remarks": remarks,
        "seed": plain_seed,
        "n_jobs": n_jobs,
        "store": store,
        "keys": keys,
        "progress": progress,
    }
    made = tuple(
        evaluate(
            learner,
            X,
            y,
            measures=[measure],
            protocol=SizedKFold(folds.folds, folds.repeats, size),
            **shared,
        )
        for size in chosen
    )
    learners = [name for name in made[0].models if name != BASELINE]
    if len(learners) > 1:
        raise InputError(f"there are {len(learners)} learners: draw the curve of one at a time.")
    return LearningCurve(learners[0], get(measure).name, chosen, made)


def _sizes(given: Sequence[int] | None, most: int) -> tuple[int, ...]:
    """The training sizes, the smallest first, of up to as many cases as are outside the largest fold."""
    if given is None:
        wanted = {round(most * 2 ** (-k / 2)) for k in range(SIZES)}
        return tuple(sorted(size for size in wanted if size >= SMALLEST)) or (most,)
    advice = f"pass whole numbers of cases from 2 to {most:,}, which are outside a fold."
    if not given:
        raise InputError(f"sizes are empty: {advice}")
    sizes = set()
    for each in given:
        try:
            sizes.add(whole(each))
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"sizes are {shown(each)}: {advice}") from None
    bad = [size for size in sizes if not 2 <= size <= most]
    if bad:
        raise InputError(f"sizes are {min(bad)}: {advice}")
    return tuple(sorted(sizes))


def _folds(e: Evaluation) -> ModelFolds:
    return next(folds for _, model, folds in e.model_folds() if model != BASELINE)


def _repeated(folds: ModelFolds, values: Array) -> Array:
    at = (np.array([getattr(place, name) for place in folds.places]) for name in ("repeat", "fold"))
    return by_repeat(values, *at)


def _of_training(folds: ModelFolds, e: Evaluation, measure: Measure) -> Estimate:
    """The measure on the training cases, with the interval of the corrected resampled t."""
    each = folds.training_values(measure) if folds.places else "every fit failed"
    if isinstance(each, str):
        return Estimate.undefined(each)
    value = folds.training(measure)
    if not np.isfinite(each).all():
        return (
            Estimate.bare(value, "some folds have no value")
            if np.isfinite(value)
            else Estimate.undefined("it is undefined in some folds")
        )
    centred = each - each.mean() + value
    found = corrected_interval(_repeated(folds, centred), e.protocol.overlap(folds), e.level, measure.bounds)
    return (
        Estimate.bare(value, found)
        if isinstance(found, str)
        else Estimate(value, *found[:2], e.level, found[2])
    )


def _loss(value: float, measure: Measure) -> float:
    """How far a value is from the best."""
    return value if measure.best == 0 else 1 - value


def _turned(found: Estimate, measure: Measure) -> Estimate:
    """An estimate as a loss, or back."""
    if measure.best == 0 or found.is_undefined:
        return found
    return Estimate(1 - found.value, 1 - found.high, 1 - found.low, found.level, found.method, found.reason)


def _in_units(found: Extrapolation, measure: Measure) -> Extrapolation:
    """An extrapolation of losses in the units of the measure."""
    if measure.best == 0:
        return found
    turned = {name: _turned(getattr(found, name), measure) for name in ("estimate", "expected", "seen")}
    signs = {name: _negated(getattr(found, name)) for name in ("change", "miss")}
    path = tuple((size, 1 - y, 1 - high, 1 - low) for size, y, low, high in found.path)
    return Extrapolation(found.size, **turned, **signs, path=path)


def _negated(found: Estimate) -> Estimate:
    if found.is_undefined:
        return found
    return Estimate(-found.value, -found.high, -found.low, found.level, found.method, found.reason)
