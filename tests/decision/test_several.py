"""Several classes: least expected cost by brute force, and the option to ask."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import classay as ca
from classay.decision.expected_cost import least_cost
from classay.errors import InputError

RNG = np.random.default_rng(1)
P = RNG.dirichlet([1, 1, 1], 300)
Y = np.array([RNG.choice(3, p=p) for p in P])
LABELS = ["a", "b", "c"]
TRUE = np.array(LABELS)[Y]
MATRIX = np.array([[0, 1, 4], [2, 0, 1], [9, 3, 0]])  # [true][predicted]
COSTS = ca.Costs.from_array(MATRIX, LABELS, rows="true")


def test_by_brute_force():
    found = least_cost(P, COSTS, LABELS, y_true=TRUE)
    for p, code, expected in zip(P, found.codes, found.expected, strict=True):
        each = [sum(p[t] * MATRIX[t, d] for t in range(3)) for d in range(3)]
        assert code == int(np.argmin(each))
        assert expected == pytest.approx(min(each))
    assert found.per_case.value == pytest.approx(MATRIX[Y, found.codes].mean())
    assert found.asked.value == 0


def test_it_costs_less_than_the_likeliest_class():
    likeliest = ca.assess(TRUE, y_pred=np.array(LABELS)[P.argmax(1)]).expected_cost(COSTS)
    assert least_cost(P, COSTS, LABELS, y_true=TRUE).per_case.value < likeliest.per_case.value


@pytest.mark.parametrize("never", LABELS)
def test_a_class_that_is_never_worth_naming(never):
    """Whatever is true, naming it costs more than naming the next one: it is never decided for, nor is it the least."""
    at = LABELS.index(never)
    matrix = MATRIX.astype(float).copy()
    matrix[:, at] = matrix[:, (at + 1) % 3] + 0.5
    costs = ca.Costs.from_array(matrix, LABELS, rows="true")
    found = least_cost(P, costs, LABELS, y_true=TRUE)
    assert never not in found.decisions
    assert found.per_case.value == pytest.approx(matrix[Y, found.codes].mean())
    assert found.cost.saving_over_all.value >= 0
    transposed = ca.Costs.from_array(matrix.T, LABELS, rows="predicted")
    assert least_cost(P, transposed, LABELS).decisions == found.decisions


@pytest.mark.parametrize("factor", [1e-6, 3, 1e6])
def test_the_unit_of_the_costs_and_the_order_of_the_classes_change_nothing(factor):
    found = least_cost(P, COSTS, LABELS, y_true=TRUE)
    scaled = ca.Costs.from_array(MATRIX * factor, LABELS, rows="true")
    other = least_cost(P, scaled, LABELS, y_true=TRUE)
    assert other.decisions == found.decisions
    assert other.per_case.value == pytest.approx(factor * found.per_case.value)
    assert other.per_case.low == pytest.approx(factor * found.per_case.low)
    order = [2, 0, 1]
    turned = ca.Costs.from_array(MATRIX[np.ix_(order, order)], [LABELS[i] for i in order], rows="true")
    there = least_cost(P[:, order], turned, [LABELS[i] for i in order], y_true=TRUE)
    assert there.decisions == found.decisions
    assert there.per_case.value == pytest.approx(found.per_case.value)


def test_asking():
    without = least_cost(P, COSTS, LABELS, y_true=TRUE)
    found = least_cost(P, COSTS, LABELS, y_true=TRUE, asking=0.5)
    assert ((found.codes < 0) == (without.expected > 0.5)).all()
    assert found.per_case.value < without.per_case.value
    paid = np.where(found.codes < 0, 0.5, MATRIX[Y, found.codes])
    ends = ttest_1samp(paid, 0).confidence_interval(0.95)
    assert (found.per_case.low, found.per_case.high) == pytest.approx([*ends])
    assert (found.expected <= 0.5).all()
    nobody = least_cost(P, COSTS, LABELS, y_true=TRUE, asking=100)
    assert (nobody.codes == without.codes).all()


def test_one_case_shows_no_spread():
    found = least_cost(P[:1], COSTS, LABELS, y_true=TRUE[:1], asking=1e-9)
    assert (found.per_case.value, found.per_case.has_interval) == (1e-9, False)


def test_two_classes_are_cut_where_the_costs_say():
    p = np.linspace(0, 1, 101)
    costs = ca.Costs(fp=1, fn=4)
    found = least_cost(np.stack([1 - p, p], 1), costs, [0, 1])
    # at 0.2 both decisions cost the same, and rounding may tell them apart
    np.testing.assert_array_equal(found.codes[p < 0.199], 0)
    np.testing.assert_array_equal(found.codes[p > 0.201], 1)


def test_what_is_refused():
    with pytest.raises(InputError, match="Some rows of probabilities do not sum to 1"):
        least_cost(P * 2, COSTS, LABELS)
    with pytest.raises(InputError, match="a column for each"):
        least_cost(P[:, :2], COSTS, LABELS)
    with pytest.raises(InputError, match="truth has 2 rows"):
        least_cost(P, COSTS, LABELS, y_true=["a", "b"])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"level": 2}, "level must be a number between 0 and 1"),
        ({"asking": "much"}, r"asking must be a number \(the cost of asking a human\), but is"),
        ({"asking": np.nan}, r"asking must be a number \(the cost of asking a human\), but is"),
        ({"seed": -1}, "seed must be a whole number of at least 0, or a numpy"),
        ({"costs": [1, 2]}, r"cost must be Costs, such as Costs\(fp=1, fn=5\), but is \[1, 2\]"),
        ({"costs": {"fp": 1, "fn": 5}}, "3 classes need a matrix of costs"),
        ({"labels": ["a", "b", "b"]}, r"The labels \('a', 'b', 'b'\) contain a label twice"),
        ({"labels": "abc"}, "labels must be a list"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(InputError, match=said):
        least_cost(**{"probabilities": P, "costs": COSTS, "labels": LABELS, "y_true": TRUE} | wrong)


def test_costs_of_two_classes_by_name_or_as_a_mapping():
    p = np.column_stack([1 - P[:, 0], P[:, 0]])
    named, given = (
        least_cost(p, costs, ["no", "yes"]) for costs in (ca.Costs(fp=1, fn=5), {"fp": 1, "fn": 5})
    )
    assert named.decisions == given.decisions == ["yes" if each > 1 / 6 else "no" for each in p[:, 1]]


@pytest.mark.parametrize("n", range(2, 41))
@pytest.mark.parametrize("price", [0.1, 0.3, 1 / 3])
def test_what_costs_the_same_in_every_case_shows_no_spread(n, price):
    """Whether or not the mean of equal numbers is rounded."""
    found = least_cost(
        np.full((n, 2), 0.5), ca.Costs(fp=1, fn=5), [0, 1], y_true=[0] + [1] * (n - 1), asking=price
    )
    assert found.per_case.value == pytest.approx(price)
    assert not found.per_case.has_interval
    assert "does not vary" in found.per_case.reason


@pytest.mark.parametrize("asking", [None, 0.1])
@pytest.mark.filterwarnings("error")
def test_no_cases_are_refused(asking):
    with pytest.raises(InputError, match="no cases"):
        least_cost(np.empty((0, 2)), ca.Costs(fp=1, fn=5), [0, 1], asking=asking)


@pytest.mark.parametrize("unit", [1, 3, 0.1, 1 / 3, 1e6])
def test_of_equal_costs_the_first_label_is_decided_in_any_unit(unit):
    """At the probability c_fp / (c_fp + c_fn) both decisions cost the same, and a human who costs that is not asked."""
    for p in np.arange(1, 20) / 20:
        costs = {"fp": p * unit, "fn": (1 - p) * unit}
        assert least_cost([[1 - p, p]], costs, ["n", "p"]).decisions == ["n"]
        least = least_cost([[1 - p, p]], {"fp": unit, "fn": unit}, ["n", "p"]).expected[0]
        price = {"fp": 7 * unit, "fn": 7 * unit}
        for asking in (7 * least, 7 * unit * min(p, 1 - p)):
            assert least_cost([[1 - p, p]], price, ["n", "p"], asking=asking).decisions != [None]
