"""Decomposition: noise, bias and variance of a learner's loss, over test rows and rounds; saved and read again."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from math import e, exp, inf, isfinite, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.assessment.restoring import labels_of
from classay.errors import InputError, nearest
from classay.files.archives import Archive, Fields, distinct, label_out, require_file, saved, sealed
from classay.files.writing import saved_path, write_bytes
from classay.improving.loss_parts import (
    BLOCKS,
    LOSS_TITLES,
    LOSSES,
    Loss,
    LossPart,
    Parts,
    RoundTable,
    Scheme,
    of_loss,
)
from classay.improving.training_sets import ALIKE, MeanUnits
from classay.inference.estimate import Estimate
from classay.inference.proportions import score_interval
from classay.shown import Reportable
from classay.tables.sums import are_greatest, is_rounding, rounded_difference
from classay.texts import clean
from classay.warned import Warned, first_ones

Array = NDArray[Any]
FEWEST = 3
"""Rounds from which on there is an interval: without a block of them, two must be left to show variance."""
NOISE_UNKNOWN = "noise cannot be separated from bias with one label per row and is included in the bias"
INFINITE = "a class probability of 0 in some round makes log-loss infinite"


@dataclass(frozen=True)
class TermSpread:
    """The variance of a mean over rows and rounds, and its degrees of freedom."""

    variance: float
    df: float


def spread(values: Array, without: Array) -> TermSpread:
    """Return the variance of the mean over rows, when rows and rounds are both random.

    `values`, `(rows,)`, are the values of the rows; `without`, `(blocks, rows)`, the same without one block of rounds.
    Rows and rounds are crossed, so the variance is that of the rows (which takes in what is random in both), and the
    delete-a-block jackknife's of the rounds, less what both have counted: the two-way variance of Cameron, Gelbach &
    Miller (2011, J Business & Economic Statistics 29:238), and never less than either of the first two. Degrees of
    freedom are Satterthwaite's; each variance has 2n / (k - 1), with the kurtosis k of its values, because a few rows
    that hold most of a part tell less of its variance than as many normal ones.
    """
    rows, blocks = values.size, without.shape[0]
    values = _without_rounding(values)
    of_rows = float(values.var(ddof=1)) / rows if rows > 1 else float("nan")
    factor = (blocks - 1) / blocks
    means = _without_rounding(without.mean(1))
    of_rounds = factor * float(((means - means.mean()) ** 2).sum())
    of_both = factor * float(((without - without.mean(0)) ** 2).sum()) / rows**2
    variance = max(of_rows + of_rounds - of_both, of_rows, of_rounds)
    parts = of_rows**2 / _degrees(values) + of_rounds**2 / _degrees(means)
    return TermSpread(variance, (of_rows + of_rounds) ** 2 / parts if parts > 0 else float(rows - 1))


def _without_rounding(values: Array) -> Array:
    """Return the values, or zeros where they differ by rounding alone."""
    return np.zeros_like(values) if is_rounding(np.ptp(values), np.abs(values).max()) else values


def _degrees(values: Array) -> float:
    """Return the degrees of freedom of the variance of values, by their kurtosis; at most n - 1, as for normal ones."""
    n, gaps = values.size, values - values.mean()
    square = float((gaps**2).mean())
    if square == 0:
        return float(n - 1)
    excess = float((gaps**4).mean()) / square**2 - 1
    return min(n - 1.0, max(2 * n / excess, 1.0) if excess > 0 else n - 1.0)


@dataclass(frozen=True, eq=False)
class LossTerms:
    """The parts of the loss by one scheme, from a table whose rows were all tested in two rounds or more.

    `noise_known` says whether `truth` of the table is the distribution of the class, or the one label seen; `units` how
    the rows count, which are independent or lie in clusters.
    """

    table: RoundTable
    scheme: Scheme
    level: float
    noise_known: bool
    units: MeanUnits = ALIKE

    @cached_property
    def rows(self) -> Parts:
        """Each part at each row, `(rows,)`, without the bias of few rounds."""
        if self.scheme.corrected is not None:
            return self.scheme.corrected(self.table.pooled)
        blocks = self.table.blocks
        plain = self.scheme.at(self.table.pooled)
        with np.errstate(invalid="ignore"):  # infinite less infinite
            return {
                name: blocks * term - (blocks - 1) * self._without[name].mean(0)
                if np.isfinite(term).all()
                else term
                for name, term in plain.items()
            }

    @cached_property
    def _without(self) -> Parts:
        """The same without each block of rounds, `(blocks, rows)`."""
        table = self.table.without
        terms = (self.scheme.corrected or self.scheme.at)(table)
        return {
            name: np.broadcast_to(term, table.n.shape) for name, term in terms.items()
        }  # noise has no rounds

    def estimate(self, name: str) -> Estimate:
        """Return a part with its interval."""
        part = self.scheme.part(name)
        if not self.noise_known and name in ("noise", "net_noise"):
            return Estimate.undefined(NOISE_UNKNOWN)
        return self._estimate(self.rows[name], self._without[name], part)

    @property
    def leaning(self) -> Estimate:
        """Variance's contribution to the loss minus that of bias: above 0 where variance is the greater part."""
        bias, variance = self.scheme.bias, self.scheme.variance
        with np.errstate(invalid="ignore"):  # infinite less infinite
            values, without = (
                rounded_difference(terms[variance], terms[bias]) for terms in (self.rows, self._without)
            )
        return self._estimate(
            values, without, LossPart("leaning", "", "", float("inf"), -float("inf"), "signed")
        )

    def _estimate(self, values: Array, without: Array, part: LossPart) -> Estimate:
        value = float(self.units.mean(values))
        if not isfinite(value):
            if np.isnan(value):
                return Estimate.undefined(INFINITE)
            return Estimate.bare(value, INFINITE)
        if is_rounding(value, float(np.abs(values).max(initial=0.0))):
            value = 0.0  # parts of both signs that cancel
        values = self.units.of(values)
        if values.size < 2:
            return Estimate.bare(value, f"one test {self.units.name} shows no variation")
        if self.table.n.sum(0).min() < FEWEST:
            return Estimate.bare(value, "variation between rounds needs at least three rounds")
        if not np.isfinite(without).all():
            return Estimate.bare(value, "the value is infinite without some rounds")
        term_spread = spread(values, self.units.of(without))
        method, interval = INTERVALS[part.scale]
        low, high = interval(value, term_spread, values.size, self.level)
        low, high = max(low, min(part.low, value)), min(high, max(part.high, value))
        return Estimate(value, low, high, self.level, method)


