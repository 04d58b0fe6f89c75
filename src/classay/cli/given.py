"""Given options, each once, used or refused; groups of options; their help; files of settings.

Settings of a gate in a file that lies beside the code: `[tool.classay]` of pyproject.toml, or classay.toml.

Columns, levels and seeds stand in that table itself; what a gate demands may stand there or in its table `gate`, which
takes precedence. Options of the command line take precedence over both.
"""

from __future__ import annotations

import functools
import inspect
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, get_args, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import ParameterInfo

from classay.column_names import refuse_shared_columns
from classay.errors import ClassayError, FileError, InputError, nearest
from classay.kinds import shown
from classay.texts import clean
from classay.wings import brought, thing

if TYPE_CHECKING:
    from classay.kinds import Alternative

OWN, PROJECT = "classay.toml", "pyproject.toml"
PAIRS = {"class_scores": ",", "cost": None, "threshold": ","}
"""Settings that may be tables of names and values, and what joins them to one text; None where each is an option."""
MOST_BYTES = 1 << 22
"""A file of settings holds less: reading would not end on a device that never does."""
DECIDING = ("by", "time", "cluster", "weight", "threshold", "method", "require", "cost")
"""Settings that change a verdict: where they cannot be followed, they are refused, as options are."""
OUTSIDE_QUOTES = re.compile(r',(?=[^"]*(?:"[^"]*"[^"]*)*$)')
"""A comma that is in no name."""
BY_MODEL = "class_scores"
"""The setting that may hold a table for each of several models."""


@dataclass(frozen=True)
class Settings:
    """The settings that a file has for a command, by the names of its parameters, and where they stand."""

    path: Path
    table: str
    values: dict[str, Any]

    def __str__(self) -> str:
        names = ", ".join(name.replace("_", "-") for name in self.values) or "nothing"
        where = f" [{self.table}]" if self.table else ""
        return clean(f"settings of {self.path}{where}: {names}")


@dataclass(frozen=True)
class KnownOptions:
    """The options of a command: those that may be settings, those that hold lists, and those for one call only."""

    settings: Collection[str]
    lists: Collection[str] = ()
    of_one_call: Collection[str] = ()


def settings_for(command: str, known: KnownOptions, folder: Path, named: str | None) -> Settings | None:
    """Return the settings of a command, of the file that is `named`, or of the nearest one from a folder upwards.

    Raises InputError for a key that is no option of the command, with the nearest one, for an option of one call only,
    and for a value of another kind; FileError for a file that is not there or no TOML.
    """
    if named is not None:
        path = Path(named)
        content = _content(path)
        project = path.name == PROJECT
        return _read(path, _table(content, path) if project else content, command, known)
    for directory in (folder, *folder.parents):
        own_file, project_file = directory / OWN, directory / PROJECT
        if _is_there(own_file):
            return _read(own_file, _content(own_file), command, known)
        if _is_there(project_file):
            table = _table(_content(project_file), project_file)
            if table is not None:
                return _read(project_file, table, command, known)
    return None


def _is_there(path: Path) -> bool:
    """Check whether there are settings here; a link that leads nowhere counts, and is an error when it is read."""
    return path.is_file() or path.is_symlink()


def _content(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            read = file.read(MOST_BYTES + 1)
        if len(read) > MOST_BYTES:
            raise FileError(f"{path} is longer than {MOST_BYTES >> 20} MB. Use a settings file.")
        return tomllib.loads(read.decode("utf-8-sig"))
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"Settings file not found: {path}. Check the path of --config.") from None
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is not valid TOML: byte {error.start} is not UTF-8. Save the file as UTF-8."
        ) from None
    except RecursionError:
        raise FileError(f"{path} is not valid TOML: lists or tables are nested too deeply.") from None
    except (
        OSError,
        ValueError,
    ) as error:  # TOML that is none, a number of too many digits, no name of a file
        raise FileError(f"{path} is not valid TOML: {clean(str(error))}.") from None


