"""What studies with readers bring."""

from classay.wings import Wing

WING = Wing(
    "readers",
    public={
        "ReaderStudy": "classay.readers.reader_study",
        "compare_reader": "classay.readers.reader_study",
        "compare_readers": "classay.readers.comparing_readers",
    },
    results={"ReaderStudy": "classay.readers.results"},
    commands={"readers": "classay.readers.commands"},
    options={"compare.reader": "classay.readers.commands:AgainstReader"},
)
