"""JSON that is changed on purpose, so that its schema must refuse it."""

import copy


def changed(found, change):
    """A copy of what was found, changed."""
    found = copy.deepcopy(found)
    change(found)
    return found
