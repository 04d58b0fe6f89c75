"""assess(): from predictions, in whatever form they come, to an Assessment."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from classay.answers import AnswerPolicy, Missing, Unanswered
from classay.assessment.assessment import Assessment
from classay.assessment.drawn import refuse_list
from classay.assessment.group_labels import groups_of
from classay.assessment.parts import COUNTS_OF_ROWS, Estimation, InputSummary, Sampling, kind_of_weight
from classay.assessment.row_arguments import EstimationArguments, PartOfRows, RowArguments
from classay.assessment.task import Classes, Task, TwoClasses
from classay.assessment.unlabeled import UnlabeledCases
from classay.column_names import are_names, used_names
from classay.columns.coding import hash_column
from classay.columns.labels import Labels, declared
from classay.columns.numbers import StrictThreshold, in_precision
from classay.columns.opened import RawColumn, single_column
from classay.columns.repeats import repeated_ids, repeated_index
from classay.columns.values import listing
from classay.errors import InputError
from classay.inference.draws import seed_of
from classay.inference.methods import WORDS, Drawn, all_names, match_method
from classay.kinds import Improper, ScoreScale, checked
from classay.predictions import InputRows, Predictions, check
from classay.tables import CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.binning import BinScale
from classay.tables.bins import BinnedClassScoreTable, BinnedScoreTable
from classay.tables.cases import CaseValues
from classay.tables.paired import Blocks, BlockSums, block_of, blocks_of_labels, blocks_of_scores, fingerprint
from classay.tables.rows import CodedRows
from classay.tables.scores import of_checked_rows
from classay.tables.sparse import count_matrix
from classay.texts import an, hint
from classay.wings import way


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
    design: Any = None,
) -> Assessment:
    """Assess a classifier from its predictions.

    Every measure that the predictions allow is computed with its interval. Pass the true labels with
    scores, predicted labels or both, or a dataframe with the names of its columns,
    `assess(frame, truth="y", score="p")`.

    Parameters
    ----------
    y_true : array-like, frame or ConfusionMatrix
        True labels, one per row. Labels are any hashable values. Tags (multilabel) are a 0/1 matrix
        `(cases, tags)`, lists or sets of labels, or texts with a `separator`. The matrix may be sparse, or
        a frame with one column per tag. If you pass a dataframe here, name its columns with `truth`,
        `score` and `prediction`. A `ConfusionMatrix` needs only `positive`, `level`, `seed` and `interval`.
    y_score : array-like, frame or mapping, optional
        Scores, one per row. Class scores are an array `(rows, classes)`. Its columns follow the sorted
        labels, as in scikit-learn, or the order of `labels`. In a frame or mapping, the name of a column is
        its label, and in a list of dicts each key. Scores of tags have the shape of the tags, and absent
        scores of a sparse matrix are 0.
    y_pred : array-like, optional
        Predicted labels, one per row.
    truth, score, prediction : str, sequence or mapping, optional
        Names of the columns of a dataframe. Several columns are a pattern, `truth="y_*"`, a list of names,
        or a mapping of labels to names.
    positive : label, optional
        The positive class. The default is 1 (or True, "1", 1.0). Name it for all other labels.
    threshold : float, sequence or mapping, optional
        A case is predicted positive if `score >= threshold`. The threshold is rounded to the float type of
        the scores first. The default is 0.5 for scores in [0, 1]. Other scores have no default. Tags take
        one threshold, or one for each tag. Without a threshold, the predicted class of two columns of class
        scores is that of `argmax`. At a tie it is the first class, so the second needs a score above 0.5.
    top : int, optional
        The `top` highest-scored tags of each case are predicted positive, in place of a threshold.
    separator : str, optional
        Text between the tags where each case is one text.
    case, tag : array-like or str, optional
        Case and tag of each row in long form, or the names of their columns. A tag without a row for a case
        counts as false, with score 0.
    labels : sequence, optional
        All classes, also those that do not occur.
    ordered : bool, default False
        Whether the sequence of `labels` is an order of three or more classes, which ordinal measures need.
        Ordered categories, also those that do not occur, and whole numbers have an order already.
    weight : array-like or str, optional
        Sampling weight of each row, or the name of its column. A row of weight 0 has no effect on values,
        but its class stays among the classes.
    frequency : array-like or str, optional
        Number of identical rows that each row represents, or the name of its column.
    cluster : array-like or str, optional
        Cluster of each row, or the name of its column. Rows of one cluster depend on each other.
    id : array-like or str, optional
        Identifier of each row, or the name of its column. With ids, saved assessments of the same cases can
        be compared without their rows.
    amounts : mapping or sequence of str, optional
        Amounts of the rows that errors may cost, such as `{"amount": column}`. For a frame, name its
        columns: `["amount"]` or `{"amount": "Amount (EUR)"}`. `Costs(fn="amount")` uses them.
    level : float, default 0.95
        Confidence level of the intervals, between 0 and 1.
    seed : int or numpy.random.Generator, default 0
        Start of all random numbers. Equal seeds give equal results.
    interval : str, optional
        One method for the intervals of all measures that it applies to. The methods are bootstrap and, for
        proportions, Wilson, Clopper-Pearson, mid-P, Jeffreys, Agresti-Coull, Wald and corrected Wald. All
        other measures keep their default.
    missing : {"refuse", "drop"}, default "refuse"
        What to do with rows without a true label, or with a missing true tag. "drop" excludes and counts
        them.
    unanswered : {"refuse", "wrong", "drop"}, default "refuse"
        What to do with rows without a prediction: no score, no predicted label, or a predicted label that
        is not among the declared `labels`. "wrong" counts them as incorrect: with two classes as the other
        class, ranked last. Log loss and Brier score are then not defined. "drop" excludes them and reports
        their number.
    improper : {"keep", "renormalise"}, default "keep"
        What to do with rows of class scores that do not sum to 1. "renormalise" divides the scores of such
        a row by their sum, and reports the number of rows.
    score_scale : {"probability", "logit", "count"}, optional
        Scale of the scores. "logit" converts them to probabilities, by the softmax of a row, or by 1 / (1 +
        e^-s) for one column or tag. "count" divides each count by the sum of its row. "probability" refuses
        values outside [0, 1].
    task : {"classes", "tags"}, optional
        Whether a 0/1 matrix has one-hot classes or tags (multilabel). It is needed only if the matrix could
        be both: every row has exactly one 1, and its scores sum to 1 or are raw (logits).
    design : LabelPlan or "flagged", optional
        How the cases with a label were chosen: by a plan of `plan_labels`, or "flagged" where only
        predicted positive cases have one. Labels of all other cases are missing.

    Returns
    -------
    Assessment
        Every measure, table and curve of the classifier. Tags give a `MultilabelAssessment`, a design gives
        a `LabeledAssessment`.

    Raises
    ------
    InputError
        If rows, labels, scores or options are invalid or contradict each other.

    Notes
    -----
    Class scores are raw (logits, margins, votes) if one lies outside [0, 1] by more than rounding. Raw
    scores can be compared only within a case. Of two classes their difference is the score, and the class
    with the greater score is predicted, the first one at ties. Of three or more classes, measures that rank
    cases are not defined.

    A confusion matrix is assessed as `ca.assess(ca.ConfusionMatrix.from_array([[50, 3], [7, 40]], ["no",
    "yes"], rows="true"), positive="yes")`.

    Examples
    --------
    >>> a = assess([1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> a["recall"]
    Estimate(0.750 [0.301, 0.954] 95%, Wilson)
    """
    from classay.assessment.other_rows import other_rows, with_task

    args: RowArguments = {"truth": truth, "score": score, "prediction": prediction, "y_pred": y_pred}
    args |= {"labels": labels, "separator": separator, "case": case, "tag": tag, "weight": weight}
    args |= {"frequency": frequency, "cluster": cluster, "positive": positive, "id": id, "amounts": amounts}
    args |= {"ordered": ordered, "missing": missing, "unanswered": unanswered, "improper": improper}
    args |= {"score_scale": score_scale, "top": top, "task": task}
    if design is not None:
        return way("assess.design")(y_true, y_score, Sampling(design=design), threshold, level, args)  # type: ignore[no-any-return]
    if task is not None:
        y_true, y_score, args = with_task(y_true, y_score, args)
        if "task" not in args:
            return assess(
                y_true, y_score, **args, threshold=threshold, level=level, seed=seed, interval=interval
            )
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
        named = {"y_score": y_score, **args, "threshold": threshold, "ordered": ordered or None}
        words = {"positive", "missing", "unanswered", "improper"}
        surplus = [name for name, option in named.items() if option is not None and name not in words]
        return of_matrix(y_true, positive, surplus, **estimation)
    rows = check(input_rows(y_true, y_score, **args))
    return refuse_all_undeclared(of_predictions(rows, **estimation))


def of_matrix(
    matrix: ConfusionMatrix,
    positive: Hashable | None,
    others: Sequence[str] = (),
    **how: Unpack[EstimationArguments],
) -> Assessment:
    """Return the assessment of a matrix counted elsewhere; `others` are further arguments of `assess` that were given.

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
    rows = input_rows(
        [matrix.labels[i] for i in true],
        y_pred=[matrix.labels[i] for i in predicted],
        frequency=cases.astype(np.int64),
        labels=Labels.of(matrix.labels),
        positive=positive,
    )
    return of_predictions(check(rows), **how).changed(rows=int(cases.sum()), kind_of_weight="none")


def input_rows(y_true: Any, y_score: Any = None, **columns: Unpack[PartOfRows]) -> InputRows:
    """Return the columns that the arguments of `assess` give or name; `by` adds the groups that rows belong to.

    `repeats` is the column of ids that repeats its values, as `repeated_ids` has it, for which this looks by itself.
    """
    truth, score, prediction = columns.get("truth"), columns.get("score"), columns.get("prediction")
    y_pred, by, amounts = columns.get("y_pred"), columns.get("by"), columns.get("amounts")
    roles: dict[str, Any] = {role: columns.get(role) for role in ("weight", "frequency", "cluster", "id")}
    repeats = columns.get("repeats", "look")
    if repeats == "look":
        repeats = _repeats(y_true, columns)
    labels = declared(columns.get("labels"), ordered=columns.get("ordered", False))
    y_true = y_true if truth is not None else single_column(y_true)
    model = model_name(score, prediction, y_score, y_pred)
    if truth is not None:
        from classay.sources.inputs import columns_of_roles, roles_of_amounts

        refuse_list(y_true, roles["weight"])
        named = scores_by_label(_once("score", score, "y_score", y_score), labels)
        y_pred = _once("prediction", prediction, "y_pred", y_pred)
        if amounts is not None:
            amounts = columns_of_roles(y_true, roles_of_amounts(amounts))
        by = groups_of(y_true, by) if are_names(by) else by
        by_role = _columns(y_true, named, {"truth": truth, "prediction": y_pred, "by": by} | roles)
        y_true, y_score, y_pred = by_role["truth"], by_role["score"], by_role["prediction"]
        by, roles = by_role["by"], {role: by_role[role] for role in roles}
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
    policy = columns.get("policy")
    if policy is None:
        policy = AnswerPolicy.of(columns.get("missing", "refuse"), columns.get("unanswered", "refuse"))
    return InputRows(
        y_true,
        y_score,
        y_pred,
        columns.get("positive"),
        labels,
        columns.get("occurring"),
        **roles,
        group=by,
        amounts=amounts,
        policy=policy,
        improper=columns.get("improper", "keep"),
        score_scale=columns.get("score_scale"),
        rounding=columns.get("rounding", "judged"),
        model=model,
        repeats=repeats,
        may_declare=True,
    )


def _repeats(y_true: Any, args: PartOfRows) -> tuple[str, int] | None:
    """The column of ids, of a frame or the index of a series, that repeats its values; None where clusters are given.

    The column of the role `id` is looked at too, and every other column only where it has no role.
    """
    if args.get("cluster") is not None or args.get("frequency") is not None:
        return None
    ids = args.get("id")
    if args.get("truth") is not None:
        from classay.sources.id_columns import repeated_in

        return repeated_in(
            y_true, used_names({name: each for name, each in args.items() if name != "id"}), ids
        )
    repeats = [repeated_index(y_true), None if ids is None else repeated_ids({"id": ids}, "id")]
    return min((each for each in repeats if each is not None), key=lambda each: each[1], default=None)


def model_name(*sources: Any) -> str:
    """Return what a model is called: the first name of a column, or that which a series has; "" where there is none.

    >>> model_name(None, "p"), model_name(["a", "b"], [0.5])
    ('p', '')
    """
    names = (source if isinstance(source, str) else getattr(source, "name", None) for source in sources)
    return next((name for name in names if isinstance(name, str) and name), "")


def refuse_all_undeclared(a: Assessment) -> Assessment:
    """Return the assessment. Raises InputError if labels were predicted and none of them is among the declared ones."""
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
    """Return the arguments of `assess` that are no columns, checked."""
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
        class_scores, cases = _several(rows.class_scores, case_values, rows, bits)
        if predicted is None:
            predicted = rows.with_no_answer(case_values.best.astype(rows.truth.dtype))
    used = threshold
    labels_of_matrix = rows.labels_of_matrix
    if predicted is not None:
        matrix = count_matrix(predicted, rows.truth, labels_of_matrix, **weights, **amounts)
    elif scores is not None:
        used = cutoff_of(rows, threshold)
        matrix = None if used is None else _matrix_at(used, rows, scores)
    kind = kind_of_weight(rows.weight, rows.frequency)
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
    """Return the threshold of the labels of two classes: as given, or that of the scores; None of predicted labels."""
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
            f"{'; '.join(all_names(drawn))}. Without {hint('interval=', '--interval')}, each measure has its "
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
    """Return the cases (or weight) of each true class that were not answered and count as wrong."""
    if rows.no_answer is None:
        return None
    times = rows.frequency if rows.weight is None else rows.weight
    times = None if times is None else times[rows.no_answer]
    return tuple(np.bincount(rows.truth[rows.no_answer], times, len(rows.labels)).astype(float).tolist())


def _several(
    scores: NDArray[Any], values: CaseValues, rows: Predictions, bits: int | BinScale | None
) -> tuple[ClassScoreTable | BinnedClassScoreTable, CaseTable]:
    """The tables of the class scores, `(rows, classes)`, of several classes, for the values that the cases show."""
    columns = scores, rows.truth, rows.labels
    weights: dict[str, Any] = {"weight": rows.weight, "frequency": rows.frequency}
    cases = CaseTable.of_values(values, rows.truth, rows.labels, **weights)
    if bits is None:
        return ClassScoreTable.from_rows(*columns, **weights), cases
    return BinnedClassScoreTable.from_rows(*columns, bits=bits, **weights), cases.binned()


def _matrix_at(threshold: float, rows: Predictions, scores: ScoreTable) -> ConfusionMatrix:
    """Return the confusion matrix at a threshold: from the table, or from the rows where bins do not tell it."""
    if not isinstance(scores, BinnedScoreTable) or rows.score is None:
        return scores.at(threshold).restrict(rows.labels)
    is_called = rows.score >= in_precision(threshold, rows.score.dtype)
    positive, negative = (
        rows.truth.dtype.type(rows.labels.index(label)) for label in (rows.positive, rows.negative)
    )
    called = np.where(is_called, positive, negative)
    return ConfusionMatrix.from_codes(
        called, rows.truth, rows.labels, weight=rows.weight, frequency=rows.frequency
    )


def _coded(rows: Predictions, predicted: Any, labels: tuple[Hashable, ...]) -> CodedRows | None:
    """Return the rows themselves, which only clusters need."""
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
    """Return the blocks of cases, where rows have ids or clusters and all count alike."""
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
    """Return what was named of a frame, or was given as it is; InputError where both were."""
    if named is not None and column is not None:
        raise InputError(f"{name}= and {given_as} are the same argument. Pass one of them.")
    return column if named is None else named


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


def _columns(frame: Any, score: Any, roles: Mapping[str, RawColumn | None]) -> dict[str, Any]:
    """The columns of a frame by role, each by its name or as it is; class scores as a mapping from label to column."""
    from classay.sources.inputs import columns_of_roles

    classes = scores_by_label(score, None)
    if not isinstance(classes, Mapping):
        return columns_of_roles(frame, {**roles, "score": score})
    places = {label: ("score", label) for label in classes}
    data = columns_of_roles(frame, {**roles, **{places[label]: name for label, name in classes.items()}})
    return {**data, "score": {label: data[place] for label, place in places.items()}}
