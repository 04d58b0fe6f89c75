"""Thresholds by group: of all that keep the limit those of least cost, judged on held-out cases."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.errors import InputError
from classay.groups.cheapest_cuts import RATES, GroupCuts, Limit, cheapest
from classay.groups.cross_validated_policy import CrossValidatedPolicy
from classay.groups.divided_rows import DividedRows
from classay.groups.group_thresholds import _compared
from classay.inference.estimate import Estimate
from classay.report.results.parts import json_text
from command import call, refusal

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "group-thresholds.schema.json").read_text(encoding="utf-8")
)
LIMITS = (
    "disparity(recall) <= 0.1",
    "disparity(specificity) <= 0.2",
    "disparity(selection_rate) <= 0",
    "disparity_ratio(selection_rate) >= 0.8",
    "disparity_ratio(miss_rate) >= 0.5",
    "equalised_odds_gap <= 0.15",
)


def cuts_of(rng, m, weighted):
    """A group's cuts; some have cases of one class alone."""
    counts = rng.integers(0, 5, (2, m))
    counts[rng.integers(0, 2)] *= rng.random() > 0.2
    counts[rng.integers(0, 2), 0] += 1
    return GroupCuts.of(np.sort(rng.random(m))[::-1], *(counts * (rng.random((2, m)) if weighted else 1)))


def gap_of(limit, cuts, places):
    gaps = [0.0]
    for name in limit.rates:
        of = [(each.rate(name), k) for each, k in zip(cuts, places, strict=True)]
        rates = np.array([rate[k] for rate, k in of if rate is not None] or [0.0])
        if limit.kind == "disparity_ratio":
            return rates.min() / rates.max() if rates.max() > 0 else 1.0
        gaps.append(np.ptp(rates))
    return max(gaps)


@pytest.mark.parametrize("name", RATES)
def test_a_rate_at_each_cut_is_the_measure_of_that_name(name):
    rng = np.random.default_rng(5)
    scores = np.sort(rng.random(9))[::-1]
    positives, negatives = rng.integers(0, 5, (2, 9)) + 1
    of_cuts = GroupCuts.of(scores, positives, negatives).rate(name)
    truth = np.repeat([1, 0], [positives.sum(), negatives.sum()])
    rows = np.concatenate([np.repeat(scores, positives), np.repeat(scores, negatives)])
    for found, threshold in zip(of_cuts, [1.1, *scores], strict=True):
        called = (rows >= threshold).astype(int)
        a = ca.assess(truth, y_pred=called, positive=1, labels=[0, 1])
        assert found == pytest.approx(a.estimate(name).value)


WORDS = {
    "disparity": "largest gap in",
    "disparity_ratio": "smallest ratio in",
    "equalised_odds_gap": "equalized odds difference is",
}


@pytest.mark.parametrize("text", LIMITS)
def test_sentences_name_what_is_limited(text):
    found = ca.decide_by(groups(200), cost=COST, where=text, trade=False)
    assert f"On held-out cases, the {WORDS[text.split('(')[0].split()[0]]}" in " ".join(found.sentences)


@pytest.mark.covering(1)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("text", LIMITS)
def test_of_all_combinations_it_is_the_cheapest_that_keeps_the_limit(text, weighted):
    limit, rng = Limit.of(text), np.random.default_rng(0)
    for _ in range(12):
        cuts = [cuts_of(rng, m, weighted) for m in rng.integers(3, 9, 3)]
        of = np.array([0.0, rng.integers(1, 5), rng.integers(1, 5), 0.0])
        found = cheapest(cuts, of, limit)
        costs = [each.costs(of) for each in cuts]

        def kept(places, cuts=cuts):
            gap = gap_of(limit, cuts, places)
            return gap >= limit.bound - 1e-9 if limit.kind == "disparity_ratio" else gap <= limit.bound + 1e-9

        def total(places, costs=costs):
            return sum(each[k] for each, k in zip(costs, places, strict=True))

        assert kept(found)
        best = min(total(each) for each in product(*(range(each.size) for each in costs)) if kept(each))
        assert total(found) == pytest.approx(best)


