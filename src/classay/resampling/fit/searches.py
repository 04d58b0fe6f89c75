"""Searches inside the folds: those of scikit-learn and of its kin, alone or as the last step of a pipeline."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Hashable, Iterable, Mapping
from copy import deepcopy
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.columns.values import plain
from classay.resampling.leaks.finding import Leak
from classay.resampling.splits import printed


def search_in(model: Any) -> tuple[str, Any] | None:
    """A search with what its parameters begin with: nothing, or the name of its step."""
    prefix, found = _last(model)
    return (prefix, found) if _is_search(found) else None


def _last(model: Any) -> tuple[str, Any]:
    """The last step of a pipeline, or the model itself, with what its parameters begin with."""
    if isinstance(getattr(model, "steps", None), list):
        step, found = model.steps[-1]
        return f"{step}__", found
    return "", model


def _is_search(model: Any) -> bool:
    return all(hasattr(model, part) for part in ("estimator", "cv", "refit"))


def groups_for(model: Any, cluster: NDArray[Any] | None) -> dict[str, NDArray[Any]]:
    """What to pass to `fit` beside features and labels: the clusters, where its inner folds can keep them together."""
    prefix, found = _last(model)
    return {f"{prefix}groups": cluster} if cluster is not None and _keeps_clusters(found) else {}


def _keeps_clusters(model: Any) -> bool:
    """Whether a learner's own folds keep clusters whole: of a search by its `cv`, of others by their `fit` also."""
    from sklearn.utils.validation import has_fit_parameter

    if _is_search(model):
        return keeps_groups(model.cv)
    if not hasattr(model, "cv") or not has_fit_parameter(model, "groups"):
        return False
    return not hasattr(model.cv, "split") or keeps_groups(model.cv)


def grouped(folds: int, cluster: Any, seed: int | None = None) -> Any:
    """Stratified inner folds, of whole clusters where there are any; shuffled where there is a seed."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if cluster is None else StratifiedGroupKFold
    return kind(folds, shuffle=seed is not None, random_state=seed)


def torn_clusters(models: Iterable[tuple[str, Any]]) -> tuple[Leak, ...]:
    """A leak where these models put rows of one cluster on both sides of folds of their own."""
    lasts = [(name, _last(model)[1]) for name, model in models]
    names = [
        name
        for name, each in lasts
        if hasattr(each, "cv") and not isinstance(each.cv, str) and not _keeps_clusters(each)
    ]
    if not names:
        return ()
    are_searches = all(_is_search(each) for name, each in lasts if name in names)
    whose = "the search of " if are_searches else ""
    text = (
        f"{whose}{', '.join(names)} puts rows of one cluster on both sides of its inner folds, so that it promises too "
        "much and may choose badly: "
    )
    if are_searches:
        text += "give it cv=StratifiedGroupKFold(…), which gets the clusters as groups."
    else:
        text += "searches and classay's Stacking get the clusters as groups of their cv, others do not."
    return (Leak("inner_folds", text, len(names), names[0]),)


def keeps_groups(cv: Any) -> bool:
    """Whether a splitter keeps groups together: it is given some to split, because its name need not say so.

    One that cannot split them, as one made for other rows, goes by its name.
    """
    if not hasattr(cv, "split"):
        return False
    rows = np.arange(TRIED * EACH)
    groups, y = rows % TRIED, rows // TRIED % 2
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            splits = [*islice(deepcopy(cv).split(np.zeros((rows.size, 1)), y, groups), TRIED)]
        torn = [np.intersect1d(groups[train], groups[test]).size for train, test in splits]
    except Exception:  # noqa: BLE001  what any splitter raises of rows that it was not made for
        return "group" in type(cv).__name__.casefold()
    return bool(torn) and not any(torn)


TRIED, EACH = 20, 6
"""Groups, and rows of each, that a splitter is tried on."""

OF_ONE_CLASS = ("f1", "precision", "recall", "jaccard", "average_precision")
"""Scorers of scikit-learn that look at one class, which is 1 unless `pos_label` names another."""


def scoring_of(search: Any, positive: Hashable | None) -> str:
    """The name of what a search tries to improve, as scikit-learn has it; "custom" for what has none.

    Where it looks at another class than the positive one, the name says of which: it is another measure then.
    """
    scoring = getattr(search, "scoring", None)
    refit = getattr(search, "refit", None)
    if isinstance(refit, str):
        scoring = scoring[refit] if isinstance(scoring, Mapping) else refit
    if scoring is None:
        return "accuracy"
    name, of_class = (scoring, 1) if isinstance(scoring, str) else _name_of_scorer(scoring)
    if name not in OF_ONE_CLASS or of_class == positive:
        return name
    return f"{name} of class {plain(of_class)!r}"


def _name_of_scorer(scorer: Any) -> tuple[str, Any]:
    """The name of a scorer object and the class it looks at."""
    from sklearn.metrics import get_scorer, get_scorer_names

    mine = _parts_of_scorer(scorer)
    if mine is None:
        return "custom", 1
    for name in get_scorer_names():
        if _parts_of_scorer(get_scorer(name)) == mine:
            return str(name), _settings(scorer).get("pos_label", 1)
    return "custom", 1


def _parts_of_scorer(scorer: Any) -> tuple[Any, ...] | None:
    """What a scorer does, but for the class it looks at; None for what scikit-learn did not make."""
    function, sign = getattr(scorer, "_score_func", None), getattr(scorer, "_sign", None)
    if not callable(function):
        return None
    settings = {name: value for name, value in _settings(scorer).items() if name != "pos_label"}
    response = getattr(scorer, "_response_method", None)
    return function, sign, sorted(map(repr, settings.items())), repr(response)


def _settings(scorer: Any) -> dict[str, Any]:
    """The settings of a scorer that differ from the defaults of its function."""
    given = getattr(scorer, "_kwargs", {})
    defaults = inspect.signature(scorer._score_func).parameters
    return {
        name: value
        for name, value in given.items()
        if name not in defaults or repr(defaults[name].default) != repr(value)
    }


def scoring_for(scoring: str | None, positive: Any) -> Any:
    """The scoring to give to a search, so that it looks at the positive class as everything else does."""
    if scoring not in OF_ONE_CLASS or positive is None or isinstance(positive, Mapping) or positive == 1:
        return scoring
    from sklearn.metrics import get_scorer, make_scorer

    known = get_scorer(scoring)
    return make_scorer(
        known._score_func, response_method=known._response_method, pos_label=positive, **known._kwargs
    )


def choice_of(model: Any, positive: Hashable | None) -> dict[str, Any] | None:
    """What a search chose, its inner score and the name of that score."""
    search = model
    if not hasattr(search, "best_params_") and hasattr(model, "steps"):
        search = model.steps[-1][1]
    if not hasattr(search, "best_params_"):
        return None
    score = getattr(search, "best_score_", None)
    return {
        "params": {str(name): _as_json(value) for name, value in search.best_params_.items()},
        "score": None if score is None else float(score),
        "scoring": scoring_of(search, positive),
    }


def _as_json(value: Any) -> Any:
    value = plain(value)
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return printed(value)
    return value
