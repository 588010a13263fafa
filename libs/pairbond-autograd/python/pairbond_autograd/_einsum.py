"""`einsum`: sums of products, named by letters."""

from __future__ import annotations

import math
import string
from typing import Any

from ._pairbond_autograd import Tensor

__all__ = ["einsum"]


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums of products over the letters that are not in the result: `einsum("ij,jk->ik", a, b)`.

    One operand after the other is multiplied, as matrices. Without `->` the result has the letters that are there once,
    in their order. Dimensions under the same letter are equally long, or 1.
    """
    tensors = list(operands[0]) if len(operands) == 1 and not isinstance(operands[0], Tensor) else list(operands)
    terms, result = _letters(equation, tensors)
    lengths: dict[str, int] = {}
    for number, (term, tensor) in enumerate(zip(terms, tensors, strict=True)):
        terms[number], tensors[number] = _without_twice(term, tensor)
        for letter, length in zip(terms[number], tensors[number].shape, strict=True):
            if lengths.setdefault(letter, length) == 1:
                lengths[letter] = length
            elif length not in (1, lengths[letter]):
                raise RuntimeError(
                    f"einsum(): operands do not broadcast: {letter!r} has lengths {lengths[letter]} and {length}"
                )
    term, made = _summed(terms[0], tensors[0], {*"".join([result, *terms[1:]])})
    for number in range(1, len(terms)):
        needed = {*"".join([result, *terms[number + 1 :]])}
        other, tensor = _summed(terms[number], tensors[number], needed | {*term})
        term, made = _product((term, made), (other, tensor), needed, lengths)
    return made.permute([term.index(letter) for letter in result])


def _letters(equation: str, tensors: list[Tensor]) -> tuple[list[str], str]:
    """The letters of each operand and of the result. What `...` stands for has some of its own."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise RuntimeError(f"einsum(): the equation has {len(terms)} operands, and there are {len(tensors)}")
    more = [tensor.ndim - len(term.replace("...", "")) for term, tensor in zip(terms, tensors, strict=True)]
    spare = [letter for letter in string.ascii_letters if letter not in equation]
    dots = "".join(spare[: max((count for count, term in zip(more, terms, strict=True) if "..." in term), default=0)])
    for number, term in enumerate(terms):
        count = more[number]
        if count < 0 or (count and "..." not in term):
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(term)}) does not match the number of "
                f"dimensions ({tensors[number].ndim}) for operand {number}"
            )
        terms[number] = term.replace("...", dots[len(dots) - count :] if count else "")
    whole = "".join(terms)
    if arrow:
        result = right.replace("...", dots)
    else:
        result = dots + "".join(sorted(letter for letter in {*whole} - {*dots} if whole.count(letter) == 1))
    for letter in result:
        if result.count(letter) > 1 or letter not in whole:
            raise RuntimeError(f"einsum(): output subscript {letter} is there twice, or in no operand")
    return terms, result


def _without_twice(term: str, tensor: Tensor) -> tuple[str, Tensor]:
    """Of dimensions under the same letter, the diagonal."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first, second = term.index(letter), term.rindex(letter)
            if tensor.shape[first] != tensor.shape[second]:
                raise RuntimeError(f"einsum(): subscript {letter} is repeated for dimensions of other lengths")
            tensor = tensor.diagonal(0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return term, tensor


def _summed(term: str, tensor: Tensor, needed: set[str]) -> tuple[str, Tensor]:
    """Without the letters that nobody needs."""
    over = [place for place, letter in enumerate(term) if letter not in needed]
    return "".join(letter for letter in term if letter in needed), tensor.sum(over) if over else tensor


def _product(
    one: tuple[str, Tensor], other: tuple[str, Tensor], needed: set[str], lengths: dict[str, int]
) -> tuple[str, Tensor]:
    """The product of both, summed over the letters that both have and nobody else needs."""
    both = [letter for letter in one[0] if letter in other[0]]
    batch = [letter for letter in both if letter in needed]
    over = [letter for letter in both if letter not in needed]
    rows = [letter for letter in one[0] if letter not in both]
    columns = [letter for letter in other[0] if letter not in both]

    def count(letters: list[str]) -> int:
        return math.prod(lengths[letter] for letter in letters)

    def matrices(side: tuple[str, Tensor], order: list[str], shape: tuple[int, int]) -> Tensor:
        turned = side[1].permute([side[0].index(letter) for letter in order])
        return turned.expand([lengths[letter] for letter in order]).reshape(count(batch), *shape)

    left = matrices(one, [*batch, *rows, *over], (count(rows), count(over)))
    right = matrices(other, [*batch, *over, *columns], (count(over), count(columns)))
    letters = [*batch, *rows, *columns]
    return "".join(letters), left.bmm(right).reshape([lengths[letter] for letter in letters])
