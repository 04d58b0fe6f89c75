"""Prevalence shift: oracles, identities, coverage."""

import json
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics as skm
from bench.honesty.populations import TRUTHS, Population
from scipy import stats

import classay as ca
from classay import measures
from classay.errors import InputError
from classay.inference.prevalence import at_prevalence, rated, scores_at_prevalence, table_at_prevalence
from classay.tables import BinaryCounts, ScoreTable
from command import call, refusal

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "calibration.json").read_text())
M003 = BinaryCounts(6, 1, 4, 89)
EXACT = {"abs": 1e-9, "rel": 0}


@pytest.mark.parametrize("prevalence", ORACLES["PPV_at"])
def test_predictive_values_oracle(prevalence):
    expected = ORACLES["PPV_at"][prevalence]
    assert at_prevalence(measures.precision, M003, float(prevalence)).value == pytest.approx(
        expected["PPV"], **EXACT
    )
    npv = at_prevalence(measures.negative_predictive_value, M003, float(prevalence))
    assert npv.value == pytest.approx(expected["NPV"], **EXACT)


PREDICTIVE_VALUES = {  # cells, limits at prevalence 0.1: Donner & Zou's formula in NumPy on Wilson's limits
    "precision": ((40, 2, 10, 98), 0.554742902025, 0.941834977639),
    "npv": ((40, 2, 10, 98), 0.963780237066, 0.987414196247),
    "ppv": ((40, 0, 10, 100), 0.703326051816, 1.0),
}


@pytest.mark.parametrize("name", PREDICTIVE_VALUES)
def test_predictive_values_rest_on_the_limits_of_both_rates(name):
    """Without an error too; the false rates are mirrors, and turning the classes turns PPV into NPV."""
    (tp, fp, fn, tn), *limits = PREDICTIVE_VALUES[name]
    measure = measures.get(name)
    found = at_prevalence(measure, BinaryCounts(tp, fp, fn, tn), 0.1)
    assert [found.low, found.high] == pytest.approx(limits, **EXACT)
    of_ppv = measure is measures.precision
    mirror = measures.get("fdr" if of_ppv else "false_omission_rate")
    mirrored = at_prevalence(mirror, BinaryCounts(tp, fp, fn, tn), 0.1)
    assert [1 - mirrored.high, 1 - mirrored.low] == pytest.approx(limits, **EXACT)
    turned = at_prevalence(measures.get("npv" if of_ppv else "ppv"), BinaryCounts(tn, fn, fp, tp), 0.9)
    assert [turned.low, turned.high] == pytest.approx(limits, **EXACT)


@pytest.mark.parametrize(
    ("cases", "rates"), [((50, 60), (0.9, 0.95)), ((50, 300), (0.96, 0.99)), ((30, 30), (0.9, 0.9))]
)
def test_predictive_values_hold(cases, rates):
    """The share of samples whose limits include the true value, summed over the table of both binomial counts."""
    (p, n), (se, sp), there = cases, rates, 0.1
    chances = np.outer(stats.binom.pmf(np.arange(p + 1), p, se), stats.binom.pmf(np.arange(n + 1), n, sp))
    tp, tn = np.divmod(np.flatnonzero(chances > 1e-5), n + 1)
    for measure in (measures.precision, measures.negative_predictive_value):
        true, held = rated(measure, se, sp, there), 0.0
        for x, y in zip(tp.tolist(), tn.tolist(), strict=True):
            found = at_prevalence(measure, BinaryCounts(x, n - y, p - x, y), there)
            held += chances[x, y] * (found.low <= true <= found.high)
        assert 0.94 < held / chances[tp, tn].sum() < 0.985


@pytest.mark.parametrize(
    "name", [each.name for each in measures.MEASURES.values() if each.needs in ("counts", "margins")]
)
def test_own_prevalence_gives_the_measure_itself(name):
    measure, counts = measures.get(name), BinaryCounts(30, 12, 8, 70)
    own = 38 / 120
    direct = measure(*counts) if measure.needs == "counts" else rated(measure, 30 / 38, 70 / 82, own)
    found = at_prevalence(measure, counts, own)
    assert found.value == pytest.approx(direct, rel=1e-12)
    if np.isfinite(found.value) and found.has_interval:
        assert measure.bounds[0] <= found.low <= found.value <= found.high <= measure.bounds[1]


