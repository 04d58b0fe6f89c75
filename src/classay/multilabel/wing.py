"""What several labels a case (tags) bring."""

from classay.wings import Wing

WING = Wing(
    "multilabel",
    public={
        "MultilabelAssessment": "classay.multilabel.tag_assessment",
        "MultilabelThresholds": "classay.multilabel.tag_thresholds",
    },
    renamed={"TagAssessment": "MultilabelAssessment", "TagThresholds": "MultilabelThresholds"},
    results={
        "MultilabelAssessment": "classay.multilabel.results",
        "MultilabelThresholds": "classay.multilabel.results:thresholds",
    },
    saved={
        "tag_assessment": "classay.multilabel.tag_assessment:MultilabelAssessment",
    },
    ways={
        "rows.tags": "classay.multilabel.tag_rows:OF_TAGS",
        "panel.tags": "classay.multilabel.tag_panel:PANELS_OF_TAGS",
        "remembered.MultilabelAssessment": "classay.multilabel.remembered_tags:RememberedTags",
        "warm.tags": "classay.multilabel.commands:warm",
        "made.MultilabelAssessment": "classay.multilabel.commands:made_of_tags",
    },
    options={
        "assess other.tags": "classay.multilabel.commands:TagOptions",
        "decide other.tags": "classay.multilabel.commands:DecidedTags",
        "compare other.tags": "classay.multilabel.commands:ComparedTags",
        "gate other.tags": "classay.multilabel.commands:ComparedTags",
    },
    registers={
        "measures.tags": "classay.multilabel.tag_measures",
        "intervals.tags": "classay.multilabel.tag_labels",
        "intervals.ranks of tags": "classay.multilabel.tag_ranks",
    },
)
