"""`classay raters`: agreement of the labels of several raters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from classay.cli import options
from classay.cli.failures import end_with, guarded, one_line_warnings
from classay.cli.lists import columns_of, declared_names, names_in
from classay.cli.options import METHOD, FileOptions, Text, column_option, list_option, save_option
from classay.cli.outputs import OutputOptions, Rendering, data_of, show_saved, waiting
from classay.columns.labels import WrittenLabel
from classay.errors import InputError
from classay.raters.reading import Scale, matching
from classay.texts import listed

EXAMPLE = "Example: classay raters labels.csv --case item --rater rater --label y"


@dataclass(frozen=True)
class OfAgreement(OutputOptions):
    """Outputs of an agreement of raters: also its saved file."""

    save: Annotated[Text, save_option("Save the table of ratings.")] = None


@dataclass(frozen=True)
class RatingColumns:
    """The columns of ratings: a row for each rating, or a column for each rater."""

    case: Annotated[Text, column_option("Case of a row, if a row is a rating.")] = None
    rater: Annotated[Text, column_option("Rater of a row, if a row is a rating.")] = None
    label: Annotated[Text, column_option("Label of a row, if a row is a rating.")] = None
    raters: Annotated[
        Text,
        list_option("Columns of the raters, if a row is a case, such as ann,bob or 'r_*'."),
    ] = None

    @property
    def roles(self) -> dict[str, str]:
        """The columns of rows of ratings by what they are."""
        named = {"case": self.case, "rater": self.rater, "label": self.label}
        return {role: name for role, name in named.items() if name is not None}

    def read(self, file: str, reading: FileOptions, scale: Scale | None) -> tuple[Any, list[str] | None]:
        """Return the columns of the file, and the columns of raters; those of an interval scale are read as numbers."""
        roles, wide = self.roles, names_in(self.raters, "--raters")
        if roles and wide:
            raise InputError(
                "Rows (--case, --rater and --label) and columns (--raters) of ratings cannot be combined. Use one of "
                "them."
            )
        if not wide and len(roles) < 3:
            missing = [f"--{role}" for role in ("case", "rater", "label") if role not in roles]
            more = "" if roles else ", or the columns of raters with --raters"
            raise InputError(f"Name the columns of {listed(missing)}{more}. {columns_of(file, reading)}")
        if wide:
            names = matching(wide, reading.column_names(file))
            classes = [] if scale == "interval" else names
            return reading.table(file, names, classes, classes), names
        names = [*dict.fromkeys(roles.values())]
        classes = [] if scale == "interval" else [roles["label"]]
        return reading.table(file, names, [roles["case"], roles["rater"], *classes], classes), None


@guarded
def raters(
    file: options.File,
    *,
    columns: RatingColumns,
    labels: Annotated[Text, list_option("All categories, including categories without ratings.")] = None,
    order: options.Order = None,
    scale: Annotated[
        Scale | None,
        typer.Option(
            help="Whether labels are names, ordered or numbers. Adds alpha and AC2 of the chosen scale. Default: "
            "nominal, or ordinal with --order.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    level: options.Level = 0.95,
    require: options.Require = None,
    reading: FileOptions,
    outputs: OfAgreement,
) -> None:
    """Estimate the agreement of several raters without true labels."""
    from classay.raters.agreement import rater_agreement

    outputs.refuse_unwritable(file)
    if order is not None and scale in ("nominal", "interval"):
        raise InputError(f"--order has no effect with --scale {scale}. Remove one of the two.")
    declared = [WrittenLabel(name) for name in declared_names(labels, order)] or None
    with waiting("reading"):
        frame, wide = columns.read(file, reading, scale)
    with waiting("estimating"), one_line_warnings():
        agreement = rater_agreement(
            frame,
            **columns.roles,
            raters=wide,
            labels=declared,
            scale=scale or ("nominal" if order is None else "ordinal"),
            level=level,
        )
        outcomes = [outcome for text in require or () for outcome in agreement.check(text)]
    outputs.deliver(Rendering.of(agreement, data_of([file]), outcomes))
    end_with(outcomes)


def show_again(file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Show a saved agreement of raters."""
    from classay.raters.agreement import RaterAgreement

    show_saved(RaterAgreement.load(file), "the agreement of raters", file, measures, outputs)
