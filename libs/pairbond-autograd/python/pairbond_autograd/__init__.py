"""Tensors and their derivatives, with PyTorch's names."""

from . import _subclasses as _subclasses
from . import _writing as _writing
from . import autograd as autograd
from . import backends as backends
from . import cuda as cuda
from . import nn as nn
from . import optim as optim
from . import return_types as return_types
from . import utils as utils
from ._arranging import *  # noqa: F403
from ._composed import *  # noqa: F403
from ._create import arange as arange
from ._create import as_tensor as as_tensor
from ._create import asarray as asarray
from ._create import bernoulli as bernoulli
from ._create import empty as empty
from ._create import empty_like as empty_like
from ._create import eye as eye
from ._create import from_dlpack as from_dlpack
from ._create import from_numpy as from_numpy
from ._create import full as full
from ._create import full_like as full_like
from ._create import linspace as linspace
from ._create import manual_seed as manual_seed
from ._create import normal as normal
from ._create import ones as ones
from ._create import ones_like as ones_like
from ._create import rand as rand
from ._create import rand_like as rand_like
from ._create import randint as randint
from ._create import randn as randn
from ._create import randn_like as randn_like
from ._create import randperm as randperm
from ._create import zeros as zeros
from ._create import zeros_like as zeros_like
from ._devices import device as device
from ._dtypes import can_cast as can_cast
from ._dtypes import finfo as finfo
from ._dtypes import get_default_dtype as get_default_dtype
from ._dtypes import iinfo as iinfo
from ._dtypes import is_floating_point as is_floating_point
from ._dtypes import is_tensor as is_tensor
from ._dtypes import numel as numel
from ._dtypes import promote_types as promote_types
from ._dtypes import result_type as result_type
from ._einsum import einsum as einsum
from ._functions import *  # noqa: F403
from ._gradcheck import GradcheckError as GradcheckError
from ._gradcheck import gradcheck as gradcheck
from ._gradcheck import gradgradcheck as gradgradcheck
from ._modes import enable_grad as enable_grad
from ._modes import inference_mode as inference_mode
from ._modes import is_inference_mode_enabled as is_inference_mode_enabled
from ._modes import no_grad as no_grad
from ._modes import set_grad_enabled as set_grad_enabled
from ._pairbond_autograd import DType as DType
from ._pairbond_autograd import Storage as Storage
from ._pairbond_autograd import get_num_threads as get_num_threads
from ._pairbond_autograd import is_grad_enabled as is_grad_enabled
from ._pairbond_autograd import set_num_threads as set_num_threads
from ._pairbond_autograd import tensor as tensor
from ._pickled import load as load
from ._pickled import save as save
from ._products import *  # noqa: F403
from ._sampling import *  # noqa: F403
from ._selecting import *  # noqa: F403
from ._sizes import Size as Size
from ._tensor import Tensor as Tensor
from .autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from .autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from .files import load_file as load_file
from .files import save_file as save_file

bool = DType.bool
int64 = long = DType.int64
float32 = float = DType.float32
float64 = double = DType.float64

dtype = DType
