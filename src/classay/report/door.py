"""The one door of `shown.Shown`: which builder makes the document of each kind of result, and which its JSON."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from classay.files.writing import write_text
from classay.report.document import Document
from classay.shown import Shown

BUILDERS = {
    "Estimate": "estimate",
    "Proportion": "proportion",
    "Comparison": "comparison",
    "TagAssessment": "tags",
    "Assessment": "assessment",
    "Shifted": "prevalence",
    "Slices": "slices",
    "Evaluation": "evaluation",
    "GroupComparisons": "by_group",
    "Comparisons": "comparisons",
    "Segments": "segments",
    "Criteria": "criteria",
    "GroupThresholds": "group_thresholds",
    "Gate": "gate",
    "Decision": "decision",
    "CostCurves": "cost_curves",
    "RocSpace": "roc_space",
    "Verification": "verification",
    "ReaderStudy": "readers",
    "EnsembleAssessment": "ensemble",
    "EnsembleAssessments": "ensembles_of_kinds",
    "Decomposition": "decomposition",
    "DecompositionPath": "decomposition_path",
    "LearningCurve": "learning_curve",
    "Improvement": "improvement",
    "Best": "best",
    "Trends": "trends",
    "ClassThresholds": "class_views",
    "ConfusionTree": "class_views",
    "Overview": "overview",
}
"""The module of `results` for each type."""


def document(shown: Any) -> Document:
    """The document of a result, without curves."""
    return _module(shown).document_of(shown)  # type: ignore[no-any-return]


def with_pictures(shown: Any) -> Document:
    """The document of a result, with the curves that only a page shows."""
    module = _module(shown)
    made: Document = getattr(module, "page_of", module.document_of)(shown)
    draw = getattr(module, "with_pictures", None)
    return made if draw is None else draw(made, shown)


def frame(shown: Any) -> Any:
    """The numbers of a result as rows: as its builder wants them, or those of its document."""
    from classay.report.paper import numbers_of

    own = getattr(_module(shown), "frame_of", None)
    return numbers_of(document(shown)) if own is None else own(shown)


def for_paper(shown: Any) -> Document:
    """The document of a result, with the tables that only a paper wants."""
    module = _module(shown)
    made: Document = module.document_of(shown)
    more = getattr(module, "for_paper", None)
    return made if more is None else more(made, shown)


def write_page(shown: Any, path: Path) -> None:
    """Write the page of a result. Raises FileError where that cannot be."""
    from classay.report.html import as_page

    write_text(path, as_page(with_pictures(shown)))


def text(shown: Any) -> str:
    """The text of a result, as it is printed."""
    from classay.report.text import as_text

    return as_text(document(shown))


def markdown(shown: Any) -> str:
    """A result as Markdown."""
    from classay.report.markdown import as_markdown

    return as_markdown(document(shown))


def latex(shown: Any) -> str:
    """All tables of a result for a paper."""
    from classay.report.paper import as_latex

    return as_latex(for_paper(shown))


def methods(shown: Any) -> str:
    """How a result was found, in sentences."""
    from classay.report.paper import methods_of

    return methods_of(document(shown))


def card(what: Any) -> str:
    """A result as a card of a notebook."""
    from classay.report.card import card_of

    return card_of(what)


def as_dict(shown: Any, *named: Any) -> dict[str, Any]:
    """A result as plain values, its JSON."""
    found: dict[str, Any] = _module(shown).as_dict(shown, *named)
    return found


def plot(
    what: Any,
    ax: Any = None,
    *,
    measure: str = "",
    width: str = "screen",
    share: str | None = None,
    by: str = "row",
    costs: Any = None,
) -> Any:
    """Draw curves, mean ranks, a confusion matrix, parts of a loss, a measure of slices, or a result's main picture."""
    from classay.assessment.class_views import ConfusionTree
    from classay.assessment.roc_space import RocSpace
    from classay.assessment.slices import Slices
    from classay.comparison.rank_tests import CriticalDifference
    from classay.improving.decomposition import Decomposition
    from classay.improving.improvement import Improvement
    from classay.measures import get
    from classay.report.paper import draw
    from classay.report.pictures import curve_pictures, diagrams, plots, splits
    from classay.report.pictures.diagrams import plot_ranks
    from classay.report.results.improvement import stacks_of
    from classay.report.results.parts import matrix_of
    from classay.report.results.slices import table_of
    from classay.resampling.protocol import SplitPlan

    own: dict[type | str, Callable[[Any], Any]] = {
        "ConfusionMatrix": lambda matrix: diagrams.plot_matrix(matrix_of(matrix), share, ax),
        RocSpace: lambda space: plots.plot_space(space, costs, ax),
        SplitPlan: lambda plan: splits.plot_plan(plan, by, ax),
        CriticalDifference: lambda ranks: plot_ranks(ranks, ax),
        Decomposition: lambda found: diagrams.plot_stacks([diagrams.stack_of(found)], ax),
        ConfusionTree: lambda tree: diagrams.plot_tree(tree, ax),
        Improvement: lambda found: diagrams.plot_stacks(stacks_of(found), ax),
    }
    for kind in type(what).__mro__:
        if draw_one := own.get(kind, own.get(kind.__name__)):
            return draw_one(what)
    if isinstance(what, Slices):
        name = get(measure or what.main_measures[0]).name
        overall = what.overall.estimate(name)
        return curve_pictures.plot_forest(table_of(what, name, what.compare(name), overall), overall, ax)
    return draw(with_pictures(what), ax, width) if isinstance(what, Shown) else plots.plot(what, ax, width)


def svg(what: Any) -> str:
    """Mean ranks as SVG."""
    from classay.report.pictures.diagrams import ranks_svg

    return ranks_svg(what)


def _module(shown: Any) -> Any:
    kinds = [kind.__name__ for kind in type(shown).__mro__]
    name = next(BUILDERS[kind] for kind in kinds if kind in BUILDERS)
    return import_module(f"classay.report.results.{name}")
