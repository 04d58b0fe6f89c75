"""Reference of what classay writes and warns of: kinds of JSON, codes of warnings and leaks, public Python names."""

import inspect
import json
import re
from pathlib import Path

from manual import schemas
from manual.markdown import code, codes, docstring, page, prose, sections, table

DOCS = Path(__file__).parents[1] / "docs"


def kinds_of_json() -> str:
    """The kinds of JSON, from their schemas."""
    rows = []
    for name, text in schemas.described().items():
        schema, file = json.loads(text), f"{name}.schema.json"
        alternatives = [each["$ref"].rpartition("/")[2] for each in schema.get("oneOf", ()) if "$ref" in each]
        keys = schema.get("properties") or schema.get("$defs", {})
        shown = codes(keys) if not alternatives else f"one of {codes(alternatives)}"
        rows.append([f"[{file}](../{file})", prose(schema.get("description") or schema["title"]), shown])
    intro = (
        "`--json` and `to_dict()` write these documents. Their schemas (JSON Schema 2020-12) are a contract: a key "
        "keeps its meaning. Undefined numbers are null, with the reason beside them. `--save` writes a file for "
        "`classay.load`, a zip of JSON and plain arrays, which is never a pickle."
    )
    return page("JSON", intro, table(["schema", "what writes it", "keys"], rows))


def warnings() -> str:
    """The codes of warnings and leaks."""
    from classay.judge import judge_warnings
    from classay.label import labeled, planning
    from classay.resampling.leaks import LEAKS
    from classay.warned import WARNINGS, WARNINGS_OF_OTHERS

    parts = [
        "A warning has a fixed code, a text, and the models, groups or classes that it concerns. `.warnings` of every "
        "result holds them, as do its JSON and its report. A warning that a column may not be what it is taken for is "
        "given by every result that is made of such columns.",
        "## Assessments",
        table(["code", "when"], [[code(each), prose(said)] for each, said in WARNINGS.items()]),
        "## Other results",
        table(["code", "when"], [[code(each), prose(said)] for each, said in WARNINGS_OF_OTHERS.items()]),
        "## Judged cases and systems",
        table(
            ["code", "when"], [[code(each), prose(said)] for each, said in judge_warnings.WARNINGS.items()]
        ),
        "## Plans of labels, and assessments from them",
        table(
            ["code", "when"],
            [[code(each), prose(said)] for each, said in (planning.WARNINGS | labeled.WARNINGS).items()],
        ),
        "## Leaks",
        "`classay evaluate` looks for these before it fits anything. See [Leaks](../evaluate.md#leaks).",
        table(["code", "when"], [[code(each), prose(said)] for each, said in LEAKS.items()]),
    ]
    return page("Warnings and leaks", *parts)


def python() -> str:
    """The public names, with their signatures and docstrings."""
    import classay
    from classay.assessment.charts import Chart, RocChart
    from classay.curves.curve import Curve

    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors": []}
    for name in classay.__all__:
        value = getattr(classay, name)
        if inspect.isclass(value):
            groups["Errors" if issubclass(value, Exception) else "Classes"].append(name)
        elif callable(value):
            groups["Functions"].append(name)
    parts = [
        "`import classay as ca` gives these names. Measures stand in [Measures](measures.md); the ensembles, in "
        "`classay.ensembles`, in [Ensembles](../ensembles.md); assertions for tests, in `classay.testing`, in "
        "[A gate in a build](../how-to/gate-in-ci.md)."
    ]
    shown: set[str] = set()
    for title, names in groups.items():
        parts.append(f"## {title}")
        parts += [_entry(name, getattr(classay, name), shown) for name in sorted(names, key=str.casefold)]
    parts += [
        "## Curves",
        "What `a.roc`, `a.calibration` and the like of an assessment are, and what they hold.",
    ]
    parts += [_entry(each.__name__, each, shown) for each in (Chart, RocChart, Curve)]
    parts += ["## Sample sizes", docstring(inspect.getdoc(classay.sample_size) or "")]
    parts += [
        _entry(f"sample_size.{name}", getattr(classay.sample_size, name), shown)
        for name in classay.sample_size.__all__
    ]
    return page("Python", *parts)


def _entry(name: str, value, shown: set[str]) -> str:
    """A function or class; members with parameters that are not yet `shown` follow it."""
    about = docstring(inspect.getdoc(value) or "")
    parts = [f"### {name}"]
    if not (inspect.isclass(value) and issubclass(value, Exception)) and (called := _signature(name, value)):
        parts.append(f"```text\n{called}\n```")
    parts.append(about)
    if inspect.isclass(value) and not issubclass(value, Exception):
        members = [_member(value, name) for name in sorted(_members(value))]
        parts.append(table(["member", "what it is"], members) if members else "")
        for member in sorted(_members(value)):
            method = getattr(value, member)
            if "Parameters" in sections(inspect.getdoc(method) or "") and method.__qualname__ not in shown:
                shown.add(method.__qualname__)
                parts.append(_described(name, member, method))
    return "\n\n".join(filter(None, parts))


def _described(kind: str, member: str, method) -> str:
    """A member with parameters: how it is called, and its docstring."""
    bound = [name for name in _given(method) if name not in ("self", "cls")]
    call = f"{kind}.{member}({', '.join(bound)})"
    return f"#### {kind}.{member}\n\n```text\n{call}\n```\n\n{docstring(inspect.getdoc(method) or '')}"


def _member(kind, name: str) -> list[str]:
    """A method as it is called, or a property by its name, and the first sentence about it."""
    value = getattr(kind, name)
    about = " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    if isinstance(value, property):
        return [code(name), prose(about)]
    is_bound = inspect.ismethod(value) or isinstance(inspect.getattr_static(kind, name), staticmethod)
    given = _given(value)
    return [code(f"{name}({', '.join(given if is_bound else given[1:])})"), prose(about)]


def _signature(name: str, value) -> str:
    given = _given(value)
    line = f"{name}({', '.join(given)})"
    return line if len(line) <= 88 else f"{name}(\n    " + ",\n    ".join(given) + ",\n)"


def _given(value) -> list[str]:
    """The parameters of a call, with their defaults."""
    given = []
    star = False
    found = inspect.signature(value)
    for each in found.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not star:
            given.append("*")
            star = True
        star = star or each.kind is each.VAR_POSITIONAL
        sign = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        default = "" if each.default is each.empty else f"={_written(each.default)}"
        given.append(f"{sign}{each.name}{default}")
    return given


def _written(default) -> str:
    if callable(default):
        return getattr(default, "__name__", "…")
    return re.sub(r" at 0x[0-9a-f]+", "", repr(default)) if len(repr(default)) < 40 else "…"


def _members(kind) -> set[str]:
    return {
        name
        for name in dir(kind)
        if not name.startswith("_")
        and (callable(getattr(kind, name)) or isinstance(getattr(kind, name), property))
    }
