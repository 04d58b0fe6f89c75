"""Documents made by hand, for the tests of the renderers: plausible numbers, no assessment behind them."""

import numpy as np

from classay.curves.curve import Curve
from classay.inference.estimate import Estimate
from classay.report.document import (
    AxisScale,
    Bar,
    Cell,
    Column,
    Count,
    Document,
    EstimateCell,
    Figure,
    Figures,
    Label,
    Listing,
    Matrix,
    MethodCell,
    Prose,
    Section,
    Table,
)
from classay.report.results.parts import bar

Row = tuple[str, str, Estimate, tuple[float, float]]

UNIT = (0.0, 1.0)
HOSTILE = (
    "<script>alert(1)</script>",
    "[bold]x[/bold]",
    "</script><!--",
    "two\nlines",
    "\x1b[31mred\x1b[0m",
    "🦊🦊",
    "x" * 300,
    "{{ 7 * 7 }} & 'quotes\"",
    "\ud800",
    "日本語のとても長いラベルがここにありますよねえ本当に長い",
)


def estimate(value: float, half: float = 0.02, method: str = "Wilson") -> Estimate:
    """An estimate with an interval around its value, inside [0, 1]."""
    return Estimate(value, max(value - half, 0.0), min(value + half, 1.0), 0.95, method)


def measures(rows: tuple[Row, ...], note: str = "") -> Table:
    """A table of measures, each with its title, name, estimate and range."""
    columns = (
        Column("", Label),
        Column("value", EstimateCell),
        Column("", Bar, 9),
        Column("CI method", MethodCell),
    )
    cells = tuple(
        (Label(title, name), EstimateCell(each), bar(each, bounds), MethodCell(each))
        for title, name, each, bounds in rows
    )
    return Table(columns, cells, note=note, scale=AxisScale())


def classes_table(rows: list[tuple[str, float, dict[str, Estimate]]], foot: str = "") -> Table:
    """A table of classes with their estimates."""
    names = list(rows[0][2])
    columns = [
        Column(name.replace("_", " "), EstimateCell, 0 if name == names[-1] else k)
        for k, name in enumerate(names, 1)
    ]
    cells: list[tuple[Cell, ...]] = [
        (Label(label), Count(cases), *map(EstimateCell, found.values())) for label, cases, found in rows
    ]
    return Table((Column("class", Label), Column("cases", Count), *columns), tuple(cells), foot=foot)


