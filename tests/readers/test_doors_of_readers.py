"""A model beside a reader and several readers, as laws and brute force have them, and what the calls refuse."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn.metrics as sk

import classay as ca
from assessment.test_scale_at_doors import LOGIT, OTHER, RNG, N, Y, converts_as_by_hand
from classay.errors import InputError
from classay.readers.reader_study import compare_reader
from cli.test_options import folder, inputs  # noqa: F401 - fixtures
from command import call, refusal
from comparison.test_comparison_scores import models
from laws.test_laws_of_comparisons import cases, one_sided_as_two_sided
from readers.in_sweeps import BASES
from unequal import unequal

NAMES = ["R10", "R2", "b", "A 3", "R1"]
READER = np.where(RNG.random(N) < 0.8, Y, 1 - Y)
READINGS = pd.DataFrame(
    {
        "ill": np.tile(Y, 2),
        "case": np.tile(np.arange(N), 2),
        "reader": np.repeat(["ann", "ben"], N),
        "score": np.concatenate([LOGIT, OTHER]),
    }
)


def readers(scores, **scale):
    frame = READINGS.assign(score=np.concatenate(scores))
    found = ca.compare_readers(frame, truth="ill", case="case", reader="reader", score="score", **scale)
    return [each.estimate for each in found["roc_auc"].readings]


DOORS = {
    "compare_readers": readers,
    "compare_reader": lambda s, **scale: [*ca.compare_reader({"a": s[0]}, Y, READER, **scale)],
}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_converts_as_by_hand(door):
    converts_as_by_hand(DOORS[door])


def test_what_was_converted_is_told():
    named = {"truth": "ill", "case": "case", "reader": "reader", "score": "score"}
    study = ca.compare_readers(READINGS, **named, score_scale="logit")
    assert study.warnings[0].code == "score_scale"
    assert ca.compare_reader({"a": LOGIT}, Y, READER, score_scale="logit").warnings[0].code == "score_scale"


def test_cases_in_another_order_are_compared_alike():
    (score, other), y, _ = cases(6)
    at = np.random.default_rng(4).permutation(y.size)
    here = compare_reader({"model": score}, y, (other > 0.5).astype(int))
    there = compare_reader({"model": score[at]}, y[at], (other[at] > 0.5).astype(int))
    assert unequal(there.to_dict(), here.to_dict()) == []


def test_one_sided_tests():
    scores, y, _ = cases(60, n=60)
    one_sided_as_two_sided(lambda **how: compare_reader({"a": scores[0]}, y, scores[1] > 0.5, **how))


def test_names_of_clusters_change_nothing():
    (score, other), y, _ = cases(8, n=120)
    called, cluster = (other > 0.5).astype(int), np.arange(120) // 3
    at = np.random.default_rng(5).permutation(120)
    one = compare_reader({"m": score}, y, called, cluster=cluster)[0].effect
    named = np.array([f"group {(7 * each) % 41}" for each in cluster.tolist()])
    turned = compare_reader({"m": score[at]}, y[at], called[at], cluster=named[at])[0].effect
    assert (one.low, one.high) == pytest.approx((turned.low, turned.high), rel=1e-9)


@pytest.mark.parametrize("given", ["score", "prediction"])
def test_the_value_of_a_reader_is_that_of_its_readings(given):
    rng = np.random.default_rng(7)
    case, reader = (each.ravel() for each in np.meshgrid(np.arange(30), np.arange(5)))
    y = np.arange(30) % 3 == 0
    score = (y[case] + rng.normal(size=150)).round(1)
    rows = rng.permutation(150)
    frame = {"case": case, "reader": np.array(NAMES)[reader], "y": y[case].astype(int), given: score}
    if given == "prediction":
        frame[given] = (score > 0.5).astype(int)
    study = ca.compare_readers(
        pa.table({name: each[rows] for name, each in frame.items()}),
        truth="y", case="case", reader="reader", **{given: given},
    )  # fmt: skip
    for measure, found in study.measures.items():
        assert sorted(each.reader for each in found.readings) == sorted(NAMES)
        for each in found.readings:
            of = frame["reader"] == each.reader
            own, true = frame[given][of], frame["y"][of] == 1
            pairs = np.sign(own[true][:, None] - own[~true][None, :])
            wanted = {
                "roc_auc": (1 + pairs.mean()) / 2,
                "recall": np.mean(own[true] == 1),
                "specificity": np.mean(own[~true] == 0),
            }[measure]
            assert each.estimate.value == pytest.approx(wanted, abs=1e-12)
            assert each.cases == 30


def test_reader_by_interpolation():
    """The sensitivity of a score at the reader's specificity, read off the curve of scikit-learn."""
    rng = np.random.default_rng(0)
    for ties in (False, True):
        y, scores = models(200, 12, ties=ties)
        reader = np.where(rng.random(200) < 0.8, y, ~y)
        found = compare_reader({"a": scores["a"]}, y, reader)[0]
        fpr, tpr, _ = sk.roc_curve(y, scores["a"], drop_intermediate=False)
        at = reader[~y].mean()
        below, above = np.flatnonzero(fpr <= at + 1e-12)[-1], np.flatnonzero(fpr > at + 1e-12)[0]
        share = (at - fpr[below]) / (fpr[above] - fpr[below])
        expected = tpr[below] + share * (tpr[above] - tpr[below])
        assert found.values == pytest.approx((expected, reader[y].mean()))
        assert found.effect.low < found.effect.value < found.effect.high
    own = scores["a"] >= 0.5
    same = compare_reader({"a": own * 1.0}, y, own)[0]
    assert (same.effect.value, same.p) == (0, 1)
    with pytest.raises(
        InputError, match="A comparison with a reader needs labels of two classes and scores of"
    ):
        compare_reader({"a": np.eye(3)[[0, 1, 2] * 4]}, [0, 1, 2] * 4, [0, 1, 2] * 4)


