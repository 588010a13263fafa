"""Functions of each element, as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._create import full
from .._pairbond_autograd import DType, Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class _Activation(Module):
    """A function, and the arguments that it gets: attributes of these names."""

    function: Callable[..., Tensor]
    names: tuple[str, ...] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        for name, value in settings.items():
            setattr(self, name, value)

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, **{name: getattr(self, name) for name in self.names})

    def extra_repr(self) -> str:
        said = [f"{name}={getattr(self, name)!r}" for name in self.names if name != "inplace"]
        return ", ".join([*said, *(["inplace=True"] if getattr(self, "inplace", False) else [])])


class _InPlace(_Activation):
    """A function that can write its result to where the input was."""

    names = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class ReLU(_InPlace):
    """Nothing below zero."""

    function = staticmethod(F.relu)


class ReLU6(_InPlace):
    """From 0 to 6."""

    function = staticmethod(F.relu6)


class SELU(_InPlace):
    """`ELU` with numbers by which mean 0 and variance 1 stay."""

    function = staticmethod(F.selu)


class SiLU(_InPlace):
    """`x` times its sigmoid."""

    function = staticmethod(F.silu)


class Mish(_InPlace):
    """`x` times the tanh of its softplus."""

    function = staticmethod(F.mish)


class Hardsigmoid(_InPlace):
    """Straight from 0 at -3 to 1 at 3."""

    function = staticmethod(F.hardsigmoid)

    def extra_repr(self) -> str:
        return ""


class Hardswish(Hardsigmoid):
    """`x` times its `Hardsigmoid`."""

    function = staticmethod(F.hardswish)


class Sigmoid(_Activation):
    """From 0 to 1."""

    function = staticmethod(F.sigmoid)


class LogSigmoid(_Activation):
    """The logarithm of the sigmoid."""

    function = staticmethod(F.logsigmoid)


class Tanh(_Activation):
    """From -1 to 1."""

    function = staticmethod(F.tanh)


class Tanhshrink(_Activation):
    """`x - tanh(x)`"""

    function = staticmethod(F.tanhshrink)


class Softsign(_Activation):
    """`x / (1 + |x|)`"""

    function = staticmethod(F.softsign)


class GELU(_Activation):
    """`x` times the part of a normal distribution below it."""

    function = staticmethod(F.gelu)
    names = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)


class LeakyReLU(_Activation):
    """`x` where it is positive, and a part of it elsewhere."""

    function = staticmethod(F.leaky_relu)
    names = ("negative_slope", "inplace")

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)


class ELU(_Activation):
    """`x` where it is positive, and down to `-alpha` elsewhere."""

    function = staticmethod(F.elu)
    names = ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class CELU(ELU):
    """As `ELU`, with a slope that has no step at 0."""

    function = staticmethod(F.celu)


class Hardtanh(_Activation):
    """Within bounds."""

    function = staticmethod(F.hardtanh)
    names = ("min_val", "max_val", "inplace")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(min_val=min_val, max_val=max_val, inplace=inplace)
        assert self.max_val > self.min_val


class RReLU(_Activation):
    """As `LeakyReLU`, with random slopes while training."""

    names = ("lower", "upper", "inplace")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(lower=lower, upper=upper, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Softplus(_Activation):
    """The logarithm of `1 + exp(x)`."""

    function = staticmethod(F.softplus)
    names = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)


class Softshrink(_Activation):
    """Nearer to zero."""

    function = staticmethod(F.softshrink)
    names = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd=lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(Softshrink):
    """Zero where it is near zero."""

    function = staticmethod(F.hardshrink)


class Threshold(_Activation):
    """Another number where `x` is not above a threshold."""

    function = staticmethod(F.threshold)
    names = ("threshold", "value", "inplace")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(threshold=threshold, value=value, inplace=inplace)


class PReLU(_Activation):
    """As `LeakyReLU`, with slopes that are learned: one, or one for each channel."""

    names = ("num_parameters",)

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: object = None, dtype: DType | None = None
    ) -> None:
        super().__init__(num_parameters=num_parameters, init=init)
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype or DType.float32))

    def reset_parameters(self) -> None:
        """Begins anew."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)


class GLU(_Activation):
    """One half times the sigmoid of the other."""

    function = staticmethod(F.glu)
    names = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim=dim)


class Softmax(_Activation):
    """What adds up to 1 along a dimension."""

    function = staticmethod(F.softmax)
    names = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)


class Softmin(Softmax):
    """The softmax of `-x`."""

    function = staticmethod(F.softmin)


class LogSoftmax(Softmax):
    """The logarithm of the softmax."""

    function = staticmethod(F.log_softmax)


class Softmax2d(_Activation):
    """The softmax over channels."""

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return input.softmax(-3)
