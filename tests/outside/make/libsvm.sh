#!/usr/bin/env bash
# Writes the predictions of LIBSVM and LIBLINEAR in tests/outside/data/, and the data they are of; run by hand.
# LIBSVM 3.24 and LIBLINEAR 2.3.0 are Debian's: apt-get install libsvm-tools liblinear-tools
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
WORK="$work" python3 - <<'PY'
import os
from random import Random


def write(name, classes, n, seed):
    draw = Random(seed)
    with open(f"{os.environ['WORK']}/{name}", "w") as file:
        for _ in range(n):
            y = draw.randrange(len(classes))
            file.write(f"{classes[y]} 1:{draw.gauss(y, 1):.3f} 2:{draw.gauss(-y, 1):.3f}\n")


for name, n, seed in (("train", 60, 1), ("test", 14, 2)):
    write(f"{name}-two", ["-1", "+1"], n, seed)
    write(f"{name}-three", ["3", "1", "2"], n, seed)
PY
for classes in two three; do
    cp "$work/test-$classes" "libsvm-3.24-$classes-data.txt"
    svm-train -q -b 1 "$work/train-$classes" "$work/model"
    svm-predict -b 1 "$work/test-$classes" "$work/model" "libsvm-3.24-$classes.txt"
    liblinear-train -q -s 0 "$work/train-$classes" "$work/model"
    liblinear-predict -b 1 "$work/test-$classes" "$work/model" "liblinear-2.3.0-$classes.txt"
done
svm-train -q "$work/train-two" "$work/model"
svm-predict "$work/test-two" "$work/model" libsvm-3.24-labels.txt
head -1 "$work/train-two" libsvm-3.24-two.txt
