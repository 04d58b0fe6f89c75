"""What the JSON of an assessment says (docs/assessment.schema.json)."""

from __future__ import annotations

from typing import Any

from classay.assessment.assessment import Assessment
from classay.assessment.flow import calls
from classay.assessment.further_tests import BOWKER, COX, STUART_MAXWELL
from classay.assessment.headline import FINDINGS
from classay.assessment.ordered_classes import cuts, is_in_order
from classay.assessment.remembered import curves_of
from classay.assessment.task import TwoClasses
from classay.assessment.verdict import top_confusions
from classay.columns import Labels
from classay.inference.estimate import auc_grade
from classay.report.shape import Key, Kind, Many, Result, Row, absent, itself
from classay.report.value_kinds import (
    COUNT,
    CURVE,
    FLAG,
    FLOAT,
    HEADLINE,
    LABEL,
    LEVEL,
    MEASURE,
    NUMBER,
    NUMBER_OR_NULL,
    POSITIVE,
    PVALUE,
    REQUIREMENTS,
    TEXT,
    WEIGHT,
    by_measure,
    one_of,
    warnings,
)
from classay.warned import WARNINGS

MOST_CUTS = 100
"""Classes in order up to which the JSON lists the cuts between them."""
MOST_CONFUSIONS = 20
"""Confusions that the JSON lists in each order; the matrix has all."""

MEASURES = by_measure(MEASURE)


def _no_answer(a: Assessment) -> list[Any] | None:
    matrix = a.confusion_matrix
    if a.no_answer is None or matrix is None:
        return None
    return [count if matrix.is_weighted else int(count) for count in a.no_answer]


def _counts(a: Assessment) -> list[Any] | None:
    matrix = a.confusion_matrix
    return None if matrix is None or matrix.keeps_pairs_that_occur else calls(a)[: len(a.labels)].tolist()


def _cells(a: Assessment) -> list[tuple[Any, ...]] | None:
    matrix = a.confusion_matrix
    if matrix is None or not matrix.keeps_pairs_that_occur:
        return None
    predicted, true, cases = matrix.occupied
    cases = cases if matrix.is_weighted else cases.astype(int)
    answered = predicted < len(a.labels)
    return [*zip(*(column[answered].tolist() for column in (predicted, true, cases)), strict=True)]


def _rule_of_threshold(a: Assessment) -> str | None:
    """Which scores are called positive; of two columns where nobody chose a threshold, the first class wins a tie."""
    if not isinstance(a.task, TwoClasses) or a.cutoff is None:
        return None
    return "score > threshold" if a.task.is_tie_negative else "score >= threshold"


def _grade(a: Assessment) -> str | None:
    """Return the grade of the AUC of two classes, or of that of the one point that labels alone are."""
    if not a.is_binary:
        return None
    auc = a["single_point_auc" if a.scores is None else "roc_auc"]
    return None if auc.is_undefined else auc_grade(auc)


