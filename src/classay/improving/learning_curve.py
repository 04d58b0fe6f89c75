"""Learning curves, and decompositions over one parameter or over the size of the training sets; both saved."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import BASELINE
from classay.curves.curve import Curve
from classay.curves.display import axis_of
from classay.errors import FileError, InputError, in_our_words, nearest
from classay.files.archives import Archive, Fields, distinct, label_in, label_out, require_file, saved, sealed
from classay.files.archives import shown as as_found
from classay.files.writing import saved_path, write_bytes
from classay.improving import decomposition as decompositions
from classay.improving.decomposing import DecomposeArguments, decompose, learner_of
from classay.improving.decomposition import Decomposition
from classay.improving.loss_parts import LOSS_TITLES
from classay.improving.training_sets import Extrapolation, Points, extrapolate
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate
from classay.inference.proportions import scale_of
from classay.kinds import checked, shown, whole
from classay.measures import Measure, get
from classay.resampling import saved_evaluations as evaluations
from classay.resampling.bootstraps import protocol_of
from classay.resampling.data import dataset, implied_positive
from classay.resampling.evaluating import evaluate
from classay.resampling.evaluation import Evaluation
from classay.resampling.fitting import Progress, ResultStore
from classay.resampling.folds import by_repeat, corrected_interval, corrected_mean
from classay.resampling.model_folds import ModelFolds
from classay.resampling.partitions import SizedKFold, StratifiedKFold
from classay.shown import Reportable, frame_of, plot
from classay.tables.sums import is_rounding
from classay.texts import clean
from classay.warned import Warned, first_ones

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
class LearningCurve(Reportable):
    """Measure of a learner at several training sizes, with an extrapolation.

    Attributes
    ----------
    learner : str
        Name of the learner.
    measure : str
        Name of the measure.
    sizes : tuple of int
        Training sizes.
    evaluations : tuple of Evaluation
        Evaluation at each size. `c.of("log_loss")` is the curve of another measure, if the curve was made
        with it, or it is a threshold measure.
    """

    learner: str
    measure: str
    sizes: tuple[int, ...]
    evaluations: tuple[Evaluation, ...]

    @property
    def level(self) -> float:
        """Level of all intervals."""
        return self.evaluations[0].level

    @property
    def seed(self) -> int:
        """Start of all random numbers."""
        return self.evaluations[0].seed

    @property
    def random(self) -> str:
        """What the intervals cover, in one sentence."""
        return self.evaluations[0].random

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting.

        They concern fits that failed, leaks, and notes.
        """
        last = self.evaluations[-1]
        return (
            *first_ones("failure", self.failures, "a fit failed: "),
            *(Warned(leak.code, f"leak check: {leak.text}") for leak in last.runs[0].leaks),
            *first_ones("note", last.notes),
        )

    @property
    def failures(self) -> tuple[str, ...]:
        """Fits that failed, with their size, place and reason."""
        sized = zip(self.sizes, self.evaluations, strict=True)
        return tuple(f"{size:,} cases, {failure}" for size, e in sized for failure in e.failures)

    def of(self, measure: str) -> LearningCurve:
        """Return the curve of another measure, from the same fits."""
        shown = tuple(e.showing([measure]) for e in self.evaluations)
        return LearningCurve(self.learner, get(measure).name, self.sizes, shown)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Measure at each size, the smallest first."""
        measure = get(self.measure)
        return tuple(
            Point(size, e.summary(self.measure).estimate, _of_training(_folds(e), e, measure))
            for size, e in zip(self.sizes, self.evaluations, strict=True)
        )

    @cached_property
    def extrapolation(self) -> Extrapolation | str:
        """Expected value at twice the largest size by a power law.

        It is checked on the larger half of the cases. If there is none, it is a text with the reason.
        """
        measure = get(self.measure)
        if measure.best not in (0, 1):
            return f"{measure.name} has no best value for a power law to approach"
        points = self._points(measure)
        if isinstance(points, str):
            return points
        seen = self.points[-1].test
        law = extrapolate(points, _turned(seen, measure), self.level, self.seed)
        return law if isinstance(law, str) else _in_units(law, measure)

    def _points(self, measure: Measure) -> Points | str:
        """The losses and the covariance of their errors: by the corrected t at each, correlated as in the folds."""
        contributions, means = [], []
        for size, e in zip(self.sizes, self.evaluations, strict=True):
            folds = _folds(e)
            values = folds.contributions(measure) if folds.places else "every fit failed"
            values = folds.why_unbounded(measure) or values
            if isinstance(values, str):
                return f"at {size:,} cases: {values}"
            if values.size < len(folds.all_places) or not np.isfinite(values).all():
                return f"at {size:,} cases some folds have no value"
            contributions.append(values)
            hidden = folds.hidden(measure)
            means.append(corrected_mean(_repeated(folds, values), e.protocol.overlap(folds), hidden))
        matrix = np.stack(contributions, 1)
        if is_rounding(np.ptp(matrix, 0), np.abs(matrix).max(0)).any():
            return "at some size all folds have the same value, which shows no variation"
        errors = np.array([mean.se for mean in means])
        losses = np.array([_loss(p.test.value, measure) for p in self.points])
        covariance = np.corrcoef(matrix.T) * errors * errors[:, None]
        return Points(np.array(self.sizes, float), losses, covariance, float(min(mean.df for mean in means)))

    def curves(self) -> tuple[Curve, ...]:
        """Return the curves of the picture.

        They are those of new and of training cases with bands, and the extrapolation.
        """
        curves = [
            self._curve(series, self.sizes, [getattr(p, which) for p in self.points])
            for series, which in ((NEW, "test"), (TRAINING, "training"))
        ]
        beyond = self.extrapolation
        if isinstance(beyond, Extrapolation) and beyond.path:
            x, y, low, high = map(np.array, zip(*beyond.path, strict=True))
            ends = [Estimate(*point, self.level, "") for point in zip(y, low, high, strict=True)]
            curves.append(self._curve(BEYOND, x, ends))
        return tuple(curves)

    def _curve(self, series: str, sizes: Any, estimates: Sequence[Estimate]) -> Curve:
        title = get(self.measure).title
        value, low, high = (
            np.array([getattr(e, name) for e in estimates]) for name in ("value", "low", "high")
        )
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
            band=f"{100 * self.level:g}% CI at each size" if is_banded else "",
        )

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each size.

        It has value, low and high on new cases and on training cases.
        """
        import pyarrow as pa

        columns: dict[str, Any] = {"size": list(self.sizes)}
        for which in ("test", "training"):
            for name in ("value", "low", "high"):
                columns[f"{which}_{name}"] = [getattr(getattr(p, which), name) for p in self.points]
        return pa.table(columns)

    def plot(self, ax: Any = None) -> Any:
        """Draw the learning curve.

        The picture needs matplotlib (the extra `plot`).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.

        Returns
        -------
        matplotlib axes
            The axes with the picture.
        """
        return plot(self.curves(), ax)

    def save(self, path: str | Path) -> None:
        """Write the curve with all predictions to a file, in one step.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        save_curve(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> LearningCurve:
        """Load what `save` wrote, without executing or fitting anything.

        Raises
        ------
        FileError
            If the file holds no learning curve.
        """
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
    """Estimate a measure of a learner at several training sizes.

    The learner is fitted to as many cases as each size says, and tested on new and on its training cases.
    The result extrapolates to twice the cases.

    Parameters
    ----------
    learner : estimator or str
        A classifier of scikit-learn's kind, which is cloned, or a name that `evaluate` knows.
    X : array or frame
        Features of the cases.
    y : array-like, optional
        True labels of the cases.
    measure : str, default "error_rate"
        Name of the measure.
    sizes : sequence of int, optional
        Training sizes. The default is seven, up to all cases outside a fold.
    protocol : str or protocol, default "5x5"
        Repeated folds, which all sizes share.
    positive : label, optional
        The positive class. Measures that several classes have too, such as the error rate, do not need it.
    cluster : array-like or str, optional
        Cluster of each row, or the name of its column. Rows of one cluster are never on both sides of a
        split.
    weight : array-like or str, optional
        Sampling weight of each row, or the name of its column. Weights count in the assessment and are not
        passed to `fit`.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    n_jobs : int, default 1
        Number of parallel jobs of joblib, with the backend that joblib is set to.
    store : path or ResultStore, optional
        A file that keeps every finished fit. A second run with the same arguments continues from it.
    keys : mapping, optional
        Names of estimators that the store cannot distinguish.
    progress : Progress, optional
        A function that is called after every fit with a `Step`.

    Returns
    -------
    LearningCurve
        The measure at each size, and the extrapolation.

    Raises
    ------
    InputError
        If the folds cannot give a size.
        If `evaluate` raises it.

    Notes
    -----
    Each point has the interval of the corrected resampled t. A power law a + b n^-c is extrapolated from
    the largest size to twice the cases, with an interval from the errors of the points. The same
    extrapolation from sizes up to half of the largest is checked against the largest sizes. If it fails,
    there is no extrapolation.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> c = learning_curve(GaussianNB(), *load_breast_cancer(return_X_y=True), sizes=[50, 400], protocol="5x5")
    >>> [point.size for point in c.points], c.points[1].test.method
    ([50, 400], 'corrected resampled t (Nadeau–Bengio), logit')
    """
    folds = protocol_of(protocol)
    if not isinstance(folds, StratifiedKFold):
        raise InputError(
            f"A learning curve needs folds, but protocol is {folds.name}. Use a protocol such as 5x5 or "
            "10fold."
        )
    learner_of(learner, X, "draw one learning curve")  # before anything is fitted
    plain_seed = seed_of(seed)
    positive, remarks = implied_positive(y, positive, [measure])
    data = dataset("", X, y, positive, weight, cluster)
    chosen = _sizes(sizes, min(split.train.size for split in folds.splits(data, plain_seed)))
    shared: dict[str, Any] = {"positive": positive, "cluster": cluster, "weight": weight, "level": level}
    shared |= {
        "remarks": remarks,
        "seed": plain_seed,
        "n_jobs": n_jobs,
        "store": store,
        "keys": keys,
        "progress": progress,
    }
    by_size = tuple(
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
    name = next(name for name in by_size[0].models if name != BASELINE)
    return LearningCurve(name, get(measure).name, chosen, by_size)


def _sizes(requested: Sequence[int] | None, most: int) -> tuple[int, ...]:
    """Return the training sizes, the smallest first, of up to as many cases as are outside the largest fold."""
    if requested is None:
        wanted = {round(most * 2 ** (-k / 2)) for k in range(SIZES)}
        return tuple(sorted(size for size in wanted if size >= SMALLEST)) or (most,)
    advice = f"Pass whole numbers of cases from 2 to {most:,}, the number of cases outside a fold."
    if not requested:
        raise InputError(f"sizes is empty. {advice}")
    sizes = set()
    for size in requested:
        try:
            sizes.add(whole(size))
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"sizes contains {shown(size)}. {advice}") from None
    bad = [size for size in sizes if not 2 <= size <= most]
    if bad:
        raise InputError(f"sizes contains {min(bad)}. {advice}")
    return tuple(sorted(sizes))


def _folds(e: Evaluation) -> ModelFolds:
    return next(folds for _, model, folds in e.model_folds() if model != BASELINE)


def _repeated(folds: ModelFolds, values: Array) -> Array:
    at = (np.array([getattr(place, name) for place in folds.places]) for name in ("repeat", "fold"))
    return by_repeat(values, *at)


def _of_training(folds: ModelFolds, e: Evaluation, measure: Measure) -> Estimate:
    """Return the measure on the training cases, with the interval of the corrected resampled t."""
    rates = folds.training_values(measure) if folds.places else "every fit failed"
    if isinstance(rates, str):
        return Estimate.undefined(rates)
    value = folds.training(measure)
    if not np.isfinite(rates).all():
        return (
            Estimate.bare(value, "some folds have no value")
            if np.isfinite(value)
            else Estimate.undefined("the value is undefined in some folds")
        )
    if unbounded := folds.why_unbounded(measure):
        return Estimate.bare(value, f"on the test cases {unbounded}")
    centred = rates - rates.mean() + value
    hidden, overlap = folds.classes.hidden(folds.training_slopes(measure)), e.protocol.overlap(folds)
    scale = scale_of(measure.bounds)
    interval = corrected_interval(_repeated(folds, centred), overlap, e.level, measure.bounds, hidden, scale)
    return (
        Estimate.bare(value, interval)
        if isinstance(interval, str)
        else Estimate(value, *interval[:2], e.level, interval[2])
    )


def _loss(value: float, measure: Measure) -> float:
    """Return how far a value is from the best."""
    return value if measure.best == 0 else 1 - value


def _turned(estimate: Estimate, measure: Measure) -> Estimate:
    """Return an estimate as a loss, or back."""
    if measure.best == 0 or estimate.is_undefined:
        return estimate
    return Estimate(
        1 - estimate.value,
        1 - estimate.high,
        1 - estimate.low,
        estimate.level,
        estimate.method,
        estimate.reason,
    )


def _in_units(law: Extrapolation, measure: Measure) -> Extrapolation:
    """Return an extrapolation of losses in the units of the measure."""
    if measure.best == 0:
        return law
    turned = {name: _turned(getattr(law, name), measure) for name in ("estimate", "expected", "seen")}
    signs = {name: _negated(getattr(law, name)) for name in ("change", "miss")}
    path = tuple((size, 1 - y, 1 - high, 1 - low) for size, y, low, high in law.path)
    return Extrapolation(law.size, **turned, **signs, path=path)


def _negated(estimate: Estimate) -> Estimate:
    if estimate.is_undefined:
        return estimate
    return Estimate(
        -estimate.value, -estimate.high, -estimate.low, estimate.level, estimate.method, estimate.reason
    )


SIZE = "size"
"""The parameter that is one of `decompose`: the rows of a training set."""


@dataclass(frozen=True, eq=False)
class DecompositionPath(Reportable):
    """Decompositions of a loss at each value of one parameter.

    All values share training sets and test rows. `p[3]` is the `Decomposition` at a value.

    Attributes
    ----------
    parameter : str
        Name of the parameter.
    values : tuple
        Values of the parameter.
    decompositions : tuple of Decomposition
        One for each value.
    """

    parameter: str
    values: tuple[Any, ...]
    decompositions: tuple[Decomposition, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.values or len(self.values) != len(self.decompositions):
            raise InputError(
                f"There are {len(self.values)} values but {len(self.decompositions)} decompositions. Use "
                "decompose_over to make the path."
            )

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting.

        They are those of the first decomposition, because all share one design.
        """
        return self.decompositions[0].warnings

    def __getitem__(self, value: Any) -> Decomposition:
        """The decomposition at a value of the parameter. Raises InputError for another."""
        if value not in self.values:
            shown = ", ".join(map(repr, self.values))
            raise InputError(f"{self.parameter} was not set to {value!r} but to {shown}.")
        return self.decompositions[self.values.index(value)]

    def of(self, loss: str) -> DecompositionPath:
        """Return the path of another loss, from the same fits."""
        of_loss = tuple(decomposition.of(loss) for decomposition in self.decompositions)
        return DecompositionPath(self.parameter, self.values, of_loss)

    @property
    def shown_terms(self) -> dict[str, str]:
        """Terms of the picture with their titles, by name.

        They are the loss, bias, and what variance adds.
        """
        scheme = self.decompositions[0].schemes[0]
        known = self.decompositions[0].noise_known
        noise = "net_noise" if "net_noise" in scheme.adds_up else "noise"
        names = ("loss", *((noise,) if known else ()), scheme.bias, scheme.variance)
        return {name: scheme.part(name).title for name in names}

    def curves(self) -> tuple[Curve, ...]:
        """Return the curves of the picture, one with its band for each shown term."""
        x, x_title = axis_of(self.parameter, self.values)
        return tuple(self._curve(name, title, x, x_title) for name, title in self.shown_terms.items())

    def _curve(self, name: str, title: str, x: Any, x_title: str) -> Curve:
        estimates = [decomposition[name] for decomposition in self.decompositions]
        value, low, high = (
            np.array([getattr(e, side) for e in estimates]) for side in ("value", "low", "high")
        )
        is_banded = bool(np.isfinite(low).any())
        first = self.decompositions[0]
        return Curve(
            "decomposition_path",
            f"Bias and variance of {first.learner}",
            x,
            value,
            x_title,
            LOSS_TITLES[first.loss],
            series=title,
            low=np.where(np.isfinite(low), low, value) if is_banded else None,
            high=np.where(np.isfinite(high), high, value) if is_banded else None,
            band=f"{100 * first.level:g}% CI at each value" if is_banded else "",
        )

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each value and term.

        Columns: the parameter as text, term, value, low, high.
        """
        rows = [
            {self.parameter: str(value), "term": name}
            | {side: getattr(estimate, side) for side in ("value", "low", "high")}
            for value, decomposition in zip(self.values, self.decompositions, strict=True)
            for name, estimate in decomposition.terms.items()
        ]
        return frame_of(rows, kinds={self.parameter: "text"})

    def plot(self, ax: Any = None) -> Any:
        """Draw the curves.

        The picture needs matplotlib (the extra `plot`).

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on. The default is new axes.

        Returns
        -------
        matplotlib axes
            The axes with the picture.
        """
        return plot(self.curves(), ax)

    def save(self, path: str | Path) -> None:
        """Write the path with all tables to a file, in one step.

        Raises
        ------
        FileError
            If the file cannot be written.
            If a value is neither a number nor text, such as a model.
        """
        save_path(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> DecompositionPath:
        """Load what `save` wrote, without executing or fitting anything.

        Raises
        ------
        FileError
            If the file holds no path.
        """
        return load_path(Path(path), cls)

    def __repr__(self) -> str:
        return clean(
            f"DecompositionPath({self.decompositions[0].learner} over {self.parameter}, {len(self.values)} values)"
        )


@checked
def decompose_over(
    learner: Any,
    X: Any = None,
    y: Any = None,
    *,
    parameter: str,
    values: Sequence[Any],
    **how: Unpack[DecomposeArguments],
) -> DecompositionPath:
    """Split the loss of a learner at each value of one parameter.

    Training sets, test rows and seeds are the same at all values, so that only the parameter causes
    differences.

    Parameters
    ----------
    learner : estimator or str
        A classifier of scikit-learn's kind, which is cloned, or a name that `evaluate` knows.
    X : array or frame, optional
        Features of the cases. Leave it out for a `Population`.
    y : array-like, optional
        True labels of the cases. Leave them out for a `Population`.
    parameter : str
        "size" of the training sets, or a parameter that `set_params` of the learner takes ("max_depth",
        "n_neighbors", "C", "n_estimators", "step__C" of a pipeline, or "C" if only one step has it).
    values : sequence
        Values of the parameter, all different.
    **how
        Further arguments of `decompose`.

    Returns
    -------
    DecompositionPath
        The decomposition at each value.

    Raises
    ------
    InputError
        If the learner lacks the parameter.
        If there are no values, or equal ones.
        If `decompose` raises it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = decompose_over(DecisionTreeClassifier(), X, y, parameter="max_depth", values=[1, 6], rounds=20)
    >>> path[1]["bias"].value > path[6]["bias"].value
    True
    """
    chosen = tuple(values)
    if not chosen or any(value in chosen[:k] for k, value in enumerate(chosen)):
        raise InputError(
            f"values of {parameter} must be one or more different values, but are {list(chosen)!r}."
        )
    how["seed"] = seed_of(how.get("seed", 0))  # a Generator is drawn from once
    keys = how.get("keys") or {}
    by_value = []
    for value in chosen:
        model = learner
        if parameter == SIZE:
            how["size"] = value
        else:  # a key stands for the learner as it came, which is another one at each value
            model = _with(learner, X, parameter, value)
            how["keys"] = {name: f"{keys[name]}, {parameter}={value!r}" for name in model if name in keys}
        by_value.append(decompose(model, X, y, **how))
    return DecompositionPath(parameter, tuple(map(_plain, chosen)), tuple(by_value))


def _plain(value: Any) -> Any:
    """Return a number of NumPy's as Python's own, which shows and saves itself as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _with(learner: Any, X: Any, parameter: str, value: Any) -> dict[str, Any]:
    """Return a copy of the learner with a parameter set, under its name."""
    from sklearn.base import clone

    chosen = learner_of(learner, X)
    with in_our_words(
        f"{parameter} of the learner cannot be set", "Use a parameter that get_params of the learner returns."
    ):
        copied = clone(chosen.estimator)
        name = _full_name(parameter, copied.get_params(deep=True))
        return {chosen.name: copied.set_params(**{name: value})}


