"""Loading whatever was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from classay.assessment.saved.restoring import kind_of
from classay.assessment.saved.restoring import load as load_assessment
from classay.errors import FileError
from classay.kinds import checked


@checked
def load(path: str | Path) -> Any:
    """Read what `save` wrote: an `Assessment`, `Evaluation`, `Decomposition` or `Improvement`.

    Executes nothing and fits nothing. Raises FileError when the file is none of these, or damaged.

    >>> import tempfile
    >>> import classay as ca
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ca.assess([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1]).save(folder + "/a.classay")
    ...     load(folder + "/a.classay")["accuracy"].value
    0.5
    """
    kind = kind_of(path)
    if kind is None:
        raise FileError(
            f"{path} is neither a saved assessment nor an evaluation, decomposition or improvement: pass a file "
            "that `save` or `--save` wrote."
        )
    if kind == "assessment":
        return load_assessment(path)
    if kind == "decomposition":
        from classay.improving.decomposition import Decomposition

        return Decomposition.load(path)
    if kind == "improvement":
        from classay.improving.remedies.improvement import Improvement

        return Improvement.load(path)
    from classay.resampling.evaluation import Evaluation

    return Evaluation.load(path)
