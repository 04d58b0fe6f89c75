"""Progress of long runs: live on a terminal and in a notebook, a line now and then where output is piped."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from classay.comparison.comparison import BASELINE
from classay.measures import get
from classay.report.words import interval, value, with_limits
from classay.resampling.comparing_learners import LEADING
from classay.texts import clean

if TYPE_CHECKING:
    from classay.resampling.fitting import Step

EVERY = 30.0
"""Seconds between the lines of a piped run."""
LOOK = 2.0
"""Seconds between looks at the estimates."""


class Progress:
    """Progress of an evaluation, with fits done, time left and estimates so far.

    Use it as a context, and pass it to `evaluate`, which calls it after each fit. It writes to standard
    error, so that results can be piped. In a notebook without ipywidgets, and without a terminal, a line is
    written at the start and at most every 30 seconds.

    Examples
    --------
    >>> import classay as ca
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> with Progress() as progress:
    ...     e = ca.evaluate(GaussianNB(), *load_iris(return_X_y=True), protocol="3fold", progress=progress)
    """

    def __init__(self) -> None:
        self._shown: _Live | _Lines | None = None
        self._looked = 0.0
        self.step: Step | None = None
        """Where the run stood last."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def __call__(self, step: Step) -> None:
        """Show where the run stands."""
        name = step.last.unit.learner.name
        before, self.step = self.step, step  # first of all: a Ctrl-C may come while the line is written
        if self._shown is None:
            fits = _fits(step)
            self._shown = _Live(fits) if _is_live() else _Lines(fits)
        elif before is not None and step.done <= before.done:  # another run has begun
            self._shown.more(_fits(step))
        if step.last.kept:
            self._shown.skip(name)
        else:
            self._shown.advance(name, self._so_far(step, name))

    def _so_far(self, step: Step, name: str) -> str:
        """The leading measure of the model that was fitted last; looked at now and then, for that takes its time."""
        if time.monotonic() - self._looked < LOOK:
            return ""
        e = step.so_far()
        if not hasattr(e, "measures"):  # a decomposition
            return ""
        leading = next((measure for measure in LEADING if measure in e.measures), e.measures[0])
        summaries = e[name].summaries([leading])
        self._looked = time.monotonic()
        if len(summaries) != 1 or summaries[0].estimate.is_undefined:
            return ""
        estimate = summaries[0].estimate
        return with_limits(f"{get(leading).title} {value(estimate)}", interval(estimate))


def _fits(step: Step) -> dict[str, int]:
    """Return the fits of each model of a run; of a decomposition there is one."""
    models = getattr(step.so_far(), "models", (step.last.unit.learner.name,))
    learners = [model for model in models if model != BASELINE]
    return dict.fromkeys(learners, step.total // len(learners))


class _Live:
    """A bar for each model, and one for all of them with the time left."""

    def __init__(self, fits: Mapping[str, int]) -> None:
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
        self._totals = dict(fits)
        self._models = {name: add("", total=n, name=clean(name), so_far="") for name, n in fits.items()}
        self._all = add("", total=sum(fits.values()), name="all fits", so_far="")
        self._progress.start()

    def more(self, fits: Mapping[str, int]) -> None:
        """Another run of the same call begins."""
        for name, n in fits.items():
            if name not in self._models:
                self._models[name] = self._progress.add_task("", total=0, name=clean(name), so_far="")
            self._totals[name] = self._totals.get(name, 0) + n
            self._progress.update(self._models[name], total=self._totals[name])
        self._progress.update(self._all, total=sum(self._totals.values()))

    def skip(self, name: str) -> None:
        """A fit that the store had."""
        self.advance(name, "")

    def advance(self, name: str, so_far: str) -> None:
        self._progress.advance(self._models[name])
        if so_far:
            self._progress.update(self._models[name], so_far=so_far)
        self._progress.advance(self._all)

    def stop(self) -> None:
        self._progress.stop()


class _Lines:
    """A line at the start, and one every now and then."""

    def __init__(self, fits: Mapping[str, int]) -> None:
        self._total, self._done, self._stored = sum(fits.values()), 0, 0
        self._started = self._last = time.monotonic()
        self._so_far: dict[str, str] = {}
        _say(f"{self._total:,} fits")

    def more(self, fits: Mapping[str, int]) -> None:
        """Another run of the same call begins."""
        self._total += sum(fits.values())

    def skip(self, name: str) -> None:
        """A fit that the store had: it says nothing about the time that is left."""
        self._done += 1
        self._stored += 1

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
        before = f" ({self._stored:,} done before)" if self._stored else ""
        _say(f"{self._done:,} of {self._total:,} fits{before}, {_duration(left)} left{estimates}")

    def stop(self) -> None:
        pass


def _time_left(column: Any) -> Any:
    """Return the column of the time left, which stands in the row of all fits alone."""
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
