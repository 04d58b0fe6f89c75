"""What the formats of people's tools bring."""

from classay.wings import Wing

WING = Wing(
    "formats",
    formats={
        "excel": "classay.formats.registry:EXCEL",
        "sas": "classay.formats.registry:SAS",
        "spss": "classay.formats.registry:SPSS",
        "stata": "classay.formats.registry:STATA",
        "xport": "classay.formats.registry:XPORT",
    },
    ways={
        "read.prepared": "classay.formats.opening:prepared",
        "read.decimal": "classay.formats.layout:Layout",
        "read.header_line": "classay.formats.layout:Layout",
        "read.na": "classay.formats.layout:Layout",
        "read.range": "classay.formats.layout:Layout",
        "read.sheet": "classay.formats.layout:Layout",
        "read.finished": "classay.formats.cells:finished",
        "read.part": "classay.formats.cells:finished_part",
        "read.told": "classay.formats.cells:tell_of_parts",
        "read.text": "classay.formats.samples:format_of_text",
    },
    options={"read.layout": "classay.formats.commands:LayoutOptions"},
)
