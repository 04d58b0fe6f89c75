"""The names of arguments that are passed on are those of the function that takes them."""

from inspect import signature
from typing import get_type_hints

import classay as ca
from classay.assessment.row_arguments import EstimationArguments
from classay.groups.row_arguments import RowArguments, RowsByGroup


def test_arguments_of_assess():
    named = {*get_type_hints(RowArguments), *get_type_hints(EstimationArguments)}
    assert named == {*signature(ca.assess).parameters} - {"y_true", "y_score", "design"}


def test_arguments_of_assess_by():
    named = {*get_type_hints(RowsByGroup)} - {*get_type_hints(RowArguments)}
    assert named == {*signature(ca.assess_by).parameters} - {"y_true", "y_score", "by", "columns"}
