"""What to do next with an assessment: each rule on data that call for it and on data that do not; two tongues."""

import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

import classay as ca
from classay.assessment.finding import MAX_NEXT_STEPS, steps_of
from classay.assessment.headline import findings
from classay.measures import get
from classay.texts import DoorText, clean
from command import call

rng = np.random.default_rng(4)


def scored(n, power=1.0, turn=1.0):
    """Labels and calibrated probabilities; `power` stretches their logits, `turn` their direction."""
    logit = turn * rng.normal(0, 1.5, n)
    y = (rng.random(n) < expit(turn * logit)).astype(int)
    return y, expit(power * logit)


GOOD = ca.assess(*scored(20_000), threshold=0.5)


def next_steps(a):
    return [*steps_of(findings(a))]


def steps(a):
    return DoorText.of(" | ".join(next_steps(a)))


def test_good_data_call_for_nothing_but_the_page():
    assert next_steps(GOOD) == []
    ((_, step),) = GOOD.document().section("next").parts[0].items
    assert "a.report(" in step


def test_a_page_shows_each_step_word_by_word():
    from classay.report.html import _without_page

    for step in map(DoorText.of, steps_of(findings(GOOD.at(0.5).changed(cutoff_chosen=False)))):
        for sentence in (step, step.command):
            assert _without_page(sentence) == sentence


def test_a_threshold_that_nobody_chose():
    assert "`a.threshold(cost=" in steps(GOOD.at(0.5).changed(cutoff_chosen=False))
    assert "`a.at(threshold=…)`" in steps(ca.assess([0, 1] * 30, np.arange(60.0)))


def test_a_score_in_the_wrong_direction_and_one_that_separates():
    y, p = scored(3_000)
    assert "Check which class is positive" in steps(ca.assess(y, 1 - p, threshold=0.5))
    assert "derived from the label" in steps(
        ca.assess([0, 0, 1, 1] * 20, [0.1, 0.2, 0.8, 0.9] * 20, threshold=0.5)
    )


@pytest.mark.parametrize(
    ("power", "words"), [(3.0, "too extreme"), (0.3, "too moderate"), (0.7, "too moderate")]
)
def test_probabilities_that_are_none(power, words):
    a = ca.assess(*scored(20_000, power), threshold=0.5)
    assert words in " ".join(each.sentence for each in findings(a))
    assert "recalibrat" in steps(a).lower()
    assert "Recalibrate" not in steps(GOOD)


@pytest.mark.parametrize("power", [3.0, 1.0, 0.3])
def test_an_inverted_score_is_to_be_turned_and_not_recalibrated(power):
    y, p = scored(3_000, power)
    for turned in (ca.assess(y, 1 - p), ca.assess(1 - y, p), ca.assess(y, p, positive=0)):
        assert "Check which class is positive" in steps(turned)
        assert "Recalibrate" not in steps(turned)


def test_few_cases_have_a_wide_interval():
    y, p = scored(60)
    assert "About 240 cases in total would halve" in steps(ca.assess(y, p, threshold=0.5))
    assert "Collect more" not in steps(GOOD)


def test_the_class_that_is_found_least():
    true = rng.integers(0, 3, 3_000)
    said = np.where((true == 2) & (rng.random(3_000) < 0.6), 0, true)
    a = ca.assess(np.array(["a", "b", "New York"])[true], y_pred=np.array(["a", "b", "New York"])[said])
    assert "Inspect 'New York', which has the lowest recall: `a.one_vs_rest('New York')`" in steps(a)
    assert """`--measures 'recall["New York"]'`""" in DoorText.of(steps(a)).command
    assert "Inspect" not in steps(ca.assess(true, y_pred=(true + (rng.random(3_000) < 0.1)) % 3))


def test_steps_are_few_differ_and_speak_one_tongue():
    y, p = scored(40)
    a = ca.assess(y, expit(4 * (1 - p)))
    found = [DoorText.of(each) for each in next_steps(a)]
    assert len(found) <= MAX_NEXT_STEPS
    assert len({*found}) == len(found)
    assert "--" not in " ".join(found)
    assert "a.threshold" not in " ".join(each.command for each in found)


def test_the_command_speaks_of_options_and_python_of_calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, p = scored(80)
    (tmp_path / "p.csv").write_text("\n".join(["y,p", *(f"{a},{b:.6f}" for a, b in zip(y, p, strict=True))]))
    told = call("assess", "p.csv", "--truth", "y", "--score", "p").stdout
    assert "--html report.html" in told
    assert "a.report(" not in told
    shown = str(ca.assess(y, p))
    assert "a.report(" in shown
    assert "--html" not in shown


HOSTILE = [
    "x'; touch PWNED; '",
    '"; touch PWNED; "',
    "$(touch PWNED)",
    "`touch PWNED`",
    "a b",
    "-rf",
    "é [k]",
    "x\ntouch PWNED",
]


@pytest.mark.parametrize("label", HOSTILE)
def test_what_is_pasted_into_a_shell_names_the_class_and_runs_nothing(label, tmp_path):
    """A label comes from a file of unknown origin, and the line is there to be copied."""
    true = np.repeat([0, 1, 2], 300)
    said = np.where((true == 2) & (np.arange(900) % 3 > 0), 0, true)
    names = np.array(["a", "b", label])
    told = [DoorText.of(each).command for each in next_steps(ca.assess(names[true], y_pred=names[said]))]
    step = next(each for each in told if "Inspect" in each)
    pasted = re.search(r"`--measures (.*)`\.$", clean(step), re.DOTALL)[1]
    done = subprocess.run(
        ["sh", "-c", f"printf %s {pasted}"], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert get(done.stdout).label == label
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a b.csv", "it's.csv", "$(touch PWNED).csv"])
def test_names_of_files_and_labels_in_messages_are_quoted(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file, score in ((name, 0.9), ("other.csv", 0.8)):
        Path(file).write_text(f"y,p\na b,{score}\nc,.2\n")
    said = [
        call("assess", name).stdout.splitlines()[-1].strip(),
        call("merge", name, "other.csv").stderr.split("`")[1],
    ]
    for line in said:
        assert shlex.split(line)[:3] == ["classay", "assess", name]
    asked = call("assess", name, "--truth", "y", "--score", "p").stderr
    assert "--positive 'a b' or --positive c" in asked
