"""Every threshold step by step: against the assessment at each, scikit-learn, and the same cases in parts."""

import io

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as skm

import classay as ca
from classay.errors import InputError
from classay.measures import get
from command import call

RNG = np.random.default_rng(7)
Y = RNG.random(80) < 0.35
SCORES = {
    "probabilities": np.clip(RNG.normal(0.4 + 0.2 * Y, 0.2), 0, 1),
    "ties": RNG.integers(0, 6, 80) / 5,
    "any": RNG.normal(Y * 1.0, 2).astype(np.float32),
}
ASKED = ("recall", "precision", "f1", "informedness", "cohen_kappa", "f_beta(2)", "matthews_correlation")


@pytest.mark.covering(1)
@pytest.mark.parametrize("weight", [None, RNG.random(80)])
@pytest.mark.parametrize("kind", SCORES)
def test_a_row_of_a_threshold_is_the_assessment_there(kind, weight):
    a = ca.assess(Y, SCORES[kind], weight=weight)
    frame = a.thresholds(*ASKED).to_pandas()
    assert len(frame) == 1 + len(np.unique(SCORES[kind]))
    assert frame["threshold"].is_monotonic_decreasing
    for _, row in frame.iloc[:: 1 if len(frame) < 10 else 5].iterrows():
        there = a.at(row["threshold"])
        counts = there.confusion_matrix.one_vs_rest(True)
        assert row[["tp", "fp", "fn", "tn"]].tolist() == pytest.approx(
            [float(each) for each in counts], abs=1e-12
        )
        for name in ASKED:
            assert row[get(name).name] == pytest.approx(there[name].value, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("kind", SCORES)
def test_counts_are_those_of_scikit_learn(kind):
    frame = ca.assess(Y, SCORES[kind]).thresholds().to_pandas()
    fpr, tpr, thresholds = skm.roc_curve(Y, SCORES[kind], drop_intermediate=False)
    np.testing.assert_allclose(frame["threshold"], thresholds)
    np.testing.assert_allclose(frame["tp"] / Y.sum(), tpr)
    np.testing.assert_allclose(frame["fp"] / (~Y).sum(), fpr)
    assert (frame[["tp", "fp", "fn", "tn"]].dtypes == "int64").all()


def test_the_roc_frame_has_the_counts_and_the_curve_the_values():
    a = ca.assess(Y, SCORES["ties"])
    frame, roc = a.thresholds("f1").to_pandas(), a.roc.frame().to_pandas()
    assert roc[["threshold", "tp", "fp", "fn", "tn"]].equals(frame[["threshold", "tp", "fp", "fn", "tn"]])
    curve = a.over_threshold("f1").frame().to_pandas()
    assert curve["x"].tolist() == frame["threshold"].tolist()[:0:-1]
    assert curve["y"].tolist() == frame["f1"].tolist()[:0:-1]
    band = a.over_threshold("f1").band()
    assert (band.low <= band.high).all()
    drawn = a.over_threshold("f1").plot()
    assert drawn.get_ylabel() == "F1"
    assert len(drawn.collections) == 1  # its band


def test_parts_give_the_thresholds_of_the_whole(tmp_path):
    score = SCORES["ties"]
    whole = ca.assess(Y, score)
    parts = ca.assess(Y[:30], score[:30]) + ca.assess(Y[30:], score[30:])
    parts.save(tmp_path / "a.classay")
    for each in (parts, ca.load(tmp_path / "a.classay")):
        assert each.thresholds(*ASKED).equals(whole.thresholds(*ASKED))


def test_the_command_writes_them(tmp_path):
    path, out = tmp_path / "p.csv", tmp_path / "t.csv"
    frame = pd.DataFrame({"y": Y.astype(int), "p": SCORES["ties"]})
    frame.to_csv(path, index=False)
    rows = ("assess", str(path), "--truth", "y", "--score", "p", "--thresholds", str(out))
    assert call(*rows).exit_code == 0
    a = ca.assess(frame, truth="y", score="p")
    wanted = a.thresholds("precision", "recall", "specificity", "f1").to_pandas()
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(out.read_bytes())), wanted)
    assert call(*rows, "--measures", "roc_auc,youden").exit_code == 0
    assert list(pd.read_csv(out).columns) == ["threshold", "tp", "fp", "fn", "tn", "informedness"]


def test_what_has_no_thresholds_is_refused():
    a = ca.assess(Y, SCORES["ties"])
    with pytest.raises(InputError, match="roc_auc is not a threshold measure of two classes"):
        a.thresholds("roc_auc")
    with pytest.raises(InputError, match="roc_auc is not a threshold measure of two classes"):
        a.over_threshold("roc_auc")
    with pytest.raises(InputError, match="Curves need scores, but none were passed"):
        ca.assess(Y, y_pred=Y).thresholds()
    several = ca.assess([0, 1, 2], y_pred=[0, 1, 2])
    with pytest.raises(InputError, match="one_vs_rest"):
        several.thresholds()


def test_a_threshold_beyond_every_score_is_told():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    p = np.clip(0.2 + 0.3 * y + 0.4 * rng.random(60), 0.01, 0.95)
    for threshold, word in (
        (30.0, "is above the highest score"),
        (0.001, "is at or below the lowest score"),
        (0.5, None),
    ):
        warnings = ca.assess(y, p, threshold=threshold).to_dict()["warnings"]
        texts = [each["text"] for each in warnings if each["code"] == "never_predicted"]
        assert [word in each for each in texts] == ([True] if word else [])
