"""Several readers: published and brute-force numbers, laws of every study, designs that are not crossed, bad input."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import classay as ca
from classay.inference.design import Design
from classay.readers.reader_study import example
from classay.readers.variances import (
    ReaderVariances,
    agreement,
    kappa,
    one_shot_variance,
    rank_correlation,
    spread_of_mean,
    spread_of_two_groups,
)
from classay.tables import BinaryCounts
from command import call, json_of, refusal

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "readers.schema.json").read_text(encoding="utf-8"))
NAMES = {"truth": "ill", "case": "case", "reader": "reader", "modality": "modality"}


def readings(readers=4, cases=40, modalities=("a", "b"), seed=0):
    """Scores of readers who differ, in long form, and labels."""
    rng = np.random.default_rng(seed)
    ill = np.arange(cases) % 3 == 0
    shared = rng.normal(size=cases) + 1.2 * ill
    rows = []
    for i, m in enumerate(modalities):
        for j in range(readers):
            score = shared + 0.4 * i * ill + rng.normal(0, 0.9, cases) + 0.3 * rng.normal() * ill
            rows.append(
                pd.DataFrame(
                    {"case": np.arange(cases), "ill": ill, "reader": f"r{j}", "modality": m, "score": score}
                )
            )
    found = pd.concat(rows, ignore_index=True)
    found["label"] = np.where(found["score"] > 0.6, True, False)
    return found


def study(frame, **options):
    return ca.compare_readers(frame, **NAMES | {"score": "score"} | options)


def difference(found, measure="roc_auc", at=0):
    one = found[measure].comparisons[at]
    return np.array([one.effect.value, one.effect.low, one.effect.high, one.p])


def numbers(found):
    """All that a study says, without names."""
    return found.frame().to_pandas().select_dtypes("number").to_numpy()


def covariance(var, cov1, cov2, cov3, modalities, readers):
    """Covariances that are alike for all readers and modalities."""
    found = np.empty((modalities, readers, modalities, readers))
    for i, j, k, m in product(range(modalities), range(readers), repeat=2):
        found[i, j, k, m] = ((var, cov2), (cov1, cov3))[i != k][j != m]
    return found


# --- numbers made by others


def test_three_readers_by_brute_force():
    """RD3: loops over all pairs of cases, in double precision."""
    found = study(example())["roc_auc"]
    v = found.variances
    assert v.components == pytest.approx(
        (0.0133240740741, 0.00661574074074, 0.00044212962963, -0.000826388888889)
    )
    assert v.mean_squares == pytest.approx((0.0133796296296, 0.00282407407407, 0.00171296296296))
    assert (v.f, v.degrees, v.p) == pytest.approx((2.42449664430, 20.7576917458, 0.134567765475))
    one = found.comparisons[0]
    assert (one.effect.value, one.effect.low, one.effect.high) == pytest.approx(
        (-0.0944444444444, -0.220672853037, 0.0317839641485)
    )
    assert one.p == pytest.approx(v.p)
    assert found.one_shot[0].standard_error == pytest.approx(0.00378086419753**0.5)
    means = [spread_of_mean(v.values[i], v.covariance[i, :, i]) for i in (0, 1)]
    assert [each.se for each in means] == pytest.approx([0.0332406117814, 0.038490017946])
    assert [each.degrees for each in means] == pytest.approx([2563.28, 2.0])
    alone = study(example(), fixed="cases")["roc_auc"].overall
    assert (alone.statistic, alone.p) == pytest.approx((7.81081081081, 0.107731402161))
    spread = v.covariance.reshape(6, 6)
    by = np.repeat([1, -1], 3) / 3
    assert (by @ spread @ by) ** 0.5 == pytest.approx(0.0785084724531)


def test_the_published_example():
    """Van Dyke 1993 by Obuchowski & Rockette's method, jackknife covariances: Chakraborty, RJafroc, dataset02."""
    values = [
        [0.91964573, 0.85877617, 0.90386473, 0.97310789, 0.82979066],
        [0.94782609, 0.90531401, 0.92173913, 0.99935588, 0.92995169],
    ]
    parts = (0.00080228827, 0.00034661371, 0.00034407483, 0.00023902837)
    found = ReaderVariances(np.array(values), covariance(*parts, 2, 5))
    assert (found.f, found.degrees, found.p) == pytest.approx((4.4563187, 15.259675, 0.051665686), rel=1e-6)
    assert (found.difference.se, found.difference.half(0.95)) == pytest.approx(
        (0.020748618, 0.087959499 - 0.043800322), rel=1e-6
    )
    for row, cov2, se, df in (
        (0, 0.0004839618, 0.033173597, 12.744648),
        (1, 0.00020418785, 0.021566368, 12.71019),
    ):
        mean = spread_of_mean(found.values[row], covariance(0, 0, cov2, 0, 1, 5)[0, :, 0])
        assert (mean.se, mean.degrees) == pytest.approx((se, df), rel=1e-6)


