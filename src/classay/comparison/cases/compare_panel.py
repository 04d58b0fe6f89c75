"""The models of a panel compared in some measures: all pairs or leaderboards, the cases left out, and the facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import describe_omissions
from classay.assessment.mistaken import score_columns
from classay.columns import place_from
from classay.columns.numbers import StrictThreshold, counted
from classay.comparison.cases.aucs import all_equal, aucs_of_panel, roc_of_panel, scored_of, space_of_panel
from classay.comparison.cases.case_values import VALUES_OF_CASES, compare_costs
from classay.comparison.cases.class_averages import MACRO_TOP_K, best_scores, called_among_best
from classay.comparison.cases.difference import cochran_q
from classay.comparison.cases.joint_values import (
    ModelsAlone,
    board_of,
    board_of_costs,
    joint_of,
    joint_of_costs,
)
from classay.comparison.cases.max_t import MEANS_WITH_A_CONTROL
from classay.comparison.cases.measure_tests import (
    KINDS,
    LABELS_NEEDED,
    RequestedTest,
    kind_of,
    methods_of,
    named_pairs,
    require_two,
    resampled,
    scored_models,
)
from classay.comparison.cases.other_panel import Models, OtherPanel
from classay.comparison.cases.panel import Omitted, PairedPredictions
from classay.comparison.cases.score_measures import MOST_ROWS
from classay.comparison.comparison import Comparison, adjusted, pairs
from classay.comparison.comparisons import Comparisons, LazyList
from classay.comparison.gate_rules import LEFT_OUT, NO_ANSWERS, THRESHOLD, UNMATCHED
from classay.comparison.leaderboard import JointValues, Leaderboard
from classay.comparison.named_tests import ONE_TEST_SET, KnownTest, find, named, refuse_unserving
from classay.comparison.omissions import omissions_of
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference.methods import why_refused
from classay.inference.scores.auc import LONG
from classay.measures import Measure, get
from classay.steps import steps
from classay.texts import hint

Array = NDArray[Any]
FEWEST_OF_BOARD = 4
"""Models from which a leaderboard is shown in place of the differences of all pairs."""
MOST_MODELS = 1_000
"""Models up to which all are compared with each other: pairs grow with their square."""


def compare_panel(
    panel: Models,
    measures: Sequence[str | Measure | Costs] | None = None,
    *,
    method: str | None = None,
    control: str | None = None,
    adjustment: str = "holm",
    level: float = 0.95,
    seed: int = 0,
) -> Comparisons:
    """Compare the models of a panel; see `compare_predictions`. Raises InputError for too many models."""
    if len(panel.names) > MOST_MODELS and control is None:
        one = hint("control=", "--control")
        raise InputError(
            f"{len(panel.names):,} models have {comb(len(panel.names), 2):,} pairs. Up to {MOST_MODELS:,} models "
            f"are compared with each other. Use {one} to compare all with one of them, or remove models."
        )
    wanted = ComparedMeasures.of(panel, measures, method, control, level, seed)
    is_board = len(panel.names) >= FEWEST_OF_BOARD and control is None and method is None
    if not is_board:
        panel = wanted.in_order(panel)

    def in_pairs() -> Sequence[Comparison]:
        comparisons = wanted.pairs_in(wanted.in_order(panel) if is_board else panel)
        return comparisons if wanted.method_of_all is not None else adjusted(comparisons, adjustment)

    boards = _leaderboards(panel, wanted.costs, wanted.measures, wanted.asked) if is_board else ()
    return Comparisons(
        LazyList(in_pairs) if is_board else tuple(in_pairs()),
        panel.names,
        (
            *about_panel(panel, [*wanted.measures, *wanted.costs]),
            *(() if control is None else (("control", f"{control}, prespecified"),)),
        ),
        level,
        seed,
        _overall(panel, wanted.measures, level),
        curves=() if isinstance(panel, OtherPanel) else LazyList(partial(roc_of_panel, panel)),
        space=None if isinstance(panel, OtherPanel) else space_of_panel(panel, level, seed, wanted.costs),
        leaderboards=boards,
        shows_pairs=not is_board,
        warnings=panel.warnings,
        scored=() if isinstance(panel, OtherPanel) else LazyList(partial(scored_of, panel), is_large=True),
    )


@dataclass(frozen=True)
class ComparedMeasures:
    """What is compared, and how: measures and costs in their order, each once."""

    measures: tuple[Measure, ...]
    costs: tuple[Costs, ...]
    asked: RequestedTest

    @classmethod
    def of(
        cls,
        panel: Models,
        measures: Sequence[str | Measure | Costs] | None,
        method: str | None,
        control: str | None,
        level: float,
        seed: int,
        times: int = 1,
    ) -> ComparedMeasures:
        """Return what is asked of a panel; `times` says in how many groups each is compared. Raises InputError."""
        n_pairs = len(pairs(panel.names, control))
        says_why = method is None or named(ONE_TEST_SET, method).of in (VALUES_OF_CASES, MEANS_WITH_A_CONTROL)
        chosen = list(measures or panel.default_measures())
        known = list(dict.fromkeys(get(one) for one in chosen if not isinstance(one, Costs)))
        if not (says_why or any(why_refused(one, str(method)) for one in known)):
            refuse_unserving(method, {one.name: methods_of(*_read(panel, one)[:2]) for one in known})
        costs = tuple(dict.fromkeys(one for one in chosen if isinstance(one, Costs)))
        request = RequestedTest(method, control, level, seed, n_pairs * len(chosen) * times)
        compared = cls(tuple(known), costs, request)
        if compared.method_of_all is not None and len(known) > 1:
            raise InputError(
                f"Method {compared.method_of_all.name!r} compares all models in one measure, but {len(known)} "
                f"are set. {hint('Pass one in measures=', 'Use --measures with one')}."
            )
        return compared

    @property
    def method_of_all(self) -> KnownTest[Any, Any] | None:
        """The test that was asked for, if it is one of all models at once, which adjusts by itself."""
        return find(ONE_TEST_SET, self.asked.method, MEANS_WITH_A_CONTROL)

    def in_order(self, panel: Models, of: int = 0) -> Models:
        """Return the panel in an order that its content decides, unless nothing is drawn, or the order is that of time.

        A part `of` very many cases stays as it is where nothing is drawn, because ordering takes long; so does a panel
        of many cases by itself, of which only AUCs are compared.
        """
        method = self.asked.method
        if find(ONE_TEST_SET, method, VALUES_OF_CASES) is not None:
            return panel
        drawn = method in ("bootstrap", "permutation") or self.method_of_all is not None
        drawn |= panel.n <= MOST_ROWS and (
            of <= MOST_ROWS
            or any(_read(panel, measure)[2] in ("bootstrap", "gaps") for measure in self.measures)
        )
        if panel.n >= LONG and panel.cluster is None and method is None and not self.costs:
            drawn &= any(_read(panel, measure)[2] != "auc" for measure in self.measures)
        return panel.canonical() if drawn else panel

    def pairs_in(self, panel: Models) -> list[Comparison]:
        """Return the pairs of models of a panel, which is in order, in each measure; p-values are not adjusted.

        Those of one class are compared as the two classes it makes. The measures that are resampled share their draws,
        class by class.
        """
        request = self.asked
        comparisons: list[Comparison] = []
        for cost in self.costs:
            one = _of_one_label(panel)
            comparisons += compare_costs(one, cost, _pairs_with_labels(one, request), request.level)
        read = {measure: _read(panel, measure, request.method) for measure in self.measures}
        of_class = {measure.label: view for measure, (view, _, _) in read.items()}
        together: dict[str | None, list[Measure]] = {}
        for measure, (_, plain, kind) in read.items():
            if kind == "bootstrap":
                together.setdefault(measure.label, []).append(plain)
        drawn = {
            label: resampled(_of_one_label(of_class[label]), plain, request)
            for label, plain in together.items()
        }
        with steps("measures", len(read)) as advance:
            for measure, (view, plain, kind) in read.items():
                tested = (
                    [one for one in drawn[measure.label] if one.measure == plain.name]
                    if kind == "bootstrap"
                    else KINDS[kind](view, plain, request)
                )
                comparisons += [replace(_blaming(panel, one), measure=measure.name) for one in tested]
                advance()
        return comparisons


def _leaderboards(
    panel: Models, costs: Sequence[Costs], wanted: Sequence[Measure], request: RequestedTest
) -> tuple[Leaderboard, ...]:
    """Return who leads in each measure, in their order."""
    if costs:
        _pairs_with_labels(_of_one_label(panel), request)  # refuses models without labels
    alone = ModelsAlone(panel, request.seed)
    return (
        *(board_of_costs(_of_one_label(panel), cost, request.level, request.seed) for cost in costs),
        *(_board(panel, measure, alone, request.level) for measure in wanted),
    )


def board_in(panel: Models, measure: Measure, level: float = 0.95, seed: int = 0) -> Leaderboard:
    """Return who leads in a measure. Raises InputError where fewer than two models have what it needs."""
    return _board(panel, measure, ModelsAlone(panel, seed), level)


def joint_in(panel: Models, wanted: Measure | Costs, seed: int = 0) -> JointValues | str:
    """Return the values of all models in a measure or in costs with their covariance, or why they have none."""
    if isinstance(wanted, Costs):
        return joint_of_costs(_of_one_label(panel), wanted)
    view, plain, kind = _read(panel, wanted)
    return joint_of(view, plain, kind, seed=seed)


def _read(panel: Models, measure: Measure, method: str | None = None) -> tuple[Models, Measure, str]:
    """The panel that a measure is read from, the measure as it is read there, and the kind of test that compares it."""
    view = _view(panel, measure)
    plain = view.read(_plain(measure, panel))
    return view, plain, kind_of(plain, view, method)


def _board(panel: Models, measure: Measure, alone: ModelsAlone, level: float) -> Leaderboard:
    view, plain, kind = _read(panel, measure)
    if isinstance(view, OtherPanel):
        return board_of(alone, view, measure, plain, kind, level)
    if kind == "labels":
        require_two([*view.predicted], measure, LABELS_NEEDED)
    elif kind in ("mean auc", "losses"):
        require_two([*(view.class_scores or view.scores)], measure, "scores")
    elif kind in ("auc", "precision", "bootstrap", "gaps", "slopes", "alone"):
        scored_models(view, measure)
    board = board_of(alone, view, measure, plain, kind, level)
    if isinstance(panel, OtherPanel):
        return board
    reason = None if board.reason is None else panel.blaming(board.reason)
    absent = tuple((name, panel.blaming(why)) for name, why in board.absent)
    return replace(board, reason=reason, absent=absent)


def with_omissions(
    comparisons: Comparisons,
    panel: Models,
    measures: Sequence[str | Measure | Costs] | None,
    compared: Callable[[PairedPredictions, Sequence[str | Measure | Costs]], Comparisons],
) -> Comparisons:
    """Comparisons of two models with the cases left unanswered, and whether leaving them out favours one model."""
    if isinstance(panel, OtherPanel):
        return comparisons
    omitted = panel.omitted
    unmatched = (0, 0)
    if len(panel.names) == 2:  # what the first lacks are the cases that only the second has, and the reverse
        only = [panel.alone.get(name, (0, 0))[0] for name in panel.names]
        unmatched = (only[1], only[0])
    if omitted is None:
        if not any(unmatched):
            return comparisons
        omitted = Omitted(dict.fromkeys(panel.names, np.zeros(panel.truth.size, bool)), "")
    complete = omitted.whole
    effects: dict[tuple[str, tuple[str, ...]], Comparison] = {}
    right: dict[str, Any] = {}
    frequency = cluster = None
    if isinstance(complete, PairedPredictions):
        chosen = list(measures or panel.default_measures())
        effects = {(one.measure, one.models): one for one in compared(complete, chosen)}
        right = {name: np.equal(called, complete.truth) for name, called in complete.predicted.items()}
        frequency, cluster = complete.frequency, complete.cluster
    pairs_of_models = {(one.models[0], one.models[1]) for one in comparisons if len(one.models) == 2}
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

    return replace(comparisons, comparisons=tuple(judged(one) for one in comparisons))


def _left_out(panel: PairedPredictions) -> str:
    """Return which rows were left out, and for what."""
    gone = panel.omitted
    unanswered = 0 if gone is None else int(np.logical_or.reduce([*gone.gone.values()]).sum())
    parts = []
    if panel.dropped > unanswered:
        parts.append(f"{counted(panel.dropped - unanswered)} without a true label")
    if unanswered:
        parts.append(f"{counted(unanswered)} without a prediction ({_unanswered(panel)})")
    return " and ".join(parts)


def _unanswered(panel: PairedPredictions) -> str:
    """Return how many cases each model did not answer."""
    return ", ".join(
        f"{name}: {describe_omissions(count, panel.undeclared.get(name, 0)).replace(' rows', '').replace(' row', '')}"
        for name, count in panel.unanswered.items()
    )


def _blaming(panel: Models, one: Comparison) -> Comparison:
    """Return a comparison whose reason names the class that no case has, and whose it is."""
    if one.reason is None or isinstance(panel, OtherPanel):
        return one
    return one.changed(reason=panel.blaming(one.reason))


def _plain(measure: Measure, panel: Models | None = None) -> Measure:
    """Return the measure as it is read from its view: of a class's two classes, of the labels of the best k scores."""
    if best_scores(measure) is not None and not isinstance(panel, OtherPanel):
        return get("macro_recall" if measure.family == MACRO_TOP_K else "accuracy")
    return measure if measure.plain is None else measure.plain


