"""A decision: the advice, what it costs, what would change it; and its JSON (docs/decision.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from classay.assessment.finding import leading
from classay.assessment.findings_decision import findings_on_decision
from classay.columns import Labels
from classay.curves.curve import Curve
from classay.curves.display import OperatingPoints
from classay.decision.costs import Form
from classay.decision.cuts import GainTable
from classay.decision.decision import Decision
from classay.decision.methods import how_decided, sources_of
from classay.inference.estimate import Estimate
from classay.measures import get
from classay.report.built import built
from classay.report.document import (
    SEED_OF_DRAWS,
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Cutoff,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Matrix,
    MethodCell,
    Prose,
    Section,
    Table,
    Threshold,
    Tile,
    Value,
    Words,
    Written,
)
from classay.report.results.assessments import closing
from classay.report.results.parts import BARS, TILES, bar, of_measures, titled
from classay.report.shape import ByName, Key, Kind, Many, Result, Row, inside, itself
from classay.report.value_kinds import (
    CONFUSION_MATRIX,
    COUNT,
    CURVE,
    ESTIMATE,
    FLAG,
    FLOAT,
    HEADLINE,
    LABEL,
    LEVEL,
    NUMBER,
    TEXT,
    TEXTS,
    WARNINGS,
    one_of,
)
from classay.report.words import count
from classay.texts import as_sentence, hint, quote

HERE, DECIDED = "At this threshold", "At the threshold decided for"
"""The title of the measures, and that on a page, whose reader may move the threshold."""
PERFORMANCE = "Threshold and performance"
LEADING = (PERFORMANCE, "Conditions")
"""The sections that a page shows unfolded behind its picture."""
NOT_ALLOWED = "not allowed"
"""Where a condition or the capacity would no longer allow the threshold decided for."""


def document_of(
    d: Decision, *, title: str = "", gain: GainTable | None = None, time: object = None
) -> Document:
    """The document of a decision, without pictures; with a gain table and its course over `time` if there are any."""
    expected = _expected(d)
    foot = expected.foot
    sections = [
        Section("Confusion matrix", (_matrix(d),)),
        Section(PERFORMANCE, (expected, *_as_good(d))),
        *([Section("Conditions", (_kept(d),))] if d.kept else []),
        Section(HERE, (_measures(d),)),
        *([Section("If costs or prevalence change", (_changes(d),))] if d.changes else []),
        *([Section("Highest-scored cases", (gain_of(gain, d),))] if gain is not None else []),
        *([built(time, "section_of")(time)] if time is not None else []),
        *closing(_random(d), (warning for warning in d.warnings if warning.text not in foot), _next(d)),
    ]
    sentences = tuple(finding.sentence for finding in leading(findings_on_decision(d)))
    return Document(
        title or titled("Decision", d.model, "by"),
        _facts(d),
        sentences,
        tuple(sections),
        sources=sources_of(d),
        methods=tuple(how_decided(d)),
    )


def with_pictures(document: Document, d: Decision) -> Document:
    """Return the document with what only a page can show: tiles, and a threshold to move with the objective at each."""
    drawn = (Figures((Figure((*d.curves, *_place(d))),)),) if d.curves else ()
    matrix, *others = document.sections
    moved = () if d.points is None else (_to_move(d, d.points),)
    first = (
        [Section(f"{d.objective[:1].upper()}{d.objective[1:]} over the threshold", drawn)] if drawn else []
    )
    of_matrix = replace(matrix, parts=moved or matrix.parts)
    rest = (
        replace(
            each, title=DECIDED if each.title == HERE else each.title, is_folded=each.title not in LEADING
        )
        if each.role == "plain"
        else each
        for each in others
    )
    return replace(document, tiles=tuple(_tiles(d)), sections=(*first, of_matrix, *rest))


def _tiles(d: Decision) -> Iterator[Tile]:
    """The main measures that are expected on new cases, which no slider moves; else those of these cases, which do."""
    decided = "" if d.points is None else ", at the chosen threshold"
    for name in TILES:
        if name in d.expected.measures:
            yield Tile(f"{TILES[name]} on new cases{decided}", name, d.expected.measures[name], is_fixed=True)
        elif name in d.measures:
            yield Tile(f"{TILES[name]} on these cases", name, d.measures[name])


def _to_move(d: Decision, points: OperatingPoints) -> Threshold:
    """The matrix with what it moves: the costs of the rule, and its prevalence, are what a reader starts from."""
    above = {tile.name for tile in _tiles(d) if not tile.is_fixed}
    where = " on these cases" if d.expected.measures else ""
    beside = (
        Tile(get(name).title + where, name, each) for name, each in d.measures.items() if name not in above
    )
    objective = "cost" if d.rule.cost is not None else "" if d.rule.measure is None else d.rule.measure.name
    return Threshold(
        _matrix(d),
        points,
        Labels.sorted(d.matrix.labels).index(d.positive),
        d.texts_of(float(points.threshold[points.chosen]))[0],
        tuple(beside),
        _costs(d),
        d.prevalence,
        objective,
    )


def _costs(d: Decision) -> tuple[tuple[str, float], ...]:
    """The costs of the four cells, right decisions only where they cost something; none where they are amounts."""
    if d.rule.cost is None:
        return (("fp", 1.0), ("fn", 1.0))
    if d.rule.cost.names:
        return ()
    (tn, fn), (fp, tp) = d.rule.cost.array(d.labels)[..., 0].tolist()
    right = ((name, cost) for name, cost in (("tp", tp), ("tn", tn)) if cost)
    return (("fp", fp), ("fn", fn), *right)


def _place(d: Decision) -> Iterator[Curve]:
    """Yield where the threshold stands on the curve of the objective."""
    x, y = np.array([d.threshold.value]), np.array([d.apparent.value])
    if np.isfinite(x).all() and np.isfinite(y).all():
        series = f"threshold {d.texts_of(d.threshold.value)[0]}"
        yield replace(d.curves[0], x=x, y=y, threshold=x, kind="mark", series=series, error=0.0)


def _facts(d: Decision) -> tuple[tuple[str, str], ...]:
    facts = [
        ("cases", count(d.cases)),
        (
            "positive class",
            f"{quote(d.positive)}, {100 * d.observed:.3g}% of the {'weight' if d.matrix.is_weighted else 'cases'}",
        ),
        ("rule", d.rule.text),
    ]
    if d.rule.cost is not None:
        facts.append(("costs", str(d.rule.cost).removeprefix("Costs(").removesuffix(")")))
    if d.prevalence is not None:
        facts.append(("prevalence", f"{100 * d.prevalence:.4g}% (assumed)"))
    facts += [("confidence level", f"{100 * d.level:g}%"), (SEED_OF_DRAWS, str(d.seed))]
    return tuple(facts)


def _matrix(d: Decision) -> Matrix:
    """In the order of labels that an assessment has."""
    matrix = d.matrix.restrict(Labels.sorted(d.matrix.labels))
    counts = tuple(tuple(float(c) for c in row) for row in matrix.counts)
    return Matrix(tuple(str(label) for label in matrix.labels), counts)


def _expected(d: Decision) -> Table:
    (written,) = d.texts_of(d.threshold.value)
    rows: list[tuple[str, Estimate]] = [(f"{d.objective}, new cases", d.expected.objective)]
    rows.append((f"{d.objective}, these cases", d.apparent))
    if d.cost is not None:
        stand_for_others = d.prevalence is not None or d.matrix.is_weighted
        rows += [
            (f"total cost, {'same number of' if stand_for_others else 'these'} cases", d.cost.total),
            ("share of the maximum cost, these cases", d.cost.normalised),
        ]
        of_cases = {"these cases": d.cost}
        if d.expected.cost is not None:
            of_cases = {"new cases": d.expected.cost} | of_cases
        rows += [
            (f"saving versus all negative, {cases}", cost.saving_over_none)
            for cases, cost in of_cases.items()
        ]
        rows += [
            (f"saving versus all positive, {cases}", cost.saving_over_all) for cases, cost in of_cases.items()
        ]
    cells: list[tuple[Cell, ...]] = [
        (Label("threshold"), Cutoff(d.threshold, written), MethodCell(d.threshold))
    ]
    cells += [
        (Label(name, whole=True), EstimateCell(estimate), MethodCell(estimate)) for name, estimate in rows
    ]
    range_of = IN_OTHERS if d.threshold.has_interval else ""
    rivals = (
        ""
        if d.cost is None
        else "Savings are per case, compared with predicting all cases negative or all positive. The maximum cost is "
        "the cost if every prediction is incorrect."
    )
    unnamed = "" if d.rule.cost is None else as_sentence(d.rule.cost.unnamed)
    moved = "" if d.prevalence is None else MOVED.format(100 * d.prevalence)
    foot = " ".join(filter(None, (range_of, moved, rivals, unnamed)))
    return Table(
        (Column("", Label), Column("value", EstimateCell), Column("CI method", MethodCell)),
        tuple(cells),
        foot=foot,
    )


def _measures(d: Decision) -> Table:
    """Return the main measures on new cases and on these; of decisions without the former, on these alone."""
    if not d.expected.measures:
        return of_measures(d.measures.items())
    rows = [(name, d.expected.measures[name], estimate) for name, estimate in d.measures.items()]
    return Table(
        (
            Column("", Label),
            Column("new cases", EstimateCell),
            Column("these cases", EstimateCell),
            Column("", Bar, BARS),
            Column("CI method", MethodCell),
        ),
        tuple(
            (
                Label(get(name).title, name),
                EstimateCell(new),
                EstimateCell(here),
                bar(new, get(name).bounds),
                MethodCell(new),
            )
            for name, new, here in rows
        ),
        foot=" ".join((WIDENED, *((NOT_TOGETHER,) if d.rule.measure is not None else ())))
        if d.is_resampled
        else "",
        scale=AxisScale(),
    )


def _as_good(d: Decision) -> Iterator[Prose]:
    if d.as_good is not None:
        yield Prose(
            AS_GOOD.format(d.objective.removesuffix(" per case"), " to ".join(d.texts_of(*d.as_good)))
        )


IN_OTHERS = (
    "The interval of the threshold shows where the chosen threshold would be in other samples of this size."
)
WIDENED = (
    "In the column 'CI method', the part after the semicolon is the method of the intervals on these cases. For new "
    "cases, the value and the lower limit are corrected for optimism. The upper limit is that of these cases."
)
OPTIMISM = (
    " In every resample, a threshold is chosen, and every measure is computed at it twice: on the resample and on "
    "these cases. The optimism is the first value minus the second, averaged over all resamples. It is subtracted "
    "from the value at the threshold that was chosen on these cases."
)
NOT_TOGETHER = (
    "Values on new cases may not be exactly consistent with each other, because every measure is corrected "
    "separately. The optimism is the mean difference between resamples and all cases, at thresholds chosen on "
    "the resamples."
)
MOVED = "All values are at a prevalence of {:.4g}%."
AS_GOOD = (
    "On these cases, no threshold from {1} differs detectably in {0} from the chosen one (tests adjusted for all "
    "thresholds)."
)


def _kept(d: Decision) -> Table:
    return Table(
        (
            Column("condition", Label),
            Column("these cases", EstimateCell),
            Column("new cases", EstimateCell),
            Column("probability", Words),
        ),
        tuple(
            (
                Label(str(each.requirement)),
                EstimateCell(each.apparent),
                EstimateCell(each.expected),
                Words("–" if each.probability != each.probability else f"{100 * each.probability:.0f}%"),
            )
            for each in d.kept
        ),
    )


def _changes(d: Decision) -> Table:
    texts = d.texts_of(*(change.threshold for change in d.changes))
    (written,) = d.texts_of(d.threshold.value)
    what = d.objective.removesuffix(" per case")
    per_case = "" if what == d.objective else " Costs are per case."
    return Table(
        (
            Column("if", Label),
            Column("best threshold", Value),
            Column(f"best {what}", Value),
            Column(f"{what} at {written}", Value),
        ),
        tuple(
            (
                Label(each.what, whole=True),
                Written(Estimate(each.threshold), text),
                Value(Estimate(each.there)),
                Written(Estimate(each.here), NOT_ALLOWED) if isnan(each.here) else Value(Estimate(each.here)),
            )
            for each, text in zip(d.changes, texts, strict=True)
        ),
        note=f"Values are computed from these cases, without correction for optimism.{per_case}",
    )


def gain_of(gain: GainTable, d: Decision | None = None) -> Table:
    """The gain table: cumulated from the highest scores down; of the cases at hand, whatever the decision is for."""
    note = (
        "Precision, recall and lift (precision divided by prevalence) are cumulative from the highest score down. "
        "'Precision, added cases' is the precision of only those cases that are not in the row above: in "
        "row 'top 20%', the cases between the top 10% and the top 20%. If several cases are tied at the lowest score "
        "of a row, every one of them counts in part: if 10 cases are tied and the top 10% has room for only 3 of them, "
        "every one of the 10 counts as 3/10 of a case."
    )
    if any("resampled thresholds" in (part.precision.method or "") for part in gain.parts):
        note += (
            " The lowest score of a row varies between samples. The intervals account for this by resampling (CI "
            "method 'Jeffreys, resampled thresholds')."
        )
    if d is not None and d.prevalence is not None:
        note += (
            f" The table is for the observed prevalence of {100 * d.observed:.3g}%, not for a prevalence of "
            f"{100 * d.prevalence:.4g}%."
        )
    if gain.amount is not None:
        note += (
            f" The share of {gain.amount} captured is cumulative too: in row 'top 20%', it is the total "
            f"{gain.amount} of the positive cases among the top 20%, divided by that of all positive cases."
        )
    captured = [] if gain.amount is None else [Column(f"share of {gain.amount} captured", EstimateCell, 2)]
    rows: list[tuple[Cell, ...]] = []
    for part in gain.parts:
        cells: list[Cell] = [
            Label(f"{part.name or 'top'} {100 * part.share:.4g}%"),
            Count(round(part.k)),
            Written(Estimate(part.threshold), part.text),
            Value(Estimate(part.in_part)),
            EstimateCell(part.precision),
            EstimateCell(part.recall),
            EstimateCell(part.lift),
        ]
        rows.append((*cells, *([EstimateCell(part.captured)] if part.captured is not None else [])))
    return Table(
        (
            Column("", Label),
            Column("cases", Count, 8),
            Column("lowest score", Value),
            Column("precision, added cases", Value, 9),
            Column("precision", EstimateCell),
            Column("recall", EstimateCell),
            Column("lift", EstimateCell, 1),
            *captured,
        ),
        tuple(rows),
        note=note,
    )


def _random(d: Decision) -> str:
    optimistic = " Values on these cases are optimistic, because the threshold was chosen on them."
    optimistic = "" if d.uses_no_score else optimistic
    return (
        "Intervals reflect sampling variability of the test cases. The model is held fixed. "
        f"Values on new cases are {d.how_expected}.{OPTIMISM if d.is_resampled else ''}{optimistic}"
    )


def _next(d: Decision) -> Iterator[str]:
    cost = d.rule.cost
    if cost is not None and cost.acting_may_cost:
        acting = str(Form.of(cost.fp))
        acted = f"If fp={acting} is the cost of acting on a case predicted positive (a call, a review)"
        condition = f"{acted}, true positives have this cost too"
        yield hint(f"{condition}: `Costs(…, tp={acting})`.", f"{condition}: `--cost tp={acting}`.")
    if d.is_resampled:
        yield hint(
            "Test the threshold on other cases: `a.threshold(…, held_back=other)`.",
            "Test the threshold on other cases: `classay assess OTHER_FILE` with `--threshold`.",
        )
    if not (d.calls_nobody or d.calls_everybody):
        (written,) = d.texts_of(d.threshold.value)
        yield hint(
            "Use this threshold in scikit-learn: `decision.apply(estimator)` returns a "
            "FixedThresholdClassifier.",
            f"Use the threshold as printed ({written}). The counts and measures above are for exactly this value.",
        )
    carried = d.rule.cost is not None and d.rule.cost.names
    yield hint(
        f"Explore the threshold{'' if carried else ', costs and prevalence'} in a page: "
        '`decision.report("decision.html")`.',
        f"Explore the threshold{'' if carried else ', costs and prevalence'} in a "
        "page: `--html decision.html`.",
    )


_ENTRY = Kind({"type": ["number", "string"]})
_SAVED = "Saving over the same number of cases, compared with predicting {} positive."
_COSTS = (
    *(
        Key(name, ESTIMATE)
        for name in ("per_case", "total", "normalised", "saving_over_none", "saving_over_all")
    ),
    Key("total_saving_over_none", ESTIMATE, help=_SAVED.format("no case"), added=True),
    Key("total_saving_over_all", ESTIMATE, help=_SAVED.format("every case"), added=True),
)
_COSTS_OF_DECISION = Row(
    Key("entries", Row(*(Key(name, _ENTRY) for name in ("fp", "fn", "tp", "tn"))), "rule.cost"),
    *inside("cost", _COSTS),
    Key(
        "new_cases",
        Row(*_COSTS).or_null(),
        "expected.cost",
        "Expected cost on new cases: corrected for optimism, or on held-out cases.",
        added=True,
    ),
)
_OBJECTIVE = Row(
    Key("name", TEXT, "objective"),
    Key("apparent", ESTIMATE, help="On the cases used to choose the threshold (optimistic)."),
    Key("honest", ESTIMATE, "expected.objective", "Expected on new cases."),
    Key("how_honest", TEXT, "how_expected"),
)
_CONDITION = Row(
    Key("condition", TEXT, lambda condition: str(condition.requirement)),
    Key("apparent", ESTIMATE),
    Key("honest", ESTIMATE, "expected"),
    Key("probability", NUMBER, help="Probability that the condition holds on new cases."),
)
_CHANGE = Row(
    Key("what", TEXT),
    Key("threshold", NUMBER),
    Key(
        "objective_here",
        NUMBER,
        "here",
        "null where a condition or the capacity excludes the chosen threshold.",
    ),
    Key("objective_there", NUMBER, "there"),
)
GAIN = Row(
    Key("amount", TEXT.or_null()),
    Key(
        "parts",
        Many(
            Row(
                Key("k", NUMBER),
                Key("share", FLOAT),
                Key("threshold", NUMBER),
                Key("in_part", NUMBER),
                *(Key(name, ESTIMATE) for name in ("precision", "recall", "lift")),
                Key("captured", ESTIMATE.or_null()),
            )
        ),
    ),
)
"""A gain table, part by part."""
OVER_TIME = Row(
    Key("per", one_of("day", "week", "month", "quarter", "period")),
    Key("objective", TEXT.limited(minLength=1)),
    Key("capacity", FLOAT.or_null(), help="Cases that can be predicted positive per period."),
    Key("unripe", COUNT, help="Cases later than labels_until, whose labels are excluded."),
    Key("labels_until", TEXT.or_null(), "until"),
    Key("trend", ESTIMATE, help="Change of the objective per period."),
    Key(
        "periods",
        Many(
            Row(
                Key("period", TEXT.limited(minLength=1), "name"),
                Key("cases", COUNT),
                Key("ripe", COUNT),
                Key("called", COUNT),
                Key("capacity_met", FLAG.or_null(), "met"),
                Key("value", ESTIMATE),
            )
        ).limited(minItems=1),
    ),
)
"""A decision over time, period by period."""
DECISION = Result(
    "decision",
    1,
    "Decision",
    "What `classay decide --json` writes of one score, and `Decision.to_dict` returns (without the gain table).",
    Key("rule", TEXT, "rule.text", "The objective of the threshold, in words."),
    Key("advice", TEXTS, help="The advice in at most three sentences."),
    Key("positive", LABEL),
    Key("cases", NUMBER),
    Key("prevalence", NUMBER, help="The requested prevalence. Null for the prevalence of the cases."),
    Key("observed_prevalence", NUMBER, "observed"),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key(
        "threshold",
        ESTIMATE,
        help="Positive when score >= threshold. Infinity predicts no case positive, -Infinity every case.",
    ),
    Key(
        "as_good",
        Many(NUMBER).or_null(),
        help="The lowest and the highest threshold that do not differ detectably from the best.",
    ),
    Key("confusion_matrix", CONFUSION_MATRIX, "matrix"),
    Key("objective", _OBJECTIVE, itself),
    Key("conditions", Many(_CONDITION), "kept"),
    Key("costs", _COSTS_OF_DECISION.or_null(), lambda d: None if d.rule.cost is None else d),
    Key("measures", ByName(ESTIMATE)),
    Key(
        "measures_new_cases",
        ByName(ESTIMATE),
        "expected.measures",
        "The same measures on new cases: on held-out cases, or on these cases with a correction for optimism "
        "by resampling.",
        added=True,
    ),
    Key("changes", Many(_CHANGE)),
    Key("curves", ByName(CURVE), lambda d: {curve.name: curve for curve in d.curves}),
    Key("headline", HEADLINE, lambda d: leading(findings_on_decision(d)), added=True),
    Key("notes", TEXTS),
    Key("warnings", WARNINGS, added=True),
    Key("gain", GAIN, help="Gain table: cumulative parts, starting with the highest scores.", optional=True),
    Key(
        "time",
        OVER_TIME,
        help="The decision per day, week, month or quarter, with --time.",
        optional=True,
    ),
    kind="decision",
    name="decision",
)


def as_dict(d: Decision, gain: GainTable | None = None, time: object = None) -> dict[str, Any]:
    """Return the decision as values that JSON knows; an infinite threshold calls nobody positive."""
    return DECISION.as_dict(d, {"gain": gain, "time": time})
