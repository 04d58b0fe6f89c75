"""What programs that keep track of runs need."""

from classay.wings import Wing

WING = Wing(
    "tracking",
    public={"log_to_mlflow": "classay.tracking.results"},
)
