"""Grades of runs by their definitions: numbers, facts, tables and JSON, recomputed answer by answer from the table."""

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.texts import some

COLUMNS = ca.GradeColumns(case="item", repeat="epoch", model="model", by=("kind", "text"))
WORDS = {
    "numbers": str,
    "words": lambda x: "yes" if x else "no",
    "levels": lambda x: "abcde"[x],
    "any": lambda x: f"{x / 3:.4f}",
}
MAP = dict(zip("abcde", (0.0, 0.25, 0.5, 0.75, 1.0), strict=True))


def table(kind, seed, models=1, epochs=2, gaps=False, uneven=False):
    """Rows of item, epoch, model, kind, text and grade, the grades as numbers, and as they are written."""
    rng = np.random.default_rng(seed)
    items, top = (24, 40, 9)[seed % 3], 5 if kind in ("levels", "any") else 2
    ease = rng.beta(1, 1, items)
    rows = []
    for model in range(models):
        for q in range(items):
            for e in range(1 + q % epochs if uneven else epochs):
                x = int(rng.binomial(top - 1, min(0.99, ease[q] * (0.8 + 0.2 * model))))
                text = "" if gaps and (q + 3 * e) % 11 == 5 and model == 0 else WORDS[kind](x)
                group = "" if gaps and q % 8 == 7 else "pqr"[q % 3]
                rows.append((f"q{q:02}", e, f"m{model}", group, f"t{q // 2}", text))
    return rows


def number(kind, text):
    """The number of a grade as it is written."""
    if not text:
        return math.nan
    return {"numbers": float, "words": lambda x: float(x == "yes"), "levels": MAP.get, "any": float}[kind](
        text
    )


