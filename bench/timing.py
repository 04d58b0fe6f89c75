"""How a figure is measured: ours and the peer's in turn, the median of several runs each."""

import gc
import importlib
import importlib.util
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One line of the table: ours and the peer's median, in `unit`, their ratio, and what was asked for."""

    work: str
    peer: str
    ours: float
    theirs: float | None
    unit: str
    wanted: str
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.theirs / self.ours

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ratio": self.ratio}


def processor_seconds() -> float:
    """Processor time of this process and of those that it has run and waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


CLOCKS = {"wall": time.perf_counter, "cpu": processor_seconds}
"""What is measured: seconds that pass, or those of processors, which others on the machine do not lengthen."""
CHOSEN = ["wall"]
"""The clock in use, the last one."""


def seconds(call: Callable[[], Any]) -> float:
    gc.collect()
    clock = CLOCKS[CHOSEN[-1]]
    start = clock()
    call()
    return clock() - start


def versus(
    work: str,
    ours: Callable[[], Any],
    peer: str,
    theirs: Callable[[], Any],
    wanted: str,
    *,
    runs: int = 5,
    peer_runs: int | None = None,
    note: str = "",
) -> Figure:
    """Warm up ours once (it compiles), then measure in turn; the peer less often where it takes long."""
    ours()
    mine, others = [], []
    for i in range(runs):
        mine.append(seconds(ours))
        if i < (peer_runs or runs):
            others.append(seconds(theirs))
    return Figure(work, peer, statistics.median(mine), statistics.median(others), "s", wanted, note)


def alone(work: str, ours: Callable[[], Any], wanted: str, *, runs: int = 7, note: str = "") -> Figure:
    ours()
    return Figure(work, "–", statistics.median([seconds(ours) for _ in range(runs)]), None, "s", wanted, note)


def peer_of(name: str) -> Any | None:
    """The module of a peer that not everybody has; None where it is not installed."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def without_peer(work: str, ours: Callable[[], Any], peer: str, wanted: str, *, runs: int = 5) -> Figure:
    """Ours alone, where the peer is not installed, and the row says so."""
    return replace(alone(work, ours, wanted, runs=runs), peer=f"{peer}: not installed")
