"""Commands that take groups of options: dataclasses whose fields are options, each written once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import Any, get_type_hints

from typer.models import ParameterInfo


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer reads it: the options of each group in its place, and the group made of what they hold.

    A field of a group is an option where its annotation says so, a group of its own where it is a dataclass, and else
    no option: it keeps its default.

    >>> from classay.cli.options import Reading
    >>> def show(file: str, *, reading: Reading) -> None:
    ...     print(file, reading)
    >>> as_read = spread(show)
    >>> list(inspect.signature(as_read).parameters)
    ['file', 'format', 'delimiter']
    >>> as_read(file="p.csv", format=None, delimiter=";")
    p.csv Reading(format=None, delimiter=';')
    """
    parameters = inspect.signature(command, eval_str=True).parameters
    groups = {name: _Group.of(each.annotation) for name, each in parameters.items() if _is_group(each)}

    @functools.wraps(command)
    def run(**options: Any) -> None:
        made = {name: group.taken_from(options) for name, group in groups.items()}
        command(**options, **made)

    flat: list[inspect.Parameter] = []
    for name, each in parameters.items():
        flat += groups[name].parameters() if name in groups else [_by_name(each)]
    run.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    return run


@dataclass(frozen=True)
class _Group:
    """A dataclass, its fields that are options with their annotations, and its fields that are groups."""

    made: type
    options: dict[str, tuple[Field[Any], Any]]
    groups: dict[str, _Group]

    @classmethod
    def of(cls, made: type) -> _Group:
        hints = get_type_hints(made, include_extras=True)
        known = {each.name: (each, hints[each.name]) for each in fields(made)}
        return cls(
            made,
            {name: (each, hint) for name, (each, hint) in known.items() if _is_option(hint)},
            {
                name: cls.of(hint)
                for name, (_, hint) in known.items()
                if isinstance(hint, type) and is_dataclass(hint)
            },
        )

    def parameters(self) -> Iterator[inspect.Parameter]:
        """What Typer makes the options of, in the order of the fields."""
        for each in fields(self.made):
            if each.name in self.groups:
                yield from self.groups[each.name].parameters()
            elif each.name in self.options:
                field, hint = self.options[each.name]
                default = inspect.Parameter.empty if field.default is MISSING else field.default
                yield inspect.Parameter(
                    each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint
                )

    def taken_from(self, options: dict[str, Any]) -> Any:
        """The group with its options, which are taken out of those of the command."""
        own = {name: options.pop(name) for name in self.options}
        return self.made(**own, **{name: group.taken_from(options) for name, group in self.groups.items()})


def _is_option(hint: Any) -> bool:
    return any(isinstance(each, ParameterInfo) for each in getattr(hint, "__metadata__", ()))


def _is_group(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)


def _by_name(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
