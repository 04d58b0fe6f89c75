"""What each column may be, by its name and its values, and what stands against it."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from classay.columns.repeats import is_id_name
from classay.describing.columns import ColumnFacts, described_values, label_text, split_name
from classay.describing.one_column import ScoresInOne
from classay.texts import listed, quote, some
from classay.wings import altered

RoleName = Literal[
    "truth",
    "prediction",
    "probability",
    "score",
    "class scores",
    "tag",
    "id",
    "group",
    "time",
    "weight",
    "frequency",
    "curve point",
]
ROLES: tuple[RoleName, ...] = get_args(RoleName)
_TRUE = frozenset(
    {
        *("truth", "true", "label", "labels", "actual", "gold", "target", "outcome", "observed", "reference"),
        *("y", "annotated", "annotation", "groundtruth", "judged", "expected"),
    }
) | frozenset(["wahrheit", "verdad", "vérité"])
_LIKE_TRUE = frozenset(
    {
        *(
            "class",
            "event",
            "status",
            "diagnosis",
            "response",
            "died",
            "death",
            "mortality",
            "default",
            "churn",
        ),
        *(
            "fraud",
            "disease",
            "condition",
            "case",
            "result",
            "grade",
            "category",
            "spam",
            "sepsis",
            "relapse",
        ),
    }
) | frozenset(
    [
        "befund",
        "diagnose",
        "ergebnis",
        "tod",
        "verstorben",
        "exitus",
        "rezidiv",
        "krankheit",
        "décès",
        "diagnostic",
        "diagnóstico",
        "résultat",
        "resultado",
        "mortalité",
        "mortalidad",
        "esito",
        "uitkomst",
    ]
)
_PREDICTED = frozenset(
    {
        *(
            "pred",
            "preds",
            "predicted",
            "prediction",
            "predictions",
            "predict",
            "yhat",
            "hat",
            "decision",
            "call",
        ),
        *("called", "classified", "assigned", "output", "guess", "forecast"),
    }
) | frozenset(["vorhersage", "prognose", "prédiction", "predicción"])
_SCORE = frozenset(
    {
        *("score", "scores", "prob", "probs", "proba", "probability", "probabilities", "p", "risk", "logit"),
        *("logits", "confidence", "margin", "phat", "posterior", "softmax", "propensity", "likelihood"),
    }
) | frozenset(
    [
        "risiko",
        "wahrscheinlichkeit",
        "risque",
        "probabilité",
        "riesgo",
        "probabilidad",
        "rischio",
        "probabilità",
        "kans",
    ]
)
_WEIGHT = frozenset({"weight", "weights", "w", "wt", "wgt"})
_FREQUENCY = frozenset({"count", "counts", "n", "freq", "frequency", "frequencies"})
_TIME = frozenset(
    {"date", "day", "time", "timestamp", "datetime", "month", "week", "year", "created", "seen"}
)
_GROUP = frozenset(
    {
        *(
            "sex",
            "gender",
            "age",
            "region",
            "site",
            "hospital",
            "ward",
            "clinic",
            "center",
            "centre",
            "country",
        ),
        *(
            "race",
            "ethnicity",
            "segment",
            "group",
            "subgroup",
            "city",
            "state",
            "device",
            "scanner",
            "language",
        ),
        *("smoker", "stage", "type", "band", "cohort", "source", "domain", "split", "fold"),
    }
) | frozenset(
    [
        "geschlecht",
        "alter",
        "klinik",
        "station",
        "zentrum",
        "standort",
        "sexe",
        "sexo",
        "âge",
        "edad",
        "leeftijd",
        "geslacht",
    ]
)
_AMOUNT = frozenset(
    {"cost", "amount", "price", "value", "age", "size", "length", "income", "bmi", "duration", "dose"}
) | frozenset(["alter", "kosten", "betrag", "größe", "gewicht", "âge", "edad", "coût", "coste", "leeftijd"])
_POSITIVE = frozenset(
    {
        *(
            "1",
            "yes",
            "y",
            "true",
            "t",
            "positive",
            "pos",
            "+",
            "case",
            "sick",
            "ill",
            "diseased",
            "abnormal",
        ),
        *(
            "malignant",
            "bad",
            "spam",
            "fraud",
            "event",
            "died",
            "dead",
            "default",
            "churn",
            "churned",
            "attack",
        ),
        *("anomaly", "toxic", "relevant", "present", "ja", "oui", "si", "sí", "relapse", "failed", "defect"),
    }
) | frozenset(
    [
        "positiv",
        "positif",
        "positivo",
        "krank",
        "tot",
        "verstorben",
        "gestorben",
        "bösartig",
        "maligne",
        "décédé",
        "auffällig",
        "pathologisch",
    ]
)
_ORDERS = (
    ("low", "mild", "minor", "small", "slight"),
    ("medium", "moderate", "middle", "average", "mid"),
    ("high", "severe", "major", "large", "strong"),
)
"""Words of labels with an order: those of the lowest classes, of the middle and of the highest."""


_OF_CURVES = (
    frozenset({"fpr", "tpr"}),
    frozenset({"fpr", "fnr"}),
    frozenset({"false_positive_rate", "true_positive_rate"}),
    frozenset({"precision", "recall", "threshold"}),
)
"""Names of columns that make a row a point of a curve, not a case."""
MIN_CLUSTERS = 5
DEFAULT = "the default"
"""Why 1 or True is the positive class, which no option has to name."""


@dataclass(frozen=True)
class Role:
    """What a column may be, and why."""

    name: RoleName
    reason: str
    is_named: bool = False
    """Whether the name of the column says so."""


@dataclass
class RoledColumn:
    """A column, what it may be, and what stands against that."""

    facts: ColumnFacts
    roles: list[Role] = field(default_factory=list)
    against: list[str] = field(default_factory=list)

    def has(self, *names: RoleName) -> bool:
        """Check whether the column may be one of these."""
        return any(role.name in names for role in self.roles)

    def add(
        self, name: RoleName, reason: str, words: Collection[str] = (), *, has_label: bool = False
    ) -> None:
        """Add what the column may be, and which words of its name say so."""
        named = [*([quote(min(words))] if words else []), *(["a label"] if has_label else [])]
        if named:
            reason += f"; {listed(named)} in its name"
        self.roles.append(Role(name, reason, bool(named)))


@dataclass(frozen=True)
class ClassScores:
    """Columns of scores, one for each label, and what their names have in common."""

    stem: str
    columns: dict[Hashable, str]


@dataclass
class Roles:
    """What the columns of a file may be together."""

    columns: list[RoledColumn]
    truth: RoledColumn | None = None
    class_scores: list[ClassScores] = field(default_factory=list)
    in_one: list[ScoresInOne] = field(default_factory=list)
    positive: Hashable | None = None
    positive_reason: str = ""
    order: tuple[Hashable, ...] = ()
    drawn: tuple[str, ...] | None = None
    """Of cases drawn for a label, the only command that has a meaning, empty where its plan is missing."""

    def of(self, *names: RoleName) -> list[RoledColumn]:
        """Return the columns whose first role is one of these, in the order of the file."""
        return [column for column in self.columns if column.roles and column.roles[0].name in names]


def roles_in(facts: Sequence[ColumnFacts], where: str) -> Roles:
    """Return what columns of a file may be, of cases drawn for a label as their list has them."""
    known = altered("describe.drawn", None, [column.name for column in facts], where)
    if known is None:
        return roles_of(facts)
    words, by_name = known
    roles = roles_of([column for column in facts if column.name not in by_name])
    found = {column.facts.name: column for column in roles.columns}
    for column in facts:
        if column.name in by_name:
            name, reason = by_name[column.name]
            found[column.name] = RoledColumn(column, [Role(name, reason, is_named=True)])
    roles.columns = [found[column.name] for column in facts]
    roles.drawn = words
    return roles


def roles_of(facts: Sequence[ColumnFacts]) -> Roles:
    """Return what columns may be. Nothing is computed of scores and labels together."""
    roles = Roles([RoledColumn(column) for column in facts])
    of_curve, labels = _axes_of(facts), (column for column in facts if column.is_label)
    if of_curve and not any(column.words & _TRUE and column.name not in of_curve for column in labels):
        for column in roles.columns:
            if column.facts.name in of_curve:
                column.add("curve point", "a row is a point of a curve")
        return roles
    _find_truth(roles)
    _find_class_scores(roles)
    for column in roles.columns:
        _find_roles(column, roles)
        _find_objections(column)
    _find_positive(roles)
    if roles.truth is not None:
        roles.order = order_of(roles.truth.facts.values)
    return roles


def _axes_of(facts: Sequence[ColumnFacts]) -> list[str]:
    """Return the columns that make the rows points of a curve, none where the rows may be cases."""
    numbers = {column.name.lower(): column.name for column in facts if column.is_number}
    axes: frozenset[str] = next((names for names in _OF_CURVES if names <= numbers.keys()), frozenset())
    return [name for known, name in numbers.items() if known in axes]


def _find_truth(roles: Roles) -> None:
    """Choose the column that most likely has the true labels; others that may have them are named too."""
    points = {}
    for column in roles.columns:
        facts = column.facts
        if facts.is_label:
            points[facts.name] = (_truth_points(facts, roles), column)
    candidates = sorted(points.values(), key=lambda pair: -pair[0])
    likely = [pair for pair in candidates if pair[0] >= 2] or [pair for pair in candidates if pair[0] >= 1]
    if not likely:
        return
    roles.truth = likely[0][1]
    for place, (_, column) in enumerate(likely):
        facts = column.facts
        shown = described_values(facts)
        n = len(facts.values)
        named = facts.words & (_TRUE | _LIKE_TRUE)
        if place == 0 or named:
            column.add("truth", f"{n} labels ({shown})", named)


def _truth_points(facts: ColumnFacts, roles: Roles) -> float:
    words = facts.words
    points = 4.0 if words & _TRUE else 2.5 if words & _LIKE_TRUE else 0.0
    points += 1.5 if len(facts.values) == 2 else 0.0
    points -= 6.0 if words & _PREDICTED else 3.0 if words & (_WEIGHT | _TIME) else 0.0
    points -= 2.0 if words & (_GROUP | _FREQUENCY | _AMOUNT) and not words & _TRUE else 0.0
    points -= 2.0 if words & _SCORE and not words & _TRUE else 0.0
    texts = [label_text(label) for label in facts.values]
    named_by = [
        column
        for column in roles.columns
        if column.facts.is_number and not column.facts.is_label and label_in_name(column.facts.name, texts)
    ]
    is_predicted = any(
        other.facts.words & _PREDICTED and other.facts.is_label and are_labels_of(other.facts, facts)
        for other in roles.columns
        if other.facts is not facts
    )
    points += 3.0 if is_predicted else 0.0
    return points + (3.0 if named_by and any(not text.isdigit() for text in texts) else 0.0)


def is_score_name(name: str) -> bool:
    """Check whether the name of a column has a word of scores.

    >>> is_score_name("p_map"), is_score_name("rawPrediction")
    (True, False)
    """
    return bool({*split_name(name)} & _SCORE)


def are_labels_of(prediction: ColumnFacts, truth: ColumnFacts) -> bool:
    """Check whether all values of a column are labels of another, of the same type."""
    kinds = [{isinstance(value, bool) for value in column.values} for column in (prediction, truth)]
    return {*prediction.values} <= {*truth.values} and kinds[0] == kinds[1]


def _find_class_scores(roles: Roles) -> None:
    """Find a column of scores for each label of the truth, by the names of the columns."""
    if roles.truth is None:
        return
    labels = roles.truth.facts.values
    by_stem: dict[str, dict[Hashable, str]] = {}
    for column in roles.columns:
        facts = column.facts
        if not facts.is_number or column is roles.truth or facts.is_id:
            continue
        for label in labels:
            stem = stem_of(facts.name, label_text(label))
            if stem is not None:
                by_stem.setdefault(stem, {})[label] = facts.name
    roles.class_scores = [
        ClassScores(stem, columns)
        for stem, columns in by_stem.items()
        if len({*columns.values()}) == len(labels)
    ]


def stem_of(name: str, label: str) -> str | None:
    """Return the name of a column without the label at its end or begin, None where it has none.

    >>> stem_of("p_cat", "cat"), stem_of("cat", "cat"), stem_of("prob1", "1"), stem_of("age", "e")
    ('p', '', 'prob', None)
    """
    text, wanted = name.strip().lower(), label.strip().lower()
    if text == wanted:
        return ""
    bare = text.rstrip(")]}")
    if bare.endswith(wanted):
        stem = bare[: -len(wanted)]
        parted = stem.rstrip("_.-:([{ =|")
        if parted != stem or (wanted.isdigit() and stem in _SCORE):
            return parted or None
    if text.startswith(wanted):
        rest = text[len(wanted) :]
        parted = rest.lstrip("_.-: ")
        if parted != rest and {*split_name(parted)} & _SCORE:
            return parted
    return None


def label_in_name(name: str, labels: Sequence[str]) -> str | None:
    """Return the one label that stands in the name of a column, None where none or several do."""
    matches = [label for label in labels if stem_of(name, label) is not None]
    return matches[0] if len(matches) == 1 else None


def _find_roles(column: RoledColumn, roles: Roles) -> None:
    """Find what a column other than the truth may be."""
    facts, words = column.facts, column.facts.words
    if (
        facts.is_constant
        or facts.type == "empty"
        or column is roles.truth
        or not (facts.is_named or facts.is_id)
    ):
        return
    if facts.is_time:
        column.add("time", "dates" if facts.type != "time" else "dates with times")
    elif facts.is_id:
        repeated = facts.n - facts.n_missing - facts.n_distinct
        reason = "all values are distinct" if not repeated else f"{facts.n_distinct:,} values, some repeated"
        column.add("id", f"{reason}; a name of ids" if is_id_name(facts.name) else reason)
    elif words & _WEIGHT and facts.low is not None and facts.low >= 0 and not facts.has_missing:
        column.add("weight", "numbers from 0 on", words & _WEIGHT)
    elif (
        words & _FREQUENCY
        and facts.is_whole
        and facts.low is not None
        and facts.low >= 0
        and not facts.has_missing
    ):
        column.add("frequency", "whole numbers", words & _FREQUENCY)
    elif facts.is_number and not facts.is_label:
        _find_score(column, roles)
    elif facts.is_label:
        _find_labels(column, roles)


def _find_score(column: RoledColumn, roles: Roles) -> None:
    facts, words = column.facts, column.facts.words
    is_class_score = any(facts.name in scores.columns.values() for scores in roles.class_scores)
    labels = () if roles.truth is None else [label_text(label) for label in roles.truth.facts.values]
    named = words & (_SCORE | _PREDICTED)
    has_label = is_class_score or label_in_name(facts.name, labels) is not None
    is_other = words & (_GROUP | _AMOUNT) and not named
    span = f"numbers from {facts.low:.6g} to {facts.high:.6g}"
    if facts.is_unit and not is_other:
        column.add("probability", "numbers from 0 to 1", named, has_label=has_label)
    elif (named or has_label) and not facts.is_unit:
        column.add("score", span, named, has_label=has_label)
    elif not facts.is_whole and not is_other:
        column.add("score", f"{span}, maybe a feature")


def _find_labels(column: RoledColumn, roles: Roles) -> None:
    facts, words = column.facts, column.facts.words
    shown = described_values(facts)
    if roles.truth is not None and are_labels_of(facts, roles.truth.facts):
        if words & _PREDICTED:
            column.add("prediction", f"labels of {roles.truth.facts.name}", words & _PREDICTED)
        elif not words & _GROUP and not column.has("truth"):
            column.add("prediction", f"labels of {roles.truth.facts.name}")
    if not column.has("truth", "prediction") or not words & (_PREDICTED | _TRUE):
        column.add("group", f"{len(facts.values)} values ({shown})", words & _GROUP)


def _find_objections(column: RoledColumn) -> None:
    """Say what stands against the use of a column."""
    facts = column.facts
    if 0 < facts.n_missing < facts.n:
        column.against.append(f"{facts.n_missing:,} of {facts.n:,} values are missing")
    elif facts.missing_of_all:
        column.against.append(f"{facts.missing_of_all:,} values are missing, after the first rows")
    if facts.is_constant:
        column.against.append(_objection_to_constant(facts))
    column.against += _codes_for_missing(facts)
    if variants := case_variants(facts.values if facts.is_label else ()):
        column.against.append(f"labels that differ in case or blanks: {some(variants)}")
    if column.has("id") and is_repeated(facts):
        column.against.append("rows of one value may depend on each other: --cluster treats them as one unit")
    if column.has("score") and facts.low is not None and facts.high is not None and not facts.is_unit:
        is_percentage = facts.low >= 0 and facts.high <= 100 and facts.words & _SCORE
        column.against.append(
            "not from 0 to 1" + (", maybe a percentage" if is_percentage else ", so no probability")
        )
    if facts.date_format == "":
        column.against.append("the day or the month may come first: name the format with --date-format")
    elif facts.date_format:
        column.against.append(f"dates that need --date-format {quote(facts.date_format)}")


def _codes_for_missing(facts: ColumnFacts) -> list[str]:
    """Say which words and numbers among the values may stand for missing ones."""
    if words := facts.missing_words:
        return [f"{some([quote(word) for word in words])} may stand for missing values"]
    names = ",".join(map(label_text, facts.codes))
    return [f"{names} far from all others may stand for missing values: --na {names}"] if names else []


def is_repeated(facts: ColumnFacts) -> bool:
    """Check whether ids occur several times, which makes clusters."""
    return MIN_CLUSTERS <= facts.n_distinct < facts.n - facts.n_missing and not facts.has_missing


def _objection_to_constant(facts: ColumnFacts) -> str:
    """Say why a column of one value or none has no use."""
    if facts.n_distinct:
        return "all values are equal"
    return (
        "no values"
        if facts.n == facts.n_missing
        else f"each row has {'' if facts.type == 'bytes' else 'a '}{facts.type}, which is not described"
    )


def case_variants(labels: Sequence[Hashable]) -> list[str]:
    """Return labels that are equal but for case and blanks, as pairs.

    >>> case_variants(["yes", "no", "Yes"])
    ["'yes' and 'Yes'"]
    """
    by_form: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            by_form.setdefault(re.sub(r"\s+", " ", label).strip().casefold(), []).append(label)
    return [" and ".join(map(quote, texts)) for texts in by_form.values() if len(texts) > 1]


def _find_positive(roles: Roles) -> None:
    """Choose the positive class of two: by a score's name, by custom, or the rarer one."""
    if roles.truth is None or len(roles.truth.facts.values) != 2:
        return
    labels = roles.truth.facts.values
    default = {*map(label_text, labels)} <= {"0", "1", "True", "False"}
    texts = [label_text(label) for label in labels]
    for column in () if default else roles.of("probability", "score"):
        named = label_in_name(column.facts.name, texts)
        if named is not None and not any(
            column.facts.name in scores.columns.values() for scores in roles.class_scores
        ):
            roles.positive = labels[texts.index(named)]
            roles.positive_reason = f"it is in the name {column.facts.name}"
            return
    roles.positive, roles.positive_reason = usual_positive(labels)


