"""Disparities: the largest gap and the least ratio between groups, by the named criteria of equal treatment."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.assessment import Assessment
from classay.assessment.group_differences import errors_by_block, is_improper, of_probabilities, too_few
from classay.errors import InputError
from classay.inference.disparities import (
    Extreme,
    corrected_gap,
    found_by_power,
    largest_gap,
    least_ratio,
    level_of,
    quantile_of_pairs,
)
from classay.inference.estimate import Estimate, said, spoken
from classay.inference.sampling_units import FEWEST, blocks_of, correlation
from classay.kinds import OfKinds
from classay.measures import Measure, get
from classay.measures.vocabulary import read_name
from classay.shown import Shown
from classay.texts import listed, quote

Array = NDArray[Any]
GAP, RATIO, ODDS = "disparity", "disparity_ratio", "equalised_odds_gap"
"""What a requirement may name: `disparity(recall) <= 0.1`, `disparity_ratio(recall) >= 0.8`, `equalised_odds_gap`."""
EQUALISED = ("recall", "false_positive_rate")


@dataclass(frozen=True)
class NamedCriterion:
    """A named criterion: the measures that are to be equal in all groups, what that says, and who defined it."""

    name: str
    title: str
    measures: tuple[str, ...]
    meaning: str
    source: str


CRITERIA = (
    NamedCriterion(
        "demographic_parity",
        "Demographic parity",
        ("predicted_prevalence",),
        "the classifier calls as large a share of each group positive",
        "Calders, Kamiran & Pechenizkiy 2009, ICDM Workshops, 13",
    ),
    NamedCriterion(
        "equal_opportunity",
        "Equal opportunity",
        ("recall",),
        "of those who are positive, as large a share is found in each group",
        "Hardt, Price & Srebro 2016, NeurIPS 29:3315",
    ),
    NamedCriterion(
        "equalised_odds",
        "Equalised odds",
        EQUALISED,
        "the same, and of those who are negative as large a share is called positive by mistake",
        "Hardt, Price & Srebro 2016, NeurIPS 29:3315",
    ),
    NamedCriterion(
        "predictive_parity",
        "Predictive parity",
        ("precision",),
        "of those who are called positive, as large a share is positive in each group",
        "Chouldechova 2017, Big Data 5:153",
    ),
    NamedCriterion(
        "accuracy_equality",
        "Accuracy equality",
        ("accuracy",),
        "as large a share of each group is called rightly",
        "Berk, Heidari, Jabbari, Kearns & Roth 2021, Sociological Methods & Research 50:3",
    ),
    NamedCriterion(
        "calibration",
        "Calibration within groups",
        ("calibration_in_the_large",),
        "probabilities are as high as outcomes are frequent, in each group (on the scale of log-odds)",
        "Kleinberg, Mullainathan & Raghavan 2017, ITCS, 43",
    ),
    NamedCriterion(
        "equal_auc",
        "Equal AUC",
        ("roc_auc",),
        "scores tell positives from negatives as well within each group",
        "Borkan, Dixon, Sorensen, Thain & Vasserman 2019, WWW Companion, 491",
    ),
)


@dataclass(frozen=True)
class Disparity(OfKinds):
    """The largest gap, or the least ratio, of a measure between any two groups.

    `estimate` has the value as it is seen and an interval of the true one, which holds although it is an extreme of
    all pairs; `corrected` is the gap less what chance alone spreads the groups (None of ratios and of two groups).
    `top` and `bottom` are the groups with the highest and lowest value, `groups` how many are compared, `left_out` the
    others, each with its reason, and `found_by_power` the gap that is found between any two with a power of 80 %.
    """

    name: str
    measure: str
    estimate: Estimate
    top: Hashable | None = None
    bottom: Hashable | None = None
    groups: int = 0
    corrected: float | None = None
    found_by_power: float | None = None
    left_out: tuple[tuple[Hashable, str], ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether a gap is shown: the interval leaves out 0, or of a ratio 1."""
        if not self.estimate.has_interval:
            return False
        return self.estimate.high < 1 if self.name == RATIO else self.estimate.low > 0


