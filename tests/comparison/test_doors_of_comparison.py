"""The doors of comparison: three typed ones under one verb, and every registered test behind the door of its kind."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.cli import given
from classay.comparison import named_tests
from classay.comparison.cases.difference import clustered_mcnemar, independent
from classay.comparison.claims import claim
from classay.comparison.comparison import BASELINE, Comparison, Criterion
from classay.comparison.named_tests import (
    DATA_SETS,
    DIFFERENT_TEST_SETS,
    FOLDS,
    ONE_TEST_SET,
    TESTS,
    KnownTest,
    names,
)
from classay.errors import InputError
from classay.inference.estimate import Estimate
from classay.inference.methods import match_method
from classay.inference.significance import METHODS
from classay.resampling.fold_tests import NAIVE
from command import call, commands

RNG = np.random.default_rng(11)
N = 240
Y = (RNG.random(N) < 0.4).astype(int)
SCORES = {
    name: 1 / (1 + np.exp(-(2 * Y - 1 + RNG.normal(0, spread, N))))
    for name, spread in zip("abc", (1, 2, 3), strict=True)
}
CLUSTER = np.arange(N) // 6
TWO = {name: SCORES[name] for name in "ab"}
FOLD_SCORES = {"a": RNG.normal(0.8, 0.02, (5, 2)), "b": RNG.normal(0.78, 0.02, (5, 2))}
SETS = {"set": list("pqrstuvw")} | {
    name: RNG.normal(0.8, 0.05, 8).round(3).tolist() for name in ("x", "y", "z")
}
LEARNERS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
E_TEN = ca.evaluate(
    LEARNERS, RNG.normal(size=(60, 3)) + np.repeat([[0], [1]], 30, 0), np.repeat([0, 1], 30), protocol="1x10"
)
E_SETS = ca.evaluate(
    LEARNERS,
    {
        name: (RNG.normal(size=(40, 2)) + np.repeat([[0], [1]], 20, 0), np.repeat([0, 1], 20))
        for name in "pqrs"
    },
    protocol="1x5",
)
OF = {
    "proportions": "accuracy",
    "proportions of clustered cases": "recall",
    "labels": "f1",
    "losses": "brier_score",
    "values of the cases": "accuracy",
    "values of the cases, with a control": "accuracy",
}
OF |= {"AUCs": "roc_auc", "scores": "kolmogorov_smirnov"}
IDS = [f"{each.where}, {each.of}, {each.name}" for each in TESTS]


def asked(known):
    """The comparison of what a test is of, when it is asked for by its name."""
    measures = [OF.get(known.of, "accuracy")]
    if known.where == ONE_TEST_SET:
        cluster = CLUSTER if "clustered" in known.of else None
        control = "b" if "control" in known.of else None
        how = {"method": known.name, "cluster": cluster, "control": control}
        return ca.compare_predictions(TWO, Y, measures=measures, **how)
    if known.where == DIFFERENT_TEST_SETS:
        parts = {"a": ca.assess(Y[:100], SCORES["a"][:100]), "b": ca.assess(Y[100:], SCORES["b"][100:])}
        return ca.compare_unpaired(parts, measures, method=known.name)
    rope = 0.01 if known.name in ("bayesian", "corani-benavoli") else None
    if known.name == "hierarchical":
        return ca.compare_learners(E_SETS, measures, method=known.name, rope=0.01)
    if known.where == FOLDS:
        return ca.compare_learners(FOLD_SCORES, measures, test_over_train=1, method=known.name, rope=rope)
    control = "x" if known.of == "a control" else None
    return ca.compare_datasets(SETS, dataset="set", method=known.name, rope=rope, control=control)


@pytest.mark.parametrize("known", TESTS, ids=IDS)
def test_every_registered_test_is_reached_by_its_name(known):
    found = asked(known)
    one = found[0]
    assert one.random == known.random
    assert one.odds is not None if known.name in named_tests.POSTERIORS else 0 <= one.p <= 1
    said = one.method if known.name != "paired-t" else NAIVE
    assert known.title.split(", with ")[0].split(",")[0].split(" over ")[0] in said or known.of in (
        "labels",
        "scores",
    )
    for source in known.reference.split("; "):
        assert source in found.methods_text() or known.name == "logit-delong"


@pytest.mark.parametrize("where", [ONE_TEST_SET, DIFFERENT_TEST_SETS, FOLDS, DATA_SETS])
def test_every_name_is_in_the_documents_and_in_the_error(where):
    docs = Path(__file__).parents[2] / "docs"
    assert "(reference/tests.md)" in (docs / "comparison.md").read_text()
    text = (docs / "reference" / "tests.md").read_text()
    assert not [name for name in names(where) if f"`{name}`" not in text]
    a = ca.assess(Y, SCORES["a"])
    doors = {
        ONE_TEST_SET: lambda: ca.compare(TWO, Y, method="nope"),
        FOLDS: lambda: ca.compare_learners(FOLD_SCORES, test_over_train=1, method="nope"),
        DATA_SETS: lambda: ca.compare_datasets(SETS, dataset="set", method="nope"),
        DIFFERENT_TEST_SETS: lambda: ca.compare_unpaired({"a": a, "b": a}, method="nope"),
    }
    with pytest.raises(InputError, match=f"Unknown method 'nope' for models {where}") as raised:
        doors[where]()
    assert all(name in str(raised.value) for name in names(where))


def test_the_help_of_the_command_names_every_test_that_it_takes():
    said = call("compare", "--help").stdout
    for where in (ONE_TEST_SET, DIFFERENT_TEST_SETS, FOLDS, DATA_SETS):
        assert not [name for name in names(where) if name not in said]
    assert not [name for name in METHODS if name not in said]


def test_help_and_completion_follow_the_registries(monkeypatch):
    """What is registered is in the help at once, and completes."""
    made = dict(TESTS[0].__dict__) | {"name": "new-test", "where": FOLDS, "of": "folds"}
    monkeypatch.setattr(named_tests, "TESTS", [*TESTS, KnownTest(**made)])
    monkeypatch.setitem(METHODS, "new-adjustment", ("New", METHODS["holm"][1]))
    commands.cache_clear()
    said = call("compare", "--help").stdout
    commands.cache_clear()
    assert "new-test" in given.tests()
    assert "new-test" in said
    assert "new-adjustment" in said


def test_every_interval_of_the_help_is_one():
    said = call("assess", "--help").stdout
    for name in given.intervals():
        assert name in said
        match_method(name)
    assert {"bootstrap", "jeffreys", "clopper-pearson"} <= {*given.intervals()}


def test_a_misspelt_method_is_told_the_nearest():
    with pytest.raises(InputError, match="Did you mean 'bonett-price'"):
        ca.compare(TWO, Y, method="bonet-price")


LABELED = {name: values >= 0.5 for name, values in TWO.items()}
HALVES = {"a": ca.assess(Y[:100], SCORES["a"][:100]), "b": ca.assess(Y[100:], SCORES["b"][100:])}
WEIGHTS = np.linspace(1, 2, N)
WEIGHTED = {
    name: ca.assess(Y[part], SCORES[name][part], weight=WEIGHTS[part])
    for name, part in (("a", slice(100)), ("b", slice(100, None)))
}
TAGS, TAG_SCORES = np.c_[Y, 1 - Y], {name: np.c_[values, 1 - values] for name, values in TWO.items()}
DOORS = {
    "rows": lambda **how: ca.compare(TWO, Y, **how),
    "clusters": lambda **how: ca.compare(TWO, Y, cluster=CLUSTER, **how),
    "weights": lambda **how: ca.compare(TWO, Y, weight=WEIGHTS, **how),
    "groups": lambda **how: ca.compare(TWO, Y, by=np.arange(N) % 2, **how),
    "claims": lambda **how: ca.compare(TWO, Y, rule="superior", **how),
    "labels": lambda **how: ca.compare(y_true=Y, y_pred=LABELED, **how),
    "different test sets": lambda **how: ca.compare_unpaired(HALVES, **how),
    "different test sets, weights": lambda **how: ca.compare_unpaired(WEIGHTED, **how),
    "tags": lambda **how: ca.compare(TAG_SCORES, TAGS, task="tags", **how),
}


@pytest.mark.parametrize(
    ("door", "method", "measures", "methods"),
    [
        ("rows", "delong", ["accuracy"], "of accuracy: asymptotic, bonett-price, bootstrap"),
        ("rows", "delong", ["accuracy", "recall"], "of accuracy and recall: asymptotic"),
        (
            "rows",
            "mid-p",
            ["f1", "roc_auc"],
            "of f1: bootstrap, delta, posterior; of roc_auc: bootstrap, delong",
        ),
        ("rows", "bootstrap", ["log_loss"], "of log_loss: max-t, permutation"),
        ("rows", "delta", ["brier_score"], "of brier_score: max-t, permutation, sequential"),
        ("rows", "delong", ["expected_calibration_error"], "of expected_calibration_error: none"),
        ("rows", "clustered-mcnemar", ["accuracy"], "of accuracy: asymptotic"),
        ("clusters", "mid-p", ["accuracy"], "of accuracy: clustered-mcnemar, delta, max-t"),
        ("clusters", "bootstrap", ["f1"], "of f1: delta"),
        ("weights", "posterior", ["accuracy"], "of accuracy: delta, max-t"),
        ("groups", "delong", ["accuracy"], "of accuracy: asymptotic"),
        ("claims", "permutation", ["accuracy"], "of accuracy: asymptotic"),
        ("labels", "delong", None, "of accuracy"),
        ("different test sets", "delong", ["accuracy"], "of accuracy: agresti-caffo"),
        ("different test sets", "newcombe", ["roc_auc", "f1"], "of roc_auc: delong; of f1: none"),
        ("different test sets, weights", "newcombe", ["accuracy"], "of accuracy: none"),
        ("tags", "delong", ["exact_match"], "of exact_match: asymptotic"),
        ("tags", "mid-p", ["hamming_loss"], "of hamming_loss: permutation"),
        ("tags", "mid-p", ["micro_f1"], "of micro_f1: none"),
    ],
)
def test_a_method_that_no_measure_has_is_refused_with_those_they_have(door, method, measures, methods):
    with pytest.raises(InputError, match=f"Method '{method}' applies to none of the compared") as refused:
        DOORS[door](measures=measures, method=method)
    assert f"Methods {methods}" in str(refused.value)
    assert "remove method= for the default" in str(refused.value)


@pytest.mark.parametrize("door", ["rows", "clusters", "weights", "groups", "different test sets", "tags"])
def test_a_method_that_some_measures_have_leaves_the_others_their_default(door):
    some, others, method = {
        "rows": ("accuracy", "roc_auc", "exact"),
        "groups": ("accuracy", "roc_auc", "exact"),
        "clusters": ("accuracy", "f1", "clustered-mcnemar"),
        "weights": ("roc_auc", "accuracy", "delong"),
        "different test sets": ("roc_auc", "accuracy", "delong"),
        "tags": ("exact_match", "micro_f1", "exact"),
    }[door]
    asked_for = DOORS[door](measures=[some, others], method=method)
    default = DOORS[door](measures=[some, others])
    assert asked_for[some].method != default[some].method
    assert (asked_for[others].method, asked_for[others].p) == (default[others].method, default[others].p)


CLASSES = np.arange(N) % 3
CLASS_SCORES = {
    name: np.random.default_rng(place).dirichlet([1, 1, 1], N) + np.eye(3)[CLASSES] * (place + 1) / 4
    for place, name in enumerate("ab")
}
CLASS_SCORES = {name: scores / scores.sum(1, keepdims=True) for name, scores in CLASS_SCORES.items()}
OF_TWO = ("expected_calibration_error", "calibration_error_max", "discrimination_slope", "log_loss")
OF_CLASSES = ("macro_roc_auc", "weighted_roc_auc", "multiclass_brier_score")


@pytest.mark.parametrize(
    ("of_classes", "served", "method", "others"),
    [
        (False, "accuracy", "exact", OF_TWO),
        (False, "roc_auc", "delong", OF_TWO),
        (False, "accuracy", "bootstrap", ("log_loss", "brier_score")),
        (True, "accuracy", "exact", OF_CLASSES),
        (True, "accuracy", "bootstrap", OF_CLASSES),
    ],
)
def test_a_method_of_one_measure_leaves_each_other_kind_its_default(of_classes, served, method, others):
    models, true = (CLASS_SCORES, CLASSES) if of_classes else (TWO, Y)
    with_method = ca.compare(models, true, measures=[served, *others], method=method)
    default = ca.compare(models, true, measures=[served, *others])
    assert with_method[served].method != default[served].method
    for name in others:
        assert default[name].method is not None
        assert (with_method[name].method, with_method[name].p) == (default[name].method, default[name].p)


MEANS_ALONE = ("sequential", "max-t")


@pytest.mark.parametrize("door", ["rows", "clusters", "weights"])
@pytest.mark.parametrize(
    "measure", ["accuracy", "f1", "precision", "roc_auc", "gini", "brier_score", "kolmogorov_smirnov"]
)
def test_a_method_is_used_or_refused(door, measure):
    """What is found by a name is found by no other name, unless the name is the default's."""
    plain = DOORS[door](measures=[measure])[0]
    for name in {*names(ONE_TEST_SET)} - {*MEANS_ALONE}:
        try:
            found = DOORS[door](measures=[measure], method=name)[0]
        except InputError:
            continue
        same = (found.p, found.effect) == (plain.p, plain.effect)
        assert not same or name in DEFAULTS[door, measure], name


