"""Building the plain Report of an evaluation: choosing and ordering, no computing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from json import loads
from math import isnan
from typing import TYPE_CHECKING, Any

from classay.inference.estimate import Estimate, number
from classay.judgement import quote
from classay.measures import MEASURES, get
from classay.report.json import json_text, of_estimate, plain
from classay.report.report import Group, Report, Row
from classay.report.wording import count, shorten, spoken
from classay.resampling.tuning import Tuned, tuned

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation, Run, Summary

SCHEMA = 1
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
BASELINE = "baseline"


def report_of_evaluation(e: Evaluation, names: Iterable[str] | None = None) -> Report:
    """The report of an evaluation: for each measure its estimate for each model, beside that of training."""
    from classay import __version__

    found = e.summaries(_ordered(e, names))
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
        next_steps=_next_steps(e),
        version=__version__,
    )


def evaluation_as_json(e: Evaluation, names: Iterable[str] | None = None) -> str:
    """The evaluation as JSON text: what was run, the estimates with what they rest on, leaks and failures."""
    from classay import __version__

    found = e.summaries(_ordered(e, names))
    about = {
        "schema": SCHEMA,
        "classay": __version__,
        "protocol": e.protocol.name,
        "what": e.protocol.what,
        "random": e.random,
        "level": e.level,
        "seed": e.seed,
        "models": list(e.models),
        "data": [
            {
                "name": run.cases.name,
                "rows": run.cases.rows,
                "labels": [plain(label) for label in run.cases.labels],
                "positive": plain(run.cases.positive),
                "splits": len(run.places),
                "leaks": [_of_leak(leak) for leak in run.leaks],
            }
            for run in e.runs
        ],
        "estimates": [_of_summary(each) for each in found],
        "failures": list(e.failures),
        "notes": list(e.notes),
    }
    return json_text(about)


def _of_leak(leak: Any) -> dict[str, Any]:
    example = leak.example
    return {
        "code": leak.code,
        "text": leak.text,
        "count": leak.count,
        "example": [plain(each) for each in example] if isinstance(example, tuple) else plain(example),
    }


def _of_summary(found: Summary) -> dict[str, Any]:
    numbers = ("pooled", "fold_mean", "training", "optimism")
    return {
        "data": found.dataset,
        "model": found.model,
        "measure": found.measure,
        **of_estimate(found.estimate),
        "used": found.used,
        **{name: plain(getattr(found, name)) for name in numbers},
        "defined": found.defined,
        "folds": found.folds,
    }


def _ordered(e: Evaluation, names: Iterable[str] | None) -> list[str]:
    if names is not None:
        return [get(name).name for name in names]
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
        facts.append(
            ("leak check", f"{len(run.leaks)} found, see Warnings" if run.leaks else "nothing found")
        )
    splits = max(len(run.places) for run in e.runs)
    facts.append(("protocol", f"{e.protocol.name}, {splits:,} fit{'' if splits == 1 else 's'} a model"))
    facts.append(("level", f"{100 * e.level:g} %, seed {e.seed}"))
    return tuple(facts)


def _verdict(e: Evaluation, run: Run, found: list[Summary]) -> list[str]:
    """Which model leads, by how much the baseline is beaten, and how far training flatters."""
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
    title = MEASURES[leading].title
    on = f"On {run.cases.name}: " if len(e.runs) > 1 else ""
    of = f", the highest of {len(ranked)} and so a little too high" if len(ranked) > 1 else ""
    sentences = [
        f"{on}{best.model} has {_article(title)} {title} of {number(best.estimate.value)}{_sure(best.estimate)}{of}."
    ]
    accuracy = {each.model: each.estimate for each in mine if each.measure == "accuracy"}
    if best.model in accuracy and BASELINE in accuracy:
        sentences.append(
            f"Its accuracy is {number(accuracy[best.model].value)}{_sure(accuracy[best.model])}; always saying the "
            f"most frequent class reaches {number(accuracy[BASELINE].value)}."
        )
    if not isnan(best.training):
        sentences.append(
            f"On the cases it was fitted to, its {title} is {number(best.training)}, which says nothing about new ones."
        )
    return sentences


def _article(title: str) -> str:
    return "an" if title[:1] in "AEIORaeio" else "a"


def _sure(found: Estimate) -> str:
    return f" ({number(found.low)} to {number(found.high)})" if found.has_interval else ""


def _groups(e: Evaluation, found: list[Summary]) -> Iterable[Group]:
    for run in e.runs:
        mine = [each for each in found if each.dataset == run.cases.name]
        for name in dict.fromkeys(each.measure for each in mine):
            summaries = [each for each in mine if each.measure == name]
            on = f" on {run.cases.name}" if len(e.runs) > 1 else ""
            yield Group(
                f"{MEASURES[name].title}{on}", tuple(map(_row, summaries)), _note(summaries), of="model"
            )
    for each in tuned(e):
        yield Group(
            f"Tuning of {each.model}{' on ' + each.dataset if each.dataset else ''}", (), _tuning(each)
        )


def _row(found: Summary) -> Row:
    training = None if isnan(found.training) else Estimate(found.training)
    estimate = found.estimate
    if found.model == BASELINE and not estimate.is_undefined:
        estimate = Estimate.bare(estimate.value, "it follows the class shares")
    return Row(found.model, found.measure, estimate, MEASURES[found.measure].bounds, training)


def _note(found: list[Summary]) -> str:
    """What the estimates of a measure rest on, where that differs from folds that all have a value."""
    how = "Over all folds together" if found[0].used == "pooled" else "Mean over the folds"
    best = "; lower is better" if MEASURES[found[0].measure].best == 0 else ""
    few = [each for each in found if each.defined < each.folds]
    undefined = "".join(
        f"; {each.model}: undefined in {each.folds - each.defined} of {each.folds} folds" for each in few
    )
    return f"{how}{best}{undefined}."


def _tuning(found: Tuned) -> str:
    """What the searches promised, what came of it, and what they chose most often."""
    outer = (
        "which is no measure of this report"
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
    for run in e.runs:
        on = f" ({run.cases.name})" if len(e.runs) > 1 else ""
        for leak in run.leaks:
            yield leak.code, f"leak check{on}: {leak.text}"
    for failure in e.failures[:5]:
        yield "failure", f"a fit failed: {failure}"
    if len(e.failures) > 5:
        yield "failures", f"{len(e.failures) - 5} more fits failed; the JSON lists them."
    for note in e.notes:
        yield "note", note


def _next_steps(e: Evaluation) -> tuple[str, ...]:
    steps = ["`--json out.json` writes the estimates, `--save e.classay` all predictions too"]
    if e.protocol.name not in ("10x10",):
        steps.append("`--protocol 10x10` gives intervals for every measure")
    return tuple(steps)