def _full_name(parameter: str, known: Collection[str]) -> str:
    """Return the parameter as the learner knows it: that of its one part that has it, where it has none itself."""
    if parameter in known:
        return parameter
    inside = sorted(name for name in known if name.endswith(f"__{parameter}"))
    if len(inside) == 1:
        return inside[0]
    if inside:
        raise InputError(f"Several parts have a parameter {parameter!r}. Use one of {', '.join(inside)}.")
    near = nearest(parameter, {name.rpartition("__")[2] for name in known}) or "."
    raise InputError(
        f"The learner has no parameter {parameter!r}. Parameters: {', '.join(sorted(known))}, and "
        f"'size' for the training-set size{near}"
    )


FORMAT = 2
"""The first format of both; as in all saved files, format 1 would be one without checksums."""
_CURVE, _PATH = "learning_curve.json", "decomposition_path.json"


def save_curve(c: LearningCurve, path: Path) -> None:
    """Write a learning curve with all its predictions, replacing the file in one step. Raises FileError."""
    about, members = parts_of_curve(c)
    head: dict[str, Any] = {"format": FORMAT, "what": "learning curve", "learner": c.learner}
    write_bytes(path, sealed(_CURVE, head | about, members))


def load_curve(path: Path, kind: type[LearningCurve]) -> LearningCurve:
    """Read what `save_curve` wrote, as an object of its class. Raises FileError when the file is none of these."""
    with saved(path, "learning curve", FORMAT) as (about, archive):
        curve = curve_of(about.text("learner"), about, archive, path, kind)
        about.done()
        archive.done()
        return curve


