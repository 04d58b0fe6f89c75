"""`classay improve` and `classay decompose`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from classay.cli import options
from classay.cli.failures import guarded, one_line_warnings, output_to_errors
from classay.cli.lists import names_in
from classay.cli.options import METHOD, Fitting, Learner, Rounds, Text
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.columns.values import listing
from classay.errors import InputError
from classay.improving.loss_parts import Loss
from classay.resampling.commands import CaseOptions, TrainingFile, remarks_on, typed
from classay.texts import clean

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition
    from classay.improving.improvement import Improvement
    from classay.improving.learning_curve import DecompositionPath
    from classay.report.document import Document
    from classay.sources.files import TrainingData


WORDS_OF_KINDS = {
    "decomposition": "a decomposition",
    "decomposition_path": "a path of decompositions",
    "learning_curve": "a learning curve",
    "improvement": "an improvement",
}
"""The kinds of saved files, in errors."""


@dataclass(frozen=True)
class OfImprovement(OutputOptions):
    """Outputs of an improvement: also its saved file, and the times of its fits."""

    save: Annotated[Text, options.save_option("Save the results with all predictions.")] = None
    times: options.Times = None


@dataclass(frozen=True)
class OfDecomposition(OutputOptions):
    """Outputs of a decomposition: also its saved file."""

    save: Annotated[Text, options.save_option("Save the votes that it is computed from.")] = None


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
            help="Protocol of the folds on which remedies are compared, such as 5x5, 10x10 or 10fold.",
            rich_help_panel=METHOD,
        ),
    ] = "5x5",
    test: Annotated[
        Text,
        typer.Option(
            metavar="FILE",
            help="New cases with the same columns, to check for drift: a higher error rate and changed columns.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    remedies: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Remedies to try, whatever was found: missing_values, encoding, scaling, selection, "
            "regularisation, flexibility, linear_model, bagging, forest, interactions, boosting, "
            "gradient_boosting, random_forest, kernel_machine, stacking, class_weights, oversampling, "
            "calibration.",
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
        improvement = plan.carry_out(data, cases.positive, new)
    deliver_improvement(improvement, outputs, data_of([cases.file]))


def _new_cases(cases: CaseOptions, known: TrainingData, fitting: Fitting) -> TrainingData:
    """Return the cases of `--test`, with the features of the others in their order."""
    new = cases.read(fitting.estimating.missing, is_new=True)
    wanted, there = known.features.column_names, new.features.column_names
    if lacking := [name for name in wanted if name not in there]:
        raise InputError(
            f"{cases.file} (--test) has no column {listing(lacking)}. Use new cases with all columns of the "
            "other cases."
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
        from classay.resampling.models import models_named
        from classay.resampling.results_of_progress import Progress

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
                positive=typed(positive, labels),
                cluster=data.cluster,
                test=new and (new.frame(), new.target, *([] if new.cluster is None else [new.cluster])),
                **self.fitting.arguments(),
                progress=progress,
                remarks=remarks_on(data),
            )


def deliver_improvement(improvement: Improvement, outputs: OutputOptions, data: str = "") -> None:
    """Write an improvement to the terminal, with what the remedies cost, and wherever it was asked for."""
    from classay.improving.results_of_improvement import times_of, with_costs
    from classay.report.results.parts import json_text

    shown: Callable[[], Document] = lambda: with_costs(improvement.document(), improvement).on(data)  # noqa: E731
    rendering = replace(
        Rendering.of(improvement, data),
        shown=shown,
        times=lambda: json_text(times_of(improvement)),
        save=improvement.save,
    )
    outputs.deliver(rendering)


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
            help="A parameter of the model, such as max_depth, n_neighbors or C, or `size` for the training-set "
            "size.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    values: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Values to try, in the order of the picture: numbers, words, none, true or false.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    loss: Annotated[
        Loss,
        typer.Option(
            metavar="LOSS",
            help=f"{options.words(Loss)}. The last two use the predicted probabilities.",
            rich_help_panel=METHOD,
        ),
    ] = "0-1",
    rounds: options.Rounds = 100,
    sampling: Annotated[
        TrainingSets,
        typer.Option(
            metavar="METHOD",
            help=f"{options.words(TrainingSets)}: method of drawing training sets from the cases.",
            rich_help_panel=METHOD,
        ),
    ] = "bootstrap",
    size: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Cases (clusters with --cluster) of a training set, or their share.",
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
        decomposition = plan.carry_out(data)
    outputs.deliver(Rendering.of(decomposition, data_of([cases.file])))


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
        from classay.resampling.models import models_named
        from classay.resampling.results_of_progress import Progress

        if self.size is not None and self.over == SIZE:
            raise InputError(
                "--size and --over size cannot be combined, because both set the training-set size. Remove "
                "--size."
            )
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
    """Return a number of cases as a whole number, a share as it is."""
    return int(size) if size == int(size) else size


def values_in(over: str | None, values: str | None) -> list[Any]:
    """Return the values of a parameter from the text of an option: numbers, none, true and false, else words.

    >>> values_in("max_depth", "1, 2,0.5,none,entropy")
    [1, 2, 0.5, None, 'entropy']
    """
    if (over is None) != (values is None):
        raise InputError(
            f"{('--over' if values is None else '--values')} needs "
            f"{('--values' if values is None else '--over')} too. Use both, for example --over max_depth "
            "--values 1,2,4,8."
        )
    return [] if values is None else [_value(text) for text in names_in(values, "--values") or ()]


def _value(text: str) -> Any:
    if text.casefold() in WORDS:
        return WORDS[text.casefold()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def show_again(file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Show a saved decomposition, path, learning curve or improvement."""
    from classay.assessment.restoring import kind_of
    from classay.improving.improvement import Improvement
    from classay.saved_results import load

    what = WORDS_OF_KINDS[kind_of(file) or ""]
    if measures is not None:
        raise InputError(
            f"--measures has no effect on {what} ({file}), because its measures are already chosen. Remove "
            "--measures."
        )
    saved_result = load(file)
    if isinstance(saved_result, Improvement):
        deliver_improvement(saved_result, outputs, data_of([file]))
        return
    if outputs.times is not None:
        raise InputError(
            f"--times has no effect on {what} ({file}), because it has no times. Remove --times."
        )
    outputs.deliver(Rendering.of(saved_result, data_of([file])))
