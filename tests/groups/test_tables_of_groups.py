"""Tables and JSON of groups, criteria and thresholds show the numbers of the result; names and refusals."""

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.groups.cheapest_cuts import GroupCuts, Limit, cheapest, one_threshold
from classay.groups.compared_groups import PooledGroups
from classay.groups.cross_validated_policy import joined
from classay.groups.group_thresholds import UNLAWFUL, decide_by
from classay.groups.results_of_groups import scale_of_groups
from classay.groups.results_of_treatment import pictures_of, with_pictures_of_thresholds
from classay.groups.slices import positives
from classay.inference.estimate import Estimate, format_estimate
from classay.measures import get
from classay.report.document import Prose, Table
from command import as_json

RNG = np.random.default_rng(9)
N = 480
SITE = np.array([*"abc"])[np.arange(N) % 3]
Y = (RNG.random(N) < np.where(SITE == "a", 0.6, 0.4)).astype(int)
P = np.clip(0.25 + 0.4 * Y + 0.1 * (SITE == "b") + RNG.normal(0, 0.2, N), 0, 1).round(2)
G = ca.assess_by(Y, P, by=SITE)
COST = ca.Costs(fp=1, fn=2)


@pytest.fixture(scope="module")
def chosen():
    return decide_by(G, cost=COST, where="disparity(recall) <= 0.05")


def tables_of(page):
    return {
        (section.title, part.title): part
        for section in page.sections
        for part in section.parts
        if isinstance(part, Table)
    }


def note_of(s):
    (section,) = (one for one in s.document().sections if one.title.startswith("By "))
    return section.parts[0].text


@pytest.mark.parametrize("reference", [None, "b"])
@pytest.mark.parametrize("sites", ["abc", "ab"])
def test_the_tables_of_groups_show_what_compare_found(reference, sites):
    kept = np.isin(SITE, [*sites])
    s = ca.assess_by(Y[kept], P[kept], by=SITE[kept], reference=reference)
    found = {(row.measure, row.group): row for row in s.compare(*s.main_measures)}
    is_pair = len(sites) == 2 and reference is None
    tables = {title: table for (_, title), table in tables_of(s.document()).items()}
    for name in s.main_measures:
        table = tables[get(name).title]
        heads = [column.head for column in table.columns]
        tests = sum(row.p == row.p for (measure, _), row in found.items() if measure == name)
        assert heads[-1] == ("adjusted p" if tests > 1 and len(sites) > 2 else "p")
        assert len(table.rows) == len(sites)
        for k, cells in enumerate(table.rows):
            row = found[name, cells[0].text]
            part = s[row.group]
            assert (cells[1].value, cells[2].value) == (part.n, positives(part))
            assert cells[3].estimate == row.estimate
            assert (cells[4].low, cells[4].at, cells[4].high) == (
                row.estimate.low,
                row.estimate.value,
                row.estimate.high,
            )
            if is_pair and k == 1:
                assert cells[5] is cells[6] is None
            else:
                assert repr(cells[5].estimate) == repr(row.difference)
                assert cells[6].value == pytest.approx(row.p_adjusted, nan_ok=True)
        ends = [end for cells in table.rows for end in (cells[4].low, cells[4].high)]
        assert table.scale.low <= min(ends) <= max(ends) <= table.scale.high
        assert table.scale.zero == s.overall[name].value
        assert table.beside.endswith(", lower is better") == (get(name).best == get(name).bounds[0])
    everything = tables.get("All measures")
    assert everything is not None
    assert [column.head for column in everything.columns] == ["", "all cases", *s]
    assert [cell.text for cell in everything.rows[0]] == [
        "cases",
        *(f"{one.n:,.0f}" for one in (s.overall, *s.values())),
    ]
    note = note_of(s)
    if is_pair:
        assert "Difference: a minus b. p: two-sided" in note
        assert "Groups are sorted" not in note
    else:
        which = "group 'b'" if reference else "all other groups"
        assert f"Difference: group minus {which}. p: two-sided test of no difference." in note
    assert ("Groups are sorted by the" in note) == (len(sites) > 2)


