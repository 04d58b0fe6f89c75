"""What fuzzing found of decisions: costs beyond measure, infinite scores, classes without cases, odd times."""

import math

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from command import call, refusal

Y = [1, 0, 1, 0, 0, 1, 0, 1]
P = [0.9, 0.2, 0.6, 0.7, 0.1, 0.4, 0.3, 0.8]


@pytest.mark.parametrize(
    "cost", [1e300, -1e300, "1e300", "1e300*a", "1e400", "3 + 1e41*a", 5e-324, "-1e-50*a"]
)
@pytest.mark.parametrize("which", ["fp", "fn", "tp", "tn"])
def test_costs_whose_squares_do_not_add_up_are_refused(which, cost):
    with pytest.raises(InputError, match="Use costs from 1e-40 to 1e\\+40 \\(or 0\\), in another unit"):
        ca.Costs(**{"fp": 1, "fn": 5, which: cost})


@pytest.mark.parametrize("sign", [1, -1])
def test_the_greatest_costs_and_amounts_decide_without_a_warning(sign):
    amounts = {"a": np.linspace(1, 2, 8) * 1e60 * sign / 2}
    costs = ca.Costs(fp=1e40, fn="1e40*a")
    decision = ca.assess(Y, P, amounts=amounts).threshold(cost=costs)
    small = ca.assess(Y, P, amounts={"a": amounts["a"] / 1e60}).threshold(
        cost=ca.Costs(fp=1e-20, fn="1e40*a")
    )
    assert decision.threshold.value == small.threshold.value


@pytest.mark.parametrize("amount", [1e61, -1e-61, 5e-324])
def test_amounts_beyond_that_are_refused(amount):
    with pytest.raises(InputError, match="Use another unit"):
        ca.assess(Y, P, amounts={"a": np.full(8, amount)})


@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("prevalence", [0.01, 0.5, 0.99])
def test_resamples_of_one_class_have_no_cost_at_another_prevalence(n, prevalence):
    found = ca.assess(Y[:n], P[:n]).threshold(cost=ca.Costs(fp=1, fn=5), prevalence=prevalence)
    assert np.isfinite(found.threshold.value) or found.calls_nobody


@pytest.mark.parametrize("score", [math.inf, -math.inf])
def test_no_threshold_is_beyond_infinite_scores(score):
    a = ca.assess([*Y, 1], [*P, score], threshold=0.5)
    with pytest.raises(InputError, match=r"infinite. A threshold needs finite scores"):
        a.threshold(cost=ca.Costs(fp=1, fn=5))


def test_a_measure_without_bounds_is_made_great():
    found = ca.assess(Y, P).threshold(maximize="diagnostic_odds_ratio")
    for each in (found.apparent, found.expected.objective, found.threshold):
        assert each.has_interval or each.reason


@pytest.mark.parametrize("bound", ["1e400", "-1e400", "inf"])
def test_a_condition_has_a_finite_bound(bound):
    with pytest.raises(InputError, match="no finite bound"):
        ca.assess(Y, P).threshold(where=f"recall >= {bound}", maximize="precision")


@pytest.mark.parametrize("parts", ["x", 2.5, None, math.nan, math.inf, [3]])
def test_a_gain_table_has_a_whole_number_of_parts(parts):
    with pytest.raises(InputError, match="parts must be a whole number, but is"):
        ca.assess(Y, P).gain_table(parts)


@pytest.mark.parametrize("per", [math.nan, math.inf, 0, 2.5, -1])
def test_periods_are_a_whole_number(per):
    with pytest.raises(InputError, match="per must be a number of periods, at least 1, or a column with "):
        ca.assess(Y, P).threshold(top=3, per=per)


@pytest.mark.parametrize(
    ("rows", "more", "said"),
    [
        ("1,abc,0.3", (), "is not numeric: line 4 is 'abc'"),
        (
            "1,,0.3",
            (),
            "has missing values (NaN) in 1 row (line 4)",
        ),
        ("1,0.5,abc", ("--score", "q"), "q: score is not numeric: line 4 is 'abc'"),
        (
            "1,0.5,",
            ("--cost", "tp=q"),
            "q has missing or infinite values in 1 row (line 4)",
        ),
    ],
)
def test_a_bad_number_is_found_by_row_and_column(tmp_path, monkeypatch, rows, more, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text(f"y,p,q\n1,0.9,0.8\n0,0.2,0.3\n{rows}\n0,0.1,0.4\n")
    base = ("bad.csv", "--truth", "y", "--score", "p")
    assert said in refusal("decide", *base, "--cost", "fp=1,fn=5", *more)
    if not more:
        assert said in " ".join(call("assess", *base).stderr.split())
