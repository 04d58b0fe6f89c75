"""What is told of an ensemble: growth, plateau, margins, diversity; the report, its pictures and its JSON."""

import json
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import cohen_kappa_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.ensembles import AdaBoost, Bagging, Growth, RandomForest, Stacking
from classay.ensembles.tally import Said, Shared, Tally, margins
from classay.inference.proportions.binomial import wilson
from classay.report.contract.writer import json_text
from classay.report.pictures.curves import pictures
from classay.shown import plot

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "ensemble.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def grown(errors, n=100):
    wrong = np.asarray(errors, float)
    zeros = np.zeros(wrong.size, int)
    return Growth("test", wrong, np.full(wrong.size, float(n)), None, None, zeros)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.array(["malignant", "benign"])[y]


@pytest.fixture(scope="module")
def shown(cancer):
    X, y = cancer
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
    made = {
        "bagging": Bagging(n_estimators=4, random_state=0),
        "forest": RandomForest(30, random_state=0),
        "all": RandomForest(5, bootstrap=False, random_state=0),
        "resampling": AdaBoost(n_estimators=12, random_state=0),
        "reweighting": AdaBoost(n_estimators=12, strategy="reweighting", random_state=0),
        "stacking": Stacking(members, cv=3),
        "in sample": Stacking(members, level_one="in-sample"),
        "one": RandomForest(1, random_state=0),
    }
    found = {}
    for name, ensemble in made.items():
        ensemble.fit(X[::2], y[::2])
        found[name] = ensemble.assess(X[1::2], y[1::2])
        found[f"{name}, training"] = ensemble.assess(level=0.9)
    return found


def test_votes_are_counted_as_they_come():
    truth = np.array([0, 1, 1])
    tally = Tally(truth, 2)
    tally.add(Said(np.array([0, 0, 1])), np.array([0, 1]))
    tally.add(Shared(np.array([[0.2, 0.8], [0.4, 0.6], [0.5, 0.5]])))
    tally.add(Said(np.array([1, 1, 1]), say=2.0))
    found = tally.growth("test")
    assert found.wrong.tolist() == [1, 2, 1]
    assert found.total.tolist() == [2, 3, 3]
    assert found.unvoted.tolist() == [1, 0, 0]
    np.testing.assert_allclose(tally.votes, [[1.2, 2.8], [1.4, 2.6], [0.5, 2.5]])


def test_the_interval_of_each_size_is_wilsons():
    found = grown([30, 20, 10])
    for size, wrong in ((1, 30), (3, 10)):
        estimate = found.estimate(size)
        assert (estimate.low, estimate.high) == pytest.approx(wilson(wrong, 100))
    frame = found.frame()
    assert frame.column_names == ["members", "error", "low", "high", "unvoted"]
    assert frame["error"].to_pylist() == [0.3, 0.2, 0.1]
    none = Growth("out of bag", np.zeros(1), np.zeros(1), None, None, np.array([5]))
    assert none.estimate().reason == "no case has a vote out of bag"
    assert none.plateau() is None


def test_a_plateau_is_where_nothing_moves_by_more_than_one_standard_error():
    flat = grown([40, 30, 20, 12, 11, 9, 10, 10, 11, 10]).plateau()
    assert (flat.members, flat.of, flat.is_reached) == (4, 10, True)
    assert flat.margin == pytest.approx(np.sqrt(0.1 * 0.9 / 100))
    falling = grown(range(50, 10, -4)).plateau()
    assert falling.members == 10
    assert not falling.is_reached
    assert grown([10] * 6).plateau().members == 1


def test_margins_say_right_and_wrong():
    votes = np.array([[5, 3, 2], [5, 3, 2], [0, 0, 0], [4, 4, 2], [6, 2, 2]], float)
    found = margins(votes, np.array([0, 1, 0, 1, -1]))
    np.testing.assert_allclose(found, [0.2, -0.2, np.nan, 0.0, -0.6])


