"""Memory: results of fits that several parts of one call share, kept no longer than it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Memory:
    """A store of results that lives and dies with the call that made it.

    >>> memory = Memory()
    >>> memory.put("k", b"a fold")
    >>> memory.get("k"), memory.get("another")
    (b'a fold', None)
    """

    lists_runs = False
    """It dies with the call, so that nobody asks it for a run."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """The result under a key, or None."""
        return self._kept.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep a result under its key."""
        self._kept[key] = value

    def begin(self, run: str, about: Mapping[str, Any], keys: Any) -> None:
        """Nobody asks a memory how far it came."""
