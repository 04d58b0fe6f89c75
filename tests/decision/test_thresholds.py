"""Thresholds: the best of all, by brute force; what cannot be met; laws; what is said of them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import classay as ca
from classay.decision.cuts import threshold_of
from classay.decision.rules import Rule
from classay.errors import InputError
from classay.measures import get
from samples import ORACLES, oracles

CURVES = json.loads((ORACLES / "curves.json").read_text())

COSTS = ca.Costs(fp=3, fn="amount", tp="-0.2*amount", tn=0.5)


def rows(seed, n=40, levels=9):
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n) * levels) / levels
    y = rng.random(n) < 0.2 + 0.6 * p
    y[:2] = True, False
    return y, p, rng.integers(1, 30, n).astype(float), rng.integers(1, 4, n)


def every_threshold(p):
    """The last calls everybody, new cases of lower scores too."""
    return [np.inf, *np.unique(p)[:0:-1], -np.inf]


def chosen(a, rule):
    """The threshold alone, without resampling."""
    from classay.assessment.perspectives import _names
    from classay.decision.choosing import Chosen
    from classay.decision.cuts import SumTable

    table = a.scores
    coefficients = None if rule.cost is None else rule.cost.array(table.labels, _names(table))
    made = Chosen(rule, a.scored_cases, coefficients)
    cut = made.cut(SumTable.of(table))
    return None if cut < 0 else threshold_of(table.scores, cut)


def cost_of(y, p, amount, w, t):
    called = p >= t
    each = np.where(called, np.where(y, -0.2 * amount, 3.0), np.where(y, amount, 0.5))
    return float((each * w).sum() / w.sum())


def best_of(thresholds, values, met=None):
    """The highest of the best thresholds, all compared."""
    usable = [(v, t) for v, t, ok in zip(values, thresholds, met or [True] * len(values), strict=True) if ok]
    usable = [(v, t) for v, t in usable if not np.isnan(v)]
    if not usable:
        return None
    top = max(v for v, _ in usable)
    return max(t for v, t in usable if v >= top - 1e-9 * max(1, abs(top)))


@given(st.integers(0, 10**6), st.sampled_from(["alike", "frequency", "weight"]))
@settings(max_examples=40)
def test_least_cost_by_brute_force(seed, how):
    y, p, amount, times = rows(seed)
    columns = {"alike": {}, "frequency": {"frequency": times}, "weight": {"weight": times / 4}}[how]
    w = np.ones(y.size) if how == "alike" else times
    a = ca.assess(y, p, amounts={"amount": amount}, **columns)
    values = [-cost_of(y, p, amount, w, t) for t in every_threshold(p)]
    assert chosen(a, Rule.of(cost=COSTS)) == best_of(every_threshold(p), values)


def counts(y, p, w, t):
    called = p >= t
    return [
        float(w[one & two].sum()) for one, two in ((called, y), (called, ~y), (~called, y), (~called, ~y))
    ]


OBJECTIVES = [
    "recall",
    "precision",
    "f1",
    "f_beta(2)",
    "youden",
    "net_benefit(0.2)",
    "mcc",
    "accuracy",
    "kappa",
]


@given(st.integers(0, 10**6), st.sampled_from(OBJECTIVES))
@settings(max_examples=40)
def test_greatest_measure_by_brute_force(seed, name):
    y, p, _, times = rows(seed)
    a = ca.assess(y, p, frequency=times)
    each = [a.at(t) for t in every_threshold(p)]
    matrices = [one.confusion_matrix for one in each]
    values = [
        float(get(name)(matrix.one_vs_rest(True) if get(name).needs == "counts" else matrix))
        for matrix in matrices
    ]
    assert chosen(a, Rule.of(maximize=name)) == best_of(every_threshold(p), values)


@given(st.integers(0, 10**6), st.sampled_from(["corner_distance", "rate_gap", "error"]))
@settings(max_examples=40)
def test_least_measure_by_brute_force(seed, name):
    y, p, _, times = rows(seed)
    a = ca.assess(y, p, frequency=times)
    formulas = {
        "corner_distance": lambda tp, fp, fn, tn: np.hypot(fn / (tp + fn), fp / (fp + tn)),
        "rate_gap": lambda tp, fp, fn, tn: abs(fp / (fp + tn) - fn / (tp + fn)),
        "error": lambda tp, fp, fn, tn: (fp + fn) / (tp + fp + fn + tn),
    }
    values = [-formulas[name](*counts(y, p, times, t)) for t in every_threshold(p)]
    rule = Rule.of(cost=ca.Costs(fp=1, fn=1)) if name == "error" else Rule.of(minimize=name)
    assert chosen(a, rule) == best_of(every_threshold(p), values)


CONDITIONS = {
    "precision >= 0.6": lambda tp, fp, fn, tn: tp + fp > 0 and tp / (tp + fp) >= 0.6 - 1e-12,
    "fpr <= 0.25 and recall > 0.1": lambda tp, fp, fn, tn: (
        fp / (fp + tn) <= 0.25 + 1e-12 and tp / (tp + fn) > 0.1
    ),
}


@given(st.integers(0, 10**6), st.sampled_from([*CONDITIONS]), st.sampled_from([None, 10.0]))
@settings(max_examples=40)
def test_conditions_and_capacity_by_brute_force(seed, where, top):
    y, p, _, times = rows(seed)
    a = ca.assess(y, p, frequency=times)
    each = [counts(y, p, times, t) for t in every_threshold(p)]
    met = [CONDITIONS[where](*c) and (top is None or c[0] + c[1] <= top) for c in each]
    values = [c[0] / (c[0] + c[2]) for c in each]
    assert chosen(a, Rule.of(where=where, maximize="recall", top=top)) == best_of(
        every_threshold(p), values, met
    )


def test_the_spread_of_a_cut_is_that_of_the_resamples_in_which_it_has_a_value():
    """Precision is undefined where nobody is called, as at high cuts of a resample that lacks their scores."""
    from classay.decision.choosing import Chosen, _Drawn
    from classay.decision.cuts import Groups, SumTable, resamples

    y, p, *_ = rows(4, n=14)
    a = ca.assess(y, p)
    made, groups = Chosen(Rule.of(maximize="precision"), a.scored_cases, None), Groups.of(a.scores, 4)
    sums = groups.grouped(SumTable.of(a.scores))
    found = _Drawn.of(made, groups, sums, a.scores.scores[3])
    values = np.concatenate([made.judged(inside)[0] for inside, _ in resamples(a.scored_cases, groups, None)])
    off = values[:, [4]] - values
    assert 0 < np.isnan(off[:, 1]).mean() < 1
    assert found.spread[1:] == pytest.approx(np.nanstd(off[:, 1:], 0))


def test_a_limit_of_the_interval():
    y, p, _, _ = rows(3, n=400, levels=40)
    a = ca.assess(y, p)
    t = chosen(a, Rule.of(where="precision.low >= 0.6", maximize="recall"))
    met = [u for u in np.unique(p) if a.at(u)["precision"].low >= 0.6]
    assert t == min(met)
    with pytest.raises(InputError, match=r"mcc\.low >= 0\.2 needs a CI at every threshold, but mcc is not a"):
        a.threshold(where="mcc.low >= 0.2", maximize="recall")


@given(st.integers(0, 10**6), st.floats(1, 60))
@settings(max_examples=30)
def test_capacity_by_brute_force(seed, top):
    y, p, _, times = rows(seed)
    a = ca.assess(y, p, frequency=times)
    allowed = [t for t in every_threshold(p) if times[p >= t].sum() <= top * (1 + 1e-12)]
    assert chosen(a, Rule.of(top=top)) == min(allowed)


@given(st.integers(0, 10**6), st.floats(0.02, 0.9))
@settings(max_examples=30)
def test_another_prevalence_by_brute_force(seed, prevalence):
    y, p, _, _ = rows(seed)
    a = ca.assess(y, p)

    def cost(t):
        fnr, fpr = float((~(p[y] >= t)).mean()), float((p[~y] >= t).mean())
        return -(prevalence * 5 * fnr + (1 - prevalence) * fpr)

    found = a.threshold(cost=ca.Costs(fp=1, fn=5), prevalence=prevalence)
    assert found.threshold.value == best_of(every_threshold(p), [cost(t) for t in every_threshold(p)])


def test_the_textbook():
    """T20 (B-14, B-20): Youden at 0.7; net benefit and treat-all of M003's table."""
    t20 = oracles()["T20"]
    a = ca.assess(t20["y"], t20["sA"])
    found = a.threshold(maximize="youden")
    assert (found.threshold.value, found.apparent.value) == (
        0.7,
        pytest.approx(CURVES["ROC_T20"]["value"]["youden"]),
    )
    for p_t, value in ((0.05, 0.0594736842105), (0.1, 0.0588888888889), (0.2, 0.0575), (0.5, 0.05)):
        assert get(f"net_benefit({p_t})")(6, 1, 4, 89) == pytest.approx(value)


