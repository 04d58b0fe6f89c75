"""The commands that read no file: `measures`, `proportion`, `demo` on real data, and `warm`."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.cli import options
from classay.cli.failures import guarded, listing
from classay.cli.options import Text
from classay.cli.outputs import OutputOptions, Rendering
from classay.columns.numbers import counted
from classay.errors import FileError, InputError, MissingExtraError
from classay.files.sheets import as_csv
from classay.files.writing import write_bytes
from classay.measures import ALIASES, FAMILIES, MEASURES, Measure, get
from classay.measures.registry import FAMILY_ALIASES, OF_OTHERS, undefined_text
from classay.measures.vocabulary import REFERENCES
from classay.wings import ways_of

if TYPE_CHECKING:
    from rich.console import Console

OF = {
    "counts": "one class (the positive one, or each against the rest)",
    "margins": "all classes",
    "matrix": "all classes, in their order",
    "scores": "the scores of two classes",
    "probabilities": "probabilities",
    "class_scores": "the scores of several classes",
    "cases": "the scores of several classes",
}
"""What measures of the core are of, by what they need; `OF_OTHERS` of the registry has those of other tasks."""


EXAMPLE_OF_MEASURES = "Example: classay measures f1"
WIDE = 150
"""Columns of a terminal in which a table of all measures breaks no name."""


@guarded
def measures(
    name: Annotated[
        Text,
        typer.Argument(
            help="A measure, by name or alias.", autocompletion=lambda: [*MEASURES, *ALIASES, *FAMILY_ALIASES]
        ),
    ] = None,
) -> None:
    """List the measures, or explain one: formula, range, best value, when it is undefined, reference."""
    if name is None:
        list_measures()
    else:
        explain_measure(name)


def list_measures() -> None:
    """Print every measure: name, aliases, formula, range, best value."""
    with listing() as console:
        _list_measures(console)


def _list_measures(console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    shown = _stacked if console.width < WIDE else _tabled
    for needs, title in {**OF, **OF_OTHERS}.items():
        chosen = [measure for measure in MEASURES.values() if measure.needs == needs]
        shown(console, f"Measures of {title}" if needs not in ("cases",) else None, chosen)
        console.print()
    table = Table(
        title="On request, by name (write the parameters in brackets)", title_justify="left", box=None
    )
    table.add_column("name", overflow="fold")
    table.add_column("meaning", overflow="fold")
    for family in FAMILIES.values():
        table.add_row(Text(family.written), Text((family.build.__doc__ or "").strip().partition("\n")[0]))
    console.print(table)
    console.print()
    console.print(
        "`classay measures NAME` explains a measure: when it is not defined, its intervals and its reference."
    )


def _tabled(console: Console, title: str | None, chosen: list[Measure]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=None)
    for column in ("name", "formula", "range", "best", "also called"):
        table.add_column(column, overflow="fold", no_wrap=column == "name")
    for measure in chosen:
        about = (measure.name, measure.formula, _range(measure), _best(measure), ", ".join(measure.aliases))
        table.add_row(*map(Text, about))
    console.print(table)


def _stacked(console: Console, title: str | None, chosen: list[Measure]) -> None:
    """In a narrow terminal columns would break the names."""
    from rich.padding import Padding
    from rich.text import Text

    if title is not None:
        console.print(Text(title, style="italic"))
    for measure in chosen:
        also = f"also: {', '.join(measure.aliases)}" if measure.aliases else ""
        console.print(Text(f"{measure.name}: {_range(measure)}, best {_best(measure)}"))
        for text in filter(None, (measure.formula, also)):
            console.print(Padding(Text(text), (0, 0, 0, 4)))


def also_called(measure: Measure) -> list[str]:
    """Other names of a measure, or of the family that it is of."""
    names = (measure.name, measure.base)
    return [alias for alias, of in {**ALIASES, **FAMILY_ALIASES}.items() if of in names]


def explain_measure(name: str) -> None:
    """Print all that is known of one measure, its intervals too."""
    from classay.inference import intervals  # noqa: F401  fills the registry
    from classay.inference.methods import described

    measure = get(name)
    lines = [
        ("title", measure.title),
        ("name", measure.name),
        ("also called", ", ".join(also_called(measure)) or "–"),
        ("formula", measure.formula),
        ("meaning", _meaning(measure)),
        ("range", _range(measure)),
        ("best", _best(measure)),
        ("not defined", undefined_text(measure)),
        ("of", {**OF, **OF_OTHERS}[measure.needs]),
        ("reference", REFERENCES[measure.reference]),
        *described(measure),
        *_explained_methods(measure),
    ]
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for key, text in lines:
        if text:
            table.add_row(Text(key, style="dim"), Text(text))
    with listing() as console:
        console.print(table)


def _explained_methods(measure: Measure) -> list[tuple[str, str]]:
    """Return what the methods of intervals of a measure do, one a line."""
    from classay.inference.methods import TABLES, of_type

    candidates = (method for table in TABLES[measure.needs] for method in of_type(measure, table, "alike"))
    sentences = {method.name: method.about for method in candidates}
    return [
        ("" if k else "CI methods", f"{name}: {text}") for k, (name, text) in enumerate(sentences.items())
    ]


def _meaning(measure: Measure) -> str:
    written = (measure.__doc__ or "").split("\n\n")[0]
    return " ".join(written.removeprefix(f"{measure.title}, {measure.formula}. ").split())


def _range(measure: Measure) -> str:
    low, high = (_infinite(bound) for bound in measure.bounds)
    return f"{'(' if low == '-∞' else '['}{low}, {high}{')' if high == '∞' else ']'}"


def _best(measure: Measure) -> str:
    return "–" if measure.best is None else _infinite(measure.best)


def _infinite(value: float) -> str:
    return {float("inf"): "∞", float("-inf"): "-∞"}.get(value, f"{value:g}")


EXAMPLE_OF_PROPORTION = "Example: classay proportion 75 100 --level 0.8"


@guarded
def proportion(
    successes: Annotated[int, typer.Argument(help="How many cases succeeded, such as correct ones.")],
    cases: Annotated[int, typer.Argument(help="How many cases there were.")],
    *,
    level: options.Level = 0.95,
    outputs: OutputOptions,
) -> None:
    """Show a proportion with its interval by every method, side by side."""
    from classay.inference.proportions import proportion as side_by_side

    outputs.refuse_unwritable()
    outputs.deliver(Rendering.of(side_by_side(successes, cases, level=level)))


FILES = ("predictions.csv", "assessment.json", "assessment.classay", "report.html")
"""What the demo writes into its folder."""


EXAMPLE_OF_DEMO = "Example: classay demo classay-demo"


@guarded
def demo(folder: Annotated[str, typer.Argument(help="Where to write the files.")] = "classay-demo") -> None:
    """Fit a logistic regression to real data, assess it, and write every kind of output beside each other."""
    run_demo(folder)


def run_demo(folder: str) -> None:
    """Fit on a stratified half of scikit-learn's breast-cancer data, assess on the other half, write all outputs.

    Scores of different folds are not comparable, so nothing is pooled: one model, one test set.
    """
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("the demo", "train")
    import numpy as np
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    to = Path(folder)
    try:
        to.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"Cannot create the folder {to}: {error.strerror}.") from error
    data = load_breast_cancer()
    diagnosis = np.where(data.target == 0, "malignant", "benign")
    train, test, y_train, y_test = train_test_split(
        data.data, diagnosis, test_size=0.5, stratify=diagnosis, random_state=0
    )
    # shrunk, so that no probability comes out as exactly 0 or 1, of which calibration has no logit
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000)).fit(train, y_train)
    malignant = list(model.classes_).index("malignant")
    rows = {"diagnosis": y_test, "p_malignant": model.predict_proba(test)[:, malignant].round(12)}
    texture = test[:, list(data.feature_names).index("mean texture")]
    rows["texture"] = np.select([texture < 17, texture < 21], ["fine", "medium"], "coarse")  # for --by
    predictions = as_csv(pa.table(rows))
    _refuse_to_replace(to, predictions)
    write_bytes(to / "predictions.csv", predictions)
    from classay.cli.commands.assess import Demands, Sections
    from classay.cli.commands.assess import run as assess
    from classay.cli.options import Showing
    from classay.cli.outputs import OutputOptions
    from classay.cli.row_options import HowToAssess, RowOptions

    file = str(to / "predictions.csv")
    print(f"$ classay assess {quote(file)} --truth diagnosis --score p_malignant --positive malignant \\")
    written = {"json": "assessment.json", "save": "assessment.classay", "html": "report.html"}
    paths = {option: str(to / name) for option, name in written.items()}
    print(f"    {' '.join(f'--{option} {quote(path)}' for option, path in paths.items())}\n")
    outputs = OutputOptions(json=paths["json"], save=paths["save"], html=paths["html"])
    shown = RowOptions(file, truth="diagnosis", score="p_malignant", positive="malignant")
    assess(shown, Sections(), Showing(), Demands(), outputs, HowToAssess())


def _refuse_to_replace(folder: Path, predictions: bytes) -> None:
    """Refuse a folder that holds files of these names, unless an earlier demo wrote them."""
    there = [name for name in FILES if (folder / name).exists()]
    first = folder / FILES[0]
    if not there or (first.is_file() and first.read_bytes() == predictions):
        return
    raise FileError(
        f"{folder / there[0]} exists, and the demo would overwrite it. Name another folder: `classay demo FOLDER`."
    )


EXAMPLE_OF_WARM = "Example: classay warm"
ROWS_TO_WARM = 300
"""Made rows that every loop is compiled for."""


@guarded
def warm() -> None:
    """Compile the loops that many rows need, and keep them on disk, so that no later process waits for them.

    Numba keeps them in the folder that NUMBA_CACHE_DIR names, else beside classay, else in the user's cache. It takes a
    minute or two, once for each version of classay, Python and Numba. Later processes must be able to write there too.
    """
    compile_loops()


def compile_loops() -> None:
    """Assess small made data of every kind, with every loop compiled at its first call, and say where they are."""
    from classay.compiled import KERNELS, UNKEPT, can_compile, compiled_at_once

    if not can_compile():
        raise InputError(
            "Loops cannot be compiled because Numba is not installed or CLASSAY_NUMBA is 0. Install Numba, or unset "
            "CLASSAY_NUMBA."
        )
    with compiled_at_once():
        for work in _work_of_loops():
            work()
    if UNKEPT:
        raise InputError(
            f"{len(UNKEPT)} compiled loops cannot be cached ({UNKEPT[0]}). Free disk space, or set NUMBA_CACHE_DIR to "
            "another folder."
        )
    ready = [kernel.compiled for kernel in KERNELS.values() if "compiled" in vars(kernel)]
    used = [
        kernel for kernel in ready if getattr(kernel, "signatures", True)
    ]  # others were named, and never called
    folders = {kernel.stats.cache_path for kernel in used if hasattr(kernel, "stats")} - {None}
    if not folders:
        raise InputError(
            "The compiled loops cannot be cached because no folder is writable. Set NUMBA_CACHE_DIR to a writable "
            "folder."
        )
    compiled = sum(1 for each in used if hasattr(each, "stats") and sum(each.stats.cache_misses.values()))
    folder = os.path.commonpath(sorted(folders))
    print(f"{counted(len(used), 'loop')} cached in {folder}, {compiled:,} compiled now.")


def _work_of_loops() -> Iterator[Callable[[], Any]]:
    """Yield what is assessed: two classes, several, groups, models, resamples, parts, several labels a case."""
    import numpy as np
    import pyarrow as pa

    import classay as ca
    from classay.measures.probability_bins import group_of_score

    rng = np.random.default_rng(0)
    truth = rng.random(ROWS_TO_WARM) < 0.4
    score = np.round(1 / (1 + np.exp(-rng.normal(2 * truth - 1.0))), 6)
    other = np.round(1 / (1 + np.exp(-rng.normal(1.5 * truth - 1.0))), 6)
    names = np.array(["no", "yes"], object)[truth.astype(int)]
    cluster, weight, times = (
        rng.integers(0, 40, ROWS_TO_WARM),
        rng.random(ROWS_TO_WARM) + 0.5,
        rng.integers(1, 4, ROWS_TO_WARM),
    )
    columns: list[dict[str, Any]] = [
        {},
        {"weight": weight},
        {"weight": times},
        {"cluster": cluster},
        {"cluster": np.array([f"patient {each}" for each in cluster], object)},
        {"cluster": cluster, "weight": weight},
    ]
    for more in columns:
        for scores in (score, score.astype(np.float32)):
            yield lambda more=more, scores=scores: _as_shown(ca.assess(truth, scores, **more))  # type: ignore[misc]
        yield lambda more=more: ca.compare({"a": score, "b": other}, truth, **more).to_dict()  # type: ignore[misc]
    for more in columns[:3]:  # groups of neighbouring scores, which so few rows have no need of
        for scores in (score, score.astype(np.float32)):
            yield lambda more=more, scores=scores: group_of_score(  # type: ignore[misc]
                ca.ScoreTable.from_rows(scores, truth, **more)
            )
    yield lambda: _as_shown(ca.assess(names, score, positive="yes"))
    yield lambda: ca.assess(truth, score, interval="bootstrap").to_dict()
    yield lambda: ca.assess(truth, score, interval="bootstrap", cluster=cluster).to_dict()
    yield lambda: str(ca.assess_by(truth, score, by=cluster % 5))
    yield (ca.assess(truth, score) + ca.assess(truth, other)).to_dict
    rows = pa.table({"y": pa.array(names), "p": score, "w": weight, "cluster": cluster * 1000})
    for how in ({}, {"bits": 10}, {"bits": 10, "weight": "w"}, {"cluster": "cluster"}):
        yield lambda how=how: ca.scan(rows, truth="y", score="p", positive="yes", **how).to_dict()  # type: ignore[misc]
    classes = rng.integers(0, 4, ROWS_TO_WARM)
    chances = rng.dirichlet(np.ones(4), ROWS_TO_WARM)
    for more in columns[:4]:
        yield lambda more=more: _as_shown(ca.assess(classes, chances, labels=range(4), **more))  # type: ignore[misc]
    yield lambda: ca.compare(
        {"a": chances, "b": chances**2 / (chances**2).sum(1, keepdims=True)}, classes
    ).to_dict()
    yield lambda: ca.assess(classes, y_pred=chances.argmax(1)).to_dict()
    for of_wing in ways_of("warm"):
        yield from of_wing(rng, ROWS_TO_WARM)


def _as_shown(a: Any) -> None:
    """Everything of an assessment that a page shows."""
    a.to_dict()
    a.report(os.devnull)
