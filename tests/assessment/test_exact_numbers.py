"""Numbers that rounding must not decide: weighted readings and cells, far scales, probabilities at the edge."""

import os
import stat
import subprocess
import sys

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError, MergeError
from classay.measures import MEASURES, f1, get, macro, matthews_correlation, per_class, ranking
from classay.tables import ConfusionMatrix, ScoreTable

SEPARATED = {"y_true": [0] * 10 + [1] * 10, "y_score": np.arange(20) / 20 + 0.05}


def test_weights_of_a_tenth_reach_a_rate_of_one():
    a = ca.assess(**SEPARATED, weight=[0.1] * 20)
    assert a.roc.threshold_for(tpr=1).value == 0.55
    assert a.roc.fpr_at(tpr=1).value == 0
    assert [a[name].value for name in ("ks", "max_f1", "auc", "ap", "auch")] == [1] * 5


@pytest.mark.parametrize("weight", [[0.1, 0.2, 0.3, 0.1, 0.2, 0.7], [0.1] * 6])
def test_an_empty_weighted_cell_is_zero(weight):
    a = ca.assess([1, 1, 1, 0, 0, 0], y_pred=[1, 0, 1, 1, 1, 1], weight=weight)  # no negative is called so
    assert a["negative_likelihood_ratio"].value == np.inf
    assert (a["npv"].value, a["specificity"].value) == (0, 0)
    everything = ca.assess([1, 1, 1, 0, 0, 0], y_pred=[1] * 6, weight=weight)
    assert everything["npv"].reason == everything["markedness"].reason == "every case is predicted positive"


def test_weighted_class_counts_are_sums_of_cells():
    rng = np.random.default_rng(0)
    counts = rng.gamma(1, size=(2, 5, 5)) * (rng.random((2, 5, 5)) < 0.3)
    found = ConfusionMatrix(counts, tuple("abcde")).class_counts()
    for i in range(5):
        others = np.delete(np.arange(5), i)
        wanted = (
            counts[:, i, i],
            counts[:, i, others].sum(-1),
            counts[:, others, i].sum(-1),
            counts[:, others][:, :, others].sum((-2, -1)),
        )
        for mine, other in zip(found, wanted, strict=True):
            assert mine[:, i] == pytest.approx(other, rel=1e-14, abs=0)


def test_parts_of_other_scales_do_not_merge():
    near, far = (ca.assess(**SEPARATED, weight=np.full(20, w)) for w in (0.1, 1e-80))
    with pytest.raises(MergeError, match="weight scale"):
        near + far


def test_a_macro_average_of_a_measure_of_whole_matrices():
    matrix = ConfusionMatrix.from_array([[50, 3, 2], [10, 30, 5], [4, 6, 40]], "abc", rows="true")
    assert macro(matthews_correlation)(matrix) == pytest.approx(
        per_class(matthews_correlation)(matrix).mean()
    )
    with pytest.raises(InputError, match="quadratic_kappa cannot be averaged over"):
        macro(MEASURES["quadratic_kappa"])(matrix)
    assert macro(f1)(matrix) == pytest.approx(per_class(f1)(matrix).mean())


@pytest.mark.parametrize(
    "name",
    [
        *("expected_calibration_error", "maximum_calibration_error", "cumulative_calibration_error"),
        *(
            "cumulative_calibration_range",
            "spiegelhalter_z",
            "observed_expected_ratio",
            "brier_score",
            "roc_auc",
        ),
    ],
)
def test_leading_axes_of_many_scores(name):
    m = 100_001
    rng = np.random.default_rng(0)
    scores = np.linspace(0.999, 0.001, m)
    table = ScoreTable(scores, rng.integers(0, 2, (2, m)), rng.integers(0, 2, (2, m)))
    values = MEASURES[name](table)
    for i in range(2):
        one = ScoreTable(scores, table.positives[i], table.negatives[i])
        assert values[i] == pytest.approx(MEASURES[name](one), rel=1e-9)


def test_cases_of_weighted_rows_are_counted_as_cases():
    rng = np.random.default_rng(1)
    truth, score, weight = rng.integers(0, 2, 40), rng.random(40), rng.gamma(2, size=40)
    a, b = (ca.assess(truth, score, weight=c * weight) for c in (1.0, 0.1))
    assert b.lift.precision_at_k(10).value == pytest.approx(a.lift.precision_at_k(10).value)
    top = np.argsort(-score)
    upto = np.cumsum(weight[top]) / weight.sum()
    share = np.interp(10 / 40, np.append(0, upto), np.append(0, np.cumsum((weight * truth)[top])))
    assert a.lift.recall_at_k(10).value == pytest.approx(share / (weight * truth).sum())
    with pytest.raises(InputError, match="k must be between 1 and the number of cases"):
        a.lift.precision_at_k(41)


# -- probabilities ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [{}, {"weight": np.arange(60) % 3 + 1.0}, {"cluster": np.arange(60) % 20}])
def test_slopes_leave_out_certain_cases(rows):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 60)
    score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.3), 0, 1)
    kept = (score > 0) & (score < 1)
    assert 0 < kept.sum() < 60
    a = ca.assess(truth, score, **rows)
    b = ca.assess(truth[kept], score[kept], **{name: each[kept] for name, each in rows.items()})
    for name in ("calibration_slope", "calibration_intercept", "calibration_in_the_large"):
        assert a[name].value == pytest.approx(b[name].value)
        assert "of probability 0 or 1" in a[name].method
        if "cluster" not in rows:
            assert (a[name].low, a[name].high) == pytest.approx((b[name].low, b[name].high))
    certain = int((score == 0)[truth == 1].sum() + (score == 1)[truth == 0].sum())
    if not rows and certain:
        assert f"the true class of {certain} case" in a["log_loss"].reason


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_score_beyond_one_by_rounding(dtype):
    score = np.array([0.25, 1, 0.5, 0.75], dtype)
    beyond = score.copy()
    beyond[1] = np.nextafter(dtype(1), dtype(2))
    truth = [0, 1, 1, 0]
    assert ca.assess(truth, beyond)["brier_score"] == ca.assess(truth, score)["brier_score"]
    further = ca.assess(truth, np.where(score == 1, dtype(1.001), score))["brier_score"]
    assert "outside [0, 1]" in further.reason


