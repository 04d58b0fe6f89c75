"""What a loss consists of: one decomposition, decompositions over a parameter, and learning curves.

Documents and JSON (docs/decomposition, decomposition-path and learning-curve.schema.json).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite, isinf
from typing import TYPE_CHECKING, Any

from classay.improving.loss_parts import LOSS_TITLES
from classay.improving.results_of_stacks import LOOKS, StackedBar, diagram
from classay.improving.training_sets import Extrapolation
from classay.inference.estimate import Estimate, said, signed, spoken
from classay.measures import get
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Prose,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessments import closing, shares
from classay.report.results.parts import BARS, UNIT, bar, head, of_estimate, of_warnings, plain
from classay.report.words import signed_value
from classay.texts import listed, quote

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition
    from classay.improving.learning_curve import DecompositionPath, LearningCurve
    from classay.improving.loss_parts import Scheme
    from classay.report.drawings import Drawing


SHOWN = 5
"""Rows shown of each kind, and failures; the rest are counted."""
IN_BIAS = "The bias contains the noise, because one label a row does not tell them apart."


def document_of_decomposition(d: Decomposition) -> Document:
    """The document of a decomposition."""
    return Document(
        f"Bias and variance of {d.learner}",
        tuple(_facts_of_decomposition(d)),
        tuple(_verdict_of_decomposition(d)),
        (*_sections_of_decomposition(d), *closing(d.random, d.warnings, _steps(d))),
        sources=tuple(scheme.reference for scheme in d.schemes),
    )


def _facts_of_decomposition(d: Decomposition) -> Iterator[tuple[str, str]]:
    yield "loss", LOSS_TITLES[d.loss]
    clusters = "" if d.units.clusters is None else f" in {d.units.clusters:,} clusters"
    weighted = "" if d.units.weight is None else ", weighted"
    yield "test rows", f"{d.table.rows:,}{clusters}{weighted}"
    drawn = "" if d.drawn_from is None else f" from {d.drawn_from:,}"
    yield "training sets", f"{d.rounds:,} {d.sampling} of {d.size:,} {d.units.name}s{drawn}"
    yield "classes", ", ".join(map(quote, d.labels[:6])) + (", …" if len(d.labels) > 6 else "")
    yield "noise", "known" if d.noise_known else "not known, part of the bias"
    yield "level", f"{100 * d.level:g} %, seed {d.seed}"


def _verdict_of_decomposition(d: Decomposition) -> Iterator[str]:
    scheme, terms = d.schemes[0], d.terms
    noise = "net_noise" if "net_noise" in terms else "noise"
    names = [name for name in (noise, scheme.bias, scheme.variance) if not terms[name].is_undefined]
    parts = [f"{scheme.part(name).title} {said(terms[name])}" for name in names]
    yield f"The {LOSS_TITLES[d.loss]} of {d.learner} is {said(terms['loss'])}: {listed(parts)}."
    leaning = d.leaning
    if isinf(terms["loss"].value):
        yield "Some round gives a class probability 0, which makes log-loss infinite; squared loss is always finite."
    elif leaning.has_interval and leaning.low > 0:
        yield f"Variance is the greater part: it adds {said(leaning)} more than bias does."
    elif leaning.has_interval and leaning.high < 0:
        turned = Estimate(-leaning.value, -leaning.high, -leaning.low, leaning.level, leaning.method)
        what = (
            "Bias is the greater part: it adds"
            if d.noise_known
            else "Bias and noise together are the greater part: they add"
        )
        yield f"{what} {said(turned)} more than variance does."
    else:
        yield "These rounds and rows do not tell which of bias and variance is the greater part."
    if not d.noise_known:
        yield f"{IN_BIAS} So no cause follows from this alone."


def _sections_of_decomposition(d: Decomposition) -> Iterator[Section]:
    drawn = diagram([stack_of(d)], "learner")
    if drawn is not None:
        yield Section("What the loss consists of", (drawn,))
    for scheme in d.schemes:
        title = f"Parts by {scheme.title}" if len(d.schemes) > 1 else f"Parts of {LOSS_TITLES[d.loss]}"
        yield Section(title, (_terms(d, scheme),))
    rows = [*_rows(d)]
    if rows:
        yield Section("Rows", tuple(rows))


def _terms(d: Decomposition, scheme: Scheme) -> Table:
    terms = d.terms_of(scheme.name)
    return Table(
        (Column("", Label), Column("value", Found), Column("", Bar, BARS), Column("what it is", Words, 8)),
        tuple(
            (
                Label(scheme.part(name).title, name),
                Found(estimate),
                bar(estimate, UNIT) if scheme.part(name).low == 0 and estimate.high <= 1 else None,
                Words(scheme.part(name).about, "quiet"),
            )
            for name, estimate in terms.items()
        ),
        note=f"{scheme.reference}. Intervals over test {d.units.name}s and rounds together.",
    )


def _rows(d: Decomposition) -> Iterator[Table]:
    by_row = {row["row"]: row for row in d.by_row().to_pylist()}
    for title, rows in (("Mostly biased", d.biased_rows), ("Mostly unstable", d.unstable_rows)):
        if not rows.size:
            continue
        columns = (
            Column("row", Label),
            Column("likeliest class" if d.noise_known else "class", Words),
            Column("main prediction", Words),
            Column("its share", Value),
            Column("loss", Value),
            Column("bias", Value, 2),
            Column("variance", Value, 2),
        )
        cells = tuple(_row(by_row[row]) for row in rows[:SHOWN].tolist())
        yield Table(columns, cells, title, f"{rows.size:,} of {d.table.rows:,} rows")


def _row(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    names = ("share", "loss", "bias", "variance")
    values = (Value(Estimate(float(row[name]))) for name in names)
    return (row_label(row), Words(str(row["truth"])), Words(str(row["main_prediction"])), *values)


def row_label(row: Mapping[str, Any]) -> Label:
    """What a row is called: by the index of its frame, or by its number."""
    return Label(str(row["index"]) if "index" in row else f"{row['row']:,}")


def _steps(d: Decomposition) -> Iterable[str]:
    others = [loss for loss in LOSS_TITLES if loss != d.loss and (loss == "0-1" or d.table.sums is not None)]
    if others:
        yield f"`.of({others[0]!r})` takes another loss apart, from the same fits"
    if not d.noise_known:
        yield "`ca.improve(learner, X, y)` tries what would help, and so tells bias from noise"
    yield "`.by_row()` has the parts of every row, `.biased_rows` and `.unstable_rows` all such rows"


SCHEMA_OF_DECOMPOSITION = 1
MOST_ROWS = 1000
"""Rows of each kind that the JSON names; it counts all."""


def as_dict_of_decomposition(d: Decomposition) -> dict[str, Any]:
    """The decomposition as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    return {
        **head(SCHEMA_OF_DECOMPOSITION),
        "learner": d.learner,
        "loss": d.loss,
        "labels": [plain(label) for label in d.labels],
        "test_rows": d.table.rows,
        "test_clusters": d.units.clusters,
        "weighted": d.units.weight is not None,
        "noise_known": d.noise_known,
        "sampling": d.sampling,
        "size": d.size,
        "drawn_from": d.drawn_from,
        "rounds": d.rounds,
        "planned": d.planned,
        "random": d.random,
        "warnings": of_warnings(d.warnings),
        "level": d.level,
        "seed": d.seed,
        "decompositions": [
            {
                "name": scheme.name,
                "reference": scheme.reference,
                "adds_up": dict(scheme.adds_up),
                "terms": [
                    {"name": name} | of_estimate(estimate)
                    for name, estimate in d.terms_of(scheme.name).items()
                ],
            }
            for scheme in d.schemes
        ],
        "leaning": of_estimate(d.leaning),
        "biased": _rows_as_dict(d.biased_rows),
        "unstable": _rows_as_dict(d.unstable_rows),
        "failures": list(d.failures),
        "notes": list(d.notes),
    }


