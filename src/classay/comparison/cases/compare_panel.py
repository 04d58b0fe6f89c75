"""All pairs of models of a panel in some measures: which test serves which measure, and what is compared by default."""

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
from classay.columns import is_ordinal, place_from
from classay.columns.labels import NO_ORDER
from classay.columns.numbers import StrictThreshold, counted
from classay.columns.scales import CONVERTED
from classay.comparison.cases import sequential  # noqa: F401 - it registers its test
from classay.comparison.cases.aucs import AUCS, all_equal, aucs_of_panel, roc_of_panel, space_of_panel
from classay.comparison.cases.class_averages import (
    MACRO_TOP_K,
    MEAN_AUCS,
    best_scores,
    called_among_best,
    compare_each_alone,
    compare_mean_aucs,
    compare_slopes,
)
from classay.comparison.cases.difference import CLUSTERED_PROPORTIONS, PROPORTIONS, cochran_q, undefined
from classay.comparison.cases.joint_values import (
    MEANS_WITH_A_CONTROL,
    ModelsAlone,
    UnitMeans,
    board_of,
    board_of_costs,
    joint_of,
    joint_of_costs,
)
from classay.comparison.cases.label_measures import LABELS, compare_labels, kept_cases, paired_counts
from classay.comparison.cases.other_panel import Models, OtherPanel
from classay.comparison.cases.panel import (
    VALUES_OF_CASES,
    Omitted,
    PairedPredictions,
    case_values,
    compare_costs,
    row_values,
)
from classay.comparison.cases.score_measures import (
    ENOUGH_CLUSTERS,
    ENOUGH_OF_CLASS,
    LOSSES_OF_CASES,
    MOST_ROWS,
    compare_average_precision,
    compare_gaps,
    compare_losses,
    compare_scores,
)
from classay.comparison.comparison import Comparison, adjusted, omissions_of, pairs
from classay.comparison.comparisons import Comparisons, LazyList
from classay.comparison.gate_rules import LEFT_OUT, NO_ANSWERS, THRESHOLD, UNMATCHED
from classay.comparison.leaderboard import JointValues, Leaderboard
from classay.comparison.named_tests import ONE_TEST_SET, KnownTest, find, named
from classay.decision.costs import Costs
from classay.errors import InputError
from classay.inference import intervals  # noqa: F401 - it registers what has no bootstrap
from classay.inference.methods import why_refused
from classay.inference.scores.auc import LONG
from classay.measures import Measure, get
from classay.steps import steps
from classay.texts import hint, listed

Array = NDArray[Any]
OF_SCORES = ("scores", "probabilities")
INSTEAD = "compare the Brier score or log-loss, which rise with poor calibration"
OWN_KINDS: Mapping[str, str] = {
    **dict.fromkeys(MEAN_AUCS, "mean auc"),
    "discrimination_slope": "slopes",
    "calibration_error_max": "alone",
}
"""Measures with a test of their own."""
LABELS_NEEDED = "labels, or probabilities, or a threshold"
FEWEST_OF_BOARD = 4
"""Models from which a leaderboard is shown in place of the differences of all pairs."""


@dataclass(frozen=True)
class RequestedTest:
    """How a measure of a panel is compared: by which test, against which control, at which level.

    `family` is how many comparisons share the level.
    """

    method: str | None = None
    control: str | None = None
    level: float = 0.95
    seed: int = 0
    family: int = 1


def kind_of(measure: Measure, panel: Models, method: str | None) -> str:
    """By which kind of test a measure is compared."""
    if isinstance(panel, OtherPanel):
        return "other"
    if find(ONE_TEST_SET, method, MEANS_WITH_A_CONTROL):
        return "together"
    return (
        "cases" if find(ONE_TEST_SET, method, VALUES_OF_CASES) else _kind_by_measure(measure, panel, method)
    )


