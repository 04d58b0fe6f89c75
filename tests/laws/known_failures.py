"""Laws that are known to be broken, each with the line of the issue that will mend it.

`KNOWN[law, classes, drawn]` lists measures and why. A test fails when something else breaks, and when one of these is
mended: then it is struck out here.
"""

MEAN_OF_WHOLE_CASES = "by design: alike, it is a mean over numbers of accepted cases; of weight, an integral"

KNOWN: dict[tuple[str, str, str], tuple[tuple[str, str], ...]] = {
    ("equal weights", "two", "alike"): (("area_under_risk_coverage", MEAN_OF_WHOLE_CASES),),
}
