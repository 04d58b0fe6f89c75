"""What the formats of people's tools bring."""

from classay.wings import Wing

WING = Wing(
    "formats",
    formats={
        "excel": "classay.formats.registry:EXCEL",
        "json": "classay.formats.registry:JSON",
        "sas": "classay.formats.registry:SAS",
        "spss": "classay.formats.registry:SPSS",
        "stata": "classay.formats.registry:STATA",
        "xport": "classay.formats.registry:XPORT",
    },
    ways={
        "read.prepared": "classay.formats.opening:prepared",
        "read.range": "classay.formats.layout:Layout",
        "read.sheet": "classay.formats.layout:Layout",
        "read.finished": "classay.formats.text_layouts:finished",
        "read.behind": "classay.formats.fields:behind",
        "read.leaves": "classay.formats.fields:leaves",
        "read.meant": "classay.formats.fields:meant",
        "read.columns": "classay.formats.fields:columns_meant",
        "read.score": "classay.formats.class_lists:score_by_class",
        "read.single": "classay.formats.vectors:single_scores",
        "read.vectors": "classay.formats.vectors:rows_of_numbers",
        "read.keys": "classay.formats.vectors:scores_by_key",
        "read.classes": "classay.formats.commands_of_scores:with_parts",
        "read.lines": "classay.formats.json_lines:read",
        "read.fields": "classay.formats.json_lines:fields",
    },
    options={"read.layout": "classay.formats.commands:LayoutOptions"},
)
