"""Saving and loading: a `.classay` file is a zip of one JSON and plain arrays. Loading executes nothing."""

from __future__ import annotations

import datetime
import io
import json
import os
import tempfile
import uuid
import zipfile
from collections.abc import Callable, Hashable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from classay.assessment.assessment import Assessment
from classay.assessment.block_values import NO_BLOCKS, BlockValues
from classay.errors import FileError
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ExactSum, ScoreTable
from classay.tables.blocks import BLOCKS, Blocks, BlockSums
from classay.tables.cases import TOP_LABELS, CaseSums
from classay.tables.classes import ClassRun, JointCases
from classay.tables.rows import CodedRows

FORMAT = 1
_KINDS = ("assessment", "evaluation")
_PLAIN = (
    "level",
    "seed",
    "rows",
    "dropped",
    "kind_of_weight",
    "threshold",
    "threshold_chosen",
    "interval",
    "improper",
)

_RARE: dict[str, Any] = {"weight_scale": 1.0, "renormalised": 0}
"""What is written only where it is not as usual."""


def save(a: Assessment, path: Path) -> None:
    """Write an assessment's tables to a file, replacing it in one step.

    Raises FileError when the file cannot be written, or a label is of a kind that has no plain form.
    """
    arrays: dict[str, Any] = {}
    about: dict[str, Any] = {"format": FORMAT, "what": "assessment"}
    about |= {name: getattr(a, name) for name in _PLAIN}
    about |= {name: getattr(a, name) for name, usual in _RARE.items() if getattr(a, name) != usual}
    about["labels"] = [label_out(label) for label in a.labels]
    about["positive"] = None if a.positive is None else label_out(a.positive)
    about["clusters"] = None if a.clusters is None else [label_out(label) for label in a.clusters]
    if a.confusion_matrix is not None:
        _put(arrays, "matrix", a.confusion_matrix, ("counts", "squares"))
    if a.scores is not None:
        about["score_labels"] = [label_out(label) for label in a.scores.labels]
        _put(arrays, "scores", a.scores, _SCORE_PARTS)
    if a.class_scores is not None:
        for i, run in enumerate(a.class_scores.runs):
            _put(arrays, f"class{i}", run, ("scores", "true", "weight", "squares"))
        if a.class_scores.cases is not None:
            _put(arrays, "joint", a.class_scores.cases, _JOINT_PARTS)
    if a.coded is not None:
        _put(arrays, "coded", a.coded, _CODED_PARTS)
    if a.blocks is not None:
        about |= _blocks_out(a, a.blocks, arrays)
    if a.cases is not None:
        about["cases"] = _cases_out(a.cases, arrays)
    write_bytes(path, _zipped(about, arrays))


_SCORE_PARTS = ("scores", "positives", "negatives", "positive_squares", "negative_squares")
_JOINT_PARTS = ("entry", "true", "weight")
_CODED_PARTS = ("cluster", "true", "predicted", "score", "weight")
_BLOCK_SUMS = ("log_loss", "brier")
_LARGE = ("blocks.of_scores.npy", "blocks.matrix.npy", "blocks.true.npy", "blocks.ranks.npy")
_SUMS = ("log_loss_squares", "brier_squares")
_SUMS_BY_CLASS = ("log_loss_by_class", "brier_by_class")
_CASE_COUNTS = ("cases", "tied", "improper")


def load(path: str | Path) -> Assessment:
    """Read an assessment that `Assessment.save` wrote. Raises FileError when the file is none."""
    path = Path(path)
    about, arrays = _read(path, "")
    try:
        return _assessment(about, arrays)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise _damaged(path, error) from error


def load_block_values(path: str | Path) -> BlockValues:
    """Read of a saved assessment only what it is compared by, which is small at any number of cases.

    Raises FileError when the file is none, or has no blocks of cases.
    """
    path = Path(path)
    about, arrays = _read(path, "blocks.")
    if "blocks.without" not in arrays:
        raise FileError(f"{path} {NO_BLOCKS}")
    try:
        return BlockValues(
            labels=tuple(label_in(each) for each in about["labels"]),
            positive=None if about["positive"] is None else label_in(about["positive"]),
            level=about["level"],
            cases=arrays["blocks.cases"],
            fingerprint=arrays["blocks.fingerprint"],
            whole=about["blocks"],
            without=dict(zip(about["blocks"], arrays["blocks.without"], strict=True)),
        )
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise _damaged(path, error) from error


