"""`func`: functions, calls and returns."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .._fields import Result
from .._pairbond_ir import (
    ArrayAttr,
    Attribute,
    Block,
    DictAttr,
    FlatSymbolRefAttr,
    FunctionType,
    InsertionPoint,
    Location,
    Operation,
    OpView,
    Region,
    StringAttr,
    Type,
    TypeAttr,
    Value,
)
from ..declaring import Trait
from ._func_ops_gen import *  # noqa: F403
from ._func_ops_gen import ReturnOp, _Dialect
from ._making import declare, made, value_of


class FunctionName(str):
    """`func.func`, the name of the operation, with that of the function as its `value`.

    Programs for MLIR's bindings read the function's name as `op.name.value`, and the operation's as
    `op.operation.name`, which are one object here.
    """

    sym_name: StringAttr

    def __new__(cls, sym_name: StringAttr) -> FunctionName:
        made = super().__new__(cls, FuncOp.OPERATION_NAME)
        made.sym_name = sym_name
        return made

    @property
    def value(self) -> str:
        """The name of the function."""
        return self.sym_name.value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Attribute):
            return other is self.sym_name
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


class FuncOp(OpView):
    """A function."""

    sym_name: StringAttr
    function_type: TypeAttr
    sym_visibility: StringAttr | None
    arg_attrs: ArrayAttr | None
    res_attrs: ArrayAttr | None
    no_inline: Attribute | None
    body_: Region

    @property
    def name(self) -> FunctionName:
        """The name of the operation, whose `value` is that of the function."""
        return FunctionName(self.sym_name)

    @property
    def is_external(self) -> bool:
        """Whether it is a declaration."""
        return len(self.regions[0].blocks) == 0

    @property
    def body(self) -> Region:
        """Its region."""
        region: Region = self.regions[0]
        return region

    @property
    def type(self) -> FunctionType:
        """Its type."""
        found: Any = self.function_type.value
        return found  # type: ignore[no-any-return]

    @property
    def visibility(self) -> StringAttr | None:
        """Who may call it."""
        return self.sym_visibility

    @property
    def entry_block(self) -> Block:
        """The block that it begins with."""
        if self.is_external:
            raise IndexError("External function does not have a body")
        return self.regions[0].blocks[0]  # type: ignore[no-any-return]

    def add_entry_block(self, arg_locs: Sequence[Location] | None = None) -> Block:
        """The block that it begins with, which is new, with an argument for each input."""
        if not self.is_external:
            raise IndexError("The function already has an entry block!")
        return self.body.blocks.append(*self.type.inputs, arg_locs=list(arg_locs) if arg_locs else None)

    @property
    def arguments(self) -> Any:
        """What it is called with."""
        return self.entry_block.arguments

    @property
    def result_attrs(self) -> ArrayAttr | None:
        """What is said of its results."""
        return self.res_attrs

    @result_attrs.setter
    def result_attrs(self, attribute: ArrayAttr | list[Any] | None) -> None:
        self.res_attrs = _dictionaries(attribute)

    @classmethod
    def from_py_func(
        cls, *inputs: Type, results: Sequence[Type] | None = None, name: str | None = None
    ) -> Callable[[Callable[..., Any]], Any]:
        """A decorator: the function is called with the arguments of a new function, and what it returns that returns.

        With `results` the function returns nothing, and makes the `ReturnOp` itself. Called afterwards it makes calls
        of the new function, which is its `func_op`, and returns what they compute. A parameter `func_op` gets that.
        """

        def decorate(function: Callable[..., Any]) -> Any:
            parameters = inspect.signature(function).parameters.values()
            wants_op = any(it.name == "func_op" or it.kind is it.VAR_KEYWORD for it in parameters)
            op = cls(name or function.__name__, FunctionType.get(list(inputs), list(results or [])))
            with InsertionPoint(op.add_entry_block()):
                named = {"func_op": op} if wants_op else {}
                returned = function(*op.arguments, **named)
                if results is not None:
                    if returned is not None:
                        raise ValueError("with results= the function returns nothing, and makes the ReturnOp itself")
                else:
                    if returned is None:
                        returned = []
                    elif isinstance(returned, Operation):
                        returned = [*_results(returned)]
                    elif isinstance(returned, Value):
                        returned = [returned]
                    values = [value_of(it) for it in returned]
                    ReturnOp(values)
                    op.function_type = TypeAttr.get(FunctionType.get(list(inputs), [it.type for it in values]))

            @functools.wraps(function)
            def call(*arguments: Any) -> Any:
                found = CallOp(op, list(arguments)).results
                return found[0] if len(found) == 1 else found

            call.func_op = op  # type: ignore[attr-defined]
            return call

        return decorate


def _results(op: Any) -> list[Value]:
    return [*op.results]


def _dictionaries(given: Any) -> ArrayAttr | None:
    if given is None or isinstance(given, ArrayAttr):
        return given
    return ArrayAttr.get([it if isinstance(it, Attribute) else DictAttr.get(it) for it in given])


def _function(
    cls: type[FuncOp],
    name: str | StringAttr,
    type: Any,
    *,
    visibility: str | StringAttr | None = None,
    body_builder: Callable[[Any], Any] | None = None,
    loc: Any = None,
    ip: Any = None,
) -> FuncOp:
    if isinstance(type, tuple):
        inputs, results = type
        type = FunctionType.get(list(inputs), list(results))
    elif isinstance(type, TypeAttr):
        type = type.value
    context = type.context

    def text(it: Any) -> Any:
        return it if it is None or isinstance(it, StringAttr) else StringAttr.get(it, context)

    attributes = {"sym_name": text(name), "function_type": TypeAttr.get(type), "sym_visibility": text(visibility)}
    op: FuncOp = made(cls, [], results=[], attributes=attributes, regions=1, loc=loc, ip=ip)
    if body_builder is not None:
        with InsertionPoint(op.add_entry_block()):
            body_builder(op)
    return op


class CallOp(OpView):
    """A call of a function by its name."""

    callee: FlatSymbolRefAttr
    arg_attrs: ArrayAttr | None
    res_attrs: ArrayAttr | None
    no_inline: Attribute | None
    operands_: Sequence[Value]
    results_: Sequence[Result[Type]]


def _call(
    cls: type[CallOp],
    calleeOrResults: Any,
    argumentsOrCallee: Any = (),
    arguments: Sequence[Any] | None = None,
    *,
    loc: Any = None,
    ip: Any = None,
) -> Any:
    if isinstance(calleeOrResults, FuncOp):
        if arguments is not None or isinstance(argumentsOrCallee, str | FlatSymbolRefAttr):
            raise ValueError("of a function that is given the results and the name are known: give only arguments")
        callee = FlatSymbolRefAttr.get(calleeOrResults.sym_name.value, calleeOrResults.context)
        results, operands = list(calleeOrResults.type.results), list(argumentsOrCallee)
    else:
        results, operands = list(calleeOrResults), list(arguments or [])
        callee = argumentsOrCallee
        if not isinstance(callee, FlatSymbolRefAttr):
            known: list[Any] = [*results, *(value_of(it) for it in operands)]
            callee = FlatSymbolRefAttr.get(str(callee), known[0].context if known else None)
    return made(cls, operands, results=results, attributes={"callee": callee}, loc=loc, ip=ip)


declare(_Dialect, FuncOp, "func", _function, None, Trait.ISOLATED_FROM_ABOVE | Trait.SYMBOL)
declare(_Dialect, CallOp, "call", _call, None, Trait.NONE)

func = FuncOp.from_py_func


def call(result: Sequence[Type], callee: Any, operands_: Sequence[Any], *, loc: Any = None, ip: Any = None) -> Any:
    """What a new `func.call` computes: its result, or a list if it has several; itself if it has none."""
    op = CallOp(result, callee, operands_, loc=loc, ip=ip)
    results = _results(op)
    return results[0] if len(results) == 1 else results or op
