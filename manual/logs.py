"""Reference of the logs of evaluations that are read, from their registry, and what their writers do unexpectedly."""

from typing import get_args

from classay.grades.log_formats import FORMATS
from classay.grades.maps import LETTERS, WORDS
from classay.grades.records import Status
from classay.texts import amount
from manual.formats import Surprise
from manual.markdown import page, prose, table

SURPRISES = (
    Surprise(
        ".eval",
        "Inspect 0.3.285",
        "A failed sample has `completed: true` and no score. Its epoch leaves the mean, and its question stays with "
        "the other epochs.",
        "test_inspect_reports_completed_samples_and_averages_questions",
    ),
    Surprise(
        ".eval",
        "Inspect 0.3.285",
        "`scored_samples` counts questions, `completed_samples` answers. A scorer that gives nothing for an epoch "
        "leaves `unscored_samples` at 0.",
        "test_a_scorer_that_says_nothing_is_silent_and_no_error",
    ),
    Surprise(
        ".eval",
        "Inspect 0.3.285",
        "A letter that is none of C, P, I and N counts 0 in `accuracy`. Here it is refused.",
        "test_inspect_counts_a_letter_that_it_does_not_know_as_0",
    ),
    Surprise(
        ".eval",
        "Inspect 0.3.285",
        "If every sample fails, the status is `success`, without results.",
        "test_a_success_of_inspect_in_which_all_failed_has_no_mean",
    ),
    Surprise(
        ".eval",
        "Inspect 0.3.285",
        "Samples come in the order of completion. The `.json` of the same run sorts them by epoch and id.",
        "test_rows_of_inspect_come_in_the_order_of_completion",
    ),
    Surprise(
        ".eval",
        "Inspect 0.3.285",
        "The column of a clustered `stderr` is in `params` of the metric, and names a key of the metadata.",
        "test_the_clustered_error_of_inspect_is_ours_with_its_cluster",
    ),
    Surprise(
        ".jsonl",
        "lm-eval 0.4.13",
        "A question has a line for every filter.",
        "test_each_question_of_lm_eval_has_a_line_for_each_filter",
    ),
    Surprise(
        ".jsonl",
        "lm-eval 0.4.13",
        "With `--samples` in another order than the task, `doc_id` is incorrect. Runs are then matched by `doc_hash`.",
        "test_wrong_numbers_of_lm_eval_are_matched_by_content",
    ),
    Surprise(
        ".json",
        "promptfoo 0.123.1",
        "`--repeat 2` writes every repeat as a further test with its own `testIdx`.",
        "test_repeats_of_promptfoo_are_repeats_and_no_further_cases",
    ),
    Surprise(
        ".json",
        "promptfoo 0.123.1",
        "An assertion that throws grades the answer 0, and the count of errors stays 0. A warning counts them.",
        "test_repeats_of_promptfoo_are_repeats_and_no_further_cases",
    ),
    Surprise(
        ".json",
        "promptfoo 0.123.1",
        "A test without assertions passes. An answer of a provider that failed is not passed, and in no named score.",
        "test_promptfoo_counts_errors_as_not_passed_but_not_in_named_scores",
    ),
    Surprise(
        ".csv",
        "promptfoo 0.123.1",
        "Scores have two decimals. The file is refused.",
        "test_the_csv_of_promptfoo_is_refused_for_its_rounded_scores",
    ),
    Surprise(
        ".json",
        "deepeval 4.3.1",
        "A case without a name is `test_case_0` by its place, which another run gives to another case. Its input is "
        "its id.",
        "test_names_that_deepeval_gives_by_place_are_no_ids",
    ),
    Surprise(
        ".json",
        "deepeval 4.3.1",
        "If a metric fails, its case counts as failed, but is not in the mean of the metric.",
        "test_a_failed_metric_of_deepeval_is_an_error_although_its_case_counts_as_failed",
    ),
    Surprise(
        ".csv",
        "MLflow 3.17.2",
        "An expectation has a column `expected_response/value`, like that of a scorer.",
        "test_an_expectation_of_mlflow_is_no_scorer",
    ),
    Surprise(
        ".csv",
        "ragas 0.4.3",
        "A metric that failed is an empty cell, and no reason is written.",
        "test_a_metric_of_ragas_that_failed_is_an_empty_grade",
    ),
)
TEXT = f"""
Other files are tables with a row for every answer. `--grade` names the column of grades, `--case` that of cases, and
`--model`, `--repeat`, `--target`, `--by` and `--cluster` name further columns. A field of an object in JSON is named by
its path, such as `result.score`. Result tables of ragas are such tables.

Several grades or filters of answers are listed with the number of their answers. `--grade` and `--filter` choose one.

Grades become numbers by `--map`, such as `--map C=1,P=0.5,I=0`. Without the option, numbers stay, and these words
have a number: {", ".join(f"{word} {amount(value)}" for word, value in WORDS.items())}. In logs of Inspect, the letters
{", ".join(f"{letter} {amount(value)}" for letter, value in LETTERS.items())} have its numbers. Other grades are
refused. The map declares the range of grades, or `--bounds`.

An answer has one of these states: graded, {", ".join(get_args(Status)[1:])}. Answers without a grade are refused
until `--unanswered` gives a rule.

Runs are joined by case and repeat. Cases of one name must have the same target. A run has the name of its model.
Runs of one model have the names of their files, or the time in a name that Inspect gave.
""".strip()


