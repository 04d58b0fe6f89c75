# Written by `python -m manual`: the names of core_wing.py and of each wing.py.

from classay import ensembles as ensembles
from classay import sample_size as sample_size
from classay.assessment.assessing import assess as assess
from classay.assessment.assessment import Assessment as Assessment
from classay.assessment.cost_curves import cost_curves as cost_curves
from classay.assessment.roc_space import RocPoint as RocPoint
from classay.assessment.roc_space import RocSpace as RocSpace
from classay.assessment.roc_space import roc_space as roc_space
from classay.comparison.best import best_of as best_of
from classay.comparison.best import best_of_values as best_of_values
from classay.comparison.best import expected_best as expected_best
from classay.comparison.cases.compare_assessments import compare_unpaired as compare_unpaired
from classay.comparison.cases.graded import compare_values as compare_values
from classay.comparison.cases.max_t import against_baseline as against_baseline
from classay.comparison.cases.sequential import mean_sequence as mean_sequence
from classay.comparison.cases.sequential import proportion_sequence as proportion_sequence
from classay.comparison.cases.sequential import sequential_losses as sequential_losses
from classay.comparison.cases.sequential import sequential_mcnemar as sequential_mcnemar
from classay.comparison.comparing import compare as compare
from classay.comparison.comparing import compare_predictions as compare_predictions
from classay.comparison.comparison import Comparison as Comparison
from classay.comparison.comparisons import Comparisons as Comparisons
from classay.comparison.comparisons import gate as gate
from classay.comparison.gate_rules import Gate as Gate
from classay.comparison.reclassification import Reclassification as Reclassification
from classay.comparison.reclassification import reclassification as reclassification
from classay.decision.cost_curves import CostCurves as CostCurves
from classay.decision.costs import Costs as Costs
from classay.decision.cut_points import CutPoints as CutPoints
from classay.decision.cut_points import cut_points as cut_points
from classay.decision.decision import Decision as Decision
from classay.decision.expected_cost import least_cost as least_cost
from classay.errors import ClassayError as ClassayError
from classay.errors import FileError as FileError
from classay.errors import InputError as InputError
from classay.errors import MergeError as MergeError
from classay.errors import MissingExtraError as MissingExtraError
from classay.errors import UnknownMeasureError as UnknownMeasureError
from classay.grades.assessing import GradesAssessment as GradesAssessment
from classay.grades.assessing import assess_grades as assess_grades
from classay.grades.leaderboard import GradesLeaderboard as GradesLeaderboard
from classay.grades.reading import GradedRuns as GradedRuns
from classay.grades.reading import read_grades as read_grades
from classay.grades.tables import GradeColumns as GradeColumns
from classay.groups.assessing_groups import assess_by as assess_by
from classay.groups.by_group import GroupComparisons as GroupComparisons
from classay.groups.compared_groups import GroupDifference as GroupDifference
from classay.groups.criteria import Criteria as Criteria
from classay.groups.disparities import Disparity as Disparity
from classay.groups.gate_of_groups import GroupGate as GroupGate
from classay.groups.group_thresholds import GroupThresholds as GroupThresholds
from classay.groups.group_thresholds import decide_by as decide_by
from classay.groups.interactions import Interaction as Interaction
from classay.groups.new_group import NewGroup as NewGroup
from classay.groups.segments import Segments as Segments
from classay.groups.slices import GroupAssessments as GroupAssessments
from classay.groups.trends import Trends as Trends
from classay.groups.trends import trends_over as trends_over
from classay.improving.decomposing import decompose as decompose
from classay.improving.decomposition import Decomposition as Decomposition
from classay.improving.improvement import Improvement as Improvement
from classay.improving.improving import improve as improve
from classay.improving.learning_curve import DecompositionPath as DecompositionPath
from classay.improving.learning_curve import LearningCurve as LearningCurve
from classay.improving.learning_curve import decompose_over as decompose_over
from classay.improving.learning_curve import learning_curve as learning_curve
from classay.improving.training_sets import Population as Population
from classay.in_parts.databases import assess_counts as assess_counts
from classay.in_parts.databases import count_query as count_query
from classay.in_parts.databases import scan_database as scan_database
from classay.in_parts.scanning import refine as refine
from classay.in_parts.scanning import scan as scan
from classay.inference.estimate import Estimate as Estimate
from classay.inference.estimate import auc_grade as auc_grade
from classay.inference.prevalence import Verification as Verification
from classay.inference.prevalence import correct_verification as correct_verification
from classay.inference.proportions import Proportion as Proportion
from classay.inference.proportions import proportion as proportion
from classay.inference.significance import adjust as adjust
from classay.judge.comparing import JudgedSystems as JudgedSystems
from classay.judge.comparing import compare_judged as compare_judged
from classay.judge.elsewhere import TrueShare as TrueShare
from classay.judge.elsewhere import rogan_gladen as rogan_gladen
from classay.judge.judging import Judged as Judged
from classay.judge.judging import judged as judged
from classay.label.labeled import LabeledAssessment as LabeledAssessment
from classay.label.labeled import assess_labeled as assess_labeled
from classay.label.planning import LabelPlan as LabelPlan
from classay.label.planning import plan_labels as plan_labels
from classay.measures import MEASURES as MEASURES
from classay.measures import Measure as Measure
from classay.measures import macro as macro
from classay.measures import micro as micro
from classay.measures import per_class as per_class
from classay.measures import weighted as weighted
from classay.measures.on_request import expected_calibration_error as expected_calibration_error
from classay.measures.on_request import f_beta as f_beta
from classay.measures.on_request import partial_roc_auc as partial_roc_auc
from classay.measures.on_request import top_k_accuracy as top_k_accuracy
from classay.multilabel.tag_assessment import MultilabelAssessment as MultilabelAssessment
from classay.multilabel.tag_thresholds import MultilabelThresholds as MultilabelThresholds
from classay.multilabel_learn.tag_folds import TagEvaluation as TagEvaluation
from classay.over_time.courses import assess_over_time as assess_over_time
from classay.over_time.last_period import gate_over_time as gate_over_time
from classay.raters.agreement import RaterAgreement as RaterAgreement
from classay.raters.agreement import rater_agreement as rater_agreement
from classay.readers.comparing_readers import compare_readers as compare_readers
from classay.readers.reader_study import ReaderStudy as ReaderStudy
from classay.readers.reader_study import compare_reader as compare_reader
from classay.resampling.bootstraps import Bootstrap as Bootstrap
from classay.resampling.bootstraps import Bootstrap632 as Bootstrap632
from classay.resampling.bootstraps import Bootstrap632Plus as Bootstrap632Plus
from classay.resampling.bootstraps import OptimismBootstrap as OptimismBootstrap
from classay.resampling.compare_datasets import compare_datasets as compare_datasets
from classay.resampling.compare_datasets import win_tie_loss as win_tie_loss
from classay.resampling.compare_learners import compare_learners as compare_learners
from classay.resampling.evaluating import evaluate as evaluate
from classay.resampling.evaluating import tune as tune
from classay.resampling.evaluation import Evaluation as Evaluation
from classay.resampling.models import Balanced as Balanced
from classay.resampling.partitions import Holdout as Holdout
from classay.resampling.partitions import LeaveOneOut as LeaveOneOut
from classay.resampling.partitions import NestedCV as NestedCV
from classay.resampling.partitions import Resubstitution as Resubstitution
from classay.resampling.partitions import StratifiedKFold as StratifiedKFold
from classay.resampling.partitions import TimeOrdered as TimeOrdered
from classay.resampling.results_of_progress import Progress as Progress
from classay.resampling.searches import scorer as scorer
from classay.saved_results import Overview as Overview
from classay.saved_results import load as load
from classay.saved_results import overview as overview
from classay.selective.guarantee import Guarantee as Guarantee
from classay.selective.guarantee import Promise as Promise
from classay.selective.guaranteeing import guarantee as guarantee
from classay.selective.guaranteeing import guarantee_losses as guarantee_losses
from classay.selective.reviewing import Review as Review
from classay.sets.comparing_sets import SetComparison as SetComparison
from classay.sets.comparing_sets import compare_sets as compare_sets
from classay.sets.set_assessment import SetAssessment as SetAssessment
from classay.sets.set_assessment import assess_sets as assess_sets
from classay.tables import ClassScoreTable as ClassScoreTable
from classay.tables import ConfusionMatrix as ConfusionMatrix
from classay.tables import ScoreTable as ScoreTable
from classay.tracking.results import log_to_mlflow as log_to_mlflow
from classay.validation.validating import Validation as Validation
from classay.validation.validating import validate as validate

