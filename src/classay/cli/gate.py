"""`classay gate`: whether a new model may take the place of the old one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from classay.assessment.requirements import Outcome, Verdict, check, parse
from classay.cli.assess import typed_label
from classay.cli.compare import SAVED, Sources, names_of
from classay.cli.compare_saved import block_values
from classay.cli.outputs import put, say_written, waiting, writable
from classay.cli.verdicts import EXIT
from classay.comparison.gate import Gate, Rule, check_rule, gate, interval_level
from classay.errors import InputError
from classay.measures import get
from classay.texts import clean


@dataclass(frozen=True)
class Demand:
    """The rule, its margin, requirements on the new model alone, and where to write."""

    measure: str
    rule: str
    margin: float | None
    require: tuple[str, ...]
    json: str | None
    markdown: str | None


GATE_OF_SAVED = (
    frozenset({"measure", "rule", "margin", "require", "level", "json", "markdown"}),
    "for saved assessments, which know their rows, labels and thresholds",
)
"""The options of a gate of saved assessments, and why the others have no meaning there."""


def run(sources: Sources, demand: Demand, *, level: float, seed: int, missing: str) -> Verdict:
    """Compare the models, hold the rule against the comparison, and write every output asked for."""
    from classay.report.contract.gate import as_dict
    from classay.report.contract.writer import json_text
    from classay.report.documents.gate import document_of
    from classay.report.markdown import as_markdown

    if len(sources.files) != 2 or sources.files[0] == sources.files[1]:
        raise InputError("a gate is for two files: first that of the new model, then that of the old one.")
    demands = [each for text in demand.require for each in parse(text)]
    for name in [demand.measure, *(each.name for each in demands)]:
        get(name)
    writable({"--json": demand.json, "--markdown": demand.markdown}, *sources.files)
    check_rule(demand.rule, demand.margin)
    how = {"level": level, "seed": seed, "missing": missing}
    if all(file.endswith(SAVED) for file in sources.files):
        found, outcomes = _of_saved(sources, demand, level)
    else:
        found, outcomes = _of_rows(sources, demand, how)
    written = put(demand.markdown, lambda: as_markdown(document_of(found, outcomes)))
    written += put(demand.json, lambda: json_text(as_dict(found, outcomes)))
    verdict = Verdict.of([found.verdict, *(each.verdict for each in outcomes)])
    if demand.json != "-":
        for each in (found, *outcomes):
            print(clean(str(each)))
    say_written(written)
    return verdict


def _of_saved(sources: Sources, demand: Demand, level: float) -> tuple[Gate, list[Outcome]]:
    """The gate of two saved assessments, without their rows."""
    from classay.assessment.saved.restoring import load
    from classay.comparison.cases.by_blocks import compare_saved

    new, old = names_of(sources.files)
    name = get(demand.measure).name
    first, second = (block_values(file, [name]) for file in sources.files)
    compared = compare_saved(first, second, name, (new, old), level=interval_level(_rule(demand), level))
    found = gate(compared, _rule(demand), demand.margin)
    outcomes: list[Outcome] = []
    if demand.require:
        assessment = load(sources.files[0])
        outcomes = [each for text in demand.require for each in check(text, assessment.estimate)]
    return found, outcomes


def _of_rows(sources: Sources, demand: Demand, how: dict[str, Any]) -> tuple[Gate, list[Outcome]]:
    """The gate of two files of predictions."""
    from classay.assessment.assessing import assess
    from classay.comparison.compare import compare

    if any(file.endswith(SAVED) for file in sources.files):
        raise InputError("one file is a saved assessment and the other is none: pass two of a kind.")
    sources.need_truth()
    with waiting("reading"):
        models, columns = sources.models()
    if sources.positive is not None:
        how["positive"] = typed_label(sources.positive, next(iter(models.values()))[sources.truth])
    with waiting("comparing"):
        threshold = sources.thresholds()
        by_level = how | {"level": interval_level(_rule(demand), how["level"])}
        found = compare(models, measures=[demand.measure], threshold=threshold, **columns, **by_level)
    made = gate(found[0], _rule(demand), demand.margin)
    if not demand.require:
        return made, []
    name, table = next(iter(models.items()))
    own = {role: columns[role] for role in ("truth", "weight", "frequency", "cluster")}
    if isinstance(threshold, dict):
        threshold = threshold.get(name)
    a = assess(
        table, score=columns["scores"], prediction=columns["predictions"], threshold=threshold, **own, **how
    )
    return made, [each for text in demand.require for each in check(text, a.estimate)]


def _rule(demand: Demand) -> Rule:
    return cast(Rule, demand.rule)


def code(verdict: Verdict) -> int:
    """The exit code of a verdict: 0, 1 for a failed gate, 3 for one that cannot tell."""
    return EXIT[verdict]
