"""A threshold for each tag: that of two classes, an honest value of all, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from jsonschema import Draft202012Validator
from sklearn.metrics import f1_score

import classay as ca
from classay.decision.rules import Rule
from classay.errors import InputError
from classay.multilabel.tag_thresholds import FOLDS, chosen_thresholds, cross_fitted
from classay.report.results.parts import json_text
from command import call, refusal
from samples import tag_rows

N, TAGS = 150, ("ant", "bee", "cat")
Y, P = tag_rows(np.random.default_rng(6), N, 3, share=0.3)
A = ca.assess(Y, P, labels=TAGS)
F = A.threshold(maximize="f1")
COST = ca.Costs(fp=1, fn=5)


def same(one, two):
    assert one.thresholds == two.thresholds
    assert one.common == two.common
    for name in one.measures:
        for part in ("here", "expected", "expected_common"):
            assert getattr(one, part)[name].value == pytest.approx(getattr(two, part)[name].value), name
    return True


@pytest.mark.parametrize("rule", [{"maximize": "f1"}, {"cost": COST}, {"maximize": "f_beta(2)"}])
def test_each_threshold_is_that_of_two_classes(rule):
    found = A.threshold(**rule)
    for tag in TAGS:
        assert found.thresholds[tag] == A.tag(tag).threshold(**rule).threshold.value


def test_no_threshold_of_a_score_has_a_greater_f1():
    for i, tag in enumerate(TAGS):
        each = [f1_score(Y[:, i], P[:, i] >= t, zero_division=0) for t in np.unique(P[:, i])]
        assert F.here.tag(tag)["f1"].value == pytest.approx(max(each))
    common = [f1_score(Y, t <= P, average="macro", zero_division=0) for t in np.unique(P)[::3]]
    assert f1_score(Y, F.common <= P, average="macro") >= max(common) - 0.01


def test_the_cost_is_the_sum_over_tags_of_those_of_two_classes():
    found = A.threshold(cost=COST)
    each = [found.here.tag(tag).expected_cost(COST).per_case.value for tag in TAGS]
    assert found.costs[0].value == pytest.approx(sum(each))
    assert found.optimism == pytest.approx(found.costs[1].value - found.costs[0].value)
    assert found.gain.value == pytest.approx(found.costs[2].value - found.costs[1].value)


def test_every_case_is_called_by_thresholds_that_others_chose():
    """The calls of each part are those of the thresholds of the other parts, for which the rule is asked anew."""
    scores, rule = A.task.tag_scores, Rule.of(maximize="f1")
    called, common = cross_fitted(scores, rule, 0)
    seen = 0
    for rows in _parts_by_calls(scores, called, rule):
        seen += rows.size
    assert seen == N
    assert called.shape == common.shape == (N, 3)


def _parts_by_calls(scores, called, rule):
    from classay.inference.draws import stream
    from classay.multilabel.tag_thresholds import _parts, _units

    fold = stream(0, "thresholds of tags").permutation(np.arange(_units(scores)) % FOLDS)
    for test, others in _parts(fold):
        own, _ = chosen_thresholds(scores.taken(others), rule)
        assert ((scores.scores[test] >= own) == called[test].toarray()).all()
        yield test


def test_cases_held_back_are_read_at_the_thresholds():
    first, second = (ca.assess(Y[part], P[part], labels=TAGS) for part in (slice(0, 75), slice(75, N)))
    found = first.threshold(maximize="f1", held_back=second)
    assert found.expected["macro_f1"] == second.at(found.thresholds)["macro_f1"]
    assert found.expected_common["macro_f1"] == second.at(found.common)["macro_f1"]
    alone = A.threshold(maximize="f1", held_back=A)
    assert alone.optimism == 0


def test_what_is_expected_comes_true():
    """Of many rare tags thresholds promise far more than they bring on fresh cases; what is expected does not."""
    here, expected, fresh = [], [], []
    for seed in range(6):
        truth, scores = tag_rows(np.random.default_rng(seed), 4_000, 12, share=0.04)
        part = slice(0, 250)
        found = ca.assess(truth[part], scores[part]).threshold(maximize="f1")
        here.append(found.here["macro_f1"].value)
        expected.append(found.expected["macro_f1"].value)
        rest = ca.assess(truth[250:], scores[250:]).at(found.thresholds)
        fresh.append(rest["macro_f1"].value)
    assert np.mean(here) - np.mean(fresh) > 0.05
    assert abs(np.mean(expected) - np.mean(fresh)) < 0.03


def test_laws():
    rows, columns = np.random.default_rng(0).permutation(N), [2, 0, 1]
    assert same(F, ca.assess(Y[rows], P[rows], labels=TAGS).threshold(maximize="f1"))
    turned = ca.assess(Y[:, columns], P[:, columns], labels=[TAGS[i] for i in columns]).threshold(
        maximize="f1"
    )
    assert turned.thresholds == F.thresholds
    assert turned.here["macro_f1"].value == pytest.approx(F.here["macro_f1"].value)
    dense, sparse = (
        ca.assess(Y, kind(np.where(P > 0.2, P, 0)), labels=TAGS, threshold=0.5).threshold(maximize="f1")
        for kind in (np.asarray, sp.csr_array)
    )
    assert dense.thresholds == sparse.thresholds
    assert dense.here["macro_f1"].value == sparse.here["macro_f1"].value
    times = np.arange(N) % 3
    repeated = np.repeat(np.arange(N), times)
    one = ca.assess(Y, P, labels=TAGS, frequency=times).threshold(maximize="f1")
    two = ca.assess(Y[repeated], P[repeated], labels=TAGS).threshold(maximize="f1")
    assert one.thresholds == two.thresholds
    by_cluster = ca.assess(Y, P, labels=TAGS, cluster=np.arange(N) // 5).threshold(maximize="f1")
    assert by_cluster.thresholds == F.thresholds
    assert "each cluster" in by_cluster.how_expected


def test_a_tag_without_cases_gets_the_common_threshold():
    truth = Y.copy()
    truth[:, 1] = 0
    found = ca.assess(truth, P, labels=TAGS).threshold(maximize="f1")
    assert found.without == ("bee",)
    assert found.thresholds["bee"] == found.common
    assert (
        "1 tag has no separate threshold and uses the common threshold: 'bee'." in found.to_dict()["verdict"]
    )


def test_its_json_and_its_thresholds_can_be_used():
    found = json.loads(json_text(F.to_dict()))
    schema = json.loads((Path(__file__).parents[2] / "docs" / "tag-thresholds.schema.json").read_text())
    assert not [*Draft202012Validator(schema).iter_errors(found)]
    again = ca.assess(Y, P, labels=TAGS, threshold=F.thresholds)
    assert again["macro_f1"] == F.here["macro_f1"]
    assert "optimistic" in str(F)


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [",".join(f"{kind}_{tag}" for kind in "yp" for tag in TAGS)]
    lines += [",".join(map(str, [*y, *p])) for y, p in zip(Y, P, strict=True)]
    Path("wide.csv").write_text("\n".join(lines) + "\n")
    done = call(
        "decide", "wide.csv", "--truth-tags", "y_*", "--tag-scores", "p_*", "--maximize", "f1", "--json", "-"
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {each["tag"]: each["threshold"] for each in found["tags"]} == pytest.approx(F.thresholds)
    for given, words in (
        (("--tag-scores", "p_*", "--maximize", "f1"), "Use --truth-tags or --tags"),
        (("--truth", "y_ant", "--maximize", "f1"), "--score is missing"),
        (("--truth-tags", "y_*", "--tag-scores", "p_*"), "The best threshold of a tag is not determined"),
        (
            ("--truth-tags", "y_*", "--tag-scores", "p_*", "--top", "5"),
            "--top cannot be used with --truth-tags (multilabel)",
        ),
    ):
        assert words in refusal("decide", "wide.csv", *given)


REFUSED = [
    (lambda: ca.assess(Y, y_pred=P > 0.5).threshold(maximize="f1"), "needs the scores of the tags"),
    (lambda: A.threshold(maximize="roc_auc"), "roc_auc is not a threshold measure"),
    (lambda: A.threshold(maximize="mcc"), "has no mean over tags"),
    (lambda: A.threshold(cost=ca.Costs(fn="amount", fp=1)), "these have amounts"),
    (A.threshold, "The best threshold of a tag is not determined"),
    (
        lambda: ca.assess(Y[:6], P[:6]).threshold(maximize="f1"),
        "There are 6 cases or clusters, too few to choose thresholds and to",
    ),
    (
        lambda: A.threshold(maximize="f1", held_back=ca.assess(Y[:, :2], P[:, :2])),
        "The held-out cases have different tags, or no scores",
    ),
]


@pytest.mark.parametrize(("ask", "words"), REFUSED, ids=[words[:20] for _, words in REFUSED])
def test_what_is_refused(ask, words):
    with pytest.raises(InputError) as error:
        ask()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_mean_that_has_no_value_is_told_and_no_optimism_of_it():
    truth = np.zeros((40, 3), int)
    truth[::2, 0] = truth[::3, 1] = 1
    scores = np.clip(0.4 * truth + np.linspace(0, 0.5, 120).reshape(40, 3), 0, 1)
    scores[:, 2] = 0
    found = ca.assess(truth, scores, labels=list("abc")).threshold(maximize="f1")
    text = " ".join(str(found).replace("┃", "").split())
    assert "with a threshold for each tag cannot be estimated: neither true nor predicted: 'c'." in text
    assert "–" not in text


@pytest.mark.parametrize(
    "rule",
    [
        {"maximize": "f1"},
        {"maximize": "recall"},
        {"maximize": "jaccard"},
        {"maximize": "f_beta(2)"},
        {"minimize": "miss_rate"},
        {"minimize": "fpr"},
    ],
    ids=str,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gain_is_the_difference_of_what_the_rule_seeks(rule, weighted):
    weight = np.random.default_rng(1).gamma(2, size=N) if weighted else None
    found = ca.assess(Y, P, labels=TAGS, weight=weight).threshold(**rule)
    name, sign = found.objective, 1 if "maximize" in rule else -1
    more = found.expected[name].value - found.expected_common[name].value
    assert found.gain.value == pytest.approx(sign * more, abs=1e-12)
    assert found.optimism == pytest.approx(sign * (found.here[name].value - found.expected[name].value))


@pytest.mark.parametrize(("how", "unit"), [({}, "case"), ({"cluster": np.arange(300) // 3}, "cluster")])
def test_the_gain_says_what_it_is_paired_by(how, unit):
    rng = np.random.default_rng(0)
    truth = (rng.random((300, 3)) < [0.4, 0.3, 0.2]).astype(int)
    scores = np.clip(0.3 * truth + 0.35 * rng.random((300, 3)) + 0.1, 0, 1)
    assert f"paired by {unit}." in str(ca.assess(truth, scores, **how).threshold(maximize="f1"))
