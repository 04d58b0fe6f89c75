"""Several labels a case on the command line: which columns hold them, and what is written of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from classay.cli.given import FORMS, READING
from classay.cli.lists import columns_by_label, columns_of, names_in, pairs_in, refuse_shared
from classay.cli.options import (
    COLUMNS,
    METHOD,
    Showing,
    Text,
    column_option,
    read_bands,
    refuse_pool_alone,
    scale_of,
)
from classay.cli.outputs import (
    OutputOptions,
    Rendering,
    ReportExtension,
    data_of,
    listed_names,
    names_shown,
    waiting,
)
from classay.errors import InputError
from classay.wings import way

if TYPE_CHECKING:
    import numpy as np

    from classay.cli.commands.compare import ClaimOptions, GroupOptions, MethodOptions
    from classay.cli.commands.decide import DecisionRows, ThresholdOptions
    from classay.cli.commands.gate import Demand
    from classay.cli.model_options import Sources
    from classay.cli.options import Estimating
    from classay.cli.row_options import HowToAssess, RowOptions
    from classay.comparison.comparisons import Comparisons
    from classay.comparison.gate_rules import Gate
    from classay.inference.requirements import Outcome
    from classay.multilabel.tag_assessment import MultilabelAssessment
    from classay.report.document import Document
    from classay.report.results.assessments import Detail


TruthTags = Annotated[
    Text,
    typer.Option(
        metavar="TAG,…|PATTERN",
        help="Multilabel cases: columns of 0 and 1, one for each tag, as a,b,c, a=y_a,b=y_b or 'y_*'.",
        rich_help_panel=COLUMNS,
    ),
]
TagScoreColumns = Annotated[
    Text,
    typer.Option(
        metavar="TAG=COL,…|PATTERN",
        help="Score columns of the tags: a=p_a,b=p_b, or 'p_*'.",
        rich_help_panel=COLUMNS,
    ),
]
Separator = Annotated[
    Text,
    typer.Option(
        metavar="TEXT", help="The separator of the tags in --tags, such as '|'.", rich_help_panel=COLUMNS
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        min=1,
        help="Predict the K tags with the highest scores of each case.",
        rich_help_panel=METHOD,
    ),
]


def options_given(options: TagOptions | ComparedTags) -> list[str]:
    """Return the options that were given."""
    return [
        f"--{field.name.replace('_', '-')}"
        for field in fields(options)
        if getattr(options, field.name) is not None
    ]


@dataclass(frozen=True)
class TagOptions:
    """Where the true and the predicted labels of cases with several labels each are, as texts."""

    truth_tags: TruthTags = None
    tag_scores: TagScoreColumns = None
    tag_predictions: Annotated[
        Text,
        typer.Option(
            metavar="TAG=COL,…|PATTERN",
            help="Predicted tags, as columns of 0 and 1: a=c_a,b=c_b, or 'c_*'.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    tags: Annotated[
        Text,
        column_option(
            "One column with all true tags of a case, such as beach|dog, empty for none. Use it with "
            "--prediction (predicted tags) or --tag-scores."
        ),
    ] = None
    separator: Separator = None
    case: Annotated[
        Text,
        column_option(
            "The case of each row, if each row is a case and a tag. Use it with --tag, --truth (0 or 1), and "
            "--score or --prediction."
        ),
    ] = None
    tag: Annotated[Text, column_option("The tag of each row of --case.")] = None
    tag_thresholds: Annotated[
        Text,
        typer.Option(
            metavar="TAG=X,…",
            help="A threshold for each tag, instead of one --threshold.",
            rich_help_panel=METHOD,
        ),
    ] = None
    top: Top = None
    uses: ClassVar[frozenset[str]] = frozenset(
        {
            *(
                "file",
                "truth",
                "score",
                "prediction",
                "labels",
                "weight",
                "frequency",
                "cluster",
                *READING,
            ),
            *("threshold", "interval", "level", "seed", "score_scale", "task", "require", "measures", "all"),
            *("by", "pool", "bands", "reference", "missing"),
            *(*FORMS, "save"),
            *(
                "truth_tags",
                "tag_scores",
                "tag_predictions",
                "tags",
                "separator",
                "case",
                "tag",
                "tag_thresholds",
                "top",
            ),
        }
    )
    wanted: ClassVar[str] = "the true tags with --truth-tags or --tags"

    def given(self) -> list[str]:
        """Return the options that were given."""
        return options_given(self)

    @property
    def names_truth(self) -> bool:
        """Whether the options say where the true tags are; those of rows of a case and a tag are in --truth."""
        return self.truth_tags is not None or self.tags is not None

    def columns(self, rows: RowOptions) -> dict[str, Any]:
        """The arguments of `assess` that are columns of the file. Raises InputError for options that do not fit."""
        from classay.multilabel.tag_columns import names_of_tags
        from classay.sources.text_files import Parted

        named = self.named(rows)
        labels = names_in(rows.labels, "--labels") or None
        known = rows.reading.column_names(rows.path) if "*" in str(named) else []
        role_names = names_of_tags(known, named, labels)
        others = {name: each for name, each in asdict(rows.roles).items() if each is not None}
        others |= {name: text for name in ("case", "tag") if (text := getattr(self, name)) is not None}
        groups = rows.groups()
        if rows.looks:
            raise InputError(
                "--by '*' searches subgroups of cases with one label, but these cases are multilabel. Name the "
                "columns of groups."
            )
        names = [*(each for role in role_names.values() for each in role), *others.values(), *groups]
        names = list(dict.fromkeys(names))
        of_labels = [each for role, each in role_names.items() if role != "score"]
        table = rows.reading.table(
            rows.path,
            names,
            labels=[
                *(Parted(each) if self.tags is not None else each for role in of_labels for each in role),
                *(others[name] for name in ("cluster", "case", "tag") if name in others),
                *groups,
            ],
        )
        if self.tags is not None:  # an empty cell has no tags
            for role in ("truth", "prediction"):
                for column in role_names.get(role, ()) if isinstance(named.get(role), str) else ():
                    table = _filled(table, column)
        drawn = {name: table[each] for name, each in others.items()}
        arguments = {"y_true": table, **named, **drawn, "labels": labels, "separator": self.separator}
        arguments |= scale_of(rows.score_scale) | {"task": "tags"}
        return arguments | ({"by": groups if len(groups) > 1 else groups[0]} if groups else {})

    def named(self, rows: RowOptions) -> dict[str, Any]:
        """Return the names of the columns of each role."""
        roles = self._roles(rows)
        return {
            role: named_columns(text, option) for role, (option, text) in roles.items() if text is not None
        }

    def _roles(self, rows: RowOptions) -> dict[str, tuple[str, str | None]]:
        """Return the option and the text that name the truth, the scores and the predictions."""
        self._refuse_without_truth(rows)
        long, parted = self.case is not None or self.tag is not None, self.tags is not None
        matrix = self.truth_tags is not None
        if long + parted + matrix > 1:
            ways = [name for name in self.given() if name in ("--truth-tags", "--tags", "--case", "--tag")]
            raise InputError(f"{', '.join(ways)} name the tags in different ways. Keep one of them.")
        if long:
            if self.case is None or self.tag is None:
                raise InputError(
                    "--case and --tag must be used together: the case and the tag of each row. Use both."
                )
            self._refuse("with --case and --tag", "tag_scores", "tag_predictions", "separator")
            roles = {"truth": ("--truth", rows.truth), "score": ("--score", rows.score)}
        else:
            wanted = {"--truth": rows.truth, "--score": rows.score}
            if other := [name for name, each in wanted.items() if each is not None]:
                flag = "--tag-scores" if other[0] == "--score" else "--truth-tags"
                raise InputError(
                    f"{other[0]} is for one label per case, but these cases are multilabel. Use {flag} instead."
                )
            first = ("--tags", self.tags) if parted else ("--truth-tags", self.truth_tags)
            roles = {"truth": first, "score": ("--tag-scores", self.tag_scores)}
        called = rows.prediction if long or parted else self.tag_predictions
        if not parted:
            self._refuse("without --tags", "separator")
        elif self.separator is None:
            raise InputError(
                "--tags needs a separator for the tags in the column. Use --separator '|', for example."
            )
        if matrix and rows.prediction is not None:
            raise InputError(
                "--prediction is one column, but --truth-tags has several. Use --tag-predictions."
            )
        if parted:
            self._refuse("with --tags (use --prediction for the column of predicted tags)", "tag_predictions")
        option = "--prediction" if long or parted else "--tag-predictions"
        roles["prediction"] = option, called
        return roles

    def _refuse_without_truth(self, rows: RowOptions) -> None:
        of_rows = self.case is not None or self.tag is not None
        if not self.names_truth and (rows.truth is None or not of_rows):
            raise InputError(
                f"{self.given()[0]} is for multilabel cases, but no true tags are named. Use --truth-tags or "
                f"--tags, or --case and --tag. {columns_of(rows.path, rows.reading)}"
            )

    def _refuse(self, where: str, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                raise InputError(f"--{name.replace('_', '-')} cannot be used {where}. Remove it.")

    def threshold(self, one: Any) -> Any:
        """Return the threshold of all tags, or those of each by name."""
        from classay.columns.values import listing

        if self.tag_thresholds is None:
            return one
        if one is not None:
            raise InputError("--threshold and --tag-thresholds cannot be combined. Use one of them.")
        pairs = pairs_in(self.tag_thresholds, "--tag-thresholds", "beach=0.3,dog=0.6")
        if twice := [tag for i, (tag, _) in enumerate(pairs) if tag in [name for name, _ in pairs[:i]]]:
            raise InputError(f"--tag-thresholds has {listing(twice)} twice. Give one threshold for each tag.")
        try:
            return {tag: float(value) for tag, value in pairs}
        except ValueError:
            raise InputError(
                "--tag-thresholds must have a number for each tag, as in beach=0.3,dog=0.6, but is "
                f"{self.tag_thresholds!r}."
            ) from None

    def is_named(self, rows: RowOptions) -> bool:
        """Check whether the options say where the true tags are, or that the rows are of a case and a tag."""
        return self.names_truth or bool(self.given() and rows.truth is not None)

    @property
    def beside(self) -> str:
        """Why other options have no meaning beside these."""
        return f"with {self.given()[0]} (multilabel)"

    def in_parts(self, rows: RowOptions) -> dict[str, Any]:
        """Return the arguments of `scan` that are columns of files. Raises InputError for options that do not fit."""
        if self.case is not None or self.tag is not None:
            raise InputError(
                "--case and --tag need one file, because the rows of a case may be in several parts. Use one "
                "file, or one column for each tag."
            )
        labels = names_in(rows.labels, "--labels") or None
        none = dict.fromkeys(("truth", "score", "prediction"))
        settings = {"labels": labels, "separator": self.separator, "task": "tags"}
        return none | self.named(rows) | settings

    def assess(
        self,
        rows: RowOptions,
        showing: Showing,
        require: Sequence[str],
        outputs: OutputOptions,
        how: HowToAssess,
        reference: str | None,
    ) -> None:
        """Assess cases with several labels each, and write every output asked for."""
        from classay.assessment.assessing import assess
        from classay.assessment.required import known, outcomes_of
        from classay.cli.failures import end_with, one_line_warnings
        from classay.inference.requirements import parse
        from classay.multilabel.long_tags import AbsentPairsWarning

        demands = [each for text in require for each in parse(text)]
        names = names_shown(showing)
        known(demands, None, rows.groups())
        if reference is not None and rows.by is None:
            raise InputError("--reference needs the groups of --by. Use --by too.")
        refuse_pool_alone(rows.pool, rows.by)
        bands = read_bands(rows.bands, rows.by)
        outputs.refuse_unwritable(rows.file)
        how = replace(how, threshold=self.threshold(how.threshold), top=self.top)
        beside: ReportExtension | None = None
        if (counting := rows.way) is not None:
            a: Any = counting.assess_other(rows, self, how)
        else:
            with waiting(f"reading {rows.path}"):
                columns = self.columns(rows)
            columns |= {
                name: getattr(how, name) for name in ("level", "seed", "threshold", "top", "interval")
            }
            columns["missing"] = how.policy.missing
            with waiting("counting"), one_line_warnings(AbsentPairsWarning):
                if rows.by is None:
                    a = assess(**columns)
                else:
                    groups = {"reference": reference, "pool": rows.pool, "bands": bands}
                    slices = way("gate.by")(**columns, **groups)
                    beside, a = way("assess.by tags")(slices, names), slices.overall
        with waiting("estimating"):
            outcomes = outcomes_of(demands, a if beside is None else beside.parts or a, None)
        source = "standard input" if rows.path == "-" else Path(rows.path).name
        by = "" if rows.by is None else f" by {', '.join(rows.groups())}"
        title = f"Assessment of multilabel cases in {source}{by}"
        outputs.deliver(made_of_tags(a, beside, title, names, showing, outcomes))
        end_with(outcomes)


def is_truth_named(options: DecidedTags | ComparedTags) -> bool:
    """Check whether options say where the true tags are. Raises InputError if only other tag options were given."""
    if options.truth_tags is not None or options.tags is not None:
        return True
    if named := options.given():
        raise InputError(
            f"{named[0]} is for multilabel cases, but no true tags are named. Use --truth-tags or --tags."
        )
    return False


def _filled(table: Any, name: str) -> Any:
    """Return the table with empty texts where a column of texts has nothing."""
    column = table[name]
    filled = column.cast("string").fill_null("")
    return table.set_column(table.column_names.index(name), name, filled)


def named_columns(text: str, option: str) -> Any:
    """Return what names columns: one name or pattern, several names, or tags and their columns."""
    if "=" in text:
        return columns_by_label(text, option, "TAG=COLUMN,TAG=COLUMN", "tag")
    names = names_in(text, option)
    refuse_shared(names, text, option, "tag")
    is_one = option in ("--tags", "--truth", "--score", "--prediction")
    return names[0] if len(names) == 1 and (is_one or "*" in names[0]) else names


def made_of_tags(
    a: MultilabelAssessment,
    beside: ReportExtension | None,
    title: str,
    names: list[str] | None,
    showing: Showing,
    outcomes: Sequence[Outcome],
) -> Rendering:
    """Everything in each of its forms."""
    from classay.multilabel.results import as_dict, document_of, with_pictures
    from classay.report.forms import Pages
    from classay.report.results.parts import json_text, with_requirements
    from classay.report.value_kinds import REQUIREMENT

    if beside is not None:
        beside.prepare()
    extra = () if beside is None else beside.findings()

    def whole(detail: Detail) -> Document:
        document = document_of(a, title=title, names=names, detail=detail, extra=extra)
        return document if beside is None else beside.led(document)

    shown = whole(showing.detail)
    demanded = with_requirements(shown, outcomes)

    def page() -> Document:
        document = with_pictures(whole("page" if showing.detail == "main" else showing.detail), a)
        return with_requirements(document, outcomes)

    def as_text() -> str:
        more: dict[str, Any] = {"requirements": list(map(REQUIREMENT.json, outcomes))} if outcomes else {}
        more |= {} if beside is None else {"slices": beside.as_dict()["slices"]}
        return json_text(as_dict(a, names, extra) | more)

    return Rendering(
        shown=lambda: shown,
        json=as_text,
        pages=Pages(lambda: demanded, page, lambda: demanded),
        save=a.save,
    )


def warm(rng: np.random.Generator, rows: int) -> Iterator[Callable[[], Any]]:
    """Calls that compile what assessments of tags need, for `classay warm`."""
    from classay.assessment.assessing import assess

    tags = rng.random((rows, 5)) < 0.3
    yield lambda: assess(tags, rng.random((rows, 5))).to_dict()


@dataclass(frozen=True)
class DecidedTags:
    """Where the labels and scores of cases with several labels each are, to choose thresholds by, as texts."""

    truth_tags: TruthTags = None
    tag_scores: TagScoreColumns = None
    tags: Annotated[
        Text,
        column_option("One column with all true tags of a case, such as beach|dog, empty for none."),
    ] = None
    separator: Separator = None
    uses: ClassVar[frozenset[str]] = frozenset(
        {
            "file",
            "truth_tags",
            "tag_scores",
            "tags",
            "separator",
            "cost",
            "maximize",
            "minimize",
            "weight",
            "frequency",
        }
        | {"cluster", "level", "seed", "score_scale", "task", "missing", *FORMS, *READING}
    )

    @property
    def options(self) -> TagOptions:
        """The same, as `classay assess` has them."""
        return TagOptions(**asdict(self))

    @property
    def is_named(self) -> bool:
        """Whether the options say where the true tags are. Raises InputError if only other tag options were given."""
        return is_truth_named(self)

    @property
    def beside(self) -> str:
        """Why other options have no meaning beside these."""
        return f"with {self.given()[0]} (multilabel)"

    def given(self) -> list[str]:
        """Return the options that were given."""
        return self.options.given()

    def decide(
        self, source: DecisionRows, wanted: ThresholdOptions, outputs: OutputOptions, estimating: Estimating
    ) -> None:
        """Decide for each tag, and write every output asked for."""
        from classay.assessment.assessing import assess
        from classay.cli.row_options import RowOptions
        from classay.multilabel.tag_assessment import NO_RULE

        if wanted.cost is None and wanted.maximize is None and wanted.minimize is None:
            raise InputError(NO_RULE)
        wanted.rule()  # what is wrong is said at once
        outputs.refuse_unwritable(source.file)
        rows = RowOptions(
            source.file, roles=source.roles, reading=source.reading, score_scale=source.score_scale
        )
        with waiting(f"reading {source.file}"):
            columns = self.options.columns(rows)
        with waiting("deciding"):
            missing = estimating.policy.missing
            a: Any = assess(**columns, level=estimating.level, seed=estimating.seed, missing=missing)
            thresholds = a.threshold(cost=wanted.costs(), maximize=wanted.maximize, minimize=wanted.minimize)
        outputs.deliver(Rendering.of(thresholds, data_of([source.file])))


@dataclass(frozen=True)
class ComparedTags:
    """Where several models' labels of cases with several labels each are, as texts."""

    truth_tags: TruthTags = None
    tag_scores: Annotated[
        Text,
        typer.Option(
            metavar="MODEL=PATTERN,…",
            help="Score columns of the tags by model: new='n_*',old='o_*'; with several files 'p_*'.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    tag_predictions: Annotated[
        Text,
        typer.Option(
            metavar="MODEL=PATTERN,…",
            help="Predicted tags by model, as columns of 0 and 1: new='n_*',old='o_*'; with several files 'c_*'.",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    tags: Annotated[
        Text,
        column_option(
            "One column with all true tags of a case, such as beach|dog, empty for none. Use it with "
            "--predictions for the predicted tags."
        ),
    ] = None
    separator: Separator = None
    top: Top = None
    uses: ClassVar[frozenset[str]] = frozenset(
        {*FORMS, *READING}
        | {"truth_tags", "tag_scores", "tag_predictions", "tags", "separator", "top"}
        | {"truth", "scores", "predictions", "id", "labels", "threshold", "measures", "weight", "frequency"}
        | {"score_scale", "task", "cluster", "alternative", "adjustment", "level", "seed", "missing"}
        | {"rule", "margin", "method", "control", "pairs", "by", "pool", "bands"}
    )
    uses_of_gate: ClassVar[frozenset[str]] = (
        frozenset(
            {
                "measure",
                "rule",
                "margin",
                "inconclusive",
                "require",
                "by",
                "pool",
                "bands",
                "missing",
                "predictions",
                "id",
                "labels",
                "threshold",
                "method",
            }
        )
        | {"weight", "frequency", "cluster", "score_scale", "task", "level", "seed", "config", *FORMS}
        | {*READING, "truth_tags", "tag_scores", "tag_predictions", "tags", "separator", "top"}
    )
    measure: ClassVar[str | None] = None

    def given(self) -> list[str]:
        """Return the options that were given."""
        return options_given(self)

    @property
    def is_named(self) -> bool:
        """Whether the options say where the true tags are. Raises InputError if only other tag options were given."""
        return is_truth_named(self)

    @property
    def beside(self) -> str:
        """Why other options have no meaning beside these."""
        return "with --truth-tags or --tags (multilabel)"

    def reads(self, files: Sequence[str]) -> bool:
        """Files show their task by their options only."""
        return False

    def compare(
        self,
        sources: Sources,
        measures: str | None,
        aim: ClaimOptions,
        groups: GroupOptions,
        testing: MethodOptions,
    ) -> Comparisons:
        """Models that give several labels a case, from one file or from several joined by an id."""
        from classay.comparison.comparing import compare

        wanted = listed_names(measures)
        with waiting("reading"):
            models, columns = self.models(sources, groups.by)
        with waiting("comparing"):
            return compare(
                models,
                measures=wanted,
                threshold=sources.thresholds(),
                pool=groups.pool,
                bands=groups.ranges,
                **columns,
                **asdict(aim),
                **testing.arguments("method", "missing", "unanswered"),
            )

    def gate(self, sources: Sources, demand: Demand, estimating: Estimating) -> tuple[Gate, list[Outcome]]:
        """Return the gate of two models that give several labels a case."""
        from classay.assessment.assessing import assess
        from classay.assessment.required import outcomes_of
        from classay.cli.commands.gate import judged
        from classay.cli.model_options import first_model
        from classay.comparison.comparing import compare
        from classay.comparison.gate_rules import interval_level

        with waiting("reading"):
            models, columns = self.models(sources, demand.by)
        threshold = sources.thresholds()
        level = interval_level(demand.rule, estimating.level)
        how: dict[str, Any] = {
            "threshold": threshold,
            "method": demand.method,
            "level": level,
            "pool": demand.pool,
            "bands": demand.bands,
        }
        how |= {"seed": estimating.seed, "missing": estimating.policy.missing}
        with waiting("comparing"):
            comparisons = compare(models, measures=[demand.measure], **columns, **how)
        ruling = judged(comparisons, demand)
        if not demand.require:
            return ruling, []
        name, table, its = first_model(models, columns.get("scores"), columns.get("predictions"))
        its = {role: each for role, each in its.items() if each is not None}
        shared = {
            role: columns[role]
            for role in ("truth", "labels", "separator", "weight", "frequency", "cluster", "task")
        }
        shared |= scale_of(sources.score_scale if "score" in its else None)
        one = threshold.get(name) if isinstance(threshold, dict) else threshold
        if "score" not in its:
            one = None
        arguments = {**its, **shared, "threshold": one, "top": columns["top"], "level": estimating.level}
        arguments["missing"] = estimating.policy.missing
        a = (
            assess(table, **arguments)
            if demand.by is None
            else way("gate.by")(table, by=columns["by"], pool=demand.pool, bands=demand.bands, **arguments)
        )
        return ruling, outcomes_of(demand.requirements, a, None)

    @property
    def models_named(self) -> int:
        """How many models the columns of one file belong to."""
        named = [text for text in (self.tag_scores, self.tag_predictions) if text is not None and "=" in text]
        return len({name for text in named for name, _ in pairs_in(text, "--tag-scores", MODEL_PATTERN)})

    def models(self, sources: Sources, by: str | None) -> tuple[Any, dict[str, Any]]:
        """Return the first argument of `classay.compare`, and the other arguments that say which columns are which."""
        from classay.cli.model_options import names_of
        from classay.multilabel.tag_columns import names_of_tags
        from classay.sources.text_files import Parted

        self._refuse_mixed(sources)
        labels = names_in(sources.labels, "--labels") or None
        truth: Any = self.tags or named_columns(self.truth_tags or "", "--truth-tags")
        groups, roles = names_in(by, "--by"), asdict(sources.roles)
        named = self._of_models(sources)
        model_roles = {"truth": truth} | {
            f"{role} {model}": columns for role, of in named.items() for model, columns in of.items()
        }
        first = [name for name in (*roles.values(), *groups) if name is not None]
        wanted_of: list[tuple[str, list[str]]] = []
        texts: dict[str, None] = {}
        as_labels: list[str] = []
        for file in sources.files:
            there = sources.reading.column_names(file)
            role_names = names_of_tags(there, model_roles, labels)
            of_labels = [
                name for role, names in role_names.items() if not role.startswith("score") for name in names
            ]
            if self.tags is not None:
                of_labels = [*map(Parted, of_labels)]
                texts |= dict.fromkeys(of_labels)
            of_labels += [name for name in (sources.id, roles["cluster"], *groups) if name is not None]
            wanted = [*(name for names in role_names.values() for name in names), *of_labels, *first]
            is_first = file == sources.files[0]
            wanted = [name for name in wanted if is_first or name not in first or name in there]
            wanted_of.append((file, [*map(str, dict.fromkeys(wanted))]))
            as_labels += of_labels
        tables = sources.reading.tables(wanted_of, labels=as_labels)
        for name in texts:
            tables = [_filled(table, name) if name in table.column_names else table for table in tables]
        how: dict[str, Any] = {"truth": truth, "labels": labels, "separator": self.separator, "top": self.top}
        how |= roles | {"id": sources.id, "task": "tags"} | scale_of(sources.score_scale)
        if groups:
            how["by"] = groups if len(groups) > 1 else groups[0]
        if len(tables) == 1:
            return tables[0], how | {f"{role}s": each for role, each in named.items() if each}
        how |= {f"{role}s": next(iter(each.values())) for role, each in named.items() if each}
        return dict(zip(names_of(sources.files), tables, strict=True)), how

    def _refuse_mixed(self, sources: Sources) -> None:
        """Refuse options that do not go together."""
        if self.truth_tags is not None and self.tags is not None:
            raise InputError("--truth-tags and --tags name the tags in different ways. Keep one of them.")
        if (self.tags is None) != (self.separator is None):
            raise InputError(
                "--tags needs a separator for the tags in the column. Use --separator '|', for example."
            )
        for option, text, instead in (
            ("--truth", sources.truth, "--truth-tags"),
            ("--scores", sources.scores, "--tag-scores"),
        ):
            if text:
                raise InputError(
                    f"{option} is for one label per case, but these cases are multilabel. Use {instead} instead."
                )
        if self.tags is None and sources.predictions:
            raise InputError(
                "--predictions has single columns, but --truth-tags has several. Use --tag-predictions."
            )

    def _of_models(self, sources: Sources) -> dict[str, dict[str, Any]]:
        """The columns of scores and of predictions of each model; of several files those that all have, under ""."""
        texts = {
            "score": ("--tag-scores", self.tag_scores),
            "prediction": ("--tag-predictions", self.tag_predictions),
        }
        if self.tags is not None:
            texts["prediction"] = ("--predictions", sources.predictions)
        roles: dict[str, dict[str, Any]] = {}
        for role, (option, text) in texts.items():
            if text is None:
                roles[role] = {}
            elif len(sources.files) > 1:
                roles[role] = {
                    "": named_columns(text, "--prediction" if option == "--predictions" else option)
                }
            elif option == "--predictions":
                roles[role] = {name: name for name in names_in(text, option)}
            else:
                roles[role] = dict(pairs_in(text, option, MODEL_PATTERN))
        if not (roles["score"] or roles["prediction"]):
            raise InputError(
                "There is nothing to compare. Name the columns of each model with --tag-scores "
                f"new='n_*',old='o_*' or with --tag-predictions. {columns_of(sources.files[0], sources.reading)}"
            )
        return roles


MODEL_PATTERN = "new='n_*',old='o_*'"