def groups(n=900, seed=0, **options):
    rng = np.random.default_rng(seed)
    group, y = np.array(["a", "b", "c"])[rng.integers(0, 3, n)], rng.integers(0, 2, n)
    p = np.round(1 / (1 + np.exp(1 - 2 * y - (group == "b") - rng.normal(size=n))), 3)
    return ca.assess_by(y, p, by=group, positive=1, **options)


COST = ca.Costs(fp=1, fn=2)


def test_no_limit_is_each_groups_own_threshold_and_a_stricter_one_costs_no_less():
    g = groups()
    free = ca.decide_by(g, cost=COST, where="disparity(recall) <= 1", trade=False)
    for label in g:
        assert free[label] == g[label].threshold(cost=COST).threshold.value
    assert free.threshold == g.overall.threshold(cost=COST).threshold.value
    cells = [(part.at(free[label]).confusion_matrix.counts, label) for label, part in g.groups.items()]
    least = sum(counts[0, 1] * 2 + counts[1, 0] for counts, _ in cells)
    for bound in (0.3, 0.05, 0.0):
        made = ca.decide_by(g, cost=COST, where=f"disparity(recall) <= {bound}", trade=False)
        counts = [part.at(made[label]).confusion_matrix.counts for label, part in g.groups.items()]
        recalls = [each[1, 1] / each[:, 1].sum() for each in counts]
        assert max(recalls) - min(recalls) <= bound + 1e-9
        cost = sum(each[0, 1] * 2 + each[1, 0] for each in counts)
        assert cost >= least
        least = cost


def test_order_of_rows_unit_of_costs_and_scale_of_scores_do_not_matter():
    rng = np.random.default_rng(3)
    n = 600
    group, y = rng.integers(0, 2, n), rng.integers(0, 2, n)
    p = np.round(rng.beta(2 + y, 3 - y + group), 3)
    where = "disparity_ratio(selection_rate) >= 0.9"
    found = ca.decide_by(ca.assess_by(y, p, by=group), cost=COST, where=where, trade=False)
    order = rng.permutation(n)
    moved = ca.assess_by(y[order], p[order], by=group[order])
    again = ca.decide_by(moved, cost=ca.Costs(fp=10, fn=20), where=where, trade=False)
    assert [each.threshold for each in again.groups] == [each.threshold for each in found.groups]
    assert again.by_group.cost.value == pytest.approx(10 * found.by_group.cost.value)
    assert again.by_group.disparity.estimate == found.by_group.disparity.estimate
    halved = ca.decide_by(ca.assess_by(y, p / 2, by=group), cost=COST, where=where, trade=False)
    assert [2 * each.threshold for each in halved.groups] == [each.threshold for each in found.groups]
    assert halved.difference == found.difference


@pytest.mark.parametrize("seed", [1, 7, 8, 9])
def test_unit_of_weights_and_order_of_weighted_rows_do_not_matter(seed):
    """Weights such as 0.1 add up to other last bits in another order or unit; costs that tie must tie still."""
    rng = np.random.default_rng(seed)
    group, y = rng.choice(["a", "b"], 120), rng.integers(0, 2, 120)
    p = np.round(1 / (1 + np.exp(1 - 2 * y - (group == "b") - rng.normal(size=120))), 1)
    w, order = rng.choice([0.1, 0.2, 0.3, 0.7], 120), rng.permutation(120)
    where = "disparity_ratio(selection_rate) >= 0.8"

    def found(rows, unit):
        g = ca.assess_by(y[rows], p[rows], by=group[rows], weight=unit * w[rows])
        made = ca.decide_by(g, cost=ca.Costs(fp=1, fn=1), where=where, trade=False)
        gap = made.by_group.disparity.estimate
        return [made["a"], made["b"], made.threshold, made.by_group.cost.value, gap.value, gap.low, gap.high]

    first = found(np.arange(120), 1)
    for rows, unit in ((np.arange(120), 3), (np.arange(120), 0.1), (order, 1)):
        assert found(rows, unit) == pytest.approx(first)


