"""Pages of the site as a reader would follow them: their Python and commands run in order, their outputs compared.

CLASSAY_DOCS=rewrite writes into the pages what is printed now, where that differs.
"""

import ast
import difflib
import io
import os
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

from command import call

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
VALUE = r"""[A-Z]\w*\(.*\)|[A-Z]\w*\(.*…|array\(.*\)|<.*>|-?\d[\d.]*…?|".*"|'.*'|True|False|None|\[.*\]|\(.*\)|\{.*\}"""
RESULT = re.compile(rf"# (?:[^\"'(\[]*: )?({VALUE})$")
REMARKED = re.compile(r"# (-?\d[\d.]*…?): .*$")
"""A number with a remark after it."""
BLOCK = re.compile(r"^( *)```([\w-]*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
ONE_PLACE = 12
"""Characters of a stated value from which it occurs in one place: False or 0.5 would be replaced all over a page."""
NOT_RUN = ("yaml", "toml", "json", "html", "r", "pycon", "")
"""Languages that no test runs: files of other programs, and formulas."""
SHELL = re.compile(r"(pip|python3?|\.venv/bin/\w+|git|cd|mkdocs|jq)\b")
"""Commands other than classay's that a page may show, and that no test runs."""


def blocks_of(text: str) -> list[tuple[str, str]]:
    """The language and text of each fenced block."""
    found = []
    for indent, language, body in BLOCK.findall(text):
        found.append((language, re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)))
    return found


