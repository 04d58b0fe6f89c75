"""The verdict of an improvement: why the learner errs and what helps, in sentences that quote their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING

from classay.comparison.wording import ahead
from classay.improving.extrapolation import Extrapolation
from classay.improving.remedies.causes import TITLES, Cause, gained, untried
from classay.improving.remedies.evidence import LOSS, Evidence, most
from classay.inference.estimate import Estimate, number, said
from classay.resampling.baseline import BASELINE

if TYPE_CHECKING:
    from classay.improving.learning_curve import LearningCurve


def verdict_of(
    found: Evidence, causes: Sequence[Cause], hard_rows: int, leaks: Sequence[str] = ()
) -> tuple[str, ...]:
    """What the data show, and nothing that they do not; `hard_rows` are the cases whose labels are suspect.

    Leaks lead: while the test knows what it should not, no error rate says why the learner errs.
    """
    if leaks:
        lead = "What looks like a leak comes first, and no cause is named before it is settled:"
        return (*(f"{lead} {each}" for each in leaks), _errors(found))
    return (
        _errors(found),
        *(f"{each.title.capitalize()} is shown. {' '.join(each.evidence)}" for each in causes),
        *(() if causes else _nothing(found)),
        *_unexplained(found, causes),
        *_more_cases(found.curve),
        *_rows(hard_rows),
    )


def _errors(found: Evidence) -> str:
    return (
        f"{found.learner} errs in {said(found.loss)} of new cases and in {number(found.training)} of those it was "
        f"fitted to; the {BASELINE}, which always says the most frequent class, in {number(found.baseline)}."
        f"{_beside_baseline(found)}"
    )


def _beside_baseline(found: Evidence) -> str:
    """Where the learner is not shown to err less than the baseline: that, in a sentence."""
    if found.loss.value >= found.baseline:
        return f" In error rate {found.learner} is no better than that."
    of_rate = (each for each in found.standing.comparisons if each.measure == LOSS)
    own = next((each for each in of_rate if each.models[0] == found.learner), None)
    if own is None or ahead(own) == found.learner:
        return ""
    if isnan(own.p):
        why = own.reason or "there is no p-value"
        return f" That {found.learner} has the lower error rate cannot be tested: {why}."
    return f" That {found.learner} has the lower error rate is not shown."


def _nothing(found: Evidence) -> Iterator[str]:
    """No cause is shown: how much a remedy may bring nevertheless."""
    if not found.trials:
        yield "No cause is shown, and nothing was tried."
        return
    for each in untried(found):
        yield f"{TITLES[each].capitalize()} is suspected, and no remedy against it was tried."
    possible = [(most(each.comparison), each) for each in found.trials if not each.helps]
    known = [(gain, each) for gain, each in possible if gain != float("inf")]
    names = ", ".join(each.name.replace("_", " ") for each in found.trials)
    tried = "one remedy was tried" if len(found.trials) == 1 else f"{len(found.trials)} remedies were tried"
    yield f"No cause is shown: {tried} ({names})."
    if known and len(known) == len(found.trials):
        gain, most_of = max(known, key=lambda pair: pair[0])
        yield (
            f"No remedy is shown to help; the intervals leave room for a gain of {number(max(gain, 0.0))} at most "
            f"({most_of.name.replace('_', ' ')})."
        )


def _unexplained(found: Evidence, causes: Sequence[Cause]) -> Iterator[str]:
    """Remedies that help, of which no cause tells why."""
    told = " ".join(sentence for each in causes for sentence in each.evidence)
    for each in found.trials:
        if each.helps and gained(each) not in told:
            yield f"{gained(each)} The cause behind it is not shown."


def _more_cases(curve: LearningCurve | None) -> Iterator[str]:
    """What twice the cases would bring, where the curve carries it."""
    beyond = None if curve is None else curve.extrapolation
    if not isinstance(beyond, Extrapolation) or not beyond.change.has_interval:
        return
    change = beyond.change
    lead = f"Twice the cases, {beyond.size:,} for training,"
    if change.high < 0:
        less = Estimate(-change.value, -change.high, -change.low, change.level, change.method)
        yield f"{lead} would lower the error rate by {said(less)}, extrapolated by a power law."
    else:
        yield f"{lead} are not shown to help: by a power law the error rate would {_either_way(change)}."


def _either_way(change: Estimate) -> str:
    """By how much a rate may fall or rise, by the limits of its change."""
    fall, rise = f"{max(-change.low, 0.0):.3f}", f"{max(change.high, 0.0):.3f}"
    if float(rise) == 0:
        return f"fall by {fall} at most"
    return f"fall by {fall} at most, or rise by up to {rise}" if float(fall) else f"rise by up to {rise}"


def _rows(hard_rows: int) -> Iterator[str]:
    if hard_rows:
        yield f"All models predict {hard_rows:,} cases wrongly in most folds: look at the labels of these first."
