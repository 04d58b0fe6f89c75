"""Where rows are: of one classifier, all at once or part by part; of several models, in which columns."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

import typer

from classay.answers import REFUSE, AnswerPolicy
from classay.assessment.assessing import grouped, how_to_assess
from classay.assessment.row_arguments import EstimationArguments, RowColumns
from classay.cli import options
from classay.cli.given import OfWay, OfWings, as_names
from classay.cli.lists import (
    OPTION,
    SHAPE,
    MatrixOptions,
    columns_by_label,
    columns_by_model,
    columns_of,
    declared_names,
    labels_in,
    names_in,
    pairs_in,
)
from classay.cli.options import COLUMNS, METHOD, FileOptions, Roles, Text
from classay.cli.read_rows import ReadRows
from classay.column_names import LOOK
from classay.columns.labels import typed_labels
from classay.columns.repeats import id_names, repeated_ids
from classay.errors import InputError
from classay.files.writing import SAVED
from classay.predictions import Improper
from classay.tables import ConfusionMatrix

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.assessment.merging import BlockValues
    from classay.cli.other_tasks import OtherRowOptions
    from classay.comparison.cases.model_columns import Rows
    from classay.sources.inputs import Format

PerFile = Literal["file", "day", "week", "month", "quarter"]
"""What a period is."""


LARGEST = 2**28
"""Bytes of a file up to which columns that nobody named are looked through for ids."""


def id_columns(reading: FileOptions, file: str, used: Collection[str | None]) -> list[str]:
    """The columns of a file that may hold ids of cases and have no other use; of a pipe and a huge file none."""
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
        """The threshold, the level, the seed and the method of intervals. Raises InputError for a wrong one."""
        return how_to_assess(self.cutoff, self.level, self.seed, self.interval)

    def arguments(self) -> dict[str, Any]:
        """All of them, by their names, but for a memory that is None."""
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
        """The values of its options, None of those that were not given."""

    def is_of_several(self, name: str) -> bool:
        """Whether what stands for a FILE means several files."""

    def first_file(self, name: str, format: Format | None) -> str:
        """The first of the files that a name means; a name of one file as it is."""

    def claims(self, name: str) -> bool:
        """Whether the rows of this FILE are counted in this way."""

    def assess(
        self, rows: RowOptions, how: HowToAssess
    ) -> tuple[Assessment, dict[Hashable, Assessment] | None]:
        """The assessment, and that of each file where files are periods.

        Raises InputError for options that need all rows at once.
        """

    def assess_other(self, rows: RowOptions, other: OtherRowOptions, how: HowToAssess) -> Assessment:
        """The same of other tasks than one label a case."""


@dataclass(frozen=True)
class RowOptions:
    """Where the rows are and what their columns mean, as texts from the command line."""

    file: Annotated[Text, options.FILE] = None
    truth: Annotated[
        Text,
        typer.Option(
            metavar="COL", help="True labels. Without it, lists the columns.", rich_help_panel=COLUMNS
        ),
    ] = None
    score: options.Score = None
    class_scores: Annotated[
        Text,
        typer.Option(
            metavar="LABEL=COL,…",
            help="Score column of each class, such as cat=c1,dog=c2.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    prediction: options.Prediction = None
    positive: options.Positive = None
    labels: options.Labels = None
    order: options.Order = None
    roles: Roles = field(default_factory=Roles)
    id: Annotated[
        Text,
        typer.Option(
            metavar="COL",
            help="Column of case ids, needed to compare saved assessments.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
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
        typer.Option(
            metavar="COL",
            help="Column of dates. Assesses each day or other period (--per), and tests for changes.",
            rich_help_panel=COLUMNS,
        ),
        OfWay("assess.time"),
    ] = None
    per: Annotated[
        PerFile | None,
        typer.Option(
            help="Period of --time. Default: day. file makes each file a period, in the order of file names.",
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
        """The title of an assessment: which scores or labels, of which data."""
        model = self.score or self.prediction
        by = "" if self.by is None or self.looks else f" by {', '.join(self.groups())}"
        over = "" if self.time is None and self.per is None else f" over {self.per or 'day'}s"
        return f"Assessment of {source if model is None else f'{model} on {source}'}{by}{over}"

    def counted(self) -> tuple[ConfusionMatrix, Hashable | None] | None:
        """The matrix that stands in place of rows, and its positive class; None where rows are read."""
        if self.matrix.name is None:
            return None
        names = declared_names(self.labels, self.order)
        return self.matrix.table(names, self.positive, self.reading, ordered=self.order is not None)

    def given(self) -> list[str]:
        """The options that say what rows are, as far as they were given."""
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

    def whole(self) -> ReadRows:
        """These rows, read at once."""
        classes = {} if self.class_scores is None else columns_by_label(self.class_scores)
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
        score: Any = columns["score"]
        if classes or declared_names(self.labels, self.order) or self.positive is not None:
            occurring = labels_in(columns["truth"], columns["prediction"])
            arguments |= self._named(occurring)
            if classes:
                labels = typed_labels(tuple(classes), occurring)
                score = dict(zip(labels, (table[name] for name in classes.values()), strict=True))
        repeats = repeated_ids({name: table[name] for name in ids})
        return ReadRows(columns["truth"], score, arguments, groups, columns["time"], repeats)

    def _ids(self, used: Collection[str | None]) -> list[str]:
        """The columns to look through for ids that repeat: none where rows have clusters or a frequency."""
        if self.roles.cluster is not None or self.roles.frequency is not None:
            return []
        named_id = [] if self.id is None else [self.id]
        return list(dict.fromkeys([*named_id, *id_columns(self.reading, self.path, used)]))

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
                    "quotes, "
                    "such as 'days/*.csv', or a column of dates with --time."
                )
        elif self.time is None:
            raise InputError(f"--per {self.per} needs dates. Use --time to name the column of dates.")

    def groups(self) -> list[str]:
        """The columns whose values, together, say which group a row belongs to."""
        return [] if self.looks else names_in(self.by, "--by")

    @property
    def looks(self) -> bool:
        """Whether all unused columns are looked through for the worst segment."""
        return self.by == LOOK

    def _unused(self, used: Collection[str | None]) -> list[str]:
        """The columns of the file that have no other role."""
        if self.path == "-":
            raise InputError("--by '*' cannot be used with standard input. Save the input as a file.")
        return [name for name in self.reading.column_names(self.path) if name not in used]

    def _named(self, occurring: tuple[Any, ...]) -> RowColumns:
        """The labels named in options, in the type of those that occur."""
        from classay.columns import match_label, with_zero_one

        names = declared_names(self.labels, self.order)
        labels = typed_labels(tuple(names), occurring) if names else None
        named: RowColumns = {"labels": labels, "ordered": self.order is not None}
        if self.positive is not None:
            named["positive"] = match_label(self.positive, labels or with_zero_one(occurring))
        return named


def group_columns(by: str | None) -> str | list[str] | None:
    """What `--by` names, as `classay.compare` takes it: columns, or all that have no other role."""
    return by if by is None or by == LOOK else names_in(by, "--by")


@dataclass(frozen=True)
class Sources:
    """Where the rows of the models are and what their columns mean, as texts from the command line."""

    truth: Annotated[
        str,
        typer.Option(metavar="COL", help="True labels.", show_default=False, rich_help_panel=COLUMNS),
    ] = ""
    scores: options.ModelScores = None
    class_scores: options.ClassScores = None
    predictions: options.ModelPredictions = None
    id: options.Id = None
    positive: options.Positive = None
    labels: options.Labels = None
    order: options.Order = None
    roles: Roles = field(default_factory=Roles)
    reading: FileOptions = field(default_factory=FileOptions)
    files: tuple[str, ...] = ()
    threshold: str | None = None
    score_scale: options.ScoreScaleOption = None
    task: options.Task = None

    def of(self, files: Sequence[str], threshold: str | None) -> Sources:
        """The same columns of the files, and the threshold of the models."""
        sources = replace(self, files=tuple(files), threshold=threshold)
        sources._refuse_columns_for_files()
        if len(files) == 1:
            self.refuse_columns_twice()
        return sources

    def refuse_columns_twice(self) -> None:
        """Refuse one column of one file that is named twice in place of two: said twice beside others, it is one."""
        if self.models_named != 1:
            return
        for option, text in {"--scores": self.scores, "--predictions": self.predictions}.items():
            names = names_in(text, option)
            if len(names) > 1:
                raise InputError(f"{option} names {names[0]} twice. Name one column for each model.")

    def _refuse_columns_for_files(self) -> None:
        """Refuse a column that came as a word of its own and so was taken for a file."""
        lists = {"--scores": self.scores, "--predictions": self.predictions}
        for option, text in lists.items():
            absent = [file for file in self.files if not os.path.exists(os.path.expanduser(file))]
            there = [file for file in self.files if file not in absent and not file.endswith(SAVED)]
            if text is None or not absent or not there or there[0] == "-":
                continue
            columns = self.reading.column_names(there[0])
            if misread := [file for file in absent if file in columns]:
                together = as_names([*names_in(text, option), *misread])
                raise InputError(
                    f"{misread[0]} is not a file, but a column of {there[0]}. Join names of columns by commas: "
                    f"{option} "
                    f"{quote(together)}."
                )

    def models(
        self, *, same_cases: bool = True, amounts: Sequence[str] = (), by: str | None = None
    ) -> tuple[Any, Rows]:
        """The first argument of `classay.compare`, and the names of columns that go with it.

        Weights, clusters, `amounts` and the columns `by` of groups come from the first file if all are about the same
        cases; if `by` is "*", all its columns are read.
        """
        scores = names_in(self.scores, "--scores")
        predictions = names_in(self.predictions, "--predictions")
        classes = columns_by_model(self.class_scores or ())
        if not (scores or predictions or classes):
            raise InputError(
                "There are no scores and no predicted labels. Use --scores a,b or --predictions a,b for one file, "
                "--score p "
                "for several files, or --class-scores cat=p_cat,dog=p_dog for several classes."
            )
        if scores and classes:
            raise InputError("--scores and --class-scores cannot be combined. Remove one of the two.")
        roles = asdict(self.roles)
        groups = self._groups(by)
        used = {self.truth, self.id, *scores, *predictions, *roles.values(), *amounts, *groups}
        used |= {column for columns in classes.values() for column in columns.values()}
        ids = self.ids(used)
        of_rows = [name for name in (*roles.values(), *amounts, *groups, *ids) if name is not None]
        model_columns: Rows = {"truth": self.truth, "id": self.id, "score_scale": self.score_scale}
        model_columns |= {"weight": self.roles.weight, "frequency": self.roles.frequency}
        model_columns["cluster"] = self.roles.cluster
        of_classes = [column for columns in classes.values() for column in columns.values()]
        named = [] if self.id is None else [self.id]
        if len(self.files) == 1:
            if "" in classes:
                raise InputError(
                    f"{OPTION} does not name the models of the file. Use MODEL:{SHAPE}, once for each model."
                )
            table = self.read(
                self.files[0],
                [self.truth, *scores, *of_classes, *predictions, *named, *of_rows],
                [*groups, *ids],
            )
            typed = {name: self._typed(columns, table) for name, columns in classes.items()}
            model_columns["scores"] = typed or scores or None
            model_columns["predictions"] = predictions or None
            return table, model_columns
        if len(scores) > 1 or len(predictions) > 1 or any(classes):
            raise InputError(
                "Several files need one column for each file, with the same name in all files. Use --score p, "
                f"--prediction label or {OPTION} cat=p_cat,dog=p_dog."
            )
        names = names_of(self.files)
        shared = [self.truth, *scores, *of_classes, *predictions, *named]
        wanted = [
            (file, shared + (of_rows if k == 0 or not same_cases else []))
            for k, file in enumerate(self.files)
        ]
        tables = dict(zip(names, self.read_all(wanted, [*groups, *ids]), strict=True))
        of_classes_typed = self._typed(classes[""], tables[names[0]]) if classes else None
        model_columns["scores"] = of_classes_typed or next(iter(scores), None)
        model_columns["predictions"] = next(iter(predictions), None)
        return tables, model_columns

    def ids(self, used: Collection[str | None]) -> list[str]:
        """The columns to look through for ids that repeat: none where rows have clusters or a frequency."""
        taken = self.roles.cluster is not None or self.roles.frequency is not None
        return [] if taken else id_columns(self.reading, self.files[0], used)

    def _groups(self, by: str | None) -> list[str]:
        """The columns of groups; for "*" all that have no other role."""
        if by != LOOK:
            return names_in(by, "--by")
        classes = columns_by_model(self.class_scores or ())
        used = {self.truth, self.id, *asdict(self.roles).values(), *names_in(self.scores, "--scores")}
        used |= {*names_in(self.predictions, "--predictions")}
        used |= {column for columns in classes.values() for column in columns.values()}
        return [name for name in self.reading.column_names(self.files[0]) if name not in used]

    @property
    def models_named(self) -> int:
        """How many models the columns belong to, where one file holds them all."""
        named = (*names_in(self.scores, "--scores"), *names_in(self.predictions, "--predictions"))
        return len({*named, *columns_by_model(self.class_scores or ())})

    def _typed(self, columns: Mapping[str, str], table: Any) -> dict[Any, str]:
        """The column of each label, in the type of the labels that occur."""

        occurring = self._occurring(table)
        return dict(zip(typed_labels(tuple(columns), occurring), columns.values(), strict=True))

    def typed_positive(self, models: Any) -> Any:
        """The positive label, of the type that the labels of the models have."""
        from classay.columns import match_label, with_zero_one

        table = next(iter(models.values())) if isinstance(models, Mapping) else models
        return match_label(str(self.positive), with_zero_one(self._occurring(table)))

    def _occurring(self, table: Any) -> tuple[Hashable, ...]:
        """The labels that occur in a table, in truth or as predicted."""
        columns = [name for name in names_in(self.predictions, "--predictions") if name in table.column_names]
        return labels_in(*(table[name] for name in (self.truth, *columns)))

    def named_labels(self, models: Any) -> Rows:
        """The labels that options name, of the type that those of the models have: the positive one, or all."""
        named: Rows = {}
        if self.positive is not None:
            named["positive"] = self.typed_positive(models)
        if names := declared_names(self.labels, self.order):
            table = next(iter(models.values())) if isinstance(models, Mapping) else models
            named["labels"] = typed_labels(tuple(names), self._occurring(table))
            named["ordered"] = self.order is not None
        return named

    def read(self, file: str, columns: list[str], labels: Sequence[str] = ()) -> Any:
        """The columns of one file; `labels` are those read as labels, whatever they look like."""
        return self.read_all([(file, columns)], labels)[0]

    def read_all(self, files: Sequence[tuple[str, list[str]]], labels: Sequence[str] = ()) -> list[Any]:
        """The same of several files, whose classes are the same."""
        of_classes = [name for name in (self.truth, *names_in(self.predictions, "--predictions")) if name]
        names = [*of_classes, self.id, self.roles.cluster, *labels]
        return self.reading.tables(
            [(file, list(dict.fromkeys(columns))) for file, columns in files],
            labels=[name for name in names if name],
            together=of_classes,
            named=[
                *chain(*columns_by_model(self.class_scores or ()).values()),
                *names_in(self.order, "--order"),
            ],
        )

    def need_truth(self) -> None:
        """Predictions need the column of true labels."""
        if not self.truth:
            file = next((each for each in self.files if not each.endswith(SAVED)), None)
            known = "" if file is None else f" {columns_of(file, self.reading)}"
            raise InputError(f"The column of true labels is not set. Use --truth COL.{known}")

    @property
    def are_saved(self) -> bool:
        """Whether all files are saved results, which need no columns."""
        return all(file.endswith(SAVED) for file in self.files)

    def thresholds(self) -> float | dict[str, float] | None:
        """The threshold of all models, or of each by its name."""
        if self.threshold is None:
            return None
        try:
            if "=" not in self.threshold:
                return float(self.threshold)
            pairs = pairs_in(self.threshold, "--threshold", "a number, or MODEL=NUMBER,MODEL=NUMBER")
            return {name: float(value) for name, value in pairs}
        except InputError:
            raise
        except ValueError as error:
            raise InputError(
                f"--threshold must be a number, or MODEL=NUMBER,MODEL=NUMBER, but is {self.threshold!r}."
            ) from error


def first_model(models: Any, scores: Any, predictions: Any) -> tuple[str, Any, dict[str, Any]]:
    """The name of the first model, the table that holds it, and its columns as `classay.assess` takes them.

    Arguments are those of `Sources.models`: a table for each model, with the same columns, or one for all.
    """
    if isinstance(models, Mapping):
        name, table = next(iter(models.items()))
        return name, table, {"score": scores, "prediction": predictions}
    name = next(iter([*(scores or ()), *(predictions or ())]))

    def own(named: Any) -> Any:
        return named.get(name) if isinstance(named, Mapping) else name if name in (named or ()) else None

    return name, models, {"score": own(scores), "prediction": own(predictions)}


def names_of(files: tuple[str, ...]) -> list[str]:
    """Names of models by their files: as short as tells them apart.

    >>> names_of(("runs/new.parquet", "runs/old.csv.gz")), names_of(("a/preds.csv", "b/preds.csv"))
    (['new', 'old'], ['a/preds', 'b/preds'])
    """
    stems = [Path(file).name.split(".")[0] or file for file in files]
    if len({*stems}) < len(stems):
        stems = [str(Path(file).with_suffix("")) for file in files]
    return stems if len({*stems}) == len(stems) else list(files)


def is_evaluation(file: str) -> bool:
    """Whether a saved file is an evaluation of learners."""
    import zipfile

    try:
        with zipfile.ZipFile(file) as archive:
            return "evaluation.json" in archive.namelist()
    except Exception:  # noqa: BLE001 - a damaged directory makes zipfile raise nearly anything
        return False  # reading it as an assessment says what is wrong


def block_values(file: str, measures: list[str]) -> BlockValues:
    """What a saved assessment is compared by: the part saved for it, or, for other measures, made from all."""
    from classay.assessment.merging import BlockValues
    from classay.assessment.restoring import load, load_block_values
    from classay.measures.probability import UNBOUNDED_BY_ENDS

    saved = load_block_values(file)
    has_all = {*measures} <= {*saved.whole} - {*UNBOUNDED_BY_ENDS}  # whose scores are looked at
    return saved if has_all else BlockValues.of(load(file), measures)
