"""Pilots from their definition, every refusal next to what is accepted, defaults, and options of the command."""

import json
from math import sqrt

import numpy as np
import pytest
from scipy import stats

import classay as ca
from classay.errors import InputError
from classay.sample_size.sizes import least_for, whole
from command import call, refusal
from documented import documented_defaults, undocumented_defaults
from sample_size.aucs import exponential_variance, normal_variance, rating_variance

size = ca.sample_size
MINIMAL = {
    "for_auc": (0.8, 0.1),
    "for_auc_against": (0.8, 0.7),
    "for_auc_difference": (0.8, 0.7),
    "auc_difference_power": (0.8, 0.7, 50, 60),
    "for_class_rate": (0.1,),
    "for_gate": (0.05, 0.2),
    "for_labels": (np.linspace(0.01, 0.99, 200), 0.2),
    "for_leaderboard": (3, 0.2, 0.1),
    "for_mcnemar": (0.2, 0.1),
    "for_means": (0.2, 0.6),
    "for_no_failures": (0.1,),
    "for_precision": (0.1,),
    "for_proportion": (0.1,),
}


@pytest.mark.parametrize("name", MINIMAL)
def test_a_plan_without_options_is_that_of_the_documented_defaults(name):
    function = getattr(size, name)
    named = documented_defaults(function)
    assert named["level"] == 0.95
    assert undocumented_defaults(function) == []
    plain = function(*MINIMAL[name])
    assert function(*MINIMAL[name], **named) == plain
    if "power" in function.__annotations__:
        assert function(*MINIMAL[name], power=0.8) == plain


def test_every_plan_has_its_defaults_tested():
    assert {*MINIMAL} == {*size.__all__} - {"SampleSize", "means_of_pilot", "pilot_of"}


# -- pilots -------------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(11)
TRUTH = np.arange(90) % 5 < 2
SCORE = np.round(RNG.normal(TRUTH * 1.0), 1)
WEIGHT = RNG.integers(1, 4, 90).astype(float)
NEW, OLD = RNG.normal(0.3, 1, 40).round(2), RNG.normal(0, 1, 40).round(2)
QUESTION = np.repeat(np.arange(16), [1, 2, 3, 4] * 4)


@pytest.fixture(scope="module")
def pilots(tmp_path_factory):
    """A folder of pilots, as the command reads them."""
    folder = tmp_path_factory.mktemp("pilots")
    plain = ca.assess(TRUTH, SCORE, threshold=0.5)
    saved = {
        "two": plain,
        "at90": ca.assess(TRUTH, SCORE, level=0.9),
        "labels": ca.assess(TRUTH, y_pred=SCORE > 0.5),
        "none_called": ca.assess(TRUTH, y_pred=np.zeros(90, bool)),
        "three": ca.assess(list("abc") * 9, y_pred=list("abcb") * 6 + list("abc")),
        "raters": ca.rater_agreement({"a": TRUTH, "b": SCORE > 0}),
    }
    for name, result in saved.items():
        result.save(folder / f"{name}.classay")
    rows = ["new,old,question,third"]
    rows += [f"{a},{b},q{c},1" for a, b, c in zip(NEW, OLD, QUESTION, strict=True)]
    (folder / "values.csv").write_text("\n".join(rows))
    digits = [f"{a},{b},{'01' if k % 2 else '1'}" for k, (a, b) in enumerate(zip(NEW, OLD, strict=True))]
    (folder / "digits.csv").write_text("\n".join(["new,old,code", *digits]))
    (folder / "gap.csv").write_text("\n".join([*rows[:4], f"{NEW[3]},{OLD[3]},,1", *rows[5:]]))
    return folder


