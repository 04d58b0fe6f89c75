"""`classay grades`: logs of evaluations of language models, and tables of grades."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from classay.answers import Unanswered
from classay.cli import options
from classay.cli.failures import end_with, guarded, one_line_warnings
from classay.cli.given import FORMS, READING, OfWay, refuse_others
from classay.cli.lists import bounds_in, names_in, pairs_in
from classay.cli.options import COLUMNS, METHOD, FileOptions, Text, column_option
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.errors import InputError, nearest
from classay.inference.requirements import refuse_whole_range
from classay.texts import cut, some
from classay.wings import way

if TYPE_CHECKING:
    import pyarrow as pa

    from classay.cli.commands.gate import Demand
    from classay.cli.model_options import Sources
    from classay.cli.options import Estimating
    from classay.comparison.comparisons import Comparisons
    from classay.comparison.gate_rules import Gate
    from classay.grades.assessing import GradesAssessment
    from classay.grades.reading import GradedRuns
    from classay.grades.tables import GradeColumns
    from classay.inference.requirements import Outcome
    from classay.report.document import Document

EXAMPLE = "Example: classay grades new.eval old.eval --grade match"
GRADE = "Grade"
FACTS_OF_GATE = ("grade", "cases", "answers", "clusters of cases", "targets")
OF_ONE_RUN = "For one run use `classay grades FILE --require 'grade.low >= 0.7'`."
MOST_K = 1_000_000
HUMAN_ROLES = ("case", "label", "repeat", "run")
USES_OF_HUMAN = frozenset(
    {"human", "human_columns", "grade", "filter", "map", "task", "bounds", "case", "model", "repeat"}
    | {"target", "by", "cluster", "require", "level", *FORMS, *READING}
)
"""The options of `classay grades` that have a meaning beside human labels."""
GroupWeight = Literal["equal", "cases"]


@dataclass(frozen=True)
class GradeNames:
    """Which grade of the logs, and which number it is."""

    grade: Annotated[
        Text,
        typer.Option(metavar="NAME", help="Scorer, metric or column with the grades.", rich_help_panel=GRADE),
    ] = None
    filter: Annotated[
        Text,
        typer.Option(
            metavar="NAME", help="Filter of answers, if an lm-eval log has several.", rich_help_panel=GRADE
        ),
    ] = None
    map: Annotated[
        Text,
        typer.Option(
            metavar="GRADE=X,…",
            help="Number of every grade, such as C=1,P=0.5,I=0. Grades without a number are refused.",
            rich_help_panel=GRADE,
        ),
    ] = None

    @property
    def numbers(self) -> dict[str, float] | None:
        """The number of each grade. Raises InputError for what is none."""
        if self.map is None:
            return None
        numbers = {}
        for grade, text in pairs_in(self.map, "--map", "C=1,I=0"):
            try:
                numbers[grade] = float(text)
            except ValueError as error:
                raise InputError(
                    f"--map gives {cut(repr(text), 40)} to the grade {cut(repr(grade), 40)}. Use a number, such as "
                    f"{cut(grade, 40)}=0.5."
                ) from error
        return numbers


@dataclass(frozen=True)
class GradeOptions(GradeNames):
    """The same with the task and the range of grades."""

    task: Annotated[
        Text,
        typer.Option(metavar="NAME", help="Task, if the logs have several tasks.", rich_help_panel=GRADE),
    ] = None
    bounds: Annotated[
        Text,
        typer.Option(metavar="LOW,HIGH", help="Lowest and highest possible grade.", rich_help_panel=GRADE),
    ] = None


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table of grades, a row for each answer."""

    case: Annotated[Text, column_option("Case of every row, such as a question.")] = None
    model: Annotated[Text, column_option("Model of every row. Without --model, each file is one run.")] = None
    repeat: Annotated[
        Text, column_option("Number of an answer among those to its case, such as the epoch.")
    ] = None
    target: Annotated[Text, column_option("Reference answer, which must be the same in all runs.")] = None

    def columns(self, *groups: str) -> GradeColumns:
        """Return the columns as Python names them, with those of groups and clusters."""
        from classay.grades.tables import GradeColumns

        return GradeColumns(self.case, self.model, self.repeat, self.target, tuple(dict.fromkeys(groups)))


