"""Tables for papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from classay.report.comparison import report_of

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
    r"""Text that LaTeX prints as it is.

    >>> print(escaped("a_b & 5 %"))
    a\_b \& 5 \%
    """
    return text.translate(ESCAPES)


def comparisons_table(found: Comparisons) -> str:
    """The comparisons as a table in the style of booktabs, with its caption."""
    report = report_of(found)
    interval = rf"{100 * report.level:g}\,\% interval"
    adjusted = [f"$p$ ({escaped(report.adjustment)})"] if report.adjustment else []
    lines = []
    for block in report.blocks:
        heads = ["", *map(escaped, block.heads), "Difference", interval, "$p$", *adjusted]
        columns = "l" + "r" * len(block.heads) + "rl" + "r" * (1 + len(adjusted))
        note = f" {escaped(block.note)}." if block.note else ""
        lines += [
            r"\begin{table}",
            rf"\caption{{{escaped(block.title)}.{note}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(heads) + r" \\",
            r"\midrule",
        ]
        for line in block.lines:
            p = [line.p, line.adjusted] if adjusted else [line.p]
            cells = [line.title, *line.values, line.difference, line.interval, *p]
            lines.append(" & ".join(map(escaped, cells)) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)
