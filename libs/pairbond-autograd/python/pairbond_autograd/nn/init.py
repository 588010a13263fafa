"""Where parameters begin."""

from __future__ import annotations

import math
import warnings

from .._modes import no_grad
from .._pairbond_autograd import Tensor, _normal, _uniform


def _filled(tensor: Tensor, numbers: Tensor) -> Tensor:
    with no_grad():
        return tensor.copy_(numbers)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: None = None) -> Tensor:
    """Numbers from `a` to `b`."""
    return _filled(tensor, _uniform(list(tensor.shape), a, b, tensor.dtype))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: None = None) -> Tensor:
    """Numbers of a normal distribution."""
    return _filled(tensor, _normal(list(tensor.shape), mean, std, tensor.dtype))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """The same number everywhere."""
    return _filled(tensor, Tensor([val], dtype=tensor.dtype).expand(tensor.numel()).reshape(tensor.shape))


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs an output of such weights has, and how many outputs an input."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """How much larger numbers have to be before a function, so that their variance stays."""
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    straight = ("linear", "sigmoid", "conv1d", "conv2d")
    gains = dict.fromkeys(straight, 1.0) | {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def _kaiming(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation by which variances stay, forwards or backwards."""
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan = _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _nothing(tensor: Tensor) -> bool:
    if 0 not in tensor.shape:
        return False
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return True


def kaiming_uniform_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: None = None
) -> Tensor:
    """Even numbers for layers that are followed by a function (`a` is the slope of a leaky `relu`)."""
    if _nothing(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: None = None) -> Tensor:
    """Even numbers by which variances stay forwards and backwards, nearly."""
    bound = gain * math.sqrt(6 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound)