@dataclass(frozen=True)
class GradeGroups:
    """The groups and clusters of the cases, and what is shown of several answers."""

    by: Annotated[
        Text,
        column_option(
            "Groups of cases, such as categories or subtasks. Runs are compared in every group too."
        ),
    ] = None
    cluster: Annotated[
        Text,
        typer.Option(
            metavar="COL,…",
            help="Clusters of cases, such as passages. All answers to a case are in the same cluster.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    group_weight: Annotated[
        GroupWeight,
        typer.Option(
            help="How groups count in the mean of their means: equally, or by their numbers of cases.",
            rich_help_panel=METHOD,
        ),
    ] = "equal"
    pass_k: Annotated[
        Text,
        typer.Option(
            metavar="K,…",
            help="Numbers of answers of pass@k and pass^k. Default: 2, and the number of answers that every case has.",
            rich_help_panel=METHOD,
        ),
    ] = None

    @property
    def clusters(self) -> list[str]:
        """The columns of clusters."""
        return names_in(self.cluster, "--cluster")

    @property
    def names(self) -> list[str]:
        """All columns of groups and clusters."""
        return [*([] if self.by is None else [self.by]), *self.clusters]

    @property
    def numbers(self) -> list[int] | None:
        """The numbers of answers. Raises InputError for other texts."""
        if self.pass_k is None:
            return None
        texts = names_in(self.pass_k, "--pass-k")
        if not all(text.isdecimal() and 0 < int(text) < MOST_K for text in texts):
            raise InputError(
                f"--pass-k must be whole numbers from 1, such as 1,5, but is {cut(repr(self.pass_k), 40)}."
            )
        return [int(text) for text in texts]


@dataclass(frozen=True)
class GradeMethod:
    """What is required, how answers without a grade count, the level and the seed."""

    require: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Requirement on one run, such as 'grade.low >= 0.7' or 'pass@2.low >= 0.8'. Exit code 1 if it fails. "
            "Repeatable.",
            rich_help_panel=METHOD,
        ),
    ] = None
    unanswered: Annotated[
        Unanswered,
        typer.Option(
            help="How to handle answers without a grade, and cases of some runs only. wrong counts them as the worst "
            "grade. drop excludes them.",
            rich_help_panel=METHOD,
        ),
    ] = "refuse"
    level: options.Level = 0.95
    seed: options.Seed = 0

    @property
    def policy(self) -> dict[str, Any]:
        """The arguments of `assess_grades`."""
        return {"unanswered": self.unanswered, "level": self.level, "seed": self.seed}


@dataclass(frozen=True)
class HumanLabels:
    """A file of human labels of some answers, by which the grades are corrected."""

    human: Annotated[
        Text,
        typer.Option(
            metavar="FILE",
            help="File of human labels, with one row per labeled answer. The labels correct the mean and give the "
            "accuracy of the grades.",
            rich_help_panel=GRADE,
        ),
        OfWay("grades.human"),
    ] = None
    human_columns: Annotated[
        Text,
        typer.Option(
            metavar="ROLE=COL,…",
            help="Columns of --human, such as case=id,label=passed,repeat=epoch,run=model. Default: columns named "
            "case and label, repeat if the file has it, and run for several runs.",
            rich_help_panel=GRADE,
        ),
        OfWay("grades.human"),
    ] = None

    def columns(self, known: Sequence[str], *, several: bool) -> tuple[GradeColumns, str]:
        """Return the columns of the file, and that of the labels; `several` runs need the column of runs."""
        from classay.grades.tables import GradeColumns

        roles: dict[str, str] = {}
        if self.human_columns is not None:
            roles |= pairs_in(self.human_columns, "--human-columns", "case=id,label=passed")
        if odd := roles.keys() - {*HUMAN_ROLES}:
            raise InputError(
                f"--human-columns has no role {cut(repr(min(odd)), 40)}. Roles: {', '.join(HUMAN_ROLES)}."
            )
        optional = {"repeat", *(["run"] if several else [])}.intersection(known)
        names = {
            role: roles.get(role, role if role in {"case", "label"} | optional else None)
            for role in HUMAN_ROLES
        }
        lacking = [name for name in names.values() if name is not None and name not in known]
        if lacking:
            role = next(role for role in HUMAN_ROLES if names[role] == lacking[0])
            raise InputError(
                f"{os.path.basename(str(self.human))} has no column {cut(repr(lacking[0]), 40)} ({role}). Columns: "
                f"{some(known)}. Name it: --human-columns {role}=COL."
            )
        return GradeColumns(names["case"], names["run"], names["repeat"]), str(names["label"])


