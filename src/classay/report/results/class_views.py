"""Thresholds of several classes, and the tree of those that are confused: their documents and their JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.assessment.class_views import ClassThresholds, ConfusionTree, tree_lines
from classay.inference.estimate import number
from classay.report.document import (
    Cell,
    Column,
    Cutoff,
    Document,
    Label,
    MethodCell,
    Section,
    Table,
    Words,
)
from classay.report.results.parts import head, of_estimate, plain, titled

if TYPE_CHECKING:
    from classay.decision.decision import Decision


def document_of(found: ClassThresholds | ConfusionTree) -> Document:
    """The document of either."""
    return _of_thresholds(found) if isinstance(found, ClassThresholds) else _of_tree(found)


def _of_thresholds(found: ClassThresholds) -> Document:
    rows: list[tuple[Cell, ...]] = [
        (Label(str(label)), Cutoff(each.threshold, _written(each)), MethodCell(each.threshold))
        for label, each in found.decisions.items()
    ]
    rows += [(Label(str(label)), Words("–"), Words(why)) for label, why in found.without.items()]
    columns = (Column("class", Label), Column("threshold", Cutoff), Column("method", MethodCell, 3))
    said = "Each class against the rest: a case may be called several classes by these, or none."
    thresholds = Section("Thresholds", (Table(columns, tuple(rows)),))
    return Document(titled("A threshold for each class", found.model), (), (said,), (thresholds,))


def _written(each: Decision) -> str:
    return each.texts_of(each.threshold.value)[0]


def _of_tree(found: ConfusionTree) -> Document:
    note = (
        "The rate of two classes is the share of the cases of both that are taken for the other, of groups the mean "
        "over their pairs. Each line holds those below it that stand further in."
    )
    lines = tuple((Label(text, whole=True), Words(number(rate))) for text, rate in tree_lines(found))
    tree = Table((Column("classes", Label), Column("rate", Words)), lines, note=note)
    return Document(
        titled("Classes that are confused", found.model, "by"),
        (),
        (found.sentence,),
        (Section("Tree", (tree,)),),
    )


def as_dict(found: ClassThresholds | ConfusionTree) -> dict[str, Any]:
    """Either as plain values."""
    if isinstance(found, ClassThresholds):
        return head(1, "class_thresholds") | {
            "classes": [
                {"label": plain(label), "threshold": of_estimate(each.threshold)}
                for label, each in found.decisions.items()
            ],
            "without": [{"label": plain(label), "reason": why} for label, why in found.without.items()],
        }
    return head(1, "confusion_tree") | {
        "errors": plain(found.errors),
        "joins": [_of_group(each) for each in found.joins],
    }


def _of_group(each: Any) -> dict[str, Any]:
    return {
        "labels": [plain(label) for label in each.labels],
        "rate": plain(each.rate),
        "errors": plain(each.errors),
    }
