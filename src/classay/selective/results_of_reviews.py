"""Reviews with a price: document and JSON (docs/review.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf
from typing import Any

from classay.decision.cut_costs import REPLICATES
from classay.inference.estimate import Estimate, number
from classay.inference.phrasing import percent
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Label,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import titled
from classay.report.shape import ByName, Key, Many, Result, Row
from classay.report.value_kinds import (
    CLASS_LABEL,
    COUNT,
    ESTIMATE,
    FLOAT,
    LEVEL,
    NUMBER_OR_NULL,
    SHARE,
    TEXT,
    WEIGHT,
    warnings,
)
from classay.selective.reviewing import CALLS, SOURCES, Review, prices

RANDOM = (
    f"The interval reflects sampling variability of the test cases. In each of {REPLICATES:,} resamples, both "
    "thresholds are chosen again and assessed on the cases outside the resample (out-of-bag)."
)


def document_of(r: Review) -> Document:
    """Return what to review in sentences, then the thresholds and the costs."""
    froms = ("below", *(_from(cut) for cut in (r.low, r.high)))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (Label(call), Words(at), *map(Count, of_class))
        for call, at, of_class in zip(CALLS, froms, r.counts.tolist(), strict=True)
    )
    columns = (
        Column("", Label),
        Column("from score", Words),
        *(Column(f"true {label}", Count, 1) for label in r.labels),
    )
    chosen = "optimistic, because the thresholds were chosen on these cases"
    costs: tuple[tuple[Cell, ...], ...] = (
        (Label("on these cases"), Value(Estimate.bare(r.cost, chosen))),
        (Label("the same, without reviews"), Value(Estimate.bare(r.without, chosen))),
        (Label("new cases (expected)"), EstimateCell(r.expected)),
    )
    return Document(
        titled("Cases to review", r.model, "by"),
        r.facts,
        r.sentences,
        (
            Section("Thresholds", (Table(columns, rows),)),
            Section(
                "Cost per case", (Table((Column("", Label), Column("cost per case", EstimateCell)), costs),)
            ),
            *closing(RANDOM, r.warnings, ()),
        ),
        sources=SOURCES,
        methods=tuple(_how(r)),
    )


def _how(r: Review) -> Iterator[str]:
    """Yield the choice of the thresholds, and how the interval of the expected cost is found."""
    if r.share:
        yield f"Cases with scores {r.range} are reviewed ({percent(r.share, int(r.total))} of the cases)."
    else:
        yield f"No case is reviewed. {r.sentences[0].split('. ')[-1]}"
    yield "The thresholds have the least cost on these cases."
    if r.expected.has_interval:
        of_posterior = "posterior" in (r.expected.method or "")
        wider = "" if of_posterior else " and widened by the move"
        yield (
            f"The interval of the cost on these cases was moved to the expected cost{wider}. The interval of the "
            "expected cost contains it before and after the move."
        )


def _from(cut: float) -> str:
    return number(cut) if not isinf(cut) else "no score" if cut > 0 else "any score"


def _calls(r: Review) -> Iterator[tuple[str, float | None, Any]]:
    cuts = (None, *(None if isinf(cut) else cut for cut in (r.low, r.high)))
    return zip(("negative", "review", "positive"), cuts, r.counts.tolist(), strict=True)


REVIEW = Result(
    "review",
    1,
    "Two thresholds, between which cases are reviewed",
    "What `to_dict()` of a review returns, and `classay decide --cost review=X --json` writes.",
    Key("model", TEXT),
    Key("labels", Many(CLASS_LABEL), help="The negative and the positive class."),
    Key("costs", ByName(FLOAT), lambda r: dict(prices(r.costs, r.review))),
    Key(
        "calls",
        Many(
            Row(
                Key("call", TEXT, "0"),
                Key("from", NUMBER_OR_NULL, "1", "Lowest score. Null without one."),
                Key(
                    "cases", Many(WEIGHT), "2", "Cases (or weight) of the negative and of the positive class."
                ),
            )
        ),
        _calls,
    ),
    Key("reviewed", SHARE, "share", "Share of the cases that are reviewed."),
    Key("cost", FLOAT, help="Mean cost per case on these cases. Optimistic."),
    Key("cost_without_reviews", FLOAT, "without", "The same of the best single threshold."),
    Key("expected", ESTIMATE, help="Expected mean cost per new case (out-of-bag)."),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key("warnings", warnings("note")),
    kind="review",
)
as_dict: Any = REVIEW.as_dict
