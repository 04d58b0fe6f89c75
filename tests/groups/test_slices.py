"""Groups of cases: each assessed as if alone, differences by published examples, the size of their tests."""

import json
import pickle
from collections import Counter
from functools import reduce
from math import isnan
from operator import add
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import classay as ca
from classay.assessment.views import sampled_table
from classay.errors import InputError
from classay.groups.compared_groups import without
from classay.groups.findings_groups import findings_on_groups
from classay.groups.results_of_groups import WORST, section_of
from classay.groups.sentences import worst_first
from classay.inference.design import blocks_of, correlation, without_blocks
from classay.inference.estimate import Estimate
from classay.inference.proportions import wilson
from classay.inference.significance import adjust, difference
from classay.measures import get
from classay.report.document import Bar, EstimateCell
from classay.testing import assert_requirements
from command import as_json, call, refusal
from samples import binary_rows

ORACLES = json.loads((Path(__file__).parents[1] / "oracles" / "statistics.json").read_text())
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "assessment.schema.json").read_text())
VALIDATOR = Draft202012Validator(
    SCHEMA["properties"]["slices"] | {"$defs": SCHEMA["$defs"], "$schema": SCHEMA["$schema"]}
)

rng = np.random.default_rng(3)
N = 600
GROUP = rng.choice(["north", "south", "west"], N, p=[0.5, 0.3, 0.2])
TRUTH = (rng.random(N) < np.where(GROUP == "west", 0.6, 0.3)).astype(int)
SCORE = 1 / (1 + np.exp(-(1.5 * rng.normal(size=N) + 1.5 * TRUTH - 1)))
CLASSES = rng.choice(["a", "b", "c"], N)
CLASS_SCORES = rng.dirichlet([1, 1, 1], N)
WEIGHT, FREQUENCY, CLUSTER = rng.random(N) + 0.5, rng.integers(1, 4, N), np.arange(N) // 4


def rate(x, m, level=0.95):
    return Estimate(x / m, *(float(end) for end in wilson(x, m, level)), level, "Wilson")


# --- differences


def test_difference_of_proportions_oracle():
    found = difference(rate(56, 70), rate(48, 80)).estimate
    assert [found.low, found.high] == pytest.approx(ORACLES["diff_indep_56_70_48_80"]["newcomb"], abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "published"),
    [
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
        ((10, 10), (0, 10), (0.6075, 1.0)),
    ],
)
def test_differences_published(first, second, published):
    """Newcombe 1998, Statistics in Medicine 17:873, table II, method 10."""
    found = difference(rate(*first), rate(*second)).estimate
    assert [found.low, found.high] == pytest.approx(published, abs=6e-5)
    assert found.method == "Newcombe"


COUNTS = st.integers(1, 300).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m)))


@given(COUNTS, COUNTS, st.sampled_from([0.8, 0.95, 0.99]))
def test_laws_of_differences(first, second, level):
    one, two = rate(*first, level), rate(*second, level)
    found, mirrored = difference(one, two), difference(two, one)
    assert found.estimate.value == -mirrored.estimate.value
    assert [found.estimate.low, found.estimate.high] == pytest.approx(
        [-mirrored.estimate.high, -mirrored.estimate.low]
    )
    assert found.p == pytest.approx(mirrored.p)
    assert -1 - 1e-12 <= found.estimate.low <= found.estimate.value <= found.estimate.high <= 1 + 1e-12
    nearest = min(abs(found.estimate.low), abs(found.estimate.high))
    if nearest > 1e-9:  # p and interval agree on whether there is a difference
        excludes = found.estimate.low > 0 or found.estimate.high < 0
        assert (found.p < 1 - level) == excludes


def test_differences_of_what_has_none():
    whole, missing = rate(5, 10), Estimate.undefined("nothing is predicted positive")
    assert difference(missing, whole).estimate.reason == "not defined (nothing is predicted positive)"
    assert (
        difference(whole, missing).estimate.reason
        == "not defined in the reference (nothing is predicted positive)"
    )
    assert difference(Estimate(float("inf"), 1, float("inf"), 0.95, "t"), whole).estimate.is_undefined
    bare = difference(whole, Estimate.bare(0.25, "one case shows no spread"))
    assert (bare.estimate.value, bare.estimate.has_interval) == (0.25, False)
    assert bare.estimate.reason == "no CI in the reference (one case shows no spread)"
    assert isnan(bare.p)


# --- groups


