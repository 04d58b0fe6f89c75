"""Tests of several labels a case beside another wing are there where that wing is."""

from importlib.util import find_spec

BESIDE = {
    "groups": ("*_of_groups.py", "test_tags_by_group.py", "test_tags_not_recorded.py"),
    "over_time": ("*_in_time.py",),
}
collect_ignore_glob = [
    files for wing, named in BESIDE.items() if find_spec(f"classay.{wing}") is None for files in named
]
