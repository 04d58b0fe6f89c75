"""Files of cases with several labels each."""

from multilabel.test_tag_options import folder as tag_files  # noqa: F401
