"""Findings on probabilities: too high or too low, too extreme or too moderate, or worse than the prevalence alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.finding import CALIBRATION, Finding
from classay.assessment.findings_scores import MIN_CASES_TO_LEAD, cases_of_smaller_class, evidence_of
from classay.assessment.further_tests import ChiSquaredTest, cox_test
from classay.errors import InputError
from classay.inference.estimate import Estimate, p_equation
from classay.inference.phrasing import fixed, number_with_interval
from classay.measures.recalibration import doubtful

ALLOWED_RATIO = (0.8, 1.25)
"""Observed/expected ratios, and slopes, between which a deviation is too small to be named."""
SHARE_OF_BRIER = 0.1
"""Share of the Brier score that miscalibration must surely exceed where ratio and slope say nothing."""
MIN_CASES_FOR_ISOTONIC = 1_000
RATIO, SLOPE = "observed_expected_ratio", "calibration_slope"
ABOUT = frozenset([CALIBRATION])


def is_off(ratio: Estimate) -> bool:
    """Check whether a ratio or slope is shown to differ from 1, and by enough to matter."""
    low, high = ALLOWED_RATIO
    return excludes_one(ratio) and not low <= ratio.value <= high


def excludes_one(estimate: Estimate) -> bool:
    """Check whether the interval of an estimate excludes 1."""
    return estimate.has_interval and not estimate.low <= 1 <= estimate.high


def findings_on_calibration(a: Assessment) -> Iterator[Finding]:
    """Yield what probabilities of two classes, or of several, are worth as probabilities."""
    if a.class_totals.astype(bool).sum() < 2:
        return
    drafts = [*_of_two_classes(a), *_below_prevalence(a)]
    if a.is_binary and cases_of_smaller_class(a) < MIN_CASES_TO_LEAD:
        drafts = [replace(each, may_lead=False, next_step="") for each in drafts if not each.is_neutral]
    if any(each.code in ("overall_miscalibration", "calibration_slope_off") for each in drafts):
        # one step for all: recalibration
        drafts = [each if each.code != "below_prevalence" else replace(each, next_step="") for each in drafts]
    yield from drafts


def ratio_text(ratio: Estimate) -> str:
    """Return the observed/expected ratio with its interval, as it stands in parentheses."""
    return number_with_interval(ratio, 2, 1.0, before="observed/expected ratio")


def observed_to_expected(ratio: Estimate) -> str:
    """The same ratio where it leads, with its name in words."""
    return number_with_interval(ratio, 2, 1.0, before="observed/expected positives")


def slope_text(slope: Estimate, name: str = "slope") -> str:
    """Return the calibration slope with its interval, as it stands in parentheses."""
    return number_with_interval(slope, 2, 1.0, before=name)


def _slope_word(slope: Estimate) -> str:
    """Return what a calibration slope shows of the predicted probabilities."""
    return "too extreme" if slope.value < 1 else "too moderate"


def _gloss(slope: Estimate) -> str:
    """Return the calibration slope with its interval and what it is also known as, as it stands in parentheses."""
    return f"{'overconfident' if slope.value < 1 else 'underconfident'}: {slope_text(slope, 'calibration slope')}"


def _of_two_classes(a: Assessment) -> Iterator[Finding]:
    if not a.is_binary or a.scores is None or not a.scores.are_probabilities or a.scores.scores.size < 3:
        return
    ratio, slope = a[RATIO], a[SLOPE]
    evidence = evidence_of(a, RATIO, SLOPE)
    test = joint_test(a)
    shown = [is_off(each) for each in (ratio, slope)] if _is_rejected(a, test) else [False, False]
    is_ratio_off, is_slope_off = shown
    if test is not None:
        evidence["joint_p"] = test.p_value
    how = _slope_word(slope)
    if is_ratio_off:
        side = "too low" if ratio.value > 1 else "too high"
        both = f"{side}, and they are {how}" if is_slope_off else side
        inside = "; ".join([observed_to_expected(ratio), *([slope_text(slope)] if is_slope_off else [])])
        yield Finding(
            "overall_miscalibration",
            "B",
            1,
            f"On average, predicted probabilities are {both} ({inside}).",
            evidence,
            f"The observed/expected ratio is {fixed(ratio.value, 2, 1.0)}: recalibrate "
            f"{'intercept and slope' if is_slope_off else 'the probabilities'}. Fit the recalibration to cases other "
            "than these. The ranking does not change.",
            ABOUT,
        )
        return
    if is_slope_off:
        overall = ""
        if ratio.has_interval:
            overall = f". The observed/expected ratio is {number_with_interval(ratio, 2, 1.0)}"
        if ratio.has_interval and not excludes_one(ratio):
            overall = f". No overall over- or underestimation was detected ({ratio_text(ratio)})"
        yield Finding(
            "calibration_slope_off",
            "B",
            3,
            f"Predicted probabilities are {how} ({_gloss(slope)}){overall}.",
            evidence,
            f"The slope is {fixed(slope.value, 2, 1.0)}: recalibrate. Fit the recalibration to cases other than "
            "these. The ranking does not change.",
            ABOUT,
        )
        return
    shape = _shape(a)
    if shape is not None:
        yield shape
    elif ratio.has_interval:
        yield _neutral(a, test, evidence)


def joint_test(a: Assessment) -> ChiSquaredTest | None:
    """The test of calibration intercept 0 and slope 1 together, where it is of all cases, and these are alike."""
    if a.scores is None or a.drawn in ("clustered", "weighted") or doubtful(a.scores) is not a.scores:
        return None
    test = cox_test(a.scores)
    return None if test.p_value is None else test


def _is_rejected(a: Assessment, test: ChiSquaredTest | None) -> bool:
    """Whether perfect calibration is rejected by one test, so that two intervals do not err twice as often as one.

    Where intercept and slope have no joint test, one of the two intervals must exclude 1 at half the error (Holm).
    """
    if test is not None and test.p_value is not None:
        return test.p_value < 1 - a.level
    strict = a.changed(level=1 - (1 - a.level) / 2)
    return any(excludes_one(strict[name]) for name in (RATIO, SLOPE))


def _neutral(a: Assessment, test: ChiSquaredTest | None, evidence: dict[str, object]) -> Finding:
    """Return that no miscalibration was detected, or only one too small to be named."""
    ratio, slope = a[RATIO], a[SLOPE]
    is_rejected = _is_rejected(a, test)
    sentence = f"No miscalibration was detected ({ratio_text(ratio)})."
    if not is_rejected and (excludes_one(ratio) or excludes_one(slope)):
        inside = "; ".join([ratio_text(ratio), *([slope_text(slope)] if excludes_one(slope) else [])])
        sentence = f"No miscalibration was detected after adjustment for 2 tests (unadjusted {inside})."
        if test is not None and test.p_value is not None:
            joint = "the joint test of intercept and slope"
            sentence = f"No miscalibration was detected by {joint} ({p_equation(test.p_value)}; separately, {inside})."
    elif excludes_one(ratio):
        sentence = f"The observed/expected ratio is {number_with_interval(ratio, 2, 1.0)}."
    elif excludes_one(slope):
        sentence = (
            f"Predicted probabilities are slightly {_slope_word(slope)} ({_gloss(slope)}). No "
            f"overall over- or underestimation was detected ({ratio_text(ratio)})."
        )
    return Finding("calibration", "B", 10.5, sentence, evidence, "", ABOUT, is_neutral=True)


def _shape(a: Assessment) -> Finding | None:
    """Probabilities that are off in places, although neither ratio nor slope says so."""
    off, brier = a["brier_miscalibration"], a["brier_score"]
    if not off.has_interval or brier.is_undefined or not off.low > SHARE_OF_BRIER * brier.value:
        return None
    where = _deviating_range(a)
    between = "" if where is None else f" between {fixed(where[0], 2)} and {fixed(where[1], 2)}"
    step = "Fit an isotonic recalibration on other cases." if a.n >= MIN_CASES_FOR_ISOTONIC else ""
    return Finding(
        "calibration_shape",
        "B",
        4,
        f"Predicted probabilities deviate from outcomes{between} "
        f"({number_with_interval(off, 3, before='Brier miscalibration')}).",
        evidence_of(a, "brier_miscalibration", "brier_score"),
        step,
        ABOUT,
    )


def _deviating_range(a: Assessment) -> tuple[float, float] | None:
    """Return the mean probabilities of the first and the last bin whose observed share surely differs from it."""
    try:
        curve = a.curve("binned_calibration").curves[0]
    except (InputError, AttributeError, IndexError):
        return None
    if curve.low is None or curve.high is None:
        return None
    x, low, high = (np.asarray(each, np.float64) for each in (curve.x, curve.low, curve.high))
    outside = x[(x < low) | (x > high)]
    return (float(outside.min()), float(outside.max())) if outside.size > 1 else None


def _below_prevalence(a: Assessment) -> Iterator[Finding]:
    """Probabilities that are worse than the shares of the classes alone."""
    table = a.scores if a.is_binary else a.cases
    if table is None or not table.are_probabilities:
        return
    brier = "brier_skill" if a.is_binary else "multiclass_brier_skill"
    name, skill = "log_loss_skill", a["log_loss_skill"]
    if not skill.has_interval or not np.isfinite(skill.value):
        name, skill = brier, a[brier]
    if not skill.has_interval:
        return
    what = "the prevalence" if a.is_binary else "the class shares"
    title = "log-loss skill" if name == "log_loss_skill" else "Brier skill"
    if skill.high >= 0:
        if not a.is_binary:  # of two classes O/E and slope say more
            yield _above_shares(
                a, name, number_with_interval(skill, 2, 0.0, before=title), is_shown=skill.low > 0
            )
        return
    yield Finding(
        "below_prevalence",
        "B",
        2,
        f"As probabilities, the scores are worse than predicting only {what} "
        f"({number_with_interval(skill, 2, 0.0, before=title)}).",
        evidence_of(a, name),
        "Recalibrate on other cases before the scores are used as probabilities.",
        ABOUT,
    )


def _above_shares(a: Assessment, name: str, size: str, *, is_shown: bool) -> Finding:
    """Return what the probabilities of several classes are worth, where nothing is wrong with them."""
    text = f"No improvement over predicting only the class shares was detected in the probabilities ({size})."
    if is_shown:
        text = f"As probabilities, the scores are better than predicting only the class shares ({size})."
    return Finding("above_class_shares", "B", 10.5, text, evidence_of(a, name), "", ABOUT, is_neutral=True)
