"""The registry of intervals: for a measure, a table and a way of drawing, the methods, sources and the default.

A method is one function with one decorator that says all that is known of it: its name, the measures and tables that it
serves, how their cases were drawn, when it is the default, and where it comes from. `estimate`, `method=`, the list of
methods in an error, `classay measures` and the table of docs/intervals.md read this registry and nothing else.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Generic, Literal, Protocol, TypeVar

from classay.errors import InputError, nearest
from classay.inference.estimate import IntervalResult
from classay.measures import MEASURES, Measure
from classay.tables import BinaryCounts, CaseTable, ClassScoreTable, ConfusionMatrix, ScoreTable
from classay.tables.bins import BinnedClassScoreTable
from classay.tables.own import OwnTable
from classay.texts import some
from classay.wings import register

REFERENCES = {
    "agresti1998": "Agresti & Coull 1998, The American Statistician 52:119",
    "agresti2013": "Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1",
    "arrieta2022": "Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu 2022, JMLR 23(351)",
    "begg1983": "Begg & Greenes 1983, Biometrics 39:207",
    "benjamini1995": "Benjamini & Hochberg 1995, JRSS B 57:289",
    "benjamini2001": "Benjamini & Yekutieli 2001, Annals of Statistics 29:1165",
    "berry1995": "Berry & Armitage 1995, The Statistician 44:417",
    "binder1983": "Binder 1983, International Statistical Review 51:279",
    "blasiok2023": "Błasiok & Nakkiran 2023, arXiv:2309.12236",
    "boyd2013": "Boyd, Eng & Page 2013, ECML PKDD, LNCS 8190:451",
    "bretz2009": "Bretz, Maurer, Brannath & Posch 2009, Statistics in Medicine 28:586",
    "brown2001": "Brown, Cai & DasGupta 2001, Statistical Science 16:101",
    "caelen2017": "Caelen 2017, Annals of Mathematics and Artificial Intelligence 81:429",
    "clopper1934": "Clopper & Pearson 1934, Biometrika 26:404",
    "cochran1977": "Cochran 1977, Sampling Techniques, 3rd ed., section 6.3",
    "cox1958": "Cox 1958, Biometrika 45:562",
    "delong1988": "DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837",
    "dunn1961": "Dunn 1961, JASA 56:52",
    "donner2012": "Donner & Zou 2012, Stat Methods Med Res 21:347",
    "efron1987": "Efron 1987, JASA 82:171",
    "feller1951": "Feller 1951, Annals of Mathematical Statistics 22:427",
    "fleiss2003": "Fleiss, Levin & Paik 2003, Statistical Methods for Rates and Proportions, equation 2.15",
    "friedman1937": "Friedman 1937, JASA 32:675",
    "gelman2013": "Gelman et al. 2013, Bayesian Data Analysis, 3rd ed., section 3.4",
    "hanley1982": "Hanley & McNeil 1982, Radiology 143:29",
    "hillis2007": "Hillis 2007, Statistics in Medicine 26:596",
    "hillis2014": "Hillis 2014, Statistics in Medicine 33:330",
    "hochberg1988": "Hochberg 1988, Biometrika 75:800",
    "hodges1963": "Hodges & Lehmann 1963, Annals of Mathematical Statistics 34:598",
    "holm1979": "Holm 1979, Scandinavian Journal of Statistics 6:65",
    "hommel1988": "Hommel 1988, Biometrika 75:383",
    "kim1990": "Kim & Pollard 1990, Annals of Statistics 18:191",
    "kish1965": "Kish 1965, Survey Sampling, section 8.2",
    "kumar2019": "Kumar, Liang & Ma 2019, NeurIPS, verified uncertainty calibration",
    "mcnemar1947": "McNemar 1947, Psychometrika 12:153",
    "meyer2000": "Meyer & Woodroofe 2000, Annals of Statistics 28:1083",
    "nabeya1951": "Nabeya 1951, Annals of the Institute of Statistical Mathematics 3:2",
    "nadeau2003": "Nadeau & Bengio 2003, Machine Learning 52:239",
    "newcombe1998": "Newcombe 1998, Statistics in Medicine 17:873",
    "newcombe1998b": "Newcombe 1998, Statistics in Medicine 17:2635",
    "newcombe2006": "Newcombe 2006, Statistics in Medicine 25:559",
    "obuchowski1995": "Obuchowski & Rockette 1995, Communications in Statistics - Simulation 24:285",
    "obuchowski1997": "Obuchowski 1997, Biometrics 53:567",
    "owen1990": "Owen 1990, Annals of Statistics 18:90",
    "perks1947": "Perks 1947, J Institute of Actuaries 73:285",
    "scheffe1953": "Scheffé 1953, Biometrika 40:87",
    "rao1992": "Rao & Scott 1992, Biometrics 48:577",
    "romano2005": "Romano & Wolf 2005, Econometrica 73:1237",
    "satterthwaite1946": "Satterthwaite 1946, Biometrics Bulletin 2:110",
    "simel1991": "Simel, Samsa & Matchar 1991, J Clin Epidemiol 44:763",
    "smyth2004": "Smyth 2004, Stat Appl Genet Mol Biol 3:3",
    "student1908": "Student 1908, Biometrika 6:1",
    "takahashi2022": "Takahashi, Yamamoto, Kuchiba & Koyama 2022, Applied Intelligence 52:4961",
    "totsch2021": "Tötsch & Hoffmann 2021, PeerJ Computer Science 7:e398",
    "white1982": "White 1982, Econometrica 50:1",
    "wilson1927": "Wilson 1927, JASA 22:209",
    "woodruff1952": "Woodruff 1952, JASA 47:635",
    "zou2007": "Zou 2007, Psychological Methods 12:399",
    "zou2008": "Zou & Donner 2008, Statistics in Medicine 27:1693",
}
OF_PARTS = {
    "boyd2013": ("moderated",),
    "delong1988": ("DeLong", "Obuchowski", "logit"),
    "newcombe2006": ("Newcombe",),
    "obuchowski1997": ("Obuchowski",),
    "smyth2004": ("moderated",),
}
"""Sources of a part of a method: words of which the name of the method has one, where it used that part."""
OF_UNEQUAL_CASES = ("kish1965", "rao1992")
"""Sources of what weights and clusters need beside the method."""

OF_WORDS = (
    ("Begg-Greenes", ("begg1983",)),
    ("Benjamini–Hochberg", ("benjamini1995",)),
    ("Benjamini–Yekutieli", ("benjamini2001",)),
    ("Bonferroni", ("dunn1961",)),
    ("Clopper-Pearson", ("clopper1934",)),
    ("DeLong", ("delong1988",)),
    ("Friedman", ("friedman1937",)),
    ("(?<!–)Hochberg", ("hochberg1988",)),
    ("Hillis", ("hillis2007",)),
    ("readers within modalities", ("hillis2014",)),
    ("Hodges-Lehmann", ("hodges1963",)),
    ("Holm", ("holm1979",)),
    ("Hommel", ("hommel1988",)),
    ("MOVER(?!-R)", ("zou2008",)),
    ("MOVER-R", ("donner2012",)),
    ("MOVER.*correlation", ("zou2007",)),
    ("McNemar", ("mcnemar1947",)),
    ("Newcombe(?!-5)", ("newcombe1998", "newcombe1998b")),
    ("Newcombe-5", ("newcombe2006",)),
    ("Obuchowski(?!-Rockette)", ("obuchowski1997",)),
    ("Obuchowski-Rockette", ("obuchowski1995",)),
    ("Wilson", ("wilson1927",)),
    ("binomial limit", ("brown2001",)),
    ("corrected resampled t", ("nadeau2003",)),
    ("max-t", ("romano2005",)),
    ("moderated", ("smyth2004",)),
    ("weighted Holm", ("bretz2009",)),
)
"""What a method calls itself where it used what a source is about; of several sources it is one, mostly the first."""


def cite(*keys: str) -> str:
    """Return the references of these keys, in one text.

    >>> cite("wilson1927")
    'Wilson 1927, JASA 22:209'
    """
    return "; ".join(REFERENCES[key] for key in keys)


def used(keys: Iterable[str], method: str, *, are_alike: bool) -> list[str]:
    """Return those of the sources of a method that are about what it did, by the name that it gave itself.

    `are_alike` says whether cases were independent and counted alike.

    >>> used(("delong1988", "newcombe2006", "obuchowski1997"), "DeLong, moderated variance", are_alike=True)
    ['delong1988']
    """
    return [
        key
        for key in keys
        if not (are_alike and key in OF_UNEQUAL_CASES)
        and any(word in method for word in OF_PARTS.get(key, ("",)))
    ]


CITED = "References: "
"""What begins the paragraph of references."""


def reference_list(cited: Iterable[str], methods: Iterable[str]) -> str:
    """Return the paragraph of references that ends a text; empty without any.

    It holds what is cited, and the sources of all that the names of the methods speak of, each once.

    >>> reference_list([], ["MOVER of DeLong, moderated variance"])
    'References: DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837; Zou & Donner 2008, Statistics in Medicine \
27:1693; Smyth 2004, Stat Appl Genet Mol Biol 3:3.'
    """
    listed = dict.fromkeys(cited)
    names = "; ".join(methods)
    for word, keys in OF_WORDS:
        if re.search(rf"(?<!\w){word}(?!\w)", names) and not any(REFERENCES[key] in listed for key in keys):
            listed[REFERENCES[keys[0]]] = None
    return f"{CITED}{'; '.join(listed)}." if listed else ""


Drawn = Literal["alike", "weighted", "clustered"]
"""How cases were drawn: independently and alike, independently with sampling weights, in clusters."""
WORDS: dict[Drawn, str] = {
    "alike": "independent, equally weighted cases",
    "weighted": "cases with sampling weights",
    "clustered": "cases in clusters",
}
ALIKE: tuple[Drawn, ...] = ("alike",)
WEIGHTED: tuple[Drawn, ...] = ("weighted",)
CLUSTERED: tuple[Drawn, ...] = ("clustered",)
UNLIKE: tuple[Drawn, ...] = ("weighted", "clustered")
ANYHOW: tuple[Drawn, ...] = ("alike", "weighted", "clustered")

Table = (
    BinaryCounts
    | ConfusionMatrix
    | ScoreTable
    | ClassScoreTable
    | BinnedClassScoreTable
    | CaseTable
    | OwnTable
)
"""Any table that a measure may be of."""
T = TypeVar("T", bound=Table)
U = TypeVar("U")

LABELS: tuple[type[BinaryCounts | ConfusionMatrix], ...] = (BinaryCounts, ConfusionMatrix)
SCORES = (ScoreTable,)
CLASS_SCORES = (ClassScoreTable,)
BINNED_CLASS_SCORES = (BinnedClassScoreTable,)
CASES = (CaseTable,)
TABLES: dict[str, tuple[type, ...]] = {
    "counts": (BinaryCounts,),
    "margins": (ConfusionMatrix,),
    "matrix": (ConfusionMatrix,),
    "scores": (ScoreTable,),
    "probabilities": (ScoreTable, CaseTable),
    "class_scores": (ClassScoreTable, BinnedClassScoreTable),
    "cases": (CaseTable,),
}
"""The tables that a measure may be of, by what it needs."""

Function = Callable[[Measure, T, float, U, float], IntervalResult]
"""From measure, table, value, design and level to an interval, or to the reason why there is none.

