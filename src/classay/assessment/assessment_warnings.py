"""What a reader must know before acting on the numbers of an assessment: classes, scores, decisions and rows."""

from __future__ import annotations

from collections.abc import Hashable
from math import isinf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from classay.answers import describe_omissions
from classay.assessment.flow import as_class, calls, cutoff, missing_in, percent, percents
from classay.assessment.labeling import chosen_labels
from classay.assessment.mistaken import (
    about_codes,
    about_contradiction,
    about_exchange,
    about_repeats,
    about_writing,
)
from classay.assessment.task import OtherTask
from classay.assessment.verdict import share_of_answered_pairs
from classay.columns.doubtful import FEW_CASES, PERFECT, WarningText, about_infinite, about_values
from classay.columns.numbers import counted
from classay.columns.scales import MIXED, ROUNDED_TO, converted_in_words, scaled
from classay.inference.design import Design
from classay.inference.estimate import Estimate, number
from classay.inference.phrasing import value_with_interval
from classay.measures import log_loss, roc_auc
from classay.once import memoize
from classay.tables import ScoreTable
from classay.tables.bins import BinnedScoreTable
from classay.tables.sums import are_greatest, equal_cases
from classay.texts import hint, quote, some
from classay.warned import OF_MODELS, Warned
from classay.wings import altered

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


def _negative(a: Assessment) -> object:
    return next(label for label in a.labels if label != a.positive)


MANY = 100
"""From so many classes on, reports show only a few, and warn that a column of ids may have been taken for labels."""


TINY = 30
"""Cases of a class below which a warning says that all that rests on them is uncertain."""


MOST_RANKED = 100
"""Up to so many classes, each is checked for scores that rank its own cases last."""


TURNED = 4.0
"""Standard errors of random ranks by which an AUC must be below one half to be more than chance."""


@memoize
def warnings(a: Assessment) -> tuple[Warned, ...]:
    """Return the warnings that matter, the gravest first."""
    texts = [
        *about_exchange(a),
        *about_limit(a),
        *about_contradiction(a),
        *about_writing(a),
        *about_codes(a),
        *_about_labeling(a),
        *_about_classes(a),
        *_about_class_scores(a),
        *_about_scores(a),
        *_about_decisions(a),
        *_about_rows(a),
    ]
    return tuple(Warned(code, text) for code, text in texts)


def _about_labeling(a: Assessment) -> list[WarningText]:
    """Return the warning that labels exist for chosen cases; none where nothing shows it."""
    sentence = chosen_labels(a)
    return [] if sentence is None else [("chosen_labels", sentence)]


def column_warnings(a: Assessment) -> tuple[Warned, ...]:
    """Return those of the warnings that say that a column may not be what it is taken for, which every result gives.

    They are the same warnings, computed without the others.
    """
    texts = [
        *about_exchange(a),
        *about_contradiction(a),
        *about_writing(a),
        *about_codes(a),
        *_about_labeling(a),
        *_about_class_scores(a),
        *_about_scores(a),
        *about_repeats(a),
    ]
    return tuple(Warned(code, text) for code, text in texts if code in OF_MODELS)


def columns_of_any(a: Assessment) -> tuple[Warned, ...]:
    """Return the warnings that columns may not be what they are taken for, of one label a case or of another task."""
    if not isinstance(a.task, OtherTask):
        return column_warnings(a)
    return tuple(warning for warning in a.warnings if warning.code in OF_MODELS)


def about_limit(a: Assessment) -> list[WarningText]:
    """Return the warning that rows beyond `limit` were not read; none without a limit."""
    if a.limit is None:
        return []
    return [("first_rows", f"preview of the first {a.limit:,} rows.")]


