"""`classay judge`: its first sentence, JSON, requirements, and what it refuses."""

import json

import pytest

from command import call

CASES = [
    *[("1", "1")] * 30,
    *[("0", "1")] * 6,
    *[("1", "0")] * 5,
    *[("0", "0")] * 59,
    *[("", "1")] * 304,
    *[("", "0")] * 596,
]


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{human},{judge},{'ab'[k % 2]},{k % 3}" for k, (human, judge) in enumerate(CASES)]
    (tmp_path / "judged.csv").write_text("\n".join(["human,judge,other,part", *lines]) + "\n")


def run(*arguments):
    done = call("judge", "judged.csv", *arguments, columns=400)
    return done.exit_code, done.stdout, done.stderr


def test_the_first_sentence():
    code, shown, _ = run("--human", "human", "--judge", "judge")
    assert code == 0
    assert (
        "The share of '1' is 33.5% (95% CI 27.0% to 40.5%). The share is 34.0% by the judge only, and 35.0% "
        "(95% CI 26.4% to 44.7%) by the 100 human labels only."
    ) in " ".join(shown.replace("┃", " ").split())


def test_json_has_every_number_and_the_groups():
    written = json.loads(run("--human", "human", "--judge", "judge", "--by", "other", "--json", "-")[1])
    assert written["measures"]["pass_rate"]["corrected"]["value"] == pytest.approx(0.334895833333333)
    assert [group["group"] for group in written["groups"]] == ["a", "b"]
    assert sum(group["labels"] for group in written["groups"]) == written["labels"] == 100


@pytest.mark.parametrize(("condition", "code"), [("pass_rate.low >= 0.2", 0), ("pass_rate.high < 0.2", 1)])
def test_requirements_decide_the_exit_code(condition, code):
    assert run("--human", "human", "--judge", "judge", "--require", condition)[0] == code


def test_labels_for_a_half_width():
    shown = run("--human", "human", "--judge", "judge", "--half-width", "0.05")[1]
    assert "A half-width of 0.05 needs 192 human labels." in shown


REFUSED = {
    "no column": ((), "Name the columns of --human and --judge"),
    "no judge": (("--human", "human"), "Name the columns of --judge"),
    "one column": (("--human", "judge", "--judge", "judge"), "the same column 'judge'"),
    "one human column of two systems": (
        ("--human", "new=human,old=human", "--judge", "new=judge,old=part"),
        "have the same human column",
    ),
    "systems and second labels": (
        ("--human", "new=human,old=other", "--judge", "new=judge,old=part", "--second", "part"),
        "--second cannot be used with systems",
    ),
    "id without systems": (("--human", "human", "--judge", "judge", "--id", "part"), "--id needs systems"),
    "half-width of systems": (
        ("--human", "human", "--judge", "judge", "--model", "other", "--half-width", "0.1"),
        "`classay sample-size mcnemar`",
    ),
    "sensitivity without counts": (("--judge", "judge", "--sensitivity", "0.9"), "not two counts"),
    "sensitivity alone": (("--judge", "judge", "--sensitivity", "9/10"), "--specificity is missing"),
    "sensitivity and human labels": (
        ("--judge", "judge", "--human", "human", "--sensitivity", "9/10", "--specificity", "9/10"),
        "--human cannot be combined",
    ),
    "unknown measure": (("--human", "human", "--judge", "judge", "--require", "pas_rate > 0"), "pass_rate"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    arguments, text = REFUSED[name]
    code, _, error = run(*arguments)
    assert code == 2
    assert text in error
    assert error.count("\n") == 1


ELSEWHERE = ("--judge", "judge", "--sensitivity", "9/10", "--specificity", "8/10")
COLUMNS_OF_ONE = ("--human", "human", "--judge", "judge")


@pytest.mark.parametrize(
    "idle",
    [("--finite",), ("--bounds", "0,1"), ("--unsure", "x"), ("--half-width", "0")],
    ids=lambda it: it[0],
)
def test_options_of_labels_are_refused_without_labels(idle):
    code, _, said = run(*ELSEWHERE, *idle)
    assert code == 2
    assert f"{idle[0]} cannot be combined with --sensitivity" in said


@pytest.mark.parametrize(
    ("options", "demand"),
    [
        (ELSEWHERE, "share.low >= 5"),
        (COLUMNS_OF_ONE, "pass_rate <= -1"),
        (COLUMNS_OF_ONE, "pass_rate.low >= 2"),
    ],
)
def test_demands_that_no_share_can_meet_are_refused(options, demand):
    code, _, said = run(*options, "--require", demand)
    assert code == 2
    assert "is between 0 and 1" in said


def test_counts_that_are_none_are_named_as_options():
    said = run("--judge", "judge", "--sensitivity", "5/4", "--specificity", "3/4")[2]
    assert "--sensitivity must be a number of cases and all cases" in said
