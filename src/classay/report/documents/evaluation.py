"""The document of an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from json import loads
from math import isfinite, isnan
from typing import TYPE_CHECKING

from classay.assessment.judgement.words import quote
from classay.errors import InputError
from classay.inference.estimate import Estimate, number
from classay.inference.words import spoken
from classay.measures import get
from classay.report.document import Document, Figure, Figures, Part, Prose, Section, Table
from classay.report.documents.assessment import closing, shares
from classay.report.documents.comparison import of_pairs
from classay.report.documents.tables import of_models
from classay.report.pictures.folds import of_models as models_picture
from classay.resampling.balance import balanced_pairs
from classay.resampling.baseline import BASELINE
from classay.resampling.fold_curves import pooled_and_single
from classay.resampling.tuning import Tuned, tuned
from classay.resampling.verdict import verdict

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
SHOWN = 5
"""Failures and notes shown of each kind; the rest are counted."""


def document_of(e: Evaluation) -> Document:
    """The document of an evaluation: for each measure its estimate for each model, beside that of training."""
    from classay import __version__

    found = e.summaries(_ordered(e))
    models = [model for model in e.models if model != BASELINE]
    return Document(
        f"Evaluation of {len(models)} models" if len(models) > 1 else f"Evaluation of {models[0]}",
        _facts(e),
        tuple(sentence for run in e.runs for sentence in verdict(e, run, found)),
        (*_sections(e, found), *closing(e.random, _warnings(e), _next_steps(e, found))),
        version=__version__,
    )


def with_pictures(document: Document, e: Evaluation) -> Document:
    """The document with its curves before what closes it: calibration over all folds, and single folds."""
    calibration, by_fold = pooled_and_single(e)
    figures = [Figure(calibration)] if calibration else []
    figures += [Figure(curves, f"ROC curves of {name}", is_thin=True) for name, curves in by_fold.items()]
    if not figures:
        return document
    curves = Section("Curves", (Figures(tuple(figures)),))
    at = next(k for k, each in enumerate(document.sections) if each.title == "What is random")
    return replace(document, sections=(*document.sections[:at], curves, *document.sections[at:]))


def _ordered(e: Evaluation) -> list[str]:
    return sorted(e.measures, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


def _facts(e: Evaluation) -> tuple[tuple[str, str], ...]:
    facts = _of_one(e.runs[0]) if len(e.runs) == 1 else _of_each(e.runs)
    facts.append(("protocol", f"{e.protocol.name}, {_fits(e.runs[0])}"))
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
    return [*facts, ("leak check", _leaks([run]))]


def _of_each(runs: Sequence[DatasetRun]) -> list[tuple[str, str]]:
    """A line a data set, and one for what was found in all of them."""
    facts = [("data sets", f"{len(runs):,}")]
    for cases in (run.cases for run in runs):
        known = [f"{cases.rows:,} cases", shares(cases.labels, cases.totals.tolist())]
        if cases.positive is not None:
            known.append(f"positive {quote(cases.positive)}")
        if cases.clusters is not None:
            known.append(f"{len(cases.clusters):,} clusters")
        facts.append((cases.name, "; ".join(known)))
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
            yield Section(f"{get(name).title}{on}", (_table_or_reason(name, summaries),))
    yield from _balancing(e)
    for each in tuned(e):
        on = f" on {each.dataset}" if each.dataset else ""
        yield Section(f"Tuning of {each.model}{on}", (Prose(_tuning(each)),))


def _table_or_reason(measure: str, found: list[Summary]) -> Part:
    """The table, or only a note where no model has a value, all for one reason."""
    of_models = [each.estimate for each in found if each.model != BASELINE]
    reasons = {each.reason for each in of_models}
    if len(of_models) > 1 and len(reasons) == 1 and all(each.is_undefined for each in of_models):
        return Prose(f"Absent: {reasons.pop()}.", "quiet")
    return _table(measure, found)


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
    yield "`--html page.html` draws every fold, `--json out.json` holds the numbers, `--save e.classay` all predictions"
    if len([model for model in e.models if model != BASELINE]) > 1:
        yield "`classay compare e.classay` tells which of them is better, once they are saved"
    lacking = any(
        each.model != BASELINE and isfinite(each.estimate.value) and not each.estimate.has_interval
        for each in found
    )
    if lacking and e.protocol.name != "10x10":
        yield "`--protocol 10x10` gives intervals where there are none here"
    if not e.failures and len(e.models) > 2 and not tuned(e):
        yield "`--tune` tunes each model inside the folds; here they have their default settings"
