"""Assessments of classifiers that give a case several labels: of all tags, and of each tag."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment import views
from classay.assessment.assessment import Assessment
from classay.assessment.parts import Estimation, InputSummary, Sampling
from classay.assessment.task import rest_of
from classay.columns import Labels, match_label
from classay.columns.values import listing
from classay.errors import InputError, MergeError
from classay.files.writing import saved_path
from classay.inference.estimate import Estimate
from classay.inference.methods import Drawn
from classay.kinds import checked, shown
from classay.measures import Measure, get
from classay.multilabel.mark_pairs import most_pairs
from classay.multilabel.tag_measures import shown_of_tags
from classay.multilabel.task import Multilabel
from classay.renamed import former
from classay.tables import BinaryCounts, ScoreTable
from classay.tables.rows import CodedRows
from classay.texts import hint
from classay.warned import Warned

if TYPE_CHECKING:
    from classay.decision.costs import Costs
    from classay.multilabel.tag_thresholds import MultilabelThresholds

_AT_ONCE = 64
"""Tags whose tables are made together."""
NO_RULE = "The best threshold of a tag is not determined. " + hint(
    "Pass cost=Costs(fp=1, fn=5), or a measure of one tag as maximize='f1'.",
    "Use --cost fp=1 --cost fn=5, or a measure of one tag as --maximize f1.",
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
class MultilabelAssessment(Assessment):
    """Results of a classifier with several labels per case (multilabel), its tags.

    `a["micro_f1"]`, `a["samples_f1"]` and `a["macro_roc_auc"]` are estimates over all tags. `a.tag("cat")`
    is the assessment of one tag against its absence, and `a["recall[cat]"]` one of its measures.

    Attributes
    ----------
    task : Multilabel
        The tables.
    received : InputSummary
        What happened to the rows.
    sampling : Sampling
        How the cases were drawn.
    estimation : Estimation
        Level, seed and method of the intervals.

    Notes
    -----
    The sampled unit is the case, so its tags vary together. A tag that no case has lacks a recall and an
    AUC. Every plain mean over tags lacks them too, and its reason names the tag.

    Examples
    --------
    >>> import classay as ca
    >>> a = ca.assess([{"cat"}, {"cat", "dog"}, {"dog"}, set()], y_pred=[{"cat"}, {"cat"}, {"dog"}, {"cat"}])
    >>> a["micro_recall"].value, a.tag("dog")["recall"].value
    (0.75, 0.5)
    """

    task: Multilabel
    received: InputSummary
    sampling: Sampling
    estimation: Estimation
    asked = former("MultilabelAssessment.asked", "estimation")

    @property
    def tags(self) -> tuple[Hashable, ...]:
        """Tags, in order."""
        return self.labels

    @property
    def clusters(self) -> tuple[Hashable, ...] | None:
        """Clusters of the cases, or None for independent cases."""
        return self.task.clusters

    @property
    def n(self) -> int:
        """Number of cases, the rows or the sum of their frequencies."""
        return self.rows if self.kind_of_weight == "sampling" else int(self.task.weight)

    @property
    def weight_of_cases(self) -> float:
        """Number of cases, or their weight."""
        return float(self.task.weight)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting, the gravest first."""
        from classay.multilabel.tag_warnings import warnings_of_tags

        return warnings_of_tags(self)

    @property
    def drawn(self) -> Drawn:
        """Sampling of the cases, equally weighted, weighted or in clusters."""
        if self.clusters is not None:
            return "clustered"
        return "weighted" if self.kind_of_weight == "sampling" else "alike"

    @checked
    def tag(self, label: Hashable) -> Assessment:
        """Return one tag against its absence, as an assessment of two classes.

        Raises
        ------
        InputError
            If there is no such tag. The text lists the tags.
        """
        return self.one_vs_rest(label)

    @checked
    def one_vs_rest(self, label: Hashable) -> Assessment:
        """Return the same as `tag`."""
        label = match_label(label, self.labels)
        task = self.task.one_vs_rest(label)
        coded = None if self.clusters is None else _coded(self.task, label)
        return Assessment(task, self.received, replace(self.sampling, coded=coded), self.estimation)

    def at(self, threshold: Thresholds) -> MultilabelAssessment:
        """Return the same scores at another threshold, or at one for each tag.

        The latter is a list in the order of the tags, or a mapping by their names.
        """
        return replace(self, task=self.task.at(thresholds_of(threshold, self.labels)))

    @checked
    def at_top(self, k: int) -> MultilabelAssessment:
        """Return the same scores with the k highest tags of each case predicted.

        Of equal scores the first count.
        """
        if k != int(k):
            raise InputError(f"k must be a whole number of tags, but is {k:g}.")
        return replace(self, task=self.task.at_top(int(k)))

    @checked
    def threshold(  # type: ignore[override]  # of all tags together
        self,
        *,
        cost: Costs | Mapping[str, float | str] | None = None,
        maximize: str | Measure | None = None,
        minimize: str | Measure | None = None,
        held_back: MultilabelAssessment | None = None,
    ) -> MultilabelThresholds:
        """Choose the threshold of each tag by a rule.

        Parameters
        ----------
        cost : Costs or mapping, optional
            What the errors of a tag cost. The objective is the least expected cost.
        maximize, minimize : str or Measure, optional
            A threshold measure of a tag, as the objective.
        held_back : MultilabelAssessment, optional
            Assessment of held-out cases, on which the expected performance is estimated. Without it,
            cross-fitting estimates it.

        Returns
        -------
        MultilabelThresholds
            The thresholds with their expected performance on new cases. The performance on the selection
            data is optimistic.

        Raises
        ------
        InputError
            If there are no scores.
            If the measure is not that of a single tag.
        """
        from classay.decision.rules import Rule
        from classay.multilabel.tag_thresholds import tag_thresholds

        if cost is None and maximize is None and minimize is None:
            raise InputError(NO_RULE)
        return tag_thresholds(self, Rule.of(cost, None, maximize, minimize), held_back)

    def applicable(self) -> list[Measure]:
        """List the measures that the tables allow, with averages of areas."""
        return [measure for measure in shown_of_tags() if self.task.gives(measure)]

    @property
    def never_true(self) -> tuple[Hashable, ...]:
        """Tags that no case has.

        They have no recall, AUC or average precision.
        """
        totals = self.class_totals
        return tuple(label for label, total in zip(self.labels, totals, strict=True) if total == 0)

    def class_estimates(self) -> dict[Hashable, dict[str, Estimate]]:
        """Return the main measures of each tag.

        They are prevalence, precision, recall and F1, and with scores AUC and average precision.
        """
        return self.some_tags(self.labels)

    def some_tags(self, labels: Sequence[Hashable]) -> dict[Hashable, dict[str, Estimate]]:
        """Return the main measures of some tags."""
        names = (PER_TAG if self.task.tags is not None else ()) + (
            ("roc_auc", "average_precision") if self.task.tag_scores is not None else ()
        )
        wanted = [get(name) for name in names]
        by_tag: dict[Hashable, dict[str, Estimate]] = {}
        for first in range(0, len(labels), _AT_ONCE):
            some = labels[first : first + _AT_ONCE]
            ones = [self.one_vs_rest(label) for label in some]
            at_once = self._at_once(wanted, some, ones)
            for place, (label, one) in enumerate(zip(some, ones, strict=True)):
                known = {name: each[place] for name, each in at_once.items()}
                rest = [measure for measure in wanted if known.get(measure.name) is None]
                known |= zip((measure.name for measure in rest), views.of_measures(one, rest), strict=True)
                by_tag[label] = {name: known[name] for name in names}  # type: ignore[misc]
        return by_tag

    def _at_once(
        self, wanted: Sequence[Measure], labels: Sequence[Hashable], ones: Sequence[Assessment]
    ) -> dict[str, list[Estimate | None]]:
        """Return what many tags have in one pass, the same as by themselves; None of what a tag must find by itself."""
        if self.drawn != "alike" or self.interval is not None:
            return {}
        from classay.inference.groups_at_once import scores_at_once, shares_at_once

        estimates: dict[str, list[Estimate | None]] = {}
        scores = [each.scores for each in ones if isinstance(each.scores, ScoreTable)]
        table = self.task.tags
        for measure in wanted:
            if measure.needs == "counts" and table is not None:
                at = [self.labels.index(label) for label in labels]
                counts = BinaryCounts(*(count[at] for count in table.counts))
                shares = shares_at_once(measure, counts, self.level)
                tp, fp, fn, tn = counts
                both = (tp + fp > 0) & (fn + tn > 0)
                if shares is not None:
                    estimates[measure.name] = [
                        share if is_plain else None for share, is_plain in zip(shares, both, strict=True)
                    ]
            elif measure.needs == "scores":
                areas = scores_at_once(measure, scores) if len(scores) == len(ones) else None
                if areas is not None:
                    estimates[measure.name] = [area(self.level) for area in areas]
        return estimates

    def worst_tags(self, most: int, name: str = "f1") -> list[Hashable]:
        """Return the tags with the lowest values of a measure, undefined ones last.

        Of ties the more frequent tag comes first. Without predicted labels, the lowest AUC counts.

        Parameters
        ----------
        most : int
            Largest number of tags.
        name : str, default "f1"
            A threshold measure.

        Returns
        -------
        list
            The tags.
        """
        if self.task.tags is not None:
            values = np.asarray(get(name).raw(*self.task.tags.counts), np.float64)
        else:
            from classay.multilabel.tag_ranking import tag_ranking

            assert self.task.tag_scores is not None
            values = tag_ranking(self.task.tag_scores).aucs
        order = np.lexsort((-np.asarray(self.class_totals, np.float64), values))
        return [self.labels[at] for at in order[:most]]

    def wrong_together(self, most: int = 10) -> tuple[WrongTogether, ...]:
        """Return pairs of tags, one missed and one predicted in the same cases.

        The most frequent pair comes first. There are none with sampling weights and in clusters, because
        joint counts are not kept.
        """
        table = self.task.tags
        if table is None or table.joint is None or table.squares is not None:
            return ()
        tags = len(self.labels)
        row, column, number = most_pairs(table.joint, slice(2 * tags, None), slice(tags, 2 * tags), most)
        missed = table.cells[2]
        return tuple(
            WrongTogether(
                self.labels[row[i]],
                self.labels[column[i]],
                float(number[i]),
                float(number[i] / missed[row[i]]),
            )
            for i in range(row.size)
        )

    @property
    def scored_cases(self) -> Any:
        """Undefined, because a curve is of one tag.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(
            "A curve or a threshold needs one tag, but these cases are multilabel. Use "
            f".tag({self.labels[0]!r}) first."
        )

    def expected_cost(self, cost: Any, *, prevalence: float | None = None) -> Any:
        """Raise an error, because costs are those of the errors of one tag.

        Parameters
        ----------
        cost : Costs or mapping
            What errors cost.
        prevalence : float, optional
            Prevalence to compute the cost for.

        Returns
        -------
        ExpectedCost
            Never.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(
            "Costs are for the errors of one tag, but these cases are multilabel. Use "
            f".tag({self.labels[0]!r}) first."
        )

    def __add__(self, other: Assessment) -> MultilabelAssessment:
        """The assessment of both test sets together; MergeError says what differs when they cannot be added."""
        if not isinstance(other, MultilabelAssessment):
            what = "one of cases with one label" if isinstance(other, Assessment) else shown(other)
            raise MergeError(f"An assessment of multilabel cases and {what} cannot be added.")
        for what in ("level", "seed", "kind_of_weight", "weight_scale", "interval", "limit"):
            here, there = getattr(self, what), getattr(other, what)
            if here != there:
                raise MergeError(
                    f"The assessments have different settings: {what.replace('_', ' ')} is {here!r} and {there!r}. "
                    "Use the same setting."
                )
        labels = Labels.of(self.labels) | Labels.of(other.labels)
        repeats = self.sampling.merged_repeats or other.sampling.merged_repeats
        return replace(
            self,
            task=self.task.merged(other.task, labels, None),
            received=self.received + other.received,
            sampling=replace(self.sampling, repeats=repeats),
            estimation=self.estimation.merged(other.estimation),
        )

    @checked
    def save(self, path: str | Path) -> None:
        """Write the tables to a `.classay` file, which `classay.load` reads.

        The file is a zip of JSON and plain arrays.
        """
        from classay.multilabel.saved_tags import save_tags

        save_tags(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> MultilabelAssessment:
        """Load what `save` wrote.

        Raises
        ------
        FileError
            If the file is damaged, or holds no such assessment.
        """
        from classay.multilabel.saved_tags import load_tags

        return load_tags(path, cls)

    def __repr__(self) -> str:
        return (
            f"MultilabelAssessment({self.n:,} cases, {len(self.labels):,} tags; print it, or see .measures)"
        )


def thresholds_of(threshold: Any, labels: Sequence[Hashable]) -> float | tuple[float, ...]:
    """Return a threshold of all tags, or one of each in their order. Raises InputError where some lack one."""
    if isinstance(threshold, Mapping):
        known = {match_label(label, labels): float(value) for label, value in threshold.items()}
        if len(known) < len(threshold):
            raise InputError(f"threshold has a tag twice: {listing([*threshold])}.")
        if lacking := [label for label in labels if label not in known]:
            raise InputError(f"threshold has no number for {listing(lacking)}. Pass one number for each tag.")
        return tuple(known[label] for label in labels)
    if isinstance(threshold, Sequence | np.ndarray) and not isinstance(threshold, str):
        thresholds = tuple(float(each) for each in threshold)
        if len(thresholds) != len(labels):
            raise InputError(
                f"There are {len(thresholds)} thresholds for {len(labels)} tags. Pass one number for each tag."
            )
        if any(np.isnan(thresholds)):
            raise InputError("A threshold is NaN. Pass one number for each tag.")
        return thresholds
    try:
        one = float(threshold)
    except (TypeError, ValueError):
        one = np.nan
    if np.isnan(one):
        raise InputError(
            f"threshold must be a number, or one number for each tag, but is {shown(threshold)}."
        )
    return one


def _coded(task: Multilabel, label: Hashable) -> CodedRows:
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
        weights = of.weight if of.frequency is None else of.frequency.astype(np.float64)
        return CodedRows(
            clusters, (rest, label), of.cluster, true.astype(np.int8), predicted, score, weights
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
