"""`classay gate` of two runs, and `--require` of one: exit codes, and what is refused."""

import json
from pathlib import Path

import pytest

import classay as ca
from command import call, json_of

DATA = Path(__file__).parents[1] / "outside" / "data"
NEW, OLD = (str(DATA / f"inspect-0.3.285-{name}.eval") for name in ("new", "old"))
CLUSTERED = str(DATA / "inspect-0.3.285-clustered.eval")
LOGS = (NEW, OLD, "--grade", "match", "--unanswered", "wrong")
HARNESS = DATA / "lm_eval-0.4.13"


@pytest.fixture
def table(tmp_path):
    """Grades of two models on 60 cases, of which b passes more."""
    rows = [
        (q, int((q * k) % 7 > cut), name, "xy"[q % 2])
        for q in range(60)
        for name, k, cut in (("a", 3, 3), ("b", 3, 1))
    ]
    path = tmp_path / "pairs.csv"
    path.write_text("item,grade,model,kind\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return (str(path), "--case", "item", "--grade", "grade", "--model", "model")


def line_of(said):
    """The one line of an error."""
    assert said.exit_code == 2
    (line,) = said.stderr.strip().splitlines()
    return line


def test_logs_are_gated_by_the_rule_of_their_difference():
    said = call("gate", *LOGS, "--rule", "non-inferior", "--margin", "0.02")
    assert said.exit_code == 3
    assert "INCONCLUSIVE: non-inferiority of inspect-0.3.285-new" in said.stdout
    assert "0.778 versus 0.500 (difference 0.278, 95% CI -0.092 to 0.648)" in said.stdout
    assert "cases: 6\nanswers: 18; a case is a cluster" in said.stdout
    both = ca.assess_grades(ca.read_grades([NEW, OLD], grade="match"), unanswered="wrong")
    assert ca.gate(both, "non-inferior", 0.02).difference == both[0].effect


def test_exit_codes_of_a_gate_of_runs(table):
    for new, rule, code in (("b", "superior", 0), ("a", "superior", 1), ("a", "not-worse", 1)):
        assert call("gate", *table, "--new-run", new, "--rule", rule).exit_code == code
    assert (
        len(json_of("gate", *table, "--new-run", "b", "--rule", "not-worse", "--by", "kind")["groups"]) == 2
    )


def test_a_gate_has_the_clusters_that_it_is_given(table):
    ruled = ("--new-run", "b", "--rule", "superior", "--json", "-")
    columns = ca.GradeColumns(case="item", model="model", by=("kind",))
    runs = ca.read_grades(table[0], grade="grade", columns=columns)
    for words, cluster in (((), None), (("--cluster", "kind"), ["kind"])):
        said = json.loads(call("gate", *table, *words, *ruled).stdout)
        effect = ca.assess_grades(runs, cluster=cluster)[0].effect
        assert {abs(said["difference"][end]) for end in ("low", "high")} == {
            abs(effect.low),
            abs(effect.high),
        }


def test_a_gate_requires_of_the_new_run(table):
    gated = ("gate", *table, "--new-run", "b", "--rule", "superior")
    assert call(*gated, "--require", "grade.low >= 0.5").exit_code == 0
    said = call(*gated, "--require", "grade.low >= 0.9")
    assert said.exit_code == 1
    assert "FAIL: grade.low >= 0.9" in said.stdout


def test_samples_of_lm_eval_are_gated_without_an_option_of_labels():
    files = [str(next(HARNESS.glob(f"{name}/samples_written*"))) for name in ("first", "second")]
    said = call("gate", *files, "--filter", "strict", "--rule", "not-worse")
    assert said.exit_code in (0, 3)
    assert "exact_match" in said.stdout


@pytest.mark.parametrize(
    ("more", "match"),
    [
        (("--measure", "auc", "--rule", "superior"), "--measure cannot be used with grades of runs"),
        (("--rule", "superior", "--truth", "y"), "--truth cannot be used with grades of runs"),
        (("--rule", "non-inferior"), "needs a margin"),
        (("--rule", "non-inferior", "--margin", "2"), "margin is 2, but match is between 0 and 1"),
        ((), "A gate needs a rule. Use --rule RULE"),
        (("--rule", "superior", "--by", "kind,topic"), "Use one column of groups"),
        (("--rule", "superior", "--new-run", "newer"), "No run is named 'newer'"),
        (("--rule", "superior", "--better", "lower"), "--better lower needs columns of values"),
    ],
)
def test_options_that_a_gate_of_runs_does_not_have(more, match):
    assert match in line_of(call("gate", *LOGS, *more))


def test_one_file_says_which_of_its_runs_is_new(table):
    assert "Name the new one with --new-run" in line_of(call("gate", *table, "--rule", "superior"))


def test_a_gate_is_of_two_runs():
    three = (NEW, str(HARNESS / "first"), "--rule", "superior")
    assert line_of(call("gate", *three))
    for more in ((), ("--grade", "match")):
        said = line_of(call("gate", NEW, *more, "--rule", "superior"))
        assert "A gate needs two runs" in said
        assert "For one run use `classay grades FILE --require" in said


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("grade.low >= 0.4", 0),
        ("grade.low >= 0.7", 1),
        ("pass@2.low >= 0.6 and pass^2.low >= 0.2", 0),
        ("pass@3.low >= 0.1", 3),
        ("varying <= 0.5", 0),
        ("grade[topic=s].low >= 0.1", 0),
        ("mean_of_groups.low >= 0.9", 1),
    ],
)
def test_requirements_of_one_run(condition, code):
    said = call(
        "grades", CLUSTERED, "--grade", "by_pair", "--by", "topic", "--require", condition, "--json", "-"
    )
    assert said.exit_code == code
    written = json.loads(said.stdout)["requirements"]
    assert " and ".join(row["requirement"] for row in written) == condition.replace("0.10", "0.1")
    assert {row["verdict"] for row in written} == {{0: "pass", 1: "fail", 3: "cannot tell"}[code]}


def test_requirements_are_on_every_page():
    arguments = (CLUSTERED, "--grade", "by_pair", "--require", "grade.low >= 0.7")
    for form in ("--markdown", "--html", "--latex"):
        said = call("grades", *arguments, form, "-")
        assert said.exit_code == 1
        assert "grade.low" in said.stdout


@pytest.mark.parametrize(
    ("condition", "match"),
    [
        ("grade.low >= 70", "Write 0.7 if you mean percent"),
        ("pass@2.low >= 2", "never holds"),
        ("recall.low >= 0.5", "A run of grades has no 'recall'"),
        ("grade[topic=z] >= 0.5", "No group of topic is 'z'"),
        ("mean >= 0.5", "Available: grade"),
        ("grade >> 1", "cannot be read"),
    ],
)
def test_requirements_that_are_refused(condition, match):
    said = call("grades", CLUSTERED, "--grade", "by_pair", "--by", "topic", "--require", condition)
    assert match in line_of(said)


def test_requirements_are_of_one_run():
    said = call("grades", *LOGS, "--require", "grade.low >= 0.5")
    assert "--require is for one run, but there are 2" in line_of(said)


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "two", "9999999"])
def test_numbers_of_answers_are_whole(text):
    said = call("grades", CLUSTERED, "--grade", "by_pair", "--pass-k", text)
    assert "--pass-k must be whole numbers" in line_of(said)
