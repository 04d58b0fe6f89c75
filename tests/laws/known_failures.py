"""Laws that are known to be broken, each with the line of the issue that will mend it.

`KNOWN[law, classes, drawn]` lists measures and why. A test fails when something else breaks, and when one of these is
mended: then it is struck out here.
"""

NOT_CUT = "step 6: the slope of the Kolmogorov-Smirnov interval is cut at 0"
WITHOUT_LABEL = "step 5, line 7: rows of weight 0 delete their class"
MEAN_OF_WHOLE_CASES = "by design: alike, it is a mean over numbers of accepted cases; of weight, an integral"

OF_ALL_LABELS = (
    *(
        "linear_kappa",
        "macro_f0_5",
        "macro_f1",
        "macro_f2",
        "macro_false_discovery_rate",
        "macro_false_omission_rate",
        "macro_false_positive_rate",
        "macro_jaccard",
        "macro_negative_predictive_value",
        "macro_precision",
        "macro_specificity",
        "quadratic_kappa",
    ),
)
OF_POSTERIORS = (
    *(
        "cohen_kappa",
        "matthews_correlation",
        "weighted_f0_5",
        "weighted_f1",
        "weighted_f2",
        "weighted_false_discovery_rate",
        "weighted_false_negative_rate",
        "weighted_false_omission_rate",
        "weighted_false_positive_rate",
        "weighted_jaccard",
        "weighted_negative_predictive_value",
        "weighted_precision",
        "weighted_specificity",
    ),
)

KNOWN: dict[tuple[str, str, str], tuple[tuple[str, str], ...]] = {
    ("equal weights", "two", "alike"): (("area_under_risk_coverage", MEAN_OF_WHOLE_CASES),),
    ("scores negated", "two", "weighted"): (("kolmogorov_smirnov", NOT_CUT),),
    ("scores negated", "two", "frequencies"): (("kolmogorov_smirnov", NOT_CUT),),
    ("class of weight zero", "several", "weight"): tuple((name, WITHOUT_LABEL) for name in OF_ALL_LABELS),
    ("class of weight zero", "several", "frequency"): tuple(
        (name, WITHOUT_LABEL) for name in (*OF_ALL_LABELS, *OF_POSTERIORS)
    ),
}
