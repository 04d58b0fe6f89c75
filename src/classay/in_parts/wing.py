"""What counting part by part, and inside databases, brings."""

from classay.wings import Wing

WING = Wing(
    "in_parts",
    public={
        "assess_counts": "classay.in_parts.databases",
        "count_query": "classay.in_parts.databases",
        "refine": "classay.in_parts.scanning",
        "scan": "classay.in_parts.scanning",
        "scan_database": "classay.in_parts.databases",
    },
    formats={
        "delta": "classay.in_parts.table_folders:DELTA",
        "iceberg": "classay.in_parts.table_folders:ICEBERG",
        "lance": "classay.in_parts.table_folders:LANCE",
    },
    ways={
        "assess.rows": "classay.in_parts.commands:way_of_large",
        "describe.files": "classay.in_parts.named_files:files_of",
        "read.address": "classay.in_parts.addresses:stream_at",
    },
    commands={
        "sql": "classay.in_parts.commands_of_databases",
    },
    options={
        "assess.in_parts": "classay.in_parts.commands:InParts",
    },
)
