"""Results: one value of every model on every data set, from a long or a wide frame."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import MissingLabels
from classay.columns.opened import with_narwhals
from classay.comparison.comparison import Comparison
from classay.comparison.named_tests import ComparedInput
from classay.errors import InputError
from classay.inference.estimate import direction

Array = NDArray[Any]
SMALL = 1e-3
"""Share of the usual size of two models' values below which rounding is judged as if they were so large."""
OR_DROP = "or compare any two models on the data sets that both have with missing='drop' (--missing drop)"


@dataclass(frozen=True, eq=False)
class Results:
    """The value of a measure for each data set and model, shape `(datasets, models)`.

    `better` is 1 where higher is better and -1 where lower is, as of a loss. Every model has a value on every data
    set, the mean of at least and at most so many `runs`; where some lack one (NaN), which was allowed, two models are
    compared over the data sets that both have, and all together by Skillings and Mack's test.
    """

    models: tuple[str, ...]
    datasets: tuple[Hashable, ...]
    values: Array
    measure: str = "value"
    better: int = 1
    runs: tuple[int, int] = (1, 1)

    def of(self, model: str) -> Array:
        """The values of one model, `(datasets,)`. Raises InputError for an unknown one."""
        if model not in self.models:
            raise InputError(f"there is no model {model!r}: the models are {', '.join(self.models)}.")
        return np.asarray(self.values[:, self.models.index(model)])

    @property
    def missing(self) -> int:
        """How many values are missing."""
        return int(np.isnan(self.values).sum())

    def shared(self, first: str, second: str) -> Results:
        """The results of two models on the data sets that both have; all of them where no value is missing."""
        if not self.missing:
            return self
        both = np.stack([self.of(first), self.of(second)], 1)
        rows = np.flatnonzero(~np.isnan(both).any(1))
        return replace(
            self, models=(first, second), datasets=tuple(self.datasets[k] for k in rows), values=both[rows]
        )

    def differences(self, first: str, second: str) -> Array:
        """First less second, `(datasets,)`; what agrees but for rounding is no difference, or a tie."""
        return _apart(self.of(first), self.of(second))

    @property
    def ranks(self) -> Array:
        """The rank of each model on each data set, 1 the best, ties sharing the middle one; `(datasets, models)`.

        >>> wide_results({"a": [0.9, 0.8], "b": [0.7, 0.8], "c": [0.8, 0.7]}).ranks.tolist()
        [[1.0, 3.0, 2.0], [1.5, 1.5, 3.0]]
        """
        values = self.better * self.values
        apart = _apart(values[:, None, :], values[:, :, None])
        above, same = (apart > 0).sum(2), (apart == 0).sum(2)
        return np.asarray(np.where(np.isnan(values), np.nan, above + (same + 1) / 2))

    @property
    def mean_ranks(self) -> Array:
        """The mean rank of each model over the data sets, `(models,)`."""
        return np.asarray(self.ranks.mean(0))


PAIRS = ComparedInput[Results, Comparison]("pairs of models")
ALL_MODELS = ComparedInput[Results, list[Comparison]]("all models")
A_CONTROL = ComparedInput[Results, list[Comparison]]("a control")
"""What tests over data sets are of."""


