"""What the JSON of comparisons says (docs/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, get_args

from classay.assessment.finding import leading
from classay.comparison.comparison import Alternative, Comparison, friedman_chi_squared
from classay.comparison.comparisons import row_of
from classay.comparison.findings_differences import findings_on_comparisons
from classay.comparison.gate_rules import THRESHOLD, Gate, Rule, direction_of
from classay.comparison.leaderboard import Leaderboard, Standing
from classay.report.results.classes_and_costs import ROC_SPACE
from classay.report.shape import ByName, Key, Kind, Many, Result, Row, itself
from classay.report.value_kinds import (
    COUNT,
    FLAG,
    FLOAT,
    HEADLINE,
    LEVEL,
    NUMBER,
    NUMBER_OR_NULL,
    POSITIVE,
    PVALUE,
    REQUIREMENT,
    SHARE,
    TESTED,
    TEXT,
    TEXTS,
    VERDICT,
    WEIGHT,
    one_of,
    warnings,
)
from classay.warned import OF_MODELS

RANDOM_OF_COMPARISONS = ("test cases", "training sets", "data sets")
_NOT_NEGATIVE = WEIGHT.or_null()
_UNANSWERED = "Cases that the {} model did not answer, where unanswered cases were left out."
_PAIRED_RULE = Row(
    Key("name", one_of("paired t, SD over K", "paired t", "corrected resampled t")),
    Key("sd", WEIGHT, help="Of the differences, over K in the first rule and over K - 1 in the others."),
    Key("se", WEIGHT, help="The standard error of their mean."),
    Key("t", FLOAT, help="The mean over its standard error."),
    Key("df", POSITIVE),
    Key("critical", POSITIVE, help="Beyond which |t| rejects equal performance."),
    Key("p", SHARE, help="Two-sided."),
    Key("rejects", FLAG),
)
_BY_HAND = Row(
    Key(
        "differences",
        Many(NUMBER).limited(minItems=2),
        help="The value of the first minus that of the second in each fold.",
    ),
    Key("mean", NUMBER, help="Of the differences."),
    Key(
        "rules",
        Many(_PAIRED_RULE),
        help="The paired t of some texts, Student's, and the corrected resampled t.",
    ),
)
_DESCRIBED: tuple[tuple[str, Kind, str], ...] = (
    ("measure", TEXT, "Its canonical name, or what was compared instead."),
    ("first", TEXT, "The model whose value comes first in the difference."),
    ("second", TEXT, "The other model."),
    ("value_first", NUMBER, "Its value; over data sets the mean."),
    ("value_second", NUMBER, "The same of the other."),
    (
        "difference",
        NUMBER,
        "First minus second; over data sets its median (Hodges-Lehmann), or that of mean ranks, more being better.",
    ),
    ("low", NUMBER, "Low end of its interval."),
    ("high", NUMBER, "High end."),
    (
        "level",
        LEVEL.or_null(),
        "Level of the interval; null where there is none. Equivalence at 0.95 has 0.90.",
    ),
    ("interval", TEXT.or_null(), "Method of the interval."),
    (
        "error_of_low",
        _NOT_NEGATIVE,
        "Monte-Carlo standard error of the lower end; null where nothing is drawn.",
    ),
    ("error_of_high", _NOT_NEGATIVE, "The same of the upper end."),
    (
        "alternative",
        one_of(*get_args(Alternative)),
        "What was asked beforehand, of the first minus the second.",
    ),
    (
        "p",
        PVALUE,
        "Two-sided p-value of no difference; of the rule where `test` says so; null with the reason where there is "
        "none.",
    ),
    ("p_adjusted", PVALUE, "Adjusted for all comparisons of the call."),
    ("adjustment", TEXT.or_null(), "By which method."),
    ("test", TEXT, "The test, or with a rule on one test set the interval that decides it."),
    ("statistic", NUMBER, "Of the test."),
    ("df", NUMBER, "Its degrees of freedom."),
    ("n", _NOT_NEGATIVE, "Units of the test, as `units` says."),
    ("units", TEXT, "Cases, folds, data sets, …"),
    (
        "needed",
        NUMBER,
        "Units at which a difference as large as observed would be shown with a power of 80%.",
    ),
    ("reason", TEXT.or_null(), "Why there is no p-value or interval."),
    ("reference", TEXT, "Sources of the test and the interval."),
    ("sentence", TEXT, "What was found, in plain words."),
    ("more_cases", TEXT.or_null(), "What would settle it, in plain words."),
    ("random", one_of(*RANDOM_OF_COMPARISONS), "What varies, and so what the claim is about."),
    ("finding", TEXT, 'Who is better, or that the rule holds, or "open".'),
    ("rule", one_of(*get_args(Rule)).or_null(), "What was to be shown."),
    ("margin", POSITIVE.or_null(), "Given beforehand."),
    ("verdict", VERDICT.or_null(), "Of the rule."),
    ("rope", _NOT_NEGATIVE, "Difference called equal in practice beforehand."),
    ("p_above", PVALUE, "Probability that the difference is above the rope."),
    ("p_within", PVALUE, "… within it."),
    ("p_below", PVALUE, "… below its negative."),
    ("unanswered_first", COUNT.or_null(), _UNANSWERED.format("first")),
    ("unanswered_second", COUNT.or_null(), _UNANSWERED.format("second")),
    (
        "omissions",
        TEXT.or_null(),
        "What was left out for want of an answer, and whether tests show that it favours one model.",
    ),
)
WITHOUT_STEPS = Row(*(Key(name, kind, itemgetter(name), about) for name, kind, about in _DESCRIBED))
"""The row of a comparison as tables and frames have it."""
COMPARISON = Row(
    *WITHOUT_STEPS.keys,
    Key(
        "chi_squared",
        NUMBER_OR_NULL,
        lambda row: None,
        "Friedman's chi-squared, in files of before; null of other tests.",
        optional=True,
    ),
    Key(
        "by_hand",
        _BY_HAND,
        itemgetter("by_hand"),
        "The steps of a paired t of two learners over folds; absent elsewhere.",
        optional=True,
    ),
)
"""The row of a comparison, with the steps of a paired t where it has them."""


def one_as_dict(one: Comparison) -> dict[str, Any]:
    """A comparison as plain values."""
    return COMPARISON.values(row_of(one) | {"by_hand": one.by_hand})


PAIR = Kind({"description": "Two models in one measure.", **COMPARISON.schema}, one_as_dict).named(
    "comparison"
)
_STANDING = Row(
    Key("model", TEXT, "0.model"),
    Key("value", TESTED, "0.value"),
    Key(
        "lead",
        TESTED,
        "0.lead",
        "Its value minus that of the best other model; the interval holds for all models at once.",
    ),
    Key("may_be_best", FLAG, "0.may_be_best"),
    Key(
        "place",
        COUNT.limited(minimum=1).or_null(),
        "1",
        "Its place by its value, which models of equal values share; null where there is no order.",
        added=True,
    ),
    Key(
        "ranks",
        Many(COUNT.limited(minimum=1)).limited(minItems=2, maxItems=2),
        "0.ranks",
        "The first and the last place that it may have.",
    ),
)


def _standings(board: Leaderboard) -> list[tuple[Standing, int | None]]:
    """Each model with its place, None where there is no order."""
    return [
        (standing, place if board.reason is None else None)
        for standing, place in zip(board.standings, board.places, strict=True)
    ]


_BOARD = Row(
    Key("measure", TEXT, help="Its canonical name."),
    Key(
        "leader",
        TEXT.or_null(),
        help="The model with the best value; null where no value is better than another.",
    ),
    Key(
        "leaders",
        TEXTS,
        help="The models with the best value, `leader` first; several where they are equal.",
        added=True,
    ),
    Key(
        "may_be_best",
        TEXTS,
        help="The models among which the best one is, at the level, in the order of their values.",
    ),
    Key(
        "expected",
        TESTED.or_null(),
        help="What to expect of the leader on fresh cases, corrected for its having been chosen.",
    ),
    Key(
        "needed",
        NUMBER,
        help="Units that separate the leader from the next model with a power of 80%, if the difference is as large "
        "as it looks.",
    ),
    Key("n", NUMBER, help="Units that were compared."),
    Key("units", TEXT, help="What was drawn independently."),
    Key("level", LEVEL),
    Key("method", TEXT.or_null(), lambda board: board.method or None, "Of the intervals of the leads."),
    Key("reason", TEXT.or_null(), help="Why there is no order, if there is none."),
    Key("absent", ByName(TEXT), lambda board: dict(board.absent), "Models without a value, and why."),
    Key("models", Many(_STANDING).limited(minItems=1), _standings),
    Key("sentence", TEXT),
)
_OVERALL = Row(
    Key("measure", TEXT),
    Key("models", TEXTS.limited(minItems=2)),
    Key("p", PVALUE, help="Of the test that all are alike."),
    Key("test", TEXT, "method", "Its name."),
    Key("statistic", NUMBER, help="Of the test."),
    Key("df", NUMBER, help="Its degrees of freedom."),
    Key(
        "chi_squared",
        FLOAT.or_null(),
        friedman_chi_squared,
        "Friedman's statistic, whose p is of the F distribution or exact; null for other tests.",
        added=True,
    ),
)
RANKS = Row(
    Key(
        "mean_ranks",
        ByName(FLOAT.limited(minimum=1)),
        lambda diagram: dict(zip(diagram.models, diagram.ranks, strict=True)),
        "By model, from the best on; 1 is best.",
    ),
    Key(
        "cliques",
        Many(TEXTS.limited(minItems=2)),
        help="The largest groups of models of which no two are told apart.",
    ),
    Key("method", TEXT, help="The tests of the pairs."),
    Key("level", LEVEL),
    Key("critical_difference", FLOAT.or_null(), "distance", "Nemenyi's; null for other tests."),
)
"""Mean ranks over data sets, and the groups of models that do not differ significantly."""
CODES = tuple(sorted({*OF_MODELS, "never_true", "many_numeric_groups"}))
ABOUT_LABELS = "What a reader must know of the labels before acting on the numbers."
COMPARE = Result(
    "comparison",
    1,
    "Comparison",
    "What `classay compare --json` writes and `Comparisons.to_dict` returns.",
    Key("models", TEXTS.limited(minItems=2)),
    Key("facts", ByName(TEXT), lambda family: dict(family.facts), "What was compared, as names and texts."),
    Key("level", LEVEL, help="Of the intervals."),
    Key("seed", COUNT, help="From which everything random follows."),
    Key(
        "values",
        ByName(ByName(NUMBER)),
        lambda family: {measure: family.values(measure) for measure in family.measures},
        "By measure and model.",
    ),
    Key("comparisons", Many(PAIR).limited(minItems=1), itself),
    Key(
        "leaderboard",
        Many(
            Kind(
                {"description": "Several models in one measure, the best first.", **_BOARD.schema},
                _BOARD.json,
            )
        ),
        "leaderboards",
        "By measure: who leads and who may be the best, of four models or more on one test set; else empty.",
    ),
    Key("overall", Many(_OVERALL)),
    Key("random", one_of(*RANDOM_OF_COMPARISONS), help="What varies, and so what the claim is about."),
    Key("headline", HEADLINE, lambda family: leading(findings_on_comparisons(family)), added=True),
    Key("warnings", warnings(*CODES), help=ABOUT_LABELS, added=True),
    Key("ranks", RANKS.or_null(), "diagram", "Mean ranks over data sets, of three models or more."),
    Key(
        "roc_space",
        ROC_SPACE.or_null(),
        "space",
        "Models of two classes that give labels alone, as points of ROC space; null elsewhere.",
        added=True,
    ),
    Key(
        "methods",
        TEXT,
        lambda family: family.methods_text(),
        "How, in sentences for a paper, with references.",
    ),
    name="compare",
)

NEW_FIRST = "Of both models in {}, the new one first; empty where there are none."
VALUES_OF_MODELS = Many(NUMBER)
_OMISSIONS = Row(
    Key("unanswered", Many(COUNT), "comparison.omissions.omitted", "Cases that each model did not answer."),
    Key(
        "unanswered_alone",
        Many(COUNT),
        "comparison.omissions.alone",
        "Those of them that the other model answered.",
    ),
    Key("cases", COUNT, "comparison.omissions.cases", "All cases with a truth."),
    Key("units", TEXT, "comparison.omissions.units", "What the tests count: cases, or clusters."),
    Key(
        "p_unequal",
        PVALUE,
        "comparison.omissions.adjusted.0",
        "Holm-adjusted p-value that both models answer equally often.",
    ),
    Key(
        "p_harder",
        Many(PVALUE),
        lambda gate: gate.comparison.omissions.adjusted[1:],
        "Holm-adjusted p-values that what each model left out is as hard for the other as the rest.",
    ),
    Key(
        "one_sided", FLAG, "comparison.omissions.is_one_sided", "Whether one of these p-values is below 0.05."
    ),
    Key(
        "counted_as_wrong",
        TESTED.or_null(),
        "comparison.omissions.worst",
        "The effect if every unanswered case counts as wrong.",
    ),
    Key("passes_at_worst", FLAG, help="Whether the rule holds for that effect too."),
)


def _noise(end: int) -> Callable[[Gate], float | None]:
    """The Monte-Carlo error of an end of the difference, with more better."""

    def noise(gate: Gate) -> float | None:
        errors = gate.comparison.noise
        return None if errors is None else errors[:: direction_of(gate.comparison)][end]

    return noise


GATE = Result(
    "comparison",
    1,
    "Gate",
    "What `classay gate --json` writes.",
    Key(
        "verdict",
        VERDICT,
        help="Of the rule and all requirements: exit code 0, 1, 3, unless --inconclusive counts the last as one of the "
        "others.",
    ),
    Key("rule", one_of(*get_args(Rule))),
    Key("margin", POSITIVE.or_null(), help="Given beforehand."),
    Key("condition", TEXT, help="What the rule demands of the difference to pass."),
    Key(
        "condition_of_failure",
        TEXT,
        help='Where the rule fails; where neither holds, the verdict is inconclusive ("cannot tell").',
        added=True,
    ),
    Key("rule_verdict", VERDICT, "verdict.value"),
    Key("sentence", TEXT, help="The verdict in plain words."),
    Key("measure", TEXT, "comparison.measure", "What decides."),
    Key("models", TEXTS.limited(minItems=2, maxItems=2), "comparison.models", "The new one, the old one."),
    Key("values", VALUES_OF_MODELS.limited(maxItems=2), lambda gate: map(float, gate.comparison.values)),
    Key("effect", TESTED, help="New minus old."),
    Key("difference", TESTED, help="The effect, turned so that more is better."),
    Key(
        "error_of_low",
        _NOT_NEGATIVE,
        _noise(0),
        "Monte-Carlo standard error of the lower end of the difference; null where nothing is drawn.",
    ),
    Key("error_of_high", _NOT_NEGATIVE, _noise(1), "The same of the upper end."),
    Key("p", PVALUE, "comparison.p", "Two-sided, of no difference."),
    Key(
        "p_of_demand",
        PVALUE,
        "p",
        "One-sided, of the edge of the rule and what lies beyond; null without an interval. The rule holds where it is "
        "at most half of 1 - level ('not-worse' fails there).",
        added=True,
    ),
    Key("method", TEXT, "comparison.method", "The test."),
    Key("reference", TEXT, "comparison.reference", "Its sources."),
    Key("n", _NOT_NEGATIVE, "comparison.n"),
    Key("units", TEXT, "comparison.units", "Of n."),
    Key(
        "threshold",
        TEXT.or_null(),
        lambda gate: dict(gate.facts).get(THRESHOLD),
        "From which score on a case was called positive, and whether it was chosen; null where no score became a "
        "label, and of saved assessments, which were called before.",
        added=True,
    ),
    Key("left_out", ByName(TEXT), help="Which rows were given and not compared, and how many."),
    Key(
        "omissions",
        _OMISSIONS.or_null(),
        lambda gate: None if gate.comparison.omissions is None else gate,
        "What the models did not answer and was left out; null where nothing was.",
    ),
    Key("reason", TEXT.or_null(), "comparison.reason", "Why there is no p-value."),
    Key("headline", HEADLINE, added=True),
    Key("warnings", warnings(*CODES), help=ABOUT_LABELS, added=True),
    Key("requirements", Many(REQUIREMENT)),
    name="gate",
)
"""Of a gate, with its verdict, effect, findings and requirements beside it."""
