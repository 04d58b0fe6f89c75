"""Objects of other libraries in memory, as the arrays, series and tables that the core reads.

An object is known by what it offers (an array, Arrow, a query), and only without any of these by its library.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import GeneratorType
from typing import TYPE_CHECKING, Any

import numpy as np

from classay.column_names import ROLES, used_names
from classay.columns.opened import in_own_type, with_narwhals
from classay.columns.repeats import id_names
from classay.errors import InputError, in_our_words
from classay.formats.stored_arrays import recorded, with_chunks
from classay.texts import listed

if TYPE_CHECKING:
    import pyarrow as pa

    Names = set[Any]

READ_ELSEWHERE = frozenset({("scan", "source"), ("refine", "source"), ("scan_database", "connection")})
"""Arguments that functions read themselves: in parts, and ask for the rest, or inside a database."""
OF_THE_CORE = frozenset({"builtins", "numpy", "pandas", "scipy", "sklearn", "classay"})
"""Libraries whose objects the core reads, or leaves alone."""
ROWS_AT_ONCE = 10_000


@dataclass(frozen=True)
class ObjectKind:
    """A kind of objects: what its reference says, and how one becomes a column or a table.

    `read` is a function of an object and of the names of columns that are wanted; without names, of all.
    """

    title: str
    tried: str
    """Libraries, with the versions whose objects were read."""
    reads: str
    read: Callable[[Any, Names], Any]
    advice: str
    """How to pass an object that cannot be read as it is."""
    is_query: bool = False
    """Whether each reading computes the rows, perhaps in another order."""


def taken(arguments: Mapping[str, object], function: str = "") -> Mapping[str, object]:
    """Return arguments in which arrays, series and tables stand for objects of other libraries.

    Of a query only the columns are read that arguments name, together and once. A query is no column by itself, beside
    others that nobody sees here. Raises InputError for an object that cannot be read, and for several columns that are
    queries of their own: their rows have no common order.
    """
    if not any(map(_is_object, arguments.values())):
        return arguments
    names = used_names({name: value for name, value in arguments.items() if name in ROLES})
    queries = [place for name, value in arguments.items() for place in _queries(name, value)]
    are_columns = not names or any(place.partition("[")[0] in ROLES for place in queries)
    if len(queries) > 1 and are_columns:
        raise InputError(
            f"{listed(queries)} are separate queries, whose rows may have different orders. Pass one table with names "
            "of columns, such as truth='y' and score='p', or collect each query first."
        )
    return {
        name: value if _is_left(function, name, value) else _taken(name, value, names)
        for name, value in arguments.items()
    }


def _taken(name: str, value: Any, names: Names) -> Any:
    """Return what stands for an object, also for those in a dict."""
    if not _is_object(value):
        return value
    if isinstance(value, dict) and _kind_of(value) is None:
        return {key: _taken(f"{name}[{key!r}]", entry, names) for key, entry in value.items()}
    kind = _kind_of(value)
    assert kind is not None
    library = type(value).__module__.partition(".")[0]
    with in_our_words(f"{name} ({type(value).__name__} of {library}) cannot be read", kind.advice):
        return kind.read(with_chunks(value, name), names)


def _is_object(value: Any) -> bool:
    """Check whether a value is an object of another library, or a dict that holds one."""
    if isinstance(value, dict) and _kind_of(value) is None:
        return any(map(_is_object, value.values()))
    return _kind_of(value) is not None


def _queries(name: str, value: Any) -> Iterator[str]:
    """Yield the places of queries in an argument."""
    kind = _kind_of(value)
    if kind is not None and kind.is_query:
        yield name
    elif kind is None and isinstance(value, dict):
        for key, entry in value.items():
            yield from _queries(f"{name}[{key!r}]", entry)


def _is_left(function: str, name: str, value: Any) -> bool:
    """Check whether an object stays as it is: for a function that reads it itself, or as a column by itself."""
    return (function, name) in READ_ELSEWHERE or (not function and any(_queries(name, value)))


def _kind_of(value: Any) -> ObjectKind | None:
    """Return the kind of an object, None where the core reads it, or it is no column and no table."""
    if type(value) not in _KINDS_BY_TYPE:
        _KINDS_BY_TYPE[type(value)] = _recognized(value)
    return _KINDS_BY_TYPE[type(value)]


_KINDS_BY_TYPE: dict[type, ObjectKind | None] = {}


def _recognized(value: Any) -> ObjectKind | None:  # noqa: PLR0911 - a kind a line
    """Return the kind of objects of a type, by the first of it."""
    offered = type(value)
    library = offered.__module__.partition(".")[0]
    if isinstance(value, GeneratorType | map | filter | zip):
        return ITEMS
    if library in OF_THE_CORE or isinstance(value, np.ndarray | np.generic) or _is_extension_array(value):
        return None
    if library == "pyarrow":
        names = {"RecordBatch": ARROW, "RecordBatchReader": ARROW_READER}
        return names.get(offered.__name__)
    if hasattr(offered, "with_format") and hasattr(offered, "column_names"):
        return SPLITS if isinstance(value, dict) else DATASET
    if hasattr(offered, "dims") and hasattr(offered, "coords") and hasattr(offered, "to_pandas"):
        return DATASET_WITH_DIMENSIONS if hasattr(offered, "data_vars") else ARRAY_WITH_DIMENSIONS
    if (frame := _in_narwhals(value)) is not None:
        return QUERY if hasattr(frame, "collect") else None
    if hasattr(offered, "to_pyarrow") or hasattr(offered, "as_numpy_iterator"):
        return COLUMN_OF_QUERY
    if hasattr(offered, "__arrow_c_stream__") or hasattr(offered, "__arrow_c_array__"):
        return ARROW
    arrays = ("__array__", "__array_interface__", "__cuda_array_interface__", "__dlpack__")
    if any(hasattr(offered, protocol) for protocol in arrays):
        return ARRAY
    return (
        ITEMS if isinstance(value, Sequence) and not isinstance(value, str | bytes | list | tuple) else None
    )


def _is_extension_array(value: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.api.extensions.ExtensionArray)


def _in_narwhals(value: Any) -> Any:
    """Return a frame or a series as narwhals has it, None for what narwhals does not know."""
    import narwhals as nw

    known = nw.from_native(value, pass_through=True, allow_series=True)
    return known if isinstance(known, nw.LazyFrame | nw.DataFrame | nw.Series) else None


# -- arrays and tensors -------------------------------------------------------------------------------------------

TO_THE_HOST = ("to_dense", "resolve_conj", "resolve_neg", "cpu")
"""Methods of arrays that NumPy cannot read where they are, in the order in which they are called."""


def _array(value: Any, _: Names) -> Any:
    """Return an array of any library as NumPy's, copied from a device, without its gradient."""
    if hasattr(value, "detach"):
        value = value.detach()
    try:
        return _in_numpy(value)
    except (TypeError, ValueError, RuntimeError, BufferError):
        for step in TO_THE_HOST:
            value = getattr(value, step)() if hasattr(value, step) else value
        is_of_cupy = hasattr(value, "__cuda_array_interface__") and hasattr(value, "get")
        return _in_numpy(value.get() if is_of_cupy else value)