def test_the_frame_of_groups_has_the_numbers():
    for row, one in zip(
        G.frame("recall", "roc_auc").to_pylist(), G.compare("recall", "roc_auc"), strict=True
    ):
        part = G[one.group]
        wanted = {"group": one.group, "n": part.n, "positives": positives(part), "measure": one.measure}
        wanted |= {"value": one.estimate.value, "low": one.estimate.low, "high": one.estimate.high}
        wanted |= {"difference": one.difference.value, "difference_low": one.difference.low}
        wanted |= {"difference_high": one.difference.high, "p": one.p, "p_adjusted": one.p_adjusted}
        assert {name: row[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("ends", "middle", "scale"),
    [
        ([(0.42, 0.58)], 0.5, (0.42, 0.58, 0.5)),
        ([(0.421, 0.579)], 0.5, (0.42, 0.58, 0.5)),
        ([(0.1, 0.2), (0.5, 0.9)], 0.95, (0.1, 0.95, 0.95)),
        ([(0.1, 0.93)], nan, (0.1, 0.93, None)),
        ([(nan, nan)], nan, (0.0, 1.0, None)),
        ([(3.0, 3.0)], 3.0, (2.5, 3.5, 3.0)),
        ([(11.3, 57.2)], 20.0, (11.0, 58.0, 20.0)),
    ],
)
def test_scales_reach_as_far_as_the_intervals(ends, middle, scale):
    found = scale_of_groups([Estimate((a + b) / 2, a, b, 0.95, "m") for a, b in ends], middle)
    assert (found.low, found.high, found.zero) == pytest.approx(scale)


def test_criteria_in_tables_and_json():
    c = G.criteria()
    tables = {title: table for (_, title), table in tables_of(c.document()).items()}
    gaps, ratios = tables["Largest gap between two groups"], tables["Smallest ratio of two groups"]
    for cells, judged in zip(gaps.rows, c, strict=True):
        gap = judged.gap
        assert (cells[0].text, cells[1].estimate) == (judged.criterion.title, gap.estimate)
        assert (None if cells[2] is None else cells[2].estimate.value) == gap.corrected
        assert (cells[3].text, cells[4].text) == (gap.top, gap.bottom)
        assert (None if cells[5] is None else cells[5].estimate.value) == gap.found_by_power
    with_ratio = [judged for judged in c if judged.ratio is not None]
    for cells, judged in zip(ratios.rows, with_ratio, strict=True):
        assert (cells[0].text, cells[1].estimate) == (judged.criterion.title, judged.ratio.estimate)
        assert (cells[2].text, cells[3].text) == (judged.ratio.bottom, judged.ratio.top)
    facts = dict(c.document().facts)
    assert (facts["cases"], facts["groups"], facts["confidence level"]) == ("480", "3", "95%")
    shown = c.to_dict()["criteria"]
    for one, judged in zip(shown, c, strict=True):
        assert (
            one["gap"]["estimate"]["value"] == judged.gap.estimate.value if "estimate" in one["gap"] else True
        )
        assert one["gap"].get("top", judged.gap.top) == judged.gap.top
        assert (one["ratio"] is None) == (judged.ratio is None)
        assert one["sentence"] == judged.sentence


def test_a_gap_is_that_of_the_groups_estimates():
    for name in ("recall", "accuracy", "roc_auc"):
        values = {label: part[name].value for label, part in G.items()}
        gap, ratio = G.disparity(name), G.disparity_ratio(name)
        top, bottom = max(values, key=values.get), min(values, key=values.get)
        assert (gap.top, gap.bottom, gap.groups) == (top, bottom, 3)
        assert gap.estimate.value == pytest.approx(values[top] - values[bottom])
        assert ratio.estimate.value == pytest.approx(values[bottom] / values[top])
        assert (ratio.top, ratio.bottom) == (top, bottom)
        for text, one in ((f"disparity({name})", gap), (f"disparity_ratio({name})", ratio)):
            assert G.estimate(text) == one.estimate
    assert G.estimate("equalized_odds_gap") == G.equalized_odds_gap.estimate == G.equalised_odds_gap.estimate
    assert (
        G.estimate("equalized_odds_ratio")
        == G.equalized_odds_ratio.estimate
        == G.equalised_odds_ratio.estimate
    )
    rates = [G.disparity(name).estimate.value for name in ("recall", "false_positive_rate")]
    assert G.equalised_odds_gap.estimate.value == max(rates)


def test_names_of_measures_in_groups():
    assert G.estimate("recall[group=a]") == G["a"]["recall"]
    assert G.estimate("recall") == G.overall["recall"]
    assert G.addressed("recall")[0] is G.overall
    assert G.named_alike("recall[a]") == "Write the group of this name as recall[group=a]."
    assert G.named_alike("recall") == G.named_alike("recall[x]") == ""
    named = ca.assess_by(np.where(Y, "site=a", "no"), P, by={"site": SITE}["site"], positive="site=a")
    assert named.named_alike("recall[1]") == ""
    assert G.columns == ("group",)
    with pytest.raises(InputError, match="x"):
        G.estimate("recall[group=x]")
    with pytest.raises(InputError, match="can be negative"):
        G.disparity_ratio("mcc")


def test_pools_keep_their_reference_or_refuse_it():
    site = np.where(np.arange(N) < 4, "d", np.where(np.arange(N) < 9, "e", SITE))
    s = ca.assess_by(Y, P, by=site)
    pooled = s.pool(6)
    name = "the rest (2 groups)"
    assert [*pooled] == [*"abc", name]
    assert pooled[name].n == 9
    assert [*pooled.pool(5)] == [*"abcde"]
    assert pooled.pool(5).pooled.name is None
    assert [*s.pool(4)] == [*"abcde"]
    with pytest.raises(
        InputError, match="Group 'd' has 4 cases, and groups with fewer than 6 were combined into 'the rest"
    ):
        pooled["d"]
    with pytest.raises(
        InputError, match="The reference 'd' has 4 cases, and groups with fewer than 6 are combined"
    ):
        s.against("d").pool(6)
    against = pooled.against(name)
    with pytest.raises(
        InputError, match=r"The reference 'the rest \(2 groups\)' is a combined group, which does not"
    ):
        against.pool(5)
    assert against.pool(6).reference == name
    assert s.against("a").pool(6).reference == "a"
    assert pooled.against(None).reference is None
    assert [*ca.assess_by(Y, P, by=site, pool=6)] == [*pooled]


def test_the_thresholds_of_groups_in_tables_and_json(chosen):
    tables = {title: table for (title, _), table in tables_of(chosen.document()).items()}
    for cells, group in zip(tables["Thresholds"].rows, chosen.groups, strict=True):
        assert (cells[0].text, cells[2].value) == (group.group, group.cases)
        assert float(cells[1].text) == pytest.approx(group.threshold, rel=1e-3)
        assert [cell.estimate for cell in cells[3:]] == [
            group.called,
            group.recall,
            group.false_positive_rate,
        ]
        assert chosen[group.group] == group.threshold
    policies = tables["Thresholds by group and one common threshold"]
    for cells, name, policy in zip(
        policies.rows, ("by group", "common"), (chosen.by_group, chosen.one), strict=True
    ):
        assert (cells[0].text, cells[1].estimate, cells[2].estimate) == (
            name,
            policy.cost,
            policy.disparity.estimate,
        )
    assert policies.foot.endswith(f"chosen on all cases, is {chosen.threshold:.4g}.")
    trade = tables["Cost of other limits"]
    assert [cells[0].text for cells in trade.rows] == ["0", "0.02", "0.05", "0.1", "0.2", "1"]
    for cells, (_, policy) in zip(trade.rows, chosen.trade, strict=True):
        assert (cells[1].estimate, cells[2].estimate) == (policy.cost, policy.disparity.estimate)
    facts = dict(chosen.document().facts)
    assert (facts["cases"], facts["groups"], facts["limit"]) == (
        "480",
        "3 by group",
        "disparity(recall) <= 0.05",
    )
    assert (facts["costs"], facts["seed"], facts["confidence level"]) == ("fp=1, fn=2", "0", "95%")
    found = as_json(chosen)
    assert [one["threshold"] for one in found["groups"]] == [group.threshold for group in chosen.groups]
    assert decide_by(G, cost=COST, where="disparity(recall) <= 0.05", trade=False).trade == ()


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (
            Estimate(0.1, 0.05, 0.15, 0.95, "m"),
            ", 0.100 (95% CI 0.050 to 0.150) more than with one common threshold.",
        ),
        (
            Estimate(-0.1, -0.15, -0.05, 0.95, "m"),
            ", 0.100 (95% CI 0.050 to 0.150) less than with one common threshold.",
        ),
        (
            Estimate(0.1, -0.05, 0.25, 0.95, "m"),
            ". No difference from one common threshold was detected (0.100 more, 95% CI -0.050 to 0.250).",
        ),
        (
            Estimate(-0.1, -0.25, 0.05, 0.95, "m"),
            ". No difference from one common threshold was detected (0.100 less, 95% CI -0.050 to 0.250).",
        ),
        (Estimate.bare(0.0, "x"), ", the same as with one common threshold."),
    ],
)
def test_costs_by_group_in_words(chosen, difference, words):
    said = replace(chosen, difference=difference).sentences
    cost = format_estimate(chosen.by_group.cost, " per case")
    assert said[0].replace("−", "-") == f"The expected cost is {cost}{words}"
    ours, theirs = (policy.disparity.estimate for policy in (chosen.by_group, chosen.one))
    assert said[1].startswith(f"On held-out cases, the largest gap in recall is {ours.value:.3f} (")
    assert f" and {theirs.value:.3f} (" in said[1]
    assert said[-1] == UNLAWFUL