KINDS = {
    "scores": {"y_score": SCORE},
    "labels": {"y_pred": (SCORE > 0.4).astype(int)},
    "threshold": {"y_score": SCORE, "threshold": 0.3},
    "margins": {"y_score": 5 * SCORE - 2},
    "weight": {"y_score": SCORE, "weight": WEIGHT},
    "frequency": {"y_score": SCORE, "frequency": FREQUENCY},
    "cluster": {"y_score": SCORE, "cluster": np.char.add(GROUP, CLUSTER.astype(str))},
    "classes": {"y_true": CLASSES, "y_score": CLASS_SCORES},
    "class labels": {"y_true": CLASSES, "y_pred": np.roll(CLASSES, 1)},
    "interval": {"y_score": SCORE, "interval": "jeffreys"},
}
COLUMNS = ("y_true", "y_score", "y_pred", "weight", "frequency", "cluster")


def taken(kind, rows):
    given = {"y_true": TRUTH} | KINDS[kind]
    return {name: value[rows] if name in COLUMNS else value for name, value in given.items()}


def alike(one, two):
    assert one.keys() == two.keys()
    for name, a in one.items():
        b = two[name]
        values = [a.value, a.low, a.high], [b.value, b.low, b.high]
        assert values[0] == pytest.approx(values[1], rel=1e-9, abs=1e-12, nan_ok=True), name
        assert (a.method, a.is_undefined) == (b.method, b.is_undefined), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_group_is_what_its_rows_alone_would_be(kind):
    found = ca.assess_by(**taken(kind, slice(None)), by=GROUP)
    names = found.main_measures
    assert 2 <= len(names) <= 6
    assert list(found) == ["north", "south", "west"]
    alike(found.overall.estimates(), ca.assess(**taken(kind, slice(None))).estimates())
    for label in found:
        alone = ca.assess(**taken(kind, label == GROUP))
        rest = ca.assess(**taken(kind, label != GROUP))
        alike(found[label].estimates(names), alone.estimates(names))
        assert found[label].n == alone.n
        for each in found.compare(*names):
            if each.group == label:
                expected = difference(alone[each.measure], rest[each.measure])
                got = [each.difference.value, each.difference.low, each.difference.high, each.p]
                wanted = expected.estimate.value, expected.estimate.low, expected.estimate.high, expected.p
                assert got == pytest.approx(wanted, rel=1e-8, abs=1e-12, nan_ok=True), each.measure


@pytest.mark.parametrize("levels", [7, 10**6])
def test_all_others_are_the_sum_of_all_others(levels):
    """What is left of the whole without a group is what the other groups add up to."""
    rng = np.random.default_rng(21)
    truth, score = binary_rows(rng, 900, levels=levels)
    found = ca.assess_by(truth, score, by=rng.integers(0, 5, 900))
    parts = list(found.groups.values())
    for part in parts:
        left = without(found.overall, part)
        others = reduce(add, [each for each in parts if each is not part])
        assert (left.n, left.labels) == (others.n, others.labels)
        np.testing.assert_array_equal(left.confusion_matrix.counts, others.confusion_matrix.counts)
        for name in ("scores", "positives", "negatives"):
            np.testing.assert_array_equal(getattr(left.scores, name), getattr(others.scores, name))
        assert left.estimates() == others.estimates()


def test_of_very_many_groups_the_worst_are_shown():
    """The frame has all of them; the text those that are surely worst, and says so."""
    rng = np.random.default_rng(22)
    n, groups = 25_000, 250
    truth, by = rng.integers(0, 2, n), rng.permutation(n) % groups
    wrong = rng.random(n) < np.where(by == 17, 0.9, 0.1)
    found = ca.assess_by(truth, y_pred=np.where(wrong, 1 - truth, truth), by=[f"g{code}" for code in by])
    assert found.frame("recall").num_rows == groups
    shown = section_of(found, found.compare("recall")).parts[1]
    assert len(shown.rows) == WORST
    assert shown.rows[0][0].text == "g17"
    highs = [row[-2].estimate.high for row in shown.rows]
    assert highs == sorted(highs)
    assert (
        f"The table shows {WORST} of {groups} groups, those with the largest deficit in any measure"
        in " ".join(str(found).split())
    )


