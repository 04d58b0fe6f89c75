"""Agreement of raters, written to a file and read again, each part checked when it is taken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from classay.assessment.restoring import labels_of
from classay.columns.labels import SOURCES, Labels
from classay.files.archives import distinct, label_out, require_file, saved, sealed
from classay.files.writing import write_bytes
from classay.raters.reading import Scale
from classay.raters.table import RatingTable

if TYPE_CHECKING:
    from classay.raters.agreement import RaterAgreement

FORMAT = 2
"""The first with checksums, as of all kinds of results."""
WHAT = "rater agreement"


def save_agreement(a: RaterAgreement, path: Path) -> None:
    """Write the agreement of raters, in one step. Raises FileError where that cannot be."""
    table = a.table
    about: dict[str, Any] = {
        "format": FORMAT,
        "what": WHAT,
        "labels": [label_out(label) for label in table.labels],
        "source": table.labels.source,
        "raters": [*table.raters],
        "scale": a.scale,
        "level": a.level,
        "unlabeled": a.n_unlabeled,
    }
    arrays = {f"{name}.npy": getattr(table, name) for name in ("rater", "label", "cases")}
    write_bytes(path, sealed("rater_agreement.json", about, arrays))


def load_agreement(path: str | Path, kind: type[RaterAgreement]) -> RaterAgreement:
    """Read what `save_agreement` wrote. Raises FileError when the file is none, or damaged."""
    with saved(path, WHAT, FORMAT) as (about, archive):
        labels = Labels(labels_of(about, "labels"), about.choice("source", SOURCES))
        raters = about.texts("raters")
        distinct(raters, "raters")
        rater = archive.array("rater.npy", "i", (None, None), least=-1, below=len(raters))
        label = archive.array("label.npy", "i", rater.shape, least=-1, below=len(labels))
        cases = archive.array("cases.npy", "iu", (len(rater),), least=1)
        require_file(bool(((rater < 0) == (label < 0)).all()), "raters and labels disagree")
        later, earlier = rater[:, 1:], rater[:, :-1]
        require_file(
            bool(((later < 0) | (later > earlier) & (earlier >= 0)).all()),
            "the raters of a case are not ascending",
        )
        table = RatingTable.of_slots(labels, raters, rater, label, cases.astype(np.int64))
        require_file(table.n_cases > 0, "it holds no case with two ratings")
        a = kind(
            table, about.choice("scale", get_args(Scale)), about.share("level"), about.whole("unlabeled")
        )
        about.done()
        archive.done()
        return a
