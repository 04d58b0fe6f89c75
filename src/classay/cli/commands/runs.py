"""`classay runs` and `merge`: show saved results beside each other or one by one, or merge them without their rows."""

from __future__ import annotations

import glob
import os
from collections.abc import Hashable
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli import options
from classay.cli.failures import guarded, listing
from classay.cli.options import METHOD, Showing, Text
from classay.cli.outputs import (
    Made,
    OfEvaluation,
    OfMerged,
    Outputs,
    data_of,
    listed_names,
    names_shown,
    refuse_twice,
    waiting,
)
from classay.errors import FileError, InputError, MergeError
from classay.files.writing import SAVED, saved_path
from classay.texts import clean, naturally
from classay.wings import brought, thing

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.assessment.slices import Slices
    from classay.assessment.trends import Trends
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.run_store import StoredRun


EXAMPLE = "Example: classay runs results --html results/overview.html"


@guarded
def runs(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="A folder of saved results (.classay), or a store that `--store` made: all beside each other, in the "
            "order of time. Or one file that `--save` or `save` wrote.",
        ),
    ],
    id: Annotated[
        Text,
        typer.Argument(metavar="[RUN]", help="A run, by the first letters of its id. Without it, lists all."),
    ] = None,
    *,
    measures: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Only these measures; any can be named, because the predictions are kept.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    outputs: OfEvaluation,
) -> None:
    """Show all saved results of a folder or store beside each other, or one of them again; nothing is fitted."""
    show_runs(file, id, measures, outputs)


def show_runs(file: str, id: str | None, measures: str | None, outputs: Outputs) -> None:
    """Show what a folder or a store holds, or one result again, without fitting anything."""
    if id is not None and os.path.isdir(file):
        file, id = str(saved_path(os.path.join(file, id))), None
    outputs.refuse_unwritable(file)
    if file.endswith(SAVED) and not os.path.isdir(file):
        if id is not None:
            raise InputError(f"{file} holds one result, and {id!r} names another: leave it out.")
        _show_saved(file, measures, outputs)
    elif id is not None:
        _deliver(_reopened(file, id), measures, outputs)
    elif os.path.isdir(file) or measures or outputs.paths:
        _show_all(file, measures, outputs)
    else:
        _list_runs(file)


def _show_all(file: str, measures: str | None, outputs: Outputs) -> None:
    """Show all that a folder or a store holds beside each other."""
    from classay.saved_results import overview

    for option in ("--save", "--times"):
        if option in outputs.paths:
            raise InputError(f"{option} is for one result: name it, as in `classay runs {quote(file)} NAME`.")
    with waiting("estimating"):
        found = overview(file, listed_names(measures))
    page = outputs.html if outputs.html and outputs.html != "-" else "page.html"
    outputs.deliver(Made.of(found.seen_from(os.path.dirname(page) or ".")))


def _show_saved(file: str, measures: str | None, outputs: Outputs) -> None:
    """Show one saved result again."""
    from classay.assessment.restoring import kind_of
    from classay.resampling.evaluation import Evaluation

    kind = kind_of(file)
    if place := brought("shown_again").get(kind or ""):
        thing(place)(file, measures, outputs)
    elif kind == "assessment":
        _show_assessment(file, measures, outputs)
    else:
        _deliver(Evaluation.load(file), measures, outputs)


def _deliver(e: Evaluation, measures: str | None, outputs: Outputs) -> None:
    from classay.cli.commands.evaluate import deliver_evaluation

    names = listed_names(measures)
    deliver_evaluation(e if names is None else e.showing(names), outputs)


def _show_assessment(file: str, measures: str | None, outputs: Outputs) -> None:
    """Show a saved assessment again."""
    from classay.assessment.remembered import Remembered
    from classay.assessment.restoring import load
    from classay.cli.outputs import Findings

    if outputs.times is not None:
        raise InputError(f"{file} holds an assessment, which knows no times: leave out --times.")
    a = Remembered.of(load(file))
    named = data_of([file]) if not a.model else f"{a.model} on {data_of([file])}"
    found = Findings.of(f"Assessment of {named}", a, listed_names(measures), None, None)
    outputs.deliver(found.made("main"))


def _reopened(file: str, id: str) -> Evaluation:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.run_store import Store

    with Store.existing(file) as store:
        return Evaluation.reopen(store, id)


def _list_runs(file: str) -> None:
    """Print the runs of a store: what was run, and how far it came."""
    from classay.resampling.run_store import Store

    with Store.existing(file) as store:
        runs = store.runs()
    if not runs:
        print(f"{file} holds no runs yet.")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("run", "started", "models", "protocol", "cases", "seed", "fits"):
        table.add_column(
            column, header_style="dim", justify="right" if column in ("cases", "fits") else "left"
        )
    for run in runs:
        table.add_row(*map(Text, map(clean, _row(run))))
    with listing() as console:
        console.print(table)
    print(
        f"\n`classay runs {quote(file)} RUN` shows one again, `--html FILE` all on one page with their measures; an "
        "unfinished one goes on when it is evaluated again."
    )


