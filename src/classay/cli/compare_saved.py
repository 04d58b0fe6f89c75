"""`classay compare` of saved evaluations and saved assessments, without their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classay.cli.compare import Sources, names_of
from classay.cli.outputs import waiting
from classay.errors import InputError

if TYPE_CHECKING:
    from classay.assessment.block_values import BlockValues
    from classay.comparison.comparisons import Comparisons


def of_saved(sources: Sources, measures: list[str] | None, **how: Any) -> Comparisons:
    """Saved evaluations, or assessments of the same cases, compared without their rows."""
    from classay.comparison.comparing import compare, judged
    from classay.comparison.gate import check_rule, interval_level
    from classay.comparison.saved import compare_values
    from classay.comparison.sided import as_asked, check_sides, level_of_both

    files = dict(zip(names_of(sources.files), sources.files, strict=True))
    are_evaluations = {is_evaluation(file) for file in sources.files}
    how.pop("missing")
    if are_evaluations == {True}:
        from classay.resampling.evaluation import Evaluation

        with waiting("reading"):
            evaluations = {name: Evaluation.load(file) for name, file in files.items()}
        one = next(iter(evaluations.values())) if len(evaluations) == 1 else evaluations
        with waiting("comparing"):
            return compare(one, measures=measures, **how)
    if True in are_evaluations:
        raise InputError("some files are saved evaluations and others assessments: pass files of a kind.")
    check_rule(how["rule"], how["margin"])
    check_sides(how["alternative"], None, how["rule"], None)
    values = {name: block_values(file, measures or []) for name, file in files.items()}
    asked = 0.95 if how["level"] is None else how["level"]
    level = interval_level(how["rule"], level_of_both(how["alternative"], asked))
    found = compare_values(values, measures, adjustment=how["adjustment"], level=level)
    return judged(as_asked(found, how["alternative"], how["adjustment"], asked), how["rule"], how["margin"])


def is_evaluation(file: str) -> bool:
    """Whether a saved file is an evaluation of learners."""
    import zipfile

    try:
        with zipfile.ZipFile(file) as archive:
            return "evaluation.json" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False  # reading it as an assessment says what is wrong


def block_values(file: str, measures: list[str]) -> BlockValues:
    """What a saved assessment is compared by: the part saved for it, or, for other measures, made from all."""
    from classay.assessment.block_values import BlockValues
    from classay.assessment.restoring import load, load_block_values

    saved = load_block_values(file)
    return saved if {*measures} <= {*saved.whole} else BlockValues.of(load(file), measures)
