"""What the JSON of comparisons says (docs/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, get_args

from classay.assessment.finding import leading
from classay.comparison.claims import direction_of
from classay.comparison.comparison import Comparison, friedman_chi_squared
from classay.comparison.comparisons import row_of
from classay.comparison.findings_differences import findings_on_comparisons
from classay.comparison.gate_rules import THRESHOLD, Gate
from classay.comparison.leaderboard import Leaderboard, Standing
from classay.comparison.named_tests import CORRECTED
from classay.kinds import Alternative, Rule
from classay.report.results.classes_and_costs import ROC_SPACE
from classay.report.shape import ByName, Key, Kind, Many, Result, Row, itself
from classay.report.value_kinds import (
    COUNT,
    ESTIMATE,
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

RANDOM_OF_COMPARISONS = ("test cases", "drawn cases", "training sets", "data sets")
_NOT_NEGATIVE = WEIGHT.or_null()
_UNANSWERED = "Cases without a prediction by the {} model, if missing predictions were excluded."
_PAIRED_RULE = Row(
    Key("name", one_of("paired t, SD over K", "paired t", CORRECTED)),
    Key(
        "sd",
        WEIGHT,
        help=(
            "Standard deviation of the differences, over K in the first rule and over K - 1 in the others."
        ),
    ),
    Key("se", WEIGHT, help="Standard error of the mean."),
    Key("t", FLOAT, help="The mean divided by its standard error."),
    Key("df", POSITIVE),
    Key("critical", POSITIVE, help="Equal performance is rejected if |t| exceeds this value."),
    Key("p", SHARE, help="Two-sided."),
    Key("rejects", FLAG),
)
_BY_HAND = Row(
    Key(
        "differences",
        Many(NUMBER).limited(minItems=2),
        help="Value of the first model minus value of the second, in each fold.",
    ),
    Key("mean", NUMBER, help="Mean of the differences."),
    Key(
        "rules",
        Many(_PAIRED_RULE),
        help="The paired t test of some textbooks, Student's, and the corrected resampled t test.",
    ),
)
_DESCRIBED: tuple[tuple[str, Kind, str], ...] = (
    ("measure", TEXT, "Canonical name of the measure, or what was compared instead."),
    ("first", TEXT, "The first model in the difference."),
    ("second", TEXT, "The second model."),
    ("value_first", NUMBER, "Value of the first model. Over data sets, the mean."),
    ("value_second", NUMBER, "Value of the second model. Over data sets, the mean."),
    (
        "difference",
        NUMBER,
        (
            "First minus second. Over data sets, the median (Hodges-Lehmann), or the difference of mean ranks "
            "(higher is better)."
        ),
    ),
    ("low", NUMBER, "Lower limit."),
    ("high", NUMBER, "Upper limit."),
    ("level", LEVEL.or_null(), "Confidence level. Null without an interval. Equivalence at 0.95 has 0.90."),
    ("interval", TEXT.or_null(), "Method of the interval."),
    (
        "error_of_low",
        _NOT_NEGATIVE,
        "Monte-Carlo standard error of the lower limit. Null without random draws.",
    ),
    (
        "error_of_high",
        _NOT_NEGATIVE,
        ("Monte-Carlo standard error of the upper limit. Null without random draws."),
    ),
    ("alternative", one_of(*get_args(Alternative)), "The prespecified alternative for first minus second."),
    (
        "p",
        PVALUE,
        "Two-sided p value of no difference, or of the rule if `test` says so. Null with the reason if there "
        "is none.",
    ),
    ("p_adjusted", PVALUE, "Adjusted for all comparisons of the call."),
    ("adjustment", TEXT.or_null(), "Method of the adjustment."),
    ("test", TEXT, "The test. With a rule on one test set, the interval that decides."),
    ("statistic", NUMBER, "Test statistic."),
    ("df", NUMBER, "Degrees of freedom."),
    ("n", _NOT_NEGATIVE, "Units of the test, named in `units`."),
    ("units", TEXT, "Cases, folds, data sets, …"),
    ("needed", NUMBER, "Units needed to detect a difference as large as observed with 80% power."),
    ("reason", TEXT.or_null(), "Reason for a missing p value or interval."),
    ("reference", TEXT, "Sources of the test and the interval."),
    ("sentence", TEXT, "The finding, in plain words."),
    ("more_cases", TEXT.or_null(), "The sample size needed, in plain words."),
    ("random", one_of(*RANDOM_OF_COMPARISONS), "The source of variation that the claim covers."),
    ("finding", TEXT, 'The better model, or that the rule holds, or "open".'),
    ("rule", one_of(*get_args(Rule)).or_null(), "The prespecified rule."),
    ("margin", POSITIVE.or_null(), "The prespecified margin."),
    ("verdict", VERDICT.or_null(), "One-sided p value of the rule."),
    ("rope", _NOT_NEGATIVE, "Prespecified difference that counts as equivalent in practice."),
    ("p_above", PVALUE, "Probability that the difference is above the ROPE."),
    ("p_within", PVALUE, "Probability that the difference is within the ROPE."),
    ("p_below", PVALUE, "Probability that the difference is below the ROPE."),
    ("unanswered_first", COUNT.or_null(), _UNANSWERED.format("first")),
    ("unanswered_second", COUNT.or_null(), _UNANSWERED.format("second")),
    (
        "omissions",
        TEXT.or_null(),
        "Cases excluded for missing predictions, and whether tests show that this favors one model.",
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
        "Friedman's chi-squared, in files of earlier versions. Null for other tests.",
        optional=True,
    ),
    Key(
        "by_hand",
        _BY_HAND,
        itemgetter("by_hand"),
        "The steps of a paired t test of two learners over folds. Absent elsewhere.",
        optional=True,
    ),
)
"""The row of a comparison, with the steps of a paired t where it has them."""


def one_as_dict(one: Comparison) -> dict[str, Any]:
    """Return a comparison as plain values."""
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
        "Value minus that of the best other model. The intervals of all models are jointly valid.",
    ),
    Key("may_be_best", FLAG, "0.may_be_best"),
    Key(
        "place",
        COUNT.limited(minimum=1).or_null(),
        "1",
        "Rank by value, shared by models with equal values. Null without an order.",
        added=True,
    ),
    Key(
        "ranks",
        Many(COUNT.limited(minimum=1)).limited(minItems=2, maxItems=2),
        "0.ranks",
        "The lowest and the highest possible rank.",
    ),
)


def _standings(board: Leaderboard) -> list[tuple[Standing, int | None]]:
    """Return each model with its place, None where there is no order."""
    return [
        (standing, place if board.reason is None else None)
        for standing, place in zip(board.standings, board.places, strict=True)
    ]


BOARD = Row(
    Key("measure", TEXT, help="Its canonical name."),
    Key(
        "leader",
        TEXT.or_null(),
        help="The model with the best value. Null if no value is better than another.",
    ),
    Key(
        "leaders",
        TEXTS,
        help="The models with the best value, `leader` first. Several if values are equal.",
        added=True,
    ),
    Key(
        "may_be_best",
        TEXTS,
        help="The models that may be best, at this confidence level, in the order of their values.",
    ),
    Key(
        "expected",
        TESTED.or_null(),
        help="Expected value of the leader on new cases, corrected for its selection.",
    ),
    Key(
        "needed",
        NUMBER,
        help="Units needed to separate the leader from the next model with 80% power, if the difference is as "
        "large as observed.",
    ),
    Key("n", NUMBER, help="Units compared."),
    Key("units", TEXT, help="The independent units."),
    Key("level", LEVEL),
    Key(
        "method", TEXT.or_null(), lambda board: board.method or None, "Method of the intervals of the leads."
    ),
    Key("reason", TEXT.or_null(), help="Reason for a missing order."),
    Key("absent", ByName(TEXT), lambda board: dict(board.absent), "Models without a value, with the reason."),
    Key("models", Many(_STANDING).limited(minItems=1), _standings),
    Key("sentence", TEXT),
)
_OVERALL = Row(
    Key("measure", TEXT),
    Key("models", TEXTS.limited(minItems=2)),
    Key("p", PVALUE, help="p value of the overall test of equal performance."),
    Key("test", TEXT, "method", "Name of the overall test."),
    Key("statistic", NUMBER, help="Statistic of the overall test."),
    Key("df", NUMBER, help="Its degrees of freedom."),
    Key(
        "chi_squared",
        FLOAT.or_null(),
        friedman_chi_squared,
        "Friedman's statistic, if its p value comes from the F distribution or is exact. Null for other "
        "tests.",
        added=True,
    ),
)
RANKS = Row(
    Key(
        "mean_ranks",
        ByName(FLOAT.limited(minimum=1)),
        lambda diagram: dict(zip(diagram.models, diagram.ranks, strict=True)),
        "By model, best first. 1 is the best rank.",
    ),
    Key(
        "cliques",
        Many(TEXTS.limited(minItems=2)),
        help="The largest groups of models without a detected difference.",
    ),
    Key("method", TEXT, help="The pairwise tests."),
    Key("level", LEVEL),
    Key(
        "critical_difference",
        FLOAT.or_null(),
        "distance",
        "Critical difference of Nemenyi's test. Null for other tests.",
    ),
)
"""Mean ranks over data sets, and the groups of models that do not differ significantly."""
CODES = tuple(sorted({*OF_MODELS, "never_true", "many_numeric_groups", "equal_models"}))
ABOUT_LABELS = "Warnings on the labels."
KEYS_OF_FACTS = {"positive class": "positive"}
"""Keys of facts in JSON that differ from the names that a reader sees."""
COMPARE = Result(
    "comparison",
    1,
    "Comparison",
    "What `classay compare --json` writes and `Comparisons.to_dict` returns.",
    Key("models", TEXTS.limited(minItems=2)),
    Key(
        "facts",
        ByName(TEXT),
        lambda family: {KEYS_OF_FACTS.get(name, name): text for name, text in family.facts},
        "What was compared, as pairs of name and text.",
    ),
    Key("level", LEVEL, help="Confidence level."),
    Key("seed", COUNT, help="Seed of all random draws."),
    Key(
        "values",
        ByName(ByName(NUMBER)),
        lambda family: {measure: family.values(measure) for measure in family.measures},
        "By measure and model.",
    ),
    Key(
        "means",
        ByName(ESTIMATE),
        lambda family: dict(family.means),
        "Means of two or three models by name, if values are given. Empty elsewhere.",
        added=True,
    ),
    Key("comparisons", Many(PAIR).limited(minItems=1), itself),
    Key(
        "leaderboard",
        Many(Kind({"description": "Models ranked in one measure, best first.", **BOARD.schema}, BOARD.json)),
        "leaderboards",
        "By measure: the leader and the models that may be best, for four or more models on one test set. "
        "Otherwise empty.",
    ),
    Key("overall", Many(_OVERALL)),
    Key("random", one_of(*RANDOM_OF_COMPARISONS), help="The source of variation that the claims cover."),
    Key("headline", HEADLINE, lambda family: leading(findings_on_comparisons(family)), added=True),
    Key("warnings", warnings(*CODES), help=ABOUT_LABELS, added=True),
    Key("ranks", RANKS.or_null(), "diagram", "Mean ranks over data sets, for three or more models."),
    Key(
        "roc_space",
        ROC_SPACE.or_null(),
        "space",
        "Models of two classes with predicted labels only, as points in ROC space. Otherwise null.",
        added=True,
    ),
    Key(
        "methods",
        TEXT,
        lambda family: family.methods_text(),
        "Methods, in sentences for a paper, with references.",
    ),
    name="compare",
)

NEW_FIRST = "Of both models in {}, the new model first. Empty without them."
VALUES_OF_MODELS = Many(NUMBER)
_OMISSIONS = Row(
    Key("unanswered", Many(COUNT), "comparison.omissions.omitted", "Cases without a prediction, by model."),
    Key(
        "unanswered_alone",
        Many(COUNT),
        "comparison.omissions.alone",
        "Among these, cases with a prediction of the other model.",
    ),
    Key("cases", COUNT, "comparison.omissions.cases", "All cases with a true label."),
    Key("units", TEXT, "comparison.omissions.units", "Units of the tests: cases or clusters."),
    Key(
        "p_unequal",
        PVALUE,
        "comparison.omissions.adjusted.0",
        "Holm-adjusted p value of equal rates of missing predictions.",
    ),
    Key(
        "p_harder",
        Many(PVALUE),
        lambda gate: gate.comparison.omissions.adjusted[1:],
        "Holm-adjusted p values of the hypothesis that the cases without a prediction are as hard for the "
        "other model as the rest.",
    ),
    Key(
        "one_sided", FLAG, "comparison.omissions.is_one_sided", "Whether one of these p-values is below 0.05."
    ),
    Key(
        "counted_as_wrong",
        TESTED.or_null(),
        "comparison.omissions.worst",
        "The effect if missing predictions count as incorrect.",
    ),
    Key("passes_at_worst", FLAG, help="Whether the rule holds for this effect too."),
)


def _noise(end: int) -> Callable[[Gate], float | None]:
    """Return the Monte-Carlo error of an end of the difference, with more better."""

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
        help="Verdict on the rule and all requirements: exit code 0, 1, 3, unless --inconclusive counts the "
        "last as one of the others.",
    ),
    Key("rule", one_of(*get_args(Rule))),
    Key("margin", POSITIVE.or_null(), help="Prespecified."),
    Key("condition", TEXT, help="The condition on the difference to pass."),
    Key(
        "condition_of_failure",
        TEXT,
        help='The condition to fail. If neither holds, the verdict is inconclusive ("cannot tell").',
        added=True,
    ),
    Key("rule_verdict", VERDICT, "verdict.value"),
    Key("sentence", TEXT, help="The verdict in plain words."),
    Key("measure", TEXT, "comparison.measure", "The measure that decides."),
    Key(
        "models",
        TEXTS.limited(minItems=2, maxItems=2),
        "comparison.models",
        "The new model and the old model.",
    ),
    Key("values", VALUES_OF_MODELS.limited(maxItems=2), lambda gate: map(float, gate.comparison.values)),
    Key("effect", TESTED, help="New minus old."),
    Key("difference", TESTED, help="The effect, with the sign changed if lower is better."),
    Key(
        "error_of_low",
        _NOT_NEGATIVE,
        _noise(0),
        "Monte-Carlo standard error of the lower limit of the difference. Null without random draws.",
    ),
    Key(
        "error_of_high",
        _NOT_NEGATIVE,
        _noise(1),
        "Monte-Carlo standard error of the upper limit. Null without random draws.",
    ),
    Key("p", PVALUE, "comparison.p", "Two-sided p value of no difference."),
    Key(
        "p_of_demand",
        PVALUE,
        "p",
        "One-sided p value against the edge of the rule. Null without an interval. The rule holds if it is at "
        "most half of 1 - level ('not-worse' fails there).",
        added=True,
    ),
    Key("method", TEXT, "comparison.method", "The test."),
    Key("reference", TEXT, "comparison.reference", "Sources of the test."),
    Key("n", _NOT_NEGATIVE, "comparison.n"),
    Key("units", TEXT, "comparison.units", "Units of n."),
    Key(
        "threshold",
        TEXT.or_null(),
        lambda gate: dict(gate.facts).get(THRESHOLD),
        "Threshold of the predicted labels, and whether it was chosen. Null if no score became a label, and "
        "for saved assessments.",
        added=True,
    ),
    Key("left_out", ByName(TEXT), help="Rows given but not compared, by reason."),
    Key(
        "omissions",
        _OMISSIONS.or_null(),
        lambda gate: None if gate.comparison.omissions is None else gate,
        "Missing predictions that were excluded. Null without any.",
    ),
    Key("reason", TEXT.or_null(), "comparison.reason", "Reason for a missing p value."),
    Key("headline", HEADLINE, added=True),
    Key("warnings", warnings(*CODES), help=ABOUT_LABELS, added=True),
    Key("requirements", Many(REQUIREMENT)),
    name="gate",
)
"""Of a gate, with its verdict, effect, findings and requirements beside it."""