DEFAULTS = {
    ("rows", "accuracy"): ("mid-p",),
    **{("rows", one): ("delta", "posterior") for one in ("f1", "precision")},
    **{
        (door, one): ("delta",) for door in ("clusters", "weights") for one in ("accuracy", "f1", "precision")
    },
    **{(door, "roc_auc"): ("delong-t",) for door in ("rows", "weights")},
    ("clusters", "roc_auc"): ("delong-t", "delong"),  # clusters keep Student's t
    **{(door, one): ("bootstrap",) for door in DOORS for one in ("gini", "kolmogorov_smirnov")},
    **{(door, "brier_score"): () for door in DOORS},
}


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="two tests over folds of folds named 'corrected-t'"):
        named_tests.test("corrected-t", "another", where=FOLDS, of="folds", references=("nadeau2003",))


MEASURES = ["roc_auc", "accuracy", "f1", "brier_score", "average_precision", "kolmogorov_smirnov"]


@pytest.mark.parametrize("control", "abc")
def test_a_control_on_one_test_set_keeps_its_pairs_alone(control):
    """What is said of a pair does not depend on which other pairs there are; turned, its sign alone changes."""
    every = ca.compare(SCORES, Y, measures=MEASURES)
    some = ca.compare(SCORES, Y, measures=MEASURES, control=control)
    assert [one.models for one in some] == [(a, control) for _ in MEASURES for a in "abc" if a != control]
    for one in some:
        turned = one.models not in {each.models for each in every}
        other = every[one.measure, *(one.models[::-1] if turned else one.models)]
        alike = one.effect.method == other.effect.method  # a larger family draws more where p is small
        assert one.p == pytest.approx(other.p, abs=1e-12 if alike else 2e-3)
        sign = -1 if turned else 1
        assert one.effect.value == pytest.approx(sign * other.effect.value, abs=1e-12)
        ends = (other.effect.low, other.effect.high)
        assert (one.effect.low, one.effect.high) == pytest.approx(
            ends if sign > 0 else (-ends[1], -ends[0]), abs=1e-12 if alike else 0.02
        )
    assert ("control", f"{control}, prespecified") in some.facts
    assert len([one for one in some if one.measure == "f1"]) == 2


