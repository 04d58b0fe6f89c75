"""evaluate(): predictions as scikit-learn's, estimates as by hand, and nothing hidden that goes wrong."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as skm
from sklearn import model_selection as ms
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.comparison.comparison import BASELINE
from classay.errors import InputError, UnknownMeasureError
from classay.inference.proportions import scale_of
from classay.measures import get
from classay.resampling.bootstraps import _without_information, protocol_of
from classay.resampling.data import dataset
from classay.resampling.folds import corrected_interval, nested_error, point632, point632plus
from classay.resampling.model_folds import ModelFolds
from classay.resampling.results import times_of
from learners import Centroid, Counts, Draws, Fails, Majority, noise

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "statistics.json").read_text())


def results(e, model=None):
    return e.runs[0].results[e.models[0] if model is None else model]


def places(e):
    return e.runs[0].places


@pytest.mark.covering(2)
@pytest.mark.parametrize("splitter", [ms.StratifiedKFold(5, shuffle=True, random_state=3), ms.KFold(4)])
@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (GaussianNB(), "predict_proba"),
        (make_pipeline(StandardScaler(), SVC()), "decision_function"),
        (Centroid(), None),
    ],
)
@pytest.mark.parametrize("labels", [(0, 1), ("ham", "spam"), ("a", "b", "c")])
def test_fold_predictions_are_those_of_cross_val_predict(splitter, estimator, method, labels):
    x, y = noise(labels=labels)
    positive = "ham" if labels[-1] == "spam" else None
    e = ca.evaluate(estimator, x, y, protocol=splitter, positive=positive)
    rows = np.concatenate([place.test for place in places(e)])
    predicted = np.concatenate([each.predicted for each in results(e)])
    expected = ms.cross_val_predict(estimator, x, y, cv=splitter)
    np.testing.assert_array_equal(np.array(labels)[predicted], expected[rows])
    if method is None:
        assert results(e)[0].scores is None
        assert ("no scores were given" in e["log_loss"].reason) == e["log_loss"].is_undefined
        return
    scores = np.concatenate([each.scores for each in results(e)])
    theirs = ms.cross_val_predict(estimator, x, y, cv=splitter, method=method)[rows]
    if theirs.ndim == 2 and len(labels) == 2:
        theirs = theirs[:, labels.index(positive if positive else 1)]
    elif len(labels) == 2 and positive == "ham":
        theirs = -theirs
    np.testing.assert_array_equal(scores, theirs)


def test_the_baseline_is_scikit_learns_prior():
    x, y = noise(shares=(0.5, 0.2, 0.3), labels=("a", "b", "c"))
    e = ca.evaluate({"prior": DummyClassifier()}, x, y, protocol="2x4")
    for ours, theirs in zip(results(e, BASELINE), results(e, "prior"), strict=True):
        np.testing.assert_array_equal(ours.predicted, theirs.predicted)
        np.testing.assert_allclose(ours.scores, theirs.scores, rtol=1e-15)
        np.testing.assert_array_equal(ours.training, theirs.training)
        assert ours.training_values == pytest.approx(theirs.training_values)


def hidden_in(e, name):
    """What the folds of the one learner do not show."""
    ((_, _, folds),) = [each for each in e.model_folds() if each[1] != BASELINE]
    return folds.hidden(get(name))


def test_estimates_as_by_hand():
    x, y = noise(200)
    splitter = ms.StratifiedKFold(5, shuffle=True, random_state=0)
    e = ca.evaluate(LogisticRegression(), x, y, protocol=splitter)
    aucs = ms.cross_val_score(LogisticRegression(), x, y, cv=splitter, scoring="roc_auc")
    low, high, method = corrected_interval(aucs, 1 / 4, 0.95, (0, 1), scale=scale_of((0, 1)))
    assert (e["roc_auc"].value, e["roc_auc"].low, e["roc_auc"].high) == pytest.approx(
        (aucs.mean(), low, high)
    )
    assert e["roc_auc"].method == method
    accuracies = ms.cross_val_score(LogisticRegression(), x, y, cv=splitter)
    hidden = hidden_in(e, "accuracy")
    low, high, _ = corrected_interval(accuracies, 1 / 4, 0.95, (0, 1), hidden, scale_of((0, 1)))
    assert (e["accuracy"].low, e["accuracy"].high) == pytest.approx((low, high))
    pooled = ms.cross_val_predict(LogisticRegression(), x, y, cv=splitter)
    f1, mcc = e.summary("f1"), e.summary("mcc")
    assert f1.estimate.value == pytest.approx(skm.f1_score(y, pooled))
    assert mcc.pooled == mcc.estimate.value == pytest.approx(skm.matthews_corrcoef(y, pooled))
    each = ms.cross_val_score(LogisticRegression(), x, y, cv=splitter, scoring="f1")
    assert f1.fold_mean == pytest.approx(each.mean())
    assert f1.used == mcc.used == "pooled"
    assert e.summary("roc_auc").used == "fold mean"
    assert np.isnan(e.summary("average_precision").pooled)
    p = ms.cross_val_predict(LogisticRegression(), x, y, cv=splitter, method="predict_proba")
    assert e["log_loss"].value == pytest.approx(skm.log_loss(y, p))
    seen = ms.cross_validate(
        LogisticRegression(), x, y, cv=splitter, scoring="roc_auc", return_train_score=True
    )
    assert e.summary("roc_auc").training == pytest.approx(seen["train_score"].mean())


def test_pooled_means_weigh_folds_by_their_size():
    x, y = noise(23)
    e = ca.evaluate(Centroid(), x, y, protocol=ms.KFold(5))
    pooled = ms.cross_val_predict(Centroid(), x, y, cv=ms.KFold(5))
    assert e["accuracy"].value == pytest.approx((pooled == y).mean(), rel=1e-12)
    assert e.summary("accuracy").fold_mean != pytest.approx(e["accuracy"].value, rel=1e-6)


def test_the_spread_of_a_pooled_measure_is_the_jackknifes():
    x, y = noise(90)
    e = ca.evaluate(Centroid(), x, y, protocol=ms.KFold(6))
    pooled = ms.cross_val_predict(Centroid(), x, y, cv=ms.KFold(6))
    whole, pseudo = skm.f1_score(y, pooled), []
    for train, _ in ms.KFold(6).split(x):
        pseudo.append(6 * whole - 5 * skm.f1_score(y[train], pooled[train]))
    each, hidden = np.array(pseudo) - np.mean(pseudo) + whole, hidden_in(e, "f1")
    low, high, _ = corrected_interval(each, 1 / 5, 0.95, (0, 1), hidden, scale_of((0, 1)))
    assert (e["f1"].low, e["f1"].high) == pytest.approx((low, high))


class Above(ClassifierMixin, BaseEstimator):
    """Says 1 where the first feature is above 0, whatever it learned."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("calls", [(0,), (0, 3), (0, 1, 2, 3)], ids=["one fold", "two folds", "all folds"])
