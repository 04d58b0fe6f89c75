"""Laws that every comparison keeps, whatever its test: swapped and identical models, order of rows, levels, ties."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

import classay as ca
from classay.comparison.cases.compare_assessments import compare_unpaired
from classay.comparison.cases.difference import clustered_mcnemar, cochran_q, independent, mcnemar
from classay.comparison.claims import claim, direction_of
from classay.comparison.comparison import Comparison, finding, sentence_of
from classay.resampling.compare_datasets import bayesian_signed_rank
from classay.resampling.fold_tests import (
    corrected_t,
    correlated_t,
    equivalence,
    five_by_two_f,
    five_by_two_t,
    fold_differences,
    non_inferiority,
    paired_t,
    sign_flip,
)
from classay.resampling.rank_tests import friedman, nemenyi, sign_test, wide_results, wilcoxon
from classay.tables import PairedCounts
from unequal import unequal
from wing_samples import of_wings

UNDETECTED = "No difference|no difference was detected|did not detect"
"""How a sentence says that nothing was detected."""
LEVELS = (0.5, 0.9, 0.95, 0.9999)
OF_SCORES = [
    "roc_auc",
    "average_precision",
    "brier_score",
    "log_loss",
    "kolmogorov_smirnov",
    "partial_roc_auc",
]
OF_LABELS = [
    "accuracy",
    "recall",
    "specificity",
    "precision",
    "f1",
    "mcc",
    "cohen_kappa",
    "balanced_accuracy",
]
OF_CLASSES = ["accuracy", "macro_f1", "cohen_kappa", "log_loss", "top_2_accuracy"]


def cases(seed, n=90, kind="alike", ties=False):
    """Scores of two models, the truth, and how cases count."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    shared = rng.normal(size=n)
    scores = [1 / (1 + np.exp(-(1.2 * y - 0.5 + shared + rng.normal(size=n)))) for _ in range(2)]
    if ties:
        scores = [np.clip(np.round(each, 1), 0.1, 0.9) for each in scores]
    how = {
        "alike": {},
        "frequency": {"frequency": rng.integers(1, 4, n)},
        "weighted": {"weight": rng.uniform(0.5, 2, n)},
        "clustered": {"cluster": np.arange(n) // 5},
        "few clusters": {"cluster": np.arange(n) // 9},
    }[kind]
    return scores, y, how


KINDS = ["alike", "frequency", "weighted", "clustered", "few clusters"]


def mirror(found):
    """A comparison as it must be when its models change places."""
    effect, odds = found.effect, found.odds
    turned = (
        None if effect is None else replace(effect, value=-effect.value, low=-effect.high, high=-effect.low)
    )
    if odds is not None:
        odds = replace(odds, models=odds.models[::-1], effect=turned, first=odds.second, second=odds.first)
    return replace(found, models=found.models[::-1], values=found.values[::-1], effect=turned, odds=odds)


def same(one, other):
    """Equal to the last bit, but for the sign of statistics, which the method defines; NaN is NaN, -0 is 0."""
    for name in (
        "models",
        "measure",
        "p",
        "p_adjusted",
        "method",
        "n",
        "units",
        "reason",
        "values",
        "df",
        "needed",
    ):
        a, b = getattr(one, name), getattr(other, name)
        if isinstance(a, float):  # sums of squares in another order differ in their last bit
            assert a == pytest.approx(b, rel=1e-13, abs=0, nan_ok=True), name
        else:
            assert a == b, name
    for name in ("value", "low", "high"):
        if one.effect is not None:
            a, b = getattr(one.effect, name), getattr(other.effect, name)
            assert a == pytest.approx(b, rel=1e-13, abs=0, nan_ok=True), name
    if one.odds is not None:
        assert (one.odds.first, one.odds.equal, one.odds.second) == (
            other.odds.first,
            other.odds.equal,
            other.odds.second,
        )


def compared(scores, y, how, names=("a", "b"), **more):
    return ca.compare(dict(zip(names, scores, strict=True)), y, **how, **more)


# -- one test set: models change places, rows change places -------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "ties"), [*((kind, False) for kind in KINDS), ("alike", True), ("clustered", True)]
)
def test_swapped_models_mirror_everything(kind, ties):
    scores, y, how = cases(1, kind=kind, ties=ties)
    here = compared(scores, y, how, measures=OF_SCORES + OF_LABELS)
    for names in (("b", "a"), ("a", "b")):  # the same names elsewhere in the dict; other names
        there = compared(scores[::-1], y, how, names=names, measures=OF_SCORES + OF_LABELS)
        for one, as_named in zip(here, there, strict=True):
            other = replace(as_named, models=("b", "a"))
            same(mirror(one), other)
            assert sentence_of(mirror(one)) == sentence_of(other)
            assert finding(one) == finding(other)


@pytest.mark.parametrize("method", ["bootstrap", "posterior", "delta", "permutation"])
def test_swapped_models_mirror_every_method(method):
    scores, y, how = cases(2, ties=True)
    measures = {"permutation": ["brier_score", "log_loss"], "bootstrap": ["f1", "roc_auc"]}.get(
        method, ["f1"]
    )
    here = compared(scores, y, how, method=method, measures=measures)
    there = compared(scores[::-1], y, how, names=("b", "a"), method=method, measures=measures)
    for one, other in zip(here, there, strict=True):
        same(mirror(one), other)


@pytest.mark.parametrize("method", [None, "bootstrap"])
def test_models_that_change_places_and_leave_the_same_cases_differ_symmetrically(method):
    (first, second), y, _ = cases(3, n=30, ties=True)
    scores = np.append(first, second), np.append(second, first)
    for one in compared(scores, np.append(y, y), {}, measures=OF_SCORES + OF_LABELS, method=method):
        assert one.effect.value == pytest.approx(0, abs=1e-15)  # means of the same losses in another order
        assert one.p == pytest.approx(1) or one.method.startswith("McNemar")  # mid-P: 1 less half a chance
        assert one.effect.low == pytest.approx(-one.effect.high, rel=1e-12)
        assert finding(one) == "open"


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_changes_no_byte(kind):
    scores, y, how = cases(4, n=80, kind=kind)
    here = compared(scores, y, how, measures=OF_SCORES + OF_LABELS)
    for seed in range(4):
        at = np.random.default_rng(seed).permutation(y.size)
        there = compared(
            [each[at] for each in scores],
            y[at],
            {name: each[at] for name, each in how.items()},
            measures=OF_SCORES + OF_LABELS,
        )
        assert unequal(there.to_dict(), here.to_dict()) == []


def test_the_order_of_rows_changes_no_byte_of_several_classes_nor_of_a_reader():
    rng = np.random.default_rng(5)
    y, at = rng.integers(0, 3, 90), rng.permutation(90)
    scores = {name: rng.dirichlet(np.ones(3), 90) + np.eye(3)[y] for name in "abc"}
    scores = {name: each / each.sum(1, keepdims=True) for name, each in scores.items()}
    here = ca.compare(scores, y, measures=OF_CLASSES, labels=[0, 1, 2])
    there = ca.compare(
        {name: each[at] for name, each in scores.items()}, y[at], measures=OF_CLASSES, labels=[0, 1, 2]
    )
    assert unequal(there.to_dict(), here.to_dict()) == []


def test_models_in_another_order_are_compared_alike():
    scores, y, _ = cases(7)
    third = cases(8)[0][0]
    here = ca.compare({"a": scores[0], "b": scores[1], "c": third}, y, measures=OF_SCORES + OF_LABELS)
    there = ca.compare({"c": third, "b": scores[1], "a": scores[0]}, y, measures=OF_SCORES + OF_LABELS)
    for one in here:
        turned = there[one.measure, one.models[1], one.models[0]]
        for a, b in zip(
            (one.effect.value, one.effect.low, one.p, one.p_adjusted),
            (-turned.effect.value, -turned.effect.high, turned.p, turned.p_adjusted),
            strict=True,
        ):
            assert a == pytest.approx(b, rel=1e-9, abs=1e-12), one.measure


# -- identical models ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_identical_models_are_no_finding(kind):
    (score, _), y, how = cases(9, kind=kind)
    for one in compared([score, score], y, how, measures=OF_SCORES + OF_LABELS):
        assert finding(one) == "open"
        if one.reason is not None:
            continue
        assert one.effect.value == 0
        assert one.p == 1
        assert one.effect.low != one.effect.high, "no width is no uncertainty, which nothing showed"


def test_equality_is_claimed_from_an_interval_that_exists():
    y, a, b = [1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], [0.8, 0.9, 0.1, 0.2]  # perfect, and ranked otherwise
    made = ca.compare({"a": a, "b": b}, y, measures=["roc_auc"], rule="equivalent", margin=0.001)[0]
    assert not ca.gate(made, "equivalent", 0.001).passed
    weighed = ca.compare({"a": a, "b": b}, y, weight=[1, 2, 1, 2], measures=["roc_auc"])[0]
    assert ca.gate(weighed, "equivalent", 0.001).verdict.value == "cannot tell"
    few = ca.compare({"a": a, "b": a}, y, measures=["roc_auc"], rule="equivalent", margin=0.01)[0]
    assert finding(few) == "open"
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    score = y + rng.normal(size=2000)
    many = ca.compare({"a": score, "b": score}, y, measures=["roc_auc"], rule="equivalent", margin=0.01)[0]
    assert finding(many) == "equivalent"
    pairs = min(y.sum(), (1 - y).sum())
    assert many.effect.high == pytest.approx(1 - 0.05 ** (1 / pairs))
    folds = fold_differences([0.8, 0.9, 0.7], [0.8, 0.9, 0.7], test_over_train=0.5)
    for found in (equivalence(folds, 0.01), non_inferiority(folds, 0.01)):
        assert ca.gate(found, found.rule, 0.01).verdict.value == "cannot tell"
    assert not wilcoxon(wide_results({"a": [3, 4, 5], "b": [3, 4, 5]}), "a", "b").effect.has_interval


# -- level, interval, p and finding -------------------------------------------------------------------------------

NOT_OF_ONE_METHOD = ("McNemar", "sign-flip")


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_p_is_below_its_level_just_where_the_interval_leaves_out_0(kind, level):
    for seed in range(10, 13):
        scores, y, how = cases(seed, n=60, kind=kind)
        for one in compared(scores, y, how, measures=OF_SCORES + OF_LABELS, level=level):
            if isnan(one.p) or one.method.startswith(NOT_OF_ONE_METHOD) or "tail" in one.method:
                continue
            assert one.effect.level == level == one.claimed_at
            assert (one.p < 1 - level) == (one.effect.low > 0 or one.effect.high < 0), one


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_found_its_interval_and_its_p_agree_or_the_sentence_says_why(level):
    shown = told = 0
    for seed in range(20, 30):
        scores, y, _ = cases(seed, n=60)
        for one in compared(scores, y, {}, measures=OF_SCORES + OF_LABELS, level=level):
            leaves_out_0 = one.effect.has_interval and (one.effect.low > 0 or one.effect.high < 0)
            found = finding(one) != "open"
            assert found == (one.p_adjusted <= 1 - level)
            shown += found
            alone = not found and one.p <= 1 - level
            assert one.sentence.startswith("Without adjustment: ") == alone
            assert (
                f"After adjustment for {one.family} tests, no difference was detected" in one.sentence
            ) == alone
            if one.effect.has_interval and found != leaves_out_0:
                told += 1
                assert alone or "The interval" in one.sentence
    assert shown or level > 0.5
    assert told or level > 0.95


def everything(level):
    """A comparison by every test that has a level, each with p = 0.02 or so."""
    rng = np.random.default_rng(1)
    right = rng.random((60, 3)) < [0.9, 0.7, 0.6]
    cluster = np.arange(60) // 3
    folds = fold_differences(
        [[0.83, 0.81], [0.82, 0.84], [0.85, 0.82], [0.83, 0.83], [0.84, 0.82]],
        np.full((5, 2), 0.8),
        test_over_train=1,
    )
    flat = fold_differences(folds.values.ravel(), np.zeros(10), test_over_train=1 / 9)
    sets = wide_results({"a": np.arange(9) + 1.0, "b": np.arange(9) * 0.9, "c": np.arange(9) * 0.8})
    scores, y, _ = cases(31)
    yield mcnemar(PairedCounts(59, 6, 16, 80), level=level)
    yield independent((56, 48), (70, 80), level=level)
    yield cochran_q(right, level=level)
    yield clustered_mcnemar(right[:, 0], right[:, 2], cluster, level=level)
    yield five_by_two_t(folds, level=level)
    yield five_by_two_f(folds, level=level)
    yield sign_flip(flat, level=level)
    yield corrected_t(flat, level=level)
    yield paired_t(flat, level=level)
    yield correlated_t(flat, 0.01, level=level).comparison(10, "folds")
    yield wilcoxon(sets, "a", "b", level=level)
    yield sign_test(sets, "a", "b", level=level)
    yield friedman(sets, level=level)
    yield from nemenyi(sets, level=level)
    yield bayesian_signed_rank(sets, "a", "b", 0.01, level=level).comparison(9, "data sets")
    yield from compare_unpaired({"a": ca.assess(y, scores[0]), "b": ca.assess(1 - y, scores[1])}, level=level)
    three = ca.compare({"a": scores[0], "b": scores[1], "c": scores[0] ** 2 * scores[1]}, y, level=level)
    yield from three.overall


@pytest.mark.parametrize("level", LEVELS)
def test_the_level_reaches_every_test(level):
    for one in everything(level):
        assert one.claimed_at == level, one
        if isnan(one.p):
            continue
        shown = (one.p if one.p_adjusted is None else one.p_adjusted) <= 1 - level
        assert (finding(one) != "open" or claim(one).contradicted) == shown, one
        assert (
            "difference was detected" not in one.sentence and "No difference" not in one.sentence
        ) == shown, one


@pytest.mark.parametrize("narrow", LEVELS[:-1])
def test_a_wider_level_gives_a_wider_interval_and_the_same_p(narrow):
    for one, wide in zip(everything(narrow), everything(0.9999), strict=True):
        assert one.p == wide.p or (isnan(one.p) and isnan(wide.p)), one
        if one.effect is not None and one.effect.has_interval and wide.effect.has_interval:
            assert wide.effect.low <= one.effect.low <= one.effect.high <= wide.effect.high, one


def boards(level, seed=0):
    """A leaderboard of each kind: of labels, scores, costs, values and what wings bring."""
    rng = np.random.default_rng(3)
    y = rng.random(150) < 0.4
    scores = {name: 1 / (1 + np.exp(-rng.normal(size=150) - k * y)) for k, name in enumerate("abcd")}
    measures = ["accuracy", "f1", "roc_auc", "log_loss", ca.Costs(fp=1, fn=3)]
    how = {"level": level, "seed": seed}
    yield from ca.compare(scores, y, measures=measures, **how).leaderboards
    values = {name: np.abs(each - y) for name, each in scores.items()}
    yield from ca.compare_values(values, **how).leaderboards
    for more in of_wings("BOARDS"):
        yield from more(scores, y, **how)


@pytest.mark.parametrize("narrow", LEVELS[:-1])
def test_the_level_reaches_every_leaderboard(narrow):
    found, wider = [*boards(narrow)], [*boards(0.9999)]
    assert len(found) == 6 + len(of_wings("BOARDS"))
    for one, wide in zip(found, wider, strict=True):
        assert (one.level, wide.level) == (narrow, 0.9999)
        for inner, outer in zip(one.standings, wide.standings, strict=True):
            assert inner.value.level == narrow
            assert inner.may_be_best <= outer.may_be_best
            assert outer.ranks[0] <= inner.ranks[0] <= inner.ranks[1] <= outer.ranks[1]
            assert outer.value.low <= inner.value.low <= inner.value.high <= outer.value.high


def test_the_seed_reaches_every_leaderboard_and_moves_it_little():
    for one, same, other in zip(*(boards(0.95, seed) for seed in (0, 0, 1)), strict=True):
        leads = [[each.lead for each in board.standings] for board in (one, same, other)]
        assert leads[0] == leads[1] != leads[2], one.measure
        for first, second in zip(leads[0], leads[2], strict=True):
            assert first.value == second.value
            assert second.low == pytest.approx(first.low, abs=0.05 * (first.high - first.low))


@pytest.mark.parametrize(
    ("method", "measure"),
    [
        *(("bootstrap", name) for name in ("f1", "accuracy", "roc_auc", "average_precision")),
        *(("posterior", "f1"), ("permutation", "brier_score"), ("max-t", "brier_score")),
        *((None, name) for name in ("ece", "max_f1", "kolmogorov_smirnov")),
    ],
)
def test_the_seed_reaches_every_test_that_draws(method, measure):
    models, y, *_ = cases(3, n=60)
    given = {"control": "a"} if method == "max-t" else {}
    scores = dict(zip("ab", models, strict=True))
    one, same, other = (
        ca.compare(scores, y, measures=[measure], method=method, seed=seed, **given)[0].effect
        if method != "permutation"
        else ca.compare(scores, y, measures=[measure], method=method, seed=seed)[0].tails
        for seed in (0, 0, 1)
    )
    assert one == same != other


# -- the side -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
@pytest.mark.parametrize("first", [0, 1])
def test_where_effects_tie_the_side_is_that_of_the_statistic(test, first):
    columns = {"A": [0.9] * 6 + [0.8] * 7, "B": [0.8] * 13}
    results = wide_results(columns, measure="accuracy")
    one = test(results, *(("A", "B") if first == 0 else ("B", "A")))
    assert one.p < 0.05
    assert finding(one) == "A better"
    estimate = " by 0.050" if test is wilcoxon else ", although the estimated difference is 0"
    assert one.sentence.startswith(f"A is better than B in accuracy{estimate}")
    assert "excludes 7 data sets without a difference" in one.sentence
    loss = test(replace(results, better=-1), "A", "B")
    assert finding(loss) == "B better"


@pytest.mark.parametrize("test", [five_by_two_t, five_by_two_f])
def test_5x2cv_claims_for_whom_both_test_and_mean_speak(test):
    d = np.full((5, 2), 0.03)
    d[:, 1] += 0.001
    d[0, 0] = -0.05
    folds = fold_differences(
        d, np.zeros((5, 2)), test_over_train=1, models=("first", "second"), measure="accuracy"
    )
    assert finding(test(folds)) != "second better"
    d = np.array([[-0.05, -0.051], [0.03, 0.031], [0.03, 0.031], [0.03, 0.031], [0.03, 0.031]])
    folds = fold_differences(
        d, np.zeros((5, 2)), test_over_train=1, models=("first", "second"), measure="accuracy"
    )
    one = test(folds)
    assert one.p < 0.001
    if test is five_by_two_t:
        assert finding(one) == "open"
        assert "has the other sign, so which is better is not determined" in one.sentence
    else:
        assert finding(one) == "differ"
        assert "the test does not determine which is better" in one.sentence


# -- gates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["roc_auc", "f1", "brier_score", "accuracy"])
@pytest.mark.parametrize("seed", range(40, 46))
def test_rules_of_a_gate_under_a_swap(measure, seed):
    scores, y, _ = cases(seed, n=60)
    rules = {}
    for names, each in ((("new", "old"), scores), (("old", "new"), scores[::-1])):
        one = compared(each, y, {}, names=names, measures=[measure])[0]
        for rule, margin in (
            ("superior", None),
            ("not-worse", None),
            ("non-inferior", 0.05),
            ("equivalent", 0.05),
        ):
            rules[names[0], rule] = ca.gate(one, rule, margin)
        assert direction_of(one)
    for a, b in (("new", "old"), ("old", "new")):
        low, high = (rules[a, "superior"].difference.low, rules[b, "superior"].difference.high)
        assert low == -high
        if rules[a, "superior"].passed:
            assert rules[b, "not-worse"].finding == "worse"
            assert not rules[b, "superior"].passed
            assert rules[a, "non-inferior"].passed
    assert rules["new", "equivalent"].verdict is rules["old", "equivalent"].verdict
    assert rules["new", "equivalent"].passed == (
        rules["new", "non-inferior"].passed and rules["old", "non-inferior"].passed
    )


def test_a_model_that_is_better_is_not_called_worse_if_at_all():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    one = ca.compare(
        {"new": y + rng.normal(size=400), "old": y + 3 * rng.normal(size=400)}, y, measures=["roc_auc"]
    )
    for rule, margin in (("non-inferior", 0.01), ("not-worse", None)):
        word = "superior to" if rule == "non-inferior" else "better than"
        assert f"new is {word} old" in ca.gate(one, rule, margin).sentence


def test_methods_name_the_test_that_was_made():
    from published import E_TEN

    for method, words in (
        ("paired-t", "does not correct for the overlap"),
        ("corrected-t", "The corrected resampled t (Nadeau–Bengio) corrects"),
        ("nadeau-bengio-t", "The correction of Nadeau and Bengio for the overlap"),
    ):
        found = ca.compare(E_TEN, method=method)
        assert words in found.methods_text()
        assert words in " ".join(str(found).split())
        if method == "paired-t":
            assert "orrected" not in found.methods_text().partition("References")[0]


# -- one-sided tests, and tests by name ------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("kind", ["alike", "clustered"])
def test_one_sided_tests_halve_p_and_mirror(alternative, kind):
    scores, y, how = cases(60, n=60, kind=kind)
    both = compared(scores, y, how, measures=OF_SCORES + OF_LABELS)
    here = compared(scores, y, how, measures=OF_SCORES + OF_LABELS, alternative=alternative)
    other = {"greater": "less", "less": "greater"}[alternative]
    there = compared(
        scores[::-1], y, how, names=("b", "a"), measures=OF_SCORES + OF_LABELS, alternative=other
    )
    sign = 1 if alternative == "greater" else -1
    for two, one, mirrored in zip(both, here, there, strict=True):
        same(mirror(one), mirrored)
        if isnan(two.p):
            continue
        assert one.p == (two.p / 2 if two.effect.value * sign >= 0 else 1 - two.p / 2)
        assert one.claimed_at == one.effect.level == 0.95
        assert (one.effect.low if sign > 0 else -one.effect.high) >= (
            two.effect.low if sign > 0 else -two.effect.high
        )
        if not (one.method.startswith("McNemar") or "tail" in one.method):
            assert (one.p < 0.05) == (one.effect.low > 0 or one.effect.high < 0), one
    with pytest.raises(ca.InputError, match="Rule 'superior' determines the side of the test"):
        compared(scores, y, how, measures=["roc_auc"], alternative=alternative, rule="superior")
    with pytest.raises(ca.InputError, match=r"above 0\.5"):
        compared(scores, y, how, alternative=alternative, level=0.5)


def test_one_sided_tests_of_folds_and_data_sets():
    from published import E_TEN, WIDE

    for found in (
        lambda **how: ca.compare(E_TEN, measures=["accuracy"], **how),
        lambda **how: ca.compare(WIDE, dataset="set", **how),
    ):
        both = (found(alternative=side) for side in ("greater", "less"))
        for two, greater, less in zip(found(), *both, strict=True):
            assert two.p == pytest.approx(min(1.0, 2 * min(greater.p, less.p)), rel=1e-9)
            assert (
                greater.p + less.p > 1 - 1e-12
            )  # what was seen counts on both sides, where a test has steps
            assert greater.claimed_at == less.claimed_at == 0.95
    with pytest.raises(ca.InputError, match="no one-sided test"):
        ca.compare(WIDE, dataset="set", method="nemenyi", alternative="less")


def one_sided_as_two_sided(compared):
    """One-sided tests of comparisons have half of the p of two, and the limits of an interval of twice the error."""
    rows = zip(
        compared(),
        compared(level=0.9),
        compared(alternative="greater"),
        compared(alternative="less"),
        strict=True,
    )
    for two, wider, more, fewer in rows:
        assert more.p + fewer.p == pytest.approx(1)
        assert min(more.p, fewer.p) == two.p / 2
        assert (more.effect.low, fewer.effect.high) == (wider.effect.low, wider.effect.high)
        assert (more.effect.level, more.claimed_at) == (0.95, 0.95)
    with pytest.raises(ca.InputError, match="'greater' or 'less'"):
        compared(alternative="more")


def test_one_sided_tests_of_other_cases():
    from classay.comparison.cases.compare_assessments import compare_unpaired

    scores, y, _ = cases(60, n=60)
    apart = {"a": ca.assess(y[:40], scores[0][:40]), "b": ca.assess(y[20:], scores[1][20:])}
    one_sided_as_two_sided(lambda **how: compare_unpaired(apart, ["roc_auc", "f1", "brier_score"], **how))


def test_methods_by_name_reach_the_measures_that_have_them():
    scores, y, _ = cases(61)
    tests = {
        "mid-p": "mid-P",
        "exact": "exact",
        "asymptotic": "asymptotic",
        "continuity-corrected": "continuity",
    }
    for method, name in tests.items():
        found = compared(scores, y, {}, measures=["accuracy", "recall", "f1"], method=method)
        assert [f"McNemar, {name}" in one.method for one in found] == [True, True, False]
    plain = compared(scores, y, {}, measures=["roc_auc"], method="delong")[0]
    assert plain.method == "DeLong's z"


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_logit_delong_agrees_with_its_interval_and_nears_delong(kind, level):
    for seed in range(62, 66):
        scores, y, how = cases(seed, kind=kind)
        one = compared(scores, y, how, measures=["roc_auc"], method="logit-delong", level=level)[0]
        assert (one.p < 1 - level) == (one.effect.low > 0 or one.effect.high < 0)
        assert -1 < one.effect.low < one.effect.value < one.effect.high < 1
        plain = compared(scores, y, how, measures=["roc_auc"], level=level)[0]
        assert one.p == pytest.approx(plain.p, abs=0.1)
        there = compared(
            scores[::-1], y, how, names=("b", "a"), measures=["roc_auc"], method="logit-delong", level=level
        )
        same(mirror(one), there[0])


@pytest.mark.parametrize("measure", ["average_precision", "log_loss"])
@pytest.mark.parametrize("off", [-3.0, -1.0, 1.0, 3.0])
def test_a_gate_near_its_edge_says_that_its_draws_do_not_settle_it(measure, off):
    better = 1 if measure == "average_precision" else -1
    for rule, margin, edge in (
        ("superior", None, 0.0),
        ("non-inferior", 0.1, -0.1),
        ("superior", 0.05, 0.05),
    ):
        low = edge + off * 0.002
        effect = ca.Estimate(low + 0.1, low, low + 0.2, 0.95, "draws")
        if better < 0:
            effect = ca.Estimate(-effect.value, -effect.high, -effect.low, 0.95, "draws")
        noise = (0.002, 0.5)[::better]
        one = Comparison(("new", "old"), measure, effect, 0.5, "tail", "test cases", noise=noise)
        made = ca.gate(one, rule, margin)
        assert made.verdict.value == ("pass" if off > 2 else "cannot tell")
        assert ("Monte Carlo" in made.sentence) == (0 < off < 2)
        assert ca.gate(replace(one, noise=None), rule, margin).passed == (off > 0)


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (-0.05, 0.05, "pass"),
        (-0.099, 0.05, "cannot tell"),
        (-0.05, 0.101, "cannot tell"),
        (-0.099, 0.2, "cannot tell"),
        (-0.2, 0.101, "cannot tell"),
        (0.101, 0.2, "cannot tell"),
        (0.11, 0.2, "fail"),
        (-0.2, -0.11, "fail"),
    ],
)
def test_equivalence_is_settled_by_both_ends(low, high, wanted):
    effect = ca.Estimate((low + high) / 2, low, high, 0.9, "draws")
    one = Comparison(("new", "old"), "f1", effect, 0.5, "tail", "test cases", noise=(0.002, 0.002))
    assert ca.gate(one, "equivalent", 0.1).verdict.value == wanted


