"""Readings in long form, checked, as a grid of modality, reader and case; the value and the influences of each cell."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.answers import MissingLabels
from classay.assessment.assessing import assess
from classay.columns import code_labels
from classay.columns.numbers import as_array, counted, picked
from classay.columns.opened import rows_of
from classay.errors import InputError
from classay.inference.design import Design, Spread, corrected
from classay.inference.estimate import Estimate
from classay.inference.scores.auc import Placements
from classay.predictions import check
from classay.sources.frames import frame_columns
from classay.texts import hint, listed, quote

Array = NDArray[Any]
OF_LABELS = ("recall", "specificity")
"""The measures of readings that are labels."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Readings by modality, reader and case: which there are, and their scores or labels, `[modality, reader, case]`.

    `truth` says which cases are positive, `cluster` are whole numbers from 0 without gaps, or None.
    """

    modalities: tuple[str, ...]
    readers: tuple[str, ...]
    truth: Array
    read: Array
    positive: Hashable
    negative: Hashable
    score: Array | None = None
    called: Array | None = None
    cluster: Array | None = None
    dropped: int = 0

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that these readings have."""
        return (() if self.score is None else ("roc_auc",)) + (() if self.called is None else OF_LABELS)

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return int(self.truth.size)

    def among(self, measure: str) -> Array:
        """Which cases a measure is of."""
        return {"recall": self.truth, "specificity": ~self.truth}.get(measure, np.ones(self.cases, bool))

    def units(self, rows: Array) -> int:
        """How many independent units these cases, booleans, are of."""
        return int(rows.sum() if self.cluster is None else np.unique(self.cluster[rows]).size)

    def cell(self, measure: str, i: int, j: int, level: float) -> Estimate:
        """The estimate of a reader in a modality, as of a classifier."""
        at = self.read[i, j]
        how: dict[str, Any] = {"cluster": None if self.cluster is None else self.cluster[at]}
        given = self.score if measure == "roc_auc" else self.called
        assert given is not None
        how["y_score" if measure == "roc_auc" else "y_pred"] = given[i, j, at]
        return assess(self.truth[at].astype(np.int8), **how, level=level)[measure]

    def influence(self, measure: str, i: int, j: int) -> tuple[float, Array]:
        """The value of a reader in a modality, and how much each case moves it, `(cases,)`; 0 of cases not read.

        It is scaled by the cases that were read, so that its variance is that of this reader's cases alone.
        """
        at = self.read[i, j] & self.among(measure)
        found = np.zeros(self.cases)
        if measure == "roc_auc":
            assert self.score is not None
            placed = Placements.of([self.score[i, j, at]], self.truth[at])
            found[at], value = placed.influence()[0], float(placed.aucs[0])
        else:
            assert self.called is not None
            right = self.called[i, j, at] == self.truth[at]
            value = float(right.mean())
            found[at] = (right - value) / right.size
        for kind in (self.truth, ~self.truth):
            own, whole = self.units(at & kind), self.units(self.among(measure) & kind)
            if own != whole:
                found[kind] *= (corrected(own) / corrected(whole)) ** 0.5
        return value, found

    def spread(self, measure: str, influences: Array) -> Spread:
        """How far values vary by the cases, together: DeLong's covariances of AUCs, those of shares, of clusters."""
        at = self.among(measure)
        cluster = None if self.cluster is None else np.unique(self.cluster[at], return_inverse=True)[1]
        design = Design.of_rows(int(at.sum()), cluster=cluster, true=self.truth[at].astype(np.int8))
        return design.spread(influences[:, at], by_class=measure == "roc_auc", degrees="units")

    def is_usable(self, measure: str, i: int, j: int) -> bool:
        """Whether a reader has a value with a spread: two cases of each class, or two clusters that hold it."""
        return self.units_of_rarer_class(measure, self.read[i, j]) > 1

    def units_of_rarer_class(self, measure: str, rows: Array) -> int:
        """The units of the rarer class that a measure is of."""
        at = rows & self.among(measure)
        classes = (self.truth, ~self.truth) if measure == "roc_auc" else (np.ones(self.cases, bool),)
        return min(self.units(at & kind) for kind in classes)


def grid_of(frame: Any, roles: Mapping[str, str], positive: Hashable | None, missing: MissingLabels) -> Grid:
    """The grid of readings whose columns a frame has, by what each role is called there; see `compare_readers`."""
    if "score" not in roles and "prediction" not in roles:
        ways = hint("score=", "--score"), hint("prediction=", "--prediction")
        raise InputError(
            f"there is nothing to compare: name the column of scores ({ways[0]}), that of predicted labels "
            f"({ways[1]}), or both."
        )
    named = frame_columns(frame, sorted({*roles.values()}))
    columns = {role: named[name] for role, name in roles.items()}
    keep, dropped = _kept(columns, roles, missing)
    with picked(keep):
        if keep is not None:
            columns = {role: rows_of(column, keep) for role, column in columns.items()}
        known = check(
            columns["truth"], columns.get("score"), y_pred=columns.get("prediction"), positive=positive
        )
        if known.positive is None:
            raise InputError(
                f"truth has {len(known.labels)} classes: readers are compared on two; assess one class against the "
                "others in a column of its own."
            )
        codes, names = _codes(columns, roles)
    modality, reader, case = (codes[role] for role in ("modality", "reader", "case"))
    classes, cases = (known.negative, known.positive), names["case"]
    shape = (len(names["modality"]), len(names["reader"]), len(cases))
    _refuse_second_reading((modality, reader, case), shape, names)
    truth = _of_case(known.is_positive, case, cases, classes, f"is {{}} ({roles['truth']})")
    cluster = None
    if "cluster" in codes:
        told = f"lies in {{}} ({roles['cluster']})"
        cluster = _of_case(codes["cluster"], case, cases, names["cluster"], told)
    read = np.zeros(shape, bool)
    read[modality, reader, case] = True
    score: Array | None = None
    called: Array | None = None
    if known.score is not None:
        score = np.full(shape, np.nan, known.score.dtype)
        score[modality, reader, case] = known.score
    if known.predicted is not None:
        called = np.zeros(shape, bool)
        called[modality, reader, case] = known.predicted == known.labels.index(known.positive)
    modalities, readers = (tuple(map(str, names[role])) for role in ("modality", "reader"))
    return Grid(modalities, readers, truth, read, *classes[::-1], score, called, cluster, dropped)


