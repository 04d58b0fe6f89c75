"""`classay compare`: several models on one test set, from one file or from several joined by an id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from classay.cli.assess import typed_label
from classay.cli.options import names_in, pairs_in
from classay.cli.outputs import listed_names, put, say_written, waiting, writable
from classay.errors import InputError

if TYPE_CHECKING:
    pass

SAVED = ".classay"


@dataclass(frozen=True)
class Sources:
    """Where the rows of the models are and what their columns mean, as texts from the command line."""

    files: tuple[str, ...]
    truth: str
    scores: str | None
    predictions: str | None
    id: str | None
    positive: str | None
    threshold: str | None
    weight: str | None
    frequency: str | None
    cluster: str | None
    format: str | None
    delimiter: str | None

    def models(self, *, same_cases: bool = True) -> tuple[Any, dict[str, Any]]:
        """The first argument of `classay.compare`, and the names of columns that go with it.

        Weights and clusters are those of the first file where all are about the same cases.
        """
        scores = names_in(self.scores, "--scores")
        predictions = names_in(self.predictions, "--predictions")
        if not (scores or predictions):
            raise InputError(
                "there is nothing to compare: name the columns of scores (--scores a,b) or of predicted labels "
                "(--predictions a,b); of several files, the one column (--score p)."
            )
        roles = {"weight": self.weight, "frequency": self.frequency, "cluster": self.cluster}
        of_rows = [name for name in roles.values() if name is not None]
        how = {"truth": self.truth} | roles
        if len(self.files) == 1:
            if self.id is not None:
                raise InputError("--id joins the rows of several files, and one is given: leave it out.")
            table = self.read(self.files[0], [self.truth, *of_rows, *scores, *predictions])
            return table, how | {"scores": scores or None, "predictions": predictions or None}
        if len(scores) > 1 or len(predictions) > 1:
            raise InputError(
                "several files hold one model each: name the one column of scores (--score p) or of labels "
                "(--prediction label) that they share."
            )
        names = names_of(self.files)
        shared = [self.truth, *scores, *predictions, *([self.id] if self.id else [])]
        tables = {
            name: self.read(file, shared + (of_rows if k == 0 or not same_cases else []))
            for k, (name, file) in enumerate(zip(names, self.files, strict=True))
        }
        one = {
            "scores": scores[0] if scores else None,
            "predictions": predictions[0] if predictions else None,
        }
        return tables, how | one | {"id": self.id}

    def read(self, file: str, columns: list[str], labels: Sequence[str] = ()) -> Any:
        """The columns of one file; `labels` are those read as labels, whatever they look like."""
        from classay.sources.files import read_table

        names = [self.truth, self.id, self.cluster, *names_in(self.predictions, "--predictions"), *labels]
        return read_table(
            file,
            list(dict.fromkeys(columns)),
            labels=[name for name in names if name],
            format=cast(Any, self.format),
            delimiter=self.delimiter,
        )

    def need_truth(self) -> None:
        """Predictions need the column of true labels."""
        if not self.truth:
            raise InputError(
                "no column of true labels is named: pass it with --truth; of results over data sets, pass --dataset."
            )

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


@dataclass(frozen=True)
class Wanted:
    """What to compare and where to write."""

    measures: str | None
    json: str | None
    html: str | None
    latex: str | None


@dataclass(frozen=True)
class Aim:
    """What is to be shown, and against whom."""

    control: str | None
    rule: str | None
    margin: float | None
    rope: float | None


WRITTEN = frozenset({"json", "html", "latex"})
READ = frozenset({"format", "delimiter"})
OF_ROWS = frozenset(
    {"truth", "scores", "predictions", "id", "positive", "threshold", "measures", "weight", "frequency"}
    | {"cluster", "alternative", "adjustment", "level", "seed", "missing"}
)
JUDGED = frozenset({"rule", "margin", "method"})

MODES = {
    "results": (
        WRITTEN
        | READ
        | {"dataset", "model", "value", "run_", "better", "control", "rope", "method", "adjustment", "level"}
        | {"seed", "alternative"},
        "beside --dataset, which says that the file holds results over data sets",
    ),
    "reader": (
        WRITTEN
        | READ
        | {
            "reader",
            "reader_positive",
            "truth",
            "scores",
            "positive",
            "cluster",
            "alternative",
            "adjustment",
            "level",
            "seed",
        },
        "beside --reader, which compares columns of scores with a column of labels in one file",
    ),
    "unpaired": (
        (WRITTEN | READ | OF_ROWS | {"unpaired"}) - {"id"},
        "beside --unpaired, which compares models on different cases, each measure by its one method",
    ),
    "evaluations": (
        WRITTEN | JUDGED | {"measures", "control", "rope", "alternative", "adjustment", "level", "seed"},
        "for saved evaluations, which know their cases and folds",
    ),
    "assessments": (
        WRITTEN | {"measures", "rule", "margin", "alternative", "adjustment", "level"},
        "for saved assessments, which know their rows, labels and thresholds",
    ),
    "rows": (
        WRITTEN | READ | OF_ROWS | JUDGED | {"control", "rope"},  # of which `compare` says where they belong
        "for models on one test set",
    ),
}
"""The options that each way of comparing uses, and why the others have no meaning there."""


def run(sources: Sources, wanted: Wanted, aim: Aim, **how: Any) -> None:
    """Compare the models on the same cases and write every output asked for."""
    from classay.comparison.comparing import compare

    ready(sources, wanted)
    how |= asdict(aim)
    if all(file.endswith(SAVED) for file in sources.files):
        from classay.cli.compare_saved import of_saved

        write(of_saved(sources, listed_names(wanted.measures), **how), wanted)
        return
    sources.need_truth()
    with waiting("reading"):
        models, columns = sources.models()
    if sources.positive is not None:
        how["positive"] = typed_label(sources.positive, _truth(models, sources.truth))
    with waiting("comparing"):
        found = compare(
            models,
            measures=listed_names(wanted.measures),
            threshold=sources.thresholds(),
            **columns,
            **how,
        )
    write(found, wanted)


def run_unpaired(sources: Sources, wanted: Wanted, **how: Any) -> None:
    """Compare models on different cases, one file each."""
    from classay.assessment.assessing import assess
    from classay.comparison.unpaired import compare_unpaired

    ready(sources, wanted)
    sources.need_truth()
    if len(sources.files) < 2:
        raise InputError("--unpaired compares models on different cases: pass a file for each.")
    adjustment, missing, alternative = (how.pop(name) for name in ("adjustment", "missing", "alternative"))
    with waiting("reading"):
        tables, columns = sources.models(same_cases=False)
    assessments = {}
    for name, table in tables.items():
        named: dict[str, Any] = {}
        if sources.positive is not None:
            named["positive"] = typed_label(sources.positive, table[sources.truth])
        assessments[name] = assess(
            table,
            truth=sources.truth,
            score=columns["scores"],
            prediction=columns["predictions"],
            weight=sources.weight,
            frequency=sources.frequency,
            cluster=sources.cluster,
            threshold=sources.thresholds(),  # type: ignore[arg-type]
            missing=missing,
            **named,
            **how,
        )
    with waiting("comparing"):
        found = compare_unpaired(
            assessments, listed_names(wanted.measures), alternative=alternative, adjustment=adjustment
        )
    write(found, wanted)


def run_reader(
    sources: Sources, wanted: Wanted, reader: str, reader_positive: str | None, **how: Any
) -> None:
    """Compare scores with a reader's labels, at the reader's specificity, and write every output asked for."""
    from classay.comparison.reader import compare_reader

    ready(sources, wanted)
    sources.need_truth()
    scores = names_in(sources.scores, "--scores")
    if len(sources.files) > 1 or not scores:
        raise InputError(
            "--reader compares columns of scores (--scores a,b) with a column of labels: one file holds the scores "
            "and the labels."
        )
    columns = [sources.truth, reader, *scores, *([sources.cluster] if sources.cluster else [])]
    with waiting("reading"):
        table = sources.read(sources.files[0], columns, labels=[reader])
    if sources.positive is not None:
        how["positive"] = typed_label(sources.positive, table[sources.truth])
    if reader_positive is not None:
        how["reader_positive"] = reader_positive
    cluster = None if sources.cluster is None else table[sources.cluster]
    with waiting("comparing"):
        models = {name: table[name] for name in scores}
        found = compare_reader(
            models, table[sources.truth], table[reader], name=reader, cluster=cluster, **how
        )
    write(found, wanted)


def kind_of(sources: Sources) -> str:
    """Which of `MODES` the files alone decide: saved evaluations, saved assessments, or rows."""
    from classay.cli.compare_saved import is_evaluation

    if not all(file.endswith(SAVED) for file in sources.files):
        return "rows"
    return "evaluations" if any(map(is_evaluation, sources.files)) else "assessments"


def names_of(files: tuple[str, ...]) -> list[str]:
    """Names of models by their files: as short as tells them apart.

    >>> names_of(("runs/new.parquet", "runs/old.csv.gz")), names_of(("a/preds.csv", "b/preds.csv"))
    (['new', 'old'], ['a/preds', 'b/preds'])
    """
    stems = [Path(file).name.split(".")[0] or file for file in files]
    if len({*stems}) < len(stems):
        stems = [str(Path(file).with_suffix("")) for file in files]
    return stems if len({*stems}) == len(stems) else list(files)


def ready(sources: Sources, wanted: Wanted) -> None:
    """Refuse outputs that cannot be written, and a file named twice."""
    writable({"--json": wanted.json, "--html": wanted.html, "--latex": wanted.latex}, *sources.files)
    if len({*sources.files}) < len(sources.files):
        raise InputError("a file is named twice: pass one for each model.")


def _truth(models: Any, name: str) -> Any:
    return next(iter(models.values()))[name] if isinstance(models, Mapping) else models[name]


def write(found: Any, wanted: Wanted) -> None:
    """Write every output asked for, and print the report unless the JSON goes there."""
    from classay.report.contract.writer import json_text
    from classay.report.html import as_page

    written = put(wanted.html, lambda: as_page(found.document()))
    written += put(wanted.latex, found.to_latex)
    written += put(wanted.json, lambda: json_text(found.to_dict()))
    if wanted.json != "-":
        from rich.console import Console

        from classay.report.text import print_document

        print_document(found.document(), Console(highlight=False))
    say_written(written)
