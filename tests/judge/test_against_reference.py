"""Corrected values and limits against scalar code in 40 digits (mpmath), ppi-python 0.2.3 and R survey 4.1-1."""

import re
from pathlib import Path

import numpy as np
import pytest

import classay as ca
from classay.judge.cells import Cells
from classay.judge.judge_warnings import cochran_armitage, p_of_choice
from classay.judge.pairs import of_yes_no

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "judges.md"
YES_NO = [(340, [(1, 30), (0, 6)], 1), (660, [(1, 5), (0, 59)], 0)]
QUESTIONS = {
    "judge": [[1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1]],
    "human": [[1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 0], [1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0]],
}
LABELLED_QUESTIONS = (0, 1, 2, 4, 5, 7)


def columns(cells):
    """The columns of cells: the number of cases, labels with their numbers, and the judge's grade."""
    human, judge = [], []
    for size, labels, grade in cells:
        known = [label for label, number in labels for _ in range(number)]
        human += known + [None] * (size - len(known))
        judge += [grade] * size
    return human, judge


def limits(estimate):
    return estimate.value, estimate.low, estimate.high


def near(*numbers):
    return pytest.approx(numbers, abs=1e-9)


def test_a_share():
    j = ca.judged(*columns(YES_NO))
    assert limits(j["pass_rate"]) == near(0.334895833333333, 0.270399254176042, 0.405366180157445)
    labels = j.measures["pass_rate"].labels_alone
    assert limits(labels) == near(0.35, 0.263642482430975, 0.44745556703112)
    assert j.effective_labels == pytest.approx(209.309614977283, abs=1e-8)


def test_the_share_of_a_file_beside_other_programs():
    """The counts of a simulated file of 4,000 cases, of which ppi-python gives .28134 [.24477, .31790]."""
    j = ca.judged(*columns([(1672, [(1, 104), (0, 65)], 1), (2328, [(1, 9), (0, 207)], 0)]))
    assert j.power_tuned.value == pytest.approx(0.2813356, abs=1e-7)
    assert limits(j["pass_rate"]) == pytest.approx((0.28134, 0.24477, 0.31790), abs=0.0015)
    labels = j.measures["pass_rate"].labels_alone
    assert limits(labels) == pytest.approx((0.294, 0.250, 0.341), abs=0.0005)


def test_a_share_of_these_very_cases():
    j = ca.judged(*columns(YES_NO), finite=True)
    assert limits(j["pass_rate"])[1:] == near(0.277585909383925, 0.39842276163899)


def test_the_power_tuned_value_of_ppi_python():
    tuned = ca.judged(*columns(YES_NO)).power_tuned
    assert tuned.value == pytest.approx(0.334507486631016, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recall", (0.846034214618974, 0.71228180651688, 0.929535362467772)),
        ("precision", (0.833333333333333, 0.681092056887205, 0.921295524049819)),
        ("specificity", (0.914800313234143, 0.847471575420536, 0.959352957490038)),
        ("agreement", (0.891770833333333, 0.81713855237001, 0.938395365854609)),
        ("f1", (0.839635746257138, 0.728556566090352, 0.90947038448325)),
    ],
)
def test_the_judge_itself(name, expected):
    assert limits(ca.judged(*columns(YES_NO)).judge[name]) == near(*expected)


def test_several_grades():
    sizes, grades = (150, 420, 430), (0.0, 0.5, 1.0)
    cells = [
        (size, [*zip(grades, numbers, strict=True)], grade)
        for size, numbers, grade in zip(sizes, ([10, 4, 0], [3, 20, 6], [0, 5, 32]), grades, strict=True)
    ]
    j = ca.judged(*columns(cells))
    assert limits(j["mean_grade"]) == near(0.654098655305552, 0.597200656522508, 0.707775235735499)
    assert limits(j["share[0]"]) == near(0.150591133004926, 0.0968689756445776, 0.224162978157773)
    assert limits(j["share[0.5]"]) == near(0.390620423379044, 0.297122735988643, 0.484442045729722)
    assert limits(j["share[1]"]) == near(0.45878844361603, 0.378472824702894, 0.544669989060381)


def test_clusters():
    human = np.array(QUESTIONS["human"], float)
    human[[k for k in range(8) if k not in LABELLED_QUESTIONS]] = np.nan
    j = ca.judged(human.ravel(), np.ravel(QUESTIONS["judge"]), cluster=np.repeat(np.arange(8), 3))
    assert limits(j["pass_rate"]) == near(0.46041666666666664, 0.09175463610684813, 0.8356557389029733)
    assert "few_clusters" in dict(j.warnings)


def test_chances():
    human, judge, chance = [], [], []
    for grade, size, labelled in ((1, 240, [(20, 2, 17), (10, 8, 6)]), (0, 460, [(30, 3, 3), (40, 9, 2)])):
        judge += [grade] * size
        left = size
        for number, weight, positive in labelled:
            human += [1] * positive + [0] * (number - positive)
            chance += [1 / weight] * number
            left -= number
        human += [None] * left
        chance += [None] * left
    found = ca.judged(human, judge, chance=chance)["pass_rate"]
    assert limits(found) == near(0.2737142857142857, 0.18859753682547956, 0.3555830481500105)


