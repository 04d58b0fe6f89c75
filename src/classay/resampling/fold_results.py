"""Results of folds in a long frame: models on one data set, or on many, with every fold of cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import MissingLabels
from classay.comparison.comparison import Comparison, pairs
from classay.errors import InputError
from classay.resampling.fold_tests import FoldDifferences, fold_differences
from classay.resampling.rank_tests import Results, checked_results, columns_of, listed_values, numbers_of
from classay.texts import cut, hint

Array = NDArray[Any]
Cell = tuple[Hashable, Hashable]


@dataclass(frozen=True, eq=False)
class FoldResults:
    """The values of models in the folds of data sets, `(folds,)` or `(repeats, folds)`, by data set and model."""

    measure: str
    values: Mapping[Hashable, Mapping[str, Array]]
    test_over_train: float | None = None

    @classmethod
    def of(cls, frame: Any, named: Mapping[str, str | None], test_over_train: float | None) -> FoldResults:
        """Read the columns model, fold, value, and perhaps dataset and run, of a long frame.

        Raises InputError for a model without a value in a fold, or with two, for a single model, for values that are
        not numbers, and for rows without a model or fold.
        """
        lacking = [name for name in ("model", "value") if named.get(name) is None]
        if lacking:
            raise InputError(
                f"A comparison of folds needs the column of {lacking[0]}s. "
                f"{hint(f'Pass {lacking[0]}=', f'Use --{lacking[0]}')}."
            )
        measure, wanted = str(named["value"]), [name for name in named.values() if name is not None]
        read = columns_of(frame, wanted)
        columns = {role: listed_values(read[name]) for role, name in named.items() if name is not None}
        try:
            columns["value"] = numbers_of(read[measure], measure).tolist()
        except InputError as error:
            raise InputError(
                f"Column {measure!r} is not numeric. Use a column of numbers as values."
            ) from error
        for role in columns.keys() - {"value"}:
            if count := sum(
                cell is None or (isinstance(cell, float) and isnan(cell)) for cell in columns[role]
            ):
                raise InputError(
                    f"Column {named[role]!r} has missing values in {count:,} of the rows. Remove these rows, or name "
                    f"their {role}."
                )
        sets, runs = (columns.get(name) or [None] * len(columns["value"]) for name in ("dataset", "run"))
        cells: dict[Hashable, dict[str, dict[Cell, float]]] = {}
        for where, model, run, fold, value in zip(
            sets, map(str, columns["model"]), runs, columns["fold"], columns["value"], strict=True
        ):
            of_model = cells.setdefault(where, {}).setdefault(model, {})
            if (run, fold) in of_model:
                raise InputError(
                    f"{_place(model, where, run, fold)} has two values. Name the column of repeats "
                    f"({hint('run=', '--run')}), or remove one value."
                )
            of_model[run, fold] = value
        models = [*dict.fromkeys(map(str, columns["model"]))]
        if len(models) < 2:
            which = f"only the model {cut(repr(models[0]), 60)}" if models else "no model"
            raise InputError(f"Column {named['model']!r} has {which}. Use values of two or more models.")
        return cls(measure, {name: _arrays(name, of, models) for name, of in cells.items()}, test_over_train)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(next(iter(self.values.values())))

    def ratio(self, name: Hashable) -> float:
        """Return the test cases of a fold divided by its training cases, 1 / (K - 1) of K folds unless it is known."""
        if self.test_over_train is not None:
            return self.test_over_train
        folds = int(next(iter(self.values[name].values())).shape[-1])
        if folds < 2:
            raise InputError("Cross-validation needs at least two folds. Add the values of all folds.")
        return 1 / (folds - 1)

    def averaged(self, better: int, missing: MissingLabels) -> Results:
        """Return the mean of each model over all folds of a data set; it is missing where a fold has no value."""
        table = [[float(of[model].mean()) for model in self.models] for of in self.values.values()]
        runs = [next(iter(of.values())).size for of in self.values.values()]
        results = checked_results(
            [*self.models], tuple(self.values), np.array(table), self.measure, better, missing
        )
        return replace(results, runs=(min(runs), max(runs)), unit="values of folds")

    def tested(
        self, test: Callable[[Sequence[FoldDifferences]], Comparison], control: str | None
    ) -> list[Comparison]:
        """Return the comparison of every pair of models by the folds of all data sets."""
        return [
            test([self._differences(name, pair) for name in self.values])
            for pair in pairs(self.models, control)
        ]

    def _differences(self, name: Hashable, pair: tuple[str, str]) -> FoldDifferences:
        first, second = (self.values[name][model] for model in pair)
        return fold_differences(
            first, second, test_over_train=self.ratio(name), models=pair, measure=self.measure
        )


def _arrays(
    name: Hashable, of: Mapping[str, Mapping[Cell, float]], models: Sequence[str]
) -> dict[str, Array]:
    """Return the values of all models of a data set, in the same order of repeats and folds."""
    cells = [*dict.fromkeys(cell for values in of.values() for cell in values)]
    runs, folds = ([*dict.fromkeys(ids)] for ids in zip(*cells, strict=True))
    lacking = [
        (model, run, fold)
        for model in models
        for run in runs
        for fold in folds
        if (run, fold) not in of.get(model, {})
    ]
    if lacking:
        model, run, fold = lacking[0]
        raise InputError(
            f"{_place(model, name, run, fold)} has no value. Use the same folds for all models and repeats."
        )
    tables = {model: [[of[model][cell, fold] for fold in folds] for cell in runs] for model in models}
    return {
        model: np.array(table if len(runs) > 1 else table[0], np.float64) for model, table in tables.items()
    }


def _place(model: str, dataset: Hashable, run: Hashable, fold: Hashable) -> str:
    of_set = "" if dataset is None else f" of data set {dataset!r}"
    return f"Model {model!r} in fold {fold!r}{'' if run is None else f' of repeat {run!r}'}{of_set}"
