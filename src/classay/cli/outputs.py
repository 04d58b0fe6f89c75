"""What the commands write, and where; all that one run shows, estimated once and rendered in every form."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from classay.cli import options
from classay.cli.failures import one_line_warnings, write_bytes
from classay.cli.given import FILES_READ, FORMS, TEXTS, OfWings
from classay.cli.options import Text, save_option
from classay.errors import InputError
from classay.files.writing import with_ending, written_paths
from classay.texts import clean, listed
from classay.wings import brought, way

if TYPE_CHECKING:
    from classay.assessment.finding import Finding
    from classay.assessment.perspectives import PrevalenceAdjusted
    from classay.assessment.remembered import Remembered
    from classay.assessment.required import InParts
    from classay.inference.estimate import Estimate
    from classay.inference.requirements import Outcome
    from classay.report.document import Document, Section
    from classay.report.forms import Content, Pages
    from classay.report.results.assessments import Detail
    from classay.shown import Reportable


TO_STANDARD_OUTPUT = tuple(f"--{name}" for name in TEXTS)
"""The options that write texts, each of which may go to standard output for "-"."""
WRITTEN = ("save", *(*TEXTS, *brought("outputs"))[::-1], "thresholds", "times", "junit")
"""In which order outputs are written, and said to be."""


@dataclass(frozen=True)
class Rendering:
    """The result of a command in each of its forms, each made only when it is requested.

    `shown` is for the terminal: a document, or plain lines. `pages` are what the other forms of it are made of. `save`
    writes to the path it is given. `results` are those of which figures are made: of all cases, and of groups.
    """

    shown: Callable[[], Document | Sequence[str]]
    json: Callable[[], str]
    pages: Pages | None = None
    thresholds: Callable[[], str] | None = None
    times: Callable[[], str] | None = None
    junit: Callable[[], str] | None = None
    save: Callable[[str], None] | None = None
    results: tuple[Any, ...] = ()

    @classmethod
    def of(cls, reportable: Reportable, data: str = "", outcomes: Sequence[Outcome] = ()) -> Rendering:
        """Return a result in every form; titles name the data, and pages say how requirements came out."""
        from classay.report.door import pages
        from classay.report.results.parts import json_text, with_requirements

        return cls(
            shown=lambda: reportable.document().on(data),
            json=lambda: json_text(reportable.to_dict() | _of_outcomes(outcomes)),
            pages=pages(reportable).changed(lambda page: with_requirements(page.on(data), outcomes)),
            save=getattr(reportable, "save", None),
            results=(reportable,),
        )

    def changed_by(self, ways: Sequence[Any]) -> Rendering:
        """Return the rendering after what options of wings change of every document."""
        changes = [way.changed for way in ways if hasattr(way, "changed")]
        new = self
        for change in changes:
            pages = None if new.pages is None else new.pages.changed(change)
            new = replace(new, pages=pages, shown=partial(_changed, change, new.shown))
        return new

    def maker(self, name: str) -> Any:
        """Return what makes the form of an option; None where the result has no such form."""
        from classay.report.forms import rendered

        if name not in FORMS or name == "json":
            return getattr(self, name)
        if self.pages is None:
            return None
        return partial(rendered, name, self.pages.changed(lambda page: page.at_the_command))


def _changed(change: Callable[[Document], Document], make: Any) -> Any:
    """Return a document after a change, and lines as they are."""
    from classay.report.document import Document

    shown = make()
    return change(shown) if isinstance(shown, Document) else shown


def _of_outcomes(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return how requirements came out as a key of JSON; nothing without any."""
    from classay.report.value_kinds import REQUIREMENT

    return {"requirements": list(map(REQUIREMENT.json, outcomes))} if outcomes else {}


