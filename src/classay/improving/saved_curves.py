"""Saving learning curves and paths: a zip of JSON and of the archives that their parts are saved as."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classay.assessment.saved.restoring import check_format, damaged
from classay.errors import ClassayError, FileError
from classay.files.archive import Archive, sealed
from classay.files.fields import Damaged, Fields, distinct, hold, shown
from classay.files.labels import label_in, label_out
from classay.files.writing import write_bytes
from classay.improving import saving as decompositions
from classay.improving.decomposition import Decomposition
from classay.measures import get
from classay.resampling.evaluation import Evaluation
from classay.resampling.store import saving as evaluations

if TYPE_CHECKING:
    from classay.improving.learning_curve import LearningCurve
    from classay.improving.path import DecompositionPath

FORMAT = 2
"""The first format of both; as in all saved files, format 1 would be one without checksums."""
_CURVE, _PATH = "learning_curve.json", "decomposition_path.json"


def save_curve(c: LearningCurve, path: Path) -> None:
    """Write a learning curve with all its predictions, replacing the file in one step. Raises FileError."""
    about, members = parts_of_curve(c)
    head = {"format": FORMAT, "what": "learning curve", "learner": c.learner}
    write_bytes(path, sealed(_CURVE, head | about, members))


def load_curve(path: Path, kind: type[LearningCurve]) -> LearningCurve:
    """Read what `save_curve` wrote, as an object of its class. Raises FileError when the file is none of these."""
    with opened(path, _CURVE, "learning curve", FORMAT) as (about, archive):
        return curve_of(about.text("learner"), about, archive, path, kind)


def save_path(p: DecompositionPath, path: Path) -> None:
    """Write a path with the tables of all its decompositions. Raises FileError, as for values of no plain form."""
    about: dict[str, Any] = {"format": FORMAT, "what": "decomposition path", "parameter": p.parameter}
    try:
        about["values"] = [label_out(value) for value in p.values]
    except FileError as error:
        raise FileError(
            f"the values of {p.parameter} have no plain form to save: pass numbers or text as values, or save each of "
            "`.decompositions`."
        ) from error
    each = {f"{k}.classay": decompositions.to_bytes(d) for k, d in enumerate(p.decompositions)}
    write_bytes(path, sealed(_PATH, about, each))


def load_path(path: Path, kind: type[DecompositionPath]) -> DecompositionPath:
    """Read what `save_path` wrote, as an object of its class. Raises FileError when the file is none of these."""
    with opened(path, _PATH, "decomposition path", FORMAT) as (about, archive):
        parameter, values = about.text("parameter"), about.list("values", label_in)
        hold(values, "it has no values")
        distinct(values, "its values")
        made = tuple(
            decompositions.from_bytes(archive.bytes(f"{k}.classay"), path, Decomposition)
            for k in range(len(values))
        )
        hold(
            len({(each.loss, each.labels, each.rows.tobytes()) for each in made}) == 1,
            "its decompositions are of other losses or rows",
        )
        return kind(parameter, values, made)


def parts_of_curve(c: LearningCurve) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What a saved file says of a learning curve, and the evaluations that it consists of."""
    members = {_member(k): evaluations.to_bytes(each) for k, each in enumerate(c.evaluations)}
    return {"measure": c.measure, "sizes": c.sizes}, members


def curve_of(
    learner: str, about: Fields, archive: Archive, path: Path, kind: type[LearningCurve]
) -> LearningCurve:
    """The learning curve of a learner from what `parts_of_curve` gave. Raises Damaged."""
    measure, sizes = about.text("measure"), about.list("sizes", _size)
    hold(sizes, "its learning curve has no sizes")
    hold(list(sizes) == sorted({*sizes}), "the sizes of its learning curve are not in their order")
    try:
        hold(get(measure).name == measure, f"measure is {shown(measure)}")
    except ClassayError as error:
        raise Damaged(f"measure is {shown(measure)}") from error
    made = tuple(evaluation_of(archive, _member(k), path) for k in range(len(sizes)))
    hold(all(learner in each.models for each in made), "its learning curve is of another learner")
    return kind(learner, measure, sizes, made)


def evaluation_of(archive: Archive, name: str, path: Path) -> Evaluation:
    """An evaluation of one data set that is a member of an archive."""
    found = evaluations.from_bytes(archive.bytes(name), str(path), Evaluation)
    hold(len(found.runs) == 1, "it is of several data sets")
    return found


@contextmanager
def opened(path: Path, member: str, what: str, form: int) -> Iterator[tuple[Fields, Archive]]:
    """The JSON and the archive of a saved file, which must be read to its end. Raises FileError of one line."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from error
    try:
        with Archive(io.BytesIO(content)) as archive:
            if member not in archive:
                raise FileError(f"{path} is no saved {what}: pass a file that its `save` wrote.")
            about = archive.fields(member)
            check_format(about, what, form, archive.seal, path)
            hold(archive.seal is not None, "its checksums are missing")
            yield about, archive
            about.done()
            archive.done()
    except Damaged as error:
        raise damaged(path, what, error) from error


def _member(k: int) -> str:
    return f"curve/{k}.classay"


def _size(plain: Any) -> int:
    hold(type(plain) is int and plain >= 2, f"{shown(plain)} is no training size")
    size: int = plain
    return size
