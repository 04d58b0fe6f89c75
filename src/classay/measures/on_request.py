"""Measures that only who names them sees: those with parameters, and those that few want on every page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from classay.errors import InputError
from classay.measures import areas, calibration_errors, ranking
from classay.measures.areas import interpolated_pr_area as interpolated_area
from classay.measures.areas import interpolated_pr_influence
from classay.measures.class_pairs import ranked_pairs
from classay.measures.counts import benefit_of, f0_5, f1, f2, f_score, informedness, jaccard
from classay.measures.matrices import accuracy, balanced_accuracy, cohen_kappa, micro
from classay.measures.probability import (
    brier_score,
    top_2_accuracy,
    top_3_accuracy,
    top_5_accuracy,
    top_cases,
)
from classay.measures.probability_bins import (
    BINS,
    equal_width_bins,
    of_probabilities,
    parted,
    table_by_table,
    with_two_cases,
)
from classay.measures.proper_parts import binned_murphy, debiased_murphy, murphy_decomposition
from classay.measures.ranking import (
    BOTH_CLASSES,
    MAX_FPR,
    area_between,
    average_precision,
    complement_of,
    negative_cases,
    roc_auc,
)
from classay.measures.registry import (
    BETA,
    BIN_COUNT,
    COST,
    COUNT,
    RATE,
    SHARE,
    Averaged,
    Measure,
    SumOfShares,
    family,
    like,
    ratio,
)
from classay.measures.smoothed import calibration_error_90, calibration_gaps
from classay.measures.vocabulary import (
    CLASS_WITHOUT_CASES,
    EMPTY_CASES,
    NO_CASES,
    NO_NEGATIVE_SCORES,
    NO_NEGATIVES,
    NO_POSITIVE_SCORES,
    NO_POSITIVES,
    NOT_PROBABILITIES,
    ONE_CLASS_SEEN,
    Condition,
)
from classay.tables import CaseTable, ClassScoreTable, ScoreTable
from classay.tables.cases import CaseValues
from classay.tables.sums import at_least, at_most, settled

__all__ = [
    "calibration_error_max",
    "classwise_calibration_error",
    "corner_distance",
    "debiased_murphy_reliability",
    "debiased_squared_calibration_error",
    "discrimination_slope",
    "equal_error_rate",
    "equal_mass_calibration_error",
    "exact_murphy_reliability",
    "exact_murphy_resolution",
    "expected_calibration_error",
    "expected_cost",
    "f_beta",
    "h_measure",
    "interpolated_pr_area",
    "macro_average_precision",
    "macro_roc_auc_over_occurring_classes",
    "macro_top_k_recall",
    "maximum_calibration_error",
    "mean_probability_of_negatives",
    "mean_probability_of_positives",
    "mean_reciprocal_rank",
    "micro_average_precision",
    "micro_jaccard",
    "micro_roc_auc",
    "multiclass_g_mean",
    "murphy_reliability",
    "murphy_resolution",
    "net_benefit",
    "normalised_expected_cost",
    "pabak",
    "partial_roc_auc",
    "partial_roc_auc_by_tpr",
    "rate_gap",
    "recall_at_precision",
    "recall_at_specificity",
    "root_mean_squared_calibration_error",
    "scott_pi",
    "standardized_net_benefit",
    "standardized_partial_roc_auc",
    "standardized_partial_roc_auc_by_tpr",
    "top_k_accuracy",
    "top_label_calibration_error",
    "weighted_one_vs_one_roc_auc",
]


def _in_bins(of: Measure, bins: int) -> Measure:
    if bins == BINS:
        return of
    return like(
        of,
        title=of.title.replace(f"{BINS} equal", f"{bins} equal"),
        function=partial(of.raw, bins=bins),
    )


@family(bins=BIN_COUNT)
def expected_calibration_error(bins: int = BINS) -> Measure:
    """Mean absolute difference between mean probability and share of positives, in bins of equal width."""
    return _in_bins(calibration_errors.expected_calibration_error, bins)


@family(bins=BIN_COUNT)
def equal_mass_calibration_error(bins: int = BINS) -> Measure:
    """Mean absolute difference between mean probability and share of positives, in bins of nearly equal size."""
    return _in_bins(calibration_errors.equal_mass_calibration_error, bins)


@family(bins=BIN_COUNT)
def maximum_calibration_error(bins: int = BINS) -> Measure:
    """Largest absolute difference between mean probability and share of positives in any bin."""
    return _in_bins(calibration_errors.maximum_calibration_error, bins)


@family(bins=BIN_COUNT)
def root_mean_squared_calibration_error(bins: int = BINS) -> Measure:
    """Root of the mean squared difference between mean probability and share of positives in bins."""
    return _in_bins(calibration_errors.root_mean_squared_calibration_error, bins)


@family(bins=BIN_COUNT)
def debiased_squared_calibration_error(bins: int = BINS) -> Measure:
    """Mean squared difference of mean probability and share of positives in bins, minus the part expected by chance."""
    return _in_bins(calibration_errors.debiased_squared_calibration_error, bins)


@family(bins=BIN_COUNT)
def classwise_calibration_error(bins: int = BINS) -> Measure:
    """Mean over classes of the expected calibration error of one class against the rest."""
    return _in_bins(calibration_errors.classwise_calibration_error, bins)


@family(bins=BIN_COUNT)
def top_label_calibration_error(bins: int = BINS) -> Measure:
    """Expected calibration error of the highest scores."""
    return _in_bins(calibration_errors.top_label_calibration_error, bins)


@family(bins=BIN_COUNT)
def murphy_reliability(bins: int = BINS) -> Measure:
    """Mean squared difference between mean probability and share of positives in bins. Reducible by calibration."""
    return _murphy("reliability", "Reliability", bins, (0, 1), 0)


@family(bins=BIN_COUNT)
def murphy_resolution(bins: int = BINS) -> Measure:
    """Mean squared distance of the shares of positives in bins from the share in all cases."""
    return _murphy("resolution", "Resolution", bins, (0, 0.25), None)


@family(bins=BIN_COUNT)
def debiased_murphy_reliability(bins: int = BINS) -> Measure:
    """Reliability minus the part expected by chance. May be negative near 0. Bins of one case are combined."""
    reliability = _murphy("reliability", "Debiased reliability", bins, (-0.25, 1), 0)

    @of_probabilities
    @table_by_table
    def less_chance(scores: ScoreTable) -> Any:
        return debiased_murphy(with_two_cases(parted(scores, bins)[1])).reliability

    return like(reliability, name="debiased_murphy_reliability", function=less_chance)


@family()
def exact_murphy_reliability() -> Measure:
    """Mean squared difference between each distinct probability and the share of positives with it. Without bins."""
    return _exact_murphy("reliability", "Reliability", (0, 1), 0)


@family()
def exact_murphy_resolution() -> Measure:
    """Mean squared distance of the shares of positives at distinct probabilities from the share in all cases."""
    return _exact_murphy("resolution", "Resolution", (0, 0.25), None)


def _exact_murphy(part: str, title: str, bounds: tuple[float, float], best: float | None) -> Measure:
    return like(
        _murphy(part, title, BINS, bounds, best),
        name=f"exact_murphy_{part}",
        title=f"{title} (distinct probabilities)",
        formula="Brier = reliability - resolution + uncertainty",
        function=lambda scores: getattr(murphy_decomposition(scores), part),
    )


def _murphy(part: str, title: str, bins: int, bounds: tuple[float, float], best: float | None) -> Measure:
    return like(
        calibration_errors.expected_calibration_error,
        name=f"murphy_{part}",
        title=f"{title} ({bins} equal-width bins)",
        formula="Brier = reliability - resolution + uncertainty + within-bin terms",
        bounds=bounds,
        best=best,
        reference="murphy1973",
        function=lambda scores: getattr(binned_murphy(scores, equal_width_bins(scores, bins)), part),
    )


@family(k=COUNT)
def top_k_accuracy(k: int) -> Measure:
    """Share of cases whose true class is among the k highest scores, equal scores in the order of the labels."""
    known = {2: top_2_accuracy, 3: top_3_accuracy, 5: top_5_accuracy}
    return known.get(k) or like(
        top_5_accuracy,
        name="top_k_accuracy",
        title=f"Top-{k} accuracy",
        formula=f"cases whose true class has one of the {k} best scores / n",
        function=lambda cases: ratio(*top_cases(cases, k)),
        parts=lambda cases: top_cases(cases, k),
    )


@family()
def mean_reciprocal_rank() -> Measure:
    """Mean over cases of 1 / the rank of the true class among the scores, equal scores in the order of the labels."""

    def moments(cases: CaseTable) -> tuple[Any, Any, Any]:
        ranks, reciprocal = cases.ranks, 1 / np.arange(1, cases.ranks.shape[-1] + 1)
        return ranks.sum(-1), (ranks * reciprocal).sum(-1), (ranks * reciprocal**2).sum(-1)

    def mean(cases: CaseTable) -> Any:
        n, total, _ = moments(cases)
        return ratio(total, n)

    return Measure(
        "mean_reciprocal_rank",
        title="Mean reciprocal rank",
        function=mean,
        needs="cases",
        formula="mean of 1 / rank of the true class",
        bounds=(0, 1),
        best=1,
        undefined=(EMPTY_CASES,),
        reference="voorhees1999",
        moments=moments,
    )


def class_precision_influence(table: ClassScoreTable, value: float, scores: Any, true: Any) -> Any:
    """Influence of each case on the mean of the classes' average precisions, times all cases, `(cases,)`."""
    sums = np.zeros(true.size)
    for code, label in enumerate(table.labels):
        ovr = table.one_vs_rest(label)
        on_own, on_others = ranking.average_precision_influence(ovr, float(average_precision(ovr)))
        at = np.searchsorted(-ovr.scores, -scores[:, code])
        sums += np.where(true == code, on_own[at], on_others[at]) * float(ovr.n_positive + ovr.n_negative)
    return sums / len(table.labels)


