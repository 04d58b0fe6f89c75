"""Pages of docs/evidence that simulations of wings write: tables of coverage, and marks of cells that miss.

A program that writes one runs from the root of the repository: python -m tests.groups.test_new_group
"""

import re
import time
from pathlib import Path

import numpy as np

PAGES = Path(__file__).parents[2] / "docs" / "evidence"
PROMISE = 93.5
"""Percent of the 95% intervals that must contain the truth, less two Monte-Carlo errors."""


def error_of(samples):
    """The Monte-Carlo error of a coverage of 95%, in percentage points."""
    return 100 * (0.95 * 0.05 / samples) ** 0.5


def marked(text, covers, error):
    """A cell, marked where it covers less than the promise: ✗ by more than two Monte-Carlo errors, ? by less."""
    if np.isnan(covers):
        return "–"
    if covers >= PROMISE:
        return text
    return f"**✗ {text}**" if covers < PROMISE - 2 * error else f"? {text}"


def coverage_cell(low, high, truth):
    """Coverage in percent, misses below and above, and mean width, of the samples that have an interval."""
    low, high = (np.asarray(end, float) for end in (low, high))
    known = ~(np.isnan(low) | np.isnan(high))
    if not known.any():
        return "–", np.nan
    low, high, truth = low[known], high[known], np.broadcast_to(truth, low.shape)[known]
    below, above = 100 * (truth > high).mean(), 100 * (truth < low).mean()
    covers = 100 - below - above
    text = f"{covers:.1f} ({below:.1f} / {above:.1f}), {(high - low).mean():.3g}"
    if known.mean() < 0.99:
        text += f", of {100 * known.mean():.0f}% of samples"
    return marked(text, covers, error_of(known.sum())), covers


def table(heads, rows):
    """The lines of a table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def tables_of(name):
    """The tables of a page by their titles, so that a program may add one to those that take long."""
    parts = (PAGES / f"{name}.md").read_text(encoding="utf-8").split("\n## ")[1:]
    return {title: text.strip() + "\n" for title, text in (part.split("\n\n", 1) for part in parts)}


def marks_in(tables, column):
    """How many cells of a column hold, how many there are, and the lowest number that one begins with."""
    cells = [
        line.split(" | ")[column].strip("|* \n")
        for text in tables
        for line in re.findall(r"^\|.*$", text, re.MULTILINE)[2:]
    ]
    lowest = min(float(re.search(r"[\d.]+", cell)[0]) for cell in cells)
    return sum(cell[0] not in "✗?" for cell in cells), len(cells), lowest


def write_page(name, head, sections, program, since, *, is_more=False):
    """Write a page from its head, and tables by their titles; the time of its samples is that of the process.

    If there `is_more`, other tables are those of the page before. Their time is added: it is a limit, since tables that
    are replaced stay in it.
    """
    seconds = time.process_time() - since
    if is_more:
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        seconds += 60 * int(re.search(r"this page took (?:at most )?(\d+) minute", text)[1])
    minutes = max(round(seconds / 60), 1)
    title, *rest = head.strip().split("\n")
    made = f"<!-- made by python -m {program}: do not edit from here -->"
    text = "\n".join([title, "", rest[1], "", made, *rest[2:]])
    limit = "at most " if is_more else ""
    text += f"\n\nThe samples of this page took {limit}{minutes} minute{'s' if minutes > 1 else ''} of one core.\n"
    text += "".join(f"\n## {title}\n\n{lines}" for title, lines in sections.items())
    (PAGES / f"{name}.md").write_text(text, encoding="utf-8")
