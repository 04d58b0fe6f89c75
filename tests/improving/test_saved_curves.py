"""Learning curves and paths that last: saved and loaded as they are; what is none or damaged is refused."""

import json
from dataclasses import asdict
from functools import cache

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import FileError
from classay.files.archives import Damaged, Fields
from classay.improving.improvement import _drift_in
from classay.inference.estimate import Estimate
from classay.report.results.parts import json_text
from command import call, refusal
from forged import forge
from learners import noise

TREE = DecisionTreeClassifier()


def curve(**how):
    X, y = noise(90, labels=("a", "b"))
    return ca.learning_curve(GaussianNB(), X, y, positive="b", sizes=[12, 30, 50], protocol="3x3", **how)


def path(values=(1, 3, None), parameter="max_depth", learner=TREE, **how):
    return ca.decompose_over(
        learner, *noise(90, features=3), parameter=parameter, values=values, rounds=5, **how
    )


MADE = {
    "curve": curve,
    "curve of another measure": lambda: curve(measure="log_loss"),
    "curve of weighted clusters": lambda: curve(cluster=np.arange(90) // 3, weight=np.linspace(1, 2, 90)),
    "path": path,
    "path of another loss": lambda: path(loss="squared"),
    "path over text": lambda: path(("gini", "entropy"), "criterion"),
    "path over sizes": lambda: path((10, 30), "size"),
    "path over numbers of NumPy": lambda: path(tuple(np.arange(1, 4)), "max_depth"),
}


@cache
def made_of(name):
    """What no test changes is made once."""
    return MADE[name]()


@pytest.mark.parametrize("name", MADE)
def test_it_loads_as_it_was(name, tmp_path):
    made = made_of(name)
    made.save(tmp_path / "a.classay")
    again = ca.load(tmp_path / "a.classay")
    assert type(again) is type(made)
    assert (str(again), again.to_dict()) == (str(made), made.to_dict())
    assert str(again.frame().to_pydict()) == str(made.frame().to_pydict())  # NaN equals NaN
    again.save(tmp_path / "b.classay")
    assert (tmp_path / "a.classay").read_bytes() == (tmp_path / "b.classay").read_bytes()


@pytest.mark.parametrize("name", ["curve", "path"])
def test_what_is_loaded_answers_as_what_was_made(name, tmp_path):
    made = made_of(name)
    made.save(tmp_path / "a.classay")
    again = type(made).load(tmp_path / "a.classay")
    if name == "curve":
        assert again.of("accuracy").to_dict() == made.of("accuracy").to_dict()
    else:
        assert again[None].to_dict() == made[None].to_dict()
        assert again.of("squared").to_dict() == made.of("squared").to_dict()


def test_values_of_no_plain_form_are_refused_with_what_to_do(tmp_path):
    found = path((TREE, LogisticRegression()), "estimator", ca.ensembles.AdaBoost(n_estimators=2))
    with pytest.raises(
        FileError, match="The values of estimator cannot be saved because they have no plain form"
    ):
        found.save(tmp_path / "a.classay")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["curve", "path"])
def test_damaged_files_are_one_line_or_the_same(name, tmp_path):
    made, file = made_of(name), tmp_path / "a.classay"
    made.save(file)
    content, rng = file.read_bytes(), np.random.default_rng(0)
    for at in rng.integers(30, len(content) - 30, 25):
        file.write_bytes(content[:at] + bytes([content[at] ^ 1 + int(rng.integers(255))]) + content[at + 1 :])
        try:
            assert ca.load(file).to_dict() == made.to_dict()  # a byte that says nothing, as a date
        except FileError as error:
            assert "\n" not in str(error)  # noqa: PT017


