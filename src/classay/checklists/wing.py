"""What checklists of reporting standards bring."""

from classay.wings import Wing

WING = Wing(
    "checklists",
    ways={"report.standard": "classay.checklists.results_of_checklists:with_checklist"},
    options={"written.checklists": "classay.checklists.commands:ChecklistOptions"},
)