def test_what_one_fold_alone_defines_has_no_interval(calls):
    """A measure has pseudo-values exactly where it is defined without any one of the folds, as `assess` tells."""
    fold, y = np.arange(80) // 20, np.arange(80) % 2
    x = np.where(np.isin(fold, calls) & (np.random.default_rng(1).random(80) < 0.6), 1.0, -1.0)[:, None]
    e = ca.evaluate(Above(), x, y, protocol=ms.KFold(4))
    for name in ("accuracy", "precision", "recall", "specificity", "npv", "f1", "mcc"):
        without = [ca.assess(y[fold != k], y_pred=(x[fold != k, 0] > 0).astype(int))[name] for k in range(4)]
        is_undefined = any(np.isnan(estimate.value) for estimate in without)
        reason = "the value is undefined when some fold is excluded" if is_undefined else None
        assert (e[name].reason, e[name].has_interval) == (reason, not is_undefined), name


def test_one_holdout_is_assessed_as_a_test_set():
    x, y = noise(150)
    e = ca.evaluate(GaussianNB(), x, y, protocol="holdout:0.4")
    (result,), (place,) = results(e), places(e)
    a = ca.assess(y[place.test], result.scores, y_pred=result.predicted.astype(int))
    for name in ("accuracy", "f1", "roc_auc", "average_precision", "log_loss", "mcc"):
        assert e[name] == a[name]
    assert "sampling variability of the test cases" in e.random
    cluster = np.arange(150) // 3
    by_cluster = ca.evaluate(GaussianNB(), x, y, protocol="holdout:0.4", cluster=cluster)
    assert "cluster" in by_cluster["accuracy"].method


def test_resubstitution_is_labelled():
    x, y = noise()
    e = ca.evaluate(DecisionTreeClassifier(), x, y, protocol="resubstitution")
    assert e["accuracy"].value == 1
    assert "training" in e["accuracy"].reason
    assert "optimistic" in e.protocol.estimand
    assert "optimistic" in str(e)


# leave-one-out


def test_leave_one_out_fails_as_the_source_says():
    y = np.repeat([0, 1], 10)
    x = np.random.default_rng(0).normal(size=(20, 2))
    e = ca.evaluate(Majority(), x, y, protocol="loo")
    for model in e.models:
        assert e[model]["error_rate"].value == ORACLES["LOO_majority_error_20_balanced"]
        assert "depend" in e[model]["error_rate"].reason
        assert not e[model]["error_rate"].has_interval
    assert "shares" in e.notes[0]
    assert any("artifact" in note and "100.0%" in note for note in e.notes)


