"""What groups of cases add to `comparison/test_written_otherwise.py`."""

import json

import pytest

import classay as ca
from classay.report import door
from command import call
from comparison.test_written_otherwise import FORMS, SAID, Y, frame_of, texts_of, written
from wing_samples import of_wings


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
    assert "true label" in text
    assert repr("Lärche") in text
    assert not texts_of(DOORS[door](SAID, tmp_path))


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
            assert "only in capitalization" in " ".join(shown.split())


def test_groups_that_differ_in_writing_alone_are_told():
    by = ["F", "f", "m"] * 30
    slices = ca.assess_by(Y, y_pred=SAID["a"], by=by)
    assert "'f' differs from 'F' only in capitalization" in " ".join(str(slices).split())
    compared = ca.compare(y_true=Y, y_pred=SAID, by=by, measures=["accuracy"])
    assert any("'f' differs from 'F' only in capitalization" in each for each in compared.sentences_of_groups)
