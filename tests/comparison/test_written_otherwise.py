"""Labels that are written in another way than the true ones: every door names them, and the numbers stay."""

import json
import unicodedata

import numpy as np
import pytest

import classay as ca
from classay.columns.labels import alike, near_misses
from classay.errors import InputError
from classay.report import door
from command import call
from wing_samples import of_wings

CLASSES = ["Oak", "Elm", "Lärche"]
RNG = np.random.default_rng(5)
Y = RNG.choice(CLASSES, 90)
SAID = {
    name: np.where(RNG.random(90) < right, Y, RNG.choice(CLASSES, 90)).tolist()
    for name, right in zip("abcd", (0.9, 0.8, 0.7, 0.6), strict=True)
}
FORMS = {
    "capitals": (str.upper, "capitals alone"),
    "a blank": (lambda text: f"{text} ", "blanks alone"),
    "a hard blank": (lambda text: f"\u00a0{text}", "blanks, or Unicode form"),
    "a mark that nobody sees": (lambda text: f"\ufeff{text}", "Unicode form alone"),
    "full width": (lambda text: text.replace("k", "\uff4b").replace("m", "\uff4d"), "Unicode form alone"),
    "composed apart": (lambda text: unicodedata.normalize("NFD", text), "Unicode form alone"),
    "two ways at once": (lambda text: f" {text.upper()}", "capitals, blanks or Unicode form alone"),
}


def written(form, labels):
    return [FORMS[form][0](each) for each in labels]


def texts_of(warnings):
    return [each["text"] for each in warnings if each["code"] == "written_otherwise"]


def frame_of(said):
    return {"y": Y.tolist()} | said