def save_path(p: DecompositionPath, path: Path) -> None:
    """Write a path with the tables of all its decompositions. Raises FileError, as for values of no plain form."""
    about: dict[str, Any] = {"format": FORMAT, "what": "decomposition path", "parameter": p.parameter}
    try:
        about["values"] = [label_out(value) for value in p.values]
    except FileError as error:
        raise FileError(
            f"The values of {p.parameter} cannot be saved because they have no plain form. Pass numbers or "
            "text as values, or save each of `.decompositions`."
        ) from error
    members = {f"{k}.classay": decompositions.to_bytes(d) for k, d in enumerate(p.decompositions)}
    write_bytes(path, sealed(_PATH, about, members))


def load_path(path: Path, kind: type[DecompositionPath]) -> DecompositionPath:
    """Read what `save_path` wrote, as an object of its class. Raises FileError when the file is none of these."""
    with saved(path, "decomposition path", FORMAT) as (about, archive):
        parameter, values = about.text("parameter"), about.list("values", label_in)
        require_file(values, "it has no values")
        distinct(values, "its values")
        members = tuple(
            decompositions.load(archive.bytes(f"{k}.classay"), Decomposition, path)
            for k in range(len(values))
        )
        require_file(
            len({(d.loss, d.labels, d.rows.tobytes()) for d in members}) == 1,
            "its decompositions are of other losses or rows",
        )
        about.done()
        archive.done()
        return kind(parameter, values, members)


