"""The numbers and words of warnings against the rows that they are about: one case, two, and just none."""

import numpy as np
import pytest

import classay as ca
from classay.assessment.assessment_warnings import TURNED, is_turned
from classay.tables import ScoreTable

N = 200
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
P = np.clip(0.3 + 0.4 * Y + 0.2 * RNG.normal(size=N), 0.02, 0.98).round(3)
BOTH = np.c_[1 - P, P]
THREE = np.arange(N) % 3
OF_THREE = RNG.dirichlet(np.ones(3), N)
IMPRECISE = "Measures that depend on them are imprecise."
CONVERT = "Use score_scale='logit' or score_scale='count' to convert class scores to probabilities"
CLUSTERS = "and intervals are unreliable below 30"


def changed(values, k, by):
    values = np.array(values, float)
    values[:k] = by
    return values


def texts(a):
    return {warning.code: warning.text for warning in a.warnings}


def classes(k, cases=3):
    """So many small classes beside a large one."""
    truth = np.r_[np.repeat(np.arange(k), cases), np.full(40, 99)]
    return ca.assess(truth, y_pred=truth, labels=sorted({*truth.tolist()}), positive=99 if k == 1 else None)


def many(cases, k=100):
    return ca.assess(np.arange(cases) % k, y_pred=np.arange(cases) % k)


def of_one(label, **rows):
    return ca.assess([label] * 5, labels=[0, 1], positive=1, **rows)


def clustered(cluster, truth=None, n=600):
    return ca.assess(np.arange(n) % 2 if truth is None else truth, np.resize(P, n), cluster=cluster)


UNEQUAL = np.r_[np.zeros(200, int), np.arange(1, 401)]
FOURS = np.arange(600) // 4

