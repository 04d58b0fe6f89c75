"""`classay sample-size`: how many cases a test needs, and what so many cases give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec, TypedDict, Unpack, get_type_hints

import typer

from classay.cli.failures import guarded
from classay.cli.given import OfWay, OptionsOnce
from classay.cli.options import Json
from classay.errors import InputError
from classay.texts import listed

if TYPE_CHECKING:
    from classay.assessment.assessment import Assessment
    from classay.sample_size.sizes import SampleSize

P = ParamSpec("P")


def _sample_size() -> None:
    """How many cases a test needs for an interval's half-width, for a power, or to rule out failures. \
With --cases: the precision or power of that many cases.
    """  # noqa: D205


sample_size = typer.Typer(
    name="sample-size",
    callback=_sample_size,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Level = Annotated[float, typer.Option(help="Level of the interval or test.")]
HalfWidth = Annotated[float | None, typer.Option(help="Largest half-width of the interval, such as 0.05.")]
Power = Annotated[float | None, typer.Option(help="Power of the test, by default 0.8 without --cases.")]
Cases = Annotated[
    int | None,
    typer.Option(help="The number of available cases. The output is their precision or power."),
]


class OfInterval(TypedDict):
    """The options that every design of an interval shares."""

    cases: int | None
    level: float


class OfTest(OfInterval):
    """Those of a test."""

    power: float | None


SHARED: Mapping[str, tuple[Any, Any]] = {
    "power": (Power, None),
    "cases": (Cases, None),
    "level": (Level, 0.95),
    "json": (Json, None),
}
"""The options of every design, with their defaults; of an interval there is no power."""


def design(name: str | None = None, *, power: bool = True) -> Callable[[Callable[P, Any]], Callable[P, Any]]:
    """Make a command of a design: a function of its own options and of `SHARED`, which gives a `SampleSize`."""

    def command_of(function: Callable[P, Any]) -> Callable[P, Any]:
        hints = get_type_hints(function, include_extras=True)
        options = [
            option
            for option in signature(function).parameters.values()
            if option.kind is not option.VAR_KEYWORD
        ]
        shared = {key: entry for key, entry in SHARED.items() if power or key != "power"}

        @guarded
        @wraps(function)
        def command(json: str | None, *args: P.args, **options: P.kwargs) -> None:
            _show(function(*args, **options), json)

        typed_command: Any = command
        typed_command.__signature__ = Signature(
            [
                *(
                    option.replace(kind=option.KEYWORD_ONLY, annotation=hints[option.name])
                    for option in options
                ),
                *(
                    Parameter(key, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
                    for key, (kind, default) in shared.items()
                ),
            ]
        )
        typed_command.__annotations__ = {
            option.name: option.annotation for option in typed_command.__signature__.parameters.values()
        }
        sample_size.command(name, cls=OptionsOnce)(typed_command)
        return function

    return command_of


ExpectedAuc = Annotated[
    float | None, typer.Option(help="Expected ROC AUC, also from --from.", show_default=False)
]
PrevalenceOrPilot = Annotated[
    float | None,
    typer.Option(help="Share of positives among all cases, also from --from.", show_default=False),
]
Pilot = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="PILOT",
        help="A saved assessment (.classay) of earlier cases, as a source of expected values and their "
        "variance.",
    ),
]


def _method(other: str) -> Any:
    return Annotated[
        str,
        typer.Option(
            help=f"Variance of the AUC: normal, exact for normal scores of equal spread, or {other}."
        ),
    ]


VarianceOfOne: Any = _method("hanley-mcneil, for exponential scores")
VarianceOfTest: Any = _method("obuchowski, for ratings on a scale")


def _loaded(pilot: str) -> Assessment:
    """Return the pilot. Raises InputError for one that is no assessment of two classes."""
    from classay.assessment.restoring import load

    assessment = load(pilot)
    if not assessment.is_binary:
        raise InputError(
            f"{pilot} is not an assessment of two classes. Save one with `classay assess --save`."
        )
    return assessment


def _refuse_beside_pilot(options: Mapping[str, object]) -> None:
    """Refuse options whose values a pilot gives."""
    if known := [name for name, value in options.items() if value is not None]:
        raise InputError(
            f"--from and {listed(known)} cannot be combined, because --from contains the same information. "
            "Remove one of them."
        )


def _expected(auc: float | None) -> float:
    if auc is None:
        raise InputError("The expected AUC is not set. Use --auc, or a pilot with --from.")
    return auc


@design(power=False)
def proportion(
    half_width: HalfWidth = None,
    expected: Annotated[
        float | None, typer.Option(help="Expected proportion, by default the worst case of 0.5.")
    ] = None,
    prevalence: Annotated[
        float | None, typer.Option(help="For recall: share of positives among all cases.")
    ] = None,
    **size: Unpack[OfInterval],
) -> Any:
    """Cases for a Wilson interval of a proportion: accuracy, recall (with --prevalence), precision."""
    from classay.sample_size.sizes import for_class_rate, for_proportion

    if prevalence is None:
        return for_proportion(half_width, expected, **size)
    return for_class_rate(half_width, prevalence, expected, **size)


@design(power=False)
def auc(
    auc: ExpectedAuc = None,
    half_width: HalfWidth = None,
    prevalence: PrevalenceOrPilot = None,
    pilot: Pilot = None,
    method: VarianceOfOne = "normal",
    **size: Unpack[OfInterval],
) -> Any:
    """Cases for an interval of the ROC AUC."""
    from classay.sample_size.planning import auc_of_pilot
    from classay.sample_size.sizes import for_auc

    if pilot is not None:
        _refuse_beside_pilot({"--auc": auc, "--prevalence": prevalence})
        return auc_of_pilot(_loaded(pilot), half_width, method=method, **size)
    expected, share = _expected(auc), 0.5 if prevalence is None else prevalence
    return for_auc(expected, half_width, share, method=method, **size)


@design("auc-against")
def auc_against(
    against: Annotated[float, typer.Option(help="The known ROC AUC to compare with.")],
    auc: ExpectedAuc = None,
    prevalence: PrevalenceOrPilot = None,
    pilot: Pilot = None,
    method: VarianceOfTest = "normal",
    **size: Unpack[OfTest],
) -> Any:
    """Cases for a test of one ROC AUC against a known value."""
    from classay.sample_size.planning import for_auc_against, pilot_of

    known = {"auc": auc, "prevalence": prevalence}
    if pilot is not None:
        _refuse_beside_pilot({f"--{name}": value for name, value in known.items()})
        expected: dict[str, Any] = {**pilot_of(_loaded(pilot), method)}
    else:
        expected = {"auc": _expected(auc), "prevalence": 0.5 if prevalence is None else prevalence}
    return for_auc_against(against=against, method=method, **expected, **size)


@design(power=False)
def precision(
    half_width: HalfWidth = None,
    precision: Annotated[float | None, typer.Option(help="Expected precision.")] = None,
    recall: Annotated[float | None, typer.Option(help="Expected recall.")] = None,
    prevalence: PrevalenceOrPilot = None,
    pilot: Pilot = None,
    **size: Unpack[OfInterval],
) -> Any:
    """Cases for a Wilson interval of precision, which rests on the cases called positive."""
    from classay.sample_size.planning import for_precision

    expected = {"precision": precision, "recall": recall, "prevalence": prevalence}
    if pilot is not None:
        _refuse_beside_pilot({f"--{name}": value for name, value in expected.items()})
        a = _loaded(pilot)
        expected = {name: a.estimate(name).value for name in expected}
    known: dict[str, Any] = {
        name: value for name, value in expected.items() if value is not None and not isnan(value)
    }
    if missing := [f"--{name}" for name in expected if name not in known]:
        raise InputError(
            f"{listed(missing)} {('is' if len(missing) == 1 else 'are')} not set. Add "
            f"{('it' if len(missing) == 1 else 'them')}, or use a pilot with --from."
        )
    return for_precision(half_width, **known, **size)


@design()
def leaderboard(
    models: Annotated[int, typer.Option(help="Number of models.")],
    first_only: Annotated[
        float, typer.Option(help="Share of cases that only the leader predicts correctly.")
    ],
    second_only: Annotated[
        float, typer.Option(help="Share of cases that only the next model predicts correctly.")
    ],
    **size: Unpack[OfTest],
) -> Any:
    """Cases on which the leader of several models is surely the best (multiple comparisons with the best)."""
    from classay.sample_size.planning import for_leaderboard

    return for_leaderboard(models, first_only, second_only, **size)


@design()
def gate(
    margin: Annotated[float, typer.Option(help="The largest acceptable loss of accuracy.")],
    discordant: Annotated[
        float, typer.Option(help="Share of cases that only one of the two models predicts correctly.")
    ],
    difference: Annotated[
        float, typer.Option(help="Expected accuracy of the new model minus that of the old model.")
    ] = 0.0,
    groups: Annotated[int, typer.Option(help="Number of groups that must all pass the gate.")] = 1,
    **size: Unpack[OfTest],
) -> Any:
    """Cases on which a gate of non-inferiority passes, in every group where there are several."""
    from classay.sample_size.planning import for_gate

    return for_gate(margin, discordant, difference, groups, **size)


@design()
def means(
    difference: Annotated[
        float | None,
        typer.Option(
            help="Expected mean of the new model minus that of the old model, higher being better; also from "
            "--from.",
            show_default=False,
        ),
    ] = None,
    deviation: Annotated[
        float | None,
        typer.Option(
            help="Standard deviation of the difference of a case; also from --from.",
            show_default=False,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="For a non-inferiority gate: the largest acceptable loss of the mean.",
        ),
    ] = None,
    per_cluster: Annotated[
        float | None, typer.Option(help="Cases per cluster, such as answers to a question.")
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(help="Correlation of the differences within a cluster, from 0 to 1."),
    ] = None,
    pilot: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="A file of earlier cases with the columns of --graded, as a source of expected values and their "
            "variance.",
        ),
    ] = None,
    graded: Annotated[
        str | None,
        typer.Option(metavar="NEW,OLD", help="Two columns of values in the file of --from."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="COL", help="The column of clusters in the file of --from.")
    ] = None,
    **size: Unpack[OfTest],
) -> Any:
    """Cases for a test of two means of values that are given, paired, in clusters or not; or for a gate on them."""
    from classay.sample_size.planning import for_means

    known: dict[str, float | None] = {"deviation": deviation}
    known |= {"per_cluster": per_cluster, "correlation": correlation}
    if pilot is not None:
        _refuse_beside_pilot({f"--{name.replace('_', '-')}": value for name, value in known.items()})
        known = {"difference": None, **_of_values(pilot, graded, cluster)}
    elif graded is not None or cluster is not None:
        name = "--cluster" if graded is None else "--graded"
        raise InputError(f"{name} needs the file of the pilot. Use --from FILE.")
    if difference is not None:
        known["difference"] = difference
    named: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
    if missing := [f"--{name}" for name in ("difference", "deviation") if name not in named]:
        raise InputError(
            f"{listed(missing)} {('is' if len(missing) == 1 else 'are')} not set. Add "
            f"{('it' if len(missing) == 1 else 'them')}, or use a pilot with --from FILE --graded NEW,OLD."
        )
    return for_means(margin=margin, **named, **size)


def _of_values(pilot: str, graded: str | None, cluster: str | None) -> dict[str, float]:
    """Return the difference of two columns of a file of values, as a pilot. Raises InputError unless two are named."""
    from classay.cli.lists import names_in
    from classay.cli.options import FileOptions
    from classay.columns.coding import code_labels
    from classay.columns.numbers import as_array, placed
    from classay.sample_size.planning import means_of_pilot

    names = names_in(graded, "--graded")
    if len(names) != 2:
        raise InputError(
            f"--from needs two columns of values, but there are {len(names)}. Use --graded NEW,OLD."
        )
    of_clusters = [] if cluster is None else [cluster]
    frame = FileOptions().table(pilot, [*names, *of_clusters], labels=of_clusters)
    first, second = (as_array(frame[name], f"values of {name}") for name in names)
    groups = None if cluster is None else code_labels(frame[cluster], "cluster").codes
    if groups is not None and (groups < 0).any():
        raise InputError(f"cluster is missing in {placed(groups < 0)}. Give the cluster of every row.")
    return means_of_pilot(first, second, cluster=groups)


@design("auc-difference")
def auc_difference(
    first: Annotated[float, typer.Option(help="Expected ROC AUC of the classifier in use.")],
    second: Annotated[float, typer.Option(help="Expected ROC AUC of the other classifier.")],
    correlation: Annotated[
        float | None,
        typer.Option(
            help="Correlation of the two AUCs on the same cases, often 0.3 to 0.7. By default, each classifier "
            "has its own cases."
        ),
    ] = None,
    score_correlation: Annotated[
        float | None,
        typer.Option(help="Correlation of the two scores within each class, instead of --correlation."),
    ] = None,
    prevalence: Annotated[float, typer.Option(help="Share of positives among all cases.")] = 0.5,
    method: VarianceOfTest = "normal",
    **size: Unpack[OfTest],
) -> Any:
    """Cases for a test of two ROC AUCs, on the same cases or each on its own."""
    from classay.sample_size.sizes import for_auc_difference

    return for_auc_difference(
        first, second, correlation, prevalence, score_correlation=score_correlation, method=method, **size
    )


@design()
def mcnemar(
    first_only: Annotated[
        float, typer.Option(help="Share of cases that only the first classifier predicts correctly.")
    ],
    second_only: Annotated[
        float, typer.Option(help="Share of cases that only the second classifier predicts correctly.")
    ],
    **size: Unpack[OfTest],
) -> Any:
    """Cases for McNemar's test of two classifiers on the same cases (Connor)."""
    from classay.sample_size.sizes import for_mcnemar

    return for_mcnemar(first_only, second_only, **size)


