"""classay assays classifiers: from predictions to a judgement, with an honest interval on every number.

A measure is a function of a table: rows are checked once and reduced to small, mergeable tables, and every measure,
interval, merge and report is a pure function of tables.

>>> import classay as ca
>>> a = ca.assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
>>> a["roc_auc"]
Estimate(0.750 [0.316, 0.947] 95 %, moderated DeLong)
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from classay.shown import show_by

if TYPE_CHECKING:
    from classay import ensembles as ensembles
    from classay import sample_size as sample_size
    from classay.assessment.assessing import assess, cost_curves
    from classay.assessment.assessment import Assessment
    from classay.assessment.class_views import RocPoint, RocSpace, roc_space
    from classay.assessment.compared_groups import Slice
    from classay.assessment.counted import assess_counts, count_query, scan_database
    from classay.assessment.disparities import Criteria, Disparity
    from classay.assessment.over_time import assess_over_time
    from classay.assessment.scanning import refine, scan
    from classay.assessment.segments import Segments
    from classay.assessment.slices import Slices, assess_by
    from classay.assessment.tag_assessment import TagAssessment
    from classay.assessment.tag_thresholds import TagThresholds
    from classay.assessment.trends import Trends, trends_over
    from classay.comparison.best import best_of, best_of_values, expected_best
    from classay.comparison.by_group import GroupComparisons, GroupGate, Interaction
    from classay.comparison.cases.compare_assessments import compare_unpaired
    from classay.comparison.cases.comparing_readers import compare_readers
    from classay.comparison.cases.graded import compare_values
    from classay.comparison.cases.group_thresholds import GroupThresholds, decide_by
    from classay.comparison.cases.joint_values import against_baseline
    from classay.comparison.cases.last_period import gate_over_time
    from classay.comparison.cases.reader_study import ReaderStudy, compare_reader
    from classay.comparison.cases.sequential import (
        mean_sequence,
        proportion_sequence,
        sequential_losses,
        sequential_mcnemar,
    )
    from classay.comparison.compare_datasets import compare_datasets, win_tie_loss
    from classay.comparison.comparing import compare, compare_learners, compare_predictions
    from classay.comparison.comparison import Comparison
    from classay.comparison.comparisons import Comparisons, gate
    from classay.comparison.gate_rules import Gate
    from classay.comparison.reclassification import Reclassification, reclassification
    from classay.decision.cost_curves import CostCurves
    from classay.decision.costs import Costs
    from classay.decision.decision import Decision
    from classay.decision.expected_cost import least_cost
    from classay.decision.rules import CutPoints, cut_points
    from classay.errors import (
        ClassayError,
        FileError,
        InputError,
        MergeError,
        MissingExtraError,
        UnknownMeasureError,
    )
    from classay.improving.decomposing import decompose
    from classay.improving.decomposition import Decomposition
    from classay.improving.improvement import Improvement
    from classay.improving.improving import improve
    from classay.improving.learning_curve import (
        DecompositionPath,
        LearningCurve,
        decompose_over,
        learning_curve,
    )
    from classay.improving.training_sets import Population
    from classay.inference.estimate import Estimate, auc_grade
    from classay.inference.prevalence import Verification, correct_verification
    from classay.inference.proportions import Proportion, proportion
    from classay.inference.significance import adjust
    from classay.measures import MEASURES, Measure, macro, micro, per_class, weighted
    from classay.measures.on_request import (
        expected_calibration_error,
        f_beta,
        partial_roc_auc,
        top_k_accuracy,
    )
    from classay.report.door import log_to_mlflow
    from classay.report.progress import Progress
    from classay.resampling.bootstraps import Bootstrap, Bootstrap632, Bootstrap632Plus, OptimismBootstrap
    from classay.resampling.evaluating import evaluate, tune
    from classay.resampling.evaluation import Evaluation
    from classay.resampling.models import Balanced
    from classay.resampling.partitions import (
        Holdout,
        LeaveOneOut,
        NestedCV,
        Resubstitution,
        StratifiedKFold,
        TimeOrdered,
    )
    from classay.resampling.searches import scorer
    from classay.resampling.tag_folds import TagEvaluation
    from classay.saved_results import Overview, load, overview
    from classay.tables import ClassScoreTable, ConfusionMatrix, ScoreTable

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
    "Criteria",
    "CutPoints",
    "Decision",
    "Decomposition",
    "DecompositionPath",
    "Disparity",
    "Estimate",
    "Evaluation",
    "FileError",
    "Gate",
    "GroupComparisons",
    "GroupGate",
    "GroupThresholds",
    "Holdout",
    "Improvement",
    "InputError",
    "Interaction",
    "LearningCurve",
    "LeaveOneOut",
    "Measure",
    "MergeError",
    "MissingExtraError",
    "NestedCV",
    "OptimismBootstrap",
    "Overview",
    "Population",
    "Progress",
    "Proportion",
    "ReaderStudy",
    "Reclassification",
    "Resubstitution",
    "RocPoint",
    "RocSpace",
    "ScoreTable",
    "Segments",
    "Slice",
    "Slices",
    "StratifiedKFold",
    "TagAssessment",
    "TagEvaluation",
    "TagThresholds",
    "TimeOrdered",
    "Trends",
    "UnknownMeasureError",
    "Verification",
    "adjust",
    "against_baseline",
    "assess",
    "assess_by",
    "assess_counts",
    "assess_over_time",
    "auc_grade",
    "best_of",
    "best_of_values",
    "compare",
    "compare_datasets",
    "compare_learners",
    "compare_predictions",
    "compare_reader",
    "compare_readers",
    "compare_unpaired",
    "compare_values",
    "correct_verification",
    "cost_curves",
    "count_query",
    "cut_points",
    "decide_by",
    "decompose",
    "decompose_over",
    "evaluate",
    "expected_best",
    "expected_calibration_error",
    "f_beta",
    "gate",
    "gate_over_time",
    "improve",
    "learning_curve",
    "least_cost",
    "load",
    "log_to_mlflow",
    "macro",
    "mean_sequence",
    "micro",
    "overview",
    "partial_roc_auc",
    "per_class",
    "proportion",
    "proportion_sequence",
    "reclassification",
    "refine",
    "roc_space",
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
    "Assessment": "classay.assessment.assessment",
    "Balanced": "classay.resampling.models",
    "Bootstrap": "classay.resampling.bootstraps",
    "Bootstrap632": "classay.resampling.bootstraps",
    "Bootstrap632Plus": "classay.resampling.bootstraps",
    "ClassScoreTable": "classay.tables",
    "ClassayError": "classay.errors",
    "Comparison": "classay.comparison.comparison",
    "Comparisons": "classay.comparison.comparisons",
    "ConfusionMatrix": "classay.tables",
    "CostCurves": "classay.decision.cost_curves",
    "Costs": "classay.decision.costs",
    "Criteria": "classay.assessment.disparities",
    "CutPoints": "classay.decision.rules",
    "Decision": "classay.decision.decision",
    "Decomposition": "classay.improving.decomposition",
    "DecompositionPath": "classay.improving.learning_curve",
    "Disparity": "classay.assessment.disparities",
    "Estimate": "classay.inference.estimate",
    "Evaluation": "classay.resampling.evaluation",
    "FileError": "classay.errors",
    "Gate": "classay.comparison.gate_rules",
    "GroupComparisons": "classay.comparison.by_group",
    "GroupGate": "classay.comparison.by_group",
    "GroupThresholds": "classay.comparison.cases.group_thresholds",
    "Holdout": "classay.resampling.partitions",
    "Improvement": "classay.improving.improvement",
    "InputError": "classay.errors",
    "Interaction": "classay.comparison.by_group",
    "LearningCurve": "classay.improving.learning_curve",
    "LeaveOneOut": "classay.resampling.partitions",
    "MEASURES": "classay.measures",
    "Measure": "classay.measures",
    "MergeError": "classay.errors",
    "MissingExtraError": "classay.errors",
    "NestedCV": "classay.resampling.partitions",
    "OptimismBootstrap": "classay.resampling.bootstraps",
    "Overview": "classay.saved_results",
    "Population": "classay.improving.training_sets",
    "Progress": "classay.report.progress",
    "Proportion": "classay.inference.proportions",
    "ReaderStudy": "classay.comparison.cases.reader_study",
    "Reclassification": "classay.comparison.reclassification",
    "Resubstitution": "classay.resampling.partitions",
    "RocPoint": "classay.assessment.class_views",
    "RocSpace": "classay.assessment.class_views",
    "ScoreTable": "classay.tables",
    "Segments": "classay.assessment.segments",
    "Slice": "classay.assessment.compared_groups",
    "Slices": "classay.assessment.slices",
    "StratifiedKFold": "classay.resampling.partitions",
    "TagAssessment": "classay.assessment.tag_assessment",
    "TagEvaluation": "classay.resampling.tag_folds",
    "TagThresholds": "classay.assessment.tag_thresholds",
    "TimeOrdered": "classay.resampling.partitions",
    "Trends": "classay.assessment.trends",
    "UnknownMeasureError": "classay.errors",
    "Verification": "classay.inference.prevalence",
    "adjust": "classay.inference.significance",
    "against_baseline": "classay.comparison.cases.joint_values",
    "assess": "classay.assessment.assessing",
    "assess_by": "classay.assessment.slices",
    "assess_counts": "classay.assessment.counted",
    "assess_over_time": "classay.assessment.over_time",
    "auc_grade": "classay.inference.estimate",
    "best_of": "classay.comparison.best",
    "best_of_values": "classay.comparison.best",
    "compare": "classay.comparison.comparing",
    "compare_datasets": "classay.comparison.compare_datasets",
    "compare_learners": "classay.comparison.comparing",
    "compare_predictions": "classay.comparison.comparing",
    "compare_reader": "classay.comparison.cases.reader_study",
    "compare_readers": "classay.comparison.cases.comparing_readers",
    "compare_unpaired": "classay.comparison.cases.compare_assessments",
    "compare_values": "classay.comparison.cases.graded",
    "correct_verification": "classay.inference.prevalence",
    "cut_points": "classay.decision.rules",
    "cost_curves": "classay.assessment.assessing",
    "count_query": "classay.assessment.counted",
    "decide_by": "classay.comparison.cases.group_thresholds",
    "decompose": "classay.improving.decomposing",
    "decompose_over": "classay.improving.learning_curve",
    "evaluate": "classay.resampling.evaluating",
    "expected_best": "classay.comparison.best",
    "expected_calibration_error": "classay.measures.on_request",
    "f_beta": "classay.measures.on_request",
    "gate": "classay.comparison.comparisons",
    "gate_over_time": "classay.comparison.cases.last_period",
    "improve": "classay.improving.improving",
    "learning_curve": "classay.improving.learning_curve",
    "least_cost": "classay.decision.expected_cost",
    "load": "classay.saved_results",
    "log_to_mlflow": "classay.report.door",
    "macro": "classay.measures",
    "mean_sequence": "classay.comparison.cases.sequential",
    "micro": "classay.measures",
    "overview": "classay.saved_results",
    "partial_roc_auc": "classay.measures.on_request",
    "per_class": "classay.measures",
    "proportion": "classay.inference.proportions",
    "proportion_sequence": "classay.comparison.cases.sequential",
    "reclassification": "classay.comparison.reclassification",
    "refine": "classay.assessment.scanning",
    "roc_space": "classay.assessment.class_views",
    "scan": "classay.assessment.scanning",
    "scan_database": "classay.assessment.counted",
    "scorer": "classay.resampling.searches",
    "sequential_losses": "classay.comparison.cases.sequential",
    "sequential_mcnemar": "classay.comparison.cases.sequential",
    "top_k_accuracy": "classay.measures.on_request",
    "trends_over": "classay.assessment.trends",
    "tune": "classay.resampling.evaluating",
    "weighted": "classay.measures",
    "win_tie_loss": "classay.comparison.compare_datasets",
}
"""The module of each name, loaded when first asked for: whoever assesses one classifier need not wait for the rest."""

_ROOMS = ("ensembles", "sample_size")
"""Modules that are loaded when first asked for."""


def __dir__() -> list[str]:
    """What a user may want: not the modules and helpers that this file happens to have imported."""
    return sorted({*__all__, *_ROOMS, *(name for name in globals() if name.startswith("__"))})


if not TYPE_CHECKING:  # a checker knows them from above, and should not take a misspelt name for anything

    def __getattr__(name: str) -> Any:
        if name in _ROOMS or (
            not name.startswith("_") and name not in _LATER and find_spec(f"classay.{name}")
        ):
            return import_module(f"classay.{name}")
        if name not in _LATER:
            raise AttributeError(f"module 'classay' has no attribute {name!r}")
        return getattr(import_module(_LATER[name]), name)