def test_an_unknown_control_is_refused():
    with pytest.raises(InputError, match="Unknown control 'd'"):
        ca.compare(SCORES, Y, control="d")


def test_the_verb_and_its_doors_say_the_same():
    assert ca.compare(TWO, Y).to_dict() == ca.compare_predictions(TWO, Y).to_dict()
    assert ca.compare(E_TEN).to_dict() == ca.compare_learners(E_TEN).to_dict()
    assert ca.compare(SETS, dataset="set").to_dict() == ca.compare_datasets(SETS, dataset="set").to_dict()
    both = [
        f(FOLD_SCORES, measures=["accuracy"], test_over_train=1) for f in (ca.compare, ca.compare_learners)
    ]
    assert both[0].to_dict() == both[1].to_dict()


def test_fold_scores_are_compared_as_their_evaluation_is():
    """Folds of one size: their values are all that the corrected t asks for, and what they hide of the classes."""
    e = E_TEN
    resampled = e.resampled("accuracy")[0]
    scores = dict(zip(resampled.models, resampled.values, strict=True))
    pair = [name for name in e.models if name != BASELINE][:2]
    given = {name: scores[name] for name in pair}
    ratio = resampled.test_over_train
    here = ca.compare_learners(given, ["accuracy"], test_over_train=ratio, adjustment="holm")[0]
    there = ca.compare(e, measures=["accuracy"])["accuracy", *pair]
    apart = np.subtract(*[resampled.class_slopes[resampled.models.index(name)] for name in pair])
    error = (here.effect.high - here.effect.low, there.effect.high - there.effect.low)
    assert here.effect.value == pytest.approx(there.effect.value)
    assert (error[0] < error[1]) == (resampled.classes.hidden(apart) > 0)
    published = ca.compare(e, measures=["accuracy"], method="nadeau-bengio-t")["accuracy", *pair]
    assert (here.effect.value, here.p) == pytest.approx((published.effect.value, published.p))


