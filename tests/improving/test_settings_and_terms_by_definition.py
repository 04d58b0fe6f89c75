"""Settings that remedies try, why others do not apply, intervals of parts, moved columns: each from its definition."""

from dataclasses import replace
from math import e, exp, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import classay as ca
from classay.errors import InputError, MergeError
from classay.improving.commands import values_in, whole_or_share
from classay.improving.decomposition import LossTerms, _degrees, _positive, _shares, spread
from classay.improving.ingredients import RemedyContext, _along, are_categories, codes_in
from classay.improving.learning_curve import _full_name, _negated, _sizes, _turned
from classay.improving.loss_parts import DOMINGOS, KOHAVI_WOLPERT, SQUARED, RoundTable
from classay.improving.new_cases import _alike, _same_codes, _same_numbers, moved_columns
from classay.improving.remedies import REMEDIES, SETTINGS, axes_of, remedies_against, remedies_named
from classay.improving.results_of_parts import document_of_decomposition
from classay.improving.training_sets import MeanUnits, Points, distributions, extrapolate, sampling_named
from classay.inference.estimate import Estimate
from classay.inference.proportions import score_interval
from classay.measures import get
from command import refusal

RNG = np.random.default_rng(5)
X = RNG.normal(size=(200, 4))
Y = (X[:, 0] + RNG.normal(size=200) > 0).astype(int)


def context(learner, rows=100, X=X, **known):
    return RemedyContext(learner, rows, X.shape[1], 2, X=X, y=Y, **known)


def tried(learner, way, rows=100):
    """All values that a setting is set to, by its name, from the present one on."""
    found = {}
    for axis in axes_of(context(learner, rows), way):
        name = next(iter(axis[0]))
        found[name] = [settings.get(name) for settings in axis]
    return found


TREE = DecisionTreeClassifier


@pytest.mark.parametrize(
    ("learner", "name", "stricter", "freer"),
    [
        (TREE(max_depth=5), "max_depth", [5, 3, 2, 1], [5, 8, 12, 20, None]),
        (TREE(max_depth=6), "max_depth", [6, 5, 3, 2, 1], [6, 8, 12, 20, None]),
        (TREE(), "max_depth", [None, 20, 12, 8, 5, 3, 2, 1], None),
        (TREE(), "max_leaf_nodes", [None, 256, 128, 64, 32, 16, 8, 4, 2], None),
        (TREE(min_samples_leaf=10), "min_samples_leaf", [10, 20], [10, 5, 2, 1]),  # up to 40 of 100 cases
        (TREE(min_samples_leaf=0.1), "min_samples_leaf", [0.1, 0.2], [0.1, 0.05, 0.02, 0.01]),
        (TREE(min_samples_split=10), "min_samples_split", [10, 20], [10, 5, 2]),
        (TREE(), "ccp_alpha", [0.0, 0.0003, 0.001, 0.003, 0.01, 0.03], None),
        (TREE(ccp_alpha=0.003), "ccp_alpha", [0.003, 0.01, 0.03], [0.003, 0.001, 0.0003, 0.0]),
        (KNeighborsClassifier(5), "n_neighbors", [5, 9, 15, 25], [5, 3, 1]),
        (KNeighborsClassifier(1), "n_neighbors", [1, 3, 5, 9, 15, 25], None),
        (
            LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
            "shrinkage",
            [0.1, 0.3, 0.6, 1.0],
            [0.1, 0.03, 0.01, 0.003, 0.001, 0.0],
        ),
    ],
)
def test_values_that_are_tried(learner, name, stricter, freer):
    assert tried(learner, 0).get(name) == stricter
    assert tried(learner, 1).get(name) == freer


@pytest.mark.parametrize(
    ("learner", "name", "ends"),
    [
        (LogisticRegression(C=1.0), "C", (1e-6, 1e6)),
        (GaussianNB(var_smoothing=1e-9), "var_smoothing", (10.0, 1e-12)),
        (HistGradientBoostingClassifier(learning_rate=0.1), "learning_rate", (1e-4, 1.0)),
        (SVC(gamma=0.01), "gamma", (1e-9, 1e6)),
    ],
)
def test_half_decades_on_both_sides(learner, name, ends):
    present = learner.get_params()[name]
    for way, end in enumerate(ends):
        axes = [axis for axis in axes_of(context(learner), way) if name in axis[0]]
        if not axes:  # of an ensemble only the first setting
            continue
        values = [settings[name] for settings in axes[0]]
        assert values[0] == present
        assert values[-1] == pytest.approx(end)
        assert np.abs(np.diff(np.log10(values))) == pytest.approx(0.5)


