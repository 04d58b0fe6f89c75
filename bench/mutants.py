"""`python -m bench.mutants --number 300 --seed 1`: would the tests notice? Mutants of the code, by room and kind.

A mutant is one small fault in one statement: another comparison, sign, constant or number by one, a condition turned,
a statement or an argument left out. All work is done in a copy (`--folder`, build/mutants), in three steps that a
second call goes on with: the mutants are drawn; the tests run once over marked statements, which says who reaches each
mutant; each mutant is then tried on the tests of its room that reach it, and where none fails on all others that do:
first in a fork of a process that has collected all tests (`bench.forks`, a second), then in processes of its own.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = "src/classay"
COPIED = (
    "src",
    "tests",
    "bench",
    "manual",
    "docs",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "mkdocs.yml",
)
LAWFUL = ("measures", "inference", "comparison", "tables", "curves", "assessment")
"""Rooms that the laws are of as well."""
WINGS = frozenset(path.parent.name for path in (ROOT / SOURCE).glob("*/wing.py"))
"""Rooms that the core does without."""
NEVER = ("tests/house", "tests/simulations")
"""Not run against mutants: documents, and simulations of hours."""
MOST_SECONDS = 300
"""What the tests of one step may take; those that are quick go first."""
PATIENCE = 3
"""A mutant that takes so many times as long as its tests did is stuck."""


@dataclass(frozen=True)
class Mutant:
    """One fault: where it stands, in bytes of its file, what it replaces, and the statement that a marker precedes."""

    number: int
    file: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str
    marked: tuple[int, int] | None

    @property
    def room(self) -> str:
        return room_of(self.file)

    def applied(self, content: bytes) -> bytes:
        return content[: self.start] + self.new.encode() + content[self.end :]


# -- drawing ------------------------------------------------------------------------------------------------------

TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
EDGES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt
}  # fmt: skip
SIGNS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.MatMult: ast.Mult,
}  # fmt: skip
UNTURNED = {
    "isinstance", "issubclass", "hasattr", "getattr", "zip",
    "minimum", "maximum", "hypot", "array_equal", "add", "multiply",
}  # fmt: skip
"""Calls whose arguments are not exchanged: it is an error of another kind, or none."""
TYPES = {"TypeVar", "Literal", "NewType", "cast", "TypedDict", "NamedTuple"}


Fault = tuple[str, ast.AST, str | ast.AST, ast.stmt | None]
"""A kind, what it is of, what takes its place, and the statement to mark."""


class Faults(ast.NodeVisitor):
    """Finds all faults of a module."""

    def __init__(self) -> None:
        self.found: list[Fault] = []
        self.statement: ast.stmt | None = None
        self.inside, self.compiled = 0, False

    def offer(self, kind: str, node: ast.AST, new: str | ast.AST) -> None:
        self.found.append((kind, node, new, None if self.compiled or not self.inside else self.statement))

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self._statement(node)
        else:
            super().visit(node)

    def _statement(self, node: ast.stmt) -> None:
        outer = self.statement
        if not getattr(node, "is_elif", False):
            self.statement = node
        dropped = isinstance(node, ast.AugAssign | ast.Raise | ast.Delete)
        dropped |= isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        dropped |= isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript | ast.Attribute)
        dropped |= (
            isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Return | ast.Raise)
        )
        if dropped and self.inside:
            self.offer("statement", node, "pass")
        super().visit(node)
        self.statement = outer

    def skip(self, node: ast.AST) -> None:
        """What is no behaviour: imports, types, words, checks for a type checker."""

    visit_Import = visit_ImportFrom = visit_Assert = visit_JoinedStr = skip

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        decorators = [ast.unparse(each) for each in node.decorator_list]
        if any("overload" in each for each in decorators) or node.name == "__repr__":
            return
        kept, first = (self.statement, self.compiled), node.body[-1]
        self.inside += 1
        self.compiled |= any("kernel" in each.lower() for each in decorators)
        self.statement = next((each for each in node.body if not is_text(each)), first)
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        for each in node.body:
            self.visit(each)
        self.inside -= 1
        self.statement, self.compiled = kept

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(isinstance(each, ast.Name) and each.id.startswith("__") for each in node.targets):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node.orelse[0].is_elif = node.orelse[0].col_offset == node.col_offset  # type: ignore[attr-defined]
        self.condition(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.condition(node.test)
        self.generic_visit(node)

    def condition(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare | ast.BoolOp) and not _is_not(test):
            self.offer("condition", test, f"(not ({ast.unparse(test)}))")

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, operator in enumerate(node.ops):
            for kind, table in (("comparison", TURNED), ("edge", EDGES)):
                if type(operator) in table:
                    ops = [*node.ops]
                    ops[place] = table[type(operator)]()
                    self.offer(kind, node, ast.Compare(node.left, ops, node.comparators))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self.offer("condition", node, ast.BoolOp(other, node.values))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in SIGNS and not any(map(_may_be_text, (node.left, node.right))):
            self.offer("sign", node, ast.BinOp(node.left, SIGNS[type(node.op)](), node.right))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.Invert):
            self.offer("condition", node, node.operand)
        elif isinstance(node.op, ast.USub):
            self.offer("sign", node, node.operand)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.offer("constant", node, str(not value))
        elif isinstance(value, int):
            self.offer("off by one", node, f"({value + 1})")
            self.offer("off by one", node, f"({value - 1})")
        elif isinstance(value, float):
            self.offer("constant", node, f"({value * 1.1 if value else 0.1!r})")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not (isinstance(node.value, ast.Name) and node.value.id in TYPES):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in TYPES:
            return
        for keyword in node.keywords:
            if keyword.arg not in (None, "strict"):
                rest = [each for each in node.keywords if each is not keyword]
                self.offer("argument", node, ast.Call(node.func, node.args, rest))
        plain = len(node.args) == 2 and all(isinstance(each, ast.Name | ast.Attribute) for each in node.args)
        if plain and name not in UNTURNED:
            self.offer("argument", node, ast.Call(node.func, node.args[::-1], node.keywords))
        # whether lengths must agree is a check of the code by itself
        for each in (node.func, *node.args, *(each.value for each in node.keywords if each.arg != "strict")):
            self.visit(each)


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _may_be_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def faults_of(content: str) -> list[Fault]:
    """All faults that a module may have."""
    finder = Faults()
    for each in ast.parse(content).body:
        finder.visit(each)
    return finder.found


def drawn(number: int, seed: int, rooms: Sequence[str] = (), least: int = 0) -> list[Mutant]:
    """So many mutants: first a line of the code, all as likely, then a kind that it may have, then one of these.

    A wing of which fewer than `least` lines are among them gets the next of its lines in the same order.
    """
    by_line: dict[tuple[str, int], list[Fault]] = defaultdict(list)
    for path in sorted((ROOT / SOURCE).rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if not rooms or room_of(name) in rooms:
            for fault in faults_of(path.read_text(encoding="utf-8")):
                by_line[name, fault[1].lineno].append(fault)  # type: ignore[attr-defined]
    dice = random.Random(seed)
    lines = sorted(by_line)
    dice.shuffle(lines)
    chosen = lines[:number]
    drawn_of = Counter(room_of(name) for name, _ in chosen)
    for name, line in lines[number:]:
        room = room_of(name)
        if room in WINGS and drawn_of[room] < least:
            chosen.append((name, line))
            drawn_of[room] += 1
    mutants = []
    for name, line in chosen:
        offers = by_line[name, line]
        kind = dice.choice(sorted({offer[0] for offer in offers}))
        mutants.append(
            mutant_of(len(mutants), name, dice.choice([fault for fault in offers if fault[0] == kind]))
        )
    print(f"{len(lines):,} lines can be mutated; {len(mutants)} mutants are drawn")
    return mutants


def mutant_of(number: int, name: str, fault: Fault) -> Mutant:
    """A fault as a text in the place of another."""
    kind, node, new, marked = fault
    at: Any = node
    content = (ROOT / name).read_bytes()
    offsets = [0]
    for line in content.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    start, end = offsets[at.lineno - 1] + at.col_offset, offsets[at.end_lineno - 1] + at.end_col_offset
    text = new if isinstance(new, str) else f"({ast.unparse(ast.fix_missing_locations(new))})"
    return Mutant(
        number, name, at.lineno, kind, start, end, content[start:end].decode(), text, marker_of(marked)
    )


def marker_of(statement: ast.stmt | None) -> tuple[int, int] | None:
    """The line before which a marker goes, and its column: before the decorators of a function."""
    if statement is None:
        return None
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)]), statement.col_offset


# -- which tests reach a mutant -----------------------------------------------------------------------------------

PLUGIN = """
import json, os
_file = os.environ.get("MUTANTS_REACHED")
_out = os.open(_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT) if _file else None
_seen, _test = set(), None

