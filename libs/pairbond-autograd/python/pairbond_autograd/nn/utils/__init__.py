"""What is done with the parameters of a module, and with sequences."""

from .gradients import clip_grad_norm_ as clip_grad_norm_