def read(tmp_path, rows, kind, **how):
    path = tmp_path / "grades.csv"
    path.write_text(
        "item,epoch,model,kind,text,grade\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    )
    if kind == "levels":
        how["map"] = MAP
    return ca.read_grades(path, grade="grade", columns=COLUMNS, **how)


def jackknife(values, cluster):
    """The variance of a mean by leaving out one cluster at a time, around the mean."""
    names = np.unique(cluster)
    if names.size < 2:
        return math.nan
    left_out = [values[cluster != name].mean() for name in names]
    return (names.size - 1) / names.size * sum((one - values.mean()) ** 2 for one in left_out)


KINDS = ("numbers", "words", "levels", "any")
SHAPES = {
    "once": {"epochs": 1},
    "twice": {"epochs": 2},
    "thrice": {"epochs": 3},
    "uneven": {"epochs": 3, "uneven": True},
    "gaps": {"epochs": 2, "gaps": True},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("has_clusters", [False, True])
def test_a_run_is_assessed_by_its_definition(kind, shape, has_clusters, tmp_path):
    seed = len(kind) + len(shape)
    rows = table(kind, seed, **SHAPES[shape])
    a = ca.assess_grades(
        read(tmp_path, rows, kind),
        by="kind",
        cluster="text" if has_clusters else None,
        unanswered="drop",
        level=0.9,
    )
    grade = np.array([number(kind, row[-1]) for row in rows])
    known = ~np.isnan(grade)
    assert a.counts == Counter(
        {"graded": known.sum()} | ({"no grade": (~known).sum()} if (~known).any() else {})
    )
    values = grade[known]
    case = np.array([row[0] for row in rows])[known]
    cluster = np.array([row[4] for row in rows])[known] if has_clusters else case
    group = np.array([row[3] for row in rows])[known]
    names = sorted({*case})
    assert (a.n_cases, a.n_answers, a.level) == (len(names), values.size, 0.9)
    assert a.mean.value == pytest.approx(values.mean())
    variance = jackknife(values, cluster)
    assert a.error == pytest.approx(math.sqrt(variance))
    if kind == "any" and len({*cluster}) == values.size:
        half = stats.t.ppf(0.95, values.size - 1) * a.error
        assert (a.mean.low, a.mean.high) == pytest.approx((values.mean() - half, values.mean() + half))
    assert a.mean.low < a.mean.value < a.mean.high
    of_case = {name: values[case == name] for name in names}
    several = [each for each in of_case.values() if each.size > 1]
    if several:
        assert a.varying.value == pytest.approx(np.mean([np.ptp(each) > 0 for each in several]))
    else:
        assert a.varying.reason == "every case has one answer"
    passing(a, of_case, kind)
    expected(a, of_case, variance, len({*cluster}))
    groups(a, values, case, cluster, group)
    facts = dict(a.facts)
    assert (facts["grade"], facts["cases"]) == ("grade", str(len(names)))
    sizes = [each.size for each in of_case.values()]
    if max(sizes) == 1:
        assert "answers" not in facts
    else:
        each = "" if min(sizes) == max(sizes) else f" ({min(sizes)} to {max(sizes)} per case)"
        assert facts["answers"] == f"{values.size}{each}" + ("" if has_clusters else "; a case is a cluster")
    assert facts.get("clusters of cases") == (f"{len({*cluster})}, by text" if has_clusters else None)
    if kind == "any":
        limit = 1 if values.max() <= 1 else 100
        assert (
            facts["range of grades"]
            == f"not declared; all are within 0 to {limit}, which bounds 0,{limit} would declare"
        )
    else:
        source = {"numbers": "all grades are 0 or 1", "words": "of the map", "levels": "of the map"}[kind]
        assert facts["range of grades"] == f"0 to 1 ({source})"
    shown = {"words": "no = 0, yes = 1", "levels": "a = 0, b = 0.25, c = 0.5, d = 0.75, e = 1"}
    assert facts.get("grade map") == shown.get(kind)
    gone = int((~known).sum())
    texts = [
        f"Answers without a grade are excluded: {gone} empty grade{'s' * (gone > 1)} of {known.size} answers."
    ]
    assert [(w.code, w.text) for w in a.warnings] == ([("unanswered_dropped", texts[0])] if gone else [])
    documents(a, case, values, known, rows)
    written(a)


def passing(a, of_case, kind):
    """pass@k and pass^k, over all ways to take k answers of a case."""
    fewest = min(each.size for each in of_case.values())
    ks = sorted({2, fewest}) if fewest > 1 and kind in ("numbers", "words") else []
    assert [rate.k for rate in a.passing] == ks
    for rate in a.passing:
        ways = [[*combinations(each, rate.k)] for each in of_case.values() if each.size >= rate.k]
        assert rate.n_cases == len(ways)
        any_passes = np.mean([np.mean([max(way) for way in of]) for of in ways])
        all_pass = np.mean([np.mean([min(way) for way in of]) for of in ways])
        assert (rate.any_passes.value, rate.all_pass.value) == pytest.approx((any_passes, all_pass))


def expected(a, of_case, variance, units):
    """σ²_b / Q + σ²_w / (Q K) of more cases and answers."""
    freedom = sum(each.size - 1 for each in of_case.values())
    n = sum(each.size for each in of_case.values())
    within = (
        sum(((each - each.mean()) ** 2).sum() for each in of_case.values()) / freedom / n if freedom else 0
    )
    within = min(within, variance)
    sizes = [(1, 1), *([(1, 2), (1, 4)] if freedom else []), (2, 1), (4, 1)]
    assert [(one.cases, one.answers) for one in a.expected] == sizes
    for one in a.expected:
        error = math.sqrt((variance - within + within / one.answers) / one.cases)
        assert one.error == pytest.approx(error)
        assert one.half_width == pytest.approx(stats.t.ppf(0.95, units * one.cases - 1) * error, rel=0.05)


def groups(a, values, case, cluster, group):
    """The mean of each group, its difference from all others, and the mean of the means."""
    labels = sorted({*group} - {""})
    assert a.groups.by == "kind"
    assert [one.group for one in a.groups.groups] == [*labels, *([None] if "" in group else [])]
    for one in a.groups.groups:
        inside = group == (one.group or "")
        assert (one.n_cases, one.n_answers) == (len({*case[inside]}), inside.sum())
        assert one.mean.value == pytest.approx(values[inside].mean())
        assert one.difference.value == pytest.approx(values[inside].mean() - values[~inside].mean())
        if len({*cluster}) == values.size and one.difference.has_interval:
            test = stats.ttest_ind(values[inside], values[~inside], equal_var=False)
            limits = test.confidence_interval(0.9)
            assert (one.difference.low, one.difference.high) == pytest.approx((limits.low, limits.high))
            assert one.group is None or one.p == pytest.approx(test.pvalue)
    tested = [one.p for one in a.groups.groups if not math.isnan(one.p)]
    order, most = np.argsort(tested), 0.0
    for k, place in enumerate(order):
        most = max(most, min(1.0, (len(tested) - k) * tested[place]))
        one = [one for one in a.groups.groups if not math.isnan(one.p)][place]
        assert one.p_adjusted == pytest.approx(most)
    means = [values[group == label].mean() for label in labels]
    assert a.groups.overall.value == pytest.approx(np.mean(means))
    assert a.groups.weight == "equal"


def documents(a, case, values, known, rows):
    """The sentence, and the tables of the mean, the groups, the answers, and of more data."""
    document = a.document()
    limits = f" (90% CI {a.mean.low:.3f} to {a.mean.high:.3f})"
    assert document.verdict == (f"The mean grade is {a.mean.value:.3f}{limits}.",)
    tables = {section.title: section.parts[0] for section in document.sections if section.parts}
    first = tables[""].rows
    assert [row[1].estimate for row in first] == [a.mean, a.groups.overall]
    assert first[1][0].text == f"mean of the {len(a.groups.groups)} groups, equal weights"
    for row, one in zip(tables["By kind"].rows, a.groups.groups, strict=True):
        assert row[0].text == (one.group or "not recorded")
        assert (row[1].value, row[2].estimate, row[3].estimate) == (one.n_cases, one.mean, one.difference)
        assert row[4].value == pytest.approx(one.p_adjusted, nan_ok=True)
    tests = sum(not math.isnan(one.p) for one in a.groups.groups)
    assert tables["By kind"].foot == (
        f"Welch's t. Adjusted p: Holm, {tests} comparisons." if tests > 2 else ""
    )
    repeated = [] if "Several answers per case" not in tables else tables["Several answers per case"].rows
    wanted = [
        (f"pass{mark}{rate.k}", rate.n_cases, one)
        for rate in a.passing
        for mark, one in (("@", rate.any_passes), ("^", rate.all_pass))
    ]
    assert [(row[0].text, row[1].value, row[2].estimate) for row in repeated[: len(wanted)]] == wanted
    if not a.varying.is_undefined:
        assert (repeated[-1][0].text, repeated[-1][2].estimate) == ("cases with differing grades", a.varying)
        foot = tables["Several answers per case"].foot
        assert ("Cases with fewer than k answers are excluded." in foot) == bool(a.passing)
    levels = np.unique(values)
    shown = tables["Answers"].rows
    for row, level in zip(shown, levels, strict=False):
        assert (row[0].text, row[1].value) == (f"grade {level:.6g}", (values == level).sum())
        worst = sorted({*case[values == level]}) if level == levels[0] else []
        more = f" and {len(worst) - 4} more" if len(worst) > 5 else ""
        assert row[2].text == ", ".join(worst[:4] if more else worst) + more
    missing = sorted({row[0] for row, has in zip(rows, known, strict=True) if not has})
    lacking = [(row[0].text, row[1].value) for row in shown[levels.size :]]
    assert lacking == ([("empty grade", (~known).sum())] if missing else [])
    more = tables["Precision of more data"].rows
    assert [row[1].value for row in more] == [one.error for one in a.expected]
    assert [row[2].text for row in more] == [f"{one.half_width:.4f}" for one in a.expected]
    times = {1: "as now", 2: "twice", 4: "four times"}
    heads = ["as now", *(f"{times[one.cases]}, {times[one.answers]}" for one in a.expected[1:])]
    assert [row[0].text for row in more] == heads


def written(a):
    """The JSON."""
    found = a.to_dict()
    assert (found["run"], found["tool"], found["grade"]) == (a.run.name, "table", "grade")
    assert (found["mean"]["value"], found["error"], found["level"]) == (a.mean.value, a.error, a.level)
    assert (found["cases"], found["answers"], found["graded"]) == (a.n_cases, a.n_answers, a.counts["graded"])
    assert (found["errors"], found["empty"], found["silent"]) == (0, a.counts["no grade"], 0)
    assert found["bounds"] == (None if a.run.mapped.bounds is None else [*a.run.mapped.bounds])
    assert [
        (row["k"], row["any"]["value"], row["all"]["value"], row["cases"]) for row in found["passing"]
    ] == [(rate.k, rate.any_passes.value, rate.all_pass.value, rate.n_cases) for rate in a.passing]
    assert [row["error"] for row in found["expected"]] == [one.error for one in a.expected]
    for row, one in zip(found["groups"]["groups"], a.groups.groups, strict=True):
        assert (row["group"], row["cases"], row["answers"]) == (one.group, one.n_cases, one.n_answers)
        assert (row["mean"]["value"], row["difference"]["value"]) == (one.mean.value, one.difference.value)
        assert row["p_adjusted"] == (None if math.isnan(one.p_adjusted) else one.p_adjusted)
    assert found["groups"]["overall"]["value"] == a.groups.overall.value


@pytest.mark.parametrize("kind", ["numbers", "levels"])
def test_answers_without_a_grade_count_as_the_worst(kind, tmp_path):
    rows = table(kind, 0, gaps=True)
    a = ca.assess_grades(read(tmp_path, rows, kind), unanswered="wrong")
    grade = np.nan_to_num([number(kind, row[-1]) for row in rows])
    assert a.mean.value == pytest.approx(grade.mean())
    assert (a.n_answers, a.n_cases) == (len(rows), len({row[0] for row in rows}))
    gone = sum(not row[-1] for row in rows)
    assert [w.text for w in a.warnings] == [
        f"Answers without a grade count as the worst grade: {gone} empty grades of {len(rows)} answers."
    ]


def test_groups_by_their_numbers_of_cases(tmp_path):
    rows = [row for row in table("numbers", 0) if row[3] != "p" or row[0] < "q06"]
    a = ca.assess_grades(read(tmp_path, rows, "numbers"), by="kind", group_weight="cases")
    grade = np.array([float(row[-1]) for row in rows])
    parts = {label: np.array([row[3] == label for row in rows]) for label in "pqr"}
    sizes = [len({row[0] for row in rows if row[3] == label}) for label in "pqr"]
    assert a.groups.overall.value == pytest.approx(
        np.average([grade[of].mean() for of in parts.values()], weights=sizes)
    )
    assert a.document().sections[0].parts[0].rows[1][0].text == "mean of the 3 groups, weighted by cases"
    assert a.to_dict()["groups"]["weight"] == "cases"


@pytest.mark.parametrize("kind", ["numbers", "levels", "any"])
@pytest.mark.parametrize("epochs", [1, 2])
def test_the_stratified_mean_of_groups_has_the_variance_within_them(kind, epochs, tmp_path):
    rows = table(kind, 1, epochs=epochs)
    a = ca.assess_grades(read(tmp_path, rows, kind), by="kind")
    grade, case, group = (np.array([row[k] for row in rows]) for k in (5, 0, 3))
    grade = np.array([number(kind, text) for text in grade])
    variance = sum(jackknife(grade[group == g], case[group == g]) for g in "pqr") / 9
    found = a.groups.overall
    if kind == "any":
        degrees = variance**2 / sum(
            (jackknife(grade[group == g], case[group == g]) / 9) ** 2 / (len({*case[group == g]}) - 1)
            for g in "pqr"
        )
        half = stats.t.ppf(0.975, degrees) * math.sqrt(variance)
        assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), rel=0.01)
        assert found.method == "stratified, t"
    else:
        assert found.high - found.low == pytest.approx(2 * 2 * math.sqrt(variance), rel=0.12)
        assert found.method.startswith("stratified, ")