@pytest.mark.parametrize("weighted", [False, True])
def test_other_names_of_clusters_change_nothing(weighted):
    rng = np.random.default_rng(2)
    group, y, cluster = rng.choice(["a", "b"], 300), rng.integers(0, 2, 300), rng.integers(0, 60, 300)
    p, order = rng.beta(2 + y, 3 - y).round(2), rng.permutation(300)
    w = rng.choice([0.1, 0.2, 0.7], 300)

    def found(rows, names, unit=1):
        more = {"weight": unit * w[rows]} if weighted else {}
        g = ca.assess_by(y[rows], p[rows], by=group[rows], cluster=names[rows], **more)
        made = ca.decide_by(g, cost=COST, where="disparity(recall) <= 0.1", trade=False)
        return [made["a"], made["b"], *(getattr(made.difference, each) for each in ("value", "low", "high"))]

    first = found(np.arange(300), cluster)
    for again in (found(np.arange(300), -cluster), found(order, cluster % 7 * 100 + cluster)):
        assert again == pytest.approx(first)
    assert found(np.arange(300), cluster, 3) == pytest.approx(first)


@pytest.mark.slow
def test_held_back_values_do_not_flatter():
    """Of scores that tell nothing, thresholds by group cannot cost less than one on new cases."""
    rng = np.random.default_rng(0)
    gained = []
    for _ in range(20):
        y, p, group = rng.integers(0, 2, 240), rng.random(240), rng.integers(0, 4, 240)
        made = ca.decide_by(
            ca.assess_by(y, p, by=group), cost=COST, where="disparity(recall) <= 1", trade=False
        )
        gained.append(made.difference.value)
    assert np.mean(gained) > -0.005


@pytest.mark.parametrize("seed", range(4))
def test_where_scores_of_groups_are_shifted_one_threshold_costs_more_and_those_by_group_the_same(seed):
    rng = np.random.default_rng(seed)
    group, y = rng.integers(0, 3, 900), rng.integers(0, 2, 900)
    near = 2 * y - 1 + rng.normal(size=900)
    alike, little, much = (
        ca.decide_by(
            ca.assess_by(y, 1 / (1 + np.exp(-near - shift * (group - 1))), by=group, positive=1),
            cost=COST,
            where="disparity(recall) <= 1",
            trade=False,
        )
        for shift in (0.0, 1.5, 3.0)
    )
    assert alike.difference.value == pytest.approx(0, abs=0.02)
    assert alike.one.cost.value < little.one.cost.value < much.one.cost.value
    for moved in (little, much):
        assert moved.by_group.cost.value == pytest.approx(alike.by_group.cost.value, abs=0.04)
        assert moved.difference.high < 0
        assert "less than with one common threshold" in moved.sentences[0]
        gaps = [each.disparity.estimate.value for each in (moved.by_group, moved.one)]
        assert gaps[0] < gaps[1]


def test_it_keeps_its_contract_and_the_command_does_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y, p, group = rng.integers(0, 2, 300), rng.random(300).round(3), rng.integers(0, 3, 300)
    rows = "\n".join(f"{a},{b},g{c}" for a, b, c in zip(y, p, group, strict=True))
    Path("p.csv").write_text("y,p,g\n" + rows, encoding="utf-8")
    base = ("decide", "p.csv", "--truth", "y", "--score", "p", "--by", "g")
    costs = ("--cost", "fp=1", "--cost", "fn=2")
    done = call(*base, *costs, "--where", "equalised_odds_gap <= 0.1", "--json", "-")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    Draft202012Validator(SCHEMA).validate(found)
    made = ca.decide_by(
        ca.assess_by(y, p, by=np.array([f"g{k}" for k in group])),
        cost=COST,
        where="equalised_odds_gap <= 0.1",
    )
    assert json.loads(json_text(made.to_dict())) | {"by": "g"} == found
    for wrong, told in (
        ((), "Use --cost"),
        (
            (*costs, "--where", "recall >= 0.5"),
            "one limit on a gap or ratio between groups, but is 'recall >= 0.5'",
        ),
        (
            (*costs, "--where", "disparity(precision) <= 0.1"),
            "a rate that changes in one direction with the threshold, not precision",
        ),
        ((*costs, "--where", "disparity(recall) >= 0.1"), "cannot keep the limit 'disparity(recall) >= 0.1'"),
        ((*costs, "--where", "disparity(recall) <= 0.1", "--top", "9"), "--top has no effect. Remove it"),
    ):
        assert told in refusal(*base, *wrong)


