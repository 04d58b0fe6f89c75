"""The parent: it makes inputs with Hypothesis, hands each to a child, and keeps the smallest of every failure."""

import atexit
import contextlib
import os
import pickle
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisException

from .contract import Answer
from .targets import SHARES, module

TESTS = Path(__file__).parents[1]
PATIENCE = 120
"""Seconds without an answer after which a child that waits for something is stuck."""
ROUND = 500
"""Inputs of one search; another begins with another seed, without what is known."""
SHRINKS = 60
"""Attempts to make the input of one failure smaller."""


def shared(inputs, names):
    """How many inputs each kind gets, and the whole is all of them."""
    parts = sum(SHARES[name] for name in names)
    each = {name: int(inputs * SHARES[name] / parts) for name in names}
    each[names[0]] += inputs - sum(each.values())
    return each


class Child:
    """A process that answers inputs until one kills it; then another takes its place."""

    def __init__(self):
        self.process = self.errors = None

    def ask(self, target, given):
        """What becomes of an input: the answer, or how the process died of it."""
        process = self._alive()
        content = pickle.dumps((target, given))
        try:
            process.stdin.write(struct.pack("<Q", len(content)) + content)
            process.stdin.flush()
            while not select.select([process.stdout], [], [], PATIENCE)[0]:
                if _is_runnable(process.pid):
                    continue
                process.kill()
                process.wait()
                return Answer("broken", "stuck", f"no answer in {PATIENCE} s")
            if head := process.stdout.read(8):
                return Answer(*pickle.loads(process.stdout.read(*struct.unpack("<Q", head))))
        except BrokenPipeError:
            pass
        return self._death()

    def _alive(self):
        if self.process is None or self.process.poll() is not None:
            self.close()
            self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
            paths = os.pathsep.join([str(TESTS.parent / "src"), str(TESTS)])
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
                env=os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": "0"},
            )
        return self.process

    def _death(self):
        code = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace")
        if code == -signal.SIGPROF:
            return Answer("broken", "hang", "more than 10 s of processor time")
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        frame = re.search(r'classay/(\S+)", line \d+ in (\S+)', said)
        return Answer("broken", f"{how} at {':'.join(frame.groups()) if frame else 'outside'}", said[-3000:])

    def close(self):
        """End the process."""
        if self.process is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.errors.close()
            self.process = None


def _is_runnable(pid):
    """Whether a process would go on if it were given a processor: on a busy machine it is not stuck."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "R"
    except OSError:
        return False


@dataclass
class Found:
    """What a run of the fuzzer found: how many inputs came to what, and of each failure its smallest input."""

    counts: Counter = field(default_factory=Counter)
    failures: dict = field(default_factory=dict)

    def add(self, target, law, given, detail):
        """Keep a failure if it is new, or its input smaller."""
        key, size = (target, law), len(repr(given))
        if key not in self.failures or size < self.failures[key][0]:
            self.failures[key] = (size, repr(given), detail)

    def __iadd__(self, other):
        self.counts += other.counts
        for key, kept in other.failures.items():
            if key not in self.failures or kept[0] < self.failures[key][0]:
                self.failures[key] = kept
        return self


class Failure(Exception):
    """What Hypothesis sees of a failure; each law has a kind of its own, so that each is made small by itself."""


def search(target, inputs, start, child, shrinks=SHRINKS):
    """Hold `inputs` inputs of a target against the contract; the seeds are `start` and those after it."""
    found, asked, number, laws = Found(), 0, start, set()
    while asked < inputs:
        done = _round(target, min(ROUND, inputs - asked), number, child, found, laws, shrinks)
        number += 1
        if not done:  # the strategy has no more to give
            break
        asked += done
    return found


@cache
def _child():
    """The child of this process: one for all its shares of the work, because it takes seconds to start."""
    made = Child()
    atexit.register(made.close)
    return made


def work(target, inputs, start):
    """One share of the work."""
    return search(target, inputs, start, _child())


def _round(target, inputs, number, child, found, known, shrinks):
    kinds, tries, asked = {}, 0, 0

    @seed(number)
    @settings(
        max_examples=inputs,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(module(target).INPUTS)
    def one(given):
        nonlocal tries, asked
        if kinds:
            tries += 1
            if tries > shrinks * len(kinds):
                return
        answer = child.ask(target, given)
        if not kinds:
            asked += 1
            found.counts[target, answer.outcome] += 1
        if answer.outcome == "broken":
            if answer.law in known:
                return
            found.add(target, answer.law, given, answer.detail)
            kind = kinds.setdefault(answer.law, type("Failure", (Failure,), {}))
            raise kind(answer.law)

    with contextlib.suppress(Failure, HypothesisException, BaseExceptionGroup):
        one()
    known |= {*kinds}
    return asked
