"""classay assays classifiers: from predictions to a judgement, with an honest interval on every number.

A measure is a function of a table: rows are checked once and reduced to small, mergeable tables, and every measure,
interval, merge and report is a pure function of tables.

>>> import classay as ca
>>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
>>> a["roc_auc"]
Estimate(0.750 [0.316, 0.947] 95%, DeLong, moderated variance)
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any
from warnings import warn

from classay.shown import show_by
from classay.wings import brought

__version__ = "0.2.0"

show_by(lambda: import_module("classay.report.door"))

__all__ = sorted(brought("public"))  # noqa: PLE0605 - type checkers read __init__.pyi, which `python -m manual` writes


def __dir__() -> list[str]:
    """What a user may want: not the modules and helpers that this file happens to have imported."""
    return sorted({*__all__, *brought("rooms"), *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for: whoever assesses one classifier need not wait for the rest."""
    if name in brought("public"):
        return getattr(import_module(brought("public")[name]), name)
    if name in brought("renamed"):
        now = brought("renamed")[name]
        warn(f"classay.{name} is now classay.{now}; the old name will go.", DeprecationWarning, stacklevel=2)
        return __getattr__(now)
    if name in brought("rooms"):
        return import_module(brought("rooms")[name])
    if not name.startswith("_") and find_spec(f"classay.{name}"):
        return import_module(f"classay.{name}")
    raise AttributeError(f"module 'classay' has no attribute {name!r}")
