"""One proportion by every method: its document and its JSON (docs/proportion.schema.json)."""

from __future__ import annotations

from typing import Any

from classay.inference.methods import REFERENCES
from classay.inference.proportions import PROPORTION_METHODS
from classay.inference.side_by_side import Proportion
from classay.report.document import AxisScale, Bar, Column, Document, Found, Label, Section, Table, Words
from classay.report.results.parts import bar, head
from classay.report.words import interval, value

REMARKS = {
    "Wilson": "the default of every proportion here",
    "Clopper-Pearson": "never covers less than the level, often more",
    "Wald": "the textbook's, of the normal distribution: too narrow near 0 and 1",
    "corrected Wald": "the same with the correction of continuity",
}


def document_of(p: Proportion) -> Document:
    """The share with the interval of each method, the default first."""
    level = f"{100 * p.level:g} %"
    columns = (Column("method", Label), Column("value", Found), Column("", Bar, 9), Column("", Words, 8))
    rows = tuple(
        (Label(name, whole=True), Found(each), bar(each, (0.0, 1.0)), Words(REMARKS.get(name, ""), "quiet"))
        for name, each in p.estimates.items()
    )
    first, default = next(iter(p.estimates.items()))
    facts = (("successes", f"{p.successes:,}"), ("cases", f"{p.cases:,}"), ("level", level))
    verdict = f"The share is {value(default)} {interval(default)}, {first}'s interval at {level}."
    return Document(
        f"{p.successes:,} of {p.cases:,}",
        facts,
        (verdict,),
        (Section("By every method", (Table(columns, rows, scale=AxisScale()),)),),
        sources=tuple(REFERENCES[source] for _, source in PROPORTION_METHODS.values()),
    )


SCHEMA = 1


def as_dict(p: Proportion) -> dict[str, Any]:
    """The share and its intervals as plain values."""
    return {
        **head(SCHEMA, "proportion"),
        "successes": p.successes,
        "cases": p.cases,
        "value": p.value,
        "level": p.level,
        "intervals": {
            name: {
                "low": each.low,
                "high": each.high,
                "reference": REFERENCES[PROPORTION_METHODS[name][1]],
            }
            for name, each in p.estimates.items()
        },
    }
