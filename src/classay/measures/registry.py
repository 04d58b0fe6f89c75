"""The registry: what a measure is, and how a function becomes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from classay.columns import is_ordinal, match_label
from classay.columns.values import plain
from classay.errors import UnknownMeasureError, nearest
from classay.kinds import shown
from classay.measures.classes.of_class import of_class
from classay.measures.conditions import NO_ORDER_OF_CLASSES, Condition, first_met
from classay.measures.names import label_in, read_name
from classay.measures.references import REFERENCES
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.binned.classes import BinnedClassScoreTable

if TYPE_CHECKING:
    from classay.measures.families import Family

Array = NDArray[Any]
Formula = (
    Callable[[Array, Array, Array, Array], Any]
    | Callable[[Array, Array, Array], Any]
    | Callable[[ConfusionMatrix], Any]
    | Callable[[ScoreTable], Any]
    | Callable[[ClassScoreTable], Any]
    | Callable[[ClassScoreTable | BinnedClassScoreTable], Any]
    | Callable[[CaseTable], Any]
)
"""A function of what a measure needs: of counts, of margins, or of one table; it may have options beside them."""
Needs = Literal["counts", "margins", "matrix", "scores", "probabilities", "class_scores", "cases"]

_NEEDS: dict[str, Needs] = {
    "tp": "counts",
    "hits": "margins",
    "matrix": "matrix",
    "scores": "scores",
    "probabilities": "probabilities",
    "class_scores": "class_scores",
    "cases": "cases",
}
_SHAPES: dict[Needs, str] = {
    "counts": "tp, fp, fn, tn: weight of the true and false positives and negatives, arrays of one shape",
    "margins": "hits, predicted, true: weight of each class, `[..., class]`; or one ConfusionMatrix",
    "matrix": "matrix: a ConfusionMatrix, with any leading axes",
    "scores": "scores: a ScoreTable, with any leading axes",
    "probabilities": "probabilities: a ScoreTable, with any leading axes, or a CaseTable",
    "class_scores": "class_scores: a ClassScoreTable",
    "cases": "cases: a CaseTable",
}

MEASURES: dict[str, Measure] = {}
"""The measures that reports show, by name."""
ALIASES: dict[str, str] = {}
FAMILIES: dict[str, Family] = {}
"""Measures with parameters, and those that only who names them sees, by the name of their family."""
ELSEWHERE = {
    "auprc": "average_precision",
    "prauc": "average_precision",
    "hamming": "error_rate",
    "hamming_loss": "error_rate",
    "d2_log_loss": "log_loss_skill",
    "d2_log_loss_score": "log_loss_skill",
    "d2_brier_score": "brier_skill",
    "dsc": "f1",
    "coverage": "recall",
    "f3": "f_beta(3)",
    "top_10_accuracy": "top_k_accuracy(10)",
}
"""What other tools call a measure, where it is no plain synonym: the hint that an error gives."""


@dataclass(frozen=True, eq=False)
class Measure:
    """A formula on a table, with all that is known of it.

    Call it with what its table holds: `precision(tp, fp, fn, tn)`, `accuracy(matrix)`, `roc_auc(score_table)`.
    `parts` gives numerator and denominator where the measure is a plain proportion of cases; `moments` the number of
    cases and the sums of their losses and squared losses where it is a mean loss. `undefined` are the conditions under
    which it has no value; the first that is met is the reason. `complement` names the measure that this is 1 minus of:
    its interval is the mirror of that one's. `family` and `parameters` say how it was made, if it was. `label` is the
    class that it is of against all others, as text, where one was named (`recall["other"]`), and `plain` the measure
    without. `threshold` is the threshold probability from which it calls cases positive itself, if it has one, whatever
    the threshold of other measures is.
    """

    name: str
    title: str
    function: Formula
    needs: Needs
    formula: str
    bounds: tuple[float, float]
    best: float | None
    undefined: tuple[Condition, ...]
    reference: str
    aliases: tuple[str, ...] = ()
    parts: Callable[..., tuple[Any, Any]] | None = None
    moments: Callable[..., tuple[Any, Any, Any]] | None = None
    averaged: bool = False
    complement: str | None = None
    family: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    label: str | None = None
    plain: Measure | None = None
    threshold: float | None = None

    @property
    def base(self) -> str:
        """The name of its family, or its own: what intervals are registered for."""
        return self.family or (self.name if self.plain is None else self.plain.name)

    def __getitem__(self, label: Hashable) -> Measure:
        """The measure of one class against all others: `recall["other"]` is `get("recall[other]")`."""
        return of_class(self, plain(label))

    def class_among(self, labels: Sequence[Hashable], positive: Hashable | None) -> Hashable | None:
        """The class that it is of: the one named, else the positive one, if there is one.

        Raises InputError, listing the labels, for a name that is none of them.
        """
        return positive if self.label is None else match_label(self.label, labels)

    def __call__(self, *table: Any, **options: Any) -> Any:
        """The value, of the table's leading shape; NaN where undefined. Rounding never takes it out of the range.

        `options` are those of the function beside the table; the range is that of their defaults.
        """
        value = self.function(*self.read(table), **options)
        if self.needs_order and not is_ordinal(table[0].labels):
            return np.full(np.shape(value), np.nan)[()]
        return value if options else np.minimum(np.maximum(value, self.bounds[0]), self.bounds[1])

    @property
    def needs_order(self) -> bool:
        """Whether it is an ordinal measure: one of classes in an order, which somebody must have given."""
        return NO_ORDER_OF_CLASSES in self.undefined

    def raw(self, *arguments: Any, **options: Any) -> Any:
        """What the function makes of its own arguments, complex ones too; rounding may take it out of the range."""
        return self.function(*arguments, **options)

    def read(self, table: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of the function, from a table or as they are."""
        if len(table) == 1:
            if self.needs == "margins":
                return tuple(table[0].margins) if hasattr(table[0], "margins") else tuple(table[0])
            if self.needs == "counts":
                return tuple(table[0])
        return table

    def why_undefined(self, *table: Any) -> str | None:
        """The reason why the measure has no value on this table (without leading axes), or None."""
        return first_met(self.undefined, self.read(table))

    def __repr__(self) -> str:
        return f"Measure({self.name}: {self.formula})"


