"""Learning curves: their points, what they extrapolate, and how that is checked."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from jsonschema import Draft202012Validator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError
from classay.improving.training_sets import Points, extrapolate, power_law
from classay.inference.draws import stream
from classay.inference.estimate import Estimate
from classay.report.results.parts import json_text
from classay.resampling import fitting
from classay.resampling.data import dataset
from classay.resampling.partitions import SizedKFold, ordered
from learners import Fails, noise

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "learning-curve.schema.json").read_text())
TREE = DecisionTreeClassifier(max_depth=3)
pytestmark = pytest.mark.filterwarnings("default")


def curve(learner=TREE, n=150, **how):
    return ca.learning_curve(learner, *noise(n, features=4), **({"protocol": "5x4"} | how))


@cache
def curve_of_400():
    """What several tests look at, and none changes."""
    return curve(n=400)


# --- training sets of a size


def test_smaller_training_sets_are_parts_of_larger_ones_and_folds_are_the_same():
    data = dataset("", *noise(120, shares=(0.8, 0.2)), None, None, None)
    whole = [*ca.StratifiedKFold(4, repeats=2).splits(data, 0)]
    before = None
    for size in (10, 40, 90):
        made = [*SizedKFold(4, 2, size).splits(data, 0)]
        for each, fold in zip(made, whole, strict=True):
            np.testing.assert_array_equal(each.place.test, fold.place.test)
            assert each.train.size == np.unique(each.train).size == each.place.n_train == size
            assert not np.isin(each.train, each.place.test).any()
        if before is not None:
            assert all({*a.train} <= {*b.train} for a, b in zip(before, made, strict=True))
        before = made


def test_the_first_cases_of_an_order_have_the_class_shares_of_all():
    data = dataset("", *noise(200, shares=(0.7, 0.3)), None, None, None)
    rows = np.arange(200)
    order = ordered(data.cases, rows, stream(0, "x"))
    assert sorted(order) == rows.tolist()
    share = data.cases.truth.mean()
    for size in (20, 50, 100, 199):
        assert abs(data.cases.truth[order[:size]].sum() - share * size) <= 1


def test_all_cases_outside_a_fold_are_plain_cross_validation():
    X, y = noise(100)
    sized = ca.evaluate(GaussianNB(), X, y, protocol="5x4@75")
    plain = ca.evaluate(GaussianNB(), X, y, protocol="5x4")
    assert sized["accuracy"] == plain["accuracy"]


def test_a_size_that_a_fold_cannot_give():
    with pytest.raises(InputError, match="5x4@80 trains on 80 cases, but only 75 are outside a fold"):
        ca.evaluate(GaussianNB(), *noise(100), protocol="5x4@80")


# --- points


def test_points_are_the_evaluations_at_their_sizes():
    X, y = noise(150, features=4)
    c = curve(sizes=[30, 112])
    for point, size in zip(c.points, (30, 112), strict=True):
        e = ca.evaluate(TREE, X, y, protocol=f"5x4@{size}", measures=["error_rate"])
        assert point.test == e["error_rate"]
        assert point.training.value == e.summary("error_rate").training
        assert point.training.low <= point.training.value <= point.training.high


def test_default_sizes_halve_down_from_all_cases_outside_a_fold():
    assert curve_of_400().sizes == (38, 53, 75, 106, 150, 212, 300)
    assert min(curve(n=60).sizes) >= 10


def test_a_learner_that_overfits_shows_no_error_in_training():
    c = curve(DecisionTreeClassifier())
    assert {p.training.value for p in c.points} == {0}
    assert "no variation" in c.points[0].training.reason
    assert all(p.test.value > 0.1 for p in c.points)


@pytest.mark.parametrize("measure", ["log_loss", "accuracy", "roc_auc", "brier_score"])
def test_any_measure(measure):
    c = curve(GaussianNB(), measure=measure, sizes=[40, 112])
    assert c.measure == measure
    assert all(p.test.has_interval and p.training.has_interval for p in c.points)
    assert c.frame().column_names[0] == "size"


def test_accuracy_is_the_error_rate_turned_over():
    error = curve_of_400()
    accuracy = error.of("accuracy")
    for one, other in zip(error.points, accuracy.points, strict=True):
        assert one.test.value == pytest.approx(1 - other.test.value)
    a, b = error.extrapolation, accuracy.extrapolation
    assert a.estimate.value == pytest.approx(1 - b.estimate.value)
    assert (a.change.low, a.change.high) == pytest.approx((-b.change.high, -b.change.low))
    assert (a.miss.low, a.miss.high) == pytest.approx((-b.miss.high, -b.miss.low))


# --- extrapolation


def test_a_power_law_is_found_again():
    n = np.array([20, 28, 40, 57, 80, 113, 160.0])
    for a, b, c in ((0.1, 2.0, 1.0), (0.0, 1.0, 0.5), (0.2, 0.0, 1.0)):
        y = a + b * n**-c
        assert power_law(n, y, np.ones(7), [320, 1000]) == pytest.approx(
            a + b * np.array([320, 1000.0]) ** -c, abs=2e-3
        )


def test_a_curve_that_rises_is_taken_for_constant():
    n = np.array([10, 20, 40, 80.0])
    y = np.array([0.1, 0.12, 0.13, 0.15])
    assert power_law(n, y, np.ones(4), [160, 320]).tolist() == pytest.approx([y.mean()] * 2)


def test_many_curves_are_fitted_as_one_by_one():
    rng = np.random.default_rng(0)
    n = np.array([10, 20, 40, 80, 160.0])
    y = 0.1 + 1 / n + 0.02 * rng.normal(size=(30, 5))
    w = rng.random(5)
    together = power_law(n, y, w, [320, 640])
    np.testing.assert_allclose(together, [power_law(n, each, w, [320, 640]) for each in y])


def points_of(law, se=0.002):
    n = np.array([25, 35, 50, 71, 100, 141, 200.0])
    return Points(n, law(n), np.eye(7) * se**2, 24.0)


def test_a_law_that_breaks_is_not_extrapolated():
    held = extrapolate(points_of(lambda n: 0.1 + 2 / n), Estimate(0.11), 0.95, 0)
    assert held.holds
    assert held.estimate.low < 0.105 < held.estimate.high
    assert held.change.high <= 0
    assert held.path[0][0] == 200
    assert held.path[-1][0] == 400
    broken = extrapolate(points_of(lambda n: np.where(n <= 100, 0.1 + 2 / n, 0.06)), Estimate(0.06), 0.95, 0)
    assert not broken.holds
    assert broken.miss.high < 0
    assert "missed the observed value" in broken.estimate.reason
    assert not broken.path


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"sizes": [50, 80, 112]}, "at least 4 sizes"),
        ({"learner": "sklearn.dummy:DummyClassifier", "measure": "roc_auc"}, "no variation"),
    ],
)
def test_why_there_is_no_extrapolation(how, words):
    found = curve(**how).extrapolation
    assert words in found


# --- running


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"sizes": [1]}, "Pass whole numbers of cases from 2 to 112, the number of cases outside"),
        ({"sizes": [500]}, "sizes contains 500"),
        ({"sizes": [0.5]}, "sizes contains 0"),
        ({"sizes": []}, "sizes is empty"),
        ({"sizes": 50}, "sizes must be a list of numbers of cases, such as"),
        ({"sizes": "50"}, "sizes must be a list of numbers of cases, such as"),
        ({"sizes": [50, "all"]}, "Pass whole numbers of cases from 2 to 112, the number of cases outside"),
        ({"sizes": [True, 50]}, "sizes contains True"),
        ({"protocol": "bootstrap:10"}, "A learning curve needs folds, but protocol is bootstrap:10"),
        ({"learner": [TREE, GaussianNB()]}, "Pass one: draw one learning curve at a time"),
        ({"learner": [TREE], "measure": "f1x"}, "f1x"),
    ],
)
def test_what_is_refused(how, words):
    with pytest.raises(ca.ClassayError, match=words):
        curve(**how)


def test_fits_that_fail_are_said():
    X, y = noise(100)
    X[7, 1] = 99
    c = ca.learning_curve(Fails(), X, y, sizes=[20, 60], protocol="5x4")
    assert c.failures
    assert "A fit failed: " in str(c)


def test_a_store_fits_nothing_twice(tmp_path, monkeypatch):
    fitted = []
    whole = fitting._fit
    monkeypatch.setattr(fitting, "_fit", lambda *given: (fitted.append(1), whole(*given))[1])
    store = tmp_path / "runs.db"
    first = curve(sizes=[30, 60], store=store)
    assert len(fitted) == 40
    again = curve(sizes=[30, 60, 90], store=store)
    assert len(fitted) == 60
    assert again.points[:2] == first.points
    curve(sizes=[30, 60], store=store)
    assert len(fitted) == 60


def test_the_same_on_any_number_of_workers():
    one = curve(n_jobs=1, seed=5, protocol="2x4")
    with parallel_config(backend="threading"):  # processes have their tests where fits are run
        two = curve(n_jobs=2, seed=5, protocol="2x4")
    assert one.to_dict() == two.to_dict()
    assert str(one) == str(two)


# --- shown


def test_every_form_shows_it(tmp_path):
    c = curve(LogisticRegression(), n=400)
    text = str(c)
    for part in ("By a power law, 600 cases", "observed minus expected", "new cases"):
        assert part in " ".join(text.split()), part
    c.report(tmp_path / "page.html")
    assert "Learning curve" in (tmp_path / "page.html").read_text()
    assert "training cases" in c.to_latex()
    assert "| training cases |" in c.to_markdown()
    assert [each.series for each in c.curves()] == ["new cases", "training cases", "extrapolated"]


def test_json_keeps_to_its_schema():
    Draft202012Validator.check_schema(SCHEMA)
    validator = Draft202012Validator(SCHEMA)
    others = curve(sizes=[30, 60]), curve(DecisionTreeClassifier(), protocol="2x4")
    for each in (curve_of_400(), *others):
        validator.validate(json.loads(json_text(each.to_dict())))
