#!/usr/bin/env bash
# Writes pickles by joblib in every compression that it has, and arrays by NumPy and h5py, into a folder that goes away;
# each must be refused by its content with the way out. Pickles are never kept as data. Run by hand.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q "$root" joblib==1.6.0 h5py==3.16.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import h5py
import joblib
import numpy as np

import classay as ca

rows = {"y": np.arange(5), "p": np.random.default_rng(0).random(5)}
for number, compress in enumerate([0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)]):
    joblib.dump(rows, f"{number}.joblib", compress=compress)
np.savez("rows.npz", **rows)
np.save("objects.npy", np.array([rows], object), allow_pickle=True)
with h5py.File("rows.h5", "w") as file:
    for name, values in rows.items():
        file[name] = values
wanted = {f"{number}.joblib": "a pickle" for number in range(6)} | {"objects.npy": "a pickle"}
wanted |= {"rows.npz": "a file of arrays", "rows.h5": "a file of arrays"}
for name, what in wanted.items():
    try:
        ca.scan(name, truth="y", score="p")
        raise SystemExit(f"read: {name}")
    except ca.FileError as error:
        assert what in str(error), (name, error)
        print("refused:", error)
PY
