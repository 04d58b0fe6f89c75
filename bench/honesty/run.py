"""Runs settings in batches, resumably and over cores: one line of JSON for each finished batch of a setting."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bench.honesty.cells import OURS, TEST, Cell, added, cell_of
from classay.inference.labels import smooth

BATCH = 500
"""Samples that are drawn from one stream; the streams of a setting are numbered."""
OF_RIVALS = 500
"""Samples on which the ways of others are tried too."""
DRAWS = 5_000
"""Draws from a posterior of cells; the method has four times as many, whose limits have half the noise."""
EXACT = -1
"""The number of the batch of the cells that are enumerated."""
Found = dict[tuple[str, str], Any]
"""By measure and way the ends, `(samples, 2)`, NaN where there is no interval."""


@dataclass(frozen=True)
class Asked:
    """Which measures of a setting, None for all, and by which ways: classay's, or also those of others."""

    names: tuple[str, ...] | None = None
    ways: Literal["ours", "all"] = "all"

    def among(self, names: Sequence[str]) -> list[str]:
        """Those of these measures that are asked for."""
        return [name for name in names if self.names is None or name in self.names]


@dataclass(frozen=True)
class Setting:
    """A row of a table: a population, how samples of it are drawn, and what is made of them.

    `simulate` gets a generator, a number of samples, and what is asked for.
    `rarer` counts what the promise is about: cases of the smallest class, or clusters that hold it, as expected.
    `truths` are the true values; a measure that is not there has its truth, 0, in its ends. `most` is how many samples
    it gets at most, and `why` the reason. Measures of which `one_sided` tells so have one side: bands, tests that have
    no side, and values at the end of their range. The cells `enumerated`
    need no samples.
    """

    family: str
    group: str
    name: str
    rarer: float
    simulate: Callable[[np.random.Generator, int, Asked], Found] = field(compare=False)
    truths: Callable[[], dict[str, float]] = field(compare=False, default=dict)
    most: int | None = None
    why: str = ""
    one_sided: Callable[[str], bool] = field(compare=False, default=lambda measure: False)
    enumerated: Callable[[], list[Cell]] = field(compare=False, default=list)

    @property
    def key(self) -> str:
        """Its name in the store."""
        return f"{self.family} | {self.group} | {self.name}"

    def samples(self, wanted: int) -> int:
        """How many of the samples wanted it gets."""
        return wanted if self.most is None else min(wanted, self.most)

    def cells(self, batch: int, samples: int, asked: Asked) -> list[Cell]:
        """The cells of a batch, drawn from the stream of the setting and the batch."""
        rng = np.random.default_rng([zlib.crc32(self.key.encode()), batch])
        truths = self.truths()
        about = self.family, self.group, self.name, self.rarer
        made = [
            cell_of(about, name, way, truths.get(name, 0.0), ends, sides=1 if self.one_sided(name) else 2)
            for (name, way), ends in self.simulate(rng, samples, asked).items()
        ]
        return [each for each in made if each is not None]


@dataclass(frozen=True)
class Batch:
    """A batch as it is kept: which setting, which number, what was asked for, and what it took."""

    setting: str
    number: int
    samples: int
    asked: Asked
    seconds: float
    cells: tuple[Cell, ...]

    def line(self) -> str:
        """The line of the store."""
        return json.dumps({**asdict(self), "cells": [list(asdict(each).values()) for each in self.cells]})

    @classmethod
    def of(cls, line: str) -> Batch:
        """The batch of a line."""
        kept = json.loads(line)
        names, ways = kept["asked"]["names"], kept["asked"]["ways"]
        asked = Asked(None if names is None else tuple(names), ways)
        return cls(**{**kept, "asked": asked, "cells": tuple(Cell(*each) for each in kept["cells"])})


Task = tuple[str, int, int, Asked]


def made(task: Task) -> Batch:
    """The batch of a task, in the process that it was given to."""
    from bench.honesty.settings import BY_KEY

    key, number, samples, asked = task
    usual, smooth.DRAWS, start = smooth.DRAWS, DRAWS, time.process_time()
    setting = BY_KEY[key]
    try:
        cells = setting.enumerated() if number == EXACT else setting.cells(number, samples, asked)
    finally:  # whoever calls this in a process of its own goes on with as many draws as anybody
        smooth.DRAWS = usual
    return Batch(key, number, samples, asked, time.process_time() - start, tuple(cells))


