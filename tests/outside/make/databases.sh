#!/usr/bin/env bash
# Writes the .rds, .rda, .orc, .avro and .sqlite files of tests/outside/data/; run by hand.
# R 4.2.2 with RSQLite 2.2.20, tibble 3.1.8, data.table 1.14.8 and bit64 4.0.5 is Debian's, and sqlite3 3.40.1 too:
# apt-get install r-base-core r-cran-rsqlite r-cran-tibble r-cran-data.table sqlite3
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pandas==3.1.1 pyarrow==26.0.1 polars==2.1.0 fastavro==1.13.1
Rscript - <<'R'
n <- 12L
k <- 0:(n - 1L)
cohort <- data.frame(
  id = 101:112, outcome = factor(ifelse(k %% 3L == 0L, "yes", "no"), levels = c("yes", "no")),
  p = round(0.05 + 0.07 * ((k * 5L) %% 12L), 2), sex = ifelse(k %% 2L == 0L, "f", "m"),
  n = ifelse(k == 4L, NA_integer_, k), flag = ifelse(k == 5L, NA, k %% 2L == 0L),
  day = as.Date("2025-04-03") + k, seen = as.POSIXct("2025-04-03 08:30:00", tz = "Europe/Berlin") + 3600 * k
)
cohort$p[8] <- NA
saveRDS(cohort, "r-4.2.2.rds")
saveRDS(cohort, "r-4.2.2-version-2.rds", version = 2, compress = "xz")
saveRDS(cohort, "r-4.2.2-ascii.rds", ascii = TRUE, compress = "bzip2")
saveRDS(tibble::as_tibble(cohort), "r-4.2.2-tibble-3.1.8.rds")
setClass("Rule", representation(p = "numeric"))
saveRDS(new("Rule", p = 0.5), "r-4.2.2-object.rds")
saveRDS(cohort$p, "r-4.2.2-vector.rds")
save(cohort, file = "r-4.2.2.rda")
wide <- cohort[c("outcome", "p")]
wide$id <- bit64::as.integer64("9007199254740993") + k
wide$grade <- factor(c("low", "mid", "high")[1L + k %% 3L], c("low", "mid", "high"), ordered = TRUE)
wide$scores <- I(lapply(k, function(i) c(0.25, 0.75)))
wide$both <- cbind(k, k)
row.names(wide) <- paste("case", k)
saveRDS(wide, "r-4.2.2-bit64-4.0.5.rds")
saveRDS(list2DF(list(id = 1:12, p = cohort$p)), "r-4.2.2-sequence.rds")
notes <- data.table::data.table(what = "made by a script")
save(cohort, notes, n, file = "r-4.2.2-two-frames.rda")
unlink("r-4.2.2-rsqlite-2.2.20.sqlite")
connection <- DBI::dbConnect(RSQLite::SQLite(), "r-4.2.2-rsqlite-2.2.20.sqlite")
DBI::dbWriteTable(connection, "cohort", cohort)
DBI::dbDisconnect(connection)
R
"$work/venv/bin/python" - <<'PY'
import datetime as dt
import decimal
import sqlite3

import fastavro
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import orc

n = 12
rows = [
    {
        "id": 101 + k,
        "outcome": "yes" if k % 3 == 0 else "no",
        "p": None if k == 7 else round(0.05 + 0.07 * ((k * 5) % 12), 2),
        "sex": "fm"[k % 2],
        "flag": None if k == 5 else k % 2 == 0,
        "day": dt.date(2025, 4, 3) + dt.timedelta(days=k),
        "seen": dt.datetime(2025, 4, 3, 8, 30) + dt.timedelta(hours=k),
        "cost": decimal.Decimal("1234.50") + k,
    }
    for k in range(n)
]
table = pa.Table.from_pylist(rows)
orc.write_table(table, "pyarrow-26.0.1.orc")
table.drop_columns(["cost"]).to_pandas().to_orc("pandas-3.1.1.orc")


def logical(kind, name, **more):
    return ["null", {"type": kind, "logicalType": name, **more}]


schema = {
    "type": "record",
    "name": "Case",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "outcome", "type": {"type": "enum", "name": "Outcome", "symbols": ["yes", "no"]}},
        {"name": "p", "type": ["null", "double"]},
        {"name": "sex", "type": "string"},
        {"name": "flag", "type": ["null", "boolean"]},
        {"name": "day", "type": logical("int", "date")},
        {"name": "seen", "type": logical("long", "timestamp-millis")},
        {"name": "cost", "type": logical("bytes", "decimal", precision=10, scale=2)},
        {"name": "scores", "type": {"type": "array", "items": "double"}},
        {"name": "code", "type": ["null", "long", "string"]},
    ],
}
nested = [
    {**row, "seen": row["seen"].replace(tzinfo=dt.timezone.utc), "scores": [0.25, 0.75], "code": "x" if k == 3 else k}
    for k, row in enumerate(rows)
]
for codec, name in {"null": "fastavro-1.13.1-null.avro", "deflate": "fastavro-1.13.1-deflate.avro"}.items():
    with open(name, "wb") as file:
        fastavro.writer(file, schema, nested, codec=codec)
pl.DataFrame(rows).drop("cost").write_avro("polars-2.1.0.avro", compression="deflate")

frame = pd.DataFrame(rows).drop(columns="cost")
open("pandas-3.1.1.sqlite", "wb").close()
with sqlite3.connect("pandas-3.1.1.sqlite") as connection:
    frame.to_sql("cohort", connection)
    frame.head(3).to_sql("pilot", connection, index=False)
    connection.execute("create view women as select * from cohort where sex = 'f'")
    connection.execute("create table loose (id integer primary key, y text, p real, note blob)")
    connection.executemany("insert into loose (y, p) values (?, ?)", [("yes", 0.5), ("no", "unknown"), (0, 1)])
connection.close()
PY
