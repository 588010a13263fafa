"""How wrong something is."""

from __future__ import annotations

from collections.abc import Callable

from .._pairbond_autograd import Tensor
from . import functional as F
from .module import Module


class _Loss(Module):
    """A function of what came and what should have come, and how its values become one."""

    function: Callable[..., Tensor]

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return type(self).function(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The mean of squares of differences."""

    function = staticmethod(F.mse_loss)


class L1Loss(_Loss):
    """The mean of differences."""

    function = staticmethod(F.l1_loss)


class BCELoss(_Loss):
    """Of probabilities of yes."""

    function = staticmethod(F.binary_cross_entropy)


class BCEWithLogitsLoss(_Loss):
    """Of what `sigmoid` makes probabilities of yes."""

    function = staticmethod(F.binary_cross_entropy_with_logits)


class _OfClasses(Module):
    """Classes may have weights, and one number means that there is none."""

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index, self.reduction = ignore_index, reduction


class NLLLoss(_OfClasses):
    """Of logarithms of probabilities."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(_OfClasses):
    """Of logits."""

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, ignore_index, reduction)
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(input, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing)
