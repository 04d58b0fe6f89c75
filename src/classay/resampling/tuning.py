"""What searches inside the folds tried, chose and promised: every candidate with its score, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from json import dumps, loads
from math import inf, nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from classay.curves.curve import Curve
from classay.curves.display import axis_of
from classay.errors import InputError, UnknownMeasureError
from classay.inference.estimate import Estimate, measure_phrase
from classay.measures import Measure, get
from classay.resampling.folds import corrected_interval, corrected_mean
from classay.resampling.model_folds import ModelFolds
from classay.shown import ColumnKind, frame_of, plot
from classay.texts import clean

if TYPE_CHECKING:
    from classay.resampling.data import Choice
    from classay.resampling.evaluation import Evaluation

SCORERS = {
    "f1_macro": "macro_f1",
    "f1_micro": "micro_f1",
    "f1_weighted": "weighted_f1",
    "precision_macro": "macro_precision",
    "recall_macro": "macro_recall",
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier_score",
    "matthews_corrcoef": "matthews_correlation",
    "roc_auc_ovr": "macro_roc_auc",
    "roc_auc_ovo": "hand_till_auc",
}
"""The measure of each of scikit-learn's scorers whose name is no name of ours."""


Simpler = Literal["low", "high"]
SIMPLER: dict[str, Simpler] = {
    "max_depth": "low",
    "max_leaf_nodes": "low",
    "C": "low",
    "degree": "low",
    "n_components": "low",
    "n_neighbors": "high",
    "min_samples_leaf": "high",
    "min_samples_split": "high",
    "min_child_samples": "high",
    "ccp_alpha": "high",
    "alpha": "high",
    "l2_regularization": "high",
    "reg_alpha": "high",
    "reg_lambda": "high",
    "shrinkage": "high",
    "var_smoothing": "high",
}
"""Which values of a parameter make a simpler model, where every learner that has it agrees."""
UNLIMITED = ("max_depth", "max_leaf_nodes")
"""Parameters of which None is no limit."""
MOST_LINES = 8
"""Values of a second parameter that a picture has a line each for."""


def _kind(values: Sequence[Any]) -> ColumnKind:
    """Return the kind of a parameter's column: numbers of one type stay numbers, all else is written as text."""
    types = {type(value) for value in values}
    kinds: dict[type, ColumnKind] = {bool: "flag", int: "whole", float: "number"}
    return kinds.get(types.pop(), "text") if len(types) == 1 else "text"


@dataclass(frozen=True, eq=False)
class Candidate:
    """Settings that searches tried: `score` over all inner folds, `se` its corrected standard error.

    `tried` is the number of searches that tried them, `chosen` of those that chose them. Less or more is better as the
    measure says.
    """

    params: Mapping[str, Any]
    score: Estimate
    se: float
    tried: int
    chosen: int

    def __str__(self) -> str:
        return clean(", ".join(f"{short(name)} {shortly(value)}" for name, value in self.params.items()))


def short(parameter: str) -> str:
    """Return a parameter without the names of the steps that it is in.

    >>> short("pipeline__svc__C")
    'C'
    """
    return parameter.rpartition("__")[2]


