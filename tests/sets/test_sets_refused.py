"""Prediction sets that are refused: cells of a file just out of range, and an option given too often."""

import numpy as np
import pytest

import classay as ca
from classay.errors import FileError
from classay.sets.table import COVERED, SIZE, TRUE
from command import refusal
from forged import forge
from sets.in_sweeps import LABELS, sets, write_inputs


@pytest.mark.parametrize(
    ("column", "value"), [(TRUE, len(LABELS)), (SIZE, len(LABELS) + 1), (COVERED, 2), (TRUE, -1)]
)
def test_a_cell_just_out_of_range_is_refused(column, value, tmp_path):
    rows, path = sets(), tmp_path / "a.classay"
    a = ca.assess_sets(rows["y"], rows["new"], labels=LABELS)
    a.save(path)
    cells = a.table.cells.copy()
    forge(path, {"cells.npy": cells})
    assert ca.load(path).to_dict() == a.to_dict()
    cells[np.argmax(cells[:, SIZE]), column] = value
    forge(path, {"cells.npy": cells})
    with pytest.raises(FileError, match="a cell is out of range"):
        ca.load(path)


@pytest.mark.parametrize("names", ["new new", "new old in_*", "new new new"])
def test_sets_are_named_once_or_twice(names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_inputs()
    named = [word for name in names.split() for word in ("--set", name)]
    assert f"--set is given {len(names.split())} times." in refusal(
        "sets", "sets.csv", "--truth", "y", "--separator", "|", *named
    )