def _view(panel: Models, measure: Measure) -> Models:
    """The panel that a measure is read from: its class against the rest, called at its threshold, where it has them."""
    k = best_scores(measure)
    if k is not None and not isinstance(panel, OtherPanel):
        names = [name for name in panel.names if name in panel.class_scores]
        require_two(names, measure, "scores of every class")
        return called_among_best(panel, k)
    threshold = _plain(measure, panel).threshold
    if measure.label is not None:
        panel = _of_label(panel, measure)
    return panel if threshold is None or isinstance(panel, OtherPanel) else panel.called_at(threshold)


def _of_label(panel: Models, measure: Measure) -> Models:
    """Return the panel of a measure's class against the rest, or of its class and those above it."""
    if not isinstance(panel, OtherPanel) and (place := place_from(measure.label, panel.labels)) is not None:
        return panel.at_least(place)
    return panel.one_vs_rest(measure.class_among(panel.labels, None))


def _of_one_label(panel: Models) -> PairedPredictions:
    """Return the panel of cases with one label each. Raises InputError of another task, which has no costs."""
    if isinstance(panel, OtherPanel):
        raise InputError(panel.no_costs)
    return panel


def _pairs_with_labels(panel: PairedPredictions, request: RequestedTest) -> list[tuple[str, str]]:
    """Pairs of the models that have labels, whose costs are compared."""
    if request.method is not None:
        raise InputError(
            f"Costs are compared by the paired t test, not by {request.method!r}. Remove the method."
        )
    names = [name for name in panel.names if name in panel.predicted]
    if len(names) < 2:
        raise InputError(
            "Costs need labels. Use predicted labels, or scores with a threshold for every model."
        )
    return named_pairs(names, request, None)