def squeezed(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()


def rewritten(stated: str, printed: str) -> str:
    """The stated lines as printed now: of each paragraph, from the likest of its first line to that of its last."""
    lines, at, result = printed.splitlines(), 0, []

    def likest(line: str) -> int:
        ratios = [
            difflib.SequenceMatcher(None, squeezed(line), squeezed(each)).ratio() if each.strip() else 0.0
            for each in lines[at:]
        ]
        return at + max(range(len(ratios)), key=lambda k: (ratios[k], -k)) if ratios else at

    for is_kept, group in groupby(stated.splitlines(), lambda line: line.strip() in ("", "…")):
        part = list(group)
        if is_kept:
            result += part
            continue
        at = first = likest(part[0])
        last = likest(part[-1]) if len(part) > 1 else first
        result += lines[first : last + 1]
        at = last + 1
    return "\n".join(result) + "\n"


def cut_alike(form: str, stated: str) -> str:
    """A value that is stated with its end cut off, cut off where the old one was."""
    return (
        f"{form[: len(stated) - 1].rstrip()}…" if stated.endswith("…") and len(form) > len(stated) else form
    )


def replace_in_pages(old: str, new: str) -> None:
    """Write a text into every page that has another in its place."""
    for path in (*sorted(DOCS.rglob("*.md")), ROOT / "README.md"):
        page = path.read_text(encoding="utf-8")
        for indent in ("", "    "):
            before, after = textwrap.indent(old, indent), textwrap.indent(new, indent)
            if before in page:
                path.write_text(page.replace(before, after), encoding="utf-8")
                break


def is_rewritten(stated: str, printed: str, compare: Callable[[str, str], None] | None = None) -> bool:
    """Whether pages are to be written anew and this output of theirs is."""
    if os.environ.get("CLASSAY_DOCS") != "rewrite":
        return False
    try:
        (compare or compare_lines)(stated, printed)
    except AssertionError:
        replace_in_pages(stated, rewritten(stated, printed))
    return True


def in_order(stated: str, printed: str) -> None:
    """Every line stated was printed, in this order; others only where a line says …."""
    if not is_rewritten(stated, printed):
        compare_lines(stated, printed)


def compare_lines(stated: str, printed: str) -> None:
    lines = [squeezed(line) for line in printed.splitlines() if line.strip()]
    at, skipping = 0, False
    for line in filter(None, map(squeezed, stated.splitlines())):
        if line == "…":
            skipping = True
            continue
        pattern = ".*".join(map(re.escape, line.split("…")))
        places = range(at, len(lines)) if skipping else range(at, min(at + 1, len(lines)))
        found = next((i for i in places if re.fullmatch(pattern, lines[i])), None)
        near = "\n".join(lines[at : at + 40])
        assert found is not None, f"not printed, or not in this place: {line!r}\nprinted from there:\n{near}"
        at, skipping = found + 1, False
    assert skipping or at == len(lines), f"also printed: {lines[at:]!r}: end with … what is cut"


def stated_form(found: object) -> str:
    if isinstance(found, str):
        return f'"{found}"'
    return f"{found:.3f}" if isinstance(found, float) else repr(found)


def statements_of(body: str) -> Iterator[tuple[ast.stmt, str, str]]:
    """Each statement of some Python, its source, and what a comment states that it gives: behind it, or right below."""
    lines = body.splitlines()
    for statement in ast.parse(body).body:
        decorators = [each.lineno for each in getattr(statement, "decorator_list", ())]
        source = "\n".join(lines[min(statement.lineno, *decorators, 10**9) - 1 : statement.end_lineno])
        below = list(takewhile(lambda line: line.startswith("#"), lines[statement.end_lineno :]))
        comments = (source, "# " + " ".join(line.removeprefix("#").strip() for line in below))
        found = next(
            filter(None, (form.search(each) for each in comments for form in (RESULT, REMARKED))), None
        )
        yield statement, source, found[1] if found and isinstance(statement, ast.Expr) else ""


def gives(found: object, stated: str) -> bool:
    """Whether an expression gives what is stated of it, where … is any text."""
    pattern = ".*".join(map(re.escape, squeezed(stated).split("…")))
    forms = (stated_form(found), repr(found), str(found))
    return any(re.fullmatch(pattern, squeezed(form)) for form in forms)


@dataclass
class Reader:
    """Who follows a page, in the folder at hand: the names so far, what was printed last, how many outputs agreed."""

    names: dict[str, Any] = field(default_factory=dict)
    printed: str = ""
    code: int = 0
    checked: int = 0
    ran: int = 0

    def follow(self, text: str) -> "Reader":
        for language, body in blocks_of(text):
            if language == "python":
                self.python(body)
            elif language in ("text", "console", "sh"):
                self.text(language, body)
            else:
                assert language in NOT_RUN, f"no test knows what to do with a block of {language!r}"
        assert self.code == 0, "the last command failed, and no `$ echo $?` says so"
        return self

    def python(self, body: str) -> None:
        """Run statements one by one; what a comment after an expression states is what it gives."""
        written = io.StringIO()
        self.ran += 1
        with redirect_stdout(written):
            for statement, source, stated in statements_of(body):
                if not isinstance(statement, ast.Expr):
                    exec(source, self.names)
                    continue
                found = eval(source.strip(), self.names)
                if stated:
                    self.checked += 1
                    is_rewriting = os.environ.get("CLASSAY_DOCS") == "rewrite" and len(stated) >= ONE_PLACE
                    if is_rewriting and not gives(found, stated):
                        replace_in_pages(stated, cut_alike(stated_form(found), stated))
                        continue
                    assert gives(found, stated), (source, stated, stated_form(found))
        self.printed = written.getvalue()

    def text(self, language: str, body: str) -> None:
        """What was printed last, or commands, each with what it prints below it."""
        body = body.replace("\\\n", "")
        if language == "text" and not body.startswith("$ "):
            assert self.printed or not self.names, f"nothing printed this: {body!r}"
            if self.printed:
                in_order(body, self.printed)
                self.checked += 1
            return
        if language == "sh":
            body = "".join(f"$ {line}\n" for line in body.splitlines() if line and not line.startswith("#"))
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, stated = part.partition("\n")
            self.command(command, stated)

    def command(self, command: str, stated: str) -> None:
        words = shlex.split(command, comments=True)
        if command.strip() == "echo $?":
            assert stated.strip() == str(self.code), f"the exit code is {self.code}"
            self.code, self.checked = 0, self.checked + 1
            return
        assert self.code == 0, f"the command before {command!r} ended with {self.code}: {self.printed}"
        if words[0] != "classay":
            assert SHELL.match(command), f"no test runs {command!r}"
            return
        done = call(*words[1:])
        self.code, self.printed, self.ran = done.exit_code, done.output, self.ran + 1
        if stated.strip():
            in_order(stated, done.output)
            self.checked += 1


def slug(heading: str) -> str:
    """The anchor of a heading, as the tool that builds the site makes it."""
    import unicodedata

    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("\\", "")
    ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())


def anchors(text: str) -> set[str]:
    """The anchors of a page; the second of one name ends with _1."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(text), re.MULTILINE):
        name, each = slug(heading), 0
        while (made := f"{name}_{each}" if each else name) in found:
            each += 1
        found.add(made)
    return found | set(re.findall(r'<a id="([^"]+)"', text))


def links(text: str) -> list[str]:
    """Where the links and pictures of a page lead."""
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", without_code(text)))


def without_code(text: str) -> str:
    return BLOCK.sub("", text)
