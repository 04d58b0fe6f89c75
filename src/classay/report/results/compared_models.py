"""Comparisons of several models: their document, its pictures, and JSON (docs/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, floor, isfinite, isnan, log10, nan, sqrt
from typing import TYPE_CHECKING

from classay.assessment.finding import leading
from classay.comparison.claims import direction_of
from classay.comparison.comparison import (
    OF_RANKS,
    Comparison,
    PairedByHand,
    ahead,
    finding,
    finding_text,
    friedman_chi_squared,
    more_cases,
)
from classay.comparison.findings_differences import findings_on_comparisons
from classay.comparison.gate_rules import BY_INTERVAL
from classay.comparison.named_tests import allowance, cite, methods_text
from classay.inference.estimate import (
    Estimate,
    chance,
    format_distinct,
    heading,
    measure_phrase,
    number,
    p_equation,
    p_text,
    title,
)
from classay.report.built import built
from classay.report.document import (
    SEED_OF_DRAWS,
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    MethodCell,
    Section,
    Table,
    Tone,
    Words,
)
from classay.report.paper import of_facts
from classay.report.results.assessments import closing
from classay.report.results.classes_and_costs import section_of_roc_space as of_space
from classay.report.results.compared_shapes import COMPARE
from classay.report.results.parts import BARS, switched, with_flow
from classay.report.words import signed
from classay.texts import hint, listed

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons
    from classay.comparison.leaderboard import Leaderboard

RANDOM = {
    "test cases": (
        "Intervals and tests reflect sampling variability of the test cases. The trained models are held "
        "fixed. Retraining is not covered."
    ),
    "drawn cases": (
        "Intervals and tests reflect the choice of the drawn cases. The cases of the pool and the models are "
        "held fixed. Errors of the labels are not covered."
    ),
    "training sets": (
        "Intervals and tests reflect sampling variability of the training and test cases and of the splits. "
        "They are about learners with training sets of this size. Training sets of one data set overlap."
    ),
    "readers and test cases": (
        "Intervals and tests reflect sampling variability of readers and test cases. The modalities are held "
        "fixed."
    ),
    "readers": (
        "Intervals and tests reflect sampling variability of the readers. The cases are held fixed. Other "
        "cases are not covered."
    ),
    "data sets": (
        "Intervals and tests reflect variability between data sets. They assume that the data sets are a "
        "random sample, which is rarely the case."
    ),
}
ODDS = ("P(first better)", "P(equal)", "P(second better)")
ADJUSTED = ("adjusted p",)
"""The head of a table that has no other p-values."""
LEAST_SIDE = 0.15
"""The shorter side of the scale of differences, as a share of the longer one."""


def document_of(family: Comparisons) -> Document:
    """Return the document of comparisons."""
    if not family.shows_pairs:
        return _of_leaderboards(family)
    two = len(family.models) == 2
    heads = heads_of(family)
    tables = (
        _in_one_table(family, heads)
        if two
        else [_of_measure(family, name, heads) for name in family.measures]
    )
    sections = [Section(title, (table,)) for title, table in tables]
    if family.means:
        rows = tuple(
            (Label(name, whole=True), EstimateCell(mean), MethodCell(mean)) for name, mean in family.means
        )
        columns = (Column("", Label), Column("value", EstimateCell), Column("method", MethodCell))
        sections.append(Section("Means", (Table(columns, rows),)))
    if family.space is not None:
        sections.append(of_space(family.space))
    if family.diagram is not None:
        sections.append(
            Section("Mean ranks (1 is best)", (built(family.diagram, "part_of")(family.diagram),))
        )
    if len(family.models) > 2:
        sections += [
            Section(f"{heading(name)}{BY_PAIRS}", (_square(family, name),)) for name in family.measures
        ]
    random = " ".join(filter(None, [_random(family), allowance(family)]))
    if two and family[0].by_hand is not None:
        sections.append(_by_hand(family[0], family[0].by_hand))
    if settling := _settling(family):
        sections.append(Section(SETTLE, (Listing(settling),)))
    return Document(
        f"Comparison of {_listed(family.models)}",
        (*family.facts, (SEED_OF_DRAWS, str(family.seed))),
        _verdict(family),
        (
            *sections,
            *closing(random, family.warnings, (), _methods(family)),
        ),
    )


def _of_leaderboards(family: Comparisons) -> Document:
    """Return several models of one test set: who leads in each measure, and who may be the best."""
    boards = family.leaderboards
    sections = [Section(heading(board.measure), (_leaderboard(family, board),)) for board in boards]
    if family.space is not None:
        sections.append(of_space(family.space))
    if settling := tuple(("", f"{title(each.measure)}: {each.settling}") for each in boards if each.settling):
        sections.append(Section(SETTLE, (Listing(settling),)))
    facts = " ".join(of_facts(family.facts))
    hints = (
        hint(
            "Show the differences of all pairs: `c.in_pairs()`.",
            "Show the differences of all pairs: `--pairs`.",
        ),
    )
    return Document(
        f"Comparison of {_listed(family.models)}",
        (*shortened(family.facts), (SEED_OF_DRAWS, str(family.seed))),
        _verdict(family),
        (
            *sections,
            *closing(_random(family), family.warnings, hints, f"{facts} {methods_of_boards(boards)}"),
        ),
    )


def _random(family: Comparisons) -> str:
    """What varies and what is held fixed: clusters of the test cases, or a reader instead of a second model."""
    text, facts = RANDOM[family.random], dict(family.facts)
    if family.random != "test cases":
        return text
    if "clusters" in facts:
        text = text.replace(
            "the test cases", f"the {facts['clusters']} clusters ({facts['cases']} test cases)"
        )
    if all(name == "recall_at_the_readers_specificity" for name in family.measures):
        text = text.replace("The trained models are", "The model and the reader are")
    return text


def shortened(facts: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the facts, of which the names of very many models are counted."""
    return tuple(
        (name, f"{text.count(', ') + 1}, named below" if name == "models" and len(text) > LONG else text)
        for name, text in facts
    )


