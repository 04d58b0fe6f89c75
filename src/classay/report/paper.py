"""A document for others to take on: LaTeX tables, Markdown, methods in sentences, numbers as rows, a picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from classay.errors import InputError
from classay.inference.estimate import SPELLED, Estimate, title
from classay.inference.methods import CITED, reference_list, sources
from classay.inference.proportions import methods_said, without_numbers
from classay.report.document import (
    COVERS,
    DRAWN,
    DRAWN_BY,
    SEED_OF_DRAWS,
    Bar,
    Cell,
    Column,
    Count,
    Diagram,
    Difference,
    Document,
    EstimateCell,
    Figures,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Part,
    Prose,
    PValue,
    Section,
    Table,
    Threshold,
    Value,
    Words,
)
from classay.report.pictures import curve_pictures, plots
from classay.report.words import (
    cell_text,
    counts,
    interval_of,
    interval_title,
    remark,
    value_of,
    with_limits,
)
from classay.shown import frame_of
from classay.texts import clean, listed, some

SENTENCES = {
    "best": "The best model on these cases is {}.",
    "classes": "The classes are {}.",
    "costs": "The costs are {}.",
    "decomposition": "The decomposition is based on {}.",
    "estimated": "Estimates: {}.",
    "folds": "The folds are {}.",
    "labels": "Labels are {}.",
    "leak check": "A check for leaks had this result: {}.",
    "loss": "The loss is the {}.",
    "measure": "The measure is {}.",
    "members": "The ensemble has {}.",
    "models": "The models are {}.",
    "noise": "The noise is {}.",
    "positive class": "The positive class is {}.",
    "protocol": "The resampling protocol is {}.",
    "reference": "The correction follows {}.",
    "rows": "The rows are {}.",
    "rule": "The rule is {}.",
    "threshold": "The threshold is {}.",
    "training sets": "The training sets are {}.",
    "votes": "{}.",
}
"""Facts by their names, as sentences; those without one are said as `name: text`."""
CASES = ("cases", "cases by class", "clusters")
DRAWN_IN = re.compile(r"bootstrap of [\d,]+|[\d,]+ (?:draws|resamples|random signs|permutations)")
"""What a written text says of random draws."""
SAID_ELSEWHERE = ("confidence level", "seed", SEED_OF_DRAWS)
"""Facts that the sentences on intervals and on random draws say."""


def of_facts(facts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield each fact as a sentence; the numbers of cases, classes and clusters as one.

    >>> list(of_facts((("cases", "160"), ("cases by class", "sick: 50, well: 110"), ("positive class", "'sick'"))))
    ['The data are 160 cases (sick: 50, well: 110).', "The positive class is 'sick'."]
    """
    known = dict(facts)
    if "cases" in known:
        by_class = f" ({known['cases by class']})" if "cases by class" in known else ""
        clusters = f" in {known['clusters']} clusters" if "clusters" in known else ""
        yield f"The data are {known['cases']} {'case' if known['cases'] == '1' else 'cases'}{by_class}{clusters}."
    for name, text in facts:
        if name in SAID_ELSEWHERE or ("cases" in known and name in CASES):
            continue
        sentence = SENTENCES.get(name, f"{name[:1].upper()}{name[1:]}: {{}}.")
        yield sentence.replace("{}", COSTS.sub(_of_cost, text) if name == "costs" else text.rstrip("."))


COSTS = re.compile(r"\b(fp|fn|tp|tn|review)=([^,;]+)")
ERRORS = {"fp": "false positive", "fn": "false negative", "tp": "true positive", "tn": "true negative"}


def _of_cost(entry: re.Match[str]) -> str:
    """Return an entry of costs in words.

    >>> COSTS.sub(_of_cost, "fp=1, fn=5")
    '1 per false positive, 5 per false negative'
    """
    return f"{entry[2]} per {ERRORS.get(entry[1], entry[1])}"


