"""Value, low and high of Wilson along the way in five strata, of scalar code in 40 digits (mpmath), four passes.

The strata have 600, 1,400, 3,000, 15,000 and 80,000 cases, and 31 of 40, 17 of 40, 9 of 40, 3 of 40 and 1 of 60 labels
are positive. The first two are predicted positive. `NONE_BELOW` has no positive label in the others.
"""

OF_STRATA = {
    "prevalence": (0.0419333333333333, 0.0259571008181152, 0.0987657733764437),
    "precision": (0.53, 0.424476087371521, 0.641604216539544),
    "recall": (0.252782193958665, 0.106709840962549, 0.411851485548004),
    "f1": (0.342303552206674, 0.176891428543824, 0.47991738013002),
    "specificity": (0.990188574211955, 0.987966163045447, 0.992510130496062),
    "accuracy": (0.959266666666667, 0.902432552290696, 0.975247669962996),
}
NONE_BELOW = {
    "recall": (1.0, 0.193587121043279, 1.0),
    "f1": (0.69281045751634, 0.287933794280616, 0.781679542578208),
    "prevalence": (0.0106, 0.00848952174743042, 0.0562347781777244),
}