LONG = 100
"""Letters of the names of all models up to which they stand among the facts."""
MOST_STANDING = 30
"""Models that a leaderboard shows at once; the frame and the JSON have all."""


def _leaderboard(family: Comparisons, board: Leaderboard) -> Table:
    """A row for each model, the best first: its value, its distance from the best other model, its possible ranks."""
    ordered = board.reason is None
    better = board.better
    rows = []
    for k, one in zip(board.places, board.standings, strict=True):
        cells: list[Cell] = [Label(f"{k:>2}  {one.model}" if ordered else one.model), EstimateCell(one.value)]
        if ordered:
            tone: Tone = "good" if one.may_be_best else "quiet"
            first, last = one.ranks
            cells += [
                Difference(one.lead),
                Words("yes" if one.may_be_best else "no", tone),
                Words(f"{first}" if first == last else f"{first}–{last}"),
                bar_of(one.lead, better, tone) if one.lead.has_interval else None,
            ]
        rows.append(tuple(cells))
    more = len(rows) - MOST_STANDING
    columns = (
        Column("", Label),
        Column("value", EstimateCell),
        *(
            (
                Column("minus best other", Difference),
                Column("may be best", Words),
                Column("place", Words, 1),
                Column("", Bar, BARS),
            )
            if ordered
            else ()
        ),
    )
    together = [
        f"Overall test of equal performance: {p_equation(one.p, 1 - one.claimed_at)}, {one.method}."
        for one in family.overall
        if one.measure == board.measure and not isnan(one.p)
    ]
    side = {1: "Higher is better.", -1: "Lower is better.", 0: ""}[better]
    notes = [side, *together, *(f"{name} has no value ({why})." for name, why in board.absent)]
    if board.reason is not None:
        notes.append(f"Models are not ranked ({board.reason}).")
    feet = [
        f"The table shows the first {MOST_STANDING} of {len(rows)} models." if more > 0 else "",
        TWO_STATEMENTS
        if ordered and any(one.ranks[0] == 1 and not one.may_be_best for one in board.standings)
        else "",
    ]
    return Table(
        columns,
        tuple(rows[:MOST_STANDING]),
        note=" ".join(filter(None, notes)),
        foot=" ".join(filter(None, feet)),
        scale=_scale_of([one.lead for one in board.standings], better) if ordered else None,
        main=MAIN_STANDING,
    )


