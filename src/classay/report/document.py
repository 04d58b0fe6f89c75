"""The Document: all that a reader sees of a result, before rendering. It computes nothing.

Each kind of result has one builder (`results/`) that makes a Document of it, and each form one renderer (`text`,
`html`, `paper`, `markdown`) that writes any Document. Cells are typed: a renderer decides how an estimate, a count or
a p-value looks, a builder only which stand where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from classay.answers import WORDS as NO_ANSWER
from classay.curves.curve import Curve
from classay.curves.display import OperatingPoints
from classay.inference.estimate import Estimate
from classay.report.pictures.picture import Picture
from classay.texts import DoorText, amount, listed

Tone = Literal["plain", "quiet", "strong", "good", "bad"]


@dataclass(frozen=True)
class Label:
    """The name of a row: a measure, a class, a group, a model; `name` is a measure's canonical one.

    A narrow column wraps what is `whole`, and the names of measures, and cuts others. A page makes it a link to the
    page `link`, where there is one.
    """

    text: str
    name: str = ""
    whole: bool = False
    link: str = ""


@dataclass(frozen=True)
class Words:
    """A short text; "good" and "bad" say which side a finding is on. `value` is the number that a text rounds."""

    text: str
    tone: Tone = "plain"
    value: float | None = None


@dataclass(frozen=True)
class Count:
    """A number of cases, or a sum of weights."""

    value: float


@dataclass(frozen=True)
class Value:
    """An estimate of which only the value is shown."""

    estimate: Estimate


@dataclass(frozen=True)
class EstimateCell:
    """An estimate: its value, its interval, or the reason why something is missing."""

    estimate: Estimate


@dataclass(frozen=True)
class Written(Value):
    """A value in words of its own, such as a threshold, whose digits decide which cases are called."""

    text: str


@dataclass(frozen=True)
class Cutoff(EstimateCell):
    """The estimate of a threshold, its value in words of its own."""

    text: str


@dataclass(frozen=True)
class Difference(EstimateCell):
    """The estimate of a difference, whose sign is always shown."""


@dataclass(frozen=True)
class MethodCell:
    """How the interval of an estimate was made, or why it is missing."""

    estimate: Estimate


@dataclass(frozen=True)
class PValue:
    """A p-value; NaN where there is none. `alpha` is the p from which on it decides."""

    value: float
    alpha: float = 0.05


@dataclass(frozen=True)
class Bar:
    """An interval drawn on the scale of its table, or on one of its own; NaN where there is none."""

    low: float
    at: float
    high: float
    tone: Tone = "good"
    scale: AxisScale | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether there is an interval: a lone dot would look like certainty."""
        return self.low == self.low and self.high == self.high


@dataclass(frozen=True)
class Spark:
    """Estimates in their order, the newest last, drawn as a line without axes."""

    estimates: tuple[Estimate, ...]


DRAWN = (Bar, Spark)
"""The cells that are drawings, which a text may go without."""
Cell = Label | Words | Count | Value | EstimateCell | MethodCell | PValue | Bar | Spark | None
"""What a table holds; None is an empty cell."""


STACKING = 5
"""Above this, `Column.spare` says that a column goes before intervals are set below their values."""


@dataclass(frozen=True)
class Column:
    """A column of cells of one kind. In a narrow window those with the highest `spare` go first, those of 0 never.

    `name` is the canonical one of the measure that its head names, if it does.
    """

    head: str
    kind: type
    spare: int = 0
    name: str = ""


@dataclass(frozen=True)
class AxisScale:
    """The scale on which the bars of a table are drawn: its ends, its middle line, and margins to mark.

    `edges` are the sides of the middle on which the margin is marked, -1 and 1. `words` name the two ends where numbers
    would say nothing.
    """

    low: float = 0.0
    high: float = 1.0
    zero: float | None = None
    margin: float = 0.0
    words: tuple[str, str] | None = None
    edges: tuple[float, ...] = (-1.0, 1.0)

    @property
    def texts(self) -> tuple[str, str, str]:
        """What stands over the lower end, the middle line and the upper end."""
        low, high = self.words or (f"{self.low:g}", f"{self.high:g}")
        return low, "" if self.zero is None else f"{self.zero:.3g}", high

    def place(self, x: float) -> float:
        """Return where x stands, from 0 to 1; beyond the ends at the ends."""
        return min(max((x - self.low) / (self.high - self.low), 0.0), 1.0)


