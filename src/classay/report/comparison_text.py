"""Comparisons as text, on a terminal with colour and plain elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classay.report.comparison import Block, ComparisonReport, Line, Square, report_of
from classay.report.textpage import ACCENT, ALARM, GAP, INDENT, QUIET, EncodedText, Page, widest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.text import Text

    from classay.comparison.comparisons import Comparisons
    from classay.comparison.critical_difference import CriticalDifference

BAR = 23  # odd, so that zero has a cell of its own
NAME = 32
LEAST_NAME = 13  # letters of a name on one line, before it is wrapped
LEAST_HEAD = 8


def comparisons_text(found: Comparisons, width: int = 100, encoding: str | None = None) -> str:
    """The comparisons as plain text without colour, in characters that the encoding has."""
    import sys

    from rich.console import Console

    file = EncodedText(encoding or getattr(sys.stdout, "encoding", None) or "utf-8")
    console = Console(
        file=file,
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    print_comparisons(report_of(found), console)
    return file.getvalue()


def print_comparisons(report: ComparisonReport, console: Console) -> None:
    """Print the report on the console, as wide and as colourful as that allows."""
    page = Page(console)
    _head(page, report)
    for block in report.blocks:
        _block(page, block, report)
    if report.ranks is not None:
        _ranks(page, report.ranks)
    for square in report.squares:
        _square(page, square)
    if report.squares and page.has_colour:
        page.quiet(
            "Blue where the row is shown to be better, orange where the column is; plain where it is open."
        )
    if report.settling:
        page.heading("What would settle it")
        for line in report.settling:
            page.paragraph(page.text(line), page.text("·", QUIET))
    page.heading("What is random")
    page.prose(report.random)


def _head(page: Page, report: ComparisonReport) -> None:
    name = page.text(report.title, "bold")
    version = page.text(f"classay {report.version}", QUIET)
    room = page.width - name.cell_len - version.cell_len
    if room < GAP:
        page.columns([name], [page.width], indent=0)
    else:
        page.line(name, page.text(" " * room), version)
    page.line(page.text("─" * page.width, QUIET))
    names = widest(name for name, _ in report.facts)
    for fact, text in report.facts:
        page.columns([page.text(fact, QUIET), page.text(text)], [names, page.width - INDENT - names - GAP])
    page.line()
    bar = page.text("┃ ", style=f"bold {ACCENT}")
    for sentence in report.verdict:
        for line in page.text(sentence).wrap(page.console, page.width - INDENT - bar.cell_len):
            line.rstrip()
            page.line(page.text(" " * INDENT), bar, line)


def _block(page: Page, block: Block, report: ComparisonReport) -> None:
    interval = f"{100 * report.level:g} % interval"
    heads = ["", *block.heads, "difference", interval, *report.chances, "finding"]
    cells = [_cells(line) for line in block.lines]
    heading = block.title
    if len(block.heads) == 2 and _width(heads, cells) > page.width:
        heading = _numbered(heading, block.heads, " less ")
        heads[1:3] = ["1", "2"]
        cells = [[*each[:-1], _number_of(each[-1], block.heads)] for each in cells]
    page.heading(heading)
    if block.note:
        page.quiet(block.note)
    widths = _fitting(page, heads, cells, len(block.heads))
    used = INDENT + sum(widths) + GAP * len(widths)
    is_narrow = used - GAP > page.width  # then what was found stands below the numbers
    if is_narrow:
        heads = heads[:-1]
    draws = page.has_colour and all(map(page.encodes, "─━●│")) and page.width - used >= BAR + GAP
    align = "l" + "r" * len(block.heads) + "rl" + "r" * len(report.chances) + "l"
    if draws:
        reach = f"{block.reach:g}"
        scale = f"−{reach}".ljust(BAR // 2) + "0" + f"+{reach}".rjust(BAR // 2)
        page.columns([page.text(each, QUIET) for each in (*heads, scale)], [*widths, BAR], align + "l")
    else:
        page.columns([page.text(each, QUIET) for each in heads], widths[: len(heads)], align)
    for line, texts in zip(block.lines, cells, strict=True):
        shown = [page.text(each) for each in texts]
        shown[1 + len(block.heads)].stylize("bold")
        if line.finding != "open":
            shown[-1].stylize(ACCENT)
        else:
            shown[-1].stylize(QUIET)
        if line.reason:
            _with_reason(page, shown, widths, align, 1 + len(block.heads), line.reason)
        elif draws:
            page.columns([*shown, _bar(line, block.reach)], [*widths, BAR], align + "l")
        elif is_narrow:
            page.columns(shown[:-1], widths[:-1], align)
            page.paragraph(shown[-1], indent=2 * INDENT)
        else:
            page.columns(shown, widths, align)
    tests = list(dict.fromkeys(line.test for line in block.lines if line.test))
    page.quiet(f"Tests: {'; '.join(tests)}." if tests else "")


def _width(heads: list[str], cells: list[list[str]]) -> int:
    """Cells that a table takes if nothing is wrapped."""
    widths = [widest([head, *column]) for head, column in zip(heads, zip(*cells, strict=True), strict=True)]
    return INDENT + sum(widths) + GAP * (len(widths) - 1)


def _numbered(heading: str, names: Sequence[str], between: str) -> str:
    """The heading that numbers two models, whose names are too long to stand over columns."""
    plain = between.join(names)
    return heading.replace(plain, f"1: {names[0]}{between}2: {names[1]}", 1)


def _number_of(finding: str, names: Sequence[str]) -> str:
    """What a finding says, of a number in place of the model's name."""
    for k, name in sorted(enumerate(names, 1), key=lambda each: -len(each[1])):
        if finding.startswith(f"{name} "):
            return f"{k} {finding[len(name) + 1 :]}"
    return finding


