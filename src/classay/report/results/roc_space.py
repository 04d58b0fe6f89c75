"""Classifiers without scores in ROC space: their document and their JSON."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

from classay.assessment.roc_space import ALWAYS, NEVER, RocPoint, RocSpace
from classay.decision.costs import Costs
from classay.inference.estimate import number
from classay.report.document import (
    Column,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Prose,
    Section,
    Table,
    Words,
)
from classay.report.results.parts import of_estimate, plain
from classay.texts import listed, quote

TITLE = "ROC space"


def document_of(space: RocSpace) -> Document:
    """The points with their intervals, and which of them is cheapest at which cost."""
    facts = (("positive", quote(space.positive)), ("prevalence", f"{100 * space.prevalence:.4g} %"))
    return Document(
        f"{TITLE} of {listed([*space.names])}",
        facts,
        sentences(space),
        (Section(TITLE, (table_of(space),)),),
        sources=("Provost & Fawcett 2001, Machine Learning 42:203",),
    )


def with_pictures(document: Document, space: RocSpace) -> Document:
    """The document with the polygons and their hull."""
    drawn = Section("Picture", (Figures((Figure(space.curves, TITLE),)),))
    return Document(**{**vars(document), "sections": (*document.sections, drawn)})


def section_of(space: RocSpace) -> Section:
    """The section that stands in a comparison of labels."""
    return Section(TITLE, (*(Prose(each) for each in sentences(space)), table_of(space)))


def sentences(space: RocSpace) -> tuple[str, ...]:
    """Which classifiers are never the cheapest, whatever errors cost; nothing of a single one on the hull."""
    never = space.never_best
    told = () if space.costs is None else (_cheapest(space, space.costs),)
    if not never:
        some = "On these cases each of them is the cheapest at some cost of errors."
        return told if len(space.points) == 1 else (some, *told)
    verb = "is" if len(never) == 1 else "are"
    return (f"On these cases {listed([*never])} {verb} never the cheapest, whatever errors cost.", *told)


def _cheapest(space: RocSpace, costs: Costs) -> str:
    """Who is cheapest at these costs; those that look at nothing take part."""
    best = [
        {NEVER: "calling nobody", ALWAYS: "calling everybody"}.get(each, each)
        for each in space.cheapest(costs)
    ]
    return (
        f"At the costs given, {listed(best)} {'is' if len(best) == 1 else 'are'} the cheapest on these cases."
    )


def table_of(space: RocSpace) -> Table:
    """A row for each classifier: its rates, the area of the polygon through it, and at which costs it is cheapest."""
    columns = (
        Column("", Label),
        Column("false positive rate", Found),
        Column("true positive rate", Found),
        Column("AUC of the point", Found, 1),
        Column("cheapest where FN costs", Words),
    )
    rows = tuple(
        (
            Label(each.name),
            Found(each.false_positive_rate),
            Found(each.recall),
            Found(each.auc),
            Words(_range(each), "plain" if each.is_ever_best else "quiet"),
        )
        for each in space.points
    )
    foot = (
        "The AUC of one point is (recall + specificity) / 2, the balanced accuracy. Costs of a false negative are in "
        f"units of a false positive, at the prevalence here, {100 * space.prevalence:.3g} %; below the least of them "
        "calling nobody is cheapest, above the greatest calling everybody."
    )
    return Table(columns, rows, foot=foot)


def _range(point: RocPoint) -> str:
    """The costs at which a classifier is cheapest, in units of a false positive."""
    low, high = point.best_from, point.best_to
    if isnan(low):
        return "never"
    if high == inf:
        return "always" if low == 0 else f"{number(low)} or more"
    return f"{number(low)} to {number(high)}"


def as_dict(space: RocSpace) -> dict[str, Any]:
    """The space as plain values."""
    return {
        "positive": plain(space.positive),
        "prevalence": space.prevalence,
        "points": [
            {
                "model": each.name,
                "false_positive_rate": of_estimate(each.false_positive_rate),
                "recall": of_estimate(each.recall),
                "auc": of_estimate(each.auc),
                "best_from": plain(each.best_from),
                "best_to": plain(each.best_to),
            }
            for each in space.points
        ],
        "hull": list(space.hull),
        "never_best": list(space.never_best),
    } | ({} if space.costs is None else {"cheapest": list(space.cheapest(space.costs))})
