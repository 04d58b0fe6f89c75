"""Reference of measures, from their registry: an index that a reader can search, and a page for each kind of table."""

import re
from collections.abc import Iterator

from manual.markdown import code, codes, page, prose, table

ROWS = {
    "counts": """\
a = ca.assess_counts({"truth": [1, 1, 0, 0], "prediction": [1, 0, 1, 0], "n": [6, 4, 1, 89]}, positive=1)
""",
    "margins": """\
rows = [[50, 3, 2], [10, 30, 5], [4, 6, 40]]
a = ca.assess(ca.ConfusionMatrix.from_array(rows, "abc", rows="true"))
""",
    "matrix": """\
rows = [[50, 3, 2], [10, 30, 5], [4, 6, 40]]
a = ca.assess(ca.ConfusionMatrix.from_array(rows, "abc", rows="true", ordered=True))
""",
    "scores": """\
truth = [1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]
score = [0.95, 0.9, 0.85, 0.8, 0.8, 0.7, 0.7, 0.65, 0.6, 0.55]
score += [0.5, 0.5, 0.45, 0.4, 0.35, 0.3, 0.3, 0.2, 0.1, 0.05]
a = ca.assess(truth, score)
""",
    "cases": """\
truth = list("aaaabbbccccc")
score = [[0.6, 0.3, 0.1], [0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.7, 0.2, 0.1]]
score += [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.6, 0.3], [0.1, 0.2, 0.7]]
score += [[0.3, 0.3, 0.4], [0.2, 0.2, 0.6], [0.2, 0.5, 0.3], [0.5, 0.1, 0.4]]
a = ca.assess(truth, score, labels=["a", "b", "c"])
""",
    "tags": """\
truth = [[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1]]
truth += [[0, 1, 1, 0], [1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 0]]
score = [[0.9, 0.2, 0.6, 0.1], [0.3, 0.8, 0.4, 0.2], [0.7, 0.4, 0.5, 0.1], [0.2, 0.3, 0.1, 0.4]]
score += [[0.8, 0.6, 0.3, 0.3], [0.1, 0.7, 0.6, 0.2], [0.6, 0.5, 0.4, 0.1], [0.5, 0.9, 0.2, 0.2]]
score += [[0.8, 0.3, 0.7, 0.6], [0.4, 0.1, 0.8, 0.0]]
a = ca.assess(truth, score)
""",
}
"""The cases of the examples: those of tests/oracles/expected.json, whose values other programs computed."""
ROWS |= {"probabilities": ROWS["scores"], "class_scores": ROWS["cases"], "tag_scores": ROWS["tags"]}
PAGES = {
    "counts": "one-class",
    "margins": "all-classes",
    "matrix": "ordered-classes",
    "scores": "scores",
    "probabilities": "scores",
    "class_scores": "class-scores",
    "cases": "class-scores",
    "tags": "several-labels",
    "tag_scores": "several-labels",
}
"""The page of a measure, by the table that it is a function of."""
TITLES = {
    "one-class": "Of one class",
    "all-classes": "Of all classes",
    "ordered-classes": "Of classes in an order",
    "scores": "Of the scores of two classes",
    "class-scores": "Of the scores of several classes",
    "several-labels": "Of several labels a case",
}
KIN = (
    "accuracy error_rate baseline_accuracy balanced_accuracy",
    "top_2_accuracy top_3_accuracy top_5_accuracy accuracy",
    "matthews_correlation cohen_kappa informedness markedness p4",
    "linear_kappa quadratic_kappa cohen_kappa",
    "precision recall f1 average_precision",
    "recall specificity informedness balanced_accuracy g_mean",
    "negative_predictive_value precision specificity",
    "false_positive_rate false_negative_rate false_discovery_rate false_omission_rate",
    "f1 f2 f0_5 max_f1 jaccard fowlkes_mallows",
    "lift precision prevalence",
    "prevalence predicted_prevalence baseline_accuracy",
    "positive_likelihood_ratio negative_likelihood_ratio diagnostic_odds_ratio",
    "single_point_auc roc_auc balanced_accuracy informedness",
    "roc_auc gini average_precision hull_auc partial_roc_auc h_measure kolmogorov_smirnov",
    "partial_roc_auc standardized_partial_roc_auc roc_auc",
    "kolmogorov_smirnov informedness roc_auc",
    "average_precision area_under_prg max_f1 roc_auc",
    "hand_till_auc macro_roc_auc weighted_roc_auc roc_auc",
    "brier_score brier_skill brier_miscalibration brier_discrimination brier_uncertainty log_loss",
    "log_loss log_loss_skill log_loss_miscalibration log_loss_discrimination log_loss_uncertainty brier_score",
    "multiclass_brier_score multiclass_brier_skill brier_score log_loss",
    "expected_calibration_error equal_mass_calibration_error maximum_calibration_error"
    " root_mean_squared_calibration_error debiased_squared_calibration_error expected_calibration_error_null"
    " smooth_calibration_error",
    "cumulative_calibration_error cumulative_calibration_range smooth_calibration_error expected_calibration_error",
    "calibration_slope calibration_intercept calibration_in_the_large observed_expected_ratio spiegelhalter_z",
    "integrated_calibration_index median_calibration_error calibration_error_90 smooth_calibration_error",
    "classwise_calibration_error top_label_calibration_error expected_calibration_error",
    "area_under_risk_coverage roc_auc brier_score",
    "exact_match hamming_loss samples_jaccard",
    "samples_precision samples_recall samples_f1 samples_jaccard",
    "one_error coverage_error ranking_loss label_ranking_average_precision",
)
"""Measures that answer the same question, or that a reader of one looks for next."""


