"""Raw scores of classes, what scores are said to be, and rounding that follows the digits: the same at every door."""

import numpy as np
import pytest

import classay as ca
from classay.columns.scales import ends_in_words, improper_rows, outside, scaled
from classay.errors import InputError, MergeError

N = 200
RNG = np.random.default_rng(1)
Y = RNG.integers(0, 2, N)
SHIFT = RNG.normal(0, 3, N)
DIFFERENCE = RNG.normal(2 * Y - 1, 1.2)
TWO = np.c_[SHIFT - DIFFERENCE / 2, SHIFT + DIFFERENCE / 2]
Y3 = RNG.integers(0, 3, N)
THREE = 2 * np.eye(3)[Y3] + RNG.normal(0, 1, (N, 3)) + RNG.normal(0, 3, (N, 1))
WHOLE = np.rint(4 * THREE)
"""Logits that a whole number can be added to without rounding."""
ACROSS_CASES = ("macro_roc_auc", "weighted_roc_auc", "hand_till_auc", "roc_auc[1]", "average_precision[1]")


def values(a, names):
    return {name: (a[name].value, a[name].low, a[name].high) for name in names}


# --- two columns


def test_two_raw_columns_are_their_difference_and_labels_those_of_the_greater():
    a, same = ca.assess(Y, TWO), ca.assess(Y, TWO[:, 1] - TWO[:, 0], threshold=0)
    for name in ("roc_auc", "average_precision", "accuracy", "recall", "precision"):
        assert str(a[name]) == str(same[name])
    assert a.raw_scores
    assert a.cutoff == 0
    assert "raw_scores" in [each["code"] for each in a.to_dict()["warnings"]]
    assert a["brier_score"].is_undefined
    assert ca.assess(Y, TWO, positive=0)["accuracy"] == a["accuracy"]
    assert ca.assess(Y, TWO, positive=0)["roc_auc"].value == pytest.approx(a["roc_auc"].value)


@pytest.mark.parametrize("positive", [0, 1])
def test_the_first_class_wins_a_tie_of_raw_scores(positive):
    scores, y = [[3.0, 3.0], [3.0, 3.0], [5.0, 1.0], [-1.0, 4.0]], [0, 0, 0, 1]
    a = ca.assess(y, scores, positive=positive)
    assert a["accuracy"].value == 1
    assert (
        a["accuracy"].value
        == ca.assess(y, np.c_[scores, np.full(4, -9.0)], labels=[0, 1, 2])["accuracy"].value
    )


def test_a_difference_within_0_and_1_is_no_probability():
    a = ca.assess([0, 1, 1, 0], [[5.0, 5.1], [5.0, 5.9], [7.0, 7.5], [2.0, 2.2]])
    assert a["brier_score"].is_undefined
    assert a.cutoff == 0
    assert a["recall"].value == 1


def test_infinite_scores_of_both_classes_tie():
    a = ca.assess([0, 1, 1, 0], [[-np.inf, -np.inf], [0.0, np.inf], [np.inf, np.inf], [2.0, -np.inf]])
    assert a["roc_auc"].value == 0.875


def test_equal_infinite_logits_of_several_classes_share_the_probability():
    logits = np.array([[np.inf, 0.0, np.inf], [np.inf, -np.inf, 3.0]])
    assert np.array_equal(scaled(logits, "logit"), [[0.5, 0, 0.5], [1, 0, 0]])


# --- laws


@pytest.mark.parametrize("scale", [None, "logit"])
@pytest.mark.parametrize(("y", "scores"), [(Y, np.rint(4 * TWO)), (Y3, WHOLE)], ids=["two", "three"])
def test_a_constant_added_to_a_row_of_logits_changes_nothing(y, scores, scale):
    moved = scores + RNG.integers(-50, 50, (N, 1))
    one, other = (ca.assess(y, each, score_scale=scale) for each in (scores, moved))
    assert {k: str(v) for k, v in one.estimates().items()} == {
        k: str(v) for k, v in other.estimates().items()
    }