def hit(what):
    global _test
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    if test != _test:
        _seen.clear()
        _test = test
    if what not in _seen:
        _seen.add(what)
        if _out is not None:
            os.write(_out, f"{what}\\t{test}\\n".encode())

def pytest_runtest_logreport(report):
    to = os.environ.get("MUTANTS_TIMES")
    if to and not os.environ.get("PYTEST_XDIST_WORKER"):
        with open(to, "a") as file:
            file.write(json.dumps([report.nodeid, report.duration, report.outcome]) + "\\n")

def watched(made):
    def compiled(kernel):
        hit(f"loops of {kernel.loop.__module__}")
        if "compiled" not in vars(kernel):
            vars(kernel)["compiled"] = made.func(kernel)
        return vars(kernel)["compiled"]
    return property(compiled)

def pytest_collection_modifyitems(config, items):
    if _out is not None:  # a loop cannot be marked: who asks for a compiled one of its module reaches it
        from classay.compiled import Kernel
        Kernel.compiled = watched(vars(Kernel)["compiled"])
    chosen = os.environ.get("MUTANTS_CHOSEN")
    if chosen:
        with open(chosen) as file:
            rank = {name: place for place, name in enumerate(json.load(file))}
        config.hook.pytest_deselected(items=[each for each in items if each.nodeid not in rank])
        items[:] = sorted((each for each in items if each.nodeid in rank), key=lambda each: rank[each.nodeid])
