"""What grades of a judge, corrected by human labels, bring."""

from classay.wings import Wing

WING = Wing(
    "judge",
    public={
        "Judged": "classay.judge.judging",
        "JudgedSystems": "classay.judge.comparing",
        "TrueShare": "classay.judge.elsewhere",
        "compare_judged": "classay.judge.comparing",
        "judged": "classay.judge.judging",
        "rogan_gladen": "classay.judge.elsewhere",
    },
    results={
        "Judged": "classay.judge.results",
        "JudgedSystems": "classay.judge.results_of_systems",
        "TrueShare": "classay.judge.results_elsewhere",
    },
    commands={"judge": "classay.judge.commands"},
)
