"""Loading whatever was saved."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from classay.errors import FileError
from classay.files.writing import saved_path
from classay.kinds import checked

_OTHERS = {
    "evaluation": ("classay.resampling.evaluation", "Evaluation"),
    "decomposition": ("classay.improving.decomposition", "Decomposition"),
    "decomposition_path": ("classay.improving.learning_curve", "DecompositionPath"),
    "learning_curve": ("classay.improving.learning_curve", "LearningCurve"),
    "tag_assessment": ("classay.assessment.tags", "TagAssessment"),
    "improvement": ("classay.improving.improvement", "Improvement"),
}
"""What a saved file may hold beside an assessment: the module and the class that reads it, imported when it is met."""


@checked
def load(path: str | Path) -> Any:
    """Read what `save` wrote: an `Assessment` or `TagAssessment`, `Evaluation`, `Decomposition` or `DecompositionPath`,
    `LearningCurve` or `Improvement`.

    Executes nothing and fits nothing. The ending may be left out, as in `save`. Raises FileError when the file is
    none of these, or damaged.

    >>> import tempfile
    >>> import classay as ca
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ca.assess([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1]).save(folder + "/a.classay")
    ...     load(folder + "/a.classay")["accuracy"].value
    0.5
    """
    from classay.assessment.restoring import kind_of
    from classay.assessment.restoring import load as load_assessment

    path = path if os.path.lexists(path) else saved_path(path) if os.path.lexists(saved_path(path)) else path
    kind = kind_of(path)
    if kind is None:
        raise FileError(
            f"{path} is neither a saved assessment nor an evaluation, decomposition, path, learning curve or "
            "improvement: pass a file that `save` or `--save` wrote."
        )
    if kind == "assessment":
        return load_assessment(path)
    module, name = _OTHERS[kind]
    return getattr(import_module(module), name).load(path)
