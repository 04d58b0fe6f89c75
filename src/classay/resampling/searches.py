"""Searches inside the folds: those of scikit-learn and of its kin, alone or as the last step of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from classay.resampling.leaks import Leak


def search_in(model: Any) -> tuple[str, Any] | None:
    """A search with what its parameters begin with: nothing, or the name of its step."""
    prefix, found = "", model
    if isinstance(getattr(model, "steps", None), list):
        step, found = model.steps[-1]
        prefix = f"{step}__"
    is_search = all(hasattr(found, part) for part in ("estimator", "cv", "refit"))
    return (prefix, found) if is_search else None


def groups_for(model: Any, cluster: NDArray[Any] | None) -> dict[str, NDArray[Any]]:
    """What to pass to `fit` beside features and labels: the clusters, where a search can keep them together."""
    found = search_in(model)
    if cluster is None or found is None or not _is_grouped(found[1].cv):
        return {}
    return {f"{found[0]}groups": cluster}


def grouped(folds: int, cluster: Any, seed: int | None = None) -> Any:
    """Stratified inner folds, of whole clusters where there are any; shuffled where there is a seed."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if cluster is None else StratifiedGroupKFold
    return kind(folds, shuffle=seed is not None, random_state=seed)


def torn_clusters(models: Iterable[tuple[str, Any]]) -> tuple[Leak, ...]:
    """A leak where searches among these models put rows of one cluster on both sides of their inner folds."""
    searches = [(name, found[1]) for name, model in models if (found := search_in(model)) is not None]
    names = [name for name, search in searches if not _is_grouped(search.cv)]
    if not names:
        return ()
    text = (
        f"the search of {', '.join(names)} puts rows of one cluster on both sides of its inner folds, so that it "
        "promises too much and may choose badly: give it cv=StratifiedGroupKFold(…), which gets the clusters as groups."
    )
    return (Leak("inner_folds", text, len(names), names[0]),)


def _is_grouped(cv: Any) -> bool:
    """Whether a splitter keeps groups together; all that do so say it in their name."""
    return hasattr(cv, "split") and "group" in type(cv).__name__.casefold()
