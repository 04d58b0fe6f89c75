"""The pages: a figure, a summary and tables for each family, and a short page about all of them.

What is made stands between two marks; the text around it is kept, and belongs to whoever wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from pathlib import Path
from textwrap import fill

from bench.honesty.cells import (
    ENOUGH,
    LEVEL,
    OURS,
    SHORT,
    TAIL,
    WIDER,
    Cell,
    Key,
    error_of,
    too_wide,
)
from bench.honesty.figure import drawn
from bench.honesty.reasons import reason
from bench.honesty.run import BATCH, DRAWS, OF_RIVALS, Setting, Store
from bench.honesty.ways import REPLICATES

MISSED, UNSURE, LEANING = "✗", "?", "◐"
START = "<!-- made by python -m bench honesty: do not edit from here -->"
END = "<!-- to here -->"

FAMILIES = {
    "labels": ("Labels", "Measures of labels of independent cases: two classes, and several."),
    "ordered": (
        "Classes in an order",
        "Measures of labels in an order, of independent cases, in clusters and weighted.",
    ),
    "scores": ("Scores", "Measures of scores of two classes, of independent cases."),
    "calibration": (
        "Calibration",
        "Calibration errors, and measures of logistic recalibration and isotonic regression.",
    ),
    "classes": (
        "Scores of several classes",
        "Measures of the scores of several classes, of independent cases.",
    ),
    "weights": ("Sampling weights", "Cases with sampling weights, that go with the score or are at random."),
    "clusters": ("Clusters", "Cases in clusters, whose scores correlate by 0.36."),
    "curves": ("Curves", "Bands of ROC curves, and what is read off curves."),
    "comparisons": ("Comparisons", ""),
    "groups": ("Groups and prevalence", ""),
    "disparities": ("Disparities", ""),
    "decisions": ("Decisions", ""),
    "learners": ("Learners", ""),
}
"""Title of each page, and its first words where nobody wrote others."""

PROMISE = (
    "A cell is one measure in one setting, by one method. A method **holds** there if, where the smallest class "
    "has {enough} cases (or {enough} clusters hold it), at least {least:.1f}% of its 95% intervals contain the "
    "true value. That is the level of a two-sided interval, of both sides together, by which intervals of "
    "counts are judged by (Agresti & Coull 1998, The American Statistician 52:119; Brown, Cai & DasGupta 2001, "
    "Statistical Science 16:101). On which side they miss is another question (Newcombe 1998, Statistics in Medicine "
    "17:857, keeps the two apart too): a cell that holds **leans** if more than {tail:.0f}% miss on one side, where "
    "2.5% should. It is counted among those that hold, and also separately, with its reason: read it before you use "
    "one limit without the other. A test is the interval of the effects that it does not reject. Its verdict names a "
    "side, so that it holds only if its type I error is at most {most:.1f}% and {tail:.0f}% on either side. Where "
    "the true value is at the end of its range, such as a calibration error of 0, an interval can miss on one side "
    "only, and all of its 5% lie there. The coverage of a proportion is not simulated: it is the sum over all counts "
    "that may come, and has no Monte-Carlo error. Counts are discrete, so that it jumps with the number of cases and "
    "with the true share; such cells that miss the promise are counted apart."
)
MARKS = (
    "[What holds means, seeds and samples](README.md). A cell of the tables gives the coverage in percent, in "
    "brackets the shares of intervals that end below the truth and start above it, and the mean width; of a test "
    "the type I error and its two sides; of other methods not the sides. **{missed}** marks a cell of classay "
    "that misses the promise by more than two Monte-Carlo errors, or that is more than {wider:.0f}% wider than "
    "the narrowest other method that holds there and does not lean; **{unsure}** one that misses it by less; "
    "**{leaning}** one that holds and leans, with more than {tail:.0f}% on one side. The reason is below the "
    "table. Other methods are marked in the same way, except for their width. Nothing is promised for a cell in "
    "square brackets: its setting has fewer cases. Samples without an interval are excluded; their share is printed "
    "if fewer than 99% have one. *Exact* marks an enumerated cell."
)
WHOLE = (
    "Of {cells:,} cells of classay's defaults {hold:,} hold ({share:.1%}), of which {lean} ({lean_share:.1%}) lean; "
    "{discrete} are of proportions, and miss by the discreteness of counts, as enumerated; {miss} others miss by more "
    "than two Monte-Carlo errors, {unsure} ({unsure_share:.1%}) by less, and {wide} of those that hold are more than "
    "{wider:.0f}% wider than another method that holds there and does not lean."
)
MADE = (
    "`python -m bench honesty --store FILE` draws the samples, on all cores, keeps each finished batch of {batch} "
    "in the file, goes on from there after it was stopped, and writes these pages, or with `--family NAME` those of "
    "one family; a page gives the time of its samples. The seed of a batch is the CRC-32 of the setting's name and "
    "the number of the batch. A cell has {samples} samples{further}. Other methods have the first {rivals:,} of them; "
    "the percentile bootstrap has {replicates} resamples or more, and posteriors of cells {draws:,} draws in place of "
    "20,000."
)
TOOK = "The samples of this page took {hours:.1f} hours of one core."
FURTHER = (
    ": cells within two Monte-Carlo errors of a bound of the promise, on either side, are drawn more often"
)
WIDTH = 110


def filled(text: str, **values: object) -> str:
    """A paragraph with these values, in lines."""
    return fill(text.format(**values), WIDTH, break_long_words=False, break_on_hyphens=False)


@dataclass(frozen=True)
class Evidence:
    """The cells of all settings, which settings these are, and what they took."""

    cells: list[Cell]
    settings: Sequence[Setting]
    store: Store

    def of(self, family: str) -> list[Cell]:
        """The cells of a family."""
        return [each for each in self.cells if each.family == family]

    def hours(self, family: str) -> float:
        """Hours of one processor core that the samples of a family took."""
        known = {each.key for each in self.settings if each.family == family}
        return sum(each.seconds for each in self.store.batches.values() if each.setting in known) / 3600


def mark(cell: Cell, rivals: list[Cell]) -> str:
    """How a cell is marked."""
    if not cell.is_promised:
        return ""
    if cell.surely_misses:
        return MISSED
    if cell.way == OURS and too_wide(cell, rivals):
        return MISSED if cell.holds else UNSURE
    if cell.leans:
        return LEANING
    return "" if cell.holds else UNSURE


def shown(cell: Cell, rivals: list[Cell]) -> str:
    """The text of a cell."""
    share = 1 - cell.coverage if cell.is_test else cell.coverage
    text = f"{100 * share:.1f}"
    if cell.sides == 2 and cell.way == OURS:
        text += f" ({100 * cell.below:.1f} / {100 * cell.above:.1f})"
    if not cell.is_test:
        text += f", {cell.width:.3g}"
    if cell.found < 0.99:
        text += f", in {100 * cell.found:.0f}%"
    if cell.exact and cell.way == OURS:
        text += ", exact"
    if not cell.is_promised:
        return f"[{text}]"
    found = mark(cell, rivals)
    return f"**{found} {text}**" if found else text


IN_PLAIN_WORDS = (
    (re.compile(r"\bright\b"), "correct"),
    (re.compile(r"\bwrong\b"), "incorrect"),
    (re.compile(r"\b(positives|cases) each\b"), r"\1 per group"),
)
"""What pages write in names of settings: the names themselves are the seeds, so that they stay."""


def plain(name: str) -> str:
    """The name of a setting or kind of population as pages show it."""
    for old, new in IN_PLAIN_WORDS:
        name = old.sub(new, name)
    return name


def row_name(cell: Cell) -> str:
    """The name of a row: with the kind of population, where its group tells one."""
    _, _, kind = cell.group.partition(": ")
    return plain(f"{kind}: {cell.setting}" if kind else cell.setting)


def section(cell: Cell) -> str:
    """The part of a page."""
    return cell.group.partition(": ")[0]


def rivals_of(cells: Iterable[Cell]) -> dict[Key, list[Cell]]:
    """The cells of others by what they are of."""
    found: dict[Key, list[Cell]] = {}
    for each in cells:
        found.setdefault(each.key, [])
        if each.way != OURS:
            found[each.key].append(each)
    return found


def table(cells: list[Cell]) -> Iterator[str]:
    """The table of a measure."""
    ways = list(dict.fromkeys(each.way for each in cells))
    yield "| setting | " + " | ".join(ways) + " |"
    yield "| --- |" + " --- |" * len(ways)
    rivals, reasons = rivals_of(cells), []
    for _, row in groupby(cells, key=lambda each: each.key):
        by_way = {each.way: each for each in row}
        first = next(iter(by_way.values()))
        others = rivals[first.key]
        texts = [shown(by_way[way], others) if way in by_way else "–" for way in ways]
        yield f"| {row_name(first)} | " + " | ".join(texts) + " |"
        if OURS in by_way and (found := mark(by_way[OURS], others)):
            own = by_way[OURS]
            reasons.append(f"* {found} {row_name(own)}: {reason(own, others, wide=is_wide(own, found))}")
    if reasons:
        yield ""
        yield from reasons


def is_wide(cell: Cell, found: str) -> bool:
    """Whether a cell has its mark for its width."""
    return found == MISSED and not cell.surely_misses


@dataclass(frozen=True)
class Counts:
    """How many cells of a way keep the promise, lean, miss it surely, hold but are too wide; by how many samples."""

    cells: int
    hold: int
    lean: int
    discrete: int
    miss: int
    wide: int
    samples: tuple[int, int]

    @classmethod
    def of(cls, own: list[Cell], rivals: dict[Key, list[Cell]]) -> Counts:
        """Those of cells of one way."""
        wide = sum(each.holds and too_wide(each, rivals[each.key]) for each in own)
        samples = [each.samples for each in own if not each.exact] or [0]
        hold, lean = sum(each.holds for each in own), sum(each.leans for each in own)
        discrete = sum(each.is_discrete for each in own)
        miss = sum(each.surely_misses for each in own) - discrete
        return cls(len(own), hold, lean, discrete, miss, wide, (min(samples), max(samples)))

    @classmethod
    def read(cls, row: str) -> tuple[str, Counts]:
        """The name and the counts of a row."""
        name, samples, _, cells, hold, lean, discrete, miss, _, wide = row.strip("| ").split(" | ")
        ends = [int(each.replace(",", "")) for each in samples.replace("exact", "0").split("–")]
        counts = (
            int(each.partition(" ")[0].replace("–", "0"))
            for each in (cells, hold, lean, discrete, miss, wide)
        )
        return name, cls(*counts, (ends[0], ends[-1]))

    def __add__(self, other: Counts) -> Counts:
        """Those of both, and the least and the greatest number of samples of what was not enumerated."""
        drawn = [each for each in (*self.samples, *other.samples) if each] or [0]
        counts = (
            getattr(self, name) + getattr(other, name)
            for name in ("cells", "hold", "lean", "discrete", "miss", "wide")
        )
        return Counts(*counts, (min(drawn), max(drawn)))

    @property
    def unsure(self) -> int:
        """Cells that miss it by less than two Monte-Carlo errors."""
        return self.cells - self.hold - self.discrete - self.miss

    def row(self, name: str, *, is_ours: bool) -> str:
        """The row of a summary."""
        low, high = self.samples
        samples = span(low, high, "{:,}")
        errors = span(*(100 * error_of(LEVEL, each) for each in (high, low)), "{:.1f}") if low else "0"
        wide = str(self.wide) if is_ours else "–"
        hold = f"{self.cells} | {self.hold} ({self.hold / self.cells:.1%})"
        numbers = f"{hold} | {self.lean} | {self.discrete} | {self.miss} | {self.unsure} | {wide}"
        return f"| {name} | {samples if high else 'exact'} | {errors} | {numbers} |"


HEADS = (
    "samples | Monte-Carlo error | cells | hold | of these lean | miss: discrete | miss (two errors) | unsure | "
    "hold, too wide |"
)


def summary(cells: list[Cell]) -> Iterator[str]:
    """How many cells of each way keep the promise; of classay's, those that are too wide are counted apart."""
    yield f"| method | {HEADS}"
    yield "| --- |" + " --- |" * 9
    rivals = rivals_of(cells)
    for way in dict.fromkeys(each.way for each in cells):
        own = [each for each in cells if each.way == way and each.is_promised]
        if own:
            yield Counts.of(own, rivals).row(way, is_ours=way == OURS)