TWO_STATEMENTS = (
    "A model may be best if a comparison with the best other model does not exclude it. Ranks come from all "
    "pairs and are less precise, so a rank of 1 may be possible for a model that is not best."
)
"""Where a model is shown not to be the best, and by its places may be the first."""
MAIN_STANDING = 15
"""Models that a page shows before more are asked for."""


def methods_of_boards(boards: Sequence[Leaderboard]) -> str:
    """Return how the leaderboards were made, with their sources."""
    ordered = [board for board in boards if board.reason is None]
    if not ordered:
        return ""
    used = ", ".join(dict.fromkeys(title(board.measure) for board in ordered))
    return (
        f"Each model was compared with the best other model in {used} (multiple comparisons with the best). "
        "These intervals are jointly valid, and the set of models that may be best includes the best model "
        f"with {100 * ordered[0].level:g}% confidence. Ranks are those that no pairwise comparison excludes, "
        "with one quantile for all pairs. The expected value of the leader is corrected for its selection. "
        f"{cite('hsu1984', 'edwards1983', 'mogstad2024')}"
    )


def _methods(family: Comparisons) -> str:
    """Return what was compared, how, and the references."""
    facts = " ".join(of_facts(family.facts))
    return " ".join(filter(None, [facts, methods_text(family.comparisons, family.level, family.overall)]))


def with_pictures(document: Document, family: Comparisons) -> Document:
    """The document with one measure at a time; the ROC curves of all models stand in one picture after the differences.

    Sections that follow from the differences are folded.
    """
    squares = [each for each in document.sections if each.title.endswith(BY_PAIRS)]
    tables = [each for each in document.sections if _is_of_measure(each, family) and each not in squares]
    page = _with_curves(document, family)
    for together_as, group, is_folded in (("Measures", tables, False), ("All pairs", squares, True)):
        if len(group) > 1:
            at = page.sections.index(group[0])
            kept = [section for section in page.sections if section not in group]
            together = switched(together_as, group, is_folded=is_folded)
            page = replace(page, sections=(*kept[:at], together, *kept[at:]))
    rest = (replace(section, is_folded=section.is_folded or _is_rest(section)) for section in page.sections)
    return replace(page, sections=tuple(rest))


def _is_of_measure(section: Section, family: Comparisons) -> bool:
    """Check whether a section holds the table of one measure: of all models, or in groups."""
    titles = tuple(heading(name) for name in family.measures)
    in_groups = tuple(f"{title} by " for title in titles)
    return isinstance(section.parts[0], Table) and (
        section.title in titles or section.title.startswith(in_groups)
    )


def _is_rest(section: Section) -> bool:
    """Return what a page of a comparison shows on request."""
    is_named = section.title == SETTLE or section.title.startswith((BY_HAND, ALL_CASES))
    return is_named or section.role == "methods"


BY_PAIRS, BY_HAND, SETTLE = ": row minus column", "Paired t test, step by step", "Sample size needed"
ALL_CASES = "All cases: "


def _with_curves(document: Document, family: Comparisons) -> Document:
    if family.space is not None:
        drawn = Section("ROC space, drawn", (Figures((Figure(family.space.curves, "ROC space"),)),))
    elif family.curves:
        drawn = Section("ROC curves", (Figures((Figure(tuple(family.curves)),)),))
    else:
        return document
    at = 1 + max(
        (k for k, section in enumerate(document.sections) if isinstance(section.parts[0], Table)), default=-1
    )
    return replace(document, sections=(*document.sections[:at], drawn, *document.sections[at:]))


