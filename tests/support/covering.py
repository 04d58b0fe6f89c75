"""Fewer tests of one function: each value of each axis, or each pair of values, occurs in one of them at least."""

from itertools import combinations


def covering(rows, strength):
    """Places of rows, each a tuple of values by axis, that hold all that any rows hold on `strength` axes together.

    Greedy, and the same at each call: first the row with most that is new, of those the earliest.

    >>> covering([(a, b) for a in "xyz" for b in "12"], 1)
    [0, 3, 4]
    """
    held = [
        {
            (axes, tuple(row[k] for k in axes))
            for axes in combinations(range(len(row)), min(strength, len(row)))
        }
        for row in rows
    ]
    missing, chosen = set().union(*held), []
    while missing:
        most = max(range(len(held)), key=lambda k: (len(held[k] & missing), -k))
        chosen.append(most)
        missing -= held[most]
    return sorted(chosen)


def leave_to_the_slow(items, slow):
    """Mark the tests as slow that `covering(strength)` does not need: they are the rest of the product."""
    functions = {}
    for item in items:
        mark = item.get_closest_marker("covering")
        if mark and hasattr(item, "callspec") and not item.get_closest_marker("slow"):
            functions.setdefault(item.nodeid.split("[")[0], (mark.args[0], []))[1].append(item)
    for strength, found in functions.values():
        axes = axes_of(found[0])
        rows = [values_of(each, axes) for each in found]
        kept = set(covering(rows, strength))
        for k, each in enumerate(found):
            if k not in kept:
                each.add_marker(slow)


def axes_of(item):
    """The names of what is parametrised, those that one `parametrize` names together."""
    named = [mark.args[0] for mark in item.iter_markers("parametrize")]
    axes = [each.replace(" ", "").split(",") if isinstance(each, str) else [*each] for each in named]
    return axes + [[name] for name in item.callspec.params if not any(name in each for each in axes)]


def values_of(item, axes):
    """What a test has on each axis: the same object is the same value."""
    return tuple(tuple(id(item.callspec.params[name]) for name in axis) for axis in axes)
