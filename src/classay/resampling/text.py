"""An evaluation as plain text: for each model the estimates, training against out of sample, what is random."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from json import loads
from typing import TYPE_CHECKING

import numpy as np

from classay.inference.estimate import Estimate, number
from classay.measures import MEASURES
from classay.resampling.naming import BASELINE
from classay.resampling.tuning import tuned

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation, Run, Summary

WIDTH = 100
SHOWN = 8
"""Notes and failures shown of each kind; the rest are counted."""


def as_text(e: Evaluation) -> str:
    """The text that `print(e)` shows."""
    lines = list(_head(e))
    by_model: dict[tuple[str, str], list[Summary]] = {}
    for each in e.summaries():
        by_model.setdefault((each.dataset, each.model), []).append(each)
    for run in e.runs:
        base = {each.measure: each for each in by_model.get((run.cases.name, BASELINE), [])}
        for model in e.models:
            if model != BASELINE or len(e.models) == 1:
                lines += ["", *_table(e, run, model, by_model[run.cases.name, model], base)]
    lines += _tuning(e)
    lines += _leaks(e)
    lines += _listed("Failures", e.failures)
    lines += _listed("Notes", e.notes)
    lines += ["", "What is random", *_prose(e.random), ""]
    return "\n".join(lines)


def _head(e: Evaluation) -> Iterator[str]:
    learners = sum(model != BASELINE for model in e.models)
    beside = " beside the majority baseline" if learners and BASELINE in e.models else ""
    yield f"Evaluation of {learners or 1} learner{'s' * (learners > 1)}{beside}"
    yield ""
    facts = [("protocol", e.protocol.name), ("estimates", e.protocol.what)]
    for run in e.runs:
        totals = np.bincount(run.cases.truth, minlength=len(run.cases.labels)).tolist()
        classes = ", ".join(
            f"{label}: {n:,}" for label, n in list(zip(run.cases.labels, totals, strict=True))[:6]
        )
        more = f", and {len(totals) - 6} more classes" if len(totals) > 6 else ""
        positive = "" if run.cases.positive is None else f"; positive {run.cases.positive!r}"
        grouped = "" if run.cases.clusters is None else f"; in {len(run.cases.clusters):,} clusters"
        facts.append((run.cases.name or "cases", f"{run.cases.rows:,} ({classes}{more}{positive}{grouped})"))
    facts.append(("level", f"{100 * e.level:g} %"))
    facts.append(
        ("seed", f"{e.seed}, from which every random_state that is None follows, anew for each split")
    )
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        yield from textwrap.wrap(
            text, WIDTH, initial_indent=f"  {name:<{width}}  ", subsequent_indent=" " * (width + 4)
        )


def _table(
    e: Evaluation, run: Run, model: str, rows: list[Summary], base: dict[str, Summary]
) -> Iterator[str]:
    yield f"{model} on {run.cases.name}" if len(e.runs) > 1 else model
    cells = [(f"{'':<2}", "estimate", f"{100 * e.level:g} % interval", "training", "baseline", "by")]
    reasons: list[str] = []
    for each in rows:
        baseline = base.get(each.measure)
        cells.append(
            (
                f"  {MEASURES[each.measure].title}",
                number(each.estimate.value),
                _interval(each.estimate, reasons),
                number(each.training),
                "" if baseline is None else number(baseline.estimate.value),
                _by(each),
            )
        )
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for title, value, interval, training, baseline_value, by in cells:
        yield (
            f"{title:<{widths[0]}}  {value:>{widths[1]}}  {interval:<{widths[2]}}  {training:>{widths[3]}}  "
            f"{baseline_value:>{widths[4]}}  {by}"
        ).rstrip()
    for i, reason in enumerate(reasons, start=1):
        yield from textwrap.wrap(reason, WIDTH, initial_indent=f"  ({i}) ", subsequent_indent="      ")


def _interval(found: Estimate, reasons: list[str]) -> str:
    if found.has_interval:
        return f"[{number(found.low)}, {number(found.high)}]"
    reason = str(found.reason)
    if reason not in reasons:
        reasons.append(reason)
    return f"({reasons.index(reason) + 1})"


def _by(each: Summary) -> str:
    used = each.fitted if each.used == "pooled" else each.defined
    few = "" if used == each.folds else f" of {used} of {each.folds} folds"
    return f"{each.used}{few}" if each.folds > 1 else ""


def _tuning(e: Evaluation) -> Iterator[str]:
    found = tuned(e)
    if found:
        yield from ("", "Tuning, inside each fold")
    for each in found:
        name = f"{each.model} on {each.dataset}" if each.dataset else each.model
        outer = (
            "which is none of the measures, so that its optimism is unknown"
            if each.outer is None
            else f"{number(each.outer)} out of sample: optimism {number(each.optimism)}"
        )
        yield from _prose(f"{name}: inner best {each.scoring} {number(each.inner)} on average, {outer}.")
        chosen = Counter(each.params)
        for params, times in chosen.most_common(3):
            said = ", ".join(f"{key} = {value}" for key, value in loads(params).items())
            yield from _prose(f"chosen in {times} of {len(each.params)} fits: {said}", indent=4)
        if len(chosen) > 3:
            yield f"    and {len(chosen) - 3} other choices: see .tuning"


def _leaks(e: Evaluation) -> Iterator[str]:
    texts = [
        f"{run.cases.name}: {leak.text}" if len(e.runs) > 1 else leak.text
        for run in e.runs
        for leak in run.leaks
    ]
    yield from _listed("Leaks", tuple(texts))


def _listed(title: str, texts: tuple[str, ...]) -> Iterator[str]:
    if not texts:
        return
    yield from ("", title)
    for text in texts[:SHOWN]:
        yield from textwrap.wrap(text, WIDTH, initial_indent="  • ", subsequent_indent="    ")
    if len(texts) > SHOWN:
        yield f"    and {len(texts) - SHOWN} more"


def _prose(text: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent)