@dataclass(frozen=True)
class OutputOptions:
    """Where each form is to go, as named by the options of the same names; "-" is standard output, for one text.

    Every command writes the four texts, and the files that wings bring. Further outputs are options in a command's own
    group.
    """

    json: options.Json = None
    save: str | None = None
    html: options.Html = None
    latex: options.Latex = None
    markdown: options.Markdown = None
    files: Annotated[tuple[Any, ...], OfWings("written")] = ()
    thresholds: str | None = None
    times: str | None = None
    junit: str | None = None

    def __post_init__(self) -> None:
        """Give a saved file the ending by which every command knows it."""
        if self.save:
            object.__setattr__(self, "save", str(with_ending(self.save)))

    @property
    def paths(self) -> dict[str, str]:
        """The paths that were given, by their options."""
        values = vars(self) | {name: path for way in self.files for name, path in vars(way).items()}
        return {f"--{name}": path for name in WRITTEN if (path := values.get(name)) is not None}

    def refuse_unwritable(self, *sources: str | None) -> None:
        """Refuse an output path before the work, not after it; `sources` are files that none may replace."""
        from classay.files.writing import clash, refuse_unwritable
        from classay.report.forms import file_form

        files: list[str] = [file for way in self.files if hasattr(way, "refuse") for file in way.refuse()]
        for option, path in self.paths.items():
            if path == "-" and option in TO_STANDARD_OUTPUT:
                continue
            if path == "-":
                raise InputError(f"{option} cannot write to standard output. Name a file.")
            refuse_unwritable(path)
            files.append(path)
            if (form := file_form(option.removeprefix("--"))) is not None:
                form.need_libraries()
        piped = [option for option, path in self.paths.items() if path == "-"]
        if len(piped) > 1:
            raise InputError(
                f"{' and '.join(piped)} cannot both write to standard output. Name a file for one option."
            )
        read = (*sources, *FILES_READ.get())
        replaced = clash(files, [source for source in read if source is not None and source != "-"])
        if replaced is not None:
            raise InputError(
                f"The output would overwrite the input {replaced}. Choose another file."
                if replaced
                else "Two outputs have the same file name. Use different names."
            )

    def deliver(self, rendering: Rendering) -> None:
        """Write every output asked for, and show the result unless one of them goes to standard output.

        All are made before the first is written, so that a failure leaves no half of them. A figure that this result
        has not is refused at the end, because the rest of what was asked for does not need it.
        """
        rendering = rendering.changed_by(self.files)
        makers: dict[str, Any] = {name: rendering.maker(name.removeprefix("--")) for name in self.paths}
        for option, make in makers.items():
            if make is None:
                raise InputError(f"This result cannot be written with {option}. Remove it.")
        with waiting("estimating"):
            contents = {self.paths[option]: make() for option, make in makers.items() if option != "--save"}
            refusals = []
            for way in self.files:
                try:
                    contents |= way.contents(rendering) if hasattr(way, "contents") else {}
                except InputError as error:
                    refusals.append(error)
            shown = [] if "-" in self.paths.values() else rendering.shown()
        if self.save is not None and rendering.save is not None:
            rendering.save(self.save)
        for path, content in contents.items():
            _put(path, content)
        _show(shown)
        for path in dict.fromkeys((*self.paths.values(), *contents)):
            if path != "-":
                print(clean(f"wrote {listed(written_paths(path, contents.get(path, '')))}"), file=sys.stderr)
        if refusals:
            raise refusals[0]


@dataclass(frozen=True)
class OfAssessment(OutputOptions):
    """Outputs of an assessment: also its saved file, and the counts at every threshold."""

    save: Annotated[Text, save_option("Save the tables, to load or merge them later.")] = None
    thresholds: options.StepByStep = None


@dataclass(frozen=True)
class OfDemands(OfAssessment):
    """Outputs of an assessment that may have requirements: also these as tests."""

    junit: options.Junit = None


@dataclass(frozen=True)
class OfGate(OutputOptions):
    """Outputs of a gate: also its demands as tests."""

    junit: options.Junit = None


@dataclass(frozen=True)
class OfMerged(OutputOptions):
    """Outputs of a merge: also the saved whole."""

    save: Annotated[Text, save_option("Save the whole result.")] = None


@dataclass(frozen=True)
class OfEvaluation(OutputOptions):
    """Outputs of an evaluation: also its saved file, and the times of its fits."""

    save: Annotated[Text, save_option("Save the evaluation with all predictions.")] = None
    times: options.Times = None


