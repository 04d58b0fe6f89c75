"""classay assays classifiers: from predictions to a judgement, with an honest interval on every number.

A measure is a function of a table: rows are checked once and reduced to small, mergeable tables, and every measure,
interval, merge and report is a pure function of tables.

>>> import classay as ca
>>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
>>> a["roc_auc"]
Estimate(0.750 [0.316, 0.947] 95 %, moderated DeLong)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from classay.assessment.assessing import assess
from classay.assessment.assessment import Assessment
from classay.assessment.grades import auc_grade
from classay.errors import (
    ClassayError,
    FileError,
    InputError,
    MergeError,
    MissingExtraError,
    UnknownMeasureError,
)
from classay.inference.estimate import Estimate
from classay.loading import load
from classay.measures import MEASURES, Measure, macro, micro, per_class, weighted
from classay.measures.on_request import (
    expected_calibration_error,
    f_beta,
    partial_roc_auc,
    top_k_accuracy,
)
from classay.shown import show_by
from classay.tables import ClassScoreTable, ConfusionMatrix, ScoreTable

if TYPE_CHECKING:
    from classay import ensembles as ensembles
    from classay import sample_size as sample_size
    from classay.assessment.many.counted import assess_counts, scan_database
    from classay.assessment.many.refining import refine
    from classay.assessment.many.scanning import scan
    from classay.assessment.slices.assess_by import assess_by
    from classay.assessment.slices.slices import Slice, Slices
    from classay.assessment.slices.trends import Trends, trends_over
    from classay.comparison.cases.choice.best import best_of, best_of_values, expected_best
    from classay.comparison.cases.choice.max_t import against_baseline
    from classay.comparison.cases.compare_predictions import compare_predictions
    from classay.comparison.cases.reader import compare_reader
    from classay.comparison.cases.sequential import (
        mean_sequence,
        proportion_sequence,
        sequential_losses,
        sequential_mcnemar,
    )
    from classay.comparison.cases.unpaired import compare_unpaired
    from classay.comparison.compare import compare
    from classay.comparison.comparison import Comparison
    from classay.comparison.comparisons import Comparisons
    from classay.comparison.datasets.compare_datasets import compare_datasets, win_tie_loss
    from classay.comparison.folds.compare_learners import compare_learners
    from classay.comparison.gate import gate
    from classay.comparison.rules import Gate
    from classay.decision.cost_curves import CostCurves, cost_curves
    from classay.decision.costs import Costs
    from classay.decision.decision import Decision
    from classay.decision.several import least_cost
    from classay.decision.verification import Verification, correct_verification
    from classay.improving.decomposing import decompose
    from classay.improving.decomposition import Decomposition
    from classay.improving.learning_curve import LearningCurve, learning_curve
    from classay.improving.path import DecompositionPath, decompose_over
    from classay.improving.remedies.improvement import Improvement
    from classay.improving.remedies.improving import improve
    from classay.improving.training_sets import Population
    from classay.inference.multiplicity import adjust
    from classay.report.progress import Progress
    from classay.resampling.evaluating import evaluate
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.fit.balancing import Balanced
    from classay.resampling.fit.scorer import scorer
    from classay.resampling.protocols.bootstraps import (
        Bootstrap,
        Bootstrap632,
        Bootstrap632Plus,
        OptimismBootstrap,
    )
    from classay.resampling.protocols.holdout import Holdout, Resubstitution
    from classay.resampling.protocols.k_folds import LeaveOneOut, StratifiedKFold, TimeOrdered
    from classay.resampling.protocols.nested import NestedCV
    from classay.resampling.tuning import tune
    from classay.sources.sql import count_query
    from classay.tracking import log_to_mlflow

__version__ = "0.1.0"

show_by(lambda: import_module("classay.report.door"))

__all__ = [
    "MEASURES",
    "Assessment",
    "Balanced",
    "Bootstrap",
    "Bootstrap632",
    "Bootstrap632Plus",
    "ClassScoreTable",
    "ClassayError",
    "Comparison",
    "Comparisons",
    "ConfusionMatrix",
    "CostCurves",
    "Costs",
    "Decision",
    "Decomposition",
    "DecompositionPath",
    "Estimate",
    "Evaluation",
    "FileError",
    "Gate",
    "Holdout",
    "Improvement",
    "InputError",
    "LearningCurve",
    "LeaveOneOut",
    "Measure",
    "MergeError",
    "MissingExtraError",
    "NestedCV",
    "OptimismBootstrap",
    "Population",
    "Progress",
    "Resubstitution",
    "ScoreTable",
    "Slice",
    "Slices",
    "StratifiedKFold",
    "TimeOrdered",
    "Trends",
    "UnknownMeasureError",
    "Verification",
    "adjust",
    "against_baseline",
    "assess",
    "assess_by",
    "assess_counts",
    "auc_grade",
    "best_of",
    "best_of_values",
    "compare",
    "compare_datasets",
    "compare_learners",
    "compare_predictions",
    "compare_reader",
    "compare_unpaired",
    "correct_verification",
    "cost_curves",
    "count_query",
    "decompose",
    "decompose_over",
    "evaluate",
    "expected_best",
    "expected_calibration_error",
    "f_beta",
    "gate",
    "improve",
    "learning_curve",
    "least_cost",
    "load",
    "log_to_mlflow",
    "macro",
    "mean_sequence",
    "micro",
    "partial_roc_auc",
    "per_class",
    "proportion_sequence",
    "refine",
    "scan",
    "scan_database",
    "scorer",
    "sequential_losses",
    "sequential_mcnemar",
    "top_k_accuracy",
    "trends_over",
    "tune",
    "weighted",
    "win_tie_loss",
]

_LATER = {
    "Trends": "classay.assessment.slices.trends",
    "Balanced": "classay.resampling.fit.balancing",
    "Bootstrap": "classay.resampling.protocols.bootstraps",
    "Bootstrap632": "classay.resampling.protocols.bootstraps",
    "Bootstrap632Plus": "classay.resampling.protocols.bootstraps",
    "Comparison": "classay.comparison.comparison",
    "Comparisons": "classay.comparison.comparisons",
    "Decomposition": "classay.improving.decomposition",
    "DecompositionPath": "classay.improving.path",
    "CostCurves": "classay.decision.cost_curves",
    "Costs": "classay.decision.costs",
    "Decision": "classay.decision.decision",
    "Evaluation": "classay.resampling.evaluation",
    "Gate": "classay.comparison.rules",
    "Improvement": "classay.improving.remedies.improvement",
    "Holdout": "classay.resampling.protocols.holdout",
    "LearningCurve": "classay.improving.learning_curve",
    "LeaveOneOut": "classay.resampling.protocols.k_folds",
    "NestedCV": "classay.resampling.protocols.nested",
    "OptimismBootstrap": "classay.resampling.protocols.bootstraps",
    "Population": "classay.improving.training_sets",
    "Progress": "classay.report.progress",
    "Resubstitution": "classay.resampling.protocols.holdout",
    "Slice": "classay.assessment.slices.slices",
    "Slices": "classay.assessment.slices.slices",
    "StratifiedKFold": "classay.resampling.protocols.k_folds",
    "TimeOrdered": "classay.resampling.protocols.k_folds",
    "Verification": "classay.decision.verification",
    "adjust": "classay.inference.multiplicity",
    "against_baseline": "classay.comparison.cases.choice.max_t",
    "best_of": "classay.comparison.cases.choice.best",
    "best_of_values": "classay.comparison.cases.choice.best",
    "compare_datasets": "classay.comparison.datasets.compare_datasets",
    "compare_learners": "classay.comparison.folds.compare_learners",
    "compare_predictions": "classay.comparison.cases.compare_predictions",
    "compare_reader": "classay.comparison.cases.reader",
    "compare_unpaired": "classay.comparison.cases.unpaired",
    "expected_best": "classay.comparison.cases.choice.best",
    "mean_sequence": "classay.comparison.cases.sequential",
    "proportion_sequence": "classay.comparison.cases.sequential",
    "sequential_losses": "classay.comparison.cases.sequential",
    "sequential_mcnemar": "classay.comparison.cases.sequential",
    "win_tie_loss": "classay.comparison.datasets.compare_datasets",
    "assess_by": "classay.assessment.slices.assess_by",
    "trends_over": "classay.assessment.slices.trends",
    "correct_verification": "classay.decision.verification",
    "scorer": "classay.resampling.fit.scorer",
    "refine": "classay.assessment.many.refining",
    "scan": "classay.assessment.many.scanning",
    "assess_counts": "classay.assessment.many.counted",
    "scan_database": "classay.assessment.many.counted",
    "count_query": "classay.sources.sql",
    "cost_curves": "classay.decision.cost_curves",
    "compare": "classay.comparison.compare",
    "decompose": "classay.improving.decomposing",
    "decompose_over": "classay.improving.path",
    "evaluate": "classay.resampling.evaluating",
    "gate": "classay.comparison.gate",
    "improve": "classay.improving.remedies.improving",
    "learning_curve": "classay.improving.learning_curve",
    "log_to_mlflow": "classay.tracking",
    "least_cost": "classay.decision.several",
    "tune": "classay.resampling.tuning",
}
"""Names that are loaded when first asked for: whoever assesses one classifier need not wait for the rest."""

_ROOMS = ("ensembles", "sample_size")
"""Modules that are loaded when first asked for."""


def __dir__() -> list[str]:
    """What a user may want: not the modules and helpers that this file happens to have imported."""
    return sorted({*__all__, *_ROOMS, *(name for name in globals() if name.startswith("__"))})


if not TYPE_CHECKING:  # a checker knows them from above, and should not take a misspelt name for anything

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"classay.{name}")
        if name not in _LATER:
            raise AttributeError(f"module 'classay' has no attribute {name!r}")
        return getattr(import_module(_LATER[name]), name)