@dataclass(frozen=True)
class Judged:
    """A criterion with its largest gap and, of a rate, the least ratio."""

    criterion: NamedCriterion
    gap: Disparity
    ratio: Disparity | None

    @property
    def sentence(self) -> str:
        """What the data show of it."""
        gap = self.gap
        if gap.estimate.is_undefined or not gap.estimate.has_interval:
            return f"{self.criterion.title} cannot be judged: {gap.estimate.reason}."
        what = f"{spoken(gap.measure)} of {quote(gap.top)} is above that of {quote(gap.bottom)} by {said(gap.estimate)}"
        if gap.is_shown:
            return f"{self.criterion.title} is shown not to hold: {what}."
        power = (
            ""
            if gap.found_by_power is None
            else f", and only gaps from about {gap.found_by_power:.2f} on are surely found"
        )
        return (
            f"{self.criterion.title}: no gap is shown, which is not to say that there is none: {what}{power}."
        )


@dataclass(frozen=True, eq=False)
class Criteria(Shown):
    """What the data show of each named criterion of equal treatment of groups, and which of them cannot hold together.

    `c["equal_opportunity"]` is a `Judged`, with `gap`, `ratio` and `sentence`; `c.conflicts` are sentences of criteria
    that contradict each other at these base rates.
    """

    by: str
    judged: tuple[Judged, ...]
    conflicts: tuple[str, ...] = ()
    level: float = 0.95
    model: str = ""

    def __getitem__(self, name: str) -> Judged:
        known = {each.criterion.name: each for each in self.judged}
        if name not in known:
            raise KeyError(f"{name} is no criterion here: there are {', '.join(known)}.")
        return known[name]

    def __iter__(self) -> Iterator[Judged]:
        return iter(self.judged)

    def __len__(self) -> int:
        return len(self.judged)

    def __repr__(self) -> str:
        return f"Criteria({len(self)} criteria by {self.by!r}; print it, or see .to_dict())"


Groups = Mapping[Hashable, Assessment]


def disparity_of(groups: Groups, overall: Assessment, measure: Measure, *, ratio: bool = False) -> Disparity:
    """The largest gap or the least ratio of a measure between groups; see `Disparity`."""
    (found,) = _extremes(groups, overall, (measure,), ratio=ratio)
    return found


def equalised_odds_of(groups: Groups, overall: Assessment) -> Disparity:
    """The larger one of the largest gaps of recall and of the false positive rate, whose lower ends hold together.

    Positives and negatives are other cases, so that both gaps err independently, unless clusters hold both.
    """
    gaps = _extremes(groups, overall, [get(name) for name in EQUALISED])
    known = [each for each in gaps if each.estimate.has_interval]
    if len(known) < len(gaps):
        return next(each for each in gaps if not each.estimate.has_interval)
    largest = max(gaps, key=lambda each: each.estimate.value)
    of = largest.estimate
    low, high = (max(getattr(each.estimate, end) for each in gaps) for end in ("low", "high"))
    power = max(each.found_by_power or 0.0 for each in gaps)
    return Disparity(
        ODDS,
        largest.measure,
        Estimate(of.value, min(low, of.value), high, of.level, of.method),
        largest.top,
        largest.bottom,
        largest.groups,
        max((each.corrected for each in gaps if each.corrected is not None), default=None),
        power,
        tuple(dict.fromkeys(pair for each in gaps for pair in each.left_out)),
    )


def criteria_of(groups: Groups, overall: Assessment, by: str) -> Criteria:
    """Every named criterion that can be asked of these groups. Raises InputError of several classes."""
    if overall.positive is None:
        raise InputError(
            "criteria of equal treatment are about a positive class: there are "
            f"{len(overall.labels)} classes, so assess one against the others, or see disparity('accuracy')."
        )
    applicable = {each.name for each in overall.applicable()}
    judged = []
    for each in CRITERIA:
        if not {*each.measures} <= applicable or (
            is_improper(overall) and of_probabilities(each.measures[0])
        ):
            continue
        if each.measures == EQUALISED:
            judged.append(Judged(each, equalised_odds_of(groups, overall), None))
            continue
        measure = get(each.measures[0])
        ratio = disparity_of(groups, overall, measure, ratio=True) if _is_share(measure) else None
        judged.append(Judged(each, disparity_of(groups, overall, measure), ratio))
    return Criteria(by, tuple(judged), tuple(_conflicts(groups, overall)), overall.level, overall.model)


