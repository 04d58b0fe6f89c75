"""Options of `classay judge`: each has the effect of its argument in Python, and what it refuses."""

import numpy as np
import pytest

import classay as ca
from command import OF_THE_FILE, as_json, call, json_of, refusal, write_columns

ONE = ("--human", "human", "--judge", "judge")


@pytest.fixture(scope="module")
def rows():
    """Columns of one judge and of two systems, also as one answer in a row."""
    rng = np.random.default_rng(11)
    n = 300
    truth, other = (rng.random(n) < 0.4) * 1, (rng.random(n) < 0.5) * 1
    columns = {"judge": np.where(rng.random(n) < 0.85, truth, 1 - truth)}
    columns["judge2"] = np.where(rng.random(n) < 0.8, other, 1 - other)
    drawn = rng.permutation(n) < 120
    columns["human"] = [int(x) if k else None for x, k in zip(truth, drawn, strict=True)]
    columns["human2"] = [int(x) if k else None for x, k in zip(other, drawn, strict=True)]
    columns["second"] = [None if x is None else int(x ^ (k % 9 == 0)) for k, x in enumerate(columns["human"])]
    columns["called"] = np.where(rng.random(n) < 0.75, truth, 1 - truth)
    columns["half"] = np.array(["a", "b"])[np.arange(n) % 2]
    columns["question"] = np.arange(n) // 3
    columns["chance"] = np.where(columns["judge"] == 1, 0.5, 0.35)
    columns["month"] = np.arange(n) * 4 // n
    columns["stars"] = 1 + columns["judge"] + rng.integers(0, 2, n)
    columns["human stars"] = [
        None if x is None else 1 + x + int(rng.random() < 0.5) for x in columns["human"]
    ]
    columns["score"] = np.round(columns["judge"] + rng.normal(0, 0.5, n), 3)
    columns["model"] = np.array(["new", "old"])[np.arange(n) % 2]
    columns["case"] = np.arange(n) // 2
    return {name: list(column) for name, column in columns.items()}