def test_hundreds_of_groups():
    """None of them costs a table of all others: measures that sums tell of are what that table gives."""
    rng = np.random.default_rng(23)
    truth, score = binary_rows(rng, 6_000)
    by = np.arange(6_000) % 300
    found = ca.assess_by(truth, score, by=by)
    frame = found.frame("roc_auc", "brier_score")
    assert frame.num_rows == 2 * 300
    rows = {(row["group"], row["measure"]): row for row in frame.to_pylist()}
    for k in (0, 299):
        rest = ca.assess(truth[by != k], score[by != k])
        for name in ("roc_auc", "brier_score"):
            row, wanted = rows[str(k), name], found[k][name].value - rest[name].value
            told = row["difference_reason"] is not None and "too few" in row["difference_reason"]
            assert told or row["difference"] == pytest.approx(wanted, abs=1e-12)


def test_a_named_reference_and_holm():
    found = ca.assess_by(TRUTH, SCORE, by=GROUP, reference="south").compare("recall", "auc")
    assert [each.measure for each in found] == ["recall"] * 3 + ["roc_auc"] * 3
    by_name = {each.group: each for each in found[:3]}
    assert by_name["south"].difference.reason == "it is the reference"
    expected = difference(by_name["west"].estimate, by_name["south"].estimate)
    assert by_name["west"].difference == expected.estimate
    tested = [by_name["north"].p, by_name["west"].p]
    assert [by_name["north"].p_adjusted, by_name["west"].p_adjusted] == adjust(tested).tolist()


def test_two_groups_are_one_test():
    two = np.where(GROUP == "west", "west", "other")
    other, west = ca.assess_by(TRUTH, SCORE, by=two).compare("precision")
    assert other.p == pytest.approx(west.p)
    assert (other.p_adjusted, west.p_adjusted) == (other.p, west.p)
    assert other.difference.value == -west.difference.value


def test_one_group_has_nothing_to_differ_from():
    (only,) = ca.assess_by(TRUTH, SCORE, by=["all"] * N).compare("recall")
    assert only.estimate.has_interval
    assert only.difference.reason == "there is no other group"
    assert isnan(only.p_adjusted)


def test_few_cases_give_a_reason_and_no_difference():
    few = np.where(np.arange(N) < 5, "few", "many")
    found = {
        each.measure: each for each in ca.assess_by(TRUTH, SCORE, by=few).compare() if each.group == "few"
    }
    assert found["accuracy"].estimate.has_interval
    for name in ("accuracy", "recall", "roc_auc", "brier_score", "matthews_correlation"):
        assert "too few cases" in found[name].difference.reason, name
        assert isnan(found[name].p)
    against = {each.group: each for each in ca.assess_by(TRUTH, SCORE, by=few).compare("recall")}
    assert "to compare with" in against["many"].difference.reason


def test_few_cases_by_weight():
    """Ten rows of which one has nearly all the weight say as much as one."""
    group = np.array(["a"] * 10 + ["b"] * 90)
    truth, called = np.ones(100, int), np.arange(100) % 3 > 0
    truth[50:] = 0
    weight = np.ones(100)
    assert (
        ca.assess_by(truth, y_pred=called.astype(int), by=group, weight=weight).compare("accuracy")[0].p >= 0
    )
    weight[0] = 1000
    found = ca.assess_by(truth, y_pred=called.astype(int), by=group, weight=weight).compare("accuracy")[0]
    assert "too few cases: 1.02" in found.difference.reason


def test_few_clusters_that_straddle_groups_are_refused():
    found = ca.assess_by(TRUTH, SCORE, by=GROUP, cluster=np.arange(N) % 19).compare("recall")
    assert all(each.estimate.has_interval for each in found)
    assert all("19 clusters have rows in the group and outside" in each.difference.reason for each in found)


SHARED = ("accuracy", "recall", "mcc", "balanced_accuracy", "roc_auc", "average_precision", "brier_score")


def test_values_without_a_block_of_clusters():
    """As the assessment of the other rows."""
    a = ca.assess(TRUTH, SCORE, cluster=CLUSTER, weight=WEIGHT)
    blocks = blocks_of(a.clusters)
    block = np.array([blocks[each] for each in CLUSTER])
    assert sorted({*blocks.values()}) == [*range(64)]
    for name in SHARED:
        measure = get(name)
        view = sampled_table(a, a.table(measure), 1)
        found = without_blocks(measure, view.table, a.coded, view.cells, blocks)
        for each in (0, 17, 63):
            kept = block != each
            rest = ca.assess(TRUTH[kept], SCORE[kept], weight=WEIGHT[kept])
            assert found[each] == pytest.approx(rest[name].value, abs=1e-12), name