def test_calibrated_probabilities_are_cut_where_costs_say():
    """With p as the true probability, the least cost is at c_fp / (c_fp + c_fn) (Elkan 2001)."""
    rng = np.random.default_rng(5)
    p = rng.beta(1, 3, 20_000)
    y = rng.random(p.size) < p
    d = ca.assess(y, p).threshold(cost=ca.Costs(fp=1, fn=4))
    assert d.threshold.low < 0.2 < d.threshold.high
    assert d.threshold.value == pytest.approx(0.2, abs=0.06)


Y, P, AMOUNT, TIMES = rows(11, n=300, levels=60)
A = ca.assess(Y, P, amounts={"amount": AMOUNT})


def test_what_cannot_be_met():
    with pytest.raises(InputError, match=r"No threshold meets precision > 1: precision reaches 0\.8889"):
        A.threshold(where="precision > 1", maximize="recall")
    with pytest.raises(InputError, match="No objective for the threshold"):
        A.threshold(where="precision >= 0.9")
    with pytest.raises(InputError, match=r"fpr <= 5 always holds, .*\. Write 0\.05 if you mean percent"):
        A.threshold(where="fpr <= 5", maximize="recall")
    with pytest.raises(InputError, match=r"cost= and maximize= cannot be combined. Use one objective"):
        A.threshold(cost=COSTS, maximize="recall")
    with pytest.raises(InputError, match=r"top must be a number of cases, at least 1, but is 0\.5"):
        A.threshold(top=0.5)
    with pytest.raises(InputError, match="roc_auc is not a threshold measure"):
        A.threshold(maximize="roc_auc")
    with pytest.raises(InputError, match="The requirement 'precision' cannot be read"):
        A.threshold(where="precision", maximize="recall")
    with pytest.raises(InputError, match="A threshold needs both classes"):
        ca.assess([0, 0], [0.1, 0.2]).threshold(maximize="youden")


