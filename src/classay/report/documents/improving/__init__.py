"""Documents of what improving shows: decompositions, learning curves, improvements."""