def asked(folder, words):
    """The JSON of a command in which each name of a pilot stands for its file."""
    names = {path.name: str(path) for path in folder.iterdir()}
    done = call("sample-size", *(names.get(word, word) for word in words.split()), "--json", "-")
    assert done.exit_code == 0, done.output
    assert done.stdout == json.dumps(json.loads(done.stdout), indent=2) + "\n"
    return json.loads(done.stdout)


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize(
    ("method", "variance"),
    [("normal", normal_variance), ("hanley-mcneil", exponential_variance), ("obuchowski", rating_variance)],
)
def test_a_pilot_has_the_variance_of_its_interval_over_that_of_the_formula(method, variance, weight, level):
    """Weighted cases count as (Σ w)² / Σ w² of each class."""
    w = np.ones(90) if weight is None else weight
    a = ca.assess(TRUTH, SCORE, weight=weight, level=level)
    known = size.pilot_of(a, method)
    pairs = np.outer(w[TRUTH], w[~TRUTH])
    order = np.sign(np.subtract.outer(SCORE[TRUTH], SCORE[~TRUTH])) / 2 + 0.5
    auc = (pairs * order).sum() / pairs.sum()
    numbers = [w[some].sum() ** 2 / (w[some] ** 2).sum() for some in (TRUTH, ~TRUTH)]
    found = a["roc_auc"]
    error = (found.high - found.low) / 2 / stats.norm.ppf((1 + level) / 2)
    assert known["auc"] == pytest.approx(auc)
    assert known["prevalence"] == pytest.approx(w[TRUTH].sum() / w.sum())
    assert known["scale"] == pytest.approx(error**2 / variance(auc, *numbers))


@pytest.mark.parametrize("cluster", [None, QUESTION, np.arange(40)])
def test_a_pilot_of_values_has_the_variance_over_its_clusters(cluster):
    """By leaving out each cluster in turn: (clusters - 1) / clusters times the squared moves of the mean."""
    known = size.means_of_pilot(NEW, OLD, cluster=cluster)
    d = NEW - OLD
    assert known["difference"] == pytest.approx(d.mean())
    assert known["deviation"] == pytest.approx(d.std(ddof=1))
    if cluster is not QUESTION:
        assert (known["per_cluster"], known["correlation"]) == (1, 0)
        return
    moved = [d[question != QUESTION].mean() - d.mean() for question in range(16)]
    inflated = np.square(moved).sum() * 15 / 16 / (d.var(ddof=1) / 40)
    assert known["per_cluster"] == 2.5
    assert known["correlation"] == pytest.approx((inflated - 1) / 1.5)


def test_two_cases_are_a_pilot_of_values():
    assert size.means_of_pilot([0.5, 1.0], [0.25, 0.5])["difference"] == 0.375
    pairs = size.means_of_pilot([1, 2, 4, 4.5], [0, 0, 0, 0], cluster=list("aabb"))
    assert pairs["per_cluster"] == 2
    assert pairs["correlation"] == pytest.approx((2 * 2.75**2 / 16 * 2 / (8.1875 / 3 / 4) - 1) / 1)


