"""An assessment of several labels a case: its document and its JSON (docs/tags.schema.json)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal, cast

from classay.assessment.finding import Finding, leading, steps_of
from classay.assessment.flow import percent
from classay.assessment.headline import findings, warnings_beside, warnings_of_json
from classay.assessment.remembered import remembered
from classay.assessment.verdict import what_is_random
from classay.columns.numbers import counted
from classay.inference.estimate import Estimate, format_estimate, level_text, measure_phrase, number, title
from classay.measures import get
from classay.multilabel.results_shapes import TAGS, THRESHOLDS
from classay.multilabel.sentences import left_out, top_said
from classay.multilabel.tag_assessment import PER_TAG, MultilabelAssessment
from classay.multilabel.tag_thresholds import MultilabelThresholds
from classay.report.document import (
    SEED_OF_DRAWS,
    Cell,
    Column,
    Count,
    Difference,
    Document,
    EstimateCell,
    Label,
    Section,
    Table,
    Tile,
    Value,
    Words,
)
from classay.report.results.assessments import closing, shares
from classay.report.results.parts import keep_step, of_measures, switched
from classay.report.words import shorten
from classay.texts import hint, quote

Detail = Literal["main", "page", "all"]
RANKS = (
    "one_error",
    "coverage_error",
    "ranking_loss",
    "label_ranking_average_precision",
)
AREAS = ("micro_roc_auc", "macro_roc_auc", "micro_average_precision", "macro_average_precision")
OF_CASES = (
    "exact_match",
    "hamming_loss",
    "samples_precision",
    "samples_recall",
    "samples_f1",
    "samples_jaccard",
)
OF_ALL = (
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "weighted_f1",
)
TILES = {
    "micro_f1": "Micro F1",
    "macro_f1": "Macro F1",
    "exact_match": "Exact match",
    "micro_roc_auc": "Micro AUC",
}
TAGS_OPEN = 10
"""Tags that a page shows of more than a text has, before it is asked for the others."""
TAGS_SHOWN = 20
"""Tags that a text shows, the worst first."""
ON_PAGE = 500
"""Tags that a page holds, of which it shows `TAGS_OPEN` at first."""
SPARE = {"prevalence": 3, "precision": 1, "recall": 2, "f1": 0, "roc_auc": 1, "average_precision": 3}
"""Which columns go first in a narrow window."""


def document_of(
    a: MultilabelAssessment,
    *,
    title: str = "Assessment of multilabel cases (tags)",
    names: Iterable[str] | None = None,
    detail: Detail = "main",
    more: Iterable[Section] = (),
    extra: Iterable[Finding] = (),
) -> Document:
    """Return the document of an assessment of tags: of the named measures, or of the main ones, or of all.

    `extra` are findings on what was asked for besides, such as groups.
    """
    from classay import __version__

    a = cast("MultilabelAssessment", remembered(a))
    names = None if names is None else [*names]
    measures = [] if names is not None else [*_measures(a, detail)]
    known = findings(a, names, extra)
    if names is not None:
        sections = [Section("Measures", (of_measures(a.estimates(names).items()),))]
    else:
        sections = [
            *_tags(a, TAGS_SHOWN if detail == "main" else ON_PAGE),
            *_together(a),
            *([switched("Measures", measures)] if detail == "page" else measures),
        ]
    warned, steps = warnings_beside(known, a.warnings), (*steps_of(known), keep_step(detail))
    sections += [*more, *closing(what_is_random(a), warned, steps)]
    sentences = tuple(finding.sentence for finding in leading(known))
    return Document(title, _facts(a), sentences, tuple(sections), version=__version__)


def page_of(a: MultilabelAssessment) -> Document:
    """Return the document of a page, of more measures and tags than a text has."""
    return document_of(a, detail="page")


def with_pictures(document: Document, a: MultilabelAssessment) -> Document:
    """Return the document with what only a page can show: the measures that it shows large."""
    known = {measure.name for measure in a.applicable()}
    tiles = a.estimates([name for name in TILES if name in known])
    return replace(document, tiles=tuple(Tile(TILES[name], name, each) for name, each in tiles.items()))


def _facts(a: MultilabelAssessment) -> tuple[tuple[str, str], ...]:
    unit = "weight" if a.kind_of_weight == "sampling" else "cases"
    total = float(a.task.weight)
    facts = [("cases", f"{a.n:,}" if a.n == a.rows else f"{a.n:,} in {a.rows:,} rows")]
    facts.append(
        ("tags", f"{len(a.labels):,}, with {number(float(sum(a.class_totals)) / total)} true tags per case")
    )
    facts.append((f"{unit} by tag", shares(a.labels, a.class_totals).replace("more classes", "more tags")))
    facts += _called(a)
    rows = "independent" if a.clusters is None else f"in {len(a.clusters):,} clusters"
    if a.received.dropped:
        rows += f"; {a.received.dropped:,} excluded for a missing true tag"
    facts.append(("rows", rows))
    if a.kind_of_weight != "none":
        facts.append(("weights", f"{a.kind_of_weight} weights"))
    facts += [("confidence level", f"{100 * a.level:g}%"), (SEED_OF_DRAWS, str(a.seed))]
    if a.interval is not None:
        facts.append(("intervals", f"{a.interval} where available, otherwise the default"))
    return tuple(facts)


def _called(a: MultilabelAssessment) -> list[tuple[str, str]]:
    """By which threshold tags are called, where they have scores."""
    task = a.task
    if task.top is not None:
        return [("called", top_said(task.top))]
    if isinstance(task.cutoffs, tuple):
        texts = (
            f"{shorten(str(label), 24)}: {number(cutoff)}"
            for label, cutoff in zip(a.labels[:6], task.cutoffs[:6], strict=True)
        )
        return [("thresholds", ", ".join(texts) + (" …" if len(a.labels) > 6 else ""))]
    if task.cutoffs is None:
        return []
    return [
        (
            "threshold",
            f"{task.cutoffs:g}" + ("" if task.cutoff_chosen else " (default, not chosen for these data)"),
        )
    ]


def _tags(a: MultilabelAssessment, most: int) -> Iterator[Section]:
    """Yield each tag with its intervals, the worst first."""
    labels = a.worst_tags(most)
    measure = "F1" if a.task.tags is not None else "ROC AUC"
    foot = ""
    if len(labels) < len(a.labels):
        foot = (
            f"Only the {len(labels):,} of {len(a.labels):,} tags with the lowest {measure}. The JSON has all "
            "tags."
        )
    totals = dict(zip(a.labels, a.class_totals, strict=True))
    tags = a.some_tags(labels)
    names = [name for name in (*PER_TAG, "roc_auc", "average_precision") if name != "prevalence"]
    names = [name for name in names if any(name in estimates for estimates in tags.values())]
    columns = [Column(measure_phrase(name), EstimateCell, SPARE[name], name) for name in names]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (Label(str(label)), Count(float(totals[label])), *(EstimateCell(estimates[name]) for name in names))
        for label, estimates in tags.items()
    )
    table = Table((Column("tag", Label), Column("true", Count), *columns), rows, foot=foot)
    yield Section(
        f"Tags, lowest {measure} first", (replace(table, main=TAGS_OPEN if len(rows) > TAGS_SHOWN else 0),)
    )


def _together(a: MultilabelAssessment) -> Iterator[Section]:
    """Yield which tags are missed and called in the same cases."""
    pairs = a.wrong_together(5)
    if pairs:
        columns = (
            Column("missed", Label),
            Column("incorrectly predicted in the same cases", Words),
            Column("cases", Count),
            Column("share of missed", Words),
        )
        rows = tuple(
            (
                Label(str(pair.missed)),
                Words(str(pair.called)),
                Count(pair.cases),
                Words(percent(Estimate(pair.share))),
            )
            for pair in pairs
        )
        yield Section("Missed and incorrectly predicted together", (Table(columns, rows),))


def _measures(a: MultilabelAssessment, detail: Detail) -> Iterator[Section]:
    usable = [measure.name for measure in a.applicable()]
    parts = {
        "Measures per case": (OF_CASES, left_out(a)),
        "Measures over all tags": (
            OF_ALL,
            "Micro average: computed from the pooled counts of all tags. Macro average: unweighted mean over "
            "tags.",
        ),
        "Ranking of the tags of each case": (RANKS, left_out(a) if a.task.tags is None else ""),
        "Ranking of cases": (AREAS, ""),
    }
    shown = {name for names, _ in parts.values() for name in names}
    others = [name for name in usable if name not in shown] if detail != "main" else []
    for heading, (names, foot) in parts.items():
        wanted = [name for name in names if name in usable]
        if wanted:
            yield Section(heading, (of_measures(a.estimates(wanted).items(), foot=foot),))
    if others:
        yield Section("Further averages over tags", (of_measures(a.estimates(others).items()),))


def as_dict(
    a: MultilabelAssessment, names: Iterable[str] | None = None, extra: Iterable[Finding] = ()
) -> dict[str, Any]:
    """Return the assessment as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    names = None if names is None else [*names]
    known = findings(a, names, extra)
    beside = {
        "measures": a.estimates(names),
        "verdict": [finding.sentence for finding in leading(known)],
        "headline": leading(known),
        "warnings": warnings_of_json(known, a.warnings),
    }
    return TAGS.as_dict(a, beside)


