"""What grades that others gave bring."""

from classay.wings import Wing

WING = Wing(
    "grades",
    public={
        "GradeColumns": "classay.grades.tables",
        "GradedRuns": "classay.grades.reading",
        "GradesAssessment": "classay.grades.assessing",
        "assess_grades": "classay.grades.assessing",
        "read_grades": "classay.grades.reading",
    },
    results={"GradesAssessment": "classay.grades.results"},
    commands={"grades": "classay.grades.commands"},
    formats={"eval": "classay.grades.not_rows:EVAL"},
    options={"gate other.grades": "classay.grades.commands:GatedGrades"},
)
