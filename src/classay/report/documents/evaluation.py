"""The document of an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from json import loads
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

from classay.errors import InputError
from classay.inference.estimate import Estimate, number
from classay.inference.words import direction, spoken, title
from classay.measures import get
from classay.once import once
from classay.report.document import (
    Column,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Listing,
    Prose,
    Section,
    Table,
)
from classay.report.documents.assessment import closing, shares
from classay.report.documents.comparison import of_pairs
from classay.report.documents.parts.tables import of_models
from classay.report.pictures.folds import of_models as models_picture
from classay.resampling.balance import balanced_pairs
from classay.resampling.baseline import BASELINE
from classay.resampling.fold_curves import pooled_and_single
from classay.resampling.tuning import Tuned, tuned
from classay.resampling.verdict import verdict
from classay.texts import hint, listed, quote

if TYPE_CHECKING:
    from classay.resampling.dataset_run import DatasetRun, Summary
    from classay.resampling.evaluation import Evaluation

ORDER = (
    "roc_auc",
    "macro_roc_auc",
    "average_precision",
    "log_loss",
    "brier_score",
    "multiclass_brier_score",
    "accuracy",
    "balanced_accuracy",
    "macro_f1",
    "precision",
    "recall",
    "f1",
    "matthews_correlation",
)
"""Measures in the order they are shown; others follow as they were named."""
MEASURES = 6
"""Measures of the table of all models."""
SHOWN = 5
"""Failures, notes and data sets shown of each kind; the rest are counted."""
LEADING = 3
"""Data sets whose leading model opens the report, of several."""


def document_of(e: Evaluation) -> Document:
    """The document of an evaluation: for each measure its estimate for each model, beside that of training."""
    from classay import __version__

    found = _summaries(e)
    models = [model for model in e.models if model != BASELINE]
    said = [verdict(e, run, found) for run in e.runs]
    return Document(
        f"Evaluation of {len(models)} models" if len(models) > 1 else f"Evaluation of {models[0]}",
        _facts(e),
        _verdict(said),
        (*_sections(e, found), *_of_data_sets(said), *closing(e.random, _warnings(e), _next_steps(e, found))),
        version=__version__,
        sources=tuple(filter(None, [e.protocol.about.reference])),
    )


def _verdict(said: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """All that is said of one data set; of several who leads on the first of them."""
    if len(said) == 1:
        return tuple(said[0])
    leading = [sentences[0] for sentences in said if sentences]
    more = len(leading) - LEADING
    if more <= 1:
        return tuple(leading)
    return (*leading[:LEADING], f"{more} more data sets: see what each of them shows, below.")


def _of_data_sets(said: Sequence[Sequence[str]]) -> Iterable[Section]:
    """All that is said of each of several data sets, which would fill a screen before any number."""
    if len(said) > 1 and any(said):
        listing = Listing(tuple(("", sentence) for sentences in said for sentence in sentences))
        yield Section("What each data set shows", (listing,))


@once
def _summaries(e: Evaluation) -> list[Summary]:
    return e.summaries(_ordered(e))


def with_pictures(document: Document, e: Evaluation) -> Document:
    """The document with all models and measures in one table first, and curves before what closes it.

    The curves are those of calibration over all folds, and of single folds.
    """
    document = replace(document, sections=(*_ranked(e), *document.sections))
    calibration, by_fold = pooled_and_single(e)
    figures = [Figure(calibration)] if calibration else []
    figures += [Figure(curves, f"ROC curves of {name}", is_thin=True) for name, curves in by_fold.items()]
    if not figures:
        return document
    curves = Section("Curves", (Figures(tuple(figures)),))
    at = next(k for k, each in enumerate(document.sections) if each.title == "What is random")
    return replace(document, sections=(*document.sections[:at], curves, *document.sections[at:]))


def _ranked(e: Evaluation) -> Iterable[Section]:
    """Each data set's models by each measure, the best by the first measure on top."""
    for run in e.runs:
        of_run = [each for each in _summaries(e) if each.dataset == run.cases.name]
        known = [each for each in of_run if not each.estimate.is_undefined]
        names = list(dict.fromkeys(each.measure for each in known if each.model != BASELINE))[:MEASURES]
        at = {(each.model, each.measure): _row(each)[1] for each in of_run}
        models = [
            model
            for model in e.models
            if any(each.model == model and each.measure in names for each in known)
        ]
        if len(models) < 2 or not names:
            continue
        first = names[0]
        columns = [Column(spoken(name), Found, k, name) for k, name in enumerate(names)]
        rows = tuple(
            (Label(model), *(Found(at[model, name]) if (model, name) in at else None for name in names))
            for model in sorted(models, key=lambda model: _place(at.get((model, first)), first))
        )
        on = f" on {run.cases.name}" if len(e.runs) > 1 else ""
        note = f"The best by {spoken(first)} first. Neighbours in this order may differ by chance alone."
        yield Section(f"Models{on}", (Table((Column("model", Label), *columns), rows, note=note),))


