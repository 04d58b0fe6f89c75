"""The document of comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, floor, isfinite, isnan, log10, nan
from typing import TYPE_CHECKING

from classay.comparison.claim import direction_of
from classay.comparison.comparison import Comparison
from classay.comparison.methods_text import allowance, methods_text
from classay.comparison.rules import BY_INTERVAL
from classay.comparison.wording import ahead, finding, more_cases, sentence_of
from classay.inference.estimate import Estimate, apart, number
from classay.inference.words import chance, heading, p_equation, p_text, title
from classay.report.document import (
    Bar,
    Cell,
    Column,
    Diagram,
    Difference,
    Document,
    Figure,
    Figures,
    Label,
    Listing,
    Scale,
    Section,
    Table,
    Tone,
    Words,
)
from classay.report.documents.assessment import closing
from classay.report.documents.parts.left_out import with_flow
from classay.report.documents.parts.tables import BARS
from classay.report.paper.sentences import of_facts
from classay.report.pictures.ranks import ranks_svg
from classay.report.words import signed

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons
    from classay.comparison.datasets.critical_difference import CriticalDifference

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
LEAST_SIDE = 0.15
"""The shorter side of the scale of differences, as a share of the longer one."""
SENTENCES = 8
"""Sentences that open the report; the rest are counted."""


def document_of(found: Comparisons) -> Document:
    """The document of comparisons."""
    from classay import __version__

    two = len(found.models) == 2
    heads = _heads(found)
    tables = _of_two(found, heads) if two else [_of_measure(found, name, heads) for name in found.measures]
    sections = [Section(title, (table,)) for title, table in tables]
    if found.diagram is not None:
        sections.append(Section("Mean ranks, 1 the best", (_ranks(found.diagram),)))
    if len(found.models) > 2:
        sections += [
            Section(f"{heading(name)}: row less column", (_square(found, name),)) for name in found.measures
        ]
    random = " ".join(filter(None, [RANDOM[found.random], allowance(found)]))
    if settling := _settling(found):
        sections.append(Section("What would settle it", (Listing(settling),)))
    return Document(
        f"Comparison of {_listed(found.models)}",
        found.facts,
        _verdict(found),
        (
            *sections,
            *closing(random, (), (), _methods(found)),
        ),
        version=__version__,
    )


def _methods(found: Comparisons) -> str:
    """What was compared, how, and the references."""
    facts = " ".join(of_facts(found.facts))
    return " ".join(filter(None, [facts, methods_text(found.each, found.level, found.overall)]))


def with_pictures(document: Document, found: Comparisons) -> Document:
    """The document with the ROC curves of all models in one picture, behind the differences."""
    if not found.curves:
        return document
    drawn = Section("ROC curves", (Figures((Figure(found.curves),)),))
    at = 1 + max(
        (k for k, each in enumerate(document.sections) if isinstance(each.parts[0], Table)), default=-1
    )
    return replace(document, sections=(*document.sections[:at], drawn, *document.sections[at:]))


def for_paper(document: Document, found: Comparisons) -> Document:
    """The document with the rows that were given and not compared first, as STARD asks for the flow of cases."""
    return with_flow(document, found.left_out)


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
    left_out = _omissions(found)
    if len(sentences) <= SENTENCES:
        return (*left_out, *sentences)
    kept = shown[:SENTENCES]
    more = len(shown) - len(kept)
    further = [f"{more} more {'finding is' if more == 1 else 'findings are'} shown below."] if more else []
    return (*left_out, *kept, *further, *_of_the_open(found, len(is_open), is_alone=not shown))


def _omissions(found: Comparisons) -> tuple[str, ...]:
    """What two models did not answer and was left out; of more models, where it is one-sided."""
    told = [each.omissions for each in found if each.omissions is not None and each.rule is None]
    two = len(found.models) == 2
    return tuple(dict.fromkeys(f"{each.sentence}." for each in told if two or each.is_one_sided))


def _of_the_open(found: Comparisons, count: int, *, is_alone: bool) -> tuple[str, ...]:
    """How many comparisons are open, in a sentence; none where all are settled."""
    if not count:
        return ()
    if any(each.rule is not None for each in found):
        return (f"In {count} comparisons the rule is not shown to hold.",)
    if is_alone:
        return (f"In none of {count} comparisons do the data show which is better.",)
    return (f"In the other {count} comparisons the data do not show which is better.",)


def _settling(found: Comparisons) -> tuple[tuple[str, str], ...]:
    """For what is open: how many more cases would settle it."""
    lines = []
    for each in found:
        more = more_cases(each) if finding(each) == "open" else ""
        if more:
            lines.append(
                ("", f"{title(each.measure)}, {' and '.join(each.models)}: {more[0].lower()}{more[1:]}")
            )
    return tuple(lines)


def _of_two(found: Comparisons, heads: tuple[str, ...]) -> Iterator[tuple[str, Table]]:
    """All measures in one table, but for those whose differences are not shares: these have a scale of their own."""
    first, second = found[0].models
    shares = [each for each in found if each.measure not in ("log_loss",)]
    others = [each for each in found if each.measure in ("log_loss",)]
    note = "Values are means over the data sets." if found.random == "data sets" else ""
    for name, part in ((f"{first} less {second}", shares), (f"{first} less {second}, in nats", others)):
        if part:
            rows = [(Label(heading(each.measure), each.measure), each) for each in part]
            yield name, _table(rows, part[0].models, heads, note)


def of_pairs(found: Comparisons) -> Table:
    """A measure of a pair of models a row, as a table for the document of something else."""
    rows = [(Label(f"{heading(each.measure)}, {each.models[1]}", each.measure), each) for each in found]
    return _table(rows, (), _heads(found), "")


def _of_measure(found: Comparisons, measure: str, heads: tuple[str, ...]) -> tuple[str, Table]:
    part = [each for each in found if each.measure == measure]
    values = ", ".join(f"{name} {number(value)}" for name, value in found.values(measure).items())
    better = {1: "higher is better", -1: "lower is better", 0: ""}[direction_of(part[0])]
    mean = "means over the data sets: " if values and found.random == "data sets" else ""
    together = [
        f"all alike: {p_equation(one.p)}, {one.method}"
        for one in found.overall
        if one.measure == measure and not isnan(one.p)
    ]
    note = "; ".join(part for part in (mean + values, better, *together) if part)
    rows = [(Label(f"{each.models[0]} less {each.models[1]}"), each) for each in part]
    return heading(measure), _table(rows, (), heads, note)


def _table(
    rows: list[tuple[Label, Comparison]], models: tuple[str, ...], heads: tuple[str, ...], note: str
) -> Table:
    """Comparisons on one scale of differences, beside the values of the models where there are two."""
    part = [each for _, each in rows]
    columns = (
        Column("", Label),
        *(Column(name, Words, 2) for name in models),
        Column("difference", Difference),
        *(Column(head, Words) for head in heads),
        Column("finding", Words, 1),
        Column("", Bar, BARS),
    )
    tests = dict.fromkeys(test for each in part if (test := _test(each)))
    return Table(
        columns,
        tuple((label, *_cells(each, models, heads)) for label, each in rows),
        note=note,
        foot=f"Tests: {'; '.join(tests)}." if tests else "",
        scale=_scale(part),
    )


def _test(one: Comparison) -> str:
    return "" if isnan(one.p) and one.rule is None and one.odds is None else one.method


def _margin(part: list[Comparison]) -> float:
    """What was called little beforehand."""
    given = [each.margin if each.odds is None else each.odds.rope for each in part]
    return max((each for each in given if each is not None), default=0.0)


def _cells(one: Comparison, models: tuple[str, ...], heads: tuple[str, ...]) -> Iterator[Cell]:
    values = apart(*one.values) if models and one.values else ["–"] * len(models)
    yield from map(Words, values)
    effect = Estimate.undefined(one.reason or "no difference") if one.effect is None else one.effect
    if isnan(one.p) and one.odds is None and one.reason and one.reason != BY_INTERVAL:
        yield Difference(replace(effect, low=nan, high=nan, reason=one.reason))
        yield from [None] * (len(heads) + 2)
        return
    yield Difference(effect)
    yield from map(Words, _chances(one, heads))
    word = finding(one)
    tone: Tone = "quiet" if word == "open" else "good"
    yield Words(word, tone)
    yield _bar(effect, -1 if direction_of(one) < 0 else 1, tone) if effect.has_interval else None


def _bar(effect: Estimate, sign: int, tone: Tone) -> Bar:
    """The interval of a difference with what is better to the right, whether more is better or less."""
    low, high = sorted((sign * effect.low, sign * effect.high))
    return Bar(low, sign * effect.value, high, tone)


def _chances(one: Comparison, heads: tuple[str, ...]) -> tuple[str, ...]:
    if heads == ODDS:
        if one.odds is None:
            return ("–",) * 3
        found = (one.odds.first, one.odds.equal, one.odds.second)
        return tuple(map(chance, found if direction_of(one) >= 0 else found[::-1]))
    each = (one.p, one.p_adjusted)[: len(heads)]
    return tuple("–" if p is None or isnan(p) else p_text(p) for p in each)


def _square(found: Comparisons, measure: str) -> Table:
    """The value of each row's model less that of each column's, coloured where one is shown to be better."""
    values = found.values(measure)
    pairs = {each.models: each for each in found if each.measure == measure}
    rows: list[tuple[Cell, ...]] = []
    for k, a in enumerate(found.models):
        cells: list[Cell] = [
            Label(f"{k + 1}  {a}"),
            Words(number(values[a]) if a in values else "–", "quiet"),
        ]
        for b in found.models:
            one, turned = (pairs.get((a, b)), 1) if (a, b) in pairs else (pairs.get((b, a)), -1)
            if a == b or one is None or one.effect is None or one.effect.is_undefined:
                cells.append(None)
                continue
            front = ahead(one)
            tone: Tone = "plain" if front is None else "good" if front == a else "bad"
            cells.append(Words(signed(turned * one.effect.value), tone))
        rows.append(tuple(cells))
    numbers = [Column(str(k + 1), Words) for k in range(len(found.models))]
    return Table((Column("", Label), Column("value", Words, 6), *numbers), tuple(rows))


def _ranks(found: CriticalDifference) -> Diagram:
    lines = tuple(
        (model, f"{rank:.2f}", " ".join("│" if model in clique else " " for clique in found.cliques))
        for model, rank in zip(found.models, found.ranks, strict=True)
    )
    note = (
        f"A line joins models not told apart at {1 - found.level:.3g}: {found.method}."
        if found.cliques
        else ""
    )
    return Diagram(ranks_svg(found), lines, note)


def _scale(part: list[Comparison]) -> Scale:
    """The scale of the bars, to the right what is better: as wide as the intervals and what was called little."""
    bars = [
        _bar(each.effect, -1 if direction_of(each) < 0 else 1, "plain")
        for each in part
        if each.effect is not None and each.effect.has_interval
    ]
    margin = _margin(part)
    left, right = max([margin, *(-each.low for each in bars)]), max([margin, *(each.high for each in bars)])
    least = LEAST_SIDE * max(left, right)
    return Scale(-_next(max(left, least)), _next(max(right, least)), 0.0, margin, ("worse", "better"))


def _next(reach: float) -> float:
    """The next number with two digits beyond, so that the outermost interval has a little room.

    >>> _next(0.214), _next(0.0), _next(3e-5)
    (0.23, 1.0, 3.2e-05)
    """
    if not isfinite(reach) or reach <= 0:
        return 1.0
    step = 10.0 ** (floor(log10(reach)) - 1)
    return float(f"{step * ceil(1.04 * reach / step):.2g}")


def _listed(names: tuple[str, ...]) -> str:
    if len(names) > 4:
        return f"{len(names)} models"
    return f"{', '.join(names[:-1])} and {names[-1]}"
