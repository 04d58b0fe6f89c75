"""`classay evaluate` and `classay runs`, as a new user types them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

import classay as ca
from classay.resampling.store.run_store import Store
from command import SOURCE, call, start

pytestmark = pytest.mark.filterwarnings(
    "default"
)  # what estimators say of so few rows is a note of the report


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a file of cases: numbers, text, dates, missing values, clusters, and rows without a label."""
    monkeypatch.chdir(tmp_path)
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
            "ill": np.where(ill, "yes", "no"),
        }
    )
    frame.loc[rng.random(n) < 0.1, ["size"]] = None
    frame.loc[rng.random(n) < 0.1, ["town"]] = None
    frame.to_csv("cases.csv", index=False)
    frame.assign(ill=frame["ill"].where(frame.index != 3)).to_csv("gaps.csv", index=False)
    with threadpool_limits(1):
        yield tmp_path


TARGET = ("cases.csv", "--target", "ill", "--positive", "yes", "--id", "id")
QUICK = (*TARGET, "--drop", "patient", "--models", "logistic,tree", "--protocol", "3fold")


def evaluated(*arguments):
    done = call("evaluate", *arguments)
    assert done.exit_code == 0, done.stderr
    return done


def test_what_a_user_reads():
    text = " ".join(evaluated(*QUICK).stdout.replace("┃", "").split())
    for part in (
        "Evaluation of 2 models",
        "no: ",
        "'yes'",
        "nothing found",
        "ROC AUC",
        "training",
        "as the best of 2 it looks",
        "always saying 'no'",
        "What is random",
    ):
        assert part in text


def test_json_save_and_html_agree():
    evaluated(*QUICK, "--json", "e.json", "--save", "e.classay", "--html", "e.html")
    about = json.loads(Path("e.json").read_text())
    assert about["models"] == ["logistic", "tree", "baseline"]
    loaded = ca.Evaluation.load("e.classay")
    auc = next(each for each in about["estimates"] if (each["model"], each["measure"]) == ("tree", "roc_auc"))
    assert loaded["tree"]["roc_auc"].value == auc["value"]
    page = Path("e.html").read_text()
    assert "Evaluation of 2 models" in page
    assert "Intervals: corrected resampled t." in page
    assert "ROC curves of tree" in page
    assert page.count('class="plot rows"') == 10
    assert "<script" not in loaded._repr_html_()
    piped = json.loads(evaluated(*QUICK, "--json", "-").stdout)
    assert piped == about


def test_a_store_is_listed_continued_and_reopened():
    first = evaluated(*QUICK, "--store", "runs.db")
    again = evaluated(*QUICK, "--store", "runs.db")
    assert first.stdout == again.stdout
    listed = call("runs", "runs.db").stdout.splitlines()
    assert listed[0].split() == ["run", "started", "models", "protocol", "cases", "seed", "fits"]
    id, *_, fits = listed[1].split()
    assert fits == "6"
    assert "logistic, tree" in listed[1]
    assert call("runs", "runs.db", id).stdout == first.stdout
    done = call("runs", "runs.db", id, "--json", "-")
    assert json.loads(done.stdout)["protocol"] == "3fold"


def test_the_json_holds_nothing_that_is_measured():
    for name in ("one", "two"):
        evaluated(*QUICK, "--json", f"{name}.json", "--times", f"{name}.times.json")
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    times = json.loads(Path("one.times.json").read_text())["times"]
    assert [(each["model"], each["fits"]) for each in times] == [
        ("logistic", 3),
        ("tree", 3),
        ("baseline", 3),
    ]
    assert min(each["fit_seconds"] for each in times[:2]) > 0
    refused = call("evaluate", *QUICK, "--times", "cases.csv")
    assert (refused.exit_code, "would replace the input" in refused.stderr) == (2, True)


