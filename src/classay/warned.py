"""Warned: a thing that readers must know before they act on numbers; every code of a warning, and when it is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from classay.texts import DoorText, hint, some

Code = Literal[
    "first_rows",
    "exchanged_columns",
    "labels_contradict_scores",
    "one_class",
    "written_otherwise",
    "shifted_codes",
    "no_shared_label",
    "no_label_codes",
    "never_true",
    "chosen_labels",
    "tiny_class",
    "many_classes",
    "improper_rows",
    "renormalised_rows",
    "raw_scores",
    "score_scale",
    "rounded_scores",
    "never_scored",
    "tied_scores",
    "class_auc_below_half",
    "constant_scores",
    "two_scores",
    "perfect_separation",
    "auc_below_half",
    "scores_outside_unit",
    "infinite_scores",
    "certain_and_wrong",
    "no_threshold",
    "not_above_baseline",
    "never_predicted",
    "default_threshold",
    "dropped_rows",
    "unanswered_dropped",
    "unanswered_wrong",
    "repeated_ids",
    "few_clusters",
]
"""The codes of an assessment."""

WARNINGS: dict[Code, str] = {
    "first_rows": "only the first rows were read (`--limit-rows`)",
    "exchanged_columns": "columns of scores without names were read in the sorted order of the labels, and the "
    "upper limit of ROC AUC is then below 0.5",
    "labels_contradict_scores": "predicted labels contradict the scores in more than 5% of pairs",
    "one_class": "all cases are of one class",
    "written_otherwise": "a predicted class has no case, and differs from a true class only in quotes, "
    "capitalization, spaces or Unicode form",
    "shifted_codes": "predicted whole numbers are the true numbers plus or minus 1",
    "no_shared_label": "no predicted label is a true label",
    "no_label_codes": "-1 or -100 occurs among labels that are otherwise whole numbers from 0 up",
    "never_true": "a declared or predicted class has no case",
    "chosen_labels": "whether a case has a true label depends on its score or predicted label (p < 0.01)",
    "tiny_class": "a class has fewer than 30 cases",
    "many_classes": "there are 100 classes or more, so the column of labels may contain IDs",
    "improper_rows": "class scores do not sum to 1",
    "renormalised_rows": "class scores were divided by their sum on request (`--improper renormalise`)",
    "raw_scores": "class scores lie outside [0, 1], so they can be compared only within a case",
    "score_scale": "the scores were converted to probabilities on request (`--score-scale logit` or `count`)",
    "rounded_scores": "scores slightly outside [0, 1], or sums slightly different from 1, were taken as rounding",
    "never_scored": "the score of a class is 0 in every case",
    "tied_scores": "classes share the highest score of a case",
    "class_auc_below_half": "the scores of a class rank its own cases last, more than by chance",
    "constant_scores": "all scores are equal",
    "two_scores": "the scores of more than 10 cases have only two values, like labels",
    "perfect_separation": "the scores separate the classes perfectly, which suggests leakage",
    "auc_below_half": "the upper limit of ROC AUC is below 0.5, so the score may be reversed",
    "scores_outside_unit": "the scores are not probabilities",
    "infinite_scores": "some scores are infinite",
    "certain_and_wrong": "the true class of a case has probability 0, so log-loss is infinite",
    "no_threshold": "scores outside [0, 1] have no default threshold, and none was given",
    "not_above_baseline": "the accuracy is not above that of always predicting the most frequent class",
    "never_predicted": "a class is never predicted, so its precision is not defined",
    "default_threshold": "the threshold 0.5 was not chosen",
    "dropped_rows": "rows without a true label were excluded on request (`--missing drop`)",
    "unanswered_dropped": "cases without a prediction were excluded (`--unanswered drop`). Results may be optimistic",
    "unanswered_wrong": "cases without a prediction count as incorrect (`--unanswered wrong`)",
    "repeated_ids": "values of a column of IDs occur several times, and no cluster was given",
    "few_clusters": "fewer than 30 clusters, in total, effectively or with a case of some class",
}
"""When an assessment warns with each code."""

OF_MODELS: frozenset[str] = frozenset(
    {
        *("exchanged_columns", "labels_contradict_scores", "shifted_codes", "no_label_codes"),
        "no_shared_label",
        *("written_otherwise", "improper_rows", "renormalised_rows", "class_auc_below_half"),
        *("constant_scores", "two_scores", "perfect_separation", "auc_below_half", "scores_outside_unit"),
        *("infinite_scores", "certain_and_wrong", "repeated_ids", "chosen_labels"),
        *("raw_scores", "score_scale", "rounded_scores", "never_scored"),
    }
)
"""The codes that say that a column may not be what it is taken for: those that every result gives, whatever it is of.

