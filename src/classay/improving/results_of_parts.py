"""What a loss consists of: one decomposition, decompositions over a parameter, and learning curves.

Documents and JSON (docs/decomposition, decomposition-path and learning-curve.schema.json).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite, isinf
from typing import TYPE_CHECKING, Any

from classay.improving.loss_parts import LOSS_TITLES, LOSSES
from classay.improving.results_of_stacks import LOOKS, StackedBar, diagram
from classay.improving.training_sets import Extrapolation
from classay.inference.estimate import Estimate, format_estimate, measure_phrase
from classay.inference.phrasing import difference_text, value_with_interval
from classay.measures import get
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Prose,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.results.assessments import closing, shares
from classay.report.results.parts import BARS, UNIT, bar
from classay.report.shape import ByName, Key, Kind, Many, Result, Row, inside
from classay.report.value_kinds import (
    COUNT,
    EITHER,
    ESTIMATE,
    FLAG,
    FLOAT,
    LABEL,
    LEVEL,
    NUMBER,
    TEXT,
    TEXTS,
    WARNINGS,
    keys_of_estimate,
    one_of,
)
from classay.texts import listed, quote

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition
    from classay.improving.learning_curve import DecompositionPath, LearningCurve
    from classay.improving.loss_parts import Scheme
    from classay.report.drawings import Drawing


SHOWN = 5
"""Rows shown of each kind, and failures; the rest are counted."""
IN_BIAS = "The bias includes the noise, because one label per row cannot separate them."


def document_of_decomposition(d: Decomposition) -> Document:
    """Return the document of a decomposition."""
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
    yield "noise", "known" if d.noise_known else "not known, included in the bias"
    yield "confidence level", f"{100 * d.level:g}%"
    yield "seed", str(d.seed)


def _verdict_of_decomposition(d: Decomposition) -> Iterator[str]:
    scheme, terms = d.schemes[0], d.terms
    noise = "net_noise" if "net_noise" in terms else "noise"
    names = [name for name in (noise, scheme.bias, scheme.variance) if not terms[name].is_undefined]
    parts = [f"{scheme.part(name).title} {format_estimate(terms[name])}" for name in names]
    yield (
        f"The {LOSS_TITLES[d.loss]} of {d.learner} is {format_estimate(terms['loss'])}. Its parts are "
        f"{listed(parts)}."
    )
    leaning = d.leaning
    if isinf(terms["loss"].value):
        yield "A class probability of 0 in some round makes log-loss infinite. Squared loss is always finite."
    elif leaning.has_interval and leaning.low > 0:
        bias = "bias" if d.noise_known else "bias and noise together"
        variance = scheme.part(scheme.variance).title
        yield f"{variance[:1].upper()}{variance[1:]} exceeds {bias} by {format_estimate(leaning)}."
    elif leaning.has_interval and leaning.high < 0:
        turned = Estimate(-leaning.value, -leaning.high, -leaning.low, leaning.level, leaning.method)
        what = "Bias exceeds" if d.noise_known else "Bias and noise together exceed"
        yield f"{what} {scheme.part(scheme.variance).title} by {format_estimate(turned)}."
    else:
        yield "It could not be determined whether bias or variance is larger."
    if not d.noise_known:
        yield f"{IN_BIAS} No cause follows from these parts without further evidence."


def _sections_of_decomposition(d: Decomposition) -> Iterator[Section]:
    drawn = diagram([stack_of(d)], "learner")
    if drawn is not None:
        yield Section("Loss breakdown", (drawn,))
    for scheme in d.schemes:
        title = f"Parts by {scheme.title}" if len(d.schemes) > 1 else f"Parts of {LOSS_TITLES[d.loss]}"
        yield Section(title, (_terms(d, scheme),))
    rows = [*_rows(d)]
    if rows:
        yield Section("Rows", tuple(rows))


def _terms(d: Decomposition, scheme: Scheme) -> Table:
    terms = d.terms_of(scheme.name)
    return Table(
        (
            Column("", Label),
            Column("value", EstimateCell),
            Column("", Bar, BARS),
            Column("meaning", Words, 8),
        ),
        tuple(
            (
                Label(scheme.part(name).title, name),
                EstimateCell(estimate),
                bar(estimate, UNIT) if scheme.part(name).low == 0 and estimate.high <= 1 else None,
                Words(scheme.part(name).about, "quiet"),
            )
            for name, estimate in terms.items()
        ),
        note=f"{scheme.reference}. Intervals cover test {d.units.name}s and rounds jointly.",
    )


def _rows(d: Decomposition) -> Iterator[Table]:
    by_row = {row["row"]: row for row in d.by_row().to_pylist()}
    for title, rows in (("Mostly biased", d.biased_rows), ("Mostly unstable", d.unstable_rows)):
        if not rows.size:
            continue
        columns = (
            Column("row", Label),
            Column("most likely class" if d.noise_known else "class", Words),
            Column("main prediction", Words),
            Column("share of rounds", Value),
            Column("loss", Value),
            Column("bias", Value, 2),
            Column("variance", Value, 2),
        )
        cells: tuple[tuple[Cell, ...], ...] = tuple(
            (
                row_label(row),
                Words(str(row["truth"])),
                Words(str(row["main_prediction"])),
                *(Value(Estimate(float(row[name]))) for name in ("share", "loss", "bias", "variance")),
            )
            for row in map(by_row.__getitem__, rows[:SHOWN].tolist())
        )
        yield Table(columns, cells, title, f"{rows.size:,} of {d.table.rows:,} rows")


def row_label(row: Mapping[str, object]) -> Label:
    """Return what a row is called: by the index of its frame, or by its number."""
    return Label(str(row["index"]) if "index" in row else f"{row['row']:,}")


def _steps(d: Decomposition) -> Iterable[str]:
    others = [loss for loss in LOSS_TITLES if loss != d.loss and (loss == "0-1" or d.table.sums is not None)]
    if others:
        yield f"Decompose another loss of the same fits: `.of({others[0]!r})`."
    if not d.noise_known:
        yield "Try remedies, and separate bias from noise: `ca.improve(learner, X, y)`."
    yield (
        "Get the parts of all rows with `.by_row()`. `.biased_rows` and `.unstable_rows` list the rows above."
    )


MOST_ROWS = 1000
"""Rows of each kind that the JSON names; it counts all."""
_PARTS = (
    *("loss", "noise", "net_noise", "bias", "variance"),
    *("unbiased_variance", "biased_variance", "net_variance"),
)
_TERM = Row(Key("name", one_of(*_PARTS), "0"), *inside("1", keys_of_estimate(NUMBER))).limited(**EITHER)
_SCHEME = Row(
    Key("name", one_of("domingos", "kohavi-wolpert", "squared", "bregman"), "0.name"),
    Key("reference", TEXT, "0.reference"),
    Key(
        "adds_up",
        ByName(Kind({"enum": [1, -1]})),
        lambda row: dict(row[0].adds_up),
        "The terms that add up to the loss, each term with its sign.",
    ),
    Key("terms", Many(_TERM).limited(minItems=1), lambda row: row[1].items()),
)
_ROWS = (
    Row(
        Key("count", COUNT, lambda rows: int(rows.size)),
        Key("rows", Many(COUNT), lambda rows: rows[:MOST_ROWS].tolist()),
    )
    .limited(description="The number of rows, and the numbers of the first 1,000, the worst first.")
    .named("rows")
)
_WHOLE = COUNT.limited(minimum=1)
DECOMPOSITION = Result(
    "decomposition",
    1,
    "Decomposition of the loss of a learner",
    'What `to_dict()` of a decomposition gives. Undefined numbers are null, infinite ones the texts "Infinity" and '
    '"-Infinity".',
    Key("learner", TEXT),
    Key("loss", one_of(*LOSSES)),
    Key("labels", Many(LABEL).limited(minItems=2)),
    Key("test_rows", _WHOLE, "table.rows"),
    Key(
        "test_clusters",
        _WHOLE.or_null(),
        "units.clusters",
        "Number of clusters of the test rows; null where rows are independent.",
    ),
    Key(
        "weighted", FLAG, lambda d: d.units.weight is not None, "Whether test rows count by sampling weights."
    ),
    Key(
        "noise_known",
        FLAG,
        help="Whether the probabilities of the classes at the test rows were known; otherwise noise is part of the "
        "bias.",
    ),
    Key("sampling", TEXT),
    Key("size", _WHOLE, help="Rows of a training set; clusters where test_clusters is not null."),
    Key(
        "drawn_from",
        COUNT.or_null(),
        help="Rows, or clusters, that training sets were drawn from; null for a population.",
    ),
    Key("rounds", COUNT.limited(minimum=2)),
    Key("planned", COUNT.limited(minimum=2)),
    Key("random", TEXT),
    Key("warnings", WARNINGS, added=True),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key(
        "decompositions",
        Many(_SCHEME).limited(minItems=1),
        lambda d: [(scheme, d.terms_of(scheme.name)) for scheme in d.schemes],
    ),
    Key("leaning", ESTIMATE, help="Contribution of variance to the loss minus that of bias."),
    Key("biased", _ROWS, "biased_rows"),
    Key("unstable", _ROWS, "unstable_rows"),
    Key("failures", TEXTS),
    Key("notes", TEXTS),
)
as_dict_of_decomposition = DECOMPOSITION.as_dict


CHOSEN = "The lowest of several losses on the same rows is optimistic. Assess the chosen value on other rows."


def document_of_path(p: DecompositionPath) -> Document:
    """Return the document of a path."""
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
    """Return the document with its curves behind the stacked parts."""
    curves = Section("Over the parameter", (Figures((Figure(p.curves()),)),))
    return replace(document, sections=(document.sections[0], curves, *document.sections[1:]))


def _verdict_of_path(p: DecompositionPath) -> Iterator[str]:
    losses = [decomposition["loss"] for decomposition in p.decompositions]
    at = min(range(len(losses)), key=lambda k: losses[k].value)
    first = p.decompositions[0]
    yield (
        f"The {LOSS_TITLES[first.loss]} is lowest at {p.parameter} {p.values[at]}: "
        f"{format_estimate(losses[at])}."
    )
    scheme = first.schemes[0]
    for name in (scheme.bias, scheme.variance):
        ends = [decomposition[name] for decomposition in (p.decompositions[0], p.decompositions[-1])]
        title = scheme.part(name).title
        lead = f"{title[:1].upper()}{title[1:]}"
        yield f"{lead} is {format_estimate(ends[0])} at {p.values[0]} and {format_estimate(ends[1])} at {p.values[-1]}."
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
        (Column(p.parameter, Label), *(Column(title, EstimateCell) for title in p.shown_terms.values())),
        tuple(
            (Label(str(value)), *(EstimateCell(decomposition[name]) for name in p.shown_terms))
            for value, decomposition in zip(p.values, p.decompositions, strict=True)
        ),
    )
    yield Section("Loss breakdown", (table,) if drawn is None else (drawn, table))


DECOMPOSITION_PATH = Result(
    "decomposition-path",
    1,
    "Decompositions of a loss over one parameter",
    "What `to_dict()` of a decomposition path gives: the decomposition (decomposition.schema.json) at each value.",
    Key("parameter", TEXT),
    Key(
        "points",
        Many(Row(Key("value", LABEL, "0"), Key("decomposition", DECOMPOSITION.elsewhere, "1"))).limited(
            minItems=1
        ),
        lambda p: zip(p.values, p.decompositions, strict=True),
    ),
)
as_dict_of_path = DECOMPOSITION_PATH.as_dict


def document_of_learning_curve(c: LearningCurve) -> Document:
    """Return the document of a learning curve."""
    return Document(
        f"Learning curve of {c.learner}",
        tuple(_facts_of_learning_curve(c)),
        tuple(_verdict_of_learning_curve(c)),
        (*_sections_of_learning_curve(c), *closing(c.random, c.warnings, ())),
    )


def with_pictures_of_learning_curve(document: Document, c: LearningCurve) -> Document:
    """Return the document with its picture first."""
    picture = Section("Learning curve", (Figures((Figure(c.curves()),)),))
    return replace(document, sections=(picture, *document.sections))


def _facts_of_learning_curve(c: LearningCurve) -> Iterator[tuple[str, str]]:
    e = c.evaluations[0]
    cases = e.runs[0].cases
    yield "cases", f"{cases.rows:,}"
    yield "cases by class", shares(cases.labels, cases.totals.tolist())
    yield "measure", get(c.measure).title
    yield "protocol", f"{e.protocol.name.partition('@')[0]}, {len(c.sizes)} training sizes"
    yield "confidence level", f"{100 * c.level:g}%"
    yield "seed", str(c.seed)


def _verdict_of_learning_curve(c: LearningCurve) -> Iterator[str]:
    last, cases = c.points[-1], float(c.evaluations[0].runs[0].cases.rows)
    test, training = (
        value_with_interval(estimate, c.measure, cases) for estimate in (last.test, last.training)
    )
    yield (
        f"With {last.size:,} training cases, the {measure_phrase(c.measure)} of {c.learner} is {test} on new cases "
        f"and {training} on the training cases."
    )
    beyond = c.extrapolation
    if isinstance(beyond, str):
        yield f"The gain from more cases was not estimated: {beyond}."
    elif beyond.estimate.is_undefined:
        yield f"The gain from more cases was not estimated: {beyond.estimate.reason}."
    else:
        value, interval = difference_text(beyond.change, c.measure, cases)
        change = f"{value} ({interval})" if interval else value
        expected = value_with_interval(beyond.estimate, c.measure, cases)
        yield (
            f"By a power law, {beyond.size:,} cases would give {expected}, a change of {change} from the fitted value "
            f"at {last.size:,}."
        )


def _sections_of_learning_curve(c: LearningCurve) -> Iterator[Section]:
    bounds = get(c.measure).bounds
    table = Table(
        (
            Column("training cases", Count),
            Column("new cases", EstimateCell),
            Column("", Bar, BARS),
            Column("training", EstimateCell),
        ),
        tuple(
            (Count(p.size), EstimateCell(p.test), bar(p.test, bounds), EstimateCell(p.training))
            for p in c.points
        ),
        scale=AxisScale(),
    )
    yield Section(f"{get(c.measure).title} by training size", (table,))
    if isinstance(c.extrapolation, Extrapolation):
        yield Section("Extrapolation to twice the cases", (*_beyond(c.extrapolation, c.sizes[-1]),))


def _beyond(law: Extrapolation, top: int) -> Iterator[Prose | Table]:
    yield Prose(
        "Power law a + b n^-c fitted to the points, with an interval from their errors. The "
        f"extrapolation was checked only from half of the cases to {top:,}.",
        "quiet",
    )
    rows = (
        (Label(f"at {law.size:,} cases"), EstimateCell(law.estimate)),
        (Label(f"change from {top:,}"), Difference(law.change)),
        (Label(f"expected at {top:,}, from half"), EstimateCell(law.expected)),
        (Label(f"observed at {top:,}"), EstimateCell(law.seen)),
        (Label("observed minus expected"), Difference(law.miss)),
    )
    yield Table((Column("", Label), Column("value", EstimateCell)), rows)


_POINT = Row(
    Key("size", COUNT.limited(minimum=2)), Key("new_cases", ESTIMATE, "test"), Key("training", ESTIMATE)
)
_EXTRAPOLATION = Row(
    Key("size", COUNT.limited(minimum=4)),
    Key(
        "holds",
        FLAG,
        help="Whether the same extrapolation from half of the cases was correct; otherwise estimate and "
        "change are undefined.",
    ),
    *(Key(name, ESTIMATE) for name in ("estimate", "change", "expected", "seen", "miss")),
    Key(
        "path",
        Many(Row(*(Key(name, FLOAT, str(k)) for k, name in enumerate(("size", "value", "low", "high"))))),
    ),
)


def _extrapolation(c: LearningCurve) -> Extrapolation | None:
    return None if isinstance(c.extrapolation, str) else c.extrapolation


LEARNING_CURVE = Result(
    "learning-curve",
    1,
    "Learning curve",
    'What `to_dict()` of a learning curve gives. Undefined numbers are null, infinite ones the texts "Infinity" and '
    '"-Infinity".',
    Key("learner", TEXT),
    Key("measure", TEXT),
    Key("rows", _WHOLE, lambda c: c.evaluations[0].runs[0].cases.rows),
    Key("labels", Many(LABEL).limited(minItems=2), lambda c: c.evaluations[0].runs[0].cases.labels),
    Key("protocol", TEXT, lambda c: c.evaluations[0].protocol.name.partition("@")[0]),
    Key("random", TEXT),
    Key("warnings", WARNINGS, added=True),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key("points", Many(_POINT).limited(minItems=1)),
    Key(
        "extrapolation",
        _EXTRAPOLATION.or_null(),
        _extrapolation,
        "To twice the largest size by a power law; null where none was made, with the reason in why_not.",
    ),
    Key("why_not", TEXT.or_null(), lambda c: c.extrapolation if isinstance(c.extrapolation, str) else None),
    Key("failures", TEXTS),
    limits={
        "oneOf": [
            {"properties": {"extrapolation": {"type": "null"}, "why_not": {"type": "string"}}},
            {"properties": {"extrapolation": {"type": "object"}, "why_not": {"type": "null"}}},
        ]
    },
)
as_dict_of_learning_curve = LEARNING_CURVE.as_dict


def stack_of(d: Decomposition, label: str = "") -> StackedBar:
    """Return the bar of a decomposition."""
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
