"""Building the plain Report of an evaluation: choosing and ordering, no computing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from json import loads
from math import isfinite, isnan
from typing import TYPE_CHECKING

from classay.assessment.judgement import quote
from classay.comparison.wording import title
from classay.errors import InputError
from classay.inference.estimate import Estimate, number
from classay.measures import MEASURES
from classay.report.fold_pictures import pictured
from classay.report.report import Group, Report, Row
from classay.report.wording import count, shorten, spoken
from classay.resampling.leading import lead
from classay.resampling.naming import BASELINE
from classay.resampling.tuning import Tuned, tuned

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation, Run, Summary

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
LEADING = ("roc_auc", "macro_roc_auc", "accuracy")
SHOWN = 5
"""Failures and notes shown of each kind; the rest are counted."""


def report_of_evaluation(e: Evaluation) -> Report:
    """The report of an evaluation: for each measure its estimate for each model, beside that of training."""
    from classay import __version__

    found = e.summaries(_ordered(e))
    models = [model for model in e.models if model != BASELINE]
    return Report(
        title=f"Evaluation of {len(models)} models" if len(models) > 1 else f"Evaluation of {models[0]}",
        facts=_facts(e),
        verdict=tuple(sentence for run in e.runs for sentence in _verdict(e, run, found)),
        matrix=None,
        groups=tuple(_groups(e, found)),
        classes=(),
        warnings=tuple(_warnings(e)),
        random=e.random,
        next_steps=tuple(_next_steps(e, found)),
        version=__version__,
    )


def with_pictures(report: Report, e: Evaluation) -> Report:
    """The report with what only a page can show: models drawn, curves of single folds, calibration of them all."""
    calibration, by_fold = pictured(e)
    groups = tuple(replace(group, is_drawn=True) for group in report.groups)
    return replace(report, groups=groups, curves=calibration, by_fold=by_fold)


def _ordered(e: Evaluation) -> list[str]:
    return sorted(e.measures, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


def _facts(e: Evaluation) -> tuple[tuple[str, str], ...]:
    facts = []
    for run in e.runs:
        cases = run.cases
        shares = [
            f"{shorten(str(label), 24)}: {count(n)}"
            for label, n in zip(cases.labels[:6], cases.totals[:6].tolist(), strict=True)
        ]
        more = f", and {len(cases.labels) - 6} more classes" if len(cases.labels) > 6 else ""
        facts.append((cases.name or "cases", f"{cases.rows:,}"))
        facts.append(("cases by class", ", ".join(shares) + more))
        if cases.positive is not None:
            facts.append(("positive", quote(cases.positive)))
        if cases.clusters is not None:
            facts.append(("clusters", f"{len(cases.clusters):,}"))
        leaks = sum(leak.code != "constant" for leak in run.leaks)
        facts.append(("leak check", f"{leaks} found, see Warnings" if leaks else "nothing found"))
    facts.append(("protocol", f"{e.protocol.name}, {_fits(e.runs[0])}"))
    facts.append(("level", f"{100 * e.level:g} %, seed {e.seed}"))
    facts.append(("estimated", e.protocol.what))
    facts.append(
        ("labels", "as each model predicts them, mostly the likelier class; no threshold was chosen here")
    )
    return tuple(facts)


def _fits(run: Run) -> str:
    """How often each model is fitted, and to how many cases."""
    places = run.places
    sizes = sorted({place.n_train for place in places})
    to = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    return f"{len(places):,} fit{'' if len(places) == 1 else 's'} of each model to {to} cases"


def _verdict(e: Evaluation, run: Run, found: list[Summary]) -> list[str]:
    """Which model leads and whether that is sure, what the baseline reaches, and how far training flatters."""
    mine = [each for each in found if each.dataset == run.cases.name]
    leading = next((name for name in LEADING if any(each.measure == name for each in mine)), None)
    ranked = [
        each
        for each in mine
        if each.measure == leading and each.model != BASELINE and not each.estimate.is_undefined
    ]
    if leading is None or not ranked:
        return []
    best = max(ranked, key=lambda each: each.estimate.value)
    on = f"On {run.cases.name}: " if len(e.runs) > 1 else ""
    sentences = [on + _of_best(best, run, len(ranked)), *_over_next(e, run, ranked)]
    accuracy = {each.model: each.estimate for each in mine if each.measure == "accuracy"}
    if best.model in accuracy and BASELINE in accuracy:
        sentences.append(_over_baseline(accuracy[best.model], accuracy[BASELINE], run))
    if not isnan(best.training):
        sentences.append(
            f"On the cases it was fitted to, its {_brief(best.measure)} is {number(best.training)}, which says "
            "nothing about new ones."
        )
    return sentences


def _of_best(best: Summary, run: Run, models: int) -> str:
    sure = f"{number(best.estimate.value)}{_sure(best.estimate)}"
    many = f"Of {models} models " if models > 1 else ""
    picked = f"; as the best of {models} it looks a little too good" if models > 1 else ""
    if best.measure == "roc_auc":
        positive = quote(run.cases.positive)
        other = quote(next(label for label in run.cases.labels if label != run.cases.positive))
        often = "most often " if models > 1 else ""
        return (
            f"{many}{best.model} {often}scores a random case of class {positive} above one of class {other}: with "
            f"probability {sure}{picked}."
        )
    most = "the highest " if models > 1 else "a "
    return f"{many}{best.model} has {most}{_brief(best.measure)}, {sure}{picked}."


def _brief(measure: str) -> str:
    """The name of a measure within a sentence, without what its title explains after a comma.

    >>> _brief("roc_auc"), _brief("accuracy"), _brief("macro_roc_auc")
    ('ROC AUC', 'accuracy', 'macro ROC AUC')
    """
    return spoken(measure) if "," in MEASURES[measure].title else title(measure)


def _over_next(e: Evaluation, run: Run, ranked: list[Summary]) -> Iterable[str]:
    """Whether the first is better than the second, as far as the folds can tell."""
    try:
        folds = next(each for each in e.resampled(ranked[0].measure) if each.dataset == run.cases.name)
    except InputError:
        return
    found = lead(ranked, folds)
    if found is not None:
        yield found.sentence.replace(title(found.measure), _brief(found.measure))


def _over_baseline(found: Estimate, baseline: Estimate, run: Run) -> str:
    always = f"always saying {quote(run.cases.labels[int(run.cases.totals.argmax())])}"
    if found.has_interval and found.low <= baseline.value <= found.value:
        return (
            f"Its accuracy, {number(found.value)}{_sure(found)}, is not shown to be above the "
            f"{number(baseline.value)} of {always}."
        )
    return f"Its accuracy is {number(found.value)}{_sure(found)}; {always} reaches {number(baseline.value)}."


def _sure(found: Estimate) -> str:
    if not found.has_interval:
        return ""
    return f" ({100 * (found.level or 0):g} % interval {number(found.low)} to {number(found.high)})"


def _groups(e: Evaluation, found: list[Summary]) -> Iterable[Group]:
    for run in e.runs:
        mine = [each for each in found if each.dataset == run.cases.name]
        for name in dict.fromkeys(each.measure for each in mine):
            summaries = [each for each in mine if each.measure == name]
            on = f" on {run.cases.name}" if len(e.runs) > 1 else ""
            rows = tuple(map(_row, summaries))
            yield Group(f"{MEASURES[name].title}{on}", rows, _note(summaries), of="model")
    for each in tuned(e):
        yield Group(
            f"Tuning of {each.model}{' on ' + each.dataset if each.dataset else ''}", (), _tuning(each)
        )


def _row(found: Summary) -> Row:
    training = None if isnan(found.training) else Estimate(found.training)
    estimate = found.estimate
    folds = found.values if found.folds > 1 else ()
    if found.model == BASELINE:
        folds = ()
        if not estimate.is_undefined:
            estimate = Estimate.bare(estimate.value, "class shares alone")
    return Row(found.model, found.measure, estimate, MEASURES[found.measure].bounds, training, folds)


def _note(found: list[Summary]) -> str:
    """What the estimates of a measure rest on, where that differs from folds that all have a value."""
    how = "Over all folds together" if found[0].used == "pooled" else "Mean over the folds"
    best = "; lower is better" if MEASURES[found[0].measure].best == 0 else ""
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
