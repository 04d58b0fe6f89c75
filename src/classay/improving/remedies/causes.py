"""Causes: why a learner errs, each claimed only where the data show it, with the numbers that it rests on.

A cause is shown by a remedy that removes it, not by a look at the decomposition alone: a bootstrap of the same rows
shares their noise, so that one nearest neighbour of noisy labels looks biased where it is unstable. The decomposition,
the gap and the class shares say which remedies to try, and what a success is evidence of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from classay.improving.extrapolation import Extrapolation
from classay.improving.learning_curve import LearningCurve
from classay.improving.remedies.evidence import BALANCED, LOSS, Evidence, Trial, most
from classay.inference.estimate import Estimate, number, said
from classay.inference.words import p_equation, title

SUSPECTED = 0.1
"""A part of the loss from which on it is worth trying what helps against it, and a fall of the curve worth telling."""
MATERIAL = 0.25
"""A part of the loss below which a gain is too small to matter, and from which on a part matters."""
FEWEST = 2
"""Richer learners that must have been tried before what is left is called noise."""
TITLES = {
    "noise": "noise or a lack of telling features",
    "variance": "variance",
    "bias": "bias",
    "imbalance": "imbalance of the classes",
}


@dataclass(frozen=True)
class Cause:
    """Why a learner errs: "noise", "variance", "bias" or "imbalance", and the sentences that show it."""

    name: str
    evidence: tuple[str, ...]

    @property
    def title(self) -> str:
        """The cause in words."""
        return TITLES[self.name]


def suspected(found: Evidence) -> tuple[str, ...]:
    """The causes whose remedies are worth trying, by the decomposition, the gap and the class shares."""
    scheme, terms = found.before.schemes[0], found.before.terms
    loss = terms["loss"].value
    causes = []
    if found.has_gap or terms[scheme.variance].value > SUSPECTED * loss > 0:
        causes.append("variance")
    if terms[scheme.bias].value > SUSPECTED * loss > 0:
        causes.append("bias")
    if found.classes.is_neglected:
        causes.append("imbalance")
    return tuple(causes)


def untried(found: Evidence) -> tuple[str, ...]:
    """The suspected causes against which nothing was tried: while there are any, what is left is not called noise."""
    tried = {each.remedy.against for each in found.trials}
    return tuple(each for each in suspected(found) if each not in tried)


def causes_of(found: Evidence) -> tuple[Cause, ...]:
    """The causes that are shown, by what a remedy brought first; none where the data do not carry any."""
    if nothing := _no_signal(found):
        return (Cause("noise", nothing),)
    named = (
        ("variance", _variance(found)),
        ("bias", _bias(found)),
        ("imbalance", _imbalance(found)),
        ("noise", _rest_is_noise(found)),
    )
    return tuple(Cause(name, evidence) for name, evidence in named if evidence)


def _no_signal(found: Evidence) -> tuple[str, ...]:
    """No model is better than the majority class, and none can be by much."""
    if not found.standing.comparisons or found.standing.ahead or untried(found):
        return ()
    room = {LOSS: found.baseline, BALANCED: 1 - 1 / len(found.before.labels)}
    if any(found.standing.most(measure) >= MATERIAL * room[measure] for measure in room):
        return ()
    less, more = (number(found.standing.most(measure)) for measure in room)
    models = len({each.models[0] for each in found.standing.comparisons})
    others = "the one remedy that was tried" if models == 2 else f"any of {models - 1} remedies"
    who = f"Neither {found.learner} nor {others} is" if models > 1 else f"{found.learner} is not"
    return (
        f"{who} shown to predict better than always saying the most frequent class, whose error rate is "
        f"{number(found.baseline)}: the intervals leave room for an error rate lower by {less} and a balanced accuracy "
        f"higher by {more}, no more.",
    )


def _variance(found: Evidence) -> tuple[str, ...]:
    """A remedy against variance helps a learner that does better on its own cases; or the learner shows it alone."""
    if not found.has_gap:
        return ()
    helping = [gained(each) for each in _helping(found, "variance")]
    if helping:
        return (_of_gap(found), *helping)
    alone = _shows_itself(found)
    return (_of_gap(found), *alone) if alone else ()


def _shows_itself(found: Evidence) -> tuple[str, ...]:
    """Variance shown without a remedy: the gap is a large part of the loss, and more cases take much of it away.

    Only of a learner that is better than the baseline, and where no remedy against bias explains the gap. A gap alone
    is not enough: a forest has one on any data, because its trees hold the very cases.
    """
    is_own = found.standing.beats(found.learner) and not _helping(found, "bias")
    if not is_own or found.gap.value < found.loss.value / 2:
        return ()
    return (*_unstable(found), *_falling(found))


def _unstable(found: Evidence) -> Iterator[str]:
    """The predictions differ between training sets, which costs a large part of the loss."""
    terms = found.before.terms
    part, loss = terms[found.before.schemes[0].variance], terms["loss"]
    if _is_above_zero(part) and part.value >= MATERIAL * loss.value:
        yield (
            f"Its predictions vary between bootstrap training sets: net variance is {said(part)} of a loss of "
            f"{number(loss.value)}."
        )


def _falling(found: Evidence) -> Iterator[str]:
    """The learning curve still falls where the cases end, and its extrapolation, where there is one, goes on to."""
    points = () if found.curve is None or _levels_off(found.curve) else found.curve.points
    half = [each for each in points if each.size <= points[-1].size / 2]
    if not half:
        return
    few, all_of = half[-1], points[-1]
    if few.test.value - all_of.test.value >= SUSPECTED * all_of.test.value > 0:
        yield (
            f"With {few.size:,} training cases it errs in {number(few.test.value)} of new ones, with "
            f"{all_of.size:,} in {number(all_of.test.value)}: the error still falls as cases are added."
        )


def _levels_off(curve: LearningCurve) -> bool:
    """Whether twice the cases are not shown to help, by an extrapolation that holds."""
    beyond = curve.extrapolation
    return isinstance(beyond, Extrapolation) and not (beyond.change.has_interval and beyond.change.high < 0)


def _bias(found: Evidence) -> tuple[str, ...]:
    """A freer learner helps one that errs nearly as often on the cases it was fitted to."""
    if found.training < found.loss.value / 2:
        return ()
    helping = tuple(gained(each) for each in _helping(found, "bias"))
    if not helping:
        return ()
    own = (
        f"{found.learner} errs in {number(found.training)} of the cases it was fitted to, and in "
        f"{number(found.loss.value)} of new ones: it cannot say more than it does."
    )
    return (own, *helping)


def _imbalance(found: Evidence) -> tuple[str, ...]:
    """What makes the rare class count helps."""
    helping = tuple(gained(each) for each in _helping(found, "imbalance"))
    if not helping or not found.classes.is_neglected:
        return ()
    rare = found.classes
    own = (
        f"Class {rare.rarest} has {100 * rare.share:.1f} % of the cases. {found.learner} finds {number(rare.recall)} "
        f"of them, where it predicts {number(rare.accuracy)} of all cases right."
    )
    return (own, *helping)


def _rest_is_noise(found: Evidence) -> tuple[str, ...]:
    """Of the best model no freer one takes off much: what it errs in is noise, or beyond all that was tried."""
    against = {each.name for each in found.trials if each.remedy.against == "bias"}
    others = [each for each in found.to_best if each.models[0] in against]
    if len(others) < FEWEST or not _is_above_zero(found.loss):
        return ()
    rate = next((each.values[1] for each in others if each.values), float("nan"))
    possible = max(most(each) for each in others)
    if not possible < MATERIAL * rate:
        return ()
    tried = ", ".join(each.models[0].replace("_", " ") for each in others)
    return (
        f"The error rate of {found.best} is {number(rate)}, and richer learners ({tried}) may lower it by "
        f"{number(max(possible, 0.0))} at most, as their intervals show. The rest is noise, or beyond these features.",
    )


def _helping(found: Evidence, cause: str) -> list[Trial]:
    """The remedies against a cause that are shown to help, the best first."""
    helping = [each for each in found.trials if each.helps and each.remedy.against == cause]
    return sorted(helping, key=lambda each: -each.gain.value)


def gained(trial: Trial) -> str:
    """What a remedy brought, in a sentence."""
    made = "lowers" if trial.remedy.measure == LOSS else "raises"
    found, p = trial.comparison, trial.comparison.p_adjusted
    before = f" from {number(found.values[1])}" if len(found.values) > 1 else ""
    return (
        f"{trial.remedy.title} {made} the {title(found.measure)}{before} by {said(trial.gain)}, "
        f"adjusted {p_equation(found.p if p is None else p)}."
    )


def _of_gap(found: Evidence) -> str:
    if found.is_never_wrong_on_its_own:
        return (
            f"{found.learner} is never wrong about the cases it was fitted to, in any fold, and errs in "
            f"{said(found.loss)} of new ones."
        )
    return (
        f"{found.learner} errs in {number(found.training)} of the cases it was fitted to, and in "
        f"{number(found.loss.value)} of new ones, a gap of {said(found.gap)}."
    )


def _is_above_zero(found: Estimate) -> bool:
    return found.has_interval and found.low > 0
