"""Progress of long runs: live on a terminal and in a notebook, a line now and then where output is piped."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

from classay.inference.estimate import Estimate
from classay.report.wording import clean, interval, value

EVERY = 30.0
"""Seconds between the lines of a piped run."""


class Progress:
    """How far an evaluation is: fits done, time left, and the estimate of each model so far.

    Used as a context; `start` once, then `advance` after each fit. Writes to standard error, so that results can
    be piped. In a notebook without ipywidgets, and wherever output is no terminal, a line is written at the start and
    at most every 30 seconds.

    >>> with Progress() as progress:
    ...     progress.start({"tree": 10}, done={"tree": 4})
    ...     progress.advance("tree")
    """

    def __init__(self) -> None:
        self._shown: _Live | _Lines | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def start(self, fits: Mapping[str, int], done: Mapping[str, int] | None = None) -> None:
        """Begin with the number of fits of each model, and how many of them are done already (from a store)."""
        counts = {name: (done or {}).get(name, 0) for name in fits}
        self._shown = _Live(fits, counts) if _is_live() else _Lines(fits, counts)

    def advance(self, name: str, measure: str = "", estimate: Estimate | None = None) -> None:
        """One more fit of this model is done; the estimate so far of a measure, if any."""
        if self._shown is not None:
            self._shown.advance(name, _so_far(measure, estimate))


class _Live:
    """A bar for each model, and one for all of them with the time left."""

    def __init__(self, fits: Mapping[str, int], done: Mapping[str, int]) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.fields[name]}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            _time_left(TimeRemainingColumn),
            TextColumn("{task.fields[so_far]}", markup=False),
            console=_console(),
            transient=True,
        )
        add = self._progress.add_task
        self._models = {
            name: add("", total=n, completed=done[name], name=clean(name), so_far="")
            for name, n in fits.items()
        }
        self._all = add(
            "", total=sum(fits.values()), completed=sum(done.values()), name="all fits", so_far=""
        )
        self._progress.start()

    def advance(self, name: str, so_far: str) -> None:
        self._progress.advance(self._models[name])
        if so_far:
            self._progress.update(self._models[name], so_far=so_far)
        self._progress.advance(self._all)

    def stop(self) -> None:
        self._progress.stop()


class _Lines:
    """A line at the start, and one every now and then."""

    def __init__(self, fits: Mapping[str, int], done: Mapping[str, int]) -> None:
        self._total, self._done, self._stored = sum(fits.values()), sum(done.values()), sum(done.values())
        self._started = self._last = time.monotonic()
        self._so_far: dict[str, str] = {}
        before = f", {self._done:,} of them done before" if self._done else ""
        _say(f"{self._total:,} fits{before}")

    def advance(self, name: str, so_far: str) -> None:
        self._done += 1
        if so_far:
            self._so_far[name] = so_far
        now = time.monotonic()
        if now - self._last < EVERY:
            return
        self._last = now
        left = (now - self._started) / (self._done - self._stored) * (self._total - self._done)
        estimates = "".join(f"; {clean(model)} {text}" for model, text in self._so_far.items())
        _say(f"{self._done:,} of {self._total:,} fits, {_duration(left)} left{estimates}")

    def stop(self) -> None:
        pass


def _so_far(measure: str, estimate: Estimate | None) -> str:
    if estimate is None or estimate.is_undefined:
        return ""
    return " ".join(filter(None, (measure, value(estimate), interval(estimate))))


def _time_left(column: Any) -> Any:
    """The column of the time left, which stands in the row of all fits alone."""
    from rich.text import Text

    class TimeLeft(column):  # type: ignore[misc]
        def render(self, task: Any) -> Any:
            return super().render(task) if task.fields["name"] == "all fits" else Text("")

    return TimeLeft(elapsed_when_finished=True)


def _is_live() -> bool:
    console = _console()
    if console.is_jupyter:
        from importlib.util import find_spec

        return find_spec("ipywidgets") is not None
    return bool(console.is_terminal)


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    """Seconds as people say them.

    >>> _duration(42.3), _duration(600), _duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
