"""The JSON schemas of results, from their descriptions (`classay.report.shape`)."""

import json
from collections import defaultdict

from classay.report.shape import Result, Row, Schema, published
from classay.wings import brought, thing

SEVERAL = {
    "comparison": (
        "Comparison",
        "What `classay compare --json` (with `--by` too) and `classay gate --json` write. Undefined is null, infinity "
        'the text "Infinity".',
    ),
    "decision": (
        "Decision",
        'What `classay decide --json` writes. Undefined is null, infinity the text "Infinity".',
    ),
}
"""Files that are the contract of several results: their titles and descriptions."""


def described() -> dict[str, str]:
    """The text of each schema that follows from descriptions, by the name of its file."""
    places = [*brought("results").values(), *brought("parts").values()]
    modules = [thing(place.partition(":")[0]) for place in places]
    results = {
        id(value): value for module in modules for value in vars(module).values() if isinstance(value, Result)
    }
    files: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results.values():
        files[result.file].append(result)
    return {file: _text(file, files[file]) for file in sorted(files)}


def _text(file: str, results: list[Result]) -> str:
    title, about = SEVERAL.get(file, (results[0].title, results[0].about))
    schema: Schema = results[0].schema
    if file in brought("keys"):
        further = Row(*thing(brought("keys")[file])).schema["properties"]
        schema = {**schema, "properties": schema["properties"] | further}
    if file in SEVERAL:
        schema = {"oneOf": [result.named(result.name).schema for result in results]}
    return json.dumps(published(file, title, about, schema), indent=2, ensure_ascii=False) + "\n"
