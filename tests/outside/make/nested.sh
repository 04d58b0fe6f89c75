#!/usr/bin/env bash
# Writes the files with nested columns of tests/outside/data/, and those with names of classes; run by hand.
# Spark needs Java: apt-get install openjdk-17-jre-headless
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pyspark==4.3.0 datasets==5.2.0 onnxruntime==1.32.0 skl2onnx==1.20.0 \
  river==0.26.1 duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1 scikit-learn==1.9.1
cat > "$work/rows.py" <<'PY'
"""The rows that all tools here write: twelve cases, of which case 5 has no label where the tool knows that."""

N = 12
TRUTH = ["yes" if k % 3 else "no" for k in range(N)]
SCORES = [[round(1 - (0.05 + 0.07 * ((k * 5) % 12)), 2), round(0.05 + 0.07 * ((k * 5) % 12), 2)] for k in range(N)]
KINDS = [["spam", "ham", "eggs", "spam"][k % 4] for k in range(N)]
PY
export PYTHONPATH="$work"
HF_HUB_OFFLINE=1 "$work/venv/bin/python" - "$work" <<'PY'
import json
import sys

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import ClassLabel, Dataset, Features, List, Sequence, Value
from river import naive_bayes
from skl2onnx import to_onnx
from sklearn.linear_model import LogisticRegression

from rows import KINDS, N, SCORES, TRUTH

work, ids = sys.argv[1], [*range(N)]
yes = [score[1] for score in SCORES]
keyed = [{"yes": p, "no": q} for q, p in SCORES]

features = Features(
    {
        "id": Value("int64"),
        "label": ClassLabel(names=["yes", "no"]),
        "prediction": Value("int64"),
        "probability": Sequence(Value("float32")),
        "fixed": List(Value("float64"), length=2),
    }
)
columns = {
    "id": ids,
    "label": [-1 if k == 5 else ["yes", "no"].index(TRUTH[k]) for k in ids],
    "prediction": [int(p < 0.5) for p in yes],
    "probability": [[p, q] for q, p in SCORES],
    "fixed": [[p, q] for q, p in SCORES],
}
dataset = Dataset.from_dict(columns, features=features)
dataset.to_parquet("datasets-5.2.0.parquet")
dataset.save_to_disk(f"{work}/disk")
open("datasets-5.2.0.arrow", "wb").write(open(f"{work}/disk/data-00000-of-00001.arrow", "rb").read())

base = duckdb.connect()
base.execute("create type answer as enum ('yes', 'no', 'unknown')")
base.execute(
    "create table rows (id integer, outcome answer, p_list double[], p_array double[2], "
    "p_struct struct(yes double, no double), p_map map(varchar, double), doc struct(cat varchar, seen timestamp))"
)
for k in ids:
    p, q = SCORES[k][1], SCORES[k][0]
    base.execute(
        "insert into rows values (?, ?, ?, ?, {'yes': ?, 'no': ?}, map(['yes', 'no'], [?, ?]), {'cat': ?, 'seen': ?})",
        [k, TRUTH[k], [p, q], [p, q], p, q, p, q, KINDS[k], f"2025-04-03 08:{10 + k}:00"],
    )
base.execute("copy rows to 'duckdb-2.0.1.parquet' (format parquet)")
base.execute("copy rows to 'duckdb-2.0.1.json' (format json)")
base.execute("copy rows to 'duckdb-2.0.1-array.json' (format json, array true)")

frame = pl.DataFrame(
    {
        "id": ids,
        "outcome": pl.Series(TRUTH, dtype=pl.Enum(["yes", "no"])),
        "seen": pl.Series(TRUTH, dtype=pl.Categorical),
        "p_list": [[p, q] for q, p in SCORES],
        "p_array": pl.Series([[p, q] for q, p in SCORES], dtype=pl.Array(pl.Float32, 2)),
        "p_struct": keyed,
    }
)
frame.write_parquet("polars-2.1.0.parquet")
frame.write_ipc("polars-2.1.0.arrow")
frame.write_ndjson("polars-2.1.0.jsonl")
frame.write_json("polars-2.1.0.json")