def test_a_setting_of_0_is_at_an_end_and_others_come_from_the_nearest_on():
    """0 of a penalty is free, of its inverse strict; infinite and negative ones are left alone."""
    for name, ways in (("l2_regularization", (0, 1)), ("C", (1, 0))):
        values = SETTINGS[name](0.0, context(TREE()))
        assert values[ways[0]] == pytest.approx(np.logspace(-6, 6, 25))
        assert values[ways[1]] == []
        for present in (-1.0, float("inf"), True, "auto", None):
            assert SETTINGS[name](present, context(TREE())) == ([], [])


def test_the_width_of_a_kernel_is_looked_for_around_scale():
    wide = tried(SVC(gamma="scale"), 1)["gamma"]
    scale = 1 / (4 * X.var())
    assert wide[0] == "scale"
    assert (wide[1], wide[-1]) == pytest.approx((scale * sqrt(10), scale * 1e6))
    narrow = tried(SVC(gamma="scale"), 0)["gamma"]
    assert (narrow[1], narrow[-1]) == pytest.approx((scale / sqrt(10), scale * 1e-6))
    assert "gamma" not in tried(SVC(kernel="linear"), 0)


def test_of_an_ensemble_one_setting_and_every_second_value():
    (axis,) = axes_of(context(RandomForestClassifier(max_depth=12)), 0)
    alone = tried(TREE(min_samples_leaf=1), 0)["min_samples_leaf"]
    assert [settings["min_samples_leaf"] for settings in axis] == [alone[0], *alone[1::2]]


@pytest.mark.parametrize(
    ("name", "learner", "reason"),
    [
        ("regularisation", LinearSVC(C=1e-6), "none of its settings is known to restrain it"),
        ("flexibility", LinearSVC(C=1e6), "none of its settings is known to free it"),
        ("regularisation", LinearSVC(C=1e6), None),
        ("bagging", RandomForestClassifier(), "it already consists of many members"),
        ("boosting", BaggingClassifier(), "it already consists of many members"),
        ("forest", LogisticRegression(), "it is not a tree"),
        ("interactions", TREE(), "it is not linear in its features"),
        ("interactions", SVC(), "it is not linear in its features"),
        ("interactions", SVC(kernel="linear"), None),
        ("interactions", LinearDiscriminantAnalysis(), None),
        ("gradient_boosting", GradientBoostingClassifier(), "it is already gradient boosting"),
        ("gradient_boosting", HistGradientBoostingClassifier(), "it is already gradient boosting"),
        ("class_weights", GaussianNB(), "it does not accept class weights"),
        ("class_weights", TREE(class_weight="balanced"), "it already has class weights"),
        ("scaling", TREE(), "it splits on one column at a time, so scale has no effect"),
        ("scaling", AdaBoostClassifier(TREE()), "it splits on one column at a time, so scale has no effect"),
        ("scaling", make_pipeline(StandardScaler(), SVC()), "its columns are already scaled"),
        ("scaling", SVC(), "its columns have similar standard deviations"),
        ("selection", TREE(), "it selects features itself"),
        ("selection", SVC(), "it has fewer than 6 features"),
        ("missing_values", SVC(), "no column has a number that looks like a code of a missing value"),
        ("encoding", SVC(), "no column of whole numbers looks like codes of categories"),
        ("bagging", SVC(), None),
    ],
)
def test_a_remedy_applies_or_says_why_not(name, learner, reason):
    found = REMEDIES[name].make(context(learner))
    assert (found if isinstance(found, str) else None) == reason