def index() -> str:
    """Every measure in a line, by the table that it is a function of, and the families."""
    parts = [
        "A measure is a [function of a table](../function-of-a-table.md). Each has a formula, a range, conditions "
        "under which it is undefined, an interval, a source and an example: follow its name. `classay measures NAME` "
        "explains one in a terminal. [Intervals](intervals.md) lists the methods.",
        '<div class="find" title="measures"></div>',
    ]
    for name, title in TITLES.items():
        rows = [
            [f"[`{m.name}`](measures/{name}.md#{m.name})", code(m.formula), _range(m), codes(m.aliases)]
            for m in on(name)
        ]
        parts.append(f"## {title}\n\n" + table(["name", "formula", "range", "also called"], rows))
    parts.append(
        "## On request\n\nThese have parameters, or are shown only to those who name them. Write the parameters in "
        "brackets: `--measures 'f_beta(3)'`, `a[\"f_beta(3)\"]`."
    )
    parts.append(_families())
    return page("Measures", *parts)


def of(name: str) -> str:
    """The page of one kind of table: a section a measure."""
    about = "[All measures](../measures.md) can be searched. The values of the examples are those of other programs."
    return page(TITLES[name], about, *map(_definition, on(name)))


def on(name: str) -> Iterator:
    """The measures of a page, in the order of reports."""
    from classay.measures import MEASURES

    return (each for each in MEASURES.values() if PAGES[each.needs] == name)


def _families() -> str:
    from classay.measures import FAMILIES

    rows = [
        [code(each.written), prose((each.build.__doc__ or "").strip().partition("\n")[0])]
        for each in FAMILIES.values()
    ]
    return table(["name", "meaning"], rows)