@pytest.mark.parametrize("positives", [10, 6])
def test_pooled_leave_one_out_auc_of_the_class_shares_is_zero_and_refused(positives):
    y = np.repeat([1, 0], [positives, 20 - positives])
    x = np.random.default_rng(0).normal(size=(20, 2))
    e = ca.evaluate(GaussianNB(), x, y, protocol="loo")
    frame = e[BASELINE].predictions()
    pooled = skm.roc_auc_score(frame["truth"].to_pylist(), frame["score"].to_pylist())
    assert pooled == ORACLES["LOO_prior_pooled_AUC"] == ORACLES["LOO_prior_pooled_AUC_unbalanced"]
    for model in e.models:
        assert e[model]["roc_auc"].is_undefined
        assert "must not be pooled" in e[model]["roc_auc"].reason
    assert e["log_loss"].value > 0


# bootstraps


def test_632plus_as_by_hand():
    x, y = noise(60)
    model = KNeighborsClassifier(1)
    e = {name: ca.evaluate(model, x, y, protocol=f"{name}:30") for name in ("632", "632+", "bootstrap")}
    sums, times = np.zeros(60), np.zeros(60)
    for split in protocol_of("bootstrap:30").splits(dataset("", x, y, None, None, None), 0):
        out = split.place.test
        missed = model.fit(x[split.train], y[split.train]).predict(x[out]) != y[out]
        np.add.at(sums, out, missed)
        np.add.at(times, out, 1)
    apparent_error = (model.fit(x, y).predict(x) != y).mean()
    out_error = (sums / times).mean()
    none = np.mean([[a != b for a in model.predict(x)] for b in y])
    plus = point632plus(apparent_error, out_error, none).value
    assert e["632"]["error_rate"].value == pytest.approx(point632(apparent_error, out_error))
    assert e["632+"]["error_rate"].value == pytest.approx(plus)
    assert e["632+"]["accuracy"].value == pytest.approx(1 - plus)
    assert e["632"]["error_rate"].value < e["632+"]["error_rate"].value  # 1-NN: the plain one is optimistic
    assert e["632+"].summary("error_rate").training == 0
    assert "no valid interval is known" in e["632+"]["error_rate"].reason


@pytest.mark.parametrize("labels", [(0, 1), ("a", "b", "c")])
def test_632plus_of_other_measures(labels):
    x, y = noise(90, labels=labels)
    e = ca.evaluate(GaussianNB(), x, y, protocol="632+:20")
    names = ("f1", "roc_auc", "log_loss", "brier_score") if len(labels) == 2 else ("macro_f1", "log_loss")
    for name in names:
        found = e.summary(name)
        seen, out = sorted([found.training, found.fold_mean])
        assert seen <= found.estimate.value <= out or abs(seen - out) < 0.02
    if len(labels) == 3:
        assert "unknown for more than two classes" in e["macro_roc_auc"].reason


@pytest.mark.parametrize("labels", [(0, 1), ("a", "b", "c")])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_without_information_is_that_of_all_pairs(labels, weighted):
    """Of three classes the weights were not counted. Integer weights are repeated cases."""
    x, y = noise(60, labels=labels)
    weight = np.random.default_rng(0).integers(1, 4, 60) if weighted else np.ones(60, int)
    cases = np.repeat(np.arange(60), weight)
    e = ca.evaluate(GaussianNB(), x, y, protocol="632+:3", weight=weight.astype(float) if weighted else None)
    parts = ModelFolds(e.runs[0].cases, places(e), results(e), 0.95, 0).of("apparent")
    model = GaussianNB().fit(x, y)
    p, codes = model.predict_proba(x)[cases], np.searchsorted(model.classes_, y)[cases]
    brier = ((p[:, None] - np.eye(len(labels))[codes]) ** 2).sum(-1).mean()
    expected = {
        "error_rate": np.mean(p.argmax(1)[:, None] != codes),
        "log_loss": -np.log(p[:, codes]).mean(),
        "brier_score" if len(labels) == 2 else "multiclass_brier_score": brier / (1 + (len(labels) == 2)),
    }
    for name, value in expected.items():
        assert parts.mean_by_class(ca.MEASURES[name]) == pytest.approx(value, rel=1e-9)
        found = _without_information(parts, ca.MEASURES[name])
        assert found == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("labels", [(0, 1), ("a", "b", "c")])
