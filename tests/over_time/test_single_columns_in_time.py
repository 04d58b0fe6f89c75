"""What periods of time add to `columns/test_single_columns.py`."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import classay as ca
from columns.test_single_columns import RNG, N, P, Y, scalars

H = (P > 0.5) * 1

W = (RNG.random(N) + 0.5).round(3)

G = np.array(["u", "v", "w"])[np.arange(N) % 3]

DAY = np.array(["2026-01-01", "2026-01-02", "2026-01-03"], "datetime64[D]")[np.arange(N) // 20]

FORMS: dict[str, Any] = {
    "array": lambda values: np.asarray(values)[:, None],
    "masked": lambda values: np.ma.array(np.asarray(values)[:, None]),
    "pandas": lambda values: pd.DataFrame({"c": values}),
    "polars": lambda values: pl.DataFrame({"c": values}),
    "arrow": lambda values: pa.table({"c": np.asarray(values)}),
}

DOORS: dict[str, tuple[Any, dict[str, Any]]] = {
    "scores": (ca.assess, {"y_true": Y, "y_score": P}),
    "labels": (ca.assess, {"y_true": Y, "y_pred": H}),
    "weights": (ca.assess, {"y_true": Y, "y_score": P, "weight": W}),
    "frequencies": (ca.assess, {"y_true": Y, "y_score": P, "frequency": np.arange(N) % 3 + 1}),
    "clusters": (ca.assess, {"y_true": Y, "y_score": P, "cluster": np.arange(N) // 3}),
    "groups": (ca.assess_by, {"y_true": Y, "y_score": P, "by": G}),
    "time": (ca.assess_over_time, {"y_true": Y, "y_score": P, "time": DAY}),
    "models": (
        lambda a, b, **more: ca.compare(y_pred={"a": a, "b": b}, **more),
        {"y_true": Y, "a": H, "b": 1 - H, "cluster": np.arange(N) // 3, "by": G},
    ),
    "amounts": (
        lambda amount, **more: ca.assess(**more, amounts={"loss": amount}).threshold(
            cost=ca.Costs(fp=1, fn="loss")
        ),
        {"y_true": Y, "y_score": P, "amount": W},
    ),
}


@cache
def expected(door: str) -> str:
    """What a door gives of the columns as they are: once for all forms."""
    call, columns = DOORS[door]
    return str(call(**columns).to_dict())


@pytest.mark.covering(1)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("door", DOORS)
def test_one_column_is_a_column(door: str, form: str) -> None:
    call, columns = DOORS[door]
    for name, values in columns.items():
        assert str(call(**columns | {name: FORMS[form](values)}).to_dict()) == expected(door), name


@pytest.mark.parametrize("door", [name for name in DOORS if name != "amounts"])
def test_arrays_of_no_dimension_are_values(door: str) -> None:
    call, columns = DOORS[door]
    for name, values in columns.items():
        assert str(call(**columns | {name: scalars(values)}).to_dict()) == expected(door), name
        boxed = np.empty(N, object)
        boxed[:] = scalars(values)
        assert str(call(**columns | {name: boxed}).to_dict()) == expected(door), name