def _pairs(table: ClassScoreTable) -> ScoreTable:
    """Return every case with the score of every class, positive where that is its own: all pairs in one table."""
    tables = (table.one_vs_rest(label) for label in table.labels)
    return reduce(add, (replace(class_table, labels=(False, True)) for class_table in tables))


def _micro(of: Measure) -> dict[str, Any]:
    """The value of a measure of all pairs of case and class, and the influence of each case, summed over its pairs.

    Obuchowski 1997, Biometrics 53:567, with the case as the cluster.
    """

    def value(class_scores: ClassScoreTable) -> Any:
        if CLASS_WITHOUT_CASES.met(class_scores):
            return np.float64("nan")
        return of(_pairs(class_scores))

    def influence(table: ClassScoreTable, value: float, scores: Any, true: Any) -> Any:
        assert of.influence is not None
        pairs, influences = _pairs(table), np.zeros(true.size)
        on_own, on_others = of.influence(pairs, value)
        for code in range(len(table.labels)):
            at = np.searchsorted(-pairs.scores, -scores[:, code])
            influences += np.where(true == code, on_own[at], on_others[at])
        return influences * float(pairs.n_positive)

    return {"function": value, "influence": influence}


@family()
def micro_roc_auc() -> Measure:
    """ROC AUC of all pairs of a case and a class (or tag), ranked by score. True pairs are positive."""
    return like(
        ranking.macro_roc_auc,
        name="micro_roc_auc",
        title="ROC AUC, micro average",
        formula="ROC AUC of the pairs (case, class), positive for the true class",
        reference="obuchowski1997",
        average=Averaged("micro", ranking.roc_auc),
        **_micro(ranking.roc_auc),
    )