def methods_of(document: Document) -> str:
    """Return how a result was found, for a paper: facts, what its builder wrote, and the methods of all that it shows.

    The references come last.
    """
    facts = dict(document.facts)
    section = document.section("methods")
    if section is None:
        written = [" ".join([f"{document.title}.", *of_facts(document.facts), *document.methods])]
        covers = (one for one in document.sections if one.title == COVERS)
        random = [part.text for one in covers for part in one.parts if isinstance(part, Prose)]
    else:
        written, random = [part.text for part in section.parts if isinstance(part, Prose)], []
    cited = dict.fromkeys(document.sources)
    for text in [one for one in written if one.startswith(CITED)]:
        written.remove(text)
        cited |= dict.fromkeys(text.removeprefix(CITED).rstrip(".").split("; "))
    body = "\n\n".join(written)
    shown = [*shown_estimates(document)]
    if section is not None:  # which tests and intervals the differences have, stands there
        shown = [one for one in shown if not (one.is_difference and one.method in body)]
    methods = [*dict.fromkeys(one.method for one in shown)]
    is_drawn = "seed" in facts or any(DRAWN_BY.search(method) for method in methods) or DRAWN_IN.search(body)
    number = facts.get("seed", facts.get(SEED_OF_DRAWS))
    seed = f" (random seed {number})" if is_drawn and number is not None else ""
    version = [f"Analyses used classay {document.version}{seed}."] if document.version else []
    cited |= dict.fromkeys(source for method in methods for source in sources(method))
    text = " ".join(filter(None, [body, *intervals_said(shown), *random, *version]))
    references = reference_list(cited, [*methods, *document.methods])
    return "\n\n".join(
        filter(None, (*(clean(one) for one in text.replace("`", "").split("\n\n")), references))
    )


class ShownEstimate(NamedTuple):
    """What a sentence calls an estimate that a document shows, and the method and level of its interval.

    The method is empty without an interval.
    """

    name: str
    method: str
    level: float | None
    is_difference: bool = False


def shown_estimates(document: Document) -> Iterator[ShownEstimate]:
    """Yield the estimates that a document shows, those that have a value; of those that sentences call alike, one."""
    parts = ((section, part) for section in document.sections for part in section.parts)
    yield from dict.fromkeys(one for section, part in parts for one in _shown_in(section, part))


def _shown_in(section: Section, part: Part) -> Iterator[ShownEstimate]:
    if isinstance(part, Threshold):
        yield from (_said(title(tile.name), tile.estimate) for tile in part.of)
    if not isinstance(part, Table):
        return
    names = [_naming(section, part, title(one.name) if one.name else one.head) for one in part.columns]
    for row in part.rows:
        first = row[0] if isinstance(row[0], Label) else Label("")
        for naming, cell in zip(names, row, strict=True):
            if isinstance(cell, EstimateCell) and not cell.estimate.is_undefined:
                yield _said(naming(first), cell.estimate, is_difference=isinstance(cell, Difference))


def _said(name: str, estimate: Estimate, *, is_difference: bool = False) -> ShownEstimate:
    method = clean(estimate.method or "") if estimate.has_interval else ""
    name = f"the difference in {name}" if is_difference else name
    return ShownEstimate(name, method, estimate.level, is_difference)


MOST_NAMED = 30
"""Estimates of a method up to which a text names all."""


def intervals_said(shown: Sequence[ShownEstimate]) -> Iterator[str]:
    """Yield, in sentences, which estimates have their interval by which method, and which have none."""
    levels = {one.level for one in shown if one.method}
    of_level = f" ({100 * level:g}%)" if len(levels) == 1 and (level := next(iter(levels))) else ""
    by_method: dict[str, list[ShownEstimate]] = {}
    for one in shown:
        by_method.setdefault(without_numbers(one.method), []).append(one)
    named = {one.name for one in shown if one.method}
    without = [one for one in by_method.pop("", []) if one.name not in named]
    if by_method:
        clauses = "; ".join(
            by if (names := _names(members)) == method else f"for {names} {by}"
            for method, members in by_method.items()
            for by in (f"by {methods_said(one.method for one in members)}",)
        )
        yield f"Confidence intervals{of_level} were computed {clauses}."
    priors = [
        prior
        for prior in ("Jeffreys", "Perks")
        if any(f"posterior, {prior} prior" in name for name in by_method)
    ]
    if priors:
        yield f"Intervals from the posterior with the {listed(priors)} prior are equal-tailed credible intervals."
    if without:
        yield f"No confidence interval is available for {_names(without)}."


def _names(shown: Sequence[ShownEstimate]) -> str:
    names = [*dict.fromkeys(clean(one.name) for one in shown)]
    sets = Counter(name.partition(" on ")[0] for name in names if " on " in name)  # of several data sets
    many = {name: f"{name} on {count} data sets" for name, count in sets.items() if count > 2}
    return some([*dict.fromkeys(many.get(name.partition(" on ")[0], name) for name in names)], MOST_NAMED)


