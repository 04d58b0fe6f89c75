#!/usr/bin/env bash
# Writes the predictions of Vowpal Wabbit in tests/outside/data/, and the data they are of; run by hand.
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q vowpalwabbit==9.11.9
WORK="$work" python3 - <<'PY'
import os
from random import Random


def write(name, classes, n, seed):
    draw = Random(seed)
    with open(f"{os.environ['WORK']}/{name}", "w") as file:
        for k in range(n):
            y = draw.randrange(len(classes))
            file.write(f"{classes[y]} 'case{k} |f x:{draw.gauss(y, 1):.3f} z:{draw.gauss(-y, 1):.3f}\n")


for name, n, seed in (("train", 80, 1), ("test", 14, 2)):
    write(f"{name}-two", ["-1", "1"], n, seed)
    write(f"{name}-three", ["cat", "dog", "eel"], n, seed)
PY
vw() { "$work/venv/bin/python" -m vowpalwabbit --quiet "$@"; }
file=vowpal-wabbit-9.11.9
cp "$work/test-two" $file-two-data.txt
cp "$work/test-three" $file-three-data.txt
vw -d "$work/train-two" --loss_function logistic --link logistic -f "$work/two"
vw -t -i "$work/two" -d "$work/test-two" -p $file-two.txt
vw -d "$work/train-three" --oaa 3 --named_labels cat,dog,eel --loss_function logistic --probabilities -f "$work/three"
vw -t -i "$work/three" -d "$work/test-three" -p $file-three.txt --probabilities
vw -t -i "$work/three" -d "$work/test-three" -p $file-three-labels.txt
sed 's/^cat/1/; s/^dog/2/; s/^eel/3/' "$work/train-three" >"$work/train-numbers"
vw -d "$work/train-numbers" --oaa 3 --loss_function logistic -f "$work/numbers"
vw -t -i "$work/numbers" -d "$work/test-two" -r $file-raw.txt
vw -d "$work/train-two" --loss_function logistic --link logistic --passes 2 -c -k -p "$work/passes"
wc -l "$work/train-two" "$work/passes"