@pytest.mark.parametrize(
    ("learners", "how", "said"),
    [
        (FOLD_SCORES, {}, "Fold scores need test_over_train=, the test cases of a fold divided by"),
        ({"a": [0.1, 0.2]}, {"test_over_train": 1}, "A comparison needs two learners"),
        ({"a": ["x", "y"], "b": [1, 2]}, {"test_over_train": 1}, "The fold scores of a are not numbers"),
        ({"a": [0.1, 0.2], "b": [1, 2, 3]}, {"test_over_train": 1}, "has fold values of shape"),
        (
            FOLD_SCORES,
            {"test_over_train": 1, "measures": ["accuracy", "f1"]},
            "Fold scores have one measure, but measures= has 2",
        ),
        (
            E_TEN,
            {"test_over_train": 1},
            "test_over_train= has no effect on an evaluation, because its folds are",
        ),
    ],
)
def test_fold_scores_that_are_refused(learners, how, said):
    with pytest.raises(InputError, match=said):
        ca.compare_learners(learners, **how)


def test_the_baseline_may_be_the_control_over_folds():
    found = ca.compare(E_TEN, control=BASELINE, measures=["accuracy"])
    learners = [name for name in E_TEN.models if name != BASELINE]
    assert [one.models for one in found] == [(name, BASELINE) for name in learners]
    assert BASELINE not in ca.compare(E_TEN, measures=["accuracy"]).models


