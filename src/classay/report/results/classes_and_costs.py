"""Several classes or classifiers at a glance: thresholds of classes, cut points, confused classes, ROC space, costs.

Documents and JSON (docs/class-thresholds, cut-points, confusion-tree and decision.schema.json).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, isnan
from typing import TYPE_CHECKING, Any, get_args

from classay.assessment.class_views import ClassThresholds
from classay.assessment.confusion_tree import ConfusionTree, tree_lines
from classay.assessment.roc_space import ALWAYS, NEVER, RocPoint, RocSpace
from classay.curves.acting import cost_trivial
from classay.curves.curve import Curve
from classay.decision.cost_curves import CostCurves
from classay.decision.costs import Costs
from classay.decision.cut_costs import REPLICATES
from classay.decision.cut_points import CutPoints
from classay.inference.estimate import Estimate, format_estimate, number
from classay.kinds import ScoreScale
from classay.report.document import (
    Cell,
    Column,
    Count,
    Cutoff,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    MethodCell,
    Prose,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import titled
from classay.report.shape import ByName, Key, Kind, Many, Result, Row
from classay.report.value_kinds import (
    CLASS_LABEL,
    COUNT,
    CURVE,
    ESTIMATE,
    FLAG,
    FLOAT,
    LABEL,
    LEVEL,
    MEASURE,
    NUMBER,
    RATE,
    TEXT,
    TEXTS,
    WARNINGS,
    WEIGHT,
    one_of,
)
from classay.report.words import count
from classay.texts import listed, quote, some

if TYPE_CHECKING:
    from classay.decision.decision import Decision


def document_of_thresholds(by_class: ClassThresholds) -> Document:
    """Return the threshold of each class, or why it has none."""
    rows: list[tuple[Cell, ...]] = [
        (
            Label(str(label)),
            Cutoff(decision.threshold, _written(decision)),
            EstimateCell(decision.expected.objective),
            Value(decision.apparent),
            MethodCell(decision.threshold),
        )
        for label, decision in by_class.decisions.items()
    ]
    rows += [
        (Label(str(label)), Words("–"), Words(""), Words(""), Words(why))
        for label, why in by_class.without.items()
    ]
    first = next(iter(by_class.decisions.values()))
    columns = (
        Column("class", Label),
        Column("threshold", Cutoff),
        Column(f"{first.objective}, new cases", EstimateCell, 1),
        Column("these cases", Value, 2),
        Column("CI method", MethodCell, 3),
    )
    facts = (
        ("cases", count(first.cases)),
        ("classes", f"{len(rows):,}"),
        ("rule", f"{first.rule.text}, for each class against the rest"),
        ("confidence level", f"{100 * first.level:g}%"),
        ("seed", str(first.seed)),
    )
    table = Table(columns, tuple(rows))
    methods = {decision.threshold.method for decision in by_class.decisions.values()}
    said_once = table.without_methods() if len(methods) == 1 and not by_class.without else table
    thresholds = Section("Thresholds", (said_once,))
    title = titled("Thresholds of the classes", by_class.model)
    sections = (thresholds, *closing("", by_class.warnings, ()))
    return Document(title, facts, _sentences_of_thresholds(by_class), sections)


def _sentences_of_thresholds(thresholds: ClassThresholds) -> tuple[str, ...]:
    """Return which class is served worst, by how much and how sure; and what it means that each was chosen apart."""
    note = (
        "Each threshold separates one class from the rest, so a case may be predicted as several classes "
        "or as none."
    )
    known = {
        label: each
        for label, each in thresholds.decisions.items()
        if not each.expected.objective.is_undefined
    }
    if len(known) < 2:
        return (note,)
    is_cost = next(iter(known.values())).rule.cost is not None
    (worst, least), *_, (best, most) = sorted(
        known.items(), key=lambda pair: (-1 if is_cost else 1) * pair[1].expected.objective.value
    )
    what = "the cost per case" if is_cost else f"{least.objective}"
    return (
        f"On new cases, {what} is {'highest' if is_cost else 'lowest'} for {quote(worst)}, "
        f"{format_estimate(least.expected.objective)}, and {'lowest' if is_cost else 'highest'} for {quote(best)}, "
        f"{format_estimate(most.expected.objective)}.",
        note,
    )


def _written(decision: Decision) -> str:
    return decision.texts_of(decision.threshold.value)[0]


CLASS_THRESHOLDS = Result(
    "class-thresholds",
    1,
    "Thresholds of the classes",
    "What `a.class_thresholds(…).to_dict()` returns: the threshold of each class against the rest, by the "
    "requested rule.",
    Key(
        "classes",
        Many(Row(Key("label", LABEL, "0"), Key("threshold", MEASURE, "1.threshold"))),
        lambda thresholds: thresholds.decisions.items(),
    ),
    Key(
        "without",
        Many(Row(Key("label", LABEL, "0"), Key("reason", TEXT, "1"))),
        lambda thresholds: thresholds.without.items(),
        "Classes without a threshold, with the reason.",
    ),
    Key("warnings", WARNINGS, added=True),
    kind="class_thresholds",
)
as_dict_of_thresholds = CLASS_THRESHOLDS.as_dict


def document_of_cut_points(cuts: CutPoints) -> Document:
    """From which score on cases are of each class, and what that costs."""
    class_counts = [Count(each) for each in cuts.true], [Count(each) for each in cuts.called]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            Label(str(label)),
            Words("below" if not place else _from_score(cuts.cuts[place - 1])),
            *(counts[place] for counts in class_counts if counts),
        )
        for place, label in enumerate(cuts.labels)
    )
    counted = (Column("true", Count, 1), Column("predicted", Count, 1)) if cuts.true else ()
    costs = (
        (
            Label("on these cases"),
            Value(Estimate.bare(cuts.cost, "optimistic, because the cut points were chosen on these cases")),
        ),
        (Label("new cases (expected)"), EstimateCell(cuts.expected)),
    )
    facts = (
        ("cases", count(sum(cuts.true)) if cuts.true else "unknown"),
        ("classes", f"{len(cuts.labels):,}, in order"),
        ("costs", cuts.priced or "unknown"),
        ("confidence level", f"{100 * cuts.level:g}%"),
        ("seed", str(cuts.seed)),
    )
    random = (
        f"The intervals reflect sampling variability of the test cases. In each of {REPLICATES:,} resamples, "
        "cut points are chosen again and assessed on the cases outside the resample (out-of-bag)."
    )
    return Document(
        titled("Cut points between ordered classes", cuts.model, "by"),
        facts,
        (cuts.sentence,),
        (
            Section(
                "Cut points", (Table((Column("class", Label), Column("from score", Words), *counted), rows),)
            ),
            Section(
                "Cost per case", (Table((Column("", Label), Column("cost per case", EstimateCell)), costs),)
            ),
            *closing(random, [warning for warning in cuts.warnings if warning.text not in cuts.sentence], ()),
        ),
    )


def _from_score(cut: float) -> str:
    return number(cut) if abs(cut) < inf else "no score" if cut > 0 else "any score"


def _cut_classes(cuts: CutPoints) -> Iterator[tuple[Any, ...]]:
    """Return the classes: label, cut, cases that are of it, cases that are called it."""
    absent = [None] * len(cuts.labels)
    return zip(cuts.labels, (None, *cuts.cuts), cuts.true or absent, cuts.called or absent, strict=True)


CUT_POINTS = Result(
    "cut-points",
    1,
    "Cut points of one score between ordered classes",
    "What `to_dict()` of cut points returns: the lowest score of each class, and the cost. Infinity is the "
    'text "Infinity".',
    Key("model", TEXT, help="The name of the score. Empty without a name."),
    Key(
        "classes",
        Many(
            Row(
                Key("label", CLASS_LABEL, "0"),
                Key(
                    "from",
                    NUMBER,
                    "1",
                    "A case belongs to the highest class whose cut point is not above the score. Null for the "
                    "lowest class.",
                ),
                Key("true", WEIGHT, "2", "Cases (or weight) with this true label.", optional=True),
                Key("called", WEIGHT, "3", "Cases (or weight) with this predicted label.", optional=True),
            )
        ).limited(minItems=2),
        _cut_classes,
        "The classes from the lowest to the highest.",
    ),
    Key("costs", TEXT, "priced"),
    Key("cost", FLOAT, help="Mean cost per case on the cases used to choose the cut points. Optimistic."),
    Key(
        "expected",
        ESTIMATE,
        help="Expected mean cost per new case (out-of-bag). Cut points are chosen in resamples and assessed "
        "on the remaining cases.",
    ),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key(
        "score_scale",
        one_of(*get_args(ScoreScale)).or_null(),
        help="How scores were read. The cut points are on the scale of the converted scores.",
        added=True,
    ),
    Key("sentence", TEXT),
    Key("warnings", WARNINGS, added=True),
    kind="cut_points",
)
as_dict_of_cut_points = CUT_POINTS.as_dict


def document_of_tree(dendrogram: ConfusionTree) -> Document:
    """Return the tree of classes, those of the highest rate of confusion first."""
    note = (
        "The rate of two classes is the share of their cases that are confused with the other class. The rate "
        "of groups is the mean over pairs of classes. Indented lines belong to the line above."
    )
    lines = tuple((Label(text, whole=True), Words(number(x), value=x)) for text, x in tree_lines(dendrogram))
    tree = Table((Column("classes", Label), Column("rate", Words)), lines, note=note)
    return Document(
        titled("Confused classes", dendrogram.model, "by"),
        (("classes", f"{len(dendrogram.joins) + 1:,}"), ("errors", count(dendrogram.errors))),
        (dendrogram.sentence,),
        (Section("Tree", (tree,)),),
    )


CONFUSION_TREE = Result(
    "confusion-tree",
    1,
    "Which classes are confused with each other",
    "What `a.confusion_tree().to_dict()` returns: the classes that join, starting with the most confused.",
    Key("errors", NUMBER, help="Misclassified cases (or weight)."),
    Key(
        "joins",
        Many(Row(Key("labels", Many(LABEL).limited(minItems=2)), Key("rate", NUMBER), Key("errors", NUMBER))),
        help="Groups in the order in which they join: their labels, the rate of confusion at the last join, "
        "and the errors within the group.",
    ),
    kind="confusion_tree",
)
as_dict_of_tree = CONFUSION_TREE.as_dict


TITLE = "ROC space"
NAMED = 3
"""Classifiers of which a sentence says where they are the cheapest."""


def document_of_roc_space(space: RocSpace) -> Document:
    """Return the points with their intervals, and which of them is cheapest at which cost."""
    facts = (
        ("classifiers", f"{len(space.points):,}"),
        ("positive class", quote(space.positive)),
        ("prevalence", f"{100 * space.prevalence:.4g}%"),
    )
    return Document(
        f"{TITLE} of {listed([*space.names])}",
        facts,
        sentences_of_roc_space(space),
        (Section(TITLE, (_points(space),)), *closing("", space.warnings, ())),
        sources=("Provost & Fawcett 2001, Machine Learning 42:203",),
    )


def with_pictures_of_roc_space(document: Document, space: RocSpace) -> Document:
    """Return the document with the polygons and their hull."""
    drawn = Section("Picture", (Figures((Figure(space.curves, TITLE),)),))
    return Document(**{**vars(document), "sections": (*document.sections, drawn)})


def section_of_roc_space(space: RocSpace) -> Section:
    """Return the section that stands in a comparison of labels."""
    return Section(TITLE, (*(Prose(sentence) for sentence in sentences_of_roc_space(space)), _points(space)))


def sentences_of_roc_space(space: RocSpace) -> tuple[str, ...]:
    """Which classifier is the cheapest at which costs, and which never is; nothing of a single one on the hull."""
    never = space.never_best
    sentences = () if space.costs is None else (_cheapest(space, space.costs),)
    if 0 < len(some := [point for point in space.points if point.is_ever_best]) < len(space.points):
        sentences = (_cheapest_of_all(some), *sentences)
    if not never:
        every = "On these cases, every model has the lowest cost at some ratio of error costs."
        return sentences if len(space.points) == 1 else (every, *sentences)
    return (
        (
            f"On these cases, {listed([*never])} never {'has' if len(never) == 1 else 'have'} the lowest cost "
            "at any ratio of error costs."
        ),
        *sentences,
    )


def _cheapest_of_all(points: Sequence[RocPoint]) -> str:
    """At which costs each of them is the cheapest, from the lowest on: the steepest three, of many."""
    ordered = sorted(points, key=lambda point: point.best_from)
    where = some(ordered, NAMED, write=lambda point: f"{point.name} ({_range(point)})")
    return (
        "The model with the lowest cost depends on the cost of a false negative relative to a false "
        f"positive: {where}."
    )


def _cheapest(space: RocSpace, costs: Costs) -> str:
    """Return who is cheapest at these costs; those that look at nothing take part."""
    best = [
        {NEVER: "predicting no case positive", ALWAYS: "predicting every case positive"}.get(name, name)
        for name in space.cheapest(costs)
    ]
    return (
        f"At the given costs, {listed(best)} {'has' if len(best) == 1 else 'have'} the lowest cost on these "
        "cases."
    )


def _points(space: RocSpace) -> Table:
    """A row for each classifier: its rates, the area of the polygon through it, and at which costs it is cheapest."""
    columns = (
        Column("", Label),
        Column("false positive rate", EstimateCell),
        Column("true positive rate", EstimateCell),
        Column("AUC of the point", EstimateCell, 1),
        Column("lowest cost if FN costs", Words),
    )
    rows = tuple(
        (
            Label(point.name),
            EstimateCell(point.false_positive_rate),
            EstimateCell(point.recall),
            EstimateCell(point.auc),
            Words(_range(point), "plain" if point.is_ever_best else "quiet"),
        )
        for point in space.points
    )
    foot = (
        "The AUC of one point is (recall + specificity) / 2, the balanced accuracy. Costs of a false negative "
        f"are relative to a false positive, at the prevalence of {100 * space.prevalence:.3g}%. Below the "
        "lowest of these costs, predicting no case positive is cheapest. Above the highest, predicting every "
        "case positive is cheapest."
    )
    return Table(columns, rows, foot=foot)


def _range(point: RocPoint) -> str:
    """Return the costs at which a classifier is cheapest, in units of a false positive."""
    low, high = point.best_from, point.best_to
    if isnan(low):
        return "never"
    if high == inf:
        return "always" if low == 0 else f"{number(low)} or more"
    return f"{number(low)} to {number(high)}"


ROC_SPACE = Row(
    Key("positive", Kind({}), help="The positive class."),
    Key("prevalence", LEVEL),
    Key(
        "points",
        Many(
            Row(
                Key("model", TEXT, "name"),
                Key("false_positive_rate", RATE),
                Key("recall", RATE),
                Key("auc", RATE, help="The area of the polygon through the point (balanced accuracy)."),
                Key(
                    "best_from",
                    NUMBER,
                    help="The lowest cost of a false negative, relative to a false positive, at which the "
                    "model is cheapest. Null if it is never cheapest.",
                ),
                Key("best_to", NUMBER, help="The highest such cost."),
            )
        ).limited(minItems=1),
    ),
    Key(
        "hull",
        TEXTS,
        help=("The models that are cheapest at some cost, sorted from few to many predicted positives."),
    ),
    Key("never_best", TEXTS, help="The models that are never cheapest."),
    Key(
        "cheapest",
        TEXTS.limited(minItems=1),
        lambda space: None if space.costs is None else space.cheapest(space.costs),
        "The cheapest models at the given costs, including predicting no case positive (never positive) and "
        "every case positive (always positive).",
        optional=True,
    ),
)
"""The space without its warnings, which a comparison that holds it gives itself."""
as_dict_of_roc_space = Row(*ROC_SPACE.keys, Key("warnings", WARNINGS)).json


def document_of_cost_curves(costs: CostCurves, *, title: str = "Lowest-cost models by costs") -> Document:
    """Return the document of cost curves, without pictures."""
    at = [Section("At the given costs", (_choices(costs),))] if costs.choices else []
    sections = [*at, Section("Ranges of costs", (_ranges(costs),)), *closing(_random(), costs.warnings, ())]
    return Document(title, costs.facts, _advice(costs), tuple(sections))


def with_pictures_of_cost_curves(document: Document, costs: CostCurves) -> Document:
    """The document with the envelopes, their bands and the trivial rule."""
    bands = Prose("Bands are pointwise and use thresholds chosen on the same cases.", "quiet")
    honest = Figure((*_titled(costs.expected, "on other cases"), cost_trivial()))
    every = Figure((*_bare(costs.curves), cost_trivial()))
    if len(costs.models) <= DRAWN:
        drawn = Section("Curves", (bands, Figures((every,), (honest,))))
        return replace(document, sections=(drawn, *document.sections))
    widest = sorted(costs.ranges, key=lambda span: span.low - span.high)
    least = dict.fromkeys(name for one in widest for name in (one.best, *one.alike))
    best = [model for model in least if model in costs.models][:DRAWN]
    curves = [curve for curve, name in zip(costs.curves, costs.models, strict=True) if name in best]
    note = Prose(
        f"The picture shows the {len(best)} of {len(costs.models)} models with the lowest cost in wide ranges "
        "of costs.",
        "quiet",
    )
    figure = Figure((*_bare(curves), cost_trivial()))
    drawn = Section(
        "Curves",
        (note, bands, Figures((figure,), (Figure((*_titled(every.curves, "of all models"),)), honest))),
    )
    return replace(document, sections=(drawn, *document.sections))


def _titled(curves: Sequence[Curve], which: str) -> list[Curve]:
    return [replace(curve, title=f"{curve.title}s {which}") for curve in curves]


DRAWN = 5
"""Models whose curves can be told apart."""
BANDS = 3
"""Curves whose bands can."""


def _bare(curves: Sequence[Curve]) -> list[Curve]:
    """Return the curves, without bands where these would cover each other."""
    return [replace(each, low=None, high=None, band="") if len(curves) > BANDS else each for each in curves]


def _advice(costs: CostCurves) -> tuple[str, ...]:
    if costs.at is None:
        return _of_widest(costs, 3)
    here = costs.best_at(costs.at)
    place = f"The given costs correspond to a probability cost of {costs.at:.3g}"
    return (f"{place}. At this cost {here.said}{here.dearer_said(costs.at)}.", *_of_widest(costs, 2))


def _of_widest(costs: CostCurves, most: int) -> tuple[str, ...]:
    """Return what is said of the widest ranges of costs, in their order."""
    widest = sorted(range(len(costs.ranges)), key=lambda i: costs.ranges[i].low - costs.ranges[i].high)
    return tuple(costs.advice[i] for i in sorted(widest[:most]))


def _ranges(costs: CostCurves) -> Table:
    return Table(
        (
            Column("probability cost", Label),
            Column("lowest cost", Words),
            Column("significantly lowest", Words),
        ),
        tuple(
            (
                Label(f"{span.low:.2f} to {span.high:.2f}"),
                Words(listed([span.best, *span.alike])),
                Words("yes" if span.wins else "no", "good" if span.wins else "quiet"),
            )
            for span in costs.ranges
        ),
        foot=" ".join((PROBABILITY_COST, REFERENCE, *costs.notes)),
    )


_CHOICE = Row(
    Key("model", TEXT, "0", columns=(Column("model", Label),)),
    Key("threshold", ESTIMATE, "1", columns=(Column("threshold", Value),)),
    Key("cost", ESTIMATE, "2", columns=(Column("cost", EstimateCell),)),
)


def _choices(costs: CostCurves) -> Table:
    """Return the threshold of each model, and what it is expected to cost a case on new cases."""
    return _CHOICE.table(
        costs.choices, foot="Expected cost per new case at the threshold with the lowest cost."
    )


PROBABILITY_COST = (
    "The probability cost is c_FN π / (c_FN π + c_FP (1 - π)), where π is the prevalence, c_FN the cost of a false "
    "negative, and c_FP that of a false positive."
)
REFERENCE = "The alternatives include predicting all cases or no case positive (all or nothing)."


def _random() -> str:
    return (
        "Intervals reflect sampling variability of the test cases. The models are held fixed. Significance uses "
        "thresholds chosen on other cases (cross-fitting) and holds jointly for all probability costs and pairs of "
        "models."
    )


_OF_MODEL = Row(Key("model", TEXT, "0"), Key("low", FLOAT, "1"), Key("high", FLOAT, "2"))
_RANGE = Row(
    Key("low", FLOAT),
    Key("high", FLOAT),
    Key("best", TEXT),
    Key(
        "alike",
        TEXTS,
        help="Other models with the same cost, except for rounding.",
        added=True,
    ),
    Key("wins", FLAG, help="Whether the cost is significantly lower than that of every other model."),
    Key(
        "dearer",
        Many(_OF_MODEL),
        help="Models with a significantly higher cost, and where in the range.",
        added=True,
    ),
)
COST_CURVES = Result(
    "decision",
    1,
    "Cost curves",
    "What `classay decide --json` writes of several scores.",
    Key("models", TEXTS),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key("at", NUMBER, help="The probability cost of the given costs."),
    Key("ranges", Many(_RANGE)),
    Key(
        "choices",
        Many(_CHOICE),
        help="The threshold of each model at the given costs, and the expected cost per new case.",
    ),
    Key("curves", ByName(CURVE), lambda costs: {curve.series: curve for curve in costs.curves}),
    Key(
        "honest",
        ByName(CURVE),
        lambda costs: dict(zip(costs.models, costs.expected, strict=True)),
        "The cost of thresholds chosen on other cases.",
    ),
    Key("notes", TEXTS, added=True),
    Key("warnings", WARNINGS, added=True),
    kind="cost curves",
    name="cost_curves",
)
as_dict_of_cost_curves = COST_CURVES.as_dict
