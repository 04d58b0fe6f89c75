"""A decomposition: what a loss consists of, and at which rows; and its JSON (docs/decomposition.schema.json)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isinf
from typing import TYPE_CHECKING, Any

from classay.improving.loss_parts import LOSS_TITLES
from classay.inference.estimate import Estimate, said
from classay.report.document import (
    Bar,
    Cell,
    Column,
    Document,
    Found,
    Label,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.pictures.diagrams import diagram, stack_of
from classay.report.results.assessment import closing
from classay.report.results.parts import BARS, UNIT, bar, head, of_estimate, plain
from classay.texts import listed, quote

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition
    from classay.improving.loss_parts import Scheme

SHOWN = 5
"""Rows shown of each kind, and failures; the rest are counted."""
IN_BIAS = "The bias contains the noise, because one label a row does not tell them apart."


def document_of(d: Decomposition) -> Document:
    """The document of a decomposition."""
    return Document(
        f"Bias and variance of {d.learner}",
        tuple(_facts(d)),
        tuple(_verdict(d)),
        (*_sections(d), *closing(d.random, _warnings(d), _steps(d))),
        sources=tuple(scheme.reference for scheme in d.schemes),
    )


def _facts(d: Decomposition) -> Iterator[tuple[str, str]]:
    yield "loss", LOSS_TITLES[d.loss]
    clusters = "" if d.units.clusters is None else f" in {d.units.clusters:,} clusters"
    weighted = "" if d.units.weight is None else ", weighted"
    yield "test rows", f"{d.table.rows:,}{clusters}{weighted}"
    drawn = "" if d.drawn_from is None else f" from {d.drawn_from:,}"
    yield "training sets", f"{d.rounds:,} {d.sampling} of {d.size:,} {d.units.name}s{drawn}"
    yield "classes", ", ".join(map(quote, d.labels[:6])) + (", …" if len(d.labels) > 6 else "")
    yield "noise", "known" if d.noise_known else "not known, part of the bias"
    yield "level", f"{100 * d.level:g} %, seed {d.seed}"


def _verdict(d: Decomposition) -> Iterator[str]:
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


def _sections(d: Decomposition) -> Iterator[Section]:
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
    found = d.terms_of(scheme.name)
    return Table(
        (Column("", Label), Column("value", Found), Column("", Bar, BARS), Column("what it is", Words, 8)),
        tuple(
            (
                Label(scheme.part(name).title, name),
                Found(each),
                bar(each, UNIT) if scheme.part(name).low == 0 and each.high <= 1 else None,
                Words(scheme.part(name).about, "quiet"),
            )
            for name, each in found.items()
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


def _warnings(d: Decomposition) -> Iterable[tuple[str, str]]:
    for code, texts, lead in (("failure", d.failures, "a fit failed: "), ("note", d.notes, "")):
        yield from ((code, lead + text) for text in texts[:SHOWN])
        if len(texts) > SHOWN:
            yield code, f"{len(texts) - SHOWN} more such {code}s; the JSON lists them."


def _steps(d: Decomposition) -> Iterable[str]:
    others = [loss for loss in LOSS_TITLES if loss != d.loss and (loss == "0-1" or d.table.sums is not None)]
    if others:
        yield f"`.of({others[0]!r})` takes another loss apart, from the same fits"
    if not d.noise_known:
        yield "`ca.improve(learner, X, y)` tries what would help, and so tells bias from noise"
    yield "`.by_row()` has the parts of every row, `.biased_rows` and `.unstable_rows` all such rows"


SCHEMA = 1
MOST_ROWS = 1000
"""Rows of each kind that the JSON names; it counts all."""


def as_dict(d: Decomposition) -> dict[str, Any]:
    """The decomposition as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    return {
        **head(SCHEMA),
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
        "level": d.level,
        "seed": d.seed,
        "decompositions": [
            {
                "name": scheme.name,
                "reference": scheme.reference,
                "adds_up": dict(scheme.adds_up),
                "terms": [
                    {"name": name} | of_estimate(each) for name, each in d.terms_of(scheme.name).items()
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
