"""What files that other programs read bring: of offices, and of continuous integration."""

from classay.wings import Wing

WING = Wing(
    "office",
    outputs={
        "docx": "classay.office.results_in_word:DOCX",
        "xlsx": "classay.office.results_in_excel:XLSX",
    },
    ways={"gate.junit": "classay.office.junit:as_junit"},
    options={"written.office": "classay.office.commands:OfficeOptions"},
)