def test_a_model_equals_itself_in_either_form():
    for scale in (None, "logit"):
        found = ca.compare(
            {"two": TWO, "one": TWO[:, 1] - TWO[:, 0]}, Y, measures=["roc_auc"], score_scale=scale
        )
        assert found[0].effect.value == 0
    both = ca.compare({"two": TWO, "one": DIFFERENCE}, Y, score_scale="logit")
    assert all(abs(each.effect.value) < 1e-12 for each in both)


def test_softmax_is_that_of_scipy_and_shares_are_those_of_the_row():
    from scipy.special import expit, softmax

    assert np.allclose(scaled(THREE, "logit"), softmax(THREE, axis=1), rtol=1e-14)
    assert np.allclose(scaled(7 * DIFFERENCE, "logit"), expit(7 * DIFFERENCE), rtol=1e-14)
    votes = RNG.integers(1, 9, (N, 3))
    assert np.allclose(scaled(votes.astype(float), "count"), votes / votes.sum(1, keepdims=True))
    assert ca.assess(Y3, votes, score_scale="count")["log_loss"].value == pytest.approx(
        ca.assess(Y3, votes / votes.sum(1, keepdims=True))["log_loss"].value
    )


# --- three or more columns


def test_raw_scores_of_three_classes_rank_no_cases():
    a = ca.assess(Y3, THREE)
    for name in ACROSS_CASES:
        assert a[name].is_undefined, name
        assert "only within a case" in a[name].reason
    assert a["accuracy"].value == (THREE.argmax(1) == Y3).mean()
    order = np.argsort(-THREE, 1)
    assert a["top_2_accuracy"].value == pytest.approx((order[:, :2] == Y3[:, None]).any(1).mean())
    assert a.class_curves is not None
    with pytest.raises(InputError, match="only within a case"):
        a.class_thresholds(cost=ca.Costs(fp=1, fn=2))
    assert not ca.assess(Y3, THREE, score_scale="logit")["macro_roc_auc"].is_undefined
    assert "only within a case" in " ".join(str(a).split())


@pytest.mark.parametrize(("y", "scores"), [(Y, TWO), (Y3, THREE)], ids=["two", "three"])
def test_raw_scores_are_saved_and_merged_with_their_like_alone(tmp_path, y, scores):
    a = ca.assess(y, scores)
    a.save(tmp_path / "a.classay")
    loaded = ca.load(tmp_path / "a.classay")
    assert loaded.raw_scores
    assert str(loaded) == str(a)
    parts = [ca.assess(y[k::2], scores[k::2]) for k in range(2)]
    whole = parts[0] + parts[1]
    assert {k: str(v) for k, v in whole.estimates().items()} == {k: str(v) for k, v in a.estimates().items()}
    with pytest.raises(MergeError, match="raw class scores"):
        parts[0] + ca.assess(y[1::2], scaled(scores[1::2], "logit"))


def test_ties_of_raw_scores_survive_saving(tmp_path):
    a = ca.assess([0, 0, 0, 1], [[3.0, 3.0], [3.0, 3.0], [5.0, 1.0], [-1.0, 4.0]])
    a.save(tmp_path / "a.classay")
    assert ca.load(tmp_path / "a.classay")["accuracy"] == a["accuracy"]


def test_models_of_raw_scores_are_compared_within_cases_alone():
    models = {"a": THREE, "b": THREE[:, [1, 0, 2]]}
    found = ca.compare(models, Y3, measures=["accuracy", "top_2_accuracy", "log_loss", "macro_roc_auc"])
    undefined = {each.measure for each in found if each.effect is None or each.effect.is_undefined}
    assert undefined == {"log_loss", "macro_roc_auc"}
    assert "raw_scores" in [code for code, _ in found.warnings]
    with pytest.raises(InputError, match="only within a case"):
        ca.compare(models, Y3, measures=["roc_auc[1]"])


# --- what is refused