def kind_of(path: str | Path) -> str | None:
    """What a saved file holds, "assessment" or "evaluation", or None where it is neither. Raises FileError."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {*archive.namelist()}
    except FileNotFoundError as error:
        raise FileError(f"there is no file {path}.") from error
    except zipfile.BadZipFile:
        return None
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}.") from error
    return next((kind for kind in _KINDS if f"{kind}.json" in names), None)


def _damaged(path: Path, error: Exception) -> FileError:
    return FileError(f"{path} is a damaged assessment: {error!r} is missing or wrong.")


def _read(path: Path, prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON of a saved assessment, and its arrays whose names start so."""
    if kind_of(path) == "evaluation":
        raise FileError(
            f"{path} is a saved evaluation of learners, where an assessment is wanted: `classay runs {path}` shows it."
        )
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read("assessment.json"))
            arrays = {
                name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
                for name in archive.namelist()
                if name.endswith(".npy") and name.startswith(prefix) and (not prefix or name not in _LARGE)
            }
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise FileError(
            f"{path} is no saved assessment ({error}): pass a file that `classay assess --save` or `save` wrote."
        ) from error
    if about.get("format") != FORMAT or about.get("what") != "assessment":
        raise FileError(
            f"{path} is of format {about.get('format')!r}; this version of classay reads {FORMAT}."
        )
    return about, arrays


def _assessment(about: dict[str, Any], arrays: dict[str, Any]) -> Assessment:
    labels = tuple(label_in(each) for each in about["labels"])
    matrix = scores = class_scores = cases = None
    if "matrix.counts" in arrays:
        matrix = ConfusionMatrix(arrays["matrix.counts"], labels, arrays.get("matrix.squares"))
    if "scores.scores" in arrays:
        negative, positive = (label_in(each) for each in about["score_labels"])
        scores = _scores(arrays, "scores", (negative, positive))
    if "class0.scores" in arrays:
        parts = ("scores", "true", "weight", "squares")
        runs = tuple(
            ClassRun(*(arrays.get(f"class{i}.{part}") for part in parts))  # type: ignore[arg-type]
            for i in range(len(labels))
        )
        joint = None
        if "joint.entry" in arrays:
            joint = JointCases(**{part: arrays.get(f"joint.{part}") for part in _JOINT_PARTS})  # type: ignore[arg-type]
        class_scores = ClassScoreTable(labels, runs, joint)
    if "cases" in about:
        kept = about["cases"]
        sums = _sums_in(kept["sums"], "cases.sums", arrays)
        if sums is None:
            raise KeyError("cases.sums")
        cases = CaseTable(
            labels=labels,
            sums=sums,
            squares=_sums_in(kept["squares"], "cases.squares", arrays),
            top=_scores(arrays, "top", TOP_LABELS),
            **{name: kept[name] for name in _CASE_COUNTS},
        )
    coded = None
    if about["clusters"] is not None:
        clusters = tuple(label_in(each) for each in about["clusters"])
        coded = CodedRows(clusters, labels, **{part: arrays.get(f"coded.{part}") for part in _CODED_PARTS})  # type: ignore[arg-type]
    return Assessment(
        labels,
        None if about["positive"] is None else label_in(about["positive"]),
        matrix,
        scores,
        class_scores,
        cases,
        coded=coded,
        blocks=_blocks_in(about, arrays, matrix),
        **{name: about[name] for name in _PLAIN},
        **{name: about.get(name, usual) for name, usual in _RARE.items()},
    )


def _scores(arrays: dict[str, Any], name: str, labels: tuple[Hashable, Hashable]) -> ScoreTable:
    return ScoreTable(labels=labels, **{part: arrays.get(f"{name}.{part}") for part in _SCORE_PARTS})  # type: ignore[arg-type]


def _blocks_out(a: Assessment, blocks: Blocks, arrays: dict[str, Any]) -> dict[str, Any]:
    """The plain values of the blocks of cases; their arrays are put among the others."""
    values = BlockValues.of(a)
    arrays["blocks.without"] = np.array([*values.without.values()]).reshape(-1, BLOCKS)
    arrays["blocks.cases"] = values.cases
    _put(arrays, "blocks", blocks, ("fingerprint", "of_scores"))
    if blocks.matrix is not None:
        arrays["blocks.matrix"] = blocks.matrix.counts
    about: dict[str, Any] = {"blocks": values.whole}
    if blocks.sums is not None:
        _put(arrays, "blocks", blocks.sums, ("true", "ranks"))
        about |= {f"blocks.{name}": [*map(_exact_out, getattr(blocks.sums, name))] for name in _BLOCK_SUMS}
    return about