def test_groups_of_the_same_clusters():
    """A group against its own copy, in the same clusters: but for the skew of intervals, nothing is uncertain."""
    twice = {"by": np.repeat(["a", "b"], N), "cluster": np.tile(CLUSTER, 2)}
    for each in ca.assess_by(np.tile(TRUTH, 2), np.tile(SCORE, 2), **twice).compare(*SHARED):
        assert each.difference.value == 0
        width = each.estimate.high - each.estimate.low
        assert each.difference.high - each.difference.low < 0.3 * width
        assert each.p == 1
    score = np.concatenate([SCORE, np.where(TRUTH == 1, SCORE, SCORE**0.8)])
    together = ca.assess_by(np.tile(TRUTH, 2), score, **twice).compare("roc_auc")[0]
    apart = ca.assess_by(np.tile(TRUTH, 2), score, by=twice["by"], cluster=np.arange(2 * N)).compare(
        "roc_auc"
    )[0]
    assert together.difference.high - together.difference.low < 0.3 * (
        apart.difference.high - apart.difference.low
    )
    assert together.p < 0.001 < apart.p


def test_correlated_differences_are_paired_ones():
    """Of two means of the same cases: the variance of the difference, from the limits of each and their correlation."""
    x, y = rng.normal(size=(2, 200)) + rng.normal(size=200)
    halves = [1.96 * each.std(ddof=1) / 200**0.5 for each in (x, y)]
    ends = [
        Estimate(e.mean(), e.mean() - h, e.mean() + h, 0.95, "t") for e, h in zip((x, y), halves, strict=True)
    ]
    found = difference(*ends, float(np.corrcoef(x, y)[0, 1])).estimate
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * (x - y).std(ddof=1) / 200**0.5, rel=1e-9)


def test_scores_that_are_no_probabilities_anywhere_are_none_in_a_group():
    """The scores of one group happen to lie in [0, 1]."""
    score = np.where(GROUP == "west", SCORE, 3 * SCORE - 1)
    found = ca.assess_by(TRUTH, score, by=GROUP)
    assert found["west"].cutoff is None
    assert found["west"].confusion_matrix is None
    for each in found.compare("log_loss", "ece"):
        assert each.estimate.is_undefined
        assert "outside [0, 1]" in each.estimate.reason
    assert found.main_measures == ("roc_auc", "average_precision")


def test_missing_groups_are_refused_or_apart():
    by = [None if i < 7 else label for i, label in enumerate(GROUP)]
    with pytest.raises(ca.InputError, match="group has missing values in 7 rows"):
        ca.assess_by(TRUTH, SCORE, by=by)
    found = ca.assess_by(TRUTH, SCORE, by=by, missing="drop")
    assert (found.overall.dropped, found.overall.n) == (0, N)
    assert (
        found.compared_cases.n
        == sum(part.n for part in found.groups.values())
        == N - found.not_recorded.n
        == N - 7
    )


def test_refusals():
    with pytest.raises(ca.InputError, match="'east'"):
        ca.assess_by(TRUTH, SCORE, by=GROUP, reference="east")
    with pytest.raises(ca.InputError, match="600 groups"):
        ca.assess_by(TRUTH, SCORE, by=np.arange(N))
    with pytest.raises(ca.InputError, match="truth has 600 rows, but group has 599"):
        ca.assess_by(TRUTH, SCORE, by=GROUP[1:])
    with pytest.raises(ca.InputError, match="no frame was passed"):
        ca.assess_by(TRUTH, SCORE, by="region")
    with pytest.raises(ca.UnknownMeasureError, match="Unknown measure 'recal'"):
        ca.assess_by(TRUTH, SCORE, by=GROUP).compare("recal")
    with pytest.raises(ca.InputError, match="Group 'east' does not occur"):
        ca.assess_by(TRUTH, SCORE, by=GROUP)["east"]


@pytest.mark.parametrize(
    "frame", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "arrow"]
)
def test_frames_and_labels_of_groups(frame):
    made = frame({"y": TRUTH, "p": SCORE, "site": (GROUP == "west").astype(int)})
    found = ca.assess_by(made, truth="y", score="p", by="site")
    assert (found.by, list(found)) == ("site", [0, 1])
    assert found["1"] is found[1]
    assert found.overall["roc_auc"] == ca.assess(TRUTH, SCORE)["roc_auc"]


