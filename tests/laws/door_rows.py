"""Random rows of odd labels, scores and designs, as plain values: what the law of the doors is tried on."""

import datetime
import math
from dataclasses import dataclass, field, replace

import numpy as np

DAY = datetime.date(2024, 1, 30)
LABELS = {
    "zero and one": [0, 1],
    "truth values": [False, True],
    "whole numbers": [3, 10, 2, -1],
    "numbers": [1.5, 2.5, -0.5, 10.25],
    "whole floats": [1.0, 2.0, 10.0],
    "texts": ["no", "yes", "maybe", "Maybe"],
    "commas": ["a, b", "a", "b", "a,b"],
    "quotes": ['say "x"', "it's", '"', "`x`"],
    "blanks": ["x y", "x  y", " x", "x "],
    "letters": ["ü", "é", "Ω", "日本"],
    "numbers as texts": ["1", "2", "10", "-3"],
    "no numbers": ["01", "1", "1.0", "1e0"],
    "some numbers": ["1", "2", "x", "3.5"],
    "true as text": ["true", "false"],
    "True as text": ["True", "False", "maybe"],
    "missing as text": ["NA", "null", "nan", "None"],
    "empty text": ["", "a", "b"],
    "ends of lines": ["a\nb", "a", "b\t"],
    "days": [DAY + datetime.timedelta(days) for days in (0, 3, 1, 200)],
    "moments": [datetime.datetime(2024, 1, 1, hour) for hour in (0, 5, 3)],
    "days as text": ["2024-01-30", "2024-02-01", "2024-01-02"],
    "long numbers": [2**53 + 1, 2**53, 2**53 + 2],
    "longer numbers": [2**63 + 1, 2**63, 3],
    "bytes": [b"a", b"b", b"c"],
    "tuples": [(1, "a"), (1, "b"), (0, "a")],
    "number and its text": [1, "1", 2],
    "number and text": [1, "a", "b"],
    "number and truth value": [2, True, False],
    "ordered": ["low", "medium", "high", "very high"],
}
"""Labels by kind. Ordered ones are categories in this order."""
USUAL = {"zero and one": 4, "texts": 4}
"""Kinds that are drawn more often than the others."""
NAMES = {
    "commas": "c, {}",
    "whole numbers": int,
    "halves": lambda i: i / 2,
    "halves as texts": lambda i: str(i / 2),
    "some with a decimal point": lambda i: str(i) if i % 3 else f"{i}.0",
    "sections": lambda i: f"{i // 3 + 1}.{('1', '10', '2')[i % 3]}",
    "leading zeros": lambda i: "0" * (i % 2) + str(i // 2),
    "numbers, and a text": lambda i: "x" if i == 0 else str(i),
    "days as texts": lambda i: str(DAY + datetime.timedelta(i)),
    "days": lambda i: DAY + datetime.timedelta(i),
    "truth values as texts": lambda i: ("True", "False", "true")[i] if i < 3 else str(i),
    "long numbers": lambda i: 2**53 + i,
}
"""Names of clusters and of cases by kind: what the number i is called. No two numbers have one name."""
WEIGHED = {
    "alike": 6,
    "weight": 3,
    "frequency": 3,
    "cluster": 3,
    "weight cluster": 2,
    "id": 3,
    "cluster id": 2,
}
TASKS = {"scores": 5, "labels": 3, "class scores": 3, "many labels": 3}
FORMS = {
    "grid": 4,
    "ties": 3,
    "fine": 2,
    "short": 2,
    "raw": 2,
    "whole": 1,
    "constant": 1,
    "infinite": 0.3,
    "half": 0.5,
}
"""How scores of two classes look; short ones are of single precision, half ones of 16 bits."""


@dataclass(frozen=True)
class Given:
    """Rows, and how they are to be assessed. Labels are places in `names`; None is missing."""

    kind: str
    task: str
    names: tuple
    truth: tuple
    said: tuple = ()
    score: tuple = ()
    form: str = ""
    columns: dict = field(default_factory=dict)
    positive: int | None = None
    declared: tuple | None = None
    how: dict = field(default_factory=dict)
    seed: int = 0

    def __len__(self):
        return len(self.truth)

    @property
    def answered(self):
        """Which rows the model answered, with a label that is declared, if labels are."""
        codes = self.said or self.truth
        told = [self.declared is None or code is None or code in self.declared for code in codes]
        scored = [
            not np.isnan(np.asarray(each, float)).any() for each in self.score or codes if self.score
        ] or told
        said = [code is not None for code in self.said] or told
        return [*map(all, zip(told, scored, said, strict=True))]

    def labels(self, codes):
        return [None if code is None else self.names[code] for code in codes]

    def take(self, places):
        """Some of the rows."""
        cut = {name: tuple(values[i] for i in places) for name, values in self.columns.items()}
        some = {
            name: tuple(getattr(self, name)[i] for i in places)
            for name in ("truth", "said", "score")
            if getattr(self, name)
        }
        return replace(self, columns=cut, **some)


def one_of(rng, shares):
    parts = np.array([*shares.values()], float)
    return [*shares][rng.choice(len(parts), p=parts / parts.sum())]


def drawn(seed):
    """The rows of a seed."""
    rng = np.random.default_rng([13, seed])
    task, kind = one_of(rng, TASKS), one_of(rng, dict.fromkeys(LABELS, 1) | USUAL)
    several = task in ("class scores", "many labels")
    if several and len(LABELS[kind]) < 3:
        kind = "texts"
    many = int(rng.integers(3, 5)) if several else 2
    places = range(many) if kind == "ordered" else rng.permutation(min(many + 1, len(LABELS[kind])))[:many]
    names = tuple(LABELS[kind][place] for place in places if place < len(LABELS[kind]))
    k = len(names)
    n = int(rng.integers(1, 9)) if rng.random() < 0.3 else int(rng.integers(8, 60))
    used = 1 if rng.random() < 0.06 else k
    codes = rng.integers(0, used, n)
    truth = [*map(int, codes)]
    given = {"kind": kind, "task": task, "names": names, "seed": seed}
    if task in ("labels", "many labels"):
        wrong = rng.random(n) < rng.choice([0, 0.2, 0.5])
        given["said"] = tuple(int(each) for each in np.where(wrong, rng.integers(0, k, n), codes))
    elif task == "scores":
        given["form"] = one_of(rng, FORMS)
        given["score"] = tuple(_scores(rng, given["form"], codes))
    else:
        given["form"] = one_of(rng, {"grid": 2, "ties": 1, "short": 1, "improper": 0.3})
        given["score"] = tuple(_class_scores(rng, given["form"], codes, k))
    given["columns"] = _columns(rng, n)
    how = {}
    if rng.random() < 0.15:
        truth[int(rng.integers(n))] = None
        if rng.random() < 0.8:
            how["missing"] = "drop"
    if rng.random() < 0.15:
        how["level"] = float(rng.choice([0.8, 0.99]))
    if task == "scores" and rng.random() < 0.3:
        how["threshold"] = float(rng.choice([0.3, 0.5, 0.7, 0.25]))
    if not several:
        default = kind in ("zero and one", "truth values")
        given["positive"] = None if default and rng.random() < 0.6 else int(rng.integers(2))
    if rng.random() < 0.3:
        given["declared"] = tuple(map(int, rng.permutation(k)))
    _leave_unanswered(rng, given, truth, how)
    return Given(truth=tuple(truth), how=how, **given)


def _leave_unanswered(rng, given, truth, how):
    """Take some answers of one model in five away: labels, scores, or declared labels that it may say."""
    if rng.random() > 0.2:
        return
    gone = {int(i) for i in rng.integers(len(truth), size=int(rng.integers(1, 3)))}
    if given["task"] == "many labels" and given.get("declared") and rng.random() < 0.5:
        absent = given["declared"][-1]
        given["declared"] = given["declared"][:-1]
        truth[:] = [given["declared"][0] if code == absent else code for code in truth]
    elif "said" in given:
        given["said"] = tuple(None if i in gone else code for i, code in enumerate(given["said"]))
    elif given["task"] == "scores":
        given["score"] = tuple(math.nan if i in gone else each for i, each in enumerate(given["score"]))
    else:
        given["score"] = tuple(
            (math.nan, *row[1:]) if i in gone else row for i, row in enumerate(given["score"])
        )
    if rng.random() < 0.8:
        how["unanswered"] = str(rng.choice(["wrong", "drop"]))


def _scores(rng, form, codes):
    n = codes.size
    p = np.clip(0.5 + 0.25 * (codes - 0.5) + 0.25 * rng.normal(size=n), 0.001, 0.999)
    made = {
        "grid": lambda: np.round(p, 2),
        "ties": lambda: np.round(p, 1),
        "fine": lambda: p,
        "short": lambda: np.round(p, 1).astype(np.float32).astype(float),
        "half": lambda: np.round(p, 1).astype(np.float16).astype(float),
        "raw": lambda: np.round(8 * p - 4, 2),
        "whole": lambda: np.round(p),
        "constant": lambda: np.full(n, 0.5),
        "infinite": lambda: np.where(p > 0.8, np.inf, np.round(p, 1)),
    }
    return map(float, made[form]())


def _class_scores(rng, form, codes, k):
    raw = rng.gamma(1 + 1.5 * np.eye(k)[codes])
    raw /= raw.sum(1, keepdims=True)
    if form in ("grid", "ties"):
        raw = np.floor(raw * (100 if form == "grid" else 4)) + 1
        raw /= raw.sum(1, keepdims=True)
    if form == "short":
        raw = raw.astype(np.float32).astype(float)
    if form == "improper":
        raw[0] *= 1.2
    return [tuple(map(float, row)) for row in raw]


def _columns(rng, n):
    drawn_by, found = one_of(rng, WEIGHED), {}
    if "weight" in drawn_by:
        weights = (
            rng.gamma(2, size=n).round(2) + 0.01 if rng.random() < 0.7 else rng.choice([0.0, 1.0, 2.5], n)
        )
        found["weight"] = tuple(map(float, weights))
    if drawn_by == "frequency":
        found["frequency"] = tuple(map(int, rng.integers(0 if rng.random() < 0.3 else 1, 4, n)))
    if "cluster" in drawn_by:
        of = rng.integers(0, max(n // 3, 1), n)
        found["cluster"] = _named(rng, of)
    if "id" in drawn_by:
        found["id"] = _named(rng, rng.permutation(n))
    return found


def _named(rng, numbers):
    name = NAMES[one_of(rng, dict.fromkeys(NAMES, 1))]
    return tuple(name.format(i) if isinstance(name, str) else name(i) for i in map(int, numbers))


def smaller(given, fails):
    """The smallest rows found that still fail: rows and options are left out as long as they do."""
    size = max(len(given) // 2, 1)
    while True:
        start, shorter = 0, False
        while start < len(given) and len(given) > 1:
            kept = [i for i in range(len(given)) if not start <= i < start + size]
            if kept and fails(made := given.take(kept)):
                given, shorter = made, True
            else:
                start += size
        if size == 1 and not shorter:
            break
        size = max(size // 2, 1)
    for name in [*given.columns]:
        made = replace(given, columns={other: each for other, each in given.columns.items() if other != name})
        given = made if fails(made) else given
    for name in [*given.how]:
        made = replace(given, how={other: each for other, each in given.how.items() if other != name})
        given = made if fails(made) else given
    if given.declared is not None and fails(made := replace(given, declared=None)):
        given = made
    return given
