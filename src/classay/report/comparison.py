"""The plain report of comparisons: all that a reader sees, before rendering."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING

from classay.comparison.comparison import Comparison, p_text
from classay.comparison.gate import BY_INTERVAL
from classay.comparison.methods_text import allowance
from classay.comparison.wording import (
    ahead,
    chance,
    direction_of,
    finding,
    more_cases,
    sentence_of,
    small,
    title,
)
from classay.inference.estimate import number

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons
    from classay.comparison.critical_difference import CriticalDifference

RANDOM = {
    "test cases": (
        "The test cases. Intervals and tests tell what another sample of cases might show of these trained models, not "
        "what training them again would change."
    ),
    "training sets": (
        "The cases, for training and for testing, and the splits: the claims are about learners fitted to training "
        "sets of this size. Training sets of one data set overlap."
    ),
    "data sets": (
        "The data sets. The claims are about further data sets like these, which are seldom a random sample of any."
    ),
}
ODDS = ("P(first better)", "P(equal)", "P(second better)")
SENTENCES = 8
"""Sentences that open the report; the rest are counted."""


@dataclass(frozen=True)
class Line:
    """One comparison: the texts of its columns, its place in the picture, and which model is ahead, if one is.

    `chances` are p-values or probabilities, under the report's heads. `low`, `at` and `high` are the ends and the
    middle of the interval, NaN where there is none.
    """

    title: str
    values: tuple[str, ...]
    difference: str
    interval: str
    chances: tuple[str, ...]
    finding: str
    test: str
    low: float
    at: float
    high: float
    reason: str = ""


@dataclass(frozen=True)
class Block:
    """Comparisons on one scale of differences, from -`reach` to `reach`; `heads` name the columns of values.

    `margin` is that given beforehand, or the difference called equal in practice; 0 where there is none.
    """

    title: str
    note: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    reach: float
    margin: float = 0.0


@dataclass(frozen=True)
class Cell:
    """A cell of the pairwise matrix: the row's value less the column's, and 1, -1 or 0 for better, worse, open."""

    text: str
    standing: int


@dataclass(frozen=True)
class Square:
    """The pairwise matrix of one measure."""

    title: str
    names: tuple[str, ...]
    values: tuple[str, ...]
    rows: tuple[tuple[Cell | None, ...], ...]


@dataclass(frozen=True)
class ComparisonReport:
    """Everything about the comparisons, in the order a person reads it; `chances` head the columns of p-values."""

    title: str
    facts: tuple[tuple[str, str], ...]
    verdict: tuple[str, ...]
    blocks: tuple[Block, ...]
    squares: tuple[Square, ...]
    settling: tuple[str, ...]
    chances: tuple[str, ...]
    level: float
    methods: str
    random: str
    version: str
    ranks: CriticalDifference | None = None


def report_of(found: Comparisons) -> ComparisonReport:
    """The report of comparisons."""
    from classay import __version__

    two = len(found.models) == 2 and all(len(each.values) == 2 for each in found)
    heads = _heads(found)
    blocks = (
        _of_two(found, heads) if two else tuple(_of_measure(found, name, heads) for name in found.measures)
    )
    return ComparisonReport(
        f"Comparison of {_listed(found.models)}",
        found.facts,
        _verdict(found),
        blocks,
        () if len(found.models) == 2 else tuple(_square(found, name) for name in found.measures),
        _settling(found),
        heads,
        found.level,
        found.methods_text(),
        " ".join(filter(None, [RANDOM[found.random], allowance(found)])),
        __version__,
        found.diagram,
    )


def _heads(found: Comparisons) -> tuple[str, ...]:
    """What the columns of p-values or probabilities say; none where the intervals alone decide."""
    if any(each.odds is not None for each in found):
        return ODDS
    made = [each for each in found if not isnan(each.p)]
    if not made and any(each.rule is not None for each in found):
        return ()
    return (
        ("p", made[0].adjustment or "")
        if len(made) > 1 and made[0].p_adjusted is not None and made[0].adjustment != made[0].method
        else ("p",)
    )


def _verdict(found: Comparisons) -> tuple[str, ...]:
    """The sentences of what is shown, then of what is open, as far as there is room."""
    shown = [sentence_of(each) for each in found if finding(each) != "open"]
    is_open = [sentence_of(each) for each in found if finding(each) == "open"]
    sentences = [*shown, *is_open]
    if len(sentences) <= SENTENCES:
        return tuple(sentences)
    kept = shown[:SENTENCES]
    if len(shown) > len(kept):
        return (*kept, f"{len(shown) - len(kept)} more differences are shown below.")
    rest = len(is_open)
    if any(each.rule is not None for each in found):
        return (*kept, f"In {rest} comparisons the rule is not shown to hold.")
    return (
        *kept,
        f"In the other {rest} comparisons the data do not show which is better."
        if kept
        else f"In none of {rest} comparisons do the data show which is better.",
    )


def _settling(found: Comparisons) -> tuple[str, ...]:
    """For what is open: how many more cases would settle it."""
    lines = []
    for each in found:
        more = more_cases(each) if finding(each) == "open" else ""
        if more:
            lines.append(f"{title(each.measure)}, {' and '.join(each.models)}: {more[0].lower()}{more[1:]}")
    return tuple(lines)


def _of_two(found: Comparisons, heads: tuple[str, ...]) -> tuple[Block, ...]:
    """All measures in one block, but for those whose differences are not shares: these have a scale of their own."""
    first, second = found[0].models
    shares = [each for each in found if each.measure not in ("log_loss",)]
    others = [each for each in found if each.measure in ("log_loss",)]
    blocks = []
    for name, part in ((f"{first} less {second}", shares), (f"{first} less {second}, in nats", others)):
        if part:
            lines = tuple(_line(each, _capital(title(each.measure)), each.models, heads) for each in part)
            note = "Values are means over the data sets." if found.random == "data sets" else ""
            blocks.append(Block(name, note, part[0].models, lines, _reach(part), _margin(part)))
    return tuple(blocks)


def _of_measure(found: Comparisons, measure: str, heads: tuple[str, ...]) -> Block:
    part = [each for each in found if each.measure == measure]
    lines = tuple(_line(each, f"{each.models[0]} less {each.models[1]}", (), heads) for each in part)
    values = ", ".join(f"{name} {number(value)}" for name, value in found.values(measure).items())
    better = {1: "higher is better", -1: "lower is better", 0: ""}[direction_of(part[0])]
    mean = "means over the data sets: " if values and found.random == "data sets" else ""
    together = [
        f"all alike: p {p_text(one.p) if one.p < 0.0001 else f'= {p_text(one.p)}'}, {one.method}"
        for one in found.overall
        if one.measure == measure and not isnan(one.p)
    ]
    note = "; ".join(part for part in (mean + values, better, *together) if part)
    return Block(_capital(title(measure)), note, (), lines, _reach(part), _margin(part))


def _margin(part: list[Comparison]) -> float:
    """What was called little beforehand."""
    given = [each.margin if each.odds is None else each.odds.rope for each in part]
    return max((each for each in given if each is not None), default=0.0)


def _line(one: Comparison, name: str, models: tuple[str, ...], heads: tuple[str, ...]) -> Line:
    effect = one.effect
    nan = float("nan")
    has = effect is not None and effect.has_interval
    return Line(
        name,
        tuple(number(value) for value in one.values) if models and one.values else ("–",) * len(models),
        "–" if effect is None or effect.is_undefined else signed(effect.value),
        f"[{signed(effect.low)}, {signed(effect.high)}]" if effect is not None and has else "",
        _chances(one, heads),
        finding(one),
        "" if isnan(one.p) and one.rule is None and one.odds is None else one.method,
        effect.low if effect is not None and has else nan,
        effect.value if effect is not None and has else nan,
        effect.high if effect is not None and has else nan,
        (one.reason or "") if isnan(one.p) and one.odds is None and one.reason != BY_INTERVAL else "",
    )


def _chances(one: Comparison, heads: tuple[str, ...]) -> tuple[str, ...]:
    if heads == ODDS:
        if one.odds is None:
            return ("–",) * 3
        found = (one.odds.first, one.odds.equal, one.odds.second)
        return tuple(map(chance, found if direction_of(one) >= 0 else found[::-1]))
    each = (one.p, one.p_adjusted)[: len(heads)]
    return tuple("–" if p is None or isnan(p) else p_text(p) for p in each)


def _square(found: Comparisons, measure: str) -> Square:
    values = found.values(measure)
    pairs = {each.models: each for each in found if each.measure == measure}
    rows = []
    for a in found.models:
        cells: list[Cell | None] = []
        for b in found.models:
            one, turned = (pairs.get((a, b)), 1) if (a, b) in pairs else (pairs.get((b, a)), -1)
            if a == b or one is None or one.effect is None or one.effect.is_undefined:
                cells.append(None)
                continue
            front = ahead(one)
            cells.append(
                Cell(signed(turned * one.effect.value), 0 if front is None else 1 if front == a else -1)
            )
        rows.append(tuple(cells))
    shown = tuple(number(values[name]) if name in values else "–" for name in found.models)
    return Square(_capital(title(measure)), found.models, shown, tuple(rows))


def _reach(part: list[Comparison]) -> float:
    """The end of the scale: the next of 1, 2, 3, 5 times a power of ten beyond all intervals."""
    ends = [
        abs(end) for each in part if each.effect is not None for end in (each.effect.low, each.effect.high)
    ]
    most = max((end for end in (*ends, _margin(part)) if isfinite(end)), default=0.0)
    if most <= 0:
        return 1.0
    step = 10.0**-12
    while step * 10 < most:
        step *= 10
    return next(round(step * k, 12) for k in (1, 2, 3, 5, 10) if step * k >= most * (1 - 1e-9))


def signed(value: float) -> str:
    """A difference with its sign.

    >>> signed(0.0123), signed(-0.5), signed(0.0)
    ('+0.012', '−0.500', '0')
    """
    return small(value) if value == 0 else ("+" if value > 0 else "−") + small(abs(value))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(names: tuple[str, ...]) -> str:
    if len(names) > 4:
        return f"{len(names)} models"
    return f"{', '.join(names[:-1])} and {names[-1]}"
