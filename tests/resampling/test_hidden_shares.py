"""What stratified folds do not show: by how much a measure moves as a class has more cases."""

from dataclasses import replace

import numpy as np
import pytest

import classay as ca
from classay.comparison.comparison import BASELINE
from classay.measures import get
from classay.resampling.model_folds import ModelFolds

RNG = np.random.default_rng(4)
MEASURES = {
    2: ("accuracy", "f1", "precision", "mcc", "cohen_kappa", "recall", "balanced_accuracy", "brier_score", "log_loss",
        "roc_auc", "average_precision", "negative_predictive_value",
        "mean_probability_of_positives"),
    3: ("accuracy", "macro_f1", "micro_f1", "weighted_precision", "mcc", "cohen_kappa", "balanced_accuracy",
        "log_loss", "multiclass_brier_score", "precision[c1]", "top_2_accuracy", "mean_reciprocal_rank"),
}  # fmt: skip
BY_CLASS = ("recall", "balanced_accuracy", "roc_auc", "mean_probability_of_positives")
"""Measures that no share of a class moves."""


def evaluated(classes, n=240, protocol="2x5"):
    y = RNG.choice(classes, n, p=np.arange(1, classes + 1)[::-1] / np.arange(1, classes + 1).sum())
    X = RNG.normal(size=(n, 2)) + 0.8 * y[:, None] * [1, -0.5]
    names = np.array([f"c{k}" for k in range(classes)])
    positive = {"positive": "c1"} if classes == 2 else {}
    return ca.evaluate(
        ["naive_bayes"], X, names[y], protocol=protocol, measures=MEASURES[classes], **positive
    )


EVALUATED = {classes: evaluated(classes) for classes in MEASURES}


def moved(folds, measure, code, by):
    """The value if the cases of a class weighed more by a factor."""
    cases = folds.cases
    weight = np.where(cases.truth == code, by, 1.0)
    other = ModelFolds(replace(cases, weight=weight), folds.places, folds.results, folds.level, folds.seed)
    return other.value(measure)[0]


@pytest.mark.parametrize(("classes", "name"), [(k, name) for k, names in MEASURES.items() for name in names])
def test_class_slopes_are_those_of_the_value(classes, name):
    ((_, _, folds),) = [each for each in EVALUATED[classes].model_folds() if each[1] != BASELINE]
    measure, step = get(name), 1e-4
    slopes = [
        (moved(folds, measure, code, 1 + step) - moved(folds, measure, code, 1 - step)) / (2 * step)
        for code in range(classes)
    ]
    found = folds.class_slopes(measure)
    assert found == pytest.approx(slopes, rel=1e-4, abs=1e-7)
    assert found.any() != (name in BY_CLASS)


def test_a_rare_class_that_is_missed_is_as_unsure_as_its_share():
    """No estimate from these cases is surer than a share of as many that were never trained on."""
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.1).astype(int)
    X = rng.normal(size=(400, 2)) + np.outer(y, [1, 0])
    widths = {}
    for protocol in ("10x10", "5fold", "nested:5x3"):
        e = ca.evaluate(
            ["naive_bayes"], X, y, positive=1, protocol=protocol, measures=["accuracy", "brier_score"]
        )
        widths[protocol] = [e[name].high - e[name].low for name in ("accuracy", "brier_score")]
    assert widths["10x10"] == pytest.approx(widths["nested:5x3"], rel=0.15)
    assert widths["5fold"] == pytest.approx(widths["nested:5x3"], rel=0.15)
    value = e["accuracy"].value
    assert widths["10x10"][0] > 0.95 * 2 * 1.96 * (value * (1 - value) / 400) ** 0.5


def test_learners_that_err_on_opposite_classes_are_compared_with_the_shares_of_these():
    """Fold scores alone do not say what their folds hide; of areas of ranks they say all."""
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.1).astype(int)
    X = rng.normal(size=(400, 2)) + np.outer(y, [2, 0])
    from sklearn.linear_model import LogisticRegression

    learners = {"plain": LogisticRegression(), "balanced": LogisticRegression(class_weight="balanced")}
    e = ca.evaluate(learners, X, y, positive=1, protocol="10x10", measures=["accuracy", "roc_auc"])
    for name, same in (("roc_auc", True), ("accuracy", False)):
        folds = e.resampled(name)[0]
        scores = {
            model: row.reshape(10, 10) for model, row in zip(folds.models, folds.contributions, strict=True)
        }
        alone = ca.compare_learners(
            {model: scores[model] for model in learners}, [name], test_over_train=folds.test_over_train
        )[0]
        both = e.compare([name])[name, "plain", "balanced"]
        assert both.effect.value == pytest.approx(alone.effect.value)
        assert (both.p == pytest.approx(alone.p)) if same else (both.p > alone.p)
        whole = e.compare([name], method="nadeau-bengio-t")[name, "plain", "balanced"]
        assert whole.p == pytest.approx(
            ca.compare_learners(
                {model: scores[model].ravel() for model in learners},
                [name],
                test_over_train=folds.test_over_train,
                method="nadeau-bengio-t",
            )[0].p
        )


@pytest.mark.parametrize(
    "name",
    ["accuracy", *sorted(name for name in MEASURES[2] if get(name).losses), "mean_probability_of_negatives"],
)
def test_a_measure_with_losses_of_cases_is_their_mean(name):
    """Nested folds and resamples average what a case adds: a mean over one class alone has no such losses."""
    ((_, _, folds),) = [each for each in EVALUATED[2].model_folds() if each[1] != BASELINE]
    measure = get(name)
    losses = folds.case_values(measure)
    assert (losses is None) == (name == "mean_probability_of_negatives")
    if losses is not None:
        assert np.concatenate(losses).mean() == pytest.approx(folds.value(measure)[0], rel=1e-12)