def test_limits_of_remedies():
    """30 features, 5,000 cases, 6 features, 1,000 cases, clusters."""
    wide = RNG.normal(size=(60, 31))
    for columns, applies in ((30, True), (31, False)):
        found = REMEDIES["interactions"].make(context(LogisticRegression(), X=wide[:, :columns]))
        assert (not isinstance(found, str)) == applies
    for rows, applies in ((5000, True), (5001, False)):
        assert (not isinstance(REMEDIES["kernel_machine"].make(context(TREE(), rows)), str)) == applies
    for columns, applies in ((6, True), (5, False)):
        assert (
            not isinstance(REMEDIES["selection"].make(context(SVC(), X=wide[:, :columns])), str)
        ) == applies
    for rows, method in ((999, "sigmoid"), (1000, "isotonic")):
        assert REMEDIES["calibration"].make(context(TREE(), rows)).method == method
    assert REMEDIES["calibration"].make(context(TREE(), cluster=Y)) == "its inner folds would split clusters"
    for rows, leaf in ((20, 1), (100, 5), (400, 20), (1000, 20)):
        assert REMEDIES["gradient_boosting"].make(context(TREE(), rows)).min_samples_leaf == leaf
        assert REMEDIES["random_forest"].make(context(TREE(), rows)).leaves == (1, max(5, rows // 40))
    neighbours = dict(REMEDIES["stacking"].make(context(TREE(), 100)).estimators)["neighbours"]
    assert neighbours.steps[-1][1].n_neighbors == 10
    neighbours = dict(REMEDIES["stacking"].make(context(TREE(), 1000)).estimators)["neighbours"]
    assert neighbours.steps[-1][1].n_neighbors == 15


@pytest.mark.parametrize(("ratio", "applies"), [(3.01, True), (2.99, False)])
def test_columns_on_other_scales_are_named(ratio, applies):
    column = np.tile([0.0, 1.0], 50)
    found = REMEDIES["scaling"].make(
        context(SVC(), X=np.column_stack([column, column * ratio, column, column * 1.5]))
    )
    assert isinstance(found, str) != applies
    if applies:
        assert found.sentence == (
            "The standard deviation of column 1 is 3.01 times that of column 0. SVC weights columns by their scale."
        )
        frame = pd.DataFrame({"a": column, "b": column * 10})
        named = REMEDIES["scaling"].make(context(SVC(), X=frame)).sentence
        assert named.startswith("The standard deviation of column 'b' is 10 times that of column 'a'.")


def test_codes_of_missing_values_are_told_with_their_share():
    column = np.linspace(20, 60, 100)
    coded = np.where(np.arange(100) < 7, -999.0, column)
    found = REMEDIES["missing_values"].make(context(SVC(), X=np.column_stack([column, coded])))
    assert found.sentence == (
        "Column 1 has -999 in 7% of the cases. These values are far from all others, like codes of missing values."
    )
    both = REMEDIES["missing_values"].make(context(SVC(), X=np.column_stack([coded, column, coded])))
    assert both.sentence.endswith(" 1 other columns have such values too.")


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([*range(10, 40), -9, -9, -9], (-9.0,)),
        ([*range(10, 40), -9, -9], ()),  # twice is by chance
        ([*range(10, 40), -8.5, -8.5, -8.5], ()),
        ([1, 2, 3, 4, 5, *[-99] * 5], ()),  # of few values, it is one of them
        ([1, 2, 3, 4, 5, 6, *[-99] * 5], (-99.0,)),
        ([*range(10, 40), -9, -9, -9, 999, 999, 999], (-9.0, 999.0)),
        ([*range(10, 40), *[-7.5] * 0], ()),
    ],
)
def test_codes_are_repeated_and_far_off(values, codes):
    assert {*codes_in(np.array(values, float))} == {*codes}


@pytest.mark.parametrize(
    ("k", "n", "expected"),
    [(3, 300, False), (4, 300, True), (30, 600, True), (31, 620, False), (4, 19, False)],
)
def test_categories_are_whole_numbers_of_several_values(k, n, expected):
    column = np.arange(n) % k
    target = (column % 2).astype(int)
    assert are_categories(column.astype(float), target, 1) == expected
    assert not are_categories(column + 0.5, target, 1)
    assert not are_categories(np.where(np.arange(n) == 0, np.nan, column), target, 1)


def test_a_search_tries_every_fourth_value_and_then_those_beside_the_best():
    axis = [{"a": k} for k in range(17)]
    for best in (0, 1, 3, 6, 9, 15, 16):
        seen = []

        def evaluate(candidates, best=best, seen=seen):
            seen.extend(candidate["a"] for candidate in candidates)
            return {"mean_test_score": [-abs(candidate["a"] - best) for candidate in candidates]}

        assert _along(axis, {"b": 1}, evaluate) == {"a": best}
        assert seen[:5] == [0, 4, 8, 12, 16]
        assert len(seen) == len({*seen}) <= 9
    few = []
    _along(
        axis[:8],
        {},
        lambda candidates: few.extend(candidates) or {"mean_test_score": [0.0] * len(candidates)},
    )
    assert [candidate["a"] for candidate in few] == [*range(8)]
    failed = _along(axis[:3], {}, lambda c: {"mean_test_score": [np.nan, 1.0, np.nan][: len(c)]})
    assert failed == {"a": 1}