The other codes of an assessment are about its own numbers, such as its threshold or the size of its classes.
"""

WARNINGS_OF_OTHERS: dict[str, str] = {
    "decision": "a remark on a decision, such as excluded cases or missing evidence",
    "fixed_cases": "a reader study takes its cases as fixed",
    "fixed_readers": "a reader study takes its readers as fixed",
    "readers_left_out": "readers lack a class in some modality, and are excluded from means and differences",
    "few_cases": "a measure of readers depends on few cases of a class",
    "few_readers": "two readers read two modalities",
    "rare_calls": "kappa of readers is determined by few cases of the rarer predicted label",
    "incomplete": "some readers did not read every case in every modality",
    "unvoted": "training cases have no vote out of bag",
    "out_of_bag": "an out-of-bag error is pessimistic on average, but optimistic if it was used for choices",
    "one_split": "kinds of ensembles were compared on one split",
    "failure": "a fit failed",
    "note": "a remark of a learner, an evaluation or a validation",
    "reclassification": "NRI and IDI can favor a model that is not better",
    "missing_features": "features have missing values",
    "equal_models": "models are equal in all cases",
    "far_period": "few cases are far in time from all others, so a date may be mistyped",
    "many_numeric_groups": "at least 20 groups are single numbers, most with few cases",
}
"""When other results warn with each code of their own; those of a leak check are `LEAKS` of `resampling/leaks.py`."""


@dataclass(frozen=True)
class Warned:
    """One thing that readers must know before they act on the numbers: a fixed code and a text.

    `concerns` names what the warning is about, such as models or groups; it is empty where that is the whole result.
    A warning unpacks as its code and its text.

    >>> code, text = Warned("one_class", "all cases are of one class.")
    >>> code, dict([Warned("note", "slow.", ("new",))])
    ('one_class', {'note': 'slow.'})
    """

    code: str
    text: str
    concerns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Resolve hints: the text is that for Python, and carries that for the command."""
        object.__setattr__(self, "text", DoorText.of(self.text))

    @property
    def sentence(self) -> str:
        """The text with a capital letter, unless the name of what it concerns leads it."""
        text = DoorText.of(self.text)
        if any(text.startswith(name) for name in self.concerns) or _LEADING_NAME.match(text):
            return text
        capital = hint(text[:1].upper() + text[1:], text.command[:1].upper() + text.command[1:])
        return DoorText.of(capital)

    def __iter__(self) -> Iterator[str]:
        yield self.code
        yield self.text

    def __getitem__(self, index: int) -> str:
        """The code or the text by position, because warnings of comparisons were pairs."""
        return (self.code, self.text)[index]


_LEADING_NAME = re.compile(r"\S+: ")
_VALUES = re.compile(r"--na \S+")
"""Advice that differs between models."""
SHOWN = 5
"""Texts of one kind up to which all are warnings."""


def first_ones(code: str, texts: Sequence[str], lead: str = "") -> Iterator[Warned]:
    """Yield the first texts of one code as warnings, and how many more there are.

    >>> [text for code, text in first_ones("note", [*"abcdefg"])][-1]
    '2 more such notes. The JSON lists them.'
    """
    yield from (Warned(code, lead + text) for text in texts[:SHOWN])
    if (more := len(texts) - SHOWN) > 0:
        yield Warned(code, f"{more} more such {code}{'s' if more > 1 else ''}. The JSON lists them.")


def gathered(
    warned: Mapping[str, Iterable[Warned]],
    rest: str = "models",
    stands_for: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Warned, ...]:
    """Return the warnings of several models (or groups), each code and advice once, with those that it concerns.

    The text is that of the first, led by its name; the others are named behind it. `stands_for` has what each name
    stands for, where that is not the name itself.

    >>> (only,) = gathered({"new": [Warned("note", "slow.")], "old": [Warned("note", "very slow.")]})
    >>> print(only.text, only.concerns)
    new: slow. The same warning concerns old. ('new', 'old')
    """
    first: dict[tuple[str, ...], Warned] = {}
    names: dict[tuple[str, ...], list[str]] = {}
    for name, of_model in warned.items():
        for warning in of_model:
            key = warning.code, *_VALUES.findall(DoorText.of(warning.text).command)
            first.setdefault(key, warning)
            concerned = names.setdefault(key, [])
            if name not in concerned:
                concerned.append(name)
    means = stands_for or {}
    return tuple(
        replace(
            warning,
            text=_text_for(warning.text, names[key], rest),
            concerns=tuple(dict.fromkeys(each for name in names[key] for each in means.get(name, (name,)))),
        )
        for key, warning in first.items()
    )


def _text_for(text: str, names: list[str], rest: str) -> str:
    """Return a text with the names that it concerns: the first leads, the others follow."""
    more = f" The same warning concerns {some(names[1:], what=rest)}." if names[1:] else ""
    return f"{names[0]}: {hint(text, DoorText.of(text).command)}{more}"