def document_of_thresholds(thresholds: MultilabelThresholds) -> Document:
    """Return the threshold of each tag, what all bring, what to expect of them and of one threshold for all tags."""
    from classay import __version__

    dropped = thresholds.here.received.dropped
    facts = (
        ("cases", f"{thresholds.here.n:,}"),
        *((("excluded", f"{counted(dropped)} with a missing true tag"),) if dropped else ()),
        ("tags", f"{len(thresholds.labels):,}"),
        ("rule", f"{thresholds.rule.text} of each tag"),
        ("expected", thresholds.how_expected),
        ("one threshold for all tags", f"{number(thresholds.common)}, chosen by the same rule"),
        ("confidence level", f"{100 * thresholds.level:g}%"),
        ("seed", str(thresholds.here.seed)),
    )
    todo = hint(
        "Apply the thresholds to new cases: `ca.assess(Y, P, threshold=t.thresholds)`.",
        "Write the thresholds for new cases with `--json thresholds.json`.",
    )
    closed = closing(what_is_random(thresholds.here), thresholds.warnings, [todo])
    sections = (_over_all_tags(thresholds), _each_threshold(thresholds), *closed)
    return Document(
        "Thresholds by tag (multilabel)",
        facts,
        _of_thresholds(thresholds),
        tuple(sections),
        version=__version__,
    )


