"""Improvement: the causes of a learner's errors, the remedies tried, and their gains; saved and read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import BASELINE, Comparison, adjusted, ahead
from classay.comparison.comparisons import Comparisons
from classay.files.archives import Archive, Fields, require_file, saved, sealed, shown
from classay.files.writing import saved_path, write_bytes
from classay.improving import decomposition as decompositions
from classay.improving.causes import Cause, causes_of, verdict_of
from classay.improving.decomposition import Decomposition
from classay.improving.evidence import (
    LOSS,
    AgainstBaseline,
    Contradictions,
    Evidence,
    RarestClass,
    Room,
    Trial,
    contradictions_in,
    errs_on_its_own,
    falling_of,
    gap_of,
    in_full,
    last_fall_of,
    room_of,
    standing_of,
    weight_of,
)
from classay.improving.learning_curve import LearningCurve, curve_of, evaluation_of, parts_of_curve
from classay.improving.new_cases import NewCases
from classay.improving.remedies import AGAINST, REMEDIES, remedies_named
from classay.inference.estimate import Estimate
from classay.measures import get
from classay.resampling import saved_evaluations as evaluations
from classay.resampling.evaluation import Evaluation, of_times
from classay.resampling.fold_tests import FoldQuestion
from classay.resampling.leaks import Leak
from classay.resampling.model_folds import ModelFolds
from classay.shown import Reportable
from classay.texts import clean
from classay.warned import Warned, first_ones

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Improvement(Reportable):
    """Causes of the errors of a learner, and remedies compared on the same folds.

    `i.causes` are the shown causes, `i.trials` the remedies, and `i.best` the simplest remedy that helps.
    If the folds leak (`i.leaks`), no cause is named.

    Attributes
    ----------
    learner : str
        Name of the learner.
    before : Decomposition
        Loss of the learner.
    after : Decomposition or None
        Loss of the best remedy.
    evaluation : Evaluation
        The learner, all remedies and the majority-class baseline.
    curve : LearningCurve
        The learning curve.
    suspected : tuple of str
        Causes that were suspected before any trial.
    left_out : tuple of (str, str)
        Remedies that were not tried, or failed, each with the reason.
    notes : tuple of str
        Remarks for the reader.
    index : tuple or None
        Index of a frame at the cases, None if it only counts them.
    findings : tuple of (str, str)
        Remedies with a search, each with a sentence on its choice.
    drift : NewCases or None
        How new cases differ (`test=`).
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
    findings: tuple[tuple[str, str], ...] = ()
    """What in the data speaks for a remedy: its name and a sentence."""
    drift: NewCases | None = None

    @property
    def level(self) -> float:
        """Level of all intervals and claims."""
        return self.evaluation.level

    @property
    def seed(self) -> int:
        """Start of all random numbers."""
        return self.evaluation.seed

    @property
    def random(self) -> str:
        """What the intervals cover, of the folds and of the decomposition."""
        return (
            f"{self.evaluation.random} In the loss breakdown, "
            f"{self.before.random[:1].lower()}{self.before.random[1:]}"
        )

    @property
    def failures(self) -> tuple[str, ...]:
        """Fits that failed, with their part, place and reason."""
        parts = [("decomposition", self.before.failures), ("learning curve", self.curve.failures)]
        if self.after is not None:
            parts.append((f"decomposition of {self.after.learner}", self.after.failures))
        return (
            *self.evaluation.failures,
            *(f"{name}, {failure}" for name, failures in parts for failure in failures),
        )

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting.

        They concern the rows, leaks, fits that failed, and notes.
        """
        remarks = self.evaluation.remarks
        notes = (*self.notes, *self.before.notes, *self.evaluation.notes[len(remarks) :])
        return (
            *(Warned(code, text) for code, text in remarks),
            *(Warned(leak.code, f"leak check: {leak.text}") for leak in self.evaluation.runs[0].leaks),
            *first_ones("failure", self.failures, "a fit failed: "),
            *first_ones("note", notes),
        )

    @property
    def tried(self) -> tuple[str, ...]:
        """Names of the fitted remedies, in their order."""
        return tuple(name for name in self.evaluation.models if name not in (self.learner, BASELINE))

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Comparison of each remedy with the learner by the corrected resampled t.

        P-values are adjusted by Holm for all remedies. A remedy for a cause that was suspected before any
        trial has more weight (`evidence.weight_of`).
        """
        remedies = remedies_named(self.tried)
        if not remedies:
            return ()
        classes = len(self.before.labels)
        measures = list(dict.fromkeys(remedy.measure_of(classes) for remedy in remedies))
        comparisons = self.evaluation.compare(measures, control=self.learner, seed=self.seed)
        mine = [comparisons[remedy.measure_of(classes), remedy.name, self.learner] for remedy in remedies]
        training, loss = self.folds.training(get(LOSS)), self.value(self.learner).value
        part = "bias" if errs_on_its_own(training, loss) else "variance"
        weights = [weight_of(remedy, self.findings, part) for remedy in remedies]
        return tuple(map(Trial, remedies, adjusted(mine, weights=weights)))

    def __getitem__(self, name: str) -> Trial:
        """The trial of a remedy. Raises KeyError for one that was not tried."""
        known = {trial.name: trial for trial in self.trials}
        if name not in known:
            raise KeyError(f"{name} was not tried. Trials: {', '.join(known) or 'none'}.")
        return known[name]

    @cached_property
    def best(self) -> Trial | None:
        """Simplest remedy, by cost, that is not shown to bring less than another.

        Notes
        -----
        Of the remedies that are shown to lower the error rate, the one with the largest gain is compared
        with other remedies. These have at least half its gain, and an unadjusted interval that excludes 0.
        The remedies that are not shown to differ count, and the simplest of them is chosen. Gains of
        remedies that were stopped early are of fewer folds. Two remedies are compared over their shared
        folds, and one that is shown to bring more there replaces the other.
        """
        of_loss = [trial for trial in self.trials if trial.remedy.measure == LOSS]
        left = [trial for trial in of_loss if trial.helps]
        alike: list[Trial] = []
        while left:
            top = max(left, key=lambda trial: trial.gain.value)
            others = [
                trial for trial in of_loss if trial is not top and 2 * trial.gain.value >= top.gain.value
            ]
            others = [
                trial for trial in others if trial.helps or (trial.gain.has_interval and trial.gain.low > 0)
            ]
            pairs = [(trial.name, top.name) for trial in others]
            comparisons = self._compare(pairs) if pairs else ()
            leads = {trial.name: ahead(pair) for trial, pair in zip(others, comparisons, strict=True)}
            left = [trial for trial in left if leads.get(trial.name) == trial.name]
            if not left:
                alike = [top, *(trial for trial in others if leads[trial.name] is None)]
        return min(alike, key=lambda trial: (trial.remedy.cost, -trial.gain.value), default=None)

    @cached_property
    def gap(self) -> Estimate:
        """Error rate on new cases minus that on the training cases."""
        return gap_of(self.folds, self.evaluation)

    @cached_property
    def standing(self) -> AgainstBaseline:
        """Learner and its remedies compared with the majority-class baseline."""
        return standing_of(self.evaluation)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """Causes that are shown, each with its evidence.

        There are none if the data show none, or if the folds leak.
        """
        return () if self.leaks else causes_of(self.evidence)

    @property
    def leaks(self) -> tuple[Leak, ...]:
        """Leaks from the training cases into the folds.

        No cause is shown while there are any.
        """
        run = self.evaluation.runs[0]
        tested = max(place.n_test for place in run.places)
        return tuple(leak for leak in run.leaks if leak.voids(tested))

    @cached_property
    def evidence(self) -> Evidence:
        """Evidence for all causes."""
        best = self.learner if self.best is None else self.best.name
        e = in_full(self.evaluation)
        to_best = (
            tuple(e.compare([LOSS], control=best, seed=e.seed)) if self.tried and best in e.models else ()
        )
        rivals = [trial.name for trial in self.trials if trial.remedy.stage == "rivals"]
        return Evidence(
            self.learner,
            self.value(self.learner),
            self.folds.training(get(LOSS)),
            self.gap,
            self.before,
            RarestClass.of(self.folds),
            self.value(BASELINE).value,
            self.curve,
            self.trials,
            self.standing,
            to_best,
            best,
            self.best,
            self._room(to_best, rivals, best),
            falling_of(self.curve),
            last_fall_of(self.curve),
            self.findings,
            self.doubts,
            self.drift,
            self.chosen,
            self.folds,
        )

    def _compare(self, pairs: Sequence[tuple[str, str]]) -> Comparisons:
        """Return the error rates of some pairs of learners, over the folds that both were fitted in."""
        from classay.resampling.comparing_learners import compare_evaluation

        return compare_evaluation(self.evaluation, [LOSS], FoldQuestion(seed=self.seed), only=pairs)

    def _room(self, to_best: Sequence[Comparison], rivals: Sequence[str], best: str) -> Room | None:
        """By the rivals that were fitted in all folds; where none was, by the folds that there are."""
        if room := room_of(to_best, rivals, best):
            return room
        pairs = [(name, best) for name in rivals if name != best]
        return room_of(tuple(self._compare(pairs)), rivals, best) if pairs else None

    @property
    def room(self) -> Room | None:
        """Largest remaining gain, by the best of strong learners of other kinds.

        None if no such learner ran.
        """
        return self.evidence.room

    @cached_property
    def doubts(self) -> Contradictions:
        """Labels that contradict their expected class beyond overlap and chance.

        Cross-validation gives the expectation.
        """
        e = in_full(self.evaluation)
        return contradictions_in(e, tuple(name for name in e.models if name != BASELINE))

    @property
    def chosen(self) -> tuple[tuple[str, str], ...]:
        """Settings that the searches of remedies chose, by name with a sentence."""
        sentences = []
        for name in self.tried:
            settings = [r.choice["params"] for r in self.folds_of(name).results if r.choice is not None]
            if sentence := _choices(settings):
                sentences.append((name, sentence))
        return tuple(sentences)

    @cached_property
    def verdict(self) -> tuple[str, ...]:
        """Causes and helpful remedies, in sentences, or none if none is shown."""
        return verdict_of(self.evidence, self.causes, [leak.text for leak in self.leaks])

    @property
    def has_suspects(self) -> bool:
        """Whether labels contradict the scores beyond overlap and chance."""
        return not self.leaks and self.doubts.is_shown

    def suspects(self) -> Any:
        """Return a PyArrow table of the cases with doubtful labels.

        The most doubtful case comes first. Columns: row, index (of a frame that has one), class,
        probability that this label is incorrect.
        """
        import pyarrow as pa

        cases, doubts = self.evaluation.runs[0].cases, self.doubts
        rows = doubts.rows if self.has_suspects else doubts.rows[:0]
        return pa.table(
            {
                "row": rows,
                **({} if self.index is None else {"index": [self.index[k] for k in rows.tolist()]}),
                "class": pa.array([str(cases.labels[k]) for k in cases.truth[rows]], pa.string()),
                "chance_wrong": doubts.chances[: rows.size],
            }
        )

    @property
    def folds(self) -> ModelFolds:
        """Folds of the learner."""
        return self.folds_of(self.learner)

    def folds_of(self, model: str) -> ModelFolds:
        """Return the folds of the learner or of a remedy."""
        return next(folds for _, name, folds in self.evaluation.model_folds() if name == model)

    def value(self, model: str, measure: str = LOSS) -> Estimate:
        """Return a measure of the learner or of a remedy, with its interval.

        Parameters
        ----------
        model : str
            Name of the learner or remedy.
        measure : str, optional
            Name of the measure. The default is the error rate.

        Returns
        -------
        Estimate
            The value with its interval.
        """
        estimate: Estimate = self.evaluation[model].summary(measure).estimate
        return estimate

    def hard_rows(self) -> Any:
        """Return a PyArrow table of the cases that all models predict incorrectly.

        The learner and all remedies predict them incorrectly in most of their folds. These labels may be
        incorrect, or the features may hold no information on them. Columns: row, index (of a frame that has
        one), class, most frequent prediction, share of correct predictions.
        """
        import pyarrow as pa

        cases = self.evaluation.runs[0].cases
        votes = np.zeros((cases.rows, len(cases.labels)))
        always = np.ones(cases.rows, bool)
        for model in (self.learner, *self.tried):
            model_votes = votes_of(self.folds_of(model), votes.shape)
            votes += model_votes
            right = model_votes[np.arange(cases.rows), cases.truth]
            always &= 2 * right < model_votes.sum(1)
        share = votes[np.arange(cases.rows), cases.truth] / np.maximum(votes.sum(1), 1)
        at = np.flatnonzero(always)
        at = at[np.argsort(share[at], kind="stable")]
        labels = [str(label) for label in cases.labels]
        return pa.table(
            {
                "row": at,
                **({} if self.index is None else {"index": [self.index[k] for k in at.tolist()]}),
                "class": pa.array([labels[k] for k in cases.truth[at]], pa.string()),
                "predicted": pa.array([labels[k] for k in votes[at].argmax(1)], pa.string()),
                "share_right": share[at],
            }
        )

    @property
    def costs(self) -> Any:
        """PyArrow table of the mean seconds of each model to fit and predict a fold.

        Two runs never agree in them. `fit_times` and `predict_times` are in units of those of the learner.
        """
        import pyarrow as pa

        times = of_times(self.evaluation).to_pylist()
        means = {
            model: [
                _mean([seconds[of] for seconds in times if seconds["model"] == model])
                for of in _SECONDS.values()
            ]
            for model in (self.learner, *self.tried)
        }
        of_learner = means[self.learner]
        return pa.table(
            {"model": [*means]}
            | {name: [model_means[k] for model_means in means.values()] for k, name in enumerate(_SECONDS)}
            | {
                name.replace("seconds", "times"): [
                    model_means[k] / of_learner[k] for model_means in means.values()
                ]
                for k, name in enumerate(_SECONDS)
            }
        )

    def save(self, path: str | Path) -> None:
        """Write all findings to a file, in one step.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        save(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> Improvement:
        """Load what `save` wrote, without executing or fitting anything.

        Raises
        ------
        FileError
            If the file holds no improvement.
        """
        return load(Path(path), cls)

    def __repr__(self) -> str:
        names = ", ".join(cause.name for cause in self.causes) or "none"
        return clean(f"Improvement({self.learner}, causes shown: {names}; print it, or see .trials)")


_SECONDS = {"fit_seconds": "fit_seconds", "predict_seconds": "score_seconds"}
"""Columns of costs, and those of the times of an evaluation."""


def _choices(params: Sequence[Mapping[str, object]]) -> str:
    """Return the settings that a search chose, over its folds."""
    parts = []
    for name in dict.fromkeys(key for settings in params for key in settings):
        values = [settings[name] for settings in params if name in settings]
        numbers = [
            value for value in values if isinstance(value, int | float) and not isinstance(value, bool)
        ]
        if len(numbers) == len(values):
            low, middle, high = (float(np.quantile(numbers, q, method="nearest")) for q in (0, 0.5, 1))
            parts.append(f"{name} = {middle:.3g}" + (f" ({low:.3g} to {high:.3g})" if low < high else ""))
        else:
            texts = [str(value) for value in values]
            parts.append(f"{name} = {max(sorted({*texts}), key=texts.count)}")
    return f"Settings chosen inside the folds: {', '.join(parts)}." if parts else ""


def _mean(values: list[float]) -> float:
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else float("nan")


def votes_of(folds: ModelFolds, shape: tuple[int, int]) -> Array:
    """Return how often each class was predicted for each case while it was in the test fold, `(cases, classes)`."""
    votes = np.zeros(shape)
    for place, result in zip(folds.places, folds.results, strict=True):
        assert result.predicted is not None
        np.add.at(votes, (place.test, result.predicted), 1)
    return votes


FORMAT = 2
"""The first format of an improvement; files of format 1 have no checksums, and there are none of these."""
_ABOUT = "improvement.json"
_BEFORE, _AFTER, _FOLDS = "before.classay", "after.classay", "folds.classay"


def save(improvement: Improvement, path: Path) -> None:
    """Write an improvement with all its parts, replacing the file in one step. Raises FileError."""
    of_curve, members = parts_of_curve(improvement.curve)
    about: dict[str, Any] = {"format": FORMAT, "what": "improvement", "learner": improvement.learner}
    about |= {
        "suspected": improvement.suspected,
        "left_out": improvement.left_out,
        "notes": improvement.notes,
    } | of_curve
    about |= {
        "findings": improvement.findings,
        "drift": None if improvement.drift is None else _drift_out(improvement.drift),
    }
    parts = {
        _BEFORE: decompositions.to_bytes(improvement.before),
        _FOLDS: evaluations.to_bytes(improvement.evaluation),
    }
    if improvement.after is not None:
        parts[_AFTER] = decompositions.to_bytes(improvement.after)
    members |= decompositions.index_out(improvement.index)
    write_bytes(path, sealed(_ABOUT, about, parts | members))


def load(path: Path, kind: type[Improvement]) -> Improvement:
    """Read what `save` wrote, as an object of its class. Raises FileError when the file is none of these."""
    with saved(path, "improvement", FORMAT) as (about, archive):
        improvement = _improvement(about, archive, path, kind)
        about.done()
        archive.done()
        return improvement


def _improvement(about: Fields, archive: Archive, path: Path, kind: type[Improvement]) -> Improvement:
    learner, suspected, notes = about.text("learner"), about.texts("suspected"), about.texts("notes")
    require_file({*suspected} <= {*AGAINST}, f"{shown(suspected)} are no causes")
    left_out = about.list("left_out", _pair)
    findings = about.list("findings", _pair) if "findings" in about.names else ()
    drift = _drift_in(about) if "drift" in about.names else None
    before = decompositions.load(archive.bytes(_BEFORE), Decomposition, path)
    after = decompositions.load(archive.bytes(_AFTER), Decomposition, path) if _AFTER in archive else None
    folds = evaluation_of(archive, _FOLDS, path)
    tried = [name for name in folds.models if name not in (learner, BASELINE)]
    require_file(
        learner in folds.models and BASELINE in folds.models, "the learner or the baseline is missing"
    )
    require_file({*tried} <= {*REMEDIES}, f"{shown(tried)} are not all remedies")
    curve = curve_of(learner, about, archive, path, LearningCurve)
    index = decompositions.index_in(archive, folds.runs[0].cases.rows)
    return kind(learner, before, after, folds, curve, suspected, left_out, notes, index, findings, drift)


def _drift_out(drift: NewCases) -> dict[str, Any]:
    e = drift.error
    ends = [e.low, e.high, e.level] if e.has_interval else []
    how = {} if e.method == "Wilson" else {"method": e.method, "reason": e.reason}
    return asdict(drift) | {"error": [e.value, *ends]} | how


def _drift_in(about: Fields) -> NewCases | None:
    inner = about.maybe("drift", about.inner)
    if inner is None:
        return None
    numbers = inner.numbers("error", 0, 1)
    require_file(len(numbers) in (1, 4), f"the error of new cases has {len(numbers)} numbers")
    error = Estimate(*numbers)  # type: ignore[arg-type]  # its value, or all of an interval
    method: str | None = "Wilson"
    reason: str | None = None
    if "method" in inner.names:
        method, reason = (inner.maybe(key, inner.text) for key in ("method", "reason"))
    new_cases = NewCases(
        inner.whole("rows", 1),
        replace(error, method=method, reason=reason),
        inner.number("known", 0, 1),
        inner.number("p", 0, 1),
        inner.texts("moved"),
        inner.number("shares_p", 0, 1),
    )
    inner.done()
    return new_cases


def _pair(plain: Any) -> tuple[str, str]:
    require_file(
        isinstance(plain, list) and [type(entry) for entry in plain] == [str, str],
        f"{shown(plain)} is no reason",
    )
    return plain[0], plain[1]