The design says how the cases of the table were drawn; for the tables of several classes' scores it is the rows of
clusters, or None. A function of some tables is registered for these: mypy compares its annotation with `tables=`.
"""
Several = Callable[[Sequence[Measure], T, Sequence[float], U, float], list[IntervalResult]]
"""The same of several measures of one table and their values."""
Of = tuple[str, ...] | Callable[[Measure], bool]


@dataclass(frozen=True)
class When(Generic[T]):
    """When a method is the default, in words and as a function of measure, table, value, design and level."""

    words: str
    met: Callable[[Measure, T, float, Any, float], bool]


ALWAYS: When[Any] = When("", lambda *_: True)
ON_REQUEST: When[Any] = When("on request", lambda *_: False)


class RegistersInterval(Protocol[T]):
    """What `interval` returns for its tables: a decorator of the functions of these, whatever the design."""

    def __call__(self, function: Function[T, U]) -> Function[T, U]:
        """The function as it came."""


@dataclass(frozen=True)
class Method:
    """A method of intervals: its name, what it does, what it serves, when it is the default, where it comes from.

    `several` is its function for several measures of one table, where they share most of the work; their intervals are
    the same as one by one.
    """

    name: str
    function: Function[Any, Any]
    of: Of
    tables: tuple[type, ...]
    drawn: tuple[Drawn, ...]
    when: When[Any]
    references: tuple[str, ...]
    several: Several[Any, Any] | None = None

    @property
    def about(self) -> str:
        """What the method does, in one sentence."""
        return explanations()[self.name]

    def serves(self, measure: Measure, table: type, drawn: Drawn) -> bool:
        """Check whether it gives the interval of a measure of such a table, so drawn."""
        if drawn not in self.drawn or not issubclass(table, self.tables):
            return False
        return self.of(measure) if callable(self.of) else measure.base in self.of


METHODS: list[Method] = []
"""In the order in which they are tried; methods of named measures come before those of a kind of measures."""
REFUSED: dict[tuple[str, str | None], str] = {}
"""Measures that have no interval by a method, or by none (None), with the reason."""
_FOUND: dict[tuple[Measure, type, Drawn], tuple[Method, ...]] = {}
OTHER_NAMES = {
    "exact": "Clopper-Pearson",
    "posterior": "Dirichlet posterior",
    "mover": "MOVER-Wilson",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
}
FORMER_NAMES = {
    "delta with one case at random": "delta, one random case added",
    "delta with one pseudo-case added": "delta, one pseudo-case added",
    "influence": "influence function",
    "Jeffreys at resampled thresholds": "Jeffreys, resampled thresholds",
    "Clopper-Pearson below, Wilson above": "lower limit Clopper-Pearson, upper limit Wilson",
    "largest share": "lower limit Clopper-Pearson, upper limit Wilson",
    "moderated DeLong": "DeLong, moderated variance",
    "moderated influence": "influence function, moderated variance",
    "optimism-corrected": "optimism-corrected lower limit",
    "sandwich": "robust (sandwich) variance",
    "shared Wilson": "Wilson limits combined",
    "shared Wilson, effective cases": "Wilson limits combined, effective sample size",
    "triangle inequality": "sampling-error bound",
    "Wilson on Jaccard": "Wilson via the Jaccard index",
    "Wilson on the prevalence": "Wilson via the prevalence",
    "Wilson, effective cases": "Wilson, effective sample size",
}
"""Names that methods had, which are understood, with a warning, for one release."""
NOT_YET = "no valid method is available yet"


def interval(
    name: str,
    *,
    of: Of,
    tables: tuple[type[T], ...],
    references: tuple[str, ...],
    drawn: tuple[Drawn, ...] = ALIKE,
    when: When[T] = ALWAYS,
    several: Several[T, Any] | None = None,
) -> RegistersInterval[T]:
    """Register a function as a method of intervals; for one set of measures and tables each, and as often as needed.

    `of` are names of measures, or a function that tells whether a measure is served. Of several methods that serve a
    measure, the first whose condition `when` is met is the default. Raises InputError for a reference that is not in
    REFERENCES.
    """
    for key in references:
        if key not in REFERENCES:
            raise InputError(f"the interval {name!r} cites {key!r}, which is not in inference/methods.py.")

    def register(function: Function[T, U]) -> Function[T, U]:
        METHODS.append(Method(name, function, of, tables, drawn, when, references, several))
        _FOUND.clear()
        return function

    return register


def combined_wilson(of: str, tables: tuple[type[T], ...]) -> RegistersInterval[T]:
    """Register Wilson's limits of several shares, each with its part of the quantile, as the interval of a measure."""
    references = ("wilson1927", "newcombe1998", "zou2008", "rao1992")
    return interval("Wilson limits combined", of=(of,), tables=tables, drawn=ANYHOW, references=references)


