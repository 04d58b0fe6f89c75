"""Building the plain Report of an assessment: choosing and ordering, no computing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from classay.assessment.assessment import Assessment
from classay.assessment.judgement import percent, quote, verdict, warnings, what_is_random
from classay.assessment.shifted import Shifted
from classay.inference.estimate import Estimate
from classay.measures import MEASURES, get
from classay.report.curves import pictured
from classay.report.report import ClassRow, Group, Matrix, Report, Row
from classay.report.wording import count, shorten

RANKING = ("roc_auc", "average_precision", "hand_till_auc", "macro_roc_auc")
PROBABILITY = (
    "log_loss",
    "log_loss_skill",
    "brier_score",
    "brier_skill",
    "multiclass_brier_score",
    "multiclass_brier_skill",
    "top_2_accuracy",
)
CALIBRATION = (
    "brier_miscalibration",
    "brier_discrimination",
    "calibration_slope",
    "calibration_in_the_large",
    "observed_expected_ratio",
    "expected_calibration_error",
    "expected_calibration_error_null",
    "classwise_calibration_error",
    "top_label_calibration_error",
)
MORE_CALIBRATION = (
    "brier_uncertainty",
    "log_loss_miscalibration",
    "log_loss_discrimination",
    "log_loss_uncertainty",
    "calibration_intercept",
    "equal_mass_calibration_error",
    "maximum_calibration_error",
    "root_mean_squared_calibration_error",
    "debiased_squared_calibration_error",
    "smooth_calibration_error",
    "cumulative_calibration_error",
    "cumulative_calibration_range",
    "integrated_calibration_index",
    "median_calibration_error",
    "calibration_error_90",
    "spiegelhalter_z",
)
LABELS_BINARY = (
    "accuracy",
    "baseline_accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "negative_predictive_value",
    "f1",
    "matthews_correlation",
    "cohen_kappa",
)
LABELS_SEVERAL = (
    "accuracy",
    "baseline_accuracy",
    "balanced_accuracy",
    "macro_precision",
    "macro_f1",
    "weighted_f1",
    "matthews_correlation",
    "cohen_kappa",
)
SHOWN_PER_CLASS = ("roc_auc", "precision", "recall", "specificity", "f1")
Detail = Literal["main", "all"]


def report_of(a: Assessment, *, names: Iterable[str] | None = None, detail: Detail = "main") -> Report:
    """The report of an assessment, without pictures: of the named measures, of those people use most, or of all."""
    from classay import __version__

    matrix = None
    if a.confusion_matrix is not None:
        counts = tuple(tuple(float(c) for c in row) for row in a.confusion_matrix.counts)
        matrix = Matrix(tuple(str(label) for label in a.labels), counts)
    return Report(
        title="Assessment of a classifier",
        facts=_facts(a),
        verdict=verdict(a),
        matrix=matrix,
        groups=_groups(a, names, detail),
        classes=() if names is not None else _classes(a),
        warnings=tuple((each.code, each.text) for each in warnings(a)),
        random=what_is_random(a),
        next_steps=_next_steps(a, detail),
        version=__version__,
    )


def with_pictures(report: Report, a: Assessment) -> Report:
    """The report of an assessment with its curves, which only a page can show."""
    main, more = pictured(a)
    return replace(report, curves=main, more_curves=more)


def at_prevalence(shifted: Shifted, found: dict[str, Estimate]) -> Group:
    """The estimates at another prevalence as a group of the report."""
    share, label = f"{100 * shifted.prevalence:.4g} %", quote(shifted.assessment.positive)
    note = (
        f"If {share} of the cases are of class {label} (here {percent(Estimate(shifted.observed))}), and the scores of "
        "each class are as here. Recall, specificity and the ROC curve stay."
    )
    rows = tuple(_row(name, each) for name, each in found.items())
    return Group(f"At a prevalence of {share}", rows, note)


def report_at_prevalence(shifted: Shifted) -> Report:
    """The report of another prevalence alone: the facts of the cases, and the main measures there."""
    whole = report_of(shifted.assessment, names=())
    group = at_prevalence(shifted, shifted.estimates(shifted.main_measures))
    return replace(whole, verdict=(), matrix=None, groups=(group,), warnings=(), next_steps=())


def _facts(a: Assessment) -> tuple[tuple[str, str], ...]:
    unit = "weight" if a.kind_of_weight == "sampling" else "cases"
    shares = [
        f"{shorten(str(label), 24)}: {count(total)}"
        for label, total in zip(a.labels[:6], a.class_totals[:6], strict=True)
    ]
    more = f", and {len(a.labels) - 6} more classes" if len(a.labels) > 6 else ""
    facts = [("cases", f"{a.n:,}" if a.n == a.rows else f"{a.n:,} in {a.rows:,} rows")]
    facts.append((f"{unit} by class", ", ".join(shares) + more))
    if a.positive is not None:
        facts.append(("positive", quote(a.positive)))
    if a.threshold is not None:
        facts.append(
            ("threshold", f"{a.threshold:g}" + ("" if a.threshold_chosen else " (default, not chosen)"))
        )
    dependent = "independent" if a.clusters is None else f"in {len(a.clusters):,} clusters"
    lacking = "label or group" if a.dropped else "label"
    facts.append(("rows", f"{dependent}; {a.dropped:,} left out for a missing {lacking}"))
    if a.kind_of_weight != "none":
        facts.append(("weights", f"{a.kind_of_weight} weights"))
    facts.append(("level", f"{100 * a.level:g} %, seed {a.seed}"))
    if a.interval is not None:
        facts.append(("intervals", f"{a.interval} where it applies, elsewhere the default"))
    return tuple(facts)


def _groups(a: Assessment, names: Iterable[str] | None, detail: Detail) -> tuple[Group, ...]:
    if names is not None:
        return (Group("Measures", tuple(_row(name, found) for name, found in a.estimates(names).items())),)
    usable = {measure.name for measure in a.applicable()}
    labels = LABELS_BINARY if a.positive is not None else LABELS_SEVERAL
    others = sorted(usable - {*RANKING, *PROBABILITY, *CALIBRATION, *MORE_CALIBRATION, *labels})

    averages = [name for name in others if a.positive is not None and _is_average(name)]

    def other(*kinds: str) -> list[str]:
        return [name for name in others if get(name).needs in kinds and name not in averages]

    wanted = {
        title: [name for name in (*main, *(more if detail == "all" else ())) if name in usable]
        for title, main, more in (
            ("Ranking", RANKING, other("scores", "class_scores")),
            ("Probability", PROBABILITY, other("probabilities", "cases")),
            ("Calibration", CALIBRATION, MORE_CALIBRATION),
            (_at_threshold(a), labels, other("counts", "margins", "matrix")),
            ("Averages over both classes", (), averages),
        )
    }
    found = a.estimates(name for chosen in wanted.values() for name in chosen)
    groups = [
        Group(title, tuple(_row(name, found[name]) for name in names)) for title, names in wanted.items()
    ]
    shown = [group for group in groups if group.rows and (detail == "all" or not _is_repetition(group))]
    return tuple(_without_repetition(group) for group in shown)


def _is_average(name: str) -> bool:
    kind, _, averaged = name.partition("_")
    return kind in ("macro", "micro", "weighted") and averaged in MEASURES


def _without_repetition(group: Group) -> Group:
    """The group, or only a note when all its measures are undefined for one and the same reason."""
    reasons = {row.estimate.reason for row in group.rows if row.estimate.is_undefined}
    if len(group.rows) < 2 or len(reasons) != 1 or not all(row.estimate.is_undefined for row in group.rows):
        return group
    return Group(group.title, (), f"Absent: {reasons.pop()}.")


def _is_repetition(group: Group) -> bool:
    """Whether a group only says once more that the scores are no probabilities."""
    return group.title == "Calibration" and all(row.estimate.is_undefined for row in group.rows)


def _at_threshold(a: Assessment) -> str:
    if a.confusion_matrix is None:
        return "Labels"
    if a.threshold is None:
        return "Labels as predicted" if a.class_scores is None else "Labels of the largest score"
    return f"Labels at threshold {a.threshold:g}" + ("" if a.threshold_chosen else " (default, not chosen)")


def _row(name: str, found: Estimate) -> Row:
    return Row(MEASURES[name].title, name, found, MEASURES[name].bounds)


def _classes(a: Assessment) -> tuple[ClassRow, ...]:
    if a.positive is not None or a.confusion_matrix is None:
        return ()
    return tuple(
        ClassRow(str(label), float(total), _shown(found))
        for found, label, total in zip(a.class_estimates().values(), a.labels, a.class_totals, strict=True)
    )


def _shown(found: dict[str, Estimate]) -> dict[str, Estimate]:
    """The estimates shown of a class; which class a reason is about, its row says."""
    shown = {name: found[name] for name in SHOWN_PER_CLASS if name in found}
    return {
        name: replace(each, reason=(each.reason or "").rpartition(": ")[2]) if each.is_undefined else each
        for name, each in shown.items()
    }


def _next_steps(a: Assessment, detail: Detail) -> tuple[str, ...]:
    steps = []
    if detail == "main":
        steps.append("`--all` shows every measure, `--html report.html` the page with the pictures")
    steps.append("`--save a.classay` keeps the tables: they load, and add to those of more data")
    steps.append("`classay measures NAME` explains a measure")
    if a.threshold is not None and not a.threshold_chosen:
        steps.append("`--threshold T` assesses the labels at a threshold of your choice")
    return tuple(steps)
