"""A plugin of pytest that stands between scikit-learn's own metric tests and its functions.

    python -m pytest -p tests.peers.scikit_learn --pyargs sklearn.metrics.tests.test_classification

Each call that a test makes goes to scikit-learn, so that its tests pass or fail as ever; where the call asks for
something that classay has, the answer of classay is put beside it. What differs is printed at the end, with how many
calls were compared and why others were not.
"""

import json
import os
import warnings
from collections import Counter
from inspect import signature
from pathlib import Path

import numpy as np
import sklearn.metrics as theirs

import classay as ca

COMPARED, TAGS, LEFT, DIFFERENT = Counter(), Counter(), Counter(), []


class NotOurs(Exception):
    """classay has no such thing, on purpose."""


def plain(values):
    """Labels as a list of Python values; several labels a case, and other shapes, are not for here."""
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0:
        raise NotOurs("not one label a case")
    return array.tolist()


def are_tags(given, key="y_pred"):
    """Whether the truth and the answers are matrices of several labels a case."""
    shapes = [np.shape(given[each].toarray() if hasattr(given[each], "toarray") else given[each])
              for each in ("y_true", key)]  # fmt: skip
    return shapes[0] == shapes[1] and len(shapes[0]) == 2 and shapes[0][0] > 0 and shapes[0][1] > 1


def matrices(given, key="y_pred"):
    """The truth, 0 or 1, and the answers as arrays; and the weights."""
    truth, said = (
        np.asarray(each.toarray() if hasattr(each, "toarray") else each)
        for each in (given["y_true"], given[key])
    )
    if not np.isin(truth, (0, 1)).all():
        raise NotOurs("gains, or no numbers")
    if (labels := given.get("labels")) is not None and sorted(set(labels)) != [*range(truth.shape[1])]:
        raise NotOurs("labels that leave tags out")
    weight = given.get("sample_weight")
    return truth.astype(int), said, {} if weight is None else {"weight": np.asarray(weight, float)}


def called(given):
    """The assessment of predicted tags."""
    truth, said, how = matrices(given)
    if not np.isin(said, (0, 1)).all():
        raise NotOurs("gains, or no numbers")
    return truth, said.astype(int), ca.assess(truth, y_pred=said.astype(int), **how)


def of_tags(name, given):
    """Precision and its kin of several labels a case."""
    average = given.get("average", "binary")
    if average not in ("micro", "macro", "weighted", "samples"):
        raise NotOurs("a number a class or a case")
    truth, said, a = called(given)
    if average == "samples":
        counts = {"precision": said.sum(1), "recall": truth.sum(1)}.get(name, (truth + said).sum(1))
        if (counts == 0).any():
            raise NotOurs("cases without a value, which count as 0 there and are left out here")
    return value(a, f"{average}_{name}")


def scored_tags(measure, given):
    """The mean over tags of a measure of scores, or that of all pairs of a case and a tag."""
    truth, scores, how = matrices(given, "y_score")
    if given.get("average") not in ("micro", "macro", "weighted"):
        raise NotOurs("a number a class or a case")
    if given.get("max_fpr") not in (None, 1):
        raise NotOurs("a part of several areas")
    a = ca.assess(truth, scores.astype(float), threshold=0.5, task="tags", **how)
    return value(a, f"{given['average']}_{measure}")


def gain(given):
    """NDCG where what is gained is 0 or 1, and no scores are equal."""
    if not are_tags(given, "y_score"):
        raise NotOurs("not several labels a case")
    truth, scores, how = matrices(given, "y_score")
    if not truth.any(1).all():
        raise NotOurs("cases without a value, which count as 0 there and are left out here")
    if any(np.unique(each).size < each.size for each in scores):
        raise NotOurs("ties, which are averaged there")
    k = given.get("k")
    k = truth.shape[1] if k is None else min(int(k), truth.shape[1])
    return value(ca.assess(truth, scores.astype(float), threshold=0.5, task="tags", **how), f"ndcg_at({k})")


