"""One proportion by every method: statsmodels, SciPy, and the command."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy import stats

import classay as ca
from classay.errors import InputError
from command import call, json_of


@pytest.mark.parametrize(("x", "n"), [(0, 1), (1, 1), (0, 20), (3, 7), (75, 100), (999, 1000)])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_the_methods_are_scipy_s_and_nest(x, n, level):
    found = ca.proportion(x, n, level=level)
    scipy = stats.binomtest(x, n)
    for name, method in (("Wilson", "wilson"), ("Clopper-Pearson", "exact")):
        wanted = scipy.proportion_ci(level, method=method)
        assert (found[name].low, found[name].high) == pytest.approx(tuple(wanted), abs=1e-9)
    z, share = stats.norm.ppf((1 + level) / 2), x / n
    half = z * np.sqrt(share * (1 - share) / n)
    for name, more in (("Wald", 0), ("corrected Wald", 0.5 / n)):
        ends = np.clip([share - half - more, share + half + more], 0, 1)
        assert (found[name].low, found[name].high) == pytest.approx(tuple(ends), abs=1e-12)
    wider = ca.proportion(x, n, level=0.999)
    other = ca.proportion(n - x, n, level=level)
    for name, each in found.estimates.items():
        assert wider[name].low <= each.low <= each.value <= each.high <= wider[name].high, name
        assert (1 - other[name].high, 1 - other[name].low) == pytest.approx((each.low, each.high), abs=1e-12)


def test_an_assessment_has_each_of_them():
    y, said = [1] * 75 + [0] * 25, [1] * 100
    a = ca.assess(y, y_pred=said, level=0.8)
    for name, each in ca.proportion(75, 100, level=0.8).estimates.items():
        assert a.estimate("accuracy", method=name) == each


def test_the_command_shows_them():
    done = call("proportion", "75", "100", "--level", "0.8")
    for each in ca.proportion(75, 100, level=0.8).estimates.values():
        assert f"{each.low:.3f} to {each.high:.3f}" in done.stdout
    shown = json_of("proportion", "75", "100")
    assert shown == ca.proportion(75, 100).to_dict()
    schema = json.loads((Path(__file__).parents[2] / "docs" / "proportion.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert not list(Draft202012Validator(schema).iter_errors(shown))
    assert ca.proportion(75, 100).frame().num_rows == len(shown["intervals"])


@pytest.mark.parametrize("given", [(-1, 5), (6, 5), (0, 0), (7.5, 10)])
def test_what_is_no_proportion_is_refused(given):
    with pytest.raises(InputError, match="is not a proportion"):
        ca.proportion(*given)
    with pytest.raises(InputError, match="level"):
        ca.proportion(1, 2, level=1)
    with pytest.raises(InputError, match="Unknown method"):
        ca.proportion(1, 2)["wilsonian"]


@pytest.mark.parametrize("drawn", ["alike", "weighted", "clustered", "both"])
@pytest.mark.parametrize("errors", [0, 2, 12])
def test_the_best_one_is_the_predicted_class(drawn, errors):
    """Top-1 accuracy is accuracy, found in scores and found in labels; weights tell hits and misses apart at most."""
    rng = np.random.default_rng(errors)
    n = 60
    true = rng.integers(0, 4, n)
    scores = rng.dirichlet(np.ones(4), n)
    scores[np.arange(n), np.where(np.arange(n) < errors, (true + 1) % 4, true)] += 1.5
    own = {"weight": np.where(np.arange(n) < errors, 3.0, 0.7), "cluster": rng.integers(0, 20, n)}
    kept = {"alike": (), "weighted": ("weight",), "clustered": ("cluster",), "both": ("weight", "cluster")}[
        drawn
    ]
    found = ca.assess(
        true, scores / scores.sum(1, keepdims=True), labels=range(4), **{name: own[name] for name in kept}
    )
    first, plain = found.estimate("top_k_accuracy(1)"), found.estimate("accuracy")
    assert (first.low, first.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert first.method == plain.method
