"""Whatever a learner does, the user gets an evaluation, or one line."""

import os
import subprocess
import sys
import warnings

import pytest

from classay.errors import ClassayError
from command import SOURCE
from fuzz.calls.learners import CLASSES, LABELS, RAISED, SCORES, WAYS, WORLD, Misbehaves, evaluated
from fuzz.contract import one_line
from learners import noise

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.wings("resampling")]


def held(learner, X, y):
    """The evaluation, if there is one; fails where the contract is broken."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return evaluated(learner, X, y)
    except ClassayError as error:
        one_line(str(error))
        return None


EACH = [(where, what) for where, ways in WAYS.items() for what in ways]


@pytest.mark.slow
@pytest.mark.parametrize("scores", ["predict_proba", "decision_function", "none"])
@pytest.mark.parametrize(("where", "what"), EACH)
@pytest.mark.parametrize("labels", [(0, 1), (0, 1, 2)])
def test_every_misbehaviour(where, what, scores, labels):
    held(Misbehaves(where, what, scores), *noise(30, labels=labels))


SILENT = [("predict", each) for each in LABELS if each not in ("one column", "floats", "booleans")]


@pytest.mark.parametrize(("where", "what"), SILENT)
def test_labels_of_a_wrong_length_or_kind_are_no_accuracy(where, what):
    """One value for 30 rows gave an accuracy of .533, where .933 was true."""
    assert held(Misbehaves(where, what), *noise(90, labels=(0, 1, 2))) is None


def test_what_is_merely_odd_is_taken():
    x, y = noise(60)
    expected = held(Misbehaves(), x, y)["accuracy"]
    for what in ("one column", "floats", "booleans"):
        assert held(Misbehaves("predict", what), x, y)["accuracy"] == expected
    assert held(Misbehaves("writes"), x, y)["accuracy"] == expected
    assert held(Misbehaves("classes_", "a list"), x, y)["accuracy"] == expected


@pytest.mark.parametrize("what", ["outside [0, 1]", "percent", "a sum of 2", "infinite"])
def test_what_are_no_probabilities_is_said(what):
    e = held(Misbehaves("scores", what), *noise(60))
    assert "the scores of the estimator are decision values, not probabilities" in e["log_loss"].reason
    assert any("not probabilities (outside [0, 1]" in each for each in e.notes)


@pytest.mark.parametrize("where", ["scores", "classes_"])
def test_classes_in_another_order_than_the_scores_are_said(where):
    what = "turned round" if where == "classes_" else "columns turned round"
    e = held(Misbehaves(where, what), *noise(90))
    assert any("The order of classes_ may be wrong" in each for each in e.notes)


@pytest.mark.parametrize("what", RAISED)
@pytest.mark.parametrize("where", ["fit", "get_params"])
def test_whatever_is_raised_is_one_line(where, what):
    assert held(Misbehaves(f"{where} raises", what), *noise(30)) is None


def test_the_tables_are_whole():
    assert len(LABELS) + len(SCORES) + len(CLASSES) + 4 * len(RAISED) > 100


@pytest.mark.parametrize("what", [each for each in WORLD if each != "leaves"])
def test_the_process_is_afterwards_as_it_was(what):
    """`evaluated` holds it; what is no failure of the fit is no failure of the evaluation either."""
    e = held(Misbehaves("global state", what), *noise(60))
    assert (e is None) == (what in ("endless recursion", "a warning that cannot be read", "many warnings"))


def test_of_very_many_warnings_some_are_kept():
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        e = evaluated(Misbehaves("global state", "many warnings"), *noise(60), report="")
    said = [note for note in e.notes if "step" in note or "other warnings" in note]
    assert len(said) == 11
    assert any("and 90 other warnings" in note for note in said)


def test_who_sits_at_the_keyboard_interrupts():
    class Interrupted(Misbehaves):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluated(Interrupted(), *noise(60))


ENDS = """
import os
import numpy as np
import classay as ca
from sklearn.tree import DecisionTreeClassifier
class Ends(DecisionTreeClassifier):
    def fit(self, X, y):
        with open("fits", "a") as log:
            log.write("x")
        if os.path.getsize("fits") == 3:
            os._exit(3)
        return super().fit(X, y)
if __name__ == "__main__":
    X, seen = np.random.default_rng(0).normal(size=(40, 2)), []
    e = ca.evaluate({"it": Ends()}, X, np.arange(40) % 2, protocol="4fold", store="runs.db", progress=seen.append)
    print(seen[-1].kept, len(e.failures))
"""


def test_a_fit_that_ends_the_process_loses_nothing_that_was_finished(tmp_path):
    (tmp_path / "ends.py").write_text(ENDS)
    here = os.environ | {"PYTHONPATH": SOURCE}
    ended, again = (
        subprocess.run(
            [sys.executable, "ends.py"], cwd=tmp_path, env=here, capture_output=True, text=True, check=False
        )
        for _ in range(2)
    )
    assert ended.returncode == 3
    assert (again.returncode, again.stdout) == (0, "2 0\n"), again.stderr
