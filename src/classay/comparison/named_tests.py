"""The registry of tests: the name of each, what it is of, what is random, its sources; how comparisons were made.

Methods, error texts and documents ask here. A test is one function with the decorator `test`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import signature
from math import isnan
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar

from classay.comparison.comparison import DRAWN_CASES, TEST_CASES, Comparison
from classay.errors import InputError, nearest
from classay.inference.estimate import level_text, title
from classay.inference.methods import REFERENCES as OF_INTERVALS
from classay.inference.methods import reference_list
from classay.texts import hint, listed

CORRECTED = "corrected resampled t (Nadeau–Bengio)"
"""The method of intervals and tests over folds, as reports name it."""
ALLOWS = (
    "conservative for stable learners and, unless folds are repeated, slightly too narrow for unstable ones"
)
"""How well its intervals allow for training sets that overlap, as reports say it: a heuristic."""
REFERENCES = OF_INTERVALS | {
    "agresti2000": "Agresti & Caffo 2000, The American Statistician 54:280",
    "alpaydin1999": "Alpaydin 1999, Neural Computation 11:1885",
    "benavoli2017": "Benavoli, Corani, Demšar & Zaffalon 2017, JMLR 18(77)",
    "benavoli2016": "Benavoli, Corani & Mangili 2016, JMLR 17(5)",
    "bonett2012": "Bonett & Price 2012, J Educational and Behavioral Statistics 37:479",
    "bouckaert2004": "Bouckaert & Frank 2004, PAKDD, LNCS 3056:3",
    "cochran1950": "Cochran 1950, Biometrika 37:256",
    "cohen1960": "Cohen 1960, Educational and Psychological Measurement 20:37",
    "connor1987": "Connor 1987, Biometrics 43:207",
    "corani2015": "Corani & Benavoli 2015, Machine Learning 100:285",
    "corani2017": "Corani, Benavoli, Demšar, Mangili & Zaffalon 2017, Machine Learning 106:1817",
    "croux2010": "Croux & Dehon 2010, Statistical Methods & Applications 19:497",
    "demsar2006": "Demšar 2006, JMLR 7:1",
    "dietterich1998": "Dietterich 1998, Neural Computation 10:1895",
    "dixon1946": "Dixon & Mood 1946, JASA 41:557",
    "efron1993": "Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapters 13 and 16",
    "edwards1983": "Edwards & Hsu 1983, JASA 78:965",
    "fagerland2013": "Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13:91",
    "hotelling1931": "Hotelling 1931, Annals of Mathematical Statistics 2:360",
    "hsu1984": "Hsu 1984, Annals of Statistics 12:1136",
    "fleiss1971": "Fleiss 1971, Psychological Bulletin 76:378",
    "friedman1937": "Friedman 1937, JASA 32:675",
    "gallas2006": "Gallas 2006, Academic Radiology 13:353",
    "iman1980": "Iman & Davenport 1980, Communications in Statistics A9:571",
    "kott2001": "Kott 2001, Journal of Official Statistics 17:521",
    "miettinen1985": "Miettinen & Nurminen 1985, Statistics in Medicine 4:213",
    "mogstad2024": "Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91:476",
    "nemenyi1963": "Nemenyi 1963, Distribution-free multiple comparisons, Princeton University",
    "noether1987": "Noether 1987, JASA 82:645",
    "obuchowski1998": "Obuchowski 1998, Statistics in Medicine 17:1495",
    "ojala2010": "Ojala & Garriga 2010, JMLR 11:1833",
    "pitman1937": "Pitman 1937, Supplement to JRSS 4:119",
    "robbins1970": "Robbins 1970, Annals of Mathematical Statistics 41:1397",
    "robin2011": "Robin et al. 2011, BMC Bioinformatics 12:77",
    "schuirmann1987": "Schuirmann 1987, J Pharmacokinetics and Biopharmaceutics 15:657",
    "shao1995": "Shao & Tu 1995, The Jackknife and Bootstrap, chapter 2",
    "skillings1981": "Skillings & Mack 1981, Technometrics 23:171",
    "sun2014": "Sun & Xu 2014, IEEE Signal Processing Letters 21:1389",
    "tsamardinos2018": "Tsamardinos, Greasidou & Borboudakis 2018, Machine Learning 107:1895",
    "tango1998": "Tango 1998, Statistics in Medicine 17:891",
    "waudbysmith2024": "Waudby-Smith & Ramdas 2024, JRSS B 86:1",
    "white2000": "White 2000, Econometrica 68:1097",
    "welch1947": "Welch 1947, Biometrika 34:28",
    "wilcoxon1945": "Wilcoxon 1945, Biometrics Bulletin 1:80",
}


def cite(*keys: str) -> str:
    """Return the references of these keys, in one text.

    >>> cite("cochran1950")
    'Cochran 1950, Biometrika 37:256'
    """
    return "; ".join(REFERENCES[key] for key in keys)


Where = Literal["on one test set", "on different test sets", "over folds", "over data sets"]
ONE_TEST_SET: Where = "on one test set"
DIFFERENT_TEST_SETS: Where = "on different test sets"
FOLDS: Where = "over folds"
DATA_SETS: Where = "over data sets"
POSTERIORS = ("bayesian", "corani-benavoli", "hierarchical")
"""Methods that give probabilities, and need a rope."""
P = ParamSpec("P")
A = TypeVar("A")
R = TypeVar("R", bound="Comparison | list[Comparison]")


class ComparedInput(str, Generic[A, R]):
    """What a test is of, in words; and the types of what its function takes first and finds, which mypy compares.

    >>> ComparedInput[tuple[int, int], "Comparison"]("proportions")
    'proportions'
    """

    __slots__ = ()


@dataclass(frozen=True)
class KnownTest(Generic[A, R]):
    """A test that can be asked for by its name, `method=` (`--method`).

    `where` is what the models are compared over, `of` what the function takes first: proportions, labels, losses, AUCs
    or scores of the same cases, differences of folds, results over data sets.
    """

    name: str
    title: str
    where: Where
    of: ComparedInput[A, R]
    references: tuple[str, ...]
    function: Callable[Concatenate[A, ...], R]

    @property
    def random(self) -> str:
        """What varies: test cases, training sets, or data sets."""
        return {FOLDS: "training sets", DATA_SETS: "data sets"}.get(self.where, "test cases")

    @property
    def reference(self) -> str:
        """The sources, in one text."""
        return cite(*self.references)

    def __call__(self, first: A, *inputs: Any, **options: Any) -> R:
        """What the function finds, given of all that was asked what it has parameters for."""
        known = _parameters_of(self.function)
        used = {name: value for name, value in options.items() if name in known}
        return self.function(first, *inputs, **used)


@cache
def _parameters_of(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names of the function's parameters."""
    return frozenset(signature(function).parameters)


