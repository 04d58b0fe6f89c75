"""What the scores and labels that a learner gave on other cases show: columns that may not be what they seem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from classay.assessment.assessment import Assessment
from classay.assessment.assessment_warnings import TINY, column_warnings
from classay.resampling.fitting import AGAINST, IMPROPER, OF_ROUNDED
from classay.resampling.model_folds import ModelFolds
from classay.tables import ScoreTable
from classay.warned import Warned

FORMER: Mapping[str, str] = {
    (
        "predict_proba gives values that are no probabilities (outside [0, 1], or not of sum 1): they are taken for "
        "scores, which rank and nothing more"
    ): IMPROPER,
    (
        "most predicted classes are not those of the highest score: the order of classes_ may be wrong, unless a "
        "threshold is at work"
    ): AGAINST,
    (
        "predict_proba gives rounded probabilities, which sum to 1 within 0.001: those of each case were divided by "
        "their sum"
    ): OF_ROUNDED,
}
"""Notes in files saved before, and the notes of today: a file keeps the text, not its code."""
_CODES: Mapping[str, str] = {
    IMPROPER: "improper_rows",
    AGAINST: "labels_contradict_scores",
    OF_ROUNDED: "rounded_scores",
}
CODE_OF_NOTE: Mapping[str, str] = {**_CODES, **{former: _CODES[note] for former, note in FORMER.items()}}
"""The codes of warnings that fits note in words of their own."""
OF_VALUES = frozenset(
    (
        "constant_scores",
        "two_scores",
        "perfect_separation",
        "infinite_scores",
        "certain_and_wrong",
        "never_scored",
    )
)
"""Codes that the folds of one repeat show together."""
OF_FOLDS = frozenset(
    ("constant_scores", "auc_below_half", "class_auc_below_half", "labels_contradict_scores")
)
"""Codes that rest on the order of scores, which those of one fold have alone: each has a model of its own."""


def warnings_of_learner(folds: ModelFolds) -> Iterator[Warned]:
    """Yield the warnings of one learner on one data set, each code once.

    Scores that can be compared between folds are looked at in the first repeat as a whole. What rests on the order of
    scores is looked at fold by fold, where a fold has 30 cases or more, and told where half of these show it; one score
    in all of smaller folds is told too. That scores are no probabilities is no fault of a learner that gives decision
    values; of several classes it is told, because then they rank no cases.
    """
    shown = folds if folds.places else folds.of("apparent")
    if not shown.places:
        return
    times = Counter(
        FORMER.get(note, note) for result in shown.results for note in result.notes if note in CODE_OF_NOTE
    )
    warnings = [
        Warned(CODE_OF_NOTE[note], f"In {count} of {len(shown.results)} fits, {note}.")
        for note, count in times.items()
    ]
    if shown.results[0].kind_of_score == "decision" and not shown.cases.is_binary and not times[IMPROPER]:
        warnings.append(
            Warned(
                "raw_scores",
                "The class scores are decision values, which are comparable only within a case. Ranking measures "
                "and probability measures are not defined.",
            )
        )
    of_folds = [*_of_folds(shown)]
    codes = OF_VALUES
    if any(warning.code == "constant_scores" for warning in of_folds):  # as many values as models
        codes -= {"two_scores"}
    warnings += [warning for warning in column_warnings(shown.first_repeat) if warning.code in codes]
    warnings += of_folds
    yield from {warning.code: warning for warning in reversed(warnings)}.values()


def _of_folds(folds: ModelFolds) -> Iterator[Warned]:
    """Yield the warnings that rest on the order of scores, in half or more of the folds with 30 cases or more."""
    repeat = folds.places[0].repeat
    of_repeat = [
        a for a, place in zip(folds.assessments, folds.places, strict=True) if place.repeat == repeat
    ]
    large = [a for a in of_repeat if a.n >= TINY]
    # of small folds one may have one score by chance, and of one case each has
    if not large and all(a.n > 1 and _has_one_score(a) for a in of_repeat):
        large = of_repeat
    texts: dict[str, list[str]] = {}
    for a in large:
        for warning in column_warnings(a):
            if warning.code in OF_FOLDS and (a.n >= TINY or warning.code == "constant_scores"):
                texts.setdefault(warning.code, []).append(warning.text)
    for code, texts_of_code in texts.items():
        if 2 * len(texts_of_code) >= len(large):
            yield Warned(code, f"In {len(texts_of_code)} of {len(large)} folds: {texts_of_code[0]}")


def _has_one_score(a: Assessment) -> bool:
    return isinstance(a.scores, ScoreTable) and a.scores.scores.size == 1
