"""Remembered: an assessment that computes each estimate and curve once; its curves, as fine as a picture can show."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.charts import AREAS, RocChart, all_shown, banded, named_by_area
from classay.assessment.class_views import class_curves
from classay.assessment.roc_space import roc_space
from classay.compiled import thread_count, workers
from classay.curves.curve import Curve, entry
from classay.curves.display import MARKED, OperatingPoints, for_display, marks
from classay.inference.bootstrap.score_samples import ScoredCases
from classay.inference.estimate import Estimate
from classay.measures import MEASURES, Measure, get
from classay.once import memoize
from classay.wings import brought, thing


@dataclass(frozen=True, eq=False)
class Remembered(Assessment):
    """An assessment, and the estimates it was asked for so far.

    Assessments themselves keep nothing, so that they stay small and plain values. One run of the command shows the
    same estimates on the terminal, in the JSON and on the page; a notebook shows the same card again and again.
    """

    known: dict[str, Estimate] = field(init=False, repr=False, default_factory=dict)
    known_of_classes: dict[Hashable, dict[str, Estimate]] = field(
        init=False, repr=False, default_factory=dict
    )

    @classmethod
    def of(cls, a: Assessment) -> Remembered:
        """Return the same assessment, with nothing remembered yet."""
        return cls(**{each.name: getattr(a, each.name) for each in fields(Assessment)})

    @cached_property
    def scored_cases(self) -> ScoredCases:
        """See `Assessment.scored_cases`; what curves are found once for."""
        return super().scored_cases

    def estimate(self, name: str | Measure, *, method: str | None = None) -> Estimate:
        """See `Assessment.estimate`; by the default method only once."""
        wanted = get(name)
        if method is not None or _is_unnamed(wanted):
            return super().estimate(wanted, method=method)
        if wanted.name not in self.known:
            self.known[wanted.name] = super().estimate(wanted)
        return self.known[wanted.name]

    def estimates(self, names: Iterable[str | Measure] | None = None) -> dict[str, Estimate]:
        """See `Assessment.estimates`; each of them only once."""
        wanted = self.applicable() if names is None else [get(name) for name in names]
        missing = [measure for measure in wanted if _is_unnamed(measure) or measure.name not in self.known]
        estimates = super().estimates(missing) if missing else {}
        self.known.update({each.name: estimates[each.name] for each in missing if not _is_unnamed(each)})
        known = self.known | estimates
        return {measure.name: known[measure.name] for measure in wanted}

    def class_estimates(self) -> dict[Hashable, dict[str, Estimate]]:
        """See `Assessment.class_estimates`; only once."""
        if not self.known_of_classes:
            self.known_of_classes.update(super().class_estimates())
        return self.known_of_classes


def _is_unnamed(measure: Measure) -> bool:
    """Whether this is a measure of one's own, which its name does not tell from others: none of it is remembered."""
    base = measure.plain or measure
    return not base.family and MEASURES.get(base.name) is not base


def remembered(a: Assessment) -> Remembered:
    """An assessment that computes once what its pages, cards and texts show, for as long as the assessment lives.

    >>> from classay import assess
    >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> remembered(a) is remembered(a), remembered(remembered(a)) is remembered(a)
    (True, True)
    """
    return a if isinstance(a, Remembered) else _remembered(a)


@memoize
def _remembered(a: Assessment) -> Remembered:
    place = brought("ways").get(f"remembered.{type(a).__name__}")
    kind: type[Remembered] = Remembered if place is None else thing(place)
    return kind.of(a)


MAIN = (
    "roc",
    "precision_recall",
    "calibration",
)
"""The pictures that a page shows; it has the others on request."""
SIDES = {"ks": ("ks_positive", "ks_negative"), "histogram": ("histogram_positive", "histogram_negative")}
"""The keys of curves that come one for each class."""