def _rows_as_dict(rows: Any) -> dict[str, Any]:
    return {"count": int(rows.size), "rows": rows[:MOST_ROWS].tolist()}


CHOSEN = (
    "The least of several losses on the same rows is a little too low: judge the value that you choose on other "
    "rows."
)


def document_of_path(p: DecompositionPath) -> Document:
    """The document of a path."""
    first = p.decompositions[0]
    document = document_of_decomposition(first)
    facts = tuple(fact for fact in document.facts if p.parameter != "size" or fact[0] != "training sets")
    return Document(
        f"Bias and variance of {first.learner} over {p.parameter}",
        (*facts, (p.parameter, ", ".join(map(str, p.values)))),
        tuple(_verdict_of_path(p)),
        (*_sections_of_path(p), *closing(first.random, p.warnings, ())),
    )


def with_pictures_of_path(document: Document, p: DecompositionPath) -> Document:
    """The document with its curves behind the stacked parts."""
    curves = Section("Over the parameter", (Figures((Figure(p.curves()),)),))
    return replace(document, sections=(document.sections[0], curves, *document.sections[1:]))


def _verdict_of_path(p: DecompositionPath) -> Iterator[str]:
    losses = [decomposition["loss"] for decomposition in p.decompositions]
    at = min(range(len(losses)), key=lambda k: losses[k].value)
    first = p.decompositions[0]
    yield f"The {LOSS_TITLES[first.loss]} is least at {p.parameter} {p.values[at]}: {said(losses[at])}."
    scheme = first.schemes[0]
    for name in (scheme.bias, scheme.variance):
        ends = [decomposition[name] for decomposition in (p.decompositions[0], p.decompositions[-1])]
        title = scheme.part(name).title
        lead = f"{title[:1].upper()}{title[1:]}"
        yield f"{lead} is {said(ends[0])} at {p.values[0]} and {said(ends[1])} at {p.values[-1]}."
    if not first.noise_known:
        yield IN_BIAS
    if len(p.values) > 1:
        yield CHOSEN


