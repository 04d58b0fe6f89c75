"""How many cases a test needs, before there are any: for a half-width, for a power, or to rule out failures.

Each function returns a `SampleSize`; `print` shows it as the command `classay sample-size` does. If you pass `cases` in
place of a goal, `reached` is what so many cases give: the half-width, the power, the bound.

>>> import classay as ca
>>> print(ca.sample_size.for_auc_difference(0.80, 0.85, correlation=0.5))
526 cases (263 positive, 263 negative)
power 0.8015 at level 0.95; exact variance of normal scores, same cases, correlation 0.5
Assumptions: AUCs 0.8 and 0.85, 50% positive cases, normal scores of equal spread
>>> print(ca.sample_size.for_auc_difference(0.80, 0.85, correlation=0.5, cases=600))
600 cases (300 positive, 300 negative)
power 0.8505 at level 0.95; exact variance of normal scores, same cases, correlation 0.5
Assumptions: AUCs 0.8 and 0.85, 50% positive cases, normal scores of equal spread
>>> ca.sample_size.for_proportion(half_width=0.05).cases
381
"""

from classay.sample_size.planning import (
    for_auc_against,
    for_gate,
    for_labels,
    for_leaderboard,
    for_means,
    for_precision,
    means_of_pilot,
    pilot_of,
)
from classay.sample_size.sizes import (
    SampleSize,
    auc_difference_power,
    for_auc,
    for_auc_difference,
    for_class_rate,
    for_mcnemar,
    for_no_failures,
    for_proportion,
)

__all__ = [
    "SampleSize",
    "auc_difference_power",
    "for_auc",
    "for_auc_against",
    "for_auc_difference",
    "for_class_rate",
    "for_gate",
    "for_labels",
    "for_leaderboard",
    "for_mcnemar",
    "for_means",
    "for_no_failures",
    "for_precision",
    "for_proportion",
    "means_of_pilot",
    "pilot_of",
]