@design("zero-failures", power=False)
def zero_failures(
    rate: Annotated[float | None, typer.Option(help="Failure rate to rule out.")] = None,
    **size: Unpack[OfInterval],
) -> Any:
    """Cases that, if all go well, show a failure rate below a bound (one-sided)."""
    from classay.sample_size.sizes import for_no_failures

    return for_no_failures(rate, **size)


def labels(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file of the cases.")],
    score: Annotated[str, typer.Option(metavar="COL", help="Column of their scores, in [0, 1].")],
    half_width: HalfWidth = None,
    measure: Annotated[
        str, typer.Option(metavar="NAME", help="Measure: recall, precision, f1 or prevalence.")
    ] = "recall",
    threshold: Annotated[
        float, typer.Option(help="Cases with this score or a higher one are predicted positive.")
    ] = 0.5,
    prevalence: Annotated[float | None, typer.Option(help="Share of positives among all cases.")] = None,
    design: Annotated[
        Literal["stratified", "random"],
        typer.Option(
            help="How cases are drawn: strata by score (`classay label`), or a simple random sample."
        ),
    ] = "stratified",
    **size: Unpack[OfInterval],
) -> Any:
    """Labels of scored cases for an interval of recall, precision, F1 or the prevalence."""
    from classay.cli.options import FileOptions
    from classay.sample_size.planning import for_labels

    scores = FileOptions().table(file, [score])[score]
    return for_labels(
        scores, half_width, measure=measure, threshold=threshold, prevalence=prevalence, design=design, **size
    )


if OfWay("sample_size.labels").is_brought:
    design("labels", power=False)(labels)


def _show(size: SampleSize, json: str | None) -> None:
    from classay.cli.outputs import OutputOptions, Rendering

    def as_text() -> str:
        from json import dumps

        from classay.sample_size.results import as_dict

        return dumps(as_dict(size), indent=2, allow_nan=False) + "\n"

    outputs = OutputOptions(json=json)
    outputs.refuse_unwritable()
    outputs.deliver(Rendering(shown=str(size).splitlines, json=as_text))
