"""The task of several labels a case: which tags are true and called, or scored."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from classay.assessment.finding import Finding
from classay.assessment.task import (
    NO_SCORES,
    NO_THRESHOLD,
    NoAnswer,
    OtherTask,
    TwoClasses,
    added,
    alone_has_a_default,
    rest_of,
)
from classay.columns import Labels
from classay.errors import InputError, MergeError, UnknownMeasureError
from classay.measures.registry import Measure
from classay.multilabel.tag_measures import of_tags
from classay.multilabel.tag_scores import MultilabelScores
from classay.multilabel.tag_tables import MultilabelTable
from classay.texts import hint

MAIN_TAGS = (
    "micro_f1",
    "macro_f1",
    "samples_f1",
    "exact_match",
    "label_ranking_average_precision",
    "macro_roc_auc",
)
"""What most readers want of several labels a case, of each group; they are shown of each learner too."""
OF_TAGS = ("micro_f1", "macro_f1", "samples_f1", "label_ranking_average_precision", "macro_roc_auc")
"""Measures compared by default, of called tags, then of scores; few, because each more makes adjusted p larger."""
_OF_TAGS = (("labels", "tags"), ("scores", "tag_scores"))


@dataclass(frozen=True, eq=False)
class Multilabel(OtherTask):
    """Several labels a case: which are called, the scores of each, or both.

    `cutoffs` are the thresholds of the labels, one or one a tag, None where they were given as they are; `top` is how
    many of the highest are called instead. `cutoff_chosen` says whether anybody chose them.
    """

    labels: Labels
    tags: MultilabelTable | None = None
    tag_scores: MultilabelScores | None = None
    cutoffs: float | tuple[float, ...] | None = None
    top: int | None = None
    cutoff_chosen: bool = False
    main: ClassVar[tuple[str, ...]] = MAIN_TAGS
    unpaired: ClassVar[tuple[str, ...]] = OF_TAGS

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.cutoffs, tuple) and len(self.cutoffs) != len(self.labels):
            raise InputError(
                f"There are {len(self.cutoffs):,} thresholds for {len(self.labels):,} tags. Pass one threshold "
                "for each tag."
            )

    @property
    def is_cut(self) -> bool:
        """Whether its labels are those of scores at thresholds."""
        return self.cutoffs is not None

    @property
    def is_uncut(self) -> bool:
        """Whether it has scores and, for want of thresholds, no labels."""
        return self.tag_scores is not None and self.tags is None

    @property
    def class_totals(self) -> Any:
        """Cases (or weight) that truly have each tag, in the order of `labels`."""
        if self.tags is not None:
            return self.tags.true
        assert self.tag_scores is not None
        return self.tag_scores.truth.T @ self.tag_scores.weights

    @property
    def clusters(self) -> tuple[Hashable, ...] | None:
        """The clusters of the cases, None where these are independent."""
        table = self.tags if self.tags is not None else self.tag_scores
        assert table is not None
        return table.clusters

    @property
    def weight(self) -> Any:
        """How many cases there are, or their weight."""
        return self.tags.cases if self.tags is not None else self.tag_scores.weights.sum()  # type: ignore[union-attr]

    def gives(self, measure: Measure) -> bool:
        """Check whether its tables have a measure that names no tag; averages over classes are averages over tags."""
        try:
            needs = of_tags(measure).needs
        except UnknownMeasureError:
            return False
        return (self.tags if needs == "tags" else self.tag_scores) is not None

    def read(self, measure: Measure) -> Measure:
        """Return the measure as that of tags. Raises UnknownMeasureError for one of cases with one label each."""
        return of_tags(measure)

    def table(self, measure: Measure) -> Any:
        """Return the table that a measure needs which names no tag, or the reason why it is missing."""
        if of_tags(measure).needs == "tags":
            return NO_THRESHOLD if self.tags is None else self.tags
        return NO_SCORES if self.tag_scores is None else self.tag_scores

    def at(self, threshold: float | tuple[float, ...]) -> Multilabel:
        """Return the same scores with the labels of a threshold, or of one a tag. Raises InputError without scores."""
        if self.tag_scores is None:
            raise InputError("A threshold needs the scores of the tags, but none were given. Pass scores.")
        return self._called(self.tag_scores.called(threshold), cutoffs=threshold, top=None)

    def at_top(self, k: int) -> Multilabel:
        """Return the same scores with the k highest tags of each case called. Raises InputError without scores."""
        if self.tag_scores is None:
            raise InputError(
                "The highest tags need the scores of the tags, but none were given. Pass scores."
            )
        return self._called(self.tag_scores.called_of_top(k), cutoffs=None, top=k)

    def _called(self, called: Any, cutoffs: float | tuple[float, ...] | None, top: int | None) -> Multilabel:
        of = self.tag_scores
        assert of is not None
        table = MultilabelTable.from_marks(of.truth, called, self.labels, **of.drawn)
        return replace(self, tags=table, cutoff_chosen=True, cutoffs=cutoffs, top=top)

    def one_vs_rest(self, label: Hashable) -> TwoClasses:
        """Return one tag against its absence."""
        rest, at = rest_of(label), self.labels.index(label)
        matrix = None if self.tags is None else self.tags.matrix_of(label, rest)
        scores = None if self.tag_scores is None else self.tag_scores.one(label, rest)
        cutoff = self.cutoffs[at] if isinstance(self.cutoffs, tuple) else self.cutoffs
        return TwoClasses((rest, label), label, matrix, scores, cutoff, self.cutoff_chosen)

    def merged(self, other: Any, labels: Labels, no_answer: NoAnswer) -> Multilabel:
        """The tables of both test sets together. Raises MergeError where other tags are called, or by other rules."""
        one, another = self, other
        if alone_has_a_default(self, other):
            one, another = (replace(each, tags=None, cutoffs=None) for each in (self, other))
        for what in ("cutoffs", "top", "cutoff_chosen"):
            here, there = getattr(one, what), getattr(another, what)
            if here != there:
                term = what.replace("cutoffs", "threshold").replace("cutoff", "threshold").replace("_", " ")
                raise MergeError(
                    f"The assessments have different settings: {term} is {here!r} and {there!r}. Use the same setting."
                )
        tags, scores = (added(name, getattr(one, each), getattr(another, each)) for name, each in _OF_TAGS)
        return replace(one, labels=labels, tags=tags, tag_scores=scores)

    def labels_alone(self) -> Multilabel:
        """Return the same without scores."""
        return replace(self, tag_scores=None, cutoffs=None)

    @property
    def precision(self) -> str | None:
        """The name of the type of the scores, None without any."""
        return None if self.tag_scores is None else str(self.tag_scores.scores.dtype.name)

    def too_large(self, labels: int, memory: str) -> str:
        """Return why so many tags are too many: their scores are kept row by row, and the tags of one case in pairs."""
        return (
            f"The scores of {labels:,} tags, or the pairs of tags in one case, need more than the {memory} of "
            f"memory for counts. Increase {hint('memory=', '--memory')}, or use predicted tags instead of scores."
        )

    def findings(self, a: Any) -> Iterator[Finding]:
        """Micro F1 and exact match, the weakest tag, and how well scores rank."""
        from classay.multilabel.findings_tags import findings_on_tags

        return findings_on_tags(a)
