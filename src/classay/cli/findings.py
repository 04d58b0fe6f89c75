"""Findings: all that one run of the command shows, estimated once and rendered in every form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from classay.assessment.remembered import Remembered
from classay.assessment.slices import verdict
from classay.assessment.trends import trends_of
from classay.cli.outputs import Made
from classay.inference.estimate import Estimate
from classay.inference.requirements import Outcome
from classay.report.document import Document, Section
from classay.report.results.assessment import Detail, as_json, document_of, for_paper, with_pictures
from classay.report.results.parts import of_outcome

if TYPE_CHECKING:
    from classay.assessment.disparities import Criteria
    from classay.assessment.group_differences import Slice
    from classay.assessment.perspectives import Shifted
    from classay.assessment.slices import Slices
    from classay.assessment.trends import Trends


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
    trends: Trends | None = None
    criteria: Criteria | None = None

    @classmethod
    def of(
        cls,
        title: str,
        a: Remembered,
        names: list[str] | None,
        slices: Slices | None,
        shifted: Shifted | None,
        control: Sequence[str] | None = None,
    ) -> Findings:
        """Estimate the sections beside the assessment: groups of cases, another prevalence, criteria of the groups.

        Criteria are judged where `control` says which columns they hold fixed, of which there may be none.
        """
        compared = [] if slices is None else slices.compare(*(names or slices.main_measures))
        there = {}
        if shifted is not None:
            known = {measure.name for measure in shifted.applicable()}
            wanted = shifted.main_measures if names is None else [name for name in names if name in known]
            there = shifted.estimates(wanted)
        over_groups = None if slices is None else trends_of(slices, compared)
        criteria = None if slices is None or control is None else slices.criteria(control=control)
        return cls(title, a, names, slices, compared, shifted, there, over_groups, criteria)

    def made(self, detail: Detail, outcomes: Sequence[Outcome] = ()) -> Made:
        """Everything in each of its forms."""
        return Made(
            shown=lambda: self.document(detail),
            json=lambda: self.json(outcomes),
            html=lambda: self.page(detail, outcomes),
            latex=lambda: self._latex(detail, outcomes),
            markdown=lambda: self._markdown(detail, outcomes),
            thresholds=self._thresholds,
            save=self.assessment.save,
        )

    def _thresholds(self) -> str:
        """The counts at every threshold as CSV, with the measures of them that are asked for, or the main ones."""
        import pyarrow as pa
        from pyarrow import csv

        from classay.decision.rules import MAIN, is_of_counts

        names = MAIN if self.names is None else [name for name in self.names if is_of_counts(name)]
        written = pa.BufferOutputStream()
        csv.write_csv(self.assessment.thresholds(*names), written)
        return str(written.getvalue().to_pybytes(), "utf-8")

    def json(self, outcomes: Sequence[Outcome] = ()) -> str:
        """Everything as JSON text, and how requirements came out."""
        from classay.report.results.criteria import of_criteria
        from classay.report.results.prevalence import of_shifted
        from classay.report.results.slices import of_slices
        from classay.report.results.trends import of_trends

        sections: dict[str, Any] = {}
        if outcomes:
            sections["requirements"] = [of_outcome(each) for each in outcomes]
        if self.slices is not None:
            sections["slices"] = of_slices(self.slices, self.compared)
        if self.criteria is not None:
            sections["criteria"] = of_criteria(self.criteria)
        if self.trends is not None:
            sections["trends"] = of_trends(self.trends)
        if self.shifted is not None:
            sections["at_prevalence"] = of_shifted(self.shifted, self.there)
        return as_json(self.assessment, self.names, sections)

    def document(self, detail: Detail) -> Document:
        """Everything as a document, without curves."""
        from classay.report.results import trends

        over_time = [] if self.trends is None else trends.sections_of(self.trends)
        more = self._asked(over_time)
        made = document_of(self.assessment, title=self.title, names=self.names, detail=detail, more=more)
        return replace(made, verdict=(*made.verdict, *self._sentences()))

    def _asked(self, over_time: Sequence[Section], *, drawn: bool = False) -> list[Section]:
        """What was asked beside the assessment: another prevalence, periods, groups; for a page with pictures."""
        from classay.report.results import criteria, prevalence, slices

        judge = criteria.page_sections_of if drawn else criteria.sections_of
        judged = [] if self.criteria is None else judge(self.criteria)
        shifted = [] if self.shifted is None else [prevalence.section_of(self.shifted, self.there)]
        order: slices.Order = "worst first" if self.trends is None else "as given"
        groups = [] if self.slices is None else [slices.section_of(self.slices, self.compared, order)]
        return [*judged, *shifted, *over_time, *groups]

    def _sentences(self) -> tuple[str, ...]:
        over_time = () if self.trends is None else self.trends.sentences
        of_groups = () if self.slices is None else verdict(self.slices, self.compared)
        of_criteria = () if self.criteria is None else self.criteria.sentences
        return (*over_time, *of_groups, *of_criteria)

    def _demanded(self, detail: Detail, outcomes: Sequence[Outcome]) -> Document:
        """Everything as a document that is read without the terminal, which says how requirements came out."""
        from classay.report.results.parts import with_requirements

        return with_requirements(self.document(detail), outcomes)

    def _latex(self, detail: Detail, outcomes: Sequence[Outcome]) -> str:
        from classay.report.paper import as_latex

        return as_latex(for_paper(self._demanded(detail, outcomes), self.assessment))

    def _markdown(self, detail: Detail, outcomes: Sequence[Outcome]) -> str:
        from classay.report.markdown import as_markdown

        return as_markdown(self._demanded(detail, outcomes).at_the_command)

    def page(self, detail: Detail, outcomes: Sequence[Outcome] = ()) -> str:
        """Everything as a page with curves, of the measures of a page unless some were named, or all asked for."""
        from classay.report.html import as_page
        from classay.report.results.parts import with_requirements
        from classay.report.results.trends import page_of_trends

        shown: Detail = "page" if detail == "main" else detail
        made = document_of(self.assessment, title=self.title, names=self.names, detail=shown)
        made = with_pictures(made, self.assessment)
        if asked := self._asked(() if self.trends is None else page_of_trends(self.trends), drawn=True):
            made = replace(made.led_by(*asked, sentences=self._sentences()), tiles=())
        return as_page(with_requirements(made, outcomes).at_the_command)
