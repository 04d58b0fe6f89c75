"""Where the rows of one classifier are, with two doors: all of them at once, or part by part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import typer

from classay.assessment.groups import grouped
from classay.cli import options
from classay.cli.listing import columns_of
from classay.cli.lists import columns_by_class, declared_names, labels_in, names_in
from classay.cli.options import COLUMNS, METHOD, Reading, Roles, Text
from classay.columns.uniting import Written, typed_labels
from classay.errors import InputError


@dataclass(frozen=True)
class Rows:
    """Where the rows are and what their columns mean, as texts from the command line."""

    file: options.File
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
            help="Scores of several classes: cat=c1,dog=c2.",
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
            help="The rows' ids, to compare saved assessments without their rows.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    by: Annotated[
        Text,
        typer.Option(
            metavar="COL,…",
            help="Groups, of one column or of several together: assess each, and compare them.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    reading: Reading = field(default_factory=Reading)
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit-rows",
            metavar="N",
            min=1,
            help="Stop after so many rows: a first look.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    memory: Annotated[
        int | None,
        typer.Option(
            metavar="MB",
            min=0,
            help="Count part by part, and scores in bins once exact ones take more megabytes than this. A folder or a "
            "pattern of files as FILE is counted so in 1024 megabytes.",
            rich_help_panel=METHOD,
        ),
    ] = None
    dask: Annotated[
        Text,
        typer.Option(
            metavar="ADDRESS",
            help="Count on the workers of a Dask scheduler, such as tcp://host:8786; 'local' starts processes here.",
            rich_help_panel=METHOD,
        ),
    ] = None
    refine: Annotated[
        bool,
        typer.Option(
            "--refine",
            help="Read the rows twice where scores are counted in bins: the second time in finer ones, where the AUC "
            "is least certain.",
            rich_help_panel=METHOD,
        ),
    ] = False
    amounts: tuple[str, ...] = ()
    time: str | None = None

    @property
    def are_many(self) -> bool:
        """Whether the rows are counted part by part: those of several files, or where it is asked for."""
        from classay.sources.fragments import is_of_several

        given = (self.limit, self.memory, self.dask, self.refine or None)
        return is_of_several(self.file) or any(each is not None for each in given)

    def in_parts(self) -> dict[str, Any]:
        """The arguments of `classay.scan` that these rows are; options that need all rows at once are refused."""
        if self.amounts:
            raise InputError(
                f"costs of amounts need all rows at once, and {self.file} is counted part by part: pass costs that are "
                "numbers, or one file without --limit-rows, --memory, --dask and --refine."
            )
        at_once = {"cluster": self.roles.cluster, "id": self.id}
        if self.by is not None:
            raise InputError(
                f"--by needs all rows at once, and {self.file} is counted part by part: assess the files of each group "
                "by themselves with --save, and set them side by side with `classay merge --apart`."
            )
        for name, given in at_once.items():
            if given is not None:
                raise InputError(
                    f"--{name} needs all rows at once, and {self.file} is counted part by part: leave it out, or pass "
                    "one file without --limit-rows, --memory, --dask and --refine."
                )
        if self.score and self.class_scores:
            raise InputError("both --score and --class-scores were given: pass one.")
        if self.refine:
            self._refuse_second_pass()
        return {
            "truth": self.truth,
            "score": self.score
            if self.class_scores is None
            else {Written(label): name for label, name in columns_by_class(self.class_scores).items()},
            "prediction": self.prediction,
            "positive": self.positive,
            "weight": self.roles.weight,
            "frequency": self.roles.frequency,
            "format": self.reading.format,
            "delimiter": self.reading.delimiter,
            "limit": self.limit,
            "labels": [Written(name) for name in names]
            if (names := declared_names(self.labels, self.order))
            else None,
            "ordered": self.order is not None,
        } | ({} if self.memory is None else {"memory": self.memory * 2**20})

    def _refuse_second_pass(self) -> None:
        """Refuse to read rows twice that have no scores in bins, or can be read once, before they are read."""
        from classay.sources.fragments import is_read_once

        if self.score is None:
            raise InputError(
                "--refine is for the scores of two classes (--score): labels and class scores are counted in one pass."
            )
        if is_read_once(self.file):
            name = "standard input" if self.file == "-" else self.file
            raise InputError(
                f"--refine reads {name} twice, and it can be read once only: save it as a file first, or leave "
                "--refine out."
            )

    def whole(self) -> dict[str, Any]:
        """The arguments of `classay.assess`, or `assess_by`, that these rows are."""
        classes = {} if self.class_scores is None else columns_by_class(self.class_scores)
        if self.score and classes:
            raise InputError("both --score and --class-scores were given: pass one.")
        roles = {
            "truth": self.truth,
            "score": self.score,
            "prediction": self.prediction,
            **asdict(self.roles),
            "id": self.id,
        }
        by = self.groups()
        of_rows = [*roles.values(), *classes.values(), *by, *self.amounts]
        names = [name for name in of_rows if name is not None]
        table = self.reading.table(
            self.file,
            list(dict.fromkeys(names)),
            labels=[
                name
                for name in (
                    *(roles[role] for role in ("truth", "prediction", "cluster", "id")),
                    *by,
                    self.time,
                )
                if name is not None
            ],
            together=[name for name in (self.truth, self.prediction) if name is not None],
            named=[*classes, *declared_names(self.labels, self.order)],
        )
        columns = {role: None if name is None else table[name] for role, name in roles.items()}
        if not (self.score or classes or self.prediction):
            raise InputError(
                "there is nothing to assess: name the column of scores (--score), of predicted labels (--prediction), "
                f"or of each class's scores (--class-scores). {columns_of(self.file, self.reading)}"
            )
        given = {role: columns[role] for role in ("weight", "frequency", "cluster", "id")}
        given["by"] = grouped({name: table[name] for name in by}) if by else None
        score: Any = columns["score"]
        named: dict[str, Any] = {}
        if classes or declared_names(self.labels, self.order) or self.positive is not None:
            occurring = labels_in(columns["truth"], columns["prediction"])
            named = self._named(occurring)
            if classes:
                labels = typed_labels(tuple(classes), occurring)
                score = dict(zip(labels, (table[name] for name in classes.values()), strict=True))
        return {
            "y_true": columns["truth"],
            "y_score": score,
            "y_pred": columns["prediction"],
            **named,
            **given,
            **({"amounts": {name: table[name] for name in self.amounts}} if self.amounts else {}),
        }

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Errors about the values of a role name its column too: "score (column 'p') holds …"."""
        roles = {"truth": self.truth, "score": self.score, "prediction": self.prediction, "id": self.id}
        try:
            yield
        except InputError as error:
            role, _, said = error.at_the_command.partition(" ")
            column = (roles | asdict(self.roles)).get(role)
            if column in (None, role) or type(error) is not InputError:
                raise
            raise InputError(f"{role} (column {column!r}) {said}") from error

    def groups(self) -> list[str]:
        """The columns whose values, together, say which group a row belongs to."""
        return names_in(self.by, "--by")

    def _named(self, occurring: tuple[Any, ...]) -> dict[str, Any]:
        """The labels named in options, in the type of those that occur."""
        from classay.columns import match_label, with_zero_one

        names = declared_names(self.labels, self.order)
        labels = typed_labels(tuple(names), occurring) if names else None
        named: dict[str, Any] = {"labels": labels, "ordered": self.order is not None}
        if self.positive is None:
            return named
        return named | {"positive": match_label(self.positive, labels or with_zero_one(occurring))}