@pytest.mark.parametrize("rare", [0, 1])
def test_a_class_without_cases_has_no_comparison_with_a_reader(rare):
    """Without negative cases a reader has no specificity, as without positive ones there is no sensitivity."""
    scores, called = np.linspace(0, 1, 40), np.arange(40) % 3 == 0
    none, two = (np.where(np.arange(40) < few, rare, 1 - rare) for few in (0, 2))
    found = compare_reader({"a": scores}, none, called, positive=1)[0]
    assert found.effect.reason == "a class has no cases"
    found = compare_reader({"a": scores}, two, called, positive=1)[
        0
    ]  # 13% of the resamples have none of the two
    assert found.effect.reason == "it is not defined in more than 5% of the resamples"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--scores p --reader said", "--truth"),
        ("--truth y --reader said", "--reader compares columns of scores"),
        ("--truth y --scores p --reader said,y", "--reader has 2 columns"),
    ],
)
def test_a_reader_needs_scores_true_labels_and_one_column(options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("y,p,said\n1,0.8,1\n0,0.3,1\n")
    assert said in refusal("compare", "rows.csv", *options.split())


def test_a_reader_has_two_labels_and_few_cases(monkeypatch):
    y, scores = models(60, 3)
    with pytest.raises(
        InputError, match=r"reader has 3 labels, .*, but the labels of a reader must have two"
    ):
        compare_reader({"a": scores["a"]}, y, np.arange(60) % 3)
    monkeypatch.setattr("classay.readers.reader_study.MOST_ROWS", 60)
    assert compare_reader({"a": scores["a"]}, y, y)[0].values[1] == 1
    monkeypatch.setattr("classay.readers.reader_study.MOST_ROWS", 59)
    with pytest.raises(InputError, match="not resampled with more than 59 cases"):
        compare_reader({"a": scores["a"]}, y, y)


def test_a_reader_is_not_resampled_over_few_clusters():
    y, scores = models(120, 11)
    few, enough = (
        compare_reader({"a": scores["a"]}, y, scores["b"] > 0.5, cluster=np.arange(120) // size)[0]
        for size in (5, 4)
    )
    assert np.isnan(few.p)
    assert "fewer than 30 clusters" in few.reason
    assert few.effect.value == enough.effect.value
    assert enough.effect.has_interval


def test_a_model_named_as_the_reader_is_refused():
    y = np.tile([0, 1], 20)
    with pytest.raises(InputError, match="both named 'reader'"):
        ca.compare_reader({"reader": np.linspace(0, 1, 40)}, y, y)


@pytest.mark.parametrize(
    ("labels", "first"),
    [
        (
            ("ja", "nein", "JA"),
            "'ja' differs from 'JA' only in capitalization. Use one spelling. Otherwise, assess",
        ),
        (("a", "b", "c"), "Assess"),
    ],
)
@pytest.mark.parametrize("what", ["score", "prediction"])
def test_readers_of_three_classes_are_told_what_readers_can_do(tmp_path, monkeypatch, labels, first, what):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{labels[case % 3]},{case},{reader},0.{case + reader + 1},{labels[case % 2]}"
        for case in range(6)
        for reader in (1, 2)
    ]
    (tmp_path / "f.csv").write_text("\n".join(["y,case,reader,p,q", *rows]) + "\n")
    column = {"score": "p", "prediction": "q"}[what]
    said = call(
        "readers", "f.csv", *["--truth", "y", "--case", "case", "--reader", "reader"], f"--{what}", column
    ).stderr
    assert f"readers are compared on two. {first} one class against the others" in said
    assert "--class-scores" not in said


@pytest.mark.usefixtures("folder")
def test_a_reader_with_words_of_his_own():
    plain = call("compare", *BASES["AgainstReader"], "--json", "-")
    assert "--reader-positive" in refusal("compare", *BASES["AgainstReader"][:-1], "word")
    named = call("compare", *BASES["AgainstReader"][:-1], "word", "--reader-positive", "ill", "--json", "-")
    one, other = (json.loads(each.stdout)["comparisons"][0] for each in (plain, named))
    assert one["difference"] == other["difference"]
    turned = call("compare", *BASES["AgainstReader"][:-1], "word", "--reader-positive", "well", "--json", "-")
    assert json.loads(turned.stdout)["comparisons"][0]["difference"] != one["difference"]
