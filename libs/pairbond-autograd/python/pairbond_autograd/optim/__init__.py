"""Optimizers: what makes a step of gradients, and how large steps are as time goes on."""

from .adam import Adam as Adam
from .adam import AdamW as AdamW
from .optimizer import Optimizer as Optimizer
from .sgd import SGD as SGD
