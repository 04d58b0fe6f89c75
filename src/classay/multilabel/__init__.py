"""Several labels a case (tags)."""

import classay.measures  # noqa: F401 - measures of the core stand before those of tags, whichever module is asked for first