def test_further_sentences_on_thresholds(chosen):
    few = replace(chosen, few=(("a", "recall", 3.0),), untried=("b",), not_recorded=1).sentences
    assert few[2:-1] == (
        "Rates based on fewer than 10 cases are very uncertain on new cases: 'a' (recall: 3).",
        "The thresholds of 'b' were not evaluated on held-out cases, because one case or one cluster cannot be "
        "divided. The common threshold replaces them there.",
        "1 case has no recorded group and has no effect on thresholds and costs.",
    )
    assert replace(chosen, not_recorded=2).sentences[-2] == (
        "2 cases have no recorded group and have no effect on thresholds and costs."
    )
    left = replace(chosen.by_group.disparity, left_out=(("c", "why"),))
    told = replace(chosen, by_group=replace(chosen.by_group, disparity=left))
    assert told.sentences[2] == "This excludes groups that the limit also applies to: 'c' (why)."
    assert replace(told, free=(("c", "recall"),)).sentences[2] == UNLAWFUL
    foot = replace(told, free=(("c", "recall"), ("a", "recall"))).document().sections[0].parts[0].foot
    assert "The limit does not apply to groups in which recall is not defined: 'c' and 'a'." in foot


def test_new_cases_are_called_at_their_threshold(chosen):
    for group in chosen.groups:
        at = group.threshold
        assert chosen.calls([at, np.nextafter(at, -1)], [group.group] * 2).tolist() == [True, False]
    pooled = replace(chosen, pooled=PooledGroups.among({"x": 1, "y": 2}, 5))
    pooled = replace(pooled, pooled=replace(pooled.pooled, name="a"))
    assert pooled["x"] == pooled["y"] == chosen["a"]
    for scores, groups, words in (
        ([0.1], ["a", "b"], r"scores must have one value per case \(2\), but have shape \(1,\)"),
        ([[0.1]], ["a"], r"but have shape \(1, 1\)"),
        ([nan, nan], ["a", "a"], "scores are missing in 2 cases"),
        ([nan], ["a"], "scores are missing in 1 case. Exclude"),
        ([0.1], ["z"], "'z' has no threshold. Groups with a threshold: 'a', 'b' and 'c'"),
    ):
        with pytest.raises(InputError, match=words):
            chosen.calls(scores, groups)
    with pytest.raises(KeyError, match="Unknown group 'z'"):
        chosen["z"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("recall >= 0.8", "where must be one limit on a gap or ratio between groups"),
        ("disparity(recall) <= 0.1 and disparity(accuracy) <= 0.1", "where must be one limit"),
        ("equalised_odds_ratio >= 0.8", "where must be one limit"),
        (
            "disparity(recall) >= 0.1",
            "Thresholds cannot keep the limit 'disparity(recall) >= 0.1'. Use disparity(recall) <= ",
        ),
        ("disparity_ratio(recall) <= 0.8", "Use disparity_ratio(recall) >= NUMBER."),
        ("disparity(recall) < 0.1", "Thresholds cannot keep"),
        ("disparity(recall, control=age) <= 0.1", "Thresholds cannot keep"),
        ("disparity(accuracy) <= 0.1", "Thresholds by group need a rate that changes in one direction"),
        ("disparity(precision) <= 0.1", "not precision. Use one of predicted_prevalence, recall,"),
        ("disparity(recall) <= 1.5", "1.5"),
    ],
)
def test_limits_that_are_refused(text, words):
    with pytest.raises(InputError) as refused:
        Limit.of(text)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("disparity(recall) <= 0.1", ("disparity", ("recall",), 0.1)),
        ("disparity_ratio(selection_rate) >= 0.8", ("disparity_ratio", ("predicted_prevalence",), 0.8)),
        ("equalized_odds_gap <= 0.05", ("equalised_odds_gap", ("recall", "false_positive_rate"), 0.05)),
        ("demographic_parity_difference <= 0", ("disparity", ("predicted_prevalence",), 0.0)),
        ("disparity(recall) <= 1", ("disparity", ("recall",), 1.0)),
    ],
)
def test_limits_are_read(text, limit):
    found = Limit.of(text)
    assert (found.kind, found.rates, found.bound) == limit
    assert Limit.of(str(found)) == found


