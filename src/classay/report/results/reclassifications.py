"""NRI and IDI of two models: document and JSON (docs/reclassification.schema.json)."""

from __future__ import annotations

from dataclasses import replace

from classay.comparison.reclassification import ESTIMATES, Reclassification
from classay.inference.estimate import Estimate, level_text, number
from classay.report.document import (
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
from classay.report.results.compared_models import scale_around
from classay.report.results.parts import BARS
from classay.report.shape import Key, Many, Result, Row
from classay.report.value_kinds import COUNT, ESTIMATE, LABEL, LEVEL, WARNINGS
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
        ("positive class", quote(r.positive)),
        ("moves", kind),
        ("confidence level", f"{100 * r.level:g}%"),
    )
    sections = (
        Section("New minus old", (_estimates(r),)),
        Section("Cases that moved", (_moves(r),)),
        *closing(RANDOM, r.warnings, (NEXT,)),
    )
    return Document("Reclassification by a new model", facts, _verdict(r), sections, sources=SOURCES)


SHOWN = {
    "nri": (
        "Averaged over both classes, the new model moves more cases in the correct direction than in the incorrect one",
        "Averaged over both classes, the new model moves more cases in the incorrect direction than in the correct one",
        "No net reclassification was detected",
    ),
    "idi": (
        "The mean probabilities of the two classes are farther apart with the new model",
        "The mean probabilities of the two classes are closer together with the new model",
        "No difference in discrimination slope was detected",
    ),
}
"""What an estimate above 0, one below 0, and one whose interval includes 0 say."""


def _verdict(r: Reclassification) -> tuple[str, ...]:
    """Both measures with their intervals and the direction that they show; neither shows which model is better.

    The two classes may move against each other, so that a change in one of them follows a sum that shows none.
    """
    first, *others = (_sentence(name, getattr(r, name)) for name in SHOWN)
    is_shown = r.nri.has_interval and (r.nri.low > 0 or r.nri.high < 0)
    classes = (
        []
        if is_shown
        else [_of_class(which, r.estimates[f"nri_of_{which}"]) for which in ("positives", "negatives")]
    )
    return (first, *filter(None, classes), *others)


def _of_class(which: str, estimate: Estimate) -> str:
    """In which direction the cases of one class moved, where that is detected."""
    if not estimate.has_interval or estimate.low <= 0 <= estimate.high:
        return ""
    more, less = ("correct", "incorrect") if estimate.value > 0 else ("incorrect", "correct")
    ends = f"{level_text(estimate.level)} {number(estimate.low)} to {number(estimate.high)}"
    return (
        f"More {which} moved in the {more} direction than in the {less} one (NRI of the {which} "
        f"{number(estimate.value)}, {ends})."
    )


def _sentence(name: str, estimate: Estimate) -> str:
    if not estimate.has_interval or estimate.level is None:
        return f"{TITLES[name]} is {number(estimate.value)} (no CI: {estimate.reason})."
    above, below, neither = SHOWN[name]
    text = above if estimate.low > 0 else below if estimate.high < 0 else neither
    ends = f"{100 * estimate.level:g}% CI {number(estimate.low)} to {number(estimate.high)}"
    return f"{text} ({TITLES[name]} {number(estimate.value)}, {ends})."


def _estimates(r: Reclassification) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, estimate in r.estimates.items():
        bar = Bar(estimate.low, estimate.value, estimate.high, "quiet") if estimate.has_interval else None
        rows.append((Label(TITLES[name]), Difference(estimate), bar, MethodCell(estimate)))
    columns = (
        Column("", Label),
        Column("value", Difference),
        Column("", Bar, BARS),
        Column("CI method", MethodCell, BARS),
    )
    bars = [bar for row in rows for bar in row if isinstance(bar, Bar)]
    # numbers at the ends, not "better": neither measure shows which model is
    return Table(columns, tuple(rows), scale=replace(scale_around(bars, 0.0), words=None))


def _moves(r: Reclassification) -> Table:
    rows = tuple(
        (Label(name), Count(n), Count(r.moved_up[k]), Count(r.moved_down[k]))
        for k, (name, n) in enumerate((("positive", r.positives), ("negative", r.negatives)))
    )
    names = ("cases", "moved up", "moved down")
    return Table((Column("", Label), *(Column(name, Count) for name in names)), rows)


_MOVES = Row(*(Key(name, COUNT, str(k)) for k, name in enumerate(("cases", "moved_up", "moved_down"))))
RECLASSIFICATION = Result(
    "reclassification",
    1,
    "Net reclassification and integrated discrimination of a new model",
    "What `to_dict()` of a reclassification returns: NRI with its two parts, IDI, and the cases that moved.",
    Key("positive", LABEL, help="The label of the positive class."),
    Key("level", LEVEL),
    Key(
        "cuts",
        Many(LEVEL),
        help="Probabilities that separate the categories. Empty if any change of the probability counts.",
    ),
    *(Key(name, ESTIMATE) for name in ESTIMATES),
    Key("positives", _MOVES.named("cases"), lambda r: (r.positives, r.moved_up[0], r.moved_down[0])),
    Key("negatives", _MOVES.named("cases"), lambda r: (r.negatives, r.moved_up[1], r.moved_down[1])),
    Key("warnings", WARNINGS),
    kind="reclassification",
)
as_dict = RECLASSIFICATION.as_dict
