"""What deciding alone with a guarantee brings."""

from classay.wings import Wing

WING = Wing(
    "selective",
    public={
        "Guarantee": "classay.selective.guarantee",
        "Promise": "classay.selective.guarantee",
        "guarantee": "classay.selective.guaranteeing",
        "guarantee_losses": "classay.selective.guaranteeing",
    },
    results={"Guarantee": "classay.selective.results"},
    options={"decide other.guarantee": "classay.selective.commands:Guaranteed"},
    registers={"charts.selective": "classay.selective.charts"},
    ways={
        "curve.risk_coverage": "classay.selective.charts:of_several_classes",
        "threshold.guarantee": "classay.selective.guaranteeing:of_assessment",
    },
)
