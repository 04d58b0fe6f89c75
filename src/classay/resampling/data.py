"""What a learner is evaluated on: data, checked and coded once; splits of its rows; the result of one fold.

Its features are also read column by column, as hashes by which equal rows are found.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import groupby
from math import prod
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessing import of_predictions
from classay.assessment.assessment import Assessment
from classay.assessment.task import Classes, task_of
from classay.columns import code_labels
from classay.columns.kernels import mixed
from classay.columns.labels import OfClasses, zero_one
from classay.columns.numbers import counted
from classay.columns.scales import outside
from classay.columns.values import listing
from classay.errors import FileError, InputError, UnknownMeasureError
from classay.files.archives import Archive, Damaged, Fields, array_bytes, array_of, require_file
from classay.files.archives import checked as within
from classay.inference.draws import stream
from classay.measures import Measure, get
from classay.predictions import InputRows, Predictions, check
from classay.sources.inputs import as_frame
from classay.tables import ConfusionMatrix
from classay.texts import amount, an, quote

Balance = Literal["upsample", "downsample", "smote", "weights"]
DONE: dict[str, str] = {
    "upsample": "cases of the smaller classes are resampled until all classes have equal size",
    "downsample": "each class is reduced to the size of the smallest class",
    "smote": "cases are interpolated between neighbors of the smaller classes until all classes have equal "
    "size (Chawla et al. 2002)",
    "weights": "all classes have the same total weight",
}
"""What each method does to the training cases of a fold."""


Array = NDArray[Any]
Kind = Literal["test", "apparent", "pair"]
"""What a split is for: testing on other cases; on the training cases; or inside nested cross-validation."""


@dataclass(frozen=True)
class Place:
    """Where a split stands in its protocol, and which rows it tests on. `n_train` counts distinct rows."""

    number: int
    kind: Kind
    repeat: int
    fold: int
    test: Array
    n_train: int

    @property
    def n_test(self) -> int:
        """Number of rows tested on."""
        return int(self.test.shape[0])

    def __str__(self) -> str:
        if self.kind == "apparent":
            return "all cases"
        return f"repeat {self.repeat + 1}, fold {self.fold + 1}"


@dataclass(frozen=True)
class Split:
    """The rows to fit on, `train`, perhaps repeated, and the place of the test. `shows_training`: test on train too."""

    train: Array
    place: Place
    shows_training: bool = True


def split(
    number: int,
    train: Array,
    test: Array,
    *,
    kind: Kind = "test",
    repeat: int = 0,
    fold: int = 0,
    distinct: int | None = None,
) -> Split:
    """Return a split of its rows; only tests on other cases show the training beside it."""
    n_train = train.shape[0] if distinct is None else distinct
    return Split(train, Place(number, kind, repeat, fold, test, int(n_train)), kind == "test")


def apparent(number: int, rows: int) -> Split:
    """Fitting and testing on all rows."""
    every = np.arange(rows)
    return split(number, every, every, kind="apparent")


def seed_for(seed: int, purpose: str) -> int:
    """Return a seed as scikit-learn takes them, of its own stream."""
    return int(stream(seed, purpose).integers(2**32, dtype=np.uint32))


def printed(value: Any) -> str:
    """Return how a value prints, without its place in memory, which is another one in each process.

    >>> printed(object())
    '<object object>'
    """
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", str(value))


@dataclass(frozen=True, eq=False)
class Cases(OfClasses):
    """What is known of the cases beside their features.

    `truth`, `(rows,)`, are codes into `labels`; `positive` is None for more than two classes; `weight` are sampling
    weights; `cluster` codes into `clusters`.
    """

    name: str
    truth: Array
    labels: tuple[Hashable, ...]
    positive: Hashable | None
    weight: Array | None = None
    cluster: Array | None = None
    clusters: tuple[Hashable, ...] | None = None

    @property
    def rows(self) -> int:
        """Number of cases."""
        return int(self.truth.shape[0])

    @property
    def totals(self) -> Array:
        """Cases of each class, in the order of `labels`."""
        return np.bincount(self.truth, minlength=len(self.labels))

    @property
    def shares(self) -> Array:
        """Share of each class, by weight where there are weights, in the order of `labels`."""
        return np.bincount(self.truth, self.weight, len(self.labels)) / self.size

    @property
    def size(self) -> float:
        """Number of cases, or the sum of their weights."""
        return float(self.rows if self.weight is None else self.weight.sum())

    @property
    def about_weights(self) -> str:
        """What the weights do, as a fact; nothing where there are none."""
        if self.weight is None:
            return ""
        return (
            f"sampling weights with a sum of {amount(self.size)} are used by all measures but not by the fits"
        )

    @property
    def positive_code(self) -> int | None:
        """The code of the positive class."""
        return None if not self.is_binary else self.labels.index(self.positive)

    def at(self, rows: Array) -> dict[str, Any]:
        """Return the truth and what belongs to it, of these rows, as `Predictions` takes them."""
        columns: dict[str, Any] = {
            "labels": self.labels,
            "positive": self.positive,
            "truth": self.truth[rows],
        }
        columns["weight"] = None if self.weight is None else self.weight[rows]
        if self.cluster is not None and self.clusters is not None:
            columns["cluster"] = self.cluster[rows]
            columns["clusters"] = tuple(self.clusters[i] for i in np.unique(columns["cluster"]))
        return columns

    def assess(
        self, rows: Array, predicted: Array, scores: Array | None, level: float = 0.95, seed: int = 0
    ) -> Assessment:
        """Return the assessment of predictions for these rows, which were checked with the cases."""
        is_binary = self.is_binary
        is_raw = not is_binary and scores is not None and outside(scores) == "by more"
        return of_predictions(
            Predictions(
                predicted=predicted,
                raw_scores=is_raw,
                score=scores if is_binary else None,
                class_scores=None if is_binary else scores,
                **self.at(rows),
            ),
            level=level,
            seed=seed,
        )


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features as they were given, the labels as estimators get them, and the cases."""

    X: Any
    y: Array
    cases: Cases

    @property
    def cells(self) -> int:
        """Rows times columns, of one column where they are not known."""
        return prod(getattr(self.X, "shape", (self.cases.rows,)))

    def take(self, rows: Array) -> Any:
        """Return a copy of the features of these rows, of the kind they came in."""
        if isinstance(self.X, np.ndarray):
            return self.X[rows]
        if isinstance(self.X, list):  # a learner may write into a row of a list
            return [copy(self.X[row]) for row in rows.tolist()]
        from sklearn.utils import _safe_indexing

        return _safe_indexing(self.X, rows)


