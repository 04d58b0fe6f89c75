"""The answers of a model: which rows have none, and what becomes of them.

An unknown truth and a missing answer are different things. A row without its truth says nothing, and may be left out. A
case that the model did not answer tells how good the model is: it counts as wrong, or it is left out, and then perhaps
only the easy cases remain.

Schuetz, Schlattmann & Dewey 2012, BMJ 345:e6717, count a result that cannot be evaluated as a miss if the case has the
class, and as a false alarm if not (the 3 x 2 table, "intention to diagnose").
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from classay.errors import InputError, check_word
from classay.texts import hint, quote

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]

MissingLabels = Literal["refuse", "drop"]
Missing = Literal["refuse", "drop", "drop-unscored"]
Unanswered = Literal["refuse", "wrong", "drop"]
UNSCORED: Final = "drop-unscored"
"""The former word for leaving out rows without a label and those without an answer."""
WORDS: Final = "(no answer)"


class _NoAnswer:
    """Stands for a predicted label where a model gave none; it equals no label of a user."""

    _only: _NoAnswer | None = None

    def __new__(cls) -> _NoAnswer:
        """The one object of this kind."""
        cls._only = cls._only or super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return WORDS

    def __reduce__(self) -> str:
        return "NO_ANSWER"


NO_ANSWER: Final = _NoAnswer()


def of_labels(labels: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """Return the labels without the reserved answer, which comes last among the labels of a matrix that has it.

    >>> of_labels(("a", "b", NO_ANSWER)), of_labels(("a", "(no answer)"))
    (('a', 'b'), ('a', '(no answer)'))
    """
    return labels[:-1] if labels and labels[-1] is NO_ANSWER else labels


@dataclass(frozen=True)
class AnswerPolicy:
    """How to treat rows whose truth (or group) is `missing`, and rows that the model left `unanswered`.

    "drop" leaves out rows without a truth; rows without a group stay, and are of no group.
    """

    missing: MissingLabels = "refuse"
    unanswered: Unanswered = "refuse"

    @classmethod
    def of(cls, missing: str, unanswered: str) -> AnswerPolicy:
        """Return the policy that two words name. Raises InputError for another word.

        >>> AnswerPolicy.of("drop", "wrong")
        AnswerPolicy(missing='drop', unanswered='wrong')
        """
        check_word("missing", missing, get_args(Missing))
        check_word("unanswered", unanswered, get_args(Unanswered))
        if missing == UNSCORED:
            _say_renamed()
            return cls("drop", "drop" if unanswered == "refuse" else _as_unanswered(unanswered))
        return cls("drop" if missing == "drop" else "refuse", _as_unanswered(unanswered))

    @property
    def drops(self) -> bool:
        """Whether a row may be left out."""
        return "drop" in (self.missing, self.unanswered)


REFUSE: Final = AnswerPolicy()
"""The default policy."""


RENAMED: Final = (
    "--missing drop-unscored is now --missing drop --unanswered drop. The old name will be removed."
)


def _say_renamed() -> None:
    """Warn that a word has another name."""
    python = f"missing={UNSCORED!r} is now missing='drop', unanswered='drop'. The old name will be removed."
    warnings.warn(python, DeprecationWarning, stacklevel=2)


def _as_unanswered(word: str) -> Unanswered:
    return next(each for each in get_args(Unanswered) if each == word)


@dataclass(frozen=True)
class MissingColumns:
    """Which rows lack an answer, `(rows,)` of booleans: an unpredicted label, an undeclared one, or a score."""

    prediction: Array
    undeclared: Array
    score: Array

    @classmethod
    def of(
        cls,
        rows: int,
        codes: Array | None,
        known: Collection[Hashable],
        declared: Collection[Hashable] | None,
        unscored: Array | None,
    ) -> MissingColumns:
        """From predicted codes into the `known` labels; a label that is not `declared` counts as no answer."""
        import numpy as np

        none = np.zeros(rows, bool)
        if codes is None:
            return cls(none, none, none if unscored is None else unscored)
        prediction = codes < 0
        undeclared = none
        if declared is not None:
            extra = np.array([label not in declared for label in known] + [False])
            undeclared = extra[codes]
        return cls(prediction, undeclared, none if unscored is None else unscored)

    @property
    def any(self) -> Array:
        """Which rows lack an answer."""
        return self.prediction | self.undeclared | self.score

    def in_words(self, among: Array | None, example: Hashable | None = None) -> tuple[str, ...]:
        """A phrase for each gap: how many rows have it, `among` those that would count, and the first such row."""
        from classay.columns.numbers import counted, placed

        parts = {
            "prediction has missing values": self.prediction,
            f"prediction has undeclared labels, such as {quote(example)},": self.undeclared,
            "score has missing values (NaN)": self.score,
        }
        there = {what: each if among is None else each & among for what, each in parts.items()}
        found = [(what, each) for what, each in there.items() if each.any()]
        first = tuple(f"{what} in {placed(each)}" for what, each in found[:1])
        return first + tuple(f"{what} in {counted(int(each.sum()))}" for what, each in found[1:])

    def refuse(self, among: Array | None, example: Hashable | None = None) -> None:
        """Raise InputError, with the three choices, if a row without an answer is `among` those that would count."""
        if said := self.in_words(among, example):
            raise InputError(f"{' and '.join(said)}. {choices()}")


def choices() -> str:
    """Return the three choices, as Python or the command writes them."""
    return hint(
        "Use unanswered='wrong' to count missing predictions as incorrect, or unanswered='drop' to exclude them.",
        "Use --unanswered wrong to count missing predictions as incorrect, or --unanswered drop to exclude them.",
    )


def harmless(scores: Array, no_answer: Array) -> Array:
    """Scores with a harmless value in rows without an answer, so that only given scores are checked.

    >>> import numpy as np
    >>> harmless(np.array([0.2, np.nan]), np.array([False, True]))
    array([0.2, 0.5])
    """
    if not no_answer.any():
        return scores
    found = scores.copy()
    found[no_answer] = 0.5 if scores.ndim == 1 else 1 / scores.shape[1]
    return found


def ranked_worst(scores: Array, no_answer: Array, truth: Array, own: Array | int) -> Array:
    """Scores that rank rows without an answer worst: -inf for their own class, inf for every other.

    `truth` are codes; `own` is the code of the positive class for scores `(rows,)`, and unused for `(rows, classes)`.
    Raises InputError where a given score is infinite, because it would tie with these.

    >>> import numpy as np
    >>> ranked_worst(np.array([0.2, 0.0, 0.0]), np.array([False, True, True]), np.array([1, 1, 0]), 1)
    array([ 0.2, -inf,  inf])
    """
    import numpy as np

    if not no_answer.any():
        return scores
    refuse_infinite(np.isinf(scores[~no_answer]).any())
    found, at = scores.copy(), np.flatnonzero(no_answer)
    if scores.ndim == 1:
        found[at] = np.where(truth[at] == own, -np.inf, np.inf)
    else:
        found[at] = np.inf
        found[at, truth[at]] = -np.inf
    return found


def refuse_infinite(is_met: bool | np.bool_) -> None:  # noqa: FBT001
    """Refuse infinite scores beside missing ones. Raises InputError."""
    if is_met:
        wrong = hint("unanswered='wrong'", "--unanswered wrong")
        raise InputError(
            f"{wrong} cannot be used with infinite scores, which would tie with "
            "missing scores. Replace infinite scores with large numbers."
        )


def describe_omissions(unanswered: int, undeclared: int) -> str:
    """Return how many rows have no answer, in words.

    >>> describe_omissions(3, 0), describe_omissions(3, 1), describe_omissions(2, 2)
    ('3 rows', '3 rows (1 with an undeclared label)', '2 rows (all with an undeclared label)')
    """
    from classay.columns.numbers import counted

    more = "" if not undeclared else "all" if undeclared == unanswered else f"{undeclared:,}"
    return counted(unanswered) + (f" ({more} with an undeclared label)" if more else "")
