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


class SoftMarginLoss(MSELoss):
    """Of targets 1 and -1."""

    function = staticmethod(F.soft_margin_loss)


class SmoothL1Loss(_Loss):
    """Squares of small differences, and large differences."""

    function = staticmethod(F.smooth_l1_loss)
    names = ("beta",)

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction, beta=beta)


class HuberLoss(_Loss):
    """`SmoothL1Loss` times `delta`."""

    function = staticmethod(F.huber_loss)
    names = ("delta",)

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction, delta=delta)


class KLDivLoss(_Loss):
    """Of logarithms of probabilities, and probabilities."""

    function = staticmethod(F.kl_div)
    names = ("log_target",)

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction, log_target=log_target)


class PoissonNLLLoss(_Loss):
    """Of numbers of events."""

    function = staticmethod(F.poisson_nll_loss)
    names = ("log_input", "full", "eps")

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction, log_input=log_input, full=full, eps=eps)


class GaussianNLLLoss(_Loss):
    """Of normal distributions."""

    function = staticmethod(F.gaussian_nll_loss)
    names = ("full", "eps")

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction, full=full, eps=eps)


class HingeEmbeddingLoss(_Loss):
    """Distances, and how much they lack to a margin."""

    function = staticmethod(F.hinge_embedding_loss)
    names = ("margin",)

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction, margin=margin)


class MarginRankingLoss(_Loss):
    """Which of two should be larger."""

    function = staticmethod(F.margin_ranking_loss)
    names = ("margin",)

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction, margin=margin)


class CosineEmbeddingLoss(MarginRankingLoss):
    """Of the cosine between vectors."""

    function = staticmethod(F.cosine_embedding_loss)


class TripletMarginLoss(_Loss):
    """One vector should be nearer than another."""

    function = staticmethod(F.triplet_margin_loss)
    names = ("margin", "p", "eps", "swap")

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction, margin=margin, p=p, eps=eps, swap=swap)


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


class CosineSimilarity(Module):
    """The cosine of the angle between vectors."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The norm of the difference of vectors."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
