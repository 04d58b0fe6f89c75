"""scikit-learn's own checks of estimators, for every ensemble and strategy."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from classay.ensembles import AdaBoost, Bagging, RandomForest, Stacking

MEMBERS = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
COMBINER = LogisticRegression()


class Told:
    """Is told of progress and does nothing; its name, unlike a function's, is the same in every process."""

    def __call__(self, members, of):
        pass

    def __repr__(self):
        return "Told()"

    def __eq__(self, other):
        return isinstance(other, Told)

    __hash__ = object.__hash__


ENSEMBLES = [
    Bagging(n_estimators=5),
    Bagging(n_estimators=5, voting="hard"),
    RandomForest(5),
    RandomForest(5, voting="hard"),
    AdaBoost(n_estimators=5),
    AdaBoost(n_estimators=5, strategy="reweighting"),
    Stacking(MEMBERS, COMBINER, cv=3),
    Stacking(MEMBERS, cv=3),
    Stacking(MEMBERS, COMBINER, cv=3, progress=Told()),
    Stacking(MEMBERS, COMBINER, level_one="in-sample"),
]
DRAWN = "weights are probabilities of drawing: the ensembles are equal in distribution, not draw by draw"


def expected_failures(estimator):
    """Checks that no ensemble of random samples can pass, as scikit-learn's own cannot."""
    if isinstance(estimator, Stacking) or getattr(estimator, "strategy", "") == "reweighting":
        return {}
    return {f"check_sample_weight_equivalence_on_{kind}_data": DRAWN for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::RuntimeWarning")
@parametrize_with_checks(ENSEMBLES, expected_failed_checks=expected_failures)
def test_estimator_checks(estimator, check):
    check(estimator)
