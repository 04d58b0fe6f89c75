"""Every finding of two classes said where its rule holds and nowhere else, with the numbers of the assessment."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import hypergeom

import classay as ca
from classay.assessment.findings_calibration import findings_on_calibration
from classay.assessment.findings_labels import findings_on_labels
from classay.assessment.findings_scores import (
    cases_of_smaller_class,
    few_cases_text,
    findings_on_ranking,
    findings_on_width,
    is_smaller_positive,
    more_cases,
    rounded,
)
from classay.assessment.headline import findings
from classay.inference.estimate import p_equation
from classay.inference.phrasing import fixed, number_with_interval, percent, value_with_interval


def rows(seed, n=300, share=0.4, signal=1.5, slope=1.0, shift=0.0):
    """Probabilities of so much signal, moved by a slope and a shift on the logit scale."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) < share * n
    z = signal * (y - 0.5) + 1.2 * rng.normal(size=n) + np.log(share / (1 - share))
    return y, expit(slope * z + shift)


SETS = {
    "strong": (1, {}),
    "chance": (2, {"signal": 0.0}),
    "turned": (3, {"signal": -1.5}),
    "rare": (4, {"share": 0.08, "n": 600, "signal": 2.5}),
    "few positives": (5, {"share": 0.25, "n": 60}),
    "few negatives": (6, {"share": 0.8, "n": 60}),
    "five": (7, {"share": 0.1, "n": 50, "signal": 3.0}),
    "even and few": (8, {"share": 0.5, "n": 20}),
    "too low": (9, {"shift": -1.5}),
    "too high": (10, {"shift": 1.5}),
    "extreme": (11, {"slope": 3.0}),
    "moderate": (12, {"slope": 0.4}),
    "too high and extreme": (13, {"slope": 2.5, "shift": 1.5}),
    "too low and moderate": (14, {"slope": 0.4, "shift": -2.0}),
    "slightly extreme": (15, {"slope": 1.15, "n": 4000}),
    "slightly low": (16, {"shift": -0.2, "n": 4000}),
    "as they are": (17, {"n": 4000, "slope": 0.8}),
}
COLUMNS = {
    "alike": lambda n: {},
    "weights": lambda n: {"weight": 1 + np.arange(n) % 3 / 2},
    "clusters": lambda n: {"cluster": np.arange(n) // 2},
    "frequency": lambda n: {"frequency": 1 + np.arange(n) % 2},
}


def said(found):
    return {one.code: one for one in found}


def is_off(estimate):
    return excludes(estimate, 1) and not 0.8 <= estimate.value <= 1.25


def excludes(estimate, value):
    return estimate.has_interval and not estimate.low <= value <= estimate.high


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("name", SETS)
def test_findings_on_scores_are_those_that_their_intervals_allow(name, columns):
    seed, how = SETS[name]
    y, p = rows(seed, **how)
    a = ca.assess(y, p, **COLUMNS[columns](y.size))
    _ranking(a, y)
    _calibration(a)
    _default_threshold(a)
    _width(a)


def _ranking(a, y):
    found, auc = said(findings_on_ranking(a)), a["roc_auc"]
    weight = {"weights": 1 + np.arange(y.size) % 3 / 2, "frequency": 1 + np.arange(y.size) % 2}
    kind = "weights" if a.kind_of_weight == "sampling" else "frequency" if a.n != y.size else ""
    w = weight.get(kind, np.ones(y.size))
    of_class = [
        w[y == c].sum() ** 2 / (w[y == c] ** 2).sum() if kind == "weights" else w[y == c].sum()
        for c in (0, 1)
    ]
    smaller = min(of_class)
    assert cases_of_smaller_class(a) == pytest.approx(smaller)
    assert is_smaller_positive(a) == (2 * w[y].sum() <= w.sum())
    few = few_cases_text(a)
    which = "positive" if is_smaller_positive(a) else "negative"
    verb = "is" if smaller == 1 else "are"
    only = "Only " if 2 * smaller < a.n else ""
    wanted = f"{only}{smaller:,.0f} of {a.n:,} cases {verb} {which}"
    if kind == "weights":
        wanted = f"The {which} class has an effective sample size of only {smaller:.0f}"
    assert few == ("" if smaller >= 30 else wanted)
    text = value_with_interval(auc, "roc_auc", a.n)
    if few:
        assert [*found] == ["tiny_class"]
        end = f": ROC AUC is {text}{', too uncertain to compare with chance' if auc.low <= 0.5 <= auc.high else ''}."
        end = end if auc.has_interval else ", too few for an interval of ROC AUC."
        one = found["tiny_class"]
        assert one.sentence == f"{few}{end}"
        assert one.next_step == more_cases(a, auc, "ROC AUC")
        assert one.evidence["cases"] == pytest.approx(smaller)
        return
    if auc.low <= 0.5 <= auc.high:
        assert [*found] == ["no_ranking_detected"]
        assert (
            found["no_ranking_detected"].sentence
            == f"No ranking better than chance was detected: ROC AUC is {text}."
        )
        return
    assert [*found] == ["roc_auc"]
    share = w[y].sum() / w.sum()
    precise = ""
    if share < 0.1:
        precise = (
            f" and average precision is {value_with_interval(a['average_precision'], 'average_precision', a.n)}, "
            f"compared with a prevalence of {share:.3f}"
        )
    assert found["roc_auc"].sentence == f"ROC AUC is {text}{precise}."
    assert ("average_precision" in found["roc_auc"].evidence) == (share < 0.1)
    assert found["roc_auc"].rank == 1


class Calibration:
    """What the intervals of ratio and slope, and their joint test, allow to say."""

    def __init__(self, a):
        self.ratio, self.slope = a["observed_expected_ratio"], a["calibration_slope"]
        tests = [one.p_value for one in a.tests() if one.name == "cox_recalibration"]
        self.joint = None if a.drawn in ("clustered", "weighted") or not tests else tests[0]
        strict = a.changed(level=0.975)
        names = ("observed_expected_ratio", "calibration_slope")
        self.rejected = any(excludes(strict[name], 1) for name in names)
        if self.joint is not None:
            self.rejected = self.joint < 0.05
        self.off, self.bent = self.rejected and is_off(self.ratio), self.rejected and is_off(self.slope)
        self.few = cases_of_smaller_class(a) < 10
        self.word = "too extreme" if self.slope.value < 1 else "too moderate"
        self.gloss = f"{'over' if self.slope.value < 1 else 'under'}confident: "
        self.gloss += number_with_interval(self.slope, 2, 1.0, before="calibration slope")
        self.in_ratio = number_with_interval(self.ratio, 2, 1.0, before="observed/expected ratio")
        self.in_slope = number_with_interval(self.slope, 2, 1.0, before="slope")
        self.bare_ratio = number_with_interval(self.ratio, 2, 1.0)

    @property
    def of_ratio(self):
        side = "too low" if self.ratio.value > 1 else "too high"
        side += f", and they are {self.word}" if self.bent else ""
        inside = number_with_interval(self.ratio, 2, 1.0, before="observed/expected positives")
        inside += f"; {self.in_slope}" if self.bent else ""
        return f"On average, predicted probabilities are {side} ({inside})."

    @property
    def of_slope(self):
        overall = f". The observed/expected ratio is {self.bare_ratio}"
        if not excludes(self.ratio, 1):
            overall = f". No overall over- or underestimation was detected ({self.in_ratio})"
        return f"Predicted probabilities are {self.word} ({self.gloss}){overall}."

    @property
    def of_neither(self):
        inside = [self.in_ratio, self.in_slope] if excludes(self.slope, 1) else [self.in_ratio]
        if not self.rejected and (excludes(self.ratio, 1) or excludes(self.slope, 1)):
            test = f"the joint test of intercept and slope ({p_equation(self.joint or 0)}; "
            by = "ratio and slope together (" if self.joint is None else test
            return f"No miscalibration was detected by {by}{'; '.join(inside)})."
        if excludes(self.ratio, 1):
            return f"The observed/expected ratio is {self.bare_ratio}."
        if excludes(self.slope, 1):
            return (
                f"Predicted probabilities are slightly {self.word} ({self.gloss}). No overall over- or underestimation "
                f"was detected ({self.in_ratio})."
            )
        return f"No miscalibration was detected ({self.in_ratio})."


def _calibration(a):
    found, c = said(findings_on_calibration(a)), Calibration(a)
    assert ("overall_miscalibration" in found, "calibration_slope_off" in found) == (
        c.off,
        c.bent and not c.off,
    )
    if c.off or c.bent:
        code = "overall_miscalibration" if c.off else "calibration_slope_off"
        assert found[code].sentence == (c.of_ratio if c.off else c.of_slope)
        what = "intercept and slope" if c.bent else "the probabilities"
        step = f"The observed/expected ratio is {fixed(c.ratio.value, 2, 1.0)}: recalibrate {what}."
        step = step if c.off else f"The slope is {fixed(c.slope.value, 2, 1.0)}: recalibrate."
        assert found[code].next_step.startswith("" if c.few else step)
        assert {"calibration", "calibration_shape"}.isdisjoint(found)
    elif "calibration_shape" in found:
        assert a["brier_miscalibration"].low > 0.1 * a["brier_score"].value
        assert "calibration" not in found
    elif not c.few:
        one = found["calibration"]
        assert (one.sentence, one.is_neutral) == (c.of_neither, True)
        assert one.evidence.get("joint_p") == c.joint
    _below_prevalence(a, found, c)
    assert all(one.may_lead != c.few for one in found.values())


def _below_prevalence(a, found, c):
    skill = a["log_loss_skill"]
    worse = skill.has_interval and skill.high < 0
    assert ("below_prevalence" in found) == worse
    if worse:
        one = found["below_prevalence"]
        inside = number_with_interval(skill, 2, 0.0, before="log-loss skill")
        assert (
            one.sentence
            == f"As probabilities, the scores are worse than predicting only the prevalence ({inside})."
        )
        assert (one.next_step == "") == (c.off or c.bent or c.few)


def _default_threshold(a):
    found = said(findings_on_labels(a))
    called = a.confusion_matrix.counts[1].sum()
    total = a.confusion_matrix.counts.sum()
    share, expected = called / total, a["prevalence"].value
    if called in (0, total):
        score = a.scores.scores.max() if called == 0 else a.scores.scores.min()
        which, end = ("no", "highest") if called == 0 else ("every", "lowest")
        wanted = f"At the default threshold 0.5, {which} case is predicted positive; the {end} score is {score:.3g}."
        assert found["never_predicted"].sentence == wanted
        assert "default_threshold" not in found
        return
    one = found["default_threshold"]
    per_unit = a.rows / a.weight_of_cases if a.kind_of_weight == "sampling" else 1
    enough = min(called, *(float(of) for of in a.class_totals)) * per_unit >= 10
    plausible = expected / 2 <= share <= 2 * expected
    recall, precision = a["recall"], a["precision"]
    if plausible and enough and recall.has_interval:
        wanted = f"At the default threshold 0.5, recall is {value_with_interval(recall, 'recall', a.n)}"
        if precision.has_interval:
            wanted += f" and precision is {value_with_interval(precision, 'precision', a.n)}"
        assert (one.sentence, one.tier) == (f"{wanted}.", "B")
    else:
        assert (one.sentence, one.tier) == ("", "C")
    assert (one.next_step == "") == (cases_of_smaller_class(a) < 10)
    assert one.evidence["predicted_positive"] == called
    assert one.evidence["cases"] == total


def _width(a):
    auc = a["roc_auc"]
    wide = auc.has_interval and (auc.high - auc.low) / 2 > 0.05
    found = said(findings_on_width(a, "roc_auc"))
    assert [*found] == (["wide_interval"] if wide else [])
    assert [*findings_on_width(a, None)] == []
    if wide:
        one = found["wide_interval"]
        assert one.sentence == "The 95% CI of ROC AUC is wider than 0.1."
        assert one.may_lead is False
        units = "clusters" if a.clusters is not None else "cases"
        n = len(a.clusters) if a.clusters is not None else a.n
        times = 2 if auc.value in (0, 1) else 4
        assert one.next_step.startswith(
            f"Collect more {units}. About {rounded(times * n):,} {units} in total would halve the 95% CI of ROC AUC"
        )
    accuracy = a["accuracy"]
    wide = accuracy.has_interval and (accuracy.high - accuracy.low) / 2 > 0.05
    text = [one.sentence for one in findings_on_width(a, "accuracy")]
    assert text == (["The 95% CI of accuracy is wider than 10 percentage points."] if wide else [])


@pytest.mark.parametrize("how", ["wrong", "drop"])
@pytest.mark.parametrize(
    ("missing", "of_positives"),
    [(0, 0), (1, 1), (14, 7), (15, 6), (14, 0), (14, 14), (40, 16), (40, 35), (90, 36), (150, 119)],
)
def test_missing_predictions_are_told_where_they_are_many_or_of_one_class(how, missing, of_positives):
    """Fisher's exact test, one-sided, of each class against the other, by Bonferroni for both."""
    y, p = rows(21, n=300, share=0.4)
    rng = np.random.default_rng(missing)
    gone = np.concatenate(
        [
            rng.choice(np.flatnonzero(y), of_positives, False),
            rng.choice(np.flatnonzero(~y), missing - of_positives, False),
        ]
    ).astype(int)
    p[gone] = np.nan
    a = ca.assess(y, p, unanswered=how)
    found = said(findings(a)).get("missing_predictions")
    first = f"{missing} of 300 cases ({percent(missing / 300, 300)}) have no prediction"
    if how == "drop":
        assert (found is not None) == (missing >= 15)
        if found is not None:
            assert found.sentence == f"{first} and are excluded."
            assert found.evidence == {"missing": missing, "cases": 300}
        return
    tails = {
        True: hypergeom.sf(of_positives - 1, 300, missing, 120),
        False: hypergeom.sf(missing - of_positives - 1, 300, missing, 180),
    }
    most = min(tails, key=tails.get)
    differs = missing > 0 and 2 * tails[most] < 0.01
    clause = ""
    if differs:
        here, there = of_positives / 120, (missing - of_positives) / 180
        one, other = (
            (percent(here, 120), percent(there, 180)) if most else (percent(there, 180), percent(here, 120))
        )
        clause = f", more often for class {most} ({one} versus {other})"
    auc, kept = a["roc_auc"], (1 - of_positives / 120) * (1 - (missing - of_positives) / 180)
    answered = min(auc.value / kept, 1.0)
    moved = missing > 0 and not auc.low <= answered <= auc.high
    assert (found is not None) == (missing >= 15 or differs or moved)
    if found is None:
        return
    assert found.sentence == f"{first} and count as incorrect{clause}."
    assert found.evidence["missing_by_class"] == [missing - of_positives, of_positives]
    assert ("roc_auc_of_answered" in found.evidence) == moved
    sentence = said(findings_on_ranking(a))["roc_auc"].sentence
    text = f"ROC AUC is {value_with_interval(auc, 'roc_auc', 300)}"
    text += f", compared with {fixed(answered, 3, 0.0, 1.0)} for the cases with a prediction" if moved else ""
    assert sentence == f"{text}."
