"""One law of all doors: the same rows give the same labels, counts, values, limits and sentences, or the same refusal.

Rows of `door_rows` come as lists, arrays, frames of four libraries, files, folders of parts, scans, databases, parts
that are added, saved and loaded again, and through the command (`doors`). `python -m tests.laws.test_doors --inputs
10000` holds as many inputs as wanted against the law, through all doors, and prints each distinct failure with its
smallest input; `--known` asserts the law of what is known to fail as well.
"""

import argparse
import contextlib
import math
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.laws.door_answers import EXACT, Memory, Refusal, answer, as_json, differences, told
from tests.laws.door_case import Case
from tests.laws.door_rows import Given, drawn, smaller
from tests.laws.doors import DOORS, reference

INPUTS, DOORS_EACH = 60, 5
"""Inputs of the fast run, and through how many doors, drawn anew for each, these go."""
THOROUGH = 8
"""Of so many inputs one is held against the law with all measures and the whole text."""
UNREMEMBERED = 8
"""Of so many of these one tells each result anew, also where another door gave one of the same state."""


@dataclass(frozen=True)
class Known:
    """A difference that is known, with its line of the list of faults; the law is not asserted of it."""

    line: str
    why: str
    doors: str
    when: Callable[["Case"], bool] = lambda case: True
    what: str = ".*"
    refusal: str = ""
    """How the door's own refusal begins, if it refuses what all rows at once do not."""

    def covers(self, door, difference, case):
        what, here, _ = difference
        return bool(
            re.fullmatch(self.doors, door)
            and re.match(self.what, what)
            and str(here).startswith(self.refusal)
            and self.when(case)
        )


STRICT = False
"""Whether the law is asserted of what is known as well."""

KNOWN: tuple[Known, ...] = (
    Known(
        "raw parts",
        "raw class scores that all lie between 0 and 1 in one part look like probabilities there",
        "command merge|parts .*added.*",
        lambda case: case.given.task == "class scores",
        "refusal",
        "MergeError: Only one assessment has raw class scores",
    ),
    Known(
        "texts of truth values",
        "labels that are all True or False are truth values in a text file, also if a table has them as text",
        ".*csv.*",
        lambda case: case.given.kind == "True as text",
        "refusal",
        "a result",
    ),
)
"""Where a door refuses, with the way out, what it cannot know; and what is being mended, by the line of its issue."""


# -- the law ------------------------------------------------------------------------------------------------------


class Held:
    """One input held against the law: what each door says otherwise than all rows at once.

    The command writes labels other than texts and whole numbers as a file has them, where Python has its own form.
    """

    def __init__(self, given, thorough=False, is_remembered=False):
        self.given, self.thorough, self.memory = given, thorough, Memory(is_remembered)
        self.known = Counter()
        self._wanted = {}

    def broken(self, doors):
        """For each door its differences, none where it may not be asked."""
        with tempfile.TemporaryDirectory() as folder, self.memory.of_json():
            for number, name in enumerate(doors):
                family, make = DOORS[name]
                own = Path(folder, str(number))
                own.mkdir()
                yield name, self._through(name, make, Case(self.given, family, own))

    def _through(self, name, make, case):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work = make(case)
        except Exception:  # noqa: BLE001 - what another library cannot hold does not come through its door
            return None
        if work is None or case.is_one_number_twice:
            return None
        is_json = name.startswith("command")
        found = answer(work)
        wanted = self.wanted(case, json_too=is_json)
        if not isinstance(found, Refusal):
            found = (
                dict(as_json(found))
                if is_json
                else answer(lambda: self.memory.of(told, found, self.thorough))
            )
        only = EXACT if name in ("sqlite", "duckdb") and self.given.task == "scores" else ""
        told_apart = differences(found, wanted, only)
        known = [next((line for line in KNOWN if line.covers(name, each, case)), None) for each in told_apart]
        self.known.update({line.line for line in known if line is not None})
        return [each for each, line in zip(told_apart, known, strict=True) if line is None or STRICT]

    def wanted(self, case, json_too):
        key = case.family, json_too
        if key not in self._wanted:
            made = answer(reference(case))
            if not isinstance(made, Refusal):
                whole = made
                made = (
                    dict(as_json(whole.to_dict())) if json_too else self.memory.of(told, whole, self.thorough)
                )
            self._wanted[key] = made
        return self._wanted[key]


