"""`classay decide`: from scores to a threshold, what it costs, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.cli import options
from classay.cli.commands.assess import Rows
from classay.cli.costs import costs_in
from classay.cli.failures import guarded
from classay.cli.options import COLUMNS, METHOD
from classay.cli.outputs import Made, Outputs, waiting
from classay.errors import InputError
from classay.sources.inputs import Format

if TYPE_CHECKING:
    from classay.decision.costs import Costs

EXAMPLE = "Example: classay decide payments.csv --truth fraud --score p --cost fn=amount --cost fp=3"


@guarded
def decide(
    file: options.File,
    truth: Annotated[str, typer.Option(metavar="COL", help="True labels.", rich_help_panel=COLUMNS)],
    score: Annotated[
        list[str],
        typer.Option(
            metavar="COL",
            help="Scores of the positive class. Repeatable: which model at which costs.",
            rich_help_panel=COLUMNS,
        ),
    ],
    positive: options.Positive = None,
    weight: options.Weight = None,
    frequency: options.Frequency = None,
    cluster: options.Cluster = None,
    format: options.FileFormat = None,
    delimiter: options.Delimiter = None,
    cost: options.Cost = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="What the threshold has to keep, as in 'fpr <= 0.01'.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    maximize: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The measure to make great, without a cost: recall, youden, f_beta(2), net_benefit(0.1).",
            rich_help_panel=METHOD,
        ),
    ] = None,
    minimize: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The measure to make small, such as rate_gap.", rich_help_panel=METHOD
        ),
    ] = None,
    top: Annotated[
        float | None,
        typer.Option(metavar="N", help="How many cases may be called positive.", rich_help_panel=METHOD),
    ] = None,
    prevalence: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="The share of positives where the threshold will be used, such as 0.01.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    missing: options.MissingLabels = "refuse",
    json: options.Json = None,
    html: options.Html = None,
    latex: options.Latex = None,
    markdown: options.Markdown = None,
) -> None:
    """Choose a threshold by what errors cost, a condition or a capacity; of several scores, say which is best where."""
    wanted = Wanted(tuple(cost or ()), where, maximize, minimize, top, prevalence)
    rows = Source(file, truth, tuple(score), positive, weight, frequency, cluster, format, delimiter)
    outputs = Outputs(json=json, html=html, latex=latex, markdown=markdown)
    run(rows, wanted, outputs, level=level, seed=seed, missing=missing)


@dataclass(frozen=True)
class Source:
    """Where the rows are and what their columns mean, as texts from the command line."""

    file: str
    truth: str
    scores: tuple[str, ...]
    positive: str | None
    weight: str | None
    frequency: str | None
    cluster: str | None
    format: Format | None
    delimiter: str | None

    def rows(self) -> Rows:
        """The rows of the first score."""
        return Rows(
            self.file,
            self.truth,
            score=self.scores[0],
            positive=self.positive,
            weight=self.weight,
            frequency=self.frequency,
            cluster=self.cluster,
            format=self.format,
            delimiter=self.delimiter,
        )

    def columns(self, names: list[str]) -> dict[str, Any]:
        """Further columns of the file."""
        from classay.sources.files import read_table

        table = read_table(self.file, names, format=self.format, delimiter=self.delimiter)
        return {name: table[name] for name in names}


@dataclass(frozen=True)
class Wanted:
    """What the threshold is to do, as texts from the command line."""

    cost: tuple[str, ...]
    where: str | None
    maximize: str | None
    minimize: str | None
    top: float | None
    prevalence: float | None

    def costs(self) -> Costs | None:
        """The costs, or None where none are given."""
        return costs_in(self.cost)


def run(source: Source, wanted: Wanted, outputs: Outputs, *, level: float, seed: int, missing: Any) -> None:
    """Decide, and write every output asked for."""
    from classay.assessment.assessing import assess
    from classay.decision.rules import Rule

    costs = wanted.costs()
    several = len(source.scores) > 1
    if not several:
        Rule.of(
            costs, wanted.where, wanted.maximize, wanted.minimize, wanted.top
        )  # what is wrong is said at once
    outputs.refuse_unwritable(source.file)
    with waiting(f"reading {source.file}"):
        arguments = {
            name: each for name, each in source.rows().arguments().items() if name not in ("by", "id")
        }
        names = [] if costs is None else list(costs.names)
        names += [name for name in source.scores[1:] if name not in names]
        columns = source.columns(names) if names else {}
    title = "standard input" if source.file == "-" else Path(source.file).name
    if several:
        _several(
            source, wanted, outputs, arguments, columns, {"level": level, "seed": seed, "missing": missing}
        )
        return
    if costs is not None and costs.names:
        arguments["amounts"] = {name: columns[name] for name in costs.names}
    with waiting("deciding"):
        a = assess(**arguments, level=level, seed=seed, missing=missing)
        rule: dict[str, Any] = {
            "where": wanted.where,
            "maximize": wanted.maximize,
            "minimize": wanted.minimize,
        }
        found = a.threshold(cost=costs, top=wanted.top, prevalence=wanted.prevalence, **rule)
        parts = min(10, int(a.n))
        gain = a.gain_table(parts, amount=costs.names[0] if costs is not None and costs.names else None)
    outputs.deliver(_made(found, gain, f"Decision for {title}"))


def _several(
    source: Source,
    wanted: Wanted,
    outputs: Outputs,
    arguments: dict[str, Any],
    columns: Any,
    how: dict[str, Any],
) -> None:
    from classay.decision.cost_curves import cost_curves

    given = {name: getattr(wanted, name) for name in ("where", "maximize", "minimize", "top")}
    for name, each in given.items():
        if each is not None:
            raise InputError(
                f"--{name} chooses the threshold of one score, and several are given: pass one --score."
            )
    if len({*source.scores}) < len(source.scores):
        raise InputError("--score names a column twice: name each once.")
    costs = wanted.costs()
    scores = {source.scores[0]: arguments["y_score"]} | {name: columns[name] for name in source.scores[1:]}
    own: dict[str, Any] = {
        name: arguments.get(name) for name in ("positive", "weight", "frequency", "cluster")
    }
    with waiting("deciding"):
        if costs is not None and costs.names:
            own["amounts"] = {name: columns[name] for name in costs.names}
        found = cost_curves(
            scores, arguments["y_true"], cost=costs, prevalence=wanted.prevalence, **own, **how
        )
    outputs.deliver(Made.of(found))


def _made(found: Any, gain: Any, title: str) -> Made:
    """The decision with its gain table in each form."""
    from classay.report.contract.decision import as_dict
    from classay.report.contract.writer import json_text
    from classay.report.documents.decision import document_of, with_pictures
    from classay.report.html import as_page
    from classay.report.latex import as_latex
    from classay.report.markdown import as_markdown

    def document() -> Any:
        return document_of(found, title=title, gain=gain)

    return replace(
        Made.of(found),
        shown=document,
        json=lambda: json_text(as_dict(found, gain)),
        html=lambda: as_page(with_pictures(document(), found)),
        latex=lambda: as_latex(document()),
        markdown=lambda: as_markdown(document()),
    )
