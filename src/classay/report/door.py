"""The one door of `shown.Shown`: which builder makes the document of each kind of result, and which its JSON."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from classay.files.writing import write_text
from classay.report.document import Document
from classay.shown import Shown

BUILDERS = {
    "Estimate": "single.estimate",
    "Comparison": "single.comparison",
    "Assessment": "assessment",
    "Shifted": "prevalence",
    "Slices": "slices",
    "Evaluation": "evaluation",
    "Comparisons": "comparison",
    "Gate": "gate",
    "Decision": "decision",
    "CostCurves": "cost_curves",
    "Verification": "verification",
    "EnsembleAssessment": "ensemble",
    "Decomposition": "improving.decomposition",
    "DecompositionPath": "improving.decomposition_path",
    "LearningCurve": "improving.learning_curve",
    "Improvement": "improving.improvement",
    "Best": "best",
}
"""The module of `documents` for each type; those of `contract` have the same names."""


def document(shown: Any) -> Document:
    """The document of a result, without curves."""
    return _module("documents", shown).document_of(shown)  # type: ignore[no-any-return]


def with_pictures(shown: Any) -> Document:
    """The document of a result, with the curves that only a page shows."""
    module = _module("documents", shown)
    made: Document = module.document_of(shown)
    draw = getattr(module, "with_pictures", None)
    return made if draw is None else draw(made, shown)


def frame(shown: Any) -> Any:
    """The numbers of a result as rows: as its builder wants them, or those of its document."""
    from classay.report.paper.numbers import numbers_of

    own = getattr(_module("documents", shown), "frame_of", None)
    return numbers_of(document(shown)) if own is None else own(shown)


def for_paper(shown: Any) -> Document:
    """The document of a result, with the tables that only a paper wants."""
    module = _module("documents", shown)
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
    from classay.report.paper.latex import as_latex

    return as_latex(for_paper(shown))


def methods(shown: Any) -> str:
    """How a result was found, in sentences."""
    from classay.report.paper.methods import methods_of

    return methods_of(document(shown))


def card(what: Any) -> str:
    """A result as a card of a notebook."""
    from classay.report.card import card_of

    return card_of(what)


def as_dict(shown: Any, *named: Any) -> dict[str, Any]:
    """A result as plain values, its JSON."""
    found: dict[str, Any] = _module("contract", shown).as_dict(shown, *named)
    return found


def plot(what: Any, ax: Any = None, *, measure: str = "", width: str = "screen") -> Any:
    """Draw curves, mean ranks, stacked parts of a loss, one measure of slices, or any result's main picture."""
    from classay.assessment.slices.slices import Slices
    from classay.comparison.datasets.critical_difference import CriticalDifference
    from classay.improving.decomposition import Decomposition
    from classay.improving.remedies.improvement import Improvement
    from classay.measures import get
    from classay.report.documents.improving.improvement import stacks_of
    from classay.report.documents.slices import table_of
    from classay.report.paper.drawing import draw
    from classay.report.pictures import forest, plots, stacks
    from classay.report.pictures.ranks import plot_ranks

    if isinstance(what, CriticalDifference):
        return plot_ranks(what, ax)
    if isinstance(what, Decomposition):
        return stacks.plot([stacks.stack_of(what)], ax)
    if isinstance(what, Improvement):
        return stacks.plot(stacks_of(what), ax)
    if isinstance(what, Slices):
        name = get(measure or what.main_measures[0]).name
        overall = what.overall.estimate(name)
        return forest.plot(table_of(what, name, what.compare(name), overall), overall, ax)
    return draw(with_pictures(what), ax, width) if isinstance(what, Shown) else plots.plot(what, ax, width)


def svg(what: Any) -> str:
    """Mean ranks as SVG."""
    from classay.report.pictures.ranks import ranks_svg

    return ranks_svg(what)


def _module(folder: str, shown: Any) -> Any:
    kinds = [kind.__name__ for kind in type(shown).__mro__]
    name = next(BUILDERS[kind] for kind in kinds if kind in BUILDERS)
    return import_module(f"classay.report.{folder}.{name}")