def binary_document() -> Document:
    """Two classes with scores: everything that a document can hold, pictures included."""
    return Document(
        "Assessment of breast_cancer.csv",
        (
            ("rows", "285"),
            ("classes", "benign 179 · malignant 106 (37.2%)"),
            ("positive", "malignant"),
            ("threshold", "0.5 (default, not chosen for these data)"),
            ("missing", "none"),
            ("rows are", "independent (no cluster given)"),
            ("level", "95%"),
            ("seed", "0"),
        ),
        (
            "The classifier ranks a malignant case above a benign one 99.4% of the time (97.9 to 99.9%).",
            "At threshold 0.5 it finds 96.2% of the malignant cases and is right in 98.1% of its alarms.",
            "It is clearly better than always saying benign, which would be right in 62.8% of the cases.",
        ),
        (
            Section("Confusion matrix", (Matrix(("benign", "malignant"), ((177.0, 4.0), (2.0, 102.0))),)),
            Section("Curves", (sample_figures(),)),
            *(
                Section(
                    "Ranking",
                    (
                        measures(
                            (
                                ("AUC", "roc_auc", Estimate(0.994, 0.979, 0.999, 0.95, "logit-DeLong"), UNIT),
                                (
                                    "Gini",
                                    "gini",
                                    Estimate(0.988, 0.958, 0.998, 0.95, "logit-DeLong"),
                                    (-1.0, 1.0),
                                ),
                                (
                                    "Average precision",
                                    "average_precision",
                                    Estimate(
                                        0.991, 0.968, 0.998, 0.95, "stratified bootstrap, 2,000 replicates"
                                    ),
                                    UNIT,
                                ),
                                (
                                    "Kolmogorov–Smirnov distance",
                                    "ks",
                                    Estimate.bare(
                                        0.951,
                                        "no valid default method for KS below 200 cases in the smaller class",
                                    ),
                                    UNIT,
                                ),
                            ),
                            "How well the scores put the malignant cases first, whatever the threshold.",
                        ),
                    ),
                ),
                Section(
                    "Probability",
                    (
                        measures(
                            (
                                (
                                    "Log-loss",
                                    "log_loss",
                                    Estimate(0.0843, 0.051, 0.118, 0.95, "t on per-case losses"),
                                    (0.0, np.inf),
                                ),
                                (
                                    "Brier score",
                                    "brier_score",
                                    Estimate(0.0212, 0.0124, 0.03, 0.95, "t on per-case losses"),
                                    UNIT,
                                ),
                                (
                                    "Brier skill",
                                    "brier_skill",
                                    Estimate.bare(0.909, "no valid method yet"),
                                    (-np.inf, 1.0),
                                ),
                            )
                        ),
                    ),
                ),
                Section(
                    "At the threshold",
                    (
                        measures(
                            (
                                ("Accuracy", "accuracy", Estimate(0.979, 0.955, 0.990, 0.95, "Wilson"), UNIT),
                                ("Recall", "recall", Estimate(0.962, 0.907, 0.985, 0.95, "Wilson"), UNIT),
                                (
                                    "Specificity",
                                    "specificity",
                                    Estimate(0.989, 0.96, 0.997, 0.95, "Wilson"),
                                    UNIT,
                                ),
                                (
                                    "Precision",
                                    "precision",
                                    Estimate(0.981, 0.933, 0.995, 0.95, "Wilson"),
                                    UNIT,
                                ),
                                (
                                    "F1",
                                    "f1",
                                    Estimate(0.971, 0.94, 0.987, 0.95, "Wilson via the Jaccard index"),
                                    UNIT,
                                ),
                                (
                                    "Balanced accuracy",
                                    "balanced_accuracy",
                                    Estimate(0.676, 0.52, 0.788, 0.95, "MOVER, Wilson"),
                                    UNIT,
                                ),
                                (
                                    "Matthews correlation",
                                    "matthews_correlation",
                                    Estimate(
                                        0.955, 0.91, 0.978, 0.95, "multinomial bootstrap, 2,000 replicates"
                                    ),
                                    (-1.0, 1.0),
                                ),
                                (
                                    "Diagnostic odds ratio",
                                    "diagnostic_odds_ratio",
                                    Estimate(2256.75, 405.3, 12544.2, 0.95, "log"),
                                    (0.0, np.inf),
                                ),
                                (
                                    "Positive likelihood ratio",
                                    "lr_plus",
                                    Estimate(float("inf"), 30.2, float("inf"), 0.95, "log"),
                                    (0.0, np.inf),
                                ),
                                (
                                    "False omission rate",
                                    "false_omission_rate",
                                    Estimate.undefined(
                                        "nothing is predicted negative, so there is nothing to divide by"
                                    ),
                                    UNIT,
                                ),
                            )
                        ),
                    ),
                ),
            ),
            Section(
                "Classes",
                (
                    classes_table(
                        [
                            (
                                "benign",
                                179,
                                {
                                    "precision": estimate(0.978),
                                    "recall": estimate(0.989),
                                    "f1": estimate(0.983),
                                },
                            ),
                            (
                                "malignant",
                                106,
                                {
                                    "precision": estimate(0.981),
                                    "recall": estimate(0.962),
                                    "f1": estimate(0.971),
                                },
                            ),
                        ]
                    ),
                ),
            ),
            Section(
                "What the intervals cover",
                (
                    Prose(
                        "The test cases are random: the intervals say what another sample of cases like these "
                        "would show. The classifier is taken as it is; how it would vary with other training data "
                        "is not covered."
                    ),
                ),
            ),
            Section(
                "Warnings",
                (
                    Listing(
                        (
                            (
                                "default-threshold",
                                "The threshold 0.5 is the default; nobody chose it. Set one with `--threshold`.",
                            ),
                            (
                                "small-class",
                                "Only 106 cases are malignant: intervals of what rests on them are wide, and "
                                "differences of a few hundredths between two classifiers mean nothing.",
                            ),
                        )
                    ),
                ),
                "warnings",
            ),
            Section(
                "Next steps",
                (
                    Listing(
                        tuple(
                            ("", step)
                            for step in (
                                "`classay assess breast_cancer.csv --truth y --score p --threshold 0.3` takes another "
                                "threshold.",
                                "`--all` shows every measure; `--html report.html` writes this with pictures.",
                            )
                        )
                    ),
                ),
                "next",
            ),
        ),
        version="0.1.0",
    )


