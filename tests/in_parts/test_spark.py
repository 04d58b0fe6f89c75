"""Predictions in Spark: counted there by the query of its dialect, whichever executor is killed meanwhile.

Runs where Java and pyspark are; says so where they are not.
"""

import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import classay as ca
from classay.errors import InputError

if shutil.which("java") is None:
    pytest.skip("SKIPPED LOUDLY: Java is not installed, which Spark needs", allow_module_level=True)
sql = pytest.importorskip("pyspark.sql", reason="SKIPPED LOUDLY: pyspark is not installed")

# a session takes some ten seconds to start; Spark warns of its own
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
N, BITS, FILES = 6000, 6, 40
INSIDE = ("keys", "cases", "least", "most")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.3
    p = 1 / (1 + np.exp(-rng.normal(-1, 4, N) - 2 * y))
    p[:6] = [0.0, 1.0, 0.5, 1 - 2.0**-53, 2.0**-40, 1e-300]
    table = pa.table({"y": y.astype(np.int64), "p": p, "row": np.arange(N)})
    at = tmp_path_factory.mktemp("preds")
    for i in range(FILES):
        parquet.write_table(table.slice(i * N // FILES, N // FILES), at / f"{i:02}.parquet")
    return at


@pytest.fixture(scope="module")
def session():
    """Two executors that are processes of their own, and a master that starts others when they die."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        made = (
            sql.SparkSession.builder.master("local-cluster[2,1,1024]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.files.maxPartitionBytes", "1k")
            .config("spark.sql.shuffle.partitions", "4")
            .getOrCreate()
        )
        yield made
        made.stop()


def counts(session, relation="preds"):
    """What the query gives, inside Spark."""
    query = ca.count_query(relation, truth="y", score="p", dialect="spark", bits=BITS)
    rows = session.sql(query).collect()
    return {name: [row[name] for row in rows] for name in rows[0].asDict()}


def same(found, wanted):
    for part in INSIDE:
        one, other = (getattr(each.scores.bins, part) for each in (found, wanted))
        assert one.tobytes() == other.tobytes(), part
    assert found.confusion_matrix.counts.tolist() == wanted.confusion_matrix.counts.tolist()
    assert found["roc_auc"] == wanted["roc_auc"]


def test_what_is_no_score_is_told_and_never_counted(session):
    """FLOOR of NaN is 0 in Spark, and that of infinity overflows."""
    for odd in ("double('NaN')", "double('Infinity')", "-0.25D", "CAST(NULL AS DOUBLE)"):
        session.sql(
            f"SELECT * FROM VALUES (1, 0.75D), (0, 0.25D), (0, {odd}) AS rows(y, p)"
        ).createOrReplaceTempView("odd")
        with pytest.raises(InputError, match=r"score is .* in 1 row"):
            ca.assess_counts(counts(session, "odd"), bits=BITS)


def test_spark_counts_the_same_inside_though_an_executor_is_killed(session, folder):
    wanted = ca.scan(folder, truth="y", score="p", bits=BITS)
    frame = session.read.parquet(str(folder))
    frame.createOrReplaceTempView("preds")
    same(ca.assess_counts(counts(session), bits=BITS), wanted)

    # one row of each file takes its time, so that tasks are under way when an executor goes
    wait = "reflect('java.lang.Thread', 'sleep', 400L)"
    frame.selectExpr(
        "y", f"CASE WHEN row % {N // FILES} = 0 AND {wait} = 'x' THEN 0D ELSE p END AS p"
    ).createOrReplaceTempView("slow")
    found = []
    counting = threading.Thread(target=lambda: found.append(counts(session, "slow")))
    counting.start()
    killed = kill_one(session, counting)
    counting.join()
    assert killed, "no task was under way"
    same(ca.assess_counts(found[0], bits=BITS), wanted)


def kill_one(session, counting):
    """Kill an executor while some tasks of a stage are done and some are not; its number."""
    name = session.sparkContext.applicationId
    tracker = session.sparkContext.statusTracker()
    while counting.is_alive():
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        if any(stage and 0 < stage.numCompletedTasks < stage.numTasks - 4 for stage in stages):
            executors = [
                pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if is_executor(pid, name)
            ]
            os.kill(executors[0], signal.SIGKILL)
            return executors[0]
        time.sleep(0.05)
    return None


def is_executor(pid, name):
    """Whether a process is an executor of this session, and of no other."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return name.encode() in words and b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words
