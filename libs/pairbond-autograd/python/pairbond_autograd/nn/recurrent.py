"""Modules that go through sequences, and their single steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._create import empty, zeros
from .._pairbond_autograd import DType, Tensor, cat, stack
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter

State = Any
"""What a step knows of those before: a tensor; of LSTM, two."""


def _lstm(gates: Tensor, more: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    take, keep, new, out = (gates + more).chunk(4, -1)
    cell = keep.sigmoid() * state[1] + take.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


def _gru(gates: Tensor, more: Tensor, state: Tensor) -> Tensor:
    reset, update, new = gates.chunk(3, -1)
    reset_more, update_more, new_more = more.chunk(3, -1)
    keep = (update + update_more).sigmoid()
    fresh = (new + (reset + reset_more).sigmoid() * new_more).tanh()
    result: Tensor = fresh + keep * (state - fresh)
    return result


class _Kind(Module):
    """What RNN, LSTM and GRU have in common: weights for so many gates, and what a step does with them."""

    gates = 1
    two = False

    #: What comes of the sums of both kinds of inputs, and of what is known.
    _step: Callable[[Tensor, Tensor, Any], Any]

    def _begin(self, hidden_size: int) -> None:
        bound = 1 / math.sqrt(hidden_size) if hidden_size else 0.0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)


class _Cell(_Kind):
    """One step."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: object = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self.gates * hidden_size
        self.weight_ih = Parameter(empty(rows, input_size, device=device, dtype=dtype))
        self.weight_hh = Parameter(empty(rows, hidden_size, device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begins anew."""
        self._begin(self.hidden_size)

    def forward(self, input: Tensor, hx: State = None) -> State:
        if input.ndim not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        if hx is None:
            nothing = zeros(*input.shape[:-1], self.hidden_size, dtype=input.dtype)
            hx = (nothing, nothing) if self.two else nothing
        known = hx[0] if self.two else hx
        gates = F.linear(input, self.weight_ih, self.bias_ih)
        return self._step(gates, F.linear(known, self.weight_hh, self.bias_hh), hx)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")


class _Sequences(_Kind):
    """All steps, of several layers on each other, in one direction or both."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout, self.bidirectional = bias, batch_first, float(dropout), bidirectional
        rows, directions = self.gates * hidden_size, 1 + bidirectional
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * directions
            for suffix in self._suffixes(layer):
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, hidden_size)}
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                for name, shape in shapes.items():
                    self.register_parameter(name + suffix, Parameter(empty(shape, device=device, dtype=dtype)))
        self.reset_parameters()

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", *([f"_l{layer}_reverse"] if self.bidirectional else [])]

    def reset_parameters(self) -> None:
        """Begins anew."""
        self._begin(self.hidden_size)

    def flatten_parameters(self) -> None:
        """Nothing: they lie where they lie."""

    def forward(self, input: Tensor, hx: State = None) -> tuple[Tensor, State]:
        if input.ndim not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )
        alone, batch_dim = input.ndim == 2, 0 if self.batch_first else 1
        steps = input.unsqueeze(1) if alone else input.transpose(0, 1) if self.batch_first else input
        count = self.num_layers * (1 + self.bidirectional)
        if hx is None:
            nothing = zeros(count, steps.shape[1], self.hidden_size, dtype=input.dtype)
            parts = [nothing] * (1 + self.two)
        else:
            parts = [part.unsqueeze(1) if alone else part for part in (hx if self.two else (hx,))]
        starts = [[part[number] for part in parts] for number in range(count)]
        ends: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                steps = F.dropout(steps, self.dropout, self.training)
            outputs = []
            for backwards, suffix in enumerate(self._suffixes(layer)):
                output, end = self._through(steps, starts[len(ends)], suffix, bool(backwards))
                outputs.append(output)
                ends.append(end)
            steps = cat(outputs, -1) if self.bidirectional else outputs[0]
        last = [stack([end[part] for end in ends]) for part in range(1 + self.two)]
        if alone:
            steps, last = steps.squeeze(1), [part.squeeze(1) for part in last]
        elif batch_dim == 0:
            steps = steps.transpose(0, 1)
        return steps, tuple(last) if self.two else last[0]

    def _through(self, steps: Tensor, start: list[Tensor], suffix: str, backwards: bool) -> tuple[Tensor, list[Tensor]]:
        """One layer in one direction: what comes of each step, and what is known at the end."""
        weights = [getattr(self, name + suffix) for name in ("weight_ih", "weight_hh")]
        biases = [getattr(self, name + suffix) if self.bias else None for name in ("bias_ih", "bias_hh")]
        gates = F.linear(steps, weights[0], biases[0]).unbind(0)
        state: State = tuple(start) if self.two else start[0]
        outputs = []
        for gate in reversed(gates) if backwards else gates:
            state = self._step(gate, F.linear(state[0] if self.two else state, weights[1], biases[1]), state)
            outputs.append(state[0] if self.two else state)
        return stack(outputs[::-1] if backwards else outputs), [*state] if self.two else [state]

    def extra_repr(self) -> str:
        settings = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        said = [f"{name}={getattr(self, name)}" for name, usual in settings.items() if getattr(self, name) != usual]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *said])


class LSTMCell(_Cell):
    """One step of `LSTM`."""

    gates, two = 4, True
    _step = staticmethod(_lstm)


class GRUCell(_Cell):
    """One step of `GRU`."""

    gates = 3
    _step = staticmethod(_gru)


class LSTM(_Sequences):
    """Steps with a cell that gates write to and forget from."""

    gates, two = 4, True
    _step = staticmethod(_lstm)


class GRU(_Sequences):
    """Steps with gates that keep what is known or replace it."""

    gates = 3
    _step = staticmethod(_gru)


class RNN(_Sequences):
    """Steps of sums and `tanh`, or `relu`."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", *args: Any, **kw: Any
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(input_size, hidden_size, num_layers, *args, **kw)
        self.nonlinearity = nonlinearity

    def _step(self, gates: Tensor, more: Tensor, state: State) -> State:
        return (gates + more).tanh() if self.nonlinearity == "tanh" else (gates + more).relu()


class RNNCell(_Cell):
    """One step of `RNN`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", **kw: Any
    ) -> None:
        super().__init__(input_size, hidden_size, bias, **kw)
        self.nonlinearity = nonlinearity

    def _step(self, gates: Tensor, more: Tensor, state: State) -> State:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return (gates + more).tanh() if self.nonlinearity == "tanh" else (gates + more).relu()

    def extra_repr(self) -> str:
        usual = self.nonlinearity == "tanh"
        return super().extra_repr() + ("" if usual else f", nonlinearity={self.nonlinearity}")