def measure(
    title: str,
    *,
    formula: str,
    bounds: tuple[float, float],
    best: float | None,
    reference: str,
    undefined: tuple[Condition, ...] = (),
    aliases: tuple[str, ...] = (),
    averaged: bool = False,
) -> Callable[[Formula], Measure]:
    """Register a function as a measure; the names of its parameters say which table it needs.

    `averaged` also registers its macro, weighted and micro averages over classes.
    """

    about = {
        "title": title,
        "formula": formula,
        "bounds": bounds,
        "best": best,
        "reference": reference,
        "undefined": undefined,
        "aliases": aliases,
        "averaged": averaged,
    }
    return lambda function: _add(function, about, function=function)


def proportion(
    title: str,
    *,
    formula: str,
    best: float | None,
    reference: str,
    undefined: tuple[Condition, ...] = (),
    aliases: tuple[str, ...] = (),
    averaged: bool = False,
    complement: str | None = None,
) -> Callable[[Callable[..., tuple[Any, Any]]], Measure]:
    """Register a function that returns numerator and denominator, both numbers of cases, as their ratio.

    `complement` names the measure that it is 1 minus of.
    """

    about = {
        "title": title,
        "formula": formula,
        "bounds": (0.0, 1.0),
        "best": best,
        "reference": reference,
        "undefined": undefined,
        "aliases": aliases,
        "averaged": averaged,
        "complement": complement,
    }
    return lambda parts: _add(parts, about, function=lambda *table: ratio(*parts(*table)), parts=parts)


def mean_loss(
    title: str,
    *,
    formula: str,
    bounds: tuple[float, float],
    reference: str,
    undefined: tuple[Condition, ...] = (),
    aliases: tuple[str, ...] = (),
) -> Callable[[Callable[..., tuple[Any, Any, Any]]], Measure]:
    """Register a function that returns the number of cases and the sums of their losses and squared losses."""
    about = {
        "title": title,
        "formula": formula,
        "bounds": bounds,
        "best": 0,
        "reference": reference,
        "undefined": undefined,
        "aliases": aliases,
    }

    def mean(moments: Callable[..., tuple[Any, Any, Any]]) -> Callable[..., Any]:
        def value(*table: Any) -> Any:
            n, total, _ = moments(*table)
            return ratio(total, n)

        return value

    return lambda moments: _add(moments, about, function=mean(moments), moments=moments)


def _add(written: Formula, about: dict[str, Any], **how: Any) -> Measure:
    needs = _NEEDS[next(iter(inspect.signature(written).parameters))]
    return add(
        document(Measure(written.__name__, needs=needs, **about, **how), inspect.getdoc(written) or "")
    )


