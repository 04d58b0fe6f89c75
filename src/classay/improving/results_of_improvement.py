"""An improvement: causes of a learner's errors, remedies, gains; and its JSON (docs/improvement.schema.json)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from classay.comparison.comparison import WEIGHTED_HOLM
from classay.comparison.comparisons import row_of
from classay.improving.remedies import remedies_named
from classay.improving.results_of_parts import (
    IN_BIAS,
    as_dict_of_decomposition,
    as_dict_of_learning_curve,
    row_label,
    stack_of,
)
from classay.improving.results_of_parts import document_of_learning_curve as of_curve
from classay.improving.results_of_stacks import StackedBar, diagram
from classay.inference.estimate import Estimate, number
from classay.measures import get
from classay.report.document import (
    Cell,
    Column,
    Count,
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
    own_version,
)
from classay.report.results.assessments import closing, shares
from classay.report.results.parts import head, of_estimate, of_warnings, plain
from classay.resampling.comparing_learners import by_test
from classay.texts import hint, listed

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition
    from classay.improving.evidence import Trial
    from classay.improving.improvement import Improvement
    from classay.report.drawings import Drawing

HARD = 10
"""Cases shown whose labels are in doubt; the rest are counted."""


def document_of(i: Improvement) -> Document:
    """The document of an improvement."""
    return Document(
        f"What helps {i.learner}",
        tuple(_facts(i)),
        i.verdict,
        (*_sections(i), *closing(i.random, i.warnings, _steps(i))),
        sources=tuple(dict.fromkeys(trial.remedy.reference for trial in i.trials if trial.remedy.reference)),
        methods=tuple(_methods(i)),
    )


def _methods(i: Improvement) -> Iterator[str]:
    """What was tried and how it was compared, as sentences for a paper."""
    if not i.trials:
        yield "No remedy was tried."
        return
    first = i.trials[0].comparison
    yield f"The remedies tried are {listed([trial.remedy.title for trial in i.trials])}."
    yield f"Each was compared with {i.learner} over the same folds {by_test(first)}."


def with_pictures(document: Document, i: Improvement) -> Document:
    """The document with the picture of its learning curve."""
    sections = []
    for section in document.sections:
        pictures = (Figures((Figure(i.curve.curves()),)),) if section.title == of_sizes(i) else ()
        sections.append(replace(section, parts=(*pictures, *section.parts)))
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
    at = next(k for k, section in enumerate(document.sections) if section.title == of_sizes(i))
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
    if cases.about_weights:
        yield "weights", cases.about_weights
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
    if i.findings:
        yield Section(
            "What the columns show", (Listing(tuple(("", sentence) for _, sentence in i.findings)),)
        )
    if i.left_out:
        yield Section("What was not tried, or failed", (Listing(_left_out(i)),))
    plain = [
        section
        for section in of_curve(i.curve).sections
        if section.role == "plain" and section.title != "What is random"
    ]
    yield from plain
    suspects = i.suspects()
    if suspects.num_rows:
        yield Section("Cases whose labels are in doubt", (_suspects(suspects),))


def stacks_of(i: Improvement) -> list[StackedBar]:
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
                (
                    Label(part.title, name),
                    *(Found(column[name]) for column in shown),
                    Words(part.about, "quiet"),
                )
            )
    columns = (Column("", Label), *(Column(head, Found) for head in heads), Column("what it is", Words, 8))
    note = f"{scheme.reference}. Intervals over test {before.units.name}s and rounds together."
    return Table(columns, tuple(rows), note=note)


def _tables(i: Improvement) -> Iterator[Table]:
    """The remedies, a table for each measure that they are judged by."""
    some_differ = any(_folds(i, trial.name) != _folds(i, i.learner) for trial in i.trials)
    for measure in dict.fromkeys(trial.comparison.measure for trial in i.trials):
        mine = [trial for trial in i.trials if trial.comparison.measure == measure]
        rows = tuple(
            (
                Label(trial.remedy.title),
                Words(trial.remedy.against.replace("_", " ")),
                Value(i.value(trial.name, measure)),
                Value(Estimate(i.folds_of(trial.name).training(get(measure)))),
                *((Count(_folds(i, trial.name)),) if some_differ else ()),
                Difference(trial.gain),
                PValue(
                    trial.comparison.p if trial.comparison.p_adjusted is None else trial.comparison.p_adjusted
                ),
                Words("helps", "good") if trial.helps else Words("open", "quiet"),
            )
            for trial in mine
        )
        columns = (
            Column("remedy", Label),
            Column("against", Words, 3),
            Column("new cases", Value),
            Column("training", Value, 4),
            *((Column("folds", Count),) if some_differ else ()),
            Column("gain", Difference),
            Column("p", PValue),
            Column("", Words),
        )
        over = f" in all {_folds(i, i.learner):,} folds" if some_differ else ""
        lower = "" if get(measure).best else "; lower is better"
        reference = f"{i.learner} has {number(i.value(i.learner, measure).value)}{over}{lower}"
        yield Table(columns, rows, get(measure).title, reference, foot=_foot(i))


def _folds(i: Improvement, model: str) -> int:
    """The folds that a model was fitted in."""
    return len(i.folds_of(model).places)


def _left_out(i: Improvement) -> tuple[tuple[str, str], ...]:
    """Remedies that do not apply, or failed, with the reason."""
    return tuple(("", f"{remedies_named([name])[0].title}: {reason}") for name, reason in i.left_out)


FOOT = (
    "Gain over the learner on the same folds, by the corrected resampled t; p-values are adjusted by Holm for all "
    "that were tried ({tried}{weighted}), intervals are not."
)
EARLY = (
    " Remedies stay in the folds of the first repeat, and their rates and gains are of these alone, unless they do "
    "better there, by a twentieth of the learner's loss, than the learner and all simpler remedies of their stage; of "
    "rivals, which are learners of other kinds, the best go on, where nothing else is shown to help."
)
"""Which remedies were fitted in all folds, where some were not."""


WEIGHTED = ", where what was suspected beforehand counts for more"


def _foot(i: Improvement) -> str:
    """How gains were tested."""
    is_weighted = any(trial.comparison.adjustment == WEIGHTED_HOLM for trial in i.trials)
    (run,) = i.evaluation.runs
    is_early = any(None in run.results[trial.name] for trial in i.trials)
    return FOOT.format(tried=len(i.trials), weighted=WEIGHTED if is_weighted else "") + EARLY * is_early


def _suspects(suspects: Any) -> Table:
    """Cases whose labels contradict the scores."""
    rows = suspects.to_pylist()
    cells = tuple(
        (row_label(row), Words(row["class"]), Value(Estimate(row["chance_wrong"]))) for row in rows[:HARD]
    )
    columns = (Column("row", Label), Column("class", Words), Column("chance that it is wrong", Value))
    return Table(columns, cells, beside=f"{len(rows):,} cases; the first {len(cells)}")


def _steps(i: Improvement) -> Iterable[str]:
    yield hint(
        "`i.costs` has the seconds that each remedy takes to fit and to predict",
        "`--times times.json` has the seconds that each remedy takes to fit and to predict",
    )
    yield hint(
        '`i.to_dict()` holds all numbers, `i.report("page.html")` draws them, `store="runs.db"` keeps the fits',
        "`--json out.json` holds all numbers, `--html page.html` the pictures, `--store runs.db` keeps the fits",
    )


SCHEMA = 2
MOST_ROWS = 1000
"""Cases that no model gets right that the JSON lists; it counts all."""


def as_dict(i: Improvement) -> dict[str, Any]:
    """The improvement as values that JSON knows, the same for the same data and seed: undefined is None."""
    cases = i.evaluation.runs[0].cases
    hard = i.hard_rows()
    return {
        **head(SCHEMA),
        "learner": i.learner,
        "rows": cases.rows,
        "labels": [plain(label) for label in cases.labels],
        "protocol": i.evaluation.protocol.name,
        "random": i.random,
        "warnings": of_warnings(i.warnings),
        "level": i.level,
        "seed": i.seed,
        "verdict": list(i.verdict),
        "error_rate": of_estimate(i.value(i.learner)),
        "gap": of_estimate(i.gap),
        "causes": [{"name": cause.name, "evidence": list(cause.evidence)} for cause in i.causes],
        "suspected": list(i.suspected),
        "best": None if i.best is None else i.best.name,
        "trials": [_of_trial(i, trial) for trial in i.trials],
        "left_out": [{"name": name, "reason": reason} for name, reason in i.left_out],
        "before": as_dict_of_decomposition(i.before),
        "after": None if i.after is None else as_dict_of_decomposition(i.after),
        "learning_curve": as_dict_of_learning_curve(i.curve),
        "findings": [{"remedy": name, "sentence": sentence} for name, sentence in i.findings],
        "room": _of_room(i),
        "suspect_labels": _of_suspects(i),
        "drift": _of_drift(i),
        "leaks": [{"code": leak.code, "text": leak.text} for leak in i.leaks],
        "hard_rows": {"count": hard.num_rows, "rows": hard["row"].to_pylist()[:MOST_ROWS]},
        "failures": list(i.failures),
        "notes": [*i.notes, *i.evaluation.notes],
    }


def _of_trial(i: Improvement, trial: Trial) -> dict[str, Any]:
    remedy = trial.remedy
    return {
        "name": trial.name,
        "title": remedy.title,
        "against": remedy.against,
        "stage": remedy.stage,
        "cost": remedy.cost,
        "reference": remedy.reference,
        "helps": trial.helps,
        "gain": of_estimate(trial.gain),
        "value": of_estimate(i.value(trial.name, trial.comparison.measure)),
        "comparison": {name: plain(value) for name, value in row_of(trial.comparison).items()},
    }


def _of_room(i: Improvement) -> dict[str, Any] | None:
    """What could still be gained, at most."""
    room = None if i.leaks else i.room
    if room is None:
        return None
    about = {
        "than": room.than,
        "error_rate": plain(room.rate),
        "rivals": list(room.rivals),
        "best": room.best,
    }
    return about | {"gain": of_estimate(room.gain)}


def _of_suspects(i: Improvement) -> dict[str, Any]:
    """The labels in doubt: how many, of which cases, and how many of these are expected to be right."""
    suspects = i.suspects()
    rows = suspects["row"].to_pylist()
    return {
        "count": len(rows),
        "false_alarms": i.doubts.false_alarms if rows else 0.0,
        "rows": rows[:MOST_ROWS],
        "chances": suspects["chance_wrong"].to_pylist()[:MOST_ROWS],
    }


def _of_drift(i: Improvement) -> dict[str, Any] | None:
    """The new cases beside those of the folds."""
    drift = i.drift
    if drift is None:
        return None
    return {
        "rows": drift.rows,
        "error_rate": of_estimate(drift.error),
        "p": drift.p,
        "moved": list(drift.moved),
        "shares_p": drift.shares_p,
    }


def times_of(i: Improvement) -> dict[str, Any]:
    """The mean seconds of the fits and predictions of the learner and its remedies: measured, so that no two agree."""
    rows = [{name: plain(value) for name, value in row.items()} for row in i.costs.to_pylist()]
    return {"classay": own_version(), "protocol": i.evaluation.protocol.name, "times": rows}


def draw_improvement(improvement: Improvement, ax: Any, _: Drawing) -> Any:
    """Draw the parts of the loss before and after each remedy."""
    from classay.improving.results_of_stacks import plot_stacks

    return plot_stacks(stacks_of(improvement), ax)