def test_a_one_shot_variance_is_above_zero_and_of_two_of_everything():
    """Where all readers rank all cases correctly it is exactly 0, which says nothing of other readers."""
    assert np.isnan(one_shot_variance(np.ones((1, 3, 4)), np.zeros((1, 3, 5))))
    rng = np.random.default_rng(2)
    for readers, ill, healthy in ((2, 2, 2), (1, 9, 9), (9, 1, 9), (9, 9, 1)):
        variances = [
            one_shot_variance(rng.random((1, readers, ill)), rng.random((1, readers, healthy)))
            for _ in range(40)
        ]
        assert np.isnan(variances).all() == (min(readers, ill, healthy) < 2)


def test_one_shot_variance_by_loops():
    rng = np.random.default_rng(1)
    p, n = rng.integers(0, 4, (2, 3, 4)), rng.integers(0, 4, (2, 3, 3))
    kernel = (np.sign(p[:, :, :, None] - n[:, :, None, :]) + 1) / 2
    k = kernel[0] - kernel[1]
    places = [*np.ndindex(k.shape)]
    apart = [k[a] * k[b] for a in places for b in places if all(x != y for x, y in zip(a, b, strict=True))]
    expected = k.mean() ** 2 - np.mean(apart)
    found = one_shot_variance(p, n)
    assert found == pytest.approx(expected) if expected > 0 else np.isnan(found)


@pytest.mark.parametrize("of", [kappa, rank_correlation])
def test_answers_that_are_all_alike_agree_in_nothing(of):
    value, influence = of(np.ones((2, 9), int))[-2:]
    found = agreement(value, influence, Design(BinaryCounts(0, 0, 0, 9)), 0.95)
    assert (found.is_undefined, found.reason) == (True, "all predicted labels are equal")


def test_kappa_of_two_readers_is_that_of_the_house_and_influences_are_derivatives():
    frame = readings()
    labels = frame.pivot(index="case", columns=["modality", "reader"], values="label")["a"].to_numpy().T
    name, value, influence = kappa(labels[:2])
    assert name == "Cohen's kappa"
    assert value == pytest.approx(ca.assess(labels[0], y_pred=labels[1])["cohen_kappa"].value)
    scores = (
        frame.pivot(index="case", columns=["modality", "reader"], values="score")["a"].to_numpy().T.round(1)
    )
    for of, given in ((lambda x: kappa(x)[1:], labels), (rank_correlation, scores)):
        value, influence = of(given)
        assert influence.sum() == pytest.approx(0, abs=1e-12)
        many = np.repeat(given, 400, axis=1)
        more = of(np.concatenate([many, given[:, [5]]], 1))[0]
        assert 400 * (more - value) == pytest.approx(influence[5], rel=2e-3)


# --- laws


