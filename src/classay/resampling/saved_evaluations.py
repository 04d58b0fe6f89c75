"""Saving evaluations: a zip of JSON and plain arrays. Loading executes nothing and fits nothing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from classay.assessment.restoring import kind_of, labels_in, labels_of, positive_of
from classay.assessment.saving import labels_out
from classay.columns.numbers import weight_arrays, weight_scale
from classay.comparison.comparison import BASELINE
from classay.errors import FileError, InputError
from classay.files.archives import (
    Archive,
    Damaged,
    Fields,
    distinct,
    label_in,
    label_out,
    require_file,
    saved,
    sealed,
    shown,
)
from classay.files.writing import write_bytes
from classay.measures import get
from classay.resampling.bootstraps import LIKE, Described, FromSplitter, protocol_of
from classay.resampling.data import Cases, FoldResult, Kind, Place, checked
from classay.resampling.leaks import Leak
from classay.resampling.model_folds import DatasetRun
from classay.resampling.protocol import Protocol
from classay.resampling.run_store import Store, StoredRun

if TYPE_CHECKING:
    from classay.resampling.evaluation import Evaluation

FORMAT = 2
_ABOUT = "evaluation.json"
_DAMAGED_RESULT = "A result of this run is damaged. Evaluate again to compute it."
_ARRAYS = ("truth", "weight", "cluster")


def save(e: Evaluation, path: Path) -> None:
    """Write an evaluation with all its predictions, replacing the file in one step. Raises FileError."""
    write_bytes(path, to_bytes(e))


def load(path: Path, kind: type[Evaluation]) -> Evaluation:
    """Read what `save` wrote, as an object of its class. Raises FileError when the file is none of these."""
    if kind_of(path) == "assessment":
        raise FileError(
            f"{path} is a saved assessment, not an evaluation. Use `classay.load`, which reads both."
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"Cannot read {path}: {error.strerror or error}.") from error
    return from_bytes(content, str(path), kind)


def kept_form(e: Evaluation, run: str) -> tuple[str, bytes]:
    """Key and value of what a store keeps of a run beside the results of its fits, so that it can be reopened."""
    models = {model for data_run in e.runs for model in data_run.results} - {BASELINE}
    runs = tuple(
        replace(
            data_run, results=data_run.results | {model: (None,) * len(data_run.places) for model in models}
        )
        for data_run in e.runs
    )
    return _key(run), to_bytes(replace(e, runs=runs))


def reopen(store: Store, run: str, kind: type[Evaluation]) -> Evaluation:
    """Return the evaluation of a finished run, from its results in the store.

    Raises FileError when the run has not finished, or a result is damaged.
    """
    known = store.run(run)
    content = store.get(_key(known.id))
    if known.is_finished and content is None:
        raise FileError(
            f"Run {known.id[:8]} is not an evaluation ({known.about.get('protocol')}). Repeat the call with "
            "this store, which fits nothing again."
        )
    if content is None or not known.is_finished:
        raise FileError(
            f"Run {known.id[:8]} is not finished ({known.done:,} of {known.planned:,} fits). Evaluate again "
            "with this store to continue."
        )
    results = (FoldResult.from_bytes(result) if result else None for _, result in store.results(known.id))
    return _filled(from_bytes(content, str(store.path), kind), results)


def is_evaluation(store: Store, run: StoredRun) -> bool:
    """Check whether a finished run is an evaluation, and no decomposition."""
    return store.get(_key(run.id)) is not None


def _key(run: str) -> str:
    return f"evaluation {run}"


def _filled(e: Evaluation, results: Iterable[FoldResult | None]) -> Evaluation:
    """Return the evaluation with the results of its fits, in the order of the store: data set, split, model."""
    coming, runs = iter(results), []
    for run in e.runs:
        models = [model for model in run.results if model != BASELINE]
        rows = [[next(coming, None) for _ in models] for _ in run.places]
        by_model = {model: tuple(row[k] for row in rows) for k, model in enumerate(models)}
        if any(result is None for row in rows for result in row):
            raise FileError(_DAMAGED_RESULT)
        try:
            for place, row in zip(run.places, rows, strict=True):
                for result in row:
                    if result is not None:
                        checked(result, place.n_test, run.cases)
        except Damaged as error:
            raise FileError(_DAMAGED_RESULT) from error
        runs.append(
            replace(run, results={model: by_model.get(model, run.results[model]) for model in run.results})
        )
    return replace(e, runs=tuple(runs))


def to_bytes(e: Evaluation) -> bytes:
    """Return an evaluation as a zip; equal evaluations are equal bytes."""
    about: dict[str, Any] = {"format": FORMAT, "what": "evaluation"}
    about |= {"protocol": e.protocol.name, "measures": e.measures, "level": e.level, "seed": e.seed}
    if isinstance(e.protocol, FromSplitter):
        about["splitter"] = next(kind for kind, like in LIKE.items() if like == e.protocol.like)
    about["remarks"] = e.remarks
    about["runs"] = [_about_run(run) for run in e.runs]
    members: dict[str, Any] = {}
    for i, run in enumerate(e.runs):
        arrays = {name: getattr(run.cases, name) for name in _ARRAYS}
        arrays["test"] = np.concatenate([place.test for place in run.places])
        members |= {f"{i}/{name}.npy": array for name, array in arrays.items() if array is not None}
        for k, results in enumerate(run.results.values()):
            for place, result in zip(run.places, results, strict=True):
                if result is not None:
                    members[f"{i}/{k}/{place.number}"] = result.to_bytes()
    return sealed(_ABOUT, about, members)


def _about_run(run: DatasetRun) -> dict[str, Any]:
    cases = run.cases
    return {
        "name": cases.name,
        **labels_out(cases.labels),
        "positive": None if not cases.is_binary else label_out(cases.positive),
        "clusters": None if cases.clusters is None else [label_out(label) for label in cases.clusters],
        "models": list(run.results),
        "missing": [
            [place.number, model]
            for model, results in run.results.items()
            for place, result in zip(run.places, results, strict=True)
            if result is None
        ],
        "places": [
            [place.number, place.kind, place.repeat, place.fold, place.n_test, place.n_train]
            for place in run.places
        ],
        "leaks": [asdict(leak) | {"example": _plain(leak.example)} for leak in run.leaks],
    }


def _plain(example: Any) -> Any:
    """Return the example of a leak, whose pairs are of row numbers; what has no plain form goes by how it prints."""
    try:
        return label_out(example)
    except FileError:
        return str(example)


def from_bytes(content: bytes, name: str, kind: type[Evaluation]) -> Evaluation:
    """Read what `to_bytes` wrote; `name` is for the errors. Raises FileError."""
    with saved(content, "evaluation", FORMAT, name) as (about, archive):
        e = _evaluation(about, archive, kind)
        archive.done()
        return e


def _evaluation(about: Fields, archive: Archive, kind: type[Evaluation]) -> Evaluation:
    protocol, measures = about.text("protocol"), about.texts("measures")
    splitter = about.choice("splitter", tuple(LIKE)) if "splitter" in about else None
    remarks = about.list("remarks", _remark) if "remarks" in about else ()
    require_file(
        tuple(get(measure).name for measure in measures) == measures, f"measures are {shown(measures)}"
    )
    distinct(measures, "measures")
    level, seed = about.share("level"), about.whole("seed", most=inf)
    runs = about.values("runs")
    require_file(runs, "it holds no runs")
    about.done()
    restored = tuple(_run(archive, i, Fields(entry, f"run {i}")) for i, entry in enumerate(runs))
    require_file(len({tuple(run.results) for run in restored}) == 1, "the data sets have other models each")
    distinct((run.cases.name for run in restored), "the names of data sets")
    return kind(_protocol(protocol, splitter, restored), measures, restored, level, seed, remarks)


def _run(archive: Archive, i: int, about: Fields) -> DatasetRun:
    name, labels = about.text("name"), labels_in(about)
    clusters = about.maybe("clusters", lambda each: labels_of(about, each))
    truth = archive.array(f"{i}/truth.npy", "iu", (None,), least=0, below=len(labels))
    require_file(truth.size, f"run {i} has no cases")
    rows = (truth.size,)
    weight = _weight(archive.maybe_array(f"{i}/weight.npy", "f", rows, least=0), i)
    cluster = None
    if clusters is not None:
        cluster = archive.array(f"{i}/cluster.npy", "iu", rows, least=0, below=len(clusters))
    cases = Cases(name, truth, labels, positive_of(about, labels), weight, cluster, clusters)
    models = about.texts("models")
    require_file(models, f"run {i} has no models")
    distinct(models, f"the models of run {i}")
    places = _places(archive, i, about, cases)
    results = {model: _results(archive, f"{i}/{k}", places, cases) for k, model in enumerate(models)}
    _nothing_is_lost(about, places, results)
    leaks = about.list("leaks", _leak)
    about.done()
    return DatasetRun(cases, places, results, leaks)


def _weight(weight: np.ndarray | None, i: int) -> np.ndarray | None:
    """Sampling weights as they are checked and scaled before cases are counted."""
    if weight is not None:
        require_file(weight.any(), f"no case of run {i} weighs anything")
        weight_arrays(weight, None)
        require_file(
            weight_scale(weight) == 1, f"the weights of run {i} are too large or too small to be squared"
        )
    return weight


def _nothing_is_lost(
    about: Fields, places: tuple[Place, ...], results: dict[str, tuple[FoldResult | None, ...]]
) -> None:
    """Refuse a result that is not there and should be: one that was never made is named, by place and model."""
    missing = [
        [place.number, model]
        for model, row in results.items()
        for place, result in zip(places, row, strict=True)
        if result is None
    ]
    if "missing" in about:
        require_file(about.take("missing") == missing, "a result is missing")
        return
    # The first format does not say: there, models that were fitted at all were fitted at the same places.
    fitted = [row for row in results.values() if any(result is not None for result in row)]
    for row in zip(*fitted, strict=True):
        require_file(len({result is None for result in row}) == 1, "a result is missing")


def _places(archive: Archive, i: int, about: Fields, cases: Cases) -> tuple[Place, ...]:
    plain = about.list("places", _place)
    require_file(plain, f"run {i} has no folds")
    distinct((number for number, *_ in plain), f"the folds of run {i}")
    ends = np.cumsum([n_test for *_, n_test, _ in plain])
    test = archive.array(f"{i}/test.npy", "iu", (int(ends[-1]),), least=0, below=cases.rows)
    return tuple(
        Place(number, kind, repeat, fold, rows, n_train)
        for (number, kind, repeat, fold, _, n_train), rows in zip(
            plain, np.split(test, ends[:-1]), strict=True
        )
    )


def _place(plain: Any) -> tuple[int, Kind, int, int, int, int]:
    require_file(isinstance(plain, list) and len(plain) == 6, f"{shown(plain)} is no fold")
    number, kind, *counts = plain
    require_file(kind in get_args(Kind), f"{shown(kind)} is no kind of fold")
    require_file(
        all(type(count) is int and 0 <= count < 2**31 for count in (number, *counts))
        and counts[2]
        and counts[3],
        f"{shown(plain)} is no fold",
    )
    return number, kind, counts[0], counts[1], counts[2], counts[3]


def _results(
    archive: Archive, folder: str, places: tuple[Place, ...], cases: Cases
) -> tuple[FoldResult | None, ...]:
    return tuple(
        checked(FoldResult.from_bytes(archive.bytes(member)), place.n_test, cases)
        if (member := f"{folder}/{place.number}") in archive
        else None
        for place in places
    )


def _leak(plain: Any) -> Leak:
    about = Fields(plain, "a leak")
    leak = Leak(about.text("code"), about.text("text"), about.whole("count"), label_in(about.take("example")))
    about.done()
    return leak


def _remark(plain: Any) -> tuple[str, str]:
    require_file(
        isinstance(plain, list) and [type(text) for text in plain] == [str, str],
        f"{shown(plain)} is no remark",
    )
    return plain[0], plain[1]


def _protocol(name: str, splitter: str | None, runs: tuple[DatasetRun, ...]) -> Protocol:
    """Return the protocol of a saved evaluation. A splitter of scikit-learn is known by its kind and how it printed.

    What an evaluation refused, it must not give when it is loaded: a splitter of no known kind is one in time, which
    has no intervals.
    """
    if splitter is None:
        with suppress(InputError):
            return protocol_of(name)
    tests = sum(place.kind == "test" for place in runs[0].places)
    return FromSplitter(Described(name, tests), LIKE[splitter or "time"])