@guarded
def grades(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="Logs of Inspect, lm-eval, promptfoo, deepeval or MLflow, folders of them, or tables of grades.",
        ),
    ],
    *,
    choice: GradeOptions,
    columns: TableColumns,
    groups: GradeGroups,
    labels: HumanLabels,
    method: GradeMethod,
    reading: FileOptions,
    outputs: OutputOptions,
) -> None:
    """Assess existing grades of one run, or compare runs on the same cases."""
    from classay.grades.assessing import GradesAssessment, assess_grades
    from classay.grades.reading import graded_runs, read_runs
    from classay.grades.required import demands_in, outcomes_of, passes_of
    from classay.grades.tables import TableReading

    if labels.human is not None:
        refuse_others(context, USES_OF_HUMAN, "with --human")
    elif labels.human_columns is not None:
        raise InputError("--human-columns needs human labels. Use --human FILE.")
    demands = demands_in(method.require or ()) if labels.human is None else []
    outputs.refuse_unwritable(*files, *([] if labels.human is None else [labels.human]))
    with waiting("reading"), one_line_warnings():
        runs = graded_runs(
            read_runs(files, columns.columns(*groups.names), choice.grade, TableReading(**reading.arguments)),
            grade=choice.grade,
            filter=choice.filter,
            task=choice.task,
            map=choice.numbers,
            bounds=bounds_in(choice.bounds),
        )
    if labels.human is not None:
        _correct(runs, labels, choice, groups, method, reading, outputs)
        return
    if demands and len(runs.runs) > 1:
        raise InputError(
            f"--require is for one run, but there are {len(runs.runs):,}. For two runs, use `classay gate` with "
            "--require."
        )
    pass_k = groups.numbers
    if demanded := passes_of(demands):
        pass_k = [*(pass_k or ()), *demanded]
    with waiting("comparing"), one_line_warnings():
        result = assess_grades(
            runs,
            by=groups.by,
            cluster=groups.clusters or None,
            pass_k=pass_k,
            group_weight=groups.group_weight,
            **method.policy,
        )
    if not demands or not isinstance(result, GradesAssessment):
        outputs.deliver(Rendering.of(result, data_of(files)))
        return
    outcomes = outcomes_of(demands, result)
    outputs.deliver(rendering_of(result, outcomes, data_of(files)))
    end_with(outcomes)


def _correct(
    runs: GradedRuns,
    labels: HumanLabels,
    choice: GradeOptions,
    groups: GradeGroups,
    method: GradeMethod,
    reading: FileOptions,
    outputs: OutputOptions,
) -> None:
    """Correct the grades by human labels, and write every output asked for."""
    from classay.grades.tables import TableReading
    from classay.inference.requirements import check, parse

    for text in method.require or ():
        parse(text)
    path = str(labels.human)
    columns, label = labels.columns(reading.column_names(path), several=len(runs.runs) > 1)
    with waiting("estimating"), one_line_warnings():
        result = way("grades.human")(
            runs,
            path,
            columns,
            label,
            TableReading(**reading.arguments),
            map=choice.numbers,
            by=groups.by,
            cluster=groups.clusters,
            level=method.level,
        )
        outcomes = [outcome for text in method.require or () for outcome in check(text, result.__getitem__)]
    files = [*dict.fromkeys(run.file for run in runs.runs)]
    outputs.deliver(Rendering.of(replace(result, outcomes=tuple(outcomes)), data_of(files)))
    end_with(outcomes)


def rendering_of(result: GradesAssessment, outcomes: list[Outcome], data: str) -> Rendering:
    """Return the result in every form, with how requirements came out."""
    from classay.grades.results import as_dict
    from classay.report.forms import Pages
    from classay.report.results.parts import json_text, with_requirements

    def demanded() -> Document:
        return with_requirements(result.document().on(data), outcomes)

    return replace(
        Rendering.of(result, data),
        json=lambda: json_text(as_dict(result, outcomes)),
        pages=Pages.alike(demanded),
    )