def _kind_by_measure(measure: Measure, panel: PairedPredictions, method: str | None) -> str:
    if measure.is_of_matrix:
        return "labels"
    if measure.losses is not None:
        return "losses"
    kind = None if method == "bootstrap" else OWN_KINDS.get(measure.base)
    if kind is not None and (panel.class_scores if kind == "mean auc" else panel.is_binary):
        return kind
    if not panel.is_binary or measure.needs not in OF_SCORES:
        return "none"
    if why_refused(measure, "bootstrap") is not None:
        return "gaps" if method is None and measure.base == "expected_calibration_error" else "none"
    return "bootstrap" if method == "bootstrap" else _kind_of_scores(measure, panel)


def _kind_of_scores(measure: Measure, panel: PairedPredictions) -> str:
    if measure.name == "roc_auc":
        return "auc"
    is_large = min(panel.cases_by_class.values()) >= ENOUGH_OF_CLASS
    if measure.name == "average_precision" and (is_large or panel.cluster is not None):
        return "precision"
    return "none" if _why_not_resampled(panel) else "bootstrap"


def _why_not_resampled(panel: PairedPredictions) -> str | None:
    """Why measures of scores are resampled on request only, if they are."""
    on_request = "on request: method='bootstrap' (--method bootstrap)"
    if panel.clusters is not None and panel.clusters < ENOUGH_CLUSTERS:
        return f"resampling fewer than {ENOUGH_CLUSTERS} clusters claims too much; {on_request}"
    return f"beyond {MOST_ROWS:,} cases it is resampled {on_request}" if panel.n > MOST_ROWS else None