def test_a_series_names_its_groups():
    assert ca.assess_by(TRUTH, SCORE, by=pd.Series(GROUP, name="region")).by == "region"
    assert ca.assess_by(TRUTH, SCORE, by=GROUP).by == "group"


# --- what is shown


@pytest.fixture
def found():
    return ca.assess_by({"y": TRUTH, "p": SCORE, "region": GROUP}, truth="y", score="p", by="region")


def test_frame(found):
    rows = found.frame("recall", "auc").to_pylist()
    assert [(row["group"], row["measure"]) for row in rows[:2]] == [("north", "recall"), ("south", "recall")]
    first, expected = rows[0], found.compare("recall")[0]
    assert first["n"] == found["north"].n
    assert first["positives"] == int(TRUTH[GROUP == "north"].sum())
    assert (first["value"], first["low"]) == (expected.estimate.value, expected.estimate.low)
    assert (first["difference"], first["difference_low"]) == (
        expected.difference.value,
        expected.difference.low,
    )
    assert (first["p"], first["p_adjusted"]) == (expected.p, expected.p_adjusted)
    assert len({row["measure"] for row in found.frame().to_pylist()}) == len(found.overall.applicable())


def test_texts(found):
    text = str(found)
    assert "Assessment of p by region" in text
    assert "ROC AUC  all cases" in text
    assert "adjusted p" in text
    two = ca.assess_by(TRUTH, SCORE, by=np.where(GROUP == "west", "west", "other"))
    assert "adjusted p" not in str(two)
    assert "3 groups by 'region'" in repr(found)
    page = found._repr_html_()
    assert len(page) < 60_000  # a notebook keeps each output: no plotting library in it
    assert "Recall (sensitivity)" in page


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_text_keeps_to_the_width(found, width):
    from classay.report.text import as_text

    long = ca.assess_by(TRUTH, SCORE, by=np.char.add(GROUP, " of the country and beyond its borders, far"))
    for each in (found, long):
        assert max(map(len, as_text(each.document(), width).splitlines())) <= width


def test_plot(found):
    from matplotlib.figure import Figure

    axes = found.plot("recall", Figure().subplots())
    assert [text.get_text() for text in axes.get_yticklabels()] == ["north", "south", "west"]
    assert axes.get_title(loc="left") == "Recall (sensitivity)"
    drawn = next(line.get_xdata() for line in axes.get_lines() if len(line.get_xdata()) == 2)
    recall = found["north"]["recall"]
    assert list(drawn) == [recall.low, recall.high]


def test_plain_values(found):
    made = as_json(found)
    VALIDATOR.validate(made)
    assert (made["by"], made["reference"]) == ("region", None)
    assert [each["label"] for each in made["groups"]] == ["north", "south", "west"]
    assert list(made["groups"][0]["measures"]) == list(found.main_measures)
    VALIDATOR.validate(ca.assess_by(TRUTH, SCORE, by=GROUP, reference="west").to_dict("recall", "mcc"))


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = zip(TRUTH, SCORE, GROUP, np.arange(N) % 2, strict=True)
    Path("preds.csv").write_text("y,p,region,half\n" + "".join(f"{y},{p},{g},{h}\n" for y, p, g, h in rows))
    return ("assess", "preds.csv", "--truth", "y", "--score", "p")


def test_command(file, found):
    done = call(*file, "--by", "region", "--json", "out.json", "--html", "out.html")
    assert done.exit_code == 0, done.stderr
    for text in (
        "Assessment of p on preds.csv",
        "By region",
        "Brier score  all cases",
        "Difference: group minus all other groups",
    ):
        assert text in done.stdout
    made = json.loads(Path("out.json").read_text())
    Draft202012Validator(SCHEMA).validate(made)
    assert made["slices"] == as_json(found)
    assert made["measures"]["roc_auc"]["value"] == found.overall["roc_auc"].value
    page = Path("out.html").read_text()
    groups = sum(each.estimate.has_interval for each in found.compare(*found.main_measures))
    by_group = page.partition("<h2>By region</h2>")[2].partition("<h2>")[0]
    assert by_group.count('<circle class="dot"') == groups
    chosen = call(*file, "--by", "half", "--reference", "1", "--measures", "mcc,recall", "--json", "-")
    slices = json.loads(chosen.stdout)["slices"]
    assert slices["reference"] == 1
    assert list(slices["groups"][0]["measures"]) == ["matthews_correlation", "recall"]
    assert slices["groups"][1]["measures"]["recall"]["difference"]["reason"] == "it is the reference"


