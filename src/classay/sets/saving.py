"""Assessments of prediction sets, written to a file and read again, each part checked when it is taken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.restoring import labels_of
from classay.columns.labels import SOURCES, Labels
from classay.files.archives import label_out, require_file, saved, sealed
from classay.files.writing import write_bytes
from classay.sets.table import COVERED, GROUP, SIZE, TRUE, SetTable

if TYPE_CHECKING:
    from classay.sets.set_assessment import SetAssessment

FORMAT = 2
"""The first with checksums, as of all kinds of results."""
WHAT = "set assessment"


def save_sets(a: SetAssessment, path: Path) -> None:
    """Write an assessment of sets, in one step. Raises FileError where that cannot be."""
    table = a.table
    about: dict[str, Any] = {
        "format": FORMAT,
        "what": WHAT,
        "labels": [label_out(label) for label in table.labels],
        "source": table.labels.source,
        "groups": None if table.groups is None else [label_out(group) for group in table.groups],
        "level": a.level,
        "target": a.target,
        "calibration": a.calibration,
        "by": a.by,
        "blank": a.n_blank,
    }
    write_bytes(
        path, sealed("set_assessment.json", about, {"cells.npy": table.cells, "cases.npy": table.cases})
    )


def load_sets(path: str | Path, kind: type[SetAssessment]) -> SetAssessment:
    """Read what `save_sets` wrote. Raises FileError when the file is none, or damaged."""
    with saved(path, WHAT, FORMAT) as (about, archive):
        labels = Labels(labels_of(about, "labels"), about.choice("source", SOURCES))
        groups = about.maybe("groups", lambda name: labels_of(about, name))
        cells = archive.array("cells.npy", "i", (None, 4), least=-1)
        cases = archive.array("cases.npy", "iu", (len(cells),), least=1).astype(np.int64)
        most = {TRUE: len(labels), SIZE: len(labels) + 1, COVERED: 2}
        require_file(cases.size > 0, "it has no cases")
        for column, below in most.items():
            values = cells[:, column]
            require_file(bool(((values >= 0) & (values < below)).all()), "a cell is out of range")
        group = cells[:, GROUP]
        fits = (group == -1) if groups is None else (group >= 0) & (group < len(groups))
        require_file(bool(fits.all()), "cells and groups disagree")
        require_file(bool((cells[:, COVERED] <= cells[:, SIZE]).all()), "an empty set has a label")
        table = SetTable.of_rows(labels, groups, [*cells.T.astype(np.int64)], cases)
        a = kind(
            table,
            about.share("level"),
            about.maybe("target", about.share),
            about.maybe("calibration", lambda name: about.whole(name, 1)),
            about.maybe("by", about.text),
            about.whole("blank"),
        )
        about.done()
        archive.done()
        return a
