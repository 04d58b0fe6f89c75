"""Runs corrected by human labels: rows put side by side by hand, then given to `judged` and `compare_judged`."""

import csv
import warnings

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.grades.tables import GradeColumns, TableReading
from classay.grades_judged.correcting import corrected

SIZES = {"new": range(90), "old": range(5, 95)}
"""The cases that each run answers: not the same."""
BY = ("length", "writer")
COLUMNS = {False: GradeColumns("case", by=BY), True: GradeColumns("case", repeat="repeat", by=BY)}
MAP = {"good": 1.0, "fair": 0.25, "bad": 0.0}
KINDS = {
    "numbers": ({1.0: "1", 0.0: "0"}, None),
    "words": ({1.0: "Yes", 0.0: "no"}, None),
    "letters": ({1.0: "C", 0.0: "I", 0.5: "P"}, None),
    "a map": ({1.0: "good", 0.25: "fair", 0.0: "bad"}, MAP),
    "a map of letters": ({1.0: "I", 0.25: "P", 0.0: "C"}, {"I": 1.0, "P": 0.25, "C": 0.0}),
    "scores": ({k / 4: str(k / 4) for k in range(-1, 6)}, None),
}
"""How human labels are written, by their values, and the map that reads them."""


def made(folder, kind, repeats, seed):
    """Files of two runs and of their human labels, with rows in any order, and the same in columns by answer."""
    rng = np.random.default_rng(seed)
    texts, map = KINDS[kind]
    values = np.array([*texts])
    truth = {(case, k): rng.choice(values) for case in range(95) for k in range(1, 1 + repeats)}
    answers = sorted(truth, key=lambda at: (f"q{at[0]}", at[1]))
    grades, labels, rows = {}, {}, []
    for run, cases in SIZES.items():
        own = [at for at in answers if at[0] in cases]
        grade = {at: float(truth[at] >= 0.5) if rng.random() < 0.8 else float(rng.integers(2)) for at in own}
        grades[run] = np.array([grade.get(at, np.nan) for at in answers])
        labeled = {at: truth[at] for at in own if rng.random() < 0.6}
        labels[run] = np.array([labeled.get(at, np.nan) for at in answers])
        rows += [(run, f"q{case}", k, texts[value]) for (case, k), value in labeled.items()]
        rows += [(run, f"q{case}", k, "") for case, k in own if (case, k) not in labeled]
        written(
            folder / f"{run}.csv",
            ["case", "repeat", "grade", "length", "writer"],
            [
                (f"q{case}", k, int(grade[case, k]), "sl"[case % 2], case // 3)
                for case, k in rng.permutation(own)
            ],
        )
    written(
        folder / "labels.csv",
        ["model", "case", "repeat", "label"],
        [rows[i] for i in rng.permutation(len(rows))],
    )
    return answers, grades, labels, map


def written(path, heads, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([heads, *rows])


def ranks(texts):
    """Clusters as numbers in the order of their names, so that sums are added in one order."""
    return np.unique(texts, return_inverse=True)[1]


def found(folder, names, repeats, map=None, by=None, cluster=(), level=0.95, run="model"):
    columns = COLUMNS[repeats > 1]
    runs = ca.read_grades([folder / f"{name}.csv" for name in names], grade="grade", columns=columns)
    of_labels = GradeColumns("case", run if len(names) > 1 else None, columns.repeat)
    path = str(folder / "labels.csv")
    how = {"map": map, "by": by, "cluster": cluster, "level": level}
    return corrected(runs, path, of_labels, "label", TableReading(), **how)


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("by", [None, "length"])
@pytest.mark.parametrize("cluster", [(), ("writer",)])
def test_two_runs_are_systems_side_by_side(kind, repeats, by, cluster, tmp_path):
    answers, grades, labels, map = made(tmp_path, kind, repeats, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = found(tmp_path, SIZES, repeats, map, by, cluster, 0.9)
        how = {"by": None if by is None else tuple("sl"[case % 2] for case, _ in answers), "level": 0.9}
        if cluster:
            how["cluster"] = ranks([f"{case // 3}" for case, _ in answers])
        elif repeats > 1:
            how["cluster"] = ranks([f"q{case}" for case, _ in answers])
        if kind == "scores":
            how["bounds"] = (-0.25, 1.25)
        elif len({*KINDS[kind][0]}) > 2:
            how["bounds"] = (0.0, 1.0)
        wanted = ca.compare_judged(labels, grades, **how)
    assert mine.to_dict() == wanted.to_dict()
    assert [each.n_labels for each in mine.systems] == [
        int((~np.isnan(labels[each.name])).sum()) for each in mine.systems
    ]


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("repeats", [1, 2])
def test_one_run_is_judged(kind, repeats, tmp_path):
    answers, grades, labels, map = made(tmp_path, kind, repeats, 2)
    lines = (tmp_path / "labels.csv").read_text().splitlines()
    (tmp_path / "labels.csv").write_text(
        "\n".join([lines[0], *(line for line in lines if line.startswith("new,"))])
    )
    there = [i for i, (case, _) in enumerate(answers) if case in SIZES["new"]]
    how = {"cluster": ranks([f"q{answers[i][0]}" for i in there])} if repeats > 1 else {}
    if kind == "scores":
        how["bounds"] = (-0.25, 1.25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = found(tmp_path, ["new"], repeats, map)
        assert mine.to_dict() == ca.judged(labels["new"][there], grades["new"][there], **how).to_dict()


def test_labels_of_others_are_ignored_with_their_number(tmp_path):
    """Labels of runs, and of answers, that are not there; all labels of others is a refusal (see the next test)."""
    made(tmp_path, "numbers", 1, 3)
    before = found(tmp_path, SIZES, 1).to_dict()
    with open(tmp_path / "labels.csv", "a", encoding="utf-8") as file:
        file.write("newer,q1,1,1\nnew,x2,1,1\nnew,x1,1,0\nbase,q1,1,0\nnewer,q2,1,0\n")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert found(tmp_path, SIZES, 1).to_dict() == before
    texts = [str(each.message) for each in told]
    assert texts[0] == "labels.csv has human labels of 2 other runs, such as base. They are ignored."
    assert "human labels are of answers that are not in run new, such as case 'x1'" in texts[1]
    assert texts[1].startswith("2 of ")
    assert len(texts) == 2
    assert {each.filename for each in told} == {ca.grades_judged.correcting.__file__}


@pytest.mark.parametrize(("bounds", "wanted"), [((0, 4), (0, 4)), ((0.5, 2), (0.5, 3)), ((1, 4), (0.75, 4))])
@pytest.mark.parametrize("names", [["new"], ["new", "old"]])
def test_declared_bounds_reach_beyond_the_grades_and_take_in_the_labels(bounds, wanted, names, tmp_path):
    """Grades are 1 to 2, and human labels 1 to 3, or from 0.75 where the bounds begin with 1."""
    rng = np.random.default_rng(6)
    least = 0.75 if bounds[0] == 1 else 1
    grades = {name: rng.integers(2, 5, 60) / 2 for name in names}
    labels = {name: np.where(np.arange(60) % 2, grades[name], np.nan) for name in names}
    for name in names:
        labels[name][[1, 3]] = least, 3
        written(tmp_path / f"{name}.csv", ["case", "grade"], enumerate(grades[name]))
    rows = [(name, k, labels[name][k]) for name in names for k in range(1, 60, 2)]
    written(tmp_path / "labels.csv", ["model", "case", "label"], rows)
    paths = [tmp_path / f"{name}.csv" for name in names]
    runs = ca.read_grades(paths, grade="grade", columns=GradeColumns("case"), bounds=bounds)
    of_labels = GradeColumns("case", "model" if names[1:] else None)
    how = {"map": None, "by": None, "cluster": (), "level": 0.95}
    found = corrected(runs, str(tmp_path / "labels.csv"), of_labels, "label", TableReading(), **how)
    order = np.argsort([str(k) for k in range(60)])
    labels, grades = ({name: each[name][order] for name in names} for each in (labels, grades))
    call = ca.compare_judged if names[1:] else lambda a, b, **how: ca.judged(a["new"], b["new"], **how)
    assert found.to_dict() == call(labels, grades, bounds=wanted).to_dict()
    assert found.to_dict() != call(labels, grades).to_dict()


REFUSED = {
    "no label of two runs": (
        "model,case,label\nnews,q1,1\nelder,q1,0\n",
        "labels.csv has no human label of the run 'new'. Its runs: elder and news. Did you mean 'news'?",
    ),
    "no label of one run": (
        "model,case,label\nnew,q1,1\nelder,q1,0\n",
        "labels.csv has no human label of the run 'old'. Its runs: elder and new.",
    ),
    "empty labels": (
        "model,case,label\nnew,q1,1\nold,q5,\n",
        "labels.csv has no human label of the run 'old'. Label some answers, or use another column.",
    ),
    "letters among numbers": (
        "model,case,label\nnew,q7,P\nnew,q8,1\nold,q5,1\n",
        "1 grade of label is not numeric: 'P' (1). Pass map= with a number for each grade.",
    ),
    "two labels of each": (
        "model,case,label\nnew,q7,1\nold,q5,1\nnew,q6,1\nnew,q6,\nnew,q7,0\nnew,q8,1\nnew,q8,0\n",
        "The file has several human labels of 2 answers, such as case 'q7'. Keep one label of each answer.",
    ),
    "other cases": (
        "model,case,label\nnew,x1,1\nnew,x2,1\nold,q5,0\n",
        "2 of 2 human labels are of answers that are not in run new, such as case 'x1'. Check the ids of the "
        "cases in labels.csv.",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_to_change(name, tmp_path):
    text, words = REFUSED[name]
    made(tmp_path, "numbers", 1, 4)
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(InputError) as refused:
        found(tmp_path, SIZES, 1)
    assert str(refused.value) == words


def test_one_label_of_several_answers_is_refused_where_the_case_has_several(tmp_path):
    """A case with one answer needs no column of repeats."""
    written(
        tmp_path / "new.csv",
        ["case", "repeat", "grade"],
        [("q1", 1, 1), ("q2", 1, 1), ("q2", 2, 0)] + [(f"r{k}", 1, k % 2) for k in range(20)],
    )
    runs = ca.read_grades(
        [tmp_path / "new.csv"], grade="grade", columns=GradeColumns("case", repeat="repeat")
    )
    how = {"map": None, "by": None, "cluster": (), "level": 0.95}

    def ask(rows):
        written(tmp_path / "labels.csv", ["case", "label"], rows)
        return corrected(
            runs, str(tmp_path / "labels.csv"), GradeColumns("case"), "label", TableReading(), **how
        )

    rest = [(f"r{k}", k % 3 % 2) for k in range(12)]
    with pytest.raises(InputError) as refused:
        ask([("q1", 1), ("q2", 1), *rest])
    assert str(refused.value) == (
        "Case 'q2' has several answers, but labels.csv has no column for the labeled answer. Add a column with the "
        "repeat, and name it: --human-columns repeat=COL."
    )
    assert ask([("q1", 1), *rest]).n_labels == 13


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (
            {"by": "lenght"},
            "The runs have no common column 'lenght'. Columns: length and writer. Did you mean 'length'?",
        ),
        ({"by": "x"}, "The runs have no common column 'x'. Columns: length and writer."),
        (
            {"cluster": ("writer", "wroter")},
            "The runs have no common column 'wroter'. Columns: length and writer. Did you mean 'writer'?",
        ),
        (
            {"run": None},
            "A human label is about the answer of one run, but there are 2 runs. Add a column with the run "
            "of every label to labels.csv, and name it: --human-columns run=COL.",
        ),
    ],
)
def test_columns_of_the_runs_are_named_where_one_is_lacking(how, words, tmp_path):
    made(tmp_path, "numbers", 1, 5)
    with pytest.raises(InputError) as refused:
        found(tmp_path, SIZES, 1, **how)
    assert str(refused.value) == words