@dataclass
class Store:
    """The batches that are done, in memory and in a file, if there is one. A line that was cut off is none."""

    path: Path | None
    batches: dict[tuple[str, int], Batch] = field(default_factory=dict)

    @classmethod
    def opened(cls, path: Path | None) -> Store:
        """The store of a file, with what it holds."""
        found = cls(path)
        if path is not None and path.exists():
            text = path.read_text(encoding="utf-8")
            if text and not text.endswith("\n"):  # so that nothing is written behind a line that was cut off
                path.write_text(text + "\n", encoding="utf-8")
            for line in text.splitlines():
                try:
                    batch = Batch.of(line)
                except (ValueError, TypeError, KeyError):
                    continue
                found.batches[batch.setting, batch.number] = batch
        return found

    def keep(self, batch: Batch) -> None:
        """Add a batch."""
        self.batches[batch.setting, batch.number] = batch
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(batch.line() + "\n")

    def lacks(self, task: Task) -> bool:
        """Whether the batch of a task is not there, or was of fewer samples."""
        key, number, samples, _ = task
        return (key, number) not in self.batches or self.batches[key, number].samples < samples

    def cells(self, setting: Setting) -> list[Cell]:
        """The cells of a setting, its batches added; what is enumerated stands for what was drawn of it."""
        own = sorted(
            (each for key, each in self.batches.items() if key[0] == setting.key),
            key=lambda each: each.number,
        )
        exact = {cell.measure for batch in own if batch.number == EXACT for cell in batch.cells}
        cells = [cell for batch in own for cell in batch.cells if cell.exact or cell.measure not in exact]
        return [replace(each, sides=1) if _is_one_sided(setting, each) else each for each in added(cells)]


def _is_one_sided(setting: Setting, cell: Cell) -> bool:
    """Whether a cell has one side; asked only where no sample missed on the other one, since truths take time."""
    return 0 in (cell.ended_below, cell.started_above) and setting.one_sided(cell.measure)


def run(settings: Sequence[Setting], samples: int, most: int, store: Store, jobs: int) -> list[Cell]:
    """The cells of settings, of so many samples; of classay's that are near a bound of the promise, of `most`.

    Whether a cell is near a bound is asked once, on either side of it, so that more samples favour no verdict.
    """
    exact = [(each.key, EXACT, 1, Asked()) for each in settings if each.enumerated is not list]
    _run(exact + [task for each in settings for task in _tasks(each, 0, samples)], store, jobs)
    further = []
    for each in settings:
        first = [
            store.batches[each.key, number]
            for number in range(-(-each.samples(samples) // BATCH))
            if (each.key, number) in store.batches
        ]
        near = [
            cell.measure
            for cell in added(cell for batch in first for cell in batch.cells)
            if cell.way == OURS and cell.is_promised and cell.is_near
        ]
        if near:
            further += _tasks(each, samples, most, Asked(tuple(dict.fromkeys(near)), "ours"))
    _run(further, store, jobs)
    return [cell for each in settings for cell in store.cells(each)]


def _tasks(setting: Setting, start: int, samples: int, asked: Asked | None = None) -> Iterator[Task]:
    for first in range(start, setting.samples(samples), BATCH):
        what = asked or Asked(ways="all" if first < OF_RIVALS else "ours")
        yield setting.key, first // BATCH, min(BATCH, setting.samples(samples) - first), what


def again(settings: Sequence[Setting], names: Sequence[str], store: Store) -> None:
    """Draw the batches that are there again for these measures of classay's, whose method was changed."""
    for batch in list(store.batches.values()):
        setting = next((each for each in settings if each.key == batch.setting), None)
        if setting is None or batch.number == EXACT:
            continue
        of = {cell.measure for cell in batch.cells if cell.measure.removesuffix(TEST) in names}
        if not of:
            continue
        task = batch.setting, batch.number, batch.samples, Asked(tuple(sorted(of)), "ours")
        new = made(task)
        kept = [cell for cell in batch.cells if cell.way != OURS or cell.measure not in of]
        ours = [cell for cell in new.cells if cell.way == OURS]
        seconds = batch.seconds + new.seconds
        _kept(replace(batch, cells=(*ours, *kept), seconds=seconds), store)


def _run(tasks: Sequence[Task], store: Store, jobs: int) -> None:
    """Make what is not there: every setting has a batch before any has the next."""
    begun = {setting for setting, _ in store.batches}
    wanted = sorted(
        (each for each in tasks if store.lacks(each)), key=lambda task: (task[1], task[0] in begun)
    )
    if jobs == 1:
        for each in wanted:
            _kept(made(each), store)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(made, each) for each in wanted]):
            _kept(done.result(), store)


def _kept(batch: Batch, store: Store) -> None:
    store.keep(batch)
    print(f"{batch.setting}, batch {batch.number}, {batch.seconds:.0f} s", flush=True)
