"""All parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable

from ..._modes import no_grad
from ..._pairbond_autograd import Tensor, _assign, cat


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The numbers of all parameters behind each other."""
    return cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Writes the numbers of a vector to parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__module__}.{type(vec).__qualname__}")
    place = 0
    with no_grad():
        for parameter in parameters:
            _assign(parameter, vec.detach().narrow(0, place, parameter.numel()).reshape(parameter.shape))
            place += parameter.numel()
