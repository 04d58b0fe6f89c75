"""Tables for papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from classay.report.comparison import report_of
from classay.report.wording import clean

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons

ESCAPES = str.maketrans(
    {
        "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
        "−": "$-$", "<": "$<$", ">": "$>$", "–": "--", "²": "$^2$", "χ": r"$\chi$",
    }
)  # fmt: skip


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is, on one line and without what a terminal would obey.

    >>> print(escaped("a_b & 5 %"))
    a\_b \& 5 \%
    """
    return clean(text).translate(ESCAPES)


def _row(cells: Sequence[str]) -> str:
    """A row of a table. A bracket or star that begins it would be read as an argument of the row before."""
    guard = "{}" if cells[0][:1] in ("[", "*") else ""
    return guard + " & ".join(cells) + r" \\"


def _head(head: str, first: str) -> str:
    """The head of a column of p-values or probabilities."""
    if head == "p":
        return "$p$"
    return f"$p$ ({escaped(head)})" if first == "p" else escaped(head)


def comparisons_table(found: Comparisons) -> str:
    """The comparisons as a table in the style of booktabs, with its caption."""
    report = report_of(found)
    interval = rf"{100 * report.level:g}\,\% interval"
    chances = [_head(head, report.chances[0]) for head in report.chances]
    lines = []
    for block in report.blocks:
        heads = ["", *map(escaped, block.heads), "Difference", interval, *chances]
        columns = "l" + "r" * len(block.heads) + "rl" + "r" * len(chances)
        note = f" {escaped(block.note.rstrip('.'))}." if block.note else ""
        methods = dict.fromkeys(line.test for line in block.lines if line.test)
        note += f" Methods: {escaped('; '.join(methods))}." if methods else ""
        lines += [
            r"\begin{table}",
            rf"\caption{{{escaped(block.title)}.{note}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _row(heads),
            r"\midrule",
        ]
        for line in block.lines:
            cells = [line.title, *line.values, line.difference, line.interval, *line.chances]
            lines.append(_row([escaped(cell) for cell in cells]))
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)
