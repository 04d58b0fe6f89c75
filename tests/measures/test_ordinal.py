"""Measures of classes in an order: brute force over pairs, other programs, published examples, and laws."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as skm
from scipy import stats
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.inter_rater import cohens_kappa

import classay as ca
from classay.errors import InputError
from classay.inference.intervals import estimate
from classay.inference.labels.delta import of_matrix
from classay.measures import get
from classay.tables import ConfusionMatrix
from command import call

OF_PAIRS = ("kendall_tau_b", "somers_d", "goodman_kruskal_gamma", "concordance")
OF_ERRORS = ("mean_absolute_error", "mean_squared_error", "mean_signed_error", "macro_mean_absolute_error")
GIVEN = ("mean_absolute_error(0, 1, 3)", "macro_mean_absolute_error(0, 1, 3)", "weighted_kappa(0, 1, 3)")
ALL = (*OF_PAIRS, *OF_ERRORS, "accuracy_within(1)", "linear_kappa", "quadratic_kappa", *GIVEN)
FOUR = [[20, 5, 1, 0], [4, 30, 8, 1], [1, 6, 25, 4], [0, 1, 3, 11]]


def matrix_of(rows, labels=None):
    rows = np.asarray(rows)
    return ConfusionMatrix.from_array(rows, labels or tuple(range(len(rows))), rows="true")


def cases_of(rows):
    """True and predicted places of each case of a table of counts."""
    return [np.repeat(each.ravel(), np.ravel(rows)) for each in np.indices(np.shape(rows))]


def standard_error(name, matrix):
    influence = of_matrix(get(name), matrix)
    assert (matrix.counts * influence).sum() == pytest.approx(0, abs=1e-12)
    return float(np.sqrt((matrix.counts * influence**2).sum()))


def by_hand(counts):
    """Every measure of tables `[..., true, predicted]` of three classes, from pairs of cells and from single cells."""
    with np.errstate(all="ignore"):
        n, cells = counts.sum((-2, -1)), list(itertools.product(range(3), repeat=2))
        more = less = tied = 0.0
        for (t, p), (u, q) in itertools.product(cells, cells):
            pairs = counts[..., t, p] * counts[..., u, q]
            more = more + pairs * ((t - u) * (p - q) > 0)
            less = less + pairs * ((t - u) * (p - q) < 0)
            tied = tied + pairs * (t != u and p == q)
        unlike = more + less + tied
        others = n**2 - (counts.sum(-2) ** 2).sum(-1)
        error = {
            name: sum(counts[..., t, p] * loss(p - t) for t, p in cells) / n
            for name, loss in {
                "mean_absolute_error": abs,
                "mean_squared_error": lambda d: d * d,
                "mean_signed_error": lambda d: d,
                "accuracy_within(1)": lambda d: abs(d) <= 1,
                "mean_absolute_error(0, 1, 3)": lambda d: (0, 1, 3)[abs(d)],
            }.items()
        }
        for name, steps in (("", (0, 1, 2)), ("(0, 1, 3)", (0, 1, 3))):
            of_class = [
                sum(counts[..., t, p] * steps[abs(p - t)] for p in range(3)) / counts[..., t, :].sum(-1)
                for t in range(3)
            ]
            error[f"macro_mean_absolute_error{name}"] = sum(of_class) / 3
        for name, steps in (
            ("linear_kappa", (0, 1, 2)),
            ("quadratic_kappa", (0, 1, 4)),
            ("weighted_kappa(0, 1, 3)", (0, 1, 3)),
        ):
            seen = sum(counts[..., t, p] * steps[abs(t - p)] for t, p in cells)
            by_chance = sum(
                counts[..., t, :].sum(-1) * counts[..., :, p].sum(-1) * steps[abs(t - p)] for t, p in cells
            )
            error[name] = 1 - seen * n / by_chance
        return error | {
            "kendall_tau_b": (more - less) / np.sqrt(unlike * others),
            "somers_d": (more - less) / unlike,
            "goodman_kruskal_gamma": (more - less) / (more + less),
            "concordance": (more + tied / 2) / unlike,
        }


def test_all_small_tables_of_three_classes():
    """Every 3 × 3 table with up to two cases a cell: the values by hand, and NaN exactly where there is a reason."""
    counts = np.stack(np.meshgrid(*[np.arange(3)] * 9, indexing="ij"), -1).reshape(-1, 3, 3)
    tables = ConfusionMatrix(counts.swapaxes(-1, -2), (0, 1, 2))
    wanted = by_hand(counts.astype(float))
    assert {*wanted} == {*ALL}
    for name, expected in wanted.items():
        measure = get(name)
        found = measure(tables)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=name)
        why = np.any([np.broadcast_to(each.met(tables), found.shape) for each in measure.undefined], axis=0)
        assert (np.isnan(found) == why).all(), name
    for at in range(0, len(counts), 997):  # one matrix is read otherwise than many
        one = ConfusionMatrix(tables.counts[at], (0, 1, 2))
        for name, expected in wanted.items():
            assert float(get(name)(one)) == pytest.approx(expected[at], rel=1e-12, abs=1e-12, nan_ok=True)


def test_values_of_other_programs():
    rng = np.random.default_rng(3)
    for classes in (2, 3, 5, 9):
        true = rng.integers(0, classes, 300)
        called = np.clip(true + rng.integers(-2, 3, 300), 0, classes - 1)
        matrix = ConfusionMatrix.from_labels(true, called, labels=tuple(range(classes)))
        wanted = {
            "kendall_tau_b": stats.kendalltau(true, called).statistic,
            "somers_d": stats.somersd(true, called).statistic,
            "mean_absolute_error": skm.mean_absolute_error(true, called),
            "mean_squared_error": skm.mean_squared_error(true, called),
            "linear_kappa": skm.cohen_kappa_score(true, called, weights="linear"),
            "quadratic_kappa": skm.cohen_kappa_score(true, called, weights="quadratic"),
            "macro_mean_absolute_error": np.mean(
                [skm.mean_absolute_error(true[true == c], called[true == c]) for c in range(classes)]
            ),
        }
        for name, value in wanted.items():
            assert float(get(name)(matrix)) == pytest.approx(value, rel=1e-9), name
        table = matrix.counts.T
        for kind in ("linear", "quadratic"):
            found = cohens_kappa(table, wt=kind)
            name = f"{kind}_kappa"
            assert standard_error(name, matrix) == pytest.approx(found.std_kappa, rel=1e-9)
        steps = [0, 1, 3, 4, 7, 8, 8, 9, 12][:classes]
        given = cohens_kappa(
            table, weights=np.array(steps)[np.abs(np.subtract.outer(*[np.arange(classes)] * 2))]
        )
        name = f"weighted_kappa({', '.join(map(str, steps))})"
        assert float(get(name)(matrix)) == pytest.approx(given.kappa, rel=1e-9)
        assert standard_error(name, matrix) == pytest.approx(given.std_kappa, rel=1e-9)


# DescTools 0.99 (R), its documented example, which is that of SAS PROC FREQ: rows are the truth. SomersDelta C|R 0.4427
# [0.2786, 0.6068], R|C 0.2569 [0.1592, 0.3547]; KendallTauB 0.3372567 [0.2114009, 0.4631126].
PAIN = np.zeros((5, 5), int)
PAIN[:2] = [[26, 26, 23, 18, 9], [6, 7, 9, 14, 23]]
# vcd::Kappa(SexualFun) (R): weighted 0.2374, its standard error 0.07832
FUN = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
# Agresti 2013, Categorical Data Analysis, job satisfaction by income: gamma .221, its standard error .117
JOBS = [[1, 3, 10, 6], [2, 3, 10, 7], [1, 6, 14, 12], [0, 1, 9, 11]]


@pytest.mark.parametrize(
    ("rows", "name", "value", "low", "high"),
    [
        (PAIN, "somers_d", 0.4427, 0.2786, 0.6068),
        (PAIN.T, "somers_d", 0.2569, 0.1592, 0.3547),
        (PAIN, "kendall_tau_b", 0.3372567, 0.2114009, 0.4631126),
        (FUN, "linear_kappa", 0.2374, 0.2374 - 1.96 * 0.07832, 0.2374 + 1.96 * 0.07832),
        (JOBS, "goodman_kruskal_gamma", 0.221, 0.221 - 1.96 * 0.117, 0.221 + 1.96 * 0.117),
    ],
)
def test_published_examples(rows, name, value, low, high):
    matrix = matrix_of(rows)
    tolerance = 5e-8 if value == 0.3372567 else 6e-4 if name == "goodman_kruskal_gamma" else 6e-5
    assert float(get(name)(matrix)) == pytest.approx(value, abs=tolerance)
    se = (high - low) / 2 / stats.norm.ppf(0.975)
    # the limits of DescTools are 2e-5 of their width apart from the derivative, which the oracle below has exactly
    assert standard_error(name, matrix) == pytest.approx(se, abs=max(2 * tolerance, 2e-6))


@pytest.mark.parametrize("name", ALL)
def test_influences_are_derivatives(name):
    """By differences of the second order, forward, because a cell without a case cannot have less."""
    for rows in ([[9, 3, 1], [2, 7, 4], [1, 2, 5]], [[9, 3, 0], [0, 7, 4], [1, 0, 5]]):
        matrix = matrix_of(rows)
        found, step = get(name).cell_influence(matrix, *np.indices((3, 3))), 1e-4
        for i, j in np.ndindex(3, 3):
            own = np.zeros((3, 3))
            own[i, j] = step
            none, one, two = (
                float(get(name).raw(ConfusionMatrix(matrix.counts + k * own, (0, 1, 2)))) for k in range(3)
            )
            slope = (4 * one - 3 * none - two) / 2 / step
            assert found[i, j] == pytest.approx(slope, rel=1e-5, abs=1e-7), (name, i, j)


def test_oracle_of_the_standard_errors():
    """statistics of the project, B-46: numerical derivatives, statsmodels and SciPy."""
    wanted = {
        "mean_absolute_error": (0.31666666666666665, 0.04856744070106844),
        "mean_squared_error": (0.38333333333333330, 0.07282335299071464),
        "mean_signed_error": (0.03333333333333333, 0.05643744488539530),
        "accuracy_within(1)": (0.96666666666666670, 0.01638653467052015),
        "linear_kappa": (0.6986916875908551, 0.0487094524887937),
        "quadratic_kappa": (0.7896341463414633, 0.0433784259337977),
        "kendall_tau_b": (0.7332699181267581, 0.0471976227166318),
        "somers_d": (0.7344021634151051, 0.0477006774465666),
        "goodman_kruskal_gamma": (0.8887330528284243, 0.0395788816252209),
        "concordance": (0.8672010817075526, 0.0238503387222226),
        "macro_mean_absolute_error": (0.31536970781156826, 0.0548484299874010),
    }
    matrix = matrix_of(FOUR)
    for name, (value, se) in wanted.items():
        assert float(get(name)(matrix)) == pytest.approx(value, rel=1e-12), name
        assert standard_error(name, matrix) == pytest.approx(se, rel=1e-8), name


# -- laws ------------------------------------------------------------------------------------------


def near(found, wanted):
    for one, other in ((found.value, wanted.value), (found.low, wanted.low), (found.high, wanted.high)):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ALL[: -len(GIVEN)])
def test_the_order_reversed(name):
    """Nothing changes but the sign of the signed error."""
    matrix = matrix_of(FOUR)
    turned = matrix_of(np.array(FOUR)[::-1, ::-1])
    one, other = (estimate(get(name), each) for each in (matrix, turned))
    if name == "mean_signed_error":
        assert (other.value, other.low, other.high) == pytest.approx((-one.value, -one.high, -one.low))
    else:
        near(other, one)


@pytest.mark.parametrize("name", ALL)
def test_weights_clusters_and_merging(name, tmp_path):
    """Repeats are frequencies; equal weights are no weights; clusters of one case are cases; parts make the whole."""
    true, called = cases_of([[9, 3, 1], [2, 7, 4], [1, 2, 5]])
    given = {"labels": [0, 1, 2], "ordered": True}
    whole = ca.assess(true, y_pred=called, **given)
    cells, times = np.unique(np.stack([true, called]), axis=1, return_counts=True)
    near(ca.assess(cells[0], y_pred=cells[1], frequency=times, **given)[name], whole[name])
    equal = ca.assess(true, y_pred=called, weight=np.full(true.size, 0.5), **given)
    assert equal[name].value == pytest.approx(whole[name].value)
    alone = ca.assess(true, y_pred=called, cluster=np.arange(true.size), **given)[name]
    assert alone.value == pytest.approx(whole[name].value)
    # but for Student's quantile, which in clusters has the degrees of the few with errors: 3 of 34 cases
    assert abs(alone.high - alone.low - (whole[name].high - whole[name].low)) < 0.3 * (alone.high - alone.low)
    parts = [ca.assess(true[at::3], y_pred=called[at::3], **given) for at in range(3)]
    near((parts[2] + parts[0] + parts[1])[name], whole[name])
    whole.save(tmp_path / "a.classay")
    near(ca.load(tmp_path / "a.classay")[name], whole[name])


def test_two_classes_meet_the_measures_of_two_classes():
    rng = np.random.default_rng(0)
    true, called = rng.integers(0, 2, 90), rng.integers(0, 2, 90)
    a = ca.assess(true, y_pred=called)
    for ordinal, binary in {
        "mean_absolute_error": "error_rate",
        "mean_squared_error": "error_rate",
        "concordance": "single_point_auc",
        "somers_d": "informedness",
        "kendall_tau_b": "matthews_correlation",
        "quadratic_kappa": "cohen_kappa",
    }.items():
        assert a[ordinal].value == pytest.approx(a[binary].value), ordinal
    assert a["macro_mean_absolute_error"].value == pytest.approx(1 - a["balanced_accuracy"].value)
    assert a["mean_signed_error"].value == pytest.approx(called.mean() - true.mean())
    assert a["accuracy_within(1)"].value == 1
    assert np.isnan(ca.assess(true, y_pred=np.ones(90, int))["goodman_kruskal_gamma"].value)


def test_a_perfect_classifier_has_intervals_that_say_how_many_cases_say_so():
    few, many = (estimate_all(np.diag([n, n, n])) for n in (5, 500))
    for name in ALL:
        assert few[name].has_interval, name
        assert few[name].high - few[name].low > 3 * (many[name].high - many[name].low), name
    assert few["mean_signed_error"].low < 0 < few["mean_signed_error"].high
    assert (few["mean_absolute_error"].low, few["kendall_tau_b"].high) == (0, 1)


def test_cases_that_are_all_equally_far_off():
    """All one step off, and all on the diagonal's other end: there is an interval, and the value lies in it."""
    for rows, far in (([[0, 9, 0], [4, 0, 5], [0, 9, 0]], 1.0), ([[0, 0, 9], [0, 0, 0], [9, 0, 0]], 2.0)):
        found = estimate(get("mean_absolute_error"), matrix_of(rows))
        assert found.value == far
        assert not found.has_interval or found.low < far < found.high
    assert estimate(get("mean_absolute_error"), matrix_of([[0, 9, 0], [4, 0, 5], [0, 9, 0]])).has_interval


