"""Registry of the logs: how each is recognized by its keys, and which versions were tried."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from classay.errors import FileError
from classay.grades.records import Run

HEAD = 1 << 16
"""Bytes of a file that are read to recognize it."""


@dataclass(frozen=True)
class Head:
    """The begin of a file, by which it is recognized."""

    path: str
    first: bytes

    @property
    def text(self) -> str:
        """The begin as text."""
        return self.first.decode("utf-8-sig", "replace").lstrip()

    def has(self, *keys: str) -> bool:
        """Check whether the begin of a JSON text has all of some keys."""
        text = self.text
        return text.startswith("{") and all(re.search(rf'"{key}"\s*:', text) for key in keys)

    @property
    def is_archive(self) -> bool:
        """Whether it begins as a ZIP archive."""
        return self.first.startswith(b"PK\x03\x04")

    @cached_property
    def members(self) -> set[str]:
        """The names in a ZIP archive; none of any other file."""
        if self.is_archive:
            with suppress(zipfile.BadZipFile, OSError), zipfile.ZipFile(self.path) as archive:
                return {*archive.namelist()}
        return set()

    @property
    def first_row(self) -> set[str]:
        """The keys of the first line of JSON lines, or the first row of CSV; none of any other file."""
        line = self.text.partition("\n")[0]
        if line.startswith("{"):
            with suppress(ValueError, AttributeError):
                return {*json.loads(line)}
            return {*re.findall(r'[{,]\s*"([^"\\]{1,80})"\s*:', line)}
        return {cell.strip('"\r ') for cell in line.split(",")}


@dataclass(frozen=True)
class LogFormat:
    """A log of a tool: `read` gives its runs; `tried` is the version whose logs the tests have."""

    tool: str
    what: str
    recognizes: Callable[[Head], bool]
    reader: str
    tried: str
    recognized_by: str
    is_refused: bool = False
    """Whether `read` only says what to use in its place; such files of folders are skipped."""


_START = b"_journal/start.json"
"""The member that Inspect writes first, and `header.json` last."""
INSPECT_ARCHIVE = LogFormat(
    "Inspect",
    "`.eval` of inspect_ai",
    lambda head: _START in head.first[:64] or bool({"header.json", _START.decode()} & head.members),
    "classay.grades.inspect_logs:read_archive",
    "0.3.285",
    "a ZIP archive with `header.json` or `_journal/start.json`",
)
INSPECT_JSON = LogFormat(
    "Inspect",
    "`.json` of inspect_ai",
    lambda head: head.has("status", "eval", "eval_id"),
    "classay.grades.inspect_logs:read_json",
    "0.3.285",
    "`status` and `eval` with an `eval_id`",
)
HARNESS = LogFormat(
    "lm-eval",
    "`samples_*.jsonl` of lm-evaluation-harness, and the results file of the same date",
    lambda head: {"doc_id", "doc", "filtered_resps"} <= head.first_row,
    "classay.grades.harness_logs:read",
    "0.4.13",
    "lines with `doc_id`, `doc` and `filtered_resps`",
)
HARNESS_RESULTS = LogFormat(
    "lm-eval",
    "`results_*.json` of lm-evaluation-harness without samples (refused: it has means of tasks only)",
    lambda head: head.has("results", "sample_len"),
    "classay.grades.harness_logs:refuse_results",
    "0.4.13",
    "`results` with a `sample_len`",
    is_refused=True,
)
PROMPTFOO = LogFormat(
    "promptfoo",
    "`.json` of promptfoo",
    lambda head: head.has("evalId", "results"),
    "classay.grades.promptfoo_logs:read_json",
    "0.123.1",
    "`evalId` and `results`",
)
PROMPTFOO_LINES = LogFormat(
    "promptfoo",
    "`.jsonl` of promptfoo",
    lambda head: {"promptIdx", "testIdx", "success"} <= head.first_row,
    "classay.grades.promptfoo_logs:read_lines",
    "0.123.1",
    "lines with `promptIdx`, `testIdx` and `success`",
)
PROMPTFOO_TABLE = LogFormat(
    "promptfoo",
    "`.csv` of promptfoo (refused: scores have two decimals)",
    lambda head: {"Status", "Score", "Named Scores"} <= head.first_row,
    "classay.grades.promptfoo_logs:refuse_table",
    "0.123.1",
    "columns `Status`, `Score` and `Named Scores`",
    is_refused=True,
)
DEEPEVAL = LogFormat(
    "deepeval",
    "`test_run_*.json` of deepeval",
    lambda head: head.has("testCases") and '"metricsData"' in head.text,
    "classay.grades.deepeval_logs:read",
    "4.3.1",
    "`testCases` with `metricsData`",
)
MLFLOW = LogFormat(
    "MLflow",
    "the result table of `mlflow.genai.evaluate` as CSV or JSON lines",
    lambda head: (
        {"trace_id", "request"} <= head.first_row and any(key.endswith("/value") for key in head.first_row)
    ),
    "classay.grades.mlflow_tables:read",
    "3.17.2",
    "columns `trace_id`, `request`, and some that end in `/value`",
)
FORMATS = (
    INSPECT_ARCHIVE,
    INSPECT_JSON,
    HARNESS,
    HARNESS_RESULTS,
    PROMPTFOO,
    PROMPTFOO_LINES,
    PROMPTFOO_TABLE,
    DEEPEVAL,
    MLFLOW,
)


def incomplete(path: str) -> FileError:
    """Return the error for an archive that was cut."""
    return FileError(
        f"{os.path.basename(path)} is not a complete archive. It was cut or damaged, or is still written. Copy it "
        "again."
    )


def head_of(path: str) -> Head:
    """Return the begin of a file."""
    with open(path, "rb") as file:
        return Head(path, file.read(HEAD))


def recognized(path: str) -> LogFormat | None:
    """Return the format of a log, None for any other file. Raises FileError for an archive that was cut."""
    head = head_of(path)
    known = next((known for known in FORMATS if known.recognizes(head)), None)
    if known is None and head.is_archive and not head.members:
        raise incomplete(path)
    return known


Reader = Callable[[str], Iterator[Run]]
