"""Findings: all that one run of the command shows, estimated once and rendered in every form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from classay.assessment.remembered import Remembered
from classay.assessment.requirements import Outcome
from classay.inference.estimate import Estimate
from classay.report.build import Detail, at_prevalence, report_of, with_pictures
from classay.report.json import as_json, of_outcome, of_shifted, of_slices
from classay.report.report import Report

if TYPE_CHECKING:
    from classay.assessment.shifted import Shifted
    from classay.slices import Slice, Slices


@dataclass(frozen=True)
class Findings:
    """An assessment, the measures asked for (None: those most people use), and what was found beside it."""

    title: str
    assessment: Remembered
    names: list[str] | None
    slices: Slices | None
    compared: list[Slice]
    shifted: Shifted | None
    there: dict[str, Estimate]

    @classmethod
    def of(
        cls,
        title: str,
        a: Remembered,
        names: list[str] | None,
        slices: Slices | None,
        shifted: Shifted | None,
    ) -> Findings:
        """Estimate the sections beside the assessment: groups of cases, another prevalence."""
        compared = [] if slices is None else slices.compare(*(names or slices.main_measures))
        there = {}
        if shifted is not None:
            known = {measure.name for measure in shifted.applicable()}
            wanted = shifted.main_measures if names is None else [name for name in names if name in known]
            there = shifted.estimates(wanted)
        return cls(title, a, names, slices, compared, shifted, there)

    def json(self, outcomes: Sequence[Outcome] = ()) -> str:
        """Everything as JSON text, and how requirements came out."""
        sections: dict[str, Any] = {}
        if outcomes:
            sections["requirements"] = [of_outcome(each) for each in outcomes]
        if self.slices is not None:
            sections["slices"] = of_slices(self.slices, self.compared)
        if self.shifted is not None:
            sections["at_prevalence"] = of_shifted(self.shifted, self.there)
        return as_json(self.assessment, self.names, sections)

    def report(self, detail: Detail) -> Report:
        """Everything as a plain report, without pictures."""
        made = replace(report_of(self.assessment, names=self.names, detail=detail), title=self.title)
        if self.shifted is not None:
            made = replace(made, groups=(*made.groups, at_prevalence(self.shifted, self.there)))
        if self.slices is not None:
            from classay.report.slices import by_group

            made = replace(made, by_group=by_group(self.slices, self.compared))
        return made

    def page(self) -> str:
        """Everything as a page with pictures, of every measure unless some were named."""
        from classay.report.html import as_html

        made = with_pictures(self.report("all"), self.assessment)
        if made.by_group is not None:
            made = replace(made, by_group=replace(made.by_group, is_drawn=True))
        return as_html(made)
