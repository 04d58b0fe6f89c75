"""The rows of a program, what was done to them, and the numbers that every step holds."""

import datetime
import math
from decimal import Decimal
from enum import Enum, IntEnum

import numpy as np

from ..contract import estimate, hold


class Colour(Enum):
    """Labels that are members of an enumeration."""

    RED = "red"
    BLUE = "blue"


class Grade(IntEnum):
    """Labels that are members of an enumeration, and numbers."""

    LOW = 1
    HIGH = 7


LABELS = [
    (0, 1),
    (False, True),
    ("no", "yes"),
    ("", "x" * 300),
    ("1", "2"),
    ((1, 2), (1, 3)),
    (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)),
    ("ü", "a`b|c<d>&"),
    (-1.5, 2.5),
    (2**60, 3),
    ("a", "x" * 100_000),
    (np.int64(3), np.int64(5)),
    (np.float32(0.5), np.float32(1.5)),
    (np.str_("u"), np.str_("v")),
    (np.datetime64("2020-01-01"), np.datetime64("2021-01-01")),
    (Colour.RED, Colour.BLUE),
    (Grade.LOW, Grade.HIGH),
    (Decimal("0.1"), Decimal("2")),
    (
        datetime.datetime(2020, 1, 1, 12, tzinfo=datetime.UTC),
        datetime.datetime(2021, 1, 1, tzinfo=datetime.UTC),
    ),
    (b"a", b"b"),
    (("a", 1), ("a", "1")),
    ("\u202e", "\n"),
]
MEASURES = [
    "accuracy",
    "recall",
    "precision",
    "f1",
    "matthews_correlation",
    "roc_auc",
    "average_precision",
    "brier_score",
    "log_loss",
    "cohen_kappa",
]
"""Each rests on another table or another interval: three of them are held, and two of all others."""
MAIN = ("accuracy", "roc_auc")
"""What every page of two classes says."""
OF_NUMBER = (
    "risk_coverage",
    "partial",
    "debiased",
    "null",
    "spiegelhalter",
    "integrated",
    "median_cal",
    "error_90",
)
"""Words in the names of measures that depend on how many cases there are."""
UNITS = [4.0, 0.1, 1 / 3, 700.0]
"""Units of weights: a power of two rounds nothing, all others do."""
WHOLE = 0.1
"""The share of steps in which what has every number of an assessment is made: its whole JSON, its text, its page."""


class Rows:
    """The rows of a program, and what was done to them."""

    def __init__(self, given):
        rng = self.rng = np.random.default_rng(given["seed"])
        n = given["rows"]
        self.labels = LABELS[given["labels"]][:: int(rng.choice([1, -1]))]
        self.truth = (rng.random(n) < given["positives"]).astype(int)
        noise = rng.normal(size=n) + self.truth
        self.score = {
            "probabilities": 1 / (1 + np.exp(-noise)),
            "ties": np.round(1 / (1 + np.exp(-noise)), 1),
            "signal": noise,
            "one score": np.full(n, 0.25),
        }[given["scores"]]
        self.columns = {}
        if "weight" in given["more"]:
            self.columns["weight"] = rng.choice([0.5, 1.0, 3.25], n) * given["unit"]
        if given["more"] == "few weigh":
            self.columns["weight"] = rng.choice([0.0, 1.0, 50.0], n, p=[0.3, 0.6, 0.1]) * given["unit"]
            self.columns["weight"][0] = given["unit"]
        if "frequency" in given["more"]:
            self.columns["frequency"] = rng.integers(1, 4, n)
        if "cluster" in given["more"]:
            self.columns["cluster"] = rng.integers(0, max(2, n // 3), n)
        self.interval, self.threshold, self.level = given["interval"], given["threshold"], given["level"]
        if self.interval not in (None, "bootstrap") and not self.columns.keys() <= {"frequency"}:
            self.interval = None  # it is for cases that are drawn one by one
        self.names, self.known = given["measures"], {}

    @property
    def whole(self):
        """Whether a step is one of those that look at everything."""
        return self.rng.random() < (WHOLE if self.interval != "bootstrap" else 0.02)

    def numbers(self, a):
        """Value and limits of each measure that is held, found once: an assessment does not change."""
        if id(a) not in self.known:
            self.known[id(a)] = (a, numbers(a, self.names))
        return self.known[id(a)][1]

    def take(self, places):
        """The rows of these places, in their order."""
        made = object.__new__(Rows)
        made.__dict__ |= self.__dict__
        made.truth, made.score = self.truth[places], self.score[places]
        made.columns = {name: each[places] for name, each in self.columns.items()}
        return made

    def assess(self, **how):
        """Their assessment."""
        import classay as ca

        truth = np.empty(self.truth.size, object)
        truth[:] = [self.labels[each] for each in self.truth]
        given = (
            {"threshold": self.threshold, "interval": self.interval, "level": self.level} | self.columns | how
        )
        return ca.assess(
            truth.tolist(), self.score, labels=list(self.labels), positive=self.labels[1], **given
        )


def weights(rows):
    """How much each row counts."""
    given = rows.columns.get("weight", rows.columns.get("frequency"))
    return np.ones(rows.truth.size) if given is None else np.asarray(given, float)


def numbers(a, names):
    """Value and limits of each of these measures that an assessment has."""
    found, known = {}, {each.name for each in a.applicable()}
    for name in names:
        if name in known:
            each = a.estimate(name)
            estimate(name, each)
            found[name] = (each.value, each.low, each.high)
    return found


def same(found, wanted, law, tolerance=1e-9, parts=3):
    """Each number is what it was, or was none and is none."""
    hold(found.keys() == wanted.keys(), f"{law} keeps the measures", found.keys() ^ wanted.keys())
    for name, each in wanted.items():
        for mine, other in zip(found[name][:parts], each[:parts], strict=True):
            near = mine == other or (math.isnan(mine) and math.isnan(other))
            near = near or math.isclose(mine, other, rel_tol=tolerance, abs_tol=tolerance)
            hold(near, f"{law} keeps {name}", f"{found[name]} for {each}")


def parts(rows):
    """How many of value, low and high must be near: resamples are drawn by position, so that other rows give others."""
    return 3 if rows.interval != "bootstrap" else 1