def test_the_monte_carlo_error_is_that_of_other_draws():
    scores, y, _ = cases(70, n=60)
    found = [compared(scores, y, {}, measures=["average_precision"], seed=seed)[0] for seed in range(60)]
    for end, name in enumerate(("low", "high")):
        spread = np.std([getattr(one.effect, name) for one in found], ddof=1)
        told = np.mean([one.noise[end] for one in found])
        assert 0.6 < told / spread < 1.6


@pytest.mark.parametrize("door", ["cases", "values", "folds", "data sets"])
@pytest.mark.parametrize("control", [None, "b"])
def test_a_control_is_told_where_one_was_named(door, control):
    rng = np.random.default_rng(0)
    values = {name: rng.random(40) for name in "abc"}
    how = {"control": control}
    if door == "cases":
        found = ca.compare(values, rng.integers(0, 2, 40), measures=["roc_auc"], **how)
    elif door == "values":
        found = ca.compare_values(values, **how)
    elif door == "folds":
        found = ca.compare_learners(values, test_over_train=1 / 9, **how)
    else:
        found = ca.compare_datasets(values, **how)
    told = [said for name, said in found.facts if name == "control"]
    assert told == ([] if control is None else ["b, prespecified"])
    assert len(found) == (3 if control is None else 2)


