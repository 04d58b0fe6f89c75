"""What prediction sets bring."""

from classay.wings import Wing

WING = Wing(
    "sets",
    stands_on=("multilabel",),
    public={
        "SetAssessment": "classay.sets.set_assessment",
        "SetComparison": "classay.sets.comparing_sets",
        "assess_sets": "classay.sets.set_assessment",
        "compare_sets": "classay.sets.comparing_sets",
    },
    results={
        "SetAssessment": "classay.sets.results:sets",
        "SetComparison": "classay.sets.results:comparison",
    },
    saved={"set_assessment": "classay.sets.set_assessment:SetAssessment"},
    shown_again={"set_assessment": "classay.sets.commands:show_again"},
    ways={"rows.sets": "classay.sets.reading:REFUSED"},
    commands={"sets": "classay.sets.commands"},
)
