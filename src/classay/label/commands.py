"""`classay label`: which cases to label; `classay assess --design`: what their labels show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from classay.cli import options
from classay.cli.failures import end_with, guarded, one_line_warnings
from classay.cli.given import FILES_READ, FORMS, READING, refuse_others
from classay.cli.lists import columns_of, names_in
from classay.cli.options import METHOD, OUTPUT, FileOptions, Text, column_option
from classay.cli.outputs import OutputOptions, Rendering, data_of, show_saved, waiting
from classay.errors import InputError, MergeError
from classay.files.sheets import as_csv, plain_text, with_texts
from classay.files.writing import SAVED, clash, refuse_unwritable, write_bytes
from classay.kinds import Alternative
from classay.label.lists import ENDING, ROW, refuse_lost_labels

if TYPE_CHECKING:
    import pyarrow as pa

    from classay.cli.model_options import Sources
    from classay.cli.options import Showing
    from classay.cli.row_options import HowToAssess, RowOptions
    from classay.comparison.comparisons import Comparisons
    from classay.label.planning import LabelPlan
    from classay.report.document import Document, Section

EXAMPLE = "Example: classay label pool.csv --score p --budget 300 --out to_label.csv"


@dataclass(frozen=True)
class OfList(OutputOptions):
    """Outputs of a plan: also the list of cases to label."""

    out: Annotated[
        Text,
        typer.Option(
            "--out",
            metavar="CSV",
            help="Write the list of cases to label, and its plan as .plan.json. The estimate needs the plan.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    blind: Annotated[
        bool,
        typer.Option("--blind", help="Leave scores and strata out of the list.", rich_help_panel=OUTPUT),
    ] = False

    @property
    def plan_path(self) -> str:
        """The file of the plan."""
        return str(Path(str(self.out)).with_suffix(ENDING))

    def refuse(self, *sources: str | None) -> None:
        """Refuse outputs that cannot be written, or that would replace an input."""
        self.refuse_unwritable(*sources)
        if self.out is None:
            if self.blind:
                raise InputError("--blind has no effect without a list. Use --out too.")
            return
        files = [self.out, self.plan_path]
        for path in files:
            refuse_unwritable(path)
        others = [path for path in self.paths.values() if path != "-"]
        read = (*sources, *FILES_READ.get())
        replaced = clash([*files, *others], [source for source in read if source not in (None, "-")])
        if replaced is not None:
            raise InputError(
                f"--out would overwrite {replaced or 'another output'} ({', '.join(files)}). Choose another file."
            )


@dataclass(frozen=True)
class MoreLabels:
    """The first list with its labels, where more cases are drawn."""

    after: Annotated[
        Text,
        typer.Option(
            metavar="CSV",
            help="The list with its labels. Draws more cases from the same strata. Use it with --design and --truth.",
            rich_help_panel=METHOD,
        ),
    ] = None
    plan: Annotated[
        Text,
        typer.Option(
            "--design",
            metavar="JSON",
            help="Plan (.plan.json) of the list in --after.",
            rich_help_panel=METHOD,
        ),
    ] = None
    truth: Annotated[Text, column_option("Labels in the list of --after.")] = None
    positive: options.Positive = None

    @property
    def is_named(self) -> bool:
        """Check whether more cases are drawn. Raises InputError where only a part of it is named."""
        named = {"--after": self.after, "--design": self.plan, "--truth": self.truth}
        lacking = [option for option, value in named.items() if value is None]
        if len(lacking) == 3 and self.positive:
            raise InputError("--positive needs labels. Use --after, --design and --truth too.")
        if 0 < len(lacking) < 3:
            raise InputError(f"More labels need {' and '.join(lacking)}. Use --after, --design and --truth.")
        return not lacking


@dataclass(frozen=True)
class Aims:
    """What the plan aims at."""

    measures: Annotated[
        Text,
        typer.Option(
            metavar="A,B,…",
            help="Measures to aim at: recall, precision, f1, prevalence. Default: recall,precision,f1.",
            rich_help_panel=METHOD,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Predict positive at scores of at least this value. Default: 0.5.",
            rich_help_panel=METHOD,
        ),
    ] = None
    prevalence: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Share of positives, if known.", rich_help_panel=METHOD),
    ] = None
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Half-width at which labeling may stop before the budget. Intervals are then wider.",
            rich_help_panel=METHOD,
        ),
    ] = None
    level: options.Level = 0.95

    def arguments(self) -> dict[str, Any]:
        """Return those that were given, by the names in Python."""
        named = {
            "measures": names_in(self.measures, "--measures") or None,
            "threshold": self.threshold,
            "prevalence": self.prevalence,
            "half_width": self.half_width,
            "level": self.level,
        }
        return {name: value for name, value in named.items() if value is not None}


@guarded
def label(
    file: options.File,
    *,
    score: options.Score = None,
    scores: Annotated[
        Text, column_option("Two columns of scores, A,B: plans for the difference of both models.")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of cases to label.", rich_help_panel=METHOD),
    ] = None,
    aims: Aims,
    more: MoreLabels,
    seed: options.Seed = 0,
    reading: FileOptions,
    outputs: OfList,
) -> None:
    """Choose the cases to label for narrow confidence intervals of recall, precision, or F1."""
    from classay.label.planning import plan_labels, refuse_other_plan, write_plan

    outputs.refuse(file, more.after, more.plan)
    names = names_in(scores, "--scores") or ([] if score is None else [score])
    if score is not None and scores is not None:
        raise InputError("--score and --scores cannot be combined. Remove one of the two.")
    if not names:
        raise InputError(f"Name the column of --score. {columns_of(file, reading)}")
    if budget is None:
        raise InputError("The number of cases to label is missing. Use --budget N.")
    with waiting("reading"):
        table = reading.table(file, names)
    pool_scores: Any = table[names[0]] if scores is None else {name: table[name] for name in names}
    with waiting("planning"), one_line_warnings():
        if more.is_named:
            named = [name for name, value in aims.arguments().items() if name != "level" or value != 0.95]
            if named:
                option = named[0].replace("_", "-")
                raise InputError(
                    f"--{option} cannot be combined with --after. The plan sets the {option.replace('-', ' ')}. "
                    f"Remove --{option}."
                )
            plan, labeled = _more(pool_scores, budget, seed, more, reading)
        else:
            plan, labeled = plan_labels(pool_scores, budget=budget, seed=seed, **aims.arguments()), None
    if outputs.out is not None:
        with waiting("writing"):
            columns = reading.column_names(file)
            pool = reading.table(file, columns, labels=columns)
            content = _listed(plan, pool, labeled, names if outputs.blind else [])
        refuse_lost_labels(outputs.out, content, pool)
        if not Path(outputs.out).expanduser().is_file():  # whose labels would need the former plan
            refuse_other_plan(outputs.plan_path, plan)
        write_bytes(outputs.out, content)
        write_plan(outputs.plan_path, plan)
    outputs.deliver(_rendering(plan, data_of([file]), outputs, more.truth))


def _rendering(plan: LabelPlan, data: str, outputs: OfList, truth: str | None) -> Rendering:
    """Return the plan in every form, whose next steps name the files that were written."""
    rendering = Rendering.of(plan, data)
    if outputs.out is None or rendering.pages is None:
        return rendering
    from classay.label.results import steps

    section = steps(plan, outputs.out, outputs.plan_path, truth or "COL")
    return _with_section(rendering, section, lambda: plan.document().on(data))


def _with_section(rendering: Rendering, section: Section, document: Callable[[], Document]) -> Rendering:
    """Return a rendering with another section of this title in every form."""

    def named(page: Document) -> Document:
        sections = [section if one.title == section.title else one for one in page.sections]
        return replace(page, sections=tuple(sections))

    pages = None if rendering.pages is None else rendering.pages.changed(named)
    return replace(rendering, shown=lambda: named(document()), pages=pages)


def _more(
    scores: Any, budget: int, seed: int, more: MoreLabels, reading: FileOptions
) -> tuple[LabelPlan, pa.Table]:
    """Return the plan with more cases, and the list of the first ones with their labels."""
    from classay.assessment.parts import Sampling
    from classay.label.labeled import LabeledAssessment
    from classay.label.planning import LabelPlan
    from classay.label.rows import ReadLabels, matched_labels

    first = LabelPlan.load(str(more.plan))
    after, truth = str(more.after), str(more.truth)
    known = reading.column_names(after)
    table = reading.table(after, known, known, [truth], [more.positive], ROW)
    read = ReadLabels.of(table[truth], more.positive, None)
    matched = matched_labels(first, read, None, table[ROW] if ROW in known else None, None)
    a = LabeledAssessment(Sampling(design=first), matched, first.level, is_finite=True)
    return a.more(scores, budget=budget, seed=seed), with_texts(table, plain_text)


def _listed(plan: LabelPlan, pool: pa.Table, labeled: pa.Table | None, hidden: list[str]) -> bytes:
    """Return the list as CSV: the columns of the pool and its rows; of a later draw the earlier list comes first."""
    import numpy as np
    import pyarrow as pa

    begin = plan.rows.size - plan.waves[-1] if labeled is not None else 0
    rows, chance, stratum = (values[begin:] for values in (plan.rows, plan.chance, plan.stratum))
    flat = [
        field.name for field in pool.schema if not pa.types.is_nested(field.type) and field.name not in hidden
    ]
    columns: dict[str, Any] = {ROW: pa.array(rows)}
    columns |= {name: pool[name].take(pa.array(rows)) for name in flat if name != ROW}
    if not hidden:
        columns |= {
            "stratum": pa.array(stratum + 1),
            "chance": pa.array(np.round(chance, 12)),
        }
    table = pa.table(columns)
    if labeled is not None:
        known = [name for name in labeled.column_names if name in table.column_names]
        extra = [name for name in labeled.column_names if name not in table.column_names]
        table = table.select(known)
        for name in extra:
            table = table.append_column(name, pa.nulls(rows.size, pa.string()))
        table = pa.concat_tables([_as_text(labeled.select(table.column_names)), _as_text(table)])
        if "chance" in known and ROW in known:  # that of earlier cases has grown
            now = dict(zip(map(str, plan.rows.tolist()), np.round(plan.chance, 12).tolist(), strict=True))
            chances = pa.array([now.get(row) for row in table[ROW].to_pylist()])
            table = table.set_column(table.column_names.index("chance"), "chance", chances)
    return as_csv(table)


def _as_text(table: pa.Table) -> pa.Table:
    """Return a table with all columns as texts, because the lists of two draws may have other types."""
    import pyarrow as pa

    return pa.table({name: table[name].cast(pa.string()) for name in table.column_names})


Design = Annotated[
    Text,
    typer.Option(
        metavar="JSON",
        help="Plan of the labels (.plan.json), from `classay label`. The measures describe all cases of the pool. "
        "Use `flagged` if only predicted positive cases have labels.",
        rich_help_panel=METHOD,
    ),
]


def design_of(name: str) -> LabelPlan | Literal["flagged"]:
    """Return the plan in a file, or the word for labels that others chose."""
    from classay.label.planning import LabelPlan

    return "flagged" if name == "flagged" else LabelPlan.load(name)


@dataclass(frozen=True)
class DesignOptions:
    """The plan by which cases with a label were drawn."""

    design: Design = None
    unsure: Annotated[
        Text,
        typer.Option(
            metavar="LABEL",
            help="With --design: label that means unsure. These cases count as unlabeled.",
            rich_help_panel=METHOD,
        ),
    ] = None
    known: Annotated[
        Text,
        typer.Option(
            metavar="COL",
            help="With --design: column that is 1 for labels of another process. These count for their own cases only.",
            rich_help_panel=METHOD,
        ),
    ] = None
    uses: ClassVar[frozenset[str]] = frozenset(
        {"file", "truth", "score", "positive", "threshold", "level", "require", "design", "unsure", "known"}
        | {"save", *READING, *FORMS}
    )
    wanted: ClassVar[str] = "the labels with --truth"

    def given(self) -> list[str]:
        """Return the options that were given."""
        named = {"--design": self.design, "--unsure": self.unsure, "--known": self.known}
        return [option for option, value in named.items() if value is not None]

    @property
    def beside(self) -> str:
        """Why other options have no effect."""
        return "with --design"

    def is_named(self, rows: RowOptions) -> bool:
        """Check whether a plan is named. Raises InputError for an option that needs one."""
        if self.design is None and (alone := self.given()):
            raise InputError(f"{alone[0]} needs a plan of labels. Use --design too.")
        return self.design is not None

    def assess(
        self,
        rows: RowOptions,
        showing: Showing,
        require: Sequence[str],
        outputs: OutputOptions,
        how: HowToAssess,
        reference: str | None,
    ) -> None:
        """Assess all cases of the pool from the labels of those that were drawn."""
        from classay.inference.requirements import parse
        from classay.label.doors import assess_flagged
        from classay.label.labeled import assess_labeled, refuse_threshold
        from classay.label.results import more_steps

        for text in require:
            parse(text)
        outputs.refuse_unwritable(rows.path, self.design)
        plan = design_of(str(self.design))
        if plan != "flagged":
            refuse_threshold(plan, how.cutoff)
        if rows.truth is None:
            raise InputError(f"Name the column of --truth. {columns_of(rows.path, rows.reading)}")
        if plan == "flagged" and self.known is not None:
            raise InputError("--known needs a plan of labels. Remove --known.")
        if plan == "flagged" and rows.score is None:
            raise InputError(
                "--design flagged needs the scores of all cases. Name their column with --score."
            )
        columns = rows.reading.column_names(rows.path)
        has_rows = ROW in columns and plan != "flagged"
        marks = [name for name in (self.known, ROW if has_rows else None) if name is not None]
        named = [rows.truth, *([rows.score] if rows.score else []), *marks]
        with waiting("reading"):
            table = rows.reading.table(
                rows.path, named, [rows.truth, *marks], [rows.truth], [rows.positive, self.unsure], ROW
            )
        with waiting("estimating"), one_line_warnings():
            truth, score = table[rows.truth], table[rows.score] if rows.score else None
            if plan == "flagged":
                a = assess_flagged(truth, score, how.cutoff, how.level, rows.positive, self.unsure)
            else:
                a = assess_labeled(
                    truth,
                    score,
                    plan=plan,
                    rows=table[ROW] if has_rows else None,
                    positive=rows.positive,
                    unsure=self.unsure,
                    known=None if self.known is None else table[self.known],
                    level=how.level,
                )
            outcomes = [outcome for text in require for outcome in a.check(text)]
            a = replace(a, outcomes=tuple(outcomes))
        data = data_of([rows.path])
        rendering = Rendering.of(a, data)
        for section in more_steps(a, rows.path, str(self.design), rows.truth):
            rendering = _with_section(rendering, section, lambda: a.document().on(data))
        outputs.deliver(rendering)
        end_with(outcomes)


@dataclass(frozen=True)
class ComparedByDesign:
    """`classay compare --design`: two models from the labels of cases that a plan drew."""

    design: Annotated[
        Text,
        typer.Option(
            metavar="JSON",
            help="Plan of the labels of two models (.plan.json), from `classay label --scores A,B`. `flagged` gives "
            "the ratio of two recalls if only predicted positive cases have labels.",
            rich_help_panel=METHOD,
        ),
    ] = None
    uses: ClassVar[frozenset[str]] = frozenset(
        {*FORMS, *READING}
        | {"files", "truth", "scores", "positive", "alternative", "adjustment", "level", "seed", "design"}
        | {"threshold"}
    )
    beside: ClassVar[str] = "with --design"

    def is_named(self) -> bool:
        """Check whether a plan is named."""
        return self.design is not None

    def answer(
        self, sources: Sources, *, alternative: Alternative, adjustment: str, level: float, seed: int
    ) -> Comparisons:
        """Return the comparisons of both models."""
        from classay.comparison.comparing import compare

        names = names_in(sources.scores, "--scores")
        if len(sources.files) > 1 or len(names) != 2:
            raise InputError("--design compares two columns of scores of one file. Use --scores A,B.")
        if sources.files[0].endswith(SAVED):
            raise InputError(
                f"--design needs the rows of the labels, but {sources.files[0]} is a saved result."
            )
        plan = design_of(str(self.design))
        columns = sources.reading.column_names(sources.files[0])
        rows = [ROW] if ROW in columns else []
        with waiting("reading"):
            labels = [sources.truth, *rows]
            table = sources.reading.table(
                sources.files[0], [*labels, *names], labels, labels[:1], [sources.positive], ROW
            )
        with waiting("comparing"):
            return compare(  # type: ignore[call-arg]
                table,
                truth=sources.truth,
                scores=names,
                positive=sources.typed_positive(table),
                threshold=sources.thresholds(),
                design=plan,
                alternative=alternative,
                adjustment=adjustment,
                level=level,
                seed=seed,
            )


def show_again(file: str, measures: str | None, outputs: OutputOptions) -> None:
    """Show a saved assessment from labels."""
    from classay.label.labeled import LabeledAssessment

    show_saved(LabeledAssessment.load(file), "an assessment from labels", file, measures, outputs)


def merge_labeled(
    context: typer.Context, files: Sequence[str], require: Sequence[str], outputs: OutputOptions
) -> None:
    """Put saved assessments from labels together, of one plan or of different pools."""
    from classay.label.labeled import LabeledAssessment

    refuse_others(context, {"files", "require", "save", *FORMS}, "with assessments from labels")
    first, *others = (LabeledAssessment.load(file) for file in files)
    try:
        a = sum(others, start=first)
    except MergeError as error:
        raise MergeError(f"The files cannot be merged. {error}") from error
    outcomes = [outcome for text in require for outcome in a.check(text)]
    outputs.deliver(Rendering.of(replace(a, outcomes=tuple(outcomes)), data_of(files)))
    end_with(outcomes)
