"""The document of an assessment."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Literal

from classay.assessment.assessment import Assessment
from classay.assessment.drawn import pictured
from classay.assessment.judgement.verdict import how_scores_are_kept, verdict, what_is_random
from classay.assessment.judgement.warnings import warnings
from classay.assessment.judgement.words import quote
from classay.inference.estimate import Estimate
from classay.inference.words import spoken
from classay.measures import MEASURES, get
from classay.report.document import (
    Cell,
    Column,
    Count,
    Document,
    Figure,
    Figures,
    Found,
    Label,
    Listing,
    Matrix,
    Part,
    Prose,
    Section,
    Table,
)
from classay.report.documents.chosen import (
    CALIBRATION,
    LABELS_BINARY,
    LABELS_SEVERAL,
    MORE_CALIBRATION,
    PROBABILITY,
    RANKING,
    SHOWN_PER_CLASS,
)
from classay.report.documents.tables import of_measures
from classay.report.words import count, shorten

Detail = Literal["main", "all"]
CLASSES_SHOWN = 20
WORST_SHOWN = 10


def document_of(
    a: Assessment,
    *,
    title: str = "Assessment of a classifier",
    names: Iterable[str] | None = None,
    detail: Detail = "main",
    more: Iterable[Section] = (),
) -> Document:
    """The document of an assessment, without pictures: of the named measures, of those people use most, or of all.

    `more` are sections about the same cases that stand before what is said of all of them: slices, say.
    """
    from classay import __version__

    sections = [
        *_matrix(a),
        *([_named(a, names)] if names is not None else _measures(a, detail)),
        *([] if names is not None else _classes(a)),
        *more,
        *closing(what_is_random(a), ((each.code, each.text) for each in warnings(a)), _next_steps(a, detail)),
    ]
    return Document(title, _facts(a), verdict(a), tuple(sections), version=__version__)


def with_pictures(document: Document, a: Assessment) -> Document:
    """The document with its curves, which only a page can show, behind the confusion matrix."""
    shown, folded = pictured(a)
    if not shown and not folded:
        return document
    curves = Section("Curves", (Figures(tuple(map(Figure, shown)), tuple(map(Figure, folded))),))
    first, rest = document.sections[:1], document.sections[1:]
    if not first or not isinstance(first[0].parts[0], Matrix):
        first, rest = (), document.sections
    return replace(document, sections=(*first, curves, *rest))


def closing(
    random: str, warned: Iterable[tuple[str, str]], steps: Iterable[str], methods: str = ""
) -> Iterator[Section]:
    """What ends most documents: what is random, warnings, what to do next; nothing where there is nothing to say."""
    if random:
        yield Section("What is random", (Prose(random),))
    if methods:
        yield Section("Methods", tuple(Prose(each) for each in methods.split("\n\n")), "methods")
    if warned := tuple(warned):
        yield Section("Warnings", (Listing(warned),), "warnings")
    if todo := tuple(("", step) for step in steps):
        yield Section("Next", (Listing(todo),), "next")


def _matrix(a: Assessment) -> Iterator[Section]:
    if a.confusion_matrix is not None:
        counts = tuple(tuple(float(c) for c in row) for row in a.confusion_matrix.counts)
        yield Section("Confusion matrix", (Matrix(tuple(str(label) for label in a.labels), counts),))


def _facts(a: Assessment) -> tuple[tuple[str, str], ...]:
    unit = "weight" if a.kind_of_weight == "sampling" else "cases"
    facts = [("cases", f"{a.n:,}" if a.n == a.rows else f"{a.n:,} in {a.rows:,} rows")]
    facts.append((f"{unit} by class", shares(a.labels, a.class_totals)))
    if a.positive is not None:
        facts.append(("positive", quote(a.positive)))
    if a.cutoff is not None:
        facts.append(("threshold", f"{a.cutoff:g}" + ("" if a.cutoff_chosen else " (default, not chosen)")))
    dependent = "independent" if a.clusters is None else f"in {len(a.clusters):,} clusters"
    lacking = "label or group" if a.dropped else "label"
    facts.append(("rows", f"{dependent}; {a.dropped:,} left out for a missing {lacking}"))
    if a.kind_of_weight != "none":
        facts.append(("weights", f"{a.kind_of_weight} weights"))
    if said := how_scores_are_kept(a):
        facts.append(("scores", said))
    facts.append(("level", f"{100 * a.level:g} %, seed {a.seed}"))
    if a.interval is not None:
        facts.append(("intervals", f"{a.interval} where it applies, elsewhere the default"))
    return tuple(facts)


def shares(labels: tuple[Hashable, ...], totals: Iterable[float]) -> str:
    """The cases of the first classes, and how many more classes there are."""
    shown = [
        f"{shorten(str(label), 24)}: {count(total)}"
        for label, total in zip(labels[:6], list(totals)[:6], strict=True)
    ]
    return ", ".join(shown) + (f", and {len(labels) - 6} more classes" if len(labels) > 6 else "")


def _named(a: Assessment, names: Iterable[str]) -> Section:
    return Section("Measures", (of_measures(a.estimates(names).items()),))


def _measures(a: Assessment, detail: Detail) -> Iterator[Section]:
    """The measures by what they need, each kind under its title."""
    usable = {measure.name for measure in a.applicable()}
    labels = LABELS_BINARY if a.positive is not None else LABELS_SEVERAL
    others = sorted(usable - {*RANKING, *PROBABILITY, *CALIBRATION, *MORE_CALIBRATION, *labels})
    averages = [name for name in others if a.positive is not None and _is_average(name)]

    def other(*kinds: str) -> list[str]:
        return [name for name in others if get(name).needs in kinds and name not in averages]

    wanted = {
        title: [name for name in (*main, *(more if detail == "all" else ())) if name in usable]
        for title, main, more in (
            ("Ranking", RANKING, other("scores", "class_scores")),
            ("Probability", PROBABILITY, other("probabilities", "cases")),
            ("Calibration", CALIBRATION, MORE_CALIBRATION),
            (_at_threshold(a), labels, other("counts", "margins", "matrix")),
            ("Averages over both classes", (), averages),
        )
    }
    found = a.estimates(name for chosen in wanted.values() for name in chosen)
    for title, names in wanted.items():
        estimates = [(name, found[name]) for name in names]
        all_undefined = all(each.is_undefined for _, each in estimates)
        if estimates and (detail == "all" or not (title == "Calibration" and all_undefined)):
            yield Section(title, (_or_reason(estimates),))


def _or_reason(estimates: list[tuple[str, Estimate]]) -> Part:
    """The table, or only a note when all its measures are undefined for one and the same reason."""
    reasons = {each.reason for _, each in estimates if each.is_undefined}
    if len(estimates) < 2 or len(reasons) != 1 or not all(each.is_undefined for _, each in estimates):
        return of_measures(estimates)
    return Prose(f"Absent: {reasons.pop()}.", "quiet")


def _is_average(name: str) -> bool:
    kind, _, averaged = name.partition("_")
    return kind in ("macro", "micro", "weighted") and averaged in MEASURES


def _at_threshold(a: Assessment) -> str:
    if a.confusion_matrix is None:
        return "Labels"
    if a.cutoff is None:
        return "Labels as predicted" if a.class_scores is None else "Labels of the largest score"
    return f"Labels at threshold {a.cutoff:g}" + ("" if a.cutoff_chosen else " (default, not chosen)")


def _classes(a: Assessment) -> Iterator[Section]:
    """Each class against the rest: all of a few classes, the worst of many."""
    if a.positive is not None or a.confusion_matrix is None:
        return
    found = list(zip(a.labels, a.class_totals, a.class_estimates().values(), strict=True))
    names = [name for name in SHOWN_PER_CLASS if any(name in each for _, _, each in found)]
    foot = ""
    if len(found) > CLASSES_SHOWN:
        worst = sorted(found, key=lambda row: _badness(row[2].get(names[-1])))[:WORST_SHOWN]
        lowest = f"with the lowest {spoken(names[-1])}"
        foot = f"The {len(worst)} of {len(found):,} classes {lowest}; the JSON has all of them."
        found = worst
    last = len(names) - 1
    columns = [Column(spoken(name), Found, 0 if k == last else k + 1) for k, name in enumerate(names)]
    rows = tuple(
        (Label(str(label)), Count(float(total)), *(_of_class(each.get(name)) for name in names))
        for label, total, each in found
    )
    yield Section(
        "Classes", (Table((Column("class", Label), Column("cases", Count), *columns), rows, foot=foot),)
    )


def _badness(found: Estimate | None) -> tuple[bool, float]:
    return (True, 0.0) if found is None or found.is_undefined else (False, found.value)


def _of_class(found: Estimate | None) -> Cell:
    """An estimate of a class; which class a reason is about, its row says."""
    if found is None or not found.is_undefined:
        return None if found is None else Found(found)
    return Found(replace(found, reason=(found.reason or "").rpartition(": ")[2]))


def _next_steps(a: Assessment, detail: Detail) -> Iterator[str]:
    if detail == "main":
        yield "`--all` shows every measure, `--html report.html` the page with the pictures"
    yield "`--save a.classay` keeps the tables: they load, and add to those of more data"
    yield "`classay measures NAME` explains a measure"
    if a.cutoff is not None and not a.cutoff_chosen:
        yield "`--threshold T` assesses the labels at a threshold of your choice"