def test_clustered_mcnemar_is_obuchowskis_test_of_the_cases_of_the_class():
    found = ca.compare(TWO, Y, measures=["recall"], method="clustered-mcnemar", cluster=CLUSTER)[0]
    inside = Y == 1
    right = [(SCORES[name] >= 0.5)[inside] for name in "ab"]
    wanted = clustered_mcnemar(*right, np.unique(CLUSTER[inside], return_inverse=True)[1])
    assert (found.p, found.n, found.values) == (wanted.p, wanted.n, wanted.values)


@pytest.mark.parametrize(
    ("method", "interval"), [("agresti-caffo", "Agresti-Caffo"), ("newcombe", "Newcombe")]
)
def test_intervals_of_different_test_sets_are_those_of_the_counts(method, interval):
    parts = {"a": ca.assess(Y[:100], SCORES["a"][:100]), "b": ca.assess(Y[100:], SCORES["b"][100:])}
    right = [
        int(((SCORES[name][at] >= 0.5) == Y[at]).sum())
        for name, at in (("a", slice(100)), ("b", slice(100, None)))
    ]
    found = ca.compare_unpaired(parts, ["accuracy"], method=method)[0]
    wanted = independent((right[0], right[1]), (100, N - 100), interval=interval)
    assert (found.p, found.effect) == (wanted.p, wanted.effect)


def test_the_matrix_of_p_values_is_symmetric_and_holds_each_pair():
    found = ca.compare(SCORES, Y, measures=["roc_auc", "accuracy"])
    table = found.p_matrix("accuracy").to_pylist()
    assert [row["model"] for row in table] == list("abc")
    square = np.array([[row[name] for name in "abc"] for row in table])
    assert (square == square.T).all()
    assert (square.diagonal() == 1).all()
    assert square[0, 2] == found["accuracy", "a", "c"].p_adjusted
    alone = ca.compare(SCORES, Y, measures=["accuracy"], control="c").p_matrix("accuracy").to_pylist()
    assert alone[0]["b"] is None


