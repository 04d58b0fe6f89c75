"""Frames of results of one kind can be put under each other: their columns have the same types whatever is in them."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import classay as ca
from classay import shown
from sample_results import RESULTS, patients

KINDS = {"text": pa.string(), "flag": pa.bool_(), "whole": pa.int64(), "number": pa.float64()}


@pytest.mark.parametrize("name", RESULTS)
def test_no_column_has_a_type_by_its_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    column_of, empty = shown.column_of, {}

    def spy(name: str, values: Any, kind: Any = None) -> Any:
        empty[name] = column_of(name, [None] * len(values), kind)
        return column_of(name, values, kind)

    monkeypatch.setattr(shown, "column_of", spy)
    table: Any = RESULTS[name]().frame()
    assert not any(pa.types.is_null(kind) for kind in table.schema.types)
    for column, made in empty.items():
        if column in table.column_names:
            assert table.schema.field(column).type == made.type, column


def pairs() -> Iterator[tuple[str, str]]:
    """Samples of one class whose frames have the same columns."""
    kinds: dict[Any, list[str]] = defaultdict(list)
    for name, make in RESULTS.items():
        made = make()
        kinds[type(made).__name__, *made.frame().column_names].append(name)
    return (two for names in kinds.values() for two in pairwise([*names, names[0]]))


def test_frames_of_one_kind_stack() -> None:
    stacked = 0
    for one, other in pairs():
        frames: list[Any] = [RESULTS[name]().frame() for name in (one, other)]
        rows = sum(each.num_rows for each in frames)
        both = pa.concat_tables(frames)
        assert both.num_rows == rows
        assert pl.concat([pl.DataFrame(each) for each in frames]).height == rows
        types = [each.to_pandas(types_mapper=pd.ArrowDtype).dtypes.to_dict() for each in frames]
        assert types[0] == types[1]
        assert len(pd.concat([each.to_pandas() for each in frames])) == rows
        stacked += 1
    assert stacked > 30


def test_a_model_may_have_the_name_of_a_column_of_texts() -> None:
    rows = patients()
    found = ca.compare({"method": rows["new"], "text": rows["old"]}, rows["truth"], positive="sick")
    assert found.p_matrix("roc_auc").schema.types == [pa.string(), pa.float64(), pa.float64()]
