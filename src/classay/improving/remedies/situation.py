"""Situation: what a remedy needs to know of a learner and its cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from classay.inference.draws import stream
from classay.resampling.fit.searches import grouped

MEMBERS = 50
"""Members of the ensembles that are tried."""
INNER_FOLDS = 3
"""Folds inside the training cases, over which a setting is chosen."""


@dataclass(frozen=True, eq=False)
class Situation:
    """A learner, the cases in one of its training sets, and what these are like.

    `model` is the last step of a pipeline, or the learner itself: what a remedy changes. What stands before it in a
    pipeline prepares the columns, and stays. `rows` are those of the smallest training set, `features` the columns
    before any step, None where they have no such number.
    """

    learner: Any
    rows: int
    features: int | None
    classes: int
    cluster: Any = None
    seed: int = 0

    @property
    def model(self) -> Any:
        """What learns."""
        return self.learner.steps[-1][1] if self._is_pipeline else self.learner

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters of the model by their names."""
        found: dict[str, Any] = self.model.get_params(deep=False)
        return found

    @property
    def is_ensemble(self) -> bool:
        """Whether the model consists of many already."""
        return "n_estimators" in self.settings or "estimators" in self.settings

    @property
    def _is_pipeline(self) -> bool:
        return isinstance(getattr(self.learner, "steps", None), list)

    def with_model(self, model: Any) -> Any:
        """The learner with another model in place of its own."""
        return self.with_steps(model)

    def with_steps(self, *steps: Any) -> Any:
        """The learner with several steps in place of its model, the last one a model."""
        from sklearn.base import clone
        from sklearn.pipeline import Pipeline

        if not self._is_pipeline and len(steps) == 1:
            return steps[0]
        first = self.learner.steps[:-1] if self._is_pipeline else []
        before = [(name, clone(each) if hasattr(each, "get_params") else each) for name, each in first]
        kind: Any = type(self.learner) if self._is_pipeline else Pipeline
        if any(hasattr(each, "fit_resample") for each in steps):
            from imblearn import pipeline  # type: ignore[import-untyped]

            kind = pipeline.Pipeline
        names = _unlike([name for name, _ in before], [type(each).__name__.lower() for each in steps])
        return kind([*before, *zip(names, steps, strict=True)])

    def copy(self, **settings: Any) -> Any:
        """An unfitted copy of the model, with other settings."""
        from sklearn.base import clone

        return clone(self.model).set_params(**settings)

    def searched(self, grid: Sequence[Mapping[str, list[Any]]]) -> Any:
        """The learner with its settings chosen from a grid, by the accuracy over folds inside the training cases."""
        from sklearn.model_selection import GridSearchCV

        inner = int(stream(self.seed, "inner folds").integers(2**31))
        cv = grouped(INNER_FOLDS, self.cluster, inner)
        return self.with_model(GridSearchCV(self.copy(), grid, scoring="accuracy", cv=cv))


def _unlike(taken: list[str], wanted: list[str]) -> list[str]:
    """Names of steps that are not taken."""
    names: list[str] = []
    for name in wanted:
        again = sum(each.rstrip("0123456789-") == name for each in (*taken, *names))
        names.append(name if not again else f"{name}-{again + 1}")
    return names