def test_steps_get_names_that_are_free():
    piped = context(Pipeline([("scaler", StandardScaler()), ("svc", SVC())]))
    assert piped.is_pipeline
    assert isinstance(piped.model, SVC)
    names = [name for name, _ in piped.with_steps(StandardScaler(), StandardScaler(), SVC()).steps]
    assert names == ["scaler", "standardscaler", "standardscaler-2", "svc"]
    assert [name for name, _ in piped.with_first(StandardScaler()).steps] == [
        "standardscaler",
        "scaler",
        "svc",
    ]
    assert isinstance(context(TREE()).with_model(SVC()), SVC)


def test_remedies_by_name_and_by_cause():
    assert [r.name for r in remedies_named(["forest", "bagging", "forest"])] == ["forest", "bagging"]
    with pytest.raises(InputError, match=r"Unknown remedy 'forrest'. Remedies: regularisation, flexibility"):
        remedies_named(["forrest"])
    found = remedies_against(["variance"])
    assert {r.against for r in found} == {"variance"}
    assert [r.cost for r in found] == sorted(r.cost for r in found)
    assert (REMEDIES["bagging"].measure_of(2), REMEDIES["calibration"].measure_of(2)) == (
        "error_rate",
        "brier_score",
    )
    assert REMEDIES["calibration"].measure_of(3) == "multiclass_brier_score"
    assert REMEDIES["class_weights"].measure_of(3) == "balanced_accuracy"


# -- parts of a loss ---------------------------------------------------------------------------------------------------


def table(rounds=12, rows=9, classes=3, seed=0, blocks=4):
    rng = np.random.default_rng(seed)
    truth = np.eye(classes)[rng.integers(classes, size=rows)]
    found = RoundTable.empty(truth, blocks, with_probabilities=True)
    given = []
    for number in range(rounds):
        p = rng.dirichlet(np.ones(classes), rows)
        found.add(number, p.argmax(1), p)
        given.append(p)
    return found, np.array(given)


@pytest.mark.parametrize("seed", range(3))
def test_the_variance_of_a_mean_is_that_of_rows_and_of_blocks_less_that_of_both(seed):
    rng = np.random.default_rng(seed)
    values, without = rng.normal(size=8), rng.normal(size=(5, 8))
    without += rng.normal(size=(5, 1))
    rows = values.var(ddof=1) / 8
    means = without.mean(1)
    rounds = 4 / 5 * ((means - means.mean()) ** 2).sum()
    both = 4 / 5 * ((without - without.mean(0)) ** 2).sum() / 64

    def degrees(x):
        kurtosis = ((x - x.mean()) ** 4).mean() / x.var() ** 2
        return min(x.size - 1, max(2 * x.size / (kurtosis - 1), 1))

    found = spread(values, without)
    assert found.variance == pytest.approx(max(rows + rounds - both, rows, rounds))
    assert found.df == pytest.approx(
        (rows + rounds) ** 2 / (rows**2 / degrees(values) + rounds**2 / degrees(means))
    )
    assert _degrees(values) == pytest.approx(degrees(values))
    assert _degrees(np.ones(5)) == 4
    assert _degrees(np.r_[np.zeros(50), 1.0]) == pytest.approx(degrees(np.r_[np.zeros(50), 1.0]))


def test_intervals_of_parts_are_those_of_their_scales():
    """Score interval of as many cases as have the variance; Student's on the logarithm, or plain of 0 and below."""
    t = stats.t.ppf(0.95, 7.0)
    known = spread(np.array([0.0, 1.0, 0.0, 1.0, 1.0]), np.random.default_rng(0).random((4, 5)))
    term = replace(known, variance=0.01, df=7.0)
    assert _shares(0.3, term, 50, 0.9) == pytest.approx(score_interval(0.3 * 21, 21, t))
    assert _shares(0.0, term, 50, 0.9) == pytest.approx(score_interval(0, 50, t))
    assert _shares(1.0, term, 50, 0.9) == pytest.approx(score_interval(50, 50, t))
    assert _shares(0.3, replace(term, variance=0.0), 50, 0.9) == pytest.approx(score_interval(15, 50, t))
    assert _positive(2.0, term, 50, 0.9) == pytest.approx((2 * exp(-0.1 * t / 2), 2 * exp(0.1 * t / 2)))
    assert _positive(0.1, term, 50, 0.9) == pytest.approx((0.1 * exp(-t), 0.1 + (e - 1) * 0.1 * t))
    assert _positive(0.0, term, 50, 0.9) == pytest.approx((-0.1 * t, 0.1 * t))
    assert _positive(-1.0, term, 50, 0.9) == pytest.approx((-1 - 0.1 * t, -1 + 0.1 * t))


