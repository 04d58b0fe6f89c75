"""Files of cases to learn from: what each column is for, which types come, and what is refused."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from classay.errors import InputError
from classay.sources.files import read_training

CSV = """id,patient,age,town,new,seen,ill
1,a,31,Ulm,true,2020-01-01,no
2,a,,Bonn,,2020-01-02,yes
3,b,40,,false,,no
4,c,52,Ulm,true,2021-05-05,
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text(CSV)
    return path


def test_columns_by_purpose(file):
    data = read_training(file, "ill", cluster="patient", id="id", drop=["seen"], missing="drop")
    assert data.features.column_names == ["age", "town", "new"]
    assert data.target.to_pylist() == ["no", "yes", "no"]
    assert data.cluster.to_pylist() == ["a", "a", "b"]
    assert data.id.to_pylist() == [1, 2, 3]
    assert data.dropped == 1
    assert read_training(file, "town", missing="drop").features.num_columns == 6


def test_ids_that_repeat_are_refused_unless_clusters_keep_them_together(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("who,town,age,ill\na,x,1,no\na,x,2,yes\nb,x,3,no\n")
    message = r"1 of 2 values of id 'who' occur in several rows of .*, such as 'a'. Use cluster="
    with pytest.raises(InputError, match=message):
        read_training(path, "ill", id="who")
    for cluster in ("who", "town"):
        assert read_training(path, "ill", id="who", cluster=cluster).target.to_pylist() == ["no", "yes", "no"]
    with pytest.raises(InputError, match="'town' occur in several values of 'who'"):
        read_training(path, "ill", id="town", cluster="who")


def test_types_that_training_code_knows(file):
    frame = read_training(file, "ill", missing="drop").frame()
    assert frame["age"].tolist()[0] == 31
    assert np.isnan(frame["age"][1])
    assert frame["town"].tolist()[:2] == ["Ulm", "Bonn"]
    assert pd.isna(frame["town"][2])
    assert not isinstance(frame["town"].dtype, pd.CategoricalDtype)
    assert [frame["new"][k] for k in (0, 2)] == [1, 0]
    assert pd.isna(frame["new"][1])
    assert frame["new"].dtype.kind == "f"
    assert frame["seen"].dtype.kind == "M"


def test_formats_agree_and_rarer_types_become_plain(tmp_path):
    table = pa.table(
        {
            "y": ["a", "b", "a"],
            "kind": pa.array(["x", None, "z"]).dictionary_encode(),
            "price": pa.array([1.5, None, 2.25]).cast(pa.decimal128(5, 2)),
            "day": [datetime.date(2020, 1, 1), None, datetime.date(2021, 2, 3)],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text(
        pl.from_arrow(table.set_column(2, "price", table["price"].cast(pa.float64()))).write_ndjson()
    )
    for name in ("t.parquet", "t.jsonl"):
        data = read_training(tmp_path / name, "y")
        assert data.features["kind"].to_pylist() == ["x", None, "z"]
        assert data.frame()["price"].tolist()[2] == 2.25
        assert pd.Timestamp(data.frame()["day"].iloc[2]) == pd.Timestamp("2021-02-03")


def test_a_target_that_is_nan_is_missing(tmp_path):
    pyarrow.parquet.write_table(
        pa.table({"y": [1.0, float("nan"), 0.0], "x": [1, 2, 3]}), tmp_path / "t.parquet"
    )
    with pytest.raises(InputError, match=r"missing values in 1 row \(first: data row 2"):
        read_training(tmp_path / "t.parquet", "y")
    assert read_training(tmp_path / "t.parquet", "y", missing="drop").features["x"].to_pylist() == [1, 3]


REFUSED = {
    "no such target": ({"target": "il"}, r"patients.csv has no column 'il'.* Did you mean 'ill'\?"),
    "target is missing": (
        {"target": "ill"},
        r"Column 'ill' \(target\) of .* has missing values in 1 row \(first: line 5\). Use missing='drop'",
    ),
    "cluster is missing": (
        {"target": "patient", "cluster": "town"},
        r"Column 'town' \(cluster\) of .* has missing values in 1 row \(first: line 4\). Fill in",
    ),
    "two purposes": ({"target": "ill", "id": "ill"}, "Column 'ill' is named as target and as id"),
    "target dropped": ({"target": "ill", "drop": ["ill"]}, "named as target and as dropped"),
    "no such column to drop": ({"target": "ill", "drop": ["agee"]}, "Did you mean 'age'"),
    "nothing left": (
        {"target": "patient", "drop": ["id", "age", "town", "new", "seen", "ill"]},
        "has no features other than 'patient', 'id'",
    ),
    "unknown choice": (
        {"target": "ill", "missing": "skip"},
        "missing must be 'refuse' or 'drop', but is 'skip'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(file, case):
    how, text = REFUSED[case]
    with pytest.raises(InputError, match=text):
        read_training(file, **how)


def test_a_target_without_any_value(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,\n2,\n")
    with pytest.raises(InputError, match=r"Column 'y' \(target\) of .* has no values"):
        read_training(tmp_path / "t.csv", "y", missing="drop")
