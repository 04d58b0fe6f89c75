"""Long use in short: memory and handles stay flat, any order of parts gives the same bytes, forks follow threads.

`CLASSAY_SOAK=1` runs the numbers in full (an hour); by default a hundredth of them.
"""

import gc
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import classay as ca

pytestmark = pytest.mark.slow
SHARE = 1.0 if os.environ.get("CLASSAY_SOAK") == "1" else 0.01
PROC = Path("/proc/self")


def used():
    """Resident memory in MB, and open files."""
    gc.collect()
    pages = int((PROC / "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir(PROC / "fd"))


def once(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 30)
    a = ca.assess(truth, rng.random(30) + 0.3 * truth, labels=[0, 1])
    return a["roc_auc"].value, a["recall"].low


@pytest.mark.skipif(not PROC.exists(), reason="memory and handles are read from /proc")
@pytest.mark.parametrize(("threads", "times"), [(1, 100_000), (8, 10_000)])
def test_memory_and_handles_stay_flat(threads, times):
    times = int(times * SHARE)
    with ThreadPoolExecutor(threads) as pool:
        run = map if threads == 1 else pool.map
        list(run(once, range(times // 5)))
        before, handles = used()
        found = list(run(once, range(times)))
        after, handles_after = used()
    assert after - before < 10 + 1e-3 * times  # MB: the numbers that are kept here
    assert handles_after <= handles
    assert found[:20] == [once(seed) for seed in range(20)]


def test_any_order_of_parts_gives_the_same_bytes(tmp_path):
    parts = int(10_000 * SHARE)
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, (parts, 6)), rng.random((parts, 6)).round(3)
    made = [ca.assess(*each, labels=[0, 1], positive=1) for each in zip(truth, score, strict=True)]
    contents = set()
    for seed in range(4):
        order = random.Random(seed).sample(made, len(made))
        while len(order) > 1:  # in pairs, so that parts of every size are added
            order = [
                order[i] + order[i + 1] if i + 1 < len(order) else order[i] for i in range(0, len(order), 2)
            ]
        order[0].save(path := tmp_path / "whole.classay")
        contents.add(path.read_bytes())
    assert len(contents) == 1
    whole = ca.assess(truth.ravel(), score.ravel(), labels=[0, 1], positive=1)
    assert ca.load(path).to_dict()["measures"] == whole.to_dict()["measures"]


def test_a_folder_of_very_many_small_files(tmp_path):
    files = int(20_000 * SHARE)
    rng = np.random.default_rng(1)
    truth, score = rng.integers(0, 2, (files, 5)), rng.random((files, 5)).round(4)
    for number, each in enumerate(zip(truth, score, strict=True)):
        rows = "\n".join(f"{y},{p}" for y, p in zip(*each, strict=True))
        (tmp_path / f"{number:05}.csv").write_text(f"y,p\n{rows}\n")
    found = ca.scan(tmp_path, truth="y", score="p", labels=[0, 1], positive=1)
    whole = ca.assess(truth.ravel(), score.ravel(), labels=[0, 1], positive=1)
    assert found.to_dict()["measures"] == whole.to_dict()["measures"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_fork_after_threads_answers_as_its_parent():
    code = (
        "import json, os, warnings, numpy as np, classay as ca\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"
        "rng = np.random.default_rng(0)\n"
        "y = rng.integers(0, 2, 500_000); s = rng.random(500_000) + .1 * y\n"
        "told = lambda: json.dumps(ca.assess(y, s, threshold=.5).to_dict()['measures'])\n"
        "own = told()\n"
        "read, write = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    os.close(read)\n"
        "    with os.fdopen(write, 'w') as to: to.write(told())\n"
        "    os._exit(0)\n"
        "os.close(write)\n"
        "with os.fdopen(read) as of: theirs = of.read()\n"
        "print(json.dumps([json.loads(own), json.loads(theirs)]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    own, theirs = json.loads(run.stdout.splitlines()[-1])
    assert own.keys() == theirs.keys()
    for name, each in own.items():
        for key in ("value", "low", "high"):
            assert (theirs[name][key] is None) == (each[key] is None), (name, key)
            assert each[key] is None or theirs[name][key] == pytest.approx(each[key], rel=1e-9), (name, key)