def test_a_capacity_above_the_data():
    d = A.threshold(top=10_000)
    assert d.calls_everybody
    assert d.notes[0] == "The capacity of 10,000 exceeds the 300 cases, so all are predicted positive."


def test_a_capacity_that_cuts_a_tie():
    y, p = [1, 1, 0, 0, 1, 0], [0.9, 0.5, 0.5, 0.5, 0.2, 0.1]
    d = ca.assess(y, p).threshold(top=2)
    assert d.threshold.value == 0.9
    assert "The next 3 cases share one score, so 1 are predicted positive instead of 2." in d.notes


def test_costs_under_which_nobody_is_called():
    d = A.threshold(cost=ca.Costs(fp=1000, fn=1))
    assert d.calls_nobody
    assert d.matrix.one_vs_rest(True).tp == d.matrix.one_vs_rest(True).fp == 0
    assert d.advice[0].startswith("Predict no case as positive (True)")
    with pytest.raises(InputError, match="Predicting no case positive is best"):
        d.apply(object())
    assert "Predicting no case positive is best" in str(d)
    assert d.to_dict()["threshold"]["value"] == "Infinity"


def test_costs_under_which_everybody_is_called():
    d = A.threshold(cost=ca.Costs(fp=1, fn=1000))
    assert d.threshold.value <= P[Y].min()
    everybody = A.threshold(cost=ca.Costs(fp=-1, fn=1000))
    assert everybody.calls_everybody
    assert everybody.advice[0].startswith("Predict every case as positive (True) at any score")
    assert "Predicting every case positive is best" in everybody.notes[0]
    with pytest.raises(InputError, match="Predicting every case positive is best"):
        everybody.apply(object())
    assert everybody.to_dict()["threshold"]["value"] == "-Infinity"
    assert "Every case is predicted" in everybody.methods_text()


