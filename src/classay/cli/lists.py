"""Lists of names, pairs or costs in one option; labels in an order; the columns of a file, listed."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING, Any

import typer

from classay.cli.given import OUTSIDE_QUOTES, READING, given
from classay.cli.options import FileOptions
from classay.column_names import listed_columns
from classay.errors import InputError
from classay.texts import clean
from classay.wings import brought, thing

if TYPE_CHECKING:
    from classay.decision.costs import Costs

ENTRIES = ("fp", "fn", "tp", "tn", "review")


_OF_COSTS = re.compile(r"\b((?:normalised_)?expected_cost)\b(?!\s*\()")


def with_costs(measures: str | None, costs: Costs | None) -> tuple[str | None, list[str]]:
    """Measures with the costs of --cost filled in, and those that have them: expected_cost(FP,FN) for expected_cost.

    Raises InputError unless the costs are two numbers.

    >>> from classay.decision.costs import Costs
    >>> with_costs("auc,expected_cost", Costs(fp=1, fn=5))
    ('auc,expected_cost(1,5)', ['expected_cost'])
    """
    if measures is None or costs is None or not (named := _OF_COSTS.findall(measures)):
        return measures, []
    pair = costs.fp, costs.fn
    if (
        costs.matrix is not None
        or costs.tp
        or costs.tn
        or not all(isinstance(each, float | int) for each in pair)
    ):
        raise InputError(
            f"--measures {named[0]} needs fp and fn costs that are numbers, but --cost has others. "
            f"Use --require '{named[0]} <= 1', which accepts all costs."
        )
    fp, fn = pair
    return _OF_COSTS.sub(rf"\1({fp:g},{fn:g})", measures), named


def costs_in(texts: Sequence[str]) -> Costs | None:
    """Return the costs that the texts of --cost name, or None where there are none.

    >>> costs_in(["fp=3", "fn=amount"])
    Costs(fp=3, fn=amount)
    >>> costs_in(['fp=3,fn="loss, net"'])
    Costs(fp=3, fn="loss, net")
    """
    from classay.decision.costs import Costs

    costs = cost_entries(texts)
    if "review" in costs:
        raise InputError(
            "Nothing is reviewed here. Remove review= from --cost, or use it in `classay decide`."
        )
    return Costs.of(costs) if costs else None


def cost_entries(texts: Sequence[str]) -> dict[str, Any]:
    """Return the costs that the texts of --cost name, and the price of a review, by name.

    >>> cost_entries(["fp=3", "review=1"])
    {'fp': 3.0, 'review': 1.0}
    """
    costs: dict[str, Any] = {}
    for argument in texts:
        for text in re.split(OUTSIDE_QUOTES, argument):
            name, equals, value = (part.strip() for part in text.partition("="))
            if equals and value and name not in ENTRIES and name.lower() in ENTRIES:
                raise InputError(f"--cost {argument!r} is not valid. Did you mean {name.lower()}={value}?")
            if not equals or name not in ENTRIES or not value:
                raise InputError(
                    f"--cost {argument!r} is not valid. Use fp=3, fn=amount, tp=-0.8*amount or tn=0, for example."
                )
            cost = _number_or_text(value)
            if str(costs.setdefault(name, cost)) != str(cost):  # no number equals nan
                raise InputError(
                    f"--cost sets {name} twice, to {costs[name]} and to {cost}. Remove one of the two."
                )
    return costs


def numbers_in(text: str, option: str, number: int) -> list[float]:
    """Return the `number` numbers in a text, separated by commas. Raises InputError for any other text.

    >>> numbers_in("0,1,4", "--steps", 3)
    [0.0, 1.0, 4.0]
    """
    with suppress(ValueError):
        numbers = [float(part) for part in text.split(",")]
        if len(numbers) == number:
            return numbers
    example = ",".join(map(str, range(number)))
    raise InputError(f"{option} must be {number} numbers, such as {example}, but is {text!r}.")


def bounds_in(text: str | None) -> tuple[float, float] | None:
    """Return the two numbers of `--bounds`, None without it. Raises InputError for any other text."""
    if text is None:
        return None
    low, high = numbers_in(text, "--bounds", 2)
    return low, high


def _number_or_text(value: str) -> Any:
    try:
        return float(value)
    except ValueError:
        return value


OPTION = "--class-scores"
SHAPE = "LABEL=COLUMN,LABEL=COLUMN, such as cat=p_cat,dog=p_dog"


def names_in(text: str | None, option: str) -> list[str]:
    """Return the names in a text, separated by commas; a name that holds a comma stands in double quotes.

    Between quotes blanks are kept at its ends too. No text has no names. Raises InputError for a text without a name,
    and for quotes that do not pair.

    >>> names_in('a, b,"p(x, y)", "c "', "--scores")
    ['a', 'b', 'p(x, y)', 'c ']
    """
    if text is None:
        return []
    names = [name for name in map(stripped, parts_in(text, option)) if name]
    if not names:
        raise InputError(f"{option} is empty. Use a list of names with commas, such as a,b.")
    return names


def pairs_in(text: str, option: str, example: str) -> list[tuple[str, str]]:
    """Return the pairs in a text such as `cat=p_cat,dog=p_dog`; a name with a comma or `=` stands in double quotes.

    Raises InputError, with the example, for anything else.

    >>> pairs_in('cat=p_cat,"a=b"="x,y"', "--class-scores", "cat=p_cat")
    [('cat', 'p_cat'), ('a=b', 'x,y')]
    """
    pairs = []
    for part in parts_in(text, option):
        at = part.index("=") if "=" in part else 0
        name, value = stripped(part[:at]), stripped(part[at + 1 :])
        if not (name and value):
            raise InputError(f"{option} {text!r} is not valid. Use {example}.")
        pairs.append((name, value))
    return pairs


def stripped(part: Sequence[str]) -> str:
    """Return a name without the blanks around it, but for those between quotes."""
    kept = [k for k, piece in enumerate(part) if piece.strip()]
    return "".join(piece.removeprefix('"') for piece in part[kept[0] : kept[-1] + 1]) if kept else ""


def parts_in(text: str, option: str) -> list[list[str]]:
    """Return what stands between the commas: bare characters, and texts from between quotes, each behind a quote."""
    parts: list[list[str]] = [[]]
    pieces = text.split('"')
    if len(pieces) % 2 == 0:
        raise InputError(
            f"{option} {text!r} has an open double quote. Put a name that contains a comma between two double quotes."
        )
    for k, piece in enumerate(pieces):
        if k % 2:
            parts[-1] += [f'"{piece}'] if piece else []
            continue
        if not piece and 0 < k < len(pieces) - 1:
            parts[-1].append('""')  # two in a row, inside of two others, mean one of them
        for j, bare in enumerate(piece.split(",")):
            if j:
                parts.append([])
            parts[-1].extend(bare)
    return parts


def columns_by_label(
    text: str, option: str = OPTION, shape: str = SHAPE, what: str = "label"
) -> dict[str, str]:
    """Return the column of each label, or of each tag, from a text such as `cat=p_cat,dog=p_dog`.

    Raises InputError for a label or a column that occurs twice, and for anything else.
    """
    pairs = pairs_in(text, option, shape)
    if len({pair[0] for pair in pairs}) < len(pairs):
        raise InputError(f"{option} names a {what} twice ({text}). Name each {what} once.")
    refuse_shared([pair[1] for pair in pairs], text, option, what)
    return dict(pairs)


def refuse_shared(columns: Sequence[str], text: str, option: str, what: str) -> None:
    """Raise InputError for a column that is named for two labels."""
    if len({*columns}) < len(columns):
        raise InputError(f"{option} names a column twice ({text}). Use another column for each {what}.")


def columns_by_model(texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns of each model, from texts such as `new:cat=n_cat,dog=n_dog`; those of all models under "".

    Raises InputError for a model that is named twice, and where only some texts name one.

    A name that holds a colon, a comma or `=` stands in double quotes; so does a label that holds a colon, where no
    model is named.

    >>> columns_by_model(["new:cat=a,dog=b", "old:cat=c,dog=d"])["old"], columns_by_model(["cat=a,dog=b"])
    ({'cat': 'c', 'dog': 'd'}, {'': {'cat': 'a', 'dog': 'b'}})
    >>> columns_by_model(['"v1:new":cat=a,dog=b']), columns_by_model(['"c:t"=a,dog=b'])
    ({'v1:new': {'cat': 'a', 'dog': 'b'}}, {'': {'c:t': 'a', 'dog': 'b'}})
    """
    by_model: dict[str, dict[str, str]] = {}
    for text in texts:
        name, columns = model_of(text)
        if name in by_model:
            whose = f"model {name!r}" if name else "a model without a name"
            raise InputError(
                f"{OPTION} is given twice for {whose}. Use MODEL:{SHAPE}, once for each model of a file."
            )
        by_model[name] = columns_by_label(columns)
    if "" in by_model and len(by_model) > 1:
        raise InputError(f"{OPTION} must name a model each time or never. Use MODEL:{SHAPE}.")
    return by_model