def _quantile(df: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + level / 2))


def _means(value: float, term_spread: TermSpread, rows: int, level: float) -> tuple[float, float]:
    half = _quantile(term_spread.df, level) * sqrt(term_spread.variance)
    return value - half, value + half


def _shares(value: float, term_spread: TermSpread, rows: int, level: float) -> tuple[float, float]:
    """The score interval of a share, with as many cases as would give it this variance; all rows if none varies."""
    share = min(max(value, 0.0), 1.0)
    cases = (
        share * (1 - share) / term_spread.variance
        if term_spread.variance > 0 and 0 < share < 1
        else float(rows)
    )
    low, high = score_interval(share * cases, cases, _quantile(term_spread.df, level))
    return float(low), float(high)


def _positive(value: float, term_spread: TermSpread, rows: int, level: float) -> tuple[float, float]:
    """Student's interval on the log scale, because means of squares and losses are skewed and spread with their size.

    For few units or clusters the plain interval ends too low.
    """
    if not value > 0:
        return _means(value, term_spread, rows, level)
    half = _quantile(term_spread.df, level) * sqrt(term_spread.variance)
    reach = half / value
    # beyond a reach of 1 the upper end goes on in a line, because it would soon say nothing
    return value * exp(-reach), value * exp(reach) if reach <= 1 else value + (e - 1) * half


INTERVALS = {
    "share": ("two-way score", _shares),
    "signed": ("two-way t", _means),
    "positive": ("two-way t of the logarithm", _positive),
}
"""Methods: of parts that are shares of rows and rounds, of means of any sign, and of means that are never below 0."""


