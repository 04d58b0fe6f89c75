"""The names of arguments that doors pass on are those of the function that takes them."""

from dataclasses import MISSING, fields
from inspect import Parameter, signature
from typing import get_type_hints

import pytest

import classay as ca
from classay.errors import InputError
from classay.in_parts.databases import CountsOptions
from classay.in_parts.scan_arguments import ScanArguments


def test_arguments_of_scan():
    defaults = {
        field.name: Parameter.empty if field.default is MISSING else field.default
        for field in fields(ScanArguments)
    }
    assert defaults == {name: option.default for name, option in signature(ca.scan).parameters.items()}


def test_arguments_of_assess_counts():
    others = {"result", "bits", "score_scale"}  # which change the query too
    assert {*get_type_hints(CountsOptions)} == {*signature(ca.assess_counts).parameters} - others


@pytest.mark.parametrize(("option", "value"), [("task", "tags"), ("separator", ";")])
def test_what_a_part_that_is_not_installed_brings_is_refused(option, value, monkeypatch):
    monkeypatch.setattr("classay.in_parts.other_parts.ways_of", lambda verb: [])
    rows = {"y": ["a", "b", "a"] * 4, "p": ["a", "b", "b"] * 4}
    assert ca.scan(rows, truth="y", prediction="p", positive="a", task="classes").n == 12
    with pytest.raises(
        InputError, match=f"{option} of scan belongs to a part of classay that is not installed"
    ):
        ca.scan(rows, truth="y", prediction="p", positive="a", **{option: value})