"""


class Copy:
    """The copy of the code that is mutated, with what is known of it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.code = folder, folder / "code"
        self.mutants, self.reached = folder / "mutants.json", folder / "reached.tsv"
        self.times, self.results = folder / "times.jsonl", folder / "results.jsonl"
        self.forks = folder / "forks.jsonl"

    def make(self) -> None:
        shutil.rmtree(self.code, ignore_errors=True)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(
                    source, self.code / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb[ic]")
                )
            elif source.exists():
                self.code.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, self.code / name)
        plugins = self.folder / "plugins"
        plugins.mkdir(exist_ok=True)
        (plugins / "mutants_plugin.py").write_text(PLUGIN)

    def environment(self, **more: str | Path) -> dict[str, str]:
        paths = os.pathsep.join(map(str, (self.code / "src", self.code, self.folder / "plugins")))
        own = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(self.folder / "numba"), "PYTHONHASHSEED": "0"}
        return os.environ | own | {name: str(each) for name, each in more.items()}

    def pytest(
        self, arguments: Iterable[str], limit: float | None = None, **environment: str | Path
    ) -> int | None:
        """The exit code of a run of tests in a group of its own, or None where it took too long and was ended."""
        call = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "mutants_plugin",
            "-p",
            "no:cacheprovider",
            "--tb=no",
            "-q",
            *arguments,
        ]
        with (self.folder / "pytest.log").open("w") as log:
            process = subprocess.Popen(
                call, cwd=self.code, env=self.environment(**environment), stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)

    def reach(self, mutants: Sequence[Mutant], tests: Sequence[str], jobs: int) -> None:
        """Run the tests once with a marker before the statement of each mutant."""
        self.make()
        marks: dict[str, dict[tuple[int, int], list[str]]] = defaultdict(lambda: defaultdict(list))
        for each in mutants:
            content = (self.code / each.file).read_text(encoding="utf-8")
            places = [each.marked] if each.marked else [*function_starts(content)]
            for place in places:
                marks[each.file][place].append(str(each.number))
        for name, places in marks.items():
            lines = (self.code / name).read_text(encoding="utf-8").splitlines(keepends=True)
            for (line, column), whats in sorted(places.items(), reverse=True):
                calls = "; ".join(
                    f"__import__('mutants_plugin').hit({what!r})" for what in dict.fromkeys(whats)
                )
                lines.insert(line - 1, f"{' ' * column}{calls}\n")
            (self.code / name).write_text("".join(lines), encoding="utf-8")
        kept = {"MUTANTS_REACHED": self.reached, "MUTANTS_TIMES": self.times}
        for path in kept.values():
            path.unlink(missing_ok=True)
        never = [f"--ignore={each}" for each in NEVER]
        self.pytest([*tests, *never, *(["-n", str(jobs)] if jobs > 1 else [])], **kept)
        files = sorted({each.file for each in mutants})
        self.pytest(["-o", "addopts=", "--doctest-modules", *files], **kept)
        self.make()

    def fork(
        self, tests: Sequence[str], reached: dict[str, set[str]], seconds: dict[str, float], limit: float
    ) -> dict[int, dict[str, Any]]:
        """What became of the mutants in forks, by number."""
        known = {"reached": {name: sorted(some) for name, some in reached.items()}, "seconds": seconds}
        (self.folder / "known.json").write_text(json.dumps(known))
        never = [f"--ignore={each}" for each in NEVER]
        self.pytest(
            ["-p", "bench.forks", "--doctest-modules", *tests, SOURCE, *never],
            None if limit == float("inf") else limit,
            MUTANTS_FORKS=self.folder,
        )
        lines = self.forks.read_text().splitlines() if self.forks.exists() else ()
        return {found["number"]: found for found in map(json.loads, lines)}

    def known(self) -> tuple[dict[str, set[str]], dict[str, float]]:
        """The tests that reach each mutant, and the seconds of each test that passes on the code as it is."""
        seconds: Counter[str] = Counter()
        failed = set()
        for line in self.times.read_text().splitlines():
            test, took, outcome = json.loads(line)
            seconds[test] += took
            if outcome == "failed":
                failed.add(test)
        reached: dict[str, set[str]] = defaultdict(set)
        for line in self.reached.read_text().splitlines() if self.reached.exists() else ():
            what, _, test = line.partition("\t")
            reached[what].add(test)
        return reached, {test: took for test, took in seconds.items() if test not in failed}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a run and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def function_starts(content: str) -> Iterator[tuple[int, int]]:
    """The first statements of the functions that are not compiled: who calls these may reach what cannot be marked."""
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.FunctionDef) and not any(
            "kernel" in ast.unparse(each).lower() for each in node.decorator_list
        ):
            place = marker_of(next((each for each in node.body if not is_text(each)), None))
            if place is not None and place[0] != node.lineno:
                yield place


