"""How a text names a measure (the only parser), when a measure has no value, and where its formula comes from.

How a text names a measure: `recall`, `f_beta(3)`, `f1_over("a (b)", c)`, `recall["New York"]`. The only parser.

NAME, then its parameters in parentheses, then a label in brackets, of which all but the first may be absent. A name is
words of letters, digits, `_` and `-`; a dot belongs to it before a digit (`f0.5`), and before a letter ends it
(`recall.low`). What holds a blank, a comma, a bracket or `=` stands in double quotes, as in JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from classay.columns import is_ordinal
from classay.columns.labels import NO_ORDER
from classay.errors import InputError

_WORD = r"(?:[^\s()\[\],.<>=!\"]|\.(?=\d))+"
_NAME = re.compile(rf"\s*({_WORD}(?:\s+(?!and\b){_WORD})*)\s*")
_QUOTED = r"\"(?:[^\"\\]|\\.)*\""
_ARGUMENT = re.compile(
    rf"\s*(?:([a-z_]+)\s*=)?\s*({_QUOTED}|(?:[^,()\"]|\([^()\"]*\))*?)\s*([,)])", re.DOTALL
)
_BRACKET = re.compile(rf"\[((?:{_QUOTED}|[^\[\]\"])*)\]\s*", re.DOTALL)
_PAIR = re.compile(rf"\s*({_QUOTED}|[^,=\"]*?)\s*=\s*({_QUOTED}|[^,\"]*?)\s*(,|$)", re.DOTALL)
_BARE = re.compile(r"[^\s\[\](),=<>\"]+")
_ALONE = re.compile(_QUOTED, re.DOTALL)


@dataclass(frozen=True)
class MeasureName:
    """A measure as a text names it: its name, parameters by place and by name, and what stands in brackets behind.

    `called` tells `ece()` from `ece`. A bracket is kept as it was written, with its quotes.
    """

    text: str
    name: str
    called: bool = False
    values: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()
    brackets: tuple[str, ...] = ()

    @property
    def without_last(self) -> str:
        """The text without its last bracket."""
        return self.text[: -len(self.brackets[-1]) - 2].rstrip() if self.brackets else self.text


def name_in(text: str, start: int = 0) -> tuple[MeasureName, int] | None:
    """Return the name of a measure that begins there, and where what follows it begins; None where there is none.

    Raises InputError for quotes that JSON does not have.

    >>> name_in("f0.5.low >= 0.8")
    (MeasureName(text='f0.5', name='f0.5', called=False, values=(), named=(), brackets=()), 4)
    """
    match = _NAME.match(text, start)
    if match is None:
        return None
    name, at, called = match[1], match.end(), text[match.end() : match.end() + 1] == "("
    values: list[str] = []
    named: list[tuple[str, str]] = []
    if called:
        end = _arguments_in(text, at + 1, values, named)
        if end is None:
            return None
        at = end
    brackets = []
    while text[at : at + 1] == "[":
        match = _BRACKET.match(text, at)
        if match is None or not match[1].strip():
            return None
        brackets.append(match[1])
        at = match.end()
    written = text[start:at].strip()
    return MeasureName(written, name, called, (*values,), (*named,), (*brackets,)), at


def _arguments_in(text: str, at: int, values: list[str], named: list[tuple[str, str]]) -> int | None:
    """Fill in the parameters between parentheses; what follows them begins at the place returned."""
    while match := _ARGUMENT.match(text, at):
        at = match.end()
        empty = not match[2]
        if not empty and match[1] is None:
            if named:
                return None
            values.append(unquoted(match[2]))
        elif not empty:
            named.append((match[1], unquoted(match[2])))
        elif match[1] is not None or match[3] == ",":
            return None
        if match[3] == ")":
            return at + len(text[at:]) - len(text[at:].lstrip())
    return None


def read_name(text: str) -> MeasureName | None:
    """Return the measure that a whole text names; None where it names none.

    >>> read_name('f1_over("a (b)", c)').values
    ('a (b)', 'c')
    """
    parsed = name_in(text)
    return None if parsed is None or parsed[1] < len(text) else parsed[0]


def names_listed(text: str, option: str) -> list[str]:
    """Return the names of measures in a list, with commas between them. Raises InputError for anything else.

    >>> names_listed('recall["a, b"], f_beta(3), partial_roc_auc(0.2, min_fpr=0.1)', "--measures")
    ['recall["a, b"]', 'f_beta(3)', 'partial_roc_auc(0.2, min_fpr=0.1)']
    """
    names: list[str] = []
    at = 0
    while at < len(text):
        if text[at] in ", \t\n":
            at += 1
            continue
        parsed = name_in(text, at)
        if parsed is None or (parsed[1] < len(text) and text[parsed[1]] != ","):
            raise InputError(
                f"{option} {text!r} is not valid at {text[at:]!r}. Use names with commas, such as "
                'recall, f_beta(3), recall["New York"].'
            )
        names.append(parsed[0].text)
        at = parsed[1]
    if not names:
        raise InputError(f"{option} is empty. Use a list of names with commas, such as roc_auc,recall.")
    return names


def label_in(bracket: str) -> str:
    """Return the label that stands in a bracket, bare or in quotes.

    >>> label_in(" other "), label_in('"a, b"')
    ('other', 'a, b')
    """
    bracket = bracket.strip()
    return unquoted(bracket) if _ALONE.fullmatch(bracket) else bracket


def pairs_of(text: str, columns: Sequence[str]) -> list[str] | None:
    """Return the labels that a text of pairs gives to these columns, in their order; None where it is no such text.

    >>> pairs_of('region="a, b", sex=f', ("sex", "region")), pairs_of("sex=f", ("sex", "region"))
    (['f', 'a, b'], None)
    """
    pairs: dict[str, str] = {}
    at = 0
    while match := _PAIR.match(text, at):
        pairs[unquoted(match[1])] = unquoted(match[2])
        at = match.end()
        if not match[3]:
            return [pairs[column] for column in columns] if pairs.keys() == {*columns} else None
    return None


def columns_within(text: str) -> list[str]:
    """Return the columns by which a text in brackets names a group, `region=north`; none where it is no such text.

    >>> columns_within('sex=f, "age group"=1'), columns_within("north")
    (['sex', 'age group'], [])
    """
    columns: list[str] = []
    at = 0
    while match := _PAIR.match(text, at):
        columns.append(unquoted(match[1]))
        at = match.end()
        if not match[3]:
            return columns
    return []


def unquoted(text: str) -> str:
    """Return a text without its double quotes, as JSON has them; ends of lines and tabs may stand as they are."""
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text, strict=False))
    except json.JSONDecodeError as error:
        raise InputError(
            f"The quoted text {text} is not valid ({error.msg}). In double quotes, write a backslash twice and "
            '\\" for a quote.'
        ) from None


def quoted(text: str) -> str:
    """Return a text as it stands in a name: bare where it can, else in double quotes.

    >>> quoted("other"), quoted("New York")
    ('other', '"New York"')
    """
    return text if _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True)
class Condition:
    """Why a value can be missing: as it reads after "not defined if", as a reason, as one about a named class.

    `met` takes the arguments of the measure. `of_class` reads after "precision of 'c': ".
    """

    text: str
    of_class: str
    met: Callable[..., Any]


def first_met(
    conditions: Iterable[Condition], table: tuple[Any, ...], *, of_class: bool = False
) -> str | None:
    """Return the words of the first condition that a table without leading axes meets, or None."""
    for condition in conditions:
        if np.any(condition.met(*table)):
            return condition.of_class if of_class else condition.text
    return None


# on (tp, fp, fn, tn)
NO_CASES = Condition(
    "there are no cases", "there are no cases", lambda tp, fp, fn, tn: tp + fp + fn + tn == 0
)
NO_POSITIVES = Condition("no case is positive", "never true", lambda tp, fp, fn, tn: tp + fn == 0)
NO_NEGATIVES = Condition("no case is negative", "always true", lambda tp, fp, fn, tn: fp + tn == 0)
NONE_PREDICTED = Condition(
    "no case is predicted positive", "never predicted", lambda tp, fp, fn, tn: tp + fp == 0
)
ALL_PREDICTED = Condition(
    "every case is predicted positive", "always predicted", lambda tp, fp, fn, tn: fn + tn == 0
)
NEVER_SEEN = Condition(
    "the positive class is neither true nor predicted",
    "neither true nor predicted",
    lambda tp, fp, fn, tn: tp + fp + fn == 0,
)
NO_HITS_NO_FALSE_ALARMS = Condition(
    "no case is predicted positive", "never predicted", lambda tp, fp, fn, tn: (tp == 0) & (fp == 0)
)
NO_MISSES_NO_REJECTIONS = Condition(
    "every case is predicted positive", "always predicted", lambda tp, fp, fn, tn: (fn == 0) & (tn == 0)
)
ZERO_OVER_ZERO_ODDS = Condition(
    "both products of the odds ratio are 0",
    "both products of the odds ratio are 0",
    lambda tp, fp, fn, tn: (tp * tn == 0) & (fp * fn == 0),
)
ZERO_OVER_ZERO_P4 = Condition(
    "all cases are of one class, and all predictions are correct or all are incorrect",
    "0 / 0",
    lambda tp, fp, fn, tn: (
        ((tp == 0) | (tn == 0)) & ((fp == 0) | (fn == 0)) & ((tp + tn == 0) | (fp + fn == 0))
    ),
)

# on (hits, predicted, true)
EMPTY = Condition("there are no cases", "there are no cases", lambda hits, predicted, true: true.sum(-1) == 0)
CLASS_NEVER_TRUE = Condition(
    "a class is never true", "a class is never true", lambda hits, predicted, true: (true == 0).any(-1)
)
ONE_TRUE_CLASS = Condition(
    "all cases are of one class",
    "all cases are of one class",
    lambda hits, predicted, true: (true != 0).sum(-1) < 2,
)
ONE_PREDICTED_CLASS = Condition(
    "all predictions are of one class",
    "all predictions are of one class",
    lambda hits, predicted, true: (predicted != 0).sum(-1) < 2,
)
SAME_SINGLE_CLASS = Condition(
    "all cases and all predictions are of one class",
    "all cases and all predictions are of one class",
    lambda hits, predicted, true: ((predicted * true) == true.sum(-1, keepdims=True) ** 2).any(-1),
)
SAME_SINGLE_CLASS_MATRIX = Condition(
    SAME_SINGLE_CLASS.text, SAME_SINGLE_CLASS.of_class, lambda matrix: SAME_SINGLE_CLASS.met(*matrix.margins)
)

# on a score table
NO_POSITIVE_SCORES = Condition("no case is positive", "never true", lambda scores: scores.n_positive == 0)
NO_NEGATIVE_SCORES = Condition("no case is negative", "always true", lambda scores: scores.n_negative == 0)

# on a score table or a case table
NOT_PROBABILITIES = Condition(
    "the scores are not probabilities",
    "the scores are not probabilities",
    lambda probabilities: not probabilities.are_probabilities,
)
ONE_TRUE_CLASS_SEEN = Condition(
    "all cases are of one class",
    "all cases are of one class",
    lambda probabilities: (probabilities.class_totals != 0).sum(-1) < 2,
)

# on class scores and cases
CLASS_WITHOUT_CASES = Condition(
    "a class is never true",
    "a class is never true",
    lambda class_scores: bool((class_scores.class_totals == 0).any()),
)
ONE_CLASS_SEEN = Condition(
    "all cases are of one class",
    "all cases are of one class",
    lambda class_scores: np.count_nonzero(class_scores.class_totals) < 2,
)
NO_ORDER_OF_CLASSES = Condition(NO_ORDER, NO_ORDER, lambda table: not is_ordinal(table.labels))
EMPTY_MATRIX = Condition("there are no cases", "there are no cases", lambda matrix: matrix.total == 0)
EMPTY_CASES = Condition("there are no cases", "there are no cases", lambda cases: cases.cases == 0)


REFERENCES = {
    "byrt1993": "Byrt, Bishop & Carlin 1993, J Clin Epidemiol 46:423, bias, prevalence and kappa (PABAK)",
    "harrell2015": "Harrell 2015, Regression Modeling Strategies, 2nd ed., section 10.9",
    "kerr2016": "Kerr, Brown, Zhu & Janes 2016, J Clin Oncol 34:2534, relative utility (standardized net benefit)",
    "kubat1998": "Kubat, Holte & Matwin 1998, Machine Learning 30:195 (geometric mean); Sun et al. 2006, ICDM 592",
    "pencina2008": "Pencina, D'Agostino & Vasan 2008, Statistics in Medicine 27:157 (IDI, NRI); Tjur 2009",
    "scott1955": "Scott 1955, Public Opinion Quarterly 19:321, reliability of content analysis",
    "altman1994": "Altman & Bland 1994, BMJ 309:102, Diagnostic tests 2: predictive values",
    "arrieta2022": "Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu 2022, JMLR 23(351), metrics of calibration",
    "austin2019": "Austin & Steyerberg 2019, Statistics in Medicine 38:4051, the integrated calibration index",
    "baccianella2009": "Baccianella, Esuli & Sebastiani 2009, ISDA 283, measures for ordinal regression",
    "blasiok2023": "Błasiok & Nakkiran 2023, arXiv:2309.12236, smooth ECE",
    "bradley1997": "Bradley 1997, Pattern Recognition 30:1145, the area under the ROC curve",
    "brier1950": "Brier 1950, Monthly Weather Review 78:1, verification of forecasts expressed in probability",
    "brin1997": "Brin, Motwani, Ullman & Tsur 1997, SIGMOD Record 26:255 (lift, there called interest)",
    "brodersen2010": "Brodersen, Ong, Stephan & Buhmann 2010, ICPR 3121, the balanced accuracy",
    "broecker2012": "Bröcker 2012, Climate Dynamics 39:655, estimating reliability and resolution",
    "cohen1960": "Cohen 1960, Educational and Psychological Measurement 20:37",
    "cohen1968": "Cohen 1968, Psychological Bulletin 70:213 (weighted kappa)",
    "cox1958": "Cox 1958, Biometrika 45:562, two further applications of a model for binary regression",
    "davis2006": "Davis & Goadrich 2006, ICML 233, precision-recall and ROC curves",
    "debray2017": "Debray, Damen, Snell et al. 2017, BMJ 356:i6460, the total O:E ratio",
    "dimitriadis2021": "Dimitriadis, Gneiting & Jordan 2021, PNAS 118(8), reliability diagrams (CORP)",
    "fawcett2006": "Fawcett 2006, Pattern Recognition Letters 27:861, an introduction to ROC analysis",
    "fawcett2007": "Fawcett & Niculescu-Mizil 2007, Machine Learning 68:97, PAV and the ROC hull",
    "flach2015": "Flach & Kull 2015, NeurIPS 28, precision-recall-gain curves",
    "fowlkes1983": "Fowlkes & Mallows 1983, JASA 78:553",
    "geifman2019": "Geifman, Uziel & El-Yaniv 2019, ICLR, bias-reduced uncertainty estimation",
    "glas2003": "Glas, Lijmer, Prins, Bonsel & Bossuyt 2003, J Clin Epidemiol 56:1129, the diagnostic odds ratio",
    "drummond2006": "Drummond & Holte 2006, Machine Learning 65:95, cost curves",
    "elkan2001": "Elkan 2001, IJCAI 973, the foundations of cost-sensitive learning",
    "epstein1969": "Epstein 1969, J Appl Meteorol 8:985, a scoring system for ranked categories",
    "gaudette2009": "Gaudette & Japkowicz 2009, Canadian AI 207, evaluation methods for ordinal classification",
    "good1952": "Good 1952, JRSS B 14:107, rational decisions (the logarithmic score)",
    "goodman1954": "Goodman & Kruskal 1954, JASA 49:732, measures of association for cross classifications",
    "gorodkin2004": "Gorodkin 2004, Comput Biol Chem 28:367, two K-category assignments by a correlation",
    "hand2001": "Hand & Till 2001, Machine Learning 45:171, the area under the ROC curve for multiple classes",
    "hand2014": "Hand & Anagnostopoulos 2014, Pattern Recognit Lett 40:41, a better Beta for H",
    "hanley1982": "Hanley & McNeil 1982, Radiology 143:29",
    "jaccard1912": "Jaccard 1912, New Phytologist 11:37 (critical success index: Gilbert 1884)",
    "jarvelin2002": "Järvelin & Kekäläinen 2002, ACM Trans Inf Syst 20:422, cumulated gain",
    "kendall1945": "Kendall 1945, Biometrika 33:239, ties in ranking problems",
    "kleinberg2017": "Kleinberg, Mullainathan & Raghavan 2017, ITCS, 43, balance for each class",
    "kubat1997": "Kubat & Matwin 1997, ICML 179 (geometric mean)",
    "kumar2019": "Kumar, Liang & Ma 2019, NeurIPS, verified uncertainty calibration",
    "manning2008": "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, ch. 8",
    "massey1951": "Massey 1951, JASA 46:68, the Kolmogorov-Smirnov test",
    "mcclish1989": "McClish 1989, Medical Decision Making 9:190, a portion of the ROC curve",
    "murphy1973": "Murphy 1973, J Appl Meteorol 12:595 (skill against the base rate)",
    "naeini2015": "Naeini, Cooper & Hauskrecht 2015, AAAI 2901, well calibrated probabilities",
    "guo2017": "Guo, Pleiss, Sun & Weinberger 2017, ICML, On calibration of modern neural networks",
    "nixon2019": "Nixon, Dusenberry, Zhang, Jerfel & Tran 2019, CVPR Workshops 38, measuring calibration",
    "vickers2006": "Vickers & Elkin 2006, Medical Decision Making 26:565",
    "perkins2006": "Perkins & Schisterman 2006, American J Epidemiology 163:670",
    "obuchowski1997": "Obuchowski 1997, Biometrics 53:567",
    "powers2011": "Powers 2011, J Machine Learning Technologies 2:37, informedness and markedness",
    "provost2001": "Provost & Domingos 2001, CeDER IS-00-04, well-trained PETs (class-wise AUC)",
    "sitarz2022": "Sitarz 2022, arXiv:2210.11997, extending F1 (P4)",
    "sokolova2009": "Sokolova & Lapalme 2009, Inf Process Manag 45:427, performance measures",
    "somers1962": "Somers 1962, American Sociological Review 27:799, an asymmetric measure of association",
    "spiegelhalter1986": "Spiegelhalter 1986, Statistics in Medicine 5:421, probabilistic prediction",
    "steyerberg2019": "Steyerberg 2019, Clinical Prediction Models, 2nd ed., section 15.3",
    "vanrijsbergen1979": "van Rijsbergen 1979, Information Retrieval, 2nd ed., ch. 7",
    "voorhees1999": "Voorhees 1999, TREC-8 77, the question answering track (reciprocal rank)",
    "youden1950": "Youden 1950, Cancer 3:32, index for rating diagnostic tests",
    "zhang2014": "Zhang & Zhou 2014, IEEE Trans Knowl Data Eng 26:1819, multi-label learning algorithms",
    "zaki2014": "Zaki & Meira 2014, Data Mining and Analysis, ch. 22, classification assessment",
}
