"""The child process that runs the checks: it reads inputs, answers each, and dies of what kills classay."""

import pickle
import resource
import signal
import struct
import sys
import tempfile
from pathlib import Path

from . import contract, targets

MEMORY = 12 << 30
"""Bytes of address space: a header that claims a huge shape is a finding, not a busy machine."""

MEMORY_DISK = Path("/dev/shm")
"""Where files are written, if there is such a place: a database waits for a disk at each change."""


def main():
    """Answer inputs, `(target, input)` each, until there are no more."""
    import faulthandler

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out, source = contract.quiet(), sys.stdin.buffer
    import classay  # noqa: F401 - what the first input needs is no part of its time

    with tempfile.TemporaryDirectory(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None) as folder:
        tempfile.tempdir = folder
        while head := source.read(8):
            target, given = pickle.loads(source.read(*struct.unpack("<Q", head)))
            check = targets.module(target).check
            # processor time, so that a busy machine is no finding; the signal ends the process
            signal.setitimer(signal.ITIMER_PROF, contract.HANG)
            answer = contract.held(check, given)
            signal.setitimer(signal.ITIMER_PROF, 0)
            content = pickle.dumps((answer.outcome, answer.law, answer.detail))
            out.write(struct.pack("<Q", len(content)) + content)
            out.flush()


if __name__ == "__main__":
    main()