def _sections_of_path(p: DecompositionPath) -> Iterator[Section]:
    stacks = [
        stack_of(decomposition, str(value))
        for value, decomposition in zip(p.values, p.decompositions, strict=True)
    ]
    drawn = diagram(stacks, p.parameter)
    table = Table(
        (Column(p.parameter, Label), *(Column(title, Found) for title in p.shown_terms.values())),
        tuple(
            (Label(str(value)), *(Found(decomposition[name]) for name in p.shown_terms))
            for value, decomposition in zip(p.values, p.decompositions, strict=True)
        ),
    )
    yield Section("What the loss consists of", (table,) if drawn is None else (drawn, table))


SCHEMA_OF_PATH = 1


def as_dict_of_path(p: DecompositionPath) -> dict[str, Any]:
    """The path as values that JSON knows: the whole decomposition at each value."""
    return {
        **head(SCHEMA_OF_PATH),
        "parameter": p.parameter,
        "points": [
            {"value": plain(value), "decomposition": as_dict_of_decomposition(decomposition)}
            for value, decomposition in zip(p.values, p.decompositions, strict=True)
        ],
    }


def document_of_learning_curve(c: LearningCurve) -> Document:
    """The document of a learning curve."""
    return Document(
        f"Learning curve of {c.learner}",
        tuple(_facts_of_learning_curve(c)),
        tuple(_verdict_of_learning_curve(c)),
        (*_sections_of_learning_curve(c), *closing(c.random, c.warnings, ())),
    )


def with_pictures_of_learning_curve(document: Document, c: LearningCurve) -> Document:
    """The document with its picture first."""
    picture = Section("Learning curve", (Figures((Figure(c.curves()),)),))
    return replace(document, sections=(picture, *document.sections))


def _facts_of_learning_curve(c: LearningCurve) -> Iterator[tuple[str, str]]:
    e = c.evaluations[0]
    cases = e.runs[0].cases
    yield "cases", f"{cases.rows:,}"
    yield "cases by class", shares(cases.labels, cases.totals.tolist())
    yield "measure", get(c.measure).title
    yield "protocol", f"{e.protocol.name.partition('@')[0]}, {len(c.sizes)} training sizes"
    yield "level", f"{100 * c.level:g} %, seed {c.seed}"