TESTS: list[KnownTest[Any, Any]] = []
"""Every test that can be asked for, in the order in which their modules are loaded."""


class RegistersTest(Protocol[A, R]):
    """What `test` returns for what it is of: a decorator of the functions of this, whatever else they take."""

    def __call__(self, function: Callable[Concatenate[A, P], R]) -> Callable[Concatenate[A, P], R]:
        """The function as it came."""


def test(
    name: str, title: str, *, where: Where, of: ComparedInput[A, R], references: tuple[str, ...]
) -> RegistersTest[A, R]:
    """Register a function as the test of this name. Raises ValueError for a name that is taken there."""
    cite(*references)
    if find(where, name, of) is not None:
        raise ValueError(f"there are two tests {where} of {of} named {name!r}")

    def register(function: Callable[Concatenate[A, P], R]) -> Callable[Concatenate[A, P], R]:
        TESTS.append(KnownTest(name, title, where, of, references, function))
        return function

    return register


def find(where: Where, name: str | None, of: ComparedInput[A, R]) -> KnownTest[A, R] | None:
    """Return the test of this name of such a thing, if there is one."""
    if name is None:
        return None
    return next((known for known in TESTS if (known.where, known.name, known.of) == (where, name, of)), None)


def names(where: Where, of: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the names of the tests there, each once, in alphabetical order: it depends on no import.

    `of` keeps the tests of such things.
    """
    tests = (test for test in TESTS if test.where == where)
    return tuple(sorted({test.name for test in tests if of is None or test.of in of}))


def named(where: Where, name: str) -> KnownTest[Any, Any]:
    """Return the test of this name, the first where it is of several things. Raises InputError for an unknown name."""
    same = [known for known in TESTS if (known.where, known.name) == (where, name)]
    chosen_test = min(same, key=lambda known: known.of, default=None)
    if chosen_test is None:
        known = names(where)
        raise InputError(
            f"Unknown method {name!r} for models {where}. Methods: {', '.join(known)}{nearest(str(name), known) or '.'}"
        )
    return chosen_test


def refuse_unserving(method: str | None, served: Mapping[str, Collection[str]]) -> None:
    """Refuse a method that is none of those of any measure; `served` has the methods of each, by its name."""
    if method is None or not served or any(method in methods for methods in served.values()):
        return
    measures: dict[str, list[str]] = {}
    for measure, methods in served.items():
        measures.setdefault(", ".join(sorted(methods)) or "none", []).append(measure)
    parts = "; ".join(f"of {listed(names)}: {methods}" for methods, names in measures.items())
    raise InputError(
        f"Method {method!r} applies to none of the compared measures. Methods {parts}. Use another method or other "
        f"measures, or remove {hint('method=', '--method')} for the default."
    )


def chosen(where: Where, method: str | None, rope: float | None, default: str) -> KnownTest[Any, Any]:
    """Return the test by its name, or the default; a rope asks for the Bayesian one.

    Raises InputError for an unknown method, and for a rope without the Bayesian method or the other way round.
    """
    known = named(where, method or ("bayesian" if rope is not None else default))
    if (known.name in POSTERIORS) != (rope is not None):
        raise InputError(
            f"Method {known.name!r} needs a ROPE: the largest difference that is equivalent in practice, set before "
            f"you see the data. {hint('Pass rope=0.01', 'Use --rope 0.01')}, for example, or 0 for none."
            if rope is None
            else f"Method {known.name!r} has no ROPE. Methods with a ROPE: "
            f"{listed([repr(name) for name in POSTERIORS])}. Remove {hint('rope=', '--rope')} or change the method."
        )
    return known


RANDOM = {
    TEST_CASES: "Intervals and tests reflect sampling variability of the test cases. The models were held fixed.",
    DRAWN_CASES: "Intervals and tests reflect the choice of the drawn cases. The pool and the models were held fixed.",
    "training sets": (
        "Intervals and tests apply to learners fitted to training sets of this size. The training sets are drawn from "
        "one data set and overlap."
    ),
    "data sets": "Intervals and tests apply to further data sets like these.",
    "readers and test cases": "Intervals and tests reflect sampling variability of readers and test cases.",
    "readers": "Intervals and tests reflect sampling variability of readers. The cases were held fixed.",
}
"""What is random, and what is not accounted for."""
ALLOWING = ("nadeau2003", "corani2015")
"""Tests over folds that allow for the overlap of training sets, by their sources."""


def allowance(comparisons: Sequence[Comparison]) -> str:
    """Check whether tests over folds allow for the overlap of training sets, in a sentence; nothing of other tests."""
    tested = [one for one in comparisons if one.random == "training sets" and one.reference]
    if not tested:
        return ""
    if all(any(cite(key) in one.reference for key in ALLOWING) for one in tested):
        if all(CORRECTED in one.method for one in tested):
            return f"The {CORRECTED} corrects for the overlap by a heuristic. Its intervals are {ALLOWS}."
        return (
            "The correction of Nadeau and Bengio for the overlap is a heuristic. It is conservative for stable "
            "learners and, unless folds are repeated, slightly anticonservative for unstable ones."
        )
    method = f"{tested[0].method[:1].upper()}{tested[0].method[1:]}"
    return f"{method} does not correct for the overlap and may be anticonservative."


def methods_text(comparisons: Sequence[Comparison], level: float, overall: Sequence[Comparison] = ()) -> str:
    """Return the sentences, then the references."""
    sentences = [*_of_pairs(comparisons, level), *_of_rules(comparisons)]
    sentences += [
        f"Equal {title(one.measure)} of all {len(one.models)} models was tested by {one.method}."
        for one in overall
        if not isnan(one.p)
    ]
    sources = dict.fromkeys(
        ref for one in (*comparisons, *overall) for ref in one.reference.split("; ") if ref
    )
    methods = [one.method for one in (*comparisons, *overall)]
    methods += [one.effect.method or "" for one in comparisons if one.effect is not None]
    adjusted = [one for one in comparisons if one.p_adjusted is not None and not isnan(one.p)]
    if (
        len(adjusted) > 1
        and {one.family for one in adjusted} != {1}
        and str(adjusted[0].adjustment) not in adjusted[0].method
    ):
        sizes = sorted({one.family or len(adjusted) for one in adjusted} - {1})
        sentences.append(
            f"P-values of the {' and of the '.join(map(str, sizes))} comparisons were adjusted by "
            f"{adjusted[0].adjustment} and determine the findings. Intervals were not adjusted, so they may exclude 0 "
            "where no difference was detected."
        )
        methods.append(str(adjusted[0].adjustment))
    sentences += [RANDOM[comparisons[0].random], allowance(comparisons)] if comparisons else []
    references = reference_list(sources, methods)
    return "\n\n".join(filter(None, (" ".join(filter(None, sentences)), references)))


def _of_pairs(comparisons: Sequence[Comparison], level: float) -> list[str]:
    """Return which measures were compared by which test and interval."""
    tests: dict[tuple[str, str], list[str]] = {}
    for one in comparisons:
        if not isnan(one.p) or one.odds is not None or one.rule is not None:
            interval = (one.effect.method if one.effect is not None and one.effect.has_interval else "") or ""
            method = "" if isnan(one.p) and one.odds is None else one.method
            tests.setdefault((method, interval), []).append(title(one.measure))
    sentences = []
    for (test, interval), names in tests.items():
        what = listed(list(dict.fromkeys(names)))
        kind = level_text(level, interval).replace("CrI", "credible intervals (CrI)")
        by = f"with {kind.replace('CI', 'confidence intervals')} by {interval}" if interval else ""
        tested = (
            f"were {'judged' if test.startswith('Bayes') else 'tested'} by {test}"
            if test
            else "were estimated"
        )
        sentences.append(f"Differences in {what} {tested}{', ' if test and by else ' ' if by else ''}{by}.")
    ropes = sorted({one.odds.rope for one in comparisons if one.odds is not None})
    if ropes and ropes[-1] > 0:
        sentences.append(
            f"Differences up to {listed([f'{rope:g}' for rope in ropes])} were prespecified as equivalent in practice "
            "(ROPE)."
        )
    return sentences


def _of_rules(comparisons: Sequence[Comparison]) -> list[str]:
    """Return what each rule asked for, by which margin."""
    rules = dict.fromkeys((one.rule, one.margin) for one in comparisons if one.rule is not None)
    return [
        f"The rule was {rule}{_by(margin)}: {_RULES[rule].format(beyond=beyond)}. Intervals were not "
        f"adjusted for several claims."
        for rule, margin in rules
        if rule is not None
        for beyond in ("" if margin is None else " beyond the margin",)
    ]


def _by(margin: float | None) -> str:
    return "" if margin is None else f" with a prespecified margin of {margin:g}"


_RULES = {
    "non-inferior": "the CI must exclude a loss of the first model by the margin or more",
    "equivalent": "the CI must lie within the margin (two one-sided tests)",
    "superior": "the CI must contain only differences that favor the first model{beyond}",
    "not-worse": "the first model fails only if the CI contains only losses{beyond}. Passing is not "
    "evidence of equal performance",
}
