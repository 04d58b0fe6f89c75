"""Several labels a case (tags)."""