def page_of_thresholds(thresholds: MultilabelThresholds) -> Document:
    """Return the document of a page."""
    return document_of_thresholds(thresholds)


def _sought(found: MultilabelThresholds) -> tuple[str, tuple[Estimate, Estimate, Estimate]]:
    """What the rule seeks, in words, and its value here, expected, and expected of one threshold for all tags."""
    if found.costs is not None:
        return "cost per case", found.costs
    assert found.objective is not None
    each = (found.here, found.expected, found.expected_common)
    return measure_phrase(found.objective.name), tuple(one[found.objective] for one in each)  # type: ignore[return-value]


def _of_thresholds(thresholds: MultilabelThresholds) -> tuple[str, ...]:
    """Return how much of what they promise is to be expected, and whether one threshold for all tags would do."""
    what, (here, expected, common) = _sought(thresholds)
    if here.is_undefined or expected.is_undefined:
        why = here.reason if here.is_undefined else f"on new cases {expected.reason}"
        lines = [f"The {what} with a threshold for each tag cannot be estimated: {why}."]
    else:
        lines = [
            f"With a threshold for each tag, the expected {what} on new cases is {format_estimate(expected)}. "
            f"On the selection data, the {what} is {number(here.value)}, which is "
            f"{('optimistic' if thresholds.optimism >= 0 else 'pessimistic')} by "
            f"{number(abs(thresholds.optimism))}."
        ]
    gain = thresholds.gain
    if gain.has_interval:
        ends = f"({level_text(gain.level)} {number(gain.low)} to {number(gain.high)})"
        if gain.low > 0:
            lines.append(
                f"The expected {what} is better than with one threshold for all tags by {number(gain.value)} "
                f"{ends}."
            )
        elif gain.high < 0:
            lines.append(
                f"One threshold for all tags ({number(thresholds.common)}) is better by {number(-gain.value)} "
                f"({level_text(gain.level)} {number(-gain.high)} to {number(-gain.low)}), with an expected {what} "
                f"of {format_estimate(common)}."
            )
        else:
            lines.append(
                f"No gain over one threshold for all tags ({number(thresholds.common)}) was detected: "
                f"{number(gain.value)} {ends}. With one threshold, the expected {what} is "
                f"{format_estimate(common)}."
            )
    if thresholds.without:
        several = len(thresholds.without) > 1
        many = (
            f"{len(thresholds.without):,} tags have no separate threshold"
            if several
            else "1 tag has no separate threshold"
        )
        named = ", ".join(quote(label) for label in thresholds.without[:5])
        lines.append(
            f"{many} and {('use' if several else 'uses')} the common threshold: "
            f"{named}{(' …' if len(thresholds.without) > 5 else '')}."
        )
    return tuple(lines)


