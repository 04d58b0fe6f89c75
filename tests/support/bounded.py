"""Arrays in which a place before the first is an error, as one behind the last is: for loops that get compiled."""

import numpy as np


class Bounded(np.ndarray):
    """An array without places before its first."""

    def __getitem__(self, at):
        found = super().__getitem__(_inside(at))
        return found.view(Bounded) if isinstance(found, np.ndarray) else found

    def __setitem__(self, at, value):
        super().__setitem__(_inside(at), value)


def _inside(at):
    """The place, which may be the last, -1, where a loop says so."""
    for each in at if isinstance(at, tuple) else (at,):
        if isinstance(each, int | np.integer) and (each < -1 or (each < 0 and type(each) is not int)):
            raise IndexError(each)
    return at


def bounded(loop, args):
    """What a loop gives on such arrays; what it writes is in those that were given."""
    views = {id(each): each.view(Bounded) for each in args if isinstance(each, np.ndarray)}
    found = loop(*[views.get(id(each), each) for each in args])  # one array stays one
    plain = [np.asarray(each) if isinstance(each, Bounded) else _number(each) for each in _several(found)]
    return tuple(plain) if isinstance(found, tuple) else plain[0]


def _several(found):
    return found if isinstance(found, tuple) else (found,)


def _number(each):
    """A number as Numba gives it."""
    return each.item() if isinstance(each, np.generic) else each
