"""Parts counted on a cluster of Dask: two processes, one of which is killed."""

import os
import signal
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import classay as ca
from classay.errors import InputError, WorkerError
from command import call

distributed = pytest.importorskip("distributed", reason="SKIPPED LOUDLY: dask[distributed] is not installed")

# starting two processes takes some seconds; Dask warns of its own in several versions
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
N = 6000


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as made:
        made.wait_for_workers(2)
        yield made


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.3
    return pa.table({"y": y.astype(int), "p": rng.beta(1 + 2 * y, 2)})


@pytest.fixture
def folder(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds").mkdir()
    for i in range(30):
        parquet.write_table(table.slice(200 * i, 200), f"preds/{i:02}.parquet")
    return str(tmp_path / "preds")


def test_a_worker_killed_in_the_midst_changes_nothing(client, folder):
    wanted = ca.scan(folder, truth="y", score="p").to_dict()
    assert ca.scan(folder, truth="y", score="p", executor=client).to_dict() == wanted
    killed = []

    def kill(done, _):
        if not killed:
            pids = client.run(os.getpid)
            killed.append(next(iter(pids.values())))
            os.kill(killed[0], signal.SIGKILL)

    assert ca.scan(folder, truth="y", score="p", executor=client, progress=kill).to_dict() == wanted
    assert killed


def test_a_partition_that_always_ends_its_worker_is_an_error(client, table):
    import cloudpickle
    import dask.dataframe as dd

    cloudpickle.register_pickle_by_value(sys.modules[__name__])

    def deadly(frame, partition_info=None):
        if len(frame) and partition_info and partition_info["number"] == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return frame

    pandas = table.to_pandas()
    frame = dd.from_pandas(pandas, npartitions=6).map_partitions(deadly, meta=pandas.iloc[:0])
    with pytest.raises(WorkerError, match="Workers died repeatedly"):
        ca.scan(frame, truth="y", score="p", executor=client)


def test_a_dataframe_of_dask_is_counted_by_partitions(client, table):
    import dask.dataframe as dd

    wanted = ca.scan(table, truth="y", score="p").to_dict()
    frame = dd.from_pandas(table.to_pandas(), npartitions=7)
    assert ca.scan(frame, truth="y", score="p", executor=client).to_dict() == wanted
    assert ca.scan(frame.persist(), truth="y", score="p", executor=client).to_dict() == wanted
    first = ca.scan(frame, truth="y", score="p", executor=client, limit=1500)
    assert first.n == 1500
    assert first["roc_auc"] == ca.assess(table.slice(0, 1500), truth="y", score="p")["roc_auc"]
    with pytest.raises(InputError, match="no column 'q' in the frame"):
        ca.scan(frame, truth="y", score="q", executor=client)


def test_a_dataframe_of_dask_needs_no_cluster(table):
    import dask.dataframe as dd

    frame = dd.from_pandas(pd.DataFrame(table.to_pandas()), npartitions=3)
    assert ca.scan(frame, truth="y", score="p").to_dict() == ca.scan(table, truth="y", score="p").to_dict()


def test_the_command_counts_on_a_cluster(cluster, folder):
    shared = ("--truth", "y", "--score", "p", "--json", "-")
    wanted = call("assess", folder, *shared)
    assert wanted.exit_code == 0, wanted.stderr
    for address in (cluster.scheduler_address, "local"):
        found = call("assess", folder, *shared, "--dask", address)
        assert found.stdout == wanted.stdout, found.stderr


def test_what_the_workers_refuse_is_told_as_ever(client, folder):
    with open(f"{folder}/31.parquet", "wb") as file:
        file.write(b"PAR1")
    from classay.errors import FileError

    with pytest.raises(FileError, match=r"31\.parquet"):
        ca.scan(folder, truth="y", score="p", executor=client)