@pytest.mark.parametrize("weighted", [False, True])
def test_an_infinite_loss_is_infinite_by_every_bootstrap(labels, weighted):
    """The log-loss of a full tree was infinite by .632 and undefined by .632+."""
    x, y = noise(60, labels=labels)
    weight = np.random.default_rng(0).uniform(1, 3, 60) if weighted else None
    for protocol in ("bootstrap:8", "632:8", "632+:8"):
        e = ca.evaluate(DecisionTreeClassifier(), x, y, protocol=protocol, weight=weight)
        assert e["log_loss"].value == np.inf
        assert "the value is infinite" in e["log_loss"].reason


def test_optimism_as_by_hand():
    x, y = noise(80)
    e = ca.evaluate(LogisticRegression(), x, y, protocol="optimism:25")

    def auc(model, rows):
        return skm.roc_auc_score(y[rows], model.predict_proba(x[rows])[:, 1])

    def f1(model, rows):
        return skm.f1_score(y[rows], model.predict(x[rows]))

    every = np.arange(80)
    for name, measure in (("roc_auc", auc), ("f1", f1)):
        gaps = []
        for split in protocol_of("optimism:25").splits(dataset("", x, y, None, None, None), 0):
            if split.place.kind == "test":
                model = LogisticRegression().fit(x[split.train], y[split.train])
                gaps.append(measure(model, split.train) - measure(model, every))
        apparent = measure(LogisticRegression().fit(x, y), every)
        assert e[name].value == pytest.approx(apparent - np.mean(gaps), rel=1e-9)


# nested cross-validation


def test_nested_as_by_hand():
    x, y = noise(45)
    protocol = ca.NestedCV(3, repeats=4)
    e = ca.evaluate(KNeighborsClassifier(3), x, y, protocol=protocol)
    folds = [
        s.place.test
        for s in protocol.splits(dataset("", x, y, None, None, None), 0)
        if s.place.kind == "test"
    ]
    inner, outer = [], []

    def missed(train, test):
        return KNeighborsClassifier(3).fit(x[train], y[train]).predict(x[test]) != y[test]

    for repeat in range(4):
        own = folds[3 * repeat : 3 * repeat + 3]
        for k in range(3):
            rest = [own[j] for j in range(3) if j != k]
            outer.append(missed(np.concatenate(rest), own[k]))
            inner.append(np.concatenate([missed(rest[1 - j], rest[j]) for j in range(2)]))
    found = nested_error(inner, outer, 3, 0.95)
    estimate = e["error_rate"]
    assert estimate.value == pytest.approx(found.value)
    assert (estimate.low, estimate.high) == pytest.approx((found.low, found.high))
    assert estimate.method == "nested CV"
    assert e["accuracy"].value == pytest.approx(1 - found.value)
    assert "only for means over cases" in e["f1"].reason
    assert "nested: 4 repetitions give imprecise interval widths" in e.notes[-1]


# the same from anywhere


@pytest.mark.parametrize(
    "protocol", ["3x4", *(pytest.param(each, marks=pytest.mark.slow) for each in ("632+:8", "nested:3x2"))]
)
def test_the_number_of_workers_changes_no_byte(protocol):
    x, y = noise(80)
    models = {"tree": DecisionTreeClassifier(max_features=1), "draws": Draws(), "bayes": GaussianNB()}

    def content(n_jobs):
        e = ca.evaluate(models, x, y, protocol=protocol, n_jobs=n_jobs)
        timeless = [
            replace(each, fit_seconds=0.0, score_seconds=0.0).to_bytes()
            for model in e.models
            for each in results(e, model)
        ]
        return timeless, e.estimates.drop_columns(["reason"]), e.frame()

    one = content(1)
    for n_jobs in (2, 4):
        bytes_, estimates, frame = content(n_jobs)
        assert bytes_ == one[0]
        assert repr(estimates.to_pydict()) == repr(one[1].to_pydict())
        assert repr(frame.to_pydict()) == repr(one[2].to_pydict())


def test_the_backend_is_the_users():
    import joblib

    x, y = noise(60)
    alone = ca.evaluate(Draws(), x, y, protocol="5fold")
    for backend in ("threading", "multiprocessing"):
        with joblib.parallel_config(backend, n_jobs=2):
            again = ca.evaluate(Draws(), x, y, protocol="5fold")
        assert again["accuracy"] == alone["accuracy"]


def test_random_estimators_are_seeded_by_split_and_seed():
    x, y = noise(100)
    first, again, other = (ca.evaluate(Draws(), x, y, protocol="5fold", seed=seed) for seed in (0, 0, 1))
    assert first["accuracy"] == again["accuracy"] != other["accuracy"]
    drawn = {each.predicted.tobytes() for each in results(first)}
    assert len(drawn) == 5
    fixed = ca.evaluate(Draws(random_state=1), x, y, protocol="5fold")
    assert len({each.predicted[:19].tobytes() for each in results(fixed)}) == 1