@pytest.mark.parametrize("end", [0, 1])
def test_scores_that_rounding_would_make_one_stay_apart(end):
    score = np.spacing(1.0) * np.array([-2, -1.5, -1, 0]) if end == 0 else 1 + np.spacing(1.0) * np.arange(4)
    truth = np.array([0, 0, 1, 1])
    for table in ({"y": truth, "s": score}, {"y": truth[::-1], "s": score[::-1]}):
        assert ca.assess(table["y"], table["s"])["roc_auc"].value == 1
    others = {
        "y": np.append(truth, [0, 1]),
        "s": np.append(score, [0.2, 0.7]),
    }  # among which they are rounded
    assert sorted(ca.assess(others["y"], others["s"]).scores.scores) == sorted([end, 0.2, 0.7])


def test_rounded_class_probabilities_are_renormalised_if_asked(tmp_path):
    rng = np.random.default_rng(3)
    truth, p = rng.integers(0, 7, 200), np.round(rng.dirichlet(np.ones(7), 200) * 0.999 + 0.001 / 7, 4)
    off = int((np.abs(p.sum(1) - 1) > 1e-6).sum())
    assert 0 < off < 200
    as_written = ca.assess(truth, p)  # of four decimals, whose sums are 1 but for rounding
    assert as_written["log_loss"].value == pytest.approx(-np.log(p[np.arange(200), truth]).mean())
    assert "rounded_scores" in [each.code for each in as_written.warnings]
    a = ca.assess(truth, p, improper="renormalise")
    assert a.renormalised == off
    whole = p / p.sum(1, keepdims=True)
    assert a["log_loss"].value == pytest.approx(-np.log(whole[np.arange(200), truth]).mean())
    assert f"divided by their sum in {off} rows" in str(a)
    a.save(tmp_path / "a.classay")
    assert ca.load(tmp_path / "a.classay").renormalised == off
    assert (a + a).renormalised == 2 * off
    with pytest.raises(InputError, match="outside"):
        ca.assess(truth, p - 0.5, improper="renormalise")
    with pytest.raises(InputError, match="Scores of one column cannot be normalized"):
        ca.assess([0, 1], [0.5, 0.6], improper="renormalise")
    with pytest.raises(InputError, match="must be 'keep' or 'renormalise', but is 'fix'"):
        ca.assess(truth, p, improper="fix")


# -- kernels ---------------------------------------------------------------------------------------


def test_kernels_compile_where_nothing_can_be_written(tmp_path):
    """As for a service user: neither the folder of the package nor the home can be written, so nothing is kept."""
    source = os.path.dirname(ca.__file__)
    code = (
        "import numba.core.caching as caching\n"
        "for locator in caching.CacheImpl._locator_classes:\n"
        "    locator.ensure_cache_path = lambda self: (_ for _ in ()).throw(OSError('read-only'))\n"
        "import numpy as np, classay\n"
        "from classay.tables import ScoreTable\n"
        "score = np.arange(150_000, 0, -1) / 150_000\n"
        "positive = (score > 0.5).astype(int)\n"
        "print(classay.measures.roc_auc(ScoreTable(score, positive, 1 - positive)))\n"
    )
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(stat.S_IRUSR | stat.S_IXUSR)
    given = os.environ | {"HOME": str(home), "PYTHONPATH": os.path.dirname(source)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=given, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.strip() == "1.0", done.stderr


@pytest.mark.covering(1)
@pytest.mark.parametrize("weight", [0.1, 0.7, 1 / 3, 1e-5])
@pytest.mark.parametrize("unlike", [False, True])
def test_readings_at_a_wanted_rate_have_one_allowance_for_rounding(weight, unlike):
    """A rate that is attained by counts is attained by equal weights, and by any weights in another unit."""
    rng = np.random.default_rng(4)
    for n in (10, 20, 50):
        truth, score = np.arange(n) % 5 < 2, rng.integers(0, n, n) / n
        base = rng.integers(1, 4, n) / 1.0 if unlike else None
        counted = ScoreTable.from_rows(score, truth, weight=base)
        weighed = ScoreTable.from_rows(
            score, truth, weight=np.full(n, weight) if base is None else base * weight
        )
        for wanted in np.arange(21) / 20:
            for name in ("recall_at_precision", "recall_at_specificity"):
                measure = get(f"{name}({wanted:g})")
                assert measure(weighed) == pytest.approx(measure(counted), abs=1e-12), (name, wanted)
            for found, other in (
                (ranking.precision_at(weighed, wanted), ranking.precision_at(counted, wanted)),
                (ranking.tpr_at(weighed, wanted), ranking.tpr_at(counted, wanted)),
                (ranking.fpr_at(weighed, wanted), ranking.fpr_at(counted, wanted)),
            ):
                assert found.threshold == other.threshold
                assert found.value == pytest.approx(other.value, abs=1e-12)
            complement = ranking.complement_of(wanted)  # two doors to one reading
            assert (
                get(f"recall_at_specificity({wanted:g})")(weighed)
                == ranking.tpr_at(weighed, complement).value
            )