def sample_figures() -> Figures:
    """A ROC and a histogram of the scores of each class."""
    roc, *histograms = sample_curves()
    return Figures((Figure((roc,)), Figure(tuple(histograms))))


def sample_curves() -> tuple[Curve, ...]:
    """A ROC and a histogram of the scores of each class."""
    x = np.linspace(0, 1, 60)
    threshold = np.r_[np.inf, np.linspace(0.99, 0.0, 59)]
    edges = np.linspace(0, 0.95, 20)
    return (
        Curve(
            "roc", "ROC curve", x, 1 - (1 - x) ** 9, "false positive rate", "true positive rate",
            threshold=threshold,
        ),
        Curve(
            "histogram", "Scores by class", edges, np.round(60 * np.exp(-edges * 6)), "score", "cases",
            kind="bars", width=0.05, series="benign",
        ),
        Curve(
            "histogram", "Scores by class", edges, np.round(40 * np.exp(edges * 5 - 5)), "score", "cases",
            kind="bars", width=0.05, series="malignant",
        ),
    )  # fmt: skip


def multiclass_document(classes: int = 3, labels: tuple[str, ...] = ()) -> Document:
    """Any number of classes, hard labels only; every third class is never predicted."""
    labels = labels or tuple(f"class {k:02d}" for k in range(classes))
    classes = len(labels)
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 30, (classes, classes)) + np.diag(rng.integers(100, 900, classes))
    f1 = rng.uniform(0.3, 0.99, classes).round(3)
    rows = [
        (
            label,
            float(counts[:, k].sum()),
            {
                "precision": Estimate.undefined("never predicted") if k % 3 == 2 else estimate(0.912),
                "recall": estimate(0.876, 0.031),
                "specificity": estimate(0.981, 0.004),
                "false_discovery_rate": estimate(0.088, 0.031),
                "F1": Estimate.bare(float(f1[k]), "a cell it rests on is under 5")
                if k % 3 == 1
                else estimate(f1[k]),
            },
        )
        for k, label in enumerate(labels)
    ]
    undefined = Estimate.undefined(f"f1 of {labels[0]!r}: never predicted")
    return Document(
        "Assessment of predictions",
        (
            ("rows", f"{counts.sum():,}"),
            ("classes", f"{classes}: {', '.join(labels)}"),
            ("level", "95%"),
        ),
        ("It is right in 81.2% of the cases (79.0 to 83.3%).", f"It is weakest on {labels[0]}."),
        (
            Section("Confusion matrix", (Matrix(labels, tuple(tuple(map(float, row)) for row in counts)),)),
            Section(
                "Labels",
                (
                    measures(
                        (
                            ("Accuracy", "accuracy", estimate(0.812), UNIT),
                            ("Macro F1", "macro_f1", undefined, UNIT),
                        )
                    ),
                ),
            ),
            Section("Classes", (classes_table(rows),)),
            Section("What the intervals cover", (Prose("The test cases."),)),
            Section(
                "Warnings", (Listing((("never-predicted", f"{labels[0]} is never predicted."),)),), "warnings"
            ),
            Section("Next steps", (Listing((("", "classay compare"),)),), "next"),
        ),
    )


DOCUMENTS = {
    "binary": binary_document(),
    "3 classes": multiclass_document(3),
    "12 classes": multiclass_document(12),
    "30 classes": multiclass_document(30),
    "hostile": multiclass_document(labels=HOSTILE),
    "empty": Document("Nothing"),
}
