"""Options of `classay gate` with grades of runs: each has the effect of its argument in Python, and what it refuses."""

import json

import pytest

import classay as ca
from command import as_json, call, json_of, refusal

HEAD = "q,m,e,g,c,x,w\n"


def rows(models=("old", "new"), epochs=2, gap=None):
    """Rows of models of which the later ones pass more, with groups, clusters, and grades in words too."""
    made = []
    for m in models:
        for k in range(48):
            for e in range(epochs):
                x = int((k * 5 + e * 3) % 11 > 5 - 2 * ["old", "new", "own"].index(m))
                made.append(
                    (
                        f"q{k:02}",
                        m,
                        e,
                        "uv"[k % 2],
                        k // 4,
                        "" if (m, k, e) == gap else x,
                        ["no", "yes"][x],
                    )
                )
    return made


def file_of(folder, made, name="grades.csv"):
    path = folder / name
    path.write_text(HEAD + "".join(",".join(map(str, row)) + "\n" for row in made))
    return str(path)


def runs_of(path, *, by=(), new="new", grade="x", **how):
    read = ca.read_grades(path, grade=grade, columns=ca.GradeColumns("q", "m", "e", by=by), **how)
    return ca.GradedRuns(tuple(sorted(read.runs, key=lambda run: run.name != new)))


COLUMNS = ("--case", "q", "--model", "m", "--repeat", "e", "--grade", "x", "--new-run", "new")
SUPERIOR = ("--rule", "superior")


def with_columns(words):
    """The words of a call, after those columns that they do not name."""
    pairs = zip(COLUMNS[::2], COLUMNS[1::2], strict=True)
    return [*(word for pair in pairs if pair[0] not in words for word in pair), *words]


OPTIONS = {
    "superior": (SUPERIOR, {}, {}, ("superior", None)),
    "not worse": (("--rule", "not-worse"), {}, {}, ("not-worse", None)),
    "non-inferior": (("--rule", "non-inferior", "--margin", "0.05"), {}, {}, ("non-inferior", 0.05)),
    "a level": ((*SUPERIOR, "--level", "0.8"), {}, {"level": 0.8}, ("superior", None)),
    "groups": (("--rule", "not-worse", "--by", "g"), {"by": ("g",)}, {"by": "g"}, ("not-worse", None)),
    "clusters": ((*SUPERIOR, "--cluster", "c"), {"by": ("c",)}, {"cluster": "c"}, ("superior", None)),
    "the other run": ((*SUPERIOR, "--new-run", "old"), {"new": "old"}, {}, ("superior", None)),
    "another grade": ((*SUPERIOR, "--grade", "w"), {"grade": "w"}, {}, ("superior", None)),
    "a map": ((*SUPERIOR, "--map", "0=1,1=0"), {"map": {"0": 1, "1": 0}}, {}, ("superior", None)),
    "bounds": ((*SUPERIOR, "--bounds", "0,4"), {"bounds": (0, 4)}, {}, ("superior", None)),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_of_a_gate_is_its_argument(name, tmp_path):
    words, read, how, (rule, margin) = OPTIONS[name]
    path = file_of(tmp_path, rows())
    done = call("gate", path, *with_columns(words), "--json", "-")
    assert done.exit_code in (0, 1, 3), done.stderr
    found = json.loads(done.stdout)
    ruling = ca.gate(ca.assess_grades(runs_of(path, **read), **how), rule, margin)
    wanted = as_json(ruling)
    for key in ("difference", "verdict", "rule", "margin", "groups", "level"):
        assert found.get(key) == wanted.get(key), key
    assert done.exit_code == {"pass": 0, "fail": 1}.get(wanted["verdict"], 3)


@pytest.mark.parametrize("unanswered", ["wrong", "drop"])
def test_answers_without_a_grade_count_as_asked(unanswered, tmp_path):
    path = file_of(tmp_path, rows(gap=("new", 7, 1)))
    assert "Answers have no grade: new 1 empty grade of 96" in call("gate", path, *COLUMNS, *SUPERIOR).stderr
    found = json_of("gate", path, *COLUMNS, *SUPERIOR, "--unanswered", unanswered)
    effect = ca.assess_grades(runs_of(path), unanswered=unanswered)[0].effect
    assert found["difference"]["value"] == effect.value


@pytest.mark.parametrize(
    ("demand", "code"),
    [
        ("grade >= 0.1", 0),
        ("grade.low >= 0.99", 1),
        ("pass@2 >= 0.1", 0),
        ("pass^2 >= 0.99", 1),
        ("varying >= 0.99", 1),
    ],
)
def test_requirements_are_of_the_new_run(demand, code, tmp_path):
    path = file_of(tmp_path, rows())
    gated = call(
        "gate",
        path,
        *COLUMNS,
        "--rule",
        "non-inferior",
        "--margin",
        "0.9",
        "--require",
        demand,
        "--json",
        "-",
    )
    assert gated.exit_code == code
    a = ca.assess_grades(ca.GradedRuns(runs_of(path).runs[:1]))
    (row,) = json.loads(gated.stdout)["requirements"]
    assert row["verdict"] == {0: "pass", 1: "fail"}[code]
    if demand.startswith("grade >="):
        assert row["value"] == a.mean.value


REFUSED = [
    ((*SUPERIOR, "--by", "g,c"), "--by names 2 columns. Use one column of groups"),
    ((*SUPERIOR, "--new-run", "nwe"), "No run is named 'nwe'. Runs: new and old. Did you mean"),
    ((*SUPERIOR, "--by", "gg"), "no column 'gg'"),
    (("--rule", "non-inferior", "--margin", "1"), "margin is 1, but x is between 0 and 1"),
    (("--rule", "non-inferior"), "needs a margin"),
    ((*SUPERIOR, "--truth", "y"), "--truth cannot be used with grades of runs"),
    ((*SUPERIOR, "--map", "0=x"), "--map gives 'x' to the grade '0'"),
    ((*SUPERIOR, "--require", "recall > 0.5"), "A run of grades has no 'recall'"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_wrong_options_of_a_gate_are_refused(words, said, tmp_path):
    assert said in refusal("gate", file_of(tmp_path, rows()), *with_columns(words))


def test_a_gate_is_of_two_runs_and_knows_the_new_one(tmp_path):
    how = ("--case", "q", "--repeat", "e", "--grade", "x", *SUPERIOR)
    three = file_of(tmp_path, rows(("old", "new", "own")), "three.csv")
    one, two = file_of(tmp_path, rows(("old",)), "one.csv"), file_of(tmp_path, rows(("new",)), "two.csv")
    both = file_of(tmp_path, rows(), "both.csv")
    for words, said in (
        ((three, *how, "--model", "m"), "A gate needs two runs, but there are 3: "),
        (
            (one, *how, "--model", "m"),
            "A gate needs two runs, but there is one, old. Use `classay gate NEW OLD`",
        ),
        (
            (both, *how, "--model", "m"),
            "One file has both runs, new and old. Name the new one with --new-run",
        ),
    ):
        assert said in refusal("gate", *words)
    found = json_of("gate", two, one, *how)
    wanted = json_of("gate", both, *how, "--model", "m", "--new-run", "new")
    assert found["difference"] == wanted["difference"]
    back = json_of("gate", one, two, *how, code=1)
    assert back["difference"]["value"] == pytest.approx(-found["difference"]["value"])