@dataclass(frozen=True)
class Table:
    """Rows of typed cells.

    `note` stands above the rows and `foot` below them; `beside` stands quietly beside the title. `picture` is drawn
    by a page beside the rows, one row of it to each of theirs, with its `caption`. A page shows `main` rows, where it
    is not 0, or as many as it has room for, and the others on request. Only a page draws bars and their lines, so only
    a page has `legend`, behind `foot`. `complete` makes the table of all rows, where this one has some. A table with
    `is_for_files` has what others have too, in the form of a paper. Terminals, pages and cards leave it out.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    beside: str = ""
    note: str = ""
    foot: str = ""
    scale: AxisScale | None = None
    picture: Picture | None = None
    caption: str = ""
    main: int = 0
    legend: str = ""
    complete: Callable[[], Table] | None = None
    is_for_files: bool = False

    def is_wordy(self, k: int) -> bool:
        """Check whether a column has words that begin with a letter, so that it stands at the left."""
        return any(isinstance(cell := row[k], Words) and cell.text[:1].isalpha() for row in self.rows)

    def column(self, kind: type) -> list[Any]:
        """Return the cells of the first column of a kind."""
        at = next(k for k, column in enumerate(self.columns) if issubclass(column.kind, kind))
        return [row[at] for row in self.rows]

    def only(self, columns: Sequence[int]) -> Table:
        """Return the table with some of its columns."""
        if len(columns) == len(self.columns):
            return self
        return replace(
            self,
            columns=tuple(self.columns[k] for k in columns),
            rows=tuple(tuple(row[k] for k in columns) for row in self.rows),
        )

    def without_methods(self) -> Table:
        """Return the table without its column of methods, which its foot names instead, behind what it says already."""
        at = next((k for k, column in enumerate(self.columns) if column.kind is MethodCell), None)
        if at is None:
            return self
        used = dict.fromkeys(each.estimate.method for each in self.column(MethodCell) if each.estimate.method)
        return replace(
            self,
            columns=(*self.columns[:at], *self.columns[at + 1 :]),
            rows=tuple((*row[:at], *row[at + 1 :]) for row in self.rows),
            foot=" ".join(filter(None, (self.foot, f"Intervals: {'; '.join(used)}." if used else ""))),
        )

    @property
    def levels(self) -> set[float | None]:
        """The levels of all intervals."""
        return {estimate.level for estimate in self.intervals}

    @property
    def intervals(self) -> list[Estimate]:
        """All estimates with an interval."""
        cells = [cell for row in self.rows for cell in row if isinstance(cell, EstimateCell)]
        return [cell.estimate for cell in cells if cell.estimate.has_interval]


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix: counts[predicted][true], with the texts of the labels; a further row has no prediction.

    If `rest` is not 0, the last label stands for that many classes together, and `among` of the cases in its diagonal
    cell are confused among these classes. `classes` is the number of all classes. `is_ordered` says that all classes
    are shown in their order, so that the distance from the diagonal is the size of the error.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]
    rest: int = 0
    among: float = 0.0
    is_ordered: bool = False

    @property
    def predicted(self) -> tuple[str, ...]:
        """The texts of the rows: those of the labels, and that of the cases without an answer where there is one."""
        return self.labels if len(self.counts) == len(self.labels) else (*self.labels, NO_ANSWER)

    @property
    def classes(self) -> int:
        """How many classes there are, those that are put together among them."""
        return len(self.labels) - (self.rest > 0) + self.rest

    @property
    def said(self) -> str:
        """Which classes are shown and what the others hold, in a sentence; nothing where all are shown."""
        if not self.rest:
            return ""
        inside = self.counts[len(self.labels) - 1][len(self.labels) - 1]
        return (
            f"The table shows the {len(self.labels) - 1:,} of {self.classes:,} classes with the most errors. In the "
            f"other {self.rest:,} classes, {amount(self.among)} of {amount(inside)} cases are misclassified among "
            "themselves."
        )

    def within(self, most: int) -> Matrix:
        """The matrix with at most so many rows and columns: the classes in the most errors, all others together."""
        k = len(self.labels)
        if k <= most:
            return self
        counts = np.array(self.counts)
        named = k - (self.rest > 0)
        wrong = np.where(np.eye(*counts.shape) > 0, 0.0, counts)
        involved = (wrong.sum(0) + wrong.sum(1)[:k])[:named]
        kept = np.sort(np.argsort(-involved, kind="stable")[: most - 1])
        place = np.full(len(counts), most - 1)
        place[kept] = np.arange(most - 1)
        place[k:] = most
        of = np.zeros((most + len(counts) - k, len(counts)))
        of[place, np.arange(len(counts))] = 1
        merged = of @ counts @ of[:most, :k].T
        gone = place[:k] == most - 1
        rest = self.classes - len(kept)
        return Matrix(
            (*(self.labels[at] for at in kept), f"{rest:,} others"),
            tuple(map(tuple, merged.tolist())),
            rest,
            self.among + float(wrong[:k][np.ix_(gone, gone)].sum()),
        )


@dataclass(frozen=True)
class Tile:
    """A number that a page shows large: a measure by its short name and its canonical one.

    One that is fixed stays where its reader moves the threshold.
    """

    text: str
    name: str
    estimate: Estimate
    is_fixed: bool = False


@dataclass(frozen=True, eq=False)
class Threshold:
    """The matrix and the rates at a threshold that a page lets its reader move; `of` are the rates by canonical name.

    `positive` is the place of the positive class among the labels of the matrix, `said` the threshold in words.
    `costs` are those of the four cells that a reader starts from, none where cases cost amounts of their own;
    `prevalence` is the share of positives that the rates are of, where it is not that of the cases. `objective` is the
    canonical name of what the points say of every threshold, or "cost".
    """

    matrix: Matrix
    points: OperatingPoints
    positive: int
    said: str
    of: tuple[Tile, ...]
    costs: tuple[tuple[str, float], ...] = (("fp", 1.0), ("fn", 1.0))
    prevalence: float | None = None
    objective: str = ""


@dataclass(frozen=True)
class Prose:
    """A paragraph; what stands between backticks is code."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Listing:
    """Sentences one below the other, each with its code if it has one (a warning's)."""

    items: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        """Resolve hints for either reader."""
        object.__setattr__(self, "items", tuple((code, DoorText.of(text)) for code, text in self.items))

    @property
    def at_the_command(self) -> Listing:
        """The same in the words of the command."""
        return Listing(tuple((code, DoorText.of(text).command) for code, text in self.items))