def _row(run: StoredRun) -> tuple[str, ...]:
    about = run.about
    rows = [data["rows"] for data in about.get("data", {}).values()]
    return (
        run.id[:8],
        run.started[:16].replace("T", " "),
        ", ".join(about.get("estimators", ())),
        str(about.get("protocol", "")),
        f"{sum(rows):,}" + (f" in {len(rows)} sets" if len(rows) > 1 else ""),
        str(about.get("seed", "")),
        f"{run.done:,}" if run.is_finished else f"{run.done:,} of {run.planned:,}",
    )


EXAMPLE_OF_MERGE = "Example: classay merge monday.classay tuesday.classay --apart --save week.classay"


@guarded
def merge(
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
    ] = False,
    reference: Annotated[
        Text,
        typer.Option(
            metavar="NAME",
            help="The file to compare with, by its name without .classay.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    trend: Annotated[
        bool,
        typer.Option(
            "--trend",
            help="The files are days or weeks, in the order given: also show how much each measure changes from one "
            "to the next, with an interval.",
            rich_help_panel=METHOD,
        ),
    ] = False,
    pool: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            help="With --apart: files with fewer than N cases are pooled into one, and named; without it, none is.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    require: options.Require = None,
    showing: Showing,
    outputs: OfMerged,
) -> None:
    """Put saved assessments of different cases together."""
    from classay.assessment.over_time import known, outcomes_of
    from classay.assessment.remembered import Remembered
    from classay.assessment.tag_assessment import TagAssessment
    from classay.cli.failures import end_with
    from classay.cli.outputs import Findings
    from classay.cli.tag_options import made_of_tags
    from classay.inference.requirements import parse

    if reference is not None and not apart:
        raise InputError("--reference names the file to compare with: pass --apart too.")
    if pool is not None and not apart:
        raise InputError("--pool joins small files where all stand side by side: pass --apart too.")
    files = _found(files)
    outputs.refuse_unwritable(*files)
    names = names_shown(showing)
    demands = [each for text in require or () for each in parse(text)]
    known(demands, None, ("file",) if apart else ())
    with waiting("adding"):
        parts = _loaded(files)
        whole = _added(parts)
    groups = _slices(whole, parts, reference, pool) if apart else None
    title = f"Assessment of {len(parts)} files together"
    if isinstance(whole, TagAssessment):
        if trend:
            raise InputError(
                "--trend is for cases with one label each, and these have several: leave it out."
            )
        outcomes = outcomes_of(demands, groups or whole, None)
        outputs.deliver(made_of_tags(whole, groups, title, names, showing, outcomes))
        end_with(outcomes)
        return
    a = Remembered.of(whole)
    found = Findings.of(title, a, names, groups, None)
    if trend:
        found = replace(found, trends=trends_of_files(whole, parts, names, "--trend"))
    outcomes = outcomes_of(demands, groups or a, None)
    outputs.deliver(found.made(showing.detail, outcomes))
    end_with(outcomes)


def _found(files: list[str]) -> list[str]:
    """The files that are there, patterns in the order of names. Raises FileError for a name or pattern of none."""
    found: list[str] = []
    for each in files:
        if not os.path.lexists(each) and glob.has_magic(each):
            matching = sorted(glob.glob(each), key=naturally)
            if not matching:
                raise FileError(f"no file matches {each}: check the pattern, and the folder you are in.")
            found += matching
        elif not os.path.exists(each):
            saved = f"{each}{SAVED}"
            near = f"; did you mean {saved}?" if os.path.exists(saved) else ": check the path."
            raise FileError(f"there is no file {each}{near}")
        else:
            found.append(each)
    return found


def _loaded(files: list[str]) -> dict[Hashable, Assessment]:
    """The assessments by the names of their files, or by their paths where names are not different."""
    from classay.assessment.restoring import kind_of, load
    from classay.assessment.scanning import names_of_files
    from classay.assessment.tag_assessment import TagAssessment

    if len(files) < 2:
        raise InputError("pass two or more files, each once: what is added twice counts twice.")
    loaded = [TagAssessment.load(each) if kind_of(each) == "tag_assessment" else load(each) for each in files]
    refuse_twice(files, "what is added twice counts twice")
    return dict(zip(names_of_files(files), loaded, strict=True))


def _added(parts: dict[Hashable, Assessment]) -> Assessment:
    from classay.tables.sums import sum_by_halves

    try:
        return sum_by_halves(parts.values(), sum(a.rows for a in parts.values()))
    except MergeError as error:
        raise MergeError(f"the files cannot be added: {error}") from error


def trends_of_files(
    whole: Assessment, parts: dict[Hashable, Assessment], names: list[str] | None, option: str
) -> Trends:
    """The changes over files, in their order, as `option` requests. Raises InputError for fewer than three."""
    from classay.assessment.compared_groups import main_measures
    from classay.assessment.drift import Timed
    from classay.assessment.trends import FEWEST, over_time_of

    if len(parts) < FEWEST:
        raise InputError(
            f"{option} needs {FEWEST} files or more, in their order, and there are {len(parts)}."
        )
    return over_time_of(Timed(parts, whole), names or main_measures(whole), "file")


def _slices(
    whole: Assessment, parts: dict[Hashable, Assessment], reference: str | None, pool: int | None
) -> Slices:
    from classay.assessment.slices import Slices

    made = Slices("file", whole, parts)
    return (made if pool is None else made.pool(pool)).against(reference)
