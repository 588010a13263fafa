"""Operations as functions: the methods of tensors by their names, and those that are no methods."""

from __future__ import annotations

from typing import Any

from . import _composed, _selecting
from . import return_types as _named
from ._pairbond_autograd import Tensor, _where, cat, conv2d, stack

# A method is a function of its tensor already.
abs = Tensor.abs
acos = Tensor.acos
add = Tensor.add
all = Tensor.all
amax = Tensor.amax
amin = Tensor.amin
any = Tensor.any
argmax = Tensor.argmax
argmin = Tensor.argmin
argsort = Tensor.argsort
asin = Tensor.asin
atan = Tensor.atan
bmm = Tensor.bmm
ceil = Tensor.ceil
chunk = Tensor.chunk
clamp = Tensor.clamp
cos = Tensor.cos
cosh = Tensor.cosh
cumsum = Tensor.cumsum
div = _composed._div_rounded
eq = Tensor.eq
erf = Tensor.erf
exp = Tensor.exp
expm1 = Tensor.expm1
flatten = Tensor.flatten
flip = Tensor.flip
floor = Tensor.floor
floor_divide = Tensor.floor_divide
gather = Tensor.gather
ge = Tensor.ge
gt = Tensor.gt
index_add = Tensor.index_add
index_select = Tensor.index_select
isnan = Tensor.isnan
kthvalue = _named._kthvalue
le = Tensor.le
log = Tensor.log
log10 = Tensor.log10
log1p = Tensor.log1p
log2 = Tensor.log2
log_softmax = Tensor.log_softmax
logical_not = Tensor.logical_not
logsumexp = Tensor.logsumexp
lt = Tensor.lt
masked_fill = Tensor.masked_fill
matmul = Tensor.matmul
max = Tensor.max
maximum = Tensor.maximum
mean = Tensor.mean
min = Tensor.min
minimum = Tensor.minimum
mm = Tensor.mm
mul = Tensor.mul
narrow = Tensor.narrow
ne = Tensor.ne
neg = Tensor.neg
permute = Tensor.permute
pow = Tensor.pow
prod = Tensor.prod
reciprocal = Tensor.reciprocal
relu = Tensor.relu
remainder = Tensor.remainder
reshape = Tensor.reshape
round = Tensor.round
rsqrt = Tensor.rsqrt
scatter = Tensor.scatter
scatter_add = Tensor.scatter_add
select = Tensor.select
sigmoid = Tensor.sigmoid
sign = Tensor.sign
sin = Tensor.sin
sinh = Tensor.sinh
softmax = Tensor.softmax
sort = Tensor.sort
split = Tensor.split
sqrt = Tensor.sqrt
square = Tensor.square
squeeze = Tensor.squeeze
std = Tensor.std
sub = Tensor.sub
sum = Tensor.sum
swapaxes = Tensor.swapaxes
t = Tensor.t
tan = Tensor.tan
tanh = Tensor.tanh
topk = _named._topk
transpose = Tensor.transpose
tril = Tensor.tril
triu = Tensor.triu
trunc = Tensor.trunc
unbind = Tensor.unbind
unsqueeze = Tensor.unsqueeze
var = Tensor.var

concat = concatenate = cat
absolute = Tensor.abs
subtract = Tensor.sub
multiply = Tensor.mul
divide = true_divide = _composed._div_rounded
negative = Tensor.neg
greater = Tensor.gt
less = Tensor.lt


def where(condition: Tensor, input: Tensor | float | None = None, other: Tensor | float | None = None) -> Any:
    """The elements of one where the condition is true, else those of the other. Without these, where it is true."""
    if input is None and other is None:
        return _selecting.nonzero(condition, as_tuple=True)
    return _where(condition, input, other)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are the same, nearly."""
    near = input.sub(other).abs().le(other.abs() * rtol + atol) | input.eq(other)
    if equal_nan:
        near = near | (input.isnan() & other.isnan())
    return bool(near.all().item())


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements are the same."""
    return input.shape == other.shape and bool(input.eq(other).all().item())


__all__ = [
    "abs",
    "absolute",
    "acos",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "atan",
    "bmm",
    "cat",
    "ceil",
    "chunk",
    "clamp",
    "concat",
    "concatenate",
    "conv2d",
    "cos",
    "cosh",
    "cumsum",
    "div",
    "divide",
    "eq",
    "equal",
    "erf",
    "exp",
    "expm1",
    "flatten",
    "flip",
    "floor",
    "floor_divide",
    "gather",
    "ge",
    "greater",
    "gt",
    "index_add",
    "index_select",
    "isnan",
    "kthvalue",
    "le",
    "less",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_softmax",
    "logical_not",
    "logsumexp",
    "lt",
    "masked_fill",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mm",
    "mul",
    "multiply",
    "narrow",
    "ne",
    "neg",
    "negative",
    "permute",
    "pow",
    "prod",
    "reciprocal",
    "relu",
    "remainder",
    "reshape",
    "round",
    "rsqrt",
    "scatter",
    "scatter_add",
    "select",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "sub",
    "subtract",
    "sum",
    "swapaxes",
    "t",
    "tan",
    "tanh",
    "topk",
    "transpose",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "unbind",
    "unsqueeze",
    "var",
    "where",
]
