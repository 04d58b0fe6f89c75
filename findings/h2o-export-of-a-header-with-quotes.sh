#!/usr/bin/env bash
# H2O 3.46.0.12: export_file writes predictions of a class whose label has double quotes.
# Behaviour: quotes are doubled in cells and not in the header, so the header is not CSV and its names are other ones.
# Seen: the label size "L" (large) makes the header "size "L" (large)", which readers of CSV take for size L" (large)".
# One would guess: a header with the quotes doubled, so that the column has the name of the class.
# Java is Debian's: apt-get install openjdk-17-jre-headless
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q h2o==3.46.0.12 pandas==3.1.1
WORK="$work" "$work/venv/bin/python" - <<'PY'
import csv
import os
from random import Random

import h2o
import pandas as pd
from h2o.estimators import H2OGeneralizedLinearEstimator

h2o.init(nthreads=1, max_mem_size="1G", log_level="FATA")
h2o.no_progress()
draw, label = Random(1), 'size "L" (large)'
y = [draw.random() < 0.5 for _ in range(200)]
frame = h2o.H2OFrame(
    pd.DataFrame({"x": [draw.gauss(each, 1) for each in y], "y": [label if each else "small" for each in y]})
)
frame["y"] = frame["y"].asfactor()
model = H2OGeneralizedLinearEstimator(family="binomial")
model.train(["x"], "y", training_frame=frame)
path = f"{os.environ['WORK']}/out.csv"
h2o.export_file(model.predict(frame), path, force=True)
with open(path, newline="") as file:
    lines = file.read().splitlines()
header, *rows = csv.reader(lines)
print("labels:", frame["y"].levels(), "first lines:", lines[:2])
h2o.cluster().shutdown()
print("names:", header, "predicted:", sorted({row[0] for row in rows}))
assert label in {row[0] for row in rows}
assert 'size L" (large)"' in header, "changed: the header has the name of the class"
PY
