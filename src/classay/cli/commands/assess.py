"""`classay assess`: read a file, assess it, write what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.assessment.assessing import checked_rows, how_to_assess, of_predictions, together
from classay.cli import options, registries
from classay.cli.costs import costs_in
from classay.cli.failures import guarded
from classay.cli.given import given
from classay.cli.listing import columns_of, show_columns
from classay.cli.lists import names_in, pairs_in
from classay.cli.options import COLUMNS, METHOD, OUTPUT, Text
from classay.cli.outputs import Outputs, listed_names, waiting
from classay.errors import InputError
from classay.predictions import Improper, Missing, Predictions
from classay.sources.inputs import Format
from classay.texts import clean

if TYPE_CHECKING:
    from classay.cli.commands.findings import Findings
    from classay.report.documents.assessment import Detail

EXAMPLE = "Example: classay assess predictions.csv --truth y --score p --positive 1 --html report.html"
OF_FILE = ("format", "delimiter")
"""Options of how a file is read, which listing its columns uses too."""


@guarded
def assess(
    context: typer.Context,
    file: options.File,
    truth: Annotated[
        Text,
        typer.Option(
            metavar="COL", help="True labels. Without it, lists the columns.", rich_help_panel=COLUMNS
        ),
    ] = None,
    score: options.Score = None,
    class_scores: Annotated[
        Text,
        typer.Option(
            metavar="LABEL=COL,…",
            help="Scores of several classes: cat=c1,dog=c2.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    prediction: options.Prediction = None,
    positive: options.Positive = None,
    labels: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="All labels, where some may not occur in this file.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    weight: options.Weight = None,
    frequency: options.Frequency = None,
    cluster: options.Cluster = None,
    id: Annotated[
        Text,
        typer.Option(
            metavar="COL",
            help="The rows' ids, to compare saved assessments without their rows.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    by: Annotated[
        Text,
        typer.Option(
            metavar="COL,…",
            help="Groups, of one column or of several together: assess each, and compare them.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    format: options.FileFormat = None,
    delimiter: options.Delimiter = None,
    limit_rows: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Stop after so many rows: a first look.", rich_help_panel=COLUMNS
        ),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            metavar="MB",
            min=0,
            help="Count part by part, and scores in bins once exact ones take more megabytes than this. A folder or a "
            "pattern of files as FILE is counted so in 1024 megabytes.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    dask: Annotated[
        Text,
        typer.Option(
            metavar="ADDRESS",
            help="Count on the workers of a Dask scheduler, such as tcp://host:8786; 'local' starts processes here.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    reference: Annotated[
        Text,
        typer.Option(
            metavar="LABEL",
            help="The group to compare with; all other cases by default.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    threshold: options.Threshold = None,
    prevalence: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Also show the measures at this share of positives, such as 0.01.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    level: options.Level = 0.95,
    interval: Annotated[
        Text,
        typer.Option(
            metavar="METHOD",
            help="Method of the intervals, where it applies instead of the default: {intervals}. `classay measures "
            "NAME` lists those of a measure.",
            rich_help_panel=METHOD,
            autocompletion=registries.intervals,
        ),
    ] = None,
    seed: options.Seed = 0,
    missing: options.MissingLabels = "refuse",
    improper: options.ImproperRows = "keep",
    require: options.Require = None,
    cost: options.Cost = None,
    measures: options.Measures = None,
    all_measures: Annotated[  # noqa: FBT002
        bool, typer.Option("--all", help="Show every measure.", rich_help_panel=OUTPUT)
    ] = False,
    json: options.Json = None,
    save: Annotated[
        Text,
        typer.Option(
            metavar="OUT",
            help="Save the tables as OUT.classay, to load and to add up.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    html: options.Html = None,
    latex: options.Latex = None,
    markdown: options.Markdown = None,
) -> None:
    """Assess a classifier from a file of its predictions."""
    if truth is None:
        others = [option for name, option in given(context).items() if name not in OF_FILE]
        list_columns(file, format, delimiter, others)
        return
    if all_measures and (measures is not None or json == "-"):
        which = "--measures names those to show" if measures is not None else "JSON has every measure"
        raise InputError(f"--all has no meaning here, for {which}: leave it out.")
    rows = Rows(
        file,
        truth,
        score=score,
        class_scores=class_scores,
        prediction=prediction,
        positive=positive,
        labels=labels,
        weight=weight,
        frequency=frequency,
        cluster=cluster,
        id=id,
        by=by,
        format=format,
        delimiter=delimiter,
        limit=limit_rows,
        memory=memory,
        dask=dask,
    )
    run(
        rows,
        Sections(reference=reference, prevalence=prevalence),
        Wanted(
            measures=measures,
            detail="all" if all_measures else "main",
            require=tuple(require or ()),
            cost=tuple(cost or ()),
        ),
        Outputs(json=json, save=save, html=html, latex=latex, markdown=markdown),
        missing=missing,
        improper=improper,
        threshold=threshold,
        level=level,
        seed=seed,
        interval=interval,
    )


@dataclass(frozen=True)
class Rows:
    """Where the rows are and what their columns mean, as texts from the command line."""

    file: str
    truth: str
    score: str | None = None
    class_scores: str | None = None
    prediction: str | None = None
    positive: str | None = None
    labels: str | None = None
    weight: str | None = None
    frequency: str | None = None
    cluster: str | None = None
    id: str | None = None
    by: str | None = None
    format: Format | None = None
    delimiter: str | None = None
    amounts: tuple[str, ...] = ()
    limit: int | None = None
    memory: int | None = None
    dask: str | None = None

    @property
    def are_many(self) -> bool:
        """Whether the rows are counted part by part: those of several files, or where it is asked for."""
        from classay.sources.fragments import is_of_several

        given = (self.limit, self.memory, self.dask)
        return is_of_several(self.file) or any(each is not None for each in given)

    def of_scan(self) -> dict[str, Any]:
        """The arguments of `classay.scan` that these rows are; options that need all rows at once are refused."""
        if self.amounts:
            raise InputError(
                f"costs of amounts need all rows at once, and {self.file} is counted part by part: pass costs that are "
                "numbers, or one file without --limit-rows, --memory and --dask."
            )
        for name in ("cluster", "id", "by"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"--{name} needs all rows at once, and {self.file} is counted part by part: leave it out, or pass "
                    "one file without --limit-rows, --memory and --dask."
                )
        if self.score and self.class_scores:
            raise InputError("both --score and --class-scores were given: pass one.")
        return {
            "truth": self.truth,
            "score": self.score if self.class_scores is None else _pairs(self.class_scores),
            "prediction": self.prediction,
            "positive": self.positive,
            "weight": self.weight,
            "frequency": self.frequency,
            "format": self.format,
            "delimiter": self.delimiter,
            "limit": self.limit,
            "labels": declared(names_in(self.labels, "--labels")) if self.labels is not None else None,
        } | ({} if self.memory is None else {"memory": self.memory * 2**20})

    def arguments(self) -> dict[str, Any]:
        """The arguments of `classay.assess`, or `assess_by`, that these rows are."""
        classes = {} if self.class_scores is None else _pairs(self.class_scores)
        if self.score and classes:
            raise InputError("both --score and --class-scores were given: pass one.")
        roles = {
            "truth": self.truth,
            "score": self.score,
            "prediction": self.prediction,
            "weight": self.weight,
            "frequency": self.frequency,
            "cluster": self.cluster,
            "id": self.id,
        }
        by = self.groups()
        of_rows = [*roles.values(), *classes.values(), *by, *self.amounts]
        names = [name for name in of_rows if name is not None]
        from classay.sources.files import read_table

        table = read_table(
            self.file,
            list(dict.fromkeys(names)),
            labels=[
                name
                for name in (*(roles[role] for role in ("truth", "prediction", "cluster", "id")), *by)
                if name is not None
            ],
            format=self.format,
            delimiter=self.delimiter,
        )
        columns = {role: None if name is None else table[name] for role, name in roles.items()}
        if not (self.score or classes or self.prediction):
            raise InputError(
                "there is nothing to assess: name the column of scores (--score), of predicted labels (--prediction), "
                f"or of each class's scores (--class-scores). {columns_of(self.file, self.format, self.delimiter)}"
            )
        given = {role: columns[role] for role in ("weight", "frequency", "cluster", "id")}
        given["by"] = table[by[0]] if len(by) == 1 else together([table[name] for name in by]) if by else None
        score: Any = columns["score"]
        named: dict[str, Any] = {}
        if classes or self.labels is not None or self.positive is not None:
            from classay.columns import code_labels

            occurring = code_labels(columns["truth"], "truth").labels
            named = self._named(occurring)
            if classes:
                labels = _typed(tuple(classes), occurring)
                score = dict(zip(labels, (table[name] for name in classes.values()), strict=True))
        return {
            "y_true": columns["truth"],
            "y_score": score,
            "y_pred": columns["prediction"],
            **named,
            **given,
            **({"amounts": {name: table[name] for name in self.amounts}} if self.amounts else {}),
        }

    def groups(self) -> list[str]:
        """The columns whose values, together, say which group a row belongs to."""
        return names_in(self.by, "--by")

    def _named(self, occurring: tuple[Any, ...]) -> dict[str, Any]:
        """The labels named in options, in the type of those that occur."""
        from classay.columns import match_label, with_zero_one

        names = names_in(self.labels, "--labels")
        labels = _typed(tuple(names), occurring) if names else None
        if self.positive is None:
            return {"labels": labels}
        return {"labels": labels, "positive": match_label(self.positive, labels or with_zero_one(occurring))}


@dataclass(frozen=True)
class Sections:
    """What to find out beside the assessment of all rows: the group to compare with, another prevalence."""

    reference: str | None = None
    prevalence: float | None = None


@dataclass(frozen=True)
class Wanted:
    """Which measures to show, and what is demanded of them."""

    measures: str | None = None
    detail: Detail = "main"
    require: tuple[str, ...] = ()
    cost: tuple[str, ...] = ()


def run(
    rows: Rows,
    sections: Sections,
    wanted: Wanted,
    outputs: Outputs,
    missing: Missing = "refuse",
    improper: Improper = "keep",
    **how: Any,
) -> None:
    """Assess the rows and write every output asked for; `how` are the other arguments of `assess`."""
    from classay.assessment.decisions.demands import known, reader
    from classay.cli.verdicts import end_with
    from classay.inference.requirements import outcome, parse

    names = listed_names(wanted.measures)
    demands = [each for text in wanted.require for each in parse(text)]
    costs = costs_in(wanted.cost)
    known([each.name for each in demands], costs)
    outputs.refuse_unwritable(rows.file)
    if sections.reference is not None and rows.by is None:
        raise InputError("--reference names a group to compare with: name the column of groups with --by.")
    rows = replace(rows, amounts=() if costs is None else costs.names)
    if rows.are_many:
        found = _scanned(rows, sections, names, missing=missing, improper=improper, **how)
    else:
        with waiting(f"reading {rows.file}"):
            arguments = rows.arguments()
        with waiting("counting"):
            checked = checked_rows(**arguments, missing=missing, improper=improper)
            found = _found(rows, sections, checked, names, how_to_assess(**how))
    with waiting("estimating"):
        estimate = reader(found.assessment, costs)
        outcomes = [outcome(each, estimate(each.name)) for each in demands]
    outputs.deliver(found.made(wanted.detail, outcomes))
    end_with(outcomes)


def _scanned(
    rows: Rows, sections: Sections, names: list[str] | None, missing: Missing, improper: Improper, **how: Any
) -> Findings:
    """What is found of rows that are counted part by part."""
    from classay.assessment.remembered import Remembered
    from classay.assessment.scanning import scan
    from classay.cli.commands.findings import Findings
    from classay.cli.counting import Counter, cluster_of

    given = rows.of_scan()
    with cluster_of(rows.dask) as client, Counter() as counter:
        a = scan(
            rows.file, **given, missing=missing, improper=improper, progress=counter, executor=client, **how
        )
    shifted = None if sections.prevalence is None else a.at_prevalence(sections.prevalence)
    return Findings.of(f"Assessment of {rows.file}", Remembered.of(a), names, None, shifted)


def _found(
    rows: Rows, sections: Sections, checked: Predictions, names: list[str] | None, how: dict[str, Any]
) -> Findings:
    from classay.assessment.remembered import Remembered
    from classay.cli.commands.findings import Findings

    a = Remembered.of(of_predictions(checked, **how))
    groups = None
    if rows.by is not None:
        from classay.assessment.slices.assess_by import of_groups

        groups = of_groups(checked, a, ", ".join(rows.groups()), sections.reference)
    shifted = None if sections.prevalence is None else a.at_prevalence(sections.prevalence)
    source = "standard input" if rows.file == "-" else Path(rows.file).name
    return Findings.of(f"Assessment of {source}", a, names, groups, shifted)


def list_columns(file: str, format: Format | None, delimiter: str | None, others: Sequence[str]) -> None:
    """Show the columns of a file, to choose from; refuse if anything else was asked for."""
    if others:
        raise InputError(
            f"name the column of true labels with --truth, which {others[0]} needs. "
            f"{columns_of(file, format, delimiter)}"
        )
    show_columns(file, format, delimiter)
    print("\nName the column of true labels with --truth, and of the scores with --score:")
    print(clean(f"  classay assess {file} --truth COL --score COL"))


def _pairs(text: str) -> dict[str, str]:
    pairs = pairs_in(text, "--class-scores", "LABEL=COLUMN,LABEL=COLUMN, such as cat=p_cat,dog=p_dog")
    labels = [pair[0] for pair in pairs]
    if len({*labels}) < len(labels):
        raise InputError(f"--class-scores names a label twice: {text}. Name each label once.")
    if len({pair[1] for pair in pairs}) < len(pairs):
        raise InputError(f"--class-scores names a column twice: {text}. Each class has a column of its own.")
    return {pair[0]: pair[1] for pair in pairs}


def declared(texts: Sequence[str]) -> list[Any]:
    """Labels written on the command line, as a file of text that holds them would be read."""
    from classay.columns.writing import typed

    return list(typed(texts))


def _typed(texts: tuple[str, ...], occurring: tuple[Any, ...]) -> tuple[Any, ...]:
    """Labels written on the command line, in the type of those that occur."""
    from classay.columns import match_label

    kinds = {type(label) for label in occurring}
    typed = []
    for text in texts:
        try:
            typed.append(match_label(text, occurring))
        except InputError:
            typed.append(_as_kind(text, kinds))
    return tuple(typed)


def _as_kind(text: str, kinds: set[type]) -> Any:
    if kinds and kinds <= {int, float}:
        from classay.columns.writing import number_in

        if (number := number_in(text)) is None:
            raise InputError(f"the labels of the file are numbers, and {text!r} is none.")
        return number
    if kinds == {bool} and text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    return text
