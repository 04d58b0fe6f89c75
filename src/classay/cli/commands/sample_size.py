"""`classay sample-size`: how many cases a test needs, and what so many cases give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli.failures import guarded
from classay.cli.given import OptionsOnce
from classay.cli.options import Json

if TYPE_CHECKING:
    from classay.inference.sizes import SampleSize

sample_size = typer.Typer(
    name="sample-size",
    help="How many cases a test needs: for an interval's half-width, for a power, or to rule out failures. "
    "With --cases: what that many cases give.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Level = Annotated[float, typer.Option(help="Level of the interval or test.")]
HalfWidth = Annotated[float | None, typer.Option(help="Half-width that the interval may have, such as 0.05.")]
Power = Annotated[
    float | None, typer.Option(help="Power that the test should have; 0.8 where no --cases are given.")
]
Cases = Annotated[
    int | None,
    typer.Option(help="The number of cases at hand: shows the precision or power that they give."),
]


@sample_size.command(cls=OptionsOnce)
@guarded
def proportion(
    half_width: HalfWidth = None,
    expected: Annotated[
        float | None, typer.Option(help="Expected proportion; the worst, 0.5, if unknown.")
    ] = None,
    prevalence: Annotated[
        float | None, typer.Option(help="For recall: the share of positives among all cases.")
    ] = None,
    cases: Cases = None,
    level: Level = 0.95,
    json: Json = None,
) -> None:
    """Cases for a Wilson interval of a proportion: accuracy, recall (with --prevalence), precision."""
    from classay.inference.sizes import for_class_rate, for_proportion

    if prevalence is None:
        _show(for_proportion(half_width, expected, cases=cases, level=level), json)
    else:
        _show(for_class_rate(half_width, prevalence, expected, cases=cases, level=level), json)


@sample_size.command(cls=OptionsOnce)
@guarded
def auc(
    auc: Annotated[float, typer.Option(help="Expected ROC AUC.")],
    half_width: HalfWidth = None,
    prevalence: Annotated[float, typer.Option(help="Share of positives among all cases.")] = 0.5,
    cases: Cases = None,
    level: Level = 0.95,
    json: Json = None,
) -> None:
    """Cases for an interval of the ROC AUC (Hanley-McNeil)."""
    from classay.inference.sizes import for_auc

    _show(for_auc(auc, half_width, prevalence, cases=cases, level=level), json)


@sample_size.command("auc-difference", cls=OptionsOnce)
@guarded
def auc_difference(
    first: Annotated[float, typer.Option(help="Expected ROC AUC of the classifier in use.")],
    second: Annotated[float, typer.Option(help="Expected ROC AUC of the other.")],
    correlation: Annotated[
        float | None,
        typer.Option(
            help="Correlation of the two AUCs on the same cases, often 0.3 to 0.7; without it, each has its own cases."
        ),
    ] = None,
    prevalence: Annotated[float, typer.Option(help="Share of positives among all cases.")] = 0.5,
    power: Power = None,
    cases: Cases = None,
    level: Level = 0.95,
    json: Json = None,
) -> None:
    """Cases for a test of two ROC AUCs, on the same cases or each on its own (Obuchowski)."""
    from classay.inference.sizes import for_auc_difference

    found = for_auc_difference(first, second, correlation, prevalence, power, cases=cases, level=level)
    _show(found, json)


@sample_size.command(cls=OptionsOnce)
@guarded
def mcnemar(
    first_only: Annotated[
        float, typer.Option(help="Share of cases that only the first classifier gets right.")
    ],
    second_only: Annotated[float, typer.Option(help="Share of cases that only the second gets right.")],
    power: Power = None,
    cases: Cases = None,
    level: Level = 0.95,
    json: Json = None,
) -> None:
    """Cases for McNemar's test of two classifiers on the same cases (Connor)."""
    from classay.inference.sizes import for_mcnemar

    _show(for_mcnemar(first_only, second_only, power, cases=cases, level=level), json)


@sample_size.command("zero-failures", cls=OptionsOnce)
@guarded
def zero_failures(
    rate: Annotated[float | None, typer.Option(help="Failure rate to rule out.")] = None,
    cases: Cases = None,
    level: Level = 0.95,
    json: Json = None,
) -> None:
    """Cases that, if all go well, show a failure rate below a bound (one-sided)."""
    from classay.inference.sizes import for_no_failures

    _show(for_no_failures(rate, cases=cases, level=level), json)


def _show(found: SampleSize, json: str | None) -> None:
    from dataclasses import asdict
    from json import dumps

    from classay.cli.outputs import Made, Outputs

    outputs = Outputs(json=json)
    outputs.refuse_unwritable()
    made = dumps(asdict(found), indent=2, allow_nan=False) + "\n"
    outputs.deliver(Made(shown=str(found).splitlines, json=lambda: made))
