"""Groups of cases on the command line: `assess --by` and `--criteria`, `merge --apart` and `--trend`, `decide --by`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import typer

from classay.cli.given import FORMS, READING, refuse_others
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.column_names import LOOK
from classay.errors import InputError
from classay.groups.trends import trends_of

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.assessment.bands import Bands
    from classay.assessment.finding import Finding
    from classay.cli.commands.decide import DecisionRows, Periods, ThresholdOptions
    from classay.cli.options import Estimating
    from classay.cli.row_options import HowToAssess, RowOptions
    from classay.groups.compared_groups import GroupDifference
    from classay.groups.criteria import Criteria
    from classay.groups.segments import Segments
    from classay.groups.slices import GroupAssessments
    from classay.groups.trends import Trends
    from classay.predictions import Predictions
    from classay.report.document import Document, Section


@dataclass
class BesideGroups:
    """Groups of cases beside the assessment of all: their measures, a trend over them, criteria of equal treatment.

    Criteria are judged if `control` is given: the columns to hold fixed, of which there may be none.
    """

    slices: GroupAssessments | None
    names: list[str] | None = None
    control: Sequence[str] | None = None
    compared: list[GroupDifference] = field(default_factory=list)
    trends: Trends | None = None
    criteria: Criteria | None = None

    @property
    def parts(self) -> GroupAssessments | None:
        """The groups."""
        return self.slices

    def prepare(self) -> None:
        """Compare the groups, find their trend, and judge criteria."""
        if self.slices is None:
            return
        self.compared = self.slices.compare(*(self.names or self.slices.main_measures))
        self.trends = trends_of(self.slices, self.compared)
        self.criteria = None if self.control is None else self.slices.criteria(control=self.control)

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found of groups, periods and criteria."""
        from classay.groups.findings_groups import findings_on_criteria, findings_on_groups
        from classay.groups.findings_time import findings_on_trends

        return (
            *(() if self.slices is None else findings_on_groups(self.slices, self.compared)),
            *(() if self.trends is None else findings_on_trends(self.trends)),
            *(() if self.criteria is None else findings_on_criteria(self.criteria)),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the keys of the JSON: slices, criteria and trends, as far as there are any."""
        keys: dict[str, Any] = {}
        if self.slices is not None:
            from classay.groups.results_of_groups import of_slices

            keys["slices"] = of_slices(self.slices, self.compared)
        if self.criteria is not None:
            from classay.groups.results_of_treatment import of_criteria

            keys["criteria"] = of_criteria(self.criteria)
        if self.trends is not None:
            from classay.groups.results_of_trends import of_trends

            keys["trends"] = of_trends(self.trends)
        return keys

    def sections(self, *, drawn: bool) -> tuple[list[Section], list[Section]]:
        """Criteria; then trends and groups. Only the modules of what was asked are read."""
        leading: list[Section] = []
        others: list[Section] = []
        if self.criteria is not None:
            from classay.groups import results_of_treatment

            judge = results_of_treatment.page_sections_of if drawn else results_of_treatment.sections_of
            leading += judge(self.criteria)
        if self.trends is not None:
            from classay.groups import results_of_trends

            of_times = results_of_trends.sections_with_pictures if drawn else results_of_trends.sections_of
            others += of_times(self.trends)
        if self.slices is not None:
            from classay.groups.results_of_groups import Order, section_of

            order: Order = "worst first" if self.trends is None else "as given"
            others.append(section_of(self.slices, self.compared, order))
        return leading, others

    def led(self, document: Document) -> Document:
        """Return the document of all cases, led by the groups."""
        from classay.groups.results_of_groups import with_groups

        return document if self.slices is None else with_groups(document, self.slices, self.compared)


def assess_groups(
    checked: Predictions,
    a: Assessment,
    by: str,
    reference: str | None,
    pool: int | None,
    bands: Mapping[str, Bands] | None,
    names: list[str] | None,
    control: Sequence[str] | None,
) -> BesideGroups:
    """Return the groups of checked rows beside the assessment of all rows."""
    from classay.groups.assessing_groups import of_groups

    return BesideGroups(of_groups(checked, a, by, reference, pool, bands), names, control)


USED_OF_SEGMENTS = {
    *("file", "truth", "score", "class_scores", "prediction", "positive", "labels", "order", *READING),
    *(
        "weight",
        "frequency",
        "cluster",
        "id",
        "missing",
        "unanswered",
        "improper",
    ),  # used, or refused with the reason
    *("by", "pool", "time", "per", "matrix", "matrix_rows", "counts"),
    *("threshold", "level", "seed", "measures", *FORMS, "save", "thresholds"),
}
"""The options of `classay assess` that have a meaning beside --by '*'; its columns make no segments, --id among them.

The tests are exact, so that no seed is asked for their numbers: any gives the same.
"""


def refuse_beside_segments(context: typer.Context, rows: RowOptions, measures: list[str] | None) -> None:
    """Refuse options that the search for segments has no use for, and measures other than its own."""
    used = USED_OF_SEGMENTS.union(*(way.uses for way in rows.ways))
    refuse_others(context, used, "with --by '*'")
    for name in measures or ():
        if name != "accuracy":
            raise InputError(
                f"--measures {name} has no effect with --by '*', which compares accuracy. Remove it, or name "
                "the columns of groups with --by."
            )


def segments_of_rows(rows: RowOptions, how: HowToAssess) -> Segments:
    """Return the segment where the classifier is surely worst, of all unused columns."""
    import numpy as np

    from classay.groups.segments import columns_of, segments_of

    with waiting(f"reading {rows.path}"):
        read = rows.whole()
    searched, read = columns_of(read.by, ()), replace(read, by=None)
    with waiting("counting"), rows.naming():
        checked = read.check(how.policy, how.improper)
        size = next(iter(searched.codes.values())).size
        if checked.rows != size:
            checked = read.check(how.policy, how.improper, by=np.arange(size))
        return segments_of(checked, searched, threshold=how.cutoff, level=how.level)


@dataclass(frozen=True)
class Looking:
    """`--by '*'`: what is refused beside it, and the answer."""

    refuse: Callable[[typer.Context, RowOptions, list[str] | None], None]
    answer: Callable[[RowOptions, HowToAssess], Segments]


LOOKING = Looking(refuse_beside_segments, segments_of_rows)


def set_apart(
    merged: Assessment,
    parts: dict[Hashable, Assessment],
    reference: str | None,
    pool: int | None,
    names: list[str] | None,
) -> BesideGroups:
    """Files beside all of them together."""
    from classay.groups.slices import GroupAssessments

    slices = GroupAssessments("file", merged, parts)
    return BesideGroups((slices if pool is None else slices.pool(pool)).against(reference), names)


def trends_of_files(
    merged: Assessment,
    parts: dict[Hashable, Assessment],
    names: list[str] | None,
    option: str,
    beside: BesideGroups | None = None,
) -> BesideGroups:
    """Return the changes over files, in their order, as `option` requests. Raises InputError for fewer than three."""
    from classay.assessment.main_measures import main_measures
    from classay.groups.drift import PeriodSeries
    from classay.groups.trends import FEWEST, over_time_of

    if len(parts) < FEWEST:
        raise InputError(
            f"{option} needs at least {FEWEST} files in their order, but there are {len(parts)}."
        )
    beside = beside or BesideGroups(None)
    beside.trends = over_time_of(PeriodSeries(parts, merged), names or main_measures(merged), "file")
    return beside


def decide_for_groups(
    source: DecisionRows,
    wanted: ThresholdOptions,
    outputs: OutputOptions,
    estimating: Estimating,
    columns: str,
    pool: int | None,
    bands: Mapping[str, Bands] | None,
    periods: Periods | None,
) -> None:
    """Decide for each group of cases, pooled or in bands if asked, and write every output asked for."""
    from classay.assessment.assessing import how_to_assess, of_predictions, refuse_all_undeclared
    from classay.groups.assessing_groups import of_groups
    from classay.groups.cheapest_cuts import Limit
    from classay.groups.group_thresholds import decide_by

    costs = wanted.costs()
    if columns == LOOK:
        raise InputError(
            "--by '*' searches for subgroups, but thresholds need groups. Name the columns of the groups in --by."
        )
    others: dict[str, Any] = {"--maximize": wanted.maximize, "--minimize": wanted.minimize}
    others |= {"--top": wanted.top} | {"--prevalence": wanted.prevalence, "--time": periods}
    beside = [name for name, value in others.items() if value is not None]
    beside += ["the second --score"] if len(source.each_score) > 1 else []
    if beside:
        raise InputError(
            f"--by chooses thresholds for one score by cost under a limit, so {beside[0]} has no effect. Remove it."
        )
    if costs is None or wanted.where is None:
        raise InputError(
            "--by needs costs and a limit to choose thresholds by group. Use --cost fp=1 --cost fn=5 --where "
            "'disparity_ratio(selection_rate) >= 0.8', for example."
        )
    Limit.of(wanted.where)  # what is wrong is said at once
    if source.way is not None:
        raise InputError(
            f"--by needs all rows in one file, but {source.file} is read in parts. Combine the files."
        )
    outputs.refuse_unwritable(source.file)
    with waiting(f"reading {source.file}"):
        rows = replace(source.rows(()), by=columns)
        read = rows.whole()
    with waiting("deciding"), rows.naming():
        checked = read.check(estimating.policy)
        overall = refuse_all_undeclared(
            of_predictions(checked, **how_to_assess(level=estimating.level, seed=estimating.seed))
        )
        overall = overall.changed(model=source.each_score[0])
        groups = of_groups(checked, overall, ", ".join(rows.groups()), pool=pool, bands=bands)
        thresholds = decide_by(groups, cost=costs, where=wanted.where)
    outputs.deliver(Rendering.of(thresholds, data_of([source.file])))
