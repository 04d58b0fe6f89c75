"""Learners of several labels a case: fitted fold by fold, and assessed on the answers to the cases left out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment_warnings import columns_of_any
from classay.assessment.parts import Estimation
from classay.assessment.restoring import labels_in
from classay.assessment.saving import labels_out
from classay.columns import Labels
from classay.columns.values import listing
from classay.comparison.cases.compare_panel import compare_panel
from classay.comparison.comparisons import Comparisons
from classay.errors import InputError
from classay.files.archives import Archive, Fields, label_in, label_out, require_file, saved, sealed
from classay.files.writing import saved_path, write_bytes
from classay.inference.estimate import Estimate
from classay.measures import Measure, get
from classay.multilabel.saved_tags import clusters_in, ones_in, put_matrix, put_sparse, scores_in
from classay.multilabel.tag_assessment import MultilabelAssessment
from classay.multilabel.tag_columns import TagColumns
from classay.multilabel.tag_marks import are_tags
from classay.multilabel.tag_panel import MultilabelPredictions
from classay.multilabel.tag_rows import MultilabelRows, tag_rows
from classay.multilabel.task import MAIN_TAGS
from classay.resampling.bootstraps import protocol_of
from classay.resampling.data import Dataset, Split, dataset
from classay.resampling.fitting import Learner, global_state
from classay.resampling.other_labels import WayToEvaluate
from classay.shown import Reportable
from classay.warned import Warned, gathered

Array = NDArray[Any]
USUAL = "10x10"
"""The protocol of `evaluate` where none is named; of several labels a case it is one repeat of it."""
ONCE = "10fold"


@dataclass(frozen=True, eq=False, repr=False)
class TagEvaluation(Reportable):
    """Multilabel learners, each assessed on cases that it was not fitted to.

    `e["forest"]` is the `MultilabelAssessment` of one learner, and `e["micro_f1"]` an estimate of the only
    one. The model of its fold predicted each case once.

    Attributes
    ----------
    protocol : str
        How the cases were split.
    assessments : mapping of MultilabelAssessment
        Assessments by the names of the learners.
    rows : dict of MultilabelRows
        Predictions of each learner.
    measures : tuple of str
        Measures that are shown.
    level : float
        Confidence level of the intervals.
    seed : int
        Start of all random numbers.

    Notes
    -----
    Intervals cover the test cases. They do not cover that another training set gives another model, so they
    are exact for these models and slightly short for the learner.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.multioutput import MultiOutputClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import classay as ca
    >>> X, Y = make_multilabel_classification(200, n_classes=3, random_state=0)
    >>> e = ca.evaluate(MultiOutputClassifier(GaussianNB()), X, Y, protocol="5fold")
    >>> e["micro_f1"].value > 0.7
    True
    """

    protocol: str
    assessments: Mapping[str, MultilabelAssessment]
    rows: dict[str, MultilabelRows]
    measures: tuple[str, ...] = ()
    level: float = 0.95
    seed: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the learners."""
        return tuple(self.assessments)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings on the columns that a reader must know before acting.

        Each names the learners that it concerns.
        """
        return gathered(
            {name: columns_of_any(assessment) for name, assessment in self.assessments.items()}, "learners"
        )

    @property
    def first(self) -> MultilabelAssessment:
        """Assessment of the first learner."""
        return next(iter(self.assessments.values()))

    def __getitem__(self, name: str) -> Any:
        """The assessment of a learner by its name; of one learner alone, a measure by its."""
        if name in self.assessments:
            return self.assessments[name]
        if len(self.assessments) > 1:
            raise InputError(f"Unknown learner {name!r}. Learners: {listing(self.models)}.")
        return self.first[name]

    def estimates(self, model: str) -> dict[str, Estimate]:
        """Return the shown measures of a learner."""
        return self.assessments[model].estimates(self.measures)

    def compare(
        self,
        measures: Sequence[str | Measure] | None = None,
        *,
        control: str | None = None,
        adjustment: str = "holm",
    ) -> Comparisons:
        """Compare the learners on their shared cases.

        The test cases vary, not the training sets.

        Parameters
        ----------
        measures : sequence of str or Measure, optional
            Measures to compare. Prespecify few, because p-values are adjusted over them.
        control : str, optional
            The one model with which all other models are compared. Without it every pair is compared.
        adjustment : str, default "holm"
            Adjustment of the p-values over models and measures, one of the methods of `adjust`.

        Returns
        -------
        Comparisons
            One comparison for each pair of learners in each measure.
        """
        if len(self.assessments) < 2:
            raise InputError(
                "A comparison needs at least two learners, but there is only one. Evaluate two or more on the "
                "same folds."
            )
        panel = MultilabelPredictions.of(self.rows, None, None)
        names = list(measures or [name for name in self.measures if name in MAIN_TAGS])
        return compare_panel(
            panel, names, control=control, adjustment=adjustment, level=self.level, seed=self.seed
        )

    def save(self, path: str | Path) -> None:
        """Write the predictions of all learners to a file, in one step.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        _save(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> TagEvaluation:
        """Load what `save` wrote, without executing anything.

        Raises
        ------
        FileError
            If the file is damaged, or holds no such evaluation.
        """
        with saved(path, WHAT, FORMAT) as (about, archive):
            restored = _restored(about, archive, cls)
            archive.done()
            return restored

    def __repr__(self) -> str:
        return f"TagEvaluation({listing(self.models)} by {self.protocol}; print it, or see its assessments)"


def evaluate_tags(
    estimators: Mapping[str, object],
    X: Any,
    y: Any,
    *,
    protocol: Any,
    measures: Sequence[str] | None,
    cluster: Any,
    weight: Any,
    level: float,
    seed: int,
) -> TagEvaluation:
    """Fit each estimator in each fold, and assess its answers to the cases left out. Raises InputError, as `evaluate`.

    Folds are stratified by the set of tags of a case where it is frequent, and by how many it has where not.
    """
    truth = tag_rows(TagColumns(y, prediction=y)).with_tags()
    data = dataset("", X, _strata(truth.truth), None, weight, cluster)
    plan = protocol_of(ONCE if protocol == USUAL else protocol)
    splits = [split for split in plan.splits(data, seed) if split.place.kind == "test"]
    tested = np.concatenate([split.place.test for split in splits])
    if np.unique(tested).size < tested.size:
        raise InputError(
            f"{plan.name} tests cases more than once, but multilabel learners need one prediction per case. "
            f"Use protocol {ONCE!r}, for example."
        )
    by_model = {
        name: _answers(Learner.of(name, estimator), data, truth, splits, seed)
        for name, estimator in estimators.items()
    }
    design = {"weight": weight, "cluster": cluster}
    drawn = {name: None if column is None else np.asarray(column)[tested] for name, column in design.items()}
    rows, assessments = {}, {}
    for name, answers in by_model.items():
        scores, called = answers
        if scores is not None and cluster is not None:  # rows in clusters have one of both
            called = None
        rows[name] = tag_rows(TagColumns(truth.truth[tested], scores, called, truth.labels, **drawn))
        assessments[name] = rows[name].assessed(Estimation(level=level, seed=seed))
    known = {measure.name for measure in next(iter(assessments.values())).applicable()}
    shown = (
        tuple(get(name).name for name in measures) if measures else tuple(n for n in MAIN_TAGS if n in known)
    )
    return TagEvaluation(plan.name, assessments, rows, shown, level, seed)


def _are_tags(y: Any) -> bool:
    """Check whether labels are of several a case: a 0/1 matrix, sets, or a frame with a column a tag."""
    return bool(are_tags(y) or (hasattr(y, "columns") and np.ndim(y) == 2 and np.shape(y)[1] > 1))


def _targets(file: str, known: Sequence[str], text: str) -> dict[Hashable, str]:
    from classay.multilabel_learn.commands import targets

    return targets(file, known, text)


LEARNERS_OF_TAGS = WayToEvaluate(_are_tags, evaluate_tags, _targets)
"""How `evaluate` meets several labels a case."""


def _strata(truth: Any) -> Array:
    """A class of each case by which folds are alike: its set of tags, or where that is rare how many tags it has."""
    dense = truth.toarray()
    _, at, counts = np.unique(dense, axis=0, return_inverse=True, return_counts=True)
    at = np.asarray(at).ravel()
    strata = np.where(counts[at] >= 10, at, counts.size + dense.sum(1))
    _, codes, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    codes = np.where(sizes[codes] >= 10, codes, -1)
    if np.unique(codes).size < 2:  # nothing to be alike in
        codes = np.arange(codes.size) % 2
    return np.asarray(codes).astype(str)


def _answers(
    learner: Learner, data: Dataset, truth: MultilabelRows, splits: Sequence[Split], seed: int
) -> tuple[Array | None, Array | None]:
    """Return the scores of the cases left out, `(cases, tags)`, or without any the tags that are called."""
    marks = truth.truth.toarray().astype(np.int64)
    answers: list[tuple[Array | None, Array | None]] = []
    for split in splits:
        place = split.place
        model = learner.fresh(seed, place.number)
        with global_state(seed, place.number):
            try:
                model.fit(data.take(split.train), marks[split.train])
                answers.append(_asked(model, data.take(place.test), marks[split.train], truth.labels))
            except InputError:
                raise
            except Exception as error:
                raise InputError(
                    f"{learner.name} failed in {place}: {type(error).__name__}: {str(error).strip()[:200]}"
                ) from error
    scores, called = (_together(parts) for parts in zip(*answers, strict=True))
    return scores, called


def _together(parts: Sequence[Array | None]) -> Array | None:
    """Return the answers of all folds, None where some have none."""
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def _asked(model: Any, X: Any, trained: Array, labels: Labels) -> tuple[Array | None, Array | None]:
    """Return the scores of cases, `(cases, tags)`, and the tags that are called, where a model has them.

    Probabilities call from one half on; with decisions the model says itself what it calls.
    """
    tags = len(labels)
    if callable(getattr(model, "predict_proba", None)):
        output = model.predict_proba(X)
        if isinstance(output, list):  # of each tag the probabilities of its classes
            columns = [_of_true(one, trained[:, i]) for i, one in enumerate(output)]
            return _of_shape(np.column_stack(columns), tags), None
        return _of_shape(output, tags), None
    decisions = None
    if callable(getattr(model, "decision_function", None)):
        decisions = _of_shape(model.decision_function(X), tags)
    output = model.predict(X)
    return decisions, _of_shape(output.toarray() if hasattr(output, "toarray") else output, tags)


def _of_true(probabilities: Any, trained: Array) -> Array:
    """Return the probability of the tag; of one class alone in training, that of what was always seen."""
    columns = np.asarray(probabilities, np.float64)
    return np.full(columns.shape[0], float(trained[0])) if columns.shape[1] == 1 else columns[:, 1]


def _of_shape(output: Any, tags: int) -> Array:
    matrix = np.asarray(output, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != tags:
        raise InputError(
            f"The model returns predictions of shape {matrix.shape} for {tags} tags. Return a score for each "
            "tag, as MultiOutputClassifier, ClassifierChain and OneVsRestClassifier do."
        )
    return matrix


FORMAT = 2
WHAT = "tag evaluation"


def _save(e: TagEvaluation, path: Path) -> None:
    """The rows, which all learners share, and what each of them said of them."""
    first = next(iter(e.rows.values()))
    arrays: dict[str, Any] = {}
    put_sparse(arrays, "truth", first.truth)
    arrays |= {
        name: getattr(first, name) for name in ("weight", "cluster") if getattr(first, name) is not None
    }
    for at, rows in enumerate(e.rows.values()):
        if rows.scores is not None:
            put_matrix(arrays, f"scores.{at}", rows.scores)
        if rows.called is not None:
            put_sparse(arrays, f"called.{at}", rows.called)
    about: dict[str, Any] = {"format": FORMAT, "what": WHAT} | labels_out(first.labels)
    about |= {
        "protocol": e.protocol,
        "models": [*e.models],
        "measures": [*e.measures],
        "level": e.level,
        "seed": e.seed,
        "rows": first.rows,
        "weight_scale": first.scale,
        "clusters": None if first.clusters is None else [label_out(label) for label in first.clusters],
    }
    members = {f"{name}.npy": array for name, array in arrays.items()}
    write_bytes(path, sealed("tag_evaluation.json", about, members))


def _restored(about: Fields, archive: Archive, kind: type[TagEvaluation]) -> TagEvaluation:
    labels, names = labels_in(about), about.list("models", str)
    require_file(len(names) > 0 and len({*names}) == len(names), "models are none, or one stands twice")
    n, clusters = about.whole("rows", 1), about.maybe("clusters", lambda name: about.list(name, label_in))
    shape = n, len(labels)
    truth = ones_in(archive, "truth", shape)
    weight = archive.maybe_array("weight.npy", "f", (n,), least=0)
    cluster = clusters_in(archive, clusters, n)
    drawn = weight, None, cluster, clusters, about.number("weight_scale")
    rows = {}
    for at, name in enumerate(names):
        has_scores = any(f"scores.{at}.{part}" in archive for part in ("npy", "data.npy"))
        scores = scores_in(archive, f"scores.{at}", shape) if has_scores else None
        called = ones_in(archive, f"called.{at}", shape) if f"called.{at}.data.npy" in archive else None
        require_file(scores is not None or called is not None, f"{name} said nothing")
        rows[name] = MultilabelRows(
            labels, truth, called, scores, *drawn, "none" if weight is None else "sampling"
        )
    request = Estimation(level=about.share("level"), seed=about.whole("seed", most=inf))
    shown = about.list("measures", lambda name: get(str(name)).name)
    protocol = about.text("protocol")
    about.done()
    assessments = {name: tags.assessed(request) for name, tags in rows.items()}
    return kind(protocol, assessments, rows, shown, request.level, request.seed)