def curves_of(a: Assessment) -> dict[str, Curve]:
    """Return every curve that an assessment with scores has, by its key, within 0.0005 of all its points.

    Labels alone of two classes have the polygon of their point in ROC space; two classes with scores those of
    `curves.curve.PAGE`; several classes the calibration of the top label.
    """
    cases = scored_cases_of(a)
    if cases is None:
        curves = (*_of_labels(a)[:1], *_of_several_classes(a))
        return {curve.name: for_display(curve) for curve in curves}
    by_name: dict[str, Curve] = {}
    for name, curves in all_shown(cases).items():
        by_name |= zip(SIDES.get(name, (name,)), curves, strict=False)
    return {key: for_display(curve) for key, curve in by_name.items()}


def pictured(a: Assessment) -> tuple[list[tuple[Curve, ...]], list[tuple[Curve, ...]]]:
    """Return the curves of a page's main pictures, each with what it is compared with and its band; and the others.

    Where there is a threshold, its place is marked in those that have one.
    """
    cases = scored_cases_of(a)
    if cases is None:
        several = [_of_labels(a), *_of_each_class(a), _of_several_classes(a)]
        return [each for each in several if each], []
    with workers(thread_count(cases.table.scores.size)) as run:
        known, band = run(lambda find: find(cases), (all_shown, _band_of_roc))
    shown = dict(known)
    for name in AREAS.keys() & shown.keys():
        first, *others = shown[name]
        shown[name] = (replace(first, label=named_by_area(name, a.estimate(AREAS[name]))), *others)
    if band is not None:
        shown["roc"] = _roc(shown["roc"][0], band)
    if a.cutoff is not None:
        points = marks([name for name in MARKED if name in shown], cases.table, a.cutoff)
        shown |= {name: (*shown[name], *curves) for name, curves in points.items()}
    main = [curves for name, curves in shown.items() if name in MAIN]
    return main, [curves for name, curves in shown.items() if name not in MAIN]


@memoize
def operating_points(a: Assessment) -> OperatingPoints | None:
    """Return the counts at every threshold of two classes, few enough for a page; None where there is no threshold."""
    cases = scored_cases_of(a)
    if a.no_answer is not None:  # which no threshold moves
        return None
    return None if cases is None or a.cutoff is None else OperatingPoints.of(cases.table, a.cutoff)


def _of_labels(a: Assessment) -> tuple[Curve, ...]:
    """Labels without scores in ROC space, the polygon through their point first; of two classes with cases."""
    if not a.is_binary or a.scores is not None or a.confusion_matrix is None or not a.class_totals.all():
        return ()
    return roc_space({"labels alone": a}).curves


def _band_of_roc(cases: ScoredCases) -> Curve | None:
    """Return the ROC curve with its band, where there is such a curve."""
    return None if entry("roc").why_not(cases.table) is not None else banded(RocChart("roc", cases))


def _roc(curve: Curve, band: Curve) -> tuple[Curve, ...]:
    """The curve with its thresholds, the diagonal to compare it with, and the band, whose points are others."""
    ends = np.array([0.0, 1.0])
    none = replace(curve, x=ends, y=ends, threshold=None, kind="reference", series=entry("roc").look.diagonal)
    if band.low is None:
        return replace(curve, band=band.band), none
    return curve, none, replace(band, kind="band")


ALL_NAMED, WORST_NAMED = 6, 4
"""Classes up to which each has a line of its own, and of more the worst: a reader can ask which is which."""


def _of_each_class(a: Assessment) -> list[tuple[Curve, ...]]:
    """Return the ROC and the precision–recall curve of each class against the rest."""
    if a.comparable_scores is None:
        return []
    most = len(a.labels) if len(a.labels) <= ALL_NAMED else WORST_NAMED
    return [class_curves(a, "roc", most), class_curves(a, "precision_recall", most)]


def _of_several_classes(a: Assessment) -> tuple[Curve, ...]:
    if a.cases is None or not a.cases.are_probabilities:
        return ()
    return (banded(a.top_label_calibration),)


def scored_cases_of(a: Assessment) -> ScoredCases | None:
    """Return the cases with scores of two classes; None where an assessment has none."""
    return a.scored_cases if a.is_binary and a.scores is not None else None
