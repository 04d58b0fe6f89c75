"""One builder for each kind of result: choosing and ordering what a reader sees, computing nothing."""
