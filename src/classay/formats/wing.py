"""What the formats of people's tools bring."""

from classay.wings import Wing

WING = Wing(
    "formats",
    formats={
        # Those that only their content shows come first: some are JSON, or text, too.
        "weka": "classay.formats.registry:WEKA",
        "libsvm": "classay.formats.registry:LIBSVM",
        "libsvm-data": "classay.formats.registry:LIBSVM_DATA",
        "fasttext": "classay.formats.registry:FASTTEXT",
        "fasttext-data": "classay.formats.registry:FASTTEXT_DATA",
        "vw": "classay.formats.registry:VW",
        "vw-data": "classay.formats.registry:VW_DATA",
        "numbers": "classay.formats.registry:NUMBERS",
        "mlflow": "classay.formats.registry:MLFLOW",
        "json-matrix": "classay.formats.registry:JSON_MATRIX",
        "sklearn-report": "classay.formats.registry:REPORT",
        "joined": "classay.formats.registry:JOINED",
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
        "read.decimal": "classay.formats.layout:Layout",
        "read.header_line": "classay.formats.layout:Layout",
        "read.na": "classay.formats.layout:Layout",
        "read.range": "classay.formats.layout:Layout",
        "read.sheet": "classay.formats.layout:Layout",
        "take.objects": "classay.formats.in_memory:taken",
        "read.finished": "classay.formats.cells:finished",
        "read.part": "classay.formats.cells:finished_part",
        "read.told": "classay.formats.cells:tell_of_parts",
        "read.text": "classay.formats.samples:format_of_text",
    },
    options={"read.layout": "classay.formats.commands:LayoutOptions"},
)
