"""One comparison, one in each group of cases, the best of several models, and a gate with its requirements.

Documents; what their JSON says is described in `compared_shapes.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any

from classay.assessment.finding import Finding, leading
from classay.comparison.best import BestModel
from classay.comparison.claims import direction_of
from classay.comparison.comparison import Comparison
from classay.comparison.comparisons import Comparisons, row_of
from classay.comparison.findings_gates import findings_on_gate
from classay.comparison.gate_rules import Gate, alpha_of
from classay.inference.estimate import Estimate, title
from classay.inference.requirements import Outcome, Verdict
from classay.report.document import (
    Bar,
    Column,
    Difference,
    Document,
    EstimateCell,
    Label,
    MethodCell,
    PValue,
    Section,
    Table,
    Words,
)
from classay.report.results import compared_models
from classay.report.results.assessments import closing
from classay.report.results.compared_models import bar_of, scale_around, values_of
from classay.report.results.compared_shapes import GATE
from classay.report.results.parts import (
    BARS,
    STATUS,
    TONES,
    decided_by,
    json_value,
    not_met,
    section_of,
    with_flow,
)
from classay.report.shape import Key, Result
from classay.report.value_kinds import COUNT, NUMBER, TESTED, TEXT, TEXTS, WARNINGS
from classay.texts import some


def document_of_gate(
    gate: Gate,
    outcomes: Sequence[Outcome] = (),
    *,
    more: Sequence[Section] = (),
    of_rule: Sequence[Finding] | None = None,
) -> Document:
    """Return the document of a gate; its status is the verdict on the rule and on all requirements together.

    `more` are sections behind the first; `of_rule` are other findings on the rule than those of one rule.
    """
    sections = [Section(" minus ".join(gate.comparison.models), (_table_of_gate(gate),)), *more]
    if outcomes:
        sections.append(section_of(outcomes))
    sections += closing("", gate.warnings, ())
    return Document(
        _title(gate, outcomes),
        gate.facts,
        tuple(finding.sentence for finding in _findings(gate, outcomes, of_rule)),
        tuple(sections),
        STATUS[verdict_of(gate, outcomes)],
        sources=tuple(dict.fromkeys(filter(None, gate.comparison.reference.split("; ")))),
    )


def for_paper_of_gate(document: Document, gate: Gate) -> Document:
    """Return the document with the rows that were given and not compared first, as that of comparisons."""
    return with_flow(document, gate.left_out)


def _title(gate: Gate, outcomes: Sequence[Outcome]) -> str:
    """Return the rule and the requirements, first those on which the verdict rests."""
    margin = "" if gate.margin is None else f", margin {gate.margin:g}"
    rule = (f"{gate.rule}{margin}", gate.verdict)
    demands = decided_by([rule, *((str(outcome.requirement), outcome.verdict) for outcome in outcomes)])
    return f"{demands}, {' compared with '.join(gate.comparison.models)}"


def _findings(
    gate: Gate, outcomes: Sequence[Outcome], of_rule: Sequence[Finding] | None
) -> tuple[Finding, ...]:
    """Return what the rule and the requirements found, first what the verdict rests on."""
    worst = verdict_of(gate, outcomes)
    first = not_met([outcome for outcome in outcomes if outcome.verdict is worst])
    then = not_met([outcome for outcome in outcomes if outcome.verdict is not worst])
    demands_lead = gate.verdict is not worst
    return leading(findings_on_gate(gate, (*first, *then), demands_lead=demands_lead, of_rule=of_rule))


def verdict_of(gate: Gate, outcomes: Sequence[Outcome]) -> Verdict:
    """Return the verdict on the rule and on all requirements together."""
    return Verdict.of([gate.verdict, *(outcome.verdict for outcome in outcomes)])


def effect_of(gate: Gate) -> Estimate:
    """Return the difference as it is, first minus second, or why there is none."""
    effect = gate.comparison.effect
    return gate.difference if effect is None else effect


def condition_of(gate: Gate, *, fails: bool = False) -> str:
    """Return what the rule demands of the difference as it is shown, first minus second, also where less is better.

    Equivalence demands the same of a difference and of its negative. `fails` is where it fails.
    """
    if gate.rule == "equivalent" or direction_of(gate.comparison) > 0:
        return gate.condition_of_failure if fails else gate.condition
    conditions = gate.conditions.fails if fails else gate.conditions.passes
    return str(conditions[0].negated)


def _table_of_gate(gate: Gate) -> Table:
    comparison = gate.comparison
    values = values_of(comparison)
    n = "" if comparison.n is None else f"; {comparison.n:,.0f} {comparison.units}"
    better = "higher" if direction_of(comparison) > 0 else "lower"
    effect = effect_of(gate)
    has_p = not isnan(gate.p)
    sign = -1 if direction_of(comparison) < 0 else 1
    turned = "Bars are reversed, so better values are to the right." if sign < 0 else ""
    edges = {"non-inferior": (-1.0,), "superior": (1.0,), "equivalent": (-1.0, 1.0)}.get(gate.rule, ())
    dashed = "Dashed line: margin." if edges and gate.margin else ""
    bar = bar_of(effect, sign, TONES[gate.verdict]) if effect.has_interval else None
    scale = scale_around([] if bar is None else [bar], gate.margin or 0.0)
    return Table(
        (
            Column("measure", Label),
            *(Column(name, Words) for name in comparison.models),
            Column("difference", Difference),
            *([Column("one-sided p", PValue)] if has_p else []),
            Column("", Bar, BARS),
        ),
        (
            (
                Label(title(comparison.measure), comparison.measure),
                *values,
                Difference(effect),
                *([PValue(gate.p, alpha_of(gate))] if has_p else []),
                bar,
            ),
        ),
        foot=f"Rule: passes if `{condition_of(gate)}`, {_of_failure(gate)}. {better.capitalize()} "
        f"{title(comparison.measure)} is better. "
        f"{_of_p(gate) if has_p else ''}{comparison.method}{n}.",
        scale=replace(scale, margin=gate.margin or 0.0, edges=edges),
        legend=" ".join(filter(None, (turned, dashed))),
    )


def _of_failure(gate: Gate) -> str:
    """Return where a rule fails, and that it is inconclusive between, if there is a between."""
    if all(condition.part == "high" for condition in gate.conditions.passes):
        return "fails otherwise"
    return f"fails if `{condition_of(gate, fails=True)}`, inconclusive otherwise"


def _of_p(gate: Gate) -> str:
    """Return what the p-value is of, and from where on it decides."""
    holds = "The rule fails at p of" if gate.rule == "not-worse" else "The rule passes at p of"
    return f"p tests the null hypothesis of {gate.against}, from the interval. {holds} {alpha_of(gate):.3g} or less. "


def as_dict_of_gate(
    gate: Gate,
    outcomes: Sequence[Outcome] = (),
    *,
    of_rule: Sequence[Finding] | None = None,
    described: Result = GATE,
) -> dict[str, Any]:
    """Return a gate, and requirements beside it, as values that JSON knows; `verdict` is that of all of them."""
    beside: dict[str, object] = {"verdict": verdict_of(gate, outcomes).value, "effect": effect_of(gate)}
    beside |= {"headline": _findings(gate, outcomes, of_rule), "requirements": outcomes}
    return described.as_dict(gate, beside)


def alone(comparison: Comparison) -> Comparisons:
    """Return the comparison as a family of its own; a comparison of more than two models is an overall test."""
    if len(comparison.models) == 2:
        return Comparisons((comparison,), comparison.models, level=comparison.claimed_at)
    return Comparisons((), comparison.models, level=comparison.claimed_at, overall=(comparison,))


def document_of_comparison(comparison: Comparison) -> Document:
    """As that of comparisons, without facts of what was compared, which the family has."""
    return compared_models.document_of(alone(comparison))


def frame_of_comparison(comparison: Comparison) -> Any:
    """Return one row, with the columns of a frame of comparisons."""
    return Comparisons((comparison,), comparison.models).frame()


def as_dict_of_comparison(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as it stands among the others of a family, with the names of all that were compared."""
    return {"models": list(comparison.models)} | {
        name: json_value(value) for name, value in row_of(comparison).items()
    }


