"""Columns of values that are given, of one file: how `classay compare`, `gate` and `sample-size` read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.assessment.segments import LOOK
from classay.cli.lists import names_in
from classay.cli.options import Better, Text
from classay.cli.outputs import waiting
from classay.errors import InputError

if TYPE_CHECKING:
    from classay.cli.row_options import Sources
    from classay.comparison.comparisons import Comparisons

GRADED = "Values that are given"


@dataclass(frozen=True)
class Graded:
    """Columns of values, one a case and a model, and their bounds; which end is better, another option says."""

    graded: Annotated[
        Text,
        typer.Option(
            metavar="COL,COL",
            help="Columns of values that are given for each case, such as grades or times: compare their means.",
            rich_help_panel=GRADED,
        ),
    ] = None
    bounds: Annotated[
        Text,
        typer.Option(
            metavar="LOW,HIGH", help="The least and the greatest possible grade.", rich_help_panel=GRADED
        ),
    ] = None
    better: Better = "higher"

    @property
    def names(self) -> list[str]:
        """The columns."""
        return names_in(self.graded, "--graded")

    @property
    def limits(self) -> tuple[float, float] | None:
        """The bounds as two numbers. Raises InputError for another text."""
        if self.bounds is None:
            return None
        try:
            low, high = map(float, self.bounds.split(","))
        except ValueError as error:
            raise InputError(
                f"--bounds is {self.bounds!r}: give two numbers, such as --bounds 0,1."
            ) from error
        return low, high

    def compared(self, sources: Sources, by: str | None = None, **how: Any) -> Comparisons:
        """The models compared by the means of their columns. Raises InputError for several files."""
        from classay.comparison.cases.graded import compare_values

        if len(sources.files) > 1:
            raise InputError(
                f"{len(sources.files)} files are named, and one holds all graded columns: pass it alone."
            )
        if by == LOOK:
            raise InputError(
                "--by '*' counts right answers, and --graded compares values: name the columns of groups."
            )
        names, roles, groups = self.names, sources.roles, names_in(by, "--by")
        beside = {name: getattr(roles, name) for name in ("weight", "frequency", "cluster")}
        wanted: list[str] = [*names, *(each for each in beside.values() if each is not None), *groups]
        with waiting("reading"):
            labels = [*groups, *([roles.cluster] if roles.cluster else [])]
            frame = sources.read(sources.files[0], wanted, labels=labels)
        with waiting("comparing"):
            columns: dict[str, Any] = {
                name: None if each is None else frame[each] for name, each in beside.items()
            }
            return compare_values(
                {name: frame[name] for name in names},
                **columns,
                by={name: frame[name] for name in groups} or None,
                better=self.better,
                bounds=self.limits,
                **how,
            )