@dataclass(frozen=True)
class Figure:
    """Curves that share a picture."""

    curves: tuple[Curve, ...]
    title: str = ""
    is_thin: bool = False


@dataclass(frozen=True)
class Figures:
    """Pictures of curves, which only a page shows; it has the folded ones on request."""

    shown: tuple[Figure, ...]
    folded: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Diagram:
    """A drawing that text cannot show: its SVG, and in its place lines of a name, a number and marks.

    `heads` are the heads of names and numbers, where a table takes the place of the drawing.
    """

    svg: str
    lines: tuple[tuple[str, str, str], ...]
    note: str = ""
    heads: tuple[str, str] = ("model", "mean rank")
    narrow: str = ""
    """The same drawing in the width of a telephone, where the first is wider."""
    name: str = ""
    draw: Callable[[Any, float], Any] | None = None
    """The name of the drawing as a panel of a figure, and what draws it on axes that many inches wide."""


COVERS = "What the intervals cover"
"""The title of the section on what is random and what is held fixed."""
DRAWN_BY = re.compile(r",? (?:in )?([\d,]+ (?:draws|resamples))$")
"""How many draws a method took, at the end of its name."""
DRAWN_NAME = re.compile(r"[^,; ][^,;]*(?:, (?:\w+ prior|resampled thresholds))?$")
"""The method that took the draws, without what stands before it in its name."""
EXPLAINED = "CI methods are explained in docs/reference/intervals.md."

SEED_OF_DRAWS = "seed of draws"
"""The fact of a seed that only draws use, where splits are not random."""

Part = Table | Matrix | Threshold | Prose | Listing | Figures | Diagram
Role = Literal["plain", "warnings", "next", "methods"]


def _complete(part: Part) -> Part:
    return part.complete() if isinstance(part, Table) and part.complete else part


@dataclass(frozen=True)
class Section:
    """Parts under a title; its role says how prominent it is.

    A page shows a folded section by its title until a reader unfolds it, and of a switched one a part at a time, chosen
    by the titles of its tables. On paper and in a text all parts stand. `covers` is what its intervals cover that
    others do not, `abridged` which rows its tables show, where they have more when they are complete.
    """

    title: str
    parts: tuple[Part, ...]
    role: Role = "plain"
    is_folded: bool = False
    is_switched: bool = False
    covers: str = ""
    abridged: str = ""

    @property
    def on_screen(self) -> tuple[Part, ...]:
        """The parts without the tables that are for files."""
        return tuple(part for part in self.parts if not (isinstance(part, Table) and part.is_for_files))


def own_version() -> str:
    """Return the version of classay, which every document and every JSON names."""
    from classay import __version__

    return __version__


