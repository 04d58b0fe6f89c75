"""A decision: the advice, what it costs, what would change it; and its JSON (docs/decision.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from classay.assessment.finding import leading
from classay.assessment.findings_decision import findings_on_decision
from classay.assessment.headline import as_plain
from classay.assessment.over_time import OverTime
from classay.columns import Labels
from classay.curves.curve import Curve
from classay.curves.display import OperatingPoints
from classay.decision.costs import Form
from classay.decision.cuts import GainTable
from classay.decision.decision import Decision
from classay.inference.estimate import Estimate
from classay.measures import get
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Cutoff,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Matrix,
    MethodCell,
    Part,
    Prose,
    Section,
    Table,
    Threshold,
    Tile,
    Value,
    Words,
    Written,
)
from classay.report.results.assessments import closing, of_curve
from classay.report.results.parts import (
    BARS,
    TILES,
    bar,
    head,
    of_estimate,
    of_measures,
    of_warnings,
    plain,
    titled,
)
from classay.report.words import count, signed_interval, signed_value
from classay.texts import as_sentence, hint, quote

HERE, DECIDED = "At this threshold", "At the threshold decided for"
"""The title of the measures, and that on a page, whose reader may move the threshold."""
LEADING = ("What to expect", "Conditions")
"""The sections that a page shows unfolded behind its picture."""
NOT_ALLOWED = "not allowed"
"""Where a condition or the capacity would no longer allow the threshold decided for."""


def document_of(
    d: Decision, *, title: str = "", gain: GainTable | None = None, time: OverTime | None = None
) -> Document:
    """The document of a decision, without pictures; with a gain table and its periods if there are any."""
    expected = _expected(d)
    foot = expected.foot
    sections = [
        Section("Confusion matrix", (_matrix(d),)),
        Section("What to expect", (expected,)),
        *([Section("Conditions", (_kept(d),))] if d.kept else []),
        Section(HERE, (_measures(d),)),
        *([Section("What would change the advice", (_changes(d),))] if d.changes else []),
        *([Section("The top of the list", (gain_of(gain, d),))] if gain is not None else []),
        *([Section(f"By {time.per}", _over_periods(time))] if time is not None else []),
        *closing(_random(d), (warning for warning in d.warnings if warning.text not in foot), _next(d)),
    ]
    sentences = tuple(finding.sentence for finding in leading(findings_on_decision(d)))
    return Document(title or titled("Decision", d.model, "by"), _facts(d), sentences, tuple(sections))


def _over_periods(time: OverTime) -> tuple[Part, ...]:
    """The periods, and what their trend shows."""
    return (_periods(time), *([Prose(time.sentence)] if time.sentence else []))


def with_pictures(document: Document, d: Decision) -> Document:
    """The document with what only a page can show: tiles, and a threshold to move with the objective at each."""
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
    decided = "" if d.points is None else ", as decided"
    for name in TILES:
        if name in d.honest_measures:
            yield Tile(f"{TILES[name]} on new cases{decided}", name, d.honest_measures[name], is_fixed=True)
        elif name in d.measures:
            yield Tile(f"{TILES[name]} on these cases", name, d.measures[name])


def _to_move(d: Decision, points: OperatingPoints) -> Threshold:
    """The matrix with what it moves: the costs of the rule, and its prevalence, are what a reader starts from."""
    above = {tile.name for tile in _tiles(d) if not tile.is_fixed}
    where = " on these cases" if d.honest_measures else ""
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
    """Where the threshold stands on the curve of the objective."""
    x, y = np.array([d.threshold.value]), np.array([d.apparent.value])
    if np.isfinite(x).all() and np.isfinite(y).all():
        series = f"threshold {d.texts_of(d.threshold.value)[0]}"
        yield replace(d.curves[0], x=x, y=y, threshold=x, kind="mark", series=series, error=0.0)


def _facts(d: Decision) -> tuple[tuple[str, str], ...]:
    facts = [
        ("cases", count(d.cases)),
        (
            "positive",
            f"{quote(d.positive)}, {100 * d.observed:.3g} % of the {'weight' if d.matrix.is_weighted else 'cases'}",
        ),
        ("rule", d.rule.text),
    ]
    if d.rule.cost is not None:
        facts.append(("costs", str(d.rule.cost).removeprefix("Costs(").removesuffix(")")))
    if d.prevalence is not None:
        facts.append(("prevalence", f"{100 * d.prevalence:.4g} %, given"))
    facts.append(("level", f"{100 * d.level:g} %, seed {d.seed}"))
    return tuple(facts)


def _matrix(d: Decision) -> Matrix:
    """In the order of labels that an assessment has."""
    matrix = d.matrix.restrict(Labels.sorted(d.matrix.labels))
    counts = tuple(tuple(float(c) for c in row) for row in matrix.counts)
    return Matrix(tuple(str(label) for label in matrix.labels), counts)


def _expected(d: Decision) -> Table:
    (written,) = d.texts_of(d.threshold.value)
    rows: list[tuple[str, Estimate]] = [(f"{d.objective}, new cases", d.honest)]
    rows.append((f"{d.objective}, these cases", d.apparent))
    if d.cost is not None:
        stand_for_others = d.prevalence is not None or d.matrix.is_weighted
        rows += [
            (f"cost in all, {'as many' if stand_for_others else 'these'} cases", d.cost.total),
            ("normalised cost, these cases", d.cost.normalised),
        ]
        of_cases = {"these cases": d.cost}
        if d.honest_cost is not None:
            of_cases = {"new cases": d.honest_cost} | of_cases
        for rival in ("none", "all"):
            for which, cost in of_cases.items():
                rows.append((f"saving over {rival}, {which}", getattr(cost, f"saving_over_{rival}")))
    cells: list[tuple[Cell, ...]] = [
        (Label("threshold"), Cutoff(d.threshold, written), MethodCell(d.threshold))
    ]
    cells += [(Label(name), Found(estimate), MethodCell(estimate)) for name, estimate in rows]
    good = "" if d.as_good is None else AS_GOOD.format(" to ".join(d.texts_of(*d.as_good)))
    range_of = IN_OTHERS if d.threshold.has_interval else ""
    rivals = "" if d.cost is None else "Savings are over calling nobody (none) and everybody (all)."
    unnamed = "" if d.rule.cost is None else as_sentence(d.rule.cost.unnamed)
    moved = "" if d.prevalence is None else MOVED.format(100 * d.prevalence)
    foot = " ".join(filter(None, (range_of, moved, good, rivals, unnamed)))
    return Table(
        (Column("", Label), Column("value", Found), Column("method", MethodCell)), tuple(cells), foot=foot
    )


def _measures(d: Decision) -> Table:
    """The main measures on new cases and on these; of decisions without the former, on these alone."""
    if not d.honest_measures:
        return of_measures(d.measures.items())
    rows = [(name, d.honest_measures[name], estimate) for name, estimate in d.measures.items()]
    return Table(
        (
            Column("", Label),
            Column("new cases", Found),
            Column("these cases", Found),
            Column("", Bar, BARS),
            Column("method", MethodCell),
        ),
        tuple(
            (
                Label(get(name).title, name),
                Found(new),
                Found(here),
                bar(new, get(name).bounds),
                MethodCell(new),
            )
            for name, new, here in rows
        ),
        foot=NOT_TOGETHER if d.is_resampled and d.rule.measure is not None else "",
        scale=AxisScale(),
    )


IN_OTHERS = "The interval of the threshold says where other samples of as many cases would put it."
NOT_TOGETHER = (
    "The values on new cases need not add up, because each measure is corrected separately for optimism. The optimism "
    "is the mean difference between resamples and all cases, at thresholds chosen on the resamples."
)
MOVED = "All values are those at a prevalence of {:.4g} %, new cases and these."
AS_GOOD = "On these cases, no threshold from {} is shown to be worse."


def _kept(d: Decision) -> Table:
    return Table(
        (
            Column("condition", Label),
            Column("these cases", Found),
            Column("new cases", Found),
            Column("holds with", Words),
        ),
        tuple(
            (
                Label(str(each.requirement)),
                Found(each.apparent),
                Found(each.honest),
                Words("–" if each.probability != each.probability else f"{100 * each.probability:.0f} %"),
            )
            for each in d.kept
        ),
    )


def _changes(d: Decision) -> Table:
    texts = d.texts_of(*(change.threshold for change in d.changes))
    return Table(
        (
            Column("if", Label),
            Column("best threshold", Value),
            Column("objective there", Value),
            Column("at this one", Value),
        ),
        tuple(
            (
                Label(each.what),
                Written(Estimate(each.threshold), text),
                Value(Estimate(each.there)),
                Written(Estimate(each.here), NOT_ALLOWED) if isnan(each.here) else Value(Estimate(each.here)),
            )
            for each, text in zip(d.changes, texts, strict=True)
        ),
        note="These values were found on the same cases, and are a little optimistic.",
    )


def gain_of(gain: GainTable, d: Decision | None = None) -> Table:
    """The gain table: cumulated from the highest scores down; of the cases at hand, whatever the decision is for."""
    note = "Each row holds all above it; ties at an edge in any order."
    if d is not None and d.prevalence is not None:
        note += (
            f" It is that of the cases at hand, {100 * d.observed:.3g} % of them positive, and not at a prevalence of "
            f"{100 * d.prevalence:.4g} %."
        )
    captured = [] if gain.amount is None else [Column(f"{gain.amount} captured", Found, 2)]
    rows: list[tuple[Cell, ...]] = []
    for part in gain.parts:
        cells: list[Cell] = [
            Label(f"{part.name or 'top'} {100 * part.share:.4g} %"),
            Count(round(part.k)),
            Written(Estimate(part.threshold), part.text),
            Value(Estimate(part.in_part)),
            Found(part.precision),
            Found(part.recall),
            Found(part.lift),
        ]
        rows.append((*cells, *([Found(part.captured)] if part.captured is not None else [])))
    return Table(
        (
            Column("", Label),
            Column("cases", Count, 8),
            Column("score from", Value),
            Column("rate in part", Value, 7),
            Column("precision", Found),
            Column("recall", Found),
            Column("lift", Found, 1),
            *captured,
        ),
        tuple(rows),
        note=note,
    )


def _periods(time: OverTime) -> Table:
    """Each period with its cases, those called, whether the capacity sufficed, and the objective."""
    has_capacity = time.capacity is not None
    rows: list[tuple[Cell, ...]] = []
    for span in time.periods:
        cells: list[Cell] = [Label(span.name), Count(span.cases), Count(span.ripe), Count(span.called)]
        if has_capacity:
            cells.append(Words("yes" if span.met else "no", "good" if span.met else "bad"))
        rows.append((*cells, Found(span.value)))
    columns = [
        Column(time.per, Label),
        Column("cases", Count, 2),
        Column("ripe", Count, 3),
        Column("called", Count),
    ]
    if has_capacity:
        columns.append(Column("capacity met", Words))
    trend = time.trend
    method = f", {trend.method}" if trend.has_interval else ""
    foot = f"Trend a {time.per}: {' '.join(filter(None, (signed_value(trend), signed_interval(trend))))}{method}."
    if trend.is_undefined:
        foot = f"No trend: {trend.reason}."
    return Table((*columns, Column(time.objective, Found)), tuple(rows), foot=foot)


def _random(d: Decision) -> str:
    optimistic = "; the value on these cases is optimistic, because the threshold was chosen on them"
    optimistic = "" if d.uses_no_score else optimistic
    others = " Other measures are corrected with the same resamples." if d.is_resampled else ""
    return f"Random: the cases, not the model. The value for new cases is {d.how_honest}{optimistic}.{others}"


def _next(d: Decision) -> Iterator[str]:
    cost = d.rule.cost
    if cost is not None and cost.acting_may_cost:
        acting = str(Form.of(cost.fp))
        condition = f"if acting itself costs {acting} (a call, a review), it does so for true positives too"
        yield hint(f"{condition}: `Costs(…, tp={acting})`", f"{condition}: `--cost tp={acting}`")
    if d.is_resampled:
        yield hint(
            "`a.threshold(…, held_back=other)` judges the threshold on cases that took no part in choosing it",
            "`classay assess OTHER` with `--threshold` and `--require` judges the threshold on cases that took no part "
            "in choosing it; so does `a.threshold(…, held_back=other)` in Python",
        )
    if not (d.calls_nobody or d.calls_everybody):
        yield hint(
            "`decision.apply(estimator)` gives scikit-learn's FixedThresholdClassifier with this threshold",
            "a case is called positive when its score is at least the threshold as it is written above",
        )
    carried = d.rule.cost is not None and d.rule.cost.names
    page = f"writes a page whose threshold{' can' if carried else ', costs and prevalence can'} be moved"
    yield hint(f'`decision.report("decision.html")` {page}', f"`--html decision.html` {page}")


SCHEMA = 1


def as_dict(d: Decision, gain: GainTable | None = None, time: OverTime | None = None) -> dict[str, Any]:
    """The decision as values that JSON knows; an infinite threshold calls nobody positive."""
    keys: dict[str, Any] = {
        **head(SCHEMA, "decision"),
        "rule": d.rule.text,
        "advice": list(d.advice),
        "positive": plain(d.positive),
        "cases": plain(d.cases),
        "prevalence": plain(d.prevalence),
        "observed_prevalence": plain(d.observed),
        "level": d.level,
        "seed": d.seed,
        "threshold": of_estimate(d.threshold),
        "as_good": None if d.as_good is None else [plain(each) for each in d.as_good],
        "confusion_matrix": {
            "labels": [plain(label) for label in d.matrix.labels],
            "axes": ["predicted", "true"],
            "counts": d.matrix.counts.tolist(),
        },
        "objective": {
            "name": d.objective,
            "apparent": of_estimate(d.apparent),
            "honest": of_estimate(d.honest),
            "how_honest": d.how_honest,
        },
        "conditions": [
            {
                "condition": str(condition.requirement),
                "apparent": of_estimate(condition.apparent),
                "honest": of_estimate(condition.honest),
                "probability": plain(condition.probability),
            }
            for condition in d.kept
        ],
        "costs": None if d.rule.cost is None else _costs_as_dict(d),
        "measures": {name: of_estimate(estimate) for name, estimate in d.measures.items()},
        "measures_new_cases": {name: of_estimate(estimate) for name, estimate in d.honest_measures.items()},
        "changes": [
            {
                "what": change.what,
                "threshold": plain(change.threshold),
                "objective_here": plain(change.here),
                "objective_there": plain(change.there),
            }
            for change in d.changes
        ],
        "curves": {curve.name: of_curve(curve) for curve in d.curves},
        "headline": as_plain(leading(findings_on_decision(d))),
        "notes": list(d.notes),
        "warnings": of_warnings(d.warnings),
    }
    if gain is not None:
        keys["gain"] = of_gain(gain)
    if time is not None:
        keys["time"] = of_time(time)
    return keys


def of_time(time: OverTime) -> dict[str, Any]:
    """A decision over time, period by period."""
    return {
        "per": time.per,
        "objective": time.objective,
        "capacity": plain(time.capacity),
        "unripe": time.unripe,
        "labels_until": time.until,
        "trend": of_estimate(time.trend),
        "periods": [
            {
                "period": period.name,
                "cases": period.cases,
                "ripe": period.ripe,
                "called": period.called,
                "capacity_met": period.met,
                "value": of_estimate(period.value),
            }
            for period in time.periods
        ],
    }


def _costs_as_dict(d: Decision) -> dict[str, Any]:
    assert d.rule.cost is not None
    assert d.cost is not None
    entries = {name: plain(getattr(d.rule.cost, name)) for name in ("fp", "fn", "tp", "tn")}
    new = d.honest_cost
    return {
        "entries": entries,
        "per_case": of_estimate(d.cost.per_case),
        "total": of_estimate(d.cost.total),
        "normalised": of_estimate(d.cost.normalised),
        "saving_over_none": of_estimate(d.cost.saving_over_none),
        "saving_over_all": of_estimate(d.cost.saving_over_all),
        "total_saving_over_none": of_estimate(d.cost.total_saving_over_none),
        "total_saving_over_all": of_estimate(d.cost.total_saving_over_all),
        "new_cases": None
        if new is None
        else {
            "per_case": of_estimate(new.per_case),
            "total": of_estimate(new.total),
            "normalised": of_estimate(new.normalised),
            "saving_over_none": of_estimate(new.saving_over_none),
            "saving_over_all": of_estimate(new.saving_over_all),
            "total_saving_over_none": of_estimate(new.total_saving_over_none),
            "total_saving_over_all": of_estimate(new.total_saving_over_all),
        },
    }


def of_gain(gain: GainTable) -> dict[str, Any]:
    """A gain table, part by part."""
    return {
        "amount": gain.amount,
        "parts": [
            {
                "k": plain(part.k),
                "share": part.share,
                "threshold": plain(part.threshold),
                "in_part": plain(part.in_part),
                "precision": of_estimate(part.precision),
                "recall": of_estimate(part.recall),
                "lift": of_estimate(part.lift),
                "captured": None if part.captured is None else of_estimate(part.captured),
            }
            for part in gain.parts
        ],
    }
