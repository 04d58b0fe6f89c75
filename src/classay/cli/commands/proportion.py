"""`classay proportion`: one share with the interval of every method."""

from __future__ import annotations

from typing import Annotated

import typer

from classay.cli import options
from classay.cli.failures import guarded
from classay.cli.outputs import Made, Outputs

EXAMPLE = "Example: classay proportion 75 100 --level 0.8"


@guarded
def proportion(
    successes: Annotated[int, typer.Argument(help="How many cases succeeded, such as correct ones.")],
    cases: Annotated[int, typer.Argument(help="How many cases there were.")],
    *,
    level: options.Level = 0.95,
    outputs: Outputs,
) -> None:
    """Show a proportion with its interval by every method, side by side."""
    from classay.inference.side_by_side import proportion as side_by_side

    outputs.refuse_unwritable()
    outputs.deliver(Made.of(side_by_side(successes, cases, level=level)))
