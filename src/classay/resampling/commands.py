"""`classay evaluate` and `protocols`, the options of what fits models to a file of cases, and stores of runs."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from classay.answers import MissingLabels
from classay.cli import options
from classay.cli.failures import guarded, one_line_warnings, output_to_errors
from classay.cli.given import FORMS, READING, refuse_others
from classay.cli.lists import in_order, list_columns, names_in
from classay.cli.options import METHOD, FileOptions, Fitting, Text
from classay.cli.outputs import OfEvaluation, OutputOptions, Rendering, data_of, listed_names, waiting
from classay.columns.numbers import counted
from classay.columns.values import listing
from classay.errors import InputError, nearest
from classay.resampling.bootstraps import samples
from classay.resampling.data import Balance
from classay.texts import clean
from classay.wings import ways_of

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.results_of_progress import Progress
    from classay.sources.files import TrainingData


EXAMPLE = "Example: classay evaluate cases.csv --target y --models logistic,forest --protocol 10x10"
GAPS = "missing_features"
"""The code of the remark on missing values of features; standard error says it, so the terminal need not again."""


@dataclass(frozen=True)
class TrainingFile:
    """Where the cases are and which of their columns are no features, as texts from the command line."""

    file: options.File
    target: options.Target = None
    cluster: Text = None
    id: options.NameOfRow = None
    drop: options.Drop = None
    reading: FileOptions = field(default_factory=FileOptions)

    def read(self, missing: MissingLabels, *, is_new: bool = False) -> TrainingData:
        """The columns of the file, by what they are for; one of new cases need not have those that are no features."""
        assert self.target is not None, "without it the columns are listed"
        return self.read_targets(self.target, missing, is_new=is_new)

    def read_targets(
        self, target: str | Sequence[str], missing: MissingLabels, *, is_new: bool = False
    ) -> TrainingData:
        """Return the columns of the file, with one or more targets."""
        from classay.sources.files import read_training

        dropped = names_in(self.drop, "--drop")
        known = {*self.reading.column_names(self.file)} if is_new and (dropped or self.id) else None
        with one_line_warnings():
            return read_training(
                self.file,
                target,
                cluster=self.cluster,
                id=self.id if known is None or self.id in known else None,
                drop=dropped if known is None else [name for name in dropped if name in known],
                missing=missing,
                **self.reading.arguments,
            )

    def list_columns(self, context: typer.Context, models: str) -> None:
        """Show the columns of the file, to choose the target from; refuse if anything else was asked for already."""
        wanted = "the column of labels to learn with --target"
        list_columns(context, self.file, self.reading, wanted, "", f"--target COL {models}")


@dataclass(frozen=True)
class CaseOptions(TrainingFile):
    """The same options, with clusters, and the positive class or the order of the classes."""

    cluster: options.Cluster = None
    positive: options.Positive = None
    order: options.Order = None

    def read(self, missing: MissingLabels, *, is_new: bool = False) -> TrainingData:
        """Return the columns of the file, by what they are for."""
        data = super().read(missing, is_new=is_new)
        return replace(data, target=in_order(data.target, self.order))


@dataclass(frozen=True)
class EvaluatedCases(CaseOptions):
    """The same options, also with several targets, for several labels a case."""

    target: options.Targets = None

    def tags(self) -> dict[Hashable, str]:
        """Return the column of each tag if several targets are named; nothing for one target.

        Raises InputError for a pattern that fits no column, or only one.
        """
        text = self.target or ""
        if not ("," in text or "*" in text):
            return {}
        known = self.reading.column_names(self.file)
        if text in known:
            return {}
        for other in ways_of("evaluate"):
            return cast("dict[Hashable, str]", other.targets(self.file, known, text))
        return {}

    def read_tags(self, tags: Mapping[Hashable, str], missing: MissingLabels) -> TrainingData:
        """Return the columns of the file, of which several are targets."""
        return self.read_targets([*tags.values()], missing)


USED_OF_TAGS = {
    *("file", "target", "cluster", "id", "drop", *READING, "missing"),
    *("models", "protocol", "measures", "level", "seed"),
    *(*FORMS, "save"),
}
"""The options of `classay evaluate` that have a meaning where cases have several labels."""


@guarded
def evaluate(
    context: typer.Context,
    *,
    cases: EvaluatedCases,
    models: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="{models}, with columns scaled where a model needs it; or pkg.module:estimator without scaling.",
            rich_help_panel=METHOD,
        ),
    ] = "logistic,forest,boosting",
    protocol: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help=f"{', '.join(samples())}. See `classay protocols` for explanations.",
            rich_help_panel=METHOD,
            autocompletion=samples,
        ),
    ] = "10x10",
    tune: Annotated[
        bool,
        typer.Option(
            "--tune", help="Tune each model by a random search inside each fold.", rich_help_panel=METHOD
        ),
    ] = False,
    balance: Annotated[
        Balance | None,
        typer.Option(
            metavar="METHOD",
            help=f"{options.words(Balance)}: in addition, fit each model to balanced classes inside each fold, and "
            "compare.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    fitting: Fitting,
    measures: options.Measures = None,
    outputs: OfEvaluation,
) -> None:
    """Estimate by resampling how models fitted to a file of cases perform on new ones."""
    if cases.target is None:
        cases.list_columns(context, "--models logistic,forest")
        return
    plan = EvaluateOptions(models, tune, balance, protocol, listed_names(measures), fitting)
    if tags := cases.tags():
        refuse_others(context, USED_OF_TAGS, f"with --target {cases.target} (multilabel)")
        outputs.refuse_unwritable(cases.file)
        with waiting(f"reading {cases.file}"):
            data = cases.read_tags(tags, fitting.estimating.missing)
        for _, text in remarks_on(data):
            print(clean(f"note: {text}"), file=sys.stderr)
        with one_line_warnings(), output_to_errors(), waiting("fitting"):
            evaluation = plan.carry_out_tags(data, tags)
        outputs.deliver(Rendering.of(evaluation, data_of([cases.file])))
        return
    outputs.refuse_unwritable(cases.file, fitting.store)
    with waiting(f"reading {cases.file}"):
        data = cases.read(fitting.estimating.missing)
    with one_line_warnings(), output_to_errors():
        e = plan.carry_out(data, cases.positive)
    deliver_evaluation(e, outputs, data_of([cases.file]))


@dataclass(frozen=True)
class EvaluateOptions:
    """What to do with the cases, as on the command line."""

    models: str
    tune: bool
    balance: Balance | None
    protocol: str
    measures: list[str] | None
    fitting: Fitting

    def carry_out(self, data: TrainingData, positive: str | None) -> Evaluation:
        """Evaluate the models on the data, with progress on standard error."""
        from classay.columns import code_labels
        from classay.resampling.evaluating import evaluate
        from classay.resampling.models import models_named, search_named
        from classay.resampling.results_of_progress import Progress

        X = data.frame()
        labels = code_labels(data.target, "the target").labels
        names = names_in(self.models, "--models")
        models = (
            search_named(
                names, X, classes=len(labels), cluster=data.cluster, seed=self.fitting.estimating.seed
            )
            if self.tune
            else models_named(names, X)
        )
        with Progress() as progress, self._saying_what_is_kept(progress):
            return evaluate(
                models,
                X,
                data.target,
                protocol=self.protocol,
                measures=self.measures,
                positive=typed(positive, labels),
                cluster=data.cluster,
                **self.fitting.arguments(),
                progress=progress,
                remarks=remarks_on(data),
                balance=self.balance,
            )

    def carry_out_tags(self, data: TrainingData, tags: Mapping[Hashable, str]) -> Any:
        """Evaluate the models on data of several labels a case, one model for each tag."""
        import pandas as pd  # type: ignore[import-untyped]

        from classay.resampling.evaluating import evaluate

        estimating = self.fitting.estimating
        return evaluate(
            names_in(self.models, "--models"),
            data.frame(),
            pd.DataFrame({tag: data.target[name].to_pandas() for tag, name in tags.items()}),
            protocol=self.protocol,
            measures=self.measures,
            cluster=data.cluster,
            level=estimating.level,
            seed=estimating.seed,
        )

    @contextmanager
    def _saying_what_is_kept(self, progress: Progress) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt:
            if self.fitting.store is not None and progress.step is not None:
                done, total = progress.step.done, progress.step.total
                print(
                    f"\n{done:,} of {total:,} fits are saved in {self.fitting.store}. Run the same command to "
                    "continue.",
                    file=sys.stderr,
                )
            raise


def typed(positive: str | None, labels: tuple[Hashable, ...]) -> Hashable | None:
    """Return the label that was written on the command line; None where none was."""
    from classay.columns import match_label

    if positive is None:
        return None
    if len(labels) > 2:
        raise InputError(
            f"--positive needs two classes, but there are {len(labels)} ({listing(labels)}). Remove it, or "
            "make a target column of two classes."
        )
    try:
        return match_label(positive, labels)
    except InputError as error:
        hint = nearest(positive, [str(label) for label in labels]) or "."
        raise InputError(
            f"No case has the label --positive {positive!r}. Labels: {listing(labels)}{hint}"
        ) from error


def remarks_on(data: TrainingData) -> list[tuple[str, str]]:
    """Remarks on rows that were left out and on missing values: a code and a sentence each."""
    return [*_left_out(data), *_gaps(data)]


def _left_out(data: TrainingData) -> Iterator[tuple[str, str]]:
    if data.dropped:
        are = "is" if data.dropped == 1 else "are"
        yield "dropped_rows", f"{counted(data.dropped)} without a target {are} excluded"


def _gaps(data: TrainingData) -> Iterator[tuple[str, str]]:
    """Yield what is missing among the features: who reads the estimates must know that it was filled in."""
    gaps = sorted(data.gaps.items(), key=lambda gap: -gap[1])
    if gaps:
        named = ", ".join(f"{name} {missing:,}" for name, missing in gaps[:5])
        more = f" and {len(gaps) - 5:,} more columns" if len(gaps) > 5 else ""
        yield (
            GAPS,
            f"features have missing values ({named}{more}), which the pipeline of each model handles inside "
            "the folds",
        )


def deliver_evaluation(e: Evaluation, outputs: OutputOptions, data: str = "") -> None:
    """Write an evaluation to the terminal and wherever it was asked for."""
    from classay.report.results.parts import json_text
    from classay.resampling.results import times_of

    for code, text in e.remarks:
        if code == GAPS:
            print(clean(f"note: {text}"), file=sys.stderr)
    rendered = replace(
        Rendering.of(e, data),
        shown=lambda: e.document().without_warnings(GAPS).on(data),
        times=lambda: json_text(times_of(e)),
        save=e.save,
    )
    outputs.deliver(rendered)
