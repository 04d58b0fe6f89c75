"""What grades that others gave bring."""

from classay.wings import Wing

WING = Wing(
    "grades",
    public={
        "GradeColumns": "classay.grades.tables",
        "GradedRuns": "classay.grades.reading",
        "GradesAssessment": "classay.grades.assessing",
        "GradesLeaderboard": "classay.grades.leaderboard",
        "assess_grades": "classay.grades.assessing",
        "read_grades": "classay.grades.reading",
    },
    results={
        "GradesAssessment": "classay.grades.results",
        "GradesLeaderboard": "classay.grades.results_of_runs",
    },
    commands={"grades": "classay.grades.commands"},
    formats={"eval": "classay.grades.not_rows:EVAL"},
    options={"gate other.grades": "classay.grades.commands:GatedGrades"},
    ways={
        "read.no_rows": "classay.grades.not_rows:refuse_json",
        "graded.files": "classay.grades.commands:values_of_files",
        "read.tables": "classay.grades.values_of_files:with_composite_ids",
    },
)
