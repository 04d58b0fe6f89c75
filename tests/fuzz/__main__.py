"""`python -m tests.fuzz`: hold many inputs against the contract; print counts, and each failure's smallest input."""

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from .parent import Found, shared, work
from .targets import SHARES

CHUNK = 250


def plan(names, inputs, start):
    """The targets in turn, a chunk each, until all inputs are given out: what is found early is of every kind."""
    left, number = shared(inputs, names), start
    while any(left.values()):
        for name in names:
            if count := min(CHUNK, left[name]):
                yield name, count, number
                left[name] -= count
        number += 1000


def main():
    """Run, print, and exit with 1 if anything is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=2000, help="how many, over all targets (2000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1), with a child each")
    parser.add_argument("--targets", default=",".join(SHARES), help="which kinds of input (all)")
    given = parser.parse_args()
    found, began = Found(), time.monotonic()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.jobs, mp_context=context) as pool:
        chunks = plan(given.targets.split(","), given.inputs, given.seed * 1_000_000)
        for done in as_completed([pool.submit(work, *chunk) for chunk in chunks]):
            known = {*found.failures}
            found += done.result()
            for key in found.failures.keys() - known:  # at once, for a run of hours may be ended
                print(told(found, key), file=sys.stderr)
            print(
                f"{sum(found.counts.values()):,} inputs, {len(found.failures)} failures",
                file=sys.stderr,
                flush=True,
            )
    show(found, time.monotonic() - began)
    sys.exit(bool(found.failures))


def show(found, seconds):
    """Print the counts and the failures."""
    print(f"{sum(found.counts.values()):,} inputs in {seconds:,.0f} s")
    for name in dict.fromkeys(target for target, _ in sorted(found.counts)):
        counts = {outcome: n for (target, outcome), n in sorted(found.counts.items()) if target == name}
        print(f"  {name:10} " + ", ".join(f"{outcome} {n:,}" for outcome, n in counts.items()))
    for key in sorted(found.failures):
        print(told(found, key))


def told(found, key):
    """A failure with its smallest input."""
    (target, law), (_, smallest, detail) = key, found.failures[key]
    return f"\n== {target}: {law}\ninput: {smallest[:3000]}\n{detail.rstrip()}"


if __name__ == "__main__":
    main()