@family()
def micro_average_precision() -> Measure:
    """Average precision of all pairs of a case and a class (or tag), ranked by score."""
    return like(
        ranking.macro_roc_auc,
        name="micro_average_precision",
        title="Average precision, micro average",
        formula="average precision of the pairs (case, class), positive for the true class",
        reference="davis2006",
        average=Averaged("micro", average_precision),
        **_micro(average_precision),
    )


@family()
def micro_jaccard() -> Measure:
    """Jaccard index of the pooled counts of all classes (or tags)."""
    return micro(jaccard)


@family()
def macro_average_precision() -> Measure:
    """Mean over classes (or tags) of the average precision of one class against the rest, by the score of the class."""
    return like(
        ranking.macro_roc_auc,
        name="macro_average_precision",
        title="Average precision, one-vs-rest macro average",
        formula="mean over the classes of the average precision against the rest",
        reference="davis2006",
        average=Averaged("macro", average_precision),
        function=_over_classes(average_precision),
        influence=class_precision_influence,
    )


WITHOUT_CASES = Condition(
    "the file of an early version does not say which scores are of one case",
    "the file of an early version does not say which scores are of one case",
    lambda class_scores: class_scores.rows is None,
)


@family()
def macro_roc_auc_over_occurring_classes() -> Measure:
    """Mean over classes that occur of the AUC of one class against the rest. Depends on the set of classes.

    Two test sets in which other classes occur are not compared by it. Where all classes occur it is `macro_roc_auc`.

    >>> import numpy as np
    >>> from classay import assess
    >>> scores = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.3, 0.1], [0.4, 0.4, 0.2]])
    >>> a = assess(list("abab"), scores, labels=list("abc"))
    >>> print(a["macro_roc_auc"].value, a["macro_roc_auc_over_occurring_classes"].value)
    nan 1.0
    """

    def mean(class_scores: ClassScoreTable) -> Any:
        table = class_scores.occurring
        if ONE_CLASS_SEEN.met(class_scores) or table is None:
            return np.float64("nan")
        return ranking.macro_roc_auc(table)

    return like(
        ranking.macro_roc_auc,
        name="macro_roc_auc_over_occurring_classes",
        title="ROC AUC, one-vs-rest mean over the classes that occur",
        formula="mean over the classes that occur of the AUC against the rest",
        undefined=(ONE_CLASS_SEEN, WITHOUT_CASES),
        function=mean,
    )


