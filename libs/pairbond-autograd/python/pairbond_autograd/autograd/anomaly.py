"""Anomaly mode: errors on the way back say where the way there was."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Sequence

from .._pairbond_autograd import _set_anomaly

_state: list[tuple[bool, bool]] = [(False, True)]


def _place() -> list[str]:
    return traceback.format_stack()[:-1]


def _warn(name: str, place: Sequence[str] | None) -> None:
    if place is None:
        told = "No forward pass information available. Enable detect anomaly during forward pass for more information."
    else:
        told = "Traceback of forward call that caused the error:\n" + "".join(place)
    warnings.warn(f"Error detected in {name}. {told}", stacklevel=2)


def _set(mode: bool, check_nan: bool) -> None:
    _state[0] = (mode, check_nan)
    _set_anomaly(_place if mode else None, _warn if mode else None, check_nan)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return _state[0][0]


def is_anomaly_check_nan_enabled() -> bool:
    """Whether, in anomaly mode, gradients that are no numbers are errors."""
    return _state[0][1]


class set_detect_anomaly:
    """Turns anomaly mode on or off; as a context manager, until it ends."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _state[0]
        _set(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _set(*self._before)


class detect_anomaly(set_detect_anomaly):
    """Within it, nodes remember where they were made, and gradients that are no numbers are errors."""

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(True, check_nan)
