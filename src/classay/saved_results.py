"""Saved results: load one of any kind; list those of a folder, or the runs of a store, in the order of time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classay.errors import ClassayError, FileError, InputError
from classay.files.archives import Archive, Damaged, require_file
from classay.files.writing import SAVED, saved_path
from classay.inference.estimate import Estimate
from classay.kinds import checked
from classay.shown import Reportable, frame_of
from classay.texts import hint, naturally
from classay.wings import brought, thing

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment


MOST = 4
"""Measures that are shown where none is named: those that most results have."""


@dataclass(frozen=True)
class SavedResult:
    """One saved assessment, or a model of a saved evaluation.

    `name` is the name of its file below the folder, without the ending, or the beginning of a run's id; `time` is when
    it was saved (UTC, ISO 8601). If it has no `estimates`, `what` says why. `page` is the path of the page beside the
    file, "" where there is none. Assessments that can be added have one `sum`, the name of the first of them; "" is
    that of a copy, of one of cases that another is of, and of what is no assessment of one label a case.
    """

    name: str
    time: str
    what: str
    cases: int | None = None
    model: str = ""
    estimates: dict[str, Estimate] | None = None
    page: str = ""
    sum: str = ""
    threshold: float | None = None

    @property
    def series(self) -> str:
        """The name of the series of results to which it belongs: its folder and its model."""
        folder = self.name.rpartition("/")[0]
        return ": ".join(filter(None, (folder, self.model)))


@dataclass(frozen=True)
class Overview(Reportable):
    """Saved results in the order of time.

    The newest result is last. `o.report("overview.html")` writes one page that links to pages next to the
    files, and `o.frame()` has one row for each result and measure. Results of one folder and model are a
    series, which is drawn over time.

    Attributes
    ----------
    source : str
        The folder or store.
    results : tuple of SavedResult
        The results, the newest last.
    measures : tuple of str
        Measures that most of the results have.
    """

    source: str
    results: tuple[SavedResult, ...]
    measures: tuple[str, ...]

    def series(self) -> dict[str, list[SavedResult]]:
        """Group the results that have estimates by their series."""
        found: dict[str, list[SavedResult]] = {}
        for each in filter(lambda result: result.estimates, self.results):
            found.setdefault(each.series, []).append(each)
        return found

    def course(self, measure: str, results: Sequence[SavedResult]) -> tuple[Estimate, ...]:
        """List the estimates of a measure in these results.

        Parameters
        ----------
        measure : str
            Name of the measure.
        results : sequence of SavedResult
            Results, the newest last.

        Returns
        -------
        tuple of Estimate
            The estimates of the results that have the measure.
        """
        found = ((each.estimates or {}).get(measure) for each in results)
        return tuple(each for each in found if each is not None and not each.is_undefined)

    def report(self, path: str | Path, standard: str | None = None) -> None:
        """Write the overview as one page, with links relative to it.

        Parameters
        ----------
        path : path
            File to write.
        standard : {"stard2015", "tripod+ai", "model-card"}, optional
            Reporting standard, as in `Reportable.report`.

        Raises
        ------
        FileError
            If the page cannot be written.
        """
        Reportable.report(self.seen_from(Path(path).parent), path, standard)

    def seen_from(self, folder: str | Path) -> Overview:
        """Return the same overview with page paths relative to a folder."""
        moved = (replace(each, page=_link(each.page, folder)) if each.page else each for each in self.results)
        return replace(self, results=tuple(moved))

    def frame(self) -> Any:
        """Return a PyArrow table with one row for each result and measure."""
        return frame_of(
            [
                {"name": each.name, "model": each.model, "time": each.time, "measure": name} | found.row
                for each in self.results
                for name, found in (each.estimates or {}).items()
            ]
        )

    def __repr__(self) -> str:
        return f"Overview({self.source}: {len(self.results)} results; print it, or write its page)"


@checked
def overview(path: str | Path, measures: Sequence[str] | None = None) -> Overview:
    """List all saved results of a folder and its subfolders, or all runs of a store.

    Results are in the order of time. The time of a file is that of its last change, and files of the same
    second follow the order of names. The time of a run is its start.

    Parameters
    ----------
    path : str or Path
        A folder or a store.
    measures : sequence of str, optional
        Measures to estimate for each result. The default is the four main ones that most results have.

    Returns
    -------
    Overview
        The results with their estimates. Nothing is fitted.

    Raises
    ------
    FileError
        If no result is saved there.

    Examples
    --------
    >>> import tempfile
    >>> import classay as ca
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ca.assess([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1]).save(folder + "/monday")
    ...     ca.assess([1, 1, 0, 0], [0.9, 0.8, 0.6, 0.1]).save(folder + "/tuesday")
    ...     o = ca.overview(folder, ["accuracy"])
    >>> [(each.name, each.estimates["accuracy"].value) for each in o.results]
    [('monday', 0.5), ('tuesday', 0.75)]
    """
    from classay.measures import get

    names = None if measures is None else tuple(get(each).name for each in measures)
    where = Path(path).expanduser()
    if where.is_dir():
        results = sorted(_of_folder(where, names), key=lambda each: (each.time, naturally(each.name)))
    else:
        # In the order of the store, which knows more than the second.
        store = brought("listed").get("store")
        results = [] if store is None else list(thing(store)(where, names))
    found = tuple(results)
    if not found:
        raise FileError(
            f"{path} contains no saved results ({SAVED}). Write results there with {hint('`save`', '`--save`')}."
        )
    estimates = (pair for each in found for pair in (each.estimates or {}).items())
    known = [name for name, estimate in estimates if not estimate.is_undefined]
    if names is not None and (unknown := [name for name in names if name not in known]):
        raise InputError(
            f"None of the results in {path} has measure {unknown[0]}. Choose a measure that they have."
        )
    return Overview(str(path), found, names or _most_common(known))


def _most_common(names: Sequence[str]) -> tuple[str, ...]:
    """Return the measures that most results have, in the order of the first that has them."""
    often = sorted(dict.fromkeys(names), key=lambda name: -names.count(name))[:MOST]
    return tuple(name for name in dict.fromkeys(names) if name in often)


COUNTED = "rows dropped improper unscored unanswered undeclared rounded renormalised blocks extra"
"""What a saved assessment says of its cases alone: others differ in it, and can be added all the same."""
ESTIMATES = 1
"""To be raised with every change of a number: heads of saved files with another one are not read."""
HOW = "positive threshold threshold_chosen strict_half level seed kind_of_weight weight_scale interval limit model"
"""What must be the same of assessments that are one sum."""


class _Sums:
    """Which of the assessments that it sees one after the other can be added, and are of cases of their own."""

    def __init__(self) -> None:
        self.first: dict[str, tuple[str, Path, Any]] = {}
        self.seen: set[tuple[str, str]] = set()
        self.loaded = lru_cache(maxsize=2)(load)

    def of(self, name: str, file: Path, about: Any, archive: Archive) -> str:
        """Return the name of the first assessment to which this can be added. Raises an error for a damaged one."""
        from classay.assessment.saving import FORMAT

        require_file(
            about.get("format") == (1 if archive.seal is None else FORMAT), "its format is not known"
        )
        left = [name for name in archive.seal or () if name in archive]
        floats = {name: re.findall(rb"'[<>]f\d+'", archive.bytes(name)[:128]) for name in left}
        has_ids, classes = "blocks" in about, about.get("positive") is not None and about.get("labels")
        how = repr([has_ids, classes, *map(about.get, HOW.split())])
        alike = {key: about[key] for key in about if key not in COUNTED.split()}, floats
        first, other, its_own = self.first.setdefault(how, (name, file, alike))
        cases = (archive.seal or {}).get("blocks.fingerprint.npy") or archive.seal or file.read_bytes()
        mark = first, str(cases)
        if mark in self.seen:
            return ""
        if alike != its_own:  # nothing else keeps two from being added
            one = load(file)
            try:
                self.loaded(other) + one
            except FileError:  # damaged where its checksums agree
                mark, self.first[how] = (name, mark[1]), (name, file, alike)
            except ClassayError:
                return ""
        self.seen.add(mark)
        return mark[0]


def _of_folder(folder: Path, names: tuple[str, ...] | None) -> Iterator[SavedResult]:
    sums = _Sums()
    for file in sorted(folder.rglob(f"*{SAVED}")):
        if any(each.startswith(".") for each in file.relative_to(folder).parts) or not file.is_file():
            continue
        name, page = file.relative_to(folder).with_suffix("").as_posix(), file.with_suffix(".html")
        time = _iso(file.stat().st_mtime)
        kept = SavedResult(name, time, "", page=str(page) if page.is_file() else "")
        yield from _of_file(file, kept, names, sums)


def _of_file(
    file: Path, kept: SavedResult, names: tuple[str, ...] | None, sums: _Sums
) -> Iterator[SavedResult]:
    from classay.assessment.assessment import Assessment

    try:
        with suppress(Damaged, OSError), Archive(str(file)) as archive:
            if "assessment.json" in archive:
                about = archive.json("assessment.json")
                kept = replace(kept, sum=sums.of(kept.name, file, about, archive))
                cases, estimates = _of_assessment(file, about, names)
                at = about.get("threshold")
                yield replace(kept, what="assessment", cases=cases, estimates=estimates, threshold=at)
                return
        found = load(file)
        listed = brought("listed")
        own = next((listed[kind.__name__] for kind in type(found).__mro__ if kind.__name__ in listed), None)
        if isinstance(found, Assessment):  # of another task
            yield replace(kept, what="assessment", cases=found.n, estimates=estimates_of(found, names))
        elif own is not None:
            yield from thing(own)(found, kept, names)
        else:
            words = re.findall("[A-Z][a-z]+", type(found).__name__)
            yield replace(kept, what=" ".join(words).lower())
    except ClassayError as error:
        yield replace(kept, what=f"cannot be read: {error}")


def _of_assessment(file: Path, about: Any, names: tuple[str, ...] | None) -> tuple[int, dict[str, Estimate]]:
    """Return the cases and estimates of a saved assessment, without its tables where its head has what is wanted."""
    from classay import __version__
    from classay.measures import get

    with suppress(Exception):  # a head of another version, none, or none that could be right
        cases, estimates = about["extra"]["main"][f"{__version__}, {ESTIMATES}"]
        found = {get(name).name: Estimate(*values) for name, values in estimates.items()}
        if names is None and type(cases) is int and cases > 0:
            return cases, found
    a = load(file)
    return a.n, estimates_of(a, names)


def head_of(a: Assessment) -> Any:
    """Return the cases and main estimates of an assessment as plain values, by the version that estimated them."""
    from classay import __version__

    estimates = {name: [*vars(one).values()] for name, one in estimates_of(a, None).items()}
    return {f"{__version__}, {ESTIMATES}": [a.n, estimates]}


def estimates_of(a: Assessment, names: tuple[str, ...] | None) -> dict[str, Estimate]:
    """Return the estimates of these measures, or of the main ones, as far as an assessment has them."""
    from classay.assessment.main_measures import main_measures

    if names is None:
        return a.estimates(main_measures(a))
    found = {}
    for name in names:
        with suppress(ClassayError):  # a measure of other classes, or of scores that it has not
            found[name] = a.estimate(name)
    return found


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()[:19]


def _link(page: str, folder: str | Path) -> str:
    """Return a page as it is reached from a folder."""
    try:
        return Path(os.path.relpath(page, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(page).resolve().as_uri()


@checked
def load(path: str | Path) -> Any:
    """Load a result that `save` wrote.

    Loading executes nothing and fits nothing.

    Parameters
    ----------
    path : str or Path
        The file. Its ending may be omitted, as in `save`.

    Returns
    -------
    Assessment, Evaluation or another result
        The saved result: an `Assessment` or `MultilabelAssessment`, an `Evaluation` or `TagEvaluation`, a
        `Decomposition` or `DecompositionPath`, a `LearningCurve` or an `Improvement`.

    Raises
    ------
    FileError
        If the file is damaged, or holds none of these results.

    Examples
    --------
    >>> import tempfile
    >>> import classay as ca
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ca.assess([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1]).save(folder + "/a.classay")
    ...     load(folder + "/a.classay")["accuracy"].value
    0.5
    """
    from classay.assessment.restoring import kind_of

    path = path if os.path.lexists(path) else saved_path(path) if os.path.lexists(saved_path(path)) else path
    kind = kind_of(path)
    if kind is None:
        raise FileError(
            f"{path} is not a saved result (assessment, evaluation, decomposition, path, learning curve or "
            "improvement). "
            f"Use a file that {hint('`save`', '`--save`')} wrote."
        )
    return thing(brought("saved")[kind]).load(path)
