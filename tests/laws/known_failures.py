"""Laws that are known to be broken, each with the line of the issue that will mend it.

`KNOWN[law, classes, drawn]` lists measures and why. A test fails when something else breaks, and when one of these is
mended: then it is struck out here.
"""

MEAN_OF_WHOLE_CASES = "by design: alike, it is a mean over numbers of accepted cases; of weight, an integral"
NO_END = (
    "by design: a score test of few units has no end at 99%; that of the sandwich is nearer (issue 53, row 8)"
)

KNOWN: dict[tuple[str, str, str], tuple[tuple[str, str], ...]] = {
    ("wider levels", "two", "clustered"): (("calibration_in_the_large", NO_END),),
    ("wider levels", "two", "weighted clusters"): (("calibration_in_the_large", NO_END),),
    ("equal weights", "two", "alike"): (("area_under_risk_coverage", MEAN_OF_WHOLE_CASES),),
}
