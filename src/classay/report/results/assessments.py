"""An assessment: its document and its JSON (docs/assessment.schema.json)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

from classay.answers import NO_ANSWER, describe_omissions
from classay.assessment.assessment import Assessment
from classay.assessment.finding import Finding, leading, steps_of
from classay.assessment.flow import CLASSES as TOLD
from classay.assessment.flow import about_ties, calls, cutoff, flow, how_assessed, missing_in, percent
from classay.assessment.further_tests import BOWKER, COX, STUART_MAXWELL, sentence_of
from classay.assessment.headline import findings, warnings_beside, warnings_of_json
from classay.assessment.mistaken import score_columns
from classay.assessment.ordered_classes import cuts, is_in_order, steps_off
from classay.assessment.perspectives import some_classes, without_class, worst_classes
from classay.assessment.perspectives import told as told_of_chance
from classay.assessment.remembered import operating_points, pictured, remembered
from classay.assessment.task import measures_of_order
from classay.assessment.verdict import how_scores_are_kept, top_confusions, what_is_random
from classay.columns import Labels
from classay.columns.labels import FROM
from classay.columns.numbers import counted
from classay.inference.estimate import Estimate, measure_phrase
from classay.measures import MEASURES, get
from classay.report.document import (
    COVERS,
    SEED_OF_DRAWS,
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    Matrix,
    Part,
    Prose,
    Section,
    Table,
    Threshold,
    Tile,
    Words,
)
from classay.report.results.assessment_shape import ASSESSMENT
from classay.report.results.parts import (
    CALIBRATION,
    LABELS_BINARY,
    LABELS_SEVERAL,
    LAST_SHOWN,
    MORE_CALIBRATION,
    MOVING,
    PROBABILITY,
    RANKING,
    SHOWN_PER_CLASS,
    TILES,
    json_text,
    keep_step,
    matrix_of,
    of_measures,
    switched,
    titled,
)
from classay.report.words import count, shorten, value
from classay.texts import quote
from classay.warned import Warned

Detail = Literal["main", "page", "all"]
"""The measures that people use most; what a page shows besides, without those that follow from others; or all."""
MATRIX, CONFUSIONS, CLASSES = "Confusion matrix", "Confusions", "Classes"
STEPS, CUTS, ORDER = "Steps off", "From each class on", "Order of the classes"
FIRST = (MATRIX, CLASSES, CUTS, STEPS, CONFUSIONS)
MAIN_OF_ORDER = 4
CLASSES_SHOWN = 20
CLASSES_OPEN = 8
"""Classes that a page shows before it is asked for more; those of more come in order of how they fare."""
WORST_SHOWN = 10


def document_of(
    a: Assessment,
    *,
    title: str = "",
    names: Iterable[str] | None = None,
    detail: Detail = "main",
    more: Iterable[Section] = (),
    extra: Iterable[Finding] = (),
) -> Document:
    """Return the document of an assessment, without pictures: the named measures, or as many of all as `Detail` says.

    `more` are sections about the same cases, such as those of groups; they stand before the measures of all cases.
    `extra` are findings on what these are about.
    """
    a = remembered(a)
    names = None if names is None else [*names]
    # all measures are estimated together, in threads, before the findings ask for single ones
    measures = [_named(a, names)] if names is not None else [*_measures(a, detail)]
    known = findings(a, names, extra)
    sections = [
        *_matrix(a),
        *([] if names is not None else [*_classes(a), *_cuts(a, detail), *_steps(a), *_confusions(a)]),
        *measures,
        *more,
        *closing(
            what_is_random(a), warnings_beside(known, a.warnings), (*steps_of(known), keep_step(detail))
        ),
    ]
    named = title or titled("Assessment", a.model or "a classifier")
    return Document(
        named,
        _facts(a),
        tuple(each.sentence for each in leading(known)),
        tuple(sections),
        methods=tuple(how_assessed(a)),
    )


def page_of(a: Assessment) -> Document:
    """Return the document of a page, of more measures than a text has."""
    return document_of(a, detail="page")


def with_pictures(document: Document, a: Assessment) -> Document:
    """Return the document with what only a page can show: tiles, a threshold to move, and curves.

    The curves stand behind the confusion matrix and the classes.
    """
    a = remembered(a)
    shown, folded = pictured(a)
    drawn = Figures(tuple(map(Figure, shown)), tuple(map(Figure, folded)))
    curves = (Section("Curves", (drawn,)),) if shown or folded else ()
    first = tuple(section for section in document.sections if section.title in FIRST)
    kinds = (_at_threshold(a), RANKS, PROBABLE, "Calibration")
    measures = sorted((e for e in document.sections if e.title in kinds), key=lambda e: kinds.index(e.title))
    together = (switched("Measures", measures),) if len(measures) > 1 else tuple(measures)
    first = tuple(replace(section, is_folded=section.title == CONFUSIONS) for section in first)
    rest = (
        *together,
        *(section for section in document.sections if section not in measures and section.title not in FIRST),
    )
    part = _threshold_to_move(a)
    if part is not None:
        moved = Section(f"{MATRIX} and curves", (part, drawn))
        return replace(document, tiles=_tiles(a), sections=(moved, *rest))
    of_confusions = tuple(section for section in first if section.is_folded)
    leading = tuple(section for section in first if not section.is_folded)
    return replace(document, tiles=_tiles(a), sections=(*leading, *curves, *of_confusions, *rest))


def for_paper(document: Document, a: Assessment) -> Document:
    """Return the document with the flow of cases first, as STARD and TRIPOD ask for it."""
    return replace(document, sections=(Section("Flow of cases", (_flow(a),)), *document.sections))


def _flow(a: Assessment) -> Table:
    cases = flow(a)
    rows: list[tuple[str, float]] = [
        ("rows received", cases.received),
        (f"excluded for {cases.missing}", cases.left_out),
        ("analyzed", cases.assessed),
    ]
    for entry in cases.classes:
        rows.append((f"class {quote(entry.label)}", entry.total))
        if len(cases.classes) > TOLD:
            continue  # the confusion matrix says it shorter
        rows += [
            (
                (
                    f"class {quote(entry.label)}, "
                    f"{'no prediction' if label is NO_ANSWER else f'predicted {quote(label)}'}"
                ),
                count,
            )
            for label, count in entry.called
        ]
    columns = (Column("", Label), Column("weight" if cases.unit == "weight" else "count", Count))
    note = "Class sizes are sums of weights." if cases.unit == "weight" else ""
    return Table(columns, tuple((Label(name), Count(float(n))) for name, n in rows), note=note)


def _tiles(a: Assessment) -> tuple[Tile, ...]:
    usable = {measure.name for measure in a.applicable()}
    names = [name for name in TILES if name in usable][:4]
    estimates = a.estimates(names)
    return tuple(
        Tile(TILES[name], name, estimate)
        for name, estimate in estimates.items()
        if not (estimate.is_undefined and len(estimates) < 3)
    )


def _above(a: Assessment) -> set[str]:
    """Return the measures that a page shows above its tables; tables show them on request, so that each stands once."""
    part = _threshold_to_move(a)
    return {each.name for each in (*_tiles(a), *(() if part is None else part.of))}


def _threshold_to_move(a: Assessment) -> Threshold | None:
    """Return the matrix of the threshold with what it moves, or None where there is none."""
    points = operating_points(a)
    if points is None:
        return None
    assert a.is_binary
    beside = tuple(Tile(get(name).title, name, estimate) for name, estimate in a.estimates(MOVING).items())
    return Threshold(_matrix_of(a), points, a.labels.index(a.positive), _threshold(a), beside)


def _threshold(a: Assessment) -> str:
    return cutoff(a) + ("" if a.cutoff_chosen else " (default, not chosen for these data)")


def _confusions(a: Assessment) -> Iterator[Section]:
    """What the cases of several classes are taken for: the most frequent confusions, the largest shares of a class."""
    often, largely = top_confusions(a), top_confusions(a, by="share")
    if {*often} == {*largely}:
        largely = ()
    tables = [
        _of_confusions(confusions, title if often and largely else "")
        for confusions, title in (
            (often, "Confusions by cases"),
            (largely, "Confusions by the share of the true class"),
        )
        if confusions
    ]
    if tables:
        yield Section(CONFUSIONS, tuple(tables), is_switched=True)


def _of_confusions(confusions: Sequence[Any], title: str) -> Table:
    columns = (
        Column("true", Label),
        Column("predicted", Words),
        Column("cases", Count),
        Column("share of true class", Words),
    )
    rows = tuple(
        (
            Label(str(confusion.true)),
            Words(str(confusion.predicted)),
            Count(confusion.cases),
            Words(percent(Estimate(confusion.share)), value=confusion.share),
        )
        for confusion in confusions
    )
    return Table(columns, rows, title=title)


RANKS, PROBABLE, OF_LABELS = "Ranking measures", "Probability measures", "Threshold measures"
"""Titles of the tables of measures."""


def closing(
    random: str, warned: Iterable[Warned], steps: Iterable[str], methods: str = ""
) -> Iterator[Section]:
    """Yield the end of most documents: what is random, warnings and next steps; empty where there are none."""
    if random:
        yield Section(COVERS, (Prose(random),))
    if methods:
        yield Section("Methods", tuple(Prose(paragraph) for paragraph in methods.split("\n\n")), "methods")
    if warned := tuple(warned):
        yield Section(
            "Warnings", (Listing(tuple((each.code, each.sentence) for each in warned)),), "warnings"
        )
    if todo := tuple(("", step) for step in steps):
        yield Section("Next steps", (Listing(todo),), "next")


def _matrix(a: Assessment) -> Iterator[Section]:
    if a.confusion_matrix is not None:
        yield Section(MATRIX, (_matrix_of(a),))


def _matrix_of(a: Assessment) -> Matrix:
    assert a.confusion_matrix is not None
    if len(a.labels) > 2:
        matrix = matrix_of(a.confusion_matrix)
        return replace(matrix, is_ordered=is_in_order(a) and not matrix.rest)
    counts = tuple(tuple(float(c) for c in row) for row in calls(a))
    return Matrix(tuple(str(label) for label in a.labels), counts)


def _rows(a: Assessment) -> Iterator[str]:
    """Yield how rows belong together, and which were excluded."""
    if a.clusters is not None:
        yield f"in {counted(len(a.clusters), 'cluster')}"
    if a.dropped:
        share = percent(Estimate(a.dropped / (a.dropped + a.rows)))
        yield f"{a.dropped:,} ({share}) excluded for {missing_in(a)}"


def _facts(a: Assessment) -> tuple[tuple[str, str], ...]:
    unit = "weight" if a.kind_of_weight == "sampling" else "cases"
    facts = [("cases", f"{a.n:,}" if a.n == a.rows else f"{a.n:,} in {a.rows:,} rows")]
    facts.append((f"{unit} by class", shares(a.labels, a.class_totals)))
    if a.is_binary:
        facts.append(("positive class", quote(a.positive)))
    elif text := _order(Labels.of(a.labels)):
        facts.append(("order of classes", text))
    if text := score_columns(a):
        facts.append(("score columns", text))
    if a.cutoff is not None:
        facts.append(("threshold", _threshold(a)))
    if rows := "; ".join(_rows(a)):
        facts.append(("rows", rows))
    if a.no_answer is not None and a.unanswered:
        facts.append(
            ("missing predictions", f"{describe_omissions(a.unanswered, a.undeclared)}, counted as incorrect")
        )
    if a.kind_of_weight != "none":
        facts.append(("weights", f"{a.kind_of_weight} weights"))
    if text := how_scores_are_kept(a):
        facts.append(("scores", text))
    facts.append((SEED_OF_DRAWS, str(a.seed)))
    if a.interval is not None:
        facts.append(("intervals", f"{a.interval} where applicable; the default method otherwise"))
    return tuple(facts)


def _order(labels: Labels) -> str:
    """Return the order of three or more classes and where it is from, or nothing."""
    if labels.order is None or len(labels) < 3:
        return ""
    shown = " < ".join(shorten(str(label), 24) for label in labels[:6]) + (" < …" if len(labels) > 6 else "")
    return f"{shown}, {_ORDERS[labels.order]}{_gap(labels) if labels.order == 'integers' else ''}"


def _gap(labels: Labels) -> str:
    """The first two whole numbers with others between them that are no classes, so that one step leads over these."""
    numbers: Any = labels
    for here, there in pairwise(numbers):
        if there - here > 1:
            return f" ({here} to {there} is one step; declare the labels if there are classes between)"
    return ""


_ORDERS = {
    "declared": "as declared",
    "categories": "from the categories",
    "integers": "from the numbers, used for ordinal measures",
}


def shares(labels: tuple[Hashable, ...], totals: Iterable[float]) -> str:
    """Return the cases of the first classes, and how many more classes there are."""
    most = 7 if len(labels) == 7 else 6  # "1 more" is as long as what it stands for
    shown = [
        f"{shorten(str(label), 24)}: {count(total)}"
        for label, total in zip(labels[:most], list(totals)[:most], strict=True)
    ]
    return ", ".join(shown) + (f", and {len(labels) - most} more classes" if len(labels) > most else "")


def _named(a: Assessment, names: Iterable[str]) -> Section:
    return Section("Measures", (of_measures(a.estimates(names).items()),))


def _measures(a: Assessment, detail: Detail) -> Iterator[Section]:
    """Yield the measures by what they need, each kind under its title."""
    usable = {measure.name for measure in a.applicable()}
    labels = LABELS_BINARY if a.is_binary else LABELS_SEVERAL
    of_order = [measure.name for measure in measures_of_order(a.task)]
    usable -= {*of_order}
    others = sorted(usable - {*RANKING, *PROBABILITY, *CALIBRATION, *MORE_CALIBRATION, *labels})
    averages = [name for name in others if a.is_binary and _is_average(name)]

    def other(*kinds: str) -> list[str]:
        return [name for name in others if get(name).needs in kinds and name not in averages]

    wanted = {
        title: (
            [name for name in main if name in usable],
            [name for name in more if name in usable and _is_shown(name, a, detail)],
        )
        for title, main, more in (
            (RANKS, RANKING, other("scores", "class_scores")),
            (PROBABLE, PROBABILITY, other("probabilities", "cases")),
            ("Calibration", CALIBRATION, MORE_CALIBRATION),
            (_at_threshold(a), labels, other("counts", "margins", "matrix")),
            ("Averages over both classes", (), averages),
        )
    }
    against = {} if detail == "main" else {each.name: told_of_chance(each) for each in a.against_chance()}
    if detail == "all":
        against |= {each.name: sentence_of(each) for each in a.tests()}
    if detail != "main":
        above = _above(a)
        wanted = {
            title: (
                [name for name in main if name not in above],
                [*(name for name in main if name in above), *more],
            )
            for title, (main, more) in wanted.items()
        }
    wanted[ORDER] = (of_order[:MAIN_OF_ORDER], of_order[MAIN_OF_ORDER:] if detail != "main" else [])
    by_name = a.estimates(name for both in wanted.values() for part in both for name in part)
    for title, (main, more) in wanted.items():
        estimates = [(name, by_name[name]) for name in (*main, *more)]
        all_undefined = all(estimate.is_undefined for _, estimate in estimates)
        feet = {
            PROBABLE: (_about(estimates),),
            "Calibration": (_about(estimates), _by_chance(a), against.get(COX, "")),
            RANKS: (_about(estimates), _by_pairs(a, by_name), against.get("mann_whitney", "")),
            _at_threshold(a): (
                _about(estimates),
                about_ties(a),
                against.get("no_information_rate", ""),
                *(against.get(name, "") for name in (BOWKER, STUART_MAXWELL)),
            ),
        }
        foot = " ".join(filter(None, feet.get(title, ())))
        if estimates and (detail != "main" or not (title == "Calibration" and all_undefined)):
            yield Section(title, (_or_reason(estimates, len(main), foot),))


MOST_PAIRS = 50
"""Pairs of a positive and a negative case up to which they can be counted by hand."""


def _by_pairs(a: Assessment, shown: Mapping[str, Estimate]) -> str:
    """Return how many pairs the ROC AUC counts as wins and as ties; nothing where they are many, or have weights."""
    if "roc_auc" not in shown or not a.is_binary or a.scores is None or a.scores.is_weighted:
        return ""
    table = a.scores
    pairs = float(table.n_positive) * float(table.n_negative)
    if not 0 < pairs <= MOST_PAIRS:
        return ""
    wins = float(table.positives @ (table.n_negative - table.negatives.cumsum()))
    ties = float(table.positives @ table.negatives)
    said, half = (f", with {ties:g} {'tie' if ties == 1 else 'ties'}", f" + {ties:g}/2") if ties else ("", "")
    return (
        f"Of {pairs:g} pairs of a positive and a negative case, the positive case has the higher score in {wins:g}"
        f"{said}. ROC AUC is ({wins:g}{half}) / {pairs:g}."
    )


def _is_shown(name: str, a: Assessment, detail: Detail) -> bool:
    """Whether a measure beside the main ones is shown: a page of two classes leaves out what follows from another."""
    if detail != "page" or not a.is_binary:
        return detail != "main"
    return not (_is_average(name) or get(name).complement or name == "single_point_auc")


def _about(estimates: Sequence[tuple[str, Estimate]]) -> str:
    """Return what the measures of a table are, as far as a reader may ask."""
    known = dict.fromkeys(ABOUT.get(name, "") for name, estimate in estimates if not estimate.is_undefined)
    return " ".join(filter(None, known))


LOSSES = "Lower is better for log-loss and Brier score."
SKILL = "Skill is the improvement over always predicting the class frequencies: 0 is none, 1 is perfect."
ABOUT = {
    **dict.fromkeys(("log_loss", "brier_score", "multiclass_brier_score"), LOSSES),
    **dict.fromkeys(("log_loss_skill", "brier_skill", "multiclass_brier_skill"), SKILL),
    "average_precision": "Average precision is the stepwise area under the precision-recall curve.",
    "brier_miscalibration": "Brier score = variance of the outcome + miscalibration (lower is better) - "
    "discrimination (higher is better).",
    "calibration_slope": "The ideal of the slope and of the observed/expected ratio is 1.",
    "calibration_in_the_large": "Calibration in the large is the number that, added to the log-odds of every case, "
    "makes the mean probability equal to the observed share. Its ideal is 0. Above 0, probabilities are too low.",
    "baseline_accuracy": "Majority-class accuracy is the accuracy of always predicting the most frequent class.",
}
"""What a measure is, and which values are better."""


def _by_chance(a: Assessment) -> str:
    """Return what the expected calibration error is to be compared with: a reference, and no finding."""
    if not a.is_binary or a.scores is None or not a.scores.are_probabilities:
        return ""
    error, chance = a["expected_calibration_error"], a["expected_calibration_error_null"]
    if error.is_undefined or chance.is_undefined:
        return ""
    return (
        f"Perfectly calibrated probabilities would have an expected calibration error of {value(chance)} on "
        "average in a sample of this size."
    )


def _or_reason(estimates: list[tuple[str, Estimate]], main: int, foot: str) -> Part:
    """Return the table, or only a note when all its measures are undefined for one and the same reason."""
    reasons = {estimate.reason for _, estimate in estimates if estimate.is_undefined}
    if len(estimates) < 2 or len(reasons) != 1 or not all(estimate.is_undefined for _, estimate in estimates):
        return of_measures(estimates, main=main, foot=foot)
    return Prose(f"Not available: {reasons.pop()}.", "quiet")


def _is_average(name: str) -> bool:
    kind, _, averaged = name.partition("_")
    return kind in ("macro", "micro", "weighted") and averaged in MEASURES


def _at_threshold(a: Assessment) -> str:
    if a.cutoff is not None:  # a table of a paper stands without the warnings
        return f"{OF_LABELS} at {cutoff(a)}" if a.cutoff_chosen else f"{OF_LABELS} (default {cutoff(a)})"
    by_score = a.scores is not None and not a.is_binary
    return f"Label measures ({'highest score' if by_score else 'as predicted'})"


def _classes(a: Assessment) -> Iterator[Section]:
    """Yield each class against the rest: all of a few classes, the worst of many."""
    if a.is_binary or a.confusion_matrix is None:
        return
    labels: Sequence[Hashable] = a.labels
    foot = ""
    if len(labels) > CLASSES_OPEN:
        labels = worst_classes(
            a, SHOWN_PER_CLASS[-1], WORST_SHOWN if len(labels) > CLASSES_SHOWN else len(labels)
        )
        lowest = f"the lowest {measure_phrase(SHOWN_PER_CLASS[-1])}"
        foot = f"Classes are sorted by {measure_phrase(SHOWN_PER_CLASS[-1])}, lowest first."
        if len(a.labels) > CLASSES_SHOWN:
            foot = (
                f"The {len(labels)} of {len(a.labels):,} classes with {lowest}. The JSON lists all classes."
            )
    totals = dict(zip(a.labels, a.class_totals, strict=True))
    classes = [(label, totals[label], each) for label, each in some_classes(a, labels).items()]
    names = [name for name in SHOWN_PER_CLASS if any(name in each for _, _, each in classes)]
    columns = [Column(measure_phrase(name), EstimateCell, LAST_SHOWN.index(name), name) for name in names]
    rows = tuple(
        (Label(str(label)), Count(float(total)), *(_of_class(each.get(name), name, label) for name in names))
        for label, total, each in classes
    )
    heads = (Column("class", Label), Column("cases", Count), *columns)
    yield Section(CLASSES, (Table(heads, rows, foot=foot, main=CLASSES_OPEN),))


def _steps(a: Assessment) -> Iterator[Section]:
    """Yield how far off the cases are, where the classes have a given order."""
    if not is_in_order(a):
        return
    rows = tuple(
        (
            Label(counted(row.steps, "step")),
            *((Count(row.below), Count(row.above)) if row.steps else (None, None)),
            Words(percent(Estimate(row.share)), value=row.share),
            Words(percent(Estimate(row.within)), value=row.within),
        )
        for row in steps_off(a)
    )
    columns = (
        Column("off by", Label),
        Column("too low", Count),
        Column("too high", Count),
        Column("share", Words),
        Column("cumulative share", Words),
    )
    yield Section(STEPS, (Table(columns, rows),))


def _cuts(a: Assessment, detail: Detail) -> Iterator[Section]:
    """For each class in an order, the cases of this class and above against those below, on a page and in full."""
    if detail == "main" or not is_in_order(a) or len(a.labels) > CLASSES_SHOWN:
        return
    splits = cuts(a)
    names = [*splits[0].measures]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            Label(f"{FROM}{split.label}"),
            Count(split.cases),
            *(EstimateCell(split.measures[name]) for name in names),
        )
        for split in splits
    )
    heads = (
        Column("class", Label),
        Column("cases", Count),
        *(Column(measure_phrase(name), EstimateCell) for name in names),
    )
    foot = (
        "Each row compares this class and all higher classes with all lower classes. Scores are the summed "
        "probabilities of the higher group."
    )
    yield Section(CUTS, (Table(heads, rows, foot=foot),))


def _of_class(estimate: Estimate | None, name: str, label: Hashable) -> Cell:
    """Return an estimate of a class; which class a reason is about, its row says."""
    if estimate is None or not estimate.is_undefined:
        return None if estimate is None else EstimateCell(estimate)
    return EstimateCell(replace(estimate, reason=without_class(estimate.reason or "", name, label)))


def as_dict(
    a: Assessment, names: Iterable[str] | None = None, extra: Iterable[Finding] = ()
) -> dict[str, Any]:
    """Return the assessment as values that JSON knows: undefined is None, infinity the text "Infinity"."""
    a = remembered(a)
    names = None if names is None else [*names]
    known = findings(a, names, extra)
    beside = {
        "measures": a.estimates(names),
        "headline": leading(known),
        "warnings": warnings_of_json(known, a.warnings),
    }
    return ASSESSMENT.as_dict(a, beside)


def as_json(
    a: Assessment,
    names: Iterable[str] | None = None,
    sections: dict[str, object] | None = None,
    extra: Iterable[Finding] = (),
) -> str:
    """Return the assessment as JSON text: an estimate, a row of the matrix, a list of labels take one line each.

    `sections` are further keys with their plain values, `extra` the findings on what these are about.
    """
    return json_text(as_dict(a, names, extra) | (sections or {}))
