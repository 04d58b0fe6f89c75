"""What a person should take from an assessment: the verdict in sentences, the warnings, what is random."""

from __future__ import annotations

from math import isinf, isnan, sqrt

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.baseline import is_above_baseline
from classay.assessment.warned import Said, Warned
from classay.columns.numbers import counted
from classay.inference.bounds import certain
from classay.inference.estimate import Estimate, apart, number
from classay.measures import roc_auc
from classay.measures.registry import ratio
from classay.tables.binned.table import BinnedScoreTable
from classay.tables.running import are_greatest

MANY = 100
"""Classes from which on pages show but a few, and a column of ids may have been taken for labels."""
TINY = 30
"""Cases of a class below which everything that rests on them is too uncertain to go unsaid."""

MOST_RANKED = 100
"""Classes up to which each is looked at: whether its scores rank its cases last."""
TURNED = 4.0
"""Standard errors, were ranks random, by which an AUC must be below one half to be no chance."""


def verdict(a: Assessment) -> tuple[str, ...]:
    """Two or three sentences that say how good the classifier is, and how sure that is."""
    return tuple(filter(None, (_ranking(a), _decisions(a), _against_baseline(a))))


def _ranking(a: Assessment) -> str:
    if a.positive is None:
        return ""
    auc = a["roc_auc"]
    if auc.is_undefined:
        return ""
    return (
        f"A random case of class {quote(a.positive)} scores above one of class {quote(_negative(a))} with probability "
        f"{apart(auc.value, auc.low, auc.high)[0]}{_sure(auc, a.level)}."
    )


def _decisions(a: Assessment) -> str:
    if a.confusion_matrix is None:
        return ""
    if a.positive is None:
        weakest = _weakest_class(a)
        accuracy = a["accuracy"]
        return (
            f"It names the right class in {percent(accuracy)}{_sure_percent(accuracy)} of the cases{weakest}."
        )
    at = "" if a.cutoff is None else f"At threshold {a.cutoff:g} it"
    recall, precision = a["recall"], a["precision"]
    if recall.is_undefined:
        return ""
    found = f"{at or 'It'} finds {percent(recall)}{_sure_percent(recall)} of the cases of class {quote(a.positive)}"
    if precision.is_undefined:
        return f"{found}, because it never predicts that class."
    return (
        f"{found}, and is right in {percent(precision)}{_sure_percent(precision)} of the cases it puts there."
    )


def _weakest_class(a: Assessment) -> str:
    assert a.confusion_matrix is not None
    hits, _, true = a.confusion_matrix.margins
    recalls = ratio(hits, true)
    if np.isnan(recalls).all() or np.nanmin(recalls) == np.nanmax(recalls):
        return ""
    least = int(np.nanargmin(recalls))
    return f"; the class it finds least is {quote(a.labels[least])}, with {percent(Estimate(recalls[least]))}"


def _against_baseline(a: Assessment) -> str:
    if a.confusion_matrix is None:
        return ""
    accuracy, base = a["accuracy"], a["baseline_accuracy"]
    largest = a.labels[int(np.argmax(are_greatest(a.class_totals)))]
    how = "above" if is_above_baseline(a) else "not above" if accuracy.value <= base.value else None
    ours, theirs = percents(accuracy, base)
    if how is None:
        return f"Accuracy {ours} is not shown to be above the {theirs} of always saying {quote(largest)}."
    return f"Accuracy {ours} is {how} the {theirs} of always saying {quote(largest)}."


def how_scores_are_kept(a: Assessment) -> str:
    """That scores were counted in bins, and what is certain of their order; nothing where they are exact."""
    if not isinstance(a.scores, BinnedScoreTable):
        return ""
    ends = certain(roc_auc, a.scores)
    width = (ends[1] - ends[0]) / 2 if ends is not None else float("nan")
    sure = (
        f": the AUC is certain to ±{width:.1g}, and intervals are as much wider" if not isnan(width) else ""
    )
    return f"counted in {a.scores.bins.keys.size:,} bins{sure}"


def warnings(a: Assessment) -> tuple[Warned, ...]:
    """The warnings that matter, the gravest first."""
    found = [
        *_about_limit(a),
        *_about_classes(a),
        *_about_class_scores(a),
        *_about_scores(a),
        *_about_decisions(a),
        *_about_rows(a),
    ]
    return tuple(Warned(code, text) for code, text in found)


def _about_limit(a: Assessment) -> list[Said]:
    if a.limit is None:
        return []
    return [
        (
            "first_rows",
            f"only the first {a.limit:,} rows were read: a first look, which later rows may change.",
        )
    ]