def test_what_thresholds_by_group_are_not_for():
    g = groups(120)
    where = "disparity(recall) <= 0.1"
    with pytest.raises(InputError, match="depend on amount"):
        ca.decide_by(g, cost=ca.Costs(fn="amount"), where=where)
    with pytest.raises(InputError, match="Thresholds by group are evaluated on 5 parts of the clusters,"):
        ca.decide_by(groups(120, cluster=np.arange(120) % 4), cost=COST, where=where)
    y = np.array([0, 1, 0, 1] * 10)
    with pytest.raises(InputError, match="Thresholds by group need scores for two classes"):
        ca.decide_by(ca.assess_by(y, y_pred=y, by=np.arange(40) % 2), cost=COST, where=where)
    p = np.where(np.arange(40) < 4, np.inf, y / 2)
    with pytest.raises(InputError, match="infinite"):
        ca.decide_by(ca.assess_by(y, p, by=np.arange(40) % 2), cost=COST, where=where)
    with pytest.raises(InputError, match="decide_by needs groups from assess_by"):
        ca.decide_by(3, cost=COST, where=where)
    with pytest.raises(InputError, match="need at least two groups, but there is 1"):
        ca.decide_by(ca.assess_by(y, y / 2, by=np.zeros(40)), cost=COST, where=where)


def test_groups_of_one_class_are_free_of_a_rate_that_they_lack():
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 2, 300), rng.integers(0, 3, 300)
    y[group == 2] = 0
    found = ca.decide_by(
        ca.assess_by(y, rng.random(300), by=group), cost=COST, where="disparity(recall) <= 0.1"
    )
    assert found.free == ((2, "recall"),)
    assert found[2] == np.inf
    assert "The limit does not apply to groups" in " ".join(str(found).split())


SEEN = {
    "predicted_prevalence": lambda each: each.called.value,
    "recall": lambda each: each.recall.value,
    "false_negative_rate": lambda each: 1 - each.recall.value,
    "false_positive_rate": lambda each: each.false_positive_rate.value,
    "specificity": lambda each: 1 - each.false_positive_rate.value,
}
"""The rates on held-out cases, as the table of groups has them."""


@pytest.mark.covering(1)
@pytest.mark.parametrize("text", LIMITS)
@pytest.mark.parametrize("few", [0, 3, 9])
def test_the_gap_told_is_that_of_all_groups_whose_rates_are_limited(text, few):
    """Those of the table of groups, small ones too, which are named: what one threshold does is seen in none other."""
    rng = np.random.default_rng(few)
    y, group = (
        np.append(rng.integers(0, 2, 300), [1] * few + [0] * 30),
        np.repeat([*"abd"], [150, 150, few + 30]),
    )
    p = np.append(np.round(rng.beta(1 + 2 * y[:300], 3 - 2 * y[:300]), 3), [0.01] * few + [0.02] * 30)
    g = ca.assess_by(y, p, by=group)
    found, limit = ca.decide_by(g, cost=COST, where=text, trade=False), Limit.of(text)
    gaps = []
    for name in limit.rates:
        values = np.array([value for each in found.groups if not np.isnan(value := SEEN[name](each))])
        gaps.append(min(values) / max(values) if limit.kind == "disparity_ratio" else np.ptp(values))
    assert found.by_group.disparity.estimate.value == pytest.approx(max(gaps))
    of_positives = {"recall", "false_negative_rate"} & {*limit.rates}
    assert found.few == tuple(("d", name, few) for name in limit.rates if few > 0 and name in of_positives)
    Draft202012Validator(SCHEMA).validate(json.loads(json_text(found.to_dict())))
    assert ("Fewer than 10 cases tell the rate of 'd'" in " ".join(found.sentences)) == bool(found.few)


