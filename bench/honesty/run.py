"""Runs settings × measures × ways, resumably: one line of JSON for each finished setting."""

from __future__ import annotations

import json
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.honesty.settings import SETTINGS, Setting
from bench.honesty.ways import WAYS, Drawn

LEVEL = 0.95
ROUNDING = 1e-9


@dataclass(frozen=True)
class Cell:
    """What a way did for a measure in a setting: shares of samples, of those that have an interval but for `found`.

    `below` are samples whose interval ends below the truth, `above` those whose interval starts above it.
    """

    group: str
    setting: str
    rarer: float
    measure: str
    way: str
    truth: float
    samples: int
    found: float
    below: float
    above: float
    width: float

    @property
    def coverage(self) -> float:
        return 1 - self.below - self.above

    @property
    def error(self) -> float:
        """Monte-Carlo error of the coverage; of a nominal one where all are covered."""
        share = min(max(self.coverage, 0.01), 0.99)
        return float(np.sqrt(share * (1 - share) / max(self.samples * self.found, 1)))


def cells_of(setting: Setting, samples: int) -> list[Cell]:
    """All ways and measures of a setting, on the same samples; the stream depends on the setting's name alone."""
    rng = np.random.default_rng(zlib.crc32(f"{setting.group} {setting.name}".encode()))
    truths, ends = setting.truths(), defaultdict(list)
    done = 0
    while done < samples:
        sample = setting.draw(rng)
        if sample is None:
            continue
        done += 1
        drawn = Drawn.of(sample, LEVEL)
        for measure in truths:
            for way in WAYS:
                if way.serves(measure, drawn):
                    found = way.ends(drawn, measure)
                    if found is not None and np.isfinite(found[1] - found[0]):
                        ends[measure, way.name].append(found)
    return [
        _cell(setting, measure, name, truths[measure], found, samples)
        for (measure, name), found in ends.items()
    ]


def _cell(setting: Setting, measure: str, way: str, truth: float, ends: Any, samples: int) -> Cell:
    low, high = np.array(ends).T
    return Cell(
        setting.group,
        setting.name,
        setting.rarer,
        measure,
        way,
        truth,
        samples,
        len(ends) / samples,
        float((high < truth - ROUNDING).mean()),
        float((low > truth + ROUNDING).mean()),
        float((high - low).mean()),
    )


def run(samples: int, store: Path | None, groups: tuple[str, ...] = ()) -> list[Cell]:
    """The cells of all settings; those in the store with as many samples or more are not run again."""
    known = stored(store)
    found: list[Cell] = []
    for setting in SETTINGS:
        if groups and setting.group not in groups:
            continue
        key = setting.group, setting.name
        if key not in known or known[key][0].samples < samples:
            start = time.perf_counter()
            known[key] = cells_of(setting, samples)
            took = time.perf_counter() - start
            print(f"{setting.group}: {setting.name}, {samples} samples in {took:.0f} s", flush=True)
            if store is not None:
                with store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([asdict(each) for each in known[key]]) + "\n")
        found += known[key]
    return found


def stored(store: Path | None) -> dict[tuple[str, str], list[Cell]]:
    """The cells of each setting in the store, the last where it was run twice."""
    return {(cells[0].group, cells[0].setting): cells for cells in _lines(store) if cells}


def _lines(store: Path | None) -> Iterator[list[Cell]]:
    if store is not None and store.exists():
        for line in store.read_text(encoding="utf-8").splitlines():
            yield [Cell(**each) for each in json.loads(line)]