TEXTS = [
    # the code, what is assessed, and the text; None where there is no such warning
    ("unanswered_dropped", lambda: ca.assess(Y, P, unanswered="drop"), None),
    (
        "unanswered_dropped",
        lambda: ca.assess(Y, changed(P, 1, np.nan), unanswered="drop"),
        "1 row (0.5%) without a prediction is excluded. Results may be optimistic if these cases are harder.",
    ),
    (
        "unanswered_dropped",
        lambda: ca.assess(Y, changed(P, 2, np.nan), unanswered="drop"),
        "2 rows (1.0%) without a prediction are excluded. Results may be optimistic if these cases are harder.",
    ),
    ("unanswered_wrong", lambda: ca.assess(Y, P, unanswered="wrong"), None),
    (
        "unanswered_wrong",
        lambda: ca.assess(Y, changed(P, 1, np.nan), unanswered="wrong"),
        "1 row (0.5%) without a prediction counts as incorrect and gets the worst rank.",
    ),
    (
        "unanswered_wrong",
        lambda: ca.assess(Y, changed(P, 2, np.nan), unanswered="wrong"),
        "2 rows (1.0%) without a prediction count as incorrect and get the worst rank.",
    ),
    (
        "dropped_rows",
        lambda: ca.assess(changed(Y, 1, np.nan), P, missing="drop"),
        "1 row (0.5%) with a missing label is excluded.",
    ),
    (
        "dropped_rows",
        lambda: ca.assess(changed(Y, 2, np.nan), P[::-1], missing="drop"),
        "2 rows (1.0%) with a missing label are excluded.",
    ),
    (
        "dropped_rows",
        lambda: ca.assess(
            changed(Y, 2, np.nan), changed(P, 3, np.nan)[::-1], missing="drop", unanswered="drop"
        ),
        "5 rows (2.5%) with a missing label (2) or a missing score (3) are excluded.",
    ),
    ("dropped_rows", lambda: ca.assess(Y, changed(P, 2, np.nan), unanswered="drop"), None),
    ("tiny_class", lambda: classes(1), f"few cases: 3 of class 0. {IMPRECISE}"),
    ("tiny_class", lambda: classes(2), f"few cases: 3 of class 0, 3 of class 1. {IMPRECISE}"),
    ("tiny_class", lambda: classes(2, 29), f"few cases: 29 of class 0, 29 of class 1. {IMPRECISE}"),
    ("tiny_class", lambda: classes(2, 30), None),
    *(
        (
            "tiny_class",
            lambda k=k: classes(k),
            f"few cases: {', '.join(f'3 of class {c}' for c in range(5))}{more}. {IMPRECISE}",
        )
        for k, more in ((5, ""), (6, " and 1 more such class"), (7, " and 2 more such classes"))
    ),
    ("many_classes", lambda: many(198, 99), None),
    (
        "many_classes",
        lambda: many(199),
        "100 classes in 199 cases. Check that the label column does not hold IDs.",
    ),
    (
        "many_classes",
        lambda: many(200),
        "100 classes. Pages show the classes with the lowest values, and the JSON lists all classes.",
    ),
    ("one_class", lambda: ca.assess(Y, P), None),
    (
        "one_class",
        lambda: ca.assess([1], y_pred=[1], labels=[0, 1], positive=1),
        "the only case is of class 1, so only recall can be estimated.",
    ),
    (
        "one_class",
        lambda: of_one(0, y_score=[0.1] * 5),
        "all 5 cases are of class 0, so only specificity can be estimated.",
    ),
    (
        "one_class",
        lambda: of_one(1, y_score=[3.0] * 5),
        "all 5 cases are of class 1, so nothing can be estimated.",
    ),
    (
        "one_class",
        lambda: ca.assess([2] * 5, y_pred=[2] * 5, labels=[0, 1, 2]),
        "all 5 cases are of class 2, so only accuracy can be estimated.",
    ),
    (
        "never_predicted",
        lambda: ca.assess(Y, P * 0.4),
        f"no case is predicted as class 1, so its precision is not defined. The threshold 0.5 is above the highest "
        f"score, {P.max() * 0.4:.3f}.",
    ),
    (
        "never_predicted",
        lambda: ca.assess(Y, P, threshold=float(P.min())),
        "no case is predicted as class 0, so its precision is not defined. The threshold 0.02 is at or below the "
        "lowest score, 0.020.",
    ),
    ("never_predicted", lambda: ca.assess(Y, P, threshold=float(P.max())), None),
    (
        "never_predicted",
        lambda: ca.assess(THREE, y_pred=THREE * 0, labels=[0, 1, 2]),
        "no case is predicted as class 1 or class 2, so their precision is not defined.",
    ),
    (
        "certain_and_wrong",
        lambda: ca.assess(Y, changed(P, 2, [1, 1])),
        "1 case has probability 0 for the true class, so log-loss is infinite.",
    ),
    (
        "certain_and_wrong",
        lambda: ca.assess(Y, changed(P, 4, [1, 0, 1, 0.5])),
        "3 cases have probability 0 for the true class, so log-loss is infinite.",
    ),
    ("certain_and_wrong", lambda: ca.assess(Y, changed(P, 2, [0, 1])), None),
    (
        "infinite_scores",
        lambda: ca.assess(Y, changed(P, 1, -np.inf)),
        "infinite scores: 1 case, which rank first or last.",
    ),
    (
        "infinite_scores",
        lambda: ca.assess(Y, changed(P, 3, [np.inf, -np.inf, np.inf])),
        "infinite scores: 3 cases, which rank first or last.",
    ),
    ("few_clusters", lambda: clustered(np.arange(600) // 2 % 30), None),
    (
        "few_clusters",
        lambda: clustered(np.arange(600) // 2 % 29),
        f"the cases are in only 29 clusters, {CLUSTERS} clusters.",
    ),
    (
        "few_clusters",
        lambda: clustered(np.zeros(600, int)),
        f"the cases are in only 1 cluster, {CLUSTERS} clusters.",
    ),
    (
        "few_clusters",
        lambda: clustered(UNEQUAL),
        f"the effective number of clusters is {600**2 / (200**2 + 400):.0f} (401 clusters of very different sizes), "
        f"{CLUSTERS}.",
    ),
    (
        "few_clusters",
        lambda: clustered(FOURS, (FOURS == 3) * 1),
        f"only 1 of 150 clusters has a case of class 1, {CLUSTERS} clusters.",
    ),
    (
        "few_clusters",
        lambda: clustered(FOURS, (FOURS >= 29) * 1),
        f"only 29 of 150 clusters have a case of class 0, {CLUSTERS} clusters.",
    ),
    ("few_clusters", lambda: clustered(FOURS, (FOURS >= 30) * 1), None),
    (
        "tied_scores",
        lambda: ca.assess(THREE, changed(OF_THREE, 1, [0.4, 0.4, 0.2])),
        "two or more classes share the highest score in 1 row. The first of these classes was predicted.",
    ),
    (
        "tied_scores",
        lambda: ca.assess(THREE, changed(OF_THREE, 2, 1 / 3)),
        "two or more classes share the highest score in 2 rows. The first of these classes was predicted.",
    ),
    ("tied_scores", lambda: ca.assess(THREE, changed(OF_THREE, 1, [0.6, 0.2, 0.2])), None),
    ("renormalised_rows", lambda: ca.assess(Y, BOTH, improper="renormalise"), None),
    (
        "renormalised_rows",
        lambda: ca.assess(Y, changed(BOTH, 1, 0.25), improper="renormalise"),
        "class scores were divided by their sum in 1 row.",
    ),
    (
        "improper_rows",
        lambda: ca.assess(Y, changed(BOTH, 2, 0.25), threshold=0.4),
        "the scores of the two classes do not sum to 1 in 2 rows. The scores of 1 were used unchanged.",
    ),
    (
        "improper_rows",
        lambda: ca.assess(Y, changed(BOTH, 1, 0.25)),
        "the scores of the two classes do not sum to 1 in 1 row. The scores of 1 were used unchanged. Predicted "
        "labels follow that score only, even if the score of 0 is higher. Pass improper='renormalise' to divide "
        "class scores by their sum.",
    ),
    (
        "raw_scores",
        lambda: ca.assess(Y, 3 * BOTH),
        "some class scores lie outside [0, 1], so class scores are raw and can be compared only within a case. The "
        f"score is the difference of the two class scores, 1 minus 0. {CONVERT}, or score_scale='probability' to "
        "refuse raw scores.",
    ),
    (
        "raw_scores",
        lambda: ca.assess(THREE, 3 * OF_THREE),
        "some class scores lie outside [0, 1], so class scores are raw and can be compared only within a case. The "
        f"predicted label is the class with the highest score. Ranking measures are not defined. {CONVERT}, or "
        "score_scale='probability' to refuse raw scores.",
    ),
]


@pytest.mark.parametrize(
    ("code", "assessed", "text"), TEXTS, ids=[f"{code}-{k}" for k, (code, _, _) in enumerate(TEXTS)]
)
def test_a_warning_says_how_many_and_what_of_them(code, assessed, text):
    assert texts(assessed()).get(code) == text


@pytest.mark.parametrize(("scores", "is_told"), [(P, True), (4 * P, False), (-P, True), (-4 * P, False)])
def test_logits_that_look_like_probabilities_are_told(scores, is_told):
    """Differences of two probabilities lie in [-1, 1], whose logistic values are 0.269 and 0.731."""
    text = texts(ca.assess(Y, scores, score_scale="logit"))["score_scale"]
    words = "The converted scores lie between 0.269 and 0.731, which is typical of probabilities."
    assert (words in text) == is_told
    few = texts(ca.assess(Y[:10], scores[:10], score_scale="logit"))["score_scale"]
    assert words not in few
    assert (words in texts(ca.assess(Y[:11], scores[:11], score_scale="logit"))["score_scale"]) == is_told


@pytest.mark.parametrize("kept", [1.0, 0.8])
@pytest.mark.parametrize(("positives", "negatives"), [(20, 30), (60, 40)])
def test_scores_are_turned_beyond_four_standard_errors_of_random_ranks(positives, negatives, kept):
    """AUC of random ranks has the variance (p + n + 1) / (12 p n), of Mann and Whitney."""
    rng = np.random.default_rng(1)
    told = set()
    for shift in np.linspace(0, 3, 40):
        score = np.r_[rng.normal(size=positives) - shift, rng.normal(size=negatives)].round(1)
        is_positive = np.arange(positives + negatives) < positives
        pairs = score[is_positive][:, None] - score[~is_positive]
        auc = np.mean((pairs > 0) + (pairs == 0) / 2)
        error = np.sqrt((positives + negatives + 1) / (12 * positives * negatives))
        wanted = auc < kept * (0.5 - TURNED * error)
        assert is_turned(ScoreTable.from_rows(score, is_positive), kept) == wanted
        told.add(bool(wanted))
    assert told == {True, False}
    assert not is_turned(ScoreTable.from_rows(np.arange(9.0), np.ones(9, bool)))
