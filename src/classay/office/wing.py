"""What files of office programs bring."""

from classay.wings import Wing

WING = Wing(
    "office",
    outputs={
        "docx": "classay.office.results_in_word:DOCX",
        "xlsx": "classay.office.results_in_excel:XLSX",
    },
    options={"written.office": "classay.office.commands:OfficeOptions"},
)
