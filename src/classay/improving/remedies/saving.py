"""Saving improvements: a zip of JSON and of the archives that its parts are saved as. Loading fits nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from classay.files.archive import Archive, sealed
from classay.files.fields import Fields, hold, shown
from classay.files.writing import write_bytes
from classay.improving import saving as decompositions
from classay.improving.decomposition import Decomposition
from classay.improving.learning_curve import LearningCurve
from classay.improving.remedies import known  # noqa: F401 - all remedies register themselves
from classay.improving.remedies.registry import AGAINST, REMEDIES
from classay.improving.saved_curves import curve_of, evaluation_of, opened, parts_of_curve
from classay.resampling.baseline import BASELINE
from classay.resampling.store import saving as evaluations

if TYPE_CHECKING:
    from classay.improving.remedies.improvement import Improvement

FORMAT = 2
"""The first format of an improvement; files of format 1 have no checksums, and there are none of these."""
_ABOUT = "improvement.json"
_BEFORE, _AFTER, _FOLDS = "before.classay", "after.classay", "folds.classay"


def save(found: Improvement, path: Path) -> None:
    """Write an improvement with all its parts, replacing the file in one step. Raises FileError."""
    of_curve, members = parts_of_curve(found.curve)
    about: dict[str, Any] = {"format": FORMAT, "what": "improvement", "learner": found.learner}
    about |= {"suspected": found.suspected, "left_out": found.left_out, "notes": found.notes} | of_curve
    parts = {_BEFORE: decompositions.to_bytes(found.before), _FOLDS: evaluations.to_bytes(found.evaluation)}
    if found.after is not None:
        parts[_AFTER] = decompositions.to_bytes(found.after)
    members |= decompositions.index_out(found.index)
    write_bytes(path, sealed(_ABOUT, about, parts | members))


def load(path: Path, kind: type[Improvement]) -> Improvement:
    """Read what `save` wrote, as an object of its class. Raises FileError when the file is none of these."""
    with opened(path, _ABOUT, "improvement", FORMAT) as (about, archive):
        return _improvement(about, archive, path, kind)


def _improvement(about: Fields, archive: Archive, path: Path, kind: type[Improvement]) -> Improvement:
    learner, suspected, notes = about.text("learner"), about.texts("suspected"), about.texts("notes")
    hold({*suspected} <= {*AGAINST}, f"{shown(suspected)} are no causes")
    left_out = about.list("left_out", _pair)
    before = decompositions.from_bytes(archive.bytes(_BEFORE), path, Decomposition)
    after = (
        decompositions.from_bytes(archive.bytes(_AFTER), path, Decomposition) if _AFTER in archive else None
    )
    folds = evaluation_of(archive, _FOLDS, path)
    tried = [name for name in folds.models if name not in (learner, BASELINE)]
    hold(learner in folds.models and BASELINE in folds.models, "the learner or the baseline is missing")
    hold({*tried} <= {*REMEDIES}, f"{shown(tried)} are not all remedies")
    curve = curve_of(learner, about, archive, path, LearningCurve)
    index = decompositions.index_in(archive, folds.runs[0].cases.rows)
    return kind(learner, before, after, folds, curve, suspected, left_out, notes, index)


def _pair(plain: Any) -> tuple[str, str]:
    hold(
        isinstance(plain, list) and [type(each) for each in plain] == [str, str],
        f"{shown(plain)} is no reason",
    )
    return plain[0], plain[1]
