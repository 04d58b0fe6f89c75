#!/usr/bin/env bash
# statsmodels 0.15.0: Table2x2 with a count of 0 and shift_zeros=True, the default.
# Behaviour: .5 is added to the cells that are 0 and to no other, and the docstring says "0.5 is added to all cells".
# Seen: the table 2 0 / 1 1 has the odds ratio 4. With .5 in all cells (Haldane and Anscombe) it has 5. The marginal
# counts and the interval are those of the changed table.
# One would guess: what the docstring says, and what other packages do.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q statsmodels==0.15.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import numpy as np
from statsmodels.stats.contingency_tables import Table2x2

table = np.array([[2, 0], [1, 1]])
shifted, all_cells = Table2x2(table), Table2x2(table + 0.5)
print("statsmodels", version("statsmodels"), shifted.table.tolist())
print("odds ratio", shifted.oddsratio, "with .5 in all cells", all_cells.oddsratio)
(line,) = [each.strip() for each in Table2x2.__doc__.splitlines() if "is added to all cells" in each]
print("docstring:", line)
assert abs(all_cells.oddsratio - 5) < 1e-12
assert shifted.table.tolist() == [[2, 0.5], [1, 1]], "changed: .5 is added to all cells"
assert abs(shifted.oddsratio - 4) < 1e-12
PY
