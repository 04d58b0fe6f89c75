"""Labels that are written in another way than the true ones: every door names them, and the numbers stay."""

import unicodedata

import numpy as np
import pytest

import classay as ca
from classay.columns.spelling import alike, near_misses
from classay.errors import InputError

CLASSES = ["Oak", "Elm", "Lärche"]
RNG = np.random.default_rng(5)
Y = RNG.choice(CLASSES, 90)
SAID = {
    name: np.where(RNG.random(90) < right, Y, RNG.choice(CLASSES, 90)).tolist()
    for name, right in zip("abcd", (0.9, 0.8, 0.7, 0.6), strict=True)
}
FORMS = {
    "capitals": (str.upper, "capitalization"),
    "a blank": (lambda text: f"{text} ", "spaces"),
    "a hard blank": (lambda text: f"\u00a0{text}", "blanks, or Unicode form"),
    "a mark that nobody sees": (lambda text: f"\ufeff{text}", "only in Unicode form"),
    "full width": (lambda text: text.replace("k", "\uff4b").replace("m", "\uff4d"), "only in Unicode form"),
    "composed apart": (lambda text: unicodedata.normalize("NFD", text), "only in Unicode form"),
    "two ways at once": (lambda text: f" {text.upper()}", "capitals, blanks or Unicode form alone"),
}


def written(form, labels):
    return [FORMS[form][0](each) for each in labels]


def texts_of(warnings):
    return [each["text"] for each in warnings if each["code"] == "written_otherwise"]


def frame_of(said):
    return {"y": Y.tolist()} | said


@pytest.mark.parametrize("form", FORMS)
def test_each_way_of_writing_is_found(form):
    found = near_misses(written(form, CLASSES), CLASSES)
    assert {each.other for each in found} >= {"Lärche"} if form != "full width" else {"Oak", "Elm"}
    assert not near_misses(CLASSES, CLASSES)
    assert alike([*CLASSES, *written(form, CLASSES[-1:])]) or form == "full width"


def test_every_model_that_writes_otherwise_is_named():
    names = [f"stud{k:02}" for k in range(12)]
    forms = {1: "capitals", 4: "a blank", 7: "full width", 11: "two ways at once"}
    said = {name: written(forms[k], SAID["b"]) if k in forms else SAID["b"] for k, name in enumerate(names)}
    for found in (ca.compare(y_true=Y, y_pred=said), ca.best_of(y_true=Y, y_pred=said)):
        (text,) = texts_of(found.to_dict()["warnings"])
        assert text.startswith("labels of stud01, stud04, stud07 and stud11: ")
        assert "8 more labels in the same way" in text


def test_labels_that_are_both_true_are_no_slip():
    y = ["us", "US", "us", "US", "them", "them"] * 5
    said = {"a": y, "b": ["US", "us", *y[2:]]}
    assert not texts_of(ca.assess(y, y_pred=said["b"]).to_dict()["warnings"])
    assert not ca.compare(y_true=y, y_pred=said).warnings


def test_a_positive_class_among_three_tells_the_near_miss_first():
    y, said = ["ja", "nein"] * 20, ["JA", "nein"] * 20
    with pytest.raises(
        InputError,
        match=r"'ja' differs from 'JA' only in capitalization. If these are the same class, use one spelling",
    ):
        ca.assess(y, y_pred=said, positive="ja")


def test_a_class_of_one_model_alone_is_named_with_its_model():
    said = SAID | {"c": ["Asj", *SAID["c"][1:]]}
    measures = ["accuracy", "macro_f1", "balanced_accuracy"]
    two = ca.compare(y_true=Y, y_pred={name: said[name] for name in "ac"}, measures=measures)
    several = ca.compare(y_true=Y, y_pred=said, measures=measures)
    for found in (two, several):
        ((code, text),) = found.warnings
        assert code == "never_true"
        assert "'Asj' (predicted by c)" in text
        assert "labels=[…] with unanswered='wrong'" in text
    assert "'Asj' of c" in two["macro_f1"].reason
    assert "'Asj' of c" in two["balanced_accuracy"].reason
    for name in measures[1:]:
        assert "'Asj' of c" in several.leaderboard(name).reason
    with pytest.raises(
        InputError, match=r"'Asj' of c\. To count only such predictions as incorrect, declare the classes"
    ):
        ca.best_of(y_true=Y, y_pred=said, measure="macro_f1")
    declared = ca.best_of(y_true=Y, y_pred=said, measure="macro_f1", labels=CLASSES, unanswered="wrong")
    assert not declared.warnings


@pytest.mark.parametrize("form", ["capitals", "a blank", "composed apart"])
def test_a_refusal_of_labels_that_are_not_declared_says_how_they_are_written(form):
    with pytest.raises(InputError, match=f"(?s)not declared.*{FORMS[form][1]}.*Declare every label"):
        ca.assess(Y, y_pred=Y, labels=written(form, CLASSES))
