"""Evaluation: learners on data sets under one protocol, fold by fold, and its frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from classay.comparison.comparison import BASELINE
from classay.errors import InputError, UnknownMeasureError, nearest
from classay.files.writing import saved_path
from classay.inference.estimate import Estimate
from classay.measures import ALIASES, MEASURES, Measure, get
from classay.resampling.compare_learners import Learners
from classay.resampling.data import FoldResult, Place, known_measures
from classay.resampling.fold_tests import FoldOptions, FoldQuestion
from classay.resampling.folds import ClassesOfFolds
from classay.resampling.model_folds import DatasetRun, ModelFolds, Resampled, Summary, may_pool
from classay.resampling.protocol import Protocol
from classay.shown import Reportable, frame_of
from classay.texts import clean
from classay.warned import Warned, first_ones, gathered

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons
    from classay.resampling.run_store import Store
    from classay.resampling.tuning import Tuned


NAIVE = ("naive_t", "naive_z", "textbook_t")
"""The intervals of textbooks that stand beside the corrected one."""


def of_summaries(summaries: Sequence[Summary]) -> Any:
    """Return a row for each estimate."""
    import pyarrow as pa

    plain = ("dataset", "model", "measure")
    of_estimate = ("value", "low", "high", "level", "method", "reason")
    rest = ("used", "pooled", "fold_mean", "training", "optimism", "defined", "fitted", "folds")
    columns: dict[str, Any] = {name: [getattr(summary, name) for summary in summaries] for name in plain}
    columns |= {name: [getattr(summary.estimate, name) for summary in summaries] for name in of_estimate}
    columns |= {name: [getattr(summary, name) for summary in summaries] for name in rest}
    kinds = {"level": pa.float64(), "method": pa.string(), "reason": pa.string()}
    return pa.table({name: pa.array(column, kinds.get(name)) for name, column in columns.items()})


def of_spreads(summaries: Sequence[Summary]) -> Any:
    """Return a row for each model and measure whose folds have values to spread."""
    import pyarrow as pa

    rows = []
    for summary in summaries:
        if (of := summary.spread) is None:
            continue
        row: dict[str, Any] = {name: getattr(summary, name) for name in ("dataset", "model", "measure")}
        row |= {"folds": len(of.values), "mean": of.mean, "sd": of.sd}
        naive = {"corrected": summary.estimate} | {name: getattr(of, name) for name in NAIVE}
        for name, estimate in naive.items():
            row |= {f"{name}_low": estimate.low, f"{name}_high": estimate.high}
        row |= {"corrected_over_naive": of.factor, "textbook_inflates_t": of.inflation}
        row |= {"repeat_sd": of.repeat_sd, "repeats": list(of.repeats), "values": list(of.values)}
        rows.append(row)
    numbers = ["mean", "sd", *(f"{name}_{end}" for name in ("corrected", *NAIVE) for end in ("low", "high"))]
    numbers += ["corrected_over_naive", "textbook_inflates_t", "repeat_sd"]
    kinds: list[tuple[str, Any]] = [(name, pa.string()) for name in ("dataset", "model", "measure")]
    kinds += [("folds", pa.int64()), *((name, pa.float64()) for name in numbers)]
    kinds += [(name, pa.list_(pa.float64())) for name in ("repeats", "values")]
    return pa.Table.from_pylist(rows, pa.schema(kinds))


def of_folds(e: Evaluation) -> Any:
    """Return a row for each fold and measure; folds that failed have no value and say why."""
    import pyarrow as pa

    parts = []
    for run, model, folds in e.model_folds():
        shown = folds if folds.planned("test") else folds.of("apparent")
        ok = {place.number: i for i, place in enumerate(shown.places)}
        why_failed = {place.number: f"failed: {why}" for place, why in shown.failures}
        for name in e.measures:
            measure = get(name)
            values, training = np.array([]), np.array([])
            reasons: list[str | None] = []
            if shown.places:
                values = shown.values(measure)
                reasons = shown.reasons(measure, values)
                seen = shown.training_values(measure)
                training = np.full(values.size, np.nan) if isinstance(seen, str) else seen
            places = shown.planned_places
            at = [ok.get(place.number, -1) for place in places]
            parts.append(
                pa.table(
                    {
                        "dataset": [run.cases.name] * len(places),
                        "model": [model] * len(places),
                        "measure": [name] * len(places),
                        "repeat": [place.repeat for place in places],
                        "fold": [place.fold for place in places],
                        "value": [values[i] if i >= 0 else np.nan for i in at],
                        "training": [training[i] if i >= 0 else np.nan for i in at],
                        "n_test": [place.n_test for place in places],
                        "n_train": [place.n_train for place in places],
                        "reason": pa.array(
                            [
                                why_failed.get(place.number) if i < 0 else reasons[i]
                                for place, i in zip(places, at, strict=True)
                            ],
                            pa.string(),
                        ),
                    }
                )
            )
    return pa.concat_tables(parts)


def of_predictions(e: Evaluation) -> Any:
    """Return a row for each test case of each fold; the score of the positive class, or one column a class."""
    import pyarrow as pa

    parts = []
    for run, model, folds in e.model_folds():
        shown = folds if folds.planned("test") else folds.of("apparent")
        for place, result in zip(shown.places, shown.results, strict=True):
            labels = np.array([str(label) for label in run.cases.labels])
            columns: dict[str, Any] = {
                "dataset": [run.cases.name] * place.n_test,
                "model": [model] * place.n_test,
                "repeat": np.full(place.n_test, place.repeat),
                "fold": np.full(place.n_test, place.fold),
                "row": place.test,
                "truth": labels[run.cases.truth[place.test]],
                "predicted": labels[result.predicted],
            }
            scores = result.scores
            if run.cases.is_binary:
                columns["score"] = (
                    np.full(place.n_test, np.nan) if scores is None else scores.astype(np.float64)
                )
            else:
                for i, label in enumerate(labels.tolist()):
                    column = np.full(place.n_test, np.nan) if scores is None else scores[:, i]
                    columns[f"score of {label}"] = column.astype(np.float64)
            parts.append(pa.table(columns))
    return pa.concat_tables(parts, promote_options="default")


def of_times(e: Evaluation) -> Any:
    """Return a row for each fit of each model."""
    rows = [
        _where(run, model, place) | {"fit_seconds": result.fit_seconds, "score_seconds": result.score_seconds}
        for run, model, place, result in _all(e)
    ]
    return _table(rows, ("dataset", "model", "repeat", "fold", "fit_seconds", "score_seconds"))


def of_choices(e: Evaluation) -> Any:
    """Return a row for each search: what it chose, as JSON, its inner score and the name of that score."""
    rows = [
        _where(run, model, place)
        | {
            "params": dumps(result.choice["params"], sort_keys=True),
            "score": result.choice["score"],
            "scoring": result.choice["scoring"],
        }
        for run, model, place, result in _all(e)
        if result.choice is not None
    ]
    return _table(rows, ("dataset", "model", "repeat", "fold", "params", "score", "scoring"))


def _has_code(note: str) -> bool:
    """Check whether a note of fits has a code of its own as a warning."""
    from classay.resampling.learner_warnings import CODE_OF_NOTE

    return any(note.endswith(code) for code in CODE_OF_NOTE)


def _all(e: Evaluation) -> list[tuple[DatasetRun, str, Place, FoldResult]]:
    return [
        (run, model, place, result)
        for run in e.runs
        for model, results in run.results.items()
        for place, result in zip(run.places, results, strict=True)
        if result is not None and place.kind != "pair"
    ]


def _where(run: DatasetRun, model: str, place: Place) -> dict[str, Any]:
    return {"dataset": run.cases.name, "model": model, "repeat": place.repeat, "fold": place.fold}


def _table(rows: Sequence[Mapping[str, object]], names: tuple[str, ...]) -> Any:
    return frame_of(rows, names, {"repeat": "whole", "fold": "whole", "params": "text", "scoring": "text"})


@dataclass(frozen=True, eq=False)
class Evaluation(Reportable, Learners):
    """Learners under a resampling protocol, with the predictions of every fold.

    `e["forest"]["roc_auc"]` is an `Estimate`, and `e["roc_auc"]` that of the only learner. With several
    data sets, their names come first. Everything is computed from the predictions on request.

    Attributes
    ----------
    protocol : Protocol
        How the cases were split. `e.protocol.plot()` draws the folds of the cases.
    measures : tuple of str
        Measures that are shown. Any other can be computed too.
    runs : tuple of DatasetRun
        Runs of each data set.
    level : float
        Confidence level of the intervals.
    seed : int
        Start of all random numbers.
    remarks : tuple of (str, str)
        Codes and sentences on earlier changes of the rows, such as excluded rows or filled values.

    Notes
    -----
    `e.estimates` has the pooled and the mean value of the folds, `e.frame()` the value of every fold, and
    `e.predictions()` the out-of-sample predictions. `print(e)` shows them.
    """

    protocol: Protocol
    measures: tuple[str, ...]
    runs: tuple[DatasetRun, ...]
    level: float = 0.95
    seed: int = 0
    remarks: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        run = self.runs[0]
        object.__setattr__(self, "protocol", self.protocol.on(run.cases, self.seed, run.places))

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(run.cases.name for run in self.runs)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, the baseline last."""
        return tuple(self.runs[0].results)

    @property
    def random(self) -> str:
        """What the intervals cover, in one sentence."""
        return self.protocol.random_in(self.runs[0].places)

    def __getitem__(self, name: str) -> Any:
        """The evaluation of one data set or one model; or, where one is left, the estimate of a measure."""
        if name in self.datasets and len(self.runs) > 1:
            return replace(self, runs=tuple(run for run in self.runs if run.cases.name == name))
        if name in self.models:
            kept = tuple(replace(run, results={name: run.results[name]}) for run in self.runs)
            return replace(self, runs=kept)
        return self.summary(name).estimate

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers after `e["`: data sets and models, or, where one of each is left, the measures."""
        several = [
            *(self.datasets if len(self.runs) > 1 else ()),
            *(self.models if len(self.models) > 1 else ()),
        ]
        return several or [*self.measures]

    def showing(self, measures: str | Sequence[str]) -> Evaluation:
        """Return the same evaluation with these measures shown.

        Any measure can be shown, because the predictions are kept. Only the training side of a measure of
        scores is missing if it was not requested when the models were fitted.

        Parameters
        ----------
        measures : str or sequence of str
            Names of measures.

        Returns
        -------
        Evaluation
            A copy with these measures.

        Raises
        ------
        UnknownMeasureError
            If there is no such measure, or these classes have none.
        """
        return replace(self, measures=known_measures(measures, [run.cases for run in self.runs]))

    def summary(self, measure: str) -> Summary:
        """Return a measure of the only model on the only data set, with its inputs."""
        known = self._measure(measure)
        run, model = self._only(measure)
        return self._summary(self._folds_of(run, model), run, model, known)

    def _measure(self, name: str) -> Measure:
        try:
            return get(name)
        except UnknownMeasureError as error:
            names = (*self.models, *(self.datasets if len(self.runs) > 1 else ()))
            near = nearest(name, [*names, *MEASURES, *ALIASES]) or "."
            raise UnknownMeasureError(
                f"Unknown model, data set or measure {name!r}. Models: {', '.join(names)}{near}"
            ) from error

    def _only(self, name: str) -> tuple[DatasetRun, str]:
        if len(self.runs) > 1:
            raise InputError(
                f"There are {len(self.runs)} data sets ({', '.join(self.datasets)}). Choose one first, as in "
                f"e[{self.datasets[0]!r}][{name!r}]."
            )
        models = [model for model in self.models if model != BASELINE] or [BASELINE]
        if len(models) > 1:
            raise InputError(
                f"There are {len(models)} models ({', '.join(models)}). Choose one first, as in "
                f"e[{models[0]!r}][{name!r}]."
            )
        return self.runs[0], models[0]

    def _folds_of(self, run: DatasetRun, model: str) -> ModelFolds:
        return ModelFolds(run.cases, run.places, run.results[model], self.level, self.seed)

    def model_folds(self) -> Iterator[tuple[DatasetRun, str, ModelFolds]]:
        """Iterate over every model on every data set."""
        for run in self.runs:
            for model in run.results:
                yield run, model, self._folds_of(run, model)

    def _summary(self, folds: ModelFolds, run: DatasetRun, model: str, measure: Measure) -> Summary:
        estimate = self.protocol.estimate(folds, measure, self.level)
        shown = folds if folds.places else folds.of("apparent")
        if np.isfinite(estimate.value) and (unbounded := shown.why_unbounded(measure)):
            estimate = Estimate.bare(estimate.value, unbounded)
        values = shown.values(measure) if shown.places else np.array([])
        missing = [f"{place}: {why}" for place, why in folds.failures]
        missing += [
            f"{place}: {why}"
            for place, why in zip(shown.places, shown.reasons(measure, values), strict=True)
            if why is not None
        ]
        training = folds.training(measure)
        at = dict(zip([place.number for place in shown.places], values.tolist(), strict=True))
        return Summary(
            run.cases.name,
            model,
            measure.name,
            estimate,
            shown.pooled(measure),
            float("nan") if np.isnan(values).all() else float(np.nanmean(values)),
            "pooled" if may_pool(measure) else "fold mean",
            training,
            training - estimate.value,
            int((~np.isnan(values)).sum()),
            len(shown.places),
            len(shown.places) + len(shown.failures),
            tuple(missing),
            tuple(at.get(place.number, float("nan")) for place in shown.planned_places),
            folds.spread(measure, estimate, self.protocol.overlap(folds)) if folds.places else None,
        )

    def summaries(self, names: Sequence[str] | None = None) -> list[Summary]:
        """Return the shown or named measures of every model on every data set."""
        wanted = [get(name) for name in (self.measures if names is None else names)]
        return [
            self._summary(folds, run, model, measure)
            for run, model, folds in self.model_folds()
            for measure in wanted
        ]

    @property
    def estimates(self) -> Any:
        """PyArrow table with one row for each data set, model and measure.

        It has the estimate and its inputs.
        """
        return of_summaries(self.summaries())

    @property
    def folds(self) -> Any:
        """PyArrow table of the fold values of each data set, model and measure.

        It has the mean, the SD and each value, and the spread of the means of repeats. The naive t and z
        intervals of textbooks are shown with the corrected one, and with the factor between them. See
        `inference.folds.FoldSpread`.

        Examples
        --------
        >>> import classay as ca
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X = [[each % 7, each % 5] for each in range(60)]
        >>> e = ca.evaluate(GaussianNB(), X, [0, 1, 1, 0, 1] * 12, protocol="5fold", measures=["accuracy"])
        >>> row = e.folds.to_pylist()[0]
        >>> len(row["values"]), round(row["corrected_over_naive"], 6)
        (5, 1.5)
        """
        return of_spreads(self.summaries())

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each fold and measure.

        It has the data set, the model, the value, and that of training.
        """
        return of_folds(self)

    def predictions(self) -> Any:
        """Return a PyArrow table of all predictions, one row for each test case.

        It has the data set, model, fold, true and predicted label, and scores.
        """
        return of_predictions(self)

    @property
    def times(self) -> Any:
        """PyArrow table of the seconds to fit and to predict, for each fold."""
        return of_times(self)

    @property
    def tuning(self) -> Any:
        """PyArrow table of the choice of each search in each fold, with its score."""
        return of_choices(self)

    @property
    def candidates(self) -> Tuned:
        """Candidates that the searches of the one model tried, with their scores.

        `e.candidates.frame()` is the table, `.plot()` the picture over one parameter or two, and
        `.simplest()` the choice by one standard error. `.flattery` is the optimism of the best score.

        Raises
        ------
        InputError
            If no model is a search, or several are.
        """
        from classay.resampling.tuning import the_one, tuned

        return the_one(tuned(self))

    @property
    def failures(self) -> tuple[str, ...]:
        """Fits that failed, with their model, place and reason."""
        return tuple(
            f"{self._named(run, model)}, {place}: {why}"
            for run, model, folds in self.model_folds()
            for kind in ("test", "apparent", "pair")
            for place, why in folds.of(kind).failures
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks of the rows, of the protocol, and of the learners.

        Those of learners have their number.
        """
        notes = [text for _, text in self.remarks]
        notes += [
            f"{run.cases.name}: {note}" if len(self.runs) > 1 else note
            for run in self.runs
            for note in self.protocol.notes(run.cases)
        ]
        for run, model, folds in self.model_folds():
            if model == BASELINE:
                notes += self.protocol.artefacts(folds)
            results = [result for result in run.results[model] if result is not None]
            seen = Counter(note for result in results for note in result.notes)
            if model != BASELINE:
                notes += [
                    f"{self._named(run, model)}, in {times} of {len(results)} fits: {note}"
                    for note, times in seen.items()
                ]
        return tuple(dict.fromkeys(notes))

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting.

        They concern the rows, leaks, failed fits, learners, and notes.
        """
        several = len(self.runs) > 1
        leaks = (
            Warned(
                leak.code,
                f"{'features' if leak.code == 'constant' else 'leak check'}"
                f"{f' on {run.cases.name}' if several else ''}: {leak.text}",
                (run.cases.name,) if several else (),
            )
            for run in self.runs
            for leak in run.leaks
        )
        return (
            *(Warned(code, text) for code, text in self.remarks),
            *leaks,
            *first_ones("failure", self.failures, "a fit failed: "),
            *self._warnings_of_learners(),
            *first_ones("note", [note for note in self.notes[len(self.remarks) :] if not _has_code(note)]),
        )

    def _warnings_of_learners(self) -> tuple[Warned, ...]:
        """Return what the predictions of each learner on each data set show, each code once, with whom it concerns."""
        from classay.assessment.group_warnings import gravest_first
        from classay.resampling.learner_warnings import warnings_of_learner

        warnings, stands_for = {}, {}
        for run, model, folds in self.model_folds():
            if model != BASELINE:
                name = self._named(run, model)
                warnings[name] = [*warnings_of_learner(folds)]
                stands_for[name] = (model, run.cases.name) if len(self.runs) > 1 else (model,)
        return gravest_first(gathered(warnings, "", stands_for))

    def _named(self, run: DatasetRun, model: str) -> str:
        return f"{model} on {run.cases.name}" if len(self.runs) > 1 else model

    def resampled(self, measure: str) -> list[Resampled]:
        """Return the aligned values of a measure for all models, by data set.

        Raises
        ------
        InputError
            If the values cannot be aligned.
        """
        return [self._resampled(run, get(measure)) for run in self.runs]

    def _resampled(self, run: DatasetRun, measure: Measure) -> Resampled:
        places = [
            place
            for place, *results in zip(run.places, *run.results.values(), strict=True)
            if place.kind == "test" and any(results)
        ]
        if not places:
            raise InputError(f"{self.protocol.name} has no other test cases, so models cannot be compared.")
        values = np.full((len(run.results), len(places)), np.nan)
        contributions, slopes = values.copy(), np.zeros((len(run.results), len(run.cases.labels)))
        unbounded: list[str | None] = [None] * len(run.results)
        at = {place.number: i for i, place in enumerate(places)}
        ratio = sum(place.n_test for place in places) / sum(place.n_train for place in places)
        for row, model in enumerate(run.results):
            folds = self._folds_of(run, model)
            if not folds.places:
                continue
            columns = [at[place.number] for place in folds.places]
            unbounded[row] = folds.why_unbounded(measure)
            values[row, columns], slopes[row] = folds.values(measure), folds.class_slopes(measure)
            contributed = folds.contributions(measure) if may_pool(measure) else values[row, columns]
            if not isinstance(contributed, str):
                shift = folds.pooled(measure) - contributed.mean() if may_pool(measure) else 0.0
                contributions[row, columns] = contributed + shift
        return Resampled(
            run.cases.name,
            measure.name,
            tuple(run.results),
            values,
            contributions,
            ratio,
            np.array([place.repeat for place in places]),
            np.array([place.fold for place in places]),
            slopes,
            ClassesOfFolds.of(
                run.cases.truth,
                len(run.cases.labels),
                [place.test for place in places],
                run.cases.weight,
                run.cases.cluster,
            ),
            tuple(unbounded),
        )

    def shared(self, *models: str) -> Evaluation:
        """Return these models at the splits where all of them were fitted.

        They can be compared on these splits.
        """
        runs = []
        for run in self.runs:
            results_of_models = [run.results[model] for model in models]
            are_fitted = [
                all(one is not None and one.failure is None for one in row)
                for row in zip(*results_of_models, strict=True)
            ]
            kept = {
                model: tuple(one if ok else None for one, ok in zip(results, are_fitted, strict=True))
                for model, results in zip(models, results_of_models, strict=True)
            }
            runs.append(replace(run, results=kept))
        return replace(self, runs=tuple(runs))

    def compare(
        self, measures: Sequence[str | Measure] | None = None, **how: Unpack[FoldOptions]
    ) -> Comparisons:
        """Compare the learners over their shared folds, each pair in each measure.

        `ca.compare(e)` is the same. Folds in which either fit failed are excluded for a pair. Several data
        sets are compared over data sets.

        Parameters
        ----------
        measures : sequence of str or Measure, optional
            Measures to compare. Prespecify few, because p-values are adjusted over them.
        **how
            `method` ("corrected-t", the default, "nadeau-bengio-t", "5x2cv-f", "5x2cv-t", "sign-flip",
            "paired-t", "wilcoxon", "bayesian", "corani-benavoli"), `rule` with its `margin`, `rope`,
            `control`, `adjustment`, `level` and `seed`, as in `compare`.

        Returns
        -------
        Comparisons
            One comparison for each pair of learners in each measure.
        """
        from classay.resampling.comparing_learners import compare_evaluation

        return compare_evaluation(self, measures, FoldQuestion(**how))

    @property
    def balancing(self) -> Comparisons:
        """Each balanced learner minus the same learner as it is, over the folds.

        See `evaluate(balance=)`.

        Raises
        ------
        InputError
            If nothing was balanced.
            If the protocol has no test of two learners.
        """
        from classay.resampling.comparing_learners import compare_balanced

        return compare_balanced(self)

    @classmethod
    def joined(cls, evaluations: Mapping[str, Evaluation]) -> Evaluation:
        """Combine evaluations of the same cases and folds.

        Raises
        ------
        InputError
            If cases or folds differ.
        """
        from classay.resampling.comparing_learners import join

        return join(evaluations)

    def save(self, path: str | Path) -> None:
        """Write the evaluation with all predictions to a file, in one step.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        from classay.resampling.saved_evaluations import save

        save(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> Evaluation:
        """Load what `save` wrote, without executing anything.

        Raises
        ------
        FileError
            If the file holds no evaluation.
        """
        from classay.resampling.saved_evaluations import load

        return load(Path(path), cls)

    @classmethod
    def reopen(cls, store: Store, run: str) -> Evaluation:
        """Return the evaluation of a finished run in a store.

        Parameters
        ----------
        store : path or ResultStore
            The store.
        run : str
            First letters of the id of the run.

        Returns
        -------
        Evaluation
            The evaluation.

        Raises
        ------
        FileError
            If there is no such run.
        """
        from classay.resampling.saved_evaluations import reopen

        return reopen(store, run, cls)

    def __repr__(self) -> str:
        on = f" on {len(self.runs)} data sets" if len(self.runs) > 1 else ""
        return clean(
            f"Evaluation({self.protocol.name}: {', '.join(self.models)}{on}; print it, or see .estimates)"
        )