def estimate_all(rows):
    return {name: estimate(get(name), matrix_of(rows)) for name in ALL}


def test_very_many_classes():
    """Of more classes than all pairs are kept of, the mean errors are found from the cells that occur."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 30_000, 4000)
    called = np.clip(true + rng.integers(-3, 4, 4000), 0, 29_999)
    a = ca.assess(true, y_pred=called, labels=range(30_000))
    assert a["mean_absolute_error"].value == pytest.approx(np.abs(called - true).mean())
    assert a["mean_signed_error"].value == pytest.approx((called - true).mean())
    assert "up to" in a["mean_absolute_error"].reason
    assert a["accuracy_within(2)"].has_interval


# -- comparing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ALL, "ranked_probability_score"])
def test_models_are_compared(name):
    """By the difference of the values; accuracy within k as a proportion of the same cases."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 3, 120)
    models = {each: np.clip(true + rng.integers(-1, 2, 120), 0, 2) for each in "ab"}
    given = {"labels": [0, 1, 2], "ordered": True}
    if name == "ranked_probability_score":
        shares = {each: 0.1 + 0.7 * np.eye(3)[models[each]] for each in "ab"}
        found = ca.compare(shares, true, measures=[name], **given)[0]
        values = [ca.assess(true, shares[each], **given)[name].value for each in "ab"]
    else:
        found = ca.compare(y_true=true, y_pred=models, measures=[name], **given)[0]
        values = [ca.assess(true, y_pred=models[each], **given)[name].value for each in "ab"]
    assert found.effect.value == pytest.approx(values[0] - values[1])
    assert found.effect.low < found.effect.value < found.effect.high
    if name == "accuracy_within(1)":
        assert "McNemar" in repr(found)


