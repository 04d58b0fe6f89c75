"""Tables of other tasks than one label a case, which wings bring."""

from __future__ import annotations


class OwnTable:
    """A table of a task that a wing brings; what the core asks of it is registered beside what computes it.

    Its design: `inference.design.DESIGNS`; how a measure is read from it: `measures.registry.READINGS`; the tables that
    a measure may be of: `inference.methods.TABLES`.
    """
