"""What several labels a case (tags) bring."""

from classay.wings import Wing

WING = Wing(
    "multilabel",
    public={
        "TagAssessment": "classay.multilabel.tag_assessment",
        "TagThresholds": "classay.multilabel.tag_thresholds",
    },
    results={
        "TagAssessment": "classay.multilabel.results",
        "TagThresholds": "classay.multilabel.results:thresholds",
    },
    saved={
        "tag_assessment": "classay.multilabel.tag_assessment:TagAssessment",
    },
    ways={
        "rows.tags": "classay.multilabel.tag_rows:OF_TAGS",
        "panel.tags": "classay.multilabel.tag_panel:PANELS_OF_TAGS",
        "remembered.TagAssessment": "classay.multilabel.remembered_tags:RememberedTags",
        "warm.tags": "classay.multilabel.commands:warm",
        "made.TagAssessment": "classay.multilabel.commands:made_of_tags",
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
