"""The document of an improvement: why a learner errs, what was tried, and what it brought."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from classay.improving.remedies.evidence import LOSS
from classay.improving.remedies.known import remedies_named
from classay.inference.estimate import Estimate, number
from classay.measures import get
from classay.report.document import (
    Cell,
    Column,
    Difference,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Listing,
    Prose,
    PValue,
    Section,
    Table,
    Value,
    Words,
)
from classay.report.documents.assessment import closing, shares
from classay.report.documents.improving.decomposition import IN_BIAS, SHOWN, row_label
from classay.report.documents.improving.learning_curve import document_of as of_curve
from classay.report.pictures.stacks import Stack, diagram, stack_of
from classay.texts import hint

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition
    from classay.improving.remedies.improvement import Improvement

HARD = 10
"""Cases shown that no model gets right; the rest are counted."""


def document_of(i: Improvement) -> Document:
    """The document of an improvement."""
    from classay import __version__

    return Document(
        f"What helps {i.learner}",
        tuple(_facts(i)),
        i.verdict,
        (*_sections(i), *closing(i.random, _warnings(i), _steps(i))),
        version=__version__,
    )


def with_pictures(document: Document, i: Improvement) -> Document:
    """The document with the picture of its learning curve."""
    sections = []
    for each in document.sections:
        own = (Figures((Figure(i.curve.curves()),)),) if each.title == of_sizes(i) else ()
        sections.append(replace(each, parts=(*own, *each.parts)))
    return replace(document, sections=tuple(sections))


def with_costs(document: Document, i: Improvement) -> Document:
    """The document with what each remedy costs, which no two runs agree in: for a terminal, not for a file."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            Label(row["model"]),
            *(Value(Estimate(row[name])) for name in ("fit_seconds", "fit_times", "predict_times")),
        )
        for row in i.costs.to_pylist()
    )
    columns = (
        Column("model", Label),
        *(Column(head, Value) for head in ("seconds to fit", "times", "to predict, times")),
    )
    costs = Section(
        "What it costs",
        (Table(columns, rows, note="A fold each, as measured here; times those of the learner."),),
    )
    at = next(k for k, each in enumerate(document.sections) if each.title == of_sizes(i))
    return replace(document, sections=(*document.sections[:at], costs, *document.sections[at:]))


def of_sizes(i: Improvement) -> str:
    """The title of the section of the learning curve."""
    return f"{get(i.curve.measure).title} by training size"


def _facts(i: Improvement) -> Iterator[tuple[str, str]]:
    cases = i.evaluation.runs[0].cases
    yield "cases", f"{cases.rows:,}"
    yield "cases by class", shares(cases.labels, cases.totals.tolist())
    if cases.clusters is not None:
        yield "clusters", f"{len(cases.clusters):,}"
    yield "folds", f"{i.evaluation.protocol.name}, the same for the learner and all remedies"
    yield (
        "decomposition",
        f"{i.before.rounds:,} {i.before.sampling} of {i.before.size:,} {i.before.units.name}s, "
        f"{i.before.table.rows:,} test rows",
    )
    yield "level", f"{100 * i.level:g} %, seed {i.seed}"


def _sections(i: Improvement) -> Iterator[Section]:
    drawn = diagram(stacks_of(i), "learner")
    note = () if i.before.noise_known else (Prose(IN_BIAS, "quiet"),)
    yield Section(
        "What the loss consists of" if i.after is None else "What the loss consists of, before and after",
        (*(() if drawn is None else (drawn,)), _parts(i.before, i.after), *note),
    )
    if i.trials:
        yield Section("What was tried", tuple(_tables(i)))
    if i.left_out:
        yield Section("What was not tried, or failed", (Listing(_left_out(i)),))
    plain = [
        each for each in of_curve(i.curve).sections if each.role == "plain" and each.title != "What is random"
    ]
    yield from plain
    hard = i.hard_rows()
    if hard.num_rows and i.has_suspects:
        yield Section("Cases that no model gets right", (_hard(hard),))


def stacks_of(i: Improvement) -> list[Stack]:
    """The loss before, and after the best remedy, as stacked parts."""
    if i.after is None:
        return [stack_of(i.before)]
    after = i[i.after.learner].remedy.title
    return [stack_of(i.before, "before"), stack_of(i.after, f"after: {after}")]


