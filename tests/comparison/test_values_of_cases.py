"""Tests of the values of the cases, and the best of several models: by Python's doors and by the commands."""

import json
from itertools import pairwise

import numpy as np
import pytest

import classay as ca
from classay.comparison.cases.sequential import mean_sequence, sequential_losses, sequential_mcnemar
from classay.comparison.cases.unit_means import UnitMeans
from classay.errors import InputError
from command import as_json, call, json_of, refusal

RNG = np.random.default_rng(5)
N = 400
Y = RNG.integers(0, 2, N)
SCORES = {
    name: 1 / (1 + np.exp(-(2 * Y - 1 + RNG.normal(0, spread, N))))
    for name, spread in (("a", 1), ("b", 3), ("c", 3))
}
RIGHT = {name: (each >= 0.5) == Y for name, each in SCORES.items()}
INSIDE = {"accuracy": slice(None), "recall": Y == 1, "specificity": Y == 0}


@pytest.mark.parametrize("measure", INSIDE)
def test_the_sequential_test_of_rows_in_their_order_is_that_of_the_values(measure):
    found = ca.compare({k: SCORES[k] for k in "ab"}, Y, measures=[measure], method="sequential")[0]
    first, second = (RIGHT[name][INSIDE[measure]] for name in "ab")
    assert found.p == sequential_mcnemar(first, second).p[-1]
    low, high = mean_sequence(first.astype(float) - second, 0.95)
    assert (found.effect.low, found.effect.high) == (low[-1], high[-1])
    assert found.effect.value == pytest.approx(first.mean() - second.mean())


def test_the_sequential_test_of_losses_bets_on_their_differences():
    found = ca.compare({k: SCORES[k] for k in "ab"}, Y, measures=["brier_score"], method="sequential")[0]
    first, second = ((SCORES[name] - Y) ** 2 for name in "ab")
    assert found.p == pytest.approx(sequential_losses(first - second).p[-1])
    assert (
        "cannot be compared" in ca.compare(SCORES, Y, measures=["log_loss"], method="sequential")[0].sentence
    )


def test_the_sequential_test_looks_at_the_order_and_never_takes_evidence_back():
    """After more cases p is no larger and the interval no wider."""
    steps = [
        ca.compare({k: SCORES[k][:n] for k in "ab"}, Y[:n], measures=["accuracy"], method="sequential")[0]
        for n in (50, 150, 300, 400)
    ]
    assert all(b.p <= a.p for a, b in pairwise(steps))
    assert all(b.effect.low >= a.effect.low for a, b in pairwise(steps))
    swapped = ca.compare({k: SCORES[k] for k in "ba"}, Y, measures=["accuracy"], method="sequential")[0]
    assert (swapped.p, swapped.effect.low) == (steps[-1].p, pytest.approx(-steps[-1].effect.high))


def test_no_other_test_stands_in_for_the_sequential_one():
    found = ca.compare(SCORES, Y, measures=["roc_auc"], method="sequential")[0]
    assert np.isnan(found.p)
    assert "mean over the cases" in found.reason