def for_paper(document: Document, family: Comparisons) -> Document:
    """Return the document with the rows that were given and not compared first, as STARD asks for the flow of cases."""
    return with_flow(document, family.left_out)


def heads_of(family: Comparisons) -> tuple[str, ...]:
    """Return what the columns of p-values or probabilities say; none where the intervals alone decide."""
    if any(comparison.odds is not None for comparison in family):
        return ODDS
    tested = [comparison for comparison in family if not isnan(comparison.p)]
    if not tested and any(comparison.rule is not None for comparison in family):
        return ()
    return (
        ("p", *ADJUSTED)
        if len(tested) > 1 and tested[0].p_adjusted is not None and tested[0].adjustment != tested[0].method
        else ("p",)
    )


def _verdict(family: Comparisons) -> tuple[str, ...]:
    """Return the sentences of the findings that lead: the first measure, then the others."""
    return tuple(lead.sentence for lead in leading(findings_on_comparisons(family)))


def _settling(family: Comparisons) -> tuple[tuple[str, str], ...]:
    """For what is open: how many more cases would settle it."""
    alike: dict[str, list[Comparison]] = {}
    for comparison in family:
        if finding(comparison) == "open" and (more := more_cases(comparison)):
            alike.setdefault(more, []).append(comparison)
    return tuple(("", f"{_named(several)}: {more[0].lower()}{more[1:]}") for more, several in alike.items())


MOST_NAMED = 3
"""Comparisons that are named where more cases would settle as many of them; more are counted."""


def _named(several: Sequence[Comparison]) -> str:
    """Return the comparisons that one sentence is about."""
    if len(several) > MOST_NAMED:
        measures = listed(list(dict.fromkeys(title(comparison.measure) for comparison in several)))
        return f"{measures}, all {len(several)} comparisons"
    return "; ".join(f"{title(each.measure)}, {' and '.join(each.models)}" for each in several)


MOST_DIFFERENCES = 12
"""Folds whose differences are written one below the other."""
ROUNDED = 5e-4
"""How far apart two values of t may be that are written alike."""


def _by_hand(one: Comparison, steps: PairedByHand) -> Section:
    """Return the paired t as with a pencil: the differences, their mean and SD, t, and the decision of each rule."""
    first, second = one.models
    size = len(steps.differences)
    steps_said = (
        f"δ is {first} minus {second} in the {size} folds, and the mean of δ is {signed(steps.mean)}. t is "
        "this mean divided by its standard error (SE). Equal performance is rejected at level "
        f"{1 - steps.level:.3g} if |t| exceeds the critical value."
    )
    tables = []
    if size <= MOST_DIFFERENCES:
        heads = (Column("fold", Label), Column(first, Words), Column(second, Words), Column("δ", Words))
        folds = zip(steps.first, steps.second, steps.differences, strict=True)
        rows = [
            (Label(str(k)), Words(number(a), value=a), Words(number(b), value=b), Words(signed(d), value=d))
            for k, (a, b, d) in enumerate(folds, 1)
        ]
        tables.append(Table(heads, tuple(rows), foot=steps_said))
    columns = (
        Column("rule", Label),
        Column("s", Words, 2),
        Column("SE", Words),
        Column("t", Words),
        Column("df", Words),
        Column("|t| >", Words),
        Column("p", Words, 1),
        Column("equal?", Words),
    )
    rules = tuple(
        (
            Label(rule.name, whole=True),
            Words(f"{rule.sd:.4f}", value=rule.sd),
            Words(f"{rule.se:.4f}", value=rule.se),
            Words(f"{rule.t:.3f}", value=rule.t),
            Words(f"{rule.df:.3g}", value=rule.df),
            Words(f"{rule.critical:.3f}", value=rule.critical),
            Words(p_text(rule.p), value=rule.p),
            Words("rejected" if rule.rejects else "not\u00a0rejected"),
        )
        for rule in steps.rules
    )
    inflation = sqrt(size / (size - 1))
    foot = (
        f"Some texts divide by K for the SD, which makes t larger by √(K / (K - 1)) = {inflation:.3f}. The "
        "first two rules treat folds as independent, although their training sets overlap. The last rule "
        "corrects for the overlap and is used by classay."
    )
    nearest = min((abs(rule.t - (one.statistic or nan)) for rule in steps.rules), default=nan)
    if one.method.startswith(tuple(rule.name for rule in steps.rules)) and nearest > ROUNDED:
        foot += (
            f" The test above has t = {one.statistic:.3f}, because it uses the difference over all cases and "
            "the folds differ in size."
        )
    tables.append(Table(columns, rules, note="" if tables else steps_said, foot=foot))
    return Section(f"{BY_HAND}: {heading(one.measure)}", tuple(tables))