def _kept(
    columns: Mapping[str, Any], roles: Mapping[str, str], missing: MissingLabels
) -> tuple[Array | None, int]:
    """Which readings stay, None for all of them, and how many do not: those without a truth, a score or a label."""
    gone = {
        role: np.isnan(as_array(columns[role], role))
        if role == "score"
        else code_labels(columns[role], role).codes < 0
        for role in ("truth", "score", "prediction")
        if role in columns
    }
    lengths = {each.size for each in gone.values()}
    if len(lengths) > 1:
        raise InputError(
            f"the columns have {listed([f'{n:,}' for n in sorted(lengths)])} rows: pass one length."
        )
    lacking = np.logical_or.reduce([*gone.values()])
    if not lacking.any():
        return None, 0
    if missing == "refuse":
        told = listed([f"{role} ({roles[role]})" for role, each in gone.items() if each.any()])
        drop = hint("missing='drop'", "--missing drop")
        raise InputError(
            f"{told} is missing in {counted(int(lacking.sum()), 'reading')}: fill them in, or pass {drop} to leave out "
            "these readings, which the report will count."
        )
    if lacking.all():
        raise InputError("no reading has a truth and an answer: check these columns.")
    return np.flatnonzero(~lacking), int(lacking.sum())


def _codes(
    columns: Mapping[str, Any], roles: Mapping[str, str]
) -> tuple[dict[str, Array], dict[str, Sequence[Hashable]]]:
    """Whole numbers for what each reading is of, without gaps, and the names that they stand for."""
    rows = len(code_labels(columns["truth"], "truth").codes)
    codes: dict[str, Array] = {"modality": np.zeros(rows, np.int64)}
    names: dict[str, Sequence[Hashable]] = {"modality": ("",)}
    for role in ("case", "reader", "modality", "cluster"):
        if role not in columns:
            continue
        coded = code_labels(columns[role], role)
        if coded.missing:
            raise InputError(
                f"{role} ({roles[role]}) is missing in {counted(coded.missing, 'reading')}: every reading needs its "
                f"{role}."
            )
        used, codes[role] = np.unique(coded.codes, return_inverse=True)
        names[role] = [coded.labels[at] for at in used.tolist()]
        if role == "reader":  # R2 before R10
            order = sorted(range(used.size), key=lambda at: _with_numbers(str(names["reader"][at])))
            codes[role] = np.argsort(order)[codes[role]]
            names[role] = [names[role][at] for at in order]
    return codes, names


def _with_numbers(name: str) -> list[tuple[int, int, str]]:
    """A name as it is sorted: its digits as numbers.

    >>> sorted(["R10", "R2"], key=_with_numbers)
    ['R2', 'R10']
    """
    pieces = re.split(r"([0-9]{1,18})", name)
    return [(1, int(each), "") if k % 2 else (0, 0, each) for k, each in enumerate(pieces)]


def _refuse_second_reading(
    codes: tuple[Array, Array, Array], shape: tuple[int, ...], names: Mapping[str, Sequence[Hashable]]
) -> None:
    places, times = np.unique(np.ravel_multi_index(codes, shape), return_counts=True)
    if places.size == codes[0].size:
        return
    i, j, k = map(int, np.unravel_index(int(places[times.argmax()]), shape))
    where = "" if names["modality"][i] == "" else f" in {quote(names['modality'][i])}"
    raise InputError(
        f"{quote(names['reader'][j])} read case {quote(names['case'][k])}{where} {times.max()} times"
        f"{_likewise(int((times > 1).sum()), 'reading')}: keep one reading of each, or name the column that tells them "
        "apart (modality)."
    )


def _of_case(
    values: Array, case: Array, cases: Sequence[Hashable], names: Sequence[Hashable], told: str
) -> Array:
    """The value that all readings of each case have, `(cases,)`; refuses a case that has two."""
    found = np.empty(len(cases), values.dtype)
    found[case] = values
    wrong = np.unique(case[found[case] != values])
    if not wrong.size:
        return found
    at = int(wrong[0])
    both = listed([quote(names[int(each)]) for each in np.unique(values[case == at])])
    raise InputError(
        f"case {quote(cases[at])} {told.format(both)}{_likewise(wrong.size, 'case')}: a case is one thing for all "
        "readers; correct the column, or give the cases names of their own."
    )


def _likewise(count: int, what: str) -> str:
    return "" if count == 1 else f", and {counted(count - 1, f'other {what}')} likewise"