def _fitting(page: Page, heads: list[str], cells: list[list[str]], models: int) -> list[int]:
    """Widths of the columns that fit the page: names and findings are wrapped, and numbers never."""
    columns = [list(column) for column in zip(*cells, strict=True)]
    widths = [widest([head, *column]) for head, column in zip(heads, columns, strict=True)]
    widths[0] = min(widths[0], NAME)
    least = dict.fromkeys((0, len(widths) - 1), LEAST_NAME)
    least |= {k: max(widest(columns[k]), LEAST_HEAD) for k in range(1, 1 + models)}
    over = INDENT + sum(widths) + GAP * (len(widths) - 1) - page.width
    while over > 0 and (roomy := [k for k in least if widths[k] > least[k]]):
        widths[max(roomy, key=lambda k: widths[k])] -= 1
        over -= 1
    return widths


def _with_reason(
    page: Page, shown: list[Text], widths: list[int], align: str, kept: int, reason: str
) -> None:
    """A line whose numbers are missing: the reason stands in their place, or below where that is narrow."""
    room = page.width - INDENT - sum(widths[:kept]) - GAP * kept
    text = page.text(reason, QUIET)
    if room >= NAME:
        page.columns([*shown[:kept], text], [*widths[:kept], room], align[:kept] + "l")
        return
    page.columns(shown[:kept], widths[:kept], align)
    page.paragraph(text, indent=2 * INDENT)


def _ranks(page: Page, ranks: CriticalDifference) -> None:
    """Mean ranks from the best on, and the groups of models not told apart."""
    page.heading("Mean ranks, 1 the best")
    names = min(widest(ranks.models), NAME)
    marks = [
        [
            "│" if page.encodes("│") and model in clique else "|" if model in clique else " "
            for clique in ranks.cliques
        ]
        for model in ranks.models
    ]
    for model, rank, mark in zip(ranks.models, ranks.ranks, marks, strict=True):
        cells = [page.label(model, names), page.text(f"{rank:.2f}"), page.text(" ".join(mark), ACCENT)]
        page.columns(cells, [names, 6, max(1, 2 * len(mark))], "lrl")
    if ranks.cliques:
        page.quiet(f"A line joins models not told apart at {1 - ranks.level:.3g}: {ranks.method}.")


def _cells(line: Line) -> list[str]:
    return [line.title, *line.values, line.difference, line.interval, *line.chances, line.finding]


def _bar(line: Line, reach: float) -> Text:
    from rich.text import Text

    if line.at != line.at:
        return Text("")
    middle = BAR // 2
    low, at, high = (
        middle + round(max(-1.0, min(1.0, each / reach)) * middle) for each in (line.low, line.at, line.high)
    )
    cells = ["─"] * BAR
    cells[middle] = "│"
    cells[low : high + 1] = ["━"] * (high + 1 - low)
    cells[at] = "●"
    bar = Text("".join(cells), style=QUIET)
    bar.stylize(f"not dim {ACCENT}" if line.finding != "open" else "not dim", low, high + 1)
    return bar


def _square(page: Page, square: Square) -> None:
    page.heading(f"{square.title}: row less column")
    texts = [["" if cell is None else cell.text for cell in row] for row in square.rows]
    heads = [str(k + 1) for k in range(len(square.names))]
    names = widest(
        page.label(f"{k}  {name}", NAME).plain for k, name in zip(heads, square.names, strict=True)
    )
    widths = [
        names,
        *(widest([head, *column]) for head, column in zip(heads, zip(*texts, strict=True), strict=True)),
    ]
    if INDENT + sum(widths) + GAP * len(widths) > page.width:
        page.prose("Too wide for this window; the JSON and the HTML have it.")
        return
    align = "l" + "r" * len(heads)
    page.columns([page.text(each, QUIET) for each in ("", *heads)], widths, align)
    for head, name, row in zip(heads, square.names, square.rows, strict=True):
        styles = {1: f"bold {ACCENT}", -1: ALARM, 0: "", None: ""}
        cells = [
            page.text("", "") if cell is None else page.text(cell.text, styles[cell.standing]) for cell in row
        ]
        page.columns([page.label(f"{head}  {name}", names), *cells], widths, align)
