"""What the formats of people's tools bring."""

from classay.wings import Wing

WING = Wing(
    "formats",
    formats={
        "avro": "classay.formats.registry:AVRO",
        "excel": "classay.formats.registry:EXCEL",
        "orc": "classay.formats.registry:ORC",
        "r": "classay.formats.registry:R",
        "sas": "classay.formats.registry:SAS",
        "spss": "classay.formats.registry:SPSS",
        "sqlite": "classay.formats.registry:SQLITE",
        "stata": "classay.formats.registry:STATA",
        "xport": "classay.formats.registry:XPORT",
    },
    ways={
        "read.prepared": "classay.formats.opening:prepared",
        "read.range": "classay.formats.layout:Layout",
        "read.sheet": "classay.formats.layout:Layout",
        "read.finished": "classay.formats.text_layouts:finished",
    },
    options={"read.layout": "classay.formats.commands:LayoutOptions"},
)
