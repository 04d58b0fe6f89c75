"""`classay assess`: read a file, assess it, write what was asked for; `classay sql`: count in a database instead."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.answers import REFUSE, Policy
from classay.assessment.assessing import (
    checked_rows,
    how_to_assess,
    of_matrix,
    of_predictions,
    refuse_all_undeclared,
)
from classay.assessment.counted import Dialect, MissingTruth
from classay.cli import given, options
from classay.cli.failures import guarded, one_line_warnings
from classay.cli.given import READING, TEXTS, refuse_others
from classay.cli.lists import costs_in, list_columns, names_in, with_costs
from classay.cli.options import COLUMNS, METHOD, Estimating, Showing, Text
from classay.cli.outputs import Made, OfAssessment, Outputs, data_of, listed_names, names_shown, waiting
from classay.cli.row_options import RowOptions
from classay.cli.tag_options import USED_OF_TAGS, TagOptions, assess_tags
from classay.errors import FileError, InputError, MissingExtraError
from classay.predictions import Improper, Predictions
from classay.tables import ConfusionMatrix
from classay.texts import clean, cut

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.assessment.segments import Segments
    from classay.cli.outputs import Findings


EXAMPLE = "Example: classay assess predictions.csv --truth y --score p --positive 1 --html report.html"


@guarded
def assess(
    context: typer.Context,
    *,
    rows: RowOptions,
    reference: Annotated[
        Text,
        typer.Option(
            metavar="LABEL",
            help="The group to compare with; all other cases by default.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    criteria: Annotated[
        bool,
        typer.Option(
            "--criteria",
            help="Also judge criteria of equal treatment of the groups of --by: the largest gaps and least ratios, "
            "each with its interval.",
            rich_help_panel=METHOD,
        ),
    ] = False,
    control: Annotated[
        Text,
        typer.Option(
            metavar="COL",
            help="With --criteria: columns of --by to hold fixed; groups by the others are compared within strata.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    threshold: options.Threshold = None,
    prevalence: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Also show the measures at this share of positives, such as 0.01, and hold --require there.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    tagged: TagOptions,
    interval: Annotated[
        Text,
        typer.Option(
            metavar="METHOD",
            help="Method of the intervals, where it applies instead of the default: {intervals}. `classay measures "
            "NAME` lists those of a measure.",
            rich_help_panel=METHOD,
            autocompletion=given.intervals,
        ),
    ] = None,
    estimating: Estimating,
    improper: options.ImproperRows = "keep",
    require: options.Require = None,
    cost: options.Cost = None,
    showing: Showing,
    outputs: OfAssessment,
) -> None:
    """Assess a classifier from a file of its predictions."""
    options.refuse_other_task(rows.task, tagged.given())
    if tagged.names_truth or (tagged.given() and rows.truth is not None):
        refuse_others(context, USED_OF_TAGS, f"beside {tagged.given()[0]}, of several labels a case")
        how = {
            "level": estimating.level,
            "seed": estimating.seed,
            "threshold": threshold,
            "interval": interval,
            "missing": estimating.policy.missing,
        }
        assess_tags(rows, tagged, showing, require or (), outputs, how, reference)
        return
    rows.matrix.refuse_beside([*rows.given(), *(["--threshold"] if threshold is not None else [])])
    if rows.truth is None and rows.matrix.name is None:
        wanted, more = "the column of true labels with --truth", ", and of the scores with --score"
        wanted = f"the true tags with --truth-tags or --tags, or {wanted}" if tagged.given() else wanted
        list_columns(context, rows.path, rows.reading, wanted, more, "--truth COL --score COL")
        return
    if rows.looks:
        _refuse_of_segments(context, listed_names(showing.measures))
    run(
        rows,
        Sections(reference, prevalence, criteria, tuple(names_in(control, "--control"))),
        showing,
        Demands(tuple(require or ()), tuple(cost or ())),
        outputs,
        level=estimating.level,
        seed=estimating.seed,
        policy=estimating.policy,
        improper=improper,
        threshold=threshold,
        interval=interval,
    )


@dataclass(frozen=True)
class Sections:
    """What to find out beside the assessment: the group to compare with, a prevalence, criteria within strata."""

    reference: str | None = None
    prevalence: float | None = None
    criteria: bool = False
    control: tuple[str, ...] = ()


@dataclass(frozen=True)
class Demands:
    """What is demanded of the measures, and what errors cost."""

    require: tuple[str, ...] = ()
    cost: tuple[str, ...] = ()


def run(
    rows: RowOptions,
    sections: Sections,
    showing: Showing,
    demanded: Demands,
    outputs: Outputs,
    policy: Policy = REFUSE,
    improper: Improper = "keep",
    **how: Any,
) -> None:
    """Assess the rows and write every output asked for; `how` are the other arguments of `assess`."""
    from classay.assessment.over_time import known, outcomes_of
    from classay.cli.failures import end_with
    from classay.inference.requirements import parse
    from classay.sources.files import give_back_memory

    demands = [each for text in demanded.require for each in parse(text)]
    costs = costs_in(demanded.cost)
    shown, of_costs = with_costs(showing.measures, costs)
    showing = replace(showing, measures=shown)
    names = names_shown(showing)
    known([*demands, *of_costs], costs, rows.groups())
    outputs.refuse_unwritable(rows.matrix.matrix if rows.file is None else rows.file)
    rows.refuse_unfit_periods()
    if sections.reference is not None and rows.by is None:
        raise InputError("--reference names a group to compare with: name the column of groups with --by.")
    options.refuse_pool_alone(rows.pool, rows.by)
    options.read_bands(rows.bands, rows.by)
    if sections.criteria and (rows.by is None or rows.per is not None):
        raise InputError("--criteria judges groups of cases: name the column of groups with --by.")
    if sections.control and not sections.criteria:
        raise InputError("--control holds columns fixed where criteria are judged: add --criteria.")
    rows = replace(rows, amounts=() if costs is None else costs.names)
    if rows.looks and not rows.are_many:
        outputs.deliver(Made.of(_segments(rows, policy, improper, **how), data_of([rows.path])))
        return
    if (counted := rows.counted()) is not None:
        findings = _of_matrix(rows, counted, sections, names, how_to_assess(**how))
    elif rows.are_many:
        findings = _scanned(rows, sections, names, policy, improper, **how)
    else:
        findings = _counted(rows, sections, names, policy, improper, how_to_assess(**how))
        give_back_memory()
    with waiting("estimating"):
        target = findings.slices or findings.shifted or findings.assessment
        outcomes = outcomes_of(demands, target, costs, findings.shifted)
    outputs.deliver(findings.made(showing.detail, outcomes))
    end_with(outcomes)


SAME = ("truth", "score", "prediction", "weight", "frequency", *READING)
"""The arguments of both passes over the rows."""


def _scanned(
    rows: RowOptions,
    sections: Sections,
    names: list[str] | None,
    policy: Policy,
    improper: Improper,
    **how: Any,
) -> Findings:
    """The findings for rows that are counted part by part."""
    from classay.assessment.remembered import Remembered
    from classay.assessment.scanning import refine, scan, scan_files
    from classay.assessment.verdict import how_scores_are_kept
    from classay.cli.outputs import Findings
    from classay.cli.row_options import Counter, cluster_of
    from classay.sources.fragments import CopiedRowsWarning

    arguments = rows.in_parts() | asdict(policy) | {"improper": improper} | how
    files: dict[Hashable, Assessment] | None = None
    with one_line_warnings(CopiedRowsWarning), cluster_of(rows.dask) as client, Counter() as counter:
        if rows.per == "file":
            a, files = scan_files(rows.path, **arguments, progress=counter, executor=client)
        else:
            a = scan(rows.path, **arguments, progress=counter, executor=client)
        if rows.refine:
            same = {name: arguments[name] for name in SAME}
            again = refine(a, rows.path, **same, progress=counter, executor=client)
            if again is a:
                exact = (
                    "bins leave the AUC as good as exact" if how_scores_are_kept(a) else "scores are exact"
                )
                print(
                    f"note: --refine changed nothing: {exact}, so the rows were read once.", file=sys.stderr
                )
            a = again
    shifted = None if sections.prevalence is None else a.at_prevalence(sections.prevalence)
    findings = Findings.of(rows.titled(rows.path), Remembered.of(a), names, None, shifted)
    if files is None:
        return findings
    with waiting("estimating"):
        from classay.cli.commands.merge import trends_of_files

        return replace(findings, trends=trends_of_files(a, files, names, "--per file"))


def _counted(
    rows: RowOptions,
    sections: Sections,
    names: list[str] | None,
    policy: Policy,
    improper: Improper,
    how: dict[str, Any],
) -> Findings:
    """The findings for rows that are read at once; their memory is freed as soon as they are counted."""
    with waiting(f"reading {rows.path}"):
        arguments = rows.whole()
    with waiting("counting"), rows.naming():
        if rows.time is not None:
            return _over_time(
                rows, sections, arguments | {"policy": policy, "improper": improper}, names, how
            )
        checked = checked_rows(**arguments, policy=policy, improper=improper)
        del arguments
        return _found(rows, sections, checked, names, how)


USED_OF_SEGMENTS = {
    *("file", "truth", "score", "class_scores", "prediction", "positive", "labels", "order", *READING),
    *(
        "weight",
        "frequency",
        "cluster",
        "id",
        "missing",
        "unanswered",
        "improper",
    ),  # used, or refused with the reason
    *("by", "pool", "time", "per", "limit", "memory", "dask", "refine", "matrix", "matrix_rows", "counts"),
    *("threshold", "level", "seed", "measures", *TEXTS, "save", "thresholds"),
}
"""The options of `classay assess` that have a meaning beside --by '*'; its columns make no segments, --id among them.

