"""The registry of warnings: the code of each, and when an assessment gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Code = Literal[
    "first_rows",
    "one_class",
    "never_true",
    "tiny_class",
    "many_classes",
    "improper_rows",
    "renormalised_rows",
    "tied_scores",
    "class_auc_below_half",
    "constant_scores",
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
    "few_clusters",
]
Said = tuple[Code, str]

WARNINGS: dict[Code, str] = {
    "first_rows": "only the first rows were read (`--limit-rows`)",
    "one_class": "all cases are of one class",
    "never_true": "a declared class has no case",
    "tiny_class": "a class has fewer than 30 cases",
    "many_classes": "there are 100 classes or more; the column of labels may hold ids",
    "improper_rows": "class scores do not sum to 1",
    "renormalised_rows": "class scores were divided by their sum on request (`--improper renormalise`)",
    "tied_scores": "classes share the largest score of a case",
    "class_auc_below_half": "the scores of a class rank its own cases last, beyond chance",
    "constant_scores": "all scores are equal",
    "perfect_separation": "the scores separate the classes completely, which suggests a leak",
    "auc_below_half": "the ROC AUC is below one half; the score may point the wrong way",
    "scores_outside_unit": "the scores are not probabilities",
    "infinite_scores": "some scores are infinite",
    "certain_and_wrong": "the true class of a case got probability 0, so the log-loss is infinite",
    "no_threshold": "the scores are not probabilities and no threshold was given, so there are no label measures",
    "not_above_baseline": "the accuracy is not above that of always predicting the most frequent class",
    "never_predicted": "a class is never predicted, so its precision is undefined",
    "default_threshold": "the threshold 0.5 was not chosen",
    "dropped_rows": "rows without a true label or group were left out on request (`--missing drop`)",
    "unanswered_dropped": "cases without an answer were left out (`--unanswered drop`): the rest may be the easy ones",
    "unanswered_wrong": "cases without an answer of the model count as wrong (`--unanswered wrong`)",
    "few_clusters": "fewer than 30 clusters, or fewer than 30 that hold a case of some class",
}
"""When an assessment warns with each code."""


@dataclass(frozen=True)
class Warned:
    """One thing a reader must know before acting on the numbers: a fixed code and a text."""

    code: Code
    text: str