@dataclass(frozen=True)
class Document:
    """Everything about one result, in the order a person reads it.

    `status` is a gate's word, such as "Passed"; `tiles` are the few numbers that a page shows large below its verdict.
    `sources` are the references of what was done, besides those of the intervals; `methods` sentences on how, which
    neither facts nor intervals say.
    """

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    verdict: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    status: str = ""
    version: str = field(default_factory=own_version)
    tiles: tuple[Tile, ...] = ()
    sources: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()

    @property
    def tables(self) -> Iterator[Table]:
        """All tables, in their order."""
        return (part for section in self.sections for part in section.parts if isinstance(part, Table))

    @property
    def complete(self) -> Document:
        """The document with all rows of its tables."""
        sections = (
            replace(section, abridged="", parts=tuple(map(_complete, section.parts)))
            for section in self.sections
        )
        return replace(self, sections=tuple(sections))

    def without_warnings(self, code: str) -> Document:
        """Return the document without the warnings of one code, which the reader has heard already."""
        old = self.section("warnings")
        if old is None:
            return self
        (listing,) = old.parts
        assert isinstance(listing, Listing)
        left = tuple(each for each in listing.items if each[0] != code)
        remaining = [replace(old, parts=(Listing(left),))] if left else []
        at = self.sections.index(old)
        return replace(self, sections=(*self.sections[:at], *remaining, *self.sections[at + 1 :]))

    @property
    def at_the_command(self) -> Document:
        """The document in the words of the command, for who reads it there."""
        sections = tuple(
            replace(
                section,
                parts=tuple(
                    part.at_the_command if isinstance(part, Listing) else part for part in section.parts
                ),
            )
            for section in self.sections
        )
        return replace(self, sections=sections)

    @property
    def arranged(self) -> Document:
        """The document as a reader sees it: warnings under the headline, seed and numbers of draws under Methods.

        >>> section = Section("Warnings", (Prose("Few cases."),), "warnings")
        >>> document = Document("Title", (("seed", "0"),), sections=(Section("Table", ()), section))
        >>> [section.title for section in document.arranged.sections]
        ['Warnings', 'Table', 'Methods']
        """
        facts = tuple(fact for fact in self.facts if fact[0] not in ("seed", SEED_OF_DRAWS))
        warned = [section for section in self.sections if section.role == "warnings"]
        others = [
            replace(section, parts=(Prose(section.abridged, "quiet"), *section.parts))
            if section.abridged
            else section
            for section in self.sections
            if section.role != "warnings"
        ]
        written = self.section("methods")
        sampling = self._sampling if facts != self.facts and written is None else ""
        if covers := [Prose(section.covers) for section in others if section.covers]:
            others = [
                replace(section, parts=(*section.parts, *covers)) if section.title == COVERS else section
                for section in others
            ]
        if text := " ".join(filter(None, (sampling, EXPLAINED if self._names_methods else ""))):
            if written is not None:
                others[others.index(written)] = replace(written, parts=(*written.parts, Prose(text)))
            else:
                last = (
                    k for k, section in enumerate(others) if section.title == COVERS or section.role == "next"
                )
                others.insert(next(last, len(others)), Section("Methods", (Prose(text),)))
        return replace(self, facts=facts, sections=(*warned, *others))

    @property
    def _names_methods(self) -> bool:
        """Whether a table has a column of methods of intervals."""
        return any(column.kind is MethodCell for table in self.tables for column in table.columns)

    @property
    def _sampling(self) -> str:
        """The seed, and how many draws each method took; empty where the seed is of draws, and no method took any."""
        methods: dict[str, dict[str, None]] = {}
        for table in self.tables:
            for row in table.rows:
                for cell in row:
                    method = (cell.estimate.method or "") if isinstance(cell, EstimateCell) else ""
                    if drawn := DRAWN_BY.search(method):
                        name = DRAWN_NAME.search(DRAWN_BY.sub("", method))
                        methods.setdefault(drawn[1], {})[name[0] if name else method] = None
        known = dict(self.facts)
        if not methods:
            return f"Random splits and draws use seed {known['seed']}." if "seed" in known else ""
        seed = known.get("seed", known.get(SEED_OF_DRAWS))
        sentences = []
        for number, names in methods.items():
            what = listed([f"'{name}'" for name in names])
            use = "The method {} uses" if len(names) == 1 else "The methods {} use"
            sentences.append(f"{use.format(what)} {number.replace('draws', 'random draws')} (seed {seed}).")
        return " ".join(sentences)

    def section(self, role: Role) -> Section | None:
        """Return the first section of a role."""
        return next((section for section in self.sections if section.role == role), None)

    def led_by(self, *lead: Section, sentences: tuple[str, ...] = ()) -> Document:
        """The document with what was asked for first, and the rest folded, except warnings and the next steps."""
        rest = (replace(section, is_folded=section.role in ("plain", "methods")) for section in self.sections)
        return replace(self, verdict=(*sentences, *self.verdict), sections=(*lead, *rest))

    def on(self, data: str) -> Document:
        """Return the document with the name of the data in its title, if it has one that is not named there already."""
        return replace(self, title=f"{self.title} on {data}") if data and data not in self.title else self

    def __repr__(self) -> str:
        return f"Document({self.title!r}, {len(self.sections)} sections; print the result it is of, or write its page)"