def test_models_share_the_folds_and_estimators_are_not_touched():
    x, y = noise()
    tree = DecisionTreeClassifier()
    e = ca.evaluate([tree, GaussianNB(), tree], x, y, protocol="5fold")
    assert e.models == ("DecisionTreeClassifier", "GaussianNB", "DecisionTreeClassifier 2", BASELINE)
    assert not hasattr(tree, "tree_")
    assert tree.random_state is None
    assert e["DecisionTreeClassifier"]["f1"] == e["DecisionTreeClassifier 2"]["f1"]
    (found,) = e.resampled("roc_auc")
    assert found.values.shape == (4, 5)
    assert found.test_over_train == pytest.approx(1 / 4)
    assert found.values[1].mean() == pytest.approx(e["GaussianNB"]["roc_auc"].value)
    (pooled,) = e.resampled("accuracy")
    assert pooled.contributions[1].mean() == pytest.approx(e["GaussianNB"]["accuracy"].value)


# what goes wrong


def test_a_fold_with_one_class():
    x, y = noise(40)
    order = np.argsort(y, kind="stable")
    x, y = x[order], y[order]
    cut = int((y == 0).sum())
    fold = np.where(np.arange(40) < 5, 0, np.where(np.arange(40) < cut + 5, 1, 2))
    e = ca.evaluate(GaussianNB(), x, y, protocol=ms.PredefinedSplit(fold))
    auc, f1 = e.summary("roc_auc"), e.summary("f1")
    assert auc.defined == 1 < auc.folds == 3
    assert any("no case is positive" in why for why in auc.missing)
    assert f1.used == "pooled"
    assert not f1.estimate.is_undefined
    reasons = [row for row in e.frame().to_pylist() if row["measure"] == "roc_auc" and row["reason"]]
    assert all(np.isnan(row["value"]) for row in reasons)
    assert "GaussianNB: 1 of 3 folds" in str(e)


def test_an_estimator_that_fails_in_some_folds():
    x, y = noise(60)
    x[7, 1] = 99
    e = ca.evaluate({"fails": Fails(), "works": Centroid()}, x, y, protocol="5fold")
    assert len(e.failures) == 4
    assert "fails, repeat 1, fold" in e.failures[0]
    assert "ArithmeticError: the marked row" in e.failures[0]
    assert "\n" not in e.failures[0]
    found = e["fails"].summary("accuracy")
    assert (found.defined, found.folds) == (1, 5)
    assert not found.estimate.has_interval
    (values,) = e.resampled("accuracy")
    assert np.isnan(values.values[0]).sum() == 4
    assert not np.isnan(values.values[1]).any()
    assert "1 of 5 folds" in str(e)
    assert str(e).count("the marked row") == 4
    failed = [row for row in e.frame().to_pylist() if row["reason"] and row["reason"].startswith("failed")]
    assert {row["model"] for row in failed} == {"fails"}
    times = times_of(e)["times"]
    assert [(each["model"], each["fits"]) for each in times[:2]] == [("fails", 1), ("works", 5)]
    for each in times[:2]:
        seconds = e[each["model"]].times["fit_seconds"].to_numpy()
        assert each["fit_seconds"] == pytest.approx(np.nanmean(seconds))
    x[8:12, 1] = 99
    with pytest.raises(InputError, match="The first error: ArithmeticError: the marked row"):
        ca.evaluate(Fails(), x, y, protocol="5fold")
    both = ca.evaluate([Fails(), Centroid()], x, y, protocol="5fold")
    assert "every fit failed: ArithmeticError" in both["Fails"]["accuracy"].reason
    failed = both._folds_of(both.runs[0], "Fails")
    for name in ("accuracy", "recall", "f1"):
        assert failed.class_slopes(get(name)).tolist() == [0, 0]


def test_a_class_that_is_absent_from_training():
    x, y = noise(60, labels=("a", "b", "c"))
    order = np.argsort(y, kind="stable")
    x, y = x[order], y[order]
    fold = np.where(y == "c", 0, 1 + np.arange(60) % 2)
    e = ca.evaluate(GaussianNB(), x, y, protocol=ms.PredefinedSplit(fold))
    first = results(e)[0]
    np.testing.assert_array_equal(first.scores[:, 2], 0)
    assert first.scores.shape[1] == 3
    assert "class 'c' has no training cases; it gets a probability of 0" in first.notes
    assert any("in 1 of 3 fits: class 'c' has no training cases" in note for note in e.notes)
    assert np.isinf(e["log_loss"].value)
    assert "probability 0" in e["log_loss"].reason


def test_missing_scores_are_a_failure():
    class Broken(GaussianNB):
        def predict_proba(self, X):
            found = super().predict_proba(X)
            found[0] = np.nan
            return found

    x, y = noise(40)
    with pytest.raises(InputError, match="in 1 of 8 rows"):
        ca.evaluate(Broken(), x, y, protocol="5fold")


