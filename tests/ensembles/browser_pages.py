"""Pages of ensembles that are looked at in a browser."""

import classay as ca
from learners import noise


def ensemble():
    X, y = noise(300)
    boosted = ca.ensembles.AdaBoost(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    return ca.ensembles.assess(boosted, X[1::2], y[1::2], training=(X[::2], y[::2]))
