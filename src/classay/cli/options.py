"""The options that several commands share, each written once: its help, its metavar, its panel of the help.

Those that belong together are a group, a dataclass that a command takes as one parameter (`given.spread`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from classay.answers import RENAMED, UNSCORED, AnswerPolicy, Missing, MissingLabels, Unanswered
from classay.cli.failures import one_line_warnings
from classay.cli.given import OfWay, OfWings, adjustments
from classay.errors import InputError
from classay.kinds import Format, Improper, ScoreScale
from classay.wings import brought

if TYPE_CHECKING:
    import pyarrow as pa

    from classay.report.results.assessments import Detail

COLUMNS, METHOD, OUTPUT = "Columns", "Method", "Output"
"""The panels that the help of every command has."""

Better = Literal["higher", "lower"]
Text = str | None


def read_bands(texts: Sequence[str] | None, by: str | None) -> dict[str, Any] | None:
    """Return the bands of --bands, None without it. Raises InputError where there are no groups to combine."""
    if not texts:
        return None
    from classay.assessment.bands import bands_named, refuse_bands_alone

    refuse_bands_alone(texts, by)
    return bands_named(texts)


def refuse_pool_alone(pool: int | None, by: str | None) -> None:
    """Refuse --pool where there are no groups to pool."""
    if pool is not None and by is None:
        raise InputError("--pool needs groups. Use --by to name the column of groups, or remove --pool.")
    if pool is not None and by == "*":
        raise InputError("--pool cannot be used with --by '*', which ignores small subgroups. Remove it.")


def words(choice: Any) -> str:
    """Return the words of a choice, for the help text, because the column of metavars would break them.

    >>> words(Better)
    'higher or lower'
    """
    *first, last = get_args(choice)
    return f"{', '.join(first)} or {last}"


def column_option(text: str, name: str | None = None, panel: str = COLUMNS) -> Any:
    """Return the option that names a column of one part."""
    return typer.Option(*filter(None, [name]), metavar="COL", help=text, rich_help_panel=panel)


def list_option(text: str, panel: str = COLUMNS) -> Any:
    """Return an option of several names with commas."""
    return typer.Option(metavar="A,B,…", help=text, rich_help_panel=panel)


def output_option(text: str, *names: str) -> Any:
    """Return the option that names a file to write."""
    return typer.Option(*names, metavar="OUT", help=text, rich_help_panel=OUTPUT)


def save_option(text: str) -> Any:
    """Return the option that saves a result."""
    return output_option(f"{text} Adds .classay to OUT if missing.", "--save")


# --- what is read

FILE = typer.Argument(
    help="CSV, TSV, Parquet, Arrow/Feather or JSON lines, also compressed (.gz). '-' reads standard input."
    + (" Excel, SPSS, Stata, SAS, R and Avro files need classay[files]." if brought("formats") else "")
)
File = Annotated[str, FILE]
Score = Annotated[Text, column_option("Scores of the positive class.", "--score")]
Prediction = Annotated[Text, column_option("Predicted labels.", "--prediction")]
ModelScores = Annotated[
    Text,
    typer.Option(
        "--scores", "--score", metavar="A,B,…", help="Scores, one column per model.", rich_help_panel=COLUMNS
    ),
]
ModelPredictions = Annotated[
    Text,
    typer.Option(
        "--predictions",
        "--prediction",
        metavar="A,B,…",
        help="Predicted labels, one column per model.",
        rich_help_panel=COLUMNS,
    ),
]
ClassScores = Annotated[
    list[str] | None,
    typer.Option(
        "--class-scores",
        metavar="LABEL=COL,…",
        help="Score column of each class, such as cat=c1,dog=c2, a pattern such as 'p_*', or one column of lists or "
        "maps. For several models in one file, repeat with their names: new:cat=n1,dog=n2.",
        rich_help_panel=COLUMNS,
    ),
]
Weight = Annotated[Text, column_option("Sampling weights.")]
Frequency = Annotated[Text, column_option("Counts of identical rows.")]
Cluster = Annotated[
    Text,
    column_option(
        "Column that identifies clusters, such as patients. Cases in a cluster may depend on each other."
    ),
]
Id = Annotated[
    Text,
    typer.Option(
        metavar="COL,…", help="Columns that identify the same case in several files.", rich_help_panel=COLUMNS
    ),
]
Target = Annotated[Text, column_option("Labels to learn. Without it, lists the columns.")]
Targets = Annotated[
    Text,
    column_option(
        "Labels to learn. For multilabel data: columns of 0 and 1, as a,b,c or 'y_*'. Without it, lists the "
        "columns."
    ),
]
NameOfRow = Annotated[Text, column_option("Names of the rows. Not used as a feature.", "--id")]
Drop = Annotated[Text, list_option("Columns to exclude.")]
Positive = Annotated[
    Text, typer.Option(metavar="LABEL", help="Positive class. Default: 1 or True.", rich_help_panel=COLUMNS)
]
Labels = Annotated[
    Text, list_option("All labels, also those that do not occur. Other predictions count as missing.")
]
Order = Annotated[
    Text, list_option("All labels in order, such as low,medium,high. Ordinal measures need an order.")
]
FileFormat = Annotated[
    Format | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"File format, if the file name does not show it: {words(Format)}.",
        rich_help_panel=COLUMNS,
    ),
]
Delimiter = Annotated[
    Text,
    typer.Option(
        metavar="CHAR", help="Field delimiter of a CSV file. Use tab for a tab.", rich_help_panel=COLUMNS
    ),
]

# --- how it is worked out

Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="Predict positive at scores of at least this value. Default: 0.5 for scores in [0, 1]. With "
        "--class-scores of two classes, the first class wins a tie.",
        rich_help_panel=METHOD,
    ),
]
Thresholds = Annotated[
    Text,
    typer.Option(
        metavar="X|MODEL=X,…",
        help="Predict positive at scores of at least this value, for all models or for each model.",
        rich_help_panel=METHOD,
    ),
]
Level = Annotated[float, typer.Option(metavar="SHARE", help="Confidence level.", rich_help_panel=METHOD)]
Seed = Annotated[int, typer.Option(metavar="N", help="Random seed.", rich_help_panel=METHOD)]
Learner = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME",
        help="tree, logistic, knn, forest, another model of `evaluate`, or pkg.module:estimator.",
        rich_help_panel=METHOD,
    ),
]
Rounds = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Number of training sets for the decomposition into bias and variance.",
        rich_help_panel=METHOD,
    ),
]
RunStore = Annotated[
    Text,
    typer.Option(
        "--store",
        metavar="RUNS.db",
        help="File that stores finished fits. The next run continues from it.",
        rich_help_panel=METHOD,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", metavar="N", help="Number of processes that fit. -1 uses all cores.", rich_help_panel=METHOD
    ),
]
MissingRows = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="How to handle rows without a true label. With --by, drop shows rows without a group separately.",
        rich_help_panel=METHOD,
    ),
]
UnansweredRows = Annotated[
    Unanswered,
    typer.Option(
        "--unanswered",
        help="How to handle missing predictions (no score, no predicted label, or an undeclared label). wrong counts "
        "them as incorrect. drop excludes them, with a warning.",
        rich_help_panel=METHOD,
    ),
]
MissingTargets = Annotated[
    MissingLabels,
    typer.Option("--missing", help="How to handle rows without a label.", rich_help_panel=METHOD),
]
ImproperRows = Annotated[
    Improper,
    typer.Option(
        "--improper", help="How to handle rows of class scores that do not sum to 1.", rich_help_panel=METHOD
    ),
]
ScoreScaleOption = Annotated[
    ScoreScale | None,
    typer.Option(
        "--score-scale",
        help="Scale of the scores. logit and count convert scores to probabilities. probability refuses scores "
        "outside [0, 1].",
        rich_help_panel=METHOD,
    ),
]
Task = Annotated[
    Literal["classes", "tags"] | None,
    typer.Option(
        "--task",
        help="Whether a case has one label (classes) or is multilabel (tags). Other options must agree.",
        rich_help_panel=METHOD,
    ),
    OfWay("rows.tags"),
]
Margin = Annotated[
    float | None,
    typer.Option(
        metavar="X", help="Largest acceptable loss, set before you see the data.", rich_help_panel=METHOD
    ),
]
Cost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="fp=COST",
        help="Cost of fp, fn, tp or tn: a number, or a column of amounts, such as fn=amount or tp=-0.8*amount. "
        "Repeatable.",
        rich_help_panel=METHOD,
    ),
]
Adjustment = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Adjustment of p-values for multiple comparisons: {adjustments}.",
        rich_help_panel=METHOD,
        autocompletion=adjustments,
    ),
]
Pool = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=2,
        help="Combine groups of --by with fewer than N cases. Default: no group is combined.",
        rich_help_panel=METHOD,
    ),
    OfWay("assess.by"),
]
BandsOfGroups = Annotated[
    list[str] | None,
    typer.Option(
        "--bands",
        metavar="COL=18,40,…",
        help="Combine numbers of a column of --by into ranges that begin at these numbers. COL=4q makes four ranges "
        "with about equal numbers of cases. Repeatable.",
        rich_help_panel=METHOD,
    ),
    OfWay("assess.by"),
]
Require = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CONDITION",
        help="Requirement, such as 'recall.low >= 0.9', or 'recall[region=*] >= 0.8' for every group of a column. "
        "Exit code 1 if it fails. Repeatable.",
        rich_help_panel=METHOD,
    ),
]

Config = Annotated[
    Text,
    typer.Option(
        metavar="FILE",
        help="File of settings, named like these options. Default: the nearest classay.toml, or pyproject.toml with a "
        "table [tool.classay] or [tool.classay.gate], from the working directory upwards.",
        rich_help_panel=METHOD,
    ),
]

# --- what is written

Measures = Annotated[Text, list_option("Only these measures.", OUTPUT)]
Json = Annotated[Text, output_option("Write JSON. '-' writes only JSON to standard output.", "--json")]
Html = Annotated[Text, output_option("Write one self-contained HTML page.")]
Latex = Annotated[Text, output_option("Write the tables in LaTeX.")]
Markdown = Annotated[Text, output_option("Write Markdown, for a comment on a pull request.")]
Junit = Annotated[
    Text,
    output_option("Write the requirements, and the rule of a gate, as tests in JUnit XML."),
    OfWay("gate.junit"),
]
AllMeasures = Annotated[bool, typer.Option("--all", help="Show every measure.", rich_help_panel=OUTPUT)]
StepByStep = Annotated[
    Text, output_option("Write counts and measures (--measures) at every threshold as CSV.", "--thresholds")
]
Times = Annotated[Text, output_option("Write the durations of the fits as JSON. They differ between runs.")]

# --- groups of them


def refuse_other_task(task: str | None, tags: Sequence[str]) -> None:
    """Refuse --task where the options `tags` say that cases have several labels, or none says so."""
    if task == "classes" and tags:
        raise InputError(
            f"--task classes contradicts {tags[0]}, which is for multilabel data. Remove one of the two."
        )
    if task == "tags" and not tags:
        raise InputError(
            "--task tags is for multilabel data. Use --truth-tags or --tags to name the true tags."
        )


def scale_of(scale: ScoreScale | None) -> dict[str, Any]:
    """Return the argument that says what scores are, where it was given."""
    return {} if scale is None else {"score_scale": scale}


@dataclass(frozen=True)
class FileOptions:
    """How a file is read, if its name does not say."""

    format: FileFormat = None
    delimiter: Delimiter = None
    layout: Annotated[tuple[Any, ...], OfWings("read")] = ()

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments for a function that reads a file."""
        return {"format": self.format, "delimiter": self.delimiter, "layout": self.layout}

    def given(self) -> dict[str, Any]:
        """Return the options that are given, those of wings too, by name."""
        options = {"format": self.format, "delimiter": self.delimiter}
        for added in self.layout:
            options |= asdict(added)
        return {name: value for name, value in options.items() if value is not None}

    def table(
        self,
        file: str,
        columns: Sequence[str],
        labels: Sequence[str] = (),
        together: Sequence[str] = (),
        named: Sequence[str | None] = (),
        weight: str | None = None,
    ) -> pa.Table:
        """Return the columns of a file; see `tables`."""
        return self.tables([(file, columns)], labels, together, named, weight)[0]

    def tables(
        self,
        files: Sequence[tuple[str, Sequence[str]]],
        labels: Sequence[str] = (),
        together: Sequence[str] = (),
        named: Sequence[str | None] = (),
        weight: str | None = None,
    ) -> list[pa.Table]:
        """Return the columns of each file; `labels` are read as labels, `together` of them label the classes.

        `named` are the classes that options name, as text; unless all of them are numbers, columns of text stay text.
        `weight` is the column that says how much rows of unequal chances count.
        """
        from classay.assessment.drawn import refuse_list
        from classay.columns.numbers import PLACE_IN_FILE
        from classay.columns.values import typed
        from classay.sources.files import place_in_files, read_tables

        paths = [file for file, _ in files]
        for path in paths:
            refuse_list(path, weight, self)
        PLACE_IN_FILE.set(partial(place_in_files, paths, self.format, self.delimiter, self.layout))
        classes = typed([*dict.fromkeys(label for label in named if label is not None)])
        with one_line_warnings():
            return read_tables(files, labels=labels, together=together, named=classes, **self.arguments)

    def columns(self, file: str) -> list[tuple[str, str]]:
        """Return the name and the type of each column of a file."""
        from classay.sources.files import column_names

        return column_names(file, **self.arguments)

    def column_names(self, file: str) -> list[str]:
        """Return the names of all columns of a file."""
        return [name for name, _ in self.columns(file)]


