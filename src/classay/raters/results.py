"""Agreement of raters: document and JSON (docs/raters.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from classay.raters.agreement import SHARES, TITLES, RaterAgreement
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Label,
    MethodCell,
    Section,
    Table,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import BARS
from classay.report.shape import ByName, Key, Many, Result, Row
from classay.report.value_kinds import (
    COUNT,
    ESTIMATE,
    LABEL,
    LEVEL,
    REQUIREMENTS,
    TEXT,
    TEXTS,
    WEIGHT,
    one_of,
    warnings,
)
from classay.texts import amount, hint

RANDOM = (
    "The intervals cover the sampling variability of the cases. These raters are held fixed. Other raters are not "
    "covered. Agreement is not an upper limit of the accuracy of a classifier."
)
SOURCES = (
    "Krippendorff 2011, Computing Krippendorff's alpha-reliability",
    "Gwet 2008, British Journal of Mathematical and Statistical Psychology 61:29",
    "Fleiss 1971, Psychological Bulletin 76:378",
    "Brennan & Prediger 1981, Educational and Psychological Measurement 41:687",
)
MOST_SHOWN = 10


def document_of(a: RaterAgreement) -> Document:
    """Return the coefficients with their intervals, then which raters and which categories disagree."""
    coefficients = [name for name in a.estimates if name not in SHARES]
    shares = [name for name in a.estimates if name in SHARES]
    sections = [
        Section("Coefficients of agreement", (_table(a, coefficients, AxisScale(-1.0, 1.0, zero=0.0)),)),
        Section("Shares", (_table(a, shares, AxisScale()),)),
    ]
    if a.pairs:
        sections.append(Section("Pairs of raters", (_pairs(a),)))
    if a.confusions:
        sections.append(Section("Categories that raters confuse", (_confusions(a),)))
    return Document(
        f"Agreement of {len(a.raters):,} raters",
        (*a.facts, ("confidence level", f"{100 * a.level:g}%")),
        a.sentences,
        (*sections, *closing(RANDOM, a.warnings, _steps(a))),
        sources=SOURCES,
    )


def _steps(a: RaterAgreement) -> list[str]:
    """Return how to use an order of the labels, where they may have one, and how to see all pairs."""
    steps = []
    if a.scale == "nominal" and len(a.labels) > 2 and all(type(label) in (int, float) for label in a.labels):
        options = hint("`scale='ordinal'` or `scale='interval'`", "`--scale ordinal` or `--scale interval`")
        steps.append(f"If the labels are ordered or measured, use {options}.")
    if a.n_pairs > MOST_SHOWN:
        steps.append(f"See more pairs of raters with {hint('`a.pairs`', '`--json raters.json`')}.")
    return steps


def _table(a: RaterAgreement, names: Sequence[str], scale: AxisScale) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        estimate = a[name]
        drawn = Bar(estimate.low, estimate.value, estimate.high) if estimate.has_interval else None
        rows.append((Label(TITLES[name], whole=True), EstimateCell(estimate), drawn, MethodCell(estimate)))
    columns = (
        Column("", Label),
        Column("value", EstimateCell),
        Column("", Bar, BARS),
        Column("CI method", MethodCell),
    )
    return Table(columns, tuple(rows), scale=scale)


def _pairs(a: RaterAgreement) -> Table:
    shown = a.pairs[:MOST_SHOWN]
    rows = tuple(
        (
            Label(f"{pair.first}, {pair.second}", whole=True),
            Count(pair.cases),
            EstimateCell(pair.agreement),
            EstimateCell(pair.kappa),
        )
        for pair in shown
    )
    columns = (
        Column("raters", Label),
        Column("shared cases", Count),
        Column("agreement", EstimateCell),
        Column("Cohen's kappa", EstimateCell),
    )
    note = "" if a.n_pairs == len(shown) else f"The {len(shown)} of {a.n_pairs:,} pairs that agree least."
    methods = dict.fromkeys(pair.kappa.method for pair in shown if pair.kappa.has_interval)
    foot = f"CI methods: Wilson (agreement){''.join(f'; {method} (kappa)' for method in methods)}."
    return Table(columns, rows, note=note, foot=foot)


def _confusions(a: RaterAgreement) -> Table:
    shown = a.confusions[:MOST_SHOWN]
    total = sum(pair.ratings for pair in a.confusions)
    columns = (Column("labels", Label), Column("differing ratings", Words))
    decimals = 0 if all(float(pair.ratings).is_integer() for pair in shown) else 1
    note = (
        ""
        if len(shown) == len(a.confusions)
        else f"The {len(shown)} most frequent of {len(a.confusions):,} pairs."
    )
    foot = (
        "Each case is weighted by its number of ratings. The weighted count of differing ratings is "
        f"{amount(round(total, 1))} of {a.table.n_ratings:,}."
    )
    rows = tuple(
        (Label(f"{pair.first}, {pair.second}", whole=True), Words(f"{pair.ratings:,.{decimals}f}"))
        for pair in shown
    )
    return Table(columns, rows, note=note, foot=foot)


_PAIR = Row(
    Key("first", TEXT),
    Key("second", TEXT),
    Key("cases", COUNT, help="Cases with a label of both."),
    Key("agreement", ESTIMATE, help="Share of these cases with equal labels."),
    Key("kappa", ESTIMATE, help="Cohen's kappa of these cases."),
)
_CONFUSION = Row(
    Key("first", LABEL),
    Key("second", LABEL),
    Key(
        "ratings",
        WEIGHT,
        help="Weighted count of these differing ratings. Each case has its number of ratings as weight.",
    ),
)
RATERS = Result(
    "raters",
    1,
    "Agreement of raters",
    "What `to_dict()` of the agreement of raters returns, and `classay raters --json` writes.",
    Key("raters", TEXTS),
    Key("labels", Many(LABEL), help="All categories, including categories without ratings."),
    Key("scale", one_of("nominal", "ordinal", "interval")),
    Key("cases", COUNT, "n_cases", "Cases with two ratings or more."),
    Key(
        "single",
        COUNT,
        "table.n_single",
        "Cases with one rating. Only the category shares of AC1 and Fleiss' kappa use these cases.",
    ),
    Key("ratings", COUNT, "table.n_ratings", "Ratings of cases with two or more."),
    Key("unlabeled", COUNT, "n_unlabeled", "Ratings or cases that were excluded because they have no label."),
    Key(
        "measures",
        ByName(ESTIMATE).limited(propertyNames={"enum": [*TITLES]}),
        "estimates",
        "The measures of agreement by name.",
    ),
    Key("n_pairs", COUNT, help="Pairs of raters with shared cases."),
    Key("pairs", Many(_PAIR), help="Pairs of raters, at most 1,000, those that agree least first."),
    Key("confusions", Many(_CONFUSION), help="Pairs of labels of one case, the most frequent first."),
    Key("level", LEVEL),
    Key("warnings", warnings("note")),
    REQUIREMENTS,
    kind="raters",
)
as_dict: Any = RATERS.as_dict
