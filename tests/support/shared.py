"""What is costly to make and the same for all: made by one of the processes that run tests beside each other."""

import json
import os
import time

WAITED = 0.1
"""Seconds between two looks for what another process makes."""


def made_once(tmp_path_factory, name, make):
    """What `make` gives, a dict of plain values with texts or tuples of them as keys; the other processes read it.

    `name` is that of the module that asks, so that no other asks for the same. Who runs alone just makes it.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return make()
    kept = tmp_path_factory.getbasetemp().parent / f"{name}.json"
    while not kept.exists():
        try:
            claim = os.open(kept.with_suffix(".claim"), os.O_CREAT | os.O_EXCL)
        except FileExistsError:  # another makes it; where it fails, the claim is gone
            time.sleep(WAITED)
            continue
        try:
            found = make()
            text = json.dumps(
                [[list(key) if isinstance(key, tuple) else key, each] for key, each in found.items()]
            )
            written = kept.with_suffix(".part")
            written.write_text(text, encoding="utf-8")
            written.replace(kept)
        finally:
            os.close(claim)
            kept.with_suffix(".claim").unlink()
    found = json.loads(kept.read_text(encoding="utf-8"))
    return {tuple(key) if isinstance(key, list) else key: each for key, each in found}
