"""A group of cases or a period has warnings of its own columns, each code once, beside those of all cases."""

import numpy as np
import pytest

import classay as ca

N = 900
RNG = np.random.default_rng(1)
Y = RNG.integers(0, 2, N)
P = np.clip(0.5 + 0.1 * (2 * Y - 1) + RNG.normal(0, 0.2, N), 0.01, 0.99).round(3)
G = np.array(["a", "b", "c"])[RNG.integers(0, 3, N)]


def told(result):
    return [(each.code, each.concerns) for each in result.warnings]


def test_a_group_of_its_own_is_named():
    found = ca.assess_by(Y, np.where(G == "a", 1 - P, P), by=G)
    assert told(found) == [("auc_below_half", ("a",))]
    text = "group 'a': the score ranks the classes in reverse"
    assert found.warnings[0].text.startswith(text)
    assert "Group 'a': the score ranks the classes in reverse" in " ".join(str(found).split())
    assert found.to_dict()["warnings"][0]["concerns"] == ["a"]
    assert told(ca.assess_by(Y, P, by=G)) == []


def test_what_all_cases_show_is_not_repeated():
    assert told(ca.assess_by(Y, 1 - P, by=G)) == [("auc_below_half", ())]


def test_many_groups_with_one_warning_are_one_warning():
    groups = np.arange(N) // 90
    found = ca.assess_by(Y, np.where(groups < 9, 0.4, P), by=groups)
    assert told(found) == [("constant_scores", tuple(map(str, range(9))))]
    assert found.warnings[0].text.endswith("group 1, group 2, group 3, group 4 and 4 more.")


def test_small_groups_have_none():
    """In a group of a few cases, one score or a perfect order come by chance."""
    assert told(ca.assess_by(Y, P, by=[f"g{k // 2}" for k in range(N)])) == []


@pytest.mark.parametrize("pool", [None, 20])
def test_models_in_groups(pool):
    groups = np.where(np.arange(N) % 50 == 0, "few", G)
    order = RNG.permutation(N)  # the order of rows changes nothing
    models = {"new": np.where(G == "a", 1 - P, P), "old": np.where(G == "b", 0.4, P)}
    models = {name: each[order] for name, each in models.items()}
    found = ca.compare(models, Y[order], by=groups[order], pool=pool, measures=["roc_auc"])
    assert told(found) == [("constant_scores", ("old", "b")), ("auc_below_half", ("new", "a"))]
    assert found.warnings[0].text.startswith("old in group 'b': the score has only 1 value")
    assert told(found.gate("not-worse", 0.1)) == told(found)


def test_tags_in_groups():
    truth = RNG.integers(0, 2, (N, 3))
    scores = np.clip(0.4 * truth + 0.6 * RNG.random((N, 3)), 0.01, 0.99)
    turned = np.where((G == "a")[:, None], 1 - scores, scores)
    labels = ["x", "y", "z"]
    assert told(ca.assess_by(truth, turned, by=G, labels=labels)) == [("class_auc_below_half", ("a",))]
    found = ca.compare({"new": turned, "old": scores}, truth, by=G, labels=labels, measures=["micro_f1"])
    assert told(found) == [("class_auc_below_half", ("new", "a"))]


@pytest.mark.parametrize("how", [{"bands": [40, 65]}, {"bands": [20, 40, 65, 89], "pool": 60}])
def test_models_in_bands(how):
    """Warnings are those of the cases of a band, as where the bands are a column; each row may be several cases."""
    age = RNG.integers(18, 90, N)
    models = {"new": np.where(age >= 65, 0.4, P), "old": P}
    times = 1 + np.arange(N) % 3
    each = {"frequency": times} | how
    found = ca.compare(models, Y, by=age, measures=["roc_auc"], **each)
    assert [(code, concerns[0]) for code, concerns in told(found)] == [("constant_scores", "new")]
    assert found.warnings[0].concerns[1].startswith("65")
    many = {name: np.repeat(p, times) for name, p in models.items()}
    repeated = ca.compare(many, np.repeat(Y, times), by=np.repeat(age, times), measures=["roc_auc"], **how)
    assert told(found) == told(repeated)
    few = slice(0, 60)
    found = ca.compare(
        {name: p[few] for name, p in models.items()},
        Y[few],
        by=age[few],
        bands=[65],
        frequency=np.full(60, 3),
        measures=["roc_auc"],
    )
    assert told(found) == [("constant_scores", ("new", "65 or more"))]
