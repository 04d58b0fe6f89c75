"""Where the rows of one classifier are, and in which columns; read at once, or counted in the way of a wing."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

import typer

from classay.answers import REFUSE, AnswerPolicy
from classay.cli import options
from classay.cli.given import OfWay, OfWings
from classay.cli.lists import columns_by_label, columns_of, declared_names, label_named, labels_in, names_in
from classay.cli.matrix_options import MatrixOptions
from classay.cli.options import COLUMNS, METHOD, FileOptions, Roles, Text, column_option
from classay.cli.read_rows import ReadRows
from classay.column_names import LOOK
from classay.errors import InputError
from classay.files.writing import SAVED
from classay.kinds import Improper
from classay.sources.inputs import find_input
from classay.wings import altered

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.assessment.row_arguments import EstimationArguments, RowColumns
    from classay.cli.other_tasks import OtherScanOptions
    from classay.kinds import Format
    from classay.tables import ConfusionMatrix

PerFile = Literal["file", "day", "week", "month", "quarter"]
"""What a period is."""


COLUMNS_ALONE = frozenset({"truth", "score", "prediction", "weight", "frequency", "cluster", "id"})
"""The options of which nothing is wrong before the file is read."""
LARGEST = 2**28
"""Bytes of a file up to which columns that nobody named are looked through for ids."""


def id_columns(reading: FileOptions, file: str, used: Collection[str | None]) -> list[str]:
    """Return the columns of a file that may hold ids of cases and have no other use; of a pipe and a huge file none."""
    from classay.columns.repeats import id_names

    try:
        if file == "-" or file.endswith(SAVED) or os.path.getsize(os.path.expanduser(file)) > LARGEST:
            return []
        return id_names(reading.column_names(file), used)
    except (InputError, OSError, ValueError):  # what is wrong is said where the rows are read
        return []


@dataclass(frozen=True)
class HowToAssess:
    """The arguments of an assessment beside the columns of its rows; `memory` None is the default of `scan`."""

    level: float = 0.95
    seed: int = 0
    threshold: float | Mapping[Hashable, float] | None = None
    top: int | None = None
    interval: str | None = None
    policy: AnswerPolicy = REFUSE
    improper: Improper = "keep"
    memory: float | None = None

    @property
    def cutoff(self) -> float | None:
        """The threshold of scores of one class."""
        assert not isinstance(self.threshold, Mapping)
        return self.threshold

    def estimation(self) -> EstimationArguments:
        """Return the threshold, the level, the seed and the method of intervals. Raises InputError for a wrong one."""
        from classay.assessment.assessing import how_to_assess

        return how_to_assess(self.cutoff, self.level, self.seed, self.interval)

    def arguments(self) -> dict[str, Any]:
        """Return all of them, by their names, but for a memory that is None."""
        names = ("level", "seed", "threshold", "top", "interval", "improper")
        arguments = {name: getattr(self, name) for name in names} | asdict(self.policy)
        return arguments if self.memory is None else arguments | {"memory": self.memory}


class WayToCount(Protocol):
    """Options that a wing adds to `classay assess`, and how it counts rows that need not be read at once.

    Other commands that read rows have it without its options.
    """

    uses: ClassVar[frozenset[str]]
    """The options that it adds."""
    uses_of_other_tasks: ClassVar[frozenset[str]]
    """Those that have a meaning of other tasks than one label a case."""

    def given(self) -> dict[str, Any]:
        """Return the values of its options, None of those that were not given."""

    def is_of_several(self, name: str) -> bool:
        """Check whether what stands for a FILE means several files."""

    def first_file(self, name: str, format: Format | None) -> str:
        """Return the first of the files that a name means; a name of one file as it is."""

    def claims(self, name: str) -> bool:
        """Check whether the rows of this FILE are counted in this way."""

    def assess(
        self, rows: RowOptions, how: HowToAssess
    ) -> tuple[Assessment, dict[Hashable, Assessment] | None]:
        """Return the assessment, and that of each file where files are periods.

        Raises InputError for options that need all rows at once.
        """

    def assess_other(self, rows: RowOptions, other: OtherScanOptions, how: HowToAssess) -> Assessment:
        """Return the same of other tasks than one label a case."""


@dataclass(frozen=True)
class RowOptions:
    """Where the rows are and what their columns mean, as texts from the command line."""

    file: Annotated[Text, options.FILE] = None
    truth: Annotated[Text, column_option("True labels. Without it, describes the file.")] = None
    score: options.Score = None
    class_scores: Annotated[
        Text,
        typer.Option(
            metavar="LABEL=COL,…",
            help="Score column of each class, such as cat=c1,dog=c2, a pattern such as 'p_*', or one "
            "column of lists or maps.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    prediction: options.Prediction = None
    positive: options.Positive = None
    labels: options.Labels = None
    order: options.Order = None
    roles: Roles = field(default_factory=Roles)
    id: Annotated[Text, column_option("Column of case ids, needed to compare saved assessments.")] = None
    by: Annotated[
        Text,
        typer.Option(
            metavar="COL,…",
            help="Columns that define groups. Assesses and compares the groups. '*' searches all unused columns and "
            "their pairs for the subgroup where the classifier is worst.",
            rich_help_panel=COLUMNS,
        ),
        OfWay("assess.by"),
    ] = None
    pool: options.Pool = None
    bands: options.BandsOfGroups = None
    time: Annotated[
        Text,
        column_option("Column of dates. Assesses each day or other period (--per), and tests for changes."),
        OfWay("assess.time"),
    ] = None
    per: Annotated[
        PerFile | None,
        typer.Option(
            help="Period of --time. Default: day (with --development: month). file: every file is a period, by name.",
            rich_help_panel=METHOD,
        ),
        OfWay("assess.time"),
    ] = None
    reading: FileOptions = field(default_factory=FileOptions)
    ways: Annotated[tuple[WayToCount, ...], OfWings("assess")] = field(
        default_factory=OfWings("assess").unset
    )
    matrix: MatrixOptions = field(default_factory=MatrixOptions)
    score_scale: options.ScoreScaleOption = None
    task: options.Task = None
    amounts: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The file of the rows. Raises InputError where none was named."""
        if self.file is None:
            raise InputError("FILE is missing. Name a file, or use --matrix or --counts.")
        return self.file

    def titled(self, source: str) -> str:
        """Return the title of an assessment: which scores or labels, of which data."""
        model = self.score or self.prediction
        by = "" if self.by is None or self.looks else f" by {', '.join(self.groups())}"
        over = "" if self.time is None and self.per is None else f" over {self.per or 'day'}s"
        return f"Assessment of {source if model is None else f'{model} on {source}'}{by}{over}"

    def counted(self) -> tuple[ConfusionMatrix, Hashable | None] | None:
        """Return the matrix that stands in place of rows, and its positive class; None where rows are read."""
        if self.matrix.name is None:
            return None
        names = declared_names(self.labels, self.order)
        return self.matrix.table(names, self.positive, self.reading, ordered=self.order is not None)

    def given(self) -> list[str]:
        """Return the options that say what rows are, as far as they were given."""
        by_option: dict[str, Any] = {
            "FILE": self.file,
            "--truth": self.truth,
            "--score": self.score,
            "--id": self.id,
            "--by": self.by,
            "--pool": self.pool,
            "--bands": self.bands or None,
            "--time": self.time,
            "--per": self.per,
        }
        by_option |= {
            "--class-scores": self.class_scores,
            "--prediction": self.prediction,
            "--score-scale": self.score_scale,
            "--task": self.task,
        }
        for way in self.ways:
            by_option |= way.given()
        by_option |= {f"--{name}": value for name, value in asdict(self.roles).items()}
        return [name for name, value in by_option.items() if value is not None]

    @property
    def way(self) -> WayToCount | None:
        """The way of a wing in which the rows are counted; None where they are read at once."""
        if self.matrix.name is not None:
            return None
        return next((way for way in self.ways if way.claims(self.path)), None)

    @property
    def first_file(self) -> str:
        """The file of the rows, or the first of several."""
        files = (way.first_file(self.path, self.reading.format) for way in self.ways)
        return next(files, self.path)

    def classes(self) -> dict[str, str]:
        """The column of scores of each class, by its label."""
        about = [self.first_file], self.truth, declared_names(self.labels, self.order), self.reading
        texts = altered("read.classes", [] if self.class_scores is None else [self.class_scores], *about)
        return columns_by_label(texts[0]) if texts else {}

    def whole(self) -> ReadRows:
        """These rows, read at once."""
        from classay.assessment.group_labels import grouped
        from classay.columns.labels import typed_labels
        from classay.columns.repeats import repeated_ids

        classes = self.classes()
        if self.score and classes:
            raise InputError("--score and --class-scores cannot be combined. Remove one of the two.")
        roles = {
            "truth": self.truth,
            "score": self.score,
            "prediction": self.prediction,
            **asdict(self.roles),
            "id": self.id,
            "time": self.time,
        }
        used = {*roles.values(), *classes.values(), *self.amounts}
        by = self._unused(used) if self.looks else self.groups()
        ids = self._ids(used if self.looks else {*used, *by})
        of_rows = [*roles.values(), *classes.values(), *by, *ids, *self.amounts]
        names = [name for name in of_rows if name is not None]
        table = self.reading.table(
            self.path,
            list(dict.fromkeys(names)),
            labels=[
                name
                for name in (
                    *(roles[role] for role in ("truth", "prediction", "cluster", "id", "time")),
                    *by,
                    *ids,
                )
                if name is not None
            ],
            together=[name for name in (self.truth, self.prediction) if name is not None],
            named=[*classes, *declared_names(self.labels, self.order)],
            weight=self.roles.weight,
        )
        columns = {role: None if name is None else table[name] for role, name in roles.items()}
        if not (self.score or classes or self.prediction):
            raise InputError(
                "There are no scores and no predicted labels. Use --score, --prediction or --class-scores to name "
                f"columns. {columns_of(self.path, self.reading)}"
            )
        columns_of_groups = {name: table[name] for name in by}
        groups = columns_of_groups if self.looks else grouped(columns_of_groups) if by else None
        arguments: RowColumns = {"y_pred": columns["prediction"], "id": columns["id"]}
        arguments |= {"weight": columns["weight"], "frequency": columns["frequency"]}
        arguments |= {"cluster": columns["cluster"], "score_scale": self.score_scale}
        if self.amounts:
            arguments["amounts"] = {name: table[name] for name in self.amounts}
        (score,) = altered("read.single", [columns["score"]], self.score)
        if classes or declared_names(self.labels, self.order) or self.positive is not None:
            occurring = labels_in(columns["truth"], columns["prediction"])
            arguments |= self._named(occurring)
            if classes:
                labels = typed_labels(tuple(classes), occurring)
                score = dict(zip(labels, (table[name] for name in classes.values()), strict=True))
        repeats = repeated_ids({name: table[name] for name in ids}, self.id)
        return ReadRows(columns["truth"], score, arguments, groups, columns["time"], repeats)

    def _ids(self, used: Collection[str | None]) -> list[str]:
        """Return the columns to look through for ids that repeat: none where rows have clusters or a frequency."""
        if self.roles.cluster is not None or self.roles.frequency is not None:
            return []
        named_id = [] if self.id is None else [self.id]
        return list(dict.fromkeys([*named_id, *id_columns(self.reading, self.path, used)]))

    def refuse_missing(self, named: Collection[str]) -> None:
        """Refuse a file that is not there before what reads one is loaded, where only columns are `named` besides."""
        file = self.file or "-"
        is_plain = {*named} <= COLUMNS_ALONE and not re.search(r"[*?[]|://", file)
        if is_plain and file != "-" and not os.path.lexists(os.path.expanduser(file)):
            find_input(file, None, None)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Errors about the values of a role name its column first: "Column 'p' (--score) …"."""
        roles = {"truth": self.truth, "score": self.score, "prediction": self.prediction, "id": self.id}
        roles["time"] = self.time
        roles["group"] = self.by if len(self.groups()) == 1 else None
        try:
            yield
        except InputError as error:
            role, _, reason = error.at_the_command.partition(" ")
            column = (roles | asdict(self.roles)).get(role)
            if column in (None, role) or type(error) is not InputError:
                raise
            option = "--by" if role == "group" else f"--{role}"
            raise InputError(f"Column {column!r} ({option}) {reason}") from error

    def refuse_unfit_periods(self) -> None:
        """Refuse options of periods that do not go together. Raises InputError."""
        if self.time is None and self.per is None:
            return
        if self.by is not None:
            raise InputError(
                "--by and --time (--per) cannot be combined. Remove one of the two, or assess each group over time "
                "separately."
            )
        if self.per == "file":
            if self.time is not None:
                raise InputError("--per file and --time cannot be combined. Remove one of the two.")
            if not any(way.is_of_several(self.path) for way in self.ways):
                raise InputError(
                    f"--per file needs several files, but {self.path} is one file. Use a folder or a pattern in "
                    "quotes, such as 'days/*.csv', or a column of dates with --time."
                )
        elif self.time is None:
            raise InputError(f"--per {self.per} needs dates. Use --time to name the column of dates.")

    def groups(self) -> list[str]:
        """Return the columns whose values, together, say which group a row belongs to."""
        return [] if self.looks else names_in(self.by, "--by")

    @property
    def looks(self) -> bool:
        """Whether all unused columns are looked through for the worst segment."""
        return self.by == LOOK

    def _unused(self, used: Collection[str | None]) -> list[str]:
        """Return the columns of the file that have no other role."""
        if self.path == "-":
            raise InputError("--by '*' cannot be used with standard input. Save the input as a file.")
        return [name for name in self.reading.column_names(self.path) if name not in used]

    def _named(self, occurring: tuple[Any, ...]) -> RowColumns:
        """Return the labels named in options, in the type of those that occur."""
        from classay.columns.labels import typed_labels, with_zero_one

        names = declared_names(self.labels, self.order)
        labels = typed_labels(tuple(names), occurring) if names else None
        positive = label_named(self.positive, lambda: labels or with_zero_one(occurring), may_declare=True)
        return {"labels": labels, "ordered": self.order is not None, "positive": positive}