def counted(given, needed=2):
    """The assessment of labels."""
    truth, said = plain(given["y_true"]), plain(given["y_pred"])
    labels = given.get("labels")
    met = {*truth, *said}
    labels = [*met] if labels is None else list(np.asarray(labels).tolist())
    if not met <= {*labels}:
        raise NotOurs("labels that leave cases out")
    if len({*labels}) < needed:
        raise NotOurs("one class")
    how = {} if given.get("sample_weight") is None else {"weight": np.asarray(given["sample_weight"], float)}
    if "weight" in how and not (how["weight"] >= 0).all():
        raise NotOurs("negative weights")
    positive = None
    if len(labels) == 2:
        positive = given.get("pos_label", 1)
        if positive not in labels:
            positive = sorted(labels, key=str)[-1]
    return ca.assess(truth, y_pred=said, labels=labels, positive=positive, **how)


def value(a, name):
    """A number of ours; where it is undefined scikit-learn says 0, or what `zero_division` holds."""
    found = a[name]
    if found.value is None or not np.isfinite(found.value):
        raise NotOurs("undefined here, a number there")
    return found.value


def whole(name):
    """A measure of all cases."""
    return lambda given: value(counted(given), name)


def share(given):
    """Right ones, or their number."""
    if not given.get("normalize", True):
        raise NotOurs("a number of cases")
    if are_tags(given):
        return value(called(given)[2], "exact_match")
    return value(counted(given), "accuracy")


def wrong(given):
    """Wrong ones."""
    return 1 - share(given)


def wrong_tags(given):
    """Wrong ones, of several labels a case those of all pairs of a case and a label."""
    return value(called(given)[2], "hamming_loss") if are_tags(given) else wrong(given)


def averaged(name):
    """Precision and its kin: of the positive class, or an average."""

    def of(given):
        if are_tags(given):
            return of_tags(name, given)
        average = given.get("average", "binary")
        a = counted(given)
        two = len(a.labels) == 2
        if average is None or average == "samples":
            raise NotOurs("a number a class or a case")
        if average == "binary":
            if not two:
                raise NotOurs("refused there")
            return value(a, name)
        if two:
            raise NotOurs("averages of two classes")
        if average == "micro":
            return value(a, f"micro_{name}")
        if any(a.per_class(each)[name].value is None for each in a.labels):
            raise NotOurs("undefined here, a number there")
        return value(a, f"{average}_{name}")

    return of


def kappa(given):
    """Of nominal labels, or of ranks."""
    kind = given.get("weights")
    if kind is None:
        return whole("cohen_kappa")({**given, "y_true": given["y1"], "y_pred": given["y2"]})
    raise NotOurs("an order of labels that is not said")


def balanced(given):
    """The mean recall."""
    if given.get("adjusted"):
        raise NotOurs("adjusted for chance")
    if {*plain(given["y_pred"])} - {*plain(given["y_true"])}:
        raise NotOurs("undefined here, a number there")
    return value(counted(given), "balanced_accuracy")


def scored(given, key, probabilities=False):
    """The assessment of scores of two classes."""
    truth, scores = plain(given["y_true"]), np.asarray(given[key], float)
    labels = sorted({*truth}, key=str)
    if scores.ndim != 1:
        raise NotOurs("several columns of scores")
    if len(labels) != 2:
        raise NotOurs("not two classes")
    if not np.isfinite(scores).all():
        raise NotOurs("scores that are no numbers")
    if probabilities and not ((scores >= 0) & (scores <= 1)).all():
        raise NotOurs("no probabilities")
    positive = given.get("pos_label")
    if positive is None:
        positive = labels[-1] if all(isinstance(each, str) for each in labels) else max(labels)
    how = {} if given.get("sample_weight") is None else {"weight": np.asarray(given["sample_weight"], float)}
    return ca.assess(truth, scores, positive=positive, threshold=0.5, **how)


def area(given):
    """The area under the ROC curve, whole or up to a rate."""
    if are_tags(given, "y_score"):
        return scored_tags("roc_auc", given)
    if given.get("multi_class", "raise") != "raise" and np.asarray(given["y_score"]).ndim > 1:
        raise NotOurs("several columns of scores")
    a = scored(given, "y_score")
    if (most := given.get("max_fpr")) not in (None, 1):
        from classay.measures.on_request import standardized_partial_roc_auc

        return a.estimate(standardized_partial_roc_auc(most)).value
    return value(a, "roc_auc")


def precision_area(given):
    """Average precision."""
    if are_tags(given, "y_score"):
        return scored_tags("average_precision", given)
    return value(scored(given, "y_score"), "average_precision")


def brier(given):
    """The squared error of a probability."""
    if not given.get("scale_by_half", True) or not np.asarray(given["y_true"]).size:
        raise NotOurs("another scale")
    return value(scored(given, "y_proba", probabilities=True), "brier_score")