def datasets(X: Any, y: Any, positive: Hashable | None, weight: Any, cluster: Any) -> dict[str, Dataset]:
    """The data sets by name: one, or those of a mapping {name: (X, y)}, where weight and cluster are mappings too."""
    if not (isinstance(X, Mapping) and y is None):
        return {"": dataset("", X, y, positive, weight, cluster)}
    data_sets = {}
    for name, pair in X.items():
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InputError(f"Data set {name!r} must be a pair (X, y), but is {an(type(pair).__name__)}.")
        positive_label = positive.get(name) if isinstance(positive, Mapping) else positive
        parts = [_own(name, column, what) for column, what in ((weight, "weight"), (cluster, "cluster"))]
        data_sets[str(name)] = dataset(str(name), *pair, positive_label, *parts)
    if not data_sets:
        raise InputError("There are no data sets. Pass {name: (X, y)} with at least one data set.")
    return data_sets


def _own(name: Any, column: Any, what: str) -> Any:
    if column is None:
        return None
    if not isinstance(column, Mapping):
        raise InputError(
            f"{what} is one column, but there are several data sets. Pass a mapping {{name: {what}}}."
        )
    return column.get(name)


def dataset(name: str, X: Any, y: Any, positive: Hashable | None, weight: Any, cluster: Any) -> Dataset:
    """Check one data set. Raises InputError: lengths, missing labels, one class only, numbers that are no labels."""
    if y is None:
        raise InputError("There are no labels. Pass y, or X as a mapping {name: (X, y)} of data sets.")
    if missing := code_labels(y, "y").missing:
        raise InputError(f"y is missing in {counted(missing)}. Exclude these rows from X and y.")
    checked = check(InputRows(y, y_pred=y, positive=positive, weight=weight, cluster=cluster))
    rows = rows_of(X)
    n_labels = len(y)
    if rows != n_labels:
        raise InputError(
            f"X has {counted(rows)}, but y has {n_labels:,} labels. Pass one label for each row."
        )
    if checked.rows < n_labels:
        raise InputError(
            f"weight is 0 in {counted(n_labels - checked.rows)}. Exclude these rows from X and y."
        )
    _refuse_one_class(checked, y)
    cases = Cases(
        name,
        checked.truth,
        checked.labels,
        checked.positive,
        checked.weight,
        checked.cluster,
        checked.clusters,
    )
    if hasattr(X, "tocsr") and X.format not in ("csr", "csc", "lil"):  # by coordinates, say: no rows to take
        X = X.tocsr()
    return Dataset(X, label_array(checked.labels)[checked.truth], _recoded(cases))