def test_two_systems():
    more, less, labels = [3, 1, 20, 1], [2, 1, 2, 9], [80, 30, 30, 20]
    counts = [[b, m - a - b, a] for m, a, b in zip(labels, more, less, strict=True)]
    found = of_yes_no(Cells.of_counts([1200, 300, 320, 180], counts))
    z = np.array([1.959963984540054])
    assert float(found.value[0]) == pytest.approx(0.0675, abs=1e-12)
    assert np.ravel(found.limits(z)).tolist() == pytest.approx(
        [0.00617797094545306, 0.125539855074055], abs=1e-9
    )
    assert float(found.correlation[0]) == pytest.approx(-0.147789356529117, abs=1e-12)
    assert float(found.p_values()[0]) == pytest.approx(0.0326670191627639, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recall", (0.779556849425845, 0.698098443352563, 0.846411857112011)),
        ("precision", (0.764169639318272, 0.674695295536648, 0.837433663583018)),
        ("specificity", (0.904445300957153, 0.871454768472981, 0.93345674430648)),
        ("accuracy", (0.868942528735632, 0.830163243898581, 0.9004615031707)),
        ("f1", (0.771786557783916, 0.704209500250836, 0.82767280114796)),
    ],
)
def test_a_classifier(name, expected):
    human, judge, called = [], [], []
    for size, m, y, call, grade in (
        (420, 58, 52, 1, 1),
        (160, 24, 10, 1, 0),
        (120, 18, 11, 0, 1),
        (1300, 150, 6, 0, 0),
    ):
        human += [1] * y + [0] * (m - y) + [None] * (size - m)
        judge += [grade] * size
        called += [call] * size
    assert limits(ca.judged(human, judge, y_pred=called)[name]) == near(*expected)


def test_accuracy_from_elsewhere():
    found = ca.rogan_gladen(70, 500, sensitivity_of=(45, 50), specificity_of=(190, 200))
    assert limits(found.estimate) == near(0.105882352941176, 0.0523535387595037, 0.155129759594998)
    assert limits(found.lang_reiczigel)[1:] == near(0.0550959806326507, 0.157315918683617)


def test_labels_that_depend_on_the_grade():
    assert p_of_choice(np.array([340, 660]), np.array([36, 64])) == pytest.approx(
        0.6575328774563556, abs=1e-9
    )
    found = p_of_choice(np.array([150, 420, 430]), np.array([20, 60, 90]))
    assert found == pytest.approx(0.01553293231555193, abs=1e-12)


def test_drift():
    z, p = cochran_armitage(np.array([46, 45, 42, 37]), np.full(4, 50))
    assert (z, p) == pytest.approx((-2.656844656620286, 0.00788757791967307), abs=1e-12)


PUBLISHED = {  # coverage of 30, 100 and 400 labels, simulated without classay
    "judge 0.9, 0.9; share 0.02": (96.4, 95.8, 96.0),
    "judge 0.9, 0.9; share 0.1": (97.9, 95.7, 95.7),
    "judge 0.9, 0.9; share 0.5": (94.8, 94.3, 94.5),
    "judge 0.99, 0.99; share 0.02": (99.9, 99.8, 96.1),
    "judge 0.99, 0.99; share 0.5": (99.8, 98.0, 95.3),
    "judge 0.7, 0.97; share 0.9": (96.8, 95.9, 94.7),
    "judge 0.7, 0.97; share 0.98": (95.2, 96.5, 94.5),
}
LEAST = {  # the lowest coverage of each table there
    "These very cases": 93.7,
    "Five grades": 92.5,
    "Scores": 94.5,
    "Clusters": 93.6,
    "Labels by the judge's grade": 94.1,
    "Known chances and strata": 92.3,
    "Two systems on the same cases": 94.5,
    "Two systems on other cases": 94.6,
    "Two systems with five grades": 94.3,
    "Two systems in clusters": 95.1,
    "Measures of a classifier": 94.3,
    "Measures of a classifier in clusters": 95.0,
    "Accuracy from other cases": 93.4,
}


def evidence():
    """The coverage of classay by section and setting, as the page of evidence has it."""
    found, section = {}, ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif match := re.match(r"\| (.*?) \| (?:\*\*)?(?:[✗?] )?([\d.]+) \(", line):
            found.setdefault(section, {})[match[1]] = float(match[2])
    return found


def test_coverage_is_as_simulated_without_classay():
    found = evidence()
    for setting, covers in PUBLISHED.items():
        for labels, expected in zip((30, 100, 400), covers, strict=True):
            assert found["Judges of yes and no"][f"{setting}; {labels} labels"] == pytest.approx(
                expected, abs=1.5
            )
    for section, least in LEAST.items():
        assert min(found[section].values()) >= least - 1.5, section
    assert min(value for cells in found.values() for value in cells.values()) >= 93.5 - 1.5