@pytest.mark.parametrize("kind", ["numbers", "levels", "any"])
@pytest.mark.parametrize("epochs", [1, 2])
def test_runs_are_compared_by_their_definition(kind, epochs, tmp_path):
    rows = table(kind, 3, models=3, epochs=epochs)
    board = ca.assess_grades(read(tmp_path, rows, kind), by="kind")
    grade = {m: np.array([number(kind, row[-1]) for row in rows if row[2] == m]) for m in ("m0", "m1", "m2")}
    case = np.array([row[0] for row in rows if row[2] == "m0"])
    names = sorted({*case})
    means = np.array([[of[case == name].mean() for name in names] for of in grade.values()])
    items = board.items
    assert items.cases == tuple(names)
    assert items.means == pytest.approx(means)
    spread = means.std(0, ddof=1)
    assert items.spread == pytest.approx(spread, abs=1e-12)
    for k, outcome in enumerate(items.outcomes):
        is_same = np.ptp(means[:, k]) < 1e-9
        ends = {} if kind == "any" else {1.0: "all pass", 0.0: "all fail"}
        assert outcome == ("runs differ" if not is_same else ends.get(round(means[0, k], 9), "same grade"))
    for outcome in ("all pass", "all fail", "same grade", "runs differ"):
        found = items.named(outcome)
        assert {*found} == {
            name for name, other in zip(names, items.outcomes, strict=True) if other == outcome
        }
        assert [spread[names.index(name)] for name in found] == pytest.approx(
            sorted((spread[names.index(name)] for name in found), reverse=True)
        )
    for row, name, k in zip(items.rows(), names, range(len(names)), strict=True):
        rest = np.delete(means, k, 1).mean(1)
        wanted = np.corrcoef(means[:, k], rest)[0, 1] if spread[k] > 1e-9 and np.ptp(rest) > 1e-9 else None
        assert (row["case"], row["mean"]) == (name, pytest.approx(means[:, k].mean()))
        assert row["discrimination"] == (None if wanted is None else pytest.approx(wanted))
    for standing in board.leaderboard.standings:
        assert standing.value.value == pytest.approx(grade[standing.model].mean())
        alone = ca.assess_grades(read(tmp_path, [row for row in rows if row[2] == standing.model], kind))
        if kind != "numbers" or {*grade[standing.model]} == {0.0, 1.0}:
            assert (standing.value.low, standing.value.high) == pytest.approx(
                (alone.mean.low, alone.mean.high)
            )
    for pair in board.comparisons:
        first, second = pair.models
        assert pair.effect.value == pytest.approx(grade[first].mean() - grade[second].mean())
    agreement(board, grade, case)
    for part in board.groups["kind"]:
        inside = np.array([row[3] == part.group for row in rows if row[2] == "m0"])
        assert part.cases == len({*case[inside]})
        best = max(grade, key=lambda m: grade[m][inside].mean())
        assert part.leaderboard.standings[0].value.value == pytest.approx(grade[best][inside].mean())
        assert part.leaderboard.level == pytest.approx(1 - 0.05 / 3)
    assert board.ungrouped == 0
    boards(board)


