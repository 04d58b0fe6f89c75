"""Scores as probabilities: how far they leave [0, 1], sums of rows, logits and counts, raw scores of classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import from_16_bits, placed
from classay.errors import InputError, check_word
from classay.kinds import Improper, ScoreScale
from classay.texts import hint

Array = NDArray[Any]

TOLERANCE = 1e-6
"""How far from 1 the class probabilities of a row may sum, and still be probabilities, however they are written."""
MOST_ROUNDING = 1e-4
"""The most by which rounding may carry a probability out of [0, 1]."""
MOST_ROUNDING_OF_SUM = 0.01
"""The most by which rounding may carry the sum of the probabilities of a row away from 1."""
ROUNDINGS = 100.0
"""Units of the last place, or of the last decimal, that rounding may add up to.

As much as 10,000 roundings that are independent come to.
"""
ROWS = 4096
"""Rows of class scores that are looked at together."""
FEWEST_DECIMALS, MOST_DECIMALS = 2, 12
"""Numbers of decimals in which the probabilities of a row may be written, so that their sum shows it."""


def improper_rows(scores: Array) -> Array:
    """Return which rows of class scores, `(rows, classes)`, are no probability distribution, `(rows,)` of booleans.

    A sum may be as far from 1 as the precision allows in which the row is written: that of its type of floats, or of
    its decimals.

    >>> improper_rows(np.array([[0.2, 0.8], [0.2, 0.9], [-1.0, 2.0], [0.33, 0.66], [0.331, 0.66]]))
    array([False,  True,  True, False,  True])
    """
    leaves, off, is_rounded = _faults(scores)
    return leaves | ((off > TOLERANCE) & ~is_rounded)


def rounded_sums(scores: Array) -> Array:
    """Return which rows of class scores are a probability distribution but for the rounding of their sum, `(rows,)`.

    >>> rounded_sums(np.array([[0.2, 0.8], [0.2, 0.9], [0.33, 0.66]]))
    array([False, False,  True])
    """
    return _faults(scores)[2]


def _faults(scores: Array) -> tuple[Array, Array, Array]:
    """Return which rows leave [0, 1], how far from 1 each sums, and of which that is rounding."""
    leaves, off = np.empty(len(scores), bool), np.empty(len(scores))
    for start in range(0, len(scores), ROWS):  # few enough to stay in the cache
        rows = slice(start, start + ROWS)
        exact = scores[rows].astype(np.float64, copy=False)
        leaves[rows] = ((exact < 0) | (exact > 1)).any(1)
        with np.errstate(over="ignore", invalid="ignore"):  # scores whose sum is no number leave it already
            off[rows] = np.abs(exact.sum(1) - 1)
    is_rounded = ~leaves & (off > TOLERANCE)
    at = np.flatnonzero(is_rounded)
    is_rounded[at] = off[at] <= _rounding_of_sums(scores[at])
    return leaves, off, is_rounded


def _rounding_of_sums(scores: Array) -> Array:
    """Return how far from 1 the sum of each row may be by rounding, `(rows,)`."""
    classes, unit = scores.shape[1], np.finfo(scores.dtype).eps
    allowed = ROUNDINGS * np.where(_are_exact_in(scores, np.float32), np.finfo(np.float32).eps, unit)
    allowed = np.where(
        _are_bfloat16(scores) | _are_exact_in(scores, np.float16), MOST_ROUNDING_OF_SUM, allowed
    )
    for decimals in range(MOST_DECIMALS, FEWEST_DECIMALS - 1, -1):
        written = _are_written_in(scores, 10.0**decimals).all(1)
        allowed = np.where(written, np.maximum(allowed, classes * 0.5 * 10.0**-decimals), allowed)
    return np.minimum(allowed, MOST_ROUNDING_OF_SUM) + 1e-9  # the sum itself is rounded


def _are_exact_in(scores: Array, kind: Any) -> Array:
    """Return which rows hold only values of a coarser type of floats."""
    return np.asarray((scores.astype(kind) == scores).all(1))


def _are_bfloat16(scores: Array) -> Array:
    """Return which rows hold only floats of 16 bits with 8 bits of significand, which are the upper half of 32 bits."""
    exact = _are_exact_in(scores, np.float32)
    halves = np.ascontiguousarray(scores, np.float32).view(np.uint32) & np.uint32(0xFFFF)
    return np.asarray(exact & (halves == 0).all(1))


Outside = Literal["nowhere", "by rounding", "by more"]
"""How far scores leave [0, 1]."""


def outside(scores: Array) -> Outside:
    """Return how far scores leave [0, 1]; if by rounding alone, they may still be meant as probabilities.

    A score is rounded if it is beyond an end by no more than the precision in which it is written: that of its type of
    floats, or of its decimals, and at most 1e-4.

    >>> outside(np.array([0.25, 1])), outside(np.array([0.25, 1.0000098])), outside(np.array([0.25, 1.1]))
    ('nowhere', 'by rounding', 'by more')
    >>> outside(np.array([0.25, 1.00000981234567]))
    'by more'
    """
    if not scores.size or (scores.min() >= 0 and scores.max() <= 1):
        return "nowhere"
    most = MOST_ROUNDING + _float_error(scores)
    if scores.min() < -most or scores.max() > 1 + most:
        return "by more"
    beyond = scores[(scores < 0) | (scores > 1)]
    return "by rounding" if (_beyond(beyond) <= _rounding_of(beyond)).all() else "by more"


FLOAT_ERROR = 1e-12
"""What subtracting two floats near 1 may add to their difference."""


def _float_error(scores: Array) -> float:
    """Return what the type of floats may add to the excess of a score that is written in decimals."""
    return FLOAT_ERROR + min(1e-6, float(np.finfo(scores.dtype).eps))


def _beyond(scores: Array) -> Array:
    """Return how far scores lie beyond [0, 1]."""
    exact = scores.astype(np.float64)
    return np.asarray(np.maximum(exact - 1, -exact))


def _rounding_of(scores: Array) -> Array:
    """How far beyond [0, 1] rounding may carry each score, `(scores,)`; of scores that are beyond by 1e-4 at most."""
    beyond = _beyond(scores)
    unit = np.where(scores.astype(np.float32) == scores, np.finfo(np.float32).eps, np.finfo(scores.dtype).eps)
    # As many decimals as make this excess ROUNDINGS units of the last one: is it written in so few?
    decimals = np.floor(np.log10(ROUNDINGS / np.maximum(beyond, 1e-300)) + FLOAT_ERROR)
    power = 10.0 ** np.minimum(decimals, MOST_DECIMALS)
    allowed = np.where(_are_written_in(scores, power), ROUNDINGS / power, 0.0)
    return np.minimum(np.maximum(allowed, ROUNDINGS * unit), MOST_ROUNDING) + _float_error(scores)


def _are_written_in(scores: Array, power: Any) -> Array:
    """Return which scores are the float next to a number of so many decimals, 10 to the power of which is given."""
    shifted = scores.astype(np.float64) * power
    units = 0.51 * np.finfo(scores.dtype).eps + 2 * np.finfo(np.float64).eps
    return np.asarray(np.abs(shifted - np.rint(shifted)) <= units * np.maximum(np.abs(shifted), 1e-9))


LOGITS = hint("score_scale='logit'", "--score-scale logit")
COUNTS = hint("score_scale='count'", "--score-scale count")
NO_SCALE = hint(
    "remove score_scale= to use the scores as they are", "remove --score-scale to use scores as they are"
)
STEEP, LEAST_LOGIT = 20.0, 700.0
"""How far logits may reach above and below 0 without becoming equal: floats near 1 are 1e-16 apart, near 0 closer."""
LOST = 0.01
"""The most by which a conversion may lessen the number of distinct scores: what it makes equal, no measure ranks."""


def conversion(scores: Array) -> str:
    """Return how these scores, `(rows,)` or `(rows, classes)`, can be made probabilities, as an order.

    >>> [LOGITS in conversion(np.array([-1.5, 3])), COUNTS in conversion(np.array([[3, 1], [0, 2]]))]
    [True, True]
    >>> conversion(np.array([0, 99]))
    'Divide scores from 0 to 100 by 100'
    """
    if scores.min() < 0:
        return f"Use {LOGITS} for logits"
    if scores.ndim == 2:
        return f"Use {COUNTS} for counts"
    return (
        "Divide scores from 0 to 100 by 100" if scores.max() <= 100 else "Divide the scores by their maximum"
    )


CONVERTED_BY: dict[str | None, str] = {
    "logit": "logits and converted to probabilities by the softmax (of one score by the logistic function)",
    "count": "counts and converted to shares of their row",
}
"""What becomes of scores on each scale that is no probability."""
MIXED = "mixed"
"""Among the scales of parts: some of them have all scores in [0, 1], and others do not, beyond chance."""
MORE_COLUMNS = f"{COUNTS} needs a column of counts for each class, but there is one column of scores."


def converted_in_words(scale: str | None, of_parts: Sequence[str] = ()) -> str:
    """Return that scores were converted, all of them or those of some parts, as a sentence; empty where they were not.

    >>> converted_in_words("count"), converted_in_words("probability")
    ('the scores were read as counts and converted to shares of their row.', '')
    >>> converted_in_words(None, ["count"])
    'the scores of some cases were read as counts and converted to shares of their row.'
    """
    if scale in CONVERTED_BY:
        return f"the scores were read as {CONVERTED_BY[scale]}."
    converted = [CONVERTED_BY[part_scale] for part_scale in of_parts if part_scale != MIXED]
    return f"the scores of some cases were read as {', or as '.join(converted)}." if converted else ""


ROUNDED_TO = (
    "Values slightly below 0 or above 1 were set to 0 or 1, and sums slightly different from 1 were accepted"
)
"""What is done with probabilities that rounding alone put beside their range."""


def refuse_idle_scale(scale: ScoreScale | None) -> None:
    """Refuse a scale of scores where there are no scores."""
    if scale is not None:
        raise InputError(
            f"{hint(f'score_scale={scale!r}', f'--score-scale {scale}')} has no effect without scores. Remove it."
        )


Rounding = Literal["judged", "set back", "keep"]
"""What is done with scores that rounding alone put outside [0, 1]: "set back" makes them 0 or 1; "keep" leaves them;
"judged" sets them back unless all scores would then be equal."""
RENORMALISE = hint("improper='renormalise'", "--improper renormalise")


@dataclass(frozen=True, eq=False)
class ReadScores:
    """Scores as they are used, how far they left [0, 1], and what became of them: see `Predictions`."""

    scores: Array | None = None
    outside: Outside = "nowhere"
    is_raw: bool = False
    renormalised: int = 0
    rounded: int = 0


def read_scores(
    scores: Array | None,
    scale: ScoreScale | None = None,
    improper: Improper = "keep",
    rounding: Rounding = "judged",
    absent: Sequence[int] = (),
) -> ReadScores:
    """Scores on the scale that was named, set back into [0, 1] as `rounding` says, divided by their sums if asked.

    Classes at the places `absent` have no column of scores: no probability, and among raw scores they are the last.

    >>> read_scores(np.array([0.2, 1.0000001]))
    ReadScores(scores=array([0.2, 1. ]), outside='by rounding', is_raw=False, renormalised=0, rounded=1)
    """
    _refuse_idle(scores, scale, improper)
    if scores is None:
        return ReadScores()
    if absent:
        present = [place for place in range(scores.shape[1]) if place not in absent]
        read = read_scores(scores[:, present], scale, improper, rounding)
        assert read.scores is not None
        all_scores = np.full(scores.shape, -np.inf if read.is_raw else 0.0, read.scores.dtype)
        all_scores[:, present] = read.scores
        return replace(read, scores=all_scores)
    scores = scaled(scores, scale)
    beyond = outside(scores)
    is_raw = scores.ndim == 2 and (beyond == "by more" or rounding == "keep")
    set_back = np.zeros(len(scores), bool)
    if beyond == "by rounding" and rounding != "keep":
        within = np.clip(scores, 0, 1)
        if rounding == "set back" or within.min() < within.max():
            set_back = within != scores
            set_back, scores = set_back if set_back.ndim == 1 else set_back.any(1), within
    if improper != "keep":
        if is_raw:
            raise InputError(
                f"{RENORMALISE} is for probabilities, but class scores lie outside [0, 1] in "
                f"{placed(np.asarray(((scores < 0) | (scores > 1)).any(1)))}. {conversion(scores)} instead."
            )
        scores, divided = renormalised(scores)
        return ReadScores(scores, beyond, renormalised=divided, rounded=int(set_back.sum()))
    if scores.ndim == 2 and not is_raw:
        set_back = set_back | rounded_sums(scores)
    return ReadScores(scores, beyond, is_raw, rounded=int(set_back.sum()))


def _refuse_idle(scores: Array | None, scale: ScoreScale | None, improper: Improper) -> None:
    """Refuse what is said of scores where there are none, and two conversions of the same scores."""
    check_word("improper", improper, get_args(Improper))
    if scores is None and improper != "keep":
        raise InputError(
            f"{hint(f'improper={improper!r}', f'--improper {improper}')} has no effect without class scores. "
            "Remove it."
        )
    if scores is None:
        refuse_idle_scale(scale)
    if improper != "keep" and scale in ("logit", "count"):
        raise InputError(
            f"{RENORMALISE} has no effect on probabilities made from {scale}s by "
            f"{hint(f'score_scale={scale!r}', f'--score-scale {scale}')}. Remove one of the two."
        )


def scaled(scores: Array, scale: str | None) -> Array:
    """Scores, `(rows,)` or `(rows, classes)`, as the probabilities that they stand for; None leaves them as they are.

    "logit" is the softmax of each row, and 1 / (1 + e^-s) of one column; "count" is the share of each count in its row.
    "probability" changes nothing. Raises InputError for probabilities outside [0, 1], rounding excepted; for counts in
    one column, negative or infinite counts, and rows without a count; and for rows of logits that are all -inf, or NaN.

    >>> scaled(np.array([[1.0, 1.0], [0.0, 2.0]]), "logit").round(3)
    array([[0.5  , 0.5  ],
           [0.119, 0.881]])
    >>> scaled(np.array([0.0, 2.0]), "logit").round(3), scaled(np.array([[3, 1]]), "count")
    (array([0.5  , 0.881]), array([[0.75, 0.25]]))
    """
    if scale is None or not scores.size:
        return scores
    check_word("score_scale", scale, get_args(ScoreScale))
    if scale == "probability":
        if outside(scores) == "by more":
            raise InputError(
                f"The scores are not probabilities ({range_in_words(scores)}). {conversion(scores)}, or {NO_SCALE} "
                "(without probability measures)."
            )
        return scores
    exact = scores.astype(np.float64)
    converted = _softmax(exact) if scale == "logit" else _shares(exact)
    if scores.ndim == 1:
        _refuse_ties(exact, converted)
    return converted


def _refuse_ties(scores: Array, converted: Array) -> None:
    """Refuse a conversion of one column that makes many distinct finite scores equal, so that ROC AUC would change."""
    if scores.max() <= STEEP and scores.min() >= -LEAST_LOGIT:
        return
    distinct, left = (np.unique(values[np.isfinite(scores)]).size for values in (scores, converted))
    if distinct - left > LOST * distinct:
        raise InputError(
            f"{LOGITS} would make {distinct:,} distinct scores {left:,} ({range_in_words(scores)}, and "
            f"logits above 36.7 become 1), which changes ROC AUC. If these are logits, clip them. Otherwise {NO_SCALE}."
        )


def _softmax(scores: Array) -> Array:
    """Return the probabilities that logits stand for; equal infinite logits of a row share its probability."""
    if scores.ndim == 1:
        exponentials = np.exp(-np.abs(scores))
        return np.asarray(np.where(scores >= 0, 1.0, exponentials) / (1 + exponentials))
    most = scores.max(1, keepdims=True)
    lost = np.isneginf(most[:, 0])
    if lost.any():
        raise InputError(
            f"Every logit is -inf in {placed(lost)}. Use at least one finite logit per row, or remove the row."
        )
    with np.errstate(invalid="ignore"):
        away = np.where(scores == most, 0.0, scores - most)
    exponentials = np.exp(away)
    return np.asarray(exponentials / exponentials.sum(1, keepdims=True))


def _shares(scores: Array) -> Array:
    """Return the share of each count in the sum of its row."""
    if scores.ndim == 1:
        raise InputError(MORE_COLUMNS)
    total = scores.sum(1)
    lost = (scores < 0).any(1) | ~np.isfinite(total) | (total <= 0)
    if lost.any():
        raise InputError(
            f"{COUNTS} needs counts from 0 up, at least one positive, but counts are negative, infinite or all zero in "
            f"{placed(lost)}. Use {LOGITS} for logits."
        )
    return np.asarray(scores / total[:, None])


def difference_of_columns(scores: Array, at: int) -> Array:
    """Return how much more each row scores one of two classes than the other, `(rows,)`; 0 where both are alike.

    >>> difference_of_columns(np.array([[1.0, 3.0], [-np.inf, -np.inf]]), 1)
    array([2., 0.])
    """
    wide = from_16_bits(scores)
    a, b = wide[:, at], wide[:, 1 - at]
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(a == b, wide.dtype.type(0), a - b)


def range_in_words(scores: Array) -> str:
    """From where to where scores reach, with as many digits as show which end of [0, 1] they leave.

    >>> range_in_words(np.array([0.2, 1.0000098])), range_in_words(np.array([-3.14159, 1.0]))
    ('they range from 0.2 to 1.00001', 'they range from -3.14 to 1')
    """
    low, high = ends_in_words(scores)
    return f"they range from {low} to {high}"


def ends_in_words(scores: Array) -> tuple[str, str]:
    """Return the least and the greatest score, each with as many digits as show on which side of 0 and of 1 it is."""
    return _number_in_words(scores.min()), _number_in_words(scores.max())


def _number_in_words(value: Any) -> str:
    """Return a score in three digits, or in as many as it takes to be on the same side of 0 and of 1."""
    exact = float(value)
    for digits in range(3, 17):
        text = f"{exact:.{digits}g}"
        shown = float(text)
        if (shown < 0, shown > 1, shown == 0, shown == 1) == (exact < 0, exact > 1, exact == 0, exact == 1):
            return text
    return repr(exact)


def renormalised(scores: Array) -> tuple[Array, int]:
    """Class scores, `(rows, classes)`, with rows that do not sum to 1 divided by their sum; and the number of these.

    Raises InputError where a row holds a negative or infinite score, or only zeros.

    >>> renormalised(np.array([[0.25, 0.75], [0.25, 0.25]]))
    (array([[0.25, 0.75],
           [0.5 , 0.5 ]]), 1)
    """
    if scores.ndim != 2:
        raise InputError("Scores of one column cannot be normalized. Pass one score per class.")
    total = scores.astype(np.float64).sum(1)
    lost = (scores < 0).any(1) | ~np.isfinite(total) | (total <= 0)
    if lost.any():
        raise InputError(
            f"Class scores cannot be normalized in {placed(lost)}. Values are negative, infinite or all zero."
        )
    off = np.abs(total - 1) > TOLERANCE
    normalized = np.where(off[:, None], scores / total[:, None], scores).astype(scores.dtype)
    return normalized, int(off.sum())


ROUNDED = 1e-3
"""How far from 1 the probabilities of a case may sum before they are other scores: four decimals of 20 classes."""


def unrounded(scores: Array) -> Array | None:
    """Class probabilities, `(rows, classes)`, with rounding in their sums undone; None for other scores.

    Rows that sum to 1 within `ROUNDED` are divided by their sum; rows that sum to exactly 1 stay as they are.

    >>> unrounded(np.array([[0.3333, 0.3333, 0.3333], [0.2, 0.3, 0.5]]))
    array([[0.33333333, 0.33333333, 0.33333333],
           [0.2       , 0.3       , 0.5       ]])
    >>> unrounded(np.array([[0.5, 0.6]]))
    """
    if not scores.size:
        return scores
    inside = scores.min() >= -TOLERANCE and scores.max() <= 1 + TOLERANCE
    if not inside or np.abs(scores.sum(1, dtype=np.float64) - 1).max() > ROUNDED + TOLERANCE:
        return None
    leaves, off, _ = _faults(scores)
    return renormalised(scores.clip(0, 1))[0] if (leaves | (off > TOLERANCE)).any() else scores