FORGED = [
    ("curve", {"sizes": [12, 30]}, "unknown member"),
    ("curve", {"sizes": [12, 30, 50, 51]}, "'curve/3.classay' is missing"),
    ("curve", {"sizes": [30, 12, 50]}, "not in their order"),
    ("curve", {"sizes": []}, "no sizes"),
    ("curve", {"measure": "luck"}, "Unknown measure 'luck'"),
    ("curve", {"learner": "another"}, "of another learner"),
    ("curve", {"more": 1}, "unknown field 'more'"),
    ("path", {"values": [1, 1, None]}, "a value twice"),
    ("path", {"values": [1]}, "unknown member"),
    ("path", {"values": []}, "no values"),
    ("path", {"parameter": 3}, "parameter of"),
    ("path", {"format": 3}, "this version of classay reads 2"),
    ("path", {"what": "learning curve"}, "classay is damaged or not a saved decomposition path"),
]


@pytest.mark.parametrize(("name", "changed", "words"), FORGED)
def test_files_whose_parts_disagree_are_refused(name, changed, words, tmp_path):
    file = tmp_path / "a.classay"
    made_of(name).save(file)
    forge(file, **changed)
    with pytest.raises(FileError, match=words):
        ca.load(file)


def test_a_file_of_another_kind_is_refused(tmp_path):
    file = tmp_path / "a.classay"
    made_of("path").save(file)
    with pytest.raises(FileError, match="classay is not a saved learning curve"):
        ca.LearningCurve.load(file)
    made_of("curve").save(file)
    with pytest.raises(FileError, match="not a saved decomposition path"):
        ca.DecompositionPath.load(file)
    with pytest.raises(FileError, match=r"Cannot read .*none\.classay"):
        ca.LearningCurve.load(tmp_path / "none.classay")


@pytest.mark.parametrize("name", ["curve", "path"])
def test_the_command_shows_it_again(name, tmp_path):
    made, file = made_of(name), tmp_path / "a.classay"
    made.save(file)
    done = call("runs", file, "--json", tmp_path / "a.json", "--html", tmp_path / "a.html")
    assert done.exit_code == 0, done.stderr
    assert made.document().title in done.stdout
    assert (tmp_path / "a.json").read_text() == json_text(made.to_dict())
    assert "<svg" in (tmp_path / "a.html").read_text()
    for wrong, words in (("--measures", "its measures are already chosen"), ("--times", "it has no times")):
        assert words in refusal("runs", file, wrong, tmp_path / "b.json")


def test_the_command_shows_an_improvement_again(tmp_path):
    X, y = noise(60, features=2)
    found = ca.improve(GaussianNB(), X, y, rounds=3, protocol="2x3", remedies=["regularisation"])
    found.save(tmp_path / "i.classay")
    done = call("runs", tmp_path / "i.classay", "--json", "-")
    assert json.loads(done.stdout) == json.loads(json_text(found.to_dict()))


def test_a_run_that_is_no_evaluation_says_what_it_is(tmp_path):
    store = tmp_path / "runs.db"
    path(values=(1,), store=store)
    [id] = [line.split()[0] for line in call("runs", store).stdout.splitlines()[1:2]]
    assert "is not an evaluation (decompose, bootstrap samples of 60 rows x5)" in refusal("runs", store, id)


SHARES = {"error": [0.2], "known": 0.1, "p": 0.3, "shares_p": 0.4}


@pytest.mark.parametrize("name", SHARES)
def test_shares_of_new_cases_are_from_0_to_1(name):
    plain = {"rows": 5, "moved": [], **SHARES}

    def loaded(value):
        return _drift_in(Fields({"drift": plain | {name: [value] if name == "error" else value}}, "a file"))

    for value in (0.0, 1.0):
        drift = asdict(loaded(value))
        assert drift[name] == (
            asdict(Estimate.bare(value, "")) | {"method": "Wilson", "reason": None}
            if name == "error"
            else value
        )
    for value in (-0.5, -1e-9, 1.5, float("nan"), "0.5", None, True, False):
        with pytest.raises(Damaged):
            loaded(value)
