"""What folds and tables of results refuse: the words, and a value beside the refused one that is accepted."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.comparison.comparison import BASELINE
from classay.errors import InputError
from classay.resampling import comparing_learners
from classay.resampling.compare_datasets import of_comparisons
from classay.resampling.data import FoldResult, checked
from classay.resampling.fingerprint import DEPTH, Unhashable, _digest
from classay.resampling.fold_tests import (
    correlated_t,
    equivalence,
    five_by_two_f,
    fold_differences,
    non_inferiority,
)
from classay.resampling.folds import corrected_mean, nested_error, optimism
from classay.resampling.models import named
from classay.resampling.rank_tests import long_results, wide_results, wilcoxon
from learners import noise

NAN = float("nan")
X, Y = noise(60, signal=2)
TWO = {"a": [0.9, 0.8], "b": [0.7, 0.8]}
FOLDS = fold_differences([0.8, 0.9, 0.7], [0.7, 0.7, 0.7], test_over_train=0.5)
LONG = {"d": [1, 1, 2, 2], "m": ["a", "b", "a", "b"], "v": [0.9, 0.8, 0.7, 0.9]}
BY = {"dataset": "d", "model": "m", "value": "v", "better": 1}
INNER, OUTER = [[1, 0, 1], [0, 1, 1], [1, 0, 0]], [[0, 1], [1, 0], [1, 1]]


def changed(of, **columns):
    return {**of, **columns}


def folds_of(of=None, **named):
    frame = (
        {"m": [*"aabb"], "k": [1, 2, 1, 2], "v": [0.1, 0.2, 0.3, 0.5], "r": [1, 1, 1, 1]}
        if of is None
        else of
    )
    roles = {"model": "m", "fold": "k", "value": "v", "dataset": None, "run": None} | named
    return ca.resampling.fold_results.FoldResults.of(frame, roles, None)


def nested_lists(depth):
    value = 0
    for _ in range(depth):
        value = [value]
    return value


REFUSED = {
    "rounds that are undefined": (
        lambda x: corrected_mean([0.1, x, x], test_over_train=0.5),
        (0.2, NAN),
        "2 of 3 values are undefined. Exclude them first.",
    ),
    "optimism of undefined rounds": (
        lambda x: optimism([0.9, x], [0.7, 0.7]),
        (0.8, NAN),
        "1 of 2 rounds are undefined. Exclude them first.",
    ),
    "optimism of other rounds": (
        lambda n: optimism([0.9, 0.8], [0.7] * n),
        (2, 3),
        "There are 2 values in sample and 3 on all cases. Pass one value per round.",
    ),
    "optimism of no rounds": (
        lambda n: optimism([0.9] * n, [0.7] * n),
        (1, 0),
        "There are 0 values in sample and 0 on all cases. Pass one value per round.",
    ),
    "two folds of nested cross-validation": (
        lambda k: nested_error(INNER[:k], OUTER[:k], k),
        (3, 2),
        "There are 2 folds, 2 inner and 2 outer sets of losses. Pass one inner and one outer set for each fold, and at "
        "least three folds.",
    ),
    "inner losses that lack": (
        lambda k: nested_error(INNER[:k], OUTER, 3),
        (3, 2),
        "There are 3 folds, 2 inner and 3 outer sets of losses. Pass one inner and one outer set for each fold, and at "
        "least three folds.",
    ),
    "folds that are no multiple": (
        lambda k: nested_error((INNER * 2)[:k], (OUTER * 2)[:k], 3),
        (6, 5),
        "There are 3 folds, 5 inner and 5 outer sets of losses. Pass one inner and one outer set for each fold, and at "
        "least three folds.",
    ),
    "a fold of one case": (
        lambda k: nested_error(INNER, [*OUTER[:2], OUTER[2][:k]], 3),
        (2, 1),
        "A fold has fewer than two cases, which shows no variation. Use fewer folds.",
    ),
    "a ratio of nothing": (
        lambda ratio: fold_differences([1, 2], [1, 3], test_over_train=ratio),
        (1e-9, 0),
        "test_over_train must be n_test / n_train, 1 / (K - 1) for K folds, but is 0.",
    ),
    "one fold": (
        lambda k: fold_differences([1, 2][:k], [1, 3][:k], test_over_train=1),
        (2, 1),
        "first has fold values of shape (1,), but second has shape (1,). Pass the values of the same folds, at least "
        "two.",
    ),
    "folds of another shape": (
        lambda k: fold_differences([1, 2, 3], [1, 2, 4][:k], test_over_train=1),
        (3, 2),
        "first has fold values of shape (3,), but second has shape (2,). Pass the values of the same folds, at least "
        "two.",
    ),
    "folds with infinite values": (
        lambda x: fold_differences([1, 2, x], [1, x, 4], test_over_train=1),
        (0, float("inf")),
        "2 of 3 folds have an undefined or infinite value. Exclude these folds, or use a finite measure such as the "
        "Brier score.",
    ),
    "a negative rope": (
        lambda rope: correlated_t(FOLDS, rope),
        (0, -0.01),
        "rope must be the largest difference that is equivalent in practice, such as 0.01, but is -0.01.",
    ),
    "a posterior without a spread": (
        lambda x: correlated_t(fold_differences([1, x], [0, 1], test_over_train=1), 0),
        (3, 2),
        "All folds have the same difference, which shows no variation. A posterior needs different values.",
    ),
    "a margin of 0": (
        lambda margin: non_inferiority(FOLDS, margin),
        (1e-9, 0),
        "margin must be a positive number, set before you see the data, but is 0.",
    ),
    "a margin without end": (
        lambda margin: equivalence(FOLDS, margin),
        (1e9, float("inf")),
        "margin must be a positive number, set before you see the data, but is inf.",
    ),
    "folds that are not five by two": (
        lambda k: five_by_two_f(
            fold_differences(np.arange(2 * k).reshape(k, 2) % 3, np.zeros((k, 2)), test_over_train=1)
        ),
        (5, 4),
        "Fold values have shape (4, 2), but 5×2 cross-validation needs (5, 2), replications by folds.",
    ),
    "results that are no frame": (
        wide_results,
        (TWO, 3),
        "Results must be a dataframe or a dict of columns, but are an int.",
    ),
    "one model": (
        lambda names: wide_results(TWO, names),
        (["a", "b"], ["a"]),
        "At least two models and two data sets are needed, but there are 1 model and 2 data sets.",
    ),
    "one data set": (
        lambda k: wide_results({name: column[:k] for name, column in TWO.items()}),
        (2, 1),
        "At least two models and two data sets are needed, but there are 2 models and 1 data set.",
    ),
    "an undefined value": (
        lambda x: wide_results(changed(TWO, c=[0.1, x])),
        (0.2, NAN),
        "1 value is not defined or infinite, for example 'c' on 1. Exclude the data set or the model, or compare any "
        "two models on their shared data sets with missing='drop'.",
    ),
    "infinite values among those that may lack": (
        lambda x: wide_results(changed(TWO, c=[x, x]), missing="drop"),
        (NAN, float("-inf")),
        "2 values are not defined or infinite, for example 'c' on 0. Exclude the data set or the model.",
    ),
    "a data set with two rows": (
        lambda name: wide_results(changed(TWO, s=["iris", name]), dataset="s"),
        ("wine", "iris"),
        "A data set has two rows. Average its runs first, or pass a long frame with run=.",
    ),
    "words as values": (
        lambda x: wide_results(changed(TWO, c=[x, x])),
        (1, "good"),
        "Column 'c' is not numeric. In a wide frame each column is a model, so remove it. For a long frame, pass "
        "model= and value=.",
    ),
    "a pair without a value": (
        lambda name: long_results(changed(LONG, m=["a", "b", "a", name]), **BY),
        ("b", "c"),
        "2 of 6 pairs of data set and model have no value, for example 'c' on 1. Exclude the data set or the model, or "
        "compare any two models on their shared data sets with missing='drop'.",
    ),
    "a pair with two values": (
        lambda name: long_results(
            {k: [*v, v[-1]] for k, v in LONG.items()} | {"r": [1, 1, 1, 1, name]}, run="r", **BY
        ),
        (2, 1),
        "Data set 2 and model 'b' have two values for run 1. Name the column of runs (run=) to average them, or remove "
        "one value.",
    ),
    "a pair with two values and no runs": (
        lambda n: long_results({k: [*v, *v[-1:] * n] for k, v in LONG.items()}, **BY),
        (0, 1),
        "Data set 2 and model 'b' have two values. Name the column of runs (run=) to average them, or remove one "
        "value.",
    ),
    "an unknown model": (
        lambda name: wide_results(TWO).of(name),
        ("b", "c"),
        "Unknown model 'c'. Models: a, b.",
    ),
    "a value of unknown direction": (
        lambda better: long_results(LONG, **changed(BY, better=better)),
        (-1, None),
        "The better direction of 'v' is not set. Pass better='higher' or better='lower'.",
    ),
    "a diagram without a pair": (
        lambda k: of_comparisons(
            wide_results(changed(TWO, c=[0, 1])),
            [wilcoxon(wide_results(changed(TWO, c=[0, 1])), *pair) for pair in ("ab", "ac", "bc")][:k],
        ),
        (3, 2),
        "There is no p-value for 'c' and 'b'. Pass a test of all pairs.",
    ),
    "folds of models without a name": (
        lambda name: folds_of(model=name),
        ("m", None),
        "A comparison of folds needs the column of models. Pass model=.",
    ),
    "folds without values": (
        lambda name: folds_of(value=name),
        ("v", None),
        "A comparison of folds needs the column of values. Pass value=.",
    ),
    "folds with words": (
        lambda x: folds_of({"m": [*"aabb"], "k": [1, 2, 1, 2], "v": [1, 2, 3, x]}),
        (4, "x"),
        "Column 'v' is not numeric. Use a column of numbers as values.",
    ),
    "folds with rows of no model": (
        lambda x: folds_of({"m": ["a", "a", x, x], "k": [1, 2, 1, 2], "v": [1, 2, 3, 4]}),
        ("b", None),
        "Column 'm' has missing values in 2 of the rows. Remove these rows, or name their model.",
    ),
    "a fold with two values": (
        lambda x: folds_of({"m": [*"aabb"], "k": [1, 2, 1, 2], "v": [1, 2, 3, 4], "k2": [1, 2, x, 2]}, fold="k2"),
        (1, 2),
        "Model 'b' in fold 2 has two values. Name the column of repeats (run=), or remove one value.",
    ),
    "one model of folds": (
        lambda name: folds_of({"m": ["a", name], "k": [1, 1 + (name == "a")], "v": [1, 2]}),
        ("b", "a"),
        "Column 'm' has only the model 'a'. Use values of two or more models.",
    ),
    "a fold that one model lacks": (
        lambda x: folds_of({"m": [*"aabb"], "k": [1, 2, 1, x], "v": [1, 2, 3, 4]}),
        (2, 3),
        "Model 'a' in fold 3 has no value. Use the same folds for all models and repeats.",
    ),
    "a fold of a repeat and a data set that one model lacks": (
        lambda x: folds_of(
            {"m": [*"aabb"], "k": [1, 2, 1, 2], "r": [7, 7, 7, x], "d": [*"ssss"], "v": [1, 2, 3, 4]},
            run="r",
            dataset="d",
        ),
        (7, 8),
        "Model 'a' in fold 1 of repeat 8 of data set 's' has no value. Use the same folds for all models and repeats.",
    ),
    "one fold of cross-validation": (
        lambda k: folds_of({"m": ["a"] * k + ["b"] * k, "k": [*range(k)] * 2, "v": [*range(2 * k)]}).ratio(None),
        (2, 1),
        "Cross-validation needs at least two folds. Add the values of all folds.",
    ),
    "no estimators": (
        named,
        ({"tree": GaussianNB()}, {}),
        "There are no estimators. Pass an estimator, a list, or a mapping {name: estimator}.",
    ),
    "a class": (
        lambda model: named({"bayes": model}),
        (GaussianNB(), GaussianNB),
        "bayes is a class. Pass an object, such as GaussianNB().",
    ),
    "a number as a model": (
        lambda model: named([model]),
        (GaussianNB(), 3),
        "int must be an estimator with fit, predict and get_params, as in scikit-learn, but is an int.",
    ),
    "the name of the baseline": (
        lambda name: named({name: GaussianNB()}),
        ("Baseline", BASELINE),
        f"The name {BASELINE!r} is reserved for the majority-class baseline, which always runs. Use another name.",
    ),
    "a fold without predictions": (
        lambda labels: checked(FoldResult(labels, None, "none"), 60, DATA.cases),
        (np.zeros(60, int), None),
        "a fold has no predictions",
    ),
    "lists within lists": (
        lambda depth: _digest(nested_lists(depth)),
        (DEPTH, DEPTH + 1),
        f"it is nested more than {DEPTH} levels deep.",
    ),
    "a name of a balanced model": (
        lambda name: comparing_learners.with_balanced({"m": GaussianNB(), name: GaussianNB()}, {}, "upsample"),
        ("m + weights", "m + upsample"),
        "The model name 'm + upsample' is reserved for the balanced 'm'. Use another name.",
    ),
}  # fmt: skip
DATA = ca.resampling.data.dataset("", X, Y, None, None, None)


@pytest.mark.parametrize("name", REFUSED)
def test_the_first_refused_value_is_named_and_the_last_accepted_one_is_not(name):
    ask, (accepted, refused), words = REFUSED[name]
    ask(accepted)
    with pytest.raises((InputError, Unhashable, ca.resampling.data.Damaged)) as told:
        ask(refused)
    assert str(told.value) == words