def document_of_best(best: BestModel) -> Document:
    """Return the observed value of the best model, its expected value on fresh cases, and the difference."""
    table = Table(
        (Column("", Label), Column("value", EstimateCell), Column("CI method", MethodCell)),
        tuple(
            (Label(name), EstimateCell(estimate), MethodCell(estimate))
            for name, estimate in (
                ("observed (optimistic)", best.observed),
                ("expected on new cases", best.corrected),
            )
        ),
        foot="The corrected interval is valid whichever model is chosen.",
    )
    facts = (
        *best.facts,
        ("best", some([best.model, *best.equals], 4)),
        ("confidence level", f"{100 * (best.corrected.level or best.observed.level or 0.95):g}%"),
        ("seed", str(best.seed)),
    )
    measure = title(best.measure)
    section = Section(f"{measure[:1].upper()}{measure[1:]} of {best.model}", (table,))
    warned = closing("", best.warnings, ())
    return Document("Best of several models", facts, (best.sentence,), (section, *warned))


BEST = Result(
    "best",
    1,
    "The best of several models",
    "What `classay best --json` writes and `BestModel.to_dict` returns: the observed value of the best model, "
    "and the expected value on new cases.",
    Key("measure", TEXT),
    Key("model", TEXT, help="The model with the best value."),
    Key("equals", TEXTS, help="Other models with the same value."),
    Key("models", COUNT.limited(minimum=1), help="Number of models."),
    Key("cases", COUNT),
    Key("observed", TESTED, help="The observed best value (optimistic)."),
    Key("corrected", TESTED, help="Expected value of this model on new cases."),
    Key("shrinkage", NUMBER),
    Key("sentence", TEXT),
    Key("seed", COUNT),
    Key("warnings", WARNINGS),
)
as_dict_of_best = BEST.as_dict