def refuse(names: Iterable[str], reason: str, method: str | None = None) -> None:
    """Register that measures have no interval by a method, or by none at all, and why."""
    REFUSED.update({(name, method): reason for name in names})
    _FOUND.clear()


TEST_STATISTICS: dict[str, Callable[[float], float]] = {}
"""Measures that are test statistics, with the two-sided p-value of a value."""


def register_statistic(name: str, p: Callable[[float], float]) -> None:
    """Register that a measure is a test statistic: it has no interval but a p-value, if cases are independent."""
    TEST_STATISTICS[name] = p
    refuse((name,), "test statistic, which has a p value instead of an interval")


def p_of_statistic(measure: Measure, value: float, drawn: Drawn) -> float | None:
    """Return the two-sided p-value of a test statistic; None of other measures, and of cases that do not count alike.

    >>> import classay.inference.intervals
    >>> from classay.measures import get
    >>> round(p_of_statistic(get("spiegelhalter_z"), 1.96, "alike"), 4)
    0.05
    """
    p = TEST_STATISTICS.get(measure.base)
    return None if p is None or drawn != "alike" else p(value)


def all_methods() -> list[Method]:
    """Return all methods, those of the core first: wings add theirs when methods are first asked for."""
    register("intervals")
    return METHODS


def methods(measure: Measure, table: Table, drawn: Drawn) -> tuple[Method, ...]:
    """Return the methods that serve a measure of such a table, so drawn, in the order in which they are tried."""
    return of_type(measure, type(table), drawn)


