"""Saving evaluations: a zip of JSON and plain arrays. Loading executes nothing and fits nothing."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from classay.assessment.saving import kind_of, label_in, label_out, write_bytes
from classay.errors import FileError, InputError
from classay.resampling.data import Cases
from classay.resampling.evaluation import Evaluation, Run
from classay.resampling.fold import FoldResult
from classay.resampling.leaks import Leak
from classay.resampling.naming import BASELINE, protocol_of
from classay.resampling.protocols import Protocol
from classay.resampling.splits import Place
from classay.resampling.splitters import KINDS, Described, FromSplitter, FromTimeSplitter
from classay.resampling.store import Store

FORMAT = 1
_ABOUT = "evaluation.json"
_ARRAYS = ("truth", "weight", "cluster")


def save(e: Evaluation, path: Path) -> None:
    """Write an evaluation with all its predictions, replacing the file in one step. Raises FileError."""
    write_bytes(path, to_bytes(e))


def load(path: Path) -> Evaluation:
    """Read what `save` wrote. Raises FileError when the file is none of these."""
    if kind_of(path) == "assessment":
        raise FileError(
            f"{path} is a saved assessment, where an evaluation is wanted: `classay.load` reads both."
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from error
    return from_bytes(content, str(path))


def kept_form(e: Evaluation, run: str) -> tuple[str, bytes]:
    """Key and value of what a store keeps of a run beside the results of its fits, so that it can be reopened."""
    models = {model for each in e.runs for model in each.results} - {BASELINE}
    runs = tuple(
        replace(each, results=each.results | {model: (None,) * len(each.places) for model in models})
        for each in e.runs
    )
    return _key(run), to_bytes(replace(e, runs=runs))


def reopen(store: Store, run: str) -> Evaluation:
    """The evaluation of a finished run, from its results in the store.

    Raises FileError when the run has not finished, or a result is damaged.
    """
    known = store.run(run)
    content = store.get(_key(known.id))
    if not known.is_finished or content is None:
        raise FileError(
            f"run {known.id[:8]} is not finished ({known.done:,} of {known.planned:,} fits): evaluate the same again "
            "with this store, and it goes on from there."
        )
    results = (FoldResult.from_bytes(result) if result else None for _, result in store.results(known.id))
    return _filled(from_bytes(content, str(store.path)), results)


def _key(run: str) -> str:
    return f"evaluation {run}"


def _filled(e: Evaluation, results: Iterable[FoldResult | None]) -> Evaluation:
    """The evaluation with the results of its fits, in the order of the store: data set, split, model."""
    coming, runs = iter(results), []
    for run in e.runs:
        models = [model for model in run.results if model != BASELINE]
        rows = [[next(coming) for _ in models] for _ in run.places]
        found = {model: tuple(row[k] for row in rows) for k, model in enumerate(models)}
        if any(each is None for row in rows for each in row):
            raise FileError(
                "a result of this run is damaged: evaluate the same again, and it is computed anew."
            )
        runs.append(
            replace(run, results={model: found.get(model, run.results[model]) for model in run.results})
        )
    return replace(e, runs=tuple(runs))


def to_bytes(e: Evaluation) -> bytes:
    """An evaluation as a zip; equal evaluations are equal bytes."""
    about: dict[str, Any] = {"format": FORMAT, "what": "evaluation"}
    about |= {"protocol": e.protocol.name, "measures": e.measures, "level": e.level, "seed": e.seed}
    if isinstance(e.protocol, FromSplitter):
        about["splitter"] = e.protocol.kind
    about["remarks"] = e.remarks
    about["runs"] = [_about_run(run) for run in e.runs]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        _write(archive, _ABOUT, json.dumps(about, indent=1).encode())
        for i, run in enumerate(e.runs):
            arrays = {name: getattr(run.cases, name) for name in _ARRAYS}
            arrays["test"] = np.concatenate([place.test for place in run.places])
            for name, array in arrays.items():
                if array is not None:
                    part = io.BytesIO()
                    np.save(part, np.ascontiguousarray(array), allow_pickle=False)
                    _write(archive, f"{i}/{name}.npy", part.getvalue())
            for k, results in enumerate(run.results.values()):
                for place, result in zip(run.places, results, strict=True):
                    if result is not None:
                        _write(archive, f"{i}/{k}/{place.number}", result.to_bytes())
    return buffer.getvalue()


def _about_run(run: Run) -> dict[str, Any]:
    cases = run.cases
    return {
        "name": cases.name,
        "labels": [label_out(label) for label in cases.labels],
        "positive": None if cases.positive is None else label_out(cases.positive),
        "clusters": None if cases.clusters is None else [label_out(each) for each in cases.clusters],
        "models": list(run.results),
        "places": [
            [each.number, each.kind, each.repeat, each.fold, each.n_test, each.n_train] for each in run.places
        ],
        "leaks": [asdict(leak) | {"example": _plain(leak.example)} for leak in run.leaks],
    }


def _plain(example: Any) -> Any:
    """The example of a leak, whose pairs are of row numbers; what has no plain form goes by how it prints."""
    try:
        return label_out(example)
    except FileError:
        return str(example)


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(
        name, (1980, 1, 1, 0, 0, 0)
    )  # a fixed date, so that equal evaluations are equal files
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content, compresslevel=1)


def from_bytes(content: bytes, name: str) -> Evaluation:
    """Read what `to_bytes` wrote; `name` is for the errors. Raises FileError."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about = json.loads(archive.read(_ABOUT))
            if about["format"] != FORMAT or about["what"] != "evaluation":
                raise FileError(
                    f"{name} is of format {about['format']!r}; this version of classay reads {FORMAT}."
                )
            runs = tuple(_run(archive, i, each) for i, each in enumerate(about["runs"]))
        return Evaluation(
            _protocol(about, runs),
            tuple(about["measures"]),
            runs,
            about["level"],
            about["seed"],
            tuple((str(code), str(text)) for code, text in about.get("remarks", ())),
        )
    except FileError:
        raise
    except (KeyError, TypeError, IndexError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise FileError(
            f"{name} is no saved evaluation ({error}): pass a file that `classay evaluate --save` or `save` wrote."
        ) from error


def _run(archive: zipfile.ZipFile, i: int, about: dict[str, Any]) -> Run:
    names = {*archive.namelist()}
    arrays = {
        name: np.load(io.BytesIO(archive.read(f"{i}/{name}.npy")), allow_pickle=False)
        for name in (*_ARRAYS, "test")
        if f"{i}/{name}.npy" in names
    }
    clusters = about["clusters"]
    cases = Cases(
        about["name"],
        arrays["truth"],
        tuple(label_in(label) for label in about["labels"]),
        None if about["positive"] is None else label_in(about["positive"]),
        arrays.get("weight"),
        arrays.get("cluster"),
        None if clusters is None else tuple(label_in(each) for each in clusters),
    )
    ends = np.cumsum([n_test for *_, n_test, _ in about["places"]])
    tests = np.split(arrays["test"], ends[:-1])
    places = tuple(
        Place(number, kind, repeat, fold, test, n_train)
        for (number, kind, repeat, fold, _, n_train), test in zip(about["places"], tests, strict=True)
    )
    results = {
        model: tuple(
            FoldResult.from_bytes(archive.read(entry))
            if (entry := f"{i}/{k}/{place.number}") in names
            else None
            for place in places
        )
        for k, model in enumerate(about["models"])
    }
    leaks = tuple(Leak(**each | {"example": label_in(each["example"])}) for each in about["leaks"])
    return Run(cases, places, results, leaks)


def _protocol(about: dict[str, Any], runs: tuple[Run, ...]) -> Protocol:
    """The protocol of a saved evaluation. A splitter of scikit-learn is known by its kind and how it printed.

    What an evaluation refused, it must not give when it is loaded: a splitter of no known kind is one in time, which
    has no intervals.
    """
    if "splitter" not in about:
        try:
            return protocol_of(about["protocol"])
        except InputError:
            return FromTimeSplitter(Described(about["protocol"], 2))
    tests = sum(place.kind == "test" for place in runs[0].places)
    return KINDS[about["splitter"]](Described(about["protocol"], tests))
