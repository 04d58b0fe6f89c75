"""The JSON of one number: an estimate, a comparison."""