def _about_classes(a: Assessment) -> list[Said]:
    totals = {label: float(total) for label, total in zip(a.labels, a.class_totals, strict=True)}
    seen = [label for label, total in totals.items() if total]
    found: list[Said] = []
    if len(seen) == 1:
        found.append(
            (
                "one_class",
                f"all cases are of class {quote(seen[0])}: what needs more than one class is undefined.",
            )
        )
    never = [label for label, total in totals.items() if not total]
    if never and len(seen) > 1:
        found.append(
            ("never_true", f"no case is {_or(never)}: what needs {_each(never, 'that class')} is undefined.")
        )
    if a.kind_of_weight != "sampling":
        tiny = {label: int(total) for label, total in totals.items() if 0 < total < TINY}
        if tiny:
            each = ", ".join(f"{count} of class {quote(label)}" for label, count in list(tiny.items())[:5])
            more = "" if len(tiny) <= 5 else f" and {len(tiny) - 5} more such classes"
            found.append(
                (
                    "tiny_class",
                    f"few cases: {each}{more}. What rests on them is uncertain, see the intervals.",
                )
            )
    if len(seen) >= MANY:
        found.append(("many_classes", _many(len(seen), a.n)))
    return found


def _many(classes: int, cases: int) -> str:
    if 2 * classes > cases:
        return f"there are {classes:,} classes among {cases:,} cases: is the column of labels one of ids?"
    return f"there are {classes:,} classes: pages show those that fare worst, the JSON all of them."


RENORMALISE = "To divide such rows by their sum, pass improper='renormalise' (--improper renormalise)."


def _about_class_scores(a: Assessment) -> list[Said]:
    found: list[Said] = []
    if a.cases is not None and a.cases.improper:
        found.append(("improper_rows", f"{a.why_improper}: probability measures are absent. {RENORMALISE}"))
    if a.renormalised:
        found.append(
            ("renormalised_rows", f"class scores were divided by their sum in {counted(a.renormalised)}.")
        )
    if a.cases is not None and a.cases.log_loss.infinite:
        found.append(_certain_and_wrong(a.cases.log_loss.infinite))
    if a.cases is not None and a.cases.tied:
        found.append(
            (
                "tied_scores",
                f"the largest score is shared in {counted(a.cases.tied)}: the first such label was taken.",
            )
        )
    return [*found, *_turned_classes(a)]


def _turned_classes(a: Assessment) -> list[Said]:
    """Classes whose own scores rank their cases last, beyond chance: columns in another order than the labels do so."""
    if a.class_scores is None or len(a.labels) > MOST_RANKED:
        return []
    turned = []
    for label in a.labels:
        table = a.class_scores.one_vs_rest(label)
        p, n = float(table.n_positive), float(table.n_negative)
        if p and n and float(roc_auc(table)) < 0.5 - TURNED * sqrt((p + n + 1) / (12 * p * n)):
            turned.append(quote(label))
    if not turned:
        return []
    order = ", ".join(quote(label) for label in a.labels)
    return [
        (
            "class_auc_below_half",
            f"the scores of {', '.join(turned)} rank cases of the class below all others: are the columns of the class "
            f"scores those of {order}, in this order? `labels=` says which they are.",
        )
    ]


def _about_scores(a: Assessment) -> list[Said]:
    found: list[Said] = []
    table = a.scores
    if table is None:
        return found
    if table.scores.size == 1:
        found.append(("constant_scores", "all scores are equal: they rank nothing."))
    auc = a["roc_auc"]
    if auc.value in (0.0, 1.0):
        found.append(
            (
                "perfect_separation",
                "the scores separate the classes completely: check that the truth did not leak into the score.",
            )
        )
    if auc.value < 0.5:
        found.append(
            (
                "auc_below_half",
                f"ROC AUC is below one half: the score may point the wrong way (a high score must mean "
                f"{quote(a.positive)}); it is reported as it is.",
            )
        )
    if not table.are_probabilities:
        found.append(
            ("scores_outside_unit", f"{a.why_improper}: ranking is shown, probability measures are absent.")
        )
    if a.improper and table.are_probabilities:
        found.append(
            (
                "improper_rows",
                f"the scores of the two classes are no probabilities that sum to 1 in {counted(a.improper)}: those of "
                f"{quote(a.positive)} were taken as they are.",
            )
        )
    infinite = np.isinf(table.scores)
    if infinite.any():
        count = float((table.positives + table.negatives)[infinite].sum())
        found.append(("infinite_scores", f"infinite scores: {_cases(count)}, which rank first or last."))
    if table.are_probabilities and isinf(a["log_loss"].value):
        wrong = table.positives[table.scores == 0].sum() + table.negatives[table.scores == 1].sum()
        found.append(_certain_and_wrong(float(wrong)))
    return found


def _certain_and_wrong(count: float) -> Said:
    return (
        "certain_and_wrong",
        f"{_cases(count)} got probability 0 for the true class: log-loss is infinite (nothing is clipped).",
    )


