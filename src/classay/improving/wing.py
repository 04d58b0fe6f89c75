"""What the causes of a learner's errors, and remedies against them, bring."""

from classay.wings import Wing

WING = Wing(
    "improving",
    stands_on=("ensembles", "resampling"),
    public={
        "Decomposition": "classay.improving.decomposition",
        "DecompositionPath": "classay.improving.learning_curve",
        "Improvement": "classay.improving.improvement",
        "LearningCurve": "classay.improving.learning_curve",
        "Population": "classay.improving.training_sets",
        "decompose": "classay.improving.decomposing",
        "decompose_over": "classay.improving.learning_curve",
        "improve": "classay.improving.improving",
        "learning_curve": "classay.improving.learning_curve",
    },
    results={
        "Decomposition": "classay.improving.results_of_parts:decomposition",
        "DecompositionPath": "classay.improving.results_of_parts:path",
        "LearningCurve": "classay.improving.results_of_parts:learning_curve",
        "Improvement": "classay.improving.results_of_improvement",
    },
    drawings={
        "Decomposition": "classay.improving.results_of_parts:draw_decomposition",
        "Improvement": "classay.improving.results_of_improvement:draw_improvement",
    },
    saved={
        "decomposition": "classay.improving.decomposition:Decomposition",
        "decomposition_path": "classay.improving.learning_curve:DecompositionPath",
        "learning_curve": "classay.improving.learning_curve:LearningCurve",
        "improvement": "classay.improving.improvement:Improvement",
    },
    shown_again={
        "decomposition": "classay.improving.commands:show_again",
        "decomposition_path": "classay.improving.commands:show_again",
        "learning_curve": "classay.improving.commands:show_again",
        "improvement": "classay.improving.commands:show_again",
    },
    commands={
        "improve": "classay.improving.commands",
        "decompose": "classay.improving.commands",
    },
)
