"""Comparison: what a test of two or more classifiers found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from classay.inference.estimate import Estimate


@dataclass(frozen=True)
class Comparison:
    """The result of one test: effect with its interval, statistic, p-value, and what they are about.

    `models` are the names of those compared, in the order of the difference: the effect is the first less the
    second. A test of more than two has no effect (None), or none that is one number. `measure` is the canonical
    name of what is compared; `method` names the test and `reference` its source; `random` says what varies:
    test cases, training sets, data sets. `p` is two-sided unless the method says otherwise, NaN when there is
    no test, with the `reason`; `p_adjusted` is set by `adjusted`, with the name of the adjustment. `n` counts the
    units of the test: cases, discordant pairs, folds, data sets, as `units` says.

    >>> effect = Estimate(0.02, -0.01, 0.05, level=0.95, method="Tango")
    >>> Comparison(("new", "old"), "accuracy", effect, 0.19, method="McNemar, mid-P", random="test cases")
    Comparison(accuracy of new less old: 0.020 [-0.010, 0.050] 95 %, Tango; p = 0.19, McNemar, mid-P)
    """

    models: tuple[str, ...]
    measure: str
    effect: Estimate | None
    p: float
    method: str
    random: str
    statistic: float | None = None
    reference: str = ""
    n: float | None = None
    units: str = "cases"
    reason: str | None = None
    p_adjusted: float | None = None
    adjustment: str | None = None

    def adjusted(self, p: float, adjustment: str) -> Comparison:
        """The same comparison with its p-value adjusted for those that belong to its family."""
        return replace(self, p_adjusted=p, adjustment=adjustment)

    def __repr__(self) -> str:
        who = " less ".join(self.models) if len(self.models) == 2 else ", ".join(self.models)
        effect = "" if self.effect is None else f": {str(self.effect)[len('Estimate(') : -1]}"
        p = (
            f"p = {self.p:.2g}"
            if self.p_adjusted is None
            else f"p = {self.p_adjusted:.2g} ({self.adjustment})"
        )
        return f"Comparison({self.measure} of {who}{effect}; {p}, {self.method})"
