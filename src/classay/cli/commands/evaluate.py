"""The commands that fit models to a file of cases: `classay evaluate`, `improve`, `decompose` and `ensemble`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from classay.answers import MissingLabels
from classay.cli import options
from classay.cli.failures import guarded, one_line_warnings, output_to_errors
from classay.cli.given import READING, TEXTS, refuse_others
from classay.cli.lists import in_order, list_columns, names_in
from classay.cli.options import METHOD, EstimatingLearners, FileOptions, Fitting, Learner, Rounds, Text
from classay.cli.outputs import (
    Made,
    OfDecomposition,
    OfEvaluation,
    OfImprovement,
    Outputs,
    data_of,
    listed_names,
    waiting,
)
from classay.columns.numbers import counted
from classay.columns.values import listing
from classay.errors import InputError, nearest
from classay.improving.loss_parts import Loss
from classay.resampling.bootstraps import samples
from classay.resampling.data import Balance
from classay.texts import clean

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition
    from classay.improving.improvement import Improvement
    from classay.improving.learning_curve import DecompositionPath
    from classay.report.document import Document
    from classay.report.progress import Progress
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.tag_folds import TagEvaluation
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
        """The columns of the file, with one or more targets."""
        from classay.sources.files import read_training

        dropped = names_in(self.drop, "--drop")
        known = {*self.reading.column_names(self.file)} if is_new and (dropped or self.id) else None
        return read_training(
            self.file,
            target,
            cluster=self.cluster,
            id=self.id if known is None or self.id in known else None,
            drop=dropped if known is None else [name for name in dropped if name in known],
            missing=missing,
            format=self.reading.format,
            delimiter=self.reading.delimiter,
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
        """The columns of the file, by what they are for."""
        data = super().read(missing, is_new=is_new)
        return replace(data, target=in_order(data.target, self.order))


@dataclass(frozen=True)
class EvaluatedCases(CaseOptions):
    """The same options, also with several targets, for several labels a case."""

    target: options.Targets = None

    def tags(self) -> dict[Hashable, str]:
        """The column of each tag if several targets are named; nothing for one target.

        Raises InputError for a pattern that fits no column, or only one.
        """
        from classay.assessment.tag_columns import places_of_tags
        from classay.cli.tag_options import named_columns

        text = self.target or ""
        if not ("," in text or "*" in text):
            return {}
        known = self.reading.column_names(self.file)
        if text in known:
            return {}
        found = places_of_tags(known, {"target": named_columns(text, "--target")}, None)["target"]
        if isinstance(found, str):  # a name with a comma, in quotes
            raise InputError(f"{self.file} has no column {found!r}: name columns of the file.")
        if len(found) < 2:
            raise InputError(
                f"--target is {text!r}, which names one column: name it alone, {next(iter(found.values()))}."
            )
        return found

    def read_tags(self, tags: Mapping[Hashable, str], missing: MissingLabels) -> TrainingData:
        """The columns of the file, of which several are targets."""
        return self.read_targets([*tags.values()], missing)


USED_OF_TAGS = {
    *("file", "target", "cluster", "id", "drop", *READING, "missing"),
    *("models", "protocol", "measures", "level", "seed"),
    *(*TEXTS, "save"),
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
            help="{models}, with columns scaled where it helps them; or pkg.module:estimator, as it is.",
            rich_help_panel=METHOD,
        ),
    ] = "logistic,forest,boosting",
    protocol: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help=f"{', '.join(samples())}; `classay protocols` explains them.",
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
            help=f"{options.words(Balance)}: evaluate each model also fitted to classes of equal size, inside each "
            "fold, and compare.",
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
        refuse_others(context, USED_OF_TAGS, f"beside --target {cases.target}, of several labels a case")
        outputs.refuse_unwritable(cases.file)
        with waiting(f"reading {cases.file}"):
            data = cases.read_tags(tags, fitting.estimating.missing)
        for _, text in remarks_on(data):
            print(clean(f"note: {text}"), file=sys.stderr)
        with one_line_warnings(), output_to_errors(), waiting("fitting"):
            found = plan.carry_out_tags(data, tags)
        outputs.deliver(replace(Made.of(found, data_of([cases.file])), save=found.save))
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
        from classay.report.progress import Progress
        from classay.resampling.evaluating import evaluate
        from classay.resampling.models import models_named, search_named

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
                positive=None if positive is None else typed(positive, labels),
                cluster=data.cluster,
                **self.fitting.arguments(),
                progress=progress,
                remarks=remarks_on(data),
                balance=self.balance,
            )

    def carry_out_tags(self, data: TrainingData, tags: Mapping[Hashable, str]) -> TagEvaluation:
        """Evaluate the models on data of several labels a case, one model for each tag."""
        import pandas as pd  # type: ignore[import-untyped]

        from classay.resampling.evaluating import evaluate

        estimating = self.fitting.estimating
        found: Any = evaluate(
            names_in(self.models, "--models"),
            data.frame(),
            pd.DataFrame({tag: data.target[name].to_pandas() for tag, name in tags.items()}),
            protocol=self.protocol,
            measures=self.measures,
            cluster=data.cluster,
            level=estimating.level,
            seed=estimating.seed,
        )
        return found  # type: ignore[no-any-return]

    @contextmanager
    def _saying_what_is_kept(self, progress: Progress) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt:
            if self.fitting.store is not None and progress.step is not None:
                done, total = progress.step.done, progress.step.total
                print(
                    f"\n{done:,} of {total:,} fits are kept in {self.fitting.store}: the same command goes on from "
                    "there.",
                    file=sys.stderr,
                )
            raise


def typed(positive: str, labels: tuple[Hashable, ...]) -> Hashable:
    """The label that was written on the command line."""
    from classay.columns import match_label
    from classay.columns.values import listing

    if len(labels) > 2:
        raise InputError(
            f"--positive names one of two classes, and there are {len(labels)} ({listing(labels)}): leave it out, or "
            "make a column of two classes to learn one against the rest."
        )
    try:
        return match_label(positive, labels)
    except InputError as error:
        hint = nearest(positive, [str(label) for label in labels]) or "."
        raise InputError(
            f"no case has the label --positive {positive!r}: the labels are {listing(labels)}{hint}"
        ) from error


def remarks_on(data: TrainingData) -> list[tuple[str, str]]:
    """Remarks on rows that were left out and on missing values: a code and a sentence each."""
    return [*_left_out(data), *_gaps(data)]


def _left_out(data: TrainingData) -> Iterator[tuple[str, str]]:
    if data.dropped:
        are = "is" if data.dropped == 1 else "are"
        yield "dropped_rows", f"{counted(data.dropped)} without a target {are} left out"


def _gaps(data: TrainingData) -> Iterator[tuple[str, str]]:
    """What is missing among the features: who reads the estimates must know that it was filled in."""
    gaps = sorted(data.gaps.items(), key=lambda gap: -gap[1])
    if gaps:
        named = ", ".join(f"{name} {missing:,}" for name, missing in gaps[:5])
        more = f" and {len(gaps) - 5:,} columns more" if len(gaps) > 5 else ""
        yield (
            GAPS,
            f"features lack values ({named}{more}), which each model's own pipeline deals with inside the folds",
        )


def deliver_evaluation(e: Evaluation, outputs: Outputs, data: str = "") -> None:
    """Write an evaluation to the terminal and wherever it was asked for."""
    from classay.report.results.evaluations import times_of
    from classay.report.results.parts import json_text

    for code, text in e.remarks:
        if code == GAPS:
            print(clean(f"note: {text}"), file=sys.stderr)
    made = replace(
        Made.of(e, data),
        shown=lambda: e.document().without_warnings(GAPS).on(data),
        times=lambda: json_text(times_of(e)),
        save=e.save,
    )
    outputs.deliver(made)


EXAMPLE_OF_IMPROVE = "Example: classay improve cases.csv --target y --model tree --html page.html"


@guarded
def improve(
    context: typer.Context,
    *,
    cases: CaseOptions,
    model: Learner = "tree",
    rounds: Rounds = 100,
    protocol: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="Folds on which the remedies are compared: 5x5, 10x10, 10fold.",
            rich_help_panel=METHOD,
        ),
    ] = "5x5",
    test: Annotated[
        Text,
        typer.Option(
            metavar="FILE",
            help="New cases with the same columns: are they harder than the others (drift), and which columns moved?",
            rich_help_panel=METHOD,
        ),
    ] = None,
    remedies: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Remedies to try, whatever was found: missing_values, encoding, scaling, selection, regularisation, "
            "flexibility, linear_model, bagging, forest, interactions, boosting, gradient_boosting, random_forest, "
            "kernel_machine, stacking, class_weights, oversampling, calibration.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    fitting: Fitting,
    outputs: OfImprovement,
) -> None:
    """Find out why a model errs, try remedies, and measure their gains."""
    if cases.target is None:
        cases.list_columns(context, "--model tree")
        return
    names = None if remedies is None else names_in(remedies, "--remedies")
    plan = ImproveOptions(model, rounds, protocol, names, fitting)
    outputs.refuse_unwritable(*filter(None, (cases.file, test)), fitting.store)
    with waiting(f"reading {cases.file}"):
        data = cases.read(fitting.estimating.missing)
        new = None if test is None else _new_cases(replace(cases, file=test), data, fitting)
    with one_line_warnings():
        found = plan.carry_out(data, cases.positive, new)
    deliver_improvement(found, outputs, data_of([cases.file]))


def _new_cases(cases: CaseOptions, known: TrainingData, fitting: Fitting) -> TrainingData:
    """The cases of `--test`, with the features of the others in their order."""
    new = cases.read(fitting.estimating.missing, is_new=True)
    wanted, there = known.features.column_names, new.features.column_names
    if lacking := [name for name in wanted if name not in there]:
        raise InputError(
            f"{cases.file} (--test) lacks {listing(lacking)}: new cases need the columns of the others."
        )
    return replace(new, features=new.features.select(wanted))


@dataclass(frozen=True)
class ImproveOptions:
    """What to do with the cases, as on the command line."""

    model: str
    rounds: int
    protocol: str
    remedies: list[str] | None
    fitting: Fitting

    def carry_out(
        self, data: TrainingData, positive: str | None, new: TrainingData | None = None
    ) -> Improvement:
        """Improve the model on the data, with progress on standard error; `new` cases are held against them."""
        from classay.columns import code_labels
        from classay.improving.improving import improve
        from classay.report.progress import Progress
        from classay.resampling.models import models_named

        X = data.frame()
        labels = code_labels(data.target, "the target").labels
        with Progress() as progress:
            return improve(
                models_named([self.model], X),
                X,
                data.target,
                rounds=self.rounds,
                protocol=self.protocol,
                remedies=self.remedies,
                positive=None if positive is None else typed(positive, labels),
                cluster=data.cluster,
                test=new and (new.frame(), new.target, *([] if new.cluster is None else [new.cluster])),
                **self.fitting.arguments(),
                progress=progress,
                remarks=remarks_on(data),
            )


def deliver_improvement(found: Improvement, outputs: Outputs, data: str = "") -> None:
    """Write an improvement to the terminal, with what the remedies cost, and wherever it was asked for."""
    from classay.report.results.improvements import times_of, with_costs
    from classay.report.results.parts import json_text

    shown: Callable[[], Document] = lambda: with_costs(found.document(), found).on(data)  # noqa: E731
    made = replace(
        Made.of(found, data), shown=shown, times=lambda: json_text(times_of(found)), save=found.save
    )
    outputs.deliver(made)


EXAMPLE_OF_DECOMPOSE = (
    "Example: classay decompose cases.csv --target y --model tree --over max_depth --values 1,2,4,8,16"
)
TrainingSets = Literal["bootstrap", "subsample", "disjoint"]
WORDS = {"none": None, "true": True, "false": False}
"""Values of parameters that are neither numbers nor texts."""


@dataclass(frozen=True)
class ClusteredFile(TrainingFile):
    """The same options, with clusters."""

    cluster: options.Cluster = None


@guarded
def decompose(
    context: typer.Context,
    *,
    cases: ClusteredFile,
    model: options.Learner = "tree",
    over: Annotated[
        Text,
        typer.Option(
            metavar="PARAMETER",
            help="A parameter of the model, such as max_depth, n_neighbors or C, or `size`, of the training sets.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    values: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Its values, in the order of the picture: numbers, words, none, true, false.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    loss: Annotated[
        Loss,
        typer.Option(
            metavar="LOSS",
            help=f"{options.words(Loss)}; the last two are of the probabilities.",
            rich_help_panel=METHOD,
        ),
    ] = "0-1",
    rounds: options.Rounds = 100,
    sampling: Annotated[
        TrainingSets,
        typer.Option(
            metavar="METHOD",
            help=f"{options.words(TrainingSets)}: how training sets are drawn from the cases.",
            rich_help_panel=METHOD,
        ),
    ] = "bootstrap",
    size: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Cases of a training set (clusters with --cluster), or a share of those there are.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    fitting: Fitting,
    outputs: OfDecomposition,
) -> None:
    """Take the loss of a model apart: bias and variance, also over a parameter, from simple to complex."""
    if cases.target is None:
        cases.list_columns(context, "--model tree --over max_depth --values 1,2,4,8,16")
        return
    plan = DecomposeOptions(model, over, values_in(over, values), loss, rounds, sampling, size, fitting)
    outputs.refuse_unwritable(cases.file, fitting.store)
    with waiting(f"reading {cases.file}"):
        data = cases.read(fitting.estimating.missing)
    for _, text in remarks_on(data):
        print(clean(f"note: {text}"), file=sys.stderr)
    with one_line_warnings(), output_to_errors():
        found = plan.carry_out(data)
    outputs.deliver(replace(Made.of(found, data_of([cases.file])), save=found.save))


@dataclass(frozen=True)
class DecomposeOptions:
    """What to do with the cases, as on the command line."""

    model: str
    over: str | None
    values: list[Any]
    loss: Loss
    rounds: int
    sampling: TrainingSets
    size: float | None
    fitting: Fitting

    def carry_out(self, data: TrainingData) -> Decomposition | DecompositionPath:
        """Take the loss apart, with progress on standard error."""
        from classay.improving.decomposing import decompose
        from classay.improving.learning_curve import SIZE, decompose_over
        from classay.report.progress import Progress
        from classay.resampling.models import models_named

        if self.size is not None and self.over == SIZE:
            raise InputError("--size and --over size both say how large training sets are: leave --size out.")
        X = data.frame()
        size = {} if self.size is None else {"size": whole_or_share(self.size)}
        with Progress() as progress:
            how: dict[str, Any] = {
                "loss": self.loss,
                "rounds": self.rounds,
                "sampling": self.sampling,
                "cluster": data.cluster,
                "progress": progress,
                **size,
                **self.fitting.arguments(),
            }
            models = models_named([self.model], X)
            if self.over is None:
                return decompose(models, X, data.target, **how)
            return decompose_over(models, X, data.target, parameter=self.over, values=self.values, **how)


def whole_or_share(size: float) -> int | float:
    """A number of cases as a whole number, a share as it is."""
    return int(size) if size == int(size) else size


def values_in(over: str | None, values: str | None) -> list[Any]:
    """The values of a parameter from the text of an option: numbers, none, true and false, else words.

    >>> values_in("max_depth", "1, 2,0.5,none,entropy")
    [1, 2, 0.5, None, 'entropy']
    """
    if (over is None) != (values is None):
        raise InputError(
            f"{'--over' if values is None else '--values'} is given alone: name a parameter with --over and its values "
            "with --values, as in --over max_depth --values 1,2,4,8."
        )
    return [] if values is None else [_value(each) for each in names_in(values, "--values") or ()]


def _value(text: str) -> Any:
    if text.casefold() in WORDS:
        return WORDS[text.casefold()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


EXAMPLE_OF_ENSEMBLE = (
    "Example: classay ensemble cases.csv --target y --of bagging,forest,boosting,stacking --html page.html"
)


@guarded
def ensemble(
    context: typer.Context,
    *,
    cases: TrainingFile,
    of: Annotated[
        str,
        typer.Option(
            "--of",
            metavar="A,B,…",
            help="bagging, forest, extra_trees, boosting (AdaBoost of stumps), gradient_boosting, stacking (of a tree, "
            "a logistic regression, naive Bayes and neighbours).",
            rich_help_panel=METHOD,
        ),
    ] = "bagging,forest,boosting,stacking",
    members: Annotated[
        int, typer.Option(metavar="N", help="Members of each, but of stacking.", rich_help_panel=METHOD)
    ] = 100,
    test: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of the cases to test on, by class.",
            show_default="1/3",
            rich_help_panel=METHOD,
        ),
    ] = 1 / 3,
    estimating: EstimatingLearners,
    outputs: Outputs,
) -> None:
    """Fit ensembles to a file of cases: errors over the number of members, margins, agreement, rounds of boosting."""
    if cases.target is None:
        cases.list_columns(context, "--of bagging,forest,boosting,stacking")
        return
    outputs.refuse_unwritable(cases.file)
    with waiting(f"reading {cases.file}"):
        data = cases.read(estimating.missing)
    for _, text in remarks_on(data):
        print(clean(f"note: {text}"), file=sys.stderr)
    from classay.ensembles import assess_all

    with one_line_warnings(), output_to_errors(), waiting("fitting"):
        found = assess_all(
            data.frame(),
            data.target,
            of=names_in(of, "--of"),
            members=members,
            test=test,
            level=estimating.level,
            seed=estimating.seed,
        )
    outputs.deliver(Made.of(found, data_of([cases.file])))
