"""Bands of numbers and unlabeled cases, counted again case by case."""

from collections import Counter

import numpy as np
import pytest

from classay.assessment.bands import banded, many_numbers, warned_of_numbers
from classay.assessment.group_labels import Group
from classay.assessment.unlabeled import UnlabeledCases, add_unlabeled, bin_keys

EDGES = [-2.5, 0.0, 3.0]


def band_of(number, edges):
    """The name of the band that a number lies in."""
    below = [edge for edge in edges if edge <= number]
    above = [edge for edge in edges if edge > number]
    if not below:
        return f"below {edges[0]:g}"
    return f"{below[-1]:g} to below {above[0]:g}" if above else f"{below[-1]:g} or more"


def drawn(seed):
    """Codes of groups, -1 without one, their numbers, how many cases each row is, and numbers without a case."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(-4, 6) / rng.choice([1, 2]))[: rng.integers(4, 10)].tolist()
    codes = rng.integers(-1, len(labels), 60)
    times = None if seed % 2 else rng.integers(0, 5, 60).astype(float)
    return codes, labels, times, rng.integers(-9, 9, 3).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_each_case_is_in_the_band_of_its_number(seed):
    codes, labels, times, empty = drawn(seed)
    found = banded(codes, labels, times, empty, "age", EDGES)
    bands = [band_of(number, EDGES) for number in labels]
    assert [None if k < 0 else found.labels[k] for k in found.codes] == [
        None if k < 0 else bands[k] for k in codes
    ]
    order = [band_of(number, EDGES) for number in (-3, -1, 1, 4)]
    assert [*found.labels] == [band for band in order if band in bands]
    assert {*found.without_cases} == {band_of(number, EDGES) for number in empty} - {*bands}
    assert len({*found.without_cases}) == len(found.without_cases)


@pytest.mark.parametrize("parts", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_quantiles_begin_where_the_cases_before_them_are_nearest_to_their_share(seed, parts):
    codes, labels, times, empty = drawn(seed)
    found = banded(codes, labels, times, empty, "age", f"{parts}q")
    cases = Counter()
    for row, code in enumerate(codes):
        if code >= 0:
            cases[labels[code]] += 1 if times is None else times[row]
    total, numbers = sum(cases.values()), sorted(labels)
    before = [sum(cases[other] for other in numbers if other < number) for number in numbers]
    edges = []
    for part in range(1, parts):
        distance = [abs(some - total * part / parts) for some in before]
        edge = numbers[distance.index(min(distance))]
        edges += [edge] if edge not in edges and edge > numbers[0] else []
    wanted = [None if code < 0 else band_of(labels[code], edges) for code in codes]
    assert [None if code < 0 else found.labels[code] for code in found.codes] == wanted


def test_groups_of_two_columns_have_bands_of_the_one_that_is_named():
    labels = [Group(("age", "site"), [age, site]) for age in (30, 10, 20) for site in "ab"]
    codes = np.array([0, 1, 2, 3, 4, 5, -1])
    found = banded(codes, labels, None, [Group(("age", "site"), [99, "c"])], "age,site", {"age": [20]})
    names = [tuple(found.labels[code]) for code in found.codes[:-1]]
    assert names == [(band_of(next(iter(label)), [20]), tuple(label)[1]) for label in labels]
    assert found.codes[-1] == -1
    assert [tuple(each) for each in found.without_cases] == [("20 or more", "c")]


@pytest.mark.parametrize(
    ("groups", "many"),
    [
        (range(19), False),
        (range(20), True),
        (np.arange(1234).tolist(), True),
        ([*range(30), "a"], False),
        ([*range(2, 30), True], False),
    ],
)
def test_many_single_numbers_are_told(groups, many):
    found = warned_of_numbers([*groups], "age")
    assert bool(found) == (many_numbers([*groups], "age") is not None) == many
    if many:
        assert found[0].code == "many_numeric_groups"
        assert f"The {len(groups):,} groups by age are single numbers" in str(found[0])


@pytest.mark.parametrize("seed", range(4))
def test_unlabeled_cases_of_two_parts_are_counted_together(seed):
    """Bins are those of the scores, in their order; labels are kept only where both were cut at one threshold."""
    rng = np.random.default_rng(seed)
    parts = []
    for cutoff in (0.5, 0.5 if seed % 2 else 0.4):
        scores, times = rng.random(30).round(1), rng.integers(1, 4, 30)
        bins, called = Counter(), Counter()
        for score, n in zip(scores, times.tolist(), strict=True):
            bins[int(bin_keys(np.array([score]))[0])] += n
            called[bool(score >= cutoff)] += n
        keys = sorted(bins)
        parts.append(
            UnlabeledCases(
                int(times.sum()), tuple(keys), tuple(bins[key] for key in keys), tuple(called.items()), cutoff
            )
        )
    first, second = parts
    found = add_unlabeled(first, second)
    wanted = Counter(dict(zip(first.keys, first.counts, strict=True)))
    wanted.update(dict(zip(second.keys, second.counts, strict=True)))
    assert found.cases == first.cases + second.cases
    assert dict(zip(found.keys, found.counts, strict=True)) == wanted
    assert [*found.keys] == sorted(wanted)
    if seed % 2:
        assert Counter(dict(found.called)) == Counter(dict(first.called)) + Counter(dict(second.called))
        assert found.cutoff == 0.5
    else:
        assert (found.called, found.cutoff) == (None, None)
    assert add_unlabeled(None, first) is first
    assert add_unlabeled(first, None) is first
    assert add_unlabeled(None, None) is None
    ascending = np.sort(rng.normal(size=50))
    assert (np.diff(bin_keys(ascending)) >= 0).all()
