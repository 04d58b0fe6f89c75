"""Assessments of classifiers that give a case several labels: of matrices, lists or frames, read by tag."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from classay.assessment import views
from classay.assessment.assessment import Assessment
from classay.assessment.task import Asked, Received, Sampling, Tags, rest_of
from classay.columns import Labels, code_labels, match_label
from classay.columns.labels import declared
from classay.columns.numbers import refuse_weights, row_weights, weight_scale
from classay.columns.tags import TagMarks, are_tags, long_tags, tag_marks, tag_scores
from classay.columns.values import listing
from classay.errors import InputError, MergeError
from classay.files.writing import saved_path
from classay.inference.estimate import Estimate
from classay.inference.methods import Drawn
from classay.kinds import checked, shown
from classay.measures import Measure, get
from classay.measures.tags import shown_of_tags
from classay.tables import BinaryCounts, ScoreTable
from classay.tables.rows import CodedRows
from classay.tables.tag_scores import TagScores
from classay.tables.tags import TagTable
from classay.texts import hint

if TYPE_CHECKING:
    from classay.assessment.tag_thresholds import TagThresholds
    from classay.decision.costs import Costs

Array = NDArray[Any]
_AT_ONCE = 64
"""Tags whose tables are made together."""
NO_RULE = "nothing says which threshold of a tag is best: pass " + hint(
    "cost=Costs(fp=1, fn=5), or a measure of one tag, maximize='f1'.",
    "--cost fp=1 --cost fn=5, or a measure of one tag, --maximize f1.",
)
PER_TAG = ("prevalence", "precision", "recall", "f1")
"""What `per_class` gives of each tag, beside its AUC and average precision where it has scores."""
Thresholds = float | Sequence[float] | Mapping[Hashable, float] | None


@dataclass(frozen=True)
class WrongTogether:
    """Two tags of which one is missed and the other called instead, in so many cases."""

    missed: Hashable
    called: Hashable
    cases: float
    share: float
    """Of the cases that miss the first."""


@dataclass(frozen=True, eq=False, repr=False)
class TagAssessment(Assessment):
    """What is known of a classifier that gives each case several labels, its tags: every measure with its interval.

    `a["micro_f1"]`, `a["samples_f1"]`, `a["macro_roc_auc"]` are estimates of all tags; `a.tag("cat")` is the ordinary
    assessment of one tag against its absence, with everything that two classes have, and `a["recall[cat]"]` one number
    of it. The case is what was drawn, so that its tags vary together. A tag that no case has lacks a recall and an
    AUC, and every plain mean over tags lacks them with it: the reason names it.

    >>> import classay as ca
    >>> a = ca.assess([{"cat"}, {"cat", "dog"}, {"dog"}, set()], y_pred=[{"cat"}, {"cat"}, {"dog"}, {"cat"}])
    >>> a["micro_recall"].value, a.tag("dog")["recall"].value
    (0.75, 0.5)
    """

    task: Tags
    received: Received
    sampling: Sampling
    asked: Asked

    @property
    def tags(self) -> tuple[Hashable, ...]:
        """The tags, in order."""
        return self.labels

    @property
    def clusters(self) -> tuple[Hashable, ...] | None:
        """The clusters that cases belong to, or None where these are independent."""
        return self.task.clusters

    @property
    def n(self) -> int:
        """Number of cases: rows, or the sum of their frequencies."""
        return self.rows if self.kind_of_weight == "sampling" else int(self.task.weight)

    @property
    def weight_of_cases(self) -> float:
        """How many cases there are, or their weight."""
        return float(self.task.weight)

    @property
    def drawn(self) -> Drawn:
        """How the cases were drawn: alike, with sampling weights, or in clusters."""
        if self.clusters is not None:
            return "clustered"
        return "weighted" if self.kind_of_weight == "sampling" else "alike"

    @checked
    def tag(self, label: Hashable) -> Assessment:
        """One tag against its absence, as an assessment of two classes. Raises InputError, listing the tags."""
        return self.one_vs_rest(label)

    @checked
    def one_vs_rest(self, label: Hashable) -> Assessment:
        """The same as `tag`."""
        label = match_label(label, self.labels)
        task = self.task.one_vs_rest(label)
        coded = None if self.clusters is None else _coded(self.task, label)
        return Assessment(task, self.received, replace(self.sampling, coded=coded), self.asked)

    def at(self, threshold: Thresholds) -> TagAssessment:
        """The same scores at a threshold, or at one a tag: a list in the order of the tags, or by their names."""
        return replace(self, task=self.task.at(thresholds_of(threshold, self.labels)))

    @checked
    def at_top(self, k: int) -> TagAssessment:
        """The same scores with the k highest tags of each case called, of equal ones the first."""
        if k != int(k):
            raise InputError(f"k is {k:g}: pass a whole number of tags.")
        return replace(self, task=self.task.at_top(int(k)))

    @checked
    def threshold(  # type: ignore[override]  # of all tags together
        self,
        *,
        cost: Costs | Mapping[str, Any] | None = None,
        maximize: str | Measure | None = None,
        minimize: str | Measure | None = None,
        held_back: TagAssessment | None = None,
    ) -> TagThresholds:
        """The threshold of each tag by a rule, and what to expect of all of them on new cases.

        The objective is the least expected `cost` of a tag's errors, or a measure of its counts to `maximize` or
        `minimize`. What thresholds bring on the cases that chose them flatters them: what to expect is found on the
        cases `held_back`, or by cross-fitting. Raises InputError without scores, and for measures of no single tag.
        """
        from classay.assessment.tag_thresholds import tag_thresholds
        from classay.decision.rules import Rule

        if cost is None and maximize is None and minimize is None:
            raise InputError(NO_RULE)
        return tag_thresholds(self, Rule.of(cost, None, maximize, minimize), held_back)

    def applicable(self) -> list[Measure]:
        """The measures that its tables can give, averages of areas among them."""
        return [each for each in shown_of_tags() if self.task.gives(each)]

    @property
    def never_true(self) -> tuple[Hashable, ...]:
        """The tags that no case has: they have no recall, AUC or average precision."""
        totals = self.class_totals
        return tuple(label for label, total in zip(self.labels, totals, strict=True) if total == 0)

    def class_estimates(self) -> dict[Hashable, dict[str, Estimate]]:
        """For each tag, prevalence, precision, recall and F1, and AUC and average precision where it has scores."""
        return self.some_tags(self.labels)

    def some_tags(self, labels: Sequence[Hashable]) -> dict[Hashable, dict[str, Estimate]]:
        """The same of some tags."""
        names = (PER_TAG if self.task.tags is not None else ()) + (
            ("roc_auc", "average_precision") if self.task.tag_scores is not None else ()
        )
        wanted = [get(name) for name in names]
        found: dict[Hashable, dict[str, Estimate]] = {}
        for first in range(0, len(labels), _AT_ONCE):
            some = labels[first : first + _AT_ONCE]
            ones = [self.one_vs_rest(label) for label in some]
            at_once = self._at_once(wanted, some, ones)
            for place, (label, one) in enumerate(zip(some, ones, strict=True)):
                known = {name: each[place] for name, each in at_once.items()}
                rest = [each for each in wanted if known.get(each.name) is None]
                known |= zip((each.name for each in rest), views.of_measures(one, rest), strict=True)
                found[label] = {name: known[name] for name in names}  # type: ignore[misc]
        return found

    def _at_once(
        self, wanted: Sequence[Measure], labels: Sequence[Hashable], ones: Sequence[Assessment]
    ) -> dict[str, list[Estimate | None]]:
        """What many tags have in one pass, the same as by themselves; None of what a tag must find by itself."""
        if self.drawn != "alike" or self.interval is not None:
            return {}
        from classay.inference.groups_at_once import scores_at_once, shares_at_once

        found: dict[str, list[Estimate | None]] = {}
        scores = [each.scores for each in ones if isinstance(each.scores, ScoreTable)]
        table = self.task.tags
        for measure in wanted:
            if measure.needs == "counts" and table is not None:
                at = [self.labels.index(label) for label in labels]
                counts = BinaryCounts(*(each[at] for each in table.counts))
                shares = shares_at_once(measure, counts, self.level)
                tp, fp, fn, tn = counts
                both = (tp + fp > 0) & (fn + tn > 0)
                if shares is not None:
                    found[measure.name] = [
                        each if is_plain else None for each, is_plain in zip(shares, both, strict=True)
                    ]
            elif measure.needs == "scores":
                areas = scores_at_once(measure, scores) if len(scores) == len(ones) else None
                if areas is not None:
                    found[measure.name] = [each(self.level) for each in areas]
        return found

    def worst_tags(self, most: int, name: str = "f1") -> list[Hashable]:
        """The tags with the lowest values of a measure of counts, of ties the more frequent; undefined ones last.

        Without labels, those with the lowest AUC.
        """
        if self.task.tags is not None:
            values = np.asarray(get(name).raw(*self.task.tags.counts), np.float64)
        else:
            from classay.measures.tag_ranking import tag_ranking

            assert self.task.tag_scores is not None
            values = tag_ranking(self.task.tag_scores).aucs
        order = np.lexsort((-np.asarray(self.class_totals, np.float64), values))
        return [self.labels[at] for at in order[:most]]

    def wrong_together(self, most: int = 10) -> tuple[WrongTogether, ...]:
        """The tags that are missed and called in the same cases, the most frequent first: which is taken for which.

        Empty with sampling weights and in clusters, of which joint counts are not kept.
        """
        table = self.task.tags
        if table is None or table.joint is None or table.squares is not None:
            return ()
        tags = len(self.labels)
        part = table.joint[2 * tags :, tags : 2 * tags].tocoo()
        order = np.lexsort((part.col, part.row, -part.data))[:most]
        missed = table.cells[2]
        return tuple(
            WrongTogether(
                self.labels[part.row[i]],
                self.labels[part.col[i]],
                float(part.data[i]),
                float(part.data[i] / missed[part.row[i]]),
            )
            for i in order
        )

    @property
    def scored_cases(self) -> Any:
        """Raises InputError: a curve is of one tag."""
        raise InputError(
            f"a curve or a threshold is of one tag, and there are several: ask tag({self.labels[0]!r}) first."
        )

    def expected_cost(self, cost: Any, *, prevalence: float | None = None) -> Any:
        """Raises InputError: costs are those of one tag's errors."""
        raise InputError(
            f"costs are of the errors of one tag, and there are several: ask tag({self.labels[0]!r}) first."
        )

    def methods_text(self, measures: Any = None) -> str:
        """How the classifier was assessed, as sentences for a paper, with references."""
        return super(Assessment, self).methods_text()

    def __add__(self, other: Assessment) -> TagAssessment:
        """The assessment of both test sets together; MergeError says what differs when they cannot be added."""
        if not isinstance(other, TagAssessment):
            what = "one of one label a case" if isinstance(other, Assessment) else shown(other)
            raise MergeError(f"an assessment of several labels a case and {what} cannot be added.")
        for what in ("level", "seed", "kind_of_weight", "weight_scale", "interval", "limit"):
            here, there = getattr(self, what), getattr(other, what)
            if here != there:
                raise MergeError(
                    f"{what.replace('_', ' ')} is {here!r} here and {there!r} there: assess both alike."
                )
        labels = Labels.of(self.labels) | Labels.of(other.labels)
        return replace(
            self,
            task=self.task.merged(other.task, labels, None),
            received=self.received + other.received,
        )

    @checked
    def save(self, path: str | Path) -> None:
        """Write the tables to a `.classay` file, a zip of JSON and plain arrays that `classay.load` reads."""
        from classay.assessment.saved_tags import save

        save(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> TagAssessment:
        """Read what `save` wrote. Raises FileError when the file is none, or damaged."""
        from classay.assessment.saved_tags import load

        return load(path, cls)

    def __repr__(self) -> str:
        return f"TagAssessment({self.n:,} cases, {len(self.labels):,} tags; print it, or see .measures)"


def thresholds_of(threshold: Any, labels: Sequence[Hashable]) -> float | tuple[float, ...]:
    """A threshold of all tags, or one of each in their order. Raises InputError where some lack one."""
    if isinstance(threshold, Mapping):
        known = {match_label(label, labels): float(value) for label, value in threshold.items()}
        if len(known) < len(threshold):
            raise InputError(f"threshold names a tag twice: {listing([*threshold])}.")
        if lacking := [label for label in labels if label not in known]:
            raise InputError(f"threshold has none for {listing(lacking)}: pass one for each tag.")
        return tuple(known[label] for label in labels)
    if isinstance(threshold, Sequence | np.ndarray) and not isinstance(threshold, str):
        found = tuple(float(each) for each in threshold)
        if len(found) != len(labels):
            raise InputError(
                f"there are {len(found)} thresholds and {len(labels)} tags: pass one for each tag."
            )
        if any(np.isnan(found)):
            raise InputError("a threshold is NaN: pass a number for each tag.")
        return found
    try:
        one = float(threshold)
    except (TypeError, ValueError):
        one = np.nan
    if np.isnan(one):
        raise InputError(f"threshold is {shown(threshold)}: pass a number, or one for each tag.")
    return one


def _coded(task: Tags, label: Hashable) -> CodedRows:
    """The cases of one tag in clusters: with scores each row, else what each cluster has of true and called ones."""
    rest, clusters = rest_of(label), task.clusters
    assert clusters is not None
    if task.tag_scores is not None:
        of = task.tag_scores
        score, true = of.columns_of(label)
        predicted = None
        if task.tags is not None and task.top is not None:
            at = [task.labels.index(label)]
            predicted = of.called_of_top(task.top)[:, at].toarray()[:, 0].astype(np.int8)
        elif task.cutoffs is not None:
            at_tag = (
                task.cutoffs[task.labels.index(label)] if isinstance(task.cutoffs, tuple) else task.cutoffs
            )
            predicted = (score >= np.asarray(at_tag, score.dtype)).astype(np.int8)
        assert of.cluster is not None
        given = of.weight if of.frequency is None else of.frequency.astype(np.float64)
        return CodedRows(
            clusters, (rest, label), of.cluster, true.astype(np.int8), predicted, score, given
        ).in_order()
    table = task.tags
    assert table is not None
    assert table.outcomes.cluster is not None
    place, tags = table.labels.index(label), len(table.labels)
    marks = table.by_cluster[:, [place, place + tags, place + 2 * tags]].toarray()
    sizes = np.bincount(table.outcomes.cluster, table.outcomes.weight, len(clusters))
    cells = np.column_stack([marks, np.maximum(0, sizes - marks.sum(1))])
    cluster, kind = np.nonzero(cells)
    true, called = np.array([1, 0, 1, 0], np.int8)[kind], np.array([1, 1, 0, 0], np.int8)[kind]
    return CodedRows(clusters, (rest, label), cluster, true, called, None, cells[cluster, kind]).in_order()


def is_of_tags(y_true: Any, y_score: Any, y_pred: Any, truth: Any, separator: str | None) -> bool:
    """Whether what `assess` was given is of several labels a case."""
    if separator is not None or (truth is not None and not isinstance(truth, str)):
        return True
    if isinstance(truth, str):
        return "*" in truth
    if are_tags(y_true):
        return True
    given = y_score if y_pred is None else y_pred
    is_table = hasattr(y_true, "columns") or hasattr(y_true, "column_names") or isinstance(y_true, Mapping)
    return (
        is_table
        and given is not None
        and (
            hasattr(given, "tocsr")
            or hasattr(given, "columns")
            or isinstance(given, Mapping)
            or np.ndim(given) == 2
        )
    )


COLUMNS = ("y_pred", "labels", "separator", "case", "tag", "weight", "frequency", "cluster")
"""The arguments of `assess` that are columns of several labels a case, beside the truth and the scores."""
ONE_LABEL = {"positive": None, "id": None, "amounts": None, "ordered": False} | {
    "missing": "refuse",
    "unanswered": "refuse",
    "improper": "keep",
}
"""Those that have no meaning of them, and what they are where nobody gave them."""


def are_tags_in(y_true: Any, y_score: Any, given: Mapping[str, Any]) -> bool:
    """Whether what `assess` or `assess_by` was given is of several labels a case."""
    if given.get("case") is not None or given.get("tag") is not None:
        return True
    return is_of_tags(y_true, y_score, given.get("y_pred"), given.get("truth"), given.get("separator"))


def tags_in(y_true: Any, y_score: Any, given: Mapping[str, Any]) -> TagRows | None:
    """The checked rows of what `assess` or `assess_by` was given; None where cases have one label each.

    Raises InputError, as they do.
    """
    if not are_tags_in(y_true, y_score, given):
        return None
    columns = {name: given.get(name) for name in COLUMNS}
    truth, by = given.get("truth"), given.get("by")
    refuse_of_one_label(given)
    if truth is None:
        return checked_tags(y_true, y_score, by=by, **columns)
    from classay.assessment.tag_columns import columns_of_tags

    drawn = {name: columns[name] for name in ("weight", "frequency", "cluster", "case", "tag")}
    drawn["by"] = by
    named = {role: given.get(role) for role in ("score", "prediction")} | {"truth": truth}
    found = columns_of_tags(y_true, {"truth": truth, **named}, drawn, columns["labels"])
    columns |= {"y_pred": found.prediction, "labels": found.labels, **found.drawn}
    return checked_tags(found.truth, found.score, **columns)


def refuse_of_one_label(given: Mapping[str, Any]) -> None:
    """Refuse arguments that have no meaning of several labels a case."""
    others = [name for name, usual in ONE_LABEL.items() if given.get(name, usual) not in (usual, None)]
    if others:
        raise InputError(
            f"{listing(others)} is for cases with one label each, and these have several: leave it out."
        )


def refuse_two_in_clusters(score: Any, cluster: Any) -> None:
    """Refuse scores beside predicted tags of rows in clusters."""
    if score is not None and cluster is not None:
        raise InputError(
            "scores and y_pred= were given of rows in clusters: pass one of them, and assess both apart."
        )


def checked_tags(
    y_true: Any,
    y_score: Any = None,
    *,
    y_pred: Any = None,
    labels: Sequence[Hashable] | None = None,
    separator: str | None = None,
    case: Any = None,
    tag: Any = None,
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    by: Any = None,
) -> TagRows:
    """The checked rows of one classifier, in long form too; `by` is the group of each."""
    if y_score is None and y_pred is None:
        raise InputError(
            "of several labels a case pass scores, (cases, tags), or y_pred=, as the true ones are."
        )
    if (case is None) != (tag is None):
        raise InputError("rows of a case and a tag need both: pass case= and tag=, a value for each row.")
    if case is not None:
        whole = long_tags(case, tag, y_true, y_score, y_pred, labels)
        y_true, y_score, y_pred, labels = whole[:4]
        weight, frequency, cluster, by = (
            whole.of_cases(each, name)
            for each, name in ((weight, "weight"), (frequency, "frequency"), (cluster, "cluster"), (by, "by"))
        )
    if y_pred is not None:
        refuse_two_in_clusters(y_score, cluster)
    rows = tag_rows(y_true, y_score, y_pred, labels, separator, weight, frequency, cluster).with_tags()
    if by is None:
        return rows
    groups = code_labels(by, "by")
    return replace(rows, group=group_of_rows(groups.codes, rows), groups=groups.labels)


@dataclass(frozen=True, eq=False)
class TagRows:
    """The checked rows of cases with several labels: which tags are true and called, sparse matrices of ones; scores.

    `called` and `scores` are None where there are none; `frequency`, `weight`, which `scale` has multiplied, and
    `cluster`, codes into `clusters`, are `(rows,)` or None. `kept` are the places among those given of the rows that
    count, None where all do; `group` codes into `groups`, None where there are none.
    """

    labels: Labels
    truth: Any
    called: Any
    scores: Any
    weight: Array | None
    frequency: Array | None
    cluster: Array | None
    clusters: tuple[Hashable, ...] | None
    scale: float
    kind: str
    kept: Array | None = None
    group: Array | None = None
    groups: tuple[Hashable, ...] = ()
    groups_are_ordered: ClassVar[bool] = False
    uncounted: ClassVar[tuple[Hashable, ...]] = ()

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.truth.shape[0])

    def with_tags(self) -> TagRows:
        """The same. Raises InputError where there is no tag."""
        refuse_no_tags(len(self.labels))
        return self

    @property
    def drawn(self) -> dict[str, Any]:
        """How the rows were drawn, as tables take it."""
        return {name: getattr(self, name) for name in ("weight", "frequency", "cluster", "clusters")}

    @property
    def tag_scores(self) -> TagScores | None:
        """The scores as a table of these rows in their sequence."""
        return None if self.scores is None else TagScores(self.labels, self.truth, self.scores, **self.drawn)

    def take(self, rows: Array) -> TagRows:
        """Some of the rows, in this sequence; clusters that are left are numbered without gaps."""

        def of(values: Any) -> Any:
            return None if values is None else values[rows]

        cluster, clusters = of(self.cluster), self.clusters
        if cluster is not None and clusters is not None:
            used, cluster = np.unique(cluster, return_inverse=True)
            clusters = tuple(clusters[i] for i in used)
        columns = {
            name: of(getattr(self, name))
            for name in ("truth", "called", "scores", "weight", "frequency", "group")
        }
        return replace(self, **columns, cluster=cluster, clusters=clusters)

    def assessed_like(self, whole: TagAssessment) -> TagAssessment:
        """The assessment of these rows, called as those of a whole are."""
        task = whole.task
        if self.called is not None or (task.cutoffs is None and task.top is None):
            made = self.assessed(whole.asked)
            return (
                made
                if task.tags is not None
                else replace(made, task=replace(made.task, tags=None, cutoffs=None))
            )
        made = self.assessed(whole.asked, task.cutoffs, task.top)
        return replace(made, task=replace(made.task, cutoff_chosen=task.cutoff_chosen))

    def assessed(self, asked: Asked, threshold: Thresholds = None, top: int | None = None) -> TagAssessment:
        """Their assessment. Raises InputError for a threshold beside labels that are given as predicted."""
        scores = self.tag_scores
        scores = None if scores is None else scores.in_order()
        if self.called is None:
            task = _called(Tags(self.labels, None, scores), threshold, top)
        elif threshold is not None or top is not None:
            raise InputError("labels were given as predicted: leave threshold= and top= out.")
        else:
            table = TagTable.from_marks(self.truth, self.called, self.labels, **self.drawn)
            task = Tags(self.labels, table, scores)
        return TagAssessment(task, Received(rows=self.rows), Sampling(self.kind, self.scale), asked)


