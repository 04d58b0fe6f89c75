"""`classay improve`: read a file of cases, find out why a model errs, and try what may help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli.commands.evaluate import Cases, one_line_warnings, remarks_on, typed
from classay.cli.failures import guarded
from classay.cli.lists import names_in
from classay.cli.options import METHOD, Fitting, Text
from classay.cli.outputs import Made, OfImprovement, Outputs, waiting

if TYPE_CHECKING:
    from classay.improving.remedies.improvement import Improvement
    from classay.report.document import Document
    from classay.sources.training import TrainingData

EXAMPLE = "Example: classay improve cases.csv --target y --model tree --html page.html"


@guarded
def improve(
    context: typer.Context,
    *,
    cases: Cases,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="tree, logistic, knn, forest, any other that `evaluate` knows, or pkg.module:estimator.",
            rich_help_panel=METHOD,
        ),
    ] = "tree",
    rounds: Annotated[
        int,
        typer.Option(
            metavar="N", help="Training sets that bias and variance are taken from.", rich_help_panel=METHOD
        ),
    ] = 100,
    protocol: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help="Folds on which the remedies are compared: 10x10, 5x5, 10fold.",
            rich_help_panel=METHOD,
        ),
    ] = "10x10",
    remedies: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Remedies to try, whatever was found: bagging, forest, regularisation, flexibility, interactions, "
            "boosting, gradient_boosting, stacking, class_weights, oversampling.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    fitting: Fitting,
    outputs: OfImprovement,
) -> None:
    """Find out why a model errs, try what may help, and say what it brought."""
    if cases.target is None:
        cases.list_columns(context, "--model tree")
        return
    names = None if remedies is None else names_in(remedies, "--remedies")
    plan = Plan(model, rounds, protocol, names, fitting)
    outputs.refuse_unwritable(cases.file, fitting.store)
    with waiting(f"reading {cases.file}"):
        data = cases.read(fitting.estimating.missing)
    with one_line_warnings():
        found = plan.carry_out(data, cases.positive)
    deliver(found, outputs)


@dataclass(frozen=True)
class Plan:
    """What to do with the cases, as on the command line."""

    model: str
    rounds: int
    protocol: str
    remedies: list[str] | None
    fitting: Fitting

    def carry_out(self, data: TrainingData, positive: str | None) -> Improvement:
        """Improve the model on the data, with progress on standard error."""
        from classay.columns import code_labels
        from classay.improving.remedies.improving import improve
        from classay.report.progress import Progress
        from classay.resampling.fit.models import models_named

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
                **self.fitting.arguments(),
                progress=progress,
                remarks=remarks_on(data),
            )


def deliver(found: Improvement, outputs: Outputs) -> None:
    """Write an improvement to the terminal, with what the remedies cost, and wherever it was asked for."""
    from classay.report.contract.improving.improvement import times_of
    from classay.report.contract.writer import json_text
    from classay.report.documents.improving.improvement import with_costs

    shown: Callable[[], Document] = lambda: with_costs(found.document(), found)  # noqa: E731
    made = replace(Made.of(found), shown=shown, times=lambda: json_text(times_of(found)), save=found.save)
    outputs.deliver(made)
