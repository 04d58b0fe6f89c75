"""Decompositions over one parameter of a learner, or over the size of its training sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from classay.columns.frames import frame_of
from classay.curves.curve import Curve
from classay.errors import InputError, in_our_words, nearest
from classay.improving.decomposing import decompose, learner_of
from classay.improving.decomposition import Decomposition
from classay.improving.parts import LOSS_TITLES
from classay.inference.draws import seed_of
from classay.kinds import checked
from classay.shown import Shown, plot
from classay.texts import clean

SIZE = "size"
"""The parameter that is one of `decompose`: the rows of a training set."""
DECADES = 30
"""From the smallest value to this many times it, an axis is plain; beyond, it is one of logarithms."""


@dataclass(frozen=True, eq=False)
class DecompositionPath(Shown):
    """A loss taken apart at each value of one parameter, with the same training sets and test rows at all.

    `p[3]` is the `Decomposition` at a value, `p.decompositions` are all of them; `p.curves()` the loss, bias and
    variance over the values, `p.frame()` as a table.
    """

    parameter: str
    values: tuple[Any, ...]
    decompositions: tuple[Decomposition, ...]

    def __getitem__(self, value: Any) -> Decomposition:
        """The decomposition at a value of the parameter. Raises InputError for another."""
        if value not in self.values:
            shown = ", ".join(map(repr, self.values))
            raise InputError(f"{self.parameter} was not {value!r}: it was {shown}.")
        return self.decompositions[self.values.index(value)]

    def of(self, loss: str) -> DecompositionPath:
        """The path of another loss, from the same fits."""
        made = tuple(each.of(loss) for each in self.decompositions)
        return DecompositionPath(self.parameter, self.values, made)

    @property
    def shown_terms(self) -> dict[str, str]:
        """The terms that a picture shows, by name, each with its title: the loss, bias, and what variance adds."""
        scheme = self.decompositions[0].schemes[0]
        known = self.decompositions[0].noise_known
        noise = "net_noise" if "net_noise" in scheme.adds_up else "noise"
        names = ("loss", *((noise,) if known else ()), scheme.bias, scheme.variance)
        return {name: scheme.part(name).title for name in names}

    def curves(self) -> tuple[Curve, ...]:
        """The data behind the picture: a curve with its band for each of `shown_terms`."""
        x, x_title = self._axis()
        return tuple(self._curve(name, title, x, x_title) for name, title in self.shown_terms.items())

    def _axis(self) -> tuple[Any, str]:
        """Where the values stand, and the title of the axis: places in their order where some are no numbers."""
        try:
            x = np.array([float(each) for each in self.values])
        except (TypeError, ValueError):
            named = ", ".join(f"{k}: {value}" for k, value in enumerate(self.values, 1))
            return np.arange(1.0, len(self.values) + 1), f"{self.parameter} ({named})"
        if x.min() > 0 and x.max() > DECADES * x.min():
            return np.log10(x), f"logarithm (base 10) of {self.parameter}"
        return x, self.parameter

    def _curve(self, name: str, title: str, x: Any, x_title: str) -> Curve:
        found = [each[name] for each in self.decompositions]
        value, low, high = (np.array([getattr(e, side) for e in found]) for side in ("value", "low", "high"))
        is_banded = bool(np.isfinite(low).any())
        first = self.decompositions[0]
        return Curve(
            "decomposition_path",
            f"Bias and variance of {first.learner}",
            x,
            value,
            x_title,
            LOSS_TITLES[first.loss],
            series=title,
            low=np.where(np.isfinite(low), low, value) if is_banded else None,
            high=np.where(np.isfinite(high), high, value) if is_banded else None,
            band=f"{100 * first.level:g} % interval at each value" if is_banded else "",
        )

    def frame(self) -> Any:
        """A PyArrow table with a row for each value and term: the parameter as text, term, value, low, high."""
        rows = [
            {self.parameter: str(value), "term": name}
            | {side: getattr(found, side) for side in ("value", "low", "high")}
            for value, each in zip(self.values, self.decompositions, strict=True)
            for name, found in each.terms.items()
        ]
        return frame_of(rows)

    def plot(self, ax: Any = None) -> Any:
        """Draw the curves with matplotlib (the extra `plot`), on new axes or on those given; returns the axes."""
        return plot(self.curves(), ax)

    def save(self, path: str | Path) -> None:
        """Write the path with all its tables to a file, replacing it in one step. Raises FileError.

        So it does for values that are no numbers or text, such as models.
        """
        from classay.improving.saved_curves import save_path

        save_path(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> DecompositionPath:
        """Read what `save` wrote; nothing is executed and fitted. Raises FileError when the file is none."""
        from classay.improving.saved_curves import load_path

        return load_path(Path(path), cls)

    def __repr__(self) -> str:
        return clean(
            f"DecompositionPath({self.decompositions[0].learner} over {self.parameter}, {len(self.values)} values)"
        )


@checked
def decompose_over(
    learner: Any, X: Any = None, y: Any = None, *, parameter: str, values: Sequence[Any], **how: Any
) -> DecompositionPath:
    """Take the loss of a learner apart at each value of one of its parameters, or at each `size` of its training sets.

    `parameter` is one that the learner's `set_params` knows ("max_depth", "n_neighbors", "C", "n_estimators",
    "step__C" of a pipeline, or "C" alone where one step has it), or "size". Training sets, test rows and seeds are the
    same at all values, so that what differs is owed to the parameter alone. Everything else as in `decompose`.
    Raises InputError: a parameter that the learner has not, no values or equal ones, and what `decompose` raises.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = decompose_over(DecisionTreeClassifier(), X, y, parameter="max_depth", values=[1, 6], rounds=20)
    >>> path[1]["bias"].value > path[6]["bias"].value
    True
    """
    chosen = tuple(values)
    if not chosen or any(value in chosen[:k] for k, value in enumerate(chosen)):
        raise InputError(f"values of {parameter} are {list(chosen)!r}: pass one or more, each once.")
    how |= {"seed": seed_of(how.get("seed", 0))}  # a Generator is drawn from once
    if parameter == SIZE:
        made = [decompose(learner, X, y, **(how | {SIZE: value})) for value in chosen]
    else:
        keys = how.pop("keys", None) or {}
        made = []
        for value in chosen:
            model = _with(learner, X, parameter, value)
            # a key stands for the learner as it came, which is another one at each value
            own = {name: f"{keys[name]}, {parameter}={value!r}" for name in model if name in keys}
            made.append(decompose(model, X, y, keys=own, **how))
    return DecompositionPath(parameter, tuple(map(_plain, chosen)), tuple(made))


def _plain(value: Any) -> Any:
    """A number of NumPy's as Python's own, which shows and saves itself as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _with(learner: Any, X: Any, parameter: str, value: Any) -> dict[str, Any]:
    """A copy of the learner with a parameter set, under its name."""
    from sklearn.base import clone

    chosen = learner_of(learner, X)
    with in_our_words(f"{parameter} of the learner cannot be set", "name one that its get_params gives."):
        copied = clone(chosen.estimator)
        name = _full_name(parameter, copied.get_params(deep=True))
        return {chosen.name: copied.set_params(**{name: value})}


def _full_name(parameter: str, known: Mapping[str, Any]) -> str:
    """The parameter as the learner knows it: that of its one part that has it, where it has none itself."""
    if parameter in known:
        return parameter
    inside = sorted(name for name in known if name.endswith(f"__{parameter}"))
    if len(inside) == 1:
        return inside[0]
    if inside:
        raise InputError(f"{parameter!r} is a parameter of several parts: name one of {', '.join(inside)}.")
    near = nearest(parameter, known) or "."
    raise InputError(
        f"the learner has no parameter {parameter!r}{near} It has {', '.join(sorted(known))}, and there is 'size', of "
        "the training sets."
    )