def agreement(board, grade, case):
    """The share of equal grades of every two answers to a case, and kappa."""
    found, runs = board.agreement, list(grade)
    assert found.reason is None
    shares = []
    for pair in found.pairs():
        same, n, table_of = [], 0, Counter()
        for name in {*case}:
            a, b = grade[pair.first][case == name], grade[pair.second][case == name]
            same.append((np.mean([x == y for x in a for y in b]), a.size))
            for x in a:
                for y in b:
                    table_of[x, y] += 1 / a.size
            n += a.size
        share = sum(s * size for s, size in same) / n
        shares.append(share)
        assert pair.agreement.value == pytest.approx(share)
        chance = sum(
            np.mean(grade[pair.first] == level) * np.mean(grade[pair.second] == level)
            for level in np.unique([*grade.values()])
        )
        assert pair.kappa == pytest.approx((share - chance) / (1 - chance))
        k = runs.index(pair.first), runs.index(pair.second)
        assert found.pair(*k).agreement == pair.agreement
        assert found.shares[k] == pytest.approx(share)
    assert found.mean == pytest.approx(np.mean(shares))
    least, most = found.extremes
    assert (least.agreement.value, most.agreement.value) == pytest.approx((min(shares), max(shares)))
    frame = found.frame().to_pylist()
    assert [row["agreement"] for row in frame] == pytest.approx(shares)


