"""What guarantees and reviews refuse, beside the nearest input that they take; and what a default stands for."""

import math
from dataclasses import replace

import numpy as np
import pytest

import classay as ca
from classay.assessment.required import outcomes_of
from classay.curves.curve import UNIT
from classay.errors import InputError
from classay.inference.requirements import parse
from classay.selective.demand import Demand
from classay.selective.guarantee import Promise, counted_of, threshold_text
from classay.selective.ranked import RankedCases

RNG = np.random.default_rng(7)
Y = RNG.integers(0, 2, 200)
P = np.round(np.clip(0.5 * Y + 0.5 * RNG.random(200), 0, 1), 3)
P[P == 0.5] = 0.501
THIRD = RNG.integers(0, 3, 200)
OF_THREE = RNG.dirichlet([1, 1, 1], 200) * 0.4 + 0.6 * np.eye(3)[THIRD]


def promise(text, *rows, **how):
    return lambda: ca.guarantee(*(rows or (Y, P)), text, **how)


def losses(*columns, risk=0.1, **how):
    return lambda: ca.guarantee_losses(*columns, risk, **how)


def required(text, a=None):
    return lambda: outcomes_of(parse(text), ca.assess(Y, P) if a is None else a, None)


def decided(*rows, guarantee="error_rate <= 0.1", **how):
    return lambda: ca.assess(*rows).threshold(guarantee=guarantee, **how)


