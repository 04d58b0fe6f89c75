"""Disparities: the largest gap and the least ratio between groups, by the named criteria of equal treatment."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import NamedTuple

from classay.assessment.assessment import Assessment
from classay.assessment.main_measures import FEW, NEEDED
from classay.errors import InputError
from classay.groups.compared_groups import SubgroupSet
from classay.groups.extremes import (
    Extreme,
    corrected_gap,
    found_by_power,
    largest_gap,
    least_ratio,
    level_of,
    quantile_of_pairs,
)
from classay.inference.estimate import Estimate, format_estimate, level_text, measure_phrase, title
from classay.inference.proportions import methods_said
from classay.inference.requirements import Outcome, Requirement, Verdict, outcome, range_of
from classay.kinds import TypedFields
from classay.measures import Measure, get
from classay.measures.vocabulary import read_name
from classay.texts import listed, quote, some

GAP, RATIO, ODDS, ODDS_RATIO = "disparity", "disparity_ratio", "equalised_odds_gap", "equalised_odds_ratio"
"""What a requirement may name: `disparity(recall) <= 0.1`, `disparity_ratio(recall) >= 0.8`, `equalised_odds_gap`."""
RATIOS = (RATIO, ODDS_RATIO)
OF_ODDS = {name: name for name in (ODDS, ODDS_RATIO)} | {
    "equalized_odds_gap": ODDS,
    "equalized_odds_difference": ODDS,
    "equalized_odds_ratio": ODDS_RATIO,
}
ALIASES = {
    "demographic_parity_difference": (GAP, "predicted_prevalence"),
    "demographic_parity_ratio": (RATIO, "predicted_prevalence"),
    "equal_opportunity_difference": (GAP, "recall"),
    "equal_opportunity_ratio": (RATIO, "recall"),
    "statistical_parity_difference": (GAP, "predicted_prevalence"),
    "disparate_impact": (RATIO, "predicted_prevalence"),
}
"""Names of fairlearn's, and two of AI Fairness 360: the kind of disparity and the measure."""
SIGNED_ELSEWHERE = {
    "statistical_parity_difference": (
        "largest minus smallest share predicted positive, without a sign or a reference group (AI Fairness 360 "
        "subtracts the privileged group's share)"
    ),
    "disparate_impact": (
        "smallest over largest share predicted positive, at most 1 and without a reference group (AI Fairness 360 "
        "divides by the privileged group's share)"
    ),
}
"""Names that mean a difference from, or a ratio to, a group that is named: what they are here."""
EQUALISED = ("recall", "false_positive_rate")


class ClearestPair(NamedTuple):
    """Two groups that are surely apart in a measure: the higher one, and the lower one."""

    measure: str
    top: Hashable
    bottom: Hashable

    @classmethod
    def among(cls, measure: Measure, labels: Sequence[Hashable], extreme: Extreme) -> ClearestPair | None:
        """Return those of an extreme, by their names."""
        return None if extreme.surest is None else cls(measure.name, *(labels[k] for k in extreme.surest))


