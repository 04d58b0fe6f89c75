"""Samples of learners of several labels a case, for the sweeps over all kinds of results."""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import classay as ca
from classay.shown import Reportable
from sample_results import result
from samples import tag_rows


@result
def evaluation_of_tags() -> Reportable:
    truth, scores = tag_rows(np.random.default_rng(3), 120, 3)
    learners = {"near": KNeighborsClassifier(5), "far": KNeighborsClassifier(25)}
    return ca.evaluate(learners, scores, truth, protocol="3fold")


TITLED_OTHERWISE = {"evaluation of tags": "its learners, in the first sentence"}
WITH_NEXT_STEPS = ("evaluation of tags",)