HALF = [0.5] * 4
BESIDE = {
    "a risk of 1": (
        promise("error_rate <= 0.999999"),
        promise("error_rate <= 1"),
        "between 0 and 1. Use 0.05",
    ),
    "an accuracy of 1": (promise("accuracy >= 0.999999"), promise("accuracy >= 1"), "between 0 and 1"),
    "a tiny risk": (
        promise("error_rate <= 1e-6"),
        promise("error_rate <= 9e-7"),
        "The risk of a guarantee is 9e-07",
    ),
    "a negative risk": (promise("error_rate <= 0.5"), promise("error_rate <= -0.1"), "error_rate"),
    "the other side of the accuracy": (
        promise("accuracy > 0.9"),
        promise("accuracy < 0.9"),
        "Use 'accuracy >= …'",
    ),
    "the other side of the risk": (
        promise("error_rate < 0.1"),
        promise("error_rate > 0.1"),
        "Use 'error_rate <= …'",
    ),
    "the other side of precision": (promise("ppv >= 0.6"), promise("ppv <= 0.6"), "Use 'precision >= …'"),
    "a limit of the risk": (
        promise("fdr <= 0.4"),
        promise("fdr.high <= 0.4"),
        "Write false_discovery_rate instead of fdr.high",
    ),
    "two conditions": (
        promise("fdr <= 0.4"),
        promise("fdr <= 0.4 and error_rate <= 0.1"),
        "has 2. Keep one of them",
    ),
    "another measure": (
        promise("accuracy >= 0.5"),
        promise("recall >= 0.5"),
        "recall cannot be guaranteed. A guarantee limits error_rate, accuracy, precision, false_discovery_rate",
    ),
    "no scores": (
        promise("error_rate <= 0.1"),
        promise("error_rate <= 0.1", Y, None, y_pred=Y),
        "y_pred= has no effect",
    ),
    "no column of scores": (promise("error_rate <= 0.1"), promise("error_rate <= 0.1", Y, None), "score"),
    "an unknown task": (
        promise("error_rate <= 0.1", task="classes"),
        promise("error_rate <= 0.1", task="tags"),
        "tags|multilabel",
    ),
    "top tags": (promise("error_rate <= 0.1"), promise("error_rate <= 0.1", top=2), "top"),
    "a score above 1": (
        promise("error_rate <= 0.1", Y, np.append(P[1:], 1.0)),
        promise("error_rate <= 0.1", Y, np.append(P[1:], 1.1)),
        "needs probabilities",
    ),
    "a score below 0": (
        promise("error_rate <= 0.1", Y, np.append(P[1:], 0.0)),
        promise("error_rate <= 0.1", Y, np.append(P[1:], -0.1)),
        "needs probabilities",
    ),
    "scores for precision": (
        promise("precision >= 0.7", Y, 9 * P),
        promise("error_rate <= 0.3", Y, 9 * P),
        "or guarantee the precision",
    ),
    "scores of an assessment": (
        decided(Y, 9 * P, guarantee="precision >= 0.7"),
        decided(Y, 9 * P),
        "or guarantee the precision",
    ),
    "scores of three classes": (
        promise("error_rate <= 0.3", THIRD, OF_THREE),
        promise("error_rate <= 0.3", THIRD, OF_THREE * 1.1),
        "needs probabilities",
    ),
    "precision of each class": (
        promise("accuracy >= 0.7", each_class=True),
        promise("ppv >= 0.7", each_class=True),
        "because precision applies to one predicted class",
    ),
    "classes in groups": (
        promise("accuracy >= 0.7", by=Y),
        promise("accuracy >= 0.7", by=Y, each_class=True),
        "by= and each_class=True cannot be combined",
    ),
    "clusters with frequencies": (
        promise("accuracy >= 0.7", cluster=Y),
        promise("accuracy >= 0.7", cluster=Y, frequency=Y + 1),
        "Remove frequency=",
    ),
    "an aim of all cases": (
        decided(Y, P, maximize="coverage"),
        decided(Y, P, maximize="recall"),
        "maximizes coverage, not 'recall'",
    ),
    "an aim of positive ones": (
        decided(Y, P, guarantee="ppv >= 0.7", maximize="recall"),
        decided(Y, P, guarantee="ppv >= 0.7", maximize="f1"),
        "maximizes recall, not 'f1'",
    ),
    "an aim by a measure": (
        decided(Y, P, guarantee="ppv >= 0.7", maximize="coverage"),
        decided(Y, P, guarantee="ppv >= 0.7", maximize=ca.f_beta(2)),
        "maximizes recall, not 'f2'",
    ),
    "precision of three": (
        decided(THIRD, OF_THREE),
        decided(THIRD, OF_THREE, guarantee="fdr <= 0.1"),
        "one positive class, but there are 3 classes",
    ),
    "losses of 0 and 1": (
        losses([0, 1, 0.5, 1], HALF),
        losses([0, 1.001, 0.5, 2], HALF),
        "in 2 rows, such as 1.001",
    ),
    "a loss below 0": (
        losses([0.0, 0, 0, 0], HALF),
        losses([0, 0, 0, -1e-9], HALF),
        "not between 0 and 1 in 1 row",
    ),
    "a missing loss": (
        losses([0.0, 0, 0, 0], HALF),
        losses([0, math.nan, 0, 0], HALF),
        "not between 0 and 1 in 1 row, such as nan",
    ),
    "one loss": (losses([0.3], [0.5]), losses([], []), "needs cases, but there are none"),
    "columns of two lengths": (
        losses(HALF, HALF),
        losses(HALF, HALF[:3]),
        r"shape \(4,\) and confidence \(3,\)",
    ),
    "losses of two columns": (losses(HALF, HALF), losses([HALF], [HALF]), r"losses have shape \(1, 4\)"),
    "an infinite confidence": (losses(HALF, HALF), losses(HALF, [0, 1, math.inf, 2]), "missing or infinite"),
    "a risk of losses": (
        losses(HALF, HALF, risk=0.9),
        losses(HALF, HALF, risk=1),
        "The risk of a guarantee is 1",
    ),
    "a risk of 0": (
        losses(HALF, HALF, risk=1e-6),
        losses(HALF, HALF, risk=0),
        "The risk of a guarantee is 0",
    ),
    "a cluster too large": (
        losses(HALF, HALF, cluster=list("aabb"), largest=2),
        losses(HALF, HALF, cluster=list("aaab"), largest=2),
        "A cluster has 3 cases, but largest is 2",
    ),
    "no largest cluster": (
        losses(HALF, HALF, cluster=list("abcd"), largest=1),
        losses(HALF, HALF, cluster=list("aabb")),
        "The largest one in this sample has 2 cases",
    ),
    "largest without clusters": (
        losses(HALF, HALF),
        losses(HALF, HALF, largest=1),
        "there are none. Pass cluster=",
    ),
    "clusters of another length": (
        losses(HALF, HALF, cluster=list("abcd"), largest=1),
        losses(HALF, HALF, cluster=list("abc"), largest=1),
        r"shape \(4,\) and cluster \(3,\)",
    ),
    "coverage of 1": (
        lambda: ca.assess(Y, P).risk_coverage.risk_at(1),
        lambda: ca.assess(Y, P).risk_coverage.risk_at(1.01),
        "coverage is 1.01",
    ),
    "coverage of 0": (
        lambda: ca.assess(Y, P).risk_coverage.risk_at(0.001),
        lambda: ca.assess(Y, P).risk_coverage.risk_at(0),
        "coverage is 0, but it is a share",
    ),
    "a weighted risk": (
        lambda: ca.assess(Y, P, frequency=Y + 1).risk_coverage.coverage_at(0.1),
        lambda: ca.assess(Y, P, weight=P + 0.1).risk_coverage.coverage_at(0.1),
        "sampling weights. Use cases without weight=",
    ),
    "a weighted risk at a coverage": (
        lambda: ca.assess(Y, P).risk_coverage.risk_at(0.1),
        lambda: ca.assess(Y, P, weight=P + 0.1).risk_coverage.risk_at(0.1),
        "sampling weights",
    ),
    "coverage of no guarantee": (
        required("coverage(accuracy >= 0.7) >= 0.1"),
        required("coverage() >= 0.1"),
        r"coverage\(\) needs one guarantee",
    ),
    "coverage of two": (
        required("coverage(fdr <= 0.4) >= 0.1"),
        required("coverage(fdr <= 0.4, ppv >= 0.6) >= 0.1"),
        "needs one guarantee",
    ),
    "a limit of coverage": (
        required("coverage(fdr <= 0.4) >= 0"),
        required("coverage(fdr <= 0.4).high >= 0"),
        r"Write coverage\(fdr <= 0.4\) instead of",
    ),
    "coverage at another prevalence": (
        required("coverage(fdr <= 0.4) >= 0"),
        required("coverage(fdr <= 0.4) >= 0", ca.assess(Y, P).at_prevalence(0.1)),
        "cannot be estimated at another prevalence. Remove `at_prevalence`",
    ),
}


