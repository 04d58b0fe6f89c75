"""`classay evaluate` and `classay runs`, as a new user types them."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

import classay as ca
from classay.resampling.commands import remarks_on
from classay.resampling.run_store import Store
from command import SOURCE, call, refusal, start

pytestmark = pytest.mark.filterwarnings(
    "default"
)  # what estimators say of so few rows is a note of the report


def cases():
    """In the current folder a file of cases: numbers, text, dates, missing values, clusters; and one with gaps."""
    rng = np.random.default_rng(0)
    n = 120
    ill = rng.random(n) < 0.4
    frame = pd.DataFrame(
        {
            "id": range(1, n + 1),
            "patient": [f"p{k}" for k in rng.integers(0, 40, n)],
            "size": (rng.normal(size=n) + ill).round(3),
            "town": rng.choice(["Bonn", "Ulm", "Trier"], n),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "age": np.random.default_rng(1).uniform(20, 90, n).round(1),
            "ill": np.where(ill, "yes", "no"),
        }
    )
    frame.loc[rng.random(n) < 0.1, ["size"]] = None
    frame.loc[rng.random(n) < 0.1, ["town"]] = None
    frame.to_csv("cases.csv", index=False)
    frame.assign(ill=frame["ill"].where(frame.index != 3)).to_csv("gaps.csv", index=False)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases()
    with threadpool_limits(1):
        yield tmp_path


TARGET = ("cases.csv", "--target", "ill", "--positive", "yes", "--id", "id")
QUICK = (*TARGET, "--drop", "patient", "--models", "logistic,tree", "--protocol", "3fold")
NUMBERS = ("--drop", "patient,seen,town")
"""Leaves two features, of numbers: columns of text and dates, most of a fit, are in QUICK."""
BY_PATIENT = (*TARGET, "--cluster", "patient", "--drop", "seen,town", "--models", "tree")


def evaluated(*arguments):
    done = call("evaluate", *arguments)
    assert done.exit_code == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with all that one call of QUICK writes, and what it printed."""
    place = tmp_path_factory.mktemp("made")
    with contextlib.chdir(place), threadpool_limits(1):
        cases()
        written = ("--json", "e.json", "--save", "e.classay", "--html", "e.html", "--times", "times.json")
        done = evaluated(*QUICK, *written, "--store", "runs.db")
        (place / "stdout").write_text(done.stdout)
    return place


def test_what_a_user_reads(made):
    text = " ".join((made / "stdout").read_text().replace("┃", "").split())
    for part in (
        "Evaluation of logistic and tree",
        "no: ",
        "'yes'",
        "nothing found",
        "ROC AUC",
        "training",
        "the highest of 2 models and optimistic",
        "for always predicting no",
        "What the intervals cover",
    ):
        assert part in text


def test_json_save_and_html_agree(made):
    about = json.loads((made / "e.json").read_text())
    assert about["models"] == ["logistic", "tree", "baseline"]
    loaded = ca.Evaluation.load(made / "e.classay")
    auc = next(each for each in about["estimates"] if (each["model"], each["measure"]) == ("tree", "roc_auc"))
    assert loaded["tree"]["roc_auc"].value == auc["value"]
    page = (made / "e.html").read_text()
    assert "Evaluation of logistic and tree" in page
    assert "Intervals: corrected resampled t (Nadeau–Bengio), logit." in page
    assert "ROC curves of tree" in page
    assert page.count('class="plot rows"') == 10
    assert "<script" not in loaded._repr_html_()
    piped = evaluated(*QUICK, "--json", "-", "--times", "times.json").stdout
    assert piped == (made / "e.json").read_text(), "the JSON holds nothing that is measured"
    for times in (made / "times.json", Path("times.json")):
        found = json.loads(times.read_text())["times"]
        assert [(each["model"], each["fits"]) for each in found] == [
            ("logistic", 3),
            ("tree", 3),
            ("baseline", 3),
        ]
        assert min(each["fit_seconds"] for each in found[:2]) > 0


def test_a_store_is_listed_continued_and_reopened(made):
    first = (made / "stdout").read_text()
    again = evaluated(*QUICK, "--store", made / "runs.db")
    assert first == again.stdout
    listed = call("runs", made / "runs.db").stdout.splitlines()
    assert listed[0].split() == ["run", "started", "models", "protocol", "cases", "seed", "fits"]
    id, *_, fits = listed[1].split()
    assert fits == "6"
    assert "logistic, tree" in listed[1]
    assert call("runs", made / "runs.db", id).stdout.partition("\n")[2] == first.partition("\n")[2]
    done = call("runs", made / "runs.db", id, "--json", "-")
    assert json.loads(done.stdout)["protocol"] == "3fold"


