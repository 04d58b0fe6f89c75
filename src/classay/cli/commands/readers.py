"""`classay readers`: several readers of the same cases, in one modality or several."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from classay.answers import MissingLabels
from classay.cli import given, options
from classay.cli.failures import guarded
from classay.cli.lists import columns_of
from classay.cli.options import COLUMNS, METHOD, FileOptions, Text
from classay.cli.outputs import Made, Outputs, data_of, waiting
from classay.errors import InputError
from classay.texts import listed

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLE = "Example: classay readers readings.csv --truth ill --case case --reader reader --modality modality --score p"


def _column(text: str) -> object:
    return typer.Option(metavar="COL", help=text, rich_help_panel=COLUMNS)


@dataclass(frozen=True)
class ReadingColumns:
    """The columns of a file of readings, a row each."""

    truth: Annotated[Text, _column("True labels of the cases.")] = None
    case: Annotated[Text, _column("Which case a row is about.")] = None
    reader: Annotated[Text, _column("Who read it.")] = None
    modality: Annotated[
        Text, _column("What is compared: the modality, display or help that the case was read with.")
    ] = None
    score: options.Score = None
    prediction: options.Prediction = None
    cluster: Annotated[Text, _column("Which cases belong together, as the lesions of a patient.")] = None

    def read(self, file: str, reading: FileOptions, positive: str | None) -> tuple[pa.Table, dict[str, str]]:
        """The columns of the file, and their names by what they are. Raises InputError for those that must be named."""
        named = {role: name for role, name in asdict(self).items() if name is not None}
        lacking = [f"--{role}" for role in ("truth", "case", "reader") if role not in named]
        if lacking:
            raise InputError(f"name the columns of {listed(lacking)}. {columns_of(file, reading)}")
        labels = [name for role, name in named.items() if role != "score"]
        classes = [named[role] for role in ("truth", "prediction") if role in named]
        wanted = [*dict.fromkeys(named.values())]
        return reading.table(file, wanted, labels, classes, [] if positive is None else [positive]), named


@guarded
def readers(
    file: options.File,
    *,
    columns: ReadingColumns,
    positive: options.Positive = None,
    reading: FileOptions,
    control: Annotated[
        Text,
        typer.Option(
            metavar="NAME",
            help="Compare the other modalities with this one, named beforehand.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    fixed: Annotated[
        Literal["readers", "cases"] | None,
        typer.Option(
            help="readers: make claims about these readers alone. cases: about these cases alone, by Student's t over "
            "readers, which has a type I error of 9 to 52 % for other cases.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    adjustment: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Adjustment of the p-values of all comparisons: {adjustments}.",
            rich_help_panel=METHOD,
            autocompletion=given.adjustments,
        ),
    ] = "holm",
    level: options.Level = 0.95,
    missing: Annotated[
        MissingLabels,
        typer.Option(
            help="What to do with readings without a score, a label or a truth.", rich_help_panel=METHOD
        ),
    ] = "refuse",
    outputs: Outputs,
) -> None:
    """Compare modalities by several readers of the same cases; the readers and the cases are random."""
    from classay.comparison.cases.comparing_readers import compare_readers

    outputs.refuse_unwritable(file)
    with waiting("reading"):
        frame, named = columns.read(file, reading, positive)
    with waiting("comparing"):
        found = compare_readers(
            frame,
            **named,
            positive=positive,
            control=control,
            fixed=fixed,
            adjustment=adjustment,
            level=level,
            missing=missing,
        )
    outputs.deliver(Made.of(found, data_of([file])))