def of(found):
    estimates = found.by_group.cost, found.one.cost, found.difference, found.by_group.disparity.estimate
    return [each.threshold for each in found.groups], [each.value for each in estimates]


def test_weights_and_clusters_choose_what_repeated_cases_choose():
    """Numbers of cases as sampling weights, and clusters of one case: the thresholds of cases that are repeated."""
    rng = np.random.default_rng(1)
    n, where = 600, "disparity(recall) <= 0.1"
    group, y, times = rng.integers(0, 3, n), rng.integers(0, 2, n), rng.integers(1, 4, n)
    p = np.round(rng.beta(2 + y, 3 - y + group / 2), 3)
    how = {"cost": COST, "where": where, "trade": False}
    repeated = [np.repeat(each, times) for each in (y, p)]
    plain = ca.decide_by(ca.assess_by(*repeated, by=np.repeat(group, times)), **how)
    frequency = ca.decide_by(ca.assess_by(y, p, by=group, frequency=times), **how)
    assert of(frequency) == of(plain)
    for scale in (1e-3, 1e3):
        weighted = ca.decide_by(ca.assess_by(y, p, by=group, weight=scale * times), **how)
        assert of(weighted)[0] == of(plain)[0]
        assert of(weighted)[1][:2] == pytest.approx(of(plain)[1][:2], abs=0.08)
        assert [each.cases for each in weighted.groups] == [(group == k).sum() for k in range(3)]
    alone = ca.decide_by(ca.assess_by(y, p, by=group, frequency=times, cluster=np.arange(n)), **how)
    assert of(alone)[0] == of(plain)[0]
    assert "cluster" in alone.difference.method.lower()


def test_clusters_are_held_back_whole_and_weigh_as_clusters():
    """Rows that come thrice tell no more than once: the interval is that of the clusters, not of all rows."""
    rng = np.random.default_rng(2)
    group, y = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    p = np.round(rng.beta(2 + y, 3 - y + group), 3)
    how = {"cost": COST, "where": "disparity_ratio(selection_rate) >= 0.9", "trade": False}
    columns = [np.tile(each, 3) for each in (y, p, group, np.arange(400))]
    clustered = ca.decide_by(ca.assess_by(*columns[:2], by=columns[2], cluster=columns[3]), **how)
    once, thrice = (
        ca.decide_by(ca.assess_by(*each[:2], by=each[2]), **how) for each in ((y, p, group), columns)
    )
    assert of(clustered)[0] == of(once)[0] == of(thrice)[0]

    def width(found):
        return found.difference.high - found.difference.low

    assert width(clustered) == pytest.approx(width(once), rel=0.3)
    assert width(thrice) < 0.75 * width(clustered)
    rows = DividedRows.of(
        ca.assess_by(*columns[:2], by=columns[2], cluster=columns[3]),
        [np.unique(p[group == k])[::-1] for k in (0, 1)],
        5,
        np.random.default_rng(0),
    )
    assert all(np.unique(rows.part[rows.cluster == k]).size == 1 for k in range(400))
    assert np.bincount(rows.part).tolist() == [240] * 5


