"""NRI and IDI of two models: document and JSON (docs/reclassification.schema.json)."""

from __future__ import annotations

from typing import Any

from classay.comparison.reclassification import ESTIMATES, Reclassification
from classay.inference.estimate import Estimate, number
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    Label,
    MethodCell,
    Section,
    Table,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import BARS, head, of_estimate, of_warnings, plain
from classay.texts import hint, quote

TITLES = dict(zip(ESTIMATES, ("NRI", "NRI of the positives", "NRI of the negatives", "IDI"), strict=True))
SOURCES = (
    "Pencina, D'Agostino, D'Agostino & Vasan 2008, Statistics in Medicine 27:157",
    "Tango 1998, Statistics in Medicine 17:891",
    "Zou & Donner 2008, Statistics in Medicine 27:1693",
    "Hilden & Gerds 2014, Statistics in Medicine 33:3405",
    "Pepe, Fan, Feng, Gerds & Hilden 2015, Statistics in Biosciences 7:282",
)
RANDOM = (
    "Sampling variability of the test cases, the same for both models. The models are held fixed. Retraining and other "
    "populations are not covered."
)
NEXT = hint(
    "Compare proper scores: `ca.compare(models, y, measures=['log_loss', 'brier_score'])`.",
    "Compare proper scores: `classay compare FILE --truth COL --scores new,old --measures log_loss,brier_score`.",
)


def document_of(r: Reclassification) -> Document:
    """NRI with its two parts and IDI, then how many cases moved."""
    kind = "any change of the probability"
    if r.cuts:
        kind = f"between risk categories (bounds {', '.join(f'{cut:g}' for cut in r.cuts)})"
    facts = (
        ("cases", f"{r.positives + r.negatives:,}"),
        ("cases by class", f"{r.positives:,} positive, {r.negatives:,} negative"),
        ("positive", quote(r.positive)),
        ("moves", kind),
        ("confidence level", f"{100 * r.level:g}%"),
    )
    sections = (
        Section("New minus old", (_estimates(r),)),
        Section("Cases that moved", (_moves(r),)),
        *closing(RANDOM, r.warnings, (NEXT,)),
    )
    return Document("Reclassification by a new model", facts, _verdict(r), sections, sources=SOURCES)


def _verdict(r: Reclassification) -> tuple[str, ...]:
    """Both measures with their intervals, which do not show which model is better."""
    return tuple(f"{TITLES[name]} is {_with_interval(getattr(r, name))}." for name in ("nri", "idi"))


def _with_interval(found: Estimate) -> str:
    if not found.has_interval or found.level is None:
        return f"{number(found.value)} (no CI: {found.reason})"
    return f"{number(found.value)} ({100 * found.level:g}% CI {number(found.low)} to {number(found.high)})"


def _estimates(r: Reclassification) -> Table:
    rows: list[tuple[Cell, ...]] = []
    ends = [abs(end) for each in r.estimates.values() if each.has_interval for end in (each.low, each.high)]
    reach = max(ends, default=1.0)
    for name, found in r.estimates.items():
        bar = Bar(found.low, found.value, found.high, "quiet") if found.has_interval else None
        rows.append((Label(TITLES[name]), Difference(found), bar, MethodCell(found)))
    columns = (
        Column("", Label),
        Column("value", Difference),
        Column("", Bar, BARS),
        Column("method", MethodCell, BARS),
    )
    return Table(columns, tuple(rows), scale=AxisScale(-reach, reach))


def _moves(r: Reclassification) -> Table:
    rows = tuple(
        (Label(name), Count(n), Count(r.moved_up[k]), Count(r.moved_down[k]))
        for k, (name, n) in enumerate((("positive", r.positives), ("negative", r.negatives)))
    )
    names = ("cases", "moved up", "moved down")
    return Table((Column("", Label), *(Column(name, Count) for name in names)), rows)


SCHEMA = 1


def as_dict(r: Reclassification) -> dict[str, Any]:
    """The estimates, the cases and those that moved, as plain values."""
    return {
        **head(SCHEMA, "reclassification"),
        "positive": plain(r.positive),
        "level": r.level,
        "cuts": list(r.cuts),
        **{name: of_estimate(each) for name, each in r.estimates.items()},
        **{
            name: {"cases": n, "moved_up": r.moved_up[k], "moved_down": r.moved_down[k]}
            for k, (name, n) in enumerate((("positives", r.positives), ("negatives", r.negatives)))
        },
        "warnings": of_warnings(r.warnings),
    }
