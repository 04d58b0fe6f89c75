"""`python -m bench.golden FILE` writes all numbers and sentences of fixed data; `--compare A B` tells what changed.

200 data sets × 5 designs, each assessed, compared with a second model, cut into groups, decided for and read from its
curves. A line of the file is one estimate, test or text: the data set and design, the kind of result, what it is, and
its parts as JSON with every digit. A change of the house that means to change no number leaves the file as it was, and
one that means to says which lines it changes. The numbers are those of one machine and one set of versions: draws and
last bits differ between processors.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import re
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import classay as ca

DESIGNS = ("alike", "frequency", "weighted", "clustered", "weighted clustered")
"""How the rows of each data set were drawn."""
KINDS = {
    "two": 28,
    "two, ties": 16,
    "two, rare": 12,
    "two, tiny": 12,
    "two, easy": 8,
    "two, wrong": 4,
    "two, not probabilities": 12,
    "two, text": 12,
    "two, one class": 4,
    "two, labels": 12,
    "two, rare labels": 6,
    "two, tiny labels": 6,
    "several": 16,
    "several, ties": 12,
    "several, tiny": 8,
    "several, rare": 8,
    "several, easy": 4,
    "several, labels": 14,
    "several, rare labels": 6,
}
"""How many data sets there are of each kind."""
NAMES = ("ape", "bee", "cat", "dog", "eel", "fox")
OF_TWO = ("accuracy", "recall", "precision", "f1", "mcc")
OF_SCORES = ("roc_auc", "average_precision")
OF_PROBABILITIES = ("brier_score", "log_loss")
OF_SEVERAL = ("accuracy", "balanced_accuracy", "macro_f1", "cohen_kappa")
OF_CLASS_SCORES = ("log_loss", "macro_roc_auc")
ESTIMATE = {"value", "low", "high"}
"""Keys of an estimate, which is one line."""
NAMED = ("measure", "label", "group", "code", "name", "what", "title", "models", "first", "second")
"""Keys by which the members of a list are known, wherever they stand in it."""
SKIPPED = {"curves", "points", "schema", "classay", "picture"}
"""What is no estimate or sentence, or is long and follows from the rest."""


@dataclass(frozen=True)
class DataSet:
    """The rows of one data set: truth, what two models say, groups, and how the class to find is named."""

    name: str
    kind: str
    truth: Any
    first: Any
    second: Any
    group: Any
    labels: list[Any] | None = None
    positive: Any = None

    @property
    def has_scores(self) -> bool:
        return "labels" not in self.kind

    @property
    def has_two(self) -> bool:
        return self.kind.startswith("two")


def data_sets() -> Iterator[DataSet]:
    """All data sets, in order; each has a generator of its own, so that another kind may be added behind."""
    number = 0
    for kind, many in KINDS.items():
        for _ in range(many):
            make = two_classes if kind.startswith("two") else several_classes
            yield make(f"{number:03}", kind, np.random.default_rng([20240613, number]))
            number += 1


def size(rng: Any, kind: str) -> int:
    """Few rows, most often; some data sets are large enough for what holds of large ones only."""
    if "tiny" in kind:
        return int(rng.integers(2, 15))
    return int(rng.choice([30, 60, 120, 300, 700], p=[0.25, 0.3, 0.25, 0.15, 0.05]))


def two_classes(name: str, kind: str, rng: Any) -> DataSet:
    n = size(rng, kind)
    share = 0.06 if "rare" in kind else 0.0 if "one class" in kind else float(rng.uniform(0.25, 0.6))
    sick = rng.random(n) < share
    if "one class" not in kind:
        sick[:2] = True, False
    apart = {"two, easy": 6.0, "two, wrong": -1.0}.get(kind, float(rng.uniform(0.3, 2.0)))
    shared = rng.normal(size=n)
    scores = []
    for gain in (1.0, 0.8):
        raw = apart * gain * (sick - 0.5) + 0.6 * shared + 0.8 * rng.normal(size=n)
        scores.append(raw if "not prob" in kind else 1 / (1 + np.exp(-raw)))
    digits = (
        1 if "ties" in kind else 3
    )  # rounded, so that the last bit of `exp` is the same on every processor
    scores = [np.round(each, digits) for each in scores]
    group = np.array(["north", "south", "west"])[rng.integers(0, 3, n)]
    if "text" in kind:
        return DataSet(name, kind, np.where(sick, "sick", "well"), *scores, group, positive="sick")
    truth = sick.astype(int)
    if "labels" in kind:
        scores = [(each >= 0.5).astype(int) for each in scores]
    return DataSet(name, kind, truth, *scores, group)


def several_classes(name: str, kind: str, rng: Any) -> DataSet:
    n, k = size(rng, kind), int(rng.integers(3, 7))
    shares = np.r_[0.03, np.full(k - 1, 0.97 / (k - 1))] if "rare" in kind else rng.dirichlet(np.full(k, 8.0))
    truth = rng.choice(k, n, p=shares)
    signal = 40.0 if "easy" in kind else float(rng.uniform(0.8, 3.0))
    models = []
    for gain in (1.0, 0.7):
        scores = rng.gamma(1 + signal * gain * np.eye(k)[truth])
        scores = np.floor(scores / scores.sum(1, keepdims=True) * (10 if "ties" in kind else 1000))
        scores /= scores.sum(1, keepdims=True)
        models.append(scores)
    names = np.array(NAMES[:k])
    group = np.array(["north", "south"])[rng.integers(0, 2, n)]
    if "labels" in kind:
        called = [names[each.argmax(1)] for each in models]
        return DataSet(name, kind, names[truth], *called, group)
    return DataSet(name, kind, names[truth], *models, group, labels=[*NAMES[:k]])


def columns_of(design: str, one: DataSet) -> dict[str, Any]:
    """The columns that say how rows were drawn."""
    rng, n = np.random.default_rng([7, int(one.name)]), len(one.truth)
    drawn: dict[str, Any] = {}
    if design == "frequency":
        drawn["frequency"] = rng.integers(1, 5, n)
    if "weighted" in design:
        drawn["weight"] = rng.gamma(3.0, size=n).round(2) + 0.01
    if "clustered" in design:
        drawn["cluster"] = rng.integers(0, max(n // 4, 2), n)
    return drawn


def options_of(one: DataSet) -> dict[str, Any]:
    found = {"positive": one.positive, "labels": one.labels}
    return {name: each for name, each in found.items() if each is not None}


def assessed(one: DataSet, drawn: Mapping[str, Any]) -> ca.Assessment:
    if one.has_scores:
        return ca.assess(one.truth, one.first, **drawn, **options_of(one))
    return ca.assess(one.truth, y_pred=one.first, **drawn, **options_of(one))


def compared(one: DataSet, drawn: Mapping[str, Any]) -> Any:
    models = {"new": one.first, "old": one.second}
    measures = [*(OF_TWO if one.has_two else OF_SEVERAL)]
    if not one.has_scores:
        return ca.compare(y_true=one.truth, y_pred=models, measures=measures, **drawn, **options_of(one))
    measures += OF_SCORES if one.has_two else OF_CLASS_SCORES
    if one.has_two and "not prob" not in one.kind:
        measures += OF_PROBABILITIES
    if "not prob" in one.kind:
        measures = [*OF_SCORES]
    return ca.compare(models, one.truth, measures=measures, **drawn, **options_of(one))


def sliced(one: DataSet, drawn: Mapping[str, Any]) -> Any:
    rows = {"y_score": one.first} if one.has_scores else {"y_pred": one.first}
    return ca.assess_by(one.truth, **rows, by=one.group, **drawn, **options_of(one))


Lines = Iterator[tuple[str, str, Any]]


def lines_of(one: DataSet, design: str) -> Lines:
    """Kind, name and parts of everything that is found of one data set drawn in one way."""
    drawn = columns_of(design, one)
    a = yield from tried("assess", lambda: assessed(one, drawn))
    if a is None:
        return
    yield from flat("assess", "", a.to_dict())
    yield "assess", "methods text", a.methods_text()
    yield from flat("prevalence", "", plain(a.at_prevalence(0.1).estimates()) if one.has_two else {})
    for kind, work in (("compare", lambda: compared(one, drawn)), ("slices", lambda: sliced(one, drawn))):
        found = yield from tried(kind, work)
        if found is not None:
            yield from flat(kind, "", found.to_dict())
            yield kind, "said", said(found)
    if one.has_two and one.has_scores:
        for what, work in DECISIONS.items():
            found = yield from tried("decide", lambda work=work: work(a), what)
            if found is not None:
                yield from flat("decide", what, found.to_dict())
        for what, reading in READINGS.items():
            found = yield from tried("reading", lambda reading=reading: reading(a), what)
            if found is not None:
                yield "reading", what, plain(found)


DECISIONS: dict[str, Callable[[ca.Assessment], Any]] = {
    "cost": lambda a: a.threshold(cost=ca.Costs(fp=1, fn=5)),
    "cost at a prevalence": lambda a: a.threshold(cost=ca.Costs(fp=1, fn=5), prevalence=0.1),
    "condition": lambda a: a.threshold(where="recall >= 0.8", maximize="precision"),
    "top": lambda a: a.threshold(top=5),
    "best": lambda a: a.threshold(maximize="f1"),
}
READINGS: dict[str, Callable[[ca.Assessment], Any]] = {
    "tpr at fpr .1": lambda a: a.roc.tpr_at(0.1),
    "fpr at tpr .8": lambda a: a.roc.fpr_at(0.8),
    "threshold for fpr .1": lambda a: a.roc.threshold_for(fpr=0.1),
    "threshold for tpr .8": lambda a: a.threshold_for(tpr=0.8),
    "precision at recall .8": lambda a: a.precision_recall.precision_at(0.8),
    "precision at 5": lambda a: a.gain.precision_at_k(5),
    "recall at 5": lambda a: a.gain.recall_at_k(5),
    "lift at 5": lambda a: a.lift.lift_at_k(5),
}


def tried(kind: str, work: Callable[[], Any], what: str = "") -> Iterator[tuple[str, str, Any]]:
    """What a call gives, or a line that says how it was refused."""
    try:
        return work()
    except ca.ClassayError as error:
        yield kind, f"{what} refused".strip(), f"{type(error).__name__}: {error}"
        return None


def said(found: Any) -> list[str]:
    """The verdict and the sentences of a result's document."""
    made = found.document()
    listed = [part for section in made.sections if section.role == "warnings" for part in section.parts]
    items = [text for part in listed for _, text in getattr(part, "items", ())]
    return [*made.verdict, *items]