def test_held_back_costs_of_weighted_cases_do_not_flatter():
    """Of scores that tell nothing, thresholds by group cannot cost less than one on new cases."""
    rng = np.random.default_rng(0)
    gained = []
    for k in range(16):
        y, p, group = rng.integers(0, 2, 240), rng.random(240), rng.integers(0, 4, 240)
        drawn = {}, {"weight": rng.exponential(size=240)}, {"cluster": np.arange(240) // 4}
        g = ca.assess_by(y, p, by=group, **drawn[k % 3])
        made = ca.decide_by(g, cost=COST, where="disparity(recall) <= 1", trade=False)
        gained.append(made.difference.value)
    assert np.mean(gained) > -0.005


def test_new_cases_are_called_by_the_threshold_of_their_group():
    g = groups(300)
    found = ca.decide_by(g, cost=COST, where="disparity(recall) <= 0.1", trade=False)
    scores, labels = np.linspace(0, 1, 30), ["a", "b", "c"] * 10
    assert found.calls(scores, labels).tolist() == [
        score >= found[label] for score, label in zip(scores, labels, strict=True)
    ]
    assert found.calls([], []).tolist() == []
    for bad, said in (
        ((scores, labels[1:]), r"scores must have one value per case \(29\), but have shape \(30,\)"),
        ((scores, ["d", *labels[1:]]), "'d' has no threshold"),
        (([np.nan, *scores[1:]], labels), "missing in 1 case"),
    ):
        with pytest.raises(InputError, match=said):
            found.calls(*bad)


@pytest.mark.parametrize("drawn", ["alike", "weight", "cluster", "frequency"])
def test_other_names_of_groups_change_nothing_but_the_names(drawn):
    rng = np.random.default_rng(7)
    n = 600
    group, y = np.array(["a", "b", "c"])[rng.integers(0, 3, n)], rng.integers(0, 2, n)
    p = np.round(1 / (1 + np.exp(1 - 2 * y - (group == "b") - rng.normal(size=n))), 3)
    columns = {
        "weight": rng.random(n) + 0.5,
        "cluster": rng.integers(0, 60, n),
        "frequency": 1 + rng.integers(0, 2, n),
    }
    how = {name: each for name, each in columns.items() if name == drawn}
    names = {"a": "z", "b": "y", "c": "x"}
    other = np.array([names[each] for each in group])
    ours, theirs = (
        ca.decide_by(
            ca.assess_by(y, p, by=by, positive=1, **how), cost=COST, where="disparity(recall) <= 0.1"
        )
        for by in (group, other)
    )
    assert ours.by_group.cost == theirs.by_group.cost
    assert ours.one.cost == theirs.one.cost
    assert ours.difference == theirs.difference
    assert ours.by_group.disparity.estimate == theirs.by_group.disparity.estimate
    assert names[ours.by_group.disparity.top] == theirs.by_group.disparity.top
    by_name = {each.group: each for each in theirs.groups}
    for each in ours.groups:
        mirror = by_name[names[each.group]]
        assert (each.threshold, each.called, each.recall) == (mirror.threshold, mirror.called, mirror.recall)
    assert [(at, each.cost) for at, each in ours.trade] == [(at, each.cost) for at, each in theirs.trade]


def people_of_groups(seed, groups=5, n=500):
    rng = np.random.default_rng(seed)
    group, y = rng.integers(0, groups, n), rng.integers(0, 2, n)
    return y, np.round(rng.beta(2 + y, 3 - y), 2), np.array([*"abcdefgh"])[group]


def test_the_scale_of_weights_changes_no_threshold_and_no_split():
    y, p, group = people_of_groups(4)
    for weight in (np.ones(y.size), np.random.default_rng(4).random(y.size)):
        scaled = (ca.assess_by(y, p, by=group, weight=by * weight) for by in (1.0, 7.3, 1e-300, 1e300))
        found = [ca.decide_by(g, cost=COST, where=LIMITS[3], trade=False) for g in scaled]
        assert len({each.sentences for each in found}) == 1
        assert len({tuple(each[label] for label in "abcde") for each in found}) == 1


@pytest.mark.parametrize(("low", "high"), [(0.05, 0.2), (-0.05, 0.2), (0.0, 0.2)])
def test_more_and_less_are_the_same_amount(low, high):
    more, less = (
        _compared(Estimate(sign * 0.1, *sorted((sign * low, sign * high)), 0.95, "t")) for sign in (1, -1)
    )
    if low > 0:
        assert more == f", 0.100 (95% CI {low:.3f} to 0.200) more than with one common threshold"
    else:
        inside = f"0.100 more, 95% CI {low:.3f} to 0.200"
        assert more == f". No difference from one common threshold was detected ({inside})"
    assert more.replace(" more", " less") == less


def test_a_group_that_cannot_be_divided_is_judged_by_the_one_threshold_and_told():
    y, p, group = people_of_groups(5)
    alone = np.where(np.arange(y.size) == 3, "only", group)
    found = ca.decide_by(ca.assess_by(y, p, by=alone), cost=COST, where=LIMITS[0], trade=False)
    assert found.untried == ("only",)
    assert "The thresholds of 'only' were not evaluated" in found.sentences[2]
    # no cluster can be divided: a group has no case beside those that are held back
    g = ca.assess_by(y, p, by=group, cluster=group)
    whole = ca.decide_by(g, cost=COST, where=LIMITS[0], trade=False)
    assert whole.untried == (*"abcde",)
    assert whole.by_group.cost.value == whole.one.cost.value
    assert ". No difference from one common threshold was detected (0.000 more, 95% CI " in whole.sentences[0]
    Draft202012Validator(SCHEMA).validate(json.loads(json_text(whole.to_dict())))


def test_a_difference_that_only_all_cases_show_has_an_interval():
    """The parts choose the same calls by both policies, and all cases do not: as likely with few distinct scores."""
    rng = np.random.default_rng(24)
    group, y = np.array(["f", "m"] * 20), rng.integers(0, 2, 40)
    noise = rng.choice([0, 0.2, 0.4], 40)
    score = np.clip(0.3 * y + 0.2 + noise + (group == "m") * 0.1 * rng.integers(0, 2), 0, 1).round(1)
    d = ca.decide_by(
        ca.assess_by(y, score, by=group),
        cost=ca.Costs(fp=1, fn=1),
        where="disparity_ratio(selection_rate) >= 0.5",
        trade=False,
    )
    assert d["f"] != d["m"]
    assert d.difference.value == 0
    assert d.difference.low < 0 < d.difference.high


def two_groups(rng, n, kind):
    """Truth, score and group of cases with scores of five values, or well separated with 2% of errors far off."""
    group, y = rng.integers(0, 2, n), rng.random(n) < 0.35
    if kind == "five values":
        return y.astype(int), np.clip(np.round(rng.normal(1.5 * y + 0.3 * group, 1) + 1), 0, 4) / 4, group
    latent = rng.normal(4 * y + 0.5 * group, 1)
    return (y ^ (rng.random(n) < 0.02)).astype(int), 1 / (1 + np.exp(8.8 - 4 * latent)), group


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["five values", "few far errors"])
def test_costs_of_the_thresholds_on_new_cases_are_covered(kind):
    """Of five values 85% were before intervals were joined, and of the difference 75%."""
    new_y, new_score, new_group = two_groups(np.random.default_rng(99), 400_000, kind)

    def cost(thresholds):
        called = new_score >= np.array(thresholds)[new_group]
        return (called & (new_y == 0)).mean() + 2 * (~called & (new_y == 1)).mean()

    rng, held = np.random.default_rng(1), {"by group": [], "one": [], "difference": []}
    for _ in range(200):
        y, score, group = two_groups(rng, 150, kind)
        d = ca.decide_by(ca.assess_by(y, score, by=group), cost=COST, where=LIMITS[0], trade=False)
        costs = {"by group": cost([d[0], d[1]]), "one": cost([d.threshold] * 2)}
        costs["difference"] = costs["by group"] - costs["one"]
        estimates = {"by group": d.by_group.cost, "one": d.one.cost, "difference": d.difference}
        for name, estimate in estimates.items():
            if estimate.has_interval:
                held[name].append(estimate.low <= costs[name] <= estimate.high)
    assert min(map(np.mean, held.values())) >= 0.92


def test_a_group_without_cases_in_the_other_parts_has_their_one_threshold_and_one_of_one_class_its_own():
    def table(scores, positives, negatives):
        return tuple(np.array(column) for column in (scores, positives, negatives))

    mixed = table([0.9, 0.35, 0.1], [5, 0, 0], [0, 9, 5])  # their threshold is 0.9
    positives, none = table([0.3, 0.2], [1, 1], [0, 0]), table([0.95, 0.5], [0, 0], [0, 0])
    parts = [[mixed, positives, none if k else table([0.95, 0.5], [1, 0], [0, 1])] for k in range(5)]
    of = np.array([0, 1, 1, 0])  # TP, FP, FN and TN
    held_out = CrossValidatedPolicy(("a", "b", "c"), parts, None, None, of).calls(None)[0]
    assert [calls.tolist() for calls in held_out] == [[True, False, False], [True, True], [True, False]]