def _table(content: Mapping[str, object], path: Path) -> dict[str, Any] | None:
    """Return the table [tool.classay] of a pyproject.toml, if there is one."""
    tool = content.get("tool", {})
    settings = tool.get("classay") if isinstance(tool, dict) else None
    if settings is not None and not isinstance(settings, dict):
        raise InputError(f"{path}: tool.classay must be a table, [tool.classay], but is {shown(settings)}.")
    return settings


def _read(path: Path, table: Mapping[str, object] | None, command: str, known: KnownOptions) -> Settings:
    name = "tool.classay" if path.name == PROJECT else ""
    table_name = f"{name}.{command}".lstrip(".")
    table = {} if table is None else table
    inside = table.get(command, {})
    if not isinstance(inside, dict):
        raise InputError(f"{path}: {table_name} must be a table, [{table_name}], but is {shown(inside)}.")
    values = {}
    for where, entries in ((name, {k: v for k, v in table.items() if k != command}), (table_name, inside)):
        for key, value in entries.items():
            _refuse_twice(key, entries, path)
            option = key.replace("-", "_")
            if option not in known.settings:
                there = f"{path}: {key!r}{f' in [{where}]' if where else ''}"
                raise InputError(f"{there} {_why_no_setting(option, command, known)}")
            values[option] = _value(option, value, f"{path}: {key}", known.lists)
    return Settings(path, table_name if inside else name, values)


def _why_no_setting(option: str, command: str, known: KnownOptions) -> str:
    if option in known.of_one_call:
        return (
            f"is not a setting, but an option of one call of `classay {command}`. Use --{_as_option(option)} on the "
            "command line."
        )
    near = nearest(_as_option(option), [*map(_as_option, known.settings)]) or "."
    return f"is not a setting of `classay {command}`. Settings are named like its options{near}"


def _refuse_twice(key: str, entries: Mapping[str, object], path: Path) -> None:
    other = key.replace("-", "_")
    if other != key and other in entries:
        raise InputError(
            f"{path} sets {key!r} and {other!r}, which are the same setting. Remove one of the two."
        )


def _as_option(name: str) -> str:
    return name.replace("_", "-")


def _value(option: str, value: Any, where: str, lists: Collection[str]) -> Any:
    """Return a value in the form that its option takes: texts and numbers unchanged, tables of pairs as texts."""
    if isinstance(value, dict):
        if option == BY_MODEL and value and all(isinstance(each, dict) for each in value.values()):
            return [f"{_quoted(model)}:{_value(option, each, where, lists)}" for model, each in value.items()]
        if option not in PAIRS or not all(isinstance(each, str | int | float) for each in value.values()):
            raise InputError(f"{where} must be a text or a number, but is a table.")
        pairs = [f"{_quoted(name)}={_quoted(str(each))}" for name, each in value.items()]
        separator = PAIRS[option]
        return pairs if separator is None else separator.join(pairs)
    if option in lists and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return value
    wanted = "a text, a number, or a list of texts" if option in lists else "a text or a number"
    raise InputError(f"{where} must be {wanted}, but is {shown(value)}.")


def as_names(names: Collection[str]) -> str:
    """Names as one option takes them: with commas between, and in quotes where a name holds one, or a blank at an end.

    >>> as_names(["new", "p(x, y)"])
    'new,"p(x, y)"'
    """
    return ",".join(map(_quoted, names))


def _quoted(text: str) -> str:
    is_plain = not any(mark in text for mark in ',:="') and text == text.strip()
    return text if is_plain else '"' + text.replace('"', '""') + '"'


def tests() -> list[str]:
    """Return the names of all tests that `--method` takes, each once; their order depends on no import."""
    return list(
        dict.fromkeys(name for _, by_kind in _tests() for names in by_kind.values() for name in names)
    )


def described_tests() -> str:
    """The tests by source of randomness, and on one test set by their input; their order depends on no import."""
    parts = []
    for where, by_kind in _tests():
        if len(by_kind) > 1:
            described = "; ".join(f"{', '.join(names)} ({kind})" for kind, names in by_kind.items())
        else:
            described = ", ".join(name for names in by_kind.values() for name in names)
        parts.append(f"{where[0].upper()}{where[1:]}: {described}.")
    return " ".join(parts)


