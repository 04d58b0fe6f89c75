"""Saving decompositions: a zip of JSON and plain arrays. Loading executes nothing and fits nothing."""

from __future__ import annotations

import io
import json
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.saved.restoring import check_format, damaged, labels_of, level_of
from classay.errors import FileError
from classay.files.archive import Archive, sealed
from classay.files.fields import Damaged, Fields, distinct, hold
from classay.files.labels import label_out
from classay.files.writing import write_bytes
from classay.improving.parts import LOSSES
from classay.improving.rounds import BLOCKS, RoundTable
from classay.improving.units import Units

if TYPE_CHECKING:
    from classay.improving.decomposition import Decomposition

FORMAT = 2
"""The first format of a decomposition; files of format 1 have no checksums, and there are none of these."""
_ABOUT = "decomposition.json"
_INDEX = "index.json"
_TEXTS = ("learner", "sampling", "random")


def save(d: Decomposition, path: Path) -> None:
    """Write a decomposition with its table, replacing the file in one step. Raises FileError."""
    write_bytes(path, to_bytes(d))


def to_bytes(d: Decomposition) -> bytes:
    """A decomposition as a zip; equal decompositions are equal bytes."""
    about: dict[str, Any] = {"format": FORMAT, "what": "decomposition", "loss": d.loss}
    about |= {name: getattr(d, name) for name in _TEXTS}
    about |= {"labels": [label_out(label) for label in d.labels], "noise_known": d.noise_known}
    about |= {"size": d.size, "drawn_from": d.drawn_from, "planned": d.planned}
    about |= {"failures": d.failures, "notes": d.notes, "level": d.level, "seed": d.seed}
    arrays = {"rows": d.rows} | {name: getattr(d.table, name) for name in _ARRAYS}
    arrays |= {"weight": d.units.weight, "cluster": d.units.cluster}
    members: dict[str, Any] = {f"{name}.npy": each for name, each in arrays.items() if each is not None}
    return sealed(_ABOUT, about, members | index_out(d.index))


def index_out(index: tuple[int | str, ...] | None) -> dict[str, bytes]:
    """What a frame calls its rows, as a member of an archive; none where it has no index of its own."""
    return {} if index is None else {_INDEX: json.dumps({"index": index}).encode()}


def index_in(archive: Archive, rows: int) -> tuple[int | str, ...] | None:
    """What `index_out` wrote, of so many rows."""
    if _INDEX not in archive:
        return None
    with_index = archive.fields(_INDEX)
    found = with_index.list("index", lambda each: each)
    with_index.done()
    hold(len(found) == rows and {*map(type, found)} <= {int, str}, "the index is not one of the rows")
    return found


def load(path: Path, kind: type[Decomposition]) -> Decomposition:
    """Read what `save` wrote, as an object of its class. Raises FileError when the file is none of these."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from error
    return from_bytes(content, path, kind)


def from_bytes(content: bytes, path: Path, kind: type[Decomposition]) -> Decomposition:
    """Read what `to_bytes` wrote; `path` is for the errors. Raises FileError."""
    try:
        with Archive(io.BytesIO(content)) as archive:
            if _ABOUT not in archive:
                raise FileError(f"{path} is no saved decomposition: pass a file that its `save` wrote.")
            about = archive.fields(_ABOUT)
            check_format(about, "decomposition", FORMAT, archive.seal, path)
            hold(archive.seal is not None, "its checksums are missing")
            found = _decomposition(about, archive, kind)
            archive.done()
            return found
    except Damaged as error:
        raise damaged(path, "decomposition", error) from error


_ARRAYS = ("votes", "truth", "sums", "squares", "logs")


def _decomposition(about: Fields, archive: Archive, kind: type[Decomposition]) -> Decomposition:
    labels = labels_of(about, "labels")
    hold(len(labels) >= 2, "there is one class only")
    table = _table(archive, len(labels))
    texts = {name: about.text(name) for name in _TEXTS}
    loss = about.choice("loss", LOSSES)
    hold(loss == "0-1" or table.sums is not None, "its probabilities are missing")
    planned, size = about.whole("planned", 2), about.whole("size", 1)
    drawn_from = about.maybe("drawn_from", lambda name: about.whole(name, 1))
    known = about.flag("noise_known")
    rows = archive.array("rows.npy", "iu", (table.rows,), least=0)
    distinct(rows.tolist(), "the numbers of the test rows")
    units = _units(archive, table.rows)
    failures, notes = about.texts("failures"), about.texts("notes")
    level, seed = level_of(about), about.whole("seed", most=inf)
    about.done()
    made = kind(
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
    hold(made.rounds + len(failures) == planned, "rounds and failures are not as many as were planned")
    return made


def _units(archive: Archive, rows: int) -> Units:
    """How the test rows count. Files of decompositions without clusters and weights have neither."""
    weight = archive.maybe_array("weight.npy", "f", (rows,), least=0)
    hold(weight is None or weight.min() > 0, "a test row has no weight")
    cluster = archive.maybe_array("cluster.npy", "iu", (rows,), least=0, below=rows)
    hold(cluster is None or np.bincount(cluster).min() > 0, "the clusters have a gap")
    return Units(weight, cluster)


def _table(archive: Archive, classes: int) -> RoundTable:
    truth = archive.array("truth.npy", "f", (None, classes), least=0)
    rows = truth.shape[0]
    hold(rows, "there are no test rows")
    votes = archive.array("votes.npy", "i", (None, rows, classes), least=0)
    blocks = votes.shape[0]
    hold(1 <= blocks <= BLOCKS, f"there are {blocks} blocks of rounds")
    n = votes.sum(-1)
    hold(
        (n == n[:, :1]).all() and n[:, 0].min() >= 1 and n.sum(0)[0] >= 2, "rows have other numbers of rounds"
    )
    sums = archive.maybe_array("sums.npy", "f", votes.shape, least=0)
    squares = archive.maybe_array("squares.npy", "f", votes.shape[:-1], least=0)
    logs = archive.maybe_array("logs.npy", "f", votes.shape, finite=False)
    hold(len({each is None for each in (sums, squares, logs)}) == 1, "some sums of probabilities are missing")
    hold(logs is None or not np.isnan(logs).any(), "the logarithms hold NaN")
    return RoundTable(votes, truth, sums, squares, logs)
