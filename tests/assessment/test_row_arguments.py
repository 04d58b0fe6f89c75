"""The names of arguments that are passed on are those of the function that takes them."""

from inspect import signature
from typing import get_type_hints

import classay as ca
from classay.assessment.assessing import how_to_assess
from classay.assessment.row_arguments import EstimationArguments, RowArguments, RuleArguments
from classay.report.door import plot
from classay.shown import DrawingArguments


def test_arguments_of_assess():
    assert {*get_type_hints(RowArguments)} < {*signature(ca.assess).parameters}
    assert {*get_type_hints(EstimationArguments)} == {*signature(how_to_assess).parameters}


def test_arguments_of_a_rule():
    assert {*RuleArguments.__annotations__} == {*signature(ca.Assessment.threshold).parameters} - {
        "guarantee",
        "self",
    }


def test_what_drawings_choose():
    assert {*get_type_hints(DrawingArguments)} == {*signature(plot).parameters} - {"what", "ax"}