def refuse_no_tags(tags: int) -> None:
    """Refuse cases among which there is no tag."""
    if not tags:
        raise InputError("there are no tags: truth has no column, or no case has a label.")


def tag_rows(
    y_true: Any,
    y_score: Any,
    y_pred: Any,
    labels: Sequence[Hashable] | None,
    separator: str | None,
    weight: Any,
    frequency: Any,
    cluster: Any,
) -> TagRows:
    """Check the rows of one classifier, of which none need have a tag; those of weight 0 are left out.

    Raises InputError, as `assess` does.
    """
    names = declared(labels)
    truth = tag_marks(y_true, "truth", names, separator)
    called = None if y_pred is None else tag_marks(y_pred, "prediction", names, separator)
    names = names if names is not None else _names(truth, called)
    scores = None
    if y_score is not None:
        if are_tags(y_score) and not hasattr(y_score, "tocsr") and _are_lists(y_score):
            raise InputError(
                "y_score holds lists of labels: pass scores, (cases, tags), or the lists as y_pred=."
            )
        tags = truth.marks.shape[1] if names is None else len(names)
        scores, found = tag_scores(y_score, names, tags)
        names = found if names is None else names
    names = names if names is not None else Labels(range(truth.marks.shape[1]), "sorted")
    marks, called_marks = truth.over(names), None if called is None else called.over(names)
    drawn, scale, kind, keep = _drawn(marks.shape[0], weight, frequency, cluster)
    _refuse_lengths(marks, called_marks, scores)
    marks, called_marks, scores = (_kept(each, keep) for each in (marks, called_marks, scores))
    return TagRows(names, marks, called_marks, scores, **drawn, scale=scale, kind=kind, kept=keep)


