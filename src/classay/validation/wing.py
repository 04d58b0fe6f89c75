"""What validations against a development sample bring."""

from classay.wings import Wing

WING = Wing(
    "validation",
    stands_on=("groups",),
    public={"Validation": "classay.validation.validating", "validate": "classay.validation.validating"},
    results={"Validation": "classay.validation.results"},
    options={"assess other.validation": "classay.validation.commands:AgainstDevelopment"},
)
