"""Classes from one on in their order against those below: everything that two classes have, at each cut."""

import json

import numpy as np
import pytest
import sklearn.metrics as skm

import classay as ca
from classay.errors import InputError
from classay.measures import get
from classay.tables import ConfusionMatrix
from samples import ORACLES

GRADES = ("low", "mid", "high", "top")
RNG = np.random.default_rng(3)
TRUE = RNG.integers(0, 4, 160)
SHARES = (
    RNG.dirichlet(np.ones(4), 160) * 0.4 + 0.6 * np.eye(4)[np.clip(TRUE + RNG.integers(-1, 2, 160), 0, 3)]
)
NAMES = np.array(GRADES)
GIVEN = {"labels": GRADES, "ordered": True}
ASKED = (
    "roc_auc",
    "brier_score",
    "recall",
    "precision",
    "accuracy",
    "expected_calibration_error",
    "log_loss",
)


def assessed(**how):
    return ca.assess(NAMES[TRUE], SHARES, **GIVEN, **how)


@pytest.mark.parametrize("label", GRADES[1:])
def test_a_cut_is_an_assessment_of_two_classes(label):
    """Against an assessment of the summed probabilities, and scikit-learn; with weights and clusters too."""
    place = GRADES.index(label)
    above, called = SHARES[:, place:].sum(1), SHARES.argmax(1) >= place
    for how in ({}, {"weight": RNG.gamma(2.0, size=160)}, {"cluster": np.arange(160) // 3}):
        cut = assessed(**how).at_least(label)
        assert cut.positive == f"{label} or above"
        scored = ca.assess(place <= TRUE, np.round(above, 12), **how)
        labelled = ca.assess(place <= TRUE, y_pred=called, **how)
        for name in ASKED:
            wanted = (labelled if name in ("recall", "precision", "accuracy") else scored)[name]
            named = [] if name == "accuracy" else [assessed(**how)[f"{name}[>={label}]"]]
            for found in (cut[name], *named):
                assert (found.value, found.low, found.high) == pytest.approx(
                    (wanted.value, wanted.low, wanted.high), rel=1e-9
                ), name
    assert assessed().at_least(label)["roc_auc"].value == pytest.approx(
        skm.roc_auc_score(place <= TRUE, above)
    )
    assert len(assessed().at_least(label).curve("calibration").frame()) > 2


def test_the_ranked_probability_score_is_the_mean_brier_score_of_the_cuts():
    a = assessed()
    mean = np.mean([a.at_least(label)["brier_score"].value for label in GRADES[1:]])
    assert a["ranked_probability_score"].value == pytest.approx(mean)
    errors = [a.at_least(label)["error_rate"].value for label in GRADES[1:]]
    assert a["mean_absolute_error"].value == pytest.approx(sum(errors))


def test_the_oracle_of_cuts():
    """statistics of the project, B-46: ten cases of four classes; skill and its standard error with n / (n - 1)."""
    data = json.loads((ORACLES / "ordered.json").read_text())["rps"]
    a = ca.assess(np.array(data["y"]), np.array(data["P"]), labels=[0, 1, 2, 3], ordered=True)
    assert [a[f"roc_auc[>={k}]"].value for k in (1, 2, 3)] == pytest.approx(data["auc_cuts"])
    assert a["ranked_probability_score"].value == pytest.approx(data["rps"] / 3)
    measure = get("ranked_probability_skill")
    rows = a.class_scores.rows
    influence = measure.influence(a.class_scores, data["skill"], rows.scores.T, rows.true)
    assert np.sqrt((influence**2).sum() / 10 / 9) == pytest.approx(data["se_skill"])
    assert a["ranked_probability_skill"].value == pytest.approx(data["skill"])


def test_parts_and_files_keep_the_cuts(tmp_path):
    parts = [ca.assess(NAMES[TRUE[at]], SHARES[at], **GIVEN) for at in (slice(0, 60), slice(60, 160))]
    whole, name = assessed(), "roc_auc[>=high]"
    (parts[1] + parts[0]).save(tmp_path / "a.classay")
    for found in (parts[0] + parts[1], parts[1] + parts[0], ca.load(tmp_path / "a.classay")):
        assert (found[name].value, found[name].low) == pytest.approx((whole[name].value, whole[name].low))


def test_models_are_compared_and_gated_at_a_cut():
    noise = RNG.dirichlet(np.ones(4), 160)
    models = {"new": SHARES, "old": 0.5 * SHARES + 0.5 * noise}
    for measure in ("roc_auc[>=high]", "recall[>=high]", "brier_score[>=high]"):
        found = ca.compare(models, NAMES[TRUE], measures=[measure], **GIVEN)[0]
        values = [ca.assess(NAMES[TRUE], each, **GIVEN)[measure].value for each in models.values()]
        assert found.effect.value == pytest.approx(values[0] - values[1])
        assert found.effect.has_interval


def test_a_matrix_is_cut():
    matrix = ConfusionMatrix(np.arange(16).reshape(4, 4), GRADES)
    assert matrix.cut(2, ("no", "yes")).counts.tolist() == [[10, 18], [42, 50]]
    assert np.stack([matrix.cut(k, ("no", "yes")).counts for k in (1, 3)]).sum() == 240


def test_labels_that_are_written_like_a_cut_come_first():
    a = ca.assess(["<=50K", ">=50K", ">=50K"], y_pred=["<=50K", ">=50K", "<=50K"], positive=">=50K")
    assert a['recall[">=50K"]'].value == 0.5


@pytest.mark.parametrize(
    ("label", "words"),
    [("low", "No class is below 'low'"), ("tip", "'tip'|tip"), ("", "no label|names|[Ll]abel")],
)
def test_cuts_that_do_not_exist(label, words):
    with pytest.raises(InputError, match=words):
        assessed().at_least(label)


def test_a_cut_needs_an_order_and_answers():
    plain = ca.assess(NAMES[TRUE], SHARES, labels=GRADES)
    with pytest.raises(InputError, match=r">=high needs ordered classes. Use labels"):
        plain.at_least("high")
    assert "need a declared order" in plain["roc_auc[>=high]"].reason
    called = [None, *NAMES[SHARES.argmax(1)][1:]]
    a = ca.assess(NAMES[TRUE], y_pred=called, unanswered="wrong", **GIVEN)
    with pytest.raises(InputError, match="Measures of ordered classes need a prediction"):
        a.at_least("high")
    improper = ca.assess(NAMES[TRUE], 3 * SHARES, **GIVEN)
    assert "not probabilities" in improper["roc_auc[>=high]"].reason
    assert improper["recall[>=high]"].has_interval