def implied_positive(
    y: Any, positive: Hashable | None, measures: Sequence[str]
) -> tuple[Hashable | None, tuple[tuple[str, str], ...]]:
    """Return the positive class, and the remark on it, if none is named and no measure depends on which class it is.

    Measures that several classes have too do not depend on which of two classes is called positive, so the last one is
    taken. A class that was named, that is 1 of 0 and 1, or that does matter is left as it is.
    """
    if positive is not None or not all(_has_no_positive(get(name)) for name in measures):
        return positive, ()
    labels = code_labels(y, "y").labels
    if len(labels) not in (1, 2) or zero_one(labels):  # a single class is refused for being one
        return positive, ()
    remark = f"No positive class was set. {quote(labels[-1])} was used, which affects no result shown here."
    return labels[-1], (("positive", remark),)


def _has_no_positive(measure: Measure) -> bool:
    """Check whether a measure is one of several classes too."""
    blank = Classes((0, 1, 2), ConfusionMatrix(np.zeros((3, 3), np.int64), (0, 1, 2)))
    try:
        blank.table(measure)
    except UnknownMeasureError:
        return False
    return True


def known_measures(names: str | Sequence[str], of: Iterable[Cases]) -> tuple[str, ...]:
    """Return the canonical names of measures. Raises UnknownMeasureError for one that these classes cannot have."""
    measures = tuple(dict.fromkeys(get(name).name for name in ([names] if isinstance(names, str) else names)))
    if not measures:
        raise InputError("measures is empty. Pass at least one measure, or remove it.")
    for cases in of:
        k = len(cases.labels)
        none = ConfusionMatrix(np.zeros((k, k), np.int64), cases.labels)
        blank = Assessment(task_of(cases.labels, cases.positive, none))
        for name in measures:
            blank.table(get(name))
    return measures


def label_array(labels: tuple[Hashable, ...]) -> Array:
    """Return the labels in the plainest array that keeps them as they are: whole numbers, text, or objects."""
    if len({type(label) for label in labels}) == 1 and isinstance(labels[0], bool | int | float | str):
        return np.array(labels)
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def _recoded(cases: Cases) -> Cases:
    """Cluster codes without gaps, in the order of the clusters kept."""
    if cases.cluster is None:
        return cases
    _, codes = np.unique(cases.cluster, return_inverse=True)
    return Cases(cases.name, cases.truth, cases.labels, cases.positive, cases.weight, codes, cases.clusters)


def index_of(X: Any) -> tuple[int | str, ...] | None:
    """What the rows of a frame are called, whole numbers or text; None where its index only counts them, or is none.

    >>> import pandas as pd
    >>> index_of(pd.DataFrame({"age": [30, 40]}, index=["Ann", "Bob"]))
    ('Ann', 'Bob')
    """
    index = getattr(X, "index", None)
    if index is None or callable(index):  # that of a list finds a value
        return None
    values = np.asarray(index)
    if values.dtype.kind not in "iu":
        return tuple(map(str, index))
    return None if np.array_equal(values, np.arange(values.size)) else tuple(values.tolist())


