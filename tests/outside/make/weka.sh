#!/usr/bin/env bash
# Writes the predictions of Weka in tests/outside/data/; run by hand.
# Weka 3.9.7 is in the source package of python-weka-wrapper3 0.3.3; Java is Debian's: apt-get install openjdk-17-jre-headless
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m pip download -q --no-deps -d "$work" python-weka-wrapper3==0.3.3
tar xzf "$work"/python_weka_wrapper3-0.3.3.tar.gz -C "$work" --strip-components=3 python_weka_wrapper3-0.3.3/python/weka/lib
WORK="$work" python3 - <<'PY'
import os
from random import Random

work = os.environ["WORK"]


def write(name, classes, n, seed, missing=(), occurring=None):
    draw = Random(seed)
    head = "@relation cases\n@attribute id string\n@attribute x numeric\n@attribute z numeric\n"
    lines = []
    for k in range(n):
        y = draw.randrange(occurring or len(classes))
        lines.append(f"'case {k}',{draw.gauss(y, 1):.3f},{draw.gauss(-y, 1):.3f},{'?' if k in missing else classes[y]}")
    with open(f"{work}/{name}.arff", "w") as file:
        file.write(f"{head}@attribute class {{{','.join(classes)}}}\n@data\n" + "\n".join(lines) + "\n")


two = ["tested_negative", "tested_positive"]
write("train-two", two, 80, 1)
write("test-two", two, 24, 2, missing=(5, 17))
three = ["setosa", "'iris, blue'", "\"it's: odd\"", "rare"]
write("train-three", three, 90, 1, occurring=3)
write("test-three", three, 16, 2, missing=(4,), occurring=3)
PY
weka() { # data set, options of the CSV output, file
    java -cp "$(printf %s: "$work"/lib/*.jar)" weka.classifiers.meta.FilteredClassifier -t "$work/train-$1.arff" \
        -T "$work/test-$1.arff" -c "${4:-last}" -F "weka.filters.unsupervised.attribute.RemoveType -T string" \
        -W "${5:-weka.classifiers.bayes.NaiveBayes}" \
        -classifications "weka.classifiers.evaluation.output.prediction.CSV $2" 2>"$work/log" >"$3"
}
weka two "" weka-3.9.7.csv
weka two "-distribution" weka-3.9.7-distribution.csv
weka two "-distribution -use-tab -decimals 8" weka-3.9.7-tab.tsv
weka three "-p 1 -distribution" weka-3.9.7-four-classes.csv
weka two "" weka-3.9.7-regression.csv 2 weka.classifiers.functions.LinearRegression
