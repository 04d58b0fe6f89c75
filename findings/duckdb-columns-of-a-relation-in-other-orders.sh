#!/usr/bin/env bash
# DuckDB 2.0.1: the columns of one relation, fetched one after another, need not belong to the same rows.
# Behaviour: a relation is a query, and each fetch computes it anew; the order of a GROUP BY differs between runs.
# Seen: of 1,000,000 groups with a score that ranks the classes perfectly, truth and score fetched together have the
#   AUC 1; fetched in two calls, .5. Nothing is raised, and both have the same length. A plain table keeps its order.
# One would guess: a relation is a result with rows, as a data frame is.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q duckdb==2.0.1 numpy==2.4.6 scikit-learn==1.9.1
"$work/venv/bin/python" - <<'PY'
import duckdb
from sklearn.metrics import roc_auc_score

connection = duckdb.connect(config={"threads": 8})
connection.sql("create table visits as select range % 1000000 as patient, range as visit from range(2000000)")
cases = connection.sql(
    "select patient, patient % 2 as truth, patient % 2 + 0.5 * random() as score from visits group by patient"
)
both = cases.fetchnumpy()
together = roc_auc_score(both["truth"], both["score"])
apart = roc_auc_score(cases.select("truth").fetchnumpy()["truth"], cases.select("score").fetchnumpy()["score"])
print("duckdb", duckdb.__version__, "together", together, "one after another", apart)
assert together == 1
assert apart < 0.6, "changed: both fetches have the same order"
PY
