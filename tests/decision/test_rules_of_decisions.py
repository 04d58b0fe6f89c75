"""Rules and costs as they are written: each text, each default, and every refusal beside what is still accepted."""

from fractions import Fraction
from math import inf, isnan, nan

import numpy as np
import pytest

import classay as ca
from classay.decision.costs import Costs, Form
from classay.decision.rules import Rule, is_function_of, of_counts, periods_in
from classay.errors import InputError
from classay.measures import get

Y, P = [1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]


@pytest.mark.parametrize(
    ("wrong", "words", "right"),
    [
        ({}, r"No objective for the threshold. Pass cost=, top= or maximize=", {"top": 1}),
        ({"where": "recall >= 0.5"}, "No objective for the threshold", {"where": "recall >= 0.5", "top": 8}),
        (
            {"maximize": "f1", "minimize": "fpr"},
            "maximize= and minimize= cannot be combined. Use one",
            {"maximize": "f1"},
        ),
        (
            {"cost": {"fp": 1}, "maximize": "f1"},
            "cost= and maximize= cannot be combined",
            {"cost": {"fp": 1}},
        ),
        (
            {"cost": {"fp": 1}, "maximize": "f1", "minimize": "fpr"},
            "cost=, maximize= and minimize= cannot be combined",
            {"minimize": "fpr"},
        ),
        (
            {"maximize": "fpr"},
            "Lower false_positive_rate is better.*Use minimize='false_positive_rate'",
            {"minimize": "fpr"},
        ),
        (
            {"maximize": "roc_auc"},
            "roc_auc is not a threshold measure of two classes",
            {"maximize": "recall"},
        ),
        ({"maximize": "recall[0]"}, r"recall\[0\] names a class.*Remove \[0\]", {"maximize": "specificity"}),
        (
            {"maximize": "f1", "where": "f1.low >= 0.2"},
            "needs a CI at every threshold, but f1 is not a share",
            {"maximize": "f1", "where": "f1 >= 0.2"},
        ),
        ({"maximize": "f1", "where": "recall >= 1.1"}, "recall", {"maximize": "f1", "where": "recall >= 1"}),
        (
            {"maximize": "f1", "where": "roc_auc >= 0.1"},
            "roc_auc is not a threshold measure",
            {"maximize": "f1", "where": "fpr <= 0.5"},
        ),
        ({"top": 0}, "top must be a number of cases, at least 1, but is 0", {"top": 1}),
        ({"top": 0.5}, "but is 0.5. For a share of the cases, multiply it by their number", {"top": 1.5}),
        ({"top": -0.5}, r"but is -0.5\.$", {"top": 2}),
        ({"top": inf}, r"at least 1, but is inf\.$", {"top": 1e9}),
        ({"top": nan}, r"at least 1, but is nan\.$", {"top": 8}),
        ({"top": "many"}, "top", {"top": 3}),
        (
            {"cost": {"fp": 1}, "per": 3},
            "per needs a capacity. Pass top too",
            {"cost": {"fp": 1}, "top": 2, "per": 3},
        ),
        (
            {"top": 2, "per": 0},
            "per must be a number of periods, at least 1, or a column",
            {"top": 2, "per": 1},
        ),
        ({"top": 2, "per": 1.5}, "but is 1.5", {"top": 2, "per": 2.0}),
        ({"top": 2, "per": True}, "but is True", {"top": 2, "per": ["a", "b"] * 4}),
        ({"top": 2, "per": inf}, "but is inf", {"top": 2, "per": np.int64(2)}),
        (
            {"top": 2, "per": "day"},
            r"per='day' cannot be found, because an assessment keeps no columns",
            {"top": 2, "per": [1] * 8},
        ),
    ],
)
def test_what_a_rule_refuses_and_what_it_still_takes(wrong, words, right):
    a = ca.assess(Y, P)
    with pytest.raises(InputError, match=words):
        a.threshold(**wrong)
    assert a.threshold(**right).threshold.value is not None