def shortly(value: Any) -> str:
    """Return the value of a parameter in words; a number that was drawn with four digits.

    >>> shortly(0.21839216555270285), shortly(1e-09), shortly(15), shortly(None)
    ('0.2184', '1e-09', '15', 'None')
    """
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, eq=False)
class Tuned:
    """One model that was tuned in each fold: `inner` is the mean best score of the searches, `outer` the estimate.

    Both are of the measure named by `scoring`; `optimism` is how much better the inner score is: how much the best of
    many flatters itself, and what a larger training set takes back. `flattery` is the same with an interval. `outer` is
    None where the score of the search is no measure, or one of another class than the positive one.
    `params` are the choices, as JSON, one a fit. `candidates` are all that was tried, the best first, of `searches`
    searches; none in evaluations that former releases saved.
    """

    dataset: str
    model: str
    scoring: str
    inner: float
    outer: float | None
    optimism: float
    params: tuple[str, ...]
    flattery: Estimate
    candidates: tuple[Candidate, ...] = ()
    level: float = 0.95

    @property
    def searches(self) -> int:
        """How many searches there were: one a fit."""
        return len(self.params)

    @property
    def is_loss(self) -> bool:
        """Whether less is better."""
        try:
            return get(self.scoring).best == 0
        except UnknownMeasureError:
            return self.scoring.startswith("neg_")

    @property
    def best(self) -> Candidate:
        """The candidate with the best mean score over all searches. Raises InputError where nothing is known."""
        if not self.candidates:
            raise InputError(
                "The candidates of these searches were not saved. Evaluate again with a search that has "
                "cv_results_."
            )
        return self.candidates[0]

    @property
    def varied(self) -> tuple[str, ...]:
        """The parameters of which there were several values."""
        names = dict.fromkeys(name for candidate in self.candidates for name in candidate.params)
        return tuple(
            name
            for name in names
            if len({_key(candidate.params.get(name)) for candidate in self.candidates}) > 1
        )

    @property
    def within(self) -> tuple[Candidate, ...]:
        """The candidates of all searches whose score is within one standard error of the best one's.

        The standard error is the corrected one, which allows for training sets that overlap.
        """
        first = self.best
        margin = 0.0 if np.isnan(first.se) else first.se
        sign = 1 if self.is_loss else -1
        limit = sign * first.score.value + margin + 1e-12
        return tuple(
            candidate
            for candidate in self.candidates
            if candidate.tried == self.searches and sign * candidate.score.value <= limit
        )

    def simplest(self, **simpler: Simpler | Sequence[Any]) -> Candidate:
        """The choice by one standard error: the simplest candidate `within` it; better ones may be so by chance alone.

        `simpler` says of each parameter that was varied whether its "low" or its "high" values make a simpler model, or
        lists them from the simplest on; the first parameter counts first. What is known of usual parameters, such as
        max_depth and C, need not be said. Breiman, Friedman, Olshen & Stone 1984, Classification and Regression Trees,
        3.4.3. Raises InputError: a parameter of which nobody said which values are simpler, or that was not varied; or
        searches that tried candidates of their own.
        """
        if not self.within:
            raise InputError(
                "Each search drew its own candidates, and none was tried by all searches. Use a grid search for "
                "the one-standard-error rule."
            )
        ordered = {**dict.fromkeys(simpler), **{short(name): None for name in self.varied}}
        orders: dict[str, Any] = {}
        for name in ordered:
            if name not in {short(varied) for varied in self.varied}:
                raise InputError(f"{name!r} was not varied. Use one of {', '.join(map(short, self.varied))}.")
            orders[name] = simpler.get(name, SIMPLER.get(name))
            if orders[name] is None:
                raise InputError(
                    f"The values of {name} that make a simpler model are not known. Pass .simplest({name}=…) with "
                    "'low', 'high', or a list of values from the simplest on."
                )
        return min(
            self.within, key=lambda candidate: [_place(name, candidate, how) for name, how in orders.items()]
        )

    @property
    def by_one_standard_error(self) -> Candidate | str:
        """What `simplest` gives without being told anything, or why it cannot."""
        try:
            return self.simplest()
        except InputError as error:
            return str(error)

    def curves(self) -> tuple[Curve, ...]:
        """Return the picture: the score over the one parameter that was varied, with its intervals.

        Over two parameters there is a line for each value of one of them. There is none for more parameters, nor for
        candidates that each search drew for itself.
        """
        candidates = [
            candidate
            for candidate in self.candidates
            if candidate.tried == self.searches and not candidate.score.is_undefined
        ]
        names = sorted(
            self.varied, key=lambda name: -len({_key(candidate.params.get(name)) for candidate in candidates})
        )
        if not candidates or not 1 <= len(names) <= 2:
            return ()
        series: dict[str, list[Candidate]] = {}
        for candidate in candidates:
            series.setdefault("".join(f"{short(n)} {candidate.params.get(n)}" for n in names[1:]), []).append(
                candidate
            )
        if len(series) > MOST_LINES:
            return ()
        values = _in_order(
            {
                _key(candidate.params.get(names[0])): candidate.params.get(names[0])
                for candidate in candidates
            }.values()
        )
        places, title = axis_of(short(names[0]), values)
        at = {_key(value): place for value, place in zip(values, places, strict=True)}
        curves = []
        for name in sorted(series, key=lambda name: _order(series[name][0].params.get(names[-1]))):
            rows = sorted(series[name], key=lambda candidate: at[_key(candidate.params.get(names[0]))])
            sides = {
                side: np.array([getattr(r.score, side) for r in rows]) for side in ("value", "low", "high")
            }
            has_band = len(names) == 1 and bool(np.isfinite(sides["low"]).all())
            curves.append(
                Curve(
                    "tuning",
                    f"Candidates of {self.model}",
                    np.array([at[_key(candidate.params.get(names[0]))] for candidate in rows]),
                    sides["value"],
                    title,
                    f"{measure_phrase(self.scoring)} inside the folds",
                    series=name or "mean over the inner folds",
                    low=sides["low"] if has_band else None,
                    high=sides["high"] if has_band else None,
                    band=f"{100 * self.level:g}%, {rows[0].score.method}" if has_band else "",
                )
            )
        return (*curves, *self._margin(places, title))

    def _margin(self, places: Any, title: str) -> Iterator[Curve]:
        """Yield the line within which candidates are within one standard error of the best."""
        first = self.best
        if np.isnan(first.se):
            return
        height = first.score.value + (first.se if self.is_loss else -first.se)
        ends = np.array([places.min(), places.max()])
        yield Curve(
            "tuning",
            "1 SE from the best",
            ends,
            np.full(2, height),
            title,
            f"{measure_phrase(self.scoring)} inside the folds",
            kind="reference",
            series="1 SE from the best",
        )

    def frame(self) -> Any:
        """Return a row for each candidate, the best first, as a PyArrow table.

        Its columns: the parameters, score, low, high, se, tried, chosen, within_one_standard_error.
        """
        within = {id(candidate) for candidate in self.within} if self.candidates else set()
        params = [
            {short(name): value for name, value in candidate.params.items()} for candidate in self.candidates
        ]
        kinds = {name: _kind([row.get(name) for row in params]) for row in params for name in row}
        rows = [
            {name: str(row.get(name)) if kind == "text" else row[name] for name, kind in kinds.items()}
            | {
                "score": candidate.score.value,
                "low": candidate.score.low,
                "high": candidate.score.high,
                "se": candidate.se,
            }
            | {
                "tried": candidate.tried,
                "chosen": candidate.chosen,
                "within_one_standard_error": id(candidate) in within,
            }
            for row, candidate in zip(params, self.candidates, strict=True)
        ]
        return frame_of(rows, kinds=kinds | {"tried": "whole", "chosen": "whole"})

    def plot(self, ax: Any = None) -> Any:
        """Draw the score over one parameter or two with matplotlib (the extra `plot`); returns the axes."""
        curves = self.curves()
        if not curves:
            raise InputError(
                "A picture needs one or two parameters that were varied on a grid. Use .frame() for these "
                "candidates."
            )
        return plot(curves, ax)

    def __repr__(self) -> str:
        tried = f"{len(self.candidates)} candidates"
        return clean(f"Tuned({self.model} by {self.scoring}, {tried}; see .frame(), .simplest())")