def _tests() -> list[tuple[str, dict[str, list[str]]]]:
    import classay.comparison.comparing  # noqa: F401 - its modules register the tests
    from classay.comparison.named_tests import DATA_SETS, DIFFERENT_TEST_SETS, FOLDS, ONE_TEST_SET, TESTS
    from classay.comparison.ways import ways

    ways()  # as do their modules

    groups = []
    for where in (ONE_TEST_SET, DIFFERENT_TEST_SETS, FOLDS, DATA_SETS):
        by_kind: dict[str, list[str]] = {}
        for test in sorted(TESTS, key=lambda known: (known.of, known.name)):
            if test.where == where:
                kind = test.of.split(" of ")[0] if where in (ONE_TEST_SET, DIFFERENT_TEST_SETS) else ""
                by_kind.setdefault(kind, []).append(test.name)
        groups.append((where.removeprefix("on ").removeprefix("over "), by_kind))
    return groups


def adjustments() -> list[str]:
    """Return the names that `--adjustment` takes."""
    from classay.inference.significance import METHODS

    return list(METHODS)


def intervals() -> list[str]:
    """Return the names of the methods that are intervals on request, as they are typed."""
    import classay.inference.intervals  # noqa: F401 - its modules register the methods
    from classay.inference.methods import ON_REQUEST, all_methods

    # whatever was imported first
    return sorted({one.name.casefold().replace(" ", "-") for one in all_methods() if one.when is ON_REQUEST})


def models() -> list[str]:
    """Return the names of models that `--models` takes."""
    recipes = brought("words").get("models")
    return [] if recipes is None else list(thing(recipes))


def _listed(names: Callable[[], Iterable[str]]) -> Callable[[], str]:
    return lambda: ", ".join(names())


WORDS: dict[str, Callable[[], str]] = {
    "tests": described_tests,
    "adjustments": _listed(adjustments),
    "intervals": _listed(intervals),
    "models": _listed(models),
}
"""The text that replaces a name in braces in the help of an option."""


def filled(help_of_option: str) -> str:
    """Return the help of an option with the words of registries where their names stand in braces.

    >>> filled("Of the p-values: {adjustments}.")
    'Of the p-values: holm, bonferroni, hommel, hochberg, benjamini_hochberg, benjamini_yekutieli.'
    """
    return re.sub(r"\{(\w+)\}", lambda match: WORDS[match[1]](), help_of_option)


_GIVEN, _SETTINGS = "classay.given", "classay.settings"
OF_INPUTS = ("FILE", "PILOT", "JSON")
"""How the help writes the value of an argument or option that is a file to read; one to write is OUT."""
FILES_READ: ContextVar[Sequence[str | None]] = ContextVar("FILES_READ", default=())
"""The files that the options of the present call name as inputs, which no output may replace."""


_TAG = re.compile(r"(?<!\\)\[(?=[a-zA-Z#/@])")


def literal(text: str) -> str:
    r"""Return a text in which Typer's help sees no markup, not even in the name of a table in brackets.

    >>> literal("[tool.classay], and scores in [0, 1]") == literal(literal("[tool.classay], and scores in [0, 1]"))
    True
    >>> print(literal("[tool.classay], and scores in [0, 1]"))
    \[tool.classay], and scores in [0, 1]
    """
    return _TAG.sub(r"\\[", text)