@pytest.mark.parametrize(
    ("given", "text", "capacity"),
    [
        ({"cost": {"fp": 1}}, "lowest expected cost", None),
        ({"maximize": "recall"}, "highest recall", None),
        ({"minimize": "fpr"}, "lowest false_positive_rate", None),
        ({"maximize": "recall", "where": "precision >= 0.9"}, "highest recall where precision >= 0.9", None),
        (
            {"cost": {"fp": 1}, "where": "precision >= 0.9 and fpr < 0.25"},
            "lowest expected cost where precision >= 0.9 and fpr < 0.25",
            None,
        ),
        ({"top": 1200}, "the 1,200 highest scores", "1,200"),
        (
            {"top": 20, "where": "fpr <= 0.25"},
            "the 20 highest scores where fpr <= 0.25",
            "20",
        ),
        (
            {"top": 20, "periods": 30},
            "the 20 highest scores per period (on average over 30 periods)",
            "20 per period (on average over 30 periods)",
        ),
        (
            {"top": 20.5, "periods": 1, "period": "day"},
            "the 20.5 highest scores per day (on average over 1 day)",
            "20.5 per day (on average over 1 day)",
        ),
        (
            {"maximize": "recall", "top": 5, "periods": 2.5, "period": "week"},
            "highest recall with at most 5 cases per week predicted positive (on average over 2.50 weeks)",
            "5 per week (on average over 2.50 weeks)",
        ),
    ],
)
def test_a_rule_in_words(given, text, capacity):
    rule = Rule.of(**given)
    assert rule.text == text
    assert rule.is_cost_alone == ("cost" in given and len(given) == 1)
    assert rule.is_capacity_alone == (not {"cost", "maximize", "minimize"} & {*given})
    assert rule.sign == (-1 if "minimize" in given else 1)
    if capacity is not None:
        assert rule.capacity == capacity
        assert rule.top == given["top"] * (given.get("periods") or 1)
    assert Rule.of(top=3) == Rule(None, None, 1, (), 3.0, None, "period")


@pytest.mark.parametrize(
    ("per", "number"),
    [(30, 30), (2.0, 2), (np.int64(3), 3), (["mon", "mon", "tue"], 2), ([1, 2, 3, 1], 3), (None, None)],
)
def test_periods_are_a_number_or_the_values_of_a_column(per, number):
    assert periods_in(per, 200) == number
    assert periods_in(None, None) is None


@pytest.mark.parametrize(
    "names", [("f1", "jaccard"), ("recall", "false_negative_rate"), ("specificity", "fpr")]
)
def test_a_measure_that_ranks_all_counts_alike_is_a_function_of_another(names):
    one, two = map(get, names)
    for first, second in ((one, two), (two, one)):
        assert is_function_of(first, second, 30, 70)
    assert not is_function_of(one, get("precision"), 30, 70)
    assert of_counts(names[0]) == one


TERMS = [
    ("3", 3.0, {}),
    (" 2.5e2 ", 250.0, {}),
    (".5", 0.5, {}),
    ("-3", -3.0, {}),
    ("amount", 0.0, {"amount": 1}),
    ("-amount", 0.0, {"amount": -1}),
    ("0.8*amount", 0.0, {"amount": 0.8}),
    ("5 + 0.8*amount - fee", 5.0, {"amount": 0.8, "fee": -1}),
    ("fee - 2 + 0.1*fee + 0.2*fee", -2.0, {"fee": 1.3}),
    ("0.1 + 0.2", 0.3, {}),
    ('2*"fee-net"', 0.0, {"fee-net": 2}),
    ("fee - fee", 0.0, {}),
    ("0*fee + 1", 1.0, {}),
]


@pytest.mark.parametrize(("text", "constant", "factors"), TERMS)
def test_a_cost_is_read_term_by_term_and_written_so_that_it_reads_alike(text, constant, factors):
    form = Form.of(text)
    assert form.constant == constant
    assert dict(form.factors) == pytest.approx(factors, rel=1e-15)
    assert Form.of(str(form)) == form
    names = ("fee", "other", "amount", "fee-net")
    assert form.over(names).tolist() == [
        constant,
        *(float(Fraction(str(factors.get(name, 0)))) for name in names),
    ]
    assert form.is_nothing == (not constant and not factors)
    assert form.entry == (form if factors else constant)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1 2",
        "*fee",
        "2fee",
        "2*",
        "+",
        "1 +",
        "fee fee2 *",
        "1 fee",
        "2 ** fee",
        "fee * 2",
        "--1",
        "1,5",
    ],
)
def test_what_is_no_cost(text):
    with pytest.raises(InputError, match="fn is '"):
        Costs(fp=1, fn=text)


@pytest.mark.parametrize("entry", [None, nan, inf, -inf, [1], "1e41", "1e-41", 1e41, 1e-41])
def test_what_is_no_cost_or_in_no_unit(entry):
    with pytest.raises(InputError, match=r"^fn is ") as caught:
        Costs(fp=1, fn=entry)
    is_a_size = isinstance(entry, str) or (isinstance(entry, float) and 0 < abs(entry) < inf)
    assert ("in another unit" in str(caught.value)) == is_a_size
    assert (Costs(fp=1, fn=1e40).fn, Costs(fp=1, fn=1e-40).fn) == (1e40, 1e-40)


