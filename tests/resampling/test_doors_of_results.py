"""Fold scores and results over data sets: facts, defaults and methods are those of the functions behind; refusals."""

from functools import partial

import numpy as np
import pytest

import classay as ca
from classay.comparison.comparison import adjusted
from classay.errors import InputError
from classay.resampling import compare_datasets as over_data_sets
from classay.resampling import fold_tests, rank_tests
from classay.resampling.compare_datasets import sampled
from classay.resampling.fold_results import FoldResults
from classay.resampling.fold_tests import fold_differences
from classay.resampling.rank_tests import wide_results

RNG = np.random.default_rng(4)
SCORES = {name: 0.7 + at + RNG.normal(0, 0.03, 10) for name, at in zip("abc", (0, 0.02, 0.05), strict=True)}
FIVE = {name: row.reshape(5, 2) for name, row in SCORES.items()}
SETS = {
    name: (0.7 + at + RNG.normal(0, 0.03, 9)).round(2)
    for name, at in zip("abc", (0, 0.02, 0.05), strict=True)
}


def plain(one):
    """A comparison as plain values, with those of its posterior."""
    effect, odds = one.effect, one.odds
    of_odds = None if odds is None else (odds.first, odds.equal, odds.second, odds.rope)
    limits = None if effect is None else (effect.value, effect.low, effect.high, effect.reason, effect.level)
    parts = (
        one.models,
        one.measure,
        limits,
        one.p,
        one.method,
        one.statistic,
        one.n,
        one.p_adjusted,
        of_odds,
    )
    return repr(parts)


PLAIN = {
    "corrected-t": (fold_tests.corrected_t, {}),
    "nadeau-bengio-t": (fold_tests.nadeau_bengio_t, {}),
    "paired-t": (fold_tests.paired_t, {}),
    "sign-flip": (partial(fold_tests.sign_flip, seed=3), {"seed": 3}),
    "wilcoxon": (fold_tests.wilcoxon_of_folds, {}),
    "5x2cv-t": (fold_tests.five_by_two_t, {}),
    "5x2cv-f": (fold_tests.five_by_two_f, {}),
    "bayesian": (partial(fold_tests.practical, rope=0.02), {"rope": 0.02}),
    "corani-benavoli": (partial(fold_tests.as_published, rope=0.02), {"rope": 0.02}),
}


@pytest.mark.parametrize("method", PLAIN)
@pytest.mark.parametrize("control", [None, "b"])
def test_fold_scores_are_compared_by_the_tests_of_their_names(method, control):
    test, how = PLAIN[method]
    found = ca.compare_learners(
        FIVE, ["accuracy"], test_over_train=0.9, method=method, control=control, level=0.9, **how
    )
    pairs = [("a", "b"), ("c", "b")] if control else [("a", "b"), ("a", "c"), ("b", "c")]
    wanted = [
        test(
            fold_differences(
                *(FIVE[name] for name in pair), test_over_train=0.9, models=pair, measure="accuracy"
            ),
            level=0.9,
        )
        for pair in pairs
    ]
    assert [plain(one) for one in found] == [plain(one) for one in adjusted(wanted, "holm")]
    for one in found:
        assert one.values == pytest.approx([FIVE[name].mean() for name in one.models])
    facts = {"models": "a, b, c", "folds": "10", "test cases over training cases": "0.9"}
    assert dict(found.facts) == facts | ({"control": "b, prespecified"} if control else {})
    assert (found.level, found.models) == (0.9, ("a", "b", "c"))


@pytest.mark.parametrize("rule", ["equivalent", "non-inferior", "superior", "not-worse"])
def test_rules_of_fold_scores_are_not_adjusted(rule):
    how = {} if rule in ("superior", "not-worse") else {"margin": 0.05}
    found = ca.compare_learners(SCORES, ["accuracy"], test_over_train=1 / 9, rule=rule, **how)
    assert found.level == pytest.approx(0.9 if rule == "equivalent" else 0.95)
    for one in found:
        assert (one.rule, one.p_adjusted) == (rule, None)
        folds = fold_differences(
            *(SCORES[name] for name in one.models),
            test_over_train=1 / 9,
            models=one.models,
            measure="accuracy",
        )
        if rule == "equivalent":
            assert one.p == fold_tests.equivalence(folds, 0.05).p
        if rule == "non-inferior":
            assert one.p == fold_tests.non_inferiority(folds, 0.05).p