class OptionsOnce(TyperCommand):
    """A command that refuses an option with two values, of which only the last would count, and records given options.

    Its help holds the words of registries (`registries.WORDS`).
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, after recording which options were given."""
        leave_as_given(self.get_params(ctx))
        if args and not ctx.resilient_parsing:
            values, _, order = self.make_parser(ctx).parse_args(args=list(args))
            options = [each for each in order if each.param_type_name == "option"]
            for option in options:
                if not option.multiple and len(_values(option, args)) > 1:
                    name = option.opts[0]
                    more = ", with a list such as a,b" if "," in (option.metavar or "") else ""
                    ctx.fail(f"{name} is given twice. Use it once{more}")
            ctx.meta[_GIVEN] = {option.name: option.opts[0] for option in options}
            if not values.get("help"):
                self.prepare(ctx, values.get("config"))
        left = super().parse_args(ctx, args)
        FILES_READ.set([ctx.params.get(option.name) for option in self.params if option.metavar in OF_INPUTS])
        try:
            columns = {str(option.name): _columns(option, ctx) for option in self.params}
            refuse_shared_columns(columns, lambda role: f"--{_as_option(role)}")
        except InputError as error:
            ctx.fail(error.at_the_command.rstrip("."))
        return left

    def prepare(self, ctx: Any, config: str | None) -> None:
        """A step for subclasses, once each option is known to be given once; `config` is the text of `--config`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help with the words of registries filled in, and no markup but Typer's own."""
        written: list[Any] = [self, *self.params]
        for parameter in written:
            text = getattr(parameter, "help", None)
            if text is not None:
                parameter.help = literal(filled(text))
        if self.epilog is not None:
            self.epilog = literal(self.epilog)
        super().format_help(ctx, formatter)


def _columns(option: Any, ctx: Any) -> list[str]:
    """Return the columns that an option may name: those of a list, and of pairs such as `cat=p_cat`."""
    of = ctx.params.get(option.name) if option.param_type_name == "option" else None
    texts: list[str] = [of] if isinstance(of, str) else [*of] if isinstance(of, list | tuple) else []
    if "," in (metavar := option.metavar or ""):
        texts = [name.strip().strip('"') for text in texts for name in OUTSIDE_QUOTES.split(text)]
    return [text.partition("=")[2].strip('"') or text for text in texts] if "=" in metavar else texts


def leave_as_given(parameters: Iterable[Any]) -> None:
    """Keep texts and defaults unconverted. Conversion imports Pydantic, which takes 0.1 s."""
    for parameter in parameters:
        if of_typer := getattr(type(parameter), "get_runtime_param", None):  # of a Typer that does
            coerce = functools.partial(_coerced, functools.partial(of_typer, parameter))
            parameter.get_runtime_param = functools.partial(SimpleNamespace, coerce=coerce)


def _coerced(converted: Callable[[], Any], value: Any, param: Any, ctx: Any) -> Any:
    is_list, kind = param.multiple or param.nargs == -1, param.type_descriptor.annotation
    texts = value if isinstance(value, list | tuple) else [value]
    if value is None:
        return () if is_list else None
    is_text = kind in (str, list[str]) and all(isinstance(text, str) for text in texts)
    if value is param.default or is_text or (isinstance(value, str) and value in get_args(kind)):
        return list(texts) if is_list else value
    return converted().coerce(value, param=param, ctx=ctx)


def _values(option: Any, args: list[str]) -> set[str]:
    """Return the different values that an option is given; a flag has one, however often it stands there."""
    if option.is_flag:
        return {""}
    values = set()
    for place, argument in enumerate(args):
        name, _, value = argument.partition("=")
        if argument in option.opts:
            values.add(" ".join(args[place + 1 : place + 2]))
        elif name in option.opts:
            values.add(value)
    return values


class WithSettings(OptionsOnce):
    """A command whose options may stand in a file of settings too; the command line takes precedence."""

    def prepare(self, ctx: Any, config: str | None) -> None:
        """Put the settings of the nearest file in the place of defaults."""
        ctx.default_map = self._defaults(ctx, config)

    def _defaults(self, ctx: Any, named: str | None) -> dict[str, Any]:
        options = [each for each in self.params if each.param_type_name == "option"]
        known = {
            written.lstrip("-").replace("-", "_"): option
            for option in options
            for written in option.opts
            if option.name not in OF_ONE_CALL
        }
        try:
            lists = {name for name, option in known.items() if _takes_list(option)}
            config = settings_for(str(self.name), KnownOptions(known, lists, OF_ONE_CALL), Path.cwd(), named)
        except ClassayError as error:
            ctx.fail(error.at_the_command.rstrip("."))
        if config is None:
            return {}
        ctx.meta[_SETTINGS] = str(config)
        return {known[name].name: _as_given(known[name], value) for name, value in config.values.items()}


