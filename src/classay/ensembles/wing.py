"""What ensembles bring."""

from classay.wings import Wing

WING = Wing(
    "ensembles",
    rooms={"ensembles": "classay.ensembles"},
    results={
        "EnsembleAssessment": "classay.ensembles.results:ensemble",
        "EnsembleAssessments": "classay.ensembles.results:ensembles",
    },
    commands={"ensemble": "classay.ensembles.commands"},
)
