"""Tensors and their derivatives, with PyTorch's names."""

from . import autograd as autograd
from . import nn as nn
from . import optim as optim
from . import utils as utils
from ._functions import *  # noqa: F403
from ._gradcheck import GradcheckError as GradcheckError
from ._gradcheck import gradcheck as gradcheck
from ._gradcheck import gradgradcheck as gradgradcheck
from ._modes import enable_grad as enable_grad
from ._modes import no_grad as no_grad
from ._modes import set_grad_enabled as set_grad_enabled
from ._pairbond_autograd import DType as DType
from ._pairbond_autograd import Storage as Storage
from ._pairbond_autograd import Tensor as Tensor
from ._pairbond_autograd import is_grad_enabled as is_grad_enabled
from .files import load_file as load_file
from .files import save_file as save_file

bool = DType.bool
int64 = long = DType.int64
float32 = float = DType.float32
float64 = double = DType.float64

dtype = DType

tensor = Tensor
"""A tensor of numbers in lists."""
