"""Objects of other libraries are what lists of the same values are, at every door, and their errors are ours.

Stand-ins offer what the objects offer. The libraries themselves are tried where they are installed, and by
`tests/outside/make/in_memory.sh`.
"""

from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import classay as ca
from classay.errors import InputError
from classay.formats.in_memory import KINDS, taken

N = 60
RNG = np.random.default_rng(0)
Y, G, K = RNG.integers(0, 2, N), RNG.integers(0, 3, N), RNG.integers(0, 3, N)
P = np.floor(64 * np.clip(0.3 * Y + 0.7 * RNG.random(N), 0, 1)) / 64  # exact in bfloat16
Q = np.floor(64 * np.clip(0.2 * Y + 0.8 * RNG.random(N), 0, 1)) / 64
W = RNG.integers(1, 4, N)
CALLED = (P >= 0.5).astype(int)
C = np.full((N, 3), 0.25) + 0.25 * np.eye(3)[(K + (RNG.random(N) < 0.3)) % 3]
SITE = np.array(["north", "south", "west"])[G]
COLUMNS = {"y": Y, "p": P, "q": Q, "w": W, "g": G, "site": SITE, "case_id": np.arange(N) + 100}

# -- stand-ins ----------------------------------------------------------------------------------------------------


class Array:
    """What every array has."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)

    @property
    def shape(self) -> Any:
        return self._values.shape

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, at: Any) -> Any:
        return type(self)(self._values[at])

    def item(self) -> Any:
        return self._values.item()


class Tensor(Array):
    """A tensor of torch on a graphics card: sparse, with a gradient, of floats that NumPy lacks."""

    def __init__(self, values: Any, steps: Any = ("detach", "to_dense", "cpu", "float")) -> None:
        super().__init__(values)
        self._steps = steps if self._values.dtype.kind == "f" else [step for step in steps if step != "float"]

    @property
    def dtype(self) -> str:
        return "torch.bfloat16" if "float" in self._steps else f"torch.{self._values.dtype}"

    def __getitem__(self, at: Any) -> "Tensor":
        return Tensor(self._values[at], self._steps)

    def _without(self, step: str) -> "Tensor":
        return Tensor(self._values, [each for each in self._steps if each != step])

    def detach(self) -> "Tensor":
        return self._without("detach")

    def to_dense(self) -> "Tensor":
        return self._without("to_dense")

    def cpu(self) -> "Tensor":
        return self._without("cpu")

    def float(self) -> "Tensor":
        return self._without("float")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self._steps:
            raise (RuntimeError if "detach" in self._steps else TypeError)(f"Use {self._steps[0]} first.")
        return self._values if dtype is None else self._values.astype(dtype)


class OnlyDlpack:
    """An array that offers DLPack and nothing else."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)

    def __dlpack__(self, **named: Any) -> Any:
        return self._values.__dlpack__(**named)

    def __dlpack_device__(self) -> Any:
        return self._values.__dlpack_device__()


class OnlyInterface:
    """An array that offers NumPy's interface and nothing else."""

    def __init__(self, values: Any) -> None:
        self._values = np.ascontiguousarray(values)

    @property
    def __array_interface__(self) -> Any:
        return self._values.__array_interface__