def _in_one_table(family: Comparisons, heads: tuple[str, ...]) -> Iterator[tuple[str, Table]]:
    """Yield all measures in one table, the bar of each on a scale of its own."""
    first, second = family[0].models
    note = "Values are means over the data sets." if family.random == "data sets" else ""
    rows = [(Label(heading(comparison.measure), comparison.measure), comparison) for comparison in family]
    table = table_of(rows, family[0].models, heads, note)
    bars = [row[-1] if isinstance(row[-1], Bar) else None for row in table.rows]
    drawn = [
        None if bar is None else replace(bar, scale=scale)
        for bar, scale in zip(bars, _apart(family), strict=True)
    ]
    cells = tuple((*row[:-1], bar) for row, bar in zip(table.rows, drawn, strict=True))
    yield f"{first} minus {second}", replace(table, rows=cells)


def _apart(family: Comparisons) -> list[AxisScale]:
    """Return a scale for each measure, all with 0 at the same place."""
    axes = [_scale([comparison]) for comparison in family]
    reach = [max(-axis.low, axis.high) for axis in axes]
    left = max(-axis.low / most for axis, most in zip(axes, reach, strict=True))
    right = max(axis.high / most for axis, most in zip(axes, reach, strict=True))
    return [
        replace(axis, low=-left * most, high=right * most) for axis, most in zip(axes, reach, strict=True)
    ]


def of_pairs(family: Comparisons) -> Table:
    """Return a table with a row for each measure and pair of models, for the document of another result."""
    rows = [(Label(f"{heading(each.measure)}, {each.models[1]}", each.measure), each) for each in family]
    return table_of(rows, (), heads_of(family), "")


def _of_measure(family: Comparisons, measure: str, heads: tuple[str, ...]) -> tuple[str, Table]:
    part = [comparison for comparison in family if comparison.measure == measure]
    values = ", ".join(f"{name} {number(value)}" for name, value in family.values(measure).items())
    better = {1: "higher is better", -1: "lower is better", 0: ""}[direction_of(part[0])]
    mean = "means over the data sets: " if values and family.random == "data sets" else ""
    together = [
        f"overall test of equal performance: {_statistic(one)}{p_equation(one.p, 1 - one.claimed_at)}, {one.method}"
        for one in family.overall
        if measure in (one.measure, f"{OF_RANKS}{one.measure}") and not isnan(one.p)
    ]
    note = "; ".join(part for part in (mean + values, better, *together) if part)
    rows = [
        (Label(f"{comparison.models[0]} minus {comparison.models[1]}"), comparison) for comparison in part
    ]
    return heading(measure), table_of(rows, (), heads, note)