def test_warnings_of_estimators_are_counted():
    import warnings

    x, y = noise(60, features=20)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        e = ca.evaluate(LogisticRegression(max_iter=1), x, y, protocol="5fold")
    assert any(re.search(r"in 5 of 5 fits: ConvergenceWarning", note) for note in e.notes)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"estimators": []}, "There are no estimators"),
        ({"estimators": GaussianNB}, "GaussianNB is a class"),
        ({"estimators": {"x": 3}}, "x must be an estimator with fit, predict and get_params, as in"),
        (
            {"estimators": {"baseline": GaussianNB()}},
            "The name 'baseline' is reserved for the majority-class baseline, which",
        ),
        ({"y": None}, "There are no labels"),
        ({"y": [0, 1, 0]}, "X has 30 rows, but y has 3 labels"),
        ({"y": [1] * 30}, "A learner needs two classes"),
        ({"y": ["a", "b"] * 15}, "The positive class is not set"),
        ({"y": [0, 1, None] * 10}, "missing in 10 rows"),
        ({"level": 95}, "level must be a number between 0 and 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0, or a numpy Generator, but is"),
        ({"measures": []}, "measures is empty"),
        ({"weight": [0] + [1] * 29}, "weight is 0 in 1 row"),
        ({"protocol": "10by10"}, "Unknown protocol '10by10'"),
    ],
)
def test_what_cannot_be_evaluated(how, words):
    x, y = noise(30)
    given = {"estimators": GaussianNB(), "X": x, "y": y, "protocol": "3fold"} | how
    with pytest.raises(InputError, match=words):
        ca.evaluate(**given)


def test_measures_are_checked_before_anything_is_fitted():
    x, y = noise(30, labels=("a", "b", "c"))
    Counts.fits = 0
    with pytest.raises(UnknownMeasureError, match="macro_precision"):
        ca.evaluate(Counts(), x, y, measures=["precision"])
    with pytest.raises(UnknownMeasureError, match="Did you mean 'accuracy'"):
        ca.evaluate(Counts(), x, y, measures=["acuracy"])
    assert Counts.fits == 0


def test_names_are_found_or_hinted_at():
    x, y = noise(40)
    e = ca.evaluate({"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}, x, y, protocol="3fold")
    with pytest.raises(InputError, match="There are 2 models"):
        e["accuracy"]
    with pytest.raises(UnknownMeasureError, match="Did you mean 'bayes'"):
        e["bayse"]
    assert e["bayes"]["auc"] == e["bayes"]["roc_auc"]
    assert e["bayes"].models == ("bayes",)


# the rest of the interface


def test_frames():
    x, y = noise(40, labels=("a", "b", "c"))
    e = ca.evaluate(GaussianNB(), x, y, protocol="2x3", measures=["accuracy", "macro_f1"])
    frame = e.frame()
    assert frame.num_rows == 2 * 2 * 6
    assert frame.column_names[:6] == ["dataset", "model", "measure", "repeat", "fold", "value"]
    predictions = e.predictions()
    assert predictions.num_rows == 2 * 2 * 40
    assert {"score of a", "score of b", "score of c"} <= {*predictions.column_names}
    own = predictions.filter([m == "GaussianNB" for m in predictions["model"].to_pylist()]).to_pylist()
    right = np.mean([row["truth"] == row["predicted"] for row in own])
    assert right == pytest.approx(e["accuracy"].value)
    assert all(y[row["row"]] == row["truth"] for row in own)
    assert e.times.num_rows == 12
    assert min(e["GaussianNB"].times["fit_seconds"].to_pylist()) > 0
    assert e.estimates.num_rows == 4


def test_several_data_sets():
    data = {"one": noise(40), "two": noise(60, seed=1)}
    e = ca.evaluate([GaussianNB(), Centroid()], data, protocol="3fold", measures=["accuracy", "roc_auc"])
    assert e.datasets == ("one", "two")
    assert {*e.frame()["dataset"].to_pylist()} == {"one", "two"}
    alone = ca.evaluate(GaussianNB(), *data["two"], protocol="3fold")
    assert e["two"]["GaussianNB"]["roc_auc"] == alone["roc_auc"]
    assert len(e.resampled("accuracy")) == 2
    with pytest.raises(InputError, match="There are 2 data sets"):
        e["GaussianNB"]["accuracy"]
    assert "ROC AUC on two" in str(e)
    with pytest.raises(InputError, match="Data set 'one' must be a pair"):
        ca.evaluate(GaussianNB(), {"one": data["one"][0]})


def test_weights_count_in_the_assessment():
    x, y = noise(80)
    weight = np.random.default_rng(0).random(80)
    e = ca.evaluate(Centroid(), x, y, protocol=ms.KFold(4), weight=weight)
    said = ms.cross_val_predict(Centroid(), x, y, cv=ms.KFold(4))
    assert e["accuracy"].value == pytest.approx(np.average(said == y, weights=weight))
    assert e["f1"].value == pytest.approx(skm.f1_score(y, said, sample_weight=weight))


def test_frames_and_lists_of_any_kind_as_features():
    import pandas as pd
    import polars as pl
    from scipy import sparse

    x, y = noise(40)
    expected = ca.evaluate(GaussianNB(), x, y, protocol="3fold")["roc_auc"]
    names = [f"x{i}" for i in range(x.shape[1])]
    for given in (pd.DataFrame(x, columns=names), pl.DataFrame(x, schema=names), x.tolist()):
        assert ca.evaluate(GaussianNB(), given, pd.Series(y), protocol="3fold")["roc_auc"] == expected
    assert ca.evaluate(LogisticRegression(), sparse.csr_array(x), y, protocol="3fold")["roc_auc"].has_interval


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "imblearn"])
def test_estimators_of_other_libraries(library):
    module = pytest.importorskip(library)
    x, y = noise(80)
    if library == "lightgbm":
        model = module.LGBMClassifier(n_estimators=5, verbose=-1)
    elif library == "xgboost":
        model = module.XGBClassifier(n_estimators=5)
    else:
        from imblearn.over_sampling import RandomOverSampler
        from imblearn.pipeline import make_pipeline as pipeline

        model = pipeline(RandomOverSampler(), GaussianNB())
    first, again = (ca.evaluate(model, x, y, protocol="3fold") for _ in range(2))
    assert first["roc_auc"] == again["roc_auc"]
    assert first["roc_auc"].value > 0.5
    assert not first.failures