class Cupy(Array):
    """An array of CuPy, which refuses to leave its card unless it is asked by `get`."""

    @property
    def __cuda_array_interface__(self) -> Any:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (1, False), "version": 3}

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`.")

    def __dlpack__(self, **named: Any) -> Any:
        raise BufferError("not on the host")

    def __dlpack_device__(self) -> Any:
        return 2, 0

    def get(self) -> Any:
        return self._values


class Capsule:
    """A column or a table that offers Arrow's interface and nothing else."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __arrow_c_stream__(self, schema: Any = None) -> Any:
        return self._values.__arrow_c_stream__(schema)


def capsule(values: Any) -> Any:
    if values.ndim == 2:
        return Capsule(pa.table({str(k): values[:, k] for k in range(values.shape[1])}))
    return Capsule(pa.chunked_array([values[:7], values[7:]]))


class Dataset:
    """A dataset of Hugging Face after a filter: `.data` still holds all rows, and its format rounds."""

    def __init__(self, columns: Any, classes: Any = (), format: Any = None, all_rows: Any = None) -> None:
        self._rows = pa.table(dict(columns))
        self.data = self._rows if all_rows is None else all_rows
        self.features = {name: ClassLabel() if name in classes else object() for name in self.column_names}
        self._classes, self.format = classes, {"type": format}

    @property
    def column_names(self) -> list[str]:
        return self._rows.column_names

    def filter_rows(self, rows: Any) -> "Dataset":
        return Dataset(self._of(self._rows.take(rows)), self._classes, self.format["type"], self._rows)

    def select_columns(self, names: Any) -> "Dataset":
        return Dataset(self._of(self._rows.select(names)), self._classes, self.format["type"], self.data)

    def with_format(self, name: str) -> "Dataset":
        return Dataset(self._of(self._rows), self._classes, name, self.data)

    def __len__(self) -> int:
        return self._rows.num_rows

    def __getitem__(self, at: Any) -> Any:
        assert self.format["type"] == "arrow", "another format rounds"
        return self._rows[at]

    @staticmethod
    def _of(table: Any) -> Any:
        return dict(zip(table.column_names, table.columns, strict=True))


class ClassLabel:
    """The type of a column of classes."""

    def str2int(self, name: str) -> int:
        raise NotImplementedError


class Splits(dict[str, Dataset]):
    """The splits of a dataset."""

    with_format = column_names = None


STAND_INS = {
    "tensor on a card": Tensor,
    "bfloat16": lambda values: Tensor(values, ["float"]),
    "gradient": lambda values: Tensor(values, ["detach"]),
    "DLPack": OnlyDlpack,
    "array interface": OnlyInterface,
    "CuPy": Cupy,
    "Arrow": capsule,
    "generator": lambda values: (value for value in values.tolist()),
    "map": lambda values: map(
        list if values.ndim == 2 else {"i": int, "b": bool}.get(values.dtype.kind, float), values
    ),
    "(n, 1)": lambda values: values[:, None] if values.ndim == 1 else values,
    "tensors of no dimension": lambda values: (
        [Tensor(value) for value in values] if values.ndim == 1 else values
    ),
}
DOORS = {
    "assess": lambda of: ca.assess(of(Y), of(P), weight=of(W), cluster=of(G))["roc_auc"],
    "labels": lambda of: ca.assess(of(Y), y_pred=of(CALLED))["accuracy"],
    "classes": lambda of: ca.assess(of(K), of(C))["macro_f1"],
    "compare": lambda of: ca.compare({"a": of(P), "b": of(Q)}, of(Y), measures=["roc_auc"])[0],
    "gate": lambda of: (
        ca.gate(ca.compare({"a": of(P), "b": of(Q)}, of(Y), measures=["roc_auc"]), "non-inferior", 0.1).passed
    ),
    "decide": lambda of: (
        ca.assess(of(Y), of(P), amounts={"a": of(W)}).threshold(cost=ca.Costs(fp=1, fn="a")).threshold
    ),
    "by": lambda of: {group: a["recall"] for group, a in ca.assess_by(of(Y), of(P), by=of(G)).items()},
    "cut points": lambda of: ca.cut_points(of(P), of(Y)),
    "reclassification": lambda of: ca.reclassification(of(Y), of(P), of(Q)).idi,
    "values": lambda of: ca.compare_values({"a": of(P), "b": of(Q)})[0],
    "scores": lambda of: ca.ScoreTable.from_rows(of(P), of(Y == 1)).positives.tolist(),
    "matrix": lambda of: ca.ConfusionMatrix.from_labels(of(Y), of(CALLED)).counts.tolist(),
}
FRAME_DOORS = {
    "assess": lambda frame: ca.assess(frame, truth="y", score="p", weight="w", cluster="site")["roc_auc"],
    "amounts": lambda frame: (
        ca.assess(frame, truth="y", score="p", amounts=["w"]).threshold(cost=ca.Costs(fp=1, fn="w")).threshold
    ),
    "compare": lambda frame: ca.compare(frame, truth="y", scores=["p", "q"], measures=["roc_auc"])[0],
    "by": lambda frame: [*ca.assess_by(frame, truth="y", score="p", by=["site", "g"])],
    "scan": lambda frame: ca.scan(frame, truth="y", score="p")["roc_auc"],
}


def plain(values: Any) -> Any:
    return values.tolist()


@pytest.mark.covering(1)
@pytest.mark.parametrize("form", STAND_INS)
@pytest.mark.parametrize("door", DOORS)
def test_what_offers_an_array_is_its_values(form, door):
    assert repr(DOORS[door](STAND_INS[form])) == repr(DOORS[door](plain))


def test_tensors_hold_tags():
    truth, scores = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[0.9, 0.1], [0.2, 0.7], [0.6, 0.4]])
    assert ca.assess(Tensor(truth), Tensor(scores)).to_dict() == ca.assess(truth, scores).to_dict()


def test_a_tensor_of_no_dimension_is_a_number_and_a_label():
    found = ca.assess(Tensor(Y), P, positive=Tensor(1), threshold=Tensor(0.25), labels=Tensor([0, 1]))
    expected = ca.assess(Y, P, positive=1, threshold=0.25, labels=[0, 1])
    assert found.to_dict() == expected.to_dict()


# -- the libraries themselves -------------------------------------------------------------------------------------


def library(name: str) -> Any:
    return pytest.importorskip(name, reason=f"NOT IN MEMORY: {name} is not installed")


def torch(values: Any, **named: Any) -> Any:
    return library("torch").tensor(values, **named)


def bfloat16(values: Any) -> Any:
    short = {"dtype": library("torch").bfloat16, "requires_grad": True} if values.dtype.kind == "f" else {}
    return torch(values, **short)


def negated(values: Any) -> Any:
    """Numbers whose signs change when they are read. Truth values have no sign."""
    return torch(values) if values.dtype == bool else library("torch")._neg_view(torch(-values))


def jax(values: Any) -> Any:
    numpy = library("jax.numpy")
    return numpy.asarray(values, dtype=numpy.bfloat16 if values.dtype.kind == "f" else None)


def tensorflow(values: Any) -> Any:
    made = library("tensorflow")
    return made.constant(values, dtype=made.bfloat16 if values.dtype.kind == "f" else None)


def h5py(values: Any) -> Any:
    file = library("h5py").File(BytesIO(), "w")
    return file.create_dataset("values", data=values)


def data_array(values: Any) -> Any:
    return library("xarray").DataArray(
        values, dims=["case", "class"][: values.ndim], coords={"case": COLUMNS["case_id"]}
    )


def dataset(columns: Any) -> Any:
    """Rows of which a filter left the second half, in a format that rounds."""
    both = {name: [*values[::-1].tolist(), *values.tolist()] for name, values in columns.items()}
    return library("datasets").Dataset.from_dict(both).select(range(N, 2 * N)).with_format("numpy")


def xarray(columns: Any) -> Any:
    coordinates = {"site", "g", "case_id"}
    data = {name: ("case", values) for name, values in columns.items() if name not in coordinates}
    return library("xarray").Dataset(data, coords={name: ("case", columns[name]) for name in coordinates})


REAL = {
    "torch": torch,
    "torch, bfloat16 with gradient": bfloat16,
    "torch, sparse": lambda values: torch(values).to_sparse(),
    "torch, (n, 1)": lambda values: torch(values)[:, None] if values.ndim == 1 else torch(values),
    "torch, inference": negated,
    "JAX, bfloat16": jax,
    "TensorFlow, bfloat16": tensorflow,
    "TensorFlow, variable": lambda values: library("tensorflow").Variable(values),
    "h5py": h5py,
    "zarr": lambda values: library("zarr").array(values),
    "Dask": lambda values: library("dask.array").from_array(values),
    "arro3": lambda values: library("arro3.core").Array(pa.array(values)) if values.ndim == 1 else values,
    "nanoarrow": lambda values: library("nanoarrow").Array(pa.array(values)) if values.ndim == 1 else values,
    "xarray": data_array,
    "datasets, column": lambda values: library("datasets").Dataset.from_dict({"x": values.tolist()})["x"],
}
OPEN = []
"""Connections that live as long as their relations: DuckDB 1.1 closes those that nobody keeps."""


def relation(columns):
    OPEN.append(library("duckdb").connect())
    return OPEN[-1].from_arrow(pa.table(columns))


TABLES = {
    "Arrow": lambda columns: Capsule(pa.table(columns)),
    "datasets, stand-in": Dataset,
    "PyArrow, batch": pa.record_batch,
    "PyArrow, reader": lambda columns: pa.table(columns).to_reader(),
    "polars, lazy": pl.LazyFrame,
    "DuckDB": relation,
    "datasets": dataset,
    "datasets, iterable": lambda columns: dataset(columns).with_format(None).to_iterable_dataset(),
    "Ibis": lambda columns: library("ibis").memtable(pa.table(columns)),
    "xarray": xarray,
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("form", REAL)
@pytest.mark.parametrize("door", DOORS)
def test_arrays_of_libraries_are_their_values(form, door):
    assert repr(DOORS[door](REAL[form])) == repr(DOORS[door](plain))


@pytest.mark.covering(1)
@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("door", FRAME_DOORS)
def test_tables_of_libraries_are_their_columns(form, door):
    if (form, door) == ("Ibis", "scan"):
        pytest.skip("NOT IN MEMORY: Ibis has no batches with DuckDB 2")
    assert repr(FRAME_DOORS[door](TABLES[form](COLUMNS))) == repr(FRAME_DOORS[door](COLUMNS))


def test_labels_of_catboost_are_a_column():
    """A model of several classes gives labels of shape (n, 1), as objects; one of two classes those of shape (n,)."""
    made = library("catboost").CatBoostClassifier(
        iterations=3, verbose=0, allow_writing_files=False, loss_function="MultiClass"
    )
    model = made.fit(np.c_[P, W], SITE)
    called = model.predict(np.c_[P, W])
    assert (called.shape, called.dtype) == ((N, 1), object)
    expected = ca.assess(plain(SITE), y_pred=plain(called[:, 0]))
    assert ca.assess(SITE, y_pred=called).to_dict() == expected.to_dict()
    assert str(ca.compare(None, SITE, y_pred={"a": called, "b": SITE[:, None]})) == str(
        ca.compare(None, SITE, y_pred={"a": plain(called[:, 0]), "b": plain(SITE)})
    )


# -- rows -----------------------------------------------------------------------------------------------------------


def test_filtered_rows_stay_out():
    rows = Dataset({"y": [0, 1, 0, 1], "p": [0.2, 0.9, 0.3, 0.1]}).filter_rows([3, 0])
    assert rows.data.num_rows == 4
    assert ca.assess(rows, truth="y", score="p").n == 2


def test_formats_that_round_are_not_asked():
    """Scores just below 1 tie as floats of 32 bits; the stand-in refuses any other format than Arrow's."""
    scores = (1 - 1e-9 * np.arange(1, 9)).tolist()
    rows = {"y": [1, 1, 1, 1, 0, 0, 0, 0], "p": scores}
    assert ca.assess(Dataset(rows, format="numpy"), truth="y", score="p")["roc_auc"].value == 1
    made = library("datasets").Dataset.from_dict(rows).with_format("numpy")
    assert len({*made[:]["p"].tolist()}) == 1
    assert ca.assess(made, truth="y", score="p")["roc_auc"].value == 1


def test_minus_one_of_a_class_is_no_label():
    columns = {"y": [0, 1, -1, 1], "p": [0.2, 0.9, 0.3, 0.1]}
    with pytest.raises(InputError, match="missing values in 1 row"):
        ca.assess(Dataset(columns, classes=["y"]), truth="y", score="p")
    assert ca.assess(Dataset(columns, classes=["y"]), truth="y", score="p", missing="drop").labels == (0, 1)
    assert ca.assess(Dataset(columns), truth="y", prediction="y").labels == (-1, 0, 1)


def test_a_transform_and_splits_are_refused():
    rows = Dataset({"y": [0, 1], "p": [0.2, 0.9]}, format="custom")
    with pytest.raises(InputError, match="transform, which changes rows when they are read"):
        ca.assess(rows, truth="y", score="p")
    with pytest.raises(InputError, match=r"splits train and test. Pass one of them, such as data\['train'\]"):
        ca.assess(Splits(train=rows, test=rows), truth="y", score="p")


class Counted:
    """A query that counts how often it is computed, and gives its rows in another order each time."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        self.times += 1
        return frame if self.times % 2 else frame.reverse()

    def frame(self) -> pl.LazyFrame:
        schema = pl.DataFrame(COLUMNS).schema
        return pl.LazyFrame(COLUMNS).map_batches(
            self, schema=schema, predicate_pushdown=False, projection_pushdown=False
        )


def test_a_query_is_computed_once():
    """Its rows may have another order each time, and columns of two readings would not belong together."""
    counted = Counted()
    found = ca.assess_by(
        counted.frame(), truth="y", score="p", by=["site", "g"], amounts=["w"], cluster="case_id"
    )
    assert counted.times == 1
    assert repr([*found.values()]) == repr(
        [
            *ca.assess_by(
                COLUMNS, truth="y", score="p", by=["site", "g"], amounts=["w"], cluster="case_id"
            ).values()
        ]
    )


def test_columns_that_nobody_names_are_not_computed():
    frame = pl.LazyFrame(COLUMNS).with_columns(pl.col("site").cast(pl.Int64).alias("broken"))
    assert ca.assess(frame, truth="y", score="p").n == N
    with pytest.raises(
        InputError, match=r"y_true \(LazyFrame of polars\) cannot be read \(InvalidOperationError"
    ):
        ca.assess(frame, truth="y", score="broken")
    with pytest.raises(InputError, match=r"The frame \(LazyFrame\) cannot be read \(InvalidOperationError"):
        ca.scan(frame, truth="y", score="broken")


def test_a_query_of_one_column_is_a_column_and_no_tag():
    query = pl.LazyFrame({"y": Y})
    assert ca.assess(query, plain(P)).to_dict() == ca.assess(plain(Y), plain(P)).to_dict()


@pytest.mark.parametrize("door", ["assess", "labels", "compare", "by", "reclassification"])
def test_columns_of_two_queries_are_refused(door):
    with pytest.raises(InputError, match="are separate queries, whose rows may have different orders"):
        DOORS[door](lambda values: pl.LazyFrame({"x": values}))


class Shuffled:
    """A dataset of TensorFlow, whose passes have another order each time."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def as_numpy_iterator(self) -> Any:
        return iter(RNG.permutation(self._values))

    __iter__ = as_numpy_iterator


def test_passes_of_a_shuffled_dataset_are_refused():
    with pytest.raises(InputError, match="y_true and y_score are separate queries"):
        ca.assess(Shuffled(Y), Shuffled(P))
    assert ca.compare_values({"a": Shuffled(np.ones(5)), "b": [0.0, 0.5, 0.2, 0.1, 0.7]})


class Text(Array):
    """An array that offers DLPack beside `__array__`."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._values.astype(object)

    def __dlpack__(self, **named: Any) -> Any:
        pytest.fail("DLPack was asked")


def test_dlpack_is_asked_last():
    assert ca.assess(Text(SITE), y_pred=Text(SITE)).labels == ("north", "south", "west")


def test_queries_of_several_models_are_refused():
    models = {"a": pl.LazyFrame({"p": P}), "b": pl.LazyFrame({"p": Q})}
    with pytest.raises(InputError, match=r"^models\['a'\] and models\['b'\] are separate queries"):
        ca.compare(models, plain(Y))
    with pytest.raises(InputError, match=r"^y_true and weight are separate queries"):
        ca.assess(pl.LazyFrame(COLUMNS), truth="y", score="p", weight=pl.LazyFrame({"w": W}))


def test_a_query_is_no_column_where_others_are_not_seen():
    with pytest.raises(InputError, match="score is of type LazyFrame"):
        ca.ScoreTable.from_rows(pl.LazyFrame({"p": P}), pl.LazyFrame({"y": Y == 1}))
    with pytest.raises(InputError, match="truth is of type LazyFrame"):
        ca.ConfusionMatrix.from_labels(pl.LazyFrame({"p": CALLED}), pl.LazyFrame({"y": Y}))


def test_a_reader_of_batches_is_read_once_for_all_columns():
    reader = pa.table(COLUMNS).to_reader(max_chunksize=7)
    found = ca.assess_by(reader, truth="y", score="p", by=["site", "g"], amounts=["w"])
    assert sum(a.n for a in found.values()) == N


def test_arrays_with_another_order_of_cases_are_refused():
    made = library("xarray")
    truth = made.DataArray(Y, dims="case", coords={"case": np.arange(N)})
    with pytest.raises(InputError, match="different orders"):
        ca.assess(truth, made.DataArray(P, dims="case", coords={"case": np.arange(N)[::-1]}))


def test_classes_of_a_dimension_have_its_labels():
    made = library("xarray")
    scores = made.DataArray(C[:, ::-1], dims=["case", "class"], coords={"class": ["c", "b", "a"]})
    truth = np.array(["a", "b", "c"])[K]
    assert ca.assess(truth, scores).to_dict() == ca.assess(truth, C).to_dict()


def test_variables_of_several_dimensions_are_no_frame():
    rows = library("xarray").Dataset({"y": ("case", K), "p": (("case", "class"), C)})
    with pytest.raises(InputError, match=r"different dimensions \(y \('case',\), p \('case', 'class'\)\)"):
        ca.assess(rows, truth="y", score="p")


# -- errors -------------------------------------------------------------------------------------------------------


class Broken(Array):
    """An array without values: deleted, symbolic, or of another process."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError("Cannot copy out of meta tensor;\nno data!")


@pytest.mark.covering(1)
@pytest.mark.parametrize("door", DOORS)
def test_errors_of_libraries_become_one_sentence_of_ours(door):
    with pytest.raises(
        InputError, match=r"\(Broken of .*\) cannot be read \(NotImplementedError: Cannot copy .* list\.$"
    ) as error:
        DOORS[door](Broken)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 240


def test_a_table_of_databases_that_fails_is_one_sentence():
    connection = library("duckdb").connect()
    rows = connection.sql("select 1 as y, error('x')::double as p")
    for door in (ca.assess, ca.scan):
        with pytest.raises(InputError, match=r"cannot be read .*Invalid Input Error: x"):
            door(rows, truth="y", score="p")


def test_batches_are_not_joined_by_guess():
    batches = [Tensor(values) for values in np.split(Y, 3)]
    with pytest.raises(InputError, match="Pass one label per row"):
        ca.assess(batches, P)


def test_objects_without_values_stay():
    """A learner, a path or a function is no column, whatever it offers besides."""

    class Ensemble:
        def __iter__(self) -> Any:
            return iter([])

    arguments = {
        "learner": Ensemble(),
        "progress": print,
        "y": [0],
        "x": np.zeros(2),
        "frame": pd.DataFrame(),
    }
    assert taken(arguments, "evaluate") is arguments


def test_every_kind_says_how_it_is_read():
    assert len({kind.title for kind in KINDS}) == len(KINDS)
    assert all(kind.advice.endswith(".") and kind.tried and kind.reads for kind in KINDS)