@pytest.mark.parametrize("name", BESIDE)
def test_the_nearest_input_is_taken_and_the_next_refused(name):
    taken, refused, words = BESIDE[name]
    assert taken() is not None
    with pytest.raises(InputError, match=words):
        refused()


def test_a_promise_needs_an_estimate():
    made = ca.guarantee(Y, P).promises[0]
    of = {name: getattr(made, name) for name in Promise.__dataclass_fields__}
    assert Promise(**of).coverage == made.coverage
    with pytest.raises(InputError, match="needs a risk that is an Estimate"):
        Promise(**of | {"risk": 0.1})
    assert Promise(**of | {"cases": 0, "decided": 0}).coverage == 0


def test_an_unknown_argument_is_a_mistake_in_the_call():
    with pytest.raises(TypeError, match="argument 'clusters'"):
        ca.guarantee(Y, P, clusters=Y)


def same(one, other):
    return one.to_dict() == other.to_dict()


def test_defaults_are_the_documented_ones():
    plain = ca.guarantee(Y, P)
    assert same(plain, ca.guarantee(Y, P, "error_rate <= 0.05", level=0.95, each_class=False, by=None))
    assert not same(plain, ca.guarantee(Y, P, "error_rate <= 0.05", level=0.9))
    loss = Y * (P < 0.6) * 0.5
    assert same(ca.guarantee_losses(loss, P, 0.3), ca.guarantee_losses(loss, P, 0.3, level=0.95, seed=0))
    highs = {ca.guarantee_losses(loss, P, 0.3, seed=seed).risk.high for seed in range(5)}
    assert len(highs) > 1