def _naming(section: Section, table: Table, column: str) -> Callable[[Label], str]:
    """Return what a number in a row is called in a sentence: by its measure, or by its row if that says what it is."""
    columns = [one for one in table.columns if issubclass(one.kind, EstimateCell)]
    is_of_column = column not in ("value", "", "difference")
    is_one_of_several = is_of_column and sum(one.kind is not Difference for one in columns) > 1
    above, head = table.title or (section.title if table.picture is not None else ""), table.columns[0].head
    is_of_row = not is_of_column or len(columns) == 1
    of_table = _in_sentence(above) if is_of_row and head and above else ""  # rows of groups or models

    def name(row: Label) -> str:
        if row.name:
            return f"{title(row.name)}, {column}" if is_one_of_several else title(row.name)
        if is_of_row:
            return of_table or " ".join(row.text.split()) or above or column
        return f"{row.text}, {column}" if is_one_of_several and row.text and not head else column

    return name


def _in_sentence(heading: str) -> str:
    """Return a heading within a sentence: proper names and abbreviations keep their capitals."""
    first = heading.split(maxsplit=1)[0]
    return (
        heading if first in SPELLED.values() or not first[1:].islower() else heading[0].lower() + heading[1:]
    )


def numbers_of(document: Document) -> Any:
    """Return every number of a document's tables as a row of a PyArrow table, with where it stands.

    Columns: section, table, row, measure, column, value, low, high, level, method, reason, text.
    """
    rows = [row for section in document.sections for row in _rows_of(section)]
    if not rows:
        raise InputError("This result has no table. Print it, or use .to_dict().")
    return frame_of(rows)


def _rows_of(section: Section) -> Iterator[dict[str, Any]]:
    for part in section.parts:
        if isinstance(part, Matrix):
            yield from _of_matrix(part, section.title)
        if not isinstance(part, Table):
            continue
        for row in part.rows:
            first = row[0] if isinstance(row[0], Label) else Label("")
            at = {
                "section": section.title,
                "table": part.title,
                "row": first.text,
                "measure": first.name or None,
            }
            for column, cell in zip(part.columns, row, strict=True):
                values = _row_of(cell)
                if values is not None:
                    yield at | {"measure": first.name or column.name or None, "column": column.head} | values


def _of_matrix(matrix: Matrix, section: str) -> Iterator[dict[str, Any]]:
    for predicted, row in zip(matrix.predicted, matrix.counts, strict=True):
        for true, count in zip(matrix.labels, row, strict=True):
            at = {"section": section, "table": "", "row": f"predicted {predicted}", "measure": None}
            yield at | {"column": f"true {true}"} | _plain(count)


def _row_of(cell: Any) -> dict[str, Any] | None:
    """Return a cell as the fields of a row; None for what is no number and no text."""
    if isinstance(cell, EstimateCell | Value):
        return cell.estimate.row | {"text": None}
    if isinstance(cell, Count | PValue):
        return _plain(cell.value)
    return _plain(float("nan")) | {"text": cell.text} if isinstance(cell, Words) else None


def _plain(value: float) -> dict[str, Any]:
    return Estimate(float(value)).row | {"text": None}


ESCAPES = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "[": "{[}", "]": "{]}",
        "−": "$-$", "<": "$<$", ">": "$>$", "–": "--", "²": "$^2$", "χ": r"$\chi$", "±": r"$\pm$", "≥": r"$\geq$",
        "≤": r"$\leq$", "…": r"\ldots{}", "│": r"$\vert$", "|": r"$\vert$",
    }
)  # fmt: skip
"""Square brackets too: behind a line's end they would be read as a length."""


MINUS = re.compile(r"(?<![^\s\[(])-(?=\d)")
"""The sign of a number, which a hyphen is not."""


