"""What several labels a case add to tests of the core: the same laws, and what the core refuses of them."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student_t

import assessment.test_headline as headlines
import classay as ca
from assessment.test_headline import YC, N, headline
from assessment.test_merged_warnings import scale_of_parts
from classay.errors import InputError, UnknownMeasureError
from classay.measures import MEASURES, get
from classay.tables import ScoreTable
from columns.test_score_scales import RNG
from comparison.test_class_averages import BEST, MODELS, K
from comparison.test_class_averages import Y as CLASSES
from comparison.test_written_otherwise import FORMS, SAID, frame_of, texts_of, written

PUBLISHED = json.loads((Path(__file__).parents[1] / "peers" / "published.json").read_text(encoding="utf-8"))


def test_each_code_stands_once_in_a_document(monkeypatch):
    tags = ca.assess([{0}, {0, 1}, {1}, set()] * 30, y_pred=[{0}, {0}, {1}, {0}] * 30)
    monkeypatch.setitem(headlines.SETS, "tags", lambda: tags)
    headlines.test_each_code_stands_once_in_a_document_and_sentences_are_few("tags")


def test_where_no_tag_is_predicted_the_main_sentence_says_so():
    tags = ca.assess(np.c_[YC, 1 - YC], y_pred=np.zeros((N, 2)), task="tags")
    assert headline(tags)[0].sentence.endswith("(exact match), because no tag is predicted positive.")


def test_the_name_of_another_tool_leads_to_ours():
    with pytest.raises(UnknownMeasureError, match="Did you mean 'hamming_loss'"):
        get("hamming")


def test_a_scale_of_any_part_is_told(tmp_path):
    scale_of_parts(tmp_path, lambda y, score: (np.c_[y, 1 - y, y], np.c_[score, score, score]))


@pytest.mark.parametrize("form", ["capitals", "composed apart"])
def test_tags_that_are_written_in_another_way_are_told(form):
    def read(said):
        return ca.assess(frame_of({"b": said}), truth="y", prediction="b", separator="|").to_dict()[
            "warnings"
        ]

    (text,) = texts_of(read(written(form, SAID["b"])))
    assert FORMS[form][1] in text
    assert not texts_of(read(SAID["b"]))
    assert not texts_of(read([f" {each} " for each in SAID["b"]]))  # blanks around a tag are none of it


@pytest.mark.parametrize("measure", BEST)
def test_tags_have_no_best_scores(measure):
    """They were compared in recall or accuracy, under the name of the measure."""
    truth = np.eye(K, dtype=int)[CLASSES] | np.eye(K, dtype=int)[CLASSES[::-1]]
    with pytest.raises(
        ca.errors.UnknownMeasureError, match="needs one label per case, but these cases are multilabel"
    ) as error:
        ca.compare(MODELS, truth, measures=[measure], task="tags")
    assert str(error.value).startswith(measure)


def test_a_logit_of_a_tag_is_a_probability_by_itself():
    truth, logits = RNG.integers(0, 2, (50, 3)), RNG.normal(0, 2, (50, 3))
    p = 1 / (1 + np.exp(-logits))
    assert str(ca.assess(truth, logits, score_scale="logit")["micro_f1"]) == str(
        ca.assess(truth, p)["micro_f1"]
    )
    with pytest.raises(InputError, match="these scores are of tags"):
        ca.assess(truth, abs(logits), score_scale="count")


def test_a_list_of_probabilities_of_both_values_of_each_tag():
    truth, p = RNG.integers(0, 2, (50, 3)), RNG.random((50, 3))
    outputs = [np.c_[1 - p[:, tag], p[:, tag]] for tag in range(3)]
    assert str(ca.assess(truth, outputs)["macro_roc_auc"]) == str(ca.assess(truth, p)["macro_roc_auc"])
    with pytest.raises(InputError, match="one column"):
        ca.assess(truth, [outputs[0][:, :1], *outputs[1:]])


def test_the_variance_of_a_tag_is_moderated_by_two_positives_of_a_model():
    """Of one tag: V becomes (P V + 2 H) / (P + 2), on P + 1 degrees of freedom, on the logit scale."""
    rng = np.random.default_rng(19)
    y = rng.random(40) < 0.3
    score = (rng.normal(size=40) + y).round(1)
    lists = [["a"] if each else [] for each in y]
    found = ca.assess(lists, score[:, None], labels=["a"], threshold=0.0)["macro_roc_auc"]
    table = ScoreTable.from_rows(score, y)
    p, n, auc = int(y.sum()), int((~y).sum()), float(MEASURES["roc_auc"](table))
    pairs = (score[y][:, None] > score[~y]) + (score[y][:, None] == score[~y]) / 2
    own = pairs.mean(1).var(ddof=1) / p + pairs.mean(0).var(ddof=1) / n
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    model = (auc * (1 - auc) + (p - 1) * (q1 - auc**2) + (n - 1) * (q2 - auc**2)) / (p * n)
    se = ((p * own + 2 * model) / (p + 2)) ** 0.5
    half = student_t.ppf(0.975, p + 1) * se / (auc * (1 - auc))
    limits = expit(logit(auc) + np.array([-half, half]))
    assert [found.value, found.low, found.high] == pytest.approx([auc, *limits], rel=1e-9)


def test_tags_are_called_by_the_columns_of_their_scores_or_by_what_is_said():
    rng = np.random.default_rng(20)
    y, score = (rng.random((30, 3)) < 0.4).astype(int), rng.random((30, 3))
    frame = pa.table(dict(zip("cab", score.T, strict=True)))
    called = ca.assess(y, frame, threshold=0.5)
    assert called.tags == ("c", "a", "b")
    said = ca.assess(y, frame, labels=["a", "b", "c"], threshold=0.5)
    assert said.tags == ("a", "b", "c")
    for k, tag in enumerate("cab"):
        alone = ca.assess(y[:, k], score[:, k], threshold=0.5)["roc_auc"].value
        assert called.tag(tag)["roc_auc"].value == pytest.approx(alone)
    at = [1, 2, 0]
    for k, tag in enumerate("abc"):
        alone = ca.assess(y[:, k], score[:, at[k]], threshold=0.5)["roc_auc"].value
        assert said.tag(tag)["roc_auc"].value == pytest.approx(alone)


@pytest.mark.parametrize("case", PUBLISHED["tags"], ids=lambda case: case["source"][:40])
def test_published_numbers(case):
    a = of_tags(case)
    for name, value in case["values"].items():
        assert a[name].value == pytest.approx(value, abs=0.5001 * 10 ** -case["digits"]), name


def of_tags(case):
    return ca.assess(case["truth"], np.array(case["score"]))


def test_ranks_that_torchmetrics_prints():
    """Docstrings of multilabel_coverage_error, _ranking_loss and _ranking_average_precision of torchmetrics 1.

    Their cases are drawn by the Mersenne twister from seed 42: scores from the lowest 24 bits of a number, truth from
    the lowest. A case without a pair of a true tag and another counts as the best there, and is left out here.
    """
    drawn = np.random.RandomState(42).randint(0, 2**32, 100, dtype=np.uint32)
    score = (drawn[:50] & 0xFFFFFF).reshape(10, 5) / 2**24
    truth = (drawn[50:] % 2).reshape(10, 5).astype(int)
    a, true = ca.assess(truth, score), truth.sum(1)
    both = ((true > 0) & (true < 5)).mean()
    found = {
        3.9: a["coverage_error"].value * (true > 0).mean(),
        0.4167: a["ranking_loss"].value * both,
        0.7744: a["label_ranking_average_precision"].value * both + (1 - both),
    }
    assert [round(each, 4) for each in found.values()] == [*found]


def test_a_tag_that_is_never_called_has_no_precision():
    """torchmetrics 1 prints 0 for it, and [1, 0, 0.5] and 0.5 for all."""
    a = ca.assess([[0, 1, 0], [1, 0, 1]], y_pred=[[0, 0, 1], [1, 0, 1]])
    assert a["precision[1]"].is_undefined
    assert a["macro_precision"].is_undefined
    assert a["micro_precision"].value == pytest.approx(2 / 3)


def test_the_accuracy_of_tags():
    """The docstring of multilabel_accuracy of torchmetrics 1 prints [1, 0.5, 0.5], and 0.6667 for all."""
    a = ca.assess([[0, 1, 0], [1, 0, 1]], y_pred=[[0, 0, 1], [1, 0, 1]])
    assert [a.tag(tag)["accuracy"].value for tag in a.tags] == [1, 0.5, 0.5]
    assert 1 - a["hamming_loss"].value == pytest.approx(0.6667, abs=5e-5)
