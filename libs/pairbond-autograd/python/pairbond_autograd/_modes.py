"""Whether operations are recorded: context managers that are decorators, too."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any, ParamSpec, Self, TypeVar, overload

from ._pairbond_autograd import _set_grad_enabled

P = ParamSpec("P")
R = TypeVar("R")


class _Mode:
    """Within it, operations of this thread are recorded or not. One object may be entered again and again."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(_set_grad_enabled(self.mode))

    def __exit__(self, *_: object) -> None:
        _set_grad_enabled(self._before.pop())

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isgeneratorfunction(function):
            return self._of_generator(function)

        @functools.wraps(function)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            before = _set_grad_enabled(self.mode)
            try:
                return function(*args, **kwargs)
            finally:
                _set_grad_enabled(before)

        return inside

    def _again(self) -> _Mode:
        """The same mode, entered by nobody yet."""
        return _Mode(self.mode)

    def _of_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Whatever a generator does is done within the mode, and what is done between its steps is not."""

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            steps = function(*args, **kwargs)
            step, given = steps.send, None
            while True:
                try:
                    with self._again():
                        value = step(given)
                except StopIteration as end:
                    return end.value
                try:
                    step, given = steps.send, (yield value)
                except GeneratorExit:
                    with self._again():
                        steps.close()
                    raise
                except BaseException as error:
                    step, given = steps.throw, error

        return inside


class _Fixed(_Mode):
    """A mode that its class says; called with a function, it is a decorator."""

    MODE: bool

    @overload
    def __new__(cls, function: None = None) -> Self: ...
    @overload
    def __new__(cls, function: Callable[P, R]) -> Callable[P, R]: ...  # type: ignore[misc]
    def __new__(cls, function: Callable[P, R] | None = None) -> Self | Callable[P, R]:  # type: ignore[misc]
        self = super().__new__(cls)
        if function is None:
            return self
        self.__init__()  # type: ignore[misc]
        return self(function)

    def __init__(self) -> None:
        super().__init__(self.MODE)


class no_grad(_Fixed):
    """Operations are not recorded."""

    MODE = False


class _Inference(threading.local):
    """Whether this thread is in inference mode."""

    enabled = False


_inference = _Inference()


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in `inference_mode`."""
    return _inference.enabled


class inference_mode(_Mode):
    """As `no_grad`; with `mode=False`, as if it were not there. Its tensors are ordinary ones afterwards."""

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: Callable[P, R]) -> Callable[P, R]: ...  # type: ignore[misc]
    def __new__(cls, mode: bool | Callable[P, R] = True) -> Self | Callable[P, R]:  # type: ignore[misc]
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.__init__()  # type: ignore[misc]
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)
        self._outer: list[bool] = []

    def __enter__(self) -> None:
        self._outer.append(_inference.enabled)
        _inference.enabled = not self.mode
        # Out of inference mode it is recorded again.
        self._before.append(_set_grad_enabled(self.mode))

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        _inference.enabled = self._outer.pop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isgeneratorfunction(function):
            return self._of_generator(function)

        @functools.wraps(function)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            with self._again():
                return function(*args, **kwargs)

        return inside

    def _again(self) -> inference_mode:
        return inference_mode(not self.mode)


class enable_grad(_Fixed):
    """Operations are recorded, also within `no_grad`."""

    MODE = True


class set_grad_enabled(_Mode):
    """Operations are recorded or not, from now on; as a context manager, until it ends."""

    def __init__(self, mode: bool) -> None:
        super().__init__(mode)
        self._first = _set_grad_enabled(mode)

    def __enter__(self) -> None:
        self._before.append(self._first)
        _set_grad_enabled(self.mode)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        _set_grad_enabled(self._first)
        return super().__call__(function)
