"""Optimizers: what makes a step of gradients, and how large steps are as time goes on."""

from . import lr_scheduler as lr_scheduler
from .adam import Adam as Adam
from .adam import Adamax as Adamax
from .adam import AdamW as AdamW
from .optimizer import Optimizer as Optimizer
from .rates import Adadelta as Adadelta
from .rates import Adagrad as Adagrad
from .rates import RMSprop as RMSprop
from .sgd import SGD as SGD