def _about_classes(a: Assessment) -> list[WarningText]:
    totals = {label: float(total) for label, total in zip(a.labels, a.class_totals, strict=True)}
    seen = [label for label, total in totals.items() if total]
    texts: list[WarningText] = []
    if len(seen) == 1:
        texts.append(("one_class", _one_class(a, seen[0])))
    never = [label for label, total in totals.items() if not total]
    if never and len(seen) > 1:
        texts.append(
            (
                "never_true",
                f"class {some(never, last='or', write=quote)} has no true case. Measures that need "
                f"{_each(never, 'this class')} are not defined.",
            )
        )
    if a.kind_of_weight != "sampling":
        tiny = {label: int(total) for label, total in totals.items() if 0 < total < TINY}
        if tiny:
            counts = ", ".join(f"{count} of class {quote(label)}" for label, count in list(tiny.items())[:5])
            classes = "class" if len(tiny) == 6 else "classes"
            more = "" if len(tiny) <= 5 else f" and {len(tiny) - 5} more such {classes}"
            texts.append(
                ("tiny_class", f"few cases: {counts}{more}. Measures that depend on them are imprecise.")
            )
    if len(seen) >= MANY:
        texts.append(("many_classes", _many(len(seen), a.n)))
    return texts


def _one_class(a: Assessment, only: Hashable) -> str:
    """Return that all cases are of one class, and what can be estimated nonetheless."""
    name = "accuracy" if not a.is_binary else "recall" if only == a.positive else "specificity"
    can = f"only {name} can be estimated" if a.confusion_matrix is not None else "nothing can be estimated"
    cases = f"all {a.n:,} cases are" if a.n > 1 else "the only case is"
    return f"{cases} of class {quote(only)}, so {can}."


def _many(classes: int, cases: int) -> str:
    if 2 * classes > cases:
        return f"{classes:,} classes in {cases:,} cases. Check that the label column does not hold IDs."
    return (
        f"{classes:,} classes. Pages show the classes with the lowest values, and the JSON lists all classes."
    )


RENORMALISE = hint(
    "Pass improper='renormalise' to divide class scores by their sum.",
    "Use --improper renormalise to divide class scores by their sum.",
)


ENDS = np.array([-1.0, 1.0])
"""The least and the greatest difference of the probabilities of two classes."""
CONVERT = hint(
    "Use score_scale='logit' or score_scale='count' to convert class scores to probabilities, or "
    "score_scale='probability' to refuse raw scores.",
    "Use --score-scale logit or --score-scale count to convert class scores to probabilities, or "
    "--score-scale probability to refuse raw scores.",
)


MIXTURE = hint(
    " Some of the merged assessments have all scores in [0, 1], and some do not. If they are probabilities and raw "
    "scores of one model, the ranking of the cases is incorrect. Assess all files with the same score_scale=.",
    " Some of the merged assessments have all scores in [0, 1], and some do not. If they are probabilities and raw "
    "scores of one model, the ranking of the cases is incorrect. Assess all files with the same --score-scale.",
)


def about_reading(a: Assessment) -> list[WarningText]:
    """Return what scores were taken for: raw scores of classes, logits or counts, rounded probabilities."""
    texts: list[WarningText] = []
    if a.raw_scores and a.is_binary:
        texts.append(
            (
                "raw_scores",
                "some class scores lie outside [0, 1], so class scores are raw and can be compared only "
                f"within a case. The score is the difference of the two class scores, {quote(a.positive)} "
                f"minus {quote(_negative(a))}. {CONVERT}",
            )
        )
    elif a.raw_scores:
        texts.append(
            (
                "raw_scores",
                "some class scores lie outside [0, 1], so class scores are raw and can be compared only "
                "within a case. The predicted label is the class with the highest score. Ranking measures "
                f"are not defined. {CONVERT}{altered('assess.scores', '', a.class_scores)}",
            )
        )
    if converted := converted_in_words(a.score_scale, a.scales_of_parts):
        texts.append(("score_scale", f"{converted}{_already_converted(a)}{_lost_order(a)}"))
    if a.rounded:
        texts.append(("rounded_scores", f"probabilities are rounded in {counted(a.rounded)}. {ROUNDED_TO}."))
    return texts