def _is_share(measure: Measure) -> bool:
    return measure.parts is not None


def _extremes(
    groups: Groups, overall: Assessment, measures: Sequence[Measure], *, ratio: bool = False
) -> list[Disparity]:
    """The extreme of each measure, whose lower ends (upper ends of a ratio) hold for all measures together."""
    name = RATIO if ratio else GAP
    kept: list[list[Hashable]] = []
    gone: list[tuple[tuple[Hashable, str], ...]] = []
    plain: list[dict[Hashable, Estimate]] = []
    for measure in measures:
        if ratio and measure.bounds[0] != 0:
            raise InputError(
                f"disparity_ratio({measure.name}) has no meaning: {measure.name} can be below 0, so take "
                f"disparity({measure.name}), the largest gap."
            )
        estimates = {label: _estimate(part, overall, measure) for label, part in groups.items()}
        reasons = {label: _why_not(measure, groups[label], each) for label, each in estimates.items()}
        plain.append(estimates)
        kept.append([label for label, why in reasons.items() if not why])
        gone.append(tuple((label, why) for label, why in reasons.items() if why))
    most = max(map(len, kept))
    straddling = most > 1 and _share_clusters(groups)
    found = []
    for measure, labels, left, own in zip(measures, kept, gone, plain, strict=True):
        if len(labels) < 2:
            why = (
                f"{len(labels)} of {len(groups):,} groups has cases enough"
                if groups
                else "there are no groups"
            )
            found.append(Disparity(name, measure.name, Estimate.undefined(why), left_out=left))
            continue
        quantile = quantile_of_pairs(
            len(labels), overall.level, families=len(measures), are_dependent=straddling
        )
        parts = {label: groups[label].changed(level=level_of(quantile)) for label in labels}
        strict = [_estimate(part, overall, measure) for part in parts.values()]
        shown = [own[label] for label in labels]
        own_correlations = (
            _correlations([groups[label] for label in labels], overall, measure) if straddling else None
        )
        if isinstance(own_correlations, str):
            found.append(Disparity(name, measure.name, Estimate.undefined(own_correlations), left_out=left))
            continue
        extreme = least_ratio(strict, shown) if ratio else largest_gap(strict, shown, own_correlations)
        found.append(_disparity(name, measure, labels, extreme, shown, quantile, left))
    return found


def _disparity(
    name: str,
    measure: Measure,
    labels: Sequence[Hashable],
    extreme: Extreme,
    shown: Sequence[Estimate],
    quantile: float,
    left: tuple[tuple[Hashable, str], ...],
) -> Disparity:
    """What was found of one measure, with names instead of places."""
    if isnan(extreme.value):
        estimate = Estimate.undefined(f"{spoken(measure.name)} is 0 in every group")
    else:
        own = list(dict.fromkeys(str(each.method) for each in shown))
        how = "MOVER-R" if name == RATIO else "MOVER"
        ends = "upper" if name == RATIO else "lower"
        method = f"{how} of {' and '.join(own)}" + (f", {ends} end of all pairs" if len(labels) > 2 else "")
        estimate = Estimate(extreme.value, extreme.low, extreme.high, shown[0].level, method)
    is_gap = name != RATIO
    return Disparity(
        name,
        measure.name,
        estimate,
        labels[extreme.top],
        labels[extreme.bottom],
        len(labels),
        corrected_gap(extreme.value, shown) if is_gap else None,
        found_by_power(quantile, shown) if is_gap else None,
        left,
    )


def _estimate(part: Assessment, overall: Assessment, measure: Measure) -> Estimate:
    """The estimate of a group; scores that are no probabilities anywhere are none in a part of the cases."""
    if is_improper(overall) and of_probabilities(measure.name):
        return Estimate.undefined(overall.why_improper)
    return part.estimate(measure)


def _why_not(measure: Measure, part: Assessment, found: Estimate) -> str:
    """Why a group cannot be compared, empty where it can."""
    if found.is_undefined:
        return found.reason or "undefined"
    if why := too_few(measure, part, ""):
        return why
    return "" if found.has_interval else f"no interval: {found.reason}"


