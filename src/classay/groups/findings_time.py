"""Findings over time: change points, trends, unusual periods and drift that are shown, or that nothing was detected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isnan

from classay.assessment.finding import Finding
from classay.groups.change_points import LargestContrast
from classay.groups.column_warnings import findings_on_columns
from classay.groups.drift import periods_that_differ
from classay.groups.trends import Trends
from classay.inference.estimate import Estimate, number, p_equation
from classay.inference.phrasing import adjusted_for, difference_text, short_title, sized, value_text
from classay.inference.plain import plain_estimate
from classay.texts import listed

MIN_CHANGE = 0.02
"""Change of a measure below which a finding over time never leads."""
MAX_CHANGES = 2
"""Changes that lead."""


def findings_on_trends(t: Trends) -> Iterator[Finding]:
    """Yield what changed over the periods; accuracy at a threshold that nobody chose never leads."""
    alpha = 1 - t.level
    names = [name for name in t.changes if t.is_threshold_chosen or name != "accuracy"]
    trending = [name for name in names if t.p_adjusted.get(name, 1) < alpha]
    broken = [
        name
        for name in names
        if t.p_of_breaks.get(name, 1) < alpha
        and (name not in trending or t.is_step(name))
        and not _is_of_one_period(t, name)
    ]
    changes = [
        _change_point(t, name) if name in broken else _trend(t, name)
        for name in names
        if name in broken or name in trending
    ]
    large = [change for change in changes if change.may_lead]
    for k, change in enumerate(sorted(large, key=lambda change: change.rank)):
        yield _placed(change, 0.5 + k / 10, may_lead=k < MAX_CHANGES)
    for k, change in enumerate(change for change in changes if not change.may_lead):
        yield _placed(change, 10 + k / 10, may_lead=False)
    yield from findings_on_columns(t.warnings, t.shards)
    for sentence in t.alphabetical():
        yield Finding("alphabetical_order", "B", 12, sentence, may_lead=False)
    odd = [name for name, p in t.p_of_extremes.items() if p < alpha and name in names]
    if not large and odd:
        yield _unusual(t, odd[0])
    drifted = [*_drift(t, alpha, is_alone=bool(large))]
    yield from (finding for finding in drifted if not finding.is_neutral or large)
    if not large and not odd:
        yield from _nothing(t, names, is_steady=bool(drifted) and all(each.is_neutral for each in drifted))


def _is_of_one_period(t: Trends, name: str) -> bool:
    """Check whether one period beside the break differs from all others more clearly than the two sides do."""
    jump, extreme = t.breaks[name], t.extremes.get(name)
    if extreme is None or extreme.at not in (jump.at, jump.last):
        return False
    return abs(extreme.statistic) > abs(jump.statistic)


def _placed(finding: Finding, rank: float, *, may_lead: bool) -> Finding:
    return replace(finding, rank=rank, may_lead=may_lead, tier="main" if may_lead else "B")


def _cases(t: Trends) -> float:
    return sum(t.cases)


def _start(name: str) -> str:
    text = short_title(name)
    return f"{text[:1].upper()}{text[1:]}"


def _family(p: Mapping[str, float]) -> int:
    return sum(not isnan(p_value) for p_value in p.values())


def _change_point(t: Trends, name: str) -> Finding:
    """From when on a measure is higher or lower than before."""
    jump: LargestContrast = t.breaks[name]
    p = t.p_of_breaks
    size, ends = difference_text(jump.difference, name, _cases(t))
    before, after = (value_text(value, name, _cases(t)) for value in (jump.before, jump.after))
    return Finding(
        f"change_point_{name}",
        "main",
        0.5,
        f"{_start(name)} {'rose' if jump.after > jump.before else 'fell'} from {before} (before {jump.at}) to {after} "
        f"(from {jump.at}): a change of {size} ({ends}; {p_equation(p[name])}{adjusted_for(_family(p), 'measures')}).",
        {name: plain_estimate(jump.difference), "from": str(jump.at), "p_adjusted": p[name]},
        f"Inspect the data of {jump.at}.",
        may_lead=abs(jump.difference.value) >= MIN_CHANGE,
    )


def _trend(t: Trends, name: str) -> Finding:
    """By how much a measure rises or falls from one period to the next."""
    change = t.changes[name]
    first, last = t.ends(name)
    size, ends = difference_text(sized(change), name, _cases(t))
    total = abs(t.change_in_all(name))
    in_all, _ = difference_text(Estimate.bare(total, ""), name, _cases(t))
    course = f", by {in_all} in all from {t.shards[first]} to {t.shards[last]}"
    if is_shown := t.are_ends_shown(name):
        start, end = (value_text(t.values[name][k].value, name, _cases(t)) for k in (first, last))
        course = f". It was {start} in {t.shards[first]} and {end} in {t.shards[last]}"
    return Finding(
        f"trend_{name}",
        "main",
        0.5,
        f"{_start(name)} {'rose' if change.value > 0 else 'fell'} by {size} per {t.step_name} ({ends}; "
        f"{p_equation(t.p_adjusted[name])}{adjusted_for(t.family, 'measures')}){course}.",
        {name: plain_estimate(change), "p_adjusted": t.p_adjusted[name]},
        f"Compare the data of {t.shards[last]} with those of {t.shards[first]}." if is_shown else "",
        may_lead=total >= MIN_CHANGE,
    )


def _unusual(t: Trends, name: str) -> Finding:
    """Return the period that differs most from the others."""
    extreme, p = t.extremes[name], t.p_of_extremes
    size, ends = difference_text(extreme.difference, name, _cases(t))
    value, others = (value_text(one, name, _cases(t)) for one in (extreme.after, extreme.before))
    return Finding(
        "unusual_period",
        "main",
        0.5,
        f"{_start(name)} was {value} in {extreme.at}, compared with {others} in the other {t.period}s: a difference of "
        f"{size} ({ends}; {p_equation(p[name])}{adjusted_for(_family(p), 'measures')}).",
        {name: plain_estimate(extreme.difference), "period": str(extreme.at), "p_adjusted": p[name]},
        f"Inspect the data of {extreme.at}.",
    )


def _drift(t: Trends, alpha: float, *, is_alone: bool) -> Iterator[Finding]:
    """In which periods scores or classes are distributed otherwise than in all others, or that none was detected."""
    if t.drift is None:
        return
    for name, adjusted in t.drift.p_adjusted.items():
        known = [k for k, p in enumerate(adjusted) if not isnan(p)]
        if not known:
            continue
        k = min(known, key=lambda k: (adjusted[k], -t.drift.psi[name][k]))  # type: ignore[union-attr]
        alarms = sum(adjusted[index] < alpha for index in known)
        if not alarms:
            yield Finding(
                f"no_drift_{name.replace(' ', '_')}",
                "main",
                0.7,
                f"No drift of the {name} was detected.",
                {"smallest_p_adjusted": adjusted[k]},
                is_neutral=True,
            )
            continue
        yield Finding(
            f"drift_{name.replace(' ', '_')}",
            "main",
            0.7 if is_alone else 1.6,
            f"{periods_that_differ(name, t.period, alarms, len(known), t.drift.periods[k])} "
            f"(PSI {number(t.drift.psi[name][k])}; {p_equation(adjusted[k])}, adjusted for {len(known)} {t.period}s).",
            {"period": str(t.drift.periods[k]), "p_adjusted": adjusted[k], "periods": alarms},
            f"Inspect the data of {t.drift.periods[k]}.",
        )


def _nothing(t: Trends, names: list[str], *, is_steady: bool) -> Iterator[Finding]:
    """Yield that no change was detected, and which trend of the first measure remains compatible with the data."""
    name = next((each for each in names if t.changes[each].has_interval), None)
    if name is None:
        return
    change = t.changes[name]
    size, ends = difference_text(change, name, _cases(t))
    also = [
        *(
            [
                f"no difference between earlier and later {t.period}s",
                f"no difference of one {t.period} from the others",
            ]
            if _family(t.p_of_breaks)
            else []
        ),
        *([f"no drift of the {listed([*t.drift.psi])}"] if is_steady and t.drift else []),
    ]
    if not change.low <= 0 <= change.high:  # an interval of this measure, beside a p-value of all
        ends += f"; {p_equation(t.p_adjusted[name])}{adjusted_for(t.family, 'measures')}"
    tested = sum(not isnan(p) for p in t.p_adjusted.values())
    lead = f"no trend ({short_title(name)} {size} per {t.step_name}, {ends})"
    where = f" in any of {tested} measures" if tested > 1 else ""
    what, code, rank = "change over time", "no_change_over_time", 1.5
    if t.period == "group":
        what, code, rank = "trend over the groups", "no_trend_over_groups", 1.9
        where, lead = "", f"{short_title(name)} changes by {size} per {t.step_name} ({ends})"
    yield Finding(
        code,
        "main",
        rank,
        f"No {what} was detected{where}: {listed([lead, *also])}.",
        {name: plain_estimate(change), "p_adjusted": t.p_adjusted.get(name)},
    )
