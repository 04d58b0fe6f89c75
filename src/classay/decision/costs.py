"""Costs: what each decision costs for each true class, as numbers or as amounts that rows carry."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.errors import InputError, check_word, nearest_column
from classay.kinds import MOST, measurable, real_number, shown
from classay.tables.sums import rounded_difference
from classay.texts import listed

Array = NDArray[Any]
_TERM = re.compile(
    r"\s*([+-]?)\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\*?)\s*)?([^\W\d][^+*]*?|\"[^\"]*\")?\s*(?=[+-]|$)"
)


_PLAIN = re.compile(r"[^\W\d](?:[^-+*,\"]*[^-+*,\"\s])?")
"""A name that is read without quotes."""


@dataclass(frozen=True)
class Form:
    """A cost that is linear in amounts: constant + sum of factor · amount.

    >>> print(Form.of("5 + 0.8*amount"), Form.of(3), Form.of("-fee"), Form.of('2*"fee-net"'))
    5 + 0.8*amount 3 -fee 2*"fee-net"
    """

    constant: float
    factors: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        """An amount with a factor of 0 is none, as that of "0*fee" and of "fee - fee"."""
        object.__setattr__(self, "factors", tuple(factor for factor in self.factors if factor[1]))

    @classmethod
    def of(cls, entry: Any, what: str = "a cost") -> Form:
        """Return a number, or a text such as "amount", "-0.8*amount", "5 + amount"; InputError for anything else."""
        if isinstance(entry, Form):
            return entry
        if not isinstance(entry, str):
            try:
                constant = real_number(entry)
            except (TypeError, ValueError, OverflowError):
                constant = float("nan")
            if not isfinite(constant):
                raise InputError(f"{what} is {shown(entry)}. {WANTED}.")
            if not measurable(constant):
                raise InputError(f"{what} is {shown(entry)}. {ANOTHER_UNIT}.")
            return cls(constant)
        return cls._read(entry, what)

    @classmethod
    def _read(cls, entry: str, what: str) -> Form:
        """Return a text, term by term; terms are added as they are written, so that what they leave is no rounding."""
        constant, factors = Fraction(), dict[str, Fraction]()
        at, text = 0, entry.strip()
        while at < len(text) or not text:
            match = _TERM.match(text, at)
            if match is None or match.end() == at or (match[2] is None and match[4] is None):
                raise InputError(f"{what} is {entry!r}. {WANTED}.")
            sign, digits, star, name = match.groups()
            if digits is not None and not measurable(float(digits)):
                raise InputError(f"{what} is {shown(entry)}. {ANOTHER_UNIT}.")
            if bool(star) != (digits is not None and name is not None) or (at and not sign):
                raise InputError(f"{what} is {entry!r}. {WANTED}.")
            size = (-1 if sign == "-" else 1) * (Fraction(digits or 1) if float(digits or 1) else 0)
            if name is None:
                constant += size
            else:
                key = name.strip().strip('"')
                factors[key] = factors.get(key, Fraction()) + size
            at = match.end()
        return cls(float(constant), tuple((key, float(size)) for key, size in factors.items()))

    def over(self, names: Sequence[str]) -> Array:
        """Return the coefficients of the constant and of these amounts, `(1 + amounts,)`.

        Raises InputError for an amount that is not among them.
        """
        coefficients = np.zeros(1 + len(names))
        coefficients[0] = self.constant
        for name, factor in self.factors:
            if name not in names:
                there = f"the amounts are {', '.join(names)}" if names else "no amounts were given"
                near = nearest_column(name, names) or ""
                remedy = near or f". Pass amounts={{{name!r}: column}} when assessing."
                raise InputError(f"The cost depends on {name!r}, but {there}{remedy}")
            coefficients[1 + list(names).index(name)] = factor
        return coefficients

    @property
    def is_nothing(self) -> bool:
        """Whether it is 0 whatever the amounts are, as "0*fee" is."""
        return not self.constant and not self.factors

    @property
    def entry(self) -> Entry:
        """The form as an entry of costs: a number where no amount counts."""
        return self if self.factors else self.constant

    def __str__(self) -> str:
        parts = [_in_full(self.constant)] if self.constant or not self.factors else []
        for name, factor in self.factors:
            size = "" if abs(factor) == 1 else f"{_in_full(abs(factor))}*"
            sign = "-" if factor < 0 else ("+" if parts else "")
            term = size + (name if _PLAIN.fullmatch(name) else f'"{name}"')
            parts.append(f"{sign} {term}" if parts else f"{sign}{term}")
        return " ".join(parts)


def _in_full(value: float) -> str:
    """Return a number as a cost may be written again, with all digits where it is whole.

    >>> _in_full(1250000.0), _in_full(0.5)
    ('1250000', '0.5')
    """
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:g}"


Entry = float | str | Form
"""A number, or what is linear in amounts, such as "amount", "0.8*amount" or "5 + amount"."""
ANOTHER_UNIT = f"Use costs from {1 / MOST:g} to {MOST:g} (or 0), in another unit"
WANTED = "Use a number, or an amount per row, as in 'amount', '0.8*amount' or '5 + amount'"


class NotNamed(float):
    """A cost of 0 that nobody named."""


NOT_NAMED = NotNamed(0)


@dataclass(frozen=True)
class Costs:
    """Costs of a case by its predicted and true class.

    A benefit is a negative cost. Only differences between decisions for one true class choose a threshold.

    Parameters
    ----------
    fp, fn, tp, tn : float or str, default 0
        Costs of a false positive, false negative, true positive and true negative. A text is linear in the
        amounts that rows carry, such as `fn="amount"` or `tp="-0.8*amount"`. A cost that is not named
        counts as 0, which `unnamed` states for errors.
    matrix : tuple, optional
        Costs of several classes, which `Costs.from_array` makes.
    labels : tuple, default ()
        Classes of the `matrix`.

    Raises
    ------
    InputError
        If no decision costs anything.
        If a cost is neither a number nor such a text.

    References
    ----------
    Elkan 2001, IJCAI 17:973.

    Examples
    --------
    >>> Costs(fp=1, fn="amount")
    Costs(fp=1, fn=amount)
    >>> Costs(fp=1, fn=5).threshold
    0.16666666666666666
    """

    fp: Entry = NOT_NAMED
    fn: Entry = NOT_NAMED
    tp: Entry = NOT_NAMED
    tn: Entry = NOT_NAMED
    matrix: tuple[tuple[Entry, ...], ...] | None = None
    labels: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        self._refuse_other_shapes()
        forms = [Form.of(entry, name) for name, entry in self._named().items()]
        if all(form.is_nothing for form in forms):
            raise InputError("All costs are 0. Set the cost of an error, as in Costs(fp=1, fn=5).")

    def _refuse_other_shapes(self) -> None:
        """A matrix is that of the labels, a row for each."""
        rows = () if self.matrix is None else self.matrix
        if not isinstance(rows, tuple) or not all(isinstance(row, tuple) for row in rows):
            raise InputError(f"The matrix of costs is {shown(rows)}. Pass an array to Costs.from_array.")
        k = len(self.labels) if isinstance(self.labels, tuple) else -1
        if len(rows) != k or any(len(row) != k for row in rows):
            raise InputError(
                f"The matrix of costs has {len(rows)} rows, but the labels are {shown(self.labels)}. Pass both "
                "to Costs.from_array, with a row and a column for every label."
            )

    def _named(self) -> dict[str, Entry]:
        if self.matrix is None:
            return {"fp": self.fp, "fn": self.fn, "tp": self.tp, "tn": self.tn}
        return {f"cost {i, j}": entry for i, row in enumerate(self.matrix) for j, entry in enumerate(row)}

    @classmethod
    def from_array(
        cls, costs: Any, labels: Sequence[Hashable], *, rows: Literal["true", "predicted"]
    ) -> Costs:
        """Take the costs of several classes from a matrix.

        Parameters
        ----------
        costs : array-like
            One entry for each pair of true and predicted class.
        labels : sequence
            Classes, in the order of the axes.
        rows : {"true", "predicted"}
            What the rows of `costs` are.

        Returns
        -------
        Costs
            The costs.

        Examples
        --------
        >>> Costs.from_array([[0, 1], [5, 0]], ["good", "bad"], rows="true").forms(("good", "bad"))[0][1]
        Form(constant=5.0, factors=())
        """
        check_word("rows", rows, ("true", "predicted"))
        try:
            array = (
                costs.to_numpy() if hasattr(costs, "to_numpy") else costs
            )  # a frame, which iterates over names
            rows_of = list(array.tolist() if hasattr(array, "tolist") else array)
            entries = [list(row) for row in rows_of]
        except TypeError as error:
            raise InputError(f"The costs must have a row for every label, but are {shown(costs)}.") from error
        if any(isinstance(row, str) for row in rows_of):
            raise InputError(
                f"The costs must be a row of costs for every label, not the text {shown(costs)}."
            )
        k = len(labels)
        if len(entries) != k or any(len(row) != k for row in entries):
            columns = listed([*dict.fromkeys(f"{len(row)}" for row in entries)]) or "no"
            raise InputError(
                f"The costs have {len(entries)} rows of {columns} costs, but {k} labels need {k} rows of {k} "
                "costs."
            )
        if rows == "true":
            entries = [list(column) for column in zip(*entries, strict=True)]
        return cls(matrix=tuple(map(tuple, entries)), labels=tuple(labels))

    @classmethod
    def of(cls, costs: Costs | Mapping[str, Entry]) -> Costs:
        """Return `Costs`, also from a mapping of costs.

        The mapping is such as {"fp": 3, "fn": "amount"}.
        """
        if isinstance(costs, Costs):
            return costs
        known = ("fp", "fn", "tp", "tn")
        if not isinstance(costs, Mapping):
            raise InputError(f"cost must be Costs, such as Costs(fp=1, fn=5), but is {shown(costs)}.")
        for name in costs:
            if name not in known:
                raise InputError(f"Unknown cost {name!r}. Costs: {', '.join(known)}.")
        fp, fn, tp, tn = (costs.get(name, NOT_NAMED) for name in known)
        return cls(fp=fp, fn=fn, tp=tp, tn=tn)

    def forms(self, labels: Sequence[Hashable]) -> tuple[tuple[Form, ...], ...]:
        """Return the cost of each decision for each true class.

        The result is indexed `[predicted][true]`. Of two classes the negative one comes first.

        Raises
        ------
        InputError
            If the labels differ from those of the costs.
        """
        if self.matrix is None:
            if len(labels) != 2:
                raise InputError(
                    f"{len(labels)} classes need a matrix of costs. "
                    "Use Costs.from_array(costs, labels, rows='true')."
                )
            tn, fn, fp, tp = (Form.of(entry) for entry in (self.tn, self.fn, self.fp, self.tp))
            return (tn, fn), (fp, tp)
        if {*self.labels} != {*labels}:
            raise InputError(f"The costs have labels {self.labels}, but the classes are {tuple(labels)}.")
        at = [self.labels.index(label) for label in labels]
        return tuple(tuple(Form.of(self.matrix[i][j]) for j in at) for i in at)

    def of_two(self, labels: Sequence[Hashable]) -> Costs:
        """Return the costs as fp, fn, tp and tn of two labels, the negative one first.

        A matrix of more classes is unchanged.

        Examples
        --------
        >>> Costs.from_array([[0, 1], [5, 0]], ["good", "bad"], rows="true").of_two(["good", "bad"])
        Costs(fp=1, fn=5, tp=0, tn=0)
        """
        if self.matrix is None or len(labels) != 2:
            return self
        (tn, fn), (fp, tp) = self.forms(labels)
        return Costs(fp=fp.entry, fn=fn.entry, tp=tp.entry, tn=tn.entry)

    def array(self, labels: Sequence[Hashable], names: Sequence[str] = ()) -> Array:
        """Return the coefficients of the costs.

        Parameters
        ----------
        labels : sequence
            Classes, of two classes the negative one first.
        names : sequence of str, default ()
            Names of the amounts.

        Returns
        -------
        array
            Coefficients, `[predicted, true, 1 + amount]`.
        """
        return np.array([[form.over(names) for form in row] for row in self.forms(labels)])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the amounts that the costs depend on."""
        forms = [Form.of(entry) for entry in self._named().values()]
        return tuple(dict.fromkeys(name for form in forms for name, _ in form.factors))

    @property
    def unnamed(self) -> str:
        """Clause on the kind of error with an unnamed cost, which counts as 0.

        It is empty if both are named.

        Examples
        --------
        >>> Costs(fn=5).unnamed, Costs(fp=0, fn=5).unnamed
        ('the costs of false positives (fp) are not set, so 0 is used', '')
        """
        names = {"fp": "false positives (fp)", "fn": "false negatives (fn)"}
        left = [
            text
            for name, text in names.items()
            if self.matrix is None and isinstance(getattr(self, name), NotNamed)
        ]
        return f"the costs of {' and '.join(left)} are not set, so 0 is used" if left else ""

    @property
    def acting_may_cost(self) -> bool:
        """Whether a true positive may need a cost.

        A false positive costs a number and a false negative an amount, and no cost of a true positive was
        given. Such a number is often the cost of a review, which a true positive needs as well.

        Examples
        --------
        >>> Costs(fp=5, fn="amount").acting_may_cost, Costs(fp=5, fn="amount", tp=0).acting_may_cost
        (True, False)
        """
        if self.matrix is not None or not isinstance(self.tp, NotNamed):
            return False
        acting, missing = Form.of(self.fp), Form.of(self.fn)
        return acting.constant > 0 and not acting.factors and bool(missing.factors)

    @property
    def misses_cost(self) -> bool:
        """Whether a false negative has a cost other than 0, which can be scaled."""
        return self.matrix is None and not Form.of(self.fn).is_nothing

    @property
    def threshold(self) -> float:
        """Probability from which a positive prediction costs less.

        It holds for calibrated probabilities and costs that are numbers. It is NaN otherwise, and if no
        probability decides.

        Notes
        -----
        (c_fp - c_tn) / (c_fp - c_tn + c_fn - c_tp).

        References
        ----------
        Elkan 2001, IJCAI 17:973.
        """
        if self.names or self.matrix is not None:
            return float("nan")
        (tn, fn), (fp, tp) = (tuple(form.constant for form in row) for row in self.forms((0, 1)))
        acting, leaving = (float(rounded_difference(wrong, right)) for wrong, right in ((fp, tn), (fn, tp)))
        return acting / (acting + leaving) if acting > 0 and leaving > 0 else float("nan")

    def scaled(self, **factors: float) -> Costs:
        """Return the same costs with some multiplied, as in `costs.scaled(fn=2)`."""
        fp, fn, tp, tn = (self._times(name, factors.get(name, 1.0)) for name in ("fp", "fn", "tp", "tn"))
        return Costs(fp=fp, fn=fn, tp=tp, tn=tn)

    def _times(self, name: str, factor: float) -> Entry:
        entry: Entry = getattr(self, name)
        if isinstance(entry, NotNamed):
            return entry
        form = Form.of(entry)
        sizes = tuple((key, factor * size) for key, size in form.factors)
        if not all(map(measurable, (form.constant * factor, *(size for _, size in sizes)))):
            raise InputError(f"{name} is {shown(entry)} times {factor:g}. {ANOTHER_UNIT}.")
        return Form(form.constant * factor, sizes).entry

    def __repr__(self) -> str:
        if self.matrix is not None:
            return f"Costs({len(self.labels)} classes)"
        named = {name: entry for name, entry in self._named().items() if not isinstance(entry, NotNamed)}
        texts = {name: str(Form.of(entry)) for name, entry in named.items()}
        return f"Costs({', '.join(f'{name}={text}' for name, text in texts.items())})"