COSTS = np.array([0.0, 1.0, 3.0, 0.0])


def plain_costs(scores, positives_, negatives, at):
    called = scores >= at
    return COSTS[1] * negatives[called].sum() + COSTS[2] * positives_[~called].sum()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "text", [None, "disparity(recall) <= 0.2", "disparity_ratio(recall) >= 0.7", "equalised_odds_gap <= 0.3"]
)
def test_the_cheapest_cuts_by_brute_force(seed, text):
    """Of all combinations of thresholds that keep the limit, none costs less; a rate may be undefined."""
    rng = np.random.default_rng(seed)
    tables = []
    for k in range(2 + seed % 2):
        scores = np.sort(rng.choice(np.arange(20) / 20, 5, replace=False))[::-1]
        tables.append((scores, rng.integers(0, 4, 5) * (k + seed % 5 > 0), rng.integers(0, 4, 5)))
    limit = None if text is None else Limit.of(text)
    cuts = [GroupCuts.of(*table) for table in tables]
    places = cheapest(cuts, COSTS, limit)
    best = sum(float(cut.costs(COSTS)[k]) for cut, k in zip(cuts, places, strict=True))

    def spread(at):
        values = []
        for name in limit.rates:
            rates = [cut.rate(name) for cut in cuts]
            known = [rate[k] for rate, k in zip(rates, at, strict=True) if rate is not None]
            values.append((max(known, default=0), min(known, default=0)))
        return values

    def keeps(at):
        if limit is None:
            return True
        if limit.kind == "disparity_ratio":
            return all(low >= limit.bound * high - 1e-9 for high, low in spread(at))
        return all(high - low <= limit.bound + 1e-9 for high, low in spread(at))

    assert keeps(places)
    every = np.stack(np.meshgrid(*[np.arange(6)] * len(cuts)), -1).reshape(-1, len(cuts))
    costs = {
        tuple(at): sum(cut.costs(COSTS)[k] for cut, k in zip(cuts, at, strict=True))
        for at in every
        if keeps(at)
    }
    assert best == min(costs.values())
    for cut, (scores, pos, neg) in zip(cuts, tables, strict=True):
        wanted = [plain_costs(scores, pos, neg, at) for at in (inf, *scores)]
        assert cut.costs(COSTS).tolist() == wanted
    at = one_threshold(tables, COSTS)
    total = {
        t: sum(plain_costs(*table, t) for table in tables)
        for t in (inf, *np.unique(np.concatenate([t[0] for t in tables])))
    }
    assert total[at] == min(total.values())
    assert at == max(t for t, cost in total.items() if cost == total[at])


