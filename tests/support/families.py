"""Every pair of models over data sets, by one test; their p-values are one family."""

from itertools import combinations

from classay.comparison.comparison import adjusted
from classay.resampling.rank_tests import wilcoxon


def every_pair(results, test=wilcoxon):
    """The comparisons of all pairs, adjusted by Holm's method."""
    return adjusted([test(results, a, b) for a, b in combinations(results.models, 2)], "holm")
