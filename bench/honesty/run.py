"""Runs settings × measures × ways in batches, resumably: one line of JSON for each finished batch of a setting."""

from __future__ import annotations

import json
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.honesty.makers import Setting
from bench.honesty.settings import SETTINGS
from bench.honesty.ways import WAYS, Drawn

LEVEL = 0.95
ROUNDING = 1e-9
BATCH = 100
"""Samples that are drawn from one stream; the streams of a setting are numbered."""


@dataclass(frozen=True)
class Cell:
    """What a way did for a measure in a setting.

    Of `samples`, `intervals` had one, of the summed width `widths`; `ended_below` of them end below the truth, and
    `started_above` start above it. Cells of several batches add.
    """

    group: str
    setting: str
    rarer: float
    measure: str
    way: str
    truth: float
    samples: int
    intervals: int
    ended_below: int
    started_above: int
    widths: float

    def __add__(self, other: Cell) -> Cell:
        return replace(
            self,
            samples=self.samples + other.samples,
            intervals=self.intervals + other.intervals,
            ended_below=self.ended_below + other.ended_below,
            started_above=self.started_above + other.started_above,
            widths=self.widths + other.widths,
        )

    @property
    def found(self) -> float:
        """The share of samples with an interval."""
        return self.intervals / self.samples

    @property
    def below(self) -> float:
        """The share of intervals that end below the truth."""
        return self.ended_below / self.intervals

    @property
    def above(self) -> float:
        """The share of intervals that start above it."""
        return self.started_above / self.intervals

    @property
    def width(self) -> float:
        """The mean width."""
        return self.widths / self.intervals

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return 1 - self.below - self.above

    @property
    def error(self) -> float:
        """Monte-Carlo error of the coverage; of 99 % where all are covered."""
        share = min(max(self.coverage, 0.01), 0.99)
        return float(np.sqrt(share * (1 - share) / self.intervals))


def cells_of(setting: Setting, batch: int, samples: int) -> list[Cell]:
    """All ways and measures of a setting, on the same samples, drawn from the stream of the setting and the batch."""
    rng = np.random.default_rng([zlib.crc32(f"{setting.group} {setting.name}".encode()), batch])
    ways = [each for each in WAYS if each.most is None or each.most > batch * BATCH]
    truths, ends = setting.truths(), defaultdict(list)
    done = 0
    while done < samples:
        sample = setting.draw(rng)
        if sample is None:
            continue
        done += 1
        drawn = Drawn.of(sample, LEVEL)
        for measure in truths:
            for way in ways:
                if way.serves(measure, drawn):
                    found = way.ends(drawn, measure)
                    if found is not None and np.isfinite(found[1] - found[0]):
                        ends[measure, way.name].append(found)
    kind = setting.group, setting.name, setting.rarer
    return [
        cell_of(*kind, measure, name, truths[measure], found, samples)
        for (measure, name), found in ends.items()
    ]


def cell_of(
    group: str, setting: str, rarer: float, measure: str, way: str, truth: float, ends: Any, samples: int
) -> Cell:
    """The cell of the ends, `(intervals, 2)`, that a way has for some of the samples."""
    low, high = np.array(ends).T
    return Cell(
        group,
        setting,
        rarer,
        measure,
        way,
        truth,
        samples,
        len(ends),
        int((high < truth - ROUNDING).sum()),
        int((low > truth + ROUNDING).sum()),
        float((high - low).sum()),
    )


def run(samples: int, store: Path | None, groups: tuple[str, ...] = ()) -> list[Cell]:
    """The cells of all settings; batches in the store are not run again. All settings have a batch before the next."""
    known = stored(store)
    chosen = [each for each in SETTINGS if not groups or each.group in groups]
    for batch, start in enumerate(range(0, samples, BATCH)):
        for setting in chosen:
            key, size = (setting.group, setting.name, batch), min(BATCH, setting.samples(samples) - start)
            if size <= 0 or (key in known and known[key][0].samples >= size):
                continue
            began = time.perf_counter()
            known[key] = cells_of(setting, batch, size)
            took = time.perf_counter() - began
            print(f"{setting.group}: {setting.name}, batch {batch}, {took:.0f} s", flush=True)
            if store is not None:
                with store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([batch, [asdict(each) for each in known[key]]]) + "\n")
    return [
        cell
        for setting in chosen
        for cell in _added(
            known[setting.group, setting.name, start // BATCH]
            for start in range(0, setting.samples(samples), BATCH)
        )
    ]


def _added(batches: Iterable[list[Cell]]) -> list[Cell]:
    """The cells of several batches of a setting, added."""
    sums: dict[tuple[str, str], Cell] = {}
    for cells in batches:
        for each in cells:
            key = each.measure, each.way
            sums[key] = sums[key] + each if key in sums else each
    return list(sums.values())


def stored(store: Path | None) -> dict[tuple[str, str, int], list[Cell]]:
    """The cells of each batch of a setting in the store, the last where it was run twice."""
    found: dict[tuple[str, str, int], list[Cell]] = {}
    if store is not None and store.exists():
        for line in store.read_text(encoding="utf-8").splitlines():
            batch, cells = json.loads(line)
            made = [Cell(**each) for each in cells]
            found[made[0].group, made[0].setting, batch] = made
    return found
