"""Votes, errors, margins and pairs of members recomputed case by case, and what pages, JSON and frames say of them."""

import json
from itertools import combinations
from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from classay import ensembles
from classay.ensembles import AdaBoost, Stacking, assess, assess_all
from classay.ensembles.growth import (
    UNKNOWN,
    Ballot,
    Diversity,
    Growth,
    Shared,
    Tally,
    diversity,
    margins,
    shown_sizes,
    ties,
    winners,
)
from classay.errors import InputError
from classay.inference.phrasing import share_with_interval
from classay.report.document import EstimateCell, Value
from command import as_json
from documented import other_defaults

RNG = np.random.default_rng(5)


def votes_of(seed, members=7, cases=40, classes=3, shared=False):
    """Votes of members as ballots, or as shares in steps of a quarter, and true codes, -1 for unlearned classes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(-1 if seed % 2 else 0, classes, cases)
    codes = np.where(
        rng.random((members, cases)) < 0.5, np.maximum(truth, 0), rng.integers(0, classes, (members, cases))
    )
    says = rng.integers(1, 4, members).astype(float)
    if not shared:
        return truth, [Ballot(row, say) for row, say in zip(codes, says, strict=True)]
    shares = rng.multinomial(4, np.full(classes, 1 / classes), (members, cases)) / 4
    return truth, [Shared(row, say) for row, say in zip(shares, says, strict=True)]


def table_of(vote, classes):
    """The votes of a member for each class, case by case."""
    if isinstance(vote, Shared):
        return vote.say * vote.shares
    return np.array([[vote.say * (code == label) for label in range(classes)] for code in vote.codes])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("some", [False, True])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_growth_is_counted_case_by_case(classes, shared, some, weighted):
    truth, votes = votes_of(classes, classes=classes, shared=shared)
    n = truth.size
    rng = np.random.default_rng(classes)
    rows = [np.flatnonzero(rng.random(n) < 0.4) if some else None for _ in votes]
    weight = rng.integers(0, 4, n).astype(float) if weighted else None
    w = np.ones(n) if weight is None else weight
    tally, total, voted = Tally(truth, classes, weight), np.zeros((n, classes)), np.zeros(n, bool)
    expected = []
    for vote, at in zip(votes, rows, strict=True):
        tally.add(vote, at)
        own = table_of(vote, classes)
        for case in range(n) if at is None else at:
            total[case] += own[case]
            voted[case] = True
        wrong = np.array([voted[case] and int(np.argmax(total[case])) != truth[case] for case in range(n)])
        missing = int((~voted & (w > 0)).sum())
        expected.append((w @ wrong, w @ voted, w**2 @ wrong, w**2 @ voted, missing))
    found = tally.growth("test", no_interval="why")
    wrong, voted_weight, *squares, missing = map(np.array, zip(*expected, strict=True))
    np.testing.assert_allclose(found.wrong, wrong)
    np.testing.assert_allclose(found.total, voted_weight)
    np.testing.assert_array_equal(found.unvoted, missing)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found.errors, wrong / voted_weight)
    assert (found.wrong_squares is None) == (found.total_squares is None) == (not weighted)
    if weighted:
        np.testing.assert_allclose([found.wrong_squares, found.total_squares], squares)
    np.testing.assert_allclose(tally.votes, total)
    most = [sorted(row)[-1] > 0 and sorted(row)[-1] == sorted(row)[-2] for row in total]
    assert found.tied == tally.tied == int(np.sum(np.array(most) & (w > 0)))
    assert ties(total) == int(np.sum(most))
    assert (found.cases, found.no_interval, found.members) == ("test", "why", len(votes))
    np.testing.assert_array_equal(winners(total), total.argmax(1))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_margins_case_by_case(classes, weighted):
    truth, votes = votes_of(3, classes=classes)
    total = sum(table_of(vote, classes) for vote in votes[:3])
    total[4] = 0
    weight = np.where(np.arange(truth.size) % 7 == 0, 0.0, 2.0) if weighted else None
    found = margins(total, truth, weight)
    for case, row in enumerate(total):
        if row.sum() == 0 or (weighted and weight[case] == 0):
            assert isnan(found[case])
            continue
        own = row[truth[case]] if truth[case] >= 0 else 0.0
        others = max(value for code, value in enumerate(row) if code != truth[case])
        assert found[case] == pytest.approx((own - others) / row.sum())


def test_what_the_last_ensemble_says_itself():
    truth = np.array([0, 1, 1, 0])
    tally = Tally(truth, 2)
    tally.add(Ballot(np.array([0, 1, 1, 0])))
    tally.add(Ballot(np.array([1, 1, 0, 0])))
    assert (tally.tied, tally.growth("test").errors.tolist()) == (2, [0.0, 0.25])
    tally.settle(np.array([1, 1, 1, 1]))
    assert tally.growth("test").errors.tolist() == [0.0, 0.5]
    passed = Tally(truth, 2)
    passed.pass_over()
    passed.say(np.array([0, 1, 1, 1]))
    growth = passed.growth("test")
    assert growth.is_known.tolist() == [False, True]
    assert isnan(growth.errors[0])
    assert growth.errors[1] == 0.25
    assert growth.unvoted.tolist() == [0, 0]
    assert growth.estimate(1).reason == UNKNOWN
    assert (growth.wrong[0], growth.total[0]) == (0, 0)


def growth_of(wrong, total, unvoted=None, **more):
    wrong, total = np.array(wrong, float), np.array(total, float)
    unvoted = np.zeros(wrong.size, int) if unvoted is None else np.array(unvoted)
    return Growth(
        "out of bag",
        wrong,
        total,
        more.pop("wrong_squares", None),
        more.pop("total_squares", None),
        unvoted,
        **more,
    )


def test_estimates_of_sizes():
    growth = growth_of([0, 5, 4], [0, 20, 40], [40, 20, 0])
    assert growth.is_known.tolist() == [True, True, True]
    assert growth.estimate(1).reason == "no case has a vote out of bag"
    for size, (wrong, total) in ((2, (5, 20)), (3, (4, 40)), (None, (4, 40))):
        for level in (0.95, 0.8):
            z = stats.norm.ppf((1 + level) / 2)
            p = wrong / total
            middle, half = p + z * z / (2 * total), z * sqrt(p * (1 - p) / total + z * z / (4 * total**2))
            found = growth.estimate(size, level)
            ends = [(middle - half) / (1 + z * z / total), (middle + half) / (1 + z * z / total)]
            assert [found.value, found.low, found.high] == pytest.approx([p, *ends])
            assert (found.level, found.method) == (level, "Wilson")
    assert growth.estimate() == growth.estimate(3, 0.95)
    for size in (0, 4, -1):
        with pytest.raises(
            InputError, match=f"members must be from 1 to 3, the size of the ensemble, but is {size}"
        ):
            growth.estimate(size)
    bare = growth_of([1], [4], no_interval="a reason").estimate()
    assert (bare.value, bare.has_interval, bare.reason) == (0.25, False, "a reason")
    assert growth_of([1], [0]).estimate().reason == UNKNOWN


def test_plateau_is_the_last_size_outside_plus_one():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        wrong = rng.integers(8, 14, 12)
        squares = {} if seed % 2 else {"wrong_squares": wrong * 2.0, "total_squares": np.full(12, 80.0)}
        found = growth_of(wrong, [40] * 12, **squares).plateau()
        last, n = wrong[-1] / 40, 40 if seed % 2 else 40**2 / 80
        margin = sqrt(last * (1 - last) / n)
        inside = [abs(value / 40 - last) <= margin + 1e-12 for value in wrong]
        first = next(k for k in range(12) if all(inside[k:])) + 1
        assert (found.members, found.of, found.margin) == (first, 12, pytest.approx(margin))
        assert found.is_reached == (first <= 6)
    assert growth_of([1, 0], [4, 0]).plateau() is None


@pytest.mark.parametrize(("members", "first"), [(10, 5), (10, 6), (11, 5), (11, 6), (1, 1)])
def test_a_plateau_is_reached_in_the_first_half(members, first):
    wrong = [0] * (first - 1) + [20] * (members - first + 1)
    found = growth_of(wrong, [40] * members).plateau()
    assert found.members == first
    assert found.is_reached == (2 * first <= members) or members == 1


def test_curves_and_frames_of_growth():
    growth = growth_of([0, 5, 4], [0, 20, 40], [0, 20, 0])
    curve, frame = growth.curve(0.8), growth.frame(0.8)
    assert curve.x.tolist() == [2, 3]
    known = [growth.estimate(size, 0.8) for size in (2, 3)]
    for name, values in (("value", curve.y), ("low", curve.low), ("high", curve.high)):
        assert values.tolist() == [getattr(each, name) for each in known]
    assert (curve.series, curve.band) == ("out of bag", "80% CI, separately for each size")
    assert growth.curve().band.startswith("95%")
    assert frame.column_names == ["members", "error", "low", "high", "unvoted"]
    assert frame["members"].to_pylist() == [1, 2, 3]
    assert frame["unvoted"].to_pylist() == [0, 20, 0]
    for column, name in (("error", "value"), ("low", "low"), ("high", "high")):
        assert frame[column].to_pylist()[1:] == [getattr(each, name) for each in known]
    bare = growth_of([5, 4], [20, 40], no_interval="why").curve()
    assert (bare.low, bare.high, bare.band) == (None, None, "")
    assert str(growth.frame().to_pydict()) == str(growth.frame(0.95).to_pydict()) != str(frame.to_pydict())


@pytest.mark.parametrize(("members", "most"), [(1, 10), (5, 10), (10, 10), (100, 7), (1000, 10)])
def test_sizes_that_are_shown(members, most):
    found = shown_sizes(members, most).tolist()
    assert found == sorted({*found})
    assert (found[0], found[-1]) == (1, members)
    assert len(found) <= most
    ideal = members ** (np.arange(min(members, most)) / max(min(members, most) - 1, 1))
    assert {round(each) for each in ideal} == {*found}


@pytest.mark.parametrize("unseen", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_pairs_of_members_case_by_case(classes, weighted, unseen):
    rng = np.random.default_rng(classes)
    truth = rng.integers(-1, classes, 60)
    codes = np.where(rng.random((5, 60)) < 0.6, np.maximum(truth, 0), rng.integers(0, classes, (5, 60)))
    codes[4] = 0
    weight = rng.uniform(0.5, 3, 60) if weighted else None
    w = np.ones(60) if weight is None else weight
    valid = rng.random((5, 60)) < 0.7 if unseen else np.ones((5, 60), bool)
    found = diversity(codes, truth, classes, weight, valid if unseen else None, "test")
    wrong = codes != truth
    np.testing.assert_allclose(
        found.errors, [w[at] @ bad[at] / w[at].sum() for bad, at in zip(wrong, valid, strict=True)]
    )
    for i, j in combinations(range(5), 2):
        at = valid[i] & valid[j]
        share = w[at] / w[at].sum()
        assert found.agreement[i, j] == pytest.approx(share @ (codes[i] == codes[j])[at])
        assert found.both_wrong[i, j] == pytest.approx(share @ (wrong[i] & wrong[j])[at])
        kappa = cohen_kappa_score(codes[i][at], codes[j][at], sample_weight=w[at])
        assert found.kappa[i, j] == pytest.approx(kappa, nan_ok=True)
    assert found.n == pytest.approx(w.sum() ** 2 / (w @ w))
    assert isnan(found.mean_squares) == unseen
    if not unseen:
        assert found.mean_squares == pytest.approx(w @ wrong.mean(0) ** 2 / w.sum())
    assert (found.cases, found.members) == ("test", 5)
    frame = found.frame().to_pydict()
    assert [*zip(frame["first"], frame["second"], strict=True)] == [
        (i + 1, j + 1) for i, j in combinations(range(5), 2)
    ]
    pairs = [*combinations(range(5), 2)]
    for name in ("kappa", "agreement", "both_wrong"):
        np.testing.assert_array_equal(frame[name], [getattr(found, name)[pair] for pair in pairs])
        known = [value for value in frame[name] if not isnan(value)]
        mean = found.mean_pair(name)
        assert (mean.value, mean.reason) == (pytest.approx(np.mean(known)), "pairs are not independent")
    np.testing.assert_allclose(frame["error"], [found.errors[[*pair]].mean() for pair in pairs])
    curve = found.curve()
    np.testing.assert_array_equal(curve.x, frame["kappa"])
    np.testing.assert_array_equal(curve.y, frame["error"])
    assert curve.band == ""


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_mean_error_of_a_member_is_a_t_interval_over_cases(level):
    """On the logit scale, of the share of members that err."""
    truth, votes = votes_of(2, members=6, cases=50)
    codes = np.array([vote.codes for vote in votes])
    found = diversity(codes, truth, 3, None, None, "test").mean_error(level)
    shares = (codes != truth).mean(0)
    mean, se = shares.mean(), shares.std(ddof=1) / sqrt(50)
    half = stats.t.ppf((1 + level) / 2, 49) * se / (mean * (1 - mean))
    ends = [1 / (1 + np.exp(-(np.log(mean / (1 - mean)) + sign * half))) for sign in (-1, 1)]
    assert [found.value, found.low, found.high] == pytest.approx([mean, *ends])
    assert (found.level, found.method) == (level, "t, logit")


def diversity_of(errors, n=10.0, squares=0.0):
    table = np.full((len(errors),) * 2, np.nan)
    return Diversity(np.array(errors, float), table, table, table, n, squares, "test")


def test_what_pairs_and_errors_cannot_be_estimated():
    assert diversity_of([0.1]).mean_pair("kappa").reason == "the ensemble has only one member"
    assert diversity_of([0.1, 0.2]).mean_pair("kappa").reason == "no pair has a value"
    assert (
        diversity_of([0.1, 0.3], squares=np.nan).mean_error().reason
        == "the members were tested on different cases"
    )
    same = diversity_of([0.2, 0.2], squares=0.04).mean_error()
    assert (same.value, same.reason) == (0.2, "it shows no variation among these cases")
    assert diversity_of([0.2, 0.2], n=1.0, squares=0.2).mean_error().reason == same.reason
    assert diversity_of([0.2, 0.2], n=2.0, squares=0.2).mean_error().has_interval


def test_many_pairs_are_thinned():
    for members, step in ((63, 1), (64, 2)):
        found = diversity_of(np.arange(members) / members)
        curve = found.curve()
        pairs = members * (members - 1) // 2
        assert curve.x.size == -(-pairs // step)
        assert curve.band == ("" if step == 1 else f"1 of 2 pairs, {pairs:,} in total")
        expected = [(i + j) / 2 / members for i, j in combinations(range(members), 2)]
        np.testing.assert_allclose(curve.y, expected[::step])


# --- pages, JSON and frames

X, Y = load_wine(return_X_y=True)
X = (X - X.mean(0)) / X.std(0)
NAMES = np.array(["ash", "birch", "cedar"])[Y]
FIT, NEW = (X[::2][:, :4], NAMES[::2]), (X[1::2][:, :4], NAMES[1::2])
STUMP = DecisionTreeClassifier(max_depth=1)
FITTED = {
    "forest": RandomForestClassifier(12, max_depth=2, random_state=1),
    "three trees": RandomForestClassifier(3, max_depth=2, random_state=1),
    "one tree": BaggingClassifier(STUMP, 1, random_state=1),
    "boosting": AdaBoostClassifier(STUMP, n_estimators=11, random_state=1),
    "hard votes": VotingClassifier([("a", GaussianNB()), ("b", STUMP), ("c", LogisticRegression())]),
    "stack": StackingClassifier([("a", GaussianNB()), ("b", STUMP)], LogisticRegression(), cv=2),
}
ASSESSED = {
    "new": lambda fitted: assess(fitted, *NEW),
    "both": lambda fitted: assess(fitted, *NEW, training=FIT),
    "training": lambda fitted: assess(fitted, training=FIT, level=0.8),
}


@pytest.fixture(scope="module")
def fitted():
    return {name: model.fit(*FIT) for name, model in FITTED.items()}


EVERY = [(name, way) for name in FITTED for way in ASSESSED]


def sections_of(document):
    return {section.title: section.parts[0] for section in document.sections if section.parts}


def same(value):
    return None if isnan(value) else pytest.approx(value)


def check_page(a):
    document, kinds = a.document(), [*a.growths]
    sections, facts = sections_of(document), dict(document.facts)
    assert document.title == f"{a.name} of {a.members} member{'s' if a.members > 1 else ''}"
    assert facts["members"] == f"{a.members} of {a.member}"
    assert facts["classes"] == "'ash', 'birch', 'cedar'"
    assert facts["votes"] == a.rule
    assert facts["confidence level"] == f"{100 * a.level:g}%"
    assert ("out of bag" in facts) == (a.out_of_bag is None)
    if a.out_of_bag is None:
        assert facts["out of bag"] == f"no votes: {a.no_out_of_bag}"
    tied = [f"{grown.tied} {cases}" for cases, grown in a.growths.items() if grown.tied]
    assert facts["ties"] == (", ".join(tied) or "none among these cases")
    assert kinds == [
        case
        for case, grown in (("training", a.training), ("out of bag", a.out_of_bag), ("test", a.test))
        if grown
    ]
    assert a.best is (a.test or a.out_of_bag)
    table = sections["Error against the number of members"]
    unvoted = [case for case in kinds if a.growths[case].unvoted.any()]
    heads = ["members"]
    for case in kinds:
        heads += [case, *(["without vote"] if case in unvoted else [])]
    assert [column.head for column in table.columns] == heads + ["bound of training"] * (a.bound is not None)
    sizes = [
        size
        for size in shown_sizes(a.members, 10)
        if any(grown.is_known[size - 1] for grown in a.growths.values())
    ]
    assert [row[0].text for row in table.rows] == [str(size) for size in sizes]
    for row, size in zip(table.rows, sizes, strict=True):
        cells = iter(row[1:])
        for case in kinds:
            grown, cell = a.growths[case], next(cells)
            assert isinstance(cell, Value if grown.no_interval else EstimateCell)
            assert str(cell.estimate) == str(grown.estimate(int(size), a.level))
            if case in unvoted:
                assert next(cells).value == grown.unvoted[size - 1]
        if a.bound is not None:
            assert next(cells).estimate.value == a.bound[size - 1]
    methods = [grown.estimate(level=a.level).method for grown in a.growths.values()]
    named = dict.fromkeys(method for method in methods if method is not None)
    assert table.foot == (f"Error rate of the first members. Intervals: {', '.join(named)}." if named else "")
    check_members(a, sections)
    assert ("Rounds of boosting" in sections) == (a.rounds is not None)
    if a.rounds is not None:
        rounds = sections["Rounds of boosting"]
        columns = {
            name: values for name, values in a.rounds.columns().items() if not name.startswith("bound")
        }
        assert [column.head for column in rounds.columns] == ["round", *columns]
        for row, size in zip(rounds.rows, shown_sizes(a.members, 10), strict=True):
            assert [cell.estimate.value for cell in row[1:]] == [
                float(values[size - 1]) for values in columns.values()
            ]


def check_members(a, sections):
    """The section of the members has their mean error, and of two or more how pairs agree."""
    title = next((name for name in sections if name.startswith("Members")), None)
    assert (title is None) == (a.diversity is None)
    if title is None:
        return
    assert title == ("Members" if a.diversity.cases == "test" else f"Members, {a.diversity.cases}")
    expected = [a.diversity.mean_error(a.level)]
    if a.members > 1:
        expected += [a.diversity.mean_pair(name) for name in ("agreement", "kappa", "both_wrong")]
    rows = sections[title].rows
    assert [str(row[1].estimate) for row in rows] == [*map(str, expected)]
    assert all(row[1].estimate is row[2].estimate for row in rows)
    best, worst = (f"{value:.3f}" for value in (np.nanmin(a.diversity.errors), np.nanmax(a.diversity.errors)))
    assert f"range from {best} to {worst}." in sections[title].foot or float(best) == 0


def check_sentences(a):
    said = " ".join(a.document().verdict) if hasattr(a.document(), "verdict") else str(a).replace("┃", "")
    said = " ".join(said.split())
    if a.best is None:
        assert "The error on new cases cannot be estimated from these training cases" in said
        assert a.error().is_undefined
        return
    error = a.best.estimate(level=a.level)
    assert str(a.error()) == str(error)
    where = "On new cases" if a.test is not None else "Out of bag"
    assert (
        f"{where}, the error rate of all {a.members} members together is {share_with_interval(error, 1000)}."
        in said
    )
    single = a.diversity is not None and a.members > 1
    assert ("Single members have an error rate of" in said) == single
    if single:
        assert f"of {share_with_interval(a.diversity.mean_error(a.level), 1000)} on average." in said
    assert ("within one standard error" in said) == (a.members >= 10)
    if a.members >= 10:
        plateau = a.best.plateau()
        only = "" if plateau.is_reached else "only "
        word = "member" if plateau.members == 1 else "members"
        assert (
            f"({100 * plateau.margin:.1f} percentage points) of its final value {only}from {plateau.members} {word} on."
            in said
        )
        assert ("More members may change the error rate." in said) == (not plateau.is_reached)
        assert ("Add members" in said) == ("document" in said)
    trained = a.training is not None and not a.training.estimate().is_undefined
    assert ("The training error rate is" in said) == trained
    if trained:
        assert f"The training error rate is {100 * a.training.errors[-1]:.1f}%." in said


def check_json(a):
    found = as_json(a)
    assert [found[key] for key in ("ensemble", "member", "members", "rule", "level")] == [
        a.name,
        a.member,
        a.members,
        a.rule,
        a.level,
    ]
    assert found["classes"] == [*a.classes]
    assert found["no_out_of_bag"] == (a.no_out_of_bag if a.out_of_bag is None else None)
    assert found["error"]["value"] == same(a.error().value)
    assert [row["cases"] for row in found["growth"]] == [*a.growths]
    for row, grown in zip(found["growth"], a.growths.values(), strict=True):
        every = [grown.estimate(size, a.level) for size in range(1, a.members + 1)]
        for key, name in (("errors", "value"), ("lows", "low"), ("highs", "high")):
            assert row[key] == [same(getattr(each, name)) for each in every]
        assert (row["unvoted"], row["tied"]) == (grown.unvoted.tolist(), grown.tied)
        assert row["value"] == same(every[-1].value)
        plateau = grown.plateau()
        expected = plateau and {
            "members": plateau.members,
            "margin": same(plateau.margin),
            "is_reached": plateau.is_reached,
        }
        assert row["plateau"] == expected
    for row in found["margins"]:
        known = a.margins[row["cases"]]
        known = known[~np.isnan(known)]
        assert (row["n"], row["mean"]) == (known.size, pytest.approx(known.mean()))
        for cut in row["quantiles"]:
            assert cut["margin"] == pytest.approx(np.quantile(known, cut["share"]))
        assert [cut["share"] for cut in row["quantiles"]] == [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
    assert (found["diversity"] is None) == (a.diversity is None)
    if a.diversity is not None:
        assert found["diversity"]["errors"] == [*map(same, a.diversity.errors)]
        assert found["diversity"]["mean_error"]["value"] == same(a.diversity.mean_error(a.level).value)
        for name in ("agreement", "kappa", "both_wrong"):
            assert found["diversity"][name]["value"] == same(a.diversity.mean_pair(name).value)
    assert (found["rounds"] is None) == (a.rounds is None)
    if a.rounds is not None:
        assert found["rounds"] == json.loads(json.dumps(a.rounds.frame().to_pydict()).replace("NaN", "null"))


def check_curves_and_warnings(a):
    grown, *others = a.curves()
    lines = [*a.growths, *(["bound of the training error"] if a.bound is not None else [])]
    assert [curve.series for curve in grown] == lines
    for curve, growth in zip(grown, a.growths.values(), strict=False):
        np.testing.assert_array_equal(curve.y, growth.curve(a.level).y)
    pairs = a.diversity is not None and a.members > 1
    assert len(others) == bool(a.margins) + pairs
    for curve in others[0] if a.margins else ():
        known = a.margins[curve.series]
        known = known[~np.isnan(known)]
        assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (-1, 0, 1, 1)
        np.testing.assert_allclose(curve.y[1:-1], [(known <= x).mean() for x in curve.x[1:-1]])
        np.testing.assert_array_equal(curve.x[1:-1], np.unique(known))
    codes = [warning.code for warning in a.warnings]
    left = a.out_of_bag is not None and a.out_of_bag.unvoted[-1] > 0
    assert codes == ["unvoted"] * int(left) + ["out_of_bag"] * (a.out_of_bag is not None)
    if left:
        assert a.warnings[0].text.startswith(
            f"{a.out_of_bag.unvoted[-1]} of the training cases have no vote out of bag"
        )
    assert ("test cases" in a.random) == (a.test is not None)
    assert repr(a) == f"EnsembleAssessment({a.name} of {a.members} members, {', '.join(a.growths)})"
    said = str(a)
    assert ("Assess the ensemble with new cases to see their errors" in " ".join(said.split())) == (
        a.test is None
    )
    tells = a.test is not None and a.training is None and "not given" in a.no_out_of_bag
    assert ("Pass the training cases to see" in " ".join(said.split())) == tells
    plateau = a.best.plateau() if a.best is not None and a.members >= 10 else None
    assert ("Add members" in said) == (plateau is not None and not plateau.is_reached)


@pytest.mark.parametrize(("name", "way"), EVERY)
def test_what_is_said_of_an_ensemble(name, way, fitted):
    """An assessment is made in one test, so that this test notices any fault in it."""
    a = ASSESSED[way](fitted[name])
    for check in (check_page, check_sentences, check_json, check_curves_and_warnings):
        check(a)


# --- several ensembles


def check_several_ensembles(a, seen):
    assert seen == ["bagging", "boosting", "stacking"] == [*a.of]
    assert (a.n_train + a.n_test, a.level, a.seed) == (178, 0.9, 0)
    assert a.n_test == pytest.approx(178 / 3, abs=2)
    assert (
        repr(a)
        == f"EnsembleAssessments(bagging, boosting, stacking: {a.n_train} cases, tested on {a.n_test})"
    )
    document, sections = a.document(), sections_of(a.document())
    facts = dict(document.facts)
    assert document.title == "Ensembles: bagging, boosting, stacking"
    assert facts["cases"] == f"{a.n_train} for training, {a.n_test} for testing"
    assert (facts["confidence level"], facts["seed"]) == ("90%", "0")
    said = " ".join(str(a).replace("┃", "").split())
    at = []
    for name, one in a.of.items():
        assert facts[name] == f"{one.name}, {one.members} of {one.member}"
        assert one.level == 0.9
        sentence = f"The test error rate of {name} is {share_with_interval(one.error(), 1000)}"
        bag = (
            ""
            if one.out_of_bag is None
            else f"; the out-of-bag error rate is {100 * one.out_of_bag.errors[-1]:.1f}%"
        )
        assert f"{sentence}{bag}." in said
        at.append((one.error().value, said.index(sentence)))
    assert [place for _, place in sorted(at)] == sorted(place for _, place in at)
    table = sections["Comparison of the ensembles"]
    heads = [
        "ensemble",
        "test error",
        "out of bag",
        "training",
        "single member",
        "kappa of two",
        "stable from",
    ]
    assert [column.head for column in table.columns] == heads
    for row, (name, one) in zip(table.rows, a.of.items(), strict=True):
        assert row[0].text == name
        assert str(row[1].estimate) == str(one.error())
        bag = row[2].estimate
        assert (
            bag.reason == one.no_out_of_bag
            if one.out_of_bag is None
            else str(bag) == str(one.out_of_bag.estimate(level=0.9))
        )
        assert row[3].estimate.value == one.training.errors[-1]
        assert row[4].estimate.value == pytest.approx(one.diversity.errors.mean())
        assert row[5].estimate.value == one.diversity.mean_pair("kappa").value
        plateau = one.test.plateau()
        known = one.test.is_known.all()
        assert row[6].text == (
            f"{plateau.members} of {plateau.of}" if known and plateau.is_reached else "not yet"
        )
    for row, one in zip(sections["Margins on the test cases"].rows, a.of.values(), strict=True):
        known = one.margins["test"]
        expected = [known.mean(), *np.quantile(known, [0.05, 0.25, 0.5]), (known < 0).mean()]
        assert [cell.estimate.value for cell in row[1:]] == pytest.approx(expected)
    for cases in ("test", "out of bag"):
        grown = {name: one.growths[cases] for name, one in a.of.items() if cases in one.growths}
        table = sections[f"Error against the number of members, {cases}"]
        assert [column.head for column in table.columns] == ["members", *grown]
        assert [row[0].text for row in table.rows] == [
            str(size) for size in shown_sizes(max(g.members for g in grown.values()), 10)
        ]
        for row in table.rows:
            size = int(row[0].text)
            for cell, growth in zip(row[1:], grown.values(), strict=True):
                has = size <= growth.members and growth.is_known[size - 1]
                assert (cell is not None) == has
                assert not has or str(cell.estimate) == str(growth.estimate(size, 0.9))
    assert [warning.code for warning in a.warnings][-1] == "one_split"


def check_frame_and_curves_of_several(a):
    rows = a.frame().to_pylist()
    expected = [
        {"ensemble": name, "cases": cases, "members": size, "error": same(grown.errors[size - 1])}
        for name, one in a.of.items()
        for cases, grown in one.growths.items()
        for size in range(1, grown.members + 1)
    ]
    assert [
        {key: None if row[key] != row[key] else row[key] for key in expected[0]} for row in rows
    ] == expected
    titles = [curves[0].title for curves in a.curves()]
    assert titles[0] == "Error on the test cases"
    assert titles[-1] == "Error on the training cases"
    for curves in a.curves():
        assert all(curve.series in a.of and curve.low is None for curve in curves)
    with pytest.raises(
        InputError,
        match=r"Unknown ensemble 'baging'. Ensembles here: bagging, boosting, stacking. Did you mean",
    ):
        a["baging"]
    assert a["bagging"] is a.of["bagging"]


def test_several_ensembles_and_what_is_said_of_them():
    seen = []
    a = assess_all(
        X[:, :4], NAMES, of="bagging, boosting ,stacking", members=12, level=0.9, progress=seen.append
    )
    check_several_ensembles(a, seen)
    check_frame_and_curves_of_several(a)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"of": "forrest"},
            "Unknown ensemble 'forrest'. Ensembles: bagging, forest, extra_trees, boosting, .* Did you mean 'forest'",
        ),
        ({"of": []}, "of= has no ensemble. Pass some of bagging, forest"),
        ({"members": 0}, "members"),
        ({"members": 1.5}, "members"),
        ({"test": 0.0}, "between 0 and 1"),
        ({"test": 1.0}, "between 0 and 1"),
        ({"level": 1.0}, "level"),
    ],
)
def test_refusals_of_several(options, said):
    with pytest.raises(InputError, match=said):
        assess_all(X[:, :4], NAMES, **options)


@pytest.mark.parametrize("label", [0, 1, 2, "a"])
def test_one_class_is_refused(label):
    with pytest.raises(InputError, match="two classes"):
        assess_all(X[:, :4], [label] * len(X), of="bagging")


def test_one_ensemble_has_no_warning_of_one_split():
    a = assess_all(X[:, :4], NAMES, of={"mine": AdaBoostClassifier(STUMP, n_estimators=1)}, test=0.5)
    assert a.warnings == ()
    assert abs(a.n_test - a.n_train) <= 3


FOREST = RandomForestClassifier(5, max_depth=2, random_state=0).fit(*FIT)
REFUSED = [
    (lambda: assess(FOREST, NEW[0]), "X and y must both be given"),
    (lambda: assess(FOREST, y=NEW[1]), "X and y must both be given"),
    (lambda: assess(FOREST), "There are no cases. Pass new cases as X and y"),
    (lambda: assess(FOREST, training=FIT[0]), r"training must be \(X, y\) or \(X, y, weight\)"),
    (lambda: assess(FOREST, training=(FIT[0],)), r"training must be \(X, y\)"),
    (lambda: assess(FOREST, training=(*FIT, None, None)), r"training must be \(X, y\)"),
    (lambda: assess(FOREST, *FIT, training=FIT), "X contains the training cases"),
    (
        lambda: assess(FOREST, NEW[0], [None, *NEW[1][1:]]),
        "y is missing in 1 row|y is missing in 1 case|y is missing in",
    ),
    (lambda: assess(FOREST, NEW[0][:0], []), "X and y are empty. Pass at least one case"),
    (
        lambda: assess(FOREST, NEW[0], [0] * len(NEW[1])),
        "The labels of y are 0, but the classes of the fit are 'ash', 'birch', 'cedar'",
    ),
    (
        lambda: assess(FOREST, NEW[0], NEW[1][1:]),
        "X has 89 cases, but y has 88 labels. Pass one label for each case",
    ),
    (
        lambda: assess(FOREST, *NEW, weight=[1.0]),
        r"weight has shape \(1,\). Pass one number for each of the 89 cases",
    ),
    (lambda: assess(FOREST, *NEW, weight=[-1.0] * 89), "weight"),
    (lambda: assess(FOREST, *NEW, level=1), "level"),
    (lambda: assess(GaussianNB().fit(*FIT), *NEW), "ensemble"),
    (lambda: assess(FOREST, NEW[0], ["Ash"] * 89), "Did you mean 'ash'"),
]


@pytest.mark.parametrize("at", range(len(REFUSED)))
def test_refusals_of_one(at):
    call, said = REFUSED[at]
    with pytest.raises(InputError, match=said):
        call()


def test_defaults_of_one():
    plain = assess(FOREST, *NEW)
    assert plain.to_dict() == assess(FOREST, *NEW, training=None, weight=None, level=0.95).to_dict()
    assert plain.error().level == 0.95
    assert [*assess(FOREST, *NEW, training=[*FIT]).growths] == ["training", "out of bag", "test"]
    known = assess(FOREST, NEW[0], np.where(np.arange(89) < 5, "new", NEW[1])).test
    assert known.wrong[-1] >= 5
    weight = np.arange(89) % 3 + 1.0
    assert assess(FOREST, *NEW, weight=weight).error().value == pytest.approx(
        weight @ (FOREST.predict(NEW[0]) != NEW[1]) / weight.sum()
    )


def test_boosting_notes_its_progress_and_its_votes():
    """ε, α = log((1 - ε) / ε) + log(K - 1) of each round, recomputed from the members."""
    seen = []
    X2, y2 = load_breast_cancer(return_X_y=True)
    with pytest.deprecated_call(match="reweighting"):
        model = AdaBoost(
            STUMP, 4, strategy="reweighting", random_state=0, progress=lambda *at: seen.append(at)
        ).fit(X2[:200], y2[:200])
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    weight = np.full(200, 1 / 200)
    for member, error, say in zip(
        model.estimators_, model.estimator_errors_, model.estimator_weights_, strict=True
    ):
        wrong = member.predict(X2[:200].astype(np.float32)) != y2[:200]
        epsilon = weight @ wrong / weight.sum()
        assert (error, say) == pytest.approx((epsilon, np.log((1 - epsilon) / epsilon)))
        weight = weight * np.where(wrong, np.exp(say), 1)
        weight /= weight.sum()
    stack = Stacking([("a", GaussianNB()), ("b", STUMP)], cv=2, progress=lambda *at: seen.append(at)).fit(
        *FIT
    )
    assert seen[-1] == (2, 2)
    assert stack.level_one_truth_.tolist() == Y[::2].tolist()


def test_calls_have_the_defaults_of_their_docstrings():
    calls = (
        ensembles.assess,
        ensembles.AdaBoost,
        ensembles.Bagging,
        ensembles.RandomForest,
        ensembles.Stacking,
    )
    assert other_defaults(*calls) == {}