def test_defaults_of_fold_scores():
    bare = ca.compare_learners(SCORES, test_over_train=1 / 9)
    said = ca.compare_learners(
        SCORES,
        ["value"],
        test_over_train=1 / 9,
        method="corrected-t",
        alternative="two-sided",
        adjustment="holm",
        level=0.95,
        seed=0,
    )
    assert [plain(one) for one in bare] == [plain(one) for one in said]
    assert (bare.facts, bare.level, bare.seed) == (said.facts, 0.95, 0)
    other = ca.compare_learners(SCORES, test_over_train=1 / 9, adjustment="bonferroni")
    assert [one.p_adjusted for one in other] == [min(1.0, 3 * one.p) for one in bare]
    for alternative, side in (("greater", 0), ("less", 1)):
        for one, two in zip(
            ca.compare_learners(SCORES, test_over_train=1 / 9, alternative=alternative), bare, strict=True
        ):
            half = two.p / 2
            assert one.p == pytest.approx(half if (two.effect.value < 0) == bool(side) else 1 - half)


ASKED = {
    "one learner": (
        lambda n: ca.compare_learners({name: SCORES[name] for name in "ab"[:n]}, test_over_train=0.1),
        (2, 1),
        "A comparison needs two learners. Pass an evaluation, or a dict of the fold scores of two or more learners by "
        "name.",
    ),
    "no ratio": (
        lambda ratio: ca.compare_learners(SCORES, test_over_train=ratio),
        (0.1, None),
        "Fold scores need test_over_train=, the test cases of a fold divided by its training cases: 1 / (K - 1) for K "
        "folds.",
    ),
    "two measures": (
        lambda names: ca.compare_learners(SCORES, names, test_over_train=0.1),
        (["accuracy"], ["accuracy", "recall"]),
        "Fold scores have one measure, but measures= has 2. Pass one measure.",
    ),
    "a rule by another test": (
        lambda method: ca.compare_learners(SCORES, test_over_train=0.1, rule="superior", method=method),
        ("corrected-t", "paired-t"),
        "Rules use the corrected resampled t, but method is 'paired-t'. Remove the rule or the method.",
    ),
    "words": (
        lambda x: ca.compare_learners({"a": [1, x], "b": [2, 5]}, test_over_train=0.1),
        (2, "good"),
        "The fold scores of a are not numbers. Pass one number for each fold, as cross_val_score gives.",
    ),
    "a control of Nemenyi's test": (
        lambda control: ca.compare_datasets(SETS, method="nemenyi", control=control),
        (None, "a"),
        "Nemenyi's test compares all pairs. Remove control=, or use method 'wilcoxon' or 'mean-ranks'.",
    ),
    "mean ranks without a control": (
        lambda control: ca.compare_datasets(SETS, method="mean-ranks", control=control),
        ("a", None),
        "Method 'mean-ranks' compares with a control. Name it with control=, or use 'nemenyi' for all pairs.",
    ),
    "mean ranks of what lacks": (
        lambda x: ca.compare_datasets({"a": [1, x, 3], "b": [1, 2, 2]}, missing="drop", method="nemenyi"),
        (2, float("nan")),
        "Method 'nemenyi' ranks all models on each data set, but 1 values are missing. Use 'wilcoxon', 'sign' or "
        "'bayesian', which compare two models at a time.",
    ),
    "a ratio without folds": (
        lambda ratio: ca.compare_datasets(SETS, test_over_train=ratio),
        (None, 0.1),
        "test_over_train= needs the column of folds. Pass fold= too, or remove it.",
    ),
    "runs of a wide frame": (
        lambda run: ca.compare_datasets(SETS, run=run),
        (None, "r"),
        "run='r' needs a long frame. Name the columns model= and value= too, or average the runs first.",
    ),
    "half a long frame": (
        lambda value: ca.compare_datasets(
            {"d": [1, 1, 2, 2], "m": [*"abab"], "v": [1, 2, 3, 4]}, dataset="d", model="m", value=value, better="higher"
        ),
        ("v", None),
        "A long frame of results needs both model= and value=. A wide frame, with one column for each model, needs "
        "neither.",
    ),
    "a long frame without data sets": (
        lambda dataset: ca.compare_datasets(
            {"d": [1, 1, 2, 2], "m": [*"abab"], "v": [1, 2, 3, 4]},
            dataset=dataset,
            model="m",
            value="v",
            better="lower",
        ),
        ("d", None),
        "A long frame of results needs the column of data sets. Pass dataset=.",
    ),
    "another direction": (
        lambda better: ca.compare_datasets(SETS, better=better),
        ("lower", "more"),
        "better must be 'higher' or 'lower', but is 'more'.",
    ),
    "folds for the hierarchical test": (
        lambda method: ca.compare_datasets(SETS, method=method, rope=0.01),
        ("bayesian", "hierarchical"),
        "Method 'hierarchical' needs the folds of each data set. Pass fold= or an evaluation of several data sets, or "
        "use 'bayesian' with one value for each data set.",
    ),
    "two data sets of the hierarchical test": (
        lambda n: over_data_sets.hierarchical([DIFFERENCES] * n, rope=0.01),
        (3, 2),
        "The hierarchical test needs at least 3 data sets, but there are 2.",
    ),
    "two folds of the hierarchical test": (
        lambda n: over_data_sets.hierarchical(
            [DIFFERENCES, DIFFERENCES, fold_differences([1, 2, 3][:n], [1, 1, 1][:n], test_over_train=1)], rope=0.01
        ),
        (3, 2),
        "The hierarchical test needs at least three folds of each data set, but one data set has 2.",
    ),
    "a rope below 0": (
        lambda rope: over_data_sets.hierarchical([DIFFERENCES] * 3, rope=rope),
        (0, -0.1),
        "rope must be the largest difference that is equivalent in practice, such as 0.01, but is -0.1.",
    ),
}  # fmt: skip
DIFFERENCES = fold_differences([0.1, 0.3, 0.2], [0.0, 0.1, 0.3], test_over_train=0.5)