ORDER = (
    "Source of the order of three or more classes, which ordinal measures need: declared, a column of ordered "
    "categories, or whole numbers as labels. Null without an order."
)
THRESHOLD = (
    "A case is predicted positive if its score is at least this threshold, or above it (`threshold_rule`). "
    "Null if predicted labels were given or have the highest score, or if there is no default."
)
RULE = (
    "Which cases are predicted positive. With a score column for each of two classes and no chosen threshold, "
    "the first class wins a tie, so the second class needs a score above the threshold. Null without a "
    "threshold."
)
GRADE = (
    "Conventional grade of the ROC AUC (or of the AUC of the one point of labels) used in medical teaching, "
    "with the grades within its interval. Null without a grade."
)
CURVES = (
    "The points of every curve of the scores, by name. Curves are simplified if `error`, the largest vertical "
    "error, is above 0. The error is at most 0.0005 of the height of the picture."
)
PREVALENCE = (
    "With `--prevalence`: measures at this prevalence, with unchanged score distributions within each class."
)
AT_PREVALENCE = Row(Key("prevalence", LEVEL), Key("measures", MEASURES))
MATRIX = Row(
    Key("labels", Many(LABEL), help="The labels of both axes."),
    Key(
        "axes",
        Kind({"const": ["predicted", "true"]}, itself),
        lambda a: ["predicted", "true"],
        "Meaning of the outer and the inner index.",
    ),
    Key(
        "no_answer",
        Many(NUMBER),
        _no_answer,
        "Missing predictions that count as incorrect, by true class. `counts` and `cells` exclude them.",
        optional=True,
    ),
    Key(
        "counts",
        Many(Many(WEIGHT)),
        _counts,
        "counts[predicted][true]: cases, or sums of sampling weights; of up to 1,000 classes.",
        optional=True,
    ),
    Key(
        "cells",
        Many(
            Kind(
                {
                    "type": "array",
                    "prefixItems": [COUNT.schema, COUNT.schema, POSITIVE.schema],
                    "items": False,
                    "minItems": 3,
                },
                list,
            )
        ),
        _cells,
        "Instead of counts with more than 1,000 classes: [predicted, true, cases] of each pair that occurs, "
        "by index of the labels.",
        optional=True,
    ),
).limited(oneOf=[{"required": ["counts"]}, {"required": ["cells"]}])
"""A confusion matrix: all counts, or of many classes the cells that hold any."""
_CONFUSIONS = Many(
    Row(
        Key("true", LABEL, help="The true class."),
        Key("predicted", LABEL, help="The predicted class."),
        Key("cases", POSITIVE, help="Cases, or their weight."),
        Key("share", POSITIVE.limited(maximum=1), help="Share of the true class."),
    )
)
_TEST = (Key("p_value", PVALUE), Key("method", TEXT), Key("reason", TEXT.or_null()))
ASSESSMENT = Result(
    "assessment",
    1,
    "Assessment",
    "What `classay assess --json` writes and `Assessment.to_dict` returns. Undefined is null, infinity the text "
    '"Infinity".',
    Key("n", COUNT.limited(minimum=1), help="Cases: rows, or the sum of their frequencies."),
    Key("rows", COUNT.limited(minimum=1), help="Rows analyzed."),
    Key("dropped", COUNT, help="Rows excluded because the true label or the prediction is missing."),
    Key("unscored", COUNT, help="Rows with a missing score only, among `unanswered`."),
    Key(
        "unanswered",
        COUNT,
        help="Rows without a prediction, among `dropped` unless they count as incorrect.",
        added=True,
    ),
    Key(
        "undeclared",
        COUNT,
        help="Rows with a predicted label that is not declared, among `unanswered`.",
        added=True,
    ),
    Key(
        "unanswered_count_as_wrong",
        FLAG,
        lambda a: a.no_answer is not None,
        "Whether rows without a prediction count as incorrect. Otherwise they were excluded, or there are "
        "none.",
        added=True,
    ),
    Key(
        "weights",
        one_of("none", "frequency", "sampling"),
        "kind_of_weight",
        "Meaning of the weights of the rows.",
    ),
    Key(
        "clusters",
        COUNT.limited(minimum=1).or_null(),
        lambda a: None if a.clusters is None else len(a.clusters),
        "Number of clusters. Null if rows are independent.",
    ),
    Key("labels", Many(LABEL).limited(minItems=1), help="The classes, in the order of the confusion matrix."),
    Key(
        "order",
        one_of("declared", "categories", "integers", None),
        lambda a: Labels.of(a.labels).order if len(a.labels) > 2 else None,
        ORDER,
        added=True,
    ),
    Key("positive", LABEL, help="The positive class. Null with more than two classes."),
    Key("threshold", NUMBER, "cutoff", THRESHOLD),
    Key(
        "threshold_chosen",
        FLAG,
        "cutoff_chosen",
        "Whether the threshold was chosen. Otherwise it is a default.",
    ),
    Key(
        "threshold_rule",
        one_of("score >= threshold", "score > threshold", None),
        _rule_of_threshold,
        RULE,
        added=True,
    ),
    Key(
        "tied_at_threshold",
        NUMBER,
        lambda a: a.task.tied_at_threshold if isinstance(a.task, TwoClasses) else None,
        "Cases (or weight) with a score of exactly the threshold. Null without a threshold, or if scores in "
        "bins do not determine the number.",
        added=True,
    ),
    Key("level", LEVEL, help="Confidence level."),
    Key("seed", COUNT, help="Seed of all random draws."),
    Key(
        "confusion_matrix",
        MATRIX.or_null(),
        lambda a: None if a.confusion_matrix is None else a,
        "Null without predicted labels, because there is no threshold.",
    ),
    Key(
        "confusions",
        Row(
            Key(
                "by_cases",
                _CONFUSIONS,
                lambda a: top_confusions(a, MOST_CONFUSIONS, "cases"),
                "Sorted by cases.",
            ),
            Key(
                "by_share",
                _CONFUSIONS,
                lambda a: top_confusions(a, MOST_CONFUSIONS, "share"),
                "Sorted by share of the true class.",
            ),
        ),
        itself,
        "The most frequent confusions of three or more classes. Empty lists for two classes.",
        added=True,
    ),
    Key("measures", MEASURES, help="Estimates by the canonical name of the measure."),
    Key(
        "per_class",
        Many(Row(Key("label", LABEL, "0"), Key("measures", MEASURES, "1"))),
        lambda a: a.class_estimates().items(),
        "Each class against the rest.",
    ),
    Key(
        "cuts",
        Many(
            Row(
                Key("from", LABEL, "label"),
                Key("cases", FLOAT, help="Cases (or weight) of these classes."),
                Key("measures", MEASURES),
            )
        ),
        lambda a: cuts(a) if is_in_order(a) and len(a.labels) <= MOST_CUTS else (),
        "For up to 100 ordered classes: each class and all higher classes against the lower classes, except "
        "for the lowest class. Empty without an order.",
        added=True,
    ),
    Key(
        "against_chance",
        Many(
            Row(
                Key("name", one_of("mann_whitney", "no_information_rate")),
                Key("statistic", NUMBER_OR_NULL),
                Key("by_chance", NUMBER_OR_NULL),
                *_TEST,
            )
        ),
        lambda a: a.against_chance(),
        "Tests against chance: Mann-Whitney U for the AUC (two-sided), and accuracy compared with the share "
        "of the largest class (one-sided). If p_value is null, the reason is given.",
        added=True,
    ),
    Key(
        "tests",
        Many(
            Row(
                Key("name", one_of(BOWKER, STUART_MAXWELL, COX)),
                Key("statistic", NUMBER_OR_NULL),
                Key("degrees", COUNT.or_null()),
                *_TEST,
            )
        ),
        lambda a: a.tests(),
        "Chi-squared tests: Bowker's test of symmetry and the Stuart-Maxwell test of equal margins of the "
        "confusion matrix, and the joint test of calibration intercept 0 and slope 1. If p_value is null, the "
        "reason is given.",
        added=True,
    ),
    Key("auc_grade", TEXT.or_null(), _grade, GRADE, added=True),
    Key("curves", by_measure(CURVE), curves_of, CURVES),
    Key("headline", HEADLINE, added=True),
    Key("warnings", warnings(*WARNINGS, *FINDINGS, pattern="^(change_point|trend|drift|criteria)_.+$")),
    REQUIREMENTS,
    Key("at_prevalence", AT_PREVALENCE, absent, PREVALENCE, optional=True),
)
"""The requirements and the measures at another prevalence follow where the command was asked for them."""