def _in_numpy(value: Any) -> Any:
    if hasattr(type(value), "set_auto_mask"):  # of NetCDF, whose missing values only its own reading marks
        return value[...]
    if not hasattr(value, "__array__") and not hasattr(value, "__array_interface__"):
        return np.from_dlpack(value)  # last, because it is not safe for every type of every library
    is_short = str(getattr(value, "dtype", "")).startswith(("torch.bfloat", "torch.float8"))
    return in_own_type(np.asarray(value.float() if is_short else value))


def _with_dimensions(value: Any, _: Names) -> Any:
    """Return an array of xarray: one dimension as a series with its index, two as a frame where classes have names."""
    value = recorded(value)
    has_names = value.ndim == 1 or (value.ndim == 2 and value.dims[1] in value.coords)
    return value.to_pandas() if has_names else value.to_numpy()


# -- tables -------------------------------------------------------------------------------------------------------


def _wanted(columns: Sequence[Any], names: Names) -> list[Any]:
    """Return the columns to read: those named, and possible ids; all where a name is a pattern or unknown."""
    if not names or not names <= {*columns}:
        return [*columns]
    ids = {*id_names(columns, names)}
    return [name for name in columns if name in names or name in ids]


def _query(value: Any, names: Names) -> Any:
    """Return the rows of a query, computed once, as the eager frame of its library, or as an Arrow table."""
    query = with_narwhals(value)
    query = query.select(_wanted(query.collect_schema().names(), names))
    return query.to_native().to_pyarrow() if hasattr(value, "to_pyarrow") else query.collect().to_native()


def _arrow(value: Any, _: Names) -> Any:
    """Return what speaks Arrow: a table where it has columns, otherwise a column."""
    import pyarrow as pa

    if not hasattr(value, "__arrow_c_stream__"):
        column = pa.array(value)
        return pa.Table.from_struct_array(column) if pa.types.is_struct(column.type) else column
    if isinstance(value, pa.RecordBatch | pa.RecordBatchReader):
        return pa.table(value)
    column = pa.chunked_array(value)
    return pa.Table.from_struct_array(column) if pa.types.is_struct(column.type) else column


