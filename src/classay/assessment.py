"""Assessment: everything about one classifier on one test set, from its tables alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isinf
from pathlib import Path
from typing import Any

import numpy as np

from classay.errors import InputError, MergeError, UnknownMeasureError
from classay.inference.draws import seed_of
from classay.inference.estimate import Estimate
from classay.inference.intervals import estimate, value_only
from classay.labels import match_label, sort_labels
from classay.measures import MEASURES, Measure, get
from classay.measures.conditions import NOT_PROBABILITIES, first_met
from classay.predictions import Missing, Predictions, check
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable

PER_CLASS = (
    "precision",
    "recall",
    "f1",
    "specificity",
    "negative_predictive_value",
    "jaccard",
    "prevalence",
    "predicted_prevalence",
)
"""The measures of each class that `per_class` gives; `one_vs_rest(label)` gives all of them for one class."""

NO_SCORES = "no scores were given"
NO_THRESHOLD = "the scores do not all lie in [0, 1], so there is no default threshold: pass one"


@dataclass(frozen=True, eq=False)
class Assessment:
    """What is known of one classifier on one test set: tables, and how to read them.

    `a["roc_auc"]` is an `Estimate`; `a.measures` all of them, as a frame; `a1 + a2` the assessment of both test sets
    together. `positive` is None for more than two classes. `threshold` is None where labels were given as they are,
    and `threshold_chosen` says whether anybody chose it. Everything is computed from the tables when asked for.
    """

    labels: tuple[Hashable, ...]
    positive: Hashable | None
    confusion_matrix: ConfusionMatrix | None
    scores: ScoreTable | None = None
    class_scores: ClassScoreTable | None = None
    cases: CaseTable | None = None
    threshold: float | None = None
    threshold_chosen: bool = False
    level: float = 0.95
    seed: int = 0
    rows: int = 0
    dropped: int = 0
    kind_of_weight: str = "none"
    clusters: tuple[Hashable, ...] | None = None

    @property
    def n(self) -> int:
        """Number of cases: rows, or the sum of their frequencies."""
        if self.kind_of_weight == "sampling":
            return self.rows
        return int(self.class_totals.sum())

    @property
    def class_totals(self) -> Any:
        """Cases (or weight) of each true class, in the order of `labels`."""
        if self.confusion_matrix is not None:
            return self.confusion_matrix.margins.true
        if self.scores is not None:
            negative_first = self.scores.class_totals
            return negative_first if self.labels[1] == self.positive else negative_first[::-1]
        assert self.cases is not None
        return self.cases.true

    @property
    def no_interval(self) -> str | None:
        """Why no measure has an interval, or None when the cases are independent and count alike."""
        if self.clusters is not None:
            return f"rows of a cluster depend on each other ({len(self.clusters):,} clusters): no interval yet"
        return "sampling weights: no interval yet" if self.kind_of_weight == "sampling" else None

    def table(self, measure: Measure) -> Any:
        """The table a measure needs, or the reason (a text) why this assessment does not have it."""
        binary = self.positive is not None
        if measure.needs in ("margins", "matrix", "counts"):
            if measure.needs == "counts" and not binary:
                raise UnknownMeasureError(_averages_of(measure))
            if self.confusion_matrix is None:
                return NO_THRESHOLD
            if measure.needs == "counts":
                return self.confusion_matrix.one_vs_rest(self.positive)
            return self.confusion_matrix
        if measure.needs in ("class_scores", "cases") and binary:
            raise UnknownMeasureError(f"{measure.name} is for more than two classes; there are two here.")
        if measure.needs == "scores" and not binary:
            raise UnknownMeasureError(_averages_of(measure))
        found = {
            "scores": self.scores,
            "probabilities": self.scores if binary else self.cases,
            "class_scores": self.class_scores,
            "cases": self.cases,
        }[measure.needs]
        return NO_SCORES if found is None else found

    def estimate(self, name: str, *, method: str | None = None) -> Estimate:
        """A measure by name or alias, with its default interval or, for proportions, that of a named method.

        Raises UnknownMeasureError when there is no such measure, or it is one of a single class and there are several.
        """
        measure = get(name)
        table = self.table(measure)
        if isinstance(table, str):
            return Estimate.undefined(table)
        if self.no_interval is not None:
            found = value_only(measure, table, self.no_interval)
        else:
            found = estimate(measure, table, level=self.level, seed=self.seed, method=method)
        return replace(found, reason=self.why_improper) if found.reason == NOT_PROBABILITIES.text else found

    def __getitem__(self, name: str) -> Estimate:
        return self.estimate(name)

    def applicable(self) -> list[Measure]:
        """The measures that this assessment's tables can give, in the order of the registry."""
        binary = self.positive is not None
        kinds: set[str] = {"margins", "matrix"} | ({"counts"} if binary else set())
        if binary and self.scores is not None:
            kinds |= {"scores", "probabilities"}
        if self.class_scores is not None:
            kinds |= {"class_scores", "cases", "probabilities"}
        found = [measure for measure in MEASURES.values() if measure.needs in kinds]
        beyond = [f"top_{k}_accuracy" for k in (2, 3, 5) if k >= len(self.labels)]  # always 1
        return [measure for measure in found if measure.name not in beyond]

    def estimates(self, names: Iterable[str] | None = None) -> dict[str, Estimate]:
        """Estimates by canonical name: of the named measures, or of all applicable ones."""
        wanted = self.applicable() if names is None else [get(name) for name in names]
        return {measure.name: self.estimate(measure.name) for measure in wanted}

    @property
    def measures(self) -> Any:
        """All applicable measures as a PyArrow table: measure, value, low, high, level, method, reason.

        `.to_pandas()`, `polars.from_arrow(...)` or narwhals take it from there.
        """
        return _frame([{"measure": name} | vars(found) for name, found in self.estimates().items()])

    def class_estimates(self) -> dict[Hashable, dict[str, Estimate]]:
        """For each class against the rest, the measures of `PER_CLASS`, and its AUC where it has scores."""
        return {label: self._class_estimates(label) for label in self.labels}

    def _class_estimates(self, label: Hashable) -> dict[str, Estimate]:
        found: dict[str, Estimate] = {}
        matrix = self.confusion_matrix
        for measure in map(get, PER_CLASS if matrix is not None else ()):
            assert matrix is not None
            counts = matrix.one_vs_rest(label)
            why = first_met(measure.undefined, counts, of_class=True)
            if why is not None:
                found[measure.name] = Estimate.undefined(f"{measure.name} of {label!r}: {why}")
            elif self.no_interval is not None:
                found[measure.name] = value_only(measure, counts, self.no_interval)
            else:
                found[measure.name] = estimate(measure, counts, level=self.level, seed=self.seed)
        if self.class_scores is not None:
            auc, table = get("roc_auc"), self.class_scores.one_vs_rest(label)
            how = partial(value_only, reason=self.no_interval) if self.no_interval else self._estimate
            found["roc_auc"] = how(auc, table)
        return found

    def _estimate(self, measure: Measure, table: Any) -> Estimate:
        return estimate(measure, table, level=self.level, seed=self.seed)

    @property
    def per_class(self) -> Any:
        """The measures of each class against the rest as a PyArrow table: label, measure, value, low, high, …"""
        return _frame(
            [
                {"label": str(label), "measure": name} | vars(found)
                for label, estimates in self.class_estimates().items()
                for name, found in estimates.items()
            ]
        )

    @property
    def why_improper(self) -> str:
        """Why the scores cannot be read as probabilities."""
        if self.cases is not None:
            return f"{self.cases.improper:,} rows of class scores are not within [0, 1] or do not sum to 1"
        assert self.scores is not None
        low, high = self.scores.scores[-1], self.scores.scores[0]
        return f"the scores, from {low:.3g} to {high:.3g}, lie outside [0, 1] and are no probabilities"

    def at(self, threshold: float) -> Assessment:
        """The same classifier at another threshold: positive when score >= threshold.

        Raises InputError without scores, or for more than two classes.
        """
        if self.scores is None:
            raise InputError("a threshold needs the scores of two classes, and none were given.")
        matrix = self.scores.at(threshold).restrict(self.labels)
        return replace(self, confusion_matrix=matrix, threshold=float(threshold), threshold_chosen=True)

    def one_vs_rest(self, label: Hashable) -> Assessment:
        """One class against all others, as an assessment of two classes with every measure that they have."""
        label = match_label(label, self.labels)
        if self.positive is not None and len(self.labels) == 2 and label == self.positive:
            return self
        rest = f"not {label}"
        matrix = None
        if self.confusion_matrix is not None:
            matrix = self.confusion_matrix.collapse(label, rest)
        scores = None if self.class_scores is None else self.class_scores.one_vs_rest(label)
        return replace(
            self,
            labels=(rest, label),
            positive=label,
            confusion_matrix=matrix,
            scores=scores,
            class_scores=None,
            cases=None,
            threshold=None,
        )

    def __add__(self, other: Assessment) -> Assessment:
        """The assessment of both test sets together; MergeError says what differs when they cannot be added."""
        for what in ("positive", "threshold", "threshold_chosen", "level", "kind_of_weight"):
            here, there = getattr(self, what), getattr(other, what)
            if here != there or type(here) is not type(there):
                raise MergeError(
                    f"{what.replace('_', ' ')} is {here!r} here and {there!r} there: assess both alike."
                )
        labels = sort_labels([*self.labels, *other.labels]) if self.labels != other.labels else self.labels
        if self.positive is not None and len(labels) > 2:
            raise MergeError(
                f"together the labels are {labels}, more than two: declare labels= when assessing each part."
            )
        return replace(
            self,
            labels=labels,
            confusion_matrix=_sum("labels", self.confusion_matrix, other.confusion_matrix),
            scores=_sum("scores", self.scores, other.scores),
            class_scores=_sum("class scores", self.class_scores, other.class_scores),
            cases=_sum("class scores", self.cases, other.cases),
            rows=self.rows + other.rows,
            dropped=self.dropped + other.dropped,
            clusters=_unite_clusters(self.clusters, other.clusters),
        )

    def to_dict(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """The assessment as plain values, the contract of `--json` (see docs/assessment.schema.json)."""
        from classay.report.json import as_dict

        return as_dict(self, names)

    def report(self, path: str | Path | None = None) -> Any:
        """The `Report` of this assessment; with a path, also written there as one self-contained HTML page."""
        from classay.report.build import report_of
        from classay.report.html import as_html
        from classay.saving import write_text

        made = report_of(self)
        if path is not None:
            write_text(Path(path), as_html(made))
        return made

    def save(self, path: str | Path) -> None:
        """Write the tables to a `.classay` file, a zip of JSON and plain arrays that `classay.load` reads."""
        from classay.saving import save

        save(self, Path(path))

    def __str__(self) -> str:
        from classay.report.build import report_of
        from classay.report.terminal import as_text

        return as_text(report_of(self))

    def __repr__(self) -> str:
        what = f"positive={self.positive!r}" if self.positive is not None else f"{len(self.labels)} classes"
        return f"Assessment({self.n:,} cases, {what}; print it, or see .measures)"

    def _repr_html_(self) -> str:
        from classay.report.build import report_of
        from classay.report.html import as_html

        return as_html(report_of(self))


def assess(
    y_true: Any,
    y_score: Any = None,
    *,
    y_pred: Any = None,
    truth: str | None = None,
    score: str | Sequence[str] | Mapping[Hashable, str] | None = None,
    prediction: str | None = None,
    positive: Hashable | None = None,
    threshold: float | None = None,
    labels: Sequence[Hashable] | None = None,
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    missing: Missing = "refuse",
) -> Assessment:
    """Assess a classifier from its predictions: every measure it can have, each with its interval.

    Pass the truth and a score a row (or class scores of shape `(rows, classes)`), or `y_pred`, or both; or a
    dataframe first and the names of its columns: `assess(frame, truth="y", score="p")`, where `weight`, `frequency`
    and `cluster` name columns too. Labels are any hashable values; `positive` is 1 or True by default and must be
    named for others. Hard labels come from `score >= threshold`, compared in the scores' own precision; the default
    0.5 exists only for scores in [0, 1]. `weight` is a sampling weight, `frequency` a number of identical rows.
    `missing="drop"` leaves out rows with a missing label and counts them. Raises InputError for anything that would
    make a number wrong.

    >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> a["recall"]
    Estimate(0.750 [0.301, 0.954] 95 %, Wilson)
    """
    if truth is not None:
        columns = _columns(y_true, truth, score, prediction, weight, frequency, cluster)
        y_true, y_score, y_pred = columns["truth"], columns["score"], columns["prediction"]
        weight, frequency, cluster = columns["weight"], columns["frequency"], columns["cluster"]
    elif score is not None or prediction is not None:
        raise InputError("score= and prediction= name columns of a frame: pass truth= with the name of its column too.")
    if not 0 < level < 1:
        raise InputError(f"level is {level!r}: pass a share between 0 and 1, such as 0.95.")
    checked = check(
        y_true,
        y_score,
        y_pred=y_pred,
        positive=positive,
        labels=labels,
        weight=weight,
        frequency=frequency,
        cluster=cluster,
        missing=missing,
    )
    return of_predictions(checked, threshold=threshold, level=level, seed=seed_of(seed))


def of_predictions(
    rows: Predictions, *, threshold: float | None = None, level: float = 0.95, seed: int = 0
) -> Assessment:
    """Reduce checked rows to their tables."""
    if threshold is not None and (rows.score is None or rows.predicted is not None):
        why = "labels were given as predicted" if rows.predicted is not None else "it needs the scores of two classes"
        raise InputError(f"threshold is {threshold!r}, but {why}: leave it out.")
    if threshold is not None and np.isnan(threshold):
        raise InputError("threshold is NaN: pass a number.")
    weights: dict[str, Any] = {"weight": rows.weight, "frequency": rows.frequency}
    scores = class_scores = cases = matrix = None
    predicted = rows.predicted
    if rows.score is not None:
        labels = (rows.negative, rows.positive)
        scores = ScoreTable.from_rows(rows.score, rows.is_positive, labels, **weights)
    if rows.class_scores is not None:
        class_scores = ClassScoreTable.from_rows(rows.class_scores, rows.truth, rows.labels, **weights)
        cases = CaseTable.from_rows(rows.class_scores, rows.truth, rows.labels, **weights)
        if predicted is None:
            predicted = rows.class_scores.argmax(1).astype(rows.truth.dtype)
    used = threshold
    if predicted is not None:
        matrix = ConfusionMatrix.from_codes(predicted, rows.truth, rows.labels, **weights)
    elif scores is not None:
        if used is None and scores.are_probabilities:
            used = 0.5
        matrix = None if used is None else scores.at(used).restrict(rows.labels)
    kind = "sampling" if rows.weight is not None else "frequency" if rows.frequency is not None else "none"
    return Assessment(
        rows.labels,
        rows.positive,
        matrix,
        scores,
        class_scores,
        cases,
        threshold=None if used is None else float(used),
        threshold_chosen=threshold is not None,
        level=level,
        seed=seed,
        rows=rows.rows,
        dropped=rows.dropped,
        kind_of_weight=kind,
        clusters=rows.clusters,
    )


def infinite_cases(table: ScoreTable) -> float:
    """Weight of the cases with an infinite score."""
    at = np.flatnonzero([isinf(table.scores[0]), isinf(table.scores[-1])]) * (table.scores.size - 1)
    where = np.unique(at)
    return float((table.positives[where] + table.negatives[where]).sum())


def _columns(frame: Any, truth: str, score: Any, prediction: str | None, *others: Any) -> dict[str, Any]:
    """The columns of a frame by role; class scores as a mapping from label to column."""
    from classay.sources.frames import frame_columns

    roles: dict[str, Any] = {"truth": truth, "prediction": prediction}
    roles |= dict(zip(("weight", "frequency", "cluster"), others, strict=True))
    for role, name in roles.items():
        if name is not None and not isinstance(name, str):
            raise InputError(f"{role} is {type(name).__name__}: with a frame, pass the name of its column.")
    classes = {score: score} if isinstance(score, str) else score
    if classes is not None and not isinstance(classes, Mapping):
        classes = {name: name for name in classes}
    names = {name for name in roles.values() if name is not None} | {*(classes or {}).values()}
    found = frame_columns(frame, sorted(names))
    columns = {role: None if name is None else found[name] for role, name in roles.items()}
    if isinstance(score, str):
        return columns | {"score": found[score]}
    return columns | {"score": None if classes is None else {k: found[name] for k, name in classes.items()}}


def _averages_of(measure: Measure) -> str:
    averages = [f"{kind}_{measure.name}" for kind in ("macro", "micro", "weighted")]
    if measure.name == "roc_auc":
        averages.append("hand_till_auc")
    if measure.name == "brier_score":
        averages.append("multiclass_brier_score")
    known = [name for name in averages if name in MEASURES]
    offer = f"ask for {', '.join(known)}, " if known else "ask "
    return f"{measure.name} is of one class, and there are several: {offer}per_class, or one_vs_rest(label)."


def _sum(what: str, here: Any, there: Any) -> Any:
    if (here is None) != (there is None):
        raise MergeError(f"one assessment has {what} and the other has none: assess both alike.")
    return None if here is None else here + there


def _unite_clusters(here: Any, there: Any) -> Any:
    if (here is None) != (there is None):
        raise MergeError("one assessment has clusters and the other has none: assess both alike.")
    return None if here is None else sort_labels([*here, *there])


def _frame(rows: list[dict[str, Any]]) -> Any:
    import pyarrow as pa

    return pa.Table.from_pylist(rows)
