"""The items of reporting standards in our own words, each with what a document says about it.

What a document does not say is left to the authors: nothing is inferred, and nothing is written in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Literal, get_args

from classay.errors import check_word
from classay.inference.estimate import format_estimate, title
from classay.report.document import (
    COVERS,
    Cell,
    Column,
    Difference,
    Document,
    EstimateCell,
    Figures,
    Label,
    Listing,
    Matrix,
    Prose,
    Section,
    Table,
    Threshold,
    Words,
)
from classay.report.paper import ShownEstimate, intervals_said, shown_estimates
from classay.report.results.estimates import ELSEWHERE
from classay.report.words import count
from classay.texts import as_sentence, listed, some

Standard = Literal["stard2015", "tripod+ai", "model-card"]
STANDARDS: tuple[str, ...] = get_args(Standard)
AUTHORS = "To be written by the authors."
TITLES = {"stard2015": "STARD 2015", "tripod+ai": "TRIPOD+AI", "model-card": "Model card"}
SOURCES = {
    "stard2015": "Bossuyt et al. 2015, BMJ 351:h5527",
    "tripod+ai": "Collins et al. 2024, BMJ 385:e078378",
    "model-card": "Mitchell et al. 2019, FAT* 220",
}
ACCURACY = (
    *("roc_auc", "recall", "specificity", "precision", "negative_predictive_value", "accuracy"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio", "macro_f1"),
)
CALIBRATION = (
    *("brier_score", "multiclass_brier_score", "log_loss", "calibration_slope", "calibration_in_the_large"),
    *("observed_expected_ratio", "expected_calibration_error"),
)
"""The measures whose estimates an item quotes, where the document shows them."""
MOST_MEASURES = 20
"""Measures that an item names."""


@dataclass(frozen=True)
class Item:
    """A line of a checklist: its number, topic and words, and what of a document may answer it."""

    number: str
    topic: str
    text: str
    answer: str = ""


def items(standard: Standard) -> tuple[Item, ...]:
    """Return the lines of a standard. Raises InputError for a name that is none of a standard.

    >>> items("stard2015")[-1].topic, len(items("tripod+ai"))
    ('Funding', 52)
    """
    check_word("standard", standard, STANDARDS)
    name = standard.replace("+", "_").replace("-", "_")
    text = files("classay.checklists").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return tuple(Item(*line.split("\t")) for line in text.splitlines())


def with_checklist(document: Document, standard: Standard) -> Document:
    """Return the document with the checklist of a standard behind its other sections."""
    lines, known = items(standard), _Known(document)
    answers = [ANSWERS[item.answer](known) if item.answer else "" for item in lines]
    rows = tuple(
        (
            Label(f"{item.number} {item.topic}", whole=True),
            Words(item.text),
            Words(answer or AUTHORS, "plain" if answer else "quiet"),
        )
        for item, answer in zip(lines, answers, strict=True)
    )
    note = (
        f"{sum(map(bool, answers))} of {len(lines)} items have text from this result. The authors complete all items. "
        f"classay rephrases the items of {SOURCES[standard]}."
    )
    columns = (Column("item", Label), Column("requirement", Words), Column("text from this result", Words))
    table = Table(columns, rows, main=len(rows))
    section = Section(f"{TITLES[standard]} checklist", (Prose(note, "quiet"), table))
    last = next((k for k, one in enumerate(document.sections) if one.role == "next"), len(document.sections))
    return replace(document, sections=(*document.sections[:last], section, *document.sections[last:]))


class _Known:
    """What a document says that items ask for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.facts = dict(document.facts)

    @cached_property
    def flow(self) -> list[str]:
        """The sentences on rows that came, were excluded and were analyzed."""
        begins, of_classes = ("Of ", "All ", "The only row"), self.by_class  # a class may have any name
        found = (one for one in self.document.methods if one.startswith(begins) and " received" in one)
        return [one for one in found if one not in of_classes]

    @cached_property
    def by_class(self) -> list[str]:
        """The sentences on what the cases of each class were predicted as."""
        return [one for one in self.document.methods if one.startswith("Of the ") and "predicted" in one]

    def fact(self, *names: str) -> str:
        """The named facts that are there, as sentences."""
        there = (f"{name}: {self.facts[name]}" for name in names if name in self.facts)
        return " ".join(as_sentence(one) for one in there)

    @cached_property
    def groups(self) -> list[str]:
        """The tables whose rows are groups, by section."""
        return [
            f"{section.title} ({', '.join(dict.fromkeys(part.title for part in tables if part.title))})"
            if any(part.title for part in tables)
            else section.title
            for section in self.document.sections
            if (tables := [part for part in section.parts if isinstance(part, Table) and _is_of_groups(part)])
        ]

    def estimates(self, names: tuple[str, ...]) -> str:
        """The estimates of measures with their intervals, each once; a difference of models is no estimate of one."""
        return self._estimates(names, [one for one in self.document.sections if not _is_of_prevalence(one)])

    def elsewhere(self, names: tuple[str, ...]) -> str:
        """The estimates at another prevalence than that of the cases, as sentences."""
        sections = (one for one in self.document.sections if _is_of_prevalence(one))
        texts = ((section.title, self._estimates(names, [section])) for section in sections)
        return " ".join(as_sentence(f"{title}: {text}") for title, text in texts if text)

    def _estimates(self, names: tuple[str, ...], sections: Sequence[Section]) -> str:
        there: dict[str, str] = {}
        tables = (part for section in sections for part in section.parts if isinstance(part, Table))
        for table, row in ((one, row) for one in tables for row in one.rows):
            name = row[0].name if isinstance(row[0], Label) else ""
            at = next((k for k, cell in enumerate(row) if _is_of_one(cell)), None)
            if at is None or name not in names:
                continue
            head, cell = table.columns[at].head, row[at]
            of = f", {head}" if head not in ("", "value") else ""
            if isinstance(cell, EstimateCell) and not cell.estimate.is_undefined:
                there.setdefault(name, f"{title(name)}{of} {format_estimate(cell.estimate)}")
        return "; ".join(there[name] for name in names if name in there)

    @cached_property
    def primary(self) -> list[ShownEstimate]:
        """The measures of accuracy and calibration that the document shows for its own cases; without such, all."""
        sections = tuple(one for one in self.document.sections if not _is_of_prevalence(one))
        shown = [*shown_estimates(replace(self.document, sections=sections))]
        names = {title(name) for name in (*ACCURACY, *CALIBRATION)}
        return [one for one in shown if one.name.split(",")[0] in names] or shown


