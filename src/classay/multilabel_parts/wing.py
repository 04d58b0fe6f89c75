"""What several labels a case, counted part by part, bring."""

from classay.wings import Wing

WING = Wing(
    "multilabel_parts",
    stands_on=("in_parts", "multilabel"),
    ways={
        "scan.tags": "classay.multilabel_parts.tag_parts:PARTS_OF_TAGS",
    },
)
