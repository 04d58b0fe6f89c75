"""compare_learners(): learners over the same folds, of an evaluation or of plain fold scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from classay.comparison.comparison import Alternative
from classay.comparison.comparisons import Comparisons
from classay.comparison.family import adjusted, pairs
from classay.comparison.folds.compare_folds import compare_folds
from classay.comparison.folds.differences import fold_differences
from classay.comparison.folds.learners import Learners, learners_of
from classay.comparison.one_sided import check_sides, in_direction, level_of_both
from classay.comparison.registry import FOLDS, chosen
from classay.comparison.rules import Rule, check_rule, interval_level
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.measures import Measure


@checked
def compare_learners(
    learners: Learners | Mapping[str, Learners] | Mapping[str, ArrayLike],
    measures: Sequence[str | Measure] | None = None,
    *,
    test_over_train: float | None = None,
    method: str | None = None,
    control: str | None = None,
    rope: float | None = None,
    rule: Rule | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjustment: str = "holm",
    level: float | None = None,
    seed: int | np.random.Generator = 0,
) -> Comparisons:
    """Compare learners over the same folds; what is random is the training set.

    `learners` are an `Evaluation`, a dict of evaluations of the same cases and folds, or a dict of plain fold scores
    by the learners' names, `(folds,)` or `(repeats, folds)` each, such as `cross_val_score` gives. Fold scores need
    `test_over_train`, the ratio of test to training cases of a fold, 1 / (K - 1) for K folds, and `measures` names
    the one measure that they are. `method` is "corrected-t" (the default), "nadeau-bengio-t", "5x2cv-f", "5x2cv-t",
    "sign-flip", "paired-t" (naive), or, with a `rope`, "bayesian" and "corani-benavoli"; the other options are those
    of `compare`. An evaluation of several data sets is compared over data sets.

    Raises InputError for folds that do not match, unknown options, or options that do not go together.

    >>> bayes, tree = [0.82, 0.79, 0.85, 0.80, 0.81], [0.80, 0.78, 0.81, 0.80, 0.79]
    >>> compare_learners({"bayes": bayes, "tree": tree}, ["accuracy"], test_over_train=1 / 4)[0]
    Comparison(accuracy of bayes less tree: 0.018 [-0.010, 0.046] 95 %, corrected resampled t; p = 0.14 (Holm), ...)
    """
    check_rule(rule, margin)
    check_sides(alternative, method, rule, rope)
    found = learners_of(learners)
    how: dict[str, Any] = {"method": method, "control": control, "rope": rope, "rule": rule, "margin": margin}
    how |= {"adjustment": adjustment, "seed": seed_of(seed)}
    if found is None:
        asked = 0.95 if level is None else level
        both = level_of_both(alternative, asked)
        made = _of_scores(learners, measures, test_over_train, level=both, **how)
        return in_direction(made, alternative, adjustment, asked)
    if test_over_train is not None:
        raise InputError(
            "test_over_train= is of plain fold scores, and an evaluation knows its folds: leave it out."
        )
    asked = found.level if level is None else level
    made = found.compare(measures, level=level_of_both(alternative, asked), **how)
    return in_direction(made, alternative, adjustment, asked)


def _of_scores(
    scores: Any,
    measures: Sequence[str | Measure] | None,
    test_over_train: float | None,
    *,
    method: str | None,
    control: str | None,
    rope: float | None,
    rule: Rule | None,
    margin: float | None,
    adjustment: str,
    level: float,
    seed: int,
) -> Comparisons:
    """Fold scores by the learners' names."""
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise InputError(
            "there are no two learners: pass an evaluation, or a dict of the fold scores of two or more by their names."
        )
    if test_over_train is None:
        raise InputError(
            "fold scores need test_over_train=, the test cases of a fold over its training cases: 1 / (K - 1) for K "
            "folds."
        )
    named = ["value"] if measures is None else [getattr(each, "name", str(each)) for each in measures]
    if len(named) != 1:
        raise InputError(f"fold scores are of one measure, and {len(named)} are named: pass one of them.")
    test = chosen(FOLDS, method, rope, "corrected-t")
    if rule is not None and test.name != "corrected-t":
        raise InputError(
            f"rules are held against the corrected resampled t, and {test.name!r} was asked for: leave one out."
        )
    values = {str(name): _numbers(name, each) for name, each in scores.items()}
    found = []
    for a, b in pairs([*values], control):
        apart = fold_differences(
            values[a], values[b], test_over_train=test_over_train, models=(a, b), measure=named[0]
        )
        means = float(values[a].mean()), float(values[b].mean())
        how: Any = {"rule": rule, "margin": margin, "rope": rope, "level": level, "seed": seed}
        found.append(compare_folds(apart, means, method=test.name, **how))
    made = found if rule is not None else adjusted(found, adjustment)
    facts = [("models", ", ".join(values)), ("folds", f"{next(iter(values.values())).size:,}")]
    facts.append(("test cases over training cases", f"{test_over_train:.4g}"))
    if control is not None:
        facts.append(("control", f"{control}, named beforehand"))
    return Comparisons(tuple(made), tuple(values), tuple(facts), interval_level(rule, level), seed)


def _numbers(name: Any, values: ArrayLike) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the fold scores of {name} are no numbers: pass one value a fold, as cross_val_score gives."
        ) from error
