"""Causes: why a learner errs, each claimed only where the data show it, and the verdict in sentences.

A cause is shown by a remedy that removes it, not by a look at the decomposition alone: a bootstrap of the same rows
shares their noise, so that one nearest neighbour of noisy labels looks biased where it is unstable. The decomposition,
the gap and the class shares say which remedies to try, and what a success is evidence of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from classay.columns.values import listing
from classay.comparison.comparison import BASELINE, ahead
from classay.improving.evidence import BALANCED, LOSS, Evidence, Trial, errs_on_its_own, most
from classay.improving.learning_curve import LearningCurve
from classay.improving.training_sets import Extrapolation
from classay.inference.estimate import Estimate, number, p_equation, said, title
from classay.measures import get
from classay.tables.sums import at_least, rounded_difference
from classay.texts import some

SUSPECTED = 0.1
"""A part of the loss from which on it is worth trying what helps against it, and what twice the cases bring is much."""
MATERIAL = 0.25
"""A part of the loss below which a gain is too small to matter, and from which on a part matters."""
LITTLE = 1 / 3
"""A part of the loss below which what could still be gained is little."""
GREATER = 1 / 2
"""A part of the loss below which what could still be gained leaves the greater part to noise."""
FEWEST = 2
"""Richer learners that must have been tried before what is left is called noise."""
TITLES = {
    "drift": "drift of the new cases",
    "missing_codes": "a code of missing values",
    "categories": "a category coded as a number",
    "scale": "features of unlike scale",
    "irrelevant_features": "irrelevant features",
    "labels": "wrong labels",
    "few_cases": "too few cases",
    "miscalibration": "miscalibration",
    "noise": "noise or a lack of telling features",
    "variance": "variance",
    "bias": "bias",
    "imbalance": "imbalance of the classes",
}
PLURAL = ("scale", "irrelevant_features", "labels", "few_cases")
"""Causes whose titles are plural."""


@dataclass(frozen=True)
class Cause:
    """Why a learner errs, a name of `TITLES`, and the sentences that show it."""

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
    if found.is_miscalibrated:
        causes.append("miscalibration")
    return tuple(causes)


def untried(found: Evidence) -> tuple[str, ...]:
    """The suspected causes against which nothing was tried: while there are any, what is left is not called noise."""
    tried = {each.remedy.against for each in found.trials}
    return tuple(each for each in suspected(found) if each not in tried and each != "miscalibration")


def causes_of(found: Evidence) -> tuple[Cause, ...]:
    """The causes that are shown, by what a remedy brought first; none where the data do not carry any."""
    drift = [Cause("drift", told)] if (told := _drift(found)) else []
    if nothing := _no_signal(found):
        return (*drift, Cause("noise", nothing))
    of_remedies = [*_of_columns(found), *_of_parts(found)]
    few = [] if of_remedies or found.advised is not None else _few_cases(found)
    noise = () if few or _may_still_fall(found) or _unsettled(found) else _rest_is_noise(found)
    named = [
        *of_remedies,
        *few,
        ("imbalance", _imbalance(found)),
        ("miscalibration", _miscalibration(found)),
        ("labels", _labels(found)),
        ("noise", noise),
    ]
    shown = [Cause(name, evidence) for name, evidence in named if evidence]
    if not (of_remedies or few or noise) and found.advised is None:
        shown += [Cause("variance", evidence)] if (evidence := _shows_itself(found)) else []
    return (*drift, *shown)


Named = tuple[str, tuple[str, ...]]


def _drift(found: Evidence) -> tuple[str, ...]:
    """The new cases are harder than those of the folds."""
    drift = found.drift
    if drift is None or not drift.is_shown:
        return ()
    own = (
        f"{found.learner} errs in {said(drift.error)} of {drift.rows:,} new cases, and in {number(drift.known)} of "
        f"those of the folds, {p_equation(drift.p)}."
    )
    if drift.moved:
        return (own, f"These features have another distribution there: {some(drift.moved)}.")
    if drift.shares_p < SHARES_MOVED:
        return (own, "The classes have other shares there.")
    return (
        own,
        "No feature is shown to have another distribution there, nor the classes other shares: what the features say "
        "of the class may have changed.",
    )


def _moved(found: Evidence) -> Iterator[str]:
    """Features whose distribution differs in the new cases, if the learner is not shown to err more often there."""
    drift = found.drift
    if drift is not None and drift.moved and not drift.is_shown:
        have = "has" if len(drift.moved) == 1 else "have"
        yield (
            f"In the {drift.rows:,} new cases {listing(drift.moved)} {have} another distribution; "
            f"that {found.learner} errs more often there is not shown: {said(drift.error)}, and in "
            f"{number(drift.known)} of those of the folds, {p_equation(drift.p)}."
        )


SHARES_MOVED = 0.01
"""Level at which the shares of the classes are said to have moved."""


def _of_columns(found: Evidence) -> list[Named]:
    """The advised preparation of the columns, if it removes a fair part of the loss."""
    best = found.advised
    if best is None or best.remedy.stage != "columns" or not _is_fair(found, best):
        return []
    looked = [sentence for name, sentence in found.findings if name == best.name]
    return [(best.remedy.against, (*looked, _brought(found, best)))]


def _is_fair(found: Evidence, trial: Trial) -> bool:
    """Whether a remedy removes a fair part of the loss; if most of the loss is noise, of what is left to gain."""
    if trial.is_material:
        return True
    gains = [each.gain.value for each in found.trials if each.remedy.measure == LOSS]
    most_of_all = max(value for value in gains if not isnan(value))
    return bool(at_least(trial.gain.value, max(SUSPECTED * found.loss.value, most_of_all / 2)))


def _unsettled(found: Evidence) -> list[Trial]:
    """Preparations that the columns speak for, and that may be what helps, but are not shown to be.

    They bring half as much as the other remedy that is advised: then the success of that one may have its cause in the
    columns, and is evidence neither of bias or variance nor of noise. Or nothing is advised, and they bring a tenth of
    the loss.
    """
    best, spoken = found.advised, {name for name, _ in found.findings}
    if best is not None and best.remedy.stage == "columns":
        return []
    enough = SUSPECTED * found.loss.value if best is None else best.gain.value / 2
    own = (each for each in found.trials if each.name in spoken and each.remedy.measure == LOSS)
    return [each for each in own if at_least(each.gain.value, enough) and enough > 0]


def _of_parts(found: Evidence) -> list[Named]:
    """Variance or bias, as the advised remedy shows; as the others show, if that one bears on neither."""
    best = found.advised
    if best is None or best.remedy.stage == "columns" or _unsettled(found):
        return []
    order = sorted(
        (("variance", _variance), ("bias", _bias)), key=lambda each: each[0] != best.remedy.against
    )
    for name, of in order:
        if evidence := of(found):
            return [(name, evidence)]
    return []


def _few_cases(found: Evidence) -> list[Named]:
    """Too few cases: no remedy is shown to help the learner, and its error still falls at the largest size."""
    few = tuple(_falling(found)) if found.has_gap else ()
    return [("few_cases", (_of_gap(found), *few))] if few else []


def _may_still_fall(found: Evidence) -> bool:
    """Whether the error falls by a fair part from half of the cases to all, so that the rest is not all noise.

    Unless a power law that holds says that it levels off.
    """
    last = found.last_fall
    falls = last is not None and at_least(last[1], FALL * found.loss.value)
    return bool(falls and not _levels_off(found))


def _miscalibration(found: Evidence) -> tuple[str, ...]:
    """A calibration is shown to help."""
    helping = _helping(found, "miscalibration")
    return tuple(
        gained(each, _folds(found))
        for each in helping
        if at_least(each.gain.value, SUSPECTED * max(each.comparison.values[1:], default=0.0))
    )


def _labels(found: Evidence) -> tuple[str, ...]:
    """Labels that contradict the scores out of fold wherever their cases lie."""
    doubts = found.doubts
    if doubts is None or not doubts.is_shown:
        return ()
    told = [
        f"Of the cases that look like {label!s}, {100 * share:.0f} % are labelled otherwise wherever they lie, also "
        f"far from the boundary, where overlap leaves none ({p_equation(p)})."
        for label, share, p in doubts.classes
    ]
    return (
        *told,
        f"Look at the labels of these {doubts.rows.size:,} cases (`i.suspects()`); about "
        f"{max(doubts.false_alarms, 0):.0f} of them are expected to be right.",
    )


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
    """Variance: a remedy against it helps a learner that does better on the cases it was fitted to."""
    if not found.has_gap:
        return ()
    helping = _told(found, "variance")
    return (_of_gap(found), *helping) if helping else ()


def _shows_itself(found: Evidence) -> tuple[str, ...]:
    """Variance shown without a remedy: the gap is a large part of the loss, and the predictions vary.

    Only of a learner that is better than the baseline, and where no remedy against bias explains the gap. A gap alone
    is not enough: a forest has one on any data, because its trees hold the very cases.
    """
    is_own = found.standing.beats(found.learner) and not _helping(found, "bias")
    if not is_own or rounded_difference(found.loss.value / 2, found.gap.value) > 0:
        return ()
    unstable = tuple(_unstable(found))
    return (_of_gap(found), *unstable) if unstable else ()


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
    """The error is shown to fall with the cases, and falls by a fair part where they end."""
    fall, last, curve = found.falling, found.last_fall, found.curve
    if fall is None or last is None or curve is None or not found.standing.beats(found.learner):
        return
    if _is_above_zero(fall) and _may_still_fall(found):
        few, lost = last
        yield (
            f"With {few:,} training cases it errs in {number(found.loss.value + lost)} of new ones, with "
            f"{curve.sizes[-1]:,} in {number(found.loss.value)}; each doubling of them takes off {said(fall)}: the "
            "error still falls as cases are added, so more of them are the remedy."
        )


FALL = 0.15
"""A part of the loss by which it falls from half of the cases to all, where there are too few."""


def _levels_off(found: Evidence) -> bool:
    """Whether a power law that holds says that twice the cases bring little."""
    beyond = None if found.curve is None else found.curve.extrapolation
    if not isinstance(beyond, Extrapolation) or not beyond.holds:
        return False
    return -beyond.change.value < SUSPECTED * found.loss.value


def _bias(found: Evidence) -> tuple[str, ...]:
    """Bias: a more flexible learner helps one that errs nearly as often on the cases it was fitted to."""
    if not errs_on_its_own(found.training, found.loss.value):
        return ()
    helping = _told(found, "bias")
    if not helping:
        return ()
    own = (
        f"{found.learner} errs in {number(found.training)} of the cases it was fitted to, and in "
        f"{number(found.loss.value)} of new ones: it cannot say more than it does."
    )
    return (own, *helping)


def _imbalance(found: Evidence) -> tuple[str, ...]:
    """What makes the rare class count helps."""
    helping = tuple(gained(each, _folds(found)) for each in _helping(found, "imbalance"))
    if not helping or not found.classes.is_neglected:
        return ()
    rare = found.classes
    own = (
        f"Class {rare.rarest} has {100 * rare.share:.1f} % of the cases. {found.learner} finds {number(rare.recall)} "
        f"of them, where it predicts {number(rare.accuracy)} of all cases right."
    )
    return (own, *helping)


def _rest_is_noise(found: Evidence) -> tuple[str, ...]:
    """Noise: learners of other kinds lower the error of the best one only a little; the rest is beyond all of them."""
    if not _is_above_zero(found.loss) or _may_be_imbalance(found):
        return ()
    if found.room is not None and len(found.room.rivals) >= FEWEST:
        return (told_room(found),) if found.room.most < GREATER * found.room.rate else ()
    against = {each.name for each in found.trials if each.remedy.against == "bias"}
    others = [each for each in found.to_best if each.models[0] in against]
    if len(others) < FEWEST:
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


def _may_be_imbalance(found: Evidence) -> bool:
    """Whether a rare class is neglected, and what helps it is not shown to help but may: noise is not all then."""
    tried = [each for each in found.trials if each.remedy.against == "imbalance"]
    if not found.classes.is_neglected or any(each.helps for each in tried):
        return False
    room = 1 - 1 / len(found.before.labels)
    return any(most(each.comparison) >= MATERIAL * room for each in tried)


def told_room(found: Evidence) -> str:
    """What could still be gained, in a sentence with its number."""
    room = found.room
    assert room is not None
    names = ", ".join(each.replace("_", " ") for each in room.rivals)
    best = room.best.replace("_", " ")
    what = (
        f"the best of these, {best}, errs in {number(room.gain.value)} less"
        if room.gain.value > 0
        else "none of these errs less"
    )
    lead = "What could still be gained"
    if room.most < GREATER * room.rate:
        lead = "Little is left to gain" if room.most < LITTLE * room.rate else "The greater part is noise"
    if room.most == float("inf"):
        return f"{lead} is not known: the folds of {names} show no spread."
    return (
        f"{lead}: of the error rate of {room.than.replace('_', ' ')}, {number(room.rate)}, learners of other kinds, "
        f"tuned inside the folds ({names}), may take off {number(room.most)} at most; {what}."
    )


def _told(found: Evidence, cause: str) -> tuple[str, ...]:
    """What the remedies against a cause bring, if the best of them takes away a fair part of the loss."""
    helping = _helping(found, cause)
    if not any(each.is_material for each in helping):
        return ()
    lead = [each for each in helping if found.advised is not None and each.name == found.advised.name]
    shown = [*lead, *(each for each in helping if each not in lead)][:2]
    chosen = dict(found.choices)
    return tuple(
        " ".join(
            filter(
                None,
                (_brought(found, each), chosen.get(each.name, "") if each.remedy.stage == "settings" else ""),
            )
        )
        for each in shown
    )


def _helping(found: Evidence, cause: str) -> list[Trial]:
    """The remedies against a cause that are shown to help, the best first."""
    own = (each for each in found.trials if each.remedy.against == cause)
    return sorted(
        (each for each in own if each.helps or each is found.advised), key=lambda each: -each.gain.value
    )


def _brought(found: Evidence, trial: Trial) -> str:
    """What a remedy brought; for an advised one that is not shown to help by itself, beside which other one."""
    if trial.helps:
        return gained(trial, _folds(found))
    top = max((each for each in found.trials if each.helps), key=lambda each: each.gain.value)
    before = _before(trial, _folds(found))
    other, p = top.remedy.title[0].lower() + top.remedy.title[1:], top.comparison.p_adjusted
    return (
        f"{trial.remedy.title} lowers the error rate{before} by {said(trial.gain)}, and is not shown to bring less "
        f"than {other}, which is shown to help (adjusted {p_equation(top.comparison.p if p is None else p)})."
    )


def _folds(found: Evidence) -> int:
    """The folds of the learner."""
    return 0 if found.folds is None else len(found.folds.places)


def _before(trial: Trial, folds: int) -> str:
    """The learner's own value in the folds of a remedy, and how many these are, where they are not all of its folds."""
    values, n = trial.comparison.values, trial.comparison.n
    where = f", tried on {n:,.0f} of the {folds:,} folds," if folds and n and n != folds else ""
    return f"{where} from {number(values[1])}" if len(values) > 1 else where


