"""What ensembles bring."""

from classay.wings import Wing

WING = Wing(
    "ensembles",
    stands_on=("resampling",),
    rooms={"ensembles": "classay.ensembles"},
    results={
        "EnsembleAssessment": "classay.ensembles.results:ensemble",
        "EnsembleAssessments": "classay.ensembles.results:ensembles",
    },
    commands={"ensemble": "classay.ensembles.commands"},
)
