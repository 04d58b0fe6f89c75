"""Values that a file does not have are no values: chunks of h5py and zarr, and fill values of NetCDF."""

import warnings
from math import ceil
from types import SimpleNamespace

import numpy as np
import pytest

import classay as ca
from classay.errors import InputError
from classay.formats.stored_arrays import FILLS, MissingChunksWarning, with_chunks

RNG = np.random.default_rng(0)
Y = (RNG.random(60) < 0.4).astype(np.int8)
P = RNG.random(60)


class Stored:
    """An array in chunks of 7 rows, of which some may not be stored."""

    chunks: object = (7,)
    name = "/there"

    def __init__(self, values, lost=()):
        self.values, self.lost = values.copy(), lost
        for chunk in lost:
            self.values[7 * chunk : 7 * chunk + 7] = 0
        self.shape, self.dtype = values.shape, values.dtype

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __getitem__(self, where):
        return self.values[where]

    @property
    def _numbers(self):
        chunks = ceil(len(self.values) / 7)
        return chunks - len(self.lost), chunks


class Zarr(Stored):
    fill_value = 0
    nchunks_initialized = property(lambda self: self._numbers[0])
    nchunks = property(lambda self: self._numbers[1])


class Hdf(Stored):
    fillvalue = 0

    @property
    def id(self):
        stored, chunks = self._numbers
        status = 0 if not stored else 1 + (stored == chunks)
        return SimpleNamespace(get_space_status=lambda: status, get_num_chunks=lambda: stored)


class Whole(Hdf):
    """One piece without chunks."""

    chunks = None


DOORS = {
    "assess": ca.assess,
    "assess a dict": lambda y, p: ca.assess({"y": y, "p": p}, truth="y", score="p"),
    "compare": lambda y, p: ca.compare({"a": p, "b": P}, y),
    "scan": lambda y, p: ca.scan({"y": y, "p": p}, truth="y", score="p"),
    "by group": lambda y, p: ca.assess_by(y, p, by=np.arange(60) % 2),
}
ALL = range(ceil(60 / 7))


@pytest.mark.covering(2)
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", [Zarr, Hdf, Whole])
@pytest.mark.parametrize("lost", ["none", "some", "all"])
@pytest.mark.parametrize("role", ["truth", "score"])
def test_chunks_that_are_lost_are_said_at_every_door(door, kind, lost, role):
    chunks = {"none": (), "some": (2, 5), "all": ALL}[lost]
    y, p = kind(Y, chunks if role == "truth" else ()), kind(P, chunks if role == "score" else ())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if lost == "all":
            with pytest.raises(InputError, match=r"\(/there\) has no stored values, and all are read as 0"):
                DOORS[door](y, p)
            return
        DOORS[door](y, p)
    texts = [str(each.message) for each in told if each.category is MissingChunksWarning]
    assert len({*texts}) == (lost == "some" and kind is not Whole)
    assert all("lacks 2 of 9 chunks, whose values are read as 0." in text for text in texts)


@pytest.mark.parametrize("kind", [Zarr, Hdf, Whole])
def test_arrays_without_rows_lack_no_chunk(kind):
    empty = kind(np.zeros(0))
    assert with_chunks(empty, "p") is empty


def real(library, tmp_path, values, written):
    """An array of a library in a file, of whose chunks of 7 values the first `written` were written."""
    made = pytest.importorskip(library, reason=f"SKIPPED LOUDLY: [lakes], {library}")
    if library == "h5py":
        array = made.File(tmp_path / "a.h5", "w").create_dataset(
            "p", values.shape, values.dtype, chunks=(7,), fillvalue=0.0
        )
    else:
        array = made.open_group(str(tmp_path / "a.zarr"), mode="w").create_array(
            "p", shape=values.shape, chunks=(7,), dtype=values.dtype, fill_value=0.0
        )
    if written:
        array[: 7 * written] = values[: 7 * written]
    return array


@pytest.mark.parametrize("library", ["h5py", "zarr"])
def test_chunks_of_real_files(library, tmp_path):
    with pytest.raises(InputError, match=r"has no stored values, and all are read as 0\.0"):
        ca.assess(Y, real(library, tmp_path, P, 0))
    with pytest.warns(MissingChunksWarning, match="lacks 4 of 9 chunks"):
        ca.assess(Y, real(library, tmp_path, P, 5))
    assert ca.assess(Y, real(library, tmp_path, P, 9)).to_dict() == ca.assess(Y, P).to_dict()


@pytest.mark.parametrize("kind", FILLS)
def test_fill_values_of_netcdf_are_missing(kind):
    xarray = pytest.importorskip("xarray", reason="SKIPPED LOUDLY: [dev], xarray")
    y = Y.astype(kind)
    y[:20] = FILLS[kind]
    array = xarray.DataArray(y, dims="case", name="y")
    rows = xarray.Dataset({"y": array, "p": ("case", P)})
    marked = rows["y"].copy()
    for of_file in (array, rows["y"], marked):
        of_file.encoding["source"] = "a.nc"
    marked.encoding["_FillValue"] = -1
    wanted = ca.assess(Y[20:], P[20:])["roc_auc"]
    assert ca.assess(array, P, missing="drop")["roc_auc"] == wanted
    assert ca.assess(rows, truth="y", score="p", missing="drop")["roc_auc"] == wanted
    with pytest.raises(InputError, match="classes"):  # who names another fill value wrote these values
        ca.assess(marked, P)


def test_variables_of_netcdf_keep_what_is_missing():
    class Variable:
        """A variable of netCDF4: read as a masked array, but without its mask as an array."""

        shape, dtype = Y.shape, Y.dtype

        def set_auto_mask(self): ...

        def __getitem__(self, where):
            return np.ma.masked_array(Y, np.arange(60) < 20)[where]

        def __array__(self, dtype=None, copy=None):
            return np.asarray(self[...])

    assert ca.assess(Variable(), P, missing="drop")["roc_auc"] == ca.assess(Y[20:], P[20:])["roc_auc"]