@family(k=COUNT)
def macro_top_k_recall(k: int) -> Measure:
    """Mean over classes of the share of its cases with the true class among the k highest scores (balanced top-k).

    Equal scores stand in the order of the labels.

    >>> import numpy as np
    >>> from classay import assess
    >>> scores = np.array([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.6, 0.3, 0.1], [0.4, 0.4, 0.2]])
    >>> print(round(assess(list("aabc"), scores, labels=list("abc"))["macro_top_k_recall(2)"].value, 4))
    0.6667
    """

    def mean(class_scores: ClassScoreTable) -> Any:
        if WITHOUT_CASES.met(class_scores) or CLASS_WITHOUT_CASES.met(class_scores):
            return np.float64("nan")
        rows = class_scores.rows
        assert rows is not None
        hits = CaseValues.of(rows.scores.T, rows.true).rank < k
        class_hits = np.bincount(rows.true, rows.each * hits, len(class_scores.labels))
        return ratio(class_hits, class_scores.class_totals).mean()

    return like(
        ranking.macro_roc_auc,
        name="macro_top_k_recall",
        title=f"Top-{k} recall, macro average",
        formula=f"mean over the classes of the share of its cases with one of the {k} best scores",
        reference="sokolova2009",
        undefined=(CLASS_WITHOUT_CASES, WITHOUT_CASES),
        function=mean,
    )


@family()
def weighted_one_vs_one_roc_auc() -> Measure:
    """Mean AUC over the pairs of classes. The weight of a pair is its number of cases."""

    def mean(class_scores: ClassScoreTable) -> Any:
        if CLASS_WITHOUT_CASES.met(class_scores):
            return np.float64("nan")
        pairs = ranked_pairs(class_scores)
        off_diagonal = ~np.eye(len(class_scores.labels), dtype=bool)
        sizes = (np.diagonal(pairs.other)[:, None] + pairs.other)[off_diagonal]
        return (sizes * pairs.aucs[off_diagonal]).sum() / sizes.sum()

    return like(
        ranking.hand_till_auc,
        name="weighted_one_vs_one_roc_auc",
        title="ROC AUC, one-vs-one, weighted by prevalence",
        formula="sum over i≠j of (n_i + n_j) · A(i|j) / sum of (n_i + n_j)",
        function=mean,
    )


def _over_classes(of: Measure) -> Any:
    def mean(class_scores: ClassScoreTable) -> Any:
        if CLASS_WITHOUT_CASES.met(class_scores):
            return np.float64("nan")
        return np.mean([of(class_scores.one_vs_rest(label)) for label in class_scores.labels])

    return mean


@family(beta=BETA)
def f_beta(beta: float) -> Measure:
    """Weighted harmonic mean of precision and recall; recall has beta² times the weight of precision.

    >>> from classay.measures import get
    >>> print(get("f_beta(3)")(6, 1, 4, 89).round(4))
    0.6186
    """
    known = {1.0: f1, 2.0: f2, 0.5: f0_5}
    b2 = beta * beta
    return known.get(beta) or like(
        f1,
        name="f_beta",
        title=f"F{beta:g}",
        formula=f"{1 + b2:g} TP / ({1 + b2:g} TP + {b2:g} FN + FP)",
        function=lambda tp, fp, fn, tn: f_score(beta, tp, fp, fn),
    )


@family(fp=COST, fn=COST)
def expected_cost(fp: float, fn: float) -> Measure:
    """Mean cost per case, where a false positive costs `fp`, a false negative `fn`, and a correct prediction 0."""
    return like(
        f1,
        name="expected_cost",
        title=f"Expected cost (false positive {fp:g}, false negative {fn:g})",
        formula=f"({fp:g} FP + {fn:g} FN) / n",
        bounds=(0.0, max(fp, fn)),
        best=0,
        undefined=(NO_CASES,),
        reference="elkan2001",
        function=lambda tp, fps, fns, tn: ratio(fp * fps + fn * fns, tp + fps + fns + tn),
    )


@family("normalized_expected_cost", fp=COST, fn=COST)
def normalised_expected_cost(fp: float, fn: float) -> Measure:
    """Mean cost per case divided by the cost if all predictions were incorrect. In [0, 1] (y of a cost curve)."""

    def share(tp: Any, fps: Any, fns: Any, tn: Any) -> Any:
        positives, negatives = fn * np.add(tp, fns), fp * np.add(fps, tn)
        x = ratio(positives, positives + negatives)
        return x * ratio(fns, np.add(tp, fns)) + (1 - x) * ratio(fps, np.add(fps, tn))

    return like(
        f1,
        name="normalised_expected_cost",
        title=f"Normalized expected cost (false positive {fp:g}, false negative {fn:g})",
        formula=f"({fp:g} FP + {fn:g} FN) / ({fp:g} (FP + TN) + {fn:g} (TP + FN))",
        best=0,
        undefined=(NO_POSITIVES, NO_NEGATIVES),
        reference="drummond2006",
        function=share,
    )