def _share_clusters(groups: Groups) -> bool:
    """Whether some cluster has rows in two groups, so that their estimates err together."""
    seen: set[Hashable] = set()
    for part in groups.values():
        own = {*(part.clusters or ())}
        if own & seen:
            return True
        seen |= own
    return False


def _correlations(parts: Sequence[Assessment], overall: Assessment, measure: Measure) -> Array | str:
    """How the errors of each two groups go together, by leaving out blocks of clusters, or why that is not known."""
    assert overall.clusters is not None
    if len(overall.clusters) < FEWEST:
        return f"clusters have rows in several groups, and there are only {len(overall.clusters)} of them"
    blocks = blocks_of(overall.clusters)
    without = []
    for part in parts:
        own = errors_by_block(part, measure, blocks)
        if isinstance(own, str):
            return own
        without.append(own)
    found = np.zeros((len(parts), len(parts)))
    for i, first in enumerate(without):
        for j in range(i):
            found[i, j] = found[j, i] = correlation(first, without[j])
    return found


def _conflicts(groups: Groups, overall: Assessment) -> Iterator[str]:
    """Which criteria cannot hold together at base rates that surely differ, each with the gap that it forces.

    Selection is π t + (1 - π) f; equal precision v and recall t force f = π / (1 - π) (1 - v) / v t (Chouldechova
    2017); calibrated scores with equal means m₁ among the positives force (1 - π) m₀ = π (1 - m₁)
    (Kleinberg et al. 2017).
    """
    base = disparity_of(groups, overall, get("prevalence"))
    if not base.is_shown or overall.confusion_matrix is None:
        return
    high, low = (
        groups[label].estimate("prevalence").value for label in (base.top, base.bottom) if label is not None
    )
    yield (
        f"The share of positives surely differs between groups ({quote(base.top)} {high:.3f}, {quote(base.bottom)} "
        f"{low:.3f}, a gap of {said(base.estimate)}), so not all criteria can hold together:"
    )
    recall, fall_out, precision = (overall.estimate(each).value for each in (*EQUALISED, "precision"))
    if not (isnan(recall) or isnan(fall_out)):
        yield (
            f"with equal recall ({recall:.3f}) and false positive rate ({fall_out:.3f}) the shares that are called "
            f"positive differ by {abs(recall - fall_out) * (high - low):.3f}, so equalised odds excludes demographic "
            "parity;"
        )
    if not isnan(precision) and 0 < precision < 1 and low > 0 and high < 1:
        forced = [each / (1 - each) * (1 - precision) / precision * recall for each in (high, low)]
        yield (
            f"with equal precision ({precision:.3f}) and recall the false positive rates are "
            f"{min(forced[0], 1):.3f} and {min(forced[1], 1):.3f}, so predictive parity excludes equalised odds "
            "(Chouldechova 2017);"
        )
    yield (
        "scores that are calibrated in each group cannot have equal means among the positives and among the "
        "negatives of all groups, unless they are perfect (Kleinberg, Mullainathan & Raghavan 2017)."
    )


def named_disparity(text: str) -> tuple[str, str] | None:
    """The kind of disparity and the measure that a text names, None where it names none.

    >>> named_disparity("disparity(recall)"), named_disparity("equalised_odds_gap"), named_disparity("recall")
    (('disparity', 'recall'), ('equalised_odds_gap', ''), None)
    """
    written = read_name(text)
    if written is None or written.name not in (GAP, RATIO, ODDS):
        return None
    if written.name == ODDS:
        if written.values or written.named or written.brackets:
            raise InputError(f"{text!r} is not understood: {ODDS} takes nothing in parentheses or brackets.")
        return ODDS, ""
    if len(written.values) != 1 or written.named or written.brackets:
        raise InputError(
            f"{text!r} is not understood: name one measure in parentheses, {written.name}(recall)."
        )
    return written.name, written.values[0]


def left_out_said(found: Sequence[tuple[Hashable, str]]) -> str:
    """The groups that are not compared, in a sentence; empty where there are none."""
    by_reason: dict[str, list[str]] = {}
    for label, why in found:
        by_reason.setdefault(why, []).append(quote(label))
    told = "; ".join(
        f"{listed(names[:MOST_NAMED])}{_more(names)} ({why})" for why, names in by_reason.items()
    )
    return f"Not compared: {told}." if told else ""


MOST_NAMED = 5


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
