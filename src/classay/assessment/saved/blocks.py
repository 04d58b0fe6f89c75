"""The reader of blocks of cases, and of the measures that are kept by them."""

from __future__ import annotations

from math import isnan

import numpy as np

from classay.assessment.saved.saving import (
    BLOCK_SUMS,
)
from classay.assessment.saved.tables import Tables, exact
from classay.errors import ClassayError
from classay.files.fields import Damaged, Fields, hold, shown
from classay.measures import get
from classay.tables import ConfusionMatrix
from classay.tables.blocks import BLOCKS, Blocks, BlockSums


def measures_by_blocks(about: Fields) -> dict[str, float]:
    """The measures that are kept by blocks, with their values on all cases."""
    inner, found = about.take("blocks"), {}
    hold(isinstance(inner, dict), "blocks is no object")
    for name, value in inner.items():
        try:
            measure = get(name)
        except ClassayError as error:
            raise Damaged(f"there is no measure {shown(name)}") from error
        low, high = measure.bounds
        hold(type(value) in (int, float) and not isnan(value), f"{name} is {shown(value)}")
        hold(low - 1e-9 <= value <= high + 1e-9, f"{name} is {shown(value)}, out of its range")
        found[name] = value
    return found


def blocks_of(read: Tables, about: Fields, matrix: ConfusionMatrix | None) -> Blocks:
    """The blocks of cases, whose sums must be of the cases that they count."""
    take, k = read.archive.array, len(read.labels)
    whole = measures_by_blocks(about)
    take("blocks.without.npy", "f", (len(whole), BLOCKS), finite=False)
    cases = take("blocks.cases.npy", "iu", (BLOCKS,), least=0)
    called = len(read.called)
    counts = read.archive.maybe_array("blocks.matrix.npy", "iu", (BLOCKS, called, called), least=0)
    hold(counts is None or matrix is not None, "blocks.matrix is there, and no matrix")
    sums = None
    if "blocks.true.npy" in read.archive:
        losses = [about.list(f"blocks.{name}", exact) for name in BLOCK_SUMS]
        hold(all(len(each) == BLOCKS for each in losses), f"the losses are not of {BLOCKS} blocks")
        true = take("blocks.true.npy", "iu", (BLOCKS, k), least=0)
        sums = BlockSums(true, take("blocks.ranks.npy", "iu", (BLOCKS, k), least=0), losses[0], losses[1])
    found = Blocks(
        take("blocks.fingerprint.npy", "u", (BLOCKS,)),
        None if counts is None else ConfusionMatrix(counts, read.called),
        read.archive.maybe_array("blocks.of_scores.npy", "u", (None,), below=BLOCKS),
        sums,
    )
    hold(found.of_scores is None or found.of_scores.dtype == np.uint8, "blocks.of_scores are no bytes")
    hold((found.cases == cases).all(), "the cases of blocks are others than their sums")
    return found
