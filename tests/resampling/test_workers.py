"""Workers that die: what is finished stays, what was under way is done again, what kills is named."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from joblib import cpu_count, parallel_config
from sklearn.model_selection import PredefinedSplit
from threadpoolctl import threadpool_info, threadpool_limits

import classay as ca
from classay.resampling.fitting import DIED
from classay.resampling.run_store import SMALL, Store
from command import SOURCE
from learners import Centroid, Deadly, Modest, noise
from on_dask import on_dask


def test_a_worker_killed_once_changes_nothing(tmp_path):
    x, y = noise(60)
    steps = []
    e = ca.evaluate(
        Deadly(once=str(tmp_path / "once")), x, y, protocol="2x5", n_jobs=2, progress=steps.append
    )
    assert (tmp_path / "once").exists()
    assert not e.failures
    assert [step.done for step in steps] == list(range(1, 11))
    assert e["accuracy"] == ca.evaluate(Centroid(), x, y, protocol="2x5")["accuracy"]


REPLACED = """
import classay as ca
from learners import Centroid, Growing, noise

if __name__ == "__main__":
    x, y = noise(60)
    found = ca.evaluate(Growing("once"), x, y, protocol="2x5", n_jobs=2)
    print(found["accuracy"] == ca.evaluate(Centroid(), x, y, protocol="2x5")["accuracy"], found.failures)
"""


@pytest.mark.slow
def test_a_worker_that_joblib_replaces_ends_nothing_where_warnings_are_errors(tmp_path):
    """Joblib warns of it in a thread of its own, which ended there: the evaluation waited forever."""
    (tmp_path / "replaced.py").write_text(REPLACED)
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "replaced.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{SOURCE}{os.pathsep}{Path(__file__).parents[1] / 'support'}"},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "True ()"
    assert (tmp_path / "once").exists()


@pytest.mark.slow
def test_a_fit_that_kills_every_worker_is_a_failure_that_is_not_kept(tmp_path):
    x, y = noise(60)
    x[3, 0] = 99
    splits = PredefinedSplit(np.arange(60) % 3)
    e = ca.evaluate(Deadly(), x, y, protocol=splits, n_jobs=2, store=tmp_path / "runs.db")
    assert len(e.failures) == 2
    assert all(DIED in each for each in e.failures)
    with Store.existing(tmp_path / "runs.db") as store:
        assert store.runs()[0].done == 1


def test_workers_share_the_cores(monkeypatch):
    """As where nobody set a limit, which these tests do."""
    for name in [each for each in os.environ if each.endswith("_NUM_THREADS")]:
        monkeypatch.delenv(name)
    x, y = noise(60)
    assert not ca.evaluate(Modest(processes=2), x, y, protocol="5fold", n_jobs=2).failures


class Counting(Centroid):
    """Says how many threads its fit may use."""

    def fit(self, X, y):
        Counting.seen = [each["num_threads"] for each in threadpool_info()]
        return super().fit(X, y)


@pytest.mark.parametrize("columns", [2, 4000])
def test_threads_within_a_fit_are_those_its_table_can_use(columns):
    """One for a small table; for a large one what there was, and never more; afterwards all is as before."""
    x, y = np.random.default_rng(0).normal(size=(60, columns)), np.arange(60) % 2
    how = {"protocol": "2fold", "measures": ["accuracy"]}
    with threadpool_limits(cpu_count()):
        before = [each["num_threads"] for each in threadpool_info()]
        ca.evaluate(Counting(), x, y, **how)
        assert Counting.seen == [1 if x.size < SMALL else min(each, cpu_count()) for each in before]
        with threadpool_limits(1):
            ca.evaluate(Counting(), x, y, **how)
            assert {*Counting.seen} == {1}
        with parallel_config("threading"):
            ca.evaluate(Counting(), x, y, n_jobs=2, **how)
        assert {*Counting.seen} == {max(1, cpu_count() // 2)}
        assert [each["num_threads"] for each in threadpool_info()] == before


# A process of its own, since a cluster leaves threads and warnings behind.
ON_DASK = """
import sys
from pathlib import Path
import dask, joblib
import classay as ca
from classay.errors import InputError
from distributed import Client, LocalCluster
from learners import Centroid, Deadly, noise

if __name__ == "__main__":
    x, y = noise(60)
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        with joblib.parallel_config("dask"):
            deadly = Deadly(once=sys.argv[1])
            print(ca.evaluate(deadly, x, y, protocol="2x5")["accuracy"])
            try:
                ca.evaluate(Deadly(marked=x[0, 0]), x, y, protocol="5fold", store=sys.argv[2])
            except InputError as error:
                print(error)
    print(ca.evaluate(Centroid(), x, y, protocol="2x5")["accuracy"])
"""


@pytest.mark.slow
def test_dask_workers_that_die(tmp_path):
    pytest.importorskip("distributed")
    killed, given_up, alone = on_dask(ON_DASK, tmp_path, str(tmp_path / "once"), str(tmp_path / "runs.db"))
    assert (tmp_path / "once").exists()
    assert killed == alone
    assert "Dask gave up" in given_up