def test_a_command_takes_what_a_pilot_shows(pilots):
    """AUC, prevalence and variance of a saved assessment; precision and recall; means and clusters of a file."""
    a, at90 = (ca.load(pilots / f"{name}.classay") for name in ("two", "at90"))
    for method in ("normal", "hanley-mcneil"):
        known = size.pilot_of(a, method)
        scale = known.pop("scale")
        goal = {"half_width": 0.08 / sqrt(scale), "method": method, "level": 0.9}
        plan = size.for_auc(**known, **goal)
        found = asked(pilots, f"auc --from two.classay --half-width 0.08 --method {method} --level 0.9")
        assert (found["cases"], found["reached"]) == (plan.cases, pytest.approx(plan.reached * sqrt(scale)))
        words = f"{plan.assumed}; variance as in the pilot ({scale:.3g} times the formula)"
        assert (found["assumed"], found["level"]) == (words, 0.9)
        again = asked(pilots, f"auc --from two.classay --cases 333 --method {method}")
        reached = size.for_auc(**known, cases=333, method=method).reached
        assert again["reached"] == pytest.approx(reached * sqrt(scale))
    assert size.pilot_of(at90)["scale"] != size.pilot_of(a)["scale"]
    for method in ("normal", "obuchowski"):
        plan = size.for_auc_against(
            **size.pilot_of(a, method), against=0.6, power=0.9, level=0.9, method=method
        )
        options = f"--against 0.6 --method {method} --power 0.9 --level 0.9"
        assert asked(pilots, f"auc-against --from two.classay {options}") == vars(plan)
    tp, fp = (SCORE >= 0.5)[TRUTH].sum(), (SCORE >= 0.5)[~TRUTH].sum()
    plan = size.for_precision(0.07, tp / (tp + fp), tp / TRUTH.sum(), TRUTH.mean(), level=0.9)
    found = asked(pilots, "precision --from two.classay --half-width 0.07 --level 0.9")
    assert found == vars(plan) | {"reached": pytest.approx(plan.reached)}
    for options, clusters in (("", {}), (" --cluster question", {"cluster": QUESTION})):
        known = size.means_of_pilot(NEW, OLD, **clusters)
        for more, given in (
            ("", {}),
            (" --difference 0.5", {"difference": 0.5}),
            (" --margin 0.2 --power 0.9", {"margin": 0.2, "power": 0.9}),
        ):
            found = asked(pilots, f"means --from values.csv --graded new,old{options}{more}")
            assert found == vars(size.for_means(**known | given)) | {
                "reached": pytest.approx(found["reached"])
            }
            assert found["cases"] == size.for_means(**known | given).cases


def test_clusters_are_labels_of_which_01_is_not_1(pilots):
    found = asked(pilots, "means --from digits.csv --graded new,old --cluster code --cases 40")
    assert "over 2 clusters of 20 cases" in found["method"]


OPTIONS = {
    "proportion": [
        (
            "--expected 0.8 --cases 70 --level 0.9",
            size.for_proportion,
            {"expected": 0.8, "cases": 70, "level": 0.9},
        ),
        (
            "--expected 0.8 --half-width 0.1 --prevalence 0.3 --level 0.9",
            size.for_class_rate,
            {"expected": 0.8, "half_width": 0.1, "prevalence": 0.3, "level": 0.9},
        ),
    ],
    "auc": [
        ("--auc 0.7 --half-width 0.1", size.for_auc, {"auc": 0.7, "half_width": 0.1, "prevalence": 0.5}),
        (
            "--auc 0.7 --cases 90 --prevalence 0.3 --method hanley-mcneil --level 0.9",
            size.for_auc,
            {"auc": 0.7, "cases": 90, "prevalence": 0.3, "method": "hanley-mcneil", "level": 0.9},
        ),
    ],
    "auc-against": [
        ("--auc 0.7 --against 0.8", size.for_auc_against, {"auc": 0.7, "against": 0.8, "prevalence": 0.5}),
        (
            "--auc 0.7 --against 0.8 --prevalence 0.2 --power 0.7 --level 0.9 --method obuchowski",
            size.for_auc_against,
            {
                "auc": 0.7,
                "against": 0.8,
                "prevalence": 0.2,
                "power": 0.7,
                "level": 0.9,
                "method": "obuchowski",
            },
        ),
    ],
    "auc-difference": [
        (
            "--first 0.7 --second 0.8 --correlation 0.3 --prevalence 0.2 --power 0.7 --level 0.9 --method obuchowski",
            size.for_auc_difference,
            {
                "first": 0.7,
                "second": 0.8,
                "correlation": 0.3,
                "prevalence": 0.2,
                "power": 0.7,
                "level": 0.9,
                "method": "obuchowski",
            },
        ),
        (
            "--first 0.7 --second 0.8 --score-correlation 0.3 --cases 100",
            size.for_auc_difference,
            {"first": 0.7, "second": 0.8, "score_correlation": 0.3, "cases": 100},
        ),
    ],
    "precision": [
        (
            "--precision 0.7 --recall 0.6 --prevalence 0.2 --cases 300 --level 0.9",
            size.for_precision,
            {"precision": 0.7, "recall": 0.6, "prevalence": 0.2, "cases": 300, "level": 0.9},
        ),
    ],
    "leaderboard": [
        (
            "--models 4 --first-only 0.2 --second-only 0.1 --power 0.7 --level 0.9",
            size.for_leaderboard,
            {"models": 4, "first_only": 0.2, "second_only": 0.1, "power": 0.7, "level": 0.9},
        ),
    ],
    "gate": [
        (
            "--margin 0.1 --discordant 0.2 --difference 0.05 --groups 2 --power 0.7 --level 0.9",
            size.for_gate,
            {"margin": 0.1, "discordant": 0.2, "difference": 0.05, "groups": 2, "power": 0.7, "level": 0.9},
        ),
        ("--margin 0.1 --discordant 0.2", size.for_gate, {"margin": 0.1, "discordant": 0.2}),
    ],
    "means": [
        (
            "--difference 0.1 --deviation 0.5 --margin 0.1 --per-cluster 3 --correlation 0.2 --power 0.7 --level 0.9",
            size.for_means,
            {
                "difference": 0.1,
                "deviation": 0.5,
                "margin": 0.1,
                "per_cluster": 3,
                "correlation": 0.2,
                "power": 0.7,
                "level": 0.9,
            },
        ),
    ],
    "mcnemar": [
        (
            "--first-only 0.2 --second-only 0.1 --power 0.7 --level 0.9",
            size.for_mcnemar,
            {"first_only": 0.2, "second_only": 0.1, "power": 0.7, "level": 0.9},
        ),
    ],
    "zero-failures": [("--rate 0.1 --level 0.9", size.for_no_failures, {"rate": 0.1, "level": 0.9})],
}


