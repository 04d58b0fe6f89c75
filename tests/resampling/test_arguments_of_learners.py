"""The names of arguments that doors pass on are those of the function that takes them."""

from dataclasses import fields
from inspect import signature
from typing import get_type_hints

import classay as ca
from classay.resampling.compare_datasets import ResultArguments
from classay.resampling.evaluating import EvaluateArguments
from classay.resampling.fold_tests import FoldOptions, FoldQuestion


def test_arguments_of_evaluate():
    of_tune = {"estimators", "X", "y", "protocol", "positive", "cluster"}
    assert {*get_type_hints(EvaluateArguments)} == {*signature(ca.evaluate).parameters} - of_tune


def test_arguments_of_comparisons():
    assert [*get_type_hints(FoldOptions)] == [field.name for field in fields(FoldQuestion)]
    assert {*get_type_hints(ResultArguments)} < {*signature(ca.compare_datasets).parameters}