def _takes_list(option: Any) -> bool:
    """Check whether an option is given several times, or holds several names with commas between."""
    return bool(option.multiple) or "," in (option.metavar or "")


def _as_given(option: Any, value: Any) -> Any:
    """Return a setting as the option would have it on the command line: a list of names as one text."""
    if option.multiple:
        return value if isinstance(value, list) else [value]
    return as_names(value) if isinstance(value, list) else value


TEXTS = ("json", "markdown", "latex", "html")
"""The options that write a text, of every command; a new one joins here, in `outputs` and in `options`."""
FORMS = (*TEXTS, *brought("outputs"), *(name[7:] for name in brought("ways") if name.startswith("report.")))
"""The options of what is written of a result, those of wings too."""
OF_ONE_CALL = frozenset({"help", "config", *FORMS})
"""Options that say what one call does, and stand in no file of settings."""


def settings_used(context: typer.Context) -> str | None:
    """Return the file of settings that was read, and what it settles, in one line; None where there was none."""
    settings: str | None = context.meta.get(_SETTINGS)
    return settings


def given(context: typer.Context) -> dict[str, str]:
    """Return the options on the command line, by the names of their parameters, as `{"all_measures": "--all"}`."""
    options: dict[str, str] = context.meta.get(_GIVEN, {})
    return options


def refuse_others(context: typer.Context, used: Collection[str], why: str) -> None:
    """Refuse the first given option that this way of calling a command does not use; defaults do not count.

    Of the settings of a file, those that change a verdict count, because one file may serve several ways of calling.

    Raises InputError that names it and says `why`.
    """
    defaults = {each.name: each.default for each in context.command.params}
    for name, option in given(context).items():
        if name not in used and context.params.get(name) != defaults.get(name):
            raise InputError(f"{option} cannot be used {why}. Remove it.")
    for name in DECIDING:
        if name in (context.default_map or {}) and name not in used:
            raise InputError(f"The setting {name!r} cannot be used {why}. Remove it.")


class Way(Protocol):
    """Options that a wing adds to a command of the core, and what the command answers where they are named."""

    uses: ClassVar[frozenset[str]]
    """The options of the command that have a meaning beside these, and these."""
    beside: ClassVar[str]
    """Why the other options have none, as `refuse_others` says it."""

    def is_named(self) -> bool:
        """Check whether the command is called this way."""

    def answer(
        self, sources: Any, *, alternative: Alternative, adjustment: str, level: float, seed: int
    ) -> Any:
        """Return the result."""


@dataclass(frozen=True)
class OfWings:
    """Marks the parameter of a command, or the field of a group, that receives the ways that wings add, as a tuple."""

    command: str

    def ways(self) -> tuple[type, ...]:
        """Return the dataclasses of options that wings bring for the command."""
        places = brought("options")
        return tuple(thing(places[name]) for name in places if name.partition(".")[0] == self.command)

    def unset(self) -> tuple[Any, ...]:
        """Return the ways with none of their options given."""
        return tuple(way() for way in self.ways())


@dataclass(frozen=True)
class OfWay:
    """Marks an option that a command has only where a wing brings the way that answers it, such as "assess.by"."""

    way: str

    @property
    def is_brought(self) -> bool:
        """Whether a wing brings the way."""
        return self.way in brought("ways")


def _reading() -> tuple[str, ...]:
    """Return the options that say how a file is read, those of wings too."""
    added = (field.name for way in OfWings("read").ways() for field in fields(way))
    return ("format", "delimiter", *added)


