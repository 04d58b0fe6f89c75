"""Improvement: why a learner errs, what was tried against it, and what that brought."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.family import adjusted
from classay.improving.decomposition import Decomposition
from classay.improving.learning_curve import LearningCurve
from classay.improving.remedies.causes import Cause, causes_of
from classay.improving.remedies.evidence import LOSS, Classes, Evidence, Standing, Trial, gap_of, standing_of
from classay.improving.remedies.known import remedies_named
from classay.improving.remedies.verdict import verdict_of
from classay.inference.estimate import Estimate
from classay.measures import get
from classay.resampling.baseline import BASELINE
from classay.resampling.evaluation import Evaluation
from classay.resampling.frames import of_times
from classay.resampling.leaks.finding import Leak
from classay.resampling.model_folds import ModelFolds
from classay.shown import Shown, plot
from classay.texts import clean

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Improvement(Shown):
    """Why a learner errs, and what helps: remedies beside it on the same folds.

    `i.causes` are the causes that are shown, `i.trials` the remedies that were tried, `i.best` the one that is
    shown to lower the error rate most, None where none is. Where the folds leak (`i.leaks`), no cause is named.
    `i.before` is the decomposition of the learner's loss, `i.after` that of the best remedy; `i.gap` is the error
    rate on new cases less that on the training cases; `i.curve` the learning curve. `i.evaluation` holds the
    learner, all remedies and the majority baseline. `i.hard_rows()` are the cases that none of them gets right,
    `i.costs` the seconds that each takes. `left_out` are remedies that were not tried, or failed, each with the
    reason. `index` is what the index of a frame calls the cases, None where it only counts them.
    """

    learner: str
    before: Decomposition
    after: Decomposition | None
    evaluation: Evaluation
    curve: LearningCurve
    suspected: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    index: tuple[int | str, ...] | None = None

    @property
    def level(self) -> float:
        """The level of all intervals and claims."""
        return self.evaluation.level

    @property
    def seed(self) -> int:
        """The seed of all that is random."""
        return self.evaluation.seed

    @property
    def random(self) -> str:
        """What is random: of the folds, and of the decomposition."""
        return f"{self.evaluation.random} In the decomposition: {self.before.random.removeprefix('Random: ')}"

    @property
    def failures(self) -> tuple[str, ...]:
        """The fits that failed: of which part, where, and why."""
        parts = [("decomposition", self.before.failures), ("learning curve", self.curve.failures)]
        if self.after is not None:
            parts.append((f"decomposition of {self.after.learner}", self.after.failures))
        return (*self.evaluation.failures, *(f"{name}, {each}" for name, found in parts for each in found))

    @property
    def tried(self) -> tuple[str, ...]:
        """The names of the remedies that were fitted, in their order."""
        return tuple(name for name in self.evaluation.models if name not in (self.learner, BASELINE))

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Each remedy beside the learner by the corrected resampled t, adjusted by Holm for all that were tried."""
        remedies = remedies_named(self.tried)
        if not remedies:
            return ()
        measures = list(dict.fromkeys(each.measure for each in remedies))
        found = self.evaluation.compare(measures, control=self.learner, seed=self.seed)
        mine = [found[each.measure, each.name, self.learner] for each in remedies]
        return tuple(map(Trial, remedies, adjusted(mine)))

    def __getitem__(self, name: str) -> Trial:
        """The trial of a remedy. Raises KeyError for one that was not tried."""
        known = {each.name: each for each in self.trials}
        if name not in known:
            raise KeyError(f"{name} was not tried: there are {', '.join(known) or 'no trials'}.")
        return known[name]

    @cached_property
    def best(self) -> Trial | None:
        """The remedy with the lowest error rate of those that are shown to lower it."""
        helping = [each for each in self.trials if each.helps and each.remedy.measure == LOSS]
        return max(helping, key=lambda each: each.gain.value, default=None)

    @cached_property
    def gap(self) -> Estimate:
        """The error rate on new cases less that on the training cases."""
        return gap_of(self.folds, self.evaluation)

    @cached_property
    def standing(self) -> Standing:
        """The learner and its remedies beside the majority baseline."""
        return standing_of(self.evaluation)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The causes that are shown, each with its evidence; none where the data do not carry any, or leak."""
        return () if self.leaks else causes_of(self.evidence)

    @property
    def leaks(self) -> tuple[Leak, ...]:
        """The leaks by which the folds test what training knew: while there are any, no cause is shown."""
        run = self.evaluation.runs[0]
        tested = max(place.n_test for place in run.places)
        return tuple(each for each in run.leaks if each.voids(tested))

    @cached_property
    def evidence(self) -> Evidence:
        """All that the causes are read from."""
        best = self.learner if self.best is None else self.best.name
        e = self.evaluation
        return Evidence(
            self.learner,
            self.value(self.learner),
            self.folds.training(get(LOSS)),
            self.gap,
            self.before,
            Classes.of(self.folds),
            self.value(BASELINE).value,
            self.curve,
            self.trials,
            self.standing,
            tuple(e.compare([LOSS], control=best, seed=e.seed)) if self.tried else (),
            best,
        )

    @cached_property
    def verdict(self) -> tuple[str, ...]:
        """Why the learner errs and what helps, in sentences; silent where the data do not carry one."""
        suspects = self.hard_rows().num_rows if self.has_suspects else 0
        return verdict_of(self.evidence, self.causes, suspects, [each.text for each in self.leaks])

    @property
    def has_suspects(self) -> bool:
        """Whether the labels of the hard rows are to be looked at: noise is shown, and some model has learned."""
        return bool(self.standing.ahead) and any(each.name == "noise" for each in self.causes)

    @property
    def folds(self) -> ModelFolds:
        """The folds of the learner."""
        return self.folds_of(self.learner)

    def folds_of(self, model: str) -> ModelFolds:
        """The folds of the learner or of a remedy."""
        return next(folds for _, name, folds in self.evaluation.model_folds() if name == model)

    def value(self, model: str, measure: str = LOSS) -> Estimate:
        """A measure of the learner or of a remedy, with its interval."""
        found: Estimate = self.evaluation[model].summary(measure).estimate
        return found

    def hard_rows(self) -> Any:
        """A PyArrow table of the cases that the learner and all remedies predict wrongly in most of their folds.

        Columns: row, index (of a frame that has one of its own), class, what is predicted most often, and the share of
        the predictions that are right. These labels may be wrong; or the features say nothing of them.
        """
        import pyarrow as pa

        cases = self.evaluation.runs[0].cases
        votes = np.zeros((cases.rows, len(cases.labels)))
        always = np.ones(cases.rows, bool)
        for model in (self.learner, *self.tried):
            own = votes_of(self.folds_of(model), votes.shape)
            votes += own
            right = own[np.arange(cases.rows), cases.truth]
            always &= 2 * right < own.sum(1)
        share = votes[np.arange(cases.rows), cases.truth] / np.maximum(votes.sum(1), 1)
        at = np.flatnonzero(always)
        at = at[np.argsort(share[at], kind="stable")]
        labels = [str(label) for label in cases.labels]
        return pa.table(
            {
                "row": at,
                **({} if self.index is None else {"index": [self.index[k] for k in at.tolist()]}),
                "class": [labels[k] for k in cases.truth[at]],
                "predicted": [labels[k] for k in votes[at].argmax(1)],
                "share_right": share[at],
            }
        )

    @property
    def costs(self) -> Any:
        """A PyArrow table of the mean seconds that the learner and each remedy take to fit and to predict a fold.

        Measured, so that no two runs agree in them; `fit_times` and `predict_times` are in units of the learner's.
        """
        import pyarrow as pa

        times = of_times(self.evaluation).to_pylist()
        means = {
            model: [_mean([each[of] for each in times if each["model"] == model]) for of in _SECONDS.values()]
            for model in (self.learner, *self.tried)
        }
        own = means[self.learner]
        return pa.table(
            {"model": [*means]}
            | {name: [each[k] for each in means.values()] for k, name in enumerate(_SECONDS)}
            | {
                name.replace("seconds", "times"): [each[k] / own[k] for each in means.values()]
                for k, name in enumerate(_SECONDS)
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss as stacked parts, before and after, with matplotlib (the extra `plot`); returns the axes."""
        return plot(self, ax)

    def save(self, path: str | Path) -> None:
        """Write all that was found to a file, replacing it in one step. Raises FileError."""
        from classay.improving.remedies.saving import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Improvement:
        """Read what `save` wrote; nothing is executed and fitted. Raises FileError when the file is none."""
        from classay.improving.remedies.saving import load

        return load(Path(path), cls)

    def __repr__(self) -> str:
        said = ", ".join(each.name for each in self.causes) or "none"
        return clean(f"Improvement({self.learner}, causes shown: {said}; print it, or see .trials)")


_SECONDS = {"fit_seconds": "fit_seconds", "predict_seconds": "score_seconds"}
"""Columns of costs, and those of the times of an evaluation."""


def _mean(values: list[float]) -> float:
    known = [each for each in values if not isnan(each)]
    return sum(known) / len(known) if known else float("nan")


def votes_of(folds: ModelFolds, shape: tuple[int, int]) -> Array:
    """How often each class was predicted for each case while it was in the test fold, `(cases, classes)`."""
    votes = np.zeros(shape)
    for place, result in zip(folds.places, folds.results, strict=True):
        assert result.predicted is not None
        np.add.at(votes, (place.test, result.predicted), 1)
    return votes