def boards(board):
    """The tables and the JSON of a leaderboard of grades."""
    document = board.document()
    tables = {section.title: section.parts[0] for section in document.sections if section.parts}
    for row, part in zip(tables["Groups of kind"].rows, board.groups["kind"], strict=True):
        first, best = part.leaderboard.standings[0], part.leaderboard.may_be_best
        assert (row[0].text, row[1].value, row[3].estimate) == (part.group, part.cases, first.value)
        assert row[4].text == ("all runs" if len(best) == 3 else some(best))
    assert "jointly valid for all 3 groups (Bonferroni)" in tables["Groups of kind"].foot
    pairs = board.agreement.pairs()
    for row, pair in zip(tables["Agreement of runs"].rows, pairs, strict=True):
        assert (row[0].text, row[1].estimate, row[2].value) == (
            f"{pair.first}, {pair.second}",
            pair.agreement,
            pair.kappa,
        )
    assert (
        f"two runs have the same grade in {100 * board.agreement.mean:.1f}%"
        in tables["Agreement of runs"].note
    )
    counts = Counter(board.items.outcomes)
    assert {row[1].value for row in tables["Cases"].rows} >= {*counts.values()}
    assert len(tables["Pairs of runs"].rows) == 3
    found = board.to_dict()
    assert [row["case"] for row in found["cases"]] == [*board.items.cases]
    assert [row["outcome"] for row in found["cases"]] == [*board.items.outcomes]
    assert [
        (row["first"], row["second"], row["agreement"]["value"]) for row in found["agreement"]["pairs"]
    ] == [(pair.first, pair.second, pair.agreement.value) for pair in pairs]
    assert [(row["group"], row["cases"]) for row in found["groups"]["kind"]] == [
        (one.group, one.cases) for one in board.groups["kind"]
    ]
    assert (found["agreement"]["mean"], found["ungrouped"]) == (board.agreement.mean, 0)
    assert [row["graded"] for row in found["runs"]] == [len(run.case) for run in board.runs]