def test_benefits_shift_nothing_where_they_are_the_same_for_both_decisions():
    """Only what decisions differ in chooses a threshold (Elkan 2001)."""
    plain = A.threshold(cost=ca.Costs(fp=1, fn=5))
    moved = A.threshold(cost=ca.Costs(fp=1 - 7, fn=5 + 2, tp=2, tn=-7))
    assert plain.threshold == moved.threshold


@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_the_order_of_rows_changes_nothing(seed):
    order = np.random.default_rng(seed).permutation(Y.size)
    here = A.threshold(cost=COSTS)
    there = ca.assess(Y[order], P[order], amounts={"amount": AMOUNT[order]}).threshold(cost=COSTS)
    assert here.threshold == there.threshold
    assert here.expected.objective.value == pytest.approx(there.expected.objective.value)
    assert here.as_good == there.as_good


def test_weights_times_a_constant():
    one, other = (
        ca.assess(Y, P, weight=TIMES * c, amounts={"amount": AMOUNT}).threshold(cost=COSTS)
        for c in (0.25, 40)
    )
    assert one.threshold == other.threshold
    assert (one.expected.objective.value, one.expected.objective.low) == pytest.approx(
        (other.expected.objective.value, other.expected.objective.low)
    )


def test_saved_and_loaded(tmp_path):
    A.save(tmp_path / "a.classay")
    here, there = (each.threshold(cost=COSTS) for each in (A, ca.load(tmp_path / "a.classay")))
    assert here.to_dict() == there.to_dict()


def test_the_honest_value_is_worse_than_the_apparent_one():
    rng = np.random.default_rng(8)
    y = np.arange(100) % 5 == 0
    worse = []
    for _ in range(10):
        d = ca.assess(y, rng.random(100)).threshold(maximize="f1")  # no signal at all
        worse.append(d.apparent.value - d.expected.objective.value)
    assert np.mean(worse) > 0.02


def test_cases_held_back():
    half = Y.size // 2
    a, b = ca.assess(Y[:half], P[:half]), ca.assess(Y[half:], P[half:])
    d = a.threshold(maximize="youden", held_back=b)
    assert d.expected.objective == b.at(d.threshold.value)["youden"]
    assert d.how_expected == "measured on held-out cases"
    with pytest.raises(InputError, match="held_back must be an assessment of the held-out cases"):
        a.threshold(maximize="youden", held_back=3)


def test_conditions_hold_as_surely_as_they_do():
    loose = A.threshold(where="recall >= 0.3", maximize="precision").kept[0]
    tight = A.threshold(where="precision >= 0.7", maximize="recall").kept[0]
    assert loose.probability > 0.3
    assert tight.probability < 0.9
    assert tight.apparent.value >= 0.7


def test_apply():
    sklearn = pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    assert sklearn
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = rng.random(300) < 1 / (1 + np.exp(-X[:, 0]))
    model = LogisticRegression().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    d = ca.assess(y, p).threshold(cost=ca.Costs(fp=1, fn=3))
    applied = d.apply(model).fit(X, y)
    np.testing.assert_array_equal(applied.predict(X), p >= d.threshold.value)


