"""`classay judge`: grades of a judge, corrected by human labels."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from classay.assessment.drawn import refuse_list
from classay.cli import options
from classay.cli.failures import end_with, guarded, one_line_warnings
from classay.cli.lists import bounds_in, columns_of, pairs_in
from classay.cli.options import METHOD, FileOptions, Text, column_option
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.columns import code_labels
from classay.columns.labels import positive_among
from classay.columns.values import listing
from classay.errors import InputError
from classay.inference.requirements import Outcome, Requirement, outcome, parse, refuse_beyond
from classay.judge.comparing import JudgedSystems, compare_judged
from classay.judge.elsewhere import TrueShare, rogan_gladen
from classay.judge.judging import Judged, judged
from classay.judge.systems import refuse_shared
from classay.texts import cut, listed
from classay.wings import way

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLE = "Example: classay judge judged.csv --human human --judge judge"
OF_ONE = ("second", "prediction")
"""Columns that only one judge has."""
PYTHON = {"prediction": "y_pred", "model": "system"}
"""Names of columns in Python, where they differ."""


@dataclass(frozen=True)
class JudgedFile:
    """The columns of a file of judged cases."""

    human: Annotated[
        Text,
        column_option(
            "Human labels, empty for cases without one. For several systems, name a column for each, such as "
            "new=human_new,old=human_old."
        ),
    ] = None
    judge: Annotated[
        Text,
        column_option(
            "Grades of the judge. For several systems, name a column for each, such as new=judge_new,old=judge_old."
        ),
    ] = None
    model: Annotated[Text, column_option("System of every row, if a row is one answer.")] = None
    id: Annotated[Text, column_option("Case of every row, to compare systems on the same cases.")] = None
    second: Annotated[
        Text, column_option("Second human labels, to estimate the agreement of both humans.")
    ] = None
    prediction: Annotated[
        Text, column_option("Predicted labels to assess, if the judge replaces true labels.")
    ] = None
    by: Annotated[Text, column_option("Groups.")] = None
    cluster: Annotated[
        Text, column_option("Clusters of dependent cases, such as the answers to a question.")
    ] = None
    chance: Annotated[Text, column_option("Chance with which a case with a human label was drawn.")] = None
    stratum: Annotated[Text, column_option("Strata within which cases for human labels were drawn.")] = None
    time: Annotated[Text, column_option("Times, to test for a drift of the judge.")] = None

    @property
    def is_of_systems(self) -> bool:
        """Check whether several systems are compared."""
        return self.model is not None or any(
            "=" in text for text in (self.human, self.judge) if text is not None
        )

    @property
    def named(self) -> dict[str, str]:
        """The columns by their roles. Raises InputError for those of one judge where systems are compared."""
        named = {role: name for role, name in asdict(self).items() if name is not None}
        if self.is_of_systems:
            idle = [role for role in named if role in OF_ONE]
            if idle:
                raise InputError(
                    f"{listed([f'--{role}' for role in idle])} cannot be used with systems. Remove it."
                )
        elif self.id is not None:
            raise InputError("--id needs systems. Use --model to name the column of systems.")
        return {role: name for role, name in named.items() if role not in ("human", "judge")}

    def of_systems(self, option: str) -> dict[str, str]:
        """Return the column of each system, or the one column of rows with `--model`, under an empty name."""
        text = str(getattr(self, option))
        if self.model is not None:
            return {"": text}
        return dict(pairs_in(text, f"--{option}", f"new={option}_new,old={option}_old"))

    def read(
        self, file: str, reading: FileOptions, positive: str | None
    ) -> tuple[pa.Table, dict[str, str], dict[str, str]]:
        """Return the columns of the file, and the names of human and judge columns by system, "" of one."""
        lacking = [f"--{role}" for role in ("human", "judge") if getattr(self, role) is None]
        if lacking:
            raise InputError(f"Name the columns of {listed(lacking)}. {columns_of(file, reading)}")
        human, judge = ({"": str(self.human)}, {"": str(self.judge)})
        if self.is_of_systems:
            human, judge = self.of_systems("human"), self.of_systems("judge")
            refuse_shared(human)
        shared = {*human.values()} & {*judge.values()}
        if shared:
            raise InputError(
                f"--human and --judge name the same column {shared.pop()!r}. Name the human labels and the "
                "judge's grades."
            )
        named = self.named
        wanted = [*dict.fromkeys([*human.values(), *judge.values(), *named.values()])]
        classes = [*human.values(), *(named[role] for role in ("second", "prediction") if role in named)]
        types = dict(reading.columns(file))
        if not all(types.get(name, "").startswith(("int", "double")) for name in human.values()):
            classes += judge.values()  # grades of numbers may be scores, which are no labels
        labels = [*classes, *(name for role, name in named.items() if role != "chance")]
        drawn = self.stratum or self.chance
        refuse_list(file, drawn, reading, "Use the file of all cases with the labels in a column.")
        return reading.table(file, wanted, labels, classes, [positive], drawn), human, judge


@dataclass(frozen=True)
class JudgeMethod:
    """What is estimated, and from which labels."""

    finite: Annotated[
        bool,
        typer.Option(
            "--finite", help="Estimate for these cases only, not for new cases.", rich_help_panel=METHOD
        ),
    ] = False
    bounds: Annotated[
        Text,
        typer.Option(metavar="LOW,HIGH", help="Lowest and highest possible grade.", rich_help_panel=METHOD),
    ] = None
    unsure: Annotated[
        Text,
        typer.Option(
            metavar="LABEL",
            help="Human label that means unsure. These cases count as unlabeled.",
            rich_help_panel=METHOD,
        ),
    ] = None
    sensitivity: Annotated[
        Text,
        typer.Option(
            metavar="X/N",
            help="Sensitivity of the judge on other cases, as counts such as 90/100, instead of --human.",
            rich_help_panel=METHOD,
        ),
    ] = None
    specificity: Annotated[
        Text,
        typer.Option(
            metavar="X/N", help="Specificity of the judge on other cases, as counts.", rich_help_panel=METHOD
        ),
    ] = None
    design: Annotated[
        Text,
        typer.Option(
            metavar="JSON",
            help="Plan of the human labels (.plan.json), from `classay label` with the judge's scores.",
            rich_help_panel=METHOD,
        ),
    ] = None
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Estimate the number of human labels for an interval of this half-width.",
            rich_help_panel=METHOD,
        ),
    ] = None

    @property
    def is_elsewhere(self) -> bool:
        """Check whether the accuracy of the judge comes from other cases."""
        return self.sensitivity is not None or self.specificity is not None

    @property
    def of_labels(self) -> list[str]:
        """The options in use that need human labels."""
        chosen = {"finite": self.finite or None, "bounds": self.bounds, "unsure": self.unsure}
        chosen["design"] = self.design
        return [
            name for name, value in (chosen | {"half-width": self.half_width}).items() if value is not None
        ]

    def counts(self, option: str) -> tuple[int, int]:
        """Return the two counts of an option."""
        text = getattr(self, option)
        hits, slash, cases = str(text or "").partition("/")
        if not slash or not hits.strip().isdecimal() or not cases.strip().isdecimal():
            wrong = "is missing" if text is None else f"{cut(repr(text), 40)} is not two counts"
            raise InputError(f"--{option} {wrong}. Use counts, such as --{option} 90/100.")
        return int(hits), int(cases)


@guarded
def judge(
    file: options.File,
    *,
    columns: JudgedFile,
    positive: options.Positive = None,
    method: JudgeMethod,
    level: options.Level = 0.95,
    require: options.Require = None,
    reading: FileOptions,
    outputs: OutputOptions,
) -> None:
    """Correct a judge's grades with human labels, and estimate the accuracy of grades against human truth."""
    outputs.refuse_unwritable(file)
    demands = [demand for text in require or () for demand in parse(text)]
    if method.is_elsewhere:
        shares = _elsewhere(file, columns, positive, method, level, reading)
        outcomes = _outcomes(demands, shares)
        outputs.deliver(Rendering.of(replace(shares, outcomes=tuple(outcomes)), data_of([file])))
        end_with(outcomes)
        return
    further = columns.named
    with waiting("reading"):
        table, human, judge = columns.read(file, reading, positive)
    arguments: Any = {PYTHON.get(role, role): table[name] for role, name in further.items()}
    arguments |= {
        "positive": positive,
        "finite": method.finite,
        "bounds": bounds_in(method.bounds),
        "level": level,
    }
    if method.design is not None:
        if columns.is_of_systems:
            raise InputError("--design cannot be used with several systems. Remove --design.")
        arguments["design"] = way("read.design")(method.design)
    with waiting("estimating"), one_line_warnings():
        result: Judged | JudgedSystems
        if columns.is_of_systems:
            result = _of_systems(table, human, judge, method, arguments)
        else:
            result = judged(table[human[""]], table[judge[""]], unsure=method.unsure, **arguments)
            if method.half_width is not None:
                result = result.with_plan(method.half_width)
        outcomes = _outcomes(demands, result)
        result = replace(result, outcomes=tuple(outcomes))
    outputs.deliver(Rendering.of(result, data_of([file])))
    end_with(result.outcomes)


