"""Validations: every number against scikit-learn, SciPy or plain counts, and by laws."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, binomtest, ks_2samp
from sklearn.metrics import roc_auc_score

import classay as ca
from classay.errors import InputError
from classay.report.document import Figures
from classay.report.door import with_pictures
from command import as_json, call
from documented import other_defaults
from validation.in_sweeps import AGAINST, DEVELOPMENT, FURTHER, GRADED, GRADES, NAMED, NOW, ROWS, write_inputs

V = ca.validate(NOW, DEVELOPMENT, **NAMED, **FURTHER)
ARRAYS, OLD = ({name: np.array(column) for name, column in each.items()} for each in (NOW, DEVELOPMENT))
BAD, OLD_BAD = ARRAYS["y"] == "bad", OLD["y"] == "bad"


def gini(is_positive, score):
    return 2 * roc_auc_score(is_positive, score) - 1


def test_the_gini_of_all_segments_and_periods():
    of_all = gini(OLD_BAD, OLD["p"])
    for row in V.discrimination:
        rows = np.ones(BAD.size, bool)
        if row.part != "all cases":
            rows = ARRAYS["region" if row.part == "segment" else "month"] == row.name
        old = OLD["region"] == row.name if row.part == "segment" else np.ones(OLD_BAD.size, bool)
        assert row.now.value == pytest.approx(gini(BAD[rows], ARRAYS["p"][rows]))
        assert row.development.value == pytest.approx(gini(OLD_BAD[old], OLD["p"][old]))
        assert row.difference.value == pytest.approx(row.now.value - row.development.value)
        assert (row.cases, row.positives) == (rows.sum(), BAD[rows].sum())
    assert V.discrimination[0].development.value == pytest.approx(of_all)
    assert [row.part for row in V.discrimination] == ["all cases", *["segment"] * 2, *["period"] * 3]


def test_the_rates_of_grades():
    assert [row.grade for row in V.grades] == [*GRADES]
    for row in V.grades:
        rows = ARRAYS["grade"] == row.grade
        cases, positives, predicted = int(rows.sum()), int(BAD[rows].sum()), ARRAYS["p"][rows].mean()
        limits = binomtest(positives, cases).proportion_ci(0.95 ** (1 / 4), "exact")
        assert (row.cases, row.positives, row.predicted) == (cases, positives, pytest.approx(predicted))
        assert (row.observed.low, row.observed.high) == pytest.approx(tuple(limits))
        assert row.p == pytest.approx(beta.cdf(predicted, positives + 0.5, cases - positives + 0.5))
        is_off = "too low" if predicted < limits.low else "too high" if predicted > limits.high else ""
        assert row.finding == is_off
    assert V.samples[0].predicted == pytest.approx(ARRAYS["p"].mean())
    assert V.samples[1].observed.value == pytest.approx(OLD_BAD.mean())


def test_the_stability_of_shares():
    by_name = {row.of: row for row in V.shares}
    for name, column in (("grades", "grade"), ("segments", "region")):
        labels = np.unique(ARRAYS[column])
        shares = [[(each[column] == label).sum() + 0.5 for label in labels] for each in (ARRAYS, OLD)]
        new, old = (np.array(each) / sum(each) for each in shares)
        assert by_name[name].index == pytest.approx(float(((new - old) * np.log(new / old)).sum()))
        assert by_name[name].bins == labels.size
    assert by_name["scores"].index > by_name["scores"].usual
    assert V.distance.value == pytest.approx(ks_2samp(ARRAYS["p"], OLD["p"]).statistic)


def test_overrides_and_benchmarks():
    rank = {grade: k for k, grade in enumerate(GRADES)}
    model, final = (np.array([rank[grade] for grade in ARRAYS[name]]) for name in ("grade", "final"))
    o = V.overrides
    assert o.raised.value == pytest.approx((final > model).mean())
    assert o.lowered.value == pytest.approx((final < model).mean())
    assert (o.model, o.final) == pytest.approx((roc_auc_score(BAD, model), roc_auc_score(BAD, final)))
    assert o.difference.value == pytest.approx(o.final - o.model)
    assert [row.cases for row in o.observed] == [
        (final > model).sum(),
        (final < model).sum(),
        (final == model).sum(),
    ]
    (row,) = V.benchmarks
    other = ca.compare(
        {"a": ARRAYS["p"], "b": ARRAYS["bureau"]}, ARRAYS["y"], positive="bad", measures=["roc_auc"]
    )[0]
    assert (row.model, row.benchmark) == pytest.approx(
        tuple(roc_auc_score(BAD, ARRAYS[name]) for name in ("p", "bureau"))
    )
    assert (row.difference.low, row.difference.high, row.p) == (other.effect.low, other.effect.high, other.p)


def test_a_grade_of_one_case_is_placed_by_its_score():
    """Grades are in the order of their mean scores, however few cases they have."""
    p = [0.1] * 10 + [0.5] * 10 + [0.9]
    model = ["low"] * 10 + ["middle"] * 10 + ["high"]
    final = [*model[:-2], "high", "high"]
    rows = {"y": [k % 2 for k in range(21)], "p": p, "grade": model, "final": final}
    old = {name: rows[name][:-1] for name in ("y", "p", "grade")}
    o = ca.validate(rows, old, truth="y", score="p", grade="grade", final="final").overrides
    assert (o.raised.value, o.lowered.value) == (pytest.approx(1 / 21), 0)


def test_a_sample_against_itself_has_no_difference():
    v = ca.validate(NOW, NOW, **NAMED, **{k: x for k, x in FURTHER.items() if k not in ("time", "per")})
    assert [row.index for row in v.shares] == [0, 0, 0, 0]
    assert v.distance.value == 0
    assert all(row.difference.value == 0 for row in v.discrimination)
    assert (v.samples[0].observed, v.samples[0].p) == (v.samples[1].observed, v.samples[1].p)


@pytest.mark.parametrize("odd", [0, 1], ids=["new cases", "development sample"])
def test_scores_of_either_sample_that_are_no_rates_leave_no_calibration(odd):
    samples = [NOW, DEVELOPMENT]
    samples[odd] = samples[odd] | {"p": (np.array(samples[odd]["p"]) * 5).tolist()}
    v = ca.validate(*samples, **NAMED)
    assert (v.grades, v.samples) == ((), ())


def test_both_samples_swapped():
    further = {"by": "region", "grade": "grade"}
    v, w = (
        ca.validate(one, other, **NAMED, **further) for one, other in ((NOW, DEVELOPMENT), (DEVELOPMENT, NOW))
    )
    for here, there in zip(v.shares, w.shares, strict=True):
        if "development" in here.of:
            continue
        assert (here.index, here.p) == pytest.approx((there.index, there.p))
    assert v.distance.value == pytest.approx(w.distance.value)
    gap, back = v.discrimination[0].difference, w.discrimination[0].difference
    assert (gap.value, gap.low, gap.high) == pytest.approx((-back.value, -back.high, -back.low))
    assert v.samples[0].observed == w.samples[1].observed


def test_the_order_of_rows_and_the_names_of_grades_do_not_matter():
    names = dict(zip(GRADES, "wxyz", strict=True))
    order = np.random.default_rng(0).permutation(len(NOW["y"]))
    other = {name: [column[k] for k in order] for name, column in NOW.items()}
    old = dict(DEVELOPMENT)
    for each in (other, old):
        each |= {name: [names[grade] for grade in each[name]] for name in ("grade", "final") if name in each}
    w = ca.validate(other, old, **NAMED, **FURTHER).to_dict()
    v = as_json(V)
    for row in v["grades"]:
        row["grade"] = names[row["grade"]]
    assert _numbers(w) == pytest.approx(_numbers(v))
    assert [row["grade"] for row in w["grades"]] == [row["grade"] for row in v["grades"]]


def _numbers(value):
    if isinstance(value, dict):
        return [number for each in value.values() for number in _numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in _numbers(each)]
    return [value] if isinstance(value, int | float) else []


def test_grades_without_a_column_are_tenths_of_the_development_sample():
    v = ca.validate(NOW, DEVELOPMENT, **NAMED)
    edges = np.quantile(OLD["p"], np.arange(1, 10) / 10, method="inverted_cdf")
    assert [row.cases for row in v.grades] == np.bincount(np.searchsorted(edges, ARRAYS["p"])).tolist()
    same = ca.validate(DEVELOPMENT, DEVELOPMENT, **NAMED)
    assert [row.cases for row in same.grades] == [90] * 10


def test_scores_that_are_no_rates_have_no_calibration():
    v = ca.validate(NOW, DEVELOPMENT, **(NAMED | {"score": "bureau"}), grade="grade", final="final")
    assert (v.grades, v.samples) == ((), ())
    assert "Calibration is not defined, because scores are outside 0 to 1." in v.sentences
    assert "Calibration by grade" not in str(v)
    assert v.discrimination[0].now.value == pytest.approx(gini(BAD, ARRAYS["bureau"]))


def run(*arguments):
    done = call("assess", *arguments, columns=400)
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_inputs()


@pytest.mark.usefixtures("_files")
def test_the_command_is_the_function():
    more = ("--final", "final", "--by", "region", "--time", "month", "--benchmark", "bureau")
    code, shown, said = run(*GRADED, *more, "--json", "-")
    assert (code, said) == (0, "")
    assert json.loads(shown) == as_json(V)
    code, shown, said = run(*GRADED, *more, "--xlsx", "v.xlsx", "--docx", "v.docx")
    assert code == 0, said
    assert "Discrimination by segment" in shown


REFUSED = {
    "an option alone": ((*ROWS, "--grade", "grade"), "Use --development too."),
    "final without grade": ((*ROWS, *AGAINST, "--final", "final"), "Use --grade too."),
    "no score": ((*ROWS[:3], *AGAINST), "--development needs --score."),
    "an option of others": (
        (*ROWS, *AGAINST, "--threshold", "0.5"),
        "--threshold cannot be used with --development.",
    ),
    "other grades": (
        (*ROWS, *AGAINST, "--grade", "region", "--final", "final"),
        "is not a grade of the model.",
    ),
    "a search for segments": ((*ROWS, *AGAINST, "--by", "*"), "--by '*' cannot be used with --development."),
    "one file twice": ((*ROWS, "--development", "./banks_now.csv"), "is named twice."),
    "periods without dates": ((*ROWS, *AGAINST, "--per", "month"), "--per needs dates."),
    "the score as benchmark": ((*ROWS, *AGAINST, "--benchmark", "p"), "--benchmark names 'p'"),
    "a benchmark of text": ((*ROWS, *AGAINST, "--benchmark", "region"), "Benchmark 'region'"),
    "no such column": ((*ROWS, *AGAINST, "--grade", "rating"), "no column"),
}


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    arguments, words = REFUSED[name]
    code, _, said = run(*arguments)
    assert code == 2
    assert words in said
    assert len(said.splitlines()) == 1


def test_samples_with_other_labels_are_refused():
    other = DEVELOPMENT | {"y": ["worse" if label == "bad" else label for label in DEVELOPMENT["y"]]}
    with pytest.raises(InputError, match="bad"):
        ca.validate(NOW, other, **NAMED)


def test_ties_leave_fewer_bins_and_grades_without_cases_are_not_counted():
    tied = [{**each, "p": np.round(np.array(each["p"]) * 4) / 4} for each in (NOW, DEVELOPMENT)]
    v = ca.validate(*tied, **NAMED)
    both = np.concatenate([each["p"] for each in tied])
    edges = np.quantile(both, np.arange(1, 10) / 10, method="inverted_cdf")
    assert v.shares[0].bins == np.unique(np.searchsorted(np.unique(edges), both)).size < 10
    few = {name: column[:12] for name, column in NOW.items()}
    w = ca.validate(few, DEVELOPMENT, **NAMED)
    seen = sum(row.cases > 0 for row in w.grades)
    assert seen < 10
    assert f"any of {seen} grades" in w.sentences[1]
    assert next(row for row in w.grades if row.cases).observed.method.startswith(f"Šidák over {seen} ")


def test_a_sample_of_one_class_is_refused():
    """Labels 0 alone name a positive class, 1, that no case has."""
    now, old = (
        {"y": [int(label == "bad") for label in each["y"]], "p": each["p"]} for each in (NOW, DEVELOPMENT)
    )
    none = {**now, "y": [0] * len(now["y"])}
    for samples in ((none, old), (old, none), (none, none)):
        with pytest.raises(InputError, match="two classes that both occur"):
            ca.validate(*samples, truth="y", score="p")


def test_a_declared_grade_without_cases():
    import pandas as pd

    kind = pd.CategoricalDtype([*GRADES, "none"])
    now, old = (pd.DataFrame(each) for each in (NOW, DEVELOPMENT))
    names = ["grade", "final"]
    now[names], old["grade"] = now[names].astype(kind), old["grade"].astype(kind)
    v = ca.validate(now, old, **NAMED, grade="grade", final="final")
    assert v.overrides.difference == V.overrides.difference
    assert next(row.bins for row in v.shares if row.of == "grades") == len(GRADES)
    now.loc[0, "final"] = "none"
    with pytest.raises(InputError, match="'none' is not a grade of the model"):
        ca.validate(now, old, **NAMED, grade="grade", final="final")


def test_grades_that_no_case_has_move_no_case():
    """The declared order of grades may have more than occur; a final grade among these has no rate to compare."""
    import pandas as pd

    now, old = (pd.DataFrame(each) for each in (NOW, DEVELOPMENT))
    for frame in (now, old):
        for name in ("grade", "final"):
            frame[name] = pd.Categorical(frame[name], [*GRADES, "E"], ordered=True)
    v = ca.validate(now, old, **NAMED, **FURTHER)
    assert v.overrides.raised == V.overrides.raised
    assert v.overrides.observed[2].cases == V.overrides.observed[2].cases
    now.loc[0, "final"] = "E"
    with pytest.raises(InputError, match="The final grade 'E' is not a grade of the model"):
        ca.validate(now, old, **NAMED, **FURTHER)


@pytest.mark.usefixtures("_files")
def test_periods_are_months_at_both_doors():
    days = np.random.default_rng(0).integers(1, 28, len(NOW["month"]))
    now = NOW | {"day": [f"{month}-{day:02}" for month, day in zip(NOW["month"], days, strict=True)]}
    rows = [",".join(map(str, row)) for row in zip(*now.values(), strict=True)]
    Path("banks_now.csv").write_text("\n".join([",".join(now), *rows]) + "\n")
    code, shown, _ = run(*ROWS, *AGAINST, "--time", "day", "--json", "-")
    v = ca.validate(now, DEVELOPMENT, **NAMED, time="day")
    names = [row.name for row in v.discrimination if row.part == "period"]
    found = [row["name"] for row in json.loads(shown)["discrimination"] if row["part"] == "period"]
    assert (code, names) == (0, found)
    assert names == ["2026-01", "2026-02", "2026-03"]


MIXED = [0, 1] * 20
SPOILED = {
    "one class": ({"y": [0] * 40}, "two classes"),
    "three classes": ({"y": [0, 1, 2, 1] * 10}, "two classes"),
    "one row": ({"y": [1], "p": [0.5]}, "two classes"),
    "a label that is missing": ({"y": [None, 1] * 20}, "Column 'y' has missing values in 20 rows."),
    "a score that is missing": (
        {"p": [float("nan"), *[0.5] * 39]},
        "Column 'p' has missing values in 1 row.",
    ),
    "a score that is text": ({"p": ["a", "b"] * 20}, "score is not numeric"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_an_error_names_the_sample(name):
    """The same fault of either sample has the same text behind the name of the sample, and needs no option to mend."""
    spoiled, words = SPOILED[name]
    good = {"y": MIXED, "p": np.linspace(0.1, 0.9, 40)}
    texts = []
    for which, samples in (
        ("New cases", (good | spoiled, good)),
        ("Development sample", (good, good | spoiled)),
    ):
        with pytest.raises(InputError, match=words) as refused:
            ca.validate(*samples, truth="y", score="p", positive=1 if name == "three classes" else None)
        assert str(refused.value).startswith(f"{which}: ")
        assert "missing=" not in str(refused.value)
        texts.append(str(refused.value).removeprefix(which))
    assert len({*texts}) == 1


@pytest.mark.parametrize("names", ["p", ["bureau", "bureau"], ["bureau", "p"]])
def test_a_benchmark_is_another_column(names):
    with pytest.raises(InputError, match="which is named already"):
        ca.validate(NOW, DEVELOPMENT, **NAMED, benchmark=names)


@pytest.mark.parametrize("names", [3, ["bureau", 3], {"bureau": 1}])
def test_a_benchmark_is_named(names):
    with pytest.raises(InputError, match="benchmark must be the name of a column"):
        ca.validate(NOW, DEVELOPMENT, **NAMED, benchmark=names)


@pytest.mark.parametrize("which", [0, 1])
def test_a_list_of_cases_to_label_is_no_sample(which):
    samples = [NOW, DEVELOPMENT]
    samples[which] = samples[which] | {"pool_row": list(range(len(samples[which]["y"])))}
    with pytest.raises(InputError, match="drawn with unequal chances"):
        ca.validate(*samples, **NAMED)


def test_equal_scores_have_no_index():
    same = {"y": MIXED, "p": [0.5] * 40}
    v = ca.validate(same, same, truth="y", score="p")
    assert "nan" not in str(v)
    assert "not defined, because all scores are equal" in v.sentences[2]


def test_whole_numbers_are_periods():
    now = NOW | {"round": [int(month[-1]) for month in NOW["month"]]}
    v, w = (
        ca.validate(now, DEVELOPMENT, **NAMED, time=time, per=per)
        for time, per in (("round", None), ("month", "month"))
    )
    assert [row.now.value for row in v.discrimination] == [row.now.value for row in w.discrimination]
    with pytest.raises(InputError, match="needs dates"):
        ca.validate(NOW, DEVELOPMENT, **NAMED, per="month")


def test_the_worst_grade_is_named_first():
    """Of many grades whose rates differ, the sentence names those whose predicted and observed rates differ most."""
    rng = np.random.default_rng(2)
    grade = np.repeat(np.array(list("ABCDEF")), 2000)
    predicted = np.repeat([0.01, 0.02, 0.05, 0.1, 0.2, 0.3], 2000)
    old = {"y": rng.binomial(1, predicted), "p": predicted, "grade": grade}
    new = {"y": rng.binomial(1, 1.5 * predicted), "p": predicted, "grade": grade}
    v = ca.validate(new, old, truth="y", score="p", grade="grade", positive=1)
    (sentence,) = (one for one in v.sentences if "too low in" in one)
    off = sorted((row for row in v.grades if row.finding), key=lambda row: row.predicted - row.observed.value)
    assert len(off) > 3
    places = [sentence.index(f"'{row.grade}'") for row in off[:3]]
    assert places == sorted(places)
    assert all(f"'{row.grade}'" not in sentence for row in off[3:])


def curves_on(page):
    return {
        figure.curves[0].name: figure.curves
        for section in page.sections
        for part in section.parts
        if isinstance(part, Figures)
        for figure in part.shown
    }


def test_the_pictures_show_the_numbers_of_the_tables():
    drawn = curves_on(with_pictures(V))
    observed, cross, predicted = drawn["grades"]
    assert observed.y == pytest.approx([row.observed.value for row in V.grades])
    assert predicted.y == pytest.approx([row.predicted for row in V.grades])
    ends = [(row.observed.low, row.observed.high, row.observed.value) for row in V.grades]
    assert cross.y[~np.isnan(cross.y)] == pytest.approx(np.ravel(ends))
    periods = [row for row in V.discrimination if row.part == "period"]
    now, _, then = drawn["gini"]
    assert now.y == pytest.approx([row.now.value for row in periods])
    assert now.x_names == tuple(row.name for row in periods)
    assert {*then.y} == {V.discrimination[0].development.value}
    for curve, score in zip(drawn["scores"], (ARRAYS["p"], OLD["p"]), strict=True):
        edges = np.append(curve.x, curve.x[-1] + curve.width)
        edges[-1] = max(edges[-1], score.max())
        assert curve.y == pytest.approx(np.histogram(score, edges)[0] / score.size)
        assert curve.y.sum() == pytest.approx(1)


def test_what_has_no_number_has_no_picture():
    alone = ca.validate(NOW, DEVELOPMENT, **NAMED)
    assert {*curves_on(with_pictures(alone))} == {"grades", "scores"}
    improper = [rows | {"p": [10 * p for p in rows["p"]]} for rows in (NOW, DEVELOPMENT)]
    assert {*curves_on(with_pictures(ca.validate(*improper, **NAMED)))} == {"scores"}
    same = {"y": MIXED, "p": [0.5] * 40}
    assert {*curves_on(with_pictures(ca.validate(same, same, truth="y", score="p")))} == {"grades"}


def test_periods_of_one_class_each_have_no_picture():
    apart = NOW | {"day": ["2026-01-05" if bad else "2026-02-05" for bad in BAD]}
    found = ca.validate(apart, DEVELOPMENT, **NAMED, time="day")
    periods = [row for row in found.discrimination if row.part == "period"]
    assert [row.now.is_undefined for row in periods] == [True, True]
    assert "gini" not in curves_on(with_pictures(found))


@pytest.mark.filterwarnings("ignore:The font")
def test_the_pictures_are_panels_of_a_figure_at_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_inputs()
    done = call("assess", *ROWS, *AGAINST, "--figure", "v.svg", "--panels", "grades+scores:183mm")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "v.svg").exists()


def test_calls_have_the_defaults_of_their_docstrings():
    assert other_defaults(ca.validate) == {}


def told(now, old, **names):
    return {one.code: one.text for one in ca.validate(now, old, **NAMED, **names).warnings}


@pytest.mark.parametrize("odd", [0, 1], ids=["new cases", "development sample"])
def test_a_sample_in_percent_is_named(odd):
    samples = [NOW, DEVELOPMENT]
    samples[odd] = samples[odd] | {"p": (100 * np.array(samples[odd]["p"])).tolist()}
    name = ("new cases", "development sample")[odd]
    v = ca.validate(*samples, **NAMED)
    assert f"Calibration is not defined, because scores of the {name} are outside 0 to 1." in v.sentences
    assert any(f"the scores of the {name} may be percent" in one.text for one in v.warnings)


def test_what_only_both_samples_show_is_warned_of():
    lower = DEVELOPMENT | {"grade": [grade.lower() for grade in DEVELOPMENT["grade"]]}
    assert "only in capitalization" in told(NOW, lower, grade="grade")["written_otherwise"]
    turned = DEVELOPMENT | {"p": [1 - p for p in DEVELOPMENT["p"]]}
    assert told(NOW, turned)["auc_below_half"].startswith(
        "development sample: the score ranks the classes in"
    )
    keep = [k for k, grade in enumerate(NOW["grade"]) if grade != GRADES[-1]]
    lack = {name: [column[k] for k in keep] for name, column in NOW.items()}
    assert f"no case of '{GRADES[-1]}'" in told(lack, DEVELOPMENT, grade="grade")["note"]
    assert not {"written_otherwise", "note"} & {*told(NOW, DEVELOPMENT, grade="grade")}


def test_the_index_at_tenths_of_the_development_sample():
    edges = np.unique(np.quantile(OLD["p"], np.arange(1, 10) / 10, method="inverted_cdf"))
    shares = []
    for each in (ARRAYS, OLD):
        counts = np.bincount(np.searchsorted(edges, each["p"]), minlength=edges.size + 1) + 0.5
        shares.append(counts / counts.sum())
    a, b = shares
    row = next(each for each in V.shares if each.of == "scores, development tenths")
    assert row.index == pytest.approx(float(((a - b) * np.log(a / b)).sum()))
    assert "0.5 is added to both counts" in " ".join(str(V).split())
