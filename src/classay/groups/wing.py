"""What groups of cases bring."""

from classay.wings import Wing

WING = Wing(
    "groups",
    public={
        "Criteria": "classay.groups.criteria",
        "Disparity": "classay.groups.disparities",
        "GroupComparisons": "classay.groups.by_group",
        "GroupGate": "classay.groups.gate_of_groups",
        "GroupThresholds": "classay.groups.group_thresholds",
        "Interaction": "classay.groups.interactions",
        "NewGroup": "classay.groups.new_group",
        "Segments": "classay.groups.segments",
        "GroupDifference": "classay.groups.compared_groups",
        "GroupAssessments": "classay.groups.slices",
        "Trends": "classay.groups.trends",
        "assess_by": "classay.groups.assessing_groups",
        "decide_by": "classay.groups.group_thresholds",
        "trends_over": "classay.groups.trends",
    },
    renamed={"Slice": "GroupDifference", "Slices": "GroupAssessments"},
    results={
        "GroupComparisons": "classay.groups.results_of_comparisons:groups",
        "GroupAssessments": "classay.groups.results_of_groups:slices",
        "Segments": "classay.groups.results_of_groups:segments",
        "Criteria": "classay.groups.results_of_treatment:criteria",
        "GroupThresholds": "classay.groups.results_of_treatment:thresholds",
        "GroupGate": "classay.groups.results_of_comparisons:gate",
        "Trends": "classay.groups.results_of_trends:trends",
    },
    keys={
        "assessment": "classay.groups.results_shapes:BESIDE_ASSESSMENT",
        "tags": "classay.groups.results_shapes:BESIDE_TAGS",
    },
    drawings={
        "GroupAssessments": "classay.groups.results_of_groups:draw_groups",
    },
    ways={
        "compare_predictions.by": "classay.groups.compare_by_group:BY_GROUP",
        "compare_values.by": "classay.groups.compare_by_group:values_by_group",
        "compare_values.rule": "classay.groups.compare_by_group:judged_in_groups",
        "demand.columns": "classay.groups.every_group:columns_of_groups",
        "demand.of groups": "classay.groups.every_group:refuse_other_groups",
        "demand.of each": "classay.groups.every_group:of_each_group",
        "demand.each group": "classay.groups.every_group:each_group",
        "require.disparity": "classay.groups.slices:demanded",
        "assess.by": "classay.groups.commands:assess_groups",
        "assess.by tags": "classay.groups.commands:BesideGroups",
        "assess.by '*'": "classay.groups.commands:LOOKING",
        "merge.apart": "classay.groups.commands:set_apart",
        "merge.trend": "classay.groups.commands:trends_of_files",
        "decide.by": "classay.groups.commands:decide_for_groups",
        "gate.by": "classay.groups.assessing_groups:assess_by",
    },
)