def test_joined_intervals_reach_over_both():
    one, two = Estimate(0.2, 0.1, 0.3, 0.9, "m"), Estimate(0.4, 0.25, 0.5, 0.9, "n")
    both = joined(one, two)
    assert (both.value, both.low, both.high, both.level) == (0.2, 0.1, 0.5, 0.9)
    assert joined(two, one).low == 0.1
    bare = Estimate.bare(0.05, "equal")
    assert (joined(one, bare).low, joined(one, bare).high) == (0.05, 0.3)
    assert (joined(bare, two).low, joined(bare, two).high) == (0.05, 0.5)
    assert joined(bare, two).reason is None
    none = Estimate.undefined("x")
    assert joined(none, two) is none
    assert joined(bare, bare) is bare
    assert joined(one, none) is one


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: decide_by(G, cost=COST, where="recall >= 1"), "where must be one limit"),
        (
            lambda: decide_by(G.overall, cost=COST, where="disparity(recall) <= 0.1"),
            "decide_by needs groups from assess_by",
        ),
        (
            lambda: decide_by(G, cost=3, where="disparity(recall) <= 0.1"),
            "decide_by needs groups from assess_by",
        ),
        (
            lambda: decide_by(ca.assess_by(Y, P, by=["a"] * N), cost=COST, where="disparity(recall) <= 0.1"),
            "Thresholds by group need at least two groups, but there is 1.",
        ),
        (
            lambda: decide_by(
                ca.assess_by(Y, y_pred=Y, by=SITE), cost=COST, where="disparity(recall) <= 0.1"
            ),
            "Thresholds by group need scores for two classes.",
        ),
        (
            lambda: decide_by(G, cost=ca.Costs(fp=1, fn="loss"), where="disparity(recall) <= 0.1"),
            "Thresholds by group need numeric costs, but these depend on loss.",
        ),
        (
            lambda: decide_by(
                ca.assess_by(Y, P, by=SITE, cluster=np.arange(N) % 4),
                cost=COST,
                where="disparity(recall) <= 0.1",
            ),
            "Thresholds by group are evaluated on 5 parts of the clusters, but there are only 4 clusters.",
        ),
    ],
)
def test_thresholds_that_are_refused(call, words):
    with pytest.raises(InputError) as refused:
        call()
    assert words in str(refused.value)