def _place(found: Estimate | None, measure: str) -> float:
    """What a model is ordered by: less is further up."""
    return inf if found is None or found.is_undefined else -direction(measure) * found.value


def _ordered(e: Evaluation) -> list[str]:
    return sorted(e.measures, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


def _facts(e: Evaluation) -> tuple[tuple[str, str], ...]:
    facts = _of_one(e.runs[0]) if len(e.runs) == 1 else _of_each(e.runs)
    facts.append(("protocol", f"{e.protocol.described}, {_fits(e.runs[0])}"))
    facts.append(("level", f"{100 * e.level:g} %, seed {e.seed}"))
    facts.append(("estimated", e.protocol.estimand))
    facts.append(
        ("labels", "as each model predicts them, mostly the likelier class; no threshold was chosen here")
    )
    return tuple(facts)


def _of_one(run: DatasetRun) -> list[tuple[str, str]]:
    cases = run.cases
    facts = [("cases", f"{cases.rows:,}"), ("cases by class", shares(cases.labels, cases.totals.tolist()))]
    if cases.positive is not None:
        facts.append(("positive", quote(cases.positive)))
    if cases.clusters is not None:
        facts.append(("clusters", f"{len(cases.clusters):,}"))
    if cases.about_weights:
        facts.append(("weights", cases.about_weights))
    return [*facts, ("leak check", _leaks([run]))]


def _of_each(runs: Sequence[DatasetRun]) -> list[tuple[str, str]]:
    """A line a data set, and one for what was found in all of them."""
    facts = [("data sets", f"{len(runs):,}")]
    most = len(runs) if len(runs) <= SHOWN + 1 else SHOWN
    for cases in (run.cases for run in runs[:most]):
        known = [f"{cases.rows:,} cases", shares(cases.labels, cases.totals.tolist())]
        if cases.positive is not None:
            known.append(f"positive {quote(cases.positive)}")
        if cases.clusters is not None:
            known.append(f"{len(cases.clusters):,} clusters")
        if cases.about_weights:
            known.append(cases.about_weights)
        facts.append((cases.name, "; ".join(known)))
    if runs[most:]:
        rows = sum(run.cases.rows for run in runs[most:])
        facts.append(("others", f"{len(runs) - most:,} more data sets, {rows:,} cases in all"))
    return [*facts, ("leak check", _leaks(runs))]


def _leaks(runs: Sequence[DatasetRun]) -> str:
    found = sum(leak.code != "constant" for run in runs for leak in run.leaks)
    return f"{found} found, see Warnings" if found else "nothing found"


def _fits(run: DatasetRun) -> str:
    """How often each model is fitted, and to how many cases."""
    places = run.places
    sizes = sorted({place.n_train for place in places})
    to = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    return f"{len(places):,} fit{'' if len(places) == 1 else 's'} of each model to {to} cases"


def _sections(e: Evaluation, found: list[Summary]) -> Iterable[Section]:
    for run in e.runs:
        mine = [each for each in found if each.dataset == run.cases.name]
        for name in dict.fromkeys(each.measure for each in mine):
            summaries = [each for each in mine if each.measure == name]
            on = f" on {run.cases.name}" if len(e.runs) > 1 else ""
            if _why_absent(summaries) is None:
                yield Section(f"{get(name).title}{on}", (_table(name, summaries),))
    yield from _absent(found)
    yield from _balancing(e)
    for each in tuned(e):
        on = f" on {each.dataset}" if each.dataset else ""
        yield Section(f"Tuning of {each.model}{on}", (Prose(_tuning(each)),))


def _why_absent(found: list[Summary]) -> str | None:
    """The reason why no model has a value, where all have the same."""
    of_models = [each.estimate for each in found if each.model != BASELINE]
    reasons = {each.reason for each in of_models}
    if len(of_models) > 1 and len(reasons) == 1 and all(each.is_undefined for each in of_models):
        return reasons.pop()
    return None


def _absent(found: list[Summary]) -> Iterable[Section]:
    """The measures that no model has, by the reason, and where: behind those that there are."""
    places: dict[tuple[str, str], list[str]] = {}
    for data, name in dict.fromkeys((each.dataset, each.measure) for each in found):
        why = _why_absent([each for each in found if (each.dataset, each.measure) == (data, name)])
        if why is not None:
            places.setdefault((name, why), []).append(data)
    sets = {each.dataset for each in found}
    by_reason: dict[str, list[str]] = {}
    for (name, why), where in places.items():
        on = "" if len(where) == len(sets) else f" on {listed(where)}"
        by_reason.setdefault(why, []).append(f"{title(name)}{on}")
    if by_reason:
        lines = (f"{listed(names)}: {why}." for why, names in by_reason.items())
        yield Section("Absent", (Listing(tuple(("", line[:1].upper() + line[1:]) for line in lines)),))


def _balancing(e: Evaluation) -> Iterable[Section]:
    """What balancing changed, where anything was balanced: the paired test, or why there is none."""
    if not balanced_pairs(e):
        return
    try:
        part: Table | Prose = of_pairs(e.balancing)
    except InputError as error:
        part = Prose(str(error))
    yield Section("Balanced less as it is", (part,))


def _table(measure: str, found: list[Summary]) -> Table:
    table = of_models(measure, [_row(each) for each in found], _note(found))
    folds = [each.values if each.folds > 1 and each.model != BASELINE else () for each in found]
    return replace(table, picture=models_picture(get(measure).title, table, folds))


def _row(found: Summary) -> tuple[str, Estimate, Estimate | None]:
    training = None if isnan(found.training) else Estimate(found.training)
    estimate = found.estimate
    if found.model == BASELINE and not estimate.is_undefined:
        estimate = Estimate.bare(estimate.value, "class shares alone")
    return found.model, estimate, training


def _note(found: list[Summary]) -> str:
    """What the estimates of a measure rest on, where that differs from folds that all have a value."""
    how = "Over all folds together" if found[0].used == "pooled" else "Mean over the folds"
    best = "; lower is better" if get(found[0].measure).best == 0 else ""
    return f"{how}{best}{''.join(_short_of_folds(each) for each in found if not each.estimate.is_undefined)}."


def _short_of_folds(found: Summary) -> str:
    """How many folds the estimate of a model is of, where some failed, or have no value to average."""
    used = found.fitted if found.used == "pooled" else found.defined
    if used == found.folds:
        return ""
    return f"; {found.model}: of {used} of {found.folds} folds"


def _tuning(found: Tuned) -> str:
    """What the searches promised, what came of it, and what they chose most often."""
    outer = (
        "which has no estimate out of sample here"
        if found.outer is None
        else f"and out of sample {number(found.outer)}: {number(found.optimism)} too good"
    )
    params, times = Counter(found.params).most_common(1)[0]
    said = ", ".join(f"{key.rpartition('__')[2]} {value}" for key, value in loads(params).items())
    return (
        f"Inside the folds the best {spoken(found.scoring)} was {number(found.inner)} on average, {outer}. Chosen in "
        f"{times} of {len(found.params)} fits, more often than anything else: {said}."
    )


def _warnings(e: Evaluation) -> Iterable[tuple[str, str]]:
    yield from e.remarks
    for run in e.runs:
        on = f" on {run.cases.name}" if len(e.runs) > 1 else ""
        for leak in run.leaks:
            of = "features" if leak.code == "constant" else "leak check"
            yield leak.code, f"{of}{on}: {leak.text}"
    yield from _listed("failure", e.failures, "a fit failed: ")
    yield from _listed("note", e.notes[len(e.remarks) :])


def _listed(code: str, texts: tuple[str, ...], lead: str = "") -> Iterable[tuple[str, str]]:
    yield from ((code, lead + text) for text in texts[:SHOWN])
    if len(texts) > SHOWN:
        yield code, f"{len(texts) - SHOWN} more such {code}s; the JSON lists them."


def _next_steps(e: Evaluation, found: list[Summary]) -> Iterable[str]:
    yield hint(
        '`e.report("page.html")` draws every fold, `e.frame()` holds the numbers, `e.save("e.classay")` keeps all '
        "predictions",
        "`--html page.html` draws every fold, `--json out.json` holds the numbers, `--save e.classay` all predictions",
    )
    if len([model for model in e.models if model != BASELINE]) > 1:
        yield hint(
            "`e.compare()` tells which of them is better",
            "`classay compare e.classay` tells which of them is better, once they are saved",
        )
    lacking = any(
        each.model != BASELINE and isfinite(each.estimate.value) and not each.estimate.has_interval
        for each in found
    )
    if lacking and e.protocol.name != "10x10":
        yield hint(
            '`protocol="10x10"` gives intervals where there are none here',
            "`--protocol 10x10` gives intervals where there are none here",
        )
    if not e.failures and len(e.models) > 2 and not tuned(e):
        yield hint(
            "`ca.tune(model, grid, X, y)` tunes a model inside the folds; here they have the settings given",
            "`--tune` tunes each model inside the folds; here they have their default settings",
        )
