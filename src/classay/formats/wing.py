"""What the formats of people's tools bring."""

from classay.wings import Wing

WING = Wing(
    "formats",
    formats={
        "excel": "classay.formats.registry:EXCEL",
    },
    ways={
        "read.prepared": "classay.formats.layout:prepared",
        "read.finished": "classay.formats.layout:finished",
    },
    options={"read.layout": "classay.formats.commands:LayoutOptions"},
)
