"""A reader against models: the sensitivity that a score has at the reader's own specificity."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns import code_labels, match_label
from classay.columns.values import listing
from classay.comparison.cases.compare_panel import about_panel
from classay.comparison.cases.difference import How, draws_for, few_decide, of_replicates, undefined
from classay.comparison.cases.panel import CaseColumns, ModelAnswers, Panel, panel_of
from classay.comparison.cases.score_measures import ENOUGH_CLUSTERS, MOST_ROWS
from classay.comparison.comparison import Alternative, Comparison, adjusted
from classay.comparison.comparisons import Comparisons, in_direction, level_of_both
from classay.errors import InputError
from classay.inference.bootstrap.label_samples import unit_draws
from classay.inference.bootstrap.sampling import Sample
from classay.inference.design import SamplingUnits
from classay.inference.draws import DRAWS, seed_of, stream
from classay.kinds import checked
from classay.measures.registry import ratio
from classay.predictions import check
from classay.tables.sums import at_most

Array = NDArray[Any]
MEASURE = "recall_at_the_readers_specificity"


@checked
def compare_reader(
    models: Mapping[str, Any],
    y_true: Any,
    reader: Any,
    *,
    name: str = "reader",
    positive: Hashable | None = None,
    reader_positive: Hashable | None = None,
    cluster: Any = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Comparisons:
    """Compare the scores of models with a reader who gives labels, each at the reader's specificity.

    A reader is one point of sensitivity and specificity, a score a whole curve: where the curve has the reader's
    specificity, its sensitivity is compared with the reader's. The point on the curve is not chosen but taken from
    the reader, and both are computed again in each of 2,000 resamples of the cases, or of the clusters, so that the
    interval knows how uncertain the reader's own specificity is. `models` are scores by name, `reader` labels:
    those of the truth, or two others, of which `reader_positive` says which one means the positive class.
    `alternative` is "two-sided", or "greater" or "less" of the model less the reader, asked beforehand.
    Fewer than 30 clusters are not resampled: the difference has no interval then, and no test.
    Raises InputError as `compare` does, for labels that are not those of the truth, and beyond 100,000 cases.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < 0.4
    >>> score, reader = rng.normal(size=300) + 2 * y, np.where(rng.random(300) < 0.8, y, ~y)
    >>> compare_reader({"model": score}, y, reader)[0].values
    (0.8823529411764706, 0.8137254901960784)
    """
    if name in map(str, models):
        raise InputError(
            f"a model and the reader are both named {name!r}: give the reader another name (name=)."
        )
    reader = _in_words_of_the_truth(reader, name, y_true, positive, reader_positive)
    said = {str(key): ModelAnswers(score) for key, score in models.items()} | {
        name: ModelAnswers(prediction=reader)
    }
    panel = panel_of(said, y_true, positive=positive, cases=CaseColumns(cluster=cluster))
    both = level_of_both(alternative, level)
    found = compare_panel_with(panel, name, adjustment=adjustment, level=both, seed=seed_of(seed))
    return in_direction(found, alternative, adjustment, level)


def _in_words_of_the_truth(
    reader: Any, name: str, y_true: Any, positive: Hashable | None, reader_positive: Hashable | None
) -> Any:
    """The reader's labels as labels of the truth: yes and no may mean malignant and benign."""
    coded = code_labels(reader, name)
    truth = code_labels(y_true, "truth")
    if reader_positive is None and ({*coded.labels} <= {*truth.labels} or len(truth.labels) != 2):
        return reader
    if len(coded.labels) > 2:
        raise InputError(
            f"{name} has {len(coded.labels)} labels, {listing(coded.labels)}: a reader gives labels of two classes."
        )
    if reader_positive is None:
        raise InputError(
            f"{name} has the labels {listing(coded.labels)}, and the truth {listing(truth.labels)}: say which of "
            f"{name}'s means the positive class, with reader_positive={coded.labels[-1]!r} "
            f"(--reader-positive {shlex.quote(str(coded.labels[-1]))}), say."
        )
    meant = match_label(reader_positive, coded.labels)
    known = check(y_true, np.zeros(truth.codes.size), positive=positive)
    found = np.empty(coded.codes.size, object)
    found[:] = [
        None if code < 0 else known.positive if coded.labels[code] == meant else known.negative
        for code in coded.codes.tolist()
    ]
    return found