def plain(found: Any) -> Any:
    """An estimate as plain values; NaN is None."""
    if isinstance(found, Mapping):
        return {name: plain(each) for name, each in found.items()}
    parts = ("value", "low", "high", "level", "method", "reason")
    values = {name: getattr(found, name) for name in parts}
    return {
        name: None if isinstance(each, float) and math.isnan(each) else each for name, each in values.items()
    }


def flat(kind: str, path: str, values: Any) -> Lines:
    """Nested plain values as lines: an estimate, a row of a table or a text is one."""
    if isinstance(values, Mapping):
        nested = {name for name, each in values.items() if isinstance(each, Mapping | list) and each}
        whole = {*values} >= ESTIMATE or "difference" in values or "p" in values
        own = {name: each for name, each in values.items() if name not in nested and name not in SKIPPED}
        if own and whole:
            yield kind, path, own
        for name, each in values.items():
            if name in SKIPPED or (whole and name not in nested):
                continue
            yield from flat(kind, f"{path}.{name}".strip("."), each)
    elif isinstance(values, list) and any(isinstance(each, Mapping) for each in values):
        seen: Counter[str] = Counter()
        for each in values:
            known = " ".join(str(each[key]) for key in NAMED if key in each and each[key] is not None)
            seen[known] += 1
            place = known if seen[known] == 1 else f"{known}#{seen[known]}"
            yield from flat(kind, f"{path}[{place}]", each)
    else:
        yield kind, path, values


