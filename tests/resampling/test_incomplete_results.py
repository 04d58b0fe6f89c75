"""Results over data sets that some models lack: pairs on shared data sets, and the test of Skillings and Mack."""

import json

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

import classay as ca
from classay.errors import InputError
from classay.resampling.rank_tests import friedman, skillings_mack, wide_results
from command import call, refusal

NONE = float("nan")
RNG = np.random.default_rng(2)
# Skillings & Mack 1981, Technometrics 23:171, times of assembly by four methods: T = 15.49
ASSEMBLY = {
    "a": [3.2, 3.1, 4.3, 3.5, 3.6, 4.5, NONE, 4.3, 3.5],
    "b": [4.1, 3.9, 3.5, 3.6, 4.2, 4.7, 4.2, 4.6, NONE],
    "c": [3.8, 3.4, 4.6, 3.9, 3.7, 3.7, 3.4, 4.4, 3.7],
    "d": [4.2, 4.0, 4.8, 4.0, 3.9, NONE, NONE, 4.9, 3.9],
}


def skillings(table, **how):
    return skillings_mack(wide_results(table, missing="drop", **how))


def test_the_example_of_the_paper():
    found = skillings(ASSEMBLY)
    assert found.statistic == pytest.approx(15.493, abs=5e-4)
    assert found.df == 3


@pytest.mark.parametrize("digits", [1, 6])
def test_without_missing_values_it_is_friedmans(digits):
    """With ties, as of one digit, and without."""
    table = {name: RNG.normal(k / 4, 1, 12).round(digits) for k, name in enumerate("abcde")}
    found = skillings(table)
    assert (found.statistic, found.p) == pytest.approx(tuple(friedmanchisquare(*table.values())))


def test_it_depends_on_no_order_and_no_direction():
    found = skillings(ASSEMBLY)
    order = RNG.permutation(9)
    turned = {name: [-ASSEMBLY[name][k] for k in order] for name in "dbca"}
    assert skillings(turned, better=-1).statistic == pytest.approx(found.statistic)
    one_alone = {name: [*each, 1.0 if name == "a" else NONE] for name, each in ASSEMBLY.items()}
    assert skillings(one_alone).statistic == pytest.approx(found.statistic)


def test_its_p_is_that_of_random_orders():
    """Each data set's values in random order among the models that have one: the share of statistics as large."""
    table = {name: np.round(RNG.normal(k / 3, 1, 20), 1) for k, name in enumerate("abcd")}
    values = np.stack([*table.values()], 1)
    values[RNG.random(values.shape) < 0.25] = NONE
    found = skillings(dict(zip("abcd", values.T, strict=True)))
    larger = []
    draws = 600
    for _ in range(draws):
        drawn = values.copy()
        for row in drawn:
            here = np.flatnonzero(~np.isnan(row))
            row[here] = row[RNG.permutation(here)]
        larger.append(skillings(dict(zip("abcd", drawn.T, strict=True))).statistic >= found.statistic - 1e-9)
    assert np.mean(larger) == pytest.approx(found.p, abs=3 * np.sqrt(found.p * (1 - found.p) / draws))


def test_data_sets_that_share_no_model_cannot_be_compared():
    apart = {
        "a": [1, 2, NONE, NONE],
        "b": [2, 3, NONE, NONE],
        "c": [NONE, NONE, 1, 2],
        "d": [NONE, NONE, 3, 1],
    }
    found = skillings(apart)
    assert np.isnan(found.p)
    assert "groups of data sets share no model" in found.reason
    pairs = ca.compare_datasets({"set": list("pqrs"), **apart}, dataset="set", missing="drop")
    assert "they share 0 data sets" in pairs["value", "a", "c"].reason
    assert "cannot be compared" in pairs["value", "a", "c"].sentence


def test_pairs_are_compared_over_the_data_sets_that_both_have():
    frame = {"set": [f"s{k}" for k in range(9)], **ASSEMBLY}
    found = ca.compare_datasets(frame, dataset="set", missing="drop", adjustment="bonferroni")
    for one in found:
        first, second = (np.array(ASSEMBLY[name]) for name in one.models)
        both = ~np.isnan(first + second)
        alone = ca.compare_datasets({one.models[0]: first[both], one.models[1]: second[both]})[0]
        assert (one.p, one.effect, one.n) == (alone.p, alone.effect, both.sum())
    assert found.overall[0].statistic == pytest.approx(15.493, abs=5e-4)
    assert found.diagram is None
    assert "Skillings & Mack 1981" in found.methods_text()
    assert dict(found.facts)["missing values"].startswith("4 of 36")
    assert "Skillings" in str(found)


def test_a_complete_table_is_as_before_whatever_is_allowed():
    frame = {"set": list("pqrstu"), **{name: RNG.normal(size=6).tolist() for name in "xyz"}}
    plain, allowed = (ca.compare_datasets(frame, dataset="set", missing=each) for each in ("refuse", "drop"))
    assert plain.to_dict() == allowed.to_dict()
    assert plain.overall[0].p == friedman(wide_results({k: frame[k] for k in "xyz"})).p


@pytest.mark.parametrize("method", ["nemenyi", "mean-ranks"])
def test_tests_of_all_ranks_want_every_value(method):
    control = "a" if method == "mean-ranks" else None
    with pytest.raises(InputError, match="4 values are missing"):
        ca.compare_datasets(ASSEMBLY, missing="drop", method=method, control=control)


def test_missing_values_are_refused_unless_they_are_allowed(tmp_path, monkeypatch):
    with pytest.raises(
        InputError, match="Exclude the data set or the model, or compare any two models on their"
    ):
        ca.compare_datasets(ASSEMBLY)
    monkeypatch.chdir(tmp_path)
    rows = [f"s{k},{m},{v}" for m, each in ASSEMBLY.items() for k, v in enumerate(each) if v == v]
    (tmp_path / "long.csv").write_text("\n".join(["set,model,value", *rows]))
    columns = ("--dataset", "set", "--model", "model", "--value", "value", "--better", "higher")
    refusal("compare", "long.csv", *columns)
    done = call("compare", "long.csv", *columns, "--missing", "drop", "--json", "-")
    assert json.loads(done.stdout)["overall"][0]["statistic"] == pytest.approx(15.493, abs=5e-4)