@pytest.mark.parametrize("name", ASKED)
def test_what_does_not_go_together(name, monkeypatch):
    monkeypatch.setattr(over_data_sets, "WARMING", 2)
    monkeypatch.setattr(over_data_sets, "KEPT", 2)
    ask, (accepted, refused), words = ASKED[name]
    ask(accepted)
    with pytest.raises(InputError) as told:
        ask(refused)
    assert str(told.value).startswith(words.removesuffix("."))


RANKS = {
    "wilcoxon": (rank_tests.wilcoxon, {}),
    "sign": (rank_tests.sign_test, {}),
    "bayesian": (partial(over_data_sets.practical, rope=0.02, seed=3), {"rope": 0.02, "seed": 3}),
}


@pytest.mark.parametrize("method", RANKS)
@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("control", [None, "b"])
def test_results_over_data_sets_are_compared_by_the_tests_of_their_names(method, better, control):
    test, how = RANKS[method]
    found = ca.compare_datasets(SETS, method=method, better=better, control=control, level=0.9, **how)
    results = wide_results(SETS, better=1 if better == "higher" else -1)
    pairs = [("a", "b"), ("c", "b")] if control else [("a", "b"), ("a", "c"), ("b", "c")]
    wanted = [test(results, *pair, level=0.9) for pair in pairs]
    wanted = wanted if "rope" in how else adjusted(wanted, "holm")
    assert [plain(one) for one in found] == [plain(one) for one in wanted]
    facts = {"models": "a, b, c", "data sets": "9", "values": f"{better} is better"}
    if control:
        order = sorted(zip(results.mean_ranks.tolist(), "abc", strict=True))
        facts |= {"control": "b, prespecified"}
        facts |= {"mean ranks": ", ".join(f"{name} {rank:.2f}" for rank, name in order)}
    assert dict(found.facts) == facts
    (of_all,) = found.overall
    assert plain(of_all) == plain(rank_tests.friedman(results, level=0.9))
    assert (found.diagram is None) == (control is not None or method == "bayesian")
    if found.diagram is not None:
        assert found.diagram.distance is None


def test_two_models_have_no_test_of_all():
    found = ca.compare_datasets({name: SETS[name] for name in "ab"})
    assert (found.overall, found.diagram) == ((), None)
    of_ranks = ca.compare_datasets(SETS, method="nemenyi", level=0.9)
    assert of_ranks.diagram.distance == pytest.approx(rank_tests.nemenyi_distance(wide_results(SETS), 0.9))


@pytest.mark.parametrize("missing", [1, 3])
def test_values_that_lack_are_counted_among_the_facts(missing):
    frame = {name: row.copy() for name, row in SETS.items()}
    frame["a"][:missing] = np.nan
    found = ca.compare_datasets(frame, missing="drop")
    assert dict(found.facts)["missing values"] == (
        f"{missing} of 27; each pair is compared on the data sets with both values"
    )
    results = wide_results(frame, missing="drop")
    assert plain(found.overall[0]) == plain(rank_tests.skillings_mack(results))
    assert found.diagram is None
    for one in found:
        shared = results.shared(*one.models)
        assert one.p == rank_tests.wilcoxon(shared, *one.models).p
    alone = {"a": [1, np.nan, np.nan, 2.0], "b": [np.nan, 3, 4, 5.0], "c": [1, 2, 3, 4.0]}
    (untested, *_) = ca.compare_datasets(alone, missing="drop")
    assert untested.reason == "they share 1 data sets, but at least two are needed"
    assert np.isnan(untested.p)