def group_of_rows(codes: Array, rows: TagRows) -> Array:
    """The code of the group of each checked row. Raises InputError where rows have none, or there are not as many."""
    given = rows.rows if rows.kept is None else None
    if given is not None and codes.size != given:
        raise InputError(f"by has {codes.size:,} rows, truth has {given:,}: pass arrays of one length.")
    if (codes < 0).any():
        raise InputError("by is missing in some rows: every case needs its group.")
    return codes if rows.kept is None else codes[rows.kept]


def _called(task: Tags, threshold: Thresholds, top: int | None) -> Tags:
    """The tags called by a threshold, or the highest; by one half where nothing is said and scores lie in [0, 1]."""
    if top is not None:
        if threshold is not None:
            raise InputError("threshold= and top= were given: tags are called by one of them.")
        return task.at_top(top)
    if threshold is not None:
        return task.at(thresholds_of(threshold, task.labels))
    assert task.tag_scores is not None
    return replace(task.at(0.5), cutoff_chosen=False) if task.tag_scores.in_unit else task


def _are_lists(values: Any) -> bool:
    first = next(iter(values), None) if not isinstance(values, np.ndarray) else None
    return isinstance(first, set | frozenset) or (
        isinstance(first, list | tuple) and any(isinstance(each, str) for each in first)
    )


