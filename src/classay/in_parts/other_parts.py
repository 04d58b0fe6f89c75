"""Rows of other tasks than one label a case, counted part by part; wings bring them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from classay.assessment.assessment import Assessment
from classay.in_parts.scan_arguments import ScanArguments
from classay.in_parts.source_parts import PartReader
from classay.wings import way, ways_of


@dataclass(frozen=True)
class WayOfParts:
    """How `scan` meets rows of another task, in `ways={"scan.NAME": …}`: functions of its arguments by their names.

    `refuse_other_task` refuses a `task` that is not that of the columns, `claims` says whether these are of this task,
    `reader` says how a part is counted, and `check` refuses what only all counts together show.
    """

    refuse_other_task: Callable[[ScanArguments], None]
    claims: Callable[[ScanArguments], bool]
    reader: Callable[[ScanArguments], PartReader]
    check: Callable[[Assessment, ScanArguments], None]


def way_of_parts(args: ScanArguments) -> WayOfParts | None:
    """The way of the task that columns are of, None for one label a case. Raises InputError where no wing brings it."""
    for known in ways_of("scan"):
        known.refuse_other_task(args)
        if known.claims(args):
            return known  # type: ignore[no-any-return]
    if not ways_of("scan") and args.separator is not None:
        way("scan.separator")
    if not ways_of("scan") and args.task not in (None, "classes"):
        way("scan.task")
    return None