@pytest.mark.parametrize("fp", [0, 1, "fee", None])
@pytest.mark.parametrize("fn", [0, 3, "amount", None])
@pytest.mark.parametrize("tp", [0, -1, None])
def test_what_costs_say_of_themselves(fp, fn, tp):
    given = {name: value for name, value in (("fp", fp), ("fn", fn), ("tp", tp)) if value is not None}
    if not any(given.values()):
        with pytest.raises(InputError, match="All costs are 0"):
            Costs(**given)
        return
    costs = Costs(**given)
    assert Costs.of(given) == costs
    left = [
        text
        for name, text in (("fp", "false positives (fp)"), ("fn", "false negatives (fn)"))
        if name not in given
    ]
    assert costs.unnamed == (f"the costs of {' and '.join(left)} are not set, so 0 is used" if left else "")
    assert costs.acting_may_cost == (fp == 1 and fn == "amount" and tp is None)
    assert costs.misses_cost == bool(fn)
    assert costs.names == tuple(name for name in (fp, fn) if isinstance(name, str))
    numbers = {name: given.get(name, 0) for name in ("fp", "fn", "tp")}
    if costs.names:
        assert isnan(costs.threshold)
    else:
        acting, leaving = numbers["fp"], numbers["fn"] - numbers["tp"]
        wanted = acting / (acting + leaving) if acting > 0 and leaving > 0 else nan
        assert costs.threshold == pytest.approx(wanted, nan_ok=True)
    twice = costs.scaled(fn=2, fp=3)
    for names in ((), ("fee", "amount")):
        if {*costs.names} <= {*names}:
            matrix, scaled = (one.array((0, 1), names) for one in (costs, twice))
            assert scaled[0, 1].tolist() == (2 * matrix[0, 1]).tolist()
            assert scaled[1, 0].tolist() == (3 * matrix[1, 0]).tolist()
            assert scaled[1, 1].tolist() == matrix[1, 1].tolist()
        else:
            with pytest.raises(
                InputError, match=r"The cost depends on '(fee|amount)', but no amounts were given"
            ):
                costs.array((0, 1), names)
    assert twice.unnamed == costs.unnamed
    texts = [f"{name}={value}" for name, value in given.items()]
    assert repr(costs) == f"Costs({', '.join(texts)})"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"costs": [[0, 1], [5, 0], [1, 1]]}, "have 3 rows of 2 costs, but 2 labels need 2 rows of 2 costs"),
        ({"costs": [[0, 1], [5]]}, "have 2 rows of 2 and 1 costs, but 2 labels need"),
        ({"costs": []}, "have 0 rows of no costs"),
        ({"costs": 5}, "must have a row for every label, but are 5"),
        ({"costs": "01"}, "must be a row of costs for every label, not the text"),
        ({"costs": ["01", "50"]}, "not the text"),
        ({"rows": "truth"}, "rows"),
        ({"costs": [[0, 0], [0, 0]]}, "All costs are 0"),
        ({"costs": [[0, 1], [nan, 0]]}, r"cost \(0, 1\) is nan"),
    ],
)
def test_what_is_no_matrix_of_costs(change, words):
    given = {"costs": [[0, 1], [5, 0]], "labels": ["good", "bad"], "rows": "true"}
    costs = Costs.from_array(**given)
    assert costs.array(("good", "bad"))[..., 0].tolist() == [[0, 5], [1, 0]]
    assert costs.array(("bad", "good"))[..., 0].tolist() == [[0, 1], [5, 0]]
    assert costs.of_two(("good", "bad")) == Costs(fp=1, fn=5, tp=0, tn=0)
    assert not costs.misses_cost
    assert not costs.acting_may_cost
    assert isnan(costs.threshold)
    assert repr(costs) == "Costs(2 classes)"
    with pytest.raises(InputError, match=words):
        Costs.from_array(**(given | change))
    with pytest.raises(InputError, match="The costs have labels"):
        costs.array(("good", "evil"))
    with pytest.raises(InputError, match="3 classes need a matrix of costs"):
        Costs(fp=1).array(("a", "b", "c"))


def test_a_mapping_of_costs_names_what_is_unknown():
    with pytest.raises(InputError, match=r"Unknown cost 'fnn'. Costs: fp, fn, tp, tn\."):
        Costs.of({"fp": 1, "fnn": 3})
    with pytest.raises(InputError, match=r"cost must be Costs, such as Costs\(fp=1, fn=5\), but is 3"):
        Costs.of(3)
    for factor in (1e41, 1e-41):
        with pytest.raises(InputError, match="fn is 3 times"):
            Costs(fp=1, fn=3).scaled(fn=factor)
    near = "The cost depends on 'amuont', but the amounts are amount"
    with pytest.raises(InputError, match=near):
        Form.of("amuont").over(["amount"])