@dataclass(frozen=True)
class Roles:
    """The columns that say how much a row counts, and which rows depend on each other."""

    weight: Weight = None
    frequency: Frequency = None
    cluster: Cluster = None


def policy_of(missing: Missing, unanswered: Unanswered) -> AnswerPolicy:
    """Return the policy of two options; the old word of the first is translated into the new options."""
    if missing != UNSCORED:
        return AnswerPolicy.of(missing, unanswered)
    if unanswered == "wrong":
        raise InputError(f"{RENAMED} It contradicts --unanswered wrong. Use --missing drop.")
    print(f"note: {RENAMED}", file=sys.stderr)
    return AnswerPolicy.of("drop", "drop")


@dataclass(frozen=True)
class Estimating:
    """The level of intervals, the seed, and rows that are left out."""

    level: Level = 0.95
    seed: Seed = 0
    missing: MissingRows = "refuse"
    unanswered: UnansweredRows = "refuse"

    @property
    def policy(self) -> AnswerPolicy:
        """How to treat rows without a truth, and rows without an answer."""
        return policy_of(self.missing, self.unanswered)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments for a function that assesses rows."""
        return {"level": self.level, "seed": self.seed} | asdict(self.policy)


@dataclass(frozen=True)
class EstimatingLearners:
    """The same options where learners make the scores, so that none is missing."""

    level: Level = 0.95
    seed: Seed = 0
    missing: MissingTargets = "refuse"


@dataclass(frozen=True)
class Fitting:
    """The same options for models that are fitted, and how to fit them."""

    store: RunStore = None
    jobs: Jobs = 1
    estimating: EstimatingLearners = field(default_factory=EstimatingLearners)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments for a function that fits models; rows were left out before."""
        return {
            "level": self.estimating.level,
            "seed": self.estimating.seed,
            "n_jobs": self.jobs,
            "store": self.store,
        }


@dataclass(frozen=True)
class Showing:
    """Which measures an assessment shows."""

    measures: Measures = None
    all: AllMeasures = False

    @property
    def detail(self) -> Detail:
        """How many of the measures to show."""
        return "all" if self.all else "main"
