"""Several labels a case in groups: each group as its cases alone, against the rest, and what is refused."""

import re

import numpy as np
import pandas as pd
import pytest

import classay as ca
from classay.assessment.required import outcomes_of
from classay.errors import InputError
from classay.groups.trends import trends_of
from classay.inference.requirements import parse
from samples import tag_rows

N, TAGS = 120, ("ant", "bee", "cat")
Y, P = tag_rows(np.random.default_rng(2), N, 3)
BY = np.where(np.arange(N) % 3 == 0, "n", "s")
S = ca.assess_by(Y, P, by=BY, labels=TAGS)
NAMES = ("micro_f1", "macro_f1", "samples_f1", "hamming_loss", "macro_roc_auc", "ranking_loss")


def numbers(one):
    return [one.value, one.low, one.high]


def test_a_group_is_its_cases_alone():
    for label in ("n", "s"):
        alone = ca.assess(Y[label == BY], P[label == BY], labels=TAGS)
        for name in (*NAMES, "recall[cat]", "roc_auc[bee]"):
            assert numbers(S[label].estimate(name)) == pytest.approx(numbers(alone.estimate(name))), name


def test_a_tag_in_groups_is_two_classes_in_groups():
    alone = ca.assess_by(Y[:, 2], P[:, 2], by=BY)
    for name in ("recall", "roc_auc"):
        pairs = zip(S.compare(f"{name}[cat]"), alone.compare(name), strict=True)
        for one, two in pairs:
            assert numbers(one.difference) == pytest.approx(numbers(two.difference))
            assert one.p == pytest.approx(two.p)


def test_differences_of_two_groups_are_turned_around():
    for name in NAMES:
        one, two = S.compare(name)
        assert one.difference.value == pytest.approx(-two.difference.value)
        assert (one.difference.low, one.p) == pytest.approx((-two.difference.high, two.p))


def test_groups_add_up_to_all_cases():
    whole = S["n"] + S["s"]
    for name in NAMES:
        assert numbers(whole.estimate(name)) == pytest.approx(numbers(S.overall.estimate(name)))


def test_frames_and_rows_of_a_case_and_a_tag():
    frame = pd.DataFrame({f"y_{tag}": Y[:, i] for i, tag in enumerate(TAGS)})
    frame = frame.assign(**{f"p_{tag}": P[:, i] for i, tag in enumerate(TAGS)}, site=BY, age=np.arange(N) % 2)
    found = ca.assess_by(frame, truth="y_*", score="p_*", by="site")
    assert numbers(found.estimate("micro_f1[site=n]")) == numbers(S["n"]["micro_f1"])
    both = ca.assess_by(frame, truth="y_*", score="p_*", by=["site", "age"])
    part = (BY == "n") & (np.arange(N) % 2 == 1)
    alone = ca.assess(Y[part], P[part], labels=TAGS)
    assert numbers(both.estimate("micro_f1[site=n, age=1]")) == numbers(alone["micro_f1"])
    case, tag = np.repeat(np.arange(N), 3), np.tile(TAGS, N)
    long = ca.assess_by(Y.ravel(), P.ravel(), case=case, tag=tag, by=np.repeat(BY, 3))
    assert numbers(long["n"]["micro_f1"]) == pytest.approx(numbers(S["n"]["micro_f1"]))


def test_requirements_name_a_tag_and_a_group():
    demands = parse("micro_f1[group=n] >= .1 and recall[cat][group=s] > .1 and recall[tag=cat].low >= .99")
    found = outcomes_of(demands, S, None)
    assert [each.verdict.value for each in found] == ["pass", "pass", "fail"]
    assert found[2].estimate == S.overall["recall[cat]"]


def test_weights_clusters_thresholds_and_the_highest_tags():
    found = ca.assess_by(Y, P, by=BY, labels=TAGS, weight=np.arange(N) % 4, top=1)
    part = BY == "n"
    alone = ca.assess(Y[part], P[part], labels=TAGS, weight=np.arange(N)[part] % 4, top=1)
    assert numbers(found["n"]["micro_f1"]) == pytest.approx(numbers(alone["micro_f1"]))
    clustered = ca.assess_by(Y, P, by=BY, labels=TAGS, cluster=np.arange(N) // 3, threshold=[0.3, 0.4, 0.5])
    assert "clusters have rows in both" in clustered.compare("micro_f1")[0].difference.reason
    assert clustered.compare("f1[cat]")[0].difference.has_interval
    apart = ca.assess_by(Y, P, by=BY, labels=TAGS, cluster=np.char.add(BY, (np.arange(N) // 6).astype(str)))
    assert apart.compare("micro_f1")[0].difference.has_interval


def test_its_page_counts_cases_not_tags():
    assert re.search(r"cases +120", str(S))
    assert "micro F1" in " ".join(str(S).replace("┃", "").split())
    assert "120 cases" in S.methods_text()


REFUSED = [
    ({"by": BY[:-1]}, "by has 119 rows, but truth has 120"),
    ({"by": [None, *BY[1:]]}, "group is missing in 1 row"),
    ({"by": BY, "positive": 1}, "'positive' cannot be used with multilabel cases"),
    ({"by": BY, "reference": "x"}, "Group 'x' does not occur"),
]


@pytest.mark.parametrize(("given", "words"), REFUSED, ids=[words[:20] for _, words in REFUSED])
def test_what_is_refused(given, words):
    with pytest.raises(InputError) as error:
        ca.assess_by(Y, P, labels=TAGS, **given)
    assert words in str(error.value)


def test_ordered_groups_of_tags_have_a_trend():
    """Text and page of tags in ordered groups show trends, by the intervals of the groups, as rows are permuted too."""
    month = np.arange(N) % 4 + 1
    found = ca.assess_by(Y, P, by=month, labels=TAGS)
    trends = trends_of(found, found.compare("micro_f1", "exact_match"))
    assert trends is not None
    assert all(each.has_interval for each in trends.changes.values())
    order = np.random.default_rng(1).permutation(N)
    moved = ca.assess_by(Y[order], P[order], by=month[order], labels=TAGS)
    other = trends_of(moved, moved.compare("micro_f1", "exact_match"))
    for name, each in trends.changes.items():
        assert numbers(each) == pytest.approx(numbers(other.changes[name]))
    assert "Trend" in str(found) or "trend" in str(found)


@pytest.mark.parametrize("threshold", [None, 0.5, 0.3])
@pytest.mark.parametrize("tags", [1, 3])
def test_the_threshold_of_a_group_is_chosen_where_that_of_the_whole_was(threshold, tags):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (60, tags))
    scores = np.clip(0.4 * truth + 0.6 * rng.random((60, tags)), 0, 1)
    rows = (truth, scores) if tags > 1 else (truth[:, 0], scores[:, 0])
    groups = ca.assess_by(*rows, by=np.arange(60) % 2, threshold=threshold)
    for a in (groups.overall, groups[0], groups[1]):
        assert a.cutoff_chosen == (threshold is not None)
