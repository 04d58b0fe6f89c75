"""What descriptions of files bring."""

from classay.wings import Wing

WING = Wing(
    "describing",
    stands_on=("formats",),
    parts={"Description": "classay.describing.results"},
    commands={"describe": "classay.describing.commands"},
    ways={
        "assess.described": "classay.describing.commands:describe_for_assess",
        "wanted.compare": "classay.describing.long_results:wanted_of_results",
    },
)