def _key(value: Any) -> str:
    return dumps(value, sort_keys=True, default=str)


def _order(value: Any) -> tuple[int, float, str]:
    """Numbers by their size, then all else by its text."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return (0, float(value), "") if is_number else (1, 0.0, str(value))


def _in_order(values: Any) -> list[Any]:
    return sorted(values, key=_order)


def _place(name: str, candidate: Candidate, how: Simpler | Sequence[Any]) -> float:
    """Return how far from simple a candidate is by one parameter."""
    value = next(setting for full, setting in candidate.params.items() if short(full) == name)
    if not isinstance(how, str):
        if value not in how:
            raise InputError(f"Value {value!r} of {name} is missing in {list(how)!r}. List all values.")
        return float(list(how).index(value))
    if how not in ("low", "high"):
        raise InputError(
            f"{name} must be 'low', 'high' or a list of values from the simplest on, but is {how!r}."
        )
    if value is None and name in UNLIMITED:
        value = inf
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(
            f"Value {value!r} of {name} is not a number. List the values of {name} from the simplest on."
        )
    return float(value) if how == "low" else -float(value)


def tuned(e: Evaluation) -> list[Tuned]:
    """Return what searches tried, chose and promised, of every model that is a search."""
    searches = []
    for run, model, parts in e.model_folds():
        choices = [result.choice for result in parts.results if result.choice is not None]
        if not choices:
            continue
        scoring = str(choices[0]["scoring"])
        measure = _measure(scoring)
        is_loss = scoring.startswith("neg_") if measure is None else measure.best == 0
        # what searches follow is negated where less is better
        sign = -1.0 if is_loss else 1.0
        scores = np.array([nan if choice["score"] is None else sign * choice["score"] for choice in choices])
        inner = float(np.nanmean(scores)) if not np.isnan(scores).all() else nan
        outer, optimism, flattery = None, nan, Estimate.undefined("the score of the search is not a measure")
        if measure is not None:
            outer = e.protocol.estimate(parts, measure, e.level).value
            optimism = sign * (inner - outer)
            flattery = _flattery(e, parts, measure, sign * scores, optimism)
        params = tuple(dumps(choice["params"], sort_keys=True) for choice in choices)
        name = scoring if measure is None else measure.name
        bounds = (-inf, inf) if measure is None else measure.bounds
        unbounded = None if measure is None else parts.why_unbounded(measure)
        candidates = tuple(
            _unless_unbounded(candidate, unbounded)
            for candidate in _candidates(choices, sign, e.level, bounds)
        )
        searches.append(
            Tuned(run.cases.name, model, name, inner, outer, optimism, params, flattery, candidates, e.level)
        )
    return searches


def the_one(searches: Sequence[Tuned]) -> Tuned:
    """Return the only one of them. Raises InputError where there are none or several."""
    if len(searches) == 1:
        return searches[0]
    if not searches:
        raise InputError("No model was tuned here. Evaluate a search, or use ca.tune.")
    names = dict.fromkeys(search.model for search in searches)
    first = next(iter(names))
    raise InputError(
        f"There are {len(searches)} searches ({', '.join(names)}). Choose one first, as in "
        f"e[{first!r}].candidates."
    )


def _measure(scoring: str) -> Measure | None:
    try:
        return get(SCORERS.get(scoring, scoring))
    except UnknownMeasureError:
        return None


def _flattery(e: Evaluation, parts: ModelFolds, measure: Measure, promised: Any, optimism: float) -> Estimate:
    """Return what the best inner score is above that of the fold, over the folds; both so that more is better."""
    sign = -1.0 if measure.best == 0 else 1.0
    if len(parts.places) != promised.size:
        return Estimate.bare(optimism, "some folds have no search")
    differences = promised - sign * parts.values(measure)
    known = np.isfinite(differences)
    if not known.all():
        return Estimate.bare(optimism, "the measure is undefined in some folds")
    if unbounded := parts.why_unbounded(measure):
        return Estimate.bare(optimism, unbounded)
    limits = corrected_interval(
        differences - differences.mean() + optimism, e.protocol.overlap(parts), e.level, (-inf, inf)
    )
    if isinstance(limits, str):
        return Estimate.bare(optimism, limits)
    return Estimate(optimism, limits[0], limits[1], e.level, limits[2])


def _candidates(
    choices: Sequence[Choice], sign: float, level: float, bounds: tuple[float, float]
) -> tuple[Candidate, ...]:
    """Return all candidates of these searches, the best first."""
    kept = [of_fold for of_fold in choices if of_fold.get("candidates")]
    if not kept:
        return ()
    scores: dict[str, list[list[float]]] = {}
    for choice in kept:
        for params, values in choice["candidates"]:
            signed = [nan if value is None else sign * value for value in values]
            scores.setdefault(_key(params), []).append(signed)
    chosen = Counter(_key(of_fold["params"]) for of_fold in kept)
    overlap = kept[0].get("test_over_train")
    candidates = [
        _candidate(key, np.array(fold_scores), overlap, chosen[key], level, bounds)
        for key, fold_scores in scores.items()
    ]
    return tuple(
        sorted(
            candidates,
            key=lambda candidate: inf if candidate.score.is_undefined else -sign * candidate.score.value,
        )
    )


def _unless_unbounded(one: Candidate, unbounded: str | None) -> Candidate:
    """Return a candidate as it is; its score alone where chosen candidates give scores of exactly 0 or 1 to log-loss.

    Of candidates that no search chose only their log-loss is known: whether it is bounded is not.
    """
    if unbounded is None or not np.isfinite(one.score.value):
        return one
    why = (
        unbounded if one.chosen else f"its scores were not saved, and among the chosen candidates {unbounded}"
    )
    return replace(one, score=Estimate.bare(one.score.value, why))


def _candidate(
    key: str, values: Any, overlap: float | None, chosen: int, level: float, bounds: tuple[float, float]
) -> Candidate:
    """Return one candidate, by its scores `(searches, inner folds)`."""
    params, tried = loads(key), values.shape[0]
    if np.isnan(values).any():
        return Candidate(params, Estimate.undefined("an inner fold has no score"), nan, tried, chosen)
    value = float(values.mean())
    if overlap is None:
        why = "the inner folds of the search are not known"
        return Candidate(params, Estimate.bare(value, why), nan, tried, chosen)
    limits = corrected_interval(values, overlap, level, bounds)
    if isinstance(limits, str):
        return Candidate(params, Estimate.bare(value, limits), nan, tried, chosen)
    estimate = Estimate(value, limits[0], limits[1], level, limits[2])
    return Candidate(params, estimate, corrected_mean(values, overlap).se, tried, chosen)
