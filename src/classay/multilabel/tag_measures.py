"""Measures of cases with several labels each: of their own tags, of the ranks of these, and averages over tags."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Required, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.columns.numbers import counted
from classay.errors import UnknownMeasureError
from classay.measures.counts import f_score
from classay.measures.registry import (
    BETA,
    COUNT,
    FAMILIES,
    MEASURES,
    READINGS,
    Average,
    Measure,
    add,
    document,
    family,
    measure,
    new_need,
    proportion,
    ratio,
)
from classay.measures.vocabulary import Condition
from classay.multilabel.tag_scores import MultilabelScores
from classay.multilabel.tag_tables import MultilabelTable
from classay.texts import quote

Array = NDArray[Any]
Values = Callable[[Any], Array]
NO_CASES_OF_TAGS = Condition(
    "there are no cases", "there are no cases", lambda table: table.weights.sum() == 0
)


OF_ONE_LABEL = {"exact_match": "accuracy", "hamming_loss": "error_rate"}
"""What measures of several labels a case are where each has one."""


def why_not(measure: Measure) -> str:
    """Return why cases with one label each have no such measure, and what to ask for instead."""
    other = OF_ONE_LABEL.get(measure.name)
    return (
        f"{measure.name} needs multilabel cases, but these have one label each. "
        + (f"Use {other}, or pass" if other else "Pass")
        + " a 0/1 matrix or sets of labels."
    )


new_need("tags", "tags: a MultilabelTable", "multilabel cases", why_not)
new_need("tag_scores", "tag_scores: MultilabelScores", "the scores of multilabel cases", why_not)


def mean_of_cases(values: Array, weight: Array) -> Any:
    """Return the mean of the cases that have a value, NaN of none."""
    has = ~np.isnan(values)
    return ratio((weight[has] * values[has]).sum(), weight[has].sum())


def _made(
    values: Values,
    *,
    name: str,
    title: str,
    formula: str,
    best: float,
    reference: str,
    no_value: str,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Measure:
    """Return the mean over the cases of a value of each; undefined where no case has one."""
    none = Condition(no_value, no_value, lambda table: bool(np.isnan(values(table)[table.weights > 0]).all()))
    needs = "tag_scores" if _parameter(values) == "tag_scores" else "tags"
    return Measure(
        name,
        title,
        lambda table: mean_of_cases(values(table), table.weights),
        needs,
        formula,
        bounds,
        best,
        (none,),
        reference,
        of_cases=values,
    )


def _parameter(function: Callable[..., Any]) -> str:
    return function.__code__.co_varnames[0]


class MeanFields(TypedDict, total=False):
    """What is declared of a mean over cases; `no_value` says when no case has a value."""

    formula: Required[str]
    best: Required[float]
    reference: Required[str]
    no_value: Required[str]
    bounds: tuple[float, float]


def of_each_case(title: str, **about: Unpack[MeanFields]) -> Callable[[Values], Measure]:
    """Register a function of a table that gives a value of each case; the measure is their mean."""

    def register(values: Values) -> Measure:
        measure = _made(values, name=values.__name__, title=title, **about)
        return add(document(measure, values.__doc__ or ""))

    return register


# -- the tags of a case -----------------------------------------------------------------------------


@proportion(
    "Exact match",
    formula="cases with all tags correct / cases",
    best=1,
    reference="zhang2014",
    undefined=(NO_CASES_OF_TAGS,),
    aliases=("subset_accuracy",),
)
def exact_match(tags: MultilabelTable) -> Any:
    """Share of cases that have exactly their true tags.

    >>> from classay.multilabel.tag_tables import MultilabelTable
    >>> from classay.multilabel.tag_marks import tag_marks
    >>> truth, called = (tag_marks(rows, "").marks for rows in ([[1, 0], [1, 1]], [[1, 0], [0, 1]]))
    >>> print(exact_match(MultilabelTable.from_marks(truth, called, "ab")))
    0.5
    """
    outcomes = tags.outcomes
    return outcomes.weight[(outcomes.fp + outcomes.fn) == 0].sum(), outcomes.weight.sum()


def _wrong(tags: MultilabelTable) -> Array:
    return (tags.outcomes.fp + tags.outcomes.fn) / len(tags.labels)


@measure(
    "Hamming loss",
    formula="mean over cases of (FP + FN) / tags",
    bounds=(0, 1),
    best=0,
    reference="zhang2014",
    undefined=(NO_CASES_OF_TAGS,),
    of_cases=_wrong,
)
def hamming_loss(tags: MultilabelTable) -> Any:
    """Share of all tags of all cases that are wrong. With rare tags it is small whatever the classifier does.

    >>> from classay.multilabel.tag_tables import MultilabelTable
    >>> from classay.multilabel.tag_marks import tag_marks
    >>> truth, called = (tag_marks(rows, "").marks for rows in ([[1, 0], [1, 1]], [[1, 0], [0, 1]]))
    >>> print(hamming_loss(MultilabelTable.from_marks(truth, called, "ab")))
    0.25
    """
    return mean_of_cases(_wrong(tags), tags.weights)


NO_TRUE_OR_CALLED = "no case has a true or a predicted tag"
NO_TRUE = "no case has a true tag"


@of_each_case(
    "Precision, mean over cases",
    formula="mean over cases with a predicted tag of TP / (TP + FP)",
    best=1,
    reference="zhang2014",
    no_value="no case has a predicted tag",
)
def samples_precision(tags: MultilabelTable) -> Any:
    """Share of a case's called tags that are true. Cases without a called tag have none, and are left out.

    >>> from classay.multilabel.tag_tables import MultilabelTable
    >>> from classay.multilabel.tag_marks import tag_marks
    >>> truth, called = (tag_marks(rows, "").marks for rows in ([[1, 0], [1, 1]], [[1, 1], [0, 1]]))
    >>> print(samples_precision(MultilabelTable.from_marks(truth, called, "ab")))
    0.75
    """
    return np.asarray(ratio(tags.outcomes.tp, tags.outcomes.tp + tags.outcomes.fp))


@of_each_case(
    "Recall, mean over cases",
    formula="mean over cases with a true tag of TP / (TP + FN)",
    best=1,
    reference="zhang2014",
    no_value=NO_TRUE,
)
def samples_recall(tags: MultilabelTable) -> Any:
    """Share of a case's true tags that are called. Cases without a true tag have none, and are left out.

    >>> from classay.multilabel.tag_tables import MultilabelTable
    >>> from classay.multilabel.tag_marks import tag_marks
    >>> truth, called = (tag_marks(rows, "").marks for rows in ([[1, 0], [1, 1]], [[1, 1], [0, 1]]))
    >>> print(samples_recall(MultilabelTable.from_marks(truth, called, "ab")))
    0.75
    """
    return np.asarray(ratio(tags.outcomes.tp, tags.outcomes.tp + tags.outcomes.fn))


def _f_of_cases(beta: float) -> Values:
    def values(tags: MultilabelTable) -> Array:
        outcomes = tags.outcomes
        return np.asarray(f_score(beta, outcomes.tp, outcomes.fp, outcomes.fn))

    return values


@of_each_case(
    "F1, mean over cases",
    formula="mean over cases of 2 TP / (2 TP + FP + FN)",
    best=1,
    reference="zhang2014",
    no_value=NO_TRUE_OR_CALLED,
)
def samples_f1(tags: MultilabelTable) -> Any:
    """F1 of a case's tags. Cases without a true and without a called tag have none, and are left out.

    >>> from classay.multilabel.tag_tables import MultilabelTable
    >>> from classay.multilabel.tag_marks import tag_marks
    >>> truth, called = (tag_marks(rows, "").marks for rows in ([[1, 0], [1, 1]], [[1, 0], [1, 0]]))
    >>> print(samples_f1(MultilabelTable.from_marks(truth, called, "ab")).round(4))
    0.8333
    """
    return _f_of_cases(1.0)(tags)


@of_each_case(
    "Jaccard, mean over cases",
    formula="mean over cases of TP / (TP + FP + FN)",
    best=1,
    reference="zhang2014",
    no_value=NO_TRUE_OR_CALLED,
)
def samples_jaccard(tags: MultilabelTable) -> Any:
    """Share of the tags that a case has or is called by that are both. Cases without any are left out.

    >>> from classay.multilabel.tag_tables import MultilabelTable
    >>> from classay.multilabel.tag_marks import tag_marks
    >>> truth, called = (tag_marks(rows, "").marks for rows in ([[1, 0], [1, 1]], [[1, 0], [1, 0]]))
    >>> print(samples_jaccard(MultilabelTable.from_marks(truth, called, "ab")))
    0.75
    """
    outcomes = tags.outcomes
    return np.asarray(ratio(outcomes.tp, outcomes.tp + outcomes.fp + outcomes.fn))


@family(beta=BETA)
def samples_f_beta(beta: float) -> Measure:
    """Mean over the cases of F-beta of their own tags; recall has beta² times the weight of precision."""
    return _made(
        _f_of_cases(beta),
        name="samples_f_beta",
        title=f"F{beta:g}, mean over cases",
        formula=f"mean over cases of {1 + beta**2:g} TP / ({1 + beta**2:g} TP + {beta**2:g} FN + FP)",
        best=1,
        reference="zhang2014",
        no_value=NO_TRUE_OR_CALLED,
    )


# -- the ranks of a case's tags ----------------------------------------------------------------------

OF_RANKS: dict[str, Any] = {"reference": "zhang2014", "no_value": NO_TRUE}


def _true(tag_scores: MultilabelScores) -> Array:
    """Return how many true tags each case has, NaN where it has none."""
    number = np.diff(tag_scores.truth.indptr).astype(np.float64)
    return np.where(number > 0, number, np.nan)


def _sums(tag_scores: MultilabelScores, values: Array) -> Array:
    """Sums over the true tags of each case."""
    return np.bincount(tag_scores.placed.row, values, tag_scores.rows)


@of_each_case("One-error", formula="share of cases whose highest-ranked tag is not true", best=0, **OF_RANKS)
def one_error(tag_scores: MultilabelScores) -> Any:
    """How often the tag with the highest score is wrong; of tied ones the share. Cases without a true tag are left out.

    >>> from classay.multilabel.tag_marks import tag_marks
    >>> from classay.columns import Labels
    >>> from classay.multilabel.tag_scores import MultilabelScores
    >>> truth = tag_marks([[1, 0], [0, 1]], "").marks
    >>> print(one_error(MultilabelScores(Labels("ab"), truth, np.array([[0.9, 0.1], [0.6, 0.4]]))))
    0.5
    """
    placed = tag_scores.placed
    right = _sums(tag_scores, np.where(placed.above == 0, 1 / placed.tied, 0.0))
    return np.where(np.isnan(_true(tag_scores)), np.nan, 1 - right)


@of_each_case(
    "Coverage error",
    formula="mean over cases of the number of tags that score at least as high as the lowest true one",
    best=1,
    bounds=(1.0, np.inf),
    **OF_RANKS,
)
def coverage_error(tag_scores: MultilabelScores) -> Any:
    """How far down the ranked tags one must go to meet all true ones. Cases without a true tag are left out.

    >>> from classay.multilabel.tag_marks import tag_marks
    >>> from classay.columns import Labels
    >>> from classay.multilabel.tag_scores import MultilabelScores
    >>> truth = tag_marks([[1, 0], [0, 1]], "").marks
    >>> print(coverage_error(MultilabelScores(Labels("ab"), truth, np.array([[0.9, 0.1], [0.6, 0.4]]))))
    1.5
    """
    placed, depth = tag_scores.placed, np.zeros(tag_scores.rows)
    np.maximum.at(depth, placed.row, (placed.above + placed.tied).astype(np.float64))
    return np.where(np.isnan(_true(tag_scores)), np.nan, depth)


@of_each_case(
    "Ranking loss",
    formula="mean over cases of the share of pairs of a true and another tag in reverse order, ties ½",
    best=0,
    reference="zhang2014",
    no_value="no case has both a true tag and another",
)
def ranking_loss(tag_scores: MultilabelScores) -> Any:
    """1 - the AUC of the tags of a case, on average. Cases of which no tag or every tag is true are left out.

    >>> from classay.multilabel.tag_marks import tag_marks
    >>> from classay.columns import Labels
    >>> from classay.multilabel.tag_scores import MultilabelScores
    >>> truth = tag_marks([[1, 0], [0, 1]], "").marks
    >>> print(ranking_loss(MultilabelScores(Labels("ab"), truth, np.array([[0.9, 0.1], [0.6, 0.4]]))))
    0.5
    """
    placed, true = tag_scores.placed, _true(tag_scores)
    # Σ over true tags of the tags above and half of those beside them, less the same among true ones, c² / 2
    wrong = _sums(tag_scores, placed.above + placed.tied / 2) - true * true / 2
    return np.asarray(ratio(wrong, true * (len(tag_scores.labels) - true)))


@of_each_case(
    "Label-ranking average precision",
    formula="mean over cases, and their true tags, of the share of true ones among tags that score at least as high",
    best=1,
    reference="zhang2014",
    no_value="no case has both a true tag and another",
)
def label_ranking_average_precision(tag_scores: MultilabelScores) -> Any:
    """Average precision of the ranked tags of a case, on average. Cases of which no or every tag is true are left out.

    >>> from classay.multilabel.tag_marks import tag_marks
    >>> from classay.columns import Labels
    >>> from classay.multilabel.tag_scores import MultilabelScores
    >>> truth = tag_marks([[1, 0], [0, 1]], "").marks
    >>> scores = MultilabelScores(Labels("ab"), truth, np.array([[0.9, 0.1], [0.6, 0.4]]))
    >>> print(label_ranking_average_precision(scores))
    0.75
    """
    placed, true = tag_scores.placed, _true(tag_scores)
    precision = _sums(tag_scores, placed.reached / (placed.above + placed.tied)) / true
    return np.where(true == len(tag_scores.labels), np.nan, precision)


def _in_top(tag_scores: MultilabelScores, k: int) -> Array:
    """Return how likely each true tag is among the k highest of its case, ties in any order."""
    placed = tag_scores.placed
    return np.clip((k - placed.above) / placed.tied, 0.0, 1.0)


@family(k=COUNT)
def precision_at(k: int) -> Measure:
    """Mean over the cases of the share of true tags among the k with the highest scores, ties in any order."""

    def values(tag_scores: MultilabelScores) -> Array:
        precision = _sums(tag_scores, _in_top(tag_scores, k)) / k
        return precision if k <= len(tag_scores.labels) else np.full(precision.shape, np.nan)

    return _made(
        values,
        name="precision_at",
        title=f"Precision of the first {k} tags",
        formula=f"mean over cases of the true tags among the {k} highest / {k}",
        best=1,
        reference="manning2008",
        no_value=f"there are fewer than {k} tags",
    )


@family(k=COUNT)
def recall_at(k: int) -> Measure:
    """Mean over the cases of the share of their true tags among the k with the highest scores, ties in any order."""

    def values(tag_scores: MultilabelScores) -> Array:
        return np.asarray(_sums(tag_scores, _in_top(tag_scores, k)) / _true(tag_scores))

    return _made(
        values,
        name="recall_at",
        title=f"Recall of the first {k} tags",
        formula=f"mean over cases of the true tags among the {k} highest / true tags",
        best=1,
        reference="manning2008",
        no_value=NO_TRUE,
    )


@family(k=COUNT)
def ndcg_at(k: int) -> Measure:
    """Normalised discounted cumulative gain of the k tags with the highest scores; tied tags share their gains."""

    def values(tag_scores: MultilabelScores) -> Array:
        placed, true = tag_scores.placed, _true(tag_scores)
        most = min(k, len(tag_scores.labels))
        gain = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, most + 2)))])
        first, last = (np.minimum(rank, most) for rank in (placed.above, placed.above + placed.tied))
        best = gain[np.minimum(np.nan_to_num(true), most).astype(np.int64)]
        dcg = _sums(tag_scores, (gain[last] - gain[first]) / placed.tied)
        return np.where(np.isnan(true), np.nan, ratio(dcg, best))

    return _made(
        values,
        name="ndcg_at",
        title=f"NDCG of the first {k} tags",
        formula=f"mean over cases of Σ true / log2(1 + rank) over the {k} highest / the same of the best order",
        best=1,
        reference="jarvelin2002",
        no_value=NO_TRUE,
    )


# -- averages over tags -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class AverageOfTags(Measure):
    """An average over tags of what each has, as `average` says."""

    @property
    def kind(self) -> Average:
        """Which average it is."""
        assert self.average is not None
        return self.average.kind

    @property
    def of(self) -> Measure:
        """The measure of one tag that it averages."""
        assert self.average is not None
        return self.average.of

    def why_undefined(self, *table: Any) -> str | None:
        """Return which tags have no value, and why."""
        (tags,) = table
        if not np.isnan(self(tags)):
            return None
        if self.kind == "micro" and self.needs == "tags":
            pooled = tuple(counts.sum(-1) for counts in tags.counts)
            return self.of.why_undefined(*pooled)
        if self.kind == "micro":
            return "all tags of all cases are true, or none is"
        return why_tags_lack(self.of, tags, weighted=self.kind == "weighted")


MOST_NAMED = 5
"""Tags that a reason names."""


def why_tags_lack(of: Measure, table: Any, *, weighted: bool = False) -> str:
    """Return which tags have no value of a measure and why: "never true: 'x', 'y'"."""
    from classay.multilabel.tag_ranking import tag_ranking

    if of.needs != "counts":
        ranking = tag_ranking(table)
        groups = {"never true": ranking.positives == 0, "always true": ranking.negatives == 0}
    else:
        counts = table.counts
        relevant = table.true > 0 if weighted else np.ones(len(table.labels), bool)
        groups = {reason.of_class: np.asarray(reason.met(*counts)) & relevant for reason in of.undefined}
    reasons = []
    for why, which in groups.items():
        at = np.flatnonzero(which)
        if at.size:
            names = ", ".join(quote(table.labels[i]) for i in at[:MOST_NAMED])
            reasons.append(
                f"{why}: {names}"
                + (f" and {counted(at.size - MOST_NAMED, 'more tag')}" if at.size > MOST_NAMED else "")
            )
    return "; ".join(reasons) or "no tag has true cases"


_AVERAGES: dict[str, AverageOfTags] = {}


def of_tags(measure: Measure) -> Measure:
    """What a name is of several labels a case: an average over classes is that over tags, of what each of them has.

    Raises UnknownMeasureError for measures of one label a case.

    >>> from classay.measures import get
    >>> of_tags(get("macro_f1"))
    Measure(macro_f1: mean over the classes: 2 TP / (2 TP + FP + FN))
    >>> get("micro_roc_auc").needs, of_tags(get("micro_roc_auc")).needs
    ('class_scores', 'tag_scores')
    """
    if measure.needs in ("tags", "tag_scores") or measure.plain is not None:
        return measure
    if measure.name not in _AVERAGES:
        if measure.average is None or measure.average.of.needs not in ("counts", "scores"):
            raise UnknownMeasureError(_asked_of_tags(measure))
        kind, of = measure.average
        known = {field.name: getattr(measure, field.name) for field in fields(Measure)}
        changed: dict[str, Any] = {
            "function": _of_ranks(kind, of) if of.needs == "scores" else _of_counts(kind, of),
            "needs": "tag_scores" if of.needs == "scores" else "tags",
            "undefined": (),
            "parts": None,
            "influence": None,
            "share_of": None if kind == "micro" else of.share_of,
        }
        _AVERAGES[measure.name] = AverageOfTags(**(known | changed))
    return _AVERAGES[measure.name]


READINGS |= {MultilabelTable: of_tags, MultilabelScores: of_tags}


def shown_of_tags() -> Iterator[Measure]:
    """Yield the measures that reports of several labels a case may show.

    These are all registered ones, and averages of areas, which of several classes are given to who names them.
    """
    yield from MEASURES.values()
    on_request = (family() for family in FAMILIES.values() if not family.signature.parameters)
    yield from (measure for measure in on_request if measure.average is not None)


def _of_ranks(kind: Average, of: Measure) -> Callable[[MultilabelScores], Any]:
    """Return an area of all pairs of a case and a tag in one ranking, or the mean of those of the tags."""
    from classay.multilabel.tag_ranking import tag_ranking

    def value(tag_scores: MultilabelScores) -> Any:
        ranking = tag_ranking(tag_scores)
        if kind == "micro":
            return ranking.micro.auc if of.name == "roc_auc" else ranking.micro.ap
        return _mean(ranking.aucs if of.name == "roc_auc" else ranking.aps, ranking.positives, kind)

    return value


def _of_counts(kind: Average, of: Measure) -> Callable[[MultilabelTable], Any]:
    def value(tags: MultilabelTable) -> Any:
        if kind == "micro":
            return of.raw(*(counts.sum(-1) for counts in tags.counts))
        return _mean(of.raw(*tags.counts), tags.true, kind)

    return value


def _mean(values: Array, true: Array, kind: Average) -> Any:
    """Return the mean of the tags, plain or by how often each is true: one that never is counts nothing then."""
    if kind == "macro":
        return values.mean()
    return ratio(np.where(true == 0, 0.0, true * values).sum(), true.sum())


def _asked_of_tags(measure: Measure) -> str:
    if measure.needs in ("counts", "scores", "probabilities"):
        names = [f"{kind}_{measure.name}" for kind in ("macro", "micro", "weighted", "samples")]
        known = [name for name in names if name in MEASURES or name in FAMILIES]
        offer = f"Use {', '.join(known)} or " if known else "Use "
        return f"{measure.name} needs one tag, but these cases are multilabel. {offer}{measure.name}[TAG]."
    return (
        f"{measure.name} needs one label per case, but these cases are multilabel. Use exact_match, "
        "hamming_loss, macro_f1 or micro_f1."
    )
