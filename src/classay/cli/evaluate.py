"""`classay evaluate`: read a file of cases, evaluate models on it, write what was asked for; and `classay runs`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from classay.cli.failures import one_line
from classay.cli.listing import columns_of, show_columns
from classay.cli.options import names_in
from classay.cli.outputs import Outputs, put, say_written, waiting, writable
from classay.columns.numbers import counted
from classay.errors import InputError, nearest
from classay.report.words import clean

if TYPE_CHECKING:
    from classay.report.progress import Progress
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.store.run_store import StoredRun
    from classay.sources.training import TrainingData

SAVED = ".classay"
GAPS = "missing_features"
"""The code of the remark on missing values of features; standard error says it, so the terminal need not again."""


@dataclass(frozen=True)
class Cases:
    """Where the cases are and what their columns mean, as texts from the command line."""

    file: str
    target: str
    cluster: str | None
    id: str | None
    drop: str | None
    missing: str
    format: str | None
    delimiter: str | None

    def read(self) -> TrainingData:
        """The columns of the file, by what they are for."""
        from classay.sources.training import read_training

        return read_training(
            self.file,
            self.target,
            cluster=self.cluster,
            id=self.id,
            drop=names_in(self.drop, "--drop"),
            missing=self.missing,
            format=cast(Any, self.format),
            delimiter=self.delimiter,
        )


@dataclass(frozen=True)
class Plan:
    """What to do with the cases, as on the command line."""

    models: str
    tune: bool
    protocol: str
    positive: str | None
    measures: list[str] | None
    store: str | None
    jobs: int
    seed: int
    level: float

    def carry_out(self, data: TrainingData) -> Evaluation:
        """Evaluate the models on the data, with progress on standard error."""
        from classay.columns import code_labels
        from classay.report.progress import Progress
        from classay.resampling.evaluating import evaluate
        from classay.resampling.fit.models import models_named, search_named

        X = data.frame()
        labels = code_labels(data.target, "the target").labels
        names = names_in(self.models, "--models")
        if not names:
            raise InputError(
                f"--models is {self.models!r}: name models, separated by commas: logistic,forest."
            )
        models = (
            search_named(names, X, classes=len(labels), cluster=data.cluster, seed=self.seed)
            if self.tune
            else models_named(names, X)
        )
        with Progress() as progress, self._saying_what_is_kept(progress):
            return evaluate(
                models,
                X,
                data.target,
                protocol=self.protocol,
                measures=self.measures,
                positive=None if self.positive is None else _typed(self.positive, labels),
                cluster=data.cluster,
                level=self.level,
                seed=self.seed,
                n_jobs=self.jobs,
                store=self.store,
                progress=progress,
                remarks=[*_left_out(data), *_gaps(data)],
            )

    @contextmanager
    def _saying_what_is_kept(self, progress: Progress) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt:
            if self.store is not None and progress.step is not None:
                done, total = progress.step.done, progress.step.total
                print(
                    f"\n{done:,} of {total:,} fits are kept in {self.store}: the same command goes on from there.",
                    file=sys.stderr,
                )
            raise


def _typed(positive: str, labels: tuple[Hashable, ...]) -> Hashable:
    """The label that was written on the command line."""
    from classay.columns import match_label
    from classay.columns.values import listing

    if len(labels) > 2:
        raise InputError(
            f"--positive names one of two classes, and there are {len(labels)} ({listing(labels)}): leave it out, or "
            "make a column of two classes to learn one against the rest."
        )
    try:
        return match_label(positive, labels)
    except InputError as error:
        hint = nearest(positive, [str(label) for label in labels]) or "."
        raise InputError(
            f"no case has the label --positive {positive!r}: the labels are {listing(labels)}{hint}"
        ) from error


def run(cases: Cases, plan: Plan, outputs: Outputs, times: str | None = None) -> None:
    """Evaluate and write every output asked for."""
    _refuse_unwritable(outputs, times, cases.file, plan.store)
    with waiting(f"reading {cases.file}"):
        data = cases.read()
    with _one_line_warnings():
        e = plan.carry_out(data)
    write(e, outputs, times)


def _refuse_unwritable(outputs: Outputs, times: str | None, *sources: str | None) -> None:
    paths = {"--save": outputs.save, "--html": outputs.html, "--json": outputs.json, "--times": times}
    writable(paths, *sources)


def _left_out(data: TrainingData) -> Iterator[tuple[str, str]]:
    if data.dropped:
        are = "is" if data.dropped == 1 else "are"
        yield "dropped_rows", f"{counted(data.dropped)} without a target {are} left out"


def _gaps(data: TrainingData) -> Iterator[tuple[str, str]]:
    """What is missing among the features: who reads the estimates must know that it was filled in."""
    gaps = sorted(data.gaps.items(), key=lambda gap: -gap[1])
    if gaps:
        named = ", ".join(f"{name} {missing:,}" for name, missing in gaps[:5])
        more = f" and {len(gaps) - 5:,} columns more" if len(gaps) > 5 else ""
        yield (
            GAPS,
            f"features lack values ({named}{more}), which each model's own pipeline deals with inside the folds",
        )


def write(e: Evaluation, outputs: Outputs, times: str | None = None) -> None:
    """Write an evaluation to the terminal and wherever it was asked for; `times` is a file for those of the fits."""
    from classay.files.writing import write_text
    from classay.report.contract.evaluation import times_of
    from classay.report.contract.writer import json_text
    from classay.report.documents.evaluation import with_pictures

    for code, text in e.remarks:
        if code == GAPS:
            print(clean(f"note: {text}"), file=sys.stderr)
    written = []
    with waiting("estimating"):
        made = e.document()
        text = json_text(e.to_dict())
    if outputs.save is not None:
        e.save(outputs.save)
        written.append(outputs.save)
    if outputs.html is not None:
        from classay.report.html import as_page

        write_text(Path(outputs.html), as_page(with_pictures(made, e)))
        written.append(outputs.html)
    written += put(outputs.json, text)
    written += put(times, lambda: json_text(times_of(e)))
    if outputs.json != "-":
        from rich.console import Console

        from classay.report.text import print_document

        print_document(made.without_warnings(GAPS), Console(highlight=False))
    say_written(written)


def list_targets(file: str, format: str | None, delimiter: str | None, others: Sequence[str]) -> None:
    """Show the columns of a file, to choose the target from; refuse if anything else was asked for already."""
    if others:
        raise InputError(
            f"name the column of labels to learn with --target, which {others[0]} needs. "
            f"{columns_of(file, format, delimiter)}"
        )
    show_columns(file, format, delimiter)
    print("\nName the column of labels to learn with --target:")
    print(clean(f"  classay evaluate {file} --target COL --models logistic,forest"))


def show_runs(file: str, id: str | None, outputs: Outputs, times: str | None = None) -> None:
    """List the runs of a store; or write one of them, or a saved evaluation, again, without fitting anything."""
    _refuse_unwritable(outputs, times, file)
    if file.endswith(SAVED):
        if id is not None:
            raise InputError(f"{file} holds one evaluation, and {id!r} names another: leave it out.")
        from classay.resampling.evaluation import Evaluation

        e = Evaluation.load(file)
    elif id is not None:
        e = _reopened(file, id)
    elif given := [
        path for path in (outputs.measures, outputs.json, outputs.save, outputs.html, times) if path
    ]:
        raise InputError(
            f"which run is {given[0]} for? Name one of those that `classay runs {file}` lists: "
            f"`classay runs {file} RUN`."
        )
    else:
        _list_runs(file)
        return
    names = outputs.names()
    write(e if names is None else e.showing(names), outputs, times)


def _reopened(file: str, id: str) -> Evaluation:
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.store.run_store import Store

    with Store.existing(file) as store:
        return Evaluation.reopen(store, id)


def _list_runs(file: str) -> None:
    """Print the runs of a store: what was run, and how far it came."""
    from classay.resampling.store.run_store import Store

    with Store.existing(file) as store:
        runs = store.runs()
    if not runs:
        print(f"{file} holds no runs yet.")
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("run", "started", "models", "protocol", "cases", "seed", "fits"):
        table.add_column(
            column, header_style="dim", justify="right" if column in ("cases", "fits") else "left"
        )
    for run in runs:
        table.add_row(*map(Text, map(clean, _row(run))))
    Console(highlight=False).print(table)
    print(
        f"\n`classay runs {file} RUN` shows one again; an unfinished one goes on when it is evaluated again."
    )


def _row(run: StoredRun) -> tuple[str, ...]:
    about = run.about
    rows = [data["rows"] for data in about.get("data", {}).values()]
    return (
        run.id[:8],
        run.started[:16].replace("T", " "),
        ", ".join(about.get("estimators", ())),
        str(about.get("protocol", "")),
        f"{sum(rows):,}" + (f" in {len(rows)} sets" if len(rows) > 1 else ""),
        str(about.get("seed", "")),
        f"{run.done:,}" if run.is_finished else f"{run.done:,} of {run.planned:,}",
    )


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Warnings as one line on standard error, without the line of code that Python adds."""

    def show(message: Any, *_: Any, **__: Any) -> None:
        print(one_line(f"classay: {message}"), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
