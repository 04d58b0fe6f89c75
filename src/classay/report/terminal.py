"""The report as text: on a terminal with colour, and plain wherever it is piped, logged or printed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from classay.inference.estimate import Estimate
from classay.report.report import Group, Matrix, Report, Row
from classay.report.slicetext import write_groups
from classay.report.textpage import ACCENT, ALARM, GAP, INDENT, QUIET, EncodedText, Page, widest
from classay.report.wording import (
    LABEL_WIDTH,
    ClassTable,
    Notes,
    class_table,
    clean,
    count,
    interval,
    interval_title,
    is_drawable,
    remark,
    spoken,
    value,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

MATRIX_CLASSES = 12
MATRIX_NAME = 14  # the longest name that may stand over a column
BAR_WIDTH = 21  # odd, so that one half has a cell of its own


def print_report(report: Report, console: "Console") -> None:
    """Print the report on the console, as wide and as colourful as that allows."""
    page = Page(console)
    _head(page, report)
    if report.matrix is not None:
        _matrix(page, report.matrix)
    _groups(page, report.groups)
    if report.classes:
        _classes(page, class_table(report))
    if report.by_group is not None:
        write_groups(page, report.by_group)
    _closing(page, report)


def as_text(report: Report, width: int = 100, encoding: str | None = None) -> str:
    """The report as plain text without colour, `width` characters wide.

    The text uses only characters that `encoding` has: by default that of standard output, for `print`.
    """
    import sys

    from rich.console import Console

    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    file = EncodedText(encoding)
    console = Console(
        file=file,
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    print_report(report, console)
    return file.getvalue()


def _head(page: Page, report: Report) -> None:
    title = page.text(report.title, style="bold")
    version = page.text(f"classay {report.version}" if report.version else "", style=QUIET)
    room = page.width - title.cell_len - version.cell_len
    if room < GAP:
        page.columns([title], [page.width], indent=0)
    else:
        page.line(title, page.text(" " * room), version)
    page.line(page.text("─" * page.width, style=QUIET))
    _facts(page, report.facts)
    if report.verdict:
        page.line()
    for k, sentence in enumerate(report.verdict):
        _verdict_sentence(page, sentence, style="bold" if k == 0 else "")


def _facts(page: Page, facts: Sequence[tuple[str, str]]) -> None:
    """Name and value, as at the head of a laboratory report: two facts to a line where all of them fit."""
    cells = [(page.text(name, style=QUIET), page.text(text)) for name, text in facts]
    names = min(max((name.cell_len for name, _ in cells), default=0), page.width // 3)
    left, right = (max((text.cell_len for _, text in cells[k::2]), default=0) for k in (0, 1))
    left = max(left, 16) + GAP
    is_paired = INDENT + 2 * (names + GAP) + left + GAP + right <= page.width
    step, widths = (
        (2, [names, left, names, right]) if is_paired else (1, [names, page.width - INDENT - names - GAP])
    )
    for k in range(0, len(cells), step):
        line = [cell for pair in cells[k : k + step] for cell in pair]
        page.columns(line, widths[: len(line)])


def _verdict_sentence(page: Page, sentence: str, style: str) -> None:
    bar = page.text("┃ ", style=f"bold {ACCENT}")
    for line in page.text(sentence, style=style).wrap(page.console, page.width - INDENT - bar.cell_len):
        line.rstrip()
        page.line(page.text(" " * INDENT), bar, line)


def _matrix(page: Page, matrix: Matrix) -> None:
    page.heading("Confusion matrix")
    classes = len(matrix.labels)
    if classes > MATRIX_CLASSES:
        page.prose(f"{classes:,} by {classes:,}: too large to read here; the JSON has it.")
        return
    rows = [[count(cell) for cell in (*row, sum(row))] for row in matrix.counts]
    sums = [sum(column) for column in zip(*matrix.counts, strict=True)]
    foot = [count(total) for total in (*sums, sum(sums))]
    *digits, last = (widest(column) for column in zip(*rows, foot, strict=True))
    layout = _matrix_layout(page, matrix.labels, max(digits, default=1), max(last, len("total")))
    if layout is None:
        page.prose("Too wide for this window; the JSON has it.")
        return
    widths, is_named, align = layout.widths, layout.is_named, "l" + "r" * (classes + 1)
    side = widths[0]
    page.line(page.text(" " * (INDENT + side + GAP)), page.text("true", style=QUIET))
    heads = [page.text(name if is_named else str(k)) for k, name in enumerate(matrix.labels, 1)]
    page.columns([page.text("predicted", QUIET), *heads, page.text("total", QUIET)], widths, align)
    for k, (name, row) in enumerate(zip(matrix.labels, rows, strict=True)):
        shown = (
            page.label(name, side) if is_named else page.text(f"{k + 1:>2}  ") + page.label(name, side - 4)
        )
        cells = [page.text(text, "bold" if j == k else "") for j, text in enumerate(row[:-1])]
        page.columns([shown, *cells, page.text(row[-1], QUIET)], widths, align)
    page.columns([page.text(text, QUIET) for text in ("total", *foot)], widths, align)


@dataclass(frozen=True)
class _MatrixLayout:
    """Widths of the columns, and whether names stand over them or numbers, which stand for longer names."""

    widths: tuple[int, ...]
    is_named: bool


def _matrix_layout(page: Page, labels: Sequence[str], digits: int, last: int) -> _MatrixLayout | None:
    names = widest(page.text(label).plain for label in labels)
    spare = page.width - INDENT - last - GAP
    for is_named in (True, False):
        cell = max(digits, names if is_named else 2)
        side = spare - len(labels) * (cell + GAP) - GAP
        needed = max(min(names, LABEL_WIDTH) + (0 if is_named else 4), len("predicted"))
        if side >= (needed if is_named else 10) and not (is_named and names > MATRIX_NAME):
            return _MatrixLayout((min(side, needed), *[cell] * len(labels), last), is_named)
    return None


def _groups(page: Page, groups: Sequence[Group]) -> None:
    if not groups:
        return
    rows = [row for group in groups for row in group.rows]
    values = widest([value(row.estimate) for row in rows] + ["value"])
    heading = interval_title(groups)
    intervals = widest([interval(row.estimate) for row in rows] + [heading])
    titles = min(
        widest(clean(row.title) for row in rows), page.width - INDENT - values - intervals - 3 * GAP - 14
    )
    training = [len("training")] if any(row.training is not None for row in rows) else []
    used = INDENT + titles + values + intervals + 3 * GAP + sum(training) + GAP * len(training)
    is_drawing = (
        page.has_colour and all(map(page.encodes, "─━●")) and page.width - used >= BAR_WIDTH + GAP + 24
    )
    widths = [titles, values, intervals, *([BAR_WIDTH] if is_drawing else []), *training]
    widths.append(page.width - INDENT - sum(widths) - GAP * len(widths))
    for group in groups:
        page.heading(group.title)
        if group.note:
            page.quiet(group.note)
        if not group.rows:
            continue
        scale = [page.text("0" + "1".rjust(BAR_WIDTH - 1), QUIET)] if is_drawing else []
        heads = [page.text(text, QUIET) for text in ("", "value", heading)]
        last = [page.text(text, QUIET) for text in (*("training" for _ in training), "method")]
        align = "lrl" + "l" * is_drawing + "r" * len(training)
        page.columns([*heads, *scale, *last], widths, align)
        for row in group.rows:
            drawing = [_bar(page, row)] if is_drawing else []
            beside = [page.text(value(row.training) if row.training else "", QUIET) for _ in training]
            _measure(page, row, [*drawing, *beside], widths, align)


def _measure(page: Page, row: Row, beside: "list[Text]", widths: Sequence[int], align: str) -> None:
    estimate = row.estimate
    title, shown = (
        page.text(row.title),
        page.text(value(estimate), QUIET if estimate.is_undefined else "bold"),
    )
    why = page.text(remark(estimate), QUIET)
    if not estimate.has_interval and row.training is None:  # the reason may run over the empty columns
        page.columns([title, shown, why], [*widths[:2], sum(widths[2:]) + GAP * (len(widths) - 3)], "lr")
        return
    page.columns([title, shown, page.text(interval(estimate)), *beside, why], widths, align)


def _bar(page: Page, row: Row) -> "Text":
    from rich.text import Text

    if not is_drawable(row):
        return Text("")
    low, at, high = (
        round(x * (BAR_WIDTH - 1)) for x in (row.estimate.low, row.estimate.value, row.estimate.high)
    )
    cells = ["─"] * BAR_WIDTH
    cells[low : high + 1] = ["━"] * (high + 1 - low)
    bar = Text("".join(cells))
    bar.stylize(QUIET)
    bar.stylize(f"not dim {ACCENT}", low, high + 1)
    dot = Text("●", style=ACCENT)
    return Text.assemble(bar[:at], dot, bar[at + 1 :])


def _classes(page: Page, table: ClassTable) -> None:
    notes = Notes()
    cells = [[_cell(row.estimates.get(name), notes) for name in table.names] for row in table.rows]
    layout = _class_layout(page, table, cells)
    widths = [layout.label, layout.cases, *layout.columns]
    page.heading("Classes")
    names = [spoken(table.names[k]) for k in layout.kept]
    page.columns([page.text(text, QUIET) for text in ("class", "cases", *names)], widths, "lr")
    for row, line in zip(table.rows, cells, strict=True):
        lead = [page.label(row.label, layout.label), page.text(count(row.cases), QUIET)]
        shown = [_CellTexts(page, *line[k]) for k in layout.kept]
        if layout.is_joined:
            page.columns([*lead, *[cell.joined() for cell in shown]], widths, "lr")
        else:
            page.columns([*lead, *[cell.value for cell in shown]], widths, "lr")
            page.columns([page.text(""), page.text(""), *[cell.interval for cell in shown]], widths, "lr")
    for mark, text in notes:
        page.quiet(f"note {mark}: {text}")
    if len(layout.kept) < len(table.names):
        page.quiet("A wider window shows more columns.")
    if table.note:
        page.quiet(table.note)


@dataclass(frozen=True)
class _ClassLayout:
    """Widths of the columns, which of the estimates are kept, and whether interval and value share a line."""

    label: int
    cases: int
    columns: tuple[int, ...]
    kept: tuple[int, ...]
    is_joined: bool


def _class_layout(page: Page, table: ClassTable, cells: list[list[tuple[str, str]]]) -> _ClassLayout:
    cases = max(widest(count(row.cases) for row in table.rows), len("cases"))
    label = max(widest(page.label(row.label, LABEL_WIDTH).plain for row in table.rows), len("class"))
    beside = page.width - INDENT - cases - GAP
    columns = list(zip(*cells, strict=True))
    heads = [widest(spoken(name).split()) for name in table.names]
    joined = [max(head, widest(map(" ".join, column))) for head, column in zip(heads, columns, strict=True)]
    stacked = [max(head, *map(widest, column)) for head, column in zip(heads, columns, strict=True)]
    is_joined = sum(joined) + GAP * len(joined) + min(label, 16) <= beside
    widths = joined if is_joined else stacked
    kept = list(range(len(widths)))
    while len(kept) > 1 and sum(widths[k] + GAP for k in kept) + min(label, 12) > beside:
        del kept[-2]  # the last column stays: by it the classes were chosen
    columns_kept = tuple(widths[k] for k in kept)
    label = max(min(label, beside - sum(columns_kept) - GAP * len(kept)), 5)
    return _ClassLayout(label, cases, columns_kept, tuple(kept), is_joined)


class _CellTexts:
    """The value and the interval of one class, styled."""

    def __init__(self, page: Page, value: str, interval: str) -> None:
        self.value = page.text(value, QUIET if value == "undefined" else "bold")
        self.interval = page.text(interval, QUIET)

    def joined(self) -> "Text":
        from rich.text import Text

        return Text.assemble(self.value, " ", self.interval)


def _cell(estimate: Estimate | None, notes: Notes) -> tuple[str, str]:
    if estimate is None:
        return "", ""
    mark = notes.mark(estimate)
    return value(estimate), interval(estimate) if mark is None else f"note {mark}"


def _closing(page: Page, report: Report) -> None:
    if report.random:
        page.heading("What is random")
        page.prose(report.random)
    if report.warnings:
        page.heading("Warnings", ALARM)
        sign = "⚠" if page.has_colour and page.encodes("⚠") else "warning:"
        for _, text in report.warnings:
            page.paragraph(page.text(text), page.text(sign, ALARM))
    if report.next_steps:
        page.heading("Next")
        for step in report.next_steps:
            page.paragraph(_code(page, step), page.text("→", ACCENT))


def _code(page: Page, text: str) -> "Text":
    """The text, with what stands between backticks in the accent colour."""
    shown = page.text(text)
    for found in re.finditer(r"`[^`]+`", shown.plain):
        shown.stylize(ACCENT, *found.span())
    return shown