def test_a_reopened_run_still_knows_what_was_left_out_and_missing():
    """Both were said once, to the terminal, and to nobody who opened the run again."""
    run = ("gaps.csv", "--target", "ill", "--positive", "yes", "--missing", "drop", "--models", "tree", "--protocol",
           "3fold", "--id", "id", "--drop", "patient")  # fmt: skip
    first = evaluated(*run, "--store", "runs.db", "--save", "e.classay", "--json", "first.json")
    notes = json.loads(Path("first.json").read_text())["notes"]
    assert notes[0] == "1 row without a target is left out"
    assert notes[1].startswith("features lack values (")
    assert first.stdout.count("1 row without a target is left out") == 1
    [id] = [line.split()[0] for line in call("runs", "runs.db").stdout.splitlines()[1:2]]
    for again in (("runs.db", id), ("e.classay",)):
        done = call("runs", *again, "--json", "again.json")
        assert done.stdout == first.stdout
        assert f"note: {notes[1]}\n" in done.stderr
        assert Path("again.json").read_bytes() == Path("first.json").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_ctrl_c_says_how_many_fits_are_kept_and_the_same_command_goes_on():
    run = ("cases.csv", "--target", "ill", "--positive", "yes", "--models", "forest", "--protocol", "10fold")
    with subprocess.Popen(
        [sys.executable, "-m", "classay", "evaluate", *run, "--store", "runs.db"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": SOURCE},
        text=True,
    ) as process:
        assert process.stderr.readline() == "10 fits\n"  # said after the first
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    kept, rest = err.strip().split(" ", 1)
    assert rest == "of 10 fits are kept in runs.db: the same command goes on from there."
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


def test_a_saved_evaluation_is_shown_again_with_any_measures():
    first = evaluated(*QUICK, "--save", "e.classay")
    assert call("runs", "e.classay").stdout == first.stdout
    done = call("runs", "e.classay", "--measures", "specificity,auc", "--json", "-")
    assert {each["measure"] for each in json.loads(done.stdout)["estimates"]} == {"specificity", "roc_auc"}


def test_clusters_measures_seed_and_level():
    arguments = (*TARGET, "--cluster", "patient", "--models", "tree", "--protocol", "2x3", "--level", "0.9")
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
    text = evaluated(
        "leaky.csv", "--target", "ill", "--positive", "yes", "--models", "tree", "--protocol", "3fold"
    ).stdout
    assert "have a twin in training" in " ".join(text.split())
    assert "'outcome' alone tells the target" in " ".join(text.split())


def test_tuning_shows_what_the_search_promised():
    text = evaluated(*TARGET, "--drop", "patient", "--models", "tree", "--protocol", "2fold", "--tune").stdout
    assert "Tuning of tree" in text
    assert "Inside the folds the best ROC AUC was" in " ".join(text.split())


def test_tuning_keeps_clusters_together():
    arguments = (*TARGET, "--cluster", "patient", "--models", "tree", "--protocol", "2fold", "--tune")
    evaluated(*arguments, "--json", "e.json")
    about = json.loads(Path("e.json").read_text())
    assert about["data"][0]["leaks"] == []
    assert about["failures"] == []


def test_a_model_of_ones_own():
    Path("own.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\nstump = DecisionTreeClassifier(max_depth=1)\n"
    )
    assert "Evaluation of stump" in evaluated(*TARGET, "--models", "own:stump", "--protocol", "3fold").stdout


def test_columns_to_choose_the_target_from():
    text = call("evaluate", "cases.csv").stdout
    assert "patient" in text
    assert "--target COL" in text


def test_rows_without_a_target():
    refused = call("evaluate", "gaps.csv", "--target", "ill", "--models", "tree")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "target 'ill' is missing in 1 row of gaps.csv, the first is row 4" in refused.stderr
    evaluated("gaps.csv", "--target", "ill", "--positive", "yes", "--missing", "drop", "--models", "tree", "--protocol",
              "3fold", "--json", "e.json")  # fmt: skip
    about = json.loads(Path("e.json").read_text())
    assert about["data"][0]["rows"] == 119
    assert about["notes"][0] == "1 row without a target is left out"


def test_missing_features_are_counted():
    rows = ["ill,age,town"] + [
        f"{'yes' if i % 3 else 'no'},{i if i % 4 else ''},{'ab'[i % 2] if i % 30 else ''}" for i in range(60)
    ]
    Path("lacking.csv").write_text("\n".join(rows) + "\n")
    done = evaluated("lacking.csv", "--target", "ill", "--positive", "yes", "--models", "tree", "--protocol", "3fold",
                     "--json", "e.json")  # fmt: skip
    said = (
        "features lack values (age 15, town 2), which each model's own pipeline deals with inside the folds"
    )
    assert json.loads(Path("e.json").read_text())["notes"][0] == said
    assert f"note: {said}\n" in done.stderr


REFUSED = {
    "no such model": ((*TARGET, "--models", "forrest"), "did you mean 'forest'"),
    "no such protocol": ((*TARGET, "--protocol", "10by10"), "10by10"),
    "no such positive": (("cases.csv", "--target", "ill", "--positive", "Yes"), "did you mean 'yes'"),
    "positive is not named": (("cases.csv", "--target", "ill", "--models", "tree"), "positive"),
    "no such target": (("cases.csv", "--target", "il"), "did you mean 'ill'"),
    "no such measure": ((*TARGET, "--measures", "acuracy"), "did you mean 'accuracy'"),
    "output is the input": ((*TARGET, "--html", "cases.csv"), "would replace the input cases.csv"),
    "a store that is none": ((*TARGET, "--models", "tree", "--store", "cases.csv"), "is no store of runs"),
    "numbers to predict": (
        ("cases.csv", "--target", "size", "--missing", "drop", "--models", "tree"),
        "these look like scores; pass labels",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_line(name):
    arguments, text = REFUSED[name]
    done = call("evaluate", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert text in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_process_of_its_own_writes_nothing_else():
    done = start("evaluate", *QUICK, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["protocol"] == "3fold"
    fits, note = done.stderr.decode().splitlines()
    assert fits == "6 fits"
    assert note.startswith("note: features lack values (town 10, size 6)")


LOUD = """
import os
from sklearn.tree import DecisionTreeClassifier
class Loud(DecisionTreeClassifier):
    def fit(self, X, y):
        print("from Python")
        os.write(1, b"from compiled code")
        return super().fit(X, y)
made = Loud(max_depth=2)
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_learner_that_prints_leaves_standard_output_to_the_result(folder, jobs):
    (folder / "loud.py").write_text(LOUD)
    models = ("--drop", "patient,seen,town", "--models", "loud:made", "--protocol", "2fold")
    done = start(
        "evaluate",
        *TARGET,
        *models,
        "--jobs",
        jobs,
        "--json",
        "-",
        PYTHONPATH=f"{SOURCE}:{folder}",
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["models"]
    assert b"from compiled code" in done.stderr
