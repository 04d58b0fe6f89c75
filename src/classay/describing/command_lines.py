"""Command lines that would run on a file, best first, by what its columns may be."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from classay.describing.columns import ColumnFacts, facts_of, label_text
from classay.describing.judged_columns import judged_columns
from classay.describing.long_results import long_form
from classay.describing.roles import (
    DEFAULT,
    ClassScores,
    RoledColumn,
    Roles,
    is_repeated,
    label_in_name,
    usual_positive,
)
from classay.describing.shapes import four_counts, graded_columns, matrix_corner, tag_cells, tag_columns
from classay.inference.estimate import direction
from classay.texts import some
from classay.wings import brought, thing

if TYPE_CHECKING:
    import pyarrow as pa

MAX_COMMANDS = 5
MAX_GROUPS = 20
MAX_MODELS = 12


@dataclass(frozen=True)
class SuggestedCommand:
    """A command line that would run, and what it supposes."""

    words: tuple[str, ...]
    reason: str

    @property
    def text(self) -> str:
        """The command line as a shell takes it."""
        return shlex.join(self.words)


@dataclass(frozen=True)
class Target:
    """The file of the commands and how it is read; of several files rows are counted in parts, without groups."""

    file: str
    format: str
    options: Mapping[str, str]
    is_several: bool = False

    def command(self, name: str, *words: str) -> tuple[str, ...]:
        """Return a command on the file."""
        return ("classay", name, _as_path(self.file), *self.reading, *words)

    @property
    def reading(self) -> tuple[str, ...]:
        """The options of reading."""
        return tuple(
            word for name, value in self.options.items() for word in (f"--{name.replace('_', '-')}", value)
        )


def _as_path(file: str) -> str:
    return f"./{file}" if file.startswith("-") and file != "-" else file


def suggested(
    facts: Sequence[ColumnFacts], roles: Roles, target: Target, rows: pa.Table
) -> tuple[SuggestedCommand, ...]:
    """Return up to five command lines, best first; `rows` tell which labels are left where scores are missing."""
    if roles.drawn is not None:
        return (*_of_drawn(roles, target),)
    of_shapes = [*_of_shapes(facts, roles, target)]
    commands = of_shapes or [*_of_rows(roles, target, rows), *_of_grades(roles, target)]
    by_words = {command.words: command for command in commands}
    return tuple(by_words.values())[:MAX_COMMANDS]


def _of_drawn(roles: Roles, target: Target) -> Iterator[SuggestedCommand]:
    """Yield the command on cases that were drawn for a label, with their plan."""
    if not roles.drawn or roles.truth is None or len(roles.truth.facts.values) != 2:
        return
    name, *words = roles.drawn
    truth = roles.truth.facts.name
    if roles.positive_reason != DEFAULT:
        words = ["--positive", label_text(roles.positive), *words]
    yield SuggestedCommand(
        target.command(name, "--truth", truth, *words), f"labels of drawn cases in {truth}, by their plan"
    )


def _of_shapes(facts: Sequence[ColumnFacts], roles: Roles, target: Target) -> Iterator[SuggestedCommand]:
    """Yield commands on files that are not rows of one label a case."""
    if (corner := matrix_corner(facts)) is not None:
        labels = [column.name for column in facts[1:]]
        positive, why = usual_positive(labels) if len(labels) == 2 else (None, DEFAULT)
        more = () if why == DEFAULT else ("--positive", label_text(positive))
        sides = ("predicted", "true") if "pred" in corner.lower().split("\\")[0] else ("true", "predicted")
        format = brought("formats").get(target.format)
        only = None if format is None else thing(format).matrix_rows
        for side in sides if only is None else (only,):
            words = (
                "classay",
                "assess",
                "--matrix",
                target.file,
                *target.reading,
                "--matrix-rows",
                side,
                *more,
            )
            yield SuggestedCommand(words, f"a confusion matrix whose rows are the {side} classes")
        return
    if (counts := four_counts(facts)) is not None:
        text = ",".join(f"{name}={count}" for name, count in counts.items())
        yield SuggestedCommand(("classay", "assess", "--counts", text), "the four counts of two classes")
        return
    if not target.is_several and (options := _long_results(facts)):
        yield SuggestedCommand(
            target.command("compare", *options), "results of models over data sets or folds, in long form"
        )
        return
    judged = judged_columns(facts)
    if judged is not None and not target.is_several and "judge" in brought("commands"):
        yield SuggestedCommand(target.command("judge", *judged.words), judged.reason)
    if (tags := tag_columns(facts)) is not None:
        truth = ("--truth-tags", f"{tags.truth}*")
        about = f"multilabel cases with the tags {some(tags.tags)}"
        if tags.scores is not None:
            yield SuggestedCommand(
                target.command("assess", *truth, "--tag-scores", f"{tags.scores}*"),
                f"{about}, by their scores",
            )
        if tags.predictions is not None:
            words = target.command("assess", *truth, "--tag-predictions", f"{tags.predictions}*")
            yield SuggestedCommand(words, f"{about}, by predicted tags")
    elif (cells := tag_cells(roles)) is not None:
        words = target.command(
            "assess", "--tags", cells.truth, "--prediction", cells.prediction, "--separator", cells.separator
        )
        yield SuggestedCommand(words, f"multilabel cases with all tags of a case in {cells.truth}")


def _long_results(facts: Sequence[ColumnFacts]) -> list[str]:
    """Return the options of results in long form with a value in each cell; none of other files."""
    by_name = {column.name: column for column in facts}
    options = long_form({name: column.type == "number" for name, column in by_name.items()})
    cells = [by_name[name] for option, name in options.items() if option != "--value"]
    if (
        not cells
        or any(column.n_missing for column in facts)
        or any(column.n_distinct < 2 for column in cells)
    ):
        return []
    if cells[0].n != prod(column.n_distinct for column in cells) or not direction(options["--value"]):
        return []
    return [word for pair in options.items() for word in pair]


def _of_grades(roles: Roles, target: Target) -> Iterator[SuggestedCommand]:
    names = _joined(graded_columns(roles)[:MAX_MODELS])
    if names and not target.is_several:
        yield SuggestedCommand(
            target.command("compare", "--graded", names),
            f"{names} as grades of the same cases, such as 1 for correct",
        )


def _of_rows(roles: Roles, target: Target, rows: pa.Table) -> Iterator[SuggestedCommand]:
    """Yield commands on rows of one label a case."""
    if roles.truth is None:
        return
    cases = _Cases(roles, target, rows)
    bases = [*(_binary(cases) if len(cases.labels) == 2 else _several_classes(cases))]
    bases = [
        (base, why) for base, why in bases if cases.left(base, cases.truth).n_distinct == len(cases.labels)
    ]
    if not bases:
        return
    (first, reason), *others = bases
    yield cases.assess(first, reason)
    comparisons = [*_comparisons(cases)]
    yield from comparisons[:1]
    if not target.is_several:
        yield from _parts(cases, first)
    for words, why in others:
        yield cases.assess(words, why)
    yield from comparisons[1:]


@dataclass(frozen=True)
class _Base:
    """The options that say what is assessed, and the columns that they name."""

    words: tuple[str, ...]
    columns: tuple[ColumnFacts, ...]


class _Cases:
    """The truth, the positive class, and the options of each command on the rows."""

    def __init__(self, roles: Roles, target: Target, rows: pa.Table) -> None:
        assert roles.truth is not None
        self.roles, self.target, self.rows = roles, target, rows
        self.truth = roles.truth.facts
        self.labels = self.truth.values

    @property
    def positive(self) -> tuple[str, ...]:
        """The option of the positive class, unless it is the default."""
        if len(self.labels) != 2 or self.roles.positive_reason == DEFAULT:
            return ()
        return ("--positive", label_text(self.roles.positive))

    def command(self, name: str, base: _Base, *more: str, is_group_missing: bool = False) -> tuple[str, ...]:
        """Return a command on the rows: its columns, and how to treat what is missing in them."""
        words = [*base.words, *self._beside(), *more]
        if self.truth.has_missing or is_group_missing:
            words += ["--missing", "drop"]
        if any(column.has_missing for column in base.columns):
            words += ["--unanswered", "drop"]
        return self.target.command(name, "--truth", self.truth.name, *words)

    def has_all_labels(self, base: _Base) -> bool:
        """Check whether rows with scores or predictions have all labels."""
        return self.left(base, self.truth).n_distinct == len(self.labels)

    def left(self, base: _Base, column: ColumnFacts) -> ColumnFacts:
        """Return what a column is in the rows that have a label and all scores or predictions."""
        import pyarrow.compute as pc

        rows = self.rows
        for name in (self.truth.name, *(used.name for used in base.columns)):
            rows = rows.filter(pc.is_valid(rows[name]))
        return facts_of(rows.select([column.name]))[0]

    def assess(
        self, base: _Base, reason: str, *more: str, is_group_missing: bool = False
    ) -> SuggestedCommand:
        """Return an assessment."""
        words = self.command("assess", base, *more, is_group_missing=is_group_missing)
        return SuggestedCommand(words, f"{reason}{self._suppositions()}")

    def _beside(self) -> list[str]:
        """Return the columns of weights, counts and clusters."""
        words = []
        roles = self.roles
        ids = [column.facts for column in roles.of("id")]
        frequency = next(iter(roles.of("frequency")), None)
        if weight := next(iter(roles.of("weight")), None):
            words += ["--weight", weight.facts.name]
        elif frequency is not None and not ids:
            words += ["--frequency", frequency.facts.name]
        clusters = [facts for facts in ids if is_repeated(facts)]
        if clusters and "--frequency" not in words:
            words += ["--cluster", clusters[0].name]
        return words

    def _suppositions(self) -> str:
        texts = [f"{option.removeprefix('--')} {name}" for option, name in _pairs(self._beside())]
        return f"; {some(texts)}" if texts else ""


def _pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(words[::2], words[1::2], strict=True))


def _binary(cases: _Cases) -> Iterator[tuple[_Base, str]]:
    """Yield what may be assessed with two classes: scores of the positive class, and predicted labels."""
    of = f" of {label_text(cases.roles.positive)}"
    for column in scores_of_positive(cases.roles)[:2]:
        what = "probability" if column.has("probability") else "score"
        reason = f"true labels in {cases.truth.name}, {column.facts.name} as the {what}{of}"
        if "guess" in cases.roles.positive_reason:
            reason += f" ({cases.roles.positive_reason})"
        yield _Base(("--score", column.facts.name, *cases.positive), (column.facts,)), reason
    yield from _scores_in_one(cases)
    yield from _predictions(cases)


def _scores_in_one(cases: _Cases) -> Iterator[tuple[_Base, str]]:
    for scores in cases.roles.in_one[:2]:
        if '"' in scores.name:
            continue
        order = [label_text(label) for label in scores.order]
        labels = ("--labels", _joined(order)) if order else ()
        reason = f"true labels in {cases.truth.name}, {scores.name} with a score of each class"
        if scores.is_guess:
            reason += f", supposed in the order {some(order)}"
        yield _Base(("--class-scores", _listed(scores.name), *labels, *cases.positive), scores.facts), reason


def _predictions(cases: _Cases) -> Iterator[tuple[_Base, str]]:
    for column in cases.roles.of("prediction")[:2]:
        words = ("--prediction", column.facts.name, *cases.positive)
        yield (
            _Base(words, (column.facts,)),
            f"true labels in {cases.truth.name}, labels predicted in {column.facts.name}",
        )


def scores_of_positive(roles: Roles) -> list[RoledColumn]:
    """Return the columns that may be scores of the positive class, those with the best reasons first."""
    positive = roles.positive
    labels = [] if roles.truth is None else [label_text(label) for label in roles.truth.facts.values]
    of_classes = {name: label for scores in roles.class_scores for label, name in scores.columns.items()}
    columns = []
    for column in roles.of("probability", "score"):
        name = column.facts.name
        label = of_classes.get(name)
        if label is not None and label != positive:
            continue
        named = label_in_name(name, labels)
        if named not in (None, label_text(positive)):
            continue
        columns.append(column)
    return sorted(
        columns,
        key=lambda column: (
            column.facts.is_rising,
            not column.roles[0].is_named,
            not column.has("probability"),
        ),
    )


def _several_classes(cases: _Cases) -> Iterator[tuple[_Base, str]]:
    """Yield what may be assessed with three classes or more."""
    order = cases.roles.order
    is_worded = bool(order) and isinstance(order[0], str)
    ordered = ("--order", _joined([label_text(label) for label in order])) if order else ()
    bases = []
    for scores in cases.roles.class_scores[:2]:
        if {*scores.columns} == {*cases.labels} and '"' not in "".join(scores.columns.values()):
            words = ("--class-scores", _class_scores(scores))
            columns = tuple(_facts(cases.roles, name) for name in scores.columns.values())
            bases.append(
                (_Base(words, columns), f"true labels in {cases.truth.name}, a score column for each class")
            )
    bases += _scores_in_one(cases)
    bases += _predictions(cases)
    for base, reason in bases:
        with_order = (_Base((*base.words, *ordered), base.columns), f"{reason}; classes in their order")
        if is_worded:
            yield with_order
        yield base, reason
        if ordered and not is_worded:
            yield with_order


def _facts(roles: Roles, name: str) -> ColumnFacts:
    return next(column.facts for column in roles.columns if column.facts.name == name)


def _class_scores(scores: ClassScores) -> str:
    return ",".join(f"{_listed(label_text(label))}={_listed(name)}" for label, name in scores.columns.items())


def _joined(names: Sequence[str]) -> str:
    return ",".join(map(_listed, names))


def _listed(name: str) -> str:
    """Return a name as lists of names take it.

    >>> _listed("p"), _listed("a, b")
    ('p', '"a, b"')
    """
    return f'"{name}"' if {*name} & {*",=:"} or name != name.strip() else name


def _comparisons(cases: _Cases) -> Iterator[SuggestedCommand]:
    """Yield comparisons of several models."""
    roles = cases.roles
    if len(cases.labels) == 2:
        columns = [column for column in scores_of_positive(roles) if column.facts.can_be_listed]
        named = [column for column in columns if column.roles[0].is_named]
        models = (named if len(named) > 1 else columns)[:MAX_MODELS]
        if len(models) > 1 and len({column.roles[0].name for column in models}) == 1:
            yield from _comparison(cases, "--scores", models)
    elif len(roles.class_scores) > 1 and all(scores.stem for scores in roles.class_scores):
        words: list[str] = []
        facts: list[ColumnFacts] = []
        for scores in roles.class_scores[:MAX_MODELS]:
            words += ["--class-scores", f"{_listed(scores.stem)}:{_class_scores(scores)}"]
            facts += [_facts(roles, name) for name in scores.columns.values()]
        reason = f"models {some([scores.stem for scores in roles.class_scores])} on the same cases"
        base = _Base(tuple(words), tuple(facts))
        if cases.has_all_labels(base):
            yield SuggestedCommand(cases.command("compare", base), reason)
    predictions = [column for column in roles.of("prediction") if column.facts.can_be_listed][:MAX_MODELS]
    if len(predictions) > 1:
        yield from _comparison(cases, "--predictions", predictions)


def _comparison(cases: _Cases, option: str, models: Sequence[RoledColumn]) -> Iterator[SuggestedCommand]:
    names = [column.facts.name for column in models]
    base = _Base((option, _joined(names), *cases.positive), tuple(column.facts for column in models))
    if cases.has_all_labels(base):
        yield SuggestedCommand(cases.command("compare", base), f"models {some(names)} on the same cases")


def _parts(cases: _Cases, base: _Base) -> Iterator[SuggestedCommand]:
    """Yield the first assessment by groups and over time."""
    used = {cases.truth.name, *(column.name for column in base.columns)}
    groups = [column for column in cases.roles.of("group") if column.facts.name not in used]
    groups = [
        column for column in groups if len(column.facts.values) <= MAX_GROUPS and column.facts.can_be_listed
    ]
    groups.sort(key=lambda column: (not column.roles[0].is_named, bool(column.facts.n_missing)))
    if groups:
        group = groups[0].facts
        reason = f"the same by groups of {group.name}"
        yield cases.assess(base, reason, "--by", _listed(group.name), is_group_missing=group.has_missing)
    for column in cases.roles.of("time"):
        period = None if column.facts.has_missing else cases.left(base, column.facts).period
        if period is None:
            continue
        more = ["--date-format", column.facts.date_format] if column.facts.date_format else []
        name = column.facts.name
        yield cases.assess(base, f"the same over {period}s of {name}", "--time", name, "--per", period, *more)
        break
