"""Fixtures that all Python tests share."""

import pytest

pytest.register_assert_rewrite("promises", "interpreters")


@pytest.fixture
def no_leak():
    """The test leaves no native object behind."""
    from promises import nothing_stays

    with nothing_stays():
        yield