@pytest.mark.parametrize("kind", ["numbers", "any"])
@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("gaps", [False, True])
def test_two_runs_are_compared_by_their_definition(kind, epochs, gaps, tmp_path):
    rows = table(kind, 4, models=2, epochs=epochs, gaps=gaps)
    compared = ca.assess_grades(read(tmp_path, rows, kind), by="kind", unanswered="drop")
    grade = [np.array([number(kind, row[-1]) for row in rows if row[2] == m]) for m in ("m0", "m1")]
    case, group = (np.array([row[k] for row in rows if row[2] == "m0"]) for k in (0, 3))
    known = ~np.isnan(grade[0]) & ~np.isnan(grade[1])
    a, b, case, group = grade[0][known], grade[1][known], case[known], group[known]
    assert compared[0].effect.value == pytest.approx(a.mean() - b.mean())
    gain = {name: (a - b)[case == name].mean() for name in sorted({*case})}
    facts = dict(compared.facts)
    for name, sign in (("m0", 1), ("m1", -1)):
        ahead = sorted((k for k in gain if sign * gain[k] > 1e-9), key=lambda k: -sign * gain[k])
        text = facts[f"better in {name}"]
        assert text.startswith(f"{len(ahead)} case")
        assert (": " in text) == bool(ahead)
        shown = [gain[case] for case in text.partition(": ")[2].partition(" and ")[0].split(", ") if case]
        assert [sign * each for each in shown] == pytest.approx([sign * gain[k] for k in ahead[: len(shown)]])
    labels = sorted({*group} - {""})
    means = [np.mean([x[group == label].mean() for label in labels]) for x in (a, b)]
    text = facts[f"mean of the {len(labels)} groups"]
    assert text.startswith(f"{means[0]:.3f} and {means[1]:.3f}, difference {means[0] - means[1]:+.3f}")
    assert text.endswith("; equal weights")
    found = compared.to_dict()["means_of_groups"]
    assert [found[name]["value"] for name in ("first", "second", "difference")] == pytest.approx(
        [*means, means[0] - means[1]]
    )
    assert [value.value for _, value in compared.means] == pytest.approx([a.mean(), b.mean()])
    assert dict(compared.cases.items()) == {label: len({*case[group == label]}) for label in labels}
    assert compared.cases_not_recorded == len({*case[group == ""]})