def in_latex(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line and without what a terminal would obey.

    >>> print(in_latex("a_b & -5%"))
    a\_b \& $-$5\%
    """
    return "$-$".join(piece.translate(ESCAPES) for piece in MINUS.split(clean(text)))


def as_latex(document: Document) -> str:
    """Return all tables of a document, each with its caption."""
    lines: list[str] = []
    for section in document.sections:
        for part in section.parts:
            if isinstance(part, Table | Matrix):
                lines += _tabular(printed(part, section.title or document.title))
    return "\n".join(lines)


@dataclass(frozen=True)
class PrintedTable:
    """A table as paper has it, in plain text: `align` has an "l" or "r" for each column.

    `more` are the rows that were left out because they were too many.
    """

    title: str
    notes: tuple[str, ...]
    align: str
    heads: list[str]
    rows: list[list[str]]
    more: int = 0


def printed(part: Table | Matrix, title: str, most: int | None = None) -> PrintedTable:
    """Return a table with its interval beside each value and the methods in its notes, of `most` rows or all."""
    if isinstance(part, Matrix):
        numbers = counts(part.counts)
        rows = [[label, *row] for label, row in zip(part.predicted, numbers, strict=True)]
        heads = ["predicted", *part.labels]
        return PrintedTable(f"{title}, true labels in columns", (), "l" + "r" * len(part.labels), heads, rows)
    table = part.without_methods()
    kept = [k for k, column in enumerate(table.columns) if column.kind not in DRAWN]
    notes = tuple(note.rstrip(".") + "." for note in (table.beside, table.note, table.foot) if note)
    return PrintedTable(
        table.title or title,
        notes,
        "".join(_align(table, k) for k in kept),
        [head for k in kept for head in _heads(table, table.columns[k])],
        [[text for k in kept for text in _cells(table.columns[k], row[k])] for row in table.rows[:most]],
        len(table.rows) - len(table.rows[:most]),
    )


def _heads(table: Table, column: Column) -> list[str]:
    if not issubclass(column.kind, EstimateCell):
        return [column.head]
    return [column.head, interval_title(table.intervals)]


def _align(table: Table, k: int) -> str:
    kind = table.columns[k].kind
    if issubclass(kind, EstimateCell):
        return "rl"
    is_number = kind.__name__ in ("Count", "PValue", "Value", "Words")
    return "r" if is_number and not table.is_wordy(k) else "l"


def _cells(column: Column, cell: Cell) -> list[str]:
    """Return the texts of a cell, as many as its column has heads."""
    if not issubclass(column.kind, EstimateCell):
        return [cell_text(cell)]
    if isinstance(cell, EstimateCell):
        return [value_of(cell), interval_of(cell) or remark(cell.estimate)]
    return [cell_text(cell), ""]


def _row(cells: list[str]) -> str:
    """Return a row of a table. A star that begins it would be read as an argument of the row before."""
    return ("{}" if cells[0][:1] == "*" else "") + " & ".join(cells) + r" \\"


def _tabular(table: PrintedTable) -> Iterator[str]:
    yield r"\begin{table}"
    yield rf"\caption{{{in_latex(' '.join([f'{table.title}.', *table.notes]))}}}"
    yield rf"\begin{{tabular}}{{{table.align}}}"
    yield r"\toprule"
    yield _row(["$p$" if head == "p" else in_latex(head) for head in table.heads])
    yield r"\midrule"
    yield from (_row([*map(in_latex, row)]) for row in table.rows)
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}", "")


def draw(document: Document, ax: Any = None, width: str = "screen") -> Any:
    """Draw the first picture of a document with matplotlib, or its first intervals; returns the axes.

    Curves come as they do on the page; a table's intervals one below the other, with the line that they are compared
    with. Raises InputError where nothing can be drawn.
    """
    for section in document.sections:
        for part in section.parts:
            if isinstance(part, Figures) and part.shown:
                return plots.plot(part.shown[0].curves, ax, width)
            if isinstance(part, Table) and any(column.kind is Bar for column in part.columns):
                drawn = _intervals(part)
                if drawn:
                    return curve_pictures.draw(drawn, part.title or section.title, part.scale, ax, width)
    for section in document.sections:
        for part in section.parts:
            drawn = _intervals(part) if isinstance(part, Table) else []
            if drawn:
                assert isinstance(part, Table)
                return curve_pictures.draw(
                    drawn, part.title or section.title or document.title, None, ax, width
                )
    rows = [row for table in document.tables for row in table.rows]
    cells = [cell for row in rows for cell in row if isinstance(cell, EstimateCell)]
    is_undefined = cells and all(cell.estimate.is_undefined for cell in cells)
    reason = "no number has a value" if is_undefined else "the result has no curve and no interval"
    raise InputError(f"There is nothing to draw, because {reason}.")


def _intervals(table: Table) -> list[tuple[str, Estimate]]:
    """Return the first estimates of the rows that can share an axis: those with a bar, where the table has bars."""
    bars = [k for k, column in enumerate(table.columns) if column.kind is Bar]
    intervals = []
    for row in table.rows:
        kinds = (
            (EstimateCell, Value) if bars else EstimateCell
        )  # limits of one side stand beside their values
        cell = next((one for one in row if isinstance(one, kinds)), None)
        if cell is None or cell.estimate.is_undefined or (bars and row[bars[0]] is None):
            continue
        intervals.append((row[0].text if isinstance(row[0], Label) else "", cell.estimate))
    return intervals


MATRIX_CLASSES = 20
MARKS = str.maketrans(
    {mark: f"\\{mark}" for mark in "\\|*_<>#[]&~$`"} | {"@": "&#64;"}
)  # no mention of a person, no issue, no formula
CODE = str.maketrans({"|": "\\|"})
LINKED = re.compile(
    r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=\bGH)(?=-\d)", re.IGNORECASE
)
"""Where a word joiner keeps GitHub from links: it finds persons, issues and addresses in escaped texts too."""
SIGNS = {"Passed": "✅ ", "Failed": "❌ ", "Inconclusive": "❔ "}


def as_markdown(document: Document) -> str:
    """Return the whole document: verdict first, then its sections; pictures are for pages."""
    document = document.arranged
    status = f"{SIGNS.get(document.status, '')}{document.status}: " if document.status else ""
    lines = [f"### {status}{_as_it_is(document.title)}", ""]
    lines += [line for sentence in document.verdict for line in (in_markdown(sentence), "")]
    if document.facts:
        lines += [
            *_pipes(["", ""], [[_as_it_is(name), in_markdown(text)] for name, text in document.facts]),
            "",
        ]
    for section in document.sections:
        if body := [line for part in section.parts for line in _part(part)]:
            lines += [f"#### {_as_it_is(section.title)}", ""] if section.title else []
            lines += body
    return "\n".join(lines).rstrip() + "\n"


def in_markdown(text: str) -> str:
    """Return a text that does not end a cell or start markup, but for code between backticks.

    >>> print(in_markdown("a|b `c|d` <e>"))
    a\\|b `c\\|d` \\<e\\>
    """
    pieces = text.split("`")
    if len(pieces) % 2 == 0 or "``" in text:  # a backtick without its partner, or in a run, means itself
        return _as_it_is(text)
    return "`".join(clean(p).translate(CODE) if k % 2 else _as_it_is(p) for k, p in enumerate(pieces))


def _as_it_is(text: str) -> str:
    """Return a text of data, in which backticks mean themselves."""
    return LINKED.sub("\u2060", clean(text)).translate(MARKS)


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Table):
        yield from _markdown_table(part)
    elif isinstance(part, Matrix):
        yield from _markdown_matrix(part)
    elif isinstance(part, Prose):
        yield from (in_markdown(part.text), "")
    elif isinstance(part, Listing):
        yield from (f"- {in_markdown(text)}" for _, text in part.items)
        yield ""
    elif isinstance(part, Diagram):
        rows = [[_as_it_is(name), number, _as_it_is(marks)] for name, number, marks in part.lines]
        yield from _pipes([*part.heads, ""], rows)
        yield from ("", in_markdown(part.note), "")


def _markdown_table(table: Table) -> Iterator[str]:
    if table.title:
        beside = f" ({in_markdown(table.beside)})" if table.beside else ""
        yield from (f"**{_as_it_is(table.title)}**{beside}", "")
    if table.note:
        yield from (in_markdown(table.note), "")
    kept = [k for k, column in enumerate(table.columns) if column.kind is not Bar]
    title = interval_title(table.intervals)
    heads = [
        f"{_as_it_is(column.head)}, {title}"
        if issubclass(column.kind, EstimateCell)
        else _as_it_is(column.head)
        for column in (table.columns[k] for k in kept)
    ]
    yield from _pipes(heads, [[_cell(table, row[k]) for k in kept] for row in table.rows])
    yield ""
    if table.foot:
        yield from (in_markdown(table.foot), "")


def _cell(table: Table, cell: Cell) -> str:
    """Return a cell, with the reason for a missing interval where no column of methods has it."""
    if not isinstance(cell, EstimateCell):
        return _as_it_is(cell_text(cell))
    has_methods = any(column.kind is MethodCell for column in table.columns)
    limits = interval_of(cell) or ("" if has_methods else remark(cell.estimate))
    return _as_it_is(with_limits(value_of(cell), limits))


def _markdown_matrix(matrix: Matrix) -> Iterator[str]:
    matrix = matrix.within(MATRIX_CLASSES)
    heads = ["predicted ↓, true →", *map(_as_it_is, matrix.labels)]
    rows = [
        [_as_it_is(label), *row] for label, row in zip(matrix.predicted, counts(matrix.counts), strict=True)
    ]
    yield from _pipes(heads, rows)
    yield ""
    if matrix.said:
        yield from (matrix.said, "")


def _pipes(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