def span(low: float, high: float, form: str) -> str:
    """Both in this form, one where they are alike."""
    ends = form.format(low), form.format(high)
    return ends[0] if ends[0] == ends[1] else "–".join(ends)


def marked(cells: list[Cell]) -> list[tuple[str, Cell, str]]:
    """The cells of classay that have a mark, with it and their reasons."""
    rivals = rivals_of(cells)
    ours = ((mark(each, rivals[each.key]), each) for each in cells if each.way == OURS)
    return [(found, each, reason(each, [], wide=is_wide(each, found))) for found, each in ours if found]


def fewer(settings: Sequence[Setting]) -> Iterator[str]:
    """What is drawn less often, and why."""
    by_why: dict[str, list[Setting]] = {}
    for each in settings:
        if each.why:
            by_why.setdefault(each.why, []).append(each)
    for why, own in by_why.items():
        most = span(min(each.most or 0 for each in own), max(each.most or 0 for each in own), "{:,}")
        groups = ", ".join(dict.fromkeys(f'"{section_of(each)}"' for each in own))
        yield f"* {groups}: at most {most} samples, because {why}."


def section_of(setting: Setting) -> str:
    """The part of a page that a setting stands in."""
    return setting.group.partition(": ")[0]


def family_lines(evidence: Evidence, family: str, *, is_led: bool = False) -> Iterator[str]:
    """What is made of a page of a family; `is_led` says that its figure stands above what is made."""
    cells = evidence.of(family)
    title = FAMILIES[family][0].lower()
    if not is_led:
        yield f"![Coverage of {title}, by setting: classay and others]({family}.svg)"
        yield ""
    yield from summary(cells)
    yield ""
    yield filled(
        MARKS, missed=MISSED, unsure=UNSURE, leaning=LEANING, wider=100 * (WIDER - 1), tail=100 * TAIL
    )
    yield ""
    yield filled(TOOK, hours=evidence.hours(family))
    less = list(fewer([each for each in evidence.settings if each.family == family]))
    if less:
        yield ""
        yield from less
    for part in dict.fromkeys(map(section, cells)):
        within = [each for each in cells if section(each) == part]
        yield ""
        yield f"## {part}"
        for measure in dict.fromkeys(each.measure for each in within):
            yield ""
            yield f"### {part}: `{measure}`"
            yield ""
            yield from table([each for each in within if each.measure == measure])


