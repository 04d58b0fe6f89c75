"""The evidence: do the intervals hold what they promise, and how often do tests claim what is not so?

`python -m bench honesty --store evidence.jsonl` draws samples from populations whose values are known, and writes a
page for each family of methods with a figure, docs/evidence/. What is in the store is not run again.
"""