@pytest.mark.parametrize("columns", [{"score": "score"}, {"score": None, "prediction": "label"}])
def test_other_names_and_another_order_change_nothing(columns):
    frame = readings()
    plain = study(frame, **columns)
    mixed = frame.sample(frac=1, random_state=0)
    mixed["reader"] = mixed["reader"].map({"r0": "Ann", "r1": "Bo", "r2": "Cy", "r3": "Di"})
    mixed["case"] = mixed["case"] + 1000
    np.testing.assert_array_equal(numbers(study(mixed, **columns)), numbers(plain))
    mixed["case"] = 999 - mixed["case"]
    mixed["reader"] = mixed["reader"].map({"Ann": "d", "Bo": "c", "Cy": "b", "Di": "a"})
    for name in plain.measures:
        np.testing.assert_allclose(
            difference(study(mixed, **columns), name), difference(plain, name), rtol=1e-9
        )


def test_modalities_that_change_places_turn_the_difference():
    frame = readings()
    turned = frame.assign(modality=frame["modality"].map({"a": "b", "b": "a"}))
    value, low, high, p = difference(study(frame))
    np.testing.assert_allclose(difference(study(turned)), [-value, -high, -low, p], rtol=1e-12)
    np.testing.assert_allclose(difference(study(frame, control="a")), [-value, -high, -low, p], rtol=1e-12)


def test_a_scale_of_ones_own_changes_nothing():
    frame = readings()
    own = frame.assign(score=np.where(frame["reader"] == "r1", np.exp(frame["score"]), frame["score"]))
    np.testing.assert_allclose(numbers(study(own)), numbers(study(frame)), rtol=1e-12)


@pytest.mark.parametrize("readers", [1, 3])
def test_fixed_readers_are_delongs_test(readers):
    """One reader is the house's paired test of AUCs; of several, the variance is that of a contrast."""
    frame = readings(readers=readers)
    found = study(frame, fixed="readers")["roc_auc"]
    wide = frame.pivot(index="case", columns=["reader", "modality"], values="score")
    if readers == 1:
        models = {name: wide["r0"][name] for name in ("a", "b")}
        house = ca.compare(models, np.arange(40) % 3 == 0, measures=["roc_auc"])[0]
        np.testing.assert_allclose(
            difference(study(frame, fixed="readers")),
            [house.effect.value, house.effect.low, house.effect.high, house.p],
            rtol=1e-12,
        )
        assert found.means["a"] == found["a", "r0"]
    assert found["b", "r0"] == ca.assess(np.arange(40) % 3 == 0, wide["r0"]["b"].to_numpy())["roc_auc"]
    assert found.comparisons[0].random == "test cases"
    assert found.overall.p == pytest.approx(found.comparisons[0].p)


