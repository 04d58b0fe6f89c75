"""What grades of a judge, corrected by human labels, bring."""

from classay.wings import Wing

WING = Wing(
    "judge",
    public={
        "Judged": "classay.judge.judging",
        "judged": "classay.judge.judging",
    },
    results={
        "Judged": "classay.judge.results",
    },
    commands={"judge": "classay.judge.commands"},
)
