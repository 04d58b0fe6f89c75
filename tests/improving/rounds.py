"""The table of some rounds of a decomposition, for tests that look into it."""

import numpy as np

from classay.improving.loss_parts import BLOCKS, RoundTable


def table_of_rounds(predicted, truth, classes, probabilities=None):
    """The table of codes of predicted classes, `(rounds, rows)`; the truth as codes, or as its distribution."""
    codes, known = np.asarray(predicted), np.asarray(truth)
    known = known if known.ndim == 2 else np.eye(classes)[known]
    blocks = min(BLOCKS, len(codes))
    table = RoundTable.empty(known.astype(float), blocks, with_probabilities=probabilities is not None)
    for number, each in enumerate(codes):
        table.add(number, each, None if probabilities is None else probabilities[number])
    return table