def surprise(given):
    """The mean of -log p of what came true, where no probability is clipped."""
    if not given.get("normalize", True):
        raise NotOurs("a sum")
    columns = np.asarray(given["y_proba" if "y_proba" in given else "y_pred"], float)
    if columns.ndim == 2 and columns.shape[1] == 2:
        if not np.allclose(columns.sum(1), 1, atol=1e-6):
            raise NotOurs("rows of probabilities that do not add up to 1")
        columns = columns[:, 1]
    if columns.ndim != 1 or given.get("labels") is not None:
        raise NotOurs("several columns of scores")
    if ((columns <= 1e-15) | (columns >= 1 - 1e-15)).any():
        raise NotOurs("clipped there, infinite here")
    return value(scored({**given, "said": columns}, "said", probabilities=True), "log_loss")


def tagged(measure, key="y_score", *, by_rank=True):
    """A measure of several labels a case."""

    def of(given):
        truth, scores = np.asarray(given["y_true"]), np.asarray(given[key], float)
        if truth.ndim != 2 or truth.shape != scores.shape or truth.shape[1] < 2:
            raise NotOurs("not several labels a case")
        if not np.isin(truth, (0, 1)).all() or not np.isfinite(scores).all():
            raise NotOurs("gains, or no numbers")
        weight = given.get("sample_weight")
        how = {} if weight is None else {"weight": np.asarray(weight, float)}
        if measure == "ranking_loss" and any(np.unique(each).size < each.size for each in scores):
            raise NotOurs("ties, which count half here")
        if by_rank and ((truth.sum(1) == 0) | (truth.sum(1) == truth.shape[1])).any():
            raise NotOurs("cases with none or all, which count here as undefined")
        a = ca.assess(truth.astype(int), scores, threshold=0.5, **how)
        return value(a, measure)

    return of


OURS = {
    "accuracy_score": share,
    "zero_one_loss": wrong,
    "hamming_loss": wrong_tags,
    "balanced_accuracy_score": balanced,
    "cohen_kappa_score": kappa,
    "matthews_corrcoef": whole("matthews_correlation"),
    "precision_score": averaged("precision"),
    "recall_score": averaged("recall"),
    "f1_score": averaged("f1"),
    "jaccard_score": averaged("jaccard"),
    "roc_auc_score": area,
    "average_precision_score": precision_area,
    "brier_score_loss": brier,
    "log_loss": surprise,
    "ndcg_score": gain,
    "coverage_error": tagged("coverage_error"),
    "label_ranking_loss": tagged("ranking_loss"),
    "label_ranking_average_precision_score": tagged("label_ranking_average_precision"),
}


def beside(name, function):
    """The function, and ours beside it."""
    parameters = signature(function)

    def call(*args, **more):
        found = function(*args, **more)  # what it raises is its own
        try:
            given = parameters.bind(*args, **more)
            given.apply_defaults()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours = OURS[name](dict(given.arguments))
        except (NotOurs, ca.InputError, TypeError, ValueError) as why:
            LEFT[f"{name}: {why if isinstance(why, NotOurs) else 'refused: ' + type(why).__name__}"] += 1
            return found
        if not np.isscalar(found) or not np.isfinite(found):
            LEFT[f"{name}: no number there"] += 1
            return found
        COMPARED[name] += 1
        TAGS[name] += any(
            key in given.arguments and are_tags(given.arguments, key) for key in ("y_pred", "y_score")
        )
        if abs(float(found) - ours) > 1e-9 * max(1, abs(ours)):
            DIFFERENT.append(f"{name}: {found!r} there, {ours!r} here, of {given.arguments!r:.600}")
        return found

    return call


def pytest_configure():
    """Before the tests are imported, which take their functions from `sklearn.metrics`."""
    for name in OURS:
        setattr(theirs, name, beside(name, getattr(theirs, name)))


def pytest_sessionfinish():
    """Write what was found where the variable PEERS_FOUND names a file, else print it."""
    found = {"compared": dict(COMPARED), "of tags": dict(TAGS), "left": dict(LEFT), "different": DIFFERENT}
    if path := os.environ.get("PEERS_FOUND"):
        Path(path).write_text(json.dumps(found, indent=1))
    else:
        print(json.dumps(found, indent=1))