def _about_decisions(a: Assessment) -> list[Said]:
    if a.confusion_matrix is None:
        return [
            (
                "no_threshold",
                "label measures are absent: there is no default threshold for scores outside [0, 1].",
            )
        ]
    found: list[Said] = []
    accuracy, base = a["accuracy"], a["baseline_accuracy"]
    largest = quote(a.labels[int(np.argmax(are_greatest(a.class_totals)))])
    if accuracy.value <= base.value and base.value < 1:
        found.append(
            (
                "not_above_baseline",
                "accuracy {} is not above the {} of always saying {}.".format(
                    *percents(accuracy, base), largest
                ),
            )
        )
    predicted = a.confusion_matrix.margins.predicted
    never = [label for label, total in zip(a.labels, predicted, strict=True) if not total]
    if never:
        found.append(("never_predicted", f"no case is called {_or(never)}: precision is undefined there."))
    if a.cutoff is not None and not a.cutoff_chosen:
        found.append(
            (
                "default_threshold",
                f"the threshold {a.cutoff:g} is a default that nobody chose: every measure of labels depends on it.",
            )
        )
    return found


def _about_rows(a: Assessment) -> list[Said]:
    found: list[Said] = []
    if a.dropped:
        share = a.dropped / (a.dropped + a.rows)
        found.append(
            (
                "dropped_rows",
                f"left out because a label or group is missing: {counted(a.dropped)} ({100 * share:.1f} %).",
            )
        )
    if a.clusters is not None and len(a.clusters) < TINY:
        found.append(
            (
                "few_clusters",
                f"only {len(a.clusters)} clusters: they, not rows, are the independent units, and so few say little "
                "about their spread.",
            )
        )
    elif a.coded is not None:
        held = [
            (np.unique(a.coded.cluster[a.coded.true == code]).size, label)
            for code, label in enumerate(a.labels)
        ]
        fewest, label = min(held, key=lambda each: each[0])
        if fewest < TINY:
            found.append(
                (
                    "few_clusters",
                    f"only {fewest} of {len(a.clusters or ()):,} clusters hold a case of class {quote(label)}: "
                    "they, not rows, are the independent units of what is said of it.",
                )
            )
    return found


def what_is_random(a: Assessment) -> str:
    """One sentence on what the intervals speak of, and what they leave out."""
    cases = f"the {a.n:,} test cases, drawn independently"
    if a.clusters is not None:
        cases = f"the {len(a.clusters):,} clusters that hold the {a.n:,} test cases, drawn independently"
    if a.kind_of_weight == "sampling":
        cases += ", counting by their sampling weights"
    return (
        f"Random: {cases}; intervals at {100 * a.level:g} %. The trained classifier is taken as "
        "it is: nothing here speaks of other training sets, or of cases drawn elsewhere."
    )


def quote(label: object) -> str:
    """A label as it reads in a sentence: text in quotes, shortened when long."""
    text = repr(str(label)) if isinstance(label, str) else str(label)
    return text if len(text) <= 60 else f"{text[:58]}…"


def percent(found: Estimate) -> str:
    """A share in percent, one decimal; as many more as tell it from the ends of its interval."""
    return f"{_hundredths(found.value, found.low, found.high)[0]} %"


def percents(first: Estimate, second: Estimate) -> tuple[str, str]:
    """Two shares in percent, with as many decimals as tell them apart.

    >>> percents(Estimate(0.99718), Estimate(0.99702))
    ('99.72 %', '99.70 %')
    """
    one, other = _hundredths(first.value, second.value)
    return f"{one} %", f"{other} %"


def _hundredths(*shares: float) -> list[str]:
    """Shares in hundredths: one decimal, or as many as tell apart those that differ."""
    known = {each for each in shares if not isnan(each)}
    for decimals in range(1, 7):
        texts = [f"{100 * each:.{decimals}f}" for each in shares]
        if len({f"{100 * each:.{decimals}f}" for each in known}) == len({round(each, 12) for each in known}):
            return texts
    return [f"{100 * each:.1f}" for each in shares]


def _sure(found: Estimate, level: float) -> str:
    if not found.has_interval:
        return ""
    _, low, high = apart(found.value, found.low, found.high)
    return f" ({100 * level:g} % interval {low} to {high})"


def _sure_percent(found: Estimate) -> str:
    _, low, high = _hundredths(found.value, found.low, found.high)
    return f" ({low} to {high})" if found.has_interval else ""


def _negative(a: Assessment) -> object:
    return next(label for label in a.labels if label != a.positive)


def _cases(count: float) -> str:
    shown = f"{count:,.0f}" if count == round(count) else number(count)  # sums of weights need not be whole
    return f"{shown} case{'' if count == 1 else 's'}"


def _or(labels: list[object]) -> str:
    shown = " or ".join(quote(label) for label in labels[:5])
    return shown if len(labels) <= 5 else f"{shown} or {len(labels) - 5} more"


def _each(labels: list[object], one: str) -> str:
    return one if len(labels) == 1 else "those classes"
