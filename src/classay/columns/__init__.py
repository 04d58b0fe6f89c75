"""Turn any input (a list, an array, a mask, Arrow, a frame's column) into one checked column.

Only `opened` knows the kinds of input. It gives a column one of few forms, from which the other modules make labels and
ids (`coding`), numbers and class scores (`numbers`).
"""

from classay.columns.coding import code_columns, code_labels
from classay.columns.labels import Labels, is_ordinal, match_label, place_from, unite, with_zero_one, zero_one
from classay.columns.values import Coded

__all__ = [
    "Coded",
    "Labels",
    "code_columns",
    "code_labels",
    "is_ordinal",
    "match_label",
    "place_from",
    "unite",
    "with_zero_one",
    "zero_one",
]
