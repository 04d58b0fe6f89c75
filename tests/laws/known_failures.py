"""Laws that are known to be broken, each with the line of the issue that will mend it.

`KNOWN[law, classes, drawn]` lists measures and why. A test fails when something else breaks, and when one of these is
mended: then it is struck out here.
"""

NOT_CUT = "step 6: the slope of the Kolmogorov-Smirnov interval is cut at 0"
MEAN_OF_WHOLE_CASES = "by design: alike, it is a mean over numbers of accepted cases; of weight, an integral"

KNOWN: dict[tuple[str, str, str], tuple[tuple[str, str], ...]] = {
    ("equal weights", "two", "alike"): (("area_under_risk_coverage", MEAN_OF_WHOLE_CASES),),
    ("scores negated", "two", "weighted"): (("kolmogorov_smirnov", NOT_CUT),),
    ("scores negated", "two", "frequencies"): (("kolmogorov_smirnov", NOT_CUT),),
}
