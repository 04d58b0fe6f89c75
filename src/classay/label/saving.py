"""Assessments from labels, written to a file and read again, each part checked when it is taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.assessment.parts import Sampling
from classay.files.archives import Fields, label_in, label_out, require_file, saved, sealed
from classay.files.writing import write_bytes
from classay.label.planning import LabelPlan, Stratum
from classay.label.reading import fields_of
from classay.label.rows import Matched

if TYPE_CHECKING:
    from classay.label.labeled import LabeledAssessment

FORMAT = 2
"""The first with checksums, as of all kinds of results."""
WHAT = "labeled assessment"
ARRAYS = ("at", "truths", "known_rows", "known_places", "known_truths")


def save_labeled(a: LabeledAssessment, path: Path) -> None:
    """Write the plan and the labels, in one step. Raises FileError where that cannot be."""
    about: dict[str, Any] = {
        "format": FORMAT,
        "what": WHAT,
        "plan": json.loads(json.dumps(a.plan.to_dict())),
        "positive": label_out(a.positive),
        "level": a.level,
        "finite": a.is_finite,
        "not_drawn": a.matched.not_drawn,
        "unsure": a.matched.unsure,
    }
    arrays = {f"{name}.npy": getattr(a.matched, name).astype(np.int64) for name in ARRAYS}
    write_bytes(path, sealed(f"{WHAT.replace(' ', '_')}.json", about, arrays))


def load_labeled(path: str | Path, kind: type[LabeledAssessment]) -> LabeledAssessment:
    """Read what `save_labeled` wrote. Raises FileError when the file is none, or damaged."""
    with saved(path, WHAT, FORMAT) as (about, archive):
        plan = LabelPlan(**fields_of(Fields(about.take("plan"), "the plan"), str(path), Stratum))
        at = archive.array("at.npy", "i", (None,), least=0, below=plan.rows.size)
        rows = archive.array("known_rows.npy", "i", (None,), least=0, below=plan.n_cases)
        count = len(plan.strata)
        require_file(
            at.size > 0 and np.unique(at).size == at.size, "a case occurs twice, or none has a label"
        )
        require_file(np.unique(rows).size == rows.size, "a row occurs twice")
        matched = Matched(
            at,
            archive.array("truths.npy", "i", at.shape, least=0, below=2).astype(bool),
            label_in(about.take("positive")),
            about.whole("not_drawn"),
            about.whole("unsure"),
            rows,
            archive.array("known_places.npy", "i", rows.shape, least=0, below=count),
            archive.array("known_truths.npy", "i", rows.shape, least=0, below=2).astype(bool),
        )
        sizes = plan.arrays[0] - np.bincount(matched.known_places, minlength=count)
        labels = np.bincount(plan.stratum[at], minlength=count)
        require_file(bool((labels <= sizes).all()), "strata have more labels than cases")
        a = kind(Sampling(design=plan), matched, about.share("level"), about.flag("finite"))
        about.done()
        archive.done()
        return a