def test_labels_that_an_estimator_does_not_take():
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    x, y = noise(80, labels=("no", "yes"))
    model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1)
    coded = ca.evaluate(model, x, (y == "yes").astype(int), protocol="3fold")
    assert ca.evaluate(model, x, y, positive="yes", protocol="3fold")["roc_auc"] == coded["roc_auc"]
    with pytest.raises(
        InputError, match=r"got \['no' 'yes'\]\. XGBoost takes the labels 0, 1, … alone: code the"
    ):
        ca.evaluate(xgboost.XGBClassifier(n_estimators=5), x, y, positive="yes", protocol="3fold")


def test_tuning_shows_what_the_search_promised():
    x, y = noise(120)
    search = ms.GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2, None]}, cv=3, scoring="roc_auc")
    e = ca.evaluate(search, x, y, protocol="4fold")
    tuning = e.tuning
    assert tuning.num_rows == 4
    assert all("max_depth" in json.loads(each) for each in tuning["params"].to_pylist())
    assert {*tuning["scoring"].to_pylist()} == {"roc_auc"}
    inner = np.mean(tuning["score"].to_pylist())
    text = " ".join(str(e).split())
    assert (
        f"best ROC AUC inside the folds was {inner:.3f} on average, and {e['roc_auc'].value:.3f} on held-out cases"
        in text
    )
    assert "DecisionTreeClassifier tuned" in e.models
    same = ca.tune(
        DecisionTreeClassifier(),
        {"max_depth": [1, 2, None]},
        x,
        y,
        scoring="roc_auc",
        folds=3,
        protocol="4fold",
    )
    assert same["roc_auc"] == e["roc_auc"]
    halving = ca.tune(
        DecisionTreeClassifier(), {"max_depth": [1, 2]}, x, y, search="halving", protocol="3fold"
    )
    assert halving.tuning.num_rows == 3
    with pytest.raises(InputError, match="search must be 'grid', 'random', 'halving' or a search object to"):
        ca.tune(GaussianNB(), {}, x, y, search="best")


def copied(seed=0):
    """Ten copies of each of 16 patients, whose labels are noise: only who has seen a patient knows the label."""
    rng = np.random.default_rng(seed)
    x, y, patient = rng.normal(size=(16, 4)), np.arange(16) % 2, rng.permutation(np.arange(16).repeat(10))
    return x[patient] + rng.normal(scale=0.01, size=(160, 4)), y[patient], patient


@pytest.mark.parametrize("search", ["grid", "random", "halving"])
def test_searches_keep_clusters_together(search):
    x, y, patient = copied()
    grid = {"max_depth": [*range(1, 11)]}
    e = ca.tune(
        DecisionTreeClassifier(), grid, x, y, search=search, folds=3, protocol="3fold", cluster=patient
    )
    assert not e.failures
    assert e.runs[0].leaks == ()
    assert max(e.tuning["score"].to_pylist()) < 0.9