def _verdict_of_learning_curve(c: LearningCurve) -> Iterator[str]:
    last = c.points[-1]
    yield (
        f"With {last.size:,} training cases, the {spoken(c.measure)} of {c.learner} is {said(last.test)} on new "
        f"cases, and {said(last.training)} on the training cases."
    )
    beyond = c.extrapolation
    if isinstance(beyond, str):
        yield f"The gain from more cases cannot be estimated: {beyond}."
    elif beyond.estimate.is_undefined:
        yield f"The gain from more cases cannot be estimated: {beyond.estimate.reason}."
    else:
        change = signed_value(beyond.change)
        if beyond.change.has_interval:
            _, low, high = signed(beyond.change)
            change += f" ({low} to {high})"
        yield (
            f"Extrapolated by a power law, {beyond.size:,} cases would give {said(beyond.estimate)}, a change of "
            f"{change} from what the law says of {last.size:,}."
        )


def _sections_of_learning_curve(c: LearningCurve) -> Iterator[Section]:
    bounds = get(c.measure).bounds
    table = Table(
        (
            Column("training cases", Count),
            Column("new cases", Found),
            Column("", Bar, BARS),
            Column("training", Found),
        ),
        tuple((Count(p.size), Found(p.test), bar(p.test, bounds), Found(p.training)) for p in c.points),
        scale=AxisScale(),
    )
    yield Section(f"{get(c.measure).title} by training size", (table,))
    if isinstance(c.extrapolation, Extrapolation):
        yield Section("Extrapolation to twice the cases", (*_beyond(c.extrapolation, c.sizes[-1]),))


def _beyond(law: Extrapolation, top: int) -> Iterator[Prose | Table]:
    yield Prose(
        "A power law a + b n^-c through the points, with the interval that their errors give it; whether the law goes "
        f"on to hold is checked only from half of the cases to {top:,}.",
        "quiet",
    )
    rows = (
        (Label(f"at {law.size:,} cases"), Found(law.estimate)),
        (Label(f"change from {top:,}"), Difference(law.change)),
        (Label(f"expected at {top:,}, from half"), Found(law.expected)),
        (Label(f"seen at {top:,}"), Found(law.seen)),
        (Label("seen less expected"), Difference(law.miss)),
    )
    yield Table((Column("", Label), Column("value", Found)), rows)


SCHEMA_OF_LEARNING_CURVE = 1
_ESTIMATES = ("estimate", "change", "expected", "seen", "miss")


def as_dict_of_learning_curve(c: LearningCurve) -> dict[str, Any]:
    """The curve as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    beyond = c.extrapolation
    cases = c.evaluations[0].runs[0].cases
    return {
        **head(SCHEMA_OF_LEARNING_CURVE),
        "learner": c.learner,
        "measure": c.measure,
        "rows": cases.rows,
        "labels": [plain(label) for label in cases.labels],
        "protocol": c.evaluations[0].protocol.name.partition("@")[0],
        "random": c.random,
        "warnings": of_warnings(c.warnings),
        "level": c.level,
        "seed": c.seed,
        "points": [
            {"size": p.size, "new_cases": of_estimate(p.test), "training": of_estimate(p.training)}
            for p in c.points
        ],
        "extrapolation": None if isinstance(beyond, str) else _of_extrapolation(beyond),
        "why_not": beyond if isinstance(beyond, str) else None,
        "failures": list(c.failures),
    }


def _of_extrapolation(law: Extrapolation) -> dict[str, Any]:
    estimates = {name: of_estimate(getattr(law, name)) for name in _ESTIMATES}
    path = [dict(zip(("size", "value", "low", "high"), map(plain, point), strict=True)) for point in law.path]
    return {"size": law.size, "holds": law.holds, **estimates, "path": path}


def stack_of(d: Decomposition, label: str = "") -> StackedBar:
    """The bar of a decomposition."""
    terms = d.terms
    names = {"noise": "net_noise", "variance": "unbiased_variance"} if d.loss == "0-1" else {}
    values = ((part, terms[names.get(part, part)].value) for part in LOOKS)
    parts = tuple((part, max(value, 0.0)) for part, value in values if isfinite(value))
    taken = terms["biased_variance"].value if d.loss == "0-1" else 0.0
    return StackedBar(label or d.learner, terms["loss"], parts, taken)


def draw_decomposition(decomposition: Decomposition, ax: Any, _: Drawing) -> Any:
    """Draw the parts of a learner's loss."""
    from classay.improving.results_of_stacks import plot_stacks

    return plot_stacks([stack_of(decomposition)], ax)
