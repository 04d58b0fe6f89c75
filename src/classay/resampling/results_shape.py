"""What the JSON of an evaluation says (docs/evaluation.schema.json)."""

from __future__ import annotations

from collections import Counter
from json import loads
from typing import TYPE_CHECKING, Any

from classay.comparison.comparisons import row_of
from classay.errors import InputError
from classay.report.results.compared_shapes import WITHOUT_STEPS
from classay.report.shape import Key, Kind, Many, Result, Row, inside
from classay.report.value_kinds import (
    COUNT,
    DEFINED,
    EITHER,
    ESTIMATE,
    FLAG,
    HEADLINE,
    LABEL,
    LEVEL,
    NAME,
    NUMBER,
    P_KEY,
    TEXT,
    WARNINGS,
    keys_of_estimate,
    one_of,
    one_or_several,
)
from classay.resampling.comparing_learners import balanced_pairs
from classay.resampling.leaks import LEAKS
from classay.resampling.tuning import tuned

if TYPE_CHECKING:
    from classay.resampling.data import Place
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.model_folds import DatasetRun
    from classay.resampling.tuning import Candidate, Tuned

MOST_VALUES = 1000
"""Folds up to which the JSON holds the value of each; leave-one-out would make it as long as the data."""

_SAID = TEXT.limited(minLength=1)
_ONE_OR_MORE = COUNT.limited(minimum=1)
_SETTINGS = Kind({"type": "object"}, dict)
_DATA = "The data set; the empty text for a single data set without a name."
_MODEL = _SAID.limited(description='The model; "baseline" is the majority-class baseline.')
_NAIVE = "For comparison with published work; not limited to the range of the measure."


def _folds(run: DatasetRun) -> list[Place] | None:
    """Return the places whose tests are shown; None of too many."""
    tested = [place for place in run.places if place.kind == "test"] or [*run.places]
    return tested if len(tested) <= MOST_VALUES else None


def _column(name: str) -> Key:
    return Key(name, Many(COUNT), lambda places: [getattr(place, name) for place in places])


_LEAK = Row(
    Key("code", one_of(*LEAKS), help="A fixed code for programs."),
    Key("text", _SAID, help="A sentence for readers; may change."),
    Key("count", _ONE_OR_MORE, help="Test rows, clusters or ids in the worst split, or features."),
    Key(
        "example",
        one_or_several(LABEL),
        help="A pair of a test row and its twin in training, a cluster, an id, or a feature.",
    ),
)
_RUN = Row(
    Key("name", TEXT, "cases.name", _DATA),
    Key("rows", _ONE_OR_MORE, "cases.rows", "Cases."),
    Key("labels", Many(LABEL).limited(minItems=2), "cases.labels", "The classes."),
    Key(
        "class_totals",
        Many(COUNT),
        lambda run: run.cases.totals.tolist(),
        "Cases of each class, in the order of the labels.",
    ),
    Key("positive", LABEL, "cases.positive", "The positive class; null with more than two classes."),
    Key(
        "weights",
        one_of("none", "sampling"),
        lambda run: "none" if run.cases.weight is None else "sampling",
    ),
    Key(
        "clusters",
        _ONE_OR_MORE.or_null(),
        lambda run: None if run.cases.clusters is None else len(run.cases.clusters),
        "Number of clusters; null when rows are independent.",
    ),
    Key("fits", _ONE_OR_MORE, lambda run: len(run.places), "Fits of each model."),
    Key(
        "folds",
        Row(*map(_column, ("repeat", "fold", "n_train", "n_test"))).or_null(),
        _folds,
        "The folds with shown tests, as columns; `n_train` counts distinct rows; null with more than "
        "1,000 folds.",
    ),
    Key("leaks", Many(_LEAK), help="Leaks: information on the test cases that training may have."),
)
_SPREAD = Row(
    Key("mean", NUMBER, help="The mean of the folds with a value."),
    Key("sd", NUMBER, help="Their standard deviation (divisor K - 1)."),
    Key(
        "naive_t",
        ESTIMATE,
        help=f"mean ± t(K - 1) SD / √K, which treats the folds as independent. {_NAIVE}",
    ),
    Key("naive_z", ESTIMATE, help=f"The same with the normal quantile. {_NAIVE}"),
    Key(
        "textbook_t",
        ESTIMATE,
        help=f"The same t with divisor K in the SD, as in some texts. {_NAIVE}",
    ),
    Key(
        "corrected_over_naive",
        NUMBER,
        "factor",
        "Width of the corrected resampled t divided by that of naive_t; null without one of them.",
    ),
    Key(
        "textbook_inflates_t",
        NUMBER,
        "inflation",
        "√(K / (K - 1)), the inflation by divisor K in the SD.",
    ),
    Key(
        "repeats",
        Many(DEFINED),
        help="The means of whole repeats; empty without repeats, or if a fold has no value.",
    ),
    Key("repeat_sd", NUMBER, help="The SD of these means, which reflects the random splits only."),
)
_SUMMARY = Row(
    Key("data", TEXT, "dataset", _DATA),
    Key("model", _MODEL),
    Key("measure", NAME),
    *inside("estimate", (*keys_of_estimate(NUMBER), P_KEY)),
    Key(
        "used",
        one_of("pooled", "fold_mean"),
        lambda summary: summary.used.replace(" ", "_"),
        "Which of the two is valid for this measure and used as the value.",
    ),
    Key(
        "pooled",
        NUMBER,
        help="The measure of all folds together; null where scores must not be pooled, or if undefined.",
    ),
    Key("fold_mean", NUMBER, help="The mean of the folds with a defined value."),
    Key("training", NUMBER, help="The value on the training cases; null if not computed."),
    Key("optimism", NUMBER, help="Training value minus value, in units of the measure."),
    Key("folds", COUNT, help="Number of folds of the protocol with shown tests."),
    Key("fitted", COUNT, help="Number of folds with a successful fit."),
    Key("defined", COUNT, help="Number of folds with a value of the measure."),
    Key("missing", Many(_SAID.limited(description="A fold without a value, with the reason."))),
    Key(
        "values",
        Many(NUMBER).or_null(),
        lambda summary: summary.values if summary.folds <= MOST_VALUES else None,
        "The value of each fold, in the order of `folds` of the data; null with more than 1,000 folds. "
        "`--save` keeps all values.",
    ),
    Key(
        "spread",
        _SPREAD.or_null(),
        help="Variation between the folds; null with fewer than two folds, and without other test cases.",
        added=True,
    ),
).limited(description="A measure of a model, with its folds.", **EITHER)


