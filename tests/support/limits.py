"""Limits, as tests write them: a function, arguments that it takes, and those that it refuses, before its words."""

import pytest

from classay.errors import ClassayError
from classay.files.archives import Damaged


def check_limits(function, accepted, refused):
    for arguments in accepted:
        function(*arguments)
    for *arguments, words in refused:
        with pytest.raises((ClassayError, Damaged)) as error:
            function(*arguments)
        assert words in str(error.value)
