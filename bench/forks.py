"""Mutants in forks: the tests are collected once, and each mutant is a fork in which the code of functions is replaced.

A plugin of pytest, used by `bench.mutants`: a second a mutant in place of twenty. Whether a fork is to be believed is
seen by another one without the mutant: a test that fails or hangs there too is left to a process of its own. So is a
mutant that cannot be put into a function that exists: in a default, in a class, in a compiled loop.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import time
import types
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from bench.mutants import Mutant, in_turn, room_of, steps

PATIENCE, GRACE = 4, 10
"""A test may take so many times as long as it did before, and so many seconds more."""
MOST_SECONDS = 60
"""What the tests of one fork may take; the others run in a process of their own."""
MOST_HUNG = 3
"""Tests that hang in any fork, such as those of engines with threads, after which a mutant is left to a process."""
FAILED, PASSED, UNPLACED, STUCK = "failed", "passed", "unplaced", "stuck"

Code = types.CodeType


def codes(code: Code, prefix: str = "") -> Iterator[tuple[str, Code]]:
    """Everything that stands in a module, by where it stands."""
    counts: Counter[str] = Counter()
    for each in code.co_consts:
        if isinstance(each, Code):
            place = f"{prefix}/{each.co_name}#{counts[each.co_name]}"
            counts[each.co_name] += 1
            yield place, each
            yield from codes(each, place)


def same(one: Code, other: Code) -> bool:
    """Whether two codes do the same, wherever their lines stand."""
    if (one.co_code, one.co_names, one.co_varnames) != (other.co_code, other.co_names, other.co_varnames):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    return all(
        isinstance(b, Code) and same(a, b) if isinstance(a, Code) else type(a) is type(b) and a == b
        for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )


Functions = dict[tuple[str, int, str], list[types.FunctionType]]


def functions() -> Functions:
    """All functions that there are, by file, first line and name."""
    found: Functions = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, types.FunctionType):
            code = each.__code__
            found[code.co_filename, code.co_firstlineno, code.co_name].append(each)
    return found


def placed(mutant: Mutant, there: Functions) -> bool:
    """Put a mutant into the functions of this process; False where it stands in none."""
    path = Path.cwd() / mutant.file
    content = path.read_bytes()
    before, after = (
        dict(codes(compile(each, str(path), "exec", dont_inherit=True)))
        for each in (content, mutant.applied(content))
    )
    done = False
    for place, code in before.items():
        if place in after and not same(code, after[place]):
            for each in there.get((code.co_filename, code.co_firstlineno, code.co_name), ()):
                each.__code__ = after[place]
                done = True
    return done


def forked(
    items: Sequence[pytest.Item], limits: Sequence[float], mutant: Mutant | None, there: Functions
) -> tuple[str, int]:
    """How tests end in a fork, each within its limit, and how many of them passed before the one that ended it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        os.close(read)
        _run(items, write, mutant, there)
    os.close(write)
    told, stuck = b"", False
    while not stuck and (len(told) < len(items)):
        stuck = not select.select([read], [], [], limits[len(told)])[0]
        if stuck or not (part := os.read(read, 65536)):
            break
        told += part
    ended = None if stuck else os.waitpid(child, 0)[1]
    with contextlib.suppress(ProcessLookupError, PermissionError):  # what it started goes with it
        os.killpg(child, signal.SIGKILL)
    if stuck:
        os.waitpid(child, 0)
    os.close(read)
    if told[:1] == b"-":
        return UNPLACED, 0
    return STUCK if stuck else FAILED if ended else PASSED, told.count(b".")


def _run(items: Sequence[pytest.Item], write: int, mutant: Mutant | None, there: Functions) -> None:
    """The life of a fork: a point for each test that passed."""
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for each in (0, 1, 2):
            os.dup2(nowhere, each)
        if mutant is not None and not placed(mutant, there):
            os.write(write, b"-")
            return
        for this, following in zip(items, [*items[1:], None], strict=True):
            if any(each.failed for each in runtestprotocol(this, log=False, nextitem=following)):
                return
            os.write(write, b".")
        code = 0
    finally:
        os._exit(code)


class Forks:
    """The tests of this process, and which of them a fork can run."""

    def __init__(self, items: Sequence[pytest.Item], seconds: Mapping[str, float]) -> None:
        self.items = {each.nodeid: each for each in items}
        self.seconds = {name: seconds[name] for name in self.items if name in seconds}
        self.unable: set[str] = set()
        self.able: set[str] = set()
        self.functions = functions()

    def limits(self, names: Sequence[str]) -> list[float]:
        return [GRACE + PATIENCE * self.seconds[each] for each in names]

    def tried(self, mutant: Mutant, names: Sequence[str]) -> dict[str, Any]:
        """What becomes of a mutant on these tests: who noticed it, or which have passed."""
        ran: list[str] = []
        hung = 0
        left = [each for each in names if each not in self.unable]
        while left:
            how, passed = forked(
                [self.items[each] for each in left], self.limits(left), mutant, self.functions
            )
            if how == UNPLACED:
                return {"how": how, "by": "", "ran": []}
            ran += left[:passed]
            if how == PASSED or passed == len(left):
                break
            name = left[passed]
            if self.can(name):
                if how == STUCK:  # or the machine is busy: a process of its own tells
                    break
                return {"how": how, "by": name, "ran": ran}
            hung += how == STUCK
            if hung == MOST_HUNG:  # each takes its limit twice
                break
            left = left[passed + 1 :]
        return {"how": PASSED, "by": "", "ran": ran}

    def can(self, name: str) -> bool:
        """Whether a test passes in a fork where nothing was changed."""
        if name not in self.able | self.unable:
            how, _ = forked([self.items[name]], self.limits([name]), None, self.functions)
            (self.able if how == PASSED else self.unable).add(name)
        return name in self.able


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """In place of the tests: all mutants of the folder that have not been in a fork yet."""
    folder = Path(os.environ["MUTANTS_FORKS"])
    known = json.loads((folder / "known.json").read_text())
    written = folder / "forks.jsonl"
    done = (
        {json.loads(line)["number"] for line in written.read_text().splitlines()}
        if written.exists()
        else set()
    )
    gc.unfreeze()  # what the tests froze when they were collected is not told otherwise
    forks = Forks(session.items, known["seconds"])
    gc.freeze()
    reached = {name: set(tests) for name, tests in known["reached"].items()}
    for each in json.loads((folder / "mutants.json").read_text()):
        marked = each["marked"] and tuple(each["marked"])
        mutant = Mutant(**each | {"marked": marked})
        if mutant.number in done or marked is None:
            continue
        began = time.monotonic()
        some = steps(mutant, defaultdict(set, reached), forks.seconds)
        found = forks.tried(mutant, _within(some.values(), forks.seconds, mutant.room))
        found |= {"number": mutant.number, "seconds": round(time.monotonic() - began, 1)}
        with written.open("a") as file:
            file.write(json.dumps(found) + "\n")
    return True


def _within(some: Iterable[Sequence[str]], seconds: Mapping[str, float], room: str) -> list[str]:
    """Those of its room first, then those of their files, and the others as far as the time goes."""
    reaching, beside, others = some
    near = [each for each in (*reaching, *others) if room_of(each) in (room, "laws")]
    kept, spent = [], 0.0
    for names in (in_turn(near, dict(seconds)), beside, in_turn({*others} - {*near}, dict(seconds))):
        for name in names:
            if kept and spent + seconds[name] > MOST_SECONDS:
                break
            spent += seconds[name]
            kept.append(name)
    return kept
