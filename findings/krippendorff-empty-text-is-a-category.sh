#!/usr/bin/env bash
# krippendorff 0.9.0: of texts, "nan" alone is a missing rating; an empty text is a category like others.
# Behaviour: in rows of text the label "nan" vanishes, and "" (what csv.reader gives for an empty field) counts as a
# rating that disagrees with every label.
# Seen: four cases, two raters, one rating not given: alpha .444 with "nan", .263 with "".
# One would guess: an empty text is missing, or both are refused, since None is refused with an error.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q krippendorff==0.9.0 numpy==1.26.4
"$work/venv/bin/python" - <<'PY'
import csv
from importlib.metadata import version

import krippendorff

second = ["a", "b", "a", "b"]
values = {}
for gap in ("nan", ""):
    first = next(csv.reader([f"a,b,{gap},a"]))
    values[gap] = krippendorff.alpha([first, second], level_of_measurement="nominal")
print("krippendorff", version("krippendorff"), values)
assert abs(values["nan"] - 4 / 9) < 1e-9, "changed: the text nan"
assert abs(values[""] - 5 / 19) < 1e-9, "changed: the empty text"
PY
