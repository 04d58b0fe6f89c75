"""The columns of a frame that hold tags: a column each, by names or a pattern, or one column of lists."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from classay.columns.opened import RawColumn
from classay.columns.values import listing
from classay.errors import InputError
from classay.sources.inputs import columns_of_roles, frame_columns, frame_names
from classay.texts import hint, quote, some

Names = str | Sequence[str] | Mapping[Hashable, str] | None
Place = dict[Hashable, str] | str
"""The column of each tag, or the one column of all."""
EACH = hint("{'cat': 'y_cat', 'dog': 'y_dog'}", "cat=y_cat,dog=y_dog")
"""How the column of each tag is named."""


@dataclass(frozen=True, eq=False)
class TagColumns:
    """The columns of one classifier by role; `labels` are the tags, None where the columns hold lists.

    `case` and `tag` are those of rows in long form, and `by` is the group of each.
    """

    truth: Any
    score: Any = None
    prediction: Any = None
    labels: Sequence[Hashable] | None = None
    separator: str | None = None
    weight: Any = None
    frequency: Any = None
    cluster: Any = None
    case: Any = None
    tag: Any = None
    by: Any = None

    @property
    def has_columns(self) -> bool:
        """Whether the tags are the columns of a matrix or a frame, so that there are no others."""
        return self.score is not None or self.labels is not None


def columns_of_tags(
    frame: Any,
    named: Mapping[str, Names],
    drawn: Mapping[str, RawColumn | None],
    labels: Sequence[Hashable] | None,
    separator: str | None = None,
) -> TagColumns:
    """Return the columns of a frame that hold the truth, the scores and the predictions of tags, and those `drawn`.

    A name with one `*` stands for all columns that it fits, and what the star stands for names the tag: `y_*`, `p_*`.
    Lists of names go by `labels`, or name the tags themselves; a mapping has the tag of each column.

    >>> frame = {"y_cat": [1, 0], "y_dog": [0, 0], "p_dog": [0.1, 0.2], "p_cat": [0.9, 0.4]}
    >>> columns = columns_of_tags(frame, {"truth": "y_*", "score": "p_*"}, {}, None)
    >>> columns.labels, columns.score
    (['cat', 'dog'], {'cat': [0.9, 0.4], 'dog': [0.1, 0.2]})
    """
    places = _all_places(frame, named, labels)
    tags = _tags_of(places, labels)
    by_role: dict[str, Any] = dict.fromkeys(("truth", "score", "prediction"))
    for role, place in places.items():
        if isinstance(place, dict):
            assert tags is not None
            columns = frame_columns(frame, [place[tag] for tag in tags])
            by_role[role] = {tag: columns[place[tag]] for tag in tags}
        else:
            by_role[role] = frame_columns(frame, [place])[place]
    return TagColumns(**by_role, labels=tags, separator=separator, **columns_of_roles(frame, drawn))


def names_of_tags(
    known: Sequence[str], named: Mapping[str, Names], labels: Sequence[Hashable] | None
) -> dict[str, list[str]]:
    """Return the columns that each role names, among the `known` ones.

    >>> names_of_tags(["y_cat", "y_dog", "p"], {"truth": "y_*", "score": None}, None)
    {'truth': ['y_cat', 'y_dog']}
    """
    places = _all_places(dict.fromkeys(known), named, labels)
    return {role: [*place.values()] if isinstance(place, dict) else [place] for role, place in places.items()}


def places_of_tags(
    known: Sequence[str], named: Mapping[str, Names], labels: Sequence[Hashable] | None
) -> dict[str, Place]:
    """The column of each tag, or the one column of all, by role, among the `known` ones where a pattern names them.

    >>> places_of_tags(["y_cat", "y_dog", "p"], {"truth": "y_*", "prediction": None}, None)
    {'truth': {'cat': 'y_cat', 'dog': 'y_dog'}}
    """
    places = _all_places(dict.fromkeys(known), named, labels)
    _tags_of(places, labels)
    return places


def _tags_of(places: Mapping[str, Place], labels: Sequence[Hashable] | None) -> Sequence[Hashable] | None:
    """Return the tags that columns name. Raises InputError where those of two roles are not the same."""
    by_tag = {role: place for role, place in places.items() if isinstance(place, dict)}
    if not by_tag:
        return labels
    first = by_tag.get("truth") or next(iter(by_tag.values()))
    tags = list(first) if labels is None else labels
    for role, columns in by_tag.items():
        lacking = [tag for tag in tags if tag not in columns]
        others = [tag for tag in columns if tag not in tags]
        if lacking or others:
            faults = [f"no column of {_named(lacking)}"] if lacking else []
            faults += [f"a column of {_named(others)}, which the other roles do not have"] if others else []
            raise InputError(
                f"{role} has {' and '.join(faults)}. Use the same tags for all roles, or name each column, as in "
                f"{EACH}. {hint('labels=', '--labels')} names the columns in their order."
            )
    return tags


def _named(tags: Sequence[Hashable]) -> str:
    return f"{'tag' if len(tags) == 1 else 'tags'} {some(tags, write=quote)}"


def _all_places(
    frame: Any, named: Mapping[str, Names], labels: Sequence[Hashable] | None
) -> dict[str, Place]:
    return {role: _places(frame, names, role, labels) for role, names in named.items() if names is not None}


def _places(frame: Any, names: Names, role: str, labels: Sequence[Hashable] | None) -> Place:
    """Return the column of each tag, or the one column of all."""
    if isinstance(names, Mapping):
        return dict(names)
    if isinstance(names, str):
        return _fitting(frame, names, role) if "*" in names else names
    assert names is not None
    columns = list(names)
    if len(columns) == 1 and "*" in columns[0]:
        return _fitting(frame, columns[0], role)
    if labels is None:
        return {name: name for name in columns}
    if len(columns) != len(labels):
        raise InputError(
            f"{role} has {len(columns)} columns for {len(labels)} tags. Name one column for each tag."
        )
    return dict(zip(labels, columns, strict=True))


def _fitting(frame: Any, pattern: str, role: str) -> dict[Hashable, str]:
    if pattern.count("*") != 1:
        raise InputError(f"{role} must have one * in place of the tag, but is {pattern!r}.")
    before, after = pattern.split("*")
    known = frame_names(frame)
    matches: dict[Hashable, str] = {
        name[len(before) : len(name) - len(after)]: name
        for name in known
        if fnmatchcase(name, f"{_literal(before)}*{_literal(after)}") and len(name) > len(before) + len(after)
    }
    if not matches:
        raise InputError(f"No column matches {pattern!r} of {role}. Columns: {listing(known)}.")
    return matches


def _literal(text: str) -> str:
    return "".join(f"[{char}]" if char in "[?*" else char for char in text)
