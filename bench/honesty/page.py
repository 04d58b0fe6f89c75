"""The page: one table a group and measure, settings by ways; what misses the promise is marked, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from bench.honesty.folds import Size
from bench.honesty.reasons import reason
from bench.honesty.run import LEVEL, Cell
from bench.honesty.ways import OURS

SHORT = 0.015
"""How far below its level a coverage may be."""
TAIL = 0.04
"""How often a limit may be passed on one side."""
WIDER = 1.1
"""How much wider than the narrowest way that holds an interval may be."""
ENOUGH = 10
"""Cases of the smallest class, or clusters that hold it, from which the promise holds."""
MISSED, UNSURE = "✗", "?"

HEAD = """# Do the intervals hold what they promise?

Made by `python -m bench honesty`; do not edit. Level {level:.0%}. The first table gives the number of samples for each
setting and method, with the Monte-Carlo error of a coverage near 95 %. A cell gives the coverage (share of intervals
that end below the truth / start above it) and the mean width.

The promise: where the smallest class has {enough} cases (or {enough} clusters hold it), a coverage of at least
{least:.1f} %, at most {tail:.0f} % misses on either side, and an interval no more than {wider:.0f} % wider than the
narrowest method that keeps the other two.

* **{missed}** marks a cell of classay that misses the promised coverage, or that of one side, by more than two
  Monte-Carlo errors, or that keeps both and is too wide; the reason stands below the table.
* **{unsure}** marks a cell that misses the promise by less.
* Other methods are marked in the same way, except for their width.
* A cell in brackets belongs to a setting with fewer cases, for which nothing is promised.
* Samples without an interval are left out; their share is printed if fewer than 99 % of the samples have one.
* "Held out" groups have settings that were not used to choose any constant of a method.
"""
INTERVALS = """Learners × sizes × methods on data sets of one population (5 normal features, two equal classes, Bayes'
error 24 %), after the benchmark by Schulz-Kümpel et al. (arXiv:2409.18836), which has 13 methods, 19
populations and 7 learners. All methods see the same data sets. "classay" is the default of `evaluate`,
the corrected t over 10 × 10 folds. The conservative z (Nadeau & Bengio 2003) takes its variance from 15
holdouts in each half of 10 cuts, 300 fits more. Bayle's z (2020) takes it from the losses within one
run of folds. An interval may be about one of two quantities: the accuracy expected of models fitted to
as many cases as a fold trains on, which classay states for repeated folds, or the accuracy of the one
model fitted to all cases, which the nested interval states. The second varies with the data set, and
its model has a ninth more cases to learn from."""


def holds(cell: Cell) -> bool:
    """Whether coverage and both sides keep the promise, as measured."""
    return cell.coverage >= LEVEL - SHORT and max(cell.below, cell.above) <= TAIL


def surely_misses(cell: Cell) -> bool:
    """Whether they miss it by more than two Monte-Carlo errors."""
    side = max(cell.below, cell.above)
    of_side = 2 * (side * (1 - side) / cell.intervals) ** 0.5
    return cell.coverage + 2 * cell.error < LEVEL - SHORT or side - of_side > TAIL


def too_wide(cell: Cell, rivals: Iterable[Cell]) -> bool:
    """Whether a rival that holds, with as many intervals, is narrower by more than allowed."""
    widths = [each.width for each in rivals if holds(each) and each.found >= cell.found - 0.02]
    return bool(widths) and cell.width > WIDER * min(widths)


def mark(cell: Cell, rivals: list[Cell]) -> str:
    if cell.rarer < ENOUGH:
        return ""
    if surely_misses(cell):
        return MISSED
    if cell.way == OURS and too_wide(cell, rivals):
        return MISSED if holds(cell) else UNSURE
    return "" if holds(cell) else UNSURE


def shown(cell: Cell, rivals: list[Cell]) -> str:
    sides = f"{100 * cell.below:.1f} / {100 * cell.above:.1f}"
    text = f"{100 * cell.coverage:.1f} ({sides}), {cell.width:.3g}"
    if cell.found < 0.99:
        text += f", in {100 * cell.found:.0f} %"
    found = mark(cell, rivals)
    if cell.rarer < ENOUGH:
        return f"[{text}]"
    return f"**{found} {text}**" if found else text


def table(cells: list[Cell]) -> Iterator[str]:
    """The table of a measure in a group."""
    ways = list(dict.fromkeys(each.way for each in cells))
    yield "| setting | " + " | ".join(ways) + " |"
    yield "| --- |" + " --- |" * len(ways)
    reasons = []
    for setting, row in groupby(cells, key=lambda each: each.setting):
        by_way = {each.way: each for each in row}
        others = [each for each in by_way.values() if each.way != OURS]
        texts = [shown(by_way[way], others) if way in by_way else "–" for way in ways]
        yield f"| {setting} | " + " | ".join(texts) + " |"
        if OURS in by_way and mark(by_way[OURS], others) == MISSED:
            reasons.append(f"{setting}: {reason(by_way[OURS], wide=not surely_misses(by_way[OURS]))}")
    if reasons:
        yield ""
        yield from (f"* {MISSED} {each}" for each in reasons)


def summary(cells: list[Cell]) -> Iterator[str]:
    """How many cells of each way keep the promise; of classay's, those that are too wide are counted apart."""
    yield "| way | samples | Monte-Carlo error | cells | hold | miss (two errors) | unsure | hold, too wide |"
    yield "| --- |" + " --- |" * 7
    for way in dict.fromkeys(each.way for each in cells):
        own = [each for each in cells if each.way == way and each.rarer >= ENOUGH]
        if own:
            yield f"| {way} | {counts(own, cells)} |"