def rows_of(X: Any) -> int:
    """Return how many rows features have. Raises InputError for what has none."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    if hasattr(X, "__len__"):
        return len(X)
    raise InputError(
        f"X must be an array, a frame or a list with a row for each label, but is {an(type(X).__name__)}."
    )


def _refuse_one_class(checked: Predictions, y: Any) -> None:
    seen = np.unique(checked.truth)
    if seen.size < 2:
        raise InputError(
            f"y has only one class, {listing([checked.labels[i] for i in seen])}. A learner needs two classes."
        )


FORMAT = 1
_TEXTS = ("failure", "notes", "training_values", "choice", "fit_seconds", "score_seconds", "kind_of_score")


class Tried(TypedDict, total=False):
    """What a search tried: the settings of each candidate with its inner scores, and the overlap of inner folds."""

    candidates: list[list[Any]]
    test_over_train: float | None


class Choice(Tried):
    """What a search chose, as plain JSON."""

    params: dict[str, object]
    score: float | None
    scoring: str


@dataclass(frozen=True, eq=False)
class FoldResult:
    """The predictions of one model on the test rows of one split, once, and what its training showed.

    `predicted`, `(n_test,)`, are codes into the labels; `scores`, `(n_test,)` of the positive class or
    `(n_test, classes)`, of a `kind_of_score`: "probability", "decision", or "none". `training` are the counts
    `[predicted, true]` on the rows of training, `training_values` the measures of their scores. `failure` says why
    there is nothing else. `choice` is what a search chose, as plain JSON.
    """

    predicted: Array | None = None
    scores: Array | None = None
    kind_of_score: str = "none"
    training: Array | None = None
    training_values: dict[str, float] = field(default_factory=dict)
    choice: Choice | None = None
    failure: str | None = None
    notes: tuple[str, ...] = ()
    fit_seconds: float = float("nan")
    score_seconds: float = float("nan")

    def to_bytes(self) -> bytes:
        """Return a zip of one JSON and plain arrays, with nothing in it that could be executed."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            about = {"format": FORMAT} | {name: getattr(self, name) for name in _TEXTS}
            archive.writestr(_entry("fold.json"), json.dumps(about))
            for name in ("predicted", "scores", "training"):
                array = getattr(self, name)
                if array is not None:
                    archive.writestr(_entry(f"{name}.npy"), array_bytes(array))
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> FoldResult:
        """Return what `to_bytes` wrote. Raises FileError for anything else."""
        try:
            with Archive(io.BytesIO(content)) as archive:
                about = archive.fields("fold.json")
                if about.whole("format") != FORMAT:
                    raise FileError(
                        "The stored fold was written by another version of classay. Run the evaluation again."
                    )
                arrays: dict[str, Any] = {
                    name: archive.maybe_array(f"{name}.npy", kinds, shape, finite=False)
                    for name, (kinds, shape) in _ARRAYS.items()
                    if f"{name}.npy" in archive
                }
                if "scores.npy" in archive:
                    arrays["scores"] = _scores(archive)
                archive.done()
            return cls(**arrays, **_texts(about))
        except Damaged as error:
            raise FileError(
                f"The stored fold cannot be read ({error}). Remove it, and run the evaluation again."
            ) from error


def checked(result: FoldResult, n_test: int, cases: Cases) -> FoldResult:
    """Return the result of a fold, if it can be one of so many of these cases. Raises Damaged."""
    if result.failure is not None:
        return result
    k = len(cases.labels)
    if result.predicted is None:
        raise Damaged("a fold has no predictions")
    within(result.predicted, "predicted", "iu", (n_test,), least=0, below=k)
    if result.scores is not None:
        shape = (n_test,) if cases.is_binary else (n_test, k)
        within(result.scores, "scores", "f", shape, finite=False)
        require_file(not np.isnan(result.scores).any(), "the scores of a fold hold NaN")
    require_file((result.scores is None) == (result.kind_of_score == "none"), "a fold has scores of no kind")
    if result.training is not None:
        within(result.training, "training", "iuf", (k, k), least=0)
    return result