def _overall(panel: Models, measures: Sequence[Measure], level: float) -> tuple[Comparison, ...]:
    """Tests of three models or more together, of the AUC and of accuracy without weights or clusters."""
    tests: list[Comparison] = []
    if isinstance(panel, OtherPanel):
        return ()
    names = {measure.name for measure in measures}
    if panel.is_binary and "roc_auc" in names and len(panel.scores) > 2:
        tests.append(all_equal(aucs_of_panel(panel), level=level))
    if "accuracy" in names and len(panel.predicted) > 2 and panel.weight is None and panel.cluster is None:
        right = np.stack([np.equal(called, panel.truth) for called in panel.predicted.values()], 1)
        right = right if panel.frequency is None else np.repeat(right, panel.frequency, axis=0)
        tests.append(cochran_q(right, tuple(panel.predicted), level=level))
    return tuple(tests)


def about_thresholds(
    thresholds: Mapping[str, float], measures: Sequence[Measure | Costs], *, chosen: bool
) -> list[tuple[str, str]]:
    """The fact that tells the thresholds of models, by their names; none where no measure is one of their labels."""
    if not any(
        isinstance(measure, Costs) or (measure.is_of_matrix and _plain(measure).threshold is None)
        for measure in measures
    ):
        return []
    values = {*thresholds.values()}
    text = ", ".join(f"{name}: {value:g}" for name, value in thresholds.items())
    text = f"{values.pop():g}" if len(values) == 1 else text
    return [(THRESHOLD, text if chosen else f"{text} (default, not chosen for these data)")]