def test_why_a_part_has_no_interval():
    found, _ = table()
    assert LossTerms(found, DOMINGOS, 0.95, noise_known=True).estimate("loss").has_interval
    assert LossTerms(found, DOMINGOS, 0.95, noise_known=False).estimate("noise").is_undefined
    assert LossTerms(found, DOMINGOS, 0.95, noise_known=False).estimate("net_noise").is_undefined
    two, _ = table(rounds=2)
    reason = LossTerms(two, SQUARED, 0.95, noise_known=True).estimate("loss").reason
    assert reason == "variation between rounds needs at least three rounds"
    assert LossTerms(table(rounds=3)[0], SQUARED, 0.95, noise_known=True).estimate("loss").has_interval
    one, _ = table(rows=1)
    assert (
        LossTerms(one, SQUARED, 0.95, noise_known=True).estimate("loss").reason
        == "one test row shows no variation"
    )
    units = MeanUnits(cluster=np.zeros(9, int))
    clustered = LossTerms(found, SQUARED, 0.95, noise_known=True, units=units).estimate("loss")
    assert clustered.reason == "one test cluster shows no variation"


@pytest.mark.parametrize("scheme", [KOHAVI_WOLPERT, SQUARED])
def test_parts_of_the_rounds_that_were_seen(scheme):
    """Squared errors of the mean of the rounds, and of the rounds around it; unbiased with one round fewer."""
    found, given = table()
    truth, rounds = found.truth, len(given)
    shown = given if scheme is SQUARED else (given == given.max(-1, keepdims=True)).astype(float)
    mean = shown.mean(0)
    half = 1 if scheme is SQUARED else 2
    variance = shown.var(0, ddof=1).sum(-1) / half
    bias = ((mean - truth) ** 2).sum(-1) / half - variance / rounds
    terms = LossTerms(found, scheme, 0.95, noise_known=True).rows
    assert terms["variance"] == pytest.approx(variance)
    assert terms["bias"] == pytest.approx(bias)
    assert terms["loss"] == pytest.approx(((shown - truth) ** 2).sum(-1).mean(0) / half)


def decomposed(**how):
    return ca.decompose(TREE(max_depth=2), X, Y, rounds=12, **how)


@pytest.fixture(scope="module")
def parts():
    return decomposed()


def test_rows_are_listed_by_what_they_have_more_of(parts):
    rows = parts.by_row().to_pylist()
    plain = {row["row"]: row for row in rows}
    biased = sorted((r for r in rows if r["bias"] > r["variance"] + 1e-12), key=lambda r: -r["loss"])
    unstable = sorted((r for r in rows if r["variance"] > r["bias"] + 1e-12), key=lambda r: -r["variance"])
    assert {*parts.biased_rows.tolist()} == {r["row"] for r in biased}
    assert {*parts.unstable_rows.tolist()} == {r["row"] for r in unstable}
    assert [plain[k]["loss"] for k in parts.biased_rows] == [r["loss"] for r in biased]
    assert [plain[k]["variance"] for k in parts.unstable_rows] == [r["variance"] for r in unstable]
    pooled = parts.table.pooled
    assert [row["share"] for row in rows] == (pooled.votes.max(-1) / 12).tolist()
    assert [row["truth"] for row in rows] == [str(Y[k]) for k in parts.rows]
    assert "noise" not in rows[0]
    means = {name: np.mean([row[name] for row in rows]) for name in ("loss", "bias", "variance")}
    assert {name: parts.plain_terms()[name] for name in means} == pytest.approx(means)
    assert parts.plain_terms("kohavi-wolpert")["loss"] == pytest.approx(means["loss"])


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda d: d["biass"], "0–1 loss has no part 'biass'. Parts: loss, noise, net_noise, bias, variance"),
        (
            lambda d: d.terms_of("domingo"),
            "0–1 loss has no decomposition 'domingo'. Decompositions: domingos, kohavi",
        ),
        (lambda d: d.of("squares"), "loss must be one of '0-1', 'squared', 'log-loss', but is 'squares'"),
        (
            lambda d: replace(d, table=replace(d.table, sums=None)).of("squared"),
            "squared loss needs predicted prob",
        ),
        (
            lambda d: sampling_named("bootstraps"),
            "sampling must be one of 'bootstrap', 'subsample', 'disjoint', or a",
        ),
        (lambda d: sampling_named(3), "or a Population that draws new rows, but is 3"),
    ],
)
def test_what_a_decomposition_does_not_have(parts, ask, words):
    with pytest.raises(InputError, match=words):
        ask(parts)