def _already_converted(a: Assessment) -> str:
    """Return that logits of two classes may have been probabilities, which the softmax puts between 0.269 and 0.731."""
    if a.score_scale != "logit" or a.scores is None or a.n <= FEW_CASES:
        return ""
    scores, (least, greatest) = a.scores.scores[np.isfinite(a.scores.scores)], scaled(ENDS, "logit")
    if scores.size < 2 or scores.min() < least or scores.max() > greatest:
        return ""
    return (
        f" The converted scores lie between {least:.3f} and {greatest:.3f}, which is typical of "
        f"probabilities. If the scores were probabilities, remove {hint('score_scale=', '--score-scale')}."
    )


def _lost_order(a: Assessment) -> str:
    """Return that converted scores of many cases are exactly 1, where nothing tells those of several logits apart."""
    tables = [] if a.scores is None else [a.scores]
    if a.class_scores is not None and len(a.labels) <= MOST_RANKED:
        tables = [a.class_scores.one_vs_rest(label) for label in a.labels]
    if a.score_scale != "logit" or not any((table.scores == 1.0).any() for table in tables):
        return ""
    return " ROC AUC counts scores of exactly 1 as ties, even if their logits differ."


def _about_class_scores(a: Assessment) -> list[WarningText]:
    texts: list[WarningText] = about_reading(a)
    is_wrong = a.no_answer is not None and a.unanswered > 0
    if a.cases is not None and a.cases.improper and not is_wrong and not a.raw_scores:
        texts.append(
            ("improper_rows", (f"{a.why_improper}, so probability measures are not available. {RENORMALISE}"))
        )
    if a.renormalised:
        texts.append(
            ("renormalised_rows", f"class scores were divided by their sum in {counted(a.renormalised)}.")
        )
    if a.cases is not None and a.cases.log_loss.infinite:
        texts.append(_certain_and_wrong(a.cases.log_loss.infinite))
    if a.cases is not None and a.cases.tied and not is_wrong:
        texts.append(
            (
                "tied_scores",
                (
                    f"two or more classes share the highest score in {counted(a.cases.tied)}. The first of "
                    "these classes was predicted."
                ),
            )
        )
    return [*texts, *_never_scored(a), *_turned_classes(a)]


def _never_scored(a: Assessment) -> list[WarningText]:
    """Classes whose score is 0, or -inf, in every case: the model never saw them, or `labels` brought them in."""
    if a.class_scores is None or len(a.labels) > MOST_RANKED:
        return []
    least = 0.0 if a.cases is not None and not a.raw_scores else -np.inf
    never = [label for label in a.labels if _is_constant(a.class_scores.one_vs_rest(label), least)]
    if not never:
        return []
    return [
        (
            "never_scored",
            f"the score of class {some(never, last='and', write=quote)} is {least:g} in every case. Either "
            f"the model was trained without {_each(list(never), 'this class')}, or the column of scores is "
            "missing.",
        )
    ]


def _is_constant(table: ScoreTable | BinnedScoreTable, value: float) -> bool:
    return table.scores.size == 1 and float(table.scores[0]) == value


def _turned_classes(a: Assessment) -> list[WarningText]:
    """Classes whose own scores rank their cases last, beyond chance: columns in another order than the labels do so."""
    if a.comparable_scores is None or len(a.labels) > MOST_RANKED:
        return []
    kept = [1.0] * len(a.labels)
    if a.no_answer is not None:  # a case without an answer loses all its pairs, of its class and of the rest
        missing, totals = np.asarray(a.no_answer, float), np.asarray(a.class_totals, float)
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = (missing.sum() - missing) / (totals.sum() - totals)
            kept = ((1 - missing / totals) * (1 - rest)).tolist()
    turned = [
        quote(label)
        for label, share in zip(a.labels, kept, strict=True)
        if is_turned(a.comparable_scores.one_vs_rest(label), share)
    ]
    if not turned:
        return []
    order = ", ".join(quote(label) for label in a.labels)
    return [
        (
            "class_auc_below_half",
            f"scores of {', '.join(turned)} rank their own class last, so the columns may be in another "
            f"order than {order}.",
        )
    ]


