"""Files of several days, and of two models, that tests of the core and of wings read."""

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import classay as ca


def write_days(folder):
    """Cases of three days in the folder `preds`, a file each, and all of them in one file."""
    rng = np.random.default_rng(0)
    (folder / "preds").mkdir()
    for day in range(3):
        y = rng.random(400) < 0.3
        table = pa.table({"y": y.astype(int), "p": rng.beta(1 + 2 * y, 2), "who": rng.integers(0, 9, 400)})
        parquet.write_table(table, folder / "preds" / f"{day}.parquet")
    tables = [parquet.read_table(folder / "preds" / f"{day}.parquet") for day in range(3)]
    parquet.write_table(pa.concat_tables(tables), folder / "all.parquet")


def save_days(folder):
    """Assessments of three days, a file each; truth and scores of all of them."""
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.3).astype(int)
    score = rng.beta(1 + 2 * y, 2)
    for name, part in (("mon", slice(0, 200)), ("tue", slice(200, 400)), ("wed", slice(400, 600))):
        ca.assess(y[part], score[part]).save(folder / f"{name}.classay")
    return y, score


def write_models(folder):
    """Two models' predictions of 2,000 cases: the new one is a little better; the old one's rows are shuffled."""
    rng = np.random.default_rng(1)
    n = 2000
    y, ids = rng.integers(0, 2, n), np.arange(n)
    common = rng.normal(0, 0.2, n)
    order = rng.permutation(n)
    for name, gap, rows in (("new", 0.45, ids), ("old", 0.33, order)):
        p = np.round(np.clip(0.3 + gap * y + common + rng.normal(0, 0.1, n), 0.01, 0.99), 6)
        lines = ["id,y,p", *(f"c{i},{y[i]},{p[i]}" for i in rows)]
        (folder / f"{name}.csv").write_text("\n".join(lines))
    return folder