def test_tables_that_do_not_add():
    one, _ = table()
    with pytest.raises(MergeError, match="different test rows"):
        one + table(seed=1)[0]
    with pytest.raises(MergeError, match="different blocks of rounds, or only one has probabilities"):
        one + table(blocks=5)[0]
    with pytest.raises(MergeError, match="different blocks of rounds, or only one has probabilities"):
        one + replace(one, sums=None, squares=None, logs=None)
    both = one + one
    for name in ("votes", "sums", "squares", "logs"):
        assert (getattr(both, name) == 2 * getattr(one, name)).all()
    assert both.n.tolist() == (2 * one.n).tolist()
    assert one.first_blocks(4) is one
    assert one.first_blocks(3).blocks == 3
    assert (one.without.votes[1] == one.votes[[0, 2, 3]].sum(0)).all()


def test_the_document_says_what_the_decomposition_has(parts):
    facts = dict(document_of_decomposition(parts).facts)
    assert facts["loss"] == "0–1 loss"
    assert facts["test rows"] == f"{len(parts.rows)}"
    assert facts["training sets"] == f"12 bootstrap samples of {parts.size} rows from {parts.drawn_from}"
    assert facts["noise"] == "not known, included in the bias"
    weighted = decomposed(weight=np.linspace(1, 2, 200), cluster=np.arange(200) // 4, level=0.9)
    facts = dict(document_of_decomposition(weighted).facts)
    assert facts["test rows"] == f"{len(weighted.rows)} in {weighted.units.clusters} clusters, weighted"
    assert facts["training sets"].endswith(f"of {weighted.size} clusters from {weighted.drawn_from}")
    assert facts["confidence level"] == "90%"
    text = " ".join(str(parts).split()).replace("┃ ", "")
    leaning = parts.leaning
    if leaning.low > 0:
        expected = "Net variance exceeds bias and noise together by"
    elif leaning.high < 0:
        expected = "Bias and noise together exceed net variance by"
    else:
        expected = "It could not be determined whether bias or variance is larger."
    assert expected in text
    assert leaning.value == pytest.approx(parts["net_variance"].value - parts["bias"].value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.array([[0.5, 0.5], [0.2, 0.8]]), None),
        (np.array([[0.5, 0.5]]), "returns probabilities of shape"),
        (np.array([[0.5, 0.5, 0.0]] * 2), "returns probabilities of shape"),
        (np.array([[0.5, 0.6], [0.2, 0.8]]), "returns rows that are not probabilities"),
        (np.array([[-0.1, 1.1], [0.2, 0.8]]), "returns rows that are not probabilities"),
        (np.array([[np.nan, 1.0], [0.2, 0.8]]), "returns rows that are not probabilities"),
        ("x", "must return probabilities, but returns a str"),
    ],
)
def test_distributions_of_classes(value, reason):
    if reason is None:
        assert (distributions(value, 2, 2, "posterior") == value).all()
        return
    with pytest.raises(InputError, match=reason):
        distributions(value, 2, 2, "posterior")


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (lambda n, rng: rng.random((n, 1)), "must return a pair"),
        (
            lambda n, rng: (rng.random((n, 1)), np.zeros(n + 1, int)),
            "Return X with one row and y with one label",
        ),
        (lambda n, rng: (rng.random(n), np.zeros(n, int)), "Return X with one row and y with one label"),
        (
            lambda n, rng: (rng.random((n + 1, 1)), np.zeros(n, int)),
            "Return X with one row and y with one label",
        ),
        (lambda n, rng: (rng.random((n, 1)), np.full(n, 7)), "returns the unknown class 7"),
        (lambda n, rng: 1 / 0, "sample of the population fails"),
    ],
)
def test_populations_that_are_none(sample, words):
    population = ca.Population(sample, lambda x: np.c_[1 - x, x], classes=(0, 1))
    with pytest.raises(InputError, match=words):
        population.rows(5, 0, "test")
    with pytest.raises(InputError, match="classes of a population must be two or more labels"):
        ca.Population(sample, lambda x: x, classes=(0,))


