"""The kinds of results: a file each, with its document (choosing, ordering, computing nothing) and its JSON."""
