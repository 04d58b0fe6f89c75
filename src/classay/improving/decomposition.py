"""Decomposition: noise, bias and variance of a learner's loss."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError, nearest
from classay.improving.parts import LOSS_TITLES, LOSSES, Loss, Scheme, of_loss
from classay.improving.rounds import RoundTable
from classay.improving.terms import Terms
from classay.improving.units import ALIKE, Units
from classay.inference.estimate import Estimate
from classay.shown import Shown, plot
from classay.texts import clean

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Decomposition(Shown):
    """The expected loss of a learner taken apart: noise, bias, variance, each an `Estimate`.

    `d["bias"]` is one of `d.terms`; `d.terms_of("kohavi-wolpert")` are those of another decomposition of the same
    loss; `d.of("squared")` takes another loss apart, from the same fits. `d.leaning` is what variance adds less what
    bias does. `d.biased_rows` and `d.unstable_rows` are the rows where either is the greater, the worst first, and
    `d.by_row()` has the parts of all of them. Everything is computed from `table`, the votes and sums of
    probabilities at the test rows, when asked for.

    `rows` are the numbers of the test rows in the data given, `index` what the index of a frame calls them (None where
    it only counts them); `noise_known` says whether the classes' probabilities at
    them were known. `rounds` were finished of the `planned` ones, `failures` say why the others were not. `size` is
    that of a training set, drawn from `drawn_from` rows (None for a population), in clusters where there are any.
    `units` say how the test rows count: their weights and clusters.
    """

    learner: str
    loss: Loss
    table: RoundTable
    labels: tuple[Hashable, ...]
    rows: Array
    noise_known: bool
    sampling: str
    random: str
    size: int
    drawn_from: int | None
    planned: int
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    level: float = 0.95
    seed: int = 0
    units: Units = ALIKE
    index: tuple[int | str, ...] | None = None

    @property
    def rounds(self) -> int:
        """Training sets that a model was fitted to."""
        return int(self.table.n.sum(0)[0])

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """The decompositions of this loss, the default first."""
        return of_loss(self.loss)

    def of(self, loss: str) -> Decomposition:
        """Another loss taken apart, from the same fits. Raises InputError where they gave no probabilities."""
        wanted = check_loss(loss)
        if wanted != "0-1" and self.table.sums is None:
            raise InputError(no_probabilities(self.learner, wanted))
        return replace(self, loss=wanted)

    @property
    def terms(self) -> dict[str, Estimate]:
        """The parts of the loss by the default decomposition of it, the loss first."""
        return self.terms_of(self.schemes[0].name)

    def terms_of(self, scheme: str) -> dict[str, Estimate]:
        """The parts by one decomposition: "domingos" or "kohavi-wolpert" of 0–1 loss. Raises InputError."""
        found = self._terms(scheme)
        return {part.name: found.estimate(part.name) for part in found.scheme.parts}

    def plain_terms(self, scheme: str | None = None) -> dict[str, float]:
        """The parts of these very rounds, as other software gives them: with the bias that few rounds bring."""
        found = self._scheme(scheme)
        return {name: float(self.units.mean(each)) for name, each in found.at(self.table.pooled).items()}

    def __getitem__(self, name: str) -> Estimate:
        """A part of the loss by its name. Raises InputError for what is none."""
        found = self._terms(None)
        known = [part.name for part in found.scheme.parts]
        if name not in known:
            near = nearest(str(name), known) or "."
            raise InputError(
                f"no part of {LOSS_TITLES[self.loss]} is named {name!r}{near} There are {', '.join(known)}."
            )
        return found.estimate(name)

    @property
    def leaning(self) -> Estimate:
        """What variance adds to the loss less what bias does: above 0 where variance is the greater part of it."""
        return self._terms(None).leaning

    @property
    def biased_rows(self) -> Array:
        """Numbers of the test rows with more bias than variance, those of the largest loss first."""
        found = self._plain()
        return self._ordered(found["bias"] > found["variance"], found["loss"])

    @property
    def unstable_rows(self) -> Array:
        """Numbers of the test rows with more variance than bias, the largest first."""
        found = self._plain()
        return self._ordered((found["variance"] > found["bias"]) & (found["variance"] > 0), found["variance"])

    def by_row(self) -> Any:
        """A PyArrow table of the test rows: number, likeliest class, main prediction, its share of the votes, parts.

        After the number comes the `index`, where a frame was given with one of its own. The parts are those of these
        very rounds: of main predictions that are tied, the first is named.
        """
        import pyarrow as pa

        found, pooled = self._plain(), self.table.pooled
        main = pooled.votes.argmax(-1)
        labels = [str(label) for label in self.labels]
        columns: dict[str, Any] = {
            "row": self.rows,
            **({} if self.index is None else {"index": self.index}),
            "truth": [labels[k] for k in pooled.truth.argmax(-1)],
            "main_prediction": [labels[k] for k in main],
            "share": pooled.votes[np.arange(self.rows.size), main] / pooled.n,
        }
        return pa.table(columns | {name: each for name, each in found.items() if self._is_known(name)})

    def _is_known(self, part: str) -> bool:
        return self.noise_known or part not in ("noise", "net_noise")

    def _plain(self) -> dict[str, Array]:
        return self.schemes[0].at(self.table.pooled)

    def _ordered(self, which: Array, by: Array) -> Array:
        at = np.flatnonzero(which)
        found: Array = self.rows[at[np.argsort(-by[at], kind="stable")]]
        return found

    def _scheme(self, name: str | None) -> Scheme:
        known = {each.name: each for each in self.schemes}
        if name is not None and name not in known:
            near = nearest(str(name), known) or "."
            raise InputError(
                f"{name!r} is no decomposition of {LOSS_TITLES[self.loss]}{near} There is {', '.join(known)}."
            )
        return known[name] if name is not None else self.schemes[0]

    def _terms(self, scheme: str | None) -> Terms:
        return Terms(self.table, self._scheme(scheme), self.level, self.noise_known, self.units)

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss as stacked parts with matplotlib (the extra `plot`); returns the axes."""
        return plot(self, ax)

    def save(self, path: str | Path) -> None:
        """Write the decomposition with its table to a file, replacing it in one step. Raises FileError."""
        from classay.improving.saving import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Decomposition:
        """Read what `save` wrote; nothing is executed and fitted. Raises FileError when the file is none."""
        from classay.improving.saving import load

        return load(Path(path), cls)

    def __repr__(self) -> str:
        return clean(
            f"Decomposition({self.learner}, {LOSS_TITLES[self.loss]}, {self.rounds} rounds; print it, or see .terms)"
        )


def check_loss(loss: Any) -> Loss:
    """A loss that can be taken apart. Raises InputError for any other."""
    if loss not in LOSSES:
        near = nearest(str(loss), LOSSES) or "."
        raise InputError(f"loss is {loss!r}{near} Pass {', '.join(map(repr, LOSSES))}.")
    return loss  # type: ignore[no-any-return]


def no_probabilities(learner: str, loss: Loss) -> str:
    """Why a loss of probabilities cannot be taken apart."""
    return (
        f"{LOSS_TITLES[loss]} needs probabilities, and {learner} gives none: take loss='0-1', or a learner with "
        "predict_proba (CalibratedClassifierCV makes one)."
    )
