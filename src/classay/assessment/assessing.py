"""assess(): from predictions, in whatever form they come, to an Assessment; groups of cases; cost curves of models."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.answers import AnswerPolicy, Missing, Unanswered
from classay.assessment.assessment import Assessment
from classay.assessment.row_arguments import EstimationArguments
from classay.assessment.task import (
    COUNTS_OF_ROWS,
    Classes,
    Estimation,
    InputSummary,
    Sampling,
    Task,
    TwoClasses,
)
from classay.assessment.unlabeled import UnlabeledCases
from classay.column_names import are_names, used_names
from classay.columns.coding import code_labels, hash_column
from classay.columns.doubtful import repeats_said
from classay.columns.labels import Labels, declared, is_written, match_label
from classay.columns.numbers import StrictThreshold, in_precision
from classay.columns.opened import Categories, single_column
from classay.columns.repeats import repeated_ids, repeated_index
from classay.columns.scales import ScoreScale
from classay.columns.values import are_measured, listing
from classay.errors import InputError, nearest
from classay.inference.draws import seed_of
from classay.inference.methods import WORDS, Drawn, all_names, match_method
from classay.kinds import checked
from classay.measures.vocabulary import pairs_of, quoted
from classay.predictions import Improper, InputRows, Predictions, check
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.binning import BinScale
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.cases import CaseValues
from classay.tables.paired import (
    Blocks,
    BlockSums,
    block_of,
    blocks_of_labels,
    blocks_of_scores,
    fingerprint,
)
from classay.tables.rows import CodedRows
from classay.tables.scores import of_checked_rows
from classay.tables.sparse import count_matrix
from classay.texts import an, as_sentence, hint, quote
from classay.warned import gathered

if TYPE_CHECKING:
    from classay.decision.cost_curves import CostCurves
    from classay.decision.costs import Costs
    from classay.inference.estimate import Estimate


class Group(tuple[Hashable, ...]):
    """The labels that several columns have in a group: a tuple that prints as `sex=f, region="a, b"`.

    >>> group = Group(("sex", "region"), ("f", "a, b"))
    >>> print(group, group == ("f", "a, b"))
    sex=f, region="a, b" True
    """

    columns: tuple[str, ...]

    def __new__(cls, columns: Sequence[str], labels: Sequence[Hashable]) -> Group:
        """A group of these columns; labels are in their order."""
        group = super().__new__(cls, tuple(labels))
        group.columns = tuple(columns)
        return group

    def __getnewargs__(self) -> tuple[tuple[str, ...], tuple[Hashable, ...]]:
        return self.columns, tuple(self)

    def __str__(self) -> str:
        pairs = zip(self.columns, self, strict=True)
        return ", ".join(f"{quoted(column)}={quoted(str(label))}" for column, label in pairs)


def grouped(columns: Mapping[str, Any]) -> Any:
    """Several columns as one column of groups, in the order of their labels; of one column, the column itself.

    A row without a label in one of them is of no group.
    """
    if len(columns) == 1:
        return next(iter(columns.values()))
    coded = [code_labels(column, f"by (column {quote(name)})") for name, column in columns.items()]
    lengths = {len(column.codes) for column in coded}
    if len(lengths) > 1:
        raise InputError(
            f"The columns of by have different lengths ({listing(sorted(lengths))} rows). Pass "
            "columns of one length."
        )
    complete = np.logical_and.reduce([column.codes >= 0 for column in coded])
    flat = np.zeros(int(complete.sum()), np.int64)
    for column in coded:  # numbers in the order of the labels, renumbered before they grow too large
        flat = np.unique(flat, return_inverse=True)[1] * len(column.labels) + column.codes[complete]
    _, at, codes = np.unique(flat, return_index=True, return_inverse=True)
    of_rows = np.full(complete.size, -1, np.int64)
    of_rows[complete] = codes
    first = np.flatnonzero(complete)[at]
    groups = [
        Group(tuple(columns), [each.labels[each.codes[row]] for each in coded]) for row in first.tolist()
    ]
    gaps = tuple(str(name) for name, column in zip(columns, coded, strict=True) if column.missing)
    return Categories(of_rows, groups, "declared", gaps)


MOST_GROUPS = 10_000
NEVER_IDS = 200
"""Groups up to which a column is one of groups; beyond, if most rows have a group of their own, it is one of ids."""


def refuse_many_groups(groups: int, rows: int, by: str) -> None:
    """Refuse more groups than are compared, and columns of ids."""
    if groups > MOST_GROUPS:
        raise InputError(
            f"{by!r} has {groups:,} groups, but at most {MOST_GROUPS:,} can be compared. Combine groups."
        )
    if groups > max(NEVER_IDS, rows // 2):
        raise InputError(
            f"{by!r} has {groups:,} groups in {rows:,} rows, so it seems to contain IDs. Use a column of "
            "groups."
        )


def refuse_measured_groups(group: NDArray[Any], groups: Sequence[Hashable], by: str) -> None:
    """Refuse groups by a column of measurements, fractional numbers that nearly all differ, which need bands.

    `group` are codes into `groups`, -1 without one; `by` is the name of the column, or those of several.
    """
    columns = groups[0].columns if groups and isinstance(groups[0], Group) else (by,)
    for place, name in enumerate(columns):
        values = [label[place] if isinstance(label, Group) else label for label in groups]
        is_fractional = np.array([isinstance(number, float) and number % 1 != 0 for number in values], bool)
        fractional = {number for number in values if isinstance(number, float) and number % 1 != 0}
        rows = int(np.append(is_fractional, False)[group].sum())
        if are_measured(len(fractional), rows, group.size):
            least = min(map(float, fractional))
            raise InputError(
                f"{name!r} has {len(fractional):,} different fractional numbers, such as {least:.3g}. Combine "
                f"them into ranges with {hint('bands=', '--bands')}."
            )


def match_group(wanted: Any, groups: Sequence[Hashable], by: str) -> Hashable:
    """Find the group that a user means: a label, a tuple of labels, or a text such as `sex=f, region="a, b"`.

    Labels are matched as `match_label` does. `by` names the column, where there is one. Raises InputError, listing
    the groups, where there is none.

    >>> match_group("region=north", ("north", "south"), "region")
    'north'
    >>> of_two = [Group(("sex", "age"), labels) for labels in (("f", 1), ("m", 1))]
    >>> match_group("age=1, sex=m", of_two, ""), match_group(("f", "1"), of_two, "")
    (('m', 1), ('f', 1))
    """
    if groups and isinstance(groups[0], Group):
        return _match_combination(wanted, [group for group in groups if isinstance(group, Group)])
    labels = pairs_of(wanted, (by,)) if isinstance(wanted, str) and wanted not in groups else None
    label = labels[0] if labels else wanted
    try:
        return match_label(label, groups)
    except InputError:
        near = nearest(str(label), [str(group) for group in groups]) or "."
        of_column = f" of {by}" if by else ""
        raise InputError(
            f"Group {label!r} does not occur{near} Groups{of_column}: {listing(groups)}."
        ) from None


def _match_combination(wanted: Any, groups: Sequence[Group]) -> Group:
    columns = groups[0].columns
    labels = pairs_of(wanted, columns) if isinstance(wanted, str) else wanted
    matches = [group for group in groups if group == labels or str(group) == wanted]
    if not matches and isinstance(labels, tuple | list) and len(labels) == len(columns):
        matches = [group for group in groups if all(map(_is_meant, labels, group))]
    if matches:
        return matches[0]
    more = f"; … ({len(groups):,} in all)" if len(groups) > SHOWN else ""
    raise InputError(f"Group {wanted!r} does not occur. Groups: {'; '.join(map(str, groups[:SHOWN]))}{more}.")


def _is_meant(wanted: Any, label: Hashable) -> bool:
    return wanted == label or (
        isinstance(wanted, str) and not isinstance(label, str) and is_written(wanted, label)
    )


SHOWN = 10
"""Groups that an error lists."""


@checked
def assess(
    y_true: Any,
    y_score: Any = None,
    *,
    y_pred: Any = None,
    truth: str | Sequence[str] | Mapping[Hashable, str] | None = None,
    score: str | Sequence[str] | Mapping[Hashable, str] | None = None,
    prediction: str | Sequence[str] | Mapping[Hashable, str] | None = None,
    positive: Hashable | None = None,
    threshold: float | Sequence[float] | Mapping[Hashable, float] | None = None,
    top: int | None = None,
    separator: str | None = None,
    case: Any = None,
    tag: Any = None,
    labels: Sequence[Hashable] | None = None,
    ordered: bool = False,
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    id: Any = None,
    amounts: Any = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
    improper: Improper = "keep",
    score_scale: ScoreScale | None = None,
    task: Literal["classes", "tags"] | None = None,
) -> Assessment:
    """Assess a classifier from its predictions: every measure it can have, each with its interval.

    Pass the truth and a score a row (or class scores: an array of shape `(rows, classes)`, whose columns are the sorted
    labels, as scikit-learn has them, or in the order of `labels`; or a frame or dict, whose columns are read by the
    labels they are named for), or `y_pred`, or both; or a dataframe first and the names of its
    columns: `assess(frame, truth="y", score="p")`, where `weight`, `frequency`, `cluster` and `id` name columns too,
    or are columns themselves. Labels are any hashable values. An order of three or more, which ordinal measures
    need, is that of ordered categories, also of those that do not occur, of `labels` with `ordered=True`, or of whole
    numbers; `labels` alone only says which there are. `positive` is 1 by default (True, "1", or 1.0) and must
    be named for others. Hard labels come from `score >= threshold`, compared in the scores' own precision; the default
    0.5 exists only for scores in [0, 1]. With class scores of two classes and no `threshold`, the labels are those of
    `argmax`, as `predict` gives them: at a tie the first class wins, so the second needs a score above 0.5.
    `weight` is a sampling weight, `frequency` a number of identical rows; a row of weight 0 counts nothing, and its
    class stays a class.
    Several labels a case (tags) are a 0/1 matrix, `(cases, tags)`, an array, sparse, or a frame with a column a tag;
    lists or sets of labels; texts parted by a `separator`; of a frame the columns `truth="y_*"`, `score="p_*"`, or
    lists of names. Scores are of that shape, absent ones of a sparse matrix 0; `threshold` is one or one a tag, or the
    `top` k tags of each case are called. In long form, each row is of a `case` and a `tag`, and a pair without a row is
    not true and scores 0. The result is a `MultilabelAssessment`. Where every row of a 0/1 matrix has exactly one 1,
    and the scores of each row sum to 1 or are raw (logits), it may also be the one-hot truth of classes: `task` says
    "classes" or "tags".
    `amounts` are what rows carry and errors may cost, such as `{"amount": column}`; with a frame also names of its
    columns, `["amount"]` or `{"amount": "Amount (EUR)"}`. Their sums are kept in the tables for `Costs(fn="amount")`.
    With an `id` for each row, saved assessments of the same cases can be compared without their rows.
    A `ConfusionMatrix` in place of the truth is assessed as it is, with `positive`, `level`, `seed` and `interval`:
    `ca.assess(ca.ConfusionMatrix.from_array([[50, 3], [7, 40]], ["no", "yes"], rows="true"), positive="yes")`.
    `interval` names one method for the intervals of all measures that it applies to: bootstrap, or for proportions
    Wilson, Clopper-Pearson, mid-P, Jeffreys, Agresti-Coull, Wald or corrected Wald; the others keep their default.
    `missing="drop"` leaves out rows with a missing truth (of several labels, a missing true tag) and counts them. Rows
    that the model did not answer, without a score or a predicted label, or with a label that is not among the declared
    `labels`, are refused; `unanswered="wrong"` counts them as wrong (of two classes as the other one; ranked worst;
    without losses), and "drop" leaves them out and says so. `improper="renormalise"` divides rows of class scores that
    do not sum to 1 by their sum, and counts them.
    Class scores of which one lies outside [0, 1], rounding excepted, are raw (logits, margins, votes): they can be
    compared only within a case. Of two classes their difference is the score, and the class with the greater score is
    predicted, the first at ties; of three or more, measures that rank cases are undefined. `score_scale` makes
    probabilities of them: "logit" is the softmax of a row, 1 / (1 + e^-s) of one column or tag; "count" is the share of
    a count in its row; "probability" refuses values outside [0, 1].
    Raises InputError for anything that would make a number wrong.

    >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> a["recall"]
    Estimate(0.750 [0.301, 0.954] 95%, Wilson)
    """
    from classay.assessment.other_rows import other_rows, with_task

    args: dict[str, Any] = {"truth": truth, "score": score, "prediction": prediction, "y_pred": y_pred}
    args |= {"labels": labels, "separator": separator, "case": case, "tag": tag, "weight": weight}
    args |= {"frequency": frequency, "cluster": cluster, "positive": positive, "id": id, "amounts": amounts}
    args |= {"ordered": ordered, "missing": missing, "unanswered": unanswered, "improper": improper}
    args |= {"score_scale": score_scale, "task": task}
    how: dict[str, Any] = {"level": level, "seed": seed, "interval": interval}
    if task is not None:
        y_true, y_score, args = with_task(y_true, y_score, args)
        if "task" not in args:
            return assess(y_true, y_score, **args, **how, threshold=threshold, top=top)
    others = other_rows(y_true, y_score, args)
    if others is not None:
        estimation = how_to_assess(None, level, seed, interval)
        request = Estimation(level=level, seed=estimation["seed"], interval=estimation["interval"])
        return others.assessed(request, threshold, top)
    refuse_of_tags(threshold, top)
    assert not isinstance(threshold, Sequence | Mapping)
    assert truth is None or isinstance(truth, str)
    estimation = how_to_assess(threshold, level, seed, interval)
    if isinstance(y_true, ConfusionMatrix):
        named = {
            "y_score": y_score,
            "y_pred": y_pred,
            "truth": truth,
            "score": score,
            "prediction": prediction,
        }
        named |= {"threshold": threshold, "labels": labels, "ordered": ordered or None, "weight": weight}
        named |= {"frequency": frequency, "cluster": cluster, "id": id, "amounts": amounts}
        named |= {"score_scale": score_scale, "task": task}
        return of_matrix(
            y_true, positive, [name for name, option in named.items() if option is not None], **estimation
        )
    rows = checked_rows(
        y_true,
        y_score,
        y_pred=y_pred,
        truth=truth,
        score=score,
        prediction=prediction,
        positive=positive,
        labels=labels,
        ordered=ordered,
        weight=weight,
        frequency=frequency,
        cluster=cluster,
        id=id,
        amounts=amounts,
        missing=missing,
        unanswered=unanswered,
        improper=improper,
        score_scale=score_scale,
    )
    return refuse_all_undeclared(of_predictions(rows, **estimation))


def of_matrix(
    matrix: ConfusionMatrix,
    positive: Hashable | None,
    others: Sequence[str] = (),
    **how: Unpack[EstimationArguments],
) -> Assessment:
    """The assessment of a matrix counted elsewhere; `others` are further arguments of `assess` that were given.

    Raises InputError for these, for leading axes, and for sampling weights, of which a matrix does not say how many
    cases they are.
    """
    if others:
        raise InputError(f"A confusion matrix is already counted. Remove {listing(others)}.")
    if not matrix.is_one:
        raise InputError(
            f"The matrix has shape {matrix.counts.shape}. Pass a single matrix with two dimensions."
        )
    if matrix.is_weighted:
        raise InputError(
            "The matrix contains sums of sampling weights, not numbers of cases. Assess the rows with "
            "weight=."
        )
    predicted, true, cases = matrix.occupied
    if not cases.size:
        raise InputError("The confusion matrix has no cases. Check the counts.")
    rows = checked_rows(
        [matrix.labels[i] for i in true],
        y_pred=[matrix.labels[i] for i in predicted],
        frequency=cases.astype(np.int64),
        labels=Labels.of(matrix.labels),
        positive=positive,
    )
    return of_predictions(rows, **how).changed(rows=int(cases.sum()), kind_of_weight="none")


def checked_rows(
    y_true: Any,
    y_score: Any = None,
    *,
    truth: str | Sequence[str] | Mapping[Hashable, str] | None = None,
    score: str | Sequence[str] | Mapping[Hashable, str] | None = None,
    prediction: Any = None,
    by: Any = None,
    ordered: bool = False,
    repeats: tuple[str, int] | Literal["look"] | None = "look",
    **columns: Any,
) -> Predictions:
    """The rows that the arguments of `assess` describe, checked; `by` adds the groups they belong to.

    `repeats` is the column of ids that repeats its values, as `repeated_ids` has it, for which this looks by itself.
    """
    if repeats == "look":
        repeats = _repeats(
            y_true, {"truth": truth, "score": score, "prediction": prediction, "by": by} | columns
        )
    columns["labels"] = declared(columns.get("labels"), ordered=ordered)
    y_true = y_true if truth is not None else single_column(y_true)
    columns["model"] = model_name(score, prediction, y_score, columns.get("y_pred"))
    if truth is not None:
        from classay.sources.inputs import columns_of_roles, roles_of_amounts

        named: Any = _once("score", score, "y_score", y_score)
        named = scores_by_label(named, columns.get("labels"))
        prediction = _once("prediction", prediction, "y_pred", columns.get("y_pred"))
        roles = {role: columns.get(role) for role in ("weight", "frequency", "cluster", "id")}
        if columns.get("amounts") is not None:
            columns["amounts"] = columns_of_roles(y_true, roles_of_amounts(columns["amounts"]))
        by = groups_of(y_true, by) if are_names(by) else by
        by_role = _columns(y_true, named, {"truth": truth, "prediction": prediction, "by": by} | roles)
        y_true, y_score, columns["y_pred"] = by_role["truth"], by_role["score"], by_role["prediction"]
        by = by_role["by"]
        columns |= {role: by_role[role] for role in roles}
    elif score is not None or prediction is not None:
        raise InputError(
            "score= and prediction= name columns of a frame. Name the column of true labels with truth= too."
        )
    elif hasattr(y_true, "columns"):
        raise InputError(
            f"The first argument is {an(type(y_true).__name__)}. Name its columns, as in assess(frame, "
            "truth='y', score='p'), or pass one column of true labels."
        )
    elif isinstance(by, str):
        raise InputError(f"by is {by!r}, but no frame was passed. Pass the column of groups.")
    if "policy" not in columns:
        words = (columns.pop(name, "refuse") for name in ("missing", "unanswered"))
        columns["policy"] = AnswerPolicy.of(*words)
    checked = check(InputRows(y_true, y_score, group=by, **columns))
    return checked if repeats is None else replace(checked, repeats=repeats)


def _repeats(y_true: Any, args: Mapping[str, Any]) -> tuple[str, int] | None:
    """The column of ids, of a frame or the index of a series, that repeats its values; None where clusters are given.

    The column of the role `id` is looked at too, and every other column only where it has no role.
    """
    if args.get("cluster") is not None or args.get("frequency") is not None:
        return None
    ids = args.get("id")
    if args["truth"] is not None:
        from classay.sources.id_columns import repeated_in

        return repeated_in(y_true, used_names({name: each for name, each in args.items() if name != "id"}))
    repeats = [repeated_index(y_true), None if ids is None else repeated_ids({"id": ids})]
    return min((each for each in repeats if each is not None), key=lambda each: each[1], default=None)


def model_name(*sources: Any) -> str:
    """What a model is called: the first name of a column, or that which a series has; "" where there is none.

    >>> model_name(None, "p"), model_name(["a", "b"], [0.5])
    ('p', '')
    """
    names = (source if isinstance(source, str) else getattr(source, "name", None) for source in sources)
    return next((name for name in names if isinstance(name, str) and name), "")


def refuse_all_undeclared(a: Assessment) -> Assessment:
    """The assessment. Raises InputError if labels were predicted and none of them is among the declared ones."""
    if a.no_answer is not None and a.undeclared and a.unanswered == a.rows:
        raise InputError(
            f"No predicted label is among the declared labels ({listing(a.labels)}). Declare the labels as "
            "they are in the column, as text or numbers."
        )
    return a


def refuse_of_tags(threshold: Any, top: int | None) -> None:
    """Refuse what calls tags, of cases with one label each."""
    if top is not None:
        raise InputError(f"{hint('top=', '--top')} is for multilabel data only. Remove it.")
    if isinstance(threshold, Sequence | Mapping):
        raise InputError("Several thresholds are for multilabel data only. Use one threshold.")


@checked
def how_to_assess(
    threshold: float | None = None,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
    interval: str | None = None,
) -> EstimationArguments:
    """The arguments of `assess` that are no columns, checked."""
    method = None if interval is None else match_method(interval)
    return {"threshold": threshold, "level": level, "seed": seed_of(seed), "interval": method}


def of_predictions(
    rows: Predictions,
    *,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    interval: str | None = None,
    bits: int | BinScale | None = None,
) -> Assessment:
    """Reduce checked rows to their tables; scores to bins of so many `bits`, or of a scale, if given."""
    _refuse_what_does_not_serve(rows, threshold, interval)
    weights: dict[str, Any] = {"weight": rows.weight, "frequency": rows.frequency}
    amounts: dict[str, Any] = {"amounts": rows.amounts, "names": rows.amount_names}
    scores: ScoreTable | None = None
    class_scores: ClassScoreTable | BinnedClassScoreTable | None = None
    cases = matrix = None
    predicted = rows.predicted
    if rows.score is not None:
        labels = (rows.negative, rows.positive)
        if bits is not None:
            scores = BinnedScoreTable.of_rows(rows.score, rows.is_positive, labels, bits=bits, **weights)
        else:
            scores = of_checked_rows(rows.score, rows.is_positive, labels, **weights, **amounts)
        if threshold is None or isinstance(threshold, StrictThreshold):
            scores = scores.with_half(rows.half)
        scores = replace(scores, is_difference=True) if rows.raw_scores else scores
    if rows.class_scores is not None:
        case_values = CaseValues.of(rows.class_scores, rows.truth)
        case_values = case_values.without_losses() if rows.raw_scores else case_values
        class_scores, cases = _several(rows.class_scores, case_values, rows, weights, bits)
        if predicted is None:
            predicted = rows.with_no_answer(case_values.best.astype(rows.truth.dtype))
    used = threshold
    labels_of_matrix = rows.labels_of_matrix
    if predicted is not None:
        matrix = count_matrix(predicted, rows.truth, labels_of_matrix, **weights, **amounts)
    elif scores is not None:
        used = cutoff_of(rows, threshold)
        matrix = None if used is None else _matrix_at(used, rows, scores, weights)
    kind = "sampling" if rows.weight is not None else "frequency" if rows.frequency is not None else "none"
    none = _no_answer(rows)
    if not rows.is_binary:
        assert matrix is not None
        is_raw = rows.raw_scores and class_scores is not None
        task: Task = Classes(rows.labels, matrix, class_scores, cases, none, is_raw)
    else:
        used = used if used is None or isinstance(used, StrictThreshold) else float(used)
        is_chosen = threshold is not None
        task = TwoClasses(rows.labels, rows.positive, matrix, scores, used, is_chosen, none)
    reversed_pairs, compared_pairs = rows.pairs
    received = InputSummary(
        **{name: getattr(rows, name) for name in COUNTS_OF_ROWS if not name.endswith("pairs")},
        reversed_pairs=reversed_pairs,
        compared_pairs=compared_pairs,
        unlabeled=None if rows.unlabeled is None else UnlabeledCases.of(rows.unlabeled, used),
    )
    args = rows, predicted, labels_of_matrix
    return Assessment(
        task,
        received,
        Sampling(kind, rows.weight_scale, _coded(*args), _blocks(*args), rows.repeats),
        Estimation(level, seed, interval, model=rows.model, score_scale=rows.score_scale),
    )


def cutoff_of(rows: Predictions, threshold: float | None) -> float | None:
    """The threshold of the labels of two classes: as given, or that of the scores; None of predicted labels."""
    if rows.predicted is not None or rows.score is None:
        return None
    return rows.default_threshold if threshold is None else threshold


def _refuse_what_does_not_serve(rows: Predictions, threshold: float | None, interval: str | None) -> None:
    """Refuse an interval method that does not serve such a sample, and a threshold that has nothing to call."""
    drawn: Drawn = (
        "clustered" if rows.cluster is not None else "weighted" if rows.weight is not None else "alike"
    )
    if interval is not None and interval not in all_names(drawn):
        raise InputError(
            f"Method {interval!r} is for independent, equally weighted cases. Methods for {WORDS[drawn]}: "
            f"{', '.join(all_names(drawn))}. Without {hint('interval=', '--interval')}, each measure has its "
            "default method."
        )
    if threshold is not None and (rows.score is None or rows.predicted is not None):
        why = (
            "has no effect on predicted labels"
            if rows.predicted is not None
            else "needs the scores of two classes"
        )
        raise InputError(f"{hint('threshold=', '--threshold')} {why}. Remove it.")


def _no_answer(rows: Predictions) -> tuple[float, ...] | None:
    """The cases (or weight) of each true class that were not answered and count as wrong."""
    if rows.no_answer is None:
        return None
    times = rows.frequency if rows.weight is None else rows.weight
    times = None if times is None else times[rows.no_answer]
    return tuple(np.bincount(rows.truth[rows.no_answer], times, len(rows.labels)).astype(float).tolist())


def _several(
    scores: NDArray[Any],
    values: CaseValues,
    rows: Predictions,
    weights: Mapping[str, Any],
    bits: int | BinScale | None,
) -> tuple[ClassScoreTable | BinnedClassScoreTable, CaseTable]:
    """The tables of the class scores, `(rows, classes)`, of several classes, for the values that the cases show."""
    columns = scores, rows.truth, rows.labels
    cases = CaseTable.of_values(values, rows.truth, rows.labels, **weights)
    if bits is None:
        return ClassScoreTable.from_rows(*columns, **weights), cases
    return BinnedClassScoreTable.from_rows(*columns, bits=bits, **weights), cases.binned()


def _matrix_at(
    threshold: float, rows: Predictions, scores: ScoreTable, weights: Mapping[str, Any]
) -> ConfusionMatrix:
    """The confusion matrix at a threshold: from the table, or from the rows where bins do not tell it."""
    if not isinstance(scores, BinnedScoreTable) or rows.score is None:
        return scores.at(threshold).restrict(rows.labels)
    is_called = rows.score >= in_precision(threshold, rows.score.dtype)
    positive, negative = (
        rows.truth.dtype.type(rows.labels.index(label)) for label in (rows.positive, rows.negative)
    )
    called = np.where(is_called, positive, negative)
    return ConfusionMatrix.from_codes(called, rows.truth, rows.labels, **weights)


def _coded(rows: Predictions, predicted: Any, labels: tuple[Hashable, ...]) -> CodedRows | None:
    """The rows themselves, which only clusters need."""
    if rows.cluster is None or rows.clusters is None:
        return None
    cluster = _without_gaps(rows.cluster)
    weight = rows.weight if rows.frequency is None else rows.frequency.astype(np.float64)
    score = rows.score if rows.class_scores is None else rows.class_scores
    coded = CodedRows(rows.clusters, labels, cluster, rows.truth, predicted, score, weight, rows.amounts)
    return coded.in_order()


def _without_gaps(codes: NDArray[Any]) -> NDArray[Any]:
    """Codes renumbered, so that every one from 0 on occurs."""
    occurs = np.bincount(codes) > 0
    renumbered: NDArray[Any] = (np.cumsum(occurs) - 1)[codes]
    return renumbered


def _blocks(rows: Predictions, predicted: Any, labels: tuple[Hashable, ...]) -> Blocks | None:
    """The blocks of cases, where rows have ids or clusters and all count alike."""
    if rows.weight is not None or rows.frequency is not None:
        if rows.id is not None:
            raise InputError(
                f"{hint('id=', '--id')} cannot be combined with "
                f"{hint('weight= or frequency=', '--weight or --frequency')}. Remove it, and compare the rows."
            )
        return None
    together = rows.id
    if rows.cluster is not None and rows.clusters is not None:
        named = (str(label) if isinstance(label, date) else label for label in rows.clusters)
        of_cluster = hash_column([*map(repr, named)], "cluster")  # days as the text that a file of text has
        together = of_cluster[_without_gaps(rows.cluster)]
    if together is None:
        return None
    block = block_of(together)
    marks = fingerprint(together if rows.id is None else rows.id, block, rows.truth, rows.labels)
    matrix = None if predicted is None else blocks_of_labels(predicted, rows.truth, block, labels)
    of_scores = None if rows.score is None else blocks_of_scores(rows.score, rows.is_positive, block)
    sums = None if rows.class_scores is None else BlockSums.of(rows.class_scores, rows.truth, block)
    return Blocks(marks, matrix, of_scores, sums)


def _once(name: str, named: Any, given_as: str, column: Any) -> Any:
    """What was named of a frame, or was given as it is; InputError where both were."""
    if named is not None and column is not None:
        raise InputError(f"{name}= and {given_as} are the same argument. Pass one of them.")
    return column if named is None else named


def groups_of(frame: Any, names: Sequence[str]) -> Any:
    """The groups that columns of a frame make together; of one column, the column itself."""
    from classay.sources.inputs import frame_columns

    if not names:
        raise InputError("by is an empty list. Pass the name of a column or a list of names.")
    by_name = frame_columns(frame, sorted(set(names)))
    return grouped({name: by_name[name] for name in names})


def scores_by_label(score: Any, labels: Sequence[Hashable] | None) -> Any:
    """Class scores as a mapping from label to column: a list names columns in the order of the labels, or the labels.

    Anything else is left as it is. Raises InputError for another number of columns than of labels.
    """
    if not are_names(score):
        return score
    if labels is None:
        return {name: name for name in score}
    if len(labels) != len(score):
        raise InputError(
            f"score names {len(score)} columns, but labels has {len(labels)} labels. Name one column for each "
            "label."
        )
    return dict(zip(labels, score, strict=True))


def _columns(frame: Any, score: Any, roles: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a frame by role, each by its name or as it is; class scores as a mapping from label to column."""
    from classay.sources.inputs import columns_of_roles

    classes = scores_by_label(score, None)
    if not isinstance(classes, Mapping):
        return columns_of_roles(frame, {**roles, "score": score})
    places = {label: ("score", label) for label in classes}
    data = columns_of_roles(frame, {**roles, **{places[label]: name for label, name in classes.items()}})
    return {**data, "score": {label: data[place] for label, place in places.items()}}


