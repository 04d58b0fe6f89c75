"""The page of evidence: do the intervals hold what they promise, and are the rivals' narrower or wider?

`python -m bench honesty --samples 400 --store evidence.jsonl --page docs/evidence/README.md` draws samples from
populations whose values are known and writes the page. It is one process; what is in the store is not run again.
"""