@pytest.mark.parametrize(
    ("role", "values", "instead"),
    [("weight", np.ones(N), "remove weight"), ("cluster", np.arange(N) // 2, "one row per cluster")],
)
@pytest.mark.parametrize("measure", ["accuracy", "brier_score"])
def test_the_sequential_test_of_cases_that_do_not_count_alike_is_refused_with_what_to_do(
    role, values, instead, measure
):
    with pytest.raises(InputError, match=f"{role}s are set. Remove the method") as refused:
        ca.compare(SCORES, Y, measures=[measure], method="sequential", **{role: values})
    assert instead in str(refused.value)
    assert not np.isnan(ca.compare(SCORES, Y, measures=[measure], **{role: values})[0].p)


def test_the_sequential_test_of_frequencies_is_that_of_repeated_rows():
    times = 1 + np.arange(N) % 3
    each = ca.compare(SCORES, Y, measures=["accuracy"], method="sequential", frequency=times)[0]
    repeated = {name: np.repeat(values, times) for name, values in SCORES.items()}
    rows = ca.compare(repeated, np.repeat(Y, times), measures=["accuracy"], method="sequential")[0]
    assert (each.p, each.effect, each.n) == (rows.p, rows.effect, times.sum())


def test_max_t_is_the_baseline_test_of_the_values():
    found = ca.compare(SCORES, Y, measures=["accuracy"], method="max-t", control="c", seed=3)
    wanted = ca.against_baseline(
        {k: v.astype(float) for k, v in RIGHT.items()}, "c", measure="accuracy", seed=3
    )
    for one, other in zip(
        found, wanted, strict=True
    ):  # cases are drawn by their scores here, by values there
        assert (one.models, one.effect.value) == (other.models, pytest.approx(other.effect.value))
        assert one.p_adjusted == pytest.approx(other.p_adjusted, abs=0.02)
        assert (one.effect.low, one.effect.high) == pytest.approx(
            (other.effect.low, other.effect.high), rel=0.02
        )
    assert all(one.p_adjusted >= one.p * 0.5 for one in found)
    assert "each interval stands alone" not in found.methods_text()


@pytest.mark.covering(2)
@pytest.mark.parametrize("more", [{}, {"cluster": np.arange(N) // 3}], ids=["cases", "clusters"])
@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("measure", ["accuracy", "brier_score", "log_loss"])
def test_max_t_tells_of_a_pair_what_the_test_of_two_models_tells(measure, level, more):
    how = {"measures": [measure], "control": "c", "level": level, **more}
    found, wanted = ca.compare(SCORES, Y, method="max-t", **how), ca.compare(SCORES, Y, **how)
    for one in found:
        other = wanted[measure, one.models[0], one.models[1]]
        assert one.values == pytest.approx(other.values)
        assert one.values[0] - one.values[1] == pytest.approx(one.effect.value)
        assert (one.measure, one.level, one.effect.level) == (measure, other.level, level)
        assert (one.n, one.sample.units) == (other.n, other.sample.units)
        assert (one.effect.low - other.effect.low) * (other.effect.high - one.effect.high) >= 0


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"measures": ["accuracy"]}, "compares all models with one. Pass control="),
        (
            {"measures": ["accuracy", "recall"], "control": "c"},
            "compares all models in one measure, but 2 are set",
        ),
        ({"measures": ["accuracy"], "control": "c", "alternative": "less"}, "has no one-sided test"),
    ],
)
def test_what_max_t_refuses(how, said):
    with pytest.raises(InputError, match=said):
        ca.compare(SCORES, Y, method="max-t", **how)


@pytest.mark.parametrize("measure", ["accuracy", "brier_score"])
def test_the_best_is_that_of_the_values_turned_where_less_is_better(measure):
    sign = 1 if measure == "accuracy" else -1
    values = RIGHT if measure == "accuracy" else {k: (v - Y) ** 2 for k, v in SCORES.items()}
    wanted = ca.best_of_values({k: sign * np.asarray(v, float) for k, v in values.items()}, seed=2)
    found = ca.best_of(SCORES, Y, measure, seed=2)
    assert (found.model, found.models, found.cases) == ("a", 3, N)
    assert found.corrected.value == pytest.approx(sign * wanted.corrected.value, rel=5e-3)
    assert found.observed.value == pytest.approx(sign * wanted.observed.value)
    assert found.shrinkage >= 0
    assert found.corrected.low <= found.corrected.value <= found.corrected.high


def test_repeated_rows_are_rows():
    times = RNG.integers(0, 3, N)
    repeated = ca.best_of({k: np.repeat(v, times) for k, v in SCORES.items()}, np.repeat(Y, times))
    counted = ca.best_of(SCORES, Y, frequency=times)
    assert counted.observed == repeated.observed
    assert counted.corrected == repeated.corrected


def test_a_best_model_shows_itself_in_every_form(tmp_path):
    found = ca.best_of(SCORES, Y)
    found.report(tmp_path / "b.html")
    for text in (str(found), found.to_markdown(), (tmp_path / "b.html").read_text()):
        assert "expected on new cases" in text
    assert "toprule" in found.to_latex()
    assert found.to_dict()["model"] == "a"
    assert found.sentence in " ".join(str(found).replace("┃", " ").split())


@pytest.mark.parametrize(
    ("measure", "how", "said"),
    [
        ("expected_calibration_error", {}, "no joint distribution.*such as accuracy or roc_auc"),
        ("prevalence", {}, "neither high nor low"),
    ],
)
def test_a_best_model_that_cannot_be_corrected(measure, how, said):
    with pytest.raises(InputError, match=said):
        ca.best_of(SCORES, Y, measure, **how)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("accuracy", "odd has neither labels nor probabilities nor a threshold"),
        ("roc_auc", "bare has no scores"),
    ],
)
def test_a_model_without_what_the_measure_needs_is_not_passed_over(measure, said):
    """Two models with it would do, but the choice was among all that were named."""
    odd = {"odd": 5 * np.asarray(SCORES[next(iter(SCORES))])}
    models = SCORES | (odd if measure == "accuracy" else {})
    labels = {} if measure == "accuracy" else {"y_pred": {"bare": Y}}
    with pytest.raises(InputError, match=f"{said}.*remove models"):
        ca.best_of(models, Y, measure, **labels)