_ARRAYS: dict[str, tuple[str, tuple[None, ...]]] = {
    "predicted": ("iu", (None,)),
    "training": ("iuf", (None, None)),
}


def _scores(archive: Archive) -> Array:
    """Return the scores of one class, or of each."""
    content = archive.bytes("scores.npy")
    array = array_of(content, "scores.npy")
    require_file(array.dtype in (np.float32, np.float64) and array.ndim in (1, 2), "scores.npy are no scores")
    return array


def _texts(about: Fields) -> dict[str, Any]:
    """Return what a fold keeps beside its arrays."""
    values = about.inner("training_values")
    arrays: dict[str, Any] = {
        "failure": about.maybe("failure", about.text),
        "notes": about.texts("notes"),
        "training_values": {name: values.measured(name) for name in values.names},
        "choice": about.maybe("choice", about.object),
        "fit_seconds": about.measured("fit_seconds"),
        "score_seconds": about.measured("score_seconds"),
        "kind_of_score": about.choice("kind_of_score", ("probability", "decision", "none")),
    }
    about.done()
    return arrays


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # a fixed date, so that equal folds are equal bytes


Hashes = NDArray[np.uint64]
CELLS_AT_ONCE = 4_000_000
"""Cells that are worked on at once: enough to pay for the calls, little enough for memory."""


FIRST_COLUMNS = 64
"""Columns that are looked at before the others: they tell most rows apart."""


@dataclass(frozen=True, eq=False)
class HashedColumns:
    """Some neighbouring columns: their names and their values, shape `(n, columns)`, which can be hashed.

    `values` are numbers, or codes of text, dates or anything else; `is_number` says which. `place` is the number of the
    first column. Cells are turned into whole numbers only where they are asked for, because a few rows clear most
    columns.
    """

    names: tuple[Any, ...]
    values: Array
    is_number: bool
    place: int

    def bits(self, rows: Any = slice(None), columns: Any = slice(None)) -> Hashes:
        """Whole numbers of some rows that are equal within a column where the values are."""
        return _bits(self.values[rows][:, columns])

    def hashes(self, rows: Any = slice(None)) -> Hashes:
        """Hashes of the same cells, which differ between columns, so that those of a row can be added up."""
        salts = mixed(np.arange(self.place + 1, self.place + 1 + len(self.names), dtype=np.uint64))
        hashes: Hashes = mixed(self.bits(rows) + salts)
        return hashes


def columns_of(X: Any) -> Iterator[HashedColumns]:
    """Yield the columns of a dense table: a dataframe of any library, an array of two dimensions or more, a list.

    Rows of an array of more dimensions are flattened; a single column (texts, say) is taken as one feature.
    Raises InputError for what has no rows.
    """
    place = 0
    for names, values, is_number in _named(X):
        yield HashedColumns(names, values, is_number, place)
        place += len(names)


def sparse_rows(X: Any) -> Hashes:
    """Return a hash of each row of a sparse matrix, from its nonzero entries, in whatever order they are kept."""
    entries = X.tocoo()
    is_kept = entries.data != 0
    row, column = entries.row[is_kept], entries.col[is_kept].astype(np.uint64)
    cells = mixed(_bits(entries.data[is_kept, None])[:, 0] + mixed(column + np.uint64(1)))
    hashes = np.zeros(X.shape[0], np.uint64)
    np.add.at(hashes, row, cells)
    return hashes


def _named(X: Any) -> Iterator[tuple[tuple[Any, ...], Array, bool]]:
    """Names, values, and whether they are numbers (codes otherwise): of a frame the columns of one type together."""
    if (frame := as_frame(X)) is not None:
        yield from _batches(frame)
        return
    array = np.asarray(X)
    if array.ndim == 0:
        raise InputError(
            f"X must be a table of features with one row for each case, but is {an(type(X).__name__)}."
        )
    array = array.reshape(len(array), -1)
    if array.dtype.kind not in "biuf":
        for k in range(array.shape[1]):
            yield (k,), _numbered(array[:, k].tolist())[:, None], False
        return
    for start, end in _blocks(array.shape[1], len(array)):
        yield tuple(range(start, end)), array[:, start:end], True


