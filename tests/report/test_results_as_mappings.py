"""Results as mappings and sequences: what `list`, `dict`, `len`, `in` and `bool` give of each kind."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pytest

import classay as ca
from classay.comparison.comparison import BASELINE
from classay.errors import ClassayError
from sample_results import RESULTS
from wing_samples import of_wings

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


@pytest.mark.parametrize(
    "name", ["comparison of two models", "comparison of three models", *chain(*of_wings("COMPARISONS"))]
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


@pytest.mark.parametrize("name", RESULTS)
def test_what_a_result_does_not_have_is_refused(name: str) -> None:
    """And of several models, or groups, no measure is given under its name alone: it would be that of the first."""
    r: Any = RESULTS[name]()
    if not hasattr(type(r), "__getitem__"):
        return
    with pytest.raises((ClassayError, KeyError, IndexError, TypeError)):
        r["no such name"]
    if not isinstance(r, Sequence) and len({*getattr(r, "models", ())} - {BASELINE}) > 1:
        for measure in ("accuracy", "micro_f1"):
            with pytest.raises((ClassayError, KeyError)):
                r[measure]