def test_clusters_of_one_case_are_none_and_those_of_several_are_wider():
    frame = readings().assign(patient=lambda x: x["case"], pair=lambda x: x["case"] // 4)
    np.testing.assert_allclose(
        difference(study(frame, cluster="patient")), difference(study(frame)), rtol=1e-9
    )
    apart, together = (
        study(frame, cluster=each)["roc_auc"].variances.components for each in ("case", "pair")
    )
    assert not np.isclose(apart, together).any()


def test_fixed_readers_in_clusters_are_tested_as_models_are():
    """One reader of clustered cases is the house's paired test of AUCs, in numbers, name and source."""
    frame = readings(readers=1).assign(pair=lambda x: x["case"] // 2)
    wide = frame.pivot(index="case", columns="modality", values="score")
    for cluster in (None, "pair"):
        found = study(frame, fixed="readers", cluster=cluster)["roc_auc"].comparisons[0]
        given = {} if cluster is None else {"cluster": np.arange(40) // 2}
        models = {name: wide[name].to_numpy() for name in "ab"}
        house = ca.compare(models, np.arange(40) % 3 == 0, measures=["roc_auc"], **given)[0]
        assert found.test.reference == house.test.reference == found.reference
        assert found.effect.low == pytest.approx(house.effect.low, rel=1e-9)


def test_one_modality_has_means_alone():
    frame = readings(modalities=("a",))
    named, without = study(frame), study(frame, modality=None)
    assert named["roc_auc"].means["a"] == without["roc_auc"].means[""]
    assert without.comparisons == ()
    assert "The mean ROC AUC of 4 readers is" in without.sentence
    both = study(readings(modalities=("a", "b")))
    assert both["roc_auc"].means["a"] == named["roc_auc"].means["a"]


def test_three_modalities_are_tested_together_and_adjusted():
    found = study(readings(modalities=("a", "b", "c")))["roc_auc"]
    assert len(found.comparisons) == 3
    assert found.overall.df == 2
    assert all(one.p_adjusted >= one.p for one in found.comparisons)
    fixed = study(readings(modalities=("a", "b", "c")), fixed="readers")["roc_auc"]
    assert 0 < fixed.overall.p <= 1
    beside = study(readings(modalities=("a", "b", "c")), control="b")["roc_auc"]
    assert [one.models for one in beside.comparisons] == [("a", "b"), ("c", "b")]


def test_readers_who_agree_in_all_show_no_difference():
    frame = readings()
    same = frame.assign(score=frame.groupby(["case", "reader"])["score"].transform("first"))
    one = study(same)["roc_auc"].comparisons[0]
    assert (one.effect.value, one.p) == (0, 1)


@pytest.mark.parametrize(
    ("readers", "fixed", "told"),
    [(2, None, True), (3, None, False), (2, "readers", False), (2, "cases", False)],
)
def test_two_readers_in_two_modalities_are_told_of(readers, fixed, told):
    frame = readings()
    kept = frame[frame["reader"].isin(sorted(frame["reader"].unique())[:readers])]
    codes = [code for code, _ in study(kept, fixed=fixed).warnings]
    assert ("few_readers" in codes) == told


def test_the_positive_class_and_its_cases_are_told():
    frame = readings(cases=40)
    frame["ill"] = np.where(frame["ill"], "ill", "well")
    found = study(frame, positive="ill")
    facts = dict(found.document().facts)
    assert found.positive == "ill"
    assert (facts["cases by class"], facts["positive class"]) == ("well: 26, ill: 14", "'ill'")


@pytest.mark.parametrize(
    ("readers", "of_scores", "of_labels"), [(2, "", "Cohen's kappa"), (3, ", mean of pairs", "Fleiss' kappa")]
)
def test_agreement_is_named_by_the_number_of_readers(readers, of_scores, of_labels):
    found = study(readings(readers=readers), prediction="label")
    of_scores = f"Spearman's correlation{of_scores}"
    assert [each.method for each in found.agreement] == 2 * [of_scores, of_labels]


@pytest.mark.parametrize(("rare", "told"), [(0, False), (4, True), (9, True), (10, False)])
@pytest.mark.parametrize("turned", [False, True])
def test_kappa_of_a_rare_call_is_told_of_whichever_call_it_is(rare, told, turned):
    frame = readings(modalities=("a",))
    frame["call"] = (frame["case"] < rare) != turned
    found = ca.compare_readers(frame, **NAMES | {"prediction": "call"})
    assert ("rare_calls" in [code for code, _ in found.warnings]) == told


# --- designs that are not crossed


def test_cases_of_ones_own_have_no_covariance_between_readers():
    frame = readings(cases=120)
    own = frame[frame["case"] % 4 == frame["reader"].str[1].astype(int)]
    found = study(own)
    v = found["roc_auc"].variances
    assert v.components[2] == v.components[3] == 0
    codes = [code for code, _ in found.warnings]
    assert "incomplete" in codes
    alone = own[own["reader"] == "r2"].query("modality == 'a'")
    table = ca.assess(alone["ill"].to_numpy(), alone["score"].to_numpy())
    from classay.inference.scores.auc import delong_variance

    assert v.covariance[0, 2, 0, 2] == pytest.approx(delong_variance(table.scores))


def test_readers_within_modalities():
    frame = readings()
    within = frame[(frame["modality"] == "a") == frame["reader"].isin(["r0", "r1"])]
    found = study(within)["roc_auc"]
    assert "within" in found.comparisons[0].method
    assert found.variances is None
    assert 0 < found.comparisons[0].p <= 1
    few = within[within["reader"] != "r0"]
    assert (
        "each reader has a value in one modality, and a has fewer than two"
        in study(few)["roc_auc"].comparisons[0].reason
    )


def test_the_spread_of_two_groups_is_that_of_crossed_readers_for_groups_alike():
    """With equal mean squares it is Hillis' D: 2 / J · (MS(R) + J (Cov2 - Cov3))."""
    values = np.array([0.8, 0.9, 0.7])
    found = spread_of_two_groups(values, values + 0.1, covariance(4e-3, 0, 1e-3, 2e-4, 2, 3).reshape(6, 6))
    # readers who read in one modality alone have Cov3 with all readers of the other one
    cross = (0.0 * 3 + 2e-4 * 6) / 9
    assert found.variance == pytest.approx(2 / 3 * (values.var(ddof=1) + 3 * (1e-3 - cross)))


def test_readers_who_lack_a_modality_are_left_out_and_named():
    frame = readings()
    some = frame[~((frame["reader"] == "r3") & (frame["modality"] == "b"))]
    found = study(some)
    assert (
        "r3 is excluded from means and differences of ROC AUC, because two cases"
        in dict(found.warnings)["readers_left_out"]
    )
    np.testing.assert_allclose(
        difference(found), difference(study(frame[frame["reader"] != "r3"])), rtol=1e-12
    )
    one = frame[(frame["reader"] == "r0") | ((frame["reader"] == "r1") == (frame["modality"] == "a"))]
    assert (
        "only r0 has a value in all modalities, and readers of several"
        in study(one)["roc_auc"].comparisons[0].reason
    )


def test_missing_scores_are_readings_that_do_not_count():
    frame = readings()
    holes = frame.assign(score=frame["score"].where(frame.index != 7))
    with pytest.raises(ca.InputError, match=r"score \(score\) is missing in 1 reading"):
        study(holes)
    np.testing.assert_array_equal(numbers(study(holes, missing="drop")), numbers(study(frame.drop(7))))
    assert dict(study(holes, missing="drop").facts)["excluded"].startswith("1 reading")


def test_a_class_of_one_case_has_values_and_no_test():
    frame = readings().assign(ill=lambda x: x["case"] == 0)
    found = study(frame)["roc_auc"]
    assert found.comparisons[0].reason
    assert not found["a", "r0"].is_undefined


# --- what is refused

FRAME = readings()
REFUSED = {
    "a case with two truths": (
        FRAME.assign(ill=FRAME["ill"] ^ (FRAME.index == 5)),
        {},
        "Case 5 is False and True",
    ),
    "a reading twice": (pd.concat([FRAME, FRAME.iloc[[3]]]), {}, "'r0' read case 3 in 'a' 2 times"),
    "one reader": (FRAME[FRAME["reader"] == "r0"], {}, "fixed='readers'"),
    "no reader named": (
        FRAME.assign(reader=FRAME["reader"].where(FRAME.index != 1)),
        {},
        "reader .* is missing in 1",
    ),
    "two clusters": (FRAME.assign(c=FRAME.index % 7), {"cluster": "c"}, "lies in"),
    "no answer": (FRAME, {"score": None}, "nothing to compare"),
    "another control": (FRAME, {"control": "c"}, "Modalities: a, b"),
    "another word": (FRAME, {"fixed": "reader"}, "Did you mean 'readers'"),
    "three classes": (FRAME.assign(ill=FRAME["case"] % 3), {}, "3 classes"),
    "a text": (FRAME.assign(score="high"), {}, "score"),
    "another column": (FRAME, {"case": "cases"}, "Did you mean 'case'"),
    "nothing left": (
        FRAME.assign(score=np.nan),
        {"missing": "drop"},
        "No reading has a true label and a prediction",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_in_a_line(what):
    frame, options, said = REFUSED[what]
    with pytest.raises(ca.InputError, match=said) as error:
        study(frame, **options)
    assert "\n" not in str(error.value)


# --- how it is shown


STUDIES = {
    "scores": lambda: study(FRAME),
    "logits": lambda: study(FRAME, score_scale="logit"),
    "labels": lambda: study(FRAME, score=None, prediction="label"),
    "both, fixed readers": lambda: study(FRAME, prediction="label", fixed="readers"),
    "fixed cases": lambda: study(FRAME, fixed="cases"),
    "one modality": lambda: study(readings(modalities=("a",)), modality=None),
    "within": lambda: study(FRAME[(FRAME["modality"] == "a") == FRAME["reader"].isin(["r0", "r1"])]),
}


@pytest.mark.parametrize("name", STUDIES)
def test_json_keeps_to_its_schema(name):
    found = STUDIES[name]()
    made = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert not list(Draft202012Validator(SCHEMA).iter_errors(made))
    assert ("fixed_cases" in [code for code, _ in found.warnings]) == (name == "fixed cases")
    assert found.sentence in made["sentence"]
    with pytest.raises(ca.InputError, match="Pass the names of a modality and of a reader"):
        next(iter(found.measures.values()))["no such", "reader"]
    with pytest.raises(ca.InputError, match="These readers have no measure 'f1'"):
        found["f1"]


def test_the_command_says_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("r.csv", index=False)
    names = [each for role, column in NAMES.items() for each in (f"--{role}", column)]
    found, expected = (
        json_of("readers", "r.csv", *names, "--score", "score", "--positive", "True"),
        study(FRAME).to_dict(),
    )
    assert found["measures"] == json.loads(json.dumps(expected["measures"]))
    assert "--reader. Columns: case, ill, reader, modality, score, label" in refusal(
        "readers", "r.csv", *names[:4]
    )


def test_what_no_reader_can_tell_is_said_of_its_own_class():
    rows = example()
    few = [case in (0, 7, 8, 9, 10) for case in rows["case"]]
    rows = {
        name: [each for each, stays in zip(column, few, strict=True) if stays]
        for name, column in rows.items()
    }
    rows["call"] = [score > 2 for score in rows["score"]]
    names = {"truth": "ill", "case": "case", "reader": "reader", "modality": "modality"}
    study = ca.compare_readers(rows, **names, prediction="call")
    assert study["recall"].comparisons[0].reason == "no reader read two positive cases"
    assert study["recall"].means["film"].reason == "no reader read two positive cases"
    told = dict(study.warnings)
    assert "Ann, Ben and Cem are excluded from means and differences of recall" in told["readers_left_out"]
    assert "Specificity has only 4 cases of the negative class" in told["few_cases"]


@pytest.mark.parametrize("fixed", ["readers", "cases", None])
def test_a_class_without_cases_is_undefined_with_its_reason(fixed):
    cells = [(case, reader, way) for case in range(6) for reader in "ab" for way in ("x", "z")]
    names = ("case", "reader", "way")
    frame = {name: list(column) for name, column in zip(names, zip(*cells, strict=True), strict=True)}
    frame["said"] = [(case + (reader == "a") + (way == "x")) % 2 for case, reader, way in cells]
    how = {"truth": "y", "case": "case", "reader": "reader", "modality": "way", "prediction": "said"}
    found = ca.compare_readers(frame | {"y": [0] * len(cells)}, **how, fixed=fixed)  # no positive case
    assert all(each.effect.is_undefined for each in found.measures["recall"].comparisons)
    assert found.measures["specificity"].means["x"].value == 0.5
    assert "recall" in str(found)


@pytest.mark.parametrize("answers", ["--prediction", "--score"])
def test_where_nothing_can_be_estimated_the_report_says_why_and_the_command_is_done(answers, tmp_path):
    """One case of each class: undefined with one reason whatever is fixed, exit 0, as `compare` and `assess` do."""
    cells = [(case, reader, way) for case in (0, 1) for reader in "ab" for way in ("x", "z")]
    rows = [
        f"{case},{reader},{way},{case},{(case + (reader + way == 'ax')) % 2}" for case, reader, way in cells
    ]
    file, out = tmp_path / "r.csv", tmp_path / "out.json"
    file.write_text("\n".join(["case,reader,way,y,said", *rows]))
    names = ("--truth", "y", "--case", "case", "--reader", "reader", "--modality", "way", answers, "said")
    for fixed in ((), ("--fixed", "readers"), ("--fixed", "cases")):
        done = call("readers", str(file), *names, *fixed, "--json", str(out))
        assert done.exit_code == 0, (fixed, done.stderr)
        for name, each in json.loads(out.read_text())["measures"].items():
            kind = {"recall": "two positive cases", "specificity": "two negative cases"}
            why = f"no reader read {kind.get(name, 'two cases of each class')}"
            assert {one["difference"]["reason"] for one in each["differences"]} == {why}, (fixed, name)
            assert {mean["reason"] for mean in each["means"].values()} == {why}, (fixed, name)


@pytest.mark.parametrize("fixed", [None, "readers"])
def test_warnings_are_about_those_who_are_compared(fixed):
    """A reader without ill cases in one modality is left out: the rest is told as if he had not come."""
    frame = readers_without_a_class()
    beside, alone = study(frame, fixed=fixed), study(frame[frame["reader"] != "r3"], fixed=fixed)
    assert difference(beside).tolist() == difference(alone).tolist()
    assert [each.p for each in beside["roc_auc"].one_shot] == [each.p for each in alone["roc_auc"].one_shot]
    codes = [code for code, _ in beside.warnings]
    assert "readers_left_out" in codes
    assert [each for each in beside.warnings if each[0] != "readers_left_out"] == list(alone.warnings)
    assert "incomplete" not in codes


def readers_without_a_class():
    """Four readers in two modalities, of whom one read no ill case in the second, and cases of his own."""
    frame = readings()
    own = frame[frame["reader"] == "r3"].assign(case=lambda rows: rows["case"] + 1000)
    gone = (frame["reader"] == "r3") & (frame["modality"] == "b") & frame["ill"]
    return pd.concat([frame[~gone], own[own["modality"] == "a"]], ignore_index=True)


def test_who_read_other_cases_among_those_compared_is_told():
    frame = readings()
    found = study(frame[~((frame["reader"] == "r1") & (frame["case"] == 5))])
    (text,) = [text for code, text in found.warnings if code == "incomplete"]
    assert "Not every reader who is compared" in text
    assert not found["roc_auc"].one_shot


@pytest.mark.parametrize("fixed", [None, "readers"])
@pytest.mark.parametrize("own", [False, True])
def test_a_difference_is_that_of_the_means_whoever_reads(fixed, own):
    """Of readers who read in all modalities, and of readers each of whom reads in one."""
    frame = readings()
    if own:
        frame = frame.assign(reader=frame["reader"] + frame["modality"])
    for control in ("a", "b"):
        found = study(frame, fixed=fixed, control=control)["roc_auc"]
        (one,) = found.comparisons
        first, second = one.models
        assert second == control
        assert one.effect.value == pytest.approx(found.means[first].value - found.means[second].value)


def test_agreement_of_scores_is_named_by_how_many_read():
    for readers, name in ((2, "Spearman's correlation"), (3, "Spearman's correlation, mean of pairs")):
        assert {one.method for one in study(readings(readers=readers)).agreement} == {name}


def test_the_positive_class_is_the_one_that_is_named():
    frame = readings().assign(ill=lambda x: np.where(x["ill"], "ill", "well"))
    found = study(frame, positive="ill")
    assert found.positive == "ill"
    turned = study(frame.assign(score=-frame["score"]), positive="well")
    assert turned.positive == "well"
    np.testing.assert_allclose(difference(turned), difference(found), rtol=1e-9)
