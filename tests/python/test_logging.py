"""Records of the `log` crate in Python's logging."""

from __future__ import annotations

import logging

import pairbond_holders as native
import pytest


@pytest.fixture(autouse=True)
def enabled() -> None:
    native.enable_logging("trace")


@pytest.mark.parametrize("elsewhere", [False, True])
def test_records_have_levels_and_names(caplog: pytest.LogCaptureFixture, elsewhere: bool) -> None:
    with caplog.at_level(1, "native.part"):
        native.log_records("%s é", elsewhere)
    assert [(it.name, it.levelno, it.getMessage()) for it in caplog.records] == [
        ("native.part", 40, "error %s é"),
        ("native.part", 30, "warning %s é"),
        ("native.part", 20, "info %s é"),
        ("native.part", 10, "debug %s é"),
        ("native.part", 5, "trace %s é"),
    ]
    assert caplog.records[0].filename == "python.rs"
    assert caplog.records[0].lineno > 0


def test_levels_are_the_loggers(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "native"):
        native.log_records("x", False)
    assert [it.levelname for it in caplog.records] == ["ERROR", "WARNING"]


def test_the_limit_is_rusts(caplog: pytest.LogCaptureFixture) -> None:
    native.enable_logging("error")
    with caplog.at_level(1, "native.part"):
        native.log_records("x", False)
    assert [it.levelname for it in caplog.records] == ["ERROR"]
    with pytest.raises(ValueError, match="level"):
        native.enable_logging("nothing")


def test_a_handler_that_raises_is_not_heard() -> None:
    class Raises(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError("cannot write")

    handler, logger = Raises(), logging.getLogger("native.part")
    logger.addHandler(handler)
    try:
        native.log_records("x", True)
        native.log_records("x", False)
    finally:
        logger.removeHandler(handler)