__version__: str
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
    "GradeColumns",
    "GradedRuns",
    "GradesAssessment",
    "GradesLeaderboard",
    "GroupAssessments",
    "GroupComparisons",
    "GroupDifference",
    "GroupGate",
    "GroupThresholds",
    "Guarantee",
    "Holdout",
    "Improvement",
    "InputError",
    "Interaction",
    "Judged",
    "JudgedSystems",
    "LabelPlan",
    "LabeledAssessment",
    "LearningCurve",
    "LeaveOneOut",
    "Measure",
    "MergeError",
    "MissingExtraError",
    "MultilabelAssessment",
    "MultilabelThresholds",
    "NestedCV",
    "NewGroup",
    "OptimismBootstrap",
    "Overview",
    "Population",
    "Progress",
    "Promise",
    "Proportion",
    "RaterAgreement",
    "ReaderStudy",
    "Reclassification",
    "Resubstitution",
    "Review",
    "RocPoint",
    "RocSpace",
    "ScoreTable",
    "Segments",
    "SetAssessment",
    "SetComparison",
    "StratifiedKFold",
    "TagEvaluation",
    "TimeOrdered",
    "Trends",
    "TrueShare",
    "UnknownMeasureError",
    "Validation",
    "Verification",
    "adjust",
    "against_baseline",
    "assess",
    "assess_by",
    "assess_counts",
    "assess_grades",
    "assess_labeled",
    "assess_over_time",
    "assess_sets",
    "auc_grade",
    "best_of",
    "best_of_values",
    "compare",
    "compare_datasets",
    "compare_judged",
    "compare_learners",
    "compare_predictions",
    "compare_reader",
    "compare_readers",
    "compare_sets",
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
    "guarantee",
    "guarantee_losses",
    "improve",
    "judged",
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
    "plan_labels",
    "proportion",
    "proportion_sequence",
    "rater_agreement",
    "read_grades",
    "reclassification",
    "refine",
    "roc_space",
    "rogan_gladen",
    "scan",
    "scan_database",
    "scorer",
    "sequential_losses",
    "sequential_mcnemar",
    "top_k_accuracy",
    "trends_over",
    "tune",
    "validate",
    "weighted",
    "win_tie_loss",
]
