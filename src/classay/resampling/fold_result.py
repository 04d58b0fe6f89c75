"""FoldResult: what is kept of one model fitted on one split."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import FileError
from classay.files.archive import Archive, array_bytes, array_of
from classay.files.archive import checked as within
from classay.files.fields import Damaged, Fields, hold

if TYPE_CHECKING:
    from classay.resampling.data import Cases

Array = NDArray[Any]
FORMAT = 1
_TEXTS = ("failure", "notes", "training_values", "choice", "fit_seconds", "score_seconds", "kind_of_score")


@dataclass(frozen=True, eq=False)
class FoldResult:
    """The predictions of one model on the test rows of one split, once, and what its training showed.

    `predicted`, `(n_test,)`, are codes into the labels; `scores`, `(n_test,)` of the positive class or
    `(n_test, classes)`, of a `kind_of_score`: "probability", "decision", or "none". `training` are the counts
    `[predicted, true]` on the rows of training, `training_values` the measures of their scores. `failure` says why
    there is nothing else. `choice` is what a search chose, as plain JSON.
    """

    predicted: Array | None = None
    scores: Array | None = None
    kind_of_score: str = "none"
    training: Array | None = None
    training_values: dict[str, float] = field(default_factory=dict)
    choice: dict[str, Any] | None = None
    failure: str | None = None
    notes: tuple[str, ...] = ()
    fit_seconds: float = float("nan")
    score_seconds: float = float("nan")

    def to_bytes(self) -> bytes:
        """A zip of one JSON and plain arrays, with nothing in it that could be executed."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            about = {"format": FORMAT} | {name: getattr(self, name) for name in _TEXTS}
            archive.writestr(_entry("fold.json"), json.dumps(about))
            for name in ("predicted", "scores", "training"):
                array = getattr(self, name)
                if array is not None:
                    archive.writestr(_entry(f"{name}.npy"), array_bytes(array))
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> FoldResult:
        """What `to_bytes` wrote. Raises FileError for anything else."""
        try:
            with Archive(io.BytesIO(content)) as archive:
                about = archive.fields("fold.json")
                if about.take("format") != FORMAT:
                    raise FileError("the kept fold was written by another version of classay: run it again.")
                arrays: dict[str, Any] = {
                    name: archive.maybe_array(f"{name}.npy", kinds, shape, finite=False)
                    for name, (kinds, shape) in _ARRAYS.items()
                    if f"{name}.npy" in archive
                }
                if "scores.npy" in archive:
                    arrays["scores"] = _scores(archive)
                archive.done()
            return cls(**arrays, **_texts(about))
        except Damaged as error:
            raise FileError(f"this is no kept fold ({error}): remove it, and run again.") from error


def checked(result: FoldResult, n_test: int, cases: Cases) -> FoldResult:
    """The result of a fold, if it can be one of so many of these cases. Raises Damaged."""
    if result.failure is not None:
        return result
    k = len(cases.labels)
    if result.predicted is None:
        raise Damaged("a fold has no predictions")
    within(result.predicted, "predicted", "iu", (n_test,), least=0, below=k)
    if result.scores is not None:
        shape = (n_test,) if cases.positive is not None else (n_test, k)
        within(result.scores, "scores", "f", shape, finite=False)
        hold(not np.isnan(result.scores).any(), "the scores of a fold hold NaN")
    hold((result.scores is None) == (result.kind_of_score == "none"), "a fold has scores of no kind")
    if result.training is not None:
        within(result.training, "training", "iuf", (k, k), least=0)
    return result


_ARRAYS: dict[str, tuple[str, tuple[None, ...]]] = {
    "predicted": ("iu", (None,)),
    "training": ("iuf", (None, None)),
}


def _scores(archive: Archive) -> Array:
    """The scores of one class, or of each."""
    content = archive.bytes("scores.npy")
    array = array_of(content, "scores.npy")
    hold(array.dtype in (np.float32, np.float64) and array.ndim in (1, 2), "scores.npy are no scores")
    return array


def _texts(about: Fields) -> dict[str, Any]:
    """What a fold keeps beside its arrays."""
    values = about.inner("training_values")
    found: dict[str, Any] = {
        "failure": about.maybe("failure", about.text),
        "notes": about.texts("notes"),
        "training_values": {name: values.measured(name) for name in values.names},
        "choice": about.maybe("choice", about.object),
        "fit_seconds": about.measured("fit_seconds"),
        "score_seconds": about.measured("score_seconds"),
        "kind_of_score": about.choice("kind_of_score", ("probability", "decision", "none")),
    }
    about.done()
    return found


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # a fixed date, so that equal folds are equal bytes