def _over_all_tags(thresholds: MultilabelThresholds) -> Section:
    rows: list[tuple[Cell, ...]] = []
    if thresholds.costs is not None:
        here, expected, common = thresholds.costs
        rows.append((Label("Cost per case"), Value(here), EstimateCell(expected), EstimateCell(common)))
    for name in thresholds.measures:
        here, expected, common = (
            each[name] for each in (thresholds.here, thresholds.expected, thresholds.expected_common)
        )
        rows.append((Label(title(name)), Value(here), EstimateCell(expected), EstimateCell(common)))
    columns = (
        Column("", Label),
        Column("selection data", Value),
        Column("expected", EstimateCell),
        Column("expected, one threshold", EstimateCell, 1),
    )
    return Section("All tags", (Table(columns, tuple(rows), foot=_gain_said(thresholds)),))


def _gain_said(thresholds: MultilabelThresholds) -> str:
    if not thresholds.gain.has_interval:
        return ""
    gain = Difference(thresholds.gain).estimate
    unit = "cluster" if (gain.method or "").startswith("clusters") else "case"
    return f"Gain over one threshold for all tags: {format_estimate(gain)}, paired by {unit}."


def _each_threshold(thresholds: MultilabelThresholds) -> Section:
    labels = thresholds.worst_tags(ON_PAGE)
    totals = dict(zip(thresholds.labels, thresholds.here.class_totals, strict=True))
    values, of_one = thresholds.thresholds, get(thresholds.of_one)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            Label(str(label)),
            Count(float(totals[label])),
            Words(number(values[label]) + (" (common)" if label in thresholds.without else "")),
            Value(thresholds.here.tag(label)[of_one]),
            EstimateCell(thresholds.expected.tag(label)[of_one]),
        )
        for label in labels
    )
    foot = ""
    if len(labels) < len(thresholds.labels):
        foot = (
            f"Only the {len(labels):,} of {len(thresholds.labels):,} tags with the lowest expected value. The "
            "JSON has all tags."
        )
    name = measure_phrase(of_one.name)
    columns = (
        Column("tag", Label),
        Column("true", Count, 2),
        Column("threshold", Words),
        Column(f"{name} (optimistic)", Value, 1),
        Column(f"expected {name}", EstimateCell),
    )
    main = TAGS_SHOWN if len(rows) > TAGS_SHOWN else 0
    return Section("Thresholds, lowest expected value first", (Table(columns, rows, foot=foot, main=main),))


def as_dict_of_thresholds(thresholds: MultilabelThresholds) -> dict[str, Any]:
    """Return the threshold of each tag as plain values, and what they bring and are expected to bring."""
    return THRESHOLDS.as_dict(thresholds, {"verdict": _of_thresholds(thresholds)})
