"""Verification bias: Begg & Greenes by hand and from the oracle, its limits, and what its intervals cover."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.errors import InputError
from classay.inference.prevalence import from_counts
from classay.report.results.parts import json_text

TRUTH = [1] * 120 + [0] * 30 + [None] * 50 + [1] * 10 + [0] * 90 + [None] * 700
FLAGGED = [1] * 200 + [0] * 800


def test_the_oracle():
    """statistics B-39."""
    found = ca.correct_verification(TRUTH, FLAGGED)
    assert found.sensitivity.value == pytest.approx(0.666666666667)
    assert found.specificity.value == pytest.approx(0.947368421053)
    assert found.naive_sensitivity.value == pytest.approx(0.923076923077)
    assert found.naive_specificity.value == pytest.approx(0.75)
    assert found.prevalence.value == pytest.approx((160 + 80) / 1000)
    assert "instead of 92.3%" in found.sentence


@pytest.mark.parametrize("at", [3, 150, 160, 990])
def test_a_missing_prediction_is_refused(at):
    """Such a case is neither flagged nor passed, whatever label comes last."""
    for flagged in ([bool(each) for each in FLAGGED], np.where(FLAGGED, "a", "b").tolist()):
        flagged[at] = None
        truth = [None if each is None else bool(each) for each in TRUTH]
        if "a" in flagged:
            truth = [each if each is None else "a" if each else "b" for each in truth]
        with pytest.raises(
            InputError, match=rf"missing in 1 row \(index {at}\), but only y_true may be missing"
        ):
            ca.correct_verification(truth, flagged, positive="a" if "a" in flagged else None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sensitivity", (0.846034214618974, 0.71228180651688, 0.929535362467772)),
        ("specificity", (0.914800313234143, 0.847471575420536, 0.959352957490038)),
        ("prevalence", (0.334895833333333, 0.270399254176042, 0.405366180157445)),
    ],
)
def test_limits_by_scalar_code_in_40_digits(name, expected):
    found = getattr(from_counts((340, 36, 30), (660, 64, 5)), name)
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-9)


def test_a_seed_has_no_effect_and_warns():
    with pytest.warns(DeprecationWarning, match="no effect"):
        found = ca.correct_verification(TRUTH, FLAGGED, seed=3)
    assert found.sensitivity == ca.correct_verification(TRUTH, FLAGGED).sensitivity


def test_all_verified_is_the_plain_value():
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.3
    flagged = rng.random(500) < np.where(y, 0.7, 0.2)
    found = ca.correct_verification(y, flagged)
    a = ca.assess(y, y_pred=flagged)
    assert found.sensitivity.value == pytest.approx(a["recall"].value)
    assert found.specificity.value == pytest.approx(a["specificity"].value)
    assert found.sensitivity.low == pytest.approx(a["recall"].low, abs=0.02)


def test_the_other_class_is_the_mirror():
    names = np.array(["well", "ill"], object)
    truth = [None if each is None else names[each] for each in TRUTH]
    one = ca.correct_verification(truth, names[FLAGGED], positive="ill")
    two = ca.correct_verification(truth, names[FLAGGED], positive="well")
    assert one.sensitivity.value == pytest.approx(two.specificity.value)
    assert (one.specificity.low, one.specificity.high) == (two.sensitivity.low, two.sensitivity.high)


@pytest.mark.parametrize(
    ("counts", "sensitivity"),
    [
        (((200, 150, 120), (800, 0, 0)), "no other case is verified"),
        (((200, 0, 0), (800, 100, 4)), "no flagged case is verified"),
        (((200, 150, 0), (800, 100, 0)), "no verified case is of this class"),
    ],
)
def test_what_is_undefined(counts, sensitivity):
    assert from_counts(*counts).sensitivity.reason == sensitivity


def test_no_positive_among_the_others_leaves_a_lower_limit():
    found = from_counts((50, 40, 30), (900, 60, 0)).sensitivity
    assert found.value == found.high == 1
    assert found.low < 0.6


def test_what_is_refused():
    with pytest.raises(InputError, match="classes"):
        ca.correct_verification(["a", "b", "c", None], ["a", "b", "c", "a"])
    with pytest.raises(InputError):
        ca.correct_verification([1, 0, None], [1, 0])


def simulated(seed, n=1000):
    """Counts where flagged cases are mostly verified: sensitivity 0.7, specificity 0.9, 20% positive."""
    rng = np.random.default_rng([3, seed])
    ill = rng.random(n) < 0.2
    flagged = rng.random(n) < np.where(ill, 0.7, 0.1)
    verified = rng.random(n) < np.where(flagged, 0.8, 0.2)
    return [
        (int(each.sum()), int((each & verified).sum()), int((each & verified & ill).sum()))
        for each in (flagged, ~flagged)
    ]


def test_the_interval_covers_where_the_naive_one_does_not():
    """400 data sets: Monte-Carlo error 1.1 points at 95%."""
    covered = np.zeros(3)
    for seed in range(400):
        found = from_counts(*simulated(seed))
        covered += [
            found.sensitivity.low <= 0.7 <= found.sensitivity.high,
            found.specificity.low <= 0.9 <= found.specificity.high,
            found.naive_sensitivity.low <= 0.7 <= found.naive_sensitivity.high,
        ]
    assert (covered[:2] / 400 >= 0.92).all(), covered / 400
    assert covered[2] / 400 < 0.1


SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "verification.schema.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    "found",
    [
        ca.correct_verification(TRUTH, FLAGGED),
        ca.correct_verification(
            ["ill", None, "well", "well"], ["ill", "ill", "well", "well"], positive="ill"
        ),
        from_counts((10, 0, 0), (90, 5, 1)),
        from_counts((10, 4, 0), (90, 5, 0), level=0.9),
    ],
    ids=["both", "labels", "none verified", "no positive"],
)
def test_the_json_keeps_its_contract_and_the_page_its_numbers(found, tmp_path):
    Draft202012Validator.check_schema(SCHEMA)
    written = json.loads(json_text(found.to_dict()))
    assert not list(Draft202012Validator(SCHEMA).iter_errors(written))
    assert written["corrected"]["sensitivity"]["value"] == pytest.approx(
        found.sensitivity.value, nan_ok=True
    ) or (written["corrected"]["sensitivity"]["value"] is None and found.sensitivity.is_undefined)
    assert (written["level"], written["seed"]) == (found.level, found.seed)
    assert written["flagged"] == dict(zip(("cases", "verified", "positive"), found.flagged, strict=True))
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for each in ("Corrected for verification", "verified cases only", f"{found.passed[0]:,}"):
        assert each in page
    assert found.sentence.split(":")[0] in str(found).replace("\n", " ").replace("  ┃ ", "")