def test_times_over_the_input_are_refused():
    assert "would overwrite the input" in refusal("evaluate", *QUICK, "--times", "cases.csv")


def test_a_reopened_run_still_knows_what_was_left_out_and_missing():
    """Both were said once, to the terminal, and to nobody who opened the run again."""
    run = ("gaps.csv", "--target", "ill", "--positive", "yes", "--missing", "drop", "--models", "tree", "--protocol",
           "3fold", "--id", "id", *NUMBERS)  # fmt: skip
    first = evaluated(*run, "--store", "runs.db", "--save", "e.classay", "--json", "first.json")
    notes = json.loads(Path("first.json").read_text())["notes"]
    assert notes[0] == "1 row without a target is excluded"
    assert notes[1].startswith("features have missing values (")
    assert first.stdout.count("1 row without a target is excluded") == 1
    [id] = [line.split()[0] for line in call("runs", "runs.db").stdout.splitlines()[1:2]]
    for again in (("runs.db", id), ("e.classay",)):
        done = call("runs", *again, "--json", "again.json")
        assert done.stdout.partition("\n")[2] == first.stdout.partition("\n")[2]
        assert f"note: {notes[1]}\n" in done.stderr
        assert Path("again.json").read_bytes() == Path("first.json").read_bytes()


PATIENT = """
import os, time
from sklearn.tree import DecisionTreeClassifier
class Patient(DecisionTreeClassifier):
    def fit(self, X, y):
        time.sleep(float(os.environ.get("SECONDS_OF_A_FIT", 0)))
        return super().fit(X, y)
made = Patient(max_depth=2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_ctrl_c_says_how_many_fits_are_kept_and_the_same_command_goes_on(folder):
    (folder / "patient.py").write_text(PATIENT)
    run = (*TARGET, *NUMBERS, "--models", "patient:made", "--protocol", "10fold")
    with subprocess.Popen(
        [sys.executable, "-m", "classay", "evaluate", *run, "--store", "runs.db"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": f"{SOURCE}:{folder}", "SECONDS_OF_A_FIT": "0.3"},
        text=True,
    ) as process:
        assert process.stderr.readline() == "10 fits\n"  # said after the first
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    kept, rest = err.strip().split(" ", 1)
    assert rest == "of 10 fits are saved in runs.db. Run the same command to continue."
    with Store.existing("runs.db") as store:
        (stored,) = store.runs()
        before = {key: value for key, value in store.results(stored.id) if value is not None}
    assert 1 <= int(kept) <= stored.done < 10
    resumed = evaluated(*run, "--store", "runs.db", "--json", "resumed.json")
    with Store.existing("runs.db") as store:
        assert {*before.items()} < {*store.results(stored.id)}
    assert resumed.stdout == evaluated(*run, "--json", "anew.json").stdout
    resumed, anew = (json.loads(Path(f"{name}.json").read_text()) for name in ("resumed", "anew"))
    assert resumed == anew


def test_a_saved_evaluation_is_shown_again_with_any_measures(made):
    again, first = call("runs", made / "e.classay").stdout, (made / "stdout").read_text()
    assert again.partition("\n")[2] == first.partition("\n")[2]  # the title named the file of cases
    done = call("runs", made / "e.classay", "--measures", "specificity,auc", "--json", "-")
    assert {each["measure"] for each in json.loads(done.stdout)["estimates"]} == {"specificity", "roc_auc"}


def test_clusters_measures_seed_and_level():
    arguments = (*BY_PATIENT, "--protocol", "2x3", "--level", "0.9")
    evaluated(*arguments, "--measures", "auc,accuracy", "--seed", "3", "--json", "e.json")
    about = json.loads(Path("e.json").read_text())
    assert {each["measure"] for each in about["estimates"]} == {"roc_auc", "accuracy"}
    assert (about["seed"], about["level"]) == (3, 0.9)
    assert about["data"][0]["leaks"] == []


def test_leaks_are_warned_of():
    frame = pd.read_csv("cases.csv")
    pd.concat([frame, frame[:40]]).assign(outcome=lambda each: each["ill"] == "yes").to_csv(
        "leaky.csv", index=False
    )
    leaky = ("leaky.csv", "--target", "ill", "--positive", "yes", *NUMBERS)
    text = evaluated(*leaky, "--models", "tree", "--protocol", "3fold").stdout
    assert "have a twin in training" in " ".join(text.split())
    assert "'outcome' determines the target" in " ".join(text.split())


def test_tuning_shows_what_the_search_promised():
    text = evaluated(*TARGET, *NUMBERS, "--models", "tree", "--protocol", "2fold", "--tune").stdout
    assert "Tuning of tree" in text
    assert "The best ROC AUC inside the folds was" in " ".join(text.split())


def test_tuning_keeps_clusters_together():
    arguments = (*BY_PATIENT, "--protocol", "2fold", "--tune")
    evaluated(*arguments, "--json", "e.json")
    about = json.loads(Path("e.json").read_text())
    assert about["data"][0]["leaks"] == []
    assert about["failures"] == []


def test_a_model_of_ones_own():
    Path("own.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\nstump = DecisionTreeClassifier(max_depth=1)\n"
    )
    text = evaluated(*TARGET, *NUMBERS, "--models", "own:stump", "--protocol", "3fold").stdout
    assert "Evaluation of stump" in text


def test_columns_to_choose_the_target_from():
    text = call("evaluate", "cases.csv").stdout
    assert "patient" in text
    assert "--target COL" in text


def test_rows_without_a_target():
    assert "Column 'ill' (target) of gaps.csv has missing values in 1 row (first: line 5)" in refusal(
        "evaluate", "gaps.csv", "--target", "ill", "--models", "tree"
    )
    evaluated("gaps.csv", "--target", "ill", "--positive", "yes", "--missing", "drop", "--models", "tree", "--protocol",
              "3fold", "--json", "e.json", *NUMBERS)  # fmt: skip
    about = json.loads(Path("e.json").read_text())
    assert about["data"][0]["rows"] == 119
    assert about["notes"][0] == "1 row without a target is excluded"


@pytest.mark.parametrize("columns", [1, 5, 6, 9])
def test_the_features_with_gaps_that_are_not_named_are_counted(columns):
    gaps = {f"x{k}": k + 1 for k in range(columns)}
    ((_, text),) = remarks_on(SimpleNamespace(dropped=0, gaps=gaps))
    named = re.findall(r"(x\d) (\d)", text)
    assert dict(named) == {name: str(gaps[name]) for name, _ in named}
    assert named[0] == (f"x{columns - 1}", str(columns))
    more = re.search(r"and (\d+) more columns", text)
    assert len(named) + (int(more[1]) if more else 0) == columns


def test_missing_features_are_counted():
    rows = ["ill,age,town"] + [
        f"{'yes' if i % 3 else 'no'},{i if i % 4 else ''},{'ab'[i % 2] if i % 30 else ''}" for i in range(60)
    ]
    Path("lacking.csv").write_text("\n".join(rows) + "\n")
    done = evaluated("lacking.csv", "--target", "ill", "--positive", "yes", "--models", "tree", "--protocol", "3fold",
                     "--json", "e.json")  # fmt: skip
    said = "features have missing values (age 15, town 2), which the pipeline of each model handles inside the folds"
    assert json.loads(Path("e.json").read_text())["notes"][0] == said
    assert f"note: {said}\n" in done.stderr


REFUSED = {
    "no such model": ((*TARGET, "--models", "forrest"), "Did you mean 'forest'"),
    "no such protocol": ((*TARGET, "--protocol", "10by10"), "10by10"),
    "no such positive": (("cases.csv", "--target", "ill", "--positive", "Yes"), "Did you mean 'yes'"),
    "positive is not named": (("cases.csv", "--target", "ill", "--models", "tree"), "positive"),
    "no such target": (("cases.csv", "--target", "il"), "Did you mean 'ill'"),
    "no such measure": ((*TARGET, "--measures", "acuracy"), "Did you mean 'accuracy'"),
    "output is the input": ((*TARGET, "--html", "cases.csv"), "would overwrite the input cases.csv"),
    "a store that is none": ((*TARGET, "--models", "tree", "--store", "cases.csv"), "is not a store of runs"),
    "numbers to predict": (
        ("cases.csv", "--target", "size", "--missing", "drop", "--models", "tree"),
        "These look like scores. Use a column of labels",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_line(name):
    arguments, text = REFUSED[name]
    assert text in refusal("evaluate", *arguments)


LOUD = """
import os
import re
from sklearn.tree import DecisionTreeClassifier
class Loud(DecisionTreeClassifier):
    def fit(self, X, y):
        print("from Python")
        os.write(1, b"from compiled code")
        return super().fit(X, y)
made = Loud(max_depth=2)
"""


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_learner_that_prints_leaves_standard_output_to_the_result(folder, jobs):
    (folder / "loud.py").write_text(LOUD)
    models = (*NUMBERS, "--models", "loud:made", "--protocol", "2fold")
    how = ("--jobs", jobs, "--json", "-")
    done = start("evaluate", *TARGET, *models, *how, PYTHONPATH=f"{SOURCE}:{folder}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["models"]
    said = done.stderr.decode()
    assert "from compiled code" in said
    if jobs == "1":  # beside what the learner prints, a process of its own writes nothing else
        fits, note = said.replace("from compiled code", "").replace("from Python\n", "").splitlines()
        assert fits == "2 fits"
        assert note.startswith("note: features have missing values (size 6)")