def test_the_picture_of_costs_by_limit(chosen):
    """The last limit allows everything, and is not drawn; the common threshold is a line beside."""
    page = with_pictures_of_thresholds(chosen.document(), chosen)
    (figure,) = page.sections[0].parts[0].shown
    curve, one = figure.curves
    tried = chosen.trade[:-1]
    assert curve.x.tolist() == [bound for bound, _ in tried] == [0, 0.02, 0.05, 0.1, 0.2]
    for name, part in (("y", "value"), ("low", "low"), ("high", "high")):
        assert getattr(curve, name).tolist() == [getattr(policy.cost, part) for _, policy in tried]
    assert (one.x.tolist(), one.y.tolist()) == ([0, 0.2], [chosen.one.cost.value] * 2)
    assert one.low is one.high is None
    assert (curve.series, one.series) == ("by group", "common threshold")
    plain = replace(chosen, trade=())
    assert with_pictures_of_thresholds(plain.document(), plain).sections[0].title == "Thresholds"
    assert "Cost of other limits" not in [section.title for section in plain.document().sections]


def prose_of(criteria):
    section = criteria.document().sections[0]
    return [part.text for part in section.parts if isinstance(part, Prose)]


def test_criteria_tell_pools_and_groups_that_are_left_out():
    site = np.where(np.arange(N) < 4, "d", np.where(np.arange(N) < 9, "e", SITE))
    pooled = ca.assess_by(Y, P, by=site, pool=6).criteria()
    assert pooled.pooled.sentence in prose_of(pooled)
    left = ca.assess_by(Y, P, by=site).criteria()
    assert any(text.startswith("Not compared: ") and "'d'" in text for text in prose_of(left))
    assert prose_of(G.criteria()) == []
    frame = {"y": Y, "p": P, "site": site, "age": np.array(["old", "young"])[np.arange(N) % 2]}
    within = ca.assess_by(frame, truth="y", score="p", by=["site", "age"], pool=6).criteria(control="age")
    assert any(text.startswith("Group sizes are totals over all strata. ") for text in prose_of(within))
    assert within.document().title.startswith("Fairness criteria by site, age, within strata of age")


def test_columns_that_lack_a_group_are_named_in_comparisons():
    site = SITE.astype(object)
    site[:20] = None
    frame = {"y": Y, "a": P, "b": P[::-1], "site": site, "age": np.array(["old", "young"])[np.arange(N) % 2]}
    how = {"measures": ["accuracy"], "threshold": 0.5, "missing": "drop"}
    found = ca.compare(frame, truth="y", scores={"a": "a", "b": "b"}, by=["site", "age"], **how)
    assert found.gaps == ("site",)
    assert found.cases_not_recorded == 20
    assert any(each.startswith("20 cases without a recorded site are included") for each in found.sentences)


@pytest.mark.parametrize("number", [50, 51])
def test_of_very_many_groups_the_highest_and_lowest_are_drawn(number):
    values = tuple((k, Estimate(k / 100, k / 100 - 0.01, k / 100 + 0.01, 0.95, "m")) for k in range(number))
    c = replace(G.criteria(), values=(("recall", (*values, ("none", Estimate.undefined("x")))),))
    (section,) = (one for one in pictures_of(c) if one.title.startswith("Values by"))
    (table,) = section.parts
    shown = [int(cells[0].text) for cells in table.rows]
    every = [*range(number)][::-1]
    assert shown == (every if number == 50 else [*every[:25], *every[-25:]])
    foot = "The table shows the 25 groups with the highest and the 25 with the lowest values, of 51."
    assert table.foot == ("" if number == 50 else foot)
    assert table.beside == "for equal opportunity and equalized odds"
