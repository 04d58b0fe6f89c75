"""The defaults that a docstring names, to hold a call without options against."""

import inspect
import re
from ast import literal_eval


def documented_defaults(function):
    """Name and value of every parameter line that ends with `default VALUE`."""
    found = {}
    section = re.split(r"\n-{3,}\n", inspect.cleandoc(function.__doc__).partition("\nParameters\n")[2])
    for line in "\n".join(section[:2]).splitlines():
        if match := re.fullmatch(r"(\w+(?:, \w+)*) : .*\bdefault (.+)", line):
            found |= dict.fromkeys(match[1].split(", "), literal_eval(match[2]))
    return found


def undocumented_defaults(function):
    """Parameters whose default, other than None, is not in the docstring."""
    named = documented_defaults(function)
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default not in (parameter.empty, None) and parameter.name not in named
    ]


def other_defaults(*functions):
    """Defaults of calls that are not those of their docstrings, by function and parameter; empty where all are."""
    assert all(documented_defaults(function) for function in functions)
    return {
        f"{function.__name__}({name})": (value, default)
        for function in functions
        for name, value in documented_defaults(function).items()
        if (default := inspect.signature(function).parameters[name].default) != value
    }
