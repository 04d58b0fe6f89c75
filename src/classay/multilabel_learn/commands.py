"""Evaluations of several labels a case on the command line: the columns of --target, and what `classay runs` shows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

from classay.errors import InputError
from classay.multilabel.commands import named_columns
from classay.multilabel.tag_columns import places_of_tags
from classay.resampling.commands_of_runs import show_again

__all__ = ["show_again", "targets"]


def targets(file: str, known: Sequence[str], text: str) -> dict[Hashable, str]:
    """The column of each tag that `--target` names. Raises InputError for a pattern that fits no column or one."""
    named = {"target": named_columns(text, "--target")}
    places = cast("dict[Hashable, str]", places_of_tags(known, named, None)["target"])
    if len(places) < 2:
        raise InputError(
            f"--target has only one column, {text!r}. Use --target {next(iter(places.values()))}."
        )
    return places