# -- bad input and names ---------------------------------------------------------------------------


def test_without_an_order_there_is_a_reason():
    a = ca.assess(list("abcabc"), y_pred=list("abbacc"))
    for name in ALL:
        assert np.isnan(a[name].value)
        assert "need a declared order" in a[name].reason
        assert "--order" in a[name].reason


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mean_absolute_error(1, 2, 3)", "start at 0"),
        ("mean_absolute_error(0, 2, 1)", "do not decrease"),
        ("mean_absolute_error(0, 0, 0)", "at least one error"),
        ("mean_absolute_error(0, 1)", "steps must be 3 numbers for 3 classes, but are 0, 1"),
        ("mean_absolute_error(0, -1)", "must be 0, or a cost"),
        ("accuracy_within(0)", "must be a positive whole number"),
        ("accuracy_within", "missing a required argument"),
    ],
)
def test_steps_that_make_no_sense(name, words):
    a = ca.assess([0, 1, 2], y_pred=[0, 1, 1])
    with pytest.raises(InputError, match=words):
        a[name]


def test_the_old_name_is_understood_and_warned_of():
    a = ca.assess([0, 1, 2], y_pred=[0, 1, 1])
    with pytest.warns(DeprecationWarning, match="class_mean_absolute_error is now mean_absolute_error"):
        found = get("class_mean_absolute_error")
    assert found is get("mean_absolute_error")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert a["mean_absolute_error"].value == pytest.approx(1 / 3)


