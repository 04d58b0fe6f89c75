"""The names of arguments that doors pass on are those of the function that takes them."""

from dataclasses import MISSING, fields
from inspect import Parameter, signature
from typing import get_type_hints

import classay as ca
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
