"""Results of models over data sets or folds, in long form: a file with a row for each value."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

OF_RESULTS = {
    "dataset": frozenset({"dataset", "datasets", "data", "benchmark", "problem"}),
    "model": frozenset({"model", "classifier", "algorithm", "method", "learner", "estimator", "system"}),
    "fold": frozenset({"fold", "split"}),
    "run": frozenset({"run", "repeat", "repetition", "seed"}),
}
"""Words in the names of columns of results in long form, by the options that name these columns."""


def long_form(numeric: Mapping[str, bool]) -> dict[str, str]:
    """Return the options that name the columns of results in long form; none where a file does not look so.

    `numeric` says of each column whether it has numbers. One column is left for the values.

    >>> long_form({"dataset": False, "classifier": False, "accuracy": True})
    {'--dataset': 'dataset', '--model': 'classifier', '--value': 'accuracy'}
    >>> long_form({"y": True, "model": False, "score": True, "p": True})
    {}
    """
    options: dict[str, str] = {}
    for name in numeric:
        role = next((role for role, words in OF_RESULTS.items() if name.lower().split("_")[0] in words), None)
        if role is not None and f"--{role}" not in options:
            options[f"--{role}"] = name
    values = [name for name in numeric if name not in options.values()]
    if "--model" not in options or not {"--dataset", "--fold"} & {*options} or len(values) != 1:
        return {}
    if not numeric[values[0]] or numeric[options["--model"]]:
        return {}
    return {
        name: options[name] for name in ("--dataset", "--model", "--fold", "--run") if name in options
    } | {"--value": values[0]}


def wanted_of_results(
    usual: tuple[str, str, str], columns: Sequence[tuple[str, str]]
) -> tuple[str, str, str]:
    """Return which columns `classay compare` must name, which it may, and an example; as usual for other files.

    `columns` are names and types of Arrow.
    """
    options = long_form({name: kind.startswith(NUMBERS) for name, kind in columns})
    if not options:
        return usual
    example = " ".join(f"{option} {shlex.quote(name)}" for option, name in options.items())
    return "the columns of results over data sets or folds", "", example


NUMBERS = ("int", "uint", "float", "double", "halffloat", "decimal")
"""How types of numbers begin."""