def _statistic(one: Comparison) -> str:
    """The statistic of Friedman's test that its p belongs to: F, or χ² of the exact test."""
    chi_squared = friedman_chi_squared(one)
    if chi_squared is not None and "F" in one.method.removeprefix("Friedman"):
        f, df, n = one.statistic, one.df, one.n
        return f"F = {f:.4g} on {df:.3g} and {df * (n - 1):.3g} df, " if f and df and n else ""
    return "" if chi_squared is None else f"χ² = {chi_squared:.4g} on {len(one.models) - 1} df, "


def table_of(
    rows: list[tuple[Label, Comparison]],
    models: tuple[str, ...],
    heads: tuple[str, ...],
    note: str,
    cases: Sequence[int] = (),
) -> Table:
    """Comparisons on one scale of differences, beside the values of two models, and the number of cases of each."""
    part = [comparison for _, comparison in rows]
    counts: list[tuple[Cell, ...]] = [(Count(float(each)),) for each in cases] or [()] * len(rows)
    columns = (
        Column("", Label),
        *((Column("cases", Count),) if cases else ()),
        *(Column(name, Words, 2) for name in models),
        Column("difference", Difference),
        *(Column(head, Words) for head in heads),
        Column("finding", Words, 1),
        Column("", Bar, BARS),
    )
    return Table(
        columns,
        tuple(
            (label, *count, *_cells(comparison, models, heads))
            for (label, comparison), count in zip(rows, counts, strict=True)
        ),
        note=note,
        foot=" ".join(filter(None, (_turned(part), _of_what(part), _tests(part), _adjustment(part, heads)))),
        scale=_scale(part),
    )


def _tests(part: list[Comparison]) -> str:
    """Return the tests, with the measures of each where there are several."""
    measures: dict[str, dict[str, None]] = {}
    for one in part:
        if test := _test(one).replace("DeLong's t", "DeLong variance, Student's t"):
            measures.setdefault(test, {})[measure_phrase(one.measure)] = None
    if len(measures) < 2:
        return "".join(f"Test: {test}." for test in measures)
    tests = "; ".join(f"{test} ({', '.join(names)})" for test, names in measures.items())
    return f"Tests: {tests}."


def _adjustment(part: list[Comparison], heads: tuple[str, ...]) -> str:
    """Return how p-values are adjusted, where a column has them adjusted."""
    adjusted = next((one for one in part if one.adjustment and one.family), None)
    if heads != ("p", *ADJUSTED) or adjusted is None:  # tables of groups have a note of their own
        return ""
    return f"Adjusted p: for {adjusted.family:,} tests ({adjusted.adjustment}). Intervals are not adjusted."


def _turned(part: list[Comparison]) -> str:
    """Of which measures lower is better, so that a negative difference is drawn to the right, if no finding says it."""
    lower = dict.fromkeys(
        title(one.measure) for one in part if direction_of(one) < 0 and "(better)" not in finding_text(one)
    )
    return f"Lower is better for {listed([*lower])}." if lower else ""


def _of_what(part: list[Comparison]) -> str:
    """Return what differences are where they are not those of the values beside them."""
    if any(one.effect is not None and (one.effect.method or "").startswith("Hodges-Lehmann") for one in part):
        return "Differences are Hodges-Lehmann medians, not differences of the means."
    return ""


def _test(one: Comparison) -> str:
    return "" if isnan(one.p) and one.rule is None and one.odds is None else one.method


def _margin(part: list[Comparison]) -> float:
    """Return what was called little beforehand."""
    margins = [comparison.margin if comparison.odds is None else comparison.odds.rope for comparison in part]
    return max((margin for margin in margins if margin is not None), default=0.0)


def values_of(one: Comparison) -> list[Words]:
    """Return the values of both models, with digits by which they differ."""
    texts = format_distinct(*one.values)
    return [Words(text, value=x) for text, x in zip(texts, one.values, strict=True)] or [Words("–")] * 2


