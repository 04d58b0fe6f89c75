"""Several labels a case, part by part: how a fragment of many rows becomes an assessment of tags."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from classay.answers import REFUSE
from classay.assessment.assessing import how_to_assess
from classay.assessment.assessment import Assessment
from classay.assessment.source_parts import CountedPart, PartReader
from classay.assessment.tag_rows import (
    columns_of_tags,
    places_of_tags,
    refuse_no_tags,
    refuse_of_one_label,
    refuse_two_in_clusters,
    tag_rows,
)
from classay.assessment.task import Asked
from classay.columns import Labels, code_labels
from classay.columns.values import listing
from classay.errors import InputError, NothingCountsError
from classay.sources.fragments import Fragment, column_names_of
from classay.sources.text_parts import KnownLabels, Spelling, kind_of_names


@dataclass(frozen=True)
class TagPartReader(PartReader):
    """How a fragment becomes an assessment of tags: each by itself, because a tag is 0 or 1 in every part.

    The truth, the scores and the predictions are a mapping from tags to columns, or the one column whose texts a
    `separator` parts. Tags that only texts name may be other ones in each part, and are united when counts are added.
    """

    separator: str | None = None
    threshold: Any = None
    top: int | None = None
    tags: tuple[Hashable, ...] | None = None

    @property
    def labels(self) -> Labels:
        """None that all parts must share: tables of other tags are added."""
        return Labels((), "sorted")

    @property
    def is_settled(self) -> bool:
        """Nothing about other parts must be known."""
        return True

    def knowing(self, found: KnownLabels) -> PartReader:
        """The same."""
        return self

    def ended(self) -> PartReader:
        """The same."""
        return self

    def together(self, whole: Assessment) -> Assessment:
        """All parts. Raises InputError where no case has a tag, and none was named."""
        refuse_no_tags(len(whole.labels))
        return whole

    def _count(self, fragment: Fragment, table: Any) -> CountedPart:
        counted = CountedPart(table.num_rows, KnownLabels())
        if not table.num_rows:
            return counted
        names = {}
        for name in self.of_labels:
            column = self._meant(table[name], name, fragment.spelling(name))
            if not self._is_parted(name):
                names[name] = kind_of_names(column)
            table = table.set_column(table.column_names.index(name), name, column)
        columns = {role: self.roles[role] for role in ("truth", "score", "prediction")}
        drawn = {role: self.roles[role] for role in ("weight", "frequency", "cluster")}
        found = columns_of_tags(table, columns, drawn, self.tags)
        try:
            rows = tag_rows(
                found.truth, found.score, found.prediction, found.labels, self.separator, **found.drawn
            )
        except NothingCountsError as nothing:
            return replace(counted, nothing=nothing, names=names)
        asked = Asked(**{name: self.how[name] for name in ("level", "seed", "interval")})
        return replace(counted, assessment=rows.assessed(asked, self.threshold, self.top), names=names)

    def _is_parted(self, name: str) -> bool:
        """Whether a column holds all tags of a case."""
        return self.separator is not None and name in (self.roles["truth"], self.roles["prediction"])

    def _meant(self, column: Any, name: str, spelling: Spelling | None) -> Any:
        """A column of 0 and 1 as these, or of texts, of which an empty cell of delimited text is one without tags."""
        if spelling is None:
            return column
        if self._is_parted(name):
            return column.cast("string").fill_null("") if spelling == "text" else column
        return KnownLabels.of_column(column, code_labels(column, name), name, spelling).meant(
            column, name, spelling
        )


def tag_part_reader(given: SimpleNamespace) -> TagPartReader:
    """How the parts of several labels a case are read, from the arguments of `scan` by their names.

    Raises InputError for those that have no meaning of them, and for columns that no file has.
    """
    refuse_of_one_label(vars(given))
    if given.bits is not None:
        raise InputError("bits is for scores of one label a case, and these have several: leave it out.")
    if given.prediction is not None:
        refuse_two_in_clusters(given.score, given.cluster)
        if given.threshold is not None or given.top is not None:
            raise InputError("labels were given as predicted: leave threshold= and top= out.")
    named = {role: getattr(given, role) for role in ("truth", "score", "prediction")}
    tags = None if given.labels is None else tuple(Labels.of(given.labels))
    roles: dict[str, Any] = _places(given, named, tags) | {"id": None, "amounts": None}
    roles |= {role: getattr(given, role) for role in ("weight", "frequency", "cluster")}
    if given.separator is not None:
        for role in ("truth", "prediction"):
            if roles[role] is not None and not isinstance(roles[role], str):
                raise InputError(
                    f"a separator parts the tags of one column, and {role} names several: pass one of them."
                )
    how = how_to_assess(None, given.level, given.seed, given.interval)
    return TagPartReader(
        roles,
        KnownLabels(),
        None,
        None,
        REFUSE,
        "keep",
        how,
        None,
        separator=given.separator,
        threshold=given.threshold,
        top=given.top,
        tags=tags,
    )


def _places(
    given: SimpleNamespace, named: Mapping[str, Any], tags: Sequence[Hashable] | None
) -> dict[str, Any]:
    """The columns of each role, the same ones in every file where a pattern names them."""
    none = dict.fromkeys(named)
    if not any((isinstance(each, str) and "*" in each) or _has_star(each) for each in named.values()):
        return none | places_of_tags([], named, tags)
    found: dict[str, Any] | None = None
    first = ""
    for key, known in column_names_of(given.source, given.format, given.delimiter):
        places = places_of_tags(known, named, tags)
        if found is not None and places != found:
            other = {*_columns(places)} ^ {*_columns(found)}
            raise InputError(
                f"{first} and {key} have other columns of tags: {listing(sorted(other))} is in one alone; name the "
                "columns one by one."
            )
        if found is None:
            found, first = places, key
    return none | (found or places_of_tags([], named, tags))


def _has_star(names: Any) -> bool:
    return isinstance(names, list | tuple) and len(names) == 1 and "*" in names[0]


def _columns(places: Mapping[str, Any]) -> list[str]:
    return [
        name for each in places.values() for name in ([each] if isinstance(each, str) else [*each.values()])
    ]
