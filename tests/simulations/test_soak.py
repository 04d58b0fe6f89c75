"""Long use in short: memory and handles stay flat, any order of parts gives the same bytes, forks follow threads, and
one of very many runs is found as soon as one of few.

`CLASSAY_SOAK=1` runs the numbers in full (an hour); by default a hundredth of them.
"""

import gc
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import classay as ca
from classay.resampling.evaluation import Evaluation
from classay.resampling.run_store import Store

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


def seconds(work):
    """The processor time of it, and what it gives."""
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def evaluated(folder, number):
    """What a store keeps of some evaluations: each as it is told, with its results and itself."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    x[:, 0] += y
    for seed in range(number):
        with Store(folder / f"{seed}.db") as one:
            how = {"protocol": "3fold", "measures": ["accuracy", "roc_auc"], "seed": 0}
            learner = {f"learner {seed}": GaussianNB(var_smoothing=10.0**-seed)}
            e = ca.evaluate(learner, x, y, store=one, **how)
            (run,) = one.runs()
            yield e, run.about, [kept for _, kept in one.results(run.id)], one.get(f"evaluation {run.id}")


def filled(path, runs, made):
    """A store of that many runs, and how the memory grew meanwhile; each has keys of its own."""
    with Store(path) as store:
        for i in range(runs):
            if i == runs // 5:
                before, _ = used()
            _, about, results, whole = made[i % len(made)]
            keys = [f"{i:08}-{k}" for k in range(len(results))]
            store.begin(f"{i:08}", about | {"seed": i}, keys)
            for key, each in zip(keys, results, strict=True):
                store.put(key, each)
            store.put(f"evaluation {i:08}", whole)
        return used()[0] - before


@pytest.mark.skipif(not PROC.exists(), reason="memory is read from /proc")
def test_a_store_of_very_many_runs(tmp_path, record_property):
    """Ten times the runs take ten times as long to list and to show, and one of them is found as soon as before."""
    runs = int(100_000 * SHARE)
    made = list(evaluated(tmp_path, 5))
    found = {}
    for number in (runs // 10, runs):
        path = tmp_path / f"{number} runs.db"
        writing, grown = seconds(lambda path=path, number=number: filled(path, number, made))
        assert grown < 10
        with Store.existing(path) as store:
            listing, told = seconds(store.runs)
            assert [each.about["seed"] for each in told] == list(range(number))
            assert all(each.is_finished for each in told)
            some = random.Random(0).sample(range(number), 20)
            opening, opened = seconds(lambda store=store, some=some: [reopened(store, each) for each in some])
            assert [repr(each) for each in opened] == [repr(made[each % 5][0]) for each in some]
            two = Evaluation.joined({str(each): reopened(store, each) for each in (0, number - 1)})
            of_two, compared = seconds(two.compare)
            assert {each.measure for each in compared} == {*two.measures}
        showing, shown = seconds(lambda path=path: ca.overview(path))
        telling, _ = seconds(lambda shown=shown: shown.report(tmp_path / "page.html"))
        assert [each.name for each in shown.results] == [f"{each:08}" for each in range(number)]
        for each in random.Random(1).sample(range(number), 20):
            accuracy = made[each % 5][0].summary("accuracy").estimate
            assert shown.results[each].estimates["accuracy"] == accuracy
        found[number] = {
            "write": writing,
            "list": listing,
            "open 20": opening,
            "compare two": of_two,
            "overview": showing,
            "page of it": telling,
            "MB": used()[0],
        }
    record_property("seconds", found)
    print(json.dumps(found, indent=1))
    few, many = found.values()
    for each in ("write", "list", "overview", "page of it"):
        assert many[each] < 20 * few[each] + 0.5, each
    assert many["open 20"] < 3 * few["open 20"] + 0.5


def reopened(store, number):
    return Evaluation.reopen(store, f"{number:08}")