def _cells(one: Comparison, models: tuple[str, ...], heads: tuple[str, ...]) -> Iterator[Cell]:
    yield from values_of(one) if models else ()
    effect = (
        Estimate.undefined(one.reason or "no difference is defined") if one.effect is None else one.effect
    )
    if isnan(one.p) and one.odds is None and one.reason and one.reason != BY_INTERVAL:
        yield Difference(replace(effect, low=nan, high=nan, reason=one.reason))
        yield from [None] * (len(heads) + 2)
        return
    yield Difference(effect)
    yield from _chances(one, heads)
    tone: Tone = "quiet" if finding(one) == "open" else "good"
    yield Words(finding_text(one), tone)
    yield bar_of(effect, -1 if direction_of(one) < 0 else 1, tone) if effect.has_interval else None


def bar_of(effect: Estimate, sign: int, tone: Tone) -> Bar:
    """Return the interval of a difference with what is better to the right, whether more is better or less."""
    low, high = sorted((sign * effect.low, sign * effect.high))
    return Bar(low, sign * effect.value, high, tone)


def _chances(one: Comparison, heads: tuple[str, ...]) -> list[Words]:
    if heads == ODDS:
        if one.odds is None:
            return [Words("–")] * 3
        chances = (one.odds.first, one.odds.equal, one.odds.second)
        return [Words(chance(x), value=x) for x in (chances if direction_of(one) >= 0 else chances[::-1])]
    p_values = (one.p_adjusted,) if heads == ADJUSTED else (one.p, one.p_adjusted)[: len(heads)]
    return [Words("–" if p is None or isnan(p) else p_text(p, 1 - one.claimed_at), value=p) for p in p_values]


def _square(family: Comparisons, measure: str) -> Table:
    """Return the value of each row's model minus that of each column's, coloured where one is shown to be better."""
    values = family.values(measure)
    pairs = {comparison.models: comparison for comparison in family if comparison.measure == measure}
    rows: list[tuple[Cell, ...]] = []
    for k, a in enumerate(family.models):
        cells: list[Cell] = [
            Label(f"{k + 1}  {a}"),
            Words(number(values[a]) if a in values else "–", "quiet", values.get(a)),
        ]
        for b in family.models:
            one, turned = (pairs.get((a, b)), 1) if (a, b) in pairs else (pairs.get((b, a)), -1)
            if a == b or one is None or one.effect is None or one.effect.is_undefined:
                cells.append(None)
                continue
            front = ahead(one)
            tone: Tone = "plain" if front is None else "good" if front == a else "bad"
            difference = turned * one.effect.value
            cells.append(Words(signed(difference), tone, difference))
        rows.append(tuple(cells))
    numbers = [Column(str(k + 1), Words) for k in range(len(family.models))]
    return Table((Column("", Label), Column("value", Words, 6), *numbers), tuple(rows))


def _scale(part: list[Comparison]) -> AxisScale:
    """Return the scale of the bars of comparisons, wide enough for the intervals and for the margin."""
    effects = [(each.effect, direction_of(each)) for each in part if each.effect is not None]
    bars = [
        bar_of(effect, -1 if better < 0 else 1, "plain") for effect, better in effects if effect.has_interval
    ]
    return scale_around(bars, _margin(part))


def _scale_of(effects: Sequence[Estimate], better: int) -> AxisScale:
    """Return the scale of the bars of differences in one measure."""
    return scale_around([bar_of(effect, better, "plain") for effect in effects if effect.has_interval], 0.0)


def scale_around(bars: Sequence[Bar], margin: float) -> AxisScale:
    """Return a scale with 0 inside, to the right what is better."""
    left, right = max([margin, *(-bar.low for bar in bars)]), max([margin, *(bar.high for bar in bars)])
    least = LEAST_SIDE * max(left, right)
    return AxisScale(-_next(max(left, least)), _next(max(right, least)), 0.0, margin, ("worse", "better"))


def _next(reach: float) -> float:
    """Return the next number with two digits beyond, so that the outermost interval has a little room.

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


as_dict = COMPARE.as_dict