def _blocks_in(
    about: dict[str, Any], arrays: dict[str, Any], matrix: ConfusionMatrix | None
) -> Blocks | None:
    if "blocks.fingerprint" not in arrays:
        return None
    counts, sums = arrays.get("blocks.matrix"), None
    of_labels = None if counts is None or matrix is None else ConfusionMatrix(counts, matrix.labels)
    if "blocks.true" in arrays:
        losses = (tuple(map(_exact_in, about[f"blocks.{name}"])) for name in _BLOCK_SUMS)
        sums = BlockSums(arrays["blocks.true"], arrays["blocks.ranks"], *losses)
    return Blocks(arrays["blocks.fingerprint"], of_labels, arrays.get("blocks.of_scores"), sums)


def _cases_out(cases: CaseTable, arrays: dict[str, Any]) -> dict[str, Any]:
    """The plain values of a table of cases; its arrays are put among the others."""
    _put(arrays, "top", cases.top, _SCORE_PARTS)
    about: dict[str, Any] = {name: getattr(cases, name) for name in _CASE_COUNTS}
    return about | {
        name: _sums_out(getattr(cases, name), f"cases.{name}", arrays) for name in ("sums", "squares")
    }


def _sums_out(sums: CaseSums | None, name: str, arrays: dict[str, Any]) -> dict[str, Any] | None:
    """The plain values of sums over cases; their arrays are put among the others, under the name."""
    if sums is None:
        return None
    _put(arrays, name, sums, ("true", "ranks"))
    about: dict[str, Any] = {each: _exact_out(getattr(sums, each)) for each in _SUMS}
    return about | {each: [_exact_out(total) for total in getattr(sums, each)] for each in _SUMS_BY_CLASS}


def _exact_out(total: ExactSum) -> list[Any]:
    return [hex(total.units), total.infinite]


def _exact_in(plain: list[Any]) -> ExactSum:
    return ExactSum(int(plain[0], 16), plain[1])


def _sums_in(about: dict[str, Any] | None, name: str, arrays: dict[str, Any]) -> CaseSums | None:
    if about is None:
        return None
    sums: dict[str, Any] = {each: _exact_in(about[each]) for each in _SUMS}
    sums |= {each: tuple(map(_exact_in, about[each])) for each in _SUMS_BY_CLASS}
    return CaseSums(arrays[f"{name}.true"], arrays[f"{name}.ranks"], **sums)


def _put(arrays: dict[str, Any], name: str, table: Any, parts: tuple[str, ...]) -> None:
    arrays |= {f"{name}.{part}": getattr(table, part) for part in parts if getattr(table, part) is not None}


def _zipped(about: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        # A fixed date, so that equal assessments are equal files.
        for name, content in [("assessment.json", json.dumps(about, indent=1).encode())] + [
            (f"{name}.npy", _array_bytes(array)) for name, array in arrays.items()
        ]:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=1)
    return buffer.getvalue()


def _array_bytes(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


_READERS: dict[str, Callable[[Any], Hashable]] = {
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": lambda parts: datetime.timedelta(*parts),
    "datetime64": lambda parts: np.datetime64(*parts),
    "Decimal": Decimal,
    "UUID": uuid.UUID,
    "bytes": bytes.fromhex,
    "tuple": lambda parts: tuple(label_in(part) for part in parts),
}


_WRITERS: dict[type, Callable[[Any], Any]] = {
    datetime.date: datetime.date.isoformat,
    datetime.datetime: datetime.datetime.isoformat,
    datetime.time: datetime.time.isoformat,
    datetime.timedelta: lambda label: [label.days, label.seconds, label.microseconds],
    np.datetime64: lambda label: [int(label.view(np.int64)), np.datetime_data(label)[0]],
    Decimal: str,
    uuid.UUID: str,
    bytes: bytes.hex,
    tuple: lambda label: [label_out(part) for part in label],
}
"""How labels of these very types are written, under the type's name, by which `_READERS` reads them."""


def label_out(label: Hashable) -> Any:
    """A label as JSON that `label_in` reads again. Raises FileError for a kind that has no plain form."""
    if label is None or type(label) in (bool, int, float, str):
        return label
    if type(label) in _WRITERS:
        return {type(label).__name__: _WRITERS[type(label)](label)}
    raise FileError(
        f"the label {label!r} is a {type(label).__name__}, which has no plain form to save: use text or numbers as "
        "labels."
    )


def label_in(saved: Any) -> Hashable:
    """The label that `label_out` wrote."""
    if isinstance(saved, dict):
        ((kind, value),) = saved.items()
        return _READERS[kind](value)
    found: Hashable = saved
    return found


def write_text(path: Path, text: str) -> None:
    """Write a text file in one step: what was there before stays until all is written."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))  # half a surrogate pair has no UTF-8


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step: what was there before stays until all is written. Raises FileError."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            if path.exists():
                os.chmod(temporary, path.stat().st_mode)
            else:
                umask = os.umask(0)
                os.umask(umask)
                os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}.") from error
