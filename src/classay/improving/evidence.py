"""Evidence: what the folds show of a learner, its remedies and the baseline; labels that contradict their cases.

Labels that contradict what cross-validation expects of their cases, beyond chance: wrong labels, as against overlap.

Where classes overlap, the labels of cases contradict each other near the boundary, and less and less far from it. Where
labels were swapped, a share of them is wrong wherever their case lies. So the label of a class is held against the
scores s that models gave it out of fold, by

    P(label | s) = γ + (1 − γ − λ) / (1 + exp(−a − b s − c asinh s)),   b, c ≥ 0,

in which λ is the share of cases that are of the class and labelled otherwise, wherever they lie, and γ that of other
cases labelled so: the lapses of a psychometric function (Wichmann & Hill 2001, Perception & Psychophysics 63:1293).
λ = 0 is overlap. asinh lets the scores flatten, as those of models that are too sure of themselves do. The statistic is
the likelihood ratio, half a χ² with one degree of freedom, because λ cannot be below 0. As in confident learning
(Northcutt, Jiang & Chuang 2021, JAIR 70:1373), a case is in doubt where its own score makes a lapse likelier than not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.comparison.comparison import BASELINE, Comparison, ahead
from classay.improving.decomposition import Decomposition
from classay.improving.learning_curve import LearningCurve
from classay.improving.new_cases import NewCases
from classay.improving.remedies import Remedy
from classay.inference.estimate import Estimate, direction
from classay.measures import get
from classay.resampling.evaluation import Evaluation
from classay.resampling.folds import by_repeat, corrected_interval
from classay.resampling.model_folds import ModelFolds
from classay.resampling.run_store import inner_threads
from classay.tables.sums import at_least, at_most, rounded_difference

Array = NDArray[Any]
SURE = 0.001
"""Level, over all classes, at which labels are called doubtful."""
LIKELY = 0.8
"""Probability of a wrong label from which on a case is listed."""
FEWEST = 5
"""Cases that must be listed before labels are called doubtful."""
MOST = 0.45
"""Share of wrong labels in a class at most: with more of them nobody knows which are the wrong ones."""
EDGE = 1e-4
"""Probabilities nearer to 0 and 1 count as this."""
FAR = 50.0
"""Bound of the line of calibration, which has no end where logits part right from wrong."""


@dataclass(frozen=True, eq=False)
class Contradictions:
    """Which class has labels that contradict the scores, how many of them, and of which cases.

    `classes` are `(label, share, p)`: cases that look like this class, and the share of them that are labelled
    otherwise wherever they lie. `rows` are the cases in doubt, the most doubtful first, and `chances` the probability
    of each that its label is wrong.
    """

    model: str
    classes: tuple[tuple[Any, float, float], ...]
    rows: Array
    chances: Array

    @property
    def is_shown(self) -> bool:
        """Whether the labels contradict the scores more than overlap and chance would."""
        return bool(self.classes) and self.rows.size >= FEWEST

    @property
    def false_alarms(self) -> float:
        """How many of the cases listed are expected to be labelled rightly."""
        return float((1 - self.chances).sum())


def contradictions_in(e: Evaluation, models: tuple[str, ...]) -> Contradictions:
    """Labels in doubt, by the scores of the model that explains the labels best, with lapses."""
    cases = e.runs[0].cases
    scored = {name: scores_of(folds) for _, name, folds in e.model_folds() if name in models}
    chance, contradicted = np.zeros(cases.rows), []
    with inner_threads(cases.rows):
        fits = {
            name: [_fit(scores[:, k], cases.truth == k, (MOST, MOST)) for k in range(scores.shape[1])]
            for name, scores in scored.items()
            if scores is not None
        }
        model = min(fits, key=lambda name: sum(fit.fun for fit in fits[name]), default="")
        scores = scored.get(model)
        for k in range(0 if scores is None else len(cases.labels)):
            assert scores is not None
            p, share, doubt = _lapses(scores[:, k], cases.truth == k, fits[model][k])
            if p * len(cases.labels) < SURE:
                contradicted.append((cases.labels[k], share, p * len(cases.labels)))
                chance = np.maximum(chance, doubt)
    rows = np.flatnonzero(chance >= LIKELY)
    rows = rows[np.argsort(-chance[rows], kind="stable")]
    return Contradictions(model, tuple(contradicted), rows, chance[rows])


def scores_of(folds: ModelFolds) -> Array | None:
    """The mean score of each case for each class over the folds that tested it, `(rows, classes)`, in units of logits.

    Decision values are divided by their spread; None where a case has no score.
    """
    cases, code = folds.cases, folds.cases.positive_code
    sums = np.zeros((cases.rows, len(cases.labels)))
    times = np.zeros(cases.rows)
    for place, result in zip(folds.places, folds.results, strict=True):
        if result.scores is None or (result.scores.ndim == 2 and not np.isfinite(result.scores).all()):
            return None
        scores = np.asarray(result.scores, float)
        if result.kind_of_score == "probability":
            scores = np.clip(scores, EDGE, 1 - EDGE)
            scores = np.log(scores) - np.log1p(-scores)
        elif scores.ndim == 2:
            others = np.where(np.eye(scores.shape[1], dtype=bool), -np.inf, scores[:, None, :]).max(-1)
            scores = scores - others
        if scores.ndim == 1:
            sides = np.stack([-scores, scores], 1)
            scores = sides if code == 1 else sides[:, ::-1]
        sums[place.test] += scores
        times[place.test] += 1
    if not times.all():
        return None
    means = sums / times[:, None]
    if folds.results and folds.results[0].kind_of_score == "decision":
        means = means / max(float(means.std()), 1e-12)
    return means


def _lapses(score: Array, is_class: Array, free: Any) -> tuple[float, float, Array]:
    """Return the p-value of λ > 0, λ, and each case's probability to be of the class although it is labelled otherwise.

    `free` is the fit with both lapses.
    """
    from scipy.special import expit
    from scipy.stats import chi2

    overlap = _fit(score, is_class, (MOST, 0.0))
    p = float(chi2.sf(max(2 * (overlap.fun - free.fun), 0.0), 1)) / 2
    a, b, c, gamma, lapse = free.x
    inside = expit(a + b * score + c * np.arcsinh(score))
    of_class = gamma + (1 - gamma - lapse) * inside
    doubt = np.where(is_class, 0.0, lapse * inside / np.maximum(1 - of_class, 1e-12))
    return p, float(lapse), doubt


def _fit(score: Array, is_class: Array, most: tuple[float, float]) -> Any:
    """Return the curve of highest likelihood with γ and λ up to these; `fun` is its negative logarithm."""
    from scipy.optimize import minimize
    from scipy.special import expit

    basis = np.stack([np.ones_like(score), score, np.arcsinh(score)], 1)
    y = is_class.astype(float)

    def loss(t: Array) -> tuple[float, Array]:
        inside = expit(basis @ t[:3])
        spread = 1 - t[3] - t[4]
        p = np.clip(t[3] + spread * inside, 1e-9, 1 - 1e-9)
        slope = (1 - y) / (1 - p) - y / p
        value = -float((y * np.log(p) + (1 - y) * np.log1p(-p)).sum())
        on_basis = basis.T @ (slope * spread * inside * (1 - inside))
        return value, np.r_[on_basis, (slope * (1 - inside)).sum(), -(slope * inside).sum()]

    bounds = [(None, None), (0, None), (0, None), (0, most[0]), (0, most[1])]
    starts = [(0.0, 1.0, 0.0, 0.05, 0.05), (0.0, 0.3, 0.3, 0.01, 0.01)]
    fits = [
        minimize(loss, [*start[:3], *np.minimum(start[3:], most)], jac=True, bounds=bounds, method="L-BFGS-B")
        for start in starts
    ]
    return min(fits, key=lambda fit: fit.fun)


def is_miscalibrated(folds: ModelFolds) -> bool:
    """Check whether the probabilities of a learner are shown to be wrong, at 1%: by those of its most likely class.

    Being right is held against the logit of that probability, by the likelihood ratio of a line against the identity
    (Cox 1958, Biometrika 45:562).
    """
    from scipy.optimize import minimize
    from scipy.special import expit
    from scipy.stats import chi2

    scores = scores_of(folds)
    if scores is None or folds.results[0].kind_of_score != "probability":
        return False
    top = scores.argmax(1)
    basis = np.stack([np.ones(top.size), scores[np.arange(top.size), top]], 1)
    y = (top == folds.cases.truth).astype(float)

    def loss(line: Array) -> tuple[float, Array]:
        z = basis @ line
        return float((np.logaddexp(0, z) - y * z).sum()), basis.T @ (expit(z) - y)

    identity = np.array([0.0, 1.0])
    fit = minimize(loss, identity, jac=True, method="L-BFGS-B", bounds=[(-FAR, FAR)] * 2)
    return float(chi2.sf(max(2 * (loss(identity)[0] - fit.fun), 0.0), 2)) < 0.01


LOSS, BALANCED = "error_rate", "balanced_accuracy"
MATERIAL_GAIN = 0.2
"""A part of the loss that a remedy must take away to show a cause."""
LOW_SHARE = 0.4
"""A class is rare below this share of what it would have among classes of one size: 20% of two, 4% of ten."""


def gain(comparison: Comparison) -> Estimate:
    """By how much the first model is better than the second: above 0 whichever end of the measure is the better one."""
    effect = comparison.effect
    if effect is None:
        return Estimate.undefined(comparison.reason or "there is no difference to be seen")
    if direction(comparison.measure) >= 0 or effect.is_undefined:
        return effect
    value, low, high = (0.0 - limit for limit in (effect.value, effect.high, effect.low))  # no -0
    return Estimate(value, low, high, effect.level, effect.method, effect.reason)


def most(comparison: Comparison) -> float:
    """Return the largest gain inside the interval: 0 for equal predictions, infinite without an interval."""
    found_gain = gain(comparison)
    if found_gain.has_interval:
        return found_gain.high
    return 0.0 if found_gain.value == 0 and comparison.p == 1 else float("inf")


@dataclass(frozen=True)
class Trial:
    """A remedy beside the learner on the same folds: the value of each, and the test of their difference.

    The effect of `comparison` is the remedy's value less the learner's, in the measure of the remedy; its p-value is
    adjusted for all remedies that were tried, with the weights of `weight_of`.
    """

    remedy: Remedy
    comparison: Comparison

    @property
    def name(self) -> str:
        """The name of the remedy."""
        return self.remedy.name

    @property
    def is_material(self) -> bool:
        """Whether the remedy removes a fair part of the learner's loss; in other measures every gain counts."""
        values = self.comparison.values
        if self.remedy.measure != LOSS or len(values) < 2:
            return True
        return bool(at_least(self.gain.value, MATERIAL_GAIN * values[1]))

    @property
    def helps(self) -> bool:
        """Whether the remedy is shown to be better than the learner."""
        return ahead(self.comparison) == self.name

    @property
    def gain(self) -> Estimate:
        """By how much the remedy is better: above 0 where it helps, whichever end of the measure is the better one."""
        return gain(self.comparison)