# -- trying -------------------------------------------------------------------------------------------------------


def steps(mutant: Mutant, reached: dict[str, set[str]], seconds: dict[str, float]) -> dict[str, list[str]]:
    """The tests of its room that reach a mutant, then all others that do, each with the quick ones first.

    A result that a file of tests keeps is marked for the first test that needs it: the file's other tests follow those
    of the room, as they may be the ones that see it.
    """
    hits = reached[str(mutant.number)] | (reached[loops_of(mutant)] if mutant.marked is None else set())
    tests = {each for each in hits if each in seconds}
    if "" in reached[str(mutant.number)] or (not tests and mutant.marked is None):  # it runs on import
        tests |= {each for each in seconds if room_of(each) == mutant.room}
    own = {each for each in tests if room_of(each) == mutant.room}
    if mutant.room in LAWFUL:
        own |= {each for each in tests if room_of(each) in ("laws", "fuzz")}
    # a test that names the function comes first: kernels are held against their twins by one test for all
    name = f".{function_of(mutant)}]"
    quick = {each: -1.0 if name in each else seconds[each] for each in tests}
    files = {each.partition("::")[0] for each in own}
    beside = {each for each in seconds if each.partition("::")[0] in files} - tests
    return {
        "room": in_turn(own, quick),
        "file": in_turn(beside, quick | {each: seconds[each] for each in beside}),
        "all": in_turn(tests - own, quick),
    }


