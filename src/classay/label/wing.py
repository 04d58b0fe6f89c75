"""What plans of which cases to label, and assessments from these labels, bring."""

from classay.wings import Wing

WING = Wing(
    "label",
    public={
        "LabelPlan": "classay.label.planning",
        "LabeledAssessment": "classay.label.labeled",
        "assess_labeled": "classay.label.labeled",
        "plan_labels": "classay.label.planning",
    },
    results={
        "LabelPlan": "classay.label.results:plan",
        "LabeledAssessment": "classay.label.results:labeled",
    },
    drawings={"LabelPlan": "classay.label.results_drawn:draw_plan"},
    ways={
        "assess.design": "classay.label.doors:assess_by_design",
        "read.drawn": "classay.label.lists:drawn_list",
        "read.design": "classay.label.commands:design_of",
        "describe.drawn": "classay.label.lists:described",
        "compare.design": "classay.label.doors:BY_DESIGN",
        "merge.labeled_assessment": "classay.label.commands:merge_labeled",
        "sample_size.labels": "classay.label.needed:LabelsNeeded",
    },
    saved={"labeled_assessment": "classay.label.labeled:LabeledAssessment"},
    shown_again={"labeled_assessment": "classay.label.commands:show_again"},
    commands={"label": "classay.label.commands"},
    options={
        "assess other.label": "classay.label.commands:DesignOptions",
        "compare.label": "classay.label.commands:ComparedByDesign",
    },
)
