"""scikit-learn's own checks of estimators, for every ensemble."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from classay.ensembles import AdaBoost, Stacking

MEMBERS = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
COMBINER = LogisticRegression()


ENSEMBLES = [
    AdaBoost(n_estimators=5),
    Stacking(MEMBERS, COMBINER, cv=3),
    Stacking(MEMBERS, cv=3),
    Stacking(MEMBERS, COMBINER, level_one="in-sample"),
]
DRAWN = "weights are probabilities of drawing: the ensembles are equal in distribution, not draw by draw"


def expected_failures(estimator):
    """Checks that no ensemble of random samples can pass, as scikit-learn's own cannot."""
    if isinstance(estimator, Stacking):
        return {}
    return {f"check_sample_weight_equivalence_on_{kind}_data": DRAWN for kind in ("dense", "sparse")}


CHECKS = parametrize_with_checks(ENSEMBLES, expected_failed_checks=expected_failures)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(CHECKS.args[0], [*CHECKS.args[1]], **CHECKS.kwargs)  # it may be no list
def test_estimator_checks(estimator, check):
    check(estimator)
