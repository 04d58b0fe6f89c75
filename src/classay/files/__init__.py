"""Files of classay's own: how they are written, sealed, and checked when they are read."""