@pytest.mark.parametrize("design", OPTIONS)
def test_every_option_of_a_command_is_passed_on(design, tmp_path):
    for words, function, given in OPTIONS[design]:
        plan = function(**given)
        assert asked(tmp_path, f"{design} {words}") == vars(plan)
        written = tmp_path / "plan.json"
        shown = call("sample-size", design, *words.split(), "--json", str(written))
        assert json.loads(written.read_text()) == vars(plan)
        assert shown.stdout.startswith(f"{plan}\n")


BESIDE = "cannot be combined, because --from contains the same information. Remove"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("auc --half-width 0.1", "The expected AUC is not set. Use --auc, or a pilot with --from."),
        ("auc-against --against 0.7", "The expected AUC is not set. Use --auc, or a pilot with --from."),
        ("auc --half-width 0.1 --from two.classay --auc 0.8", f"--from and --auc {BESIDE}"),
        ("auc --half-width 0.1 --from two.classay --prevalence 0.8", f"--from and --prevalence {BESIDE}"),
        (
            "auc --half-width 0.1 --from two.classay --prevalence 0.8 --auc 0.8",
            f"--from and --auc and --prevalence {BESIDE}",
        ),
        ("auc-against --against 0.7 --from two.classay --auc 0.8", f"--from and --auc {BESIDE}"),
        (
            "auc-against --against 0.7 --from two.classay --prevalence 0.8",
            f"--from and --prevalence {BESIDE}",
        ),
        ("precision --half-width 0.1 --from two.classay --precision 0.8", f"--from and --precision {BESIDE}"),
        ("precision --half-width 0.1 --from two.classay --recall 0.8", f"--from and --recall {BESIDE}"),
        (
            "precision --half-width 0.1 --from two.classay --prevalence 0.8",
            f"--from and --prevalence {BESIDE}",
        ),
        ("precision --half-width 0.1", "--precision, --recall and --prevalence are not set. Add them, or"),
        ("precision --half-width 0.1 --recall 0.5", "--precision and --prevalence are not set. Add them, or"),
        (
            "precision --half-width 0.1 --recall 0.5 --precision 0.5",
            "--prevalence is not set. Add it, or use",
        ),
        ("precision --half-width 0.1 --from none_called.classay", "--precision is not set. Add it, or use"),
        (
            "auc --half-width 0.1 --from three.classay",
            "three.classay is not an assessment of two classes. Save",
        ),
        (
            "auc --half-width 0.1 --from raters.classay",
            "raters.classay is not a saved assessment but a rater agreement",
        ),
        ("auc --half-width 0.1 --from labels.classay", "The pilot has no AUC with an interval ("),
        ("auc --half-width 0.1 --from two.classay --method obuchowski", "Use 'normal' or 'hanley-mcneil'"),
        (
            "auc-against --against 0.7 --from two.classay --method hanley-mcneil",
            "Use 'normal' or 'obuchowski'",
        ),
        ("auc-against --against 0.7 --from two.classay --method no", "Unknown method 'no'. Use 'normal' or"),
        ("means", "--difference and --deviation are not set. Add them, or use a pilot with --from FILE"),
        ("means --difference 0.1", "--deviation is not set. Add it, or use a pilot with --from FILE"),
        ("means --deviation 0.1", "--difference is not set. Add it, or use a pilot with --from FILE"),
        ("means --graded new,old", "--graded needs the file of the pilot. Use --from FILE."),
        (
            "means --graded new,old --cluster question",
            "--graded needs the file of the pilot. Use --from FILE.",
        ),
        ("means --cluster question", "--cluster needs the file of the pilot. Use --from FILE."),
        ("means --from values.csv --graded new,old --deviation 1", f"--from and --deviation {BESIDE}"),
        ("means --from values.csv --graded new,old --per-cluster 2", f"--from and --per-cluster {BESIDE}"),
        (
            "means --from values.csv --graded new,old --per-cluster 2 --correlation 0.1",
            f"--from and --per-cluster and --correlation {BESIDE}",
        ),
        (
            "means --from values.csv --graded new",
            "two columns of values, but there are 1. Use --graded NEW,OLD.",
        ),
        (
            "means --from values.csv --graded new,old,third",
            "two columns of values, but there are 3. Use --graded",
        ),
        ("means --from gap.csv --graded new,old --cluster question", "cluster is missing in"),
        ("labels", "Missing argument"),
    ],
)
def test_commands_refuse(pilots, words, said):
    names = {path.name: str(path) for path in pilots.iterdir()}
    assert said in refusal("sample-size", *(names.get(word, word) for word in words.split()))