def show_saved(result: Any, what: str, file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Write a saved result whose measures are fixed. Raises InputError for options that have no effect on it."""
    for option, value in (("--measures", measures), ("--times", outputs.times)):
        if value is not None:
            raise InputError(f"{option} has no effect on {what} ({file}). Remove {option}.")
    outputs.deliver(Rendering.of(result, data_of([file])))


def _put(path: str, content: Content) -> None:
    """Write a text or files to their path, or a text as UTF-8 to standard output for "-"."""
    from classay.files.writing import write_content

    if path == "-" and isinstance(content, str):
        write_bytes(content.encode("utf-8", "backslashreplace"))
    else:
        write_content(path, content)


def _show(shown: Document | Sequence[str]) -> None:
    """Print a document, or lines, to standard output."""
    from classay.report.document import Document

    if isinstance(shown, Document):
        from rich.console import Console

        from classay.report.text import print_document

        print_document(shown.at_the_command, Console(highlight=False))
        return
    for line in shown:
        print(clean(line))


def data_of(files: Sequence[str]) -> str:
    """Return how titles name the data: one file by its name; nothing where each model has a file of its own.

    >>> data_of(["week/p.csv"]), data_of(["-"]), data_of(["a.csv", "b.csv"])
    ('p.csv', 'standard input', '')
    """
    if len(files) != 1:
        return ""
    return "standard input" if files[0] == "-" else Path(files[0]).name


def refuse_twice(files: Sequence[str], why: str, *, may_copy: bool = False) -> None:
    """Refuse two files that are one, by another name or as a copy; warn of two that may be equal by chance.

    With `may_copy` each file is a model, and two models may say the same: that is told alone.
    """
    from classay.files.writing import identity, same_files

    alike: dict[str, str] = {}
    for one, other, are_rows in same_files(files):
        if may_copy and identity(os.path.expanduser(one)) != identity(os.path.expanduser(other)):
            warning = f"warning: {one} and {other} have the same content. Exclude one if it is a copy."
            print(clean(warning), file=sys.stderr)
            continue
        if are_rows:
            raise InputError(
                f"{one} is named twice. {why}."
                if one == other
                else f"{one} and {other} are the same file or have the same content. {why}."
            )
        alike.setdefault(other, one)
    for other, one in alike.items():
        text = f"warning: {one} and {other} contain the same counts. Exclude one if it is a copy."
        print(clean(text), file=sys.stderr)


def listed_names(measures: str | None) -> list[str] | None:
    """Return the canonical names of measures separated by commas, those between brackets apart.

    >>> listed_names('ppv, f_beta(3), partial_roc_auc(0.2, min_fpr=0.1), recall["a, b"]')
    ['precision', 'f_beta(3)', 'partial_roc_auc(max_fpr=0.2, min_fpr=0.1)', 'recall["a, b"]']
    """
    from classay.measures import get
    from classay.measures.vocabulary import names_listed

    if measures is None:
        return None
    with one_line_warnings(DeprecationWarning):  # of names that measures had
        return [get(name).name for name in names_listed(measures, "--measures")]


def names_shown(showing: options.Showing) -> list[str] | None:
    """Return the canonical names of the measures to show. Raises InputError if both all and some are requested."""
    if showing.all and showing.measures is not None:
        raise InputError("--all and --measures cannot be combined. Remove one of the two.")
    return listed_names(showing.measures)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on a terminal's standard error what is going on, as long as it lasts."""
    from classay.report.step_bar import SPINNER

    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} …") as spinner:
        before = SPINNER.set(spinner)
        try:
            yield
        finally:
            SPINNER.reset(before)