@pytest.mark.parametrize("columns", [{}, {"cluster": np.arange(200) // 2}, {"frequency": Y + 1}])
@pytest.mark.parametrize("text", ["error_rate <= 0.3", "precision >= 0.7"])
def test_rows_and_their_assessment_give_the_same_guarantee(columns, text):
    a = ca.assess(Y, P, level=0.9, **columns)
    rows, other = ca.guarantee(Y, P, text, level=0.9, **columns), a.threshold(guarantee=text)
    assert same(rows, other)
    assert (rows.positives, rows.facts, rows.sentences) == (other.positives, other.facts, other.sentences)
    if text.startswith("error"):
        assert same(rows, a.risk_coverage.coverage_at(0.3))
    times = columns.get("frequency", np.ones(200))
    if rows.decided and text.startswith("precision"):
        assert rows.recall == pytest.approx(
            times[(rows.threshold <= P) & (Y == 1)].sum() / times[Y == 1].sum()
        )


@pytest.mark.parametrize(("frame", "score"), [({"y": Y, "model B": P}, "model B"), ({"y": Y, "p": P}, "p")])
def test_scores_are_named_after_their_column(frame, score):
    g = ca.guarantee(frame, guarantee="error_rate <= 0.3", truth="y", score=score)
    a = ca.assess(frame, truth="y", score=score)
    chart = replace(a.risk_coverage, model=score)
    for named in (g, a.threshold(guarantee="error_rate <= 0.3"), chart.coverage_at(0.3)):
        assert named.model == score
        assert ("scores", score) in named.facts
        assert named.sentences[0].startswith(f"{score} may decide ")
    assert a.threshold(cost={"fp": 1, "fn": 1, "review": 0.1}).model == score


@pytest.mark.parametrize("columns", [{}, {"cluster": np.arange(200) // 4}])
@pytest.mark.parametrize("is_of_three", [False, True])
def test_the_risk_at_a_coverage_is_that_of_the_surest_cases(columns, is_of_three):
    y, p = (THIRD, np.round(OF_THREE, 2)) if is_of_three else (Y, P)
    p = p / p.sum(1, keepdims=True) if is_of_three else p
    sure = np.round(p.max(1) if is_of_three else np.maximum(p, 1 - p), 9)
    wrong = (p.argmax(1) if is_of_three else p >= 0.5) != y
    chart = ca.assess(y, p, level=0.9, **columns).risk_coverage
    assert chart.is_of_top is is_of_three
    for coverage in (0.01, 0.3, 0.5, 0.77, 1):
        least = np.sort(sure)[::-1][math.ceil(coverage * 200 - 1e-9) - 1]
        chosen = sure >= least
        found = chart.risk_at(coverage)
        assert found.value == pytest.approx(wrong[chosen].mean())
        assert (found.low, found.level) == (0, 0.9)
        ranked = RankedCases.of_rows(sure[chosen], wrong[chosen])
        if not columns:
            k, n = ranked.wrong[-1], ranked.n
            below = sum(math.comb(n, j) * found.high**j * (1 - found.high) ** (n - j) for j in range(k + 1))
            assert below == pytest.approx(0.1, abs=1e-6) or found.high == 1


def test_a_threshold_of_narrow_scores_has_few_digits():
    score = np.array([0.7, 0.3, 0.9], np.float32)
    ranked = RankedCases.of_rows(np.sort(score)[::-1].astype(np.float64), np.zeros(3))
    assert threshold_text(ranked, float(score[0])) == "0.7"
    close = np.array([0.7000001, 0.7000002])
    assert threshold_text(RankedCases.of_rows(close, np.zeros(2)), 0.7000002) == "0.7000002"


def test_the_style_of_the_picture_of_several_classes():
    entry = ca.assess(THIRD, OF_THREE).risk_coverage.kind
    assert (entry.look.x, entry.look.y_from_zero, entry.thins) == (UNIT, True, False)
    assert ca.assess(Y, P).risk_coverage.kind.look.y_from_zero


@pytest.mark.parametrize(
    ("of", "number", "words"),
    [
        ("class", 1, "1 class"),
        ("class", 3, "3 classes"),
        ("group", 1, "1 group"),
        ("group", 1200, "1,200 groups"),
        ("group", 0, "0 groups"),
    ],
)
def test_classes_and_groups_are_counted_in_words(of, number, words):
    assert counted_of(of, number) == words


@pytest.mark.parametrize(
    "text", ["precision >= 0.8", "false_discovery_rate <= 0.2", "accuracy >= 0.8", "error_rate <= 0.2"]
)
def test_a_demand_in_words(text):
    demand = Demand.of(text)
    name, sign, bound = text.split()
    assert demand.risk == 0.2
    assert demand.rises == (sign == ">=")
    assert demand.written(0.2) == text
    assert demand.written(0.12341) == f"{name} {sign} {0.8766 if demand.rises else 0.1234}"
    assert demand.risk_name == (
        "error rate" if name in ("accuracy", "error_rate") else "false discovery rate"
    )
    assert demand.phrase.endswith(f"of at {'least' if sign == '>=' else 'most'} {100 * float(bound):g}%")
    assert demand.phrase.split()[0] == ("An" if name in ("accuracy", "error_rate") else "A")


def test_many_groups_are_shown_in_part():
    for groups, is_cut in ((50, False), (51, True)):
        g = ca.guarantee(
            np.tile(Y, 3)[: groups * 4], np.tile(P, 3)[: groups * 4], by=np.arange(groups * 4) % groups
        )
        (table,) = next(part for part in g.document().sections if part.title == "Thresholds").parts
        assert (len(table.rows), table.note) == (50, "The first 50 of 51." if is_cut else "")
        assert len(g.to_dict()["thresholds"]) == groups


def test_a_class_that_is_never_predicted_and_decisions_that_are_always_wrong():
    p = np.zeros((200, 3))
    p[:, 0], p[:, 1] = P, 1 - P
    g = ca.guarantee(np.where(P > 0.5, 0, 1), p, labels=[0, 1, 2], each_class=True)
    assert [promise.cases for promise in g.promises] == [(P > 0.5).sum(), (P <= 0.5).sum(), 0]
    assert (g.promises[2].coverage, g.promises[2].coverage_at_value, g.promises[2].decided) == (0, 0, 0)
    assert "Class 2 has fewer than" in g.warnings[0].text
    wrong = ca.guarantee((P <= 0.5) * 1, P)
    assert (wrong.coverage, wrong.coverage_at_value, wrong.nearest, wrong.needed) == (0, 0, None, None)
    said = " ".join(wrong.sentences)
    assert "optimistic" not in said
    assert "nearest" not in said
    assert "Collect" not in str(wrong)
    assert wrong.promises[0].risk.reason == "no threshold meets the guarantee"
    assert ca.guarantee((P <= 0.5) * 1, P, by=Y).risk.reason == "no threshold meets the guarantee"


def test_the_cases_needed_for_a_small_risk():
    """Without an error as many as the least number; never more than 1,024 times the sample."""
    sure = np.linspace(0.6, 0.99, 20)
    for risk in (0.1, 0.01, 0.002):
        g = ca.guarantee(np.ones(20, int), sure, f"error_rate <= {risk}", labels=[0, 1])
        least = math.ceil(math.log(0.05) / math.log1p(-risk))
        assert least <= g.needed <= 1.012 * least + 1
        assert f"At least {least:,} cases without an error are needed, but there are 20." in g.sentences
    assert ca.guarantee(np.ones(20, int), sure, "error_rate <= 0.0001", labels=[0, 1]).needed is None
    assert ca.guarantee_losses(np.zeros(20), sure, 0.01).needed is None
    assert (
        ca.guarantee(
            np.ones(20, int), sure, "error_rate <= 0.01", labels=[0, 1], cluster=np.arange(20)
        ).needed
        is None
    )


def test_a_group_of_just_enough_cases_has_errors_not_too_few_cases():
    least = ca.guarantee(Y, P, "error_rate <= 0.2", by=Y).promises[0].fewest
    for cases, is_small in ((least, False), (least - 1, True)):
        p = np.append(np.full(300, 0.9), np.full(cases, 0.8))
        y = np.append(np.ones(300, int), np.arange(cases) % 2)
        g = ca.guarantee(y, p, "error_rate <= 0.2", by=np.repeat(["large", "small"], [300, cases]))
        assert g.unpromised == ("small",)
        assert bool(g.warnings) == is_small


def test_tags_are_refused():
    with pytest.raises(InputError, match="A guarantee needs"):
        ca.guarantee(np.eye(3, dtype=int)[THIRD] | np.eye(3, dtype=int)[(THIRD + 1) % 3], OF_THREE)