# -- curves and paths --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requested", "most", "expected"),
    [
        (None, 160, (20, 28, 40, 57, 80, 113, 160)),
        (None, 40, (10, 14, 20, 28, 40)),
        (None, 9, (9,)),
        (None, 10, (10,)),
        ([50, 2, 50.0], 50, (2, 50)),
    ],
)
def test_sizes_of_a_curve(requested, most, expected):
    assert _sizes(requested, most) == expected


@pytest.mark.parametrize(
    ("requested", "words"),
    [
        ([], "sizes is empty"),
        ([1], "sizes contains 1. Pass whole"),
        ([51, 99], "sizes contains 51"),
        ([2.5], "contains 2.5"),
    ],
)
def test_sizes_that_a_curve_cannot_have(requested, words):
    with pytest.raises(InputError, match=words):
        _sizes(requested, 50)


def test_a_gain_turned_into_a_loss_and_back():
    one = Estimate(0.7, 0.6, 0.9, 0.95, "t")
    turned = _turned(one, get("accuracy"))
    assert (turned.value, turned.low, turned.high) == pytest.approx((0.3, 0.1, 0.4))
    assert _turned(one, get("error_rate")) is one
    minus = _negated(one)
    assert (minus.value, minus.low, minus.high, minus.level, minus.method) == (-0.7, -0.9, -0.6, 0.95, "t")


def test_parameters_by_their_names():
    known = ["scale__with_mean", "svc__C", "svc__gamma", "lr__C", "verbose"]
    assert _full_name("verbose", known) == "verbose"
    assert _full_name("gamma", known) == "svc__gamma"
    with pytest.raises(InputError, match=r"Several parts have a parameter 'C'. Use one of lr__C, svc__C."):
        _full_name("C", known)
    with pytest.raises(
        InputError, match=r"no parameter 'gama'. Parameters: lr__C, scale__with_mean.*Did you mean"
    ):
        _full_name("gama", known)


def points(sizes, law, se=0.001):
    sizes = np.array(sizes, float)
    return Points(sizes, law(sizes), np.eye(sizes.size) * se**2, 20.0)


def test_an_extrapolation_needs_four_sizes_up_to_half_and_a_law_that_holds():
    seen = Estimate(0.1, 0.09, 0.11, 0.95, "t")

    def falling(n):
        return 0.05 + 2 / n

    sizes = [10, 20, 40, 80, 160]
    found = extrapolate(points(sizes, falling), seen, 0.9, 0)
    assert (found.size, found.holds, found.seen) == (320, True, seen)
    assert found.estimate.value == pytest.approx(falling(320), abs=1e-3)
    assert found.change.value == pytest.approx(falling(320) - falling(160), abs=1e-3)
    assert found.expected.value == pytest.approx(falling(160), abs=2e-3)
    assert found.miss.value == pytest.approx(0, abs=2e-3)
    assert [point[0] for point in found.path] == pytest.approx(np.linspace(160, 320, 9))
    assert all(low <= high for _, _, low, high in found.path)
    assert "at least 4 sizes up to half of the largest, but there are 3" in extrapolate(
        points([20, 40, 80, 160], falling), seen, 0.9, 0
    )
    assert "shows no variation" in extrapolate(points(sizes, falling, 0.0), seen, 0.9, 0)
    broken = extrapolate(points(sizes, lambda n: np.where(n > 100, 0.5, falling(n))), seen, 0.9, 0)
    assert (broken.holds, broken.path, broken.estimate.is_undefined, broken.change.is_undefined) == (
        False,
        (),
        True,
        True,
    )
    assert broken.miss.low > 0
    wider = extrapolate(points(sizes, falling), seen, 0.99, 0)
    assert wider.estimate.high - wider.estimate.low > found.estimate.high - found.estimate.low


@pytest.mark.parametrize(
    ("over", "values", "found"),
    [
        (None, None, []),
        ("C", "1,2.5,none,TRUE,false,word", [1, 2.5, None, True, False, "word"]),
        ("C", "-1", [-1]),
    ],
)
def test_values_of_the_command(over, values, found):
    assert values_in(over, values) == found


