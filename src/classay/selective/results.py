"""Guarantees: document, picture and JSON (docs/guarantee.schema.json)."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import Any

from classay.inference.estimate import Estimate
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    MethodCell,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import (
    COUNT,
    ESTIMATE,
    LABEL,
    LEVEL,
    NUMBER_OR_NULL,
    SHARE,
    TEXT,
    one_of,
    warnings,
)
from classay.selective.guarantee import Guarantee, threshold_text
from classay.selective.rules import BETS, COMMON, OF_CLUSTERS, SEQUENCE
from classay.texts import hint

RANDOM = (
    "The guarantee covers the sampling variability of the test cases and the choice of the threshold. The "
    "classifier is held fixed. Other populations and later changes of the data are not covered."
)
ASSUMED = "The guarantee assumes that the risk does not fall with falling confidence."
METHODS = {
    COMMON: "The threshold is the lowest of up to 20 ranks, in geometric steps, that passes an exact test. The "
    "probability that any rank with too high a risk passes is at most 1 minus the confidence level.",
    SEQUENCE: "The distinct confidences are tested from the surest down, until the first fails (Learn then Test, "
    "binomial, exact).",
    OF_CLUSTERS: "Ranks are tested from half of the clusters down, until the first fails (upper limit with the "
    "jackknife over clusters). Clusters are independent, and their cases are not.",
    BETS: "A betting test of the mean loss is made at up to 12 ranks, in geometric steps. A rank that passes hands its "
    "significance level to the next rank. The order of bets is random, and its seed is chosen beforehand. In clusters, "
    "bets are made on the sums of their losses, divided by the greatest size that a cluster can have.",
}
SOURCES = {
    SEQUENCE: ("Angelopoulos et al. 2021, Learn then test, arXiv 2110.01052",),
    OF_CLUSTERS: (
        "Angelopoulos et al. 2021, Learn then test, arXiv 2110.01052",
        "MacKinnon & White 1985, Journal of Econometrics 29:305",
    ),
    BETS: ("Waudby-Smith & Ramdas 2024, Journal of the Royal Statistical Society Series B 86:1",),
}
MOST_SHOWN = 50


def document_of(g: Guarantee) -> Document:
    """Return the guarantee in sentences, then the thresholds with their coverage and risk."""
    rules = list(dict.fromkeys(promise.rule for promise in g.promises if promise.rule))
    covers = f"{RANDOM} {ASSUMED}" if COMMON in rules else RANDOM
    return Document(
        "Cases to decide with a guarantee",
        g.facts,
        g.sentences,
        (
            Section("Thresholds", (_table(g),)),
            *closing(covers, g.warnings, _steps(g), "\n\n".join(METHODS[rule] for rule in rules)),
        ),
        sources=tuple(dict.fromkeys(source for rule in rules for source in SOURCES.get(rule, ()))),
    )


def with_pictures(document: Document, g: Guarantee) -> Document:
    """Return the document with the picture of risk by coverage."""
    if not g.curves:
        return document
    drawn = Section("Risk by coverage", (Figures((Figure(g.curves),)),))
    return replace(document, sections=(drawn, *document.sections))


def _steps(g: Guarantee) -> list[str]:
    if g.decided or g.of != "all" or g.nearest is None or g.demand.measure == "mean loss":
        return []
    nearest = g.demand.written(g.nearest)
    written = hint(f"`guarantee={nearest!r}`", f"`--guarantee {nearest!r}`")
    return [f"Collect more cases, or test {written} on new cases."]


def _table(g: Guarantee) -> Table:
    head = "" if g.of == "all" else "predicted class" if g.of == "class" else "group"
    shown = g.promises[:MOST_SHOWN]
    rows: list[tuple[Cell, ...]] = []
    for promise, ranked in zip(shown, g.ranked, strict=False):
        name = "all cases" if promise.name is None else str(promise.name)
        rows.append(
            (
                Label(name, whole=True),
                Count(promise.cases),
                Words(
                    threshold_text(ranked, promise.threshold) if promise.decided else "none",
                    value=promise.threshold,
                ),
                Value(_share(promise.coverage_at_value)),
                Value(_share(promise.coverage)),
                EstimateCell(promise.risk),
                MethodCell(promise.risk),
            )
        )
    columns = (
        Column(head, Label),
        Column("cases", Count),
        Column("threshold", Words),
        Column("coverage at the observed risk", Value),
        Column("guaranteed coverage", Value),
        Column("risk", EstimateCell),
        Column("CI method", MethodCell),
    )
    note = "" if len(shown) == len(g.promises) else f"The first {len(shown)} of {len(g.promises):,}."
    foot = f"The guarantee is {g.demand.text} at a confidence level of {100 * g.level:g}%"
    return Table(
        columns,
        tuple(rows),
        note=note,
        foot=f"{foot}{', jointly valid for all rows' if len(rows) > 1 else ''}.",
    )


def _share(value: float) -> Estimate:
    return Estimate.bare(value, "a share of these cases")


def _number(value: float) -> float | None:
    return None if isnan(value) else value


_PROMISE = Row(
    Key("name", LABEL, help="Predicted class or group, null for all cases."),
    Key("cases", COUNT),
    Key("decided", COUNT, help="Cases of at least the threshold, 0 if nothing can be promised."),
    Key("threshold", NUMBER_OR_NULL, lambda p: _number(p.threshold), "Null if nothing can be promised."),
    Key("coverage", SHARE, help="Share of the cases that may be decided."),
    Key(
        "coverage_at_value",
        SHARE,
        help="Greatest share whose observed risk is within the limit (optimistic).",
    ),
    Key("risk", ESTIMATE, help="Risk of the decided cases with its upper limit."),
    Key("rule", one_of("", *METHODS), help="Rule that chose the threshold."),
    Key("fewest", COUNT, help="Fewest cases without an error that could be promised."),
)
GUARANTEE = Result(
    "guarantee",
    1,
    "Cases to decide with a guarantee",
    "What `to_dict()` of a guarantee returns, and `classay decide --guarantee --json` writes.",
    Key("model", TEXT),
    Key("guarantee", TEXT, "demand.text"),
    Key("allowed_risk", SHARE, "demand.risk"),
    Key("level", LEVEL, help="Probability that all guarantees hold."),
    Key("cases", COUNT, "n_cases"),
    Key("decided", COUNT),
    Key("coverage", SHARE, help="Guaranteed coverage."),
    Key("coverage_at_value", SHARE, help="Coverage at the observed risks (optimistic)."),
    Key(
        "threshold",
        NUMBER_OR_NULL,
        lambda g: _number(g.threshold),
        "Null without one threshold of all cases.",
    ),
    Key("risk", ESTIMATE, help="Risk of the decided cases with its upper limit."),
    Key(
        "recall",
        NUMBER_OR_NULL,
        lambda g: _number(g.recall),
        "Null unless positive predictions are promised.",
    ),
    Key("thresholds_of", one_of("all", "class", "group"), "of"),
    Key("thresholds", Many(_PROMISE), "promises"),
    Key(
        "nearest_risk",
        NUMBER_OR_NULL,
        "nearest",
        "Least risk that passes, if the guarantee does not. "
        "This risk is chosen from the same data, so it is not guaranteed.",
    ),
    Key(
        "cases_needed",
        COUNT.or_null(),
        "needed",
        "Cases that would show the guarantee at the observed risks.",
    ),
    Key("warnings", warnings("note", "repeated_ids")),
    kind="guarantee",
)
as_dict: Any = GUARANTEE.as_dict