def at_the_command(tmp_path, said, *arguments):
    names = [*said]
    rows = zip(Y, *said.values(), strict=True)
    lines = [",".join(["y", *names]), *(",".join(f'"{each}"' for each in row) for row in rows)]
    (tmp_path / "f.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = str(tmp_path / "f.csv")
    command, *rest = arguments
    done = call(command, path, "--truth", "y", *rest, "--json", "-")
    assert done.exit_code in (0, 1, 3), done.stderr
    return json.loads(done.stdout)["warnings"]


def page_of(found, folder):
    found.report(folder / "page.html")
    return (folder / "page.html").read_text(encoding="utf-8")


DOORS = {
    "assess, arrays": lambda said, _: ca.assess(Y, y_pred=said["b"]).to_dict()["warnings"],
    "assess, a frame": lambda said, _: ca.assess(frame_of(said), truth="y", prediction="b").to_dict()[
        "warnings"
    ],
    "compare two, arrays": lambda said, _: ca.compare(
        y_true=Y, y_pred={name: said[name] for name in "ab"}
    ).to_dict()["warnings"],
    "compare four, a frame": lambda said, _: ca.compare(
        frame_of(said), truth="y", predictions=[*"abcd"]
    ).to_dict()["warnings"],
    "compare, groups": lambda said, _: ca.compare(
        y_true=Y, y_pred=said, by=["x", "y"] * 45, measures=["accuracy"]
    ).to_dict()["all_cases"]["warnings"],
    "unpaired": lambda said, _: ca.compare_unpaired(
        {name: ca.assess(Y, y_pred=said[name], labels=sorted({*Y, *said["b"]})) for name in "ab"}
    ).to_dict()["warnings"],
    "best": lambda said, _: ca.best_of(y_true=Y, y_pred=said).to_dict()["warnings"],
    "gate": lambda said, _: (
        ca.compare(y_true=Y, y_pred={name: said[name] for name in "ab"}, measures=["accuracy"])
        .gate("superior")
        .to_dict()["warnings"]
    ),
    "classay assess": lambda said, folder: at_the_command(folder, said, "assess", "--prediction", "b"),
    "classay compare": lambda said, folder: at_the_command(folder, said, "compare", "--predictions", "a,b,c"),
    "classay best": lambda said, folder: at_the_command(folder, said, "best", "--predictions", "a,b,c"),
    "classay gate": lambda said, folder: at_the_command(
        folder, said, *["gate", "--predictions", "a,b", "--measure", "accuracy", "--rule", "superior"]
    ),
}
for added in of_wings("DOORS_OF_WRITING"):
    DOORS |= added


@pytest.mark.covering(1)
@pytest.mark.parametrize("form", ["capitals", "a blank", "composed apart"])
@pytest.mark.parametrize("door", DOORS)
def test_every_door_names_labels_that_are_written_in_another_way(tmp_path, door, form):
    said = SAID | {"b": written(form, SAID["b"])}
    (text,) = texts_of(DOORS[door](said, tmp_path))
    assert FORMS[form][1] in text
    assert "never true" in text
    assert repr("Lärche") in text
    assert not texts_of(DOORS[door](SAID, tmp_path))


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
        assert "8 more in such a way" in text


def test_labels_that_are_both_true_are_no_slip():
    y = ["us", "US", "us", "US", "them", "them"] * 5
    said = {"a": y, "b": ["US", "us", *y[2:]]}
    assert not texts_of(ca.assess(y, y_pred=said["b"]).to_dict()["warnings"])
    assert not ca.compare(y_true=y, y_pred=said).warnings


def test_texts_and_pages_say_it_too(tmp_path):
    said = SAID | {"b": written("capitals", SAID["b"])}
    results = [
        ca.assess(Y, y_pred=said["b"]),
        ca.assess_by(Y, y_pred=said["b"], by=["x", "y"] * 45),
        ca.compare(y_true=Y, y_pred=said),
        ca.compare(y_true=Y, y_pred={name: said[name] for name in "ab"}),
        ca.best_of(y_true=Y, y_pred=said),
        ca.compare(y_true=Y, y_pred={name: said[name] for name in "ab"}, measures=["accuracy"]).gate(
            "superior"
        ),
    ]
    for each in results:
        for shown in (door.text(each), page_of(each, tmp_path), each.to_markdown()):
            assert "in capitals alone" in " ".join(shown.split())


def test_groups_that_differ_in_writing_alone_are_told():
    by = ["F", "f", "m"] * 30
    slices = ca.assess_by(Y, y_pred=SAID["a"], by=by)
    assert "'f' differs from 'F' in capitals alone" in " ".join(str(slices).split())
    compared = ca.compare(y_true=Y, y_pred=SAID, by=by, measures=["accuracy"])
    assert any("'f' differs from 'F' in capitals alone" in each for each in compared.sentences_of_groups)


def test_a_positive_class_among_three_tells_the_near_miss_first():
    y, said = ["ja", "nein"] * 20, ["JA", "nein"] * 20
    with pytest.raises(
        InputError, match=r"'ja' differs from 'JA' in capitals alone: write them alike, or leave"
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
        assert "--labels A,B,… --unanswered wrong" in text
    assert "'Asj' of c" in two["macro_f1"].reason
    assert "'Asj' of c" in two["balanced_accuracy"].reason
    for name in measures[1:]:
        assert "'Asj' of c" in several.leaderboard(name).reason
    with pytest.raises(
        InputError, match=r"'Asj' of c\. To count such answers as wrong alone, declare the classes"
    ):
        ca.best_of(y_true=Y, y_pred=said, measure="macro_f1")
    declared = ca.best_of(y_true=Y, y_pred=said, measure="macro_f1", labels=CLASSES, unanswered="wrong")
    assert not declared.warnings


@pytest.mark.parametrize("form", ["capitals", "a blank", "composed apart"])
def test_a_refusal_of_labels_that_are_not_declared_says_how_they_are_written(form):
    with pytest.raises(InputError, match=f"(?s)not declared.*{FORMS[form][1]}.*Declare every label"):
        ca.assess(Y, y_pred=Y, labels=written(form, CLASSES))


@pytest.mark.parametrize("form", ["capitals", "composed apart"])
def test_tags_that_are_written_in_another_way_are_told(form):
    def read(said):
        return ca.assess(frame_of({"b": said}), truth="y", prediction="b", separator="|").to_dict()[
            "warnings"
        ]

    (text,) = texts_of(read(written(form, SAID["b"])))
    assert FORMS[form][1] in text
    assert not texts_of(read(SAID["b"]))
    assert not texts_of(read([f" {each} " for each in SAID["b"]]))  # blanks around a tag are none of it
