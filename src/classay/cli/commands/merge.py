"""`classay merge`: saved assessments of different cases together, without their rows."""

from __future__ import annotations

import glob
import os
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli import options
from classay.cli.failures import guarded
from classay.cli.given import OfWay
from classay.cli.options import METHOD, Showing, Text
from classay.cli.outputs import OfMerged, names_shown, refuse_twice, waiting
from classay.errors import FileError, InputError, MergeError
from classay.files.writing import SAVED
from classay.texts import naturally
from classay.wings import brought, thing, way

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.cli.outputs import ReportExtension


EXAMPLE = "Example: classay merge monday.classay tuesday.classay --apart --save week.classay"


@guarded
def merge(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(help="Files that `classay assess --save` wrote, of different cases (.classay)."),
    ],
    *,
    apart: Annotated[
        bool,
        typer.Option(
            "--apart",
            help="Also show each file beside all others together, with differences and their intervals.",
            rich_help_panel=METHOD,
        ),
        OfWay("merge.apart"),
    ] = False,
    reference: Annotated[
        Text,
        typer.Option(
            metavar="NAME",
            help="The file to compare with, by its name without .classay.",
            rich_help_panel=METHOD,
        ),
        OfWay("merge.apart"),
    ] = None,
    trend: Annotated[
        bool,
        typer.Option(
            "--trend",
            help="The files are days or weeks, in the order given: also show how much each measure changes from one "
            "to the next, with an interval.",
            rich_help_panel=METHOD,
        ),
        OfWay("merge.trend"),
    ] = False,
    pool: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            help="With --apart: files with fewer than N cases are pooled into one, and named; without it, none is.",
            rich_help_panel=METHOD,
        ),
        OfWay("merge.apart"),
    ] = None,
    require: options.Require = None,
    showing: Showing,
    outputs: OfMerged,
) -> None:
    """Put saved assessments of different cases together."""
    from classay.assessment.remembered import Remembered
    from classay.assessment.required import known, outcomes_of
    from classay.assessment.restoring import kind_of
    from classay.assessment.task import OtherTask
    from classay.cli.failures import end_with
    from classay.cli.outputs import AssessmentReport
    from classay.inference.requirements import parse

    if reference is not None and not apart:
        raise InputError("--reference needs --apart. Add --apart.")
    if pool is not None and not apart:
        raise InputError("--pool needs --apart. Add --apart.")
    files = _found(files)
    outputs.refuse_unwritable(*files)
    if (other := brought("ways").get(f"merge.{kind_of(files[0])}")) is not None:
        thing(other)(context, files, require or (), outputs)
        return
    names = names_shown(showing)
    demands = [each for text in require or () for each in parse(text)]
    known(demands, None, ("file",) if apart else ())
    with waiting("adding"):
        parts = _loaded(files)
        merged = _added(parts)
    beside: ReportExtension | None = None
    if apart:
        beside = way("merge.apart")(merged, parts, reference, pool, names)
    title = f"Assessment of {len(parts)} files together"
    if isinstance(merged.task, OtherTask):
        if trend:
            raise InputError("--trend cannot be used with multilabel cases. Remove it.")
        outcomes = outcomes_of(demands, merged if beside is None else beside.parts or merged, None)
        made = way(f"made.{type(merged).__name__}")
        outputs.deliver(made(merged, beside, title, names, showing, outcomes))
        end_with(outcomes)
        return
    a = Remembered.of(merged)
    findings = AssessmentReport.of(title, a, names, beside, None)
    if trend:
        findings = replace(findings, beside=way("merge.trend")(merged, parts, names, "--trend", beside))
    outcomes = outcomes_of(demands, a if beside is None else beside.parts or a, None)
    outputs.deliver(findings.made(showing.detail, outcomes))
    end_with(outcomes)


def _found(files: list[str]) -> list[str]:
    """The files that are there, patterns in the order of names.

    Raises FileError for a name or pattern of none, InputError for a single file, or one that is named twice.
    """
    paths: list[str] = []
    for file in files:
        if not os.path.lexists(file) and glob.has_magic(file):
            matching = sorted(glob.glob(file), key=naturally)
            if not matching:
                raise FileError(f"No file matches {file}. Check the pattern and the working directory.")
            paths += matching
        elif not os.path.exists(file):
            saved = f"{file}{SAVED}"
            near = f"Did you mean {saved}?" if os.path.exists(saved) else "Check the path."
            raise FileError(f"File not found: {file}. {near}")
        else:
            paths.append(file)
    if len(paths) < 2:
        raise InputError("One file cannot be merged. Name two or more files.")
    refuse_twice(paths, "Name each file once")
    return paths


def _loaded(files: list[str]) -> dict[Hashable, Assessment]:
    """Return the assessments by the names of their files, or by their paths where names are not different."""
    from classay.assessment.restoring import load_of_any_task
    from classay.sources.files import names_of_files

    loaded = [load_of_any_task(file) for file in files]
    return dict(zip(names_of_files(files), loaded, strict=True))


def _added(parts: dict[Hashable, Assessment]) -> Assessment:
    from classay.tables.sums import sum_by_halves

    try:
        return sum_by_halves(parts.values(), sum(a.rows for a in parts.values()))
    except MergeError as error:
        raise MergeError(f"The files cannot be merged. {error}") from error