def test_command_refuses(file):
    for arguments, text in (
        (("--reference", "west"), "--by"),
        (("--by", "regoin"), "Did you mean 'region'?"),
        (("--by", "region", "--reference", "east"), "north"),
        (("--by", "p"), "'p' has 600 different fractional numbers"),
    ):
        assert text in refusal(*file, *arguments)


# --- the size of the tests


def drawn(random, n, prevalence, shift):
    truth = random.random(n) < prevalence
    return truth.astype(int), random.normal(size=n) + shift * truth


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [(60, 60), (200, 200), (500, 500), (60, 540)])
@pytest.mark.parametrize("shift", [1.0, 2.0])
def test_size(first, second, shift):
    """Two groups of one population: p is below 5% in at most about 5% of the samples, below 1% in 1%."""
    random = np.random.default_rng(first + second)
    names, times = ("accuracy", "recall", "roc_auc", "f1", "average_precision"), 1500
    rejected = dict.fromkeys(names, 0)
    rarely = dict.fromkeys(names, 0)
    group = np.array(["a"] * first + ["b"] * second)
    for _ in range(times):
        truth, score = drawn(random, first + second, 0.4, shift)
        found = ca.assess_by(truth, score, by=group, threshold=shift / 2, labels=[0, 1])
        for each in found.compare(*names)[::2]:
            rejected[each.measure] += each.p < 0.05
            rarely[each.measure] += each.p < 0.01
    print(first, second, shift, {k: (rejected[k] / times, rarely[k] / times) for k in names})
    for name in names:
        most = 0.03 if name == "average_precision" else 0.015  # its intervals cover 92 to 94%
        assert rejected[name] / times <= 0.055 + most, name
        assert rarely[name] / times <= 0.01 + most, name


@pytest.mark.slow
@pytest.mark.parametrize(("clusters", "size"), [(20, 15), (60, 10)])
@pytest.mark.parametrize("effect", [0.0, 0.5, 1.5])
def test_size_where_clusters_straddle_groups(clusters, size, effect):
    """Effects of clusters on the truth and on the scores, the same in both groups."""
    random, names, times = (
        np.random.default_rng(clusters),
        ("accuracy", "recall", "roc_auc", "brier_score"),
        600,
    )
    cluster, rejected = np.repeat(np.arange(clusters), size), dict.fromkeys(names, 0)
    for _ in range(times):
        x, of_truth, of_score = random.normal(size=cluster.size), *effect * random.normal(size=(2, clusters))
        truth = random.random(x.size) < 1 / (1 + np.exp(0.6 - 1.5 * x - of_truth[cluster]))
        score = 1 / (1 + np.exp(0.6 - 1.5 * x - of_score[cluster] - 0.3 * random.normal(size=x.size)))
        group = np.where(random.random(x.size) < 0.35, "a", "b")
        for each in ca.assess_by(truth, score, by=group, cluster=cluster).compare(*names)[::2]:
            rejected[each.measure] += each.p < 0.05
    print(clusters, size, effect, {name: rejected[name] / times for name in names})
    assert all(found / times <= 0.085 for found in rejected.values()), rejected


def planted(lower):
    """Groups of which one has a score that is worse, by so much noise."""
    rng = np.random.default_rng(5)
    group = np.repeat(["a", "b", "c"], 400)
    truth = rng.random(1200) < 0.5
    noise = np.where(group == "b", lower, 1.0)
    return ca.assess_by(
        truth.astype(int), 1 / (1 + np.exp(-(2 * truth - 1) - noise * rng.normal(size=1200))), by=group
    )


def test_the_headline_names_the_group_that_is_worse():
    s = planted(6.0)
    (first,) = (each for each in s.document().verdict if " than in " in each)
    assert first.startswith("ROC AUC is lower in group b than in the other groups: 0.")
    assert "adjusted for 3 groups" in first
    least = min(s.compare(*s.main_measures), key=lambda each: each.p_adjusted)
    assert least.group == "b"


def test_where_no_group_differs_the_headline_says_so_and_names_the_largest_difference():
    s = planted(1.0)
    found = {each.group: each.difference.value for each in s.compare("roc_auc")}
    largest = max(found, key=lambda group: abs(found[group]))
    (said,) = (each for each in s.document().verdict if each.startswith("No difference between groups"))
    assert (
        f"The largest difference in ROC AUC is {found[largest]:.3f} (group {largest} minus the other groups; 95% CI"
        in said
    )