@pytest.mark.parametrize("cluster", [False, True])
def test_forms_of_a_decision(cluster):
    more = {"cluster": np.arange(Y.size) // 4} if cluster else {}
    d = ca.assess(Y, P, amounts={"amount": AMOUNT}, **more).threshold(cost=COSTS, where="recall >= 0.2")
    for text in (str(d), d._repr_html_(), d.to_latex(), d.to_markdown()):
        assert "recall" in text
        assert "nan" not in text.lower().replace("finance", "")
    assert len(d.advice) == 3


def test_the_advice_names_the_cheaper_rule_that_looks_at_no_score():
    """A saving is of the cases the threshold was chosen on, and one that new cases may not see is not claimed."""
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.4
    a = ca.assess(y, np.clip(rng.normal(0.4 + 0.2 * y, 0.15), 0, 1))
    for cost in (ca.Costs(fp=1, fn=20), ca.Costs(fp=1, fn=1.5), ca.Costs(fp=9, fn=1)):
        d = a.threshold(cost=cost)
        everybody, nobody = cost.fp * np.mean(~y), cost.fn * np.mean(y)
        rival, size = ("everybody", everybody) if everybody < nobody else ("nobody", nobody)
        said = d.advice[1]
        if d.calls_nobody:
            continue
        what = f"predicting {'every' if rival == 'everybody' else 'no'} case positive"
        assert what in said.replace("Predicting", "predicting")
        if d.expected.objective.value >= size:
            assert " less" in said
            assert "saves" not in said
        else:
            before = "saves " if "saves " in said else "the difference is "
            saved = float(said.partition(before)[2].partition(" ")[0])
            assert saved == pytest.approx(size - d.expected.objective.value, abs=6e-4)


def test_where_everybody_is_called_every_resample_calls_all_it_has():
    y, score = np.array([0, 1, 0, 1]), np.array([0.1, 0.9, 0.4, 0.6])
    made = ca.assess(y, score, positive=1).threshold(top=4)
    assert "predicting every case positive is best, also in 100% of the resamples" in made.threshold.reason


@pytest.mark.parametrize("weight", [None, 0.1, 1.0, 10.0])
def test_a_condition_that_a_capacity_forbids_says_so(weight):
    """Whatever the unit of the weights."""
    y, score = np.arange(60) % 2, np.arange(60) / 60
    a = ca.assess(y, score, positive=1, weight=None if weight is None else np.full(60, weight))
    said = "No threshold that predicts at most 6 cases positive meets"
    with pytest.raises(InputError, match=said):
        a.threshold(top=6, maximize="recall", where="recall >= 0.5")


def test_thresholds_that_may_be_used_are_one_range():
    """Where good thresholds lie on both sides of bad ones, those between are worse."""
    rng, n = np.random.default_rng(0), 1500
    y, low = rng.random(n) < 0.3, rng.random(n) < 0.5
    score = np.where(low, rng.normal(0.15, 0.05, n), rng.normal(0.6, 0.05, n))
    score[y] = np.where(low, rng.normal(0.2, 0.02, n), rng.normal(0.8, 0.02, n))[y]
    a, costs = ca.assess(y, score), ca.Costs(fp=1, fn=3)
    d = a.threshold(cost=costs)
    ends = d.as_good
    assert ends[0] <= d.threshold.value <= ends[1]
    for each in np.linspace(*ends, 40):
        assert a.at(each).expected_cost(costs).per_case.low < d.apparent.high
    assert not ends[0] < 0.4 < ends[1]
    assert a.at(0.4).expected_cost(costs).per_case.low > d.apparent.high
    turned = ca.assess(y, -score).threshold(maximize="youden")
    assert turned.calls_nobody or turned.as_good[1] - turned.as_good[0] < 0.5


@pytest.mark.covering(1)
@pytest.mark.parametrize("weight", [None, 0.1, 1 / 3])
@pytest.mark.parametrize(
    ("name", "hits", "alarms"),
    [
        ("net_benefit(0.6)", 3, 2),
        ("net_benefit(0.75)", 3, 1),
        ("youden", 2, 4),
        ("mcc", 2, 4),
        ("kappa", 2, 4),
        ("markedness", 1, 2),
    ],
)
def test_what_is_no_better_than_calling_nobody_is_not_chosen(name, hits, alarms, weight):
    """Each is exactly 0 where hits and false alarms balance, of 5 positives and 10 negatives; below they do not."""
    y = [1] * hits + [0] * alarms + [0] * (10 - alarms) + [1] * (5 - hits)
    scores = [0.9] * (hits + alarms) + [0.15] * (10 - alarms) + [0.1] * (5 - hits)
    a = ca.assess(y, scores, weight=weight and [weight] * 15)
    assert a.at(0.9)[name].value == 0
    with pytest.raises(InputError, match="No threshold meets"):
        a.threshold(where=f"{name} > 0", maximize="recall")
    assert a.threshold(where=f"{name} >= 0", maximize="recall").threshold.value != 0.15
    if name == "youden" or name.startswith("net_benefit"):
        assert a.threshold(maximize=name).calls_nobody


@pytest.mark.parametrize("per", [True, np.True_, 0, 1.5])
def test_what_is_no_number_of_periods_is_refused(per):
    with pytest.raises(InputError):
        ca.assess([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1]).threshold(top=1, per=per)
