"""What learners, fitted and tested fold by fold, bring."""

from classay.wings import Wing

WING = Wing(
    "resampling",
    public={
        "Balanced": "classay.resampling.models",
        "Bootstrap": "classay.resampling.bootstraps",
        "Bootstrap632": "classay.resampling.bootstraps",
        "Bootstrap632Plus": "classay.resampling.bootstraps",
        "Evaluation": "classay.resampling.evaluation",
        "Holdout": "classay.resampling.partitions",
        "LeaveOneOut": "classay.resampling.partitions",
        "NestedCV": "classay.resampling.partitions",
        "OptimismBootstrap": "classay.resampling.bootstraps",
        "Progress": "classay.resampling.results_of_progress",
        "Resubstitution": "classay.resampling.partitions",
        "StratifiedKFold": "classay.resampling.partitions",
        "TimeOrdered": "classay.resampling.partitions",
        "compare_datasets": "classay.resampling.compare_datasets",
        "compare_learners": "classay.resampling.compare_learners",
        "evaluate": "classay.resampling.evaluating",
        "scorer": "classay.resampling.searches",
        "tune": "classay.resampling.evaluating",
        "win_tie_loss": "classay.resampling.compare_datasets",
    },
    results={
        "Evaluation": "classay.resampling.results",
    },
    parts={
        "CriticalDifference": "classay.resampling.results_of_ranks:ranks",
    },
    drawings={
        "CriticalDifference": "classay.resampling.results_of_ranks:draw_ranks",
        "SplitPlan": "classay.resampling.results_of_splits:draw_plan",
    },
    saved={
        "evaluation": "classay.resampling.evaluation:Evaluation",
    },
    listed={
        "Evaluation": "classay.resampling.results_listed:list_evaluation",
        "store": "classay.resampling.results_listed:list_store",
    },
    shown_again={
        "evaluation": "classay.resampling.commands_of_runs:show_again",
        "store": "classay.resampling.commands_of_runs:show_store",
    },
    commands={
        "evaluate": "classay.resampling.commands",
        "protocols": "classay.resampling.commands_of_runs",
    },
    ways={
        "compare.folds": "classay.resampling.compare_learners:OVER_FOLDS",
        "compare.data sets": "classay.resampling.compare_learners:OVER_DATA_SETS",
    },
    words={
        "models": "classay.resampling.models:RECIPES",
    },
)
