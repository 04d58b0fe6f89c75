"""Balancing compared with doing nothing: each learner twice, as it is and fitted to classes of equal size."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from classay.errors import InputError, MissingExtraError, check_word, in_our_words
from classay.resampling.fit.ways_to_balance import DONE, Balance

if TYPE_CHECKING:
    from classay.comparison.comparisons import Comparisons
    from classay.resampling.evaluation import Evaluation

REMARK = "balance"
"""The code of the remark on what was balanced."""
BESIDE = " + "
"""What stands between the name of a learner and what balances it."""
OF_TWO = ("roc_auc", "average_precision", "brier_score", "balanced_accuracy")
OF_SEVERAL = ("macro_roc_auc", "multiclass_brier_score", "balanced_accuracy")
"""What is compared, as far as it is shown: ranking, probabilities, and labels whose classes count alike."""


def with_balanced(
    estimators: Mapping[str, Any], keys: Mapping[str, str], method: str
) -> tuple[dict[str, Any], dict[str, str], tuple[str, str]]:
    """Each estimator and its balanced twin, "NAME + METHOD", by name; with keys for both, and a remark.

    Raises InputError: an unknown method, a name that is taken, an estimator that cannot be balanced so; or
    MissingExtraError: SMOTE without imbalanced-learn.
    """
    check_word("balance", method, get_args(Balance))
    if method == "smote" and importlib.util.find_spec("imblearn") is None:
        raise MissingExtraError("balancing by SMOTE", "balance")
    from classay.resampling.fit.balancing import balanced

    found: dict[str, Any] = {}
    known = dict(keys)
    for name, each in estimators.items():
        twin = f"{name}{BESIDE}{method}"
        if twin in estimators:
            raise InputError(
                f"a model is named {twin!r}, as the balanced one of {name!r}: name it otherwise."
            )
        with in_our_words(
            f"{name} cannot be copied", "get_params must give its parameters, as in scikit-learn."
        ):
            found |= {name: each, twin: balanced(name, each, method)}  # type: ignore[arg-type]
        if name in keys:
            known.setdefault(twin, f"{keys[name]}{BESIDE}{method}")
    text = (
        f"models named “{BESIDE.strip()} {method}” are fitted to balanced training cases ({DONE[method]}; test cases "
        "stay as they are); their probabilities are corrected to the shares of the classes in training, their labels "
        "are those of the balanced model"
    )
    return found, known, (REMARK, text)


def balanced_pairs(e: Evaluation) -> list[tuple[str, str]]:
    """The balanced learners of an evaluation, each with the same learner as it is."""
    pairs = []
    for model in e.models:
        plain, _, method = model.rpartition(BESIDE)
        if method in get_args(Balance) and plain in e.models:
            pairs.append((model, plain))
    return pairs


def compare_balanced(e: Evaluation) -> Comparisons:
    """Each balanced learner less itself as it is, over the folds: the paired test, p-values adjusted over all by Holm.

    Measures of ranking, of probabilities, and of labels whose classes count alike. Raises InputError where nothing was
    balanced, of several data sets, and where the protocol has no test of two learners.
    """
    pairs = balanced_pairs(e)
    if not pairs:
        raise InputError("no model is balanced here: evaluate with balance=, such as balance='weights'.")
    if len(e.runs) > 1:
        raise InputError(
            f"there are {len(e.runs)} data sets: name one, as in e[{e.datasets[0]!r}].balancing, or compare over all "
            "with e.compare()."
        )
    from classay.resampling.comparing_learners import compare_evaluation

    of_two = e.runs[0].cases.positive is not None
    measures = [name for name in (OF_TWO if of_two else OF_SEVERAL) if name in e.measures]
    return compare_evaluation(e, measures or None, only=pairs)