@dataclass(frozen=True)
class GatedGrades(GradeNames, TableColumns):
    """`classay gate` of two runs with grades."""

    new_run: Annotated[
        Text,
        typer.Option(metavar="NAME", help="The new run, if one file has both runs.", rich_help_panel=GRADE),
    ] = None
    uses: ClassVar[frozenset[str]] = frozenset()
    uses_of_gate: ClassVar[frozenset[str]] = frozenset(
        {"grade", "filter", "map", "case", "model", "repeat", "target", "new_run"}
        | {"bounds", "rule", "margin", "inconclusive", "require", "by", "cluster", "unanswered"}
        | {"level", "seed", "config", *FORMS, *READING}
    )
    measure: ClassVar[str | None] = "grade"
    beside: ClassVar[str] = "with grades of runs (--grade, or logs of evaluations)"

    def given(self) -> list[str]:
        """Return no option, because none is about labels of cases."""
        return []

    @property
    def is_named(self) -> bool:
        """Whether an option of grades was given."""
        return any(value is not None for value in asdict(self).values())

    @property
    def models_named(self) -> int:
        """Two if an option of grades was given: one file may have several runs."""
        return 2 * self.is_named

    def reads(self, files: Sequence[str]) -> bool:
        """Check whether a file is a log of a known tool. Raises InputError for one log without further options."""
        from classay.grades.log_formats import recognized

        is_log = any(recognized(file) is not None for file in files if os.path.isfile(file))
        if is_log and len(files) == 1:
            raise InputError(
                f"A gate needs two runs, but there is one log. Use `classay gate NEW OLD`, or --new-run NAME if the "
                f"log has both. {OF_ONE_RUN}"
            )
        return is_log

    def compare(self, sources: Sources, measures: str | None, *how: Any) -> Comparisons:
        """Refuse: `classay grades` compares runs."""
        raise InputError("This command does not compare runs of grades. Use `classay grades NEW OLD`.")

    def gate(self, sources: Sources, demand: Demand, estimating: Estimating) -> tuple[Gate, list[Outcome]]:
        """Return the gate of two runs, and how requirements on the first come out."""
        from classay.comparison.comparisons import Comparisons, gate
        from classay.comparison.gate_rules import interval_level
        from classay.grades.assessing import GradesAssessment, assess_grades
        from classay.grades.reading import graded_runs, read_runs
        from classay.grades.required import demands_in, outcomes_of, passes_of
        from classay.grades.tables import TableReading

        demands = demands_in(demand.require)
        clusters = names_in(sources.roles.cluster, "--cluster")
        groups = names_in(demand.by, "--by")
        if len(groups) > 1:
            raise InputError(
                f"--by names {len(groups)} columns. Use one column of groups with grades of runs."
            )
        with waiting("reading"), one_line_warnings():
            runs = graded_runs(
                read_runs(
                    sources.files,
                    self.columns(*groups, *clusters),
                    self.grade,
                    TableReading(**sources.reading.arguments),
                ),
                grade=self.grade,
                filter=self.filter,
                task=None,
                map=self.numbers,
                bounds=None if demand.values is None else bounds_in(demand.values.bounds),
            )
        runs = self._new_first(runs)
        how: dict[str, Any] = {
            "by": groups[0] if groups else None,
            "cluster": clusters or None,
            "unanswered": estimating.policy.unanswered,
        }
        with waiting("comparing"), one_line_warnings():
            level = interval_level(demand.rule, estimating.level)
            comparisons = assess_grades(runs, level=level, seed=estimating.seed, **how)
            assert isinstance(comparisons, Comparisons)
            if (bounds := runs.runs[0].mapped.bounds) is not None:
                refuse_whole_range("margin", demand.margin, runs.runs[0].grade, *bounds)
            ruling = gate(comparisons, demand.rule, demand.margin)
            facts = tuple(fact for fact in comparisons.facts if fact[0] in FACTS_OF_GATE)
            ruling = replace(ruling, facts=(*facts, *ruling.facts))
            if not demands:
                return ruling, []
            first = replace(runs, runs=runs.runs[:1])
            passing = passes_of(demands) or None
            assessed = assess_grades(first, pass_k=passing, level=estimating.level, **how)
        assert isinstance(assessed, GradesAssessment)
        return ruling, outcomes_of(demands, assessed)

    def _new_first(self, runs: GradedRuns) -> GradedRuns:
        """Return the two runs, the new one first. Raises InputError for other numbers, and where it is not known."""
        if len(runs.runs) == 1:
            raise InputError(
                f"A gate needs two runs, but there is one, {runs.names[0]}. Use `classay gate NEW OLD`. {OF_ONE_RUN}"
            )
        if len(runs.runs) != 2:
            raise InputError(
                f"A gate needs two runs, but there are {len(runs.runs):,}: {some(runs.names)}. Use "
                "`classay gate NEW OLD`."
            )
        if self.new_run is None:
            if len({run.file for run in runs.runs}) == 1:
                raise InputError(
                    f"One file has both runs, {' and '.join(runs.names)}. Name the new one with --new-run."
                )
            return runs
        if self.new_run not in runs.names:
            near = nearest(self.new_run, runs.names) or "."
            raise InputError(f"No run is named {cut(repr(self.new_run), 60)}. Runs: {some(runs.names)}{near}")
        return replace(runs, runs=tuple(sorted(runs.runs, key=lambda run: run.name != self.new_run)))


def values_of_files(
    sources: Sources,
    values: Sequence[str],
    described: Sequence[str],
    ids: Sequence[str],
    labels: Sequence[str],
) -> tuple[list[str], pa.Table]:
    """Return the models of `compare --graded` with a file for each, and one table with the values of each."""
    from classay.cli.model_options import names_of
    from classay.grades.values_of_files import joined_values

    return joined_values(sources, names_of(sources.files), values, described, ids, labels)
