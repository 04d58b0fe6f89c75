#!/usr/bin/env bash
# irrCAC 0.4.4: a case that one rater alone rated widens the interval of AC1 and of Fleiss' kappa, not of alpha.
# Behaviour: such a case has no pair of ratings, so it is not in the coefficient; in the standard error it counts as
# one without agreement. Krippendorff's alpha of the same object leaves it out of both.
# Seen: ten cases, two raters, always the same: AC1 is 1 with standard error 0. Without the last rating of the second
# rater AC1 is still 1, with standard error .111 and lower limit .749; alpha has 0.
# One would guess: a case without a pair changes nothing, or is refused; and one object treats it one way.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q irrCAC==0.4.4 pandas==2.2.3 numpy==1.26.4
"$work/venv/bin/python" - <<'PY'
from importlib.metadata import version

import pandas as pd
from irrCAC.raw import CAC

ratings = pd.DataFrame({"first": list("abcabcabca"), "second": list("abcabcabca")})
whole = CAC(ratings).gwet()["est"]
ratings.loc[9, "second"] = None
gap = CAC(ratings)
agreement, kappa, alpha = (of()["est"] for of in (gap.gwet, gap.fleiss, gap.krippendorff))
print("irrCAC", version("irrCAC"), [(one["coefficient_value"], one["se"]) for one in (whole, agreement, kappa, alpha)])
assert whole["coefficient_value"] == agreement["coefficient_value"] == kappa["coefficient_value"] == 1
assert whole["se"] == 0 and alpha["se"] == 0, "changed: the standard errors of full agreement"
assert abs(agreement["se"] - 0.1111) < 1e-3 and abs(kappa["se"] - 0.1111) < 1e-3, "changed: cases rated once"
assert abs(agreement["confidence_interval"][0] - 0.7487) < 1e-3
PY