def of_type(measure: Measure, table: type, drawn: Drawn) -> tuple[Method, ...]:
    """As `methods`, for a type of tables.

    A complement, such as the false negative rate, has the methods of the measure it is 1 minus of.
    """
    measure = MEASURES.get(measure.complement or "", measure)
    key = measure, table, drawn
    if key not in _FOUND:
        candidates = [
            one for one in all_methods() if one.serves(measure, table, drawn) and not _refused(measure, one)
        ]
        _FOUND[key] = tuple(sorted(candidates, key=_order_of_trial))
    return _FOUND[key]


def described(measure: Measure) -> list[tuple[str, str]]:
    """What the registry knows of a measure: for each way of drawing the default and its source, and what else there is.

    >>> import classay.inference.intervals
    >>> from classay.measures import get
    >>> described(get("f1"))[0]
    ('interval', 'Wilson via the Jaccard index (Wilson 1927, JASA 22:209; Rao & Scott 1992, Biometrics 48:577)')
    """
    if measure.complement is not None:
        return [("interval", f"mirrored from {measure.complement}")]
    if (measure.base, None) in REFUSED:
        return [("interval", f"none: {REFUSED[measure.base, None]}")]
    lines: list[tuple[str, str]] = []
    titles: dict[Drawn, str] = {"alike": "interval", "weighted": "of weights", "clustered": "of clusters"}
    for drawn, title in titles.items():
        for table in TABLES[measure.needs]:
            candidates = of_type(measure, table, drawn)
            texts = []
            for method in candidates:
                if method.when is not ON_REQUEST:
                    when = f" where {method.when.words}" if method.when.words else ""
                    texts.append(f"{method.name}{when} ({cite(*method.references)})")
                if method.when is ALWAYS:
                    break
            if texts and (title, "; else ".join(texts)) not in lines:
                lines.append((title, "; else ".join(texts)))
    others = [method.name for table in TABLES[measure.needs] for method in of_type(measure, table, "alike")]
    return [*lines, ("on request", "; ".join(dict.fromkeys(others)))]