def _tied(panel: PairedPredictions) -> list[tuple[str, str]]:
    """The fact on cases exactly at a threshold that nobody chose, and what they are called; none without such cases."""
    counts = []
    for name, threshold in panel.thresholds.items():
        score = panel.scores[name]
        is_tied = score == score.dtype.type(threshold)
        tied = int((is_tied if panel.frequency is None else panel.frequency[is_tied]).sum())
        if tied:
            is_negative = isinstance(threshold, StrictThreshold)
            label = next(name for name in panel.labels if (name == panel.positive) != is_negative)
            counts.append(f"{name}: {tied:,} of {panel.n:,}, predicted as {label}")
    return [("scores at the threshold", "; ".join(counts))] if counts else []


def about_panel(panel: Models, measures: Sequence[Measure | Costs]) -> tuple[tuple[str, str], ...]:
    """Return what was compared, as names and texts; a threshold is among them only if a measure is one of labels."""
    if isinstance(panel, OtherPanel):
        return (("models", ", ".join(panel.names)), *panel.facts)
    classes = panel.cases_by_class
    facts = [("models", ", ".join(panel.names)), ("cases", f"{panel.n:,}")]
    if panel.clusters is not None:
        facts.append(("clusters", f"{panel.clusters:,}"))
    if len(classes) <= 10:
        facts.append(("cases by class", ", ".join(f"{label}: {n:,}" for label, n in classes.items())))
    if panel.is_binary:
        facts.append(("positive class", f"{panel.positive}"))
    if text := next(filter(None, map(score_columns, panel.rows.values())), ""):
        facts.append(("score columns", text))
    if panel.thresholds:
        of_labels = about_thresholds(panel.thresholds, measures, chosen=panel.threshold_chosen)
        facts += [*of_labels, *(_tied(panel) if of_labels and not panel.threshold_chosen else [])]
    if panel.dropped:
        facts.append((LEFT_OUT, _left_out(panel)))
    if panel.unanswered and panel.omitted is None:
        facts.append((NO_ANSWERS, f"{_unanswered(panel)}; counted as incorrect"))
    if panel.alone:
        unmatched = ", ".join(f"{gone:,} of {rows:,} of {name}" for name, (gone, rows) in panel.alone.items())
        facts.append((UNMATCHED, f"cases that some model does not have: {unmatched}"))
    return tuple(facts)
