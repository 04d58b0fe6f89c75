#!/usr/bin/env bash
# Weka 3.9.7 (in python-weka-wrapper3 0.3.3): predictions written as CSV, for a class whose label has a comma.
# Behaviour: the label is 2:'iris, blue' in the column `actual` and 2:iris, blue in `predicted`. No reader of CSV takes either
# for one field, since quotes of CSV begin a field.
# Seen: labels setosa and 'iris, blue': the header has 6 fields, and rows have 6, 7 or 8.
# One would guess: CSV with a field for each name of the header, and the same label written alike in both columns.
# Java is Debian's: apt-get install openjdk-17-jre-headless
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m pip download -q --no-deps -d "$work" python-weka-wrapper3==0.3.3
tar xzf "$work"/python_weka_wrapper3-0.3.3.tar.gz -C "$work" --strip-components=3 python_weka_wrapper3-0.3.3/python/weka/lib
WORK="$work" python3 - <<'PY'
import os
from random import Random

for name, n, seed in (("train", 80, 1), ("test", 24, 2)):
    draw = Random(seed)
    with open(f"{os.environ['WORK']}/{name}.arff", "w") as file:
        file.write("@relation cases\n@attribute x numeric\n@attribute class {setosa,'iris, blue'}\n@data\n")
        for _ in range(n):
            y = draw.random() < 0.5
            label = "'iris, blue'" if y else "setosa"
            file.write(f"{draw.gauss(2.0 * y, 1):.3f},{label}\n")
PY
java -cp "$(printf %s: "$work"/lib/*.jar)" weka.classifiers.bayes.NaiveBayes -t "$work/train.arff" -T "$work/test.arff" \
    -c last -classifications "weka.classifiers.evaluation.output.prediction.CSV -distribution" 2>/dev/null >"$work/out.csv"
WORK="$work" python3 - <<'PY'
import csv
import os

with open(f"{os.environ['WORK']}/out.csv", newline="") as file:
    rows = [row for row in csv.reader(file) if len(row) > 1]
header, *cases = rows
widths = {len(row) for row in cases}
print("fields of the header:", len(header), "fields of the rows:", sorted(widths))
print(next(row for row in cases if len(row) > len(header)))
assert len(header) == 6 and widths == {6, 7, 8}, "changed: rows have other numbers of fields"
PY