@family(threshold=SHARE)
def net_benefit(threshold: float) -> Measure:
    """True positives minus weighted false positives, per case. The threshold probability determines the weight.

    Probabilities are called positive from that threshold on (whatever the threshold of other measures is); labels are
    taken as they are, and so are those of scores that are no probabilities.

    >>> from classay import assess
    >>> a = assess([1, 0, 0, 1, 0], [0.9, 0.3, 0.1, 0.25, 0.15])
    >>> a["net_benefit(0.2)"].value == a.at(0.2)["net_benefit(0.2)"].value == (2 - 1 / 4) / 5
    True
    """
    odds = threshold / (1 - threshold)
    return like(
        f1,
        name="net_benefit",
        title=f"Net benefit at the threshold probability {threshold:g}",
        formula=f"TP / n - {odds:.4g} FP / n",
        bounds=(-odds, 1.0),
        best=1,
        undefined=(NO_CASES,),
        reference="vickers2006",
        function=lambda tp, fp, fn, tn: benefit_of(tp, fp, tp + fp + fn + tn, threshold),
        threshold=threshold,
    )


@family(threshold=SHARE)
def standardized_net_benefit(threshold: float) -> Measure:
    """Net benefit divided by prevalence. At most 1; 0 for treating no one.

    >>> from classay import assess
    >>> a = assess([1, 0, 0, 1, 0], [0.9, 0.3, 0.1, 0.25, 0.15])
    >>> print(a["standardized_net_benefit(0.2)"].value)
    0.875
    """
    odds = threshold / (1 - threshold)

    def share(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return benefit_of(tp, fp, tp + fn, threshold)

    return like(
        f1,
        name="standardized_net_benefit",
        title=f"Standardized net benefit at the threshold probability {threshold:g}",
        formula=f"TPR - {odds:.4g} FPR (1 - prevalence) / prevalence",
        bounds=(-float("inf"), 1.0),
        best=1,
        undefined=(NO_POSITIVES,),
        reference="kerr2016",
        function=share,
        threshold=threshold,
    )


@family("geometric_mean_of_recalls")
def multiclass_g_mean() -> Measure:
    """Geometric mean of the recalls of all classes. 0 if a class has recall 0. For two classes the G-mean.

    >>> import numpy as np
    >>> from classay.measures import get
    >>> print(get("multiclass_g_mean")(np.array([8, 9, 3]), np.array([9, 12, 9]), np.array([10, 10, 10])).round(4))
    0.6
    """

    def mean(hits: Any, predicted: Any, true: Any) -> Any:
        return (ratio(hits, true) ** (1 / np.shape(hits)[-1])).prod(
            -1
        )  # the product alone is lost in many classes

    return like(
        balanced_accuracy,
        name="multiclass_g_mean",
        title="G-mean, several classes",
        formula="(product of the recalls of the k classes)^(1/k)",
        reference="kubat1998",
        function=mean,
    )


@family("brennan_prediger", "prevalence_and_bias_adjusted_kappa")
def pabak() -> Measure:
    """Kappa for equally frequent true and predicted classes: accuracy rescaled so that 1/k is 0.

    >>> from classay import assess
    >>> print(assess([1, 1, 1, 0], y_pred=[1, 1, 0, 0])["pabak"].value)
    0.5
    """

    def adjusted(hits: Any, predicted: Any, true: Any) -> Any:
        k = np.shape(hits)[-1]
        return ratio(k * hits.sum(-1) - true.sum(-1), (k - 1) * true.sum(-1))

    return like(
        accuracy,
        name="pabak",
        title="PABAK (kappa adjusted for prevalence and bias)",
        formula="(k · accuracy - 1) / (k - 1)",
        bounds=(-1, 1),
        reference="byrt1993",
        function=adjusted,
        parts=None,
    )


@family("scotts_pi")
def scott_pi() -> Measure:
    """Agreement beyond chance, with expected agreement from the mean of true and predicted class shares.

    >>> from classay import assess
    >>> print(round(assess([1, 1, 1, 0], y_pred=[1, 1, 0, 0])["scott_pi"].value, 4))
    0.4667
    """

    def agreement(hits: Any, predicted: Any, true: Any) -> Any:
        n = true.sum(-1)
        by_chance = (ratio(predicted + true, 2 * np.expand_dims(n, -1)) ** 2).sum(-1)
        return settled(ratio(ratio(hits.sum(-1), n) - by_chance, 1 - by_chance), 1.0)

    return like(
        cohen_kappa,
        name="scott_pi",
        title="Scott's pi",
        formula="(p_o - p_e) / (1 - p_e), p_e = sum of ((p + t) / 2n)²",
        reference="scott1955",
        function=agreement,
    )


@family()
def corner_distance() -> Measure:
    """Distance from the perfect corner of the ROC plane. Not optimal for any costs (E-48)."""

    def distance(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return np.sqrt(ratio(fn, tp + fn) ** 2 + ratio(fp, fp + tn) ** 2)

    return like(
        informedness,
        name="corner_distance",
        title="Distance from the corner of the ROC plane",
        formula="sqrt(FNR² + FPR²)",
        bounds=(0.0, float(np.sqrt(2))),
        best=0,
        reference="perkins2006",
        function=distance,
    )


@family()
def rate_gap() -> Measure:
    """Absolute difference between false positive rate and false negative rate. 0 at the equal error rate."""

    def absolute_gap(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        gap = ratio(fp, fp + tn) - ratio(fn, tp + fn)
        return np.where(np.real(gap) < 0, -gap, gap)[
            ()
        ]  # slopes are complex steps, which a modulus would lose

    return like(
        informedness,
        name="rate_gap",
        title="Gap of the error rates",
        formula="|FPR - FNR|",
        bounds=(0.0, 1.0),
        best=0,
        reference="fawcett2006",
        share_of=SumOfShares("recall", each="difference"),
        function=absolute_gap,
    )


"""How far a rate that is the wanted one may be off it."""


@family(min_fpr=RATE, max_fpr=RATE)
def partial_roc_auc(max_fpr: float = MAX_FPR, min_fpr: float = 0.0) -> Measure:
    """Area under the ROC curve between two false positive rates, interpolated linearly between thresholds."""
    if (min_fpr, max_fpr) == (0, MAX_FPR):
        return ranking.partial_roc_auc
    width = _width(min_fpr, max_fpr, "fpr")
    too_few = _less_than_one("FPR", "negatives", negative_cases, min_fpr, max_fpr)

    def area(scores: ScoreTable) -> Any:
        auc = area_between(scores.positives, scores.negatives, min_fpr, max_fpr)
        return np.where(too_few.met(scores), np.nan, auc)[()]

    return like(
        ranking.partial_roc_auc,
        traits=ranking.partial_roc_auc.traits,
        name="partial_roc_auc",
        title=f"Partial ROC AUC (FPR {min_fpr:g} to {max_fpr:g})",
        formula=f"area under the ROC curve for FPR in [{min_fpr:g}, {max_fpr:g}]",
        bounds=(0.0, width),
        best=width,
        undefined=(*BOTH_CLASSES, too_few),
        function=area,
    )


@family(min_tpr=RATE, max_tpr=RATE)
def partial_roc_auc_by_tpr(min_tpr: float, max_tpr: float = 1.0) -> Measure:
    """Area between the ROC curve and FPR = 1 for a range of true positive rates (specificity integrated over it)."""
    width = _width(min_tpr, max_tpr, "tpr")
    too_few = _less_than_one("TPR", "positives", _positive_cases, min_tpr, max_tpr)

    def area(scores: ScoreTable) -> Any:
        swapped = (
            scores.negatives[..., ::-1],
            scores.positives[..., ::-1],
        )  # the curve seen from its other end
        return np.where(too_few.met(scores), np.nan, area_between(*swapped, 1 - max_tpr, 1 - min_tpr))[()]

    return like(
        ranking.partial_roc_auc,
        traits=ranking.partial_roc_auc.traits,
        name="partial_roc_auc_by_tpr",
        title=f"Partial ROC AUC (TPR {min_tpr:g} to {max_tpr:g})",
        formula=f"area of 1 - FPR for TPR in [{min_tpr:g}, {max_tpr:g}]",
        bounds=(0.0, width),
        best=width,
        undefined=(*BOTH_CLASSES, too_few),
        function=area,
    )


@family(min_fpr=RATE, max_fpr=RATE)
def standardized_partial_roc_auc(max_fpr: float = MAX_FPR, min_fpr: float = 0.0) -> Measure:
    """Partial ROC AUC of any range, rescaled to 0.5 for no information and 1 for perfect ranking (McClish).

    (1 + (A - min) / (max - min)) / 2, min the area of the diagonal in the range, and max that of a perfect score.
    """
    if (min_fpr, max_fpr) == (0, MAX_FPR):
        return ranking.standardized_partial_roc_auc
    return _standardized(
        partial_roc_auc(max_fpr, min_fpr),
        "standardized_partial_roc_auc",
        (max_fpr**2 - min_fpr**2) / 2,
    )


@family(min_tpr=RATE, max_tpr=RATE)
def standardized_partial_roc_auc_by_tpr(min_tpr: float, max_tpr: float = 1.0) -> Measure:
    """Partial ROC AUC between two true positive rates, rescaled to 0.5 for no information and 1 for perfect ranking."""
    area = partial_roc_auc_by_tpr(min_tpr, max_tpr)
    return _standardized(
        area, "standardized_partial_roc_auc_by_tpr", ((1 - min_tpr) ** 2 - (1 - max_tpr) ** 2) / 2
    )


def _standardized(area: Measure, name: str, by_chance: float) -> Measure:
    """Return a partial area on McClish's scale, from the area that the diagonal has in the same range."""
    most = area.bounds[1]

    def rescaled(scores: ScoreTable) -> Any:
        return (1 + (area(scores) - by_chance) / (most - by_chance)) / 2

    lowest = (1 - by_chance / (most - by_chance)) / 2
    return like(
        area,
        traits=area.traits,
        name=name,
        title=f"Standardized {area.title[0].lower()}{area.title[1:]}",
        formula=f"(1 + (A - min) / (max - min)) / 2, A the {area.formula}",
        bounds=(min(0.0, lowest), 1.0),
        best=1,
        function=rescaled,
    )


@family(a=COST, b=COST)
def h_measure(a: float = 0.0, b: float = 0.0) -> Measure:
    """H-measure with a prior Beta(a, b) of the costs. Programs use different priors.

    0 and 0 are the default, Beta(1 + π, 2 - π) with π the prevalence (Hand & Anagnostopoulos 2014); `h_measure(2, 2)`
    is Hand 2009. The Python package hmeasure takes Beta(2, 1 + n₀ / n₁), n₀ negatives and n₁ positives.

    >>> from classay import assess
    >>> a = assess([1, 0, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.4, 0.3, 0.2])
    >>> print(round(a["h_measure(2, 2)"].value, 4))
    0.2321
    """
    if not a and not b:
        return areas.h_measure
    if not (a and b):
        raise InputError(f"a is {a:g} and b is {b:g}. Use two numbers above 0, such as h_measure(2, 2).")
    return like(
        areas.h_measure,
        traits=areas.h_measure.traits,
        name="h_measure",
        title=f"H-measure (Beta({a:g}, {b:g}) prior of the costs)",
        function=partial(areas.h_measure.raw, a=a, b=b),
    )


@family(precision=RATE)
def recall_at_precision(precision: float) -> Measure:
    """Highest recall among thresholds with at least the given precision. 0 without such a threshold."""

    def greatest(scores: ScoreTable) -> Any:
        tp, fp = np.cumsum(scores.positives, -1), np.cumsum(scores.negatives, -1)
        recall = ratio(tp, np.expand_dims(scores.n_positive, -1))
        reached = np.where(at_least(ratio(tp, tp + fp), precision), recall, 0.0).max(-1, initial=0.0)
        return np.where(scores.n_positive == 0, np.nan, reached)[()]

    return like(
        average_precision,
        name="recall_at_precision",
        title=f"Recall at precision {precision:g}",
        formula=f"max recall over thresholds with precision >= {precision:g}",
        undefined=(NO_POSITIVE_SCORES,),
        function=greatest,
    )


@family(specificity=RATE)
def recall_at_specificity(specificity: float) -> Measure:
    """Highest recall (sensitivity) among thresholds with at least the given specificity. 0 without such a threshold."""

    def greatest(scores: ScoreTable) -> Any:
        fpr, tpr = ranking.rates(scores)
        reached = np.where(at_most(fpr, complement_of(specificity)), tpr, 0.0).max(-1, initial=0.0)
        return np.where((scores.n_positive == 0) | (scores.n_negative == 0), np.nan, reached)[()]

    return like(
        roc_auc,
        name="recall_at_specificity",
        title=f"Recall at specificity {specificity:g}",
        traits=frozenset({"unmoved by the prevalence"}),
        formula=f"max recall over thresholds with specificity >= {specificity:g}",
        bounds=(0, 1),
        best=1,
        reference="fawcett2006",
        function=greatest,
    )


@family()
def equal_error_rate() -> Measure:
    """False positive rate at which the ROC curve, interpolated linearly, has FPR = 1 - TPR."""

    def crossing(scores: ScoreTable) -> Any:
        fpr, tpr = (_from_zero(curve) for curve in ranking.rates(scores))
        gap = 1 - tpr - fpr  # falls from 1 to -1
        after = np.argmax(gap <= 0, -1)[..., None]
        (g0, g1), (x0, x1) = (
            (np.take_along_axis(values, after - 1, -1), np.take_along_axis(values, after, -1))
            for values in (gap, fpr)
        )
        value = (x0 + ratio(g0, g0 - g1) * (x1 - x0))[..., 0]
        return np.where((scores.n_positive == 0) | (scores.n_negative == 0), np.nan, value)[()]

    return like(
        roc_auc,
        name="equal_error_rate",
        title="Equal error rate",
        traits=frozenset({"unmoved by the prevalence"}),
        formula="FPR where FPR = 1 - TPR",
        bounds=(0, 1),
        best=0,
        reference="fawcett2006",
        function=crossing,
    )


@family()
def interpolated_pr_area() -> Measure:
    """Area under the precision-recall curve, interpolated between thresholds like the ROC curve."""
    return like(
        average_precision,
        name="interpolated_pr_area",
        title="Interpolated PR area",
        formula="integral of the interpolated precision over recall",
        function=interpolated_area,
        influence=interpolated_pr_influence,
    )


@family("emax")
def calibration_error_max() -> Measure:
    """Largest absolute difference between probability and the curve of `integrated_calibration_index` (Emax of rms).

    It is largest at the ends, where the smoother is least certain, and its interval is wide: every curve within a band
    that holds the whole smooth curve at once (Scheffé 1953).
    """

    @of_probabilities
    @table_by_table
    def greatest(scores: ScoreTable) -> Any:
        gaps, weight = calibration_gaps(scores)
        return gaps[weight > 0].max(initial=0.0) if gaps.size else np.float64("nan")

    return like(
        calibration_error_90,
        name="calibration_error_max",
        title="Largest calibration error",
        formula="max |smooth share of positives - p|",
        reference="harrell2015",
        function=greatest,
    )


@family("coefficient_of_discrimination", "yates_slope")
def discrimination_slope() -> Measure:
    """Mean probability in positive cases minus mean probability in negative cases (Yates; Tjur's coefficient).

    Its difference between two models is the IDI, the integrated discrimination improvement. It rewards probabilities
    that are more extreme, right or not: a model that is spoilt can have a greater one (Hilden & Gerds 2014).

    >>> from classay import assess
    >>> print(assess([1, 0, 1, 0], [0.9, 0.3, 0.6, 0.2])["discrimination_slope"].value)
    0.5
    """
    of_positives, of_negatives = mean_probability_of_positives(), mean_probability_of_negatives()

    def influence(table: ScoreTable, value: float) -> Any:
        assert of_positives.influence is not None
        assert of_negatives.influence is not None
        on_positive = of_positives.influence(table, float(of_positives(table)))[0]
        return on_positive, -of_negatives.influence(table, float(of_negatives(table)))[1]

    return like(
        brier_score,
        name="discrimination_slope",
        title="Discrimination slope",
        traits=frozenset({"unmoved by the prevalence"}),
        formula="mean of p over the positives - mean of p over the negatives",
        bounds=(-1, 1),
        best=1,
        reference="pencina2008",
        undefined=(NOT_PROBABILITIES, *BOTH_CLASSES),
        function=lambda probabilities: of_positives(probabilities) - of_negatives(probabilities),
        moments=None,
        losses=None,
        influence=influence,
    )


@family()
def mean_probability_of_positives() -> Measure:
    """Mean probability in positive cases. Equal across groups with balance for the positive class."""
    return _mean_probability("positives", NO_POSITIVE_SCORES)


@family()
def mean_probability_of_negatives() -> Measure:
    """Mean probability in negative cases. Equal across groups with balance for the negative class."""
    return _mean_probability("negatives", NO_NEGATIVE_SCORES)


def _mean_probability(who: str, lacking: Condition) -> Measure:
    def moments(probabilities: ScoreTable) -> tuple[Any, Any, Any]:
        counts, p = getattr(probabilities, who), probabilities.scores.astype(np.float64)
        if not probabilities.are_probabilities:
            p = np.full_like(p, np.nan)
        return counts.sum(-1), (counts * p).sum(-1), (counts * p**2).sum(-1)

    def mean(probabilities: ScoreTable) -> Any:
        n, total, _ = moments(probabilities)
        return ratio(total, n)

    def influence(table: ScoreTable, value: float) -> Any:
        derivative = (table.scores.astype(np.float64) - value) / float(getattr(table, who).sum())
        none = np.zeros_like(derivative)
        return (derivative, none) if who == "positives" else (none, derivative)

    return like(
        brier_score,
        name=f"mean_probability_of_{who}",
        title=f"Mean probability of {who}",
        traits=frozenset({"unmoved by the prevalence"}),
        formula=f"mean of p over the {who}",
        best=None,
        reference="kleinberg2017",
        undefined=(NOT_PROBABILITIES, lacking),
        function=mean,
        moments=moments,
        losses=None,  # a mean over one class alone
        influence=influence,
    )


def _width(low: float, high: float, rate: str) -> float:
    if low >= high:
        raise InputError(f"max_{rate} must be above min_{rate}, but is {high:g} (min_{rate}: {low:g}).")
    return high - low


def _positive_cases(scores: ScoreTable) -> Any:
    if scores.positive_squares is None:
        return scores.n_positive
    return ratio(scores.n_positive**2, scores.positive_squares.sum(-1))


def _less_than_one(axis: str, cases: str, count: Any, low: float, high: float) -> Condition:
    text = (
        f"{axis} from {low:g} to {high:g} is less than one case for fewer than {1 / (high - low):g} {cases}"
    )
    return Condition(text, text, lambda scores: count(scores) * (high - low) < 1 - 1e-12)


def _from_zero(rate: Any) -> Any:
    return np.concatenate([np.zeros((*rate.shape[:-1], 1)), rate], -1)


# isort: off - the order of these imports is the order of the families

# isort: on