@pytest.fixture(scope="module")
def file(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("judge") / "judged.csv"
    return write_columns(path, rows)


def written(file, *words):
    return json_of("judge", file, *words, but=OF_THE_FILE)


def of_python(result):
    return as_json(result, OF_THE_FILE)


@pytest.fixture(scope="module")
def usual(file):
    """What is written without an option."""
    return written(file, *ONE)


OPTIONS = {
    "plain": ((), {}),
    "second": (("--second", "second"), {"second": "second"}),
    "prediction": (("--prediction", "called"), {"y_pred": "called"}),
    "by": (("--by", "half"), {"by": "half"}),
    "cluster": (("--cluster", "question"), {"cluster": "question"}),
    "chance": (("--chance", "chance"), {"chance": "chance"}),
    "stratum": (("--stratum", "half"), {"stratum": "half"}),
    "time": (("--time", "month"), {"time": "month"}),
    "finite": (("--finite",), {"finite": True}),
    "positive": (("--positive", "0"), {"positive": 0}),
    "level": (("--level", "0.8"), {"level": 0.8}),
    "score": (("--judge", "score"), {"judge": "score"}),
    "grades": (("--human", "human stars", "--judge", "stars"), {"human": "human stars", "judge": "stars"}),
    "bounds": (
        ("--human", "human stars", "--judge", "stars", "--bounds", "0,5"),
        {"human": "human stars", "judge": "stars", "bounds": (0, 5)},
    ),
    "unsure": (
        ("--human", "human stars", "--judge", "stars", "--unsure", "3", "--positive", "1"),
        {"human": "human stars", "judge": "stars", "unsure": 3, "positive": 1},
    ),
}
NO_COLUMN = ("finite", "positive", "level", "bounds", "unsure")


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_its_argument(name, rows, file, usual):
    words, how = OPTIONS[name]
    given = [word for role in ("human", "judge") if f"--{role}" not in words for word in (f"--{role}", role)]
    how = {"human": "human", "judge": "judge"} | how
    how = {role: value if role in NO_COLUMN else rows[value] for role, value in how.items()}
    found = written(file, *given, *words)
    assert found == of_python(ca.judged(how.pop("human"), how.pop("judge"), **how))
    assert (found == usual) == (name in ("plain", "second"))


def test_grades_of_a_judge_are_read_as_labels_beside_human_text(rows, tmp_path):
    """They may all look like numbers; beside human numbers they may be scores."""
    human = [None if each is None else "+" if each else "0" for each in rows["human"]]
    path = write_columns(tmp_path / "signs.csv", {"human": human, "judge": [0] * len(human)})
    found = written(path, *ONE, "--positive", "+")
    assert found == of_python(ca.judged(human, ["0"] * len(human), positive="+"))


SYSTEMS = ("--human", "new=human,old=human2", "--judge", "new=judge,old=judge2")
LONG = ("--human", "human", "--judge", "judge", "--model", "model")
OF_SYSTEMS = {
    "plain": (SYSTEMS, {}),
    "by": ((*SYSTEMS, "--by", "half"), {"by": "half"}),
    "cluster": ((*SYSTEMS, "--cluster", "question"), {"cluster": "question"}),
    "chance": ((*SYSTEMS, "--chance", "chance"), {"chance": "chance"}),
    "stratum": ((*SYSTEMS, "--stratum", "half"), {"stratum": "half"}),
    "time": ((*SYSTEMS, "--time", "month"), {"time": "month"}),
    "finite": ((*SYSTEMS, "--finite"), {"finite": True}),
    "positive": ((*SYSTEMS, "--positive", "0"), {"positive": 0}),
    "level": ((*SYSTEMS, "--level", "0.8"), {"level": 0.8}),
    "rows": (LONG, {"system": "model"}),
    "cases": ((*LONG, "--id", "case"), {"system": "model", "id": "case"}),
}


@pytest.mark.parametrize("name", OF_SYSTEMS)
def test_an_option_of_systems_is_its_argument(name, rows, file):
    words, how = OF_SYSTEMS[name]
    how = {role: value if role in NO_COLUMN else rows[value] for role, value in how.items()}
    columns = ({"new": rows["human"], "old": rows["human2"]}, {"new": rows["judge"], "old": rows["judge2"]})
    if "system" in how:
        columns = rows["human"], rows["judge"]
    assert written(file, *words) == of_python(ca.compare_judged(*columns, **how))


def test_a_half_width_is_planned(rows, file):
    found = written(file, *ONE, "--half-width", "0.06")
    j = ca.judged(rows["human"], rows["judge"]).with_plan(0.06)
    assert found == of_python(j)
    assert j.planned.labels == j.labels_for(0.06)
    assert "--half-width must be a positive number" in refusal("judge", file, *ONE, "--half-width", "0")


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_accuracy_elsewhere_is_of_the_grades(positive, level, rows, file):
    words = (
        "--sensitivity",
        "45/50",
        "--specificity",
        "90/100",
        "--positive",
        str(positive),
        "--level",
        str(level),
    )
    number = sum(x == positive for x in rows["judge"])
    wanted = ca.rogan_gladen(number, 300, sensitivity_of=(45, 50), specificity_of=(90, 100), level=level)
    assert written(file, "--judge", "judge", *words) == of_python(wanted)


REQUIRED = [
    (ONE, "pass_rate >= 0", 0),
    (ONE, "share > 0.99", 1),
    (ONE, "pass_rate.low >= 0.2 and pass_rate.high <= 0.3", 1),
    (SYSTEMS, "difference >= -1", 0),
    (SYSTEMS, "difference.low > 0.5", 1),
    (SYSTEMS, "new > 0.01", 0),
    (("--human", "human stars", "--judge", "stars"), "mean_grade >= 1.1", 0),
    (("--human", "human stars", "--judge", "stars"), "mean >= 4", 1),
    (("--judge", "judge", "--sensitivity", "45/50", "--specificity", "90/100"), "pass_rate > 0", 0),
    (("--judge", "judge", "--sensitivity", "45/50", "--specificity", "90/100"), "share > 0.9", 1),
]


@pytest.mark.parametrize(("words", "demand", "code"), REQUIRED)
def test_requirements_decide_the_exit_code(words, demand, code, file):
    done = call("judge", file, *words, "--require", demand)
    assert done.exit_code == code
    assert ("Failed" in done.stdout or "failed" in done.stdout.lower()) == (code == 1)


REFUSED = [
    ((*SYSTEMS, "--require", "difference > 1.5"), "is between -1 and 1"),
    ((*SYSTEMS, "--require", "new >= 1.5"), "is between 0 and 1"),
    ((*ONE, "--require", "pass_rate >= 1.5"), "is between 0 and 1"),
    ((*SYSTEMS, "--prediction", "called"), "--prediction cannot be used with systems"),
    (
        (*SYSTEMS, "--second", "second", "--prediction", "called"),
        "--second and --prediction cannot be used with systems",
    ),
    ((*SYSTEMS, "--half-width", "0.1"), "--half-width plans the labels of one system"),
    ((*SYSTEMS, "--design", "a.plan.json"), "--design cannot be used with several systems"),
    ((*ONE, "--id", "case"), "--id needs systems. Use --model"),
    (("--human", "new=human,old=human2", "--judge", "judge"), "--judge"),
    (
        ("--human", "new=human,old=human", "--judge", "new=judge,old=judge2"),
        "new and old have the same human column",
    ),
    (("--human", "new=human,old=human2", "--judge", "new=judge,odd=judge2"), "Use the same names"),
    (("--human", "new=human", "--judge", "new=judge"), "A comparison needs two systems or more"),
    (
        ("--human", "new=human,old=judge", "--judge", "new=judge,old=judge2"),
        "--human and --judge name the same column 'judge'",
    ),
    (("--judge", "judge"), "Name the columns of --human."),
    ((*ONE, "--bounds", "1"), "--bounds"),
    ((*ONE, "--bounds", "0,1", "--positive", "1"), "--positive and --bounds cannot be combined"),
    ((*ONE, "--json", "no/such.json"), "no"),
    (
        ("--judge", "stars", "--sensitivity", "9/10", "--specificity", "9/10", "--positive", "1"),
        "--judge needs two grades",
    ),
    (
        ("--judge", "half", "--sensitivity", "9/10", "--specificity", "9/10"),
        "Grades: 'a', 'b'. Use --positive LABEL",
    ),
    (("--sensitivity", "9/10", "--specificity", "9/10"), "Name the column of --judge"),
    (("--judge", "judge", "--specificity", "9/10"), "--sensitivity is missing"),
    (
        ("--judge", "judge", "--sensitivity", "9/10", "--specificity", "9/x"),
        "--specificity '9/x' is not two counts",
    ),
    (
        ("--judge", "judge", "--sensitivity", "/10", "--specificity", "9/10"),
        "--sensitivity '/10' is not two counts",
    ),
    (
        ("--judge", "judge", "--sensitivity", "9/10", "--specificity", "9/10", "--by", "half"),
        "--by cannot be combined with --sens",
    ),
    (
        ("--judge", "judge", "--sensitivity", "9/10", "--specificity", "9/10", "--design", "a"),
        "--design cannot be combined with",
    ),
    (
        ("--judge", "judge", "--sensitivity", "9/10", "--specificity", "9/10", "--require", "recall > 0"),
        "Use pass_rate",
    ),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_wrong_options_are_refused(words, said, file):
    assert said in refusal("judge", file, *words)


def test_an_output_never_replaces_the_rows(file):
    for words in (ONE, ("--judge", "judge", "--sensitivity", "9/10", "--specificity", "9/10")):
        assert "would overwrite the input" in refusal("judge", file, *words, "--json", file)


def test_grades_without_the_positive_one_are_counted_as_none(tmp_path):
    path = tmp_path / "zero.csv"
    path.write_text("judge\n" + "0\n" * 40 + "\n")
    words = ("--judge", "judge", "--sensitivity", "9/10", "--specificity", "9/10", "--positive", "1")
    wanted = ca.rogan_gladen(0, 40, sensitivity_of=(9, 10), specificity_of=(9, 10))
    assert written(str(path), *words) == of_python(wanted)
