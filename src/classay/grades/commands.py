"""`classay grades`: logs of evaluations of language models, and tables of grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from classay.answers import Unanswered
from classay.cli import options
from classay.cli.failures import guarded, one_line_warnings
from classay.cli.lists import numbers_in, pairs_in
from classay.cli.options import METHOD, FileOptions, Text, column_option
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.errors import InputError
from classay.texts import cut

if TYPE_CHECKING:
    import pyarrow as pa

    from classay.cli.model_options import Sources
    from classay.grades.tables import GradeColumns

EXAMPLE = "Example: classay grades new.eval old.eval --grade match"
GRADE = "Grade"


@dataclass(frozen=True)
class GradeOptions:
    """Which grade of the logs, and which number it is."""

    grade: Annotated[
        Text,
        typer.Option(metavar="NAME", help="Scorer, metric or column with the grades.", rich_help_panel=GRADE),
    ] = None
    filter: Annotated[
        Text,
        typer.Option(
            metavar="NAME", help="Filter of answers, of logs of lm-eval with several.", rich_help_panel=GRADE
        ),
    ] = None
    task: Annotated[
        Text, typer.Option(metavar="NAME", help="Task, if the logs are of several.", rich_help_panel=GRADE)
    ] = None
    map: Annotated[
        Text,
        typer.Option(
            metavar="GRADE=X,…",
            help="Number of every grade, such as C=1,P=0.5,I=0. Grades without a number are refused.",
            rich_help_panel=GRADE,
        ),
    ] = None
    bounds: Annotated[
        Text,
        typer.Option(metavar="LOW,HIGH", help="Lowest and highest possible grade.", rich_help_panel=GRADE),
    ] = None

    @property
    def numbers(self) -> dict[str, float] | None:
        """The number of each grade. Raises InputError for what is none."""
        if self.map is None:
            return None
        numbers = {}
        for grade, text in pairs_in(self.map, "--map", "C=1,I=0"):
            try:
                numbers[grade] = float(text)
            except ValueError as error:
                raise InputError(
                    f"--map gives {cut(repr(text), 40)} to the grade {cut(repr(grade), 40)}. Use a number, such as "
                    f"{cut(grade, 40)}=0.5."
                ) from error
        return numbers

    @property
    def limits(self) -> tuple[float, float] | None:
        """The bounds as two numbers."""
        if self.bounds is None:
            return None
        low, high = numbers_in(self.bounds, "--bounds", 2)
        return low, high


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table of grades, a row for each answer."""

    case: Annotated[Text, column_option("Case of each row, such as a question.")] = None
    model: Annotated[Text, column_option("Model of each row. Without it, a file is one run.")] = None
    repeat: Annotated[
        Text, column_option("Number of an answer among those to its case, such as the epoch.")
    ] = None
    target: Annotated[Text, column_option("Reference answer, which must be the same in all runs.")] = None

    @property
    def columns(self) -> GradeColumns:
        """The columns as Python names them."""
        from classay.grades.tables import GradeColumns

        return GradeColumns(self.case, self.model, self.repeat, self.target)


@guarded
def grades(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="Logs of Inspect, lm-eval, promptfoo, deepeval or MLflow, folders of them, or tables of grades.",
        ),
    ],
    *,
    choice: GradeOptions,
    columns: TableColumns,
    unanswered: Annotated[
        Unanswered,
        typer.Option(
            help="How to handle answers without a grade, and cases of some runs only. wrong counts them as the worst "
            "grade. drop excludes them.",
            rich_help_panel=METHOD,
        ),
    ] = "refuse",
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    reading: FileOptions,
    outputs: OutputOptions,
) -> None:
    """Assess grades that others gave: the mean of a run with its interval, and runs compared on the same cases."""
    from classay.grades.assessing import assess_grades
    from classay.grades.reading import graded_runs, read_runs
    from classay.grades.tables import TableReading

    outputs.refuse_unwritable(*files)
    with waiting("reading"), one_line_warnings():
        runs = graded_runs(
            read_runs(files, columns.columns, choice.grade, TableReading(**reading.arguments)),
            grade=choice.grade,
            filter=choice.filter,
            task=choice.task,
            map=choice.numbers,
            bounds=choice.limits,
        )
    with waiting("comparing"), one_line_warnings():
        result = assess_grades(runs, unanswered=unanswered, level=level, seed=seed)
    outputs.deliver(Rendering.of(result, data_of(files)))


def values_of_files(
    sources: Sources, values: Sequence[str], of_first: Sequence[str], labels: Sequence[str]
) -> tuple[list[str], pa.Table]:
    """Return the models of `compare --graded` with a file for each, and one table with the values of each."""
    from classay.cli.model_options import names_of
    from classay.grades.values_of_files import joined_values

    return joined_values(sources, names_of(sources.files), values, of_first, labels)