def test_shares_of_cases_allow_for_clusters(tmp_path):
    """Copies of cases in a cluster say no more than one copy, of pass@k and of the cases that vary."""
    rows = table("numbers", 0, epochs=3)
    copies = [(f"{q}{copy}", e, m, g, q, x) for q, e, m, g, _, x in rows for copy in "xyz"]
    once = ca.assess_grades(read(tmp_path, rows, "numbers"))
    thrice = ca.assess_grades(read(tmp_path, copies, "numbers"), cluster="text")
    alone = ca.assess_grades(read(tmp_path, copies, "numbers"))
    pairs = [(a.varying, *(rate.any_passes for rate in a.passing)) for a in (once, thrice, alone)]
    for one, three, other in zip(*pairs, strict=True):
        assert three.value == pytest.approx(one.value)
        assert three.high - three.low == pytest.approx(one.high - one.low, rel=0.25)
        assert other.high - other.low < 0.75 * (three.high - three.low)


@pytest.mark.parametrize(("number", "is_cut"), [(30, False), (31, True)])
def test_many_groups_of_a_leaderboard_are_shown_in_part(number, is_cut, tmp_path):
    rows = [
        (f"q{k:03}", 0, f"m{m}", f"g{k % number:02}", k, (k + m) % 2)
        for k in range(2 * number)
        for m in range(3)
    ]
    board = ca.assess_grades(read(tmp_path, rows, "numbers"), by="kind")
    tables = {section.title: section.parts[0] for section in board.document().sections if section.parts}
    found = tables["Groups of kind"]
    assert len(board.groups["kind"]) == number
    assert len(found.rows) == 30
    shown = "The table shows the first 30 of 31 groups."
    assert (shown in found.foot, "The table shows" in found.foot) == (is_cut, is_cut)


