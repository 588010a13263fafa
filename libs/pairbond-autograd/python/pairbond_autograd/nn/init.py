"""Where parameters begin."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

from .._modes import no_grad
from .._pairbond_autograd import Tensor, _eye, _normal, _uniform


def _filled(tensor: Tensor, numbers: Tensor) -> Tensor:
    with no_grad():
        return tensor.copy_(numbers)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: None = None) -> Tensor:
    """Numbers from `a` to `b`."""
    return _filled(tensor, _uniform(list(tensor.shape), a, b, tensor.dtype))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: None = None) -> Tensor:
    """Numbers of a normal distribution."""
    return _filled(tensor, _normal(list(tensor.shape), mean, std, tensor.dtype))


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: None = None
) -> Tensor:
    """Numbers of a normal distribution, drawn again until they are between `a` and `b`."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=2,
        )
    count = tensor.numel()
    kept: list[float] = []
    # Far from the mean hardly anything would be found: what is left out is drawn evenly by its density instead.
    highest = min(max(mean, a), b)
    top = -(((highest - mean) / std) ** 2) / 2
    while len(kept) < count:
        values = _uniform([max(count, 64)], a, b, tensor.dtype)
        density = (((values - mean) / std).square() * -0.5 - top).exp()
        chosen = values[_uniform([max(count, 64)], 0.0, 1.0, tensor.dtype) < density]
        kept += chosen.tolist()
    return _filled(tensor, Tensor(kept[:count], dtype=tensor.dtype).reshape(tensor.shape))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """The same number everywhere."""
    return _filled(tensor, Tensor([val], dtype=tensor.dtype).expand(tensor.numel()).reshape(tensor.shape))


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _filled(tensor, _eye(tensor.shape[0], tensor.shape[1], tensor.dtype))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Weights by which a convolution changes nothing."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    channels = tensor.shape[0] // groups
    zeros_(tensor)
    with no_grad():
        for group in range(groups):
            for channel in range(min(channels, tensor.shape[1])):
                middle = tuple(size // 2 for size in tensor.shape[2:])
                tensor[(group * channels + channel, channel, *middle)] = 1
    return tensor


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
    straight = ("linear", "sigmoid", *(f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3)))
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


def kaiming_normal_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: None = None
) -> Tensor:
    """As `kaiming_uniform_`, of a normal distribution."""
    return tensor if _nothing(tensor) else normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: None = None) -> Tensor:
    """Even numbers by which variances stay forwards and backwards, nearly."""
    bound = gain * math.sqrt(6 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: None = None) -> Tensor:
    """As `xavier_uniform_`, of a normal distribution."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(_calculate_fan_in_and_fan_out(tensor))))


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: None = None) -> Tensor:
    """Rows (or columns, if these are fewer) that are orthogonal to each other and of one length."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    with no_grad():
        found: list[Tensor] = []
        for vector in _normal([min(rows, columns), max(rows, columns)], 0.0, 1.0, tensor.dtype):
            for _ in range(2):  # the second time takes away what rounding left
                for other in found:
                    vector = vector - other * (vector * other).sum()
            found.append(vector * (vector * vector).sum().rsqrt())
        flat = Tensor([vector.tolist() for vector in found], dtype=tensor.dtype) * gain
    return _filled(tensor, (flat if rows <= columns else flat.t()).reshape(tensor.shape))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: None = None) -> Tensor:
    """Numbers of a normal distribution, of which a part is zero in each column."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows = tensor.shape[0]
    order = _uniform(list(tensor.shape), 0.0, 1.0, tensor.dtype).argsort(0).argsort(0)
    numbers = _normal(list(tensor.shape), 0.0, std, tensor.dtype)
    return _filled(tensor, numbers.masked_fill(order < math.ceil(sparsity * rows), 0.0))


def _renamed(new: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    def old(*args: object, **kwargs: object) -> Tensor:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{new.__name__}`.", FutureWarning, stacklevel=2
        )
        return new(*args, **kwargs)

    old.__name__ = name
    old.__doc__ = f"The old name of `{new.__name__}`."
    return old


uniform, normal, constant = (_renamed(it, it.__name__[:-1]) for it in (uniform_, normal_, constant_))
xavier_uniform, xavier_normal = (_renamed(it, it.__name__[:-1]) for it in (xavier_uniform_, xavier_normal_))
kaiming_uniform, kaiming_normal = (_renamed(it, it.__name__[:-1]) for it in (kaiming_uniform_, kaiming_normal_))
