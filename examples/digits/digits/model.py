"""The network: layers of `nn`, a function with a derivative of its own, and hooks that look at gradients."""

from __future__ import annotations

from typing import Any

from pairbond_autograd import Tensor, nn
from pairbond_autograd.autograd import Function


class Swish(Function):
    """`x * sigmoid(x)`, which keeps only `x` for its derivative."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        y = x * x.sigmoid()
        ctx.result = y  # a cycle, on purpose: the context owns what it made
        return y

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        s = x.sigmoid()
        return grad * s * (1 + x * (1 - s))


class Activation(nn.Module):
    """`Swish` as a module."""

    def forward(self, x: Tensor) -> Tensor:
        return Swish.apply(x)


class Digits(nn.Module):
    """Two convolutions and two layers above them.

    `norms` collects how large the gradients are that reach the first convolution.
    """

    def __init__(self) -> None:
        super().__init__()
        self.eyes = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            Activation(),
            nn.Conv2d(16, 32, 3, padding=1),
            Activation(),
            nn.MaxPool2d(2),
        )
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.3),
            nn.Linear(32 * 4 * 4, 64),
            Activation(),
            nn.Linear(64, 10),
        )
        self.norms: list[float] = []
        # Another cycle: the hook refers to the module that owns it.
        self.eyes[0].register_forward_hook(lambda _module, _inputs, result: self.watch(result))

    def watch(self, result: Tensor) -> None:
        """Has the gradient of a result measured when it comes."""
        if result.requires_grad:
            result.register_hook(self.measure)

    def measure(self, grad: Tensor) -> None:
        self.norms.append(grad.square().sum().sqrt().item())

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.eyes(images))
