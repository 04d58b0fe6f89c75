"""Causes and sentences on evidence made by hand: each limit from both sides, and each number as it was given."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from classay.comparison.comparison import BASELINE, Comparison, Multiplicity, UnitsTested
from classay.improving.causes import _either_way, causes_of, gained, told_room, untried, verdict_of
from classay.improving.evidence import (
    AgainstBaseline,
    Contradictions,
    Evidence,
    RarestClass,
    Room,
    Trial,
    errs_on_its_own,
    gain,
    last_fall_of,
    most,
    room_of,
    weight_of,
)
from classay.improving.new_cases import NewCases
from classay.improving.remedies import Remedy
from classay.improving.training_sets import Extrapolation
from classay.inference.estimate import Estimate

NONE = Estimate.bare(0.0, "no interval")


def interval(value, low, high):
    return Estimate(value, low, high, 0.95, "t")


def compared(first, second, effect, p=0.001, measure="error_rate", values=(), adjusted=None, n=None):
    """The first minus the second, with the interval (low, high); a number alone has none."""
    known = effect if isinstance(effect, Estimate) or effect is None else interval(*effect)
    return Comparison(
        (first, second),
        measure,
        known,
        p,
        "t",
        "training sets",
        values,
        sample=UnitsTested(n),
        multiplicity=Multiplicity() if adjusted is None else Multiplicity(adjusted, "Holm", 3),
    )


def remedy(name, against, stage="members"):
    return Remedy(
        name, f"{name.replace('_', ' ').title()} of models", against, "X 2000", lambda context: None, stage
    )


def trial(name, against, gained_, *, helps=True, rate=0.2, stage="members", measure=None, width=0.01):
    """A remedy that is better by so much; shown, or with an interval that includes 0."""
    kind = remedy(name, against, stage)
    sign = 1 if kind.measure == "balanced_accuracy" else -1
    reach = width if helps else gained_ + 0.03
    effect = (sign * gained_, sign * gained_ - reach, sign * gained_ + reach)
    p = 0.001 if helps else 0.4
    return Trial(kind, compared(name, "tree", effect, p, kind.measure, (rate + sign * gained_, rate), p))


def rival(name, lower, high, rate=0.2):
    """A learner of another kind whose error rate is lower by so much, at most by `high`."""
    return compared(name, "best", (-lower, -high, 0.05), 0.3, values=(rate - lower, rate))


def before(*, loss=0.2, bias=0.0, variance=0.0, low=0.0):
    terms = {
        "loss": Estimate.bare(loss, ""),
        "bias": Estimate.bare(bias, ""),
        "variance": interval(variance, low, variance + 0.1),
    }
    scheme = SimpleNamespace(bias="bias", variance="variance")
    return SimpleNamespace(schemes=[scheme], terms=terms, labels=("a", "b"), noise_known=False)


def to_baseline(*, shown=True, high=0.02):
    better = (-0.2, -0.25, -0.15) if shown else (0.0, -high, high)
    balanced = (0.3, 0.25, 0.35) if shown else (0.0, -high, high)
    p = 0.001 if shown else 0.7
    return AgainstBaseline(
        (
            compared("tree", BASELINE, better, p, "error_rate", (0.2, 0.4)),
            compared("tree", BASELINE, balanced, p, "balanced_accuracy", (0.8, 0.5)),
        )
    )


EVEN = RarestClass("b", 0.5, 0.8, 0.8, False)
NEGLECTED = RarestClass("b", 0.1234, 0.4, 0.8, True)


def evidence(**changes):
    known = {
        "learner": "tree",
        "loss": interval(0.2, 0.15, 0.25),
        "training": 0.12,
        "gap": interval(0.08, -0.01, 0.2),
        "before": before(),
        "classes": EVEN,
        "baseline": 0.4,
        "standing": to_baseline(),
        "best": "tree",
    }
    return Evidence(**known | changes)


GAP = {"training": 0.05, "gap": interval(0.15, 0.1, 0.2)}


def names(**changes):
    return [cause.name for cause in causes_of(evidence(**changes))]


def with_trials(*trials, advised=None, **changes):
    return {"trials": trials, "advised": trials[0] if advised is None else advised, **changes}


FOREST, BOOSTED = trial("forest", "variance", 0.08), trial("boosted", "bias", 0.08)
SMALL = trial("forest", "variance", 0.0399)


@pytest.mark.parametrize(
    ("changes", "causes"),
    [
        ({}, []),
        (with_trials(FOREST, **GAP), ["variance"]),
        (with_trials(FOREST), []),  # without a gap nothing shows variance
        (with_trials(FOREST, training=0.0, gap=NONE), ["variance"]),  # never wrong on its own
        (with_trials(FOREST, training=0.05, gap=interval(0.15, 0.0, 0.2)), []),
        (with_trials(FOREST, training=0.05, gap=interval(0.15, 1e-6, 0.2)), ["variance"]),
        (with_trials(FOREST, training=0.05, gap=NONE), []),
        (with_trials(trial("forest", "variance", 0.04), **GAP), ["variance"]),  # a fifth of the loss
        (with_trials(SMALL, **GAP), []),
        (with_trials(BOOSTED), ["bias"]),
        (with_trials(BOOSTED, training=0.1), ["bias"]),  # half as often wrong on its own cases
        (with_trials(BOOSTED, training=0.0999), []),
        (with_trials(FOREST, BOOSTED, training=0.1, gap=interval(0.1, 0.05, 0.2)), ["variance"]),
        (with_trials(BOOSTED, FOREST, training=0.1, gap=interval(0.1, 0.05, 0.2)), ["bias"]),
        (with_trials(trial("weights", "imbalance", 0.1), classes=NEGLECTED, advised=BOOSTED), ["imbalance"]),
        (with_trials(trial("weights", "imbalance", 0.1), advised=BOOSTED), []),
        (with_trials(trial("weights", "imbalance", 0.1, helps=False), classes=NEGLECTED, advised=BOOSTED), []),
        (with_trials(trial("calibrated", "miscalibration", 0.02), advised=BOOSTED), ["miscalibration"]),
        (with_trials(trial("calibrated", "miscalibration", 0.0199), advised=BOOSTED), []),
        (with_trials(trial("scaled", "scale", 0.04, stage="columns")), ["scale"]),
        (with_trials(trial("scaled", "scale", 0.0399, stage="columns")), ["scale"]),  # all that is to gain
        (with_trials(trial("scaled", "scale", 0.02, stage="columns"), trial("forest", "variance", 0.04)), ["scale"]),
        (with_trials(trial("scaled", "scale", 0.02, stage="columns"), trial("forest", "variance", 0.042)), []),
        (with_trials(trial("scaled", "scale", 0.019, stage="columns")), []),
    ],
)  # fmt: skip
def test_a_cause_is_named_from_its_limit_on(changes, causes):
    assert names(**changes) == causes


CURVE = SimpleNamespace(sizes=(100, 200), extrapolation="no law")
FALLING = {"curve": CURVE, "falling": interval(0.04, 0.01, 0.07), "last_fall": (100, 0.03), **GAP}


def law(change, low, high, *, holds=True):
    at = interval(0.15, 0.1, 0.2)
    miss = interval(0.0, -0.1, 0.1) if holds else interval(0.2, 0.1, 0.3)
    return Extrapolation(400, at, interval(change, low, high), at, at, miss)


@pytest.mark.parametrize(
    ("changes", "is_named"),
    [
        ({}, True),
        ({"last_fall": (100, 0.0299)}, False),  # 15% of the loss
        ({"last_fall": None}, False),
        ({"falling": interval(0.04, 0.0, 0.07)}, False),
        ({"falling": None}, False),
        ({"curve": None}, False),
        ({"training": 0.12, "gap": interval(0.08, -0.01, 0.2)}, False),
        ({"standing": to_baseline(shown=False)}, False),
        ({"advised": SMALL, "trials": (SMALL,)}, False),
        ({"curve": SimpleNamespace(sizes=(100, 200), extrapolation=law(-0.0201, -0.05, -0.01))}, True),
        ({"curve": SimpleNamespace(sizes=(100, 200), extrapolation=law(-0.0199, -0.05, -0.01))}, False),
        (
            {
                "curve": SimpleNamespace(
                    sizes=(100, 200), extrapolation=law(-0.0199, -0.05, -0.01, holds=False)
                )
            },
            True,
        ),
    ],
)
def test_too_few_cases(changes, is_named):
    found = causes_of(evidence(**FALLING | changes))
    assert ("few_cases" in [cause.name for cause in found]) == is_named
    if is_named:
        (few,) = [cause for cause in found if cause.name == "few_cases"]
        assert few.evidence == (
            "The error rate of tree is 5.0% on training cases and 20.0% on new cases, a gap of 15.0 percentage "
            "points (95% CI 10.0 to 20.0).",
            f"The error rate on new cases is {100 * (0.2 + 0.03):.1f}% with 100 training cases and 20.0% with 200. "
            "Each doubling of the training cases lowers the error rate by 4.0 percentage points (95% CI 1.0 to 7.0). "
            "The error rate still falls at the largest size, so more cases are the remedy.",
        )


def room(largest, rivals=("svm", "boosted_trees"), gained_=0.01, rate=0.2):
    gain_ = Estimate.bare(gained_, "") if largest is None else interval(gained_, gained_ - 0.1, largest)
    return Room("tree", rate, rivals, rivals[0], gain_)


@pytest.mark.parametrize(
    ("changes", "is_named"),
    [
        ({"room": room(0.0999)}, True),  # half of the loss
        ({"room": room(0.1)}, False),
        ({"room": room(None)}, False),
        ({"room": room(0.05, ("svm",))}, False),  # one rival is too few
        ({"room": room(0.05), "loss": interval(0.2, 0.0, 0.3)}, False),
        ({"room": room(0.05), "last_fall": (100, 0.03)}, False),
        ({"room": room(0.05), "last_fall": (100, 0.0299)}, True),
        ({"room": room(0.05), "classes": NEGLECTED}, True),
        (
            {
                "room": room(0.05),
                "classes": NEGLECTED,
                "trials": (trial("weights", "imbalance", 0.1, helps=False),),
            },
            False,
        ),
        (
            {
                "room": room(0.05),
                "classes": NEGLECTED,
                "trials": (trial("weights", "imbalance", 0.04, helps=False),),
            },
            True,
        ),
    ],
)
def test_noise_is_what_rivals_leave(changes, is_named):
    assert ("noise" in names(**changes)) == is_named


@pytest.mark.parametrize(
    ("largest", "number", "is_named"), [(0.0499, 2, True), (0.05, 2, False), (0.0499, 1, False)]
)
def test_noise_is_what_flexible_learners_leave(largest, number, is_named):
    tried = [trial(f"more_{k}", "bias", 0.01, helps=False) for k in range(number)]
    others = tuple(rival(one.name, 0.01, largest - 0.01 * k) for k, one in enumerate(tried))
    found = causes_of(evidence(trials=tuple(tried), to_best=(*others, rival("forest", 0.01, 0.19))))
    assert [cause.name for cause in found] == ["noise"] * is_named
    if is_named:
        assert found[0].evidence == (
            "The error rate of tree is 20.0%. More flexible learners (more 0, more 1) may lower the error rate by at "
            "most 5.0 percentage points, the largest of their confidence limits. The rest is irreducible error or "
            "needs other features.",
        )


@pytest.mark.parametrize(
    ("changes", "is_named"),
    [
        ({}, True),
        ({"standing": to_baseline(shown=False, high=0.0999)}, True),
        ({"standing": to_baseline(shown=False, high=0.1)}, False),
        ({"standing": to_baseline(shown=True)}, False),
        ({"standing": AgainstBaseline(())}, False),
        ({"before": before(bias=0.1)}, False),  # suspected, and nothing was tried
        ({"before": before(bias=0.1), "trials": (trial("boosted", "bias", 0.0, helps=False),)}, True),
    ],
)
def test_nothing_better_than_the_baseline(changes, is_named):
    found = causes_of(evidence(**{"standing": to_baseline(shown=False)} | changes))
    texts = [
        sentence for cause in found for sentence in cause.evidence if "majority-class baseline" in sentence
    ]
    assert bool(texts) == is_named
    if is_named and not changes:
        assert texts == [
            "tree was not found to predict better than the majority-class baseline (error rate 40.0%). The intervals "
            "exclude an error rate lower by more than 2.0 percentage points and a balanced accuracy higher by more "
            "than 2.0 percentage points."
        ]


def test_several_models_that_are_no_better_than_the_baseline():
    one = to_baseline(shown=False).comparisons
    for number, text in (
        (1, "Neither tree nor the remedy tried was found"),
        (2, "Neither tree nor any of 2 remedies was"),
    ):
        more = tuple(replace(c, models=(f"m{k}", BASELINE)) for k in range(number) for c in one)
        (cause,) = causes_of(evidence(standing=AgainstBaseline((*one, *more))))
        assert text in cause.evidence[0]


SHOWS = {"before": before(variance=0.05, low=0.01), "training": 0.1, "gap": interval(0.1, 0.05, 0.2)}


@pytest.mark.parametrize(
    ("changes", "is_named"),
    [
        ({}, True),
        ({"before": before(variance=0.0499, low=0.01)}, False),
        ({"before": before(variance=0.05, low=0.0)}, False),
        ({"gap": interval(0.0999, 0.05, 0.2)}, False),
        ({"standing": to_baseline(shown=False, high=0.3)}, False),
        ({"trials": (trial("boosted", "bias", 0.01),)}, False),
        ({"trials": (trial("boosted", "bias", 0.01, helps=False),)}, True),
        ({"advised": SMALL, "trials": (SMALL,)}, False),
    ],
)
def test_variance_that_shows_itself(changes, is_named):
    assert ("variance" in names(**SHOWS | changes)) == is_named


def drift(p=0.005, moved=(), shares_p=0.5):
    return NewCases(120, interval(0.35, 0.3, 0.4), 0.2, p, moved, shares_p)


LEAD = "The error rate of tree is 35.0% (95% CI 30.0% to 40.0%) on 120 new cases and 20.0% in the folds (p = 0.0050)."


@pytest.mark.parametrize(
    ("new", "sentences"),
    [
        (drift(0.01), None),
        (
            drift(moved=("age", "dose")),
            (LEAD, "Features with a different distribution in the new cases: age and dose."),
        ),
        (
            drift(moved=("age",), shares_p=0.001),
            (LEAD, "Features with a different distribution in the new cases: age."),
        ),
        (drift(shares_p=0.0099), (LEAD, "The class shares differ in the new cases.")),
        (
            drift(shares_p=0.01),
            (
                LEAD,
                "No difference in the features or the class shares was detected. The relation between features and "
                "class may have changed.",
            ),
        ),
    ],
)
def test_drift(new, sentences):
    found = causes_of(evidence(drift=new))
    assert [(cause.name, cause.evidence) for cause in found] == (
        [] if sentences is None else [("drift", sentences)]
    )


def test_features_that_moved_without_more_errors_are_said():
    texts = verdict_of(evidence(drift=drift(0.2, ("age",))), ())
    assert (
        "In the 120 new cases, 'age' has a different distribution. No higher error rate of tree was detected "
        "there: 35.0% (95% CI 30.0% to 40.0%), compared with 20.0% in the folds (p = 0.20)."
    ) in texts
    (two,) = [
        text
        for text in verdict_of(evidence(drift=drift(0.2, ("age", "dose"))), ())
        if "120 new cases" in text
    ]
    assert "'age'" in two
    assert "'dose' have a different distribution. " in two
    assert not [
        text for text in verdict_of(evidence(drift=drift(0.001, ("age",))), ()) if "different dist" in text
    ]


def doubts(n, classes=(("b", 0.2, 0.0004),)):
    return Contradictions("tree", classes, np.arange(n), np.full(n, 0.9))


@pytest.mark.parametrize(("n", "is_named"), [(4, False), (5, True)])
def test_labels_in_doubt(n, is_named):
    found = causes_of(evidence(doubts=doubts(n)))
    assert [cause.name for cause in found] == ["labels"] * is_named
    assert causes_of(evidence(doubts=doubts(n, ()))) == ()
    if is_named:
        assert found[0].evidence == (
            "Of the cases that resemble class b, 20% have another label. Such labels also occur far from the class "
            "boundary, where class overlap cannot explain them (p < 0.001).",
            "Check the labels of these 5 cases (`i.suspects()`). About 0 of the labels are expected to be correct.",
        )
        assert doubts(30).false_alarms == pytest.approx(3)


def test_a_remedy_is_told_with_its_gain():
    (cause,) = causes_of(evidence(**with_trials(FOREST, **GAP)))
    assert cause.title == "high variance (overfitting)"
    assert cause.evidence[1] == (
        "Forest of models lowers the error rate from 20.0% by 8.0 percentage points (95% CI 7.0 to 9.0; adjusted "
        "p = 0.0010)."
    )
    weights = trial("weights", "imbalance", 0.1, rate=0.6)
    (cause,) = causes_of(evidence(trials=(weights,), advised=None, classes=NEGLECTED))
    assert cause.evidence == (
        "Class b has 12.3% of the cases. tree has a recall of 40.0% for this class and an accuracy of 80.0% overall.",
        "Weights of models raises the balanced accuracy from 60.0% by 10.0 percentage points (95% CI 9.0 to 11.0; "
        "adjusted p = 0.0010).",
    )
    (cause,) = causes_of(evidence(**with_trials(BOOSTED)))
    assert cause.evidence[0] == (
        "The error rate of tree is 12.0% on training cases and 20.0% on new cases. Errors on training cases are a "
        "sign of underfitting."
    )
    (cause,) = causes_of(evidence(**with_trials(FOREST, training=0.0, gap=NONE)))
    assert cause.evidence[0] == (
        "tree makes no errors on its training cases in any fold. The error rate on new cases is 20.0% (95% CI 15.0% "
        "to 25.0%)."
    )


def test_the_p_value_and_the_folds_of_a_gain():
    plain = compared("forest", "tree", (-0.08, -0.09, -0.07), 0.002, values=(0.12, 0.2))
    assert gained(Trial(remedy("forest", "variance"), plain)).endswith("; adjusted p = 0.0020).")
    some = compared("forest", "tree", (-0.08, -0.09, -0.07), 0.002, values=(0.12, 0.2), n=5)
    text = gained(Trial(remedy("forest", "variance"), some), 25)
    assert "lowers the error rate in the 5 of 25 folds used from 20.0% by" in text
    assert "folds used" not in gained(Trial(remedy("forest", "variance"), some), 5)
    assert "folds used" not in gained(Trial(remedy("forest", "variance"), some), 0)
    bare = compared("forest", "tree", (-0.08, -0.09, -0.07), 0.002, values=(0.12,))
    assert "error rate by 8.0" in gained(Trial(remedy("forest", "variance"), bare))


def test_two_remedies_are_told_and_the_advised_one_first():
    weaker, third = trial("bagging", "variance", 0.05), trial("pruned", "variance", 0.06)
    shown = causes_of(evidence(trials=(FOREST, weaker, third), advised=weaker, **GAP))[0].evidence
    assert [text.split(" of models")[0] for text in shown[1:]] == ["Bagging", "Forest"]
    shown = causes_of(evidence(trials=(weaker, third, FOREST), advised=FOREST, **GAP))[0].evidence
    assert [text.split(" of models")[0] for text in shown[1:]] == ["Forest", "Pruned"]


def test_a_setting_is_told_with_what_was_chosen():
    tuned = trial("tuned", "variance", 0.08, stage="settings")
    choices = (("tuned", "Chosen: max_depth 3."), ("forest", "Chosen: nothing."))
    shown = causes_of(evidence(trials=(tuned, FOREST), advised=tuned, choices=choices, **GAP))[0].evidence
    assert shown[1].endswith("Chosen: max_depth 3.")
    assert shown[2].endswith("adjusted p = 0.0010).")


def test_an_advised_remedy_that_does_not_help_by_itself():
    simple = trial("pruned", "variance", 0.05, helps=False)
    all_of_it = evidence(trials=(simple, FOREST), advised=simple, **GAP)
    texts = verdict_of(all_of_it, causes_of(all_of_it))
    assert any(
        "Pruned of models lowers the error rate from 20.0% by 5.0 percentage points (95% CI -3.0 to 13.0). Forest of "
        "models helps (adjusted p = 0.0010), and its gain was not found to be larger." in text
        for text in texts
    )
    assert (
        "Recommended remedy: pruned of models. It is the simplest remedy whose gain was not found smaller than the "
        "gains of the remedies that help (forest). Its own gain is inconclusive." in texts
    )


# -- the verdict -----------------------------------------------------------------------------------------------------

ERRORS = "The error rate of tree is 20.0% (95% CI 15.0% to 25.0%) on new cases and 12.0% on training cases. "
ERRORS += "The majority-class baseline has an error rate of 40.0%."


def test_leaks_lead_and_no_cause_is_named():
    assert verdict_of(evidence(), (), ["A column is the label."]) == (
        "A possible leak was found, so no cause is named. A column is the label.",
        ERRORS,
    )


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({}, ""),
        ({"baseline": 0.2}, " No improvement on the baseline was detected."),
        ({"baseline": 0.2001}, ""),
        ({"standing": to_baseline(shown=False)}, " No improvement on the baseline was detected."),
        ({"standing": AgainstBaseline(())}, ""),
        (
            {"standing": AgainstBaseline((compared("tree", BASELINE, None, float("nan")),))},
            " The difference could not be tested: no p-value.",
        ),
    ],
)
def test_the_baseline_is_named_in_the_first_sentence(changes, end):
    first = verdict_of(evidence(**changes), ())[0]
    assert first == ERRORS.replace("40.0%", f"{100 * changes.get('baseline', 0.4):.1f}%") + end


def test_nothing_tried_and_nothing_found():
    assert verdict_of(evidence(), ())[1:] == ("No cause was confirmed. No remedy was tried.",)
    one = trial("boosted_trees", "bias", 0.01, helps=False)
    assert verdict_of(evidence(trials=(one,)), ())[1:] == (
        "No cause was confirmed. Remedy tried: boosted trees.",
        "No gain was detected. Gains above 5.0 percentage points lie outside the 95% CI (boosted trees).",
    )
    two = trial("forest", "variance", 0.02, helps=False)
    assert verdict_of(evidence(trials=(one, two)), ())[1:] == (
        "No cause was confirmed. 2 remedies tried: boosted trees, forest.",
        "No gain was detected. Gains above 7.0 percentage points lie outside every 95% CI (forest).",
    )
    texts = verdict_of(evidence(trials=(one,), before=before(bias=0.1, variance=0.1)), ())
    assert texts[1] == "Suspected cause: high variance (overfitting). No remedy for it was tried."
    texts = verdict_of(evidence(trials=(two,), before=before(bias=0.1, variance=0.1)), ())
    assert texts[1] == (
        "Suspected cause: high bias (underfitting). No remedy for it was tried. The estimated bias includes noise."
    )
    # a remedy that helps says nothing of what others may bring at most
    assert not any("No gain was detected" in text for text in verdict_of(evidence(trials=(one, SMALL)), ()))


@pytest.mark.parametrize(("part", "is_suspected"), [(0.02, False), (0.0201, True)])
def test_a_tenth_of_the_loss_is_suspected(part, is_suspected):
    for name in ("bias", "variance"):
        assert (untried(evidence(before=before(**{name: part}))) == (name,)) == is_suspected
        assert untried(evidence(before=before(loss=0.0, **{name: part}))) == ()


def test_a_cause_is_told_and_the_advice_with_what_else_helps():
    all_of_it = evidence(trials=(FOREST, BOOSTED), advised=FOREST, **GAP)
    texts = verdict_of(all_of_it, causes_of(all_of_it))
    assert texts[1].startswith(
        "Cause found: high variance (overfitting). The error rate of tree is 5.0% on training"
    )
    assert (
        "Recommended remedy: forest of models. It is the simplest remedy that helps with a gain not found to be "
        "smaller than others (also helping: boosted)." in texts
    )
    alone = evidence(**with_trials(FOREST, **GAP))
    assert "Recommended remedy: forest of models." in verdict_of(alone, causes_of(alone))
    unexplained = evidence(**with_trials(SMALL, **GAP))
    assert any(
        text.endswith("The cause behind this gain was not identified.")
        for text in verdict_of(unexplained, ())
    )
    assert not any("not identified" in text for text in verdict_of(alone, causes_of(alone)))


@pytest.mark.parametrize(
    ("gained_", "advised", "is_said"),
    [(0.02, None, True), (0.0199, None, False), (0.04, FOREST, True), (0.0399, FOREST, False)],
)
def test_columns_that_may_be_the_cause(gained_, advised, is_said):
    """A tenth of the loss where nothing is advised, half of the gain of what is."""
    scaled = trial("scaled", "scale", gained_, helps=False, stage="columns")
    findings = (("scaled", "The columns differ by 10³."),)
    tried = (scaled,) if advised is None else (scaled, advised)
    all_of_it = evidence(trials=tried, advised=advised, findings=findings, room=room(0.05), **GAP)
    texts = verdict_of(all_of_it, ())
    found = [text for text in texts if text.startswith("Possible cause")]
    assert bool(found) == is_said
    if is_said:
        assert found[0].startswith(
            "Possible cause: features on different scales. The columns differ by 10³. Scaled of"
        )
        assert found[0].endswith(
            "adjusted p = 0.40). This gain is inconclusive. More repeats or cases may confirm it."
        )
        assert causes_of(all_of_it) == ()
    assert not [
        text for text in verdict_of(replace(all_of_it, findings=()), ()) if text.startswith("Possible cause")
    ]


@pytest.mark.parametrize(
    ("largest", "lead"),
    [
        (0.0666, "Little can still be gained. "),
        (
            0.0667,
            "Most of the error was not removed by the learners tried (irreducible, or it needs other features). ",
        ),
        (
            0.0999,
            "Most of the error was not removed by the learners tried (irreducible, or it needs other features). ",
        ),
        (0.1, ""),
    ],
)
def test_the_room_is_told_with_its_share(largest, lead):
    for gained_, end in (
        (0.01, "The best of these, svm, lowers it by 1.0 percentage points."),
        (0.0, "None of these lowers it."),
    ):
        text = told_room(evidence(room=room(largest, gained_=gained_)))
        assert text == (
            f"{lead}The error rate of tree is 20.0%. Learners of other kinds, tuned inside the folds (svm, boosted "
            f"trees), may lower the error rate by at most {100 * largest:.1f} percentage points. {end}"
        )
    assert told_room(evidence(room=room(None))) == (
        "The remaining gain cannot be estimated because the folds of svm, boosted trees show no variation."
    )


def test_the_room_is_said_once():
    noise = evidence(room=room(0.05))
    texts = verdict_of(noise, causes_of(noise))
    assert sum("Learners of other kinds" in text for text in texts) == 1
    open_ = evidence(room=room(0.15))
    assert sum("Learners of other kinds" in text for text in verdict_of(open_, causes_of(open_))) == 1
    assert not any("Learners of other kinds" in text for text in verdict_of(evidence(), ()))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            (-0.05, -0.08, -0.01),
            "With twice the cases (400 for training), the error rate would fall by 5.0 percentage points (95% CI 1.0 "
            "to 8.0), extrapolated by a power law.",
        ),
        (
            (-0.05, -0.08, 0.0),
            "No gain from twice the cases (400 for training) was detected. By a power law, the error rate would fall "
            "by at most 8.0 percentage points.",
        ),
        (
            (-0.05, -0.08, 0.02),
            "No gain from twice the cases (400 for training) was detected. By a power law, the error rate would fall "
            "by at most 8.0 percentage points or rise by at most 2.0 percentage points.",
        ),
    ],
)
def test_what_twice_the_cases_bring(change, text):
    curve = SimpleNamespace(sizes=(100, 200), extrapolation=law(*change))
    assert verdict_of(evidence(curve=curve), ())[-1] == text
    assert "twice the cases" not in " ".join(verdict_of(evidence(curve=CURVE), ()))


def test_a_change_of_nothing_has_a_bound_too():
    assert _either_way(interval(0.0, 0.0, 0.0)) == "fall by at most 0.0 percentage points"
    assert _either_way(interval(0.0, -0.0004, 0.02)) == "rise by at most 2.0 percentage points"


# -- evidence --------------------------------------------------------------------------------------------------------


def test_a_gain_is_positive_whichever_end_is_better():
    lower = compared("a", "b", (-0.1, -0.2, 0.05))
    assert (gain(lower).value, gain(lower).low, gain(lower).high) == (0.1, -0.05, 0.2)
    assert most(lower) == 0.2
    higher = compared("a", "b", (0.1, -0.05, 0.2), measure="balanced_accuracy")
    assert (gain(higher).value, gain(higher).low, gain(higher).high) == (0.1, -0.05, 0.2)
    bare = compared("a", "b", Estimate.bare(0.0, "equal"), 1.0)
    assert most(bare) == 0.0
    assert most(compared("a", "b", Estimate.bare(0.0, "equal"), 0.9)) == float("inf")
    assert most(compared("a", "b", Estimate.bare(-0.1, "few"), 1.0)) == float("inf")
    assert gain(compared("a", "b", None)).is_undefined
    assert str(gain(compared("a", "b", (0.0, 0.0, 0.0))).value) == "0.0"


def test_who_is_ahead_of_the_baseline():
    shown, open_ = to_baseline(), to_baseline(shown=False, high=0.03)
    assert (shown.beats("tree"), shown.beats("other"), shown.ahead) == (True, False, ("tree",))
    assert (open_.beats("tree"), open_.ahead) == (False, ())
    assert AgainstBaseline((open_.comparisons[0], shown.comparisons[1])).beats("tree")
    assert open_.most("error_rate") == open_.most("balanced_accuracy") == 0.03


@pytest.mark.parametrize(
    ("training", "loss", "own"), [(0.1, 0.2, True), (0.0999, 0.2, False), (0.0, 0.0, True), (0.3, 0.2, True)]
)
def test_errors_on_its_own_cases(training, loss, own):
    assert errs_on_its_own(training, loss) == own


def test_weights_of_remedies():
    findings = [("scaled", "")]
    for name, against, stage, part, weight in (
        ("scaled", "scale", "columns", "bias", 8),
        ("coded", "categories", "columns", "bias", 4),
        ("weights", "imbalance", "classes", "bias", 4),
        ("tuned", "bias", "settings", "bias", 4),
        ("tuned", "bias", "settings", "variance", 1),
        ("forest", "bias", "members", "bias", 1),
        ("scaled", "bias", "members", "variance", 1),
    ):
        assert weight_of(remedy(name, against, stage), findings, part) == weight


def test_the_room_is_that_of_the_best_rival_with_the_largest_limit():
    found = room_of(
        [rival("a", 0.02, 0.04), rival("b", 0.01, 0.09), rival("c", 0.5, 0.9)], ["a", "b"], "tree"
    )
    assert (found.best, found.rivals, found.rate, found.than) == ("a", ("a", "b"), 0.2, "tree")
    assert (found.gain.value, found.gain.low, found.gain.high, found.most) == (0.02, -0.05, 0.09, 0.09)
    assert room_of([rival("c", 0.5, 0.9)], ["a"], "tree") is None
    assert room_of([compared("a", "best", (0, -0.1, 0.1))], ["a"], "tree") is None  # no values
    endless = room_of(
        [rival("a", 0.02, 0.04), compared("b", "best", Estimate.bare(-0.1, ""), 0.5, values=(0.1, 0.2))],
        ["a", "b"],
        "tree",
    )
    assert (endless.best, endless.most) == ("b", float("inf"))
    assert replace(found, gain=interval(-0.1, -0.2, -0.05)).most == 0.0


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((50, 100, 200), (100, 2)),
        ((50, 101, 200), (50, 2)),
        ((50, 100, 199), (100, 2)),
        ((150, 200), None),
        ((200,), None),
    ],
)
def test_the_last_fall_is_from_half_of_the_cases(sizes, expected):
    points = [
        SimpleNamespace(size=size, test=SimpleNamespace(value=float(len(sizes) - k)))
        for k, size in enumerate(sizes)
    ]
    found = last_fall_of(SimpleNamespace(points=points))
    if expected is None:
        assert found is None
    else:
        at, _ = expected
        assert found == (at, float(len(sizes) - sizes.index(at)) - 1.0)
    assert last_fall_of(None) is None


@pytest.mark.parametrize(
    ("matrix", "labels", "expected"),
    [
        ([[80, 5], [5, 10]], "ab", ("b", 0.15, 10 / 15, 0.9, True)),
        ([[70, 5], [5, 20]], "ab", ("b", 0.25, 0.8, 0.9, False)),
        ([[10, 5], [5, 80]], "ab", ("a", 0.15, 10 / 15, 0.9, True)),
        ([[50, 0], [0, 50]], "ab", ("a", 0.5, 1.0, 1.0, False)),
        ([[80, 0], [5, 15]], "ab", ("b", 0.15, 1.0, 0.95, True)),
    ],
)
def test_the_rarest_class(matrix, labels, expected):
    """Predicted by true; rare below 40% of an even share."""
    folds = SimpleNamespace(
        matrices=SimpleNamespace(counts=np.array([matrix, np.zeros((2, 2))])),
        cases=SimpleNamespace(labels=tuple(labels)),
    )
    found = RarestClass.of(folds)
    name, share, recall, accuracy, is_rare = expected
    assert (found.rarest, found.is_rare) == (name, is_rare)
    assert (found.share, found.recall, found.accuracy) == pytest.approx((share, recall, accuracy))
    assert found.is_neglected == (is_rare and recall < accuracy)


@pytest.mark.parametrize(("gained_", "rate", "is_material"), [(0.04, 0.2, True), (0.0399, 0.2, False)])
def test_a_fifth_of_the_loss_is_material(gained_, rate, is_material):
    assert trial("forest", "variance", gained_, rate=rate).is_material == is_material
    assert trial("weights", "imbalance", 0.001).is_material
    assert trial("forest", "variance", gained_).helps
    assert not trial("forest", "variance", gained_, helps=False).helps
