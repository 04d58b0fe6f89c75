"""Results as mappings and sequences: what `list`, `dict`, `len`, `in` and `bool` give of each kind."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import classay as ca
from classay.errors import ClassayError
from sample_results import RESULTS, patients

ASSESSMENTS = [name for name in RESULTS if name.startswith("assessment") and "prevalence" not in name]
LOOKS = (
    "roc_auc",
    "auc",
    "f_beta(3)",
    "sensitivity",
    "recall[sick]",
    "recall[7]",
    "macro_f1",
    "nope",
    "f_beta()",
)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_true(name: str) -> None:
    assert bool(RESULTS[name]()) is True


def test_a_result_without_items_is_true() -> None:
    assert bool(ca.Comparisons((), ())) is True


@pytest.mark.parametrize("name", ASSESSMENTS)
def test_an_assessment_is_a_mapping_of_its_measures(name: str) -> None:
    a: Any = RESULTS[name]()
    names = list(a)
    assert isinstance(a, Mapping)
    assert (
        names == list(a.keys()) == a.measures["measure"].to_pylist() == [each.name for each in a.applicable()]
    )
    assert len(a) == len(names) == len(set(names))
    assert all(each in a for each in names)
    few = names[:2]
    assert [str(a[each].row) for each in few] == [str(found.row) for found in a.estimates(few).values()]


def test_the_items_are_the_estimates_of_the_report() -> None:
    a: Any = RESULTS["assessment of two classes"]()
    assert {name: str(each.row) for name, each in dict(a).items()} == {
        name: str(each.row) for name, each in a.estimates().items()
    }


@pytest.mark.parametrize("name", ASSESSMENTS)
@pytest.mark.parametrize("key", [*LOOKS, None, 3, ("roc_auc", "new", "old")])
def test_in_and_get_agree_with_the_brackets(name: str, key: Any) -> None:
    a: Any = RESULTS[name]()
    try:
        found = a[key]
    except ClassayError:
        found = None
    if key in a:
        assert str(a.get(key).row) == str(found.row)
    else:
        assert found is None or found.is_undefined
        assert a.get(key) is None
        assert a.get(key, 5) == 5


def test_in_takes_aliases_families_and_classes() -> None:
    a: Any = RESULTS["assessment of two classes"]()
    assert {"roc_auc", "auc", "f_beta(3)", "sensitivity", "recall[sick]"} <= {
        key for key in LOOKS if key in a
    }
    assert "roc_auc" not in RESULTS["assessment of labels alone"]()  # type: ignore[operator]


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


@pytest.mark.parametrize(
    "name", ["comparison of two models", "comparison of three models", "comparison by groups"]
)
def test_in_of_comparisons_takes_what_the_brackets_take(name: str) -> None:
    found: Any = RESULTS[name]()
    assert isinstance(found, Sequence)
    assert all(each in found for each in found)
    assert found[0].changed(p=0.5) not in found
    pair = (found[0].measure, *found[0].models)
    for key in (0, -1, 99, pair, (*pair[:2], "nobody"), found[0].measure, "nope", None, 2.5, slice(0, 1)):
        try:
            found[key]
        except (LookupError, TypeError, ValueError):
            assert key not in found
        else:
            assert key in found


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