def _of_labels(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    names = [name for name in panel.names if name in panel.predicted]
    _enough(names, measure, LABELS_NEEDED)
    comparisons = []
    for a, b in named_pairs(names, request):
        pair, method = panel.pair(a, b), request.method
        if find(ONE_TEST_SET, method, LABELS) is None:
            of_clusters = pair.rows is not None and find(ONE_TEST_SET, method, CLUSTERED_PROPORTIONS)
            of_proportions = find(ONE_TEST_SET, method, PROPORTIONS) or of_clusters
            has_it = of_proportions and paired_counts(pair, measure) is not None
            method = method if has_it else None
        how = {"method": method, "level": request.level, "seed": request.seed, "family": request.family}
        comparisons.append(compare_labels(pair, measure, (a, b), **how))  # type: ignore[arg-type]
    return comparisons


def _of_aucs(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    _scored(panel, measure)
    aucs = aucs_of_panel(panel)
    known = find(ONE_TEST_SET, request.method, AUCS) or find(ONE_TEST_SET, "delong-t", AUCS)
    assert known is not None
    return known(aucs, control=_within(aucs.names, request), level=request.level)


def _of_precision(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    cases = panel.scored(_scored(panel, measure))
    return compare_average_precision(cases, control=_within([*cases.scores], request), level=request.level)


def _of_gaps(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    cases = panel.scored(_scored(panel, measure))
    control = _within([*cases.scores], request)
    return compare_gaps(cases, measure, control=control, level=request.level, seed=request.seed)


def resampled(panel: PairedPredictions, measures: list[Measure], request: RequestedTest) -> list[Comparison]:
    """Tests of measures of scores by the bootstrap, all measures by the same replicates."""
    names = _scored(panel, measures[0])
    control = _within(names, request)
    cases = panel.scored(names)
    return compare_scores(
        cases, measures, control=control, level=request.level, seed=request.seed, family=request.family
    )


def _of_losses(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    several = not panel.is_binary
    assert measure.losses is not None
    if measure.needs == ("scores" if several else "cases"):
        raise InputError(
            f"{measure.name} is of {'two' if several else 'several'} classes: pass "
            f"{'multiclass_brier_score' if several else 'brier_score'}."
        )
    source = panel.class_scores if several else panel.scores
    names = [name for name in panel.names if name in source]
    _enough(names, measure, "scores")
    if measure.needs_order and not is_ordinal(panel.labels):
        return [undefined(pair, measure.name, NO_ORDER) for pair in named_pairs(names, request)]
    true = panel.truth if several else panel.is_positive
    losses = {name: None if name in panel.raw else measure.losses(source[name], true) for name in names}
    ends = {name: None if name in panel.raw else panel.why_unbounded(measure, name) for name in names}
    test = find(ONE_TEST_SET, request.method, LOSSES_OF_CASES) or compare_losses
    width = float(measure.bounds[1] - measure.bounds[0])
    tests = []
    for a, b in named_pairs(names, request):
        first, second = losses[a], losses[b]
        if first is None or second is None:
            why = panel.why_improper(a if first is None else b)
            tests.append(undefined((a, b), measure.name, why))
            continue
        tested = test(
            first,
            second,
            (a, b),
            measure=measure.name,
            design=panel.design,
            level=request.level,
            width=width,
            seed=request.seed,
        )
        reason = None if tested.reason is not None else ends[a] or ends[b]
        tests.append(tested if reason is None else undefined((a, b), measure.name, reason, tested.values))
    return tests


def _of_mean_aucs(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    names = [name for name in panel.names if name in panel.class_scores]
    _enough(names, measure, "scores of every class")
    return compare_mean_aucs(panel, measure, named_pairs(names, request), request.level)


def _of_slopes(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    cases = panel.scored(_scored(panel, measure))
    return compare_slopes(cases, measure, named_pairs([*cases.scores], request), request.level)


def _of_alone(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    """By the intervals that both models have alone, where neither a paired test nor a resample is valid."""
    cases = panel.scored(_scored(panel, measure))
    return compare_each_alone(cases, measure, named_pairs([*cases.scores], request), request.level)


def _of_cases(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    """By a test of the values of single cases; a measure without such values has no test."""
    values = case_values(panel, measure)
    if isinstance(values, str):
        return [undefined(pair, measure.name, values) for pair in named_pairs(panel.names, request)]
    known = find(ONE_TEST_SET, request.method, VALUES_OF_CASES)
    assert known is not None
    width = float(measure.bounds[1] - measure.bounds[0])
    units = kept_cases(measure) or "cases"
    return [
        known(
            values[a], values[b], (a, b), measure=measure.name, level=request.level, width=width, units=units
        )
        for a, b in named_pairs([*values], request)
    ]


def _of_all(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    """All models against one at once, by means over the cases; clusters are resampled whole."""
    known = find(ONE_TEST_SET, request.method, MEANS_WITH_A_CONTROL)
    assert known is not None
    if request.control is None:
        raise InputError(
            f"the method {known.name!r} tests all models against one: pass control= (--control)."
        )
    values = row_values(panel, measure)
    if not isinstance(values, str) and panel.clusters is not None and panel.clusters < ENOUGH_CLUSTERS:
        values = f"resampling fewer than {ENOUGH_CLUSTERS} clusters claims too much"
    if isinstance(values, str):
        return [undefined(pair, measure.name, values) for pair in named_pairs(panel.names, request)]
    _within([*values.values], request)
    units = (kept_cases(measure) or "cases") if panel.cluster is None else "clusters"
    comparisons: list[Comparison] = known(
        UnitMeans.of_rows(values),
        request.control,
        measure=measure.name,
        level=request.level,
        seed=request.seed,
        units=units,
    )
    return comparisons


def _of_other(panel: OtherPanel, measure: Measure, request: RequestedTest) -> list[Comparison]:
    """Another task than one label a case, which says by itself how models are compared."""
    method = request.method
    of_all = find(ONE_TEST_SET, method, MEANS_WITH_A_CONTROL) is not None
    if of_all or find(ONE_TEST_SET, method, VALUES_OF_CASES) is not None:
        raise InputError(f"the method {method!r} is of one label a case: leave method out.")
    names, needed = panel.models_with(measure)
    _enough(names, measure, needed)
    pairs_of_models = named_pairs(names, request)
    return panel.compared(measure, pairs_of_models, method=method, level=request.level, seed=request.seed)


def _of_none(panel: PairedPredictions, measure: Measure, request: RequestedTest) -> list[Comparison]:
    why = "no paired test of it is known to be valid here"
    if panel.is_binary and measure.needs in OF_SCORES:
        refused = why_refused(measure, "bootstrap")
        why = f"{refused}: {INSTEAD}" if refused else _why_not_resampled(panel) or why
        names = _scored(panel, measure) if refused else []
        values = {name: float(measure(panel.scored(names).table(name))) for name in names}
        if refused:
            return [
                undefined((a, b), measure.name, why, (values[a], values[b]))
                for a, b in named_pairs(names, request)
            ]
    return [undefined(pair, measure.name, why) for pair in named_pairs(panel.names, request)]


KINDS: Mapping[str, Callable[[Any, Measure, RequestedTest], list[Comparison]]] = {
    "labels": _of_labels,
    "auc": _of_aucs,
    "precision": _of_precision,
    "gaps": _of_gaps,
    "losses": _of_losses,
    "mean auc": _of_mean_aucs,
    "slopes": _of_slopes,
    "alone": _of_alone,
    "cases": _of_cases,
    "together": _of_all,
    "other": _of_other,
    "none": _of_none,
}


def _within(names: Sequence[str], request: RequestedTest) -> str | None:
    """The control, refused where it does not have what is compared."""
    if request.control is not None and request.control not in names:
        raise InputError(
            f"the control {request.control!r} has no such column as {', '.join(names)} have: leave the measure out."
        )
    return request.control


def named_pairs(names: Sequence[str], request: RequestedTest) -> list[tuple[str, str]]:
    """The pairs of some models that are compared: all, or each with the control."""
    return pairs(names, _within(names, request))


def _scored(panel: PairedPredictions, measure: Measure) -> list[str]:
    names = [name for name in panel.names if name in panel.scores]
    if panel.raw and len(names) < 2:
        raise InputError(
            f"{measure.name} ranks cases, but the class scores of {listed(sorted(panel.raw))} are raw (some outside "
            f"[0, 1]) and can be compared only within a case. Use {CONVERTED}."
        )
    _enough(names, measure, "scores of the positive class")
    return names


def _enough(names: list[str], measure: Measure, what: str) -> None:
    if len(names) < 2:
        have = f"only {names[0]} has" if names else "no model has"
        raise InputError(f"{measure.name} needs two models with {what}, and {have} them.")


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
            *(() if control is None else (("control", f"{control}, named beforehand"),)),
        ),
        level,
        seed,
        _overall(panel, wanted.measures, level),
        curves=() if isinstance(panel, OtherPanel) else LazyList(partial(roc_of_panel, panel)),
        space=None if isinstance(panel, OtherPanel) else space_of_panel(panel, level, seed, wanted.costs),
        leaderboards=boards,
        shows_pairs=not is_board,
        warnings=panel.warnings,
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
        """What is asked of a panel; `times` says in how many groups each is compared. Raises InputError."""
        n_pairs = len(pairs(panel.names, control))
        if method is not None:
            named(ONE_TEST_SET, method)
        chosen = list(measures or panel.default_measures())
        known = [
            one if isinstance(one, Measure) else get(one) for one in chosen if not isinstance(one, Costs)
        ]
        known = list(dict.fromkeys(known))
        compared = cls(
            tuple(known),
            tuple(dict.fromkeys(one for one in chosen if isinstance(one, Costs))),
            RequestedTest(method, control, level, seed, n_pairs * len(chosen) * times),
        )
        if compared.method_of_all is not None and len(known) > 1:
            raise InputError(
                f"the method {compared.method_of_all.name!r} holds for all models in one measure, and {len(known)} are "
                "compared: name one (measures=, --measures)."
            )
        return compared

    @property
    def method_of_all(self) -> KnownTest[Any, Any] | None:
        """The test that was asked for, if it is one of all models at once, which adjusts by itself."""
        return find(ONE_TEST_SET, self.asked.method, MEANS_WITH_A_CONTROL)

    def in_order(self, panel: Models, of: int = 0) -> Models:
        """The panel in an order that its content decides, unless nothing is drawn, or the order is that of time.

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
        """The pairs of models of a panel, which is in order, in each measure; p-values are not adjusted."""
        comparisons: list[Comparison] = []
        for cost in self.costs:
            one = _of_one_label(panel)
            comparisons += compare_costs(one, cost, _pairs_with_labels(one, self.asked), self.asked.level)
        return [*comparisons, *_in_each(panel, self.measures, self.asked)]


def _leaderboards(
    panel: Models, costs: Sequence[Costs], wanted: Sequence[Measure], request: RequestedTest
) -> tuple[Leaderboard, ...]:
    """Who leads in each measure, in their order."""
    if costs:
        _pairs_with_labels(_of_one_label(panel), request)  # refuses models without labels
    alone = ModelsAlone(panel, request.seed)
    return (
        *(board_of_costs(_of_one_label(panel), cost, request.level, request.seed) for cost in costs),
        *(_board(panel, measure, alone, request.level) for measure in wanted),
    )


def board_in(panel: Models, measure: Measure, level: float = 0.95, seed: int = 0) -> Leaderboard:
    """Who leads in a measure. Raises InputError where fewer than two models have what it needs."""
    return _board(panel, measure, ModelsAlone(panel, seed), level)


def joint_in(panel: Models, wanted: Measure | Costs, seed: int = 0) -> JointValues | str:
    """The values of all models in a measure or in costs with their covariance, or why they have none."""
    if isinstance(wanted, Costs):
        return joint_of_costs(_of_one_label(panel), wanted)
    view, plain, kind = _read(panel, wanted)
    return joint_of(view, plain, kind, seed=seed)


def _read(panel: Models, measure: Measure) -> tuple[Models, Measure, str]:
    """The panel that a measure is read from, the measure as it is read there, and the kind of test that compares it."""
    view = _view(panel, measure)
    plain = view.read(_plain(measure, panel))
    return view, plain, kind_of(plain, view, None)


def _board(panel: Models, measure: Measure, alone: ModelsAlone, level: float) -> Leaderboard:
    view, plain, kind = _read(panel, measure)
    if isinstance(view, OtherPanel):
        return board_of(alone, view, measure, plain, kind, level)
    if kind == "labels":
        _enough([*view.predicted], measure, LABELS_NEEDED)
    elif kind in ("mean auc", "losses"):
        _enough([*(view.class_scores or view.scores)], measure, "scores")
    elif kind in ("auc", "precision", "bootstrap", "gaps", "slopes", "alone"):
        _scored(view, measure)
    board = board_of(alone, view, measure, plain, kind, level)
    if isinstance(panel, OtherPanel):
        return board
    reason = None if board.reason is None else panel.blaming(board.reason)
    absent = tuple((name, panel.blaming(why)) for name, why in board.absent)
    return replace(board, reason=reason, absent=absent)


def with_omissions(
    comparisons: Comparisons, panel: Models, measures: Sequence[str | Measure | Costs] | None, **how: Any
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
        effects = {(one.measure, one.models): one for one in compare_panel(complete, chosen, **how)}
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

    return replace(comparisons, each=tuple(judged(one) for one in comparisons))


def _left_out(panel: PairedPredictions) -> str:
    """Which rows were left out, and for what."""
    gone = panel.omitted
    unanswered = 0 if gone is None else int(np.logical_or.reduce([*gone.gone.values()]).sum())
    parts = []
    if panel.dropped > unanswered:
        parts.append(f"{counted(panel.dropped - unanswered)} without a truth")
    if unanswered:
        parts.append(f"{counted(unanswered)} without an answer ({_unanswered(panel)})")
    return " and ".join(parts)


def _unanswered(panel: PairedPredictions) -> str:
    """How many cases each model did not answer."""
    return ", ".join(
        f"{name}: {describe_omissions(count, panel.undeclared.get(name, 0)).replace(' rows', '').replace(' row', '')}"
        for name, count in panel.unanswered.items()
    )


def _in_each(panel: Models, wanted: Sequence[Measure], request: RequestedTest) -> list[Comparison]:
    """Every pair in each measure, in their order; those of one class are compared as the two classes it makes.

    The measures that are resampled share their draws, class by class.
    """
    views = {measure: _view(panel, measure) for measure in wanted}
    together: dict[str | None, list[Measure]] = {}
    for measure in wanted:
        if kind_of(_plain(measure, panel), views[measure], request.method) == "bootstrap":
            together.setdefault(measure.label, []).append(_plain(measure, panel))
    of_class = {measure.label: view for measure, view in views.items()}
    drawn = {
        label: resampled(_of_one_label(of_class[label]), plain, request) for label, plain in together.items()
    }
    comparisons: list[Comparison] = []
    with steps("measures", len(wanted)) as advance:
        for measure in wanted:
            view = views[measure]
            plain = view.read(_plain(measure, panel))
            if plain in together.get(measure.label, ()):
                tested = [one for one in drawn[measure.label] if one.measure == plain.name]
            else:
                tested = KINDS[kind_of(plain, view, request.method)](view, plain, request)
            comparisons += [replace(_blaming(panel, one), measure=measure.name) for one in tested]
            advance()
    return comparisons


def _blaming(panel: Models, one: Comparison) -> Comparison:
    """A comparison whose reason names the class that no case has, and whose it is."""
    if one.reason is None or isinstance(panel, OtherPanel):
        return one
    return one.changed(reason=panel.blaming(one.reason))


def _plain(measure: Measure, panel: Models | None = None) -> Measure:
    """The measure as it is read from its view: of a class's two classes, of the labels of the best k scores."""
    if best_scores(measure) is not None and not isinstance(panel, OtherPanel):
        return get("macro_recall" if measure.family == MACRO_TOP_K else "accuracy")
    return measure if measure.plain is None else measure.plain


def _view(panel: Models, measure: Measure) -> Models:
    """The panel that a measure is read from: its class against the rest, called at its threshold, where it has them."""
    k = best_scores(measure)
    if k is not None and not isinstance(panel, OtherPanel):
        names = [name for name in panel.names if name in panel.class_scores]
        _enough(names, measure, "scores of every class")
        return called_among_best(panel, k)
    threshold = _plain(measure, panel).threshold
    if measure.label is not None:
        panel = _of_label(panel, measure)
    return panel if threshold is None or isinstance(panel, OtherPanel) else panel.called_at(threshold)


def _of_label(panel: Models, measure: Measure) -> Models:
    """The panel of a measure's class against the rest, or of its class and those above it."""
    if not isinstance(panel, OtherPanel) and (place := place_from(measure.label, panel.labels)) is not None:
        return panel.at_least(place)
    return panel.one_vs_rest(measure.class_among(panel.labels, None))


def _of_one_label(panel: Models) -> PairedPredictions:
    """The panel of cases with one label each. Raises InputError of another task, which has no costs."""
    if isinstance(panel, OtherPanel):
        raise InputError(panel.no_costs)
    return panel


def _pairs_with_labels(panel: PairedPredictions, request: RequestedTest) -> list[tuple[str, str]]:
    """Pairs of the models that have labels, whose costs are compared."""
    if request.method is not None:
        raise InputError(f"costs are compared by the paired t, not by {request.method!r}: leave method out.")
    names = [name for name in panel.names if name in panel.predicted]
    if len(names) < 2:
        raise InputError("costs are of labels: pass labels, or scores with a threshold for each model.")
    return named_pairs(names, request)


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
    return [(THRESHOLD, text if chosen else f"{text} (default, not chosen)")]


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
    """What was compared, as names and texts; a threshold is among them only if a measure is one of labels."""
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
        facts.append((NO_ANSWERS, f"{_unanswered(panel)}; they count as wrong"))
    if panel.alone:
        unmatched = ", ".join(f"{gone:,} of {rows:,} of {name}" for name, (gone, rows) in panel.alone.items())
        facts.append((UNMATCHED, f"cases that not every model has: {unmatched}"))
    return tuple(facts)
