"""Reference of curves, intervals, tests, protocols and remedies, from their registries."""

from manual.markdown import code, codes, docstring, page, prose, table


def curves() -> str:
    """Every curve: what it needs, and whether it has a band."""
    import classay.assessment.charts  # noqa: F401  its modules register the curves
    from classay.assessment.assessment import Assessment
    from classay.curves.curve import CURVES, PAGE

    rows, parts = [], []
    named = {each: each for each in CURVES if hasattr(Assessment, each)} | {
        "cumulative_gain": "gain",
        "brier": "brier_curve",
    }
    for name, entry in sorted(CURVES.items()):  # in whatever order the rooms were imported
        call = f"a.{named[name]}" if name in named else f'a.curve("{name}")'
        rows.append(
            [
                f"[`{name}`](#{name})",
                entry.title,
                code(call),
                entry.needs,
                "yes" if name in PAGE else "on request",
            ]
        )
        about = docstring(_unindented(entry.made.__doc__ or entry.title))
        band = f"It has no band: {prose(entry.no_band)}." if entry.no_band else ""
        parts.append(f"### {name}\n\n{about}" + (f"\n\n{band}" if band else ""))
    intro = (
        "A curve is a function of a table of scores. `a.roc.plot()` draws it, `.frame()` gives its points, `.band()` "
        "gives the curve with a band. The [gallery](../gallery.md) shows what they look like."
    )
    heads = ["name", "title", "in Python", "needs", "on the page"]
    return page("Curves", intro, table(heads, rows), "## Definitions", *parts)


def intervals() -> str:
    """Every method of intervals: what it serves, how cases were drawn, when it is the default."""
    from classay.inference import intervals as _  # noqa: F401  its modules register the methods
    from classay.inference.methods import METHODS, WORDS, cite, explanations

    names = sorted({each.name for each in METHODS}, key=str.casefold)  # whatever was imported first
    parts = [
        "`classay measures NAME` says which of these is the default for a measure; [Measures](measures.md) says it "
        "too. `interval=` and `--interval` ask for a method by name. The guide [Intervals](../intervals.md) gives the "
        "reasons and the measured coverage.",
        "Reports name methods in the column *CI method*. A name may have several parts, such as *influence function, "
        "t, logit*. [Further words](#further-words) explains all parts that are not methods.",
    ]
    for name in names:
        served: dict[tuple[str, ...], list[str]] = {}
        for each in (m for m in METHODS if m.name == name):
            drawn = "; ".join(WORDS[how] for how in each.drawn)
            alike = drawn, prose(each.when.words or "always"), prose(cite(*each.references))
            served.setdefault(alike, []).append(
                codes(each.of) if isinstance(each.of, tuple) else _kind(each.of)
            )
        rows = [["; ".join(dict.fromkeys(of)), *alike] for alike, of in served.items()]
        listed = table(["measures", "cases", "default when", "source"], rows)
        parts.append(f"## {name}\n\n{prose(explanations()[name])}\n\n{listed}")
    further = [[prose(word), prose(text)] for word, text in explanations().items() if word not in names]
    parts.append("## Further words\n\n" + table(["part of a name", "meaning"], further))
    return page("Intervals", *parts)


def _kind(served) -> str:
    """A function that tells whether a measure is served, in words."""
    words = " ".join((served.__doc__ or "").split())
    if words:
        return prose(words.rstrip(".").replace("Check whether a measure ", "any measure that "))
    return served.__name__.strip("_").removeprefix("is_").replace("_", " ")


def tests() -> str:
    """Every test, by what the models are compared over."""
    import classay.comparison.comparing  # noqa: F401  its modules register the tests
    from classay.comparison.named_tests import TESTS
    from classay.comparison.ways import ways

    ways()  # as do theirs

    parts = [
        "`method=` and `--method` take these names. The guide [Comparisons](../comparison.md) says which test is the "
        "default of which measure, and how large its type I error is."
    ]
    for where in sorted({each.where for each in TESTS}):
        known = sorted(
            (each for each in TESTS if each.where == where), key=lambda each: (each.of, each.name, each.title)
        )
        rows = [[code(t.name), prose(t.title), t.of, prose(t.reference)] for t in known]
        random = known[0].random
        parts.append(
            f"## Models {where}\n\nRandom: {random}.\n\n" + table(["name", "test", "of", "source"], rows)
        )
    return page("Tests", *parts)


def protocols() -> str:
    """Every protocol of resampling."""
    from classay.resampling.bootstraps import PROTOCOLS, protocol_of

    parts = [
        "`protocol=` and `--protocol` take these texts, with numbers of your choice. `classay protocols NAME` prints "
        "the same. The guide [Evaluating learners](../evaluate.md) explains the choice."
    ]
    for kind in PROTOCOLS:
        about = kind.about
        found = protocol_of(next(iter(about.forms)))
        rows = [
            ["texts", codes(about.forms)],
            ["in Python", code(f"classay.{kind.__name__}") if _public(kind.__name__) else "–"],
            ["estimates", prose(about.estimand)],
            ["random", prose(found.random)],
            [
                "learners compared",
                "yes" if about.incomparable is None else f"no: {prose(about.incomparable)}",
            ],
            ["source", prose(about.reference or "–")],
        ]
        parts.append(f"## {about.title}\n\n" + table(["", ""], rows))
    return page("Protocols", *parts)


def _public(name: str) -> bool:
    import classay

    return name in classay.__all__


def remedies() -> str:
    """Every remedy that `classay improve` may try."""
    from classay.improving import remedies
    from classay.improving.remedies import remedies_against

    rows = [
        [
            code(each.name),
            prose(each.title),
            prose(each.against.replace("_", " ")),
            str(each.cost),
            code(each.measure),
            prose(each.reference),
        ]
        for each in remedies_against(remedies.AGAINST)
    ]
    intro = (
        "`classay improve` finds out why a learner errs, and tries the remedies against what may be the cause, the "
        "simplest first: the cost is the order. The guide [Why a learner errs](../improve.md) explains the causes."
    )
    return page("Remedies", intro, table(["name", "remedy", "against", "cost", "judged by", "source"], rows))


def _unindented(text: str) -> str:
    from inspect import cleandoc

    return cleandoc(text)
