"""What is done with the parameters of a module, and with sequences."""

from .gradients import clip_grad_norm_ as clip_grad_norm_
from .gradients import clip_grad_value_ as clip_grad_value_
from .gradients import clip_grads_with_norm_ as clip_grads_with_norm_
from .gradients import get_total_norm as get_total_norm
