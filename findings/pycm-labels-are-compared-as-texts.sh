#!/usr/bin/env bash
# pycm 4.6: ConfusionMatrix of labels that are equal numbers of different types.
# Behaviour: where types differ, labels are compared by their text, so 1 and 1.0, or True and 1, are two classes.
# Seen: predictions 1.0 and 0.0, as pandas has for integers with a missing one, that are all right: accuracy 0 of four
# classes. scikit-learn has 1.
# One would guess: equal labels are one class, or an error for classes that one side alone has.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q pycm==4.6 numpy==2.4.6 scikit-learn==1.9.1
cd "$work"
"$work/venv/bin/python" - <<'PY'
import warnings
from importlib.metadata import version

from pycm import ConfusionMatrix
from sklearn.metrics import accuracy_score

warnings.simplefilter("error")
truth, predicted = [1, 0, 1, 0], [1.0, 0.0, 1.0, 0.0]
matrix, booleans = ConfusionMatrix(truth, predicted), ConfusionMatrix([True, False], [1, 0])
print("pycm", version("pycm"), "accuracy", matrix.Overall_ACC, matrix.classes)
print("booleans", booleans.Overall_ACC, booleans.classes)
assert accuracy_score(truth, predicted) == 1
assert matrix.Overall_ACC == 0 and matrix.classes == ["0", "0.0", "1", "1.0"], "changed: 1 and 1.0 are one class"
assert booleans.Overall_ACC == 0, "changed: True and 1 are one class"
PY