def text_of(one: DataSet) -> list[str]:
    """The lines of a data set in every design."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for design in DESIGNS:
            for kind, what, parts in lines_of(one, design):
                name = " ".join(f"{kind}\t{what}".split(" "))
                written = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=repr)
                found.append(f"{one.name} {one.kind}, {design}\t{name}\t{written}")
    return sorted(found)


def write(path: Path, jobs: int, only: str | None, every: int = 1) -> None:
    """Write the lines of all data sets, or of those whose kind is named, of so many one."""
    began = time.process_time()
    sets = [each for each in data_sets() if only is None or only in each.kind]
    chosen = [each for i, each in enumerate(sets) if i % every == 0]
    with path.open("w", encoding="utf-8") as file:
        pool = ProcessPoolExecutor(jobs) if jobs > 1 else contextlib.nullcontext()
        with pool as workers:
            made = workers.map(text_of, chosen) if workers is not None else map(text_of, chosen)
            many = 0
            for lines in made:
                many += len(lines)
                file.writelines(f"{line}\n" for line in lines)
    print(
        f"{many:,} lines of {len(chosen)} data sets in {path}; {time.process_time() - began:.0f} s of this process"
    )


# -- what changed -------------------------------------------------------------------------------------------------


@dataclass
class Group:
    """What changed in one kind of lines."""

    lines: int = 0
    changed: int = 0
    added: int = 0
    removed: int = 0
    largest: float = 0.0
    where: str = ""
    parts: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)


def read(path: Path) -> dict[str, str]:
    """The lines of a file by what they are of."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, parts = line.rpartition("\t")
        found[key] = parts
    return found


