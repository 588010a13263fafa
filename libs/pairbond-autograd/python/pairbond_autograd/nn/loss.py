"""How wrong something is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._pairbond_autograd import Tensor
from . import functional as F
from .module import Module


class _Loss(Module):
    """A function of what came and what should have come, and how its values become one.

    `names` are attributes that the function gets, too.
    """

    function: Callable[..., Tensor]
    names: tuple[str, ...] = ()

    def __init__(self, reduction: str = "mean", **settings: Any) -> None:
        super().__init__()
        self.reduction = reduction
        for name, value in settings.items():
            setattr(self, name, value)

    def forward(self, *tensors: Tensor) -> Tensor:
        settings = {name: getattr(self, name) for name in self.names}
        return type(self).function(*tensors, reduction=self.reduction, **settings)


class MSELoss(_Loss):
    """The mean of squares of differences."""

    function: Callable[..., Tensor] = staticmethod(F.mse_loss)

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction)


class L1Loss(MSELoss):
    """The mean of differences."""

    function = staticmethod(F.l1_loss)


class _Weighted(_Loss):
    """Elements or classes may have weights."""

    names: tuple[str, ...] = ("weight",)

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", **settings: Any) -> None:
        super().__init__(reduction, **settings)
        self.register_buffer("weight", weight)


class BCELoss(_Weighted):
    """Of probabilities of yes."""

    function = staticmethod(F.binary_cross_entropy)

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)


class BCEWithLogitsLoss(_Weighted):
    """Of what `sigmoid` makes probabilities of yes."""

    function = staticmethod(F.binary_cross_entropy_with_logits)
    names = ("weight", "pos_weight")

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> None:
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)


class NLLLoss(_Weighted):
    """Of logarithms of probabilities."""

    function = staticmethod(F.nll_loss)
    names = ("weight", "ignore_index")

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(weight, reduction, ignore_index=ignore_index)


class CrossEntropyLoss(_Weighted):
    """Of logits."""

    function = staticmethod(F.cross_entropy)
    names = ("weight", "ignore_index", "label_smoothing")

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, reduction, ignore_index=ignore_index, label_smoothing=label_smoothing)