@pytest.mark.parametrize("k", [12, 127, 128, 182])
def test_so_many_classes_are_compared_as_right_and_wrong_are(k):
    """Codes of classes are small integers, and cells of a matrix are none: products leave them from 12 and 182 on."""
    rng = np.random.default_rng(k)
    y = np.concatenate([np.arange(k), rng.integers(0, k, 2 * k)])
    said = {name: np.where(rng.random(y.size) < 0.7, y, rng.integers(0, k, y.size)) for name in "ab"}
    right = {name: each == y for name, each in said.items()}
    found = ca.compare(None, y, y_pred=said, measures=["accuracy"])[0]
    labels = {"labels": [False, True], "positive": True}
    wanted = ca.compare(None, np.ones(y.size, bool), y_pred=right, measures=["accuracy"], **labels)[0]
    assert (found.effect.value, found.effect.low, found.effect.high, found.p) == pytest.approx(
        (wanted.effect.value, wanted.effect.low, wanted.effect.high, wanted.p)
    )


@pytest.mark.parametrize("unanswered", ["wrong", "drop"])
@pytest.mark.parametrize("gone", [0, 3])
def test_a_gate_tells_what_its_comparison_left_out_and_counts_as_wrong(gone, unanswered):
    rng = np.random.default_rng(0)
    y, scores = (rng.random(60) < 0.5).astype(object), {name: rng.random(60) for name in "ab"}
    y[:gone] = None
    scores["a"][10:15] = np.nan
    how = {"missing": "drop", "unanswered": unanswered, "measures": ["recall"], "positive": True}
    found = ca.compare(scores, y, **how)
    told = dict(found.facts)
    if unanswered == "wrong":
        assert told["no answer"] == "a: 5; counted as incorrect"
        assert told.get("left out") == (f"{gone} rows without a true label" if gone else None)
    else:
        assert "a: 5" in told["left out"]
        assert "no answer" not in told
    for rule in ("superior", "not-worse"):
        made = ca.gate(found, rule)
        assert made.left_out == found.left_out
        assert made.to_dict()["left_out"] == found.left_out
        assert made.to_dict()["threshold"] == told["threshold"]
        page = " ".join(made.to_markdown().split())
        assert all(text in page for text in found.left_out.values())