@pytest.mark.parametrize("measure", ["accuracy", "recall", "brier_score", "roc_auc"])
class TestHowTheCasesWereDrawn:
    """What weights and clusters are, told by cases that are the same: intervals differ by their draws alone."""

    @staticmethod
    def same(one, other):
        assert one.model == other.model
        for a, b in ((one.observed, other.observed), (one.corrected, other.corrected)):
            assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=5e-3)

    def test_clusters_of_one_case_are_cases(self, measure):
        self.same(ca.best_of(SCORES, Y, measure, cluster=np.arange(N)), ca.best_of(SCORES, Y, measure))

    def test_equal_weights_are_none(self, measure):
        self.same(ca.best_of(SCORES, Y, measure, weight=np.full(N, 2.5)), ca.best_of(SCORES, Y, measure))

    def test_copies_in_a_cluster_say_nothing_new(self, measure):
        """Each case three times in a cluster of its own: the same values and nearly the same intervals."""
        thrice = {name: np.repeat(each, 3) for name, each in SCORES.items()}
        self.same(
            ca.best_of(thrice, np.repeat(Y, 3), measure, cluster=np.repeat(np.arange(N), 3)),
            ca.best_of(SCORES, Y, measure),
        )

    def test_the_order_of_rows_and_of_models_changes_nothing(self, measure):
        order = RNG.permutation(N)
        turned = {name: SCORES[name][order] for name in reversed(SCORES)}
        how = {"weight": 1 + np.arange(N) % 3}
        self.same(
            ca.best_of(turned, Y[order], measure, weight=how["weight"][order]),
            ca.best_of(SCORES, Y, measure, **how),
        )

    def test_the_value_is_that_of_the_assessment(self, measure):
        how = {"weight": 1 + np.arange(N) % 3}
        found = ca.best_of(SCORES, Y, measure, **how)
        assert found.observed.value == pytest.approx(ca.assess(Y, SCORES[found.model], **how)[measure].value)

    def test_intervals_stay_inside_the_range(self, measure):
        few = slice(0, 60)
        found = ca.best_of({name: SCORES[name][few] for name in "bc"}, Y[few], measure)
        for each in (found.observed, found.corrected):
            assert 0 <= each.low <= each.value <= each.high <= 1


def test_the_measure_that_nobody_chose_is_said():
    assert ("measure", "accuracy (default, not chosen for these data)") in ca.best_of(SCORES, Y).facts
    assert ("measure", "accuracy") in ca.best_of(SCORES, Y, "accuracy").facts
    assert ca.best_of(SCORES, Y).corrected == ca.best_of(SCORES, Y, "accuracy").corrected