frame = pd.DataFrame(
    {
        "id": ids,
        "outcome": pd.Categorical(TRUTH, categories=["yes", "no"]),
        "grade": pd.Categorical(TRUTH, categories=["yes", "no"], ordered=True),
        "probability": [[p, q] for q, p in SCORES],
        "p_dict": keyed,
        "doc": [{"cat": kind, "scores": [{"value": p}]} for kind, p in zip(KINDS, yes)],
    }
)
frame["doc.cat"] = TRUTH
frame.to_parquet("pandas-3.1.1-nested.parquet")
frame.to_json("pandas-3.1.1-records.json", orient="records")
frame.to_json("pandas-3.1.1-columns.json", orient="columns")
frame.to_json("pandas-3.1.1-split.json", orient="split")
frame.to_json("pandas-3.1.1-index.json", orient="index")
frame.to_json("pandas-3.1.1-table.json", orient="table")
frame.to_json("pandas-3.1.1-values.json", orient="values")

x = np.array([[p, k % 5] for k, p in enumerate(yes)], np.float32)
model = LogisticRegression().fit(x, TRUTH)
numbers = LogisticRegression().fit(x, [0 if y == "no" else 1 for y in TRUTH])
session = onnxruntime.InferenceSession(to_onnx(model, x[:1]).SerializeToString(), providers=["CPUExecutionProvider"])
of_numbers = onnxruntime.InferenceSession(
    to_onnx(numbers, x[:1]).SerializeToString(), providers=["CPUExecutionProvider"]
)
labels, scores = session.run(None, {"X": x})
_, scores_of_numbers = of_numbers.run(None, {"X": x})
with open("onnxruntime-1.32.0-zipmap.jsonl", "w") as file:
    for rows in zip(TRUTH, labels, scores, strict=True):
        file.write(json.dumps(dict(zip(("outcome", "prediction", "probability"), rows, strict=True))) + "\n")
table = pa.table(
    {
        "outcome": TRUTH,
        "number": [0 if y == "no" else 1 for y in TRUTH],
        "probability": pa.array([[*row.items()] for row in scores], pa.map_(pa.string(), pa.float32())),
        "of_number": pa.array([[*row.items()] for row in scores_of_numbers], pa.map_(pa.int64(), pa.float32())),
    }
)
pq.write_table(table, "onnxruntime-1.32.0-zipmap.parquet")

learner = naive_bayes.GaussianNB()
with open("river-0.26.1.jsonl", "w") as file:
    for row, y in zip(x.tolist(), TRUTH, strict=True):
        case = dict(zip("ab", row, strict=True))
        row = {"outcome": y, "probability": learner.predict_proba_one(case), "prediction": learner.predict_one(case)}
        file.write(json.dumps(row) + "\n")
        learner.learn_one(case, y)
PY
"$work/venv/bin/python" - "$work" <<'PY'
import glob
import shutil
import sys

from pyspark.ml.classification import LogisticRegression
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.ml.linalg import Vectors
from pyspark.sql import SparkSession

from rows import KINDS, N, SCORES, TRUTH

work = sys.argv[1]
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")


def save(frame, name):
    for form in ("parquet", "json"):
        frame.coalesce(1).write.format(form).save(f"{work}/{name}-{form}")
        (part,) = glob.glob(f"{work}/{name}-{form}/part-*")
        shutil.copy(part, f"{name}.{form}")


rows = [(k, TRUTH[k], KINDS[k], SCORES[k][1], float(k % 5)) for k in range(N)]
frame = spark.createDataFrame(rows, ["id", "outcome", "kind", "a", "b"])
frame = VectorAssembler(inputCols=["a", "b"], outputCol="features").transform(frame)
for target, name in (("outcome", "pyspark-4.3.0-outcome"), ("kind", "pyspark-4.3.0-kind")):
    indexed = StringIndexer(inputCol=target, outputCol="label").fit(frame).transform(frame)
    scored = LogisticRegression(maxIter=5, regParam=0.1).fit(indexed).transform(indexed)
    save(scored.select("id", target, "label", "rawPrediction", "probability", "prediction"), name)
sparse = [
    (0, 1.0, Vectors.sparse(3, [1], [1.0])),
    (1, 0.0, Vectors.dense([0.5, 0.25, 0.25])),
    (2, 2.0, Vectors.sparse(3, [0, 2], [0.25, 0.75])),
    (3, 2.0, Vectors.sparse(3, [], [])),
    (4, 0.0, None),
]
save(spark.createDataFrame(sparse, ["id", "label", "probability"]), "pyspark-4.3.0-sparse")
PY
