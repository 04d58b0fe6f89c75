"""The reader of scores in bins."""

from __future__ import annotations

import numpy as np

from classay.assessment.saved.saving import LOSSES
from classay.assessment.saved.tables import Tables, exact
from classay.files.fields import Fields, hold
from classay.tables.binned.bins import FINEST, Bins, last_places
from classay.tables.binned.counting import ABSENT, WITHIN
from classay.tables.binned.losses import Losses
from classay.tables.binned.scale import LEAST, MOST, SIGNIFICAND


def bins_of(read: Tables, about: Fields) -> Bins:
    """Scores in bins: every bin holds cases, and the scores of each class lie in it."""
    bits = about.whole("bits", 1, FINEST)
    dtype = about.choice("dtype", ("float16", "float32", "float64"))
    losses = about.maybe("losses", lambda name: about.list(name, exact))
    about.done()
    hold(
        losses is None or len(losses) == len(LOSSES),
        "bins.losses are not of two losses and their squares",
    )
    keys = read.archive.array("bins.keys.npy", "i", (None,))
    m = keys.size
    finer = read.archive.maybe_array("bins.finer.npy", "i", (m,), least=0, below=FINEST - bits + 1)
    hold(m and (finer is None or finer.min() == 0), "no bin keeps bins.bits")
    shift = SIGNIFICAND - bits - (np.zeros_like(keys) if finer is None else finer.astype(np.int64))
    inside = (LEAST >> shift <= keys) & (keys <= MOST >> shift)
    hold(inside.all(), "bins.keys are of no scores")
    ends = last_places(keys << shift, shift)
    hold((keys[:-1] << shift[:-1] > ends[1:]).all(), "bins.keys do not descend")
    cases = read.of_weights("bins.cases", 2, m)
    least, most = (read.archive.array(f"bins.{name}.npy", "i", (2, m)) for name in ("least", "most"))
    within = read.archive.array("bins.within.npy", cases.dtype.kind, (2, m), least=0)
    held = cases > 0
    hold(held.any(0).all(), "a bin holds no case")
    hold(
        (least[~held] == ABSENT).all() and (most[~held] == -ABSENT).all(),
        "a class has scores and no cases",
    )
    in_bin = (least >> shift == keys) & (most >> shift == keys) & (least <= most)
    hold(in_bin[held].all(), "scores lie outside their bin")
    hold((within[held] <= cases[held] * float(1 << WITHIN)).all(), "bins.within lie outside the bins")
    squares = read.of_squares("bins.squares", 2, m)
    kept = None if losses is None else Losses(*losses)
    return Bins(bits, dtype, keys, cases, squares, within, least, most, kept, finer)