NUMBERS = (
    ("mean grade", "over all answers, all of the same weight", ""),
    (
        "interval of a mean",
        "Wilson's over the means of cases, if the range of grades is known. Unless all these means are at its ends, "
        "one further case is added at the farther end. Without a range, Student's t.",
        "--level",
    ),
    (
        "clusters",
        "the answers to a case, or the cases with one value of a column, whichever is coarser",
        "--cluster",
    ),
    (
        "pass@k",
        "1 - C(n - c, k) / C(n, k) for a case with c passing answers of n, averaged over the cases with at least k "
        "answers",
        "--pass-k",
    ),
    ("pass^k", "C(c, k) / C(n, k) for such a case, averaged likewise", "--pass-k"),
    ("cases with differing grades", "share of the cases with several answers", ""),
    (
        "precision of more data",
        "from the variance σ²_b / Q + σ²_w / (Q K) of Q cases with K answers per case",
        "",
    ),
    (
        "groups",
        "mean of every group, and its difference from all other answers by Welch's t over clusters, adjusted by Holm",
        "--by",
    ),
    (
        "mean of the groups",
        "mean of the means of groups. Only the variation within groups counts, because the groups are fixed "
        "(stratified).",
        "--group-weight",
    ),
    ("two runs", "the means of both runs, and the paired difference over clusters", ""),
)
ERRORS = (
    (
        "Inspect",
        "`stderr`: of the means of questions over epochs, with n - 1",
        "equal, if all questions have the same number of graded epochs",
    ),
    (
        "Inspect",
        "`stderr(cluster=…)`: of clusters of questions, with G / (G - 1)",
        "equal with `--cluster` and the same column, if clusters have equal sizes. Otherwise the means "
        "without one cluster count (CV3).",
    ),
    ("lm-eval", "of a mean over questions, with n - 1", "equal"),
    ("promptfoo, deepeval, MLflow", "none", ""),
)
REQUIRED = (
    "`--require` takes `grade`, `grade[COL=GROUP]`, `mean_of_groups`, `varying`, `pass@K` and `pass^K`, as in "
    "`--require 'grade.low >= 0.7 and pass@2.low >= 0.8'`. `classay gate NEW OLD --rule non-inferior --margin 0.02` "
    "decides between two runs. If one file has both runs, `--new-run` names the new one."
)


def logs() -> str:
    """Every log: how it is recognized, which version was tried; grades; the surprises."""
    rows = [[known.tool, prose(known.what), prose(known.recognized_by), known.tried] for known in FORMATS]
    return page(
        "Evaluation logs",
        "`classay grades` and `ca.read_grades` read logs of evaluations of language models. The content of a file "
        "decides which log it is. Nothing of a log is executed, and transcripts are not read.",
        table(["tool", "log", "recognized by", "version tried"], rows),
        TEXT,
        "## Numbers",
        table(
            ["number", "what it is", "option"],
            [[*words, f"`{name}`" if name else ""] for *words, name in NUMBERS],
        ),
        REQUIRED,
        "The report shows the mean and the standard error that a log states, and why they differ from those here. A "
        "failed answer leaves the means of Inspect and deepeval, and promptfoo counts it as not passed.",
        table(["tool", "its standard error", "here"], [[*row] for row in ERRORS]),
        "## Surprises",
        "All rows were found in logs that the tools wrote, and are held by tests. The scripts that make the logs are "
        "in `tests/outside/make/` of the repository.",
        table(["file", "tool", "surprise"], [[f"`{each.file}`", each.tool, each.fact] for each in SURPRISES]),
    )