def parts_of_curve(c: LearningCurve) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return what a saved file says of a learning curve, and the evaluations that it consists of."""
    members = {_member(k): evaluations.to_bytes(evaluation) for k, evaluation in enumerate(c.evaluations)}
    return {"measure": c.measure, "sizes": c.sizes}, members


def curve_of(
    learner: str, about: Fields, archive: Archive, path: Path, kind: type[LearningCurve]
) -> LearningCurve:
    """Return the learning curve of a learner from what `parts_of_curve` gave. Raises Damaged."""
    measure, sizes = about.text("measure"), about.list("sizes", _size)
    require_file(sizes, "its learning curve has no sizes")
    require_file(list(sizes) == sorted({*sizes}), "the sizes of its learning curve are not in their order")
    require_file(get(measure).name == measure, f"measure is {as_found(measure)}")
    loaded = tuple(evaluation_of(archive, _member(k), path) for k in range(len(sizes)))
    require_file(
        all(learner in evaluation.models for evaluation in loaded), "its learning curve is of another learner"
    )
    return kind(learner, measure, sizes, loaded)


def evaluation_of(archive: Archive, name: str, path: Path) -> Evaluation:
    """Return an evaluation of one data set that is a member of an archive."""
    evaluation = evaluations.from_bytes(archive.bytes(name), str(path), Evaluation)
    require_file(len(evaluation.runs) == 1, "it is of several data sets")
    return evaluation


def _member(k: int) -> str:
    return f"curve/{k}.classay"


def _size(plain: Any) -> int:
    require_file(type(plain) is int and plain >= 2, f"{as_found(plain)} is no training size")
    size: int = plain
    return size