def test_options_of_the_command_that_need_each_other(tmp_path):
    with pytest.raises(InputError, match="--over needs --values too"):
        values_in("C", None)
    with pytest.raises(InputError, match="--values needs --over too"):
        values_in(None, "1")
    assert (whole_or_share(5.0), type(whole_or_share(5.0)), whole_or_share(0.5)) == (5, int, 0.5)
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "".join(f"{k},{k % 2}\n" for k in range(40)))
    assert "--size and --over size cannot be combined" in refusal(
        "decompose", str(path), "--target", "y", "--over", "size", "--values", "5,9", "--size", "9"
    )


# -- new cases ---------------------------------------------------------------------------------------------------------


def test_two_columns_of_numbers_are_compared_as_scipy_does():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=50), rng.normal(0.4, 1, 30)
    assert _same_numbers(a, b, (1.0, 1.0)) == pytest.approx(stats.ks_2samp(a, b).pvalue)
    d = stats.ks_2samp(a, b).statistic
    m, n = 0.5 * 50, 0.2 * 30
    assert _same_numbers(a, b, (0.5, 0.2)) == pytest.approx(stats.kstwobign.sf(d * sqrt(m * n / (m + n))))
    assert _same_numbers(a[:0], b, (1.0, 1.0)) == 1.0


def test_two_columns_of_codes_are_compared_as_scipy_does():
    a, b = np.repeat([0, 1, 2], [20, 15, 25]), np.repeat([0, 1, 2], [6, 14, 10])
    table_ = [[20, 15, 25], [6, 14, 10]]
    assert _same_codes(a, b, (1.0, 1.0)) == pytest.approx(stats.chi2_contingency(table_).pvalue)
    few = np.repeat([0, 1, 2], [2, 14, 10])
    rare = [[20, 15, 25], [2, 14, 10]]
    assert stats.contingency.expected_freq(rare).min() >= 5
    assert _same_codes(a, few, (1.0, 1.0)) == pytest.approx(stats.chi2_contingency(rare).pvalue)
    a, b = np.repeat([0, 1, 2], [1, 15, 25]), np.repeat([0, 1, 2], [4, 6, 10])

    def one_sided(k):
        two = [[(b == k).sum(), (b != k).sum()], [(a == k).sum(), (a != k).sum()]]
        return min(stats.fisher_exact(two, alternative=side).pvalue for side in ("less", "greater"))

    expected = min(1.0, 3 * 2 * min(map(one_sided, range(3))))
    assert _same_codes(a, b, (1.0, 1.0)) == pytest.approx(expected)
    two = np.repeat([0, 1], [9, 1]), np.repeat([0, 1], [3, 7])
    smaller = stats.fisher_exact([[7, 3], [1, 9]], alternative="greater").pvalue
    assert _same_codes(*two, (1.0, 1.0)) == pytest.approx(2 * smaller)
    assert _same_codes(two[0][:3], two[0][:2], (1.0, 1.0)) == 1.0
    assert _same_codes(two[0], two[0][:0], (1.0, 1.0)) == 1.0


def test_cases_of_clusters_stand_for_fewer():
    assert _alike(None, 9) == 1.0
    assert _alike(np.array([0, 0, 0, 1]), 4) == pytest.approx(16 / 10 / 4)
    assert _alike(np.arange(4), 4) == 1.0


def test_columns_that_moved_are_named_and_gaps_are_compared_too():
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(80, 3)), rng.normal(size=(80, 3))
    assert moved_columns(old, new) == ()
    far = new.copy()
    far[:, 1] += 5
    assert moved_columns(old, far) == ("column 1",)
    gaps = new.copy()
    gaps[::2, 2] = np.nan
    assert moved_columns(old, gaps) == ("column 2",)
    assert moved_columns(old, far[:, :2]) == ()  # no same columns
    assert moved_columns(
        pd.DataFrame(old, columns=["a", "b", "c"]), pd.DataFrame(far, columns=["a", "b", "c"])
    ) == ("b",)
    words = np.array([["u"], ["v"]] * 40), np.array([["v"]] * 80)
    assert moved_columns(*words) == ("column 0",)
    bits = np.c_[np.arange(80) % 2], np.c_[np.ones(80)]
    assert moved_columns(*bits) == ("column 0",)
    assert moved_columns(bits[0], bits[0][:40]) == ()
