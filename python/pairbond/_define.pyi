import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, dataclass_transform, overload

_T = TypeVar("_T")

@overload
def field(
    *,
    default: _T,
    init: bool = ...,
    repr: bool = ...,
    hash: bool | None = ...,
    compare: bool = ...,
    metadata: Mapping[Any, Any] | None = ...,
    kw_only: bool = ...,
) -> _T: ...
@overload
def field(
    *,
    default_factory: Callable[[], _T],
    init: bool = ...,
    repr: bool = ...,
    hash: bool | None = ...,
    compare: bool = ...,
    metadata: Mapping[Any, Any] | None = ...,
    kw_only: bool = ...,
) -> _T: ...
@overload
def field(
    *,
    init: bool = ...,
    repr: bool = ...,
    hash: bool | None = ...,
    compare: bool = ...,
    metadata: Mapping[Any, Any] | None = ...,
    kw_only: bool = ...,
) -> Any: ...
@overload
@dataclass_transform(field_specifiers=(field, dataclasses.field))
def object_(key: type[_T], /) -> type[_T]: ...
@overload
@dataclass_transform(field_specifiers=(field, dataclasses.field))
def object_(
    key: str | None = None,
    /,
    *,
    init: bool = True,
    repr: bool = True,
    eq: bool = True,
    order: bool = False,
    unsafe_hash: bool = False,
    frozen: bool = False,
    match_args: bool = True,
    kw_only: bool = False,
    dict: bool = False,
) -> Callable[[type[_T]], type[_T]]: ...
