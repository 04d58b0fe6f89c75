"""FoldResult: what is kept of one model fitted on one split."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classay.errors import FileError

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
                    part = io.BytesIO()
                    np.save(part, np.ascontiguousarray(array), allow_pickle=False)
                    archive.writestr(_entry(f"{name}.npy"), part.getvalue())
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> FoldResult:
        """What `to_bytes` wrote. Raises FileError for anything else."""
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                about = json.loads(archive.read("fold.json"))
                arrays = {
                    name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
                    for name in archive.namelist()
                    if name.endswith(".npy")
                }
            if about.pop("format") != FORMAT:
                raise FileError("the kept fold was written by another version of classay: run it again.")
            return cls(**arrays, **(about | {"notes": tuple(about["notes"])}))
        except FileError:
            raise
        except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
            raise FileError(f"this is no kept fold ({error!r}): remove it, and run again.") from error


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # a fixed date, so that equal folds are equal bytes
