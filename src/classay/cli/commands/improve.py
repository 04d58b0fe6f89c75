"""`classay improve`: read a file of cases, find out why a model errs, and try what may help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli.commands.evaluate import CaseOptions, remarks_on, typed
from classay.cli.failures import guarded, one_line_warnings
from classay.cli.lists import names_in
from classay.cli.options import METHOD, Fitting, Learner, Rounds, Text
from classay.cli.outputs import Made, OfImprovement, Outputs, data_of, waiting
from classay.columns.values import listing
from classay.errors import InputError

if TYPE_CHECKING:
    from classay.improving.improvement import Improvement
    from classay.report.document import Document
    from classay.sources.files import TrainingData

EXAMPLE = "Example: classay improve cases.csv --target y --model tree --html page.html"


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
    deliver(found, outputs, data_of([cases.file]))


def _new_cases(cases: CaseOptions, known: TrainingData, fitting: Fitting) -> TrainingData:
    """The cases of `--test`, with the features of the others in their order."""
    new = cases.read(fitting.estimating.missing)
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
                test=None if new is None else (new.frame(), new.target),
                **self.fitting.arguments(),
                progress=progress,
                remarks=remarks_on(data),
            )


def deliver(found: Improvement, outputs: Outputs, data: str = "") -> None:
    """Write an improvement to the terminal, with what the remedies cost, and wherever it was asked for."""
    from classay.report.results.improvement import times_of, with_costs
    from classay.report.results.parts import json_text

    shown: Callable[[], Document] = lambda: with_costs(found.document(), found).on(data)  # noqa: E731
    made = replace(
        Made.of(found, data), shown=shown, times=lambda: json_text(times_of(found)), save=found.save
    )
    outputs.deliver(made)