class ReportExtension(Protocol):
    """What a wing adds to the report of an assessment."""

    @property
    def parts(self) -> InParts | None:
        """The parts of the cases that requirements may name, if there are any."""

    def prepare(self) -> None:
        """Make what takes long."""

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found, which the headline ranks with the rest."""

    def as_dict(self) -> dict[str, Any]:
        """Return the keys of the JSON."""

    def sections(self, *, drawn: bool) -> tuple[list[Section], list[Section]]:
        """Return the sections, with pictures if drawn: those before and those behind that of another prevalence."""

    def led(self, document: Document) -> Document:
        """Return the document of all cases, led by the sections."""


@dataclass(frozen=True)
class AssessmentReport:
    """An assessment, the measures asked for (None: those most people use), and further results."""

    title: str
    assessment: Remembered
    names: list[str] | None
    shifted: PrevalenceAdjusted | None
    there: dict[str, Estimate]
    beside: ReportExtension | None = None

    @classmethod
    def of(
        cls,
        title: str,
        a: Remembered,
        names: list[str] | None,
        beside: ReportExtension | None,
        shifted: PrevalenceAdjusted | None,
    ) -> AssessmentReport:
        """Estimate the sections beside the assessment: what wings add to it, another prevalence."""
        if beside is not None:
            beside.prepare()
        there = {}
        if shifted is not None:
            known = {measure.name for measure in shifted.applicable()}
            wanted = shifted.main_measures if names is None else [name for name in names if name in known]
            there = shifted.estimates(wanted)
        return cls(title, a, names, shifted, there, beside)

    def made(self, detail: Detail, outcomes: Sequence[Outcome] = ()) -> Rendering:
        """Everything in each of its forms."""
        from classay.report.forms import Pages
        from classay.report.results.assessments import for_paper
        from classay.report.results.parts import with_requirements

        pages = Pages(
            lambda: self.document(detail),
            lambda: self.page(detail),
            lambda: for_paper(self.document(detail), self.assessment),
        )
        return Rendering(
            shown=lambda: self.document(detail),
            json=lambda: self.json(outcomes),
            pages=pages.changed(lambda page: with_requirements(page, outcomes)),
            thresholds=self._thresholds,
            junit=lambda: way("gate.junit")(
                self.title, [(str(one.requirement), one.verdict, str(one)) for one in outcomes]
            ),
            save=self.assessment.save,
            results=(self.assessment, None if self.beside is None else self.beside.parts),
        )

    def _thresholds(self) -> str:
        """Return the counts at every threshold as CSV, with the requested measures, or the main ones."""
        from classay.decision.rules import MAIN, is_of_counts
        from classay.files.sheets import as_csv

        names = MAIN if self.names is None else [name for name in self.names if is_of_counts(name)]
        return as_csv(self.assessment.thresholds(*names)).decode()

    def json(self, outcomes: Sequence[Outcome] = ()) -> str:
        """Everything as JSON text, and how requirements came out."""
        from classay.report.results.assessments import as_json

        sections = _of_outcomes(outcomes)
        if self.beside is not None:
            sections |= self.beside.as_dict()
        if self.shifted is not None:
            from classay.report.results.estimates import of_shifted

            sections["at_prevalence"] = of_shifted(self.shifted, self.there)
        return as_json(self.assessment, self.names, sections, self._findings())

    def document(self, detail: Detail) -> Document:
        """Everything as a document, without curves."""
        from classay.report.results.assessments import document_of

        return document_of(
            self.assessment,
            title=self.title,
            names=self.names,
            detail=detail,
            more=self._asked(),
            extra=self._findings(),
        )

    def _asked(self, *, drawn: bool = False) -> list[Section]:
        """Return what was asked beside the assessment, for a page with pictures: what wings add, another prevalence."""
        leading, others = ([], []) if self.beside is None else self.beside.sections(drawn=drawn)
        if self.shifted is None:
            return [*leading, *others]
        from classay.report.results.estimates import section_of_shifted

        return [*leading, section_of_shifted(self.shifted, self.there), *others]

    def _findings(self) -> tuple[Finding, ...]:
        """Return what was found beside the assessment, which the headline ranks with the rest."""
        return () if self.beside is None else self.beside.findings()

    def page(self, detail: Detail) -> Document:
        """Everything as a page with curves, of the measures of a page unless some were named, or all asked for."""
        from classay.report.results.assessments import document_of, with_pictures

        shown: Detail = "page" if detail == "main" else detail
        extra = self._findings()
        document = document_of(self.assessment, title=self.title, names=self.names, detail=shown, extra=extra)
        document = with_pictures(document, self.assessment)
        if sections := self._asked(drawn=True):
            document = replace(document.led_by(*sections), tiles=())
        return document
