"""Saving improvements: a zip of JSON and of the archives that its parts are saved as. Loading fits nothing."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classay.assessment.saved.restoring import check_format, damaged
from classay.errors import FileError
from classay.files.archive import Archive, sealed
from classay.files.fields import Damaged, Fields, distinct, hold, shown
from classay.files.writing import write_bytes
from classay.improving import saving as decompositions
from classay.improving.decomposition import Decomposition
from classay.improving.learning_curve import LearningCurve
from classay.improving.remedies import known  # noqa: F401 - all remedies register themselves
from classay.improving.remedies.registry import AGAINST, REMEDIES
from classay.resampling.baseline import BASELINE
from classay.resampling.evaluation import Evaluation
from classay.resampling.store import saving as evaluations

if TYPE_CHECKING:
    from classay.improving.remedies.improvement import Improvement

FORMAT = 2
"""The first format of an improvement; files of format 1 have no checksums, and there are none of these."""
_ABOUT = "improvement.json"
_BEFORE, _AFTER, _FOLDS = "before.classay", "after.classay", "folds.classay"


def save(found: Improvement, path: Path) -> None:
    """Write an improvement with all its parts, replacing the file in one step. Raises FileError."""
    about: dict[str, Any] = {"format": FORMAT, "what": "improvement", "learner": found.learner}
    about |= {"suspected": found.suspected, "left_out": found.left_out, "notes": found.notes}
    about |= {"measure": found.curve.measure, "sizes": found.curve.sizes}
    members = {_BEFORE: decompositions.to_bytes(found.before), _FOLDS: evaluations.to_bytes(found.evaluation)}
    if found.after is not None:
        members[_AFTER] = decompositions.to_bytes(found.after)
    for k, each in enumerate(found.curve.evaluations):
        members[f"curve/{k}.classay"] = evaluations.to_bytes(each)
    write_bytes(path, sealed(_ABOUT, about, members))


def load(path: Path, kind: type[Improvement]) -> Improvement:
    """Read what `save` wrote, as an object of its class. Raises FileError when the file is none of these."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from error
    try:
        with Archive(io.BytesIO(content)) as archive:
            if _ABOUT not in archive:
                raise FileError(f"{path} is no saved improvement: pass a file that its `save` wrote.")
            about = archive.fields(_ABOUT)
            check_format(about, "improvement", FORMAT, archive.seal, path)
            hold(archive.seal is not None, "its checksums are missing")
            found = _improvement(about, archive, path, kind)
            archive.done()
            return found
    except Damaged as error:
        raise damaged(path, "improvement", error) from error


def _improvement(about: Fields, archive: Archive, path: Path, kind: type[Improvement]) -> Improvement:
    learner, suspected, notes = about.text("learner"), about.texts("suspected"), about.texts("notes")
    hold({*suspected} <= {*AGAINST}, f"{shown(suspected)} are no causes")
    left_out = about.list("left_out", _pair)
    measure = about.text("measure")
    sizes = about.list("sizes", _size)
    hold(sizes, "its learning curve has no sizes")
    distinct(sizes, "the sizes of its learning curve")
    about.done()
    before = decompositions.from_bytes(archive.bytes(_BEFORE), path, Decomposition)
    after = (
        decompositions.from_bytes(archive.bytes(_AFTER), path, Decomposition) if _AFTER in archive else None
    )
    folds = _evaluation(archive, _FOLDS, path)
    points = tuple(_evaluation(archive, f"curve/{k}.classay", path) for k in range(len(sizes)))
    tried = [name for name in folds.models if name not in (learner, BASELINE)]
    hold(learner in folds.models and BASELINE in folds.models, "the learner or the baseline is missing")
    hold({*tried} <= {*REMEDIES}, f"{shown(tried)} are not all remedies")
    hold(all(learner in each.models for each in points), "its learning curve is of another learner")
    curve = LearningCurve(learner, measure, sizes, points)
    return kind(learner, before, after, folds, curve, suspected, left_out, notes)


def _evaluation(archive: Archive, name: str, path: Path) -> Evaluation:
    found = evaluations.from_bytes(archive.bytes(name), str(path), Evaluation)
    hold(len(found.runs) == 1, "it is of several data sets")
    return found


def _pair(plain: Any) -> tuple[str, str]:
    hold(
        isinstance(plain, list) and [type(each) for each in plain] == [str, str],
        f"{shown(plain)} is no reason",
    )
    return plain[0], plain[1]


def _size(plain: Any) -> int:
    hold(type(plain) is int and plain >= 2, f"{shown(plain)} is no training size")
    size: int = plain
    return size