def test_no_group_is_worse_than_the_worst():
    """A small group with a lower value stands behind a large one in the table, because it is less sure."""
    right = np.concatenate([np.arange(400) % 100 < 80, np.arange(400) % 100 < 78, np.arange(10) < 7])
    truth = np.arange(810) % 2
    group = np.repeat(["high", "middle", "small"], [400, 400, 10])
    s = ca.assess_by(truth, y_pred=np.where(right, truth, 1 - truth), by=group)
    found = {each.group: each.estimate.value for each in s.compare("accuracy")}
    assert min(found, key=found.get) == "small"
    said = " ".join(each.sentence for each in findings_on_groups(s, s.compare("accuracy")))
    assert "small" not in said  # 10 cases never lead
    assert worst_first(s.compare("accuracy"))[0].group == "middle"


def test_groups_stand_worst_first_in_both_directions():
    tables = {table.title: table for table in planted(6.0).document().tables}
    for title in ("ROC AUC", "Brier score"):
        rows = tables[title].rows
        assert rows[0][0].text == "b"
        bar = next(cell for cell in rows[0] if isinstance(cell, Bar))
        found = next(cell for cell in rows[0] if isinstance(cell, EstimateCell))
        assert (bar.low, bar.at, bar.high) == (found.estimate.low, found.estimate.value, found.estimate.high)
        scale = tables[title].scale
        assert all(scale.low <= row[4].low <= row[4].high <= scale.high for row in rows)
        assert scale.zero == pytest.approx(float(tables[title].beside.split()[2]), abs=0.0006)


def test_the_measure_stands_before_its_value_in_the_frame():
    names = ca.assess_by([0, 1] * 20, [0.2, 0.7] * 20, by=["a", "b"] * 20).frame("accuracy").column_names
    assert names[names.index("measure") + 1] == "value"


@pytest.mark.parametrize("classes", [2, 3])
def test_the_columns_of_the_frame_are_those_that_it_says(classes):
    y = np.arange(60) % classes
    found = ca.assess_by(y, y_pred=y[::-1], by=["a", "b"] * 30).frame("accuracy").column_names
    listed = ca.GroupAssessments.frame.__doc__.partition("Columns: ")[2].partition(".\n")[0]
    positives = "positives (of two classes)"
    said = listed.replace(positives, "positives" if classes == 2 else "").replace(",", " ").split()
    assert found == said


def test_a_group_that_lacks_a_class_has_no_difference_of_mean_losses():
    rng = np.random.default_rng(4)
    y, by = rng.random(1200) < 0.04, np.arange(1200) % 12
    y[by == 3] = False
    found = ca.assess_by(y, np.clip(rng.normal(0.05, 0.02, 1200), 0, 1), by=by)
    rows = [each for each in found.frame("brier_score", "log_loss").to_pylist() if each["group"] == "3"]
    assert len(rows) == 2
    for each in rows:
        assert each["p"] != each["p"] or each["p"] is None
        assert "all cases are of one class" in each["difference_reason"]


def test_a_group_of_several_classes_may_lack_one():
    rng = np.random.default_rng(4)
    y, by = rng.integers(0, 3, 600), np.arange(600) % 4
    y[by == 3] %= 2
    found = ca.assess_by(y, rng.dirichlet(np.ones(3), 600), by=by)
    assert all(each["p"] == each["p"] for each in found.frame("log_loss").to_pylist())


def test_estimates_that_are_infinite_without_a_block_are_not_correlated():
    """And nothing is said of infinity minus infinity."""
    values = np.random.default_rng(0).random(30)
    for odd in (np.inf, -np.inf, np.nan):
        assert correlation(values, np.where(np.arange(30) == 3, odd, values)) == 0
        assert correlation(np.full(30, odd), values) == 0
    assert correlation(values, values) == pytest.approx(1)


def test_a_long_resampling_of_all_measures_is_announced(caplog):
    y, group = np.arange(80) % 2, np.arange(80) // 40
    slices = ca.assess_by(y, y_pred=(np.arange(80) % 3 > 0).astype(int), by=group, interval="bootstrap")
    slices.frame("recall")
    assert not caplog.text
    slices.frame()
    assert "measures are resampled in 2 groups" in caplog.text


HARD = ("a, b", "a", "x=1", 'q"', "é [k]", "1")