def _parts(before: Decomposition, after: Decomposition | None) -> Table:
    """The parts of the loss, those of the best remedy beside them."""
    scheme, terms = before.schemes[0], before.terms
    shown = [terms] if after is None else [terms, after.terms]
    heads = ("value",) if after is None else ("before", "after")
    rows: list[tuple[Cell, ...]] = []
    for name in terms:
        if not terms[name].is_undefined:
            part = scheme.part(name)
            rows.append(
                (Label(part.title, name), *(Found(each[name]) for each in shown), Words(part.about, "quiet"))
            )
    columns = (Column("", Label), *(Column(head, Found) for head in heads), Column("what it is", Words, 8))
    note = f"{scheme.reference}. Intervals over test {before.units.name}s and rounds together."
    return Table(columns, tuple(rows), note=note)


def _tables(i: Improvement) -> Iterator[Table]:
    """The remedies, a table for each measure that they are judged by."""
    for measure in dict.fromkeys(each.remedy.measure for each in i.trials):
        mine = [each for each in i.trials if each.remedy.measure == measure]
        rows = tuple(
            (
                Label(each.remedy.title),
                Words(each.remedy.against),
                Value(i.value(each.name, measure)),
                Value(Estimate(i.folds_of(each.name).training(get(measure)))),
                Difference(each.gain),
                PValue(
                    each.comparison.p if each.comparison.p_adjusted is None else each.comparison.p_adjusted
                ),
                Words("helps", "good") if each.helps else Words("open", "quiet"),
            )
            for each in mine
        )
        columns = (
            Column("remedy", Label),
            Column("against", Words, 3),
            Column("new cases", Value),
            Column("training", Value, 4),
            Column("gain", Difference),
            Column("p", PValue),
            Column("", Words),
        )
        lower = "; lower is better" if measure == LOSS else ""
        own = f"{i.learner} has {number(i.value(i.learner, measure).value)}{lower}"
        yield Table(columns, rows, get(measure).title, own, foot=FOOT.format(tried=len(i.trials)))


def _left_out(i: Improvement) -> tuple[tuple[str, str], ...]:
    """Remedies that do not apply, or failed, with the reason."""
    return tuple(("", f"{remedies_named([name])[0].title}: {reason}") for name, reason in i.left_out)


FOOT = (
    "Gain over the learner on the same folds, by the corrected resampled t; p-values are adjusted by Holm for all "
    "that were tried ({tried}), intervals are not."
)


def _hard(rows: object) -> Table:
    """Cases whose label all models contradict."""
    found = rows.to_pylist()  # type: ignore[attr-defined]
    cells = tuple(
        (
            row_label(row),
            Words(row["class"]),
            Words(row["predicted"]),
            Value(Estimate(row["share_right"])),
        )
        for row in found[:HARD]
    )
    columns = (
        Column("row", Label),
        Column("class", Words),
        Column("predicted", Words),
        Column("share right", Value),
    )
    return Table(columns, cells, beside=f"{len(found):,} cases; the first {len(cells)}")


def _warnings(i: Improvement) -> Iterable[tuple[str, str]]:
    yield from i.evaluation.remarks
    for leak in i.evaluation.runs[0].leaks:
        yield leak.code, f"leak check: {leak.text}"
    failures = i.failures
    yield from (("failure", f"a fit failed: {text}") for text in failures[:SHOWN])
    if len(failures) > SHOWN:
        yield "failure", f"{len(failures) - SHOWN} more such failures; the JSON lists them."
    notes = (*i.notes, *i.before.notes, *i.evaluation.notes[len(i.evaluation.remarks) :])
    yield from (("note", text) for text in notes[:SHOWN])
    if len(notes) > SHOWN:
        yield "note", f"{len(notes) - SHOWN} more such notes; the JSON lists them."


def _steps(i: Improvement) -> Iterable[str]:
    yield hint(
        "`i.costs` has the seconds that each remedy takes to fit and to predict",
        "`--times times.json` has the seconds that each remedy takes to fit and to predict",
    )
    yield hint(
        '`i.to_dict()` holds all numbers, `i.report("page.html")` draws them, `store="runs.db"` keeps the fits',
        "`--json out.json` holds all numbers, `--html page.html` the pictures, `--store runs.db` keeps the fits",
    )
