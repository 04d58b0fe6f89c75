"""The reader of scores in bins."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from classay.assessment.saved.saving import LOSSES
from classay.assessment.saved.tables import Tables, exact
from classay.files.fields import Fields, hold
from classay.tables.binned.bins import FINEST, Bins, last_places
from classay.tables.binned.classes import BinnedClassScoreTable
from classay.tables.binned.counting import ABSENT, WITHIN
from classay.tables.binned.losses import Losses
from classay.tables.binned.scale import LEAST, MOST, SIGNIFICAND
from classay.tables.binned.table import BinnedScoreTable


def binned_of(read: Tables, about: Fields, name: str, labels: tuple[Hashable, Hashable]) -> BinnedScoreTable:
    """A table of two classes' scores in bins."""
    return BinnedScoreTable.of(_bins_of(read, about, name), labels)


def classes_of(read: Tables, each: Sequence[Fields], labels: tuple[Hashable, ...]) -> BinnedClassScoreTable:
    """The bins of each class against all others."""
    hold(len(each) == len(labels), f"class_bins are of {len(each):,} classes, and there are {len(labels):,}")
    bins = (_bins_of(read, about, f"class{i}") for i, about in enumerate(each))
    return BinnedClassScoreTable(labels, tuple(bins))


def _bins_of(read: Tables, about: Fields, name: str) -> Bins:
    """Scores in bins, by the name of their arrays: every bin holds cases, and the scores of each class lie in it."""
    bits = about.whole("bits", 1, FINEST)
    dtype = about.choice("dtype", ("float16", "float32", "float64"))
    losses = about.maybe("losses", lambda field: about.list(field, exact))
    about.done()
    hold(
        losses is None or len(losses) == len(LOSSES),
        f"{name}.losses are not of two losses and their squares",
    )
    keys = read.archive.array(f"{name}.keys.npy", "i", (None,))
    m = keys.size
    finer = read.archive.maybe_array(f"{name}.finer.npy", "i", (m,), least=0, below=FINEST - bits + 1)
    hold(m and (finer is None or finer.min() == 0), f"no bin keeps {name}.bits")
    shift = SIGNIFICAND - bits - (np.zeros_like(keys) if finer is None else finer.astype(np.int64))
    inside = (LEAST >> shift <= keys) & (keys <= MOST >> shift)
    hold(inside.all(), f"{name}.keys are of no scores")
    ends = last_places(keys << shift, shift)
    hold((keys[:-1] << shift[:-1] > ends[1:]).all(), f"{name}.keys do not descend")
    cases = read.of_weights(f"{name}.cases", 2, m)
    least, most = (read.archive.array(f"{name}.{end}.npy", "i", (2, m)) for end in ("least", "most"))
    within = read.archive.array(f"{name}.within.npy", cases.dtype.kind, (2, m), least=0)
    held = cases > 0
    hold(held.any(0).all(), "a bin holds no case")
    hold(
        (least[~held] == ABSENT).all() and (most[~held] == -ABSENT).all(),
        "a class has scores and no cases",
    )
    in_bin = (least >> shift == keys) & (most >> shift == keys) & (least <= most)
    hold(in_bin[held].all(), "scores lie outside their bin")
    hold((within[held] <= cases[held] * float(1 << WITHIN)).all(), f"{name}.within lie outside the bins")
    squares = read.of_squares(f"{name}.squares", 2, m)
    kept = None if losses is None else Losses(*losses)
    return Bins(bits, dtype, keys, cases, squares, within, least, most, kept, finer)
