"""`classay sets`: prediction sets assessed, or two methods compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from classay.cli import options
from classay.cli.failures import end_with, guarded, one_line_warnings
from classay.cli.lists import columns_of, declared_names, names_in
from classay.cli.options import COLUMNS, METHOD, FileOptions, Text, column_option, list_option, save_option
from classay.cli.outputs import OutputOptions, Rendering, data_of, show_saved, waiting
from classay.columns.labels import WrittenLabel
from classay.errors import InputError
from classay.multilabel.tag_columns import Place, places_of_tags

EXAMPLE = "Example: classay sets p.csv --truth y --set labels --separator '|' --target 0.9 --calibration 500"


@dataclass(frozen=True)
class OfSets(OutputOptions):
    """Outputs of an assessment of sets: also its saved file."""

    save: Annotated[Text, save_option("Save the table of sets.")] = None


@dataclass(frozen=True)
class SetColumns:
    """The columns of true labels, sets and groups."""

    truth: Annotated[Text, column_option("True labels.")] = None
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="COL",
            help="Sets: a column of lists, a column of text with --separator, or Boolean columns with a star for the "
            "label, such as 'in_*'. Repeat it to compare two methods.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    separator: Annotated[
        Text,
        typer.Option(
            metavar="TEXT", help="Text between the labels of a set, such as '|'.", rich_help_panel=COLUMNS
        ),
    ] = None
    by: Annotated[Text, column_option("Column of groups.")] = None

    def read(self, file: str, reading: FileOptions) -> tuple[Any, dict[str, Any], Any]:
        """Return the true labels, the sets by name, and the groups. Raises InputError for columns that are missing."""
        named = self.set or []
        if self.truth is None or not named:
            missing = " and ".join(
                option for option, value in (("--truth", self.truth), ("--set", named)) if not value
            )
            raise InputError(f"Name the columns of {missing}. {columns_of(file, reading)}")
        if len(named) > 2 or len({*named}) < len(named):
            raise InputError(
                f"--set is given {len(named)} times. Use it once, or twice with different columns."
            )
        known = reading.column_names(file)
        places = {name: places_of_tags(known, {"--set": name}, None)["--set"] for name in named}
        of_sets = [column for place in places.values() for column in _columns_at(place)]
        if self.truth in of_sets:
            raise InputError(f"--truth and --set name the same column {self.truth!r}. Name the sets.")
        groups = names_in(self.by, "--by")
        if len(groups) > 1:
            raise InputError("--by needs one column of groups here. Name one column.")
        wanted = [*dict.fromkeys([self.truth, *of_sets, *groups])]
        table = reading.table(file, wanted, [self.truth, *groups, *self._as_labels(places)], [self.truth])
        sets = {
            name: {label: table[column] for label, column in place.items()}
            if isinstance(place, dict)
            else table[place]
            for name, place in places.items()
        }
        return table[self.truth], sets, table[groups[0]] if groups else None

    def _as_labels(self, places: dict[str, Place]) -> list[str]:
        """Return the columns of text, which are read as labels."""
        if self.separator is None:
            return []
        return [place for place in places.values() if isinstance(place, str)]


def _columns_at(place: Place) -> list[str]:
    """Return the columns of a place of sets."""
    return [*place.values()] if isinstance(place, dict) else [place]


@guarded
def sets(
    file: options.File,
    *,
    columns: SetColumns,
    labels: Annotated[
        Text, list_option("All labels of cases and sets, also those that do not occur.")
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Coverage that the sets should have.", rich_help_panel=METHOD),
    ] = None,
    calibration: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of calibration cases of the threshold. Adds the range of coverage of such thresholds, and a "
            "test of the promise.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    level: options.Level = 0.95,
    require: options.Require = None,
    reading: FileOptions,
    outputs: OfSets,
) -> None:
    """Assess prediction sets by class, group, and size, and test the promised coverage."""
    from classay.sets.comparing_sets import compare_sets
    from classay.sets.set_assessment import assess_sets

    outputs.refuse_unwritable(file)
    declared = [WrittenLabel(name) for name in declared_names(labels, None)] or None
    with waiting("reading"):
        truth, read, groups = columns.read(file, reading)
    how: dict[str, Any] = {"labels": declared, "separator": columns.separator}
    how |= {"target": target, "calibration": calibration, "level": level}
    if len(read) == 2:
        beside = {"--by": groups, "--require": require or None, "--save": outputs.save}
        for option, value in beside.items():
            if value is not None:
                raise InputError(
                    f"{option} has no effect with two methods (--set twice). Remove one of the two."
                )
        with waiting("comparing"), one_line_warnings():
            comparison = compare_sets(truth, read, **how)
        outputs.deliver(Rendering.of(comparison, data_of([file])))
        return
    with waiting("estimating"), one_line_warnings():
        a = replace(assess_sets(truth, *read.values(), by=groups, **how), by=columns.by)
        outcomes = [outcome for text in require or () for outcome in a.check(text)]
    outputs.deliver(Rendering.of(a, data_of([file]), outcomes))
    end_with(outcomes)


def show_again(file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Show a saved assessment of sets."""
    from classay.sets.set_assessment import SetAssessment

    show_saved(SetAssessment.load(file), "an assessment of sets", file, measures, outputs)