def _is_of_prevalence(section: Section) -> bool:
    return section.title.startswith(ELSEWHERE)


def _is_of_one(cell: Cell) -> bool:
    return isinstance(cell, EstimateCell) and not isinstance(cell, Difference)


def _is_of_groups(table: Table) -> bool:
    return table.columns[0].head == "group"


def _flow(known: _Known) -> str:
    return " ".join((*known.flow, *known.by_class)) or known.fact("cases", "rows")


def _missing(known: _Known) -> str:
    excluded = [one for one in known.flow if "excluded" in one]
    return " ".join(filter(None, (*excluded, known.fact("missing predictions")))) or (
        "No row of the data received was excluded. The authors complete the item." if known.flow else ""
    )


def _indeterminate(known: _Known) -> str:
    ties = [one for one in known.document.methods if "score of exactly" in one]
    return " ".join(filter(None, (known.fact("missing predictions"), *ties)))


def _cutoff(known: _Known) -> str:
    """Whether a threshold was prespecified is said only where the document knows how it was found."""
    if "rule" in known.facts:
        return f"The threshold was chosen on these data, so it is exploratory. {known.fact('rule', 'costs')}"
    text = known.facts.get("threshold", "")
    if not text:
        return ""
    is_default = "default" in text
    return f"The threshold is {text}." + (
        "" if is_default else " The authors state whether the threshold was prespecified."
    )


def _analysis(known: _Known) -> str:
    return " ".join(intervals_said(known.primary))


def _measures(known: _Known) -> str:
    return as_sentence(some([*dict.fromkeys(one.name for one in known.primary)], MOST_MEASURES))


def _groups(known: _Known) -> str:
    text = known.fact("groups", "clusters")
    tables = f"See {listed(known.groups)}." if known.groups else ""
    return " ".join(filter(None, (text, tables)))


def _sizes(known: _Known) -> str:
    return known.fact("cases", "cases by class", "weight by class", "clusters")


def _sample(known: _Known) -> str:
    sizes = _sizes(known)
    return f"{sizes} The authors state how the sample size was determined." if sizes else ""


def _matrix(known: _Known) -> str:
    parts = (part for section in known.document.sections for part in section.parts)
    shown = (part.matrix if isinstance(part, Threshold) else part for part in parts)
    matrix = next((part for part in shown if isinstance(part, Matrix)), None)
    if matrix is None:
        return ""
    if len(matrix.labels) > 2:
        return "See the confusion matrix."
    unit = "Sums of weights: " if "weight by class" in known.facts else ""
    return as_sentence(
        unit
        + "; ".join(
            f"predicted {predicted}, true {true}: {count(number)}"
            for predicted, row in zip(matrix.predicted, matrix.counts, strict=True)
            for true, number in zip(matrix.labels, row, strict=True)
        )
    )


def _estimates(known: _Known) -> str:
    there = as_sentence(text) if (text := known.estimates(ACCURACY)) else ""
    return " ".join(filter(None, (there, known.elsewhere(ACCURACY))))


def _performance(known: _Known) -> str:
    texts = {
        "": known.estimates(ACCURACY),
        "Calibration: ": known.estimates(CALIBRATION),
        "Net benefit: ": "decision curve" if _draws(known.document, "net_benefit") else "",
    }
    sentences = [as_sentence(f"{begin}{text}") for begin, text in texts.items() if text]
    sentences += filter(None, [known.elsewhere((*ACCURACY, *CALIBRATION))])
    return " ".join(filter(None, (*sentences, _groups(known) if sentences else "")))


def _draws(document: Document, name: str) -> bool:
    return any(
        curve.name == name
        for section in document.sections
        for part in section.parts
        if isinstance(part, Figures)
        for figure in (*part.shown, *part.folded)
        for curve in figure.curves
    )


def _limits(known: _Known) -> str:
    return " ".join(_limits_of(known.document))


def _limits_of(document: Document) -> Iterator[str]:
    for section in document.sections:
        for part in section.parts:
            if isinstance(part, Prose) and section.title == COVERS:
                yield part.text
            if isinstance(part, Listing) and section.role == "warnings":
                yield from (str(text) for _, text in part.items)


def _protocol(known: _Known) -> str:
    return known.fact("protocol", "folds")


def _software(known: _Known) -> str:
    version = known.document.version
    return f"Analyses used classay {version}. The authors complete the item." if version else ""


ANSWERS: dict[str, Callable[[_Known], str]] = {
    "analysis": _analysis,
    "clusters": lambda known: known.fact("clusters"),
    "cutoff": _cutoff,
    "estimates": _estimates,
    "flow": _flow,
    "groups": _groups,
    "indeterminate": _indeterminate,
    "limits": _limits,
    "matrix": _matrix,
    "measures": _measures,
    "missing": _missing,
    "performance": _performance,
    "protocol": _protocol,
    "sample": _sample,
    "sizes": _sizes,
    "software": _software,
}
"""What of a document answers an item, by the word that the lists have for it."""