def _blocks(columns: int, rows: int, first: int = 0) -> Iterator[tuple[int, int]]:
    """Starts and ends of blocks of columns: a few first, then as many as are worked on at once."""
    most = max(1, CELLS_AT_ONCE // max(rows, 1))
    start = first
    while start < columns:
        end = min(start + (most if start else min(FIRST_COLUMNS, most)), columns)
        yield start, end
        start = end


def _batches(frame: Any) -> Iterator[tuple[tuple[Any, ...], Array, bool]]:
    """Neighbouring columns of one type and kind as one array, as many as are worked on at once."""
    native = frame.to_native()
    most = max(1, CELLS_AT_ONCE // max(len(frame), 1))
    if not type(native).__module__.startswith("pandas"):
        yield from _stacked(frame, most)
        return
    # pandas keeps columns of one type together: one by one, 100,000 of them take a minute
    place = 0
    for kind, same in groupby(native.dtypes.tolist()):
        end = place + sum(1 for _ in same)
        is_number = isinstance(kind, np.dtype) and kind.kind in "biuf"
        for start, stop in _blocks(end, len(frame), place):
            block = native.iloc[:, start:stop]
            if is_number:
                yield tuple(block.columns), block.to_numpy(), True
            else:
                yield from _stacked(as_frame(block), most)
        place = end


def _stacked(frame: Any, most: int) -> Iterator[tuple[tuple[Any, ...], Array, bool]]:
    names: list[Any] = []
    columns: list[Array] = []
    kind: tuple[Any, bool] | None = None
    for column in frame.iter_columns():
        values, is_number = _values(column)
        if columns and (kind != (values.dtype, is_number) or len(columns) == most):
            yield tuple(names), np.stack(columns, 1), kind is not None and kind[1]
            names, columns = [], []
        kind = (values.dtype, is_number)
        names.append(column.name)
        columns.append(values)
    if columns:
        yield tuple(names), np.stack(columns, 1), kind is not None and kind[1]


def _values(column: Any) -> tuple[Array, bool]:
    """Return a column of a frame as numbers, or as codes of its values; and which of the two."""
    import pyarrow as pa

    if column.dtype.is_numeric() or str(column.dtype) == "Boolean":
        values: Array = column.to_numpy()
        if values.dtype.kind in "biuf":
            return values, True
    try:
        arrow = column.to_arrow()
        if pa.types.is_dictionary(arrow.type):
            arrow = arrow.cast(arrow.type.value_type)
        codes = arrow.dictionary_encode(null_encoding="encode")
        if isinstance(codes, pa.ChunkedArray):
            codes = codes.unify_dictionaries().combine_chunks()
        return codes.indices.to_numpy(zero_copy_only=False), False
    except (pa.ArrowException, TypeError, ValueError):  # mixed kinds of values, lists, structs
        return _numbered(column.to_list()), False


def _numbered(values: list[Any]) -> Array:
    """Numbers for any Python values, in order of appearance; values without a hash are told apart by their text."""
    seen: dict[Any, int] = {}
    missing = object()

    def number(value: Any) -> int:
        if value is None or value != value:  # noqa: PLR0124 - true of what is not a number
            value = missing
        try:
            return seen.setdefault(value, len(seen))
        except TypeError:
            return seen.setdefault(repr(value), len(seen))

    return np.fromiter(map(number, values), np.int64, len(values))


def _bits(values: Array) -> Hashes:
    if values.dtype.kind == "f":
        numbers = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
        bits = numbers.view(np.uint64)
        bits[np.isnan(numbers)] = 0x7FF8_0000_0000_0000
        return bits
    return values.astype(np.int64).view(np.uint64)