ON_REQUEST = [
    *("rate_gap", "corner_distance", "recall_at_specificity(0.8)", "equal_error_rate"),
    *("mean_probability_of_positives", "mean_probability_of_negatives"),
    *("net_benefit(0.2)", "expected_cost(1,2)", "f_beta(3)", "recall_at_precision(0.7)"),
]


@pytest.mark.parametrize("drawn", ["alike", "weighted", "clustered"])
def test_what_the_prevalence_does_not_move_has_one_interval(drawn):
    """Likelihood ratios, informedness, balanced accuracy and the like: what the values say, and no list of names."""
    random, n = np.random.default_rng(0), 240
    truth = random.integers(0, 2, n)
    score = np.clip(random.normal(0.35 + 0.3 * truth, 0.2), 0.01, 0.99)
    more = {"weighted": {"weight": random.uniform(1, 3, n)}, "clustered": {"cluster": np.arange(n) // 4}}
    a = ca.assess(truth, score, **more.get(drawn, {}))
    there = [a.at_prevalence(each) for each in (0.02, 0.4, 0.9)]
    names = [*(each.name for each in there[0].applicable()), *ON_REQUEST]
    values = np.array([[each[name].value for name in names] for each in there])
    unmoved = np.ptp(values, axis=0) <= 1e-9 * np.abs(values).max(0)
    assert 25 < unmoved.sum() < 0.5 * len(names)
    for name in np.array(names)[unmoved]:
        alone, found = a[name], there[0][name]
        assert np.array_equal([alone.low, alone.high], [found.low, found.high], equal_nan=True), name
        assert found.reason == alone.reason, name


def test_delta_and_posterior_agree_on_large_counts():
    from classay.inference.prevalence import _drawn

    counts = BinaryCounts(800, 100, 200, 900)
    for measure in (measures.f1, measures.matthews_correlation, measures.accuracy):
        delta = at_prevalence(measure, counts, 0.2)
        drawn = _drawn(measure, counts, 0.2, delta.value, 0.95, 0)
        assert delta.method.startswith("delta")
        assert [delta.low, delta.high] == pytest.approx([drawn.low, drawn.high], abs=0.004)


def test_empty_cells_keep_an_interval():
    found = at_prevalence(measures.precision, BinaryCounts(10, 0, 5, 60), 0.05)
    assert found.value == 1
    assert found.low < 0.9
    assert found.high == 1
    assert found.method == "MOVER-R of Wilson limits"
    assert at_prevalence(measures.precision, BinaryCounts(0, 0, 5, 60), 0.05).reason
    assert at_prevalence(measures.precision, BinaryCounts(0, 3, 0, 60), 0.05).reason == "no case is positive"


@pytest.mark.parametrize("name", ["jaccard", "f1"])
def test_what_rests_on_both_rates_is_as_uncertain_as_both(name):
    """Without one kind of error too, against the posteriors of both rates by SciPy; 1 is no proportion of one class."""
    measure, there = measures.get(name), 0.01
    for counts in (BinaryCounts(10, 0, 0, 90), BinaryCounts(9, 0, 1, 90), BinaryCounts(10, 1, 0, 89)):
        grid = (np.arange(400) + 0.5) / 400
        tp, fp, fn, tn = counts
        se, sp = stats.beta.ppf(grid, tp + 0.5, fn + 0.5), stats.beta.ppf(grid, tn + 0.5, fp + 0.5)
        low, high = np.quantile(rated(measure, *np.meshgrid(se, sp), there), [0.025, 0.975])
        found = at_prevalence(measure, counts, there)
        wanted = [min(low, found.value), max(high, found.value)]
        assert [found.low, found.high] == pytest.approx(
            [each if 1e-9 < each < 1 - 1e-9 else round(each) for each in wanted], abs=0.03
        )


def test_refusals():
    for wrong in (0, 1, -0.1, float("nan")):
        with pytest.raises(InputError, match="prevalence must be between 0 and 1, such as 0"):
            at_prevalence(measures.precision, M003, wrong)
    with pytest.raises(InputError, match="not a function of four counts"):
        at_prevalence(measures.roc_auc, M003, 0.1)
    with pytest.raises(InputError, match="No case is negative, so the rate of this"):
        table_at_prevalence(ScoreTable.from_rows(np.array([0.5]), np.array([True])), 0.1)


def test_reweighted_table_has_the_prevalence_and_keeps_the_ranking():
    rng = np.random.default_rng(0)
    table = ScoreTable.from_rows(np.round(rng.random(200), 1), rng.random(200) < 0.4)
    there = table_at_prevalence(table, 0.01)
    assert there.n_positive / (there.n_positive + there.n_negative) == pytest.approx(0.01)
    assert measures.roc_auc(there) == pytest.approx(measures.roc_auc(table), abs=1e-12)
    counts, moved = (each.at(0.5).one_vs_rest(True) for each in (table, there))
    expected = at_prevalence(measures.precision, counts, 0.01).value
    assert measures.precision(*moved) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("prevalence", [0.02, 0.3])
def test_coverage(prevalence):
    rng, se, sp, held = np.random.default_rng(1), 0.8, 0.9, 0
    truth = float(rated(measures.precision, se, sp, prevalence))
    for _ in range(600):
        tp, tn = rng.binomial(60, se), rng.binomial(120, sp)
        counts = BinaryCounts(tp, 120 - tn, 60 - tp, tn)
        found = at_prevalence(measures.precision, counts, prevalence)
        held += found.low <= truth <= found.high
    assert 0.93 <= held / 600 <= 0.995


# --- measures of scores, and assessments


def scored(random, n, prevalence, shift=1.5):
    """Cases with calibrated probabilities."""
    truth = random.random(n) < prevalence
    logit = shift * (random.normal(size=n) + shift * truth) - shift**2 / 2
    return truth, 1 / (1 + np.exp(-(logit + np.log(prevalence / (1 - prevalence)))))


TRUTH, SCORE = scored(np.random.default_rng(2), 400, 0.3)
SCORES = ScoreTable.from_rows(SCORE, TRUTH)


@pytest.mark.parametrize("prevalence", [0.1, 0.3, 0.7])
def test_scores_reweighted_by_scikit_learn(prevalence):
    weight = np.where(TRUTH, prevalence / TRUTH.mean(), (1 - prevalence) / (1 - TRUTH.mean()))
    for measure, oracle in (
        (measures.average_precision, skm.average_precision_score),
        (measures.log_loss, skm.log_loss),
        (measures.brier_score, skm.brier_score_loss),
    ):
        found = scores_at_prevalence(measure, SCORES, prevalence)
        assert found.value == pytest.approx(oracle(TRUTH, SCORE, sample_weight=weight), rel=1e-12)
        assert found.low < found.value < found.high


@pytest.mark.parametrize("prevalence", [0.02, 0.3, 0.7])
def test_a_loss_there_is_a_sum_of_two_means(prevalence):
    """π' mean of the positives' losses + (1 - π') of the negatives', with the variances of both by NumPy."""
    losses = [(1 - SCORE[TRUTH]) ** 2, SCORE[~TRUTH] ** 2]
    shares = [prevalence, 1 - prevalence]
    variances = [w**2 * each.var(ddof=1) / each.size for w, each in zip(shares, losses, strict=True)]
    value = sum(w * each.mean() for w, each in zip(shares, losses, strict=True))
    found = scores_at_prevalence(measures.brier_score, SCORES, prevalence)
    assert found.value == pytest.approx(value, rel=1e-12)
    low, middle = (np.log(each / (1 - each)) for each in (found.low, value))
    normal, least = (1.96, 1.96 * 1.1) if prevalence == 0.02 else (1.96, 1.99)
    assert normal < (middle - low) / (sum(variances) ** 0.5 / (value * (1 - value))) < least
    assert found.high > 1 / (1 + np.exp(low - 2 * middle))  # with one more case


@pytest.mark.parametrize(
    "name", ["brier_score", "log_loss_skill", "max_f1", "brier_discrimination", "precision"]
)
def test_clusters_of_one_and_equal_weights_are_cases(name):
    plain = ca.assess(TRUTH, SCORE).at_prevalence(0.1)[name]
    alone = ca.assess(TRUTH, SCORE, cluster=np.arange(TRUTH.size)).at_prevalence(0.1)[name]
    weighed = ca.assess(TRUTH, SCORE, weight=np.full(TRUTH.size, 3.0)).at_prevalence(0.1)[name]
    for other in (alone, weighed):
        assert other.value == pytest.approx(plain.value, rel=1e-12)
        width = plain.high - plain.low
        assert (other.low, other.high) == pytest.approx((plain.low, plain.high), abs=0.05 * width)


def test_average_precision_there_moves_as_its_jackknife():
    """The standard error on the logit scale against leaving out each case of a class, both classes apart."""
    prevalence, value = 0.15, scores_at_prevalence(measures.average_precision, SCORES, 0.15).value

    def without(i):
        keep = np.arange(SCORE.size) != i
        return measures.average_precision(
            table_at_prevalence(ScoreTable.from_rows(SCORE[keep], TRUTH[keep]), prevalence)
        )

    moved = np.array([float(without(i)) for i in range(SCORE.size)])
    variance = sum(
        (n - 1) / n * ((moved[of] - moved[of].mean()) ** 2).sum()
        for of, n in ((TRUTH, TRUTH.sum()), (~TRUTH, (~TRUTH).sum()))
    )
    found = scores_at_prevalence(measures.average_precision, SCORES, prevalence)
    logit = np.log(np.array([value, found.high]) / (1 - np.array([value, found.high])))
    se = np.diff(logit)[0] / 1.97 * value * (1 - value)
    assert se == pytest.approx(variance**0.5, rel=0.08)


def test_rankings_far_below_the_prevalence_here_have_no_interval():
    found = scores_at_prevalence(measures.average_precision, SCORES, 0.01)
    assert not found.has_interval
    assert "few top-ranked negatives" in found.reason
    assert scores_at_prevalence(measures.log_loss, SCORES, 0.01).has_interval


def test_intervals_are_those_of_classes_drawn_apart():
    """Basic intervals of resamples of each class for itself; skills have one pseudo-case added, the area two scales."""
    rng = np.random.default_rng(8)
    drawn = [rng.multinomial(n.sum(), n / n.sum(), 4000) for n in (SCORES.positives, SCORES.negatives)]
    resampled = table_at_prevalence(ScoreTable(SCORES.scores, *drawn, SCORES.labels), 0.2)
    for name in ("brier_skill", "log_loss_skill", "observed_expected_ratio", "area_under_prg"):
        measure = measures.get(name)
        low, high = np.quantile(measure(resampled), [0.025, 0.975])
        found = scores_at_prevalence(measure, SCORES, 0.2)
        most = 1.12 if name == "observed_expected_ratio" else 1.25
        assert 0.88 < (found.high - found.low) / (high - low) < most, name


def test_scores_of_one_class_are_undefined():
    only = ScoreTable.from_rows(np.array([0.2, 0.7]), np.array([True, True]))
    assert scores_at_prevalence(measures.brier_score, only, 0.1).reason == "no case is negative"
    with pytest.raises(InputError, match="prevalence must be between 0 and 1, such as 0"):
        scores_at_prevalence(measures.brier_score, SCORES, 1)


@pytest.fixture
def shifted():
    return ca.assess(TRUTH, SCORE).at_prevalence(0.05)


def test_an_assessment_at_another_prevalence(shifted):
    a = shifted.assessment
    counts = a.confusion_matrix.one_vs_rest(True)
    for name in ("precision", "accuracy", "f1", "matthews_correlation", "macro_precision"):
        found, expected = shifted[name], at_prevalence(measures.get(name), counts, 0.05)
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
        assert found.method == f"{expected.method}, prevalence 0.05"
    for name in ("recall", "specificity", "roc_auc"):
        assert (shifted[name].value, shifted[name].low) == (a[name].value, a[name].low)
    for name in ("prevalence", "baseline_accuracy", "log_loss_uncertainty"):
        assert shifted[name].reason == "determined by the assumed prevalence"
    assert shifted["prevalence"].value == pytest.approx(0.05)
    assert shifted["baseline_accuracy"].value == pytest.approx(0.95)
    assert shifted.observed == pytest.approx(TRUTH.mean())
    names = {measure.name for measure in shifted.applicable()}
    assert names == {measure.name for measure in a.applicable()} - {"linear_kappa", "quadratic_kappa"}


def test_at_its_own_prevalence_the_values_are_those_of_the_assessment():
    a = ca.assess(TRUTH, SCORE)
    there = a.at_prevalence(float(TRUTH.mean()))
    of_labels = [each.name for each in there.applicable() if each.needs in ("counts", "margins")]
    for name in (*of_labels, "average_precision", "brier_score", "log_loss"):
        assert there[name].value == pytest.approx(a[name].value, rel=1e-9), name


def test_what_is_shown_of_another_prevalence(shifted):
    text = str(shifted)
    assert "at a prevalence of 5%" in text
    assert "Precision" in text
    assert "prevalence 0.05" in repr(shifted)
    assert set(shifted.main_measures) <= {row["measure"] for row in shifted_frame(shifted)}


def shifted_frame(shifted):
    """The frame of labels alone, which is quick."""
    labels = ca.assess(TRUTH, y_pred=SCORE > 0.5).at_prevalence(shifted.prevalence)
    rows = labels.measures.to_pylist()
    return [*rows, *({"measure": name} for name in ("average_precision", "log_loss", "brier_score"))]


def test_refusals_of_assessments():
    with pytest.raises(InputError, match="there are several"):
        ca.assess([0, 1, 2], y_pred=[0, 1, 1]).at_prevalence(0.1)
    with pytest.raises(InputError, match="prevalence must be a number between 0 and 1"):
        ca.assess([0, 1], y_pred=[0, 1]).at_prevalence(0)
    alone = ca.assess(TRUTH, SCORE, cluster=np.zeros(TRUTH.size)).at_prevalence(0.1)
    assert "one cluster" in alone["precision"].reason
    assert not alone["brier_score"].has_interval
    assert ca.assess([0, 1], [3.0, 4.0]).at_prevalence(0.1)["precision"].is_undefined


def test_the_first_sentence_there_is_about_precision_or_why_it_has_none():
    for threshold in (0.5, 1.0):
        there = ca.assess(TRUTH.astype(int), SCORE * 0.9, threshold=threshold).at_prevalence(0.05)
        (sentence,) = there.document().verdict
        precision = there["precision"]
        if threshold == 1:
            assert sentence == f"Precision is not defined ({precision.reason})."
        else:
            assert sentence.startswith(f"At a prevalence of 5%, precision is {100 * precision.value:.1f}%")


def test_command_at_another_prevalence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{int(y)},{p}\n" for y, p in zip(TRUTH, SCORE, strict=True))
    Path("preds.csv").write_text(f"y,p\n{rows}")
    file = ("assess", "preds.csv", "--truth", "y", "--score", "p")
    done = call(*file, "--prevalence", "0.05", "--json", "out.json", "--html", "out.html")
    assert done.exit_code == 0, done.stderr
    assert "At a prevalence of 5%" in done.stdout
    assert f"({100 * TRUTH.mean():.1f}% in these data)" in " ".join(done.stdout.split())
    found = json.loads(Path("out.json").read_text())["at_prevalence"]
    assert found["prevalence"] == 0.05
    expected = ca.assess(TRUTH.astype(int), SCORE).at_prevalence(0.05)
    assert found["measures"]["precision"]["low"] == expected["precision"].low
    assert list(found["measures"]) == list(expected.main_measures)
    assert "At a prevalence of 5%" in Path("out.html").read_text()
    chosen = call(*file, "--prevalence", "0.05", "--measures", "recall,linear_kappa", "--json", "-")
    assert list(json.loads(chosen.stdout)["at_prevalence"]["measures"]) == ["recall"]
    refusal(*file, "--prevalence", "5")


# -- coverage

SETTINGS = [
    (400, Population(0.3, 1.5), 0.1, "alike"),
    (400, Population(0.3, 1.5, slope=2), 0.05, "alike"),
    (1000, Population(0.3, 1.5), 0.01, "alike"),
    (300, Population(0.1, 1.5), 0.5, "alike"),
    (400, Population(0.3, 1.5), 0.1, "weighted"),
    (300, Population(0.35, 1.5), 0.1, "clustered"),
]


def drawn_from(population, random, n, how):
    if how == "clustered":
        truth, score, cluster = population.clustered_rows(random, n // 5, 5)
        return ca.assess(truth, score, cluster=cluster)
    truth, score = population.rows(random, n)
    if how == "alike":
        return ca.assess(truth, score)
    chance = np.where(score > 0.5, 0.9, 0.3)
    kept = random.random(n) < chance
    return ca.assess(truth[kept], score[kept], weight=1 / chance[kept])


@pytest.mark.slow
@pytest.mark.parametrize(("n", "population", "there", "how"), SETTINGS, ids=str)
def test_coverage_of_scores(n, population, there, how):
    whole = ScoreTable(*population.grid)
    whole = table_at_prevalence(
        ScoreTable(whole.scores, 1e15 * whole.positives, 1e15 * whole.negatives), there
    )
    random, times = np.random.default_rng(0), 400
    held = {name: [] for name in (*TRUTHS, "average_precision", "log_loss", "brier_score")}
    truths = {name: float(measures.get(name)(whole)) for name in held}
    for _ in range(times):
        shifted = drawn_from(population, random, n, how).at_prevalence(there)
        for name, seen in held.items():
            found = shifted[name]
            if found.has_interval and "unmoved by the prevalence" not in measures.get(name).traits:
                seen.append(found.low - 1e-9 <= truths[name] <= found.high + 1e-9)
    shares = {name: round(100 * float(np.mean(seen)), 1) for name, seen in held.items() if seen}
    print(n, population, there, how, shares)
    assert len(shares) > 15
    assert min(shares.values()) >= 88, shares


RATES = ("precision", "npv", "accuracy", "f1", "mcc", "balanced_accuracy")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["weighted", "clustered"])
@pytest.mark.parametrize(
    ("se", "sp", "positive", "negative", "there"), [(0.8, 0.95, 40, 200, 0.02), (0.8, 0.9, 100, 300, 0.1)]
)
def test_coverage_of_labels_not_alike(how, se, sp, positive, negative, there):
    random, n = np.random.default_rng(0), positive + negative
    truths = {name: float(rated(measures.get(name), se, sp, there)) for name in RATES}
    held = dict.fromkeys(RATES, 0)
    for _ in range(600):
        truth = random.permutation(np.r_[np.ones(positive), np.zeros(negative)].astype(int))
        rates = np.full((2, n), [[se], [sp]])
        given = {"weight": random.choice([1.0, 2.0, 4.0], n)}
        if how == "clustered":
            given = {"cluster": np.arange(n) // 5}
            of_cluster = [random.beta(12 * rate, 12 * (1 - rate), n // 5 + 1) for rate in (se, sp)]
            rates = np.stack(of_cluster)[:, given["cluster"]]
        right = random.random(n) < np.where(truth == 1, *rates)
        shifted = ca.assess(truth, y_pred=np.where(right, truth, 1 - truth), **given).at_prevalence(there)
        for name, true in truths.items():
            held[name] += shifted[name].low <= true <= shifted[name].high
    print(how, se, sp, positive, negative, there, held)
    assert min(held.values()) / 600 >= 0.92, held


def test_a_class_in_one_cluster_has_values_without_intervals():
    """Its spread is not known; its value is, as where rows are alike."""
    cluster = np.arange(60) // 6
    y = cluster == 0
    p = np.where(y, 0.6, 0.2) + np.random.default_rng(0).normal(0, 0.2, 60)
    there, alike = (
        ca.assess(y, p, threshold=0.5, **more).at_prevalence(0.05) for more in ({"cluster": cluster}, {})
    )
    for name in ("recall", "specificity", "precision", "accuracy", "f1"):
        assert there[name].value == pytest.approx(alike[name].value, nan_ok=True)
        assert there[name].has_interval == (name == "specificity")
        assert name == "specificity" or "one cluster" in there[name].reason


@pytest.mark.parametrize(("turned", "factor"), [(False, 2**0.5), (True, 1.0)])
def test_calls_of_both_classes_that_go_together_in_clusters_make_the_share_called_less_sure(turned, factor):
    """A positive and a negative case a cluster, called alike: of both rates together half the clusters' worth is known.

    Where calls of one class come with none of the other the interval is that of rates that vary apart, never shorter.
    """
    import classay as ca

    called = np.arange(100) % 5 < 2
    pairs = np.stack([called, ~called if turned else called], 1).ravel().astype(int)
    truth, cluster = np.tile([1, 0], 100), np.repeat(np.arange(100), 2)
    found = (
        ca.assess(truth, y_pred=pairs, cluster=cluster).at_prevalence(0.5).estimate("predicted_prevalence")
    )
    apart = (
        ca.assess(truth, y_pred=pairs, weight=np.ones(200))
        .at_prevalence(0.5)
        .estimate("predicted_prevalence")
    )

    def width(each):
        return np.diff(np.log([each.low / (1 - each.low), each.high / (1 - each.high)]))[0]

    assert width(found) / width(apart) == pytest.approx(
        factor * stats.t.ppf(0.975, 99) / stats.norm.ppf(0.975), rel=0.01
    )


@pytest.mark.parametrize("called", [[1, 0], [1, 1], [0, 0], [0, 1]])
def test_rates_of_0_and_1_in_clusters_have_values_at_every_prevalence(called):
    """Where no case of a class is called otherwise than the others, clusters show no spread of either rate."""
    import classay as ca

    truth, cluster = np.tile([1, 0], 20), np.repeat(np.arange(10), 4)
    a = ca.assess(truth, y_pred=np.tile(called, 20), labels=[0, 1], positive=1, cluster=cluster)
    alone = ca.assess(truth, y_pred=np.tile(called, 20), labels=[0, 1], positive=1).at_prevalence(0.2)
    for name, found in a.at_prevalence(0.2).estimates().items():
        assert found.value == pytest.approx(alone[name].value, nan_ok=True), name
        assert not found.has_interval or found.low <= found.value <= found.high, name


@pytest.mark.parametrize("drawn", ["alike", "weighted", "clustered"])
@pytest.mark.parametrize("seed", range(4))
def test_what_follows_from_the_prevalence_is_as_sure_as_it(drawn, seed):
    """p (1 - p) and the entropy of p have the limits of p, with few positives too."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    y = np.arange(n) < rng.integers(2, 5)
    scores = np.round(rng.random(n), 2)
    own = {
        "alike": {},
        "weighted": {"weight": np.where(y, *rng.uniform(0.2, 5, 2))},  # alike in each class: sums tell them
        "clustered": {"cluster": rng.integers(0, n // 2, n)},
    }[drawn]
    found = ca.assess(y.astype(int), scores, **own)
    ends = [found.estimate("prevalence").low, found.estimate("prevalence").high]
    assert ends[0] < 0.5
    for name, of in (
        ("brier_uncertainty", lambda p: p * (1 - p)),
        ("log_loss_uncertainty", lambda p: -p * np.log(p) - (1 - p) * np.log1p(-p)),
    ):
        estimate = found.estimate(name)
        top = of(np.array(0.5)) if ends[1] > 0.5 else max(of(each) for each in ends)
        assert (estimate.low, estimate.high) == pytest.approx((min(of(each) for each in ends), top), rel=1e-9)