def loops_of(mutant: Mutant) -> str:
    """What the plugin says of a test that uses a compiled loop of the module."""
    module = Path(mutant.file).relative_to("src").with_suffix("")
    return f"loops of {'.'.join(module.parts)}"


def function_of(mutant: Mutant) -> str:
    """The name of the innermost function that a mutant stands in, "" outside of any."""
    found = ""
    for node in ast.walk(ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.lineno <= mutant.line <= (node.end_lineno or 0):
            found = node.name
    return found


def room_of(test: str) -> str:
    """The folder of tests; doctests are of the room of their module."""
    parts = Path(test.partition("::")[0]).parts
    if parts[0] == "tests":
        return parts[1]
    return parts[2] if len(parts) > 3 else "(root)"


def in_turn(tests: Iterable[str], seconds: dict[str, float]) -> list[str]:
    """One case of each test function before the second of any, the quick first, until the time is used up."""
    cases: Counter[str] = Counter()
    ranked = []
    for test in sorted(tests, key=lambda each: (seconds[each], each)):
        function = test.partition("[")[0]
        ranked.append((cases[function] > 0 and seconds[test] >= 0, seconds[test], test))
        cases[function] += 1
    kept, spent = [], 0.0
    for _, took, test in sorted(ranked):
        spent += took
        if kept and spent > MOST_SECONDS:
            break
        kept.append(test)
    return kept


def tried(
    copy: Copy,
    mutant: Mutant,
    reached: dict[str, set[str]],
    seconds: dict[str, float],
    fork: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What became of a mutant: who noticed it, if anybody, in a fork or else on the tests that the fork left."""
    path = copy.code / mutant.file
    clean, stamp = path.read_bytes(), path.stat()
    began, how, asked = time.monotonic(), "unreached", 0
    ran = set(fork["ran"]) if fork else set()
    if fork and fork["by"]:
        own = room_of(fork["by"]) in (mutant.room, "laws", "fuzz")
        how = "room" if own else "all"
        return asdict(mutant) | {"how": how, "tests": len(ran) + 1, "seconds": fork["seconds"]}
    path.write_bytes(mutant.applied(clean))
    try:
        ast.parse(path.read_bytes())
        for name, tests in steps(mutant, reached, seconds).items():
            if not tests:
                continue
            how, asked = "survived", asked + len(tests)
            left = [each for each in tests if each not in ran]
            ended = run(copy, left, seconds) if left else "passed"
            if ended != "passed":
                how = "stuck" if ended != "failed" else "all" if name == "all" else "room"
                break
    finally:
        path.write_bytes(clean)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # so that its compiled loops stay valid
    return asdict(mutant) | {"how": how, "tests": asked, "seconds": round(time.monotonic() - began, 1)}


def run(copy: Copy, tests: Sequence[str], seconds: dict[str, float]) -> str:
    """How tests end on a mutant: passed, failed or stuck. A module that cannot be imported fails."""
    chosen = copy.folder / "chosen.json"
    chosen.write_text(json.dumps(tests))
    of_modules = [each for each in tests if not each.startswith("tests/")]
    limit = 60 + PATIENCE * sum(seconds[each] for each in tests)
    for some, options in (
        ([each for each in tests if each.startswith("tests/")], []),
        (of_modules, ["-o", "addopts=", "--doctest-modules"]),
    ):
        if some:
            files = sorted({each.partition("::")[0] for each in some})
            code = copy.pytest(["-x", *options, *files], limit, MUTANTS_CHOSEN=chosen)
            if code is None:
                return "stuck"
            if code not in (0, 5):  # 5: nothing was collected
                return "failed"
    return "passed"


# -- telling ------------------------------------------------------------------------------------------------------

HOW = {
    "room": "by its room",
    "all": "by others",
    "stuck": "stuck",
    "survived": "survived",
    "unreached": "unreached",
}


def told(results: Sequence[dict[str, Any]]) -> str:
    """The tables by room and by kind, and all that nobody noticed."""
    lines = []
    for what in ("room", "kind"):
        table: dict[str, Counter[str]] = defaultdict(Counter)
        for each in results:
            table[
                Mutant(**{name: each[name] for name in Mutant.__dataclass_fields__}).room
                if what == "room"
                else each[what]
            ][each["how"]] += 1
        table["all"] = sum(table.values(), Counter())
        lines.append(f"\n{what:14}" + "".join(f"{each:>13}" for each in HOW.values()) + "   noticed")
        for name, counts in sorted(
            table.items(), key=lambda each: (each[0] == "all", -sum(each[1].values()))
        ):
            total = sum(counts.values())
            noticed = counts["room"] + counts["all"] + counts["stuck"]
            low, high = wilson(noticed, total)
            row = "".join(f"{counts[each]:>13}" for each in HOW)
            lines.append(
                f"{name:14}{row}   {noticed} of {total}, {noticed / total:.0%} ({low:.0%} to {high:.0%})"
            )
    unseen = [each for each in results if each["how"] in ("survived", "unreached")]
    lines += ["\n" + survivor(each) for each in unseen]
    return "\n".join(lines)


def survivor(each: dict[str, Any]) -> str:
    """Where a mutant stands, and its line before and after."""
    content = (ROOT / each["file"]).read_bytes()
    start = content.rfind(b"\n", 0, each["start"]) + 1
    end = content.find(b"\n", each["end"])
    before = content[start:end].decode()
    after = (content[start : each["start"]] + each["new"].encode() + content[each["end"] : end]).decode()
    marks = [f"  {sign} {line}" for sign, text in (("-", before), ("+", after)) for line in text.splitlines()]
    head = f"#{each['number']} {each['how']} ({each['tests']} tests): {each['file']}:{each['line']} [{each['kind']}]"
    return "\n".join([head, *marks])


def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    middle, half = (k + z**2 / 2) / (n + z**2), z * sqrt(k * (n - k) / n + z**2 / 4) / (n + z**2)
    return middle - half, middle + half


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.mutants", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--number", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--least", type=int, default=0, help="no fewer of each wing, beside these (0)")
    parser.add_argument("--seed", type=int, default=1, help="which (1)")
    parser.add_argument("--rooms", default="", help="only mutants of these rooms, by commas (all)")
    parser.add_argument("--tests", default="tests", help="the tests that are run, by commas (tests)")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build/mutants", help="where the copy lies (build/mutants)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes of the first run of all tests (1)")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="stop after so long; a second call goes on"
    )
    chosen = parser.parse_args(given)
    deadline = time.monotonic() + 60 * chosen.minutes
    copy = Copy(chosen.folder.resolve())
    copy.folder.mkdir(parents=True, exist_ok=True)
    mutants = drawn(
        chosen.number, chosen.seed, [room for room in chosen.rooms.split(",") if room], chosen.least
    )
    written = json.dumps([asdict(each) for each in mutants])
    if copy.mutants.exists() and copy.mutants.read_text() != written:
        parser.error(
            f"{copy.folder} holds other mutants, or those of other code: name another --folder, or remove it"
        )
    if not copy.times.exists():
        print("running the tests once, to see who reaches each mutant", flush=True)
        copy.reach(mutants, chosen.tests.split(","), chosen.jobs)
    copy.mutants.write_text(written)
    reached, seconds = copy.known()
    results = (
        [json.loads(line) for line in copy.results.read_text().splitlines()] if copy.results.exists() else []
    )
    done = {each["number"] for each in results}
    forks = copy.fork(chosen.tests.split(","), reached, seconds, deadline - time.monotonic())
    for mutant in mutants:
        if mutant.number in done or time.monotonic() > deadline:
            continue
        found = tried(copy, mutant, reached, seconds, forks.get(mutant.number))
        results.append(found)
        with copy.results.open("a") as file:
            file.write(json.dumps(found) + "\n")
        where = f"#{mutant.number} {mutant.file}:{mutant.line} [{mutant.kind}]"
        print(f"{where} {HOW[found['how']]}, {found['seconds']} s", flush=True)
    print(told(results) if results else "no mutant was tried")
    return 0


if __name__ == "__main__":
    sys.exit(main())