# -- refusals, each beside what is accepted --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "accepted", "refused", "words"),
    [
        ("for_leaderboard", {"models": 2, "first_only": 0.2, "second_only": 0.1}, {"models": 1}, "at least 2, but"),
        ("for_leaderboard", {"models": 2, "first_only": 0.75, "second_only": 0.25}, {"first_only": 0.76}, "at most 1"),
        ("for_leaderboard", {"models": 2, "first_only": 0.2, "second_only": 0.0}, {"second_only": 0.2}, "different"),
        ("for_mcnemar", {"first_only": 0.75, "second_only": 0.25}, {"first_only": 0.76}, "sum of at most 1"),
        ("for_mcnemar", {"first_only": 0.0, "second_only": 0.2}, {"first_only": 0.2}, "must be different shares"),
        ("for_precision", {"half_width": 0.1, "precision": 0.5, "recall": 0.5, "prevalence": 2 / 3},
         {"prevalence": 0.67}, "more false positives than there are negatives"),
        ("for_gate", {"margin": 0.1, "discordant": 0.2, "difference": -0.0999}, {"difference": -0.1}, "above -margin"),
        ("for_gate", {"margin": 0.1, "discordant": 0.2, "difference": 0.1}, {"margin": 0.0}, "passes the gate"),
        ("for_gate", {"margin": 0.1, "discordant": 0.2, "difference": 0.1}, {"margin": -0.05}, "passes the gate"),
        ("for_gate", {"margin": 0.1, "discordant": 0.2, "difference": 0.2}, {"difference": 0.21}, "at least the"),
        ("for_gate", {"margin": 0.3, "discordant": 0.2, "difference": -0.2}, {"difference": -0.21}, "at least the"),
        ("for_gate", {"margin": 0.1, "discordant": 1.0}, {"discordant": 1.01}, "discordant must be the share"),
        ("for_gate", {"margin": 0.1, "discordant": 1e-6}, {"discordant": 0.0}, "discordant must be the share"),
        ("for_gate", {"margin": 0.1, "discordant": 0.2, "groups": 1}, {"groups": 0}, "at least 1, but is 0"),
        ("for_gate", {"margin": 0.99, "discordant": 0.2}, {"margin": 1.0}, "margin is 1, but accuracy is between"),
        ("for_means", {"difference": 1e-3, "deviation": 0.1}, {"difference": 0.0}, "a difference other than 0"),
        ("for_means", {"difference": 0.1, "deviation": 0.1}, {"deviation": 0.0}, "Pass a deviation above 0"),
        ("for_means", {"difference": -0.09, "deviation": 0.1, "margin": 0.1}, {"difference": -0.1}, "above -margin"),
        ("for_means", {"difference": 0.1, "deviation": 0.1, "margin": 0.1}, {"margin": 0.0}, "margin 0.0. Pass"),
        ("for_means", {"difference": 0.1, "deviation": 0.1, "per_cluster": 1.0}, {"per_cluster": 0.9}, "at least 1"),
        ("for_means", {"difference": 0.1, "deviation": 0.1}, {"correlation": 0.1}, "a correlation from 0 to 1"),
        ("for_means", {"difference": 0.1, "deviation": 0.1, "per_cluster": 3, "correlation": -0.4},
         {"correlation": -0.5}, "a correlation from 0 to 1"),
        ("for_means", {"difference": 0.1, "deviation": 0.1, "cases": 2}, {"cases": 1}, "at least two cases. Pass more"),
        ("for_means", {"difference": 0.1, "deviation": 0.1, "per_cluster": 3, "cases": 6}, {"cases": 5},
         "cases is 5, but the t test needs at least two clusters"),
        ("for_auc_against", {"auc": 0.8, "against": 0.79}, {"against": 0.8}, "Both AUCs are 0.8"),
        ("for_auc_against", {"auc": 0.8, "against": 0.79, "method": "obuchowski"}, {"method": "hanley-mcneil"},
         "Unknown method 'hanley-mcneil'. Use 'normal' or 'obuchowski'"),
        ("for_auc", {"auc": 0.8, "half_width": 0.1, "method": "hanley-mcneil"}, {"method": "obuchowski"},
         "Unknown method 'obuchowski'. Use 'normal' or 'hanley-mcneil'"),
        ("for_auc", {"auc": 0.8, "cases": 2}, {"cases": 1}, "1 case would have 1 positive, but"),
        ("for_auc", {"auc": 0.8, "cases": 4, "prevalence": 0.75}, {"cases": 3}, "3 cases would have 3 positives"),
        ("for_class_rate", {"cases": 3, "prevalence": 0.4}, {"cases": 2}, "2 cases would have 0 positives"),
        ("for_auc_difference", {"first": 0.8, "second": 0.79}, {"second": 0.8}, "Both AUCs are 0.8"),
        ("for_auc_difference", {"first": 0.8, "second": 0.9, "correlation": -1.0}, {"correlation": -1.01}, "least -1"),
        ("for_auc_difference", {"first": 0.8, "second": 0.9, "correlation": 0.99}, {"correlation": 1.0}, "below 1"),
        ("for_auc_difference", {"first": 0.8, "second": 0.9, "score_correlation": -0.9},
         {"score_correlation": 1.0}, "score_correlation must be at least -1 and below 1, but is 1.0"),
        ("for_auc_difference", {"first": 0.8, "second": 0.9, "correlation": 0.5}, {"score_correlation": 0.5},
         r"correlation \(of the AUCs\) and score_correlation \(of the scores\) cannot be combined"),
        ("for_auc_difference", {"first": 0.8, "second": 0.9, "score_correlation": 0.5}, {"method": "obuchowski"},
         "Obuchowski's variance needs the correlation of the AUCs. Use correlation= instead"),
        ("for_auc_difference", {"first": 0.8, "second": 0.9}, {"method": "x"}, "Unknown method 'x'. Use 'normal' or"),
        ("for_proportion", {"cases": 1}, {"cases": 0}, "from 1 to 10,000,000,000, but is 0"),
        ("for_proportion", {"cases": 10**10}, {"cases": 10**10 + 1}, "from 1 to 10,000,000,000, but is 10000000001"),
        ("for_proportion", {"cases": 9}, {"half_width": 0.1}, "Both half_width and cases are set. Pass one"),
        ("for_proportion", {"half_width": 0.1}, {"half_width": None}, "Neither half_width nor cases is set. Pass one"),
        ("for_mcnemar", {"first_only": 0.2, "second_only": 0.1, "cases": 9}, {"power": 0.9}, "Both power and"),
        ("for_no_failures", {"rate": 0.1}, {"cases": 9}, "Both rate and cases are set"),
    ],
)  # fmt: skip
def test_a_refusal_begins_where_it_says(name, accepted, refused, words):
    function = getattr(size, name)
    assert function(**accepted).cases >= 1
    with pytest.raises(InputError, match=words):
        function(**accepted | refused)


