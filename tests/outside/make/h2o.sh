#!/usr/bin/env bash
# Writes the predictions of H2O in tests/outside/data/; run by hand. Java is Debian's: apt-get install openjdk-17-jre-headless
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q h2o==3.46.0.12 pandas==3.1.1
"$work/venv/bin/python" - <<'PY'
from random import Random

import h2o
import pandas as pd
from h2o.estimators import H2OGeneralizedLinearEstimator

h2o.init(nthreads=1, max_mem_size="1G", log_level="FATA")


def frame(n, seed, classes):
    draw, rows = Random(seed), []
    for _ in range(n):
        y = draw.choices(range(len(classes)), [0.7, 0.3, 0.3][: len(classes)])[0]
        rows.append((draw.gauss(y, 1), draw.gauss(-y, 1), classes[y]))
    return pd.DataFrame(rows, columns=["x", "z", "y"])


def write(name, classes):
    train, test = (h2o.H2OFrame(frame(n, seed, classes)) for n, seed in ((200, 1), (16, 2)))
    for each in (train, test):
        each["y"] = each["y"].asfactor()
    model = H2OGeneralizedLinearEstimator(family="binomial" if len(classes) == 2 else "multinomial")
    model.train(["x", "z"], "y", training_frame=train)
    predicted = model.predict(test)
    h2o.export_file(test[["y"]].cbind(predicted), f"h2o-3.46.0.12-{name}.csv", force=True)
    if len(classes) == 2:
        print(name, "threshold", model.find_threshold_by_max_metric("f1"))
        h2o.export_file(predicted, f"h2o-3.46.0.12-{name}-alone.csv", force=True)


write("words", ["no", "yes"])
write("numbers", [-1, 1])
write("three", ["bad", "good, so far", "worse"])
h2o.cluster().shutdown()
PY
