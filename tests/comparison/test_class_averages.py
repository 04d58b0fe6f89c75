"""Top-k, mean AUCs, Emax and discrimination slopes of models compared: what assess finds, jackknife, laws."""

import numpy as np
import pytest

import classay as ca
from classay.measures import get
from classay.tables import ClassScoreTable

K, N = 4, 120
LABELS = list(range(K))
rng = np.random.default_rng(0)
Y = np.r_[rng.choice(K, N - K, p=[0.4, 0.3, 0.2, 0.1]), LABELS]
SHARED = rng.normal(size=(N, K))


def scores(gain):
    x = np.round(SHARED + rng.normal(size=(N, K)) + gain * np.eye(K)[Y], 1)
    return np.exp(x) / np.exp(x).sum(1, keepdims=True)


MODELS = {"a": scores(1.5), "b": scores(1.0)}
AUCS = ("macro_roc_auc", "weighted_roc_auc", "hand_till_auc", "weighted_one_vs_one_roc_auc")
OCCURRING = "macro_roc_auc_over_occurring_classes"
BEST = ("top_2_accuracy", "macro_top_k_recall(2)")
MEASURES = (*AUCS, OCCURRING, *BEST)
POSITIVE, P = Y > 1, {name: each[:, 2:].sum(1) for name, each in MODELS.items()}
TWO = ("calibration_error_max", "discrimination_slope")


def compared(models=MODELS, y=Y, measures=MEASURES, **how):
    how |= {} if measures is TWO else {"labels": LABELS}
    return {each.measure: each for each in ca.compare(models, y, measures=measures, **how)}


def numbers(each):
    return each.effect.value, each.effect.low, each.effect.high, each.p


@pytest.mark.parametrize("how", ["alike", "frequency", "weight", "cluster", "wrong", "drop"])
def test_values_are_those_of_each_model_alone(how):
    given = {
        "frequency": {"frequency": 1 + np.arange(N) % 3},
        "weight": {"weight": 0.5 + np.arange(N) % 5},
        "cluster": {"cluster": np.arange(N) // 2},
    }.get(how, {})
    models, y, told = MODELS, Y, dict(given)
    if how in ("wrong", "drop"):
        told["unanswered"] = how
        models = {"a": MODELS["a"], "b": np.where((np.arange(N) < 12)[:, None], np.nan, MODELS["b"])}
        y = Y if how == "wrong" else Y[12:]
    found = compared(models, **told)
    for k, name in enumerate("ab"):
        alone = models[name] if how != "drop" else models[name][12:]
        own = ca.assess(y, alone, labels=LABELS, **told)
        for measure in MEASURES:
            each = found[measure]
            assert each.values[k] == pytest.approx(own[measure].value), measure
            assert each.effect.low < each.effect.value < each.effect.high
            assert 0 <= each.p <= 1


def test_the_error_of_a_mean_auc_is_that_of_the_jackknife():
    def difference(kept):
        a, b = (ClassScoreTable.from_rows(each[kept], Y[kept], tuple(LABELS)) for each in MODELS.values())
        return [float(get(name)(a)) - float(get(name)(b)) for name in AUCS]

    without = np.array([difference(np.arange(N) != k) for k in range(N)])
    errors = np.sqrt((N - 1) / N * ((without - without.mean(0)) ** 2).sum(0))
    found = compared(measures=AUCS)
    for name, error in zip(AUCS, errors, strict=True):
        assert abs(found[name].effect.value / found[name].test.statistic) == pytest.approx(error, rel=0.06)


@pytest.mark.parametrize(("models", "y", "measures"), [(MODELS, Y, MEASURES), (P, POSITIVE, TWO)])
def test_laws(models, y, measures):
    found = compared(models, y, measures)
    turned = compared({"b": models["b"], "a": models["a"]}, y, measures)
    order = np.random.default_rng(1).permutation(N)
    again = compared({name: each[order] for name, each in models.items()}, y[order], measures)
    times = 1 + np.arange(N) % 3
    counted = compared(models, y, measures, frequency=times)
    repeated = compared(
        {name: each.repeat(times, 0) for name, each in models.items()}, y.repeat(times), measures
    )
    weight = 0.5 + np.arange(N) % 5
    units = [compared(models, y, measures, weight=factor * weight) for factor in (1, 7)]
    for name in found:
        value, low, high, p = numbers(found[name])
        assert numbers(turned[name]) == pytest.approx((-value, -high, -low, p)), name
        assert numbers(again[name]) == pytest.approx((value, low, high, p)), name
        assert numbers(counted[name]) == pytest.approx(numbers(repeated[name])), name
        assert numbers(units[0][name]) == pytest.approx(numbers(units[1][name])), name
        assert (p < 0.05) == (low > 0 or high < 0), name


def test_a_class_without_cases_and_gates():
    wider = {name: np.c_[each, np.full(N, 0.0)] for name, each in MODELS.items()}
    found = ca.compare(wider, Y, measures=["macro_roc_auc", OCCURRING], labels=[*LABELS, 9])
    assert "a class is never true" in found["macro_roc_auc"].reason
    assert numbers(found[OCCURRING]) == pytest.approx(numbers(compared()["macro_roc_auc"]))
    for measure in MEASURES:
        assert ca.gate(compared()[measure], "non-inferior", 0.05).verdict.name == "PASS"


def test_a_leaderboard_of_each():
    models = MODELS | {"c": scores(0.5), "d": scores(2.5)}
    found = ca.compare(models, Y, measures=MEASURES, labels=LABELS)
    for board in found.leaderboards:
        assert board.standings[0].model == "d", board.measure
        assert board.method == "multiple comparisons with the best", board.measure


def test_equal_models_do_not_differ():
    for measure, each in compared({"a": P["a"], "b": P["a"]}, POSITIVE, TWO).items():
        assert (each.effect.value, each.p) == (0, 1), measure
    for measure, each in compared({"a": MODELS["a"], "b": MODELS["a"]}).items():
        assert (each.effect.value, each.p) == (0, 1), measure


def test_the_slope_of_few_cases_has_no_interval():
    y = np.arange(N) < 9
    found = compared(P, y, TWO)["discrimination_slope"]
    assert found.reason == "a class has fewer than 10 cases"
    assert ca.reclassification(y, P["a"], P["b"]).idi.reason == found.reason


def test_a_frequency_is_as_many_cases_of_a_slope():
    places = np.r_[np.flatnonzero(POSITIVE)[:4], np.flatnonzero(~POSITIVE)[:5]]
    times = np.full(places.size, 4)
    few = compared({name: p[places] for name, p in P.items()}, POSITIVE[places], TWO, frequency=times)
    rows = np.repeat(places, times)
    many = compared({name: p[rows] for name, p in P.items()}, POSITIVE[rows], TWO)
    for measure in TWO:
        assert many[measure].effect.has_interval
        assert numbers(few[measure]) == pytest.approx(numbers(many[measure]))