@pytest.mark.parametrize(
    ("scores", "how", "said"),
    [
        (TWO, {"score_scale": "probability"}, "not probabilities \\(they range from"),
        (DIFFERENCE, {"score_scale": "probability"}, "not probabilities"),
        (DIFFERENCE, {"score_scale": "count"}, "a column of counts for each class"),
        (TWO, {"score_scale": "count"}, "counts from 0 up"),
        (TWO, {"score_scale": "logits"}, "Did you mean 'logit'"),
        (TWO, {"improper": "renormalise"}, "improper='renormalise'.*score_scale='logit'"),
        (
            TWO,
            {"improper": "renormalise", "score_scale": "logit"},
            "improper='renormalise'.*score_scale='logit'",
        ),
        (TWO, {"improper": "renormalise", "score_scale": "probability"}, "score_scale"),
        (np.full((N, 2), -np.inf), {"score_scale": "logit"}, "Every logit is -inf in 200 rows"),
        (None, {"y_pred": Y, "score_scale": "logit"}, "no effect without scores"),
    ],
)
def test_a_scale_that_does_not_fit_is_refused(scores, how, said):
    with pytest.raises(InputError, match=said):
        ca.assess(Y, scores, **how)


# --- rounding


@pytest.mark.parametrize(
    "value", [1 + 1e-7, 1.0000098, 1.0001, -1e-9, float(np.float32(1.0000001)), 1 + 2e-16]
)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_what_rounding_puts_beyond_an_end_is_set_to_it_and_counted(value, kind):
    a = ca.assess([1, 0, 1], np.array([value, 0.2, 0.9], kind))
    end = 1.0 if value > 0.5 else 0.0
    assert a.scores.are_probabilities
    assert end in a.scores.scores
    assert a.rounded == (kind(value) not in (0, 1))
    assert ("rounded_scores" in [each["code"] for each in a.to_dict()["warnings"]]) == bool(a.rounded)


@pytest.mark.parametrize("value", [1.001, 1.00011, -0.001, 1.00000001234567])
def test_what_no_precision_explains_stays_outside(value):
    a = ca.assess([1, 0, 1], [value, 0.2, 0.9])
    assert not a.scores.are_probabilities
    low, high = a.why_improper.split("from ")[1].split(", outside")[0].split(" to ")
    assert float(low) < 0 or float(high) > 1  # the digits make it true


def test_sums_of_rows_follow_the_precision_in_which_they_are_written():
    exact = RNG.dirichlet([1, 1, 1], 300)
    for written in (
        exact.astype(np.float16),
        (exact.astype(np.float32).view(np.uint32) + 0x8000 & 0xFFFF0000).astype(np.uint32).view(np.float32),
        *(np.round(exact, digits) for digits in (3, 4, 6)),
    ):
        assert not improper_rows(written).any()
        assert not improper_rows(written.astype(np.float64)).any()
    assert improper_rows(exact * 1.003).all()
    assert improper_rows(np.round(exact, 4) * 1.02).all()
    a = ca.assess(RNG.integers(0, 3, 300), np.round(exact, 3))
    assert not a["log_loss"].is_undefined
    assert a.rounded == int((abs(np.round(exact, 3).sum(1) - 1) > 1e-6).sum())


def test_wider_scores_are_further_outside():
    assert [outside(np.array([0.5, 1 + each])) for each in (0, 1e-5, 1e-3)] == [
        "nowhere",
        "by rounding",
        "by more",
    ]


# --- a class that the model never saw, and probabilities of both values of each tag


