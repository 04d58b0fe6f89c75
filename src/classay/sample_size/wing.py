"""What plans of studies bring."""

from classay.wings import Wing

WING = Wing(
    "sample_size",
    rooms={"sample_size": "classay.sample_size"},
    parts={"SampleSize": "classay.sample_size.results"},
    commands={"sample-size": "classay.sample_size.commands"},
)