def usual_positive(labels: Sequence[Hashable]) -> tuple[Hashable, str]:
    """Return the label of two that is most likely the positive one, and why; the second is the rarer one.

    >>> usual_positive(["no", "yes"]), usual_positive([0, 1])
    (('yes', 'a guess by its word'), (1, 'the default'))
    """
    default = [label for label in labels if label_text(label) in ("1", "True")]
    if default and {*map(label_text, labels)} <= {"0", "1", "True", "False"}:
        return default[0], DEFAULT
    usual = [label for label in labels if label_text(label).strip().lower() in _POSITIVE]
    if len(usual) == 1:
        return usual[0], "a guess by its word"
    return labels[1], "a guess, the rarer class"


def order_of(labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return labels in their order, by whole numbers or by words such as low and high; nothing for other labels.

    >>> order_of(["high", "low", "medium"]), order_of([3, 1, 2]), order_of(["cat", "dog", "ape"])
    (('low', 'medium', 'high'), (1, 2, 3), ())
    """
    if len(labels) < 3:
        return ()
    numbers = [label for label in labels if isinstance(label, int | float) and not isinstance(label, bool)]
    if len(numbers) == len(labels):
        ordered = sorted(numbers)
        return tuple(ordered) if ordered[-1] - ordered[0] == len(ordered) - 1 and len(ordered) <= 11 else ()
    ranks = []
    for label in labels:
        words = {*split_name(str(label))}
        rank = [place for place, known in enumerate(_ORDERS) if words & {*known}]
        if len(rank) != 1:
            return ()
        ranks.append((rank[0], label))
    if len({rank for rank, _ in ranks}) < len(ranks):
        return ()
    return tuple(label for _, label in sorted(ranks, key=lambda pair: pair[0]))