def test_max_t_of_clusters_and_weights():
    """A cluster of one case is a case, and dependent cases make the adjusted intervals wider."""
    how = {"measures": ["accuracy"], "method": "max-t", "control": "c"}
    plain = ca.compare(SCORES, Y, **how)
    for same in ({"cluster": np.arange(N)}, {"weight": np.full(N, 0.3)}):
        for one, other in zip(plain, ca.compare(SCORES, Y, **how, **same), strict=True):
            assert other.p_adjusted == pytest.approx(one.p_adjusted, abs=0.02)
            assert (other.effect.low, other.effect.high) == pytest.approx(
                (one.effect.low, one.effect.high), rel=0.02
            )
    thrice = {name: np.repeat(each, 3) for name, each in SCORES.items()}
    found = ca.compare(thrice, np.repeat(Y, 3), **how, cluster=np.repeat(np.arange(N), 3))
    assert [one.effect.low for one in found] == pytest.approx([one.effect.low for one in plain], rel=0.02)
    assert (found[0].units, found[0].n) == ("clusters", N)
    few = ca.compare(SCORES, Y, **how, cluster=np.arange(N) // 40)
    assert all("fewer than 30 clusters" in one.reason for one in few)


@pytest.fixture
def _file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(Y, *SCORES.values(), strict=True)
    text = "\n".join(["y,a,b,c", *(",".join(map(repr, map(float, row))) for row in rows)])
    (tmp_path / "p.csv").write_text(text)


@pytest.mark.usefixtures("_file")
def test_the_commands_say_what_python_says():
    rows = ("p.csv", "--truth", "y", "--positive", "1")
    best = json_of("best", *rows, "--scores", "a,b,c")
    assert best == as_json(ca.best_of(SCORES, Y))
    done = call(
        "compare", *rows, "--scores", "a,b", "--measures", "accuracy", "--method", "sequential", "--json", "-"
    )
    one = json.loads(done.stdout)["comparisons"][0]
    here = ca.compare({k: SCORES[k] for k in "ab"}, Y, measures=["accuracy"], method="sequential")[0]
    assert (one["p"], one["low"]) == (here.p, here.effect.low)


@pytest.mark.usefixtures("_file")
def test_different_test_sets_take_a_method():
    rows = ("p.csv", "--truth", "y", "--positive", "1", "--score", "a", "--measures", "accuracy")
    with open("q.csv", "w") as file:
        file.write("y,a\n" + "\n".join(f"{y},{s}" for y, s in zip(Y[:90], SCORES["b"][:90], strict=True)))
    done = call(
        "compare", rows[0], "q.csv", *rows[1:], "--unpaired", "--method", "agresti-caffo", "--json", "-"
    )
    assert json.loads(done.stdout)["comparisons"][0]["interval"].startswith("Agresti-Caffo")
    assert "Unknown method 'delta' for models on different test sets" in refusal(
        "compare", rows[0], "q.csv", *rows[1:], "--unpaired", "--method", "delta"
    )


@pytest.mark.parametrize("measure", ["accuracy", "brier_score"])
@pytest.mark.parametrize("how", [{}, {"weight": [2.0]}])
def test_one_case_shows_no_spread(measure, how):
    how = how | {"labels": [0, 1], "threshold": 0.5}
    scores = {"a": [0.9], "b": [0.2]}
    best = ca.best_of(scores, [1], measure, **how)
    assert (best.model, best.corrected.has_interval) == ("a", False)
    assert best.corrected.reason
    found = ca.compare(scores, [1], method="max-t", control="a", measures=[measure], **how)[0]
    assert np.isnan(found.p)
    assert found.reason or found.effect.reason


@pytest.mark.parametrize(
    "size", [np.ones(12), np.full(12, 3.0), np.linspace(1, 4, 12)], ids=["1", "3", "uneven"]
)
def test_a_resample_of_units_has_the_means_and_errors_of_the_units_that_it_holds(size):
    rng = np.random.default_rng(4)
    means = UnitMeans(("a", "b"), rng.random((12, 2)) * size[:, None], size)
    counts = rng.multinomial(12, np.full(12, 1 / 12), 20).astype(float)
    found = means.resampled(counts)
    for drawn, errors, times in zip(*found, counts.astype(int), strict=True):
        units = UnitMeans(means.names, means.sums.repeat(times, 0), means.size.repeat(times))
        assert drawn == pytest.approx(units.values)
        assert errors == pytest.approx(units.errors)
