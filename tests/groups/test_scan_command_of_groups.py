"""What groups of cases add to `cli/test_scan_command.py`."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from command import refusal


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


def test_what_needs_all_rows_is_refused():
    assert "needs all rows at once" in refusal(
        "assess", "preds", "--truth", "y", "--score", "p", "--by", "who"
    )
