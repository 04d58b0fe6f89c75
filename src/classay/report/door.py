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
    "Estimate": "estimates.estimate",
    "Proportion": "estimates.proportion",
    "Shifted": "estimates.shifted",
    "Verification": "estimates.verification",
    "Comparison": "compared.comparison",
    "GroupComparisons": "compared.groups",
    "Best": "compared.best",
    "Comparisons": "compared_models",
    "TagAssessment": "tag_assessments",
    "TagThresholds": "tag_assessments.thresholds",
    "Assessment": "assessments",
    "Slices": "groups_of_cases.slices",
    "Segments": "groups_of_cases.segments",
    "Criteria": "equal_treatment.criteria",
    "GroupThresholds": "equal_treatment.thresholds",
    "Gate": "compared.gate",
    "Decision": "decisions",
    "CutPoints": "classes_and_costs.cut_points",
    "ClassThresholds": "classes_and_costs.thresholds",
    "ConfusionTree": "classes_and_costs.tree",
    "RocSpace": "classes_and_costs.roc_space",
    "CostCurves": "classes_and_costs.cost_curves",
    "ReaderStudy": "compared_readers",
    "EnsembleAssessment": "ensembles.ensemble",
    "EnsembleAssessments": "ensembles.ensembles",
    "Decomposition": "decompositions.decomposition",
    "DecompositionPath": "decompositions.path",
    "LearningCurve": "decompositions.learning_curve",
    "Improvement": "improvements",
    "Evaluation": "evaluations",
    "TagEvaluation": "tag_assessments.evaluation",
    "Trends": "over_periods.trends",
    "Overview": "over_periods.overview",
}
"""The module of `results` for each type, or MODULE.KIND, whose functions are `document_of_KIND`, `as_dict_of_KIND` …"""


def document(shown: Any) -> Document:
    """The document of a result, without curves."""
    return _built(shown, "document_of")(shown)  # type: ignore[no-any-return]


def with_pictures(shown: Any) -> Document:
    """The document of a result, with the curves that only a page shows."""
    made: Document = (_built(shown, "page_of") or _built(shown, "document_of"))(shown)
    draw = _built(shown, "with_pictures")
    return made if draw is None else draw(made, shown)


def frame(shown: Any) -> Any:
    """The numbers of a result as rows: as its builder wants them, or those of its document."""
    from classay.report.paper import numbers_of

    own = _built(shown, "frame_of")
    return numbers_of(document(shown)) if own is None else own(shown)


def for_paper(shown: Any) -> Document:
    """The document of a result, with the tables that only a paper wants."""
    made, more = document(shown), _built(shown, "for_paper")
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
    from classay.report.paper import as_markdown

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
    found: dict[str, Any] = _built(shown, "as_dict")(shown, *named)
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
    from classay.assessment.class_views import ConfusionTree, RocSpace
    from classay.assessment.slices import Slices
    from classay.comparison.rank_tests import CriticalDifference
    from classay.improving.decomposition import Decomposition
    from classay.improving.improvement import Improvement
    from classay.measures import get
    from classay.report.paper import draw
    from classay.report.pictures import curve_pictures, diagrams, plots
    from classay.report.pictures.diagrams import plot_ranks
    from classay.report.results.groups_of_cases import table_of
    from classay.report.results.improvements import stacks_of
    from classay.report.results.parts import matrix_of
    from classay.resampling.protocol import SplitPlan

    own: dict[type | str, Callable[[Any], Any]] = {
        "ConfusionMatrix": lambda matrix: diagrams.plot_matrix(matrix_of(matrix), share, ax),
        RocSpace: lambda space: plots.plot_space(space, costs, ax),
        SplitPlan: lambda plan: plots.plot_plan(plan, by, ax),
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


def _built(shown: Any, what: str) -> Any:
    """The function of the builder of a result that makes `what` of it, or None where it has none."""
    kinds = [kind.__name__ for kind in type(shown).__mro__]
    name = next(BUILDERS[kind] for kind in kinds if kind in BUILDERS)
    module, _, kind = name.partition(".")
    function = f"{what.removesuffix('_of')}_of_{kind}" if kind else what
    return getattr(import_module(f"classay.report.results.{module}"), function, None)