_MODEL = re.compile(r'\s*(?P<name>"(?:[^"]|"")*"|[^",=:]*):(?P<columns>.*)', re.DOTALL)


def model_of(text: str) -> tuple[str, str]:
    """The model before the first colon that stands in no quotes, if `=` does not come first, and what follows it."""
    match = _MODEL.fullmatch(text)
    if match is None:
        return "", text
    name = match["name"].strip()
    return (name[1:-1].replace('""', '"') if name.startswith('"') else name), match["columns"]


def labels_in(*columns: Any) -> tuple[Hashable, ...]:
    """Return the labels that occur in any of these columns; a column may be None.

    >>> labels_in([1, 2], None, [3, 2])
    (1, 2, 3)
    """
    from classay.columns import code_columns

    coded = code_columns([("a column of labels", column) for column in columns if column is not None])
    return tuple(dict.fromkeys(label for _, each in coded for label in each.labels))


def declared_names(labels: str | None, order: str | None) -> list[str]:
    """Return the labels that `--labels` or `--order` names, as texts. Raises InputError where both do."""
    if labels is not None and order is not None:
        raise InputError(
            "--labels and --order cannot be combined. Remove --labels, because --order names all labels."
        )
    return names_in(order, "--order") or names_in(labels, "--labels")


def in_order(column: Any, order: str | None) -> Any:
    """Return a column of labels as ordered categories, in the order that `--order` gives; without one as it is.

    Raises InputError for a label that the order lacks.
    """
    from classay.columns.labels import declared, typed_labels

    if order is None:
        return column
    import pyarrow as pa

    from classay.columns import code_labels, unite

    coded = code_labels(column, "the target")
    labels, (codes,) = unite(
        [("the target", coded)],
        declared(typed_labels(tuple(names_in(order, "--order")), coded.labels), ordered=True),
    )
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(labels)), ordered=True)