def test_a_search_that_tears_clusters_is_named():
    x, y, patient = copied()
    how = {"protocol": "3fold", "cluster": patient}
    torn = ms.GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=3)
    kept = ms.GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=ms.GroupKFold(3))
    e = ca.evaluate({"torn": torn, "kept": kept, "step": make_pipeline(StandardScaler(), kept)}, x, y, **how)
    (leak,) = e.runs[0].leaks
    assert (leak.code, leak.count, leak.example) == ("inner_folds", 1, "torn")
    scores = dict.fromkeys(("torn", "kept", "step"), 0.0)
    for name, score in zip(e.tuning["model"].to_pylist(), e.tuning["score"].to_pylist(), strict=True):
        scores[name] = max(scores[name], score)
    assert scores["torn"] == 1  # each patient was seen
    assert max(scores["kept"], scores["step"]) < 0.9
    assert "inner folds" in " ".join(str(e).split())
    assert ca.evaluate(torn, x, y, protocol="3fold").runs[0].leaks == ()


def test_progress_is_told_after_every_fit():
    x, y = noise(40)
    steps = []
    e = ca.evaluate([GaussianNB(), Centroid()], x, y, protocol="2x3", progress=steps.append)
    assert [step.done for step in steps] == list(range(1, 13))
    assert steps[0].total == 12
    assert steps[0].last.unit.learner.name == "GaussianNB"
    assert steps[-1].so_far()["Centroid"]["accuracy"] == e["Centroid"]["accuracy"]


def test_progress_shows_estimates_so_far():
    x, y = noise(40)
    seen = []

    def look(step):
        found = step.so_far()["GaussianNB"].summary("accuracy")
        seen.append((found.defined, found.estimate.value))

    ca.evaluate(GaussianNB(), x, y, protocol="3fold", progress=look)
    assert [defined for defined, _ in seen] == [1, 2, 3]


def test_german_credit_like_text_of_an_evaluation():
    x, y = noise(120, labels=("bad", "good"), shares=(0.3, 0.7))
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    e = ca.evaluate(models, x, y, protocol="2x5", positive="bad")
    text = str(e)
    for words in ("Evaluation of bayes and tree", "protocol", "2x5", "'bad'", "bayes", "tree", "baseline"):
        assert words in text
    assert re.search(r"tree +0\.\d{3} +0\.\d{3} to [01]\.\d{3} +1\.000 +corrected resampled t", text)
    assert "What the intervals cover" in text
    assert max(map(len, text.splitlines())) <= 110
    assert "2x5: bayes, tree, baseline" in repr(e)


def test_one_model_leads_with_its_expected_value():
    x, y = noise()
    y = np.where(np.arange(len(y)) % 3 == 0, 2, y)
    found = ca.evaluate(Centroid(), x, y, protocol="10x10").document().verdict[0]
    assert re.match(r"The expected accuracy of Centroid on new cases is \d\d\.\d% \(95% CI", found), found


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(12, 12), (8, 8, 8), (9, 14)])
def test_always_saying_one_class_reaches_its_share(sizes, weighted):
    """Of leave-one-out the case left out turns a majority, and the model "baseline" is wrong each time."""
    y = np.repeat(range(len(sizes)), sizes)
    weight = np.where(y == 0, 1.0, 3.0) if weighted else None
    X = np.random.default_rng(0).normal(size=(y.size, 2))
    shares = np.bincount(y, weight) / (y.size if weight is None else weight.sum())
    for protocol in ("loo", "5fold"):
        e = ca.evaluate(GaussianNB(), X, y, protocol=protocol, weight=weight)
        said = " ".join(e.document().verdict)
        always = f"lways predicting class {shares.argmax()}"
        share = re.search(rf"A{always} has an accuracy of ([\d.]+)%|([\d.]+)% for a{always}", said)
        assert float(share[1] or share[2]) / 100 == pytest.approx(shares.max(), abs=6e-3), said
        told = [str(e), e.to_markdown(), e.methods_text()] if weighted else []
        assert all("sampling weights with a sum of" in each.replace("\n", " ") for each in told)
        assert ("weights" in str(e)) == weighted
    assert ("sampling weights with a sum of" in ca.compare({"a": e, "b": e}).methods_text()) == weighted


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_label_of_the_target_is_told_as_that(missing):
    x, y = noise(30)
    labels = (
        [*np.array(["no", "yes"])[np.asarray(y).astype(int)].tolist()]
        if np.asarray(y).dtype.kind in "iub"
        else [*y]
    )
    labels[3] = missing
    with pytest.raises(InputError, match="Exclude these rows from X and y"):
        ca.evaluate(Centroid(), x, labels, protocol="5fold")