WEIGHT_SPOKEN_FOR, WEIGHT_SUSPECTED = 8.0, 4.0
"""What a remedy counts for in Holm's procedure, where others count for 1; see `weight_of`."""


def errs_on_its_own(training: float, loss: float) -> bool:
    """Whether a learner errs at least half as often on the cases it was fitted to as on new ones: bias, if anything."""
    return not rounded_difference(loss / 2, training) > 0


def weight_of(remedy: Remedy, findings: Sequence[tuple[str, str]], part: str) -> float:
    """Return what a remedy counts for in Holm's procedure, by what is known before any remedy is fitted.

    Most of all a preparation that the columns speak for; then other preparations, class weights, which are tried only
    for a neglected class, and the setting against the `part` of the error that the training cases point to.
    """
    if remedy.stage == "columns" and remedy.name in dict(findings):
        return WEIGHT_SPOKEN_FOR
    is_first = remedy.stage in ("columns", "classes")
    return WEIGHT_SUSPECTED if is_first or (remedy.stage == "settings" and remedy.against == part) else 1.0


@dataclass(frozen=True)
class AgainstBaseline:
    """The learner and its remedies, each compared with the majority baseline, adjusted by Holm in each measure."""

    comparisons: tuple[Comparison, ...]

    def beats(self, model: str) -> bool:
        """Check whether a model is shown to be better than the baseline in either measure."""
        return any(
            ahead(comparison) == model for comparison in self.comparisons if comparison.models[0] == model
        )

    @property
    def ahead(self) -> tuple[str, ...]:
        """The models that are."""
        return tuple(
            name
            for name in dict.fromkeys(comparison.models[0] for comparison in self.comparisons)
            if self.beats(name)
        )

    def most(self, measure: str) -> float:
        """Return the largest gain over the baseline that the intervals leave possible for any model."""
        return max(most(comparison) for comparison in self.comparisons if comparison.measure == measure)