def summaries(folder: Path) -> dict[str, dict[str, Counts]]:
    """What the pages of the families say at their heads: by family and method, how many cells keep the promise."""
    found = {}
    for family in FAMILIES:
        page = folder / f"{family}.md"
        _, is_there, rest = (page.read_text(encoding="utf-8") if page.exists() else "").partition(
            f"| method | {HEADS}\n"
        )
        if is_there:
            found[family] = dict(map(Counts.read, rest.partition("\n\n")[0].splitlines()[1:]))
    return found


def overview(evidence: Evidence, folder: Path, kept: str) -> Iterator[str]:
    """What is made of the short page: from the heads of all pages, and of pages not made now the rows in `kept`."""
    by_family = summaries(folder)
    rows = {family: found[OURS] for family, found in by_family.items() if OURS in found}
    whole = reduce(Counts.__add__, rows.values())
    yield filled(
        PROMISE, enough=ENOUGH, least=100 * (LEVEL - SHORT), most=100 * (1 - LEVEL + SHORT), tail=100 * TAIL
    )
    yield ""
    yield filled(
        WHOLE,
        cells=whole.cells,
        hold=whole.hold,
        share=whole.hold / whole.cells,
        lean=whole.lean,
        lean_share=whole.lean / whole.cells,
        discrete=whole.discrete,
        miss=whole.miss,
        unsure=whole.unsure,
        unsure_share=whole.unsure / whole.cells,
        wide=whole.wide,
        wider=100 * (WIDER - 1),
    )
    yield ""
    yield f"| family | {HEADS}"
    yield "| --- |" + " --- |" * 9
    for family, own in rows.items():
        yield own.row(link(family), is_ours=True)
    yield whole.row("all", is_ours=True)
    yield ""
    yield "Others, on the same samples:"
    yield ""
    yield f"| method | {HEADS}"
    yield "| --- |" + " --- |" * 9
    for way in dict.fromkeys(way for found in by_family.values() for way in found if way != OURS):
        of_way = reduce(Counts.__add__, (found[way] for found in by_family.values() if way in found))
        yield of_way.row(way, is_ours=False)
    yield ""
    yield "## How it is made"
    yield ""
    yield filled(
        MADE,
        batch=BATCH,
        samples=span(*whole.samples, "{:,}"),
        further=FURTHER if whole.samples[0] < whole.samples[1] else "",
        rivals=OF_RIVALS,
        replicates=REPLICATES,
        draws=DRAWS,
    )
    yield ""
    yield from fewer(evidence.settings)
    yield ""
    yield "## Cells that miss or lean, and why"
    yield ""
    found: dict[tuple[str, str, str], list[Cell]] = {}
    for sign, cell, why in marked(evidence.cells):
        found.setdefault((cell.family, sign, why), []).append(cell)
    made = {family: link(family) for family in FAMILIES if evidence.of(family)}
    reasons = [line for line in kept.partition(REASONS)[2].splitlines() if line.startswith("| [")]
    yield REASONS
    yield "| --- | --- | --- | --- |"
    for family in FAMILIES:
        if family in made:
            own = ((sign, cells, why) for (of, sign, why), cells in found.items() if of == family)
            yield from (
                f"| {made[family]} | {sign} | {'; '.join(_listed(cells))} | {why} |"
                for sign, cells, why in own
            )
        else:
            yield from (line for line in reasons if line.startswith(f"| {link(family)} |"))