def law_of(name, difference):
    """What is broken, so that like failures are one: the door and what differs, a refusal with its kinds."""
    what, here, there = difference
    if what == "refusal":
        return f"{name}: {here.partition(':')[0]} for {there.partition(':')[0]}"
    return f"{name}: {re.sub(r'[0-9]+', '#', what).partition('.')[0]}"


def failures(number, doors, every=THOROUGH):
    """The laws that the input of a number breaks, and how."""
    given = drawn(number)
    found, asked = {}, 0
    held = Held(given, number % every == 0, bool(number % (every * UNREMEMBERED)))
    for name, broken in held.broken(doors):
        asked += broken is not None
        if broken:
            found[law_of(name, broken[0])] = (name, broken)
    return given, found, asked, held.known


def doors_of(number, among=tuple(DOORS), each=DOORS_EACH):
    """Some doors for an input, drawn anew for each, every one as often as the others."""
    rng = np.random.default_rng([5, number])
    return [str(name) for name in rng.choice(among, min(each, len(among)), replace=False)]


@pytest.mark.parametrize("start", range(0, INPUTS, 10))
def test_every_door_tells_the_same(start):
    broken = {}
    for number in range(start, start + 10):
        _, found, *_ = failures(number, doors_of(number))
        broken |= {law: f"input {number}: {differences[:3]}" for law, (_, differences) in found.items()}
    assert not broken, "\n".join(f"{law}\n  {how}" for law, how in broken.items())


def labels(names, truth, said, **more):
    """An input of labels that are named by their places."""
    return Given("found", "labels", names, truth, said, **more)


FOUND = {
    "class scores of a class that the first rows lack": (
        Given("found", "class scores", ("c", "a", "b"), (1,) * 9 + (0, 2), score=((0.2, 0.5, 0.3),) * 11),
        "scan of .*|folder of csv files|lists|command on csv",
    ),
    "whole floats": (
        labels((2.0, 1.0), (0, 1, 0), (1, 1, 0), positive=0),
        ".*csv.*|arrays|scan of an arrow table",
    ),
    "truth values, one of which occurs": (
        labels((True, False), (1, 1), (0, 1), positive=0, declared=(0, 1)),
        ".*csv.*|scan of a parquet file",
    ),
    "numbers, and a declared text": (labels((1, 2, "x"), (0, 1), (1, 1), declared=(0, 1, 2)), ".*csv.*"),
    "whole numbers beside others, in parts and columns without these": (
        labels(("1", "2", "3.5"), (0, 2, 1), (1, 2, 1)),
        ".*csv.*|json lines",
    ),
    "a label of a case that is left out for want of an answer": (
        labels(("a", "b", "c", "d"), (0, 1, 2, 3, 0, 1), (0, 1, 2, None, 0, 1), how={"unanswered": "drop"}),
        "scan of .*|folder of .*",
    ),
    "one label, beside a case that is left out for want of an answer": (
        Given(
            "found",
            "scores",
            ("a", "b"),
            (1, 0),
            score=(math.nan, 0.5),
            positive=1,
            how={"unanswered": "drop"},
        ),
        "scan of .*|folder of .*",
    ),
    "a missing truth in a part of weight 0": (
        Given(
            "found",
            "scores",
            (1, 2),
            (None, 1, 0),
            score=(0.5, 0.7, 0.2),
            columns={"weight": (0.0, 1.0, 1.0)},
            positive=1,
        ),
        "folder of .*|scan of .*",
    ),
    "sums of weights half-way between two printed ones": (
        Given(
            "found",
            "many labels",
            ("a", "b", "c"),
            (0,) * 5 + (1, 2),
            (0,) * 5 + (1, 2),
            columns={"weight": (2.8099999999999996, 1.54, 0.48, 4.31, 0.81, 0.65, 0.65)},
        ),
        "parts added.*|folder of csv files",
    ),
    "a positive label that is only predicted": (
        labels(("a", "b"), (0, 0), (0, 1), positive=1),
        ".*csv.*|command.*",
    ),
}
"""Faults that were found, as inputs, and the doors that had them."""