def counts(own: list[Cell], cells: list[Cell]) -> str:
    """The numbers of a row of the summary."""
    samples, most = (of(each.samples for each in own) for of in (min, max))
    kept, missed = sum(map(holds, own)), sum(map(surely_misses, own))
    wide = sum(holds(each) and too_wide(each, rivals_of(each, cells)) for each in own)
    shown = str(wide) if own[0].way == OURS else "–"
    numbers = len(own), kept, missed, len(own) - kept - missed
    drawn, errors = span(samples, most, "{:,}"), span(100 * error_of(most), 100 * error_of(samples), "{:.1f}")
    return f"{drawn} | {errors} | {' | '.join(map(str, numbers))} | {shown}"


def span(low: float, high: float, form: str) -> str:
    """Both in this form, one where they are alike."""
    ends = form.format(low), form.format(high)
    return ends[0] if ends[0] == ends[1] else "–".join(ends)


def rivals_of(cell: Cell, cells: list[Cell]) -> list[Cell]:
    """The cells of other ways for the same measure in the same setting."""
    same = cell.group, cell.setting, cell.measure
    return [each for each in cells if (each.group, each.setting, each.measure) == same and each.way != OURS]


def error_of(samples: int) -> float:
    """The Monte-Carlo error of a coverage of so many samples, near the level."""
    return float((LEVEL * (1 - LEVEL) / samples) ** 0.5)


def sizes(found: list[Size]) -> Iterator[str]:
    """The table of tests over folds."""
    tests = list(dict.fromkeys(each.test for each in found))
    yield "| learner | " + " | ".join(tests) + " |"
    yield "| --- |" + " --- |" * len(tests)
    for learner, row in groupby(found, key=lambda each: each.learner):
        texts = {
            each.test: f"{'**✗** ' if each.surely_too_large else ''}{100 * each.size:.1f}" for each in row
        }
        yield f"| {learner} | " + " | ".join(texts.get(test, "–") for test in tests) + " |"


def write(cells: list[Cell], of_folds: list[Size], intervals: list[Cell], page: Path) -> None:
    """Write the page: head, summary, a table for each group and measure, intervals and tests over folds."""
    head = HEAD.format(
        level=LEVEL,
        enough=ENOUGH,
        least=100 * (LEVEL - SHORT),
        tail=100 * TAIL,
        wider=100 * (WIDER - 1),
        missed=MISSED,
        unsure=UNSURE,
    )
    lines = [head, *summary(cells)]
    for group in dict.fromkeys(each.group for each in cells):
        lines += ["", f"## {group}"]
        for measure in dict.fromkeys(each.measure for each in cells if each.group == group):
            lines += ["", f"### {group}: `{measure}`", ""]
            lines += table([each for each in cells if (each.group, each.measure) == (group, measure)])
    if intervals:
        lines += ["", f"## {intervals[0].group}", "", INTERVALS, "", *summary(intervals)]
        for measure in dict.fromkeys(each.measure for each in intervals):
            lines += ["", f"### {measure.capitalize()}", ""]
            lines += table([each for each in intervals if each.measure == measure])
    if of_folds:
        lines += ["", "## Learners over folds: tests", ""]
        lines.append(
            "How often a test claims, at 5 %, that one of two equal learners is better, in percent; "
            f"{min(each.data_sets for each in of_folds)} data sets each or more. **✗**: over 6.5 by more than two "
            "Monte-Carlo errors.\n"
        )
        lines += sizes(of_folds)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
