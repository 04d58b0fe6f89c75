"""What grades of runs, corrected by human labels, bring."""

from classay.wings import Wing

WING = Wing(
    "grades_judged",
    stands_on=("grades", "judge"),
    ways={"grades.human": "classay.grades_judged.correcting:corrected"},
)
