"""`classay sql`: print the query that counts predictions inside a database, or let it count and assess that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from classay.cli import options
from classay.cli.failures import guarded
from classay.cli.options import METHOD, Text, column_option
from classay.cli.outputs import OfAssessment, listed_names, waiting
from classay.errors import FileError, InputError, MissingExtraError
from classay.in_parts.databases import Dialect, MissingTruth
from classay.texts import clean, cut

EXAMPLE = "Example: classay sql shop.preds --truth y --score p --dialect snowflake"


@guarded
def sql(
    relation: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="A table, with a schema before a point, or a query in quotes."),
    ],
    *,
    truth: Annotated[str, column_option("True labels.")],
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
    from classay.in_parts.databases import assess_counts, count_query, scan_database

    columns: dict[str, Any] = {"truth": truth, "score": score, "prediction": prediction}
    columns |= options.scale_of(score_scale)
    how: dict[str, Any] = {"positive": positive, "threshold": threshold, "level": level}
    how |= {"missing": missing, "unanswered": unanswered}
    if database is not None and result is not None:
        raise InputError("--database and --result cannot be combined. Remove one of the two.")
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
    from classay.cli.outputs import AssessmentReport

    findings = AssessmentReport.of(
        f"Assessment of {relation}", Remembered.of(a), listed_names(measures), None, None
    )
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
            f"{relation} is a {kind} file. Name the table in it, as in classay sql TABLE --database {quote(relation)}."
        )
    if is_known_name(relation):
        raise InputError(
            f"{relation} is a file of rows. Use `classay assess {quote(relation)}`, or if it contains counts, "
            f"`classay sql TABLE --result {quote(relation)}`."
        )


def kind_of(path: Path) -> str | None:
    """Return which database a file is of. Raises OSError where it cannot be read."""
    with path.open("rb") as file:
        head = file.read(16)
    return next((kind for kind, (at, text) in HEADS.items() if head[at:].startswith(text)), None)


def printable(query: str) -> str:
    """A query as it is. Raises InputError where a name in it would steer a terminal, or turn what is read there."""
    if any(clean(line) != line for line in query.replace("\t", " ").split("\n")):
        raise InputError(
            "A name contains control characters. Use --database to let classay count, or classay.count_query in Python "
            "to get the query."
        )
    return query


def refuse_idle(arguments: dict[str, object]) -> None:
    """Refuse options that a printed query has no use for."""
    for name, value in arguments.items():
        if value is not None:
            raise InputError(f"{name} needs counts. Use --database or --result, too.")


def database_text(database: str) -> str:
    """Return a database for messages: without the password of an URL."""
    return "the server" if "://" in database else database


@contextmanager
def opened(database: str) -> Iterator[Any]:
    """A connection that can only read. Raises FileError without the file, MissingExtraError without the driver."""
    if database.startswith(("postgresql://", "postgres://")):
        connection = _postgres(database)
    elif "://" in database:
        raise InputError(
            "--database supports only servers with postgresql:// addresses. For other servers, run the query that "
            "`classay sql` prints, and use --result with its counts."
        )
    elif not Path(database).is_file():
        raise FileError(
            f"File not found: {database}. Use a SQLite or DuckDB file, or a postgresql:// address."
        )
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
            f"{path} cannot be opened as a DuckDB file ({cut(' '.join(str(error).split()), 100)}). Check its version, "
            "and whether another program has it open for writing."
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
        raise FileError(f"The PostgreSQL server cannot be reached: {text}") from error
    return connection