@dataclass(frozen=True, eq=False)
class Decomposition(Reportable):
    """Expected loss of a learner, split into noise, bias and variance.

    `d["bias"]` is one of `d.terms`, each an `Estimate`. `d.of("squared")` splits another loss from the same
    fits. Everything is computed from `table` on request.

    Attributes
    ----------
    learner : str
        Name of the learner.
    loss : str
        The loss.
    table : RoundTable
        Votes and sums of probabilities at the test rows.
    labels : tuple
        Classes.
    rows : array
        Numbers of the test rows in the given data.
    noise_known : bool
        Whether the probabilities of the classes at the rows were known.
    sampling : str
        How training sets were drawn.
    random : str
        What the intervals cover.
    size : int
        Size of a training set, in clusters if there are any.
    drawn_from : int or None
        Number of rows (or clusters) that training sets were drawn from, None for a population.
    planned : int
        Number of planned training sets, of which `rounds` were finished.
    failures : tuple of str
        Reasons why other rounds failed.
    notes : tuple of str
        Remarks for the reader.
    level : float
        Confidence level of the intervals.
    seed : int
        Start of all random numbers.
    units : MeanUnits
        Weights and clusters of the test rows.
    index : tuple or None
        Index of a frame at the test rows, None if it only counts them.
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
    units: MeanUnits = ALIKE
    index: tuple[int | str, ...] | None = None

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """Warnings that a reader must know before acting.

        They concern fits that failed, and notes.
        """
        return (*first_ones("failure", self.failures, "a fit failed: "), *first_ones("note", self.notes))

    @property
    def rounds(self) -> int:
        """Number of training sets with a fitted model."""
        return int(self.table.n.sum(0)[0])

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """Decompositions of this loss, the default first."""
        return of_loss(self.loss)

    def of(self, loss: str) -> Decomposition:
        """Return the decomposition of another loss, from the same fits.

        Raises
        ------
        InputError
            If the fits gave no probabilities.
        """
        wanted = check_loss(loss)
        if wanted != "0-1" and self.table.sums is None:
            raise InputError(no_probabilities(self.learner, wanted))
        return replace(self, loss=wanted)

    @property
    def terms(self) -> dict[str, Estimate]:
        """Parts of the loss by its default decomposition, the loss first."""
        return self.terms_of(self.schemes[0].name)

    def terms_of(self, scheme: str) -> dict[str, Estimate]:
        """Return the parts by one decomposition.

        The 0–1 loss has "domingos" and "kohavi-wolpert".

        Raises
        ------
        InputError
            If there is no such decomposition.
        """
        terms = self._terms(scheme)
        return {part.name: terms.estimate(part.name) for part in terms.scheme.parts}

    def plain_terms(self, scheme: str | None = None) -> dict[str, float]:
        """Return the parts of these rounds without correction for few rounds.

        Other software gives these values, with the bias that few rounds bring.
        """
        chosen = self._scheme(scheme)
        return {name: float(self.units.mean(term)) for name, term in chosen.at(self.table.pooled).items()}

    def __getitem__(self, name: str) -> Estimate:
        """A part of the loss by its name. Raises InputError for what is none."""
        terms = self._terms(None)
        known = [part.name for part in terms.scheme.parts]
        if name not in known:
            near = nearest(str(name), known) or "."
            raise InputError(
                f"{LOSS_TITLES[self.loss]} has no part {name!r}. Parts: {', '.join(known)}{near}"
            )
        return terms.estimate(name)

    @property
    def leaning(self) -> Estimate:
        """Contribution of variance to the loss minus that of bias.

        It is above 0 if variance is the larger part.
        """
        return self._terms(None).leaning

    @property
    def biased_rows(self) -> Array:
        """Test rows with more bias than variance, those of the largest loss first."""
        terms = self._plain()
        return self._ordered(rounded_difference(terms["bias"], terms["variance"]) > 0, terms["loss"])

    @property
    def unstable_rows(self) -> Array:
        """Test rows with more variance than bias, the largest first."""
        terms = self._plain()
        return self._ordered(rounded_difference(terms["variance"], terms["bias"]) > 0, terms["variance"])

    def by_row(self) -> Any:
        """Return a PyArrow table of the test rows with their parts.

        Columns: number, index (of a frame that has one), likeliest class, main prediction, its share of the
        votes, parts. The parts are those of these rounds. Of tied main predictions the first is named.
        """
        import pyarrow as pa

        terms, pooled = self._plain(), self.table.pooled
        main = pooled.votes.argmax(-1)
        labels = [str(label) for label in self.labels]
        columns: dict[str, Any] = {
            "row": self.rows,
            **({} if self.index is None else {"index": self.index}),
            "truth": [labels[k] for k in are_greatest(pooled.truth).argmax(-1)],
            "main_prediction": [labels[k] for k in main],
            "share": pooled.votes[np.arange(self.rows.size), main] / pooled.n,
        }
        return pa.table(columns | {name: term for name, term in terms.items() if self._is_known(name)})

    def _is_known(self, part: str) -> bool:
        return self.noise_known or part not in ("noise", "net_noise")

    def _plain(self) -> dict[str, Array]:
        return self.schemes[0].at(self.table.pooled)

    def _ordered(self, which: Array, by: Array) -> Array:
        at = np.flatnonzero(which)
        ordered: Array = self.rows[at[np.argsort(-by[at], kind="stable")]]
        return ordered

    def _scheme(self, name: str | None) -> Scheme:
        known = {scheme.name: scheme for scheme in self.schemes}
        if name is not None and name not in known:
            near = nearest(str(name), known) or "."
            raise InputError(
                f"{LOSS_TITLES[self.loss]} has no decomposition {name!r}. Decompositions: {', '.join(known)}{near}"
            )
        return known[name] if name is not None else self.schemes[0]

    def _terms(self, scheme: str | None) -> LossTerms:
        return LossTerms(self.table, self._scheme(scheme), self.level, self.noise_known, self.units)

    def save(self, path: str | Path) -> None:
        """Write the decomposition with its table to a file, in one step.

        Raises
        ------
        FileError
            If the file cannot be written.
        """
        save(self, saved_path(path))

    @classmethod
    def load(cls, path: str | Path) -> Decomposition:
        """Load what `save` wrote, without executing or fitting anything.

        Raises
        ------
        FileError
            If the file holds no decomposition.
        """
        return load(Path(path), cls)

    def __repr__(self) -> str:
        return clean(
            f"Decomposition({self.learner}, {LOSS_TITLES[self.loss]}, {self.rounds} rounds; print it, or see .terms)"
        )


def check_loss(loss: Any) -> Loss:
    """Return a loss that can be taken apart. Raises InputError for any other."""
    if loss not in LOSSES:
        near = nearest(str(loss), LOSSES) or "."
        raise InputError(f"loss must be one of {', '.join(map(repr, LOSSES))}, but is {loss!r}{near}")
    return loss  # type: ignore[no-any-return]


def no_probabilities(learner: str, loss: Loss) -> str:
    """Return why a loss of probabilities cannot be taken apart."""
    return (
        f"{LOSS_TITLES[loss]} needs predicted probabilities, but {learner} has none. Use loss '0-1' or a "
        "learner with predict_proba, such as one wrapped in CalibratedClassifierCV."
    )


FORMAT = 2
"""The first format of a decomposition; files of format 1 have no checksums, and there are none of these."""
_ABOUT = "decomposition.json"
_INDEX = "index.json"
_TEXTS = ("learner", "sampling", "random")


def save(d: Decomposition, path: Path) -> None:
    """Write a decomposition with its table, replacing the file in one step. Raises FileError."""
    write_bytes(path, to_bytes(d))


def to_bytes(d: Decomposition) -> bytes:
    """Return a decomposition as a zip; equal decompositions are equal bytes."""
    about: dict[str, Any] = {"format": FORMAT, "what": "decomposition", "loss": d.loss}
    about |= {name: getattr(d, name) for name in _TEXTS}
    about |= {"labels": [label_out(label) for label in d.labels], "noise_known": d.noise_known}
    about |= {"size": d.size, "drawn_from": d.drawn_from, "planned": d.planned}
    about |= {"failures": d.failures, "notes": d.notes, "level": d.level, "seed": d.seed}
    arrays = {"rows": d.rows} | {name: getattr(d.table, name) for name in _ARRAYS}
    arrays |= {"weight": d.units.weight, "cluster": d.units.cluster}
    members: dict[str, Any] = {f"{name}.npy": array for name, array in arrays.items() if array is not None}
    return sealed(_ABOUT, about, members | index_out(d.index))


def index_out(index: tuple[int | str, ...] | None) -> dict[str, bytes]:
    """Return what a frame calls its rows, as a member of an archive; none where it has no index of its own."""
    return {} if index is None else {_INDEX: json.dumps({"index": index}).encode()}


def index_in(archive: Archive, rows: int) -> tuple[int | str, ...] | None:
    """Read an index that `index_out` wrote, of this number of rows."""
    if _INDEX not in archive:
        return None
    with_index = archive.fields(_INDEX)
    index = with_index.list("index", lambda label: label)
    with_index.done()
    require_file(len(index) == rows and {*map(type, index)} <= {int, str}, "the index is not one of the rows")
    return index


def load(source: Path | bytes, kind: type[Decomposition], name: object = None) -> Decomposition:
    """Read what `save` or `to_bytes` wrote, as an object of its class; errors call it by `name`. Raises FileError."""
    with saved(source, "decomposition", FORMAT, name) as (about, archive):
        decomposition = _decomposition(about, archive, kind)
        archive.done()
        return decomposition


_ARRAYS = ("votes", "truth", "sums", "squares", "logs")


def _decomposition(about: Fields, archive: Archive, kind: type[Decomposition]) -> Decomposition:
    labels = labels_of(about, "labels")
    require_file(len(labels) >= 2, "there is one class only")
    table = _table(archive, len(labels))
    texts = {name: about.text(name) for name in _TEXTS}
    loss = about.choice("loss", LOSSES)
    require_file(loss == "0-1" or table.sums is not None, "its probabilities are missing")
    planned, size = about.whole("planned", 2), about.whole("size", 1)
    drawn_from = about.maybe("drawn_from", lambda name: about.whole(name, 1))
    known = about.flag("noise_known")
    rows = archive.array("rows.npy", "iu", (table.rows,), least=0)
    distinct(rows.tolist(), "the numbers of the test rows")
    units = _units(archive, table.rows)
    failures, notes = about.texts("failures"), about.texts("notes")
    level, seed = about.share("level"), about.whole("seed", most=inf)
    about.done()
    decomposition = kind(
        **texts,
        loss=loss,
        table=table,
        labels=labels,
        rows=rows,
        noise_known=known,
        size=size,
        drawn_from=drawn_from,
        planned=planned,
        failures=failures,
        notes=notes,
        level=level,
        seed=seed,
        units=units,
        index=index_in(archive, table.rows),
    )
    require_file(
        decomposition.rounds + len(failures) == planned, "rounds and failures are not as many as were planned"
    )
    return decomposition


def _units(archive: Archive, rows: int) -> MeanUnits:
    """Return how the test rows count. Files of decompositions without clusters and weights have neither."""
    weight = archive.maybe_array("weight.npy", "f", (rows,), least=0)
    require_file(weight is None or weight.min() > 0, "a test row has no weight")
    cluster = archive.maybe_array("cluster.npy", "iu", (rows,), least=0, below=rows)
    require_file(cluster is None or np.bincount(cluster).min() > 0, "the clusters have a gap")
    return MeanUnits(weight, cluster)


def _table(archive: Archive, classes: int) -> RoundTable:
    truth = archive.array("truth.npy", "f", (None, classes), least=0)
    rows = truth.shape[0]
    require_file(rows, "there are no test rows")
    votes = archive.array("votes.npy", "i", (None, rows, classes), least=0)
    blocks = votes.shape[0]
    require_file(1 <= blocks <= BLOCKS, f"there are {blocks} blocks of rounds")
    n = votes.sum(-1)
    require_file(
        (n == n[:, :1]).all() and n[:, 0].min() >= 1 and n.sum(0)[0] >= 2, "rows have other numbers of rounds"
    )
    sums = archive.maybe_array("sums.npy", "f", votes.shape, least=0)
    squares = archive.maybe_array("squares.npy", "f", votes.shape[:-1], least=0)
    logs = archive.maybe_array("logs.npy", "f", votes.shape, finite=False)
    require_file(
        len({array is None for array in (sums, squares, logs)}) == 1, "some sums of probabilities are missing"
    )
    require_file(logs is None or not np.isnan(logs).any(), "the logarithms hold NaN")
    return RoundTable(votes, truth, sums, squares, logs)