def columns_of(file: str, reading: FileOptions) -> str:
    """Return the names of a file's columns, as the end of a message."""
    return listed_columns(reading.column_names(file))


def list_columns(
    context: typer.Context,
    file: str,
    reading: FileOptions,
    wanted: str,
    more: str,
    example: str,
    *,
    other: str = "",
    first: str = "",
) -> None:
    """Show the columns of a file, or of the `first` of several: to choose `wanted` and `more`, with an example.

    Raises InputError if any other option was given, which would have no effect; `other` says what else may be meant.
    """
    if others := [option for name, option in given(context).items() if name not in READING]:
        raise InputError(
            f"{others[0]} needs one more column. Name {wanted}. {other}{columns_of(first or file, reading)}"
        )
    if described := brought("ways").get(f"{context.info_name}.described"):
        thing(described)(file, first or file, reading)
        return
    _show_columns(first or file, reading)
    options = reading.given().items()
    how = "".join(f" --{name.replace('_', '-')} {quote(str(value))}" for name, value in options)
    print(f"\nName {wanted}{more}:\n" + clean(f"  classay {context.info_name} {quote(file)}{how} {example}"))


def _show_columns(file: str, reading: FileOptions) -> None:
    """Print the name and type of each column. Raises InputError for a single column whose name holds several."""
    from classay.sources.text_files import other_delimiter

    columns = reading.columns(file)
    if advice := other_delimiter([name for name, _ in columns]):
        raise InputError(f"{file} has one column, {columns[0][0]!r}. {advice}")
    width = max(len(clean(name)) for name, _ in columns)
    print(clean(f"{file} has {len(columns)} columns:"))
    for name, kind in columns:
        print(f"  {clean(name):<{width}}  {clean(kind)}")


def label_named(
    text: str | None, labels: Callable[[], Sequence[Hashable]], *, may_declare: bool = False
) -> Hashable | None:
    """Return the label that an option names, in the type of the labels; None without the option."""
    from classay.columns.labels import match_label

    return None if text is None else match_label(text, labels(), may_declare=may_declare)