@pytest.mark.parametrize(
    ("counts", "words"),
    [((1, 1), None), ((2, 2), "2, averaged"), ((1, 3), "1 to 3 for each model and data set, averaged")],
)
def test_runs_are_averaged_and_counted(counts, words):
    frame = {"d": [], "m": [], "v": [], "r": []}
    for at, (dataset, model) in enumerate((d, m) for d in "xy" for m in "ab"):
        for run in range(counts[at % 2]):
            for name, value in zip(frame, (dataset, model, at + run, run), strict=True):
                frame[name].append(value)
    found = ca.compare_datasets(frame, dataset="d", model="m", value="v", run="r", better="lower")
    assert dict(found.facts).get("runs") == words
    assert (
        dict(found.facts)["values"] == "V, lower is better"
        or "lower is better" in dict(found.facts)["values"]
    )
    means = [np.mean([at + run for run in range(counts[at % 2])]) for at in range(4)]
    assert found[0].values == pytest.approx((np.mean(means[::2]), np.mean(means[1::2])))


def of_folds(repeats=1):
    return [
        {
            "d": f"s{d}",
            "m": model,
            "f": f,
            "r": r,
            "v": round(0.6 + (model == "b") * 0.03 + RNG.normal(0, 0.02), 3),
        }
        for d in range(4)
        for model in "ab"
        for r in range(repeats)
        for f in range(5)
    ]


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("ratio", [None, 0.5])
def test_folds_of_data_sets_are_averaged_or_all_used(repeats, ratio, monkeypatch):
    monkeypatch.setattr(over_data_sets, "WARMING", 10)
    monkeypatch.setattr(over_data_sets, "KEPT", 10)
    rows = of_folds(repeats)
    frame = {name: [row[name] for row in rows] for name in rows[0]}
    names = {"dataset": "d", "model": "m", "value": "v", "fold": "f", "run": "r" if repeats > 1 else None}
    by_means = ca.compare_datasets(frame, **names, better="higher", test_over_train=ratio)
    wide = {
        model: [
            np.mean([row["v"] for row in rows if (row["d"], row["m"]) == (f"s{d}", model)]) for d in range(4)
        ]
        for model in "ab"
    }
    assert by_means[0].p == rank_tests.wilcoxon(wide_results(wide), "a", "b").p
    assert dict(by_means.facts)["values of folds"] == f"{5 * repeats}, averaged"
    found = ca.compare_datasets(
        frame, **names, better="higher", test_over_train=ratio, rope=0.01, seed=2, level=0.9
    )
    folds = FoldResults.of(frame, names, ratio)
    differences = [
        fold_differences(of["a"], of["b"], test_over_train=ratio or 0.25, models=("a", "b"), measure="v")
        for of in folds.values.values()
    ]
    wanted = over_data_sets.hierarchical(differences, rope=0.01, level=0.9, seed=2)
    assert plain(found[0]) == plain(wanted)
    facts = dict(found.facts)
    assert facts["data sets"] == "4"
    assert facts["test cases over training cases"] == f"{ratio or 0.25:.4g}"
    assert facts["values"].endswith("folds of each data set")
    turned = ca.compare_datasets(frame, **names, better="lower", rope=0.01, control="a", seed=2)
    assert dict(turned.facts)["control"] == "a, prespecified"
    assert (turned[0].models, turned[0].better) == (("b", "a"), -1)


def test_draws_of_the_hierarchical_test_keep_to_the_data():
    """With folds that show their data sets' means exactly, the centre is that of a t of the means."""
    means = np.array([0.01, 0.03, 0.02, 0.05, 0.04, 0.03])
    centre, spread, nu = sampled(means, np.full(6, 1e-6), np.full(6, 8.0), 0)
    assert centre.shape == spread.shape == nu.shape == (20_000,)
    assert np.median(centre) == pytest.approx(means.mean(), abs=0.004)
    assert 0.005 < np.median(spread) < 0.03
    assert nu.min() >= 2
    assert nu.max() <= 200.0001
    turned = sampled(-means, np.full(6, 1e-6), np.full(6, 8.0), 1)[0]
    assert np.median(turned) == pytest.approx(-means.mean(), abs=0.004)
