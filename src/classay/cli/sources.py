"""Where the rows of several models are: their files, and the columns that mean the same in each."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.cli import options
from classay.cli.listing import columns_of
from classay.cli.lists import OPTION, SHAPE, columns_by_model, declared_names, labels_in, names_in, pairs_in
from classay.cli.options import COLUMNS, Reading, Roles
from classay.cli.outputs import SAVED
from classay.errors import InputError
from classay.sources.settings import as_names

if TYPE_CHECKING:
    from classay.assessment.block_values import BlockValues


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
    reading: Reading = field(default_factory=Reading)
    files: tuple[str, ...] = ()
    threshold: str | None = None

    def of(self, files: Sequence[str], threshold: str | None) -> Sources:
        """The same columns of the files, and the threshold of the models."""
        made = replace(self, files=tuple(files), threshold=threshold)
        made._refuse_columns_for_files()
        return made

    def _refuse_columns_for_files(self) -> None:
        """Refuse a column that came as a word of its own and so was taken for a file."""
        lists = {"--scores": self.scores, "--predictions": self.predictions}
        for option, given in lists.items():
            absent = [each for each in self.files if not os.path.exists(os.path.expanduser(each))]
            there = [each for each in self.files if each not in absent and not each.endswith(SAVED)]
            if given is None or not absent or not there or there[0] == "-":
                continue
            columns = self.reading.column_names(there[0])
            if misread := [each for each in absent if each in columns]:
                together = as_names([*names_in(given, option), *misread])
                raise InputError(
                    f"{misread[0]} is no file but a column of {there[0]}: names of columns are one word with commas "
                    f"between, {option} {quote(together)}."
                )

    def models(self, *, same_cases: bool = True, amounts: Sequence[str] = ()) -> tuple[Any, dict[str, Any]]:
        """The first argument of `classay.compare`, and the names of columns that go with it.

        Weights, clusters and `amounts` are those of the first file where all are about the same cases.
        """
        scores = names_in(self.scores, "--scores")
        predictions = names_in(self.predictions, "--predictions")
        classes = columns_by_model(self.class_scores or ())
        if not (scores or predictions or classes):
            raise InputError(
                "there is nothing to compare: name the columns of scores (--scores a,b) or of predicted labels "
                "(--predictions a,b); of several files, the one column (--score p); of several classes, a column for "
                "each (--class-scores cat=p_cat,dog=p_dog)."
            )
        if scores and classes:
            raise InputError("both --scores and --class-scores were given: pass one.")
        roles = asdict(self.roles)
        of_rows = [name for name in (*roles.values(), *amounts) if name is not None]
        how = {"truth": self.truth} | roles
        of_classes = [column for each in classes.values() for column in each.values()]
        if len(self.files) == 1:
            if self.id is not None:
                raise InputError("--id joins the rows of several files, and one is given: leave it out.")
            if "" in classes:
                raise InputError(
                    f"one file holds several models, and {OPTION} says not of which the columns are: write "
                    f"MODEL:{SHAPE}, once for each."
                )
            table = self.read(self.files[0], [self.truth, *of_rows, *scores, *of_classes, *predictions])
            typed = {name: self._typed(columns, table) for name, columns in classes.items()}
            return table, how | {"scores": typed or scores or None, "predictions": predictions or None}
        if len(scores) > 1 or len(predictions) > 1 or any(classes):
            raise InputError(
                "several files hold one model each: name the one column of scores (--score p) or of labels "
                f"(--prediction label) that they share, or those of the classes ({OPTION} cat=p_cat,dog=p_dog)."
            )
        names = names_of(self.files)
        shared = [self.truth, *scores, *of_classes, *predictions, *([self.id] if self.id else [])]
        wanted = [
            (file, shared + (of_rows if k == 0 or not same_cases else []))
            for k, file in enumerate(self.files)
        ]
        tables = dict(zip(names, self.read_all(wanted), strict=True))
        one = {
            "scores": self._typed(classes[""], tables[names[0]])
            if classes
            else scores[0]
            if scores
            else None,
            "predictions": predictions[0] if predictions else None,
        }
        return tables, how | one | {"id": self.id}

    @property
    def models_named(self) -> int:
        """How many models the columns are of, where one file holds them all."""
        named = (*names_in(self.scores, "--scores"), *names_in(self.predictions, "--predictions"))
        return len({*named, *columns_by_model(self.class_scores or ())})

    def _typed(self, columns: Mapping[str, str], table: Any) -> dict[Any, str]:
        """The column of each label, which has the type of those that occur."""
        from classay.columns.uniting import typed_labels

        occurring = self._occurring(table)
        return dict(zip(typed_labels(tuple(columns), occurring), columns.values(), strict=True))

    def typed_positive(self, models: Any) -> Any:
        """The positive label, of the type that the labels of the models have."""
        from classay.columns import match_label, with_zero_one

        table = next(iter(models.values())) if isinstance(models, Mapping) else models
        return match_label(str(self.positive), with_zero_one(self._occurring(table)))

    def _occurring(self, table: Any) -> tuple[Hashable, ...]:
        """The labels that occur in a table, in truth or as predicted."""
        said = [name for name in names_in(self.predictions, "--predictions") if name in table.column_names]
        return labels_in(*(table[name] for name in (self.truth, *said)))

    def named_labels(self, models: Any) -> dict[str, Any]:
        """The labels that `--labels` or `--order` declares, of the type that those of the models have."""
        from classay.columns.uniting import typed_labels

        names = declared_names(self.labels, self.order)
        if not names:
            return {}
        table = next(iter(models.values())) if isinstance(models, Mapping) else models
        labels = typed_labels(tuple(names), self._occurring(table))
        return {"labels": labels, "ordered": self.order is not None}

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
            raise InputError(f"no column of true labels is named: pass it with --truth.{known}")

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
                f"--threshold is {self.threshold!r}: write a number, or MODEL=NUMBER,MODEL=NUMBER."
            ) from error


def first_model(models: Any, columns: Mapping[str, Any]) -> tuple[str, Any, dict[str, Any]]:
    """The name of the first model, the table that holds it, and its columns as `classay.assess` takes them.

    `models` and `columns` are those of `Sources.models`: a table for each model, with the same columns, or one for all.
    """
    scores, predictions = columns["scores"], columns["predictions"]
    if isinstance(models, Mapping):
        name, table = next(iter(models.items()))
        return name, table, {"score": scores, "prediction": predictions}
    name = next(iter([*(scores or ()), *(predictions or ())]))
    score = scores[name] if isinstance(scores, Mapping) else name if name in (scores or ()) else None
    return name, models, {"score": score, "prediction": name if name in (predictions or ()) else None}


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
    from classay.assessment.block_values import BlockValues
    from classay.assessment.saved.restoring import load, load_block_values

    saved = load_block_values(file)
    return saved if {*measures} <= {*saved.whole} else BlockValues.of(load(file), measures)