def _definition(measure) -> str:
    from classay.cli.commands import without_file as command
    from classay.measures import ALIASES
    from classay.measures.registry import undefined_text
    from classay.measures.vocabulary import REFERENCES

    aliases = [alias for alias, of in ALIASES.items() if of == measure.name]
    undefined = undefined_text(measure).removesuffix(".")
    facts = [
        f"range {_range(measure)}, best {command._best(measure)}",
        prose(undefined[0].lower() + undefined[1:]),
        *([f"also called {codes(aliases)}"] if aliases else []),
    ]
    rows = [
        ["source", prose(REFERENCES[measure.reference])],
        *_intervals(measure),
        ["related", ", ".join(f"[`{each.name}`]({_link(measure, each)})" for each in related(measure))],
    ]
    return "\n\n".join(
        [
            f"## {measure.name}",
            f"**{prose(measure.title)}.** {prose(command._meaning(measure))}",
            f"{code(measure.formula)}: {'; '.join(facts)}.",
            "\n".join(f"- {name}: {text}" for name, text in rows if text),
            f"```python\n{example(measure)}```",
        ]
    )


def _intervals(measure) -> list[list[str]]:
    """The interval of each way of drawing, and what else may be asked for; their sources stand with the methods."""
    from classay.inference import intervals  # noqa: F401  fills the registry
    from classay.inference.methods import METHODS, described

    told: dict[str, str] = {}
    for drawn, text in described(measure):
        told[drawn] = "; ".join(dict.fromkeys(filter(None, [told.get(drawn), CITED.sub("", text)])))
    words = {"of weights": "with sampling weights", "of clusters": "in clusters"}
    names = sorted({each.name for each in METHODS}, key=lambda name: (-len(name), name))
    known = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, names))})(?![\w-])")
    ways: dict[str, list[str]] = {}
    for drawn, text in told.items():
        if drawn != "on request":
            ways.setdefault(text, []).append(words.get(drawn, "interval"))
    mirrored = re.compile("(?<=the mirror of that of )(.*)")
    lines = [
        [" and ".join(drawn), known.sub(_named, prose(mirrored.sub(r"`\1`", text)))]
        for text, drawn in ways.items()
    ]
    if len(lines) == 1:
        lines[0][0] = "interval"
    asked = [each for each in told.get("on request", "").split("; ") if each]
    kinds = [each.removesuffix(" bootstrap") for each in asked if each.endswith(" bootstrap")]
    others = "; ".join(each for each in asked if not each.endswith(" bootstrap"))
    others = others.replace("bootstrap", f"bootstrap ({', '.join(kinds)})") if kinds else others
    return lines if others in told.values() else [*lines, ["on request", prose(others)]]


CITED = re.compile(r" \([^()]*\b(?:1[89]|20)\d\d\b(?:[^()]|\([^()]*\))*\)")
"""The references behind the name of a method."""


def _named(found: re.Match) -> str:
    return f"[{found[1]}](../intervals.md#{_anchor(found[1])})"


def _anchor(name: str) -> str:
    """The anchor of a heading, as the tool that builds the site makes it."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", name).strip().lower())


def example(measure) -> str:
    """The measure of a few cases, and what it is there."""
    names: dict = {}
    lines = f"import classay as ca\n\n{ROWS[measure.needs]}"
    exec(lines, names)
    return f'{lines}a["{measure.name}"]\n# {names["a"][measure.name]!r}\n'


def related(measure, most: int = 7) -> list:
    """Measures that have to do with one: 1 minus it, its averages or what it averages, and those of `KIN`."""
    from classay.measures import MEASURES

    plain = measure.average.of if measure.average else measure
    others = [each for each in MEASURES.values() if each is not measure]
    found = [each for each in others if measure.name == each.complement or each.name == measure.complement]
    found += [each for each in others if (each.average.of if each.average else each) is plain]
    for line in KIN:
        names = line.split()
        if measure.name in names:
            found += [MEASURES[each] for each in names if each != measure.name]
    return list(dict.fromkeys(found))[:most]


def _link(measure, other) -> str:
    there = PAGES[other.needs]
    return f"#{other.name}" if there == PAGES[measure.needs] else f"{there}.md#{other.name}"


def _range(measure) -> str:
    from classay.cli.commands.without_file import _range as written

    return written(measure)