REASONS = "| page | mark | measures and settings | why |"
"""The heads of the table of the cells that have a mark."""


def link(family: str) -> str:
    """The page of a family."""
    return f"[{FAMILIES[family][0]}]({family}.md)"


def _listed(cells: list[Cell]) -> Iterator[str]:
    """Measures with their settings."""
    by_measure: dict[str, list[Cell]] = {}
    for each in cells:
        by_measure.setdefault(each.measure, []).append(each)
    for measure, own in by_measure.items():
        yield f"`{measure}`: " + ", ".join(f"{plain(each.setting)} ({_how_far(each)})" for each in own)


def _how_far(cell: Cell) -> str:
    if cell.is_test:
        return f"{100 * (1 - cell.coverage):.1f}"
    sides = f", {100 * cell.below:.1f} / {100 * cell.above:.1f}" if cell.leans else ""
    return f"{100 * cell.coverage:.1f}{sides}"


def between(text: str, lines: Iterable[str]) -> str:
    """The text with these lines between its marks, which are added at its end if it has none."""
    body = "\n".join([START, "", *lines, "", END])
    if START not in text:
        return text.rstrip("\n") + "\n\n" + body + "\n"
    before, _, rest = text.partition(START)
    return before + body + rest.partition(END)[2]


def write(evidence: Evidence, folder: Path) -> list[Path]:
    """Write the pages and figures of the families that have cells, and the page about all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for family, (title, words) in FAMILIES.items():
        cells = evidence.of(family)
        if not cells:
            continue
        page, picture = folder / f"{family}.md", folder / f"{family}.svg"
        text = (
            page.read_text(encoding="utf-8") if page.exists() else f"# Evidence: {title.lower()}\n\n{words}\n"
        )
        is_led = f"]({family}.svg)" in text.partition(START)[0]
        page.write_text(between(text, family_lines(evidence, family, is_led=is_led)), encoding="utf-8")
        picture.write_text(drawn(cells, {each.setting: row_name(each) for each in cells}), encoding="utf-8")
        made += [page, picture]
    whole = folder / "README.md"
    text = (
        whole.read_text(encoding="utf-8")
        if whole.exists()
        else "# Do the intervals hold what they promise?\n"
    )
    whole.write_text(between(text, overview(evidence, folder, text)), encoding="utf-8")
    return [*made, whole]
