"""How a command ends that was to judge: 0 passed, 1 failed, 3 cannot tell."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from classay.inference.requirements import Outcome, Verdict
from classay.texts import clean

EXIT = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.UNDECIDED: 3}


def end_with(outcomes: Sequence[Outcome]) -> None:
    """Say on standard error how each requirement came out, and end with the exit code of all."""
    for each in outcomes:
        print(clean(str(each)), file=sys.stderr)
    code = EXIT[Verdict.of(each.verdict for each in outcomes)]
    if code:
        raise typer.Exit(code)
