"""What groups of cases add to `report/test_results_as_mappings.py`."""

from collections.abc import Mapping
from typing import Any

import pytest

import classay as ca
from sample_results import patients


def test_mappings_are_equal_to_themselves_alone() -> None:
    rows = patients()
    first, second = (ca.assess(rows["truth"], rows["new"], positive="sick") for _ in range(2))
    assert first == first
    assert first != second
    assert first != dict(first)
    assert len({first, second}) == 2
    groups = ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")
    assert groups == groups
    assert groups != dict(groups)
    assert hash(groups)


def test_slices_are_a_mapping_of_groups() -> None:
    rows = patients()
    groups = ca.assess_by(rows["truth"], rows["new"], by=rows["site"], positive="sick")
    assert isinstance(groups, Mapping)
    assert list(groups) == list(groups.keys()) == ["north", "south"]
    assert dict(groups) == groups.groups
    assert "north" in groups
    assert "east" not in groups
    assert groups.get("east") is None
    pooled = ca.assess_by(rows["truth"], rows["new"], by=rows["clinic"], positive="sick").pool(8)
    small = pooled.pooled.labels[0]  # type: ignore[union-attr]
    assert small not in pooled
    assert pooled.pooled.name in pooled  # type: ignore[union-attr]


REFUSING: dict[str, Any] = {
    "scores": ca.assess,
    "truth": lambda y, a: ca.assess(a, y),
    "models": lambda y, a: ca.compare(a, y),
    "groups": lambda y, a: ca.assess_by(y, y, by=a),
    "amounts": lambda y, a: ca.assess(y, y, amounts=a),
    "fold scores": lambda y, a: ca.compare_learners(a, test_over_train=0.1),
    "data sets": lambda y, a: ca.compare_datasets(a),
    "ROC space": lambda y, a: ca.roc_space(a),
}


@pytest.mark.parametrize("door", REFUSING)
def test_an_assessment_is_not_taken_for_a_dict_of_columns(door: str) -> None:
    rows = patients()
    a = ca.assess(rows["truth"], rows["new"], positive="sick")
    with pytest.raises(ca.InputError) as refused:
        REFUSING[door](rows["truth"], a)
    assert "accuracy" not in str(refused.value)
