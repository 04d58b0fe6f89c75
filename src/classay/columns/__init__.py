"""Whatever came (a list, an array, a mask, Arrow, a frame's column) as one checked column.

`opened` is the door: the one place that knows kinds of input. Behind it a column has one of few forms, from which
come labels (`coding`), numbers (`numbers`), ids (`ids`) and class scores (`class_scores`).
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
