"""The names of arguments that doors pass on are those of the function that takes them."""

from inspect import signature
from typing import get_type_hints

import classay as ca
from classay.improving.decomposing import DecomposeArguments


def test_arguments_of_decompose():
    assert {*get_type_hints(DecomposeArguments)} == {*signature(ca.decompose).parameters} - {
        "learner",
        "X",
        "y",
    }