def in_full(e: Evaluation) -> Evaluation:
    """Return the models that were fitted in all folds; those dropped after the first repeat give no bound."""
    (run,) = e.runs
    kept = {name: results for name, results in run.results.items() if None not in results}
    return replace(e, runs=(replace(run, results=kept),))


def standing_of(e: Evaluation) -> AgainstBaseline:
    """Return the learner and its remedies beside the baseline, in the error rate and in balanced accuracy."""
    full = in_full(e)
    comparisons = [
        comparison
        for measure in (LOSS, BALANCED)
        for comparison in full.compare([measure], control=BASELINE, seed=e.seed)
    ]
    return AgainstBaseline(tuple(comparisons))


@dataclass(frozen=True)
class Room:
    """What could still be gained: the best of strong learners of other kinds beside the best that is known.

    `best` has the lowest error rate of `rivals`; `gain` is by how much that is lower than the one of `than`, and its
    upper limit the largest of all rivals, so that it holds for the best of them.
    """

    than: str
    rate: float
    rivals: tuple[str, ...]
    best: str
    gain: Estimate

    @property
    def most(self) -> float:
        """The largest gain that the intervals leave possible."""
        return max(self.gain.high, 0.0) if self.gain.has_interval else float("inf")


def room_of(comparisons: Sequence[Comparison], rivals: Sequence[str], than: str) -> Room | None:
    """Return the room that rivals leave, of their comparisons with the best model; None without rivals."""
    to_rivals = [
        comparison for comparison in comparisons if comparison.models[0] in rivals and comparison.values
    ]
    if not to_rivals:
        return None
    best = max(to_rivals, key=lambda comparison: gain(comparison).value)
    gain_of_best = gain(best)
    limits = [most(comparison) for comparison in to_rivals]
    bounded_gain = (
        Estimate(gain_of_best.value, gain_of_best.low, max(limits), gain_of_best.level, gain_of_best.method)
        if max(limits) < float("inf")
        else gain_of_best
    )
    return Room(
        than,
        best.values[1],
        tuple(comparison.models[0] for comparison in to_rivals),
        best.models[0],
        bounded_gain,
    )


