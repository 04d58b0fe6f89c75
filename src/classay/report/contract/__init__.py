"""The JSON of every result: a published contract, docs/*.schema.json."""