def is_turned(table: ScoreTable | BinnedScoreTable, kept: float = 1.0) -> bool:
    """Whether the AUC of a table is below one half by more than chance: by `TURNED` standard errors of random ranks.

    Cases with sampling weights count as so many equal ones, whatever the unit of the weights. `kept` is the share of
    the pairs that the model answered: the others are lost, whatever the scores.
    """
    p, n = float(table.n_positive), float(table.n_negative)
    if table.positive_squares is not None and table.negative_squares is not None:
        p = float(equal_cases(p, table.positive_squares.sum()))
        n = float(equal_cases(n, table.negative_squares.sum()))
    return bool(p and n and float(roc_auc(table)) < kept * (0.5 - TURNED * sqrt((p + n + 1) / (12 * p * n))))


def _about_scores(a: Assessment) -> list[WarningText]:
    texts: list[WarningText] = []
    table = a.scores
    if table is None:
        return texts
    is_wrong = a.no_answer is not None and a.unanswered > 0
    # a case without an answer ranks last, which says nothing of the scores that the model gives
    scores = table.scores[np.isfinite(table.scores)] if is_wrong else table.scores
    if not isinstance(table, BinnedScoreTable) or table.holds_single_scores:
        texts += about_values(scores[::-1], a.n)
    auc = float(roc_auc(table))
    if auc == 1.0 and min(a.class_totals) >= FEW_CASES:
        texts.append(PERFECT)
    kept = share_of_answered_pairs(a)
    if auc < 0.5 * kept and not about_exchange(a) and (reversed_auc := a["roc_auc"]).high < 0.5 * kept:
        text = value_with_interval(reversed_auc, "roc_auc", a.n)
        texts.append(("auc_below_half", f"the score ranks the classes in reverse: ROC AUC {text}."))
    if not table.are_probabilities and not is_wrong and not a.raw_scores:
        mixed = MIXTURE if MIXED in a.scales_of_parts else ""
        text = (
            f"{a.why_improper}. Ranking measures are shown, and probability measures are not "
            f"available.{mixed}{altered('assess.scores', '', table)}"
        )
        texts.append(("scores_outside_unit", text))
    if a.improper and table.are_probabilities:
        texts.append(
            (
                "improper_rows",
                f"the scores of the two classes do not sum to 1 in {counted(a.improper)}. The scores of "
                f"{quote(a.positive)} were used unchanged.{_greater_of_improper(a)}",
            )
        )
    # they fall: the first or last are the greatest
    if not is_wrong and np.isinf([*table.scores[:1], *table.scores[-1:]]).any():
        infinite = np.isinf(table.scores)
        count = float((table.positives + table.negatives)[infinite].sum())
        texts.append(about_infinite(_cases(count)))
    if table.are_probabilities and isinf(float(log_loss(table))):
        wrong = table.positives[table.scores == 0].sum() + table.negatives[table.scores == 1].sum()
        texts.append(_certain_and_wrong(float(wrong)))
    return texts


def _greater_of_improper(a: Assessment) -> str:
    """Return that the greater of two scores that do not sum to 1 does not decide, where nobody chose a threshold."""
    if a.cutoff is None or a.cutoff_chosen:
        return ""
    return (
        f" Predicted labels follow that score only, even if the score of {quote(_negative(a))} is higher. "
        f"{RENORMALISE}"
    )


def _certain_and_wrong(count: float) -> WarningText:
    return (
        "certain_and_wrong",
        (
            f"{_cases(count)} {'has' if count == 1 else 'have'} probability 0 for the true class, so log-loss "
            "is infinite."
        ),
    )


