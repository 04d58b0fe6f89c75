"""The registry of remedies: each one function with one decorator that says all that is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from classay.errors import InputError
from classay.improving.remedies.situation import Situation

Against = Literal["variance", "bias", "imbalance"]
"""The causes that something can be done about."""
AGAINST: tuple[Against, ...] = get_args(Against)
MEASURES: dict[Against, str] = {
    "variance": "error_rate",
    "bias": "error_rate",
    "imbalance": "balanced_accuracy",
}
"""What a remedy is judged by: those against imbalance trade errors of the rare class for more of the frequent one."""


@dataclass(frozen=True)
class Remedy:
    """A change of a learner that may help against one cause of its errors.

    `make` gives another estimator for a `Situation`, or a text that says why this remedy does not apply to it.
    """

    name: str
    title: str
    against: Against
    reference: str
    make: Callable[[Situation], Any]

    @property
    def measure(self) -> str:
        """The measure by which it is compared with the learner."""
        return MEASURES[self.against]


REMEDIES: dict[str, Remedy] = {}
"""All that are known, by their names, in the order in which they are tried."""


def remedy(
    name: str, title: str, *, against: Against, reference: str
) -> Callable[[Callable[[Situation], Any]], Callable[[Situation], Any]]:
    """Register a function from a `Situation` to another estimator, or to the reason why it does not apply.

    >>> from sklearn.linear_model import LogisticRegression
    >>> @remedy("logistic", "Logistic regression", against="bias", reference="Cox 1958")
    ... def logistic(situation):
    ...     return situation.with_model(LogisticRegression())
    >>> REMEDIES.pop("logistic").measure
    'error_rate'
    """

    def register(make: Callable[[Situation], Any]) -> Callable[[Situation], Any]:
        if against not in AGAINST:
            raise InputError(f"against is {against!r}: pass one of {', '.join(AGAINST)}.")
        REMEDIES[name] = Remedy(name, title, against, reference, make)
        return make

    return register
