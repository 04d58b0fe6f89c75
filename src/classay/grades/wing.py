"""What grades that others gave bring."""

from classay.wings import Wing

WING = Wing(
    "grades",
    public={
        "GradeColumns": "classay.grades.tables",
        "GradedRuns": "classay.grades.reading",
        "read_grades": "classay.grades.reading",
    },
)
