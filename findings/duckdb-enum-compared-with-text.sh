#!/usr/bin/env bash
# DuckDB 2.0.1: a column of type ENUM, whose values have the order of the type, compared with a text.
# Behaviour: ORDER BY, min and max take the order of the type; `grade >= 'mid'` takes that of the alphabet.
# Seen: of low, mid, high, high the largest is high, yet only one row is >= 'mid'. A cast of 'mid' to the type gives three.
# One would guess: one order for one column. A count of grades from mid upward is silently too small.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q duckdb==2.0.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import duckdb

connection = duckdb.connect()
connection.sql("create type grade as enum ('low', 'mid', 'high')")
connection.sql("create table cases as select unnest(['low', 'mid', 'high', 'high'])::grade as grade")
(largest, text, cast), = connection.sql("""
    select max(grade), count(*) filter (grade >= 'mid'), count(*) filter (grade >= 'mid'::grade) from cases
""").fetchall()
ordered = [row[0] for row in connection.sql("select grade from cases order by grade").fetchall()]
print("duckdb", duckdb.__version__, "largest", largest, "compared with text", text, "with the type", cast)
assert ordered == ["low", "mid", "high", "high"] and largest == "high" and cast == 3
assert text == 1, "changed: a text that is compared with an enum takes the order of the enum"
PY