def _names(truth: TagMarks, called: TagMarks | None) -> Labels | None:
    """The names of the tags; those that were met in lists are united, those of columns must be the same."""
    if called is None or called.names is None or truth.names is None:
        both = [each for each in (truth, called) if each is not None]
        widths = {each.marks.shape[1] for each in both}
        if len(widths) > 1:
            raise InputError(
                f"truth and prediction have {sorted(widths)} columns: pass one for each tag in both."
            )
        return next((each.names for each in both if each.names is not None), None)
    if truth.named and called.named and {*truth.names} != {*called.names}:
        one, other = {*truth.names}, {*called.names}
        raise InputError(
            f"truth and prediction have other tags: {listing(sorted(one ^ other, key=str))} is in one alone."
        )
    return truth.names if truth.named and called.named else truth.names | called.names


def _drawn(
    rows: int, weight: Any, frequency: Any, cluster: Any
) -> tuple[dict[str, Any], float, Any, Array | None]:
    """Weights, frequencies and clusters of the cases that count, the scale of weights, their kind, and which count."""
    weight, frequency = row_weights(weight, frequency)
    coded = None if cluster is None else code_labels(cluster, "cluster")
    codes: Array | None = None if coded is None else coded.codes
    for name, each in (
        ("weight", weight),
        ("frequency", frequency),
        ("cluster", codes),
    ):
        if each is not None and each.size != rows:
            raise InputError(f"truth has {rows} rows, {name} has {each.size}: pass arrays of one length.")
    if coded is not None and coded.missing:
        raise InputError("cluster is missing in some rows: every row needs its cluster.")
    refuse_weights(weight, frequency)
    scale = weight_scale(weight)
    given = weight if frequency is None else frequency
    keep = None if given is None or (given > 0).all() else np.flatnonzero(given > 0)
    clusters = None
    if coded is not None:
        codes = _kept(coded.codes, keep)
        used, codes = np.unique(codes, return_inverse=True)
        clusters = tuple(coded.labels[i] for i in used)
    kind = "sampling" if weight is not None else "frequency" if frequency is not None else "none"
    return (
        {
            "weight": _kept(None if weight is None else weight * scale, keep),
            "frequency": _kept(frequency, keep),
            "cluster": codes,
            "clusters": clusters,
        },
        scale,
        kind,
        keep,
    )


def _kept(values: Any, keep: Array | None) -> Any:
    return values if values is None or keep is None else values[keep]


def _refuse_lengths(truth: Any, called: Any, scores: Any) -> None:
    if not truth.shape[0]:
        raise InputError("there are no rows: truth is empty.")
    for name, each in (("prediction", called), ("score", scores)):
        if each is not None and each.shape[0] != truth.shape[0]:
            raise InputError(
                f"truth has {truth.shape[0]} rows, {name} has {each.shape[0]}: pass arrays of one length."
            )
        if each is not None and each.shape[1] != truth.shape[1]:
            raise InputError(
                f"truth has {truth.shape[1]} tags, {name} has {each.shape[1]}: pass as many columns."
            )
