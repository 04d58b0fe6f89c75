"""An evaluation: its document and its JSON (docs/evaluation.schema.json)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from json import loads
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

from classay.assessment.finding import leading
from classay.comparison.comparison import BASELINE
from classay.errors import InputError
from classay.inference.estimate import Estimate, direction, format_estimate, measure_phrase, number, title
from classay.measures import get
from classay.once import memoize
from classay.report.document import (
    COVERS,
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    Prose,
    Section,
    Table,
    Words,
    own_version,
)
from classay.report.pictures.curve_pictures import of_models as models_picture
from classay.report.results.assessments import closing, shares
from classay.report.results.compared_models import of_pairs
from classay.report.results.parts import json_value, of_models, switched
from classay.report.words import interval
from classay.resampling.comparing_learners import (
    balanced_pairs,
    findings_on_evaluation,
    methods,
    pooled_and_single,
    verdict,
)
from classay.resampling.results_shape import EVALUATION
from classay.resampling.tuning import Tuned, short, shortly, tuned
from classay.texts import hint, listed, quote

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.model_folds import DatasetRun, Summary

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
COLUMNS = 10
"""Folds, or repeats, whose values are shown one by one."""
MODELS_BESIDE = 4
"""Models whose values stand beside each other."""
SHOWN = 5
"""Failures and notes shown of each kind; the rest are counted."""
DESCRIBED = 3
"""Data sets among the facts; the rest are counted."""
CANDIDATES = 12
"""Candidates of a search that the report shows; the JSON holds all."""
NAMED = 4
"""Models up to which the title names all."""


def document_of(e: Evaluation) -> Document:
    """Return the document of an evaluation: for each measure its estimate for each model, beside that of training."""
    summaries = _summaries(e)
    models = [model for model in e.models if model != BASELINE]
    verdicts = [verdict(e, run, summaries) for run in e.runs]
    return Document(
        f"Evaluation of {listed(models) if len(models) <= NAMED else f'{len(models)} models'}",
        _facts(e),
        tuple(finding.sentence for finding in leading(findings_on_evaluation(e, summaries))),
        (
            *_sections(e, summaries),
            *_of_data_sets(verdicts),
            *closing(e.random, e.warnings, _next_steps(e, summaries)),
        ),
        sources=tuple(filter(None, [e.protocol.about.reference])),
        methods=methods(e, summaries),
    )


def _of_data_sets(verdicts: Sequence[Sequence[str]]) -> Iterable[Section]:
    """Yield all that is said of each of several data sets, which would fill a screen before any number."""
    if len(verdicts) > 1 and any(verdicts):
        listing = Listing(tuple(("", sentence) for sentences in verdicts for sentence in sentences))
        yield Section("Results on each data set", (listing,))


@memoize
def _summaries(e: Evaluation) -> list[Summary]:
    return e.summaries(_ordered(e))


def with_pictures(document: Document, e: Evaluation) -> Document:
    """Return the document with all models and measures in one table first, and curves before what closes it.

    The curves are those of calibration over all folds, and of single folds.
    """
    ranked = tuple(_ranked(e))
    measures = [
        section
        for section in document.sections
        if isinstance(section.parts[0], Table) and section.title in _titles(e)
    ]
    at = document.sections.index(measures[0]) if measures else 0
    several = switched("Each measure, with its folds", measures, is_folded=bool(ranked))
    rest = [section for section in document.sections if section not in measures]
    rest = [
        replace(section, is_folded=section.role == "plain" and section.title != COVERS) for section in rest
    ]
    shown = measures if len(measures) == 1 else [several] if measures else []
    document = replace(document, sections=(*ranked, *rest[:at], *shown, *rest[at:]))
    calibration, by_fold = pooled_and_single(e)
    figures = [Figure(calibration)] if calibration else []
    figures += [Figure(search.curves()) for search in tuned(e) if search.curves()]
    figures += [Figure(curves, f"ROC curves of {name}", is_thin=True) for name, curves in by_fold.items()]
    if not figures:
        return document
    curves = Section("Curves", (Figures(tuple(figures)),))
    at = len(ranked)
    return replace(document, sections=(*document.sections[:at], curves, *document.sections[at:]))


def _titles(e: Evaluation) -> set[str]:
    """Return the titles of the sections of the measures, on each data set."""
    on = [f" on {run.cases.name}" for run in e.runs] if len(e.runs) > 1 else [""]
    return {f"{get(name).title}{where}" for name in e.measures for where in on}


def _ranked(e: Evaluation) -> Iterable[Section]:
    """Yield each data set's models by each measure, the best by the first measure on top."""
    for run in e.runs:
        of_run = [summary for summary in _summaries(e) if summary.dataset == run.cases.name]
        known = [summary for summary in of_run if not summary.estimate.is_undefined]
        names = list(dict.fromkeys(summary.measure for summary in known if summary.model != BASELINE))[
            :MEASURES
        ]
        at = {(summary.model, summary.measure): _row(summary)[1] for summary in of_run}
        models = [
            model
            for model in e.models
            if any(summary.model == model and summary.measure in names for summary in known)
        ]
        if len(models) < 2 or not names:
            continue
        first = names[0]
        columns = [Column(measure_phrase(name), EstimateCell, k, name) for k, name in enumerate(names)]
        rows = tuple(
            (
                Label(model),
                *(EstimateCell(at[model, name]) if (model, name) in at else None for name in names),
            )
            for model in sorted(models, key=lambda model: _place(at.get((model, first)), first))
        )
        on = f" on {run.cases.name}" if len(e.runs) > 1 else ""
        note = (
            f"Models are sorted by {measure_phrase(first)}, best first. Differences between neighbors may be "
            "due to chance."
        )
        yield Section(f"Models{on}", (Table((Column("model", Label), *columns), rows, note=note),))


