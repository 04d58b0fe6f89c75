"""The stub of `import classay`: the public names of the core and its wings, as type checkers and editors read them."""

from collections import defaultdict

from classay.wings import brought


def stub() -> str:
    """The text of `__init__.pyi`."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for name, module in brought("public").items():
        modules[module].append(name)
    lines = ["# Written by `python -m manual`: the names of core_wing.py and of each wing.py.", ""]
    lines += [f"from classay import {name} as {name}" for name in sorted(brought("rooms"))]
    for module in sorted(modules):
        lines += [f"from {module} import {name} as {name}" for name in sorted(modules[module])]
    lines += ["", "__version__: str", "__all__ = ["]
    names = sorted(brought("public"), key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    lines += [f'    "{name}",' for name in names]
    return "\n".join([*lines, "]", ""])
