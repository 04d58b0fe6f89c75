"""What several raters of the same cases bring."""

from classay.wings import Wing

WING = Wing(
    "raters",
    public={
        "RaterAgreement": "classay.raters.agreement",
        "rater_agreement": "classay.raters.agreement",
    },
    results={"RaterAgreement": "classay.raters.results"},
    saved={"rater_agreement": "classay.raters.agreement:RaterAgreement"},
    shown_again={"rater_agreement": "classay.raters.commands:show_again"},
    commands={"raters": "classay.raters.commands"},
)