def test_wins_ties_and_losses_add_up_and_follow_the_direction():
    frame = {"set": list("pqrs"), "x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 1.0, 4.0, 1.0]}
    for better, wanted in (("higher", (2, 1, 1)), ("lower", (1, 1, 2))):
        [row] = ca.win_tie_loss(frame, dataset="set", better=better).to_pylist()
        assert (row["wins"], row["ties"], row["losses"]) == wanted
        assert row["p"] == ca.compare_datasets(frame, dataset="set", method="sign", better=better)[0].p


def test_every_documented_method_exists_in_a_fresh_process():
    """No test may depend on an import that another test happens to make."""
    text = "import classay as ca; from classay.comparison.named_tests import *; ca.compare; print(names(ONE_TEST_SET))"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
    assert {"max-t", "sequential"} <= set(eval(found))
    assert set(eval(found)) == set(names(ONE_TEST_SET))


def test_one_sided_p_values_stand_in_the_row_of_the_first_model_alone():
    found = ca.compare(TWO, Y, measures=["accuracy"], alternative="greater")
    rows = {row["model"]: row for row in found.p_matrix("accuracy").to_pylist()}
    first, second = found.models
    assert rows[first][second] == found[0].p_adjusted
    assert rows[second][first] is None


def test_a_comparison_is_found_by_a_number_of_numpy():
    found = ca.compare(TWO, Y)
    assert found[np.argmin([one.p for one in found])].p == min(one.p for one in found)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_a_p_value_of_the_level_itself_is_shown(level):
    """1 - 0.9 is less than 0.1 in floating point."""
    effect = Estimate.bare(0.1, "none")
    p = float(f"{1 - level:.2f}")
    found = Comparison(("a", "b"), "accuracy", effect, p, "t", "test cases", criterion=Criterion(level=level))
    assert claim(found).shown
    assert not claim(replace(found, p=p * 1.001)).shown


@pytest.mark.parametrize("mark", ["\x1b[31m", "\u202e", "\x07", "\n", "\x85"])
def test_no_text_of_a_result_steers_a_terminal(mark):
    """Names of models are anybody's: as Python writes results, in a session, they are as plain as in reports."""
    y = [0, 1] * 20
    p = [i % 7 / 7 for i in range(40)]
    names = f"a{mark}", f"b{mark}"
    found = ca.compare(dict(zip(names, (p, p[::-1]), strict=True)), y, measures=["roc_auc"])
    gate = ca.gate(found[0], "superior")
    curves = ca.cost_curves(dict(zip(names, (p, p[::-1]), strict=True)), y, cost={"fp": 1, "fn": 2})
    for each in (found, found[0], gate, curves):
        assert mark not in repr(each)
    assert mark not in str(gate)
    assert mark not in str(found[0])


@pytest.mark.parametrize("adjustment", ["holm", "benjamini_hochberg"])
@pytest.mark.parametrize("order", [1, -1])
def test_the_matrix_of_each_measure_holds_the_p_values_of_that_measure(adjustment, order):
    measures = ["roc_auc", "accuracy", "recall", "log_loss"][::order]
    found = ca.compare(SCORES, Y, measures=measures, adjustment=adjustment)
    for measure in measures:
        square = {row["model"]: row for row in found.p_matrix(measure).to_pylist()}
        for one in (each for each in found if each.measure == measure):
            first, second = one.models
            wanted = one.p if one.p_adjusted is None else one.p_adjusted
            assert square[first][second] == square[second][first] == wanted, measure
    unasked = found.p_matrix("specificity").to_pylist()
    assert all(row[name] == (1 if row["model"] == name else None) for row in unasked for name in "abc")


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "f1", "recall", "brier_score", "log_loss"])
def test_of_two_classes_a_measure_of_the_positive_one_is_the_measure_itself(name):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    scores = {
        model: np.clip(by * y + rng.random(120) * 0.6, 0.01, 0.99) for model, by in (("a", 0.3), ("b", 0.1))
    }
    found = ca.compare(
        scores, np.array(["no", "yes"])[y], positive="yes", measures=[name, f"{name}[yes]"], method=None
    )
    whole, own = found[name, "a", "b"], found[f"{name}[yes]", "a", "b"]
    assert (own.effect.value, own.effect.low, own.effect.high, own.p, own.values) == (
        whole.effect.value,
        whole.effect.low,
        whole.effect.high,
        whole.p,
        whole.values,
    )
