"""The ways of `classay compare`: from files to comparisons, a function for each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.cli.lists import names_in
from classay.cli.options import Better, Text, words
from classay.cli.outputs import Outputs, listed_names, refuse_twice, waiting
from classay.cli.sources import Sources, block_values, is_evaluation, names_of, typed_label
from classay.comparison.rules import Rule
from classay.errors import InputError

if TYPE_CHECKING:
    from classay.comparison.comparison import Alternative
    from classay.comparison.comparisons import Comparisons


RESULTS, AIM = "Results over data sets", "What is to be shown"


@dataclass(frozen=True)
class Aim:
    """What is to be shown, and against whom."""

    control: Annotated[
        Text,
        typer.Option(
            metavar="NAME", help="Compare with this model alone, named beforehand.", rich_help_panel=AIM
        ),
    ] = None
    rule: Annotated[
        Rule | None,
        typer.Option(
            metavar="RULE",
            help=f"The first model of a pair is to be shown {words(Rule)}; needs --margin.",
            rich_help_panel=AIM,
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="The difference that would be acceptable, fixed beforehand.",
            rich_help_panel=AIM,
        ),
    ] = None
    rope: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Equal in practice, fixed beforehand: probabilities over folds or data sets.",
            rich_help_panel=AIM,
        ),
    ] = None


@dataclass(frozen=True)
class Table:
    """The columns of a file of results over data sets."""

    dataset: Annotated[
        Text,
        typer.Option(
            metavar="COL",
            help="FILE holds results over data sets: the column that names the data set.",
            rich_help_panel=RESULTS,
        ),
    ] = None
    model: Annotated[
        Text,
        typer.Option(
            metavar="COL",
            help="Its column of models; without it each other column is one.",
            rich_help_panel=RESULTS,
        ),
    ] = None
    value: Annotated[
        Text, typer.Option(metavar="COL", help="Its column of values.", rich_help_panel=RESULTS)
    ] = None
    run: Annotated[
        Text,
        typer.Option(
            metavar="COL", help="Its column of runs, which are averaged first.", rich_help_panel=RESULTS
        ),
    ] = None
    better: Annotated[
        Better | None,
        typer.Option(help="Which values are better; by default as --value says.", rich_help_panel=RESULTS),
    ] = None

    def is_named(self) -> bool:
        """Whether the file is one of results; refuse columns of one without the data set."""
        given = [name for name, value in asdict(self).items() if value is not None]
        if given and self.dataset is None:
            raise InputError(
                f"--{given[0]} is of results over data sets: name their column of data sets too, with --dataset."
            )
        return bool(given)


def ready(sources: Sources, outputs: Outputs) -> None:
    """Refuse outputs that cannot be written, and a file named twice."""
    outputs.refuse_unwritable(*sources.files)
    refuse_twice(sources.files, "pass one for each model")


def rows(sources: Sources, measures: str | None, aim: Aim, **how: Any) -> Comparisons:
    """Models on the same cases, from one file or from several joined by an id."""
    from classay.comparison.compare import compare

    sources.need_truth()
    with waiting("reading"):
        models, columns = sources.models()
    if sources.positive is not None:
        how["positive"] = sources.typed_positive(models)
    how |= sources.named_labels(models)
    with waiting("comparing"):
        return compare(
            models,
            measures=listed_names(measures),
            threshold=sources.thresholds(),
            **columns,
            **asdict(aim),
            **how,
        )


def unpaired(
    sources: Sources,
    measures: str | None,
    *,
    method: str | None,
    alternative: Alternative,
    adjustment: str,
    missing: str,
    unanswered: str,
    **how: Any,
) -> Comparisons:
    """Models on different cases, one file each."""
    from classay.assessment.assessing import assess
    from classay.comparison.cases.unpaired import compare_unpaired

    sources.need_truth()
    if len(sources.files) < 2:
        raise InputError("--unpaired compares models on different cases: pass a file for each.")
    with waiting("reading"):
        tables, columns = sources.models(same_cases=False)
    assessments = {}
    for name, table in tables.items():
        named: dict[str, Any] = {}
        if sources.positive is not None:
            named["positive"] = typed_label(sources.positive, table[sources.truth])
        named |= sources.named_labels(table)
        assessments[name] = assess(
            table,
            truth=sources.truth,
            score=columns["scores"],
            prediction=columns["predictions"],
            **asdict(sources.roles),
            threshold=sources.thresholds(),  # type: ignore[arg-type]
            missing=missing,  # type: ignore[arg-type]
            unanswered=unanswered,  # type: ignore[arg-type]
            **named,
            **how,
        )
    with waiting("comparing"):
        return compare_unpaired(
            assessments,
            listed_names(measures),
            method=method,
            alternative=alternative,
            adjustment=adjustment,
        )


def with_reader(sources: Sources, reader: str, reader_positive: str | None, **how: Any) -> Comparisons:
    """Scores and a reader's labels, at the reader's specificity."""
    from classay.comparison.cases.reader import compare_reader

    sources.need_truth()
    scores = names_in(sources.scores, "--scores")
    if len(sources.files) > 1 or not scores:
        raise InputError(
            "--reader compares columns of scores (--scores a,b) with a column of labels: one file holds the scores "
            "and the labels."
        )
    cluster = sources.roles.cluster
    columns = [sources.truth, reader, *scores, *([cluster] if cluster else [])]
    with waiting("reading"):
        table = sources.read(sources.files[0], columns, labels=[reader])
    if sources.positive is not None:
        how["positive"] = typed_label(sources.positive, table[sources.truth])
    if reader_positive is not None:
        how["reader_positive"] = reader_positive
    with waiting("comparing"):
        models = {name: table[name] for name in scores}
        return compare_reader(
            models,
            table[sources.truth],
            table[reader],
            name=reader,
            cluster=None if cluster is None else table[cluster],
            **how,
        )


def results(sources: Sources, table: Table, aim: Aim, **how: Any) -> Comparisons:
    """Models over many data sets, from one file of results."""
    from classay.comparison.compare import compare

    if len(sources.files) > 1:
        raise InputError(
            f"{len(sources.files)} files are named, and one holds results over data sets: pass it alone."
        )
    columns = [table.dataset, table.model, table.value, table.run]
    named = [name for name in columns if name is not None]
    file = sources.files[0]
    with waiting("reading"):
        if table.model is None and table.value is None:
            named = sources.reading.column_names(file)
        labels = [name for name in (table.dataset, table.model, table.run) if name is not None]
        frame = sources.read(file, named, labels=labels)
    return compare(frame, **asdict(table), **asdict(aim), **how)


def evaluations(sources: Sources, measures: str | None, aim: Aim, **how: Any) -> Comparisons:
    """Learners of saved evaluations, over the folds that they share."""
    from classay.comparison.compare import compare
    from classay.resampling.evaluation import Evaluation

    names = listed_names(measures)
    if not all(map(is_evaluation, sources.files)):
        raise InputError("some files are saved evaluations and others assessments: pass files of a kind.")
    files = dict(zip(names_of(sources.files), sources.files, strict=True))
    with waiting("reading"):
        loaded = {name: Evaluation.load(file) for name, file in files.items()}
    one = next(iter(loaded.values())) if len(loaded) == 1 else loaded
    with waiting("comparing"):
        return compare(one, measures=names, **asdict(aim), **how)


def assessments(
    sources: Sources,
    measures: str | None,
    aim: Aim,
    *,
    alternative: Alternative,
    adjustment: str,
    level: float | None,
) -> Comparisons:
    """Saved assessments of the same cases, compared without their rows."""
    from classay.comparison.cases.by_blocks import compare_values
    from classay.comparison.cases.compare_predictions import judged
    from classay.comparison.one_sided import check_sides, in_direction, level_of_both
    from classay.comparison.rules import check_rule, interval_level

    names = listed_names(measures)
    check_rule(aim.rule, aim.margin)
    check_sides(alternative, None, aim.rule, None)
    files = dict(zip(names_of(sources.files), sources.files, strict=True))
    values = {name: block_values(file, names or []) for name, file in files.items()}
    asked = 0.95 if level is None else level
    of_intervals = interval_level(aim.rule, level_of_both(alternative, asked))
    found = compare_values(values, names, adjustment=adjustment, level=of_intervals)
    return judged(in_direction(found, alternative, adjustment, asked), aim.rule, aim.margin)
