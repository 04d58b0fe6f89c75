"""Small tables by brute force: rows of two to four classes, however drawn, against definitions written out and slopes.

Programs take steps here too. The rows of such a step are its own, so that they are few, and have several classes.
"""

import re

import numpy as np

from ..contract import estimate, hold
from . import definitions
from .derivatives import law_of_difference, law_of_one, less, slopes, told
from .program_rows import OF_NUMBER, UNITS, same

DRAWN = ("alike", "alike", "frequency", "weight", "weight", "cluster", "cluster weight")
FEWEST, MOST = 24, 36
LEVEL = 1e-5
"""A level so low that every scale is straight; of draws another is taken, since between two of them nothing is told."""
OF_DRAWS = 0.3
FEW = 4
"""Cases of a cell below which what a prior adds is no small part."""


def small_rows(rng, several=None, rows=None):
    """The arguments of `assess` for few rows, their scores tied or not, drawn in one of all ways."""
    n = int(rng.integers(FEWEST, MOST)) if rows is None else rows
    k = int(rng.choice([2, 2, 3, 4])) if several is None else several
    truth = rng.choice(k, n, p=rng.dirichlet(np.full(k, 8.0)))
    if k == 2:
        score = 1 / (1 + np.exp(-rng.normal(size=n) - truth))
        rows = {"y_score": np.clip(np.round(score * 20) / 20 + 0.013, 0.01, 0.99), "positive": 1}
    else:
        logits = rng.normal(size=(n, k)) + 1.5 * (truth[:, None] == np.arange(k))
        each = np.exp(logits)
        rows = {"y_score": each / each.sum(1, keepdims=True)}
    rows |= {"y_true": truth, "labels": [*range(k)]}
    drawn = rng.choice(DRAWN)
    if "weight" in drawn:
        rows["weight"] = rng.choice([0.0, 0.5, 1.0, 3.25], n, p=[0.1, 0.3, 0.3, 0.3]) * rng.choice(
            [1, 1e-3, 700]
        )
    if "cluster" in drawn:
        rows["cluster"] = rng.integers(0, n // 3, n)
    if "frequency" in drawn:
        rows["frequency"] = rng.integers(0, 4, n)
    return rows


def how_drawn(rows):
    """The word of the registry of intervals."""
    return "clustered" if "cluster" in rows else "weighted" if "weight" in rows else "alike"


TABLES = {"counts": "matrix", "margins": "matrix", "probabilities": "scores"}
"""What is read from the table of others."""


def chosen(rng, a, number=4, *, alike=False):
    """A few of the measures that an assessment has, or a few of one table."""
    from classay.measures import get

    known = a.applicable()
    if rng.random() < 0.5:
        asked = definitions.REQUESTS[len(a.labels) > 2].split()
        known = [get(each) for each in rng.choice(asked, 8, replace=False)]
    if alike:
        needs = [TABLES.get(each.needs, each.needs) for each in known]
        wanted = rng.choice(np.unique(needs))
        known = [each for each, of in zip(known, needs, strict=True) if of == wanted]
    return [known[each] for each in rng.choice(len(known), min(number, len(known)), replace=False)]


def bounds_of(measure, k):
    """The range of a measure of so many classes."""
    most = {"mean_absolute_error": k - 1.0, "mean_squared_error": (k - 1.0) ** 2}
    if measure.base == "mean_signed_error":
        return (1.0 - k, k - 1.0)
    return (0.0, most[measure.base]) if measure.base in most else measure.bounds


def told_errors(rng):
    """Of small rows: measures, their intervals of two low levels and of an ordinary one, their law, and the rows."""
    import classay as ca

    own = small_rows(rng)
    found = [ca.assess(**own, level=level) for level in (LEVEL, 2 * LEVEL)]
    ordinary = ca.assess(**own, level=float(rng.choice([0.8, 0.95])))
    measures = chosen(rng, found[0], alike=True)
    of_each = slopes(own, measures)
    for each in measures:
        slope, (narrow, wide) = of_each.get(each.name), (a.estimate(each) for a in found)
        if slope is None or not slope.variance > 1e-16 or not (narrow.has_interval and wide.has_interval):
            continue
        if "draws" in narrow.method:
            if "thresholds" in narrow.method or found[0].confusion_matrix.counts.min() < FEW * np.mean(
                own.get("weight", 1.0)
            ):
                continue
            narrow, wide = (
                ca.assess(**own, level=level).estimate(each) for level in (OF_DRAWS, 2 * OF_DRAWS)
            )
        wanted = law_of_one(each, narrow, how_drawn(own), slope, tuple(own["labels"]))
        if narrow.method == wide.method and wanted:
            yield each, narrow, wide, ordinary.estimate(each), wanted, own


def standard_errors(rows, a):
    """Intervals of a level next to 0 are as wide as the standard error by slopes, whatever the method says of them."""
    for each, narrow, wide, plain, wanted, own in told_errors(rows.rng):
        broken = wanted.broken(narrow, wide)
        name = re.sub(r" [\d.,]+( |$)", " … ", narrow.method)
        is_moved = min(told(narrow, wide)) < 0.5 * max(told(narrow, wide))  # for a bias
        is_alike = plain.method == narrow.method and plain.has_interval and "draws" not in narrow.method
        if not broken and not is_moved and is_alike:
            broken = wanted.broken_on_scale(plain, bounds_of(each, len(own["labels"])))
        hold(not broken, f"{each.name} has its standard error by {name}", f"{broken} {how_drawn(own)}")
    return rows, a


COMPARED = (
    "accuracy recall specificity precision f1 f2 balanced_accuracy matthews_correlation cohen_kappa "
    "average_precision brier_score log_loss",
    "accuracy macro_f1 macro_recall weighted_precision matthews_correlation cohen_kappa balanced_accuracy "
    "multiclass_brier_score log_loss",
)
"""Measures of two classes and of several whose differences have an interval that no draw makes."""
OF_SCORES = ("average_precision", "brier_score", "log_loss", "multiclass_brier_score")
SHARE_OF_LARGE = 0.4
"""Of tables of differences: so many have at least 150 rows, mostly 20 in each cell, and are compared in labels."""


def told_difference(rng):
    """The same of the difference of two models, if it has a law; of more rows the delta method has enough of them."""
    import classay as ca
    from classay.measures import get

    is_large = rng.random() < SHARE_OF_LARGE
    own = small_rows(rng, rows=int(rng.integers(150, 300))) if is_large else small_rows(rng)
    if "frequency" in own:
        return None
    score, n, two = own["y_score"], own["y_true"].size, len(own["labels"]) == 2
    if is_large and two:  # so that every cell is large
        own["y_true"] = np.where(rng.random(n) < 0.3, 1 - (score >= 0.5), score >= 0.5).astype(int)
    kept = rng.random(n) < rng.choice([0.3, 0.6, 0.9])
    other = np.where(kept if two else kept[:, None], score, score[rng.permutation(n)])
    of_labels = [each for each in COMPARED[not two].split() if is_large <= (each not in OF_SCORES)]
    name = str(rng.choice(of_labels))
    how = {key: own[key] for key in ("weight", "cluster", "labels", "positive") if key in own}
    found = [
        next(
            iter(
                ca.compare(
                    {"a": score, "b": other}, own["y_true"], measures=[name], level=level, **how
                ).comparisons
            )
        )
        for level in (LEVEL, 2 * LEVEL)
    ]
    narrow, wide = (each.effect for each in found)
    if narrow is None or not (narrow.has_interval and wide.has_interval):
        return None
    measure = [get(name)]
    of_each = [slopes(own | {"y_score": each}, measure).get(name) for each in (score, other)]
    if None in of_each or not (slope := less(*of_each, own)).variance > 1e-16:
        return None
    wanted = law_of_difference(narrow.method, slope, measure[0])
    return wanted and (name, narrow, wide, wanted, own)


def differences(rows, a):
    """The same of the difference of two models."""
    if found := told_difference(rows.rng):
        name, narrow, wide, wanted, own = found
        broken = wanted.broken(narrow, wide)
        hold(not broken, f"a difference in {name} has its standard error by {narrow.method}",
             f"{broken} {how_drawn(own)}")  # fmt: skip
    return rows, a


def values(rows, a):
    """Values are those of definitions that are written out, or of scikit-learn."""
    import classay as ca

    own = small_rows(rows.rng)
    found = ca.assess(**own)
    named = definitions.of(own)
    for each in chosen(rows.rng, found, 12):
        if each.base in named:
            wanted, value = named[each.base](*each.parameters.values()), float(each(found.table(each)))
            if np.isnan(value) and "partial" in each.base and _is_narrow(each, own):
                continue
            near = np.isclose(value, wanted, rtol=1e-9, atol=1e-12) or (np.isnan(value) and np.isnan(wanted))
            hold(near, f"{each.name} is what its definition says", f"{value!r} for {wanted!r} {own}")
    return rows, a


def _is_narrow(measure, own):
    """Whether the range of a partial area holds less than one case of the class whose rate it is of."""
    of_class = own["y_true"] == ("tpr" in measure.base)
    held = np.asarray(own.get("weight", own.get("frequency", np.ones(of_class.size))))[of_class]
    cases = held.sum() if "weight" not in own else held.sum() ** 2 / (held**2).sum()
    given = [each for each in measure.parameters.values() if isinstance(each, float)]
    return cases * (max(given) - min(given) if len(given) > 1 else given[0] if given else 0.1) < 1


def turned(rows, a):
    """Rows of several classes in another order, under other names, in parts, weighed otherwise, and saved."""
    import classay as ca

    rng = rows.rng
    own = small_rows(rng, int(rng.choice([2, 3, 4])))
    level = float(rng.choice([0.5, 0.8, 0.9, 0.95, 0.99]))
    first = ca.assess(**own, level=level)
    names = [each.name for each in chosen(rng, first)]
    wanted = of(first, names)
    for way in rng.choice([*WAYS], 2, replace=False):
        made = WAYS[way](own, rng, level)
        if made is not None:
            kept = [each for each in names if not any(word in each for word in OTHER.get(way, ()))]
            numbers = of(made, kept)
            same(
                numbers,
                {name: wanted[name] for name in kept},
                way.replace("_", " "),
                tolerance=1e-6 if "unit" in way else 1e-9,
                parts=PARTS.get(way, 3),
            )
    return rows, a


def of(a, names):
    """Value and limits of measures by name."""
    found = {}
    for name in names:
        each = a.estimate(name)
        estimate(name, each)
        found[name] = (each.value, each.low, each.high)
    return found


def _at(own, places):
    return {name: np.asarray(each)[places] if name in COLUMNS else each for name, each in own.items()}


COLUMNS = ("y_true", "y_score", "weight", "frequency", "cluster")


def _another_order(own, rng, level):
    import classay as ca

    return ca.assess(**_at(own, rng.permutation(own["y_true"].size)), level=level)


def _other_names(own, rng, level):
    """Names whose order is the same, so that scores are in the same columns."""
    import classay as ca

    names = [f"{chr(97 + each)} {each}" for each in own["labels"]]
    said = {"labels": names, "ordered": True, "y_true": [names[each] for each in own["y_true"]]}
    return ca.assess(**own | said | ({"positive": names[1]} if "positive" in own else {}), level=level)


def _parts_in_any_order(own, rng, level):
    import classay as ca

    part = own["cluster"] % 3 if "cluster" in own else rng.integers(0, 3, own["y_true"].size)
    held = (
        own.get("weight", own.get("frequency", np.ones(part.size))) > 0
    )  # what counts nowhere alone is refused
    made = [
        ca.assess(**_at(own, part == each), level=level) for each in rng.permutation(np.unique(part[held]))
    ]
    return sum(made[1:], made[0])


def _another_unit_of_weights(own, rng, level):
    import classay as ca

    return (
        ca.assess(**own | {"weight": own["weight"] * rng.choice(UNITS)}, level=level)
        if "weight" in own
        else None
    )


def _cases_of_no_weight(own, rng, level):
    """They count nowhere, whatever they are."""
    import classay as ca

    if not {"weight", "frequency"} & own.keys():
        return None
    n = own["y_true"].size
    more = _at(own, rng.integers(0, n, 3))
    more["y_true"] = rng.integers(0, len(own["labels"]), 3)
    name = "weight" if "weight" in own else "frequency"
    more[name] = np.zeros(3, own[name].dtype)
    if "cluster" in own and rng.random() < 0.5:
        more["cluster"] = more["cluster"] + 1000
    both = {key: np.concatenate([own[key], more[key]]) if key in COLUMNS else own[key] for key in own}
    return ca.assess(**both, level=level)


def _saved_and_loaded(own, rng, level):
    import tempfile
    from pathlib import Path

    import classay as ca

    with tempfile.TemporaryDirectory() as folder:
        ca.assess(**own, level=level).save(path := Path(folder) / "a.classay")
        return ca.load(path)


def _repeated_rows(own, rng, level):
    """A frequency is as many rows."""
    import classay as ca

    if "frequency" not in own:
        return None
    places = np.repeat(np.arange(own["y_true"].size), own["frequency"])
    return ca.assess(**{k: v for k, v in _at(own, places).items() if k != "frequency"}, level=level)


def _clusters_twice(own, rng, level):
    """Each row of a cluster twice: the same clusters, and the same values."""
    import classay as ca

    if "cluster" not in own:
        return None
    return ca.assess(**_at(own, np.repeat(np.arange(own["y_true"].size), 2)), level=level)


def _a_class_of_nobody(own, rng, level):
    """A class that no case has, and that is never called, changes no number of another class."""
    import classay as ca

    if "positive" in own:
        return None
    wide = np.hstack([own["y_score"], np.zeros((len(own["y_true"]), 1))])
    return ca.assess(**own | {"y_score": wide, "labels": [*own["labels"], len(own["labels"])]}, level=level)


WAYS = {each.__name__.lstrip("_"): each for each in (
    _another_order, _other_names, _parts_in_any_order, _another_unit_of_weights, _cases_of_no_weight,
    _saved_and_loaded, _repeated_rows, _clusters_twice, _a_class_of_nobody,
)}  # fmt: skip
OTHER = {
    # means over all declared classes
    "a_class_of_nobody": ("macro", "micro_", "balanced", "classwise", "hand_till", "ranked_", "one_vs_one"),
    # which are of the number of cases, or of as many neighbours
    "clusters_twice": OF_NUMBER,
}
"""Words in the names of measures that a way may change."""
PARTS = {"clusters_twice": 1, "a_class_of_nobody": 1}
STEPS = {"standard errors": standard_errors, "differences": differences, "values": values, "turned": turned}