def compare(
    first: Path, second: Path, tolerance: float = 0.0, examples: int = 3, *, brief: bool = False
) -> bool:
    """Print what changed from one file to another, by kind and measure; whether anything did."""
    here, there = read(first), read(second)
    groups: dict[str, Group] = defaultdict(Group)
    for key in sorted({*here, *there}):
        group = groups[kind_of(key)]
        group.lines += 1
        if key not in there:
            group.removed += 1
        elif key not in here:
            group.added += 1
        elif here[key] != there[key]:
            _differ(group, key, json.loads(here[key]), json.loads(there[key]), tolerance)
    touched = {name: each for name, each in groups.items() if each.changed + each.added + each.removed}
    changed = sum(each.changed for each in touched.values())
    print(f"{len(here):,} and {len(there):,} lines: {changed:,} changed", end=", ")
    print(f"{sum(each.added for each in touched.values()):,} added", end=", ")
    print(f"{sum(each.removed for each in touched.values()):,} removed")
    kinds = Counter({name.partition(":")[0]: 0 for name in touched})
    for name, each in touched.items():
        kinds[name.partition(":")[0]] += each.changed + each.added + each.removed
    print("; ".join(f"{name} {many:,}" for name, many in kinds.most_common()))
    if brief:
        return bool(touched)
    for name, group in sorted(touched.items(), key=lambda each: (-each[1].largest, each[0])):
        _tell(name, group, examples)
    return bool(touched)


def kind_of(key: str) -> str:
    """What lines of other data sets, designs, classes and groups have in common with this."""
    _, kind, what = key.split("\t")
    labels = "|".join((*NAMES, "north", "south", "west", "sick", "well", r"\d+"))
    return f"{kind}: {re.sub(rf'(?<![a-z])({labels})(?![a-z])', '…', what)}"


def _differ(group: Group, key: str, one: Any, other: Any, tolerance: float) -> None:
    changed = False
    mine, theirs = dict(leaves(one)), dict(leaves(other))
    for name in {*mine, *theirs}:
        a, b = mine.get(name), theirs.get(name)
        if a == b:
            continue
        if is_number(a) and is_number(b):
            apart = abs(a - b) / max(abs(a), abs(b), 1e-6)
            if apart <= tolerance:
                continue
            if apart > group.largest:
                group.largest, group.where = apart, f"{key}: {name} {a!r} → {b!r}"
        else:
            group.words[" → ".join(apart_at(a, b))] += 1
        group.parts[re.sub(r"\d+", "…", name)] += 1
        changed = True
    group.changed += changed


def _tell(name: str, group: Group, examples: int) -> None:
    counts = [f"{group.changed} of {group.lines} changed"] if group.changed else []
    counts += [f"{group.added} added"] if group.added else []
    counts += [f"{group.removed} removed"] if group.removed else []
    print(f"\n{name}: {', '.join(counts)}")
    if group.parts:
        print("   " + ", ".join(f"{part or 'value'} {many}" for part, many in group.parts.most_common(8)))
    if group.largest:
        place = group.where.replace("\t", " ")
        print(f"   largest relative difference {group.largest:.3g}: {place}")
    for words, many in group.words.most_common(examples):
        print(f"   {many} × {words}")


def leaves(parts: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Plain values by their paths; a number within a text is a part of its own beside the words."""
    if isinstance(parts, dict):
        for name, each in parts.items():
            yield from leaves(each, f"{path}.{name}".strip("."))
    elif isinstance(parts, list):
        for place, each in enumerate(parts):
            yield from leaves(each, f"{path}{place}")
    else:
        yield path, parts


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def apart_at(a: Any, b: Any) -> tuple[str, str]:
    """Two values for people; of texts without numbers, where they begin to differ, so that like changes are one."""
    if not (isinstance(a, str) and isinstance(b, str)):
        return repr(a)[:90], repr(b)[:90]
    mine, theirs = (re.sub(r"[-−]?\d[\d.,e−-]*", "#", each) for each in (a, b))
    if mine == theirs:
        return "other numbers in", f"{mine[:90]}"
    pairs = zip(mine, theirs, strict=False)
    same = next((place for place, (x, y) in enumerate(pairs) if x != y), min(len(mine), len(theirs)))
    start = max(same - 30, 0)
    return mine[start : start + 90], theirs[start : start + 90]


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.golden", description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, help="where to write the lines")
    parser.add_argument(
        "--compare", nargs=2, type=Path, metavar=("A", "B"), help="tell what changed from A to B"
    )
    parser.add_argument("--tolerance", type=float, default=0.0, help="relative differences to pass over (0)")
    parser.add_argument("--examples", type=int, default=3, help="examples of changed words of a kind (3)")
    parser.add_argument("--brief", action="store_true", help="tell only how many lines changed")
    parser.add_argument(
        "--only", metavar="KIND", help=f"only data sets of kinds with this in their name: {', '.join(KINDS)}"
    )
    parser.add_argument("--every", type=int, default=1, help="one data set of so many, in all its designs (1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    chosen = parser.parse_args(given)
    if chosen.compare:
        return int(compare(*chosen.compare, chosen.tolerance, chosen.examples, brief=chosen.brief))
    if chosen.file is None:
        parser.error("name the file to write, or --compare two of them")
    write(chosen.file, chosen.jobs, chosen.only, chosen.every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