def gained(trial: Trial, folds: int = 0) -> str:
    """What a remedy brought, in a sentence; in how many folds, where it is not the number of the learner's."""
    found, p = trial.comparison, trial.comparison.p_adjusted
    made = "raises" if get(found.measure).best else "lowers"
    return (
        f"{trial.remedy.title} {made} the {title(found.measure)}{_before(trial, folds)} by {said(trial.gain)}, "
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


def verdict_of(found: Evidence, causes: Sequence[Cause], leaks: Sequence[str] = ()) -> tuple[str, ...]:
    """What the data show, and nothing that they do not.

    Leaks lead: while the test knows what it should not, no error rate says why the learner errs.
    """
    if leaks:
        lead = "What looks like a leak comes first, and no cause is named before it is settled:"
        return (*(f"{lead} {each}" for each in leaks), _errors(found))
    return (
        _errors(found),
        *(
            f"{each.title.capitalize()} {'are' if each.name in PLURAL else 'is'} shown. {' '.join(each.evidence)}"
            for each in causes
        ),
        *(() if causes else _nothing(found)),
        *_may_be_columns(found),
        *_moved(found),
        *_advice(found),
        *_also(found, causes),
        *_room(found, causes),
        *_more_cases(found.curve),
    )


def _errors(found: Evidence) -> str:
    return (
        f"{found.learner} errs in {said(found.loss)} of new cases and in {number(found.training)} of those it was "
        f"fitted to; the {BASELINE}, which always says the most frequent class, in {number(found.baseline)}."
        f"{_beside_baseline(found)}"
    )


def _beside_baseline(found: Evidence) -> str:
    """Where the learner is not shown to err less than the baseline: that, in a sentence."""
    if found.loss.value >= found.baseline:
        return f" In error rate {found.learner} is not shown to be better than that."
    of_rate = (each for each in found.standing.comparisons if each.measure == LOSS)
    own = next((each for each in of_rate if each.models[0] == found.learner), None)
    if own is None or ahead(own) == found.learner:
        return ""
    if isnan(own.p):
        why = own.reason or "there is no p-value"
        return f" That {found.learner} has the lower error rate cannot be tested: {why}."
    return f" That {found.learner} has the lower error rate is not shown."


def _nothing(found: Evidence) -> Iterator[str]:
    """No cause is shown: how much a remedy may bring nevertheless."""
    if not found.trials:
        yield "No cause is shown, and nothing was tried."
        return
    for each in untried(found):
        yield f"{TITLES[each].capitalize()} is suspected, and no remedy against it was tried."
    possible = [(most(each.comparison), each) for each in found.trials if not each.helps]
    known = [(gain, each) for gain, each in possible if gain != float("inf")]
    names = ", ".join(each.name.replace("_", " ") for each in found.trials)
    tried = "one remedy was tried" if len(found.trials) == 1 else f"{len(found.trials)} remedies were tried"
    yield f"No cause is shown: {tried} ({names})."
    if known and len(known) == len(found.trials):
        gain, most_of = max(known, key=lambda pair: pair[0])
        yield (
            f"No remedy is shown to help; the intervals leave room for a gain of {number(max(gain, 0.0))} at most "
            f"({most_of.name.replace('_', ' ')})."
        )


def _may_be_columns(found: Evidence) -> Iterator[str]:
    """What the columns speak for, where the folds do not show that it helps."""
    looked = dict(found.findings)
    for each in _unsettled(found):
        p = each.comparison.p if each.comparison.p_adjusted is None else each.comparison.p_adjusted
        yield (
            f"{TITLES[each.remedy.against].capitalize()} may be the cause: {looked[each.name]} "
            f"Treating it ({each.name.replace('_', ' ')}) lowers the error rate by {said(each.gain)}, which is not "
            f"shown (adjusted {p_equation(p)}): more repeats or cases may show it."
        )


def _advice(found: Evidence) -> Iterator[str]:
    """The remedy that is advised, and why this one of those that help."""
    best = found.advised
    if best is None:
        return
    helping = [
        each for each in found.trials if each.helps and each.remedy.measure == LOSS and each is not best
    ]
    lower = best.remedy.title[0].lower() + best.remedy.title[1:]
    if not helping:
        yield f"Advised: {lower}."
        return
    others = ", ".join(each.name.replace("_", " ") for each in helping)
    if not best.helps:
        yield (
            f"Advised: {lower}, the simplest that is not shown to bring less than what helps ({others}); that it helps "
            "by itself is not shown."
        )
        return
    yield f"Advised: {lower}, the simplest of those that help and are not shown to bring less (also: {others})."


def _also(found: Evidence, causes: Sequence[Cause]) -> Iterator[str]:
    """What the advised remedy brings, where no cause tells it."""
    told = " ".join(sentence for each in causes for sentence in each.evidence)
    for each in found.trials:
        is_told_of = each is found.advised or (each.helps and each.remedy.measure != LOSS)
        if is_told_of and (brought := _brought(found, each)) not in told:
            yield f"{brought} The cause behind it is not shown."


def _room(found: Evidence, causes: Sequence[Cause]) -> Iterator[str]:
    """What could still be gained at most, where no cause has said it."""
    if found.room is not None and not any(each.name == "noise" for each in causes):
        yield told_room(found)


def _more_cases(curve: LearningCurve | None) -> Iterator[str]:
    """What twice the cases would bring, where the curve carries it."""
    beyond = None if curve is None else curve.extrapolation
    if not isinstance(beyond, Extrapolation) or not beyond.change.has_interval:
        return
    change = beyond.change
    lead = f"Twice the cases, {beyond.size:,} for training,"
    if change.high < 0:
        less = Estimate(-change.value, -change.high, -change.low, change.level, change.method)
        yield f"{lead} would lower the error rate by {said(less)}, extrapolated by a power law."
    else:
        yield f"{lead} are not shown to help: by a power law the error rate would {_either_way(change)}."


def _either_way(change: Estimate) -> str:
    """By how much a rate may fall or rise, by the limits of its change."""
    fall, rise = f"{max(-change.low, 0.0):.3f}", f"{max(change.high, 0.0):.3f}"
    if float(rise) == 0:
        return f"fall by {fall} at most"
    return f"fall by {fall} at most, or rise by up to {rise}" if float(fall) else f"rise by up to {rise}"
