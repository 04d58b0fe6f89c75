"""Every public class checks what it is made of: nonsense is refused in one line when it comes, not where it is used."""

import ast
import inspect
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

import classay as ca
from classay.predictions import InputRows, Predictions, check
from classay.tables import CaseTable

CLASSES = {
    name: made
    for name in ca.__all__
    if inspect.isclass(made := getattr(ca, name)) and not issubclass(made, BaseException)
} | {"CaseTable": CaseTable, "Predictions": Predictions}
NONSENSE = {
    "text": "abc",
    "missing": float("nan"),
    "negative": -1,
    "none": None,
    "a dict": {"a": 1},
    "a wide array": np.ones((2, 3)),
    "a list": [1, 2, 3],
    "an empty list": [],
    "an object": object(),
}
OPEN = {
    "Estimate": ("missing", "negative"),  # a number is what it is of
    "Balanced": (*NONSENSE,),  # an estimator of scikit-learn checks when it is fitted
}
"""Nonsense of which a class can be made, for a reason."""
RNG = np.random.default_rng(7)
Y = RNG.integers(0, 2, 80)
P = np.clip(0.3 * Y + 0.7 * RNG.random(80), 0, 1)


def required(made):
    return [
        name
        for name, each in inspect.signature(made).parameters.items()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]


def refused(make):
    """Whether it is refused in one line; other errors come through."""
    try:
        repr(make())
    except ca.ClassayError as error:
        return len(str(error).splitlines()) == 1
    except TypeError as error:
        return "argument" in str(error)
    return False


@pytest.mark.parametrize("name", CLASSES)
def test_no_class_is_made_of_nonsense_alone(name):
    if not (names := required(CLASSES[name])):
        return
    kinds = [kind for kind in NONSENSE if kind not in OPEN.get(name, ())]
    taken = [k for k in kinds if not refused(lambda: CLASSES[name](**dict.fromkeys(names, NONSENSE[k])))]  # noqa: B023
    assert taken == []


def made():
    """Something of each kind that is quickly made."""
    a = ca.assess(Y, P)
    several = ca.compare({"p": P, "q": P[::-1]}, Y, measures=["roc_auc"])
    groups = ca.assess_by({"y": Y, "p": P}, truth="y", score="p", by=np.arange(80) % 2)
    scores = np.c_[P, 1 - P, np.full(80, 0.5)]
    months = {f"month {k}": ca.assess(Y[k::4], P[k::4]) for k in range(4)}
    yield from (a, several, several[0], ca.gate(several, "not-worse"), groups, groups.compare("roc_auc")[0])
    yield from (a.threshold(cost=ca.Costs(fp=1, fn=3)), ca.cost_curves({"p": P}, Y), a["roc_auc"])
    yield from (a.confusion_matrix, a.scores, ca.ClassScoreTable.from_rows(scores, Y, (0, 1, 2)))
    yield from (CaseTable.from_rows(scores / scores.sum(1)[:, None], Y, (0, 1, 2)), check(InputRows(Y, P)))
    yield from (ca.trends_over(months, ["roc_auc"]), ca.MEASURES["recall"], ca.Costs(fp=1, fn="amount"))
    yield from (ca.Holdout(0.3), ca.StratifiedKFold(), ca.Bootstrap(), ca.Bootstrap632(), ca.NestedCV())
    yield from (ca.TimeOrdered(), ca.OptimismBootstrap(), ca.Bootstrap632Plus())
    yield ca.Population(lambda n, rng: (np.zeros((n, 1)), np.zeros(n, int)), lambda X: X, classes=(0, 1))


MADE = [*made()]
ANYTHING = ("Any", "Hashable", "Entry", "Formula")
"""Annotations that nothing contradicts, or of which the class itself says what they may be."""


@pytest.mark.parametrize("whole", MADE, ids=lambda each: type(each).__name__)
def test_no_field_takes_what_its_annotation_does_not_say(whole):
    assert is_dataclass(whole)
    for field in fields(whole):
        said = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))
        names = {each.id for each in ast.walk(ast.parse(said)) if isinstance(each, ast.Name)}
        for kind in ("a dict", "an object", "text", "a wide array"):
            fits = {"a dict": {"dict", "Mapping"}, "text": {"str"}, "a wide array": {"Array", "Sequence"}}
            if not names & {*ANYTHING, *fits.get(kind, ())} and field.init:
                assert refused(lambda: replace(whole, **{field.name: NONSENSE[kind]})), (field.name, kind)  # noqa: B023


def test_columns_of_predictions_have_one_length_and_codes_of_labels():
    rows = check(InputRows(Y, P))
    for column in ({"score": P[1:]}, {"truth": Y[1:]}, {"truth": Y + 1}, {"truth": Y - 1}, {"truth": P}):
        assert refused(lambda: replace(rows, **column))  # noqa: B023
