"""The commands and their options."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any, cast

import typer

from classay.cli.failures import PlainErrors, guarded
from classay.cli.options import OptionsOnce, given, refuse_others
from classay.cli.sample_size import sample_size
from classay.errors import InputError

app = typer.Typer(
    name="classay",
    cls=PlainErrors,
    help="Assay classifiers: how good, how sure, at what threshold, from a file of predictions.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


app.add_typer(sample_size)


def _version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        from classay import __version__

        print(f"classay {__version__}")
        raise typer.Exit(0)


@app.callback()
def common(
    version: Annotated[  # noqa: FBT002
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error arose.")] = False,  # noqa: FBT002
) -> None:
    """Options of every command."""
    if debug:
        os.environ["CLASSAY_DEBUG"] = "1"


Text = str | None

OF_FILE = ("format", "delimiter")
"""Options of how a file is read, which listing its columns uses too."""


@app.command(cls=OptionsOnce)
@guarded
def assess(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            help="CSV, TSV, Parquet, Arrow/Feather or JSON lines, .gz too; '-' reads standard input."
        ),
    ],
    truth: Annotated[Text, typer.Option(help="Column of true labels. Without it, lists the columns.")] = None,
    score: Annotated[Text, typer.Option(help="Column of the positive class's scores.")] = None,
    class_scores: Annotated[
        Text, typer.Option(metavar="LABEL=COL,…", help="Score columns of several classes: cat=c1,dog=c2.")
    ] = None,
    prediction: Annotated[Text, typer.Option(help="Column of predicted labels.")] = None,
    positive: Annotated[
        Text, typer.Option(metavar="LABEL", help="The positive label; 1 or True by default.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Positive when score >= threshold; 0.5 by default for scores in [0, 1]."),
    ] = None,
    labels: Annotated[
        Text, typer.Option(metavar="A,B,…", help="All labels, where some may not occur in this file.")
    ] = None,
    weight: Annotated[Text, typer.Option(metavar="COL", help="Column of sampling weights.")] = None,
    frequency: Annotated[
        Text, typer.Option(metavar="COL", help="Column of numbers of identical rows.")
    ] = None,
    cluster: Annotated[
        Text, typer.Option(metavar="COL", help="Column that says which rows belong together.")
    ] = None,
    id: Annotated[
        Text,
        typer.Option(
            metavar="COL", help="Column of the rows' ids, to compare saved assessments without their rows."
        ),
    ] = None,
    by: Annotated[
        Text,
        typer.Option(
            metavar="COL,…", help="Column of groups, or several: assess each combination, and compare them."
        ),
    ] = None,
    reference: Annotated[
        Text, typer.Option(metavar="LABEL", help="The group to compare with; all other cases by default.")
    ] = None,
    prevalence: Annotated[
        float | None,
        typer.Option(help="Also show the measures at this share of positives, such as 0.01."),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    interval: Annotated[
        Text,
        typer.Option(
            metavar="METHOD",
            help="Method of the intervals, where it applies: bootstrap, or for proportions wilson, clopper-pearson, "
            "mid-p, jeffreys, agresti-coull.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    missing: Annotated[
        str, typer.Option(metavar="refuse|drop", help="What to do with rows without a label.")
    ] = "refuse",
    improper: Annotated[
        str,
        typer.Option(
            metavar="keep|renormalise", help="What to do with rows of class scores that do not sum to 1."
        ),
    ] = "keep",
    measures: Annotated[Text, typer.Option(metavar="A,B,…", help="Only these measures.")] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION", help="Demand it, as in 'recall.low >= 0.9'; exit 1 if not so. Repeatable."
        ),
    ] = None,
    all_measures: Annotated[bool, typer.Option("--all", help="Show every measure.")] = False,  # noqa: FBT002
    json: Annotated[
        Text,
        typer.Option(metavar="OUT", help="Write JSON; '-' is standard output, and nothing else goes there."),
    ] = None,
    save: Annotated[
        Text, typer.Option(metavar="OUT.classay", help="Save the tables, to load and to add up.")
    ] = None,
    html: Annotated[Text, typer.Option(metavar="OUT", help="Write one self-contained HTML page.")] = None,
    format: Annotated[
        Text,
        typer.Option(metavar="csv|tsv|parquet|arrow|jsonl", help="Format of FILE, if its name does not say."),
    ] = None,
    delimiter: Annotated[Text, typer.Option(help="What separates the fields of a CSV file.")] = None,
) -> None:
    """Assess a classifier from a file of its predictions."""
    from classay.cli.assess import Rows, Sections, list_columns, run
    from classay.cli.outputs import Outputs

    if truth is None:
        others = [option for name, option in given(context).items() if name not in OF_FILE]
        list_columns(file, format, delimiter, others)
        return
    if all_measures and (measures is not None or json == "-"):
        which = "--measures names those to show" if measures is not None else "JSON has every measure"
        raise InputError(f"--all has no meaning here, for {which}: leave it out.")
    rows = Rows(
        file,
        truth,
        score,
        class_scores,
        prediction,
        positive,
        labels,
        weight,
        frequency,
        cluster,
        id,
        by,
        format,
        delimiter,
    )
    outputs = Outputs(measures, "all" if all_measures else "main", json, save, html, tuple(require or ()))
    how = {"threshold": threshold, "level": level, "seed": seed, "interval": interval}
    run(rows, Sections(reference, prevalence), outputs, cast(Any, missing), cast(Any, improper), **how)


@app.command(cls=OptionsOnce)
@guarded
def compare(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…",
            help="Predictions: a column for each model, or a file for each. Saved assessments or "
            "evaluations (.classay). Results over data sets (--dataset).",
        ),
    ],
    truth: Annotated[
        Text, typer.Option(help="Column of true labels; saved assessments (.classay) have none.")
    ] = None,
    scores: Annotated[
        Text, typer.Option("--scores", "--score", metavar="A,B,…", help="Columns of scores, one a model.")
    ] = None,
    predictions: Annotated[
        Text,
        typer.Option("--predictions", "--prediction", metavar="A,B,…", help="Columns of predicted labels."),
    ] = None,
    id: Annotated[
        Text,
        typer.Option(metavar="COL", help="Column that says which rows of several files belong together."),
    ] = None,
    positive: Annotated[
        Text, typer.Option(metavar="LABEL", help="The positive label; 1 or True by default.")
    ] = None,
    threshold: Annotated[
        Text, typer.Option(metavar="X|MODEL=X,…", help="Positive when score >= threshold, of all or of each.")
    ] = None,
    measures: Annotated[
        Text, typer.Option(metavar="A,B,…", help="What to compare; name beforehand what counts, and little.")
    ] = None,
    reader: Annotated[
        Text,
        typer.Option(metavar="COL", help="Column of a reader's labels: compare at the reader's specificity."),
    ] = None,
    reader_positive: Annotated[
        Text,
        typer.Option(
            metavar="LABEL", help="The reader's word for the positive class, where the truth has another."
        ),
    ] = None,
    unpaired: Annotated[  # noqa: FBT002
        bool, typer.Option("--unpaired", help="The files hold different cases.")
    ] = False,
    dataset: Annotated[
        Text,
        typer.Option(
            metavar="COL", help="FILE holds results over data sets: the column that names the data set."
        ),
    ] = None,
    model: Annotated[
        Text, typer.Option(metavar="COL", help="Its column of models; without it each other column is one.")
    ] = None,
    value: Annotated[Text, typer.Option(metavar="COL", help="Its column of values.")] = None,
    run_: Annotated[
        Text, typer.Option("--run", metavar="COL", help="Its column of runs, which are averaged first.")
    ] = None,
    better: Annotated[
        Text,
        typer.Option(metavar="higher|lower", help="Which values are better; by default as --value says."),
    ] = None,
    control: Annotated[
        Text, typer.Option(metavar="NAME", help="Compare with this model alone, named beforehand.")
    ] = None,
    rule: Annotated[
        Text,
        typer.Option(
            metavar="equivalent|non-inferior|superior|not-worse",
            help="What is to be shown of the first model of a pair; needs --margin, fixed beforehand.",
        ),
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="The difference that would be acceptable, fixed beforehand.")
    ] = None,
    rope: Annotated[
        float | None,
        typer.Option(help="Equal in practice, fixed beforehand: probabilities over folds or data sets."),
    ] = None,
    method: Annotated[
        Text,
        typer.Option(
            metavar="NAME",
            help="Instead of the default. One test set: bootstrap, delta, posterior, permutation. Folds: 5x2cv-f, "
            "5x2cv-t, nadeau-bengio-t, sign-flip, paired-t, bayesian. Data sets: sign, nemenyi, mean-ranks, bayesian.",
        ),
    ] = None,
    alternative: Annotated[
        str,
        typer.Option(
            metavar="two-sided|greater|less",
            help="Of the first model of a pair less the second, asked beforehand.",
        ),
    ] = "two-sided",
    adjustment: Annotated[
        str, typer.Option(metavar="NAME", help="Of the p-values of all comparisons: holm, hommel, …")
    ] = "holm",
    weight: Annotated[Text, typer.Option(metavar="COL", help="Column of sampling weights.")] = None,
    frequency: Annotated[
        Text, typer.Option(metavar="COL", help="Column of numbers of identical rows.")
    ] = None,
    cluster: Annotated[
        Text, typer.Option(metavar="COL", help="Column that says which rows depend on each other.")
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="Level of the intervals; 0.95, or that of the evaluation.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    missing: Annotated[
        str, typer.Option(metavar="refuse|drop", help="What to do with rows without a label.")
    ] = "refuse",
    json: Annotated[
        Text,
        typer.Option(metavar="OUT", help="Write JSON; '-' is standard output, and nothing else goes there."),
    ] = None,
    html: Annotated[Text, typer.Option(metavar="OUT", help="Write one self-contained HTML page.")] = None,
    latex: Annotated[Text, typer.Option(metavar="OUT", help="Write the tables in LaTeX.")] = None,
    format: Annotated[
        Text,
        typer.Option(metavar="csv|tsv|parquet|arrow|jsonl", help="Format of the files, if not by name."),
    ] = None,
    delimiter: Annotated[Text, typer.Option(help="What separates the fields of a CSV file.")] = None,
) -> None:
    """Compare models on one test set, over folds or over data sets: differences with intervals, tests, what is open."""
    from classay.cli.compare import MODES, Aim, Sources, Wanted, kind_of, run, run_reader, run_unpaired
    from classay.cli.compare_results import Table, run_results

    sources = Sources(
        tuple(files),
        truth or "",
        scores,
        predictions,
        id,
        positive,
        threshold,
        weight,
        frequency,
        cluster,
        format,
        delimiter,
    )
    how: dict[str, Any] = {"alternative": alternative, "adjustment": adjustment, "level": level, "seed": seed}
    wanted = Wanted(measures, json, html, latex)
    aim = Aim(control, rule, margin, rope)
    table = Table(dataset, model, value, run_, better)
    found_as = (
        "results"
        if table.is_named()
        else "reader"
        if reader
        else "unpaired"
        if unpaired
        else kind_of(sources)
    )
    refuse_others(context, *MODES[found_as])
    if found_as == "results":
        run_results(sources, table, aim, wanted, method=method, **how)
    elif reader is not None:
        how["level"] = 0.95 if level is None else level
        run_reader(sources, wanted, reader, reader_positive, **how)
    elif unpaired:
        how["level"] = 0.95 if level is None else level
        run_unpaired(sources, wanted, missing=missing, **how)
    else:
        run(sources, wanted, aim, method=method, missing=missing, **how)


@app.command(cls=OptionsOnce)
@guarded
def gate(
    context: typer.Context,
    new: Annotated[
        str, typer.Argument(help="Predictions of the new model, or its saved assessment (.classay).")
    ],
    old: Annotated[str, typer.Argument(help="The same of the old model, on the same cases.")],
    measure: Annotated[str, typer.Option(help="What decides: one measure.")],
    rule: Annotated[
        str,
        typer.Option(
            metavar="non-inferior|not-worse|superior|equivalent",
            help="non-inferior: shown to be worse by less than the margin, if at all. not-worse: not shown to be "
            "worse, which a small test passes easily. superior: shown to be better. equivalent: shown to differ by "
            "less than the margin.",
        ),
    ],
    margin: Annotated[
        float | None, typer.Option(help="The loss that would still be acceptable, fixed beforehand.")
    ] = None,
    truth: Annotated[Text, typer.Option(help="Column of true labels.")] = None,
    score: Annotated[Text, typer.Option(help="Column of the positive class's scores.")] = None,
    prediction: Annotated[Text, typer.Option(help="Column of predicted labels.")] = None,
    id: Annotated[
        Text, typer.Option(metavar="COL", help="Column that says which rows of the files belong together.")
    ] = None,
    positive: Annotated[
        Text, typer.Option(metavar="LABEL", help="The positive label; 1 or True by default.")
    ] = None,
    threshold: Annotated[
        Text, typer.Option(metavar="X|MODEL=X,…", help="Positive when score >= threshold, of all or of each.")
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Demand it of the new model too, as in 'recall.low >= 0.9'."),
    ] = None,
    weight: Annotated[Text, typer.Option(metavar="COL", help="Column of sampling weights.")] = None,
    frequency: Annotated[
        Text, typer.Option(metavar="COL", help="Column of numbers of identical rows.")
    ] = None,
    cluster: Annotated[
        Text, typer.Option(metavar="COL", help="Column that says which rows depend on each other.")
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the interval that decides.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    missing: Annotated[
        str, typer.Option(metavar="refuse|drop", help="What to do with rows without a label.")
    ] = "refuse",
    json: Annotated[
        Text,
        typer.Option(metavar="OUT", help="Write JSON; '-' is standard output, and nothing else goes there."),
    ] = None,
    markdown: Annotated[
        Text, typer.Option(metavar="OUT", help="Write Markdown, to comment on a pull request.")
    ] = None,
    format: Annotated[
        Text,
        typer.Option(metavar="csv|tsv|parquet|arrow|jsonl", help="Format of the files, if not by name."),
    ] = None,
    delimiter: Annotated[Text, typer.Option(help="What separates the fields of a CSV file.")] = None,
) -> None:
    """Decide whether a new model may take the place of the old one: exit 0 passed, 1 failed, 3 cannot tell."""
    from classay.cli.compare import SAVED, Sources
    from classay.cli.gate import GATE_OF_SAVED, Demand, code, run

    if all(file.endswith(SAVED) for file in (new, old)):
        refuse_others(context, *GATE_OF_SAVED)
    sources = Sources(
        (new, old),
        truth or "",
        score,
        prediction,
        id,
        positive,
        threshold,
        weight,
        frequency,
        cluster,
        format,
        delimiter,
    )
    demand = Demand(measure, rule, margin, tuple(require or ()), json, markdown)
    raise typer.Exit(code(run(sources, demand, level=level, seed=seed, missing=missing)))


@app.command(cls=OptionsOnce)
@guarded
def evaluate(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            help="CSV, TSV, Parquet, Arrow/Feather or JSON lines, .gz too; '-' reads standard input."
        ),
    ],
    target: Annotated[
        Text, typer.Option(help="Column of labels to learn. Without it, lists the columns.")
    ] = None,
    models: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="logistic, forest, extra_trees, boosting, tree, naive_bayes, knn, svm, lda, network, or "
            "pkg.module:estimator.",
        ),
    ] = "logistic,forest,boosting",
    protocol: Annotated[
        str,
        typer.Option(
            help="10x10, 10fold, holdout:0.33, holdout:0.33x30, loo, time:5, bootstrap:200, 632:200, 632+:200, "
            "optimism:200, nested:10, resubstitution."
        ),
    ] = "10x10",
    cluster: Annotated[
        Text, typer.Option(metavar="COL", help="Column that says which rows belong together.")
    ] = None,
    id: Annotated[Text, typer.Option(metavar="COL", help="Column that names the rows; no feature.")] = None,
    drop: Annotated[Text, typer.Option(metavar="A,B,…", help="Columns to leave out.")] = None,
    positive: Annotated[
        Text, typer.Option(metavar="LABEL", help="The positive label; 1 or True by default.")
    ] = None,
    tune: Annotated[  # noqa: FBT002
        bool, typer.Option("--tune", help="Tune each model by a random search inside each fold.")
    ] = False,
    store: Annotated[
        Text, typer.Option(metavar="RUNS.db", help="Keep finished fits there, and go on from what it has.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes that fit; -1 for one a core.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    missing: Annotated[
        str, typer.Option(metavar="refuse|drop", help="What to do with rows without a label.")
    ] = "refuse",
    measures: Annotated[Text, typer.Option(metavar="A,B,…", help="Only these measures.")] = None,
    json: Annotated[
        Text,
        typer.Option(metavar="OUT", help="Write JSON; '-' is standard output, and nothing else goes there."),
    ] = None,
    save: Annotated[
        Text, typer.Option(metavar="OUT.classay", help="Save the evaluation with all its predictions.")
    ] = None,
    html: Annotated[Text, typer.Option(metavar="OUT", help="Write one self-contained HTML page.")] = None,
    times: Annotated[
        Text,
        typer.Option(metavar="OUT", help="Write the seconds of the fits as JSON; no two runs take the same."),
    ] = None,
    format: Annotated[
        Text,
        typer.Option(metavar="csv|tsv|parquet|arrow|jsonl", help="Format of FILE, if its name does not say."),
    ] = None,
    delimiter: Annotated[Text, typer.Option(help="What separates the fields of a CSV file.")] = None,
) -> None:
    """Evaluate models on a file of cases: what to expect of them on new ones, by resampling."""
    from classay.cli.evaluate import Cases, Plan, list_targets, run
    from classay.cli.outputs import Outputs

    if target is None:
        others = [option for name, option in given(context).items() if name not in OF_FILE]
        list_targets(file, format, delimiter, others)
        return
    outputs = Outputs(measures, "main", json, save, html)
    cases = Cases(file, target, cluster, id, drop, missing, format, delimiter)
    run(
        cases,
        Plan(models, tune, protocol, positive, outputs.names(), store, jobs, seed, level),
        outputs,
        times,
    )


@app.command(cls=OptionsOnce)
@guarded
def runs(
    file: Annotated[
        str,
        typer.Argument(
            help="A store that `classay evaluate --store` made, or what its `--save` wrote (.classay)."
        ),
    ],
    id: Annotated[
        Text,
        typer.Argument(metavar="[RUN]", help="A run, by the first letters of its id. Without it, lists all."),
    ] = None,
    measures: Annotated[
        Text,
        typer.Option(metavar="A,B,…", help="Only these measures; any will do, for predictions are kept."),
    ] = None,
    json: Annotated[Text, typer.Option(metavar="OUT", help="Write JSON; '-' is standard output.")] = None,
    save: Annotated[
        Text, typer.Option(metavar="OUT.classay", help="Save the evaluation with all its predictions.")
    ] = None,
    html: Annotated[Text, typer.Option(metavar="OUT", help="Write one self-contained HTML page.")] = None,
    times: Annotated[
        Text,
        typer.Option(metavar="OUT", help="Write the seconds of the fits as JSON; no two runs take the same."),
    ] = None,
) -> None:
    """List the evaluations that a store keeps, or show one again without fitting anything."""
    from classay.cli.evaluate import show_runs
    from classay.cli.outputs import Outputs

    show_runs(file, id, Outputs(measures, "main", json, save, html), times)


@app.command(cls=OptionsOnce)
@guarded
def measures(name: Annotated[Text, typer.Argument(help="A measure, by name or alias.")] = None) -> None:
    """List the measures, or explain one: formula, range, best value, when it is undefined, reference."""
    from classay.cli.measures import explain, list_measures

    if name is None:
        list_measures()
    else:
        explain(name)


@app.command(cls=OptionsOnce)
@guarded
def demo(
    folder: Annotated[str, typer.Argument(help="Where to write the files.")] = "classay-demo",
) -> None:
    """Fit a logistic regression to real data, assess it, and write every kind of output beside each other."""
    from classay.cli.demo import run

    run(folder)


def main() -> None:
    """Run the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a label that the terminal lacks must not end the run
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
