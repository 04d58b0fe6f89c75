"""Learners of several labels a case: their document and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from classay.comparison.findings_differences import difference_sentence
from classay.inference.estimate import direction, format_estimate, measure_phrase
from classay.multilabel.results import as_dict
from classay.multilabel.results_shapes import TAGS
from classay.multilabel_learn.tag_folds import TagEvaluation
from classay.report.document import Cell, Column, Document, EstimateCell, Label, Section, Table
from classay.report.results.assessments import closing
from classay.report.shape import Key, Kind, Many, Result, Row
from classay.report.value_kinds import COUNT, LEVEL, TEXT
from classay.saved_results import SavedResult, estimates_of
from classay.texts import hint, listed


def document_of_evaluation(evaluation: TagEvaluation) -> Document:
    """Return what each learner did on the cases that it was not fitted to."""
    first = evaluation.first
    facts = (
        ("learners", ", ".join(evaluation.models)),
        ("cases", f"{first.n:,}"),
        ("tags", f"{len(first.labels):,}"),
        ("protocol", f"{evaluation.protocol}; each case is predicted once, by a model not trained on it"),
        ("confidence level", f"{100 * evaluation.level:g}%"),
        ("seed", str(evaluation.seed)),
    )
    estimates = {name: evaluation.estimates(name) for name in evaluation.models}
    columns = [
        Column(measure_phrase(name), EstimateCell, min(k, 3), name)
        for k, name in enumerate(evaluation.measures)
    ]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (Label(model), *(EstimateCell(of_model[name]) for name in evaluation.measures))
        for model, of_model in estimates.items()
    )
    main = evaluation.measures[0]
    known = {
        model: of_model[main] for model, of_model in estimates.items() if not of_model[main].is_undefined
    }
    ordered = sorted(known, key=lambda model: known[model].value * direction(main), reverse=True)
    of = f"Of {len(estimates)} learners, " if len(ordered) > 1 else ""
    most = "lowest" if direction(main) < 0 else "highest"
    lines = [
        f"{of}{model} has the {most} {measure_phrase(main)}: {format_estimate(known[model])}."
        if of and not k
        else f"The {measure_phrase(main)} of {model} is {format_estimate(known[model])}."
        for k, model in enumerate(ordered)
    ]
    lines[1:1] = _first_two(evaluation, main, ordered)
    random = (
        "The intervals reflect sampling variability of the cases. The models of the folds are held "
        "fixed, so the intervals are too narrow for the performance with other training sets."
    )
    sections = (
        Section("Learners", (Table((Column("learner", Label), *columns), rows),)),
        *closing(
            random,
            evaluation.warnings,
            [hint(f"Inspect one learner: `e[{evaluation.models[0]!r}]`.", JSON_HAS_ALL)],
        ),
    )
    named = (
        listed(evaluation.models) if len(evaluation.models) <= NAMED else f"{len(evaluation.models)} learners"
    )
    title = f"Evaluation of {named} on multilabel cases"
    return Document(title, facts, tuple(lines), sections)


NAMED = 4
"""Learners up to which the title names all."""
JSON_HAS_ALL = "Get every measure of each learner with `--json out.json`."


def _first_two(evaluation: TagEvaluation, measure: str, ordered: Sequence[str]) -> list[str]:
    """Return how much better the best is than the next, and how sure that is, where there are several."""
    if len(ordered) < 2:
        return []
    comparisons = evaluation.compare([measure])
    return [
        difference_sentence(test, evaluation.first.n)
        for test in comparisons
        if {*test.models} == {*ordered[:2]}
    ]


def _models(evaluation: TagEvaluation) -> list[tuple[str, dict[str, Any]]]:
    """Return the assessment of each learner as plain values."""
    return [(name, as_dict(a, evaluation.measures)) for name, a in evaluation.assessments.items()]


EVALUATION = Result(
    "tag-evaluation",
    1,
    "Evaluation of learners on multilabel cases",
    "What `classay evaluate --json` writes of several columns of `--target`: an assessment of every learner.",
    Key("protocol", TEXT),
    Key("level", LEVEL),
    Key("seed", COUNT),
    Key(
        "models",
        Many(Row(Key("model", TEXT, "0"), Key("assessment", Kind(TAGS.elsewhere.schema, dict), "1"))),
        _models,
    ),
    kind="tag_evaluation",
)
as_dict_of_evaluation = EVALUATION.as_dict


def list_tag_evaluation(
    e: TagEvaluation, kept: SavedResult, names: tuple[str, ...] | None
) -> Iterator[SavedResult]:
    """Yield a row for each model of an evaluation of several labels a case."""
    for model, assessment in e.assessments.items():
        estimates = estimates_of(assessment, names or e.measures)
        yield replace(kept, what="tag evaluation", cases=assessment.n, model=model, estimates=estimates)
