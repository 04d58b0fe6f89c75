"""What periods of time add to `cli/test_scan_command.py`."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from command import call


@pytest.fixture(autouse=True)
def preds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    (tmp_path / "preds").mkdir()
    for day in range(3):
        y = rng.random(400) < 0.3
        table = pa.table({"y": y.astype(int), "p": rng.beta(1 + 2 * y, 2), "who": rng.integers(0, 9, 400)})
        parquet.write_table(table, tmp_path / "preds" / f"{day}.parquet")
    tables = [parquet.read_table(tmp_path / "preds" / f"{day}.parquet") for day in range(3)]
    parquet.write_table(pa.concat_tables(tables), tmp_path / "all.parquet")


def test_decisions_that_need_all_rows_are_refused_of_folders():
    done = call("decide", "preds", "--truth", "y", "--score", "p", "--cost", "fp=1", "--time", "day")
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert "one file" in done.stderr