def _place(estimate: Estimate | None, measure: str) -> float:
    """Return what a model is ordered by: less is further up."""
    return inf if estimate is None or estimate.is_undefined else -direction(measure) * estimate.value


def _ordered(e: Evaluation) -> list[str]:
    return sorted(e.measures, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


def _facts(e: Evaluation) -> tuple[tuple[str, str], ...]:
    facts = _of_one(e.runs[0]) if len(e.runs) == 1 else _of_each(e.runs)
    facts.append(("protocol", f"{e.protocol.described}, {_fits(e.runs[0])}"))
    facts += [("confidence level", f"{100 * e.level:g}%"), ("seed", str(e.seed))]
    facts.append(("estimated", e.protocol.estimand))
    facts.append(("labels", "predicted by each model, usually the most probable class (no threshold chosen)"))
    return tuple(facts)


def _of_one(run: DatasetRun) -> list[tuple[str, str]]:
    cases = run.cases
    facts = [("cases", f"{cases.rows:,}"), ("cases by class", shares(cases.labels, cases.totals.tolist()))]
    if cases.is_binary:
        facts.append(("positive class", quote(cases.positive)))
    if cases.clusters is not None:
        facts.append(("clusters", f"{len(cases.clusters):,}"))
    if cases.about_weights:
        facts.append(("weights", cases.about_weights))
    return [*facts, ("leak check", _leaks([run]))]


def _of_each(runs: Sequence[DatasetRun]) -> list[tuple[str, str]]:
    """Return a line a data set, and one for what was found in all of them."""
    facts = [("data sets", f"{len(runs):,}")]
    most = len(runs) if len(runs) <= DESCRIBED + 1 else DESCRIBED
    for cases in (run.cases for run in runs[:most]):
        known = [f"{cases.rows:,} cases", shares(cases.labels, cases.totals.tolist())]
        if cases.is_binary:
            known.append(f"positive class {quote(cases.positive)}")
        if cases.clusters is not None:
            known.append(f"{len(cases.clusters):,} clusters")
        if cases.about_weights:
            known.append(cases.about_weights)
        facts.append((cases.name, "; ".join(known)))
    if runs[most:]:
        rows = sum(run.cases.rows for run in runs[most:])
        facts.append(("others", f"{len(runs) - most:,} more data sets with {rows:,} cases"))
    return [*facts, ("leak check", _leaks(runs))]


def _leaks(runs: Sequence[DatasetRun]) -> str:
    leaks = sum(leak.code != "constant" for run in runs for leak in run.leaks)
    return f"{leaks} found, see Warnings" if leaks else "nothing found"


def _fits(run: DatasetRun) -> str:
    """Return how often each model is fitted, and to how many cases."""
    places = run.places
    sizes = sorted({place.n_train for place in places})
    to = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    return f"{len(places):,} fit{('' if len(places) == 1 else 's')} of each model to {to} cases"


def _sections(e: Evaluation, found: list[Summary]) -> Iterable[Section]:
    for run in e.runs:
        mine = [summary for summary in found if summary.dataset == run.cases.name]
        for name in dict.fromkeys(summary.measure for summary in mine):
            summaries = [summary for summary in mine if summary.measure == name]
            on = f" on {run.cases.name}" if len(e.runs) > 1 else ""
            if _why_absent(summaries) is None:
                yield Section(f"{get(name).title}{on}", (_table(name, summaries),))
    yield from _absent(found)
    yield from _folds(e, found)
    yield from _balancing(e)
    for search in tuned(e):
        on = f" on {search.dataset}" if search.dataset else ""
        yield Section(f"Tuning of {search.model}{on}", (Prose(_tuning(search)), *_candidates(search)))


def _why_absent(summaries: list[Summary]) -> str | None:
    """Return the reason why no model has a value, where all have the same."""
    of_models = [summary.estimate for summary in summaries if summary.model != BASELINE]
    reasons = {estimate.reason for estimate in of_models}
    if len(of_models) > 1 and len(reasons) == 1 and all(estimate.is_undefined for estimate in of_models):
        return reasons.pop()
    return None


def _absent(summaries: list[Summary]) -> Iterable[Section]:
    """Yield the measures that no model has, by their reasons; they stand behind the measures that there are."""
    places: dict[tuple[str, str], list[str]] = {}
    for data, name in dict.fromkeys((summary.dataset, summary.measure) for summary in summaries):
        why = _why_absent(
            [summary for summary in summaries if (summary.dataset, summary.measure) == (data, name)]
        )
        if why is not None:
            places.setdefault((name, why), []).append(data)
    sets = {summary.dataset for summary in summaries}
    by_reason: dict[str, list[str]] = {}
    for (name, why), where in places.items():
        on = "" if len(where) == len(sets) else f" on {listed(where)}"
        by_reason.setdefault(why, []).append(f"{title(name)}{on}")
    if by_reason:
        lines = (f"{listed(names)}: {why}." for why, names in by_reason.items())
        yield Section("Not available", (Listing(tuple(("", line[:1].upper() + line[1:]) for line in lines)),))


def _balancing(e: Evaluation) -> Iterable[Section]:
    """Yield what balancing changed, where anything was balanced: the paired test, or why there is none."""
    if not balanced_pairs(e):
        return
    try:
        part: Table | Prose = of_pairs(e.balancing)
    except InputError as error:
        part = Prose(str(error))
    yield Section("Balanced minus unbalanced", (part,))


def _table(measure: str, summaries: list[Summary]) -> Table:
    table = of_models(measure, [_row(summary) for summary in summaries], _note(summaries))
    folds = [
        summary.values if summary.folds > 1 and summary.model != BASELINE else () for summary in summaries
    ]
    return replace(table, picture=models_picture(get(measure).title, table, folds))


def _row(summary: Summary) -> tuple[str, Estimate, Estimate | None]:
    training = None if isnan(summary.training) else Estimate(summary.training)
    estimate = summary.estimate
    if summary.model == BASELINE and not estimate.is_undefined:
        estimate = Estimate.bare(estimate.value, "class shares only")
    return summary.model, estimate, training


def _note(rows: list[Summary]) -> str:
    """Return what the estimates of a measure rest on, where that differs from folds that all have a value."""
    how = "Pooled over all folds" if rows[0].used == "pooled" else "Mean over the folds"
    best = "; lower is better" if get(rows[0].measure).best == 0 else ""
    return f"{how}{best}{''.join(_short_of_folds(row) for row in rows if not row.estimate.is_undefined)}."


def _short_of_folds(summary: Summary) -> str:
    """Return how many folds the estimate of a model is of, where some failed, or have no value to average."""
    used = summary.fitted if summary.used == "pooled" else summary.defined
    if used == summary.folds:
        return ""
    return f"; {summary.model}: {used} of {summary.folds} folds"


def _folds(e: Evaluation, summaries: list[Summary]) -> Iterable[Section]:
    """Yield the folds of the first measure: each value, mean and SD, and the textbook's naive intervals."""
    for run in e.runs:
        mine = [
            summary
            for summary in summaries
            if summary.dataset == run.cases.name and summary.model != BASELINE
        ]
        known = [summary for summary in mine if summary.spread is not None]
        of_first = [summary for summary in known if summary.measure == known[0].measure]
        if not of_first:
            continue
        on = f" on {run.cases.name}" if len(e.runs) > 1 else ""
        tables = [_of_values(of_first), *_naive(of_first)]
        yield Section(f"Folds: {get(of_first[0].measure).title}{on}", tuple(tables))


def _of_values(summaries: Sequence[Summary]) -> Table:
    """Return the value of each fold, or the mean of each repeat, where there are few; their mean and SD."""
    spreads = [row.spread for row in summaries if row.spread is not None]
    is_repeated = all(len(spread.repeats) > 1 for spread in spreads)
    of_each = [spread.repeats if is_repeated else spread.values for spread in spreads]
    fewest, most = min(map(len, of_each)), max(map(len, of_each))
    is_each = fewest == most <= COLUMNS
    what = "repeat" if is_repeated else "fold"
    cells = [
        [*values] * is_each + [of.mean, of.sd, *([] if is_each else (min(values), max(values)))]
        for of, values in zip(spreads, of_each, strict=True)
    ]
    heads = [f"{what} {k + 1}" for k in range(most)] * is_each + ["mean", "SD"]
    heads += [] if is_each else ["lowest", "highest"]
    names = [row.model for row in summaries]
    if len(names) > MODELS_BESIDE:  # then a row is a model
        heads, names, cells = names, heads, list(map(list, zip(*cells, strict=True)))
    rows: list[tuple[Cell, ...]] = [
        (Label(head), *(Words(number(value), value=value) for value in row))
        for head, row in zip(heads, zip(*cells, strict=True), strict=True)
    ]
    columns = [Column(name, Words, k) for k, name in enumerate(names)]
    note = ""
    foot = ""
    if is_repeated:
        note = (
            "Each row is the mean over the folds of one repeat. Mean and SD are over all "
            f"{len(spreads[0].values)} folds."
        )
        differ = listed(
            [f"{number(of.repeat_sd)} ({row.model})" for row, of in zip(summaries, spreads, strict=True)]
        )
        foot = (
            f"The repeats use the same cases: an SD between repeats of {differ} reflects the random splits, "
            "not sampling error."
        )
    return Table((Column("", Label), *columns), tuple(rows), note=note, foot=foot)


def _naive(summaries: Sequence[Summary]) -> Iterable[Table]:
    """Yield the corrected interval beside the naive ones of textbooks, and how much wider it is."""
    rows: list[tuple[Cell, ...]] = []
    for summary in summaries:
        of = summary.spread
        if of is None or not of.naive_t.has_interval:
            continue
        intervals = [interval(one) for one in (summary.estimate, of.naive_t, of.naive_z, of.textbook_t)]
        rows.append(
            (Label(summary.model), *map(Words, intervals), Words(f"{of.factor:.2f}", value=of.factor))
        )
    if not rows:
        return
    first = next(summary.spread for summary in summaries if summary.spread is not None)
    columns = (
        Column("model", Label),
        Column("corrected t", Words),
        Column("naive t", Words),
        Column("naive z", Words, 2),
        Column("naive t, SD over K", Words, 1),
        Column("width ratio", Words),
    )
    foot = (
        "Report the corrected interval. The naive intervals treat folds as independent although their "
        "training sets overlap. The width ratio is the width of the corrected t divided by that of the naive t, both "
        "on the untransformed scale. Some texts divide by K for "
        f"the SD, which inflates t by √(K / (K - 1)) = {first.inflation:.3f}."
    )
    yield Table(columns, tuple(rows), title="Naive intervals for comparison", foot=foot)


def _tuning(search: Tuned) -> str:
    """Return the best inner score of the searches, the score on new cases, and the settings chosen most often."""
    outer = (
        "with no estimate on held-out cases"
        if search.outer is None
        else f"and {number(search.outer)} on held-out cases, an optimism of {format_estimate(search.flattery)}"
    )
    return (
        f"The best {measure_phrase(search.scoring)} inside the folds was {number(search.inner)} on "
        f"average, {outer}. {_chosen(Counter(search.params))}"
    )


def _chosen(choices: Counter[str]) -> str:
    """Return what the searches chose most often, or that they did not agree."""
    (params, times), *others = choices.most_common(2)
    shown = ", ".join(f"{short(name)} {shortly(value)}" for name, value in loads(params).items())
    fits = choices.total()
    if not others:
        return f"All {fits} fits chose {shown}." if fits > 1 else f"The fit chose {shown}."
    if others[0][1] < times:
        return f"Most frequent choice ({times} of {fits} fits): {shown}."
    return (
        f"The {fits} fits chose {len(choices)} different settings, none more often than all others. One "
        f"choice is {shown}."
    )


def _candidates(search: Tuned) -> Iterator[Table | Prose]:
    """Yield all that was tried, the best first, and the simplest candidate within one standard error of the best."""
    if not search.candidates:
        return
    simple = search.by_one_standard_error
    within = {id(candidate) for candidate in search.within}
    heads = [Column(short(name), Words) for name in search.varied]
    columns = (
        *heads,
        Column(f"{measure_phrase(search.scoring)} inside", EstimateCell),
        Column("chosen", Count),
        Column("", Words),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            *(Words(shortly(candidate.params.get(name))) for name in search.varied),
            EstimateCell(candidate.score),
            Count(float(candidate.chosen)),
            Words(", ".join(_why(candidate is simple, id(candidate) in within, candidate is search.best))),
        )
        for candidate in search.candidates[:CANDIDATES]
    ]
    more = len(search.candidates) - CANDIDATES
    foot = (
        "Values are means over the inner folds of all searches. Chosen: number of searches that chose "
        "the candidate. Within 1 SE: within one standard error of the "
        f"best.{(f' {more:,} more candidates are in the JSON.' if more > 0 else '')}"
    )
    yield Table(columns, tuple(rows), foot=foot)
    if isinstance(simple, str):
        yield Prose(f"The one-standard-error rule was not applied. {simple}", "quiet")
    elif simple is search.best:
        yield Prose("The best candidate is also the simplest candidate within one standard error.")
    else:
        yield Prose(
            f"The simplest candidate within one standard error of the best is {simple}, with "
            f"{number(simple.score.value)} compared with {number(search.best.score.value)}."
        )