def test_the_mean_of_unequal_groups_between_bounds_is_wilsons(tmp_path):
    """With as many cases as have the variance within the groups, and a quantile of Student's t (Welch's degrees)."""
    sizes = {"p": 30, "q": 12, "r": 7}
    rows = [
        (f"{g}{k:02}", 0, "m", g, k, int(k % 3 > 0) ^ (g == "q")) for g, n in sizes.items() for k in range(n)
    ]
    found = ca.assess_grades(read(tmp_path, rows, "numbers"), by="kind").groups.overall
    values = {g: np.array([row[-1] for row in rows if row[3] == g], float) for g in sizes}
    share = np.mean([x.mean() for x in values.values()])
    parts = np.array([x.var(ddof=1) / x.size / 9 for x in values.values()])
    degrees = parts.sum() ** 2 / (parts**2 / (np.array([*sizes.values()]) - 1)).sum()
    t, m = stats.t.ppf(0.975, degrees), share * (1 - share) / parts.sum()
    centre, half = share + t * t / (2 * m), t * math.sqrt(share * (1 - share) / m + t * t / (4 * m * m))
    ends = ((centre - half) / (1 + t * t / m), (centre + half) / (1 + t * t / m))
    assert (found.value, found.low, found.high) == pytest.approx((share, *ends), abs=1e-9)


def test_differences_from_all_others_in_clusters_of_any_size_have_welchs_degrees(tmp_path):
    """A group leaves out its clusters one at a time; their number is that of clusters alike (Kish's)."""
    sizes = {"p": (9, 4, 2, 2, 1, 1, 1), "q": (3, 2, 6, 1), "r": (2, 2, 2, 5)}
    rng = np.random.default_rng(9)
    of = [(g, f"{g}{c}") for g, ns in sizes.items() for c, n in enumerate(ns) for _ in range(n)]
    rows = [(f"i{k:02}", 0, "m", g, c, f"{rng.random():.4f}") for k, (g, c) in enumerate(of)]
    found = ca.assess_grades(read(tmp_path, rows, "any"), by="kind", cluster="text").groups
    values = np.array([float(row[-1]) for row in rows])
    group, cluster = np.array(of).T
    for one in found.groups:
        inside = group == one.group
        parts, alike = [], []
        for side in (inside, ~inside):
            n = np.unique(cluster[side], return_counts=True)[1]
            parts.append(jackknife(values[side], cluster[side]))
            alike.append(n.sum() ** 2 / (n**2).sum())
        degrees = sum(parts) ** 2 / sum(v * v / (k - 1) for v, k in zip(parts, alike, strict=True))
        assert one.p == pytest.approx(
            2 * stats.t.sf(abs(one.difference.value) / math.sqrt(sum(parts)), degrees)
        )


@pytest.mark.parametrize("models", [2, 3])
@pytest.mark.parametrize("epochs", [1, 2])
def test_lower_grades_that_are_better_are_higher_ones_turned(models, epochs, tmp_path):
    """The same run is better, by the same number, and the facts and findings say which direction is meant."""
    rows = table("numbers", 3, models=models, epochs=epochs)
    turned = [(*row[:-1], str(1 - int(row[-1]))) for row in rows]
    up = ca.assess_grades(read(tmp_path, rows, "numbers"))
    low = read(tmp_path, turned, "numbers").runs
    down = ca.assess_grades(ca.GradedRuns(tuple(replace(run, better="lower") for run in low)))
    pairs = [each.comparisons if models == 3 else each for each in (up, down)]
    for one, other in zip(*pairs, strict=True):
        assert one.models == other.models
        assert other.effect.value == pytest.approx(-one.effect.value)
        assert (other.effect.low, other.effect.high) == pytest.approx((-one.effect.high, -one.effect.low))
        assert other.p == pytest.approx(one.p)
        assert (one.better, other.better) == (1, -1)
    winners = [
        [text.partition(" in grade")[0] for text in each.sentences if " is better than " in text]
        for each in pairs
    ]
    assert winners[0] == winners[1]
    assert bool(winners[0]) == ((models, epochs) == (3, 2))
    assert ("ower is better" in str(up), "ower is better" in str(down)) == (False, True)
    if models == 3:
        boards = [each.leaderboard for each in (up, down)]
        assert [one.model for one in boards[0].standings] == [one.model for one in boards[1].standings]
        assert boards[0].may_be_best == boards[1].may_be_best