READING = _reading()
"""The options that say how a file is read, which listing its columns uses too."""


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """A command for Typer: it has the options of each group in the group's place, and makes the group of their values.

    A field of a group is an option if its annotation says so, a group of its own if it is a dataclass, and otherwise no
    option: it keeps its default; so does an option marked by `OfWay` that no wing answers. A parameter or field marked
    by `OfWings` has the options of every way of a wing.

    >>> from classay.cli.options import Roles
    >>> def show(file: str, *, roles: Roles) -> None:
    ...     print(file, roles)
    >>> as_read = spread(show)
    >>> list(inspect.signature(as_read).parameters)
    ['file', 'weight', 'frequency', 'cluster']
    >>> as_read(file="p.csv", weight="w", frequency=None, cluster=None)
    p.csv Roles(weight='w', frequency=None, cluster=None)
    """
    parameters = inspect.signature(command, eval_str=True).parameters
    groups = {name: _Group.of(each.annotation) for name, each in parameters.items() if _is_group(each)}
    ways = {
        name: [_Group.of(way) for way in mark.ways()]
        for name, parameter in parameters.items()
        if (mark := _mark(parameter.annotation)) is not None
    }

    @functools.wraps(command)
    def run(**options: Any) -> None:
        group_values = {name: group.taken_from(options) for name, group in groups.items()}
        added = {name: tuple(way.taken_from(options) for way in of_wings) for name, of_wings in ways.items()}
        command(**options, **group_values, **added)

    flat: list[inspect.Parameter] = []
    for name, parameter in parameters.items():
        if name in ways:
            flat += [option for way in ways[name] for option in way.parameters()]
        elif not _is_absent(parameter.annotation):
            flat += groups[name].parameters() if name in groups else [_by_name(parameter)]
    run.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    return run


@dataclass(frozen=True)
class _Group:
    """A dataclass, its fields that are options with their annotations, that are groups, and that are ways of wings."""

    made: type
    options: dict[str, tuple[Field[Any], Any]]
    groups: dict[str, _Group]
    ways: dict[str, list[_Group]]

    @classmethod
    def of(cls, group_class: type) -> _Group:
        hints = get_type_hints(group_class, include_extras=True)
        known = {field.name: (field, hints[field.name]) for field in fields(group_class)}
        return cls(
            group_class,
            {name: (field, hint) for name, (field, hint) in known.items() if _is_option(hint)},
            {
                name: cls.of(hint)
                for name, (_, hint) in known.items()
                if isinstance(hint, type) and is_dataclass(hint)
            },
            {
                name: [cls.of(way) for way in mark.ways()]
                for name, (_, hint) in known.items()
                if (mark := _mark(hint)) is not None
            },
        )

    def parameters(self) -> Iterator[inspect.Parameter]:
        """Yield the parameters of which Typer makes the options, in the order of the fields."""
        for member in fields(self.made):
            if member.name in self.groups:
                yield from self.groups[member.name].parameters()
            elif member.name in self.ways:
                for way in self.ways[member.name]:
                    yield from way.parameters()
            elif member.name in self.options:
                field, hint = self.options[member.name]
                default = inspect.Parameter.empty if field.default is MISSING else field.default
                yield inspect.Parameter(
                    member.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint
                )

    def taken_from(self, options: dict[str, object]) -> Any:
        """Return the group with its options, which are taken out of those of the command."""
        values = {name: options.pop(name) for name in self.options}
        groups = {name: group.taken_from(options) for name, group in self.groups.items()}
        ways = {name: tuple(way.taken_from(options) for way in ways) for name, ways in self.ways.items()}
        return self.made(**values, **groups, **ways)


def _is_option(hint: Any) -> bool:
    return any(isinstance(each, ParameterInfo) for each in _marks(hint)) and not _is_absent(hint)


def _marks(hint: Any) -> tuple[Any, ...]:
    marks: tuple[Any, ...] = getattr(hint, "__metadata__", ())
    return marks


def _is_absent(hint: Any) -> bool:
    """Check whether an option belongs to a way that no wing brings."""
    return any(isinstance(mark, OfWay) and not mark.is_brought for mark in _marks(hint))


def _is_group(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)


def _mark(hint: Any) -> OfWings | None:
    return next((mark for mark in _marks(hint) if isinstance(mark, OfWings)), None)


def _by_name(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
