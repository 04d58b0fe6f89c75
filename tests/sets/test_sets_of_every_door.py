"""Prediction sets: forms that are taken or refused, and the command, which gives what Python gives."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from command import as_json, call, refusal
from documented import other_defaults
from sets.in_sweeps import LABELS, sets, write_inputs

Y = ["a", "b", "a", "b"]
LISTS = [["a"], ["a", "b"], [], ["a"]]
MATRIX = np.array([[1, 0], [1, 1], [0, 0], [1, 0]])


def written(name):
    return json.loads(Path(name).read_text(encoding="utf-8"))


def same(*arguments, **options):
    """Whether an assessment is that of `LISTS`."""
    return ca.assess_sets(*arguments, **options).estimates == ca.assess_sets(Y, LISTS).estimates


@pytest.mark.parametrize(
    "form",
    [
        MATRIX,
        MATRIX.astype(float),
        MATRIX.astype(np.uint8),
        MATRIX[:, :, None].astype(bool),
        MATRIX.astype(bool).tolist(),
        [tuple(row) for row in MATRIX.astype(bool)],
        [*MATRIX.astype(bool)],
        [tuple(row) for row in LISTS],
        [frozenset(row) for row in LISTS],
        [np.array(row, dtype="U1") for row in LISTS],
        np.array([frozenset(row) for row in LISTS], object),
        iter(LISTS),
    ],
)
def test_sets_may_have_any_of_these_forms(form):
    assert same(Y, form)


@pytest.mark.parametrize(
    ("separator", "text"),
    [
        ("|", ["a", "a|b", "", "a"]),
        ("|", [" a ", "|a | b|", " | ", "a|"]),
        (", ", ["a", "a, b", None, "a"]),
        ("and", ["a", "aandb", None, "a"]),
    ],
)
def test_text_is_divided_at_the_separator_and_spaces_are_no_part_of_labels(separator, text):
    assert same(Y, text, separator=separator)
    assert same(Y, np.array(text, dtype=object), separator=separator)


LONG = "x" * 100


@pytest.mark.parametrize(
    ("y", "form", "options", "says"),
    [
        (Y, MATRIX[:3], {}, "There are 4 true labels, but 3 sets. Pass one set for each case."),
        (Y[:3], MATRIX, {}, "There are 3 true labels, but 4 sets."),
        ([*Y[:2], None, None], MATRIX, {}, "truth is missing in 2 cases. Exclude cases without a true label."),
        ([], [], {}, "There are no cases. Pass true labels with their sets."),
        (Y, MATRIX, {"separator": "|"}, "sets are columns of labels. Remove separator=."),
        (Y, {"a": [True] * 4}, {"separator": "|"}, "sets are columns of labels. Remove separator=."),
        (Y, ["a"] * 4, {"separator": ""}, "The separator is empty. Use separator=, such as '|'."),
        (Y, "abab", {}, "sets must be a Boolean matrix, a list of labels for each case, or text with a separator."),
        (Y, b"abab", {}, "sets must be a Boolean matrix"),
        (Y, 4, {}, "sets must be a Boolean matrix"),
        (Y, ["a|b", "b", "a", "b"], {}, "sets are text, such as 'a|b'. Use separator='|' to divide it into labels."),
        (Y, [["a"], LONG, 1, 2], {}, f"sets are text, such as '{LONG[:25]}"),
        (Y, [["a"], ["b"], 1, "b"], {}, "The set at index 2 is 1. Pass a list of labels for each case, or []."),
        (Y, [["a"], {"b": 1}, 1, "b"], {}, "The set at index 1 is {'b': 1}."),
        (Y, [["a"], np.eye(2), [], []], {}, "The set at index 1 is"),
        (Y, [["a"], ["a", "b", "b"], [], []], {}, "The set at index 1 has the label 'b' twice."),
        (Y, ["a", "a|b|b", "", ""], {"separator": "|"}, "The set 'a|b|b' has the label 'b' twice."),
        (Y, [["x"], ["y"], [], []], {}, "No true label ('a', 'b') is in any set ('x', 'y')."),
        (Y, LISTS, {"labels": ["a", "c"]}, "sets have labels that are not declared: 'b'. Declared labels: 'a', 'c'."),
        (Y, MATRIX, {"labels": ["a", "b", "c"]}, "sets have 2 columns, but there are 3 declared labels."),
        (Y, MATRIX[:, :1], {}, "sets have 1 columns, but there are 2 true labels."),
        (Y, np.ones(4), {}, "sets have shape (4,). Pass a Boolean matrix with a row for each case"),
        (Y, np.ones((4, 2, 2)), {}, "sets have shape (4, 2, 2)."),
        (Y, MATRIX[:, :, None][:, :, [0, 0]], {}, "sets have shape (4, 2, 2)."),
        (Y, np.array([["a", "b"]] * 4), {}, "but one value is 'a'. Scores are not sets."),
        (Y, 2 * MATRIX, {}, "but one value is 2. Scores are not sets. Apply the threshold first."),
        (Y, MATRIX - 0.5, {}, "but one value is 0.5."),
        (Y, -MATRIX, {}, "but one value is -1."),
        (Y, LISTS, {"by": ["u"] * 3}, "by has 3 groups for 4 cases. Pass one for each case."),
        (Y, LISTS, {"by": ["u"] * 5}, "by has 5 groups for 4 cases."),
        (Y, LISTS, {"by": ["u", None, None, "v"]}, "by is missing in 2 cases. Name the group of every case."),
        (Y, LISTS, {"calibration": 30}, "Calibration cases need a target coverage. Use target=0.9, for example."),
        (Y, LISTS, {"calibration": 8, "target": 0.9}, "8 calibration cases cannot promise a coverage of 0.9."),
    ],
)  # fmt: skip
def test_other_forms_are_refused_in_words(y, form, options, says):
    with pytest.raises(InputError, match=re.escape(says)):
        ca.assess_sets(y, form, **options)


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        ({"a": LISTS}, "Two methods are compared, but sets has a. Pass {'new': sets, 'old': sets}."),
        ({"a": LISTS, "b": LISTS, "c": LISTS}, "but sets has a, b and c."),
        ({}, "Two methods are compared"),
        ([LISTS, LISTS], "Two methods are compared, but sets has list."),
        ({"a": LISTS, "b": LISTS[:3]}, "There are 4 true labels, but 3 sets"),
        ({"a": MATRIX, "b": 2 * MATRIX}, "Scores are not sets"),
    ],
)
def test_other_than_two_methods_are_refused(methods, says):
    with pytest.raises(InputError, match=re.escape(says)):
        ca.compare_sets(Y, methods)


@pytest.mark.parametrize(
    ("options", "says"),
    [({"calibration": 30}, "need a target"), ({"calibration": 8, "target": 0.9}, "Use at least 9")],
)
def test_a_comparison_needs_what_an_assessment_needs(options, says):
    with pytest.raises(InputError, match=says):
        ca.compare_sets(Y, {"a": LISTS, "b": LISTS}, **options)


def refusal_of(form):
    """Why scores of any form are refused, nothing for scores that are taken."""
    try:
        ca.assess(Y, form)
    except ca.ClassayError as error:
        return str(error)
    return ""


SETS = [MATRIX > 0, (MATRIX > 0).tolist(), {"a": MATRIX[:, 0] > 0, "b": MATRIX[:, 1] > 0}]
NOT_SETS = [
    np.eye(2, dtype=bool)[[0, 1, 0, 1]],
    np.eye(2, dtype=bool)[[0, 1, 0, 1]].tolist(),
    {"a": np.array([True, False, True, False]), "b": np.array([False, True, False, True])},
]


@pytest.mark.parametrize(
    "form",
    [MATRIX.astype(bool), MATRIX.astype(bool).tolist(), {"a": MATRIX[:, 0] > 0, "b": MATRIX[:, 1] > 0}],
)
def test_a_truth_matrix_with_rows_of_other_than_one_label_is_a_matrix_of_sets(form):
    for scored in ({"y_score": form}, {"y_pred": form}):
        with pytest.raises(InputError, match="is a prediction set, not scores"):
            ca.assess(Y, **scored)
    with pytest.raises(InputError, match="is a prediction set, not scores"):
        ca.assess_by(Y, form, by=Y)


@pytest.mark.parametrize("form", NOT_SETS)
def test_a_truth_matrix_of_one_label_a_row_is_no_matrix_of_sets(form):
    assert "prediction set" not in refusal_of(form)


@pytest.mark.parametrize(
    "form",
    [
        (MATRIX > 0)[:, :1],
        MATRIX.astype(float),
        MATRIX[:, 0] > 0,
        [[True], [True, True], [False], [True]],
        [[True, True], [True, 0.5], [False, True], [True, True]],
        [[True, True], (True, True), [False, True], [True, True]],
        [[True, True], 1, 0, 1],
        {"a": MATRIX[:, 0] > 0, "b": np.array([0.5, 0.5, 0.5, 0.5])},
        {},
        [],
        [[]],
    ],
)
def test_what_is_no_matrix_of_truth_values_is_not_called_a_set(form):
    assert "prediction set" not in refusal_of(form)


@pytest.fixture(scope="module")
def _rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        write_inputs()
        yield folder


TEXT = ("sets.csv", "--truth", "y", "--set", "new", "--separator", "|")
MATRIX_OF_FILE = ("sets.csv", "--truth", "y", "--set", "in_*")


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize("source", [TEXT, MATRIX_OF_FILE])
@pytest.mark.parametrize(
    ("words", "options"),
    [
        ((), {}),
        (("--by", "site"), {"by": "site"}),
        (("--target", "0.8"), {"target": 0.8}),
        (("--target", "0.8", "--calibration", "150"), {"target": 0.8, "calibration": 150}),
        (("--level", "0.9"), {"level": 0.9}),
        (("--labels", "dog,ant,bee,cat"), {"labels": ["dog", "ant", "bee", "cat"]}),
    ],
)
def test_the_command_gives_what_python_gives(source, words, options):
    rows = sets()
    done = call("sets", *source, *words, "--json", "a.json", "--save", "a")
    assert done.exit_code == 0, done.stderr
    found = written("a.json")
    how = dict(options) | ({"by": rows["site"]} if "by" in options else {})
    columns = {label: rows["new"][:, k] for k, label in enumerate(LABELS)}
    texts = ["|".join(np.array(LABELS)[row]) for row in rows["new"]]
    of_text = source is TEXT
    wanted = ca.assess_sets(
        rows["y"], texts if of_text else columns, separator="|" if of_text else None, **how
    ).to_dict()
    assert found["by"] == options.get("by")
    assert {**found, "by": None, "warnings": ()} == {**json.loads(json.dumps(wanted)), "warnings": ()}
    assert len(found["warnings"]) == len(wanted["warnings"])
    assert ca.load("a.classay").to_dict()["measures"] == wanted["measures"]


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize(
    "words",
    [(), ("--target", "0.8", "--calibration", "150", "--level", "0.9", "--labels", "ant,bee,cat,dog,eel")],
)
def test_the_command_compares_what_python_compares(words):
    rows = sets()
    done = call("sets", *TEXT, "--set", "old", *words, "--json", "a.json")
    assert done.exit_code == 0, done.stderr
    texts = {name: ["|".join(np.array(LABELS)[row]) for row in rows[name]] for name in ("new", "old")}
    how = {"target": 0.8, "calibration": 150, "level": 0.9, "labels": [*LABELS, "eel"]} if words else {}
    wanted = ca.compare_sets(rows["y"], texts, separator="|", **how)
    assert written("a.json") == as_json(wanted)
    mixed = call("sets", *TEXT, "--set", "in_*", *words[:-2], "--json", "b.json")
    assert mixed.exit_code == 0, mixed.stderr
    assert written("b.json")["size_difference"]["value"] == 0


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("sets.csv",), "Name the columns of --truth and --set. "),
        (("sets.csv", "--truth", "y"), "Name the columns of --set. "),
        (("sets.csv", "--set", "new"), "Name the columns of --truth. "),
        ((*TEXT, "--set", "new"), "--set is given 2 times. Use it once, or twice with different columns."),
        ((*TEXT, "--set", "old", "--set", "in_*"), "--set is given 3 times."),
        (
            ("sets.csv", "--truth", "new", *TEXT[3:]),
            "--truth and --set name the same column 'new'. Name the sets.",
        ),
        (("sets.csv", "--truth", "in_bee", "--set", "in_*"), "name the same column 'in_bee'"),
        ((*TEXT, "--by", "site,old"), "--by needs one column of groups here. Name one column."),
        ((*TEXT, "--set", "old", "--by", "site"), "--by has no effect with two methods (--set twice)."),
        ((*TEXT, "--set", "old", "--save", "b"), "--save has no effect with two methods (--set twice)."),
        ((*TEXT, "--set", "old", "--require", "coverage > 0"), "--require has no effect with two methods"),
        ((*TEXT, "--calibration", "30"), "Calibration cases need a target coverage. Use --target 0.9"),
        ((*TEXT, "--calibration", "8", "--target", "0.9"), "Use at least 9, or a lower --target."),
        ((*TEXT, "--require", "covrage > 0"), "Did you mean"),
        (TEXT[:-2], "are text, such as"),
        ((*TEXT[:-1], ""), "separator"),
        ((*MATRIX_OF_FILE, "--separator", "|"), "Remove --separator."),
        (("sets.csv", "--truth", "y", "--set", "zebra", "--separator", "|"), "zebra"),
        ((*TEXT, "--level", "1"), "level"),
        ((*TEXT, "--target", "1"), "target"),
    ],
)
def test_the_command_refuses_in_words(words, says):
    assert says in refusal("sets", *words, "--json", "refused.json")
    assert not Path("refused.json").exists()


@pytest.mark.usefixtures("_rows")
@pytest.mark.parametrize(
    ("demand", "code"),
    [("coverage >= 0.9", 0), ("coverage >= 0.93", 1), ("mean_size <= 2", 0), ("mean_size < 1.9", 1)],
)
def test_a_demand_decides_the_exit_code(demand, code):
    assert call("sets", *TEXT, "--require", demand).exit_code == code


@pytest.mark.usefixtures("_rows")
def test_a_saved_assessment_is_shown_again_with_its_groups():
    assert call("sets", *TEXT, "--by", "site", "--save", "s").exit_code == 0
    shown = call("runs", "s.classay")
    assert shown.exit_code == 0
    assert re.search(r"groups\s+2 of site", shown.stdout)


def test_calls_have_the_defaults_of_their_docstrings():
    assert other_defaults(ca.assess_sets, ca.compare_sets) == {}
