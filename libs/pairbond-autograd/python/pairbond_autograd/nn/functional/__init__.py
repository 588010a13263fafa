"""What modules compute, as functions."""

from .activations import gelu as gelu
from .activations import log_softmax as log_softmax
from .activations import relu as relu
from .activations import sigmoid as sigmoid
from .activations import softmax as softmax
from .activations import tanh as tanh
from .class_losses import cross_entropy as cross_entropy
from .class_losses import nll_loss as nll_loss
from .convolution import conv1d as conv1d
from .convolution import conv2d as conv2d
from .dropout import dropout as dropout
from .linear import linear as linear
from .losses import binary_cross_entropy as binary_cross_entropy
from .losses import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from .losses import l1_loss as l1_loss
from .losses import mse_loss as mse_loss
from .normalization import batch_norm as batch_norm
from .normalization import layer_norm as layer_norm
from .padding import pad as pad
from .pooling import avg_pool2d as avg_pool2d
from .pooling import max_pool2d as max_pool2d
