"""What deciding alone with a guarantee brings."""

from classay.wings import Wing

WING = Wing(
    "selective",
    public={
        "Guarantee": "classay.selective.guarantee",
        "Promise": "classay.selective.guarantee",
        "Review": "classay.selective.reviewing",
        "guarantee": "classay.selective.guaranteeing",
        "guarantee_losses": "classay.selective.guaranteeing",
    },
    results={
        "Guarantee": "classay.selective.results",
        "Review": "classay.selective.results_of_reviews",
    },
    options={"decide other.guarantee": "classay.selective.commands:Guaranteed"},
    registers={"charts.selective": "classay.selective.charts"},
    ways={
        "curve.risk_coverage": "classay.selective.charts:of_several_classes",
        "decide.review": "classay.selective.commands:decide_with_reviews",
        "require.coverage": "classay.selective.requiring:demanded",
        "threshold.review": "classay.selective.reviewing:of_assessment",
        "worth.limits": "classay.selective.requiring:worth_of_limits",
        "threshold.guarantee": "classay.selective.guaranteeing:of_assessment",
    },
)