@checked
def cost_curves(
    models: Mapping[str, Any],
    y_true: Any,
    *,
    positive: Hashable | None = None,
    cost: Costs | Mapping[str, Any] | None = None,
    prevalence: float | None = None,
    weight: Any = None,
    frequency: Any = None,
    cluster: Any = None,
    amounts: Mapping[str, Any] | None = None,
    missing: Missing = "refuse",
    unanswered: Unanswered = "refuse",
    score_scale: ScoreScale | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> CostCurves:
    """Cost curves of several models' scores for the same cases, with the ranges of costs where each is best.

    `models` are scores by name; columns and options are those of `assess`. With a `cost`, its place on the
    axis is marked, at the prevalence of the cases or the one given; costs of `amounts` weigh each case by what a wrong
    decision costs more than a right one, so that rates are shares of what is at stake. The cost at each x is honest:
    thresholds are chosen on four fifths of the cases (or clusters) and judged on the last. Two models, or a model and
    the trivial rule, are told apart where their honest costs differ by more than the greatest difference that
    resampled cases would show by chance, of all pairs at all x at once (normal, at the thresholds so chosen). Raises
    InputError unless both classes occur, where an error pays for some cases of a class, for a prevalence without costs,
    and for models that are named alike, or as the trivial rule, "all or nothing".

    `choices` are, at the costs, the threshold of each model and what it is expected to cost a case on new cases.

    >>> y = np.arange(400) % 4 == 0
    >>> curves = cost_curves({"good": y + np.arange(400) % 7 / 4, "poor": np.arange(400) % 7 / 4}, y)
    >>> curves.best_at(0.5).best
    'good'
    """
    from classay.assessment.perspectives import left_out_of
    from classay.assessment.verdict import column_warnings
    from classay.decision.cost_curves import answered_by_all, curves_of, refuse_names
    from classay.decision.costs import Costs

    roles = {"weight": weight, "frequency": frequency, "cluster": cluster}
    policy = AnswerPolicy.of(missing, unanswered)
    refuse_names(models)
    if prevalence is not None and cost is None:
        raise InputError(
            f"A prevalence on cost curves needs costs. Add {hint('cost=', '--cost')}, or remove "
            f"{hint('prevalence=', '--prevalence')}."
        )
    if policy.unanswered == "wrong":
        raise InputError(
            "A decision needs a score for every case. Exclude missing scores with "
            + hint("unanswered='drop'.", "--unanswered drop.")
        )
    roles["amounts"] = amounts
    if policy.unanswered == "drop":
        models = answered_by_all(models)
    checked_models = {}
    for name, scores in models.items():
        try:
            checked_models[str(name)] = check(
                InputRows(y_true, scores, positive=positive, policy=policy, score_scale=score_scale, **roles)
            )
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    if not checked_models:
        raise InputError("No model was passed. Pass a mapping from model names to scores.")
    rows = next(iter(checked_models.values()))
    if not rows.is_binary or any(predictions.score is None for predictions in checked_models.values()):
        raise InputError("Cost curves need two classes and one score column for each model.")
    costs = None if cost is None else Costs.of(cost)
    curves = curves_of(checked_models, cost=costs, prevalence=prevalence, level=level, seed=seed)
    assessed = {name: of_predictions(predictions) for name, predictions in checked_models.items()}
    warned = {name: column_warnings(a) for name, a in assessed.items()}
    repeats = repeated_index(y_true) if cluster is None and frequency is None else None
    curves = replace(curves, warnings=(*gathered(warned), *repeats_said(repeats, rows.rows)))
    if left_out := left_out_of(next(iter(assessed.values()))):
        curves = replace(curves, notes=(*curves.notes, as_sentence(left_out)))
    if costs is None:
        return curves
    return replace(curves, choices=_at_costs(checked_models, costs, prevalence, level, seed_of(seed)))


def _at_costs(
    models: Mapping[str, Predictions], costs: Costs, prevalence: float | None, level: float, seed: int
) -> tuple[tuple[str, Estimate, Estimate], ...]:
    """The threshold of each model at the costs, and what it is expected to cost a case on new cases."""
    from classay.assessment.perspectives import threshold
    from classay.decision.rules import Rule

    at_costs = []
    for name, rows in models.items():
        cut = threshold(of_predictions(rows, level=level, seed=seed), Rule.of(costs), prevalence=prevalence)
        cost = cut.honest_cost or cut.cost
        if cost is not None:
            at_costs.append((name, cut.threshold, cost.per_case))
    return tuple(at_costs)
