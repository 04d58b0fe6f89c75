"""`classay decompose`: take the loss of a model apart, also at each value of one of its parameters."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from classay.cli import options
from classay.cli.commands.evaluate import TrainingFile, remarks_on
from classay.cli.failures import guarded, one_line_warnings, output_to_errors
from classay.cli.lists import names_in
from classay.cli.options import METHOD, Fitting, Text
from classay.cli.outputs import Made, OfDecomposition, data_of, waiting
from classay.errors import InputError
from classay.improving.loss_parts import Loss
from classay.texts import clean

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition
    from classay.improving.learning_curve import DecompositionPath
    from classay.sources.files import TrainingData

EXAMPLE = "Example: classay decompose cases.csv --target y --model tree --over max_depth --values 1,2,4,8,16"
TrainingSets = Literal["bootstrap", "subsample", "disjoint"]
WORDS = {"none": None, "true": True, "false": False}
"""Values of parameters that are neither numbers nor texts."""


@dataclass(frozen=True)
class ClusteredFile(TrainingFile):
    """The same, with clusters."""

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