def add(made: Measure) -> Measure:
    """Put a measure in the registry, under its name and its aliases, each of which must be new."""
    for name in (made.name, *made.aliases):
        if name in MEASURES or name in ALIASES:
            raise UnknownMeasureError(f"a measure or alias named {name!r} exists already.")
    if made.reference not in REFERENCES:
        raise UnknownMeasureError(f"{made.name} cites {made.reference!r}, which is not in references.py.")
    MEASURES[made.name] = made
    ALIASES.update(dict.fromkeys(made.aliases, made.name))
    return made


def get(name: str | Measure) -> Measure:
    """The measure of this name or alias, of a family with its parameters, or of one class, in brackets behind it.

    A measure is returned as it is. Raises UnknownMeasureError, which hints at the nearest name, and InputError for
    wrong parameters, or a class for a measure of all classes.

    >>> get("ppv").name, get("f_beta(3)").name, get("top_k_accuracy(3)").name, get("ppv[other]").name
    ('precision', 'f_beta(3)', 'top_3_accuracy', 'precision[other]')
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        raise UnknownMeasureError(f"{shown(name)} is no name of a measure: pass a text, such as 'roc_auc'.")
    written = read_name(name)
    head = name if written is None else written.name
    folded = ALIASES.get(_folded(head), _folded(head))
    found = None
    if written is not None and len(written.brackets) <= 1:
        if folded in FAMILIES and (written.called or folded not in MEASURES):
            found = FAMILIES[folded](*written.values, **dict(written.named))
        elif not written.called:
            found = MEASURES.get(folded)
    if found is None:
        raise UnknownMeasureError(
            f"no measure is named {name!r}{_hint(folded)} `classay measures` lists them all."
        )
    return of_class(found, label_in(written.brackets[0])) if written and written.brackets else found


def _folded(name: str) -> str:
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def _hint(folded: str) -> str:
    if folded in ELSEWHERE:
        return f"; did you mean {ELSEWHERE[folded]!r}?"
    head, at, _ = folded.partition("_at")
    readings = [each for each in FAMILIES if at and each.startswith(f"{ALIASES.get(head, head)}_at_")]
    if readings:
        return f"; did you mean {' or '.join(map(repr, readings))}?"
    called = [each for each in FAMILIES if folded.partition("(")[0].rstrip() in (each, _initials(each))]
    if called:
        return f"; did you mean {' or '.join(repr(FAMILIES[each].written.removesuffix('()')) for each in called)}?"
    return nearest(folded, [*MEASURES, *ALIASES, *FAMILIES]) or "."


def _initials(name: str) -> str:
    """What people write for a long name.

    >>> _initials("equal_error_rate")
    'eer'
    """
    return "".join(word[0] for word in name.split("_"))


def ratio(numerator: Any, denominator: Any) -> Any:
    """numerator / denominator, NaN where the denominator is zero, without a warning.

    >>> ratio(np.array([1, 0]), np.array([4, 0]))
    array([0.25,  nan])
    """
    empty = np.equal(denominator, 0)
    if not (empty.any() if empty.ndim else empty):
        return np.true_divide(numerator, denominator)
    return np.where(empty, np.nan, numerator / np.where(empty, 1, denominator))[()]


def odds_ratio(numerator: Any, denominator: Any) -> Any:
    """numerator / denominator, infinite where only the denominator is zero, NaN where both are.

    >>> odds_ratio(np.array([1, 1, 0]), np.array([2, 0, 0]))
    array([0.5, inf, nan])
    """
    with np.errstate(over="ignore"):  # over next to nothing it is infinite too
        finite = ratio(numerator, denominator)
    return np.where(np.equal(denominator, 0) & np.greater(numerator, 0), np.inf, finite)[()]


def document(made: Measure, written: str) -> Measure:
    """Give a measure its docstring: what was written of it, and what its entry says."""
    meaning, _, example = written.partition("\n\n>>>")
    low, high = made.bounds
    best = "none is best" if made.best is None else f"best {made.best:g}"
    lines = [
        f"{made.title}, {made.formula}. {meaning}",
        f"Range [{low:g}, {high:g}], {best}. {undefined_text(made)}",
        f"{_SHAPES[made.needs]}. Returns floats of the leading shape.",
        f"Reference: {REFERENCES[made.reference]}",
    ]
    text = "\n\n".join(lines) + (f"\n\n>>>{example}" if example else "")
    object.__setattr__(made, "__doc__", text)
    return made


def undefined_text(made: Measure) -> str:
    """When a measure has no value, as a sentence."""
    if not made.undefined:
        return "Always defined."
    return f"Undefined when {', or '.join(condition.text for condition in made.undefined)}."
