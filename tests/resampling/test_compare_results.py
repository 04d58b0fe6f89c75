"""compare() of results over data sets: Demšar's table through the door, long and wide, and on the command line."""

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import classay as ca
from classay.comparison.comparison import finding_text
from classay.comparison.findings_differences import difference_sentence
from classay.errors import InputError
from command import call
from published import LONG, MODELS, ORACLES, VALUES, WIDE

NAMES = {"dataset": "set", "model": "model", "value": "auc"}


def near(wanted):
    return pytest.approx(wanted, rel=1e-9)


def printed():
    """Table 6 with the tie of the voting data broken as in the paper."""
    values = VALUES.copy()
    values[12, 2] += 1e-6
    return {"set": WIDE["set"]} | dict(zip(MODELS, values.T, strict=True))


@pytest.mark.parametrize(("frame", "names"), [(WIDE, {"dataset": "set"}), (LONG, NAMES)])
def test_pairs_are_scipys_wilcoxon_with_holm(frame, names):
    found = ca.compare(frame, **names)
    assert found.models == tuple(MODELS)
    for one in found:
        a, b = (VALUES[:, MODELS.index(model)] for model in one.models)
        d = np.round(a - b, 9)
        assert one.p == pytest.approx(exact_wilcoxon(d[d != 0]), rel=1e-9)
    p = np.sort([one.p for one in found])
    wanted = np.minimum(1, np.maximum.accumulate(p * np.arange(6, 0, -1)))
    assert np.sort([one.p_adjusted for one in found]) == near(wanted)


def exact_wilcoxon(d):
    ranks = 2 * stats.rankdata(np.abs(d))
    sums = np.zeros(int(ranks.sum()) + 1)
    sums[0] = 1
    for rank in ranks.astype(int):
        moved = np.zeros_like(sums)
        moved[rank:] = sums[: sums.size - rank]
        sums = sums + moved
    least = int(min(ranks[d > 0].sum(), ranks[d < 0].sum()))
    return min(1.0, 2 * sums[: least + 1].sum() / 2 ** len(d))


def test_demsar_as_printed():
    data = ORACLES["Demsar_published"]
    found = ca.compare(printed(), dataset="set", control="C4.5", method="mean-ranks")
    assert [abs(one.statistic) for one in found] == near(data["z"])
    assert [one.p_adjusted for one in found] == near(data["holm"])
    nemenyi = ca.compare(printed(), dataset="set", method="nemenyi")
    assert nemenyi.diagram.distance == near(data["CD05"])
    ranks = dict(zip(nemenyi.diagram.models, nemenyi.diagram.ranks, strict=True))
    assert [ranks[model] for model in MODELS] == near(data["ranks"])
    assert nemenyi.overall[0].statistic == near(data["FF_ties"])
    at_ten = ca.compare(WIDE, dataset="set", method="nemenyi", level=0.9)
    assert at_ten.diagram.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_mean_ranks_are_better_and_not_higher(better):
    values = {model: (1 - WIDE[model] if better == "lower" else WIDE[model]) for model in MODELS}
    found = ca.compare(
        {"set": WIDE["set"]} | values, dataset="set", method="nemenyi", better=better, level=0.9
    )
    one = next(one for one in found if {*one.models} == {"C4.5+m+cf", "C4.5"})
    assert finding_text(one) == "C4.5+m+cf better"
    word = "better" if one.models[0] == "C4.5+m+cf" else "worse"
    sentence = difference_sentence(one, 14)
    assert f" is {word} for {one.models[0]} than for {one.models[1]}" in sentence
    assert sentence.startswith("Mean rank by value is ")


def test_losses_turn_ranks_and_words():
    errors = {"set": WIDE["set"]} | {model: 1 - WIDE[model] for model in MODELS}
    turned, plain = ca.compare(errors, dataset="set", better="lower"), ca.compare(WIDE, dataset="set")
    assert turned.diagram.ranks == near(plain.diagram.ranks)
    assert turned.diagram.models == plain.diagram.models
    assert turned[0].effect.value == near(-plain[0].effect.value)
    assert turned[0].sentence.startswith("C4.5+m is better than C4.5 in value by 0.013")
    named = LONG.assign(log_loss=-np.log(LONG["auc"]))
    found = ca.compare(named, dataset="set", model="model", value="log_loss")
    assert dict(found.facts)["values"] == "log-loss, lower is better"
    assert found.diagram.models == plain.diagram.models
    odds = ca.compare(errors, dataset="set", better="lower", rope=0.01)[0]
    assert odds.odds.second == near(ca.compare(WIDE, dataset="set", rope=0.01)[0].odds.first)
    assert odds.sentence.startswith(
        "C4.5 is better than C4.5+m by more than 0.01 in value with probability < 0.001"
    )