def _candidates(search: Tuned) -> list[tuple[Candidate, bool]]:
    """Return each candidate, and whether it is within one standard error of the best."""
    within = search.within if search.candidates else ()
    return [(candidate, candidate in within) for candidate in search.candidates]


def _simplest(search: Tuned) -> Candidate | None:
    simplest = search.by_one_standard_error if search.candidates else None
    return None if isinstance(simplest, str) else simplest


_TUNED = Row(
    Key("data", TEXT, "dataset", _DATA),
    Key("model", _MODEL),
    Key("scoring", _SAID, help="The measure that the search optimized."),
    Key("inner", NUMBER, help="Mean of the best scores inside the folds."),
    Key("outer", NUMBER, help="The value on held-out cases; null where the scoring is not a measure."),
    Key("optimism", NUMBER, help="Inner score minus the value on held-out cases, in the better direction."),
    Key(
        "choices",
        Many(
            Row(
                Key("params", _SETTINGS, lambda choice: loads(choice[0]), "The settings chosen."),
                Key("times", _ONE_OR_MORE, "1", "Number of fits that chose them."),
            )
        ),
        lambda search: Counter(search.params).most_common(),
        "The most frequent first.",
    ),
    Key(
        "flattery",
        ESTIMATE,
        help="Inner score minus the estimate, in the better direction, with its interval over the folds.",
    ),
    Key(
        "candidates",
        Many(
            Row(
                Key("params", _SETTINGS, "0.params"),
                *inside("0.score", keys_of_estimate(NUMBER)),
                Key("se", NUMBER, "0.se", "The corrected standard error of the value."),
                Key("tried", _ONE_OR_MORE, "0.tried", "Number of searches that tried the candidate."),
                Key("chosen", COUNT, "0.chosen", "Number of searches that chose the candidate."),
                Key(
                    "within_one_standard_error",
                    FLAG,
                    "1",
                    "Whether it is within one standard error of the best.",
                ),
            ).limited(**EITHER)
        ),
        _candidates,
        "All candidates of the searches, the best first; empty if not saved.",
    ),
    Key(
        "one_standard_error",
        Kind(_SETTINGS.schema, lambda candidate: dict(candidate.params)).or_null(),
        _simplest,
        "The settings of the simplest candidate within one standard error of the best; null if unknown.",
    ),
)


def _balancing(e: Evaluation) -> list[dict[str, Any]]:
    """Return what balancing changed, by the paired test; empty where nothing was balanced, or there is no test."""
    if not balanced_pairs(e):
        return []
    try:
        return [row_of(one) for one in e.balancing]
    except InputError:  # the notes of the report say why
        return []


EVALUATION = Result(
    "evaluation",
    2,
    "Evaluation",
    "What `classay evaluate --json` and `classay runs --json` write and `Evaluation.to_dict` returns. Undefined is "
    'null, infinity the text "Infinity".',
    Key("protocol", _SAID, "protocol.name", "The split of the cases, as --protocol takes it."),
    Key("what", _SAID, "protocol.estimand", "The estimated quantity."),
    Key("random", _SAID, help="What the intervals cover."),
    Key("warnings", WARNINGS, added=True),
    Key("level", LEVEL, help="Level of the intervals."),
    Key("seed", COUNT, help="Seed of everything random."),
    Key("models", Many(_MODEL).limited(minItems=1), help="The models, the baseline last."),
    Key("measures", Many(NAME).limited(minItems=1), help="The measures of the estimates."),
    Key("data", Many(_RUN).limited(minItems=1), "runs"),
    Key("headline", HEADLINE, added=True),
    Key(
        "estimates",
        Many(_SUMMARY),
        lambda e: e.summaries(),
        "All measures of all models on all data sets.",
    ),
    Key(
        "tuning",
        Many(_TUNED),
        tuned,
        "Inner scores and choices of the searches; empty where nothing was tuned.",
    ),
    Key(
        "balancing",
        Many(WITHOUT_STEPS),
        _balancing,
        "Each balanced model minus the unbalanced model, as in comparison.schema.json; empty where "
        "nothing was balanced, or the protocol has no test.",
    ),
    Key("failures", Many(_SAID.limited(description="A failed fit: the model, the fold and the reason."))),
    Key("notes", Many(_SAID.limited(description="Warnings and remarks."))),
)
"""Of an evaluation, with what leads its report beside it.

Version 2: the times of the fits are measured, no result, and are gone; `evaluate --times` writes them.
"""