def _apart(first: Array, second: Array) -> Array:
    """First less second, data sets first, without what floating point adds to decimals of the size of these two.

    No other data set and no other model changes it, but that beside values of the usual size of the two what is a
    rounding of 0 counts as 0.
    """
    size = np.maximum(np.abs(first), np.abs(second))
    known = np.where(np.isnan(size), np.inf, size)
    usual = np.partition(known, (len(known) - 1) // 2, axis=0)[(len(known) - 1) // 2]
    size = np.maximum(size, SMALL * np.where(np.isfinite(usual), usual, 0.0))
    places = 12 - np.ceil(np.log10(np.maximum(np.where(np.isnan(size), 1.0, size), 1e-290))).astype(np.int64)
    difference = np.asarray(first - second)
    for each in np.unique(places).tolist():
        at = places == each
        difference[at] = np.round(difference[at], each)
    return difference


def wide_results(
    frame: Any,
    models: Sequence[str] | None = None,
    *,
    dataset: str | None = None,
    measure: str = "value",
    better: int | None = None,
    missing: MissingLabels = "refuse",
) -> Results:
    """Results from one column a model: any dataframe, or a dict of columns.

    `better` is 1 where higher values are better and -1 where lower ones are; by default as the measure says, and 1
    where it is not known. `models` names the columns, by default all but `dataset`, the column with the names of the
    data sets. With missing="drop" models may lack values (NaN).

    >>> wide_results({"set": ["iris", "wine"], "a": [0.9, 0.8], "b": [0.7, 0.9]}, dataset="set").models
    ('a', 'b')
    """
    names = list(models) if models is not None else [each for each in _names(frame) if each != dataset]
    columns = _columns(frame, [*names, *([dataset] if dataset is not None else [])])
    table = np.stack([_numbers(columns[name], name) for name in names], 1) if names else np.empty((0, 0))
    sets = range(len(table)) if dataset is None else _listed(columns[dataset])
    if len({*sets}) < len(sets):
        raise InputError(
            "a data set stands in two rows: average its runs first, or pass a long frame with run=."
        )
    return _checked(names, tuple(sets), table, measure, better, missing)


def long_results(
    frame: Any,
    *,
    dataset: str,
    model: str,
    value: str,
    run: str | None = None,
    measure: str | None = None,
    better: int | None = None,
    missing: MissingLabels = "refuse",
) -> Results:
    """Results from a long frame with the columns of data set, model and value; runs are averaged first.

    Raises InputError for a pair of data set and model without a value, unless missing="drop" allows it, or with several
    and no `run`, and for values of which it is not known whether more is better, unless `better` says so.

    >>> frame = {"d": [1, 1, 2, 2], "m": ["a", "b", "a", "b"], "v": [0.9, 0.8, 0.7, 0.9]}
    >>> long_results(frame, dataset="d", model="m", value="v", better=1).values.tolist()
    [[0.9, 0.8], [0.7, 0.9]]
    """
    columns = _columns(frame, [dataset, model, value, *([run] if run is not None else [])])
    sets, models = (_listed(columns[name]) for name in (dataset, model))
    numbers = _numbers(columns[value], value)
    runs = [None] * len(sets) if run is None else _listed(columns[run])
    found: dict[tuple[Hashable, Hashable], dict[Hashable, float]] = {}
    for where, which, number in zip(zip(sets, models, strict=True), runs, numbers.tolist(), strict=True):
        cell = found.setdefault(where, {})
        if which in cell:
            more = "" if run is None else f" for run {which!r}"
            raise InputError(
                f"data set {where[0]!r} and model {where[1]!r} have two values{more}: name the column of runs "
                "(run=), which are averaged, or leave one value out."
            )
        cell[which] = number
    each_set, each_model = list(dict.fromkeys(sets)), list(dict.fromkeys(models))
    empty = [where for where in product(each_set, each_model) if where not in found]
    if empty and missing != "drop":
        raise InputError(
            f"{len(empty)} of {len(each_set) * len(each_model)} pairs of data set and model have no value, such as "
            f"{empty[0][1]!r} on {empty[0][0]!r}: leave out the data set or the model, {OR_DROP}."
        )
    nothing = {0: float("nan")}
    table = [[float(np.mean([*found.get((d, m), nothing).values()])) for m in each_model] for d in each_set]
    names = [str(each) for each in each_model]
    name = measure or value
    if better is None and not direction(name):
        raise InputError(
            f"whether more or less of {name!r} is better is not known: pass better= (--better), 'higher' or 'lower'."
        )
    made = _checked(names, tuple(each_set), np.array(table), name, better, missing)
    counts = [len(each) for each in found.values()]
    return replace(made, runs=(min(counts), max(counts)))


def _checked(
    models: list[str],
    datasets: tuple[Hashable, ...],
    values: Array,
    measure: str,
    better: int | None,
    missing: MissingLabels,
) -> Results:
    if len(models) < 2 or len(datasets) < 2:
        raise InputError(
            f"models: {len(models)}, data sets: {len(datasets)}. Two or more of each are wanted."
        )
    bad = np.argwhere(np.isinf(values) if missing == "drop" else ~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"{len(bad)} values are undefined or infinite, such as {models[column]!r} on {datasets[row]!r}: leave "
            f"out the data set or the model{f', {OR_DROP}' if np.isnan(values).any() else ''}."
        )
    return Results(tuple(models), datasets, values, measure, better or direction(measure) or 1)


def _names(frame: Any) -> list[str]:
    if isinstance(frame, Mapping):
        return list(frame)
    known = with_narwhals(frame, pass_through=True)
    if known is frame:
        raise InputError(f"{type(frame).__name__} is no dataframe: pass one, or a dict of columns.")
    return list(known.collect_schema().names())


def _columns(frame: Any, names: list[str]) -> dict[str, Any]:
    from classay.sources.inputs import frame_columns

    return frame_columns(frame, names)


def _listed(column: Any) -> list[Any]:
    """The values of a column; Arrow's own way, for NumPy's would load pandas."""
    found: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else np.asarray(column).tolist()
    return found


def _numbers(column: Any, name: str) -> Array:
    try:
        return np.asarray(_listed(column) if hasattr(column, "to_pylist") else column, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the column {name!r} holds what is no number: leave it out, for each column of a wide frame is a model, "
            "or name the columns model= and value= (--model, --value) of a long one."
        ) from error
