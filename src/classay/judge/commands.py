"""`classay judge`: grades of a judge, corrected by human labels."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.cli import options
from classay.cli.failures import end_with, guarded, one_line_warnings
from classay.cli.lists import columns_of, numbers_in
from classay.cli.options import METHOD, FileOptions, Text, column_option
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.errors import InputError
from classay.texts import listed

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLE = "Example: classay judge judged.csv --human human --judge judge"
NAMES = ("by", "cluster", "chance", "stratum", "y_pred", "second", "time")


@dataclass(frozen=True)
class JudgedFile:
    """The columns of a file of judged cases."""

    human: Annotated[Text, column_option("Human labels, empty for cases without one.")] = None
    judge: Annotated[Text, column_option("Grades of the judge.")] = None
    second: Annotated[Text, column_option("Second human labels, to show their agreement.")] = None
    prediction: Annotated[
        Text, column_option("Predicted labels to assess, if the judge stands for the truth.")
    ] = None
    by: Annotated[Text, column_option("Groups.")] = None
    cluster: options.Cluster = None
    chance: Annotated[Text, column_option("Chance with which each case with a human label was drawn.")] = None
    stratum: Annotated[Text, column_option("Strata within which cases for human labels were drawn.")] = None
    time: Annotated[Text, column_option("Times, to test for a drift of the judge.")] = None

    def read(self, file: str, reading: FileOptions, positive: str | None) -> tuple[pa.Table, dict[str, str]]:
        """Return the columns of the file, and their names by what they are."""
        named = {role: name for role, name in asdict(self).items() if name is not None}
        lacking = [f"--{role}" for role in ("human", "judge") if role not in named]
        if lacking:
            raise InputError(f"Name the columns of {listed(lacking)}. {columns_of(file, reading)}")
        if named["human"] == named["judge"]:
            raise InputError(
                "--human and --judge name the same column. Name the human labels and the judge's grades."
            )
        labels = [name for role, name in named.items() if role != "chance"]
        classes = [named[role] for role in ("human", "judge", "second", "prediction") if role in named]
        wanted = [*dict.fromkeys(named.values())]
        return reading.table(file, wanted, labels, classes, [positive]), named


@dataclass(frozen=True)
class JudgeMethod:
    """What is estimated, and from which labels."""

    finite: Annotated[
        bool,
        typer.Option(
            "--finite", help="Estimate for these very cases, not for new ones.", rich_help_panel=METHOD
        ),
    ] = False
    bounds: Annotated[
        Text,
        typer.Option(metavar="LOW,HIGH", help="Lowest and highest possible grade.", rich_help_panel=METHOD),
    ] = None
    unsure: Annotated[
        Text,
        typer.Option(
            metavar="LABEL",
            help="Human label that is no answer. These cases count as unlabeled.",
            rich_help_panel=METHOD,
        ),
    ] = None
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Say how many human labels give an interval of this half-width.",
            rich_help_panel=METHOD,
        ),
    ] = None

    @property
    def limits(self) -> tuple[float, float] | None:
        """The bounds as two numbers."""
        if self.bounds is None:
            return None
        low, high = numbers_in(self.bounds, "--bounds", 2)
        return low, high


@guarded
def judge(
    file: options.File,
    *,
    columns: JudgedFile,
    positive: options.Positive = None,
    method: JudgeMethod,
    level: options.Level = 0.95,
    require: options.Require = None,
    reading: FileOptions,
    outputs: OutputOptions,
) -> None:
    """Correct a judge's grades by human labels: accuracy of grades against human truth."""
    from classay.inference.requirements import check, parse
    from classay.judge.judging import judged

    outputs.refuse_unwritable(file)
    demands = [each for text in require or () for each in parse(text)]
    with waiting("reading"):
        table, named = columns.read(file, reading, positive)
    with waiting("estimating"), one_line_warnings():
        arguments: Any = {
            "y_pred" if role == "prediction" else role: table[name]
            for role, name in named.items()
            if role not in ("human", "judge")
        }
        result = judged(
            table[named["human"]],
            table[named["judge"]],
            positive=positive,
            finite=method.finite,
            bounds=method.limits,
            unsure=method.unsure,
            level=level,
            **arguments,
        )
        if method.half_width is not None:
            result = result.with_plan(method.half_width)
        if demands:
            outcomes = [outcome for text in require or () for outcome in check(text, result.__getitem__)]
            result = replace(result, outcomes=tuple(outcomes))
    outputs.deliver(Rendering.of(result, data_of([file])))
    end_with(result.outcomes)