def test_a_class_that_the_model_never_saw():
    y = np.array(list("abcd"))[RNG.integers(0, 4, 80)]
    p = RNG.dirichlet([1, 1, 1], 80)
    with pytest.raises(InputError, match=r"column of zeros.*labels="):
        ca.assess(y, p)
    with pytest.raises(InputError, match="never saw, list all classes with labels="):
        ca.assess(y, dict(zip("abd", p.T, strict=True)))
    zeros = ca.assess(y, np.c_[p[:, :2], np.zeros(80), p[:, 2]])
    filled = ca.assess(y, dict(zip("abd", p.T, strict=True)), labels=list("abcd"))
    last = ca.assess(y, p, labels=list("abcd"))
    for a in (zeros, filled, last):
        assert "never_scored" in [each["code"] for each in a.to_dict()["warnings"]]
    assert str(zeros["macro_roc_auc"]) == str(filled["macro_roc_auc"])
    assert str(last["macro_roc_auc"]) == str(ca.assess(y, np.c_[p, np.zeros(80)])["macro_roc_auc"])
    logits = ca.assess(y, np.log(p), labels=list("abcd"), score_scale="logit")
    assert logits["macro_roc_auc"].value == pytest.approx(last["macro_roc_auc"].value)


def test_probabilities_that_are_taken_for_logits_are_told():
    p = 1 / (1 + np.exp(-DIFFERENCE))

    def told(found):
        return "If the scores were probabilities" in {e.code: e.text for e in found.warnings}["score_scale"]

    for scores, expected in ((p, True), (np.c_[1 - p, p], True), (DIFFERENCE, False), (TWO, False)):
        assert told(ca.assess(Y, scores, score_scale="logit")) == expected
        assert told(ca.compare({"A": scores, "B": scores}, Y, score_scale="logit")) == expected


@pytest.mark.parametrize(
    "score", [0.0, 1.0, 1 / 3, 2 / 3 * 1e3, *(np.nextafter(end, to) for end in (0, 1) for to in (-9, 9))]
)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("shift", [0.0, 1e-7, -1e-13])
def test_ends_of_scores_are_written_with_three_digits_or_as_many_as_show_where_they_lie(score, sign, shift):
    """No text has fewer digits than needed to be on the same side of 0 and of 1, nor more than three without need."""
    exact = sign * score + shift
    text, _ = ends_in_words(np.array([exact]))

    def lies(number):
        return number < 0, number > 1, number == 0, number == 1

    shown = float(text)
    assert lies(shown) == lies(exact)
    enough = next(digits for digits in range(3, 18) if lies(float(f"{exact:.{digits}g}")) == lies(exact))
    assert shown == float(f"{exact:.{enough}g}")


@pytest.mark.parametrize("least", [-5e-324, -2.225073858507203e-309, -2.3e-308])
def test_scores_below_0_by_less_than_floats_divide_by_are_rounded(least):
    """The smallest floats overflow where a number is divided by them; no warning of NumPy reaches a user."""
    scores = np.array([0.25, least, 0.75, 0.5])
    assert outside(scores) == "by rounding"
    assert ca.assess([1, 0, 1, 0], scores)["roc_auc"].value == 0.75
    assert outside(np.append(scores, -5e16)) == "by more"


@pytest.mark.parametrize("spread", [1, 5, 12, 20, 40, 200])
@pytest.mark.parametrize("shift", [0, 30])
def test_a_conversion_keeps_the_ranks_or_is_refused(spread, shift):
    """Logits as floats of 64 and 32 bits and whole: ROC AUC of the probabilities is that of the logits."""
    rng = np.random.default_rng(spread)
    truth = rng.integers(0, 2, 300)
    logits = rng.normal(spread * truth / 2 + shift, spread)
    refused = 0
    for scores in (logits, logits.astype(np.float32), np.rint(logits)):
        wanted = ca.assess(truth, scores)["roc_auc"].value
        try:
            found = ca.assess(truth, scores, score_scale="logit")["roc_auc"].value
        except ca.InputError:
            refused += 1
        else:
            assert found == pytest.approx(wanted, abs=1e-3)
    assert refused == 3 or spread + shift < 50


def test_class_scores_that_become_1_are_told():
    """The softmax of wide logits is 1 in many rows: the warning of the scale says what that costs."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 90)
    for spread, is_told in ((1.0, False), (100.0, True)):
        logits = rng.normal(size=(90, 3)) * spread
        found = ca.assess(truth, logits, score_scale="logit")
        warning = next(each for each in found.warnings if each.code == "score_scale")
        assert ("exactly 1" in str(warning)) == is_told
