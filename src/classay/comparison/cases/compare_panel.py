"""All pairs of models of a panel in some measures: what is compared unasked, and what is said of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from classay.answers import told
from classay.columns import match_label
from classay.columns.numbers import counted
from classay.comparison.cases import sequential  # noqa: F401 - it registers its test
from classay.comparison.cases.aucs import all_equal
from classay.comparison.cases.by_measure import (
    KINDS,
    OF_LABELS,
    Asked,
    kind_of,
    named_pairs,
    panel_aucs,
    resampled,
)
from classay.comparison.cases.case_values import VALUES_OF_CASES
from classay.comparison.cases.choice.max_t import MEANS_WITH_A_CONTROL
from classay.comparison.cases.costs import compare_costs
from classay.comparison.cases.panel.curves import roc_of_panel
from classay.comparison.cases.panel.omissions import omissions_of
from classay.comparison.cases.panel.panel import Omitted, Panel
from classay.comparison.cases.proportions import cochran_q
from classay.comparison.cases.scores import (
    MOST_ROWS,
)
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import LEFT_OUT, NO_ANSWERS, UNMATCHED, Comparisons
from classay.comparison.family import adjusted, pairs
from classay.comparison.registry import ONE_TEST_SET, find, named
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.measures import Measure, get
from classay.measures.classes.answered import among_answers

DEFAULTS = {
    "scores": ("roc_auc", "average_precision"),
    "probabilities": ("brier_score",),
    "labels": ("accuracy", "recall", "specificity"),
    "labels alone": ("accuracy", "recall", "specificity", "precision", "f1"),
    "classes": ("accuracy", "macro_f1"),
    "class probabilities": ("log_loss",),
}
"""What is compared unasked: a few measures, for every one more makes the adjusted p-values of all larger."""


def compare_panel(
    panel: Panel,
    measures: Sequence[str | Measure | Costs] | None = None,
    *,
    method: str | None = None,
    control: str | None = None,
    adjustment: str = "holm",
    level: float = 0.95,
    seed: int = 0,
) -> Comparisons:
    """Compare the models of a panel; see `compare_predictions`."""
    each = len(pairs(panel.names, control))
    if method is not None:
        named(ONE_TEST_SET, method)
    in_order = find(ONE_TEST_SET, method, VALUES_OF_CASES) is not None
    of_all = find(ONE_TEST_SET, method, MEANS_WITH_A_CONTROL)
    drawn = panel.n <= MOST_ROWS or method in ("bootstrap", "permutation") or of_all is not None
    if drawn and not in_order:  # beyond, nothing is drawn
        panel = panel.canonical()
    given = list(measures or default_measures(panel))
    asked = Asked(method, control, level, seed, each * len(given))
    wanted = [
        each if isinstance(each, Measure) else get(each) for each in given if not isinstance(each, Costs)
    ]
    wanted = list(dict.fromkeys(wanted))
    if of_all is not None and len(wanted) > 1:
        raise InputError(
            f"the method {of_all.name!r} holds for all models in one measure, and {len(wanted)} are compared: name one "
            "(measures=, --measures)."
        )
    found: list[Comparison] = []
    for costs in dict.fromkeys(each for each in given if isinstance(each, Costs)):
        found += compare_costs(panel, costs, _pairs_with_labels(panel, asked), asked.level)
    found += _in_each(panel, wanted, asked)
    return Comparisons(
        tuple(found if of_all is not None else adjusted(found, adjustment)),
        panel.names,
        (
            *about_panel(panel, [*wanted, *(each for each in given if isinstance(each, Costs))]),
            *(() if control is None else (("control", f"{control}, named beforehand"),)),
        ),
        level,
        seed,
        _overall(panel, wanted, level),
        curves=roc_of_panel(panel),
    )


def with_omissions(
    found: Comparisons, panel: Panel, measures: Sequence[str | Measure | Costs] | None, **how: Any
) -> Comparisons:
    """Comparisons of two models with what was left out for want of an answer, and whether that favours one of them."""
    omitted = panel.omitted
    unmatched = (0, 0)
    if len(panel.names) == 2:  # what the first lacks are the cases that only the second has, and the reverse
        only = [panel.alone.get(name, (0, 0))[0] for name in panel.names]
        unmatched = (only[1], only[0])
    if omitted is None:
        if not any(unmatched):
            return found
        omitted = Omitted(dict.fromkeys(panel.names, np.zeros(panel.truth.size, bool)), "")
    whole = omitted.whole
    effects: dict[tuple[str, tuple[str, ...]], Comparison] = {}
    right: dict[str, Any] = {}
    frequency = cluster = None
    if isinstance(whole, Panel):
        asked = list(measures or default_measures(panel))
        effects = {(one.measure, one.models): one for one in compare_panel(whole, asked, **how)}
        right = {name: np.equal(each, whole.truth) for name, each in whole.predicted.items()}
        frequency, cluster = whole.frequency, whole.cluster
    pairs_of_models = {(one.models[0], one.models[1]) for one in found if len(one.models) == 2}
    known = {
        (a, b): omissions_of((a, b), omitted.gone, right, frequency, cluster, unmatched)
        for a, b in pairs_of_models
    }

    def judged(one: Comparison) -> Comparison:
        omissions = known.get((one.models[0], one.models[-1]))
        if omissions is None:
            return one
        worst = effects.get((one.measure, one.models))
        effect = None if worst is None or any(unmatched) else worst.effect
        return replace(one, omissions=replace(omissions, worst=effect))

    return replace(found, each=tuple(judged(one) for one in found))


def _left_out(panel: Panel) -> str:
    """Which rows were left out, and for what."""
    gone = panel.omitted
    unanswered = 0 if gone is None else int(np.logical_or.reduce([*gone.gone.values()]).sum())
    parts = []
    if panel.dropped > unanswered:
        parts.append(f"{counted(panel.dropped - unanswered)} without a truth")
    if unanswered:
        parts.append(f"{counted(unanswered)} without an answer ({_unanswered(panel)})")
    return " and ".join(parts)


def _unanswered(panel: Panel) -> str:
    """How many cases each model did not answer."""
    return ", ".join(
        f"{name}: {told(count, panel.undeclared.get(name, 0)).replace(' rows', '').replace(' row', '')}"
        for name, count in panel.unanswered.items()
    )


def _in_each(panel: Panel, wanted: Sequence[Measure], asked: Asked) -> list[Comparison]:
    """Every pair in each measure, in their order; those of one class are compared as the two classes it makes.

    The measures that are resampled share their draws, class by class.
    """
    views = {each: _view(panel, each) for each in wanted}
    together: dict[str | None, list[Measure]] = {}
    for each in wanted:
        if kind_of(_plain(each), views[each], asked.method) == "bootstrap":
            together.setdefault(each.label, []).append(_plain(each))
    of_class = {each.label: view for each, view in views.items()}
    drawn = {label: resampled(of_class[label], plain, asked) for label, plain in together.items()}
    found: list[Comparison] = []
    for each in wanted:
        view = views[each]
        plain = among_answers(_plain(each), view.labels)
        if plain in together.get(each.label, ()):
            made = [one for one in drawn[each.label] if one.measure == plain.name]
        else:
            made = KINDS[kind_of(plain, view, asked.method)](view, plain, asked)
        found += [replace(one, measure=each.name) for one in made]
    return found


def _plain(measure: Measure) -> Measure:
    return measure if measure.plain is None else measure.plain


def _view(panel: Panel, measure: Measure) -> Panel:
    """The panel that a measure is read from: its class against the rest, called at its threshold, where it has them."""
    own = _plain(measure).threshold
    if measure.label is not None:
        panel = panel.one_vs_rest(match_label(measure.label, panel.labels))
    return panel if own is None else panel.called_at(own)


def _pairs_with_labels(panel: Panel, asked: Asked) -> list[tuple[str, str]]:
    """Pairs of the models that have labels, whose costs are compared."""
    if asked.method is not None:
        raise InputError(f"costs are compared by the paired t, not by {asked.method!r}: leave method out.")
    names = [name for name in panel.names if name in panel.predicted]
    if len(names) < 2:
        raise InputError("costs are of labels: pass labels, or scores with a threshold for each model.")
    return named_pairs(names, asked)


def _overall(panel: Panel, measures: list[Measure], level: float) -> tuple[Comparison, ...]:
    """Tests of three models or more together, of the AUC and of accuracy without weights or clusters."""
    found = []
    names = {each.name for each in measures}
    if panel.positive is not None and "roc_auc" in names and len(panel.scores) > 2:
        found.append(all_equal(panel_aucs(panel, list(panel.scores)), level=level))
    if "accuracy" in names and len(panel.predicted) > 2 and panel.weight is None and panel.cluster is None:
        right = np.stack([np.equal(each, panel.truth) for each in panel.predicted.values()], 1)
        right = right if panel.frequency is None else np.repeat(right, panel.frequency, axis=0)
        found.append(cochran_q(right, tuple(panel.predicted), level=level))
    return tuple(found)


def default_measures(panel: Panel) -> list[str]:
    """The measures that are compared unasked."""
    scored = [name for name in panel.names if name in panel.scores or name in panel.class_scores]
    labelled = len(panel.predicted) > 1
    chosen: list[str] = []
    if panel.positive is None:
        chosen += DEFAULTS["classes"] if labelled else ()
        chosen += (
            DEFAULTS["class probabilities"] if len(scored) > 1 and panel.have_probabilities(scored) else ()
        )
    elif len(scored) > 1:
        chosen += DEFAULTS["scores"]
        chosen += DEFAULTS["probabilities"] if panel.have_probabilities(scored) else ()
        chosen += DEFAULTS["labels"] if labelled else ()
    else:
        chosen += DEFAULTS["labels alone"] if labelled else ()
    if not chosen:
        raise InputError(
            "no two models can be compared in the same measure: one has scores, another labels; give the scores a "
            "threshold (threshold=, --threshold)."
        )
    return chosen


def about_panel(panel: Panel, measures: Sequence[Measure | Costs]) -> tuple[tuple[str, str], ...]:
    """What the comparison is of, as names and texts; a threshold only where a measure is one of labels."""
    classes = panel.cases_by_class
    facts = [("models", ", ".join(panel.names)), ("cases", f"{panel.n:,}")]
    if panel.clusters is not None:
        facts.append(("clusters", f"{panel.clusters:,}"))
    if len(classes) <= 10:
        facts.append(("cases by class", ", ".join(f"{label}: {n:,}" for label, n in classes.items())))
    if panel.positive is not None:
        facts.append(("positive", f"{panel.positive}"))
    of_labels = any(
        isinstance(each, Costs) or (each.needs in OF_LABELS and _plain(each).threshold is None)
        for each in measures
    )
    if panel.thresholds and of_labels:
        values = {*panel.thresholds.values()}
        text = ", ".join(f"{name}: {value:g}" for name, value in panel.thresholds.items())
        text = f"{values.pop():g}" if len(values) == 1 else text
        facts.append(("threshold", text if panel.threshold_chosen else f"{text} (default, not chosen)"))
    if panel.dropped:
        facts.append((LEFT_OUT, _left_out(panel)))
    elif panel.unanswered:
        facts.append((NO_ANSWERS, f"{_unanswered(panel)}; they count as wrong"))
    if panel.alone:
        told = ", ".join(f"{gone:,} of {rows:,} of {name}" for name, (gone, rows) in panel.alone.items())
        facts.append((UNMATCHED, f"cases that not every model has: {told}"))
    return tuple(facts)
