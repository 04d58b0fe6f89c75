"""Fewer combinations in the fast suite: no value, and at strength 2 no pair of values, is left out of it."""

from itertools import combinations, product
from types import SimpleNamespace

import pytest

from covering import covering, leave_to_the_slow


@pytest.mark.parametrize("strength", [1, 2])
@pytest.mark.parametrize("sizes", [(3, 2), (4, 4), (2, 3, 4), (2, 2, 2, 2), (5,)])
def test_each_value_or_pair_occurs(sizes, strength):
    rows = [*product(*map(range, sizes))][::-1]
    kept = covering(rows, strength)
    for axes in combinations(range(len(sizes)), min(strength, len(sizes))):
        seen, wanted = (
            {tuple(row[k] for k in axes) for row in some} for some in ([rows[k] for k in kept], rows)
        )
        assert seen == wanted
    assert kept == covering(rows, strength)
    assert len(kept) < len(rows) or len(sizes) <= strength


def test_the_rest_is_slow_and_what_is_slow_already_stands_for_nothing():
    class Item:
        def __init__(self, a, b, marks):
            self.nodeid, self.marks = f"test_it[{a}-{b}]", [*marks]
            self.callspec = SimpleNamespace(params={"a": a, "b": b})

        def get_closest_marker(self, name):
            return next((each for each in self.marks if each.name == name), None)

        def iter_markers(self, name):
            return [SimpleNamespace(args=(axis,)) for axis in ("a", "b")]

        def add_marker(self, mark):
            self.marks.append(mark)

    slow, few = SimpleNamespace(name="slow", args=()), SimpleNamespace(name="covering", args=(1,))
    items = [Item(a, b, [few, slow] if a == "x" else [few]) for a in "xyz" for b in "pq"]
    leave_to_the_slow(items, slow)
    assert [each.nodeid for each in items if slow not in each.marks] == ["test_it[y-p]", "test_it[z-q]"]