The tests are exact, so that no seed is asked for their numbers: any gives the same.
"""


def _refuse_of_segments(context: typer.Context, measures: list[str] | None) -> None:
    """Refuse options that the search for segments has no use for, and measures other than its own."""
    refuse_others(context, USED_OF_SEGMENTS, "beside --by '*', which tests all segments")
    for name in measures or ():
        if name != "accuracy":
            raise InputError(
                f"--measures {name} has no meaning beside --by '*', which counts right answers (accuracy): leave it "
                "out, or name the columns of groups with --by."
            )


def _segments(
    rows: RowOptions,
    policy: Policy,
    improper: Improper,
    *,
    threshold: float | None,
    level: float,
    **_: Any,
) -> Segments:
    """The segment where the classifier is surely worst, of all unused columns."""
    import numpy as np

    from classay.assessment.segments import columns_of, segments_of

    with waiting(f"reading {rows.path}"):
        arguments = rows.whole()
    searched = columns_of(arguments.pop("by"), ())
    with waiting("counting"), rows.naming():
        checked = checked_rows(**arguments, policy=policy, improper=improper)
        size = next(iter(searched.codes.values())).size
        if checked.rows != size:
            checked = checked_rows(**arguments, by=np.arange(size), policy=policy, improper=improper)
        return segments_of(checked, searched, threshold=threshold, level=level)


def _over_time(
    rows: RowOptions,
    sections: Sections,
    arguments: dict[str, Any],
    names: list[str] | None,
    how: dict[str, Any],
) -> Findings:
    """The findings for the rows, and for the periods that their dates make."""
    from classay.assessment.over_time import periods_and_names, time_course, unlabelled

    per: Any = rows.per or "day"
    when, periods = periods_and_names(arguments.pop("time"), per)
    checked = checked_rows(**arguments | {"by": when})
    late = unlabelled(checked, when, arguments)
    findings = _found(rows, sections, checked, names, how)
    return replace(findings, trends=time_course(checked, findings.assessment, periods, per, late, names))


def _of_matrix(
    rows: RowOptions,
    counted: tuple[ConfusionMatrix, Hashable | None],
    sections: Sections,
    names: list[str] | None,
    how: dict[str, Any],
) -> Findings:
    """The findings for a matrix that was counted elsewhere."""
    from classay.assessment.remembered import Remembered
    from classay.cli.outputs import Findings

    a = Remembered.of(of_matrix(*counted, **how))
    shifted = None if sections.prevalence is None else a.at_prevalence(sections.prevalence)
    return Findings.of(f"Assessment of {rows.matrix.name}", a, names, None, shifted)


def _found(
    rows: RowOptions, sections: Sections, checked: Predictions, names: list[str] | None, how: dict[str, Any]
) -> Findings:
    from classay.assessment.remembered import Remembered
    from classay.cli.outputs import Findings

    a = Remembered.of(refuse_all_undeclared(of_predictions(checked, **how)))
    groups = None
    if rows.by is not None:
        from classay.assessment.slices import of_groups

        bands = options.read_bands(rows.bands, rows.by)
        groups = of_groups(checked, a, ", ".join(rows.groups()), sections.reference, rows.pool, bands)
    shifted = None if sections.prevalence is None else a.at_prevalence(sections.prevalence)
    source = "standard input" if rows.path == "-" else Path(rows.path).name
    control = sections.control if sections.criteria else None
    return Findings.of(rows.titled(source), a, names, groups, shifted, control)


EXAMPLE_OF_SQL = "Example: classay sql shop.preds --truth y --score p --dialect snowflake"


@guarded
def sql(
    relation: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="A table, with a schema before a point, or a query in quotes."),
    ],
    *,
    truth: Annotated[str, typer.Option(metavar="COL", help="True labels.", rich_help_panel=COLUMNS)],
    score: options.Score = None,
    prediction: options.Prediction = None,
    positive: options.Positive = None,
    dialect: Annotated[
        Dialect | None,
        typer.Option(
            metavar="DIALECT",
            help=f"SQL dialect of the database: {options.words(Dialect)}; postgres by default.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    database: Annotated[
        Text,
        typer.Option(
            metavar="FILE|URL",
            help="Count in this SQLite or DuckDB file, or postgresql://… server, read-only, and assess the counts.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    result: Annotated[
        Text,
        typer.Option(
            metavar="FILE",
            help="Assess these counts: what the query gave, as a file of rows.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    threshold: options.Threshold = None,
    missing: Annotated[
        MissingTruth,
        typer.Option("--missing", help="What to do with cases without a true label.", rich_help_panel=METHOD),
    ] = "refuse",
    score_scale: options.ScoreScaleOption = None,
    unanswered: options.UnansweredRows = "refuse",
    level: options.Level = 0.95,
    measures: options.Measures = None,
    outputs: OfAssessment,
) -> None:
    """Print the query that counts predictions inside a database, or assess what it counts."""
    from classay.assessment.counted import assess_counts, count_query, scan_database

    columns: dict[str, Any] = {"truth": truth, "score": score, "prediction": prediction}
    columns |= options.scale_of(score_scale)
    how: dict[str, Any] = {"positive": positive, "threshold": threshold, "level": level}
    how |= {"missing": missing, "unanswered": unanswered}
    if database is not None and result is not None:
        raise InputError("--database counts and --result was counted: pass one of them.")
    if database is None:
        refuse_file(relation)
    if database is None and result is None:
        idle: dict[str, Any] = {"--measures": measures, "--positive": positive} | outputs.paths
        idle |= {"--threshold": threshold, "--level": None if level == LEVEL else level}
        policies = {"--missing": missing, "--unanswered": unanswered}
        refuse_idle(idle | {name: each for name, each in policies.items() if each != "refuse"})
        print(f"{printable(count_query(relation, **columns, dialect=dialect or 'postgres'))};")
        return
    if result is not None:
        outputs.refuse_unwritable(result)
        from classay.sources.files import read_table

        count_query(relation, **columns, dialect=dialect or "postgres")  # refuses what makes no sense
        labels = ["truth"] if prediction is None else ["truth", "prediction"]
        counts = read_table(result)
        spelt = {name for name in counts.column_names if name.lower() in labels}
        how |= options.scale_of(score_scale)
        a = assess_counts(read_table(result, labels=sorted(spelt), together=sorted(spelt)), **how)
    else:
        assert database is not None
        outputs.refuse_unwritable(database)
        with waiting(f"counting in {database_text(database)}"), opened(database) as connection:
            a = scan_database(connection, relation, **columns, dialect=dialect, **how)
    from classay.assessment.remembered import Remembered
    from classay.cli.outputs import Findings

    findings = Findings.of(f"Assessment of {relation}", Remembered.of(a), listed_names(measures), None, None)
    outputs.deliver(findings.made("main", []))


LEVEL = 0.95
HEADS = {"SQLite": (0, b"SQLite format 3\0"), "DuckDB": (8, b"DUCK")}
"""The bytes by which files of databases are known, and their position."""


def refuse_file(relation: str) -> None:
    """Refuse a file where a table or a query is wanted, with what its user means."""
    from classay.sources.inputs import is_known_name

    path = Path(relation)
    try:
        if not path.is_file():
            return
    except (OSError, ValueError):  # a query is longer than a path
        return
    try:
        kind = kind_of(path)
    except OSError:  # what cannot be read may still be told by its name
        kind = None
    if kind is not None:
        raise InputError(
            f"{relation} is a {kind} file: name the table in it, as in classay sql TABLE --database {quote(relation)}."
        )
    if is_known_name(relation):
        raise InputError(
            f"{relation} is a file of rows: assess it with `classay assess {quote(relation)}`, or counts in it with "
            f"classay sql TABLE --result {quote(relation)}."
        )


def kind_of(path: Path) -> str | None:
    """Which database a file is of. Raises OSError where it cannot be read."""
    with path.open("rb") as file:
        head = file.read(16)
    return next((kind for kind, (at, text) in HEADS.items() if head[at:].startswith(text)), None)


def printable(query: str) -> str:
    """A query as it is. Raises InputError where a name in it would steer a terminal, or turn what is read there."""
    if any(clean(line) != line for line in query.replace("\t", " ").split("\n")):
        raise InputError(
            "a name holds characters that steer a terminal: let classay count with --database, or have the query of "
            "classay.count_query in Python."
        )
    return query


def refuse_idle(arguments: dict[str, Any]) -> None:
    """Refuse options that a printed query has no use for."""
    for name, value in arguments.items():
        if value is not None:
            raise InputError(f"{name} is for counts: pass --database or --result too.")


def database_text(database: str) -> str:
    """A database for messages: without the password of an URL."""
    return "the server" if "://" in database else database


@contextmanager
def opened(database: str) -> Iterator[Any]:
    """A connection that can only read. Raises FileError without the file, MissingExtraError without the driver."""
    if database.startswith(("postgresql://", "postgres://")):
        connection = _postgres(database)
    elif "://" in database:
        raise InputError(
            "of servers, classay counts in those of postgresql:// addresses: for others, let the server run the query "
            "that `classay sql` prints, and pass its counts with --result."
        )
    elif not Path(database).is_file():
        raise FileError(f"no file {database}: pass a SQLite or DuckDB file, or a postgresql:// address.")
    else:
        connection = _file(Path(database))
    try:
        yield connection
    finally:
        connection.close()


def _file(path: Path) -> Any:
    kind = kind_of(path)
    if kind == "SQLite":
        import sqlite3

        return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    if kind != "DuckDB":
        raise FileError(f"{path} is neither a SQLite nor a DuckDB file.")
    try:
        import duckdb
    except ImportError as error:
        raise MissingExtraError("counting in a DuckDB file", "duckdb") from error
    try:
        return duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise FileError(
            f"{path} cannot be opened as a DuckDB file ({cut(' '.join(str(error).split()), 120)}): check that it is "
            "whole, of this version of DuckDB, and that no other program has it open to write."
        ) from error


def _postgres(address: str) -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError("counting in PostgreSQL", "postgres") from error
    try:
        connection = psycopg.connect(address)
        connection.read_only = True
    except psycopg.Error as error:
        text = " ".join(str(error).split())
        raise FileError(f"the PostgreSQL server cannot be reached: {text}") from error
    return connection