def test_runs_are_averaged_first():
    rng = np.random.default_rng(0)
    runs = pd.concat([LONG.assign(run=r, auc=LONG["auc"] + rng.normal(0, 0.01, len(LONG))) for r in range(3)])
    means = runs.groupby(["set", "model"], sort=False, as_index=False)["auc"].mean()
    assert [one.p for one in ca.compare(runs, run="run", **NAMES)] == near(
        [one.p for one in ca.compare(means, **NAMES)]
    )
    with pytest.raises(InputError, match="Name the column of runs"):
        ca.compare(runs, **NAMES)


def test_how_many_more_data_sets():
    """Noether 1987: the share of pairs whose mean difference is above 0, by loops."""
    d = np.array([0.03, 0.01, -0.02, 0.05, -0.01, 0.02, 0.04, -0.03])
    [found] = ca.compare({"set": range(8), "a": d, "b": np.zeros(8)}, dataset="set")
    above = [d[i] + d[j] > 0 for i in range(8) for j in range(i)]
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    ties = [abs(d[i] + d[j]) < 1e-12 for i in range(8) for j in range(i)]
    share = np.mean(np.where(ties, 0.5, above))
    assert found.needed == pytest.approx(z**2 / (3 * (share - 0.5) ** 2), rel=1e-9)
    [signs] = ca.compare({"set": range(8), "a": d, "b": np.zeros(8)}, dataset="set", method="sign")
    assert signs.needed == pytest.approx(z**2 / (4 * (5 / 8 - 0.5) ** 2), rel=1e-9)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"method": "wilcox"}, "Unknown method 'wilcox' for models over data sets"),
        ({"method": "nemenyi", "control": "C4.5"}, "Nemenyi's test compares all pairs"),
        ({"method": "mean-ranks"}, "Method 'mean-ranks' compares with a control"),
        ({"control": "C4"}, "Unknown control 'C4'"),
        (
            {"rule": "equivalent", "margin": 0.1},
            "rule= needs one test set, but dataset= marks these as results",
        ),
        ({"measures": ["auc"]}, "measures= needs one test set, but dataset= marks these as"),
        ({"run": "r"}, "run='r' needs a long frame"),
        ({"model": "m"}, "A wide frame, with one column for each model, needs neither"),
        ({"better": "up"}, "better must be 'higher' or 'lower', but is 'up'"),
    ],
)
def test_what_is_refused(how, said):
    with pytest.raises(InputError, match=said):
        ca.compare(WIDE, dataset="set", **how)


def test_the_page_draws_the_diagram_with_twelve_models(tmp_path):
    rng = np.random.default_rng(1)
    names = [f"a model with a rather long name, number {k}" for k in range(12)]
    base = rng.uniform(0.7, 0.9, 30)
    table = {"set": range(30)} | {n: base + 0.012 * k + rng.normal(0, 0.03, 30) for k, n in enumerate(names)}
    found = ca.compare(table, dataset="set")
    found.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert 'fill="var(--ink)"' in page
    svg = ElementTree.fromstring(found.diagram.svg())
    texts = [each for each in svg.iter() if each.tag.endswith("text")]
    rows = {}
    for each in texts[-13:-1]:
        rows.setdefault((each.get("text-anchor"), each.get("y")), []).append(each.text)
    assert len(rows) == 12
    assert all(len(found) == 1 for found in rows.values())


def test_the_command(tmp_path):
    LONG.to_csv(tmp_path / "long.csv", index=False)
    pd.DataFrame(WIDE).to_csv(tmp_path / "wide.csv", index=False)
    columns = ("--dataset", "set", "--model", "model", "--value", "auc")
    by_long = call("compare", tmp_path / "long.csv", *columns, "--json", "-", "--html", tmp_path / "r.html")
    by_wide = call("compare", tmp_path / "wide.csv", "--dataset", "set", "--json", "-")
    assert by_long.exit_code == by_wide.exit_code == 0, by_long.stderr + by_wide.stderr
    one, two = json.loads(by_long.stdout), json.loads(by_wide.stdout)
    assert [each["p"] for each in one["comparisons"]] == [each["p"] for each in two["comparisons"]]
    assert one["ranks"]["mean_ranks"]["C4.5+m"] == 2
    assert one["comparisons"][0]["measure"] == "auc"
    assert "<svg" in (tmp_path / "r.html").read_text(encoding="utf-8")
    shown = call("compare", tmp_path / "wide.csv", "--dataset", "set", "--control", "C4.5").stdout
    assert "C4.5, prespecified" in shown
    assert "reflect variability between data sets" in " ".join(shown.split())