def _why(*which: bool) -> list[str]:
    """Short words for what a candidate is."""
    simple, within, best = which
    return [
        word
        for word, is_so in (("best", best), ("within 1 SE", within and not best), ("simplest", simple))
        if is_so
    ]


def _next_steps(e: Evaluation, summaries: list[Summary]) -> Iterable[str]:
    yield hint(
        'Draw all folds with `e.report("page.html")`, get all numbers with `e.frame()`, and keep the '
        'predictions with `e.save("e.classay")`.',
        "Draw all folds with `--html page.html`, write all numbers with `--json out.json`, and keep the "
        "predictions with `--save e.classay`.",
    )
    if len([model for model in e.models if model != BASELINE]) > 1:
        yield hint(
            "Compare the models: `e.compare()`.",
            "Save the evaluation, and compare the models: `classay compare e.classay`.",
        )
    lacking = any(
        summary.model != BASELINE and isfinite(summary.estimate.value) and not summary.estimate.has_interval
        for summary in summaries
    )
    if lacking and e.protocol.name != "10x10":
        yield hint(
            'Get the missing confidence intervals with `protocol="10x10"`.',
            "Get the missing confidence intervals with `--protocol 10x10`.",
        )
    if not e.failures and len(e.models) > 2 and not tuned(e):
        yield hint(
            "Tune a model inside the folds, instead of its given settings: `ca.tune(model, grid, X, y)`.",
            "Tune each model inside the folds, instead of its default settings: `--tune`.",
        )


def as_dict(e: Evaluation) -> dict[str, Any]:
    """Return the evaluation as values that JSON knows: undefined is None, infinity the text "Infinity".

    They are the same for the same data and seed.
    """
    return EVALUATION.as_dict(e, {"headline": leading(findings_on_evaluation(e, _summaries(e)))})


def times_of(e: Evaluation) -> dict[str, Any]:
    """The mean seconds of the fits and predictions of each model: measured, so that no two runs agree in them."""
    return {
        "classay": own_version(),
        "protocol": e.protocol.name,
        "times": [_of_times(run, model) for run in e.runs for model in run.results],
    }


def _of_times(run: DatasetRun, model: str) -> dict[str, Any]:
    done = [fold for fold in run.results[model] if fold is not None and fold.failure is None]

    def mean(seconds: list[float]) -> Any:
        known = [second for second in seconds if not isnan(second)]
        return json_value(sum(known) / len(known) if known else nan)

    return {
        "data": run.cases.name,
        "model": model,
        "fits": len(done),
        "fit_seconds": mean([fold.fit_seconds for fold in done]),
        "predict_seconds": mean([fold.score_seconds for fold in done]),
    }