def test_diversity_is_that_of_each_pair(cancer):
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, 89)
    made = RandomForest(6, max_depth=1, random_state=0).fit(X[::2], y[::2])
    said = np.array([tree.predict(X[1::2]) for tree in made.estimators_])
    for w in (None, weight):
        found = made.diversity(X[1::2], y[1::2], weight=w)
        share = np.full(89, 1 / 89) if w is None else w / w.sum()
        for i, j in zip(*found.pairs, strict=True):
            assert found.kappa[i, j] == pytest.approx(cohen_kappa_score(said[i], said[j], sample_weight=w))
            assert found.agreement[i, j] == pytest.approx(share @ (said[i] == said[j]))
            wrong = (said[i] != y[1::2]) & (said[j] != y[1::2])
            assert found.both_wrong[i, j] == pytest.approx(share @ wrong)
        np.testing.assert_allclose(found.errors, (said != y[1::2]) @ share)
        error = found.mean_error()
        assert error.value == pytest.approx(found.errors.mean())
        assert error.low < error.value < error.high
    assert found.frame().num_rows == 15


def test_diversity_on_training_is_of_cases_that_neither_drew(cancer):
    X, y = cancer
    made = Bagging(n_estimators=4, random_state=0).fit(X, y)
    found = made.diversity(X, y, cases="training")
    left = [np.setdiff1d(np.arange(569), drawn) for drawn in made.estimators_samples_]
    said = [made.classes_[member.predict(X)] for member in made.estimators_]
    both = np.intersect1d(left[0], left[2])
    assert found.agreement[0, 2] == pytest.approx((said[0][both] == said[2][both]).mean())
    assert found.errors[1] == pytest.approx((said[1][left[1]] != y[left[1]]).mean())
    assert "different cases" in found.mean_error().reason


def test_the_json_keeps_to_its_schema(shown):
    Draft202012Validator.check_schema(SCHEMA)
    for name, found in shown.items():
        plain = json.loads(json_text(found.to_dict()))
        VALIDATOR.validate(plain)
        best = found.best
        assert plain["error"]["value"] == (None if best is None else pytest.approx(best.errors[-1]))
        for growth in plain["growth"]:
            assert len(growth["errors"]) == len(growth["lows"]) == plain["members"], name
            assert growth["errors"][-1] == growth["value"]
    assert not VALIDATOR.is_valid(plain | {"extra": 1})
    assert not VALIDATOR.is_valid(plain | {"error": None})


def test_the_report_says_what_it_rests_on(shown):
    texts = {name: " ".join(str(found).replace("┃", "").split()) for name, found in shown.items()}
    forest = shown["forest"]
    error = forest.error()
    sure = f"{error.value:.3f} [{error.low:.3f}, {error.high:.3f}]"
    said = f"On new cases, the error of all 30 members together is {sure}."
    assert said in texts["forest"]
    assert "Plateau: from" in texts["forest"] or "No plateau yet" in texts["forest"]
    assert "plateau" not in texts["stacking"].lower()
    assert "slightly pessimistic" in texts["forest"]
    unvoted = shown["bagging"].out_of_bag.unvoted[-1]
    assert f"{unvoted} of the training cases have no vote out of bag" in texts["bagging"]
    assert "the error out of fold is too good: the combiner" in texts["stacking, training"]
    assert "cannot be told from the training cases" in texts["stacking, training"]
    assert "cannot be told from the training cases" in texts["in sample, training"]
    assert "cannot be told" in texts["resampling, training"]
    assert "bound of" in texts["reweighting"]
    assert "90 %" in texts["forest, training"]


def test_every_form_and_picture(shown, tmp_path):
    matplotlib.use("Agg")
    for name, found in shown.items():
        assert found.to_markdown().startswith("### ")
        assert r"\begin{tabular}" in found.to_latex()
        assert "<table" in found._repr_html_()
        for curves in found.curves():
            (picture,) = pictures(curves)
            assert picture.marks, name
    found = shown["resampling"]
    found.report(tmp_path / "page.html")
    assert "bound of the training error" in (tmp_path / "page.html").read_text(encoding="utf-8")
    first, _, pairs = found.curves()
    assert [each.series for each in first] == [
        "training",
        "out of bag",
        "test",
        "bound of the training error",
    ]
    assert pictures(pairs)[0].marks[0].form == "specks"
    (points,) = plot(pairs[0]).get_lines()
    assert points.get_linestyle() == "None"


def test_ensembles_are_loaded_when_they_are_asked_for():
    assert ca.ensembles.RandomForest is RandomForest
    assert "ensembles" in dir(ca)
