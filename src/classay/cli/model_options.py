"""Where the rows of several models are, in which columns of one file or of one file each; saved results."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.cli import options
from classay.cli.given import as_names
from classay.cli.lists import (
    OPTION,
    SHAPE,
    columns_by_model,
    columns_of,
    declared_names,
    label_named,
    labels_in,
    model_of,
    names_in,
    pairs_in,
)
from classay.cli.options import COLUMNS, FileOptions, Roles
from classay.cli.row_options import id_columns
from classay.column_names import LOOK
from classay.columns.labels import typed_labels, with_zero_one
from classay.errors import InputError
from classay.files.writing import SAVED
from classay.wings import altered

if TYPE_CHECKING:
    from classay.assessment.merging import BlockValues
    from classay.comparison.cases.model_columns import Rows


def group_columns(by: str | None) -> str | list[str] | None:
    """Return what `--by` names, as `classay.compare` takes it: columns, or all that have no other role."""
    return by if by is None or by == LOOK else names_in(by, "--by")


@dataclass(frozen=True)
class Sources:
    """Where the rows of the models are and what their columns mean, as texts from the command line."""

    truth: Annotated[
        str, typer.Option(metavar="COL", help="True labels.", show_default=False, rich_help_panel=COLUMNS)
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
        """Return the same columns of the files, and the threshold of the models."""
        sources = replace(self, files=tuple(files), threshold=threshold)
        sources._refuse_columns_for_files()
        about = files, self.truth, declared_names(self.labels, self.order), self.reading
        sources = replace(sources, class_scores=altered("read.classes", self.class_scores, *about))
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
                    f"{option} {quote(together)}."
                )

    def models(
        self, *, same_cases: bool = True, amounts: Sequence[str] = (), by: str | None = None
    ) -> tuple[Any, Rows]:
        """Return the first argument of `classay.compare`, and the names of columns that go with it.

        Weights, clusters, `amounts` and the columns `by` of groups are needed in the first file alone if all are about
        the same cases; if `by` is "*", all its columns are read.
        """
        scores = names_in(self.scores, "--scores")
        predictions = names_in(self.predictions, "--predictions")
        classes = columns_by_model(self.class_scores or ())
        if not (scores or predictions or classes):
            raise InputError(
                "There are no scores and no predicted labels. Use --scores a,b or --predictions a,b for one file, "
                "--score p for several files, or --class-scores cat=p_cat,dog=p_dog for several classes."
            )
        if scores and classes:
            raise InputError("--scores and --class-scores cannot be combined. Remove one of the two.")
        roles = asdict(self.roles)
        of_classes = [column for columns in classes.values() for column in columns.values()]
        used = {self.truth, self.id, *scores, *predictions, *roles.values(), *of_classes}
        groups = names_in(by, "--by")
        if by == LOOK:  # all columns that have no other role
            groups = [name for name in self.reading.column_names(self.files[0]) if name not in used]
        ids = self.ids({*used, *amounts, *groups})
        of_rows = [name for name in (*roles.values(), *amounts, *groups) if name is not None]
        model_columns: Rows = {"truth": self.truth, "id": self.id, "score_scale": self.score_scale}
        model_columns |= {"weight": self.roles.weight, "frequency": self.roles.frequency}
        model_columns["cluster"] = self.roles.cluster
        named = [] if self.id is None else [self.id]
        if len(self.files) == 1:
            if "" in classes:
                raise InputError(
                    f"{OPTION} does not name the models of the file. Use MODEL:{SHAPE}, once for each model."
                )
            table = self.read(
                self.files[0],
                [self.truth, *scores, *of_classes, *predictions, *named, *of_rows, *ids],
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
        wanted = [(self.files[0], [*shared, *of_rows, *ids])]
        for file in self.files[1:]:
            of_other = [*of_rows, *ids]
            if same_cases:
                there = self.reading.column_names(file) if of_rows else ()
                of_other = [name for name in of_rows if name in there]
            wanted.append((file, shared + of_other))
        tables = dict(zip(names, self.read_all(wanted, [*groups, *ids]), strict=True))
        of_classes_typed = self._typed(classes[""], tables[names[0]]) if classes else None
        model_columns["scores"] = of_classes_typed or next(iter(scores), None)
        model_columns["predictions"] = next(iter(predictions), None)
        return tables, model_columns

    def ids(self, used: Collection[str | None]) -> list[str]:
        """Return the columns to look through for ids that repeat: none where rows have clusters or a frequency."""
        taken = self.roles.cluster is not None or self.roles.frequency is not None
        return [] if taken else id_columns(self.reading, self.files[0], used)

    @property
    def models_named(self) -> int:
        """How many models the columns belong to, where one file holds them all."""
        named = (*names_in(self.scores, "--scores"), *names_in(self.predictions, "--predictions"))
        return len({*named, *(model_of(text)[0] for text in self.class_scores or ())})

    def _typed(self, columns: Mapping[str, str], table: Any) -> dict[Any, str]:
        """Return the column of each label, in the type of the labels that occur."""
        occurring = self._occurring(table)
        return dict(zip(typed_labels(tuple(columns), occurring), columns.values(), strict=True))

    def typed_positive(self, models: Any) -> Any:
        """Return the positive label, of the type that the labels of the models have; None where none is named."""
        table = next(iter(models.values())) if isinstance(models, Mapping) else models
        return label_named(self.positive, lambda: with_zero_one(self._occurring(table)), may_declare=True)

    def _occurring(self, table: Any) -> tuple[Hashable, ...]:
        """Return the labels that occur in a table, in truth or as predicted."""
        columns = [name for name in names_in(self.predictions, "--predictions") if name in table.column_names]
        return labels_in(*(table[name] for name in (self.truth, *columns)))

    def named_labels(self, models: Any) -> Rows:
        """Return the labels that options name, of the type that those of the models have: the positive one, or all."""
        named: Rows = {"positive": self.typed_positive(models)}
        if names := declared_names(self.labels, self.order):
            table = next(iter(models.values())) if isinstance(models, Mapping) else models
            named["labels"] = typed_labels(tuple(names), self._occurring(table))
            named["ordered"] = self.order is not None
        return named

    def read(self, file: str, columns: list[str], labels: Sequence[str] = ()) -> Any:
        """Return the columns of one file; `labels` are those read as labels, whatever they look like."""
        return self.read_all([(file, columns)], labels)[0]

    def read_all(self, files: Sequence[tuple[str, list[str]]], labels: Sequence[str] = ()) -> list[Any]:
        """Return the same of several files, whose classes are the same."""
        of_classes = [name for name in (self.truth, *names_in(self.predictions, "--predictions")) if name]
        names = [*of_classes, self.id, self.roles.cluster, *labels]
        read = altered("read.tables", self.reading.tables, self.id, names_in(self.id, "--id"))
        tables = read(
            [(file, list(dict.fromkeys(columns))) for file, columns in files],
            labels=[name for name in names if name],
            together=of_classes,
            named=[
                *chain(*columns_by_model(self.class_scores or ()).values()),
                *names_in(self.order, "--order"),
            ],
            weight=self.roles.weight,
        )
        for name in names_in(self.scores, "--scores"):
            altered("read.single", [table[name] for table in tables if name in table.column_names], name)
        return list(tables)

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
        """Return the threshold of all models, or of each by its name."""
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
    """Return the name of the first model, the table that holds it, and its columns as `classay.assess` takes them.

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
    """Check whether a saved file is an evaluation of learners."""
    from classay.assessment.restoring import kind_of

    return kind_of(file) == "evaluation"


def block_values(file: str, measures: list[str]) -> BlockValues:
    """Return what a saved assessment is compared by: the part saved for it, or, for other measures, made from all."""
    from classay.assessment.merging import BlockValues
    from classay.assessment.restoring import load, load_block_values
    from classay.measures.probability import UNBOUNDED_BY_ENDS

    saved = load_block_values(file)
    has_all = {*measures} <= {*saved.whole} - {*UNBOUNDED_BY_ENDS}  # whose scores are looked at
    return saved if has_all else BlockValues.of(load(file), measures)
