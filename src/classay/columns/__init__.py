"""Whatever came (a list, an array, a mask, Arrow, a frame's column) as one checked column.

`opened` is the door: the one place that knows kinds of input. Behind it a column has one of few forms, from which
come labels (`coding`), numbers (`numbers`), ids (`ids`) and class scores (`classes`).
"""

from classay.columns.coding import code_columns, code_labels
from classay.columns.uniting import match_label, unite, with_zero_one, zero_one
from classay.columns.values import Coded, sort_labels

__all__ = [
    "Coded",
    "code_columns",
    "code_labels",
    "match_label",
    "sort_labels",
    "unite",
    "with_zero_one",
    "zero_one",
]
