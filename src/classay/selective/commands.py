"""`classay decide --guarantee`: what a classifier may decide alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from classay.cli.given import FORMS, READING
from classay.cli.lists import columns_of
from classay.cli.options import COLUMNS, METHOD, Text
from classay.cli.outputs import OutputOptions, Rendering, data_of, waiting
from classay.errors import InputError

if TYPE_CHECKING:
    from classay.cli.commands.decide import DecisionRows, ThresholdOptions
    from classay.cli.options import Estimating


@dataclass(frozen=True)
class Guaranteed:
    """The promise, and the scores of several classes, as texts."""

    guarantee: Annotated[
        Text,
        typer.Option(
            metavar="CONDITION",
            help="Limit that new cases keep at the confidence level, such as 'error_rate <= 0.05' or 'precision >= "
            "0.9'. Finds the cases that the classifier may decide.",
            rich_help_panel=METHOD,
        ),
    ] = None
    class_scores: Annotated[
        Text,
        typer.Option(
            metavar="LABEL=COL,…",
            help="Score column of each class, or a pattern such as 'p_*'. Needs --guarantee.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    each_class: Annotated[
        bool,
        typer.Option(
            "--each-class",
            help="Give each predicted class its own threshold. Needs --guarantee.",
            rich_help_panel=METHOD,
        ),
    ] = False
    uses: ClassVar[frozenset[str]] = frozenset(
        {
            "file",
            "truth",
            "scores",
            "positive",
            "score_scale",
            "task",
            "guarantee",
            "class_scores",
            "each_class",
        }
        | {"maximize", "by", "frequency", "cluster", "weight", "level", "seed", "missing", "unanswered"}
        | {*FORMS, *READING}
    )
    beside: ClassVar[str] = "with --guarantee"

    @property
    def is_named(self) -> bool:
        """Whether a guarantee is asked for. Raises InputError if other options need one."""
        if self.guarantee is not None:
            return True
        for option, value in (("--class-scores", self.class_scores), ("--each-class", self.each_class)):
            if value:
                raise InputError(
                    f"{option} of decide needs --guarantee, such as --guarantee 'error_rate <= 0.05'. Add it."
                )
        return False

    def given(self) -> list[str]:
        """Return the options that say that cases have several labels: none does."""
        return []

    def decide(
        self, source: DecisionRows, wanted: ThresholdOptions, outputs: OutputOptions, estimating: Estimating
    ) -> None:
        """Find the cases to decide alone, and write every output asked for."""
        from classay.cli.row_options import RowOptions
        from classay.selective.demand import Demand
        from classay.selective.guaranteeing import of_predictions, refuse_to_maximize

        assert self.guarantee is not None
        demand = Demand.of(self.guarantee)
        refuse_to_maximize(wanted.maximize, demand)
        if source.truth is None or not (source.scores or self.class_scores):
            raise InputError(
                "--guarantee needs --truth, and --score or --class-scores. Name the columns. "
                f"{columns_of(source.file, source.reading)}"
            )
        source.refuse_several("--guarantee")
        rows = RowOptions(
            source.file,
            source.truth,
            score=next(iter(source.each_score), None),
            class_scores=self.class_scores,
            positive=source.positive,
            by=source.by,
            roles=source.roles,
            reading=source.reading,
            score_scale=source.score_scale,
        )
        if rows.looks:
            raise InputError("--guarantee needs named groups. Name the columns of the groups in --by.")
        if source.scores:
            source.refuse_parts("--guarantee")
        outputs.refuse_unwritable(source.file)
        with waiting(f"reading {source.file}"):
            read = rows.whole()
        with waiting("deciding"), rows.naming():
            checked = read.check(estimating.policy)
            guarantee = of_predictions(checked, demand, estimating.level, each_class=self.each_class)
            guarantee = replace(guarantee, model=next(iter(source.each_score), guarantee.model))
        outputs.deliver(Rendering.of(guarantee, data_of([source.file])))


USED_WITH_REVIEWS = frozenset(
    {
        *("file", "truth", "scores", "positive", "score_scale", "task", "cost"),
        *("frequency", "cluster", "weight", "level", "seed", "missing", "unanswered", *FORMS, *READING),
    }
)


def decide_with_reviews(
    context: typer.Context,
    source: DecisionRows,
    wanted: ThresholdOptions,
    outputs: OutputOptions,
    estimating: Estimating,
) -> None:
    """Choose the cases to review at the price of `--cost review=`, and write every output asked for."""
    from classay.assessment.assessing import assess
    from classay.cli.given import refuse_others
    from classay.cli.lists import cost_entries

    refuse_others(context, USED_WITH_REVIEWS, "with --cost review=")
    source.refuse_several("--cost review=")
    source.refuse_parts("--cost review=")
    outputs.refuse_unwritable(source.file)
    with waiting(f"reading {source.file}"):
        rows = source.rows(())
        read = rows.whole()
    with waiting("deciding"), rows.naming():
        a = assess(read.y_true, read.y_score, **read.columns, **estimating.arguments())
        a = a.changed(model=source.each_score[0], repeats=read.repeats)
        review = a.threshold(cost=cost_entries(wanted.cost or ()))
    outputs.deliver(Rendering.of(review, data_of([source.file])))
