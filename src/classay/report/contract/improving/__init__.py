"""The JSON of what improving shows: decompositions, learning curves, improvements."""
