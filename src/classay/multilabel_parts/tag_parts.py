"""How a part of many rows becomes counts of several labels a case."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from classay.answers import AnswerPolicy
from classay.assessment.assessing import how_to_assess
from classay.assessment.assessment import Assessment
from classay.assessment.parts import Estimation
from classay.columns import Labels, code_labels
from classay.columns.values import listing
from classay.errors import InputError, NothingCountsError
from classay.in_parts.fragments import Fragment, column_names_of
from classay.in_parts.other_parts import WayOfParts
from classay.in_parts.scan_arguments import ScanArguments
from classay.in_parts.source_parts import CountedPart, PartReader
from classay.in_parts.text_parts import KnownLabels, Spelling, kind_of_names
from classay.multilabel.tag_columns import Names, Place, columns_of_tags, places_of_tags
from classay.multilabel.tag_rows import (
    is_of_tags,
    refuse_no_tags,
    refuse_of_one_label,
    refuse_one_hot,
    refuse_other_task,
    refuse_two_in_clusters,
    tag_rows,
)
from classay.multilabel.task import Multilabel
from classay.sources.text_files import Parted


@dataclass(frozen=True)
class TagPartReader(PartReader):
    """How a fragment becomes an assessment of tags: each by itself, because a tag is 0 or 1 in every part.

    The truth, the scores and the predictions are a mapping from tags to columns, or one column whose texts a
    `separator` parts. Parts may name different tags in their texts; the tags are united when counts are added.
    """

    separator: str | None = None
    threshold: Any = None
    top: int | None = None
    tags: tuple[Hashable, ...] | None = None
    is_of_one_label: ClassVar[bool] = False

    @property
    def labels(self) -> Labels:
        """No labels: parts need not share tags, because tables of different tags can be added."""
        return Labels((), "sorted")

    @property
    def is_settled(self) -> bool:
        """True: nothing about other parts must be known."""
        return True

    def knowing(self, extra: KnownLabels) -> PartReader:
        """This reader, unchanged."""
        return self

    def ended(self) -> PartReader:
        """This reader, unchanged."""
        return self

    def together(self, assessment: Assessment) -> Assessment:
        """Return the assessment of all parts. Raises InputError where no case has a tag, and none was named."""
        refuse_no_tags(len(assessment.labels))
        return assessment

    def count(self, fragment: Fragment, table: Any) -> CountedPart:
        """Count the rows of a fragment; see `of`."""
        counted = CountedPart(table.num_rows, KnownLabels())
        if not table.num_rows:
            return counted
        names = {}
        for name in self.of_labels:
            column = self._meant(table[name], name, fragment.spelling(name))
            if not self._is_parted(name):
                names[name] = kind_of_names(column), frozenset[str]()
            table = table.set_column(table.column_names.index(name), name, column)
        columns = {role: self.roles[role] for role in ("truth", "score", "prediction")}
        drawn = {role: self.roles[role] for role in ("weight", "frequency", "cluster")}
        tag_columns = columns_of_tags(table, columns, drawn, self.tags, self.separator)
        try:
            rows = tag_rows(tag_columns, self.score_scale, self.policy.missing)
        except NothingCountsError as nothing:
            return replace(counted, nothing=nothing, names=names, dropped=nothing.dropped)
        level, seed, interval = self.how["level"], self.how["seed"], self.how["interval"]
        assessment = rows.assessed(Estimation(level, seed, interval), self.threshold, self.top)
        return replace(counted, assessment=assessment, names=names)

    @property
    def as_written(self) -> list[str]:
        """The columns to read as they are written, those that hold all tags of a case marked as such."""
        return [Parted(name) if self._is_parted(name) else name for name in super().as_written]

    def _is_parted(self, name: str) -> bool:
        """Check whether a column holds all tags of a case."""
        return self.separator is not None and name in (self.roles["truth"], self.roles["prediction"])

    def _meant(self, column: Any, name: str, spelling: Spelling | None) -> Any:
        """A column of 0 and 1 as numbers, or of texts; an empty cell of delimited text is a case without tags."""
        if spelling is None:
            return column
        if self._is_parted(name):
            return column.cast("string").fill_null("") if spelling == "text" else column
        return KnownLabels.of_column(column, code_labels(column, name), name, spelling).meant(
            column, name, spelling
        )


def tag_part_reader(args: ScanArguments) -> TagPartReader:
    """Return how the parts of several labels a case are read, from the arguments of `scan` by their names.

    Raises InputError for those that have no meaning of them, and for columns that no file has.
    """
    refuse_of_one_label(vars(args))
    if args.bits is not None:
        raise InputError("bits= cannot be used with multilabel cases. Remove it.")
    if args.prediction is not None:
        refuse_two_in_clusters(args.score, args.cluster)
        if args.threshold is not None or args.top is not None:
            raise InputError("threshold= and top= have no effect on predicted labels. Remove them.")
    named = {role: getattr(args, role) for role in ("truth", "score", "prediction")}
    tags = None if args.labels is None else tuple(Labels.of(args.labels))
    roles: dict[str, Any] = {**_places(args, named, tags), "id": None, "amounts": None}
    roles |= {role: getattr(args, role) for role in ("weight", "frequency", "cluster")}
    if args.separator is not None:
        for role in ("truth", "prediction"):
            if roles[role] is not None and not isinstance(roles[role], str):
                raise InputError(
                    f"A separator needs one column of tags, but {role} has several. Pass one column, or remove the "
                    "separator."
                )
    how = how_to_assess(None, args.level, args.seed, args.interval)
    return TagPartReader(
        roles,
        KnownLabels(),
        None,
        None,
        AnswerPolicy.of(args.missing, "refuse"),
        "keep",
        args.score_scale,
        how,
        None,
        separator=args.separator,
        threshold=args.threshold,
        top=args.top,
        tags=tags,
    )


def _places(
    args: ScanArguments, named: Mapping[str, Names], tags: Sequence[Hashable] | None
) -> Mapping[str, Place | None]:
    """Return the columns of each role; where a pattern names them, they must be the same in every file."""
    none: dict[str, Place | None] = dict.fromkeys(named)
    if not any((isinstance(each, str) and "*" in each) or _has_star(each) for each in named.values()):
        return none | places_of_tags([], named, tags)
    agreed: dict[str, Place] | None = None
    first = ""
    for key, known in column_names_of(args.source, args.format, args.delimiter, args.layout):
        places = places_of_tags(known, named, tags)
        if agreed is not None and places != agreed:
            other = {*_columns(places)} ^ {*_columns(agreed)}
            raise InputError(
                f"{first} and {key} have different tags: only one has {listing(sorted(other))}. Name the columns "
                "separately."
            )
        if agreed is None:
            agreed, first = places, key
    return none | (agreed or places_of_tags([], named, tags))


def _has_star(names: Any) -> bool:
    return isinstance(names, list | tuple) and len(names) == 1 and "*" in names[0]


def _columns(places: Mapping[str, Place]) -> list[str]:
    return [
        name for each in places.values() for name in ([each] if isinstance(each, str) else [*each.values()])
    ]


def _is_of_tags(args: ScanArguments) -> bool:
    """Check whether the columns that `scan` was given are of several labels a case."""
    return is_of_tags(None, None, None, args.truth, args.separator)


def _refuse_other_task(args: ScanArguments) -> None:
    """Refuse a task that is not that of the columns of truth."""
    refuse_other_task(args.task, args.truth, args.separator)


def _refuse_one_hot(assessment: Assessment, args: ScanArguments) -> None:
    """Refuse rows that may be of classes, once all were counted."""
    task: Any = assessment.task
    if isinstance(task, Multilabel) and task.tag_scores is not None and args.separator is None:
        refuse_one_hot(task.tag_scores.truth, task.tag_scores.scores, args.task, args.score_scale)


PARTS_OF_TAGS = WayOfParts(_refuse_other_task, _is_of_tags, tag_part_reader, _refuse_one_hot)
"""How `scan` meets several labels a case."""
