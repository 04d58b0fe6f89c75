"""What learners of several labels a case bring."""

from classay.wings import Wing

WING = Wing(
    "multilabel_learn",
    stands_on=("multilabel", "resampling"),
    public={
        "TagEvaluation": "classay.multilabel_learn.tag_folds",
    },
    results={
        "TagEvaluation": "classay.multilabel_learn.results:evaluation",
    },
    saved={
        "tag_evaluation": "classay.multilabel_learn.tag_folds:TagEvaluation",
    },
    listed={
        "TagEvaluation": "classay.multilabel_learn.results:list_tag_evaluation",
    },
    shown_again={
        "tag_evaluation": "classay.multilabel_learn.commands:show_again",
    },
    ways={
        "evaluate.tags": "classay.multilabel_learn.tag_folds:LEARNERS_OF_TAGS",
    },
)
