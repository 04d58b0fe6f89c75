#!/usr/bin/env bash
# Writes the predictions of fastText in tests/outside/data/, and the data they are of; run by hand.
# fastText 0.9.2 is Debian's: apt-get install fasttext
set -euo pipefail
cd "$(dirname "$0")/../data"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
WORK="$work" python3 - <<'PY'
import os
from random import Random

WORDS = {"spam": ["free", "win", "cash", "now"], "ham": ["meeting", "notes", "lunch"], "so-so": ["maybe", "later"]}


def write(name, classes, n, seed, extra=""):
    draw = Random(seed)
    with open(f"{os.environ['WORK']}/{name}", "w") as file:
        for _ in range(n):
            y = draw.choice(classes)
            words = [draw.choice(WORDS[y if draw.random() < 0.6 else draw.choice(classes)]) for _ in range(4)]
            file.write(f"__label__{y} {' '.join(words)}\n")
        file.write(extra)


for name, n, seed in (("train", 120, 1), ("test", 14, 2)):
    write(f"{name}-two", ["spam", "ham"], n, seed, "unlabeled words\n" if name == "test" else "")
    write(f"{name}-three", [*WORDS], n, seed)
PY
file=fasttext-0.9.2
for classes in two three; do
    cp "$work/test-$classes" $file-$classes-data.txt
    fasttext supervised -input "$work/train-$classes" -output "$work/model" -dim 5 -epoch 20 -thread 1 -verbose 0
    fasttext predict-prob "$work/model.bin" "$work/test-$classes" -1 >$file-$classes.txt
    fasttext predict-prob "$work/model.bin" "$work/test-$classes" >$file-$classes-first.txt
    fasttext predict "$work/model.bin" "$work/test-$classes" >$file-$classes-labels.txt
done
