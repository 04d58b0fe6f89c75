"""What is said of results, whatever they are: laws over every sentence, and each reader's own words."""

import pickle
import re
from itertools import product

import numpy as np
import pytest

import classay as ca
from classay.assessment.finding import MAX_SENTENCES
from classay.texts import LONGEST, DoorText, hint, quote

N = 24
RNG = np.random.default_rng(7)
Y = np.arange(N) % 2
P = np.clip(0.25 + 0.4 * Y + 0.3 * RNG.standard_normal(N), 0.01, 0.99).round(3)
SCORES = {
    "usual": P,
    "constant": np.full(N, 0.3),
    "perfect": 0.2 + 0.6 * Y,
    "tied": np.where(P > 0.5, 0.8, 0.2),
    "turned": 1 - P,
}
LABELS = {
    "numbers": (0, 1),
    "words": ("well", "ill"),
    "long": ("w" * 90, "it's " * 30),
    "truth values": (False, True),
}
DESIGNS = {
    "alike": {},
    "weights": {"weight": 1 + np.arange(N) % 3 / 2},
    "clusters": {"cluster": np.arange(N) // 3},
    "one cluster": {"cluster": np.zeros(N, int)},
}
TRUTH = {"both": slice(None), "one class": Y == 1, "one case": slice(1, 2)}


def assessed(scores, labels, design, rows):
    names = np.array(LABELS[labels], object)
    given = {name: column[TRUTH[rows]] for name, column in DESIGNS[design].items()}
    return ca.assess(
        names[Y[TRUTH[rows]]].tolist(),
        SCORES[scores][TRUTH[rows]],
        labels=LABELS[labels],
        positive=LABELS[labels][1],
        threshold=0.5,
        **given,
    )


def texts_of(result):
    document = result.document()
    yield from document.verdict
    for section in document.sections:
        for part in section.parts:
            if hasattr(part, "items"):
                yield from (text for _, text in part.items)
            elif hasattr(part, "text"):
                yield part.text
    yield result.methods_text()


KINDS = "cases|rows|clusters|groups|models|folds"
BAD = {
    rf"(?<![\w.,])1 (?!does|has|was|is|less|in\b|as\b)(?:\w+ )?(?:{KINDS})\b": "one is many",
    r"\bnan\b|–|\bNone\b|\uFDD0|\uFDD1|\uFDD2": "no number, or what is not resolved",
    r"between (\S+) and \1 ": "an interval without width",
    r"\binfinite remain|and infinite\b": "an end that is none",
    r"\b\d(?:\.\d+)?e-\d\d? ": "an exponent",
}


def read(text):
    for pattern, why in BAD.items():
        found = re.search(pattern, text)
        assert not found, f"{why}: {found[0]!r} in {text!r}"


def pairs_of(labels, design):
    """A third of all scores and truths, so that over all calls each two of the four meet."""
    first = [*LABELS].index(labels) + [*DESIGNS].index(design)
    for (i, scores), (k, rows) in product(enumerate(SCORES), enumerate(TRUTH)):
        if (first + i + k) % 3 == 0:
            yield scores, rows


@pytest.mark.parametrize(("labels", "design"), [*product(LABELS, DESIGNS)])
def test_every_sentence_of_an_assessment(labels, design):
    for scores, rows in pairs_of(labels, design):
        a = assessed(scores, labels, design, rows)
        for text in texts_of(a):
            read(text)
            assert "--" not in text.replace("(--", "").replace("(`--", "")
        assert 1 <= len(a.document().verdict) <= MAX_SENTENCES
        told = " ".join(texts_of(a))
        assert "a.threshold(" not in told or rows == "both"
        for label in LABELS[labels]:
            if isinstance(label, str):
                assert told.count(quote(label)[:20]) == told.count(quote(label))
        if labels == "numbers":
            assert not re.search(r"(saying|called|takes) [01]\b", told)


@pytest.mark.parametrize(
    "label", ["a" * 200, "it's \\ " * 40, '"' * 80, "\x1b" * 30, "é" * 61, "short", "it's"]
)
def test_a_quoted_label_ends_with_the_quote_it_begins_with(label):
    text = quote(label)
    assert text[0] == text[-1]
    assert text[0] in "'\""
    assert len(text) <= LONGEST
    assert ("…" in text) == (len(repr(label)) > LONGEST)


METHODS = {"alike": (None, "bootstrap"), "weights": (None,), "clusters": (None,)}


@pytest.mark.parametrize("design", METHODS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_every_sentence_of_a_comparison(design, alternative):
    """Identical models, constant and perfect ones; also cases of one class, and a level beyond what draws can show."""
    pairs = {"same": (P, P), "constant": (SCORES["constant"],) * 2, "better": (SCORES["perfect"], 1 - P)}
    for (name, (a, b)), level, method in product(pairs.items(), (0.95, 0.9999), METHODS[design]):
        for rows in ("both", "one class"):
            keep = TRUTH[rows]
            given = {key: column[keep] for key, column in DESIGNS[design].items()}
            made = ca.compare(
                {"a": a[keep], "b": b[keep]},
                Y[keep],
                labels=(0, 1),
                measures=[
                    "roc_auc",
                    "average_precision",
                    "brier_score",
                    "recall",
                    "lift",
                    "matthews_correlation",
                ],
                level=level,
                alternative=alternative,
                method=method,
                **given,
            )
            for each in made:
                read(each.sentence)
                read(each.methods_text())
                if alternative != "two-sided":
                    assert "between" not in each.sentence
                if name == "same" and rows == "both":
                    assert (
                        "No difference" if alternative == "two-sided" else "did not detect"
                    ) in each.sentence
                if rows == "one class" and each.measure == "roc_auc":
                    assert "no case is negative" in each.sentence
                if each.noise is not None and "although" in each.sentence:
                    assert re.search(
                        "resamples give no p below|resamples without a difference", each.sentence
                    )


@pytest.mark.parametrize("name", ["top_label_calibration_error", "top_k_accuracy(4)", "top_2_accuracy"])
def test_measures_of_the_best_scores_by_their_names(name):
    classes = np.arange(60) % 5
    made = [RNG.dirichlet(np.ones(5), 60) for _ in range(2)]
    (found,) = ca.compare(dict(zip("ab", made, strict=True)), classes, measures=[name])
    assert found.measure.startswith(name.partition("(")[0])
    if "accuracy" in name:
        k = int(re.search(r"\d", name)[0])
        share = [np.mean((each > each[np.arange(60), classes][:, None]).sum(1) < k) for each in made]
        assert found.values == pytest.approx(share)


def test_hints_speak_to_either_reader_through_sentences_errors_and_processes():
    text = f"truth is missing: pass {hint('missing=1', '--missing 1')} or {hint('a=2', '-a 2')}."
    made = ca.InputError(text)
    assert str(made) == "truth is missing: pass missing=1 or a=2."
    assert made.at_the_command == "truth is missing: pass --missing 1 or -a 2."
    around = ca.InputError(f"part 3: {made}")
    around.__cause__ = made
    for each in (around, pickle.loads(pickle.dumps(around))):
        assert str(each) == f"part 3: {made}"
        assert each.at_the_command == f"part 3: {made.at_the_command}"
    assert DoorText.of("plain").command == "plain"