def compare_panel_with(
    panel: Panel, reader: str, *, adjustment: str = "holm", level: float = 0.95, seed: int = 0
) -> Comparisons:
    """The same of a panel, one of whose models is the reader."""
    names = [each for each in panel.names if each in panel.scores]
    if panel.positive is None or reader not in panel.predicted or not names:
        raise InputError("a reader gives labels of two classes, and the models scores: pass both.")
    if panel.n > MOST_ROWS:
        raise InputError(f"beyond {MOST_ROWS:,} cases a reader is not resampled: take a sample of the cases.")
    panel = panel.canonical()
    found = [_compared(panel, each, reader, level, seed, len(names)) for each in names]
    return Comparisons(tuple(adjusted(found, adjustment)), panel.names, about_panel(panel, ()), level, seed)


def _compared(panel: Panel, model: str, reader: str, level: float, seed: int, family: int) -> Comparison:
    called = np.equal(panel.predicted[reader], panel.labels.index(panel.positive))
    score, positive, cluster, weight = panel.scores[model], panel.is_positive, panel.cluster, panel.weight
    if panel.frequency is not None:
        rows = np.repeat(np.arange(positive.size), panel.frequency)
        called, score, positive = called[rows], score[rows], positive[rows]
        cluster = None if cluster is None else cluster[rows]
    sample = _sample(score, positive, called, weight, cluster)
    values = tuple(sample.value().tolist())
    if np.isnan(values).any():
        return undefined((model, reader), MEASURE, "a class has no cases")
    if cluster is not None and int(cluster.max()) + 1 < ENOUGH_CLUSTERS:
        why = f"resampling fewer than {ENOUGH_CLUSTERS} clusters claims too much"
        return undefined((model, reader), MEASURE, why, (values[0], values[1]))
    count = DRAWS
    drawn = sample.replicates(count, stream(seed, "reader"), None)
    if few_decide(drawn[0] - drawn[1]) and draws_for(family, level) > count:
        count = draws_for(family, level)
        drawn = sample.replicates(count, stream(seed, "reader"), None)
    kind = "bootstrap" if cluster is None else "cluster bootstrap"
    units = SamplingUnits(positive.size)
    if cluster is not None:
        units = SamplingUnits(int(cluster.max()) + 1, "clusters")
    how = How(f"percentile, paired {kind} of {count:,}", f"paired {kind} tail", ("efron1993",))
    return of_replicates(
        (model, reader), MEASURE, (values[0], values[1]), drawn[0] - drawn[1], units, how, level=level
    )


def _sample(
    score: Array, positive: Array, called: Array, weight: Array | None, cluster: Array | None
) -> Sample:
    """Draws of cases, and of each the sensitivities of the score and of the reader, `[2, replicate]`."""
    order = np.argsort(-score, kind="stable")
    ordered, positive, called = score[order], positive[order], called[order]
    last = np.append(ordered[1:] != ordered[:-1], True)

    def evaluate(drawn: Array) -> Array:
        each = drawn if cluster is None else drawn[:, cluster]
        each = each[:, order].astype(np.float64)
        if weight is not None:
            each *= weight[order]
        of_positive = np.where(positive, each, 0.0)
        of_negative = each - of_positive
        tp, fp = np.cumsum(of_positive, 1)[:, last], np.cumsum(of_negative, 1)[:, last]
        target = (of_negative * called).sum(1)
        total = tp[:, -1]
        return np.stack([ratio(reached(tp, fp, target), total), ratio((of_positive * called).sum(1), total)])

    draws, width = unit_draws(positive.size, cluster)
    return Sample(draws, evaluate, 4 * width, ((0, draws.units),), clusters=cluster is not None)


def reached(tp: Array, fp: Array, target: Array) -> Array:
    """True positives where a curve has so many false ones, `(replicates,)`; straight between its points.

    `tp` and `fp` are cumulated down the scores, `[replicate, score]`. Of several points with as many false
    positives the one with most true ones counts.

    >>> reached(np.array([[1.0, 1.0, 3.0]]), np.array([[0.0, 1.0, 3.0]]), np.array([2.0]))
    array([2.])
    """
    near = at_most(fp, target[:, None])
    left_tp, left_fp = np.where(near, tp, 0.0).max(1), np.where(near, fp, 0.0).max(1)
    right_tp, right_fp = np.where(near, np.inf, tp).min(1), np.where(near, np.inf, fp).min(1)
    inside = np.isfinite(right_fp)
    share = np.where(inside, ratio(target - left_fp, np.where(inside, right_fp, 1.0) - left_fp), 0.0)
    return np.asarray(left_tp + share * (np.where(inside, right_tp, left_tp) - left_tp))
