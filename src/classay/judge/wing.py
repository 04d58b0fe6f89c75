"""What grades of a judge, corrected by human labels, bring."""

from classay.wings import Wing

WING = Wing(
    "judge",
    public={
        "Judged": "classay.judge.judging",
        "JudgedSystems": "classay.judge.comparing",
        "compare_judged": "classay.judge.comparing",
        "judged": "classay.judge.judging",
    },
    results={
        "Judged": "classay.judge.results",
        "JudgedSystems": "classay.judge.results_of_systems",
    },
    commands={"judge": "classay.judge.commands"},
)
