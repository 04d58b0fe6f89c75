"""Every method of intervals that serves a measure is had by its name, however the cases were drawn."""

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.inference.bootstrap.bootstrapping import LabelledRows, ScoredRows, bootstrap
from classay.inference.registry import METHODS, all_names, methods
from classay.measures import get

WAYS = {"alike": {}, "weighted": {"weight": True}, "clustered": {"cluster": True}}
LABELS = ("recall", "f1", "matthews_correlation", "balanced_accuracy", "npv", "macro_f1")
SCORES = ("roc_auc", "gini", "average_precision", "brier_score", "calibration_slope", "kolmogorov_smirnov")


def assessed(drawn, **options):
    rng = np.random.default_rng(3)
    truth = rng.random(150) < 0.4
    columns = {"weight": rng.uniform(0.5, 3, 150), "cluster": np.arange(150) // 3}
    chosen = {name: columns[name] for name in WAYS[drawn]}
    return ca.assess(truth, 1 / (1 + np.exp(-rng.normal(size=150) - truth)), **chosen, **options)


@pytest.mark.parametrize("drawn", WAYS)
@pytest.mark.parametrize("name", [*LABELS, *SCORES])
def test_every_method_that_serves_is_had_by_name(drawn, name):
    a, measure = assessed(drawn), get(name)
    known = methods(measure, a.table(measure), drawn)
    assert known
    for each in known:
        found = a.estimate(name, method=each.name)
        assert found.has_interval, (each.name, found.reason)
        assert found.low <= found.value <= found.high
        assert found.value == a[name].value


@pytest.mark.parametrize("drawn", ["weighted", "clustered"])
def test_an_error_lists_the_methods_for_cases_so_drawn(drawn):
    a = assessed(drawn)
    with pytest.raises(InputError, match="there it has moderated DeLong") as raised:
        a.estimate("roc_auc", method="Wilson")
    refused = {each.name for each in METHODS if drawn not in each.drawn}
    assert not refused & set(str(raised.value).split("it has ")[1].rstrip(".").split(", "))
    if drawn == "clustered":
        with pytest.raises(InputError, match="which it takes for independent and alike"):
            a.estimate("roc_auc", method="logit-DeLong")


def test_the_interval_of_all_measures_may_be_chosen_for_clusters_too():
    a, plain = assessed("clustered", interval="bootstrap"), assessed("clustered")
    assert a["f1"] == plain.estimate("f1", method="bootstrap") != plain["f1"]
    assert "cluster bootstrap" in a["roc_auc"].method
    assert a["expected_calibration_error"] == plain["expected_calibration_error"]  # has none by the bootstrap
    with pytest.raises(InputError, match=r"for cases with sampling weights there are .*moderated DeLong"):
        assessed("weighted", interval="exact")
    assert "Clopper-Pearson" not in all_names("weighted")


def test_clusters_are_resampled_as_rows():
    """The same as resampling the rows as they came."""
    rng = np.random.default_rng(8)
    truth, score = rng.random(90) < 0.5, np.round(rng.normal(size=90), 1)
    score = (score + truth - score.min()) / np.ptp(score + truth + 1)
    cluster, times = rng.integers(0, 30, 90), rng.integers(1, 4, 90)
    a = ca.assess(truth, score, threshold=0.5, cluster=cluster, frequency=times)
    code = np.unique(cluster, return_inverse=True)[1]
    scored = ScoredRows(score, truth, times, code)
    labelled = LabelledRows((score >= 0.5).astype(int), truth.astype(int), (False, True), times, code)
    for table, name in ((scored, "roc_auc"), (scored, "log_loss"), (labelled, "mcc"), (labelled, "macro_f1")):
        expected = bootstrap(table, get(name))
        found = a.estimate(name, method="bootstrap")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9), name


def test_replicates_of_counts_are_those_of_their_matrix():
    rng = np.random.default_rng(1)
    truth, called = rng.random(120) < 0.4, rng.random(120) < 0.5
    a = ca.assess(truth, y_pred=called | truth, cluster=np.arange(120) // 4)
    ends = [
        (each.low, each.high)
        for each in (a.estimate("f1", method="percentile"), a.estimate("jaccard", method="percentile"))
    ]
    f1, jaccard = ends
    assert f1 == pytest.approx([2 * end / (1 + end) for end in jaccard], rel=1e-9)