@pytest.mark.parametrize(
    "fault",
    [fault for fault, (_, doors) in FOUND.items() if any(re.fullmatch(doors, name) for name in DOORS)],
)
def test_what_was_found_stays_mended(fault):
    given, doors = FOUND[fault]
    held = Held(given, thorough="printed" in fault)
    broken = dict(held.broken([name for name in DOORS if re.fullmatch(doors, name)]))
    assert any(each is not None for each in broken.values())
    assert not any(broken.values()), broken


# -- many inputs --------------------------------------------------------------------------------------------------


def work(numbers, doors, each=None):
    """What a share of the inputs breaks: by law how often, and the smallest input of each."""
    counts, first, asked, known = Counter(), {}, 0, Counter()
    for number in numbers:
        given, found, through, seen = failures(number, doors_of(number, doors, each) if each else doors)
        asked, known = asked + through, known + seen
        for law, (name, broken) in found.items():
            counts[law] += 1
            if law not in first or len(given) < len(first[law][1]):
                first[law] = (number, given, name, broken)
    return counts, first, asked, len(numbers), known


def shrunk(law, given, name, thorough):
    def fails(some):
        return any(
            law_of(door_name, each[0]) == law
            for door_name, each in Held(some, thorough).broken([name])
            if each
        )

    return smaller(given, fails)


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.laws.test_doors", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--inputs", type=int, default=1000, help="how many (1000)")
    parser.add_argument("--seed", type=int, default=0, help="the first input (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--doors", default=".*", help="only doors whose names match this")
    parser.add_argument("--each", type=int, help="through so many doors an input, drawn anew; all of them")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so long")
    parser.add_argument("--known", action="store_true", help="assert the law of what is known to fail, too")
    given = parser.parse_args()
    globals()["STRICT"] = given.known
    doors = [name for name in DOORS if re.search(given.doors, name)]
    began, counts, first, asked, done, known = time.monotonic(), Counter(), {}, 0, 0, Counter()
    numbers = range(given.seed, given.seed + given.inputs)
    shares = [numbers[i : i + 20] for i in range(0, len(numbers), 20)]
    pool = ProcessPoolExecutor(given.jobs) if given.jobs > 1 else contextlib.nullcontext()
    with pool as workers:
        results = (
            workers.map(work, shares, [doors] * len(shares), [given.each] * len(shares))
            if workers
            else (work(each, doors, given.each) for each in shares)
        )
        for more, firsts, through, many, seen in results:
            counts, asked, done, known = counts + more, asked + through, done + many, known + seen
            for law, each in firsts.items():
                if law not in first:
                    first[law] = each
                    print(f"== {law} (input {each[0]}): {each[3][:2]}"[:700], flush=True)
            if time.monotonic() - began > given.minutes * 60:
                break
            if done % 200 == 0:
                print(
                    f"{done:,} inputs, {asked:,} doors, {len(counts)} laws broken",
                    file=sys.stderr,
                    flush=True,
                )
    show(done, asked, counts, first, time.monotonic() - began)
    for each in KNOWN:
        print(
            f"known, {each.line} ({each.why}): {known[each.line]} differences"
            + " - mended?" * (not known[each.line])
        )
    sys.exit(bool(counts))


def show(done, asked, counts, first, seconds):
    print(f"\n{done:,} inputs through {asked:,} doors in {seconds:,.0f} s: {len(counts)} laws broken")
    for law, many in counts.most_common():
        number, given, name, _ = first[law]
        small = shrunk(law, given, name, number % THOROUGH == 0)
        _, broken = next(iter(Held(small, number % THOROUGH == 0).broken([name])))
        print(
            f"\n{many} × {law} (first: input {number})\n   {small}\n   {[(w, h, t) for w, h, t in (broken or [])[:3]]}"[
                :2500
            ]
        )


if __name__ == "__main__":
    main()
