"""Numbers, dates and words for missing values as Europeans write them: what cells of a column are."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from classay.columns.values import number_in
from classay.formats.layout import Layout

NULLS = frozenset(
    {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "#N/A", "n/a", "-NaN", "-nan", "1.#IND", "-1.#IND"}
)
"""What an unquoted cell is without an option."""
MISSING_WORDS = frozenset(
    "unknown unbekannt inconnu desconocido sconosciuto onbekend missing fehlend fehlt k.a. k.a n.a. ? #nv #nd #na "
    "#null! not|available not|known keine|angabe nicht|bekannt".replace(" ", "\n")
    .replace("|", " ")
    .split("\n")
)
"""Words, in lower case, that people write for missing values and that are seldom a class."""
_SIGN = r"\s*[+-]?"
_GROUPS = r"[1-9]\d{{0,2}}(?:{0}\d{{3}})+"
_SPACES = "[ '’\u00a0\u202f]"
_EXPONENT = r"(?:[eE][+-]?\d+)?\s*"


def _pattern(separator: str, mark: str) -> re.Pattern[str]:
    groups = "|".join(_GROUPS.format(one) for one in (separator, _SPACES))
    return re.compile(rf"{_SIGN}(?:(?:{groups}|\d+)(?:{mark}\d*)?|{mark}\d+){_EXPONENT}")


_COMMA, _POINT = _pattern(r"\.", ","), _pattern(",", r"\.")
_PERCENT = re.compile(r"\s*([+-]?(?:\d+[.,]?\d*|[.,]\d+))\s*%\s*")
_GROUPED = re.compile(rf"{_SIGN}[1-9]\d{{0,2}}\.\d{{3}}\s*")
_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?:[ T]+(\d{1,2}:\d\d(?::\d\d)?))?")
_CENSORED = re.compile(r"\s*[<>≤≥]=?\s*\S.*")
MARKS = frozenset(",% '’\u00a0\u202f")
"""What numbers have that Arrow does not read."""
READ_AS = {
    "percent": "percentages",
    "comma": "numbers with decimal commas",
    "point": "numbers with thousands separators",
}


def is_number(text: str) -> bool:
    """Check whether a cell is a number in any spelling."""
    return any(pattern.fullmatch(text) for pattern in (_POINT, _COMMA, _PERCENT))


def is_censored(text: str) -> bool:
    """Check whether a cell says that a value is beyond a limit of measurement.

    >>> is_censored("<0,1"), is_censored("> 100"), is_censored("<LLN"), is_censored("-")
    (True, True, True, False)
    """
    return _CENSORED.fullmatch(text) is not None


def is_percentage(text: str) -> bool:
    """Check whether a cell is a number with a percent sign."""
    return _PERCENT.fullmatch(text) is not None


def is_decimal_comma(text: str) -> bool:
    """Check whether a cell is a number that has a decimal comma and no thousands separator."""
    if "," not in text:
        return False
    is_comma = _COMMA.fullmatch(text) or _PERCENT.fullmatch(text)
    return bool(is_comma) and not _POINT.fullmatch(text)


def is_word_for_missing(text: str) -> bool:
    """Check whether a cell says that a value is missing, in words that nobody named."""
    return text.strip().lower() in MISSING_WORDS


def words_for_missing(texts: Sequence[str]) -> list[str]:
    """Return the cells that say that a value is missing, in words that nobody named."""
    if MISSING_WORDS.isdisjoint(map(str.lower, map(str.strip, texts))):  # faster than to try each
        return []
    return [text for text in texts if is_word_for_missing(text)]


def spelling_of(texts: Sequence[str], layout: Layout, delimiter: str) -> str | None:
    """How numbers are written: a key of `READ_AS`, "plain", or None where they are no numbers or may be several ones.

    >>> spelling_of(["0,5", "1"], Layout(), ";"), spelling_of(["1,234"], Layout(), ";")
    ('comma', None)
    """
    if not texts:
        return None
    if all(_PERCENT.fullmatch(text) for text in texts):
        marks = {mark for text in texts for mark in ",." if mark in text}
        return "percent" if len(marks) < 2 and (layout.decimal in (None, *marks) or not marks) else None
    if all(number_in(text) is not None for text in texts) and layout.decimal != ",":
        return "plain"
    is_comma = layout.decimal != "." and (delimiter != "," or layout.decimal == ",")
    fits_comma = is_comma and all(_COMMA.fullmatch(text) for text in texts)
    fits_point = layout.decimal != "," and all(_POINT.fullmatch(text) for text in texts)
    if fits_comma and fits_point:
        is_same = all(number_of(text, "comma") == number_of(text, "point") for text in texts)
        return "point" if is_same else None
    if fits_point and delimiter == "," and layout.decimal is None:
        # "1,234" in quotes may be a decimal comma in a file of points too
        fits_point = not all(_COMMA.fullmatch(text) for text in texts) or not any(
            "," in text for text in texts
        )
    return "comma" if fits_comma else "point" if fits_point else None


def number_of(text: str, spelling: str) -> float:
    """Return a number of one spelling.

    >>> number_of("12,5 %", "percent"), number_of("1.234,5", "comma"), number_of("1'234.50", "point")
    (0.125, 1234.5, 1234.5)
    """
    if spelling == "percent":
        match = _PERCENT.fullmatch(text)
        assert match is not None
        return float(f"{match[1].replace(',', '.')}e-2")
    plain = re.sub(_SPACES, "", text.strip())
    if spelling == "comma":
        return float(plain.replace(".", "").replace(",", "."))
    return float(plain.replace(",", "") if spelling == "point" else text)


def may_be_grouped(texts: Collection[str]) -> bool:
    """Check whether numbers with a point, such as 1.234, may be whole numbers with thousands separators."""
    pointed = [text for text in texts if "." in text]
    return bool(pointed) and all(_GROUPED.fullmatch(text) for text in pointed)


def is_uneven(texts: Collection[str]) -> bool:
    """Check whether several numbers have a point and others none: 2.106 and 993, which are hardly three decimals.

    >>> is_uneven(["2.106", "1.650", "993"]), is_uneven(["2.106", "1.650", "0.993"])
    (True, False)
    """
    pointed = sum("." in text for text in texts)
    return pointed > 1 and pointed < len(texts)


def date_formats(texts: Sequence[str]) -> list[str]:
    """Return the formats by which all texts are dates; more than one where the day and the month may be exchanged.

    >>> date_formats(["03.04.2025"]), date_formats(["25.04.2025"]), date_formats(["2025-04-03"])
    (['%d.%m.%Y', '%m.%d.%Y'], ['%d.%m.%Y'], [])
    """
    first = _DATE.fullmatch(texts[0].strip()) if texts else None
    if first is None:
        return []
    mark, year = first[2], "%Y" if len(first[4]) == len("2025") else "%y"
    time = "" if first[5] is None else " %H:%M" + (":%S" if first[5].count(":") > 1 else "")
    patterns = [f"{order.replace('/', mark)}{mark}{year}{time}" for order in ("%d/%m", "%m/%d")]
    return [pattern for pattern in patterns if all(is_date(text, pattern) for text in texts)]


def is_date(text: str, pattern: str) -> bool:
    """Check whether a text is a date or time of a format."""
    try:
        return datetime.strptime(text.strip(), pattern) is not None
    except ValueError:
        return False