def sources(method: str) -> list[str]:
    """Return the references of a method of intervals by its name, which may stand within other words.

    >>> import classay.inference.intervals
    >>> sources("Wilson"), sources("no such method")
    (['Wilson 1927, JASA 22:209'], [])
    """
    inside = [
        each
        for each in all_methods()
        if re.search(rf"(?<!\w){re.escape(each.name)}(?!\w)", method, re.IGNORECASE)
    ]
    best = max(inside, key=lambda each: len(each.name), default=None)
    are_alike = not any(word in method for word in ("clusters", "linearised", "stratified"))
    return [] if best is None else [cite(key) for key in used(best.references, method, are_alike=are_alike)]


def why_refused(measure: Measure, method: str) -> str | None:
    """Return why a measure has no interval by a method, or by any; None where it is not refused.

    >>> import classay.inference.intervals
    >>> from classay.measures import get
    >>> why_refused(get("spiegelhalter_z"), "bootstrap")
    'test statistic, which has a p value instead of an interval'
    """
    return REFUSED.get((measure.base, None)) or REFUSED.get((measure.base, method))


def _refused(measure: Measure, method: Method) -> bool:
    return why_refused(measure, method.name) is not None


def _order_of_trial(method: Method) -> tuple[bool, bool]:
    """Return the sort key of a method: of named measures first, then of a kind of measures, those on request last."""
    return method.when is ON_REQUEST, callable(method.of)


