"""Options for columns of values instead of predictions: graded cases, and results over data sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from classay.cli.failures import one_line_warnings
from classay.cli.given import OfWay
from classay.cli.lists import bounds_in, names_in
from classay.cli.options import Better, Text, column_option
from classay.cli.outputs import waiting
from classay.column_names import LOOK
from classay.errors import InputError
from classay.wings import way

if TYPE_CHECKING:
    from classay.cli.model_options import Sources
    from classay.comparison.comparisons import Comparisons

GRADED = "Given values"


@dataclass(frozen=True)
class Graded:
    """Columns of values, one for each case and model, and their bounds; another option says which end is better."""

    graded: Annotated[
        Text,
        typer.Option(
            metavar="COL,COL",
            help="Columns with a value for each case, such as a grade or a time. Compares their means.",
            rich_help_panel=GRADED,
        ),
    ] = None
    bounds: Annotated[
        Text,
        typer.Option(metavar="LOW,HIGH", help="Lowest and highest possible value.", rich_help_panel=GRADED),
    ] = None
    better: Better = "higher"

    @property
    def names(self) -> list[str]:
        """The columns."""
        return names_in(self.graded, "--graded")

    def compared(self, sources: Sources, by: str | None, test: Callable[..., Comparisons]) -> Comparisons:
        """Return the models compared by the means of their columns; `test` is `compare_values` with all other options.

        Of several files, each has the column of its model. Raises InputError for those without ids.
        """
        from classay.columns.repeats import repeated_ids
        from classay.comparison.cases.graded import with_repeats

        if by == LOOK:
            raise InputError("--by '*' cannot be used with --graded. Name the columns of groups.")
        names, roles, groups = self.names, sources.roles, names_in(by, "--by")
        beside = {name: getattr(roles, name) for name in ("weight", "frequency", "cluster")}
        wanted: list[str] = [*names, *(column for column in beside.values() if column is not None), *groups]
        ids = sources.ids(wanted)
        with waiting("reading"):
            labels = [*groups, *ids, *([roles.cluster] if roles.cluster else [])]
            if len(sources.files) > 1:
                names, frame = way("graded.files")(sources, names, wanted[len(names) :], ids, labels)
            else:
                frame = sources.read(sources.files[0], [*wanted, *ids], labels=labels)
        with waiting("comparing"), one_line_warnings(DeprecationWarning):
            comparison = test(
                {name: frame[name] for name in names},
                **{name: None if column is None else frame[column] for name, column in beside.items()},
                by={name: frame[name] for name in groups} or None,
                better=self.better,
                bounds=bounds_in(self.bounds),
            )
        return with_repeats(comparison, repeated_ids({name: frame[name] for name in ids}), frame.num_rows)


RESULTS = "Results over data sets"
OF_RESULTS = OfWay("compare.data sets")


@dataclass(frozen=True)
class ResultColumns:
    """The columns of a file of results over data sets."""

    dataset: Annotated[
        Text,
        column_option(
            "Column that names the data set, if FILE contains results over data sets.", panel=RESULTS
        ),
        OF_RESULTS,
    ] = None
    model: Annotated[
        Text,
        column_option("Column of models. Without it, every other column is a model.", panel=RESULTS),
        OF_RESULTS,
    ] = None
    value: Annotated[Text, column_option("Column of values.", panel=RESULTS), OF_RESULTS] = None
    fold: Annotated[
        Text, column_option("Column of folds, if every fold has a row.", panel=RESULTS), OF_RESULTS
    ] = None
    run: Annotated[
        Text,
        column_option(
            "Column of runs, which are averaged first. With --fold, column of repeats.", panel=RESULTS
        ),
        OF_RESULTS,
    ] = None
    better: Annotated[
        Better | None,
        typer.Option(
            help="Whether higher or lower values are better. Default: as for the measure that --value names.",
            rich_help_panel=RESULTS,
        ),
    ] = None

    def is_named(self) -> bool:
        """Whether the file holds results over data sets; refuse other columns of such a file without --dataset."""
        named = [name for name, value in asdict(self).items() if value is not None]
        if named and self.dataset is None and self.fold is None:
            raise InputError(
                f"--{named[0]} needs results over data sets. Use --dataset to name the column of data sets."
            )
        return bool(named)