def _outcomes(demands: list[Requirement], result: Judged | JudgedSystems | TrueShare) -> list[Outcome]:
    """Return how requirements come out. Raises InputError for a name or a bound that no result can have."""
    outcomes = [outcome(demand, result[demand.name]) for demand in demands]
    for demand in demands:
        is_mean = isinstance(result, JudgedSystems) and not result.is_share
        if not is_mean and demand.name not in ("mean_grade", "mean"):
            refuse_beyond(demand, -1.0 if demand.name == "difference" else 0.0, 1.0)
    return outcomes


def _of_systems(
    table: pa.Table, human: dict[str, str], judge: dict[str, str], method: JudgeMethod, arguments: Any
) -> JudgedSystems:
    """Return the systems, of a column each or of rows with `--model`."""
    if method.half_width is not None:
        raise InputError(
            "--half-width plans the labels of one system, but several are named. Use it with the rows of one system. "
            "For a difference, use `classay sample-size mcnemar`: labels of the same cases, without a judge."
        )
    arguments["unsure"] = method.unsure
    if "" in human:
        return compare_judged(table[human[""]], table[judge[""]], **arguments)
    of_systems = ({name: table[column] for name, column in named.items()} for named in (human, judge))
    return compare_judged(*of_systems, **arguments)


def _elsewhere(
    file: str,
    columns: JudgedFile,
    positive: str | None,
    method: JudgeMethod,
    level: float,
    reading: FileOptions,
) -> TrueShare:
    """Return the true share by the accuracy that the judge has elsewhere."""
    others = [role for role, name in asdict(columns).items() if name is not None and role != "judge"]
    others += method.of_labels
    if others:
        used = listed([f"--{role}" for role in others])
        raise InputError(
            f"{used} cannot be combined with --sensitivity and --specificity. Remove one of the two."
        )
    if columns.judge is None:
        raise InputError(f"Name the column of --judge. {columns_of(file, reading)}")
    counts = {f"{name}_of": method.counts(name) for name in ("sensitivity", "specificity")}
    with waiting("reading"):
        table = reading.table(file, [columns.judge], [columns.judge], [columns.judge], [positive])
    coded = code_labels(table[columns.judge], "judge")
    label = positive_among(coded.labels, positive)
    if label is None or len(coded.labels) > 2:
        raise InputError(
            f"--judge needs two grades and the positive one. Grades: {listing(coded.labels)}. Use --positive LABEL."
        )
    graded = coded.codes[coded.codes >= 0]
    number = int((graded == coded.labels.index(label)).sum()) if label in coded.labels else 0
    return rogan_gladen(number, graded.size, level=level, **counts)
