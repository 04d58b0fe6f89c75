"""Several labels a case by several models on the same cases: MultilabelPredictions, and its measures compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from classay.answers import AnswerPolicy
from classay.assessment.assessment_warnings import TINY, columns_of_any
from classay.assessment.group_warnings import OfGroups, together, warnings_of_groups
from classay.assessment.parts import Estimation
from classay.assessment.task import rest_of
from classay.columns import Labels
from classay.columns.doubtful import equal_models
from classay.columns.numbers import counted
from classay.columns.opened import rows_of
from classay.columns.values import listing
from classay.comparison.cases.difference import (
    CLUSTERED_PROPORTIONS,
    PROPORTIONS,
    ComparisonMethod,
    of_spread,
    undefined,
)
from classay.comparison.cases.measure_tests import LABELS_NEEDED
from classay.comparison.cases.model_columns import (
    AllRows,
    is_frame_of_model,
    refuse_contradictions,
    repeats_of_rows,
)
from classay.comparison.cases.other_panel import OnRows, OtherPanel, WayOfPanels
from classay.comparison.cases.panel import NOTHING_SHARED, PairedPredictions
from classay.comparison.cases.panel_building import refuse_one_model
from classay.comparison.cases.panel_columns import GroupColumn
from classay.comparison.cases.score_measures import LOSSES_OF_CASES, compare_losses
from classay.comparison.comparison import Comparison
from classay.comparison.gate_rules import LEFT_OUT
from classay.comparison.named_tests import ONE_TEST_SET, find, names
from classay.errors import InputError
from classay.inference.design import Design
from classay.kinds import is_mapping
from classay.measures import Measure
from classay.multilabel.sentences import top_said
from classay.multilabel.tag_assessment import MultilabelAssessment, thresholds_of
from classay.multilabel.tag_columns import Names, TagColumns, columns_of_tags
from classay.multilabel.tag_labels import influence_on_tags
from classay.multilabel.tag_measures import of_tags
from classay.multilabel.tag_ranks import influence_on_ranks
from classay.multilabel.tag_rows import (
    MultilabelRows,
    groups_of_rows,
    is_of_tags,
    refuse_of_one_label,
    refuse_one_hot,
    tag_rows,
    with_task,
)
from classay.multilabel.tag_scores import MultilabelScores
from classay.multilabel.tag_tables import MultilabelTable, marks_of
from classay.multilabel.task import OF_TAGS
from classay.once import memoize
from classay.sources.inputs import columns_of_roles, frame_columns, named_in, orders_by_id
from classay.tables import PairedCounts
from classay.tables.row_hashes import order_by_contents
from classay.tables.sums import rounded_difference
from classay.texts import an, hint
from classay.warned import Warned, gathered

Array = NDArray[Any]


def _parts(matrix: Any) -> list[Array | None]:
    """Return the arrays of a matrix, dense or sparse: equal matrices have equal ones. None has one that is None."""
    if matrix is None or isinstance(matrix, np.ndarray):
        return [matrix]
    rows = matrix.tocsr().sorted_indices()
    return [rows.indptr, rows.indices, rows.data]


@dataclass(frozen=True, eq=False)
class MultilabelPredictions(OtherPanel):
    """Models that gave the same cases several labels each, or scores of every tag.

    `rows` are the checked rows of each model, of the same cases in the same sequence; `scores` and `predicted`, sparse
    matrices of ones, are of the models that have them. `thresholds` say of models with scores alone which tags are
    called, and are not there for scores beyond [0, 1] without any, or beside `top`.
    `group` are codes into `groups`, where the cases belong to groups, -1 where no group is recorded.
    """

    rows: dict[str, MultilabelRows]
    scores: dict[str, MultilabelScores]
    predicted: dict[str, Any]
    thresholds: dict[str, float | tuple[float, ...]]
    top: int | None = None
    threshold_chosen: bool = False
    group: Array | None = None
    groups: tuple[Hashable, ...] = ()
    emptied: tuple[Hashable, ...] = ()
    no_costs: ClassVar[str] = (
        "Costs are for the errors of one tag, but these cases are multilabel. Compare the labels of one tag."
    )
    alone: ClassVar[dict[str, tuple[int, int]]] = {}

    @classmethod
    def of(cls, rows: dict[str, MultilabelRows], threshold: Any, top: int | None) -> MultilabelPredictions:
        """The rows of models, of which those with scores alone call what a threshold or their highest scores say."""
        thresholds, chosen = _thresholds(rows, threshold, top)
        scores = {
            name: own_scores for name, tags in rows.items() if (own_scores := tags.tag_scores) is not None
        }
        called = {name: tags.called for name, tags in rows.items() if tags.called is not None}
        for name, matrix in scores.items():
            if name not in called and top is not None:
                called[name] = matrix.called_of_top(top)
            elif name not in called and name in thresholds:
                called[name] = matrix.called(thresholds[name])
        named = {name: called[name] for name in rows if name in called}
        return cls(rows, scores, named, thresholds, top, chosen)

    @property
    def first(self) -> MultilabelRows:
        """The rows of the first model, whose truth is that of all."""
        return next(iter(self.rows.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.rows)

    @cached_property
    def warnings(self) -> tuple[Warned, ...]:
        """What a reader must know of the columns before acting on the numbers: those of each model's own assessment.

        Behind those of all cases stand those that models have in some groups alone.
        """
        usual = Estimation()
        answers = {
            name: [*_parts(rows.scores), *_parts(self.predicted.get(name))]
            for name, rows in self.rows.items()
        }
        cases = self.first.rows if self.frequency is None else int(self.frequency.sum())
        equal = equal_models(answers, "scores" if self.scores else "predicted tags", cases)
        of_models = {name: columns_of_any(rows.assessed(usual)) for name, rows in self.rows.items()}
        warnings = (*equal, *gathered(of_models))
        if self.group is None:
            return warnings
        known, of_groups = {warning.code for warning in warnings}, OfGroups()
        places = [(label, np.flatnonzero(self.group == k)) for k, label in enumerate(self.groups)]
        times = np.ones(self.group.size) if self.first.frequency is None else self.first.frequency
        large = [(label, index) for label, index in places if times[index].sum() >= TINY]
        for name, rows in self.rows.items():
            groups = {label: rows.take(index).assessed(usual) for label, index in large}
            of_groups |= warnings_of_groups(groups, known, name)
        return (*warnings, *together(of_groups))

    @property
    def labels(self) -> Labels:
        """The tags."""
        return self.first.labels

    @property
    def frequency(self) -> Array | None:
        """How often each row is repeated."""
        return self.first.frequency

    @property
    def weight(self) -> Array | None:
        """Sampling weights of the rows."""
        return self.first.weight

    @property
    def cluster(self) -> Array | None:
        """Codes of the clusters of the rows."""
        return self.first.cluster

    @property
    def clusters(self) -> int | None:
        """Number of clusters."""
        return None if self.first.clusters is None else len(self.first.clusters)

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.first.rows if self.frequency is None else int(self.frequency.sum())

    @property
    def design(self) -> Design:
        """How the cases were drawn."""
        of = self.first
        return Design.of_rows(of.rows, frequency=of.frequency, weight=of.weight, cluster=of.cluster)

    @property
    def totals(self) -> Array:
        """How many cases truly have each tag."""
        times = self.weight if self.frequency is None else self.frequency
        weights = np.ones(self.first.rows) if times is None else times
        return np.asarray(self.first.truth.T @ weights)

    def have_probabilities(self, names: Sequence[str]) -> bool:
        """Check whether all scores of these models lie in [0, 1]."""
        scores = self.scores
        return all(name in scores and scores[name].in_unit for name in names)

    def read(self, measure: Measure) -> Measure:
        """Return the measure as that of several labels a case. Raises UnknownMeasureError for one of single labels."""
        return of_tags(measure)

    def is_of_scores(self, measure: Measure) -> bool:
        """Check whether a measure is read from the scores of tags."""
        return measure.needs == "tag_scores"

    def models_with(self, measure: Measure) -> tuple[list[str], str]:
        """Return the models that have what a measure needs, and what that is, in words."""
        of_scores = self.is_of_scores(measure)
        has = self.scores if of_scores else self.predicted
        return [name for name in self.names if name in has], (
            "scores of the tags" if of_scores else LABELS_NEEDED
        )

    def methods_of(self, measure: Measure) -> set[str]:
        """Return the names of the tests that a measure of all tags has, of any two models."""
        pairs = combinations(self.models_with(measure)[0], 2)
        if all(_values_of_same_cases(self, measure, pair) is None for pair in pairs):
            return set()
        if measure.name != "exact_match" or self.weight is not None:
            return {*names(ONE_TEST_SET, [LOSSES_OF_CASES])}
        if self.cluster is None:
            return {*names(ONE_TEST_SET, [PROPORTIONS])}
        return set() if self.frequency is not None else {*names(ONE_TEST_SET, [CLUSTERED_PROPORTIONS])}

    def compared(
        self,
        measure: Measure,
        pairs: Sequence[tuple[str, str]],
        *,
        method: str | None,
        level: float,
        seed: int,
    ) -> list[Comparison]:
        """Pairs of models in a measure of all tags, by what each case adds to it."""
        return compare_tags(self, measure, pairs, method, level, seed)

    def on_rows(self, name: str, measure: Measure) -> OnRows:
        """Return the value of a measure of one model, with the influence of each row on it, or why it has none."""
        if measure.needs == "tag_scores":
            scores = self.scores.get(name)
            if scores is None:
                return "no scores were given"
            value = float(measure(scores))
            why = measure.why_undefined(scores) if np.isnan(value) else None
            return why or (value, influence_on_ranks(measure, scores, value))
        if name not in self.predicted:
            return "the model has no labels"
        table, marks = _tables(self)[name]
        value = float(measure(table))
        why = measure.why_undefined(table) if np.isnan(value) else None
        return why or (value, influence_on_tags(measure, table, marks, value))

    def on_each_row(self, measure: Measure) -> dict[str, OnRows]:
        """Return the same of every model, by its name."""
        return {name: self.on_rows(name, measure) for name in self.names}

    def values_of_cases(self, name: str, measure: Measure) -> Array | None:
        """The values of the cases that a measure is the mean of, NaN where one has none; None of other measures."""
        if measure.name == "exact_match":
            outcomes = _tables(self)[name][0].outcomes
            return np.asarray((outcomes.fp + outcomes.fn) == 0, np.float64)
        if measure.of_cases is None:
            return None
        return measure.of_cases(
            self.scores[name] if measure.needs == "tag_scores" else _tables(self)[name][0]
        )

    def assessed(self, name: str, seed: int, needs: str) -> MultilabelAssessment:
        """Return one model assessed by itself, in clusters for measures of its labels or of its scores."""
        rows = self.rows[name]
        if rows.called is not None and rows.cluster is not None:
            rows = replace(rows, called=None) if needs == "tag_scores" else replace(rows, scores=None)
        request = Estimation(seed=seed)
        return (
            rows.assessed(request)
            if rows.called is not None
            else rows.assessed(request, self.thresholds.get(name), self.top)
        )

    def one_vs_rest(self, label: Hashable) -> PairedPredictions:
        """Return one tag against its absence, a panel of two classes."""
        rest, at = rest_of(label), [self.labels.index(label)]

        def column(marks: Any) -> Array:
            return np.asarray(marks[:, at].toarray()[:, 0], np.int8)

        thresholds = {
            name: cut[at[0]] if isinstance(cut, tuple) else cut for name, cut in self.thresholds.items()
        }
        of = self.first
        return PairedPredictions(
            self.names,
            (rest, label),
            label,
            column(of.truth),
            scores={name: scores.columns_of(label)[0] for name, scores in self.scores.items()},
            predicted={name: column(marks) for name, marks in self.predicted.items()},
            thresholds=thresholds,
            frequency=of.frequency,
            weight=of.weight,
            cluster=of.cluster,
            threshold_chosen=self.threshold_chosen,
        )

    def taken(self, rows: Array) -> MultilabelPredictions:
        """Return some of the cases, in this sequence."""
        group = None if self.group is None else self.group[rows]
        taken = {name: tags.take(rows) for name, tags in self.rows.items()}
        scores = {name: matrix for name, tags in taken.items() if (matrix := tags.tag_scores) is not None}
        called = {name: marks[rows] for name, marks in self.predicted.items()}
        return replace(self, rows=taken, scores=scores, predicted=called, group=group)

    def canonical(self) -> MultilabelPredictions:
        """Return the same cases in an order that their content decides."""
        parts = [(self.first.truth, 1)]
        for tags in self.rows.values():
            parts += [
                (matrix, salt) for salt, matrix in ((2, tags.scores), (3, tags.called)) if matrix is not None
            ]
        panel = self.taken(order_by_contents(parts))
        kept: dict[str, dict[str, Any]] = {
            name: {"rounded": tags.rounded, "repeats": tags.repeats, "dropped": tags.dropped}
            for name, tags in self.rows.items()
        }
        return replace(panel, rows={name: replace(tags, **kept[name]) for name, tags in panel.rows.items()})

    def by_group(self) -> Iterator[tuple[Hashable, MultilabelPredictions]]:
        """Yield each group with the panel of its cases."""
        assert self.group is not None
        for k, label in enumerate(self.groups):
            rows = np.flatnonzero(self.group == k)
            yield label, replace(self.taken(rows), group=None, groups=())

    def not_recorded(self) -> MultilabelPredictions | None:
        """Return the panel of the cases without a group; None where every case has one."""
        rows = np.flatnonzero(self.group < 0) if self.group is not None else np.zeros(0, np.intp)
        return replace(self.taken(rows), group=None, groups=()) if rows.size else None

    def default_measures(self, most: int | None = None) -> list[str]:
        """Return what is compared by default, of called tags and of scores; of each kind only the first `most`."""
        called, scored = len(self.predicted) > 1, len(self.scores) > 1
        chosen = [*OF_TAGS[:3][:most]] if called else []
        chosen += [*OF_TAGS[3:][:most]] if scored else []
        if not chosen:
            raise InputError(NOTHING_SHARED)
        return chosen

    @property
    def facts(self) -> list[tuple[str, str]]:
        """How many cases, tags and clusters there are, and what calls a tag."""
        facts = [("cases", f"{self.n:,}"), ("tags", f"{len(self.labels):,}")]
        if self.clusters is not None:
            facts.append(("clusters", f"{self.clusters:,}"))
        if self.first.dropped:
            facts.append((LEFT_OUT, f"{counted(self.first.dropped)} with a missing true tag"))
        if never := [label for label, total in zip(self.labels, self.totals, strict=True) if not total]:
            facts.append(("tags without true cases", listing(never)))
        if self.top is not None:
            facts.append(("called", top_said(self.top)))
        elif self.thresholds:
            values = {
                "one for each tag" if isinstance(cut, tuple) else f"{cut:g}"
                for cut in self.thresholds.values()
            }
            by_model = [
                f"{name}: {'one for each tag' if isinstance(cut, tuple) else f'{cut:g}'}"
                for name, cut in self.thresholds.items()
            ]
            text = values.pop() if len(values) == 1 else ", ".join(by_model)
            facts.append(
                (
                    "threshold",
                    text if self.threshold_chosen else f"{text} (default, not chosen for these data)",
                )
            )
        return facts


@memoize
def _tables(panel: MultilabelPredictions) -> dict[str, tuple[MultilabelTable, Any]]:
    """Return the table of each model with labels, of the outcome of each case, and its marks."""
    of, tables = panel.first, {}
    for name, called in panel.predicted.items():
        marks = marks_of(of.truth, called)
        tables[name] = MultilabelTable.by_case(marks, of.labels, of.weight, of.frequency), marks
    return tables


def are_of_tags(models: Any, rows: AllRows) -> bool:
    """Check whether what `compare` was given is of several labels a case."""
    y_true, truth = rows["y_true"], rows["truth"]
    if rows["separator"] is not None or rows["top"] is not None:
        return True
    if truth is not None:
        return not isinstance(truth, str) or "*" in truth
    by_model = rows["y_pred"] if is_mapping(rows["y_pred"]) else models
    first = next(iter(by_model.values()), None) if is_mapping(by_model) else None
    return y_true is not None and is_of_tags(y_true, None, first, None, None)


def with_task_of_models(models: Any, rows: AllRows) -> AllRows:
    """The arguments of `compare`, one-hot truth of classes as their labels where `task` says that it is of classes.

    Raises InputError for tags in one column of labels, and for one-hot columns of frames.
    """
    task, arguments = rows.get("task"), rows.copy()
    if task is None:
        return arguments
    if not are_of_tags(models, rows) or rows["truth"] is not None:
        if task == "classes" and are_of_tags(models, rows):
            raise InputError(
                "task='classes' of frames needs one column of labels, but truth names several. Make one column of the "
                "true labels, or use arrays."
            )
        with_task(
            None if rows["truth"] is not None else rows["y_true"],
            None,
            {"task": task, "truth": rows["truth"], "separator": rows["separator"]},
        )
        return {**arguments, "task": None} if task == "classes" else arguments
    if task == "tags":
        with_task(rows["y_true"], None, {"task": task, "separator": rows["separator"]})
        return arguments
    no_labels: Mapping[Any, Any] = {None: None}
    labels: dict[str, Any] = {}
    for name, predicted in (rows["y_pred"] or no_labels).items():
        arguments["y_true"], _, task_rows = with_task(
            rows["y_true"], None, {"task": task, "labels": rows["labels"], "y_pred": predicted}
        )
        labels[name] = task_rows.get("y_pred")
        arguments["labels"] = task_rows["labels"]
    if rows["y_pred"]:
        arguments["y_pred"] = labels
    return {**arguments, "task": None}


def tag_panel_from(
    models: Any, rows: AllRows, policy: AnswerPolicy, groups: GroupColumn | None = None
) -> MultilabelPredictions:
    """Return the checked rows of models that give several labels a case; `rows` are the arguments of `compare`.

    Raises InputError where the models are not about the same cases and tags.
    """
    of_one_label = {name: rows.get(name) or None for name in ("positive", "amounts", "ordered")}
    refuse_of_one_label({**of_one_label, **asdict(policy), "by": groups})
    of_groups = () if groups is None else groups.columns
    arrays = _of_arrays(models, rows) if rows["truth"] is None else _of_frames(models, rows, of_groups)
    of_model = _checked(arrays, rows, policy)
    refuse_one_model(len(of_model))
    _refuse_other_truths(of_model)
    repeats = repeats_of_rows(models, rows, groups)
    of_model = {name: replace(tags, repeats=repeats) for name, tags in of_model.items()}
    panel = MultilabelPredictions.of(of_model, rows["threshold"], rows["top"])
    if groups is None:
        return panel
    of_rows = groups_of_rows(groups.codes, groups.labels, panel.first, policy.missing)
    return replace(panel, group=of_rows.group, groups=of_rows.groups, emptied=of_rows.uncounted)


PANELS_OF_TAGS = WayOfPanels(with_task_of_models, are_of_tags, tag_panel_from)
"""How `compare` meets several labels a case."""


def _checked(
    models: Mapping[str, TagColumns], rows: AllRows, policy: AnswerPolicy
) -> dict[str, MultilabelRows]:
    """Return the rows of each model, whose tags are those of all where they came in lists."""

    def read(labels: Any) -> dict[str, MultilabelRows]:
        rows_of_model = {}
        for name, columns in models.items():
            try:
                scale = None if columns.score is None else rows.get("score_scale")
                of_tags = columns if labels is None else replace(columns, labels=labels)
                its = rows_of_model[name] = tag_rows(of_tags, scale, policy.missing).with_tags()
                if not its.listed:
                    refuse_one_hot(its.truth, its.scores, rows.get("task"), its.score_scale)
            except InputError as error:
                raise InputError(f"{name}: {error}") from error
        return rows_of_model

    checked = read(None)
    names = {tags.labels for tags in checked.values()}
    if len(names) < 2:
        return checked
    first, *others = checked.values()
    union = first.labels
    for tags in others:
        union = union | tags.labels
    columns = {name for name, tags in checked.items() if {*tags.labels} != {*union}}
    if (
        len({len(tags.labels) for tags in checked.values()}) == 1 and not columns
    ):  # the same, in another sequence
        return read(first.labels)
    if any(arrays.has_columns for arrays in models.values()):
        raise InputError(
            "The models have different tags: not all of them have "
            f"{listing(sorted(union, key=str))}. Use the same tags for all models."
        )
    return read(union)


def _of_arrays(models: Any, rows: AllRows) -> dict[str, TagColumns]:
    if rows["y_true"] is None:
        raise InputError("There are no true tags. Pass y_true, or truth= with the names of their columns.")
    for name, columns in (("models", models), ("y_pred", rows["y_pred"])):
        if columns is not None and (not is_mapping(columns) or hasattr(columns, "columns")):
            raise InputError(
                f"{name} must be a dict of matrices by model name, but is {an(type(columns).__name__)}."
            )
    scores, called = dict(models or {}), dict(rows["y_pred"] or {})
    y_true, tags = rows["y_true"], rows["labels"]
    return {
        str(name): TagColumns(
            y_true, scores.get(name), called.get(name), tags, rows["separator"], **_drawn(rows)
        )
        for name in dict.fromkeys([*scores, *called])
    }


def _drawn(rows: AllRows) -> dict[str, Any]:
    return {"weight": rows["weight"], "frequency": rows["frequency"], "cluster": rows["cluster"]}


def _of_frames(models: Any, rows: AllRows, groups: Sequence[str]) -> dict[str, TagColumns]:
    """Of one frame with columns of each model, or of a frame for each, joined by an id, that agree in their columns."""
    if rows["y_true"] is not None:
        raise InputError("truth= and y_true both contain the true tags. Pass one of them.")
    is_each = is_mapping(models) and bool(models) and all(map(is_frame_of_model, models.values()))
    of_model, places = {}, {}
    if not is_each:
        if rows["id"] is not None:
            orders_by_id({"the rows": frame_columns(models, [rows["id"]])[rows["id"]]})
        for name, of in _by_model(rows).items():
            places[name] = (models, of)
    else:
        for name, frame in models.items():
            places[str(name)] = (
                frame,
                {"score": rows["scores"], "prediction": cast(Names, rows["predictions"])},
            )
    known = columns_of_roles(next(iter(places.values()))[0], _drawn(rows))
    orders = None
    if is_each and rows["id"] is not None:
        ids = {name: frame_columns(frame, [rows["id"]])[rows["id"]] for name, (frame, _) in places.items()}
        orders = orders_by_id(ids)
        known = rows_of(known, next(iter(orders.values())))
    for name, (frame, of) in places.items():
        try:
            tags = columns_of_tags(
                frame, {"truth": rows["truth"], **of}, {}, rows["labels"], rows["separator"]
            )
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
        truth, score, called = tags.truth, tags.score, tags.prediction
        if orders is not None:
            truth, score, called = (rows_of(column, orders[name]) for column in (truth, score, called))
        of_model[name] = replace(tags, truth=truth, score=score, prediction=called, **known)
    _refuse_contradictions(models if is_each else {}, orders, [*named_in(_drawn(rows)), *groups], of_model)
    return of_model


def _refuse_contradictions(
    frames: Mapping[Any, Any],
    orders: Mapping[str, Array] | None,
    described: Sequence[str],
    of_model: Mapping[str, TagColumns],
) -> None:
    """Refuse models whose columns of the cases differ; those of other numbers of rows are refused by their tags."""
    if len({len(tags.truth) for tags in of_model.values()}) == 1:
        refuse_contradictions(frames, orders, described)


def _by_model(rows: AllRows) -> dict[str, dict[str, Names]]:
    """Return the columns of scores and of predictions of each model of one frame."""
    by_model: dict[str, dict[str, Names]] = {}
    for role, option, of_role in (
        ("score", "scores", rows["scores"]),
        ("prediction", "predictions", rows["predictions"]),
    ):
        named: Any = of_role
        if named is None:
            continue
        if not isinstance(named, Mapping):
            names = [named] if isinstance(named, str) else [*named]
            if rows["separator"] is None or not all(isinstance(name, str) for name in names):
                example = hint(
                    f"{option}={{'new': 'new_*', 'old': 'old_*'}}", f"--{option} 'new=new_*,old=old_*'"
                )
                raise InputError(
                    f"{hint(f'{option}=', f'--{option}')} must name the columns of each multilabel model, as in "
                    f"{example}, but is {named!r}."
                )
            named = {name: name for name in names}
        for name, columns in named.items():
            by_model.setdefault(str(name), {})[role] = columns
    if not by_model:
        refuse_one_model(0)
    return by_model


def _refuse_other_truths(of_model: Mapping[str, MultilabelRows]) -> None:
    """Refuse models whose rows are not of the same cases."""
    first = next(iter(of_model))
    for name, tags in of_model.items():
        if tags.rows != of_model[first].rows:
            raise InputError(
                f"{name} has {tags.rows:,} cases, but {first} has {of_model[first].rows:,}. Pass the same cases "
                "for all models."
            )
        differ = np.flatnonzero((tags.truth != of_model[first].truth).sum(1))
        if differ.size:
            raise InputError(
                f"The true tags of {name} and {first} differ in {counted(differ.size)}, first at index "
                f"{int(differ[0])}. If the row order differs, join by an id ({hint('id=', '--id')})."
            )


def _thresholds(
    of_model: Mapping[str, MultilabelRows], threshold: Any, top: int | None
) -> tuple[dict[str, float | tuple[float, ...]], bool]:
    """Return the threshold of each model with scores alone, and whether anybody chose it."""
    scored = [name for name, tags in of_model.items() if tags.called is None]
    labels = next(iter(of_model.values())).labels
    if top is not None:
        if threshold is not None:
            raise InputError("threshold= and top= cannot be combined. Use one of them to predict tags.")
        return {}, True
    if threshold is None:
        of_half = [
            name for name in scored if (tags := of_model[name].tag_scores) is not None and tags.in_unit
        ]
        return dict.fromkeys(of_half, 0.5), False
    if isinstance(threshold, Mapping) and {*map(str, threshold)} & {*of_model}:
        if unknown := [name for name in threshold if str(name) not in scored]:
            raise InputError(
                f"threshold has no effect on {listing(unknown)}, because its tags are already predicted. Remove "
                "it."
            )
        return {str(name): thresholds_of(cut, labels) for name, cut in threshold.items()}, True
    if not scored:
        raise InputError("threshold= and top= have no effect on predicted labels. Remove them.")
    return dict.fromkeys(scored, thresholds_of(threshold, labels)), True


SOURCES = ("binder1983", "satterthwaite1946")
INFLUENCE = ComparisonMethod("influence function, t", "influence function t", SOURCES)
OF_WEIGHTS = ComparisonMethod("linearised, t", "linearised t", SOURCES)
OF_CLUSTERS = ComparisonMethod("clusters, t", "t over clusters", SOURCES)


def compare_tags(
    panel: MultilabelPredictions,
    measure: Measure,
    pairs: Sequence[tuple[str, str]],
    method: str | None,
    level: float,
    seed: int,
) -> list[Comparison]:
    """Pairs of models in a measure of all tags; the case is what was drawn, so that its tags vary together.

    Exact match is a proportion of the same cases and gets McNemar's test, means over the same cases (the Hamming loss,
    measures of ranks) get the paired t; others, whose cases or counts differ between models, the influence of each case
    on the difference, with degrees of freedom by moments: rare tags show in few cases. A `method` holds for the
    measures that have it.
    """
    comparisons = []
    for a, b in pairs:
        values = _values_of_same_cases(panel, measure, (a, b))
        if values is None:
            comparisons.append(_by_influence(panel, measure, (a, b), level))
        elif measure.name == "exact_match" and panel.weight is None:
            comparisons.append(_of_shares(panel, measure, (a, b), values, method, level))
        else:
            comparisons.append(_of_means(panel, measure, (a, b), values, method, level, seed))
    return comparisons


def _values_of_same_cases(
    panel: MultilabelPredictions, measure: Measure, models: tuple[str, str]
) -> tuple[Array, Array] | None:
    """Return the values of the cases by two models, where the same cases have one; None of other measures."""
    first, second = (panel.values_of_cases(name, measure) for name in models)
    if first is None or second is None or not (np.isnan(first) == np.isnan(second)).all():
        return None
    return None if np.isnan(first).all() else (first, second)


def _of_shares(
    panel: MultilabelPredictions,
    measure: Measure,
    models: tuple[str, str],
    right: tuple[Array, Array],
    method: str | None,
    level: float,
) -> Comparison:
    """Return a proportion of the same cases, of which each is right or wrong."""
    if panel.cluster is not None:
        of_clusters = find(ONE_TEST_SET, method, CLUSTERED_PROPORTIONS)
        if of_clusters is None or panel.frequency is not None:
            return _by_influence(panel, measure, models, level)
        clustered: Comparison = of_clusters(*right, panel.cluster, models, measure=measure.name, level=level)
        return clustered
    first, second = (values > 0 for values in right)
    times = np.ones(first.size, np.int64) if panel.frequency is None else panel.frequency
    parts = (first & second, first & ~second, ~first & second, ~first & ~second)
    counts = PairedCounts(*(int(times[cases].sum()) for cases in parts))
    known = find(ONE_TEST_SET, method, PROPORTIONS) or find(ONE_TEST_SET, "mid-p", PROPORTIONS)
    assert known is not None
    comparison: Comparison = known(counts, models, measure=measure.name, level=level)
    return comparison


def _of_means(
    panel: MultilabelPredictions,
    measure: Measure,
    models: tuple[str, str],
    values: tuple[Array, Array],
    method: str | None,
    level: float,
    seed: int,
) -> Comparison:
    """Return a mean over the same cases by the paired t, or by sign flips."""
    rows = np.flatnonzero(~np.isnan(values[0]))
    part = panel.first.take(rows)
    test = find(ONE_TEST_SET, method, LOSSES_OF_CASES) or compare_losses
    low, high = measure.bounds
    width = float(high - low) if np.isfinite(high) else len(panel.labels) - low
    comparison: Comparison = test(
        values[0][rows],
        values[1][rows],
        models,
        measure=measure.name,
        design=Design.of_rows(rows.size, frequency=part.frequency, weight=part.weight, cluster=part.cluster),
        level=level,
        width=width,
        seed=seed,
    )
    return comparison


def _by_influence(
    panel: MultilabelPredictions, measure: Measure, models: tuple[str, str], level: float
) -> Comparison:
    """By how far one more of each case moves the difference."""
    first, second = (panel.on_rows(name, measure) for name in models)
    for name, influence in zip(models, (first, second), strict=True):
        if isinstance(influence, str):
            return undefined(models, measure.name, f"{name} has no value ({influence})")
    assert not isinstance(first, str)
    assert not isinstance(second, str)
    values, design = (first[0], second[0]), panel.design
    if design.number < 2:
        return undefined(models, measure.name, f"one of the {design.units.name} shows no variation", values)
    how = OF_CLUSTERS if panel.cluster is not None else OF_WEIGHTS if panel.weight is not None else INFLUENCE
    spread = design.spread(rounded_difference(first[1], second[1]), degrees="moments")
    low, high = measure.bounds
    return of_spread(models, measure.name, values, spread, how, level=level, width=float(high - low))