def _dataset(value: Any, names: Names) -> pa.Table:
    """Return the rows that filters left of a dataset of Hugging Face, as stored: its format may round them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if getattr(value, "format", {"type": None})["type"] == "custom":
        raise InputError(
            "The dataset has a transform, which changes rows when they are read. Use its method map."
        )
    if value.column_names is not None:
        value = value.select_columns(_wanted(value.column_names, names))
    rows = value.with_format("arrow")
    table = rows[:] if hasattr(value, "__len__") else pa.concat_tables(rows.iter(ROWS_AT_ONCE))
    for i, name in enumerate(table.column_names):
        if hasattr((value.features or {}).get(name), "str2int"):  # a class, of which -1 is no label
            column = table.column(i)
            table = table.set_column(i, name, pc.if_else(pc.equal(column, -1), None, column))
    return table


def _refuse_splits(value: Any, _: Names) -> Any:
    first, *_others = value
    raise InputError(
        f"The dataset has the splits {listed([*value])}. Pass one of them, such as data[{first!r}]."
    )


def _dataset_with_dimensions(value: Any, names: Names) -> Any:
    """Return the variables of an xarray dataset along one dimension as a frame, coordinates among them."""
    dims = {name: variable.dims for name, variable in value.variables.items()}
    wanted = {name: dims[name] for name in dims if name in names or (not names and len(dims[name]) == 1)}
    if len({*wanted.values()}) > 1 or any(len(of_one) != 1 for of_one in wanted.values()):
        shapes = ", ".join(f"{name} {of_one}" for name, of_one in wanted.items())
        raise InputError(
            f"The variables of the xarray dataset have different dimensions ({shapes}). Pass its arrays, such as "
            "data['y'] and data['p']."
        )
    ((dimension,),) = {*wanted.values()} or {
        next((of_one for of_one in dims.values() if len(of_one) == 1), ("",))
    }
    rows = value[[name for name, of_one in dims.items() if of_one == (dimension,)]].reset_coords()
    rows = rows.map(recorded, keep_attrs=True).to_dataframe()
    return rows.assign(**{dimension: rows.index}) if dimension in dims else rows


# -- the kinds ----------------------------------------------------------------------------------------------------

_COLLECTED = "Collect it first, and pass the table."

ARRAY = ObjectKind(
    title="arrays and tensors (`__array__`, `__array_interface__`, DLPack)",
    tried="torch 2.15.0, JAX 0.12.0.1, TensorFlow 2.21.0, Dask 2026.8.0, h5py 3.16.0, zarr 3.4.2",
    reads="values of any device and layout, without gradients; bfloat16 and floats of 8 bits as 32 bits",
    read=_array,
    advice="Pass it as a NumPy array or a list.",
)
ARRAY_WITH_DIMENSIONS = ObjectKind(
    title="`DataArray`",
    tried="xarray 2026.9.0",
    reads="one column with its index; scores of classes by the labels of the second dimension, if it has some",
    read=_with_dimensions,
    advice="Pass its values, a NumPy array.",
)
DATASET_WITH_DIMENSIONS = ObjectKind(
    title="`Dataset` of arrays",
    tried="xarray 2026.9.0",
    reads="variables and coordinates along the dimension of the named columns",
    read=_dataset_with_dimensions,
    advice="Pass its arrays, such as data['y'] and data['p'].",
)
DATASET = ObjectKind(
    title="`Dataset`, `IterableDataset`",
    tried="datasets 5.2.0",
    reads="the rows that filters left, as stored, whatever the format; -1 of a `ClassLabel` as a missing label",
    read=_dataset,
    advice="Pass a table, such as data.to_pandas().",
)
SPLITS = ObjectKind(
    title="`DatasetDict`",
    tried="datasets 5.2.0",
    reads="nothing: one split must be passed",
    read=_refuse_splits,
    advice="Pass one split.",
)
QUERY = ObjectKind(
    title="lazy frames, relations and tables of databases",
    tried="polars 2.1.0, DuckDB 2.0.1, Ibis 12.0.0",
    reads="the named columns and possible ids, by one query; `scan` reads them in parts",
    read=_query,
    advice=_COLLECTED,
    is_query=True,
)
COLUMN_OF_QUERY = ObjectKind(
    title="columns of such a table, and `tf.data.Dataset`",
    tried="Ibis 12.0.0, TensorFlow 2.21.0",
    reads="one column; two are refused, because their rows may have different orders",
    read=lambda value, _: (
        value.to_pyarrow() if hasattr(value, "to_pyarrow") else [*value.as_numpy_iterator()]
    ),
    advice=_COLLECTED,
    is_query=True,
)
ARROW = ObjectKind(
    title="other tables and columns with the Arrow interface (`__arrow_c_stream__`, `__arrow_c_array__`)",
    tried="arro3 0.9.1, nanoarrow 0.9.0",
    reads="all columns",
    read=_arrow,
    advice="Pass it as a table of PyArrow.",
)
ARROW_READER = replace(
    ARROW,
    title="`RecordBatchReader`",
    tried="PyArrow 26.0.1",
    reads="all columns, once; `scan` reads them in parts",
)
ITEMS = ObjectKind(
    title="generators, `map`, `zip`; sequences other than lists, such as a column of a `Dataset`",
    tried="Python 3.11.7, datasets 5.2.0",
    reads="all values",
    read=lambda value, _: list(value),
    advice="Pass a list.",
)
KINDS = (
    ARRAY,
    ARRAY_WITH_DIMENSIONS,
    DATASET_WITH_DIMENSIONS,
    DATASET,
    SPLITS,
    QUERY,
    COLUMN_OF_QUERY,
    ARROW,
    ARROW_READER,
    ITEMS,
)