def default(
    measure: Measure, table: Table, value: float, design: Any, level: float, drawn: Drawn
) -> Method | str:
    """Return the default method of a measure of a table, or the reason why it has none."""
    for method in methods(measure, table, drawn):
        if method.when.met(measure, table, value, design, level):
            return method
    return REFUSED.get((measure.base, None), NOT_YET)


def named(measure: Measure, table: Table, method: str, drawn: Drawn) -> Method | str | None:
    """Return the method of this name that serves a measure of a table; why it is refused; or None where there is none.

    The name is written as `match_method` gives it.
    """
    return why_refused(measure, method) or next(
        (candidate for candidate in methods(measure, table, drawn) if candidate.name == method), None
    )


def match_method(name: str) -> str:
    """Return the name of an interval method, however it is written; InputError lists them when there is none.

    >>> match_method("clopper-pearson"), match_method("Mid P"), match_method("exact")
    ('Clopper-Pearson', 'mid-P', 'Clopper-Pearson')
    """
    name = present_name(name)
    if name in all_names():
        return name
    known = {_folded(each): each for each in all_names()} | OTHER_NAMES
    full_name = known.get(_folded(name))
    if full_name is None:
        near = nearest(name, all_names()) or "."
        names = sorted(all_names(), key=str.casefold)
        raise InputError(f"Unknown interval method {name!r}. Methods: {some(names, 6)}{near}")
    return full_name


def present_name(name: str) -> str:
    """Return the name that a method of intervals has now, with a warning where it had another."""
    now = {_folded(former): now for former, now in FORMER_NAMES.items()}.get(_folded(name))
    if now is None:
        return name
    text = f"The interval method {name!r} is now {now!r}. The old name will be removed."
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return now


@cache
def explanations() -> dict[str, str]:
    """Return what each method does, by its name, and what the further words mean that names of methods have."""
    text = files("classay.inference").joinpath("methods.txt").read_text(encoding="utf-8")
    lines = (line.split(": ", 1) for line in text.splitlines() if line and not line.startswith("#"))
    return dict(lines)


def all_names(drawn: Drawn | None = None) -> list[str]:
    """Return the names of all methods, or of those that serve cases so drawn, in the order of the registry."""
    return list(dict.fromkeys(one.name for one in all_methods() if drawn is None or drawn in one.drawn))


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())