@dataclass(frozen=True)
class Disparity(TypedFields):
    """Largest gap, or smallest ratio, of a measure between any two groups.

    A small group may have the largest observed gap, while only two larger groups differ with certainty.

    Parameters
    ----------
    name : str
        Name of the disparity.
    measure : str
        Name of the measure.
    estimate : Estimate
        The observed value, with an interval of the true one. It is valid although the value is an extreme
        over all pairs.
    top, bottom : label, optional
        Groups with the highest and the lowest value.
    groups : int, default 0
        Number of compared groups.
    corrected : float, optional
        The gap minus the expected spread of the groups by chance, at least the lower end. Ratios, and two
        groups, have none.
    found_by_power : float, optional
        Gap between any two groups that is detected with power 80%.
    left_out : tuple, default ()
        The other groups, each with the reason.
    control : tuple of str, default ()
        Columns that are held fixed. Groups were compared within their strata.
    surest : ClearestPair, optional
        Groups that the lower end of a gap, or the upper end of a ratio, belongs to: `measure`, `top`,
        `bottom`. None if no gap is shown.
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
    control: tuple[str, ...] = ()
    surest: ClearestPair | None = None

    @property
    def sentence(self) -> str:
        """Groups of the disparity with its interval, in a sentence."""
        estimate, what = self.estimate, measure_phrase(self.measure)
        if estimate.is_undefined:
            return f"No two groups can be compared in {what}: {estimate.reason}."
        if self.name in RATIOS:
            times = f"{format_estimate(estimate)} times that in {quote(self.top)}"
            sentence = f"{what} in {quote(self.bottom)} is {times}"
            if self.are_others_surest:
                of = f"{quote(self.bottom)} relative to {quote(self.top)}"
                sentence = (
                    f"the smallest observed ratio of {what} is {format_estimate(estimate)} ({of}), and "
                    f"{self._surely}"
                )
        else:
            sentence = self.between
        return f"{sentence[0].upper()}{sentence[1:]}."

    @property
    def between(self) -> str:
        """Groups of a gap with its interval, as part of a sentence."""
        if self.estimate.value == 0:
            groups = "all compared groups" if self.left_out else "all groups"
            same = f"{measure_phrase(self.measure)} is the same in {groups} of these cases"
            return f"{same}, a gap of {format_estimate(self.estimate)}"
        if self.are_others_surest:
            of = " between compared groups" if self.left_out else ""
            pair = f"{quote(self.top)} minus {quote(self.bottom)}"
            gap = f"the largest observed gap in {measure_phrase(self.measure)}{of}"
            return f"{gap} is {format_estimate(self.estimate)} ({pair}), and {self._surely}"
        higher = f"higher in {quote(self.top)} than in {quote(self.bottom)}"
        return f"{measure_phrase(self.measure)} is {higher} by {format_estimate(self.estimate)}"

    @property
    def are_others_surest(self) -> bool:
        """Whether the clearest pair of groups is not the pair with the largest gap."""
        return self.surest is not None and self.surest != (self.measure, self.top, self.bottom)

    @property
    def _surely(self) -> str:
        """Which groups are surely apart, and how far at least, as part of a sentence; empty where none are."""
        if self.surest is None:
            return ""
        measure, top, bottom = self.surest
        if self.name in RATIOS:
            limit = f"is at most {self.estimate.high:.3f} times that in {quote(top)} ({self._limit})"
            return f"{measure_phrase(measure)} in {quote(bottom)} {limit}"
        least = f"than in {quote(bottom)} by at least {self.estimate.low:.3f} ({self._limit})"
        return f"{measure_phrase(measure)} is higher in {quote(top)} {least}"

    @property
    def _limit(self) -> str:
        return f"simultaneous {level_text(self.estimate.level).removesuffix('CI')}confidence limit"

    @property
    def is_shown(self) -> bool:
        """Whether the interval excludes 0, or 1 for a ratio."""
        if not self.estimate.has_interval:
            return False
        return self.estimate.high < 1 if self.name in RATIOS else self.estimate.low > 0


def possible_width(measure: str) -> float:
    """Return how far apart two values of a measure can be."""
    low, high = get(measure).bounds
    return high - low


def titles_in_text(titles: Iterable[str]) -> str:
    """Return titles as they stand within a sentence."""
    return listed([name[0].lower() + name[1:] for name in titles])


def disparity_of(g: SubgroupSet, measure: Measure, *, ratio: bool = False, families: int = 1) -> Disparity:
    """Return the largest gap or the least ratio of a measure between groups; see `Disparity`.

    `families` is the number of measures whose lower ends (upper ends of a ratio) are to hold together.
    """
    name, overall = RATIO if ratio else GAP, g.overall
    if ratio and measure.bounds[0] != 0:
        raise InputError(
            f"disparity_ratio({measure.name}) is not defined, because {measure.name} can be negative. Use "
            f"disparity({measure.name})."
        )
    left = tuple((label, why) for label, why in g.why_not(measure).items() if why)
    without = {label for label, _ in left}
    labels = [label for label in g.groups if label not in without]
    if len(labels) < 2:
        why = too_few_groups(len(labels), len(g.groups), left)
        return Disparity(name, measure.name, Estimate.undefined(why), left_out=left)
    straddling = g.share_clusters
    quantile = quantile_of_pairs(len(labels), overall.level, families=families, are_dependent=straddling)
    strict, shown = (
        [estimates[label] for label in labels]
        for estimates in (g.estimates(measure, level_of(quantile)), g.estimates(measure))
    )
    own_correlations = g.correlations(labels, measure) if straddling else None
    if isinstance(own_correlations, str):
        return Disparity(name, measure.name, Estimate.undefined(own_correlations), left_out=left)
    extreme = least_ratio(strict, shown) if ratio else largest_gap(strict, shown, own_correlations)
    return _disparity(name, measure, labels, extreme, shown, quantile, left)


def equalised_odds_of(g: SubgroupSet) -> Disparity:
    """Return the larger of the largest gaps in recall and false positive rate; the lower ends of both hold together.

    Each rate is compared in all groups that have it, so the gap is never below that of recall. Positives and negatives
    are different cases, so that the errors of both gaps are independent, unless clusters hold both.
    """
    return larger_of(_of_both_rates(g))


def equalised_odds_ratio_of(g: SubgroupSet) -> Disparity:
    """The smaller of the least ratios of recall and false positive rate; the upper ends of both hold together."""
    return smaller_of(_of_both_rates(g, ratio=True))


def _of_both_rates(g: SubgroupSet, *, ratio: bool = False) -> list[Disparity]:
    """Return the extreme of each rate of equalised odds over the groups that have it; who lacks one is said so."""
    measures = [get(name) for name in EQUALISED]
    disparities = [disparity_of(g, measure, ratio=ratio, families=len(measures)) for measure in measures]
    gone = [{label for label, _ in disparity.left_out} for disparity in disparities]
    return [
        replace(
            disparity,
            left_out=tuple(
                (label, why if label in others else f"{why}: compared in {title(other.name)} only")
                for label, why in disparity.left_out
            ),
        )
        for disparity, other, others in zip(disparities, measures[::-1], gone[::-1], strict=True)
    ]


def smaller_of(ratios: Sequence[Disparity]) -> Disparity:
    """Return the smaller one of the ratios of two measures, as the ratio of equalised odds."""
    unknown = next((ratio for ratio in ratios if not ratio.estimate.has_interval), None)
    if unknown is not None:
        return replace(unknown, name=ODDS_RATIO)
    least = min(ratios, key=lambda ratio: ratio.estimate.value)
    low, surest = min(each.estimate.low for each in ratios), min(ratios, key=lambda each: each.estimate.high)
    high = surest.estimate.high
    left = tuple(dict.fromkeys(pair for ratio in ratios for pair in ratio.left_out))
    estimate = replace(least.estimate, low=low, high=max(high, least.estimate.value))
    return replace(least, name=ODDS_RATIO, estimate=estimate, left_out=left, surest=surest.surest)


def larger_of(gaps: Sequence[Disparity]) -> Disparity:
    """Return the larger one of the gaps of two measures, as the gap of equalised odds."""
    known = [gap for gap in gaps if gap.estimate.has_interval]
    if len(known) < len(gaps):
        return replace(next(gap for gap in gaps if not gap.estimate.has_interval), name=ODDS)
    largest = max(gaps, key=lambda gap: gap.estimate.value)
    of = largest.estimate
    surest, high = max(gaps, key=lambda gap: gap.estimate.low), max(gap.estimate.high for gap in gaps)
    return replace(
        largest,
        name=ODDS,
        estimate=replace(of, low=min(surest.estimate.low, of.value), high=high),
        corrected=max((gap.corrected for gap in gaps if gap.corrected is not None), default=None),
        found_by_power=max(gap.found_by_power or 0.0 for gap in gaps),
        left_out=tuple(dict.fromkeys(pair for gap in gaps for pair in gap.left_out)),
        surest=surest.surest,
    )


def refuse_classes(overall: Assessment) -> None:
    """Refuse several classes, none of which is positive."""
    if not overall.is_binary:
        raise InputError(
            f"Fairness criteria need two classes, but there are {len(overall.labels)}. Assess one class against the "
            "rest, or use disparity('accuracy')."
        )


def is_share(measure: Measure) -> bool:
    """Check whether a measure is a rate: a share of some cases."""
    return measure.parts is not None


def too_few_groups(known: int, groups: int, left: Sequence[tuple[Hashable, str]]) -> str:
    """Return why there is no gap: how many groups can be compared, and why not the others."""
    if groups < 2:
        return "there is one group, and a gap needs two" if groups else "there are no groups"
    reasons = list(dict.fromkeys(_in_short(why) for _, why in left))
    more = "; …" if len(reasons) > MOST_REASONS else ""
    of = "in the other groups " if known else ""
    why = f", because {of}{'; '.join(reasons[:MOST_REASONS])}{more}" if reasons else ""
    comparable = f"only {known} of {groups:,} groups" if known else f"none of {groups:,} groups"
    return f"{comparable} can be compared{why}"


MOST_REASONS = 2


def _in_short(why: str) -> str:
    """Return a reason without the numbers of one group."""
    return (
        f"fewer than {FEW} cases to rate"
        if why.startswith("too few cases: ") and why.endswith(NEEDED)
        else why
    )


def _disparity(
    name: str,
    measure: Measure,
    labels: Sequence[Hashable],
    extreme: Extreme,
    shown: Sequence[Estimate],
    quantile: float,
    left: tuple[tuple[Hashable, str], ...],
) -> Disparity:
    """Return what was found of one measure, with names instead of places."""
    if isnan(extreme.value):
        most = max(each.high for each in shown)
        estimate = Estimate.undefined(
            f"{measure_phrase(measure.name)} is 0 in every group, and at most {most:.3f} in one"
        )
    else:
        how = "MOVER-R" if name == RATIO else "MOVER"
        ends = "upper" if name == RATIO else "lower"
        methods = methods_said(str(each.method) for each in shown)
        method = f"{how} of {methods}" + (f", {ends} end of all pairs" if len(labels) > 2 else "")
        estimate = Estimate(extreme.value, extreme.low, extreme.high, shown[0].level, method)
    is_gap, is_known = name != RATIO, not estimate.is_undefined
    return Disparity(
        name,
        measure.name,
        estimate,
        labels[extreme.top] if is_known else None,
        labels[extreme.bottom] if is_known else None,
        len(labels),
        corrected_gap(extreme, shown) if is_gap else None,
        found_by_power(quantile, shown) if is_gap else None,
        left,
        surest=ClearestPair.among(measure, labels, extreme),
    )


def named_disparity(text: str) -> tuple[str, str, tuple[str, ...]] | None:
    """The kind of disparity, the measure and the columns to hold fixed that a text names, None where it names none.

    >>> named_disparity("disparity(recall, control=age)"), named_disparity("recall")
    (('disparity', 'recall', ('age',)), None)
    """
    written = read_name(text)
    if written is None or written.name not in (GAP, RATIO, *OF_ODDS, *ALIASES):
        return None
    if written.name not in (GAP, RATIO):
        if written.values or written.named or written.brackets:
            raise InputError(f"{text!r} is not valid. {written.name} has no parentheses or brackets.")
        return *ALIASES.get(written.name, (OF_ODDS.get(written.name, ""), "")), ()
    control = tuple(value for key, value in written.named if key == "control")
    if len(written.values) != 1 or len(control) < len(written.named) or written.brackets:
        raise InputError(
            f"{text!r} is not valid. Use one measure, as in {written.name}(recall), and optionally a "
            f"column to keep fixed, as in {written.name}(recall, control=age)."
        )
    return written.name, written.values[0], control


def check_requirement(demand: Requirement, gap: Disparity) -> Outcome:
    """Return a demand of a gap or ratio between groups.

    A group that is left out can only widen what is between the others. So it leaves undecided whether a limit is kept,
    and changes nothing where that is exceeded already; the reverse where a gap is demanded.
    """
    judged = outcome(demand, gap.estimate)
    meaning = SIGNED_ELSEWHERE.get(demand.name, "")
    if not gap.left_out:
        return replace(judged, note=meaning) if meaning else judged
    is_limit = (demand.operator in ("<", "<=")) != (gap.name in RATIOS)
    is_open = judged.verdict is (Verdict.PASS if is_limit else Verdict.FAIL)
    note = f"{meaning}{'; ' if meaning else ''}not compared: {with_reasons(gap.left_out)}"
    if is_open:
        note += ", which may be further apart: pool small groups (pool=, --pool), or leave their rows out"
    return replace(
        judged, verdict=Verdict.UNDECIDED if is_open else judged.verdict, note=note, left_out=gap.left_out
    )


def range_of_demand(name: str) -> tuple[float, float]:
    """Return the range of what a requirement names: a measure, or a disparity of one between groups."""
    named = named_disparity(name)
    if named is None:
        return range_of(name)
    kind, measure, _ = named
    return 0.0, possible_width(measure) if kind == GAP else 1.0


def left_out_said(gaps: Iterable[tuple[str, Disparity]]) -> str:
    """Return the groups that are not compared, in a sentence, by the titles of criteria; empty where there are none."""
    titles: dict[str, list[str]] = {}
    for name, gap in gaps:
        if gap.left_out:
            titles.setdefault(with_reasons(gap.left_out), []).append(name)
    groups = "; ".join(f"in {titles_in_text(names)} {named}" for named, names in titles.items())
    return f"Not compared: {groups}." if groups else ""


def with_reasons(left: Iterable[tuple[Hashable, str]]) -> str:
    """Groups that are not compared, by their reasons."""
    by_reason: dict[str, dict[str, None]] = {}
    for label, why in left:
        by_reason.setdefault(_in_short(why), {})[quote(label)] = None
    return listed([f"{some([*names])} ({why})" for why, names in by_reason.items()])