def test_the_command_tells_the_new_name(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n0,0\n1,2\n2,2\n")
    given = ("--truth", "y", "--prediction", "p", "--measures", "class_mean_absolute_error")
    found = call("assess", tmp_path / "a.csv", *given)
    assert "class_mean_absolute_error is now mean_absolute_error" in found.stderr
    assert "0.333" in found.stdout


@pytest.mark.wings("resampling")
def test_folds_have_ordinal_measures_and_those_of_a_cut():
    """Two classes are a cut of themselves, so that the folds have one value by both names."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 90)
    X = (true + rng.normal(size=90))[:, None]
    names = ["recall[>=1]", "recall[1]", "roc_auc[>=1]", "roc_auc[1]", "mean_absolute_error", "error_rate"]
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    e = ca.evaluate(tree, X, true, protocol=ca.StratifiedKFold(3), measures=names)
    for one, other in zip(names[::2], names[1::2], strict=True):
        assert e[one].value == pytest.approx(e[other].value), one


def test_ordered_categories_of_pandas_are_an_order():
    grades = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    true = pd.Series(["low", "mid", "high", "mid"], dtype=grades)
    called = pd.Series(["low", "high", "high", "low"], dtype=grades)
    a = ca.assess(true, y_pred=called)
    assert (a["mean_absolute_error"].value, a["mean_signed_error"].value) == (0.5, 0)
