"""`score_scale` at every call that takes scores: it converts there as it does by hand."""

import inspect

import numpy as np
import pytest

import classay as ca
from classay.columns.scales import scaled
from classay.errors import InputError

N = 120
RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, N)
LOGIT = RNG.normal(2 * Y - 1, 2).round(2)
OTHER = (LOGIT + RNG.normal(0, 1, N)).round(2)
GRADE = RNG.integers(0, 3, N)


def by_hand(scores):
    return scaled(np.asarray(scores, float), "logit")


def converts_as_by_hand(call):
    wanted, found = call([by_hand(LOGIT), by_hand(OTHER)]), call([LOGIT, OTHER], score_scale="logit")
    assert found == wanted
    with pytest.raises(InputError, match="a column of counts for each class"):
        call([LOGIT, OTHER], score_scale="count")
    with pytest.raises(InputError, match="not probabilities"):
        call([LOGIT, OTHER], score_scale="probability")


def test_what_was_converted_is_told():
    found = ca.cut_points(LOGIT, GRADE, [0, 1, 2], score_scale="logit")
    assert [each.code for each in found.warnings] == ["score_scale"]
    assert "converted to probabilities" in str(found)


WITHOUT = {"assess_labeled", "refine"}
"""Calls that read scores as the plan or the assessment that they are given says."""


def test_every_public_call_with_a_column_of_scores_takes_their_scale():
    lacking = []
    for name in ca.__all__:
        call = getattr(ca, name)
        if inspect.isclass(call) or not callable(call) or name in WITHOUT:
            continue
        known = inspect.signature(call).parameters
        passes_on = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values())
        if {"score", "y_score"} & known.keys() and "score_scale" not in known and not passes_on:
            lacking.append(name)
    assert not lacking