def last_fall_of(curve: LearningCurve | None) -> tuple[int, float] | None:
    """Return the size of a curve at half of the cases, and by how much the error falls from it to all of them.

    It is the largest size that is at most half of the cases, rounded up. None of a curve that starts above.
    """
    at = {} if curve is None else {point.size: point.test.value for point in curve.points}
    half = max((size for size in at if size <= -(-max(at) // 2)), default=None)
    return None if half is None or half == max(at) else (half, at[half] - at[max(at)])


DOUBLINGS = 3
"""Doublings of the training cases, up to all of them, over which the fall of the error is tested."""


def falling_of(curve: LearningCurve | None) -> Estimate | None:
    """By how much the error falls with each doubling of the training cases, over the last three; None of one size.

    The slope of the error rate on the logarithm of the size, by least squares in each fold, with the interval of the
    corrected resampled t: all sizes together show a fall that two of them may not.
    """
    if curve is None:
        return None
    kept = [k for k, size in enumerate(curve.sizes) if size >= curve.sizes[-1] // 2**DOUBLINGS]
    evaluations = [curve.evaluations[k] for k in kept]
    folds = [next(folds for _, name, folds in e.model_folds() if name != BASELINE) for e in evaluations]
    if len(kept) < 2 or len({len(model_folds.places) for model_folds in folds}) > 1 or not folds[-1].places:
        return None
    doublings = np.log2([curve.sizes[k] for k in kept])
    weights = doublings - doublings.mean()
    weights /= -(weights @ weights)
    measure = get(LOSS)
    fold_slopes = weights @ [of.values(measure) for of in folds]
    value = float(weights @ [of.pooled(measure) for of in folds])
    slopes = weights @ [of.class_slopes(measure) for of in folds]
    return _over_folds(fold_slopes, value, folds[-1], evaluations[-1], slopes)


def gap_of(folds: ModelFolds, e: Evaluation) -> Estimate:
    """Return the error rate on new cases minus that on the training cases, by the corrected resampled t."""
    measure = get(LOSS)
    training = folds.training_values(measure)
    if isinstance(training, str):
        return Estimate.undefined(training)
    value = folds.pooled(measure) - folds.training(measure)
    slopes = folds.class_slopes(measure) - folds.training_slopes(measure)
    return _over_folds(folds.values(measure) - training, value, folds, e, slopes)


def _over_folds(
    fold_values: Array, value: float, folds: ModelFolds, e: Evaluation, slopes: Array
) -> Estimate:
    """Return a difference of error rates with the interval of the corrected resampled t, by its value in each fold."""
    at = (np.array([getattr(place, name) for place in folds.places]) for name in ("repeat", "fold"))
    centred = by_repeat(fold_values - fold_values.mean() + value, *at)
    hidden = folds.classes.hidden(slopes)
    interval = corrected_interval(centred, e.protocol.overlap(folds), e.level, (-1.0, 1.0), hidden)
    return (
        Estimate.bare(value, interval)
        if isinstance(interval, str)
        else Estimate(value, *interval[:2], e.level, interval[2])
    )


@dataclass(frozen=True, eq=False)
class RarestClass:
    """How the classes are shared out, and how the learner does on the rarest of them."""

    rarest: str
    share: float
    recall: float
    accuracy: float

    is_rare: bool

    @classmethod
    def of(cls, folds: ModelFolds) -> RarestClass:
        """Of the test cases of all folds together."""
        matrix = np.asarray(folds.matrices.counts, np.float64).sum(0)
        totals = matrix.sum(0)
        k = int(at_most(totals, totals.min()).argmax())
        share = float(totals[k] / totals.sum())
        return cls(
            str(folds.cases.labels[k]),
            share,
            float(matrix[k, k] / totals[k]) if totals[k] else float("nan"),
            float(np.trace(matrix) / totals.sum()),
            rounded_difference(LOW_SHARE / totals.size, share) > 0,
        )

    @property
    def is_neglected(self) -> bool:
        """Whether the rarest class is rare, and recalled less often than the cases at large are predicted right."""
        return self.is_rare and rounded_difference(self.accuracy, self.recall) > 0


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that the causes are read from."""

    learner: str
    loss: Estimate
    training: float
    gap: Estimate
    before: Decomposition
    classes: RarestClass
    baseline: float
    curve: LearningCurve | None = None
    trials: tuple[Trial, ...] = ()
    standing: AgainstBaseline = AgainstBaseline(())
    to_best: tuple[Comparison, ...] = ()
    """The other models, each minus the best one; empty where nothing was tried."""
    best: str = ""
    advised: Trial | None = None
    room: Room | None = None
    falling: Estimate | None = None
    last_fall: tuple[int, float] | None = None
    findings: tuple[tuple[str, str], ...] = ()
    doubts: Contradictions | None = None
    drift: NewCases | None = None
    choices: tuple[tuple[str, str], ...] = ()
    folds: ModelFolds | None = None

    @property
    def is_miscalibrated(self) -> bool:
        """Whether the learner's probabilities are shown to be wrong."""
        return self.folds is not None and is_miscalibrated(self.folds)

    @property
    def is_never_wrong_on_its_own(self) -> bool:
        """Whether no fold's model errs on any case that it was fitted to."""
        return self.training == 0

    @property
    def has_gap(self) -> bool:
        """Whether the learner is shown to err more often on new cases than on those it was fitted to.

        By the interval of the gap. Where the learner is never wrong about its own cases none is needed: the gap is
        the error rate itself, which one error on a new case shows to be above 0.
        """
        if self.is_never_wrong_on_its_own:
            return self.loss.value > 0
        return self.gap.has_interval and self.gap.low > 0