def test_no_more_than_the_most_cases_are_searched_for():
    """The limit itself is still planned."""
    assert whole(1e10) == 10**10
    assert whole(7.2) == 8
    assert least_for(lambda n: n >= 7_000_000_000) == 7_000_000_000
    for beyond in (lambda: whole(1e10 + 1), lambda: whole(float("nan")), lambda: least_for(lambda n: False)):
        with pytest.raises(InputError, match=r"More than 10,000,000,000 cases would be needed. Use a larger"):
            beyond()


@pytest.mark.parametrize(
    "columns",
    [([1.0], [0.0]), ([1.0, 2.0], [0.0]), ([[1.0, 2.0]], [[0.0, 1.0]])],
    ids=["one", "unlike", "table"],
)
def test_pilots_of_values_that_are_no_two_columns_are_refused(columns):
    with pytest.raises(InputError, match=r"two columns of values of the same cases. Pass at least two cases"):
        size.means_of_pilot(*columns)


def test_a_plan_is_shown_with_its_numbers():
    """One case, classes or none, assumptions or none, and labels of scores that are not calibrated."""
    plan = ca.sample_size.SampleSize(1, None, None, "power", 0.5, "M")
    assert str(plan) == "1 case\npower 0.5 at level 0.95; M"
    plan = ca.sample_size.SampleSize(1234, 0, 1234, "power", 0.123456, "M", 0.9, "all", 5678, 0.25)
    assert str(plan) == (
        "1,234 cases (0 positive, 1,234 negative)\npower 0.1235 at level 0.9; M\nAssumptions: all\n"
        "If the scores are not calibrated: up to about 5,678 cases, power 0.25. "
        "Label few cases first, then plan by these labels."
    )


@pytest.mark.parametrize("design", ["stratified", "random"])
def test_a_plan_of_labels_is_that_of_its_scores(design):
    """Its own half-width, of calibrated scores and of others, which need no fewer labels."""
    scores = np.random.default_rng(0).beta(0.5, 4, 3000)
    given = {"threshold": 0.3, "design": design, "measure": "precision", "level": 0.9}
    plan = size.for_labels(scores, 0.1, **given)
    assert plan.method.startswith("strata by score" if design == "stratified" else "simple random sample")
    assert plan.assumed == "calibrated scores, precision at threshold 0.3"
    assert (plan.what, plan.level, plan.positives, plan.negatives) == ("half-width", 0.9, None, None)
    assert plan.reached <= 0.1
    assert plan.cases_if_not_calibrated >= plan.cases
    assert plan.reached_if_not_calibrated <= 0.1
    same = size.for_labels(scores, cases=plan.cases, **given)
    assert (same.reached, same.cases_if_not_calibrated) == (plan.reached, plan.cases)
    assert same.reached_if_not_calibrated >= same.reached
    more = size.for_labels(scores, cases=plan.cases_if_not_calibrated, **given)
    assert more.reached_if_not_calibrated == plan.reached_if_not_calibrated