@pytest.mark.parametrize("columns", [("u", "v"), ("v", "u", "k"), ("u, v", "k=", "w")])
def test_each_combination_of_columns_is_a_group_that_its_text_names(columns):
    """No two combinations meet, whatever their labels hold; each is found by its labels, and by how it prints."""
    rng = np.random.default_rng(1)
    kinds = (np.array(HARD), np.array(["b, c", "c", "b"]), np.array([1, 10, 2]))
    held = {name: rng.choice(kind, 300) for name, kind in zip(columns, kinds, strict=False)}
    frame = {"y": rng.integers(0, 2, 300), "p": rng.random(300), **held}
    found = ca.assess_by(pa.table(frame), truth="y", score="p", by=[*columns])
    rows = [tuple(each.tolist()) for each in (np.array(column, object) for column in held.values())]
    counts = Counter(zip(*rows, strict=True))
    assert {group: each.n for group, each in found.groups.items()} == counts
    assert len({*map(str, found)}) == len(counts)
    for group, part in found.groups.items():
        assert found[tuple(group)] is found[str(group)] is found[tuple(map(str, group))] is part
        assert repr(found.estimate(f"recall[{group}]")) == repr(part["recall"])
        assert repr(found.estimate(f"f_beta(3)[1][{group}]")) == repr(part["f_beta(3)[1]"])
        assert_requirements(found, f"accuracy[{group}].low >= 0 and acc[{group}] <= 1")
        again = pickle.loads(pickle.dumps(group))
        assert (again, str(again)) == (group, str(group))
    one = ca.assess_by(pa.table(frame), truth="y", score="p", by=[*columns], reference=str(group))
    assert one.reference == group
    assert one.to_dict()["groups"][0]["values"] == list(next(iter(found)))
    with pytest.raises(InputError, match="Group 'u=none' does not occur"):
        found["u=none"]


def test_a_group_of_one_column_is_its_label():
    found = ca.assess_by(TRUTH, SCORE, by=["a=b", "group"] * (N // 2))
    assert found["a=b"] is found['group="a=b"'] is found.groups["a=b"]
    assert found.estimate("recall[group=group]") == found["group"]["recall"]
    assert found.estimate("recall[1]") == found.overall["recall"]


def test_a_row_without_a_label_in_one_column_is_of_no_group():
    frame = pa.table(
        {"y": [0, 1, 1, 0], "p": [0.1, 0.9, 0.8, 0.2], "u": ["a", None, "b", "b"], "v": [1, 1, 1, None]}
    )
    found = ca.assess_by(frame, truth="y", score="p", by=["u", "v"], missing="drop")
    assert {group: each.n for group, each in found.groups.items()} == {("a", 1): 1, ("b", 1): 1}
    with pytest.raises(InputError, match=r"group \(columns 'u' and 'v'\) has missing values in 2 rows"):
        ca.assess_by(frame, truth="y", score="p", by=["u", "v"])


@pytest.mark.parametrize(
    "names", [(), ("recall", "specificity"), ("specificity", "recall"), ("roc_auc",), ("brier_score",)]
)
def test_two_groups_have_one_sign(names):
    """First minus second, in tables and sentences, whatever measures are asked for and whichever group is worse."""
    rng = np.random.default_rng(5)
    truth, group = rng.integers(0, 2, 400), np.repeat(["north", "south"], 200)
    easy = np.where(
        (group == "north") == (truth == 1), 0.35, 0.1
    )  # recall is better in one, specificity in the other
    scores = np.clip(0.5 + (2 * truth - 1) * easy + rng.normal(0, 0.2, 400), 0, 1)
    groups = ca.assess_by(truth, scores, by=group, threshold=0.5)
    slices = groups.compare(*(names or groups.main_measures))
    section = section_of(groups, slices)
    assert section.parts[0].text.startswith("Difference: north minus south.")
    for table in section.parts[1:]:
        if table.title == "All measures":
            continue
        assert [str(row[0].text) for row in table.rows] == ["north", "south"]
    for finding in findings_on_groups(groups, slices):
        if finding.code == "group_difference":
            assert "in group north than in group south" in finding.sentence
            (measure,) = {*finding.evidence} & {*groups.main_measures, *names}
            value = finding.evidence["difference"]["value"]
            assert ("higher" in finding.sentence) == (value > 0)
            difference = groups["north"][measure].value - groups["south"][measure].value
            assert value == pytest.approx(difference)