def _about_decisions(a: Assessment) -> list[WarningText]:
    if a.confusion_matrix is None:
        return [
            (
                "no_threshold",
                (
                    "threshold measures are not available, because scores outside [0, 1] have no default "
                    "threshold."
                ),
            )
        ]
    texts: list[WarningText] = []
    accuracy, base = a["accuracy"], a["baseline_accuracy"]
    largest = as_class(a.labels[int(np.argmax(are_greatest(a.class_totals)))])
    if accuracy.value <= base.value < 1 and a.cutoff is None:
        texts.append(
            (
                "not_above_baseline",
                "accuracy is {}, which is not above the {} of always predicting {}.".format(
                    *percents(accuracy, base), largest
                ),
            )
        )
    predicted = (
        calls(a)[: len(a.labels)].sum(1) if a.no_answer is not None else a.confusion_matrix.margins.predicted
    )
    never = [label for label, total in zip(a.labels, predicted, strict=True) if not total]
    if never:
        texts.append(
            (
                "never_predicted",
                f"no case is predicted as {some(never, last='or', write=as_class)}, so "
                f"{'its' if len(never) == 1 else 'their'} precision is not defined.{_beyond_scores(a)}",
            )
        )
    if a.cutoff is not None and not a.cutoff_chosen:
        texts.append(
            (
                "default_threshold",
                (
                    f"threshold measures use the default threshold {cutoff(a)}, which was not chosen for these "
                    "data."
                ),
            )
        )
    return texts


def _beyond_scores(a: Assessment) -> str:
    """Return that the threshold lies above or below every score, as a clause; empty where it does not."""
    if not isinstance(a.scores, ScoreTable) or not isinstance(a.cutoff, float):
        return ""
    least, greatest = float(a.scores.scores.min()), float(a.scores.scores.max())
    if a.cutoff > greatest:
        return f" The threshold {cutoff(a)} is above the highest score, {number(greatest)}."
    if a.cutoff <= least:
        return f" The threshold {cutoff(a)} is at or below the lowest score, {number(least)}."
    return ""


def _about_rows(a: Assessment) -> list[WarningText]:
    texts: list[WarningText] = []
    if a.unanswered and a.no_answer is None:
        share = percent(Estimate(a.unanswered / (a.unanswered + a.rows)))
        texts.append(
            (
                "unanswered_dropped",
                f"{describe_omissions(a.unanswered, a.undeclared)} ({share}) without a prediction "
                f"{_are(a.unanswered)} excluded. Results may be optimistic if these cases are harder.",
            )
        )
    elif a.unanswered:
        share = percent(Estimate(a.unanswered / a.rows))
        texts.append(
            (
                "unanswered_wrong",
                f"{describe_omissions(a.unanswered, a.undeclared)} ({share}) without a prediction "
                f"count{'s' if a.unanswered == 1 else ''} as incorrect and "
                f"get{'s' if a.unanswered == 1 else ''} the worst rank.",
            )
        )
    if a.dropped > (a.unanswered if a.no_answer is None else 0):
        share = percent(Estimate(a.dropped / (a.dropped + a.rows)))
        texts.append(
            (
                "dropped_rows",
                f"{counted(a.dropped)} ({share}) with {missing_in(a)} {_are(a.dropped)} excluded.",
            )
        )
    texts += about_repeats(a)
    if a.clusters is not None and len(a.clusters) < TINY:
        texts.append(
            (
                "few_clusters",
                f"the cases are in only {counted(len(a.clusters), 'cluster')}, and intervals are unreliable below "
                f"{TINY} clusters.",
            )
        )
    elif a.coded is not None and (alike := Design.of_coded(a.coded).equal_units) < TINY:
        texts.append(
            (
                "few_clusters",
                f"the effective number of clusters is {alike:,.0f} ({len(a.clusters or ()):,} clusters of very "
                f"different sizes), and intervals are unreliable below {TINY}.",
            )
        )
    elif a.coded is not None:
        by_class = [
            (np.unique(a.coded.cluster[a.coded.true == code]).size, label)
            for code, label in enumerate(a.labels)
        ]
        fewest, label = min(by_class, key=lambda each: each[0])
        if fewest < TINY:
            texts.append(
                (
                    "few_clusters",
                    f"only {fewest} of {len(a.clusters or ()):,} clusters {'has' if fewest == 1 else 'have'} a case "
                    f"of class {quote(label)}, and intervals are unreliable below {TINY} clusters.",
                )
            )
    return texts


def _cases(count: float) -> str:
    shown = f"{count:,.0f}" if count == round(count) else number(count)  # sums of weights need not be whole
    return f"{shown} case{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _each(labels: list[object], one: str) -> str:
    return one if len(labels) == 1 else "these classes"
