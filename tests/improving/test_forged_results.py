"""Saved improvements, curves and paths whose parts do not belong together; rounds of which nearly all fail."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import FileError, InputError
from classay.improving.decomposition import to_bytes
from classay.resampling.saved_evaluations import to_bytes as evaluation_bytes
from forged import forge
from learners import noise

X, Y = noise(60, features=2, labels=("a", "b"))
OTHER_Y = np.where(np.arange(60) % 3 == 0, "a", "b")


@pytest.fixture(scope="module")
def results():
    return {
        "improvement": ca.improve(
            GaussianNB(), X, Y, rounds=2, protocol="2fold", remedies=["regularisation"]
        ),
        "curve": ca.learning_curve(GaussianNB(), X, Y, sizes=[12, 20], protocol="2x3"),
        "path": ca.decompose_over(
            DecisionTreeClassifier(), X, Y, parameter="max_depth", values=[1, 2], rounds=3
        ),
    }


def one_set():
    return evaluation_bytes(
        ca.evaluate([GaussianNB(), DecisionTreeClassifier()], X, Y, positive="b", protocol="2fold")
    )


def two_sets():
    return evaluation_bytes(
        ca.evaluate([GaussianNB()], {"one": (X, Y), "two": (X, Y)}, positive="b", protocol="2fold")
    )


def of_loss(loss, y=Y):
    return to_bytes(ca.decompose(DecisionTreeClassifier(max_depth=2), X, y, loss=loss, rounds=3))


FORGED = {
    "a cause that is none": (
        "improvement",
        {"suspected": ["luck"]},
        {},
        "are no causes",
    ),
    "a reason without words": ("improvement", {"left_out": [["forest"]]}, {}, "is no reason"),
    "a reason that is a number": ("improvement", {"left_out": [["forest", 3]]}, {}, "is no reason"),
    "a finding of three": ("improvement", {"findings": [["a", "b", "c"]]}, {}, "is no reason"),
    "another learner": (
        "improvement",
        {"learner": "nobody"},
        {},
        "the learner or the baseline is missing",
    ),
    "models that are no remedies": (
        "improvement",
        {},
        {"folds.classay": one_set},
        "are not all remedies",
    ),
    "a size of one case": ("curve", {"sizes": [1, 20]}, {}, "1 is no training size"),
    "a size that is no number": ("curve", {"sizes": ["12", 20]}, {}, "is no training size"),
    "a size that is true": ("curve", {"sizes": [True, 20]}, {}, "is no training size"),
    "two data sets": ("curve", {}, {"curve/0.classay": two_sets}, "it is of several data sets"),
    "another loss": ("path", {}, {"1.classay": lambda: of_loss("squared")}, "of other losses or rows"),
    "other rows": (
        "path",
        {},
        {"1.classay": lambda: of_loss("0-1", np.where(Y == "a", "c", "d"))},
        "of other losses or rows",
    ),
}


@pytest.mark.parametrize("what", FORGED)
def test_results_whose_parts_do_not_belong_together_are_refused(what, results, tmp_path):
    name, changed, members, words = FORGED[what]
    file = tmp_path / "a.classay"
    results[name].save(file)
    assert ca.load(file).to_dict() == results[name].to_dict()
    forge(file, {member: make() for member, make in members.items()}, **changed)
    with pytest.raises(FileError, match=words):
        ca.load(file)


def test_a_path_of_the_same_loss_and_rows_is_taken(results, tmp_path):
    file = tmp_path / "a.classay"
    results["path"].save(file)
    forge(file, {"1.classay": of_loss("0-1")})
    assert ca.load(file).to_dict() == results["path"].to_dict()


class FailsLater(GaussianNB):
    """A learner of which only the first fits of a call do not fail."""

    left = 0

    def fit(self, X, y, sample_weight=None):
        FailsLater.left -= 1
        if FailsLater.left < 0:
            raise ValueError("no more fits")
        warnings.warn("these numbers are odd", UserWarning, stacklevel=2)
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, r"Every fit failed \(4 of 4\)\. The first error: ValueError: no more fits"),
        (1, r"All fits but one failed \(3 of 4\)\. The first error: ValueError: no more fits"),
        (2, None),
        (3, None),
    ],
)
@pytest.mark.filterwarnings("default")
def test_two_rounds_that_do_not_fail_are_needed(number, words):
    FailsLater.left = number
    if words is not None:
        with pytest.raises(InputError, match=words):
            ca.decompose(FailsLater(), X, Y, rounds=4)
        return
    d = ca.decompose(FailsLater(), X, Y, rounds=4)
    assert (d.rounds, len(d.failures)) == (number, 4 - number)
    assert d.notes == (f"in {number} of 4 rounds: UserWarning: these numbers are odd",)
    FailsLater.left = 4
    fewer = ca.decompose(FailsLater(), X, Y, rounds=number)
    terms = {name: term.value for name, term in fewer.terms.items()}
    assert {name: term.value for name, term in d.terms.items()} == pytest.approx(terms, nan_ok=True)
